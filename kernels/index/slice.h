/* Parameters of kernels/index/slice_backward.cu, to be included after prelude/divide.h and index/params.h. */
#pragma once

enum { kSliceTurns = 4 };    /* vectors that a thread has in flight */

/* A row is the innermost dimension of the gradient after coalescing; a stretch is a range of the vectors of a row, an item one stretch of one
 * row. Along axis k the slice has lengths[k] coordinates firsts[k] + i * steps[k] with a positive step. strides[k] is the distance in dout
 * from i to i + 1, negative where the slice runs backwards. */
struct SliceBackwardParams {
  const void* dout;
  void* dinput;
  long long items;           /* rows times stretches */
  long long stretches;       /* stretches of a row */
  long long row;             /* elements of a row */
  long long origin;          /* element of dout where i is 0 along every axis */
  long long first, step, length, stride; /* the innermost dimension's firsts[k] and so on */
  long long extents[kIndexMostRank];     /* extents of the outer dimensions, the outermost first */
  long long firsts[kIndexMostRank];
  long long steps[kIndexMostRank];
  long long lengths[kIndexMostRank];
  long long strides[kIndexMostRank];
  WideDivisor by_stretches, by_step, by_extents[kIndexMostRank], by_steps[kIndexMostRank];
  int rank;                  /* number of the outer dimensions */
  int lanes;                 /* threads of an item, a power of two */
  int vectors;                 /* vectors of 16 bytes of a stretch; the last stretch of a row has all that are left */
};
