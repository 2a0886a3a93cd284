/* Losses. Definition: ONNX SoftmaxCrossEntropyLoss (opset 13) and com.microsoft SoftmaxCrossEntropyLossGrad.
 *
 * Tensors are [N, C] or [N, C, d1..dk] with the class axis second; batch = N, num_classes = C and inner = d1*..*dk (1 for
 * two dimensions) describe them. A sample i is one of the M = N * inner positions, l_i its label and
 *     w_i = 0 when l_i == ignore_index, else weight[l_i], else 1 without weights.
 * A label outside [0, C) that is not ignore_index gives that sample a NaN loss and a NaN gradient row, and is counted
 * in error_flag; nothing is read out of bounds. It makes a sum or a mean NaN, and does not count in the gradient's Z.
 * A NaN or +infinity among the scores of a sample makes its lse, log_prob and loss NaN, unless it is ignored: then its
 * loss and gradient are still 0. */
#ifndef ADJOINT_OPS_LOSS_H
#define ADJOINT_OPS_LOSS_H

#include "table.h"

/* Softmax cross-entropy loss, forward:
 *     log_prob[n, c, d] = scores[n, c, d] - logsumexp over c of scores[n, :, d]
 *     none: loss_i = -log_prob[l_i] * w_i (exactly 0 where ignored)      sum: their sum
 *     mean: their sum / Z, Z = sum of w_i; 0 when Z == 0 (NaN with nan_when_empty)
 * Everything is computed in f32 (f64 for f64) and rounded once. */
typedef struct adj_softmax_cross_entropy_loss_descriptor {
  adj_header header ADJ_DEFAULT(ADJ_HEADER_OF(adj_softmax_cross_entropy_loss_descriptor, ADJ_TAG_SOFTMAX_CROSS_ENTROPY_LOSS_DESCRIPTOR));
  int64_t batch ADJ_DEFAULT(0);       /* N >= 0 */
  int64_t num_classes ADJ_DEFAULT(0); /* C >= 0 */
  int64_t inner ADJ_DEFAULT(1);       /* d1*..*dk >= 0 */
  adj_dtype element ADJ_DEFAULT(0);   /* of scores: f32, f64, f16, bf16 */
  adj_dtype label ADJ_DEFAULT(0);     /* i32, i64 */
  adj_dtype output ADJ_DEFAULT(0);    /* of loss and log_prob: element, or f32 for 16-bit scores; 0 = element */
  adj_dtype weight ADJ_DEFAULT(0);    /* of the class weights: f32, f64, f16, bf16; 0 = no weights */
  adj_reduction reduction ADJ_DEFAULT(0); /* mean unless stated */
  int32_t nan_when_empty ADJ_DEFAULT(0); /* 1: a mean over nothing is NaN, as in PyTorch and the ONNX function body */
  int32_t has_ignore_index ADJ_DEFAULT(0); /* 1: ignore_index holds */
  uint32_t reserved ADJ_DEFAULT(0);
  int64_t ignore_index ADJ_DEFAULT(0); /* the label of samples that do not count */
} adj_softmax_cross_entropy_loss_descriptor;

typedef struct adj_softmax_cross_entropy_loss_args {
  adj_header header ADJ_DEFAULT(ADJ_HEADER_OF(adj_softmax_cross_entropy_loss_args, ADJ_TAG_SOFTMAX_CROSS_ENTROPY_LOSS_ARGS));
  adj_tensor scores ADJ_DEFAULT({});     /* in  [N, C, inner] element */
  adj_tensor labels ADJ_DEFAULT({});     /* in  [N, inner] label */
  adj_tensor weight ADJ_DEFAULT({});     /* in  [C] weight; required exactly when the descriptor names its type */
  adj_tensor loss ADJ_DEFAULT({});       /* out [N, inner] for none, one element otherwise; output */
  adj_tensor log_prob ADJ_DEFAULT({});   /* out, optional, [N, C, inner] output; may be scores itself when the types agree */
  adj_tensor lse ADJ_DEFAULT({});        /* out, optional, [N, inner] f32 (f64 for f64): logsumexp, for the gradient */
  adj_tensor error_flag ADJ_DEFAULT({}); /* in/out, optional, [1] i64: out-of-range labels are added to it */
} adj_softmax_cross_entropy_loss_args;

