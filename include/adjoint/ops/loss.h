/* Losses.
 *
 * Arguments. Tensors are [N, C] or [N, C, d1..dk] with the class axis second: batch = N, num_classes = C, inner = d1*..*dk (1 for two dimensions).
 * With the class axis last, batch is the product of all dimensions before it, and inner is 1. Sample i is one of the M = N * inner positions. With
 * its label l_i it has the weight
 *     w_i = 0 when l_i == ignore_index, else weight[l_i] * sample_weight[i], where a factor that is not given is 1.
 *
 * Padding. With padded_classes = P > C, scores and their gradient are [N, P], and inner is 1. The last P - C numbers of every sample are padding. No
 * result depends on the padding of scores. The padding of the gradient is 0.
 *
 * Types. Everything is computed in f32 (f64 for f64) and rounded once. With preference.math = ADJ_MATH_IEEE it is computed in f64 for every type.
 * Without a reduction, the results of a sample do not depend on other samples (batch_invariant). Nor does the gradient of a sum.
 *
 * Edge cases:
 * - An ignored sample has a loss of 0 and a gradient of 0, a mean with Z == 0 is 0 and its gradient is 0, whatever the scores are.
 * - A label outside [0, C) that is not ignore_index has no loss. The loss and the gradient row of its sample are NaN, and so are a sum and a mean.
 *   It is counted in error_flag. It does not count in the gradient's Z, so other samples keep their gradients. Nothing is read out of bounds.
 * - A NaN or +infinity among the scores of a sample makes its lse, log_prob, loss and gradient row NaN.
 * - Scores that are all -infinity give an lse of -infinity; log_prob, loss and gradient row are NaN. That holds for one class too.
 * - A label whose score is -infinity, beside finite scores, has a loss of +infinity.
 * - A weight of 0 hides nothing: 0 times a NaN or an infinity is NaN. Only an ignored label does.
 * - Beside a factor of the gradient that is infinite, the probability of a finite score counts as above 0, however small it is.
 *
 * Terms (see adj_guarantee), with p_c the softmax of a sample's scores x, m the largest of them, L = |log of the sum of exp(x_c - m)|, and
 * q the mean of 1 + |x_c - m| weighted by p:
 *     loss: w_i (|loss| + q)      lse: |m| + L + q      log_prob: |x_c - m| + L + q, for the label |loss| + q
 *     gradient, g being the factor of the sample: |g| max(p_c, 1e-30) (1 + |log p_c|), for the label |g| (|p_c - 1| + p_c |log p_c|)
 * Terms of sums and means are sums and means of these. Operators below that have other terms state them.
 *
 * Source: ONNX SoftmaxCrossEntropyLoss (opset 13); com.microsoft SoftmaxCrossEntropyLossGrad, SoftmaxCrossEntropy and SparseSoftmaxCrossEntropy with
 * their gradients; PyTorch's cross_entropy. */
#ifndef ADJOINT_OPS_LOSS_H
#define ADJOINT_OPS_LOSS_H

#include "operator.h"

ADJ_OPERATOR(3, softmax_cross_entropy_loss, SOFTMAX_CROSS_ENTROPY_LOSS, SoftmaxCrossEntropyLoss)
ADJ_OPERATOR(4, softmax_cross_entropy_loss_backward, SOFTMAX_CROSS_ENTROPY_LOSS_BACKWARD, SoftmaxCrossEntropyLossBackward)
ADJ_OPERATOR(31, soft_label_cross_entropy_loss, SOFT_LABEL_CROSS_ENTROPY_LOSS, SoftLabelCrossEntropyLoss)
ADJ_OPERATOR(32, soft_label_cross_entropy_loss_backward, SOFT_LABEL_CROSS_ENTROPY_LOSS_BACKWARD, SoftLabelCrossEntropyLossBackward)
ADJ_OPERATOR(33, cross_entropy_with_gradient, CROSS_ENTROPY_WITH_GRADIENT, CrossEntropyWithGradient)
ADJ_OPERATOR(34, log_prob_entropy, LOG_PROB_ENTROPY, LogProbEntropy)
ADJ_OPERATOR(35, log_prob_entropy_backward, LOG_PROB_ENTROPY_BACKWARD, LogProbEntropyBackward)
ADJ_OPERATOR(122, linear_cross_entropy, LINEAR_CROSS_ENTROPY, LinearCrossEntropy)
ADJ_OPERATOR(123, linear_cross_entropy_backward, LINEAR_CROSS_ENTROPY_BACKWARD, LinearCrossEntropyBackward)
ADJ_OPERATOR(124, linear_log_prob, LINEAR_LOG_PROB, LinearLogProb)
ADJ_OPERATOR(125, linear_log_prob_backward, LINEAR_LOG_PROB_BACKWARD, LinearLogProbBackward)

ADJ_GRADIENT(softmax_cross_entropy_loss, softmax_cross_entropy_loss_backward, dloss, scores, lse, labels, weight, sample_weight)
ADJ_GRADIENT(soft_label_cross_entropy_loss, soft_label_cross_entropy_loss_backward, dloss, scores, lse, labels, exact)
ADJ_GRADIENT(cross_entropy_with_gradient, dscores, dloss)
ADJ_GRADIENT(log_prob_entropy, log_prob_entropy_backward, dlog_prob, dentropy, scores, labels, lse, entropy ? dentropy)
ADJ_GRADIENT(linear_cross_entropy, linear_cross_entropy_backward, dloss, input, linear_weight, bias, labels, weight)
ADJ_GRADIENT(linear_log_prob, linear_log_prob_backward, dlog_prob, dentropy, input, linear_weight, labels, lse, entropy ? dentropy)

ADJ_LET(classes, padded_classes ? padded_classes : num_classes)

/* Softmax cross-entropy loss, forward:
 *     log_prob[n, c, d] = scores[n, c, d] - logsumexp over c of scores[n, :, d]
 *     none: loss_i = -log_prob[l_i] * w_i (exactly 0 where ignored)      sum: their sum
 *     mean: their sum / Z, Z = sum of w_i; 0 when Z == 0 (NaN with nan_when_empty) */
