#include "host/optimizer.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstring>
#include <limits>
#include <vector>

#include "base/dtype.hpp"
#include "host/blocks.hpp"
#include "host/dropout.hpp"
#include "host/sum.hpp"
#include "host/wide.hpp"

namespace adj::host {

namespace {

double value_of(const adj_scalar& s) { return s.device ? load_scalar(s.device, s.dtype) : s.value; }
bool found_inf(const adj_tensor& t) { return t.data && *static_cast<const float*>(t.data) != 0; }

// Writes parameters and, if the descriptor has one, their low-precision copy. The copy is rounded from the stored parameters.
template <class A>
void write_params(std::array<A, kBlock>& w, const adj_tensor_list& params, adj_dtype param, const adj_tensor_list& copies, adj_dtype copy, std::int64_t tensor,
                  std::int64_t first, std::int64_t count) {
  write(w, params.data[tensor], param, first, count);
  if (!copy) return;
  read(w, params.data[tensor], param, first, count);
  write(w, copies.data[tensor], copy, first, count);
}

// v as a stored element of the type.
double stored(double v, adj_dtype dtype) {
  with_float(dtype, [&](auto* type) { v = to_double(from_double<std::remove_pointer_t<decltype(type)>>(v)); });
  return v;
}

std::uint64_t bytes_of(adj_dtype dtype, std::int64_t count) { return size_of(dtype) * static_cast<std::uint64_t>(count); }

// True when found_inf, update_signal or a gradient norm that is not finite skips the step. Such a norm counts as an error.
template <class Args>
bool skips(const Args& a) {
  if (found_inf(a.found_inf) || value_of(a.update_signal) == 0) return true;
  if (std::isfinite(value_of(a.gradient_norm))) return false;
  if (a.error_flag.data) ++*static_cast<std::int64_t*>(a.error_flag.data);
  return true;
}
// Divisor of the gradients: grad_scale, or a number of the same sign and a larger magnitude, which clips their norm to max_norm.
template <class Args>
double scale_of(const Args& a, double max_norm) {
  const double scale = value_of(a.grad_scale), norm = value_of(a.gradient_norm);
  return std::copysign(std::max(std::fabs(scale), norm / max_norm), scale);
}
std::int64_t integer_of(const adj_scalar& s) { return s.device ? *static_cast<const std::int64_t*>(s.device) : static_cast<std::int64_t>(s.value); }
// The step, or 0 when it is invalid; an invalid step counts as an error.
template <class Args>
std::int64_t counted_step(const Args& a) {
  const std::int64_t step = integer_of(a.step);
  if (step < 1 && a.error_flag.data) ++*static_cast<std::int64_t*>(a.error_flag.data);
  return std::max<std::int64_t>(step, 0);
}
template <class Descriptor, class Args>
std::int64_t step_of(const Descriptor& d, const Args& a) {
  return d.no_bias_correction ? 1 : counted_step(a);
}
// 1 - beta^step, without cancellation.
double corrected(double beta, std::int64_t step) { return -std::expm1(static_cast<double>(step) * std::log(beta)); }

void copy_tensor(const adj_tensor_list& from, const adj_tensor_list& to, std::int64_t t, adj_dtype dtype, std::int64_t numel) {
  if (numel && from.data[t] != to.data[t]) std::memcpy(to.data[t], from.data[t], bytes_of(dtype, numel));
}
template <class Descriptor, class Args>
void clear_gradient(const Descriptor& d, const Args& a, std::int64_t t) {
  if (d.clear_grads && d.numel[t]) std::memset(a.grads.data[t], 0, bytes_of(d.grad ? d.grad : d.param, d.numel[t]));
}

// Calls f with the type of the kernels' arithmetic, for results that the header defines to the last bit.
template <class F>
void with_arithmetic(adj_dtype param, F f) {
  if (param == ADJ_F64) f(static_cast<double*>(nullptr));
  else f(static_cast<float*>(nullptr));
}
template <class Args>
double exact_scale_of(const Args& a, double max_norm) {
  const double scale = value_of(a.grad_scale), norm = value_of(a.gradient_norm), least = norm * (1 / max_norm);
  if (!(norm > 0)) return scale;
  return scale < 0 ? std::min(scale, -least) : std::max(scale, least);
}
// 1 - beta^step from 1 - beta, by the same operations as the kernel: if r = 1 - beta^s and q = 1 - beta^t, then r + q (1 - r) = 1 - beta^(s + t).
double corrected_by_squaring(double gain, std::int64_t step) {
  double q = gain, r = 0;
  for (; step > 0; step >>= 1) {
    if (step & 1) r = std::fma(q, 1 - r, r);
    q = std::fma(q, 1 - q, q);
  }
  return r;
}
float float_of_bits(std::uint32_t bits) { return std::bit_cast<float>(bits); }
std::uint32_t bits_of_float(float v) { return std::bit_cast<std::uint32_t>(v); }
// Spacing at y of the f32 numbers that have three bits of mantissa.
double step_at(float y) { return std::ldexp(1.0, std::max(y > 0 ? std::ilogb(y) : -126, -126) - 3); }
float block_scale(float largest, bool finite) {
  if (!finite) return std::numeric_limits<float>::quiet_NaN();
  return largest >= 0x1p-126f ? largest : 0;
}

// v rounded to one of its two neighbours in a 16-bit type. It is the neighbour away from 0 when the fraction of v, truncated to 16 bits, plus
// random * 2^-16 reaches 1.
double round_at_random(float v, adj_dtype type, std::uint32_t random) {
  if (v == 0 || !std::isfinite(v)) return v;
  const bool brain = type == ADJ_BF16;
  const int exponent = std::max(std::ilogb(v), brain ? -126 : -14) - (brain ? 7 : 10);
  const double steps = std::ldexp(std::fabs(static_cast<double>(v)), -exponent), whole = std::floor(steps);
  const bool up = std::floor((steps - whole) * 0x1p16) + random >= 0x1p16;
  const double size = std::ldexp(whole + up, exponent);
  return std::copysign(size > (brain ? 0x1.fep127 : 65504.0) ? HUGE_VAL : size, static_cast<double>(v));
}

// Random bits for the elements of a tensor.
class RandomBits {
 public:
  template <class Descriptor, class Args>
  RandomBits(const Descriptor& d, const Args& a, std::int64_t t) {
    if (!d.tensor_key_count) return;
    if (d.first_element_count) first_ = d.first_elements[t];
    seed_ = static_cast<std::uint64_t>(integer_of(a.seed));
    subsequence_ = static_cast<std::uint64_t>(d.tensor_keys[t]) | static_cast<std::uint64_t>(integer_of(a.step)) << 32;
  }
  // i: number of an element in the list's entry.
  std::uint32_t at(std::int64_t i) const {
    const std::int64_t element = first_ + i;
    const std::uint32_t word = philox_block(seed_, subsequence_, static_cast<std::uint64_t>(element) / 8)[static_cast<std::size_t>(element % 8 / 2)];
    return word >> 16 * (element % 2) & 0xffff;
  }

