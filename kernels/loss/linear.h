/* Parameters of the launches around the products of a linear cross-entropy. To be included after scalar.h and params.h. */
#pragma once

/* Of linear_scale.cu and linear_total.cu. `inverse` is 1 / Z for a mean, else 1. */
struct LinearLossParams {
  struct LossLabelParams label;
  struct ScalarParam dloss;   /* linear_scale.cu */
  const float* losses;        /* [samples] */
  float* scale;               /* dloss * inverse */
  double* inverse;
  float* loss;
  long long samples;
  int mean;
  int reserved;
};

/* Of linear_rows.cu: rows of G of a chunk. */
struct LinearRowsParams {
  struct LossLabelParams label;
  const float* factors;       /* null: 1 */
  void* gradient;             /* [samples, pitch] */
  const void* scores;         /* [samples, pitch] after the cap; null: no cap */
  long long samples;
  long long classes;
  long long pitch;
  double softcap;
  int factor_of_sample;       /* 1: factors has one for each sample; 0: one for all */
  int drops;                  /* 1: rows of labels outside of the classes become 0, and others are left alone */
  int caps;                   /* 1: gradient holds scores, which are capped in place */
  int reserved;
};
