/* Parameters of kernels/matmul/, to be included after prelude/divide.h. */
#pragma once

enum { kMatmulFinishThreads = 256 };

/* In the order of adj_matmul_epilogue, from none on. */
enum { kMatmulPlain, kMatmulGelu, kMatmulGeluGradient };

/* Parameters of finish.cu. Element (row, column) of matrix i of out, c, saved and preactivation is i * out_matrix + row * out_row + column. */
struct MatmulFinishParams {
  const void* partials;      /* [splits, rows of all matrices, pitch] accumulators; the first `columns` of a row count */
  const void* bias;          /* [columns], or null */
  const void* c;             /* null where beta is 0 */
  const void* saved;         /* null unless the epilogue is the gradient of gelu */
  void* out;
  void* preactivation;       /* null: not written */
  long long count;           /* elements of out */
  long long columns, rows;   /* of a matrix */
  long long pitch, split;     /* accumulators from one row of partials to the next, and from one split to the next */
  long long out_row, out_matrix;
  double alpha, beta;
  WideDivisor by_columns, by_rows;
  int splits;                 /* 0: every sum is 0 */
  int epilogue;
  int accumulate;            /* 1: the result is added to out, 0: it overwrites */
  int reserved;
};
