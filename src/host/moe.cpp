// Host functions of mixtures of experts (host/moe.hpp).
#include "host/moe.hpp"

#include <algorithm>
#include <array>
#include <atomic>

#include "base/dtype.hpp"
#include "host/parallel.hpp"
#include "host/sum.hpp"

namespace adj::host {

namespace {

constexpr std::size_t kMostExperts = 1024;

// Adds `count` to the optional error_flag.
void report(const adj_tensor& error_flag, std::int64_t count) {
  if (error_flag.data) *static_cast<std::int64_t*>(error_flag.data) += count;
}

// Rows of pairs.
template <class Descriptor>
struct Pairs {
  const Descriptor& d;
  const std::int32_t* inverse;

  // The row of a pair, -1 for none.
  std::int64_t row(std::int64_t t, std::int64_t j) const {
    const std::int32_t row = inverse[t * d.top_k + j];
    return row < d.num_rows ? std::max(row, -1) : -1;
  }
  std::int64_t outside() const {
    return std::count_if(inverse, inverse + d.tokens * d.top_k, [&](std::int32_t row) { return row < -1 || row >= d.num_rows; });
  }
};
template <class Descriptor>
Pairs<Descriptor> pairs_of(const Descriptor& d, const adj_tensor& inverse) {
  return {d, static_cast<const std::int32_t*>(inverse.data)};
}

// Numbers of the type in which an element type accumulates.
template <class T>
using Accumulator = std::conditional_t<std::is_same_v<T, double>, double, float>;

// Calls body(t) for every token.
template <class Descriptor, class Body>
void for_tokens(const Descriptor& d, const Body& body) {
  parallel_for(d.tokens, static_cast<double>(d.top_k * d.columns), [&](std::int64_t begin, std::int64_t end) {
    for (std::int64_t t = begin; t < end; ++t) body(t);
  });
}

// Writes zeros to the rows without a pair.
template <class Descriptor, class T>
void clear_rows(const Descriptor& d, const adj_tensor& order, T* rows) {
  const auto* pair = static_cast<const std::int32_t*>(order.data);
  for (std::int64_t p = 0; p < d.num_rows; ++p)
    if (pair[p] < 0) std::fill_n(rows + p * d.columns, d.columns, from_double<T>(0));
}

// The sum of each token's rows; weights null: all are 1.
template <class T, class Descriptor>
void gather(const Descriptor& d, const adj_tensor& rows, const adj_tensor& weights, const adj_tensor& inverse, const adj_tensor& out) {
  const auto* from = static_cast<const T*>(rows.data);
  const auto* weight = static_cast<const Accumulator<T>*>(weights.data);
  const auto pairs = pairs_of(d, inverse);
  for_tokens(d, [&](std::int64_t t) {
    for (std::int64_t c = 0; c < d.columns; ++c) {
      Sum sum;
      for (std::int64_t j = 0; j < d.top_k; ++j)
        if (const std::int64_t row = pairs.row(t, j); row >= 0)
          sum.add((weight ? static_cast<double>(weight[t * d.top_k + j]) : 1) * to_double(from[row * d.columns + c]));
      static_cast<T*>(out.data)[t * d.columns + c] = from_double<T>(sum.value());
    }
  });
}

}  // namespace

void moe_plan(const adj_moe_plan_descriptor& d, const adj_moe_plan_args& a, void*) {
  const std::int64_t pairs = d.tokens * d.top_k;
  auto *offsets = static_cast<std::int32_t*>(a.offsets.data), *order = static_cast<std::int32_t*>(a.order.data),
       *inverse = static_cast<std::int32_t*>(a.inverse.data);
  std::array<std::int32_t, kMostExperts> count{};
  std::int64_t outside = 0;
  with_index(d.index, [&](auto* type) {
    const auto* experts = static_cast<decltype(type)>(a.experts.data);
    // The place of each pair in its group first.
    for (std::int64_t n = 0; n < pairs; ++n) {
      const std::int64_t expert = experts[n];
      inverse[n] = -1;
      if (expert < 0 || expert >= d.num_experts) outside += expert != -1;
      else if (auto& place = count[static_cast<std::size_t>(expert)]; d.capacity == 0 || place < d.capacity) inverse[n] = place++;
    }
    offsets[0] = 0;
    for (std::int64_t e = 0; e < d.num_experts; ++e)
      offsets[e + 1] = offsets[e] + static_cast<std::int32_t>((count[static_cast<std::size_t>(e)] + d.align - 1) / d.align * d.align);
    std::fill_n(order, pairs + d.num_experts * (d.align - 1), -1);
    for (std::int64_t n = 0; n < pairs; ++n)
      if (inverse[n] >= 0) order[inverse[n] += offsets[experts[n]]] = static_cast<std::int32_t>(n);
  });
  report(a.error_flag, outside);
}

void moe_permute(const adj_moe_permute_descriptor& d, const adj_moe_permute_args& a, void*) {
  const auto pairs = pairs_of(d, a.inverse);
  with_float(d.element, [&](auto* type) {
    using T = std::remove_pointer_t<decltype(type)>;
    auto* out = static_cast<T*>(a.out.data);
    clear_rows(d, a.order, out);
    for_tokens(d, [&](std::int64_t t) {
      for (std::int64_t j = 0; j < d.top_k; ++j)
        if (const std::int64_t row = pairs.row(t, j); row >= 0)
          std::copy_n(static_cast<const T*>(a.input.data) + t * d.columns, d.columns, out + row * d.columns);
    });
  });
  report(a.error_flag, pairs.outside());
}

void moe_permute_backward(const adj_moe_permute_backward_descriptor& d, const adj_moe_permute_backward_args& a, void*) {
  with_float(d.element, [&](auto* type) { gather<std::remove_pointer_t<decltype(type)>>(d, a.dout, {}, a.inverse, a.dinput); });
  report(a.error_flag, pairs_of(d, a.inverse).outside());
}

void moe_unpermute(const adj_moe_unpermute_descriptor& d, const adj_moe_unpermute_args& a, void*) {
  with_float(d.element, [&](auto* type) { gather<std::remove_pointer_t<decltype(type)>>(d, a.rows, a.weights, a.inverse, a.out); });
  report(a.error_flag, pairs_of(d, a.inverse).outside());
}

void moe_unpermute_backward(const adj_moe_unpermute_backward_descriptor& d, const adj_moe_unpermute_backward_args& a, void*) {
  const auto pairs = pairs_of(d, a.inverse);
  with_float(d.element, [&](auto* type) {
    using T = std::remove_pointer_t<decltype(type)>;
    const auto *dout = static_cast<const T*>(a.dout.data), *rows = static_cast<const T*>(a.rows.data);
    auto* drows = static_cast<T*>(a.drows.data);
    const auto* weights = static_cast<const Accumulator<T>*>(a.weights.data);
    auto* dweights = static_cast<Accumulator<T>*>(a.dweights.data);
    for_tokens(d, [&](std::int64_t t) {
      for (std::int64_t j = 0; j < d.top_k; ++j) {
        const std::int64_t row = pairs.row(t, j), pair = t * d.top_k + j;
        Sum dot;
        for (std::int64_t c = 0; c < d.columns && row >= 0; ++c) {
          const T& g = dout[t * d.columns + c];
          T& out = drows[row * d.columns + c];
          if (d.has_weights) {
            dot.add(to_double(g) * to_double(rows[row * d.columns + c]));
            out = from_double<T>(static_cast<double>(weights[pair]) * to_double(g));
          } else {
            out = g;
          }
        }
        if (d.has_weights) dweights[pair] = from_double<Accumulator<T>>(dot.value());
      }
    });
    clear_rows(d, a.order, drows);
  });
  report(a.error_flag, pairs.outside());
}

}  // namespace adj::host
