#include "machine.hpp"

#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <bit>
#include <chrono>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <map>
#include <memory>
#include <unordered_map>
#include <vector>

#include <boost/context/fiber.hpp>
#include <dlfcn.h>
#include <fmt/format.h>

#include "access.hpp"
#include "device.hpp"
#include "matrix.hpp"

// ADJ_SIMT_ASAN is defined when the kernels are compiled with AddressSanitizer, ADJ_SIMT_UNCHECKED when nothing checks their accesses. The machine
// itself is never compiled with a sanitizer.
#if defined(ADJ_SIMT_ASAN)
#include <sanitizer/asan_interface.h>
#include <sanitizer/common_interface_defs.h>
#endif

extern "C" const char __executable_start, _end;

#if defined(ADJ_SIMT_ASAN)
// Reports end in abort(), whose signal adds kernel, block and thread. Abandoned threads are leaks by design.
extern "C" const char* __asan_default_options();
extern "C" const char* __ubsan_default_options();
extern "C" const char* __asan_default_options() { return "abort_on_error=1:detect_leaks=0"; }
extern "C" const char* __ubsan_default_options() { return "abort_on_error=1:print_stacktrace=1"; }
#endif

namespace simt {

namespace {

using u8 = std::uint8_t;
using u32 = std::uint32_t;
using u64 = std::uint64_t;

#if defined(ADJ_SIMT_ASAN) || defined(ADJ_SIMT_UNCHECKED)
constexpr bool kChecksAccesses = false;
constexpr std::size_t kStackBytes = 512 << 10;
#else
constexpr bool kChecksAccesses = true;
constexpr std::size_t kStackBytes = 128 << 10;
#endif
constexpr unsigned kWarp = 32;
constexpr unsigned kMostThreads = 1024;
constexpr unsigned kMostResident = 24;  // blocks in execution; at least one cluster of 16
constexpr std::size_t kGuard = 256;     // bytes between buffers
constexpr u8 kCanary = 0xA5;

// ---- address space: shared memory of the resident blocks, then global memory

constexpr std::size_t kSlotBytes = std::size_t{512} << 10;
constexpr std::size_t kDynamicOffset = std::size_t{256} << 10;  // of dynamic shared memory in a slot; static shared memory is below
constexpr std::size_t kSharedBytes = kSlotBytes * kMostResident;
constexpr std::size_t kGlobalBytes = std::size_t{512} << 20;
constexpr std::size_t kArenaBytes = kSharedBytes + kGlobalBytes;
constexpr std::size_t kStaticGuard = 64;

enum State : u8 { kNothing, kUninitialised, kInitialised, kReadOnly };

// Last accesses to a byte, as numbers of segments. The top bit marks atomic accesses; 0 is none.
struct Cell {
  u32 writer, reader[2];
};
constexpr u32 kAtomic = 0x80000000u;

// Segment: part of one thread's execution without an operation that orders it with other threads.
struct Segment {
  u32 block, thread, epoch, clock;
};

// Accesses of a block that come before a thread's present: all before `epoch`, and the accesses of each thread in
// `clocks` up to the thread's clock.
struct Known {
  u32 epoch = 0;
  std::map<u32, u32> clocks;
};
using Knowledge = std::map<u32, Known>;  // keys: numbers of blocks
using KnowledgePtr = std::shared_ptr<const Knowledge>;

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

// Knowledge released through one address. Readers remember how much of the log they saw.
using Log = std::vector<KnowledgePtr>;
struct Seen {
  std::shared_ptr<Log> log;
  std::size_t length = 0;
};

struct Block;
struct Worker;

enum class Wait { none, block_barrier, named_barrier, cluster_barrier, warp, done };

struct Thread {
  Block* block = nullptr;
  Worker* worker = nullptr;
  u32 index = 0;
  u32 segment = 0;  // 0: no access yet since the last ordering operation
  u32 clock = 1;
  Wait wait = Wait::none;
  bool started = false, failed = false;
  bool reads = false;  // may read: it has waited, or has begun beside the last grids
  bool waited = false;  // has waited for all earlier grids; before, it may read only memory that these do not write any more

  bool barrier_only = false;  // in warp_barrier rather than an exchange
  Exchange kind{};
  u32 mask = 0;
  Bits value = 0, result = 0;
  int argument = 0, width = 32;
  const void* brought = nullptr;  // operand of an operation of the whole warp
  const char* operation = "";     // name of that operation
  Vote vote = Vote::none;
  int barrier = 0, barrier_threads = 0;

  std::array<u32, kWarp> seen{};  // for each lane of the warp, the clock up to which its accesses come before this thread's present
  KnowledgePtr known, released;
  std::vector<Seen> pending;

