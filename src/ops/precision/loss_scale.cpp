// Planning of update_loss_scale.
#include <cmath>

#include "ops/precision/precision.hpp"
#include "ops/precision.gen.hpp"

namespace adj {

namespace {

using namespace update_loss_scale_tables;

Result<void> validate(const void* descriptor) {
  const auto& d = *static_cast<const Descriptor*>(descriptor);
  if (!(d.growth_factor >= 1 && std::isfinite(d.growth_factor)))
    return fail(ADJ_ERROR_INVALID_PROBLEM, "{}: growth_factor = {}, expected a finite number of at least 1", kName, d.growth_factor);
  if (!(d.backoff_factor > 0 && d.backoff_factor <= 1))
    return fail(ADJ_ERROR_INVALID_PROBLEM, "{}: backoff_factor = {} is outside of (0, 1]", kName, d.backoff_factor);
  if (!(d.min_scale >= 0 && d.min_scale <= std::numeric_limits<float>::max()))
    return fail(ADJ_ERROR_INVALID_PROBLEM, "{}: min_scale = {}, expected a finite number of f32 that is not negative", kName, d.min_scale);
  if (!(d.max_scale > 0 && d.max_scale >= d.min_scale))
    return fail(ADJ_ERROR_INVALID_PROBLEM, "{}: max_scale = {}, expected a number above 0 and not below min_scale = {}", kName, d.max_scale, d.min_scale);
  if (d.growth_interval < 1) return fail(ADJ_ERROR_INVALID_PROBLEM, "{}: growth_interval = {}, expected at least 1", kName, d.growth_interval);
  if (d.reserved) return fail(ADJ_ERROR_INVALID_ARGUMENT, "{}: reserved = {}, expected 0", kName, d.reserved);
  return {};
}

Signature signature(const void*) { return {ADJ_F32}; }
const std::vector<Signature>& signatures() {
  static const auto* list = new std::vector<Signature>{{ADJ_F32}};
  return *list;
}

Result<void> finish(const PlanRequest& request, PlanBuilder& builder) {
  const auto& d = *static_cast<const Descriptor*>(request.descriptor);
  if (!request.device) {
    builder.host(host_call<Descriptor, Args, host::update_loss_scale>);
    return {};
  }
  LossScaleParams p{};
  p.growth_factor = d.growth_factor;
  p.backoff_factor = d.backoff_factor;
  p.min_scale = d.min_scale;
  p.max_scale = d.max_scale;
  p.growth_interval = d.growth_interval;
  builder.kernel(kMain, 1, 32)
      .params(p)
      .tensor(offsetof(LossScaleParams, found_inf), kFoundInf)
      .tensor(offsetof(LossScaleParams, scale), kScale)
      .tensor(offsetof(LossScaleParams, growth_tracker), kGrowthTracker);
  return {};
}

const std::vector<Variant>& variants() {
  static const auto* list = new std::vector<Variant>{
      {.algorithm = "single", .summary = "one thread", .programs = {{"precision/loss_scale.cu", "update_loss_scale", ""}}, .guarantee = exact_guarantee},
      host_row(exact_guarantee)};
  return *list;
}

}  // namespace

const OpInfo& info_update_loss_scale() {
  static const OpInfo info = op_info(
      base_info(),
      {.signatures = signatures(), .signature_columns = "scale", .variants = variants(), .validate = validate, .signature = signature, .finish = finish});
  return info;
}

}  // namespace adj
