/* Parameters of kernels/quantize/, to be included after prelude/scalar.h. */
#pragma once

enum { kFakeQuantizeTogether = 2 };  /* units of a thread forwards; one in the gradient, which also reads the mask */

struct FakeQuantizeParams {
  const void* input;    /* backward: dout */
  void* out;            /* dinput */
  void* mask;           /* bool; forward: null when it is not wanted */
  const void* scales;        /* per channel, else null */
  const void* zero_points;
  struct ScalarParam scale, zero_point;
  long long count;      /* elements */
  long long channels, inner;
  double quant_min, quant_max;
  int nan_to_min;
};
