#include "host/group_norm.hpp"

#include <cmath>
#include <limits>
#include <vector>

#include "host/sum.hpp"
#include "host/values.hpp"

namespace adj::host {

void group_norm_forward(const adj_group_norm_forward_descriptor& d, const adj_group_norm_forward_args& a, void*) {
  const adj_dtype weight = d.weight ? d.weight : d.element, stats = d.element == ADJ_F64 ? ADJ_F64 : ADJ_F32;
  const Values input(a.input, d.element), out(a.out, d.element), scale(a.scale, weight), bias(a.bias, weight), mean(a.mean, stats), inv_std(a.inv_std, stats);
  const std::int64_t size = d.channels / d.groups * d.inner;
  const double count = static_cast<double>(size);
  for (std::int64_t row = 0; row < d.outer * d.groups; ++row) {
    const std::int64_t begin = row * size, first_channel = row % d.groups * (d.channels / d.groups);
    // Sums are relative to the first element, so that a mean far from 0 costs no digits.
    const double first = input.get(begin);
    Sum total, squares;
    for (std::int64_t i = 0; i < size; ++i) total.add(input.get(begin + i) - first);
    const double shifted = std::isfinite(total.value()) ? total.value() / count : std::numeric_limits<double>::quiet_NaN();
    for (std::int64_t i = 0; i < size; ++i) {
      const double x = (input.get(begin + i) - first) - shifted;
      squares.add(x * x);
    }
    const double factor = 1 / std::sqrt(squares.value() / count + d.epsilon);
    if (mean.given()) mean.set(row, first + shifted);
    if (inv_std.given()) inv_std.set(row, factor);
    for (std::int64_t i = 0; i < size; ++i) {
      const std::int64_t c = first_channel + i / d.inner;
      const double h = ((input.get(begin + i) - first) - shifted) * factor;
      out.set(begin + i, h * (scale.given() ? scale.get(c) : 1) + (bias.given() ? bias.get(c) : 0));
    }
  }
}

void group_norm_backward(const adj_group_norm_backward_descriptor& d, const adj_group_norm_backward_args& a, void*) {
  const adj_dtype weight = d.weight ? d.weight : d.element, stats = d.element == ADJ_F64 ? ADJ_F64 : ADJ_F32;
  const Values dout(a.dout, d.element), input(a.input, d.element), dinput(a.dinput, d.element), scale(a.scale, weight);
  const Values mean(a.mean, stats), inv_std(a.inv_std, stats), dscale(a.dscale, weight), dbias(a.dbias, weight);
  const std::int64_t of_group = d.channels / d.groups, size = of_group * d.inner;
  std::vector<Sum> scales(dscale.given() ? static_cast<std::size_t>(d.channels) : 0), biases(dbias.given() ? static_cast<std::size_t>(d.channels) : 0);
  for (std::int64_t row = 0; row < (size ? d.outer * d.groups : 0); ++row) {
    const std::int64_t begin = row * size, first_channel = row % d.groups * of_group;
    const double center = mean.get(row), factor = inv_std.get(row), count = static_cast<double>(size);
    const auto weight_at = [&](std::int64_t i) { return scale.given() ? scale.get(first_channel + i / d.inner) : 1; };
    Sum one, two;
    for (std::int64_t i = 0; i < size; ++i) {
      const auto c = static_cast<std::size_t>(first_channel + i / d.inner);
      const double dy = dout.get(begin + i), h = (input.get(begin + i) - center) * factor;
      if (dbias.given()) biases[c].add(dy);
      if (dscale.given()) scales[c].add(dy * h);
      one.add(dy * weight_at(i));
      two.add(dy * weight_at(i) * h);
    }
    const double c1 = one.value() / count, c2 = two.value() / count;
    for (std::int64_t i = 0; i < size; ++i)
      dinput.set(begin + i, factor * (weight_at(i) * dout.get(begin + i) - c1 - (input.get(begin + i) - center) * factor * c2));
  }
  for (std::size_t c = 0; c < scales.size(); ++c) dscale.set(static_cast<std::int64_t>(c), scales[c].value());
  for (std::size_t c = 0; c < biases.size(); ++c) dbias.set(static_cast<std::int64_t>(c), biases[c].value());
}

}  // namespace adj::host
