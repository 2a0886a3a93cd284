// Host backend of fake quantization, in the arithmetic that the contract names; no workspace.
#pragma once

#include <adjoint/ops/quantize.h>

namespace adj::host {

void fake_quantize_forward(const adj_fake_quantize_forward_descriptor& d, const adj_fake_quantize_forward_args& a, void* workspace);
void fake_quantize_backward(const adj_fake_quantize_backward_descriptor& d, const adj_fake_quantize_backward_args& a, void* workspace);

}  // namespace adj::host
