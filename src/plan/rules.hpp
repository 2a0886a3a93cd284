// Meaning of the expressions in the annotations of the headers. The generated tables are written in these functions; the grammar is in
// tools/generators/README.md.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <initializer_list>
#include <limits>
#include <span>
#include <utility>
#include <vector>

#include <adjoint/types.h>

#include "plan/op.hpp"

namespace adj::rules {

// The product of numbers; 0 where one is 0, whatever the others are.
inline std::int64_t times(std::span<const std::int64_t> numbers) {
  std::uint64_t product = 1;
  for (std::int64_t n : numbers) product *= static_cast<std::uint64_t>(n);
  return std::ranges::find(numbers, 0) != numbers.end() ? 0 : static_cast<std::int64_t>(product);
}
inline std::int64_t times(std::initializer_list<std::int64_t> numbers) { return times(std::span(numbers.begin(), numbers.size())); }

// A shape that grows from numbers and shapes. More dimensions than ADJ_MAX_RANK state the volume alone.
class Dims {
 public:
  Dims() = default;
  Dims(const adj_shape& shape) { put({shape.dims, static_cast<std::size_t>(shape.rank)}); }  // NOLINT(google-explicit-constructor)
  explicit Dims(std::span<const std::int64_t> dims) { put(dims); }

  void push(std::int64_t extent) { put({&extent, 1}); }
  Dims&& add(std::int64_t extent) && { return put({&extent, 1}); }
  Dims&& add(const Dims& other) && { return put(other.all()); }
  std::span<const std::int64_t> all() const { return {dims_.data(), rank_}; }

 private:
  Dims&& put(std::span<const std::int64_t> dims) {
    for (std::int64_t extent : dims)
      if (rank_ < dims_.size()) dims_[rank_++] = extent;
      else dims_.back() = times({dims_.back(), extent});
    return std::move(*this);
  }
  std::size_t rank_ = 0;
  std::array<std::int64_t, std::size_t{2} * ADJ_MAX_RANK> dims_{};
};

// ---- what an argument must be

inline Presence optional_if(bool condition) { return condition ? Presence::optional : Presence::required; }
inline SlotSpec tensor(adj_dtype dtype, const Dims& dims, Presence presence = Presence::required) {
  SlotSpec spec = SlotSpec::tensor(dtype, {}, presence);
  const std::int64_t volume = times(dims.all());
  const bool fits = dims.all().size() <= ADJ_MAX_RANK;
  const std::span<const std::int64_t> shape = fits ? dims.all() : std::span(&volume, 1);
  spec.rank = static_cast<int>(shape.size());
  std::ranges::copy(shape, spec.shape.begin());
  spec.bytes *= static_cast<std::uint64_t>(volume);
  return spec;
}
// An argument whose shape the operator adds.
inline SlotSpec computed(adj_dtype dtype, Presence presence = Presence::required) { return SlotSpec::tensor(dtype, {}, presence); }
inline SlotSpec float_scalar(Presence presence = Presence::required) {
  SlotSpec spec = SlotSpec::scalar(ADJ_F32, ADJ_DTYPE_NONE, presence);
  spec.any_float = true;
  return spec;
}
inline std::span<const std::int64_t> list_of(const std::int64_t* items, std::int64_t count) { return {items, static_cast<std::size_t>(count)}; }
// A list of `count` tensors; the i-th has elements(i) elements.
template <class Elements>
SlotSpec each(adj_dtype dtype, std::int64_t count, Elements elements, Presence presence = Presence::required) {
  std::vector<std::int64_t> counts;
  for (std::int64_t i = 0; i < count; ++i) counts.push_back(elements(i));
  return SlotSpec::list(dtype, std::move(counts), presence);
}

// ---- functions of expressions

inline adj_dtype either(adj_dtype dtype, adj_dtype otherwise) { return dtype ? dtype : otherwise; }
inline std::int64_t quotient(std::int64_t a, std::int64_t b) { return b ? a / b : 0; }
inline std::int64_t ceil_div_of(std::int64_t a, std::int64_t b) { return b ? a / b + (a % b != 0) : 0; }
template <class Value>
std::int64_t sum_of(std::int64_t count, Value value) {
  std::int64_t sum = 0;
  for (std::int64_t i = 0; i < count; ++i) sum += value(i);
  return sum;
}
// The dimensions [from, to); a negative bound counts from the end.
inline Dims part_of(const Dims& dims, std::int64_t from, std::int64_t to = std::numeric_limits<std::int64_t>::max()) {
  const auto rank = static_cast<std::int64_t>(dims.all().size());
  auto bound = [&](std::int64_t at) { return static_cast<std::size_t>(std::clamp<std::int64_t>(at < 0 ? at + rank : at, 0, rank)); };
  return Dims(dims.all().subspan(bound(from), std::max(bound(to), bound(from)) - bound(from)));
}
inline std::int64_t product_of(const Dims& dims, std::int64_t from = 0, std::int64_t to = std::numeric_limits<std::int64_t>::max()) {
  return times(part_of(dims, from, to).all());
}
// The extent of one axis; a negative axis counts from the end.
inline std::int64_t extent_of(const Dims& dims, std::int64_t axis) {
  const auto rank = static_cast<std::int64_t>(dims.all().size());
  axis += axis < 0 ? rank : 0;
  return axis >= 0 && axis < rank ? dims.all()[static_cast<std::size_t>(axis)] : 0;
}
inline Dims replaced_of(const Dims& dims, std::int64_t axis, std::int64_t extent) {
  const auto rank = static_cast<std::int64_t>(dims.all().size());
  axis += axis < 0 ? rank : 0;
  Dims made;
  for (std::int64_t i = 0; i < rank; ++i) made.push(i == axis ? extent : dims.all()[static_cast<std::size_t>(i)]);
  return made;
}
// The shape that two shapes are broadcast to, aligned at the last dimension.
inline Dims broadcast_of(const Dims& a, const Dims& b) {
  const std::size_t rank = std::max(a.all().size(), b.all().size());
  auto extent = [&](const Dims& dims, std::size_t i) { return i + dims.all().size() < rank ? 1 : dims.all()[i + dims.all().size() - rank]; };
  Dims made;
  for (std::size_t i = 0; i < rank; ++i) made.push(extent(a, i) == 1 ? extent(b, i) : extent(a, i));
  return made;
}

}  // namespace adj::rules
