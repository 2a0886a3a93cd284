#include "harness/plans.hpp"

namespace harness {

adj::Result<PlanHandle> select_sku(const adj_stream& stream, const Problem& problem, const adj::Sku& sku) {
  adj_preference preference;
  preference.sku = sku.id.c_str();
  preference.determinism = ADJ_NONDETERMINISTIC;
  preference.math = sku.guarantee.math == ADJ_MATH_FAST ? ADJ_MATH_FAST : ADJ_MATH_DEFAULT;
  auto plan = adj::select_plan(stream, problem.descriptor(), &preference);
  if (!plan) return plan.take_error();
  return PlanHandle(*plan);
}

std::vector<const adj::Program*> programs_of(const adj::Plan& plan) {
  std::vector<const adj::Program*> programs;
  for (const adj::Step& step : plan.steps)
    if (const auto* k = std::get_if<adj::KernelStep>(&step)) {
      programs.push_back(k->program);
      if (k->unaligned_program) programs.push_back(k->unaligned_program);
    }
  return programs;
}

}  // namespace harness
