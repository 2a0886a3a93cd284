// Planning of update_loss_scale.
#include <cmath>

#include "ops/precision/precision.hpp"
#include "ops/precision.gen.hpp"

namespace adj {

namespace {

using namespace update_loss_scale_tables;

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
  static const OpInfo info =
      op_info(base_info(), {.signatures = signatures(), .signature_columns = "scale", .variants = variants(), .signature = signature, .finish = finish});
  return info;
}

}  // namespace adj
