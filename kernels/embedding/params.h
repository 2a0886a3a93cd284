/* Parameters of kernels/embedding/lookup.cu. */
#pragma once

enum {
  kForwardBlock = 256,       /* most threads of a block */
  kForwardUnits = 4,         /* units of 16 bytes of a thread at a time, those of a block are a stretch */
  kForwardInverseBits = 21   /* so that x * inverse_period >> bits is x / period, for x below two stretches */
};

struct EmbeddingForwardParams {
  const void* weight;
  const void* indices;
  void* out;
  long long* error_flag;     /* may be null */
  long long num_embeddings;
  long long row_bytes;
  long long num_indices;
  long long zero_row;        /* row that comes out as zeros, -1 for none */
  /* Read where rows are whole units. */
  long long units;           /* of the output */
  unsigned period;           /* units of a row, or of a stretch if these are fewer */
  unsigned inverse_period;   /* 2^kForwardInverseBits / period, rounded up */
};

/* Constants and parameters of kernels/embedding/few.cu. */
enum {
  kEmbeddingBlock = 256,
  kEmbeddingBlocks = 3,        /* of a multiprocessor at a time */
  kEmbeddingLight = 32,        /* most occurrences of a row that one part of a warp sums */
  kEmbeddingTileLanes = 16,    /* a tile of columns is this many vectors of 16 bytes */
  kEmbeddingFew = 1024,        /* most indices */
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
  long long padding_row;         /* -1 for none */
  long long dout_rows;           /* T, or B with ADJ_BAG */
  int accumulate;
  int scale_by_count;
  int row_lanes;                 /* lanes that share a light row: a power of two up to 32 */
  int batch_rows;                /* consecutive rows of a block */
  /* Read when ADJ_BAG is set; dout is [B, D] then. */
  const unsigned* bag_of;        /* [T] bag + 1, 0 for none; null when bags have bag_length positions each */
  const void* sample_weights;    /* [T] of dout's type; may be null */
  const void* shares;            /* [B] of the accumulator's type, for the mean; may be null */
  const int* max_positions;      /* [B, D], for the maximum */
  long long bag_length;
};
