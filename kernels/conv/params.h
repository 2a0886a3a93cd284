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

/* On tensor cores: a block of four warps has a tile of so many lines and columns, and steps of so many products of each element. */
enum {
  kCoresTile = 128, kCoresStep = 32, kCoresStages = 4, kCoresThreads = 128,
  kCoresRound = 144,              /* steps whose products are added on the tensor cores alone, before they are added to other sums */
  kCoresUnit = 8,                 /* elements of 16 bytes: channels of a group come in units of so many */
  kCoresResultPitch = kCoresTile + 9,
  kCoresShared = kCoresTile * (kCoresResultPitch * 4 + 8 + 2 * 16)  /* bytes of a block */
};
enum { kMostResidues = 8 };

/* One spatial dimension. Tap t at place j meets the gathered tensor at j * scale + of.offset + t * step.
 *
 * Where big is made from small with a stride, the places of big are divided by what they leave modulo the stride: those of one residue meet
 * small at neighbouring places, through every so many of the taps. */
struct ConvAxis {
  int residues;           /* the stride in role 1, else 1: place j of residue r is place j * residues + r */
  int places;             /* of small in role 2; of a residue in role 1; else of the result */
  int scale, step;
  int extent;             /* of the gathered tensor */
  int pitch;              /* of its places, in units */
  int tap_pitch;          /* of the weight from one of these taps to the next, in units */
  int out_places;         /* of the result, which the last of a residue may exceed; not in role 2 */
  long long out_pitch;    /* elements */
  struct {
    int offset;
    int taps;
    int first_tap;        /* where the weight has the first of them, in units */
  } of[kMostResidues];
};

/* The same products as ConvParams, of tensors whose channels are last and fill units. A role's weight has rows of the columns' channels:
 * [groups, columns, taps, channels of the sum]. */
struct ConvCoresParams {
  const void* gathered;
  const void* matrix;
  const void* bias;       /* may be null */
  void* out;
  struct ConvAxis axis[3];
  int gathered_image, gathered_group; /* strides in units */
  int matrix_group;
  int matrix_row;         /* of a column; in role 2 of a place */
  int matrix_units;       /* role 2: of a group's row */
  int inner;              /* units of a group of the gathered tensor */
  int together;           /* of those that a step takes of one tap: 1, 2 or 4, a divisor of inner */
  long long out_image, out_group, out_column, out_slot; /* strides in elements; out_column is 1 where channels are last */
  int lines, columns;     /* of a group, and of a residue */
  int depth;              /* role 2: the places of small in all images */
  int line_tiles, column_tiles, residues, groups, slots;
  int slot_steps;
  int sums;               /* 1: out are sums of slots in f32, else elements */
  int whole_units;        /* 1: where out is aligned to 16 bytes, so is every unit of 8 columns, or of 8 lines where channels are not last */
  NarrowDivisor by_places;     /* of an image, or a residue of it */
  int places;
  NarrowDivisor by_extent[2];  /* axis[1].places and axis[2].places */
};

/* From any order of dimensions to channels last in whole units, with zeros behind the end of a group: places of images become rows, and so do
 * taps of a weight. */
enum { kPackTile = 64, kPackThreads = 256 };  /* places and channels of a block */
struct ConvPackParams {
  const void* from;
  void* to;
  long long image, group, place, channel;  /* strides in elements */
  long long to_image, to_group, to_place;  /* in units */
  int places, channels, units;
  int place_tiles, channel_tiles, groups;
  int along_channels;     /* 1: neighbouring channels are neighbours in memory, else neighbouring places */
};

/* Sums over slots. */
struct ConvFinishParams {
  const void* partials;   /* [slots, count] accumulators */
  void* out;
  long long count;
  int slots;
  int accumulate;
  int taps;               /* above 0: a slot is [rows, taps, padded], of which out has the first `channels`, at the strides below */
  int channels, padded;
  int tap_pitch, channel_pitch;
  long long row_pitch;
  WideDivisor by_padded, by_taps;
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
