// Shared by the planning of attention and its gradients.
#pragma once

#include "host/attention.hpp"
#include "ops/common/shapes.hpp"

namespace adj::attention {

using Shape = host::AttentionShape;
using Strides = host::AttentionStrides;

// A tensor of q's or of k's kind: which argument it is, and its strides.
struct Operand {
  int argument;
  Strides strides;
};

// The arguments of both operators. An argument of -1 stands for what the forward operator lacks.
struct Problem {
  Shape shape;
  adj_dtype element;
  Operand q, k, v, out;
  Operand dout, dq, dk, dv;
  int lse, cu_seqlens;

  bool backward() const { return dq.argument >= 0; }
  static Problem of(const adj_attention_forward_descriptor& d);
  static Problem of(const adj_attention_backward_descriptor& d);
};

// Plans a call of cuDNN. `fixed_order`: gradients are added in the same order in every run.
Result<void> plan_cudnn(const PlanRequest& request, PlanBuilder& builder, const Problem& problem, bool fixed_order);

}  // namespace adj::attention
