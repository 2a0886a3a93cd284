/* Parameters of the kernels for rows, whose classes lie side by side. To be included after scalar.h and params.h.
 * group: threads that share a row, a power of two up to a warp, or the block. */
#pragma once

struct SoftLabelParams {
  const void* scores;
  const void* labels;
  void* loss;                /* one per row, null when they are reduced */
  void* log_prob;            /* may be null, may be scores */
  void* lse;                 /* may be null */
  double* totals;            /* a pair (loss, 1) per row; null when not reduced */
  long long rows;
  long long classes;
  int group;
  int resident;              /* 1: the group holds a row in registers */
  int output_dtype;          /* type of loss */
  int reserved;
};

struct SoftLabelBackwardParams {
  const void* input;         /* log_prob, or scores */
  const void* lse;           /* null: input is log_prob */
  const void* labels;
  const void* dloss;
  void* dscores;             /* may be input or labels */
  double inverse;            /* 1 / z */
  long long rows;
  long long classes;
  int group;
  int resident;
  int exact;
  int dloss_per_row;
};

struct CrossEntropyParams {
  const void* scores;
  void* dscores;             /* may be scores */
  void* loss;                /* one per sample, null when they are reduced */
  void* lse;                 /* may be null */
  /* pairs (loss, 0), null when not reduced: a pair for the rows that a block takes at a time; with_gradient_cluster.cu: for a sample */
  double* totals;
  const double* inverse;     /* 1 / Z, 0 for Z == 0, or inverse_sums parts of Z; null for 1 */
  const double* inverse_count; /* the same for the number of samples that count; may be `inverse` */
  LossLabelParams label;
  ScalarParam dloss;
  double smoothing;
  double smoothing_of_class; /* smoothing / num_classes */
  double z_loss;
  long long samples;
  long long padded_classes;  /* elements from one row to the next; those behind the classes become 0 */
  int group;                 /* with_gradient_cluster.cu: vectors of a row that a block takes */
  int resident;
  int inverse_sums;          /* 1, or the number of the parts of Z */
  int reserved;
};

struct LogProbEntropyParams {
  const void* scores;
  void* log_prob;
  void* entropy;             /* may be null */
  void* lse;                 /* may be null */
  LossLabelParams label;
  long long samples;
  int group;
  int reserved;
};

struct LogProbEntropyBackwardParams {
  const void* scores;
  const void* lse;
  const void* entropy;       /* null without dentropy */
  const void* dlog_prob;
  const void* dentropy;
  void* dscores;             /* may be scores */
  LossLabelParams label;
  long long samples;
  int group;
  int reserved;
};
