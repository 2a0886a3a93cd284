// What the entries of the C interface share: every entry checks its pointers, turns errors into codes, and lets no exception out.
#pragma once

#include <adjoint.h>

#include <algorithm>
#include <cstring>

#include "base/error.hpp"
#include "plan/structs.hpp"

struct adj_error {
  adj::Error error;
};

namespace adj::entry {

// The thread's own T, which ends with the thread. Code that runs later still, such as an exit handler, gets a new T that is never freed.
template <class T>
T& of_thread() {
  thread_local T* object = nullptr;
  thread_local struct Owner {
    ~Owner() {
      delete object;
      object = nullptr;
    }
  } owner;
  if (!object) object = new T;
  return *object;
}

// Keeps the error as the thread's last one, and hands it out where `object` is given.
adj_status report(Error error, adj_error** object = nullptr);
// Reports the exception that is being handled.
adj_status report_exception() noexcept;

// Runs fn and turns any exception into a status.
template <class Fn>
adj_status guarded(Fn&& fn) noexcept {
  try {
    return fn();
  } catch (...) { return report_exception(); }
}

inline adj_status null_argument(const char* function, const char* name, adj_error** object = nullptr) {
  return report(fail(ADJ_ERROR_INVALID_ARGUMENT, "{}: {} is null", function, name), object);
}
// For the lambda of `guarded`. It uses the captured `function`, the entry's name, since __func__ in a lambda is the lambda's.
#define ADJ_REQUIRE(pointer, ...) \
  if (!(pointer)) return null_argument(function, #pointer __VA_OPT__(, ) __VA_ARGS__)

inline adj_status finish(Result<void> result) {
  if (result) return ADJ_OK;
  return report(result.take_error());
}

// Writes an info structure of ours into the caller's, which may be shorter.
template <class Info>
adj_status write_info(const char* function, const Info& ours, Info* out, adj_tag tag, adj_error** object = nullptr) {
  if (!out) return null_argument(function, "out", object);
  const std::string what = fmt::format("{}: out", function);
  if (auto ok = check_header(&out->header, tag, first_size(tag), sizeof(Info), what.c_str()); !ok) return report(ok.take_error(), object);
  const adj_header header = out->header;
  std::memcpy(static_cast<void*>(out), &ours, std::min<std::uint64_t>(header.struct_size, sizeof(Info)));
  out->header = header;
  return ADJ_OK;
}

template <class Range>
bool in_range(const Range& range, std::int64_t i) {
  return i >= 0 && i < static_cast<std::int64_t>(std::size(range));
}
inline adj_status bad_index(const char* function, std::int64_t i, std::size_t count, adj_error** object = nullptr) {
  return report(fail(ADJ_ERROR_INVALID_ARGUMENT, "{}: i = {} is outside [0, {})", function, i, count), object);
}

}  // namespace adj::entry
