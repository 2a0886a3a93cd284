/* Parameters of the kernels in this folder. */
#pragma once

#include "prelude/tensor_map.h"

struct FaultParams {
  const float* in;
  float* out;
  float* partial;
  unsigned* counter;
  long long n;
  struct TensorMap map; /* of `in`, as rows of 64 elements of 16 bits, in boxes of 32 rows */
};
