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
        SAMPLE_WEIGHT: In = sample_weight,
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
        SAMPLE_WEIGHT: In = sample_weight,
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
    /// SGD with momentum. g = grad / s + weight_decay * w, s = max(grad_scale, gradient_norm / max_norm):
    ///     without momentum: update = -lr * g
    ///     with momentum:    buf = momentum * buf + (1 - dampening) * g;  update = -lr * (nesterov ? g + momentum * buf : buf)
    ///     w += update
    /// Buffers start at zero, except that first_step makes buf = g (PyTorch's first step). gradient_norm is the norm of all gradients as they
    /// are, still scaled; 0, its default, clips nothing.
    /// ```
    Sgd = ADJ_OP_SGD (adj_sgd_descriptor, adj_sgd_args) {
        PARAMS: ListOut = params,
        GRADS: ListOut = grads,
        MOMENTUM_BUFFERS: ListOut = momentum_buffers,
        COPIES: ListOut = copies,
        NEW_PARAMS: ListOut = new_params,
        NEW_MOMENTUM_BUFFERS: ListOut = new_momentum_buffers,
        UPDATES: ListOut = updates,
        LR: Scalar = lr,
        GRAD_SCALE: Scalar = grad_scale,
        GRADIENT_NORM: Scalar = gradient_norm,
        UPDATE_SIGNAL: Scalar = update_signal,
        FOUND_INF: In = found_inf,
        ERROR_FLAG: Out = error_flag,
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
    /// ```text
    /// Gradient of an activation function: dinput = dout * f'(z), z = saved + bias as in the forward operator, or f'(z) taken from f(z).
    /// dbias[i] = sum over the rows of dinput[row, i] before it is rounded, in f32 (f64 for f64), in an order that the shape and the element
    /// type decide; it is the gradient of bias, and may be asked for without one.
    /// ```
    ActivationBackward = ADJ_OP_ACTIVATION_BACKWARD (adj_activation_backward_descriptor, adj_activation_backward_args) {
        DOUT: In = dout,
        SAVED: In = saved,
        BIAS: In = bias,
        DINPUT: Out = dinput,
        DBIAS: Out = dbias,
    }
    /// ```text
    /// Activation function: out = f(z), z = input + bias, a sum that is rounded to f32 (f64 for f64).
    /// ```
    ActivationForward = ADJ_OP_ACTIVATION_FORWARD (adj_activation_forward_descriptor, adj_activation_forward_args) {
        INPUT: In = input,
        BIAS: In = bias,
        OUT: Out = out,
    }
    /// ```text
    /// Gradient of a gated activation, laid out like its input:
    ///     dgate = dout * linear * f'(gate),  dlinear = dout * f(gate)
    /// The terms of dgate are those of f' times |dout * linear|, those of dlinear the terms of f times |dout|.
    /// ```
    GatedActivationBackward = ADJ_OP_GATED_ACTIVATION_BACKWARD (adj_gated_activation_backward_descriptor, adj_gated_activation_backward_args) {
        DOUT: In = dout,
        INPUT: In = input,
        DINPUT: Out = dinput,
    }
    /// ```text
    /// Gated activation: out[n, i] = f(gate[n, i]) * linear[n, i]. The terms of an output are those of f times |linear|.
    /// ```
    GatedActivationForward = ADJ_OP_GATED_ACTIVATION_FORWARD (adj_gated_activation_forward_descriptor, adj_gated_activation_forward_args) {
        INPUT: In = input,
        OUT: Out = out,
    }
    /// ```text
    /// Gradients of a / b, where both are broadcast to one shape by numpy's rules (aligned at the last dimension; a dimension of one element
    /// and a missing one repeat):
    ///     da = sum of dout / b               over the dimensions along which a repeats
    ///     db = sum of -(dout / b) * (a / b)  over the dimensions along which b repeats
    /// Quotients are formed in f32 (f64 for f64) and sums are rounded once, at the end; nothing of the broadcast shape is stored. A division by 0
    /// follows IEEE arithmetic. The order of additions depends on the shapes and the element type alone. Where no element is summed, a gradient is
    /// 0. The terms of an element (see adj_guarantee) are its addends.
    /// ```
    DivBackward = ADJ_OP_DIV_BACKWARD (adj_div_backward_descriptor, adj_div_backward_args) {
        DOUT: In = dout,
        A: In = a,
        B: In = b,
        DA: Out = da,
        DB: Out = db,
    }
    /// ```text
    /// packed = what the format makes of input.
    /// ```
    GistEncode = ADJ_OP_GIST_ENCODE (adj_gist_encode_descriptor, adj_gist_encode_args) {
        INPUT: In = input,
        PACKED: Out = packed,
    }
    /// ```text
    /// out = what packed stands for, rounded once to nearest even where the element cannot hold it:
    ///     binarize, pack1    1 or 0
    ///     pack8_reference    what ONNX Runtime reads; +0 for codes that it never writes
    ///     msfp15             sign * bits * 2^(exponent - 132); an infinity where the exponent is 255, +0 where the bits are 0
    ///     others             the number itself; a NaN keeps its sign and has the highest bit of its fraction set, no other, except that pack8
    ///                        decoded to f16 keeps its bits
    /// ```
    GistDecode = ADJ_OP_GIST_DECODE (adj_gist_decode_descriptor, adj_gist_decode_args) {
        PACKED: In = packed,
        OUT: Out = out,
    }
    /// ```text
    /// Tensors are [outer, channels, inner] in row-major order; without per_channel only their product matters. With s and z, the scale and zero
    /// point of the tensor or of an element's channel, all in f32 (f64 for f64), rounded once at the end:
    ///     q = rint(input / s) + z, half to even
    ///     out = (min(max(q, quant_min), quant_max) - z) * s,  mask = quant_min <= q <= quant_max
    /// A NaN gives NaN and a mask of 0. A scale on the device that is 0 or not finite gives what IEEE arithmetic gives. Scales and zero points are
    /// used as they are, without rounding the zero point.
    /// ```
    FakeQuantizeForward = ADJ_OP_FAKE_QUANTIZE_FORWARD (adj_fake_quantize_forward_descriptor, adj_fake_quantize_forward_args) {
        INPUT: In = input,
        SCALE: Scalar = scale,
        ZERO_POINT: Scalar = zero_point,
        SCALES: In = scales,
        ZERO_POINTS: In = zero_points,
        OUT: Out = out,
        MASK: Out = mask,
    }
    /// ```text
    /// Gradient of fake quantization that passes straight through: dinput = mask ? dout : 0.
    /// ```
    FakeQuantizeBackward = ADJ_OP_FAKE_QUANTIZE_BACKWARD (adj_fake_quantize_backward_descriptor, adj_fake_quantize_backward_args) {
        DOUT: In = dout,
        MASK: In = mask,
        DINPUT: Out = dinput,
    }
    /// ```text
    /// Dropout:
    ///     training:  out[e] = kept(e) ? input[e] / (1 - ratio) : 0
    ///     otherwise: out[e] = input[e], masks of ones, no words consumed; ratio and random are not read
    /// ```
    DropoutForward = ADJ_OP_DROPOUT_FORWARD (adj_dropout_forward_descriptor, adj_dropout_forward_args) {
        INPUT: In = input,
        RATIO: Scalar = ratio,
        RANDOM: Random = random,
        OUT: Out = out,
        MASK: Out = mask,
        WORDS: Out = words,
    }
    /// ```text
    /// Dropout, gradient:
    ///     training:  dinput[e] = kept(e) ? dout[e] / (1 - ratio) : 0; at a ratio of 0 dout[e], and the mask is not read
    ///     otherwise: dinput[e] = dout[e]; ratio, random and mask are not read
    /// kept(e) comes from the mask, or, without one, from the seed and the offset of the forward call.
    /// ```
    DropoutBackward = ADJ_OP_DROPOUT_BACKWARD (adj_dropout_backward_descriptor, adj_dropout_backward_args) {
        DOUT: In = dout,
        MASK: In = mask,
        RATIO: Scalar = ratio,
        RANDOM: Random = random,
        DINPUT: Out = dinput,
    }
    /// ```text
    /// Softmax of rows with a bias, then dropout, always in training mode:
    ///     p[r, :] = softmax(input[r, :] + bias[b(r), :])
    ///     softmax_out = p,   out[r, c] = kept(r * columns + c) ? p[r, c] / (1 - ratio) : 0
    ///     b(r) = r / (rows / bias_rows) with inner_broadcast, r mod bias_rows without; no bias with bias_rows = 0
    /// Sums and dropout take unrounded numbers. A row whose scores are all -infinity is NaN, or zeros with zero_masked_rows; NaN and
    /// infinities affect their own row only.
    /// ```
    BiasSoftmaxDropoutForward = ADJ_OP_BIAS_SOFTMAX_DROPOUT_FORWARD (adj_bias_softmax_dropout_forward_descriptor, adj_bias_softmax_dropout_forward_args) {
        INPUT: In = input,
        BIAS: In = bias,
        RATIO: Scalar = ratio,
        RANDOM: Random = random,
        OUT: Out = out,
        MASK: Out = mask,
        SOFTMAX_OUT: Out = softmax_out,
        WORDS: Out = words,
    }
    /// ```text
    /// Softmax and dropout, gradient with respect to the input (that of the bias is its sum over the rows that share one):
    ///     a[r, c] = kept(r * columns + c) ? dout[r, c] / (1 - ratio) : 0
    ///     dinput[r, c] = softmax_out[r, c] * (a[r, c] - sum over k of a[r, k] * softmax_out[r, k])
    /// kept(e) comes from the mask, or, without one, from the seed and the offset of the forward call.
    /// ```
    SoftmaxDropoutBackward = ADJ_OP_SOFTMAX_DROPOUT_BACKWARD (adj_softmax_dropout_backward_descriptor, adj_softmax_dropout_backward_args) {
        DOUT: In = dout,
        MASK: In = mask,
        SOFTMAX_OUT: In = softmax_out,
        RATIO: Scalar = ratio,
        RANDOM: Random = random,
        DINPUT: Out = dinput,
    }
    /// ```text
    /// Softmax: out[n, c, d] = exp(input[n, c, d] - m) / sum over k of exp(input[n, k, d] - m), m the largest of the group. A group whose elements
    /// are all -infinity, or that has a NaN or +infinity, is NaN.
    /// ```
    SoftmaxForward = ADJ_OP_SOFTMAX_FORWARD (adj_softmax_forward_descriptor, adj_softmax_forward_args) {
        INPUT: In = input,
        OUT: Out = out,
    }
    /// ```text
    /// Log-softmax: out[n, c, d] = input[n, c, d] - m - log(sum over k of exp(input[n, k, d] - m)), m the largest of the group; NaN as above.
    /// ```
    LogSoftmaxForward = ADJ_OP_LOG_SOFTMAX_FORWARD (adj_log_softmax_forward_descriptor, adj_log_softmax_forward_args) {
        INPUT: In = input,
        OUT: Out = out,
    }
    /// ```text
    /// Softmax cross-entropy with probabilities as labels, rows of scores and labels side by side:
    ///     log_prob[r, c] = scores[r, c] - logsumexp over c of scores[r, :]
    ///     none: loss_r = -sum over c of labels[r, c] * log_prob[r, c]      sum: their sum
    ///     mean: their sum / rows; 0 without rows (NaN with nan_when_empty)
    /// A label of 0 contributes 0, whatever its log-probability. Everything is computed in f32 (f64 for f64) and rounded once.
    /// ```
    SoftLabelCrossEntropyLoss = ADJ_OP_SOFT_LABEL_CROSS_ENTROPY_LOSS (adj_soft_label_cross_entropy_loss_descriptor, adj_soft_label_cross_entropy_loss_args) {
        SCORES: In = scores,
        LABELS: In = labels,
        LOSS: Out = loss,
        LOG_PROB: Out = log_prob,
        LSE: Out = lse,
    }
    /// ```text
    /// Softmax cross-entropy with probabilities as labels, gradient:
    ///     dscores[r, c] = g_r * (exp(log_prob[r, c]) - labels[r, c]) / z
    /// g = dloss (a scalar for mean and sum, one per row for none), z = rows for mean and 1 otherwise. That is the derivative when the labels
    /// of a row add up to 1; with exact it is exp(log_prob[r, c]) * sum of labels[r, :] - labels[r, c] for any labels. The probabilities
    /// come from log_prob, or from scores and the lse that the forward op saved.
    /// ```
    SoftLabelCrossEntropyLossBackward = ADJ_OP_SOFT_LABEL_CROSS_ENTROPY_LOSS_BACKWARD (adj_soft_label_cross_entropy_loss_backward_descriptor, adj_soft_label_cross_entropy_loss_backward_args) {
        DLOSS: In = dloss,
        LOG_PROB: In = log_prob,
        SCORES: In = scores,
        LSE: In = lse,
        LABELS: In = labels,
        DSCORES: Out = dscores,
    }
    /// ```text
    /// Softmax cross-entropy loss and its gradient in one call, from rows of scores:
    ///     p[i, c] = exp(scores[i, c] - lse_i),   s = label_smoothing,   k = z_loss
    ///     loss_i = (1 - s) * w_i * (lse_i - scores[i, l_i]) + s / C * sum over c of weight[c] * (lse_i - scores[i, c]) + k * lse_i^2
    ///     none: loss[i] = loss_i      sum: their sum      mean: the first two terms over Z, the last one over the number of samples
    /// w_i = weight[l_i], or 1; Z = sum of w_i; ignored samples (w_i = 0, all terms 0) count in neither. A mean over nothing is 0. This is
    /// PyTorch's label smoothing.
    ///     dscores = dloss * the derivative of loss (of the sum of all losses for none); exact zeros in the rows of ignored samples
    /// loss and lse are f32 (f64 for f64) whatever the element type.
    /// ```
    CrossEntropyWithGradient = ADJ_OP_CROSS_ENTROPY_WITH_GRADIENT (adj_cross_entropy_with_gradient_descriptor, adj_cross_entropy_with_gradient_args) {
        SCORES: In = scores,
        LABELS: In = labels,
        WEIGHT: In = weight,
        DLOSS: Scalar = dloss,
        LOSS: Out = loss,
        LSE: Out = lse,
        DSCORES: Out = dscores,
        ERROR_FLAG: Out = error_flag,
    }
    /// ```text
    /// Log-probability of a label and entropy of the distribution, from rows of scores in one read, without storing probabilities:
    ///     log_prob_i = scores[i, l_i] - lse_i,   entropy_i = lse_i - sum over c of p[i, c] * scores[i, c],   p[i, c] = exp(scores[i, c] - lse_i)
    /// p log p is 0 where p is 0. An ignored sample has a log_prob and an entropy of 0 and an lse; an out-of-range label a log_prob of NaN,
    /// and the entropy of its scores. Results are f32 (f64 for f64).
    /// ```
    LogProbEntropy = ADJ_OP_LOG_PROB_ENTROPY (adj_log_prob_entropy_descriptor, adj_log_prob_entropy_args) {
        SCORES: In = scores,
        LABELS: In = labels,
        LOG_PROB: Out = log_prob,
        ENTROPY: Out = entropy,
        LSE: Out = lse,
        ERROR_FLAG: Out = error_flag,
    }
    /// ```text
    /// Log-probability and entropy, gradient with respect to the scores:
    ///     dscores[i, c] = dlog_prob_i * ([c == l_i] - p[i, c]) - dentropy_i * p[i, c] * (log p[i, c] + entropy_i)
    /// Exact zeros for ignored samples; NaN for out-of-range labels.
    /// ```
    LogProbEntropyBackward = ADJ_OP_LOG_PROB_ENTROPY_BACKWARD (adj_log_prob_entropy_backward_descriptor, adj_log_prob_entropy_backward_args) {
        DLOG_PROB: In = dlog_prob,
        DENTROPY: In = dentropy,
        SCORES: In = scores,
        LABELS: In = labels,
        LSE: In = lse,
        ENTROPY: In = entropy,
        DSCORES: Out = dscores,
        ERROR_FLAG: Out = error_flag,
    }
    /// ```text
    /// Adam. With t the step, a = 1 - beta1^t, b = 1 - beta2^t (both 1 with no_bias_correction), and the gradient
    ///     g = grad / s,   s = max(grad_scale, gradient_norm / max_norm)
    ///     m = beta1 * m + (1 - beta1) * g,   v = beta2 * v + (1 - beta2) * g * g
    ///     decay first: update = -lr * ((m / a) / (sqrt(v / b) + epsilon) + weight_decay * w)
    ///     decay last:  q = lr * sqrt(b) / a * m / (sqrt(v) + epsilon);  update = -q - lr * weight_decay * (w - q)
    ///     decay l2:    g += weight_decay * w before m and v;  update = -lr * (m / a) / (sqrt(v / b) + epsilon)
    ///     w += update
    /// gradient_norm is the norm of all gradients as they are, still scaled (clip_grad_norm with norm_only writes it); 0, its default, clips
    /// nothing.
    /// ```
    Adam = ADJ_OP_ADAM (adj_adam_descriptor, adj_adam_args) {
        PARAMS: ListOut = params,
        GRADS: ListOut = grads,
        EXP_AVG: ListOut = exp_avg,
        EXP_AVG_SQ: ListOut = exp_avg_sq,
        COPIES: ListOut = copies,
        NEW_PARAMS: ListOut = new_params,
        NEW_EXP_AVG: ListOut = new_exp_avg,
        NEW_EXP_AVG_SQ: ListOut = new_exp_avg_sq,
        UPDATES: ListOut = updates,
        LR: Scalar = lr,
        STEP: Scalar = step,
        GRAD_SCALE: Scalar = grad_scale,
        GRADIENT_NORM: Scalar = gradient_norm,
        UPDATE_SIGNAL: Scalar = update_signal,
        FOUND_INF: In = found_inf,
        ERROR_FLAG: Out = error_flag,
    }
    /// ```text
    /// LAMB. With t the step, a = 1 - beta1^t, b = 1 - beta2^t (both 1 with no_bias_correction), for every tensor
    ///     g = grad / s,   s = max(grad_scale, gradient_norm / max_norm)
    ///     m = beta1 * m + (1 - beta1) * g,   v = beta2 * v + (1 - beta2) * g * g
    ///     d = weight_decay * w + (m / a) / (sqrt(v / b) + epsilon)
    ///     r = lr * max(ratio_min, min(ratio_max, |w| / |d|)), or lr where one of these L2 norms of the tensor is 0
    ///     update = -r * d,   w += update
    /// Norms neither overflow nor vanish. Each hyperparameter holds for all tensors, or has a value for each of them.
    /// ```
    Lamb = ADJ_OP_LAMB (adj_lamb_descriptor, adj_lamb_args) {
        PARAMS: ListOut = params,
        GRADS: ListOut = grads,
        EXP_AVG: ListOut = exp_avg,
        EXP_AVG_SQ: ListOut = exp_avg_sq,
        COPIES: ListOut = copies,
        NEW_PARAMS: ListOut = new_params,
        NEW_EXP_AVG: ListOut = new_exp_avg,
        NEW_EXP_AVG_SQ: ListOut = new_exp_avg_sq,
        UPDATES: ListOut = updates,
        LR: Scalar = lr,
        STEP: Scalar = step,
        GRAD_SCALE: Scalar = grad_scale,
        GRADIENT_NORM: Scalar = gradient_norm,
        UPDATE_SIGNAL: Scalar = update_signal,
        FOUND_INF: In = found_inf,
        ERROR_FLAG: Out = error_flag,
    }
    /// ```text
    /// Scaling of gradients by their common L2 norm. With N the norm of all gradients divided by grad_scale:
    ///     factor = min(1, max_norm / (N + epsilon)),   grad *= factor / grad_scale
    /// The norm neither overflows nor vanishes. Where N is not finite, the gradients stay as they are, factor is 1, and found_inf becomes 1;
    /// else it becomes 0. An empty list has the norm 0.
    /// ```
    ClipGradNorm = ADJ_OP_CLIP_GRAD_NORM (adj_clip_grad_norm_descriptor, adj_clip_grad_norm_args) {
        GRADS: ListOut = grads,
        GRAD_SCALE: Scalar = grad_scale,
        NORM: Out = norm,
        FACTOR: Out = factor,
        FOUND_INF: Out = found_inf,
    }
    /// ```text
    /// IsFinite:   outputs[i][j] = inputs[i][j] is neither an infinity nor NaN
    /// ```
    IsFinite = ADJ_OP_IS_FINITE (adj_is_finite_descriptor, adj_is_finite_args) {
        INPUTS: ListIn = inputs,
        OUTPUTS: ListOut = outputs,
    }
    /// ```text
    /// AllFinite:   output = every element of every input passes the test; true without elements
    /// ```
    AllFinite = ADJ_OP_ALL_FINITE (adj_all_finite_descriptor, adj_all_finite_args) {
        INPUTS: ListIn = inputs,
        OUTPUT: Out = output,
        FOUND_INF: Out = found_inf,
    }
    /// ```text
    /// All:   output = every element of every input is true; true without elements
    /// ```
    All = ADJ_OP_ALL (adj_all_descriptor, adj_all_args) {
        INPUTS: ListIn = inputs,
        OUTPUT: Out = output,
    }
    /// ```text
    /// Scale:   outputs[i] = scale * inputs[i],   outputs_1[i] = scale_1 * inputs[i],   outputs_2[i] = scale_2 * inputs[i]
    /// ```
    Scale = ADJ_OP_SCALE (adj_scale_descriptor, adj_scale_args) {
        INPUTS: ListIn = inputs,
        OUTPUTS: ListOut = outputs,
        OUTPUTS_1: ListOut = outputs_1,
        OUTPUTS_2: ListOut = outputs_2,
        FUSED: Out = fused,
        SCALE: Scalar = scale,
        SCALE_1: Scalar = scale_1,
        SCALE_2: Scalar = scale_2,
        FOUND_INF: Out = found_inf,
    }
    /// ```text
    /// Zero:   outputs[i] = +0
    /// ```
    Zero = ADJ_OP_ZERO (adj_zero_descriptor, adj_zero_args) {
        OUTPUTS: ListOut = outputs,
    }
    /// ```text
    /// Accumulate:   outputs[i] = update ? (overwrite ? 0 : sums[i]) + values[i] : sums[i]
    /// ```
    Accumulate = ADJ_OP_ACCUMULATE (adj_accumulate_descriptor, adj_accumulate_args) {
        SUMS: ListIn = sums,
        VALUES: ListIn = values,
        OUTPUTS: ListOut = outputs,
        COPIES: ListOut = copies,
        UPDATE: Scalar = update,
        OVERWRITE: Scalar = overwrite,
        UPDATED_FLAG: Out = updated_flag,
    }
    /// ```text
    /// ScaledSum:   outputs[i] = scale_0 * inputs_0[i] + scale_1 * inputs_1[i] [+ scale_2 * inputs_2[i]]
    /// ```
    ScaledSum = ADJ_OP_SCALED_SUM (adj_scaled_sum_descriptor, adj_scaled_sum_args) {
        INPUTS_0: ListIn = inputs_0,
        INPUTS_1: ListIn = inputs_1,
        INPUTS_2: ListIn = inputs_2,
        OUTPUTS: ListOut = outputs,
        SCALE_0: Scalar = scale_0,
        SCALE_1: Scalar = scale_1,
        SCALE_2: Scalar = scale_2,
    }
    /// ```text
    /// L2Norm:   output = root of the sum of x^2 over all elements of all inputs,   norms[i] = the same of inputs[i];   0 without elements
    /// ```
    L2Norm = ADJ_OP_L2_NORM (adj_l2_norm_descriptor, adj_l2_norm_args) {
        INPUTS: ListIn = inputs,
        OUTPUT: Out = output,
        NORMS: Out = norms,
        FOUND_INF: Out = found_inf,
    }
    /// ```text
    /// Reduce:   output[kept axes] = kind over the other axes of input
    /// ```
    Reduce = ADJ_OP_REDUCE (adj_reduce_descriptor, adj_reduce_args) {
        INPUT: In = input,
        OUTPUT: Out = output,
        OFFSETS: In = offsets,
        ERROR_FLAG: Out = error_flag,
    }
    /// ```text
    /// Layer norm, gradient:
    ///     g = dy * gamma
    ///     dx[i, j] = inv_std[i] * (g[i, j] - mean over j of g - h[i, j] * mean over j of (g * h)) + dresidual[i, j]
    ///     dgamma[j] = sum over i of dy * h;  dbeta[j] = sum over i of dy
    /// from_output: h is (y - beta) / gamma, so X need not be kept, and mean over j of (g * h) is that of dy * (y - beta). No gamma may be 0 or
    /// smaller than the least normal number of the arithmetic then: the column of such a gamma gets an infinity or a NaN in dX and dgamma,
    /// other columns are not affected. h is as exact as the stored Y.
    /// ```
    LayerNormBackward = ADJ_OP_LAYER_NORM_BACKWARD (adj_layer_norm_backward_descriptor, adj_layer_norm_backward_args) {
        DOUT: In = dout,
        INPUT: In = input,
        OUT: In = out,
        GAMMA: In = gamma,
        BETA: In = beta,
        MEAN: In = mean,
        INV_STD: In = inv_std,
        DRESIDUAL: In = dresidual,
        DINPUT: Out = dinput,
        DGAMMA: Out = dgamma,
        DBETA: Out = dbeta,
    }
    /// ```text
    /// RMS norm, gradient:
    ///     g = dy * gamma
    ///     dx[i, j] = inv_std[i] * (g[i, j] - h[i, j] * mean over j of (g * h)) + dresidual[i, j]
    ///     dgamma[j] = sum over i of dy * h
    /// from_output: h is y / gamma; see layer norm.
    /// ```
    RmsNormBackward = ADJ_OP_RMS_NORM_BACKWARD (adj_rms_norm_backward_descriptor, adj_rms_norm_backward_args) {
        DOUT: In = dout,
        INPUT: In = input,
        OUT: In = out,
        GAMMA: In = gamma,
        INV_STD: In = inv_std,
        DRESIDUAL: In = dresidual,
        DINPUT: Out = dinput,
        DGAMMA: Out = dgamma,
    }
    /// ```text
    /// Layer norm, of X or of X + residual. The sum is rounded to `element` where `sum` is given, and then the rounded sum is normalised, which
    /// the gradient takes for X.
    /// ```
    LayerNormForward = ADJ_OP_LAYER_NORM_FORWARD (adj_layer_norm_forward_descriptor, adj_layer_norm_forward_args) {
        INPUT: In = input,
        RESIDUAL: In = residual,
        GAMMA: In = gamma,
        BETA: In = beta,
        OUT: Out = out,
        SUM: Out = sum,
        MEAN: Out = mean,
        INV_STD: Out = inv_std,
    }
    /// ```text
    /// RMS norm, of X or of X + residual; see layer norm.
    /// ```
    RmsNormForward = ADJ_OP_RMS_NORM_FORWARD (adj_rms_norm_forward_descriptor, adj_rms_norm_forward_args) {
        INPUT: In = input,
        RESIDUAL: In = residual,
        GAMMA: In = gamma,
        OUT: Out = out,
        SUM: Out = sum,
        INV_STD: Out = inv_std,
    }
    /// ```text
    /// Batch norm:
    ///     y = (x - mean[c]) * inv_std[c] * scale[c] + bias[c],  inv_std[c] = 1 / sqrt(variance[c] + epsilon)
    /// training: mean and (biased) variance are those of the channel, and
    ///     next_running_mean     = momentum * running_mean + (1 - momentum) * mean
    ///     next_running_variance = momentum * running_variance + (1 - momentum) * variance * M / (M - 1)   (M = 1: variance)
    /// otherwise the running statistics are used. PyTorch's momentum is 1 minus this one.
    /// ```
    BatchNormForward = ADJ_OP_BATCH_NORM_FORWARD (adj_batch_norm_forward_descriptor, adj_batch_norm_forward_args) {
        INPUT: In = input,
        SCALE: In = scale,
        BIAS: In = bias,
        RUNNING_MEAN: In = running_mean,
        RUNNING_VARIANCE: In = running_variance,
        OUT: Out = out,
        NEXT_RUNNING_MEAN: Out = next_running_mean,
        NEXT_RUNNING_VARIANCE: Out = next_running_variance,
        SAVED_MEAN: Out = saved_mean,
        SAVED_INV_STD: Out = saved_inv_std,
    }
    /// ```text
    /// Batch norm, gradient, with h = (x - mean[c]) * inv_std[c]:
    ///     dbias[c] = sum of dy;  dscale[c] = sum of dy * h
    ///     dx = scale[c] * inv_std[c] * (dy - dbias[c] / M - h * dscale[c] / M)
    /// frozen: statistics are the running ones, which do not depend on X: dx = scale[c] * inv_std[c] * dy.
    /// ```
    BatchNormBackward = ADJ_OP_BATCH_NORM_BACKWARD (adj_batch_norm_backward_descriptor, adj_batch_norm_backward_args) {
        DOUT: In = dout,
        INPUT: In = input,
        SCALE: In = scale,
        SAVED_MEAN: In = saved_mean,
        SAVED_INV_STD: In = saved_inv_std,
        RUNNING_MEAN: In = running_mean,
        RUNNING_VARIANCE: In = running_variance,
        DINPUT: Out = dinput,
        DSCALE: Out = dscale,
        DBIAS: Out = dbias,
    }
    /// ```text
    /// Gradients of convolution, each on request:
    ///     dinput[n, g * C / G + c, i] = sum over m of group g and all (o, k) with i = o * s + k * d - b of dout[n, m, o] * weight[m, c, k]
    ///     dweight[m, c, k] (=|+=) sum over n and o of dout[n, m, o] * input[n, g * C / G + c, o * s + k * d - b]
    ///     dbias[m] (=|+=) sum over n and o of dout[n, m, o]
    /// ```
    ConvBackward = ADJ_OP_CONV_BACKWARD (adj_conv_backward_descriptor, adj_conv_backward_args) {
        DOUT: In = dout,
        INPUT: In = input,
        WEIGHT: In = weight,
        DINPUT: Out = dinput,
        DWEIGHT: Out = dweight,
        DBIAS: Out = dbias,
    }
    /// ```text
    /// Gradients of transposed convolution, each on request:
    ///     dinput[n, c, o] = sum over m < M / G and k of dout[n, g * M / G + m, o * s + k * d - b] * weight[c, m, k]
    ///     dweight[c, m, k] (=|+=) sum over n and o of input[n, c, o] * dout[n, g * M / G + m, o * s + k * d - b]
    ///     dbias[q] (=|+=) sum over n and i of dout[n, q, i]
    /// ```
    ConvTransposeBackward = ADJ_OP_CONV_TRANSPOSE_BACKWARD (adj_conv_transpose_backward_descriptor, adj_conv_transpose_backward_args) {
        DOUT: In = dout,
        INPUT: In = input,
        WEIGHT: In = weight,
        DINPUT: Out = dinput,
        DWEIGHT: Out = dweight,
        DBIAS: Out = dbias,
    }
    /// ```text
    /// Convolution, with i = o * s + k * d - b in every spatial dimension and g = m / (M / G):
    ///     out[n, m, o] = bias[m] + sum over c < C / G and k of input[n, g * C / G + c, i] * weight[m, c, k]
    /// ```
    ConvForward = ADJ_OP_CONV_FORWARD (adj_conv_forward_descriptor, adj_conv_forward_args) {
        INPUT: In = input,
        WEIGHT: In = weight,
        BIAS: In = bias,
        OUT: Out = out,
    }
    /// ```text
    /// Transposed convolution:
    ///     out[n, g * M / G + m, i] = bias[g * M / G + m] + sum over c of group g and all (o, k) with i = o * s + k * d - b of
    ///                                input[n, c, o] * weight[c, m, k]
    /// ```
    ConvTransposeForward = ADJ_OP_CONV_TRANSPOSE_FORWARD (adj_conv_transpose_forward_descriptor, adj_conv_transpose_forward_args) {
        INPUT: In = input,
        WEIGHT: In = weight,
        BIAS: In = bias,
        OUT: Out = out,
    }
    /// ```text
    /// Its gradient:   dinput[n, c, i] = sum over o of weight(o, i) * dout[n, c, o]
    /// ```
    ResizeBackward = ADJ_OP_RESIZE_BACKWARD (adj_resize_backward_descriptor, adj_resize_backward_args) {
        DOUT: In = dout,
        DINPUT: Out = dinput,
    }
    /// ```text
    /// Resize:   out[n, c, o] = sum over i of weight(o, i) * input[n, c, i]
    /// ```
    ResizeForward = ADJ_OP_RESIZE_FORWARD (adj_resize_forward_descriptor, adj_resize_forward_args) {
        INPUT: In = input,
        OUT: Out = out,
    }
    /// ```text
    /// GatherND gradient. With b = batch_dims, K = the last extent of indices, B = the product of the first b extents of dinput,
    /// M = the product of all extents of indices but the last, and L = that of the extents of dinput from b + K on:
    ///     dinput = 0 (or what it holds);   dinput[batch(m), index(m), j] += dout[m, j]   for m < M, j < L
    /// where batch(m) = m / (M / B) and index(m) = indices[m, 0], .., indices[m, K - 1] along the axes b to b + K - 1.
    /// The first b extents of dinput and indices are the same. dinput overlaps nothing.
    /// ```
    GatherNdGrad = ADJ_OP_GATHER_ND_GRAD (adj_gather_nd_grad_descriptor, adj_gather_nd_grad_args) {
        DOUT: In = dout,
        INDICES: In = indices,
        DINPUT: Out = dinput,
        ERROR_FLAG: Out = error_flag,
        SORTED_ROWS: In = sorted_rows,
        ORDER: In = order,
    }
    /// ```text
    /// GatherElements gradient:
    ///     dinput = 0 (or what it holds);   dinput[i_0, .., indices[i], .., i_(r-1)] += dout[i]   for every i of indices_shape
    /// where indices[i] stands in place of i_axis. indices_shape has the rank of input_shape, and no larger extents besides that of
    /// the axis. dinput overlaps nothing.
    /// ```
    GatherElementsGrad = ADJ_OP_GATHER_ELEMENTS_GRAD (adj_gather_elements_grad_descriptor, adj_gather_elements_grad_args) {
        DOUT: In = dout,
        INDICES: In = indices,
        DINPUT: Out = dinput,
        ERROR_FLAG: Out = error_flag,
        SORTED_ROWS: In = sorted_rows,
        ORDER: In = order,
    }
    /// ```text
    /// Addition of rows along an axis:
    ///     output = input;   output[p, indices[n], q] += source[p, n, q]
    /// for every p of the extents before the axis and q of those after it. The sum of an element begins with what input holds there.
    /// output may be input itself; otherwise it overlaps nothing.
    /// ```
    IndexAdd = ADJ_OP_INDEX_ADD (adj_index_add_descriptor, adj_index_add_args) {
        INPUT: In = input,
        INDICES: In = indices,
        SOURCE: In = source,
        OUTPUT: Out = output,
        ERROR_FLAG: Out = error_flag,
        SORTED_ROWS: In = sorted_rows,
        ORDER: In = order,
    }
    /// ```text
    /// Slice gradient: dinput is 0, but for the elements that the slice has taken, which are those of dout:
    ///     dinput[start_0 + i_0 step_0, .., start_(r-1) + i_(r-1) step_(r-1)] = dout[i]
    /// starts, ends, axes and steps are those of ONNX Slice: negative starts, ends and axes count from the end, starts and ends are
    /// clamped to the axis, an end before the start gives an empty slice. Element k of each list belongs to axis axes[k]; without axes
    /// to axis k; without steps each is 1. Axes that are not named are taken whole. Elements are copied bit by bit.
    /// ```
    SliceGrad = ADJ_OP_SLICE_GRAD (adj_slice_grad_descriptor, adj_slice_grad_args) {
        DOUT: In = dout,
        DINPUT: Out = dinput,
    }
    /// ```text
    /// Rows to their places in a padded batch:
    ///     output = 0;   output[indices[i] / length, indices[i] % length, :] = input[i, :]
    /// Indices are unique; of equal ones the last counts. Elements are copied bit by bit. Its gradient is flatten_and_unpad.
    /// ```
    PadAndUnflatten = ADJ_OP_PAD_AND_UNFLATTEN (adj_pad_and_unflatten_descriptor, adj_pad_and_unflatten_args) {
        INPUT: In = input,
        INDICES: In = indices,
        OUTPUT: Out = output,
        ERROR_FLAG: Out = error_flag,
    }
    /// ```text
    /// Rows of a padded batch:
    ///     output[i, :] = input[indices[i] / length, indices[i] % length, :]
    /// and zeros for an index outside [0, batch * length). Elements are copied bit by bit. Its gradient is pad_and_unflatten where
    /// indices are unique.
    /// ```
    FlattenAndUnpad = ADJ_OP_FLATTEN_AND_UNPAD (adj_flatten_and_unpad_descriptor, adj_flatten_and_unpad_args) {
        INPUT: In = input,
        INDICES: In = indices,
        OUTPUT: Out = output,
        UNFLATTEN_DIMS: Out = unflatten_dims,
        ERROR_FLAG: Out = error_flag,
    }
    /// ```text
    /// Consecutive parts of a tensor: part i is numel[i] elements of input from the element offsets[i] = numel[0] + .. + numel[i - 1]
    /// on. Without copies nothing is launched: the caller uses the address of input plus the offset, which is a multiple of the element
    /// size only. With copies every part is copied to a buffer of its own, none of which overlaps another or input.
    /// ```
    View = ADJ_OP_VIEW (adj_view_descriptor, adj_view_args) {
        INPUT: In = input,
        OUTPUTS: ListOut = outputs,
        OFFSETS: Out = offsets,
    }
    /// ```text
    /// outputs[i] = inputs[i], a list in one launch. An output that is the very buffer of its input is left out; where all are, nothing is
    /// launched.
    /// ```
    CopyOp = ADJ_OP_COPY (adj_copy_descriptor, adj_copy_args) {
        INPUTS: ListIn = inputs,
        OUTPUTS: ListOut = outputs,
    }
    /// ```text
    /// A place in the order of a stream: nothing is launched, done is set. It says that the call was reached, not that work on the stream
    /// has ended; record_event and wait_event order streams.
    /// ```
    Group = ADJ_OP_GROUP (adj_group_descriptor, adj_group_args) {
        INPUTS: ListIn = inputs,
        DONE: Out = done,
    }
    /// ```text
    /// outputs = inputs, then event is recorded: it occurs when the work that the stream has so far is done. event is a CUevent or
    /// cudaEvent_t of the stream's device on a CUDA stream, and a handle of adj_host_event_create on the host stream, where it wakes all
    /// who wait for it. Usable while the stream is being captured.
    /// ```
    RecordEvent = ADJ_OP_RECORD_EVENT (adj_record_event_descriptor, adj_record_event_args) {
        EVENT: Handle = event,
        INPUTS: ListIn = inputs,
        OUTPUTS: ListOut = outputs,
    }
    /// ```text
    /// The stream waits for event, as it was last recorded, then outputs = inputs. Any number of streams may wait for one event. On a CUDA
    /// stream the calling thread does not wait, and an event that was never recorded has occurred; on the host stream the thread waits until
    /// the event has been recorded since it was created or reset.
    /// ```
    WaitEvent = ADJ_OP_WAIT_EVENT (adj_wait_event_descriptor, adj_wait_event_args) {
        EVENT: Handle = event,
        INPUTS: ListIn = inputs,
        OUTPUTS: ListOut = outputs,
    }
    /// ```text
    /// The border between a model and the loop that trains it: outputs leave, their gradients come in. A call checks counts, types and
    /// sizes and does nothing else. Gradient j is that of the j-th output whose place is not among non_differentiable. It has the size of
    /// its output, or any size where free_shape has the place (YieldOp's full_shape_outputs has the other places).
    /// ```
    Yield = ADJ_OP_YIELD (adj_yield_descriptor, adj_yield_args) {
        OUTPUTS: ListIn = outputs,
        GRADIENTS: ListIn = gradients,
    }
    /// ```text
    /// A kernel of the caller's. The entry is
    ///     extern "C" __global__ void entry(<a pointer for each input>, <a pointer for each output>, <a long long for each integer>,
    ///                                      <a double for each real>)
    /// Before anything is launched, select compares the number of the parameters and their sizes with those that the machine code or the PTX
    /// states; a type of the same size cannot be told from another. It fails with ADJ_ERROR_INVALID_PROBLEM, naming the parameter, where they
    /// differ, and where the code has no such kernel, naming those it has; with ADJ_ERROR_CORRUPT where the code cannot be read; with
    /// ADJ_ERROR_UNSUPPORTED where a cubin or PTX is for another architecture; with ADJ_ERROR_COMPILE_FAILED and the compiler's log where a source
    /// or PTX does not compile.
    /// What the kernel reads and writes is the caller's affair, and so are its results: the guarantee of the SKU is that of the launch, which adds
    /// nothing to them. On the host stream run calls the function host in its place.
    /// ```
    UserKernel = ADJ_OP_USER_KERNEL (adj_user_kernel_descriptor, adj_user_kernel_args) {
        INPUTS: ListIn = inputs,
        OUTPUTS: ListOut = outputs,
    }
    /// ```text
    /// A C function of the caller, called by run itself on the thread that calls it. What the function puts on the stream is in stream order
    /// with what comes before and after it; the function must not wait for the stream, and while the stream is being captured it must do only
    /// what may be captured. context is a number of the caller's that one function leaves for another, such as the state that a forward
    /// function saves for its backward one. Functions are kept for as long as a plan that has them; destroy is then called once for it.
    /// ```
    Callback = ADJ_OP_CALLBACK (adj_callback_descriptor, adj_callback_args) {
        INPUTS: ListIn = inputs,
        OUTPUTS: ListOut = outputs,
        CONTEXT: Out = context,
    }
    /// ```text
    /// outputs[i] = the reduction over all ranks of inputs[i].
    /// ```
    AllReduce = ADJ_OP_ALL_REDUCE (adj_all_reduce_descriptor, adj_all_reduce_args) {
        COMMUNICATOR: Handle = communicator,
        INPUTS: ListIn = inputs,
        OUTPUTS: ListOut = outputs,
    }
    /// ```text
    /// Even: outputs[i] is the concatenation of the inputs[i] of all ranks, numel[i] elements each. Whole: outputs[i] is the inputs[i] of
    /// the rank that owns it. In place, inputs[i] is the part of outputs[i] that this rank brings (even), or outputs[i] itself (whole); as
    /// the part of another rank it is refused with ADJ_ERROR_ALIASING.
    /// ```
    AllGather = ADJ_OP_ALL_GATHER (adj_all_gather_descriptor, adj_all_gather_args) {
        COMMUNICATOR: Handle = communicator,
        INPUTS: ListIn = inputs,
        OUTPUTS: ListOut = outputs,
    }
    /// ```text
    /// Even: outputs[i] is this rank's part of the reduction over all ranks of inputs[i]. Whole: outputs[i] is the reduction where this rank
    /// owns tensor i, and is left as it is elsewhere. In place, outputs[i] is this rank's part of inputs[i] (even), or inputs[i] itself
    /// (whole); as the part of another rank it is refused with ADJ_ERROR_ALIASING.
    /// ```
    ReduceScatter = ADJ_OP_REDUCE_SCATTER (adj_reduce_scatter_descriptor, adj_reduce_scatter_args) {
        COMMUNICATOR: Handle = communicator,
        INPUTS: ListIn = inputs,
        OUTPUTS: ListOut = outputs,
    }
    /// ```text
    /// Sends tensors to another rank, where recv with the same types and counts takes them. A receiver that does not know the counts takes
    /// them first, by a call of its own for a tensor of fixed extent. On the host a copy is sent and the call does not wait.
    /// ```
    SendOp = ADJ_OP_SEND (adj_send_descriptor, adj_send_args) {
        COMMUNICATOR: Handle = communicator,
        TENSORS: ListIn = tensors,
    }
    /// ```text
    /// Receives what another rank sends.
    /// ```
    Recv = ADJ_OP_RECV (adj_recv_descriptor, adj_recv_args) {
        COMMUNICATOR: Handle = communicator,
        TENSORS: ListOut = tensors,
    }
    /// ```text
    /// tensors[i] of every rank become those of the rank root.
    /// ```
    Broadcast = ADJ_OP_BROADCAST (adj_broadcast_descriptor, adj_broadcast_args) {
        COMMUNICATOR: Handle = communicator,
        TENSORS: ListOut = tensors,
    }
    /// ```text
    /// Adasum over all ranks, 1, 2, 4, .. of them: with
    ///     adasum(a, b) = (1 - a.b / (2 a.a)) a + (1 - a.b / (2 b.b)) b,   a factor being 1 where its square a.a or b.b is below 1.5e-154,
    /// outputs[i] is adasum(adasum(r_0, r_1), adasum(r_2, r_3)), and so on, of the inputs[i] of ranks 0, 1, ..; products are per tensor.
    /// Sums of products are taken in f64, the vectors between the levels are f32 (f64 for f64), and the result is rounded once.
    /// ```
    AdasumAllReduce = ADJ_OP_ADASUM_ALL_REDUCE (adj_adasum_all_reduce_descriptor, adj_adasum_all_reduce_args) {
        COMMUNICATOR: Handle = communicator,
        INPUTS: ListIn = inputs,
        OUTPUTS: ListOut = outputs,
    }
    /// ```text
    /// The beginning of a tensor-parallel block: a copy in the forward direction, the sum over all ranks in the backward one.
    /// ```
    MegatronF = ADJ_OP_MEGATRON_F (adj_megatron_f_descriptor, adj_megatron_f_args) {
        COMMUNICATOR: Handle = communicator,
        INPUT: In = input,
        OUTPUT: Out = output,
    }
    /// ```text
    /// The end of a tensor-parallel block: the sum over all ranks in the forward direction, a copy in the backward one.
    /// ```
    MegatronG = ADJ_OP_MEGATRON_G (adj_megatron_g_descriptor, adj_megatron_g_args) {
        COMMUNICATOR: Handle = communicator,
        INPUT: In = input,
        OUTPUT: Out = output,
    }
    /// ```text
    /// UpdateLossScale: the dynamic scale of a loss, after a step of training.
    ///     found_inf is not 0:                    new = scale * backoff_factor,   growth_tracker = 0
    ///     growth_tracker + 1 >= growth_interval: new = scale * growth_factor,    growth_tracker = 0
    ///     otherwise:                             new = scale,                    growth_tracker += 1
    ///     scale = max(min_scale, min(max_scale, new)) in the first two cases
    /// Products and limits are in f64, the stored scale is rounded once. A growth whose result is not finite leaves the scale as it is; so does
    /// a scale of NaN.
    /// ```
    UpdateLossScale = ADJ_OP_UPDATE_LOSS_SCALE (adj_update_loss_scale_descriptor, adj_update_loss_scale_args) {
        FOUND_INF: In = found_inf,
        SCALE: Out = scale,
        GROWTH_TRACKER: Out = growth_tracker,
    }
    /// ```text
    /// Lion (Chen et al. 2023, Symbolic Discovery of Optimization Algorithms). With the gradient
    ///     g = grad / s,   s = max(grad_scale, gradient_norm / max_norm)
    ///     c = beta1 * m + (1 - beta1) * g,   m = beta2 * m + (1 - beta2) * g,   w -= lr * (sign(c) + weight_decay * w)
    /// sign(0) is 0, and the sign of NaN is NaN. gradient_norm is as in adam.
    /// ```
    Lion = ADJ_OP_LION (adj_lion_descriptor, adj_lion_args) {
        PARAMS: ListOut = params,
        GRADS: ListOut = grads,
        EXP_AVG: ListOut = exp_avg,
        COPIES: ListOut = copies,
        LR: Scalar = lr,
        STEP: Scalar = step,
        SEED: Scalar = seed,
        GRAD_SCALE: Scalar = grad_scale,
        GRADIENT_NORM: Scalar = gradient_norm,
        UPDATE_SIGNAL: Scalar = update_signal,
        FOUND_INF: In = found_inf,
        ERROR_FLAG: Out = error_flag,
    }
    /// ```text
    /// AdamW with moments of 8 bits. With t the step, a = 1 - beta1^t, b = 1 - beta2^t, and the gradient
    ///     g = grad / s,   s = max(grad_scale, gradient_norm / max_norm)
    ///     m = beta1 * m + (1 - beta1) * g,   v = beta2 * v + (1 - beta2) * g * g
    ///     w -= lr * ((m / a) / (sqrt(v / b) + epsilon) + weight_decay * w)
    /// gradient_norm is as in adam. The weights follow from m and v before these are rounded.
    /// ```
    Adamw8bit = ADJ_OP_ADAMW_8BIT (adj_adamw_8bit_descriptor, adj_adamw_8bit_args) {
        PARAMS: ListOut = params,
        GRADS: ListOut = grads,
        EXP_AVG: ListOut = exp_avg,
        EXP_AVG_SCALE: ListOut = exp_avg_scale,
        EXP_AVG_SQ: ListOut = exp_avg_sq,
        EXP_AVG_SQ_SCALE: ListOut = exp_avg_sq_scale,
        COPIES: ListOut = copies,
        LR: Scalar = lr,
        STEP: Scalar = step,
        SEED: Scalar = seed,
        GRAD_SCALE: Scalar = grad_scale,
        GRADIENT_NORM: Scalar = gradient_norm,
        UPDATE_SIGNAL: Scalar = update_signal,
        FOUND_INF: In = found_inf,
        ERROR_FLAG: Out = error_flag,
    }
}

