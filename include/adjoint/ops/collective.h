/* Communication between ranks.
 *
 * Arguments. communicator is the caller's:
 * - On a CUDA stream it is an ncclComm_t of the stream's device, from adj_comm_init or any other source. NCCL is loaded when it is first needed. Where
 *   NCCL is missing, select fails with ADJ_ERROR_BACKEND_UNAVAILABLE.
 * - On the host stream it is a rank's handle of adj_host_comm_create. Every rank is a thread of the process.
 * All ranks make the same calls in the same order, with descriptors that differ in the peer at most. On the host, ranks that disagree in operator, types
 * or counts all get an error. NCCL cannot tell, and its calls may then hang or exchange wrong bytes.
 *
 * Results. The tensors of a list travel in one group. NCCL reduces elements in their own type, and its result is the same on all ranks and in every run
 * of one topology. The host adds in f64, in the order of the ranks, and rounds once. A call may be captured in a CUDA graph. With a communicator of one
 * rank results are copies of what that rank brings.
 *
 * Terms (see adj_guarantee). The terms of a sum are the elements of the ranks, those of an average these divided by the number of ranks, that of a
 * product the product. Maxima and minima are exact. NCCL rounds at every addition, and for an average also the factor 1 / ranks and each product with
 * it. With R ranks
 *     bound_terms = (R + 1) u,   u = 2^-24 for f32, 2^-53 for f64, 2^-11 for f16, 2^-8 for bf16
 * SKUs state it for 8 ranks. The bound of adasum_all_reduce holds for up to 64 ranks.
 *
 * Source: com.microsoft NcclAllReduce, NcclAllGather, NcclReduceScatter, Send, Recv, AdasumAllReduce, MegatronF and MegatronG. */
#ifndef ADJOINT_OPS_COLLECTIVE_H
#define ADJOINT_OPS_COLLECTIVE_H

#include "operator.h"

ADJ_OPERATOR(76, all_reduce, ALL_REDUCE, AllReduce)
ADJ_OPERATOR(77, all_gather, ALL_GATHER, AllGather)
ADJ_OPERATOR(78, reduce_scatter, REDUCE_SCATTER, ReduceScatter)
ADJ_OPERATOR(79, send, SEND, Send)
ADJ_OPERATOR(80, recv, RECV, Recv)
ADJ_OPERATOR(81, broadcast, BROADCAST, Broadcast)
ADJ_OPERATOR(82, adasum_all_reduce, ADASUM_ALL_REDUCE, AdasumAllReduce)
ADJ_OPERATOR(83, megatron_f, MEGATRON_F, MegatronF)
ADJ_OPERATOR(84, megatron_g, MEGATRON_G, MegatronG)

ADJ_ENUM(adj_collective_reduction) {
  ADJ_COLLECTIVE_REDUCTION_DEFAULT = 0, /* sum */
  ADJ_COLLECTIVE_REDUCTION_SUM = 1,
  ADJ_COLLECTIVE_REDUCTION_AVERAGE = 2, /* the sum over the number of ranks; f32, f64, f16, bf16 */
  ADJ_COLLECTIVE_REDUCTION_MAX = 3,
  ADJ_COLLECTIVE_REDUCTION_MIN = 4,
  ADJ_COLLECTIVE_REDUCTION_PROD = 5
};

/* How tensors are shared out among ranks. */
ADJ_ENUM(adj_shard_layout) {
  ADJ_SHARD_LAYOUT_DEFAULT = 0, /* even */
  ADJ_SHARD_LAYOUT_EVEN = 1,    /* each rank has an equal part of every tensor, in the order of the ranks */
  ADJ_SHARD_LAYOUT_WHOLE = 2    /* each rank owns whole tensors, as ONNX Runtime's partitioned optimisers have them: with total the sum
                                 * of numel, A = 32 ranks and padded = total + A - total mod A, rank g owns the tensors that begin in
                                 * elements [g padded / ranks, (g + 1) padded / ranks) of their concatenation. A tensor that goes
                                 * beyond the end of its rank's elements is refused. */
};

/* outputs[i] = the reduction over all ranks of inputs[i]. */
typedef struct adj_all_reduce_descriptor {
  adj_header header ADJ_DEFAULT(ADJ_HEADER_OF(adj_all_reduce_descriptor, ADJ_TAG_ALL_REDUCE_DESCRIPTOR));
  int64_t count ADJ_DEFAULT(0);                       /* number of tensors >= 1 */
  const int64_t* numel ADJ_DEFAULT(nullptr) ADJ_RANGE(0)
    ADJ_REFUSE(count < 1, "needs at least 1 tensor"); /* host array of count element counts; copied by select */
  adj_collective_reduction reduction ADJ_DEFAULT({}); /* default: sum */
  adj_dtype element ADJ_DEFAULT({});                  /* f32, f64, f16, bf16, i8, u8, i32, u32, i64, u64 */
} adj_all_reduce_descriptor;

