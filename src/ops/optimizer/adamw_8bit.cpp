// Planning of adamw_8bit: AdamW whose moments have 8 bits.
#include "ops/optimizer/optimizer.hpp"

namespace adj {

namespace {

using namespace adamw_8bit_tables;

constexpr std::int64_t kStored = std::int64_t{1} << kAdam8BlockLog2;  // elements that share a scale

// Where the arguments of a step are.
constexpr StepArguments kStepArguments{.params = kParams,
                                       .grads = kGrads,
                                       .state = {-1, -1},
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
  ADJ_TRY(check_tensor_keys(kName, d, true));
  return check_first_elements(kName, d, true, kStored);
}

Signature signature(const void* descriptor) {
  const auto& d = *static_cast<const Descriptor*>(descriptor);
  return {d.param, d.grad ? d.grad : d.param, d.copy};
}

const std::vector<Signature>& signatures() {
  static const auto* list = [] {
    auto all = std::make_unique<std::vector<Signature>>();
    for (adj_dtype grad : {ADJ_F32, ADJ_F16, ADJ_BF16})
      for (adj_dtype copy : {ADJ_DTYPE_NONE, ADJ_F16, ADJ_BF16}) all->push_back({ADJ_F32, grad, copy});
    for (adj_dtype low : {ADJ_F16, ADJ_BF16})
      for (adj_dtype grad : {ADJ_F32, low}) all->push_back({low, grad, ADJ_DTYPE_NONE});
    return all.release();
  }();
  return *list;
}

Result<void> check_args(const void* descriptor, const void* args) {
  const auto& d = *static_cast<const Descriptor*>(descriptor);
  const auto& a = *static_cast<const Args*>(args);
  ADJ_TRY(check_common_scalars(kName, d, a));
  ADJ_TRY(check_step(kName, a.step));
  return check_seed(kName, a.seed);
}

Result<void> finish(const PlanRequest& request, PlanBuilder& builder) {
  const auto& d = *static_cast<const Descriptor*>(request.descriptor);
  const bool empty = all_empty(numel_of(d));
  if (empty && !d.advance_step) return {};
  if (!request.device) {
    builder.host(host_call<Descriptor, Args, host::adamw_8bit>);
    return {};
  }
  if (!empty) {
    std::vector<int> arrays{kParams, kGrads, kExpAvg, kExpAvgScale, kExpAvgSq, kExpAvgSqScale};
    const Signature types = signature(&d);
    Adam8Head head{};
    head.control = step_control(d.max_norm);
    head.lists.param = types[0];
    head.lists.grad = types[1];
    head.lists.copy = types[2];
    if (d.copy) head.lists.copies = static_cast<int>(arrays.size()), arrays.push_back(kCopies);
    head.lists.arrays = static_cast<int>(arrays.size());
    head.lists.clear_grads = d.clear_grads;
    head.beta1 = d.beta1;
    head.beta2 = d.beta2;
    head.epsilon = d.epsilon;
    head.weight_decay = d.weight_decay;
    head.stochastic = d.stochastic_rounding;
    head.parts = d.first_element_count != 0;
    MultiTensorWork work = elementwise_work(*request.device, numel_of(d));
    add_keys(work, d);
    auto head_of = [&](bool first) {
      head.lists.reports = first;
      return head;
    };
    auto bind = [&](PlanBuilder::Kernel& kernel) {
      kernel.scalar(offsetof(Adam8Head, step), kStep).scalar(offsetof(Adam8Head, seed), kSeed);
      bind_control(kernel, offsetof(Adam8Head, control), kStepArguments);
    };
    add_multi_tensor(builder, *request.device, kMain, work, arrays, head_of, bind);
  }
  if (d.advance_step) add_advance(builder, kStepArguments, true, empty);
  return {};
}

const std::vector<Variant>& variants() {
  static const auto* list =
      new std::vector<Variant>{{.algorithm = "multi_tensor",
                                .summary = "one launch over chunks of all tensors",
                                .programs = {ADJ_MULTI_TENSOR_PROGRAMS(kMain, "optimizer/adamw_8bit.cu", "adamw_8bit", "ADJ_WIDEST=4 "), ADJ_ADVANCE_PROGRAM},
                                .guarantee = defined_guarantee},
                               host_row(defined_guarantee)};
  return *list;
}

}  // namespace

const OpInfo& info_adamw_8bit() {
  static const OpInfo info = op_info(base_info(), {.signatures = signatures(),
                                                   .signature_columns = "param, grad, copy",
                                                   .variants = variants(),
                                                   .validate = validate,
                                                   .signature = signature,
                                                   .finish = finish,
                                                   .check_args = check_args});
  return info;
}

}  // namespace adj
