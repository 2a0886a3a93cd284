// Gradient of softmax and log-softmax along contiguous rows that stay in registers: both operands are read
// once, unless rows do not begin on 16-byte boundaries.
//
// Macros: ADJ_T element type, ADJ_LOG log-softmax, ADJ_UNITS 16-byte units of a row per thread, ADJ_ROWS rows of a thread at a
// time, ADJ_CLUSTER a cluster of blocks shares a row, ADJ_PARKED `out` waits in shared memory instead of registers.
#include "params/softmax.h"
#include "prelude/reduce.cuh"
#include "prelude/softmax.cuh"
#if ADJ_CLUSTER
#include "prelude/cluster.cuh"
#endif

typedef Acc<ADJ_T> A;

constexpr int kBlock = 512;  // at most
constexpr int kUnits = ADJ_UNITS, kRows = ADJ_ROWS, kUnit = kVec16<ADJ_T>;

#if ADJ_CLUSTER
// Every thread of the cluster gets the sum; `parts` holds one entry per warp and may be reused after the next cluster barrier.
__device__ __forceinline__ A cluster_sum(A v, A* parts) {
  v = warp_sum(v);
  if (lane_index() == 0) parts[warp_index()] = v;
  cluster_barrier();
  const int warps = block_warps();
  A total = 0;
  for (int i = lane_index(); i < warps * cluster_blocks(); i += kWarp) total += shared_of_block(parts, i / warps)[i % warps];
  return warp_sum(total);
}
#endif

