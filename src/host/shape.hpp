// Host backend of the shape family.
#pragma once

#include <adjoint/ops/shape.h>

namespace adj::host {

void view(const adj_view_descriptor& d, const adj_view_args& a, void* workspace);
void copy(const adj_copy_descriptor& d, const adj_copy_args& a, void* workspace);

}  // namespace adj::host