typedef struct adj_all_reduce_args {
  adj_header header ADJ_DEFAULT(ADJ_HEADER_OF(adj_all_reduce_args, ADJ_TAG_ALL_REDUCE_ARGS));
  void* communicator ADJ_DEFAULT(nullptr) ADJ_IN(); /* an ncclComm_t of the device; on the host stream a handle of adj_host_comm_create */
  adj_tensor_list inputs  ADJ_DEFAULT({}) ADJ_IN([numel], element);
  adj_tensor_list outputs ADJ_DEFAULT({}) ADJ_OUT([numel], element) ADJ_MAY_BE(inputs);
} adj_all_reduce_args;

/* Even: outputs[i] is the concatenation of the inputs[i] of all ranks, numel[i] elements each. Whole: outputs[i] is the inputs[i] of
 * the rank that owns it. In place, inputs[i] is the part of outputs[i] that this rank brings (even), or outputs[i] itself (whole); as
 * the part of another rank it is refused with ADJ_ERROR_ALIASING. */
typedef struct adj_all_gather_descriptor {
  adj_header header ADJ_DEFAULT(ADJ_HEADER_OF(adj_all_gather_descriptor, ADJ_TAG_ALL_GATHER_DESCRIPTOR));
  int64_t ranks ADJ_DEFAULT(-1) ADJ_RANGE(1, 1048576); /* of the communicator */
  int64_t count ADJ_DEFAULT(0);                        /* number of tensors >= 1 */
  const int64_t* numel ADJ_DEFAULT(nullptr) ADJ_RANGE(0)
    ADJ_REFUSE(count < 1, "needs at least 1 tensor"); /* host array of count element counts of the inputs; copied by select */
  adj_shard_layout layout ADJ_DEFAULT({});             /* default: even */
  adj_dtype element ADJ_DEFAULT({});                   /* every type of adj_dtype */
} adj_all_gather_descriptor;

typedef struct adj_all_gather_args {
  adj_header header ADJ_DEFAULT(ADJ_HEADER_OF(adj_all_gather_args, ADJ_TAG_ALL_GATHER_ARGS));
  void* communicator ADJ_DEFAULT(nullptr) ADJ_IN(); /* an ncclComm_t of the device; on the host stream a handle of adj_host_comm_create */
  adj_tensor_list inputs  ADJ_DEFAULT({}) ADJ_IN([numel], element) ADJ_PART_OF(outputs); /* an entry may be the part of this rank */
  adj_tensor_list outputs ADJ_DEFAULT({}) ADJ_OUT([layout == whole ? numel : ranks * numel], element) ADJ_MAY_BE(inputs);
} adj_all_gather_args;

/* Even: outputs[i] is this rank's part of the reduction over all ranks of inputs[i]. Whole: outputs[i] is the reduction where this rank
 * owns tensor i, and is left as it is elsewhere. In place, outputs[i] is this rank's part of inputs[i] (even), or inputs[i] itself
 * (whole); as the part of another rank it is refused with ADJ_ERROR_ALIASING. */
typedef struct adj_reduce_scatter_descriptor {
  adj_header header ADJ_DEFAULT(ADJ_HEADER_OF(adj_reduce_scatter_descriptor, ADJ_TAG_REDUCE_SCATTER_DESCRIPTOR));
  int64_t ranks ADJ_DEFAULT(-1) ADJ_RANGE(1, 1048576); /* of the communicator */
  int64_t count ADJ_DEFAULT(0);                        /* number of tensors >= 1 */
  const int64_t* numel ADJ_DEFAULT(nullptr) ADJ_RANGE(0)
    ADJ_REFUSE(count < 1, "needs at least 1 tensor"); /* host array of count element counts of the outputs; copied by select */
  adj_shard_layout layout ADJ_DEFAULT({});             /* default: even */
  adj_collective_reduction reduction ADJ_DEFAULT({});  /* default: sum */
  adj_dtype element ADJ_DEFAULT({});                   /* f32, f64, f16, bf16, i8, u8, i32, u32, i64, u64 */
  uint32_t reserved ADJ_DEFAULT(0);
} adj_reduce_scatter_descriptor;

