#include "driver/cudnn_graph.hpp"

#include <algorithm>
#include <limits>

namespace adj {

namespace {

constexpr std::int64_t kAlignment = 16;  // bytes, of every tensor
constexpr std::int64_t kMostConfigs = 64, kMostNotes = 32;

}  // namespace

CudnnGraph::~CudnnGraph() {
  for (auto one = made_.rbegin(); one != made_.rend(); ++one) api_.backend_destroy(*one);
}

void CudnnGraph::check(cu::CudnnStatus status, const char* call, const char* what, cu::CudnnAttribute attribute) {
  if (!status || error_) return;
  const std::string place = attribute < 0 ? fmt::format("{} of {}", call, what) : fmt::format("{} of {}, attribute {},", call, what, attribute);
  error_ = cudnn_refusal(api_, status, place.c_str());
}

cu::CudnnBackend CudnnGraph::make(cu::CudnnBackendKind kind, const char* what) {
  if (error_) return nullptr;
  cu::CudnnBackend descriptor = nullptr;
  check(api_.backend_create(kind, &descriptor), "cudnnBackendCreateDescriptor", what);
  if (error_) return nullptr;
  made_.push_back(descriptor);
  return descriptor;
}

void CudnnGraph::set(cu::CudnnBackend descriptor, const char* what, cu::CudnnAttribute name, cu::CudnnAttributeType type, std::int64_t count,
                     const void* values) {
  if (!error_) check(api_.backend_set(descriptor, name, type, count, values), "cudnnBackendSetAttribute", what, name);
}

void CudnnGraph::finalize(cu::CudnnBackend descriptor, const char* what) {
  if (!error_) check(api_.backend_finalize(descriptor), "cudnnBackendFinalize", what);
}

CudnnGraph::Tensor CudnnGraph::tensor(std::int64_t id, cu::CudnnType type, const Four& dims, const Four& strides, bool is_virtual, bool by_value) {
  const char* const what = "a tensor";
  const Tensor t = make(cu::kCudnnGraphTensor, what);
  set(t, what, cu::kCudnnTensorType, cu::kCudnnIsType, type);
  set(t, what, cu::kCudnnTensorDimensions, cu::kCudnnIsInt64, 4, dims.data());
  set(t, what, cu::kCudnnTensorStrides, cu::kCudnnIsInt64, 4, strides.data());
  set(t, what, cu::kCudnnTensorId, cu::kCudnnIsInt64, id);
  set(t, what, cu::kCudnnTensorAlignment, cu::kCudnnIsInt64, kAlignment);
  if (is_virtual) set(t, what, cu::kCudnnTensorVirtual, cu::kCudnnIsBoolean, true);
  if (by_value) set(t, what, cu::kCudnnTensorByValue, cu::kCudnnIsBoolean, true);
  finalize(t, what);
  return t;
}

void CudnnGraph::operation(cu::CudnnBackend descriptor, const char* what) {
  finalize(descriptor, what);
  operations_.push_back(descriptor);
}

void CudnnGraph::pointwise(cu::CudnnPointwise mode, Tensor x, Tensor b, Tensor to, Tensor condition, cu::CudnnType precision, std::int64_t axis) {
  const char* const what = "a pointwise operation";
  const cu::CudnnBackend kind = make(cu::kCudnnPointwise, what);
  set(kind, what, cu::kCudnnPointwiseMode, cu::kCudnnIsPointwise, mode);
  set(kind, what, cu::kCudnnPointwisePrecision, cu::kCudnnIsType, precision);
  if (mode == cu::kCudnnIndex) set(kind, what, cu::kCudnnPointwiseAxis, cu::kCudnnIsInt64, axis);
  finalize(kind, what);
  const cu::CudnnBackend op = make(cu::kCudnnPointwiseOperation, what);
  set(op, what, cu::kCudnnPointwiseDescriptor, cu::kCudnnIsDescriptor, kind);
  set(op, what, cu::kCudnnPointwiseX, cu::kCudnnIsDescriptor, x);
  if (b) set(op, what, cu::kCudnnPointwiseB, cu::kCudnnIsDescriptor, b);
  if (condition) set(op, what, cu::kCudnnPointwiseT, cu::kCudnnIsDescriptor, condition);
  set(op, what, cu::kCudnnPointwiseY, cu::kCudnnIsDescriptor, to);
  operation(op, what);
}

void CudnnGraph::matmul(Tensor a, Tensor b, Tensor to) {
  const char* const what = "a matrix product";
  const cu::CudnnBackend kind = make(cu::kCudnnMatmul, what);
  set(kind, what, cu::kCudnnMatmulPrecision, cu::kCudnnIsType, cu::kCudnnFloat);
  finalize(kind, what);
  const cu::CudnnBackend op = make(cu::kCudnnMatmulOperation, what);
  set(op, what, cu::kCudnnMatmulA, cu::kCudnnIsDescriptor, a);
  set(op, what, cu::kCudnnMatmulB, cu::kCudnnIsDescriptor, b);
  set(op, what, cu::kCudnnMatmulC, cu::kCudnnIsDescriptor, to);
  set(op, what, cu::kCudnnMatmulDescriptor, cu::kCudnnIsDescriptor, kind);
  operation(op, what);
}

void CudnnGraph::reduce(cu::CudnnReduction reduction, Tensor x, Tensor to) {
  const char* const what = "a reduction";
  const cu::CudnnBackend kind = make(cu::kCudnnReduction, what);
  set(kind, what, cu::kCudnnReductionPrecision, cu::kCudnnIsType, cu::kCudnnFloat);
  set(kind, what, cu::kCudnnReductionOperator, cu::kCudnnIsReduction, reduction);
  finalize(kind, what);
  const cu::CudnnBackend op = make(cu::kCudnnReductionOperation, what);
  set(op, what, cu::kCudnnReductionX, cu::kCudnnIsDescriptor, x);
  set(op, what, cu::kCudnnReductionY, cu::kCudnnIsDescriptor, to);
  set(op, what, cu::kCudnnReductionDescriptor, cu::kCudnnIsDescriptor, kind);
  operation(op, what);
}

void CudnnGraph::reshape(Tensor x, Tensor to) {
  const char* const what = "a reshape";
  const cu::CudnnBackend op = make(cu::kCudnnReshapeOperation, what);
  set(op, what, cu::kCudnnReshapeX, cu::kCudnnIsDescriptor, x);
  set(op, what, cu::kCudnnReshapeY, cu::kCudnnIsDescriptor, to);
  operation(op, what);
}

// Makes a plan of an engine and takes it if it fits. False: it does not; then `least` is at most the workspace that it needs.
Result<bool> CudnnGraph::take(cu::CudnnHandle handle, cu::CudnnBackend config, bool fixed_order, std::uint64_t limit, std::uint64_t& least) {
  cu::CudnnBackend engine = make(cu::kCudnnEngine, "an engine");
  std::int64_t count = 0;
  if (!error_) check(api_.backend_get(config, cu::kCudnnConfigEngine, cu::kCudnnIsDescriptor, 1, &count, &engine), "cudnnBackendGetAttribute", "an engine's choice");
  int notes[kMostNotes] = {};
  count = 0;
  if (!error_)
    check(api_.backend_get(engine, cu::kCudnnEngineNumericalNote, cu::kCudnnIsNumericalNote, kMostNotes, &count, notes), "cudnnBackendGetAttribute", "an engine");
  if (error_) return *error_;
  const int* const end = notes + std::clamp<std::int64_t>(count, 0, kMostNotes);
  if (fixed_order && std::find(static_cast<const int*>(notes), end, cu::kCudnnNondeterministic) != end) return false;
  const cu::CudnnBackend plan = make(cu::kCudnnExecutionPlan, "a plan");
  set(plan, "a plan", cu::kCudnnPlanHandle, cu::kCudnnIsHandle, handle);
  set(plan, "a plan", cu::kCudnnPlanConfig, cu::kCudnnIsDescriptor, config);
  finalize(plan, "a plan");
  std::int64_t bytes = 0;
  if (!error_) check(api_.backend_get(plan, cu::kCudnnPlanWorkspace, cu::kCudnnIsInt64, 1, &count, &bytes), "cudnnBackendGetAttribute", "a plan");
  if (error_) return *error_;
  least = std::min(least, static_cast<std::uint64_t>(bytes));
  if (static_cast<std::uint64_t>(bytes) > limit) return false;
  plan_ = plan;
  workspace_ = static_cast<std::uint64_t>(bytes);
  return true;
}

Result<void> CudnnGraph::finish(cu::CudnnHandle handle, bool fixed_order, std::uint64_t limit) {
  const cu::CudnnBackend graph = make(cu::kCudnnOperationGraph, "the graph");
  set(graph, "the graph", cu::kCudnnGraphHandle, cu::kCudnnIsHandle, handle);
  set(graph, "the graph", cu::kCudnnGraphOperations, cu::kCudnnIsDescriptor, static_cast<std::int64_t>(operations_.size()), operations_.data());
  finalize(graph, "the graph");
  const cu::CudnnBackend heuristic = make(cu::kCudnnHeuristic, "the heuristic");
  set(heuristic, "the heuristic", cu::kCudnnHeuristicGraph, cu::kCudnnIsDescriptor, graph);
  set(heuristic, "the heuristic", cu::kCudnnHeuristicMode, cu::kCudnnIsHeuristic, cu::kCudnnHeuristicA);
  finalize(heuristic, "the heuristic");
  std::int64_t count = 0;
  const auto get_configs = [&](std::int64_t room, cu::CudnnBackend* configs) {
    if (!error_)
      check(api_.backend_get(heuristic, cu::kCudnnHeuristicResults, cu::kCudnnIsDescriptor, room, &count, configs), "cudnnBackendGetAttribute", "the heuristic");
  };
  get_configs(0, nullptr);
  std::array<cu::CudnnBackend, kMostConfigs> configs{};
  const std::int64_t room = std::clamp<std::int64_t>(count, 0, kMostConfigs);
  for (std::int64_t i = 0; i < room; ++i) configs[static_cast<std::size_t>(i)] = make(cu::kCudnnEngineConfig, "an engine's choice");
  if (room > 0) get_configs(room, configs.data());
  if (error_) return *error_;
  std::uint64_t least = std::numeric_limits<std::uint64_t>::max();
  std::optional<Error> refused;
  for (std::int64_t i = 0; i < std::min(count, room); ++i) {
    auto taken = take(handle, configs[static_cast<std::size_t>(i)], fixed_order, limit, least);
    if (taken && *taken) return {};
    if (taken) continue;
    if (taken.error().code != ADJ_ERROR_UNSUPPORTED) return taken.take_error();
    refused = std::move(error_);
    error_.reset();
  }
  if (least != std::numeric_limits<std::uint64_t>::max())
    return fail(ADJ_ERROR_UNSUPPORTED, "cuDNN needs at least {} bytes of workspace, {} are allowed", least, limit);
  if (refused) return *refused;
  return fail(ADJ_ERROR_UNSUPPORTED, "cuDNN has {} for this problem{}", count > 0 ? "no engine" : "no engines", fixed_order && count > 0 ? " that gives the same bits in every run" : "");
}

Result<void> CudnnGraph::execute(cu::CudnnHandle handle, std::span<const Binding> bindings, void* workspace) const {
  std::array<std::int64_t, kMostBindings> ids{};
  std::array<void*, kMostBindings> addresses{};
  for (std::size_t i = 0; i < bindings.size(); ++i) ids[i] = bindings[i].id, addresses[i] = bindings[i].data;
  const auto count = static_cast<std::int64_t>(bindings.size());
  cu::CudnnBackend pack = nullptr;
  if (auto status = api_.backend_create(cu::kCudnnVariantPack, &pack)) return cudnn_error(api_, status, "cudnnBackendCreateDescriptor of the arguments");
  const char* call = "cudnnBackendSetAttribute of the arguments";
  cu::CudnnStatus status = api_.backend_set(pack, cu::kCudnnPackIds, cu::kCudnnIsInt64, count, ids.data());
  if (!status) status = api_.backend_set(pack, cu::kCudnnPackPointers, cu::kCudnnIsPointer, count, addresses.data());
  if (!status) status = api_.backend_set(pack, cu::kCudnnPackWorkspace, cu::kCudnnIsPointer, 1, &workspace);
  if (!status) call = "cudnnBackendFinalize of the arguments", status = api_.backend_finalize(pack);
  if (!status) call = "cudnnBackendExecute", status = api_.backend_execute(handle, plan_, pack);
  Result<void> done;
  if (status) done = cudnn_error(api_, status, call);
  api_.backend_destroy(pack);
  return done;
}

}  // namespace adj
