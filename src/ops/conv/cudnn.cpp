#include "ops/conv/cudnn.hpp"

#include "ops/common/graph.hpp"

namespace adj::conv {

namespace {

using Graph = CudnnGraph;
using Tensor = Graph::Tensor;

constexpr std::uint32_t kAddressAlignment = 16;  // bytes: cuDNN's kernels for tensor cores load vectors of 16
constexpr int kMostDims = 5;

// Ids of the tensors that a call names.
enum Id : std::int64_t { kBigId = 1, kSmallId, kWeightId, kBiasId, kSumId, kOutId };

// One graph in a plan, with the places of its tensors.
struct Call {
  struct Place {
    Id id;
    int argument;  // its place; -1: the tensor is `sum` of the workspace
  };
  std::unique_ptr<Graph> graph;
  std::vector<Place> places{};
};

// State that a plan owns.
struct State {
  CudnnPool* pool = nullptr;
  std::vector<Call> calls;
  std::uint64_t sum = 0, scratch = 0;  // offsets in the workspace
};

cu::CudnnType type_of(adj_dtype element) {
  switch (element) {
    case ADJ_F64: return cu::kCudnnDouble;
    case ADJ_F16: return cu::kCudnnHalf;
    case ADJ_BF16: return cu::kCudnnBfloat16;
    default: return cu::kCudnnFloat;
  }
}

// Refuses problems that cuDNN does not take, or is not trusted with.
Result<void> check_problem(const Geometry& g) {
  const std::int64_t channels[] = {g.big_channels, g.small_channels, g.batch};
  if (volume_of(g.big_extent) == 0 || volume_of(g.small_extent) == 0 || volume_of(channels) == 0)
    return fail(ADJ_ERROR_UNSUPPORTED, "cuDNN takes no empty tensors");
  for (const auto& [name, shape] : {std::pair{"the larger tensor", g.big}, std::pair{"the smaller tensor", g.small}, std::pair{"weight", g.weight}})
    if (const std::int64_t elements = volume_of(dims_of(*shape)); elements > kMost)
      return fail(ADJ_ERROR_UNSUPPORTED, "cuDNN takes tensors of at most {} elements, {} has {}", kMost, name, elements);
  for (int i = 0; i < 3; ++i) {
    // Unequal pads are fine when the stride skips the difference: equal pads then give the same extent.
    const std::int64_t span = g.dilation[i] * (g.taps[i] - 1) + 1, padded = g.big_extent[i] + 2 * g.pad[i];
    if (padded < span || (padded - span) / g.stride[i] + 1 != g.small_extent[i])
      return fail(ADJ_ERROR_UNSUPPORTED, "cuDNN takes equal pads at both ends only; {} at the beginning is not what the end has, in spatial dimension {} of 3",
                  g.pad[i], i);
  }
  return {};
}

// Dimensions in cuDNN's order, [outer, channels, spatial...], with the strides of the layout. There are 4 or 5: cuDNN has no tensors with a single
// spatial dimension.
struct Layout {
  int count;
  std::int64_t dims[kMostDims], strides[kMostDims];

  Layout(const Geometry& g, std::int64_t outer, std::int64_t channels, const std::int64_t (&extent)[3])
      : count(g.big->rank == kMostDims ? kMostDims : kMostDims - 1), dims{outer, channels} {
    for (int i = 2; i < count; ++i) dims[i] = extent[3 - count + i];
    std::int64_t pitch = g.last ? channels : 1;
    for (int i = count - 1; i >= 2; --i) strides[i] = pitch, pitch *= dims[i];
    strides[1] = g.last ? 1 : pitch;
    strides[0] = g.last ? pitch : pitch * channels;
  }
  Graph::Dims all() const { return {dims, static_cast<std::size_t>(count)}; }
  Graph::Dims pitches() const { return {strides, static_cast<std::size_t>(count)}; }
  Graph::Dims spatial() const { return all().subspan(2); }
};

// Makes the graphs of one plan.
class Builder {
 public:
  Builder(State& state, const PlanRequest& request, const Geometry& geometry, adj_dtype element, bool result_is_big)
      : state_(state),
        request_(request),
        g_(geometry),
        type_(type_of(element)),
        precision_(element == ADJ_F64 ? cu::kCudnnDouble : cu::kCudnnFloat),
        result_is_big_(result_is_big),
        big_(geometry, geometry.batch, geometry.big_channels * geometry.groups, geometry.big_extent),
        small_(geometry, geometry.batch, geometry.small_channels * geometry.groups, geometry.small_extent),
        weight_(geometry, geometry.small_channels * geometry.groups, geometry.big_channels, geometry.taps),
        limits_(limits_of(request, element)) {}

