// Planning of softmax with dropout: bias_softmax_dropout_forward and softmax_dropout_backward.
#include <bit>

#include "host/dropout.hpp"
#include "ops/common/rows.hpp"
#include "ops/dropout/dropout.hpp"
#include "ops/dropout.gen.hpp"

namespace adj {

namespace {

using namespace dropout;

// Adds the launch of a row kernel. kAnyRows takes rows that do not fit in registers and all rows with ONNX Runtime's mapping. The grid is
// limited, so that a block takes several of many rows: its preparation takes as long as a short row.
PlanBuilder::Kernel row_kernel(PlanBuilder& builder, const Device& device, const RowGeometry& g, bool by_thread, std::int64_t rows,
                               std::initializer_list<int> tensors) {
  constexpr int kThreads = 1024, kWaves = 4;  // threads of a multiprocessor at a time, and turns of the multiprocessors
  const bool whole = g.whole && g.resident && !by_thread;
  const std::int64_t grid = grid_for(device, ceil_div(rows, g.side_by_side), kThreads / static_cast<int>(g.block), kWaves);
  auto kernel = builder.kernel({kMain, whole ? kWholeRows : kAnyRows}, grid, g.block);
  if (whole) kernel.when_unaligned({kMain, kAnyRows}, tensors);
  return kernel;
}

constexpr std::int64_t kMostColumns = 2048;  // longest row of ONNX Runtime's fused kernel

template <class Descriptor>
Result<void> check(const char* op, const Descriptor& d) {
  ADJ_TRY(check_mapping_fields(op, d, d.columns > kMostColumns));
  if (d.unaligned && !maps_by_thread(d)) return fail(ADJ_ERROR_INVALID_PROBLEM, "{}: unaligned = 1 is set, but mapping is not that of ONNX Runtime", op);
  return {};
}
// The order in which ONNX Runtime's threads draw for the rows: by lanes of a row up to kMostColumns, else by turns of its grid.
template <class Descriptor>
DropoutRowMapping mapping_of(const Descriptor& d) {
  DropoutRowMapping m{};
  if (!maps_by_thread(d)) return m;
  if (d.columns > kMostColumns) {
    m.stretch = stretch_of(d, d.rows * d.columns);
    m.by_stretch = divide_below_2_59(m.stretch);
    return m;
  }
  const int columns_log2 = static_cast<int>(std::bit_width(static_cast<std::uint64_t>(d.columns - 1)));
  m.lanes_log2 = std::min(columns_log2, 5);
  m.thread_columns = 1 << (columns_log2 - m.lanes_log2);
  m.rows_log2 = columns_log2 <= 7;
  m.vector_log2 = d.columns % 4 == 0 && m.thread_columns >= 4 && !d.unaligned ? 2 : 0;
  return m;
}
template <class Descriptor>
std::int64_t words_of_call(const Descriptor& d) {
  const std::int64_t elements = d.rows * d.columns;
  if (elements == 0 || !maps_by_thread(d)) return words_of(elements);
  const DropoutRowMapping m = mapping_of(d);
  return m.stretch ? 4 * ceil_div(elements, std::int64_t{m.stretch}) : std::int64_t{m.thread_columns} << m.rows_log2;
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
  return {};
}
Result<void> check_args(const void* descriptor, const void* args) {
  const auto& a = *static_cast<const Args*>(args);
  ADJ_TRY(check_ratio(kName, a.ratio));
  return check_offset_of(kName, *static_cast<const Descriptor*>(descriptor), a.random, true);
}
void host_outputs(const void* descriptor, const void* args) {
  const auto& d = *static_cast<const Descriptor*>(descriptor);
  if (void* words = static_cast<const Args*>(args)->words.data) *static_cast<std::int64_t*>(words) = words_of_call(d);
}

template <adj_dropout_mapping mapping>
Result<void> finish(const PlanRequest& request, PlanBuilder& builder) {
  const auto& d = *static_cast<const Descriptor*>(request.descriptor);
  ADJ_TRY(check_mapping<mapping>(request, d));
  const std::int64_t elements = d.rows * d.columns;
  if (elements == 0) return {};
  if (!request.device) {
    builder.call({.function = check_state<Args>});
    builder.host(host_call<Descriptor, Args, host::bias_softmax_dropout_forward>);
    return {};
  }
  // Lanes combine the mask bits of their vectors into whole bytes; a byte takes size / 2 lanes, so a row has at least as many.
  const bool bits = d.mask == ADJ_DROPOUT_MASK_BITS;
  const RowGeometry g = row_geometry(d.columns, d.element, bits ? std::max(1, static_cast<int>(size_of(d.element)) / 2) : 1);
  P p{};
  p.rule = rule_of(d.mask, 1);
  p.rows = d.rows;
  p.columns = d.columns;
  p.inner = d.inner_broadcast;
  p.divisor = d.inner_broadcast ? d.rows / d.bias_rows : std::max<std::int64_t>(d.bias_rows, 1);
  p.by_divisor = divide_below_2_59(p.divisor);
  p.group = g.group;
  p.resident = g.resident;
  p.zero_masked_rows = d.zero_masked_rows;
  p.shared_words = d.columns % 8 != 0;
  p.mapping = mapping_of(d);
  if (bits && (p.shared_words || elements % 32 != 0)) builder.clear_output(kMask);
  auto kernel = row_kernel(builder, *request.device, g, maps_by_thread(d), d.rows, {kInput, kBias, kOut, kSoftmaxOut});
  kernel.params(p)
      .tensor(offsetof(P, in), kInput)
      .tensor(offsetof(P, bias), kBias)
      .tensor(offsetof(P, out), kOut)
      .tensor(offsetof(P, softmax_out), kSoftmaxOut);
  bind_rule(kernel, offsetof(P, rule), kRatio, kRandom, kMask);
  if (d.advance_offset) add_advance(builder, kRandom, words_of_call(d));
  return {};
}

// Terms: p * (1 + |x - max| + the p-weighted mean of 1 + |x - max| over the row), where x is the score plus its bias.
adj_guarantee guarantee(const Signature& s) {
  if (s[0] == ADJ_F64) return make_guarantee(ADJ_BATCH_INVARIANT, ADJ_MATH_IEEE, ADJ_F64, 2, 1e-14);
  return make_guarantee(ADJ_BATCH_INVARIANT, ADJ_MATH_FAST, ADJ_F32, is_16bit_float(s[0]) ? 0.51 : 2, 0x1p-20, 0x1p-124);
}
adj_guarantee host_guarantee(const Signature&) { return make_guarantee(ADJ_BATCH_INVARIANT, ADJ_MATH_IEEE, ADJ_F64, 1, 1e-14); }

const std::vector<Variant>& variants() {
  static const auto* list = new std::vector<Variant>{
      {.algorithm = "row",
       .summary = "a group of threads has a row, in registers where it fits, else it is read twice",
       .programs = {{"dropout/softmax_dropout.cu", "bias_softmax_dropout_forward", "ADJ_T={0} ADJ_ONNX_RUNTIME=0", {kMain, kAnyRows}},
                    {"dropout/softmax_dropout_aligned.cu", "bias_softmax_dropout_forward", "ADJ_T={0} ADJ_ONNX_RUNTIME=0", {kMain, kWholeRows}},
                    ADJ_DROPOUT_ADVANCE_PROGRAM},
       .guarantee = guarantee},
      {.algorithm = "onnx_runtime",
       .summary = "the same with the random numbers of ONNX Runtime's threads",
       .programs = {{"dropout/softmax_dropout.cu", "bias_softmax_dropout_forward_onnx_runtime", "ADJ_T={0} ADJ_ONNX_RUNTIME=1", {kMain, kAnyRows}},
                    ADJ_DROPOUT_ADVANCE_PROGRAM},
       .guarantee = of_the_shape<guarantee>,
       .finish = finish<ADJ_DROPOUT_MAPPING_ONNX_RUNTIME>},
      {.algorithm = "reference",
       .summary = "host memory",
       .backend = ADJ_BACKEND_HOST,
       .guarantee = of_the_shape<host_guarantee>,
       .guarantee_for = by_mapping<Descriptor>}};
  return *list;
}

constexpr OnnxBinding kOnnx[] = {{"ms", "BiasSoftmaxDropout", describe<Descriptor>}};

}  // namespace forward

namespace backward {

using namespace softmax_dropout_backward_tables;
using P = SoftmaxDropoutBackwardParams;

Result<void> validate(const void* descriptor) {
  const auto& d = *static_cast<const Descriptor*>(descriptor);
  return check(kName, d);
}
Result<void> check_args(const void* descriptor, const void* args) {
  const auto& d = *static_cast<const Descriptor*>(descriptor);
  const auto& a = *static_cast<const Args*>(args);
  ADJ_TRY(check_ratio(kName, a.ratio));
  return check_offset_of(kName, d, a.random, d.mask == ADJ_DROPOUT_MASK_NONE);
}

template <adj_dropout_mapping mapping>
Result<void> finish(const PlanRequest& request, PlanBuilder& builder) {
  const auto& d = *static_cast<const Descriptor*>(request.descriptor);
  ADJ_TRY(check_mapping<mapping>(request, d));
  if (d.rows * d.columns == 0) return {};
  if (!request.device) {
    builder.call({.function = check_state<Args>});
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
  p.mapping = mapping_of(d);
  auto kernel = row_kernel(builder, *request.device, g, maps_by_thread(d), d.rows, {kDout, kSoftmaxOut, kDinput});
  kernel.params(p).tensor(offsetof(P, dout), kDout).tensor(offsetof(P, softmax_out), kSoftmaxOut).tensor(offsetof(P, dinput), kDinput);
  const bool drawn = d.mask == ADJ_DROPOUT_MASK_NONE;
  bind_rule(kernel, offsetof(P, rule), kRatio, drawn ? static_cast<int>(kRandom) : -1, drawn ? -1 : static_cast<int>(kMask));
  return {};
}

// Terms: |y| * (|a| + the sum of |a * y| over the row), where a is the gradient of the softmax's result y.
adj_guarantee guarantee(const Signature& s) {
  if (s[0] == ADJ_F64) return make_guarantee(ADJ_BATCH_INVARIANT, ADJ_MATH_IEEE, ADJ_F64, 0.51, 1e-14);
  return make_guarantee(ADJ_BATCH_INVARIANT, ADJ_MATH_IEEE, ADJ_F32, 0.51, 0x1p-21, 0x1p-118);
}
adj_guarantee host_guarantee(const Signature&) { return make_guarantee(ADJ_BATCH_INVARIANT, ADJ_MATH_IEEE, ADJ_F64, 0.5, 1e-14); }

const std::vector<Variant>& variants() {
  static const auto* list = new std::vector<Variant>{
      {.algorithm = "row",
       .summary = "a group of threads has a row, in registers where it fits, else it is read twice",
       .programs = {{"dropout/softmax_dropout_backward.cu", "softmax_dropout_backward", "ADJ_T={0} ADJ_ALIGNED=0 ADJ_ONNX_RUNTIME=0", {kMain, kAnyRows}},
                    {"dropout/softmax_dropout_backward.cu", "softmax_dropout_backward", "ADJ_T={0} ADJ_ALIGNED=1 ADJ_ONNX_RUNTIME=0", {kMain, kWholeRows}}},
       .guarantee = guarantee},
      {.algorithm = "onnx_runtime",
       .summary = "the same with the random numbers of ONNX Runtime's threads",
       .programs =
           {{"dropout/softmax_dropout_backward.cu", "softmax_dropout_backward_onnx_runtime", "ADJ_T={0} ADJ_ALIGNED=0 ADJ_ONNX_RUNTIME=1", {kMain, kAnyRows}}},
       .guarantee = of_the_shape<guarantee>,
       .finish = finish<ADJ_DROPOUT_MAPPING_ONNX_RUNTIME>},
      {.algorithm = "reference",
       .summary = "host memory",
       .backend = ADJ_BACKEND_HOST,
       .guarantee = of_the_shape<host_guarantee>,
       .guarantee_for = by_mapping<Descriptor>}};
  return *list;
}

constexpr OnnxBinding kOnnx[] = {{"ms", "SoftmaxDropoutGrad", describe<Descriptor>}};

}  // namespace backward

}  // namespace

const OpInfo& info_bias_softmax_dropout_forward() {
  using namespace forward;
  static const OpInfo info = op_info(base_info(), {.signatures = float_signatures(),
                                                   .signature_columns = "element",
                                                   .variants = variants(),
                                                   .onnx = kOnnx,
                                                   .validate = validate,
                                                   .signature = element_signature<Descriptor>,
                                                   .finish = finish<ADJ_DROPOUT_MAPPING_DEFAULT>,
                                                   .check_args = check_args,
                                                   .host_outputs = host_outputs});
  return info;
}

const OpInfo& info_softmax_dropout_backward() {
  using namespace backward;
  static const OpInfo info = op_info(base_info(), {.signatures = float_signatures(),
                                                   .signature_columns = "element",
                                                   .variants = variants(),
                                                   .onnx = kOnnx,
                                                   .validate = validate,
                                                   .signature = element_signature<Descriptor>,
                                                   .finish = finish<ADJ_DROPOUT_MAPPING_DEFAULT>,
                                                   .check_args = check_args});
  return info;
}

}  // namespace adj
