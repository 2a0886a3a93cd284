/* Parameters of kernels/optimizer_*.cu, to be included after common.h and multi_tensor.h. The arrays of a table are in the
 * order of the operator's lists. */
#pragma once

struct AdamwHead {
  struct MultiTensorHead list;
  struct ScalarParam lr, step, grad_scale;
  const float* found_inf;  /* may be null */
  long long* error_flag;   /* may be null */
  double beta1, beta2, epsilon, weight_decay;
  int decay_last;
  int bias_correction;
  int reports;             /* 1 in the launch that counts an invalid step */
  int reserved;
};

/* Of the launch that follows the update and advances the step. */
struct AdamwAdvanceParams {
  struct ScalarParam step;
  const float* found_inf;
  long long* error_flag;
  int bias_correction;
  int reports;
};

struct SgdHead {
  struct MultiTensorHead list;
  struct ScalarParam lr, grad_scale;
  const float* found_inf;
  double momentum, dampening, weight_decay;
  int nesterov;
  int first_step;
};
