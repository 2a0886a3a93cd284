/* Parameters of kernels/elementwise/. */
#pragma once

/* Parameters of div.cu. */
struct DivParams {
  const void* dout;
  const void* a;   /* null where db is not wanted */
  const void* b;
  void* da;        /* null: not wanted */
  void* db;        /* null: not wanted */
  long long count;
};

enum { kDivMostRank = 8, kDivThreads = 256 };

/* Dimensions; neighbouring ones are merged where that is possible for all operands. */
struct DivAxes {
  int rank;
  long long dims[kDivMostRank];  /* from the outermost on */
  long long dout[kDivMostRank], a[kDivMostRank], b[kDivMostRank];  /* strides in elements; 0 where an operand repeats */
};

/* Parameters of div_sum.cu. */
struct DivSumParams {
  const void* dout;
  const void* a;     /* read for the gradient of b only */
  const void* b;
  void* out;         /* the gradient, or [splits, outputs] partial sums */
  struct DivAxes outputs, reduced;  /* dimensions of the gradient; dimensions of the addends of one output */
  long long output_count, reduced_count;
  long long addends_of_split;
  int across;        /* outputs of a block, a power of two; kDivThreads / across threads share the addends of each */
  int neighbours_add;  /* 1: neighbouring threads have neighbouring addends, 0: neighbouring outputs */
  int of_b;          /* 1: the gradient of b, 0: of a */
  int partial;       /* 1: out has partial sums */
};

/* Parameters of div_columns.cu. */
struct DivColumnsParams {
  const void* dout;
  const void* repeated;  /* [columns] the row; null where it is a and db is not wanted */
  const void* other;     /* [rows, columns] the operand that does not repeat; null where it is a and db is not wanted */
  void* gradient;        /* [rows, columns] gradient of other; null: not wanted */
  void* partials;        /* [splits, columns] partial sums of the gradient of repeated; null: not wanted */
  long long rows, columns;
  long long rows_of_split;
  int width, depth;      /* vectors of 16 bytes of a row, and rows, that a block has at a time */
  int of_a;              /* 1: a repeats, 0: b does */
  int wants_b;           /* 1: db is wanted */
};
