// Largest errors of operators, for the datasheet.
#pragma once

#include "harness/harness.hpp"

namespace harness {

// Largest error of a finite result, in units in the last place of the reference's result.
double largest_error_ulp(const Outputs& got, const Outputs& reference);

// Largest errors of an operator in one element type.
struct Accuracy {
  double of_bound = 0, ulp = 0;
  std::int64_t runs = 0;
  adj_guarantee guarantee{};  // of the SKU with the largest share of its bound
  void add(double run_of_bound, double run_ulp, const adj_guarantee& of_sku);
};
// By operator and first element type.
using Accuracies = std::map<std::pair<std::string, std::string>, Accuracy>;
// As JSON: [{"operator", "type", "ulp", "of_bound", "bound_ulp", "bound_terms", "bound_absolute", "runs"}, ...]
std::string json_of(const Accuracies& accuracies);

}  // namespace harness
