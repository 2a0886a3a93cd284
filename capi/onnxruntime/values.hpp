// Tensors of a node: what they are, their values where those are read on the host, and the shapes that a binding derives from them.
#pragma once

#include <bit>
#include <cstring>
#include <span>

#include "capi/named_call.hpp"
#include "capi/onnxruntime/binding.hpp"
#include "capi/onnxruntime/interface.hpp"

namespace adjoint::onnxruntime {

using Dims = std::vector<std::int64_t>;
using named::Failure;

struct Tensor {
  bool there = false;
  void* data = nullptr;
  adj_dtype dtype = ADJ_DTYPE_NONE;
  Dims dims;
};

[[noreturn]] inline void refuse(const std::string& what, adj_status code = ADJ_ERROR_INVALID_ARGUMENT) { throw Failure(code, what); }

inline std::int64_t product(std::span<const std::int64_t> dims) {
  std::int64_t all = 1;
  for (std::int64_t d : dims) all *= d;
  return all;
}
inline std::int64_t product(const Dims& dims, std::size_t first, std::size_t last) {
  return product(std::span(dims).subspan(first, std::max(first, std::min(last, dims.size())) - first));
}

inline double f16_value(std::uint16_t bits) {
  const int exponent = bits >> 10 & 31, mantissa = bits & 1023;
  const double magnitude = exponent == 0    ? mantissa * 0x1p-24
                           : exponent == 31 ? (mantissa ? std::numeric_limits<double>::quiet_NaN() : std::numeric_limits<double>::infinity())
                                            : (1024 + mantissa) * std::bit_cast<double>(std::uint64_t(1023 + exponent - 25) << 52);
  return bits & 0x8000 ? -magnitude : magnitude;
}

// One value of a tensor in ordinary memory.
inline double value_of(adj_dtype dtype, const void* data, std::int64_t i) {
  const auto at = [&]<class T>(T) {
    T value;
    std::memcpy(&value, static_cast<const T*>(data) + i, sizeof value);
    return value;
  };
  switch (dtype) {
    case ADJ_F32: return at(float{});
    case ADJ_F64: return at(double{});
    case ADJ_I32: return at(std::int32_t{});
    case ADJ_I64: return static_cast<double>(at(std::int64_t{}));
    case ADJ_BOOL: return at(std::uint8_t{}) != 0;
    case ADJ_F16: return f16_value(at(std::uint16_t{}));
    case ADJ_BF16: return std::bit_cast<float>(std::uint32_t{at(std::uint16_t{})} << 16);
    default: refuse("a value of this element type is not read");
  }
}
inline std::int64_t integer_of(adj_dtype dtype, const void* data, std::int64_t i) {
  if (dtype != ADJ_I64) return static_cast<std::int64_t>(value_of(dtype, data, i));
  std::int64_t value;
  std::memcpy(&value, static_cast<const std::int64_t*>(data) + i, sizeof value);
  return value;
}
inline Dims integers_of(const Tensor& t) {
  Dims values(static_cast<std::size_t>(product(t.dims)));
  for (std::size_t i = 0; i < values.size(); ++i) values[i] = integer_of(t.dtype, t.data, static_cast<std::int64_t>(i));
  return values;
}

// What the attributes of a node say of dimensions.
struct Layout {
  std::int64_t axis = 0;
  bool unreduced = false;    // reduction is none
  bool keep = true;          // keepdims
  bool empty_is_none = false;  // noop_with_empty_axes
};

inline std::size_t axis_of(const Layout& layout, std::size_t rank) {
  const auto n = static_cast<std::int64_t>(rank);
  if (layout.axis < -n || layout.axis >= std::max<std::int64_t>(n, 1))
    refuse("axis = " + std::to_string(layout.axis) + " is outside " + std::to_string(-n) + " to " + std::to_string(n - 1));
  return static_cast<std::size_t>(layout.axis < 0 ? layout.axis + n : layout.axis);
}

// extra: of rowwise the columns, of gathered the rank of the second input.
inline Dims folded(const std::string& name, Fold fold, const Dims& s, const Layout& layout, std::int64_t extra) {
  const std::size_t r = s.size(), all = r;
  const auto at_least = [&](std::size_t rank) {
    if (r < rank) refuse(name + " has rank " + std::to_string(r) + ", expected " + std::to_string(rank) + " or more", ADJ_ERROR_SHAPE_MISMATCH);
  };
  switch (fold) {
    case Fold::whole: return s;
    case Fold::flat: return {product(s)};
    case Fold::flat1: return {product(s), 1};
    case Fold::inner: return {1, 1, product(s)};
    case Fold::last: at_least(1); return {product(s, 0, r - 1), s[r - 1]};
    case Fold::last1: at_least(1); return {product(s, 0, r - 1), s[r - 1], 1};
    case Fold::axis: {
      at_least(1);
      const std::size_t a = axis_of(layout, r);
      return {product(s, 0, a), s[a], product(s, a + 1, all)};
    }
    case Fold::tail:
    case Fold::tail1: {
      const std::size_t a = axis_of(layout, r);
      Dims made{product(s, 0, a), product(s, a, all)};
      if (fold == Fold::tail1) made.push_back(1);
      return made;
    }
    case Fold::rowwise: return {extra ? product(s) / extra : 0, extra};
    case Fold::channels: at_least(2); return {s[0], s[1], product(s, 2, all)};
    case Fold::rows: at_least(1); return {s[0], product(s, 1, all)};
    case Fold::rows2: at_least(2); return {s[0], s[1], product(s, 2, all)};
    case Fold::loss: return layout.unreduced ? folded(name, Fold::rows, s, layout, extra) : Dims{product(s)};
    case Fold::loss1: return layout.unreduced ? Dims{product(s), 1} : Dims{product(s)};
    case Fold::gathered: {
      const auto middle = static_cast<std::size_t>(extra);
      at_least(middle);
      const std::size_t a = axis_of(layout, r - middle + 1);
      return {product(s, 0, a), product(s, a, a + middle), product(s, a + middle, all)};
    }
  }
  return s;
}

// The shape of an output, entry `entry` of a variadic one.
inline Dims shape_of(const Binding& binding, const Port& port, const std::vector<std::vector<Tensor>>& inputs, const Layout& layout, std::size_t entry,
                     std::size_t entries) {
  Dims shape;
  for (const Piece& piece : port.shape) {
    const std::vector<Tensor>& list = inputs[piece.input];
    const auto the = [&]() -> const Tensor& {
      if (list.empty() || !list[0].there) refuse(binding.inputs[piece.input].name + " is missing");
      return list[0];
    };
    const auto add = [&](const Dims& dims, std::int64_t first = 0, std::int64_t last = 1 << 20) {
      const auto n = static_cast<std::int64_t>(dims.size());
      const auto place = [&](std::int64_t i) { return std::clamp<std::int64_t>(i < 0 ? i + n : i, 0, n); };
      if (place(first) < place(last)) shape.insert(shape.end(), dims.begin() + place(first), dims.begin() + place(last));
    };
    switch (piece.kind) {
      case Piece::number: shape.push_back(piece.value); break;
      case Piece::scalar: break;
      case Piece::dimensions: add(the().dims, piece.first, piece.last); break;
      case Piece::values: add(integers_of(the())); break;
      case Piece::loss:
        if (layout.unreduced) add(the().dims, piece.first, piece.last);
        break;
      case Piece::bytes: shape.push_back((product(the().dims) + 7) / 8); break;
      case Piece::bits: shape.push_back(8 * product(the().dims)); break;
      case Piece::count: shape.push_back(static_cast<std::int64_t>(list.size())); break;
      case Piece::sum: {
        const Dims &dims = the().dims, axes = integers_of(inputs[piece.second].at(0));
        const auto n = static_cast<std::int64_t>(dims.size());
        std::vector<bool> reduced(dims.size(), axes.empty() && !layout.empty_is_none);
        for (std::int64_t a : axes) {
          if (a < -n || a >= n) refuse("axes has " + std::to_string(a) + ", outside " + std::to_string(-n) + " to " + std::to_string(n - 1));
          reduced[static_cast<std::size_t>(a < 0 ? a + n : a)] = true;
        }
        for (std::size_t i = 0; i < dims.size(); ++i)
          if (!reduced[i]) shape.push_back(dims[i]);
          else if (layout.keep) shape.push_back(1);
        break;
      }
      case Piece::concat: {
        Dims dims = the().dims;
        const std::size_t a = axis_of(layout, dims.size());
        for (std::size_t i = 1; i < list.size(); ++i) {
          Dims other = list[i].dims;
          if (other.size() == dims.size()) other[a] = dims[a];
          const std::int64_t more = list[i].dims.size() == dims.size() ? list[i].dims[a] : 0;
          if (other != dims) refuse(binding.inputs[piece.input].name + "[" + std::to_string(i) + "] has another shape beside axis", ADJ_ERROR_SHAPE_MISMATCH);
          dims[a] += more;
        }
        add(dims);
        break;
      }
      case Piece::split: {
        Dims dims = the().dims, lengths = integers_of(inputs[piece.second].at(0));
        const std::size_t a = axis_of(layout, dims.size());
        const auto parts = static_cast<std::int64_t>(entries);
        if (lengths.empty() && parts > 0 && dims[a] % parts == 0) lengths.assign(entries, dims[a] / parts);
        if (lengths.size() != entries)
          refuse("split has " + std::to_string(lengths.size()) + " lengths for " + std::to_string(entries) + " outputs of an axis of " +
                 std::to_string(dims[a]));
        std::int64_t total = 0;
        for (std::int64_t length : lengths) total += length;
        if (total != dims[a]) refuse("the lengths of split add up to " + std::to_string(total) + ", the axis has " + std::to_string(dims[a]));
        dims[a] = lengths[entry];
        add(dims);
        break;
      }
      case Piece::each: {
        if (entry >= list.size()) refuse("there are more outputs than " + binding.inputs[piece.input].name);
        if (binding.inputs[piece.input].host) add(integers_of(list[entry]));
        else add(list[entry].dims);
        break;
      }
    }
  }
  return shape;
}

}  // namespace adjoint::onnxruntime
