/* Parameters of kernels/shape/, to be included after prelude/multi_tensor.h. */
#pragma once

/* inputs, outputs */
struct CopyHead {
  struct MultiTensorHead list;
};