tensor_operators! { EmbeddingForward, EmbeddingBackward, SoftmaxCrossEntropyLoss, SoftmaxCrossEntropyLossBackward, SoftmaxBackward,
    LogSoftmaxBackward, GatherGrad, EmbeddingBagForward, EmbeddingBagBackward, EmbeddingBagPerSampleWeightsBackward, IndexPlan,
    ActivationBackward, ActivationForward, GatedActivationBackward, GatedActivationForward, DivBackward, GistEncode, GistDecode,
    FakeQuantizeForward, FakeQuantizeBackward, DropoutForward, DropoutBackward, BiasSoftmaxDropoutForward, SoftmaxDropoutBackward,
    SoftmaxForward, LogSoftmaxForward, SoftLabelCrossEntropyLoss, SoftLabelCrossEntropyLossBackward, CrossEntropyWithGradient,
    LogProbEntropy, LogProbEntropyBackward, Reduce, LayerNormBackward, RmsNormBackward, LayerNormForward, RmsNormForward,
    BatchNormForward, BatchNormBackward, ConvBackward, ConvTransposeBackward, ConvForward, ConvTransposeForward, GatherNdGrad,
    GatherElementsGrad, IndexAdd, SliceGrad, PadAndUnflatten, FlattenAndUnpad, MegatronF, MegatronG, UpdateLossScale }
list_operators! { AdamW(count, numel), Sgd(count, numel), Concat(count, lengths), Split(count, lengths), Adam(count, numel),
    ClipGradNorm(count, numel), IsFinite(count, numel), AllFinite(count, numel), All(count, numel), Scale(count, numel),
    Zero(count, numel), Accumulate(count, numel), ScaledSum(count, numel), L2Norm(count, numel), View(count, numel),
    CopyOp(count, numel), Group(count, numel), RecordEvent(count, numel), WaitEvent(count, numel), AllReduce(count, numel),
    AllGather(count, numel), ReduceScatter(count, numel), SendOp(count, numel), Recv(count, numel), Broadcast(count, numel),
    AdasumAllReduce(count, numel) }
