/* Written by tools/generate.py from index.h. Do not edit. */
#ifndef ADJOINT_OPS_INDEX_INIT_H
#define ADJOINT_OPS_INDEX_INIT_H

#include "index.h"

#ifndef __cplusplus
#define ADJ_GATHER_ND_GRAD_DESCRIPTOR_INIT \
  { ADJ_HEADER_OF(adj_gather_nd_grad_descriptor, ADJ_TAG_GATHER_ND_GRAD_DESCRIPTOR), {0}, {0}, 0, 0, 0, 0, 0 }
#define ADJ_GATHER_ND_GRAD_ARGS_INIT \
  { ADJ_HEADER_OF(adj_gather_nd_grad_args, ADJ_TAG_GATHER_ND_GRAD_ARGS), {0}, {0}, {0}, {0}, {0}, {0} }
#define ADJ_GATHER_ELEMENTS_GRAD_DESCRIPTOR_INIT \
  { ADJ_HEADER_OF(adj_gather_elements_grad_descriptor, ADJ_TAG_GATHER_ELEMENTS_GRAD_DESCRIPTOR), {0}, {0}, 0, 0, 0, 0, \
    0 }
#define ADJ_GATHER_ELEMENTS_GRAD_ARGS_INIT \
  { ADJ_HEADER_OF(adj_gather_elements_grad_args, ADJ_TAG_GATHER_ELEMENTS_GRAD_ARGS), {0}, {0}, {0}, {0}, {0}, {0} }
#define ADJ_INDEX_ADD_DESCRIPTOR_INIT \
  { ADJ_HEADER_OF(adj_index_add_descriptor, ADJ_TAG_INDEX_ADD_DESCRIPTOR), {0}, 0, -1, 0, 0, 0, 0 }
#define ADJ_INDEX_ADD_ARGS_INIT \
  { ADJ_HEADER_OF(adj_index_add_args, ADJ_TAG_INDEX_ADD_ARGS), {0}, {0}, {0}, {0}, {0}, {0}, {0} }
#define ADJ_SLICE_GRAD_DESCRIPTOR_INIT \
  { ADJ_HEADER_OF(adj_slice_grad_descriptor, ADJ_TAG_SLICE_GRAD_DESCRIPTOR), {0}, {0}, {0}, {0}, {0}, 0, 0 }
#define ADJ_SLICE_GRAD_ARGS_INIT \
  { ADJ_HEADER_OF(adj_slice_grad_args, ADJ_TAG_SLICE_GRAD_ARGS), {0}, {0} }
#define ADJ_PAD_AND_UNFLATTEN_DESCRIPTOR_INIT \
  { ADJ_HEADER_OF(adj_pad_and_unflatten_descriptor, ADJ_TAG_PAD_AND_UNFLATTEN_DESCRIPTOR), -1, -1, -1, 1, 0, 0 }
#define ADJ_PAD_AND_UNFLATTEN_ARGS_INIT \
  { ADJ_HEADER_OF(adj_pad_and_unflatten_args, ADJ_TAG_PAD_AND_UNFLATTEN_ARGS), {0}, {0}, {0}, {0} }
#define ADJ_FLATTEN_AND_UNPAD_DESCRIPTOR_INIT \
  { ADJ_HEADER_OF(adj_flatten_and_unpad_descriptor, ADJ_TAG_FLATTEN_AND_UNPAD_DESCRIPTOR), -1, -1, -1, 1, 0, 0 }
#define ADJ_FLATTEN_AND_UNPAD_ARGS_INIT \
  { ADJ_HEADER_OF(adj_flatten_and_unpad_args, ADJ_TAG_FLATTEN_AND_UNPAD_ARGS), {0}, {0}, {0}, {0}, {0} }
#endif

ADJ_CPP_NAMES(GatherNdGrad, gather_nd_grad)
ADJ_CPP_NAMES(GatherElementsGrad, gather_elements_grad)
ADJ_CPP_NAMES(IndexAdd, index_add)
ADJ_CPP_NAMES(SliceGrad, slice_grad)
ADJ_CPP_NAMES(PadAndUnflatten, pad_and_unflatten)
ADJ_CPP_NAMES(FlattenAndUnpad, flatten_and_unpad)

#endif
