/* Parameters of kernels/batch_norm. Tensors are [outer, channels, inner] in row-major order; inner = 1: channels are last. In sums.cu and apply.cu of
 * group norm outer is 1, and a channel is a row (kernels/batch_norm/README.md). A type in brackets
 * names the member with the type code of an array. */
#pragma once

enum { kBatchNormResidentBlock = 256 }; /* threads of a block of resident.cu */

/* Parameters of resident.cu. A row is [group, inner] of one of the `outer` entries. Offsets are bytes of shared memory. */
struct BatchNormResident {
  long long groups;  /* groups of channels */
  int group;         /* channels of a group; fewer in the last one */
  int rows;          /* rows of a block, if a group has several channels */
  int vectors;       /* vectors of 16 bytes that a block holds of each tensor */
  int scratch;       /* offset of the sums of the threads */
  int sums;          /* offset of the sums of the block: f64 [2, group] */
  int constants;     /* offset of four numbers of each channel, in the type of the arithmetic */
};

struct BatchNormParams {
  const void* input;
  const void* dout;           /* backward only */
  void* out;                  /* Y, or dX; backward: may be input or dout */
  const void* scale;          /* (weight_type) null: all are 1 */
  const void* bias;           /* (weight_type) null: all are 0 */
  const void* mean;           /* (stats_type) backward: saved mean, or running mean with `frozen`; forward: running mean, null: not updated */
  const void* deviation;      /* (stats_type) backward: saved inverse deviation, or running variance with `frozen`; forward: running variance */
  void* next_mean;            /* (stats_type) updated running mean; null: not stored; may be mean */
  void* next_variance;        /* (stats_type) updated running variance; null: not stored; may be deviation */
  void* saved_mean;           /* (stats_type) null: not stored */
  void* saved_inv_std;        /* (stats_type) null: not stored */
  void* dscale;               /* (weight_type) null: not stored */
  void* dbias;                /* (weight_type) null: not stored */
  void* partials;             /* [2, splits, channels]: forward f64, backward in the type of the arithmetic */
  void* coefficients;         /* [channels, 4] in the type of the arithmetic */
  long long outer;
  long long channels;
  long long inner;
  long long vectors;            /* vectors of 16 bytes of `inner` elements; the last one may not be whole */
  long long splits;            /* partial sums of a channel */
  double epsilon;
  double momentum;            /* weight of the old running statistics */
  double inverse_count;       /* 1 / number of elements of a channel */
  double unbiased;            /* unbiased variance / variance */
  int frozen;                 /* 1: running statistics are used in place of those of the batch */
  int lanes;                  /* channels last: threads side by side along the channels, a power of two up to a warp */
  int element_type, weight_type, stats_type;  /* codes of adj_dtype */
  int backward;               /* finish.cu: 1 for the gradient */
  int reserved;
  long long groups;           /* group norm: groups of a sample; sums are those of a row, forward [outer * groups], backward [outer * channels] */
  long long rows_of_mean;     /* sums.cu, backward: neighbouring channels that share a mean and a deviation; batch norm: 1 */
  struct BatchNormResident resident;
};
