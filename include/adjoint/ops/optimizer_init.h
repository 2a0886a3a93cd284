/* Written by tools/generate.py from optimizer.h. Do not edit. */
#ifndef ADJOINT_OPS_OPTIMIZER_INIT_H
#define ADJOINT_OPS_OPTIMIZER_INIT_H

#include "optimizer.h"

#ifndef __cplusplus
#define ADJ_SGD_DESCRIPTOR_INIT \
  { ADJ_HEADER_OF(adj_sgd_descriptor, ADJ_TAG_SGD_DESCRIPTOR), 0, NULL, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0 }
#define ADJ_SGD_ARGS_INIT \
  { ADJ_HEADER_OF(adj_sgd_args, ADJ_TAG_SGD_ARGS), {0}, {0}, {0}, {0}, {0}, {0}, {0}, {ADJ_NAN, NULL, 0, 0}, \
    {1, NULL, 0, 0}, {0, NULL, 0, 0}, {1, NULL, 0, 0}, {0}, {0} }
#define ADJ_ADAM_DESCRIPTOR_INIT \
  { ADJ_HEADER_OF(adj_adam_descriptor, ADJ_TAG_ADAM_DESCRIPTOR), 0, NULL, 0, NULL, 0, NULL, 0.9, 0.999, 1e-8, 0, 1, 0, \
    0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0 }
#define ADJ_ADAM_ARGS_INIT \
  { ADJ_HEADER_OF(adj_adam_args, ADJ_TAG_ADAM_ARGS), {0}, {0}, {0}, {0}, {0}, {0}, {0}, {0}, {0}, \
    {ADJ_NAN, NULL, 0, 0}, {0, NULL, 0, 0}, {0, NULL, 0, 0}, {1, NULL, 0, 0}, {0, NULL, 0, 0}, {1, NULL, 0, 0}, {0}, \
    {0}, {0}, {0} }
#define ADJ_LAMB_DESCRIPTOR_INIT \
  { ADJ_HEADER_OF(adj_lamb_descriptor, ADJ_TAG_LAMB_DESCRIPTOR), 0, NULL, 0.9, 0.999, 1e-6, 0, 1, 0, 1e308, 0, NULL, \
    0, NULL, 0, NULL, 0, NULL, 0, NULL, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0 }
#define ADJ_LAMB_ARGS_INIT \
  { ADJ_HEADER_OF(adj_lamb_args, ADJ_TAG_LAMB_ARGS), {0}, {0}, {0}, {0}, {0}, {0}, {0}, {0}, {0}, \
    {ADJ_NAN, NULL, 0, 0}, {0, NULL, 0, 0}, {1, NULL, 0, 0}, {0, NULL, 0, 0}, {1, NULL, 0, 0}, {0}, {0} }
#define ADJ_CLIP_GRAD_NORM_DESCRIPTOR_INIT \
  { ADJ_HEADER_OF(adj_clip_grad_norm_descriptor, ADJ_TAG_CLIP_GRAD_NORM_DESCRIPTOR), 0, NULL, 1, 1e-6, 0, 0 }
#define ADJ_CLIP_GRAD_NORM_ARGS_INIT \
  { ADJ_HEADER_OF(adj_clip_grad_norm_args, ADJ_TAG_CLIP_GRAD_NORM_ARGS), {0}, {1, NULL, 0, 0}, {0}, {0}, {0} }
#define ADJ_LION_DESCRIPTOR_INIT \
  { ADJ_HEADER_OF(adj_lion_descriptor, ADJ_TAG_LION_DESCRIPTOR), 0, NULL, 0.9, 0.99, 0, 1, 0, NULL, 0, NULL, 0, 0, 0, \
    0, 0, 0, 0, 0 }
#define ADJ_LION_ARGS_INIT \
  { ADJ_HEADER_OF(adj_lion_args, ADJ_TAG_LION_ARGS), {0}, {0}, {0}, {0}, {ADJ_NAN, NULL, 0, 0}, {0, NULL, 0, 0}, \
    {0, NULL, 0, 0}, {1, NULL, 0, 0}, {0, NULL, 0, 0}, {1, NULL, 0, 0}, {0}, {0} }
#define ADJ_ADAMW_8BIT_DESCRIPTOR_INIT \
  { ADJ_HEADER_OF(adj_adamw_8bit_descriptor, ADJ_TAG_ADAMW_8BIT_DESCRIPTOR), 0, NULL, 0.9, 0.999, 1e-8, 1e-2, 1, 0, \
    NULL, 0, NULL, 0, 0, 0, 0, 0, 0 }
#define ADJ_ADAMW_8BIT_ARGS_INIT \
  { ADJ_HEADER_OF(adj_adamw_8bit_args, ADJ_TAG_ADAMW_8BIT_ARGS), {0}, {0}, {0}, {0}, {0}, {0}, {0}, \
    {ADJ_NAN, NULL, 0, 0}, {0, NULL, 0, 0}, {0, NULL, 0, 0}, {1, NULL, 0, 0}, {0, NULL, 0, 0}, {1, NULL, 0, 0}, {0}, \
    {0} }
#endif

ADJ_CPP_NAMES(Sgd, sgd)
ADJ_CPP_NAMES(Adam, adam)
ADJ_CPP_NAMES(Lamb, lamb)
ADJ_CPP_NAMES(ClipGradNorm, clip_grad_norm)
ADJ_CPP_NAMES(Lion, lion)
ADJ_CPP_NAMES(Adamw8bit, adamw_8bit)

#endif
