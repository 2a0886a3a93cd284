// Adjoint, C++20 interface: a header-only layer over the C interface, so that it works with the shared library, whatever
// compiler built it, and with the static one. Nothing here throws on its own; errors are values (result.hpp).
//
//   auto stream = adjoint::Stream::wrap(cu_stream);            // or Stream::host()
//   adjoint::EmbeddingBackwardDescriptor desc{.num_embeddings = 50257, .embedding_dim = 768, .num_indices = n,
//                                             .element = ADJ_BF16, .index = ADJ_I64};
//   auto plan = adjoint::EmbeddingBackwardPlan::select(*stream, desc);
//   if (!plan) return report(plan.error());
//   auto done = plan->run(*stream, {scratch, plan->workspace_size()}, {.dout = ..., .indices = ..., .dweight = ...});
#pragma once

#if __cplusplus <= 201703L
#error "adjoint/adjoint.hpp needs C++20: compile with -std=c++20, or use adjoint.h, which needs C99"
#else

#include <adjoint.h>

#include <algorithm>
#include <initializer_list>
#include <memory>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "result.hpp"

namespace adjoint {

using Workspace = adj_workspace;
using Preference = adj_preference;
using Guarantee = adj_guarantee;
using SkuInfo = adj_sku_info;
using PlanInfo = adj_plan_info;

namespace detail {

// Error from a status and, if the call gave one, its error object, which is released.
inline Error make_error(adj_status code, adj_error* object = nullptr) {
  Error error;
  error.code = code;
  error.message = adj_last_error();
  error.native = adj_last_native_code();
  if (!object) return error;
  error.message = adj_error_message(object);
  error.native = adj_error_native_code(object);
  error.log = adj_error_log(object);
  error.options = adj_error_options(object);
  for (std::int64_t i = 0; i < adj_error_rejection_count(object); ++i) {
    adj_rejection r;
    if (adj_error_rejection(object, i, &r) == ADJ_OK) error.rejections.push_back({r.sku, r.code, r.reason});
  }
  adj_error_release(object);
  return error;
}

inline Result<void> to_result(adj_status code) {
  if (code == ADJ_OK) return {};
  return make_error(code);
}

}  // namespace detail

// Bytes of an element; 0 for an unknown type.
constexpr std::uint64_t size_of(adj_dtype dtype) {
  switch (dtype) {
    case ADJ_BOOL:
    case ADJ_U8:
    case ADJ_I8:
    case ADJ_F8_E4M3:
    case ADJ_F8_E5M2:
    case ADJ_F8_E8M0: return 1;
    case ADJ_F16:
    case ADJ_BF16:
    case ADJ_U16:
    case ADJ_I16: return 2;
    case ADJ_F32:
    case ADJ_I32:
    case ADJ_U32: return 4;
    case ADJ_F64:
    case ADJ_I64:
    case ADJ_U64: return 8;
    default: return 0;
  }
}

// Contiguous buffer of the given shape, with exactly the capacity that the shape needs. A shape of more than ADJ_MAX_RANK dimensions is
// refused by the call that gets the tensor.
inline adj_tensor tensor(void* data, adj_dtype dtype, std::initializer_list<std::int64_t> shape) {
  adj_tensor t;
  t.data = data;
  t.dtype = dtype;
  t.rank = static_cast<std::int32_t>(shape.size());
  t.bytes = size_of(dtype);
  std::size_t i = 0;
  for (std::int64_t extent : shape) {
    if (i < ADJ_MAX_RANK) t.shape[i++] = extent;
    t.bytes *= static_cast<std::uint64_t>(extent);
  }
  return t;
}
// Shape of a descriptor. One of more than ADJ_MAX_RANK dimensions is refused by the call that gets it.
inline adj_shape shape(std::initializer_list<std::int64_t> dims) {
  adj_shape s;
  s.rank = static_cast<std::int64_t>(dims.size());
  std::copy_n(dims.begin(), std::min<std::size_t>(dims.size(), ADJ_MAX_RANK), s.dims);
  return s;
}
// tensor() without dtype, for element types that have a C++ type; inputs may be const.
template <class T> constexpr adj_dtype dtype_of = ADJ_DTYPE_NONE;
template <> inline constexpr adj_dtype dtype_of<float> = ADJ_F32;
template <> inline constexpr adj_dtype dtype_of<double> = ADJ_F64;
template <> inline constexpr adj_dtype dtype_of<std::int32_t> = ADJ_I32;
template <> inline constexpr adj_dtype dtype_of<std::int64_t> = ADJ_I64;
template <> inline constexpr adj_dtype dtype_of<std::int8_t> = ADJ_I8;
template <> inline constexpr adj_dtype dtype_of<std::int16_t> = ADJ_I16;
template <> inline constexpr adj_dtype dtype_of<std::uint8_t> = ADJ_U8;
template <> inline constexpr adj_dtype dtype_of<std::uint16_t> = ADJ_U16;
template <> inline constexpr adj_dtype dtype_of<std::uint32_t> = ADJ_U32;
template <> inline constexpr adj_dtype dtype_of<std::uint64_t> = ADJ_U64;
template <> inline constexpr adj_dtype dtype_of<bool> = ADJ_BOOL;
template <class T>
adj_tensor tensor(T* data, std::initializer_list<std::int64_t> shape) {
  using Element = std::remove_const_t<T>;
  static_assert(dtype_of<Element> != ADJ_DTYPE_NONE, "name the element type: tensor(data, ADJ_BF16, {...})");
  return tensor(static_cast<void*>(const_cast<Element*>(data)), dtype_of<Element>, shape);
}

// List of buffers. Both spans must outlive the call that uses the list.
inline adj_tensor_list tensor_list(adj_dtype dtype, std::span<void* const> data, std::span<const std::uint64_t> bytes) {
  adj_tensor_list list;
  list.count = static_cast<std::int64_t>(data.size());
  list.dtype = dtype;
  list.data = data.data();
  list.bytes = bytes.data();
  return list;
}

inline adj_scalar value(double v) {
  adj_scalar s;
  s.value = v;
  return s;
}
inline adj_scalar device_scalar(const void* address, adj_dtype dtype) {
  adj_scalar s;
  s.device = address;
  s.dtype = dtype;
  return s;
}

// A non-owning stream that knows its device.
class Stream {
 public:
  static Stream host() { return Stream(adj_stream_host()); }
  // A CUstream or cudaStream_t; null is the legacy default stream of the current device.
  static Result<Stream> wrap(void* cuda_stream) {
    adj_stream raw;
    if (adj_status code = adj_stream_wrap(cuda_stream, &raw)) return detail::make_error(code);
    return Stream(raw);
  }
  // A device that need not exist ("sm_90a"): plans can be selected and explained on it, not run.
  static Result<Stream> offline(const char* arch) {
    adj_stream raw;
    if (adj_status code = adj_stream_offline(arch, &raw)) return detail::make_error(code);
    return Stream(raw);
  }
  const adj_stream& raw() const { return raw_; }
  bool is_host() const { return raw_.kind == ADJ_STREAM_HOST; }

