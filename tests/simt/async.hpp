// The asynchronous side of an sm_90 multiprocessor, for the host branches of kernels/prelude/pipeline.cuh, async_proxy.cuh and warpgroup.cuh: barriers that
// count arrivals and bytes, copies that go on by themselves, and budgets of registers.
#pragma once

#include "device.hpp"

namespace simt {

void barrier_init(void* barrier, unsigned arrivals);
// An arrival that also announces `bytes` bytes of copies.
void barrier_arrive(void* barrier, unsigned bytes);
void barrier_wait(void* barrier, unsigned parity);

// Begins to copy a box that a map of an offline plan describes. It ends at any moment, in an order that the seed draws; until then nobody may touch the place.
void copy_box(void* shared, const void* map, void* barrier, int x, int y, int z, int w);
// Begins to copy shared memory, which nobody may write before the thread has waited.
void copy_to_global(void* to, const void* shared, unsigned bytes);
void wait_copies_to_global();

// fence.proxy.async: shows what the thread has written to tensor cores and copies.
void proxy_fence();
// A read of shared memory by tensor cores.
void read_by_proxy(const void* shared, size_t bytes);

void set_registers(unsigned count, bool more);

}  // namespace simt
