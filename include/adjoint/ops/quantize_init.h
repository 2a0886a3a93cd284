/* Written by tools/generate.py from quantize.h. Do not edit. */
#ifndef ADJOINT_OPS_QUANTIZE_INIT_H
#define ADJOINT_OPS_QUANTIZE_INIT_H

#include "quantize.h"

#ifndef __cplusplus
#define ADJ_FAKE_QUANTIZE_FORWARD_DESCRIPTOR_INIT \
  { ADJ_HEADER_OF(adj_fake_quantize_forward_descriptor, ADJ_TAG_FAKE_QUANTIZE_FORWARD_DESCRIPTOR), 1, 1, -1, 0, 255, \
    0, 0, 0, 0 }
#define ADJ_FAKE_QUANTIZE_FORWARD_ARGS_INIT \
  { ADJ_HEADER_OF(adj_fake_quantize_forward_args, ADJ_TAG_FAKE_QUANTIZE_FORWARD_ARGS), {0}, {0, NULL, 0, 0}, \
    {0, NULL, 0, 0}, {0}, {0}, {0}, {0} }
#define ADJ_FAKE_QUANTIZE_BACKWARD_DESCRIPTOR_INIT \
  { ADJ_HEADER_OF(adj_fake_quantize_backward_descriptor, ADJ_TAG_FAKE_QUANTIZE_BACKWARD_DESCRIPTOR), -1, 0, 0 }
#define ADJ_FAKE_QUANTIZE_BACKWARD_ARGS_INIT \
  { ADJ_HEADER_OF(adj_fake_quantize_backward_args, ADJ_TAG_FAKE_QUANTIZE_BACKWARD_ARGS), {0}, {0}, {0} }
#endif

ADJ_CPP_NAMES(FakeQuantizeForward, fake_quantize_forward)
ADJ_CPP_NAMES(FakeQuantizeBackward, fake_quantize_backward)

#endif
