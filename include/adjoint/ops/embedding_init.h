/* Written by tools/generate.py from embedding.h. Do not edit. */
#ifndef ADJOINT_OPS_EMBEDDING_INIT_H
#define ADJOINT_OPS_EMBEDDING_INIT_H

#include "embedding.h"

#ifndef __cplusplus
#define ADJ_EMBEDDING_FORWARD_DESCRIPTOR_INIT \
  { ADJ_HEADER_OF(adj_embedding_forward_descriptor, ADJ_TAG_EMBEDDING_FORWARD_DESCRIPTOR), -1, -1, -1, 0, 0, 0, 0, 0 }
#define ADJ_EMBEDDING_FORWARD_ARGS_INIT \
  { ADJ_HEADER_OF(adj_embedding_forward_args, ADJ_TAG_EMBEDDING_FORWARD_ARGS), {0}, {0}, {0}, {0} }
#define ADJ_EMBEDDING_BACKWARD_DESCRIPTOR_INIT \
  { ADJ_HEADER_OF(adj_embedding_backward_descriptor, ADJ_TAG_EMBEDDING_BACKWARD_DESCRIPTOR), -1, -1, -1, 0, 0, 0, 0, \
    0, 0, 0 }
#define ADJ_EMBEDDING_BACKWARD_ARGS_INIT \
  { ADJ_HEADER_OF(adj_embedding_backward_args, ADJ_TAG_EMBEDDING_BACKWARD_ARGS), {0}, {0}, {0}, {0}, {0}, {0} }
#define ADJ_GATHER_GRAD_DESCRIPTOR_INIT \
  { ADJ_HEADER_OF(adj_gather_grad_descriptor, ADJ_TAG_GATHER_GRAD_DESCRIPTOR), 1, -1, 1, -1, 0, 0, 0, 0 }
#define ADJ_GATHER_GRAD_ARGS_INIT \
  { ADJ_HEADER_OF(adj_gather_grad_args, ADJ_TAG_GATHER_GRAD_ARGS), {0}, {0}, {0}, {0}, {0}, {0} }
#define ADJ_INDEX_PLAN_DESCRIPTOR_INIT \
  { ADJ_HEADER_OF(adj_index_plan_descriptor, ADJ_TAG_INDEX_PLAN_DESCRIPTOR), -1, -1, 0, {0}, {0}, 0, 0, 0, 0, 0, 0 }
#define ADJ_INDEX_PLAN_ARGS_INIT \
  { ADJ_HEADER_OF(adj_index_plan_args, ADJ_TAG_INDEX_PLAN_ARGS), {0}, {0}, {0}, {0} }
#endif

ADJ_CPP_NAMES(EmbeddingForward, embedding_forward)
ADJ_CPP_NAMES(EmbeddingBackward, embedding_backward)
ADJ_CPP_NAMES(GatherGrad, gather_grad)
ADJ_CPP_NAMES(IndexPlan, index_plan)

#endif
