#include "ops/conv/cudnn.hpp"

#include "driver/cudnn.hpp"

namespace adj::conv {

namespace {

constexpr int kMostAlgorithms = 16;  // cuDNN lists up to 8
constexpr std::uint32_t kAddressAlignment = 16;  // bytes: cuDNN's kernels for tensor cores load vectors of 16
constexpr int kMostDims = 5;

using Api = cu::CudnnApi;

Result<void> check(const Api& api, cu::CudnnStatus status, const char* call) {
  if (status) return cudnn_refusal(api, status, call);
  return {};
}

// Descriptor of cuDNN, destroyed with its owner.
template <class Handle, cu::CudnnStatus (*Api::*destroy)(Handle)>
class Descriptor {
 public:
  Descriptor() = default;
  Descriptor(Descriptor&& other) noexcept : api_(other.api_), handle_(std::exchange(other.handle_, nullptr)) {}
  Descriptor& operator=(Descriptor&& other) noexcept {
    std::swap(api_, other.api_), std::swap(handle_, other.handle_);
    return *this;
  }
  ~Descriptor() {
    if (handle_) (api_->*destroy)(handle_);
  }
  Result<void> make(const Api& api, cu::CudnnStatus (*create)(Handle*), const char* call) {
    api_ = &api;
    return check(api, create(&handle_), call);
  }
  Handle get() const { return handle_; }

 private:
  const Api* api_ = nullptr;
  Handle handle_ = nullptr;
};
using Tensor = Descriptor<cu::CudnnTensor, &Api::tensor_destroy>;
using Filter = Descriptor<cu::CudnnFilter, &Api::filter_destroy>;
using Conv = Descriptor<cu::CudnnConv, &Api::conv_destroy>;

struct Call {
  CudnnTask task;
  Conv conv{};  // one for each call, since it has the kind of arithmetic of the call's algorithm
  cu::CudnnAlgo algo = 0;
  std::size_t workspace = 0;

  bool is_product() const { return task.kind <= CudnnTask::weight_gradient; }
};

// State that a plan owns.
struct State {
  CudnnPool* pool = nullptr;
  Tensor big, small, bias;
  Filter weight;
  bool result_is_big = false, wide = false;  // wide: cuDNN takes the factors as f64
  std::vector<Call> calls;

  cu::CudnnTensor result() const { return (result_is_big ? big : small).get(); }
};

cu::CudnnType type_of(adj_dtype element) {
  switch (element) {
    case ADJ_F64: return cu::kCudnnDouble;
    case ADJ_F16: return cu::kCudnnHalf;
    case ADJ_BF16: return cu::kCudnnBfloat16;
    default: return cu::kCudnnFloat;
  }
}

// Refuses problems that cuDNN's descriptors cannot state.
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

// Dimensions in cuDNN's order, [outer, channels, spatial...]. There are 4 or 5: cuDNN has no tensors with a single spatial dimension.
struct Dims {
  int count;
  int at[kMostDims];

