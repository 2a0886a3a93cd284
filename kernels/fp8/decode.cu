// Numbers of a matrix of codes.
//
// Computes: include/adjoint/ops/fp8.h, dequantize.
// Work split: a thread takes a piece of 16 neighbours of a row, a grid apart.
// Memory: each code and each number once; 16 bytes at a time but where rows do not lie so.
// Order of additions: none.
// Limits: none. With one scale the plan passes the matrix as one row.
//
// Macros: ADJ_T element type, ADJ_C type of codes.
#include "fp8/codes.cuh"

typedef ADJ_T T;
typedef ADJ_C C;

extern "C" __global__ void __launch_bounds__(kFp8Block) ADJ_ENTRY(const __grid_constant__ DequantizeParams p) {
  const bool aligned = aligned16(p.out) && p.cols % kVec16<T> == 0, codes_aligned = aligned16(p.codes) && p.cols % kFp8Piece == 0;
  const i64 of_row = (p.cols + kFp8Piece - 1) / kFp8Piece, pieces = p.rows * of_row;
  const bool small = pieces <= 0xffffffffll;
#pragma unroll 1
  for (i64 number = global_thread(); number < pieces; number += global_threads()) {
    const i64 row = small ? static_cast<i64>(static_cast<u32>(number) / static_cast<u32>(of_row)) : number / of_row;
    const i64 column = (number - row * of_row) * kFp8Piece, at = row * p.cols + column;
    const int count = static_cast<int>(min_of<i64>(kFp8Piece, p.cols - column));
    const Words4 codes = load_vector<u8>(p.codes, at, count, codes_aligned);
    FloatPiece<T> before;
    if (p.accumulate) before.load(p.out, at, count, aligned);
    const f32 inverse = p.inverse[(row >> p.rows_log2) * p.places.row + (column >> p.columns_log2) * p.places.column];
    const u32 words[4] = {codes.x, codes.y, codes.z, codes.w};
    f32 x[kFp8Piece];
#pragma unroll
    for (int i = 0; i < kFp8Piece / 2; ++i) {
      f8_numbers(C{}, words[i / 2] >> (i & 1) * 16 & 0xffff, x[2 * i], x[2 * i + 1]);
      x[2 * i] = rounded_product(x[2 * i], inverse);
      x[2 * i + 1] = rounded_product(x[2 * i + 1], inverse);
    }
    if (p.accumulate) {
      f32 own[kFp8Piece];
      before.get(own);
#pragma unroll
      for (int j = 0; j < kFp8Piece; ++j) x[j] = own[j] + x[j];
    }
#pragma unroll
    for (int i = 0; i < FloatPiece<T>::kWords; ++i) {
      f32 part[kVec16<T>];
#pragma unroll
      for (int j = 0; j < kVec16<T>; ++j) part[j] = x[i * kVec16<T> + j];
      const int left = count - i * kVec16<T>;
      if (left > 0) store_vector<T>(p.out, at + i * kVec16<T>, narrow<T>(part), min_of(left, kVec16<T>), aligned);
    }
  }
}
