/* Parameters of kernels/optimizer, to be included after the parameters of the prelude that they use. */
#pragma once

/* What an optimizer decides before it looks at a tensor: whether the call skips, and what gradients are divided by. */
struct StepControl {
  struct ScalarParam lr, grad_scale, gradient_norm, update_signal;
  const float* found_inf;     /* may be null */
  long long* error_flag;      /* may be null */
  double inverse_max_norm;
};

/* The lists of a step, all of them updated where they lie. Element types are codes of adj_dtype. The table has parameters and gradients
 * first, then the moments or buffers, then the copies. */
struct StepLists {
  int param, grad, state, copy;
  int arrays;                 /* in the table */
  int copies;                 /* place, or 0 */
  int keep_params;            /* 1: weights are not written */
  int updates;                /* 1: updates take the place of gradients */
  int clear_grads;            /* 1: zeros do */
  int reports;                /* 1 in the launch that counts errors of the call */
};

struct AdamHead {
  struct MultiTensorHead list;
  struct StepControl control;
  struct ScalarParam step;
  struct StepLists lists;
  double beta1, beta2, epsilon, weight_decay;
  int decay_last, decay_l2;
  int bias_correction;
  int reserved;
};

/* Of the launch that follows the update and advances the step. */
struct AdvanceParams {
  struct StepControl control;
  struct ScalarParam step;
  int bias_correction;
  int reports;
};

struct SgdHead {
  struct MultiTensorHead list;
  struct StepControl control;
  struct StepLists lists;
  double momentum, dampening, weight_decay;
  int nesterov;
  int first_step;
};

/* Elementwise work with a second count for each tensor, its key of random numbers, where weights are rounded at random. */
constexpr MultiTensorForm multi_tensor_keyed(int arrays, int keyed) { return {arrays, 0, keyed ? 2 : 1}; }

struct LionHead {
  struct MultiTensorHead list;
  struct StepControl control;
  struct ScalarParam step, seed;
  struct StepLists lists;
  double beta1, beta2, weight_decay;
  int stochastic;
  int reserved;
};

/* Elements that share a scale, and the places of the bytes of the moments in the table; the scales come next. */
enum { kAdam8BlockLog2 = 8, kAdam8Mean = 2, kAdam8Square = 4 };

struct Adam8Head {
  struct MultiTensorHead list;
  struct StepControl control;
  struct ScalarParam step, seed;
  struct StepLists lists;     /* of param, grad and copy alone */
  double beta1, beta2, epsilon, weight_decay;
  int stochastic;             /* 1: weights are rounded at random, too */
  int reserved;
};

/* Of both passes of LAMB. */
struct LambHead {
  struct MultiTensorHead list;
  struct StepControl control;
  struct ScalarParam step;
  struct StepLists lists;
  struct NormSlots norms;     /* of weights and directions, one after the other */
  double beta1, beta2, epsilon, weight_decay;
  double ratio_min, ratio_max;
  int bias_correction;
  int own;                    /* 1: the table has these four numbers and inverse_max_norm for each tensor, as constants 0 to 4 */
};

/* Of the norm of gradients. Outputs may be null; norm and factor are f64 when the gradients are, else f32. */
struct ClipNormHead {
  struct MultiTensorHead list;
  struct ScalarParam grad_scale;
  struct NormSlots norms;
  double* multiplier;         /* what gradients are multiplied by */
  void* norm;
  void* factor;
  float* found_inf;
  double max_norm, epsilon;
};
struct ClipScaleHead {
  struct MultiTensorHead list;
  const double* multiplier;
  int type;                   /* code of adj_dtype */
  int reserved;
};
