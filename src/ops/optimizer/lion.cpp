// Planning of lion.
#include "ops/optimizer/optimizer.hpp"

namespace adj {

namespace {

using namespace lion_tables;

// Where the arguments of a step are.
constexpr StepArguments kStepArguments{.params = kParams,
                                       .grads = kGrads,
                                       .state = {kExpAvg, -1},
                                       .copies = kCopies,
                                       .lr = kLr,
                                       .step = kStep,
                                       .grad_scale = kGradScale,
                                       .gradient_norm = kGradientNorm,
                                       .update_signal = kUpdateSignal,
                                       .found_inf = kFoundInf,
                                       .error_flag = kErrorFlag};

Result<void> validate(const void* descriptor) {
  const auto& d = *static_cast<const Descriptor*>(descriptor);
  ADJ_TRY(check_tensor_keys(kName, d, d.stochastic_rounding != 0));
  return check_first_elements(kName, d, d.stochastic_rounding != 0, 1);
}

Result<void> check_args(const void* descriptor, const void* args) {
  const auto& d = *static_cast<const Descriptor*>(descriptor);
  const auto& a = *static_cast<const Args*>(args);
  ADJ_TRY(check_common_scalars(kName, d, a));
  if (!d.stochastic_rounding) return {};
  ADJ_TRY(check_step(kName, a.step));
  return check_seed(kName, a.seed);
}

Result<void> finish(const PlanRequest& request, PlanBuilder& builder) {
  const auto& d = *static_cast<const Descriptor*>(request.descriptor);
  const bool empty = all_empty(numel_of(d));
  if (empty && !d.advance_step) return {};
  if (!request.device) {
    builder.host(host_call<Descriptor, Args, host::lion>);
    return {};
  }
  if (!empty) {
    std::vector<int> arrays;
    LionHead head{};
    head.control = step_control(d.max_norm);
    head.lists = step_lists(builder, kStepArguments, {.clear_grads = d.clear_grads != 0}, moment_signature<Descriptor>(&d), arrays);
    head.beta1 = d.beta1;
    head.beta2 = d.beta2;
    head.weight_decay = d.weight_decay;
    head.stochastic = d.stochastic_rounding;
    head.parts = d.first_element_count != 0;
    MultiTensorWork work = elementwise_work(*request.device, numel_of(d));
    if (d.stochastic_rounding) add_keys(work, d);
    auto head_of = [&](bool first) {
      head.lists.reports = first;
      return head;
    };
    auto bind = [&](PlanBuilder::Kernel& kernel) {
      if (d.stochastic_rounding) kernel.scalar(offsetof(LionHead, step), kStep).scalar(offsetof(LionHead, seed), kSeed);
      bind_control(kernel, offsetof(LionHead, control), kStepArguments);
    };
    add_multi_tensor(builder, *request.device, kMain, work, arrays, head_of, bind);
  }
  if (d.advance_step) add_advance(builder, kStepArguments, false, empty);
  return {};
}

const std::vector<Variant>& variants() {
#define ADJ_LION_VARIANT(bytes, defines)                                                                      \
  {.algorithm = "multi_tensor",                                                                               \
   .summary = "one launch over chunks of all tensors",                                                        \
   .programs = {ADJ_MULTI_TENSOR_PROGRAMS(kMain, "optimizer/lion.cu", "lion", defines), ADJ_ADVANCE_PROGRAM}, \
   .guarantee = defined_guarantee,                                                                            \
   .accepts = is_widest<bytes>}
  static const auto* list = new std::vector<Variant>{ADJ_LION_VARIANT(4, "ADJ_WIDEST=4 "), ADJ_LION_VARIANT(2, "ADJ_WIDEST=2 "),
                                                     ADJ_LION_VARIANT(8, "ADJ_WIDEST=8 "), host_row(defined_guarantee)};
#undef ADJ_LION_VARIANT
  return *list;
}

}  // namespace

const OpInfo& info_lion() {
  static const OpInfo info = op_info(base_info(), {.signatures = moment_signatures(),
                                                   .signature_columns = "param, grad, state, copy",
                                                   .variants = variants(),
                                                   .validate = validate,
                                                   .signature = moment_signature<Descriptor>,
                                                   .finish = finish,
                                                   .check_args = check_args});
  return info;
}

}  // namespace adj