  u32 lane() const { return index % kWarp; }
  u32 warp() const { return index / kWarp; }
};

struct Cluster {
  std::vector<Block*> blocks;
  u32 arrived = 0, live = 0;
  bool met = false;  // true: all blocks have been at a cluster barrier, so all have begun
};

struct Block {
  bool active = false;
  u32 number = 0;  // index in the grid
  u32 slot = 0;
  u32 epoch = 1;
  u32 arrived = 0, ended = 0;
  Cluster* cluster = nullptr;
  u32 rank = 0;
  std::vector<Thread> threads;
  std::vector<u32> warp_waiting;  // for each warp, a mask of the lanes that wait in a warp operation
  std::map<int, u32> named;
};

// A grid that may still run when the next one begins, and a flag for each of its segments that has ended by then.
struct Running {
  u32 first_segment;
  std::vector<bool> released;
};

struct Site {
  std::string name;
  std::size_t offset, bytes;
};

struct Buffer {
  std::string name;
  std::size_t offset, bytes;
};

struct Worker {
  Thread* thread = nullptr;
  unsigned char* stack = nullptr;
  boost::context::fiber fiber;
};

unsigned char* map_pages(std::size_t bytes) {
  void* p = mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (p == MAP_FAILED) {
    std::perror("mmap");
    std::abort();
  }
  return static_cast<unsigned char*>(p);
}

// Stack allocator that does nothing: stacks belong to workers, which are reused.
struct PooledStack {
  boost::context::stack_context allocate() { return {}; }
  void deallocate(boost::context::stack_context&) {}
};

struct Rng {
  u64 state = 1;
  u64 next() {
    u64 z = (state += 0x9e3779b97f4a7c15ull);
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9ull;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebull;
    return z ^ (z >> 31);
  }
  u32 below(u32 n) { return static_cast<u32>((next() >> 32) * n >> 32); }
};

class Machine;
Machine& machine();

class Machine {
 public:
  Machine() {
    base_ = map_pages(kArenaBytes);
#if defined(ADJ_SIMT_ASAN)
    __asan_poison_memory_region(base_, kArenaBytes);
#else
    state_ = map_pages(kArenaBytes);
    cells_ = reinterpret_cast<Cell*>(map_pages(kArenaBytes * sizeof(Cell)));
#endif
    blocks_.resize(kMostResident);
    for (u32 i = 0; i < kMostResident; ++i) blocks_[i].slot = i;
#if defined(ADJ_SIMT_ASAN)
    std::signal(SIGABRT, [](int) {
      Machine& m = machine();
      if (m.self_) fmt::print(stderr, "simt: {}\n", m.position(*m.self_));
      fmt::print(stderr, "simt: repeat with {}\n", m.reproduction_);
    });
#endif
  }

  // ---- global memory

