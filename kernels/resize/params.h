/* Parameters of kernels/resize/, to be included after prelude/divide.h. The target is what a launch writes (the result, or the gradient of the
 * input), the source is what it reads. Both have three spatial axes; axes that a problem lacks have extent 1. */
#pragma once

enum { kResizeSpanBytes = 4096 };  /* shared memory of a warp for one piece of a source row */
enum { kResizeWarps = 8 };         /* warps of a block of gather.cu */

/* An axis with `in` elements of the input and `out` of the result. Element o of the result lies at (mul * o + add) / div, or, if div is 0, at
 * (o + shift) * step - shift in f64. Places are clamped to the input. */
struct ResizeAxis {
  long long in, out;
  long long mul, add, div;
  double step, shift;
  double scale;   /* about 1 / step */
};

/* Taps of an element of the target: `count` elements of the source from `first` on, with weights from `offset` on. */
struct ResizeTarget {
  int first, count, offset, reserved;
};

/* Tables in the workspace, as offsets in bytes from base for each axis: a ResizeTarget for each element of the target, and the weights. */
struct ResizeTables {
  unsigned char* base;
  long long targets[3], weights[3];
};

struct ResizeTablesParams {
  ResizeTables tables;
  ResizeAxis axis[3];
  int forward;   /* 1: the target is the result */
  int nearest;   /* 1: nearest, 0: linear */
  double round_at; /* nearest: a fraction above this rounds up */
  int round_up;    /* nearest, 1: a fraction equal to round_at rounds up, too */
  int wide;        /* 1: weights are f64, 0: f32 */
};

/* Division of the target among the warps of gather.cu. */
struct ResizePieces {
  long long tasks;        /* chunks of a row times groups of kResizeWarps rows */
  long long chunks;       /* chunks of a row of the target */
  long long inner_chunks; /* chunks along inner */
  WideDivisor by_chunks, by_inner_chunks;
  int chunk;              /* places of the last axis in a chunk */
  int inner_chunk;        /* elements of inner in a chunk */
  int across_log2;        /* log2 of the lanes along inner */
  int piece;              /* places of the source that fit in the shared memory of a warp */
};

struct ResizeParams {
  const void* source;
  void* target;
  ResizeTables tables;
  long long source_extent[3], target_extent[3];
  WideDivisor by_extent[2]; /* first two extents of the target */
  long long inner;        /* elements of a place: channels, or 1 */
  long long rows;         /* rows of the target in all planes */
  ResizePieces pieces[2]; /* for lanes with one element, and for lanes with 16 bytes of channels */
};

enum { kResizeBlock = 256 };  /* threads of a block of the programs below */
enum { kResizeSpan = 256 };   /* places of the source that a block of rows.cu holds of a row */
enum { kResizeRowsTogether = 8 }; /* rows of the target that a lane of rows.cu takes together */
/* Most rows of the target that a block of rows.cu takes; accumulator_bytes: of the type of the arithmetic. */
constexpr int resize_block_rows(unsigned long long accumulator_bytes) { return accumulator_bytes == 8 ? 16 : 32; }
/* Elements of a row of the result that a thread of forward.cu takes, unless it takes vectors of channels. */
constexpr int resize_own(unsigned long long element_bytes) { return element_bytes == 8 ? 2 : 4; }

/* Parameters of rows.cu. A task is a chunk of the columns of block_rows rows. */
struct ResizeRowsParams {
  const void* source;
  void* target;
  struct ResizeTables tables;
  long long source_extent[3], target_extent[3];
  long long source_rows;  /* rows of the source in all planes */
  long long rows;         /* rows of the target in all planes */
  long long tasks;
  long long chunks;       /* chunks of a row of the target */
  long long chunk;        /* columns of a chunk */
  WideDivisor by_chunks, by_height, by_depth;
  int block_rows;
  int reserved;
};

/* Parameters of forward.cu, nearest.cu and backward.cu. An item is a group of elements of a row of the target in a strip of rows. Programs for
 * any addresses take elements `groups` apart, in several turns if need be. */
struct ResizeStripParams {
  const void* source;
  void* target;
  struct ResizeTables tables;
  long long source_extent[3], target_extent[3];
  long long planes;
  long long inner;        /* elements of a place: channels, or 1 */
  long long source_row, target_row; /* elements of a row */
  long long groups;       /* groups of a row of the target */
  long long strips;       /* strips of the rows of one depth */
  long long strip;        /* rows of a strip */
  long long items;
  WideDivisor by_groups, by_strips, by_depth, by_inner;
};

/* Parameters of backward_doubled.cu and forward_doubled.cu: the result has twice the rows and columns of the input. An item is a lane of a row in a
 * strip of rows of the input. */
struct ResizeDoubledParams {
  const void* source;
  void* target;
  long long rows, columns; /* rows and columns of the input */
  long long inner;         /* channels in vectors of 16 bytes, or 1 */
  long long lanes;         /* threads that share a row */
  long long strips, strip; /* strips of a plane; rows of a strip */
  long long items;
  WideDivisor by_lanes, by_strips, by_inner;
};

enum { kResizeRepeatRows = 2 }; /* rows of the input that a thread of repeat.cu takes together */

/* Parameters of repeat.cu. The input is [outer, middle, rows, columns], and the result has times[0] to times[2] and column_times as many of each. An item
 * is a group of columns of the result in a strip of rows of the input. */
struct ResizeRepeatParams {
  const void* source;
  void* target;
  long long middle, rows;
  long long groups;       /* vectors of 16 bytes of a row of the result */
  long long strips;       /* strips of the rows */
  long long items;
  long long step[2];      /* elements of the result from one index of outer, and of middle, to the next */
  WideDivisor by_groups, by_strips, by_middle;
  int times[3];
  int column_times;       /* 1, 2 or 4, at most the elements of a vector */
};
