// adasum_all_reduce.
#include <bit>

#include "kernels/collective/params.h"
#include "ops/collective/nccl.hpp"
#include "ops/collective.gen.hpp"

namespace adj {

using namespace collective;

namespace {

using namespace adasum_all_reduce_tables;

enum Program : int { kProducts, kCombine };

Result<void> validate(const void* descriptor) {
  const auto& d = *static_cast<const Descriptor*>(descriptor);
  if (!std::has_single_bit(static_cast<std::uint64_t>(d.ranks))) return fail(ADJ_ERROR_INVALID_PROBLEM, "{}: ranks = {} is not a power of two", kName, d.ranks);
  for (std::int64_t i = 0; i < d.count; ++i) ADJ_TRY(check_volume(kName, "a tensor of all ranks", {d.ranks, d.numel[i]}));
  return {};
}

// State of the gathering call.
struct State {
  std::uint64_t gathered;            // offset in the workspace of the vectors of all ranks
  std::vector<std::int64_t> starts;  // first element of each tensor, in one rank's vector
};

Result<void> gather(const CallContext& call) {
  const auto& d = *static_cast<const Descriptor*>(call.plan.descriptor.get());
  const auto& a = *reinterpret_cast<const Args*>(call.args);
  const auto& state = *static_cast<const State*>(call.state);
  auto c = Comm::of(call, a.communicator, d.ranks);
  if (!c) return c.take_error();
  return c->group([&] {
    cu::NcclResult rc = 0;
    for (std::int64_t i = 0; i < d.count && !rc; ++i)
      if (const std::size_t bytes = static_cast<std::size_t>(d.numel[i]) * size_of(d.element); bytes)
        rc = c->api->all_gather(a.inputs.data[i], at(call.workspace + state.gathered, state.starts[static_cast<std::size_t>(i)] * d.ranks, d.element), bytes,
                                cu::kNcclUint8, c->comm, c->stream);
    return rc;
  });
}

// Every rank gathers the vectors of all ranks and combines them level by level. A level takes two launches for every kAdasumTensors tensors.
Result<void> plan_levels(const Descriptor& d, PlanBuilder& builder) {
  auto state = std::make_shared<State>();
  std::int64_t total = 0, chunks = 0;
  for (std::int64_t n : numel_of(d)) {
    constexpr std::int64_t kMultiple = 64;  // tensors begin at multiples of 64 elements
    state->starts.push_back(total);
    total += ceil_div(n, kMultiple) * kMultiple;
    chunks += ceil_div(n, kAdasumChunk);
  }
  if (chunks > std::numeric_limits<std::int32_t>::max()) return fail(ADJ_ERROR_UNSUPPORTED, "takes up to 2^31 chunks of tensors, not {}", chunks);
  if (d.ranks > 1 << 16) return fail(ADJ_ERROR_UNSUPPORTED, "takes up to {} ranks, not {}", 1 << 16, d.ranks);
  ADJ_TRY(check_volume(kName, "the gathered tensors", {total, d.ranks}));
  const auto bytes = [&](std::int64_t vectors, std::uint64_t size) { return static_cast<std::uint64_t>(total * vectors) * size; };
  const std::uint64_t wide = size_of(accumulator_of(d.element));
  state->gathered = builder.book(bytes(d.ranks, size_of(d.element)));
  // Levels write to these two in turn; the last level writes to the outputs.
  const std::uint64_t buffers[] = {builder.book(bytes(d.ranks / 2, wide)), builder.book(bytes(d.ranks / 4, wide))};
  const std::uint64_t partials = builder.book(static_cast<std::uint64_t>(chunks * (d.ranks / 2)) * 3 * sizeof(double));
  std::uint64_t source = state->gathered;
  const auto starts = state->starts;
  CallStep step = nccl_step(gather);
  step.state = std::move(state);
  builder.call(std::move(step));
  int level = 0;
  for (std::int64_t vectors = d.ranks; vectors > 1; vectors /= 2, ++level) {
    const std::uint64_t target = buffers[level % 2];
    for (const Program stage : {kProducts, kCombine}) {
      std::int64_t base = 0;
      for (std::int64_t first = 0; first < d.count; first += kAdasumTensors) {
        AdasumParams p{};
        p.tensors = static_cast<int>(std::min<std::int64_t>(kAdasumTensors, d.count - first));
        std::int64_t own = 0;
        for (int i = 0; i < p.tensors; ++i) {
          p.starts[i] = starts[static_cast<std::size_t>(first + i)];
          p.numel[i] = d.numel[first + i];
          p.first_chunk[i] = static_cast<unsigned>(own);
          own += ceil_div(p.numel[i], kAdasumChunk);
        }
        p.first_chunk[p.tensors] = static_cast<unsigned>(own);
        p.chunk_base = static_cast<unsigned>(base);
        p.all_chunks = static_cast<unsigned>(chunks);
        p.vectors = static_cast<int>(vectors);
        p.widened = level > 0;
        p.last = vectors == 2;
        base += own;
        if (own == 0) continue;
        auto kernel = builder.kernel(stage, own, kAdasumBlock, vectors / 2).params(p);
        kernel.workspace(offsetof(AdasumParams, source), source)
            .workspace(offsetof(AdasumParams, target), target)
            .workspace(offsetof(AdasumParams, partials), partials);
        if (p.last)
          kernel.list(offsetof(AdasumParams, low), offsetof(AdasumParams, high), kOutputs, static_cast<std::uint32_t>(first),
                      static_cast<std::uint32_t>(p.tensors));
      }
    }
    source = target;
  }
  return {};
}

Result<void> plan(const PlanRequest& request, PlanBuilder& builder) {
  const auto& d = *static_cast<const Descriptor*>(request.descriptor);
  if (!request.device) {
    builder.book(host::adasum_all_reduce_workspace(d));
    builder.call({.function = host_step<Descriptor, Args, host::adasum_all_reduce>});
    return {};
  }
  if (d.ranks == 1) {
    builder.copy(kInputs, kOutputs);
    return {};
  }
  ADJ_TRY(check_nccl(*request.device));
  return plan_levels(d, builder);
}

constexpr std::int64_t kSampleCounts[] = {32, 8};
bool describe(std::span<const adj_dtype> types, void* descriptor) {
  if (types.size() != 1) return false;
  auto& d = *static_cast<Descriptor*>(descriptor);
  d.ranks = 2;
  d.count = std::size(kSampleCounts);
  d.numel = kSampleCounts;
  d.element = types[0];
  return true;
}
constexpr OnnxBinding kOnnx[] = {{"ms", "AdasumAllReduce", describe}};

// Roundings a level: three sums of products in f64, and three of the accumulator's type. The bound holds for up to 64 ranks.
adj_guarantee guarantee(const Signature& s) {
  const adj_dtype accumulator = accumulator_of(s[0]);
  return make_guarantee(ADJ_SHAPE_ONLY, ADJ_MATH_IEEE, accumulator, 0.5, 64 * (accumulator == ADJ_F64 ? 0x1p-53 : 0x1p-24));
}

const std::vector<Variant>& variants() {
  static const auto* list =
      new std::vector<Variant>{{.algorithm = "gathered",
                                .summary = "ncclAllGather, then the tree of combinations on every rank",
                                .backend = ADJ_BACKEND_NCCL,
                                .programs = {{"collective/adasum.cu", "adasum_products", "ADJ_T={0} ADJ_STAGE=0", kProducts},
                                             {"collective/adasum.cu", "adasum_combine", "ADJ_T={0} ADJ_STAGE=1", kCombine}},
                                .guarantee = guarantee},
                               {.algorithm = "threads", .summary = "ranks are threads of the process", .backend = ADJ_BACKEND_HOST, .guarantee = host_sums}};
  return *list;
}

}  // namespace

const OpInfo& info_adasum_all_reduce() {
  static const OpInfo info = op_info(base_info(), {.signatures = float_signatures(),
                                                   .signature_columns = "element",
                                                   .variants = variants(),
                                                   .onnx = kOnnx,
                                                   .validate = validate,
                                                   .signature = element_signature<Descriptor>,
                                                   .finish = plan});
  return info;
}

}  // namespace adj
