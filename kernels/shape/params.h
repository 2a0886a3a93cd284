/* Parameters of kernels/shape/, to be included after prelude/multi_tensor.h. */
#pragma once

/* Arrays of a tensor in the table: its input, its output. */
struct CopyHead {
  struct MultiTensorHead list;
};

enum { kTransposeBlock = 256 };

/* Matrices of `rows` rows, one after the other. */
struct TransposeParams {
  const void* in;
  void* out;
  long long batch, rows, columns;
};
