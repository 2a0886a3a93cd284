/* Parameters of l2_norm.cu, to be included after prelude/multi_tensor.h and prelude/multi_norm.h. Table: inputs. */
#pragma once

struct L2NormHead {
  struct MultiTensorHead list;
  struct NormPartials partials;
  void* output;
  void* norms;       /* norm of each tensor; 0 before the launch for tensors without elements; may be null */
  float* found_inf;  /* may be null */
  int out_dtype;     /* code of adj_dtype */
  int reserved;
};
