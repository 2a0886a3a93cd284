/* Parameters of kernels/softmax_*.cu. Tensors are [outer, extent, inner]; a group is the extent elements of one
 * (outer, inner) that are summed together. */
#pragma once

enum { kMostCluster = 8 };  /* blocks: what every device with clusters allows */

struct SoftmaxBackwardParams {
  const void* dout;
  const void* out;
  void* dinput;     /* may be dout or out */
  long long outer;
  long long extent;
  long long inner;
  int group;        /* rows, except of a cluster: threads of a row, a power of two up to a warp, or the block; strided: groups of a block */
  int rows;         /* row_staged: of a warp */
};

struct SoftmaxForwardParams {
  const void* in;
  void* out;        /* may be in */
  long long outer;
  long long extent;
  long long inner;
  int group;        /* rows: threads of a row, a power of two up to a warp, or the block; strided: groups of a block */
  int resident;     /* rows: the threads hold a whole row */
};

/* Shared memory for one operand of a warp's rows, wherever they begin in a unit of 16 bytes. */
constexpr int softmax_stage_bytes(int rows, long long extent, int size) {
  return (rows * static_cast<int>(extent) * size + 15) / 16 * 16 + 16;
}
/* And for their sums. */
constexpr int softmax_sums_bytes(int rows, int size) { return (rows * size + 15) / 16 * 16; }
