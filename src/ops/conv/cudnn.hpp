// Convolutions by cuDNN.
#pragma once

#include "ops/conv/geometry.hpp"

namespace adj::conv {

// One product that a plan has from cuDNN. `first`, `second`, `bias` and `out` are arguments.
struct CudnnTask {
  enum Kind : std::uint8_t {
    small_from_big,   // first: big, second: weight
    big_from_small,   // first: small, second: weight
    weight_gradient,  // first: big, second: small
  } kind;
  int first, second, out;
  int bias = -1;           // added to the result; -1: none
  bool may_round = false;  // true: the product may be rounded to the element type before a bias is added
  bool add = false;        // true: the result is added to the contents of out
};

// Adds one step that makes all calls. `result_is_big` says which tensor the bias belongs to. Fails when cuDNN is missing, does not
// take the problem, or has no engine within the preference's workspace limit and the SKU's guarantee.
Result<void> plan_cudnn(const PlanRequest& request, PlanBuilder& builder, const Geometry& geometry, adj_dtype element, bool result_is_big,
                        const std::vector<CudnnTask>& tasks);

}  // namespace adj::conv
