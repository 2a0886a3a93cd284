#include "host/batch_norm.hpp"

#include <cmath>
#include <limits>

#include "host/sum.hpp"
#include "host/values.hpp"

namespace adj::host {

namespace {

// Calls process(index) for the elements of channel c, in order.
template <class Descriptor, class Process>
void for_channel(const Descriptor& d, std::int64_t c, Process process) {
  for (std::int64_t o = 0; o < (d.inner ? d.outer : 0); ++o)
    for (std::int64_t i = 0; i < d.inner; ++i) process((o * d.channels + c) * d.inner + i);
}
template <class Descriptor>
adj_dtype weight_of(const Descriptor& d) {
  return d.weight ? d.weight : d.element;
}
template <class Descriptor>
adj_dtype stats_of(const Descriptor& d) {
  return d.stats ? d.stats : weight_of(d);
}

}  // namespace

void batch_norm_forward(const adj_batch_norm_forward_descriptor& d, const adj_batch_norm_forward_args& a, void*) {
  const Values input(a.input, d.element), out(a.out, d.element), scale(a.scale, weight_of(d)), bias(a.bias, weight_of(d));
  const Values running_mean(a.running_mean, stats_of(d)), running_variance(a.running_variance, stats_of(d));
  const Values next_mean(a.next_running_mean, stats_of(d)), next_variance(a.next_running_variance, stats_of(d));
  const Values saved_mean(a.saved_mean, stats_of(d)), saved_inv_std(a.saved_inv_std, stats_of(d));
  const double count = static_cast<double>(d.outer * d.inner);
  for (std::int64_t c = 0; c < d.channels; ++c) {
    double mean, variance, first = 0;
    if (d.training) {
      // Sums are relative to the first element, so that a mean far from 0 costs no digits.
      Sum total, squares;
      if (count > 0) first = input.get(c * d.inner);
      for_channel(d, c, [&](std::int64_t at) { total.add(input.get(at) - first); });
      mean = total.value() / count;
      if (!std::isfinite(mean)) mean = std::numeric_limits<double>::quiet_NaN();
      for_channel(d, c, [&](std::int64_t at) {
        const double x = (input.get(at) - first) - mean;
        squares.add(x * x);
      });
      variance = squares.value() / count;
    } else {
      mean = running_mean.get(c);
      variance = running_variance.get(c);
    }
    const double inv_std = 1 / std::sqrt(variance + d.epsilon), factor = (scale.given() ? scale.get(c) : 1) * inv_std;
    const double shifted = mean;  // the mean minus `first`
    mean += first;
    const double unbiased = count > 1 ? variance * (count / (count - 1)) : variance;
    if (next_mean.given()) next_mean.set(c, d.momentum * running_mean.get(c) + (1 - d.momentum) * mean);
    if (next_variance.given()) next_variance.set(c, d.momentum * running_variance.get(c) + (1 - d.momentum) * unbiased);
    if (saved_mean.given()) saved_mean.set(c, mean);
    if (saved_inv_std.given()) saved_inv_std.set(c, inv_std);
    for_channel(d, c, [&](std::int64_t at) { out.set(at, ((input.get(at) - first) - shifted) * factor + (bias.given() ? bias.get(c) : 0)); });
  }
}

void batch_norm_backward(const adj_batch_norm_backward_descriptor& d, const adj_batch_norm_backward_args& a, void*) {
  const Values dout(a.dout, d.element), input(a.input, d.element), dinput(a.dinput, d.element), scale(a.scale, weight_of(d));
  const Values mean(d.frozen ? a.running_mean : a.saved_mean, stats_of(d)), deviation(d.frozen ? a.running_variance : a.saved_inv_std, stats_of(d));
  const Values dscale(a.dscale, weight_of(d)), dbias(a.dbias, weight_of(d));
  const double count = static_cast<double>(d.outer * d.inner);
  for (std::int64_t c = 0; c < d.channels; ++c) {
    const double center = mean.get(c), inv_std = d.frozen ? 1 / std::sqrt(deviation.get(c) + d.epsilon) : deviation.get(c);
    Sum one, two;
    for_channel(d, c, [&](std::int64_t at) {
      one.add(dout.get(at));
      two.add(dout.get(at) * ((input.get(at) - center) * inv_std));
    });
    if (dscale.given()) dscale.set(c, two.value());
    if (dbias.given()) dbias.set(c, one.value());
    const double factor = (scale.given() ? scale.get(c) : 1) * inv_std, c1 = one.value() / count, c2 = two.value() / count;
    for_channel(d, c, [&](std::int64_t at) {
      const double dy = dout.get(at);
      dinput.set(at, d.frozen ? factor * dy : factor * (dy - c1 - (input.get(at) - center) * inv_std * c2));
    });
  }
}

}  // namespace adj::host
