/* Constants and parameters of kernels/segment_sum/sum.cu, heavy.cu, tiny.cu, panels.cu and rows.cu, and of kernels/embedding_bag/sources.cu.
 * kernels/segment_sum/README.md defines the words. */
#pragma once

enum {
  kRowSumBlock = 256,
  kRowSumBlocks = 4,        /* resident blocks of a multiprocessor */
  kRowSumLight = 16,        /* most occurrences of a light row */
  kRowSumLightNarrow = 32,  /* the same where a lane group is smaller than a warp and serves one matrix */
  kRowSumBatch = 128,       /* most occurrences of a batch, among which the rows of a warp begin */
  /* Most entries of a warp's list: a batch, the rest of its last row, and a closing entry for each row. */
  kRowSumEntries = kRowSumBatch + kRowSumLightNarrow + kRowSumBatch,
  kRowSumShare = 64,        /* occurrences of a share; the last one of a row has up to twice as many, less one */
  kRowSumShareNarrow = 256, /* the same where a lane group is smaller than a warp and serves one matrix */
  /* Occurrences of a large share. Large shares take the first three quarters of a row that is worth kRowSumManyShares shares and has at most a
   * quarter of all occurrences, or is worth kRowSumVeryManyShares. The small shares at its end, and other rows, keep blocks equally busy. */
  kRowSumLargeShare = 256,
  kRowSumManyShares = 32,
  kRowSumVeryManyShares = 512,
  kRowSumShareEntries = 2 * kRowSumShareNarrow / (kRowSumBlock / 32), /* most occurrences of a share that a warp takes */
  kRowSumStreamLeast = 4,   /* least occurrences of a stream */
  kCombineBlock = 256,
  kCombineFew = 32,         /* most partial sums of a row that one warp adds; a block adds more */
  /* Columns that a block takes of a row with more than kCombineFew partial sums: kCombineGroup if all such rows together have up to
   * kCombineDivided columns, else 32. */
  kCombineGroup = 8,
  kCombineDivided = 2048
};

/* Shapes of rows, the macro ADJ_ROWS: the pieces that a lane takes of a row. Rows of all but kRowsAny and kRowsTiny are aligned to 16 bytes. */
enum {
  kRowsAny,                 /* eight pieces of one element */
  kRowsNarrow,              /* one piece of 16 bytes */
  kRowsWide,                /* two pieces of 16 bytes */
  kRowsAcross,              /* one piece of 16 bytes in each of four matrices */
  kRowsTiny,                /* rows of less than 16 bytes, in each of eight matrices: kernels/segment_sum/tiny.cu */
  kRowShapes
};
constexpr int row_sum_pieces(int shape) { return shape == kRowsTiny || shape == kRowsAny ? 8 : shape == kRowsAcross ? 4 : shape == kRowsWide ? 2 : 1; }
constexpr bool row_sum_across(int shape) { return shape >= kRowsAcross; }

constexpr unsigned kNone = ~0u, kNoSource = kNone;

/* A share: the sorted occurrences [start, start + count) of a row. */
struct EmbeddingShare {
  unsigned start, count;
  unsigned row;
  unsigned partial;          /* index of its partial sum; kNone: the share is the whole row, and its sum the row's */
};
/* A heavy row with at least two shares. */
struct EmbeddingHeavyRow {
  unsigned row, count;       /* count: occurrences */
  unsigned first, partials;  /* index of its first partial sum, and their number */
};
/* Counters in the workspace. The first launch of the sort clears them, or the plan where there is no sort. */
enum {
  kCountTaken,               /* works that blocks of heavy.cu have taken besides their first ones */
  kCountShares,              /* shares listed */
  kCountPartials,            /* partial sums reserved */
  kCountFew,                 /* rows listed with up to kCombineFew partial sums */
  kCountMany,                /* rows listed with more */
  kCounters
};