  Result<void> add(cu::CudnnHandle handle, const CudnnTask& task) {
    part_ = request_.sku->op->arguments[static_cast<std::size_t>(task.out)].name;
    auto added = task.bias < 0 ? product(handle, task, Way::plain) : with_bias(handle, task);
    if (added || added.error().code != ADJ_ERROR_UNSUPPORTED) return added;
    return fail(ADJ_ERROR_UNSUPPORTED, "{}: {}", part_, added.error().message);
  }
  std::uint64_t scratch() const { return scratch_; }
  std::uint64_t sum() const { return sum_; }

 private:
  // fused: the bias is added to the sums of the same graph. apart: a second graph adds it to the result of the first one.
  enum class Way { plain, fused, apart };

  static Graph::Limits limits_of(const PlanRequest& request, adj_dtype element) {
    const adj_guarantee& guarantee = request.sku->guarantee;
    // Transforms make an element's error depend on its neighbours. Sums are of f32 at least. Engines that round f32 operands to TF32 state the note for
    // tensor cores; those that round operands to less state the other one.
    std::uint32_t notes = Graph::note(cu::kCudnnDownConverts) | Graph::note(cu::kCudnnReducedReduction) | Graph::note(cu::kCudnnFft) |
                          Graph::note(cu::kCudnnWinograd) | Graph::note(cu::kCudnnWinograd4) | Graph::note(cu::kCudnnWinograd6) |
                          Graph::note(cu::kCudnnWinograd13);
    if (guarantee.determinism != ADJ_NONDETERMINISTIC) notes |= Graph::note(cu::kCudnnNondeterministic);
    if (element == ADJ_F32 && guarantee.math == ADJ_MATH_IEEE) notes |= Graph::note(cu::kCudnnTensorCore);
    return {.notes = notes, .workspace = request.preference->workspace_limit, .all_modes = true};
  }

  const Layout& result() const { return result_is_big_ ? big_ : small_; }
  Tensor given(Call& call, Id id, int argument, const Layout& layout) {
    call.places.push_back({id, argument});
    return call.graph->given(id, type_, layout.all(), layout.pitches());
  }
  Tensor bias(Call& call, int argument) {
    constexpr std::int64_t kOne[3] = {1, 1, 1};
    return given(call, kBiasId, argument, Layout(g_, 1, result().dims[1], kOne));
  }

  Result<void> with_bias(cu::CudnnHandle handle, const CudnnTask& task) {
    const std::string* const wanted = request_.choices ? request_.choices->wanted(part_) : nullptr;
    const bool first = !wanted || wanted->starts_with(kFused);
    if (first) {
      auto fused = product(handle, task, Way::fused);
      if (fused || fused.error().code != ADJ_ERROR_UNSUPPORTED || wanted || !task.may_round) return fused;
    }
    return product(handle, task, Way::apart);
  }

