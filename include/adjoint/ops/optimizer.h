/* Multi-tensor optimizers: one call updates a whole list of tensors.
 *
 * A descriptor gives the lengths of the tensors; the arguments give lists of the same count. Tensors may be empty.
 * The result is bitwise independent of how the tensors are listed, split or ordered. All arithmetic is in f32 (f64
 * when the parameters are f64), each stored value is rounded once.
 *
 * Scalars may be host values or device elements (adj_scalar). With grad_scale s, the gradient used is g / s.
 * found_inf, when given, is a device f32: any non-zero value makes the call leave every buffer, the step included,
 * unchanged. */
#ifndef ADJOINT_OPS_OPTIMIZER_H
#define ADJOINT_OPS_OPTIMIZER_H

#include "table.h"

typedef int32_t adj_adamw_mode;
enum {
  ADJ_ADAMW_DEFAULT = 0,      /* decay before the update (PyTorch AdamW, com.microsoft AdamWOptimizer adam_mode 0) */
  ADJ_ADAMW_DECAY_FIRST = 1,
  ADJ_ADAMW_DECAY_LAST = 2    /* decay the updated weight (Hugging Face AdamW, adam_mode 1) */
};

/* AdamW. With t the step, a = 1 - beta1^t, b = 1 - beta2^t (both 1 without bias_correction), g = grad / grad_scale:
 *     m = beta1 * m + (1 - beta1) * g,   v = beta2 * v + (1 - beta2) * g * g
 *     decay first: w -= lr * weight_decay * w;  w -= lr * (m / a) / (sqrt(v) / sqrt(b) + epsilon)
 *     decay last:  w -= lr * sqrt(b) / a * m / (sqrt(v) + epsilon);  w -= lr * weight_decay * w
 * a and b are computed in f64. Steps count from 1; a step below 1 with bias correction is an error by value, and on
 * the device leaves everything unchanged and is counted in error_flag. */
typedef struct adj_adamw_descriptor {
  adj_header header ADJ_DEFAULT(ADJ_HEADER_OF(adj_adamw_descriptor, ADJ_TAG_ADAMW_DESCRIPTOR));
  int64_t count ADJ_DEFAULT(0);              /* number of tensors >= 0 */
  const int64_t* numel ADJ_DEFAULT(nullptr); /* host array of count element counts >= 0; copied by select */
  adj_dtype param ADJ_DEFAULT(0);            /* f32, f64, f16, bf16 */
  adj_dtype grad ADJ_DEFAULT(0);             /* f32, f64, f16, bf16; 0 = param */
  adj_dtype state ADJ_DEFAULT(0);            /* of both moments: f32, f64, f16, bf16; 0 = param */
  adj_dtype copy ADJ_DEFAULT(0);             /* of a low-precision copy of the parameters: f16, bf16; 0 = none */
  adj_adamw_mode mode ADJ_DEFAULT(0); /* when weights decay: first unless stated */
  int32_t no_bias_correction ADJ_DEFAULT(0); /* 1: a = b = 1; only with ADJ_ADAMW_DECAY_LAST */
  int32_t advance_step ADJ_DEFAULT(0);       /* 1: the device step is incremented afterwards, so a captured graph can be replayed */
  uint32_t reserved ADJ_DEFAULT(0);
  double beta1 ADJ_DEFAULT(0.9);             /* in [0, 1) */
  double beta2 ADJ_DEFAULT(0.999);           /* in [0, 1) */
  double epsilon ADJ_DEFAULT(1e-8);          /* >= 0 */
  double weight_decay ADJ_DEFAULT(1e-2); /* finite; 0 = none */
} adj_adamw_descriptor;

typedef struct adj_adamw_args {
  adj_header header ADJ_DEFAULT(ADJ_HEADER_OF(adj_adamw_args, ADJ_TAG_ADAMW_ARGS));
  adj_tensor_list params ADJ_DEFAULT({});     /* in/out: parameters w */
  adj_tensor_list grads ADJ_DEFAULT({});      /* in: gradients of the parameters */
  adj_tensor_list exp_avg ADJ_DEFAULT({});    /* in/out: first moment m */
  adj_tensor_list exp_avg_sq ADJ_DEFAULT({}); /* in/out: second moment v */
  adj_tensor_list copies ADJ_DEFAULT({});     /* in/out: exactly when the descriptor names its type; a call that skips leaves it as it is */
  adj_scalar lr ADJ_DEFAULT({});              /* in: f32 or f64 on the device */
  adj_scalar step ADJ_DEFAULT({});            /* in/out: i64 on the device; must be on the device with advance_step */
  adj_scalar grad_scale ADJ_DEFAULT({1});     /* in: f32 or f64 on the device; not 0 */
  adj_tensor found_inf ADJ_DEFAULT({});       /* in, optional, [1] f32 */
  adj_tensor error_flag ADJ_DEFAULT({});      /* in/out, optional, [1] i64: 1 is added when the device step is below 1 */
} adj_adamw_args;

/* SGD with momentum. g = grad / grad_scale + weight_decay * w:
 *     without momentum: w -= lr * g
 *     with momentum:    buf = momentum * buf + (1 - dampening) * g;  w -= lr * (nesterov ? g + momentum * buf : buf)
 * Buffers start at zero, except that first_step makes buf = g (PyTorch's first step). */
typedef struct adj_sgd_descriptor {
  adj_header header ADJ_DEFAULT(ADJ_HEADER_OF(adj_sgd_descriptor, ADJ_TAG_SGD_DESCRIPTOR));
  int64_t count ADJ_DEFAULT(0); /* number of tensors >= 0 */
  const int64_t* numel ADJ_DEFAULT(nullptr); /* host array of count element counts >= 0; copied by select */
  adj_dtype param ADJ_DEFAULT(0);      /* f32, f64, f16, bf16 */
  adj_dtype grad ADJ_DEFAULT(0);       /* 0 = param */
  adj_dtype state ADJ_DEFAULT(0);      /* of the momentum buffers; 0 = none, required exactly when momentum != 0 */
  adj_dtype copy ADJ_DEFAULT(0);       /* of a low-precision copy of the parameters: f16, bf16; 0 = none */
  double momentum ADJ_DEFAULT(0);      /* in [0, 1) */
  double dampening ADJ_DEFAULT(0); /* finite */
  double weight_decay ADJ_DEFAULT(0); /* finite; 0 = none */
  int32_t nesterov ADJ_DEFAULT(0);     /* 1: needs momentum > 0 and dampening == 0 */
  int32_t first_step ADJ_DEFAULT(0);   /* 1: the momentum buffers are written without being read */
} adj_sgd_descriptor;

typedef struct adj_sgd_args {
  adj_header header ADJ_DEFAULT(ADJ_HEADER_OF(adj_sgd_args, ADJ_TAG_SGD_ARGS));
  adj_tensor_list params ADJ_DEFAULT({});          /* in/out: parameters w */
  adj_tensor_list grads ADJ_DEFAULT({});           /* in: gradients of the parameters */
  adj_tensor_list momentum_buffers ADJ_DEFAULT({});/* in/out: exactly when the descriptor names its type */
  adj_tensor_list copies ADJ_DEFAULT({});          /* in/out: exactly when the descriptor names its type; a call that skips leaves it as it is */
  adj_scalar lr ADJ_DEFAULT({});                   /* in: f32 or f64 on the device */
  adj_scalar grad_scale ADJ_DEFAULT({1});          /* in: f32 or f64 on the device; not 0 */
  adj_tensor found_inf ADJ_DEFAULT({});            /* in, optional, [1] f32 */
} adj_sgd_args;

#include "optimizer_init.h"

#endif
