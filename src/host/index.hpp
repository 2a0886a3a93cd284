// Host backend of the index family, written from the operators' definitions.
#pragma once

#include <cstdint>

#include <adjoint/ops/index.h>

namespace adj::host {

// Workspace: <operator>_workspace(d) bytes, a sum for every element of the gradient.
void gather_nd_backward(const adj_gather_nd_backward_descriptor& d, const adj_gather_nd_backward_args& a, void* workspace);
std::uint64_t gather_nd_backward_workspace(const adj_gather_nd_backward_descriptor& d);
void gather_elements_backward(const adj_gather_elements_backward_descriptor& d, const adj_gather_elements_backward_args& a, void* workspace);
std::uint64_t gather_elements_backward_workspace(const adj_gather_elements_backward_descriptor& d);
void index_add(const adj_index_add_descriptor& d, const adj_index_add_args& a, void* workspace);
std::uint64_t index_add_workspace(const adj_index_add_descriptor& d);

void slice_backward(const adj_slice_backward_descriptor& d, const adj_slice_backward_args& a, void* workspace);
void pad_and_unflatten(const adj_pad_and_unflatten_descriptor& d, const adj_pad_and_unflatten_args& a, void* workspace);
void flatten_and_unpad(const adj_flatten_and_unpad_descriptor& d, const adj_flatten_and_unpad_args& a, void* workspace);

// Slice of one axis, normalised as ONNX Slice does: `length` elements, element i at start + i * step.
struct SliceAxis {
  std::int64_t start = 0, step = 1, length = 0;
};
SliceAxis slice_axis(std::int64_t n, std::int64_t start, std::int64_t end, std::int64_t step);

}  // namespace adj::host
