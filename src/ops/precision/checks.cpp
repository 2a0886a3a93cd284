// Planning of is_finite, all_finite and all.
#include "ops/precision/precision.hpp"
#include "ops/precision.gen.hpp"

namespace adj {

namespace {

constexpr const char* kSummary = "one launch over chunks of all tensors";

adj_guarantee host_guarantee(const Signature&) { return make_guarantee(ADJ_BATCH_INVARIANT, ADJ_MATH_IEEE, ADJ_F64, 0, 0); }

// Pattern that a check looks for: an element matches when its bits under `mask` lie in [low, low + span].
struct BitTest {
  std::uint64_t mask, low, span;
};

// Adds the steps of a check: they set the outputs to their values without a failure, then launches overwrite them if one is found.
void add_check(PlanBuilder& builder, const Device& device, std::span<const std::int64_t> numel, int inputs, int output, int found_inf, const BitTest& test) {
  builder.clear_output(output, 1);
  if (found_inf >= 0) builder.clear_output(found_inf);
  const int arrays[] = {inputs};
  auto head_of = [&](bool) {
    CheckHead head{};
    head.mask = test.mask;
    head.low = test.low;
    head.span = test.span;
    return head;
  };
  add_multi_tensor(builder, device, kMain, numel, arrays, head_of, [&](PlanBuilder::Kernel& kernel) {
    kernel.tensor(offsetof(CheckHead, output), output);
    if (found_inf >= 0) kernel.tensor(offsetof(CheckHead, found_inf), found_inf);
  });
}

// ---- is_finite

namespace is_finite {

using namespace is_finite_tables;

Result<void> finish(const PlanRequest& request, PlanBuilder& builder) {
  const auto& d = *static_cast<const Descriptor*>(request.descriptor);
  if (all_empty(numel_of(d))) return {};
  if (!request.device) {
    builder.host(host_call<Descriptor, Args, host::is_finite>);
    return {};
  }
  const int arrays[] = {kInputs, kOutputs};
  add_multi_tensor(builder, *request.device, kMain, numel_of(d), arrays, [](bool) { return IsFiniteHead{}; }, [](PlanBuilder::Kernel&) {});
  return {};
}

const std::vector<Variant>& variants() {
  static const auto* list = new std::vector<Variant>{{.algorithm = "multi_tensor",
                                                      .summary = kSummary,
                                                      .programs = {ADJ_MULTI_TENSOR_PROGRAMS(kMain, "precision/is_finite.cu", "is_finite", "ADJ_T={0} ")},
                                                      .guarantee = exact_guarantee},
                                                     host_row(host_guarantee)};
  return *list;
}

bool describe_onnx(std::span<const adj_dtype> types, void* descriptor) { return describe_element(types, *static_cast<Descriptor*>(descriptor)); }
constexpr OnnxBinding kOnnx[] = {{"ms", "IsFinite", describe_onnx}};

}  // namespace is_finite

// ---- all_finite

namespace all_finite {

using namespace all_finite_tables;

BitTest test_of(adj_dtype element, adj_finite_test test) {
  const std::uint64_t infinity = element == ADJ_F64 ? 0x7ffull << 52 : element == ADJ_F32 ? 0xffull << 23 : element == ADJ_F16 ? 0x1full << 10 : 0xffull << 7;
  const std::uint64_t mask = (std::uint64_t{1} << (8 * size_of(element) - 1)) - 1;
  const std::uint64_t low = test == ADJ_FINITE_TEST_NO_NAN ? infinity + 1 : infinity;
  const std::uint64_t high = test == ADJ_FINITE_TEST_NO_INF ? infinity : mask;
  return {mask, low, high - low};
}

Result<void> finish(const PlanRequest& request, PlanBuilder& builder) {
  const auto& d = *static_cast<const Descriptor*>(request.descriptor);
  if (!request.device) {
    builder.host(host_call<Descriptor, Args, host::all_finite>);
    return {};
  }
  add_check(builder, *request.device, numel_of(d), kInputs, kOutput, kFoundInf, test_of(d.element, d.test));
  return {};
}

template <std::uint32_t bytes>
bool accepts(const Signature& s) {
  return size_of(s[0]) == bytes;
}
const std::vector<Variant>& variants() {
#define ADJ_CHECK(type, bytes)                                                                          \
  {.algorithm = "multi_tensor",                                                                         \
   .summary = kSummary,                                                                                 \
   .programs = {ADJ_MULTI_TENSOR_PROGRAMS(kMain, "precision/check.cu", "check", "ADJ_BITS=" type " ")}, \
   .guarantee = exact_guarantee,                                                                        \
   .accepts = accepts<bytes>}
  static const auto* list = new std::vector<Variant>{ADJ_CHECK("u16", 2), ADJ_CHECK("u32", 4), ADJ_CHECK("u64", 8), host_row(host_guarantee)};
#undef ADJ_CHECK
  return *list;
}

bool describe_onnx(std::span<const adj_dtype> types, void* descriptor) { return describe_element(types, *static_cast<Descriptor*>(descriptor)); }
constexpr OnnxBinding kOnnx[] = {{"ms", "IsAllFinite", describe_onnx}};

}  // namespace all_finite

// ---- all

namespace all {

using namespace all_tables;

Signature signature(const void*) { return {ADJ_BOOL}; }
const std::vector<Signature>& signatures() {
  static const auto* list = new std::vector<Signature>{{ADJ_BOOL}};
  return *list;
}

Result<void> finish(const PlanRequest& request, PlanBuilder& builder) {
  const auto& d = *static_cast<const Descriptor*>(request.descriptor);
  if (!request.device) {
    builder.host(host_call<Descriptor, Args, host::all>);
    return {};
  }
  add_check(builder, *request.device, numel_of(d), kInputs, kOutput, -1, {0xff, 0, 0});
  return {};
}

const std::vector<Variant>& variants() {
  static const auto* list = new std::vector<Variant>{{.algorithm = "multi_tensor",
                                                      .summary = kSummary,
                                                      .programs = {ADJ_MULTI_TENSOR_PROGRAMS(kMain, "precision/check.cu", "check", "ADJ_BITS=u8 ")},
                                                      .guarantee = exact_guarantee},
                                                     host_row(host_guarantee)};
  return *list;
}

bool describe_onnx(std::span<const adj_dtype> types, void* descriptor) {
  if (types.size() != 1 || types[0] != ADJ_BOOL) return false;
  auto& d = *static_cast<Descriptor*>(descriptor);
  d.count = std::size(kSampleNumel);
  d.numel = kSampleNumel;
  return true;
}
constexpr OnnxBinding kOnnx[] = {{"ms", "All", describe_onnx}};

}  // namespace all

}  // namespace

const OpInfo& info_is_finite() {
  using namespace is_finite;
  static const OpInfo info = op_info(base_info(), {.signatures = float_signatures(),
                                                   .signature_columns = "element",
                                                   .variants = variants(),
                                                   .onnx = kOnnx,
                                                   .signature = element_signature<Descriptor>,
                                                   .finish = finish});
  return info;
}

const OpInfo& info_all_finite() {
  using namespace all_finite;
  static const OpInfo info = op_info(base_info(), {.signatures = float_signatures(),
                                                   .signature_columns = "element",
                                                   .variants = variants(),
                                                   .onnx = kOnnx,
                                                   .signature = element_signature<Descriptor>,
                                                   .finish = finish});
  return info;
}

const OpInfo& info_all() {
  using namespace all;
  static const OpInfo info =
      op_info(base_info(),
              {.signatures = signatures(), .signature_columns = "element", .variants = variants(), .onnx = kOnnx, .signature = signature, .finish = finish});
  return info;
}

}  // namespace adj
