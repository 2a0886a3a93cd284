/* Parameters of the kernels in kernels/loss. To be included after divide.h. A sample is one (n, d) of [N, C, inner]; samples = N * inner. */
#pragma once

/* Labels, and the weights of classes and samples. */
struct LossLabelParams {
  const void* labels;        /* [samples] */
  const void* weight;        /* [num_classes], null for none */
  long long* error_flag;     /* counts invalid labels; may be null */
  long long num_classes;
  long long ignore_index;
  int has_ignore_index;
  int weight_dtype;          /* 0 for no weights */
  const void* sample_weight; /* [samples], null for none */
  int sample_weight_dtype;   /* 0 for no weights */
  int reserved;
};

struct LossForwardParams {
  const void* scores;
  void* loss;                /* one per sample, null when they are reduced */
  void* log_prob;            /* may be null, may be scores */
  void* lse;                 /* may be null */
  /* pairs (loss, weight); null when not reduced. row_online with one row per block: a pair per sample; otherwise a pair per warp */
  double* totals;
  LossLabelParams label;
  long long samples;
  long long inner;
  long long padded_classes;  /* row_online: elements from one row of scores to the next */
  WideDivisor by_inner;     /* strided */
  int group;                 /* row_online: threads that share a row, a power of two up to a warp, or the block;
strided: samples that a block takes, a power of two from a warp to the block */
  int reserved;
};

struct LossTotalParams {
  const double* totals;      /* pairs (loss, weight) */
  double* partials;          /* output, a pair per block; null: the only block writes the loss */
  void* loss;
  long long count;           /* number of pairs */
  long long chunk;           /* pairs that a block takes */
  int mean;
  int nan_when_empty;
};

/* Sum Z of the weights of the samples that count. */
struct LossNormalizerParams {
  LossLabelParams label;
  const double* partials;    /* sums of the launch before; null: this launch reads the labels */
  double* sums;              /* output, a sum per block; a single block writes 1 / sum instead, 0 for a sum of 0 */
  long long count;           /* number of labels or partials */
  long long chunk;           /* labels or partials that a block takes */
};

struct LossBackwardParams {
  const void* input;         /* log_prob, or scores */
  const void* lse;           /* null: input is log_prob */
  const void* dloss;
  const double* inverse;     /* 1 / Z, 0 for Z == 0; null for 1 */
  const void* bias;          /* may be null */
  void* dscores;
  LossLabelParams label;
  long long samples;
  long long inner;
  long long padded_classes;  /* row: elements from one row to the next; those behind the classes become 0 */
  WideDivisor by_inner;     /* strided */
  long long chunk;           /* strided: classes that a block takes */
  int dloss_per_sample;
  int group;                 /* row: threads that share a row, a power of two up to a warp, or the block */
};
