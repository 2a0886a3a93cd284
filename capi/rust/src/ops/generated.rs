// Written by tools/generate.py from the C headers. Do not edit.
use super::*;
#[allow(unused_imports)] // not every kind of argument and of field need occur
use crate::{Bytes, Handle, In, Integers, ListIn, ListOut, Out, Random, RandomOut, Reals, Scalar, ScalarOut, Text};

operators! {
    /// ```text
    /// Embedding forward:   out[n, :] = weight[indices[n], :], a bit-exact copy.
    ///
    /// An index outside [0, num_embeddings) (negative ones included: there is no wrap-around) yields a row of zeros and is
    /// counted in error_flag. padding_idx is not special in the forward direction unless padding_zeroes_forward is set.
    ///
    /// Its gradient: embedding_backward(dout, indices, scale_grad_by_freq).
    /// ```
    ///
    /// What holds for all operators of its family, embedding: [`Operator::conventions`].
    EmbeddingForward: EMBEDDING_FORWARD (EmbeddingForwardDescriptor = adj_embedding_forward_descriptor, EmbeddingForwardArgs = adj_embedding_forward_args) {
        /// in, \[num_embeddings, embedding_dim\] element
        [0] WEIGHT: In = weight,
        /// in, \[num_indices\] index
        [1] INDICES: In = indices,
        /// out, \[num_indices, embedding_dim\] element
        [2] OUT: Out = out,
        /// in/out, optional, \[1\] i64: out-of-range indices are added to it
        [3] ERROR_FLAG: Out = error_flag,
    } fields {
    } pointers {
    }
    /// ```text
    /// Embedding backward:   dweight[r, :] (=|+=) s_r * sum over n with indices[n] == r of dout[n, :]
    ///     s_r = 1, or 1 / (number of such n) with scale_grad_by_freq
    ///
    /// Types. 16-bit types accumulate in f32 and are rounded once. The addends are taken in a fixed order that depends on the indices alone.
    ///
    /// In place. dout and dweight must not overlap.
    ///
    /// Edge cases:
    /// - Rows of padding_idx get no gradient: they are zero when overwriting and unchanged when accumulating.
    /// - Indices outside [0, num_embeddings) are skipped and counted in error_flag.
    ///
    /// Workspace on a device. None for up to 1024 indices into a dweight of up to 16 MB. Other calls sort the indices: at most 16 N + 516 Ki bytes and,
    /// beyond 127 indices, D accumulators (f32, or f64 for f64) for every 64 indices. V is then at most 2^32 - 2.
    ///
    /// Index plans. With use_index_plan the call takes sorted_rows and order in place of indices: what index_plan gave for the same V and N.
    /// - Nothing is sorted, and 2 N + 1024 bytes of workspace take the place of 16 N + 516 Ki.
    /// - Positions that the plan leaves out get no gradient, so has_padding_idx must be 0. The plan has counted them, so error_flag stays as it is.
    /// - The bits are those of the same SKU without a plan.
    /// - Contents that index_plan did not write for this V and N give an unspecified dweight. Nothing is read or written outside the buffers.
    ///
    /// Without determinism. A preference of determinism none may take a kernel that adds to dweight in memory, in the order in which additions arrive.
    /// - It serves f32 and f64, since 16-bit sums would be rounded at every addition, up to 65536 indices, and neither scale_grad_by_freq nor
    ///   use_index_plan.
    /// - n additions to an element are up to n roundings. The guarantee states the bound for the most.
    /// - In f32 it takes numbers and intermediate sums below 2^-126 in magnitude for zero. The bound leaves that out, and ADJ_MATH_IEEE excludes it.
    /// - It needs no workspace. It is chosen where there are few addends, and few that share a row; preference.sku = "embedding_backward/atomic*"
    ///   forces it.
    /// ```
    ///
    /// What holds for all operators of its family, embedding: [`Operator::conventions`].
    EmbeddingBackward: EMBEDDING_BACKWARD (EmbeddingBackwardDescriptor = adj_embedding_backward_descriptor, EmbeddingBackwardArgs = adj_embedding_backward_args) {
        /// in, \[num_indices, embedding_dim\] element
        [0] DOUT: In = dout,
        /// in, \[num_indices\] index; only if !use_index_plan
        [1] INDICES: In = indices,
        /// in/out, \[num_embeddings, embedding_dim\] element; read if write_mode == accumulate
        [2] DWEIGHT: Out = dweight,
        /// in/out, optional, \[1\] i64: out-of-range indices are added to it
        [3] ERROR_FLAG: Out = error_flag,
        /// in, \[num_indices\] i32; only if use_index_plan
        [4] SORTED_ROWS: In = sorted_rows,
        /// in, \[num_indices\] i32; only if use_index_plan
        [5] ORDER: In = order,
    } fields {
    } pointers {
    }
    /// ```text
    /// Softmax cross-entropy loss, forward:
    ///     log_prob[n, c, d] = scores[n, c, d] - logsumexp over c of scores[n, :, d]
    ///     none: loss_i = -log_prob[l_i] * w_i (exactly 0 where ignored)      sum: their sum
    ///     mean: their sum / Z, Z = sum of w_i; 0 when Z == 0 (NaN with nan_when_empty)
    ///
    /// Its gradient: softmax_cross_entropy_loss_backward(dloss, scores, lse, labels, weight, sample_weight).
    /// ```
    ///
    /// What holds for all operators of its family, loss: [`Operator::conventions`].
    SoftmaxCrossEntropyLoss: SOFTMAX_CROSS_ENTROPY_LOSS (SoftmaxCrossEntropyLossDescriptor = adj_softmax_cross_entropy_loss_descriptor, SoftmaxCrossEntropyLossArgs = adj_softmax_cross_entropy_loss_args) {
        /// in, \[batch, (padded_classes ? padded_classes : num_classes), inner\], element
        [0] SCORES: In = scores,
        /// in, \[batch, inner\] label
        [1] LABELS: In = labels,
        /// in, \[num_classes\] weight; only if weight
        [2] WEIGHT: In = weight,
        /// out, reduction == none ? \[batch, inner\] : \[1\], output
        [3] LOSS: Out = loss,
        /// out, optional, \[batch, num_classes, inner\] output; only if !(padded_classes \> num_classes); may be scores itself: may share its buffer when the types agree
        [4] LOG_PROB: Out = log_prob,
        /// out, optional, \[batch, inner\] accumulator(element): logsumexp, for the gradient
        [5] LSE: Out = lse,
        /// in/out, optional, \[1\] i64: out-of-range labels are added to it
        [6] ERROR_FLAG: Out = error_flag,
        /// in, \[batch, inner\] sample_weight; only if sample_weight
        [7] SAMPLE_WEIGHT: In = sample_weight,
    } fields {
    } pointers {
    }
    /// ```text
    /// Softmax cross-entropy loss, gradient:
    ///     dscores[n, c, d] = g_i * w_i * (exp(log_prob[n, c, d]) - [c == l_i]) / Z + bias[n, c, d]
    ///     g = dloss: a scalar for mean and sum, one per sample for none
    ///     Z = sum of w_i for mean, else 1; where Z == 0 the first summand is 0
    ///
    /// Arguments. Give either log_prob, or scores and the lse that the forward operator saved, which is more precise and has less traffic. bias is
    /// another gradient flowing into the scores. It is added before the one rounding. The first summand of an ignored sample is exactly 0.
    /// ```
    ///
    /// What holds for all operators of its family, loss: [`Operator::conventions`].
    SoftmaxCrossEntropyLossBackward: SOFTMAX_CROSS_ENTROPY_LOSS_BACKWARD (SoftmaxCrossEntropyLossBackwardDescriptor = adj_softmax_cross_entropy_loss_backward_descriptor, SoftmaxCrossEntropyLossBackwardArgs = adj_softmax_cross_entropy_loss_backward_args) {
        /// in, reduction == none ? \[batch, inner\] : \[1\], element
        [0] DLOSS: In = dloss,
        /// in, \[batch, (padded_classes ? padded_classes : num_classes), inner\], element; only if !from_scores
        [1] LOG_PROB: In = log_prob,
        /// in, \[batch, (padded_classes ? padded_classes : num_classes), inner\], element; only if from_scores
        [2] SCORES: In = scores,
        /// in, \[batch, inner\] accumulator(element); only if from_scores
        [3] LSE: In = lse,
        /// in, \[batch, inner\] label
        [4] LABELS: In = labels,
        /// in, \[num_classes\] weight; only if weight
        [5] WEIGHT: In = weight,
        /// in, optional, \[batch, (padded_classes ? padded_classes : num_classes), inner\], output
        [6] BIAS: In = bias,
        /// out, \[batch, (padded_classes ? padded_classes : num_classes), inner\], output; may be log_prob, scores or bias itself: may share a buffer when the types agree
        [7] DSCORES: Out = dscores,
        /// in/out, optional, \[1\] i64: out-of-range labels are added to it
        [8] ERROR_FLAG: Out = error_flag,
        /// in, \[batch, inner\] sample_weight; only if sample_weight
        [9] SAMPLE_WEIGHT: In = sample_weight,
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
    ///
    /// A call skips when update_signal is 0, when found_inf is not 0, or when gradient_norm is not finite; that is an error by value, and on
    /// the device is counted in error_flag. It then does what a call of adam does that skips.
    ///
    /// Error terms: g: G = |grad / s| + |weight_decay * w|;  buf: B = |momentum * buf| + |1 - dampening| * G, or G with first_step;  update and w:
    /// lr * G, lr * B with momentum, lr * (G + momentum * B) with nesterov.
    /// ```
    ///
    /// What holds for all operators of its family, optimizer: [`Operator::conventions`].
    Sgd: SGD (SgdDescriptor = adj_sgd_descriptor, SgdArgs = adj_sgd_args) {
        /// in/out, \[numel\] param; written if !out_of_place && !keep_params: parameters w
        [0] PARAMS: ListOut = params,
        /// in/out, \[numel\] grad; written if clear_grads
        [1] GRADS: ListOut = grads,
        /// in/out, \[numel\] state; only if state; written if !out_of_place
        [2] MOMENTUM_BUFFERS: ListOut = momentum_buffers,
        /// in/out, \[numel\] copy; only if copy: a call that skips leaves it as it is
        [3] COPIES: ListOut = copies,
        /// out, \[numel\] param; only if out_of_place && !keep_params; may be params itself
        [4] NEW_PARAMS: ListOut = new_params,
        /// out, \[numel\] state; only if out_of_place && state; may be momentum_buffers itself
        [5] NEW_MOMENTUM_BUFFERS: ListOut = new_momentum_buffers,
        /// out, \[numel\] grad; only if updates; may be grads itself
        [6] UPDATES: ListOut = updates,
        /// in, any floating-point type on the device: finite, not negative; must be given
        [7] LR: Scalar = lr,
        /// in, any floating-point type on the device: not 0
        [8] GRAD_SCALE: Scalar = grad_scale,
        /// in, any floating-point type on the device: \>= 0
        [9] GRADIENT_NORM: Scalar = gradient_norm,
        /// in, bool on the device: 0 skips
        [10] UPDATE_SIGNAL: Scalar = update_signal,
        /// in, optional, \[1\] f32
        [11] FOUND_INF: In = found_inf,
        /// in/out, optional, \[1\] i64: 1 is added when gradient_norm is not finite
        [12] ERROR_FLAG: Out = error_flag,
    } fields {
        /// host array of count element counts; copied by select; \>= 0
        FIELD_NUMEL: Integers = numel (count),
    } pointers {
        numel,
    }
    /// ```text
    /// Softmax gradient, out being the softmax itself:
    ///     dinput[n, c, d] = out[n, c, d] * (dout[n, c, d] - sum over k of dout[n, k, d] * out[n, k, d])
    /// ```
    ///
    /// What holds for all operators of its family, softmax: [`Operator::conventions`].
    SoftmaxBackward: SOFTMAX_BACKWARD (SoftmaxBackwardDescriptor = adj_softmax_backward_descriptor, SoftmaxBackwardArgs = adj_softmax_backward_args) {
        /// in, \[outer, extent, inner\] element
        [0] DOUT: In = dout,
        /// in, \[outer, extent, inner\] element: the result of the forward operator
        [1] OUT: In = out,
        /// out, \[outer, extent, inner\] element; may be dout or out itself
        [2] DINPUT: Out = dinput,
    } fields {
    } pointers {
    }
    /// ```text
    /// Log-softmax gradient, out being the log-softmax itself:
    ///     dinput[n, c, d] = dout[n, c, d] - exp(out[n, c, d]) * sum over k of dout[n, k, d]
    /// ```
    ///
    /// What holds for all operators of its family, softmax: [`Operator::conventions`].
    LogSoftmaxBackward: LOG_SOFTMAX_BACKWARD (LogSoftmaxBackwardDescriptor = adj_log_softmax_backward_descriptor, LogSoftmaxBackwardArgs = adj_log_softmax_backward_args) {
        /// in, \[outer, extent, inner\] element
        [0] DOUT: In = dout,
        /// in, \[outer, extent, inner\] element: the result of the forward operator
        [1] OUT: In = out,
        /// out, \[outer, extent, inner\] element; may be dout or out itself
        [2] DINPUT: Out = dinput,
    } fields {
    } pointers {
    }
    /// ```text
    /// Concat:   output[p, o_i + a, n] = inputs[i][p, a, n],   o_i = lengths[0] + .. + lengths[i - 1]
    ///
    /// Inputs may overlap each other, not the output.
    /// ```
    ///
    /// What holds for all operators of its family, concat: [`Operator::conventions`].
    Concat: CONCAT (ConcatDescriptor = adj_concat_descriptor, ConcatArgs = adj_concat_args) {
        /// in, \[outer, lengths, inner\] element
        [0] INPUTS: ListIn = inputs,
        /// out, \[outer, sum(lengths), inner\] element
        [1] OUTPUT: Out = output,
        /// out, optional, host, \[count\] i64: the lengths, written by the call itself before it returns (a replayed graph does not write them again)
        [2] LENGTHS_OUT: Out = lengths_out,
    } fields {
        /// host array of count lengths; copied by select; \>= 0; refused if count \< 1: needs at least 1 entry
        FIELD_LENGTHS: Integers = lengths (count),
    } pointers {
        lengths,
    }
    /// ```text
    /// Split:   outputs[i][p, a, n] = input[p, o_i + a, n],   o_i = lengths[0] + .. + lengths[i - 1]
    ///
    /// No output may overlap another or the input.
    /// ```
    ///
    /// What holds for all operators of its family, concat: [`Operator::conventions`].
    Split: SPLIT (SplitDescriptor = adj_split_descriptor, SplitArgs = adj_split_args) {
        /// in, \[outer, sum(lengths), inner\] element
        [0] INPUT: In = input,
        /// out, \[outer, lengths, inner\] element
        [1] OUTPUTS: ListOut = outputs,
    } fields {
        /// host array of count lengths; copied by select; \>= 0; refused if count \< 1: needs at least 1 entry
        FIELD_LENGTHS: Integers = lengths (count),
    } pointers {
        lengths,
    }
    /// ```text
    /// Gather gradient, the gradient of out = Gather(input, indices, axis) in input:
    ///     dinput[o, r, i] (=|+=) sum over n with row(indices[n]) == r of dout[o, n, i]
    ///     row(x) = x, or x + extent when x is negative
    ///
    /// Arguments. outer is the product of the extents of input before the axis, extent that of the axis, inner the product of those after it, and
    /// num_indices the product of the extents of indices. dout is [outer, indices..., inner].
    ///
    /// Types. 16-bit types accumulate in f32 and are rounded once. The addends are taken in a fixed order that depends on the indices alone, or with
    /// determinism none as in embedding_backward.
    ///
    /// In place. dout and dinput must not overlap.
    ///
    /// Edge cases:
    /// - An index outside [-extent, extent) is skipped and counted in error_flag, once, whatever outer is.
    /// - Rows that no index names are zero when overwriting and unchanged when accumulating.
    ///
    /// Workspace and the most rows on a device are those of embedding_backward, with outer * inner for D. Only where outer is 1 can no workspace be needed.
    ///
    /// Index plans. use_index_plan is as in embedding_backward, with extent for V. wrap_negative in the plan's descriptor lets negative indices count from
    /// the end.
    /// ```
    ///
    /// What holds for all operators of its family, embedding: [`Operator::conventions`].
    GatherBackward: GATHER_BACKWARD (GatherBackwardDescriptor = adj_gather_backward_descriptor, GatherBackwardArgs = adj_gather_backward_args) {
        /// in, \[outer, num_indices, inner\] element
        [0] DOUT: In = dout,
        /// in, \[num_indices\] index; only if !use_index_plan
        [1] INDICES: In = indices,
        /// in/out, \[outer, extent, inner\] element; read if write_mode == accumulate
        [2] DINPUT: Out = dinput,
        /// in/out, optional, \[1\] i64: out-of-range indices are added to it
        [3] ERROR_FLAG: Out = error_flag,
        /// in, \[num_indices\] i32; only if use_index_plan
        [4] SORTED_ROWS: In = sorted_rows,
        /// in, \[num_indices\] i32; only if use_index_plan
        [5] ORDER: In = order,
    } fields {
    } pointers {
    }
    /// ```text
    /// EmbeddingBag forward, over the positions n of bag b that take part:
    ///     sum    out[b, :] = sum of per_sample_weights[n] * weight[indices[n], :], with weights of 1 when they are absent
    ///     mean   out[b, :] = sum of weight[indices[n], :] / number of such n
    ///     max    out[b, c] = max of weight[indices[n], c];  max_positions[b, c] = the first n that has it
    ///
    /// Types. 16-bit types accumulate in f32 and are rounded once. max is exact. The order of additions depends on the shape alone.
    ///
    /// Edge cases:
    /// - A bag without positions that take part gives zeros, and -1 in max_positions.
    /// - Where there is a NaN, the first one is the maximum.
    ///
    /// Its gradient: embedding_bag_backward(dout, indices, offsets, per_sample_weights, max_positions, scale_grad_by_freq).
    /// ```
    ///
    /// What holds for all operators of its family, embedding_bag: [`Operator::conventions`].
    EmbeddingBagForward: EMBEDDING_BAG_FORWARD (EmbeddingBagForwardDescriptor = adj_embedding_bag_forward_descriptor, EmbeddingBagForwardArgs = adj_embedding_bag_forward_args) {
        /// in, \[num_embeddings, embedding_dim\] element
        [0] WEIGHT: In = weight,
        /// in, has_offsets ? \[num_indices\] : \[num_bags, num_indices / num_bags\], index
        [1] INDICES: In = indices,
        /// in, \[num_bags + include_last_offset\] index; only if has_offsets
        [2] OFFSETS: In = offsets,
        /// in, has_offsets ? \[num_indices\] : \[num_bags, num_indices / num_bags\], element; only if has_per_sample_weights
        [3] PER_SAMPLE_WEIGHTS: In = per_sample_weights,
        /// out, \[num_bags, embedding_dim\] element
        [4] OUT: Out = out,
        /// out, optional, \[num_bags, embedding_dim\] i32; only if mode == max
        [5] MAX_POSITIONS: Out = max_positions,
        /// in/out, optional, \[1\] i64: bad offsets and indices are added to it
        [6] ERROR_FLAG: Out = error_flag,
    } fields {
    } pointers {
    }
    /// ```text
    /// EmbeddingBag backward to the weight, over the positions n that take part with indices[n] == r, bag(n) being the bag of n:
    ///     sum    dweight[r, :] (=|+=) s_r * sum of per_sample_weights[n] * dout[bag(n), :]
    ///     mean   dweight[r, :] (=|+=) s_r * sum of dout[bag(n), :] / number of positions of bag(n) that take part
    ///     max    dweight[r, c] (=|+=) sum of dout[bag(n), c] over those n that are max_positions[bag(n), c]
    ///     s_r = 1, or 1 / (number of such n) with scale_grad_by_freq, which max does not have
    ///
    /// Types. Accumulation and order are those of embedding_backward. max_positions are compared, never used as addresses. Terms: |s_r| times |addends|.
    ///
    /// In place. dweight must not overlap an input.
    ///
    /// Edge cases:
    /// - Rows of padding_idx get no gradient: they are zero when overwriting and unchanged when accumulating.
    ///
    /// Workspace on a device: 4 N bytes with offsets, and B accumulators for the mean. Where embedding_backward sorts: what it takes, 4 N bytes more, and N
    /// accumulators for the mean and with per_sample_weights.
    ///
    /// Without determinism. Determinism none is as in embedding_backward. max adds once for every bag and column, so its kernel serves up to 65536 bags
    /// with any number of indices.
    ///
    /// Index plans. use_index_plan is as in embedding_backward. offsets, per_sample_weights and max_positions are given all the same, and error_flag counts
    /// bad offsets alone. The plan knows no bags:
    /// - s_r counts all positions of row r in the plan, also those in no bag.
    /// - Where bad offsets let bags overlap, the mean counts a position for the last of them only.
    /// ```
    ///
    /// What holds for all operators of its family, embedding_bag: [`Operator::conventions`].
    EmbeddingBagBackward: EMBEDDING_BAG_BACKWARD (EmbeddingBagBackwardDescriptor = adj_embedding_bag_backward_descriptor, EmbeddingBagBackwardArgs = adj_embedding_bag_backward_args) {
        /// in, \[num_bags, embedding_dim\] element
        [0] DOUT: In = dout,
        /// in, has_offsets ? \[num_indices\] : \[num_bags, num_indices / num_bags\], index; only if !use_index_plan
        [1] INDICES: In = indices,
        /// in, \[num_bags + include_last_offset\] index; only if has_offsets
        [2] OFFSETS: In = offsets,
        /// in, has_offsets ? \[num_indices\] : \[num_bags, num_indices / num_bags\], element; only if has_per_sample_weights
        [3] PER_SAMPLE_WEIGHTS: In = per_sample_weights,
        /// in, \[num_bags, embedding_dim\] i32; only if mode == max: from the forward direction
        [4] MAX_POSITIONS: In = max_positions,
        /// in/out, \[num_embeddings, embedding_dim\] element; read if write_mode == accumulate
        [5] DWEIGHT: Out = dweight,
        /// in/out, optional, \[1\] i64: bad offsets and indices are added to it
        [6] ERROR_FLAG: Out = error_flag,
        /// in, \[num_indices\] i32; only if use_index_plan
        [7] SORTED_ROWS: In = sorted_rows,
        /// in, \[num_indices\] i32; only if use_index_plan
        [8] ORDER: In = order,
    } fields {
    } pointers {
    }
    /// ```text
    /// Gradient of sum's per_sample_weights:   dper_sample_weights[n] = dot(dout[bag(n), :], weight[indices[n], :])
    ///
    /// Types. 16-bit types accumulate in f32 and are rounded once. The order of additions depends on the shape alone.
    ///
    /// Edge cases:
    /// - A position that does not take part, or is in no bag, gets 0.
    /// ```
    ///
    /// What holds for all operators of its family, embedding_bag: [`Operator::conventions`].
    EmbeddingBagPerSampleWeightsBackward: EMBEDDING_BAG_PER_SAMPLE_WEIGHTS_BACKWARD (EmbeddingBagPerSampleWeightsBackwardDescriptor = adj_embedding_bag_per_sample_weights_backward_descriptor, EmbeddingBagPerSampleWeightsBackwardArgs = adj_embedding_bag_per_sample_weights_backward_args) {
        /// in, \[num_bags, embedding_dim\] element
        [0] DOUT: In = dout,
        /// in, \[num_embeddings, embedding_dim\] element
        [1] WEIGHT: In = weight,
        /// in, has_offsets ? \[num_indices\] : \[num_bags, num_indices / num_bags\], index
        [2] INDICES: In = indices,
        /// in, \[num_bags + include_last_offset\] index; only if has_offsets
        [3] OFFSETS: In = offsets,
        /// out, has_offsets ? \[num_indices\] : \[num_bags, num_indices / num_bags\], element
        [4] DPER_SAMPLE_WEIGHTS: Out = dper_sample_weights,
        /// in/out, optional, \[1\] i64: bad offsets and indices are added to it
        [5] ERROR_FLAG: Out = error_flag,
    } fields {
    } pointers {
    }
    /// ```text
    /// Index plan: the positions of indices, stably sorted by the rows that the indices name.
    ///     sorted_rows[i]   the row of the i-th position in that order, ascending; V for positions that take no part, which come last
    ///     order[i]         the position itself; ascending among those of one row, and among those that take no part
    ///
    /// Arguments. `positions` says what a row is:
    /// - Rows: index x names row x, or x + V when it is negative and wrap_negative is set. A position takes no part when its index is then outside
    ///   [0, V), which is counted in error_flag, or is padding_idx.
    /// - Slices and elements: the rows are those that gather_nd_backward and gather_elements_backward (ops/index.h) add to, of the same input_shape and
    ///   indices_shape: slices of dinput, or single elements of it. Negative indices count from the end. A position with an index outside its axis takes
    ///   no part and is counted.
    ///
    /// Use. Gradients that sum by row take the results in place of indices and sort nothing: use_index_plan of embedding_backward,
    /// embedding_bag_backward, gather_backward, gather_nd_backward, gather_elements_backward and index_add. One plan serves any number of them with the
    /// same V and N, of any element type and width: the tables and layers that look up the same indices, and every step for which these stay as they are.
    /// Embeddings with padding_idx take a plan with the same padding_idx; gather_backward and index_add take one with wrap_negative.
    ///
    /// Results. order is a permutation of 0 ... N - 1. Both results follow from the indices alone: exactly, on every backend.
    ///
    /// In place. Neither result may overlap the other one or indices.
    ///
    /// Edge cases:
    /// - With N = 0 nothing is launched.
    ///
    /// Workspace on a device: none up to 4096 indices; else 8 N bytes and at most 512 KB; for slices and elements 8 N bytes more.
    /// ```
    ///
    /// What holds for all operators of its family, embedding: [`Operator::conventions`].
    IndexPlan: INDEX_PLAN (IndexPlanDescriptor = adj_index_plan_descriptor, IndexPlanArgs = adj_index_plan_args) {
        /// in, positions != rows ? indices_shape : \[num_indices\], index
        [0] INDICES: In = indices,
        /// out, \[num_indices\] i32
        [1] SORTED_ROWS: Out = sorted_rows,
        /// out, \[num_indices\] i32
        [2] ORDER: Out = order,
        /// in/out, optional, \[1\] i64: out-of-range indices are added to it
        [3] ERROR_FLAG: Out = error_flag,
    } fields {
    } pointers {
    }
    /// ```text
    /// Gradient of an activation function:
    ///     dinput = dout * f'(z),  z = saved + bias as in the forward operator, or f'(z) taken from the saved f(z)
    ///     dbias[i] (=|+=) sum over the rows of dinput[row, i]
    /// dbias is the gradient of bias, and may be asked for without a bias. It adds unrounded elements in f32 (f64 for f64), in an order that follows from
    /// the shape and the element type, and is rounded once.
    /// ```
    ///
    /// What holds for all operators of its family, activation: [`Operator::conventions`].
    ActivationBackward: ACTIVATION_BACKWARD (ActivationBackwardDescriptor = adj_activation_backward_descriptor, ActivationBackwardArgs = adj_activation_backward_args) {
        /// in, \[outer, inner\] element
        [0] DOUT: In = dout,
        /// in, \[outer, inner\] element: the input or the output of the forward operator
        [1] SAVED: In = saved,
        /// in, \[inner\] element; only if has_bias
        [2] BIAS: In = bias,
        /// out, \[outer, inner\] element; may be dout or saved itself
        [3] DINPUT: Out = dinput,
        /// in/out, \[inner\] element; only if has_dbias; read if write_mode == accumulate
        [4] DBIAS: Out = dbias,
    } fields {
    } pointers {
    }
    /// ```text
    /// Activation function: out = f(z), z = input + bias, a sum that is rounded to f32 (f64 for f64).
    ///
    /// Its gradient: activation_backward(dout, saved = out | input, bias).
    /// ```
    ///
    /// What holds for all operators of its family, activation: [`Operator::conventions`].
    ActivationForward: ACTIVATION_FORWARD (ActivationForwardDescriptor = adj_activation_forward_descriptor, ActivationForwardArgs = adj_activation_forward_args) {
        /// in, \[outer, inner\] element
        [0] INPUT: In = input,
        /// in, \[inner\] element; only if has_bias
        [1] BIAS: In = bias,
        /// out, \[outer, inner\] element; may be input itself
        [2] OUT: Out = out,
    } fields {
    } pointers {
    }
    /// ```text
    /// Gradient of a gated activation, laid out like its input:
    ///     dgate = dout * linear * f'(gate),  dlinear = dout * f(gate)
    /// The terms of dgate are those of f' times |dout * linear|, those of dlinear the terms of f times |dout|.
    /// ```
    ///
    /// What holds for all operators of its family, activation: [`Operator::conventions`].
    GatedActivationBackward: GATED_ACTIVATION_BACKWARD (GatedActivationBackwardDescriptor = adj_gated_activation_backward_descriptor, GatedActivationBackwardArgs = adj_gated_activation_backward_args) {
        /// in, \[outer, inner\] element
        [0] DOUT: In = dout,
        /// in, \[outer, 2 \* inner\] element: what the forward operator got
        [1] INPUT: In = input,
        /// out, \[outer, 2 \* inner\] element; may be input itself
        [2] DINPUT: Out = dinput,
    } fields {
    } pointers {
    }
    /// ```text
    /// Gated activation: out[n, i] = f(gate[n, i]) * linear[n, i]. The terms of an output are those of f times |linear|.
    ///
    /// Its gradient: gated_activation_backward(dout, input).
    /// ```
    ///
    /// What holds for all operators of its family, activation: [`Operator::conventions`].
    GatedActivationForward: GATED_ACTIVATION_FORWARD (GatedActivationForwardDescriptor = adj_gated_activation_forward_descriptor, GatedActivationForwardArgs = adj_gated_activation_forward_args) {
        /// in, \[outer, 2 \* inner\] element
        [0] INPUT: In = input,
        /// out, \[outer, inner\] element
        [1] OUT: Out = out,
    } fields {
    } pointers {
    }
    /// ```text
    /// Gradients of a / b, where both are broadcast to one shape by numpy's rules (aligned at the last dimension; a dimension of one element and a missing
    /// one repeat):
    ///     da = sum of dout / b               over the dimensions along which a repeats
    ///     db = sum of -(dout / b) * (a / b)  over the dimensions along which b repeats
    ///
    /// Types. Quotients are formed in f32 (f64 for f64), and sums are rounded once, at the end. The order of additions depends on the shapes and the element
    /// type alone. Nothing of the broadcast shape is stored.
    ///
    /// Edge cases:
    /// - A division by 0 follows IEEE arithmetic.
    /// - Where no element is summed, a gradient is 0.
    ///
    /// Terms (see adj_guarantee) of an element: its addends.
    /// ```
    ///
    /// What holds for all operators of its family, elementwise: [`Operator::conventions`].
    DivBackward: DIV_BACKWARD (DivBackwardDescriptor = adj_div_backward_descriptor, DivBackwardArgs = adj_div_backward_args) {
        /// in, broadcast(a_shape, b_shape) element
        [0] DOUT: In = dout,
        /// in, a_shape element; only if !skip_db
        [1] A: In = a,
        /// in, b_shape element
        [2] B: In = b,
        /// out, a_shape element; only if !skip_da
        [3] DA: Out = da,
        /// out, b_shape element; only if !skip_db
        [4] DB: Out = db,
    } fields {
    } pointers {
    }
    /// ```text
    /// packed = what the format makes of input.
    /// ```
    ///
    /// What holds for all operators of its family, gist: [`Operator::conventions`].
    GistEncode: GIST_ENCODE (GistEncodeDescriptor = adj_gist_encode_descriptor, GistEncodeArgs = adj_gist_encode_args) {
        /// in, \[outer, inner\] element
        [0] INPUT: In = input,
        /// out, format == pack1 ? \[ceil_div(outer \* inner, 8)\] : format == msfp15 ? \[outer, ceil_div(inner, 8) \* 8\] : \[outer, inner\], format == binarize ? bool : format == pack16 ? f16 : format == pack16_bf16 ? bf16 : u8
        [1] PACKED: Out = packed,
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
    ///
    /// What holds for all operators of its family, gist: [`Operator::conventions`].
    GistDecode: GIST_DECODE (GistDecodeDescriptor = adj_gist_decode_descriptor, GistDecodeArgs = adj_gist_decode_args) {
        /// in, format == pack1 ? \[ceil_div(outer \* inner, 8)\] : format == msfp15 ? \[outer, ceil_div(inner, 8) \* 8\] : \[outer, inner\], format == binarize ? bool : format == pack16 ? f16 : format == pack16_bf16 ? bf16 : u8: as the encoder writes it
        [0] PACKED: In = packed,
        /// out, \[outer, inner\] element
        [1] OUT: Out = out,
    } fields {
    } pointers {
    }
    /// ```text
    /// Tensors are [outer, channels, inner] in row-major order. Without per_channel only their product matters. With s and z, the scale and the zero point
    /// of the tensor or of an element's channel:
    ///     q = rint(input / s) + z, half to even
    ///     out = (min(max(q, quant_min), quant_max) - z) * s,  mask = quant_min <= q <= quant_max
    ///
    /// Types. All of it is computed in f32 (f64 for f64) and rounded once, at the end. Scales and zero points are used as they are: the zero point is not
    /// rounded.
    ///
    /// Edge cases:
    /// - A NaN gives NaN and a mask of 0.
    /// - A scale on the device that is 0 or not finite gives what IEEE arithmetic gives.
    ///
    /// Its gradient: fake_quantize_backward(dout, mask).
    /// ```
    ///
    /// What holds for all operators of its family, quantize: [`Operator::conventions`].
    FakeQuantizeForward: FAKE_QUANTIZE_FORWARD (FakeQuantizeForwardDescriptor = adj_fake_quantize_forward_descriptor, FakeQuantizeForwardArgs = adj_fake_quantize_forward_args) {
        /// in, \[outer, channels, inner\] element
        [0] INPUT: In = input,
        /// in, f32 or f64 on the device; only if !per_channel: \> 0
        [1] SCALE: Scalar = scale,
        /// in, f32 or f64 on the device; only if !per_channel: quant_min to quant_max
        [2] ZERO_POINT: Scalar = zero_point,
        /// in, \[channels\] accumulator(element); only if per_channel
        [3] SCALES: In = scales,
        /// in, \[channels\] accumulator(element); only if per_channel
        [4] ZERO_POINTS: In = zero_points,
        /// out, \[outer, channels, inner\] element; may be input itself
        [5] OUT: Out = out,
        /// out, optional, \[outer, channels, inner\] bool
        [6] MASK: Out = mask,
    } fields {
    } pointers {
    }
    /// ```text
    /// Gradient of fake quantization that passes straight through: dinput = mask ? dout : 0.
    /// ```
    ///
    /// What holds for all operators of its family, quantize: [`Operator::conventions`].
    FakeQuantizeBackward: FAKE_QUANTIZE_BACKWARD (FakeQuantizeBackwardDescriptor = adj_fake_quantize_backward_descriptor, FakeQuantizeBackwardArgs = adj_fake_quantize_backward_args) {
        /// in, \[numel\] element
        [0] DOUT: In = dout,
        /// in, \[numel\] bool
        [1] MASK: In = mask,
        /// out, \[numel\] element; may be dout itself
        [2] DINPUT: Out = dinput,
    } fields {
    } pointers {
    }
    /// ```text
    /// Dropout:
    ///     training:  out[e] = kept(e) ? input[e] / (1 - ratio) : 0
    ///     otherwise: out[e] = input[e], masks of ones, no words consumed; ratio and random are not read
    ///
    /// Its gradient: dropout_backward(dout, mask, ratio, random ? !mask, mapping ? !mask, multiprocessors ? !mask, threads_per_multiprocessor ? !mask).
    /// ```
    ///
    /// What holds for all operators of its family, dropout: [`Operator::conventions`].
    DropoutForward: DROPOUT_FORWARD (DropoutForwardDescriptor = adj_dropout_forward_descriptor, DropoutForwardArgs = adj_dropout_forward_args) {
        /// in, \[numel\] element
        [0] INPUT: In = input,
        /// in, f32 or f64 on the device; optional if !training: in \[0, 1\]; must be given in training
        [1] RATIO: Scalar = ratio,
        /// in/out, optional if !training; on the device if advance_offset; written if advance_offset: seed and offset, must be given in training
        [2] RANDOM: RandomOut = random,
        /// out, \[numel\] element; may be input itself
        [3] OUT: Out = out,
        /// out, mask == bits ? \[ceil_div(numel, 32)\] : \[numel\], mask == bits ? u32 : bool; only if mask != none
        [4] MASK: Out = mask,
        /// out, optional, host, \[1\] i64: words consumed
        [5] WORDS: Out = words,
    } fields {
    } pointers {
    }
    /// ```text
    /// Dropout, gradient:
    ///     training:  dinput[e] = kept(e) ? dout[e] / (1 - ratio) : 0; at a ratio of 0 dout[e], and the mask is not read
    ///     otherwise: dinput[e] = dout[e]; ratio, random and mask are not read
    /// kept(e) comes from the mask, or, without one, from the seed and the offset of the forward call.
    /// ```
    ///
    /// What holds for all operators of its family, dropout: [`Operator::conventions`].
    DropoutBackward: DROPOUT_BACKWARD (DropoutBackwardDescriptor = adj_dropout_backward_descriptor, DropoutBackwardArgs = adj_dropout_backward_args) {
        /// in, \[numel\] element
        [0] DOUT: In = dout,
        /// in, mask == bits ? \[ceil_div(numel, 32)\] : \[numel\], mask == bits ? u32 : bool; only if mask != none; optional if !training
        [1] MASK: In = mask,
        /// in, f32 or f64 on the device; optional if !training: in \[0, 1\]; must be given in training
        [2] RATIO: Scalar = ratio,
        /// in, only if mask == none; optional if !training: that of the forward call
        [3] RANDOM: Random = random,
        /// out, \[numel\] element; may be dout itself
        [4] DINPUT: Out = dinput,
    } fields {
    } pointers {
    }
    /// ```text
    /// Softmax of rows with a bias, then dropout, always in training mode:
    ///     p[r, :] = softmax(input[r, :] + bias[b(r), :])
    ///     softmax_out = p,   out[r, c] = kept(r * columns + c) ? p[r, c] / (1 - ratio) : 0
    ///     b(r) = r / (rows / bias_rows) with inner_broadcast, else r mod bias_rows; no bias with bias_rows = 0
    /// Sums and dropout take unrounded numbers.
    ///
    /// Edge cases:
    /// - A row whose scores are all -infinity is NaN, or zeros with zero_masked_rows.
    /// - A NaN or an infinity affects its own row only.
    /// ```
    ///
    /// What holds for all operators of its family, dropout: [`Operator::conventions`].
    BiasSoftmaxDropoutForward: BIAS_SOFTMAX_DROPOUT_FORWARD (BiasSoftmaxDropoutForwardDescriptor = adj_bias_softmax_dropout_forward_descriptor, BiasSoftmaxDropoutForwardArgs = adj_bias_softmax_dropout_forward_args) {
        /// in, \[rows, columns\] element
        [0] INPUT: In = input,
        /// in, \[bias_rows, columns\] element; only if bias_rows \> 0
        [1] BIAS: In = bias,
        /// in, f32 or f64 on the device: in \[0, 1\]; must be given
        [2] RATIO: Scalar = ratio,
        /// in/out, on the device if advance_offset; written if advance_offset: seed and offset, must be given
        [3] RANDOM: RandomOut = random,
        /// out, \[rows, columns\] element; may be input itself
        [4] OUT: Out = out,
        /// out, mask == bits ? \[ceil_div(rows \* columns, 32)\] : \[rows, columns\], mask == bits ? u32 : bool; only if mask != none
        [5] MASK: Out = mask,
        /// out, optional, \[rows, columns\] element; may be input itself: p, for the gradient
        [6] SOFTMAX_OUT: Out = softmax_out,
        /// out, optional, host, \[1\] i64: words consumed
        [7] WORDS: Out = words,
    } fields {
    } pointers {
    }
    /// ```text
    /// Softmax and dropout, gradient with respect to the input (that of the bias is its sum over the rows that share one):
    ///     a[r, c] = kept(r * columns + c) ? dout[r, c] / (1 - ratio) : 0
    ///     dinput[r, c] = softmax_out[r, c] * (a[r, c] - sum over k of a[r, k] * softmax_out[r, k])
    /// kept(e) comes from the mask, or, without one, from the seed and the offset of the forward call.
    /// ```
    ///
    /// What holds for all operators of its family, dropout: [`Operator::conventions`].
    SoftmaxDropoutBackward: SOFTMAX_DROPOUT_BACKWARD (SoftmaxDropoutBackwardDescriptor = adj_softmax_dropout_backward_descriptor, SoftmaxDropoutBackwardArgs = adj_softmax_dropout_backward_args) {
        /// in, \[rows, columns\] element
        [0] DOUT: In = dout,
        /// in, mask == bits ? \[ceil_div(rows \* columns, 32)\] : \[rows, columns\], mask == bits ? u32 : bool; only if mask != none
        [1] MASK: In = mask,
        /// in, \[rows, columns\] element: the softmax before dropout
        [2] SOFTMAX_OUT: In = softmax_out,
        /// in, f32 or f64 on the device: in \[0, 1\]; must be given
        [3] RATIO: Scalar = ratio,
        /// in, only if mask == none: that of the forward call
        [4] RANDOM: Random = random,
        /// out, \[rows, columns\] element; may be dout or softmax_out itself
        [5] DINPUT: Out = dinput,
    } fields {
    } pointers {
    }
    /// ```text
    /// Softmax: out[n, c, d] = exp(input[n, c, d] - m) / sum over k of exp(input[n, k, d] - m), m the largest of the group.
    ///
    /// Its gradient: softmax_backward(dout, out).
    /// ```
    ///
    /// What holds for all operators of its family, softmax: [`Operator::conventions`].
    SoftmaxForward: SOFTMAX_FORWARD (SoftmaxForwardDescriptor = adj_softmax_forward_descriptor, SoftmaxForwardArgs = adj_softmax_forward_args) {
        /// in, \[outer, extent, inner\] element
        [0] INPUT: In = input,
        /// out, \[outer, extent, inner\] element; may be input itself
        [1] OUT: Out = out,
    } fields {
    } pointers {
    }
    /// ```text
    /// Log-softmax: out[n, c, d] = input[n, c, d] - m - log(sum over k of exp(input[n, k, d] - m)), m the largest of the group.
    ///
    /// Its gradient: log_softmax_backward(dout, out).
    /// ```
    ///
    /// What holds for all operators of its family, softmax: [`Operator::conventions`].
    LogSoftmaxForward: LOG_SOFTMAX_FORWARD (LogSoftmaxForwardDescriptor = adj_log_softmax_forward_descriptor, LogSoftmaxForwardArgs = adj_log_softmax_forward_args) {
        /// in, \[outer, extent, inner\] element
        [0] INPUT: In = input,
        /// out, \[outer, extent, inner\] element; may be input itself
        [1] OUT: Out = out,
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
    ///
    /// Its gradient: soft_label_cross_entropy_loss_backward(dloss, scores, lse, labels, exact).
    /// ```
    ///
    /// What holds for all operators of its family, loss: [`Operator::conventions`].
    SoftLabelCrossEntropyLoss: SOFT_LABEL_CROSS_ENTROPY_LOSS (SoftLabelCrossEntropyLossDescriptor = adj_soft_label_cross_entropy_loss_descriptor, SoftLabelCrossEntropyLossArgs = adj_soft_label_cross_entropy_loss_args) {
        /// in, \[rows, num_classes\] element
        [0] SCORES: In = scores,
        /// in, \[rows, num_classes\] element
        [1] LABELS: In = labels,
        /// out, reduction == none ? \[rows\] : \[1\], output
        [2] LOSS: Out = loss,
        /// out, optional, \[rows, num_classes\] element; may be scores itself
        [3] LOG_PROB: Out = log_prob,
        /// out, optional, \[rows\] accumulator(element): logsumexp, for the gradient
        [4] LSE: Out = lse,
    } fields {
    } pointers {
    }
    /// ```text
    /// Softmax cross-entropy with probabilities as labels, gradient:
    ///     dscores[r, c] = g_r * (exp(log_prob[r, c]) - labels[r, c]) / z
    ///     with exact: dscores[r, c] = g_r * (exp(log_prob[r, c]) * sum of labels[r, :] - labels[r, c]) / z
    ///     g = dloss: a scalar for mean and sum, one per row for none;  z = rows for mean, else 1
    /// Without exact, that is the derivative when the labels of a row add up to 1; with exact, for any labels.
    ///
    /// Arguments. The probabilities come from log_prob, or from scores and the lse that the forward operator saved.
    ///
    /// Terms: |g_r / z| (p_c (1 + |x_c| + |lse|) S + |labels[r, c]|). S is the sum of |labels[r, :]| with exact, else 1. Without from_scores x_c is
    /// log_prob and lse is 0.
    /// ```
    ///
    /// What holds for all operators of its family, loss: [`Operator::conventions`].
    SoftLabelCrossEntropyLossBackward: SOFT_LABEL_CROSS_ENTROPY_LOSS_BACKWARD (SoftLabelCrossEntropyLossBackwardDescriptor = adj_soft_label_cross_entropy_loss_backward_descriptor, SoftLabelCrossEntropyLossBackwardArgs = adj_soft_label_cross_entropy_loss_backward_args) {
        /// in, reduction == none ? \[rows\] : \[1\], element
        [0] DLOSS: In = dloss,
        /// in, \[rows, num_classes\] element; only if !from_scores
        [1] LOG_PROB: In = log_prob,
        /// in, \[rows, num_classes\] element; only if from_scores
        [2] SCORES: In = scores,
        /// in, \[rows\] accumulator(element); only if from_scores
        [3] LSE: In = lse,
        /// in, \[rows, num_classes\] element
        [4] LABELS: In = labels,
        /// out, \[rows, num_classes\] element; may be log_prob, scores or labels itself
        [5] DSCORES: Out = dscores,
    } fields {
    } pointers {
    }
    /// ```text
    /// Softmax cross-entropy loss and its gradient in one call, from rows of scores:
    ///     p[i, c] = exp(scores[i, c] - lse_i),   s = label_smoothing,   k = z_loss
    ///     loss_i = (1 - s) * w_i * (lse_i - scores[i, l_i]) + s / C * sum over c of weight[c] * (lse_i - scores[i, c]) + k * lse_i^2
    ///     none: loss[i] = loss_i      sum: their sum      mean: the first two terms over Z, the last one over the number of samples
    ///     w_i = weight[l_i], or 1;  Z = sum of w_i
    ///     dscores = dloss * the derivative of loss, for none of the sum of all losses
    /// The smoothing is PyTorch's label smoothing.
    ///
    /// Types. loss and lse are f32 (f64 for f64) whatever the element type.
    ///
    /// Edge cases:
    /// - An ignored sample has w_i = 0 and all terms 0. It counts neither in Z nor among the samples, and its row of dscores is exactly 0.
    /// - A mean over nothing is 0.
    /// - Where Z is 0 and there are samples, the z-loss of a mean remains.
    ///
    /// Terms, with v_c = s / C * weight[c] / Z and w = (1 - s) w_i / Z (Z = 1 for none and sum; K = 1, for mean the number of samples):
    ///     loss: w (|x_l - m| + L + q) + sum over c of v_c (|x_c| + |m| + L + q) + k (|m| + L + q)^2 / K
    ///     dscores, f = w + sum of v + 2 k (|m| + L + q) / K: |dloss| (f p_c (2 + |x_c - m| + L + q) + v_c), for the label |dloss| (f + v_l)
    ///
    /// Its gradient is dscores, times dloss.
    /// ```
    ///
    /// What holds for all operators of its family, loss: [`Operator::conventions`].
    CrossEntropyWithGradient: CROSS_ENTROPY_WITH_GRADIENT (CrossEntropyWithGradientDescriptor = adj_cross_entropy_with_gradient_descriptor, CrossEntropyWithGradientArgs = adj_cross_entropy_with_gradient_args) {
        /// in, \[samples, (padded_classes ? padded_classes : num_classes)\], element
        [0] SCORES: In = scores,
        /// in, \[samples\] label
        [1] LABELS: In = labels,
        /// in, \[num_classes\] weight; only if weight
        [2] WEIGHT: In = weight,
        /// in, f32 or f64 on the device
        [3] DLOSS: Scalar = dloss,
        /// out, reduction == none ? \[samples\] : \[1\], accumulator(element)
        [4] LOSS: Out = loss,
        /// out, optional, \[samples\] accumulator(element): logsumexp
        [5] LSE: Out = lse,
        /// out, \[samples, (padded_classes ? padded_classes : num_classes)\], element; may be scores itself
        [6] DSCORES: Out = dscores,
        /// in/out, optional, \[1\] i64: out-of-range labels are added to it
        [7] ERROR_FLAG: Out = error_flag,
    } fields {
    } pointers {
    }
    /// ```text
    /// Log-probability of a label and entropy of the distribution, from rows of scores in one read, without storing probabilities:
    ///     log_prob_i = scores[i, l_i] - lse_i,   entropy_i = lse_i - sum over c of p[i, c] * scores[i, c],   p[i, c] = exp(scores[i, c] - lse_i)
    /// p log p is 0 where p is 0.
    ///
    /// Types. Results are f32 (f64 for f64).
    ///
    /// Edge cases:
    /// - An ignored sample has a log_prob and an entropy of 0, and the lse of its scores.
    /// - An out-of-range label has a log_prob of NaN, and the entropy of its scores.
    ///
    /// Terms, with Q the mean of (1 + |x_c - m|)^2 weighted by p: entropy: Q + L      log_prob: |x_l - m| + Q + L      lse: |m| + Q + L
    ///
    /// Its gradient: log_prob_entropy_backward(dlog_prob, dentropy, scores, labels, lse, entropy ? dentropy).
    /// ```
    ///
    /// What holds for all operators of its family, loss: [`Operator::conventions`].
    LogProbEntropy: LOG_PROB_ENTROPY (LogProbEntropyDescriptor = adj_log_prob_entropy_descriptor, LogProbEntropyArgs = adj_log_prob_entropy_args) {
        /// in, \[samples, num_classes\] element
        [0] SCORES: In = scores,
        /// in, \[samples\] label
        [1] LABELS: In = labels,
        /// out, \[samples\] accumulator(element)
        [2] LOG_PROB: Out = log_prob,
        /// out, optional, \[samples\] accumulator(element)
        [3] ENTROPY: Out = entropy,
        /// out, optional, \[samples\] accumulator(element): for the gradient
        [4] LSE: Out = lse,
        /// in/out, optional, \[1\] i64: out-of-range labels are added to it
        [5] ERROR_FLAG: Out = error_flag,
    } fields {
    } pointers {
    }
    /// ```text
    /// Log-probability and entropy, gradient with respect to the scores:
    ///     dscores[i, c] = dlog_prob_i * ([c == l_i] - p[i, c]) - dentropy_i * p[i, c] * (log p[i, c] + entropy_i)
    /// Exact zeros for ignored samples; NaN for out-of-range labels.
    /// Terms, with y = 1 + |x_c| + |lse|: p_c y (|dlog_prob| + |dentropy| (1 + y + |entropy|)), for the label |dlog_prob| more.
    /// ```
    ///
    /// What holds for all operators of its family, loss: [`Operator::conventions`].
    LogProbEntropyBackward: LOG_PROB_ENTROPY_BACKWARD (LogProbEntropyBackwardDescriptor = adj_log_prob_entropy_backward_descriptor, LogProbEntropyBackwardArgs = adj_log_prob_entropy_backward_args) {
        /// in, \[samples\] accumulator(element)
        [0] DLOG_PROB: In = dlog_prob,
        /// in, \[samples\] accumulator(element); only if with_entropy
        [1] DENTROPY: In = dentropy,
        /// in, \[samples, num_classes\] element
        [2] SCORES: In = scores,
        /// in, \[samples\] label
        [3] LABELS: In = labels,
        /// in, \[samples\] accumulator(element)
        [4] LSE: In = lse,
        /// in, \[samples\] accumulator(element); only if with_entropy
        [5] ENTROPY: In = entropy,
        /// out, \[samples, num_classes\] element; may be scores itself
        [6] DSCORES: Out = dscores,
        /// in/out, optional, \[1\] i64: out-of-range labels are added to it
        [7] ERROR_FLAG: Out = error_flag,
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
    ///
    /// Arguments. gradient_norm is the norm of all gradients as they are, still scaled (clip_grad_norm with norm_only writes it).
    /// 0, its default, clips nothing, and neither does an infinite max_norm. lr_of and weight_decay_of have a number for each
    /// tensor, in the memory of the stream; they take the place of lr and weight_decay, and a captured graph reads them anew.
    ///
    /// Results are defined to the last bit; only the payload of a NaN is open. Scalars are combined in f64 and then rounded to the
    /// type of the arithmetic, in which, fma rounding once,
    ///     g = grad / s;   decay l2: g = fma(weight_decay, w, g)
    ///     m = fma(1 - beta1, g, beta1 * m),   v = fma((1 - beta2) * g, g, beta2 * v)
    ///     decay first: d = m / fma(sqrt(v), 1 / sqrt(b), epsilon),   u = fma(lr * weight_decay, w, (lr / a) * d)
    ///     decay l2:    d = m / fma(sqrt(v), 1 / sqrt(b), epsilon),   u = fma(0, w, (lr / a) * d)
    ///     decay last:  d = m / (sqrt(v) + epsilon),   r = lr * sqrt(b) / a,   u = fma(lr * weight_decay, fma(-r, d, w), r * d)
    ///     update = -u,   w = w - u
    /// with |s| = max(|grad_scale|, gradient_norm * (1 / max_norm)).
    ///
    /// In place. Weights, moments and cleared gradients are updated in place. With out_of_place, new weights and moments may be the
    /// buffers of the old ones, and updates those of the gradients.
    ///
    /// Edge cases:
    ///   - A call skips when update_signal is 0, when found_inf is not 0, when gradient_norm is not finite, or when the step is
    ///     below 1 with bias correction. The last two are errors by value, and on the device are counted in error_flag.
    ///   - A call that skips copies the gradients to updates.
    ///   - Infinities and NaN among the gradients enter moments and weights.
    ///   - Steps count from 1. Without bias correction only stochastic_rounding reads the step.
    ///
    /// Error terms. Against the formulas in real numbers, with u = 2^-24 (2^-53 for f64), G, M and V for the terms of g, m and v,
    /// and before the rounding of the store, the errors of m and v are below 4 u M and 8 u V, of update and w below 20 u W
    /// (512 u W for f64):
    ///     G = |g| for decay first and last, |grad / s| + |weight_decay * w| for l2
    ///     M = |beta1 * m| + |(1 - beta1)| * G,   V = |beta2 * v| + |(1 - beta2)| * G * G
    ///     W = |lr * weight_decay * w| except for l2, plus Q * (1 + lr * |weight_decay|) * V / v, where Q is the magnitude of the
    ///        update without decay with M in place of m. V / v is 1 for decay first and last with rates in [0, 1].
    ///
    /// Source: Kingma and Ba 2015, Adam; Loshchilov and Hutter 2019, Decoupled Weight Decay Regularization.
    /// ```
    ///
    /// What holds for all operators of its family, optimizer: [`Operator::conventions`].
    Adam: ADAM (AdamDescriptor = adj_adam_descriptor, AdamArgs = adj_adam_args) {
        /// in/out, \[numel\] param; written if !out_of_place && !keep_params: parameters w
        [0] PARAMS: ListOut = params,
        /// in/out, \[numel\] grad; written if clear_grads
        [1] GRADS: ListOut = grads,
        /// in/out, \[numel\] state; written if !out_of_place: first moment m
        [2] EXP_AVG: ListOut = exp_avg,
        /// in/out, \[numel\] state; written if !out_of_place: second moment v
        [3] EXP_AVG_SQ: ListOut = exp_avg_sq,
        /// in/out, \[numel\] copy; only if copy
        [4] COPIES: ListOut = copies,
        /// out, \[numel\] param; only if out_of_place && !keep_params; may be params itself
        [5] NEW_PARAMS: ListOut = new_params,
        /// out, \[numel\] state; only if out_of_place; may be exp_avg itself
        [6] NEW_EXP_AVG: ListOut = new_exp_avg,
        /// out, \[numel\] state; only if out_of_place; may be exp_avg_sq itself
        [7] NEW_EXP_AVG_SQ: ListOut = new_exp_avg_sq,
        /// out, \[numel\] grad; only if updates; may be grads itself
        [8] UPDATES: ListOut = updates,
        /// in, any floating-point type on the device: finite, not negative; must be given without lr_of
        [9] LR: Scalar = lr,
        /// in/out, i64 on the device; on the device if advance_step; written if advance_step: \>= 1
        [10] STEP: ScalarOut = step,
        /// in, i64 on the device; only if stochastic_rounding: on the device all 64 bits count; from 0 to 2^53 by value
        [11] SEED: Scalar = seed,
        /// in, any floating-point type on the device: not 0
        [12] GRAD_SCALE: Scalar = grad_scale,
        /// in, any floating-point type on the device: \>= 0
        [13] GRADIENT_NORM: Scalar = gradient_norm,
        /// in, bool on the device: 0 skips
        [14] UPDATE_SIGNAL: Scalar = update_signal,
        /// in, optional, \[count\] accumulator(param): learning rate of each tensor, in place of lr
        [15] LR_OF: In = lr_of,
        /// in, optional, \[count\] accumulator(param): decay of each tensor, in place of weight_decay
        [16] WEIGHT_DECAY_OF: In = weight_decay_of,
        /// in, optional, \[1\] f32
        [17] FOUND_INF: In = found_inf,
        /// in/out, optional, \[1\] i64: 1 is added when the device step is below 1 or gradient_norm is not finite
        [18] ERROR_FLAG: Out = error_flag,
    } fields {
        /// host array of count element counts; copied by select; \>= 0
        FIELD_NUMEL: Integers = numel (count),
        /// host array: a number for each tensor; equal keys draw equal bits; 0 to 4294967295
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
    ///
    /// A tensor whose norm of w or d is not finite keeps weights, moments and copies, its updates are 0, and it is counted in error_flag.
    /// A weight that would not be finite in its own type stays as it is, with an update of 0. A call skips as one of adam does.
    ///
    /// Error terms: m and v as in adam, with M and V. With N the norm over the tensor of the terms of d,
    ///     d: T = |weight_decay * w| + (M / a) / (sqrt(v / b) + epsilon) * V / v
    ///     update and w: |r| * T * (1 + N / |d|)
    /// ```
    ///
    /// What holds for all operators of its family, optimizer: [`Operator::conventions`].
    Lamb: LAMB (LambDescriptor = adj_lamb_descriptor, LambArgs = adj_lamb_args) {
        /// in/out, \[numel\] param; written if !out_of_place && !keep_params: parameters w
        [0] PARAMS: ListOut = params,
        /// in/out, \[numel\] grad; written if clear_grads
        [1] GRADS: ListOut = grads,
        /// in/out, \[numel\] state; written if !out_of_place: first moment m
        [2] EXP_AVG: ListOut = exp_avg,
        /// in/out, \[numel\] state; written if !out_of_place: second moment v
        [3] EXP_AVG_SQ: ListOut = exp_avg_sq,
        /// in/out, \[numel\] copy; only if copy
        [4] COPIES: ListOut = copies,
        /// out, \[numel\] param; only if out_of_place && !keep_params; may be params itself
        [5] NEW_PARAMS: ListOut = new_params,
        /// out, \[numel\] state; only if out_of_place; may be exp_avg itself
        [6] NEW_EXP_AVG: ListOut = new_exp_avg,
        /// out, \[numel\] state; only if out_of_place; may be exp_avg_sq itself
        [7] NEW_EXP_AVG_SQ: ListOut = new_exp_avg_sq,
        /// out, \[numel\] grad; only if updates; may be grads itself
        [8] UPDATES: ListOut = updates,
        /// in, any floating-point type on the device: finite, not negative; must be given
        [9] LR: Scalar = lr,
        /// in/out, i64 on the device; on the device if advance_step; written if advance_step
        [10] STEP: ScalarOut = step,
        /// in, any floating-point type on the device: \> 0
        [11] GRAD_SCALE: Scalar = grad_scale,
        /// in, any floating-point type on the device: \>= 0
        [12] GRADIENT_NORM: Scalar = gradient_norm,
        /// in, bool on the device: 0 skips
        [13] UPDATE_SIGNAL: Scalar = update_signal,
        /// in, optional, \[1\] f32
        [14] FOUND_INF: In = found_inf,
        /// in/out, optional, \[1\] i64: counts as in adam, and the tensors that are kept as they are
        [15] ERROR_FLAG: Out = error_flag,
    } fields {
        /// host array of count element counts; copied by select; \>= 0
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
    ///
    /// Error terms: every result has one term, its own magnitude.
    /// ```
    ///
    /// What holds for all operators of its family, optimizer: [`Operator::conventions`].
    ClipGradNorm: CLIP_GRAD_NORM (ClipGradNormDescriptor = adj_clip_grad_norm_descriptor, ClipGradNormArgs = adj_clip_grad_norm_args) {
        /// in/out, \[numel\] grad; written if !norm_only: gradients of the parameters
        [0] GRADS: ListOut = grads,
        /// in, any floating-point type on the device: \> 0
        [1] GRAD_SCALE: Scalar = grad_scale,
        /// out, optional, \[1\] accumulator(grad): N
        [2] NORM: Out = norm,
        /// out, optional, \[1\] accumulator(grad)
        [3] FACTOR: Out = factor,
        /// out, optional, \[1\] f32: 1 where N is not finite, else 0
        [4] FOUND_INF: Out = found_inf,
    } fields {
        /// host array of count element counts; copied by select; \>= 0
        FIELD_NUMEL: Integers = numel (count),
    } pointers {
        numel,
    }
    /// ```text
    /// IsFinite:   outputs[i][j] = inputs[i][j] is neither an infinity nor NaN
    ///
    /// Definition: com.microsoft IsFinite, PyTorch torch.isfinite.
    /// ```
    ///
    /// What holds for all operators of its family, precision: [`Operator::conventions`].
    IsFinite: IS_FINITE (IsFiniteDescriptor = adj_is_finite_descriptor, IsFiniteArgs = adj_is_finite_args) {
        /// in, \[numel\] element
        [0] INPUTS: ListIn = inputs,
        /// out, \[numel\] bool
        [1] OUTPUTS: ListOut = outputs,
    } fields {
        /// host array of count element counts; copied by select; \>= 0
        FIELD_NUMEL: Integers = numel (count),
    } pointers {
        numel,
    }
    /// ```text
    /// AllFinite:   output = every element of every input passes the test; true without elements
    ///
    /// Definition: com.microsoft IsAllFinite.
    /// ```
    ///
    /// What holds for all operators of its family, precision: [`Operator::conventions`].
    AllFinite: ALL_FINITE (AllFiniteDescriptor = adj_all_finite_descriptor, AllFiniteArgs = adj_all_finite_args) {
        /// in, \[numel\] element
        [0] INPUTS: ListIn = inputs,
        /// out, \[1\] bool
        [1] OUTPUT: Out = output,
        /// out, optional, \[1\] f32: 0 where output is true, else 1
        [2] FOUND_INF: Out = found_inf,
    } fields {
        /// host array of count element counts; copied by select; \>= 0
        FIELD_NUMEL: Integers = numel (count),
    } pointers {
        numel,
    }
    /// ```text
    /// All:   output = every element of every input is true; true without elements
    ///
    /// Definition: com.microsoft All.
    /// ```
    ///
    /// What holds for all operators of its family, precision: [`Operator::conventions`].
    All: ALL (AllDescriptor = adj_all_descriptor, AllArgs = adj_all_args) {
        /// in, \[numel\] bool: a byte that is not 0 is true
        [0] INPUTS: ListIn = inputs,
        /// out, \[1\] bool
        [1] OUTPUT: Out = output,
    } fields {
        /// host array of count element counts; copied by select; \>= 0
        FIELD_NUMEL: Integers = numel (count),
    } pointers {
        numel,
    }
    /// ```text
    /// Scale:   outputs[i] = scale * inputs[i],   outputs_1[i] = scale_1 * inputs[i],   outputs_2[i] = scale_2 * inputs[i]
    ///
    /// The factor is rounded to the type of the arithmetic; with scale_down it is 1 / scale in that type. With fused, output is one buffer in
    /// which the tensors follow each other without gaps.
    /// Definition: com.microsoft MixedPrecisionScale, Scale and BatchScale.
    /// ```
    ///
    /// What holds for all operators of its family, precision: [`Operator::conventions`].
    Scale: SCALE (ScaleDescriptor = adj_scale_descriptor, ScaleArgs = adj_scale_args) {
        /// in, \[numel\] element
        [0] INPUTS: ListIn = inputs,
        /// out, \[numel\] output; only if !fused; may be inputs itself
        [1] OUTPUTS: ListOut = outputs,
        /// out, \[numel\] output; only if outputs \>= 2; may be inputs itself
        [2] OUTPUTS_1: ListOut = outputs_1,
        /// out, \[numel\] output; only if outputs \>= 3; may be inputs itself
        [3] OUTPUTS_2: ListOut = outputs_2,
        /// out, \[sum(numel)\] output; only if fused
        [4] FUSED: Out = fused,
        /// in, f32 or f64 on the device
        [5] SCALE: Scalar = scale,
        /// in, f32 or f64 on the device; only if outputs \>= 2
        [6] SCALE_1: Scalar = scale_1,
        /// in, f32 or f64 on the device; only if outputs \>= 3
        [7] SCALE_2: Scalar = scale_2,
        /// in/out, optional, \[1\] f32: 1 is stored when an input is an infinity or NaN, else it stays
        [8] FOUND_INF: Out = found_inf,
    } fields {
        /// host array of count element counts; copied by select; \>= 0
        FIELD_NUMEL: Integers = numel (count),
    } pointers {
        numel,
    }
    /// ```text
    /// Zero:   outputs[i] = +0
    ///
    /// Definition: com.microsoft ZeroGradient.
    /// ```
    ///
    /// What holds for all operators of its family, precision: [`Operator::conventions`].
    Zero: ZERO (ZeroDescriptor = adj_zero_descriptor, ZeroArgs = adj_zero_args) {
        /// out, \[numel\] element
        [0] OUTPUTS: ListOut = outputs,
    } fields {
        /// host array of count element counts; copied by select; \>= 0
        FIELD_NUMEL: Integers = numel (count),
    } pointers {
        numel,
    }
    /// ```text
    /// Accumulate:   outputs[i] = update ? (overwrite ? 0 : sums[i]) + values[i] : sums[i]
    ///
    /// With overwrite nothing is read from sums, so that it may hold anything.
    /// Definition: com.microsoft InPlaceAccumulator (update) and InPlaceAccumulatorV2 (overwrite; its second output is copies).
    /// ```
    ///
    /// What holds for all operators of its family, precision: [`Operator::conventions`].
    Accumulate: ACCUMULATE (AccumulateDescriptor = adj_accumulate_descriptor, AccumulateArgs = adj_accumulate_args) {
        /// in, \[numel\] element
        [0] SUMS: ListIn = sums,
        /// in, \[numel\] value
        [1] VALUES: ListIn = values,
        /// out, \[numel\] element; may be sums itself
        [2] OUTPUTS: ListOut = outputs,
        /// out, \[numel\] element; only if copies
        [3] COPIES: ListOut = copies,
        /// in, bool on the device: 0: outputs and copies are sums
        [4] UPDATE: Scalar = update,
        /// in, bool on the device: not 0: outputs and copies are values
        [5] OVERWRITE: Scalar = overwrite,
        /// out, optional, host, \[1\] bool: 1, written by the call itself before it returns
        [6] UPDATED_FLAG: Out = updated_flag,
    } fields {
        /// host array of count element counts; copied by select; \>= 0
        FIELD_NUMEL: Integers = numel (count),
    } pointers {
        numel,
    }
    /// ```text
    /// ScaledSum:   outputs[i] = scale_0 * inputs_0[i] + scale_1 * inputs_1[i] [+ scale_2 * inputs_2[i]]
    ///
    /// The factors are rounded to the type of the arithmetic; each term is added with one rounding, from the left. Error terms: the magnitudes
    /// of the two or three products.
    /// Definition: com.microsoft ScaledSum.
    /// ```
    ///
    /// What holds for all operators of its family, precision: [`Operator::conventions`].
    ScaledSum: SCALED_SUM (ScaledSumDescriptor = adj_scaled_sum_descriptor, ScaledSumArgs = adj_scaled_sum_args) {
        /// in, \[numel\] element
        [0] INPUTS_0: ListIn = inputs_0,
        /// in, \[numel\] element
        [1] INPUTS_1: ListIn = inputs_1,
        /// in, \[numel\] element; only if inputs \>= 3
        [2] INPUTS_2: ListIn = inputs_2,
        /// out, \[numel\] element; may be inputs_0, inputs_1 or inputs_2 itself
        [3] OUTPUTS: ListOut = outputs,
        /// in, f32 or f64 on the device
        [4] SCALE_0: Scalar = scale_0,
        /// in, f32 or f64 on the device
        [5] SCALE_1: Scalar = scale_1,
        /// in, f32 or f64 on the device; only if inputs \>= 3
        [6] SCALE_2: Scalar = scale_2,
    } fields {
        /// host array of count element counts; copied by select; \>= 0
        FIELD_NUMEL: Integers = numel (count),
    } pointers {
        numel,
    }
    /// ```text
    /// L2Norm:   output = root of the sum of x^2 over all elements of all inputs,   norms[i] = the same of inputs[i]
    ///
    /// Results. Squares neither overflow nor vanish: where the norm is a number of the output's type, it is returned. To the last bit, the norm of a tensor
    /// does not depend on the rest of the list, nor that of the list on the order of the tensors.
    ///
    /// Edge cases:
    /// - The norm of no elements is 0.
    ///
    /// Source: com.microsoft ReduceAllL2, PyTorch torch.nn.utils.get_total_norm.
    /// ```
    ///
    /// What holds for all operators of its family, reduce: [`Operator::conventions`].
    L2Norm: L2_NORM (L2NormDescriptor = adj_l2_norm_descriptor, L2NormArgs = adj_l2_norm_args) {
        /// in, \[numel\] element
        [0] INPUTS: ListIn = inputs,
        /// out, \[1\] output
        [1] OUTPUT: Out = output,
        /// out, optional, \[count\] output
        [2] NORMS: Out = norms,
        /// out, optional, \[1\] f32: 1 where an element of inputs is an infinity or NaN, else 0
        [3] FOUND_INF: Out = found_inf,
    } fields {
        /// host array of count element counts; copied by select; \>= 0
        FIELD_NUMEL: Integers = numel (count),
    } pointers {
        numel,
    }
    /// ```text
    /// Reduce:   output[kept axes] (=|+=) kind over the other axes of input
    ///
    /// Segments. With segments >= 0 one axis, of n elements, is reduced in so many segments:
    ///     output[.., s, ..] = kind over the elements offsets[s] <= i < offsets[s + 1] of input[.., i, ..]
    /// Offsets must ascend within [0, n]. Segments need not cover the axis. The result of a segment depends on its own elements alone, not on the number
    /// of segments nor on where it lies.
    ///
    /// Types. Sums, squares and products of 16-bit and f32 elements are formed in f32: what leaves its range is infinite or 0. Those of i32 wrap around.
    /// mean, L2 and logsumexp of i32 are not defined. The bits of the result depend on the elements, the shape, the axes and the kind alone. With write_mode
    /// accumulate, which a sum has, the result is added to what output holds, before the one rounding.
    ///
    /// Edge cases:
    /// - Of no elements: sum, sum of squares and L2 are 0, prod is 1, max is -infinity, min is infinity, logsumexp is -infinity and mean is NaN. Of i32,
    ///   max is the smallest and min the largest number.
    /// - A segment whose own two offsets do not ascend within [0, n] is empty, and is counted in error_flag. Where bad offsets make segments overlap, each
    ///   is reduced as it stands.
    ///
    /// Terms (see adj_guarantee), of n elements x:
    ///     sum         the sum of |x|                       mean         the sum of |x|, divided by n
    ///     sum_square  the sum of x^2                       l2           the root of the sum of x^2
    ///     prod        (n + 2) times the product of |x|     logsumexp    1 + the largest finite |x| + log(n + 1)
    /// max and min are exact. With write_mode accumulate, what output held before is a term as well.
    ///
    /// Source: com.microsoft ReduceSumTraining; PyTorch torch.sum, mean, linalg.vector_norm, amax, amin, prod, logsumexp, and segment_reduce with
    /// offsets.
    /// ```
    ///
    /// What holds for all operators of its family, reduce: [`Operator::conventions`].
    Reduce: REDUCE (ReduceDescriptor = adj_reduce_descriptor, ReduceArgs = adj_reduce_args) {
        /// in, shape element
        [0] INPUT: In = input,
        /// in/out, output; read if write_mode == accumulate: shape without the reduced axes; with keepdims one element in each of them, with segments as many as these
        [1] OUTPUT: Out = output,
        /// in, \[segments + 1\] offset; only if segments \>= 0
        [2] OFFSETS: In = offsets,
        /// in/out, optional, \[1\] i64; only if segments \>= 0: 1 is added for each segment with bad offsets
        [3] ERROR_FLAG: Out = error_flag,
    } fields {
    } pointers {
    }
    /// ```text
    /// Layer norm, gradient:
    ///     g = dy * gamma
    ///     dx[i, j] = inv_std[i] * (g[i, j] - mean over j of g - h[i, j] * mean over j of (g * h)) + dresidual[i, j]
    ///     dgamma[j] = sum over i of dy * h;  dbeta[j] = sum over i of dy
    ///
    /// From the output. With from_output, X need not be kept:
    ///     h = (y - beta) / gamma,  mean over j of (g * h) = mean over j of (dy * (y - beta))
    /// h is as exact as the stored Y. Where a gamma is 0, or smaller than the least normal number of the arithmetic, its column of dX and dgamma has an
    /// infinity or a NaN. Other columns are not affected.
    /// ```
    ///
    /// What holds for all operators of its family, norm: [`Operator::conventions`].
    LayerNormBackward: LAYER_NORM_BACKWARD (LayerNormBackwardDescriptor = adj_layer_norm_backward_descriptor, LayerNormBackwardArgs = adj_layer_norm_backward_args) {
        /// in, shape output: dY
        [0] DOUT: In = dout,
        /// in, shape element; only if !from_output: X
        [1] INPUT: In = input,
        /// in, shape output; only if from_output: Y
        [2] OUT: In = out,
        /// in, \[product(shape, axis)\] weight; optional if !from_output: 1 without
        [3] GAMMA: In = gamma,
        /// in, optional, \[product(shape, axis)\] weight; only if from_output: 0 without
        [4] BETA: In = beta,
        /// in, \[product(shape, 0, axis)\] accumulator(element); only if !from_output
        [5] MEAN: In = mean,
        /// in, \[product(shape, 0, axis)\] accumulator(element)
        [6] INV_STD: In = inv_std,
        /// in, optional, shape element: another gradient flowing into X, added before the rounding
        [7] DRESIDUAL: In = dresidual,
        /// out, shape element; may be dout, input, out or dresidual itself: dX; may share a buffer when the types agree
        [8] DINPUT: Out = dinput,
        /// in/out, \[product(shape, axis)\] weight; only if has_dgamma; read if write_mode == accumulate
        [9] DGAMMA: Out = dgamma,
        /// in/out, \[product(shape, axis)\] weight; only if has_dbeta; read if write_mode == accumulate
        [10] DBETA: Out = dbeta,
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
    ///
    /// What holds for all operators of its family, norm: [`Operator::conventions`].
    RmsNormBackward: RMS_NORM_BACKWARD (RmsNormBackwardDescriptor = adj_rms_norm_backward_descriptor, RmsNormBackwardArgs = adj_rms_norm_backward_args) {
        /// in, shape output: dY
        [0] DOUT: In = dout,
        /// in, shape element; only if !from_output: X
        [1] INPUT: In = input,
        /// in, shape output; only if from_output: Y
        [2] OUT: In = out,
        /// in, \[product(shape, axis)\] weight; optional if !from_output: 1 without
        [3] GAMMA: In = gamma,
        /// in, \[product(shape, 0, axis)\] accumulator(element)
        [4] INV_STD: In = inv_std,
        /// in, optional, shape element: another gradient flowing into X, added before the rounding
        [5] DRESIDUAL: In = dresidual,
        /// out, shape element; may be dout, input, out or dresidual itself: dX; may share a buffer when the types agree
        [6] DINPUT: Out = dinput,
        /// in/out, \[product(shape, axis)\] weight; only if has_dgamma; read if write_mode == accumulate
        [7] DGAMMA: Out = dgamma,
    } fields {
    } pointers {
    }
    /// ```text
    /// Layer norm, of X or of X + residual. Where `sum` is given, X + residual is rounded to `element`, stored there, and normalised after the rounding.
    /// The gradient then takes `sum` for X.
    ///
    /// Its gradient: layer_norm_backward(dout, input = sum | input, gamma, mean, inv_std, dresidual = dsum, dinput = input | residual).
    /// ```
    ///
    /// What holds for all operators of its family, norm: [`Operator::conventions`].
    LayerNormForward: LAYER_NORM_FORWARD (LayerNormForwardDescriptor = adj_layer_norm_forward_descriptor, LayerNormForwardArgs = adj_layer_norm_forward_args) {
        /// in, shape element: X
        [0] INPUT: In = input,
        /// in, shape element; only if has_residual
        [1] RESIDUAL: In = residual,
        /// in, optional, \[product(shape, axis)\] weight: 1 without
        [2] GAMMA: In = gamma,
        /// in, optional, \[product(shape, axis)\] weight: 0 without
        [3] BETA: In = beta,
        /// out, shape output; may be input or residual itself: Y; may share a buffer when the types agree
        [4] OUT: Out = out,
        /// out, optional, shape element; only if has_residual; may be input or residual itself: X + residual
        [5] SUM: Out = sum,
        /// out, optional, \[product(shape, 0, axis)\] accumulator(element)
        [6] MEAN: Out = mean,
        /// out, optional, \[product(shape, 0, axis)\] accumulator(element)
        [7] INV_STD: Out = inv_std,
    } fields {
    } pointers {
    }
    /// ```text
    /// RMS norm, of X or of X + residual; see layer norm.
    ///
    /// Its gradient: rms_norm_backward(dout, input = sum | input, gamma, inv_std, dresidual = dsum, dinput = input | residual).
    /// ```
    ///
    /// What holds for all operators of its family, norm: [`Operator::conventions`].
    RmsNormForward: RMS_NORM_FORWARD (RmsNormForwardDescriptor = adj_rms_norm_forward_descriptor, RmsNormForwardArgs = adj_rms_norm_forward_args) {
        /// in, shape element: X
        [0] INPUT: In = input,
        /// in, shape element; only if has_residual
        [1] RESIDUAL: In = residual,
        /// in, optional, \[product(shape, axis)\] weight: 1 without
        [2] GAMMA: In = gamma,
        /// out, shape output; may be input or residual itself: Y; may share a buffer when the types agree
        [3] OUT: Out = out,
        /// out, optional, shape element; only if has_residual; may be input or residual itself: X + residual
        [4] SUM: Out = sum,
        /// out, optional, \[product(shape, 0, axis)\] accumulator(element)
        [5] INV_STD: Out = inv_std,
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
    ///
    /// Its gradient: batch_norm_backward(dout, input, scale, saved_mean, saved_inv_std, running_mean ? frozen, running_variance ? frozen, frozen = !training).
    /// ```
    ///
    /// What holds for all operators of its family, batch_norm: [`Operator::conventions`].
    BatchNormForward: BATCH_NORM_FORWARD (BatchNormForwardDescriptor = adj_batch_norm_forward_descriptor, BatchNormForwardArgs = adj_batch_norm_forward_args) {
        /// in, \[outer, channels, inner\] element: X
        [0] INPUT: In = input,
        /// in, optional, \[channels\] weight: 1 without
        [1] SCALE: In = scale,
        /// in, optional, \[channels\] weight: 0 without
        [2] BIAS: In = bias,
        /// in, \[channels\] stats; optional if training: needed for next_running_mean
        [3] RUNNING_MEAN: In = running_mean,
        /// in, \[channels\] stats; optional if training: needed for next_running_variance
        [4] RUNNING_VARIANCE: In = running_variance,
        /// out, \[outer, channels, inner\] element; may be input itself: Y
        [5] OUT: Out = out,
        /// out, optional, \[channels\] stats; only if training; may be running_mean itself
        [6] NEXT_RUNNING_MEAN: Out = next_running_mean,
        /// out, optional, \[channels\] stats; only if training; may be running_variance itself
        [7] NEXT_RUNNING_VARIANCE: Out = next_running_variance,
        /// out, optional, \[channels\] stats; only if training
        [8] SAVED_MEAN: Out = saved_mean,
        /// out, optional, \[channels\] stats; only if training
        [9] SAVED_INV_STD: Out = saved_inv_std,
    } fields {
    } pointers {
    }
    /// ```text
    /// Batch norm, gradient, with h = (x - mean[c]) * inv_std[c]:
    ///     dbias[c] = sum of dy;  dscale[c] = sum of dy * h
    ///     dx = scale[c] * inv_std[c] * (dy - dbias[c] / M - h * dscale[c] / M)
    /// frozen: statistics are the running ones, which do not depend on X: dx = scale[c] * inv_std[c] * dy.
    /// ```
    ///
    /// What holds for all operators of its family, batch_norm: [`Operator::conventions`].
    BatchNormBackward: BATCH_NORM_BACKWARD (BatchNormBackwardDescriptor = adj_batch_norm_backward_descriptor, BatchNormBackwardArgs = adj_batch_norm_backward_args) {
        /// in, \[outer, channels, inner\] element: dY
        [0] DOUT: In = dout,
        /// in, \[outer, channels, inner\] element: X
        [1] INPUT: In = input,
        /// in, optional, \[channels\] weight: 1 without
        [2] SCALE: In = scale,
        /// in, \[channels\] stats; only if !frozen
        [3] SAVED_MEAN: In = saved_mean,
        /// in, \[channels\] stats; only if !frozen
        [4] SAVED_INV_STD: In = saved_inv_std,
        /// in, \[channels\] stats; only if frozen
        [5] RUNNING_MEAN: In = running_mean,
        /// in, \[channels\] stats; only if frozen
        [6] RUNNING_VARIANCE: In = running_variance,
        /// out, \[outer, channels, inner\] element; may be dout or input itself: dX
        [7] DINPUT: Out = dinput,
        /// out, optional, \[channels\] weight
        [8] DSCALE: Out = dscale,
        /// out, optional, \[channels\] weight
        [9] DBIAS: Out = dbias,
    } fields {
    } pointers {
    }
    /// ```text
    /// Gradients of convolution, each on request:
    ///     dinput[n, g * C / G + c, i] = sum over m of group g and all (o, k) with i = o * s + k * d - b of dout[n, m, o] * weight[m, c, k]
    ///     dweight[m, c, k] (=|+=) sum over n and o of dout[n, m, o] * input[n, g * C / G + c, o * s + k * d - b]
    ///     dbias[m] (=|+=) sum over n and o of dout[n, m, o]
    /// ```
    ///
    /// What holds for all operators of its family, conv: [`Operator::conventions`].
    ConvBackward: CONV_BACKWARD (ConvBackwardDescriptor = adj_conv_backward_descriptor, ConvBackwardArgs = adj_conv_backward_args) {
        /// in, out element
        [0] DOUT: In = dout,
        /// in, input element; only if has_dweight
        [1] INPUT: In = input,
        /// in, weight element; only if has_dinput
        [2] WEIGHT: In = weight,
        /// out, input element; only if has_dinput
        [3] DINPUT: Out = dinput,
        /// in/out, weight element; only if has_dweight; read if write_mode == accumulate
        [4] DWEIGHT: Out = dweight,
        /// in/out, \[extent(out, channels_last ? -1 : 1)\], element; only if has_dbias; read if write_mode == accumulate
        [5] DBIAS: Out = dbias,
    } fields {
    } pointers {
    }
    /// ```text
    /// Gradients of transposed convolution, each on request:
    ///     dinput[n, c, o] = sum over m < M / G and k of dout[n, g * M / G + m, o * s + k * d - b] * weight[c, m, k]
    ///     dweight[c, m, k] (=|+=) sum over n and o of input[n, c, o] * dout[n, g * M / G + m, o * s + k * d - b]
    ///     dbias[q] (=|+=) sum over n and i of dout[n, q, i]
    /// ```
    ///
    /// What holds for all operators of its family, conv: [`Operator::conventions`].
    ConvTransposeBackward: CONV_TRANSPOSE_BACKWARD (ConvTransposeBackwardDescriptor = adj_conv_transpose_backward_descriptor, ConvTransposeBackwardArgs = adj_conv_transpose_backward_args) {
        /// in, out element
        [0] DOUT: In = dout,
        /// in, input element; only if has_dweight
        [1] INPUT: In = input,
        /// in, weight element; only if has_dinput
        [2] WEIGHT: In = weight,
        /// out, input element; only if has_dinput
        [3] DINPUT: Out = dinput,
        /// in/out, weight element; only if has_dweight; read if write_mode == accumulate
        [4] DWEIGHT: Out = dweight,
        /// in/out, \[extent(out, channels_last ? -1 : 1)\], element; only if has_dbias; read if write_mode == accumulate
        [5] DBIAS: Out = dbias,
    } fields {
    } pointers {
    }
    /// ```text
    /// Convolution, with i = o * s + k * d - b in every spatial dimension and g = m / (M / G):
    ///     out[n, m, o] = bias[m] + sum over c < C / G and k of input[n, g * C / G + c, i] * weight[m, c, k]
    ///
    /// Its gradient: conv_backward(dout, input ? has_dweight, weight ? has_dinput).
    /// ```
    ///
    /// What holds for all operators of its family, conv: [`Operator::conventions`].
    ConvForward: CONV_FORWARD (ConvForwardDescriptor = adj_conv_forward_descriptor, ConvForwardArgs = adj_conv_forward_args) {
        /// in, input element
        [0] INPUT: In = input,
        /// in, weight element
        [1] WEIGHT: In = weight,
        /// in, \[extent(out, channels_last ? -1 : 1)\], element; only if has_bias
        [2] BIAS: In = bias,
        /// out, out element
        [3] OUT: Out = out,
    } fields {
    } pointers {
    }
    /// ```text
    /// Transposed convolution:
    ///     out[n, g * M / G + m, i] = bias[g * M / G + m] + sum over c of group g and all (o, k) with i = o * s + k * d - b of
    ///                                input[n, c, o] * weight[c, m, k]
    ///
    /// Its gradient: conv_transpose_backward(dout, input ? has_dweight, weight ? has_dinput).
    /// ```
    ///
    /// What holds for all operators of its family, conv: [`Operator::conventions`].
    ConvTransposeForward: CONV_TRANSPOSE_FORWARD (ConvTransposeForwardDescriptor = adj_conv_transpose_forward_descriptor, ConvTransposeForwardArgs = adj_conv_transpose_forward_args) {
        /// in, input element
        [0] INPUT: In = input,
        /// in, weight element
        [1] WEIGHT: In = weight,
        /// in, \[extent(out, channels_last ? -1 : 1)\], element; only if has_bias
        [2] BIAS: In = bias,
        /// out, out element
        [3] OUT: Out = out,
    } fields {
    } pointers {
    }
    /// ```text
    /// Its gradient:   dinput[n, c, i] = sum over o of weight(o, i) * dout[n, c, o]
    ///
    /// Every element of dinput is written, with zero where no weight falls on it.
    /// ```
    ///
    /// What holds for all operators of its family, resize: [`Operator::conventions`].
    ResizeBackward: RESIZE_BACKWARD (ResizeBackwardDescriptor = adj_resize_backward_descriptor, ResizeBackwardArgs = adj_resize_backward_args) {
        /// in, out element
        [0] DOUT: In = dout,
        /// out, input element
        [1] DINPUT: Out = dinput,
    } fields {
        /// as in the forward direction
        FIELD_SCALES: Reals = scales (num_scales),
    } pointers {
        scales,
    }
    /// ```text
    /// Resize:   out[n, c, o] = sum over i of weight(o, i) * input[n, c, i]
    ///
    /// Its gradient: resize_backward(dout).
    /// ```
    ///
    /// What holds for all operators of its family, resize: [`Operator::conventions`].
    ResizeForward: RESIZE_FORWARD (ResizeForwardDescriptor = adj_resize_forward_descriptor, ResizeForwardArgs = adj_resize_forward_args) {
        /// in, input element
        [0] INPUT: In = input,
        /// out, out element
        [1] OUT: Out = out,
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
    ///
    /// What holds for all operators of its family, index: [`Operator::conventions`].
    GatherNdBackward: GATHER_ND_BACKWARD (GatherNdBackwardDescriptor = adj_gather_nd_backward_descriptor, GatherNdBackwardArgs = adj_gather_nd_backward_args) {
        /// in, \[part(indices_shape, 0, -1), part(input_shape, batch_dims + extent(indices_shape, -1))\] element
        [0] DOUT: In = dout,
        /// in, indices_shape index; only if !use_index_plan
        [1] INDICES: In = indices,
        /// in/out, input_shape element; read if write_mode == accumulate
        [2] DINPUT: Out = dinput,
        /// in/out, optional, \[1\] i64: the number of indexed slices left out is added
        [3] ERROR_FLAG: Out = error_flag,
        /// in, \[product(indices_shape, 0, -1)\] i32; only if use_index_plan
        [4] SORTED_ROWS: In = sorted_rows,
        /// in, \[product(indices_shape, 0, -1)\] i32; only if use_index_plan
        [5] ORDER: In = order,
    } fields {
    } pointers {
    }
    /// ```text
    /// GatherElements gradient:
    ///     dinput = 0 (or what it holds);   dinput[i_0, .., indices[i], .., i_(r-1)] += dout[i]   for every i of indices_shape
    /// where indices[i] stands in place of i_axis. indices_shape has the rank of input_shape, and no larger extents besides that of
    /// the axis. dinput overlaps nothing.
    /// ```
    ///
    /// What holds for all operators of its family, index: [`Operator::conventions`].
    GatherElementsBackward: GATHER_ELEMENTS_BACKWARD (GatherElementsBackwardDescriptor = adj_gather_elements_backward_descriptor, GatherElementsBackwardArgs = adj_gather_elements_backward_args) {
        /// in, indices_shape element
        [0] DOUT: In = dout,
        /// in, indices_shape index; only if !use_index_plan
        [1] INDICES: In = indices,
        /// in/out, input_shape element; read if write_mode == accumulate
        [2] DINPUT: Out = dinput,
        /// in/out, optional, \[1\] i64: the number of indices outside the axis is added
        [3] ERROR_FLAG: Out = error_flag,
        /// in, \[product(indices_shape)\] i32; only if use_index_plan
        [4] SORTED_ROWS: In = sorted_rows,
        /// in, \[product(indices_shape)\] i32; only if use_index_plan
        [5] ORDER: In = order,
    } fields {
    } pointers {
    }
    /// ```text
    /// Addition of rows along an axis:
    ///     output = input;   output[p, indices[n], q] += source[p, n, q]
    /// for every p of the extents before the axis and q of those after it. The sum of an element begins with what input holds there.
    /// output may be input itself; otherwise it overlaps nothing.
    /// ```
    ///
    /// What holds for all operators of its family, index: [`Operator::conventions`].
    IndexAdd: INDEX_ADD (IndexAddDescriptor = adj_index_add_descriptor, IndexAddArgs = adj_index_add_args) {
        /// in, shape element
        [0] INPUT: In = input,
        /// in, \[num_indices\] index; only if !use_index_plan
        [1] INDICES: In = indices,
        /// in, replaced(shape, axis, num_indices) element
        [2] SOURCE: In = source,
        /// out, shape element; may be input itself
        [3] OUTPUT: Out = output,
        /// in/out, optional, \[1\] i64: the number of indices outside the axis is added
        [4] ERROR_FLAG: Out = error_flag,
        /// in, \[num_indices\] i32; only if use_index_plan
        [5] SORTED_ROWS: In = sorted_rows,
        /// in, \[num_indices\] i32; only if use_index_plan
        [6] ORDER: In = order,
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
    ///
    /// What holds for all operators of its family, index: [`Operator::conventions`].
    SliceBackward: SLICE_BACKWARD (SliceBackwardDescriptor = adj_slice_backward_descriptor, SliceBackwardArgs = adj_slice_backward_args) {
        /// in, element: the extents of the slice
        [0] DOUT: In = dout,
        /// out, input_shape element
        [1] DINPUT: Out = dinput,
    } fields {
    } pointers {
    }
    /// ```text
    /// Rows to their places in a padded batch:
    ///     output = 0;   output[indices[i] / length, indices[i] % length, :] = input[i, :]
    /// Indices are unique; of equal ones the last counts. Elements are copied bit by bit. Its gradient is flatten_and_unpad.
    /// ```
    ///
    /// What holds for all operators of its family, index: [`Operator::conventions`].
    PadAndUnflatten: PAD_AND_UNFLATTEN (PadAndUnflattenDescriptor = adj_pad_and_unflatten_descriptor, PadAndUnflattenArgs = adj_pad_and_unflatten_args) {
        /// in, \[num_indices, inner\] element
        [0] INPUT: In = input,
        /// in, \[num_indices\] index
        [1] INDICES: In = indices,
        /// out, \[batch, length, inner\] element
        [2] OUTPUT: Out = output,
        /// in/out, optional, \[1\] i64: the number of indices outside \[0, batch \* length) is added
        [3] ERROR_FLAG: Out = error_flag,
    } fields {
    } pointers {
    }
    /// ```text
    /// Rows of a padded batch:
    ///     output[i, :] = input[indices[i] / length, indices[i] % length, :]
    /// and zeros for an index outside [0, batch * length). Elements are copied bit by bit. Its gradient is pad_and_unflatten where
    /// indices are unique.
    /// ```
    ///
    /// What holds for all operators of its family, index: [`Operator::conventions`].
    FlattenAndUnpad: FLATTEN_AND_UNPAD (FlattenAndUnpadDescriptor = adj_flatten_and_unpad_descriptor, FlattenAndUnpadArgs = adj_flatten_and_unpad_args) {
        /// in, \[batch, length, inner\] element
        [0] INPUT: In = input,
        /// in, \[num_indices\] index
        [1] INDICES: In = indices,
        /// out, \[num_indices, inner\] element
        [2] OUTPUT: Out = output,
        /// out, optional, host, \[2\] i64: batch and length, written by the call itself
        [3] UNFLATTEN_DIMS: Out = unflatten_dims,
        /// in/out, optional, \[1\] i64: the number of indices outside is added
        [4] ERROR_FLAG: Out = error_flag,
    } fields {
    } pointers {
    }
    /// ```text
    /// Consecutive parts of a tensor: part i is numel[i] elements of input from the element offsets[i] = numel[0] + .. + numel[i - 1]
    /// on. Without copies nothing is launched: the caller uses the address of input plus the offset, which is a multiple of the element
    /// size only. With copies every part is copied to a buffer of its own, none of which overlaps another or input.
    /// ```
    ///
    /// What holds for all operators of its family, shape: [`Operator::conventions`].
    View: VIEW (ViewDescriptor = adj_view_descriptor, ViewArgs = adj_view_args) {
        /// in, \[total\] element
        [0] INPUT: In = input,
        /// out, \[numel\] element; only if copies
        [1] OUTPUTS: ListOut = outputs,
        /// out, optional, host, \[count\] i64: offsets in elements, written by the call itself
        [2] OFFSETS: Out = offsets,
    } fields {
        /// host array of count element counts; copied by select; \>= 0; refused if count \< 1: needs at least 1 tensor
        FIELD_NUMEL: Integers = numel (count),
    } pointers {
        numel,
    }
    /// ```text
    /// outputs[i] = inputs[i], a list in one launch. An output that is the very buffer of its input is left out; where all are, nothing is
    /// launched.
    /// ```
    ///
    /// What holds for all operators of its family, shape: [`Operator::conventions`].
    CopyOp: COPY (CopyOpDescriptor = adj_copy_descriptor, CopyOpArgs = adj_copy_args) {
        /// in, \[numel\] element
        [0] INPUTS: ListIn = inputs,
        /// out, \[numel\] element; may be inputs itself
        [1] OUTPUTS: ListOut = outputs,
    } fields {
        /// host array of count element counts; copied by select; \>= 0; refused if count \< 1: needs at least 1 tensor
        FIELD_NUMEL: Integers = numel (count),
    } pointers {
        numel,
    }
    /// ```text
    /// A place in the order of a stream: nothing is launched, done is set. It says that the call was reached, not that work on the stream
    /// has ended; record_event and wait_event order streams.
    /// ```
    ///
    /// What holds for all operators of its family, control: [`Operator::conventions`].
    Group: GROUP (GroupDescriptor = adj_group_descriptor, GroupArgs = adj_group_args) {
        /// in, optional, \[numel\] element: what has to be there; nothing is read
        [0] INPUTS: ListIn = inputs,
        /// out, optional, host, \[1\] bool: true, written by the call itself
        [1] DONE: Out = done,
    } fields {
        /// host array of count element counts; copied by select; \>= 0
        FIELD_NUMEL: Integers = numel (count),
    } pointers {
        numel,
    }
    /// ```text
    /// outputs = inputs, then event is recorded: it occurs when the work that the stream has so far is done. event is a CUevent or
    /// cudaEvent_t of the stream's device on a CUDA stream, and a handle of adj_host_event_create on the host stream, where it wakes all
    /// who wait for it. Usable while the stream is being captured.
    /// ```
    ///
    /// What holds for all operators of its family, control: [`Operator::conventions`].
    RecordEvent: RECORD_EVENT (RecordEventDescriptor = adj_record_event_descriptor, RecordEventArgs = adj_record_event_args) {
        /// in, only if !skip
        [0] EVENT: Handle = event,
        /// in, \[numel\] element
        [1] INPUTS: ListIn = inputs,
        /// out, \[numel\] element; may be inputs itself
        [2] OUTPUTS: ListOut = outputs,
    } fields {
        /// host array of count element counts; copied by select; \>= 0
        FIELD_NUMEL: Integers = numel (count),
    } pointers {
        numel,
    }
    /// ```text
    /// The stream waits for event, as it was last recorded, then outputs = inputs. Any number of streams may wait for one event. On a CUDA
    /// stream the calling thread does not wait, and an event that was never recorded has occurred; on the host stream the thread waits until
    /// the event has been recorded since it was created or reset.
    /// ```
    ///
    /// What holds for all operators of its family, control: [`Operator::conventions`].
    WaitEvent: WAIT_EVENT (WaitEventDescriptor = adj_wait_event_descriptor, WaitEventArgs = adj_wait_event_args) {
        /// in, only if !skip
        [0] EVENT: Handle = event,
        /// in, \[numel\] element
        [1] INPUTS: ListIn = inputs,
        /// out, \[numel\] element; may be inputs itself
        [2] OUTPUTS: ListOut = outputs,
    } fields {
        /// host array of count element counts; copied by select; \>= 0
        FIELD_NUMEL: Integers = numel (count),
    } pointers {
        numel,
    }
    /// ```text
    /// The border between a model and the loop that trains it: outputs leave, their gradients come in. A call checks counts, types and
    /// sizes and does nothing else. Gradient j is that of the j-th output whose place is not among non_differentiable. It has the size of
    /// its output, or any size where free_shape has the place (YieldOp's full_shape_outputs has the other places).
    /// ```
    ///
    /// What holds for all operators of its family, control: [`Operator::conventions`].
    Yield: YIELD (YieldDescriptor = adj_yield_descriptor, YieldArgs = adj_yield_args) {
        /// in, \[numel\] element
        [0] OUTPUTS: ListIn = outputs,
        /// in, element: one for each differentiable output, of its size or, with free_shape, of any
        [1] GRADIENTS: ListIn = gradients,
    } fields {
        /// host array of count element counts; copied by select; \>= 0; refused if count \< 1: needs at least 1 tensor
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
    ///
    /// What holds for all operators of its family, control: [`Operator::conventions`].
    UserKernel: USER_KERNEL (UserKernelDescriptor = adj_user_kernel_descriptor, UserKernelArgs = adj_user_kernel_args) {
        /// in, \[input_numel\] element
        [0] INPUTS: ListIn = inputs,
        /// in/out, \[output_numel\] output_element; may be inputs itself
        [1] OUTPUTS: ListOut = outputs,
    } fields {
        /// what code_kind says; copied by select
        FIELD_CODE: Bytes = code (code_bytes),
        /// name of the kernel, as the code has it: of a C++ function the mangled one; copied by select
        FIELD_ENTRY: Text = entry,
        /// of a source: blank-separated, "N=4 FAST"; defined at the head of the source; may be null, null otherwise
        FIELD_MACROS: Text = macros,
        /// host array of input_count element counts; \>= 0
        FIELD_INPUT_NUMEL: Integers = input_numel (input_count),
        /// host array of output_count element counts; \>= 0; refused if output_count \< 1: needs at least 1 tensor
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
    ///
    /// What holds for all operators of its family, control: [`Operator::conventions`].
    Callback: CALLBACK (CallbackDescriptor = adj_callback_descriptor, CallbackArgs = adj_callback_args) {
        /// in, \[input_numel\] element
        [0] INPUTS: ListIn = inputs,
        /// in/out, \[output_numel\] element; may be inputs itself
        [1] OUTPUTS: ListOut = outputs,
        /// in/out, optional, host, \[1\] i64
        [2] CONTEXT: Out = context,
    } fields {
        /// host array of input_count element counts; copied by select; \>= 0
        FIELD_INPUT_NUMEL: Integers = input_numel (input_count),
        /// host array of output_count element counts; copied by select; \>= 0
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
    ///
    /// What holds for all operators of its family, collective: [`Operator::conventions`].
    AllReduce: ALL_REDUCE (AllReduceDescriptor = adj_all_reduce_descriptor, AllReduceArgs = adj_all_reduce_args) {
        /// in, an ncclComm_t of the device; on the host stream a handle of adj_host_comm_create
        [0] COMMUNICATOR: Handle = communicator,
        /// in, \[numel\] element
        [1] INPUTS: ListIn = inputs,
        /// out, \[numel\] element; may be inputs itself
        [2] OUTPUTS: ListOut = outputs,
    } fields {
        /// host array of count element counts; copied by select; \>= 0; refused if count \< 1: needs at least 1 tensor
        FIELD_NUMEL: Integers = numel (count),
    } pointers {
        numel,
    }
    /// ```text
    /// Even: outputs[i] is the concatenation of the inputs[i] of all ranks, numel[i] elements each. Whole: outputs[i] is the inputs[i] of
    /// the rank that owns it. In place, inputs[i] is the part of outputs[i] that this rank brings (even), or outputs[i] itself (whole); as
    /// the part of another rank it is refused with ADJ_ERROR_ALIASING.
    /// ```
    ///
    /// What holds for all operators of its family, collective: [`Operator::conventions`].
    AllGather: ALL_GATHER (AllGatherDescriptor = adj_all_gather_descriptor, AllGatherArgs = adj_all_gather_args) {
        /// in, an ncclComm_t of the device; on the host stream a handle of adj_host_comm_create
        [0] COMMUNICATOR: Handle = communicator,
        /// in, \[numel\] element; may be a part of outputs: an entry may be the part of this rank
        [1] INPUTS: ListIn = inputs,
        /// out, \[layout == whole ? numel : ranks \* numel\], element; may be inputs itself
        [2] OUTPUTS: ListOut = outputs,
    } fields {
        /// host array of count element counts of the inputs; copied by select; \>= 0; refused if count \< 1: needs at least 1 tensor
        FIELD_NUMEL: Integers = numel (count),
    } pointers {
        numel,
    }
    /// ```text
    /// Even: outputs[i] is this rank's part of the reduction over all ranks of inputs[i]. Whole: outputs[i] is the reduction where this rank
    /// owns tensor i, and is left as it is elsewhere. In place, outputs[i] is this rank's part of inputs[i] (even), or inputs[i] itself
    /// (whole); as the part of another rank it is refused with ADJ_ERROR_ALIASING.
    /// ```
    ///
    /// What holds for all operators of its family, collective: [`Operator::conventions`].
    ReduceScatter: REDUCE_SCATTER (ReduceScatterDescriptor = adj_reduce_scatter_descriptor, ReduceScatterArgs = adj_reduce_scatter_args) {
        /// in, an ncclComm_t of the device; on the host stream a handle of adj_host_comm_create
        [0] COMMUNICATOR: Handle = communicator,
        /// in, \[layout == whole ? numel : ranks \* numel\], element
        [1] INPUTS: ListIn = inputs,
        /// in/out, \[numel\] element; may be inputs itself; may be a part of inputs: an entry may be the part of this rank
        [2] OUTPUTS: ListOut = outputs,
    } fields {
        /// host array of count element counts of the outputs; copied by select; \>= 0; refused if count \< 1: needs at least 1 tensor
        FIELD_NUMEL: Integers = numel (count),
    } pointers {
        numel,
    }
    /// ```text
    /// Sends tensors to another rank, where recv with the same types and counts takes them. A receiver that does not know the counts takes
    /// them first, by a call of its own for a tensor of fixed extent. On the host a copy is sent and the call does not wait.
    /// ```
    ///
    /// What holds for all operators of its family, collective: [`Operator::conventions`].
    SendOp: SEND (SendOpDescriptor = adj_send_descriptor, SendOpArgs = adj_send_args) {
        /// in, an ncclComm_t of the device; on the host stream a handle of adj_host_comm_create
        [0] COMMUNICATOR: Handle = communicator,
        /// in, \[numel\] element
        [1] TENSORS: ListIn = tensors,
    } fields {
        /// host array of count element counts; copied by select; \>= 0; refused if count \< 1: needs at least 1 tensor
        FIELD_NUMEL: Integers = numel (count),
    } pointers {
        numel,
    }
    /// ```text
    /// Receives what another rank sends.
    /// ```
    ///
    /// What holds for all operators of its family, collective: [`Operator::conventions`].
    Recv: RECV (RecvDescriptor = adj_recv_descriptor, RecvArgs = adj_recv_args) {
        /// in, an ncclComm_t of the device; on the host stream a handle of adj_host_comm_create
        [0] COMMUNICATOR: Handle = communicator,
        /// out, \[numel\] element
        [1] TENSORS: ListOut = tensors,
    } fields {
        /// host array of count element counts; copied by select; \>= 0; refused if count \< 1: needs at least 1 tensor
        FIELD_NUMEL: Integers = numel (count),
    } pointers {
        numel,
    }
    /// ```text
    /// tensors[i] of every rank become those of the rank root.
    /// ```
    ///
    /// What holds for all operators of its family, collective: [`Operator::conventions`].
    Broadcast: BROADCAST (BroadcastDescriptor = adj_broadcast_descriptor, BroadcastArgs = adj_broadcast_args) {
        /// in, an ncclComm_t of the device; on the host stream a handle of adj_host_comm_create
        [0] COMMUNICATOR: Handle = communicator,
        /// in/out, \[numel\] element
        [1] TENSORS: ListOut = tensors,
    } fields {
        /// host array of count element counts; copied by select; \>= 0; refused if count \< 1: needs at least 1 tensor
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
    ///
    /// What holds for all operators of its family, collective: [`Operator::conventions`].
    AdasumAllReduce: ADASUM_ALL_REDUCE (AdasumAllReduceDescriptor = adj_adasum_all_reduce_descriptor, AdasumAllReduceArgs = adj_adasum_all_reduce_args) {
        /// in, an ncclComm_t of the device; on the host stream a handle of adj_host_comm_create
        [0] COMMUNICATOR: Handle = communicator,
        /// in, \[numel\] element
        [1] INPUTS: ListIn = inputs,
        /// out, \[numel\] element; may be inputs itself
        [2] OUTPUTS: ListOut = outputs,
    } fields {
        /// host array of count element counts; copied by select; \>= 0; refused if count \< 1: needs at least 1 tensor
        FIELD_NUMEL: Integers = numel (count),
    } pointers {
        numel,
    }
    /// ```text
    /// The beginning of a tensor-parallel block: a copy in the forward direction, the sum over all ranks in the backward one.
    /// ```
    ///
    /// What holds for all operators of its family, collective: [`Operator::conventions`].
    MegatronF: MEGATRON_F (MegatronFDescriptor = adj_megatron_f_descriptor, MegatronFArgs = adj_megatron_f_args) {
        /// in, only if backward
        [0] COMMUNICATOR: Handle = communicator,
        /// in, \[numel\] element
        [1] INPUT: In = input,
        /// out, \[numel\] element; may be input itself
        [2] OUTPUT: Out = output,
    } fields {
    } pointers {
    }
    /// ```text
    /// The end of a tensor-parallel block: the sum over all ranks in the forward direction, a copy in the backward one.
    /// ```
    ///
    /// What holds for all operators of its family, collective: [`Operator::conventions`].
    MegatronG: MEGATRON_G (MegatronGDescriptor = adj_megatron_g_descriptor, MegatronGArgs = adj_megatron_g_args) {
        /// in, only if !backward
        [0] COMMUNICATOR: Handle = communicator,
        /// in, \[numel\] element
        [1] INPUT: In = input,
        /// out, \[numel\] element; may be input itself
        [2] OUTPUT: Out = output,
    } fields {
    } pointers {
    }
    /// ```text
    /// UpdateLossScale: the dynamic scale of a loss, after a step of training.
    ///     found_inf is not 0:                    new = scale * backoff_factor,   growth_tracker = 0
    ///     growth_tracker + 1 >= growth_interval: new = scale * growth_factor,    growth_tracker = 0
    ///     otherwise:                             new = scale,                    growth_tracker += 1
    ///     scale = max(min_scale, min(max_scale, new)) in the first two cases
    ///
    /// Arguments. found_inf is what clip_grad_norm, l2_norm, all_finite or scale has written. The scale belongs to the gradients of the step, so the call
    /// comes after clip_grad_norm and the optimizer, which take the scale as their grad_scale. Nothing needs the host: a captured step scales, checks,
    /// skips and adapts by itself.
    ///
    /// Types. Products and limits are in f64. The stored scale is rounded once.
    ///
    /// Edge cases:
    /// - A growth whose result is not finite leaves the scale as it is.
    /// - A scale of NaN stays NaN.
    /// - Unlike PyTorch, the scale grows at growth_tracker + 1 >= growth_interval, not only at equality.
    ///
    /// Source: PyTorch torch._amp_update_scale_ and torch.amp.GradScaler.update; min_scale and max_scale are those of NVIDIA Apex's LossScaler. With the
    /// defaults of both limits the scale is that of PyTorch.
    /// ```
    ///
    /// What holds for all operators of its family, precision: [`Operator::conventions`].
    UpdateLossScale: UPDATE_LOSS_SCALE (UpdateLossScaleDescriptor = adj_update_loss_scale_descriptor, UpdateLossScaleArgs = adj_update_loss_scale_args) {
        /// in, \[1\] f32: not 0, a NaN included, when the step has been skipped
        [0] FOUND_INF: In = found_inf,
        /// in/out, \[1\] f32
        [1] SCALE: Out = scale,
        /// in/out, \[1\] i32: steps without found_inf since the scale has changed
        [2] GROWTH_TRACKER: Out = growth_tracker,
    } fields {
    } pointers {
    }
    /// ```text
    /// Lion (Chen et al. 2023, Symbolic Discovery of Optimization Algorithms). With the gradient
    ///     g = grad / s,   s = max(grad_scale, gradient_norm / max_norm)
    ///     c = beta1 * m + (1 - beta1) * g,   m = beta2 * m + (1 - beta2) * g,   w -= lr * (sign(c) + weight_decay * w)
    /// gradient_norm is as in adam.
    ///
    /// Results are defined to the last bit; only the payload of a NaN is open. Scalars are combined in f64 and then rounded to the type of the
    /// arithmetic, in which, fma rounding once,
    ///     g = grad / s,   c = fma(1 - beta1, g, beta1 * m),   m = fma(1 - beta2, g, beta2 * m)
    ///     w = w - fma(lr * weight_decay, w, lr * sign(c))
    /// with s = max(grad_scale, gradient_norm * (1 / max_norm)). lr * sign(c) is lr for c > 0, -lr for c < 0, and else c itself: +0, -0 or NaN.
    /// So a weight of -0 stays -0 where c is +0, and becomes +0 where c is -0.
    ///
    /// A call skips when update_signal is 0, when found_inf is not 0, or when gradient_norm is not finite; that is an error by value, and on
    /// the device is counted in error_flag. It then leaves everything as it is, but clears gradients all the same.
    /// ```
    ///
    /// What holds for all operators of its family, optimizer: [`Operator::conventions`].
    Lion: LION (LionDescriptor = adj_lion_descriptor, LionArgs = adj_lion_args) {
        /// in/out, \[numel\] param: parameters w
        [0] PARAMS: ListOut = params,
        /// in/out, \[numel\] grad; written if clear_grads
        [1] GRADS: ListOut = grads,
        /// in/out, \[numel\] state: moment m
        [2] EXP_AVG: ListOut = exp_avg,
        /// in/out, \[numel\] copy; only if copy
        [3] COPIES: ListOut = copies,
        /// in, any floating-point type on the device: finite, not negative; must be given
        [4] LR: Scalar = lr,
        /// in/out, i64 on the device; on the device if advance_step; written if advance_step: read by stochastic_rounding, then \>= 1 by value
        [5] STEP: ScalarOut = step,
        /// in, i64 on the device; only if stochastic_rounding: on the device all 64 bits count; from 0 to 2^53 by value
        [6] SEED: Scalar = seed,
        /// in, any floating-point type on the device: \> 0
        [7] GRAD_SCALE: Scalar = grad_scale,
        /// in, any floating-point type on the device: \>= 0
        [8] GRADIENT_NORM: Scalar = gradient_norm,
        /// in, bool on the device: 0 skips
        [9] UPDATE_SIGNAL: Scalar = update_signal,
        /// in, optional, \[1\] f32
        [10] FOUND_INF: In = found_inf,
        /// in/out, optional, \[1\] i64: 1 is added when gradient_norm is not finite
        [11] ERROR_FLAG: Out = error_flag,
    } fields {
        /// host array of count element counts; copied by select; \>= 0
        FIELD_NUMEL: Integers = numel (count),
        /// host array: a number for each tensor; equal keys draw equal bits; 0 to 4294967295
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
    ///
    /// Moments are stored in blocks of 256 consecutive elements of a tensor, of which the last one may be short: a byte for each element and a
    /// scale for each block, the largest magnitude in it. For the f32 number with the bits x << 20 written as F(x), a byte c is worth
    ///     in exp_avg:    F(c & 127) * 2^112 * scale, negative where bit 7 is set:  4 bits of exponent, 3 of mantissa
    ///     in exp_avg_sq: F(c) * 2^96 * scale:                                      5 bits of exponent, 3 of mantissa
    /// so that the largest magnitude is stored as it is. The worth of a byte is rounded to f32. Training begins with zeros in all four lists. m is
    /// rounded to the nearest byte, away from 0 between two; a negative m that is rounded to 0 has the byte 0x80, which is worth -0. v is rounded at
    /// random, as weights are by stochastic rounding, with the bits that a weight draws: its decay of a thousandth at a step is less than half the distance of two
    /// bytes, and would be lost. The smallest byte of v is 1, which keeps divisors above 0. A block without a magnitude of 2^-126 or more becomes
    /// zero, with a scale and bytes of 0. A block with a magnitude that is not finite gets the scale NaN and bytes of 0: from the next step on all
    /// its weights are NaN.
    ///
    /// An entry of the list that is a part of a tensor begins with a block, at a multiple of 256.
    ///
    /// Results are defined to the last bit, but for the payload of a NaN. Scalars are combined in f64 and rounded to f32, and in f32, fma rounding
    /// once,
    ///     g = grad / s,   m = fma(1 - beta1, g, beta1 * m),   v = fma((1 - beta2) * g, g, beta2 * v)
    ///     w = w - fma(lr * weight_decay, w, (lr / a) * (m / fma(sqrt(v), 1 / sqrt(b), epsilon)))
    ///     byte of m: |m| * (1 / scale) * 2^-112, rounded;  byte of v: |v| * (1 / scale) * 2^-96, rounded, from 1 to 248
    /// with s = max(grad_scale, gradient_norm * (1 / max_norm)).
    ///
    /// A call skips when update_signal is 0, when found_inf is not 0, when gradient_norm is not finite, or when the step is below 1; the last
    /// two are errors by value, and on the device are counted in error_flag. It then leaves everything as it is, but clears gradients all the
    /// same.
    /// ```
    ///
    /// What holds for all operators of its family, optimizer: [`Operator::conventions`].
    Adamw8bit: ADAMW_8BIT (Adamw8bitDescriptor = adj_adamw_8bit_descriptor, Adamw8bitArgs = adj_adamw_8bit_args) {
        /// in/out, \[numel\] param: parameters w
        [0] PARAMS: ListOut = params,
        /// in/out, \[numel\] grad; written if clear_grads
        [1] GRADS: ListOut = grads,
        /// in/out, \[numel\] u8: bytes of the first moment m
        [2] EXP_AVG: ListOut = exp_avg,
        /// in/out, \[ceil_div(numel, 256)\] f32: scales of m
        [3] EXP_AVG_SCALE: ListOut = exp_avg_scale,
        /// in/out, \[numel\] u8: bytes of the second moment v
        [4] EXP_AVG_SQ: ListOut = exp_avg_sq,
        /// in/out, \[ceil_div(numel, 256)\] f32: scales of v
        [5] EXP_AVG_SQ_SCALE: ListOut = exp_avg_sq_scale,
        /// in/out, \[numel\] copy; only if copy
        [6] COPIES: ListOut = copies,
        /// in, any floating-point type on the device: finite, not negative; must be given
        [7] LR: Scalar = lr,
        /// in/out, i64 on the device; on the device if advance_step; written if advance_step: \>= 1
        [8] STEP: ScalarOut = step,
        /// in, i64 on the device: of the random bits: on the device all 64 bits count; from 0 to 2^53 by value
        [9] SEED: Scalar = seed,
        /// in, any floating-point type on the device: \> 0
        [10] GRAD_SCALE: Scalar = grad_scale,
        /// in, any floating-point type on the device: \>= 0
        [11] GRADIENT_NORM: Scalar = gradient_norm,
        /// in, bool on the device: 0 skips
        [12] UPDATE_SIGNAL: Scalar = update_signal,
        /// in, optional, \[1\] f32
        [13] FOUND_INF: In = found_inf,
        /// in/out, optional, \[1\] i64: 1 is added when the device step is below 1 or gradient_norm is not finite
        [14] ERROR_FLAG: Out = error_flag,
    } fields {
        /// host array of count element counts; copied by select; \>= 0
        FIELD_NUMEL: Integers = numel (count),
        /// host array: a number for each tensor; equal keys draw equal bits; 0 to 4294967295
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
    ///
    /// What holds for all operators of its family, matmul: [`Operator::conventions`].
    Matmul: MATMUL (MatmulDescriptor = adj_matmul_descriptor, MatmulArgs = adj_matmul_args) {
        /// in, transpose_a ? \[batch, k, m\] : \[batch, m, k\], element: A as stored
        [0] A: In = a,
        /// in, transpose_b ? \[batch, n, k\] : \[batch, k, n\], element: B as stored
        [1] B: In = b,
        /// in, \[n\] out; only if has_bias
        [2] BIAS: In = bias,
        /// in, \[batch, m, n\] out; only if beta != 0: laid out like d
        [3] C: In = c,
        /// in, \[batch, m, n\] out; only if epilogue == gelu_tanh_backward: laid out like d: what the forward product wrote to preactivation
        [4] SAVED: In = saved,
        /// in/out, \[batch, m, n\] out; read if write_mode == accumulate; may be c itself: D; what lies between its rows is kept
        [5] D: Out = d,
        /// in/out, \[batch, m, n\] out; only if has_preactivation; read if ldd \> n \|\| stride_d \> m \* n: laid out like d; what lies between its rows is kept
        [6] PREACTIVATION: Out = preactivation,
        /// in/out, \[m\] out; only if has_dbias; read if write_mode == accumulate
        [7] DBIAS: Out = dbias,
    } fields {
    } pointers {
    }
    /// ```text
    /// Attention: out and lse of the formulas above.
    ///
    /// Its gradient: attention_backward(dout, q, k, v, out, lse, cu_seqlens).
    /// ```
    ///
    /// What holds for all operators of its family, attention: [`Operator::conventions`].
    AttentionForward: ATTENTION_FORWARD (AttentionForwardDescriptor = adj_attention_forward_descriptor, AttentionForwardArgs = adj_attention_forward_args) {
        /// in, has_lengths ? \[tokens, heads, head_dim\] : \[batch, tokens, heads, head_dim\], element; or its span with q_strides
        [0] Q: In = q,
        /// in, has_lengths ? \[tokens, (kv_heads ? kv_heads : heads), head_dim\] : \[batch, tokens, (kv_heads ? kv_heads : heads), head_dim\], element; or its span with k_strides
        [1] K: In = k,
        /// in, has_lengths ? \[tokens, (kv_heads ? kv_heads : heads), head_dim\] : \[batch, tokens, (kv_heads ? kv_heads : heads), head_dim\], element; or its span with v_strides
        [2] V: In = v,
        /// in, \[batch + 1\] i32; only if has_lengths
        [3] CU_SEQLENS: In = cu_seqlens,
        /// out, has_lengths ? \[tokens, heads, head_dim\] : \[batch, tokens, heads, head_dim\], element; or its span with out_strides
        [4] OUT: Out = out,
        /// out, has_lengths ? \[heads, tokens\] : \[batch, heads, tokens\], accumulator(element)
        [5] LSE: Out = lse,
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
    ///
    /// What holds for all operators of its family, attention: [`Operator::conventions`].
    AttentionBackward: ATTENTION_BACKWARD (AttentionBackwardDescriptor = adj_attention_backward_descriptor, AttentionBackwardArgs = adj_attention_backward_args) {
        /// in, has_lengths ? \[tokens, heads, head_dim\] : \[batch, tokens, heads, head_dim\], element; or its span with dout_strides
        [0] DOUT: In = dout,
        /// in, has_lengths ? \[tokens, heads, head_dim\] : \[batch, tokens, heads, head_dim\], element; or its span with q_strides
        [1] Q: In = q,
        /// in, has_lengths ? \[tokens, (kv_heads ? kv_heads : heads), head_dim\] : \[batch, tokens, (kv_heads ? kv_heads : heads), head_dim\], element; or its span with k_strides
        [2] K: In = k,
        /// in, has_lengths ? \[tokens, (kv_heads ? kv_heads : heads), head_dim\] : \[batch, tokens, (kv_heads ? kv_heads : heads), head_dim\], element; or its span with v_strides
        [3] V: In = v,
        /// in, has_lengths ? \[tokens, heads, head_dim\] : \[batch, tokens, heads, head_dim\], element; or its span with out_strides
        [4] OUT: In = out,
        /// in, has_lengths ? \[heads, tokens\] : \[batch, heads, tokens\], accumulator(element)
        [5] LSE: In = lse,
        /// in, \[batch + 1\] i32; only if has_lengths
        [6] CU_SEQLENS: In = cu_seqlens,
        /// out, has_lengths ? \[tokens, heads, head_dim\] : \[batch, tokens, heads, head_dim\], element; or its span with dq_strides
        [7] DQ: Out = dq,
        /// out, has_lengths ? \[tokens, (kv_heads ? kv_heads : heads), head_dim\] : \[batch, tokens, (kv_heads ? kv_heads : heads), head_dim\], element; or its span with dk_strides
        [8] DK: Out = dk,
        /// out, has_lengths ? \[tokens, (kv_heads ? kv_heads : heads), head_dim\] : \[batch, tokens, (kv_heads ? kv_heads : heads), head_dim\], element; or its span with dv_strides
        [9] DV: Out = dv,
    } fields {
    } pointers {
    }
    /// ```text
    /// Rotary position embedding: out of the formulas above.
    ///
    /// Its gradient: rope_backward(dout, input ? has_norm, positions, cos, sin, q_weight, k_weight).
    /// ```
    ///
    /// What holds for all operators of its family, rope: [`Operator::conventions`].
    RopeForward: ROPE_FORWARD (RopeForwardDescriptor = adj_rope_forward_descriptor, RopeForwardArgs = adj_rope_forward_args) {
        /// in, \[batch, tokens, heads + kv_heads, head_dim\] element; or its span with strides
        [0] INPUT: In = input,
        /// in, \[batch, tokens\] position; only if position
        [1] POSITIONS: In = positions,
        /// in, \[table_rows, (rotary_dim ? rotary_dim : head_dim) / 2\], accumulator(element); only if table_rows \> 0
        [2] COS: In = cos,
        /// in, \[table_rows, (rotary_dim ? rotary_dim : head_dim) / 2\], accumulator(element); only if table_rows \> 0
        [3] SIN: In = sin,
        /// in, \[head_dim\] weight; only if has_norm
        [4] Q_WEIGHT: In = q_weight,
        /// in, \[head_dim\] weight; only if has_norm && kv_heads \> 0
        [5] K_WEIGHT: In = k_weight,
        /// out, \[batch, tokens, heads + kv_heads, head_dim\] element; or its span with out_strides; may be input itself
        [6] OUT: Out = out,
        /// in/out, optional, \[1\] i64: positions out of range are added to it
        [7] ERROR_FLAG: Out = error_flag,
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
    ///
    /// What holds for all operators of its family, rope: [`Operator::conventions`].
    RopeBackward: ROPE_BACKWARD (RopeBackwardDescriptor = adj_rope_backward_descriptor, RopeBackwardArgs = adj_rope_backward_args) {
        /// in, \[batch, tokens, heads + kv_heads, head_dim\] element; or its span with dout_strides
        [0] DOUT: In = dout,
        /// in, \[batch, tokens, heads + kv_heads, head_dim\] element; or its span with strides; only if has_norm
        [1] INPUT: In = input,
        /// in, \[batch, tokens\] position; only if position
        [2] POSITIONS: In = positions,
        /// in, \[table_rows, (rotary_dim ? rotary_dim : head_dim) / 2\], accumulator(element); only if table_rows \> 0
        [3] COS: In = cos,
        /// in, \[table_rows, (rotary_dim ? rotary_dim : head_dim) / 2\], accumulator(element); only if table_rows \> 0
        [4] SIN: In = sin,
        /// in, \[head_dim\] weight; only if has_norm
        [5] Q_WEIGHT: In = q_weight,
        /// in, \[head_dim\] weight; only if has_norm && kv_heads \> 0
        [6] K_WEIGHT: In = k_weight,
        /// out, \[batch, tokens, heads + kv_heads, head_dim\] element; or its span with dinput_strides; may be dout or input itself
        [7] DINPUT: Out = dinput,
        /// in/out, \[head_dim\] weight; only if has_norm; read if write_mode == accumulate
        [8] DQ_WEIGHT: Out = dq_weight,
        /// in/out, \[head_dim\] weight; only if has_norm && kv_heads \> 0; read if write_mode == accumulate
        [9] DK_WEIGHT: Out = dk_weight,
        /// in/out, optional, \[1\] i64: positions out of range are added to it
        [10] ERROR_FLAG: Out = error_flag,
    } fields {
    } pointers {
    }
    /// ```text
    /// Transpose of matrices:   output[b, c, r] = input[b, r, c]
    /// ```
    ///
    /// What holds for all operators of its family, shape: [`Operator::conventions`].
    Transpose: TRANSPOSE (TransposeDescriptor = adj_transpose_descriptor, TransposeArgs = adj_transpose_args) {
        /// in, \[batch, rows, columns\] element
        [0] INPUT: In = input,
        /// out, \[batch, columns, rows\] element
        [1] OUTPUT: Out = output,
    } fields {
    } pointers {
    }
    /// ```text
    /// Fill:   out[i] = value, rounded once
    /// ```
    ///
    /// What holds for all operators of its family, fill: [`Operator::conventions`].
    Fill: FILL (FillDescriptor = adj_fill_descriptor, FillArgs = adj_fill_args) {
        /// in, f32 or f64 on the device
        [0] VALUE: Scalar = value,
        /// out, \[numel\] element
        [1] OUT: Out = out,
    } fields {
    } pointers {
    }
    /// ```text
    /// Normal:   out[e] = mean + std * n(e), rounded once
    ///
    /// n is made by Box and Muller from Philox4x32-10, keyed and counted as in dropout.h. Elements 2 k and 2 k + 1, counted in row-major order, take words
    /// u and v: the words (2 k) mod 4 and (2 k + 1) mod 4 of the block whose counter is (b mod 2^32, b / 2^32, 0, 0), b = (offset / 4 + e / 4) mod 2^64.
    ///     r = sqrt(-2 log((u + 1/2) * 2^-32)),   t = 2 pi v * 2^-32,   n(2 k) = r cos t,   n(2 k + 1) = r sin t
    /// in f64. So an element depends on seed, offset, mean, std and e alone, and |n| is at most 6.77.
    ///
    /// Arguments. A call consumes 4 * ceil(numel / 4) words. The next call takes an offset that much larger. random has no default. Its offset is a multiple
    /// of 4; the host refuses others. A CUDA device cannot: it uses offset - offset mod 4 of one in its memory.
    ///
    /// Terms (see adj_guarantee): |mean| + |std| (1 + |n|).
    /// ```
    ///
    /// What holds for all operators of its family, fill: [`Operator::conventions`].
    Normal: NORMAL (NormalDescriptor = adj_normal_descriptor, NormalArgs = adj_normal_args) {
        /// in, f32 or f64 on the device
        [0] MEAN: Scalar = mean,
        /// in, f32 or f64 on the device
        [1] STD: Scalar = std,
        /// in, seed and offset, must be given
        [2] RANDOM: Random = random,
        /// out, \[numel\] element
        [3] OUT: Out = out,
    } fields {
    } pointers {
    }
    /// ```text
    /// The router of a mixture of experts. For each token, with logits z and scores s:
    ///     experts[t, :]   the top_k experts with the largest z, or with has_bias the largest s + expert_bias, in descending order; of equal ones the lower first
    ///     weights[t, j]   scale * s of the chosen expert; with normalise divided by (the sum of the chosen s + 1e-20), unless top_k is 1
    ///     counts[e]       the tokens that have chosen e
    ///     loss            balance * E / (top_k * T^2) * sum over e of counts[e] * (sum over t of p[t, e]) + z_loss / T * sum over t of logsumexp(z)^2
    /// T is the number of tokens that count. p is softmax(z), for sigmoid and sqrt_softplus s / (sum of s). A balanced router has a loss of `balance`.
    ///
    /// Scores. In softmax_of_chosen, s is z where the choice is made by a bias or by groups, and the softmax of the chosen z where weights are made.
    ///
    /// Groups. With groups above 0, num_experts / groups neighbouring experts are a group. The score of a group is the sum of its top_k / top_groups largest
    /// s + expert_bias; only experts of the top_groups best groups are chosen.
    ///
    /// Types. All is computed in f32. Sums over tokens are taken in an order that follows from the shape.
    ///
    /// In place. Outputs must not overlap inputs.
    ///
    /// Edge cases:
    /// - A NaN counts as the lowest logit and adds nothing to the softmax of others. If it is chosen its weight is NaN, and with normalise and in
    ///   softmax_of_chosen every weight of the token. A token with a NaN is counted in error_flag; its part of the loss is NaN.
    /// - A logit of -infinity has the score 0. A token whose logits are all -infinity has weights of NaN with softmax. +infinity gives NaN.
    /// - A token whose mask is 0 has experts of -1 and weights of 0, and does not count.
    /// - With T = 0 the loss is 0.
    ///
    /// Source: the routers of Mixtral, Qwen3 and DeepSeek-V3; the balance loss of Switch Transformers; the z-loss of ST-MoE.
    ///
    /// Its gradient: moe_route_backward(logits, experts, dweights, counts ? has_losses, counted ? has_losses, dloss ? has_losses).
    /// ```
    ///
    /// What holds for all operators of its family, moe: [`Operator::conventions`].
    MoeRoute: MOE_ROUTE (MoeRouteDescriptor = adj_moe_route_descriptor, MoeRouteArgs = adj_moe_route_args) {
        /// in, \[tokens, num_experts\] element
        [0] LOGITS: In = logits,
        /// in, \[num_experts\] f32; only if has_bias
        [1] EXPERT_BIAS: In = expert_bias,
        /// in, optional, \[tokens\] bool: 0: the token does not count: 1 without
        [2] MASK: In = mask,
        /// out, \[tokens, top_k\] i32
        [3] EXPERTS: Out = experts,
        /// out, \[tokens, top_k\] f32
        [4] WEIGHTS: Out = weights,
        /// out, \[num_experts\] i32
        [5] COUNTS: Out = counts,
        /// out, \[1\] i64; only if has_losses: T
        [6] COUNTED: Out = counted,
        /// out, \[1\] f32; only if has_losses
        [7] LOSS: Out = loss,
        /// in/out, optional, \[1\] i64: tokens with a NaN are added to it
        [8] ERROR_FLAG: Out = error_flag,
    } fields {
    } pointers {
    }
    /// ```text
    /// The router of a mixture of experts, gradient. With d = scale * dweights, S = the sum of the chosen s + 1e-20, and g = dloss:
    ///     ds[j] = (d[j] - sum over i of s[i] / S * d[i]) / S with normalise, unless top_k is 1; else d[j]
    ///     dlogits = for softmax s * (ds - sum over all experts of s * ds), with ds = 0 off the choice
    ///               for softmax_of_chosen p[j] * (d[j] - sum over i of p[i] * d[i]), p the softmax of the chosen
    ///               for sigmoid ds * s * (1 - s), for sqrt_softplus ds * sigmoid(z) / (2 * s); 0 off the choice
    ///             + g * balance * E / (top_k * T^2) * p[e] * (counts[e] - sum over f of p[f] * counts[f])
    ///               for sigmoid and sqrt_softplus with ds/dz / (sum of s) for the factor p[e]
    ///             + g * z_loss * 2 / T * logsumexp(z) * softmax(z)[e]
    /// The choice has no gradient, nor has expert_bias. Across ranks, counts and counted (T) may be sums over them.
    ///
    /// Edge cases:
    /// - A token whose first expert is outside [0, num_experts), as one that a mask has dropped, has the gradient 0. Other experts outside add nothing.
    /// ```
    ///
    /// What holds for all operators of its family, moe: [`Operator::conventions`].
    MoeRouteBackward: MOE_ROUTE_BACKWARD (MoeRouteBackwardDescriptor = adj_moe_route_backward_descriptor, MoeRouteBackwardArgs = adj_moe_route_backward_args) {
        /// in, \[tokens, num_experts\] element
        [0] LOGITS: In = logits,
        /// in, \[tokens, top_k\] i32
        [1] EXPERTS: In = experts,
        /// in, \[tokens, top_k\] f32
        [2] DWEIGHTS: In = dweights,
        /// in, \[num_experts\] i32; only if has_losses
        [3] COUNTS: In = counts,
        /// in, \[1\] i64; only if has_losses
        [4] COUNTED: In = counted,
        /// in, \[1\] f32; only if has_losses
        [5] DLOSS: In = dloss,
        /// out, \[tokens, num_experts\] element; may be logits itself
        [6] DLOGITS: Out = dlogits,
    } fields {
    } pointers {
    }
    /// ```text
    /// The plan of a mixture of experts: a stable sort of pairs by expert.
    ///     n_e            pairs with expert e, at most capacity of them where that is above 0: the first ones
    ///     offsets[e]     first row of expert e: the sum over f < e of n_f, each rounded up to a multiple of align
    ///     order[p]       the pair of row p; -1 for a row that has none
    ///     inverse[t, j]  the row of pair (t, j); -1 for a pair that is left out
    ///
    /// Rows. offsets[num_experts] rows belong to groups; the other rows of order, up to tokens * top_k + num_experts * (align - 1), have no pair. Pairs of an
    /// expert lie in its group in ascending order, and rows without a pair behind them.
    ///
    /// Results. They follow from experts alone: exactly, on every backend.
    ///
    /// In place. No output may overlap another one or experts.
    ///
    /// Edge cases:
    /// - A pair whose expert is -1 is left out, as those of a token that a mask drops. One with any other expert outside [0, num_experts) is left out and
    ///   counted in error_flag.
    /// - A token may name an expert several times.
    /// - Without tokens all offsets are 0.
    ///
    /// Workspace on a device: 4 num_experts bytes for each of at most 256 blocks; none up to 2048 pairs.
    ///
    /// Source: the permutation of Megatron-LM's and Transformer Engine's mixtures of experts, which pads groups alike.
    /// ```
    ///
    /// What holds for all operators of its family, moe: [`Operator::conventions`].
    MoePlan: MOE_PLAN (MoePlanDescriptor = adj_moe_plan_descriptor, MoePlanArgs = adj_moe_plan_args) {
        /// in, \[tokens, top_k\] index
        [0] EXPERTS: In = experts,
        /// out, \[num_experts + 1\] i32
        [1] OFFSETS: Out = offsets,
        /// out, \[tokens \* top_k + num_experts \* (align - 1)\] i32
        [2] ORDER: Out = order,
        /// out, \[tokens, top_k\] i32
        [3] INVERSE: Out = inverse,
        /// in/out, optional, \[1\] i64: experts out of range are added to it
        [4] ERROR_FLAG: Out = error_flag,
    } fields {
    } pointers {
    }
    /// ```text
    /// Rows for experts: a copy of each token for every expert that it goes to.
    ///     out[inverse[t, j], :] = input[t, :],   out[p, :] = 0 where order[p] < 0
    ///
    /// Plans. order and inverse are those of one moe_plan. If they are not, rows of out are unspecified; nothing is read or written outside the buffers.
    ///
    /// In place. out must not overlap an input.
    ///
    /// Edge cases:
    /// - An inverse of -1 names no row. One outside [-1, num_rows) names none either, and is counted in error_flag.
    ///
    /// Its gradient: moe_permute_backward(dout, inverse).
    /// ```
    ///
    /// What holds for all operators of its family, moe: [`Operator::conventions`].
    MoePermute: MOE_PERMUTE (MoePermuteDescriptor = adj_moe_permute_descriptor, MoePermuteArgs = adj_moe_permute_args) {
        /// in, \[tokens, columns\] element
        [0] INPUT: In = input,
        /// in, \[num_rows\] i32
        [1] ORDER: In = order,
        /// in, \[tokens, top_k\] i32
        [2] INVERSE: In = inverse,
        /// out, \[num_rows, columns\] element
        [3] OUT: Out = out,
        /// in/out, optional, \[1\] i64: entries of inverse out of range are added to it
        [4] ERROR_FLAG: Out = error_flag,
    } fields {
    } pointers {
    }
    /// ```text
    /// Rows for experts, gradient: the sum of what comes back for each token.
    ///     dinput[t, :] = sum over j of dout[inverse[t, j], :]
    ///
    /// Types. 16-bit types accumulate in f32, in the order of j, and are rounded once.
    ///
    /// In place. dinput must not overlap an input.
    ///
    /// Edge cases:
    /// - An inverse of -1 adds nothing. One outside [-1, num_rows) adds nothing either, and is counted in error_flag.
    /// ```
    ///
    /// What holds for all operators of its family, moe: [`Operator::conventions`].
    MoePermuteBackward: MOE_PERMUTE_BACKWARD (MoePermuteBackwardDescriptor = adj_moe_permute_backward_descriptor, MoePermuteBackwardArgs = adj_moe_permute_backward_args) {
        /// in, \[num_rows, columns\] element
        [0] DOUT: In = dout,
        /// in, \[tokens, top_k\] i32
        [1] INVERSE: In = inverse,
        /// out, \[tokens, columns\] element
        [2] DINPUT: Out = dinput,
        /// in/out, optional, \[1\] i64: entries of inverse out of range are added to it
        [3] ERROR_FLAG: Out = error_flag,
    } fields {
    } pointers {
    }
    /// ```text
    /// What experts return, summed for each token.
    ///     out[t, :] = sum over j of weights[t, j] * rows[inverse[t, j], :],   without weights of rows[inverse[t, j], :]
    ///
    /// Types. The sums are taken in f32 (f64 for f64), in the order of j, and are rounded once.
    ///
    /// In place. out must not overlap an input.
    ///
    /// Edge cases:
    /// - An inverse of -1 adds nothing, not 0 times something. One outside [-1, num_rows) adds nothing either, and is counted in error_flag.
    ///
    /// Its gradient: moe_unpermute_backward(dout, rows, weights, order, inverse).
    /// ```
    ///
    /// What holds for all operators of its family, moe: [`Operator::conventions`].
    MoeUnpermute: MOE_UNPERMUTE (MoeUnpermuteDescriptor = adj_moe_unpermute_descriptor, MoeUnpermuteArgs = adj_moe_unpermute_args) {
        /// in, \[num_rows, columns\] element
        [0] ROWS: In = rows,
        /// in, \[tokens, top_k\] accumulator(element); only if has_weights
        [1] WEIGHTS: In = weights,
        /// in, optional, \[num_rows\] i32: not read; the gradient takes it from here
        [2] ORDER: In = order,
        /// in, \[tokens, top_k\] i32
        [3] INVERSE: In = inverse,
        /// out, \[tokens, columns\] element
        [4] OUT: Out = out,
        /// in/out, optional, \[1\] i64: entries of inverse out of range are added to it
        [5] ERROR_FLAG: Out = error_flag,
    } fields {
    } pointers {
    }
    /// ```text
    /// What experts return, gradient:
    ///     drows[inverse[t, j], :] = weights[t, j] * dout[t, :],   without weights dout[t, :],   drows[p, :] = 0 where order[p] < 0
    ///     dweights[t, j] = sum over columns of dout[t, :] * rows[inverse[t, j], :]
    ///
    /// Types. Products and sums are taken in f32 (f64 for f64) and rounded once.
    ///
    /// Plans. order and inverse are those of one moe_plan. If they are not, rows of drows are unspecified; nothing is read or written outside the buffers.
    ///
    /// In place. drows may be the buffer of rows.
    ///
    /// Edge cases:
    /// - The weight of an inverse of -1 has the gradient 0. So has that of one outside [-1, num_rows), which is counted in error_flag.
    /// ```
    ///
    /// What holds for all operators of its family, moe: [`Operator::conventions`].
    MoeUnpermuteBackward: MOE_UNPERMUTE_BACKWARD (MoeUnpermuteBackwardDescriptor = adj_moe_unpermute_backward_descriptor, MoeUnpermuteBackwardArgs = adj_moe_unpermute_backward_args) {
        /// in, \[tokens, columns\] element
        [0] DOUT: In = dout,
        /// in, \[num_rows, columns\] element; only if has_weights
        [1] ROWS: In = rows,
        /// in, \[tokens, top_k\] accumulator(element); only if has_weights
        [2] WEIGHTS: In = weights,
        /// in, \[num_rows\] i32
        [3] ORDER: In = order,
        /// in, \[tokens, top_k\] i32
        [4] INVERSE: In = inverse,
        /// out, \[num_rows, columns\] element; may be rows itself
        [5] DROWS: Out = drows,
        /// out, \[tokens, top_k\] accumulator(element); only if has_weights
        [6] DWEIGHTS: Out = dweights,
        /// in/out, optional, \[1\] i64: entries of inverse out of range are added to it
        [7] ERROR_FLAG: Out = error_flag,
    } fields {
    } pointers {
    }
    /// ```text
    /// Group norm: the channels of a sample form `groups` groups of channels / groups neighbours, and each group of each sample is normalised by itself,
    /// over its m = channels / groups * inner elements:
    ///     y = (x - mean[n, g]) * inv_std[n, g] * scale[c] + bias[c],  inv_std[n, g] = 1 / sqrt(variance of the group + epsilon)  (biased variance)
    /// Here outer = N, and inner is the product of the spatial dimensions. One group is a layer norm over all of a sample; as many groups as channels are
    /// an instance norm. A NaN or an infinity stays in its group of its sample, and makes its statistics NaN.
    ///
    /// Terms, with D and q as above, of a group: as batch norm's Y, mean and inv_std.
    ///
    /// Source: ONNX GroupNormalization of opset 21; PyTorch's group_norm.
    ///
    /// Its gradient: group_norm_backward(dout, input, scale, mean, inv_std).
    /// ```
    ///
    /// What holds for all operators of its family, batch_norm: [`Operator::conventions`].
    GroupNormForward: GROUP_NORM_FORWARD (GroupNormForwardDescriptor = adj_group_norm_forward_descriptor, GroupNormForwardArgs = adj_group_norm_forward_args) {
        /// in, \[outer, channels, inner\] element: X
        [0] INPUT: In = input,
        /// in, optional, \[channels\] weight: 1 without
        [1] SCALE: In = scale,
        /// in, optional, \[channels\] weight: 0 without
        [2] BIAS: In = bias,
        /// out, \[outer, channels, inner\] element; may be input itself: Y
        [3] OUT: Out = out,
        /// out, optional, \[outer, groups\] accumulator(element)
        [4] MEAN: Out = mean,
        /// out, optional, \[outer, groups\] accumulator(element)
        [5] INV_STD: Out = inv_std,
    } fields {
    } pointers {
    }
    /// ```text
    /// Group norm, gradient, with h = (x - mean[n, g]) * inv_std[n, g] and means over the m elements of a group:
    ///     dbias[c] = sum of dy;  dscale[c] = sum of dy * h
    ///     dx = inv_std[n, g] * (scale[c] * dy - mean of scale * dy - h * mean of scale * dy * h)
    /// Terms:
    ///     dX: inv_std * (|scale * dy| + mean of |scale * dy| + |h| * mean of |scale * dy * h|);  dscale: sum of |dy * h|;  dbias: sum of |dy|
    /// ```
    ///
    /// What holds for all operators of its family, batch_norm: [`Operator::conventions`].
    GroupNormBackward: GROUP_NORM_BACKWARD (GroupNormBackwardDescriptor = adj_group_norm_backward_descriptor, GroupNormBackwardArgs = adj_group_norm_backward_args) {
        /// in, \[outer, channels, inner\] element: dY
        [0] DOUT: In = dout,
        /// in, \[outer, channels, inner\] element: X
        [1] INPUT: In = input,
        /// in, optional, \[channels\] weight: 1 without
        [2] SCALE: In = scale,
        /// in, \[outer, groups\] accumulator(element)
        [3] MEAN: In = mean,
        /// in, \[outer, groups\] accumulator(element)
        [4] INV_STD: In = inv_std,
        /// out, \[outer, channels, inner\] element; may be dout or input itself: dX
        [5] DINPUT: Out = dinput,
        /// out, optional, \[channels\] weight
        [6] DSCALE: Out = dscale,
        /// out, optional, \[channels\] weight
        [7] DBIAS: Out = dbias,
    } fields {
    } pointers {
    }
    /// ```text
    /// Cross-entropy of a linear layer, without its scores in memory: they are made, and their gradient is used, for a chunk of samples at a time.
    ///     z[i, c] = cap(sum over h of input[i, h] * linear_weight[c, h] / temperature + bias[c]),  cap(t) = softcap * tanh(t / softcap), or t without
    ///     loss: that of cross_entropy_with_gradient with the scores z
    ///     with_gradient: G = dloss * the derivative of loss (for none of the sum of all losses) with respect to the score before cap, in `element`;
    ///     dinput = G linear_weight / temperature;  dlinear_weight (=|+=) G' input / temperature;  dbias (=|+=) column sums of G
    ///
    /// Chunks. A chunk has chunk_rows samples: with 0 the largest multiple of 128 up to 2048 whose scores in `element` fit max_workspace, at least one and at
    /// most N. Chunks are added in their order, the first one is stored. Where the gradient of the weights is in `element`, it is rounded after each chunk.
    /// So its bits depend on chunk_rows. Those of loss, lse and dinput do not.
    ///
    /// Types. Products are added in f32, and z and G are rounded to `element`. loss and lse are f32.
    ///
    /// Edge cases are those of cross_entropy_with_gradient, and:
    /// - Every sample is ignored: loss, gradients and dbias are 0, with accumulate nothing is added.
    /// - A label outside [0, C): loss, and the row of dinput, are NaN. The row adds nothing to dlinear_weight and dbias.
    /// - Padding of linear_weight and bias is read, so it must be finite; no result depends on it. That of their gradients is 0, with accumulate unchanged.
    /// - A NaN or an infinity in the row of input of a sample that does not count acts on dlinear_weight as in IEEE arithmetic: 0 times it is NaN.
    ///
    /// Terms, with T_c = sum over h of |input linear_weight| / temperature + |bias| + |z_c| and S = the mean of T_c weighted by p, plus L + q:
    ///     loss: w (T_l + S) + sum over c of v_c (T_c + S) + k (|m| + S)^2 / K;  lse: |m| + S;  f = w + sum of v + 2 k (|m| + S) / K
    ///     g_c = |dloss| (f p_c (2 + T_c + S) + v_c), for the label |dloss| (f (2 + T_l + S) + v_l): of G
    ///     in f16 a g_c that is not 0 counts at least 2^-14
    ///     dinput: sum over c of g_c |linear_weight| / temperature;  dlinear_weight: sum over i of g_c |input| / temperature;  dbias: sum over i of g_c;
    ///     with accumulate what was held before
    ///
    /// Source: PyTorch's linear and cross_entropy, and its linear_cross_entropy; Liger Kernel's fused linear cross entropy.
    ///
    /// Its gradient: linear_cross_entropy_backward(dloss, input, linear_weight, bias, labels, weight).
    /// ```
    ///
    /// What holds for all operators of its family, loss: [`Operator::conventions`].
    LinearCrossEntropy: LINEAR_CROSS_ENTROPY (LinearCrossEntropyDescriptor = adj_linear_cross_entropy_descriptor, LinearCrossEntropyArgs = adj_linear_cross_entropy_args) {
        /// in, \[samples, hidden\] element
        [0] INPUT: In = input,
        /// in, \[(padded_classes ? padded_classes : num_classes), hidden\], element
        [1] LINEAR_WEIGHT: In = linear_weight,
        /// in, \[(padded_classes ? padded_classes : num_classes)\], element; only if has_bias
        [2] BIAS: In = bias,
        /// in, \[samples\] label
        [3] LABELS: In = labels,
        /// in, \[num_classes\] weight; only if weight
        [4] WEIGHT: In = weight,
        /// in, f32 or f64 on the device
        [5] DLOSS: Scalar = dloss,
        /// out, reduction == none ? \[samples\] : \[1\], f32
        [6] LOSS: Out = loss,
        /// out, optional, \[samples\] f32: logsumexp
        [7] LSE: Out = lse,
        /// out, \[samples, hidden\] element; only if with_gradient
        [8] DINPUT: Out = dinput,
        /// in/out, \[(padded_classes ? padded_classes : num_classes), hidden\], gradient; only if with_gradient; read if write_mode == accumulate
        [9] DLINEAR_WEIGHT: Out = dlinear_weight,
        /// in/out, \[(padded_classes ? padded_classes : num_classes)\], gradient; only if with_gradient && has_bias; read if write_mode == accumulate
        [10] DBIAS: Out = dbias,
        /// in/out, optional, \[1\] i64: out-of-range labels are added to it
        [11] ERROR_FLAG: Out = error_flag,
    } fields {
    } pointers {
    }
    /// ```text
    /// Cross-entropy of a linear layer, gradient alone: scores are made again. G is that of linear_cross_entropy for a dloss of 1, rounded, and then
    /// multiplied by dloss (mean: and by 1 / Z) and rounded again. Terms: those of linear_cross_entropy.
    /// ```
    ///
    /// What holds for all operators of its family, loss: [`Operator::conventions`].
    LinearCrossEntropyBackward: LINEAR_CROSS_ENTROPY_BACKWARD (LinearCrossEntropyBackwardDescriptor = adj_linear_cross_entropy_backward_descriptor, LinearCrossEntropyBackwardArgs = adj_linear_cross_entropy_backward_args) {
        /// in, reduction == none ? \[samples\] : \[1\], f32
        [0] DLOSS: In = dloss,
        /// in, \[samples, hidden\] element
        [1] INPUT: In = input,
        /// in, \[(padded_classes ? padded_classes : num_classes), hidden\], element
        [2] LINEAR_WEIGHT: In = linear_weight,
        /// in, \[(padded_classes ? padded_classes : num_classes)\], element; only if has_bias
        [3] BIAS: In = bias,
        /// in, \[samples\] label
        [4] LABELS: In = labels,
        /// in, \[num_classes\] weight; only if weight
        [5] WEIGHT: In = weight,
        /// out, \[samples, hidden\] element
        [6] DINPUT: Out = dinput,
        /// in/out, \[(padded_classes ? padded_classes : num_classes), hidden\], gradient; read if write_mode == accumulate
        [7] DLINEAR_WEIGHT: Out = dlinear_weight,
        /// in/out, \[(padded_classes ? padded_classes : num_classes)\], gradient; only if has_bias; read if write_mode == accumulate
        [8] DBIAS: Out = dbias,
        /// in/out, optional, \[1\] i64: out-of-range labels are added to it
        [9] ERROR_FLAG: Out = error_flag,
    } fields {
    } pointers {
    }
    /// ```text
    /// Log-probability of a label and entropy under a linear layer, without its scores in memory:
    ///     z[i, c] = sum over h of input[i, h] * linear_weight[c, h] / temperature, rounded to `element`;  the rest is log_prob_entropy
    /// Chunks, and T_c: see linear_cross_entropy. Terms, with Q as there: entropy: Q (1 + S)      log_prob: T_l + Q + S      lse: |m| + S + Q
    ///
    /// Its gradient: linear_log_prob_backward(dlog_prob, dentropy, input, linear_weight, labels, lse, entropy ? dentropy).
    /// ```
    ///
    /// What holds for all operators of its family, loss: [`Operator::conventions`].
    LinearLogProb: LINEAR_LOG_PROB (LinearLogProbDescriptor = adj_linear_log_prob_descriptor, LinearLogProbArgs = adj_linear_log_prob_args) {
        /// in, \[samples, hidden\] element
        [0] INPUT: In = input,
        /// in, \[num_classes, hidden\] element
        [1] LINEAR_WEIGHT: In = linear_weight,
        /// in, \[samples\] label
        [2] LABELS: In = labels,
        /// out, \[samples\] f32
        [3] LOG_PROB: Out = log_prob,
        /// out, optional, \[samples\] f32
        [4] ENTROPY: Out = entropy,
        /// out, optional, \[samples\] f32: for the gradient
        [5] LSE: Out = lse,
        /// in/out, optional, \[1\] i64: out-of-range labels are added to it
        [6] ERROR_FLAG: Out = error_flag,
    } fields {
    } pointers {
    }
    /// ```text
    /// Log-probability and entropy under a linear layer, gradient: G is that of log_prob_entropy_backward, of scores that are made again, rounded to
    /// `element`; dinput and dlinear_weight are those of linear_cross_entropy. Terms, with y = 1 + T_c + |lse|:
    ///     g_c = p_c y (|dlog_prob| + |dentropy| (1 + y + |entropy|)), for the label |dlog_prob| more; the sums as in linear_cross_entropy
    /// ```
    ///
    /// What holds for all operators of its family, loss: [`Operator::conventions`].
    LinearLogProbBackward: LINEAR_LOG_PROB_BACKWARD (LinearLogProbBackwardDescriptor = adj_linear_log_prob_backward_descriptor, LinearLogProbBackwardArgs = adj_linear_log_prob_backward_args) {
        /// in, \[samples\] f32
        [0] DLOG_PROB: In = dlog_prob,
        /// in, \[samples\] f32; only if with_entropy
        [1] DENTROPY: In = dentropy,
        /// in, \[samples, hidden\] element
        [2] INPUT: In = input,
        /// in, \[num_classes, hidden\] element
        [3] LINEAR_WEIGHT: In = linear_weight,
        /// in, \[samples\] label
        [4] LABELS: In = labels,
        /// in, \[samples\] f32
        [5] LSE: In = lse,
        /// in, \[samples\] f32; only if with_entropy
        [6] ENTROPY: In = entropy,
        /// out, \[samples, hidden\] element
        [7] DINPUT: Out = dinput,
        /// in/out, \[num_classes, hidden\] gradient; read if write_mode == accumulate
        [8] DLINEAR_WEIGHT: Out = dlinear_weight,
        /// in/out, optional, \[1\] i64: out-of-range labels are added to it
        [9] ERROR_FLAG: Out = error_flag,
    } fields {
    } pointers {
    }
    /// ```text
    /// Largest magnitude:   amax (=|max=) max over all elements of |x|
    ///
    /// Edge cases:
    /// - A NaN counts as 0. Infinities count, unless finite_only is set.
    /// - Where no element counts, the maximum is 0.
    /// - With accumulate a NaN in amax stays, and a negative number there counts as 0. Where there are no elements, amax stays as it is.
    /// ```
    ///
    /// What holds for all operators of its family, fp8: [`Operator::conventions`].
    Amax: AMAX (AmaxDescriptor = adj_amax_descriptor, AmaxArgs = adj_amax_args) {
        /// in, \[numel\] element
        [0] INPUTS: ListIn = inputs,
        /// in/out, \[1\] f32; read if write_mode == accumulate
        [1] AMAX: Out = amax,
    } fields {
        /// host array of count element counts; copied by select; \>= 0
        FIELD_NUMEL: Integers = numel (count),
    } pointers {
        numel,
    }
    /// ```text
    /// Codes of a matrix x [rows, columns]. With s the scale of the group of an element, and F that of the code or max_value:
    ///     code = f8(x * s),   the product rounded to f32
    ///     a = largest |x| of the group, NaN left out
    ///     reciprocal: s = F / max(a, eps), r = 1 / s;   quotient: r = max(a, eps) / F, s = 1 / r;   each rounded to f32 and bounded to [2^-126, 2^126]
    ///     pow2:       s = 2^floor(log2(F / max(a, eps))), bounded likewise, r = 1 / s
    ///     a = 0, infinite or NaN (of amax_in): s = r = 1;   given: s is scale, r = 1 / s
    ///
    /// Transposed codes. codes_t [columns, rows] is made in the same pass. With granularity tensor, row and block_128x128 it has the codes of `codes`. With
    /// block_1x128 its groups are 128 neighbours of its own rows, so that they have maxima and scales of their own: it is made from x, never from codes.
    ///
    /// Stochastic rounding. A code is one of the two neighbours of x * s: the one away from 0 with the probability d, the distance from the other over the distance
    /// of both, truncated to 2^-16. Element e = row * columns + column takes 16 random bits, those at 16 (e mod 2) of word e / 2 of the words that `random` counts
    /// from its offset on. The neighbour away from 0 is taken where these bits are below d * 2^16. codes_t has the same numbers, scaled for itself.
    ///
    /// Edge cases:
    /// - rows or columns is 0: there are no codes. Where there is one scale of the tensor, s = r = 1 (given: as always).
    /// - NaN and infinities of x are counted in error_flag.
    /// - The argument scale must be positive and finite; one that is not gives what IEEE arithmetic gives, in r as in the codes. The sign of a NaN code is that
    ///   of x.
    ///
    /// Definition: the quantizers of Transformer Engine (Float8CurrentScaling, Float8BlockScaling with pow2), torchao (float8) and DeepGEMM (quotient, eps 1e-4).
    /// ```
    ///
    /// What holds for all operators of its family, fp8: [`Operator::conventions`].
    Quantize: QUANTIZE (QuantizeDescriptor = adj_quantize_descriptor, QuantizeArgs = adj_quantize_args) {
        /// in, \[ rows, columns \] element
        [0] X: In = x,
        /// in, granularity == row ? \[rows\] : \[1\], f32; only if scale_source == given
        [1] SCALE: In = scale,
        /// in, \[1\] f32; only if scale_source == amax: a
        [2] AMAX_IN: In = amax_in,
        /// in, only if stochastic_rounding
        [3] RANDOM: Random = random,
        /// out, \[ rows, columns \] code; only if has_codes
        [4] CODES: Out = codes,
        /// out, \[ columns, rows \] code; only if has_transposed
        [5] CODES_T: Out = codes_t,
        /// out, optional, granularity == row ? \[rows\] : granularity == block_1x128 ? (scale_layout == gemm ? \[ ceil_div(columns, 128), ceil_div(rows, 4) \* 4 \] : \[ rows, ceil_div(columns, 128) \]) : granularity == block_128x128 ? (scale_layout == gemm ? \[ ceil_div(rows, 128), ceil_div(ceil_div(columns, 128), 4) \* 4 \] : \[ ceil_div(rows, 128), ceil_div(columns, 128) \]) : \[1\], f32: s
        [6] SCALE_OUT: Out = scale_out,
        /// out, optional, granularity == row ? \[rows\] : granularity == block_1x128 ? (scale_layout == gemm ? \[ ceil_div(columns, 128), ceil_div(rows, 4) \* 4 \] : \[ rows, ceil_div(columns, 128) \]) : granularity == block_128x128 ? (scale_layout == gemm ? \[ ceil_div(rows, 128), ceil_div(ceil_div(columns, 128), 4) \* 4 \] : \[ ceil_div(rows, 128), ceil_div(columns, 128) \]) : \[1\], f32: r
        [7] INVERSE_OUT: Out = inverse_out,
        /// out, optional, granularity == block_1x128 ? (scale_layout == gemm ? \[ ceil_div(rows, 128), ceil_div(columns, 4) \* 4 \] : \[ columns, ceil_div(rows, 128) \]) : (scale_layout == gemm ? \[ ceil_div(columns, 128), ceil_div(ceil_div(rows, 128), 4) \* 4 \] : \[ ceil_div(columns, 128), ceil_div(rows, 128) \]), f32; only if has_transposed && (granularity == block_1x128 \|\| granularity == block_128x128): r of codes_t
        [8] INVERSE_T_OUT: Out = inverse_t_out,
        /// in/out, optional, \[1\] f32: the maximum with the largest \|x\|, as amax with accumulate
        [9] AMAX_OUT: Out = amax_out,
        /// in/out, optional, \[1\] i64: the number of NaN and infinities of x is added to it
        [10] ERROR_FLAG: Out = error_flag,
    } fields {
    } pointers {
    }
    /// ```text
    /// Numbers of codes:   out (=|+=) code * r,   r of the code's group, the product rounded to f32
    ///
    /// With accumulate the sum is rounded once, from f32.
    ///
    /// Edge cases:
    /// - A NaN gives NaN; an infinity stays.
    /// - r may be any number: 0, an infinity or NaN give what IEEE arithmetic gives.
    /// ```
    ///
    /// What holds for all operators of its family, fp8: [`Operator::conventions`].
    Dequantize: DEQUANTIZE (DequantizeDescriptor = adj_dequantize_descriptor, DequantizeArgs = adj_dequantize_args) {
        /// in, \[ rows, columns \] code
        [0] CODES: In = codes,
        /// in, granularity == row ? \[rows\] : granularity == block_1x128 ? (scale_layout == gemm ? \[ ceil_div(columns, 128), ceil_div(rows, 4) \* 4 \] : \[ rows, ceil_div(columns, 128) \]) : granularity == block_128x128 ? (scale_layout == gemm ? \[ ceil_div(rows, 128), ceil_div(ceil_div(columns, 128), 4) \* 4 \] : \[ ceil_div(rows, 128), ceil_div(columns, 128) \]) : \[1\], f32: r
        [1] INVERSE: In = inverse,
        /// in/out, \[ rows, columns \] element; read if write_mode == accumulate
        [2] OUT: Out = out,
    } fields {
    } pointers {
    }
    /// ```text
    /// Delayed scaling: the scales of the next step from the largest magnitudes of the last ones. Row 0 of the history collects the magnitudes of a step, for which
    /// amax and quantize accumulate into it. For each tensor, with A the largest of its history or its row 0:
    ///     scale = F 2^-margin / A where A is finite and > 0, rounded to f32 and bounded to [2^-126, 2^126]; else it stays
    ///     inverse = 1 / scale
    ///     row h of the history = row h + 1, the last row = row 0, row 0 = 0
    /// so that row 1, the oldest, is lost.
    ///
    /// Edge cases:
    /// - A NaN in the history counts as 0.
    /// - An infinity keeps the scale for as long as it is in the history, unless skip_nonfinite leaves it out. Tensors that have one are counted in error_flag.
    ///
    /// Definition: Transformer Engine's DelayedScaling.
    /// ```
    ///
    /// What holds for all operators of its family, fp8: [`Operator::conventions`].
    Fp8ScaleUpdate: FP8_SCALE_UPDATE (Fp8ScaleUpdateDescriptor = adj_fp8_scale_update_descriptor, Fp8ScaleUpdateArgs = adj_fp8_scale_update_args) {
        /// in/out, \[ length, tensors \] f32
        [0] HISTORY: Out = history,
        /// in/out, \[tensors\] f32
        [1] SCALE: Out = scale,
        /// out, optional, \[tensors\] f32
        [2] INVERSE: Out = inverse,
        /// in/out, optional, \[1\] i64: the number of tensors with an infinity in their history is added to it
        [3] ERROR_FLAG: Out = error_flag,
    } fields {
    } pointers {
    }
    /// ```text
    /// Product of matrices of f8 codes, both along k, with the inverse scales r of adj_quantize:
    ///     d[i, j] (=|+=) alpha * sum over k of (r_a[i, k] a[i, k]) (r_b[j, k] b[j, k]) + bias[j]
    /// r_x[i, k] is the scale of the element's group. The training step of y = x W^T with x [rows, in], W [out, in] takes codes and transposed codes:
    ///     forward          m = rows, n = out, k = in,  a = codes of x, b = codes of W
    ///     dx = dy W        m = rows, n = in, k = out,  a = codes of dy, b = codes_t of W
    ///     dW += dy^T x     m = out, n = in, k = rows,  a = codes_t of dy, b = codes_t of x, out = f32, accumulate
    ///
    /// Types. Products of codes are exact. Sums of 128 neighbours of k, or of 32 tensor core instructions with fast_accumulation, may be formed with fewer bits than
    /// f32 has (the bounds say which), longer ones are f32. d is rounded once.
    ///
    /// Edge cases:
    /// - k = 0: the sum is 0. m or n is 0: nothing is done.
    /// - NaN and infinities act as in IEEE arithmetic. A kernel may scale sums in place of terms, which differs where a scale is 0, an infinity or NaN.
    ///
    /// Backends. cuBLASLt takes k in multiples of 16, rows of d of whole multiples of 16 bytes, scales of rows and blocks on sm_90, those of blocks in
    /// scale_layout gemm, and no f32 bias. Our kernel takes every problem from sm_89 on.
    ///
    /// Terms: the magnitudes of the scaled products, of the bias and of what an accumulating call adds to.
    ///
    /// Source: PyTorch's scaled_mm.
    /// ```
    ///
    /// What holds for all operators of its family, matmul: [`Operator::conventions`].
    ScaledMatmul: SCALED_MATMUL (ScaledMatmulDescriptor = adj_scaled_matmul_descriptor, ScaledMatmulArgs = adj_scaled_matmul_args) {
        /// in, \[m, k\] code_a
        [0] A: In = a,
        /// in, \[n, k\] code_b
        [1] B: In = b,
        /// in, granularity_a == row ? \[m\] : granularity_a == block_1x128 ? (scale_layout == gemm ? \[ceil_div(k, 128), ceil_div(m, 4) \* 4\] : \[m, ceil_div(k, 128)\]) : granularity_a == block_128x128 ? (scale_layout == gemm ? \[ceil_div(m, 128), ceil_div(ceil_div(k, 128), 4) \* 4\] : \[ceil_div(m, 128), ceil_div(k, 128)\]) : \[1\], f32: r of a
        [2] SCALE_A: In = scale_a,
        /// in, granularity_b == row ? \[n\] : granularity_b == block_1x128 ? (scale_layout == gemm ? \[ceil_div(k, 128), ceil_div(n, 4) \* 4\] : \[n, ceil_div(k, 128)\]) : granularity_b == block_128x128 ? (scale_layout == gemm ? \[ceil_div(n, 128), ceil_div(ceil_div(k, 128), 4) \* 4\] : \[ceil_div(n, 128), ceil_div(k, 128)\]) : \[1\], f32: r of b
        [3] SCALE_B: In = scale_b,
        /// in, \[n\] out; only if has_bias
        [4] BIAS: In = bias,
        /// in/out, \[m, n\] out; read if write_mode == accumulate
        [5] D: Out = d,
    } fields {
    } pointers {
    }
}

tensor_operators! { EmbeddingForward, EmbeddingBackward, SoftmaxCrossEntropyLoss, SoftmaxCrossEntropyLossBackward, SoftmaxBackward,
    LogSoftmaxBackward, GatherBackward, EmbeddingBagForward, EmbeddingBagBackward, EmbeddingBagPerSampleWeightsBackward, IndexPlan,
    ActivationBackward, ActivationForward, GatedActivationBackward, GatedActivationForward, DivBackward, GistEncode, GistDecode,
    FakeQuantizeForward, FakeQuantizeBackward, DropoutForward, DropoutBackward, BiasSoftmaxDropoutForward, SoftmaxDropoutBackward,
    SoftmaxForward, LogSoftmaxForward, SoftLabelCrossEntropyLoss, SoftLabelCrossEntropyLossBackward, CrossEntropyWithGradient,
    LogProbEntropy, LogProbEntropyBackward, Reduce, LayerNormBackward, RmsNormBackward, LayerNormForward, RmsNormForward,
    BatchNormForward, BatchNormBackward, ConvBackward, ConvTransposeBackward, ConvForward, ConvTransposeForward, GatherNdBackward,
    GatherElementsBackward, IndexAdd, SliceBackward, PadAndUnflatten, FlattenAndUnpad, MegatronF, MegatronG, UpdateLossScale,
    Matmul, AttentionForward, AttentionBackward, RopeForward, RopeBackward, Transpose, Fill, Normal, MoeRoute, MoeRouteBackward,
    MoePlan, MoePermute, MoePermuteBackward, MoeUnpermute, MoeUnpermuteBackward, GroupNormForward, GroupNormBackward,
    LinearCrossEntropy, LinearCrossEntropyBackward, LinearLogProb, LinearLogProbBackward, Quantize, Dequantize, Fp8ScaleUpdate,
    ScaledMatmul }
