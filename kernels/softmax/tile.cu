// Gradient of softmax and log-softmax along an axis that is not the last. README.md defines the words.
//
// Computes: dinput, see softmax_gradient in softmax/terms.cuh.
// Work split: a block, or with ADJ_CLUSTER a cluster, takes a tile, the whole axis of 128 contiguous bytes. Eight threads lie side by side across
// the tile; each takes every `depth`-th element along the axis.
// Memory: both operands are read once into registers; with ADJ_VECTORS=0 twice, the second time from a cache. dinput is written once.
// Order of additions: a thread its elements in order, then a tree over lanes, then warps, then blocks in order; it depends on the extent alone.
// Limits: extent of up to 64 * ADJ_VECTORS for a block, kMostCluster times that for a cluster; tiles below 2^31 / kMostCluster; the plan checks them.
//
// Macros: ADJ_T element type; ADJ_LOG log-softmax; ADJ_VECTORS vectors per thread, 0 for any number of vectors that begin anywhere; ADJ_CLUSTER a
// cluster of blocks shares the axis (sm_90 and later); ADJ_PARKED out is parked.
#include "softmax/params.h"
#include "prelude/reduce.cuh"
#include "softmax/terms.cuh"
#if ADJ_CLUSTER
#include "prelude/cluster.cuh"
#endif

typedef Acc<ADJ_T> A;

constexpr int kBlock = 512;  // most threads of a block
constexpr int kVectors = ADJ_VECTORS;
constexpr int kVector = kVec16<ADJ_T>;
constexpr int kAcross = 8;                // threads side by side across a tile
constexpr int kSpan = kAcross * kVector;    // columns of a tile

// Numbers for the columns of a thread.
struct alignas(16) Columns {
  A at[kVector];
};
struct Shared {
  Columns parts[kBlock / kWarp][kAcross];
#if ADJ_CLUSTER
  A blocks[kMostCluster][kSpan];  // sums of every block of the cluster
#endif
  Columns total[kAcross];
};

// Replaces a thread's partial sums of its kVector columns by the sums of these columns over the whole tile.
__device__ __forceinline__ void sum_columns(Columns& s, Shared& shared) {
#pragma unroll 1
  for (int mask = kAcross; mask < kWarp; mask *= 2)
#pragma unroll
    for (int j = 0; j < kVector; ++j) s.at[j] += shuffle_xor(s.at[j], mask);
  const int t = thread_index(), x = t & (kAcross - 1);
  if (lane_index() < kAcross) shared.parts[warp_index()][x] = s;
  block_barrier();
  A* const total = shared.total[0].at;
#pragma unroll 1
  for (int c = t; c < kSpan; c += block_threads()) {
    const A sum = sum_in_order<A>(block_warps(), [&](int w) { return shared.parts[w][0].at[c]; });
#if ADJ_CLUSTER
    // Stored to all blocks of the cluster, so that none needs the memory of another later, when that one may have ended.
#pragma unroll 1
    for (int r = 0; r < cluster_blocks(); ++r) store_to_block(shared.blocks[cluster_rank()] + c, r, sum);
#else
    total[c] = sum;
#endif
  }
#if ADJ_CLUSTER
  cluster_barrier();
#pragma unroll 1
  for (int c = t; c < kSpan; c += block_threads()) total[c] = sum_in_order<A>(cluster_blocks(), [&](int r) { return shared.blocks[r][c]; });
#endif
  block_barrier();
  s = shared.total[x];
}

__device__ __forceinline__ void add(Columns& sum, Words4 dout, Words4 out) {
  A d[kVector], o[kVector];
  widen<ADJ_T>(dout, d);
  widen<ADJ_T>(out, o);
#pragma unroll
  for (int j = 0; j < kVector; ++j) sum.at[j] = add_term<ADJ_LOG>(sum.at[j], d[j], o[j]);
}
__device__ __forceinline__ Words4 gradient(const Columns& sum, Words4 dout, Words4 out) {
  A d[kVector], o[kVector];
  widen<ADJ_T>(dout, d);
  widen<ADJ_T>(out, o);
#pragma unroll
  for (int j = 0; j < kVector; ++j) d[j] = softmax_gradient<ADJ_LOG>(d[j], o[j], sum.at[j]);
  return narrow<ADJ_T>(d);
}

// Blocks of a multiprocessor: as many as leave the registers that the program needs on each architecture.
constexpr int kResident = sizeof(ADJ_T) == 8 || (ADJ_PARKED && (!ADJ_CLUSTER || (ADJ_BOUNDS_ARCH > 90 && ADJ_BOUNDS_ARCH < 120))) ? 1 : 2;

