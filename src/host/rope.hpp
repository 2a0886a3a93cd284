// Rotary position embedding on the host.
#pragma once

#include <adjoint/ops/rope.h>

#include <array>
#include <cmath>
#include <cstdint>
#include <numbers>
#include <vector>

namespace adj::host {

void rope_forward(const adj_rope_forward_descriptor& d, const adj_rope_forward_args& a, void*);
void rope_backward(const adj_rope_backward_descriptor& d, const adj_rope_backward_args& a, void*);

// Strides of sequences, tokens and heads, with those that are not given filled in.
using RopeStrides = std::array<std::int64_t, 3>;
template <class Descriptor>
RopeStrides rope_strides(const Descriptor& d, const adj_axes& given) {
  RopeStrides s{};
  for (int i = 2; i >= 0; --i) {
    const auto at = static_cast<std::size_t>(i);
    s[at] = given.count ? given.at[i] : 0;
    if (s[at] == 0) s[at] = i == 2 ? d.head_dim : i == 1 ? (d.heads + d.kv_heads) * d.head_dim : d.tokens * s[1];
  }
  return s;
}
template <class Descriptor>
std::int64_t rotary_dim(const Descriptor& d) {
  return d.rotary_dim ? d.rotary_dim : d.head_dim;
}
// Turns by which the angle of pair j grows with each position.
template <class Descriptor>
double rope_rate(const Descriptor& d, std::int64_t j) {
  return std::pow(d.base, -2.0 * static_cast<double>(j) / static_cast<double>(rotary_dim(d))) / (2 * std::numbers::pi);
}
// The same rates for all pairs as sums of two numbers, so that the product with any position has an error below 2^-60 turns.
struct TwofoldRate {
  double high, low;
};
std::vector<TwofoldRate> rope_rates(double base, std::int64_t rotary_dim);
// One more than the largest position.
template <class Descriptor>
std::int64_t rope_positions(const Descriptor& d) {
  return d.table_rows ? d.table_rows : std::int64_t{1} << 31;
}

}  // namespace adj::host
