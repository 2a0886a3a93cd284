/* Constants and parameters of kernels/conv, to be included after prelude/divide.h and gemm/params.h. README.md defines the words.
 *
 * All operators are views of one convolution small = conv(big, weight), with big [N, groups, big_channels, I], weight [groups,
 * small_channels, big_channels, K] and small [N, groups, small_channels, O], or the same with channels last. Problems with fewer than three
 * spatial dimensions have leading ones of extent 1. */
#pragma once

/* tensor_cores.cu and tensor_cores_weight.cu: a block of four warps has a tile of kCoresTile lines and columns, and steps of kCoresStep products. */
enum {
  kCoresTile = 128,
  kCoresStep = 32,
  kCoresStages = 4,
  kCoresThreads = 128,
  kCoresRound = 144,              /* steps of a round: longer sums would lose too much on the tensor cores (README.md) */
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

/* The same products as GemmParams, of tensors whose channels are last and fill vectors. The weight has a row for each column:
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
