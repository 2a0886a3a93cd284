//! The operators: what ties a descriptor to its arguments, and which arguments are written.

use crate::{sys, In, ListIn, ListOut, Out, Scalar};

/// An operator.
///
/// # Safety
/// Both structures begin with an `adj_header`, their defaults carry the right size and tag, and they are the library's.
pub unsafe trait Op: Sized + 'static {
    const ID: i32;
    type Descriptor: Copy + Default;
    type Args: Copy + Default;
    /// The descriptor with a header of ours: the caller's cannot chain or claim anything.
    #[doc(hidden)]
    fn fresh_header(descriptor: &Self::Descriptor) -> Self::Descriptor;
    #[doc(hidden)]
    fn fresh_args_header(args: &Self::Args) -> Self::Args;
}

/// An operator whose descriptor is plain numbers.
///
/// # Safety
/// The descriptor holds no pointer.
pub unsafe trait TensorOp: Op {}

/// An operator over lists of tensors; the descriptor points to their sizes: element counts, or lengths along an axis.
///
/// # Safety
/// `with_numel` replaces every pointer of the descriptor.
pub unsafe trait ListOp: Op {
    #[doc(hidden)]
    fn with_numel(descriptor: &Self::Descriptor, numel: &[i64]) -> Self::Descriptor;
}

