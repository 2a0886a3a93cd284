// Floating-point atomic additions to global memory, for kernels whose guarantee allows them: the order of arrival decides the roundings. In
// f32 devices flush operands, memory contents and sums below 2^-126 in magnitude to zero; in f64 they do not.
#pragma once

#include "prelude/memory.cuh"

__device__ __forceinline__ void add_to_memory(f32* p, f32 v) {
#if defined(ADJ_SIMT)
  simt::atomic(simt::Rmw::add, p, v);
#else
  asm volatile("red.relaxed.gpu.global.add.f32 [%0], %1;" : : "l"(p), "f"(v) : "memory");
#endif
}
__device__ __forceinline__ void add_to_memory(f64* p, f64 v) {
#if defined(ADJ_SIMT)
  simt::atomic(simt::Rmw::add, p, v);
#else
  asm volatile("red.relaxed.gpu.global.add.f64 [%0], %1;" : : "l"(p), "d"(v) : "memory");
#endif
}

// Adds 16 bytes at a multiple of 16. Each element is atomic by itself; in f32 one instruction adds all from sm_90 on.
__device__ __forceinline__ void add_to_memory(f32* p, const f32 (&v)[4]) {
#if !defined(ADJ_SIMT) && __CUDA_ARCH__ >= 900
  asm volatile("red.relaxed.gpu.global.add.v4.f32 [%0], {%1, %2, %3, %4};" : : "l"(p), "f"(v[0]), "f"(v[1]), "f"(v[2]), "f"(v[3]) : "memory");
#else
#if defined(ADJ_SIMT)
  simt::check_aligned(p, 16);
#endif
#pragma unroll
  for (int k = 0; k < 4; ++k) add_to_memory(p + k, v[k]);
#endif
}
__device__ __forceinline__ void add_to_memory(f64* p, const f64 (&v)[2]) {
#if defined(ADJ_SIMT)
  simt::check_aligned(p, 16);
#endif
#pragma unroll
  for (int k = 0; k < 2; ++k) add_to_memory(p + k, v[k]);
}
