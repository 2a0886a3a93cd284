/* Constants and parameters of kernels/index_sort.cu. */
#pragma once

enum {
  kSortBlock = 512,
  kSortTile = 2048,      /* keys that a block ranks at a time */
  kSortBlocks = 128,     /* most blocks of a pass; each takes consecutive tiles */
  kSortBits = 10,        /* most bits of a digit, and the least */
  kSortLeastBits = 4,
  kSortSmall = 4096,     /* most keys that one block sorts in its shared memory */
  kSortSmallBlock = 1024,
  kSortSmallBits = 8,    /* most bits of a digit there */
  kSortClusterBlocks = 8,/* of kSortSmallBlock threads; a cluster takes digits of up to kSortBits bits */
  kSortClusterRounds = 2 /* most keys of one of its threads */
};

/* Shared memory of a block of a cluster: four words for every digit and one for every warp, its keys and their positions twice, the
 * warps' counts. */
#define ADJ_SORT_CLUSTER_BYTES(bits, rounds_log2) \
  ((16 << (bits)) + kSortSmallBlock / 8 + (16 * kSortSmallBlock << (rounds_log2)) + (2 * kSortSmallBlock / 32 << (bits)))

struct IndexSortParams {
  const void* indices;
  const unsigned* bag_of;    /* [N] 0 for positions outside all bags; may be null; read when ADJ_BAG is set */
  long long* error_flag;     /* may be null */
  unsigned* counters;        /* kCounters words that the first launch clears for kernels/embedding_rows.cu; may be null */
  unsigned* bins;            /* [blocks, 2^bits] keys of every block with every digit */
  const unsigned* rows;      /* [N] keys before the pass */
  const unsigned* order;     /* [N] their positions; null in the first pass: 0, 1, 2, ... */
  unsigned* sorted_rows;     /* [N] and after it */
  unsigned* sorted_order;
  long long num_embeddings;  /* V, at most 2^32 - 2 */
  long long padding_row;     /* -1 for none */
  unsigned num_indices;      /* N */
  unsigned tiles;            /* of a block */
  int shift;                 /* the digit's lowest bit */
  int bits;
  int passes;                /* of a small sort */
  int rounds_log2;           /* of a cluster: keys of a thread */
};
