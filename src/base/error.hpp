// Errors as values: how the library makes them, and its log.
#pragma once

#include <fmt/format.h>

#include <adjoint/result.hpp>
#include <cstdint>
#include <type_traits>

// fmt prints an enumeration of the interface as its number. It finds this function where the enumerations are, in the global namespace.
template <class Enum>
  requires std::is_enum_v<Enum> && std::is_same_v<std::underlying_type_t<Enum>, std::int32_t>
constexpr std::int32_t format_as(Enum value) {
  return value;
}

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
