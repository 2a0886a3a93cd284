/* Written by tools/generate.py from collective.h. Do not edit. */
#ifndef ADJOINT_OPS_COLLECTIVE_INIT_H
#define ADJOINT_OPS_COLLECTIVE_INIT_H

#include "collective.h"

#ifndef __cplusplus
#define ADJ_ALL_REDUCE_DESCRIPTOR_INIT \
  { ADJ_HEADER_OF(adj_all_reduce_descriptor, ADJ_TAG_ALL_REDUCE_DESCRIPTOR), 0, NULL, 0, 0 }
#define ADJ_ALL_REDUCE_ARGS_INIT \
  { ADJ_HEADER_OF(adj_all_reduce_args, ADJ_TAG_ALL_REDUCE_ARGS), NULL, {0}, {0} }
#define ADJ_ALL_GATHER_DESCRIPTOR_INIT \
  { ADJ_HEADER_OF(adj_all_gather_descriptor, ADJ_TAG_ALL_GATHER_DESCRIPTOR), -1, 0, NULL, 0, 0 }
#define ADJ_ALL_GATHER_ARGS_INIT \
  { ADJ_HEADER_OF(adj_all_gather_args, ADJ_TAG_ALL_GATHER_ARGS), NULL, {0}, {0} }
#define ADJ_REDUCE_SCATTER_DESCRIPTOR_INIT \
  { ADJ_HEADER_OF(adj_reduce_scatter_descriptor, ADJ_TAG_REDUCE_SCATTER_DESCRIPTOR), -1, 0, NULL, 0, 0, 0, 0 }
#define ADJ_REDUCE_SCATTER_ARGS_INIT \
  { ADJ_HEADER_OF(adj_reduce_scatter_args, ADJ_TAG_REDUCE_SCATTER_ARGS), NULL, {0}, {0} }
#define ADJ_SEND_DESCRIPTOR_INIT \
  { ADJ_HEADER_OF(adj_send_descriptor, ADJ_TAG_SEND_DESCRIPTOR), -1, 0, NULL, 0, 0 }
#define ADJ_SEND_ARGS_INIT \
  { ADJ_HEADER_OF(adj_send_args, ADJ_TAG_SEND_ARGS), NULL, {0} }
#define ADJ_RECV_DESCRIPTOR_INIT \
  { ADJ_HEADER_OF(adj_recv_descriptor, ADJ_TAG_RECV_DESCRIPTOR), -1, 0, NULL, 0, 0 }
#define ADJ_RECV_ARGS_INIT \
  { ADJ_HEADER_OF(adj_recv_args, ADJ_TAG_RECV_ARGS), NULL, {0} }
#define ADJ_BROADCAST_DESCRIPTOR_INIT \
  { ADJ_HEADER_OF(adj_broadcast_descriptor, ADJ_TAG_BROADCAST_DESCRIPTOR), 0, 0, NULL, 0, 0 }
#define ADJ_BROADCAST_ARGS_INIT \
  { ADJ_HEADER_OF(adj_broadcast_args, ADJ_TAG_BROADCAST_ARGS), NULL, {0} }
#define ADJ_ADASUM_ALL_REDUCE_DESCRIPTOR_INIT \
  { ADJ_HEADER_OF(adj_adasum_all_reduce_descriptor, ADJ_TAG_ADASUM_ALL_REDUCE_DESCRIPTOR), -1, 0, NULL, 0, 0 }
#define ADJ_ADASUM_ALL_REDUCE_ARGS_INIT \
  { ADJ_HEADER_OF(adj_adasum_all_reduce_args, ADJ_TAG_ADASUM_ALL_REDUCE_ARGS), NULL, {0}, {0} }
#define ADJ_MEGATRON_F_DESCRIPTOR_INIT \
  { ADJ_HEADER_OF(adj_megatron_f_descriptor, ADJ_TAG_MEGATRON_F_DESCRIPTOR), -1, 0, 0 }
#define ADJ_MEGATRON_F_ARGS_INIT \
  { ADJ_HEADER_OF(adj_megatron_f_args, ADJ_TAG_MEGATRON_F_ARGS), NULL, {0}, {0} }
#define ADJ_MEGATRON_G_DESCRIPTOR_INIT \
  { ADJ_HEADER_OF(adj_megatron_g_descriptor, ADJ_TAG_MEGATRON_G_DESCRIPTOR), -1, 0, 0 }
#define ADJ_MEGATRON_G_ARGS_INIT \
  { ADJ_HEADER_OF(adj_megatron_g_args, ADJ_TAG_MEGATRON_G_ARGS), NULL, {0}, {0} }
#endif

ADJ_CPP_NAMES(AllReduce, all_reduce)
ADJ_CPP_NAMES(AllGather, all_gather)
ADJ_CPP_NAMES(ReduceScatter, reduce_scatter)
ADJ_CPP_NAMES(Send, send)
ADJ_CPP_NAMES(Recv, recv)
ADJ_CPP_NAMES(Broadcast, broadcast)
ADJ_CPP_NAMES(AdasumAllReduce, adasum_all_reduce)
ADJ_CPP_NAMES(MegatronF, megatron_f)
ADJ_CPP_NAMES(MegatronG, megatron_g)

#endif
