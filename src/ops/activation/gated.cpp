// Planning of the gated activations and their gradient.
#include "host/activation.hpp"
#include "ops/activation/activation.hpp"
#include "ops/activation.gen.hpp"
#include "ops/common/column_sum.hpp"

namespace adj {

namespace {

using namespace activation;

// Names of the functions, in the order of adj_gated_activation.
constexpr const char* kNames[] = {"", "swiglu", "geglu", "geglu_tanh", "reglu"};
constexpr int kFunctions = std::size(kNames);
static_assert(kFunctions == ADJ_GATED_ACTIVATION_REGLU + 1);
Arithmetic arithmetic_of(const Signature& s) { return s.mode == ADJ_GATED_ACTIVATION_REGLU ? Arithmetic::product : Arithmetic::approximate; }

template <class Descriptor>
Signature signature_of(const void* descriptor) {
  const auto& d = *static_cast<const Descriptor*>(descriptor);
  return Signature::with_choice(kNames[d.function], {d.element}, d.function);
}
const std::vector<Signature>& signatures() {
  static const auto* list = [] {
    auto all = std::make_unique<std::vector<Signature>>();
    for (int f = 1; f < kFunctions; ++f)
      for (adj_dtype element : kElements) all->push_back(Signature::with_choice(kNames[f], {element}, f));
    return all.release();
  }();
  return *list;
}

struct Launch {
  GatedActivationParams p{};
  std::int64_t grid = 0;
};
template <class Descriptor>
Result<Launch> launch_of(const Descriptor& d) {
  constexpr std::int64_t kRowsOfThread = 2, kUnbounded = std::int64_t{1} << 40;
  const ColumnSplits s = split_rows(d.outer, ceil_div(d.inner, vector_of(d.element)), kBlock, kMostBlocks / 2, kRowsOfThread, kUnbounded);
  Launch l;
  l.p.outer = d.outer;
  l.p.inner = d.inner;
  l.p.rows_of_split = s.rows_of_split;
  l.p.depth = s.depth;
  l.p.width = s.width;
  l.p.tiles = static_cast<int>(s.tiles);
  l.p.interleaved = d.layout == ADJ_GATED_LAYOUT_INTERLEAVED;
  l.p.gate_second = d.gate_second;
  l.grid = s.blocks();
  if (s.tiles > kMostBlocks || l.grid > kMostBlocks)
    return fail(ADJ_ERROR_UNSUPPORTED, "has at most {} blocks, outer = {}, inner = {} take more", kMostBlocks, d.outer, d.inner);
  return l;
}

namespace forward {

using namespace gated_activation_forward_tables;

Result<void> finish(const PlanRequest& request, PlanBuilder& builder) {
  const auto& d = *static_cast<const Descriptor*>(request.descriptor);
  if (d.outer == 0 || d.inner == 0) return {};
  if (!request.device) {
    builder.host(host_call<Descriptor, Args, host::gated_activation_forward>);
    return {};
  }
  auto l = launch_of(d);
  if (!l) return l.take_error();
  builder.kernel(kMain, l->grid, kBlock).params(l->p).tensor(offsetof(GatedActivationParams, input), kInput).tensor(offsetof(GatedActivationParams, out), kOut);
  return {};
}

const std::vector<Variant>& variants() {
  static const auto* list =
      new std::vector<Variant>{{.algorithm = "vector",
                                .summary = "16 bytes at a time",
                                .programs = {{"activation/gated.cu", "gated_activation_forward", "ADJ_T={0} ADJ_FUNCTION={c} ADJ_BACKWARD=0"}},
                                .guarantee = device_guarantee<arithmetic_of>},
                               {.algorithm = "ieee",
                                .summary = "16 bytes at a time, functions in f64",
                                .programs = {{"activation/gated.cu", "gated_activation_forward_ieee", "ADJ_T={0} ADJ_FUNCTION={c} ADJ_BACKWARD=0 ADJ_IEEE=1"}},
                                .guarantee = ieee_guarantee,
                                .accepts = wants_ieee<arithmetic_of>},
                               host_row(host_guarantee)};
  return *list;
}

}  // namespace forward

namespace backward {

using namespace gated_activation_backward_tables;

Result<void> finish(const PlanRequest& request, PlanBuilder& builder) {
  const auto& d = *static_cast<const Descriptor*>(request.descriptor);
  if (d.outer == 0 || d.inner == 0) return {};
  if (!request.device) {
    builder.host(host_call<Descriptor, Args, host::gated_activation_backward>);
    return {};
  }
  auto l = launch_of(d);
  if (!l) return l.take_error();
  builder.kernel(kMain, l->grid, kBlock)
      .params(l->p)
      .tensor(offsetof(GatedActivationParams, dout), kDout)
      .tensor(offsetof(GatedActivationParams, input), kInput)
      .tensor(offsetof(GatedActivationParams, out), kDinput);
  return {};
}

const std::vector<Variant>& variants() {
  static const auto* list =
      new std::vector<Variant>{{.algorithm = "vector",
                                .summary = "16 bytes at a time, both gradients",
                                .programs = {{"activation/gated.cu", "gated_activation_backward", "ADJ_T={0} ADJ_FUNCTION={c} ADJ_BACKWARD=1"}},
                                .guarantee = device_guarantee<arithmetic_of>},
                               {.algorithm = "ieee",
                                .summary = "16 bytes at a time, functions in f64",
                                .programs = {{"activation/gated.cu", "gated_activation_backward_ieee", "ADJ_T={0} ADJ_FUNCTION={c} ADJ_BACKWARD=1 ADJ_IEEE=1"}},
                                .guarantee = ieee_guarantee,
                                .accepts = wants_ieee<arithmetic_of>},
                               host_row(host_guarantee)};
  return *list;
}

}  // namespace backward

}  // namespace

const OpInfo& info_gated_activation_forward() {
  using namespace forward;
  static const OpInfo info = op_info(
      base_info(),
      {.signatures = signatures(), .signature_columns = "function, element", .variants = variants(), .signature = signature_of<Descriptor>, .finish = finish});
  return info;
}

const OpInfo& info_gated_activation_backward() {
  using namespace backward;
  static const OpInfo info = op_info(
      base_info(),
      {.signatures = signatures(), .signature_columns = "function, element", .variants = variants(), .signature = signature_of<Descriptor>, .finish = finish});
  return info;
}

}  // namespace adj