typedef struct adj_reduce_scatter_args {
  adj_header header ADJ_DEFAULT(ADJ_HEADER_OF(adj_reduce_scatter_args, ADJ_TAG_REDUCE_SCATTER_ARGS));
  void* communicator ADJ_DEFAULT(nullptr) ADJ_IN(); /* an ncclComm_t of the device; on the host stream a handle of adj_host_comm_create */
  adj_tensor_list inputs  ADJ_DEFAULT({}) ADJ_IN([layout == whole ? numel : ranks * numel], element);
  adj_tensor_list outputs ADJ_DEFAULT({}) ADJ_INOUT([numel], element) ADJ_MAY_BE(inputs) ADJ_PART_OF(inputs); /* an entry may be the part of this rank */
} adj_reduce_scatter_args;

/* Sends tensors to another rank, where recv with the same types and counts takes them. A receiver that does not know the counts takes
 * them first, by a call of its own for a tensor of fixed extent. On the host a copy is sent and the call does not wait. */
typedef struct adj_send_descriptor {
  adj_header header ADJ_DEFAULT(ADJ_HEADER_OF(adj_send_descriptor, ADJ_TAG_SEND_DESCRIPTOR));
  int64_t peer ADJ_DEFAULT(-1) ADJ_RANGE(0); /* rank that receives, not this one */
  int64_t count ADJ_DEFAULT(0);              /* number of tensors >= 1 */
  const int64_t* numel ADJ_DEFAULT(nullptr) ADJ_RANGE(0)
    ADJ_REFUSE(count < 1, "needs at least 1 tensor"); /* host array of count element counts; copied by select */
  adj_dtype element ADJ_DEFAULT({});         /* every type of adj_dtype */
  uint32_t reserved ADJ_DEFAULT(0);
} adj_send_descriptor;

typedef struct adj_send_args {
  adj_header header ADJ_DEFAULT(ADJ_HEADER_OF(adj_send_args, ADJ_TAG_SEND_ARGS));
  void* communicator ADJ_DEFAULT(nullptr) ADJ_IN(); /* an ncclComm_t of the device; on the host stream a handle of adj_host_comm_create */
  adj_tensor_list tensors ADJ_DEFAULT({}) ADJ_IN([numel], element);
} adj_send_args;

/* Receives what another rank sends. */
typedef struct adj_recv_descriptor {
  adj_header header ADJ_DEFAULT(ADJ_HEADER_OF(adj_recv_descriptor, ADJ_TAG_RECV_DESCRIPTOR));
  int64_t peer ADJ_DEFAULT(-1) ADJ_RANGE(0); /* rank that sends, not this one */
  int64_t count ADJ_DEFAULT(0);              /* number of tensors >= 1 */
  const int64_t* numel ADJ_DEFAULT(nullptr) ADJ_RANGE(0)
    ADJ_REFUSE(count < 1, "needs at least 1 tensor"); /* host array of count element counts; copied by select */
  adj_dtype element ADJ_DEFAULT({});         /* every type of adj_dtype */
  uint32_t reserved ADJ_DEFAULT(0);
} adj_recv_descriptor;

typedef struct adj_recv_args {
  adj_header header ADJ_DEFAULT(ADJ_HEADER_OF(adj_recv_args, ADJ_TAG_RECV_ARGS));
  void* communicator ADJ_DEFAULT(nullptr) ADJ_IN(); /* an ncclComm_t of the device; on the host stream a handle of adj_host_comm_create */
  adj_tensor_list tensors ADJ_DEFAULT({}) ADJ_OUT([numel], element);
} adj_recv_args;

/* tensors[i] of every rank become those of the rank root. */
typedef struct adj_broadcast_descriptor {
  adj_header header ADJ_DEFAULT(ADJ_HEADER_OF(adj_broadcast_descriptor, ADJ_TAG_BROADCAST_DESCRIPTOR));
  int64_t root ADJ_DEFAULT(0) ADJ_RANGE(0); /* a rank of the communicator */
  int64_t count ADJ_DEFAULT(0);             /* number of tensors >= 1 */
  const int64_t* numel ADJ_DEFAULT(nullptr) ADJ_RANGE(0)
    ADJ_REFUSE(count < 1, "needs at least 1 tensor"); /* host array of count element counts; copied by select */
  adj_dtype element ADJ_DEFAULT({});        /* every type of adj_dtype */
  uint32_t reserved ADJ_DEFAULT(0);
} adj_broadcast_descriptor;

typedef struct adj_broadcast_args {
  adj_header header ADJ_DEFAULT(ADJ_HEADER_OF(adj_broadcast_args, ADJ_TAG_BROADCAST_ARGS));
  void* communicator ADJ_DEFAULT(nullptr) ADJ_IN(); /* an ncclComm_t of the device; on the host stream a handle of adj_host_comm_create */
  adj_tensor_list tensors ADJ_DEFAULT({}) ADJ_INOUT([numel], element);
} adj_broadcast_args;

