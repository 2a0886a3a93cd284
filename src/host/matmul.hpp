// Host backend of the matrix product, in blocks (host/product.hpp); no workspace.
#pragma once

#include <adjoint/ops/matmul.h>

namespace adj::host {

void matmul(const adj_matmul_descriptor& d, const adj_matmul_args& a, void* workspace);

}  // namespace adj::host
