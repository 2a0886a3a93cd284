// Computes: batch_norm/apply.cu, channels last and in whole units.
// Work split: a thread has kN channels, whose coefficients stay in registers, of every so many rows.
// Memory: x and dy are read, the result is written (forward: x; backward with running statistics: dy alone).
// Limits: channels in whole units of 16 bytes, tensors on 16-byte boundaries; the plan picks.
//
// Macros: ADJ_T element type, ADJ_BACKWARD.
#include "batch_norm/terms.cuh"

constexpr int kBlock = 256;

extern "C" __global__ void __launch_bounds__(kBlock) ADJ_ENTRY(const __grid_constant__ BatchNormParams p) {
  wait_for_earlier_grids();
  const int lanes = p.lanes, lane = thread_index() & (lanes - 1), own = thread_index() >> lowest_bit(lanes);
  const int side_by_side = kBlock >> lowest_bit(lanes);
  const i64 column = (block_index_y() * lanes + lane) * kN;
  if (column >= p.channels) return;
  const bool reads_input = !ADJ_BACKWARD || !p.frozen;
  A k[4][kN];
#pragma unroll
  for (int i = 0; i < 4; ++i)
#pragma unroll
    for (int j = 0; j < kN; ++j) k[i][j] = static_cast<const A*>(p.coefficients)[i * p.channels + column + j];
#pragma unroll 1
  for (i64 row = block_index() * side_by_side + own; row < p.outer; row += grid_blocks() * side_by_side) {
    const i64 at = row * p.channels + column;
    Words4 x_words{}, dy_words{};
    if (reads_input) x_words = load_words(reinterpret_cast<const Words4*>(static_cast<const ADJ_T*>(p.input) + at));
    if (ADJ_BACKWARD) dy_words = load_words(reinterpret_cast<const Words4*>(static_cast<const ADJ_T*>(p.dout) + at));
    A x[kN], dy[kN];
    widen<ADJ_T>(x_words, x);
    widen<ADJ_T>(dy_words, dy);
#pragma unroll
    for (int j = 0; j < kN; ++j) x[j] = result_of(x[j], dy[j], k[0][j], k[1][j], k[2][j], k[3][j], p.frozen);
    store_words(reinterpret_cast<Words4*>(static_cast<ADJ_T*>(p.out) + at), narrow<ADJ_T>(x));
  }
}
