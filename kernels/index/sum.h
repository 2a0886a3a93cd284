/* Constants and parameters of kernels/embedding/sum.cu, embedding/heavy.cu, embedding/tiny.cu, embedding/panels.cu, embedding/rows.cu
 * and embedding_bag/sources.cu. */
#pragma once

enum {
  kRowSumBlock = 256,
  kRowSumBlocks = 4,        /* of a multiprocessor at a time */
  kRowSumLight = 16,        /* most occurrences of a row that a warp adds up alone, */
  kRowSumLightNarrow = 32,  /* and a part of a warp */
  kRowSumBatch = 128,       /* most occurrences among which rows of a warp begin */
  kRowSumEntries = kRowSumBatch + kRowSumLightNarrow + kRowSumBatch, /* most that it then lists: occurrences, and rows of dweight */
  kRowSumShare = 64,        /* occurrences of a row's share, which a block adds up; the last one has up to as many more, less one; */
  kRowSumShareNarrow = 256, /* where rows are narrower than a warp; */
  kRowSumLargeShare = 256,  /* else of the first three quarters of a row with at least */
  kRowSumManyShares = 32,   /* of the others and up to a quarter of all occurrences: its end, and other rows, keep blocks busy alike, */
  kRowSumVeryManyShares = 512, /* as does the end alone of a row with so many */
  kRowSumShareEntries = 2 * kRowSumShareNarrow / (kRowSumBlock / 32), /* most of a warp of it */
  kRowSumStreamLeast = 4,   /* least that a part of one of its warps adds up one after the other */
  kCombineBlock = 256,
  kCombineFew = 32,         /* most partial sums that one warp adds */
  kCombineGroup = 8,        /* columns that a block takes of a row with more, where such rows have together up to */
  kCombineDivided = 2048    /* columns; else as many as a warp has lanes */
};

/* How rows are divided, the macro ADJ_ROWS of the programs. A lane takes several pieces of a row or of as many matrices. */
enum {
  kRowsAny,                 /* elements */
  kRowsNarrow,              /* 16-byte aligned rows: one piece of 16 bytes */
  kRowsWide,                /* two pieces of 16 bytes */
  kRowsAcross,              /* pieces of 16 bytes, one of each matrix */
  kRowsTiny,                /* rows of less than 16 bytes, of large matrices: kernels/embedding/tiny.cu */
  kRowShapes
};
constexpr int row_sum_pieces(int shape) {
  return shape == kRowsTiny || shape == kRowsAny ? 8 : shape == kRowsAcross ? 4 : shape == kRowsWide ? 2 : 1;
}
constexpr bool row_sum_across(int shape) { return shape >= kRowsAcross; }

constexpr unsigned kNone = ~0u, kNoSource = kNone;

/* Sorted occurrences of a row that a block adds up: all of them, or a share. */
struct EmbeddingShare {
  unsigned start, count;
  unsigned row;
  unsigned partial;          /* where the sum goes among the partial sums; kNone: it is the row's */
};
/* A row with at least two shares. */
struct EmbeddingHeavyRow {
  unsigned row, count;
  unsigned first, partials;  /* its partial sums */
};
/* Words that the first launch of the sort clears: how many there are so far of */
enum {
  kCountTaken,               /* shares that blocks have taken besides their first ones, */
  kCountShares,
  kCountPartials,
  kCountFew,                 /* rows with up to kCombineFew partial sums */
  kCountMany,                /* and with more */
  kCounters
};

struct EmbeddingSumParams {
  const void* dout;                  /* [outer, N, D], or [B, D] for bags */
  void* dweight;                     /* [outer, V, D] */
  const unsigned* rows;              /* [N] rows of the occurrences, ascending; num_embeddings for those left out */
  const unsigned* order;             /* [N] their positions, ascending within a row */
  unsigned* counters;                /* [kCounters] */
  struct EmbeddingShare* shares;     /* [most_shares] */
  struct EmbeddingHeavyRow* heavy;   /* [most_heavy] rows with few partial sums from the front, with many from the back */
  void* partials;                    /* [most_partials, outer, D] of the accumulator's type */
  long long num_embeddings;          /* V */
  long long embedding_dim;           /* D */
  unsigned num_indices;              /* N */
  unsigned most_shares, most_heavy, most_partials;
  unsigned light;                    /* kRowSumLight or kRowSumLightNarrow */
  unsigned share;                    /* kRowSumShare or kRowSumShareNarrow, */
  unsigned large_share;              /* kRowSumLargeShare or 0 for none */
  int accumulate;
  int scale_by_count;
  int row_lanes;                     /* lanes that share a row: a power of two up to 32 */
  int batch;                         /* occurrences among which the rows of a warp begin */
  unsigned stretches;                /* pieces of a row that blocks take, */
  unsigned items;                    /* and those of all shares of the matrices */
  long long stretch;                 /* columns of one */
  /* Read when ADJ_GATHER is set. */
  long long outer;
  long long dout_matrix;             /* N D, elements */
  long long dweight_matrix;          /* V D */
  long long outer_step;              /* matrices of a block */
  /* Read when ADJ_BAG is set. */
  const unsigned* sources;           /* [N] bags of the sorted occurrences, kNoSource for those that add nothing */
  const void* weights;               /* [N] and their weights, of the accumulator's type; null for 1 */
  const int* max_positions;          /* [B, D], for the maximum */
};

