// Codes of a matrix, by pieces of its rows.
//
// Computes: include/adjoint/ops/fp8.h, quantize without transposed codes: granularity block_1x128, and granularity tensor and row with known scales.
// Work split: a thread takes kFp8Together pieces of 16 neighbours, a group of 128 is the pieces of eight lanes.
// Memory: each element once, its code once; 16 bytes at a time but where rows do not lie so.
// Order of additions: none. Maxima do not depend on order.
// Limits: none. With one scale the plan passes the matrix as one row.
//
// Macros: ADJ_T element type, ADJ_C type of codes, ADJ_STOCHASTIC 1: codes are rounded at random, ADJ_GROUPS 1 for block_1x128.
#include "fp8/codes.cuh"

typedef ADJ_T T;
typedef ADJ_C C;

extern "C" __global__ void __launch_bounds__(kFp8Block) ADJ_ENTRY(const __grid_constant__ QuantizeParams p) {
  ADJ_SHARED(f32, scratch, kFp8Block / kWarp);
  const bool aligned = aligned16(p.x) && p.cols % kVec16<T> == 0, codes_aligned = aligned16(p.codes) && p.cols % kFp8Piece == 0;
  constexpr i64 kPieces = kFp8Group / kFp8Piece;
  const i64 groups = (p.cols + kFp8Group - 1) / kFp8Group, pieces = p.rows * groups * kPieces;
  const bool small = pieces <= 0xffffffffll;
  f32 multiplier = 1;
#if !ADJ_GROUPS
  if (!p.per_row) {
    ScalePair own{1.0f, 1.0f};
    if (p.amax) own = scale_of(*p.amax, p.rule);
    else own = {*p.scale, quotient_of(1.0f, *p.scale)};
    multiplier = own.multiplier;
    if (global_thread() == 0) {
      if (p.scale_out) *p.scale_out = own.multiplier;
      if (p.inverse_out) *p.inverse_out = own.inverse;
    }
  }
#endif
  f32 amax = 0;
  u32 wrong = 0;
  constexpr i64 kTile = static_cast<i64>(kFp8Together) * kFp8Block;
#pragma unroll 1
  for (i64 tile = block_index(); tile * kTile < pieces; tile += grid_blocks()) {
    FloatPiece<T> piece[kFp8Together];
    i64 rows[kFp8Together];
    i64 columns[kFp8Together];
#pragma unroll
    for (int k = 0; k < kFp8Together; ++k) {
      const i64 number = tile * kTile + k * kFp8Block + thread_index();
      if (small) {
        const u32 row = static_cast<u32>(number) / static_cast<u32>(groups * kPieces);
        rows[k] = row;
        columns[k] = static_cast<i64>(static_cast<u32>(number) - row * static_cast<u32>(groups * kPieces)) * kFp8Piece;
      } else {
        rows[k] = number / (groups * kPieces);
        columns[k] = (number - rows[k] * groups * kPieces) * kFp8Piece;
      }
      const int count = rows[k] < p.rows ? static_cast<int>(min_of<i64>(kFp8Piece, p.cols - columns[k])) : 0;
      piece[k].load(p.x, rows[k] * p.cols + columns[k], count, aligned);
    }
#pragma unroll
    for (int k = 0; k < kFp8Together; ++k) {
      const int count = rows[k] < p.rows ? static_cast<int>(min_of<i64>(kFp8Piece, p.cols - columns[k])) : 0;
      f32 x[kFp8Piece];
      piece[k].get(x);
      if (p.error_flag) wrong += wrong_of(x);
#if ADJ_GROUPS
      const f32 own = max_of_lanes(amax_of(x), 1, static_cast<int>(kPieces));
      amax = max_number(amax, own);
      const ScalePair scale = scale_of(own, p.rule);
      multiplier = scale.multiplier;
      if (count > 0 && columns[k] % kFp8Group == 0) {
        const i64 at = rows[k] * p.places.row + columns[k] / kFp8Group * p.places.column;
        if (p.scale_out) p.scale_out[at] = scale.multiplier;
        if (p.inverse_out) p.inverse_out[at] = scale.inverse;
      }
#else
      if (p.amax_out) amax = max_number(amax, amax_of(x));
      if (p.per_row && count > 0) {
        multiplier = p.scale[rows[k]];
        if (columns[k] == 0) {
          if (p.scale_out) p.scale_out[rows[k]] = multiplier;
          if (p.inverse_out) p.inverse_out[rows[k]] = quotient_of(1.0f, multiplier);
        }
      }
#endif
      if (p.codes && count > 0) {
        const i64 at = rows[k] * p.cols + columns[k];
        store_vector<u8>(p.codes, at, codes_of<C>(x, multiplier, p, at), count, codes_aligned);
      }
    }
  }
  add_findings(p, amax, wrong, scratch);
}
