// A graph of operations for cuDNN's graph interface, and the plan that cuDNN makes of it. Tensors have four dimensions, or five.
#pragma once

#include <array>
#include <optional>
#include <span>
#include <string>
#include <string_view>
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
  using Dims = std::span<const std::int64_t>;
  Tensor given(std::int64_t id, cu::CudnnType type, Dims dims, Dims strides) { return tensor(id, type, dims, strides, false, false); }
  Tensor between(cu::CudnnType type, const Four& dims) { return between(type, dims, packed(dims)); }
  Tensor between(cu::CudnnType type, const Four& dims, const Four& strides) { return between(type, Dims(dims), Dims(strides)); }
  Tensor between(cu::CudnnType type, Dims dims, Dims strides) { return tensor(next_id_++, type, dims, strides, true, false); }
  Tensor number(std::int64_t id) { return tensor(id, cu::kCudnnFloat, Four{1, 1, 1, 1}, Four{1, 1, 1, 1}, false, true); }
  static Four packed(const Four& dims) { return {dims[1] * dims[2] * dims[3], dims[2] * dims[3], dims[3], 1}; }

  // Operations, which compute in f32 unless stated. A missing operand is null. `axis`: of the mode kCudnnIndex.
  void pointwise(cu::CudnnPointwise mode, Tensor x, Tensor b, Tensor to, Tensor condition = nullptr, cu::CudnnType precision = cu::kCudnnFloat,
                 std::int64_t axis = -1);
  void matmul(Tensor a, Tensor b, Tensor to);
  void reduce(cu::CudnnReduction op, Tensor x, Tensor to);
  void reshape(Tensor x, Tensor to);

  // A convolution x -> y by w, or the gradient of its x or of its w; the operand that is computed is the one that `kind` names. Pads are the same at both
  // ends. It computes in `precision`. add: the result is added to what the operand holds.
  enum class Convolution { forward, data, filter };
  struct Window {
    Dims pads, strides, dilations;
  };
  void convolution(Convolution kind, Tensor x, Tensor w, Tensor y, const Window& window, cu::CudnnType precision, bool add);

  // What an engine must, and must not, do.
  struct Limits {
    std::uint32_t notes = 0;      // bit n: no engine that states the numerical note n
    std::uint64_t workspace = 0;  // most bytes
    bool all_modes = false;       // true: engines of cuDNN's second and last lists follow those of its first one
  };
  static constexpr std::uint32_t note(int n) { return std::uint32_t{1} << n; }

  // Takes the first engine of cuDNN's list that keeps to the limits. `offered`, unless it is null, receives the names of the first engines of all lists
  // that may; whether their plans can be made is not known.
  Result<void> finish(cu::CudnnHandle handle, const Limits& limits, std::vector<std::string>* offered = nullptr);
  // Takes the engine of that name, which `name` or `offered` gave for an equal graph, if it keeps to the limits.
  Result<void> finish_with(cu::CudnnHandle handle, const Limits& limits, std::string_view name);
  // The engine that was taken: its index and its knobs, "e11:2.4,3.1". Asks cuDNN.
  Result<std::string> name();
  std::uint64_t workspace() const { return workspace_; }
  // Runs the plan on the handle's stream.
  Result<void> execute(cu::CudnnHandle handle, std::span<const Binding> bindings, void* workspace) const;

 private:
  cu::CudnnBackend make(cu::CudnnBackendKind kind, const char* what);
  Tensor tensor(std::int64_t id, cu::CudnnType type, Dims dims, Dims strides, bool is_virtual, bool by_value);
  void set(cu::CudnnBackend descriptor, const char* what, cu::CudnnAttribute name, cu::CudnnAttributeType type, std::int64_t count, const void* values);
  template <class T>
  void set(cu::CudnnBackend descriptor, const char* what, cu::CudnnAttribute name, cu::CudnnAttributeType type, const T& value) {
    set(descriptor, what, name, type, 1, &value);
  }
  std::int64_t get(cu::CudnnBackend descriptor, const char* what, cu::CudnnAttribute name, cu::CudnnAttributeType type, std::int64_t room, void* values);
  void finalize(cu::CudnnBackend descriptor, const char* what);
  void operation(cu::CudnnBackend descriptor, const char* what);
  void check(cu::CudnnStatus status, const char* call, const char* what, cu::CudnnAttribute attribute = -1);
  Result<void> failed();  // the error of a call so far, which is forgotten
  void describe(cu::CudnnHandle handle);
  std::vector<cu::CudnnBackend> configs_of(int mode);
  cu::CudnnBackend engine_of(cu::CudnnBackend config);
  std::uint32_t notes_of(cu::CudnnBackend engine);
  std::string name_of(cu::CudnnBackend config);
  // Makes the plan of a configuration and takes it if its workspace is at most `limit`. False: it is not, or cuDNN refuses it.
  bool take(cu::CudnnHandle handle, cu::CudnnBackend config, std::uint64_t limit, std::uint64_t& least);

  const cu::CudnnApi& api_;
  std::optional<Error> error_;
  std::vector<cu::CudnnBackend> made_, operations_;
  std::int64_t next_id_ = 1000;  // ids of given tensors are below
  cu::CudnnBackend graph_ = nullptr, config_ = nullptr, plan_ = nullptr;
  std::uint64_t workspace_ = 0;
};

}  // namespace adj
