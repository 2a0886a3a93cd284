#include "host/rope.hpp"

#include <vector>

#include "base/dtype.hpp"
#include "host/sum.hpp"
#include "host/values.hpp"

namespace adj::host {

namespace {

TwofoldRate product(TwofoldRate a, TwofoldRate b) {
  const double high = a.high * b.high, rest = std::fma(a.high, b.high, -high) + (a.high * b.low + a.low * b.high), sum = high + rest;
  return {sum, rest - (sum - high)};
}

// Sine and cosine of the angle of a position. The whole turns and their rounding are taken away before the angle is rounded.
void angle_of(std::int64_t position, TwofoldRate rate, double& cosine, double& sine) {
  const double p = static_cast<double>(position), turns = p * rate.high, rest = std::fma(p, rate.high, -turns) + p * rate.low;
  const double angle = 2 * std::numbers::pi * ((turns - std::rint(turns)) + rest);
  cosine = std::cos(angle);
  sine = std::sin(angle);
}

// Arguments that the forward operator and the gradient have.
struct Shared {
  const adj_tensor &positions, &cos, &sin, &error_flag;
};

// Calls take(b, t, inside, cos, sin) for every token t of every sequence b. inside: the position is in range, and cos and sin belong to it.
template <class Descriptor, class Take>
void for_each_token(const Descriptor& d, const Shared& a, Take take) {
  const adj_dtype table = d.element == ADJ_F64 ? ADJ_F64 : ADJ_F32;
  const Values cos_table(a.cos, table), sin_table(a.sin, table);
  const std::int64_t pairs = rotary_dim(d) / 2, limit = rope_positions(d);
  std::vector<double> cosines(static_cast<std::size_t>(pairs)), sines(static_cast<std::size_t>(pairs));
  const std::vector<TwofoldRate> rates = d.table_rows ? std::vector<TwofoldRate>() : rope_rates(d.base, rotary_dim(d));
  std::int64_t outside = 0;
  for (std::int64_t b = 0; b < d.batch; ++b)
    for (std::int64_t t = 0; t < d.tokens; ++t) {
      const std::int64_t i = b * d.tokens + t;
      std::int64_t position = t;
      if (d.position == ADJ_I32) position = static_cast<const std::int32_t*>(a.positions.data)[i];
      if (d.position == ADJ_I64) position = static_cast<const std::int64_t*>(a.positions.data)[i];
      const bool inside = position >= 0 && position < limit;
      outside += !inside;
      for (std::int64_t j = 0; inside && j < pairs; ++j) {
        const auto at = static_cast<std::size_t>(j);
        if (d.table_rows) {
          cosines[at] = cos_table.get(position * pairs + j);
          sines[at] = sin_table.get(position * pairs + j);
        } else {
          angle_of(position, rates[at], cosines[at], sines[at]);
        }
      }
      take(b, t, inside, cosines, sines);
    }
  if (a.error_flag.data) *static_cast<std::int64_t*>(a.error_flag.data) += outside;
}

// Rotates the pairs of a head; by the opposite angles where `back` is set.
template <class Descriptor>
void rotate(const Descriptor& d, std::vector<double>& z, const std::vector<double>& cosines, const std::vector<double>& sines, bool back) {
  const std::size_t pairs = cosines.size();
  for (std::size_t j = 0; j < pairs; ++j) {
    double &first = z[d.interleaved ? 2 * j : j], &second = z[d.interleaved ? 2 * j + 1 : j + pairs];
    const double a = first, b = second, c = cosines[j], s = back ? -sines[j] : sines[j];
    first = a * c - b * s;
    second = b * c + a * s;
  }
}

std::int64_t place(const RopeStrides& s, std::int64_t b, std::int64_t t, std::int64_t h) { return b * s[0] + t * s[1] + h * s[2]; }

}  // namespace

std::vector<TwofoldRate> rope_rates(double base, std::int64_t rotary_dim) {
  // One step of Newton's method from the rounded ratio of neighbours: ratio^pairs * base = 1.
  const std::int64_t pairs = rotary_dim / 2;
  const TwofoldRate rounded{std::pow(base, -1 / static_cast<double>(pairs)), 0};
  TwofoldRate power{base, 0};
  for (std::int64_t j = 0; j < pairs; ++j) power = product(power, rounded);
  const double excess = ((power.high - 1) + power.low) / static_cast<double>(pairs);
  const TwofoldRate ratio = product(rounded, {1, -excess});
  std::vector<TwofoldRate> rates;
  TwofoldRate rate{0x1.45f306dc9c883p-3, -0x1.6b01ec5417056p-57};  // 1 / (2 pi)
  for (std::int64_t j = 0; j < pairs; ++j) {
    rates.push_back(rate);
    rate = product(rate, ratio);
  }
  return rates;
}

void rope_forward(const adj_rope_forward_descriptor& d, const adj_rope_forward_args& a, void*) {
  const RopeStrides from = rope_strides(d, d.strides), to = rope_strides(d, d.out_strides);
  const adj_dtype weight = d.weight ? d.weight : d.element;
  const Values input(a.input, d.element), out(a.out, d.element), q_weight(a.q_weight, weight), k_weight(a.k_weight, weight);
  std::vector<double> z(static_cast<std::size_t>(d.head_dim));
  for_each_token(d, {a.positions, a.cos, a.sin, a.error_flag}, [&](std::int64_t b, std::int64_t t, bool inside, const auto& cosines, const auto& sines) {
    for (std::int64_t h = 0; h < d.heads + d.kv_heads; ++h) {
      Sum squares;
      for (std::int64_t i = 0; i < d.head_dim; ++i) {
        const double x = inside ? input.get(place(from, b, t, h) + i) : 0;
        z[static_cast<std::size_t>(i)] = x;
        squares.add(x * x);
      }
      if (d.has_norm) {
        const double inverse = 1 / std::sqrt(squares.value() / static_cast<double>(d.head_dim) + d.epsilon);
        for (std::int64_t i = 0; i < d.head_dim; ++i) z[static_cast<std::size_t>(i)] *= inverse * (h < d.heads ? q_weight : k_weight).get(i);
      }
      if (inside) rotate(d, z, cosines, sines, false);
      for (std::int64_t i = 0; i < d.head_dim; ++i) out.set(place(to, b, t, h) + i, inside ? z[static_cast<std::size_t>(i)] : 0);
    }
  });
}

void rope_backward(const adj_rope_backward_descriptor& d, const adj_rope_backward_args& a, void*) {
  const RopeStrides of_input = rope_strides(d, d.strides), from = rope_strides(d, d.dout_strides), to = rope_strides(d, d.dinput_strides);
  const adj_dtype weight = d.weight ? d.weight : d.element;
  const Values dout(a.dout, d.element), input(a.input, d.element), dinput(a.dinput, d.element);
  const Values q_weight(a.q_weight, weight), k_weight(a.k_weight, weight);
  const auto size = static_cast<std::size_t>(d.head_dim);
  const double count = static_cast<double>(d.head_dim);
  std::vector<double> dz(size), x(size);
  std::vector<Sum> dq(d.has_norm ? size : 0), dk(d.has_norm ? size : 0);
  for_each_token(d, {a.positions, a.cos, a.sin, a.error_flag}, [&](std::int64_t b, std::int64_t t, bool inside, const auto& cosines, const auto& sines) {
    for (std::int64_t h = 0; h < d.heads + d.kv_heads; ++h) {
      for (std::size_t i = 0; i < size; ++i) dz[i] = inside ? dout.get(place(from, b, t, h) + static_cast<std::int64_t>(i)) : 0;
      if (inside) rotate(d, dz, cosines, sines, true);
      if (inside && d.has_norm) {
        const Values& own = h < d.heads ? q_weight : k_weight;
        auto& sums = h < d.heads ? dq : dk;
        Sum squares, products;
        for (std::size_t i = 0; i < size; ++i) {
          const auto c = static_cast<std::int64_t>(i);
          x[i] = input.get(place(of_input, b, t, h) + c);
          squares.add(x[i] * x[i]);
        }
        const double inverse = 1 / std::sqrt(squares.value() / count + d.epsilon);
        for (std::size_t i = 0; i < size; ++i) {
          x[i] *= inverse;
          sums[i].add(dz[i] * x[i]);
          dz[i] *= own.get(static_cast<std::int64_t>(i));
          products.add(dz[i] * x[i]);
        }
        const double mean = products.value() / count;
        for (std::size_t i = 0; i < size; ++i) dz[i] = inverse * (dz[i] - x[i] * mean);
      }
      for (std::size_t i = 0; i < size; ++i) dinput.set(place(to, b, t, h) + static_cast<std::int64_t>(i), dz[i]);
    }
  });
  auto store = [&](const adj_tensor& tensor, std::vector<Sum>& sums) {
    const Values out(tensor, weight);
    for (std::size_t i = 0; out.given() && i < sums.size(); ++i) {
      const auto c = static_cast<std::int64_t>(i);
      if (d.write_mode == ADJ_WRITE_ACCUMULATE) sums[i].add(out.get(c));
      out.set(c, sums[i].value());
    }
  };
  store(a.dq_weight, dq);
  store(a.dk_weight, dk);
}

}  // namespace adj::host
