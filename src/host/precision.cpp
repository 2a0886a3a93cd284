#include "host/precision.hpp"

#include <cmath>
#include <cstring>

#include "base/dtype.hpp"

namespace adj::host {

namespace {

double value_of(const adj_scalar& s) { return s.device ? load_scalar(s.device, s.dtype) : s.value; }
// Value of a factor, rounded to the type of the arithmetic.
double factor_of(const adj_scalar& s, adj_dtype element) { return element == ADJ_F64 ? value_of(s) : static_cast<float>(value_of(s)); }

double element(const void* data, adj_dtype dtype, std::int64_t i) {
  return load_scalar(static_cast<const char*>(data) + static_cast<std::size_t>(i) * size_of(dtype), dtype);
}
void store(void* data, adj_dtype dtype, std::int64_t i, double value) {
  with_float(dtype, [&](auto* type) {
    using T = std::remove_pointer_t<decltype(type)>;
    static_cast<T*>(data)[i] = from_double<T>(value);
  });
}

// Calls each(tensor, element) for every element of a list.
template <class Descriptor, class Each>
void for_each(const Descriptor& d, Each each) {
  for (std::int64_t t = 0; t < d.count; ++t)
    for (std::int64_t i = 0; i < d.numel[t]; ++i) each(t, i);
}

}  // namespace

void is_finite(const adj_is_finite_descriptor& d, const adj_is_finite_args& a, void*) {
  for_each(d,
           [&](std::int64_t t, std::int64_t i) { static_cast<std::uint8_t*>(a.outputs.data[t])[i] = std::isfinite(element(a.inputs.data[t], d.element, i)); });
}

void all_finite(const adj_all_finite_descriptor& d, const adj_all_finite_args& a, void*) {
  bool passes = true;
  for_each(d, [&](std::int64_t t, std::int64_t i) {
    const double x = element(a.inputs.data[t], d.element, i);
    const bool inf = std::isinf(x), nan = std::isnan(x);
    if (d.test == ADJ_FINITE_TEST_NO_INF ? inf : d.test == ADJ_FINITE_TEST_NO_NAN ? nan : inf || nan) passes = false;
  });
  *static_cast<std::uint8_t*>(a.output.data) = passes;
  if (a.found_inf.data) *static_cast<float*>(a.found_inf.data) = passes ? 0.0f : 1.0f;
}

void all(const adj_all_descriptor& d, const adj_all_args& a, void*) {
  bool passes = true;
  for_each(d, [&](std::int64_t t, std::int64_t i) { passes = passes && static_cast<const std::uint8_t*>(a.inputs.data[t])[i] != 0; });
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
  std::int64_t first = 0;
  for (std::int64_t t = 0; t < d.count; first += d.numel[t++])
    for (std::int64_t i = 0; i < d.numel[t]; ++i) {
      const double x = element(a.inputs.data[t], d.element, i);
      if (a.found_inf.data && !std::isfinite(x)) *static_cast<float*>(a.found_inf.data) = 1;
      if (d.fused) {
        store(a.fused.data, to, first + i, x * factor[0]);
        continue;
      }
      for (int k = 0; k < d.outputs; ++k) store(lists[k]->data[t], to, i, x * factor[k]);
    }
}

void zero(const adj_zero_descriptor& d, const adj_zero_args& a, void*) {
  for (std::int64_t t = 0; t < d.count; ++t)
    if (d.numel[t]) std::memset(a.outputs.data[t], 0, static_cast<std::size_t>(d.numel[t]) * size_of(d.element));
}

void accumulate(const adj_accumulate_descriptor& d, const adj_accumulate_args& a, void*) {
  const adj_dtype value = d.value ? d.value : d.element;
  const bool update = value_of(a.update) != 0, overwrite = value_of(a.overwrite) != 0;
  const std::size_t size = size_of(d.element);
  for_each(d, [&](std::int64_t t, std::int64_t i) {
    const std::size_t at = static_cast<std::size_t>(i) * size;
    char* output = static_cast<char*>(a.outputs.data[t]) + at;
    if (!update) {
      std::memmove(output, static_cast<const char*>(a.sums.data[t]) + at, size);
    } else {
      const double x = element(a.values.data[t], value, i);
      store(a.outputs.data[t], d.element, i, overwrite ? x : element(a.sums.data[t], d.element, i) + x);
    }
    if (d.copies) std::memcpy(static_cast<char*>(a.copies.data[t]) + at, output, size);
  });
}

void scaled_sum(const adj_scaled_sum_descriptor& d, const adj_scaled_sum_args& a, void*) {
  const double s0 = factor_of(a.scale_0, d.element), s1 = factor_of(a.scale_1, d.element), s2 = factor_of(a.scale_2, d.element);
  for_each(d, [&](std::int64_t t, std::int64_t i) {
    double sum = s0 * element(a.inputs_0.data[t], d.element, i);
    sum = std::fma(s1, element(a.inputs_1.data[t], d.element, i), sum);
    if (d.inputs > 2) sum = std::fma(s2, element(a.inputs_2.data[t], d.element, i), sum);
    store(a.outputs.data[t], d.element, i, sum);
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
