/* Parameters of kernels/fill/. To be included after scalar.h and philox.h. */
#pragma once

enum { kFillBlock = 256, kFillTogether = 8 /* elements of a thread's turn */ };

struct FillParams {
  void* out;
  long long count;
  ScalarParam value;
};

struct NormalParams {
  void* out;
  long long count;
  ScalarParam mean, std;
  RandomParam random;
};
