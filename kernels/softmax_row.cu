// Gradient of softmax and log-softmax along contiguous rows that a warp or less, or a block, holds in registers: both operands
// are read once, unless rows do not begin on 16-byte boundaries.
//
// Macros: ADJ_T element type, ADJ_LOG log-softmax, ADJ_UNITS 16-byte units of a row per thread, ADJ_ROWS rows of a thread at a
// time.
#include "params/softmax.h"
#include "prelude/reduce.cuh"
#include "prelude/softmax.cuh"

typedef Acc<ADJ_T> A;

constexpr int kBlock = 512;  // at most
constexpr int kUnits = ADJ_UNITS, kRows = ADJ_ROWS, kUnit = kVec16<ADJ_T>;

template <bool whole> __device__ __forceinline__ void process(const SoftmaxBackwardParams& p, A* scratch) {
  const int count = static_cast<int>(p.extent);
  const int lanes = p.group;
  const int lane = lanes > kWarp ? thread_index() : thread_index() & (lanes - 1);
  const int side_by_side = lanes > kWarp ? 1 : block_threads() / lanes;
  const int own = lanes > kWarp ? 0 : thread_index() / lanes;
  const int run = min_of(lanes, kWarp);
  auto barrier_of_row = [&] {
    if (lanes > kWarp) block_barrier();
    else warp_barrier();
  };
  const i64 tiles = (p.outer + side_by_side * kRows - 1) / (side_by_side * kRows);
  for (i64 tile = block_index(); tile < tiles; tile += grid_blocks()) {
    const i64 row = tile * side_by_side * kRows + own;
    auto elements = [&](int r) { return row + r * side_by_side < p.outer ? count : 0; };
    auto begin = [&](int r) { return elements(r) ? (row + r * side_by_side) * count : 0; };
    auto reduce = [&](A sum, int r) {
      if (lanes > kWarp) return block_sum(sum, scratch + r * (kBlock / kWarp));
      for (int mask = lanes / 2; mask > 0; mask /= 2) sum += shuffle_xor(sum, mask);
      return sum;
    };
    if (whole) {
      Words4 dout[kRows][kUnits], out[kRows][kUnits];
#pragma unroll
      for (int r = 0; r < kRows; ++r) read_units<true>(out[r], static_cast<const ADJ_T*>(p.out) + begin(r), elements(r), lane, lanes);
#pragma unroll
      for (int r = 0; r < kRows; ++r) read_units<true>(dout[r], static_cast<const ADJ_T*>(p.dout) + begin(r), elements(r), lane, lanes);
      A sum[kRows];
#pragma unroll
      for (int r = 0; r < kRows; ++r) {
        sum[r] = 0;
#pragma unroll
        for (int k = 0; k < kUnits; ++k) sum[r] += add_unit<ADJ_LOG, ADJ_T>(A(0), dout[r][k], out[r][k]);
      }
#pragma unroll
      for (int r = 0; r < kRows; ++r) sum[r] = reduce(sum[r], r);
#pragma unroll
      for (int r = 0; r < kRows; ++r) {
#pragma unroll
        for (int k = 0; k < kUnits; ++k) {
          forget_unpacked(dout[r][k]);
          forget_unpacked(out[r][k]);
          dout[r][k] = gradient_unit<ADJ_LOG, ADJ_T>(dout[r][k], out[r][k], sum[r]);
        }
        write_units<true>(dout[r], static_cast<ADJ_T*>(p.dinput) + begin(r), elements(r), lane, lanes, run);
      }
    } else {
#pragma unroll 1
      for (int r = 0; r < kRows; ++r)
        gradient_of_any_row<ADJ_LOG, ADJ_T, kUnits, kUnits == 1 ? 1 : 2>(
            static_cast<const ADJ_T*>(p.dout) + begin(r), static_cast<const ADJ_T*>(p.out) + begin(r), static_cast<ADJ_T*>(p.dinput) + begin(r),
            elements(r), lane, lanes, run, [&](A sum) { return reduce(sum, r); }, barrier_of_row);
    }
    barrier_of_row();
  }
}

// Blocks of a multiprocessor: as many as leave the registers that the variant needs.
constexpr int kResident = sizeof(ADJ_T) == 8 || (ADJ_ARCH < 90 && ADJ_ROWS > 1) ? 1 : 2;

extern "C" __global__ void __launch_bounds__(kBlock, kResident) ADJ_ENTRY(const __grid_constant__ SoftmaxBackwardParams p) {
  ADJ_SHARED(A, scratch, kRows * (kBlock / kWarp));
  const bool whole = p.extent % kUnit == 0 && aligned16(p.dout) && aligned16(p.out) && aligned16(p.dinput);
  if (whole) process<true>(p, scratch);
  else process<false>(p, scratch);
}
