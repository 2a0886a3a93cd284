// The machine of machine.hpp from inside: its threads, blocks and memory. Each source beside this header defines one side of it.
#pragma once

#include <algorithm>
#include <array>
#include <ctime>
#include <map>
#include <memory>
#include <unordered_map>
#include <vector>

#include <boost/context/fiber.hpp>
#include <fmt/format.h>

#include "device.hpp"
#include "machine.hpp"
#include "matrix.hpp"

// ADJ_SIMT_ASAN is defined when the kernels are compiled with AddressSanitizer, ADJ_SIMT_UNCHECKED when nothing checks their accesses. The machine
// itself is never compiled with a sanitizer.
#if defined(ADJ_SIMT_ASAN)
#include <sanitizer/asan_interface.h>
#include <sanitizer/common_interface_defs.h>
#endif

namespace simt {

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

// kCopied: initialised, by a copy that went on by itself. kBeingCopied: initialised, and such a copy reads it.
enum State : u8 { kNothing, kUninitialised, kInitialised, kReadOnly, kInFlight, kCopied, kBeingCopied };

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
void join(KnowledgePtr& into, const KnowledgePtr& from);

// Knowledge released through one address. Readers remember how much of the log they saw.
using Log = std::vector<KnowledgePtr>;
struct Seen {
  std::shared_ptr<Log> log;
  std::size_t length = 0;
};

struct Block;
struct Thread;
struct Worker;

enum class Wait { none, block_barrier, named_barrier, cluster_barrier, counting_barrier, registers, warp, done };

// Asynchronous copy into shared memory that its thread has begun and not waited for.
struct Copy {
  std::uintptr_t to, from;  // from: 0 where nothing is read
  std::size_t bytes;
  u32 group;
};

// Copy of a box into shared memory that is in flight.
struct BoxCopy {
  std::uintptr_t to, barrier;
  std::size_t bytes;
  Thread* thread;      // has begun it
  KnowledgePtr known;  // what comes before it
};

// A barrier in shared memory that counts arrivals and bytes of copies.
struct CountingBarrier {
  u32 arrivals = 0, missing = 0;  // of a phase; those that this phase still waits for
  long long bytes = 0;            // announced, and not copied yet
  u32 phase = 0;
  u32 maker = 0, made = 0;        // thread that has initialised it, and its clock
  KnowledgePtr arrived, ended;    // what comes before the end of this phase, and before its begin
};

// A barrier with a number, of which some threads wait and others only arrive.
struct NamedBarrier {
  u32 arrived = 0;
  int threads = 0;     // that the first one of them has named
  KnowledgePtr known;  // what comes before the arrivals of those that do not wait
};

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

  std::uintptr_t awaited = 0;  // counting barrier
  u32 registers = 0;           // its budget; 0: that of the launch
  u32 shown = 0;               // clock before which what it has written is visible to the asynchronous proxy
  std::vector<std::pair<std::uintptr_t, std::size_t>> read_by_copies;  // shared memory that copies to global memory read
  std::vector<Product> products;  // that the thread has begun and not waited for
  u32 product_groups = 0;         // that it has closed

  std::vector<Copy> copies;  // in flight, in the order in which they began
  u32 closed_groups = 0;     // of copies

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
  u32 spare_registers = 0;  // that threads have given
  bool active = false;
  u32 number = 0;  // index in the grid
  u32 slot = 0;
  u32 epoch = 1;
  u32 arrived = 0, ended = 0;
  Cluster* cluster = nullptr;
  u32 rank = 0;
  std::vector<Thread> threads;
  std::vector<u32> warp_waiting;  // for each warp, a mask of the lanes that wait in a warp operation
  std::map<int, NamedBarrier> named;
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

unsigned char* map_pages(std::size_t bytes);
inline std::size_t round_up(std::size_t n, std::size_t to) { return (n + to - 1) / to * to; }

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

class Machine {
 public:
  void end_long_launch();
  Machine();

  // ---- global memory (memory.cpp)

  void reset_memory();
  void* allocate(const std::string& name, std::size_t bytes, std::size_t misalign, State state);
  void set_state(const void* address, std::size_t bytes, State state) { mark(offset_of(address), bytes, state); }
  std::optional<Fault> check_canaries();

  // ---- launches (scheduler.cpp)

  std::optional<Fault> launch(const Launch& l, u64 seed);
  const Launch& current() const { return *launch_; }
  void wait_for_earlier_grids() { self_->reads = self_->waited = waited_ = true; }
  void begin_beside_last_grids() { self_->reads = true; }
  // The next grid begins when all blocks have called this or have ended. Grids that one of the blocks has waited for have then ended.
  void let_next_grid_begin();
  // Lets the next grid begin and read all that the block wrote before its last barrier.
  void let_next_grid_read();
  Thread* self() const { return self_; }

  // ---- called by kernels, on the stack of a thread (barriers.cpp, atomics.cpp, memory.cpp, accesses.cpp)

  int block_barrier(Vote vote, bool predicate);
  void named_barrier(int barrier, int threads, bool waits);
  void cluster_barrier();
  Bits exchange(bool barrier_only, Exchange kind, u32 mask, Bits value, int argument, int width);
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
  Bits atomic(Rmw op, Type type, void* address, Bits operand, Bits compare, Order order);
  void fence(bool device);
  void* static_shared(const void* site, const char* name, std::size_t bytes, std::size_t alignment);
  unsigned char* dynamic_shared() { return base_ + self_->block->slot * kSlotBytes + kDynamicOffset; }
  void* map_shared(const void* address, u32 rank);
  // Checks and records an access of the running thread.
  template <bool write>
  void access(std::uintptr_t address, std::size_t bytes, u32 atomic = 0, bool reads_too = false);
  void check_aligned(const void* address, std::size_t alignment);
  void begin_copy(const void* to, const void* from, std::size_t bytes);
  void close_copies() { ++self_->closed_groups; }
  void wait_copies_but(u32 open);

