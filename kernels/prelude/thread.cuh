// Thread coordinates, barriers, warp operations, atomics.
#pragma once

#include "prelude/types.cuh"

constexpr int kWarp = 32;
constexpr u32 kAllLanes = 0xffffffffu;

__device__ __forceinline__ int thread_index() { return static_cast<int>(threadIdx.x); }
__device__ __forceinline__ int block_threads() { return static_cast<int>(blockDim.x); }
__device__ __forceinline__ i64 block_index() { return blockIdx.x; }
__device__ __forceinline__ i64 block_index_y() { return blockIdx.y; }
__device__ __forceinline__ i64 grid_blocks() { return gridDim.x; }
__device__ __forceinline__ i64 grid_blocks_y() { return gridDim.y; }
__device__ __forceinline__ i64 global_thread() { return block_index() * block_threads() + thread_index(); }
__device__ __forceinline__ i64 global_threads() { return grid_blocks() * block_threads(); }
__device__ __forceinline__ int lane_index() { return thread_index() & (kWarp - 1); }
__device__ __forceinline__ int warp_index() { return thread_index() / kWarp; }
__device__ __forceinline__ int block_warps() { return block_threads() / kWarp; }

__device__ __forceinline__ void block_barrier() { __syncthreads(); }
// Of the `threads` threads of group `group` of the block: whole warps, and at most 15 groups.
__device__ __forceinline__ void group_barrier(int group, int threads) {
#if defined(ADJ_SIMT)
  ::simt::named_barrier(group + 1, threads, true);
#else
  asm volatile("bar.sync %0, %1;" : : "r"(group + 1), "r"(threads) : "memory");
#endif
}
// Arrives at this barrier without waiting. The others of the `threads` threads wait for it.
__device__ __forceinline__ void group_arrive(int group, int threads) {
#if defined(ADJ_SIMT)
  ::simt::named_barrier(group + 1, threads, false);
#else
  asm volatile("bar.arrive %0, %1;" : : "r"(group + 1), "r"(threads) : "memory");
#endif
}

// The next four functions order launches that overlap, on sm_90 and later; on earlier architectures they do nothing. A program that a plan
// launches early (PlanBuilder::Kernel::early) begins while earlier grids still run. kernels/README.md has the rules of such a chain.

// Waits for the earlier grids. A thread must call this before it touches what those read or write. Every thread must call it before it ends,
// unless the program has begun with begin_beside_last_grids: then one thread of the grid is enough.
__device__ __forceinline__ void wait_for_earlier_grids() {
#if defined(ADJ_SIMT)
  simt::wait_for_earlier_grids();
#elif __CUDA_ARCH__ >= 900
  asm volatile("griddepcontrol.wait;" : : : "memory");
#endif
}
// Called in place of wait_for_earlier_grids, before work that does not need what the last grids write. "Last grids" reaches back to a grid G
// that waits before it lets the next begin. Results of the grids before G are there, and so is what G wrote before let_next_grid_read. At
// least one thread of the grid must still wait later, so that the grid ends after them.
// PTX promises visible results only after griddepcontrol.wait. This relies on more: a write that all blocks of G have waited for, or that lies
// before a fence of G, has reached the level-2 cache when a block of the next grid begins. ADJOINT_EARLY_LAUNCHES=0 does without.
__device__ __forceinline__ void begin_beside_last_grids() {
#if defined(ADJ_SIMT)
  simt::begin_beside_last_grids();
#elif __CUDA_ARCH__ >= 900
  __threadfence();  // drops lines of the level-1 cache that hold older values
#endif
}
// Lets the next grid begin once all blocks of this one have called this or ended.
__device__ __forceinline__ void let_next_grid_begin() {
#if defined(ADJ_SIMT)
  simt::let_next_grid_begin();
#elif __CUDA_ARCH__ >= 900
  asm volatile("griddepcontrol.launch_dependents;" : : : "memory");
#endif
}
// The same, called by all threads of a block. A next grid that begins beside this one (begin_beside_last_grids) can read what the block wrote
// before the call.
__device__ __forceinline__ void let_next_grid_read() {
#if !defined(ADJ_SIMT)
  __threadfence();
#endif
  block_barrier();
#if defined(ADJ_SIMT)
  simt::let_next_grid_read();
#else
  let_next_grid_begin();
#endif
}
__device__ __forceinline__ void warp_barrier() { __syncwarp(); }

// Warp operations: every lane of the warp takes part.
template <class T> __device__ __forceinline__ T shuffle_xor(T v, int mask) { return __shfl_xor_sync(kAllLanes, v, mask); }
template <class T> __device__ __forceinline__ T shuffle_up(T v, int delta) { return __shfl_up_sync(kAllLanes, v, delta); }
template <class T> __device__ __forceinline__ T shuffle_down(T v, int delta) { return __shfl_down_sync(kAllLanes, v, delta); }
template <class T> __device__ __forceinline__ T shuffle(T v, int lane) { return __shfl_sync(kAllLanes, v, lane); }
__device__ __forceinline__ u32 ballot(bool p) { return __ballot_sync(kAllLanes, p); }
// Returns a mask of the lanes whose lowest `bits` bits equal this lane's. The match instruction takes several times as long on an H200 where
// values differ.
__device__ __forceinline__ u32 match_bits(u32 v, int bits) {
  u32 peers = kAllLanes;
#pragma unroll 1
  for (; bits > 0; --bits, v >>= 1) {
    const u32 set = ballot(v & 1);
    peers &= v & 1 ? set : ~set;
  }
  return peers;
}
__device__ __forceinline__ u32 warp_or(u32 v) { return __reduce_or_sync(kAllLanes, v); }
__device__ __forceinline__ u32 warp_add(u32 v) { return __reduce_add_sync(kAllLanes, v); }
__device__ __forceinline__ int popcount(u32 v) { return __popc(v); }
__device__ __forceinline__ int lowest_bit(u32 v) { return __ffs(static_cast<int>(v)) - 1; }
__device__ __forceinline__ int highest_bit(u32 v) { return 31 - __clz(static_cast<int>(v)); }
__device__ __forceinline__ u32 lanes_below() { return (1u << lane_index()) - 1; }

// Integer atomics in global or shared memory; the order of arrival must never decide a floating-point result.
__device__ __forceinline__ u32 atomic_add(u32* p, u32 v) { return atomicAdd(p, v); }
__device__ __forceinline__ u64 atomic_add(u64* p, u64 v) { return atomicAdd(p, v); }
__device__ __forceinline__ void atomic_add(i64* p, i64 v) { atomicAdd(reinterpret_cast<unsigned long long*>(p), static_cast<unsigned long long>(v)); }
__device__ __forceinline__ void atomic_max(u32* p, u32 v) { atomicMax(p, v); }
__device__ __forceinline__ void atomic_max(i32* p, i32 v) { atomicMax(p, v); }
__device__ __forceinline__ void atomic_or(u32* p, u32 v) { atomicOr(p, v); }

// Makes this thread's earlier writes visible to the device before a last-block counter is raised, and orders reads after it.
__device__ __forceinline__ void device_fence() { __threadfence(); }

// Declarations of shared memory. Static arrays have a type, a name and a length; dynamic memory is one array of bytes, aligned to 16.
#if !defined(ADJ_SIMT)
#define ADJ_SHARED(T, name, count) __shared__ T name[count]
#define ADJ_DYNAMIC_SHARED(name) extern __shared__ __align__(16) unsigned char name[]
#endif
