/* Parameters of kernels/softmax/. README.md defines the words. Tensors are [outer, extent, inner]. */
#pragma once

enum { kMostCluster = 8 };  /* most blocks of a cluster: every device with clusters allows as many */

struct SoftmaxBackwardParams {
  const void* dout;
  const void* out;
  void* dinput;     /* may be dout or out */
  long long outer;
  long long extent;
  long long inner;
  int group;        /* row programs: threads of a row, a power of two up to a warp, or the block; strided.cu: groups of a block; else not read */
  int rows;         /* row_staged.cu: rows of a warp */
};

struct SoftmaxForwardParams {
  const void* in;
  void* out;        /* may be in */
  long long outer;
  long long extent;
  long long inner;
  int group;        /* forward.cu, forward_staged.cu: threads of a row, a power of two up to a warp, or the block; forward_strided.cu: groups of a block */
  int resident;     /* forward.cu: 1: the threads of a row hold it in registers */
  int rows;         /* forward_staged.cu: rows of a warp */
};

/* ..._staged.cu: bytes of shared memory for one operand of a warp's rows, wherever they begin within a word. */
constexpr int softmax_stage_bytes(int rows, long long extent, int size) { return (rows * static_cast<int>(extent) * size + 15) / 16 * 16 + 16; }
/* ..._staged.cu: bytes of shared memory for the sums of a warp's rows, `size` each. */
constexpr int softmax_sums_bytes(int rows, int size) { return (rows * size + 15) / 16 * 16; }
