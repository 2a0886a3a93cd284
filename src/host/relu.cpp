#include "host/relu.hpp"

#include "base/dtype.hpp"

namespace adj::host {

void relu_backward(const adj_relu_backward_descriptor& d, const adj_relu_backward_args& a, void*) {
  with_float(d.element, [&](auto* element) {
    using T = std::remove_pointer_t<decltype(element)>;
    const auto* dout = static_cast<const T*>(a.dout.data);
    const auto* out = static_cast<const T*>(a.out.data);
    auto* dinput = static_cast<T*>(a.dinput.data);
    for (std::int64_t i = 0; i < d.numel; ++i) dinput[i] = to_double(out[i]) > 0 ? dout[i] : from_double<T>(0);
  });
}

}  // namespace adj::host
