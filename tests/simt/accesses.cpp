// Accesses of the machine to memory: bounds, alignment, initialisation, and races by vector clocks.
#include "simulator.hpp"

#include "access.hpp"

extern "C" const char __executable_start, _end;

namespace simt {

namespace {

void join(Knowledge& into, const Knowledge& from) {
  for (const auto& [block, known] : from) {
    Known& mine = into[block];
    mine.epoch = std::max(mine.epoch, known.epoch);
    for (auto [thread, clock] : known.clocks) {
      u32& c = mine.clocks[thread];
      c = std::max(c, clock);
    }
  }
}
template <bool write>
const char* verb(u32 atomic) {
  return atomic ? "atomic access" : write ? "write" : "read";
}

}  // namespace

void join(KnowledgePtr& into, const KnowledgePtr& from) {
  if (!from || from == into) return;
  if (!into) {
    into = from;
    return;
  }
  auto both = std::make_shared<Knowledge>(*into);
  join(*both, *from);
  into = std::move(both);
}

template <bool write>
void Machine::outside(std::uintptr_t address, std::size_t bytes) {
  const auto begin = reinterpret_cast<std::uintptr_t>(&__executable_start), end = reinterpret_cast<std::uintptr_t>(&_end);
  if (!write && address >= begin && address < end) return;
  fail(FaultKind::out_of_bounds, fmt::format("{} of {} bytes at {}", verb<write>(0), bytes, describe(address)));
}

void Machine::check_remote(std::uintptr_t address, std::size_t slot) {
  const Block& b = blocks_[slot];
  if (!b.active || b.cluster != self_->block->cluster) fail(FaultKind::out_of_bounds, fmt::format("access to {}, outside of the cluster", describe(address)));
  if (&b != self_->block && !b.cluster->met)
    fail(FaultKind::out_of_bounds, fmt::format("access to {}, of a block that may not have begun: no cluster barrier came before", describe(address)));
}

template <bool write>
[[noreturn]] void Machine::race(std::uintptr_t address, u32 other, bool other_writes, u32 atomic) {
  const Segment& s = segments_[(other & ~kAtomic) - first_segment_];
  fail(FaultKind::race, fmt::format("{} of {}, unordered with {} {} by block {} thread {}", verb<write>(atomic), describe(address), other_writes ? "the" : "a",
                                    (other & kAtomic) ? "atomic access"
                                    : other_writes    ? "write"
                                                      : "read",
                                    s.block, s.thread));
}

bool Machine::is_padding(std::size_t offset) const {
  const u8* word = state_ + offset / 8 * 8;
  return std::any_of(word, word + 8, [](u8 state) { return state == kInitialised || state == kReadOnly; });
}

template <bool write>
void Machine::check_running(std::uintptr_t address, std::size_t offset, std::size_t bytes, u32 atomic) {
  const auto running = [&](u32 access) {
    const u32 segment = access & ~kAtomic;
    if (!segment || segment >= first_segment_) return false;
    for (auto grid = running_.rbegin(); grid != running_.rend(); ++grid)
      if (segment >= grid->first_segment) return !grid->released[segment - grid->first_segment];
    return false;
  };
  for (std::size_t i = 0; i < bytes; ++i) {
    const Cell& cell = cells_[offset + i];
    if (running(cell.writer))
      fail(FaultKind::race, fmt::format("{} of {} bytes at {}, which a grid beside it writes", verb<write>(atomic), bytes, describe(address + i)));
    if (write && (running(cell.reader[0]) || running(cell.reader[1])))
      fail(FaultKind::race, fmt::format("{} of {} bytes at {}, which a grid beside it reads", verb<write>(atomic), bytes, describe(address + i)));
  }
}

template <bool write>
void Machine::access(std::uintptr_t address, std::size_t bytes, u32 atomic, bool reads_too) {
  if (!kChecksAccesses) return;
  Thread* t = self_;
  if (!t) return;
  if ((++counters_.accesses & 0xfffff) == 0) check_time();
  const std::size_t offset = address - reinterpret_cast<std::uintptr_t>(base_);
  if (offset >= kArenaBytes) {
    if (address - reinterpret_cast<std::uintptr_t>(t->worker->stack) < kStackBytes) return;
    if (!write && address - reinterpret_cast<std::uintptr_t>(launch_->params) <= launch_->param_bytes - bytes && bytes <= launch_->param_bytes) return;
    outside<write>(address, bytes);
    return;
  }
  if (launch_->early && !t->reads && offset >= kSharedBytes && (!write || reads_too))
    fail(FaultKind::early, fmt::format("{} of {} bytes at {} before the grids before it have ended", verb<write>(atomic), bytes, describe(address)));
  if (offset < kSharedBytes && offset / kSlotBytes != t->block->slot) check_remote(address, offset / kSlotBytes);
  if (launch_->early && t->reads && !t->waited && offset >= kSharedBytes) check_running<write>(address, offset, bytes, atomic);
  const u32 me = segment_of(*t) | atomic;
  u32 fine = 0;  // last segment that was found to be ordered: neighbouring bytes often have the same
  for (std::size_t i = 0; i < bytes; ++i) {
    u8& state = state_[offset + i];
    if (state != kInitialised) {
      if (state == kNothing) fail(FaultKind::out_of_bounds, fmt::format("{} of {} bytes at {}", verb<write>(atomic), bytes, describe(address + i)));
      if (state == kInFlight)
        fail(FaultKind::race, fmt::format("{} of {} bytes at {}, into which a copy is in flight", verb<write>(atomic), bytes, describe(address + i)));
      if (write && state == kReadOnly) fail(FaultKind::read_only, fmt::format("{} of {} bytes at {}", verb<write>(atomic), bytes, describe(address + i)));
      if ((!write || reads_too) && state == kUninitialised && !(bytes > 16 && is_padding(offset + i)))
        fail(FaultKind::uninitialised, fmt::format("{} of {} bytes at {}", verb<write>(atomic), bytes, describe(address + i)));
      if (write && state == kBeingCopied)
        fail(FaultKind::race, fmt::format("{} of {} bytes at {}, which a copy reads", verb<write>(atomic), bytes, describe(address + i)));
      if (write) state = kInitialised;
    }
    Cell& cell = cells_[offset + i];
    if (write) {
      if (cell.writer == me && !cell.reader[0]) continue;
      if (cell.writer != fine && conflicts(cell.writer, me)) race<write>(address + i, cell.writer, true, atomic);
      fine = cell.writer;
      for (u32 reader : cell.reader)
        if (reader && conflicts(reader, me)) race<write>(address + i, reader, false, atomic);
      cell = {me, {0, 0}};
    } else {
      if (cell.reader[0] == me || cell.reader[1] == me) continue;
      if (cell.writer != fine && conflicts(cell.writer, me)) race<write>(address + i, cell.writer, true, atomic);
      fine = cell.writer;
      if (!concurrent(cell.reader[0])) cell.reader[0] = me;
      else if (!concurrent(cell.reader[1])) cell.reader[1] = me;
      else cell.reader[rng_.below(2)] = me;
    }
  }
}

void Machine::check_aligned(const void* address, std::size_t alignment) {
  const auto at = reinterpret_cast<std::uintptr_t>(address);
  if (self_ && at % alignment != 0) fail(FaultKind::misaligned, fmt::format("access of {} bytes at {}", alignment, describe(at)));
}

// The hardware may write at any moment from here to the wait. The kernel has written here; the wait counts as another write.
void Machine::begin_copy(const void* to, const void* from, std::size_t bytes) {
  if (!kChecksAccesses) return;
  mark(offset_of(to), bytes, kInFlight);
  self_->copies.push_back({reinterpret_cast<std::uintptr_t>(to), reinterpret_cast<std::uintptr_t>(from), bytes, self_->closed_groups});
}

void Machine::wait_copies_but(u32 open) {
  if (!kChecksAccesses) return;
  std::vector<Copy>& copies = self_->copies;
  const auto end = std::find_if(copies.begin(), copies.end(), [&](const Copy& copy) { return copy.group + open >= self_->closed_groups; });
  for (auto copy = copies.begin(); copy != end; ++copy) {
    mark(copy->to - reinterpret_cast<std::uintptr_t>(base_), copy->bytes, kInitialised);
    access<true>(copy->to, copy->bytes);
    if (copy->from) access<false>(copy->from, copy->bytes);
  }
  copies.erase(copies.begin(), end);
}

bool Machine::ordered(const Segment& s, const Thread& t) const {
  if (s.block == t.block->number) {
    if (s.thread == t.index || s.epoch < t.block->epoch) return true;
    if (s.thread / kWarp == t.warp() && s.clock <= t.seen[s.thread % kWarp]) return true;
  }
  if (!t.known) return false;
  auto it = t.known->find(s.block);
  if (it == t.known->end()) return false;
  if (s.epoch < it->second.epoch) return true;
  auto clock = it->second.clocks.find(s.thread);
  return clock != it->second.clocks.end() && s.clock <= clock->second;
}

KnowledgePtr Machine::snapshot(Thread& t) {
  auto k = t.known ? std::make_shared<Knowledge>(*t.known) : std::make_shared<Knowledge>();
  Known& own = (*k)[t.block->number];
  own.epoch = std::max(own.epoch, t.block->epoch);
  const u32 first = t.warp() * kWarp;
  for (u32 lane = 0; lane < kWarp; ++lane)
    if (t.seen[lane]) {
      u32& c = own.clocks[first + lane];
      c = std::max(c, t.seen[lane]);
    }
  own.clocks[t.index] = t.clock;
  ++t.clock;
  t.segment = 0;
  return k;
}

void Machine::acquire(Thread& t, const Seen& seen) {
  auto k = t.known ? std::make_shared<Knowledge>(*t.known) : std::make_shared<Knowledge>();
  for (std::size_t i = 0; i < seen.length; ++i) join(*k, *(*seen.log)[i]);
  t.known = std::move(k);
  t.segment = 0;
}

void Machine::share(const std::vector<Thread*>& group) {
  if (!kChecksAccesses) return;
  KnowledgePtr known, released;
  std::vector<Seen> pending;
  for (Thread* t : group) {
    join(known, t->known);
    join(released, t->released);
    for (const Seen& seen : t->pending) {
      auto it = std::find_if(pending.begin(), pending.end(), [&](const Seen& s) { return s.log == seen.log; });
      if (it == pending.end()) pending.push_back(seen);
      else it->length = std::max(it->length, seen.length);
    }
  }
  for (Thread* t : group) {
    if (known) t->known = known;
    if (released) t->released = released;
    if (!pending.empty()) t->pending = pending;
    ++t->clock;
    t->segment = 0;
  }
}

void Machine::synchronise(const std::vector<Thread*>& group) {
  if (!kChecksAccesses) return;
  auto past = std::make_shared<Knowledge>();
  Known& own = (*past)[group.front()->block->number];
  own.epoch = group.front()->block->epoch;
  for (Thread* t : group) {
    own.clocks[t->index] = t->clock;
    for (u32 lane = 0; lane < kWarp; ++lane)
      if (t->seen[lane]) {
        u32& c = own.clocks[t->warp() * kWarp + lane];
        c = std::max(c, t->seen[lane]);
      }
  }
  for (Thread* t : group) join(t->known, past);
  share(group);
}

// atomics.cpp calls these.
template void Machine::access<false>(std::uintptr_t, std::size_t, u32, bool);
template void Machine::access<true>(std::uintptr_t, std::size_t, u32, bool);

void on_read(const void* address, std::size_t bytes) { m.access<false>(reinterpret_cast<std::uintptr_t>(address), bytes); }
void on_write(const void* address, std::size_t bytes) { m.access<true>(reinterpret_cast<std::uintptr_t>(address), bytes); }

}  // namespace simt
