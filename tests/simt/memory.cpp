// Memory of the machine: its pages, and what is known of each byte.
#include "simulator.hpp"

#include <sys/mman.h>

#include <cstdio>
#include <cstdlib>
#include <cstring>

namespace simt {

unsigned char* map_pages(std::size_t bytes) {
  void* p = mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (p == MAP_FAILED) {
    std::perror("mmap");
    std::abort();
  }
  return static_cast<unsigned char*>(p);
}

void Machine::reset_memory() {
  mark(kSharedBytes, top_ - kSharedBytes, kNothing);
  top_ = kSharedBytes;
  buffers_.clear();
  running_.clear();
  if (next_segment_ > (1u << 30)) {
#if !defined(ADJ_SIMT_ASAN)
    madvise(cells_, kArenaBytes * sizeof(Cell), MADV_DONTNEED);
#endif
    next_segment_ = 1;
  }
}

void* Machine::allocate(const std::string& name, std::size_t bytes, std::size_t misalign, State state) {
  const std::size_t offset = round_up(top_ + kGuard, 256) + misalign;
  const std::size_t end = round_up(offset + bytes + kGuard, 256);
  if (end > kArenaBytes) {
    fmt::print(stderr, "simt: {} bytes for {} exceed the machine's memory\n", bytes, name);
    std::abort();
  }
  mark(top_, end - top_, kInitialised);
  std::memset(base_ + top_, kCanary, end - top_);
  mark(top_, end - top_, kNothing);
  mark(offset, bytes, state);
  top_ = end;
  buffers_.push_back({name, offset, bytes});
  return base_ + offset;
}

std::optional<Fault> Machine::check_canaries() {
  std::size_t at = kSharedBytes;
  std::string before = "nothing";
  auto check = [&](std::size_t end, const std::string& after) -> std::optional<Fault> {
    for (; at < end; ++at)
      if (base_[at] != kCanary) return Fault{FaultKind::canary, fmt::format("a byte between {} and {} has changed", before, after)};
    return std::nullopt;
  };
  for (const Buffer& b : buffers_) {
    if (auto fault = check(b.offset, b.name)) return fault;
    at = b.offset + b.bytes;
    before = b.name;
  }
  return check(top_, "the end");
}

void Machine::mark(std::size_t offset, std::size_t bytes, State state) {
  if (bytes == 0) return;
#if defined(ADJ_SIMT_ASAN)
  if (state == kNothing) __asan_poison_memory_region(base_ + offset, bytes);
  else __asan_unpoison_memory_region(base_ + offset, bytes);
#else
  std::memset(state_ + offset, state, bytes);
#endif
}

void Machine::open_shared(std::size_t offset, std::size_t bytes) {
  mark(offset, bytes, kUninitialised);
  std::memset(base_ + offset, 0xCD, bytes);
  if (kChecksAccesses) std::memset(static_cast<void*>(cells_ + offset), 0, bytes * sizeof(Cell));
}

void* Machine::static_shared(const void* site, const char* name, std::size_t bytes, std::size_t alignment) {
  auto it = sites_.find(site);
  if (it == sites_.end()) {
    const std::size_t offset = round_up(static_top_, std::max<std::size_t>(alignment, 16));
    static_top_ = offset + bytes + kStaticGuard;
    static_bytes_ += bytes;
    if (static_top_ > kDynamicOffset || static_bytes_ + launch_->shared_bytes > launch_->shared_limit)
      fail(FaultKind::bad_launch,
           fmt::format("{} bytes of static shared memory and {} of dynamic exceed {}", static_bytes_, launch_->shared_bytes, launch_->shared_limit));
    it = sites_.emplace(site, Site{name, offset, bytes}).first;
    for (Block& b : blocks_)
      if (b.active) open_shared(b.slot * kSlotBytes + offset, bytes);
  }
  return base_ + self_->block->slot * kSlotBytes + it->second.offset;
}

void* Machine::map_shared(const void* address, u32 rank) {
  const Block& b = *self_->block;
  const std::size_t offset = offset_of(address);
  if (offset >= kSharedBytes || offset / kSlotBytes != b.slot)
    fail(FaultKind::out_of_bounds, fmt::format("the address mapped to block {} of the cluster is not in this block's shared memory", rank));
  if (rank >= b.cluster->blocks.size()) fail(FaultKind::out_of_bounds, fmt::format("block {} of a cluster of {}", rank, b.cluster->blocks.size()));
  return base_ + b.cluster->blocks[rank]->slot * kSlotBytes + offset % kSlotBytes;
}

}  // namespace simt
