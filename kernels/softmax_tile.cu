// Gradient of softmax and log-softmax along an axis that is not the last: a block, or a cluster of blocks, holds the whole axis
// for a tile of 128 contiguous bytes in registers. Both operands are
// read once, unless units do not begin on 16-byte boundaries.
//
// Macros: ADJ_T element type, ADJ_LOG log-softmax, ADJ_UNITS 16-byte units per thread, ADJ_CLUSTER a cluster of blocks shares
// the axis, ADJ_PARKED `out` waits in shared memory instead of registers.
#include "params/softmax.h"
#include "prelude/reduce.cuh"
#include "prelude/softmax.cuh"
#if ADJ_CLUSTER
#include "prelude/cluster.cuh"
#endif

typedef Acc<ADJ_T> A;

constexpr int kBlock = 512;  // at most
constexpr int kUnits = ADJ_UNITS;
constexpr int kUnit = kVec16<ADJ_T>;
constexpr int kAcross = 8;                // threads side by side
constexpr int kSpan = kAcross * kUnit;    // columns of a tile

struct Shared {
  A parts[kBlock / kWarp][kSpan];
  A block[kSpan], total[kSpan];
};

// Sums of each column of the tile, from partial sums of kUnit columns per thread; every thread gets those of its columns.
__device__ __forceinline__ void sum_columns(A (&s)[kUnit], Shared& shared) {
#pragma unroll
  for (int mask = kAcross; mask < kWarp; mask *= 2)
#pragma unroll
    for (int j = 0; j < kUnit; ++j) s[j] += shuffle_xor(s[j], mask);
  const int t = thread_index(), x = t & (kAcross - 1);
  if (lane_index() < kAcross) {
#pragma unroll
    for (int j = 0; j < kUnit; ++j) shared.parts[warp_index()][x * kUnit + j] = s[j];
  }
  block_barrier();
  A* result = ADJ_CLUSTER ? shared.block : shared.total;
  for (int c = t; c < kSpan; c += block_threads()) {
    A sum = 0;
    for (int w = 0; w < block_warps(); ++w) sum += shared.parts[w][c];
    result[c] = sum;
  }
#if ADJ_CLUSTER
  cluster_barrier();
  for (int c = t; c < kSpan; c += block_threads()) {
    A sum = 0;
    for (int r = 0; r < cluster_blocks(); ++r) sum += shared_of_block(shared.block, r)[c];
    shared.total[c] = sum;
  }
#endif
  block_barrier();
#pragma unroll
  for (int j = 0; j < kUnit; ++j) s[j] = shared.total[x * kUnit + j];
}

