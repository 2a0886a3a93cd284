// Gradient of softmax and log-softmax along an axis that is not the last: a block, or a cluster of blocks, holds the whole axis
// for a tile of 128 contiguous bytes in registers. Both operands are read once, unless units do not begin on 16-byte boundaries.
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
    const int columns = static_cast<int>(min_of<i64>(kUnit, max_of<i64>(p.inner - column, 0)));
    const i64 begin = (n * extent + y) * p.inner + column, step = depth * p.inner;
    const int rows = columns > 0 && y < extent ? (extent - y + depth - 1) / depth : 0;  // of this thread: y, y + depth, ...
    A sum[kUnit] = {};
    auto add = [&](Words4 dout, Words4 out) {
      A d[kUnit], o[kUnit];
      widen<ADJ_T>(dout, d);
      widen<ADJ_T>(out, o);
#pragma unroll
      for (int j = 0; j < kUnit; ++j) sum[j] = add_term<ADJ_LOG>(sum[j], d[j], o[j]);
    };
    auto gradient = [&](Words4 dout, Words4 out) {
      A d[kUnit], o[kUnit];
      widen<ADJ_T>(dout, d);
      widen<ADJ_T>(out, o);
#pragma unroll
      for (int j = 0; j < kUnit; ++j) d[j] = softmax_gradient<ADJ_LOG>(d[j], o[j], sum[j]);
      return narrow<ADJ_T>(d);
    };
    if (whole) {
      auto unit = [&](const void* tensor, int k) { return reinterpret_cast<const Words4*>(static_cast<const ADJ_T*>(tensor) + (begin + k * step)); };
      auto place = [&](int k) { return parked + (k * block_threads() + thread_index()); };
      Words4 dout[kUnits], out[kUnits];
#pragma unroll
      for (int k = 0; k < kUnits; ++k) {
        out[k] = {};
        // A thread reads back only what it has put there itself.
        if (k < rows && ADJ_PARKED) copy16_to_shared(place(k), unit(p.out, k));
        else if (k < rows) out[k] = load_words(unit(p.out, k));
      }
#pragma unroll
      for (int k = 0; k < kUnits; ++k) {
        dout[k] = {};
        if (k < rows) dout[k] = load_words(unit(p.dout, k));
      }
#if ADJ_PARKED
      warp_barrier();  // keeps the compiler from moving some of these loads behind the wait for the copies
      wait_copies_to_shared();
#endif
#pragma unroll
      for (int k = 0; k < kUnits; ++k)
        if (k < rows) add(dout[k], ADJ_PARKED ? *place(k) : out[k]);
      sum_columns(sum, shared);
#pragma unroll
      for (int k = 0; k < kUnits; ++k) {
        forget_unpacked(dout[k]);
        if (!ADJ_PARKED) forget_unpacked(out[k]);
        if (k < rows) store_streaming(const_cast<Words4*>(unit(p.dinput, k)), gradient(dout[k], ADJ_PARKED ? *place(k) : out[k]));
      }
    } else {
      // Read twice, the second time from a cache, with few registers; the additions are the same.
      auto read = [&](const void* tensor, int k) { return read_elements(static_cast<const ADJ_T*>(tensor) + (begin + k * step), columns); };
#pragma unroll 1
      for (int k = 0; k < rows; ++k) add(read(p.dout, k), read(p.out, k));
      sum_columns(sum, shared);
#pragma unroll 1
      for (int k = 0; k < rows; ++k)
        write_elements(static_cast<ADJ_T*>(p.dinput) + (begin + k * step), gradient(read(p.dout, k), read(p.out, k)), 0, columns);
    }
#if ADJ_CLUSTER
    cluster_barrier();
#else
    block_barrier();
#endif
  }
}

// Blocks of a multiprocessor: as many as leave the registers that the variant needs, on each architecture.
constexpr int kResident = sizeof(ADJ_T) == 8 || (ADJ_PARKED && (!ADJ_CLUSTER || ADJ_ARCH > 90)) ? 1 : 2;

extern "C" __global__ void __launch_bounds__(kBlock, kResident) ADJ_ENTRY(const __grid_constant__ SoftmaxBackwardParams p) {
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
