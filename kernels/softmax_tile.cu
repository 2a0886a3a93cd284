// Gradient of softmax and log-softmax along an axis that is not the last: a block, or a cluster of blocks, holds the whole axis
// for a tile of 128 contiguous bytes in registers, so both operands are read once.
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
    const i64 base = n * extent * p.inner + column;
    const int columns = static_cast<int>(min_of<i64>(kUnit, max_of<i64>(p.inner - column, 0)));
    auto at = [&](int k) { return base + (y + k * depth) * p.inner; };
    auto inside = [&](int k) { return columns > 0 && y + k * depth < extent; };
    auto read = [&](const void* tensor, Words4 (&v)[kUnits]) {
      const ADJ_T* from = static_cast<const ADJ_T*>(tensor);
#pragma unroll
      for (int k = 0; k < kUnits; ++k) {
        v[k] = {};
        if (inside(k)) v[k] = whole ? load_streaming(reinterpret_cast<const Words4*>(from + at(k))) : read_elements(from + at(k), columns);
      }
    };
    Words4 dout[kUnits], out[kUnits];
    read(p.out, out);
#if ADJ_PARKED
    // A thread reads back only what it has put there itself.
#pragma unroll
    for (int k = 0; k < kUnits; ++k) parked[k * block_threads() + thread_index()] = out[k];
#endif
    read(p.dout, dout);
    auto out_unit = [&](int k) { return ADJ_PARKED ? parked[k * block_threads() + thread_index()] : out[k]; };
    A sum[kUnit] = {};
#pragma unroll
    for (int k = 0; k < kUnits; ++k) {
      const Vec<ADJ_T, kUnit> d = unpack<ADJ_T>(dout[k]), o = unpack<ADJ_T>(out_unit(k));
#pragma unroll
      for (int j = 0; j < kUnit; ++j) sum[j] = add_term<ADJ_LOG>(sum[j], to_acc(d.at[j]), to_acc(o.at[j]));
    }
    sum_columns(sum, shared);
    ADJ_T* to = static_cast<ADJ_T*>(p.dinput);
#pragma unroll
    for (int k = 0; k < kUnits; ++k) {
      if (!inside(k)) continue;
      const Vec<ADJ_T, kUnit> d = unpack<ADJ_T>(dout[k]), o = unpack<ADJ_T>(out_unit(k));
      Vec<ADJ_T, kUnit> g;
#pragma unroll
      for (int j = 0; j < kUnit; ++j) g.at[j] = from_acc<ADJ_T>(softmax_gradient<ADJ_LOG>(to_acc(d.at[j]), to_acc(o.at[j]), sum[j]));
      if (whole) store_streaming(reinterpret_cast<Words4*>(to + at(k)), pack<ADJ_T>(g));
      else write_elements(to + at(k), pack<ADJ_T>(g), 0, columns);
    }
#if ADJ_CLUSTER
    cluster_barrier();
#else
    block_barrier();
#endif
  }
}

extern "C" __global__ void __launch_bounds__(kBlock, 2) ADJ_ENTRY(const __grid_constant__ SoftmaxBackwardParams p) {
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
