/* Constants and parameters of kernels/index/sort.cu. */
#pragma once

enum {
  kSortBlock = 512,
  kSortTile = 2048,       /* most keys that a block orders at a time */
  kSortFewBlocks = 32,    /* most blocks of a pass with one key for every thread; with two twice as many. Fewer keys leave their shared
                           * memory less to do, but every block reads the bins of all */
  kSortBlocks = 128,      /* most blocks of a pass, each of which takes consecutive tiles */
  kSortMostBins = 1 << 17, /* words in which they count the values of the digits of all passes */
  kSortBits = 10,         /* most bits of a digit, and the least */
  kSortLeastBits = 4,
  kSortSmall = 4096,      /* most keys that one block sorts in its shared memory */
  kSortSmallBlock = 1024,
  kSortSmallBits = 8,     /* most bits of a digit there */
  kSortMostPresent = 1 << 18, /* most rows of which it is noted in shared memory whether they occur */
  kSortInverseBits = 40
};

/* Of as many bits as there are rows. */
constexpr int present_words(long long rows) { return static_cast<int>((rows + 31) / 32); }

/* Shared memory in which a block orders a tile by a digit: two words for every value of the digit, a word for every lane of a warp, the
 * keys and their positions, and for every warp and value a word and a half. */
constexpr unsigned sort_order_bytes(int bits, unsigned threads) {
  return (8u << bits) + 128 + 8 * (kSortTile / kSortBlock) * threads + threads / 32 * (6u << bits);
}
/* Of the scatter: a word more for every value. */
constexpr unsigned sort_scatter_bytes(int bits) { return (4u << bits) + sort_order_bytes(bits, kSortBlock); }

struct IndexSortParams {
  const void* indices;
  const unsigned* bag_of;    /* [N] 0 for positions outside all bags; may be null; read when ADJ_BAG is set */
  long long* error_flag;     /* may be null */
  unsigned* counters;        /* kCounters words that the first launch clears for kernels/embedding/rows.cu; may be null */
  unsigned* present;         /* [blocks, present_words(V)] rows that occur, a bit each; null when nobody asks */
  unsigned* bins;            /* [blocks, 2^bits] keys of every block with every value of the pass's digit */
  unsigned* next_bins;       /* the same of the next pass, null in the last; the first launch clears those of all further passes */
  const unsigned* rows;      /* [N] keys before the pass */
  const unsigned* order;     /* [N] their positions; null in the first pass: 0, 1, 2, ... */
  unsigned* sorted_rows;     /* [N] and after it */
  unsigned* sorted_order;
  long long num_embeddings;  /* V, at most 2^32 - 2 */
  long long padding_row;     /* -1 for none */
  unsigned long long inverse_tiles; /* 2^kSortInverseBits / (rounds tiles), rounded up */
  unsigned num_indices;      /* N */
  unsigned tiles;            /* of a block of several passes */
  int rounds;                /* keys of a thread and tile there */
  int shift;                 /* the digit's lowest bit */
  int bits;
  int passes;
};