extern "C" __global__ void __launch_bounds__(kBlock, kResident) ADJ_ENTRY(const __grid_constant__ SoftmaxBackwardParams p) {
  ADJ_SHARED(Shared, shared, 1);
#if ADJ_PARKED
  ADJ_DYNAMIC_SHARED(memory);
  Words4* const parked = reinterpret_cast<Words4*>(memory) + thread_index();  // a thread reads only the vectors that it has copied itself
#endif
#if ADJ_CLUSTER
  const int blocks = cluster_blocks(), rank = cluster_rank();
  const u32 tile = static_cast<u32>(cluster_index());
#else
  const int blocks = 1, rank = 0;
  const u32 tile = static_cast<u32>(block_index());
#endif
  const int x = thread_index() & (kAcross - 1);
  const int depth = block_threads() / kAcross * blocks;
  const int y = rank * (block_threads() / kAcross) + thread_index() / kAcross;
  const int extent = static_cast<int>(p.extent);
  const i64 down = depth * p.inner * static_cast<int>(sizeof(ADJ_T));  // bytes between a thread's elements y, y + depth, ... of the axis
  const u32 across = static_cast<u32>((p.inner + kSpan - 1) / kSpan);  // tiles of one outer index; 31 bits hold the number of all tiles
  const u32 n = tile / across;
  const i64 column = static_cast<i64>(tile - n * across) * kSpan + x * kVector;
  const int columns = static_cast<int>(min_of<i64>(kVector, p.inner - column));
  const int vectors = columns > 0 && y < extent ? static_cast<int>(static_cast<u32>(extent - y + depth - 1) / static_cast<u32>(depth)) : 0;
  const i64 begin = ((static_cast<i64>(n) * extent + y) * p.inner + column) * static_cast<int>(sizeof(ADJ_T));
  Columns sum = {};
#if ADJ_VECTORS
  Words4 dout[kVectors];
  const u8 *from_dout = static_cast<const u8*>(p.dout) + begin, *from_out = static_cast<const u8*>(p.out) + begin;
#if ADJ_PARKED
#pragma unroll 1
  for (int k = 0; k < vectors; ++k, from_out += down) copy16_to_shared(parked + k * block_threads(), reinterpret_cast<const Words4*>(from_out));
#else
  Words4 out[kVectors];
#pragma unroll
  for (int k = 0; k < kVectors; ++k, from_out += down)
    if (k < vectors) out[k] = load_words(reinterpret_cast<const Words4*>(from_out));
#endif
#pragma unroll
  for (int k = 0; k < kVectors; ++k, from_dout += down)
    if (k < vectors) dout[k] = load_words(reinterpret_cast<const Words4*>(from_dout));
#if ADJ_PARKED
  warp_barrier();  // keeps the compiler from moving loads of dout behind the wait for the copies
#if ADJ_CLUSTER
  cluster_barrier();  // while the copies are in flight: all blocks have begun, so others may store to them
#endif
  wait_copies_to_shared();
#endif
  i64 to = begin - kVectors * down;  // moves on in both passes, so that the second one writes from `begin` on
#pragma unroll 1
  for (int pass = 0; pass < 2; ++pass) {
    // A loop over four vectors at a time, so that the code for four serves eight.
#pragma unroll 1
    for (int done = 0; done < kVectors; done += 4) {
#pragma unroll
      for (int k = 0; k < 4; ++k, to += down) {
        if (done + k >= vectors) continue;
        Words4 own_dout = dout[k];
#if ADJ_PARKED
        Words4 own_out = parked[(done + k) * block_threads()];
#else
        Words4 own_out = out[k];
#endif
        if (kVectors > 4 && done) own_dout = dout[kVectors - 4 + k];
        forget_unpacked(own_dout);
        forget_unpacked(own_out);
        if (pass == 0) add(sum, own_dout, own_out);
        else store_words(reinterpret_cast<Words4*>(static_cast<u8*>(p.dinput) + to), gradient(sum, own_dout, own_out));
      }
    }
    if (pass == 0) sum_columns(sum, shared[0]);
  }
#else
#if ADJ_CLUSTER
  cluster_barrier();
#endif
#pragma unroll 1
  for (int pass = 0; pass < 2; ++pass) {
    i64 at = begin;
#pragma unroll 1
    for (int k = 0; k < vectors; ++k, at += down) {
      const Words4 dout = read_elements(reinterpret_cast<const ADJ_T*>(static_cast<const u8*>(p.dout) + at), columns);
      const Words4 out = read_elements(reinterpret_cast<const ADJ_T*>(static_cast<const u8*>(p.out) + at), columns);
      if (pass == 0) add(sum, dout, out);
      else write_elements(reinterpret_cast<ADJ_T*>(static_cast<u8*>(p.dinput) + at), gradient(sum, dout, out), 0, columns);
    }
    if (pass == 0) sum_columns(sum, shared[0]);
  }
#endif
}
