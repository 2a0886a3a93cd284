// Order between a thread's accesses to shared memory and those of tensor cores and copies that go on beside it.
#pragma once

#include "prelude/types.cuh"
#if defined(ADJ_SIMT)
#include "async.hpp"  // tests/simt
#endif

// Makes what this thread has written to shared memory visible to products and copies that begin behind the next barrier.
__device__ __forceinline__ void show_to_async_proxy() {
#if defined(ADJ_SIMT)
  simt::proxy_fence();
#else
  asm volatile("fence.proxy.async.shared::cta;" : : : "memory");
#endif
}