struct EmbeddingSumParams {
  const void* dout;                  /* [outer, N, D], or [B, D] for bags */
  void* dweight;                     /* [outer, V, D] */
  const unsigned* rows;              /* [N] rows of the sorted occurrences, ascending; num_embeddings for a position without a row */
  const unsigned* order;             /* [N] positions of the sorted occurrences, ascending within a row */
  unsigned* counters;                /* [kCounters] */
  struct EmbeddingShare* shares;     /* [most_shares] */
  struct EmbeddingHeavyRow* heavy;   /* [most_heavy] rows with up to kCombineFew partial sums from the front, with more from the back */
  void* partials;                    /* [most_partials, outer, D] of the accumulator's type */
  long long num_embeddings;          /* V */
  long long embedding_dim;           /* D */
  unsigned num_indices;              /* N */
  unsigned most_shares, most_heavy, most_partials;
  unsigned light;                    /* most occurrences of a light row: kRowSumLight or kRowSumLightNarrow */
  unsigned share;                    /* occurrences of a share: kRowSumShare or kRowSumShareNarrow */
  unsigned large_share;              /* occurrences of a large share: kRowSumLargeShare, 0 for no large shares */
  int accumulate;                    /* 1: sums are added to dweight, 0: they overwrite it */
  int scale_by_count;                /* 1: the sum of a row is divided by its number of occurrences */
  int row_lanes;                     /* lanes of a lane group: a power of two up to 32 */
  int batch;                         /* occurrences of a batch, among which the rows of a warp begin */
  unsigned stretches;                /* stretches of a row */
  unsigned items;                    /* stretches times sets of outer_step matrices */
  long long stretch;                 /* columns of a stretch */
  /* The next four are read with ADJ_GATHER only. */
  long long outer;                   /* number of matrices */
  long long dout_matrix;             /* elements of a matrix of dout, N D */
  long long dweight_matrix;          /* elements of a matrix of dweight, V D */
  long long outer_step;              /* matrices of an item */
  /* The rest is read with ADJ_BAG only. */
  const unsigned* sources;           /* [N] bags of the sorted occurrences, kNoSource for an occurrence that adds nothing */
  const void* weights;               /* [N] weights of the sorted occurrences, of the accumulator's type; null: all are 1 */
  const int* max_positions;          /* [B, D], read with ADJ_BAG=2 */
};

/* True if a share keeps to the buffers. The rows of a caller's index plan may hold anything, and so leave shares unwritten. */
constexpr bool share_is_valid(const EmbeddingShare& share, const EmbeddingSumParams& p) {
  return share.start < p.num_indices && share.count < 2 * kRowSumShareNarrow && share.count <= p.num_indices - share.start && share.row < p.num_embeddings &&
         (share.partial == kNone || share.partial < p.most_partials);
}

/* Constants and parameters of kernels/segment_sum/rows.cu. */
enum {
  kRowsBlocks = 5,                   /* resident blocks of a multiprocessor */
  kRowsBlocksBeside = 2,             /* the same beside blocks of a sort */
  kRowsLeastBytes = 64,              /* rows of fewer bytes are all filled, with occurrences or without */
  kRowsShortBytes = 256              /* most bytes of a row that is filled by vectors, each of which looks up its row's bit */
};

