// How the machine that executes kernels thread by thread is made, and its reports under AddressSanitizer.
#include "async.hpp"
#include "simulator.hpp"

#if defined(ADJ_SIMT_ASAN)
#include <csignal>
#include <cstdio>

// Reports end in abort(), whose signal adds kernel, block and thread. Abandoned threads are leaks by design.
extern "C" const char* __asan_default_options();
extern "C" const char* __ubsan_default_options();
extern "C" const char* __asan_default_options() { return "abort_on_error=1:detect_leaks=0"; }
extern "C" const char* __ubsan_default_options() { return "abort_on_error=1:print_stacktrace=1"; }
#endif

namespace simt {

Machine& machine() {
  static Machine* m = new Machine;
  return *m;
}
Machine& m = machine();

Machine::Machine() {
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

namespace {
State state_of(Contents contents) {
  switch (contents) {
    case Contents::uninitialised: return kUninitialised;
    case Contents::read_only: return kReadOnly;
    default: return kInitialised;
  }
}
}  // namespace

void reset_memory() { m.reset_memory(); }
void* allocate(const std::string& name, std::size_t bytes, std::size_t misalign, Contents contents) {
  return m.allocate(name, bytes, misalign, state_of(contents));
}
void set_contents(const void* address, std::size_t bytes, Contents contents) { m.set_state(address, bytes, state_of(contents)); }
std::optional<Fault> check_canaries() { return m.check_canaries(); }
std::optional<Fault> launch(const Launch& l, std::uint64_t seed) { return m.launch(l, seed); }
void end_long_launch() { m.end_long_launch(); }
bool checks_accesses() { return kChecksAccesses; }
const Counters& counters() { return m.counters(); }
void set_reproduction(std::string arguments) { m.set_reproduction(std::move(arguments)); }

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
void named_barrier(int barrier, int threads, bool waits) { m.named_barrier(barrier, threads, waits); }
void cluster_barrier() { m.cluster_barrier(); }
void warp_barrier(unsigned mask) { m.exchange(true, Exchange::ballot, mask, 0, 0, 32); }
Bits exchange(Exchange kind, unsigned mask, Bits value, int argument, int width) { return m.exchange(false, kind, mask, value, argument, width); }
Bits atomic(Rmw op, Type type, void* address, Bits operand, Bits compare, Order order) { return m.atomic(op, type, address, operand, compare, order); }
void fence(bool device) { m.fence(device); }
void* static_shared(const void* site, const char* name, size_t bytes, size_t alignment) { return m.static_shared(site, name, bytes, alignment); }
unsigned char* dynamic_shared() { return m.dynamic_shared(); }
void* map_shared(const void* address, unsigned rank) { return m.map_shared(address, rank); }
void check_aligned(const void* address, size_t alignment) { m.check_aligned(address, alignment); }
void begin_copy(const void* shared, const void* from, size_t bytes) { m.begin_copy(shared, from, bytes); }
void close_copies() { m.close_copies(); }
void wait_copies() {
  m.close_copies();
  m.wait_copies_but(0);
}
void wait_copies_but(unsigned open) { m.wait_copies_but(open); }
void barrier_init(void* barrier, unsigned arrivals) { m.barrier_init(barrier, arrivals); }
void barrier_arrive(void* barrier, unsigned bytes) { m.barrier_arrive(barrier, bytes); }
void barrier_wait(void* barrier, unsigned parity) { m.barrier_wait(barrier, parity); }
void copy_box(void* shared, const void* map, void* barrier, int x, int y, int z, int w) { m.copy_box(shared, map, barrier, {x, y, z, w}); }
void copy_to_global(void* to, const void* shared, unsigned bytes) { m.copy_to_global(to, shared, bytes); }
void wait_copies_to_global() { m.wait_copies_to_global(); }
void proxy_fence() { m.proxy_fence(); }
void read_by_proxy(const void* shared, size_t bytes) { m.read_by_proxy(shared, bytes); }
void set_registers(unsigned count, bool more) { m.set_registers(count, more); }
void trap(const char* what) { m.fail(FaultKind::trap, what); }

}  // namespace simt
