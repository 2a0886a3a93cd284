// The asynchronous side of the machine: barriers that count arrivals and bytes, copies of boxes, and budgets of registers.
#include "simulator.hpp"

#include <cstring>

#include "kernels/prelude/tensor_map.h"

namespace simt {

namespace {

constexpr std::size_t kVector = 16, kBarrierBytes = 8;
constexpr u32 kFileRegisters = 65536, kFewestRegisters = 24, kMostRegisters = 256;

std::uintptr_t bits_of(const void* p) { return reinterpret_cast<std::uintptr_t>(p); }

}  // namespace

// ---- barriers

CountingBarrier& Machine::counting_barrier(void* barrier) {
  access<true>(bits_of(barrier), kBarrierBytes, kAtomic, true);
  const auto it = counting_.find(bits_of(barrier));
  if (it == counting_.end()) fail(FaultKind::uninitialised, fmt::format("no barrier was initialised at {}", describe(bits_of(barrier))));
  return it->second;
}

void Machine::barrier_init(void* barrier, u32 arrivals) {
  check_aligned(barrier, kBarrierBytes);
  access<true>(bits_of(barrier), kBarrierBytes);
  std::memset(barrier, 0, kBarrierBytes);
  counting_[bits_of(barrier)] = CountingBarrier{arrivals, arrivals, 0, 0, self_->index, self_->clock, nullptr, nullptr};
}

void Machine::barrier_arrive(void* barrier, u32 bytes) {
  pause();
  CountingBarrier& b = counting_barrier(barrier);
  if (b.missing == 0)
    fail(FaultKind::partial_barrier, fmt::format("more than {} arrivals in a phase of the barrier {}", b.arrivals, describe(bits_of(barrier))));
  if (kChecksAccesses) join(b.arrived, snapshot(*self_));
  b.bytes += bytes;
  --b.missing;
  end_phase(b, bits_of(barrier));
  pause();
}

void Machine::barrier_wait(void* barrier, u32 parity) {
  pause();
  CountingBarrier& b = counting_barrier(barrier);
  Thread& t = *self_;
  if ((b.phase & 1) == parity) {
    t.wait = Wait::counting_barrier;
    t.awaited = bits_of(barrier);
    suspend();
  } else {
    join(t.known, b.ended);
    t.segment = 0;
  }
}

void Machine::end_phase(CountingBarrier& b, std::uintptr_t address) {
  if (b.missing > 0 || b.bytes > 0) return;
  if (b.bytes < 0)
    return report(FaultKind::partial_barrier, self_ ? *self_ : blocks_[(address - bits_of(base_)) / kSlotBytes].threads[0],
                  fmt::format("{} bytes more than the barrier {} expects have been copied", -b.bytes, describe(address)));
  ++b.phase;
  b.missing = b.arrivals;
  b.ended = b.arrived;
  KnowledgePtr before, after;  // of the thread before: many have the same
  for (Thread& t : blocks_[(address - bits_of(base_)) / kSlotBytes].threads) {
    if (t.wait != Wait::counting_barrier || t.awaited != address) continue;
    if (!after || t.known != before) {
      before = after = t.known;
      join(after, b.ended);
    }
    t.known = after;
    t.segment = 0;
    release_thread(t);
  }
}

// ---- copies

void Machine::proxy_fence() {
  Thread& t = *self_;
  t.segment = 0;
  t.shown = ++t.clock;
}

void Machine::check_shown(std::uintptr_t address, std::size_t bytes) {
  if (!kChecksAccesses) return;
  const std::size_t offset = address - bits_of(base_);
  u32 fine = 0;
  for (std::size_t i = 0; i < bytes; ++i) {
    const u32 writer = cells_[offset + i].writer & ~kAtomic;
    if (state_[offset + i] != kInitialised || writer == fine || writer < first_segment_) continue;
    fine = writer;
    const Segment& s = segments_[writer - first_segment_];
    if (s.block == self_->block->number && s.clock >= self_->block->threads[s.thread].shown)
      fail(FaultKind::race, fmt::format("the asynchronous proxy accesses {}, written by thread {}, which has not shown it", describe(address + i), s.thread));
  }
}

void Machine::read_by_proxy(const void* shared, std::size_t bytes) {
  access<false>(bits_of(shared), bytes);
  check_shown(bits_of(shared), bytes);
}

void Machine::copy_box(void* shared, const void* map, void* barrier, const int (&first)[4]) {
  TensorBox t;
  std::memcpy(&t, map, sizeof t);
  const std::uintptr_t to = bits_of(shared);
  check_aligned(shared, 128);
  check_aligned(t.address, kVector);
  if (const CountingBarrier& b = counting_barrier(barrier); self_->block->threads[b.maker].shown <= b.made)
    fail(FaultKind::race, fmt::format("a copy uses the barrier {}, initialised by thread {}, which has not shown it", describe(bits_of(barrier)), b.maker));
  constexpr std::size_t kElement = 2, kRow = 128;
  if (t.box[0] * kElement != kRow || t.box[1] < 1 || t.box[1] > 256 || t.box[2] != 1)
    fail(FaultKind::bad_launch, fmt::format("a box of {} by {} by {} elements", t.box[0], t.box[1], t.box[2]));
  const std::size_t bytes = static_cast<std::size_t>(t.box[1]) * kRow;
  check_shown(to, bytes);
  access<true>(to, bytes);
  for (int row = 0; row < t.box[1]; ++row) {
    const long long x = first[0], y = first[1] + row, z = first[2], w = first[3];
    const bool inside = y >= 0 && y < t.extent[1] && z >= 0 && z < t.extent[2] && x >= 0 && w >= 0 && w < (t.dimensions > 3 ? t.extent[3] : 1);
    const long long count = inside ? std::clamp<long long>(t.extent[0] - x, 0, t.box[0]) : 0;
    const auto* from =
        static_cast<const unsigned char*>(t.address) + (w * t.stride[2] + z * t.stride[1] + y * t.stride[0] + x) * static_cast<long long>(kElement);
    unsigned char line[kRow] = {};
    if (count > 0) {
      access<false>(bits_of(from), static_cast<std::size_t>(count) * kElement);
      std::memcpy(line, from, static_cast<std::size_t>(count) * kElement);
    }
    for (std::size_t v = 0; v < kRow / kVector; ++v) {
      const std::uintptr_t plain = to + static_cast<std::size_t>(row) * kRow + v * kVector;
      std::memcpy(reinterpret_cast<void*>(plain ^ (plain >> 7 & 7) << 4), line + v * kVector, kVector);
    }
  }
  mark(offset_of(shared), bytes, kInFlight);
  box_copies_.push_back({to, bits_of(barrier), bytes, self_, kChecksAccesses ? snapshot(*self_) : nullptr});
  pause();
}

void Machine::end_copy(std::size_t which) {
  const BoxCopy copy = box_copies_[which];
  box_copies_[which] = box_copies_.back();
  box_copies_.pop_back();
  mark(copy.to - bits_of(base_), copy.bytes, kCopied);
  CountingBarrier& b = counting_[copy.barrier];
  join(b.arrived, copy.known);
  b.bytes -= static_cast<long long>(copy.bytes);
  end_phase(b, copy.barrier);
}

void Machine::copy_to_global(void* to, const void* shared, u32 bytes) {
  check_aligned(to, kVector);
  check_aligned(shared, kVector);
  if (bytes % kVector != 0) fail(FaultKind::misaligned, fmt::format("a copy of {} bytes to {}", bytes, describe(bits_of(to))));
  read_by_proxy(shared, bytes);
  access<true>(bits_of(to), bytes);
  std::memcpy(to, shared, bytes);
  if (kChecksAccesses) mark(offset_of(shared), bytes, kBeingCopied);
  self_->read_by_copies.emplace_back(bits_of(shared), bytes);
}

void Machine::wait_copies_to_global() {
  for (const auto& [from, bytes] : self_->read_by_copies)
    if (kChecksAccesses) mark(from - bits_of(base_), bytes, kInitialised);
  self_->read_by_copies.clear();
}

// ---- registers

void Machine::set_registers(u32 count, bool more) {
  Thread& t = *self_;
  Block& b = *t.block;
  if (t.registers == 0) t.registers = std::min<u32>(kFileRegisters / static_cast<u32>(b.threads.size()) / 8 * 8, kMostRegisters - 1);
  if (count % 8 != 0 || count < kFewestRegisters || count > kMostRegisters || (more ? count < t.registers : count > t.registers))
    fail(FaultKind::bad_launch, fmt::format("a thread of {} registers {} {}", t.registers, more ? "takes" : "gives all but", count));
  if (!more) {
    b.spare_registers += t.registers - count;
    for (Thread& other : b.threads)
      if (other.wait == Wait::registers) release_thread(other);
  } else {
    while (b.spare_registers < count - t.registers) {
      t.wait = Wait::registers;
      suspend();
    }
    b.spare_registers -= count - t.registers;
  }
  t.registers = count;
}

}  // namespace simt
