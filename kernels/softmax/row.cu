// Gradient of softmax and log-softmax along aligned rows that a warp or less, or a block, holds in registers. README.md defines the words.
//
// Computes: dinput, see softmax_gradient in softmax/terms.cuh.
// Work split: p.group threads take ADJ_ROWS rows at a time, a grid apart.
// Memory: both operands are read once, dinput is written once.
// Order of additions: a thread its vectors in order, then a tree over lanes, then the warps in order; it depends on the extent alone.
// Limits: aligned rows of up to 512 * 4 vectors; the plan checks them.
//
// Macros: ADJ_T element type, ADJ_LOG log-softmax, ADJ_VECTORS vectors of a row per thread, ADJ_ROWS rows of a thread at a time: more than one only
// where a warp or less has a row.
#include "softmax/params.h"
#include "prelude/reduce.cuh"
#include "softmax/terms.cuh"

typedef Acc<ADJ_T> A;

constexpr int kBlock = 512;  // most threads of a block
constexpr int kVectors = ADJ_VECTORS, kRows = ADJ_ROWS, kVector = kVec16<ADJ_T>;

// Blocks of a multiprocessor: with more, registers would not hold the rows.
constexpr int kResident = sizeof(ADJ_T) == 8 || (ADJ_BOUNDS_ARCH < 90 && ADJ_ROWS > 1) ? 1 : 2;

extern "C" __global__ void __launch_bounds__(kBlock, kResident) ADJ_ENTRY(const __grid_constant__ SoftmaxBackwardParams p) {
  ADJ_SHARED(A, scratch, kBlock / kWarp);
  const int vectors = static_cast<int>(p.extent) / kVector, lanes = p.group;
  const bool alone = kRows == 1 && lanes > kWarp;  // the whole block takes one row
  const int lane = alone ? thread_index() : thread_index() & (lanes - 1);
  const int own = alone ? 0 : thread_index() >> lowest_bit(lanes), side_by_side = alone ? 1 : block_threads() >> lowest_bit(lanes);
  for (i64 first = block_index() * side_by_side * kRows; first < p.outer; first += grid_blocks() * side_by_side * kRows) {
    const int rows = static_cast<int>(min_of<i64>(p.outer - first, side_by_side * kRows)) - own;  // rows of the block from this thread's first on
    const i64 begin = (first + own) * vectors + lane;
    auto place = [&](int r, int k) { return begin + (r * side_by_side * vectors + k * lanes); };
    auto valid = [&](int r, int k) { return r * side_by_side < rows && lane + k * lanes < vectors; };
    auto load = [&](Words4(&v)[kRows][kVectors], const void* tensor) {
#pragma unroll
      for (int r = 0; r < kRows; ++r)
#pragma unroll
        for (int k = 0; k < kVectors; ++k) {
          v[r][k] = {};
          if (valid(r, k)) v[r][k] = load_words(static_cast<const Words4*>(tensor) + place(r, k));
        }
    };
    Words4 dout[kRows][kVectors], out[kRows][kVectors];
    load(out, p.out);
    load(dout, p.dout);
    A sum[kRows];
#pragma unroll
    for (int r = 0; r < kRows; ++r) {
      sum[r] = 0;
#pragma unroll
      for (int k = 0; k < kVectors; ++k) sum[r] += add_vector<ADJ_LOG, ADJ_T>(A(0), dout[r][k], out[r][k]);
    }
#pragma unroll 1
    for (int mask = min_of(lanes, kWarp) / 2; mask > 0; mask /= 2)
#pragma unroll
      for (int r = 0; r < kRows; ++r) sum[r] += shuffle_xor(sum[r], mask);
    if (alone) sum[0] = sum_of_warps(sum[0], scratch);
#pragma unroll
    for (int r = 0; r < kRows; ++r)
#pragma unroll
      for (int k = 0; k < kVectors; ++k) {
        forget_unpacked(dout[r][k]);
        forget_unpacked(out[r][k]);
        const Words4 gradient = gradient_vector<ADJ_LOG, ADJ_T>(dout[r][k], out[r][k], sum[r]);
        if (valid(r, k)) store_words(static_cast<Words4*>(p.dinput) + place(r, k), gradient);
      }
    if (alone) block_barrier();
  }
}
