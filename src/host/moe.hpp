// Host backend of mixtures of experts, written from the operators' definitions.
#pragma once

#include <cstdint>

#include <adjoint/ops/moe.h>

namespace adj::host {

void moe_route(const adj_moe_route_descriptor& d, const adj_moe_route_args& a, void* workspace);
void moe_route_backward(const adj_moe_route_backward_descriptor& d, const adj_moe_route_backward_args& a, void* workspace);

void moe_plan(const adj_moe_plan_descriptor& d, const adj_moe_plan_args& a, void* workspace);

void moe_permute(const adj_moe_permute_descriptor& d, const adj_moe_permute_args& a, void* workspace);
void moe_permute_backward(const adj_moe_permute_backward_descriptor& d, const adj_moe_permute_backward_args& a, void* workspace);
void moe_unpermute(const adj_moe_unpermute_descriptor& d, const adj_moe_unpermute_args& a, void* workspace);
void moe_unpermute_backward(const adj_moe_unpermute_backward_descriptor& d, const adj_moe_unpermute_backward_args& a, void* workspace);

}  // namespace adj::host
