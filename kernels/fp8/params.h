/* Parameters of kernels/fp8/, to be included after prelude/philox.h. */
#pragma once

enum {
  kFp8Block = 256,
  kFp8Group = 128, /* elements along a side of a block of scales */
  kFp8Piece = 16,  /* elements that a thread takes together: their codes are 16 bytes */
  kFp8Together = 2, /* pieces that a thread of pieces.cu has in flight */
  kFp8UpdateColumns = 32, /* tensors of a block of update.cu */
  kFp8UpdateRows = 8      /* rows of the history that its threads read at a time */
};
/* Of product.cu: a block's tile, its steps along the depth and the stages of its copies. */
enum { kFp8ProductTile = 128, kFp8ProductStep = 64, kFp8ProductStages = 4, kFp8ProductShared = kFp8ProductStages * 2 * kFp8ProductTile * kFp8ProductStep };

/* What a scale is made of. */
struct Fp8Rule {
  float largest, eps;
  int quotient, pow2;
};

/* Places of scales: of row i and block j of the columns i * row + j * column, in numbers. Blocks of 128 x 128: i counts blocks of rows. */
struct Fp8Places {
  long long row, column;
};

struct QuantizeParams {
  const void* x;
  const float* scale;    /* known scales: one, or one a row; null: they are made from amax */
  const float* amax;     /* the largest magnitude; null where the program finds it */
  unsigned char* codes;  /* the pointers from here on may be null */
  unsigned char* codes_t;
  float* scale_out;
  float* inverse_out;
  float* inverse_t_out;
  float* scales;         /* the multipliers again, for a later launch */
  float* amax_out;
  long long* error_flag;
  struct RandomParam random; /* read by programs that round at random */
  struct Fp8Places places, places_t;
  long long rows, cols;
  struct Fp8Rule rule;
  int per_row;           /* 1: known scales have one number a row */
  int saturate;
};

struct DequantizeParams {
  const unsigned char* codes;
  const float* inverse;
  void* out;
  struct Fp8Places places;
  long long rows, cols;
  int rows_log2;    /* log2 of the rows, and of the columns, that share a scale; 63: all */
  int columns_log2;
  int accumulate;
  int reserved;
};

struct LargestParams {
  const void* x;
  float* amax; /* 0 before the launch */
  long long count;
};

struct Fp8UpdateParams {
  float* history;
  float* scale;
  float* inverse;        /* may be null */
  long long* error_flag; /* may be null */
  long long length, tensors;
  float largest;         /* F 2^-margin */
  int most_recent, skip_nonfinite;
  int reserved;
};

/* Parameters of product.cu. */
struct Fp8ProductParams {
  const unsigned char* a;
  const unsigned char* b;
  const float* scale_a;
  const float* scale_b;
  const void* bias;        /* null: none */
  void* out;
  struct Fp8Places places_a, places_b;
  long long m, n, k;
  long long column_tiles, tiles;
  double alpha;            /* a number of f32 */
  int rows_log2_a, rows_log2_b; /* log2 of the rows that share a scale */
  int grouped;             /* 1: scales change along k every kFp8Group */
  int accumulate;
};
