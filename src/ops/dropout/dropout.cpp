#include "ops/dropout/dropout.hpp"

#include "host/dropout.hpp"
#include "ops/dropout.gen.hpp"

namespace adj {

namespace {

using namespace dropout;

// The rounded factor is off by half an ulp, the product by another half.
adj_guarantee guarantee(const Signature& s) {
  return make_guarantee(ADJ_BATCH_INVARIANT, ADJ_MATH_IEEE, accumulator_of(s[0]), is_16bit_float(s[0]) ? 0.51 : 1.5, 0);
}
adj_guarantee host_guarantee(const Signature& s) { return make_guarantee(ADJ_BATCH_INVARIANT, ADJ_MATH_IEEE, ADJ_F64, s[0] == ADJ_F64 ? 1.5 : 0.51, 0); }

template <class Descriptor>
std::int64_t words_of_call(const Descriptor& d) {
  if (d.numel == 0 || !maps_by_thread(d)) return words_of(d.numel);
  return 4 * ceil_div(d.numel, stretch_of(d, d.numel));
}

template <class Descriptor>
Result<void> check(const char* op, const Descriptor& d) {
  return check_mapping_fields(op, d, true);
}

// A launch in blocks of 256 threads, in which a lane takes four vectors at a time.
template <class Descriptor>
PlanBuilder::Kernel plan_elements(const Descriptor& d, const Device& device, PlanBuilder& builder, int in, int out) {
  constexpr unsigned kBlock = 256;
  constexpr int kPerMultiprocessor = 8, kWaves = 4, kVectors = 4;
  const std::int64_t of_block = std::int64_t{kBlock} * kVectors * (16 / size_of(d.element));
  DropoutParams p{};
  p.rule = rule_of(d.mask, d.training);
  p.count = d.numel;
  if (maps_by_thread(d)) {
    p.stretch = stretch_of(d, d.numel);
    p.by_stretch = divide_below_2_59(p.stretch);
  }
  auto kernel = builder.kernel(kMain, grid_for(device, ceil_div(d.numel, of_block), kPerMultiprocessor, kWaves), kBlock);
  kernel.params(p).tensor(offsetof(DropoutParams, in), in).tensor(offsetof(DropoutParams, out), out);
  return kernel;
}

template <class Descriptor, bool bits, std::size_t count>
bool describe(std::span<const adj_dtype> types, void* descriptor) {
  if (types.size() != count || !is_float(types[0]) || !is_float(types[1]) || types[2] != ADJ_BOOL || (bits && types[count - 1] != ADJ_U32)) return false;
  auto& d = *static_cast<Descriptor*>(descriptor);
  d.numel = 64;
  d.element = types[0];
  d.mask = bits ? ADJ_DROPOUT_MASK_BITS : ADJ_DROPOUT_MASK_BOOL;
  return true;
}

namespace forward {

using namespace dropout_forward_tables;

Result<void> validate(const void* descriptor) {
  const auto& d = *static_cast<const Descriptor*>(descriptor);
  ADJ_TRY(check(kName, d));
  return {};
}
Result<void> check_args(const void* descriptor, const void* args) {
  const auto& d = *static_cast<const Descriptor*>(descriptor);
  const auto& a = *static_cast<const Args*>(args);
  if (!d.training) return {};
  ADJ_TRY(check_ratio(kName, a.ratio));
  return check_offset_of(kName, d, a.random, true);
}
void host_outputs(const void* descriptor, const void* args) {
  const auto& d = *static_cast<const Descriptor*>(descriptor);
  if (void* words = static_cast<const Args*>(args)->words.data) *static_cast<std::int64_t*>(words) = d.training ? words_of_call(d) : 0;
}

template <adj_dropout_mapping mapping>
Result<void> finish(const PlanRequest& request, PlanBuilder& builder) {
  const auto& d = *static_cast<const Descriptor*>(request.descriptor);
  ADJ_TRY(check_mapping<mapping>(request, d));
  if (d.numel == 0) return {};
  if (!request.device) {
    builder.call({.function = check_state<Args>});
    builder.host(host_call<Descriptor, Args, host::dropout_forward>);
    return {};
  }
  auto kernel = plan_elements(d, *request.device, builder, kInput, kOut);
  bind_rule(kernel, offsetof(DropoutParams, rule), kRatio, kRandom, kMask);
  if (d.advance_offset) add_advance(builder, kRandom, words_of_call(d));
  return {};
}

const std::vector<Variant>& variants() {
  static const auto* list = new std::vector<Variant>{
      {.algorithm = "vector",
       .summary = "a lane takes four 16-byte vectors at a time, one block of random words for four elements",
       .programs = {{"dropout/dropout.cu", "dropout_forward", "ADJ_T={0} ADJ_BACKWARD=0 ADJ_ONNX_RUNTIME=0"}, ADJ_DROPOUT_ADVANCE_PROGRAM},
       .guarantee = guarantee},
      {.algorithm = "onnx_runtime",
       .summary = "the same with the random numbers of ONNX Runtime's threads",
       .programs = {{"dropout/dropout.cu", "dropout_forward_onnx_runtime", "ADJ_T={0} ADJ_BACKWARD=0 ADJ_ONNX_RUNTIME=1"}, ADJ_DROPOUT_ADVANCE_PROGRAM},
       .guarantee = of_the_shape<guarantee>,
       .finish = finish<ADJ_DROPOUT_MAPPING_ONNX_RUNTIME>},
      {.algorithm = "reference",
       .summary = "host memory",
       .backend = ADJ_BACKEND_HOST,
       .guarantee = of_the_shape<host_guarantee>,
       .guarantee_for = by_mapping<Descriptor>}};
  return *list;
}

}  // namespace forward

namespace backward {

using namespace dropout_backward_tables;

Result<void> validate(const void* descriptor) {
  const auto& d = *static_cast<const Descriptor*>(descriptor);
  return check(kName, d);
}
Result<void> check_args(const void* descriptor, const void* args) {
  const auto& d = *static_cast<const Descriptor*>(descriptor);
  const auto& a = *static_cast<const Args*>(args);
  if (!d.training) return {};
  ADJ_TRY(check_ratio(kName, a.ratio));
  return check_offset_of(kName, d, a.random, d.mask == ADJ_DROPOUT_MASK_NONE);
}

template <adj_dropout_mapping mapping>
Result<void> finish(const PlanRequest& request, PlanBuilder& builder) {
  const auto& d = *static_cast<const Descriptor*>(request.descriptor);
  ADJ_TRY(check_mapping<mapping>(request, d));
  if (d.numel == 0) return {};
  if (!request.device) {
    builder.call({.function = check_state<Args>});
    builder.host(host_call<Descriptor, Args, host::dropout_backward>);
    return {};
  }
  if (!d.training) {
    builder.copy(kDout, kDinput);
    return {};
  }
  const bool drawn = d.mask == ADJ_DROPOUT_MASK_NONE;
  auto kernel = plan_elements(d, *request.device, builder, kDout, kDinput);
  bind_rule(kernel, offsetof(DropoutParams, rule), kRatio, drawn ? static_cast<int>(kRandom) : -1, drawn ? -1 : static_cast<int>(kMask));
  return {};
}

const std::vector<Variant>& variants() {
  static const auto* list =
      new std::vector<Variant>{{.algorithm = "vector",
                                .summary = "a lane takes four 16-byte vectors at a time; the mask is read, or drawn again",
                                .programs = {{"dropout/dropout.cu", "dropout_backward", "ADJ_T={0} ADJ_BACKWARD=1 ADJ_ONNX_RUNTIME=0"}},
                                .guarantee = guarantee},
                               {.algorithm = "onnx_runtime",
                                .summary = "the same with the random numbers of ONNX Runtime's threads",
                                .programs = {{"dropout/dropout.cu", "dropout_backward_onnx_runtime", "ADJ_T={0} ADJ_BACKWARD=1 ADJ_ONNX_RUNTIME=1"}},
                                .guarantee = of_the_shape<guarantee>,
                                .finish = finish<ADJ_DROPOUT_MAPPING_ONNX_RUNTIME>},
                               {.algorithm = "reference",
                                .summary = "host memory",
                                .backend = ADJ_BACKEND_HOST,
                                .guarantee = of_the_shape<host_guarantee>,
                                .guarantee_for = by_mapping<Descriptor>}};
  return *list;
}

constexpr OnnxBinding kOnnx[] = {{"ms", "DropoutGrad", describe<Descriptor, false, 3>}, {"ms", "BitmaskDropoutGrad", describe<Descriptor, true, 4>}};

}  // namespace backward

}  // namespace

const OpInfo& info_dropout_forward() {
  using namespace forward;
  static const OpInfo info = op_info(base_info(), {.signatures = float_signatures(),
                                                   .signature_columns = "element",
                                                   .variants = variants(),
                                                   .validate = validate,
                                                   .signature = element_signature<Descriptor>,
                                                   .finish = finish<ADJ_DROPOUT_MAPPING_DEFAULT>,
                                                   .check_args = check_args,
                                                   .host_outputs = host_outputs});
  return info;
}

const OpInfo& info_dropout_backward() {
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
