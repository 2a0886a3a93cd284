/* Constants and parameters of kernels/segment_sum/sort.cu. */
#pragma once

enum {
  kSortBlock = 512,
  kSortTile = 2048,       /* most keys of a tile, which a block orders at a time */
  /* Most tiles for each round: where there are more, tiles get twice as many rounds. Small tiles take less time in shared memory, but every
   * block reads the bins of all blocks. */
  kSortFewBlocks = 32,
  kSortBlocks = 128,      /* most blocks of a pass; a block takes consecutive tiles */
  kSortMostBins = 1 << 17, /* most words of the bins of all blocks and passes */
  kSortBits = 10,         /* most bits of a digit */
  kSortLeastBits = 4,     /* least bits of a digit */
  kSortSmall = 4096,      /* most keys that stage 2, one block, sorts in shared memory */
  kSortSmallBlock = 1024, /* threads of that block */
  kSortSmallBits = 8,     /* most bits of a digit in stage 2 */
  kSortMostPresent = 1 << 18, /* most rows of a presence bitmap, which lies in shared memory first */
  kSortInverseBits = 40   /* 2^kSortInverseBits is the numerator of IndexSortParams::inverse_tiles */
};

/* Words of a presence bitmap, one bit for each row. */
constexpr int present_words(long long rows) { return static_cast<int>((rows + 31) / 32); }

/* Bytes of shared memory in which a block orders a tile by a digit: two words for every value of the digit, a word for every lane of a warp,
 * the keys and their positions, and for every warp and value a word and a half. */
constexpr unsigned sort_order_bytes(int bits, unsigned threads) {
  return (8u << bits) + 128 + 8 * (kSortTile / kSortBlock) * threads + threads / 32 * (6u << bits);
}
/* Bytes of shared memory of the scatter: a word more for every value. */
constexpr unsigned sort_scatter_bytes(int bits) { return (4u << bits) + sort_order_bytes(bits, kSortBlock); }

struct IndexSortParams {
  const void* indices;
  const unsigned* bag_of;    /* [N] bag + 1 of a position, 0 outside all bags; read with ADJ_BAG only; null: all positions are in bags */
  long long* error_flag;     /* may be null */
  unsigned* counters;        /* kCounters words that the first launch clears for kernels/segment_sum/rows.cu; may be null */
  unsigned* present;         /* [blocks, present_words(V)] presence bitmaps of the blocks; null: none are asked for */
  unsigned* bins;            /* [blocks, 2^bits] number of keys of a block with a value of this pass's digit */
  unsigned* next_bins;       /* bins of the next pass, null in the last one; the first launch clears the bins of all passes from here on */
  const unsigned* rows;      /* [N] keys before the pass */
  const unsigned* order;     /* [N] positions before the pass; null in the first pass: 0, 1, 2, ... */
  unsigned* sorted_rows;     /* [N] keys after the pass */
  unsigned* sorted_order;    /* [N] positions after the pass */
  long long num_embeddings;  /* V, at most 2^32 - 2 */
  long long padding_row;     /* -1 for none */
  unsigned long long inverse_tiles; /* 2^kSortInverseBits / (rounds * tiles), rounded up: finds the block of a place by a multiplication */
  unsigned num_indices;      /* N */
  unsigned tiles;            /* tiles of a block; stages 0 and 1 */
  int rounds;                /* rounds of a tile, the keys that a thread has of it; stages 0 and 1 */
  int shift;                 /* lowest bit of the digit */
  int bits;                  /* bits of a digit */
  int passes;                /* number of digits */
};
