#include "host/fp8.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <utility>
#include <vector>

#include "base/dtype.hpp"
#include "host/blocks.hpp"
#include "host/dropout.hpp"
#include "host/parallel.hpp"
#include "host/scales.hpp"

namespace adj::host {

namespace {

constexpr float kLeastScale = 0x1p-126f, kMostScale = 0x1p126f;

// The larger of a maximum and what lies at `to`, compared by their bits: a NaN at `to` stays, a negative number counts as 0.
void raise(float* to, float amax) {
  if (std::bit_cast<std::int32_t>(amax) > std::bit_cast<std::int32_t>(*to)) *to = amax;
}
// The larger of both; a NaN in x counts as 0.
float larger(float amax, float x) { return std::fabs(x) > amax ? std::fabs(x) : amax; }

// Rounds x * scale, both f32, to codes of type C.
template <class C>
class Rounding {
 public:
  Rounding(bool saturate_infinity, bool stochastic, const adj_random& random) : saturate_(saturate_infinity), stochastic_(stochastic) {
    if (!stochastic) return;
    seed_ = random.device ? random.device[0] : random.seed;
    first_ = (random.device ? random.device[1] : random.offset) / 4;
  }
  std::uint8_t code(float x, float scale, std::int64_t element) const {
    double v = static_cast<double>(x * scale);
    if (std::isnan(v)) return static_cast<std::uint8_t>(0x7f | std::signbit(x) << 7);
    if (stochastic_ && std::isfinite(v) && v != 0) v = drawn(v, element);
    if constexpr (std::is_same_v<C, f8_e4m3>) return to_f8_e4m3(v, saturate_).bits;
    else return to_f8_e5m2(v, saturate_).bits;
  }