typedef struct adj_softmax_cross_entropy_loss_descriptor {
  adj_header header ADJ_DEFAULT(ADJ_HEADER_OF(adj_softmax_cross_entropy_loss_descriptor, ADJ_TAG_SOFTMAX_CROSS_ENTROPY_LOSS_DESCRIPTOR));
  int64_t batch ADJ_DEFAULT(-1) ADJ_FOLDS ADJ_RANGE(0);                   /* N */
  int64_t num_classes ADJ_DEFAULT(-1) ADJ_RANGE(0);                       /* C */
  int64_t inner ADJ_DEFAULT(1) ADJ_REST ADJ_RANGE(0);                     /* d1*..*dk */
  int64_t padded_classes ADJ_DEFAULT(0) ADJ_RANGE(0) ADJ_REFUSE(padded_classes && padded_classes < num_classes, "is below num_classes")
    ADJ_REFUSE(padded_classes > num_classes && inner != 1, "is set, but inner is not 1"); /* P, the classes and their padding; 0 = C */
  int64_t ignore_index ADJ_DEFAULT(0) ADJ_ONLY_IF(has_ignore_index);      /* the label of samples that do not count */
  adj_reduction reduction ADJ_DEFAULT({});                                /* mean unless stated */
  int32_t nan_when_empty ADJ_DEFAULT(0) ADJ_FLAG ADJ_ONLY_IF(reduction == default || reduction == mean); /* 1: a mean over nothing is NaN */
  int32_t has_ignore_index ADJ_DEFAULT(0) ADJ_FLAG;                       /* 1: ignore_index holds */
  adj_dtype element ADJ_DEFAULT({});                                      /* of scores: f32, f64, f16, bf16 */
  adj_dtype label ADJ_DEFAULT({});                                        /* i32, i64 */
  adj_dtype output ADJ_DEFAULT({}) ADJ_ZERO_IS(element);                  /* of loss and log_prob: element, or f32 for 16-bit scores */
  adj_dtype weight ADJ_DEFAULT({}) ADJ_TYPES(f32, f64, f16, bf16);        /* of the class weights; 0 = no weights */
  adj_dtype sample_weight ADJ_DEFAULT({}) ADJ_TYPES(f32, f64, f16, bf16); /* of the samples' weights; 0 = none */
} adj_softmax_cross_entropy_loss_descriptor;

typedef struct adj_softmax_cross_entropy_loss_args {
  adj_header header ADJ_DEFAULT(ADJ_HEADER_OF(adj_softmax_cross_entropy_loss_args, ADJ_TAG_SOFTMAX_CROSS_ENTROPY_LOSS_ARGS));
  adj_tensor scores        ADJ_DEFAULT({}) ADJ_IN([batch, classes, inner], element);
  adj_tensor labels        ADJ_DEFAULT({}) ADJ_IN([batch, inner], label);
  adj_tensor weight        ADJ_DEFAULT({}) ADJ_IN([num_classes], weight) ADJ_ONLY_IF(weight);
  adj_tensor loss          ADJ_DEFAULT({}) ADJ_OUT(reduction == none ? [batch, inner] : [1], output);
  adj_tensor log_prob      ADJ_DEFAULT({}) ADJ_OUT([batch, num_classes, inner], output) ADJ_OPTIONAL ADJ_ONLY_IF(!(padded_classes > num_classes))
                           ADJ_MAY_BE(scores); /* may share its buffer when the types agree */
  adj_tensor lse           ADJ_DEFAULT({}) ADJ_OUT([batch, inner], accumulator(element)) ADJ_OPTIONAL; /* logsumexp, for the gradient */
  adj_tensor error_flag    ADJ_DEFAULT({}) ADJ_INOUT([1], i64) ADJ_OPTIONAL; /* out-of-range labels are added to it */
  adj_tensor sample_weight ADJ_DEFAULT({}) ADJ_IN([batch, inner], sample_weight) ADJ_ONLY_IF(sample_weight);
} adj_softmax_cross_entropy_loss_args;

/* Softmax cross-entropy loss, gradient:
 *     dscores[n, c, d] = g_i * w_i * (exp(log_prob[n, c, d]) - [c == l_i]) / Z + bias[n, c, d]
 *     g = dloss: a scalar for mean and sum, one per sample for none
 *     Z = sum of w_i for mean, else 1; where Z == 0 the first summand is 0
 *
 * Arguments. Give either log_prob, or scores and the lse that the forward operator saved, which is more precise and has less traffic. bias is
 * another gradient flowing into the scores. It is added before the one rounding. The first summand of an ignored sample is exactly 0. */
typedef struct adj_softmax_cross_entropy_loss_backward_descriptor {
  adj_header header ADJ_DEFAULT(ADJ_HEADER_OF(adj_softmax_cross_entropy_loss_backward_descriptor, ADJ_TAG_SOFTMAX_CROSS_ENTROPY_LOSS_BACKWARD_DESCRIPTOR));
  int64_t batch ADJ_DEFAULT(-1) ADJ_FOLDS ADJ_RANGE(0);                   /* N */
  int64_t num_classes ADJ_DEFAULT(-1) ADJ_RANGE(0);                       /* C */
  int64_t inner ADJ_DEFAULT(1) ADJ_REST ADJ_RANGE(0);
  int64_t padded_classes ADJ_DEFAULT(0) ADJ_RANGE(0) ADJ_REFUSE(padded_classes && padded_classes < num_classes, "is below num_classes")
    ADJ_REFUSE(padded_classes > num_classes && inner != 1, "is set, but inner is not 1"); /* P, the classes and their padding; 0 = C */
  int64_t ignore_index ADJ_DEFAULT(0) ADJ_ONLY_IF(has_ignore_index);      /* the label of samples that do not count */
  adj_reduction reduction ADJ_DEFAULT({});                                /* mean unless stated */
  int32_t from_scores ADJ_DEFAULT(0) ADJ_FLAG;                            /* 0: from log_prob; 1: from scores and lse */
  int32_t has_ignore_index ADJ_DEFAULT(0) ADJ_FLAG;                       /* 1: ignore_index holds */
  adj_dtype element ADJ_DEFAULT({});                                      /* of log_prob or scores, and of dloss: f32, f64, f16, bf16 */
  adj_dtype label ADJ_DEFAULT({});                                        /* i32, i64 */
  adj_dtype output ADJ_DEFAULT({}) ADJ_ZERO_IS(element);                  /* of dscores: element, or a 16-bit type for f32 */
  adj_dtype weight ADJ_DEFAULT({}) ADJ_TYPES(f32, f64, f16, bf16);        /* of the class weights; 0 = no weights */
  adj_dtype sample_weight ADJ_DEFAULT({}) ADJ_TYPES(f32, f64, f16, bf16); /* of the samples' weights; 0 = none */
} adj_softmax_cross_entropy_loss_backward_descriptor;

