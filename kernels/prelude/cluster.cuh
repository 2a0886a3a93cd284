// Clusters of blocks that access each other's shared memory; sm_90 and later.
#pragma once

#include "prelude/reduce.cuh"

#if defined(ADJ_SIMT)

__device__ __forceinline__ int cluster_rank() { return static_cast<int>(simt::cluster_rank()); }
__device__ __forceinline__ int cluster_blocks() { return static_cast<int>(simt::cluster_blocks()); }
__device__ __forceinline__ i64 cluster_index() { return block_index() / cluster_blocks(); }
__device__ __forceinline__ i64 grid_clusters() { return grid_blocks() / cluster_blocks(); }
__device__ __forceinline__ void cluster_barrier() { simt::cluster_barrier(); }
template <class T> __device__ __forceinline__ T load_from_block(const T* p, int rank) {
  return *static_cast<const T*>(simt::map_shared(p, static_cast<unsigned>(rank)));
}
template <class T> __device__ __forceinline__ void store_to_block(T* p, int rank, T v) {
  *static_cast<T*>(simt::map_shared(p, static_cast<unsigned>(rank))) = v;
}

#else

__device__ __forceinline__ int cluster_rank() {
  u32 r;
  asm("mov.u32 %0, %%cluster_ctarank;" : "=r"(r));
  return static_cast<int>(r);
}
__device__ __forceinline__ int cluster_blocks() {
  u32 n;
  asm("mov.u32 %0, %%cluster_nctarank;" : "=r"(n));
  return static_cast<int>(n);
}
__device__ __forceinline__ i64 cluster_index() {
  u32 i;
  asm("mov.u32 %0, %%clusterid.x;" : "=r"(i));
  return i;
}
__device__ __forceinline__ i64 grid_clusters() {
  u32 n;
  asm("mov.u32 %0, %%nclusterid.x;" : "=r"(n));
  return n;
}
// Barrier of all threads of all blocks of the cluster. Writes to shared memory before it are visible after it.
__device__ __forceinline__ void cluster_barrier() {
  asm volatile("barrier.cluster.arrive.release.aligned;\n\tbarrier.cluster.wait.acquire.aligned;" : : : "memory");
}
// Returns the address of the same variable in the shared memory of block `rank`. That block must have begun, and must not have ended, when
// the variable is accessed.
__device__ __forceinline__ u32 shared_of_block(const void* p, int rank) {
  u32 mapped;
  asm("mapa.shared::cluster.u32 %0, %1, %2;" : "=r"(mapped) : "r"(static_cast<u32>(__cvta_generic_to_shared(p))), "r"(rank));
  return mapped;
}
__device__ __forceinline__ f32 load_from_block(const f32* p, int rank) {
  f32 v;
  asm volatile("ld.shared::cluster.f32 %0, [%1];" : "=f"(v) : "r"(shared_of_block(p, rank)));
  return v;
}
__device__ __forceinline__ f64 load_from_block(const f64* p, int rank) {
  f64 v;
  asm volatile("ld.shared::cluster.f64 %0, [%1];" : "=d"(v) : "r"(shared_of_block(p, rank)));
  return v;
}
__device__ __forceinline__ u32 load_from_block(const u32* p, int rank) {
  u32 v;
  asm volatile("ld.shared::cluster.u32 %0, [%1];" : "=r"(v) : "r"(shared_of_block(p, rank)));
  return v;
}
__device__ __forceinline__ void store_to_block(u32* p, int rank, u32 v) {
  asm volatile("st.shared::cluster.u32 [%0], %1;" : : "r"(shared_of_block(p, rank)), "r"(v) : "memory");
}
__device__ __forceinline__ void store_to_block(f32* p, int rank, f32 v) {
  asm volatile("st.shared::cluster.f32 [%0], %1;" : : "r"(shared_of_block(p, rank)), "f"(v) : "memory");
}
__device__ __forceinline__ void store_to_block(f64* p, int rank, f64 v) {
  asm volatile("st.shared::cluster.f64 [%0], %1;" : : "r"(shared_of_block(p, rank)), "d"(v) : "memory");
}

#endif

// Returns the sum of v over the warps of the cluster, in every thread; all lanes of a warp pass the same v. `parts`, one T for each warp of a
// block, may be reused after the next cluster barrier.
template <int warps, class T> __device__ __forceinline__ T cluster_sum_of_warps(T v, T (&parts)[warps]) {
  if (lane_index() == 0) parts[warp_index()] = v;
  cluster_barrier();
  T total = 0;
#pragma unroll 1
  for (int i = lane_index(); i < warps * cluster_blocks(); i += kWarp) total += load_from_block(parts + i % warps, i / warps);
  return warp_sum(total);
}

// Makes each number of v its sum over the threads of the cluster. A warp stores its sums to every block, so nobody reads the memory of another block, which may
// end. All blocks have begun. parts: for each number, one T for each warp of the cluster; they are written once.
template <int N, class T> __device__ __forceinline__ void sums_to_all_blocks(T (&v)[N], T* parts) {
  const int warps = block_warps(), all = warps * cluster_blocks(), own = cluster_rank() * warps + warp_index();
#pragma unroll
  for (int i = 0; i < N; ++i) {
    v[i] = warp_sum(v[i]);
    if (lane_index() < cluster_blocks()) store_to_block(parts + i * all + own, lane_index(), v[i]);
  }
  cluster_barrier();
#pragma unroll
  for (int i = 0; i < N; ++i) {
    T total = 0;
#pragma unroll 1
    for (int w = lane_index(); w < all; w += kWarp) total += parts[i * all + w];
    v[i] = warp_sum(total);
  }
}
