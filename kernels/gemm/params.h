/* Constants and parameters of kernels/gemm, to be included after prelude/divide.h. kernels/conv/README.md defines the words of tiles.cu. */
#pragma once

enum { kGemmLines = 128, kGemmColumns = 64, kGemmStep = 16, kGemmChunk = 256 };  /* tiles.cu: tile, step, products between two flushes of sums */
enum { kGemmThreads = 256 };

/* Big or small; strides in elements. */
struct GemmTensor {
  const void* data;
  long long batch;        /* stride between images */
  long long group;        /* stride between groups of channels */
  int channel;            /* stride between channels */
  int unit;               /* stride between places along the last dimension */
  int place[3];           /* stride between places along each dimension */
  int extent[3];
};

struct GemmParams {
  GemmTensor gathered;    /* big in roles 0 and 2, small in role 1 */
  GemmTensor written;     /* small in role 0, big in role 1: layout of out; not used in role 2 */
  const void* matrix;     /* weight in roles 0 and 1, small in role 2 */
  const void* bias;       /* may be null */
  void* out;              /* the result; role 2: [splits, out_split] accumulators */
  long long matrix_group; /* strides of matrix, in elements: between groups */
  long long matrix_batch; /* between images; role 2 */
  long long matrix_line;  /* between columns of the result */
  long long matrix_place; /* between places; role 2 */
  long long matrix_channel, matrix_tap; /* between channels, and between taps, of the depth; roles 0 and 1 */
  long long out_split;     /* accumulators of a split; role 2 */
  int lines, columns, depth; /* lines, columns and depth of a group */
  int line_tiles, column_tiles, groups, splits; /* numbers of tiles along lines and columns, of groups, of splits */
  int split_depth;         /* depth of a split, a multiple of kGemmChunk unless there is one split */
  int taps[3], stride[3], dilation[3], pad[3];
  int channels_last;
  NarrowDivisor by_inner;      /* divides by `inner` */
  int inner;                   /* of taps and channels, the extent that runs fastest: channels with channels_last, else taps */
  NarrowDivisor by_taps[2];    /* divide by taps[1] and taps[2] */
  NarrowDivisor by_places;     /* divides by `places` */
  int places;                  /* places of an image: of big in role 1, else of small */
  NarrowDivisor by_extent[2];  /* divide by place_extent[] */
  int place_extent[2];         /* last two extents of those places */
  NarrowDivisor by_stride[3];  /* divide by stride[] */
};

enum { kGemmVector = 8 }; /* 16-bit elements of a vector of 16 bytes, which tensor cores take */

/* Parameters of pack.cu. A weight is packed as a tensor whose images are its rows and whose places are its taps. */
enum { kGemmPackTile = 64, kGemmPackThreads = 256 };  /* kGemmPackTile: places, and channels, of a block */
struct GemmPackParams {
  const void* from;
  void* to;
  long long image, group, place, channel;  /* strides of from, in elements */
  long long to_image, to_group, to_place;  /* strides of to, in vectors */
  int places, channels, vectors; /* places of an image, channels and vectors of a group */
  int place_tiles, channel_tiles, groups;
  int along_channels;     /* 1: neighbouring channels are neighbours in memory, 0: neighbouring places */
};

/* Parameters of column_sums.cu. */
struct GemmColumnSumsParams {
  const void* dout;
  void* partials;         /* [splits, channels] accumulators */
  long long batch;        /* stride between images, in elements */
  int channel, unit;      /* strides between channels and between places, in elements */
  int channels, places;   /* channels of all groups; places of an image */
  int total;              /* places of all images */
  int split_places, splits; /* places of a split, and number of splits */
  int width_log2;         /* log2 of the threads of a block side by side: 0, or 5 where channels are last */
  int each;               /* channels of a thread: 1, or those of a vector of 16 bytes, at multiples of which all places then begin */
  int reserved;
  NarrowDivisor by_places; /* divides by `places` */
};
