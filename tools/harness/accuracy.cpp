#include "harness/accuracy.hpp"

namespace harness {

double largest_error_ulp(const Outputs& got, const Outputs& reference) {
  double largest = 0;
  for (std::size_t i = 0; i < reference.arguments.size(); ++i)
    for (std::size_t k = 0; k < reference.arguments[i].size(); ++k) {
      const Data &want = reference.arguments[i][k], &have = got.arguments[i][k];
      if (!adj::is_float(want.dtype) || want.bytes == have.bytes) continue;
      for (std::int64_t e = 0; e < want.numel(); ++e) {
        const double error = std::fabs(have.get(e) - want.get(e)) / ulp(want.get(e), want.dtype);
        if (std::isfinite(error)) largest = std::max(largest, error);
      }
    }
  return largest;
}

void Accuracy::add(double run_of_bound, double run_ulp, const adj_guarantee& of_sku) {
  if (runs++ == 0 || run_of_bound > of_bound) of_bound = run_of_bound, guarantee = of_sku;
  ulp = std::max(ulp, run_ulp);
}

std::string json_of(const Accuracies& accuracies) {
  const auto number = [](double x) { return std::isfinite(x) ? fmt::format("{:.6g}", x) : "null"; };
  std::string rows;
  for (const auto& [key, a] : accuracies)
    rows += fmt::format(
        "{}{{\"operator\": \"{}\", \"type\": \"{}\", \"ulp\": {}, \"of_bound\": {}, \"bound_ulp\": {:.6g}, \"bound_terms\": {:.6g}, "
        "\"bound_absolute\": {:.6g}, \"runs\": {}}}",
        rows.empty() ? "" : ",\n", key.first, key.second, number(a.ulp), number(a.of_bound), a.guarantee.bound_ulp, a.guarantee.bound_terms,
        a.guarantee.bound_absolute, a.runs);
  return "[" + rows + "]";
}

}  // namespace harness
