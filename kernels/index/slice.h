/* Parameters of kernels/index/slice_grad.cu, to be included after prelude/divide.h and index/params.h. */
#pragma once

enum { kSliceTurns = 4 };    /* units of a thread together */

/* A row is the innermost dimension of the gradient after coalescing. Along axis k the slice has `lengths[k]` coordinates
 * `firsts[k]` + i * `steps[k]` with a positive step; `strides[k]` is the distance in dout from i to i + 1, negative where the slice
 * runs backwards, and `origin` the element of dout where all i are 0. */
struct SliceGradParams {
  const void* dout;
  void* dinput;
  long long items;           /* rows times stretches */
  long long stretches;       /* of a row */
  long long row;             /* elements */
  long long origin;
  long long first, step, length, stride; /* of the innermost dimension */
  long long extents[kIndexMostRank];     /* of the other dimensions, the outermost first */
  long long firsts[kIndexMostRank];
  long long steps[kIndexMostRank];
  long long lengths[kIndexMostRank];
  long long strides[kIndexMostRank];
  WideDivisor by_stretches, by_step, by_extents[kIndexMostRank], by_steps[kIndexMostRank];
  int rank;                  /* number of the other dimensions */
  int lanes;                 /* threads of an item, a power of two */
  int units;                 /* of 16 bytes in a stretch; the last one has all that are left */
};
