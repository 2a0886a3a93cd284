/* Parameters of kernels/batch_norm. Tensors are [outer, channels, inner] in row-major order: inner = 1 has the channels last. */
#pragma once

struct BatchNormParams {
  const void* input;
  const void* dout;           /* backward only */
  void* out;                  /* Y, or dX; backward: may be input or dout */
  const void* scale;          /* weight; null: 1 */
  const void* bias;           /* weight; null: 0 */
  const void* mean;           /* stats: backward: saved, or running where `frozen`; forward: running, null: not updated */
  const void* deviation;      /* stats: backward: saved inverse deviation, or running variance where `frozen`; forward: running variance */
  void* next_mean;            /* stats, null: not stored. May be mean */
  void* next_variance;
  void* saved_mean;           /* stats, null: not stored */
  void* saved_inv_std;
  void* dscale;               /* weight, null: not stored */
  void* dbias;
  void* partials;             /* [2, slots, channels]: forward f64, backward in the type of the arithmetic */
  void* coefficients;         /* [channels, 4] in the type of the arithmetic */
  long long outer;
  long long channels;
  long long inner;
  long long units;            /* of 16 bytes of `inner`, the last perhaps not whole */
  long long slots;            /* partial sums of a channel */
  double epsilon;
  double momentum;
  double inverse_count;       /* of the elements of a channel */
  double unbiased;            /* variance without bias over the variance */
  int frozen;                 /* running statistics are used */
  int lanes;                  /* channels last: threads side by side, a power of two up to a warp */
  int element_type, weight_type, stats_type;  /* codes of adj_dtype */
  int reserved;
};
