/* Parameters of kernels/norm. Tensors are [rows, columns]; a row is normalised by itself. */
#pragma once

struct NormBackwardParams {
  const void* dout;       /* output */
  const void* saved;      /* the input of the forward operator, or its output where `inverted` */
  const void* gamma;      /* weight; null: 1 */
  const void* beta;       /* weight; null: 0. Read where `inverted` */
  const void* mean;       /* null: 0 */
  const void* inv_std;
  const void* dresidual;  /* element; null: nothing to add */
  void* dinput;           /* element */
  void* partials;         /* [2, slices, pitch] sums for dgamma and dbeta in the type of the arithmetic; null: not wanted */
  void* row_sums;         /* [2, rows, pieces] likewise, of the algorithm that reads twice */
  long long rows;
  long long columns;
  long long pitch;        /* of partials: columns, rounded up to whole units */
  long long slices;       /* of the rows; slice s has rows s, s + slices, ... times the rows that a block has side by side */
  double inverse_columns;
  int lanes;              /* threads of a row: a power of two up to a warp, or those of the block or of the cluster */
  int centred;            /* layer norm: the mean of the gradient is subtracted, too */
  int inverted;
  int weight_type;        /* codes of adj_dtype */
  int element_type, output_type, saved_type;
  int pieces;             /* of a row, kNormPiece elements each */
  int units_of_thread;    /* of a row in registers: at most kNormUnits */
  int ring;               /* pieces of 16 bytes of a thread for the rows ahead: one row at least */
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
  int reserved;
};

enum { kNormFinishBlock = 512 };

/* Column sums of partial sums. */
struct NormFinishParams {
  const void* partials;   /* [2, slices, pitch] */
  void* first;            /* [columns] of type `type`; null: not wanted */
  void* second;
  long long columns;
  long long pitch;
  long long slices;
  int type;
  int accumulate;
  int lanes_log2;         /* of the threads next to each other that have 16 bytes each of a block's columns */
  int reserved;
};
