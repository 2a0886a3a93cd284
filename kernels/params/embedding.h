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
  kEmbeddingSlots = 8,         /* occurrences that a row keeps in its own slots; also those of one chunk */
  kEmbeddingLight = 32,        /* most occurrences of a row that one part of a warp sums */
  kEmbeddingMedium = 2048,     /* most occurrences of a row that one block sorts */
  kEmbeddingWindows = 128,     /* most windows of tokens that are searched for the occurrences of a huge row */
  kEmbeddingRangeGrain = 128,  /* a huge row is summed in count / grain ranges of its occurrences */
  kEmbeddingRanges = 128,      /* and no more than this */
  kEmbeddingTileLanes = 16,    /* a tile of columns is this many vectors of 16 bytes */
  kEmbeddingFew = 1024,        /* most indices of the single-launch variant */
  kEmbeddingFewRows = 512      /* most rows of a block of it */
};

/* Counters that the groups of occurrences are built with; cleared before every run. */
struct EmbeddingControl {
  unsigned long long work;  /* next item of the heavy rows */
  unsigned touched;         /* rows with occurrences */
  unsigned medium;          /* rows with more than kEmbeddingLight occurrences */
  unsigned huge;            /* of these, rows with more than kEmbeddingMedium */
  unsigned ranges;          /* ranges of all huge rows */
  unsigned entries;         /* of `lists`, taken */
  unsigned listing;         /* next list to write */
  unsigned listed;          /* lists written */
  unsigned blocks_done;
};

/* One range of the occurrences of one huge row; its partial sums go to the row of `partials` with the same number. */
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
  unsigned* tickets;             /* [T / 2049, tiles] ranges summed; cleared */
  unsigned* found;               /* [T / 2049, windows] 1 + occurrences of a huge row in a window of tokens; cleared */
  struct EmbeddingControl* control;
  unsigned* slots;               /* [V, 8] first occurrences in order of arrival */
  unsigned* chunks;              /* [chunk_slots, 8] further occurrences */
  unsigned* touched;             /* [min(V, T)] an occurrence of every row that has one */
  unsigned* lists;               /* [T] ascending occurrences of medium and huge rows */
  long long* medium_rows;        /* [T / 33] */
  unsigned* medium_list;         /* [T / 33] first entry of the row in `lists` */
  long long* huge_rows;          /* [T / 2049] */
  unsigned* huge_list;           /* [T / 2049] first entry of the row in `lists` */
  unsigned* huge_first;          /* [T / 2049] first entry of the row in `ranges` */
  struct EmbeddingRange* ranges; /* [T / 128] */
  void* partials;                /* [T / 128, D] of the accumulator's type */
  long long num_embeddings;      /* V */
  long long embedding_dim;       /* D */
  long long num_indices;         /* T */
  long long padding_row;         /* -1 for none */
  long long tiles;               /* of columns, kEmbeddingTileLanes vectors each */
  unsigned chunk_slots;
  int accumulate;
  int scale_by_count;
  int row_lanes;                 /* lanes that share a light row: a power of two up to 32 */
  int windows;                   /* of tokens, of equal length but the last */
  int batch_rows;                /* with few indices: rows of one block */
};
