// Convolutions as products of matrices: the weight, and the elements that each tap reaches, which are read block by block.
#include "host/conv.hpp"

#include <array>
#include <cstddef>
#include <numeric>
#include <utility>

#include "host/product.hpp"

namespace adj::host {

namespace {

using Place = std::array<std::int64_t, 3>;

// A tensor as stored, seen as [outer, channels, z, y, x]. `stride`: elements between neighbours in space.
struct View {
  std::int64_t outer, channels, outer_stride, channel_stride;
  Place extent{1, 1, 1}, stride{};

  View(const adj_shape& s, bool channels_last) : outer(s.dims[0]), channels(s.dims[channels_last ? s.rank - 1 : 1]) {
    for (std::int64_t i = 2; i < s.rank; ++i) extent[static_cast<std::size_t>(5 - s.rank + i - 2)] = s.dims[channels_last ? i - 1 : i];
    std::int64_t volume = channels_last ? channels : 1;
    for (std::size_t i = 3; i-- > 0; volume *= extent[i]) stride[i] = volume;
    channel_stride = channels_last ? 1 : volume;
    outer_stride = channels_last ? volume : volume * channels;
  }
  std::int64_t at(std::int64_t o, std::int64_t c) const { return o * outer_stride + c * channel_stride; }
  std::int64_t at(const Place& p) const { return p[0] * stride[0] + p[1] * stride[1] + p[2] * stride[2]; }
};

// Places of one spatial dimension and the taps that reach them. Place j is element place_first + j * place_step of a tensor, tap t is element
// tap_first + t * tap_step of the weight, and the two meet at element j * source_step + source_first + t * source_tap of the source.
struct Axis {
  std::int64_t places, place_first = 0, place_step = 1;
  std::int64_t taps = 1, tap_first = 0, tap_step = 1;
  std::int64_t source_step = 1, source_first = 0, source_tap = 0;
};
using Axes = std::array<Axis, 3>;

std::int64_t ceil_div(std::int64_t a, std::int64_t b) { return (a + b - 1) / b; }

// The smallest x >= 0 with a * x = b modulo n, where a and n have no common divisor.
std::int64_t solve(std::int64_t a, std::int64_t b, std::int64_t n) {
  std::int64_t r = n, next_r = a % n, x = 0, next_x = 1;  // a * x = r modulo n
  while (next_r != 0) {
    const std::int64_t quotient = r / next_r;
    r = std::exchange(next_r, r - quotient * next_r);
    x = std::exchange(next_x, x - quotient * next_x);
  }
  return (x * b % n + n) % n;
}

// A convolution from `big` to `small` (kernels/conv/README.md): input and result, or result and input when transposed.
struct Geometry {
  View big, small, weight;
  Place stride{1, 1, 1}, dilation{1, 1, 1}, pad{0, 0, 0};
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

  // Places of `small`, each of which all taps reach from `big`.
  Axes from_big() const {
    Axes axes;
    for (std::size_t i = 0; i < 3; ++i)
      axes[i] = {.places = small.extent[i], .taps = weight.extent[i], .source_step = stride[i], .source_first = -pad[i], .source_tap = dilation[i]};
    return axes;
  }

  // Places of `big` whose remainders by the stride are `phase`, reached from `small` by those taps k for which phase + pad - k * dilation is a
  // multiple of the stride.
  Axes from_small(const Place& phase) const {
    Axes axes;
    for (std::size_t i = 0; i < 3; ++i) {
      const std::int64_t s = stride[i], common = std::gcd(s, dilation[i]), step = s / common, shift = phase[i] + pad[i];
      axes[i] = {.places = ceil_div(big.extent[i] - phase[i], s), .place_first = phase[i], .place_step = s, .taps = 0, .tap_step = step};
      if (shift % common != 0) continue;
      const std::int64_t first = solve(dilation[i] / common, shift / common % step, step);
      if (first >= weight.extent[i]) continue;
      axes[i].taps = ceil_div(weight.extent[i] - first, step);
      axes[i].tap_first = first;
      axes[i].source_first = (shift - first * dilation[i]) / s;
      axes[i].source_tap = -dilation[i] / common;
    }
    return axes;
  }

