// The fake machine, and a program on it that uses every verb.
#pragma once

#include <mutex>
#include <span>
#include <string>
#include <vector>

#include "adjoint.h"
#include "fake.hpp"

namespace faults {

// The fakes of the driver and NVRTC, opened before the library opens them.
struct Fakes {
  FakeEntry cuda_entry, nvrtc_entry;
  void* (*stream)();  // a stream of device 0, whose context it makes current
  void (*enter)(int device, bool primary);  // makes the primary context of a device current, or another context of device 0
  fake::Driver& driver;
  fake::Nvrtc& nvrtc;

  fake::Entry& entry(const std::string& name) const;  // of either library
};
const Fakes& fakes();
// Opens the fakes and makes the table of SKUs before the test forks: a table takes longer than most cases, and a child inherits it.
void prepare();
std::vector<std::string> cuda_functions();   // functions that the library asks a driver for, also cuGetProcAddress_v2
std::vector<std::string> nvrtc_functions();

// Outcome of one stage. Made without allocating, since memory may be short.
struct Outcome {
  Outcome() = default;
  Outcome(adj_status status, const char* sentence, std::int64_t native_code = 0);

  adj_status code = ADJ_OK;
  std::int64_t native = 0;
  char message[2048] = "";
};

// Program that goes through the library verb by verb. Each stage needs the stages before it. All may be repeated. None allocates memory by
// operator new outside the library.
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

  void use(const adj_stream& stream) { stream_ = stream; }  // in place of the stream that wrap() makes

  Outcome doctor();          // libraries and devices
  Outcome wrap();            // a stream, and the default stream
  Outcome select();
  Outcome explain();
  Outcome can_implement();
  Outcome run();
  Outcome bind();
  Outcome bound_run();
  Outcome bound_run_on(const adj_stream& stream);
  Outcome release();
  Outcome pack_build();

 private:
  struct Call;
  std::vector<Call> calls_;
  void* handle_ = nullptr;
  adj_stream stream_{};
};

// Warnings of the library since this was made, which tells them from several threads at a time.
class Warnings {
 public:
  Warnings();
  ~Warnings();
  Warnings(const Warnings&) = delete;
  Warnings& operator=(const Warnings&) = delete;

  std::string text() const;  // each ends in a new line

 private:
  mutable std::mutex mutex_;
  std::string text_;
};

// Runs all stages. Returns "", or the stage that failed, and how.
std::string whole_program();
// Runs all stages on the host stream, which needs neither library.
std::string host_program();

bool contains(const std::string& text, const std::string& part);
std::string describe(const Outcome& o);
// Runs stages until one fails.
Outcome first_failure();
// Names what differs: the code, or a word that the message lacks. The host backend then runs.
std::string expect(const Outcome& o, adj_status code, std::initializer_list<const char*> words);

}  // namespace faults
