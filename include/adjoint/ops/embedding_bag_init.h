/* Written by tools/generate.py from embedding_bag.h. Do not edit. */
#ifndef ADJOINT_OPS_EMBEDDING_BAG_INIT_H
#define ADJOINT_OPS_EMBEDDING_BAG_INIT_H

#include "embedding_bag.h"

#ifndef __cplusplus
#define ADJ_EMBEDDING_BAG_FORWARD_DESCRIPTOR_INIT \
  { ADJ_HEADER_OF(adj_embedding_bag_forward_descriptor, ADJ_TAG_EMBEDDING_BAG_FORWARD_DESCRIPTOR), -1, -1, -1, -1, 0, \
    0, 0, 0, 0, 0, 0, 0, 0 }
#define ADJ_EMBEDDING_BAG_FORWARD_ARGS_INIT \
  { ADJ_HEADER_OF(adj_embedding_bag_forward_args, ADJ_TAG_EMBEDDING_BAG_FORWARD_ARGS), {0}, {0}, {0}, {0}, {0}, {0}, \
    {0} }
#define ADJ_EMBEDDING_BAG_BACKWARD_DESCRIPTOR_INIT \
  { ADJ_HEADER_OF(adj_embedding_bag_backward_descriptor, ADJ_TAG_EMBEDDING_BAG_BACKWARD_DESCRIPTOR), -1, -1, -1, -1, \
    0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0 }
#define ADJ_EMBEDDING_BAG_BACKWARD_ARGS_INIT \
  { ADJ_HEADER_OF(adj_embedding_bag_backward_args, ADJ_TAG_EMBEDDING_BAG_BACKWARD_ARGS), {0}, {0}, {0}, {0}, {0}, {0}, \
    {0}, {0}, {0} }
#define ADJ_EMBEDDING_BAG_PER_SAMPLE_WEIGHTS_BACKWARD_DESCRIPTOR_INIT \
  { \
    ADJ_HEADER_OF(adj_embedding_bag_per_sample_weights_backward_descriptor, ADJ_TAG_EMBEDDING_BAG_PER_SAMPLE_WEIGHTS_BACKWARD_DESCRIPTOR), \
    -1, -1, -1, -1, 0, 0, 0, 0, 0, 0, 0 }
#define ADJ_EMBEDDING_BAG_PER_SAMPLE_WEIGHTS_BACKWARD_ARGS_INIT \
  { \
    ADJ_HEADER_OF(adj_embedding_bag_per_sample_weights_backward_args, ADJ_TAG_EMBEDDING_BAG_PER_SAMPLE_WEIGHTS_BACKWARD_ARGS), \
    {0}, {0}, {0}, {0}, {0}, {0} }
#endif

ADJ_CPP_NAMES(EmbeddingBagForward, embedding_bag_forward)
ADJ_CPP_NAMES(EmbeddingBagBackward, embedding_bag_backward)
ADJ_CPP_NAMES(EmbeddingBagPerSampleWeightsBackward, embedding_bag_per_sample_weights_backward)

#endif
