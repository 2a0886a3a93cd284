// adasum_all_reduce.
#include <bit>

#include "ops/collective/nccl.hpp"
#include "ops/collective/tables.gen.hpp"

namespace adj {

using namespace collective;

namespace {

using namespace adasum_all_reduce_tables;

Result<void> validate(const void* descriptor) {
  const auto& d = *static_cast<const Descriptor*>(descriptor);
  ADJ_TRY(check_list_descriptor(kName, d));
  ADJ_TRY(check_ranks(kName, d.ranks));
  if (!std::has_single_bit(static_cast<std::uint64_t>(d.ranks)))
    return fail(ADJ_ERROR_INVALID_PROBLEM, "{}: ranks = {} is not a power of two", kName, d.ranks);
  for (std::int64_t i = 0; i < d.count; ++i) ADJ_TRY(check_volume(kName, "a tensor of all ranks", {d.ranks, d.numel[i]}));
  return {};
}
Signature signature(const void* descriptor) { return {static_cast<const Descriptor*>(descriptor)->element}; }
void shapes(const void* descriptor, std::span<SlotSpec> slots) {
  const auto& d = *static_cast<const Descriptor*>(descriptor);
  slots[kCommunicator] = SlotSpec::handle();
  slots[kInputs] = slots[kOutputs] = SlotSpec::list(d.element, numel_of(d));
}

Result<void> plan(const PlanRequest& request, PlanBuilder& builder) {
  const auto& d = *static_cast<const Descriptor*>(request.descriptor);
  if (request.device) return fail(ADJ_ERROR_UNSUPPORTED, "has no kernels yet");
  builder.book(host::adasum_all_reduce_workspace(d));
  builder.call({.function = host_step<Descriptor, Args, host::adasum_all_reduce>});
  return {};
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

const std::vector<Variant>& variants() {
  static const auto* list = new std::vector<Variant>(rows("all vectors gathered, then the tree of combinations on each rank", nccl_sums, host_sums));
  return *list;
}

}  // namespace

const OpInfo& info_adasum_all_reduce() {
  static const OpInfo info = [] {
    OpInfo made = base_info();
    made.signatures = float_signatures();
    made.signature_columns = "element";
    made.variants = variants();
    made.onnx = kOnnx;
    made.validate = validate;
    made.signature = signature;
    made.shapes = shapes;
    made.finish = plan;
    return made;
  }();
  return info;
}

}  // namespace adj