typedef struct adj_softmax_cross_entropy_loss_backward_args {
  adj_header header ADJ_DEFAULT(ADJ_HEADER_OF(adj_softmax_cross_entropy_loss_backward_args, ADJ_TAG_SOFTMAX_CROSS_ENTROPY_LOSS_BACKWARD_ARGS));
  adj_tensor dloss         ADJ_DEFAULT({}) ADJ_IN(reduction == none ? [batch, inner] : [1], element);
  adj_tensor log_prob      ADJ_DEFAULT({}) ADJ_IN([batch, classes, inner], element) ADJ_ONLY_IF(!from_scores);
  adj_tensor scores        ADJ_DEFAULT({}) ADJ_IN([batch, classes, inner], element) ADJ_ONLY_IF(from_scores);
  adj_tensor lse           ADJ_DEFAULT({}) ADJ_IN([batch, inner], accumulator(element)) ADJ_ONLY_IF(from_scores);
  adj_tensor labels        ADJ_DEFAULT({}) ADJ_IN([batch, inner], label);
  adj_tensor weight        ADJ_DEFAULT({}) ADJ_IN([num_classes], weight) ADJ_ONLY_IF(weight);
  adj_tensor bias          ADJ_DEFAULT({}) ADJ_IN([batch, classes, inner], output) ADJ_OPTIONAL;
  adj_tensor dscores       ADJ_DEFAULT({}) ADJ_OUT([batch, classes, inner], output)
                           ADJ_MAY_BE(log_prob, scores, bias); /* may share a buffer when the types agree */
  adj_tensor error_flag    ADJ_DEFAULT({}) ADJ_INOUT([1], i64) ADJ_OPTIONAL; /* out-of-range labels are added to it */
  adj_tensor sample_weight ADJ_DEFAULT({}) ADJ_IN([batch, inner], sample_weight) ADJ_ONLY_IF(sample_weight);
} adj_softmax_cross_entropy_loss_backward_args;

/* Softmax cross-entropy with probabilities as labels, rows of scores and labels side by side:
 *     log_prob[r, c] = scores[r, c] - logsumexp over c of scores[r, :]
 *     none: loss_r = -sum over c of labels[r, c] * log_prob[r, c]      sum: their sum
 *     mean: their sum / rows; 0 without rows (NaN with nan_when_empty)
 * A label of 0 contributes 0, whatever its log-probability: a row of scores with a NaN has a loss of 0 where all its labels are 0.
 * Terms of a loss: the sum over c of |labels[r, c]| (|x_c - m| + L + q). */
typedef struct adj_soft_label_cross_entropy_loss_descriptor {
  adj_header header ADJ_DEFAULT(ADJ_HEADER_OF(adj_soft_label_cross_entropy_loss_descriptor, ADJ_TAG_SOFT_LABEL_CROSS_ENTROPY_LOSS_DESCRIPTOR));
  int64_t rows ADJ_DEFAULT(-1) ADJ_REST ADJ_RANGE(0);
  int64_t num_classes ADJ_DEFAULT(-1) ADJ_RANGE(0);      /* C */
  adj_reduction reduction ADJ_DEFAULT({});               /* mean unless stated */
  int32_t nan_when_empty ADJ_DEFAULT(0) ADJ_FLAG ADJ_ONLY_IF(reduction == default || reduction == mean); /* 1: a mean over nothing is NaN */
  adj_dtype element ADJ_DEFAULT({});                     /* of scores, labels and log_prob: f32, f64, f16, bf16 */
  adj_dtype output ADJ_DEFAULT({}) ADJ_ZERO_IS(element); /* of loss: element, or f32 for 16-bit scores */
} adj_soft_label_cross_entropy_loss_descriptor;

typedef struct adj_soft_label_cross_entropy_loss_args {
  adj_header header ADJ_DEFAULT(ADJ_HEADER_OF(adj_soft_label_cross_entropy_loss_args, ADJ_TAG_SOFT_LABEL_CROSS_ENTROPY_LOSS_ARGS));
  adj_tensor scores   ADJ_DEFAULT({}) ADJ_IN([rows, num_classes], element);
  adj_tensor labels   ADJ_DEFAULT({}) ADJ_IN([rows, num_classes], element);
  adj_tensor loss     ADJ_DEFAULT({}) ADJ_OUT(reduction == none ? [rows] : [1], output);
  adj_tensor log_prob ADJ_DEFAULT({}) ADJ_OUT([rows, num_classes], element) ADJ_OPTIONAL ADJ_MAY_BE(scores);
  adj_tensor lse      ADJ_DEFAULT({}) ADJ_OUT([rows], accumulator(element)) ADJ_OPTIONAL; /* logsumexp, for the gradient */
} adj_soft_label_cross_entropy_loss_args;

/* Softmax cross-entropy with probabilities as labels, gradient:
 *     dscores[r, c] = g_r * (exp(log_prob[r, c]) - labels[r, c]) / z
 *     with exact: dscores[r, c] = g_r * (exp(log_prob[r, c]) * sum of labels[r, :] - labels[r, c]) / z
 *     g = dloss: a scalar for mean and sum, one per row for none;  z = rows for mean, else 1
 * Without exact, that is the derivative when the labels of a row add up to 1; with exact, for any labels.
 *
 * Arguments. The probabilities come from log_prob, or from scores and the lse that the forward operator saved.
 *
 * Terms: |g_r / z| (p_c (1 + |x_c| + |lse|) S + |labels[r, c]|). S is the sum of |labels[r, :]| with exact, else 1. Without from_scores x_c is
 * log_prob and lse is 0. */
typedef struct adj_soft_label_cross_entropy_loss_backward_descriptor {
  adj_header header ADJ_DEFAULT(
      ADJ_HEADER_OF(adj_soft_label_cross_entropy_loss_backward_descriptor, ADJ_TAG_SOFT_LABEL_CROSS_ENTROPY_LOSS_BACKWARD_DESCRIPTOR));
  int64_t rows ADJ_DEFAULT(-1) ADJ_REST ADJ_RANGE(0);
  int64_t num_classes ADJ_DEFAULT(-1) ADJ_RANGE(0); /* C */
  adj_reduction reduction ADJ_DEFAULT({});          /* mean unless stated */
  int32_t from_scores ADJ_DEFAULT(0) ADJ_FLAG;      /* 0: from log_prob; 1: from scores and lse */
  int32_t exact ADJ_DEFAULT(0) ADJ_FLAG;            /* 1: labels need not add up to 1 */
  adj_dtype element ADJ_DEFAULT({});                /* of all tensors but lse: f32, f64, f16, bf16 */
} adj_soft_label_cross_entropy_loss_backward_descriptor;

