// The stand-ins for cuDNN, cuBLASLt and NCCL, plans and memory of the tests with them.
#pragma once

#include <adjoint.h>
#include <dlfcn.h>
#include <doctest/doctest.h>

#include <cstdlib>
#include <cstring>
#include <functional>
#include <memory>
#include <stdexcept>
#include <string>
#include <vector>

#include "absent.hpp"
#include "child.hpp"
#include "driver/cublaslt_abi.hpp"
#include "driver/cuda_abi.hpp"
#include "machine.hpp"

namespace faults {

constexpr int kBroken = 4000;       // of cuDNN: an internal error
constexpr int kNotSupported = 3000;
constexpr int kNotUsable = 1008;    // a part of the library cannot be loaded
constexpr int kNcclCode = 3;
inline const std::string kNotCalled = "was not called";

#define NAME_OF(member, symbol, result, arguments) #symbol,
inline const std::vector<std::string>& cudnn_functions() {
  static const std::vector<std::string> names{ADJ_CUDNN_FUNCTIONS(NAME_OF)};
  return names;
}
inline const std::vector<std::string>& cublaslt_functions() {
  static const std::vector<std::string> names{ADJ_BLAS_FUNCTIONS(NAME_OF)};
  return names;
}
inline const std::vector<std::string>& nccl_functions() {
  static const std::vector<std::string> names{ADJ_NCCL_FUNCTIONS(NAME_OF)};
  return names;
}
#undef NAME_OF

template <class State>
struct Library {
  FakeEntry find;
  State& state;
  fake::Entry& entry(const std::string& name) const { return *find(name.c_str()); }
};
template <class State>
Library<State> open_fake(const char* variable, const char* symbol) {
  void* handle = ::dlopen(std::getenv(variable), RTLD_NOW | RTLD_LOCAL);
  REQUIRE_MESSAGE(handle, variable);
  return {reinterpret_cast<FakeEntry>(__real_dlsym(handle, "fake_entry")), *reinterpret_cast<State* (*)()>(__real_dlsym(handle, symbol))()};
}
inline const Library<fake::Cudnn>& cudnn_fake() {
  static const auto library = open_fake<fake::Cudnn>("ADJOINT_LIBCUDNN", "fake_cudnn");
  return library;
}
inline const Library<fake::Blas>& cublaslt_fake() {
  static const auto library = open_fake<fake::Blas>("ADJOINT_LIBCUBLASLT", "fake_cublaslt");
  return library;
}
inline const Library<fake::Nccl>& nccl_fake() {
  static const auto library = open_fake<fake::Nccl>("ADJOINT_LIBNCCL", "fake_nccl");
  return library;
}
// prepare() with every fake.
inline void open_all() { prepare(), cudnn_fake(), cublaslt_fake(), nccl_fake(); }

struct PlanDelete {
  void operator()(adj_plan* p) const { adj_plan_release(p); }
};
using Plan = std::unique_ptr<adj_plan, PlanDelete>;

inline adj_stream device_stream() {
  adj_stream stream;
  if (adj_stream_wrap(fakes().stream(), &stream)) throw std::runtime_error(adj_last_error());
  return stream;
}
inline Outcome make_plan(const adj_stream& stream, const adj_header& descriptor, const adj_preference& preference, Plan& plan) {
  adj_plan* made = nullptr;
  adj_error* error = nullptr;
  const adj_status code = adj_plan_select(&stream, &descriptor, &preference, &made, &error);
  plan.reset(made);
  Outcome outcome = code ? Outcome(code, adj_error_message(error), adj_error_native_code(error)) : Outcome();
  adj_error_release(error);
  return outcome;
}
inline std::string sku_of(const Plan& plan) {
  adj_sku_info info;
  return adj_plan_sku(plan.get(), &info) ? "" : info.id;
}
// Reason for which select rejected a candidate.
inline std::string rejection(const Plan& plan, const char* algorithm) {
  for (std::int64_t i = 0; i < adj_plan_candidate_count(plan.get()); ++i) {
    adj_rejection r;
    if (!adj_plan_candidate(plan.get(), i, &r) && contains(r.sku, algorithm)) return r.reason;
  }
  return {};
}

struct Free {
  void operator()(void* p) const { std::free(p); }
};
// Ordinary memory, aligned like device memory.
class Memory {
 public:
  void* get(std::size_t bytes) {
    void* p = std::aligned_alloc(256, (bytes + 511) / 256 * 256);
    std::memset(p, 0, bytes);
    blocks_.emplace_back(p);
    return p;
  }
  adj_tensor tensor(std::int64_t elements, adj_dtype dtype = ADJ_F32) {
    adj_tensor t;
    t.bytes = static_cast<std::uint64_t>(elements) * 8;
    t.data = get(t.bytes);
    t.dtype = dtype;
    return t;
  }

 private:
  std::vector<std::unique_ptr<void, Free>> blocks_;
};

// Calls body(function, stage, n) in children until the n-th call does not happen.
inline void every_call(Tally& tally, const std::vector<std::string>& functions, int stages,
                       const std::function<std::string(const std::string&, int, int)>& body) {
  for (const std::string& function : functions) {
    int seen = 0;
    for (int stage = 0; stage < stages; ++stage)
      for (int n = 1;; n = next_call(n)) {
        const std::string problem = in_child([&] { return body(function, stage, n); });
        if (problem == kNotCalled) break;
        ++seen;
        tally.add(function + " call " + std::to_string(n) + " in stage " + std::to_string(stage), problem);
      }
    // Handles live as long as the process, and texts are asked for only after a failure: such functions may not be called.
    if (!contains(function, "Error") && function != "cudnnDestroy") CHECK_MESSAGE(seen > 0, (function + " is never called"));
  }
}

}  // namespace faults
