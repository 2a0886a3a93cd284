#include "host/quantize.hpp"

#include <algorithm>
#include <cmath>

#include "base/dtype.hpp"

namespace adj::host {

namespace {

double read(const adj_scalar& s) { return s.device ? load_scalar(s.device, s.dtype) : s.value; }

// A is the type of the arithmetic. It matters: the rounding of the quotient decides which integer an element becomes.
template <class T, class A>
void quantize(const adj_fake_quantize_forward_descriptor& d, const adj_fake_quantize_forward_args& a) {
  const auto* input = static_cast<const T*>(a.input.data);
  auto* out = static_cast<T*>(a.out.data);
  auto* mask = static_cast<std::uint8_t*>(a.mask.data);
  const A low = static_cast<A>(d.quant_min), high = static_cast<A>(d.quant_max);
  for (std::int64_t i = 0; i < d.outer * d.channels * d.inner; ++i) {
    const std::int64_t channel = i / d.inner % d.channels;
    const A scale = d.per_channel ? static_cast<const A*>(a.scales.data)[channel] : static_cast<A>(read(a.scale));
    const A zero_point = d.per_channel ? static_cast<const A*>(a.zero_points.data)[channel] : static_cast<A>(read(a.zero_point));
    const A steps = static_cast<A>(to_double(input[i])) / scale;
    const A q = std::nearbyint(steps) + zero_point;
    A kept = q;
    if (q < low || (std::isnan(q) && d.nan_to_min)) kept = low;
    if (q > high) kept = high;
    const A difference = kept - zero_point, result = difference * scale;
    out[i] = from_double<T>(result);
    if (mask) mask[i] = q >= low && q <= high;
  }
}

}  // namespace

void fake_quantize_forward(const adj_fake_quantize_forward_descriptor& d, const adj_fake_quantize_forward_args& a, void*) {
  with_float(d.element, [&](auto* element) {
    using T = std::remove_pointer_t<decltype(element)>;
    if constexpr (sizeof(T) == 8) quantize<T, double>(d, a);
    else quantize<T, float>(d, a);
  });
}

void fake_quantize_backward(const adj_fake_quantize_backward_descriptor& d, const adj_fake_quantize_backward_args& a, void*) {
  const auto* mask = static_cast<const std::uint8_t*>(a.mask.data);
  with_float(d.element, [&](auto* element) {
    using T = std::remove_pointer_t<decltype(element)>;
    for (std::int64_t i = 0; i < d.numel; ++i) static_cast<T*>(a.dinput.data)[i] = mask[i] ? static_cast<const T*>(a.dout.data)[i] : T{};
  });
}

}  // namespace adj::host