  std::int64_t big_of_group() const { return weight.channels; }
  std::int64_t small_of_group() const { return small.channels / groups; }
};

std::int64_t places_of(const Axes& a) { return a[0].places * a[1].places * a[2].places; }
std::int64_t taps_of(const Axes& a) { return a[0].taps * a[1].taps * a[2].taps; }

// Coordinates of item `i` of a row-major array.
template <std::int64_t Axis::* extent>
Place split(const Axes& a, std::int64_t i) {
  return {i / (a[2].*extent) / (a[1].*extent), i / (a[2].*extent) % (a[1].*extent), i % (a[2].*extent)};
}

// Consecutive places along x: `count` of image `outer`, from `first`.
struct Run {
  std::int64_t outer;
  Place first;
  std::int64_t count;
};
struct Runs {
  std::array<Run, static_cast<std::size_t>(kTile)> list;
  std::size_t count = 0;

  // Those of places [place, place + places) of all images.
  Runs(const Axes& axes, std::int64_t place, std::int64_t places) {
    const std::int64_t of_image = places_of(axes);
    for (std::int64_t n = 0; n < places; n += list[count - 1].count) {
      const Place first = split<&Axis::places>(axes, (place + n) % of_image);
      list[count++] = {(place + n) / of_image, first, std::min(places - n, axes[2].places - first[2])};
    }
  }
  const Run* begin() const { return list.data(); }
  const Run* end() const { return list.data() + count; }
};

// The matrix of the elements of a tensor that each tap of each channel (a line) reaches at each place of all images.
template <class T>
struct Patches {
  const T* data;
  View view;
  Axes axes;

  // Lines are counted from the first tap of channel `channel`. Element (line + l, place + p) goes to to[l * line_stride + p * place_stride]. Returns
  // whether some lie outside of the tensor: they are 0.
  bool load(std::int64_t channel, std::int64_t line, std::int64_t lines, std::int64_t place, std::int64_t places, double* to, std::int64_t line_stride,
            std::int64_t place_stride, Reading what) const {
    const Runs runs(axes, place, places);
    const std::int64_t taps = taps_of(axes);
    bool outside = false;
    for (std::int64_t l = 0; l < lines; ++l, to += line_stride) {
      const std::int64_t base = view.at(0, channel + (line + l) / taps);
      const Place tap = split<&Axis::taps>(axes, (line + l) % taps);
      double* at = to;
      for (const Run& run : runs) {
        Place source;
        bool inside = true;
        for (std::size_t i = 0; i < 3; ++i) {
          source[i] = run.first[i] * axes[i].source_step + axes[i].source_first + tap[i] * axes[i].source_tap;
          if (i < 2) inside &= source[i] >= 0 && source[i] < view.extent[i];
        }
        // Of the run, [begin, end) lies inside.
        const std::int64_t step = axes[2].source_step, extent = view.extent[2];
        std::int64_t begin = 0, end = run.count;
        if (source[2] < 0) begin = std::min(end, ceil_div(-source[2], step));
        if (source[2] + (end - 1) * step >= extent) end = std::max(begin, source[2] >= extent ? 0 : ceil_div(extent - source[2], step));
        if (!inside) begin = end = 0;
        for (std::int64_t i = 0; i < begin; ++i) at[i * place_stride] = 0;
        if (begin < end) {
          if (what == Reading::presence)
            for (std::int64_t i = begin; i < end; ++i) at[i * place_stride] = 1;
          else
            widen(data + base + run.outer * view.outer_stride + view.at(source) + begin * step * view.stride[2], step * view.stride[2],
                  at + begin * place_stride, place_stride, end - begin);
        }
        for (std::int64_t i = end; i < run.count; ++i) at[i * place_stride] = 0;
        outside |= begin > 0 || end < run.count;
        at += run.count * place_stride;
      }
    }
    return outside;
  }
};

// Elements of the weight for the lines [line, line + count) of a matrix of patches.
struct Lines {
  std::array<std::int64_t, static_cast<std::size_t>(kTile)> at;
  bool contiguous = true;

