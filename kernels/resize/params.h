/* Parameters of kernels/resize, to be included after prelude/divide.h. The target is what a launch writes (the result, or the input's
 * gradient), the source what it reads; both have three spatial axes, those that a problem lacks with extent 1. */
#pragma once

enum { kResizeSpanBytes = 4096 };  /* shared memory of a warp for one piece of a source row */
enum { kResizeWarps = 8 };         /* of a block */

/* An axis of `in` elements of the input and `out` of the result: element o of the result lies at (mul * o + add) / div, or, where div is 0,
 * at (o + shift) * step - shift in f64; clamped to the input. */
struct ResizeAxis {
  long long in, out;
  long long mul, add, div;
  double step, shift;
  double scale;   /* 1 / step, about */
};

/* The elements of the source that an element of the target sums up: `count` from `first` on, with weights from `offset` on. */
struct ResizeTarget {
  int first, count, offset, reserved;
};

/* Where the tables of an axis are in the workspace: a ResizeTarget for each element of the target, then the weights. */
struct ResizeTables {
  unsigned char* base;
  long long targets[3], weights[3];
};

struct ResizeTablesParams {
  ResizeTables tables;
  ResizeAxis axis[3];
  int forward;   /* the target is the result */
  int nearest;
  double round_at; /* nearest: a rest above this rounds up */
  int round_up;    /* nearest: so does a rest equal to it */
  int reserved;
};

/* How the target is divided. */
struct ResizePieces {
  long long tasks;        /* pieces of kResizeWarps rows of the target */
  long long chunks;       /* pieces of a row of the target */
  long long inner_chunks; /* those along inner */
  WideDivisor by_chunks, by_inner_chunks;
  int chunk;              /* places of the last axis in a piece */
  int inner_chunk;        /* elements of inner in a piece */
  int across_log2;        /* lanes along inner */
  int piece;              /* places of the source that fit in shared memory */
};

struct ResizeParams {
  const void* source;
  void* target;
  ResizeTables tables;
  long long source_extent[3], target_extent[3];
  WideDivisor by_extent[2]; /* of the target: the first two */
  long long inner;        /* elements of one place: channels, or 1 */
  long long rows;         /* of the target: all but the last axis and inner */
  ResizePieces pieces[2]; /* for lanes with one element, and for lanes with 16 bytes of channels */
};

enum { kResizeBlock = 256, kResizeRowWarps = 4 };  /* threads of the programs below, warps of backward_rows.cu */
/* Elements of a row of the result in a thread of forward.cu, where it has no units of channels: 16 bytes at most. */
constexpr int resize_own(unsigned long long element_bytes) { return element_bytes == 8 ? 2 : 4; }

/* Of backward_rows.cu. A task is a piece of the last axis in a strip of rows, of as many planes as a warp has groups of lanes. */
struct ResizeRowTasks {
  long long tasks;
  long long chunks;       /* pieces of a row of the target */
  long long chunk;        /* places of one, whose sources a group of lanes has */
  long long strips, strip;
  WideDivisor by_chunks, by_strips;
  int lanes_log2;         /* of a group */
  int most_taps;          /* of a place along the last axis */
};

/* Parameters of forward.cu, backward.cu and backward_rows.cu. An item is a group of elements of a row of the target in a strip of rows; a
 * program for any addresses may have to take several groups, `groups` elements apart. */
struct ResizeStripParams {
  const void* source;
  void* target;
  struct ResizeTables tables;
  long long source_extent[3], target_extent[3];
  long long planes;
  long long inner;        /* elements of one place: channels, or 1 */
  long long source_row, target_row; /* elements */
  long long groups;       /* of a row of the target */
  long long strips;       /* of the rows of one depth */
  long long strip;        /* rows */
  long long items;
  WideDivisor by_groups, by_strips, by_depth, by_inner;
  struct ResizeRowTasks rows;
};

/* Of backward_doubled.cu and forward_doubled.cu: rows and columns are twice as many in the result as in the input. An item is a lane of a row
 * in a strip of rows of the input. */
struct ResizeDoubledParams {
  const void* source;
  void* target;
  long long rows, columns; /* of the input */
  long long inner;         /* channels in units of 16 bytes, or 1 */
  long long lanes;         /* of a row */
  long long strips, strip; /* rows of a strip */
  long long items;
  WideDivisor by_lanes, by_strips, by_inner;
};
