/* Constants and parameters of kernels/conv, to be included after prelude/divide.h. README.md defines the words.
 *
 * All operators are views of one convolution small = conv(big, weight), with big [N, groups, big_channels, I], weight [groups,
 * small_channels, big_channels, K] and small [N, groups, small_channels, O], or the same with channels last. Problems with fewer than three
 * spatial dimensions have leading ones of extent 1. */
#pragma once

enum { kConvLines = 128, kConvColumns = 64, kConvStep = 16, kConvChunk = 256 };  /* gemm.cu: tile, step, products between two flushes of sums */
enum { kConvThreads = 256 };

/* Big or small; strides in elements. */
struct ConvTensor {
  const void* data;
  long long batch;        /* stride between images */
  long long group;        /* stride between groups of channels */
  int channel;            /* stride between channels */
  int unit;               /* stride between places along the last dimension */
  int place[3];           /* stride between places along each dimension */
  int extent[3];
};

struct ConvParams {
  ConvTensor gathered;    /* big in roles 0 and 2, small in role 1 */
  ConvTensor written;     /* small in role 0, big in role 1: layout of out; not used in role 2 */
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
  int split_depth;         /* depth of a split, a multiple of kConvChunk unless there is one split */
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

/* tensor_cores.cu and tensor_cores_weight.cu: a block of four warps has a tile of kCoresTile lines and columns, and steps of kCoresStep products. */
enum {
  kCoresTile = 128,
  kCoresStep = 32,
  kCoresStages = 4,
  kCoresThreads = 128,
  kCoresRound = 144,              /* steps of a round: longer sums would lose too much on the tensor cores (README.md) */
  kCoresVector = 8,                 /* channels of a vector */
  kCoresResultPitch = kCoresTile + 9, /* f32 from one line of results to the next in shared memory; odd against bank conflicts */
  kCoresShared = kCoresTile * (kCoresResultPitch * 4 + 8 + 2 * 16)  /* bytes of shared memory of a block */
};
enum { kMostResidues = 8 };       /* most residues of a spatial dimension */

/* One spatial dimension. Tap t at place j meets the gathered tensor at j * scale + of[residue].offset + t * step.
 *
 * In role 1 the places of big are divided by their residue, the coordinate modulo the stride. Places of one residue meet neighbouring places
 * of small, through taps at equal distances. */
struct ConvAxis {
  int residues;           /* the stride (at most the extent) in role 1, else 1: place j of residue r has coordinate j * residues + r */
  int places;             /* number of places j: of a residue in role 1, else of small */
  int scale, step;
  int extent;             /* extent of the gathered tensor */
  int pitch;              /* stride between its places, in vectors */
  int tap_pitch;          /* stride in the weight between two taps of a residue, in vectors */
  int out_places;         /* extent of the result; the last j of a residue may lie beyond; not used in role 2 */
  long long out_pitch;    /* stride between coordinates of the result, in elements */
  struct {
    int offset;
    int taps;             /* number of taps of the residue */
    int first_tap;        /* offset of the first of these taps in the weight, in vectors */
  } of[kMostResidues];
};

/* The same products as ConvParams, of tensors whose channels are last and fill vectors. The weight has a row for each column:
 * [groups, columns, taps, channels of the depth]. */
struct ConvCoresParams {
  const void* gathered;
  const void* matrix;
  const void* bias;       /* may be null */
  void* out;
  struct ConvAxis axis[3];
  int gathered_image, gathered_group; /* strides of the gathered tensor, in vectors: between images, between groups */
  int matrix_group;       /* strides of matrix, in vectors: between groups */
  int matrix_row;         /* between columns; in role 2 between places */
  int matrix_vectors;       /* vectors of a row of a group of matrix; role 2 */
  int inner;              /* vectors of a group of the gathered tensor */
  int together;           /* vectors of one tap that a step takes: 1, 2 or 4, a divisor of inner */
  long long out_image, out_group, out_column, out_split; /* strides in elements; out_column is 1 where channels are last */
  int lines, columns;     /* lines and columns of a group; in role 1 the lines of one residue */
  int depth;              /* places of small in all images; role 2 */
  int line_tiles, column_tiles, residues, groups, splits; /* numbers of tiles along lines and columns, of residues, of groups, of splits */
  int split_steps;         /* steps of a split */
  int sums;               /* 1: out has the f32 sums of each split for finish.cu, 0: elements of the result */
  int whole_vectors;        /* 1: if out is aligned to 16 bytes, so is every 8th column, or every 8th line where channels are not last */
  NarrowDivisor by_places;     /* divides by `places` */
  int places;                  /* places of an image; in role 1 of one residue */
  NarrowDivisor by_extent[2];  /* divide by axis[1].places and axis[2].places */
};

/* Parameters of pack.cu. A weight is packed as a tensor whose images are its rows and whose places are its taps. */
enum { kPackTile = 64, kPackThreads = 256 };  /* kPackTile: places, and channels, of a block */
struct ConvPackParams {
  const void* from;
  void* to;
  long long image, group, place, channel;  /* strides of from, in elements */
  long long to_image, to_group, to_place;  /* strides of to, in vectors */
  int places, channels, vectors; /* places of an image, channels and vectors of a group */
  int place_tiles, channel_tiles, groups;
  int along_channels;     /* 1: neighbouring channels are neighbours in memory, 0: neighbouring places */
};

/* Parameters of finish.cu. */
struct ConvFinishParams {
  const void* partials;   /* [splits, count] accumulators */
  void* out;
  long long count;        /* accumulators of a split */
  int splits;
  int accumulate;         /* 1: the sum is added to out, 0: it overwrites */
  int taps;               /* above 0: a split is [rows, taps, padded]; out takes the first `channels` of `padded`, at the pitches below */
  int channels, padded;
  int tap_pitch, channel_pitch; /* strides in out, in elements */
  long long row_pitch;
  WideDivisor by_padded, by_taps;
};

/* Parameters of bias.cu. */
struct ConvBiasParams {
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
