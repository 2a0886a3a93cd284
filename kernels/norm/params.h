/* Parameters of kernels/norm. Tensors are [rows, columns]; a row is normalised by itself. */
#pragma once

struct NormBackwardParams {
  const void* dout;       /* output type */
  const void* saved;      /* input of the forward operator, or its output if `inverted` */
  const void* gamma;      /* weight; null: 1 */
  const void* beta;       /* weight; null: 0. Read if `inverted` */
  const void* mean;       /* null: 0 */
  const void* inv_std;
  const void* dresidual;  /* element; null: nothing to add */
  void* dinput;           /* element */
  void* partials;         /* [2, splits, pitch] sums for dgamma and dbeta, accumulator type; null: not wanted */
  void* row_sums;         /* [2, rows, pieces] sums of rows, accumulator type; algorithm two_reads only */
  long long rows;
  long long columns;
  long long pitch;        /* columns of partials: columns, rounded up to whole units */
  long long splits;       /* number of splits of rows; README.md says which rows are in a split */
  double inverse_columns;
  int lanes;              /* threads that share a row */
  int centred;            /* 1: layer norm, which subtracts the mean of the gradient too */
  int inverted;           /* 1: from the saved output */
  int weight_type;        /* codes of adj_dtype */
  int element_type, output_type, saved_type;
  int pieces;             /* pieces of a row, kNormPiece columns each */
  int units_of_thread;    /* units of a row that a thread takes: at most kNormUnits */
  int pipeline;           /* vectors of shared memory of a thread for the stages of its pipeline: at least one row */
};

enum { kNormUnits = 4 };

enum { kNormPiece = 16384 };

struct NormForwardParams {
  const void* input;
  const void* residual;   /* element; null: nothing to add */
  const void* gamma;      /* weight; null: 1 */
  const void* beta;       /* weight; null: 0 */
  void* sum;              /* element: input + residual; null: not stored */
  void* out;              /* output */
  void* mean;             /* null: not stored */
  void* inv_std;          /* null: not stored */
  long long rows;
  long long columns;
  double inverse_columns;
  double epsilon;
  int lanes;
  int centred;
  int weight_type;
  int element_type, output_type;
  int staged;             /* forward_staged.cu: bytes of shared memory for the input of a block's rows, and as many for residual */
  int staged_rows;        /* forward_staged.cu: rows of a block */
  int reserved;
};

enum { kNormHeld = 16 };  /* forward_staged.cu: most elements of a row that a lane holds */

enum { kNormCluster = 8 };  /* most blocks of a cluster that share a row */

enum { kNormFinishBlock = 512 };

/* Parameters of finish.cu: column sums of two matrices of partial sums. */
struct NormFinishParams {
  const void* partials;   /* [2, splits, pitch] */
  void* first;            /* column sums of the first matrix, [columns] of type `type`; null: not wanted */
  void* second;           /* likewise of the second matrix */
  long long columns;
  long long pitch;
  long long splits;
  int type;
  int accumulate;
  int lanes_log2;         /* log2 of the neighbouring threads that share the columns of a block, 16 bytes each */
  int reserved;
};
