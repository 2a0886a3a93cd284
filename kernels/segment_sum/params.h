/* Constants and parameters of kernels/segment_sum/lookup.cu, few.cu and atomic.cu (atomic.h). README.md defines the words. */
#pragma once

enum {
  kForwardBlock = 256,       /* most threads of a block */
  kForwardVectors = 4,         /* vectors of 16 bytes that a thread has in flight; a stretch is the consecutive vectors of all threads of a block */
  kForwardInverseBits = 21   /* x * inverse_period >> kForwardInverseBits equals x / period for x below two stretches; lookup.cpp asserts it */
};

struct EmbeddingForwardParams {
  const void* weight;
  const void* indices;
  void* out;
  long long* error_flag;     /* may be null */
  long long num_embeddings;
  long long row_bytes;
  long long num_indices;
  long long zero_row;        /* row whose output is zeros, -1 for none */
  /* The next three are read with ADJ_ALIGNED=1 only. */
  long long vectors;           /* vectors of 16 bytes of the output */
  unsigned period;           /* vectors of a row, at most those of a stretch */
  unsigned inverse_period;   /* 2^kForwardInverseBits / period, rounded up */
};

/* Constants and parameters of kernels/segment_sum/few.cu. */
enum {
  kEmbeddingBlock = 256,
  kEmbeddingBlocks = 3,        /* resident blocks of a multiprocessor */
  kEmbeddingLight = 32,        /* most occurrences of a light row, which one lane group sums */
  kEmbeddingTileLanes = 16,    /* lanes that cover a tile of columns: 16 bytes each, one element each with ADJ_ALIGNED=0 */
  kEmbeddingFew = 1024,        /* most indices of a problem */
  kEmbeddingFewRows = 128      /* most rows of a block */
};

struct EmbeddingBackwardParams {
  const void* dout;
  const void* indices;
  void* dweight;
  long long* error_flag;         /* may be null */
  long long num_embeddings;      /* V */
  long long embedding_dim;       /* D */
  long long num_indices;         /* T */
  long long padding_row;         /* row that takes no addends; -1 for none */
  long long dout_rows;           /* T, or B with ADJ_BAG */
  int accumulate;                /* 1: sums are added to dweight, 0: they overwrite it */
  int scale_by_count;            /* 1: the sum of a row is divided by its number of occurrences */
  int row_lanes;                 /* lanes of a lane group: a power of two up to 32 */
  int batch_rows;                /* consecutive rows of a block */
  /* The rest is read with ADJ_BAG only; dout is [B, D] then. */
  const unsigned* bag_of;        /* [T] bag + 1 of a position, 0 outside all bags; null when bags have bag_length positions each */
  const void* sample_weights;    /* [T] of dout's type; may be null */
  const void* shares;            /* [B] bag shares, of the accumulator's type; null: not a mean */
  const int* max_positions;      /* [B, D], read with ADJ_BAG=2 */
  long long bag_length;
};
