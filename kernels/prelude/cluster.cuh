// Clusters of blocks that see each other's shared memory; sm_90 and later.
#pragma once

#include "prelude/thread.cuh"

#if defined(ADJ_SIMT)

__device__ __forceinline__ int cluster_rank() { return static_cast<int>(simt::cluster_rank()); }
__device__ __forceinline__ int cluster_blocks() { return static_cast<int>(simt::cluster_blocks()); }
__device__ __forceinline__ void cluster_barrier() { simt::cluster_barrier(); }
template <class T> __device__ __forceinline__ const T* shared_of_block(const T* p, int rank) {
  return static_cast<const T*>(simt::map_shared(p, static_cast<unsigned>(rank)));
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
// Of all threads of all blocks; what they wrote to shared memory before is seen after it.
__device__ __forceinline__ void cluster_barrier() {
  asm volatile("barrier.cluster.arrive.release.aligned;\n\tbarrier.cluster.wait.acquire.aligned;" : : : "memory");
}
// The same variable in the shared memory of another block. It must not be read after that block has ended.
template <class T> __device__ __forceinline__ const T* shared_of_block(const T* p, int rank) {
  u64 mapped;
  asm("mapa.u64 %0, %1, %2;" : "=l"(mapped) : "l"(reinterpret_cast<u64>(p)), "r"(rank));
  return reinterpret_cast<const T*>(mapped);
}

#endif
