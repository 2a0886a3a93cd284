/* Parameters of kernels/dropout/, to be included after divide.h, philox.h and scalar.h. */
#pragma once

/* Codes of adj_dropout_mask. */
enum { kMaskBool = 1, kMaskBits = 2, kMaskNone = 3 };

/* The rule of a call: which elements are kept, and their factor. */
struct DropoutRule {
  ScalarParam ratio;
  RandomParam random;
  void* mask;               /* a byte per element, or words of bits; null for kMaskNone */
  int mask_kind;
  int training;             /* 0: all elements are kept unscaled */
};

struct DropoutParams {
  const void* in;
  void* out;                /* may be in */
  DropoutRule rule;
  long long count;          /* elements */
  long long stretch;        /* mapping of ONNX Runtime: elements that its grid takes at a time, a multiple of 1024 */
  struct WideDivisor by_stretch;
};

/* Mapping from elements of a row to random words, as in ONNX Runtime's BiasSoftmaxDropout. */
struct DropoutRowMapping {
  long long stretch;        /* rows of more than 2048 columns: elements that its grid takes at a time, a multiple of 1024; else 0 */
  struct WideDivisor by_stretch;
  int lanes_log2;           /* log2 of the threads that share a row */
  int thread_columns;       /* columns that a thread takes of a row */
  int rows_log2;            /* log2 of the rows that a thread takes */
  int vector_log2;          /* log2 of the neighbouring columns that a thread takes together */
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
  long long divisor;        /* inner = 1: row r takes row r / divisor of the bias; inner = 0: row r mod divisor */
  struct WideDivisor by_divisor;
  int inner;
  int group;                /* threads that share a row: a power of two up to a warp, or the block */
  int resident;             /* 1: the group holds a row in registers */
  int zero_masked_rows;
  int shared_words;         /* 1: rows share bytes of the bit mask; it was cleared, and bits are set by atomics */
  int reserved;
  struct DropoutRowMapping mapping;  /* for programs with ADJ_ONNX_RUNTIME=1 */
};

struct SoftmaxDropoutBackwardParams {
  const void* dout;
  const void* softmax_out;
  void* dinput;             /* may be dout or softmax_out */
  DropoutRule rule;
  long long rows;
  long long columns;
  int group;                /* threads that share a row, as above */
  int resident;
  struct DropoutRowMapping mapping;  /* for programs with ADJ_ONNX_RUNTIME=1 */
};
