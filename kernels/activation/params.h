/* Parameters of kernels/activation/. */
#pragma once

struct ActivationParams {
  const void* dout;      /* backward */
  const void* input;     /* the input of the forward operator, or its output if from_output */
  const void* bias;      /* [inner], or null */
  void* out;             /* out, or dinput */
  void* partials;        /* [splits, inner] partial sums of dbias, or null */
  double alpha;          /* parameter of the function */
  long long outer, inner;  /* rows and columns; flat: 1 and the number of elements */
  long long rows_of_split;
  int from_output;       /* 1: input is f(z) */
  int depth;             /* rows that a block works on at a time; 0: flat */
  int width;             /* vectors of a row that a block works on */
  int tiles;             /* blocks side by side in a row */
};

struct GatedActivationParams {
  const void* dout;      /* backward */
  const void* input;
  void* out;             /* out, or dinput */
  long long outer, inner;
  long long rows_of_split;
  int depth, width, tiles;  /* as above */
  int interleaved;
  int gate_second;
};
