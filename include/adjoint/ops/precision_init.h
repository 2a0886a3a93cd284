/* Written by tools/generate.py from precision.h. Do not edit. */
#ifndef ADJOINT_OPS_PRECISION_INIT_H
#define ADJOINT_OPS_PRECISION_INIT_H

#include "precision.h"

#ifndef __cplusplus
#define ADJ_IS_FINITE_DESCRIPTOR_INIT \
  { ADJ_HEADER_OF(adj_is_finite_descriptor, ADJ_TAG_IS_FINITE_DESCRIPTOR), 0, NULL, 0, 0 }
#define ADJ_IS_FINITE_ARGS_INIT \
  { ADJ_HEADER_OF(adj_is_finite_args, ADJ_TAG_IS_FINITE_ARGS), {0}, {0} }
#define ADJ_ALL_FINITE_DESCRIPTOR_INIT \
  { ADJ_HEADER_OF(adj_all_finite_descriptor, ADJ_TAG_ALL_FINITE_DESCRIPTOR), 0, NULL, 0, 0 }
#define ADJ_ALL_FINITE_ARGS_INIT \
  { ADJ_HEADER_OF(adj_all_finite_args, ADJ_TAG_ALL_FINITE_ARGS), {0}, {0}, {0} }
#define ADJ_ALL_DESCRIPTOR_INIT \
  { ADJ_HEADER_OF(adj_all_descriptor, ADJ_TAG_ALL_DESCRIPTOR), 0, NULL }
#define ADJ_ALL_ARGS_INIT \
  { ADJ_HEADER_OF(adj_all_args, ADJ_TAG_ALL_ARGS), {0}, {0} }
#define ADJ_SCALE_DESCRIPTOR_INIT \
  { ADJ_HEADER_OF(adj_scale_descriptor, ADJ_TAG_SCALE_DESCRIPTOR), 0, NULL, 1, 0, 0, 0, 0, 0 }
#define ADJ_SCALE_ARGS_INIT \
  { ADJ_HEADER_OF(adj_scale_args, ADJ_TAG_SCALE_ARGS), {0}, {0}, {0}, {0}, {0}, {1, NULL, 0, 0}, {1, NULL, 0, 0}, \
    {1, NULL, 0, 0}, {0} }
#define ADJ_ZERO_DESCRIPTOR_INIT \
  { ADJ_HEADER_OF(adj_zero_descriptor, ADJ_TAG_ZERO_DESCRIPTOR), 0, NULL, 0, 0 }
#define ADJ_ZERO_ARGS_INIT \
  { ADJ_HEADER_OF(adj_zero_args, ADJ_TAG_ZERO_ARGS), {0} }
#define ADJ_ACCUMULATE_DESCRIPTOR_INIT \
  { ADJ_HEADER_OF(adj_accumulate_descriptor, ADJ_TAG_ACCUMULATE_DESCRIPTOR), 0, NULL, 0, 0, 0, 0 }
#define ADJ_ACCUMULATE_ARGS_INIT \
  { ADJ_HEADER_OF(adj_accumulate_args, ADJ_TAG_ACCUMULATE_ARGS), {0}, {0}, {0}, {0}, {1, NULL, 0, 0}, {0, NULL, 0, 0}, \
    {0} }
#define ADJ_SCALED_SUM_DESCRIPTOR_INIT \
  { ADJ_HEADER_OF(adj_scaled_sum_descriptor, ADJ_TAG_SCALED_SUM_DESCRIPTOR), 0, NULL, 2, 0 }
#define ADJ_SCALED_SUM_ARGS_INIT \
  { ADJ_HEADER_OF(adj_scaled_sum_args, ADJ_TAG_SCALED_SUM_ARGS), {0}, {0}, {0}, {0}, {1, NULL, 0, 0}, {1, NULL, 0, 0}, \
    {1, NULL, 0, 0} }
#define ADJ_UPDATE_LOSS_SCALE_DESCRIPTOR_INIT \
  { ADJ_HEADER_OF(adj_update_loss_scale_descriptor, ADJ_TAG_UPDATE_LOSS_SCALE_DESCRIPTOR), 2, 0.5, 0, 1e308, 2000, 0 }
#define ADJ_UPDATE_LOSS_SCALE_ARGS_INIT \
  { ADJ_HEADER_OF(adj_update_loss_scale_args, ADJ_TAG_UPDATE_LOSS_SCALE_ARGS), {0}, {0}, {0} }
#endif

ADJ_CPP_NAMES(IsFinite, is_finite)
ADJ_CPP_NAMES(AllFinite, all_finite)
ADJ_CPP_NAMES(All, all)
ADJ_CPP_NAMES(Scale, scale)
ADJ_CPP_NAMES(Zero, zero)
ADJ_CPP_NAMES(Accumulate, accumulate)
ADJ_CPP_NAMES(ScaledSum, scaled_sum)
ADJ_CPP_NAMES(UpdateLossScale, update_loss_scale)

#endif
