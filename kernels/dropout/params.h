/* Parameters of kernels/dropout/, to be included after divide.h, philox.h and scalar.h. */
#pragma once

/* Codes of adj_dropout_mask. */
enum { kMaskBool = 1, kMaskBits = 2, kMaskNone = 3 };

/* Which elements are kept, and what they are multiplied by. */
struct DropoutRule {
  ScalarParam ratio;
  RandomParam random;
  void* mask;               /* bytes, or words of bits; null for kMaskNone */
  int mask_kind;
  int training;             /* 0: everything is kept as it is */
};

struct DropoutParams {
  const void* in;
  void* out;                /* may be in */
  DropoutRule rule;
  long long count;          /* elements */
  long long stretch;        /* mapping of ONNX Runtime: elements that its grid takes at a time, a multiple of 1024 */
  struct WideDivisor by_stretch;
};

/* Which word an element of a row takes in ONNX Runtime's BiasSoftmaxDropout. */
struct DropoutRowMapping {
  long long stretch;        /* rows of more than 2048 columns: elements that its grid takes at a time, a multiple of 1024; else 0 */
  struct WideDivisor by_stretch;
  int lanes_log2;           /* threads of a row */
  int slots;                /* columns of a thread */
  int rows_log2;            /* rows of a thread */
  int vector_log2;          /* neighbouring columns that a thread takes together */
};

/* Adds the words that a call has consumed to the offset on the device. */
struct DropoutAdvanceParams {
  RandomParam random;
  unsigned long long words;
};

struct BiasSoftmaxDropoutParams {
  const void* in;
  const void* bias;         /* null for none */
  void* out;                /* may be in */
  void* softmax_out;        /* null for none, may be in */
  DropoutRule rule;
  long long rows;
  long long columns;
  long long divisor;        /* inner: rows that share a row of the bias, r takes row r / divisor; else r mod divisor, rows of the bias */
  struct WideDivisor by_divisor;
  int inner;
  int group;                /* threads of a row: a power of two up to a warp, or the block */
  int resident;             /* the threads hold a whole row */
  int zero_masked_rows;
  int shared_words;         /* rows share bytes of the bit mask, which was cleared: bits are added by atomics */
  int reserved;
  struct DropoutRowMapping mapping;  /* of ONNX Runtime */
};

struct SoftmaxDropoutBackwardParams {
  const void* dout;
  const void* softmax_out;
  void* dinput;             /* may be dout or softmax_out */
  DropoutRule rule;
  long long rows;
  long long columns;
  int group;                /* as above */
  int resident;
  struct DropoutRowMapping mapping;  /* of ONNX Runtime */
};
