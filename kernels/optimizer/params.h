/* Parameters of kernels/optimizer/. To be included after the headers of the prelude that it uses: multi_tensor.h, multi_norm.h, scalar.h. */
#pragma once

/* Inputs of the decisions of a whole call: whether it skips, and the divisor of the gradients. */
struct StepControl {
  struct ScalarParam lr, grad_scale, gradient_norm, update_signal;
  const float* found_inf;     /* not 0: the call skips; may be null */
  long long* error_flag;      /* counts errors; may be null */
  double inverse_max_norm;
};

/* Lists of tensors of a step, all of them updated in place. The table has parameters and gradients first, then the moments or buffers, then the
 * copies. param, grad, state and copy are element types, as codes of adj_dtype. */
struct StepLists {
  int param, grad, state, copy;
  int arrays;                 /* number of arrays in the table */
  int copies;                 /* place of the copies in the table; 0: none */
  int keep_params;            /* 1: weights are not written */
  int updates;                /* 1: gradients are overwritten by the updates */
  int clear_grads;            /* 1: gradients are overwritten by zeros */
  int reports;                /* 1 in the launch that counts errors of the call */
};

/* Form of a table of tensors whose elements draw random bits, if `keyed`: count 1 is the key of the tensor. If tensors are parts, counts 2 and 3
 * are the low and the high half of the number of their first element. */
constexpr MultiTensorForm multi_tensor_keyed(int arrays, int keyed, int parts) { return {arrays, 0, 1 + (keyed ? 1 : 0) + (parts ? 2 : 0)}; }

struct AdamHead {
  struct MultiTensorHead list;
  struct StepControl control;
  struct ScalarParam step, seed;
  struct StepLists lists;
  const void* lr_of;           /* learning rate of each tensor, in the type of the arithmetic; null: control.lr */
  const void* weight_decay_of; /* weight decay of each tensor, likewise; null: weight_decay */
  double beta1, beta2, epsilon, weight_decay;
  int decay_last, decay_l2;
  int bias_correction;
  int stochastic;              /* 1: weights are rounded at random; needs a program with ADJ_WIDEST=4 */
  int parts;                   /* 1: tensors are parts of larger ones; needs stochastic */
  int counts;                  /* number of counts in the table, see multi_tensor_keyed */
};

/* Parameters of the launch that follows an update and advances the step. */
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

struct LionHead {
  struct MultiTensorHead list;
  struct StepControl control;
  struct ScalarParam step, seed;
  struct StepLists lists;
  double beta1, beta2, weight_decay;
  int stochastic;
  int parts;                  /* 1: tensors are parts of larger ones; needs stochastic */
};

/* log2 of the elements that share a scale; places of the bytes of the two moments in the table, each followed by the scales of the moment. */
enum { kAdam8BlockLog2 = 8, kAdam8Mean = 2, kAdam8Square = 4 };

struct Adam8Head {
  struct MultiTensorHead list;
  struct StepControl control;
  struct ScalarParam step, seed;
  struct StepLists lists;     /* state is not used */
  double beta1, beta2, epsilon, weight_decay;
  int stochastic;             /* 1: weights are rounded at random; second moments always are */
  int parts;                  /* 1: tensors are parts of larger ones */
};

/* Head of both passes of LAMB. */
struct LambHead {
  struct MultiTensorHead list;
  struct StepControl control;
  struct ScalarParam step;
  struct StepLists lists;
  struct NormPartials norms;     /* sums for weights, then for directions */
  double beta1, beta2, epsilon, weight_decay;
  double ratio_min, ratio_max;
  int bias_correction;
  int own;                    /* 1: the table has beta1, beta2, epsilon, weight_decay and inverse_max_norm of each tensor, as constants 0 to 4 */
};

/* Head of clip_norm.cu. norm, factor and found_inf may be null; norm and factor are f64 if the gradients are, else f32. */
struct ClipNormHead {
  struct MultiTensorHead list;
  struct ScalarParam grad_scale;
  struct NormPartials norms;
  double* multiplier;         /* two numbers, whose product is the factor of the gradients; for clip_scale.cu */
  void* norm;
  void* factor;
  float* found_inf;
  double max_norm, epsilon;
};
struct ClipScaleHead {
  struct MultiTensorHead list;
  const double* multiplier;   /* two numbers; the second one is a power of two, 1 except for a product below the normal range */
  int type;                   /* element type of the gradients, as code of adj_dtype */
  int reserved;
};