template <bool whole> __device__ __forceinline__ void process(const SoftmaxBackwardParams& p, A* scratch, Words4* parked) {
  const int count = static_cast<int>(p.extent);
#if ADJ_CLUSTER
  const int lanes = block_threads() * cluster_blocks();
  const int lane = cluster_rank() * block_threads() + thread_index();
  const i64 first = block_index() / cluster_blocks(), step = grid_blocks() / cluster_blocks();
  const int side_by_side = 1, own = 0;
#else
  const int lanes = p.group;
  const int lane = lanes > kWarp ? thread_index() : thread_index() & (lanes - 1);
  const i64 first = block_index(), step = grid_blocks();
  const int side_by_side = lanes > kWarp ? 1 : block_threads() / lanes;
  const int own = lanes > kWarp ? 0 : thread_index() / lanes;
#endif
  const int run = min_of(lanes, kWarp);
  auto barrier_of_row = [&] {
#if ADJ_CLUSTER
    cluster_barrier();
#else
    if (lanes > kWarp) block_barrier();
    else warp_barrier();
#endif
  };
  const i64 tiles = (p.outer + side_by_side * kRows - 1) / (side_by_side * kRows);
  for (i64 tile = first; tile < tiles; tile += step) {
    const i64 row = tile * side_by_side * kRows + own;
    auto elements = [&](int r) { return row + r * side_by_side < p.outer ? count : 0; };
    auto begin = [&](int r) { return elements(r) ? (row + r * side_by_side) * count : 0; };
    auto reduce = [&](A sum, int r) {
#if ADJ_CLUSTER
      return cluster_sum(sum, scratch);
#else
      if (lanes > kWarp) return block_sum(sum, scratch + r * (kBlock / kWarp));
      for (int mask = lanes / 2; mask > 0; mask /= 2) sum += shuffle_xor(sum, mask);
      return sum;
#endif
    };
    if (whole) {
      Words4 dout[kRows][kUnits], out[kRows][kUnits];
#if ADJ_PARKED
      // A thread reads back only what it has put there itself.
      const Words4* out_row = reinterpret_cast<const Words4*>(static_cast<const ADJ_T*>(p.out) + begin(0));
#pragma unroll
      for (int k = 0; k < kUnits; ++k) {
        const int u = lane + k * lanes;
        Words4* place = parked + (k * block_threads() + thread_index());
        if (u * kUnit < count) copy_async(place, out_row + u);
        else *place = {};
      }
#else
#pragma unroll
      for (int r = 0; r < kRows; ++r) read_units<true>(out[r], static_cast<const ADJ_T*>(p.out) + begin(r), elements(r), lane, lanes);
#endif
#pragma unroll
      for (int r = 0; r < kRows; ++r) read_units<true>(dout[r], static_cast<const ADJ_T*>(p.dout) + begin(r), elements(r), lane, lanes);
      if (ADJ_PARKED) await_copies();
      auto out_unit = [&](int r, int k) { return ADJ_PARKED ? parked[k * block_threads() + thread_index()] : out[r][k]; };
      A sum[kRows];
#pragma unroll
      for (int r = 0; r < kRows; ++r) {
        sum[r] = 0;
#pragma unroll
        for (int k = 0; k < kUnits; ++k) sum[r] += add_unit<ADJ_LOG, ADJ_T>(A(0), dout[r][k], out_unit(r, k));
      }
#pragma unroll
      for (int r = 0; r < kRows; ++r) sum[r] = reduce(sum[r], r);
#pragma unroll
      for (int r = 0; r < kRows; ++r) {
#pragma unroll
        for (int k = 0; k < kUnits; ++k) {
          forget_unpacked(dout[r][k]);
          if (!ADJ_PARKED) forget_unpacked(out[r][k]);
          dout[r][k] = gradient_unit<ADJ_LOG, ADJ_T>(dout[r][k], out_unit(r, k), sum[r]);
        }
        write_units<true>(dout[r], static_cast<ADJ_T*>(p.dinput) + begin(r), elements(r), lane, lanes, run);
      }
    } else {
      // Read twice, the second time from a cache, with few registers; the additions are the same.
#pragma unroll 1
      for (int r = 0; r < kRows; ++r) {
        constexpr int kTogether = kUnits == 1 || ADJ_PARKED ? 1 : 2;
        // Units that the lanes read at a time are a row of their own: pieces shared with the next ones are not read.
        auto part = [&](int k) { return min_of(elements(r) - k * lanes * kUnit, kTogether * lanes * kUnit); };
        auto read = [&](Words4 (&v)[kTogether], const void* tensor, int k) {
          read_units<false>(v, static_cast<const ADJ_T*>(tensor) + begin(r) + k * lanes * kUnit, part(k), lane, lanes);
        };
        Words4 dout[kTogether], out[kTogether];
        A sum = 0;
#pragma unroll 1
        for (int k = 0; k < kUnits; k += kTogether) {
          read(dout, p.dout, k);
          read(out, p.out, k);
#pragma unroll
          for (int i = 0; i < kTogether; ++i) sum += add_unit<ADJ_LOG, ADJ_T>(A(0), dout[i], out[i]);
        }
        sum = reduce(sum, r);
#pragma unroll 1
        for (int k = 0; k < kUnits; k += kTogether) {
          read(dout, p.dout, k);
          read(out, p.out, k);
#pragma unroll
          for (int i = 0; i < kTogether; ++i) dout[i] = gradient_unit<ADJ_LOG, ADJ_T>(dout[i], out[i], sum);
          // Units of other threads are read in part: all of these units are read before dinput may overwrite them.
          barrier_of_row();
          write_units<false>(dout, static_cast<ADJ_T*>(p.dinput) + begin(r) + k * lanes * kUnit, part(k), lane, lanes, run);
        }
      }
    }
    barrier_of_row();
  }
}

// Blocks of a multiprocessor: as many as leave the registers that the variant needs.
constexpr int kResident = sizeof(ADJ_T) == 8 || ADJ_PARKED || (ADJ_ARCH < 90 && ADJ_ROWS == 4) ? 1 : 2;

extern "C" __global__ void __launch_bounds__(kBlock, kResident) ADJ_ENTRY(const __grid_constant__ SoftmaxBackwardParams p) {
  ADJ_SHARED(A, scratch, kRows * (kBlock / kWarp));
#if ADJ_PARKED
  ADJ_DYNAMIC_SHARED(memory);
  Words4* parked = reinterpret_cast<Words4*>(memory);
#else
  Words4* parked = nullptr;
#endif
  const bool whole = p.extent % kUnit == 0 && aligned16(p.dout) && aligned16(p.out) && aligned16(p.dinput);
  if (whole) process<true>(p, scratch, parked);
  else process<false>(p, scratch, parked);
}
