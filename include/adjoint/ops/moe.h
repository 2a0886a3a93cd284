/* Mixtures of experts: the router, which chooses the experts of each token; the plan that sorts pairs of a token and an expert by expert, and the rows that move by it.
 *
 * A pair (t, j) is the j-th expert of token t. Plans number pairs t * top_k + j, and give those that take part a row each, expert by expert; the rows of
 * an expert are its group. grouped_matmul (ops/matmul.h) multiplies the rows of each group by the matrix of its expert. */
#ifndef ADJOINT_OPS_MOE_H
#define ADJOINT_OPS_MOE_H

#include "operator.h"

ADJ_OPERATOR(110, moe_route, MOE_ROUTE, MoeRoute)
ADJ_OPERATOR(111, moe_route_backward, MOE_ROUTE_BACKWARD, MoeRouteBackward)
ADJ_OPERATOR(112, moe_plan, MOE_PLAN, MoePlan)
ADJ_OPERATOR(113, moe_permute, MOE_PERMUTE, MoePermute)
ADJ_OPERATOR(114, moe_permute_backward, MOE_PERMUTE_BACKWARD, MoePermuteBackward)
ADJ_OPERATOR(115, moe_unpermute, MOE_UNPERMUTE, MoeUnpermute)
ADJ_OPERATOR(116, moe_unpermute_backward, MOE_UNPERMUTE_BACKWARD, MoeUnpermuteBackward)

ADJ_GRADIENT(moe_route, moe_route_backward, logits, experts, dweights, counts ? has_losses, counted ? has_losses, dloss ? has_losses)
ADJ_GRADIENT(moe_permute, moe_permute_backward, dout, inverse)
ADJ_GRADIENT(moe_unpermute, moe_unpermute_backward, dout, rows, weights, order, inverse)

/* How a router scores an expert from its logit z. */
ADJ_ENUM(adj_moe_score) {
  ADJ_MOE_SCORE_SOFTMAX_OF_CHOSEN = 0, /* softmax over the chosen experts alone */
  ADJ_MOE_SCORE_SOFTMAX = 1,           /* softmax over all experts */
  ADJ_MOE_SCORE_SIGMOID = 2,           /* 1 / (1 + exp(-z)) */
  ADJ_MOE_SCORE_SQRT_SOFTPLUS = 3      /* sqrt(log(1 + exp(z))) */
};

/* The router of a mixture of experts. For each token, with logits z and scores s:
 *     experts[t, :]   the top_k experts with the largest z, or with has_bias the largest s + expert_bias, in descending order; of equal ones the lower first
 *     weights[t, j]   scale * s of the chosen expert; with normalise divided by (the sum of the chosen s + 1e-20), unless top_k is 1
 *     counts[e]       the tokens that have chosen e
 *     loss            balance * E / (top_k * T^2) * sum over e of counts[e] * (sum over t of p[t, e]) + z_loss / T * sum over t of logsumexp(z)^2
 * T is the number of tokens that count. p is softmax(z), for sigmoid and sqrt_softplus s / (sum of s). A balanced router has a loss of `balance`.
 *
 * Scores. In softmax_of_chosen, s is z where the choice is made by a bias or by groups, and the softmax of the chosen z where weights are made.
 *
 * Groups. With groups above 0, num_experts / groups neighbouring experts are a group. The score of a group is the sum of its top_k / top_groups largest
 * s + expert_bias; only experts of the top_groups best groups are chosen.
 *
 * Types. All is computed in f32. Sums over tokens are taken in an order that follows from the shape.
 *
 * In place. Outputs must not overlap inputs.
 *
 * Edge cases:
 * - A NaN counts as the lowest logit and adds nothing to the softmax of others. If it is chosen its weight is NaN, and with normalise and in
 *   softmax_of_chosen every weight of the token. A token with a NaN is counted in error_flag; its part of the loss is NaN.
 * - A logit of -infinity has the score 0. A token whose logits are all -infinity has weights of NaN with softmax. +infinity gives NaN.
 * - A token whose mask is 0 has experts of -1 and weights of 0, and does not count.
 * - With T = 0 the loss is 0.
 *
 * Source: the routers of Mixtral, Qwen3 and DeepSeek-V3; the balance loss of Switch Transformers; the z-loss of ST-MoE. */
