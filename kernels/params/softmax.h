/* Parameters of kernels/softmax_*.cu. Tensors are [outer, extent, inner]; a group is the extent elements of one
 * (outer, inner) that are summed together. */
#pragma once

struct SoftmaxBackwardParams {
  const void* dout;
  const void* out;
  void* dinput;     /* may be dout or out */
  long long outer;
  long long extent;
  long long inner;
  int group;        /* row: threads of a row, a power of two up to a warp, or the block; strided: groups of a block */
  int reserved;
};
