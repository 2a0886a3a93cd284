#include "ops/segment_sum/keys.hpp"

#include <array>

namespace adj {

Result<void> check_slices(const char* op, const adj_shape& input, const adj_shape& indices, std::int64_t b) {
  ADJ_TRY(check_ranked(op, "input_shape", input));
  ADJ_TRY(check_ranked(op, "indices_shape", indices));
  if (b < 0 || b >= indices.rank) return fail(ADJ_ERROR_INVALID_PROBLEM, "{}: batch_dims = {} is outside [0, {}), the rank of indices", op, b, indices.rank);
  const std::int64_t depth = indices.dims[indices.rank - 1];
  if (depth > input.rank - b)
    return fail(ADJ_ERROR_INVALID_PROBLEM, "{}: batch_dims = {} and the {} indices of a slice name more axes than the rank {} of dinput", op, b, depth,
                input.rank);
  for (std::int64_t i = 0; i < b; ++i)
    if (input.dims[i] != indices.dims[i])
      return fail(ADJ_ERROR_INVALID_PROBLEM, "{}: batch dimension {} is {} in input_shape and {} in indices_shape", op, i, input.dims[i], indices.dims[i]);
  return {};
}

IndexKeysParams slice_keys(const adj_shape& input, const adj_shape& indices, std::int64_t b) {
  const std::int64_t depth = indices.dims[indices.rank - 1];
  const std::int64_t batches = volume_of(part(input, 0, b)), of_batch = volume_of(part(input, b, b + depth));
  IndexKeysParams p{};
  p.count = volume_of(part(indices, 0, indices.rank - 1));
  p.none = batches * of_batch;
  p.rank = 2;
  p.extents[0] = batches;
  p.strides[0] = of_batch;
  p.extents[1] = batches ? p.count / batches : 0;
  p.depth = static_cast<int>(depth);
  std::int64_t stride = 1;
  for (std::int64_t j = depth - 1; j >= 0; --j) {
    p.index_extents[j] = input.dims[b + j];
    p.index_strides[j] = stride;
    stride *= input.dims[b + j];
  }
  return p;
}

Result<void> check_elements(const char* op, const adj_shape& input, const adj_shape& indices, std::int64_t given_axis) {
  ADJ_TRY(check_ranked(op, "input_shape", input));
  ADJ_TRY(check_ranked(op, "indices_shape", indices));
  if (indices.rank != input.rank) return fail(ADJ_ERROR_INVALID_PROBLEM, "{}: indices_shape has rank {} and input_shape has {}", op, indices.rank, input.rank);
  const auto axis = normalise_axis(op, "axis", given_axis, input.rank);
  if (!axis) return axis.error();
  for (int k = 0; k < input.rank; ++k)
    if (k != *axis && indices.dims[k] > input.dims[k])
      return fail(ADJ_ERROR_INVALID_PROBLEM, "{}: indices_shape has extent {} in dimension {}, input_shape {}", op, indices.dims[k], k, input.dims[k]);
  return {};
}

IndexKeysParams element_keys(const adj_shape& input, const adj_shape& indices, std::int64_t given_axis) {
  const std::int64_t axis = given_axis < 0 ? given_axis + input.rank : given_axis;
  IndexKeysParams p{};
  p.count = volume_of(dims_of(indices));
  p.none = volume_of(dims_of(input));
  p.depth = 1;
  // Dimensions from the innermost on. A dimension joins the one inside it when their strides make one longer dimension.
  std::int64_t stride = 1;
  int rank = 0;
  std::array<std::int64_t, ADJ_MAX_RANK> extents{}, strides{};
  for (int dim = static_cast<int>(input.rank) - 1; dim >= 0; --dim) {
    const std::int64_t extent = indices.dims[dim], own = dim == axis ? 0 : stride;
    if (dim == axis) {
      p.index_extents[0] = input.dims[dim];
      p.index_strides[0] = stride;
    }
    stride *= input.dims[dim];
    const auto last = static_cast<std::size_t>(rank) - 1;
    if (rank > 0 && (extent == 1 || own == strides[last] * extents[last])) {
      extents[last] *= extent;
    } else {
      extents[last + 1] = extent;
      strides[last + 1] = own;
      ++rank;
    }
  }
  p.rank = rank;
  for (int i = 0; i < rank; ++i) {
    p.extents[i] = extents[static_cast<std::size_t>(rank - 1 - i)];
    p.strides[i] = strides[static_cast<std::size_t>(rank - 1 - i)];
  }
  return p;
}

std::uint64_t plan_keys(const IndexKeysParams& keys, int indices, int error_flag, const Device& device, PlanBuilder& builder) {
  constexpr int kBlocksPerMultiprocessor = 8;
  const std::uint64_t place = builder.book(static_cast<std::uint64_t>(keys.count) * sizeof(std::int64_t));
  builder.kernel(kKeys, grid_for(device, ceil_div(keys.count, kIndexBlock), kBlocksPerMultiprocessor, 2), kIndexBlock)
      .params(keys)
      .tensor(offsetof(IndexKeysParams, indices), indices)
      .tensor(offsetof(IndexKeysParams, error_flag), error_flag)
      .workspace(offsetof(IndexKeysParams, keys), place);
  return place;
}

}  // namespace adj
