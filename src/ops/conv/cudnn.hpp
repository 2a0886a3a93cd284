// Convolutions by cuDNN.
#pragma once

#include "ops/conv/geometry.hpp"

namespace adj::conv {

// One call of cuDNN in a plan. `first`, `second` and `out` are slots.
struct CudnnTask {
  enum Kind : std::uint8_t {
    small_from_big,   // first: big, second: weight
    big_from_small,   // first: small, second: weight
    weight_gradient,  // first: big, second: small
    bias_gradient,    // first: the gradient of the result
    spread_bias,      // first: bias; a product is added to out afterwards
  } kind;
  int first, second = -1, out;
  bool add = false;  // true: the result is added to the contents of out
};

// Adds one step that makes all calls. `result_is_big` says which tensor the bias belongs to. Fails when cuDNN is missing, does not
// take the problem, or has no algorithm within the preference's workspace limit and the SKU's guarantee.
Result<void> plan_cudnn(const PlanRequest& request, PlanBuilder& builder, const Geometry& geometry, adj_dtype element, bool result_is_big,
                        std::vector<CudnnTask> tasks);

}  // namespace adj::conv