typedef struct adj_moe_route_descriptor {
  adj_header header ADJ_DEFAULT(ADJ_HEADER_OF(adj_moe_route_descriptor, ADJ_TAG_MOE_ROUTE_DESCRIPTOR));
  int64_t tokens ADJ_DEFAULT(-1) ADJ_FOLDS ADJ_RANGE(0, 1073741823) ADJ_REFUSE(tokens * top_k >= 1073741824, "times top_k is not below 2^30");
  int64_t num_experts ADJ_DEFAULT(-1) ADJ_RANGE(1, 1024);                 /* E */
  int64_t top_k ADJ_DEFAULT(-1) ADJ_RANGE(1, 64) ADJ_REFUSE(top_k > num_experts, "is above num_experts"); /* experts of a token */
  int64_t groups ADJ_DEFAULT(0) ADJ_RANGE(0, 32) ADJ_REFUSE(groups && num_experts % groups != 0, "does not divide num_experts"); /* 0: none */
  int64_t top_groups ADJ_DEFAULT(0) ADJ_RANGE(0, 32) ADJ_ONLY_IF(groups); /* a divisor of top_k */
  double scale ADJ_DEFAULT(1.0) ADJ_RANGE(finite);                        /* of weights */
  double balance ADJ_DEFAULT(0.0) ADJ_RANGE(finite) ADJ_ONLY_IF(has_losses);
  double z_loss ADJ_DEFAULT(0.0) ADJ_RANGE(finite) ADJ_ONLY_IF(has_losses);
  adj_moe_score score ADJ_DEFAULT({});                                    /* softmax_of_chosen unless stated */
  int32_t normalise ADJ_DEFAULT(0) ADJ_FLAG
    ADJ_REFUSE(normalise && score == softmax_of_chosen, "does not go with softmax_of_chosen, whose weights add up to 1"); /* 1: weights add up to 1 */
  int32_t has_bias ADJ_DEFAULT(0) ADJ_FLAG;                               /* 1: expert_bias steers the choice */
  int32_t has_losses ADJ_DEFAULT(0) ADJ_FLAG;                             /* 1: the loss, with the tokens that it counts */
  adj_dtype element ADJ_DEFAULT({});                                      /* of logits: f32, f16, bf16 */
  uint32_t reserved ADJ_DEFAULT(0);
} adj_moe_route_descriptor;

typedef struct adj_moe_route_args {
  adj_header header ADJ_DEFAULT(ADJ_HEADER_OF(adj_moe_route_args, ADJ_TAG_MOE_ROUTE_ARGS));
  adj_tensor logits      ADJ_DEFAULT({}) ADJ_IN([tokens, num_experts], element);
  adj_tensor expert_bias ADJ_DEFAULT({}) ADJ_IN([num_experts], f32) ADJ_ONLY_IF(has_bias);
  adj_tensor mask        ADJ_DEFAULT({}) ADJ_IN([tokens], bool) ADJ_OPTIONAL; /* 0: the token does not count: 1 without */
  adj_tensor experts     ADJ_DEFAULT({}) ADJ_OUT([tokens, top_k], i32);
  adj_tensor weights     ADJ_DEFAULT({}) ADJ_OUT([tokens, top_k], f32);
  adj_tensor counts      ADJ_DEFAULT({}) ADJ_OUT([num_experts], i32);
  adj_tensor counted     ADJ_DEFAULT({}) ADJ_OUT([1], i64) ADJ_ONLY_IF(has_losses); /* T */
  adj_tensor loss        ADJ_DEFAULT({}) ADJ_OUT([1], f32) ADJ_ONLY_IF(has_losses);
  adj_tensor error_flag  ADJ_DEFAULT({}) ADJ_INOUT([1], i64) ADJ_OPTIONAL; /* tokens with a NaN are added to it */
} adj_moe_route_args;

/* The router of a mixture of experts, gradient. With d = scale * dweights, S = the sum of the chosen s + 1e-20, and g = dloss:
 *     ds[j] = (d[j] - sum over i of s[i] / S * d[i]) / S with normalise, unless top_k is 1; else d[j]
 *     dlogits = for softmax s * (ds - sum over all experts of s * ds), with ds = 0 off the choice
 *               for softmax_of_chosen p[j] * (d[j] - sum over i of p[i] * d[i]), p the softmax of the chosen
 *               for sigmoid ds * s * (1 - s), for sqrt_softplus ds * sigmoid(z) / (2 * s); 0 off the choice
 *             + g * balance * E / (top_k * T^2) * p[e] * (counts[e] - sum over f of p[f] * counts[f])
 *               for sigmoid and sqrt_softplus with ds/dz / (sum of s) for the factor p[e]
 *             + g * z_loss * 2 / T * logsumexp(z) * softmax(z)[e]
 * The choice has no gradient, nor has expert_bias. Across ranks, counts and counted (T) may be sums over them.
 *
 * Edge cases:
 * - A token whose first expert is outside [0, num_experts), as one that a mask has dropped, has the gradient 0. Other experts outside add nothing. */
