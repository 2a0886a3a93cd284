/* The operator table: one line per operator. Ids are append-only; an operator's descriptor and argument tags follow
 * from its id, so that every structure of the interface has a tag of its own.
 *   X(id, name, NAME, CppName) */
#ifndef ADJOINT_OPS_TABLE_H
#define ADJOINT_OPS_TABLE_H

#include "../types.h"

#define ADJ_OP_TABLE(X) \
  X(1, embedding_forward, EMBEDDING_FORWARD, EmbeddingForward) \
  X(2, embedding_backward, EMBEDDING_BACKWARD, EmbeddingBackward) \
  X(3, softmax_cross_entropy_loss, SOFTMAX_CROSS_ENTROPY_LOSS, SoftmaxCrossEntropyLoss) \
  X(4, softmax_cross_entropy_loss_backward, SOFTMAX_CROSS_ENTROPY_LOSS_BACKWARD, SoftmaxCrossEntropyLossBackward) \
  X(5, adamw, ADAMW, AdamW) \
  X(6, sgd, SGD, Sgd) \
  X(7, softmax_backward, SOFTMAX_BACKWARD, SoftmaxBackward) \
  X(8, log_softmax_backward, LOG_SOFTMAX_BACKWARD, LogSoftmaxBackward) \
  X(9, concat, CONCAT, Concat) \
  X(10, split, SPLIT, Split) \
  X(11, gather_grad, GATHER_GRAD, GatherGrad) \
  X(12, embedding_bag_forward, EMBEDDING_BAG_FORWARD, EmbeddingBagForward) \
  X(13, embedding_bag_backward, EMBEDDING_BAG_BACKWARD, EmbeddingBagBackward) \
  X(14, embedding_bag_per_sample_weights_backward, EMBEDDING_BAG_PER_SAMPLE_WEIGHTS_BACKWARD, EmbeddingBagPerSampleWeightsBackward) \
  X(15, index_plan, INDEX_PLAN, IndexPlan) \
  X(16, activation_backward, ACTIVATION_BACKWARD, ActivationBackward) \
  X(17, activation_forward, ACTIVATION_FORWARD, ActivationForward) \
  X(18, gated_activation_backward, GATED_ACTIVATION_BACKWARD, GatedActivationBackward) \
  X(19, gated_activation_forward, GATED_ACTIVATION_FORWARD, GatedActivationForward) \
  X(20, div_backward, DIV_BACKWARD, DivBackward) \
  X(21, gist_encode, GIST_ENCODE, GistEncode) \
  X(22, gist_decode, GIST_DECODE, GistDecode) \
  X(23, fake_quantize_forward, FAKE_QUANTIZE_FORWARD, FakeQuantizeForward) \
  X(24, fake_quantize_backward, FAKE_QUANTIZE_BACKWARD, FakeQuantizeBackward) \
  X(25, dropout_forward, DROPOUT_FORWARD, DropoutForward) \
  X(26, dropout_backward, DROPOUT_BACKWARD, DropoutBackward) \
  X(27, bias_softmax_dropout_forward, BIAS_SOFTMAX_DROPOUT_FORWARD, BiasSoftmaxDropoutForward) \
  X(28, softmax_dropout_backward, SOFTMAX_DROPOUT_BACKWARD, SoftmaxDropoutBackward) \
  X(29, softmax_forward, SOFTMAX_FORWARD, SoftmaxForward) \
  X(30, log_softmax_forward, LOG_SOFTMAX_FORWARD, LogSoftmaxForward) \
  X(31, soft_label_cross_entropy_loss, SOFT_LABEL_CROSS_ENTROPY_LOSS, SoftLabelCrossEntropyLoss) \
  X(32, soft_label_cross_entropy_loss_backward, SOFT_LABEL_CROSS_ENTROPY_LOSS_BACKWARD, SoftLabelCrossEntropyLossBackward) \
  X(33, cross_entropy_with_gradient, CROSS_ENTROPY_WITH_GRADIENT, CrossEntropyWithGradient) \
  X(34, log_prob_entropy, LOG_PROB_ENTROPY, LogProbEntropy) \
  X(35, log_prob_entropy_backward, LOG_PROB_ENTROPY_BACKWARD, LogProbEntropyBackward) \
  X(38, adam, ADAM, Adam) \
  X(39, lamb, LAMB, Lamb) \
  X(40, clip_grad_norm, CLIP_GRAD_NORM, ClipGradNorm) \
  X(41, is_finite, IS_FINITE, IsFinite) \
  X(42, all_finite, ALL_FINITE, AllFinite) \
  X(43, all, ALL, All) \
  X(44, scale, SCALE, Scale) \
  X(45, zero, ZERO, Zero) \
  X(46, accumulate, ACCUMULATE, Accumulate) \
  X(47, scaled_sum, SCALED_SUM, ScaledSum) \
  X(48, l2_norm, L2_NORM, L2Norm) \
  X(49, reduce, REDUCE, Reduce) \
  X(50, layer_norm_backward, LAYER_NORM_BACKWARD, LayerNormBackward) \
  X(51, rms_norm_backward, RMS_NORM_BACKWARD, RmsNormBackward) \
  X(52, layer_norm_forward, LAYER_NORM_FORWARD, LayerNormForward) \
  X(53, rms_norm_forward, RMS_NORM_FORWARD, RmsNormForward) \
  X(54, batch_norm_forward, BATCH_NORM_FORWARD, BatchNormForward) \
  X(55, batch_norm_backward, BATCH_NORM_BACKWARD, BatchNormBackward) \
  X(56, conv_backward, CONV_BACKWARD, ConvBackward) \
  X(57, conv_transpose_backward, CONV_TRANSPOSE_BACKWARD, ConvTransposeBackward) \
  X(58, conv_forward, CONV_FORWARD, ConvForward) \
  X(59, conv_transpose_forward, CONV_TRANSPOSE_FORWARD, ConvTransposeForward) \
  X(60, resize_backward, RESIZE_BACKWARD, ResizeBackward) \
  X(61, resize_forward, RESIZE_FORWARD, ResizeForward) \
  X(62, gather_nd_grad, GATHER_ND_GRAD, GatherNdGrad) \
  X(63, gather_elements_grad, GATHER_ELEMENTS_GRAD, GatherElementsGrad) \
  X(64, index_add, INDEX_ADD, IndexAdd) \
  X(65, slice_grad, SLICE_GRAD, SliceGrad) \
  X(66, pad_and_unflatten, PAD_AND_UNFLATTEN, PadAndUnflatten) \
  X(67, flatten_and_unpad, FLATTEN_AND_UNPAD, FlattenAndUnpad) \
  X(68, view, VIEW, View) \
  X(69, copy, COPY, Copy) \
  X(70, group, GROUP, Group) \
  X(71, record_event, RECORD_EVENT, RecordEvent) \
  X(72, wait_event, WAIT_EVENT, WaitEvent) \
  X(73, yield, YIELD, Yield) \
  X(74, user_kernel, USER_KERNEL, UserKernel) \
  X(75, callback, CALLBACK, Callback) \
  X(76, all_reduce, ALL_REDUCE, AllReduce) \
  X(77, all_gather, ALL_GATHER, AllGather) \
  X(78, reduce_scatter, REDUCE_SCATTER, ReduceScatter) \
  X(79, send, SEND, Send) \
  X(80, recv, RECV, Recv) \
  X(81, broadcast, BROADCAST, Broadcast) \
  X(82, adasum_all_reduce, ADASUM_ALL_REDUCE, AdasumAllReduce) \
  X(83, megatron_f, MEGATRON_F, MegatronF) \
  X(84, megatron_g, MEGATRON_G, MegatronG) \
  /* the end */

