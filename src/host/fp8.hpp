// Host functions of include/adjoint/ops/fp8.h.
#pragma once

#include <adjoint/ops/fp8.h>

namespace adj::host {

struct Scale {
  float multiplier = 1, inverse = 1;
};
// Scale of a group whose largest magnitude is `amax`. largest: F.
Scale scale_of(float amax, float largest, float eps, adj_scale_rule rule, bool pow2);
float largest_code(adj_dtype code);

void amax(const adj_amax_descriptor& d, const adj_amax_args& a, void* workspace);
void quantize(const adj_quantize_descriptor& d, const adj_quantize_args& a, void* workspace);
void dequantize(const adj_dequantize_descriptor& d, const adj_dequantize_args& a, void* workspace);
void fp8_scale_update(const adj_fp8_scale_update_descriptor& d, const adj_fp8_scale_update_args& a, void* workspace);

}  // namespace adj::host
