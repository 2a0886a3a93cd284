// group, record_event, wait_event, yield.
#include <algorithm>

#include "host/communicator.hpp"
#include "host/control.hpp"
#include "ops/common/multi_tensor.hpp"
#include "ops/control.gen.hpp"

namespace adj {

namespace {

const std::vector<Variant>& steps_only(const char* summary) {
  auto* list = new std::vector<Variant>{{.algorithm = "steps", .summary = summary, .guarantee = exact_guarantee}, host_row(exact_guarantee)};
  return *list;
}

constexpr std::int64_t kSampleCounts[] = {6, 2};

// ---- group

namespace groups {

using namespace group_tables;

Result<void> plan(const PlanRequest&, PlanBuilder&) { return {}; }
void host_outputs(const void*, const void* args) {
  if (void* done = static_cast<const Args*>(args)->done.data) *static_cast<std::uint8_t*>(done) = 1;
}
// The registration lists the types of the inputs and of the output.
bool describe(std::span<const adj_dtype> types, void* descriptor) {
  if (types.size() != 2 || types[1] != ADJ_BOOL) return false;
  static_cast<Descriptor*>(descriptor)->element = types[0];
  return true;
}
constexpr OnnxBinding kOnnx[] = {{"ms", "Group", describe, kMixedTypes}};
const std::vector<Variant>& variants() {
  static const auto& list = steps_only("nothing is launched");
  return list;
}

}  // namespace groups

// ---- events

// The registration lists the types of the event's number and of the data.
template <class Descriptor>
bool describe_event(std::span<const adj_dtype> types, void* descriptor) {
  if (types.size() != 2 || types[0] != ADJ_I64) return false;
  auto& d = *static_cast<Descriptor*>(descriptor);
  d.count = std::size(kSampleCounts);
  d.numel = kSampleCounts;
  d.element = types[1];
  return true;
}
// Refuses a host event on a CUDA stream: the driver would read the handle as one of its own.
template <class Descriptor, class Args>
Result<void> check_event(const CallContext& call) {
  const void* event = reinterpret_cast<const Args*>(call.args)->event;
  if (!host::is_event(event)) return {};
  return fail(ADJ_ERROR_INVALID_ARGUMENT, "{}: event {} is one of adj_host_event_create, for the host stream", call.plan.op->name, event);
}
template <class Descriptor, class Args, Result<void> (*function)(const Descriptor&, const Args&, void*)>
Result<void> call_host(const CallContext& call) {
  return function(*static_cast<const Descriptor*>(call.plan.descriptor.get()), *reinterpret_cast<const Args*>(call.args), nullptr);
}

namespace recording {

using namespace record_event_tables;

Result<void> plan(const PlanRequest& request, PlanBuilder& builder) {
  const auto& d = *static_cast<const Descriptor*>(request.descriptor);
  if (!request.device) {
    builder.call({.function = call_host<Descriptor, Args, host::record_event>});
    return {};
  }
  if (!d.skip) builder.call({.function = check_event<Descriptor, Args>});
  if (d.count > 0) builder.copy(kInputs, kOutputs);
  if (!d.skip) builder.record(kEvent);
  return {};
}
constexpr OnnxBinding kOnnx[] = {{"ms", "RecordEvent", describe_event<Descriptor>, kMixedTypes}};
const std::vector<Variant>& variants() {
  static const auto& list = steps_only("the driver's copies of what is not in place, and an event");
  return list;
}

}  // namespace recording

namespace waiting {

using namespace wait_event_tables;

Result<void> plan(const PlanRequest& request, PlanBuilder& builder) {
  const auto& d = *static_cast<const Descriptor*>(request.descriptor);
  if (!request.device) {
    builder.call({.function = call_host<Descriptor, Args, host::wait_event>});
    return {};
  }
  if (!d.skip) {
    builder.call({.function = check_event<Descriptor, Args>});
    builder.wait(kEvent);
  }
  if (d.count > 0) builder.copy(kInputs, kOutputs);
  return {};
}
constexpr OnnxBinding kOnnx[] = {{"ms", "WaitEvent", describe_event<Descriptor>, kMixedTypes}};
const std::vector<Variant>& variants() {
  static const auto& list = steps_only("an event, and the driver's copies of what is not in place");
  return list;
}

}  // namespace waiting

// ---- yield

namespace yielding {

using namespace yield_tables;

std::span<const std::int64_t> skipped(const Descriptor& d) { return {d.non_differentiable, static_cast<std::size_t>(d.non_differentiable_count)}; }

std::span<const std::int64_t> free_shape(const Descriptor& d) { return {d.free_shape, static_cast<std::size_t>(d.free_shape_count)}; }

// Places of outputs: ascending, each once.
Result<void> check_places(const char* field, std::span<const std::int64_t> places, std::int64_t count) {
  std::int64_t before = -1;
  for (std::size_t i = 0; i < places.size(); ++i) {
    if (places[i] <= before || places[i] >= count)
      return fail(ADJ_ERROR_INVALID_PROBLEM, "{}: {}[{}] = {}, expected more than {} and less than count = {}", kName, field, i, places[i], before, count);
    before = places[i];
  }
  return {};
}

Result<void> validate(const void* descriptor) {
  const auto& d = *static_cast<const Descriptor*>(descriptor);
  ADJ_TRY(check_places("non_differentiable", skipped(d), d.count));
  ADJ_TRY(check_places("free_shape", free_shape(d), d.count));
  for (const std::int64_t place : free_shape(d))
    if (std::ranges::binary_search(skipped(d), place))
      return fail(ADJ_ERROR_INVALID_PROBLEM, "{}: free_shape has {}, an output that non_differentiable has as well: it has no gradient", kName, place);
  return {};
}
// Adds the list of gradients.
void shapes(const void* descriptor, std::span<ArgumentSpec> arguments) {
  stated_shapes(descriptor, arguments);
  const auto& d = *static_cast<const Descriptor*>(descriptor);
  std::vector<std::int64_t> differentiable;
  for (std::int64_t i = 0; i < d.count; ++i)
    if (!std::ranges::binary_search(skipped(d), i)) differentiable.push_back(std::ranges::binary_search(free_shape(d), i) ? 0 : d.numel[i]);
  arguments[kGradients] = ArgumentSpec::list(d.element, std::move(differentiable));
}
Result<void> plan(const PlanRequest&, PlanBuilder&) { return {}; }
bool describe(std::span<const adj_dtype> types, void* descriptor) {
  if (types.size() != 1) return false;
  auto& d = *static_cast<Descriptor*>(descriptor);
  d.count = std::size(kSampleCounts);
  d.numel = kSampleCounts;
  d.element = types[0];
  return true;
}
constexpr const char* kNote =
    "The outputs that full_shape_outputs leaves out are free_shape here. Tensors of several types are described as element=u8, with sizes in bytes.";
constexpr OnnxBinding kOnnx[] = {{"ms", "YieldOp", describe, kNote}};
const std::vector<Variant>& variants() {
  static const auto& list = steps_only("nothing is launched");
  return list;
}

}  // namespace yielding

}  // namespace

#define ADJ_CONTROL_INFO(op, space, check, shapes_of, outputs)                                                 \
  const OpInfo& info_##op() {                                                                                  \
    static const OpInfo info = op_info(space::base_info(), {.signatures = all_element_signatures(),            \
                                                            .signature_columns = "element",                    \
                                                            .variants = space::variants(),                     \
                                                            .onnx = space::kOnnx,                              \
                                                            .validate = check,                                 \
                                                            .signature = element_signature<space::Descriptor>, \
                                                            .shapes = shapes_of,                               \
                                                            .finish = space::plan,                             \
                                                            .host_outputs = outputs});                         \
    return info;                                                                                               \
  }
ADJ_CONTROL_INFO(group, groups, nullptr, nullptr, groups::host_outputs)
ADJ_CONTROL_INFO(record_event, recording, nullptr, nullptr, nullptr)
ADJ_CONTROL_INFO(wait_event, waiting, nullptr, nullptr, nullptr)
ADJ_CONTROL_INFO(yield, yielding, yielding::validate, yielding::shapes, nullptr)

}  // namespace adj
