#include "driver/cudnn_graph.hpp"

#include <algorithm>
#include <charconv>
#include <limits>

namespace adj {

namespace {

constexpr std::int64_t kAlignment = 16;  // bytes, of every tensor
constexpr std::int64_t kMostConfigs = 64, kMostNotes = 32, kMostKnobs = 64;
constexpr std::size_t kMostOffered = 16;

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

std::int64_t CudnnGraph::get(cu::CudnnBackend descriptor, const char* what, cu::CudnnAttribute name, cu::CudnnAttributeType type, std::int64_t room,
                             void* values) {
  std::int64_t count = 0;
  if (!error_) check(api_.backend_get(descriptor, name, type, room, &count, values), "cudnnBackendGetAttribute", what, name);
  return error_ ? 0 : count;
}

Result<void> CudnnGraph::failed() {
  if (!error_) return {};
  Error error = std::move(*error_);
  error_.reset();
  return error;
}

CudnnGraph::Tensor CudnnGraph::tensor(std::int64_t id, cu::CudnnType type, Dims dims, Dims strides, bool is_virtual, bool by_value) {
  const char* const what = "a tensor";
  const Tensor t = make(cu::kCudnnGraphTensor, what);
  set(t, what, cu::kCudnnTensorType, cu::kCudnnIsType, type);
  set(t, what, cu::kCudnnTensorDimensions, cu::kCudnnIsInt64, static_cast<std::int64_t>(dims.size()), dims.data());
  set(t, what, cu::kCudnnTensorStrides, cu::kCudnnIsInt64, static_cast<std::int64_t>(strides.size()), strides.data());
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

void CudnnGraph::convolution(Convolution kind, Tensor x, Tensor w, Tensor y, const Window& window, cu::CudnnType precision, bool add) {
  const char* const what = "a convolution";
  const cu::CudnnBackend how = make(cu::kCudnnConvolution, what);
  const auto spatial = static_cast<std::int64_t>(window.pads.size());
  set(how, what, cu::kCudnnConvolutionPrecision, cu::kCudnnIsType, precision);
  set(how, what, cu::kCudnnConvolutionMode, cu::kCudnnIsConvolutionMode, cu::kCudnnCrossCorrelation);
  set(how, what, cu::kCudnnConvolutionSpatial, cu::kCudnnIsInt64, spatial);
  set(how, what, cu::kCudnnConvolutionPadsBefore, cu::kCudnnIsInt64, spatial, window.pads.data());
  set(how, what, cu::kCudnnConvolutionPadsAfter, cu::kCudnnIsInt64, spatial, window.pads.data());
  set(how, what, cu::kCudnnConvolutionStrides, cu::kCudnnIsInt64, spatial, window.strides.data());
  set(how, what, cu::kCudnnConvolutionDilations, cu::kCudnnIsInt64, spatial, window.dilations.data());
  finalize(how, what);
  struct Names {
    cu::CudnnBackendKind kind;
    cu::CudnnAttribute alpha, beta, how, x, w, y;
  };
  constexpr Names kNames[] = {
      {cu::kCudnnConvolutionForward, cu::kCudnnForwardAlpha, cu::kCudnnForwardBeta, cu::kCudnnForwardDescriptor, cu::kCudnnForwardX, cu::kCudnnForwardW,
       cu::kCudnnForwardY},
      {cu::kCudnnConvolutionData, cu::kCudnnDataAlpha, cu::kCudnnDataBeta, cu::kCudnnDataDescriptor, cu::kCudnnDataX, cu::kCudnnDataW, cu::kCudnnDataY},
      {cu::kCudnnConvolutionFilter, cu::kCudnnFilterAlpha, cu::kCudnnFilterBeta, cu::kCudnnFilterDescriptor, cu::kCudnnFilterX, cu::kCudnnFilterW,
       cu::kCudnnFilterY}};
  const Names& names = kNames[static_cast<int>(kind)];
  const cu::CudnnBackend op = make(names.kind, what);
  set(op, what, names.how, cu::kCudnnIsDescriptor, how);
  set(op, what, names.x, cu::kCudnnIsDescriptor, x);
  set(op, what, names.w, cu::kCudnnIsDescriptor, w);
  set(op, what, names.y, cu::kCudnnIsDescriptor, y);
  if (precision == cu::kCudnnDouble) {
    set(op, what, names.alpha, cu::kCudnnIsDouble, 1.0);
    set(op, what, names.beta, cu::kCudnnIsDouble, add ? 1.0 : 0.0);
  } else {
    set(op, what, names.alpha, cu::kCudnnIsFloat, 1.0f);
    set(op, what, names.beta, cu::kCudnnIsFloat, add ? 1.0f : 0.0f);
  }
  operation(op, what);
}

// Completes the graph of the operations so far.
void CudnnGraph::describe(cu::CudnnHandle handle) {
  graph_ = make(cu::kCudnnOperationGraph, "the graph");
  set(graph_, "the graph", cu::kCudnnGraphHandle, cu::kCudnnIsHandle, handle);
  set(graph_, "the graph", cu::kCudnnGraphOperations, cu::kCudnnIsDescriptor, static_cast<std::int64_t>(operations_.size()), operations_.data());
  finalize(graph_, "the graph");
}

// The configurations of engines that a mode of cuDNN's heuristics lists, the most promising first.
std::vector<cu::CudnnBackend> CudnnGraph::configs_of(int mode) {
  const char* const what = "the heuristic";
  const cu::CudnnBackend heuristic = make(cu::kCudnnHeuristic, what);
  set(heuristic, what, cu::kCudnnHeuristicGraph, cu::kCudnnIsDescriptor, graph_);
  set(heuristic, what, cu::kCudnnHeuristicMode, cu::kCudnnIsHeuristic, mode);
  finalize(heuristic, what);
  const std::int64_t there = get(heuristic, what, cu::kCudnnHeuristicResults, cu::kCudnnIsDescriptor, 0, nullptr);
  std::vector<cu::CudnnBackend> configs;
  for (std::int64_t i = 0; i < std::clamp<std::int64_t>(there, 0, kMostConfigs); ++i) configs.push_back(make(cu::kCudnnEngineConfig, "an engine's choice"));
  const auto room = static_cast<std::int64_t>(configs.size());
  const std::int64_t count = room ? get(heuristic, what, cu::kCudnnHeuristicResults, cu::kCudnnIsDescriptor, room, configs.data()) : 0;
  configs.resize(error_ ? 0 : static_cast<std::size_t>(std::clamp<std::int64_t>(count, 0, room)));
  return configs;
}

cu::CudnnBackend CudnnGraph::engine_of(cu::CudnnBackend config) {
  cu::CudnnBackend engine = make(cu::kCudnnEngine, "an engine");
  get(config, "an engine's choice", cu::kCudnnConfigEngine, cu::kCudnnIsDescriptor, 1, &engine);
  return engine;
}

std::uint32_t CudnnGraph::notes_of(cu::CudnnBackend engine) {
  int notes[kMostNotes] = {};
  const std::int64_t count = get(engine, "an engine", cu::kCudnnEngineNumericalNote, cu::kCudnnIsNumericalNote, kMostNotes, notes);
  std::uint32_t bits = 0;
  for (std::int64_t i = 0; i < std::clamp<std::int64_t>(count, 0, kMostNotes); ++i)
    if (notes[i] >= 0 && notes[i] < 32) bits |= note(notes[i]);
  return bits;
}

std::string CudnnGraph::name_of(cu::CudnnBackend config) {
  std::int64_t index = 0;
  get(engine_of(config), "an engine", cu::kCudnnEngineIndex, cu::kCudnnIsInt64, 1, &index);
  std::string name = fmt::format("e{}", index);
  const std::int64_t there = std::min(get(config, "an engine's choice", cu::kCudnnConfigKnobs, cu::kCudnnIsDescriptor, 0, nullptr), kMostKnobs);
  std::vector<cu::CudnnBackend> knobs;
  for (std::int64_t i = 0; i < there; ++i) knobs.push_back(make(cu::kCudnnKnobChoice, "a knob"));
  if (there > 0) get(config, "an engine's choice", cu::kCudnnConfigKnobs, cu::kCudnnIsDescriptor, there, knobs.data());
  for (std::size_t i = 0; i < knobs.size() && !error_; ++i) {
    int type = 0;
    std::int64_t value = 0;
    get(knobs[i], "a knob", cu::kCudnnKnobType, cu::kCudnnIsKnob, 1, &type);
    get(knobs[i], "a knob", cu::kCudnnKnobValue, cu::kCudnnIsInt64, 1, &value);
    name += fmt::format("{}{}.{}", i ? "," : ":", type, value);
  }
  return name;
}

bool CudnnGraph::take(cu::CudnnHandle handle, cu::CudnnBackend config, std::uint64_t limit, std::uint64_t& least) {
  const cu::CudnnBackend plan = make(cu::kCudnnExecutionPlan, "a plan");
  set(plan, "a plan", cu::kCudnnPlanHandle, cu::kCudnnIsHandle, handle);
  set(plan, "a plan", cu::kCudnnPlanConfig, cu::kCudnnIsDescriptor, config);
  finalize(plan, "a plan");
  std::int64_t bytes = 0;
  get(plan, "a plan", cu::kCudnnPlanWorkspace, cu::kCudnnIsInt64, 1, &bytes);
  if (error_) return false;
  least = std::min(least, static_cast<std::uint64_t>(bytes));
  if (static_cast<std::uint64_t>(bytes) > limit) return false;
  config_ = config;
  plan_ = plan;
  workspace_ = static_cast<std::uint64_t>(bytes);
  return true;
}

Result<void> CudnnGraph::finish(cu::CudnnHandle handle, const Limits& limits, std::vector<std::string>* offered) {
  describe(handle);
  std::uint64_t least = std::numeric_limits<std::uint64_t>::max();
  std::optional<Error> refused;
  std::size_t listed = 0;
  for (const int mode : {cu::kCudnnHeuristicA, cu::kCudnnHeuristicB, cu::kCudnnHeuristicFallback}) {
    if (mode != cu::kCudnnHeuristicA && (!limits.all_modes || (plan_ && !offered))) break;
    const std::vector<cu::CudnnBackend> configs = configs_of(mode);
    // What the first list says decides. A later one may be missing.
    if (error_ && (mode == cu::kCudnnHeuristicA || error_->code != ADJ_ERROR_UNSUPPORTED)) return failed();
    error_.reset();
    listed += configs.size();
    for (const cu::CudnnBackend config : configs) {
      if (plan_ && (!offered || offered->size() == kMostOffered)) return {};
      const bool allowed = !(notes_of(engine_of(config)) & limits.notes);
      if (auto ok = failed(); !ok) return ok;
      if (!allowed) continue;
      if (!plan_ && !take(handle, config, limits.workspace, least) && error_) {
        if (error_->code != ADJ_ERROR_UNSUPPORTED) return failed();
        refused = std::move(error_);
        error_.reset();
      }
      if (offered && offered->size() < kMostOffered) {
        const std::string name = name_of(config);
        if (auto ok = failed(); !ok) return ok;
        if (std::find(offered->begin(), offered->end(), name) == offered->end()) offered->push_back(name);
      }
    }
  }
  if (plan_) return {};
  if (least != std::numeric_limits<std::uint64_t>::max())
    return fail(ADJ_ERROR_UNSUPPORTED, "cuDNN needs at least {} bytes of workspace, {} are allowed", least, limits.workspace);
  if (refused) return *refused;
  if (listed == 0) return fail(ADJ_ERROR_UNSUPPORTED, "cuDNN has no engines for this problem");
  return fail(ADJ_ERROR_UNSUPPORTED, "cuDNN has no engine for this problem{}",
              limits.notes == note(cu::kCudnnNondeterministic) ? " that gives the same bits in every run" : " that keeps to what the SKU promises");
}

Result<void> CudnnGraph::finish_with(cu::CudnnHandle handle, const Limits& limits, std::string_view name) {
  describe(handle);
  // "e11:2.4,3.1" as numbers.
  std::vector<std::int64_t> numbers;
  bool valid = name.starts_with('e');
  for (const char *at = name.data() + 1, *const end = name.data() + name.size(); valid && at < end;) {
    std::int64_t number = 0;
    const auto [stop, error] = std::from_chars(at, end, number);
    valid = error == std::errc{};
    numbers.push_back(number);
    if (valid && stop < end) valid = *stop == (numbers.size() == 1 ? ':' : numbers.size() % 2 == 0 ? '.' : ',');
    at = stop + 1;
  }
  if (!valid || numbers.size() % 2 != 1) return fail(ADJ_ERROR_UNSUPPORTED, "'{}' is no engine of cuDNN", name);
  const cu::CudnnBackend engine = make(cu::kCudnnEngine, "an engine");
  set(engine, "an engine", cu::kCudnnEngineGraph, cu::kCudnnIsDescriptor, graph_);
  set(engine, "an engine", cu::kCudnnEngineIndex, cu::kCudnnIsInt64, numbers[0]);
  finalize(engine, "an engine");
  std::vector<cu::CudnnBackend> knobs;
  for (std::size_t i = 1; i < numbers.size(); i += 2) {
    const cu::CudnnBackend knob = make(cu::kCudnnKnobChoice, "a knob");
    set(knob, "a knob", cu::kCudnnKnobType, cu::kCudnnIsKnob, static_cast<int>(numbers[i]));
    set(knob, "a knob", cu::kCudnnKnobValue, cu::kCudnnIsInt64, numbers[i + 1]);
    finalize(knob, "a knob");
    knobs.push_back(knob);
  }
  const cu::CudnnBackend config = make(cu::kCudnnEngineConfig, "an engine's choice");
  set(config, "an engine's choice", cu::kCudnnConfigEngine, cu::kCudnnIsDescriptor, engine);
  if (!knobs.empty()) set(config, "an engine's choice", cu::kCudnnConfigKnobs, cu::kCudnnIsDescriptor, static_cast<std::int64_t>(knobs.size()), knobs.data());
  finalize(config, "an engine's choice");
  const std::uint32_t notes = notes_of(engine);
  if (auto ok = failed(); !ok) return ok;
  if (notes & limits.notes) return fail(ADJ_ERROR_UNSUPPORTED, "cuDNN's engine {} does not keep to what the SKU promises", name);
  std::uint64_t least = std::numeric_limits<std::uint64_t>::max();
  if (take(handle, config, limits.workspace, least)) return {};
  if (auto ok = failed(); !ok) return ok;
  return fail(ADJ_ERROR_UNSUPPORTED, "cuDNN's engine {} needs {} bytes of workspace, {} are allowed", name, least, limits.workspace);
}

Result<std::string> CudnnGraph::name() {
  std::string name = name_of(config_);
  if (auto ok = failed(); !ok) return ok.take_error();
  return name;
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