/* Softmax cross-entropy loss, gradient:
 *     dscores[n, c, d] = g_i * w_i * (exp(log_prob[n, c, d]) - [c == l_i]) / Z
 * g = dloss (a scalar for mean and sum, one per sample for none), Z = sum of w_i for mean and 1 otherwise; 0 when
 * Z == 0. Ignored samples get exact zeros. The probabilities come from log_prob, or, more precisely and with less
 * traffic, from scores and the lse that the forward op saved: give either log_prob, or scores and lse.
 * bias, when given, is another gradient flowing into the scores: it is added before the one rounding. */
typedef struct adj_softmax_cross_entropy_loss_backward_descriptor {
  adj_header header ADJ_DEFAULT(ADJ_HEADER_OF(adj_softmax_cross_entropy_loss_backward_descriptor, ADJ_TAG_SOFTMAX_CROSS_ENTROPY_LOSS_BACKWARD_DESCRIPTOR));
  int64_t batch ADJ_DEFAULT(0); /* N >= 0 */
  int64_t num_classes ADJ_DEFAULT(0); /* C >= 0 */
  int64_t inner ADJ_DEFAULT(1); /* d1*..*dk >= 0 */
  adj_dtype element ADJ_DEFAULT(0);   /* of log_prob or scores, and of dloss: f32, f64, f16, bf16 */
  adj_dtype label ADJ_DEFAULT(0);     /* i32, i64 */
  adj_dtype output ADJ_DEFAULT(0);    /* of dscores: element, or a 16-bit type for f32; 0 = element */
  adj_dtype weight ADJ_DEFAULT(0);    /* of the class weights; 0 = no weights */
  adj_reduction reduction ADJ_DEFAULT(0); /* mean unless stated */
  int32_t from_scores ADJ_DEFAULT(0); /* 0: from log_prob; 1: from scores and lse */
  int32_t has_ignore_index ADJ_DEFAULT(0); /* 1: ignore_index holds */
  uint32_t reserved ADJ_DEFAULT(0);
  int64_t ignore_index ADJ_DEFAULT(0); /* the label of samples that do not count */
} adj_softmax_cross_entropy_loss_backward_descriptor;

typedef struct adj_softmax_cross_entropy_loss_backward_args {
  adj_header header ADJ_DEFAULT(ADJ_HEADER_OF(adj_softmax_cross_entropy_loss_backward_args, ADJ_TAG_SOFTMAX_CROSS_ENTROPY_LOSS_BACKWARD_ARGS));
  adj_tensor dloss ADJ_DEFAULT({});      /* in  [N, inner] for none, one element otherwise; element */
  adj_tensor log_prob ADJ_DEFAULT({});   /* in  [N, C, inner] element; exactly when from_scores == 0 */
  adj_tensor scores ADJ_DEFAULT({});     /* in  [N, C, inner] element; exactly when from_scores == 1 */
  adj_tensor lse ADJ_DEFAULT({});        /* in  [N, inner] f32 (f64 for f64); exactly when from_scores == 1 */
  adj_tensor labels ADJ_DEFAULT({});     /* in  [N, inner] label */
  adj_tensor weight ADJ_DEFAULT({});     /* in  [C] weight; required exactly when the descriptor names its type */
  adj_tensor bias ADJ_DEFAULT({});       /* in, optional, [N, C, inner] output */
  adj_tensor dscores ADJ_DEFAULT({});    /* out [N, C, inner] output; may be log_prob, scores or bias itself when the types agree */
  adj_tensor error_flag ADJ_DEFAULT({}); /* in/out, optional, [1] i64: out-of-range labels are added to it */
} adj_softmax_cross_entropy_loss_backward_args;

#include "loss_init.h"

#endif
