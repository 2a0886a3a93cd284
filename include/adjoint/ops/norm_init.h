/* Written by tools/generate.py from norm.h. Do not edit. */
#ifndef ADJOINT_OPS_NORM_INIT_H
#define ADJOINT_OPS_NORM_INIT_H

#include "norm.h"

#ifndef __cplusplus
#define ADJ_LAYER_NORM_BACKWARD_DESCRIPTOR_INIT \
  { ADJ_HEADER_OF(adj_layer_norm_backward_descriptor, ADJ_TAG_LAYER_NORM_BACKWARD_DESCRIPTOR), {0}, -1, 0, 1, 1, 0, 0, \
    0, 0 }
#define ADJ_LAYER_NORM_BACKWARD_ARGS_INIT \
  { ADJ_HEADER_OF(adj_layer_norm_backward_args, ADJ_TAG_LAYER_NORM_BACKWARD_ARGS), {0}, {0}, {0}, {0}, {0}, {0}, {0}, \
    {0}, {0}, {0}, {0} }
#define ADJ_RMS_NORM_BACKWARD_DESCRIPTOR_INIT \
  { ADJ_HEADER_OF(adj_rms_norm_backward_descriptor, ADJ_TAG_RMS_NORM_BACKWARD_DESCRIPTOR), {0}, -1, 0, 1, 0, 0, 0, 0, \
    0 }
#define ADJ_RMS_NORM_BACKWARD_ARGS_INIT \
  { ADJ_HEADER_OF(adj_rms_norm_backward_args, ADJ_TAG_RMS_NORM_BACKWARD_ARGS), {0}, {0}, {0}, {0}, {0}, {0}, {0}, \
    {0} }
#define ADJ_LAYER_NORM_FORWARD_DESCRIPTOR_INIT \
  { ADJ_HEADER_OF(adj_layer_norm_forward_descriptor, ADJ_TAG_LAYER_NORM_FORWARD_DESCRIPTOR), {0}, 1e-5, -1, 0, 0, 0, \
    0, 0 }
#define ADJ_LAYER_NORM_FORWARD_ARGS_INIT \
  { ADJ_HEADER_OF(adj_layer_norm_forward_args, ADJ_TAG_LAYER_NORM_FORWARD_ARGS), {0}, {0}, {0}, {0}, {0}, {0}, {0}, \
    {0} }
#define ADJ_RMS_NORM_FORWARD_DESCRIPTOR_INIT \
  { ADJ_HEADER_OF(adj_rms_norm_forward_descriptor, ADJ_TAG_RMS_NORM_FORWARD_DESCRIPTOR), {0}, 1e-5, -1, 0, 0, 0, 0, \
    0 }
#define ADJ_RMS_NORM_FORWARD_ARGS_INIT \
  { ADJ_HEADER_OF(adj_rms_norm_forward_args, ADJ_TAG_RMS_NORM_FORWARD_ARGS), {0}, {0}, {0}, {0}, {0}, {0} }
#endif

ADJ_CPP_NAMES(LayerNormBackward, layer_norm_backward)
ADJ_CPP_NAMES(RmsNormBackward, rms_norm_backward)
ADJ_CPP_NAMES(LayerNormForward, layer_norm_forward)
ADJ_CPP_NAMES(RmsNormForward, rms_norm_forward)

#endif