  Result<void> product(cu::CudnnHandle handle, const CudnnTask& task, Way way) {
    const std::uint64_t sum = way == Way::apart ? align_workspace(static_cast<std::uint64_t>(volume_of(result().all())) * size_of(element())) : 0;
    if (sum > limits_.workspace)
      return fail(ADJ_ERROR_UNSUPPORTED, "a result without its bias needs {} bytes of workspace, {} are allowed", sum, limits_.workspace);
    Graph::Limits limits = limits_;
    limits.workspace -= sum;
    Call call{std::make_unique<Graph>(state_.pool->api())};
    Graph& graph = *call.graph;
    Tensor out = nullptr;
    const Layout& layout = task.kind == CudnnTask::weight_gradient ? weight_ : result();
    if (way == Way::fused) out = graph.between(precision_, layout.all(), layout.pitches());
    Tensor x = nullptr, w = nullptr, y = nullptr;
    Graph::Convolution kind = Graph::Convolution::forward;
    switch (task.kind) {
      case CudnnTask::small_from_big:
        x = given(call, kBigId, task.first, big_);
        w = given(call, kWeightId, task.second, weight_);
        y = out ? out : given(call, kSmallId, way == Way::apart ? -1 : task.out, small_);
        break;
      case CudnnTask::big_from_small:
        kind = Graph::Convolution::data;
        y = given(call, kSmallId, task.first, small_);
        w = given(call, kWeightId, task.second, weight_);
        x = out ? out : given(call, kBigId, way == Way::apart ? -1 : task.out, big_);
        break;
      case CudnnTask::weight_gradient:
        kind = Graph::Convolution::filter;
        x = given(call, kBigId, task.first, big_);
        y = given(call, kSmallId, task.second, small_);
        w = given(call, kWeightId, task.out, weight_);
    }
    const Layout pads(g_, 1, 1, g_.pad), strides(g_, 1, 1, g_.stride), dilations(g_, 1, 1, g_.dilation);
    graph.convolution(kind, x, w, y, {pads.spatial(), strides.spatial(), dilations.spatial()}, precision_, task.add);
    if (way == Way::fused) {
      const Tensor b = bias(call, task.bias);
      graph.pointwise(cu::kCudnnAdd, out, b, given(call, kOutId, task.out, layout), nullptr, precision_);
    }
    ADJ_TRY(finish_graph(graph, handle, limits, request_.choices, part_, way == Way::fused ? kFused : way == Way::apart ? kApart : ""));
    std::uint64_t scratch = graph.workspace();
    std::vector<Call> calls;
    calls.push_back(std::move(call));
    if (way == Way::apart) {
      Call second{std::make_unique<Graph>(state_.pool->api())};
      const Tensor from = given(second, kSumId, -1, layout), b = bias(second, task.bias), to = given(second, kOutId, task.out, layout);
      second.graph->pointwise(cu::kCudnnAdd, from, b, to, nullptr, precision_);
      ADJ_TRY(second.graph->finish(handle, limits));
      scratch = std::max(scratch, second.graph->workspace());
      calls.push_back(std::move(second));
    }
    scratch_ = std::max(scratch_, scratch);
    sum_ = std::max(sum_, sum);
    for (Call& one : calls) state_.calls.push_back(std::move(one));
    return {};
  }

  adj_dtype element() const { return type_ == cu::kCudnnDouble ? ADJ_F64 : type_ == cu::kCudnnFloat ? ADJ_F32 : type_ == cu::kCudnnHalf ? ADJ_F16 : ADJ_BF16; }

  static constexpr const char *kFused = "fused-", *kApart = "apart-";  // beginnings of alternatives

  State& state_;
  const PlanRequest& request_;
  const Geometry& g_;
  cu::CudnnType type_, precision_;
  bool result_is_big_;
  Layout big_, small_, weight_;
  Graph::Limits limits_;
  const char* part_ = nullptr;
  std::uint64_t scratch_ = 0, sum_ = 0;
};

Result<void> run(const CallContext& context) {
  const auto& state = *static_cast<const State*>(context.state);
  auto data = [&](int argument) {
    return reinterpret_cast<const adj_tensor*>(context.args + context.plan.op->arguments[static_cast<std::size_t>(argument)].offset)->data;
  };
  return state.pool->run(static_cast<cu::Stream>(context.stream.handle), [&](cu::CudnnHandle handle) -> Result<void> {
    for (const Call& call : state.calls) {
      std::array<Graph::Binding, Graph::kMostBindings> bindings;
      std::size_t count = 0;
      for (const auto& [id, argument] : call.places) bindings[count++] = {id, argument < 0 ? context.workspace + state.sum : data(argument)};
      ADJ_TRY(call.graph->execute(handle, {bindings.data(), count}, context.workspace + state.scratch));
    }
    return {};
  });
}

}  // namespace

Result<void> plan_cudnn(const PlanRequest& request, PlanBuilder& builder, const Geometry& geometry, adj_dtype element, bool result_is_big,
                        const std::vector<CudnnTask>& tasks) {
  if (!request.device->real()) return fail(ADJ_ERROR_UNSUPPORTED, "cuDNN decides on the device itself, an offline stream has none");
  if (auto api = cudnn(); !api) return api.take_error();
  ADJ_TRY(check_problem(geometry));
  auto pool = CudnnPool::of(*request.device);
  if (!pool) return pool.take_error();
  if (tasks.empty()) return {};
  auto state = std::make_shared<State>();
  state->pool = *pool;
  Builder graphs(*state, request, geometry, element, result_is_big);
  ADJ_TRY(state->pool->prepare([&](cu::CudnnHandle handle) -> Result<void> {
    for (const CudnnTask& task : tasks) ADJ_TRY(graphs.add(handle, task));
    return {};
  }));
  state->sum = builder.book(graphs.sum());
  state->scratch = builder.book(graphs.scratch());
  builder.align_tensors(kAddressAlignment);
  builder.call({.function = run, .state = std::move(state), .library = "cuDNN"});
  return {};
}

}  // namespace adj::conv