template <bool whole> __device__ __forceinline__ void process(const SoftmaxBackwardParams& p, Shared& shared, Words4* parked) {
#if ADJ_CLUSTER
  const int blocks = cluster_blocks(), rank = cluster_rank();
#else
  const int blocks = 1, rank = 0;
#endif
  const int x = thread_index() & (kAcross - 1);
  const int depth = block_threads() / kAcross * blocks;
  const int y = rank * (block_threads() / kAcross) + thread_index() / kAcross;
  const int extent = static_cast<int>(p.extent);
  const i64 across = (p.inner + kSpan - 1) / kSpan;
  const i64 tiles = p.outer * across;
  for (i64 tile = block_index() / blocks; tile < tiles; tile += grid_blocks() / blocks) {
    const i64 n = tile / across;
    const i64 column = (tile - n * across) * kSpan + x * kUnit;
    const i64 base = (n * extent + y) * p.inner + column;
    const int columns = static_cast<int>(min_of<i64>(kUnit, max_of<i64>(p.inner - column, 0)));
    const i64 step = depth * p.inner;
    const int limit = columns > 0 ? extent : 0;  // rows of this thread: y, y + depth, ... below it
    const ADJ_T* dout_at = static_cast<const ADJ_T*>(p.dout) + base;
    const ADJ_T* out_at = static_cast<const ADJ_T*>(p.out) + base;
    ADJ_T* dinput_at = static_cast<ADJ_T*>(p.dinput) + base;
    A sum[kUnit] = {};
    auto add = [&](Words4 dout, Words4 out) {
      const Vec<ADJ_T, kUnit> d = unpack<ADJ_T>(dout), o = unpack<ADJ_T>(out);
#pragma unroll
      for (int j = 0; j < kUnit; ++j) sum[j] = add_term<ADJ_LOG>(sum[j], to_acc(d.at[j]), to_acc(o.at[j]));
    };
    auto gradient = [&](Words4 dout, Words4 out) {
      const Vec<ADJ_T, kUnit> d = unpack<ADJ_T>(dout), o = unpack<ADJ_T>(out);
      Vec<ADJ_T, kUnit> g;
#pragma unroll
      for (int j = 0; j < kUnit; ++j) g.at[j] = from_acc<ADJ_T>(softmax_gradient<ADJ_LOG>(to_acc(d.at[j]), to_acc(o.at[j]), sum[j]));
      return pack<ADJ_T>(g);
    };
    if (whole) {
      auto read = [&](const ADJ_T* from, Words4 (&v)[kUnits]) {
#pragma unroll
        for (int k = 0; k < kUnits; ++k) {
          v[k] = {};
          if (y + k * depth < limit) v[k] = load_streaming(reinterpret_cast<const Words4*>(from));
          from += step;
        }
      };
      Words4 dout[kUnits], out[kUnits];
#if ADJ_PARKED
      // A thread reads back only what it has put there itself.
#pragma unroll
      for (int k = 0; k < kUnits; ++k) {
        Words4* place = parked + (k * block_threads() + thread_index());
        if (y + k * depth < limit) copy_async(place, reinterpret_cast<const Words4*>(out_at));
        else *place = {};
        out_at += step;
      }
#else
      read(out_at, out);
#endif
      read(dout_at, dout);
      if (ADJ_PARKED) await_copies();
      auto out_unit = [&](int k) { return ADJ_PARKED ? parked[k * block_threads() + thread_index()] : out[k]; };
#pragma unroll
      for (int k = 0; k < kUnits; ++k) add(dout[k], out_unit(k));
      sum_columns(sum, shared);
#pragma unroll
      for (int k = 0; k < kUnits; ++k) {
        forget_unpacked(dout[k]);
        if (!ADJ_PARKED) forget_unpacked(out[k]);
        if (y + k * depth < limit) store_streaming(reinterpret_cast<Words4*>(dinput_at), gradient(dout[k], out_unit(k)));
        dinput_at += step;
      }
    } else {
      // Read twice, the second time from a cache, with few registers; the additions are the same.
#pragma unroll 1
      for (int d = y; d < limit; d += depth, dout_at += step, out_at += step) add(read_elements(dout_at, columns), read_elements(out_at, columns));
      sum_columns(sum, shared);
      dout_at = static_cast<const ADJ_T*>(p.dout) + base;
      out_at = static_cast<const ADJ_T*>(p.out) + base;
#pragma unroll 1
      for (int d = y; d < limit; d += depth, dout_at += step, out_at += step, dinput_at += step)
        write_elements(dinput_at, gradient(read_elements(dout_at, columns), read_elements(out_at, columns)), 0, columns);
    }
#if ADJ_CLUSTER
    cluster_barrier();
#else
    block_barrier();
#endif
  }
}

extern "C" __global__ void __launch_bounds__(kBlock, ADJ_PARKED || sizeof(ADJ_T) == 8 ? 1 : 2) ADJ_ENTRY(const __grid_constant__ SoftmaxBackwardParams p) {
  ADJ_SHARED(Shared, shared, 1);
#if ADJ_PARKED
  ADJ_DYNAMIC_SHARED(memory);
  Words4* parked = reinterpret_cast<Words4*>(memory);
#else
  Words4* parked = nullptr;
#endif
  const bool whole = p.inner % kUnit == 0 && aligned16(p.dout) && aligned16(p.out) && aligned16(p.dinput);
  if (whole) process<true>(p, shared[0], parked);
  else process<false>(p, shared[0], parked);
}
