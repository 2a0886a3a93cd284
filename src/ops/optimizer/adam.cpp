// Planning of adam: Adam and AdamW over lists of tensors.
#include "ops/optimizer/optimizer.hpp"

namespace adj {

namespace {

using namespace adam_tables;

// The program that rounds weights at random where all types have 16 bits. It is that of rows with an f32.
enum AdamProgram : int { kStochastic };

// Where the arguments of a step are.
constexpr StepArguments kStepArguments{.params = kParams,
                                       .grads = kGrads,
                                       .state = {kExpAvg, kExpAvgSq},
                                       .copies = kCopies,
                                       .new_params = kNewParams,
                                       .new_state = {kNewExpAvg, kNewExpAvgSq},
                                       .updates = kUpdates,
                                       .lr = kLr,
                                       .step = kStep,
                                       .grad_scale = kGradScale,
                                       .gradient_norm = kGradientNorm,
                                       .update_signal = kUpdateSignal,
                                       .found_inf = kFoundInf,
                                       .error_flag = kErrorFlag};

Result<void> validate(const void* descriptor) {
  const auto& d = *static_cast<const Descriptor*>(descriptor);
  if (auto options = read_options(kName, d); !options) return options.take_error();
  ADJ_TRY(check_tensor_keys(kName, d, d.stochastic_rounding != 0));
  return check_first_elements(kName, d, d.stochastic_rounding != 0, 1);
}

Result<void> check_args(const void* descriptor, const void* args) {
  const auto& d = *static_cast<const Descriptor*>(descriptor);
  const auto& a = *static_cast<const Args*>(args);
  if (!a.lr_of.data) ADJ_TRY(check_lr(kName, a.lr));
  ADJ_TRY(check_grad_scale(kName, a.grad_scale, d.param, false));
  ADJ_TRY(check_gradient_norm(kName, a.gradient_norm));
  ADJ_TRY(check_update_signal(kName, a.update_signal));
  if (!d.no_bias_correction || d.stochastic_rounding) ADJ_TRY(check_step(kName, a.step));
  return d.stochastic_rounding ? check_seed(kName, a.seed) : Result<void>();
}

Result<void> finish(const PlanRequest& request, PlanBuilder& builder) {
  const auto& d = *static_cast<const Descriptor*>(request.descriptor);
  const bool empty = all_empty(numel_of(d)), bias_correction = !d.no_bias_correction;
  if (empty && !d.advance_step) return {};
  if (!request.device) {
    builder.host(host_call<Descriptor, Args, host::adam>);
    return {};
  }
  if (!empty) {
    std::vector<int> arrays;
    AdamHead head{};
    head.control = step_control(d.max_norm);
    head.lists = step_lists(builder, kStepArguments, options_of(d), moment_signature<Descriptor>(&d), arrays);
    head.beta1 = d.beta1;
    head.beta2 = d.beta2;
    head.epsilon = d.epsilon;
    head.weight_decay = d.weight_decay;
    head.decay_last = d.decay == ADJ_ADAM_DECAY_LAST;
    head.decay_l2 = d.decay == ADJ_ADAM_DECAY_L2;
    head.bias_correction = bias_correction;
    head.stochastic = d.stochastic_rounding;
    head.parts = d.first_element_count != 0;
    MultiTensorWork work = elementwise_work(*request.device, numel_of(d));
    if (d.stochastic_rounding) add_keys(work, d);
    head.counts = static_cast<int>(work.counts.size());
    auto head_of = [&](bool first) {
      head.lists.reports = first;
      return head;
    };
    auto bind = [&](PlanBuilder::Kernel& kernel) {
      kernel.scalar(offsetof(AdamHead, step), kStep).tensor(offsetof(AdamHead, lr_of), kLrOf).tensor(offsetof(AdamHead, weight_decay_of), kWeightDecayOf);
      if (d.stochastic_rounding) kernel.scalar(offsetof(AdamHead, seed), kSeed);
      bind_control(kernel, offsetof(AdamHead, control), kStepArguments);
    };
    const bool apart = d.stochastic_rounding && widest(moment_signature<Descriptor>(&d)) == 2;
    const ProgramName program = apart ? ProgramName(kStochastic) : ProgramName(kMain);
    add_multi_tensor(builder, *request.device, program, work, arrays, head_of, bind);
  }
  if (d.advance_step) add_advance(builder, kStepArguments, bias_correction, empty);
  return {};
}

// Types of AdamOptimizer: learning rate, step, weights, moments, gradients, norm of the gradients, copies.
bool describe_tensor(std::span<const adj_dtype> types, void* descriptor) {
  if (types.size() != 7 || types[1] != ADJ_I64 || !is_float(types[0]) || !is_float(types[5])) return false;
  auto& d = *static_cast<Descriptor*>(descriptor);
  d.count = std::size(kSampleNumel);
  d.numel = kSampleNumel;
  d.param = types[2];
  d.state = types[3];
  d.grad = types[4];
  d.copy = types[6];
  d.updates = 1;
  d.out_of_place = 1;
  return true;
}
// Types of AdamWOptimizer: learning rate, step, weights, gradients, moments.
bool describe_sequences(std::span<const adj_dtype> types, void* descriptor) {
  constexpr adj_dtype kTypes[] = {ADJ_F32, ADJ_I64, ADJ_F32, ADJ_F32, ADJ_F32};
  if (!std::equal(types.begin(), types.end(), std::begin(kTypes), std::end(kTypes))) return false;
  auto& d = *static_cast<Descriptor*>(descriptor);
  d.count = std::size(kSampleNumel);
  d.numel = kSampleNumel;
  d.param = ADJ_F32;
  d.weight_decay = 1e-2;
  return true;
}
constexpr OnnxBinding kOnnx[] = {{"ms", "AdamOptimizer", describe_tensor, "weight_decay_mode is decay, lambda is weight_decay, max_norm_clip is max_norm"},
                                 {"ms", "AdamWOptimizer", describe_sequences, "adam_mode is decay"}};

const std::vector<Variant>& variants() {
#define ADJ_ADAM_PROGRAMS(name, bytes) ADJ_MULTI_TENSOR_PROGRAMS(name, "optimizer/adam.cu", "adam", "ADJ_WIDEST=" #bytes " ")
#define ADJ_ADAM_VARIANT(bytes, ...)                   \
  {.algorithm = "multi_tensor",                        \
   .summary = "one launch over chunks of all tensors", \
   .programs = {__VA_ARGS__, ADJ_ADVANCE_PROGRAM},     \
   .guarantee = defined_guarantee,                     \
   .accepts = is_widest<bytes>}
  static const auto* list = new std::vector<Variant>{ADJ_ADAM_VARIANT(4, ADJ_ADAM_PROGRAMS(kMain, 4)),
                                                     ADJ_ADAM_VARIANT(2, ADJ_ADAM_PROGRAMS(kMain, 2), ADJ_ADAM_PROGRAMS(kStochastic, 4)),
                                                     ADJ_ADAM_VARIANT(8, ADJ_ADAM_PROGRAMS(kMain, 8)), host_row(defined_guarantee)};
#undef ADJ_ADAM_VARIANT
#undef ADJ_ADAM_PROGRAMS
  return *list;
}

}  // namespace

const OpInfo& info_adam() {
  static const OpInfo info = op_info(base_info(), {.signatures = moment_signatures(),
                                                   .signature_columns = "param, grad, state, copy",
                                                   .variants = variants(),
                                                   .onnx = kOnnx,
                                                   .validate = validate,
                                                   .signature = moment_signature<Descriptor>,
                                                   .finish = finish,
                                                   .check_args = check_args});
  return info;
}

}  // namespace adj
