#include "host/dropout.hpp"
#include "ops/common/rows.hpp"
#include "ops/dropout/dropout.hpp"
#include "ops/dropout/tables.gen.hpp"

namespace adj {

namespace {

using namespace dropout;

constexpr int kWhole = 0, kAny = 1, kAdvance = 2;  // programs
// Rows that the threads do not hold are for the program that takes any.
PlanBuilder::Kernel row_kernel(PlanBuilder& builder, const RowGeometry& g, std::int64_t rows, std::initializer_list<int> tensors) {
  const bool whole = g.whole && g.resident;
  auto kernel = builder.kernel(whole ? kWhole : kAny, g.grid(rows), g.block);
  if (whole) kernel.when_unaligned(kAny, tensors);
  return kernel;
}

template <class Descriptor>
Result<void> check(const char* op, const Descriptor& d) {
  ADJ_TRY(check_extent(op, "rows", d.rows));
  ADJ_TRY(check_extent(op, "columns", d.columns));
  ADJ_TRY(check_volume(op, "input", {d.rows, d.columns}));
  return check_enum(op, "mask", d.mask, ADJ_DROPOUT_MASK_NONE);
}
template <class Descriptor>
bool describe(std::span<const adj_dtype> types, void* descriptor) {
  if (types.size() != 2 || !is_float(types[0]) || !is_float(types[1])) return false;
  auto& d = *static_cast<Descriptor*>(descriptor);
  d.rows = 8;
  d.columns = 16;
  d.element = types[0];
  return true;
}

namespace forward {

using namespace bias_softmax_dropout_forward_tables;
using P = BiasSoftmaxDropoutParams;

Result<void> validate(const void* descriptor) {
  const auto& d = *static_cast<const Descriptor*>(descriptor);
  ADJ_TRY(check(kName, d));
  ADJ_TRY(check_extent(kName, "bias_rows", d.bias_rows));
  ADJ_TRY(check_flag(kName, "inner_broadcast", d.inner_broadcast));
  ADJ_TRY(check_flag(kName, "zero_masked_rows", d.zero_masked_rows));
  ADJ_TRY(check_flag(kName, "advance_offset", d.advance_offset));
  if (d.bias_rows > 0 && (d.rows % d.bias_rows != 0 || d.bias_rows > std::max<std::int64_t>(d.rows, 1)))
    return fail(ADJ_ERROR_INVALID_PROBLEM, "{}: bias_rows = {} does not divide rows = {}", kName, d.bias_rows, d.rows);
  if (d.bias_rows == 0 && d.inner_broadcast) return fail(ADJ_ERROR_INVALID_PROBLEM, "{}: inner_broadcast = 1 without a bias (bias_rows = 0)", kName);
  return {};
}
void shapes(const void* descriptor, std::span<SlotSpec> slots) {
  const auto& d = *static_cast<const Descriptor*>(descriptor);
  slots[kInput] = slots[kOut] = SlotSpec::tensor(d.element, {d.rows, d.columns});
  slots[kBias] = d.bias_rows ? SlotSpec::tensor(d.element, {d.bias_rows, d.columns}) : SlotSpec::forbidden();
  slots[kRatio] = SlotSpec::scalar(ADJ_F32, ADJ_F64);
  slots[kRandom] = random_spec(d.advance_offset);
  slots[kMask] = mask_spec(d.mask, {d.rows, d.columns}, d.rows * d.columns);
  slots[kSoftmaxOut] = SlotSpec::tensor(d.element, {d.rows, d.columns}, Presence::optional);
  slots[kWords] = SlotSpec::tensor(ADJ_I64, {1}, Presence::optional);
}
Result<void> check_args(const void*, const void* args) {
  const auto& a = *static_cast<const Args*>(args);
  ADJ_TRY(check_ratio(kName, a.ratio));
  return check_offset(kName, a.random);
}
void host_outputs(const void* descriptor, const void* args) {
  const auto& d = *static_cast<const Descriptor*>(descriptor);
  if (void* words = static_cast<const Args*>(args)->words.data) *static_cast<std::int64_t*>(words) = words_of(d.rows * d.columns);
}

Result<void> finish(const PlanRequest& request, PlanBuilder& builder) {
  const auto& d = *static_cast<const Descriptor*>(request.descriptor);
  const std::int64_t elements = d.rows * d.columns;
  if (elements == 0) return {};
  if (!request.device) {
    builder.host(host_call<Descriptor, Args, host::bias_softmax_dropout_forward>);
    return {};
  }
  // Lanes put their bits together to bytes.
  const bool bits = d.mask == ADJ_DROPOUT_MASK_BITS;
  const RowGeometry g = row_geometry(d.columns, d.element, bits ? std::max(1, static_cast<int>(size_of(d.element)) / 2) : 1);
  P p{};
  p.rule = rule_of(d.mask, 1);
  p.rows = d.rows;
  p.columns = d.columns;
  p.inner = d.inner_broadcast;
  p.divisor = d.inner_broadcast ? d.rows / d.bias_rows : std::max<std::int64_t>(d.bias_rows, 1);
  p.group = g.group;
  p.resident = g.resident;
  p.zero_masked_rows = d.zero_masked_rows;
  p.shared_words = d.columns % 8 != 0;
  if (bits && (p.shared_words || elements % 32 != 0)) builder.clear_output(kMask);
  auto kernel = row_kernel(builder, g, d.rows, {kInput, kBias, kOut, kSoftmaxOut});
  kernel.params(p)
      .tensor(offsetof(P, in), kInput)
      .tensor(offsetof(P, bias), kBias)
      .tensor(offsetof(P, out), kOut)
      .tensor(offsetof(P, softmax_out), kSoftmaxOut);
  bind_rule(kernel, offsetof(P, rule), kRatio, kRandom, kMask);
  if (d.advance_offset) add_advance(builder, kAdvance, kRandom, words_of(elements));
  return {};
}

// Terms: p * (1 + |x - max| + the mean of 1 + |x - max| over the row, weighted by p), x the score with its bias.
adj_guarantee guarantee(const Signature& s) {
  if (s[0] == ADJ_F64) return make_guarantee(ADJ_BATCH_INVARIANT, ADJ_MATH_IEEE, ADJ_F64, 2, 1e-14);
  return make_guarantee(ADJ_BATCH_INVARIANT, ADJ_MATH_FAST, ADJ_F32, is_16bit_float(s[0]) ? 0.51 : 2, 0x1p-20, 0x1p-124);
}
adj_guarantee host_guarantee(const Signature&) { return make_guarantee(ADJ_BATCH_INVARIANT, ADJ_MATH_IEEE, ADJ_F64, 1, 1e-14); }

const std::vector<Variant>& variants() {
  static const auto* list = new std::vector<Variant>{
      {.algorithm = "row", .summary = "a group of threads has a row, in registers where it fits, else it is read twice",
       .backend = ADJ_BACKEND_BESPOKE, .min_cc = 80,
       .programs = {{"dropout/softmax_dropout.cu", "bias_softmax_dropout_forward", "ADJ_T={0} ADJ_WHOLE=1"},
                    {"dropout/softmax_dropout.cu", "bias_softmax_dropout_forward", "ADJ_T={0} ADJ_WHOLE=0"},
                    {"dropout/advance.cu", "dropout_advance", ""}},
       .guarantee = guarantee},
      {.algorithm = "reference", .summary = "host memory", .backend = ADJ_BACKEND_HOST, .guarantee = host_guarantee}};
  return *list;
}

constexpr OnnxBinding kOnnx[] = {{"ms", "BiasSoftmaxDropout", describe<Descriptor>}};

}  // namespace forward

namespace backward {

using namespace softmax_dropout_backward_tables;
using P = SoftmaxDropoutBackwardParams;

Result<void> validate(const void* descriptor) { return check(kName, *static_cast<const Descriptor*>(descriptor)); }
void shapes(const void* descriptor, std::span<SlotSpec> slots) {
  const auto& d = *static_cast<const Descriptor*>(descriptor);
  slots[kDout] = slots[kSoftmaxOut] = slots[kDinput] = SlotSpec::tensor(d.element, {d.rows, d.columns});
  slots[kMask] = mask_spec(d.mask, {d.rows, d.columns}, d.rows * d.columns);
  slots[kRatio] = SlotSpec::scalar(ADJ_F32, ADJ_F64);
  slots[kRandom] = d.mask == ADJ_DROPOUT_MASK_NONE ? SlotSpec::random() : SlotSpec::forbidden();
}
Result<void> check_args(const void*, const void* args) {
  const auto& a = *static_cast<const Args*>(args);
  ADJ_TRY(check_ratio(kName, a.ratio));
  return check_offset(kName, a.random);
}

Result<void> finish(const PlanRequest& request, PlanBuilder& builder) {
  const auto& d = *static_cast<const Descriptor*>(request.descriptor);
  if (d.rows * d.columns == 0) return {};
  if (!request.device) {
    builder.host(host_call<Descriptor, Args, host::softmax_dropout_backward>);
    return {};
  }
  const RowGeometry g = row_geometry(d.columns, d.element);
  P p{};
  p.rule = rule_of(d.mask, 1);
  p.rows = d.rows;
  p.columns = d.columns;
  p.group = g.group;
  p.resident = g.resident;
  auto kernel = row_kernel(builder, g, d.rows, {kDout, kSoftmaxOut, kDinput});
  kernel.params(p)
      .tensor(offsetof(P, dout), kDout)
      .tensor(offsetof(P, softmax_out), kSoftmaxOut)
      .tensor(offsetof(P, dinput), kDinput);
  const bool drawn = d.mask == ADJ_DROPOUT_MASK_NONE;
  bind_rule(kernel, offsetof(P, rule), kRatio, drawn ? static_cast<int>(kRandom) : -1, drawn ? -1 : static_cast<int>(kMask));
  return {};
}

// Terms: |y| * (|a| + the sum of |a * y| over the row), a the gradient that reaches the softmax.
adj_guarantee guarantee(const Signature& s) {
  if (s[0] == ADJ_F64) return make_guarantee(ADJ_BATCH_INVARIANT, ADJ_MATH_IEEE, ADJ_F64, 0.51, 1e-14);
  return make_guarantee(ADJ_BATCH_INVARIANT, ADJ_MATH_IEEE, ADJ_F32, 0.51, 0x1p-21, 0x1p-118);
}
adj_guarantee host_guarantee(const Signature&) { return make_guarantee(ADJ_BATCH_INVARIANT, ADJ_MATH_IEEE, ADJ_F64, 0.5, 1e-14); }

const std::vector<Variant>& variants() {
  static const auto* list = new std::vector<Variant>{
      {.algorithm = "row", .summary = "a group of threads has a row, in registers where it fits, else it is read twice",
       .backend = ADJ_BACKEND_BESPOKE, .min_cc = 80,
       .programs = {{"dropout/softmax_dropout_backward.cu", "softmax_dropout_backward", "ADJ_T={0} ADJ_WHOLE=1"},
                    {"dropout/softmax_dropout_backward.cu", "softmax_dropout_backward", "ADJ_T={0} ADJ_WHOLE=0"}},
       .guarantee = guarantee},
      {.algorithm = "reference", .summary = "host memory", .backend = ADJ_BACKEND_HOST, .guarantee = host_guarantee}};
  return *list;
}

constexpr OnnxBinding kOnnx[] = {{"ms", "SoftmaxDropoutGrad", describe<Descriptor>}};

}  // namespace backward

}  // namespace

const OpInfo& info_bias_softmax_dropout_forward() {
  using namespace forward;
  static const OpInfo info = [] {
    OpInfo made = base_info();
    made.signatures = float_signatures();
    made.signature_columns = "element";
    made.variants = variants();
    made.onnx = kOnnx;
    made.validate = validate;
    made.signature = element_signature<Descriptor>;
    made.shapes = shapes;
    made.finish = finish;
    made.check_args = check_args;
    made.host_outputs = host_outputs;
    return made;
  }();
  return info;
}

const OpInfo& info_softmax_dropout_backward() {
  using namespace backward;
  static const OpInfo info = [] {
    OpInfo made = base_info();
    made.signatures = float_signatures();
    made.signature_columns = "element";
    made.variants = variants();
    made.onnx = kOnnx;
    made.validate = validate;
    made.signature = element_signature<Descriptor>;
    made.shapes = shapes;
    made.finish = finish;
    made.check_args = check_args;
    return made;
  }();
  return info;
}

}  // namespace adj
