/* Parameters of kernels/conv, to be included after prelude/divide.h.
 *
 * All operators are views of one convolution small = conv(big, weight), with big [N, groups, big_channels, I], weight [groups,
 * small_channels, big_channels, K] and small [N, groups, small_channels, O] in either order of dimensions. A tap is a position of the
 * weight's spatial dimensions, a place one of a tensor's with its image. Problems with fewer than three spatial dimensions have leading ones
 * of extent 1. */
#pragma once

enum { kConvLines = 128, kConvColumns = 64, kConvStep = 16, kConvChunk = 256 };  /* kConvChunk: products between two flushes */
enum { kConvThreads = 256 };

/* One of the two tensors; strides in elements. */
struct ConvTensor {
  const void* data;
  long long batch;        /* stride of an image */
  long long group;        /* of a group of channels */
  int channel;            /* of a channel */
  int unit;               /* of a place along the last dimension */
  int place[3];           /* of a place along each dimension */
  int extent[3];
};

struct ConvParams {
  ConvTensor gathered;    /* big for small's values and for the weight's gradient, small for big's values */
  ConvTensor written;     /* small or big: where the results go; not for the weight's gradient */
  const void* matrix;     /* the weight, or small for the weight's gradient */
  const void* bias;       /* may be null */
  void* out;
  long long matrix_group; /* stride of a group */
  long long matrix_batch; /* the weight's gradient: of an image */
  long long matrix_line;  /* of a column of the result */
  long long matrix_place; /* the weight's gradient: of a place */
  long long matrix_channel, matrix_tap; /* else: of a channel and a tap of the sum */
  long long out_slot;     /* the weight's gradient: accumulators of a slot */
  int lines, columns, depth; /* of a group: rows and columns of the result, products of an element */
  int line_tiles, column_tiles, groups, slots;
  int slot_depth;         /* a multiple of kConvChunk unless there is one slot */
  int taps[3], stride[3], dilation[3], pad[3];
  int channels_last;
  NarrowDivisor by_inner;      /* taps and channels: what runs fastest, channels with channels_last, else taps */
  int inner;
  NarrowDivisor by_taps[2];    /* the last two extents */
  NarrowDivisor by_places;     /* of an image */
  int places;
  NarrowDivisor by_extent[2];  /* the last two of those places */
  int place_extent[2];
  NarrowDivisor by_stride[3];
};

/* Sums over slots. */
struct ConvFinishParams {
  const void* partials;   /* [slots, count] accumulators */
  void* out;
  long long count;
  int slots;
  int accumulate;
};

/* Sums of every channel of a tensor. */
struct ConvBiasParams {
  const void* dout;
  void* partials;         /* [slots, channels] accumulators */
  long long batch;        /* stride of an image */
  int channel, unit;      /* of a channel and of a place */
  int channels, places;   /* places of an image */
  int total;              /* places of all images */
  int slot_places, slots;
  int width_log2;         /* channels of a block: 1 or a warp */
  NarrowDivisor by_places;
};
