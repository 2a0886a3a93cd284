#include "host/resize.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <vector>

#include "base/dtype.hpp"
#include "host/sum.hpp"

namespace adj::host {

namespace {

struct Weight {
  std::int64_t cell;
  double weight;
};

// Cells of the input, with weights, of which cell o of the result is made along one axis.
template <class Descriptor>
std::vector<Weight> weights_of(const Descriptor& d, std::size_t axis, std::int64_t in, std::int64_t out, std::int64_t o) {
  const bool same = std::equal(std::begin(d.input.dims), std::end(d.input.dims), std::begin(d.out.dims));
  const double scale = d.num_scales > 0 && !same ? d.scales[axis] : 0;
  const bool exact = scale == 0 || scale == static_cast<double>(out) / static_cast<double>(in);
  const bool half = d.coordinates != ADJ_RESIZE_COORDINATES_ASYMMETRIC;
  std::int64_t cell = 0;
  double rest = 0, own = 1;  // weights of the next cell and of `cell`; 1 - rest would have few correct digits next to 1
  auto take = [&](std::int64_t numerator, std::int64_t denominator) {
    numerator = std::clamp<std::int64_t>(numerator, 0, (in - 1) * denominator);
    cell = numerator / denominator;
    rest = static_cast<double>(numerator % denominator) / static_cast<double>(denominator);
    own = static_cast<double>(denominator - numerator % denominator) / static_cast<double>(denominator);
  };
  if (d.coordinates == ADJ_RESIZE_COORDINATES_ALIGN_CORNERS) {
    if (out > 1) take(o * (in - 1), out - 1);
  } else if (d.coordinates == ADJ_RESIZE_COORDINATES_PYTORCH_HALF_PIXEL && out == 1) {
    // cell 0, by definition
  } else if (exact) {
    if (half) take((2 * o + 1) * in - out, 2 * out);
    else take(o * in, out);
  } else {
    const double q = 1 / scale, shift = half ? 0.5 : 0;
    const double at = std::clamp(std::fma(static_cast<double>(o) + shift, q, -shift), 0.0, static_cast<double>(in - 1));
    cell = static_cast<std::int64_t>(std::floor(at));
    rest = at - std::floor(at);
    own = 1 - rest;
  }
  if (d.mode != ADJ_RESIZE_MODE_NEAREST) {
    if (rest == 0) return {{cell, 1}};
    return {{cell, own}, {cell + 1, rest}};
  }
  switch (d.rounding) {
    case ADJ_RESIZE_ROUNDING_FLOOR: break;
    case ADJ_RESIZE_ROUNDING_CEIL: cell += rest > 0; break;
    case ADJ_RESIZE_ROUNDING_ROUND_PREFER_CEIL: cell += rest >= 0.5; break;
    default: cell += rest > 0.5; break;
  }
  return {{cell, 1}};
}

// Calls term(input element, result element, weight) for every pair with a weight, in the order of the result.
template <class Descriptor, class Term>
void for_each_term(const Descriptor& d, Term term) {
  const std::int64_t rank = d.input.rank, first = d.channels_last ? 1 : 2;
  // Without elements of the result there are no terms, however long its other dimensions are.
  if (std::find(d.out.dims, d.out.dims + rank, 0) != d.out.dims + rank) return;
  const std::int64_t planes = d.channels_last ? d.input.dims[0] : d.input.dims[0] * d.input.dims[1];
  const std::int64_t inner = d.channels_last ? d.input.dims[rank - 1] : 1;
  if (planes * inner == 0 || std::find(d.out.dims, d.out.dims + rank, 0) != d.out.dims + rank) return;  // no weights for no elements
  std::array<std::int64_t, 3> in{1, 1, 1}, out{1, 1, 1};
  std::array<std::vector<std::vector<Weight>>, 3> weights;
  for (std::size_t a = 0; a < 3; ++a) {
    const std::int64_t axis = static_cast<std::int64_t>(a) - (5 - rank);  // missing dimensions come first
    if (axis < 0) {
      weights[a] = {{{0, 1}}};
      continue;
    }
    in[a] = d.input.dims[first + axis];
    out[a] = d.out.dims[first + axis];
    for (std::int64_t o = 0; o < out[a]; ++o) weights[a].push_back(weights_of(d, static_cast<std::size_t>(axis), in[a], out[a], o));
  }
  std::int64_t result = 0;
  for (std::int64_t plane = 0; plane < planes; ++plane)
    for (const auto& z : weights[0])
      for (const auto& y : weights[1])
        for (const auto& x : weights[2])
          for (std::int64_t c = 0; c < inner; ++c, ++result)
            for (const Weight& wz : z)
              for (const Weight& wy : y)
                for (const Weight& wx : x)
                  term((((plane * in[0] + wz.cell) * in[1] + wy.cell) * in[2] + wx.cell) * inner + c, result, wz.weight * wy.weight * wx.weight);
}

// Forward: target[result] = sum of weight * source[input]. Backward: target[input] = sum of weight * source[result].
template <class Descriptor>
void resize(const Descriptor& d, const adj_tensor& source, const adj_tensor& target, const adj_shape& shape, bool forward) {
  std::int64_t count = 1;
  for (std::int64_t i = 0; i < shape.rank; ++i) count *= shape.dims[i];
  with_float(d.element, [&](auto* element) {
    using T = std::remove_pointer_t<decltype(element)>;
    const auto* from = static_cast<const T*>(source.data);
    std::vector<Sum> sums(static_cast<std::size_t>(count));
    for_each_term(d, [&](std::int64_t input, std::int64_t result, double weight) {
      const std::int64_t to = forward ? result : input, at = forward ? input : result;
      sums[static_cast<std::size_t>(to)].add(weight * to_double(from[at]));
    });
    for (std::int64_t i = 0; i < count; ++i) static_cast<T*>(target.data)[i] = from_double<T>(sums[static_cast<std::size_t>(i)].value());
  });
}

}  // namespace

void resize_forward(const adj_resize_forward_descriptor& d, const adj_resize_forward_args& a, void*) { resize(d, a.input, a.out, d.out, true); }
void resize_backward(const adj_resize_backward_descriptor& d, const adj_resize_backward_args& a, void*) { resize(d, a.dout, a.dinput, d.input, false); }

}  // namespace adj::host