 private:
  static constexpr bool kE4m3 = std::is_same_v<C, f8_e4m3>;
  // One of the two neighbours of v, which may lie beyond the largest code.
  double drawn(double v, std::int64_t element) const {
    const int exponent = std::max(std::ilogb(v), kE4m3 ? -6 : -14) - (kE4m3 ? 3 : 2);
    const double steps = std::ldexp(std::fabs(v), -exponent), whole = std::floor(steps);
    const auto e = static_cast<std::uint64_t>(element);
    const std::uint32_t word = philox_block(seed_, 0, first_ + e / 8)[e % 8 / 2], bits = word >> 16 * (e % 2) & 0xffff;
    return std::copysign(std::ldexp(whole + (bits < std::floor((steps - whole) * 0x1p16)), exponent), v);
  }
  bool saturate_, stochastic_;
  std::uint64_t seed_ = 0, first_ = 0;
};

// Scales of the groups of a matrix, whose elements x(i, j) returns.
template <class X>
std::vector<Scale> scales_of(const adj_quantize_descriptor& d, const ScaleGrid& grid, float largest, const X& x) {
  std::vector<float> amax(static_cast<std::size_t>(grid.count()));
  for (std::int64_t i = 0; i < grid.rows; ++i)
    for (std::int64_t j = 0; j < grid.columns; ++j) {
      float& of = amax[static_cast<std::size_t>(grid.at(i, j))];
      of = larger(of, x(i, j));
    }
  std::vector<Scale> scales(amax.size());
  for (std::size_t g = 0; g < amax.size(); ++g) scales[g] = scale_of(amax[g], largest, static_cast<float>(d.eps), d.rule, d.pow2);
  return scales;
}

// Writes one member of each scale to `to`, and 0 to the padding.
void write_scales(const adj_tensor& to, const ScaleGrid& grid, const std::vector<Scale>& scales, float Scale::* member) {
  if (!to.data) return;
  auto* const out = static_cast<float*>(to.data);
  std::fill_n(out, grid.count(), 0.0f);
  if (grid.granularity <= ADJ_SCALE_GRANULARITY_TENSOR) out[0] = scales[0].*member;
  const std::int64_t step_i = grid.granularity == ADJ_SCALE_GRANULARITY_BLOCK_128X128 ? 128 : 1, step_j = 128;
  for (std::int64_t i = 0; i < grid.rows; i += step_i)
    for (std::int64_t j = 0; j < std::max<std::int64_t>(grid.columns, 1); j += step_j) {
      if (grid.columns == 0 && grid.granularity != ADJ_SCALE_GRANULARITY_ROW) continue;
      const auto at = grid.at(i, j);
      out[at] = scales[static_cast<std::size_t>(at)].*member;
    }
}

template <class T, class C>
void quantize_as(const adj_quantize_descriptor& d, const adj_quantize_args& a) {
  if (d.rows * d.columns == 0 && !a.scale_out.data && !a.inverse_out.data && !a.inverse_t_out.data) return;  // scales of nothing take no memory
  const auto* const data = static_cast<const T*>(a.x.data);
  const auto x = [&](std::int64_t i, std::int64_t j) { return static_cast<float>(to_double(data[i * d.columns + j])); };
  const auto x_t = [&](std::int64_t i, std::int64_t j) { return x(j, i); };
  const float largest = d.max_value > 0 ? static_cast<float>(d.max_value) : largest_code(d.code);
  const ScaleGrid grid(d.granularity, d.scale_layout, d.rows, d.columns), grid_t(d.granularity, d.scale_layout, d.columns, d.rows);
  const bool groups = d.granularity == ADJ_SCALE_GRANULARITY_BLOCK_1X128;

  std::vector<Scale> scales;
  if (d.scale_source == ADJ_SCALE_SOURCE_GIVEN)
    for (std::int64_t g = 0; g < grid.count(); ++g) {
      const float s = static_cast<const float*>(a.scale.data)[g];
      scales.push_back({s, 1 / s});
    }
  else if (d.scale_source == ADJ_SCALE_SOURCE_AMAX)
    scales = {scale_of(*static_cast<const float*>(a.amax_in.data), largest, static_cast<float>(d.eps), d.rule, d.pow2)};
  else scales = scales_of(d, grid, largest, x);
  write_scales(a.scale_out, grid, scales, &Scale::multiplier);
  write_scales(a.inverse_out, grid, scales, &Scale::inverse);
  std::vector<Scale> own;  // of the rows of the transposed codes, where these have their own
  if (groups && d.has_transposed) own = scales_of(d, grid_t, largest, x_t);
  else if (a.inverse_t_out.data) {
    own.resize(static_cast<std::size_t>(grid_t.count()));
    for (std::int64_t i = 0; i < d.rows; i += 128)
      for (std::int64_t j = 0; j < d.columns; j += 128) own[static_cast<std::size_t>(grid_t.at(j, i))] = scales[static_cast<std::size_t>(grid.at(i, j))];
  }
  write_scales(a.inverse_t_out, grid_t, own, &Scale::inverse);

  const Rounding<C> rounding(d.saturate_infinity, d.stochastic_rounding, a.random);
  auto* const codes = static_cast<std::uint8_t*>(a.codes.data);
  auto* const codes_t = static_cast<std::uint8_t*>(a.codes_t.data);
  parallel_for(d.rows, 10.0 * static_cast<double>(d.columns), [&](std::int64_t begin, std::int64_t end) {
    for (std::int64_t i = begin; i < end; ++i)
      for (std::int64_t j = 0; j < d.columns; ++j) {
        const std::int64_t e = i * d.columns + j;
        const float s = scales[static_cast<std::size_t>(grid.at(i, j))].multiplier;
        if (codes) codes[e] = rounding.code(x(i, j), s, e);
        if (codes_t) codes_t[j * d.rows + i] = rounding.code(x(i, j), groups ? own[static_cast<std::size_t>(grid_t.at(j, i))].multiplier : s, e);
      }
  });
  float amax = 0;
  std::int64_t wrong = 0;
  for (std::int64_t e = 0; e < d.rows * d.columns; ++e) {
    const float v = static_cast<float>(to_double(data[e]));
    amax = larger(amax, v);
    wrong += !std::isfinite(v);
  }
  if (a.amax_out.data && d.rows * d.columns > 0) raise(static_cast<float*>(a.amax_out.data), amax);
  if (a.error_flag.data) *static_cast<std::int64_t*>(a.error_flag.data) += wrong;
}

template <class Fn>
void with_number(adj_dtype element, Fn fn) {
  with_float(element, [&](auto* type) {
    if constexpr (sizeof(*type) < 8) fn(type);
  });
}

}  // namespace

float largest_code(adj_dtype code) { return code == ADJ_F8_E5M2 ? 57344.0f : 448.0f; }

Scale scale_of(float amax, float largest, float eps, adj_scale_rule rule, bool pow2) {
  if (!(amax > 0) || std::isinf(amax)) return {};
  const float a = std::max(amax, eps);
  if (pow2) {
    int of_largest = 0, of_a = 0;
    const float m = std::frexp(largest, &of_largest), n = std::frexp(a, &of_a);
    const int k = std::clamp(of_largest - of_a - (m < n), -126, 126);
    return {std::ldexp(1.0f, k), std::ldexp(1.0f, -k)};
  }
  const auto bounded = [](float v) { return std::clamp(v, kLeastScale, kMostScale); };
  if (rule == ADJ_SCALE_RULE_QUOTIENT) {
    const float r = bounded(a / largest);
    return {1 / r, r};
  }
  const float s = bounded(largest / a);
  return {s, 1 / s};
}

void amax(const adj_amax_descriptor& d, const adj_amax_args& a, void*) {
  float found = 0;
  Block x;
  for_blocks(d, [&](std::int64_t t, std::int64_t first, std::int64_t count) {
    read(x, a.inputs.data[t], d.element, first, count);
    for (std::size_t i = 0; i < static_cast<std::size_t>(count); ++i)
      if (!d.finite_only || std::isfinite(x[i])) found = larger(found, static_cast<float>(x[i]));
  });
  auto* const to = static_cast<float*>(a.amax.data);
  const bool empty = std::all_of(d.numel, d.numel + d.count, [](std::int64_t numel) { return numel == 0; });
  if (d.write_mode != ADJ_WRITE_ACCUMULATE) *to = found;
  else if (!empty) raise(to, found);
}

void quantize(const adj_quantize_descriptor& d, const adj_quantize_args& a, void*) {
  with_number(d.element, [&](auto* element) {
    with_f8(d.code, [&](auto* code) { quantize_as<std::remove_pointer_t<decltype(element)>, std::remove_pointer_t<decltype(code)>>(d, a); });
  });
}

void dequantize(const adj_dequantize_descriptor& d, const adj_dequantize_args& a, void*) {
  const ScaleGrid grid(d.granularity, d.scale_layout, d.rows, d.columns);
  const auto* const inverse = static_cast<const float*>(a.inverse.data);
  const bool accumulate = d.write_mode == ADJ_WRITE_ACCUMULATE;
  with_number(d.element, [&](auto* element) {
    with_f8(d.code, [&](auto* code) {
      using T = std::remove_pointer_t<decltype(element)>;
      const auto* const codes = static_cast<decltype(code)>(a.codes.data);
      auto* const out = static_cast<T*>(a.out.data);
      parallel_for(d.rows, 5.0 * static_cast<double>(d.columns), [&](std::int64_t begin, std::int64_t end) {
        for (std::int64_t i = begin; i < end; ++i)
          for (std::int64_t j = 0; j < d.columns; ++j) {
            const std::int64_t e = i * d.columns + j;
            const float v = static_cast<float>(to_double(codes[e])) * inverse[grid.at(i, j)];
            out[e] = from_double<T>(accumulate ? static_cast<double>(static_cast<float>(to_double(out[e])) + v) : static_cast<double>(v));
          }
      });
    });
  });
}

void fp8_scale_update(const adj_fp8_scale_update_descriptor& d, const adj_fp8_scale_update_args& a, void*) {
  auto* const history = static_cast<float*>(a.history.data);
  auto* const scale = static_cast<float*>(a.scale.data);
  const float largest = static_cast<float>(
      std::ldexp(d.max_value > 0 ? static_cast<double>(static_cast<float>(d.max_value)) : static_cast<double>(largest_code(d.code)), -d.margin));
  std::int64_t wrong = 0;
  for (std::int64_t t = 0; t < d.tensors; ++t) {
    float amax = 0;
    bool infinite = false;
    const std::int64_t rows = d.algorithm == ADJ_AMAX_ALGORITHM_MOST_RECENT ? 1 : d.length;
    for (std::int64_t h = 0; h < d.length; ++h) {
      const float v = history[h * d.tensors + t];
      infinite |= std::isinf(v);
      if (h < rows && !(d.skip_nonfinite && std::isinf(v))) amax = larger(amax, v);
    }
    wrong += infinite;
    if (amax > 0 && std::isfinite(amax)) scale[t] = std::clamp(largest / amax, kLeastScale, kMostScale);
    if (a.inverse.data) static_cast<float*>(a.inverse.data)[t] = 1 / scale[t];
    const float newest = history[t];
    for (std::int64_t h = 1; h + 1 < d.length; ++h) history[h * d.tensors + t] = history[(h + 1) * d.tensors + t];
    if (d.length > 1) history[(d.length - 1) * d.tensors + t] = newest;
    history[t] = 0;
  }
  if (a.error_flag.data) *static_cast<std::int64_t*>(a.error_flag.data) += wrong;
}

}  // namespace adj::host