 private:
  std::uint64_t seed_ = 0, subsequence_ = 0;
  std::int64_t first_ = 0;
};

template <class A>
void round_all_at_random(std::array<A, kBlock>& w, adj_dtype type, const RandomBits& random, std::int64_t first, std::int64_t count) {
  for (std::int64_t i = 0; i < count; ++i) {
    A& weight = w[static_cast<std::size_t>(i)];
    weight = static_cast<A>(round_at_random(static_cast<float>(weight), type, random.at(first + i)));
  }
}

// Lists of an operator with two moments (adam, lamb).
template <class Descriptor, class Args>
struct Moments {
  const Descriptor& d;
  const Args& a;
  adj_dtype grad = d.grad ? d.grad : d.param, state = d.state ? d.state : d.param;
  const adj_tensor_list& new_params = d.out_of_place ? a.new_params : a.params;
  const adj_tensor_list& new_m = d.out_of_place ? a.new_exp_avg : a.exp_avg;
  const adj_tensor_list& new_v = d.out_of_place ? a.new_exp_avg_sq : a.exp_avg_sq;

  void keep_state(std::int64_t t) const {
    if (!d.keep_params) copy_tensor(a.params, new_params, t, d.param, d.numel[t]);
    copy_tensor(a.exp_avg, new_m, t, state, d.numel[t]);
    copy_tensor(a.exp_avg_sq, new_v, t, state, d.numel[t]);
  }
  void skip() const {
    for (std::int64_t t = 0; t < d.count; ++t) {
      keep_state(t);
      if (d.updates) copy_tensor(a.grads, a.updates, t, grad, d.numel[t]);
      clear_gradient(d, a, t);
    }
  }
  // Writes a block: new weights `w`, new moments `m` and `v`.
  template <class A>
  void store(std::array<A, kBlock>& w, const std::array<A, kBlock>& m, const std::array<A, kBlock>& v, const std::array<A, kBlock>& update, std::int64_t t,
             std::int64_t first, std::int64_t count) const {
    write(m, new_m.data[t], state, first, count);
    write(v, new_v.data[t], state, first, count);
    if (!d.keep_params) write_params(w, new_params, d.param, a.copies, d.copy, t, first, count);
    if (d.updates) write(update, a.updates.data[t], grad, first, count);
  }
};

// Weights, gradients and moments. One object, so that the compiler knows the arrays apart.
template <class A>
struct AdamBlock {
  std::array<A, kBlock> w, g, m, v;
};
template <class A>
struct AdamNumbers {
  A scale, epsilon, beta1, gain1, beta2, gain2, root_scale, rate = 0, decay = 0, gradient_decay = 0;
};
// Updates weights and moments; the gradients become the changes of the weights.
template <adj_adam_decay decay, class A>
void adam_block(AdamBlock<A>& block, const AdamNumbers<A>& numbers, std::int64_t count) {
  in_wide_registers([&block, n = numbers, count]() ADJ_IN_PLACE {
    for (std::size_t i = 0; i < static_cast<std::size_t>(count); ++i) {
      const A weight = block.w[i];
      A gradient = block.g[i] / n.scale;
      if constexpr (decay == ADJ_ADAM_DECAY_L2) gradient = std::fma(n.gradient_decay, weight, gradient);
      const A mean = std::fma(n.gain1, gradient, n.beta1 * block.m[i]);
      const A square = std::fma(n.gain2 * gradient, gradient, n.beta2 * block.v[i]);
      const A direction = mean / std::fma(std::sqrt(square), n.root_scale, n.epsilon);
      A decayed = weight;
      if constexpr (decay == ADJ_ADAM_DECAY_LAST) decayed = std::fma(-n.rate, direction, weight);
      const A change = std::fma(n.decay, decayed, n.rate * direction);
      block.m[i] = mean;
      block.v[i] = square;
      block.g[i] = -change;
      block.w[i] = weight - change;
    }
  });
}

}  // namespace

void adam(const adj_adam_descriptor& d, const adj_adam_args& a, void*) {
  const Moments<adj_adam_descriptor, adj_adam_args> lists{d, a};
  const std::int64_t step = skips(a) ? 0 : step_of(d, a);
  if (step < 1) return lists.skip();
  const double correction1 = d.no_bias_correction ? 1 : corrected_by_squaring(1 - d.beta1, step);
  const double correction2 = d.no_bias_correction ? 1 : corrected_by_squaring(1 - d.beta2, step);
  with_arithmetic(d.param, [&](auto* type) {
    using A = std::remove_pointer_t<decltype(type)>;
    const bool last = d.decay == ADJ_ADAM_DECAY_LAST, l2 = d.decay == ADJ_ADAM_DECAY_L2;
    const double root = std::sqrt(correction2);
    AdamNumbers<A> numbers{.scale = static_cast<A>(exact_scale_of(a, d.max_norm)),
                           .epsilon = static_cast<A>(d.epsilon),
                           .beta1 = static_cast<A>(d.beta1),
                           .gain1 = static_cast<A>(1 - d.beta1),
                           .beta2 = static_cast<A>(d.beta2),
                           .gain2 = static_cast<A>(1 - d.beta2),
                           .root_scale = last ? A{1} : static_cast<A>(1 / root)};
    AdamBlock<A> block;
    for (std::int64_t t = 0; t < d.count; ++t) {
      const double lr = a.lr_of.data ? static_cast<const A*>(a.lr_of.data)[t] : value_of(a.lr);
      const double weight_decay = a.weight_decay_of.data ? static_cast<const A*>(a.weight_decay_of.data)[t] : d.weight_decay;
      numbers.rate = static_cast<A>(last ? lr * root / correction1 : lr / correction1);
      numbers.decay = l2 ? A{0} : static_cast<A>(lr * weight_decay);
      numbers.gradient_decay = static_cast<A>(weight_decay);
      const RandomBits random(d, a, t);
      for (std::int64_t first = 0; first < d.numel[t]; first += kBlock) {
        const std::int64_t count = std::min(kBlock, d.numel[t] - first);
        read(block.w, a.params.data[t], d.param, first, count);
        read(block.g, a.grads.data[t], lists.grad, first, count);
        read(block.m, a.exp_avg.data[t], lists.state, first, count);
        read(block.v, a.exp_avg_sq.data[t], lists.state, first, count);
        if (last) adam_block<ADJ_ADAM_DECAY_LAST>(block, numbers, count);
        else if (l2) adam_block<ADJ_ADAM_DECAY_L2>(block, numbers, count);
        else adam_block<ADJ_ADAM_DECAY_FIRST>(block, numbers, count);
        if (d.stochastic_rounding) round_all_at_random(block.w, d.param, random, first, count);
        lists.store(block.w, block.m, block.v, block.g, t, first, count);
      }
      clear_gradient(d, a, t);
    }
  });
  if (d.advance_step) ++*static_cast<std::int64_t*>(const_cast<void*>(a.step.device));
}

void lamb(const adj_lamb_descriptor& d, const adj_lamb_args& a, void*) {
  const Moments<adj_lamb_descriptor, adj_lamb_args> lists{d, a};
  const std::int64_t step = skips(a) ? 0 : step_of(d, a);
  if (step < 1) return lists.skip();
  const double lr = value_of(a.lr);
  Block w, g, m, v;
  for (std::int64_t t = 0; t < d.count; ++t) {
    auto own = [&](const double* list, std::int64_t count, double shared) { return count ? list[t] : shared; };
    const double beta1 = own(d.beta1_of, d.beta1_count, d.beta1), beta2 = own(d.beta2_of, d.beta2_count, d.beta2);
    const double epsilon = own(d.epsilon_of, d.epsilon_count, d.epsilon), decay = own(d.weight_decay_of, d.weight_decay_count, d.weight_decay);
    const double scale = scale_of(a, own(d.max_norm_of, d.max_norm_count, d.max_norm));
    const double correction1 = d.no_bias_correction ? 1 : corrected(beta1, step), correction2 = d.no_bias_correction ? 1 : corrected(beta2, step);
    // Reads a block; computes the new moments, and the direction into g.
    auto compute = [&](std::int64_t first, std::int64_t count) {
      read(w, a.params.data[t], d.param, first, count);
      read(g, a.grads.data[t], lists.grad, first, count);
      read(m, a.exp_avg.data[t], lists.state, first, count);
      read(v, a.exp_avg_sq.data[t], lists.state, first, count);
      for (std::size_t i = 0; i < static_cast<std::size_t>(count); ++i) {
        const double gradient = g[i] / scale;
        m[i] = beta1 * m[i] + (1 - beta1) * gradient;
        v[i] = beta2 * v[i] + (1 - beta2) * gradient * gradient;
        g[i] = decay * w[i] + m[i] / correction1 / (std::sqrt(v[i] / correction2) + epsilon);
      }
    };
    Norm weight, direction;
    for (std::int64_t first = 0; first < d.numel[t]; first += kBlock) {
      const std::int64_t count = std::min(kBlock, d.numel[t] - first);
      compute(first, count);
      for (std::size_t i = 0; i < static_cast<std::size_t>(count); ++i) weight.add(w[i]), direction.add(g[i]);
    }
    const double weight_norm = weight.value(), direction_norm = direction.value();
    if (!std::isfinite(weight_norm) || !std::isfinite(direction_norm)) {
      if (a.error_flag.data) ++*static_cast<std::int64_t*>(a.error_flag.data);
      lists.keep_state(t);
      if (d.updates) std::memset(a.updates.data[t], 0, bytes_of(lists.grad, d.numel[t]));
      clear_gradient(d, a, t);
      continue;
    }
    const bool plain = weight_norm == 0 || direction_norm == 0;
    const double rate = plain ? lr : lr * std::max(d.ratio_min, std::min(d.ratio_max, weight_norm / direction_norm));
    for (std::int64_t first = 0; first < d.numel[t]; first += kBlock) {
      const std::int64_t count = std::min(kBlock, d.numel[t] - first);
      compute(first, count);
      for (std::size_t i = 0; i < static_cast<std::size_t>(count); ++i) {
        g[i] *= -rate;
        const double updated = w[i] + g[i];
        if (std::isfinite(stored(updated, d.param))) w[i] = updated;
        else g[i] = 0;
      }
      lists.store(w, m, v, g, t, first, count);
    }
    clear_gradient(d, a, t);
  }
  if (d.advance_step) ++*static_cast<std::int64_t*>(const_cast<void*>(a.step.device));
}

void sgd(const adj_sgd_descriptor& d, const adj_sgd_args& a, void*) {
  const adj_dtype grad = d.grad ? d.grad : d.param;
  const adj_tensor_list& new_params = d.out_of_place ? a.new_params : a.params;
  const adj_tensor_list& new_buffers = d.out_of_place ? a.new_momentum_buffers : a.momentum_buffers;
  if (skips(a)) {
    for (std::int64_t t = 0; t < d.count; ++t) {
      if (!d.keep_params) copy_tensor(a.params, new_params, t, d.param, d.numel[t]);
      if (d.state) copy_tensor(a.momentum_buffers, new_buffers, t, d.state, d.numel[t]);
      if (d.updates) copy_tensor(a.grads, a.updates, t, grad, d.numel[t]);
      clear_gradient(d, a, t);
    }
    return;
  }
  const double lr = value_of(a.lr), scale = scale_of(a, d.max_norm);

  Block w, g, buffer;
  for (std::int64_t t = 0; t < d.count; ++t) {
    for (std::int64_t first = 0; first < d.numel[t]; first += kBlock) {
      const std::int64_t count = std::min(kBlock, d.numel[t] - first);
      read(w, a.params.data[t], d.param, first, count);
      read(g, a.grads.data[t], grad, first, count);
      if (d.state && !d.first_step) read(buffer, a.momentum_buffers.data[t], d.state, first, count);
      for (std::size_t i = 0; i < static_cast<std::size_t>(count); ++i) {
        double direction = g[i] / scale + d.weight_decay * w[i];
        if (d.state) {
          buffer[i] = d.first_step ? direction : d.momentum * buffer[i] + (1 - d.dampening) * direction;
          direction = d.nesterov ? direction + d.momentum * buffer[i] : buffer[i];
        }
        g[i] = -lr * direction;
        w[i] += g[i];
      }
      if (d.state) write(buffer, new_buffers.data[t], d.state, first, count);
      if (!d.keep_params) write_params(w, new_params, d.param, a.copies, d.copy, t, first, count);
      if (d.updates) write(g, a.updates.data[t], grad, first, count);
    }
    clear_gradient(d, a, t);
  }
}

void lion(const adj_lion_descriptor& d, const adj_lion_args& a, void*) {
  if (skips(a)) {
    for (std::int64_t t = 0; t < d.count; ++t) clear_gradient(d, a, t);
    return;
  }
  with_arithmetic(d.param, [&](auto* type) {
    using A = std::remove_pointer_t<decltype(type)>;
    const double lr = value_of(a.lr);
    const A scale = static_cast<A>(exact_scale_of(a, d.max_norm)), rate = static_cast<A>(lr), decay = static_cast<A>(lr * d.weight_decay);
    const A beta1 = static_cast<A>(d.beta1), gain1 = static_cast<A>(1 - d.beta1), beta2 = static_cast<A>(d.beta2), gain2 = static_cast<A>(1 - d.beta2);
    std::array<A, kBlock> w, g, m;
    for (std::int64_t t = 0; t < d.count; ++t) {
      const RandomBits random(d, a, t);
      for (std::int64_t first = 0; first < d.numel[t]; first += kBlock) {
        const std::int64_t count = std::min(kBlock, d.numel[t] - first);
        read(w, a.params.data[t], d.param, first, count);
        read(g, a.grads.data[t], d.grad ? d.grad : d.param, first, count);
        read(m, a.exp_avg.data[t], d.state ? d.state : d.param, first, count);
        in_wide_registers([=, w = w.data(), g = g.data(), m = m.data()]() ADJ_IN_PLACE {
          for (std::int64_t i = 0; i < count; ++i) {
            const A weight = w[i], gradient = g[i] / scale, moment = m[i], c = std::fma(gain1, gradient, beta1 * moment);
            const A toward = c > 0 ? rate : c < 0 ? -rate : c;
            m[i] = std::fma(gain2, gradient, beta2 * moment);
            w[i] = weight - std::fma(decay, weight, toward);
          }
        });
        if (d.stochastic_rounding) round_all_at_random(w, d.param, random, first, count);
        write(m, a.exp_avg.data[t], d.state ? d.state : d.param, first, count);
        write_params(w, a.params, d.param, a.copies, d.copy, t, first, count);
      }
      clear_gradient(d, a, t);
    }
  });
  if (d.advance_step) ++*static_cast<std::int64_t*>(const_cast<void*>(a.step.device));
}

void adamw_8bit(const adj_adamw_8bit_descriptor& d, const adj_adamw_8bit_args& a, void*) {
  constexpr std::int64_t kStored = 256;  // elements that share a scale
  const std::int64_t step = skips(a) ? 0 : counted_step(a);
  if (step < 1) {
    for (std::int64_t t = 0; t < d.count; ++t) clear_gradient(d, a, t);
    return;
  }
  const double lr = value_of(a.lr), correction1 = corrected_by_squaring(1 - d.beta1, step), correction2 = corrected_by_squaring(1 - d.beta2, step);
  const float scale = static_cast<float>(exact_scale_of(a, d.max_norm)), rate = static_cast<float>(lr / correction1),
              root_scale = static_cast<float>(1 / std::sqrt(correction2)), epsilon = static_cast<float>(d.epsilon),
              decay = static_cast<float>(lr * d.weight_decay);
  const float beta1 = static_cast<float>(d.beta1), gain1 = static_cast<float>(1 - d.beta1), beta2 = static_cast<float>(d.beta2),
              gain2 = static_cast<float>(1 - d.beta2);
  const adj_dtype grad = d.grad ? d.grad : d.param;
  Block w, g;
  std::array<float, kStored> m, v;
  for (std::int64_t t = 0; t < d.count; ++t) {
    const RandomBits random(d, a, t);
    for (std::int64_t first = 0; first < d.numel[t]; first += kStored) {
      const std::int64_t count = std::min(kStored, d.numel[t] - first);
      auto* m_bytes = static_cast<std::uint8_t*>(a.exp_avg.data[t]) + first;
      auto* v_bytes = static_cast<std::uint8_t*>(a.exp_avg_sq.data[t]) + first;
      float& m_scale = static_cast<float*>(a.exp_avg_scale.data[t])[first / kStored];
      float& v_scale = static_cast<float*>(a.exp_avg_sq_scale.data[t])[first / kStored];
      float largest_m = 0, largest_v = 0;
      bool m_finite = true, v_finite = true;
      read(w, a.params.data[t], d.param, first, count);
      read(g, a.grads.data[t], grad, first, count);
      for (std::size_t i = 0; i < static_cast<std::size_t>(count); ++i) {
        const float weight = static_cast<float>(w[i]), gradient = static_cast<float>(g[i]) / scale;
        const float old_m = float_of_bits(std::uint32_t{m_bytes[i]} >> 7 << 31 | (m_bytes[i] & 127u) << 20) * 0x1p112f * m_scale;
        const float old_v = float_of_bits(std::uint32_t{v_bytes[i]} << 20) * 0x1p96f * v_scale;
        m[i] = std::fma(gain1, gradient, beta1 * old_m);
        v[i] = std::fma(gain2 * gradient, gradient, beta2 * old_v);
        const float direction = m[i] / std::fma(std::sqrt(v[i]), root_scale, epsilon);
        w[i] = weight - std::fma(decay, weight, rate * direction);
        if (d.stochastic_rounding) w[i] = round_at_random(static_cast<float>(w[i]), d.param, random.at(first + static_cast<std::int64_t>(i)));
        largest_m = std::max(largest_m, std::fabs(m[i])), largest_v = std::max(largest_v, std::fabs(v[i]));
        m_finite &= std::isfinite(m[i]), v_finite &= std::isfinite(v[i]);
      }
      m_scale = block_scale(largest_m, m_finite);
      v_scale = block_scale(largest_v, v_finite);
      for (std::size_t i = 0; i < static_cast<std::size_t>(count); ++i) {
        m_bytes[i] = v_bytes[i] = 0;
        if (m_scale > 0) {
          // y is rounded to the spacing of the byte format: 2^-129 below 2^-125, above it an eighth of the power of two.
          const float y = std::fabs(m[i]) * (1 / m_scale) * 0x1p-112f;
          const double rounded = std::floor(static_cast<double>(y) / step_at(y) + 0.5) * step_at(y);
          m_bytes[i] = static_cast<std::uint8_t>(bits_of_float(static_cast<float>(rounded)) >> 20 | (std::signbit(m[i]) ? 128u : 0u));
        }
        if (v_scale > 0) {
          const float y = std::fabs(v[i]) * (1 / v_scale) * 0x1p-96f;
          const double steps = static_cast<double>(y) / step_at(y), whole = std::floor(steps);
          const bool up = std::floor((steps - whole) * 0x1p16) + random.at(first + static_cast<std::int64_t>(i)) >= 0x1p16;
          v_bytes[i] = static_cast<std::uint8_t>(std::clamp(bits_of_float(static_cast<float>((whole + up) * step_at(y))) >> 20, 1u, 248u));
        }
      }
      write_params(w, a.params, d.param, a.copies, d.copy, t, first, count);
    }
    clear_gradient(d, a, t);
  }
  if (d.advance_step) ++*static_cast<std::int64_t*>(const_cast<void*>(a.step.device));
}

void clip_grad_norm(const adj_clip_grad_norm_descriptor& d, const adj_clip_grad_norm_args& a, void*) {
  std::vector<Norm> norms(static_cast<std::size_t>(d.count));
  Block g;
  const double scale = value_of(a.grad_scale);
  auto for_each_block = [&](auto visit) {
    for (std::int64_t t = 0; t < d.count; ++t)
      for (std::int64_t first = 0; first < d.numel[t]; first += kBlock) {
        const std::int64_t count = std::min(kBlock, d.numel[t] - first);
        read(g, a.grads.data[t], d.grad, first, count);
        visit(t, first, count);
      }
  };
  for_each_block([&](std::int64_t t, std::int64_t, std::int64_t count) {
    for (std::size_t i = 0; i < static_cast<std::size_t>(count); ++i) norms[static_cast<std::size_t>(t)].add(g[i]);
  });
  std::vector<double> values;
  for (const Norm& own : norms) values.push_back(own.value());
  const adj_dtype wide = d.grad == ADJ_F64 ? ADJ_F64 : ADJ_F32;
  const double norm = norm_of_list(values) / scale;
  const bool finite = std::isfinite(stored(norm, wide));
  // In long double, whose range the quotient of two doubles does not leave.
  const long double exact = finite ? std::min<long double>(1, d.max_norm / static_cast<long double>(norm + d.epsilon)) : 1;
  const auto factor = static_cast<double>(exact);
  auto put = [](const adj_tensor& to, adj_dtype dtype, double value) {
    if (!to.data) return;
    if (dtype == ADJ_F64) *static_cast<double*>(to.data) = value;
    else *static_cast<float*>(to.data) = static_cast<float>(value);
  };
  put(a.norm, wide, norm);
  put(a.factor, wide, factor);
  put(a.found_inf, ADJ_F32, finite ? 0 : 1);
  if (d.norm_only || !finite) return;
  for_each_block([&](std::int64_t t, std::int64_t first, std::int64_t count) {
    for (std::size_t i = 0; i < static_cast<std::size_t>(count); ++i) g[i] = static_cast<double>(g[i] * (exact / scale));
    write(g, a.grads.data[t], d.grad, first, count);
  });
}

}  // namespace adj::host
