#include "host/precision.hpp"

#include <cmath>
#include <cstring>

#include "base/dtype.hpp"
#include "host/blocks.hpp"

namespace adj::host {

namespace {

double value_of(const adj_scalar& s) { return s.device ? load_scalar(s.device, s.dtype) : s.value; }
// Value of a factor, rounded to the type of the arithmetic.
double factor_of(const adj_scalar& s, adj_dtype element) { return element == ADJ_F64 ? value_of(s) : static_cast<float>(value_of(s)); }

}  // namespace

void is_finite(const adj_is_finite_descriptor& d, const adj_is_finite_args& a, void*) {
  Block x;
  for_blocks(d, [&](std::int64_t t, std::int64_t first, std::int64_t count) {
    read(x, a.inputs.data[t], d.element, first, count);
    auto* const to = static_cast<std::uint8_t*>(a.outputs.data[t]) + first;
    for (std::int64_t i = 0; i < count; ++i) to[i] = std::isfinite(x[static_cast<std::size_t>(i)]);
  });
}

void all_finite(const adj_all_finite_descriptor& d, const adj_all_finite_args& a, void*) {
  bool inf = false, nan = false;
  Block x;
  for_blocks(d, [&](std::int64_t t, std::int64_t first, std::int64_t count) {
    read(x, a.inputs.data[t], d.element, first, count);
    for (std::size_t i = 0; i < static_cast<std::size_t>(count); ++i) inf |= std::isinf(x[i]), nan |= std::isnan(x[i]);
  });
  const bool passes = !(d.test == ADJ_FINITE_TEST_NO_INF ? inf : d.test == ADJ_FINITE_TEST_NO_NAN ? nan : inf || nan);
  *static_cast<std::uint8_t*>(a.output.data) = passes;
  if (a.found_inf.data) *static_cast<float*>(a.found_inf.data) = passes ? 0.0f : 1.0f;
}

void all(const adj_all_descriptor& d, const adj_all_args& a, void*) {
  bool passes = true;
  for_blocks(d, [&](std::int64_t t, std::int64_t first, std::int64_t count) {
    const auto* const from = static_cast<const std::uint8_t*>(a.inputs.data[t]) + first;
    passes = passes && std::all_of(from, from + count, [](std::uint8_t x) { return x != 0; });
  });
  *static_cast<std::uint8_t*>(a.output.data) = passes;
}

void scale(const adj_scale_descriptor& d, const adj_scale_args& a, void*) {
  const adj_dtype to = d.output ? d.output : d.element;
  const adj_scalar* scalars[] = {&a.scale, &a.scale_1, &a.scale_2};
  const adj_tensor_list* lists[] = {&a.outputs, &a.outputs_1, &a.outputs_2};
  double factor[3] = {};
  for (int k = 0; k < d.outputs; ++k) {
    factor[k] = factor_of(*scalars[k], d.element);
    if (d.scale_down) factor[k] = d.element == ADJ_F64 ? 1 / factor[k] : static_cast<double>(1 / static_cast<float>(factor[k]));
  }
  Block x, y;
  std::int64_t before = 0, tensor = 0;  // elements of the tensors before this one
  for_blocks(d, [&](std::int64_t t, std::int64_t first, std::int64_t count) {
    for (; tensor < t; ++tensor) before += d.numel[tensor];
    read(x, a.inputs.data[t], d.element, first, count);
    if (a.found_inf.data && !std::all_of(x.begin(), x.begin() + count, [](double v) { return std::isfinite(v); })) *static_cast<float*>(a.found_inf.data) = 1;
    for (int k = 0; k < (d.fused ? 1 : d.outputs); ++k) {
      for (std::size_t i = 0; i < static_cast<std::size_t>(count); ++i) y[i] = x[i] * factor[k];
      write(y, d.fused ? a.fused.data : lists[k]->data[t], to, d.fused ? before + first : first, count);
    }
  });
}

void zero(const adj_zero_descriptor& d, const adj_zero_args& a, void*) {
  for (std::int64_t t = 0; t < d.count; ++t)
    if (d.numel[t]) std::memset(a.outputs.data[t], 0, static_cast<std::size_t>(d.numel[t]) * size_of(d.element));
}

void accumulate(const adj_accumulate_descriptor& d, const adj_accumulate_args& a, void*) {
  const adj_dtype value = d.value ? d.value : d.element;
  const bool update = value_of(a.update) != 0, overwrite = value_of(a.overwrite) != 0;
  const std::size_t size = size_of(d.element);
  Block x, sum;
  for_blocks(d, [&](std::int64_t t, std::int64_t first, std::int64_t count) {
    const std::size_t at = static_cast<std::size_t>(first) * size, bytes = static_cast<std::size_t>(count) * size;
    char* const output = static_cast<char*>(a.outputs.data[t]) + at;
    if (!update) {
      std::memmove(output, static_cast<const char*>(a.sums.data[t]) + at, bytes);
    } else {
      read(x, a.values.data[t], value, first, count);
      if (!overwrite) {
        read(sum, a.sums.data[t], d.element, first, count);
        for (std::size_t i = 0; i < static_cast<std::size_t>(count); ++i) x[i] = sum[i] + x[i];
      }
      write(x, a.outputs.data[t], d.element, first, count);
    }
    if (d.copies) std::memcpy(static_cast<char*>(a.copies.data[t]) + at, output, bytes);
  });
}

void scaled_sum(const adj_scaled_sum_descriptor& d, const adj_scaled_sum_args& a, void*) {
  const double s0 = factor_of(a.scale_0, d.element), s1 = factor_of(a.scale_1, d.element), s2 = factor_of(a.scale_2, d.element);
  Block x, y, z;
  for_blocks(d, [&](std::int64_t t, std::int64_t first, std::int64_t count) {
    read(x, a.inputs_0.data[t], d.element, first, count);
    read(y, a.inputs_1.data[t], d.element, first, count);
    if (d.inputs > 2) read(z, a.inputs_2.data[t], d.element, first, count);
    for (std::size_t i = 0; i < static_cast<std::size_t>(count); ++i) {
      x[i] = std::fma(s1, y[i], s0 * x[i]);
      if (d.inputs > 2) x[i] = std::fma(s2, z[i], x[i]);
    }
    write(x, a.outputs.data[t], d.element, first, count);
  });
}

void update_loss_scale(const adj_update_loss_scale_descriptor& d, const adj_update_loss_scale_args& a, void*) {
  auto& scale = *static_cast<float*>(a.scale.data);
  auto& tracker = *static_cast<std::int32_t*>(a.growth_tracker.data);
  const bool found_inf = *static_cast<const float*>(a.found_inf.data) != 0;
  const bool grows = !found_inf && tracker >= d.growth_interval - 1;
  if (!found_inf && !grows) {
    ++tracker;
    return;
  }
  tracker = 0;
  double next = scale * (grows ? d.growth_factor : d.backoff_factor);
  if (next > d.max_scale) next = d.max_scale;
  if (next < d.min_scale) next = d.min_scale;
  const auto rounded = from_double<float>(next);
  if (grows ? std::isfinite(rounded) : !std::isnan(rounded)) scale = rounded;
}

}  // namespace adj::host
