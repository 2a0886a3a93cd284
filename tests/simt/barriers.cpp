// Barriers of blocks, of clusters and with names, and what a warp exchanges.
#include "simulator.hpp"

#include <bit>

namespace simt {

int Machine::block_barrier(Vote vote, bool predicate) {
  Thread& t = *self_;
  Block& b = *t.block;
  if (b.ended > 0) partial_barrier(b, "block barrier");
  t.vote = vote;
  t.value = predicate;
  t.wait = Wait::block_barrier;
  if (++b.arrived == b.threads.size()) complete_block_barrier(b);
  suspend();
  return static_cast<int>(t.result);
}

void Machine::named_barrier(int barrier, int threads, bool waits) {
  pause();
  Thread& t = *self_;
  Block& b = *t.block;
  if (barrier < 1 || barrier > 15 || threads <= 0 || threads % static_cast<int>(kWarp) != 0 || static_cast<std::size_t>(threads) > b.threads.size())
    fail(FaultKind::partial_barrier, fmt::format("named barrier {} for {} threads, the block has {}", barrier, threads, b.threads.size()));
  NamedBarrier& n = b.named[barrier];
  if (n.arrived > 0 && n.threads != threads)
    fail(FaultKind::partial_barrier, fmt::format("named barrier {} for {} threads here and for {} in others", barrier, threads, n.threads));
  n.threads = threads;
  t.barrier = barrier;
  if (waits) t.wait = Wait::named_barrier;
  else if (kChecksAccesses) join(n.known, snapshot(t));
  if (++n.arrived == static_cast<u32>(threads)) {
    const KnowledgePtr known = std::move(n.known);
    n = {};
    std::vector<Thread*> group;
    for (Thread& other : b.threads)
      if (other.wait == Wait::named_barrier && other.barrier == barrier) group.push_back(&other);
    if (!group.empty()) synchronise(group);
    for (Thread* other : group) {
      join(other->known, known);
      other->segment = 0;
      release_thread(*other);
    }
  }
  if (waits) suspend();
}

void Machine::cluster_barrier() {
  Thread& t = *self_;
  Cluster& c = *t.block->cluster;
  for (Block* b : c.blocks)
    if (b->ended > 0) partial_barrier(*b, "cluster barrier");
  t.wait = Wait::cluster_barrier;
  if (++c.arrived == c.blocks.size() * t.block->threads.size()) complete_cluster_barrier(c);
  suspend();
}

Bits Machine::exchange(bool barrier_only, Exchange kind, u32 mask, Bits value, int argument, int width) {
  Thread& t = *self_;
  Block& b = *t.block;
  mask &= existing_lanes(b, t.warp());
  if (!(mask >> t.lane() & 1)) fail(FaultKind::bad_lane, fmt::format("lane {} calls a warp operation with mask {:#010x}, which leaves it out", t.lane(), mask));
  t.barrier_only = barrier_only;
  t.kind = kind;
  t.mask = mask;
  t.value = value;
  t.argument = argument;
  t.width = width;
  t.wait = Wait::warp;
  u32& waiting = b.warp_waiting[t.warp()];
  waiting |= 1u << t.lane();
  if ((waiting & mask) == mask) {
    Thread* lanes = &b.threads[t.warp() * kWarp];
    bool all = true;
    for (u32 rest = mask; rest; rest &= rest - 1) all &= lanes[std::countr_zero(rest)].mask == mask;
    if (all) complete_warp(b, lanes, mask);
  }
  suspend();
  return t.result;
}

void Machine::release_thread(Thread& t) {
  t.wait = Wait::none;
  runnable_.push_back(&t);
}

void Machine::complete_block_barrier(Block& b) {
  b.arrived = 0;
  ++b.epoch;
  u32 count = 0;
  for (Thread& t : b.threads) {
    if (t.vote != b.threads[0].vote) fail(FaultKind::partial_barrier, fmt::format("threads 0 and {} are at different block barriers", t.index));
    count += t.value != 0;
  }
  const Vote vote = b.threads[0].vote;
  const u32 result = vote == Vote::any ? count > 0 : vote == Vote::all ? count == b.threads.size() : count;
  std::vector<Thread*>& group = group_;
  group.clear();
  for (Thread& t : b.threads) group.push_back(&t);
  share(group);
  for (Thread& t : b.threads) {
    t.result = result;
    release_thread(t);
  }
}

void Machine::complete_cluster_barrier(Cluster& c) {
  c.arrived = 0;
  c.met = true;
  auto past = std::make_shared<Knowledge>();
  std::vector<Thread*>& group = group_;
  group.clear();
  for (Block* b : c.blocks) {
    (*past)[b->number].epoch = ++b->epoch;
    for (Thread& t : b->threads) group.push_back(&t);
  }
  join(group.front()->known, past);
  share(group);
  for (Thread* t : group) release_thread(*t);
}

void Machine::complete_warp(Block& b, Thread* lanes, u32 mask) {
  const Thread& first = lanes[std::countr_zero(mask)];
  const u32 warp = first.warp();
  for (u32 rest = mask; rest; rest &= rest - 1) {
    const Thread& t = lanes[std::countr_zero(rest)];
    if (t.barrier_only != first.barrier_only || t.kind != first.kind)
      fail(FaultKind::partial_warp, fmt::format("lanes {} and {} of warp {} are at different warp operations", first.lane(), t.lane(), warp));
  }
  if (first.barrier_only) {
    std::array<u32, kWarp> seen{};
    group_.clear();
    for (u32 rest = mask; rest; rest &= rest - 1) {
      Thread& t = lanes[std::countr_zero(rest)];
      for (u32 lane = 0; lane < kWarp; ++lane) seen[lane] = std::max(seen[lane], t.seen[lane]);
      seen[t.lane()] = std::max(seen[t.lane()], t.clock);
      group_.push_back(&t);
    }
    for (Thread* t : group_) t->seen = seen;
    share(group_);
  } else {
    for (u32 rest = mask; rest; rest &= rest - 1) {
      Thread& t = lanes[std::countr_zero(rest)];
      t.result = result_of(t, lanes, mask);
    }
  }
  b.warp_waiting[warp] &= ~mask;
  for (u32 rest = mask; rest; rest &= rest - 1) release_thread(lanes[std::countr_zero(rest)]);
}

Bits Machine::result_of(const Thread& t, const Thread* lanes, u32 mask) {
  const int lane = static_cast<int>(t.lane());
  const int width = t.width;
  auto from = [&](int source) {
    if (source < 0 || source >= static_cast<int>(kWarp) || !(mask >> source & 1))
      fail(FaultKind::bad_lane, fmt::format("lane {} of warp {} reads lane {} in a shuffle of mask {:#010x}", lane, t.warp(), source, mask));
    return lanes[source].value;
  };
  auto fold = [&](auto combine) {
    u32 total = 0;
    bool any = false;
    for (u32 rest = mask; rest; rest &= rest - 1) {
      const auto v = static_cast<u32>(lanes[std::countr_zero(rest)].value);
      total = any ? combine(total, v) : v;
      any = true;
    }
    return Bits{total};
  };
  auto ballot = [&](auto predicate) {
    u32 lanes_found = 0;
    for (u32 rest = mask; rest; rest &= rest - 1)
      if (predicate(lanes[std::countr_zero(rest)].value)) lanes_found |= rest & -rest;
    return lanes_found;
  };
  if (width < 1 || width > static_cast<int>(kWarp) || (width & (width - 1))) fail(FaultKind::bad_lane, fmt::format("a shuffle of width {}", width));
  const int begin = lane & ~(width - 1);
  switch (t.kind) {
    case Exchange::shuffle: return from(begin | (t.argument & (width - 1)));
    case Exchange::shuffle_up: return lane - t.argument < begin ? t.value : from(lane - t.argument);
    case Exchange::shuffle_down: return lane + t.argument >= begin + width ? t.value : from(lane + t.argument);
    case Exchange::shuffle_xor: return (lane ^ t.argument) >= begin + width ? t.value : from(lane ^ t.argument);
    case Exchange::ballot: return ballot([](Bits v) { return v != 0; });
    case Exchange::any: return ballot([](Bits v) { return v != 0; }) != 0;
    case Exchange::all: return ballot([](Bits v) { return v != 0; }) == mask;
    case Exchange::match_any: return ballot([&](Bits v) { return v == t.value; });
    case Exchange::match_all: return ballot([&](Bits v) { return v == t.value; }) == mask ? mask : 0;
    case Exchange::add_u32: return fold([](u32 a, u32 b) { return a + b; });
    case Exchange::min_u32: return fold([](u32 a, u32 b) { return std::min(a, b); });
    case Exchange::max_u32: return fold([](u32 a, u32 b) { return std::max(a, b); });
    case Exchange::min_i32: return fold([](u32 a, u32 b) { return static_cast<int>(a) < static_cast<int>(b) ? a : b; });
    case Exchange::max_i32: return fold([](u32 a, u32 b) { return static_cast<int>(a) > static_cast<int>(b) ? a : b; });
    case Exchange::and_u32: return fold([](u32 a, u32 b) { return a & b; });
    case Exchange::or_u32: return fold([](u32 a, u32 b) { return a | b; });
    case Exchange::xor_u32: return fold([](u32 a, u32 b) { return a ^ b; });
  }
  return 0;
}

}  // namespace simt
