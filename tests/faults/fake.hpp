// The stand-ins for libcuda, libnvrtc, libcudnn and libnccl that the fault tests load in place of the real ones, and how a test tells them
// what to do. Each entry point counts its calls and can be made to fail once or to be missing; otherwise it does what the
// real one would for a small device whose memory is ordinary memory. Kernels are launched on paper: a launch is checked
// and counted, nothing runs. Convolutions of cuDNN do run, since that is how their descriptors are checked.
#pragma once

#include <atomic>
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

// What the fake driver is, and what it has seen.
struct Driver {
  std::atomic<int> version{13000}, devices{2}, cc{90};
  std::atomic<int> libraries{0}, contexts{0};  // alive; contexts: retains of primary ones
  std::atomic<int> launches{0}, fills{0}, copies{0};
  std::atomic<bool> capturing{false};  // every stream
  std::atomic<bool> takes_no_cubin{false}, takes_no_ptx{false};
};
struct Nvrtc {
  std::atomic<int> major{13}, minor{0}, newest_cc{121}, compile_ms{0};
  std::atomic<int> programs{0};  // alive
  std::atomic<bool> rejects{false};  // every program fails to compile, with a log
};

// A complaint is what the real library would not forgive: undefined behaviour, or an answer that depends on it. The first one stays.
struct Cudnn {
  std::atomic<std::size_t> version{91002};
  std::atomic<int> handles{0}, descriptors{0};                          // alive
  std::atomic<int> forward_algo{-1}, data_algo{-1}, filter_algo{-1};    // of the last call
  std::atomic<int> math{-1};                                            // the same
  std::atomic<std::size_t> workspace{0};                                // the same, bytes
  std::atomic<void*> stream{nullptr};                                   // the same
  std::atomic<int> call_us{0};                                          // how long a call takes
  std::atomic<const char*> complaint{nullptr};
};
struct Nccl {
  std::atomic<int> version{22703};
  std::atomic<int> communicators{0};  // alive
  std::atomic<int> async{0};          // error of every communicator
  std::atomic<int> issued{0};         // collectives and transfers
  std::atomic<const char*> complaint{nullptr};
};

// What a compile gives: read by the fake driver, never by a processor.
constexpr char kImageMagic[] = "fake image of ";

}  // namespace fake

// Exported by every fake: the entry of a name, null when the library has none; and the library's own state.
extern "C" {
using FakeEntry = fake::Entry* (*)(const char* name);
using FakeDriver = fake::Driver* (*)();
using FakeNvrtc = fake::Nvrtc* (*)();
using FakeCudnn = fake::Cudnn* (*)();
using FakeNccl = fake::Nccl* (*)();
}
