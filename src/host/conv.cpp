#include "host/conv.hpp"

#include <array>
#include <vector>

#include "base/dtype.hpp"
#include "host/sum.hpp"

namespace adj::host {

namespace {

// A tensor seen as [outer, channels, z, y, x], whatever its layout.
struct View {
  std::int64_t outer = 1, channels = 1;
  std::array<std::int64_t, 3> extent{1, 1, 1};
  bool channels_last = false;

  View(const adj_shape& s, bool last) : outer(s.dims[0]), channels(s.dims[last ? s.rank - 1 : 1]), channels_last(last) {
    for (std::int64_t i = 2; i < s.rank; ++i) extent[static_cast<std::size_t>(5 - s.rank + i - 2)] = s.dims[last ? i - 1 : i];
  }
  std::int64_t volume() const { return outer * channels * extent[0] * extent[1] * extent[2]; }
  std::int64_t at(std::int64_t o, std::int64_t c, const std::array<std::int64_t, 3>& p) const {
    if (channels_last) return (((o * extent[0] + p[0]) * extent[1] + p[1]) * extent[2] + p[2]) * channels + c;
    return (((o * channels + c) * extent[0] + p[0]) * extent[1] + p[1]) * extent[2] + p[2];
  }
};

template <class Fn>
void for_each_place(const std::array<std::int64_t, 3>& extent, Fn fn) {
  std::array<std::int64_t, 3> p;
  for (p[0] = 0; p[0] < extent[0]; ++p[0])
    for (p[1] = 0; p[1] < extent[1]; ++p[1])
      for (p[2] = 0; p[2] < extent[2]; ++p[2]) fn(p);
}

// A convolution from `big` to `small` (kernels/conv/README.md): input and result, or result and input when transposed.
struct Geometry {
  View big, small, weight;
  std::array<std::int64_t, 3> stride{1, 1, 1}, dilation{1, 1, 1}, pad{0, 0, 0};
  std::int64_t groups;

  template <class Descriptor>
  Geometry(const Descriptor& d, bool transposed)
      : big(transposed ? d.out : d.input, d.channels_last != 0),
        small(transposed ? d.input : d.out, d.channels_last != 0),
        weight(d.weight, d.channels_last != 0),
        groups(d.groups) {
    const std::int64_t spatial = d.input.rank - 2;
    for (std::int64_t i = 0; i < spatial; ++i) {
      const auto to = static_cast<std::size_t>(3 - spatial + i);
      if (d.strides.count > 0) stride[to] = d.strides.at[i];
      if (d.dilations.count > 0) dilation[to] = d.dilations.at[i];
      if (d.pads.count > 0) pad[to] = d.pads.at[i];
    }
  }