  // ---- the asynchronous proxy (async.cpp)

  void barrier_init(void* barrier, u32 arrivals);
  void barrier_arrive(void* barrier, u32 bytes);
  void barrier_wait(void* barrier, u32 parity);
  void copy_box(void* shared, const void* map, void* barrier, const int (&first)[4]);
  void copy_to_global(void* to, const void* shared, u32 bytes);
  void wait_copies_to_global();
  void proxy_fence();
  void read_by_proxy(const void* shared, std::size_t bytes);
  void set_registers(u32 count, bool more);

  // ---- reports (reports.cpp)

  // Reports a fault of the running thread, which never goes on.
  [[noreturn]] void fail(FaultKind kind, const std::string& what);
  std::string position(const Thread& t) const;
  const Counters& counters() const { return counters_; }
  void set_reproduction(std::string arguments) { reproduction_ = std::move(arguments); }

 private:
  // ---- memory (memory.cpp)

  std::size_t offset_of(const void* address) const { return static_cast<std::size_t>(static_cast<const unsigned char*>(address) - base_); }
  void mark(std::size_t offset, std::size_t bytes, State state);
  // Marks shared memory as unwritten, and fills it with a pattern.
  void open_shared(std::size_t offset, std::size_t bytes);

  // ---- accesses and their order (accesses.cpp)

  // Checks an access of a thread that has begun beside the last grids.
  template <bool write>
  void check_running(std::uintptr_t address, std::size_t offset, std::size_t bytes, u32 atomic);
  // True for bytes that may be padding of a copied structure, which is never written: bytes in an aligned word with at least one written byte.
  bool is_padding(std::size_t offset) const;
  void check_remote(std::uintptr_t address, std::size_t slot);
  template <bool write>
  void outside(std::uintptr_t address, std::size_t bytes);
  template <bool write>
  [[noreturn]] void race(std::uintptr_t address, u32 other, bool other_writes, u32 atomic);
  u32 segment_of(Thread& t) {
    if (!t.segment) {
      t.segment = next_segment_++;
      segments_.push_back({t.block->number, t.index, t.block->epoch, t.clock});
    }
    return t.segment;
  }
  bool ordered(const Segment& s, const Thread& t) const;
  bool concurrent(u32 earlier) const {
    const u32 id = earlier & ~kAtomic;
    return id >= first_segment_ && id != self_->segment && !ordered(segments_[id - first_segment_], *self_);
  }
  bool conflicts(u32 earlier, u32 me) const { return !(earlier & me & kAtomic) && concurrent(earlier); }
  // All accesses that come before the thread's present.
  KnowledgePtr snapshot(Thread& t);
  void acquire(Thread& t, const Seen& seen);
  // Gives all members of a group all that any of them knows, has released and has observed.
  void share(const std::vector<Thread*>& group);
  // Orders the threads of a part of a block: accesses of each before this come before accesses of any after it.
  void synchronise(const std::vector<Thread*>& group);

  // ---- completing barriers and operations of warps (barriers.cpp)

  void release_thread(Thread& t);
  void complete_block_barrier(Block& b);
  void complete_cluster_barrier(Cluster& c);
  static u32 existing_lanes(const Block& b, u32 warp) {
    const std::size_t lanes = std::min<std::size_t>(kWarp, b.threads.size() - warp * kWarp);
    return lanes == kWarp ? ~0u : (1u << lanes) - 1;
  }
  void complete_warp(Block& b, Thread* lanes, u32 mask);
  Bits result_of(const Thread& t, const Thread* lanes, u32 mask);

  // ---- the asynchronous proxy (async.cpp)

  CountingBarrier& counting_barrier(void* barrier);
  // Ends the phase of a barrier if all has come, and lets go on who waits for that.
  void end_phase(CountingBarrier& b, std::uintptr_t address);
  // Ends a copy that is in flight.
  void end_copy(std::size_t which);
  // Fails where the asynchronous proxy does not see what a thread has written.
  void check_shown(std::uintptr_t address, std::size_t bytes);

  // ---- running (scheduler.cpp)

  void run();
  void start_cluster(u32 group);
  void end_block(Block& b);
  // Ends a thread; runs on the thread's own stack.
  void end_thread(Thread& t);
  Worker* idle_worker();
  void begin(Worker& w);
  // Starts a worker afresh on its stack when its launch ended in the middle of a kernel. The old fiber is leaked: destroying it would unwind the
  // kernel.
  void renew(Worker& w);
  void resume(Thread& t);
  // Switches to the scheduler, until it picks the thread again.
  void suspend();
  // Lets other threads run in between, in half of the calls.
  void pause();
  void enter_worker(Worker& worker, boost::context::fiber&& from);

  // ---- reports (reports.cpp)

  void report(FaultKind kind, const Thread& t, const std::string& what);
  void check_time();
  [[noreturn]] void partial_barrier(const Block& b, const char* what);
  void report_deadlock();
  std::string describe(std::uintptr_t address) const;
  // Source lines, from addr2line, of the kernel's frames that called into the machine.
  std::string source_of_caller() const;

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
  std::clock_t deadline_ = 0;  // in processor time, so that the load of the machine does not count
  std::map<const void*, Site> sites_;
  std::size_t static_top_ = 0, static_bytes_ = 0;
  std::unordered_map<std::uintptr_t, CountingBarrier> counting_;
  std::vector<BoxCopy> box_copies_;  // in flight
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
Machine& machine();
extern Machine& m;

}  // namespace simt