 private:
  explicit Stream(adj_stream raw) : raw_(raw) {}
  adj_stream raw_;
};

// Call with checked and fixed buffers: run() only launches.
class BoundCall {
 public:
  Result<void> run(const Stream& stream) const { return detail::to_result(adj_bound_run(handle_.get(), &stream.raw())); }

 private:
  template <class Descriptor, class Args>
  friend class Plan;
  struct Release {
    void operator()(adj_bound* bound) const { adj_bound_release(bound); }
  };
  explicit BoundCall(adj_bound* bound) : handle_(bound) {}
  std::unique_ptr<adj_bound, Release> handle_;
};

// The kernel chosen for a descriptor on a stream's device. Immutable and cheap to copy; may be used from any thread.
template <class Descriptor, class Args>
class Plan {
 public:
  static Result<Plan> select(const Stream& stream, const Descriptor& descriptor, const Preference& preference = {}) {
    adj_plan* plan = nullptr;
    adj_error* error = nullptr;
    if (adj_status code = adj_plan_select(&stream.raw(), &descriptor.header, &preference, &plan, &error)) return detail::make_error(code, error);
    return Plan(plan);
  }

  // select() with a cache of the process, for programs that ask for a plan before every call: an equal problem on the same device gets the
  // same plan in well under a microsecond, from any thread (adj_plan_acquire).
  static Result<Plan> cached(const Stream& stream, const Descriptor& descriptor, const Preference& preference = {}) {
    adj_plan* plan = nullptr;
    adj_error* error = nullptr;
    if (adj_status code = adj_plan_acquire(&stream.raw(), &descriptor.header, &preference, &plan, &error)) return detail::make_error(code, error);
    return Plan(plan);
  }

  // Every candidate in the order of trial; accepted ones have code ADJ_OK.
  static Result<std::vector<Rejection> > explain(const Stream& stream, const Descriptor& descriptor, const Preference& preference = {}) {
    adj_error* report = nullptr;
    const adj_status code = adj_plan_explain(&stream.raw(), &descriptor.header, &preference, &report);
    Error candidates = detail::make_error(code, report);
    if (code != ADJ_OK) return candidates;
    return std::move(candidates.rejections);
  }

  Result<void> can_implement(const Args& args) const { return detail::to_result(adj_plan_can_implement(plan_.get(), &args.header)); }
  std::uint64_t workspace_size() const { return adj_plan_workspace_size(plan_.get()); }
  std::uint64_t bind_workspace_size() const { return info().bind_workspace_size; }

  Result<void> run(const Stream& stream, const Workspace& workspace, const Args& args) const {
    return detail::to_result(adj_plan_run(plan_.get(), &stream.raw(), &workspace, &args.header));
  }
  // `workspace` has bind_workspace_size() bytes and belongs to the bound call until that is destroyed.
  Result<BoundCall> bind(const Stream& stream, const Workspace& workspace, const Args& args) const {
    adj_bound* bound = nullptr;
    if (adj_status code = adj_plan_bind(plan_.get(), &stream.raw(), &workspace, &args.header, &bound)) return detail::make_error(code);
    return BoundCall(bound);
  }

  SkuInfo sku() const {
    SkuInfo info;
    adj_plan_sku(plan_.get(), &info);
    return info;
  }
  // What the plan promises for every output of its problem; with a name ("dinput"), for that output.
  Guarantee precision_guarantee() const { return sku().guarantee; }
  Result<Guarantee> precision_guarantee(const char* output) const {
    Guarantee guarantee;
    if (adj_status code = adj_plan_guarantee(plan_.get(), output, &guarantee)) return detail::make_error(code);
    return guarantee;
  }
  PlanInfo info() const {
    PlanInfo info;
    adj_plan_get_info(plan_.get(), &info);
    return info;
  }

 private:
  explicit Plan(adj_plan* plan) : plan_(plan, adj_plan_release) {}
  std::shared_ptr<adj_plan> plan_;
};

}  // namespace adjoint

#endif
