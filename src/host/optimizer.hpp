// Host backend of the optimizer family, written from the operators' definitions.
#pragma once

#include <adjoint/ops/optimizer.h>

namespace adj::host {

void adam(const adj_adam_descriptor& d, const adj_adam_args& a, void* workspace);
void lamb(const adj_lamb_descriptor& d, const adj_lamb_args& a, void* workspace);
void sgd(const adj_sgd_descriptor& d, const adj_sgd_args& a, void* workspace);
void lion(const adj_lion_descriptor& d, const adj_lion_args& a, void* workspace);
void adamw_8bit(const adj_adamw_8bit_descriptor& d, const adj_adamw_8bit_args& a, void* workspace);
void clip_grad_norm(const adj_clip_grad_norm_descriptor& d, const adj_clip_grad_norm_args& a, void* workspace);

}  // namespace adj::host
