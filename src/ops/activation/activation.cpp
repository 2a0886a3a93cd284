#include "ops/activation/activation.hpp"

#include "host/activation.hpp"
#include "ops/activation.gen.hpp"
#include "ops/common/column_sum.hpp"

namespace adj {

namespace {

using namespace activation;

// Names of the functions, in the order of adj_activation.
constexpr const char* kNames[] = {"",     "relu", "leaky_relu", "gelu",     "gelu_tanh", "quick_gelu", "sigmoid",
                                  "tanh", "silu", "elu",        "softplus", "mish",      "hard_swish", "relu_squared"};
constexpr int kFunctions = std::size(kNames);
static_assert(kFunctions == ADJ_ACTIVATION_RELU_SQUARED + 1);
Arithmetic arithmetic_of(const Signature& s) {
  switch (s.mode) {
    case ADJ_ACTIVATION_RELU: return Arithmetic::exact;
    case ADJ_ACTIVATION_LEAKY_RELU:
    case ADJ_ACTIVATION_HARD_SWISH:
    case ADJ_ACTIVATION_RELU_SQUARED: return Arithmetic::plain;
    default: return Arithmetic::approximate;
  }
}

template <class Descriptor>
double alpha_of(const Descriptor& d) {
  switch (d.function) {
    case ADJ_ACTIVATION_LEAKY_RELU: return d.leaky_slope;
    case ADJ_ACTIVATION_QUICK_GELU: return d.quick_gelu_alpha;
    case ADJ_ACTIVATION_ELU: return d.elu_alpha;
    default: return 0;
  }
}
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

// Parameters and grid of one launch. A problem that needs no rows takes the tensor as one row, of which a thread has `together` vectors.
struct Launch {
  ActivationParams p{};
  std::int64_t grid = 0;
  ColumnSplits splits{};
};
template <class Descriptor>
Result<Launch> launch_of(const Descriptor& d, const Device& device, bool in_rows, bool sums, std::int64_t together) {
  constexpr std::int64_t kBlocksInRows = 512, kMostRows = 64;
  Launch l;
  l.p.alpha = alpha_of(d);
  if (!in_rows) {
    l.p.outer = 1;
    l.p.inner = d.outer * d.inner;
    l.grid = strided_grid(device, ceil_div(l.p.inner, vector_of(d.element) * kBlock * together));
    return l;
  }
  l.p.outer = d.outer;
  l.p.inner = d.inner;
  const std::int64_t vectors = ceil_div(d.inner, vector_of(d.element));
  l.splits = split_rows(d.outer, vectors, kBlock, kBlocksInRows * (sums ? 1 : 4), sums ? 4 : together, kMostRows);
  l.p.rows_of_split = l.splits.rows_of_split;
  l.p.depth = l.splits.depth;
  l.p.width = l.splits.width;
  l.p.tiles = static_cast<int>(l.splits.tiles);
  l.grid = l.splits.blocks();
  if (l.splits.tiles > kMostBlocks || l.grid > kMostBlocks)
    return fail(ADJ_ERROR_UNSUPPORTED, "has at most {} blocks, outer = {}, inner = {} take more", kMostBlocks, d.outer, d.inner);
  return l;
}

// A chain of at most 64 additions in f32 costs 2^-18 of the terms.
adj_guarantee with_sums(adj_guarantee g, const Signature& s) {
  g.determinism = ADJ_SHAPE_ONLY;
  g.accumulator = accumulator_of(s[0]);
  if (s[0] != ADJ_F64) g.bound_terms += 0x1p-18;
  return g;
}
adj_guarantee sums_guarantee(const Signature& s) { return with_sums(device_guarantee<arithmetic_of>(s), s); }
adj_guarantee ieee_sums_guarantee(const Signature& s) { return with_sums(ieee_guarantee(s), s); }
bool is_f64(const Signature& s) { return s[0] == ADJ_F64; }
bool is_not_f64(const Signature& s) { return s[0] != ADJ_F64; }

template <class Descriptor, adj_activation function>
bool describe(std::span<const adj_dtype> types, void* descriptor) {
  if (types.size() != 1) return false;
  auto& d = *static_cast<Descriptor*>(descriptor);
  d.outer = 4;
  d.inner = 8;
  d.function = function;
  d.element = types[0];
  return true;
}
template <class Descriptor, adj_activation function>
bool describe_with_bias(std::span<const adj_dtype> types, void* descriptor) {
  static_cast<Descriptor*>(descriptor)->has_bias = 1;
  return describe<Descriptor, function>(types, descriptor);
}

// ---- forward

namespace forward {

using namespace activation_forward_tables;

Result<void> finish(const PlanRequest& request, PlanBuilder& builder) {
  const auto& d = *static_cast<const Descriptor*>(request.descriptor);
  if (d.outer == 0 || d.inner == 0) return {};
  if (!request.device) {
    builder.host(host_call<Descriptor, Args, host::activation_forward>);
    return {};
  }
  auto l = launch_of(d, *request.device, d.has_bias, false, 4);
  if (!l) return l.take_error();
  auto kernel = builder.kernel(kMain, l->grid, kBlock);
  kernel.params(l->p).tensor(offsetof(ActivationParams, input), kInput).tensor(offsetof(ActivationParams, out), kOut);
  if (d.has_bias) kernel.tensor(offsetof(ActivationParams, bias), kBias);
  return {};
}

const std::vector<Variant>& variants() {
  static const auto* list =
      new std::vector<Variant>{{.algorithm = "vector",
                                .summary = "16 bytes at a time",
                                .programs = {{"activation/pointwise.cu", "activation_forward", "ADJ_T={0} ADJ_FUNCTION={c} ADJ_BACKWARD=0"}},
                                .guarantee = device_guarantee<arithmetic_of>},
                               {.algorithm = "ieee",
                                .summary = "16 bytes at a time, functions in f64",
                                .programs = {{"activation/pointwise.cu", "activation_forward_ieee", "ADJ_T={0} ADJ_FUNCTION={c} ADJ_BACKWARD=0 ADJ_IEEE=1"}},
                                .guarantee = ieee_guarantee,
                                .accepts = wants_ieee<arithmetic_of>},
                               host_row(host_guarantee)};
  return *list;
}

}  // namespace forward

// ---- backward

namespace backward {

using namespace activation_backward_tables;

bool from_output(const Descriptor& d) {
  if (d.saved != ADJ_ACTIVATION_SAVED_DEFAULT) return d.saved == ADJ_ACTIVATION_SAVED_OUTPUT;
  return d.function == ADJ_ACTIVATION_LEAKY_RELU || d.function == ADJ_ACTIVATION_SIGMOID || d.function == ADJ_ACTIVATION_TANH;
}

Result<void> validate(const void* descriptor) {
  const auto& d = *static_cast<const Descriptor*>(descriptor);
  if (!from_output(d)) return {};
  if (d.has_bias)
    return fail(ADJ_ERROR_INVALID_PROBLEM, "{}: has_bias = 1, but saved is the output of {} (saved = {}), to which no bias is added", kName, kNames[d.function],
                d.saved);
  switch (d.function) {
    case ADJ_ACTIVATION_RELU:
    case ADJ_ACTIVATION_SIGMOID:
    case ADJ_ACTIVATION_TANH:
    case ADJ_ACTIVATION_SOFTPLUS: return {};
    case ADJ_ACTIVATION_LEAKY_RELU:
    case ADJ_ACTIVATION_ELU:
      if (alpha_of(d) >= 0) return {};
      return fail(ADJ_ERROR_INVALID_PROBLEM, "{}: {} = {} is negative, so the output of {} does not tell the sign of its input; state saved = {} (the input)",
                  kName, d.function == ADJ_ACTIVATION_ELU ? "elu_alpha" : "leaky_slope", alpha_of(d), kNames[d.function], ADJ_ACTIVATION_SAVED_INPUT);
    default: return fail(ADJ_ERROR_INVALID_PROBLEM, "{}: saved = {} (the output), but {} needs its input", kName, d.saved, kNames[d.function]);
  }
}

// sums: the row writes dbias.
template <bool sums>
Result<void> plan(const PlanRequest& request, PlanBuilder& builder) {
  const auto& d = *static_cast<const Descriptor*>(request.descriptor);
  if (d.inner == 0) return {};
  const bool accumulates = d.write_mode == ADJ_WRITE_ACCUMULATE;
  if (sums && !d.has_dbias) return fail(ADJ_ERROR_UNSUPPORTED, "writes dbias, has_dbias = 0");
  if (!sums && d.has_dbias) return fail(ADJ_ERROR_UNSUPPORTED, "does not write dbias, has_dbias = 1");
  if (d.outer == 0) {
    if (sums && !accumulates) builder.clear_output(kDbias);
    return {};
  }
  auto l = launch_of(d, *request.device, d.has_bias || sums, sums, 2);
  if (!l) return l.take_error();
  l->p.from_output = from_output(d);
  const adj_dtype acc = accumulator_of(d.element);
  const std::uint64_t partials = sums ? builder.book(column_sum_bytes(1, l->splits.splits, d.inner, acc)) : 0;
  {
    auto kernel = builder.kernel(kMain, l->grid, kBlock);
    kernel.params(l->p)
        .tensor(offsetof(ActivationParams, dout), kDout)
        .tensor(offsetof(ActivationParams, input), kSaved)
        .tensor(offsetof(ActivationParams, out), kDinput);
    if (d.has_bias) kernel.tensor(offsetof(ActivationParams, bias), kBias);
    if (sums) kernel.workspace(offsetof(ActivationParams, partials), partials);
  }
  if (!sums) return {};
  const int results[] = {kDbias};
  return add_column_sum(builder, partials, l->splits.splits, d.inner, results, request.device, accumulates);
}

Result<void> plan_host(const PlanRequest& request, PlanBuilder& builder) {
  if (static_cast<const Descriptor*>(request.descriptor)->inner > 0) builder.host(host_call<Descriptor, Args, host::activation_backward>);
  return {};
}

const std::vector<Variant>& variants() {
#define ADJ_POINTWISE {"activation/pointwise.cu", "activation_backward", "ADJ_T={0} ADJ_FUNCTION={c} ADJ_BACKWARD=1"}
#define ADJ_POINTWISE_IEEE {"activation/pointwise.cu", "activation_backward_ieee", "ADJ_T={0} ADJ_FUNCTION={c} ADJ_BACKWARD=1 ADJ_IEEE=1"}
#define ADJ_WITH_DBIAS .algorithm = "vector_dbias", .summary = "16 bytes at a time, and sums of splits of rows"
  static const auto* list = new std::vector<Variant>{
      {.algorithm = "vector",
       .summary = "16 bytes at a time",
       .programs = {ADJ_POINTWISE},
       .guarantee = device_guarantee<arithmetic_of>,
       .finish = plan<false>},
      {ADJ_WITH_DBIAS, .programs = {ADJ_POINTWISE, ADJ_COLUMN_SUM_PROGRAM("f32", "{0}")}, .guarantee = sums_guarantee, .accepts = is_not_f64,
       .finish = plan<true>},
      {ADJ_WITH_DBIAS, .programs = {ADJ_POINTWISE, ADJ_COLUMN_SUM_PROGRAM("f64", "{0}")}, .guarantee = sums_guarantee, .accepts = is_f64, .finish = plan<true>},
      {.algorithm = "ieee",
       .summary = "16 bytes at a time, functions in f64",
       .programs = {ADJ_POINTWISE_IEEE},
       .guarantee = ieee_guarantee,
       .accepts = wants_ieee<arithmetic_of>,
       .finish = plan<false>},
      {.algorithm = "ieee_dbias",
       .summary = "16 bytes at a time, functions in f64, and sums of splits of rows",
       .programs = {ADJ_POINTWISE_IEEE, ADJ_COLUMN_SUM_PROGRAM("f32", "{0}")},
       .guarantee = ieee_sums_guarantee,
       .accepts = wants_ieee<arithmetic_of>,
       .finish = plan<true>},
      host_row(host_guarantee, plan_host)};
#undef ADJ_WITH_DBIAS
#undef ADJ_POINTWISE_IEEE
#undef ADJ_POINTWISE
  return *list;
}

constexpr OnnxBinding kOnnx[] = {{"ms", "ReluGrad", describe<Descriptor, ADJ_ACTIVATION_RELU>},
                                 {"ms", "LeakyReluGrad", describe<Descriptor, ADJ_ACTIVATION_LEAKY_RELU>},
                                 {"ms", "GeluGrad", describe<Descriptor, ADJ_ACTIVATION_GELU>},
                                 {"ms", "FastGeluGrad", describe<Descriptor, ADJ_ACTIVATION_GELU_TANH>},
                                 {"ms", "QuickGeluGrad", describe<Descriptor, ADJ_ACTIVATION_QUICK_GELU>},
                                 {"ms", "SigmoidGrad", describe<Descriptor, ADJ_ACTIVATION_SIGMOID>},
                                 {"ms", "TanhGrad", describe<Descriptor, ADJ_ACTIVATION_TANH>},
                                 {"ms", "BiasGeluGrad_dX", describe_with_bias<Descriptor, ADJ_ACTIVATION_GELU>},
                                 {"ms", "BiasFastGeluGrad_dX", describe_with_bias<Descriptor, ADJ_ACTIVATION_GELU_TANH>}};

}  // namespace backward

}  // namespace

const OpInfo& info_activation_forward() {
  using namespace forward;
  static const OpInfo info = op_info(
      base_info(),
      {.signatures = signatures(), .signature_columns = "function, element", .variants = variants(), .signature = signature_of<Descriptor>, .finish = finish});
  return info;
}

const OpInfo& info_activation_backward() {
  using namespace backward;
  static const OpInfo info = op_info(base_info(), {.signatures = signatures(),
                                                   .signature_columns = "function, element",
                                                   .variants = variants(),
                                                   .onnx = kOnnx,
                                                   .validate = validate,
                                                   .signature = signature_of<Descriptor>});
  return info;
}

}  // namespace adj
