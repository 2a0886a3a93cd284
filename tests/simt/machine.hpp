// Machine that executes kernels thread by thread. Every thread is a fiber; a seeded generator draws the next one to run. Each access of an
// instrumented kernel is checked for bounds, initialisation and order.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>

namespace simt {

enum class FaultKind {
  none,
  out_of_bounds,     // an address in no buffer, in no shared variable and not on the thread's stack
  uninitialised,     // a read of bytes that no thread has written
  read_only,         // a write into an input
  race,              // two unordered accesses, one of them a write
  misaligned,        // an address that the hardware would refuse
  partial_barrier,   // a block or cluster barrier that some threads never reach
  partial_warp,      // a warp operation that some lanes of its mask never reach
  bad_lane,          // a shuffle from a lane outside the mask, or a mask without the calling lane
  deadlock,          // no thread can go on
  no_end,            // a launch that does not end in time
  bad_launch,        // geometry or shared memory beyond the limits of a device
  canary,            // bytes around a buffer have changed
  early,             // in an early launch, a read before waiting for earlier grids, or an end without waiting
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
// Makes a buffer with guard regions around it. Its address is `misalign` bytes above a multiple of 256.
void* allocate(const std::string& name, std::size_t bytes, std::size_t misalign, Contents contents);
void set_contents(const void* address, std::size_t bytes, Contents contents);
// Checks the guard regions. Only this finds stray writes of code that is not instrumented.
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
  std::int64_t only = -1;               // of the grid, the only block or cluster that is executed; -1: all are
  double seconds = 120;                 // of processor time; a launch that takes longer counts as endless
};
// Runs a launch to its end or to the first fault.
std::optional<Fault> launch(const Launch& launch, std::uint64_t seed);

// Ends the launch that is running if its time is over. Called from a timer's signal: between two calls a kernel without checks may not come back here.
// It does nothing unless one thread of the kernel has run since the last call.
void end_long_launch();

// True when this build checks accesses itself; false when AddressSanitizer checks addresses.
bool checks_accesses();
// Counts so far: instrumented accesses, switches between threads, launches.
struct Counters {
  std::uint64_t accesses = 0, switches = 0, launches = 0;
};
const Counters& counters();

// Sets the text to print, with kernel, block and thread, when a sanitizer ends the process.
void set_reproduction(std::string arguments);

}  // namespace simt