typedef struct adj_soft_label_cross_entropy_loss_backward_args {
  adj_header header ADJ_DEFAULT(ADJ_HEADER_OF(adj_soft_label_cross_entropy_loss_backward_args, ADJ_TAG_SOFT_LABEL_CROSS_ENTROPY_LOSS_BACKWARD_ARGS));
  adj_tensor dloss    ADJ_DEFAULT({}) ADJ_IN(reduction == none ? [rows] : [1], element);
  adj_tensor log_prob ADJ_DEFAULT({}) ADJ_IN([rows, num_classes], element) ADJ_ONLY_IF(!from_scores);
  adj_tensor scores   ADJ_DEFAULT({}) ADJ_IN([rows, num_classes], element) ADJ_ONLY_IF(from_scores);
  adj_tensor lse      ADJ_DEFAULT({}) ADJ_IN([rows], accumulator(element)) ADJ_ONLY_IF(from_scores);
  adj_tensor labels   ADJ_DEFAULT({}) ADJ_IN([rows, num_classes], element);
  adj_tensor dscores  ADJ_DEFAULT({}) ADJ_OUT([rows, num_classes], element) ADJ_MAY_BE(log_prob, scores, labels);
} adj_soft_label_cross_entropy_loss_backward_args;

/* Softmax cross-entropy loss and its gradient in one call, from rows of scores:
 *     p[i, c] = exp(scores[i, c] - lse_i),   s = label_smoothing,   k = z_loss
 *     loss_i = (1 - s) * w_i * (lse_i - scores[i, l_i]) + s / C * sum over c of weight[c] * (lse_i - scores[i, c]) + k * lse_i^2
 *     none: loss[i] = loss_i      sum: their sum      mean: the first two terms over Z, the last one over the number of samples
 *     w_i = weight[l_i], or 1;  Z = sum of w_i
 *     dscores = dloss * the derivative of loss, for none of the sum of all losses
 * The smoothing is PyTorch's label smoothing.
 *
 * Types. loss and lse are f32 (f64 for f64) whatever the element type.
 *
 * Edge cases:
 * - An ignored sample has w_i = 0 and all terms 0. It counts neither in Z nor among the samples, and its row of dscores is exactly 0.
 * - A mean over nothing is 0.
 * - Where Z is 0 and there are samples, the z-loss of a mean remains.
 *
 * Terms, with v_c = s / C * weight[c] / Z and w = (1 - s) w_i / Z (Z = 1 for none and sum; K = 1, for mean the number of samples):
 *     loss: w (|x_l - m| + L + q) + sum over c of v_c (|x_c| + |m| + L + q) + k (|m| + L + q)^2 / K
 *     dscores, f = w + sum of v + 2 k (|m| + L + q) / K: |dloss| (f p_c (2 + |x_c - m| + L + q) + v_c), for the label |dloss| (f + v_l) */
typedef struct adj_cross_entropy_with_gradient_descriptor {
  adj_header header ADJ_DEFAULT(ADJ_HEADER_OF(adj_cross_entropy_with_gradient_descriptor, ADJ_TAG_CROSS_ENTROPY_WITH_GRADIENT_DESCRIPTOR));
  int64_t samples ADJ_DEFAULT(-1) ADJ_REST ADJ_RANGE(0);             /* M */
  int64_t num_classes ADJ_DEFAULT(-1) ADJ_RANGE(0);                  /* C */
  int64_t padded_classes ADJ_DEFAULT(0) ADJ_RANGE(0)
    ADJ_REFUSE(padded_classes && padded_classes < num_classes, "is below num_classes"); /* P, the classes and their padding; 0 = C */
  int64_t ignore_index ADJ_DEFAULT(0) ADJ_ONLY_IF(has_ignore_index); /* the label of samples that do not count */
  double label_smoothing ADJ_DEFAULT(0) ADJ_RANGE(0, 1);             /* q */
  double z_loss ADJ_DEFAULT(0) ADJ_RANGE(0);                         /* c_z */
  adj_reduction reduction ADJ_DEFAULT({});                           /* mean unless stated */
  int32_t has_ignore_index ADJ_DEFAULT(0) ADJ_FLAG;                  /* 1: ignore_index holds */
  adj_dtype element ADJ_DEFAULT({});                                 /* of scores and dscores: f32, f64, f16, bf16 */
  adj_dtype label ADJ_DEFAULT({});                                   /* i32, i64 */
  adj_dtype weight ADJ_DEFAULT({}) ADJ_TYPES(f32, f64, f16, bf16);   /* of the class weights; 0 = no weights */
  uint32_t reserved ADJ_DEFAULT(0);
} adj_cross_entropy_with_gradient_descriptor;

typedef struct adj_cross_entropy_with_gradient_args {
  adj_header header ADJ_DEFAULT(ADJ_HEADER_OF(adj_cross_entropy_with_gradient_args, ADJ_TAG_CROSS_ENTROPY_WITH_GRADIENT_ARGS));
  adj_tensor scores     ADJ_DEFAULT({})  ADJ_IN([samples, classes], element);
  adj_tensor labels     ADJ_DEFAULT({})  ADJ_IN([samples], label);
  adj_tensor weight     ADJ_DEFAULT({})  ADJ_IN([num_classes], weight) ADJ_ONLY_IF(weight);
  adj_scalar dloss      ADJ_DEFAULT({1}) ADJ_IN(f32, f64);
  adj_tensor loss       ADJ_DEFAULT({})  ADJ_OUT(reduction == none ? [samples] : [1], accumulator(element));
  adj_tensor lse        ADJ_DEFAULT({})  ADJ_OUT([samples], accumulator(element)) ADJ_OPTIONAL; /* logsumexp */
  adj_tensor dscores    ADJ_DEFAULT({})  ADJ_OUT([samples, classes], element) ADJ_MAY_BE(scores);
  adj_tensor error_flag ADJ_DEFAULT({})  ADJ_INOUT([1], i64) ADJ_OPTIONAL; /* out-of-range labels are added to it */
} adj_cross_entropy_with_gradient_args;