  Lines(const View& weight, const Axes& axes, std::int64_t channel_stride, std::int64_t line, std::int64_t count) {
    const std::int64_t taps = taps_of(axes);
    for (std::int64_t l = 0; l < count; ++l) {
      Place tap = split<&Axis::taps>(axes, (line + l) % taps);
      for (std::size_t i = 0; i < 3; ++i) tap[i] = axes[i].tap_first + tap[i] * axes[i].tap_step;
      at[static_cast<std::size_t>(l)] = (line + l) / taps * channel_stride + weight.at(tap);
      contiguous &= at[static_cast<std::size_t>(l)] == at[0] + l;
    }
  }
  std::int64_t operator[](std::int64_t l) const { return at[static_cast<std::size_t>(l)]; }
};

// result[n, row, place] = bias[row] + sum over lines of weight[row, line] * patch[line, place]. A matrix for each group; order: channels, then taps.
template <class T>
struct Images {
  const Geometry& g;
  bool from_big;
  Patches<T> patches;
  const T *weight, *bias;
  View view;  // of the result
  T* out;

  std::int64_t rows() const { return from_big ? g.small_of_group() : g.big_of_group(); }
  std::int64_t channels() const { return from_big ? g.big_of_group() : g.small_of_group(); }
  ProductExtents extents() const { return {g.groups, rows(), view.outer * places_of(patches.axes), channels() * taps_of(patches.axes)}; }

  void load_a(const ProductBlock& block, std::int64_t from, std::int64_t depth, Tile& to) const {
    const std::int64_t of_small = g.weight.outer_stride, of_big = g.weight.channel_stride;
    const Lines lines(g.weight, patches.axes, from_big ? of_big : of_small, from, depth);
    for (std::int64_t r = 0; r < block.rows; ++r) {
      const T* const row = weight + block.matrix * g.small_of_group() * of_small + (block.row + r) * (from_big ? of_small : of_big);
      if (lines.contiguous) widen(row + lines[0], 1, to[r], 1, depth);
      else
        for (std::int64_t q = 0; q < depth; ++q) to[r][q] = to_double(row[lines[q]]);
    }
  }
  bool load_b(const ProductBlock& block, std::int64_t from, std::int64_t depth, Tile& to, Reading what) const {
    return patches.load(block.matrix * channels(), from, depth, block.column, block.columns, to[0], to[1] - to[0], 1, what);
  }
  void finish(const ProductBlock& block, const Tile& sums) const {
    const Axes& axes = patches.axes;
    const Runs runs(axes, block.column, block.columns);
    for (std::int64_t r = 0; r < block.rows; ++r) {
      const std::int64_t channel = block.matrix * rows() + block.row + r;
      const double more = bias ? to_double(bias[channel]) : 0;
      const double* from = sums[r];
      for (const Run& run : runs) {
        Place first;
        for (std::size_t i = 0; i < 3; ++i) first[i] = axes[i].place_first + run.first[i] * axes[i].place_step;
        T* const to = out + view.at(run.outer, channel) + view.at(first);
        for (std::int64_t i = 0; i < run.count; ++i) to[i * axes[2].place_step * view.stride[2]] = from_double<T>(*from++ + more);
      }
    }
  }
};

// dweight[row, line] (=|+=) sum over images and places of small[row, place] * patch of big[line, place].
template <class T>
struct WeightGradient {
  const Geometry& g;
  Patches<T> small, big;
  T* out;
  bool accumulate;

