// Control of the stand-ins for libcuda, libnvrtc, libcudnn, libcublasLt and libnccl, which the fault tests load in place of the real libraries. Each entry
// point counts its calls and can be made to fail once or to be missing. Otherwise it acts as the real one would for a small device whose memory
// is ordinary memory. A launch of a kernel is checked and counted, but nothing runs. Convolutions of cuDNN and products of cuBLASLt do run: that
// checks their descriptors.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>

namespace fake {

// One entry point of a library.
struct Entry {
  const char* name;
  std::atomic<int> calls{0};
  std::atomic<int> countdown{0};  // n > 0: the n-th call from now fails, the others do not
  std::atomic<int> code{0};       // with this result
  std::atomic<bool> missing{false};
};

// State of the fake driver: its properties, and counts of objects and calls.
struct Driver {
  std::atomic<int> version{13000}, devices{2}, cc{90};
  std::atomic<int> libraries{0}, contexts{0};  // alive; contexts: retained primary contexts
  std::atomic<int> launches{0}, fills{0}, copies{0};
  std::atomic<int> early_launches{0};  // launches that may begin before the kernel before them has ended
  std::atomic<int> largest_cluster{8};  // blocks of a cluster that the device can hold
  std::atomic<bool> other_maps{false};  // true: tensor maps keep the address in another form
  std::atomic<bool> capturing{false};  // true: every stream is being captured
  std::atomic<bool> takes_no_cubin{false}, takes_no_ptx{false};
  std::atomic<int> refused{0};  // images that it did not load
  std::atomic<int> scratch{0};  // allocations in stream order that are alive
  // The clock of the device, which events read. Only launches move it, and calls of the other libraries that were given its address.
  std::atomic<std::int64_t> clock_ns{0};
  std::atomic<std::int64_t> launch_ns{1'000'000};              // duration of a launch
  std::atomic<std::uint64_t> largest_allocation{UINT64_MAX};   // larger ones find no memory
  std::atomic<int> allocations{0};                             // alive
  std::atomic<bool> unfinished{false};                         // true: nothing has waited for the last work that a stream was given
  std::atomic<int> early_frees{0};                             // of memory, while work was unfinished
  std::atomic<void (*)(const void*, std::size_t)> on_copy{nullptr};  // told what is copied from the host
};
using Clock = std::atomic<std::int64_t>;
struct Nvrtc {
  std::atomic<int> major{13}, minor{0}, newest_cc{121}, compile_ms{0};
  std::atomic<int> programs{0};  // alive
  std::atomic<bool> rejects{false};  // every program fails to compile, with a log
  std::atomic<bool> remarks{false};  // the logs of programs that compile say something
};

// State of the fake cuDNN. `complaint`: the first use that is undefined behaviour with the real library.
struct Cudnn {
  std::atomic<std::size_t> version{91002};
  std::atomic<int> handles{0}, descriptors{0};                          // alive
  std::atomic<int> engine{-1};                                          // of the last graph: 0 may add in any order, 1 may not
  std::atomic<unsigned> engines{0};                                     // of all graphs: bit i for engine i
  std::atomic<int> executions{0};                                       // of graphs
  std::atomic<bool> no_fusion{false};                                   // true: no engine for a convolution with another operation
  std::atomic<unsigned> listed{~0u};                                    // bit i: engine i is listed
  std::atomic<void*> stream{nullptr};                                   // of the last call
  std::atomic<int> call_us{0};                                          // duration of a call
  std::atomic<Clock*> clock{nullptr};                                   // of the device
  std::atomic<std::int64_t> engine_ns[9] = {};                          // duration of a graph on that clock, by engine
  std::atomic<bool> computes{true};                                     // false: a graph is checked, and computes nothing
  std::atomic<const char*> complaint{nullptr};
};
// State of the fake cuBLASLt.
struct Blas {
  std::atomic<std::size_t> version{130101};
  std::atomic<int> handles{0}, objects{0};  // alive
  std::atomic<bool> no_epilogues{false};    // true: the heuristics have no algorithm for an epilogue
  std::atomic<int> algo{-1}, compute{-1};   // of the last call
  std::atomic<unsigned> epilogue{0};        // of the last call
  std::atomic<std::size_t> workspace{0};    // bytes, of the last call
  std::atomic<void*> stream{nullptr};       // of the last call
  std::atomic<int> call_us{0};              // duration of a call
  std::atomic<Clock*> clock{nullptr};       // of the device
  std::atomic<std::int64_t> algo_ns[3] = {};  // duration of a product on that clock, by algorithm
  std::atomic<std::int64_t> jitter_ns{0};     // added to the duration of about every second product
  // Configurations of the algorithms. One with splits leaves the end of k out, as the real library's algorithm 66 does.
  std::atomic<std::int32_t> ids[3] = {}, splits[3] = {1, 1, 1};
  std::atomic<std::uint32_t> reductions[3] = {};
  std::atomic<bool> refuses_check{false};   // true: no algorithm serves that was found before
  std::atomic<bool> computes{true};         // false: a product is checked, and computes nothing
  std::atomic<const char*> complaint{nullptr};
};
struct Nccl {
  std::atomic<int> version{22703};
  std::atomic<int> communicators{0};  // alive
  std::atomic<int> async{0};          // error of every communicator
  std::atomic<int> issued{0};         // collectives and transfers so far
  std::atomic<int> polls{0};          // > 0: communicators do not block, and a call is in progress until so many questions for its state
  std::atomic<int> pending{0};        // questions until the last call is no longer in progress
  std::atomic<const char*> complaint{nullptr};
};

// Start of the output of a compilation, which only the fake driver reads: the magic, the kernel's name, kCompilerMark, the compiler's major version.
constexpr char kImageMagic[] = "fake image of ";
constexpr char kCompilerMark[] = "\nNVRTC ";

}  // namespace fake

// Exports of every fake: the entry of a name, null when the library has none; and the state of the library.
extern "C" {
using FakeEntry = fake::Entry* (*)(const char* name);
using FakeDriver = fake::Driver* (*)();
using FakeNvrtc = fake::Nvrtc* (*)();
using FakeCudnn = fake::Cudnn* (*)();
using FakeBlas = fake::Blas* (*)();
using FakeNccl = fake::Nccl* (*)();
}
