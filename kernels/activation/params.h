/* Parameters of kernels/activation/. */
#pragma once

struct ActivationParams {
  const void* dout;      /* backward */
  const void* input;     /* or the output that was saved */
  const void* bias;      /* [inner], or null */
  void* out;             /* dinput */
  void* partials;        /* [slices, inner] sums of rows, or null */
  double alpha;          /* of the function */
  long long outer, inner;  /* flat: outer is 1 and inner the number of elements */
  long long rows_of_slice;
  int from_output;       /* input is f(z) */
  int depth;             /* rows that a block works on at a time; 0: flat */
  int width;             /* units of a row that a block works on */
  int tiles;             /* blocks side by side in a row */
};

struct GatedActivationParams {
  const void* dout;      /* backward */
  const void* input;
  void* out;             /* dinput */
  long long outer, inner;
  long long rows_of_slice;
  int depth, width, tiles;  /* as above */
  int interleaved;
  int gate_second;
};
