/* Written by tools/generate.py from activation.h. Do not edit. */
#ifndef ADJOINT_OPS_ACTIVATION_INIT_H
#define ADJOINT_OPS_ACTIVATION_INIT_H

#include "activation.h"

#ifndef __cplusplus
#define ADJ_ACTIVATION_BACKWARD_DESCRIPTOR_INIT \
  { ADJ_HEADER_OF(adj_activation_backward_descriptor, ADJ_TAG_ACTIVATION_BACKWARD_DESCRIPTOR), 1, -1, 0.01, 1.702, \
    1.0, 0, 0, 0, 0, 0, 0 }
#define ADJ_ACTIVATION_BACKWARD_ARGS_INIT \
  { ADJ_HEADER_OF(adj_activation_backward_args, ADJ_TAG_ACTIVATION_BACKWARD_ARGS), {0}, {0}, {0}, {0}, {0} }
#define ADJ_ACTIVATION_FORWARD_DESCRIPTOR_INIT \
  { ADJ_HEADER_OF(adj_activation_forward_descriptor, ADJ_TAG_ACTIVATION_FORWARD_DESCRIPTOR), 1, -1, 0.01, 1.702, 1.0, \
    0, 0, 0, 0 }
#define ADJ_ACTIVATION_FORWARD_ARGS_INIT \
  { ADJ_HEADER_OF(adj_activation_forward_args, ADJ_TAG_ACTIVATION_FORWARD_ARGS), {0}, {0}, {0} }
#define ADJ_GATED_ACTIVATION_BACKWARD_DESCRIPTOR_INIT \
  { ADJ_HEADER_OF(adj_gated_activation_backward_descriptor, ADJ_TAG_GATED_ACTIVATION_BACKWARD_DESCRIPTOR), 1, -1, 0, \
    0, 0, 0 }
#define ADJ_GATED_ACTIVATION_BACKWARD_ARGS_INIT \
  { ADJ_HEADER_OF(adj_gated_activation_backward_args, ADJ_TAG_GATED_ACTIVATION_BACKWARD_ARGS), {0}, {0}, {0} }
#define ADJ_GATED_ACTIVATION_FORWARD_DESCRIPTOR_INIT \
  { ADJ_HEADER_OF(adj_gated_activation_forward_descriptor, ADJ_TAG_GATED_ACTIVATION_FORWARD_DESCRIPTOR), 1, -1, 0, 0, \
    0, 0 }
#define ADJ_GATED_ACTIVATION_FORWARD_ARGS_INIT \
  { ADJ_HEADER_OF(adj_gated_activation_forward_args, ADJ_TAG_GATED_ACTIVATION_FORWARD_ARGS), {0}, {0} }
#endif

ADJ_CPP_NAMES(ActivationBackward, activation_backward)
ADJ_CPP_NAMES(ActivationForward, activation_forward)
ADJ_CPP_NAMES(GatedActivationBackward, gated_activation_backward)
ADJ_CPP_NAMES(GatedActivationForward, gated_activation_forward)

#endif