typedef struct adj_moe_route_backward_descriptor {
  adj_header header ADJ_DEFAULT(ADJ_HEADER_OF(adj_moe_route_backward_descriptor, ADJ_TAG_MOE_ROUTE_BACKWARD_DESCRIPTOR));
  int64_t tokens ADJ_DEFAULT(-1) ADJ_FOLDS ADJ_RANGE(0, 1073741823) ADJ_REFUSE(tokens * top_k >= 1073741824, "times top_k is not below 2^30");
  int64_t num_experts ADJ_DEFAULT(-1) ADJ_RANGE(1, 1024); /* E */
  int64_t top_k ADJ_DEFAULT(-1) ADJ_RANGE(1, 64) ADJ_REFUSE(top_k > num_experts, "is above num_experts"); /* experts of a token */
  double scale ADJ_DEFAULT(1.0) ADJ_RANGE(finite);        /* of weights */
  double balance ADJ_DEFAULT(0.0) ADJ_RANGE(finite) ADJ_ONLY_IF(has_losses);
  double z_loss ADJ_DEFAULT(0.0) ADJ_RANGE(finite) ADJ_ONLY_IF(has_losses);
  adj_moe_score score ADJ_DEFAULT({});                    /* softmax_of_chosen unless stated */
  int32_t normalise ADJ_DEFAULT(0) ADJ_FLAG
    ADJ_REFUSE(normalise && score == softmax_of_chosen, "does not go with softmax_of_chosen, whose weights add up to 1"); /* 1: weights add up to 1 */
  int32_t has_losses ADJ_DEFAULT(0) ADJ_FLAG;             /* 1: the loss has a gradient */
  adj_dtype element ADJ_DEFAULT({});                      /* of logits: f32, f16, bf16 */
} adj_moe_route_backward_descriptor;

typedef struct adj_moe_route_backward_args {
  adj_header header ADJ_DEFAULT(ADJ_HEADER_OF(adj_moe_route_backward_args, ADJ_TAG_MOE_ROUTE_BACKWARD_ARGS));
  adj_tensor logits   ADJ_DEFAULT({}) ADJ_IN([tokens, num_experts], element);
  adj_tensor experts  ADJ_DEFAULT({}) ADJ_IN([tokens, top_k], i32);
  adj_tensor dweights ADJ_DEFAULT({}) ADJ_IN([tokens, top_k], f32);
  adj_tensor counts   ADJ_DEFAULT({}) ADJ_IN([num_experts], i32) ADJ_ONLY_IF(has_losses);
  adj_tensor counted  ADJ_DEFAULT({}) ADJ_IN([1], i64) ADJ_ONLY_IF(has_losses);
  adj_tensor dloss    ADJ_DEFAULT({}) ADJ_IN([1], f32) ADJ_ONLY_IF(has_losses);
  adj_tensor dlogits  ADJ_DEFAULT({}) ADJ_OUT([tokens, num_experts], element) ADJ_MAY_BE(logits);
} adj_moe_route_backward_args;

/* The plan of a mixture of experts: a stable sort of pairs by expert.
 *     n_e            pairs with expert e, at most capacity of them where that is above 0: the first ones
 *     offsets[e]     first row of expert e: the sum over f < e of n_f, each rounded up to a multiple of align
 *     order[p]       the pair of row p; -1 for a row that has none
 *     inverse[t, j]  the row of pair (t, j); -1 for a pair that is left out
 *
 * Rows. offsets[num_experts] rows belong to groups; the other rows of order, up to tokens * top_k + num_experts * (align - 1), have no pair. Pairs of an
 * expert lie in its group in ascending order, and rows without a pair behind them.
 *
 * Results. They follow from experts alone: exactly, on every backend.
 *
 * In place. No output may overlap another one or experts.
 *
 * Edge cases:
 * - A pair whose expert is -1 is left out, as those of a token that a mask drops. One with any other expert outside [0, num_experts) is left out and
 *   counted in error_flag.
 * - A token may name an expert several times.
 * - Without tokens all offsets are 0.
 *
 * Workspace on a device: 4 num_experts bytes for each of at most 256 blocks; none up to 2048 pairs.
 *
 * Source: the permutation of Megatron-LM's and Transformer Engine's mixtures of experts, which pads groups alike. */
