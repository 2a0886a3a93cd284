// Host backend of the shape family.
#pragma once

#include <adjoint/ops/shape.h>

#include <cstdint>
#include <span>

namespace adj::host {

// Copies the entries that are not in place. The lists have an entry for each element count.
void copy_list(std::span<const std::int64_t> numel, adj_dtype element, const adj_tensor_list& from, const adj_tensor_list& to);

void view(const adj_view_descriptor& d, const adj_view_args& a, void* workspace);
void copy(const adj_copy_descriptor& d, const adj_copy_args& a, void* workspace);
void transpose(const adj_transpose_descriptor& d, const adj_transpose_args& a, void* workspace);

}  // namespace adj::host
