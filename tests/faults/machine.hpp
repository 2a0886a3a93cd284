// The fake machine as a test sees it, and a program on it that uses every verb.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "adjoint.h"
#include "fake.hpp"

namespace faults {

// The two fakes, opened before the library opens them.
struct Fakes {
  FakeEntry cuda_entry, nvrtc_entry;
  void* (*stream)();  // a stream of device 0, whose context it makes current
  fake::Driver& driver;
  fake::Nvrtc& nvrtc;

  fake::Entry& entry(const std::string& name) const;  // of either
};
const Fakes& fakes();
std::vector<std::string> cuda_functions();   // what the library asks a driver for, cuGetProcAddress_v2 included
std::vector<std::string> nvrtc_functions();

// Of one stage. Made without allocating, since memory may be what fails.
struct Outcome {
  Outcome() = default;
  Outcome(adj_status status, const char* sentence, std::int64_t native_code = 0);

  adj_status code = ADJ_OK;
  std::int64_t native = 0;
  char message[2048] = "";
};

// A program that goes through the library verb by verb. Each stage needs the ones before it; all may be repeated, and none
// allocates memory by operator new outside the library.
class Program {
 public:
  Program();
  ~Program();
  Program(const Program&) = delete;
  Program& operator=(const Program&) = delete;

  struct Stage {
    const char* name;
    Outcome (Program::*run)();
  };
  static std::span<const Stage> stages();

  Outcome doctor();          // libraries and devices
  Outcome wrap();            // a stream, and the default stream
  Outcome select();
  Outcome explain();
  Outcome can_implement();
  Outcome run();
  Outcome bind();
  Outcome bound_run();
  Outcome release();
  Outcome pack_build();

 private:
  struct Call;
  std::vector<Call> calls_;
  void* handle_ = nullptr;
  adj_stream stream_{};
};

// Runs all stages; "" or which one failed, and how.
std::string whole_program();
// The same on the host stream, which needs neither library.
std::string host_program();

}  // namespace faults
