// Computes: the results of batch_norm/apply.cu where channels are last and in whole vectors.
// Work split: a thread keeps the coefficients of kN channels in registers and takes rows, a grid apart.
// Memory: x is read (not in the backward direction with running statistics), dy is read in the backward direction, the result is written.
// Order of additions: none.
// Limits: channels in whole vectors of 16 bytes, tensors at 16-byte boundaries; the plan picks apply.cu for all else.
//
// Macros: ADJ_T element type, ADJ_BACKWARD.
#include "batch_norm/terms.cuh"

typedef Acc<ADJ_T> A;
constexpr int kN = kVec16<ADJ_T>;
constexpr int kBlock = 256;
constexpr int kTogether = ADJ_BACKWARD && ADJ_ARCH > 90 ? 2 : 4;  // rows in flight: as many as spill no registers

extern "C" __global__ void __launch_bounds__(kBlock, sizeof(A) == 8 ? 2 : 3) ADJ_ENTRY(const __grid_constant__ BatchNormParams p) {
  wait_for_earlier_grids();
  const int lanes = p.lanes, lane = thread_index() & (lanes - 1), own = thread_index() >> lowest_bit(lanes);
  const int side_by_side = kBlock >> lowest_bit(lanes);
  const i64 column = (block_index_y() * lanes + lane) * kN;
  if (column >= p.channels) return;
  const bool reads_input = !ADJ_BACKWARD || !p.frozen;
  A k[kN][4];
#pragma unroll
  for (int j = 0; j < kN; ++j) load_coefficients(k[j], p.coefficients, column + j);
  // Walks from the last row to the first, since the sums have left the end of the tensors in the level-2 cache.
  const i64 step = grid_blocks() * side_by_side;
#pragma unroll 1
  for (i64 row = p.outer - 1 - (block_index() * side_by_side + own); row >= 0; row -= kTogether * step) {
    Words4 x_words[kTogether], dy_words[kTogether];
#pragma unroll
    for (int i = 0; i < kTogether; ++i) {
      x_words[i] = dy_words[i] = {};
      const i64 at = (row - i * step) * p.channels + column;
      if (row - i * step < 0) continue;
      if (reads_input) x_words[i] = load_words(reinterpret_cast<const Words4*>(static_cast<const ADJ_T*>(p.input) + at));
      if (ADJ_BACKWARD) dy_words[i] = load_words(reinterpret_cast<const Words4*>(static_cast<const ADJ_T*>(p.dout) + at));
    }
#pragma unroll
    for (int i = 0; i < kTogether; ++i) {
      if (row - i * step < 0) break;
      A x[kN], dy[kN];
      widen<ADJ_T>(x_words[i], x);
      widen<ADJ_T>(dy_words[i], dy);
#pragma unroll
      for (int j = 0; j < kN; ++j) x[j] = result_of<ADJ_BACKWARD, false>(x[j], dy[j], k[j][0], k[j][1], k[j][2], k[j][3], p.frozen);
      store_words(reinterpret_cast<Words4*>(static_cast<ADJ_T*>(p.out) + ((row - i * step) * p.channels + column)), narrow<ADJ_T>(x));
    }
  }
}
