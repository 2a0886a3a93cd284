/* Parameters of kernels/elementwise/. */
#pragma once

/* Operands of one shape. */
struct DivParams {
  const void* dout;
  const void* a;   /* null where db is not wanted */
  const void* b;
  void* da;        /* or null */
  void* db;        /* or null */
  long long count;
};

enum { kDivMostRank = 8, kDivThreads = 256 };

/* Dimensions merged where all operands go on alike. Strides are in elements; an operand that repeats has 0. */
struct DivAxes {
  int rank;
  long long dims[kDivMostRank];  /* from the outermost on */
  long long dout[kDivMostRank], a[kDivMostRank], b[kDivMostRank];
};

/* One gradient: element o of `outputs` is the sum over `reduced` addends. */
struct DivSumParams {
  const void* dout;
  const void* a;     /* of db */
  const void* b;
  void* out;         /* the gradient, or [slices, outputs] partial sums */
  struct DivAxes outputs, reduced;
  long long output_count, reduced_count;
  long long addends_of_slice;
  int across;        /* outputs side by side in a block, a power of two; the other threads share their addends */
  int neighbours_add;  /* neighbouring threads have neighbouring addends, else neighbouring outputs */
  int of_b;          /* the gradient of b */
  int partial;       /* out has partial sums */
};

/* One operand is a row that repeats. */
struct DivColumnsParams {
  const void* dout;
  const void* repeated;  /* [columns]; may be null where it is a that db alone would need */
  const void* other;     /* [rows, columns] */
  void* gradient;        /* of the other; or null */
  void* partials;        /* [slices, columns] sums of the gradient of what repeats; or null */
  long long rows, columns;
  long long rows_of_slice;
  int width, depth;      /* of a block: units of 16 bytes, rows */
  int of_a;              /* a repeats, else b */
  int wants_b;           /* db is wanted */
};
