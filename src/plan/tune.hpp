// Selection by measurement (adj_preference::tune), and by verdicts of measurements before.
#pragma once

#include <optional>
#include <string>

#include "plan/candidates.hpp"

namespace adj {

struct Tuned {
  std::optional<Selection> selection;  // absent: nothing was measured and no verdict serves, so select takes its first candidate
  std::string note{};                  // why nothing could be measured where the preference asks for it; may be empty
};
// Plans a problem by its verdict. Where the preference asks for it and there is no verdict, measures the candidates and keeps the verdict.
Result<Tuned> select_tuned(const Problem& problem, const adj_stream& stream);

// Gives the accepted candidates of an explanation the times of the verdict that select would go by, and puts that verdict's SKU first.
void explain_verdict(const Problem& problem, std::vector<Rejection>& candidates);

}  // namespace adj
