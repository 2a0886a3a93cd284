// Planning of sgd.
#include "ops/optimizer/optimizer.hpp"

namespace adj {

namespace {

using namespace sgd_tables;

const std::vector<Signature>& signatures() {
  static const auto* list = [] {
    auto all = std::make_unique<std::vector<Signature>>();
    for (adj_dtype grad : {ADJ_F32, ADJ_F16, ADJ_BF16})
      for (adj_dtype state : {ADJ_DTYPE_NONE, ADJ_F32})
        for (adj_dtype copy : {ADJ_DTYPE_NONE, ADJ_F16, ADJ_BF16}) all->push_back({ADJ_F32, grad, state, copy});
    for (adj_dtype state : {ADJ_DTYPE_NONE, ADJ_F64}) all->push_back({ADJ_F64, ADJ_F64, state, ADJ_DTYPE_NONE});
    for (adj_dtype low : {ADJ_BF16, ADJ_F16})
      for (adj_dtype state : {ADJ_DTYPE_NONE, low, ADJ_F32}) all->push_back({low, low, state, ADJ_DTYPE_NONE});
    return all.release();
  }();
  return *list;
}

Result<void> validate(const void* descriptor) {
  const auto& d = *static_cast<const Descriptor*>(descriptor);
  if (auto options = read_options(kName, d); !options) return options.take_error();
  return {};
}

Signature signature(const void* descriptor) {
  const auto& d = *static_cast<const Descriptor*>(descriptor);
  return {d.param, d.grad ? d.grad : d.param, d.state, d.copy};
}

Result<void> check_args(const void* descriptor, const void* args) {
  const auto& d = *static_cast<const Descriptor*>(descriptor);
  const auto& a = *static_cast<const Args*>(args);
  ADJ_TRY(check_lr(kName, a.lr));
  ADJ_TRY(check_grad_scale(kName, a.grad_scale, d.param, false));
  ADJ_TRY(check_gradient_norm(kName, a.gradient_norm));
  return check_update_signal(kName, a.update_signal);
}

Result<void> finish(const PlanRequest& request, PlanBuilder& builder) {
  const auto& d = *static_cast<const Descriptor*>(request.descriptor);
  if (all_empty(numel_of(d))) return {};
  if (!request.device) {
    builder.host(host_call<Descriptor, Args, host::sgd>);
    return {};
  }
  const StepArguments arguments{.params = kParams,
                                .grads = kGrads,
                                .state = {kMomentumBuffers, -1},
                                .copies = kCopies,
                                .new_params = kNewParams,
                                .new_state = {kNewMomentumBuffers, -1},
                                .updates = kUpdates,
                                .lr = kLr,
                                .grad_scale = kGradScale,
                                .gradient_norm = kGradientNorm,
                                .update_signal = kUpdateSignal,
                                .found_inf = kFoundInf,
                                .error_flag = kErrorFlag};
  std::vector<int> arrays;
  SgdHead head{};
  head.control = step_control(d.max_norm);
  head.lists = step_lists(builder, arguments, options_of(d), signature(&d), arrays);
  head.momentum = d.momentum;
  head.dampening = d.dampening;
  head.weight_decay = d.weight_decay;
  head.nesterov = d.nesterov;
  head.first_step = d.first_step;
  auto head_of = [&](bool first) {
    head.lists.reports = first;
    return head;
  };
  auto bind = [&](PlanBuilder::Kernel& kernel) { bind_control(kernel, offsetof(SgdHead, control), arguments); };
  add_multi_tensor(builder, *request.device, kMain, numel_of(d), arrays, head_of, bind);
  return {};
}

// The weight has the last rounding only. Errors accumulate to 3u for the gradient with its decay, 6u for the buffer, 8u for the Nesterov
// direction and 9u for the product with lr. In f64 the reference has the same errors, so the bound is doubled.
adj_guarantee guarantee(const Signature& s) { return step_guarantee(s, s[0] == ADJ_F64 ? 24 : 12); }

const std::vector<Variant>& variants() {
#define ADJ_SGD_VARIANT(bytes, defines)                                                \
  {.algorithm = "multi_tensor",                                                        \
   .summary = "one launch over chunks of all tensors",                                 \
   .programs = {ADJ_MULTI_TENSOR_PROGRAMS(kMain, "optimizer/sgd.cu", "sgd", defines)}, \
   .guarantee = guarantee,                                                             \
   .accepts = is_widest<bytes>}
  static const auto* list = new std::vector<Variant>{ADJ_SGD_VARIANT(4, "ADJ_WIDEST=4 "), ADJ_SGD_VARIANT(2, "ADJ_WIDEST=2 "),
                                                     ADJ_SGD_VARIANT(8, "ADJ_WIDEST=8 "), host_row(step_host_guarantee)};
#undef ADJ_SGD_VARIANT
  return *list;
}

// Types of the registration: learning rate, update signal, weights, gradients.
bool describe_sequences(std::span<const adj_dtype> types, void* descriptor) {
  constexpr adj_dtype kTypes[] = {ADJ_F32, ADJ_BOOL, ADJ_F32, ADJ_F32};
  if (!std::equal(types.begin(), types.end(), std::begin(kTypes), std::end(kTypes))) return false;
  auto& d = *static_cast<Descriptor*>(descriptor);
  d.count = std::size(kSampleNumel);
  d.numel = kSampleNumel;
  d.param = ADJ_F32;
  return true;
}
// The registration has one type for all its arguments.
bool describe_tensor(std::span<const adj_dtype> types, void* descriptor) {
  if (types.size() != 1) return false;
  auto& d = *static_cast<Descriptor*>(descriptor);
  d.count = 1;
  d.numel = kSampleNumel;
  d.param = types[0];
  d.out_of_place = 1;
  d.updates = 1;
  return true;
}
constexpr OnnxBinding kOnnx[] = {{"ms", "SGDOptimizerV2", describe_sequences}, {"ms", "SGDOptimizer", describe_tensor}};

}  // namespace

const OpInfo& info_sgd() {
  static const OpInfo info = op_info(base_info(), {.signatures = signatures(),
                                                   .signature_columns = "param, grad, state, copy",
                                                   .variants = variants(),
                                                   .onnx = kOnnx,
                                                   .validate = validate,
                                                   .signature = signature,
                                                   .finish = finish,
                                                   .check_args = check_args});
  return info;
}

}  // namespace adj