/* Log-probability of a label and entropy of the distribution, from rows of scores in one read, without storing probabilities:
 *     log_prob_i = scores[i, l_i] - lse_i,   entropy_i = lse_i - sum over c of p[i, c] * scores[i, c],   p[i, c] = exp(scores[i, c] - lse_i)
 * p log p is 0 where p is 0.
 *
 * Types. Results are f32 (f64 for f64).
 *
 * Edge cases:
 * - An ignored sample has a log_prob and an entropy of 0, and the lse of its scores.
 * - An out-of-range label has a log_prob of NaN, and the entropy of its scores.
 *
 * Terms, with Q the mean of (1 + |x_c - m|)^2 weighted by p: entropy: Q + L      log_prob: |x_l - m| + Q + L      lse: |m| + Q + L */
typedef struct adj_log_prob_entropy_descriptor {
  adj_header header ADJ_DEFAULT(ADJ_HEADER_OF(adj_log_prob_entropy_descriptor, ADJ_TAG_LOG_PROB_ENTROPY_DESCRIPTOR));
  int64_t samples ADJ_DEFAULT(-1) ADJ_REST ADJ_RANGE(0);             /* M */
  int64_t num_classes ADJ_DEFAULT(-1) ADJ_RANGE(0);                  /* C */
  int64_t ignore_index ADJ_DEFAULT(0) ADJ_ONLY_IF(has_ignore_index); /* the label of samples that do not count */
  int32_t has_ignore_index ADJ_DEFAULT(0) ADJ_FLAG;                  /* 1: ignore_index holds */
  adj_dtype element ADJ_DEFAULT({});                                 /* of scores: f32, f64, f16, bf16 */
  adj_dtype label ADJ_DEFAULT({});                                   /* i32, i64 */
  uint32_t reserved ADJ_DEFAULT(0);
} adj_log_prob_entropy_descriptor;

typedef struct adj_log_prob_entropy_args {
  adj_header header ADJ_DEFAULT(ADJ_HEADER_OF(adj_log_prob_entropy_args, ADJ_TAG_LOG_PROB_ENTROPY_ARGS));
  adj_tensor scores     ADJ_DEFAULT({}) ADJ_IN([samples, num_classes], element);
  adj_tensor labels     ADJ_DEFAULT({}) ADJ_IN([samples], label);
  adj_tensor log_prob   ADJ_DEFAULT({}) ADJ_OUT([samples], accumulator(element));
  adj_tensor entropy    ADJ_DEFAULT({}) ADJ_OUT([samples], accumulator(element)) ADJ_OPTIONAL;
  adj_tensor lse        ADJ_DEFAULT({}) ADJ_OUT([samples], accumulator(element)) ADJ_OPTIONAL; /* for the gradient */
  adj_tensor error_flag ADJ_DEFAULT({}) ADJ_INOUT([1], i64) ADJ_OPTIONAL; /* out-of-range labels are added to it */
} adj_log_prob_entropy_args;

/* Log-probability and entropy, gradient with respect to the scores:
 *     dscores[i, c] = dlog_prob_i * ([c == l_i] - p[i, c]) - dentropy_i * p[i, c] * (log p[i, c] + entropy_i)
 * Exact zeros for ignored samples; NaN for out-of-range labels.
 * Terms, with y = 1 + |x_c| + |lse|: p_c y (|dlog_prob| + |dentropy| (1 + y + |entropy|)), for the label |dlog_prob| more. */
typedef struct adj_log_prob_entropy_backward_descriptor {
  adj_header header ADJ_DEFAULT(ADJ_HEADER_OF(adj_log_prob_entropy_backward_descriptor, ADJ_TAG_LOG_PROB_ENTROPY_BACKWARD_DESCRIPTOR));
  int64_t samples ADJ_DEFAULT(-1) ADJ_REST ADJ_RANGE(0);             /* M */
  int64_t num_classes ADJ_DEFAULT(-1) ADJ_RANGE(0);                  /* C */
  int64_t ignore_index ADJ_DEFAULT(0) ADJ_ONLY_IF(has_ignore_index); /* the label of samples that do not count */
  int32_t has_ignore_index ADJ_DEFAULT(0) ADJ_FLAG;                  /* 1: ignore_index holds */
  int32_t with_entropy ADJ_DEFAULT(0) ADJ_FLAG;                      /* 1: dentropy and entropy are given */
  adj_dtype element ADJ_DEFAULT({});                                 /* of scores and dscores: f32, f64, f16, bf16 */
  adj_dtype label ADJ_DEFAULT({});                                   /* i32, i64 */
} adj_log_prob_entropy_backward_descriptor;

typedef struct adj_log_prob_entropy_backward_args {
  adj_header header ADJ_DEFAULT(ADJ_HEADER_OF(adj_log_prob_entropy_backward_args, ADJ_TAG_LOG_PROB_ENTROPY_BACKWARD_ARGS));
  adj_tensor dlog_prob  ADJ_DEFAULT({}) ADJ_IN([samples], accumulator(element));
  adj_tensor dentropy   ADJ_DEFAULT({}) ADJ_IN([samples], accumulator(element)) ADJ_ONLY_IF(with_entropy);
  adj_tensor scores     ADJ_DEFAULT({}) ADJ_IN([samples, num_classes], element);
  adj_tensor labels     ADJ_DEFAULT({}) ADJ_IN([samples], label);
  adj_tensor lse        ADJ_DEFAULT({}) ADJ_IN([samples], accumulator(element));
  adj_tensor entropy    ADJ_DEFAULT({}) ADJ_IN([samples], accumulator(element)) ADJ_ONLY_IF(with_entropy);
  adj_tensor dscores    ADJ_DEFAULT({}) ADJ_OUT([samples, num_classes], element) ADJ_MAY_BE(scores);
  adj_tensor error_flag ADJ_DEFAULT({}) ADJ_INOUT([1], i64) ADJ_OPTIONAL; /* out-of-range labels are added to it */
} adj_log_prob_entropy_backward_args;

