// Turns of the machine: which thread goes on, when blocks and grids begin and end.
#include "simulator.hpp"

#include <sys/mman.h>
#include <unistd.h>

namespace simt {

namespace {

// Stack allocator that does nothing: stacks belong to workers, which are reused.
struct PooledStack {
  boost::context::stack_context allocate() { return {}; }
  void deallocate(boost::context::stack_context&) {}
};

}  // namespace

std::optional<Fault> Machine::launch(const Launch& l, u64 seed) {
  launch_ = &l;
  rng_.state = seed * 0x2545f4914f6cdd1dull + 0x1234567;
  fault_.reset();
  sites_.clear();
  static_top_ = kStaticGuard;
  logs_.clear();
  counting_.clear();
  box_copies_.clear();
  segments_.clear();
  first_segment_ = next_segment_;
  runnable_.clear();
  deadline_ = std::clock() + static_cast<std::clock_t>(l.seconds * CLOCKS_PER_SEC);
  ++counters_.launches;
  waited_ = lets_ = lets_after_waiting_ = false;
  released_epochs_.clear();
  if (!l.early) running_.clear();
  run();
  if (!fault_ && l.early && !waited_ && l.only < 0)
    fault_ = Fault{FaultKind::early, fmt::format("{}: no block ({} in the grid) has a thread that waited for the grids before it", l.name,
                                                 u64{l.grid[0]} * l.grid[1] * l.grid[2])};
  for (Block& b : blocks_)
    if (b.active) end_block(b);
  clusters_.clear();
  // Grids before this one have ended when the next one begins, unless this one has let it begin before waiting for them.
  if (!lets_ || lets_after_waiting_) running_.clear();
  Running& self = running_.emplace_back(Running{first_segment_, {}});
  for (const Segment& segment : segments_) {
    const auto epoch = released_epochs_.find(segment.block);
    self.released.push_back(epoch != released_epochs_.end() && segment.epoch < epoch->second);
  }
  launch_ = nullptr;
  return fault_;
}

void Machine::let_next_grid_begin() {
  lets_ = true;
  lets_after_waiting_ |= !launch_->early || self_->waited;
}

void Machine::let_next_grid_read() {
  let_next_grid_begin();
  released_epochs_[self_->block->number] = self_->block->epoch;
}

void Machine::run() {
  const Launch& l = *launch_;
  auto refuse = [&](const std::string& what) { fault_ = Fault{FaultKind::bad_launch, fmt::format("{}: {}", l.name, what)}; };
  if (l.block == 0 || l.block > kMostThreads) return refuse(fmt::format("{} threads in a block", l.block));
  if (l.grid[0] == 0 || l.grid[1] == 0 || l.grid[2] == 0 || l.grid[1] > 65535 || l.grid[2] > 65535)
    return refuse(fmt::format("grid {} x {} x {}", l.grid[0], l.grid[1], l.grid[2]));
  if (l.cluster == 0 || l.cluster > 16 || l.grid[0] % l.cluster != 0) return refuse(fmt::format("clusters of {} blocks in a grid of {}", l.cluster, l.grid[0]));
  if (l.shared_bytes > l.shared_limit) return refuse(fmt::format("{} bytes of shared memory, the limit is {}", l.shared_bytes, l.shared_limit));
  const u64 blocks = u64{l.grid[0]} * l.grid[1] * l.grid[2];
  if (l.only < 0 && blocks > (1u << 22)) return refuse(fmt::format("{} blocks are too many to execute here", blocks));
  static_bytes_ = 0;

  const u32 groups = l.only >= 0 ? 1 : static_cast<u32>(blocks / l.cluster);
  order_.resize(groups);
  for (u32 i = 0; i < groups; ++i) order_[i] = l.only >= 0 ? static_cast<u32>(l.only) : i;
  u32 next = 0;
  const u32 resident = std::max(1u, std::min(1 + rng_.below(4), kMostResident / l.cluster));
  u32 live = 0;
  clusters_.clear();
  clusters_.resize(resident);
  ended_cluster_ = nullptr;
  for (;;) {
    while (live < resident && next < groups) {
      std::swap(order_[next], order_[next + rng_.below(groups - next)]);
      start_cluster(order_[next++]);
      ++live;
    }
    if (live == 0) return;
    if (!box_copies_.empty() && (runnable_.empty() || rng_.below(4) == 0)) {
      end_copy(rng_.below(static_cast<u32>(box_copies_.size())));
      if (fault_) return;
      continue;
    }
    if (runnable_.empty()) return report_deadlock();
    const u32 pick = rng_.below(static_cast<u32>(runnable_.size()));
    Thread* t = runnable_[pick];
    runnable_[pick] = runnable_.back();
    runnable_.pop_back();
    resume(*t);
    if (fault_) return;
    if (ended_cluster_) {
      ended_cluster_ = nullptr;
      --live;
    }
    if ((++counters_.switches & (l.only >= 0 ? 0x7 : 0xfffff)) == 0) check_time();
  }
}

void Machine::start_cluster(u32 group) {
  Cluster* cluster = nullptr;
  for (Cluster& c : clusters_)
    if (c.live == 0) cluster = &c;
  cluster->blocks.clear();
  cluster->arrived = 0;
  cluster->met = false;
  cluster->live = launch_->cluster;
  auto slot = blocks_.begin();
  for (u32 rank = 0; rank < launch_->cluster; ++rank) {
    while (slot->active) ++slot;
    Block& b = *slot;
    b.active = true;
    b.number = group * launch_->cluster + rank;
    b.epoch = 1;
    b.spare_registers = 0;
    b.arrived = b.ended = 0;
    b.cluster = cluster;
    b.rank = rank;
    b.named.clear();
    b.threads.clear();
    b.threads.resize(launch_->block);
    b.warp_waiting.assign((launch_->block + kWarp - 1) / kWarp, 0);
    cluster->blocks.push_back(&b);
    const std::size_t base = b.slot * kSlotBytes;
    for (const auto& [key, site] : sites_) open_shared(base + site.offset, site.bytes);
    open_shared(base + kDynamicOffset, launch_->shared_bytes);
    for (u32 i = 0; i < launch_->block; ++i) {
      Thread& t = b.threads[i];
      t.block = &b;
      t.index = i;
      t.worker = idle_worker();
      t.worker->thread = &t;
      runnable_.push_back(&t);
    }
  }
}

void Machine::end_block(Block& b) {
  b.active = false;
  mark(b.slot * kSlotBytes, kDynamicOffset + launch_->shared_bytes, kNothing);
  for (Thread& t : b.threads) {
    if (t.failed || (t.wait != Wait::done && t.started)) renew(*t.worker);
    idle_.push_back(t.worker);
  }
}

void Machine::end_thread(Thread& t) {
  Block& b = *t.block;
  // A thread that has begun beside the last grids may leave the waiting to another thread.
  if (launch_->early && !t.reads) fail(FaultKind::early, "ends without having waited for the grids before it");
  if (!t.read_by_copies.empty()) fail(FaultKind::race, fmt::format("ends while a copy reads {}", describe(t.read_by_copies.front().first)));
  if (!t.products.empty()) fail(FaultKind::race, "ends before the products that it has begun");
  t.wait = Wait::done;
  ++b.ended;
  if (b.arrived > 0) partial_barrier(b, "block barrier");
  if (b.cluster->arrived > 0) partial_barrier(b, "cluster barrier");
  if (b.ended == b.threads.size()) {
    for (const BoxCopy& copy : box_copies_)
      if (copy.thread->block == &b) fail(FaultKind::race, fmt::format("ends while a copy is in flight into {}", describe(copy.to)));
    const auto slot = reinterpret_cast<std::uintptr_t>(base_) + b.slot * kSlotBytes;
    std::erase_if(counting_, [&](const auto& entry) { return entry.first - slot < kSlotBytes; });
    end_block(b);
    if (--b.cluster->live == 0) ended_cluster_ = b.cluster;
  }
}

Worker* Machine::idle_worker() {
  if (!idle_.empty()) {
    Worker* w = idle_.back();
    idle_.pop_back();
    return w;
  }
  auto* w = new Worker;  // kept for the life of the process
  const auto page = static_cast<std::size_t>(sysconf(_SC_PAGESIZE));
  unsigned char* pages = map_pages(kStackBytes + page);
  mprotect(pages, page, PROT_NONE);
  w->stack = pages + page;
  begin(*w);
  return w;
}

void Machine::begin(Worker& w) {
  boost::context::stack_context context;
  context.sp = w.stack + kStackBytes;
  context.size = kStackBytes;
  w.fiber = boost::context::fiber(std::allocator_arg, boost::context::preallocated(context.sp, context.size, context), PooledStack{},
                                  [this, &w](boost::context::fiber&& from) {
                                    enter_worker(w, std::move(from));
                                    return boost::context::fiber();
                                  });
}

void Machine::renew(Worker& w) {
  new boost::context::fiber(std::move(w.fiber));
#if defined(ADJ_SIMT_ASAN)
  __asan_unpoison_memory_region(w.stack, kStackBytes);
#endif
  begin(w);
}

void Machine::enter_worker(Worker& worker, boost::context::fiber&& from) {
  scheduler_ = std::move(from);
#if defined(ADJ_SIMT_ASAN)
  __sanitizer_finish_switch_fiber(nullptr, &main_stack_, &main_stack_bytes_);
#endif
  for (;;) {
    launch_->call(launch_->params);
    end_thread(*worker.thread);
    suspend();
  }
}

void Machine::resume(Thread& t) {
  self_ = &t;
  t.started = true;
  Worker& w = *t.worker;
#if defined(ADJ_SIMT_ASAN)
  void* fake = nullptr;
  __sanitizer_start_switch_fiber(&fake, w.stack, kStackBytes);
  w.fiber = std::move(w.fiber).resume();
  __sanitizer_finish_switch_fiber(fake, nullptr, nullptr);
#else
  w.fiber = std::move(w.fiber).resume();
#endif
  self_ = nullptr;
}

void Machine::suspend() {
#if defined(ADJ_SIMT_ASAN)
  void* fake = nullptr;
  __sanitizer_start_switch_fiber(&fake, main_stack_, main_stack_bytes_);
  scheduler_ = std::move(scheduler_).resume();
  __sanitizer_finish_switch_fiber(fake, &main_stack_, &main_stack_bytes_);
#else
  scheduler_ = std::move(scheduler_).resume();
#endif
}

void Machine::pause() {
  if (rng_.below(2)) return;
  runnable_.push_back(self_);
  suspend();
}

}  // namespace simt
