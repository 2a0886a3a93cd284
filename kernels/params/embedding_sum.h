/* Constants and parameters of kernels/embedding_sum.cu and embedding_heavy.cu. */
#pragma once

enum {
  kRowSumBlock = 256,
  kRowSumBlocks = 4,        /* of a multiprocessor at a time */
  kRowSumChunk = 64,        /* occurrences of a chunk, and most of a light row */
  kRowSumPieces = 2,        /* pieces of 512 bytes that a warp sums together of a wide row */
  kRowSumAnyPieces = 4,     /* elements that it takes per lane of rows that are not aligned */
  kRowSumBatch = 32,        /* most rows of a warp at a time */
  kCombineBlock = 1024,
  kCombineFew = 32,         /* most partial sums that one warp adds */
  kCombineGroup = 32        /* columns of a warp */
};

/* A row with more than kRowSumChunk occurrences; its partial sums belong to consecutive chunks. */
struct EmbeddingHeavyRow {
  unsigned row, count;
  unsigned chunk, partials;  /* the first, and how many */
};

struct EmbeddingSumParams {
  const void* dout;
  void* dweight;
  const unsigned* rows;              /* [N] rows of the occurrences, ascending; num_embeddings for those left out */
  const unsigned* order;             /* [N] their positions, ascending within a row */
  unsigned* counters;                /* [2] heavy rows with up to kCombineFew partial sums, and with more; cleared */
  struct EmbeddingHeavyRow* heavy;   /* [heavy_rows] the former from the front, the latter from the back */
  void* partials;                    /* [chunks, D] of the accumulator's type */
  long long num_embeddings;          /* V */
  long long embedding_dim;           /* D */
  long long stretch;                 /* columns of a block */
  unsigned num_indices;              /* N */
  unsigned heavy_rows;
  int accumulate;
  int scale_by_count;
  int row_lanes;                     /* lanes that share a row: a power of two up to 32 */
  int batch;                         /* rows of a warp at a time; with accumulation, occurrences */
};
