/* Parameters of kernels/embedding_bag*.cu and of prelude/bags.cuh. */
#pragma once

enum { kBagBlock = 256 };

/* The indices and their bags. */
struct BagParams {
  const void* indices;
  const void* offsets;       /* null: bags of equal length */
  long long num_embeddings;  /* V */
  long long num_indices;     /* N */
  long long num_bags;        /* B */
  long long bag_length;      /* without offsets */
  long long padding_row;     /* -1 for none */
  int include_last_offset;
  int reserved;
};

struct EmbeddingBagForwardParams {
  struct BagParams bags;
  const void* weight;
  const void* sample_weights; /* null: 1 */
  void* out;
  int* max_positions;         /* may be null */
  long long* error_flag;      /* may be null */
  long long embedding_dim;    /* D */
  int lanes;                  /* threads that share a row: a power of two up to 32 */
  int streams;                /* threads that share a column of a bag: a power of two, lanes * streams <= kBagBlock */
  int mean;
  int reserved;
};

struct EmbeddingBagMapParams {
  struct BagParams bags;
  unsigned* bag_of;      /* [N] bag + 1, 0 for none; cleared; null without offsets */
  void* shares;          /* [B] of the accumulator's type: 1 / number of entries; may be null */
  long long* error_flag; /* bad offsets are added to it; may be null */
  int lanes;             /* threads that share a bag: a power of two up to 32 */
  int reserved;
};

struct EmbeddingBagSampleWeightsParams {
  struct BagParams bags;
  const void* dout;
  const void* weight;
  const unsigned* bag_of;  /* null without offsets */
  unsigned long long bag_reciprocal; /* (2^64 - 1) / bag_length, without offsets */
  void* dsample_weights;
  long long* error_flag;   /* bad indices are added to it; may be null */
  long long embedding_dim; /* D */
  int lanes;               /* threads that share a row: a power of two up to 32 */
  int reserved;
};
