/* Parameters of kernels/quantize/, to be included after prelude/scalar.h. */
#pragma once

enum { kFakeQuantizeTogether = 2 };  /* vectors that a thread has in flight in the forward kernel; the gradient, which also reads the mask, has 1 */

struct FakeQuantizeParams {
  const void* input;    /* backward: dout */
  void* out;            /* backward: dinput */
  void* mask;           /* bool; forward: null when it is not wanted */
  const void* scales;        /* [channels] of the accumulator's type; null: one scale for the tensor */
  const void* zero_points;   /* [channels] of the accumulator's type; null where scales is null */
  struct ScalarParam scale, zero_point; /* read where scales is null */
  long long count;      /* elements of the tensor */
  long long channels, inner; /* channels, and neighbouring elements of one channel; read with scales */
  double quant_min, quant_max;
  int nan_to_min;       /* 1: NaN becomes quant_min, 0: it stays */
};
