// Planning of lamb: a step like Adam's, then the norms of each tensor, then the update.
#include "ops/common/multi_norm.hpp"
#include "ops/optimizer/optimizer.hpp"

namespace adj {

namespace {

using namespace lamb_tables;

enum Program : int { kNorms, kUpdate };

// The five hyperparameters that may differ between tensors, in the order of the kernel's constants.
struct Hyper {
  const char* name;
  double shared;
  std::int64_t count;
  const double* of;
  double at(std::size_t t) const { return count ? of[t] : shared; }
};
std::array<Hyper, 5> hyper_of(const Descriptor& d) {
  return {{{"beta1", d.beta1, d.beta1_count, d.beta1_of},
           {"beta2", d.beta2, d.beta2_count, d.beta2_of},
           {"epsilon", d.epsilon, d.epsilon_count, d.epsilon_of},
           {"weight_decay", d.weight_decay, d.weight_decay_count, d.weight_decay_of},
           {"max_norm", d.max_norm, d.max_norm_count, d.max_norm_of}}};
}

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
  const auto hyper = hyper_of(d);
  for (std::size_t k = 0; k < hyper.size(); ++k) {
    const Hyper& h = hyper[k];
    auto check = [&](const char* name, double value) -> Result<void> {
      if (k < 2) return check_decay_rate(kName, name, value, moment_rate(!d.no_bias_correction));
      if (k == 2) return check_not_negative(kName, name, value);
      return k == 3 ? check_finite(kName, name, value) : check_max_norm(kName, name, value);
    };
    if (h.count != 0 && h.count != d.count)
      return fail(ADJ_ERROR_INVALID_PROBLEM, "{}: {}_count = {}, expected 0 or count = {}", kName, h.name, h.count, d.count);
    for (std::int64_t t = 0; t < h.count; ++t) ADJ_TRY(check(fmt::format("{}_of[{}]", h.name, t).c_str(), h.of[t]));
  }
  return {};
}

Result<void> check_args(const void* descriptor, const void* args) {
  const auto& d = *static_cast<const Descriptor*>(descriptor);
  const auto& a = *static_cast<const Args*>(args);
  ADJ_TRY(check_common_scalars(kName, d, a));
  if (!d.no_bias_correction) ADJ_TRY(check_step(kName, a.step));
  return {};
}

Result<void> finish(const PlanRequest& request, PlanBuilder& builder) {
  const auto& d = *static_cast<const Descriptor*>(request.descriptor);
  const bool empty = all_empty(numel_of(d));
  if (empty && !d.advance_step) return {};
  if (!request.device) {
    builder.host(host_call<Descriptor, Args, host::lamb>);
    return {};
  }
  const auto hyper = hyper_of(d);
  std::vector<int> arrays;
  LambHead head{};
  head.control = step_control(d.max_norm);
  if (!empty) head.lists = step_lists(builder, kStepArguments, options_of(d), moment_signature<Descriptor>(&d), arrays);
  head.beta1 = d.beta1;
  head.beta2 = d.beta2;
  head.epsilon = d.epsilon;
  head.weight_decay = d.weight_decay;
  head.ratio_min = d.ratio_min;
  head.ratio_max = d.ratio_max;
  head.bias_correction = !d.no_bias_correction;
  head.own = std::any_of(hyper.begin(), hyper.end(), [](const Hyper& h) { return h.count != 0; });
  auto add_own = [&](MultiTensorWork& work) {
    if (!head.own) return;
    for (std::size_t k = 0; k < hyper.size(); ++k) {
      auto& column = work.constants.emplace_back();
      for (std::size_t t = 0; t < work.chunks.size(); ++t) column.push_back(std::bit_cast<std::uint64_t>(k == 4 ? 1 / hyper[k].at(t) : hyper[k].at(t)));
    }
  };

  if (!empty) {
    MultiTensorWork norms = norm_work(numel_of(d)), update = elementwise_work(*request.device, numel_of(d));
    add_own(norms);
    add_own(update);
    const NormSpace space(builder, norms, 2 * (d.param == ADJ_F64 ? kNormNumbersOfF64 : kNormNumbers));
    head.norms = space.partials;
    auto bind = [&](PlanBuilder::Kernel& kernel) {
      kernel.scalar(offsetof(LambHead, step), kStep);
      bind_control(kernel, offsetof(LambHead, control), kStepArguments);
      space.bind(kernel, offsetof(LambHead, norms));
    };
    LambHead reading = head;
    const std::vector<int> read(arrays.begin(), arrays.begin() + 4);
    reading.lists.arrays = 4;
    auto norms_head = [&](bool first) {
      reading.lists.reports = first;
      return reading;
    };
    add_multi_tensor(builder, *request.device, kNorms, norms, read, norms_head, bind);
    add_multi_tensor(builder, *request.device, kUpdate, update, arrays, [&](bool) { return head; }, bind);
  }
  if (d.advance_step) add_advance(builder, kStepArguments, !d.no_bias_correction, empty);
  return {};
}

// The direction has the error of the update of adam (adam.cpp). The norms, which are sums in f64, and the rate add a few u. Cancellation in
// the norm of the direction is covered by the magnitudes that the terms are measured in.
adj_guarantee guarantee(const Signature& s) { return step_guarantee(s, s[0] == ADJ_F64 ? 1024 : 40); }

const std::vector<Variant>& variants() {
#define ADJ_LAMB_VARIANT(bytes, defines)                                                                                      \
  {.algorithm = "two_pass",                                                                                                   \
   .summary = "norms of all tensors, then their update",                                                                      \
   .programs = {ADJ_MULTI_TENSOR_PROGRAMS(kNorms, "optimizer/lamb_norms.cu", "lamb_norms", defines),                          \
                ADJ_MULTI_TENSOR_PROGRAMS(kUpdate, "optimizer/lamb_update.cu", "lamb_update", defines), ADJ_ADVANCE_PROGRAM}, \
   .guarantee = guarantee,                                                                                                    \
   .accepts = is_widest<bytes>}
  static const auto* list = new std::vector<Variant>{ADJ_LAMB_VARIANT(4, "ADJ_WIDEST=4 "), ADJ_LAMB_VARIANT(2, "ADJ_WIDEST=2 "),
                                                     ADJ_LAMB_VARIANT(8, "ADJ_WIDEST=8 "), host_row(step_host_guarantee)};
#undef ADJ_LAMB_VARIANT
  return *list;
}

// Types of the registration: learning rate, weights, gradients, moments, norm of the gradients, copies.
bool describe_onnx(std::span<const adj_dtype> types, void* descriptor) {
  if (types.size() != 6 || !is_float(types[0]) || !is_float(types[4])) return false;
  auto& d = *static_cast<Descriptor*>(descriptor);
  d.count = std::size(kSampleNumel);
  d.numel = kSampleNumel;
  d.param = types[1];
  d.grad = types[2];
  d.state = types[3];
  d.copy = types[5];
  d.updates = 1;
  d.out_of_place = 1;
  return true;
}
constexpr OnnxBinding kOnnx[] = {{"ms", "LambOptimizer", describe_onnx}};

}  // namespace

const OpInfo& info_lamb() {
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
