// A graph of operations for cuDNN's graph interface, and the plan that cuDNN makes of it. Tensors have four dimensions.
#pragma once

#include <array>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "driver/cudnn.hpp"

namespace adj {

class CudnnGraph {
 public:
  using Tensor = cu::CudnnBackend;
  using Four = std::array<std::int64_t, 4>;
  // Address of a tensor, or of a number in ordinary memory, under the id that it was declared with.
  struct Binding {
    std::int64_t id;
    void* data;
  };
  static constexpr std::size_t kMostBindings = 16;

  explicit CudnnGraph(const cu::CudnnApi& api) : api_(api) {}
  CudnnGraph(const CudnnGraph&) = delete;
  CudnnGraph& operator=(const CudnnGraph&) = delete;
  ~CudnnGraph();

  // Tensors. The first error of any call is kept for `finish`; later calls do nothing.
  Tensor given(std::int64_t id, cu::CudnnType type, const Four& dims, const Four& strides) { return tensor(id, type, dims, strides, false, false); }
  Tensor between(cu::CudnnType type, const Four& dims) { return between(type, dims, packed(dims)); }
  Tensor between(cu::CudnnType type, const Four& dims, const Four& strides) { return tensor(next_id_++, type, dims, strides, true, false); }
  Tensor number(std::int64_t id) { return tensor(id, cu::kCudnnFloat, {1, 1, 1, 1}, {1, 1, 1, 1}, false, true); }
  static Four packed(const Four& dims) { return {dims[1] * dims[2] * dims[3], dims[2] * dims[3], dims[3], 1}; }

  // Operations, which compute in f32 unless stated. A missing operand is null. `axis`: of the mode kCudnnIndex.
  void pointwise(cu::CudnnPointwise mode, Tensor x, Tensor b, Tensor to, Tensor condition = nullptr, cu::CudnnType precision = cu::kCudnnFloat,
                 std::int64_t axis = -1);
  void matmul(Tensor a, Tensor b, Tensor to);
  void reduce(cu::CudnnReduction op, Tensor x, Tensor to);
  void reshape(Tensor x, Tensor to);

  // Takes the first engine of cuDNN's list whose plan needs at most `workspace` bytes, with fixed_order only engines that give the same bits in every run.
  Result<void> finish(cu::CudnnHandle handle, bool fixed_order, std::uint64_t workspace);
  std::uint64_t workspace() const { return workspace_; }
  // Runs the plan on the handle's stream.
  Result<void> execute(cu::CudnnHandle handle, std::span<const Binding> bindings, void* workspace) const;

 private:
  cu::CudnnBackend make(cu::CudnnBackendKind kind, const char* what);
  Tensor tensor(std::int64_t id, cu::CudnnType type, const Four& dims, const Four& strides, bool is_virtual, bool by_value);
  void set(cu::CudnnBackend descriptor, const char* what, cu::CudnnAttribute name, cu::CudnnAttributeType type, std::int64_t count, const void* values);
  template <class T>
  void set(cu::CudnnBackend descriptor, const char* what, cu::CudnnAttribute name, cu::CudnnAttributeType type, const T& value) {
    set(descriptor, what, name, type, 1, &value);
  }
  void finalize(cu::CudnnBackend descriptor, const char* what);
  void operation(cu::CudnnBackend descriptor, const char* what);
  void check(cu::CudnnStatus status, const char* call, const char* what, cu::CudnnAttribute attribute = -1);
  Result<bool> take(cu::CudnnHandle handle, cu::CudnnBackend config, bool fixed_order, std::uint64_t limit, std::uint64_t& least);

  const cu::CudnnApi& api_;
  std::optional<Error> error_;
  std::vector<cu::CudnnBackend> made_, operations_;
  std::int64_t next_id_ = 1000;  // ids of given tensors are below
  cu::CudnnBackend plan_ = nullptr;
  std::uint64_t workspace_ = 0;
};

}  // namespace adj
