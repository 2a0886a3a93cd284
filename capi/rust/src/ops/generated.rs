// Written by tools/generate.py from the C headers. Do not edit.
use super::*;
#[allow(unused_imports)] // not every kind of argument need occur
use crate::{Handle, In, ListIn, ListOut, Out, Random, Scalar};

operators! {
    /// ```text
    /// Embedding forward:   out[n, :] = weight[indices[n], :], a bit-exact copy.
    /// ```
    EmbeddingForward = ADJ_OP_EMBEDDING_FORWARD (adj_embedding_forward_descriptor, adj_embedding_forward_args) {
        WEIGHT: In = weight,
        INDICES: In = indices,
        OUT: Out = out,
        ERROR_FLAG: Out = error_flag,
    }
    /// ```text
    /// Embedding backward:   dweight[r, :] (=|+=) s_r * sum over n with indices[n] == r of dout[n, :]
    /// ```
    EmbeddingBackward = ADJ_OP_EMBEDDING_BACKWARD (adj_embedding_backward_descriptor, adj_embedding_backward_args) {
        DOUT: In = dout,
        INDICES: In = indices,
        DWEIGHT: Out = dweight,
        ERROR_FLAG: Out = error_flag,
        SORTED_ROWS: In = sorted_rows,
        ORDER: In = order,
    }
    /// ```text
    /// Softmax cross-entropy loss, forward:
    ///     log_prob[n, c, d] = scores[n, c, d] - logsumexp over c of scores[n, :, d]
    ///     none: loss_i = -log_prob[l_i] * w_i (exactly 0 where ignored)      sum: their sum
    ///     mean: their sum / Z, Z = sum of w_i; 0 when Z == 0 (NaN with nan_when_empty)
    /// Everything is computed in f32 (f64 for f64) and rounded once.
    /// ```
    SoftmaxCrossEntropyLoss = ADJ_OP_SOFTMAX_CROSS_ENTROPY_LOSS (adj_softmax_cross_entropy_loss_descriptor, adj_softmax_cross_entropy_loss_args) {
        SCORES: In = scores,
        LABELS: In = labels,
        WEIGHT: In = weight,
        LOSS: Out = loss,
        LOG_PROB: Out = log_prob,
        LSE: Out = lse,
        ERROR_FLAG: Out = error_flag,
    }
    /// ```text
    /// Softmax cross-entropy loss, gradient:
    ///     dscores[n, c, d] = g_i * w_i * (exp(log_prob[n, c, d]) - [c == l_i]) / Z
    /// g = dloss (a scalar for mean and sum, one per sample for none), Z = sum of w_i for mean and 1 otherwise; 0 when
    /// Z == 0. Ignored samples get exact zeros. The probabilities come from log_prob, or, more precisely and with less
    /// traffic, from scores and the lse that the forward op saved: give either log_prob, or scores and lse.
    /// bias, when given, is another gradient flowing into the scores: it is added before the one rounding.
    /// ```
    SoftmaxCrossEntropyLossBackward = ADJ_OP_SOFTMAX_CROSS_ENTROPY_LOSS_BACKWARD (adj_softmax_cross_entropy_loss_backward_descriptor, adj_softmax_cross_entropy_loss_backward_args) {
        DLOSS: In = dloss,
        LOG_PROB: In = log_prob,
        SCORES: In = scores,
        LSE: In = lse,
        LABELS: In = labels,
        WEIGHT: In = weight,
        BIAS: In = bias,
        DSCORES: Out = dscores,
        ERROR_FLAG: Out = error_flag,
    }
    /// ```text
    /// AdamW. With t the step, a = 1 - beta1^t, b = 1 - beta2^t (both 1 without bias_correction), g = grad / grad_scale:
    ///     m = beta1 * m + (1 - beta1) * g,   v = beta2 * v + (1 - beta2) * g * g
    ///     decay first: w -= lr * weight_decay * w;  w -= lr * (m / a) / (sqrt(v) / sqrt(b) + epsilon)
    ///     decay last:  w -= lr * sqrt(b) / a * m / (sqrt(v) + epsilon);  w -= lr * weight_decay * w
    /// a and b are computed in f64. Steps count from 1; a step below 1 with bias correction is an error by value, and on
    /// the device leaves everything unchanged and is counted in error_flag.
    /// ```
    AdamW = ADJ_OP_ADAMW (adj_adamw_descriptor, adj_adamw_args) {
        PARAMS: ListOut = params,
        GRADS: ListIn = grads,
        EXP_AVG: ListOut = exp_avg,
        EXP_AVG_SQ: ListOut = exp_avg_sq,
        COPIES: ListOut = copies,
        LR: Scalar = lr,
        STEP: Scalar = step,
        GRAD_SCALE: Scalar = grad_scale,
        FOUND_INF: In = found_inf,
        ERROR_FLAG: Out = error_flag,
    }
    /// ```text
    /// SGD with momentum. g = grad / grad_scale + weight_decay * w:
    ///     without momentum: w -= lr * g
    ///     with momentum:    buf = momentum * buf + (1 - dampening) * g;  w -= lr * (nesterov ? g + momentum * buf : buf)
    /// Buffers start at zero, except that first_step makes buf = g (PyTorch's first step).
    /// ```
    Sgd = ADJ_OP_SGD (adj_sgd_descriptor, adj_sgd_args) {
        PARAMS: ListOut = params,
        GRADS: ListIn = grads,
        MOMENTUM_BUFFERS: ListOut = momentum_buffers,
        COPIES: ListOut = copies,
        LR: Scalar = lr,
        GRAD_SCALE: Scalar = grad_scale,
        FOUND_INF: In = found_inf,
    }
    /// ```text
    /// Softmax gradient, out being the softmax itself:
    ///     dinput[n, c, d] = out[n, c, d] * (dout[n, c, d] - sum over k of dout[n, k, d] * out[n, k, d])
    /// ```
    SoftmaxBackward = ADJ_OP_SOFTMAX_BACKWARD (adj_softmax_backward_descriptor, adj_softmax_backward_args) {
        DOUT: In = dout,
        OUT: In = out,
        DINPUT: Out = dinput,
    }
    /// ```text
    /// Log-softmax gradient, out being the log-softmax itself:
    ///     dinput[n, c, d] = dout[n, c, d] - exp(out[n, c, d]) * sum over k of dout[n, k, d]
    /// ```
    LogSoftmaxBackward = ADJ_OP_LOG_SOFTMAX_BACKWARD (adj_log_softmax_backward_descriptor, adj_log_softmax_backward_args) {
        DOUT: In = dout,
        OUT: In = out,
        DINPUT: Out = dinput,
    }
    /// ```text
    /// Concat:   output[p, o_i + a, n] = inputs[i][p, a, n],   o_i = lengths[0] + .. + lengths[i - 1]
    /// ```
    Concat = ADJ_OP_CONCAT (adj_concat_descriptor, adj_concat_args) {
        INPUTS: ListIn = inputs,
        OUTPUT: Out = output,
        LENGTHS_OUT: Out = lengths_out,
    }
    /// ```text
    /// Split:   outputs[i][p, a, n] = input[p, o_i + a, n],   o_i = lengths[0] + .. + lengths[i - 1]
    /// ```
    Split = ADJ_OP_SPLIT (adj_split_descriptor, adj_split_args) {
        INPUT: In = input,
        OUTPUTS: ListOut = outputs,
    }
    /// ```text
    /// Gather gradient, the gradient of out = Gather(input, indices, axis) in input:
    ///     dinput[o, r, i] (=|+=) sum over n with row(indices[n]) == r of dout[o, n, i]
    /// ```
    GatherGrad = ADJ_OP_GATHER_GRAD (adj_gather_grad_descriptor, adj_gather_grad_args) {
        DOUT: In = dout,
        INDICES: In = indices,
        DINPUT: Out = dinput,
        ERROR_FLAG: Out = error_flag,
        SORTED_ROWS: In = sorted_rows,
        ORDER: In = order,
    }
    /// ```text
    /// EmbeddingBag forward, over the positions n of bag b that take part:
    /// ```
    EmbeddingBagForward = ADJ_OP_EMBEDDING_BAG_FORWARD (adj_embedding_bag_forward_descriptor, adj_embedding_bag_forward_args) {
        WEIGHT: In = weight,
        INDICES: In = indices,
        OFFSETS: In = offsets,
        PER_SAMPLE_WEIGHTS: In = per_sample_weights,
        OUT: Out = out,
        MAX_POSITIONS: Out = max_positions,
        ERROR_FLAG: Out = error_flag,
    }
    /// ```text
    /// EmbeddingBag backward to the weight, over the positions n that take part with indices[n] == r, bag(n) being theirs:
    /// ```
    EmbeddingBagBackward = ADJ_OP_EMBEDDING_BAG_BACKWARD (adj_embedding_bag_backward_descriptor, adj_embedding_bag_backward_args) {
        DOUT: In = dout,
        INDICES: In = indices,
        OFFSETS: In = offsets,
        PER_SAMPLE_WEIGHTS: In = per_sample_weights,
        MAX_POSITIONS: In = max_positions,
        DWEIGHT: Out = dweight,
        ERROR_FLAG: Out = error_flag,
        SORTED_ROWS: In = sorted_rows,
        ORDER: In = order,
    }
    /// ```text
    /// Gradient of sum's per_sample_weights:   dper_sample_weights[n] = dot(dout[bag(n), :], weight[indices[n], :])
    /// ```
    EmbeddingBagPerSampleWeightsBackward = ADJ_OP_EMBEDDING_BAG_PER_SAMPLE_WEIGHTS_BACKWARD (adj_embedding_bag_per_sample_weights_backward_descriptor, adj_embedding_bag_per_sample_weights_backward_args) {
        DOUT: In = dout,
        WEIGHT: In = weight,
        INDICES: In = indices,
        OFFSETS: In = offsets,
        DPER_SAMPLE_WEIGHTS: Out = dper_sample_weights,
        ERROR_FLAG: Out = error_flag,
    }
    /// ```text
    /// Index plan: the positions of indices, stably sorted by the rows that the indices name.
    /// ```
    IndexPlan = ADJ_OP_INDEX_PLAN (adj_index_plan_descriptor, adj_index_plan_args) {
        INDICES: In = indices,
        SORTED_ROWS: Out = sorted_rows,
        ORDER: Out = order,
        ERROR_FLAG: Out = error_flag,
    }
}

tensor_operators! { EmbeddingForward, EmbeddingBackward, SoftmaxCrossEntropyLoss, SoftmaxCrossEntropyLossBackward, SoftmaxBackward,
    LogSoftmaxBackward, GatherGrad, EmbeddingBagForward, EmbeddingBagBackward, EmbeddingBagPerSampleWeightsBackward, IndexPlan }
list_operators! { AdamW(count, numel), Sgd(count, numel), Concat(count, lengths), Split(count, lengths) }
