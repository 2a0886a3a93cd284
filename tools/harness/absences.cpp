// Cases without some of their optional arguments.
#include <adjoint/ops/norm.h>

#include <cstring>

#include "harness/harness.hpp"

namespace harness {

namespace {

using Arguments = std::vector<std::size_t>;

// Optional arguments that the problem gives.
Arguments given_optional(const Problem& problem) {
  Arguments arguments;
  for (std::size_t i = 0; i < problem.specs().size(); ++i)
    if (problem.specs()[i].presence == adj::Presence::optional && problem.contents()[i].present) arguments.push_back(i);
  return arguments;
}

// True for an output whose absence changes others: a norm takes the rounded sum only where it is stored.
bool matters(const adj::OpInfo& op, std::size_t argument) {
  return (op.id == ADJ_OP_LAYER_NORM_FORWARD || op.id == ADJ_OP_RMS_NORM_FORWARD) && std::strcmp(op.arguments[argument].name, "sum") == 0;
}

Absence without(const Case& c, const Arguments& arguments) {
  const adj::OpInfo& op = c.problem->op();
  Absence absence{c, true};
  absence.c.problem = std::make_shared<Problem>(*c.problem);
  for (std::size_t argument : arguments) {
    absence.c.name += fmt::format("{} {}", argument == arguments[0] ? " without" : ",", op.arguments[argument].name);
    absence.c.problem->omit(op.arguments[argument].name);
    absence.same_bits &= op.arguments[argument].role == adj::Role::out && !matters(op, argument);
  }
  return absence;
}

bool is_refused(const Absence& absence) { return !run_reference(*absence.c.problem).ok(); }

}  // namespace

std::vector<Absence> absences_of(const Case& c, const std::vector<const adj::Program*>& programs, TriedAbsences& tried) {
  std::vector<Absence> result;
  if (c.unspecified) return result;
  const Arguments optional = given_optional(*c.problem);
  std::vector<Arguments> choices;
  for (std::size_t argument : optional) choices.push_back({argument});
  if (optional.size() > 1) choices.push_back(optional);
  for (const Arguments& arguments : choices) {
    bool fresh = false;
    for (const adj::Program* program : programs) fresh |= tried.emplace(program, arguments).second;
    if (!fresh) continue;
    Absence absence = without(c, arguments);
    if (is_refused(absence))
      for (std::size_t other : optional) {
        if (other == arguments[0]) continue;
        Absence both = without(c, {arguments[0], other});
        if (is_refused(both)) continue;
        absence = std::move(both);
        break;
      }
    result.push_back(std::move(absence));
  }
  return result;
}

}  // namespace harness
