// Errors are values. Result<T> holds either a T or an Error; a Result<void> that succeeded is one null pointer.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "types.h"

namespace adjoint {

// A candidate kernel and why it was not chosen.
struct Rejection {
  std::string sku;
  adj_status code = ADJ_OK;  // ADJ_OK: this candidate was accepted
  std::string reason;
};

struct Error {
  adj_status code = ADJ_ERROR_INTERNAL;
  std::string message;    // one sentence naming operator, argument and value
  std::int64_t native = 0;  // CUresult, nvrtcResult, cudnnStatus_t, cublasStatus_t or ncclResult_t; 0 when none is involved
  std::string log;        // NVRTC's log
  std::string options;    // NVRTC's options
  std::vector<Rejection> rejections;
};

template <class T>
class [[nodiscard]] Result {
 public:
  Result(T value) : value_(std::move(value)) {}
  Result(Error error) : error_(std::make_unique<Error>(std::move(error))) {}

  bool ok() const { return value_.has_value(); }
  explicit operator bool() const { return ok(); }
  T& operator*() & { return *value_; }
  const T& operator*() const& { return *value_; }
  T operator*() && { return std::move(*value_); }  // by value: a reference into a temporary would dangle
  T* operator->() { return &*value_; }
  const T* operator->() const { return &*value_; }
  const Error& error() const& { return *error_; }
  Error error() && { return std::move(*error_); }
  Error take_error() { return std::move(*error_); }

 private:
  std::optional<T> value_;
  std::unique_ptr<Error> error_;
};

template <>
class [[nodiscard]] Result<void> {
 public:
  Result() = default;
  Result(Error error) : error_(std::make_unique<Error>(std::move(error))) {}

  bool ok() const { return error_ == nullptr; }
  explicit operator bool() const { return ok(); }
  const Error& error() const& { return *error_; }
  Error error() && { return std::move(*error_); }
  Error take_error() { return std::move(*error_); }

 private:
  std::unique_ptr<Error> error_;
};

}  // namespace adjoint