typedef struct adj_moe_plan_descriptor {
  adj_header header ADJ_DEFAULT(ADJ_HEADER_OF(adj_moe_plan_descriptor, ADJ_TAG_MOE_PLAN_DESCRIPTOR));
  int64_t tokens ADJ_DEFAULT(-1) ADJ_FOLDS ADJ_RANGE(0, 1073741823) ADJ_REFUSE(tokens * top_k >= 1073741824, "times top_k is not below 2^30");
  int64_t num_experts ADJ_DEFAULT(-1) ADJ_RANGE(1, 1024);   /* E */
  int64_t top_k ADJ_DEFAULT(-1) ADJ_RANGE(1, 64);           /* experts of a token */
  int64_t capacity ADJ_DEFAULT(0) ADJ_RANGE(0, 1073741823); /* most pairs of an expert; 0: any number */
  int64_t align ADJ_DEFAULT(1) ADJ_RANGE(1, 1024);          /* groups have a multiple of so many rows */
  adj_dtype index ADJ_DEFAULT({});                          /* of experts: i32, i64 */
  uint32_t reserved ADJ_DEFAULT(0);
} adj_moe_plan_descriptor;

typedef struct adj_moe_plan_args {
  adj_header header ADJ_DEFAULT(ADJ_HEADER_OF(adj_moe_plan_args, ADJ_TAG_MOE_PLAN_ARGS));
  adj_tensor experts    ADJ_DEFAULT({}) ADJ_IN([tokens, top_k], index);
  adj_tensor offsets    ADJ_DEFAULT({}) ADJ_OUT([num_experts + 1], i32);
  adj_tensor order      ADJ_DEFAULT({}) ADJ_OUT([tokens * top_k + num_experts * (align - 1)], i32);
  adj_tensor inverse    ADJ_DEFAULT({}) ADJ_OUT([tokens, top_k], i32);
  adj_tensor error_flag ADJ_DEFAULT({}) ADJ_INOUT([1], i64) ADJ_OPTIONAL; /* experts out of range are added to it */
} adj_moe_plan_args;

/* Rows for experts: a copy of each token for every expert that it goes to.
 *     out[inverse[t, j], :] = input[t, :],   out[p, :] = 0 where order[p] < 0
 *
 * Plans. order and inverse are those of one moe_plan. If they are not, rows of out are unspecified; nothing is read or written outside the buffers.
 *
 * In place. out must not overlap an input.
 *
 * Edge cases:
 * - An inverse of -1 names no row. One outside [-1, num_rows) names none either, and is counted in error_flag. */
typedef struct adj_moe_permute_descriptor {
  adj_header header ADJ_DEFAULT(ADJ_HEADER_OF(adj_moe_permute_descriptor, ADJ_TAG_MOE_PERMUTE_DESCRIPTOR));
  int64_t tokens ADJ_DEFAULT(-1) ADJ_FOLDS ADJ_RANGE(0, 1073741823) ADJ_REFUSE(tokens * top_k >= 1073741824, "times top_k is not below 2^30");
  int64_t top_k ADJ_DEFAULT(-1) ADJ_RANGE(1, 64);            /* experts of a token */
  int64_t num_rows ADJ_DEFAULT(-1) ADJ_RANGE(0, 2147483647); /* rows of the plan */
  int64_t columns ADJ_DEFAULT(-1) ADJ_RANGE(0);              /* of a row */
  adj_dtype element ADJ_DEFAULT({});                         /* f32, f64, f16, bf16 */
  uint32_t reserved ADJ_DEFAULT(0);
} adj_moe_permute_descriptor;

typedef struct adj_moe_permute_args {
  adj_header header ADJ_DEFAULT(ADJ_HEADER_OF(adj_moe_permute_args, ADJ_TAG_MOE_PERMUTE_ARGS));
  adj_tensor input      ADJ_DEFAULT({}) ADJ_IN([tokens, columns], element);
  adj_tensor order      ADJ_DEFAULT({}) ADJ_IN([num_rows], i32);
  adj_tensor inverse    ADJ_DEFAULT({}) ADJ_IN([tokens, top_k], i32);
  adj_tensor out        ADJ_DEFAULT({}) ADJ_OUT([num_rows, columns], element);
  adj_tensor error_flag ADJ_DEFAULT({}) ADJ_INOUT([1], i64) ADJ_OPTIONAL; /* entries of inverse out of range are added to it */
} adj_moe_permute_args;

