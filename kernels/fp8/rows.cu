// Codes of the rows of a matrix, each with a scale of its own.
//
// Computes: include/adjoint/ops/fp8.h, quantize with granularity row and computed scales, without transposed codes.
// Work split: a block takes a row, a grid apart; a thread holds kHeld pieces of 16 neighbours.
// Memory: each element once, and once more where the threads do not hold the row; its code once.
// Order of additions: none. Maxima do not depend on order.
// Limits: none.
//
// Macros: ADJ_T element type, ADJ_C type of codes, ADJ_STOCHASTIC 1: codes are rounded at random.
#include "fp8/codes.cuh"

typedef ADJ_T T;
typedef ADJ_C C;

constexpr int kHeld = 2;

extern "C" __global__ void __launch_bounds__(kFp8Block) ADJ_ENTRY(const __grid_constant__ QuantizeParams p) {
  ADJ_SHARED(f32, scratch, kFp8Block / kWarp);
  const bool aligned = aligned16(p.x) && p.cols % kVec16<T> == 0, codes_aligned = aligned16(p.codes) && p.cols % kFp8Piece == 0;
  const i64 step = static_cast<i64>(block_threads()) * kFp8Piece;
  f32 most = 0;
  u32 wrong = 0;
#pragma unroll 1
  for (i64 row = block_index(); row < p.rows; row += grid_blocks()) {
    const i64 begin = row * p.cols;
    FloatPiece<T> held[kHeld];
    f32 amax = 0;
#pragma unroll
    for (int k = 0; k < kHeld; ++k) {
      const i64 column = thread_index() * kFp8Piece + k * step;
      held[k].load(p.x, begin + column, static_cast<int>(min_of<i64>(kFp8Piece, p.cols - column)), aligned);
    }
#pragma unroll
    for (int k = 0; k < kHeld; ++k) {
      f32 x[kFp8Piece];
      held[k].get(x);
      amax = max_number(amax, amax_of(x));
      wrong += p.error_flag ? wrong_of(x) : 0;
    }
#pragma unroll 1
    for (i64 column = thread_index() * kFp8Piece + kHeld * step; column < p.cols; column += step) {
      FloatPiece<T> piece;
      piece.load(p.x, begin + column, static_cast<int>(min_of<i64>(kFp8Piece, p.cols - column)), aligned);
      f32 x[kFp8Piece];
      piece.get(x);
      amax = max_number(amax, amax_of(x));
      wrong += p.error_flag ? wrong_of(x) : 0;
    }
    block_barrier();  // the scratch of the last row is read
    amax = max_of_block(amax, scratch);
    most = max_number(most, amax);
    const ScalePair scale = scale_of(amax, p.rule);
    if (thread_index() == 0) {
      if (p.scale_out) p.scale_out[row] = scale.multiplier;
      if (p.inverse_out) p.inverse_out[row] = scale.inverse;
      if (p.scales) p.scales[row] = scale.multiplier;
    }
    if (!p.codes) continue;
#pragma unroll
    for (int k = 0; k < kHeld; ++k) {
      const i64 column = thread_index() * kFp8Piece + k * step;
      f32 x[kFp8Piece];
      held[k].get(x);
      if (column < p.cols)
        store_vector<u8>(p.codes, begin + column, codes_of<C>(x, scale.multiplier, p, begin + column),
                         static_cast<int>(min_of<i64>(kFp8Piece, p.cols - column)), codes_aligned);
    }
#pragma unroll 1
    for (i64 column = thread_index() * kFp8Piece + kHeld * step; column < p.cols; column += step) {
      const int count = static_cast<int>(min_of<i64>(kFp8Piece, p.cols - column));
      FloatPiece<T> piece;
      piece.load(p.x, begin + column, count, aligned);
      f32 x[kFp8Piece];
      piece.get(x);
      store_vector<u8>(p.codes, begin + column, codes_of<C>(x, scale.multiplier, p, begin + column), count, codes_aligned);
    }
  }
  add_findings(p, most, wrong, scratch);
}
