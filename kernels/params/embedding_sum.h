/* Constants and parameters of kernels/embedding_sum.cu, embedding_heavy.cu and embedding_bag_sources.cu. */
#pragma once

enum {
  kRowSumBlock = 256,
  kRowSumBlocks = 4,        /* of a multiprocessor at a time */
  kRowSumChunk = 64,        /* occurrences of a chunk, and most of a light row */
  kRowSumBatch = 32,        /* most rows of a warp at a time */
  kCombineBlock = 1024,
  kCombineFew = 32,         /* most partial sums that one warp adds */
  kCombineGroup = 32        /* columns of a warp: one each */
};

/* How rows are divided, the macro ADJ_ROWS of the programs. A lane takes several pieces of a row or of as many matrices. */
enum {
  kRowsAny,                 /* elements */
  kRowsNarrow,              /* 16-byte aligned rows: one piece of 16 bytes */
  kRowsWide,                /* pieces of 16 bytes */
  kRowsAcross,              /* pieces of 16 bytes, one of each matrix */
  kRowsTiny,                /* rows of less than 16 bytes: elements, one of each matrix */
  kRowShapes
};
constexpr int row_sum_pieces(int shape) {
  return shape == kRowsTiny ? 8 : shape == kRowsAny || shape == kRowsAcross ? 4 : shape == kRowsWide ? 2 : 1;
}
constexpr bool row_sum_across(int shape) { return shape >= kRowsAcross; }

/* A row with more than kRowSumChunk occurrences; its partial sums belong to consecutive chunks. */
struct EmbeddingHeavyRow {
  unsigned row, count;
  unsigned chunk, partials;  /* the first, and how many */
};

struct EmbeddingSumParams {
  const void* dout;                  /* [outer, N, D], or [B, D] for bags */
  void* dweight;                     /* [outer, V, D] */
  const unsigned* rows;              /* [N] rows of the occurrences, ascending; num_embeddings for those left out */
  const unsigned* order;             /* [N] their positions, ascending within a row */
  unsigned* counters;                /* [2] heavy rows with up to kCombineFew partial sums, and with more; cleared */
  struct EmbeddingHeavyRow* heavy;   /* [heavy_rows] the former from the front, the latter from the back */
  void* partials;                    /* [chunks, outer, D] of the accumulator's type */
  long long num_embeddings;          /* V */
  long long embedding_dim;           /* D */
  unsigned num_indices;              /* N */
  unsigned heavy_rows;
  int accumulate;                    /* read by the sums of heavy rows */
  int scale_by_count;
  int row_lanes;                     /* lanes that share a row: a power of two up to 32 */
  int batch;                         /* rows of a warp at a time; with accumulation, occurrences */
  unsigned stretches;                /* pieces of a row that blocks take, */
  unsigned items;                    /* and those of all shares of the matrices */
  long long stretch;                 /* columns of one */
  /* Read when ADJ_GATHER is set. */
  long long outer;
  long long dout_matrix;             /* N D, elements */
  long long dweight_matrix;          /* V D */
  long long outer_step;              /* matrices of a block */
  /* Read when ADJ_BAG is set. */
  const unsigned* sources;           /* [N] bags of the sorted occurrences */
  const void* weights;               /* [N] and their weights, of the accumulator's type; null for 1 */
  const int* max_positions;          /* [B, D], for the maximum */
};

/* Parameters of kernels/embedding_bag_sources.cu. */
struct EmbeddingBagSourcesParams {
  const unsigned* rows;              /* as above */
  const unsigned* order;
  const unsigned* bag_of;            /* [N] bag + 1, 0 for none; null when bags have bag_length positions each */
  const void* sample_weights;        /* [N] of dout's type; may be null */
  const void* shares;                /* [B] of the accumulator's type, for the mean; may be null */
  unsigned* sources;                 /* [N] bag of a sorted occurrence */
  void* weights;                     /* [N] share of the bag or weight of the position; null when there are neither */
  long long num_embeddings;
  long long bag_length;
  unsigned num_indices;
  int reserved;
};