/* Adasum over all ranks, 1, 2, 4, .. of them: with
 *     adasum(a, b) = (1 - a.b / (2 a.a)) a + (1 - a.b / (2 b.b)) b,   a factor being 1 where its square a.a or b.b is below 1.5e-154,
 * outputs[i] is adasum(adasum(r_0, r_1), adasum(r_2, r_3)), and so on, of the inputs[i] of ranks 0, 1, ..; products are per tensor.
 * Sums of products are taken in f64, the vectors between the levels are f32 (f64 for f64), and the result is rounded once. */
typedef struct adj_adasum_all_reduce_descriptor {
  adj_header header ADJ_DEFAULT(ADJ_HEADER_OF(adj_adasum_all_reduce_descriptor, ADJ_TAG_ADASUM_ALL_REDUCE_DESCRIPTOR));
  int64_t ranks ADJ_DEFAULT(-1) ADJ_RANGE(1, 1048576); /* of the communicator, a power of two */
  int64_t count ADJ_DEFAULT(0);                        /* number of tensors >= 1 */
  const int64_t* numel ADJ_DEFAULT(nullptr) ADJ_RANGE(0)
    ADJ_REFUSE(count < 1, "needs at least 1 tensor"); /* host array of count element counts; copied by select */
  adj_dtype element ADJ_DEFAULT({});                   /* f32, f64, f16, bf16 */
  uint32_t reserved ADJ_DEFAULT(0);
} adj_adasum_all_reduce_descriptor;

typedef struct adj_adasum_all_reduce_args {
  adj_header header ADJ_DEFAULT(ADJ_HEADER_OF(adj_adasum_all_reduce_args, ADJ_TAG_ADASUM_ALL_REDUCE_ARGS));
  void* communicator ADJ_DEFAULT(nullptr) ADJ_IN(); /* an ncclComm_t of the device; on the host stream a handle of adj_host_comm_create */
  adj_tensor_list inputs  ADJ_DEFAULT({}) ADJ_IN([numel], element);
  adj_tensor_list outputs ADJ_DEFAULT({}) ADJ_OUT([numel], element) ADJ_MAY_BE(inputs);
} adj_adasum_all_reduce_args;

/* The beginning of a tensor-parallel block: a copy in the forward direction, the sum over all ranks in the backward one. */
typedef struct adj_megatron_f_descriptor {
  adj_header header ADJ_DEFAULT(ADJ_HEADER_OF(adj_megatron_f_descriptor, ADJ_TAG_MEGATRON_F_DESCRIPTOR));
  int64_t numel ADJ_DEFAULT(-1) ADJ_FOLDS ADJ_RANGE(0); /* elements */
  int32_t backward ADJ_DEFAULT(0) ADJ_FLAG;             /* 1: the backward direction */
  adj_dtype element ADJ_DEFAULT({});                    /* f32, f64, f16, bf16 */
} adj_megatron_f_descriptor;

typedef struct adj_megatron_f_args {
  adj_header header ADJ_DEFAULT(ADJ_HEADER_OF(adj_megatron_f_args, ADJ_TAG_MEGATRON_F_ARGS));
  void* communicator ADJ_DEFAULT(nullptr) ADJ_IN() ADJ_ONLY_IF(backward);
  adj_tensor input  ADJ_DEFAULT({}) ADJ_IN([numel], element);
  adj_tensor output ADJ_DEFAULT({}) ADJ_OUT([numel], element) ADJ_MAY_BE(input);
} adj_megatron_f_args;

/* The end of a tensor-parallel block: the sum over all ranks in the forward direction, a copy in the backward one. */
typedef struct adj_megatron_g_descriptor {
  adj_header header ADJ_DEFAULT(ADJ_HEADER_OF(adj_megatron_g_descriptor, ADJ_TAG_MEGATRON_G_DESCRIPTOR));
  int64_t numel ADJ_DEFAULT(-1) ADJ_FOLDS ADJ_RANGE(0); /* elements */
  int32_t backward ADJ_DEFAULT(0) ADJ_FLAG;             /* 1: the backward direction */
  adj_dtype element ADJ_DEFAULT({});                    /* f32, f64, f16, bf16 */
} adj_megatron_g_descriptor;

typedef struct adj_megatron_g_args {
  adj_header header ADJ_DEFAULT(ADJ_HEADER_OF(adj_megatron_g_args, ADJ_TAG_MEGATRON_G_ARGS));
  void* communicator ADJ_DEFAULT(nullptr) ADJ_IN() ADJ_ONLY_IF(!backward);
  adj_tensor input  ADJ_DEFAULT({}) ADJ_IN([numel], element);
  adj_tensor output ADJ_DEFAULT({}) ADJ_OUT([numel], element) ADJ_MAY_BE(input);
} adj_megatron_g_args;

#include <adjoint/ops/collective_init.h>

#endif
