#include "host/scaled_matmul.hpp"

#include <vector>

#include "base/dtype.hpp"
#include "host/parallel.hpp"
#include "host/scales.hpp"

namespace adj::host {

namespace {

// The numbers of a matrix of codes, scaled, in f64, where all of them are exact but for the product with the scale.
std::vector<double> decoded(const adj_tensor& codes, const adj_tensor& scales, adj_dtype code, const ScaleGrid& grid) {
  std::vector<double> all(static_cast<std::size_t>(grid.rows * grid.columns));
  const auto* const scale = static_cast<const float*>(scales.data);
  with_f8(code, [&](auto* type) {
    const auto* const from = static_cast<decltype(type)>(codes.data);
    parallel_for(grid.rows, 5.0 * static_cast<double>(grid.columns), [&](std::int64_t begin, std::int64_t end) {
      for (std::int64_t i = begin; i < end; ++i)
        for (std::int64_t j = 0; j < grid.columns; ++j)
          all[static_cast<std::size_t>(i * grid.columns + j)] = to_double(from[i * grid.columns + j]) * static_cast<double>(scale[grid.at(i, j)]);
    });
  });
  return all;
}

}  // namespace

void scaled_matmul(const adj_scaled_matmul_descriptor& d, const adj_scaled_matmul_args& a, void*) {
  const std::vector<double> x = decoded(a.a, a.scale_a, d.code_a, {d.granularity_a, d.scale_layout, d.m, d.k});
  const std::vector<double> y = decoded(a.b, a.scale_b, d.code_b, {d.granularity_b, d.scale_layout, d.n, d.k});
  const double alpha = static_cast<double>(static_cast<float>(d.alpha));
  with_float(d.out, [&](auto* type) {
    using T = std::remove_pointer_t<decltype(type)>;
    auto* const out = static_cast<T*>(a.d.data);
    const auto* const bias = static_cast<const T*>(a.bias.data);
    parallel_for(d.m, static_cast<double>(d.n) * static_cast<double>(d.k), [&](std::int64_t begin, std::int64_t end) {
      for (std::int64_t i = begin; i < end; ++i)
        for (std::int64_t j = 0; j < d.n; ++j) {
          const double *const p = x.data() + i * d.k, *const q = y.data() + j * d.k;
          double sum = 0;
          for (std::int64_t k = 0; k < d.k; ++k) sum += p[k] * q[k];
          double z = alpha * sum;
          if (d.has_bias) z += to_double(bias[j]);
          T& to = out[i * d.n + j];
          if (d.write_mode == ADJ_WRITE_ACCUMULATE) z += to_double(to);
          to = from_double<T>(z);
        }
    });
  });
}

}  // namespace adj::host
