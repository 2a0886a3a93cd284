/* Parameters of kernels/loss_*.cu. A sample is one (n, d) of [N, C, inner]; samples = N * inner. */
#pragma once

/* Division by a number known to the plan, of numbers below 2^59: x / d = ((16 x * multiplier) >> 64) >> shift. */
struct FixedDivisor {
  unsigned long long multiplier; /* 2^(60 + shift) / d, rounded down, plus 1 */
  int shift;                     /* the smallest with d <= 2^shift */
  int reserved;
};

/* Labels and what weighs them. */
struct LossLabelParams {
  const void* labels;        /* [samples] */
  const void* weight;        /* [num_classes], null for none */
  long long* error_flag;     /* may be null */
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
  double* totals;            /* pairs (loss, weight), one per warp of samples (row_online, several rows per block, and
                                strided) or per sample (row_online, one row per block); null when not reduced */
  LossLabelParams label;
  long long samples;
  long long inner;
  FixedDivisor by_inner;     /* strided */
  int group;                 /* row_online: threads of a row, a power of two up to a warp, or the block;
                                strided: samples of a block, a power of two from a warp to the block */
  int reserved;
};

struct LossTotalParams {
  const double* totals;      /* pairs (loss, weight) */
  double* partials;          /* a pair per block; null: one block writes the loss */
  void* loss;
  long long count;           /* pairs */
  long long chunk;           /* pairs of a block */
  int mean;
  int nan_when_empty;
};

/* The sum of the weights of the samples, labels outside the classes left out. */
struct LossNormalizerParams {
  LossLabelParams label;
  const double* partials;    /* sums of a former launch; null: the labels themselves are summed up */
  double* sums;              /* one per block; a single block writes 1 / sum instead, 0 for a sum of 0 */
  long long count;           /* labels or partials */
  long long chunk;           /* of a block */
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
  FixedDivisor by_inner;     /* strided */
  long long chunk;           /* strided: classes of a block */
  int dloss_per_sample;
  int group;                 /* row: threads of a row, a power of two up to a warp, or the block */
};