  // Calls term(big, weight, small) with the indices of the elements of every product. The index in big is -1 in the padding.
  template <class Term>
  void for_each_product(Term term) const {
    const std::int64_t of_group = small.channels / groups;
    for (std::int64_t n = 0; n < small.outer; ++n)
      for (std::int64_t m = 0; m < small.channels; ++m)
        for_each_place(small.extent, [&](const auto& o) {
          const std::int64_t to = small.at(n, m, o);
          for (std::int64_t c = 0; c < weight.channels; ++c)
            for_each_place(weight.extent, [&](const auto& k) {
              std::array<std::int64_t, 3> i;
              bool inside = true;
              for (std::size_t a = 0; a < 3; ++a) {
                i[a] = o[a] * stride[a] + k[a] * dilation[a] - pad[a];
                inside &= i[a] >= 0 && i[a] < big.extent[a];
              }
              term(inside ? big.at(n, m / of_group * weight.channels + c, i) : -1, weight.at(m, c, k), to);
            });
        });
  }
};

template <class T>
struct Sums {
  std::vector<Sum> at;
  explicit Sums(std::int64_t count) : at(static_cast<std::size_t>(count)) {}
  void add(std::int64_t i, double v) { at[static_cast<std::size_t>(i)].add(v); }
  void store(const adj_tensor& to, bool accumulate) {
    T* const out = static_cast<T*>(to.data);
    for (std::size_t i = 0; i < at.size(); ++i) {
      if (accumulate) at[i].add(to_double(out[i]));
      out[i] = from_double<T>(at[i].value());
    }
  }
};

template <class Descriptor, class Args>
void forward(const Descriptor& d, const Args& a, bool transposed) {
  const Geometry g(d, transposed);
  const View& out = transposed ? g.big : g.small;
  with_float(d.element, [&](auto* element) {
    using T = std::remove_pointer_t<decltype(element)>;
    const T *input = static_cast<const T*>(a.input.data), *weight = static_cast<const T*>(a.weight.data), *bias = static_cast<const T*>(a.bias.data);
    Sums<T> sums(out.volume());
    g.for_each_product([&](std::int64_t big, std::int64_t w, std::int64_t small) {
      if (!transposed) sums.add(small, (big < 0 ? 0 : to_double(input[big])) * to_double(weight[w]));
      else if (big >= 0) sums.add(big, to_double(input[small]) * to_double(weight[w]));
    });
    if (bias)
      for (std::int64_t n = 0; n < out.outer; ++n)
        for (std::int64_t c = 0; c < out.channels; ++c) for_each_place(out.extent, [&](const auto& p) { sums.add(out.at(n, c, p), to_double(bias[c])); });
    sums.store(a.out, false);
  });
}

template <class Descriptor, class Args>
void backward(const Descriptor& d, const Args& a, bool transposed) {
  const Geometry g(d, transposed);
  const View &in = transposed ? g.small : g.big, &out = transposed ? g.big : g.small;
  const bool accumulate = d.write_mode == ADJ_WRITE_ACCUMULATE;
  with_float(d.element, [&](auto* element) {
    using T = std::remove_pointer_t<decltype(element)>;
    const T *dout = static_cast<const T*>(a.dout.data), *input = static_cast<const T*>(a.input.data), *weight = static_cast<const T*>(a.weight.data);
    Sums<T> dinput(d.has_dinput ? in.volume() : 0), dweight(d.has_dweight ? g.weight.volume() : 0), dbias(d.has_dbias ? out.channels : 0);
    g.for_each_product([&](std::int64_t big, std::int64_t w, std::int64_t small) {
      auto value = [](const T* from, std::int64_t i) { return i < 0 ? 0.0 : to_double(from[i]); };
      if (d.has_dinput) {
        if (transposed) dinput.add(small, value(dout, big) * to_double(weight[w]));
        else if (big >= 0) dinput.add(big, to_double(dout[small]) * to_double(weight[w]));
      }
      if (d.has_dweight) dweight.add(w, transposed ? value(dout, big) * to_double(input[small]) : value(input, big) * to_double(dout[small]));
    });
    if (d.has_dbias)
      for (std::int64_t n = 0; n < out.outer; ++n)
        for (std::int64_t c = 0; c < out.channels; ++c) for_each_place(out.extent, [&](const auto& p) { dbias.add(c, to_double(dout[out.at(n, c, p)])); });
    if (d.has_dinput) dinput.store(a.dinput, false);
    if (d.has_dweight) dweight.store(a.dweight, accumulate);
    if (d.has_dbias) dbias.store(a.dbias, accumulate);
  });
}

}  // namespace

void conv_forward(const adj_conv_forward_descriptor& d, const adj_conv_forward_args& a, void*) { forward(d, a, false); }
void conv_backward(const adj_conv_backward_descriptor& d, const adj_conv_backward_args& a, void*) { backward(d, a, false); }
void conv_transpose_forward(const adj_conv_transpose_forward_descriptor& d, const adj_conv_transpose_forward_args& a, void*) { forward(d, a, true); }
void conv_transpose_backward(const adj_conv_transpose_backward_descriptor& d, const adj_conv_transpose_backward_args& a, void*) { backward(d, a, true); }

}  // namespace adj::host
