/* Parameters of kernels/embedding.cu. */
#pragma once

struct EmbeddingForwardParams {
  const void* weight;
  const void* indices;
  void* out;
  long long* error_flag;     /* may be null */
  long long num_embeddings;
  long long row_bytes;
  long long num_indices;
  long long zero_row;        /* row that comes out as zeros, -1 for none */
};

/* Constants and parameters of kernels/embedding_backward.cu. */
enum {
  kEmbeddingBlock = 256,
  kEmbeddingBlocks = 3,        /* of a multiprocessor at a time */
  kEmbeddingGatherBlocks = 2,  /* the same with ADJ_GATHER, whose sums across matrices take more registers */
  kEmbeddingSlots = 16,        /* occurrences that a row keeps in its own slots; also those of one chunk */
  kEmbeddingLight = 32,        /* most occurrences of a row that one part of a warp sums */
  kEmbeddingMedium = 2048,     /* most occurrences of a row that one block sorts and sums, per tile of columns */
  kEmbeddingRangeGrain = 128,  /* a huge row is split into count / grain ranges of tokens */
  kEmbeddingRanges = 128,      /* and no more than this */
  kEmbeddingTileLanes = 16,    /* a tile of columns is this many vectors of 16 bytes */
  kEmbeddingAcross = 4,        /* matrices whose rows are summed together when a warp takes one at once */
  kEmbeddingNarrow = 16,       /* matrices whose rows of less than 16 bytes are summed together */
  kEmbeddingFew = 1024,        /* most indices of the single-launch variant */
  kEmbeddingFewRows = 128      /* most rows of a block of it */
};

/* Counters that the groups of occurrences are built with; cleared before every run. */
struct EmbeddingControl {
  unsigned long long work;  /* next item of the heavy rows */
  unsigned medium;          /* rows with more than kEmbeddingLight occurrences */
  unsigned huge;            /* of these, rows with more than kEmbeddingMedium */
  unsigned ranges;          /* ranges of tokens of all huge rows */
  unsigned blocks_done;
};

/* One range of tokens of one huge row; its partial sums go to the row of `partials` with the same number. */
struct EmbeddingRange {
  unsigned huge;   /* which huge row */
  unsigned range;  /* which of its ranges */
};

struct EmbeddingBackwardParams {
  const void* dout;
  const void* indices;
  void* dweight;
  long long* error_flag;         /* may be null */
  unsigned* counts;              /* [V] occurrences; cleared */
  unsigned long long* keys;      /* [chunk_slots] hash table of chunks; cleared */
  unsigned* tickets;             /* [most huge rows, tiles] ranges summed; cleared */
  struct EmbeddingControl* control;
  unsigned* slots;               /* [V, 16] first occurrences in order of arrival */
  unsigned* chunks;              /* [chunk_slots, 16] further occurrences */
  long long* medium_rows;        /* [T / 33] */
  long long* huge_rows;          /* [T / 2049] */
  unsigned* huge_first;          /* [T / 2049] first entry of the row in `ranges` */
  struct EmbeddingRange* ranges; /* [T / 128] */
  void* partials;                /* [T / 128, D] of the accumulator's type */
  long long num_embeddings;      /* V */
  long long embedding_dim;       /* D */
  long long num_indices;         /* T */
  long long padding_row;         /* -1 for none */
  unsigned tiles;                /* of a row of all matrices, kEmbeddingTileLanes vectors each */
  unsigned chunk_slots;
  int accumulate;
  int scale_by_count;
  int row_lanes;                 /* lanes that share a light row: a power of two up to 32 */
  int batch_rows;                /* consecutive rows of one warp or, with few indices, of one block */
  /* Read when ADJ_GATHER is set. dout is [outer, T, D], dweight [outer, V, D], partials [T / 128, outer, D]. */
  long long outer;
  long long dout_matrix;         /* T D, elements */
  long long dweight_matrix;      /* V D */
  unsigned column_tiles;         /* tiles of one matrix */
  unsigned column_blocks;        /* with few indices: blocks side by side along the columns */
  int outer_step;                /* matrices that a warp or a block takes together */
  int tile_lanes;                /* lanes of a tile that share a row; the others take further matrices */
  unsigned resident_blocks;      /* of the device */
  /* Read when ADJ_BAG is set; dout is [B, D] then. */
  const unsigned* bag_of;        /* [T] bag + 1, 0 for none; null when bags have bag_length positions each */
  const void* sample_weights;    /* [T] of dout's type; may be null */
  const void* shares;            /* [B] of the accumulator's type, for the mean; may be null */
  const int* max_positions;      /* [B, D], for the maximum */
  long long bag_length;
  /* Read by kernels/embedding_few.cu. */
  long long dout_rows;           /* T, or B with ADJ_BAG */
};