/* A caller's order of the rows may hold anything, and leave shares unwritten: whether one keeps to the buffers. */
constexpr bool share_is_valid(const EmbeddingShare& share, const EmbeddingSumParams& p) {
  return share.start < p.num_indices && share.count < 2 * kRowSumShareNarrow && share.count <= p.num_indices - share.start &&
         share.row < p.num_embeddings && (share.partial == kNone || share.partial < p.most_partials);
}

/* Parameters of kernels/embedding/rows.cu. */
enum {
  kRowsBlocks = 5,                   /* of a multiprocessor at a time, */
  kRowsBlocksBeside = 2,             /* and of those that begin beside blocks of a sort */
  kRowsLeastBytes = 64,              /* rows of fewer bytes are all filled without asking, */
  kRowsShortBytes = 256              /* those of up to so many unit by unit */
};

struct EmbeddingRowsParams {
  void* dweight;                     /* [outer, V, D]; may be null where nothing is filled */
  const void* prefetched;            /* dout, of which */
  long long prefetched_bytes;        /* so much is fetched to the level-2 cache */
  const unsigned* rows;              /* [N] as above */
  const unsigned* present;           /* [sources, present_words] bits of the rows that occur in any of the sources; may be null */
  unsigned* counters;
  struct EmbeddingShare* shares;
  struct EmbeddingHeavyRow* heavy;
  long long num_embeddings;          /* V */
  long long row_bytes;
  long long filled_bytes;            /* filled without asking: all or none */
  long long batches;                 /* of rows else */
  long long first_item, items;       /* batches of all shares of the matrices: from which on how many */
  long long outer;
  long long outer_step;              /* matrices of a share */
  unsigned num_indices;              /* N */
  int batch;                         /* rows, a power of two up to 32 */
  unsigned most_shares, most_heavy, most_partials;
  unsigned light, share, large_share; /* as above */
  int present_sources, present_words;
  int beside;                        /* whether rows are filled beside the last grids: what says which occur is there already */
  int reserved;
  int units;                         /* of 16 bytes in a short row of whole ones, 0 for other rows */
  unsigned inverse_units;            /* ceil(2^16 / units) */
};

/* Constants and parameters of kernels/embedding/panels.cu. */
enum {
  kPanelBlock = 256,
  kPanelStep = 2,                    /* occurrences of a thread that are on their way at a time; */
  kPanelFew = 18,                    /* as many it takes before another warp is to help, */
  kPanelMost = 64,                   /* and so many in all the threads of a block, rounded up: each is an addition */
  kPanelDoutElements = 1 << 16,      /* most of a matrix of dout, */
  kPanelDweightElements = 0xffff     /* and of dweight, so that one word says where an occurrence is in both */
};
/* Columns that a thread adds up at a time. */
constexpr int panel_columns(int element_bytes) { return element_bytes == 8 ? 2 : 4; }

struct EmbeddingPanelsParams {
  const void* dout;                  /* [outer, N, D] */
  void* dweight;                     /* [outer, V, D] */
  const unsigned* rows;              /* [N] as above */
  const unsigned* order;
  long long outer;
  long long groups;                  /* of the matrices that a block takes at a time */
  unsigned num_embeddings;           /* V */
  unsigned num_indices;              /* N */
  int embedding_dim;                 /* D */
  int matrices;                      /* of a group; the last one may have fewer */
  int team_warps;                    /* that share the occurrences, a power of two */
  int occurrences;                   /* of a thread, an odd multiple of kPanelStep: lanes that read neighbours then share few banks */
  int accumulate;
  unsigned dout_bytes, dweight_bytes; /* of shared memory for a group's */
};

/* Parameters of kernels/embedding_bag/sources.cu. */
struct EmbeddingBagSourcesParams {
  const unsigned* rows;              /* as above */
  const unsigned* order;
  const unsigned* bag_of;            /* [N] bag + 1, 0 for none; null when bags have bag_length positions each */
  const void* sample_weights;        /* [N] of dout's type; may be null */
  const void* shares;                /* [B] of the accumulator's type, for the mean; may be null */
  unsigned* entries;                 /* [B] how many occurrences a bag has, for the mean in place of shares; cleared; may be null */
  unsigned* sources;                 /* [N] bag of a sorted occurrence, kNoSource for none */
  void* weights;                     /* [N] share of the bag or weight of the position; null when there are neither */
  long long num_embeddings;
  long long bag_length;
  unsigned num_indices;
  int reserved;
};
