/* Parameters of the kernels in this folder, to be included after prelude/multi_tensor.h and prelude/scalar.h. The arrays of a table are
 * in the order that stands beside the head. */
#pragma once

/* inputs, outputs */
struct IsFiniteHead {
  struct MultiTensorHead list;
};

/* inputs */
struct CheckHead {
  struct MultiTensorHead list;
  unsigned char* output;        /* of 1 before the launch */
  float* found_inf;             /* of 0 before the launch; may be null */
  unsigned long long mask;      /* of an element, without its sign */
  unsigned long long low, span; /* an element fails when its bits under the mask lie in [low, low + span] */
};

/* inputs, then as many lists of outputs; with fused none, and constant 0 is the offset of a tensor in elements */
struct ScaleHead {
  struct MultiTensorHead list;
  struct ScalarParam scale[3];
  void* fused;       /* null: lists */
  float* found_inf;  /* may be null */
  int outputs;
  int scale_down;
};

/* outputs, counted in units of two bytes */
struct ZeroHead {
  struct MultiTensorHead list;
};

/* sums, values, outputs, and copies when there are any */
struct AccumulateHead {
  struct MultiTensorHead list;
  struct ScalarParam update, overwrite;
  int copies;
  int reserved;
};

/* outputs, then the inputs */
struct ScaledSumHead {
  struct MultiTensorHead list;
  struct ScalarParam scale[3];
  int inputs;
  int reserved;
};

/* All three addresses are those of one number. */
struct LossScaleParams {
  const float* found_inf;
  float* scale;
  int* growth_tracker;
  double growth_factor, backoff_factor;
  double min_scale, max_scale;
  int growth_interval;
  int reserved;
};
