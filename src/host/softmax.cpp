#include "host/softmax.hpp"

#include <cmath>

#include "base/dtype.hpp"
#include "host/exp.hpp"
#include "host/sum.hpp"

namespace adj::host {

namespace {

// Sums term(dout, out) over each group, then writes gradient(dout, out, sum) to each element. An element of dinput is written after both
// operands were read there for the last time, so dinput may be either of them.
template <class Descriptor, class Args, class Term, class Gradient>
void for_each_group(const Descriptor& d, const Args& a, Term term, Gradient gradient) {
  with_float(d.element, [&](auto* element) {
    using T = std::remove_pointer_t<decltype(element)>;
    const auto* dout = static_cast<const T*>(a.dout.data);
    const auto* out = static_cast<const T*>(a.out.data);
    auto* dinput = static_cast<T*>(a.dinput.data);
    for (std::int64_t n = 0; n < d.outer; ++n)
      for (std::int64_t i = 0; i < d.inner; ++i) {
        const std::int64_t first = n * d.extent * d.inner + i, end = first + d.extent * d.inner;
        Sum terms;
        for (std::int64_t at = first; at < end; at += d.inner) terms.add(term(to_double(dout[at]), to_double(out[at])));
        const double sum = terms.value();
        for (std::int64_t at = first; at < end; at += d.inner) dinput[at] = from_double<T>(gradient(to_double(dout[at]), to_double(out[at]), sum));
      }
  });
}

// Writes result(x, top, sum) to each element of a group; `top` is the largest element, `sum` the sum of exp(x - top).
template <class Descriptor, class Args, class Result>
void for_each_input_group(const Descriptor& d, const Args& a, Result result) {
  with_float(d.element, [&](auto* element) {
    using T = std::remove_pointer_t<decltype(element)>;
    const auto* in = static_cast<const T*>(a.input.data);
    auto* out = static_cast<T*>(a.out.data);
    for (std::int64_t n = 0; n < d.outer; ++n)
      for (std::int64_t i = 0; i < d.inner; ++i) {
        const std::int64_t first = n * d.extent * d.inner + i, end = first + d.extent * d.inner;
        double top = to_double(in[first]);
        for (std::int64_t at = first; at < end; at += d.inner)
          if (!(to_double(in[at]) <= top)) top = to_double(in[at]);  // a NaN becomes the top
        Sum sum;
        for (std::int64_t at = first; at < end; at += d.inner) sum.add(std::exp(to_double(in[at]) - top));
        for (std::int64_t at = first; at < end; at += d.inner) out[at] = from_double<T>(result(to_double(in[at]), top, sum.value()));
      }
  });
}

}  // namespace

void softmax_forward(const adj_softmax_forward_descriptor& d, const adj_softmax_forward_args& a, void*) {
  for_each_input_group(d, a, [](double x, double top, double sum) { return std::exp(x - top) / sum; });
}

void log_softmax_forward(const adj_log_softmax_forward_descriptor& d, const adj_log_softmax_forward_args& a, void*) {
  for_each_input_group(d, a, [](double x, double top, double sum) { return (x - top) - std::log(sum); });
}

void softmax_backward(const adj_softmax_backward_descriptor& d, const adj_softmax_backward_args& a, void*) {
  for_each_group(d, a, [](double dout, double out) { return dout * out; }, [](double dout, double out, double sum) { return out * (dout - sum); });
}

void log_softmax_backward(const adj_log_softmax_backward_descriptor& d, const adj_log_softmax_backward_args& a, void*) {
  for_each_group(d, a, [](double dout, double) { return dout; }, [](double dout, double out, double sum) { return dout - exp_beside(sum, out) * sum; });
}

}  // namespace adj::host
