/* Parameters of the kernels in this folder. */
#pragma once

struct FaultParams {
  const float* in;
  float* out;
  float* partial;
  unsigned* counter;
  long long n;
};
