/* Constants and parameters of kernels/embedding_bag/ but sources.cu, whose parameters are in segment_sum/sum.h. */
#pragma once

enum { kBagBlock = 256 };

/* The indices and their bags; the first member of every structure below. */
struct BagParams {
  const void* indices;
  const void* offsets;       /* first position of each bag; null: bags of equal length */
  long long num_embeddings;  /* V */
  long long num_indices;     /* N */
  long long num_bags;        /* B */
  long long bag_length;      /* positions of a bag; read without offsets only */
  long long padding_row;     /* row whose positions take no part; -1 for none */
  int include_last_offset;   /* 1: offsets has num_bags + 1 entries */
  int reserved;
};

struct EmbeddingBagForwardParams {
  struct BagParams bags;
  const void* weight;
  const void* sample_weights; /* [N]; null: all are 1 */
  void* out;                  /* [B, D] */
  int* max_positions;         /* [B, D]; may be null */
  long long* error_flag;      /* may be null */
  long long embedding_dim;    /* D */
  int lanes;                  /* threads that share a row: a power of two up to 32 */
  int streams;                /* streams of a bag: a power of two, lanes * streams <= kBagBlock */
  int mean;                   /* 1: sums are divided by the number of positions that take part */
  int reserved;
};

struct EmbeddingBagMapParams {
  struct BagParams bags;
  unsigned* bag_of;      /* [N] out: bag + 1 of a position, 0 outside all bags; cleared by the plan; null without offsets */
  void* shares;          /* [B] out: bag shares, of the accumulator's type; null: not a mean */
  long long* error_flag; /* number of bags with bad offsets is added to it; may be null */
  int lanes;             /* threads that share a bag: a power of two up to 32 */
  int reserved;
};

struct EmbeddingBagSampleWeightsParams {
  struct BagParams bags;
  const void* dout;        /* [B, D] */
  const void* weight;      /* [V, D] */
  const unsigned* bag_of;  /* [N] as in EmbeddingBagMapParams; null without offsets */
  unsigned long long bag_reciprocal; /* (2^64 - 1) / bag_length; read without offsets only */
  void* dsample_weights;   /* [N] */
  long long* error_flag;   /* number of bad indices is added to it; may be null */
  long long embedding_dim; /* D */
  int lanes;               /* threads that share a row: a power of two up to 32 */
  int reserved;
};
