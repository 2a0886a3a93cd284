/* Parameters of kernels/fp8/amax.cu, to be included after prelude/multi_tensor.h. */
#pragma once

/* Table: inputs. */
struct AmaxHead {
  struct MultiTensorHead list;
  float* amax;
  int finite_only;
  int reserved;
};
