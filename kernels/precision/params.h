/* Parameters of kernels/precision/. To be included after prelude/multi_tensor.h and prelude/scalar.h. The comment before a head names the arrays of
 * its table, in order. */
#pragma once

/* Table: inputs, outputs. */
struct IsFiniteHead {
  struct MultiTensorHead list;
};

/* Table: inputs. */
struct CheckHead {
  struct MultiTensorHead list;
  unsigned char* output;        /* 1 before the launch */
  float* found_inf;             /* 0 before the launch; may be null */
  unsigned long long mask;      /* bits of an element without its sign */
  unsigned long long low, span; /* an element fails if its bits under the mask lie in [low, low + span] */
};

/* Table: inputs, then `outputs` lists of outputs. If fused is not null: inputs alone; constant 0 is the offset of a tensor in fused, in elements. */
struct ScaleHead {
  struct MultiTensorHead list;
  struct ScalarParam scale[3];
  void* fused;       /* buffer of all outputs; null: lists of outputs */
  float* found_inf;  /* may be null */
  int outputs;
  int scale_down;
};

/* Table: outputs. Extents are in units of two bytes. */
struct ZeroHead {
  struct MultiTensorHead list;
};

/* Table: sums, values, outputs, and copies if `copies`. */
struct AccumulateHead {
  struct MultiTensorHead list;
  struct ScalarParam update, overwrite;
  int copies;
  int reserved;
};

/* Table: outputs, then `inputs` lists of inputs. */
struct ScaledSumHead {
  struct MultiTensorHead list;
  struct ScalarParam scale[3];
  int inputs;
  int reserved;
};

/* The three pointers point to one number each. */
struct LossScaleParams {
  const float* found_inf;
  float* scale;
  int* growth_tracker;
  double growth_factor, backoff_factor;
  double min_scale, max_scale;
  int growth_interval;
  int reserved;
};
