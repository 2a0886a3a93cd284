// Host function of the product of matrices of f8 codes.
#pragma once

#include <adjoint/ops/matmul.h>

namespace adj::host {

void scaled_matmul(const adj_scaled_matmul_descriptor& d, const adj_scaled_matmul_args& a, void* workspace);

}  // namespace adj::host
