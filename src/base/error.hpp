// Errors as values: how the library makes them, and its log.
#pragma once

#include <fmt/format.h>

#include <adjoint/result.hpp>

namespace adj {

using adjoint::Error;
using adjoint::Rejection;
using adjoint::Result;

template <class... Args>
Error fail(adj_status code, fmt::format_string<Args...> format, Args&&... args) {
  Error error;
  error.code = code;
  error.message = fmt::format(format, std::forward<Args>(args)...);
  return error;
}

const char* status_name(adj_status status);

// Sets the callback that log() calls (adj_set_log).
void set_log(void (*fn)(void*, std::int32_t, const char*), void* user);
void log(std::int32_t level, const std::string& message);

}  // namespace adj
