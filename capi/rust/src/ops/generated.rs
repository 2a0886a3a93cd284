// Written by tools/generate.py from the C headers. Do not edit.
use super::*;
#[allow(unused_imports)] // not every kind of argument and of field need occur
use crate::{Bytes, Handle, In, Integers, ListIn, ListOut, Out, Random, Reals, Scalar, Text};

operators! {
    /// ```text
    /// Embedding forward:   out[n, :] = weight[indices[n], :], a bit-exact copy.
    /// ```
    EmbeddingForward = ADJ_OP_EMBEDDING_FORWARD (adj_embedding_forward_descriptor, adj_embedding_forward_args) {
        /// in, \[num_embeddings, embedding_dim\] element
        WEIGHT: In = weight,
        /// in, \[num_indices\] index
        INDICES: In = indices,
        /// out, \[num_indices, embedding_dim\] element
        OUT: Out = out,
        /// in/out, optional, \[1\] i64: out-of-range indices are added to it
        ERROR_FLAG: Out = error_flag,
    } fields {
    } pointers {
    }
    /// ```text
    /// Embedding backward:   dweight[r, :] (=|+=) s_r * sum over n with indices[n] == r of dout[n, :]
    /// ```
    EmbeddingBackward = ADJ_OP_EMBEDDING_BACKWARD (adj_embedding_backward_descriptor, adj_embedding_backward_args) {
        /// in, \[num_indices, embedding_dim\] element
        DOUT: In = dout,
        /// in, \[num_indices\] index; only if !use_index_plan
        INDICES: In = indices,
        /// in/out, \[num_embeddings, embedding_dim\] element; read if write_mode == accumulate
        DWEIGHT: Out = dweight,
        /// in/out, optional, \[1\] i64: out-of-range indices are added to it
        ERROR_FLAG: Out = error_flag,
        /// in, \[num_indices\] i32; only if use_index_plan
        SORTED_ROWS: In = sorted_rows,
        /// in, \[num_indices\] i32; only if use_index_plan
        ORDER: In = order,
    } fields {
    } pointers {
    }
    /// ```text
    /// Softmax cross-entropy loss, forward:
    ///     log_prob[n, c, d] = scores[n, c, d] - logsumexp over c of scores[n, :, d]
    ///     none: loss_i = -log_prob[l_i] * w_i (exactly 0 where ignored)      sum: their sum
    ///     mean: their sum / Z, Z = sum of w_i; 0 when Z == 0 (NaN with nan_when_empty)
    /// ```
    SoftmaxCrossEntropyLoss = ADJ_OP_SOFTMAX_CROSS_ENTROPY_LOSS (adj_softmax_cross_entropy_loss_descriptor, adj_softmax_cross_entropy_loss_args) {
        /// in, \[batch, (padded_classes ? padded_classes : num_classes), inner\], element
        SCORES: In = scores,
        /// in, \[batch, inner\] label
        LABELS: In = labels,
        /// in, \[num_classes\] weight; only if weight
        WEIGHT: In = weight,
        /// out, reduction == none ? \[batch, inner\] : \[1\], output
        LOSS: Out = loss,
        /// out, optional, \[batch, num_classes, inner\] output; only if !(padded_classes \> num_classes); may be scores itself: may share its buffer when the types agree
        LOG_PROB: Out = log_prob,
        /// out, optional, \[batch, inner\] accumulator(element): logsumexp, for the gradient
        LSE: Out = lse,
        /// in/out, optional, \[1\] i64: out-of-range labels are added to it
        ERROR_FLAG: Out = error_flag,
        /// in, \[batch, inner\] sample_weight; only if sample_weight
        SAMPLE_WEIGHT: In = sample_weight,
    } fields {
    } pointers {
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
        /// in, reduction == none ? \[batch, inner\] : \[1\], element
        DLOSS: In = dloss,
        /// in, \[batch, (padded_classes ? padded_classes : num_classes), inner\], element; only if !from_scores
        LOG_PROB: In = log_prob,
        /// in, \[batch, (padded_classes ? padded_classes : num_classes), inner\], element; only if from_scores
        SCORES: In = scores,
        /// in, \[batch, inner\] accumulator(element); only if from_scores
        LSE: In = lse,
        /// in, \[batch, inner\] label
        LABELS: In = labels,
        /// in, \[num_classes\] weight; only if weight
        WEIGHT: In = weight,
        /// in, optional, \[batch, (padded_classes ? padded_classes : num_classes), inner\], output
        BIAS: In = bias,
        /// out, \[batch, (padded_classes ? padded_classes : num_classes), inner\], output; may be log_prob, scores or bias itself: may share a buffer when the types agree
        DSCORES: Out = dscores,
        /// in/out, optional, \[1\] i64: out-of-range labels are added to it
        ERROR_FLAG: Out = error_flag,
        /// in, \[batch, inner\] sample_weight; only if sample_weight
        SAMPLE_WEIGHT: In = sample_weight,
    } fields {
    } pointers {
    }
    /// ```text
    /// SGD with momentum. g = grad / s + weight_decay * w, |s| = max(|grad_scale|, gradient_norm / max_norm), s with the sign of grad_scale:
    ///     without momentum: update = -lr * g
    ///     with momentum:    buf = momentum * buf + (1 - dampening) * g;  update = -lr * (nesterov ? g + momentum * buf : buf)
    ///     w += update
    /// Buffers start at zero, except that first_step makes buf = g (PyTorch's first step). gradient_norm is the norm of all gradients as they
    /// are, still scaled; 0, its default, clips nothing.
    /// ```
    Sgd = ADJ_OP_SGD (adj_sgd_descriptor, adj_sgd_args) {
        /// in/out, \[numel\] param; written if !out_of_place && !keep_params: parameters w
        PARAMS: ListOut = params,
        /// in/out, \[numel\] grad; written if clear_grads
        GRADS: ListOut = grads,
        /// in/out, \[numel\] state; only if state; written if !out_of_place
        MOMENTUM_BUFFERS: ListOut = momentum_buffers,
        /// in/out, \[numel\] copy; only if copy: a call that skips leaves it as it is
        COPIES: ListOut = copies,
        /// out, \[numel\] param; only if out_of_place && !keep_params; may be params itself
        NEW_PARAMS: ListOut = new_params,
        /// out, \[numel\] state; only if out_of_place && state; may be momentum_buffers itself
        NEW_MOMENTUM_BUFFERS: ListOut = new_momentum_buffers,
        /// out, \[numel\] grad; only if updates; may be grads itself
        UPDATES: ListOut = updates,
        /// in, any floating-point type on the device: finite, not negative; must be given
        LR: Scalar = lr,
        /// in, any floating-point type on the device: not 0
        GRAD_SCALE: Scalar = grad_scale,
        /// in, any floating-point type on the device: \>= 0
        GRADIENT_NORM: Scalar = gradient_norm,
        /// in, bool on the device: 0 skips
        UPDATE_SIGNAL: Scalar = update_signal,
        /// in, optional, \[1\] f32
        FOUND_INF: In = found_inf,
        /// in/out, optional, \[1\] i64: 1 is added when gradient_norm is not finite
        ERROR_FLAG: Out = error_flag,
    } fields {
        /// host array of count element counts \>= 0; copied by select
        FIELD_NUMEL: Integers = numel (count),
    } pointers {
        numel,
    }
    /// ```text
    /// Softmax gradient, out being the softmax itself:
    ///     dinput[n, c, d] = out[n, c, d] * (dout[n, c, d] - sum over k of dout[n, k, d] * out[n, k, d])
    /// ```
    SoftmaxBackward = ADJ_OP_SOFTMAX_BACKWARD (adj_softmax_backward_descriptor, adj_softmax_backward_args) {
        /// in, \[outer, extent, inner\] element
        DOUT: In = dout,
        /// in, \[outer, extent, inner\] element: the result of the forward operator
        OUT: In = out,
        /// out, \[outer, extent, inner\] element; may be dout or out itself
        DINPUT: Out = dinput,
    } fields {
    } pointers {
    }
    /// ```text
    /// Log-softmax gradient, out being the log-softmax itself:
    ///     dinput[n, c, d] = dout[n, c, d] - exp(out[n, c, d]) * sum over k of dout[n, k, d]
    /// ```
    LogSoftmaxBackward = ADJ_OP_LOG_SOFTMAX_BACKWARD (adj_log_softmax_backward_descriptor, adj_log_softmax_backward_args) {
        /// in, \[outer, extent, inner\] element
        DOUT: In = dout,
        /// in, \[outer, extent, inner\] element: the result of the forward operator
        OUT: In = out,
        /// out, \[outer, extent, inner\] element; may be dout or out itself
        DINPUT: Out = dinput,
    } fields {
    } pointers {
    }
    /// ```text
    /// Concat:   output[p, o_i + a, n] = inputs[i][p, a, n],   o_i = lengths[0] + .. + lengths[i - 1]
    /// ```
    Concat = ADJ_OP_CONCAT (adj_concat_descriptor, adj_concat_args) {
        /// in, \[outer, lengths, inner\] element
        INPUTS: ListIn = inputs,
        /// out, \[outer, sum(lengths), inner\] element
        OUTPUT: Out = output,
        /// out, optional, host, \[count\] i64: the lengths, written by the call itself before it returns (a replayed graph does not write them again)
        LENGTHS_OUT: Out = lengths_out,
    } fields {
        /// host array of count lengths \>= 0; copied by select
        FIELD_LENGTHS: Integers = lengths (count),
    } pointers {
        lengths,
    }
    /// ```text
    /// Split:   outputs[i][p, a, n] = input[p, o_i + a, n],   o_i = lengths[0] + .. + lengths[i - 1]
    /// ```
    Split = ADJ_OP_SPLIT (adj_split_descriptor, adj_split_args) {
        /// in, \[outer, sum(lengths), inner\] element
        INPUT: In = input,
        /// out, \[outer, lengths, inner\] element
        OUTPUTS: ListOut = outputs,
    } fields {
        /// host array of count lengths \>= 0; copied by select
        FIELD_LENGTHS: Integers = lengths (count),
    } pointers {
        lengths,
    }
    /// ```text
    /// Gather gradient, the gradient of out = Gather(input, indices, axis) in input:
    ///     dinput[o, r, i] (=|+=) sum over n with row(indices[n]) == r of dout[o, n, i]
    /// ```
    GatherGrad = ADJ_OP_GATHER_GRAD (adj_gather_grad_descriptor, adj_gather_grad_args) {
        /// in, \[outer, num_indices, inner\] element
        DOUT: In = dout,
        /// in, \[num_indices\] index; only if !use_index_plan
        INDICES: In = indices,
        /// in/out, \[outer, extent, inner\] element; read if write_mode == accumulate
        DINPUT: Out = dinput,
        /// in/out, optional, \[1\] i64: out-of-range indices are added to it
        ERROR_FLAG: Out = error_flag,
        /// in, \[num_indices\] i32; only if use_index_plan
        SORTED_ROWS: In = sorted_rows,
        /// in, \[num_indices\] i32; only if use_index_plan
        ORDER: In = order,
    } fields {
    } pointers {
    }
    /// ```text
    /// EmbeddingBag forward, over the positions n of bag b that take part:
    /// ```
    EmbeddingBagForward = ADJ_OP_EMBEDDING_BAG_FORWARD (adj_embedding_bag_forward_descriptor, adj_embedding_bag_forward_args) {
        /// in, \[num_embeddings, embedding_dim\] element
        WEIGHT: In = weight,
        /// in, has_offsets ? \[num_indices\] : \[num_bags, num_indices / num_bags\], index
        INDICES: In = indices,
        /// in, \[num_bags + include_last_offset\] index; only if has_offsets
        OFFSETS: In = offsets,
        /// in, has_offsets ? \[num_indices\] : \[num_bags, num_indices / num_bags\], element; only if has_per_sample_weights
        PER_SAMPLE_WEIGHTS: In = per_sample_weights,
        /// out, \[num_bags, embedding_dim\] element
        OUT: Out = out,
        /// out, optional, \[num_bags, embedding_dim\] i32; only if mode == max
        MAX_POSITIONS: Out = max_positions,
        /// in/out, optional, \[1\] i64: bad offsets and indices are added to it
        ERROR_FLAG: Out = error_flag,
    } fields {
    } pointers {
    }
    /// ```text
    /// EmbeddingBag backward to the weight, over the positions n that take part with indices[n] == r, bag(n) being theirs:
    /// ```
    EmbeddingBagBackward = ADJ_OP_EMBEDDING_BAG_BACKWARD (adj_embedding_bag_backward_descriptor, adj_embedding_bag_backward_args) {
        /// in, \[num_bags, embedding_dim\] element
        DOUT: In = dout,
        /// in, has_offsets ? \[num_indices\] : \[num_bags, num_indices / num_bags\], index; only if !use_index_plan
        INDICES: In = indices,
        /// in, \[num_bags + include_last_offset\] index; only if has_offsets
        OFFSETS: In = offsets,
        /// in, has_offsets ? \[num_indices\] : \[num_bags, num_indices / num_bags\], element; only if has_per_sample_weights
        PER_SAMPLE_WEIGHTS: In = per_sample_weights,
        /// in, \[num_bags, embedding_dim\] i32; only if mode == max: from the forward direction
        MAX_POSITIONS: In = max_positions,
        /// in/out, \[num_embeddings, embedding_dim\] element; read if write_mode == accumulate
        DWEIGHT: Out = dweight,
        /// in/out, optional, \[1\] i64: bad offsets and indices are added to it
        ERROR_FLAG: Out = error_flag,
        /// in, \[num_indices\] i32; only if use_index_plan
        SORTED_ROWS: In = sorted_rows,
        /// in, \[num_indices\] i32; only if use_index_plan
        ORDER: In = order,
    } fields {
    } pointers {
    }
    /// ```text
    /// Gradient of sum's per_sample_weights:   dper_sample_weights[n] = dot(dout[bag(n), :], weight[indices[n], :])
    /// ```
    EmbeddingBagPerSampleWeightsBackward = ADJ_OP_EMBEDDING_BAG_PER_SAMPLE_WEIGHTS_BACKWARD (adj_embedding_bag_per_sample_weights_backward_descriptor, adj_embedding_bag_per_sample_weights_backward_args) {
        /// in, \[num_bags, embedding_dim\] element
        DOUT: In = dout,
        /// in, \[num_embeddings, embedding_dim\] element
        WEIGHT: In = weight,
        /// in, has_offsets ? \[num_indices\] : \[num_bags, num_indices / num_bags\], index
        INDICES: In = indices,
        /// in, \[num_bags + include_last_offset\] index; only if has_offsets
        OFFSETS: In = offsets,
        /// out, has_offsets ? \[num_indices\] : \[num_bags, num_indices / num_bags\], element
        DPER_SAMPLE_WEIGHTS: Out = dper_sample_weights,
        /// in/out, optional, \[1\] i64: bad offsets and indices are added to it
        ERROR_FLAG: Out = error_flag,
    } fields {
    } pointers {
    }
    /// ```text
    /// Index plan: the positions of indices, stably sorted by the rows that the indices name.
    /// ```
    IndexPlan = ADJ_OP_INDEX_PLAN (adj_index_plan_descriptor, adj_index_plan_args) {
        /// in, positions != rows ? indices_shape : \[num_indices\], index
        INDICES: In = indices,
        /// out, \[num_indices\] i32
        SORTED_ROWS: Out = sorted_rows,
        /// out, \[num_indices\] i32
        ORDER: Out = order,
        /// in/out, optional, \[1\] i64: out-of-range indices are added to it
        ERROR_FLAG: Out = error_flag,
    } fields {
    } pointers {
    }
    /// ```text
    /// Gradient of an activation function: dinput = dout * f'(z), z = saved + bias as in the forward operator, or f'(z) taken from f(z).
    /// dbias[i] = sum over the rows of dinput[row, i] before it is rounded, in f32 (f64 for f64), in an order that the shape and the element
    /// type decide; it is the gradient of bias, and may be asked for without one. With write_mode accumulate it is added to what dbias holds, before
    /// the one rounding.
    /// ```
    ActivationBackward = ADJ_OP_ACTIVATION_BACKWARD (adj_activation_backward_descriptor, adj_activation_backward_args) {
        /// in, \[outer, inner\] element
        DOUT: In = dout,
        /// in, \[outer, inner\] element: the input or the output of the forward operator
        SAVED: In = saved,
        /// in, \[inner\] element; only if has_bias
        BIAS: In = bias,
        /// out, \[outer, inner\] element; may be dout or saved itself
        DINPUT: Out = dinput,
        /// in/out, \[inner\] element; only if has_dbias; read if write_mode == accumulate
        DBIAS: Out = dbias,
    } fields {
    } pointers {
    }
    /// ```text
    /// Activation function: out = f(z), z = input + bias, a sum that is rounded to f32 (f64 for f64).
    /// ```
    ActivationForward = ADJ_OP_ACTIVATION_FORWARD (adj_activation_forward_descriptor, adj_activation_forward_args) {
        /// in, \[outer, inner\] element
        INPUT: In = input,
        /// in, \[inner\] element; only if has_bias
        BIAS: In = bias,
        /// out, \[outer, inner\] element; may be input itself
        OUT: Out = out,
    } fields {
    } pointers {
    }
    /// ```text
    /// Gradient of a gated activation, laid out like its input:
    ///     dgate = dout * linear * f'(gate),  dlinear = dout * f(gate)
    /// The terms of dgate are those of f' times |dout * linear|, those of dlinear the terms of f times |dout|.
    /// ```
    GatedActivationBackward = ADJ_OP_GATED_ACTIVATION_BACKWARD (adj_gated_activation_backward_descriptor, adj_gated_activation_backward_args) {
        /// in, \[outer, inner\] element
        DOUT: In = dout,
        /// in, \[outer, 2 \* inner\] element: what the forward operator got
        INPUT: In = input,
        /// out, \[outer, 2 \* inner\] element; may be input itself
        DINPUT: Out = dinput,
    } fields {
    } pointers {
    }
    /// ```text
    /// Gated activation: out[n, i] = f(gate[n, i]) * linear[n, i]. The terms of an output are those of f times |linear|.
    /// ```
    GatedActivationForward = ADJ_OP_GATED_ACTIVATION_FORWARD (adj_gated_activation_forward_descriptor, adj_gated_activation_forward_args) {
        /// in, \[outer, 2 \* inner\] element
        INPUT: In = input,
        /// out, \[outer, inner\] element
        OUT: Out = out,
    } fields {
    } pointers {
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
        /// in, broadcast(a_shape, b_shape) element
        DOUT: In = dout,
        /// in, a_shape element; only if !skip_db
        A: In = a,
        /// in, b_shape element
        B: In = b,
        /// out, a_shape element; only if !skip_da
        DA: Out = da,
        /// out, b_shape element; only if !skip_db
        DB: Out = db,
    } fields {
    } pointers {
    }
    /// ```text
    /// packed = what the format makes of input.
    /// ```
    GistEncode = ADJ_OP_GIST_ENCODE (adj_gist_encode_descriptor, adj_gist_encode_args) {
        /// in, \[outer, inner\] element
        INPUT: In = input,
        /// out, format == pack1 ? \[ceil_div(outer \* inner, 8)\] : format == msfp15 ? \[outer, ceil_div(inner, 8) \* 8\] : \[outer, inner\], format == binarize ? bool : format == pack16 ? f16 : format == pack16_bf16 ? bf16 : u8
        PACKED: Out = packed,
    } fields {
    } pointers {
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
        /// in, format == pack1 ? \[ceil_div(outer \* inner, 8)\] : format == msfp15 ? \[outer, ceil_div(inner, 8) \* 8\] : \[outer, inner\], format == binarize ? bool : format == pack16 ? f16 : format == pack16_bf16 ? bf16 : u8: as the encoder writes it
        PACKED: In = packed,
        /// out, \[outer, inner\] element
        OUT: Out = out,
    } fields {
    } pointers {
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
        /// in, \[outer, channels, inner\] element
        INPUT: In = input,
        /// in, f32 or f64 on the device; only if !per_channel: \> 0
        SCALE: Scalar = scale,
        /// in, f32 or f64 on the device; only if !per_channel: quant_min to quant_max
        ZERO_POINT: Scalar = zero_point,
        /// in, \[channels\] accumulator(element); only if per_channel
        SCALES: In = scales,
        /// in, \[channels\] accumulator(element); only if per_channel
        ZERO_POINTS: In = zero_points,
        /// out, \[outer, channels, inner\] element; may be input itself
        OUT: Out = out,
        /// out, optional, \[outer, channels, inner\] bool
        MASK: Out = mask,
    } fields {
    } pointers {
    }
    /// ```text
    /// Gradient of fake quantization that passes straight through: dinput = mask ? dout : 0.
    /// ```
    FakeQuantizeBackward = ADJ_OP_FAKE_QUANTIZE_BACKWARD (adj_fake_quantize_backward_descriptor, adj_fake_quantize_backward_args) {
        /// in, \[numel\] element
        DOUT: In = dout,
        /// in, \[numel\] bool
        MASK: In = mask,
        /// out, \[numel\] element; may be dout itself
        DINPUT: Out = dinput,
    } fields {
    } pointers {
    }
    /// ```text
    /// Dropout:
    ///     training:  out[e] = kept(e) ? input[e] / (1 - ratio) : 0
    ///     otherwise: out[e] = input[e], masks of ones, no words consumed; ratio and random are not read
    /// ```
    DropoutForward = ADJ_OP_DROPOUT_FORWARD (adj_dropout_forward_descriptor, adj_dropout_forward_args) {
        /// in, \[numel\] element
        INPUT: In = input,
        /// in, f32 or f64 on the device; optional if !training: in \[0, 1\]; must be given in training
        RATIO: Scalar = ratio,
        /// in/out, optional if !training; on the device if advance_offset; written if advance_offset: seed and offset, must be given in training
        RANDOM: Random = random,
        /// out, \[numel\] element; may be input itself
        OUT: Out = out,
        /// out, mask == bits ? \[ceil_div(numel, 32)\] : \[numel\], mask == bits ? u32 : bool; only if mask != none
        MASK: Out = mask,
        /// out, optional, host, \[1\] i64: words consumed
        WORDS: Out = words,
    } fields {
    } pointers {
    }
    /// ```text
    /// Dropout, gradient:
    ///     training:  dinput[e] = kept(e) ? dout[e] / (1 - ratio) : 0; at a ratio of 0 dout[e], and the mask is not read
    ///     otherwise: dinput[e] = dout[e]; ratio, random and mask are not read
    /// kept(e) comes from the mask, or, without one, from the seed and the offset of the forward call.
    /// ```
    DropoutBackward = ADJ_OP_DROPOUT_BACKWARD (adj_dropout_backward_descriptor, adj_dropout_backward_args) {
        /// in, \[numel\] element
        DOUT: In = dout,
        /// in, mask == bits ? \[ceil_div(numel, 32)\] : \[numel\], mask == bits ? u32 : bool; only if mask != none; optional if !training
        MASK: In = mask,
        /// in, f32 or f64 on the device; optional if !training: in \[0, 1\]; must be given in training
        RATIO: Scalar = ratio,
        /// in, only if mask == none; optional if !training: that of the forward call
        RANDOM: Random = random,
        /// out, \[numel\] element; may be dout itself
        DINPUT: Out = dinput,
    } fields {
    } pointers {
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
        /// in, \[rows, columns\] element
        INPUT: In = input,
        /// in, \[bias_rows, columns\] element; only if bias_rows \> 0
        BIAS: In = bias,
        /// in, f32 or f64 on the device: in \[0, 1\]; must be given
        RATIO: Scalar = ratio,
        /// in/out, on the device if advance_offset; written if advance_offset: seed and offset, must be given
        RANDOM: Random = random,
        /// out, \[rows, columns\] element; may be input itself
        OUT: Out = out,
        /// out, mask == bits ? \[ceil_div(rows \* columns, 32)\] : \[rows, columns\], mask == bits ? u32 : bool; only if mask != none
        MASK: Out = mask,
        /// out, optional, \[rows, columns\] element; may be input itself: p, for the gradient
        SOFTMAX_OUT: Out = softmax_out,
        /// out, optional, host, \[1\] i64: words consumed
        WORDS: Out = words,
    } fields {
    } pointers {
    }
    /// ```text
    /// Softmax and dropout, gradient with respect to the input (that of the bias is its sum over the rows that share one):
    ///     a[r, c] = kept(r * columns + c) ? dout[r, c] / (1 - ratio) : 0
    ///     dinput[r, c] = softmax_out[r, c] * (a[r, c] - sum over k of a[r, k] * softmax_out[r, k])
    /// kept(e) comes from the mask, or, without one, from the seed and the offset of the forward call.
    /// ```
    SoftmaxDropoutBackward = ADJ_OP_SOFTMAX_DROPOUT_BACKWARD (adj_softmax_dropout_backward_descriptor, adj_softmax_dropout_backward_args) {
        /// in, \[rows, columns\] element
        DOUT: In = dout,
        /// in, mask == bits ? \[ceil_div(rows \* columns, 32)\] : \[rows, columns\], mask == bits ? u32 : bool; only if mask != none
        MASK: In = mask,
        /// in, \[rows, columns\] element: the softmax before dropout
        SOFTMAX_OUT: In = softmax_out,
        /// in, f32 or f64 on the device: in \[0, 1\]; must be given
        RATIO: Scalar = ratio,
        /// in, only if mask == none: that of the forward call
        RANDOM: Random = random,
        /// out, \[rows, columns\] element; may be dout or softmax_out itself
        DINPUT: Out = dinput,
    } fields {
    } pointers {
    }
    /// ```text
    /// Softmax: out[n, c, d] = exp(input[n, c, d] - m) / sum over k of exp(input[n, k, d] - m), m the largest of the group.
    /// ```
    SoftmaxForward = ADJ_OP_SOFTMAX_FORWARD (adj_softmax_forward_descriptor, adj_softmax_forward_args) {
        /// in, \[outer, extent, inner\] element
        INPUT: In = input,
        /// out, \[outer, extent, inner\] element; may be input itself
        OUT: Out = out,
    } fields {
    } pointers {
    }
    /// ```text
    /// Log-softmax: out[n, c, d] = input[n, c, d] - m - log(sum over k of exp(input[n, k, d] - m)), m the largest of the group.
    /// ```
    LogSoftmaxForward = ADJ_OP_LOG_SOFTMAX_FORWARD (adj_log_softmax_forward_descriptor, adj_log_softmax_forward_args) {
        /// in, \[outer, extent, inner\] element
        INPUT: In = input,
        /// out, \[outer, extent, inner\] element; may be input itself
        OUT: Out = out,
    } fields {
    } pointers {
    }
    /// ```text
    /// Softmax cross-entropy with probabilities as labels, rows of scores and labels side by side:
    ///     log_prob[r, c] = scores[r, c] - logsumexp over c of scores[r, :]
    ///     none: loss_r = -sum over c of labels[r, c] * log_prob[r, c]      sum: their sum
    ///     mean: their sum / rows; 0 without rows (NaN with nan_when_empty)
    /// A label of 0 contributes 0, whatever its log-probability: a row of scores with a NaN has a loss of 0 where all its labels are 0.
    /// Terms of a loss: the sum over c of |labels[r, c]| (|x_c - m| + L + q).
    /// ```
    SoftLabelCrossEntropyLoss = ADJ_OP_SOFT_LABEL_CROSS_ENTROPY_LOSS (adj_soft_label_cross_entropy_loss_descriptor, adj_soft_label_cross_entropy_loss_args) {
        /// in, \[rows, num_classes\] element
        SCORES: In = scores,
        /// in, \[rows, num_classes\] element
        LABELS: In = labels,
        /// out, reduction == none ? \[rows\] : \[1\], output
        LOSS: Out = loss,
        /// out, optional, \[rows, num_classes\] element; may be scores itself
        LOG_PROB: Out = log_prob,
        /// out, optional, \[rows\] accumulator(element): logsumexp, for the gradient
        LSE: Out = lse,
    } fields {
    } pointers {
    }
    /// ```text
    /// Softmax cross-entropy with probabilities as labels, gradient:
    ///     dscores[r, c] = g_r * (exp(log_prob[r, c]) - labels[r, c]) / z
    /// g = dloss (a scalar for mean and sum, one per row for none), z = rows for mean and 1 otherwise. That is the derivative when the labels
    /// of a row add up to 1; with exact it is exp(log_prob[r, c]) * sum of labels[r, :] - labels[r, c] for any labels. The probabilities
    /// come from log_prob, or from scores and the lse that the forward op saved.
    /// Terms: |g_r / z| (p_c (1 + |x_c| + |lse|) S + |labels[r, c]|). S is the sum of |labels[r, :]| with exact, else 1; x_c is log_prob and lse
    /// 0 without from_scores.
    /// ```
    SoftLabelCrossEntropyLossBackward = ADJ_OP_SOFT_LABEL_CROSS_ENTROPY_LOSS_BACKWARD (adj_soft_label_cross_entropy_loss_backward_descriptor, adj_soft_label_cross_entropy_loss_backward_args) {
        /// in, reduction == none ? \[rows\] : \[1\], element
        DLOSS: In = dloss,
        /// in, \[rows, num_classes\] element; only if !from_scores
        LOG_PROB: In = log_prob,
        /// in, \[rows, num_classes\] element; only if from_scores
        SCORES: In = scores,
        /// in, \[rows\] accumulator(element); only if from_scores
        LSE: In = lse,
        /// in, \[rows, num_classes\] element
        LABELS: In = labels,
        /// out, \[rows, num_classes\] element; may be log_prob, scores or labels itself
        DSCORES: Out = dscores,
    } fields {
    } pointers {
    }
    /// ```text
    /// Softmax cross-entropy loss and its gradient in one call, from rows of scores:
    ///     p[i, c] = exp(scores[i, c] - lse_i),   s = label_smoothing,   k = z_loss
    ///     loss_i = (1 - s) * w_i * (lse_i - scores[i, l_i]) + s / C * sum over c of weight[c] * (lse_i - scores[i, c]) + k * lse_i^2
    ///     none: loss[i] = loss_i      sum: their sum      mean: the first two terms over Z, the last one over the number of samples
    /// w_i = weight[l_i], or 1; Z = sum of w_i; ignored samples (w_i = 0, all terms 0) count in neither. A mean over nothing is 0. This is
    /// PyTorch's label smoothing.
    ///     dscores = dloss * the derivative of loss (of the sum of all losses for none); exact zeros in the rows of ignored samples
    /// loss and lse are f32 (f64 for f64) whatever the element type. The divisors of a mean are apart: where Z is 0, the z-loss remains.
    /// Terms, with v_c = s / C * weight[c] / Z and w = (1 - s) w_i / Z (Z = 1 for none and sum; K = 1, for mean the number of samples):
    ///     loss: w (|x_l - m| + L + q) + sum over c of v_c (|x_c| + |m| + L + q) + k (|m| + L + q)^2 / K
    ///     dscores, f = w + sum of v + 2 k (|m| + L + q) / K: |dloss| (f p_c (2 + |x_c - m| + L + q) + v_c), for the label |dloss| (f + v_l)
    /// ```
    CrossEntropyWithGradient = ADJ_OP_CROSS_ENTROPY_WITH_GRADIENT (adj_cross_entropy_with_gradient_descriptor, adj_cross_entropy_with_gradient_args) {
        /// in, \[samples, (padded_classes ? padded_classes : num_classes)\], element
        SCORES: In = scores,
        /// in, \[samples\] label
        LABELS: In = labels,
        /// in, \[num_classes\] weight; only if weight
        WEIGHT: In = weight,
        /// in, f32 or f64 on the device
        DLOSS: Scalar = dloss,
        /// out, reduction == none ? \[samples\] : \[1\], accumulator(element)
        LOSS: Out = loss,
        /// out, optional, \[samples\] accumulator(element): logsumexp
        LSE: Out = lse,
        /// out, \[samples, (padded_classes ? padded_classes : num_classes)\], element; may be scores itself
        DSCORES: Out = dscores,
        /// in/out, optional, \[1\] i64: out-of-range labels are added to it
        ERROR_FLAG: Out = error_flag,
    } fields {
    } pointers {
    }
    /// ```text
    /// Log-probability of a label and entropy of the distribution, from rows of scores in one read, without storing probabilities:
    ///     log_prob_i = scores[i, l_i] - lse_i,   entropy_i = lse_i - sum over c of p[i, c] * scores[i, c],   p[i, c] = exp(scores[i, c] - lse_i)
    /// p log p is 0 where p is 0. An ignored sample has a log_prob and an entropy of 0 and an lse; an out-of-range label a log_prob of NaN,
    /// and the entropy of its scores. Results are f32 (f64 for f64).
    /// Terms, with Q the mean of (1 + |x_c - m|)^2 weighted by p: entropy: Q + L      log_prob: |x_l - m| + Q + L      lse: |m| + Q + L
    /// ```
    LogProbEntropy = ADJ_OP_LOG_PROB_ENTROPY (adj_log_prob_entropy_descriptor, adj_log_prob_entropy_args) {
        /// in, \[samples, num_classes\] element
        SCORES: In = scores,
        /// in, \[samples\] label
        LABELS: In = labels,
        /// out, \[samples\] accumulator(element)
        LOG_PROB: Out = log_prob,
        /// out, optional, \[samples\] accumulator(element)
        ENTROPY: Out = entropy,
        /// out, optional, \[samples\] accumulator(element): for the gradient
        LSE: Out = lse,
        /// in/out, optional, \[1\] i64: out-of-range labels are added to it
        ERROR_FLAG: Out = error_flag,
    } fields {
    } pointers {
    }
    /// ```text
    /// Log-probability and entropy, gradient with respect to the scores:
    ///     dscores[i, c] = dlog_prob_i * ([c == l_i] - p[i, c]) - dentropy_i * p[i, c] * (log p[i, c] + entropy_i)
    /// Exact zeros for ignored samples; NaN for out-of-range labels.
    /// Terms, with y = 1 + |x_c| + |lse|: p_c y (|dlog_prob| + |dentropy| (1 + y + |entropy|)), for the label |dlog_prob| more.
    /// ```
    LogProbEntropyBackward = ADJ_OP_LOG_PROB_ENTROPY_BACKWARD (adj_log_prob_entropy_backward_descriptor, adj_log_prob_entropy_backward_args) {
        /// in, \[samples\] accumulator(element)
        DLOG_PROB: In = dlog_prob,
        /// in, \[samples\] accumulator(element); only if with_entropy
        DENTROPY: In = dentropy,
        /// in, \[samples, num_classes\] element
        SCORES: In = scores,
        /// in, \[samples\] label
        LABELS: In = labels,
        /// in, \[samples\] accumulator(element)
        LSE: In = lse,
        /// in, \[samples\] accumulator(element); only if with_entropy
        ENTROPY: In = entropy,
        /// out, \[samples, num_classes\] element; may be scores itself
        DSCORES: Out = dscores,
        /// in/out, optional, \[1\] i64: out-of-range labels are added to it
        ERROR_FLAG: Out = error_flag,
    } fields {
    } pointers {
    }
    /// ```text
    /// Adam and AdamW. With t the step, a = 1 - beta1^t, b = 1 - beta2^t (both 1 with no_bias_correction),
    ///     g = grad / s,   |s| = max(|grad_scale|, gradient_norm / max_norm), s with the sign of grad_scale
    ///     m = beta1 * m + (1 - beta1) * g,   v = beta2 * v + (1 - beta2) * g * g
    ///     decay first: update = -lr * ((m / a) / (sqrt(v / b) + epsilon) + weight_decay * w)
    ///     decay last:  q = lr * sqrt(b) / a * m / (sqrt(v) + epsilon);  update = -q - lr * weight_decay * (w - q)
    ///     decay l2:    g += weight_decay * w before m and v;  update = -lr * (m / a) / (sqrt(v / b) + epsilon)
    ///     w += update
    /// Settings of other libraries:
    ///     PyTorch Adam                   decay l2
    ///     PyTorch AdamW, Apex FusedAdam  decay first
    ///     Hugging Face AdamW             decay last
    ///     ONNX Runtime AdamOptimizer     weight_decay_mode is decay; out_of_place, updates
    ///     ONNX Runtime AdamWOptimizer    adam_mode is decay
    /// ```
    Adam = ADJ_OP_ADAM (adj_adam_descriptor, adj_adam_args) {
        /// in/out, \[numel\] param; written if !out_of_place && !keep_params: parameters w
        PARAMS: ListOut = params,
        /// in/out, \[numel\] grad; written if clear_grads
        GRADS: ListOut = grads,
        /// in/out, \[numel\] state; written if !out_of_place: first moment m
        EXP_AVG: ListOut = exp_avg,
        /// in/out, \[numel\] state; written if !out_of_place: second moment v
        EXP_AVG_SQ: ListOut = exp_avg_sq,
        /// in/out, \[numel\] copy; only if copy
        COPIES: ListOut = copies,
        /// out, \[numel\] param; only if out_of_place && !keep_params; may be params itself
        NEW_PARAMS: ListOut = new_params,
        /// out, \[numel\] state; only if out_of_place; may be exp_avg itself
        NEW_EXP_AVG: ListOut = new_exp_avg,
        /// out, \[numel\] state; only if out_of_place; may be exp_avg_sq itself
        NEW_EXP_AVG_SQ: ListOut = new_exp_avg_sq,
        /// out, \[numel\] grad; only if updates; may be grads itself
        UPDATES: ListOut = updates,
        /// in, any floating-point type on the device: finite, not negative; must be given without lr_of
        LR: Scalar = lr,
        /// in/out, i64 on the device; on the device if advance_step; written if advance_step: \>= 1
        STEP: Scalar = step,
        /// in, i64 on the device; only if stochastic_rounding: on the device all 64 bits count; from 0 to 2^53 by value
        SEED: Scalar = seed,
        /// in, any floating-point type on the device: not 0
        GRAD_SCALE: Scalar = grad_scale,
        /// in, any floating-point type on the device: \>= 0
        GRADIENT_NORM: Scalar = gradient_norm,
        /// in, bool on the device: 0 skips
        UPDATE_SIGNAL: Scalar = update_signal,
        /// in, optional, \[count\] accumulator(param): learning rate of each tensor, in place of lr
        LR_OF: In = lr_of,
        /// in, optional, \[count\] accumulator(param): decay of each tensor, in place of weight_decay
        WEIGHT_DECAY_OF: In = weight_decay_of,
        /// in, optional, \[1\] f32
        FOUND_INF: In = found_inf,
        /// in/out, optional, \[1\] i64: 1 is added when the device step is below 1 or gradient_norm is not finite
        ERROR_FLAG: Out = error_flag,
    } fields {
        /// host array of count element counts \>= 0; copied by select
        FIELD_NUMEL: Integers = numel (count),
        /// host array: a number from 0 to 2^32 - 1 for each tensor; equal keys draw equal bits
        FIELD_TENSOR_KEYS: Integers = tensor_keys (tensor_key_count),
        /// host array: number of each entry's first element in its tensor, from 0; with its numel at most 2^59
        FIELD_FIRST_ELEMENTS: Integers = first_elements (first_element_count),
    } pointers {
        numel,
        tensor_keys,
        first_elements,
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
        /// in/out, \[numel\] param; written if !out_of_place && !keep_params: parameters w
        PARAMS: ListOut = params,
        /// in/out, \[numel\] grad; written if clear_grads
        GRADS: ListOut = grads,
        /// in/out, \[numel\] state; written if !out_of_place: first moment m
        EXP_AVG: ListOut = exp_avg,
        /// in/out, \[numel\] state; written if !out_of_place: second moment v
        EXP_AVG_SQ: ListOut = exp_avg_sq,
        /// in/out, \[numel\] copy; only if copy
        COPIES: ListOut = copies,
        /// out, \[numel\] param; only if out_of_place && !keep_params; may be params itself
        NEW_PARAMS: ListOut = new_params,
        /// out, \[numel\] state; only if out_of_place; may be exp_avg itself
        NEW_EXP_AVG: ListOut = new_exp_avg,
        /// out, \[numel\] state; only if out_of_place; may be exp_avg_sq itself
        NEW_EXP_AVG_SQ: ListOut = new_exp_avg_sq,
        /// out, \[numel\] grad; only if updates; may be grads itself
        UPDATES: ListOut = updates,
        /// in, any floating-point type on the device: finite, not negative; must be given
        LR: Scalar = lr,
        /// in/out, i64 on the device; on the device if advance_step; written if advance_step
        STEP: Scalar = step,
        /// in, any floating-point type on the device: \> 0
        GRAD_SCALE: Scalar = grad_scale,
        /// in, any floating-point type on the device: \>= 0
        GRADIENT_NORM: Scalar = gradient_norm,
        /// in, bool on the device: 0 skips
        UPDATE_SIGNAL: Scalar = update_signal,
        /// in, optional, \[1\] f32
        FOUND_INF: In = found_inf,
        /// in/out, optional, \[1\] i64: counts as in adam, and the tensors that are kept as they are
        ERROR_FLAG: Out = error_flag,
    } fields {
        /// host array of count element counts \>= 0; copied by select
        FIELD_NUMEL: Integers = numel (count),
        /// beta1 of each tensor; host array, copied by select
        FIELD_BETA1_OF: Reals = beta1_of (beta1_count),
        /// beta2 of each tensor; host array, copied by select
        FIELD_BETA2_OF: Reals = beta2_of (beta2_count),
        /// epsilon of each tensor; host array, copied by select
        FIELD_EPSILON_OF: Reals = epsilon_of (epsilon_count),
        /// weight_decay of each tensor; host array, copied by select
        FIELD_WEIGHT_DECAY_OF: Reals = weight_decay_of (weight_decay_count),
        /// max_norm of each tensor; host array, copied by select
        FIELD_MAX_NORM_OF: Reals = max_norm_of (max_norm_count),
    } pointers {
        numel,
        beta1_of,
        beta2_of,
        epsilon_of,
        weight_decay_of,
        max_norm_of,
    }
    /// ```text
    /// Scaling of gradients by their common L2 norm. With N the norm of all gradients divided by grad_scale:
    ///     factor = min(1, max_norm / (N + epsilon)),   grad *= factor / grad_scale
    /// Squares neither overflow nor vanish. Where N is not finite in the type of norm, the gradients stay as they are, factor is 1, and found_inf
    /// becomes 1; else it becomes 0. An infinite max_norm clips nothing. An empty list has the norm 0.
    /// ```
    ClipGradNorm = ADJ_OP_CLIP_GRAD_NORM (adj_clip_grad_norm_descriptor, adj_clip_grad_norm_args) {
        /// in/out, \[numel\] grad; written if !norm_only: gradients of the parameters
        GRADS: ListOut = grads,
        /// in, any floating-point type on the device: \> 0
        GRAD_SCALE: Scalar = grad_scale,
        /// out, optional, \[1\] accumulator(grad): N
        NORM: Out = norm,
        /// out, optional, \[1\] accumulator(grad)
        FACTOR: Out = factor,
        /// out, optional, \[1\] f32: 1 where N is not finite, else 0
        FOUND_INF: Out = found_inf,
    } fields {
        /// host array of count element counts \>= 0; copied by select
        FIELD_NUMEL: Integers = numel (count),
    } pointers {
        numel,
    }
    /// ```text
    /// IsFinite:   outputs[i][j] = inputs[i][j] is neither an infinity nor NaN
    /// ```
    IsFinite = ADJ_OP_IS_FINITE (adj_is_finite_descriptor, adj_is_finite_args) {
        /// in, \[numel\] element
        INPUTS: ListIn = inputs,
        /// out, \[numel\] bool
        OUTPUTS: ListOut = outputs,
    } fields {
        /// host array of count element counts \>= 0; copied by select
        FIELD_NUMEL: Integers = numel (count),
    } pointers {
        numel,
    }
    /// ```text
    /// AllFinite:   output = every element of every input passes the test; true without elements
    /// ```
    AllFinite = ADJ_OP_ALL_FINITE (adj_all_finite_descriptor, adj_all_finite_args) {
        /// in, \[numel\] element
        INPUTS: ListIn = inputs,
        /// out, \[1\] bool
        OUTPUT: Out = output,
        /// out, optional, \[1\] f32: 0 where output is true, else 1
        FOUND_INF: Out = found_inf,
    } fields {
        /// host array of count element counts \>= 0; copied by select
        FIELD_NUMEL: Integers = numel (count),
    } pointers {
        numel,
    }
    /// ```text
    /// All:   output = every element of every input is true; true without elements
    /// ```
    All = ADJ_OP_ALL (adj_all_descriptor, adj_all_args) {
        /// in, \[numel\] bool: a byte that is not 0 is true
        INPUTS: ListIn = inputs,
        /// out, \[1\] bool
        OUTPUT: Out = output,
    } fields {
        /// host array of count element counts \>= 0; copied by select
        FIELD_NUMEL: Integers = numel (count),
    } pointers {
        numel,
    }
    /// ```text
    /// Scale:   outputs[i] = scale * inputs[i],   outputs_1[i] = scale_1 * inputs[i],   outputs_2[i] = scale_2 * inputs[i]
    /// ```
    Scale = ADJ_OP_SCALE (adj_scale_descriptor, adj_scale_args) {
        /// in, \[numel\] element
        INPUTS: ListIn = inputs,
        /// out, \[numel\] output; only if !fused; may be inputs itself
        OUTPUTS: ListOut = outputs,
        /// out, \[numel\] output; only if outputs \>= 2; may be inputs itself
        OUTPUTS_1: ListOut = outputs_1,
        /// out, \[numel\] output; only if outputs \>= 3; may be inputs itself
        OUTPUTS_2: ListOut = outputs_2,
        /// out, \[sum(numel)\] output; only if fused
        FUSED: Out = fused,
        /// in, f32 or f64 on the device
        SCALE: Scalar = scale,
        /// in, f32 or f64 on the device; only if outputs \>= 2
        SCALE_1: Scalar = scale_1,
        /// in, f32 or f64 on the device; only if outputs \>= 3
        SCALE_2: Scalar = scale_2,
        /// in/out, optional, \[1\] f32: 1 is stored when an input is an infinity or NaN, else it stays
        FOUND_INF: Out = found_inf,
    } fields {
        /// host array of count element counts \>= 0; copied by select
        FIELD_NUMEL: Integers = numel (count),
    } pointers {
        numel,
    }
    /// ```text
    /// Zero:   outputs[i] = +0
    /// ```
    Zero = ADJ_OP_ZERO (adj_zero_descriptor, adj_zero_args) {
        /// out, \[numel\] element
        OUTPUTS: ListOut = outputs,
    } fields {
        /// host array of count element counts \>= 0; copied by select
        FIELD_NUMEL: Integers = numel (count),
    } pointers {
        numel,
    }
    /// ```text
    /// Accumulate:   outputs[i] = update ? (overwrite ? 0 : sums[i]) + values[i] : sums[i]
    /// ```
    Accumulate = ADJ_OP_ACCUMULATE (adj_accumulate_descriptor, adj_accumulate_args) {
        /// in, \[numel\] element
        SUMS: ListIn = sums,
        /// in, \[numel\] value
        VALUES: ListIn = values,
        /// out, \[numel\] element; may be sums itself
        OUTPUTS: ListOut = outputs,
        /// out, \[numel\] element; only if copies
        COPIES: ListOut = copies,
        /// in, bool on the device: 0: outputs and copies are sums
        UPDATE: Scalar = update,
        /// in, bool on the device: not 0: outputs and copies are values
        OVERWRITE: Scalar = overwrite,
        /// out, optional, host, \[1\] bool: 1, written by the call itself before it returns
        UPDATED_FLAG: Out = updated_flag,
    } fields {
        /// host array of count element counts \>= 0; copied by select
        FIELD_NUMEL: Integers = numel (count),
    } pointers {
        numel,
    }
    /// ```text
    /// ScaledSum:   outputs[i] = scale_0 * inputs_0[i] + scale_1 * inputs_1[i] [+ scale_2 * inputs_2[i]]
    /// ```
    ScaledSum = ADJ_OP_SCALED_SUM (adj_scaled_sum_descriptor, adj_scaled_sum_args) {
        /// in, \[numel\] element
        INPUTS_0: ListIn = inputs_0,
        /// in, \[numel\] element
        INPUTS_1: ListIn = inputs_1,
        /// in, \[numel\] element; only if inputs \>= 3
        INPUTS_2: ListIn = inputs_2,
        /// out, \[numel\] element; may be inputs_0, inputs_1 or inputs_2 itself
        OUTPUTS: ListOut = outputs,
        /// in, f32 or f64 on the device
        SCALE_0: Scalar = scale_0,
        /// in, f32 or f64 on the device
        SCALE_1: Scalar = scale_1,
        /// in, f32 or f64 on the device; only if inputs \>= 3
        SCALE_2: Scalar = scale_2,
    } fields {
        /// host array of count element counts \>= 0; copied by select
        FIELD_NUMEL: Integers = numel (count),
    } pointers {
        numel,
    }
    /// ```text
    /// L2Norm:   output = root of the sum of x^2 over all elements of all inputs,   norms[i] = the same of inputs[i];   0 without elements
    /// ```
    L2Norm = ADJ_OP_L2_NORM (adj_l2_norm_descriptor, adj_l2_norm_args) {
        /// in, \[numel\] element
        INPUTS: ListIn = inputs,
        /// out, \[1\] output
        OUTPUT: Out = output,
        /// out, optional, \[count\] output
        NORMS: Out = norms,
        /// out, optional, \[1\] f32: 1 where an element of inputs is an infinity or NaN, else 0
        FOUND_INF: Out = found_inf,
    } fields {
        /// host array of count element counts \>= 0; copied by select
        FIELD_NUMEL: Integers = numel (count),
    } pointers {
        numel,
    }
    /// ```text
    /// Reduce:   output[kept axes] = kind over the other axes of input
    /// ```
    Reduce = ADJ_OP_REDUCE (adj_reduce_descriptor, adj_reduce_args) {
        /// in, shape element
        INPUT: In = input,
        /// in/out, output; read if write_mode == accumulate: shape without the reduced axes; with keepdims one element in each of them, with segments as many as these
        OUTPUT: Out = output,
        /// in, \[segments + 1\] offset; only if segments \>= 0
        OFFSETS: In = offsets,
        /// in/out, optional, \[1\] i64; only if segments \>= 0: 1 is added for each segment with bad offsets
        ERROR_FLAG: Out = error_flag,
    } fields {
    } pointers {
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
        /// in, shape output: dY
        DOUT: In = dout,
        /// in, shape element; only if !from_output: X
        INPUT: In = input,
        /// in, shape output; only if from_output: Y
        OUT: In = out,
        /// in, \[product(shape, axis)\] weight; optional if !from_output: 1 without
        GAMMA: In = gamma,
        /// in, optional, \[product(shape, axis)\] weight; only if from_output: 0 without
        BETA: In = beta,
        /// in, \[product(shape, 0, axis)\] accumulator(element); only if !from_output
        MEAN: In = mean,
        /// in, \[product(shape, 0, axis)\] accumulator(element)
        INV_STD: In = inv_std,
        /// in, optional, shape element: another gradient flowing into X, added before the rounding
        DRESIDUAL: In = dresidual,
        /// out, shape element; may be dout, input, out or dresidual itself: dX; may share a buffer when the types agree
        DINPUT: Out = dinput,
        /// in/out, \[product(shape, axis)\] weight; only if has_dgamma; read if write_mode == accumulate
        DGAMMA: Out = dgamma,
        /// in/out, \[product(shape, axis)\] weight; only if has_dbeta; read if write_mode == accumulate
        DBETA: Out = dbeta,
    } fields {
    } pointers {
    }
    /// ```text
    /// RMS norm, gradient:
    ///     g = dy * gamma
    ///     dx[i, j] = inv_std[i] * (g[i, j] - h[i, j] * mean over j of (g * h)) + dresidual[i, j]
    ///     dgamma[j] = sum over i of dy * h
    /// from_output: h is y / gamma; see layer norm.
    /// ```
    RmsNormBackward = ADJ_OP_RMS_NORM_BACKWARD (adj_rms_norm_backward_descriptor, adj_rms_norm_backward_args) {
        /// in, shape output: dY
        DOUT: In = dout,
        /// in, shape element; only if !from_output: X
        INPUT: In = input,
        /// in, shape output; only if from_output: Y
        OUT: In = out,
        /// in, \[product(shape, axis)\] weight; optional if !from_output: 1 without
        GAMMA: In = gamma,
        /// in, \[product(shape, 0, axis)\] accumulator(element)
        INV_STD: In = inv_std,
        /// in, optional, shape element: another gradient flowing into X, added before the rounding
        DRESIDUAL: In = dresidual,
        /// out, shape element; may be dout, input, out or dresidual itself: dX; may share a buffer when the types agree
        DINPUT: Out = dinput,
        /// in/out, \[product(shape, axis)\] weight; only if has_dgamma; read if write_mode == accumulate
        DGAMMA: Out = dgamma,
    } fields {
    } pointers {
    }
    /// ```text
    /// Layer norm, of X or of X + residual. The sum is rounded to `element` where `sum` is given, and then the rounded sum is normalised, which
    /// the gradient takes for X.
    /// ```
    LayerNormForward = ADJ_OP_LAYER_NORM_FORWARD (adj_layer_norm_forward_descriptor, adj_layer_norm_forward_args) {
        /// in, shape element: X
        INPUT: In = input,
        /// in, shape element; only if has_residual
        RESIDUAL: In = residual,
        /// in, optional, \[product(shape, axis)\] weight: 1 without
        GAMMA: In = gamma,
        /// in, optional, \[product(shape, axis)\] weight: 0 without
        BETA: In = beta,
        /// out, shape output; may be input or residual itself: Y; may share a buffer when the types agree
        OUT: Out = out,
        /// out, optional, shape element; only if has_residual; may be input or residual itself: X + residual
        SUM: Out = sum,
        /// out, optional, \[product(shape, 0, axis)\] accumulator(element)
        MEAN: Out = mean,
        /// out, optional, \[product(shape, 0, axis)\] accumulator(element)
        INV_STD: Out = inv_std,
    } fields {
    } pointers {
    }
    /// ```text
    /// RMS norm, of X or of X + residual; see layer norm.
    /// ```
    RmsNormForward = ADJ_OP_RMS_NORM_FORWARD (adj_rms_norm_forward_descriptor, adj_rms_norm_forward_args) {
        /// in, shape element: X
        INPUT: In = input,
        /// in, shape element; only if has_residual
        RESIDUAL: In = residual,
        /// in, optional, \[product(shape, axis)\] weight: 1 without
        GAMMA: In = gamma,
        /// out, shape output; may be input or residual itself: Y; may share a buffer when the types agree
        OUT: Out = out,
        /// out, optional, shape element; only if has_residual; may be input or residual itself: X + residual
        SUM: Out = sum,
        /// out, optional, \[product(shape, 0, axis)\] accumulator(element)
        INV_STD: Out = inv_std,
    } fields {
    } pointers {
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
        /// in, \[outer, channels, inner\] element: X
        INPUT: In = input,
        /// in, optional, \[channels\] weight: 1 without
        SCALE: In = scale,
        /// in, optional, \[channels\] weight: 0 without
        BIAS: In = bias,
        /// in, \[channels\] stats; optional if training: needed for next_running_mean
        RUNNING_MEAN: In = running_mean,
        /// in, \[channels\] stats; optional if training: needed for next_running_variance
        RUNNING_VARIANCE: In = running_variance,
        /// out, \[outer, channels, inner\] element; may be input itself: Y
        OUT: Out = out,
        /// out, optional, \[channels\] stats; only if training; may be running_mean itself
        NEXT_RUNNING_MEAN: Out = next_running_mean,
        /// out, optional, \[channels\] stats; only if training; may be running_variance itself
        NEXT_RUNNING_VARIANCE: Out = next_running_variance,
        /// out, optional, \[channels\] stats; only if training
        SAVED_MEAN: Out = saved_mean,
        /// out, optional, \[channels\] stats; only if training
        SAVED_INV_STD: Out = saved_inv_std,
    } fields {
    } pointers {
    }
    /// ```text
    /// Batch norm, gradient, with h = (x - mean[c]) * inv_std[c]:
    ///     dbias[c] = sum of dy;  dscale[c] = sum of dy * h
    ///     dx = scale[c] * inv_std[c] * (dy - dbias[c] / M - h * dscale[c] / M)
    /// frozen: statistics are the running ones, which do not depend on X: dx = scale[c] * inv_std[c] * dy.
    /// ```
    BatchNormBackward = ADJ_OP_BATCH_NORM_BACKWARD (adj_batch_norm_backward_descriptor, adj_batch_norm_backward_args) {
        /// in, \[outer, channels, inner\] element: dY
        DOUT: In = dout,
        /// in, \[outer, channels, inner\] element: X
        INPUT: In = input,
        /// in, optional, \[channels\] weight: 1 without
        SCALE: In = scale,
        /// in, \[channels\] stats; only if !frozen
        SAVED_MEAN: In = saved_mean,
        /// in, \[channels\] stats; only if !frozen
        SAVED_INV_STD: In = saved_inv_std,
        /// in, \[channels\] stats; only if frozen
        RUNNING_MEAN: In = running_mean,
        /// in, \[channels\] stats; only if frozen
        RUNNING_VARIANCE: In = running_variance,
        /// out, \[outer, channels, inner\] element; may be dout or input itself: dX
        DINPUT: Out = dinput,
        /// out, optional, \[channels\] weight
        DSCALE: Out = dscale,
        /// out, optional, \[channels\] weight
        DBIAS: Out = dbias,
    } fields {
    } pointers {
    }
    /// ```text
    /// Gradients of convolution, each on request:
    ///     dinput[n, g * C / G + c, i] = sum over m of group g and all (o, k) with i = o * s + k * d - b of dout[n, m, o] * weight[m, c, k]
    ///     dweight[m, c, k] (=|+=) sum over n and o of dout[n, m, o] * input[n, g * C / G + c, o * s + k * d - b]
    ///     dbias[m] (=|+=) sum over n and o of dout[n, m, o]
    /// ```
    ConvBackward = ADJ_OP_CONV_BACKWARD (adj_conv_backward_descriptor, adj_conv_backward_args) {
        /// in, out element
        DOUT: In = dout,
        /// in, input element; only if has_dweight
        INPUT: In = input,
        /// in, weight element; only if has_dinput
        WEIGHT: In = weight,
        /// out, input element; only if has_dinput
        DINPUT: Out = dinput,
        /// in/out, weight element; only if has_dweight; read if write_mode == accumulate
        DWEIGHT: Out = dweight,
        /// in/out, \[extent(out, channels_last ? -1 : 1)\], element; only if has_dbias; read if write_mode == accumulate
        DBIAS: Out = dbias,
    } fields {
    } pointers {
    }
    /// ```text
    /// Gradients of transposed convolution, each on request:
    ///     dinput[n, c, o] = sum over m < M / G and k of dout[n, g * M / G + m, o * s + k * d - b] * weight[c, m, k]
    ///     dweight[c, m, k] (=|+=) sum over n and o of input[n, c, o] * dout[n, g * M / G + m, o * s + k * d - b]
    ///     dbias[q] (=|+=) sum over n and i of dout[n, q, i]
    /// ```
    ConvTransposeBackward = ADJ_OP_CONV_TRANSPOSE_BACKWARD (adj_conv_transpose_backward_descriptor, adj_conv_transpose_backward_args) {
        /// in, out element
        DOUT: In = dout,
        /// in, input element; only if has_dweight
        INPUT: In = input,
        /// in, weight element; only if has_dinput
        WEIGHT: In = weight,
        /// out, input element; only if has_dinput
        DINPUT: Out = dinput,
        /// in/out, weight element; only if has_dweight; read if write_mode == accumulate
        DWEIGHT: Out = dweight,
        /// in/out, \[extent(out, channels_last ? -1 : 1)\], element; only if has_dbias; read if write_mode == accumulate
        DBIAS: Out = dbias,
    } fields {
    } pointers {
    }
    /// ```text
    /// Convolution, with i = o * s + k * d - b in every spatial dimension and g = m / (M / G):
    ///     out[n, m, o] = bias[m] + sum over c < C / G and k of input[n, g * C / G + c, i] * weight[m, c, k]
    /// ```
    ConvForward = ADJ_OP_CONV_FORWARD (adj_conv_forward_descriptor, adj_conv_forward_args) {
        /// in, input element
        INPUT: In = input,
        /// in, weight element
        WEIGHT: In = weight,
        /// in, \[extent(out, channels_last ? -1 : 1)\], element; only if has_bias
        BIAS: In = bias,
        /// out, out element
        OUT: Out = out,
    } fields {
    } pointers {
    }
    /// ```text
    /// Transposed convolution:
    ///     out[n, g * M / G + m, i] = bias[g * M / G + m] + sum over c of group g and all (o, k) with i = o * s + k * d - b of
    ///                                input[n, c, o] * weight[c, m, k]
    /// ```
    ConvTransposeForward = ADJ_OP_CONV_TRANSPOSE_FORWARD (adj_conv_transpose_forward_descriptor, adj_conv_transpose_forward_args) {
        /// in, input element
        INPUT: In = input,
        /// in, weight element
        WEIGHT: In = weight,
        /// in, \[extent(out, channels_last ? -1 : 1)\], element; only if has_bias
        BIAS: In = bias,
        /// out, out element
        OUT: Out = out,
    } fields {
    } pointers {
    }
    /// ```text
    /// Its gradient:   dinput[n, c, i] = sum over o of weight(o, i) * dout[n, c, o]
    /// ```
    ResizeBackward = ADJ_OP_RESIZE_BACKWARD (adj_resize_backward_descriptor, adj_resize_backward_args) {
        /// in, out element
        DOUT: In = dout,
        /// out, input element
        DINPUT: Out = dinput,
    } fields {
        /// as in the forward direction
        FIELD_SCALES: Reals = scales (num_scales),
    } pointers {
        scales,
    }
    /// ```text
    /// Resize:   out[n, c, o] = sum over i of weight(o, i) * input[n, c, i]
    /// ```
    ResizeForward = ADJ_OP_RESIZE_FORWARD (adj_resize_forward_descriptor, adj_resize_forward_args) {
        /// in, input element
        INPUT: In = input,
        /// out, out element
        OUT: Out = out,
    } fields {
        /// out over in, finite and \> 0
        FIELD_SCALES: Reals = scales (num_scales),
    } pointers {
        scales,
    }
    /// ```text
    /// GatherND gradient. With b = batch_dims, K = the last extent of indices, B = the product of the first b extents of dinput,
    /// M = the product of all extents of indices but the last, and L = that of the extents of dinput from b + K on:
    ///     dinput = 0 (or what it holds);   dinput[batch(m), index(m), j] += dout[m, j]   for m < M, j < L
    /// where batch(m) = m / (M / B) and index(m) = indices[m, 0], .., indices[m, K - 1] along the axes b to b + K - 1.
    /// The first b extents of dinput and indices are the same. dinput overlaps nothing.
    /// ```
    GatherNdGrad = ADJ_OP_GATHER_ND_GRAD (adj_gather_nd_grad_descriptor, adj_gather_nd_grad_args) {
        /// in, \[part(indices_shape, 0, -1), part(input_shape, batch_dims + extent(indices_shape, -1))\] element
        DOUT: In = dout,
        /// in, indices_shape index; only if !use_index_plan
        INDICES: In = indices,
        /// in/out, input_shape element; read if write_mode == accumulate
        DINPUT: Out = dinput,
        /// in/out, optional, \[1\] i64: the number of indexed slices left out is added
        ERROR_FLAG: Out = error_flag,
        /// in, \[product(indices_shape, 0, -1)\] i32; only if use_index_plan
        SORTED_ROWS: In = sorted_rows,
        /// in, \[product(indices_shape, 0, -1)\] i32; only if use_index_plan
        ORDER: In = order,
    } fields {
    } pointers {
    }
    /// ```text
    /// GatherElements gradient:
    ///     dinput = 0 (or what it holds);   dinput[i_0, .., indices[i], .., i_(r-1)] += dout[i]   for every i of indices_shape
    /// where indices[i] stands in place of i_axis. indices_shape has the rank of input_shape, and no larger extents besides that of
    /// the axis. dinput overlaps nothing.
    /// ```
    GatherElementsGrad = ADJ_OP_GATHER_ELEMENTS_GRAD (adj_gather_elements_grad_descriptor, adj_gather_elements_grad_args) {
        /// in, indices_shape element
        DOUT: In = dout,
        /// in, indices_shape index; only if !use_index_plan
        INDICES: In = indices,
        /// in/out, input_shape element; read if write_mode == accumulate
        DINPUT: Out = dinput,
        /// in/out, optional, \[1\] i64: the number of indices outside the axis is added
        ERROR_FLAG: Out = error_flag,
        /// in, \[product(indices_shape)\] i32; only if use_index_plan
        SORTED_ROWS: In = sorted_rows,
        /// in, \[product(indices_shape)\] i32; only if use_index_plan
        ORDER: In = order,
    } fields {
    } pointers {
    }
    /// ```text
    /// Addition of rows along an axis:
    ///     output = input;   output[p, indices[n], q] += source[p, n, q]
    /// for every p of the extents before the axis and q of those after it. The sum of an element begins with what input holds there.
    /// output may be input itself; otherwise it overlaps nothing.
    /// ```
    IndexAdd = ADJ_OP_INDEX_ADD (adj_index_add_descriptor, adj_index_add_args) {
        /// in, shape element
        INPUT: In = input,
        /// in, \[num_indices\] index; only if !use_index_plan
        INDICES: In = indices,
        /// in, replaced(shape, axis, num_indices) element
        SOURCE: In = source,
        /// out, shape element; may be input itself
        OUTPUT: Out = output,
        /// in/out, optional, \[1\] i64: the number of indices outside the axis is added
        ERROR_FLAG: Out = error_flag,
        /// in, \[num_indices\] i32; only if use_index_plan
        SORTED_ROWS: In = sorted_rows,
        /// in, \[num_indices\] i32; only if use_index_plan
        ORDER: In = order,
    } fields {
    } pointers {
    }
    /// ```text
    /// Slice gradient: dinput is 0, but for the elements that the slice has taken, which are those of dout:
    ///     dinput[start_0 + i_0 step_0, .., start_(r-1) + i_(r-1) step_(r-1)] = dout[i]
    /// starts, ends, axes and steps are those of ONNX Slice: negative starts, ends and axes count from the end, starts and ends are
    /// clamped to the axis, an end before the start gives an empty slice. Element k of each list belongs to axis axes[k]; without axes
    /// to axis k; without steps each is 1. Axes that are not named are taken whole. Elements are copied bit by bit.
    /// ```
    SliceGrad = ADJ_OP_SLICE_GRAD (adj_slice_grad_descriptor, adj_slice_grad_args) {
        /// in, element: the extents of the slice
        DOUT: In = dout,
        /// out, input_shape element
        DINPUT: Out = dinput,
    } fields {
    } pointers {
    }
    /// ```text
    /// Rows to their places in a padded batch:
    ///     output = 0;   output[indices[i] / length, indices[i] % length, :] = input[i, :]
    /// Indices are unique; of equal ones the last counts. Elements are copied bit by bit. Its gradient is flatten_and_unpad.
    /// ```
    PadAndUnflatten = ADJ_OP_PAD_AND_UNFLATTEN (adj_pad_and_unflatten_descriptor, adj_pad_and_unflatten_args) {
        /// in, \[num_indices, inner\] element
        INPUT: In = input,
        /// in, \[num_indices\] index
        INDICES: In = indices,
        /// out, \[batch, length, inner\] element
        OUTPUT: Out = output,
        /// in/out, optional, \[1\] i64: the number of indices outside \[0, batch \* length) is added
        ERROR_FLAG: Out = error_flag,
    } fields {
    } pointers {
    }
    /// ```text
    /// Rows of a padded batch:
    ///     output[i, :] = input[indices[i] / length, indices[i] % length, :]
    /// and zeros for an index outside [0, batch * length). Elements are copied bit by bit. Its gradient is pad_and_unflatten where
    /// indices are unique.
    /// ```
    FlattenAndUnpad = ADJ_OP_FLATTEN_AND_UNPAD (adj_flatten_and_unpad_descriptor, adj_flatten_and_unpad_args) {
        /// in, \[batch, length, inner\] element
        INPUT: In = input,
        /// in, \[num_indices\] index
        INDICES: In = indices,
        /// out, \[num_indices, inner\] element
        OUTPUT: Out = output,
        /// out, optional, host, \[2\] i64: batch and length, written by the call itself
        UNFLATTEN_DIMS: Out = unflatten_dims,
        /// in/out, optional, \[1\] i64: the number of indices outside is added
        ERROR_FLAG: Out = error_flag,
    } fields {
    } pointers {
    }
    /// ```text
    /// Consecutive parts of a tensor: part i is numel[i] elements of input from the element offsets[i] = numel[0] + .. + numel[i - 1]
    /// on. Without copies nothing is launched: the caller uses the address of input plus the offset, which is a multiple of the element
    /// size only. With copies every part is copied to a buffer of its own, none of which overlaps another or input.
    /// ```
    View = ADJ_OP_VIEW (adj_view_descriptor, adj_view_args) {
        /// in, \[total\] element
        INPUT: In = input,
        /// out, \[numel\] element; only if copies
        OUTPUTS: ListOut = outputs,
        /// out, optional, host, \[count\] i64: offsets in elements, written by the call itself
        OFFSETS: Out = offsets,
    } fields {
        /// host array of count element counts \>= 0; copied by select
        FIELD_NUMEL: Integers = numel (count),
    } pointers {
        numel,
    }
    /// ```text
    /// outputs[i] = inputs[i], a list in one launch. An output that is the very buffer of its input is left out; where all are, nothing is
    /// launched.
    /// ```
    CopyOp = ADJ_OP_COPY (adj_copy_descriptor, adj_copy_args) {
        /// in, \[numel\] element
        INPUTS: ListIn = inputs,
        /// out, \[numel\] element; may be inputs itself
        OUTPUTS: ListOut = outputs,
    } fields {
        /// host array of count element counts \>= 0; copied by select
        FIELD_NUMEL: Integers = numel (count),
    } pointers {
        numel,
    }
    /// ```text
    /// A place in the order of a stream: nothing is launched, done is set. It says that the call was reached, not that work on the stream
    /// has ended; record_event and wait_event order streams.
    /// ```
    Group = ADJ_OP_GROUP (adj_group_descriptor, adj_group_args) {
        /// in, optional, \[numel\] element: what has to be there; nothing is read
        INPUTS: ListIn = inputs,
        /// out, optional, host, \[1\] bool: true, written by the call itself
        DONE: Out = done,
    } fields {
        /// host array of count element counts \>= 0; copied by select
        FIELD_NUMEL: Integers = numel (count),
    } pointers {
        numel,
    }
    /// ```text
    /// outputs = inputs, then event is recorded: it occurs when the work that the stream has so far is done. event is a CUevent or
    /// cudaEvent_t of the stream's device on a CUDA stream, and a handle of adj_host_event_create on the host stream, where it wakes all
    /// who wait for it. Usable while the stream is being captured.
    /// ```
    RecordEvent = ADJ_OP_RECORD_EVENT (adj_record_event_descriptor, adj_record_event_args) {
        /// in, only if !skip
        EVENT: Handle = event,
        /// in, \[numel\] element
        INPUTS: ListIn = inputs,
        /// out, \[numel\] element; may be inputs itself
        OUTPUTS: ListOut = outputs,
    } fields {
        /// host array of count element counts \>= 0; copied by select
        FIELD_NUMEL: Integers = numel (count),
    } pointers {
        numel,
    }
    /// ```text
    /// The stream waits for event, as it was last recorded, then outputs = inputs. Any number of streams may wait for one event. On a CUDA
    /// stream the calling thread does not wait, and an event that was never recorded has occurred; on the host stream the thread waits until
    /// the event has been recorded since it was created or reset.
    /// ```
    WaitEvent = ADJ_OP_WAIT_EVENT (adj_wait_event_descriptor, adj_wait_event_args) {
        /// in, only if !skip
        EVENT: Handle = event,
        /// in, \[numel\] element
        INPUTS: ListIn = inputs,
        /// out, \[numel\] element; may be inputs itself
        OUTPUTS: ListOut = outputs,
    } fields {
        /// host array of count element counts \>= 0; copied by select
        FIELD_NUMEL: Integers = numel (count),
    } pointers {
        numel,
    }
    /// ```text
    /// The border between a model and the loop that trains it: outputs leave, their gradients come in. A call checks counts, types and
    /// sizes and does nothing else. Gradient j is that of the j-th output whose place is not among non_differentiable. It has the size of
    /// its output, or any size where free_shape has the place (YieldOp's full_shape_outputs has the other places).
    /// ```
    Yield = ADJ_OP_YIELD (adj_yield_descriptor, adj_yield_args) {
        /// in, \[numel\] element
        OUTPUTS: ListIn = outputs,
        /// in, element: one for each differentiable output, of its size or, with free_shape, of any
        GRADIENTS: ListIn = gradients,
    } fields {
        /// host array of count element counts \>= 0; copied by select
        FIELD_NUMEL: Integers = numel (count),
        /// host array of places among outputs, ascending; copied by select
        FIELD_NON_DIFFERENTIABLE: Integers = non_differentiable (non_differentiable_count),
        /// host array of places of differentiable outputs, ascending; copied by select
        FIELD_FREE_SHAPE: Integers = free_shape (free_shape_count),
    } pointers {
        numel,
        non_differentiable,
        free_shape,
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
    /// The code stays on the device while a plan or a bound call of it lives, and while it is among the 64 programs last selected; then it is
    /// unloaded. Keep the plan as long as a CUDA graph that captured a run.
    /// ```
    UserKernel = ADJ_OP_USER_KERNEL (adj_user_kernel_descriptor, adj_user_kernel_args) {
        /// in, \[input_numel\] element
        INPUTS: ListIn = inputs,
        /// in/out, \[output_numel\] output_element; may be inputs itself
        OUTPUTS: ListOut = outputs,
    } fields {
        /// what code_kind says; copied by select
        FIELD_CODE: Bytes = code (code_bytes),
        /// name of the kernel, as the code has it: of a C++ function the mangled one; copied by select
        FIELD_ENTRY: Text = entry,
        /// of a source: blank-separated, "N=4 FAST"; defined at the head of the source; may be null, null otherwise
        FIELD_MACROS: Text = macros,
        /// host array of input_count element counts \>= 0
        FIELD_INPUT_NUMEL: Integers = input_numel (input_count),
        /// host array of output_count element counts \>= 0
        FIELD_OUTPUT_NUMEL: Integers = output_numel (output_count),
        /// host array of integer_count arguments
        FIELD_INTEGERS: Integers = integers (integer_count),
        /// host array of real_count arguments
        FIELD_REALS: Reals = reals (real_count),
    } pointers {
        code,
        entry,
        macros,
        input_numel,
        output_numel,
        integers,
        reals,
        host,
        user,
    }
    /// ```text
    /// A C function of the caller, called by run itself on the thread that calls it. What the function puts on the stream is in stream order
    /// with what comes before and after it; the function must not wait for the stream, and while the stream is being captured it must do only
    /// what may be captured. context is a number of the caller's that one function leaves for another, such as the state that a forward
    /// function saves for its backward one. Functions are kept for as long as a plan that has them; destroy is then called once for it.
    /// ```
    Callback = ADJ_OP_CALLBACK (adj_callback_descriptor, adj_callback_args) {
        /// in, \[input_numel\] element
        INPUTS: ListIn = inputs,
        /// in/out, \[output_numel\] element; may be inputs itself
        OUTPUTS: ListOut = outputs,
        /// in/out, optional, host, \[1\] i64
        CONTEXT: Out = context,
    } fields {
        /// host array of input_count element counts \>= 0; copied by select
        FIELD_INPUT_NUMEL: Integers = input_numel (input_count),
        /// host array of output_count element counts \>= 0; copied by select
        FIELD_OUTPUT_NUMEL: Integers = output_numel (output_count),
    } pointers {
        function,
        destroy,
        user,
        input_numel,
        output_numel,
    }
    /// ```text
    /// outputs[i] = the reduction over all ranks of inputs[i].
    /// ```
    AllReduce = ADJ_OP_ALL_REDUCE (adj_all_reduce_descriptor, adj_all_reduce_args) {
        /// in, an ncclComm_t of the device; on the host stream a handle of adj_host_comm_create
        COMMUNICATOR: Handle = communicator,
        /// in, \[numel\] element
        INPUTS: ListIn = inputs,
        /// out, \[numel\] element; may be inputs itself
        OUTPUTS: ListOut = outputs,
    } fields {
        /// host array of count element counts \>= 0; copied by select
        FIELD_NUMEL: Integers = numel (count),
    } pointers {
        numel,
    }
    /// ```text
    /// Even: outputs[i] is the concatenation of the inputs[i] of all ranks, numel[i] elements each. Whole: outputs[i] is the inputs[i] of
    /// the rank that owns it. In place, inputs[i] is the part of outputs[i] that this rank brings (even), or outputs[i] itself (whole); as
    /// the part of another rank it is refused with ADJ_ERROR_ALIASING.
    /// ```
    AllGather = ADJ_OP_ALL_GATHER (adj_all_gather_descriptor, adj_all_gather_args) {
        /// in, an ncclComm_t of the device; on the host stream a handle of adj_host_comm_create
        COMMUNICATOR: Handle = communicator,
        /// in, \[numel\] element; may be a part of outputs: an entry may be the part of this rank
        INPUTS: ListIn = inputs,
        /// out, \[layout == whole ? numel : ranks \* numel\], element; may be inputs itself
        OUTPUTS: ListOut = outputs,
    } fields {
        /// host array of count element counts of the inputs \>= 0; copied by select
        FIELD_NUMEL: Integers = numel (count),
    } pointers {
        numel,
    }
    /// ```text
    /// Even: outputs[i] is this rank's part of the reduction over all ranks of inputs[i]. Whole: outputs[i] is the reduction where this rank
    /// owns tensor i, and is left as it is elsewhere. In place, outputs[i] is this rank's part of inputs[i] (even), or inputs[i] itself
    /// (whole); as the part of another rank it is refused with ADJ_ERROR_ALIASING.
    /// ```
    ReduceScatter = ADJ_OP_REDUCE_SCATTER (adj_reduce_scatter_descriptor, adj_reduce_scatter_args) {
        /// in, an ncclComm_t of the device; on the host stream a handle of adj_host_comm_create
        COMMUNICATOR: Handle = communicator,
        /// in, \[layout == whole ? numel : ranks \* numel\], element
        INPUTS: ListIn = inputs,
        /// in/out, \[numel\] element; may be inputs itself; may be a part of inputs: an entry may be the part of this rank
        OUTPUTS: ListOut = outputs,
    } fields {
        /// host array of count element counts of the outputs \>= 0; copied by select
        FIELD_NUMEL: Integers = numel (count),
    } pointers {
        numel,
    }
    /// ```text
    /// Sends tensors to another rank, where recv with the same types and counts takes them. A receiver that does not know the counts takes
    /// them first, by a call of its own for a tensor of fixed extent. On the host a copy is sent and the call does not wait.
    /// ```
    SendOp = ADJ_OP_SEND (adj_send_descriptor, adj_send_args) {
        /// in, an ncclComm_t of the device; on the host stream a handle of adj_host_comm_create
        COMMUNICATOR: Handle = communicator,
        /// in, \[numel\] element
        TENSORS: ListIn = tensors,
    } fields {
        /// host array of count element counts \>= 0; copied by select
        FIELD_NUMEL: Integers = numel (count),
    } pointers {
        numel,
    }
    /// ```text
    /// Receives what another rank sends.
    /// ```
    Recv = ADJ_OP_RECV (adj_recv_descriptor, adj_recv_args) {
        /// in, an ncclComm_t of the device; on the host stream a handle of adj_host_comm_create
        COMMUNICATOR: Handle = communicator,
        /// out, \[numel\] element
        TENSORS: ListOut = tensors,
    } fields {
        /// host array of count element counts \>= 0; copied by select
        FIELD_NUMEL: Integers = numel (count),
    } pointers {
        numel,
    }
    /// ```text
    /// tensors[i] of every rank become those of the rank root.
    /// ```
    Broadcast = ADJ_OP_BROADCAST (adj_broadcast_descriptor, adj_broadcast_args) {
        /// in, an ncclComm_t of the device; on the host stream a handle of adj_host_comm_create
        COMMUNICATOR: Handle = communicator,
        /// in/out, \[numel\] element
        TENSORS: ListOut = tensors,
    } fields {
        /// host array of count element counts \>= 0; copied by select
        FIELD_NUMEL: Integers = numel (count),
    } pointers {
        numel,
    }
    /// ```text
    /// Adasum over all ranks, 1, 2, 4, .. of them: with
    ///     adasum(a, b) = (1 - a.b / (2 a.a)) a + (1 - a.b / (2 b.b)) b,   a factor being 1 where its square a.a or b.b is below 1.5e-154,
    /// outputs[i] is adasum(adasum(r_0, r_1), adasum(r_2, r_3)), and so on, of the inputs[i] of ranks 0, 1, ..; products are per tensor.
    /// Sums of products are taken in f64, the vectors between the levels are f32 (f64 for f64), and the result is rounded once.
    /// ```
    AdasumAllReduce = ADJ_OP_ADASUM_ALL_REDUCE (adj_adasum_all_reduce_descriptor, adj_adasum_all_reduce_args) {
        /// in, an ncclComm_t of the device; on the host stream a handle of adj_host_comm_create
        COMMUNICATOR: Handle = communicator,
        /// in, \[numel\] element
        INPUTS: ListIn = inputs,
        /// out, \[numel\] element; may be inputs itself
        OUTPUTS: ListOut = outputs,
    } fields {
        /// host array of count element counts \>= 0; copied by select
        FIELD_NUMEL: Integers = numel (count),
    } pointers {
        numel,
    }
    /// ```text
    /// The beginning of a tensor-parallel block: a copy in the forward direction, the sum over all ranks in the backward one.
    /// ```
    MegatronF = ADJ_OP_MEGATRON_F (adj_megatron_f_descriptor, adj_megatron_f_args) {
        /// in, only if backward
        COMMUNICATOR: Handle = communicator,
        /// in, \[numel\] element
        INPUT: In = input,
        /// out, \[numel\] element; may be input itself
        OUTPUT: Out = output,
    } fields {
    } pointers {
    }
    /// ```text
    /// The end of a tensor-parallel block: the sum over all ranks in the forward direction, a copy in the backward one.
    /// ```
    MegatronG = ADJ_OP_MEGATRON_G (adj_megatron_g_descriptor, adj_megatron_g_args) {
        /// in, only if !backward
        COMMUNICATOR: Handle = communicator,
        /// in, \[numel\] element
        INPUT: In = input,
        /// out, \[numel\] element; may be input itself
        OUTPUT: Out = output,
    } fields {
    } pointers {
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
        /// in, \[1\] f32: not 0, a NaN included, when the step has been skipped
        FOUND_INF: In = found_inf,
        /// in/out, \[1\] f32
        SCALE: Out = scale,
        /// in/out, \[1\] i32: steps without found_inf since the scale has changed
        GROWTH_TRACKER: Out = growth_tracker,
    } fields {
    } pointers {
    }
    /// ```text
    /// Lion (Chen et al. 2023, Symbolic Discovery of Optimization Algorithms). With the gradient
    ///     g = grad / s,   s = max(grad_scale, gradient_norm / max_norm)
    ///     c = beta1 * m + (1 - beta1) * g,   m = beta2 * m + (1 - beta2) * g,   w -= lr * (sign(c) + weight_decay * w)
    /// gradient_norm is as in adam.
    /// ```
    Lion = ADJ_OP_LION (adj_lion_descriptor, adj_lion_args) {
        /// in/out, \[numel\] param: parameters w
        PARAMS: ListOut = params,
        /// in/out, \[numel\] grad; written if clear_grads
        GRADS: ListOut = grads,
        /// in/out, \[numel\] state: moment m
        EXP_AVG: ListOut = exp_avg,
        /// in/out, \[numel\] copy; only if copy
        COPIES: ListOut = copies,
        /// in, any floating-point type on the device: finite, not negative; must be given
        LR: Scalar = lr,
        /// in/out, i64 on the device; on the device if advance_step; written if advance_step: read by stochastic_rounding, then \>= 1 by value
        STEP: Scalar = step,
        /// in, i64 on the device; only if stochastic_rounding: on the device all 64 bits count; from 0 to 2^53 by value
        SEED: Scalar = seed,
        /// in, any floating-point type on the device: \> 0
        GRAD_SCALE: Scalar = grad_scale,
        /// in, any floating-point type on the device: \>= 0
        GRADIENT_NORM: Scalar = gradient_norm,
        /// in, bool on the device: 0 skips
        UPDATE_SIGNAL: Scalar = update_signal,
        /// in, optional, \[1\] f32
        FOUND_INF: In = found_inf,
        /// in/out, optional, \[1\] i64: 1 is added when gradient_norm is not finite
        ERROR_FLAG: Out = error_flag,
    } fields {
        /// host array of count element counts \>= 0; copied by select
        FIELD_NUMEL: Integers = numel (count),
        /// host array: a number from 0 to 2^32 - 1 for each tensor; equal keys draw equal bits
        FIELD_TENSOR_KEYS: Integers = tensor_keys (tensor_key_count),
        /// host array: number of each entry's first element in its tensor, from 0; with its numel at most 2^59
        FIELD_FIRST_ELEMENTS: Integers = first_elements (first_element_count),
    } pointers {
        numel,
        tensor_keys,
        first_elements,
    }
    /// ```text
    /// AdamW with moments of 8 bits. With t the step, a = 1 - beta1^t, b = 1 - beta2^t, and the gradient
    ///     g = grad / s,   s = max(grad_scale, gradient_norm / max_norm)
    ///     m = beta1 * m + (1 - beta1) * g,   v = beta2 * v + (1 - beta2) * g * g
    ///     w -= lr * ((m / a) / (sqrt(v / b) + epsilon) + weight_decay * w)
    /// gradient_norm is as in adam. The weights follow from m and v before these are rounded.
    /// ```
    Adamw8bit = ADJ_OP_ADAMW_8BIT (adj_adamw_8bit_descriptor, adj_adamw_8bit_args) {
        /// in/out, \[numel\] param: parameters w
        PARAMS: ListOut = params,
        /// in/out, \[numel\] grad; written if clear_grads
        GRADS: ListOut = grads,
        /// in/out, \[numel\] u8: bytes of the first moment m
        EXP_AVG: ListOut = exp_avg,
        /// in/out, \[ceil_div(numel, 256)\] f32: scales of m
        EXP_AVG_SCALE: ListOut = exp_avg_scale,
        /// in/out, \[numel\] u8: bytes of the second moment v
        EXP_AVG_SQ: ListOut = exp_avg_sq,
        /// in/out, \[ceil_div(numel, 256)\] f32: scales of v
        EXP_AVG_SQ_SCALE: ListOut = exp_avg_sq_scale,
        /// in/out, \[numel\] copy; only if copy
        COPIES: ListOut = copies,
        /// in, any floating-point type on the device: finite, not negative; must be given
        LR: Scalar = lr,
        /// in/out, i64 on the device; on the device if advance_step; written if advance_step: \>= 1
        STEP: Scalar = step,
        /// in, i64 on the device: of the random bits: on the device all 64 bits count; from 0 to 2^53 by value
        SEED: Scalar = seed,
        /// in, any floating-point type on the device: \> 0
        GRAD_SCALE: Scalar = grad_scale,
        /// in, any floating-point type on the device: \>= 0
        GRADIENT_NORM: Scalar = gradient_norm,
        /// in, bool on the device: 0 skips
        UPDATE_SIGNAL: Scalar = update_signal,
        /// in, optional, \[1\] f32
        FOUND_INF: In = found_inf,
        /// in/out, optional, \[1\] i64: 1 is added when the device step is below 1 or gradient_norm is not finite
        ERROR_FLAG: Out = error_flag,
    } fields {
        /// host array of count element counts \>= 0; copied by select
        FIELD_NUMEL: Integers = numel (count),
        /// host array: a number from 0 to 2^32 - 1 for each tensor; equal keys draw equal bits
        FIELD_TENSOR_KEYS: Integers = tensor_keys (tensor_key_count),
        /// host array: number of each entry's first element in its tensor, a multiple of 256 from 0; with its numel at most 2^59
        FIELD_FIRST_ELEMENTS: Integers = first_elements (first_element_count),
    } pointers {
        numel,
        tensor_keys,
        first_elements,
    }
    /// ```text
    /// Matrix product:
    ///     z = alpha op(A) op(B) + beta C + bias, the bias added to every row
    ///     d (=|+=) epilogue(z)
    ///     dbias[i] (=|+=) sum over k of op(A)[i, k]
    /// c, saved and preactivation are laid out like d. dbias, which alpha does not scale, is the gradient of a bias where A is the gradient of a result.
    /// ```
    Matmul = ADJ_OP_MATMUL (adj_matmul_descriptor, adj_matmul_args) {
        /// in, transpose_a ? \[batch, k, m\] : \[batch, m, k\], element: A as stored
        A: In = a,
        /// in, transpose_b ? \[batch, n, k\] : \[batch, k, n\], element: B as stored
        B: In = b,
        /// in, \[n\] out; only if has_bias
        BIAS: In = bias,
        /// in, \[batch, m, n\] out; only if beta != 0: laid out like d
        C: In = c,
        /// in, \[batch, m, n\] out; only if epilogue == gelu_tanh_backward: laid out like d: what the forward product wrote to preactivation
        SAVED: In = saved,
        /// in/out, \[batch, m, n\] out; read if write_mode == accumulate; may be c itself: D; what lies between its rows is kept
        D: Out = d,
        /// in/out, \[batch, m, n\] out; only if has_preactivation; read if ldd \> n \|\| stride_d \> m \* n: laid out like d; what lies between its rows is kept
        PREACTIVATION: Out = preactivation,
        /// in/out, \[m\] out; only if has_dbias; read if write_mode == accumulate
        DBIAS: Out = dbias,
    } fields {
    } pointers {
    }
    /// ```text
    /// Attention: out and lse of the formulas above.
    /// ```
    AttentionForward = ADJ_OP_ATTENTION_FORWARD (adj_attention_forward_descriptor, adj_attention_forward_args) {
        /// in, has_lengths ? \[tokens, heads, head_dim\] : \[batch, tokens, heads, head_dim\], element; or its span with q_strides
        Q: In = q,
        /// in, has_lengths ? \[tokens, (kv_heads ? kv_heads : heads), head_dim\] : \[batch, tokens, (kv_heads ? kv_heads : heads), head_dim\], element; or its span with k_strides
        K: In = k,
        /// in, has_lengths ? \[tokens, (kv_heads ? kv_heads : heads), head_dim\] : \[batch, tokens, (kv_heads ? kv_heads : heads), head_dim\], element; or its span with v_strides
        V: In = v,
        /// in, \[batch + 1\] i32; only if has_lengths
        CU_SEQLENS: In = cu_seqlens,
        /// out, has_lengths ? \[tokens, heads, head_dim\] : \[batch, tokens, heads, head_dim\], element; or its span with out_strides
        OUT: Out = out,
        /// out, has_lengths ? \[heads, tokens\] : \[batch, heads, tokens\], accumulator(element)
        LSE: Out = lse,
    } fields {
    } pointers {
    }
    /// ```text
    /// Gradients of attention. With w[i, j] = exp(s[i, j] - lse[i]) and
    ///     ds[i, j] = w[i, j] * (sum over d of dout[i, d] * v[j, d] - sum over d of dout[i, d] * out[i, d]):
    ///     dq[i, d] = scale * sum over j of ds[i, j] * k[j, d]
    ///     dk[j, d] = scale * sum over i of ds[i, j] * q[i, d]
    ///     dv[j, d] = sum over i of w[i, j] * dout[i, d]
    /// where i also runs over all heads of q that meet the head of k and v. out and lse are those of attention_forward for the same q, k and v, and
    /// the same fields.
    /// ```
    AttentionBackward = ADJ_OP_ATTENTION_BACKWARD (adj_attention_backward_descriptor, adj_attention_backward_args) {
        /// in, has_lengths ? \[tokens, heads, head_dim\] : \[batch, tokens, heads, head_dim\], element; or its span with dout_strides
        DOUT: In = dout,
        /// in, has_lengths ? \[tokens, heads, head_dim\] : \[batch, tokens, heads, head_dim\], element; or its span with q_strides
        Q: In = q,
        /// in, has_lengths ? \[tokens, (kv_heads ? kv_heads : heads), head_dim\] : \[batch, tokens, (kv_heads ? kv_heads : heads), head_dim\], element; or its span with k_strides
        K: In = k,
        /// in, has_lengths ? \[tokens, (kv_heads ? kv_heads : heads), head_dim\] : \[batch, tokens, (kv_heads ? kv_heads : heads), head_dim\], element; or its span with v_strides
        V: In = v,
        /// in, has_lengths ? \[tokens, heads, head_dim\] : \[batch, tokens, heads, head_dim\], element; or its span with out_strides
        OUT: In = out,
        /// in, has_lengths ? \[heads, tokens\] : \[batch, heads, tokens\], accumulator(element)
        LSE: In = lse,
        /// in, \[batch + 1\] i32; only if has_lengths
        CU_SEQLENS: In = cu_seqlens,
        /// out, has_lengths ? \[tokens, heads, head_dim\] : \[batch, tokens, heads, head_dim\], element; or its span with dq_strides
        DQ: Out = dq,
        /// out, has_lengths ? \[tokens, (kv_heads ? kv_heads : heads), head_dim\] : \[batch, tokens, (kv_heads ? kv_heads : heads), head_dim\], element; or its span with dk_strides
        DK: Out = dk,
        /// out, has_lengths ? \[tokens, (kv_heads ? kv_heads : heads), head_dim\] : \[batch, tokens, (kv_heads ? kv_heads : heads), head_dim\], element; or its span with dv_strides
        DV: Out = dv,
    } fields {
    } pointers {
    }
    /// ```text
    /// Rotary position embedding: out of the formulas above.
    /// ```
    RopeForward = ADJ_OP_ROPE_FORWARD (adj_rope_forward_descriptor, adj_rope_forward_args) {
        /// in, \[batch, tokens, heads + kv_heads, head_dim\] element; or its span with strides
        INPUT: In = input,
        /// in, \[batch, tokens\] position; only if position
        POSITIONS: In = positions,
        /// in, \[table_rows, (rotary_dim ? rotary_dim : head_dim) / 2\], accumulator(element); only if table_rows \> 0
        COS: In = cos,
        /// in, \[table_rows, (rotary_dim ? rotary_dim : head_dim) / 2\], accumulator(element); only if table_rows \> 0
        SIN: In = sin,
        /// in, \[head_dim\] weight; only if has_norm
        Q_WEIGHT: In = q_weight,
        /// in, \[head_dim\] weight; only if has_norm && kv_heads \> 0
        K_WEIGHT: In = k_weight,
        /// out, \[batch, tokens, heads + kv_heads, head_dim\] element; or its span with out_strides; may be input itself
        OUT: Out = out,
        /// in/out, optional, \[1\] i64: positions out of range are added to it
        ERROR_FLAG: Out = error_flag,
    } fields {
    } pointers {
    }
    /// ```text
    /// Rotary position embedding, gradient: the transpose of the rotation, then the gradient of the norm.
    ///     dz[first(j)]  = dout[first(j)] * cos[p, j] + dout[second(j)] * sin[p, j]
    ///     dz[second(j)] = dout[second(j)] * cos[p, j] - dout[first(j)] * sin[p, j],   dz[i] = dout[i] for i >= rotary_dim
    ///     dinput = dz,   with has_norm inv * (dz * weight - h * mean over the head of (dz * weight * h)),   h = input * inv
    ///     dq_weight[i] = sum over tokens and heads of queries of dz[i] * h[i];   dk_weight[i] likewise for keys
    /// The norm is taken from input again, so nothing but input has to be kept; input is then not to be overwritten by rope_forward.
    /// ```
    RopeBackward = ADJ_OP_ROPE_BACKWARD (adj_rope_backward_descriptor, adj_rope_backward_args) {
        /// in, \[batch, tokens, heads + kv_heads, head_dim\] element; or its span with dout_strides
        DOUT: In = dout,
        /// in, \[batch, tokens, heads + kv_heads, head_dim\] element; or its span with strides; only if has_norm
        INPUT: In = input,
        /// in, \[batch, tokens\] position; only if position
        POSITIONS: In = positions,
        /// in, \[table_rows, (rotary_dim ? rotary_dim : head_dim) / 2\], accumulator(element); only if table_rows \> 0
        COS: In = cos,
        /// in, \[table_rows, (rotary_dim ? rotary_dim : head_dim) / 2\], accumulator(element); only if table_rows \> 0
        SIN: In = sin,
        /// in, \[head_dim\] weight; only if has_norm
        Q_WEIGHT: In = q_weight,
        /// in, \[head_dim\] weight; only if has_norm && kv_heads \> 0
        K_WEIGHT: In = k_weight,
        /// out, \[batch, tokens, heads + kv_heads, head_dim\] element; or its span with dinput_strides; may be dout or input itself
        DINPUT: Out = dinput,
        /// in/out, \[head_dim\] weight; only if has_norm; read if write_mode == accumulate
        DQ_WEIGHT: Out = dq_weight,
        /// in/out, \[head_dim\] weight; only if has_norm && kv_heads \> 0; read if write_mode == accumulate
        DK_WEIGHT: Out = dk_weight,
        /// in/out, optional, \[1\] i64: positions out of range are added to it
        ERROR_FLAG: Out = error_flag,
    } fields {
    } pointers {
    }
    /// ```text
    /// Transpose of matrices:   output[b, c, r] = input[b, r, c]
    /// ```
    Transpose = ADJ_OP_TRANSPOSE (adj_transpose_descriptor, adj_transpose_args) {
        /// in, \[batch, rows, columns\] element
        INPUT: In = input,
        /// out, \[batch, columns, rows\] element
        OUTPUT: Out = output,
    } fields {
    } pointers {
    }
    /// ```text
    /// Fill:   out[i] = value, rounded once
    /// ```
    Fill = ADJ_OP_FILL (adj_fill_descriptor, adj_fill_args) {
        /// in, f32 or f64 on the device
        VALUE: Scalar = value,
        /// out, \[numel\] element
        OUT: Out = out,
    } fields {
    } pointers {
    }
    /// ```text
    /// Normal:   out[e] = mean + std * n(e), rounded once
    /// ```
    Normal = ADJ_OP_NORMAL (adj_normal_descriptor, adj_normal_args) {
        /// in, f32 or f64 on the device
        MEAN: Scalar = mean,
        /// in, f32 or f64 on the device
        STD: Scalar = std,
        /// in, seed and offset, must be given
        RANDOM: Random = random,
        /// out, \[numel\] element
        OUT: Out = out,
    } fields {
    } pointers {
    }
}

tensor_operators! { EmbeddingForward, EmbeddingBackward, SoftmaxCrossEntropyLoss, SoftmaxCrossEntropyLossBackward, SoftmaxBackward,
    LogSoftmaxBackward, GatherGrad, EmbeddingBagForward, EmbeddingBagBackward, EmbeddingBagPerSampleWeightsBackward, IndexPlan,
    ActivationBackward, ActivationForward, GatedActivationBackward, GatedActivationForward, DivBackward, GistEncode, GistDecode,
    FakeQuantizeForward, FakeQuantizeBackward, DropoutForward, DropoutBackward, BiasSoftmaxDropoutForward, SoftmaxDropoutBackward,
    SoftmaxForward, LogSoftmaxForward, SoftLabelCrossEntropyLoss, SoftLabelCrossEntropyLossBackward, CrossEntropyWithGradient,
    LogProbEntropy, LogProbEntropyBackward, Reduce, LayerNormBackward, RmsNormBackward, LayerNormForward, RmsNormForward,
    BatchNormForward, BatchNormBackward, ConvBackward, ConvTransposeBackward, ConvForward, ConvTransposeForward, GatherNdGrad,
    GatherElementsGrad, IndexAdd, SliceGrad, PadAndUnflatten, FlattenAndUnpad, MegatronF, MegatronG, UpdateLossScale, Matmul,
    AttentionForward, AttentionBackward, RopeForward, RopeBackward, Transpose, Fill, Normal }
list_operators! { Sgd(count, numel), Concat(count, lengths), Split(count, lengths), ClipGradNorm(count, numel),
    IsFinite(count, numel), AllFinite(count, numel), All(count, numel), Scale(count, numel), Zero(count, numel),
    Accumulate(count, numel), ScaledSum(count, numel), L2Norm(count, numel), View(count, numel), CopyOp(count, numel),
    Group(count, numel), RecordEvent(count, numel), WaitEvent(count, numel), AllReduce(count, numel), AllGather(count, numel),
    ReduceScatter(count, numel), SendOp(count, numel), Recv(count, numel), Broadcast(count, numel), AdasumAllReduce(count, numel) }