/* Cross-entropy of a linear layer, without its scores in memory: they are made, and their gradient is used, for a chunk of samples at a time.
 *     z[i, c] = cap(sum over h of input[i, h] * linear_weight[c, h] / temperature + bias[c]),  cap(t) = softcap * tanh(t / softcap), or t without
 *     loss: that of cross_entropy_with_gradient with the scores z
 *     with_gradient: G = dloss * the derivative of loss (for none of the sum of all losses) with respect to the score before cap, in `element`;
 *     dinput = G linear_weight / temperature;  dlinear_weight (=|+=) G' input / temperature;  dbias (=|+=) column sums of G
 *
 * Chunks. A chunk has chunk_rows samples: with 0 the largest multiple of 128 up to 2048 whose scores in `element` fit max_workspace, at least one and at
 * most N. Chunks are added in their order, the first one is stored. Where the gradient of the weights is in `element`, it is rounded after each chunk.
 * So its bits depend on chunk_rows. Those of loss, lse and dinput do not.
 *
 * Types. Products are added in f32, and z and G are rounded to `element`. loss and lse are f32.
 *
 * Edge cases are those of cross_entropy_with_gradient, and:
 * - Every sample is ignored: loss, gradients and dbias are 0, with accumulate nothing is added.
 * - A label outside [0, C): loss, and the row of dinput, are NaN. The row adds nothing to dlinear_weight and dbias.
 * - Padding of linear_weight and bias is read, so it must be finite; no result depends on it. That of their gradients is 0, with accumulate unchanged.
 * - A NaN or an infinity in the row of input of a sample that does not count acts on dlinear_weight as in IEEE arithmetic: 0 times it is NaN.
 *
 * Terms, with T_c = sum over h of |input linear_weight| / temperature + |bias| + |z_c| and S = the mean of T_c weighted by p, plus L + q:
 *     loss: w (T_l + S) + sum over c of v_c (T_c + S) + k (|m| + S)^2 / K;  lse: |m| + S;  f = w + sum of v + 2 k (|m| + S) / K
 *     g_c = |dloss| (f p_c (2 + T_c + S) + v_c), for the label |dloss| (f (2 + T_l + S) + v_l): of G
 *     in f16 a g_c that is not 0 counts at least 2^-14
 *     dinput: sum over c of g_c |linear_weight| / temperature;  dlinear_weight: sum over i of g_c |input| / temperature;  dbias: sum over i of g_c;
 *     with accumulate what was held before
 *
 * Source: PyTorch's linear and cross_entropy, and its linear_cross_entropy; Liger Kernel's fused linear cross entropy. */
typedef struct adj_linear_cross_entropy_descriptor {
  adj_header header ADJ_DEFAULT(ADJ_HEADER_OF(adj_linear_cross_entropy_descriptor, ADJ_TAG_LINEAR_CROSS_ENTROPY_DESCRIPTOR));
  int64_t samples ADJ_DEFAULT(-1) ADJ_FOLDS ADJ_RANGE(0);               /* N */
  int64_t hidden ADJ_DEFAULT(-1) ADJ_RANGE(1);                          /* H */
  int64_t num_classes ADJ_DEFAULT(-1) ADJ_RANGE(1);                     /* C */
  int64_t padded_classes ADJ_DEFAULT(0) ADJ_RANGE(0)
    ADJ_REFUSE(padded_classes && padded_classes < num_classes, "is below num_classes"); /* P, the classes and their padding; 0 = C */
  int64_t ignore_index ADJ_DEFAULT(0) ADJ_ONLY_IF(has_ignore_index);    /* the label of samples that do not count */
  int64_t chunk_rows ADJ_DEFAULT(0) ADJ_RANGE(0);                       /* samples of a chunk; 0: chosen by the shape */
  int64_t max_workspace ADJ_DEFAULT(0) ADJ_RANGE(0);                    /* most bytes of the scores of a chunk that is chosen by the shape; 0: 2^29 */
  double label_smoothing ADJ_DEFAULT(0) ADJ_RANGE(0, 1);                /* q */
  double z_loss ADJ_DEFAULT(0) ADJ_RANGE(0);                            /* c_z */
  double temperature ADJ_DEFAULT(1) ADJ_RANGE(above 0)
    ADJ_REFUSE(has_bias && temperature != 1, "does not go with has_bias: a bias is not divided by a temperature"); /* tau */
  double softcap ADJ_DEFAULT(0) ADJ_RANGE(0);                           /* cap; 0: none */
  adj_reduction reduction ADJ_DEFAULT({});                              /* mean unless stated */
  int32_t has_ignore_index ADJ_DEFAULT(0) ADJ_FLAG;                     /* 1: ignore_index holds */
  int32_t has_bias ADJ_DEFAULT(0) ADJ_FLAG;                             /* 1: bias is given */
  int32_t with_gradient ADJ_DEFAULT(0) ADJ_FLAG;                        /* 1: the gradients are written */
  adj_write_mode write_mode ADJ_DEFAULT({}) ADJ_ONLY_IF(with_gradient); /* of dlinear_weight and dbias; accumulate needs with_gradient */
  adj_dtype element ADJ_DEFAULT({});                                    /* of input, linear_weight, bias and dinput: f32, f16, bf16 */
  adj_dtype label ADJ_DEFAULT({});                                      /* i32, i64 */
  adj_dtype weight ADJ_DEFAULT({}) ADJ_TYPES(f32, f64, f16, bf16);      /* of the class weights; 0 = no weights */
  adj_dtype gradient ADJ_DEFAULT({}) ADJ_ZERO_IS(element) ADJ_TYPES(element, f32) ADJ_ONLY_IF(with_gradient); /* of dlinear_weight and dbias */
  uint32_t reserved ADJ_DEFAULT(0);
} adj_linear_cross_entropy_descriptor;

typedef struct adj_linear_cross_entropy_args {
  adj_header header ADJ_DEFAULT(ADJ_HEADER_OF(adj_linear_cross_entropy_args, ADJ_TAG_LINEAR_CROSS_ENTROPY_ARGS));
  adj_tensor input          ADJ_DEFAULT({})  ADJ_IN([samples, hidden], element);
  adj_tensor linear_weight  ADJ_DEFAULT({})  ADJ_IN([classes, hidden], element);
  adj_tensor bias           ADJ_DEFAULT({})  ADJ_IN([classes], element) ADJ_ONLY_IF(has_bias);
  adj_tensor labels         ADJ_DEFAULT({})  ADJ_IN([samples], label);
  adj_tensor weight         ADJ_DEFAULT({})  ADJ_IN([num_classes], weight) ADJ_ONLY_IF(weight);
  adj_scalar dloss          ADJ_DEFAULT({1}) ADJ_IN(f32, f64);
  adj_tensor loss           ADJ_DEFAULT({})  ADJ_OUT(reduction == none ? [samples] : [1], f32);
  adj_tensor lse            ADJ_DEFAULT({})  ADJ_OUT([samples], f32) ADJ_OPTIONAL; /* logsumexp */
  adj_tensor dinput         ADJ_DEFAULT({})  ADJ_OUT([samples, hidden], element) ADJ_ONLY_IF(with_gradient);
  adj_tensor dlinear_weight ADJ_DEFAULT({})  ADJ_OUT([classes, hidden], gradient) ADJ_ONLY_IF(with_gradient) ADJ_READ_IF(write_mode == accumulate);
  adj_tensor dbias          ADJ_DEFAULT({})  ADJ_OUT([classes], gradient) ADJ_ONLY_IF(with_gradient && has_bias) ADJ_READ_IF(write_mode == accumulate);
  adj_tensor error_flag     ADJ_DEFAULT({})  ADJ_INOUT([1], i64) ADJ_OPTIONAL; /* out-of-range labels are added to it */
} adj_linear_cross_entropy_args;

