/* Parameters of kernels/shape/, to be included after prelude/multi_tensor.h. */
#pragma once

/* Arrays of a tensor in the table: its input, its output. */
struct CopyHead {
  struct MultiTensorHead list;
};