  ProductExtents extents() const { return {g.groups, g.small_of_group(), g.big_of_group() * taps_of(big.axes), g.small.outer * places_of(big.axes)}; }
  void load_a(const ProductBlock& block, std::int64_t from, std::int64_t depth, Tile& to) const {
    small.load(block.matrix * g.small_of_group(), block.row, block.rows, from, depth, to[0], to[1] - to[0], 1, Reading::values);
  }
  bool load_b(const ProductBlock& block, std::int64_t from, std::int64_t depth, Tile& to, Reading what) const {
    return big.load(block.matrix * g.big_of_group(), block.column, block.columns, from, depth, to[0], 1, to[1] - to[0], what);
  }
  void finish(const ProductBlock& block, const Tile& sums) const {
    const Lines lines(g.weight, big.axes, g.weight.channel_stride, block.column, block.columns);
    for (std::int64_t r = 0; r < block.rows; ++r)
      for (std::int64_t j = 0; j < block.columns; ++j) {
        T& to = out[(block.matrix * g.small_of_group() + block.row + r) * g.weight.outer_stride + lines[j]];
        to = from_double<T>(accumulate ? to_double(to) + sums[r][j] : sums[r][j]);
      }
  }
};

// out[n, m, o] from `big`, whose products all taps have.
template <class T>
void to_small(const Geometry& g, const void* big, const void* weight, const void* bias, void* small) {
  multiply(Images<T>{
      g, true, {static_cast<const T*>(big), g.big, g.from_big()}, static_cast<const T*>(weight), static_cast<const T*>(bias), g.small, static_cast<T*>(small)});
}

// The places of `big` are taken by their remainders by the stride: those of one remainder have the same taps.
template <class T>
void to_big(const Geometry& g, const void* small, const void* weight, const void* bias, void* big) {
  if (g.big.outer == 0 || g.big_of_group() == 0) return;
  Place phases, phase;
  for (std::size_t i = 0; i < 3; ++i) phases[i] = std::min(g.stride[i], g.big.extent[i]);
  for (phase[0] = 0; phase[0] < phases[0]; ++phase[0])
    for (phase[1] = 0; phase[1] < phases[1]; ++phase[1])
      for (phase[2] = 0; phase[2] < phases[2]; ++phase[2])
        multiply(Images<T>{g,
                           false,
                           {static_cast<const T*>(small), g.small, g.from_small(phase)},
                           static_cast<const T*>(weight),
                           static_cast<const T*>(bias),
                           g.big,
                           static_cast<T*>(big)});
}

template <class T>
void weight_gradient(const Geometry& g, const void* small, const void* big, void* out, bool accumulate) {
  Axes same;
  for (std::size_t i = 0; i < 3; ++i) same[i] = {.places = g.small.extent[i]};
  multiply(
      WeightGradient<T>{g, {static_cast<const T*>(small), g.small, same}, {static_cast<const T*>(big), g.big, g.from_big()}, static_cast<T*>(out), accumulate});
}

// dbias[c] (=|+=) sum over images and places of dout[n, c, place].
template <class T>
void bias_gradient(const View& view, const void* dout, void* dbias, bool accumulate) {
  const ColumnSums sums{.outer = view.outer,
                        .outer_stride = view.outer_stride,
                        .inner = view.extent[0] * view.extent[1] * view.extent[2],
                        .inner_stride = view.stride[2],
                        .columns = view.channels,
                        .column_stride = view.channel_stride};
  T* const out = static_cast<T*>(dbias);
  add_columns(sums, static_cast<const T*>(dout), [&](std::int64_t c, double sum) { out[c] = from_double<T>(accumulate ? to_double(out[c]) + sum : sum); });
}

template <class Descriptor, class Args>
void forward(const Descriptor& d, const Args& a, bool transposed) {
  const Geometry g(d, transposed);
  with_float(d.element, [&](auto* element) {
    using T = std::remove_pointer_t<decltype(element)>;
    if (transposed) to_big<T>(g, a.input.data, a.weight.data, a.bias.data, a.out.data);
    else to_small<T>(g, a.input.data, a.weight.data, a.bias.data, a.out.data);
  });
}

template <class Descriptor, class Args>
void backward(const Descriptor& d, const Args& a, bool transposed) {
  const Geometry g(d, transposed);
  const bool accumulate = d.write_mode == ADJ_WRITE_ACCUMULATE;
  with_float(d.element, [&](auto* element) {
    using T = std::remove_pointer_t<decltype(element)>;
    if (d.has_dinput) {
      if (transposed) to_small<T>(g, a.dout.data, a.weight.data, nullptr, a.dinput.data);
      else to_big<T>(g, a.dout.data, a.weight.data, nullptr, a.dinput.data);
    }
    if (d.has_dweight) weight_gradient<T>(g, transposed ? a.input.data : a.dout.data, transposed ? a.dout.data : a.input.data, a.dweight.data, accumulate);
    if (d.has_dbias) bias_gradient<T>(transposed ? g.big : g.small, a.dout.data, a.dbias.data, accumulate);
  });
}

}  // namespace

void conv_forward(const adj_conv_forward_descriptor& d, const adj_conv_forward_args& a, void*) { forward(d, a, false); }
void conv_backward(const adj_conv_backward_descriptor& d, const adj_conv_backward_args& a, void*) { backward(d, a, false); }
void conv_transpose_forward(const adj_conv_transpose_forward_descriptor& d, const adj_conv_transpose_forward_args& a, void*) { forward(d, a, true); }
void conv_transpose_backward(const adj_conv_transpose_backward_descriptor& d, const adj_conv_transpose_backward_args& a, void*) { backward(d, a, true); }

}  // namespace adj::host
