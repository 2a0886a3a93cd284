// Host backend of the precision family, written from the operators' definitions.
#pragma once

#include <adjoint/ops/precision.h>

namespace adj::host {

void is_finite(const adj_is_finite_descriptor& d, const adj_is_finite_args& a, void* workspace);
void all_finite(const adj_all_finite_descriptor& d, const adj_all_finite_args& a, void* workspace);
void all(const adj_all_descriptor& d, const adj_all_args& a, void* workspace);
void scale(const adj_scale_descriptor& d, const adj_scale_args& a, void* workspace);
void zero(const adj_zero_descriptor& d, const adj_zero_args& a, void* workspace);
void accumulate(const adj_accumulate_descriptor& d, const adj_accumulate_args& a, void* workspace);
void scaled_sum(const adj_scaled_sum_descriptor& d, const adj_scaled_sum_args& a, void* workspace);
void update_loss_scale(const adj_update_loss_scale_descriptor& d, const adj_update_loss_scale_args& a, void* workspace);

}  // namespace adj::host
