#include "ops/common/shapes.hpp"

#include <algorithm>

namespace adj {

Result<unsigned> axes_mask(const char* op, const char* field, const adj_axes& axes, std::int64_t rank) {
  unsigned mask = 0;
  for (std::int64_t i = 0; i < axes.count; ++i) {
    auto axis = normalise_axis(op, field, axes.at[i], rank);
    if (!axis) return axis.take_error();
    if (mask >> *axis & 1) return fail(ADJ_ERROR_INVALID_PROBLEM, "{}: {}.at[{}] = {} names axis {} again", op, field, i, axes.at[i], *axis);
    mask |= 1u << *axis;
  }
  return mask;
}

Merged merge_dims(std::span<const std::int64_t> dims, unsigned mask) {
  Merged m;
  for (std::size_t i = 0; i < dims.size(); ++i) {
    if (dims[i] == 1) continue;
    const bool marked = mask >> i & 1;
    const auto last = static_cast<std::size_t>(m.rank) - 1;
    if (m.rank > 0 && m.marked[last] == marked) {
      m.dims[last] *= dims[i];
    } else {
      m.dims[last + 1] = dims[i];
      m.marked[last + 1] = marked;
      ++m.rank;
    }
  }
  return m;
}

ArgumentSpec tensor_of(adj_dtype dtype, std::span<const std::int64_t> dims, Presence presence) {
  ArgumentSpec spec = ArgumentSpec::tensor(dtype, {}, presence);
  spec.rank = static_cast<int>(dims.size());
  std::copy(dims.begin(), dims.end(), spec.shape.begin());
  spec.bytes = static_cast<std::uint64_t>(volume_of(dims)) * size_of(dtype);
  return spec;
}

}  // namespace adj
