/* Parameters of kernels/moe/. */
#pragma once

enum {
  kMoePlanBlock = 256,
  kMoePlanTile = 2048,      /* pairs that a block of a plan takes at least */
  kMoePlanBlocks = 256,     /* most blocks of a plan */
  kMoeMostExperts = 1024,
  kMoeMostTopK = 64,
  kMoeRowBlock = 256,
  kMoePlanArrays = kMoePlanBlock / 32 + 3 /* arrays of a number for each expert in shared memory of plan.cu */
};

struct MoePlanParams {
  const void* experts;   /* [pairs] */
  int* offsets;          /* [num_experts + 1] */
  int* order;            /* [rows] */
  int* inverse;          /* [pairs] */
  long long* error_flag; /* null: none */
  unsigned* counts;      /* [blocks, num_experts]: pairs of a block with an expert; with one block not used */
  unsigned pairs, pairs_of_block, rows;
  unsigned capacity;     /* most pairs of an expert; 0: any number */
  unsigned align;
  int num_experts;
  int bits;              /* enough for every expert */
};

/* Rows of tokens and rows of pairs. */
struct MoeRowsParams {
  const void* tokens;    /* gather.cu: null; scatter.cu: [num_tokens, columns] */
  const void* rows;      /* [num_rows, columns]; of scatter.cu with weights */
  const void* weights;   /* [num_tokens, top_k]; null: every weight is 1 */
  const int* order;      /* [num_rows]; of scatter.cu */
  const int* inverse;    /* [num_tokens, top_k] */
  void* out;             /* gather.cu: [num_tokens, columns]; scatter.cu: [num_rows, columns] */
  void* dweights;        /* [num_tokens, top_k]; of scatter.cu with weights */
  long long* error_flag; /* null: none */
  long long num_tokens, num_rows, columns;
  int top_k;
  int lanes;             /* threads that share a row: a power of two up to a warp, or the block */
};

enum {
  kMoeRouteBlock = 256,       /* threads of a block of the router, at most */
  kMoeRouteArrays = 3,        /* arrays of a number for each expert of a warp of route.cu; one more with groups, one more with losses */
  kMoeRouteBackwardArrays = 4, /* of route_backward.cu */
  kMoeRouteTokens = 32,  /* tokens that a block of route.cu takes at least */
  kMoeRouteBlocks = 512, /* most blocks of route.cu */
  kMoeRouteFinishBlock = 1024,
  kMoeMostGroups = 32
};
/* In the order of adj_moe_score. */
enum { kMoeSoftmaxOfChosen, kMoeSoftmax, kMoeSigmoid, kMoeSqrtSoftplus };

struct MoeRouteParams {
  const void* logits;         /* [tokens, num_experts] */
  const float* bias;          /* [num_experts]; null: none */
  const unsigned char* mask;  /* [tokens]; null: every token counts */
  int* experts;               /* [tokens, top_k] */
  float* weights;             /* [tokens, top_k] */
  int* counts;                /* [num_experts]; of finish */
  long long* counted;         /* null: no losses; of finish */
  float* loss;                /* of finish */
  long long* error_flag;      /* null: none */
  float* sums;                /* [blocks, num_experts] sums of p of a block; with losses */
  float* squares;             /* [blocks] sums of logsumexp squared; with losses */
  unsigned* block_counts;     /* [blocks, num_experts] */
  unsigned* block_counted;    /* [blocks] */
  long long tokens, tokens_of_block;
  float scale;
  float balance, z_loss;      /* balance * num_experts / top_k, and z_loss */
  int num_experts, top_k, groups, top_groups;
  int score, normalise, has_losses;
  int blocks;                 /* of route.cu */
};

struct MoeRouteBackwardParams {
  const void* logits;
  const int* experts;
  const float* dweights;
  const int* counts;          /* with losses */
  const long long* counted;   /* with losses */
  const float* dloss;         /* with losses */
  void* dlogits;
  long long tokens;
  float scale;
  float balance, z_loss;      /* as above, and 2 * z_loss */
  int num_experts, top_k;
  int score, normalise, has_losses;
};