/* Cross-entropy of a linear layer, gradient alone: scores are made again. G is that of linear_cross_entropy for a dloss of 1, rounded, and then
 * multiplied by dloss (mean: and by 1 / Z) and rounded again. Terms: those of linear_cross_entropy. */
typedef struct adj_linear_cross_entropy_backward_descriptor {
  adj_header header ADJ_DEFAULT(ADJ_HEADER_OF(adj_linear_cross_entropy_backward_descriptor, ADJ_TAG_LINEAR_CROSS_ENTROPY_BACKWARD_DESCRIPTOR));
  int64_t samples ADJ_DEFAULT(-1) ADJ_FOLDS ADJ_RANGE(0);                          /* N */
  int64_t hidden ADJ_DEFAULT(-1) ADJ_RANGE(1);                                     /* H */
  int64_t num_classes ADJ_DEFAULT(-1) ADJ_RANGE(1);                                /* C */
  int64_t padded_classes ADJ_DEFAULT(0) ADJ_RANGE(0)
    ADJ_REFUSE(padded_classes && padded_classes < num_classes, "is below num_classes"); /* P, the classes and their padding; 0 = C */
  int64_t ignore_index ADJ_DEFAULT(0) ADJ_ONLY_IF(has_ignore_index);               /* the label of samples that do not count */
  int64_t chunk_rows ADJ_DEFAULT(0) ADJ_RANGE(0);                                  /* samples of a chunk; 0: chosen by the shape */
  int64_t max_workspace ADJ_DEFAULT(0) ADJ_RANGE(0); /* most bytes of the scores of a chunk that is chosen by the shape; 0: 2^29 */
  double label_smoothing ADJ_DEFAULT(0) ADJ_RANGE(0, 1);                           /* q */
  double z_loss ADJ_DEFAULT(0) ADJ_RANGE(0);                                       /* c_z */
  double temperature ADJ_DEFAULT(1) ADJ_RANGE(above 0)
    ADJ_REFUSE(has_bias && temperature != 1, "does not go with has_bias: a bias is not divided by a temperature"); /* tau */
  double softcap ADJ_DEFAULT(0) ADJ_RANGE(0);                                      /* cap; 0: none */
  adj_reduction reduction ADJ_DEFAULT({});                                         /* mean unless stated */
  int32_t has_ignore_index ADJ_DEFAULT(0) ADJ_FLAG;                                /* 1: ignore_index holds */
  int32_t has_bias ADJ_DEFAULT(0) ADJ_FLAG;                                        /* 1: bias is given */
  adj_write_mode write_mode ADJ_DEFAULT({});                                       /* of dlinear_weight and dbias */
  adj_dtype element ADJ_DEFAULT({});                                               /* of input, linear_weight, bias and dinput: f32, f16, bf16 */
  adj_dtype label ADJ_DEFAULT({});                                                 /* i32, i64 */
  adj_dtype weight ADJ_DEFAULT({}) ADJ_TYPES(f32, f64, f16, bf16);                 /* of the class weights; 0 = no weights */
  adj_dtype gradient ADJ_DEFAULT({}) ADJ_ZERO_IS(element) ADJ_TYPES(element, f32); /* of dlinear_weight and dbias */
} adj_linear_cross_entropy_backward_descriptor;

typedef struct adj_linear_cross_entropy_backward_args {
  adj_header header ADJ_DEFAULT(ADJ_HEADER_OF(adj_linear_cross_entropy_backward_args, ADJ_TAG_LINEAR_CROSS_ENTROPY_BACKWARD_ARGS));
  adj_tensor dloss          ADJ_DEFAULT({}) ADJ_IN(reduction == none ? [samples] : [1], f32);
  adj_tensor input          ADJ_DEFAULT({}) ADJ_IN([samples, hidden], element);
  adj_tensor linear_weight  ADJ_DEFAULT({}) ADJ_IN([classes, hidden], element);
  adj_tensor bias           ADJ_DEFAULT({}) ADJ_IN([classes], element) ADJ_ONLY_IF(has_bias);
  adj_tensor labels         ADJ_DEFAULT({}) ADJ_IN([samples], label);
  adj_tensor weight         ADJ_DEFAULT({}) ADJ_IN([num_classes], weight) ADJ_ONLY_IF(weight);
  adj_tensor dinput         ADJ_DEFAULT({}) ADJ_OUT([samples, hidden], element);
  adj_tensor dlinear_weight ADJ_DEFAULT({}) ADJ_OUT([classes, hidden], gradient) ADJ_READ_IF(write_mode == accumulate);
  adj_tensor dbias          ADJ_DEFAULT({}) ADJ_OUT([classes], gradient) ADJ_ONLY_IF(has_bias) ADJ_READ_IF(write_mode == accumulate);
  adj_tensor error_flag     ADJ_DEFAULT({}) ADJ_INOUT([1], i64) ADJ_OPTIONAL; /* out-of-range labels are added to it */
} adj_linear_cross_entropy_backward_args;

/* Log-probability of a label and entropy under a linear layer, without its scores in memory:
 *     z[i, c] = sum over h of input[i, h] * linear_weight[c, h] / temperature, rounded to `element`;  the rest is log_prob_entropy
 * Chunks, and T_c: see linear_cross_entropy. Terms, with Q as there: entropy: Q (1 + S)      log_prob: T_l + Q + S      lse: |m| + S + Q */
