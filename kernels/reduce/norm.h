/* Parameters of l2_norm.cu, to be included after prelude/multi_tensor.h and prelude/multi_norm.h. The table has the inputs. */
#pragma once

struct L2NormHead {
  struct MultiTensorHead list;
  struct NormSlots slots;
  void* output;
  void* norms;       /* of tensors without elements 0 before the launch; may be null */
  float* found_inf;  /* may be null */
  int out_dtype;     /* as adj_dtype */
  int reserved;
};