macro_rules! operators {
    ($($(#[$meta:meta])* $name:ident = $id:ident ($descriptor:ident, $args:ident) {
        $($constant:ident: $kind:ident = $field:ident,)*
    })*) => {
        $($(#[$meta])* #[derive(Debug)] pub enum $name {}
        // SAFETY: structures of the library, from sys.
        unsafe impl Op for $name {
            const ID: i32 = sys::$id;
            type Descriptor = sys::$descriptor;
            type Args = sys::$args;
            fn fresh_header(descriptor: &Self::Descriptor) -> Self::Descriptor {
                sys::$descriptor { header: Self::Descriptor::default().header, ..*descriptor }
            }
            fn fresh_args_header(args: &Self::Args) -> Self::Args {
                sys::$args { header: Self::Args::default().header, ..*args }
            }
        }
        impl $name { $(pub const $constant: $kind<$name> = $kind(|args: &mut sys::$args| &mut args.$field);)* })*
    };
}

operators! {
    /// `out[n, :] = weight[indices[n], :]`
    EmbeddingForward = ADJ_OP_EMBEDDING_FORWARD (adj_embedding_forward_descriptor, adj_embedding_forward_args) {
        WEIGHT: In = weight,
        INDICES: In = indices,
        OUT: Out = out,
        ERROR_FLAG: Out = error_flag,
    }
    /// `dweight[r, :] = sum over n with indices[n] == r of dout[n, :]`
    EmbeddingBackward = ADJ_OP_EMBEDDING_BACKWARD (adj_embedding_backward_descriptor, adj_embedding_backward_args) {
        DOUT: In = dout,
        INDICES: In = indices,
        DWEIGHT: Out = dweight,
        ERROR_FLAG: Out = error_flag,
        SORTED_ROWS: In = sorted_rows,
        ORDER: In = order,
    }
    SoftmaxCrossEntropyLoss = ADJ_OP_SOFTMAX_CROSS_ENTROPY_LOSS
        (adj_softmax_cross_entropy_loss_descriptor, adj_softmax_cross_entropy_loss_args) {
        SCORES: In = scores,
        LABELS: In = labels,
        WEIGHT: In = weight,
        LOSS: Out = loss,
        LOG_PROB: Out = log_prob,
        LSE: Out = lse,
        ERROR_FLAG: Out = error_flag,
    }
    SoftmaxCrossEntropyLossBackward = ADJ_OP_SOFTMAX_CROSS_ENTROPY_LOSS_BACKWARD
        (adj_softmax_cross_entropy_loss_backward_descriptor, adj_softmax_cross_entropy_loss_backward_args) {
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
    /// One AdamW step over a list of tensors.
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
    /// One SGD step over a list of tensors.
    Sgd = ADJ_OP_SGD (adj_sgd_descriptor, adj_sgd_args) {
        PARAMS: ListOut = params,
        GRADS: ListIn = grads,
        MOMENTUM_BUFFERS: ListOut = momentum_buffers,
        COPIES: ListOut = copies,
        LR: Scalar = lr,
        GRAD_SCALE: Scalar = grad_scale,
        FOUND_INF: In = found_inf,
    }
    /// `dinput = out * (dout - sum of dout * out)`, out being the softmax.
    SoftmaxBackward = ADJ_OP_SOFTMAX_BACKWARD (adj_softmax_backward_descriptor, adj_softmax_backward_args) {
        DOUT: In = dout,
        OUT: In = out,
        DINPUT: Out = dinput,
    }
    /// `dinput = dout - exp(out) * sum of dout`, out being the log-softmax.
    LogSoftmaxBackward = ADJ_OP_LOG_SOFTMAX_BACKWARD (adj_log_softmax_backward_descriptor, adj_log_softmax_backward_args) {
        DOUT: In = dout,
        OUT: In = out,
        DINPUT: Out = dinput,
    }
    /// `output[p, o_i + a, n] = inputs[i][p, a, n]`
    Concat = ADJ_OP_CONCAT (adj_concat_descriptor, adj_concat_args) {
        INPUTS: ListIn = inputs,
        OUTPUT: Out = output,
        LENGTHS_OUT: Out = lengths_out,
    }
    /// `outputs[i][p, a, n] = input[p, o_i + a, n]`
    Split = ADJ_OP_SPLIT (adj_split_descriptor, adj_split_args) {
        INPUT: In = input,
        OUTPUTS: ListOut = outputs,
    }
    /// `dinput[o, r, :] = sum over n with row(indices[n]) == r of dout[o, n, :]`
    GatherGrad = ADJ_OP_GATHER_GRAD (adj_gather_grad_descriptor, adj_gather_grad_args) {
        DOUT: In = dout,
        INDICES: In = indices,
        DINPUT: Out = dinput,
        ERROR_FLAG: Out = error_flag,
        SORTED_ROWS: In = sorted_rows,
        ORDER: In = order,
    }
    /// Sum, mean or maximum of the rows of weight that each bag of indices names.
    EmbeddingBagForward = ADJ_OP_EMBEDDING_BAG_FORWARD (adj_embedding_bag_forward_descriptor, adj_embedding_bag_forward_args) {
        WEIGHT: In = weight,
        INDICES: In = indices,
        OFFSETS: In = offsets,
        PER_SAMPLE_WEIGHTS: In = per_sample_weights,
        OUT: Out = out,
        MAX_POSITIONS: Out = max_positions,
        ERROR_FLAG: Out = error_flag,
    }
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
    /// `dper_sample_weights[n] = dot(dout[bag(n), :], weight[indices[n], :])`
    EmbeddingBagPerSampleWeightsBackward = ADJ_OP_EMBEDDING_BAG_PER_SAMPLE_WEIGHTS_BACKWARD
        (adj_embedding_bag_per_sample_weights_backward_descriptor, adj_embedding_bag_per_sample_weights_backward_args) {
        DOUT: In = dout,
        WEIGHT: In = weight,
        INDICES: In = indices,
        OFFSETS: In = offsets,
        DPER_SAMPLE_WEIGHTS: Out = dper_sample_weights,
        ERROR_FLAG: Out = error_flag,
    }
    /// The positions of indices, stably sorted by the rows that they name: what several gradients can share.
    IndexPlan = ADJ_OP_INDEX_PLAN (adj_index_plan_descriptor, adj_index_plan_args) {
        INDICES: In = indices,
        SORTED_ROWS: Out = sorted_rows,
        ORDER: Out = order,
        ERROR_FLAG: Out = error_flag,
    }
}

// SAFETY: integers only.
unsafe impl TensorOp for EmbeddingForward {}
unsafe impl TensorOp for EmbeddingBackward {}
unsafe impl TensorOp for SoftmaxCrossEntropyLoss {}
unsafe impl TensorOp for SoftmaxCrossEntropyLossBackward {}
unsafe impl TensorOp for SoftmaxBackward {}
unsafe impl TensorOp for LogSoftmaxBackward {}
unsafe impl TensorOp for GatherGrad {}
unsafe impl TensorOp for EmbeddingBagForward {}
unsafe impl TensorOp for EmbeddingBagBackward {}
unsafe impl TensorOp for EmbeddingBagPerSampleWeightsBackward {}
unsafe impl TensorOp for IndexPlan {}

macro_rules! list_operators {
    ($($name:ident($sizes:ident))*) => {
        // SAFETY: the sizes are the only pointer; select copies what it points to.
        $(unsafe impl ListOp for $name {
            fn with_numel(descriptor: &Self::Descriptor, numel: &[i64]) -> Self::Descriptor {
                Self::Descriptor { count: numel.len() as i64, $sizes: numel.as_ptr(), ..*descriptor }
            }
        })*
    };
}
list_operators! { AdamW(numel) Sgd(numel) Concat(lengths) Split(lengths) }
