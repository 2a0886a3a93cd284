#include "host/optimizer.hpp"

#include <algorithm>
#include <array>
#include <cmath>

#include "base/dtype.hpp"

namespace adj::host {

namespace {

// Elements are worked on in blocks held as doubles; every array is converted on the way in and out.
constexpr std::int64_t kBlock = 512;
using Block = std::array<double, kBlock>;

void read(Block& block, const void* data, adj_dtype dtype, std::int64_t first, std::int64_t count) {
  with_float(dtype, [&](auto* type) {
    const auto* from = static_cast<decltype(type)>(const_cast<void*>(data)) + first;
    for (std::int64_t i = 0; i < count; ++i) block[static_cast<std::size_t>(i)] = to_double(from[i]);
  });
}
void write(const Block& block, void* data, adj_dtype dtype, std::int64_t first, std::int64_t count) {
  with_float(dtype, [&](auto* type) {
    using T = std::remove_pointer_t<decltype(type)>;
    T* to = static_cast<T*>(data) + first;
    for (std::int64_t i = 0; i < count; ++i) to[i] = from_double<T>(block[static_cast<std::size_t>(i)]);
  });
}

double value_of(const adj_scalar& s) { return s.device ? load_scalar(s.device, s.dtype) : s.value; }
bool found_inf(const adj_tensor& t) { return t.data && *static_cast<const float*>(t.data) != 0; }

// Parameters and, when there is one, their low-precision copy, which is made of the stored values.
void write_params(Block& w, const adj_tensor_list& params, adj_dtype param, const adj_tensor_list& copies, adj_dtype copy,
                  std::int64_t tensor, std::int64_t first, std::int64_t count) {
  write(w, params.data[tensor], param, first, count);
  if (!copy) return;
  read(w, params.data[tensor], param, first, count);
  write(w, copies.data[tensor], copy, first, count);
}

}  // namespace

void adamw(const adj_adamw_descriptor& d, const adj_adamw_args& a, void*) {
  if (found_inf(a.found_inf)) return;
  std::int64_t step = 0;
  if (a.step.device)
    step = *static_cast<const std::int64_t*>(a.step.device);
  else if (!d.no_bias_correction)
    step = static_cast<std::int64_t>(a.step.value);
  if (!d.no_bias_correction && step < 1) {
    if (a.error_flag.data) ++*static_cast<std::int64_t*>(a.error_flag.data);
    return;
  }
  // 1 - beta^step, without the cancellation.
  auto correction = [&](double beta) { return d.no_bias_correction ? 1.0 : -std::expm1(static_cast<double>(step) * std::log(beta)); };
  const double correction1 = correction(d.beta1), correction2 = correction(d.beta2);
  const double lr = value_of(a.lr), scale = value_of(a.grad_scale);
  const adj_dtype grad = d.grad ? d.grad : d.param, state = d.state ? d.state : d.param;

  Block w, g, m, v;
  for (std::int64_t t = 0; t < d.count; ++t)
    for (std::int64_t first = 0; first < d.numel[t]; first += kBlock) {
      const std::int64_t count = std::min(kBlock, d.numel[t] - first);
      read(w, a.params.data[t], d.param, first, count);
      read(g, a.grads.data[t], grad, first, count);
      read(m, a.exp_avg.data[t], state, first, count);
      read(v, a.exp_avg_sq.data[t], state, first, count);
      for (std::size_t i = 0; i < static_cast<std::size_t>(count); ++i) {
        const double gradient = g[i] / scale;
        m[i] = d.beta1 * m[i] + (1 - d.beta1) * gradient;
        v[i] = d.beta2 * v[i] + (1 - d.beta2) * gradient * gradient;
        if (d.mode == ADJ_ADAMW_DECAY_LAST) {
          w[i] -= lr * std::sqrt(correction2) / correction1 * m[i] / (std::sqrt(v[i]) + d.epsilon);
          w[i] -= lr * d.weight_decay * w[i];
        } else {
          w[i] -= lr * d.weight_decay * w[i];
          w[i] -= lr * (m[i] / correction1) / (std::sqrt(v[i]) / std::sqrt(correction2) + d.epsilon);
        }
      }
      write(m, a.exp_avg.data[t], state, first, count);
      write(v, a.exp_avg_sq.data[t], state, first, count);
      write_params(w, a.params, d.param, a.copies, d.copy, t, first, count);
    }
  if (d.advance_step) ++*static_cast<std::int64_t*>(const_cast<void*>(a.step.device));
}

void sgd(const adj_sgd_descriptor& d, const adj_sgd_args& a, void*) {
  if (found_inf(a.found_inf)) return;
  const double lr = value_of(a.lr), scale = value_of(a.grad_scale);
  const adj_dtype grad = d.grad ? d.grad : d.param;

  Block w, g, buffer;
  for (std::int64_t t = 0; t < d.count; ++t)
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
        w[i] -= lr * direction;
      }
      if (d.state) write(buffer, a.momentum_buffers.data[t], d.state, first, count);
      write_params(w, a.params, d.param, a.copies, d.copy, t, first, count);
    }
}

}  // namespace adj::host