struct EmbeddingRowsParams {
  void* dweight;                     /* [outer, V, D]; may be null where nothing is filled */
  const void* prefetched;            /* dout; its first prefetched_bytes are fetched to the level-2 cache */
  long long prefetched_bytes;
  const void* copied;                /* copied_bytes bytes that dweight begins as a copy of; dweight itself needs none */
  long long copied_bytes;
  const unsigned* rows;              /* [N] as in EmbeddingSumParams */
  const unsigned* present;           /* [present_sources, present_words] presence bitmaps; a row occurs if any has its bit; may be null */
  unsigned* counters;
  struct EmbeddingShare* shares;
  struct EmbeddingHeavyRow* heavy;
  long long num_embeddings;          /* V */
  long long row_bytes;               /* bytes of a row of dweight */
  long long filled_bytes;            /* bytes of dweight that are filled without looking for occurrences: all or 0 */
  long long batches;                 /* batches of rows in a matrix */
  long long first_item, items;       /* first item, and their number; an item is a batch of rows in outer_step matrices */
  long long outer;                   /* number of matrices */
  long long outer_step;              /* matrices of an item */
  unsigned num_indices;              /* N */
  int batch;                         /* rows of a batch, a power of two up to 32 */
  unsigned most_shares, most_heavy, most_partials; /* as in EmbeddingSumParams; most_shares 0: no lists */
  unsigned light, share, large_share; /* as in EmbeddingSumParams */
  int present_sources, present_words; /* number of bitmaps, and words of each */
  int beside;                        /* 1: rows are filled before the earlier grids end, since the bitmaps or the sorted rows are there */
  int reserved;
  int vectors;                         /* vectors of 16 bytes of a short row that consists of whole vectors, 0 for other rows */
  unsigned inverse_vectors;            /* ceil(2^16 / vectors): u * inverse_vectors >> 16 is u / vectors for the vectors of a batch */
};

/* Constants and parameters of kernels/segment_sum/panels.cu. */
enum {
  kPanelBlock = 256,
  kPanelStep = 2,                    /* occurrences that a thread has in flight */
  kPanelFew = 18,                    /* occurrences of a thread above which a team gets more warps */
  kPanelMost = 64,                   /* most occurrences of a thread where all warps are one team; the error bound counts them as additions */
  kPanelDoutElements = 1 << 16,      /* most elements of a matrix of dout: an offset has 16 bits */
  kPanelDweightElements = 0xffff     /* most elements of a matrix of dweight: an offset has 16 bits, and 0xffff stands for none */
};
/* Columns that a thread sums at a time. */
constexpr int panel_columns(int element_bytes) { return element_bytes == 8 ? 2 : 4; }

struct EmbeddingPanelsParams {
  const void* dout;                  /* [outer, N, D] */
  void* dweight;                     /* [outer, V, D] */
  const unsigned* rows;              /* [N] as in EmbeddingSumParams */
  const unsigned* order;             /* [N] as in EmbeddingSumParams */
  long long outer;                   /* number of matrices */
  long long groups;                  /* number of groups of matrices; a block takes a group at a time */
  unsigned num_embeddings;           /* V */
  unsigned num_indices;              /* N */
  int embedding_dim;                 /* D */
  int matrices;                      /* matrices of a group; the last group may have fewer */
  int team_warps;                    /* warps of a team, which share the occurrences; a power of two */
  int occurrences;                   /* occurrences of a thread, an odd multiple of kPanelStep: lanes that read neighbours then share few banks */
  int accumulate;                    /* 1: sums are added to dweight, 0: they overwrite it */
  unsigned dout_bytes, dweight_bytes; /* bytes of shared memory of the two panels */
};

/* Parameters of kernels/embedding_bag/sources.cu. */
struct EmbeddingBagSourcesParams {
  const unsigned* rows;              /* [N] as in EmbeddingSumParams */
  const unsigned* order;             /* [N] as in EmbeddingSumParams */
  const unsigned* bag_of;            /* [N] bag + 1 of a position, 0 outside all bags; null when bags have bag_length positions each */
  const void* sample_weights;        /* [N] of dout's type; may be null */
  const void* shares;                /* [B] bag shares, of the accumulator's type; may be null */
  unsigned* entries;                 /* [B] number of occurrences of a bag, for the mean in place of shares; cleared by the plan; may be null */
  unsigned* sources;                 /* [N] out: bag of a sorted occurrence, kNoSource for none */
  void* weights;                     /* [N] out: bag share or weight of the position; null when there are neither */
  long long num_embeddings;
  long long bag_length;
  unsigned num_indices;
  int reserved;
};
