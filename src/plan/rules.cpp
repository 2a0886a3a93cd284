#include "plan/rules.hpp"

#include <algorithm>

namespace adj::rules {

std::int64_t times(std::span<const std::int64_t> numbers) {
  std::uint64_t product = 1;
  for (std::int64_t n : numbers) product *= static_cast<std::uint64_t>(n);
  return std::ranges::find(numbers, 0) != numbers.end() ? 0 : static_cast<std::int64_t>(product);
}

std::optional<std::int64_t> volume_beside_zeros(std::span<const std::int64_t> dims, std::int64_t most) {
  std::int64_t product = 1;
  for (std::int64_t n : dims) {
    if (n < 0 || n > most / product) return {};
    if (n > 0) product *= n;
  }
  return product;
}

std::optional<std::int64_t> volume(std::span<const std::int64_t> dims) {
  const auto others = volume_beside_zeros(dims);
  return others && std::ranges::find(dims, 0) != dims.end() ? 0 : others;
}

Dims&& Dims::put(std::span<const std::int64_t> dims) {
  for (std::int64_t extent : dims)
    if (rank_ < dims_.size()) dims_[rank_++] = extent;
    else dims_.back() = times({dims_.back(), extent});
  return std::move(*this);
}

ArgumentSpec tensor(adj_dtype dtype, const Dims& dims, Presence presence) {
  ArgumentSpec spec = ArgumentSpec::tensor(dtype, {}, presence);
  const std::int64_t volume = times(dims.all());
  const bool fits = dims.all().size() <= ADJ_MAX_RANK;
  const std::span<const std::int64_t> shape = fits ? dims.all() : std::span(&volume, 1);
  spec.rank = static_cast<int>(shape.size());
  std::ranges::copy(shape, spec.shape.begin());
  spec.bytes *= static_cast<std::uint64_t>(volume);
  return spec;
}

Dims part_of(const Dims& dims, std::int64_t from, std::int64_t to) {
  const auto rank = static_cast<std::int64_t>(dims.all().size());
  auto bound = [&](std::int64_t at) { return static_cast<std::size_t>(std::clamp<std::int64_t>(at < 0 ? at + rank : at, 0, rank)); };
  return Dims(dims.all().subspan(bound(from), std::max(bound(to), bound(from)) - bound(from)));
}

std::int64_t extent_of(const Dims& dims, std::int64_t axis) {
  const auto rank = static_cast<std::int64_t>(dims.all().size());
  axis += axis < 0 ? rank : 0;
  return axis >= 0 && axis < rank ? dims.all()[static_cast<std::size_t>(axis)] : 0;
}

Dims replaced_of(const Dims& dims, std::int64_t axis, std::int64_t extent) {
  const auto rank = static_cast<std::int64_t>(dims.all().size());
  axis += axis < 0 ? rank : 0;
  Dims made;
  for (std::int64_t i = 0; i < rank; ++i) made.push(i == axis ? extent : dims.all()[static_cast<std::size_t>(i)]);
  return made;
}

Dims broadcast_of(const Dims& a, const Dims& b) {
  const std::size_t rank = std::max(a.all().size(), b.all().size());
  auto extent = [&](const Dims& dims, std::size_t i) { return i + dims.all().size() < rank ? 1 : dims.all()[i + dims.all().size() - rank]; };
  Dims made;
  for (std::size_t i = 0; i < rank; ++i) made.push(extent(a, i) == 1 ? extent(b, i) : extent(a, i));
  return made;
}

}  // namespace adj::rules
