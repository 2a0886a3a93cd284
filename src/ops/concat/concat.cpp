// concat and split: one plan for both directions. A piece is a tensor of the list, the joint tensor is the other side.
#include "host/concat.hpp"
#include "ops/concat.gen.hpp"
#include "ops/parts/parts.hpp"

namespace adj {

namespace {

adj_guarantee exact(const Signature& s) { return make_guarantee(ADJ_BATCH_INVARIANT, ADJ_MATH_IEEE, s[0], 0, 0); }

const std::vector<Variant>& variants() {
  // One set of programs for both directions and all element types.
  static const auto* list = new std::vector<Variant>{{.algorithm = "realign",
                                                      .summary = "16-byte accesses on both sides, narrow pieces through shared memory",
                                                      .programs = {ADJ_PARTS_PROGRAMS},
                                                      .guarantee = exact},
                                                     host_row(exact)};
  return *list;
}

template <class Descriptor>
Result<void> finish(const PlanRequest& request, PlanBuilder& builder, const char* op, HostFunction host, int list_argument, int joint_argument, bool split) {
  const auto& d = *static_cast<const Descriptor*>(request.descriptor);
  const JointTensor joint{d.outer, d.inner, {d.lengths, static_cast<std::size_t>(d.count)}, d.element};
  if (joint.empty()) return {};
  if (!request.device) {
    builder.host(host);
    return {};
  }
  return add_parts(builder, *request.device, op, joint, list_argument, joint_argument, split);
}

// Lengths of the sample descriptors behind the ONNX registrations.
constexpr std::int64_t kSampleLengths[] = {3, 1};
template <class Descriptor>
bool describe_onnx(std::span<const adj_dtype> types, void* descriptor) {
  if (types.size() != 1) return false;
  auto& d = *static_cast<Descriptor*>(descriptor);
  d.outer = 2;
  d.inner = 5;
  d.count = std::size(kSampleLengths);
  d.lengths = kSampleLengths;
  d.element = types[0];
  return true;
}

// ---- concat

namespace concat {

using namespace concat_tables;

void host_outputs(const void* descriptor, const void* args) {
  const auto& d = *static_cast<const Descriptor*>(descriptor);
  const auto& a = *static_cast<const Args*>(args);
  if (a.lengths_out.data) std::copy_n(d.lengths, d.count, static_cast<std::int64_t*>(a.lengths_out.data));
}

Result<void> plan(const PlanRequest& request, PlanBuilder& builder) {
  return finish<Descriptor>(request, builder, kName, host_call<Descriptor, Args, host::concat>, kInputs, kOutput, false);
}

constexpr OnnxBinding kOnnx[] = {{"ms", "ConcatTraining", describe_onnx<Descriptor>}};

}  // namespace concat

// ---- split

namespace split {

using namespace split_tables;

Result<void> plan(const PlanRequest& request, PlanBuilder& builder) {
  return finish<Descriptor>(request, builder, kName, host_call<Descriptor, Args, host::split>, kOutputs, kInput, true);
}

constexpr OnnxBinding kOnnx[] = {{"ms", "SplitTraining", describe_onnx<Descriptor>}};

}  // namespace split

}  // namespace

const OpInfo& info_concat() {
  using namespace concat;
  static const OpInfo info = op_info(base_info(), {.signatures = all_element_signatures(),
                                                   .signature_columns = "element",
                                                   .variants = variants(),
                                                   .onnx = kOnnx,
                                                   .signature = element_signature<Descriptor>,
                                                   .finish = plan,
                                                   .host_outputs = host_outputs});
  return info;
}

const OpInfo& info_split() {
  using namespace split;
  static const OpInfo info = op_info(base_info(), {.signatures = all_element_signatures(),
                                                   .signature_columns = "element",
                                                   .variants = variants(),
                                                   .onnx = kOnnx,
                                                   .signature = element_signature<Descriptor>,
                                                   .finish = plan});
  return info;
}

}  // namespace adj
