// callback: calls a function of the caller's in the order of a stream.
#include "ops/common/multi_tensor.hpp"
#include "ops/control.gen.hpp"

namespace adj {

namespace {

using namespace callback_tables;

// State kept by the plan and its bound calls. Its end destroys the caller's `user`, but only once a plan has been handed out.
struct State {
  adj_callback_destroy destroy = nullptr;
  void* user = nullptr;
  bool handed_out = false;
  ~State() {
    if (handed_out && destroy) destroy(user);
  }
};

Result<void> validate(const void* descriptor) {
  const auto& d = *static_cast<const Descriptor*>(descriptor);
  if (!d.function) return fail(ADJ_ERROR_INVALID_PROBLEM, "{}: function was not given", kName);
  return {};
}

Result<void> run(const CallContext& context) {
  const auto& d = *static_cast<const Descriptor*>(context.plan.descriptor.get());
  const auto& a = *reinterpret_cast<const Args*>(context.args);
  adj_callback_call call;
  call.user = d.user;
  call.stream = &context.stream;
  call.context = static_cast<std::int64_t*>(a.context.data);
  call.inputs = &a.inputs;
  call.outputs = &a.outputs;
  const std::int32_t code = d.function(&call);
  if (code == 0) return {};
  Error error = fail(ADJ_ERROR_INVALID_VALUE, "{}: the function returned {}", kName, code);
  error.native = code;
  return error;
}

Result<void> plan(const PlanRequest& request, PlanBuilder& builder) {
  const auto& d = *static_cast<const Descriptor*>(request.descriptor);
  auto state = std::make_shared<State>();
  state->destroy = d.destroy;
  state->user = d.user;
  builder.call({.function = run, .state = std::move(state), .selected = [](void* own) { static_cast<State*>(own)->handed_out = true; }});
  return {};
}

// The registrations list the types of the tensors and of the context.
std::int32_t nothing(const adj_callback_call*) { return 0; }
bool describe(std::span<const adj_dtype> types, void* descriptor) {
  if (types.empty()) return false;
  auto& d = *static_cast<Descriptor*>(descriptor);
  d.function = nothing;
  d.element = types[0];
  return true;
}
constexpr OnnxBinding kOnnx[] = {{"ms", "PythonOp", describe, kMixedTypes}, {"ms", "PythonOpGrad", describe, kMixedTypes}};

const std::vector<Variant>& variants() {
  static const auto* list = new std::vector<Variant>{{.algorithm = "call", .summary = "run calls the function with the stream", .guarantee = exact_guarantee},
                                                     host_row(exact_guarantee, nullptr, "run calls the function")};
  return *list;
}

}  // namespace

const OpInfo& info_callback() {
  static const OpInfo info = op_info(base_info(), {.signatures = all_element_signatures(),
                                                   .signature_columns = "element",
                                                   .variants = variants(),
                                                   .onnx = kOnnx,
                                                   .validate = validate,
                                                   .signature = element_signature<Descriptor>,
                                                   .finish = plan});
  return info;
}

}  // namespace adj
