// A machine that executes kernels thread by thread: every thread is a fiber, the next one to run is drawn from a seeded
// generator, and each access of an instrumented kernel is checked for bounds, initialisation and order.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>

namespace simt {

enum class FaultKind {
  none,
  out_of_bounds,     // an address that belongs to no buffer, to no shared variable and to nothing of the thread's own
  uninitialised,     // a read of bytes that nobody has written
  read_only,         // a write into an input
  race,              // two accesses, one of them a write, with nothing that orders them
  misaligned,        // an address that the hardware would refuse
  partial_barrier,   // a block or cluster barrier that some threads never reach
  partial_warp,      // a warp operation that some lanes of its mask never reach
  bad_lane,          // a shuffle from a lane outside the mask, or a mask without the calling lane
  deadlock,          // nobody can go on
  no_end,            // somebody goes on for ever
  bad_launch,        // geometry or shared memory beyond what a device takes
  canary,            // bytes around a buffer have changed
  early,             // a read before, or an end without, having waited for the grids before an early launch
  trap
};
const char* fault_name(FaultKind kind);

struct Fault {
  FaultKind kind = FaultKind::none;
  std::string message;  // kernel, block, thread, what, and where in the source when that is known
};

// ---- global memory

enum class Contents { uninitialised, initialised, read_only };

// Forgets every buffer.
void reset_memory();
// A buffer with guard regions around it; its address is `misalign` bytes above a multiple of 256.
void* allocate(const std::string& name, std::size_t bytes, std::size_t misalign, Contents contents);
void set_contents(const void* address, std::size_t bytes, Contents contents);
// Writes by code that is not instrumented show only here.
std::optional<Fault> check_canaries();

// ---- launches

struct Launch {
  const char* name = "";
  void (*call)(const void* params) = nullptr;
  const void* params = nullptr;
  std::size_t param_bytes = 0;
  unsigned grid[3] = {1, 1, 1};
  unsigned block = 1;
  unsigned cluster = 1;
  bool early = false;                   // begins while the grids before it may still run
  unsigned shared_bytes = 0;            // dynamic
  unsigned shared_limit = 227 * 1024;   // static and dynamic together
  double seconds = 120;                 // after which a launch is taken for endless
};
// Runs to the end or to the first fault.
std::optional<Fault> launch(const Launch& launch, std::uint64_t seed);

// Whether this build checks the order and initialisation of accesses, or leaves addresses to AddressSanitizer.
bool checks_accesses();
// Instrumented accesses and switches between threads so far.
struct Counters {
  std::uint64_t accesses = 0, switches = 0, launches = 0;
};
const Counters& counters();

// What to print, with kernel, block and thread, when a sanitizer ends the process.
void set_reproduction(std::string arguments);

}  // namespace simt