typedef struct adj_linear_log_prob_descriptor {
  adj_header header ADJ_DEFAULT(ADJ_HEADER_OF(adj_linear_log_prob_descriptor, ADJ_TAG_LINEAR_LOG_PROB_DESCRIPTOR));
  int64_t samples ADJ_DEFAULT(-1) ADJ_FOLDS ADJ_RANGE(0);            /* N */
  int64_t hidden ADJ_DEFAULT(-1) ADJ_RANGE(1);                       /* H */
  int64_t num_classes ADJ_DEFAULT(-1) ADJ_RANGE(1);                  /* C */
  int64_t ignore_index ADJ_DEFAULT(0) ADJ_ONLY_IF(has_ignore_index); /* the label of samples that do not count */
  int64_t chunk_rows ADJ_DEFAULT(0) ADJ_RANGE(0);                    /* samples of a chunk; 0: chosen by the shape */
  int64_t max_workspace ADJ_DEFAULT(0) ADJ_RANGE(0);                 /* most bytes of the scores of a chunk that is chosen by the shape; 0: 2^29 */
  double temperature ADJ_DEFAULT(1) ADJ_RANGE(above 0);              /* tau */
  int32_t has_ignore_index ADJ_DEFAULT(0) ADJ_FLAG;                  /* 1: ignore_index holds */
  adj_dtype element ADJ_DEFAULT({});                                 /* of input and linear_weight: f32, f16, bf16 */
  adj_dtype label ADJ_DEFAULT({});                                   /* i32, i64 */
  uint32_t reserved ADJ_DEFAULT(0);
} adj_linear_log_prob_descriptor;

typedef struct adj_linear_log_prob_args {
  adj_header header ADJ_DEFAULT(ADJ_HEADER_OF(adj_linear_log_prob_args, ADJ_TAG_LINEAR_LOG_PROB_ARGS));
  adj_tensor input         ADJ_DEFAULT({}) ADJ_IN([samples, hidden], element);
  adj_tensor linear_weight ADJ_DEFAULT({}) ADJ_IN([num_classes, hidden], element);
  adj_tensor labels        ADJ_DEFAULT({}) ADJ_IN([samples], label);
  adj_tensor log_prob      ADJ_DEFAULT({}) ADJ_OUT([samples], f32);
  adj_tensor entropy       ADJ_DEFAULT({}) ADJ_OUT([samples], f32) ADJ_OPTIONAL;
  adj_tensor lse           ADJ_DEFAULT({}) ADJ_OUT([samples], f32) ADJ_OPTIONAL; /* for the gradient */
  adj_tensor error_flag    ADJ_DEFAULT({}) ADJ_INOUT([1], i64) ADJ_OPTIONAL; /* out-of-range labels are added to it */
} adj_linear_log_prob_args;

/* Log-probability and entropy under a linear layer, gradient: G is that of log_prob_entropy_backward, of scores that are made again, rounded to
 * `element`; dinput and dlinear_weight are those of linear_cross_entropy. Terms, with y = 1 + T_c + |lse|:
 *     g_c = p_c y (|dlog_prob| + |dentropy| (1 + y + |entropy|)), for the label |dlog_prob| more; the sums as in linear_cross_entropy */
typedef struct adj_linear_log_prob_backward_descriptor {
  adj_header header ADJ_DEFAULT(ADJ_HEADER_OF(adj_linear_log_prob_backward_descriptor, ADJ_TAG_LINEAR_LOG_PROB_BACKWARD_DESCRIPTOR));
  int64_t samples ADJ_DEFAULT(-1) ADJ_FOLDS ADJ_RANGE(0);                          /* N */
  int64_t hidden ADJ_DEFAULT(-1) ADJ_RANGE(1);                                     /* H */
  int64_t num_classes ADJ_DEFAULT(-1) ADJ_RANGE(1);                                /* C */
  int64_t ignore_index ADJ_DEFAULT(0) ADJ_ONLY_IF(has_ignore_index);               /* the label of samples that do not count */
  int64_t chunk_rows ADJ_DEFAULT(0) ADJ_RANGE(0);                                  /* samples of a chunk; 0: chosen by the shape */
  int64_t max_workspace ADJ_DEFAULT(0) ADJ_RANGE(0); /* most bytes of the scores of a chunk that is chosen by the shape; 0: 2^29 */
  double temperature ADJ_DEFAULT(1) ADJ_RANGE(above 0);                            /* tau */
  int32_t has_ignore_index ADJ_DEFAULT(0) ADJ_FLAG;                                /* 1: ignore_index holds */
  int32_t with_entropy ADJ_DEFAULT(0) ADJ_FLAG;                                    /* 1: dentropy and entropy are given */
  adj_write_mode write_mode ADJ_DEFAULT({});                                       /* of dlinear_weight */
  adj_dtype element ADJ_DEFAULT({});                                               /* of input, linear_weight and dinput: f32, f16, bf16 */
  adj_dtype label ADJ_DEFAULT({});                                                 /* i32, i64 */
  adj_dtype gradient ADJ_DEFAULT({}) ADJ_ZERO_IS(element) ADJ_TYPES(element, f32); /* of dlinear_weight */
} adj_linear_log_prob_backward_descriptor;

typedef struct adj_linear_log_prob_backward_args {
  adj_header header ADJ_DEFAULT(ADJ_HEADER_OF(adj_linear_log_prob_backward_args, ADJ_TAG_LINEAR_LOG_PROB_BACKWARD_ARGS));
  adj_tensor dlog_prob      ADJ_DEFAULT({}) ADJ_IN([samples], f32);
  adj_tensor dentropy       ADJ_DEFAULT({}) ADJ_IN([samples], f32) ADJ_ONLY_IF(with_entropy);
  adj_tensor input          ADJ_DEFAULT({}) ADJ_IN([samples, hidden], element);
  adj_tensor linear_weight  ADJ_DEFAULT({}) ADJ_IN([num_classes, hidden], element);
  adj_tensor labels         ADJ_DEFAULT({}) ADJ_IN([samples], label);
  adj_tensor lse            ADJ_DEFAULT({}) ADJ_IN([samples], f32);
  adj_tensor entropy        ADJ_DEFAULT({}) ADJ_IN([samples], f32) ADJ_ONLY_IF(with_entropy);
  adj_tensor dinput         ADJ_DEFAULT({}) ADJ_OUT([samples, hidden], element);
  adj_tensor dlinear_weight ADJ_DEFAULT({}) ADJ_OUT([num_classes, hidden], gradient) ADJ_READ_IF(write_mode == accumulate);
  adj_tensor error_flag     ADJ_DEFAULT({}) ADJ_INOUT([1], i64) ADJ_OPTIONAL; /* out-of-range labels are added to it */
} adj_linear_log_prob_backward_args;

#include <adjoint/ops/loss_init.h>

#endif