/* Rows for experts, gradient: the sum of what comes back for each token.
 *     dinput[t, :] = sum over j of dout[inverse[t, j], :]
 *
 * Types. 16-bit types accumulate in f32, in the order of j, and are rounded once.
 *
 * In place. dinput must not overlap an input.
 *
 * Edge cases:
 * - An inverse of -1 adds nothing. One outside [-1, num_rows) adds nothing either, and is counted in error_flag. */
typedef struct adj_moe_permute_backward_descriptor {
  adj_header header ADJ_DEFAULT(ADJ_HEADER_OF(adj_moe_permute_backward_descriptor, ADJ_TAG_MOE_PERMUTE_BACKWARD_DESCRIPTOR));
  int64_t tokens ADJ_DEFAULT(-1) ADJ_FOLDS ADJ_RANGE(0, 1073741823) ADJ_REFUSE(tokens * top_k >= 1073741824, "times top_k is not below 2^30");
  int64_t top_k ADJ_DEFAULT(-1) ADJ_RANGE(1, 64);            /* experts of a token */
  int64_t num_rows ADJ_DEFAULT(-1) ADJ_RANGE(0, 2147483647); /* rows of the plan */
  int64_t columns ADJ_DEFAULT(-1) ADJ_RANGE(0);              /* of a row */
  adj_dtype element ADJ_DEFAULT({});                         /* f32, f64, f16, bf16 */
  uint32_t reserved ADJ_DEFAULT(0);
} adj_moe_permute_backward_descriptor;

typedef struct adj_moe_permute_backward_args {
  adj_header header ADJ_DEFAULT(ADJ_HEADER_OF(adj_moe_permute_backward_args, ADJ_TAG_MOE_PERMUTE_BACKWARD_ARGS));
  adj_tensor dout       ADJ_DEFAULT({}) ADJ_IN([num_rows, columns], element);
  adj_tensor inverse    ADJ_DEFAULT({}) ADJ_IN([tokens, top_k], i32);
  adj_tensor dinput     ADJ_DEFAULT({}) ADJ_OUT([tokens, columns], element);
  adj_tensor error_flag ADJ_DEFAULT({}) ADJ_INOUT([1], i64) ADJ_OPTIONAL; /* entries of inverse out of range are added to it */
} adj_moe_permute_backward_args;

/* What experts return, summed for each token.
 *     out[t, :] = sum over j of weights[t, j] * rows[inverse[t, j], :],   without weights of rows[inverse[t, j], :]
 *
 * Types. The sums are taken in f32 (f64 for f64), in the order of j, and are rounded once.
 *
 * In place. out must not overlap an input.
 *
 * Edge cases:
 * - An inverse of -1 adds nothing, not 0 times something. One outside [-1, num_rows) adds nothing either, and is counted in error_flag. */
typedef struct adj_moe_unpermute_descriptor {
  adj_header header ADJ_DEFAULT(ADJ_HEADER_OF(adj_moe_unpermute_descriptor, ADJ_TAG_MOE_UNPERMUTE_DESCRIPTOR));
  int64_t tokens ADJ_DEFAULT(-1) ADJ_FOLDS ADJ_RANGE(0, 1073741823) ADJ_REFUSE(tokens * top_k >= 1073741824, "times top_k is not below 2^30");
  int64_t top_k ADJ_DEFAULT(-1) ADJ_RANGE(1, 64);            /* experts of a token */
  int64_t num_rows ADJ_DEFAULT(-1) ADJ_RANGE(0, 2147483647); /* rows of the plan */
  int64_t columns ADJ_DEFAULT(-1) ADJ_RANGE(0);              /* of a row */
  int32_t has_weights ADJ_DEFAULT(0) ADJ_FLAG;               /* 1: rows have weights; 0: every weight is 1 */
  adj_dtype element ADJ_DEFAULT({});                         /* f32, f64, f16, bf16 */
} adj_moe_unpermute_descriptor;