typedef int32_t adj_op;
enum {
  ADJ_OP_NONE = 0,
#define ADJ_OP_ENUMERATOR(id, name, NAME, CppName) ADJ_OP_##NAME = id,
  ADJ_OP_TABLE(ADJ_OP_ENUMERATOR)
#undef ADJ_OP_ENUMERATOR
  ADJ_OP_FORCE_INT32 = 0x7fffffff
};

#define ADJ_DESCRIPTOR_TAG(op) (0x10000 + (op))
#define ADJ_ARGS_TAG(op) (0x20000 + (op))

enum {
#define ADJ_OP_TAGS(id, name, NAME, CppName)              \
  ADJ_TAG_##NAME##_DESCRIPTOR = ADJ_DESCRIPTOR_TAG(id),   \
  ADJ_TAG_##NAME##_ARGS = ADJ_ARGS_TAG(id),
  ADJ_OP_TABLE(ADJ_OP_TAGS)
#undef ADJ_OP_TAGS
  ADJ_TAG_FORCE_INT32 = 0x7fffffff
};

/* Header initialisers used by the structures of ops/ (C++ default members, C ..._INIT macros). */
#define ADJ_HEADER_OF(type, TAG) {sizeof(type), TAG, 0, NULL}

/* Names of an operator in C++: adjoint::EmbeddingForwardDescriptor, ...Args and ...Plan (see adjoint.hpp). */
#ifdef __cplusplus
namespace adjoint {
template <class Descriptor, class Args>
class Plan;
}
#define ADJ_CPP_NAMES(Name, name)                          \
  namespace adjoint {                                      \
  using Name##Descriptor = adj_##name##_descriptor;        \
  using Name##Args = adj_##name##_args;                    \
  using Name##Plan = Plan<Name##Descriptor, Name##Args>;   \
  }
#else
#define ADJ_CPP_NAMES(Name, name)
#endif

#endif