  Dims(const Geometry& g, std::int64_t outer, std::int64_t channels, const std::int64_t (&extent)[3])
      : count(g.big->rank == kMostDims ? kMostDims : kMostDims - 1), at{static_cast<int>(outer), static_cast<int>(channels)} {
    for (int i = 2; i < count; ++i) at[i] = static_cast<int>(extent[3 - count + i]);
  }
};

Result<void> describe(State& state, const Geometry& g, adj_dtype element) {
  const Api& api = state.pool->api();
  const cu::CudnnType type = type_of(element);
  const cu::CudnnFormat format = g.last ? cu::kCudnnChannelsLast : cu::kCudnnChannelsFirst;
  const std::int64_t all_big = g.big_channels * g.groups, all_small = g.small_channels * g.groups, one[3] = {1, 1, 1};
  auto tensor = [&](Tensor& to, const Dims& dims) -> Result<void> {
    ADJ_TRY(to.make(api, api.tensor_create, "cudnnCreateTensorDescriptor"));
    return check(api, api.tensor_set(to.get(), format, type, dims.count, dims.at), "cudnnSetTensorNdDescriptorEx");
  };
  ADJ_TRY(tensor(state.big, Dims(g, g.batch, all_big, g.big_extent)));
  ADJ_TRY(tensor(state.small, Dims(g, g.batch, all_small, g.small_extent)));
  ADJ_TRY(tensor(state.bias, Dims(g, 1, state.result_is_big ? all_big : all_small, one)));
  const Dims weight(g, all_small, g.big_channels, g.taps);
  ADJ_TRY(state.weight.make(api, api.filter_create, "cudnnCreateFilterDescriptor"));
  return check(api, api.filter_set(state.weight.get(), type, format, weight.count, weight.at), "cudnnSetFilterNdDescriptor");
}

Result<void> describe_conv(Call& call, const Api& api, const Geometry& g, adj_dtype element) {
  const Dims pad(g, 0, 0, g.pad), stride(g, 0, 0, g.stride), dilation(g, 0, 0, g.dilation);
  ADJ_TRY(call.conv.make(api, api.conv_create, "cudnnCreateConvolutionDescriptor"));
  ADJ_TRY(check(api, api.conv_set(call.conv.get(), pad.count - 2, pad.at + 2, stride.at + 2, dilation.at + 2, cu::kCudnnCrossCorrelation,
                                  element == ADJ_F64 ? cu::kCudnnDouble : cu::kCudnnFloat), "cudnnSetConvolutionNdDescriptor"));
  return check(api, api.conv_groups(call.conv.get(), static_cast<int>(g.groups)), "cudnnSetConvolutionGroupCount");
}

// Each of the three products has its own functions of cuDNN; list_algorithms and workspace_of call the right one.

Result<int> list_algorithms(const State& s, const Call& c, cu::CudnnHandle handle, cu::CudnnPerf* perfs) {
  const Api& api = s.pool->api();
  int count = 0;
  switch (c.task.kind) {
    case CudnnTask::small_from_big:
      ADJ_TRY(check(api, api.forward_algos(handle, s.big.get(), s.weight.get(), c.conv.get(), s.small.get(), kMostAlgorithms, &count, perfs),
                    "cudnnGetConvolutionForwardAlgorithm_v7"));
      break;
    case CudnnTask::big_from_small:
      ADJ_TRY(check(api, api.data_algos(handle, s.weight.get(), s.small.get(), c.conv.get(), s.big.get(), kMostAlgorithms, &count, perfs),
                    "cudnnGetConvolutionBackwardDataAlgorithm_v7"));
      break;
    default:
      ADJ_TRY(check(api, api.filter_algos(handle, s.big.get(), s.small.get(), c.conv.get(), s.weight.get(), kMostAlgorithms, &count, perfs),
                    "cudnnGetConvolutionBackwardFilterAlgorithm_v7"));
  }
  return count;
}

Result<std::size_t> workspace_of(const State& s, const Call& c, cu::CudnnHandle handle, cu::CudnnAlgo algo) {
  const Api& api = s.pool->api();
  std::size_t bytes = 0;
  switch (c.task.kind) {
    case CudnnTask::small_from_big:
      ADJ_TRY(check(api, api.forward_workspace(handle, s.big.get(), s.weight.get(), c.conv.get(), s.small.get(), algo, &bytes),
                    "cudnnGetConvolutionForwardWorkspaceSize"));
      break;
    case CudnnTask::big_from_small:
      ADJ_TRY(check(api, api.data_workspace(handle, s.weight.get(), s.small.get(), c.conv.get(), s.big.get(), algo, &bytes),
                    "cudnnGetConvolutionBackwardDataWorkspaceSize"));
      break;
    default:
      ADJ_TRY(check(api, api.filter_workspace(handle, s.big.get(), s.small.get(), c.conv.get(), s.weight.get(), algo, &bytes),
                    "cudnnGetConvolutionBackwardFilterWorkspaceSize"));
  }
  return bytes;
}

// True for algorithms that add plain products. Transforms (Winograd, FFT) make an element's error depend on its neighbours.
bool adds_products(CudnnTask::Kind kind, cu::CudnnAlgo algo) {
  switch (kind) {
    case CudnnTask::small_from_big:
      return algo == cu::kCudnnForwardImplicit || algo == cu::kCudnnForwardPrecomputed || algo == cu::kCudnnForwardGemm ||
             algo == cu::kCudnnForwardDirect;
    case CudnnTask::big_from_small: return algo == cu::kCudnnData0 || algo == cu::kCudnnData1;
    default: return algo == cu::kCudnnFilter0 || algo == cu::kCudnnFilter1 || algo == cu::kCudnnFilter3;
  }
}

// Takes the first algorithm of cuDNN's list that fits.
Result<void> choose(const State& state, Call& call, cu::CudnnHandle handle, const PlanRequest& request, adj_dtype element) {
  const Api& api = state.pool->api();
  const adj_guarantee& guarantee = request.sku->guarantee;
  const bool any_order = guarantee.determinism == ADJ_NONDETERMINISTIC, exact_operands = element == ADJ_F32 && guarantee.math == ADJ_MATH_IEEE;
  const std::uint64_t limit = request.preference->workspace_limit;
  auto set_math = [&](cu::CudnnMath math) { return check(api, api.conv_math(call.conv.get(), math), "cudnnSetConvolutionMathType"); };
  ADJ_TRY(set_math(exact_operands ? cu::kCudnnFmaMath : size_of(element) == 2 ? cu::kCudnnTensorOpMath : cu::kCudnnDefaultMath));
  cu::CudnnPerf perfs[kMostAlgorithms] = {};
  auto count = list_algorithms(state, call, handle, perfs);
  if (!count) return count.take_error();
  std::uint64_t least = std::numeric_limits<std::uint64_t>::max();
  for (const cu::CudnnPerf& perf : std::span(perfs, static_cast<std::size_t>(*count))) {
    if (perf.status || !adds_products(call.task.kind, perf.algo) || (!any_order && perf.determinism != cu::kCudnnDeterministic)) continue;
    // cuDNN's default math rounds f32 operands to TF32.
    ADJ_TRY(set_math(exact_operands ? cu::kCudnnFmaMath : perf.math));
    auto bytes = workspace_of(state, call, handle, perf.algo);
    if (!bytes && bytes.error().code == ADJ_ERROR_UNSUPPORTED) continue;
    if (!bytes) return bytes.take_error();
    least = std::min<std::uint64_t>(least, *bytes);
    if (*bytes > limit) continue;
    call.algo = perf.algo;
    call.workspace = *bytes;
    return {};
  }
  const char* const out = request.sku->op->slots[static_cast<std::size_t>(call.task.out)].name;
  if (least != std::numeric_limits<std::uint64_t>::max())
    return fail(ADJ_ERROR_UNSUPPORTED, "cuDNN needs at least {} bytes of workspace for {}, preference.workspace_limit = {}", least, out, limit);
  return fail(ADJ_ERROR_UNSUPPORTED, "cuDNN has no algorithm for {} that adds products{}", out, any_order ? "" : " and gives the same bits in every run");
}

Result<void> run(const CallContext& context) {
  const auto& state = *static_cast<const State*>(context.state);
  const Api& api = state.pool->api();
  static constexpr float kNarrow[] = {0, 1};
  static constexpr double kWide[] = {0, 1};
  auto factor = [&](bool one) { return state.wide ? static_cast<const void*>(kWide + one) : static_cast<const void*>(kNarrow + one); };
  auto data = [&](int slot) {
    return reinterpret_cast<const adj_tensor*>(context.args + context.plan.op->slots[static_cast<std::size_t>(slot)].offset)->data;
  };
  return state.pool->run(static_cast<cu::Stream>(context.stream.handle), [&](cu::CudnnHandle handle) -> Result<void> {
    const void* const one = factor(true);
    for (const Call& c : state.calls) {
      const void* const beta = factor(c.task.add);
      const void* const first = data(c.task.first);
      void* const out = data(c.task.out);
      const char* name = nullptr;
      cu::CudnnStatus status = 0;
      switch (c.task.kind) {
        case CudnnTask::small_from_big:
          name = "cudnnConvolutionForward";
          status = api.forward(handle, one, state.big.get(), first, state.weight.get(), data(c.task.second), c.conv.get(), c.algo, context.workspace,
                               c.workspace, beta, state.small.get(), out);
          break;
        case CudnnTask::big_from_small:
          name = "cudnnConvolutionBackwardData";
          status = api.data(handle, one, state.weight.get(), data(c.task.second), state.small.get(), first, c.conv.get(), c.algo, context.workspace,
                            c.workspace, beta, state.big.get(), out);
          break;
        case CudnnTask::weight_gradient:
          name = "cudnnConvolutionBackwardFilter";
          status = api.filter(handle, one, state.big.get(), first, state.small.get(), data(c.task.second), c.conv.get(), c.algo, context.workspace,
                              c.workspace, beta, state.weight.get(), out);
          break;
        case CudnnTask::bias_gradient:
          name = "cudnnConvolutionBackwardBias";
          status = api.bias_gradient(handle, one, state.result(), first, beta, state.bias.get(), out);
          break;
        case CudnnTask::spread_bias:
          name = "cudnnAddTensor";
          status = api.add(handle, one, state.bias.get(), first, beta, state.result(), out);
      }
      if (status) return cudnn_error(api, status, name);
    }
    return {};
  });
}

}  // namespace

Result<void> plan_cudnn(const PlanRequest& request, PlanBuilder& builder, const Geometry& geometry, adj_dtype element, bool result_is_big,
                        std::vector<CudnnTask> tasks) {
  if (!request.device->real()) return fail(ADJ_ERROR_UNSUPPORTED, "cuDNN decides on the device itself, an offline stream has none");
  if (auto api = cudnn(); !api) return api.take_error();
  ADJ_TRY(check_problem(geometry));
  auto pool = CudnnPool::of(*request.device);
  if (!pool) return pool.take_error();
  auto state = std::make_shared<State>();
  state->pool = *pool;
  state->result_is_big = result_is_big;
  state->wide = element == ADJ_F64;
  ADJ_TRY(describe(*state, geometry, element));
  const Api& api = state->pool->api();
  std::size_t workspace = 0;
  ADJ_TRY(state->pool->prepare([&](cu::CudnnHandle handle) -> Result<void> {
    for (const CudnnTask& task : tasks) {
      Call& call = state->calls.emplace_back(Call{.task = task});
      if (!call.is_product()) continue;
      ADJ_TRY(describe_conv(call, api, geometry, element));
      ADJ_TRY(choose(*state, call, handle, request, element));
      workspace = std::max(workspace, call.workspace);
    }
    return {};
  }));
  if (tasks.empty()) return {};
  builder.align_tensors(kAddressAlignment);
  builder.book(workspace);
  builder.call({.function = run, .state = std::move(state), .library = "cuDNN"});
  return {};
}

}  // namespace adj::conv