typedef struct adj_moe_unpermute_args {
  adj_header header ADJ_DEFAULT(ADJ_HEADER_OF(adj_moe_unpermute_args, ADJ_TAG_MOE_UNPERMUTE_ARGS));
  adj_tensor rows       ADJ_DEFAULT({}) ADJ_IN([num_rows, columns], element);
  adj_tensor weights    ADJ_DEFAULT({}) ADJ_IN([tokens, top_k], accumulator(element)) ADJ_ONLY_IF(has_weights);
  adj_tensor order      ADJ_DEFAULT({}) ADJ_IN([num_rows], i32) ADJ_OPTIONAL; /* not read; the gradient takes it from here */
  adj_tensor inverse    ADJ_DEFAULT({}) ADJ_IN([tokens, top_k], i32);
  adj_tensor out        ADJ_DEFAULT({}) ADJ_OUT([tokens, columns], element);
  adj_tensor error_flag ADJ_DEFAULT({}) ADJ_INOUT([1], i64) ADJ_OPTIONAL; /* entries of inverse out of range are added to it */
} adj_moe_unpermute_args;

/* What experts return, gradient:
 *     drows[inverse[t, j], :] = weights[t, j] * dout[t, :],   without weights dout[t, :],   drows[p, :] = 0 where order[p] < 0
 *     dweights[t, j] = sum over columns of dout[t, :] * rows[inverse[t, j], :]
 *
 * Types. Products and sums are taken in f32 (f64 for f64) and rounded once.
 *
 * Plans. order and inverse are those of one moe_plan. If they are not, rows of drows are unspecified; nothing is read or written outside the buffers.
 *
 * In place. drows may be the buffer of rows.
 *
 * Edge cases:
 * - The weight of an inverse of -1 has the gradient 0. So has that of one outside [-1, num_rows), which is counted in error_flag. */
typedef struct adj_moe_unpermute_backward_descriptor {
  adj_header header ADJ_DEFAULT(ADJ_HEADER_OF(adj_moe_unpermute_backward_descriptor, ADJ_TAG_MOE_UNPERMUTE_BACKWARD_DESCRIPTOR));
  int64_t tokens ADJ_DEFAULT(-1) ADJ_FOLDS ADJ_RANGE(0, 1073741823) ADJ_REFUSE(tokens * top_k >= 1073741824, "times top_k is not below 2^30");
  int64_t top_k ADJ_DEFAULT(-1) ADJ_RANGE(1, 64);            /* experts of a token */
  int64_t num_rows ADJ_DEFAULT(-1) ADJ_RANGE(0, 2147483647); /* rows of the plan */
  int64_t columns ADJ_DEFAULT(-1) ADJ_RANGE(0);              /* of a row */
  int32_t has_weights ADJ_DEFAULT(0) ADJ_FLAG;               /* 1: rows have weights; 0: every weight is 1 */
  adj_dtype element ADJ_DEFAULT({});                         /* f32, f64, f16, bf16 */
} adj_moe_unpermute_backward_descriptor;

typedef struct adj_moe_unpermute_backward_args {
  adj_header header ADJ_DEFAULT(ADJ_HEADER_OF(adj_moe_unpermute_backward_args, ADJ_TAG_MOE_UNPERMUTE_BACKWARD_ARGS));
  adj_tensor dout       ADJ_DEFAULT({}) ADJ_IN([tokens, columns], element);
  adj_tensor rows       ADJ_DEFAULT({}) ADJ_IN([num_rows, columns], element) ADJ_ONLY_IF(has_weights);
  adj_tensor weights    ADJ_DEFAULT({}) ADJ_IN([tokens, top_k], accumulator(element)) ADJ_ONLY_IF(has_weights);
  adj_tensor order      ADJ_DEFAULT({}) ADJ_IN([num_rows], i32);
  adj_tensor inverse    ADJ_DEFAULT({}) ADJ_IN([tokens, top_k], i32);
  adj_tensor drows      ADJ_DEFAULT({}) ADJ_OUT([num_rows, columns], element) ADJ_MAY_BE(rows);
  adj_tensor dweights   ADJ_DEFAULT({}) ADJ_OUT([tokens, top_k], accumulator(element)) ADJ_ONLY_IF(has_weights);
  adj_tensor error_flag ADJ_DEFAULT({}) ADJ_INOUT([1], i64) ADJ_OPTIONAL; /* entries of inverse out of range are added to it */
} adj_moe_unpermute_backward_args;

#include <adjoint/ops/moe_init.h>

#endif
