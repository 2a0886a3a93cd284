// A pipeline through shared memory, on sm_90a: a producer thread begins copies of boxes of tensors into stages, and consumers use and release them.
// Barriers count what has arrived; a warpgroup's share of the registers follows its role.
#pragma once

#include "prelude/async_proxy.cuh"
#include "prelude/tensor_map.h"

// A barrier in shared memory, which counts arrivals and bytes of copies. A phase ends when all arrivals and all bytes that were announced have come; the
// next one begins at once. The first phase has the parity 0.
struct alignas(8) Barrier {
  u64 state;

#if !defined(ADJ_SIMT)
  __device__ __forceinline__ u32 address() const { return static_cast<u32>(__cvta_generic_to_shared(this)); }
#endif
  // By one thread; show_barriers follows. `arrivals`: of a phase.
  __device__ __forceinline__ void init(u32 arrivals) {
#if defined(ADJ_SIMT)
    simt::barrier_init(this, arrivals);
#else
    asm volatile("mbarrier.init.shared::cta.b64 [%0], %1;" : : "r"(address()), "r"(arrivals) : "memory");
#endif
  }
  // This thread's arrival. What it has read and written before is ordered before the end of the phase.
  __device__ __forceinline__ void arrive() {
#if defined(ADJ_SIMT)
    simt::barrier_arrive(this, 0);
#else
    asm volatile("mbarrier.arrive.shared::cta.b64 _, [%0];" : : "r"(address()) : "memory");
#endif
  }
  // Arrives, and announces bytes of copies that the phase waits for.
  __device__ __forceinline__ void arrive_and_expect(u32 bytes) {
#if defined(ADJ_SIMT)
    simt::barrier_arrive(this, bytes);
#else
    asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], %1;" : : "r"(address()), "r"(bytes) : "memory");
#endif
  }
  // Waits for the end of the phase with this parity: returns at once in the phase behind it.
  __device__ __forceinline__ void wait(u32 parity) {
#if defined(ADJ_SIMT)
    simt::barrier_wait(this, parity);
#else
    u32 done;
    do {
      asm volatile("{.reg .pred p; mbarrier.try_wait.parity.shared::cta.b64 p, [%1], %2; selp.u32 %0, 1, 0, p;}"
                   : "=r"(done)
                   : "r"(address()), "r"(parity)
                   : "memory");
    } while (!done);
#endif
  }
};

// Makes barriers that this thread has initialised visible to copies, and to the block behind its next barrier.
__device__ __forceinline__ void show_barriers() {
#if !defined(ADJ_SIMT)
  asm volatile("fence.mbarrier_init.release.cluster;" : : : "memory");
#endif
  show_to_async_proxy();
}

// Fetches a tensor map, which copies read later.
__device__ __forceinline__ void prefetch_map([[maybe_unused]] const TensorMap& map) {
#if !defined(ADJ_SIMT)
  asm volatile("prefetch.tensormap [%0];" : : "l"(&map) : "memory");
#endif
}

// Begins to copy a box of a tensor of three dimensions, whose first element is (x, y, z), into shared memory. What lies outside of the tensor becomes zeros.
// The barrier counts the bytes of the whole box.
__device__ __forceinline__ void copy_box(void* shared, const TensorMap& map, Barrier& barrier, int x, int y, int z) {
#if defined(ADJ_SIMT)
  simt::copy_box(shared, &map, &barrier, x, y, z, 0);
#else
  asm volatile("cp.async.bulk.tensor.3d.shared::cluster.global.tile.mbarrier::complete_tx::bytes [%0], [%1, {%3, %4, %5}], [%2];"
               :
               : "r"(static_cast<u32>(__cvta_generic_to_shared(shared))), "l"(&map), "r"(barrier.address()), "r"(x), "r"(y), "r"(z)
               : "memory");
#endif
}

// The same of a tensor of four dimensions.
__device__ __forceinline__ void copy_box(void* shared, const TensorMap& map, Barrier& barrier, int x, int y, int z, int w) {
#if defined(ADJ_SIMT)
  simt::copy_box(shared, &map, &barrier, x, y, z, w);
#else
  asm volatile("cp.async.bulk.tensor.4d.shared::cluster.global.tile.mbarrier::complete_tx::bytes [%0], [%1, {%3, %4, %5, %6}], [%2];"
               :
               : "r"(static_cast<u32>(__cvta_generic_to_shared(shared))), "l"(&map), "r"(barrier.address()), "r"(x), "r"(y), "r"(z), "r"(w)
               : "memory");
#endif
}

// Begins to copy bytes from shared to global memory, both at multiples of 16 bytes and whole vectors: what this thread, and others before a barrier, have
// written and shown to the asynchronous proxy.
__device__ __forceinline__ void copy_to_global(void* to, const void* shared, u32 bytes) {
#if defined(ADJ_SIMT)
  simt::copy_to_global(to, shared, bytes);
#else
  asm volatile("cp.async.bulk.global.shared::cta.bulk_group [%0], [%1], %2;"
               :
               : "l"(to), "r"(static_cast<u32>(__cvta_generic_to_shared(shared))), "r"(bytes)
               : "memory");
#endif
}
// Closes a group: the copies to global memory that this thread has begun since the last call. wait_copies_to_global waits until all its groups have read
// shared memory, which may then be written or end.
__device__ __forceinline__ void close_copies_to_global() {
#if !defined(ADJ_SIMT)
  asm volatile("cp.async.bulk.commit_group;" : : : "memory");
#endif
}
__device__ __forceinline__ void wait_copies_to_global() {
#if defined(ADJ_SIMT)
  simt::wait_copies_to_global();
#else
  asm volatile("cp.async.bulk.wait_group.read 0;" : : : "memory");
#endif
}

// Registers of each thread from here on: a multiple of eight, the same for all warps of a warpgroup, each of which calls it once. What one warpgroup gives
// another can take.
template <int kRegisters> __device__ __forceinline__ void give_registers() {
#if defined(ADJ_SIMT)
  simt::set_registers(kRegisters, false);
#else
  asm volatile("setmaxnreg.dec.sync.aligned.u32 %0;" : : "n"(kRegisters));
#endif
}
template <int kRegisters> __device__ __forceinline__ void take_registers() {
#if defined(ADJ_SIMT)
  simt::set_registers(kRegisters, true);
#else
  asm volatile("setmaxnreg.inc.sync.aligned.u32 %0;" : : "n"(kRegisters));
#endif
}

// The barriers of a pipeline of kStages stages.
template <int kStages> struct Pipeline {
  Barrier full[kStages], free[kStages];

  // By one thread, before a barrier of the block. `consumers`: arrivals that release a stage; `producers`: that fill it, beside the bytes of copies.
  __device__ __forceinline__ void init(u32 consumers, u32 producers = 1) {
#pragma unroll
    for (int i = 0; i < kStages; ++i) {
      full[i].init(producers);
      free[i].init(consumers);
    }
    show_barriers();
  }
};

// Where a thread is in a pipeline: a stage, and how often it has been through all of them.
template <int kStages> struct Position {
  int stage = 0;
  u32 turn = 0;

  __device__ __forceinline__ void advance() {
    if (++stage < kStages) return;
    stage = 0;
    ++turn;
  }
  // Waits until the stage holds the copies of this turn.
  __device__ __forceinline__ void wait_full(Pipeline<kStages>& p) const { p.full[stage].wait(turn & 1); }
  // Waits until the consumers have released the stage in the turn before. In the first turn nobody has it.
  __device__ __forceinline__ void wait_free(Pipeline<kStages>& p) const { p.free[stage].wait((turn & 1) ^ 1); }
};
