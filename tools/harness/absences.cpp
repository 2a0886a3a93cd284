// Cases without some of their optional arguments.
#include <adjoint/ops/norm.h>

#include <cstring>

#include "harness/harness.hpp"

namespace harness {

namespace {

using Slots = std::vector<std::size_t>;

// Optional arguments that the problem gives.
Slots given_optional(const Problem& problem) {
  Slots slots;
  for (std::size_t i = 0; i < problem.specs().size(); ++i)
    if (problem.specs()[i].presence == adj::Presence::optional && problem.contents()[i].present) slots.push_back(i);
  return slots;
}

// True for an output whose absence changes others: a norm takes the rounded sum only where it is stored.
bool matters(const adj::OpInfo& op, std::size_t slot) {
  return (op.id == ADJ_OP_LAYER_NORM_FORWARD || op.id == ADJ_OP_RMS_NORM_FORWARD) && std::strcmp(op.slots[slot].name, "sum") == 0;
}

Absence without(const Case& c, const Slots& slots) {
  const adj::OpInfo& op = c.problem->op();
  Absence absence{c, true};
  absence.c.problem = std::make_shared<Problem>(*c.problem);
  for (std::size_t slot : slots) {
    absence.c.name += fmt::format("{} {}", slot == slots[0] ? " without" : ",", op.slots[slot].name);
    absence.c.problem->omit(op.slots[slot].name);
    absence.same_bits &= op.slots[slot].role == adj::Role::out && !matters(op, slot);
  }
  return absence;
}

bool is_refused(const Absence& absence) { return !run_reference(*absence.c.problem).ok(); }

}  // namespace

std::vector<Absence> absences_of(const Case& c, const std::vector<const adj::Program*>& programs, TriedAbsences& tried) {
  std::vector<Absence> result;
  if (c.unspecified) return result;
  const Slots optional = given_optional(*c.problem);
  std::vector<Slots> choices;
  for (std::size_t slot : optional) choices.push_back({slot});
  if (optional.size() > 1) choices.push_back(optional);
  for (const Slots& slots : choices) {
    bool fresh = false;
    for (const adj::Program* program : programs) fresh |= tried.emplace(program, slots).second;
    if (!fresh) continue;
    Absence absence = without(c, slots);
    if (is_refused(absence))
      for (std::size_t other : optional) {
        if (other == slots[0]) continue;
        Absence both = without(c, {slots[0], other});
        if (is_refused(both)) continue;
        absence = std::move(both);
        break;
      }
    result.push_back(std::move(absence));
  }
  return result;
}

}  // namespace harness
