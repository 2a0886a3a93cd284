/* Parameters of kernels/moe/. */
#pragma once

enum {
  kMoePlanBlock = 256,
  kMoePlanTile = 2048,      /* pairs that a block of a plan takes at least */
  kMoePlanBlocks = 256,     /* most blocks of a plan */
  kMoeMostExperts = 1024,
  kMoeMostTopK = 64,
  kMoeRowBlock = 256,
  kMoePlanArrays = kMoePlanBlock / 32 + 3 /* arrays of a number for each expert in shared memory of plan.cu */
};

struct MoePlanParams {
  const void* experts;   /* [pairs] */
  int* offsets;          /* [num_experts + 1] */
  int* order;            /* [rows] */
  int* inverse;          /* [pairs] */
  long long* error_flag; /* null: none */
  unsigned* counts;      /* [blocks, num_experts]: pairs of a block with an expert; with one block not used */
  unsigned pairs, pairs_of_block, rows;
  unsigned capacity;     /* most pairs of an expert; 0: any number */
  unsigned align;
  int num_experts;
  int bits;              /* enough for every expert */
};

/* Rows of tokens and rows of pairs. */
struct MoeRowsParams {
  const void* tokens;    /* gather.cu: null; scatter.cu: [num_tokens, columns] */
  const void* rows;      /* [num_rows, columns]; of scatter.cu with weights */
  const void* weights;   /* [num_tokens, top_k]; null: every weight is 1 */
  const int* order;      /* [num_rows]; of scatter.cu */
  const int* inverse;    /* [num_tokens, top_k] */
  void* out;             /* gather.cu: [num_tokens, columns]; scatter.cu: [num_rows, columns] */
  void* dweights;        /* [num_tokens, top_k]; of scatter.cu with weights */
  long long* error_flag; /* null: none */
  long long num_tokens, num_rows, columns;
  int top_k;
  int lanes;             /* threads that share a row: a power of two up to a warp, or the block */
};