  void reset_memory() {
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

  void* allocate(const std::string& name, std::size_t bytes, std::size_t misalign, State state) {
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

  void set_state(const void* address, std::size_t bytes, State state) { mark(offset_of(address), bytes, state); }

  std::optional<Fault> check_canaries() {
    std::size_t at = kSharedBytes;
    std::string before = "nothing";
    auto check = [&](std::size_t end, const std::string& after) -> std::optional<Fault> {
      for (; at < end; ++at)
        if (base_[at] != kCanary)
          return Fault{FaultKind::canary, fmt::format("a byte between {} and {} has changed", before, after)};
      return std::nullopt;
    };
    for (const Buffer& b : buffers_) {
      if (auto fault = check(b.offset, b.name)) return fault;
      at = b.offset + b.bytes;
      before = b.name;
    }
    return check(top_, "the end");
  }

  // ---- launches

  std::optional<Fault> launch(const Launch& l, u64 seed) {
    launch_ = &l;
    rng_.state = seed * 0x2545f4914f6cdd1dull + 0x1234567;
    fault_.reset();
    sites_.clear();
    static_top_ = kStaticGuard;
    logs_.clear();
    segments_.clear();
    first_segment_ = next_segment_;
    runnable_.clear();
    deadline_ = std::chrono::steady_clock::now() + std::chrono::duration_cast<std::chrono::steady_clock::duration>(
                                                       std::chrono::duration<double>(l.seconds));
    ++counters_.launches;
    waited_ = lets_ = lets_after_waiting_ = false;
    released_epochs_.clear();
    if (!l.early) running_.clear();
    run();
    if (!fault_ && l.early && !waited_)
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

  const Launch& current() const { return *launch_; }
  void wait_for_earlier_grids() { self_->reads = self_->waited = waited_ = true; }
  void begin_beside_last_grids() { self_->reads = true; }
  // The next grid begins when all blocks have called this or have ended. Grids that one of the blocks has waited for have then ended.
  void let_next_grid_begin() {
    lets_ = true;
    lets_after_waiting_ |= !launch_->early || self_->waited;
  }
  // Lets the next grid begin and read all that the block wrote before its last barrier.
  void let_next_grid_read() {
    let_next_grid_begin();
    released_epochs_[self_->block->number] = self_->block->epoch;
  }
  Thread* self() const { return self_; }

  // ---- called by kernels, on the stack of a thread

  int block_barrier(Vote vote, bool predicate) {
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

  void named_barrier(int barrier, int threads) {
    Thread& t = *self_;
    Block& b = *t.block;
    if (barrier < 1 || barrier > 15 || threads <= 0 || threads % static_cast<int>(kWarp) != 0 ||
        static_cast<std::size_t>(threads) > b.threads.size())
      fail(FaultKind::partial_barrier, fmt::format("named barrier {} for {} threads, the block has {}", barrier, threads, b.threads.size()));
    t.barrier = barrier;
    t.barrier_threads = threads;
    t.wait = Wait::named_barrier;
    if (++b.named[barrier] == static_cast<u32>(threads)) {
      b.named[barrier] = 0;
      std::vector<Thread*> group;
      for (Thread& other : b.threads)
        if (other.wait == Wait::named_barrier && other.barrier == barrier) group.push_back(&other);
      for (Thread* other : group)
        if (other->barrier_threads != threads)
          fail(FaultKind::partial_barrier, fmt::format("named barrier {} for {} threads here and for {} in thread {}", barrier, threads,
                                                       other->barrier_threads, other->index));
      synchronise(group);
      for (Thread* other : group) release_thread(*other);
    }
    suspend();
  }

  void cluster_barrier() {
    Thread& t = *self_;
    Cluster& c = *t.block->cluster;
    for (Block* b : c.blocks)
      if (b->ended > 0) partial_barrier(*b, "cluster barrier");
    t.wait = Wait::cluster_barrier;
    if (++c.arrived == c.blocks.size() * t.block->threads.size()) complete_cluster_barrier(c);
    suspend();
  }

  Bits exchange(bool barrier_only, Exchange kind, u32 mask, Bits value, int argument, int width) {
    Thread& t = *self_;
    Block& b = *t.block;
    mask &= existing_lanes(b, t.warp());
    if (!(mask >> t.lane() & 1)) fail(FaultKind::bad_lane, fmt::format("lane {} calls a warp operation with mask {:#010x}, which leaves it out",
                                                                       t.lane(), mask));
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

  // Calls use(of) while all lanes of a whole warp are in the same operation; of(lane) is the operand of that lane.
  template <class Use>
  void together(const char* operation, const void* mine, Use use) {
    Thread& t = *self_;
    const Thread* lanes = &t.block->threads[t.warp() * kWarp];
    if (existing_lanes(*t.block, t.warp()) != ~0u) fail(FaultKind::partial_warp, fmt::format("{} by part of a warp", operation));
    t.brought = mine;
    t.operation = operation;
    exchange(false, Exchange::all, ~0u, 0, 0, 32);
    for (u32 lane = 0; lane < kWarp; ++lane)
      if (lanes[lane].operation != operation)
        fail(FaultKind::partial_warp, fmt::format("lanes {} and {} of warp {} are at different warp operations", t.lane(), lane, t.warp()));
    use([lanes](u32 lane) { return lanes[lane].brought; });
    exchange(false, Exchange::all, ~0u, 0, 0, 32);  // no lane goes on before all have read
  }

  Bits atomic(Rmw op, Type type, void* address, Bits operand, Bits compare, Order order) {
    Thread& t = *self_;
    pause();
    const std::size_t size = size_of(type);
    const auto at = reinterpret_cast<std::uintptr_t>(address);
    if (at % size != 0) fail(FaultKind::misaligned, fmt::format("atomic operation of {} bytes on {}", size, describe(at)));
    if (op == Rmw::load) access<false>(at, size, kAtomic);
    else access<true>(at, size, kAtomic, op != Rmw::store);

    if (!kChecksAccesses) {
      const Bits old = apply(op, type, address, operand, compare);
      pause();
      return old;
    }
    const bool acquires = order == Order::acquire || order == Order::acq_rel;
    const bool releases = order == Order::release || order == Order::acq_rel;
    auto& log = logs_[at];
    if (!log) log = std::make_shared<Log>();
    if (op != Rmw::store && !log->empty()) {
      if (acquires) acquire(t, {log, log->size()});
      else if (!t.pending.empty() && t.pending.back().log == log) t.pending.back().length = log->size();
      else t.pending.push_back({log, log->size()});
    }
    if (op == Rmw::store) log = std::make_shared<Log>();
    if (op != Rmw::load) {
      KnowledgePtr published = releases ? snapshot(t) : t.released;
      if (published && (log->empty() || log->back() != published)) log->push_back(std::move(published));
    }
    const Bits old = apply(op, type, address, operand, compare);
    pause();
    return old;
  }

  void fence(bool device) {
    if (!device) return;
    if (!kChecksAccesses) return pause();
    Thread& t = *self_;
    for (const Seen& seen : t.pending) acquire(t, seen);
    t.pending.clear();
    t.released = snapshot(t);
    pause();
  }

  void* static_shared(const void* site, const char* name, std::size_t bytes, std::size_t alignment) {
    auto it = sites_.find(site);
    if (it == sites_.end()) {
      const std::size_t offset = round_up(static_top_, std::max<std::size_t>(alignment, 16));
      static_top_ = offset + bytes + kStaticGuard;
      static_bytes_ += bytes;
      if (static_top_ > kDynamicOffset || static_bytes_ + launch_->shared_bytes > launch_->shared_limit)
        fail(FaultKind::bad_launch, fmt::format("{} bytes of static shared memory and {} of dynamic exceed {}", static_bytes_,
                                                launch_->shared_bytes, launch_->shared_limit));
      it = sites_.emplace(site, Site{name, offset, bytes}).first;
      for (Block& b : blocks_)
        if (b.active) open_shared(b.slot * kSlotBytes + offset, bytes);
    }
    return base_ + self_->block->slot * kSlotBytes + it->second.offset;
  }
  unsigned char* dynamic_shared() { return base_ + self_->block->slot * kSlotBytes + kDynamicOffset; }

  void* map_shared(const void* address, u32 rank) {
    const Block& b = *self_->block;
    const std::size_t offset = offset_of(address);
    if (offset >= kSharedBytes || offset / kSlotBytes != b.slot)
      fail(FaultKind::out_of_bounds, fmt::format("the address mapped to block {} of the cluster is not in this block's shared memory", rank));
    if (rank >= b.cluster->blocks.size())
      fail(FaultKind::out_of_bounds, fmt::format("block {} of a cluster of {}", rank, b.cluster->blocks.size()));
    return base_ + b.cluster->blocks[rank]->slot * kSlotBytes + offset % kSlotBytes;
  }

  // Checks and records an access of the running thread.
  template <bool write>
  void access(std::uintptr_t address, std::size_t bytes, u32 atomic = 0, bool reads_too = false) {
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
        if (write && state == kReadOnly) fail(FaultKind::read_only, fmt::format("{} of {} bytes at {}", verb<write>(atomic), bytes, describe(address + i)));
        if ((!write || reads_too) && state == kUninitialised && !(bytes > 16 && is_padding(offset + i)))
          fail(FaultKind::uninitialised, fmt::format("{} of {} bytes at {}", verb<write>(atomic), bytes, describe(address + i)));
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

  // Checks an access of a thread that has begun beside the last grids.
  template <bool write>
  void check_running(std::uintptr_t address, std::size_t offset, std::size_t bytes, u32 atomic) {
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

  // True for bytes that may be padding of a copied structure, which is never written: bytes in an aligned word with at least one written byte.
  bool is_padding(std::size_t offset) const {
    const u8* word = state_ + offset / 8 * 8;
    return std::any_of(word, word + 8, [](u8 state) { return state == kInitialised || state == kReadOnly; });
  }

  void check_aligned(const void* address, std::size_t alignment) {
    const auto at = reinterpret_cast<std::uintptr_t>(address);
    if (self_ && at % alignment != 0) fail(FaultKind::misaligned, fmt::format("access of {} bytes at {}", alignment, describe(at)));
  }

  // Reports a fault of the running thread, which never goes on.
  [[noreturn]] void fail(FaultKind kind, const std::string& what) {
    report(kind, *self_, what + source_of_caller());
    self_->failed = true;
    for (;;) suspend();
  }

  std::string position(const Thread& t) const {
    const u32 n = t.block->number;
    const unsigned* grid = launch_->grid;
    return fmt::format("{} block ({},{},{}) thread {}", launch_->name, n % grid[0], n / grid[0] % grid[1], n / grid[0] / grid[1], t.index);
  }

  const Counters& counters() const { return counters_; }
  void set_reproduction(std::string arguments) { reproduction_ = std::move(arguments); }

  void enter_worker(Worker& worker, boost::context::fiber&& from) {
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

 private:
  static std::size_t round_up(std::size_t n, std::size_t to) { return (n + to - 1) / to * to; }
  std::size_t offset_of(const void* address) const {
    return static_cast<std::size_t>(static_cast<const unsigned char*>(address) - base_);
  }

  void mark(std::size_t offset, std::size_t bytes, State state) {
    if (bytes == 0) return;
#if defined(ADJ_SIMT_ASAN)
    if (state == kNothing) __asan_poison_memory_region(base_ + offset, bytes);
    else __asan_unpoison_memory_region(base_ + offset, bytes);
#else
    std::memset(state_ + offset, state, bytes);
#endif
  }

  // Marks shared memory as unwritten, and fills it with a pattern.
  void open_shared(std::size_t offset, std::size_t bytes) {
    mark(offset, bytes, kUninitialised);
    std::memset(base_ + offset, 0xCD, bytes);
    if (kChecksAccesses) std::memset(static_cast<void*>(cells_ + offset), 0, bytes * sizeof(Cell));
  }

  // ---- order

  u32 segment_of(Thread& t) {
    if (!t.segment) {
      t.segment = next_segment_++;
      segments_.push_back({t.block->number, t.index, t.block->epoch, t.clock});
    }
    return t.segment;
  }

  bool ordered(const Segment& s, const Thread& t) const {
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

  bool concurrent(u32 earlier) const {
    const u32 id = earlier & ~kAtomic;
    return id >= first_segment_ && id != self_->segment && !ordered(segments_[id - first_segment_], *self_);
  }
  bool conflicts(u32 earlier, u32 me) const { return !(earlier & me & kAtomic) && concurrent(earlier); }

  // All accesses that come before the thread's present.
  KnowledgePtr snapshot(Thread& t) {
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

  void acquire(Thread& t, const Seen& seen) {
    auto k = t.known ? std::make_shared<Knowledge>(*t.known) : std::make_shared<Knowledge>();
    for (std::size_t i = 0; i < seen.length; ++i) join(*k, *(*seen.log)[i]);
    t.known = std::move(k);
    t.segment = 0;
  }

  // Gives all members of a group all that any of them knows, has released and has observed.
  template <class Group>
  void share(const Group& group) {
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

  // Orders the threads of a part of a block: accesses of each before this come before accesses of any after it.
  void synchronise(const std::vector<Thread*>& group) {
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

  // ---- completing

  void release_thread(Thread& t) {
    t.wait = Wait::none;
    runnable_.push_back(&t);
  }

  void complete_block_barrier(Block& b) {
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

  void complete_cluster_barrier(Cluster& c) {
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

  static u32 existing_lanes(const Block& b, u32 warp) {
    const std::size_t lanes = std::min<std::size_t>(kWarp, b.threads.size() - warp * kWarp);
    return lanes == kWarp ? ~0u : (1u << lanes) - 1;
  }

  void complete_warp(Block& b, Thread* lanes, u32 mask) {
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

  Bits result_of(const Thread& t, const Thread* lanes, u32 mask) {
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
    if (width < 1 || width > static_cast<int>(kWarp) || (width & (width - 1)))
      fail(FaultKind::bad_lane, fmt::format("a shuffle of width {}", width));
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

  // ---- atomics

  static std::size_t size_of(Type type) {
    switch (type) {
      case Type::u8: return 1;
      case Type::u16: return 2;
      case Type::u32: case Type::i32: case Type::f32: return 4;
      default: return 8;
    }
  }
  template <class T>
  static Bits apply_as(Rmw op, void* address, Bits operand, Bits compare) {
    T old, v = from_bits<T>(operand);
    std::memcpy(&old, address, sizeof old);
    T now = old;
    switch (op) {
      case Rmw::load: return to_bits(old);
      case Rmw::store: case Rmw::exchange: now = v; break;
      case Rmw::add:
        if constexpr (std::is_floating_point_v<T>) now = old + v;
        else now = static_cast<T>(static_cast<u64>(old) + static_cast<u64>(v));
        break;
      case Rmw::min: now = std::min(old, v); break;
      case Rmw::max: now = std::max(old, v); break;
      case Rmw::cas: now = old == from_bits<T>(compare) ? v : old; break;
      default:
        if constexpr (std::is_integral_v<T>) {
          if (op == Rmw::and_) now = static_cast<T>(old & v);
          else if (op == Rmw::or_) now = static_cast<T>(old | v);
          else if (op == Rmw::xor_) now = static_cast<T>(old ^ v);
          else if (op == Rmw::inc) now = old >= v ? T{0} : static_cast<T>(old + 1);
          else now = old == 0 || old > v ? v : static_cast<T>(old - 1);
        }
    }
    std::memcpy(address, &now, sizeof now);
    return to_bits(old);
  }
  static Bits apply(Rmw op, Type type, void* address, Bits operand, Bits compare) {
    switch (type) {
      case Type::u8: return apply_as<u8>(op, address, operand, compare);
      case Type::u16: return apply_as<std::uint16_t>(op, address, operand, compare);
      case Type::u32: return apply_as<u32>(op, address, operand, compare);
      case Type::i32: return apply_as<std::int32_t>(op, address, operand, compare);
      case Type::u64: return apply_as<u64>(op, address, operand, compare);
      case Type::i64: return apply_as<std::int64_t>(op, address, operand, compare);
      case Type::f32: return apply_as<float>(op, address, operand, compare);
      case Type::f64: return apply_as<double>(op, address, operand, compare);
    }
    return 0;
  }

  // ---- running

  void run() {
    const Launch& l = *launch_;
    auto refuse = [&](const std::string& what) { fault_ = Fault{FaultKind::bad_launch, fmt::format("{}: {}", l.name, what)}; };
    if (l.block == 0 || l.block > kMostThreads) return refuse(fmt::format("{} threads in a block", l.block));
    if (l.grid[0] == 0 || l.grid[1] == 0 || l.grid[2] == 0 || l.grid[1] > 65535 || l.grid[2] > 65535)
      return refuse(fmt::format("grid {} x {} x {}", l.grid[0], l.grid[1], l.grid[2]));
    if (l.cluster == 0 || l.cluster > 16 || l.grid[0] % l.cluster != 0)
      return refuse(fmt::format("clusters of {} blocks in a grid of {}", l.cluster, l.grid[0]));
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
      if ((++counters_.switches & 0xfffff) == 0) check_time();
    }
  }

  void start_cluster(u32 group) {
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

  void end_block(Block& b) {
    b.active = false;
    mark(b.slot * kSlotBytes, kDynamicOffset + launch_->shared_bytes, kNothing);
    for (Thread& t : b.threads) {
      if (t.failed || (t.wait != Wait::done && t.started)) renew(*t.worker);
      idle_.push_back(t.worker);
    }
  }

  // Ends a thread; runs on the thread's own stack.
  void end_thread(Thread& t) {
    Block& b = *t.block;
    // A thread that has begun beside the last grids may leave the waiting to another thread.
    if (launch_->early && !t.reads) fail(FaultKind::early, "ends without having waited for the grids before it");
    t.wait = Wait::done;
    ++b.ended;
    if (b.arrived > 0) partial_barrier(b, "block barrier");
    if (b.cluster->arrived > 0) partial_barrier(b, "cluster barrier");
    if (b.ended == b.threads.size()) {
      end_block(b);
      if (--b.cluster->live == 0) ended_cluster_ = b.cluster;
    }
  }

  Worker* idle_worker() {
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

  void begin(Worker& w) {
    boost::context::stack_context context;
    context.sp = w.stack + kStackBytes;
    context.size = kStackBytes;
    w.fiber = boost::context::fiber(std::allocator_arg, boost::context::preallocated(context.sp, context.size, context), PooledStack{},
                                    [this, &w](boost::context::fiber&& from) {
                                      enter_worker(w, std::move(from));
                                      return boost::context::fiber();
                                    });
  }

  // Starts a worker afresh on its stack when its launch ended in the middle of a kernel. The old fiber is leaked: destroying it would unwind the
  // kernel.
  void renew(Worker& w) {
    new boost::context::fiber(std::move(w.fiber));
#if defined(ADJ_SIMT_ASAN)
    __asan_unpoison_memory_region(w.stack, kStackBytes);
#endif
    begin(w);
  }

  void resume(Thread& t) {
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

  // Switches to the scheduler, until it picks the thread again.
  void suspend() {
#if defined(ADJ_SIMT_ASAN)
    void* fake = nullptr;
    __sanitizer_start_switch_fiber(&fake, main_stack_, main_stack_bytes_);
    scheduler_ = std::move(scheduler_).resume();
    __sanitizer_finish_switch_fiber(fake, &main_stack_, &main_stack_bytes_);
#else
    scheduler_ = std::move(scheduler_).resume();
#endif
  }

  // Lets other threads run in between, in half of the calls.
  void pause() {
    if (rng_.below(2)) return;
    runnable_.push_back(self_);
    suspend();
  }

  // ---- reports

  void report(FaultKind kind, const Thread& t, const std::string& what) {
    if (!fault_) fault_ = Fault{kind, fmt::format("{}: {}: {}", position(t), fault_name(kind), what)};
  }

  void check_time() {
    if (std::chrono::steady_clock::now() < deadline_) return;
    if (self_) fail(FaultKind::no_end, fmt::format("still running after {} s", launch_->seconds));
    for (const Block& b : blocks_)
      if (b.active) return report(FaultKind::no_end, b.threads[0], fmt::format("its launch is still running after {} s", launch_->seconds));
  }

  static std::string ranges(const std::vector<u32>& sorted) {
    std::string text;
    for (std::size_t i = 0; i < sorted.size();) {
      std::size_t j = i;
      while (j + 1 < sorted.size() && sorted[j + 1] == sorted[j] + 1) ++j;
      if (!text.empty()) text += ", ";
      text += i == j ? fmt::format("{}", sorted[i]) : fmt::format("{}..{}", sorted[i], sorted[j]);
      i = j + 1;
    }
    return text.empty() ? "none" : text;
  }
  static std::string waiting_where(const Block& b) {
    std::map<std::string, std::vector<u32>> places;
    for (const Thread& t : b.threads) {
      std::string place;
      switch (t.wait) {
        case Wait::none: place = "running"; break;
        case Wait::block_barrier: place = "at the block barrier"; break;
        case Wait::named_barrier: place = fmt::format("at named barrier {}", t.barrier); break;
        case Wait::cluster_barrier: place = "at the cluster barrier"; break;
        case Wait::warp: place = fmt::format("at a warp {} of mask {:#010x}", t.barrier_only ? "barrier" : "exchange", t.mask); break;
        case Wait::done: place = "ended"; break;
      }
      places[place].push_back(t.index);
    }
    std::string text;
    for (const auto& [place, threads] : places) text += fmt::format("{}threads {} {}", text.empty() ? "" : "; ", ranges(threads), place);
    return text;
  }

  [[noreturn]] void partial_barrier(const Block& b, const char* what) {
    fail(FaultKind::partial_barrier, fmt::format("{} reached by part of the block: {}", what, waiting_where(b)));
  }

  void report_deadlock() {
    for (Wait place : {Wait::warp, Wait::block_barrier, Wait::named_barrier, Wait::cluster_barrier})
      for (const Block& b : blocks_) {
        if (!b.active) continue;
        for (const Thread& t : b.threads) {
          if (t.wait != place) continue;
          const FaultKind kind = place == Wait::warp ? FaultKind::partial_warp : FaultKind::partial_barrier;
          return report(kind, t, fmt::format("waits for ever: {}", waiting_where(b)));
        }
      }
    fault_ = Fault{FaultKind::deadlock, fmt::format("{}: nobody can go on", launch_->name)};
  }

  template <bool write>
  static const char* verb(u32 atomic) { return atomic ? "atomic access" : write ? "write" : "read"; }

  std::string describe(std::uintptr_t address) const {
    const std::size_t offset = address - reinterpret_cast<std::uintptr_t>(base_);
    if (const std::size_t at = address - reinterpret_cast<std::uintptr_t>(launch_->params); at < launch_->param_bytes + 64)
      return fmt::format("parameters + {} (of {} bytes)", at, launch_->param_bytes);
    if (offset >= kArenaBytes) return fmt::format("{:#x}, which is no buffer", address);
    if (offset < kSharedBytes) {
      const std::size_t at = offset % kSlotBytes;
      const Block& b = blocks_[offset / kSlotBytes];
      const std::string whose = self_ && b.slot == self_->block->slot ? "" : fmt::format(" of block {}", b.number);
      if (at + 64 >= kDynamicOffset)
        return fmt::format("dynamic shared memory{} + {} (of {} bytes)", whose, static_cast<long long>(at) - static_cast<long long>(kDynamicOffset),
                           launch_->shared_bytes);
      const Site* best = nullptr;
      long long distance = 0;
      for (const auto& [key, site] : sites_) {
        const auto d = static_cast<long long>(at) - static_cast<long long>(site.offset);
        const long long past = d < 0 ? -d : std::max<long long>(0, d - static_cast<long long>(site.bytes));
        if (!best || past < distance) best = &site, distance = past;
      }
      if (best)
        return fmt::format("shared {}{} + {} (of {} bytes)", best->name, whose, static_cast<long long>(at) - static_cast<long long>(best->offset), best->bytes);
      return fmt::format("shared memory{} + {}", whose, at);
    }
    const Buffer* best = nullptr;
    long long distance = 0;
    for (const Buffer& b : buffers_) {
      const auto d = static_cast<long long>(offset) - static_cast<long long>(b.offset);
      const long long past = d < 0 ? -d : std::max<long long>(0, d - static_cast<long long>(b.bytes) + 1);
      if (!best || past < distance) best = &b, distance = past;
    }
    if (!best) return fmt::format("global memory + {}, which is no buffer", offset);
    return fmt::format("{} + {} (of {} bytes)", best->name, static_cast<long long>(offset) - static_cast<long long>(best->offset), best->bytes);
  }

  template <bool write>
  [[noreturn]] void race(std::uintptr_t address, u32 other, bool other_writes, u32 atomic) {
    const Segment& s = segments_[(other & ~kAtomic) - first_segment_];
    fail(FaultKind::race, fmt::format("{} of {}, unordered with {} {} by block {} thread {}", verb<write>(atomic), describe(address),
                                      other_writes ? "the" : "a", (other & kAtomic) ? "atomic access" : other_writes ? "write" : "read",
                                      s.block, s.thread));
  }

  template <bool write>
  void outside(std::uintptr_t address, std::size_t bytes) {
    const auto begin = reinterpret_cast<std::uintptr_t>(&__executable_start), end = reinterpret_cast<std::uintptr_t>(&_end);
    if (!write && address >= begin && address < end) return;
    fail(FaultKind::out_of_bounds, fmt::format("{} of {} bytes at {}", verb<write>(0), bytes, describe(address)));
  }

  void check_remote(std::uintptr_t address, std::size_t slot) {
    const Block& b = blocks_[slot];
    if (!b.active || b.cluster != self_->block->cluster)
      fail(FaultKind::out_of_bounds, fmt::format("access to {}, outside of the cluster", describe(address)));
    if (&b != self_->block && !b.cluster->met)
      fail(FaultKind::out_of_bounds, fmt::format("access to {}, of a block that may not have begun: no cluster barrier came before", describe(address)));
  }

  // Source lines, from addr2line, of the kernel's frames that called into the machine.
  std::string source_of_caller() const {
    const auto low = reinterpret_cast<std::uintptr_t>(self_->worker->stack);
    auto* frame = static_cast<void**>(__builtin_frame_address(0));
    std::string addresses;
    for (int depth = 0; depth < 16; ++depth) {
      const auto at = reinterpret_cast<std::uintptr_t>(frame);
      if (at < low || at + 16 > low + kStackBytes || at % 8 != 0) break;
      Dl_info info{};
      if (!dladdr(frame[1], &info) || !info.dli_fbase) break;
      addresses += fmt::format(" {:#x}", reinterpret_cast<std::uintptr_t>(frame[1]) - reinterpret_cast<std::uintptr_t>(info.dli_fbase) - 1);
      frame = static_cast<void**>(frame[0]);
    }
    char exe[512];
    const ssize_t n = readlink("/proc/self/exe", exe, sizeof exe - 1);
    if (addresses.empty() || n <= 0) return "";
    exe[n] = '\0';
    const std::string command = fmt::format("addr2line -i -e '{}'{} 2>/dev/null", exe, addresses);
    std::string result;
    if (FILE* pipe = popen(command.c_str(), "r")) {
      char line[512];
      while (std::fgets(line, sizeof line, pipe)) {
        std::string text(line);
        const std::size_t end = text.find_first_of(" \n");
        text.resize(std::min(end, text.size()));
        const std::size_t kernels = text.rfind(".cu");
        if (kernels == std::string::npos) continue;
        const std::size_t slash = text.rfind('/', kernels);
        result += (result.empty() ? " [" : " < ") + text.substr(slash == std::string::npos ? 0 : slash + 1);
      }
      pclose(pipe);
    }
    return result.empty() ? "" : result + "]";
  }

  unsigned char* base_ = nullptr;
  u8* state_ = nullptr;
  Cell* cells_ = nullptr;
  std::vector<Running> running_;           // grids that may still run, in order
  std::map<u32, u32> released_epochs_;     // for each block, the epoch before which the next grid may read
  bool lets_ = false, lets_after_waiting_ = false;
  std::size_t top_ = kSharedBytes;
  std::vector<Buffer> buffers_;

  const Launch* launch_ = nullptr;
  Thread* self_ = nullptr;
  std::optional<Fault> fault_;
  bool waited_ = false;  // true when a thread of this launch has waited for earlier grids
  Rng rng_;
  Counters counters_;
  std::string reproduction_;
  std::chrono::steady_clock::time_point deadline_;
  std::map<const void*, Site> sites_;
  std::size_t static_top_ = 0, static_bytes_ = 0;
  std::unordered_map<std::uintptr_t, std::shared_ptr<Log>> logs_;
  std::vector<Segment> segments_;
  u32 first_segment_ = 1, next_segment_ = 1;

  std::vector<Block> blocks_;
  std::vector<Cluster> clusters_;
  Cluster* ended_cluster_ = nullptr;
  std::vector<u32> order_;
  std::vector<Thread*> runnable_, group_;
  std::vector<Worker*> idle_;
  boost::context::fiber scheduler_;
  [[maybe_unused]] const void* main_stack_ = nullptr;
  [[maybe_unused]] std::size_t main_stack_bytes_ = 0;
};

// The machine. It is never destroyed: its fibers do not end.
Machine& machine() {
  static Machine* m = new Machine;
  return *m;
}
Machine& m = machine();

State state_of(Contents contents) {
  switch (contents) {
    case Contents::uninitialised: return kUninitialised;
    case Contents::read_only: return kReadOnly;
    default: return kInitialised;
  }
}

}  // namespace

const char* fault_name(FaultKind kind) {
  switch (kind) {
    case FaultKind::none: return "no fault";
    case FaultKind::out_of_bounds: return "out of bounds";
    case FaultKind::uninitialised: return "uninitialised read";
    case FaultKind::read_only: return "write to an input";
    case FaultKind::race: return "race";
    case FaultKind::misaligned: return "misaligned access";
    case FaultKind::partial_barrier: return "partial barrier";
    case FaultKind::partial_warp: return "partial warp operation";
    case FaultKind::bad_lane: return "bad lane";
    case FaultKind::deadlock: return "deadlock";
    case FaultKind::no_end: return "no end";
    case FaultKind::bad_launch: return "bad launch";
    case FaultKind::canary: return "canary";
    case FaultKind::early: return "early";
    case FaultKind::trap: return "trap";
  }
  return "?";
}

void reset_memory() { m.reset_memory(); }
void* allocate(const std::string& name, std::size_t bytes, std::size_t misalign, Contents contents) {
  return m.allocate(name, bytes, misalign, state_of(contents));
}
void set_contents(const void* address, std::size_t bytes, Contents contents) { m.set_state(address, bytes, state_of(contents)); }
std::optional<Fault> check_canaries() { return m.check_canaries(); }
std::optional<Fault> launch(const Launch& l, std::uint64_t seed) { return m.launch(l, seed); }
bool checks_accesses() { return kChecksAccesses; }
const Counters& counters() { return m.counters(); }
void set_reproduction(std::string arguments) { m.set_reproduction(std::move(arguments)); }

void on_read(const void* address, std::size_t bytes) { m.access<false>(reinterpret_cast<std::uintptr_t>(address), bytes); }
void on_write(const void* address, std::size_t bytes) { m.access<true>(reinterpret_cast<std::uintptr_t>(address), bytes); }

// ---- functions that device.hpp declares

Index thread_index() { return {m.self()->index, 0, 0}; }
Index block_index() {
  const unsigned* grid = m.current().grid;
  const u32 n = m.self()->block->number;
  return {n % grid[0], n / grid[0] % grid[1], n / grid[0] / grid[1]};
}
Index block_shape() { return {m.current().block, 1, 1}; }
Index grid_shape() { return {m.current().grid[0], m.current().grid[1], m.current().grid[2]}; }
unsigned cluster_rank() { return m.self()->block->rank; }
unsigned cluster_blocks() { return m.current().cluster; }

void wait_for_earlier_grids() { m.wait_for_earlier_grids(); }
void begin_beside_last_grids() { m.begin_beside_last_grids(); }
void let_next_grid_begin() { m.let_next_grid_begin(); }
void let_next_grid_read() { m.let_next_grid_read(); }
int block_barrier(Vote vote, bool predicate) { return m.block_barrier(vote, predicate); }
void named_barrier(int barrier, int threads) { m.named_barrier(barrier, threads); }
void cluster_barrier() { m.cluster_barrier(); }
void warp_barrier(unsigned mask) { m.exchange(true, Exchange::ballot, mask, 0, 0, 32); }
Bits exchange(Exchange kind, unsigned mask, Bits value, int argument, int width) {
  return m.exchange(false, kind, mask, value, argument, width);
}
Bits atomic(Rmw op, Type type, void* address, Bits operand, Bits compare, Order order) {
  return m.atomic(op, type, address, operand, compare, order);
}
void fence(bool device) { m.fence(device); }
void* static_shared(const void* site, const char* name, size_t bytes, size_t alignment) { return m.static_shared(site, name, bytes, alignment); }
unsigned char* dynamic_shared() { return m.dynamic_shared(); }
void* map_shared(const void* address, unsigned rank) { return m.map_shared(address, rank); }
void check_aligned(const void* address, size_t alignment) { m.check_aligned(address, alignment); }
void trap(const char* what) { m.fail(FaultKind::trap, what); }

float f16_to_f32(unsigned short bits) {
  const u32 sign = (bits & 0x8000u) << 16;
  const u32 exponent = (bits >> 10) & 31, fraction = bits & 0x3ffu;
  if (exponent == 31) return std::bit_cast<float>(sign | 0x7f800000u | (fraction << 13) | (fraction ? 0x400000u : 0u));
  const float magnitude = exponent ? std::ldexp(static_cast<float>(1024 + fraction), static_cast<int>(exponent) - 25)
                                   : std::ldexp(static_cast<float>(fraction), -24);
  return sign ? -magnitude : magnitude;
}

namespace {
// Rounds to a format with `digits` bits of significand and a least exponent, to nearest even.
double round_to(double v, int digits, int least) {
  int exponent = 0;
  std::frexp(v, &exponent);
  const int unit = std::max(exponent - digits, least);
  return std::ldexp(std::nearbyint(std::ldexp(v, -unit)), unit);
}
}  // namespace

void from_lanes(Bits mine, Bits (&all)[32]) {
  m.together("a load of matrices", &mine, [&](auto of) {
    for (u32 lane = 0; lane < kWarp; ++lane) std::memcpy(&all[lane], of(lane), sizeof(Bits));
  });
}
namespace {
const std::vector<float>& all_halves() {
  static const auto* table = [] {
    auto* values = new std::vector<float>;
    for (u32 bits = 0; bits < 65536; ++bits) values->push_back(f16_to_f32(static_cast<unsigned short>(bits)));
    return values;
  }();
  return *table;
}
}  // namespace
void multiply_add_matrices(bool bf16, float (&c)[4], const unsigned (&a)[4], const unsigned (&b)[2]) {
  const std::vector<float>& halves = all_halves();
  struct Operands {
    unsigned a[4], b[2];
  } mine;
  std::memcpy(mine.a, a, sizeof mine.a);
  std::memcpy(mine.b, b, sizeof mine.b);
  m.together(bf16 ? "a product of bf16 matrices" : "a product of f16 matrices", &mine, [&](auto of) {
    const u32 lane = m.self()->lane(), row = lane / 4, column = lane % 4 * 2;
    for (u32 k = 0; k < 16; ++k) {
      const auto number = [&](unsigned word) {
        const u32 bits = k % 2 ? word >> 16 : word & 0xffffu;
        return bf16 ? std::bit_cast<float>(bits << 16) : halves[bits];
      };
      const auto& of_row = *static_cast<const Operands*>(of(row * 4 + k % 8 / 2));
      for (u32 j = 0; j < 2; ++j) {
        const float factor = number(static_cast<const Operands*>(of((column + j) * 4 + k % 8 / 2))->b[k / 8]);
        for (u32 i = 0; i < 2; ++i) c[2 * i + j] = std::fma(number(of_row.a[2 * (k / 8) + i]), factor, c[2 * i + j]);
      }
    }
  });
}

unsigned short f64_to_f16(double v) {
  if (std::isnan(v)) return 0x7fff;
  const unsigned sign = std::signbit(v) ? 0x8000u : 0u;
  const double r = std::isinf(v) ? v : round_to(std::fabs(v), 11, -24);
  const double a = std::fabs(r);
  if (a >= 65536) return static_cast<unsigned short>(sign | 0x7c00u);
  if (a < 0x1p-14) return static_cast<unsigned short>(sign | static_cast<unsigned>(std::ldexp(a, 24)));
  int exponent = 0;
  std::frexp(a, &exponent);
  const auto fraction = static_cast<unsigned>(std::ldexp(a, 11 - exponent)) - 1024;
  return static_cast<unsigned short>(sign | static_cast<unsigned>(exponent + 14) << 10 | fraction);
}
unsigned short f32_to_bf16(float v) {
  if (std::isnan(v)) return 0x7fff;
  const u32 bits = std::bit_cast<u32>(v);
  return static_cast<unsigned short>((bits + 0x7fffu + (bits >> 16 & 1u)) >> 16);
}

}  // namespace simt
