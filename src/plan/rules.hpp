// Meaning of the expressions in the annotations of the headers. The generated tables are written in these functions; the grammar is in
// tools/generators/README.md.
#pragma once

#include <array>
#include <cstdint>
#include <initializer_list>
#include <limits>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include <adjoint/types.h>

#include "plan/op.hpp"

namespace adj::rules {

// The product of numbers; 0 where one is 0, whatever the others are.
std::int64_t times(std::span<const std::int64_t> numbers);
inline std::int64_t times(std::initializer_list<std::int64_t> numbers) { return times(std::span(numbers.begin(), numbers.size())); }
// The product of the extents other than 0; nothing when it is above `most` or an extent is negative.
std::optional<std::int64_t> volume_beside_zeros(std::span<const std::int64_t> dims, std::int64_t most = std::numeric_limits<std::int64_t>::max());
// The product; nothing when volume_beside_zeros has none.
std::optional<std::int64_t> volume(std::span<const std::int64_t> dims);

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
  Dims&& put(std::span<const std::int64_t> dims);
  std::size_t rank_ = 0;
  std::array<std::int64_t, std::size_t{2} * ADJ_MAX_RANK> dims_{};
};

// ---- what an argument must be

inline Presence optional_if(bool condition) { return condition ? Presence::optional : Presence::required; }
ArgumentSpec tensor(adj_dtype dtype, const Dims& dims, Presence presence = Presence::required);
// An argument whose shape the operator adds.
inline ArgumentSpec computed(adj_dtype dtype, Presence presence = Presence::required) { return ArgumentSpec::tensor(dtype, {}, presence); }
inline ArgumentSpec float_scalar(Presence presence = Presence::required) {
  ArgumentSpec spec = ArgumentSpec::scalar(ADJ_F32, ADJ_DTYPE_NONE, presence);
  spec.any_float = true;
  return spec;
}
inline std::span<const std::int64_t> list_of(const std::int64_t* items, std::int64_t count) { return {items, static_cast<std::size_t>(count)}; }
// A list of `count` tensors; the i-th has elements(i) elements.
template <class Elements>
ArgumentSpec each(adj_dtype dtype, std::int64_t count, Elements elements, Presence presence = Presence::required) {
  std::vector<std::int64_t> counts;
  for (std::int64_t i = 0; i < count; ++i) counts.push_back(elements(i));
  return ArgumentSpec::list(dtype, std::move(counts), presence);
}

// ---- functions of expressions

inline adj_dtype either(adj_dtype dtype, adj_dtype otherwise) { return dtype ? dtype : otherwise; }
inline std::int64_t quotient(std::int64_t a, std::int64_t b) { return b ? a / b : 0; }
inline std::int64_t remainder(std::int64_t a, std::int64_t b) { return b ? a % b : a; }
inline std::int64_t ceil_div_of(std::int64_t a, std::int64_t b) { return b ? a / b + (a % b != 0) : 0; }
template <class Value>
std::int64_t sum_of(std::int64_t count, Value value) {
  std::int64_t sum = 0;
  for (std::int64_t i = 0; i < count; ++i) sum += value(i);
  return sum;
}
// The dimensions [from, to); a negative bound counts from the end.
Dims part_of(const Dims& dims, std::int64_t from, std::int64_t to = std::numeric_limits<std::int64_t>::max());
inline std::int64_t product_of(const Dims& dims, std::int64_t from = 0, std::int64_t to = std::numeric_limits<std::int64_t>::max()) {
  return times(part_of(dims, from, to).all());
}
// The extent of one axis; a negative axis counts from the end.
std::int64_t extent_of(const Dims& dims, std::int64_t axis);
Dims replaced_of(const Dims& dims, std::int64_t axis, std::int64_t extent);
// The shape that two shapes are broadcast to, aligned at the last dimension.
Dims broadcast_of(const Dims& a, const Dims& b);

}  // namespace adj::rules
