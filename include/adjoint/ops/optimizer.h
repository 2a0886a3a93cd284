/* Multi-tensor optimizers: one call updates a whole list of tensors.
 *
 * A descriptor gives the lengths of the tensors; the arguments give lists of the same count. Tensors may be empty.
 * All arithmetic is in f32 (f64 when the parameters are f64), each stored value is rounded once.
 *
 * Equal bits. The order of a list changes no bit of a result. A list of adam, sgd, lion, adamw_8bit or lamb may be updated in
 * several calls. A tensor of adam and sgd may be split into several, since each element is updated by itself; so may a tensor
 * of lion and adamw_8bit. Where elements draw random bits, first_elements must say where a part begins. A part of a tensor has
 * another norm than the tensor: the results of lamb need whole tensors, and those of clip_grad_norm the whole list.
 *
 * Scalars may be host values or device elements (adj_scalar). With grad_scale s, the gradient used is g / s.
 *
 * Skipped calls. A call skips when found_inf, a device f32, is not 0, and for the reasons that each operator names. It then
 * leaves weights, moments, copies and step unchanged. Other outputs are written all the same: new weights and moments in
 * buffers of their own become copies of the old ones, and clear_grads clears gradients. A skipped call counts at most one
 * error in error_flag, and none when found_inf or update_signal skips it.
 *
 * Stochastic rounding. With stochastic_rounding, a new weight of a 16-bit type is one of the two neighbours of its f32 value:
 *     P(the neighbour farther from 0) = distance from the nearer to 0 / distance of both, truncated to a multiple of 2^-16
 * Only f16 values below 2^-14 are truncated. A value that the type has stays as it is. Beyond the largest finite number the
 * neighbour is infinity, at the distance at which the type would go on. Infinities and NaN are rounded as usual.
 * Element e of a tensor draws 16 bits: those from bit 16 (e mod 2) on of word (e mod 8) / 2 of the block of Philox4x32-10 with
 * key seed and counter (e / 8 mod 2^32, e / 2^35, key of the tensor, step mod 2^32). It is rounded away from 0 when they and
 * the fraction in units of 2^-16 add up to 2^16 or more.
 *
 * Parts. An entry of a list may be a part of a tensor: its tensor_keys is that of the tensor, and its first_elements the
 * number e of its first element. The parts then have the bits of the whole, in one call or in several, on one device or on
 * several.
 *
 * Bias corrections a = 1 - beta1^t and b = 1 - beta2^t are computed in f64 without a power: with r = 0 and q = 1 - beta, for
 * each bit of t from the lowest on, r = fma(q, 1 - r, r) if the bit is 1, then q = fma(q, 1 - q, q). The last r is 1 - beta^t.
 *
 * Error terms. The bound of a result is stated by each kernel (adj_guarantee) in terms of the magnitudes that are added up
 * in it. An operator names them below. A copy has the terms of its weight. */
#ifndef ADJOINT_OPS_OPTIMIZER_H
#define ADJOINT_OPS_OPTIMIZER_H

#include "operator.h"

ADJ_OPERATOR(6, sgd, SGD, Sgd)
ADJ_OPERATOR(38, adam, ADAM, Adam)
ADJ_OPERATOR(39, lamb, LAMB, Lamb)
ADJ_OPERATOR(40, clip_grad_norm, CLIP_GRAD_NORM, ClipGradNorm)
ADJ_OPERATOR(86, lion, LION, Lion)
ADJ_OPERATOR(87, adamw_8bit, ADAMW_8BIT, Adamw8bit)

ADJ_ENUM(adj_adam_decay) {
  ADJ_ADAM_DECAY_FIRST = 0, /* the weight decays before the update */
  ADJ_ADAM_DECAY_LAST = 1,  /* the updated weight decays */
  ADJ_ADAM_DECAY_L2 = 2     /* weight_decay * w is added to the gradient, which the moments then see */
};

/* Adam and AdamW. With t the step, a = 1 - beta1^t, b = 1 - beta2^t (both 1 with no_bias_correction),
 *     g = grad / s,   |s| = max(|grad_scale|, gradient_norm / max_norm), s with the sign of grad_scale
 *     m = beta1 * m + (1 - beta1) * g,   v = beta2 * v + (1 - beta2) * g * g
 *     decay first: update = -lr * ((m / a) / (sqrt(v / b) + epsilon) + weight_decay * w)
 *     decay last:  q = lr * sqrt(b) / a * m / (sqrt(v) + epsilon);  update = -q - lr * weight_decay * (w - q)
 *     decay l2:    g += weight_decay * w before m and v;  update = -lr * (m / a) / (sqrt(v / b) + epsilon)
 *     w += update
 * Settings of other libraries:
 *     PyTorch Adam                   decay l2
 *     PyTorch AdamW, Apex FusedAdam  decay first
 *     Hugging Face AdamW             decay last
 *     ONNX Runtime AdamOptimizer     weight_decay_mode is decay; out_of_place, updates
 *     ONNX Runtime AdamWOptimizer    adam_mode is decay
 *
 * Arguments. gradient_norm is the norm of all gradients as they are, still scaled (clip_grad_norm with norm_only writes it).
 * 0, its default, clips nothing, and neither does an infinite max_norm. lr_of and weight_decay_of have a number for each
 * tensor, in the memory of the stream; they take the place of lr and weight_decay, and a captured graph reads them anew.
 *
 * Results are defined to the last bit; only the payload of a NaN is open. Scalars are combined in f64 and then rounded to the
 * type of the arithmetic, in which, fma rounding once,
 *     g = grad / s;   decay l2: g = fma(weight_decay, w, g)
 *     m = fma(1 - beta1, g, beta1 * m),   v = fma((1 - beta2) * g, g, beta2 * v)
 *     decay first: d = m / fma(sqrt(v), 1 / sqrt(b), epsilon),   u = fma(lr * weight_decay, w, (lr / a) * d)
 *     decay l2:    d = m / fma(sqrt(v), 1 / sqrt(b), epsilon),   u = fma(0, w, (lr / a) * d)
 *     decay last:  d = m / (sqrt(v) + epsilon),   r = lr * sqrt(b) / a,   u = fma(lr * weight_decay, fma(-r, d, w), r * d)
 *     update = -u,   w = w - u
 * with |s| = max(|grad_scale|, gradient_norm * (1 / max_norm)).
 *
 * In place. Weights, moments and cleared gradients are updated in place. With out_of_place, new weights and moments may be the
 * buffers of the old ones, and updates those of the gradients.
 *
 * Edge cases:
 *   - A call skips when update_signal is 0, when found_inf is not 0, when gradient_norm is not finite, or when the step is
 *     below 1 with bias correction. The last two are errors by value, and on the device are counted in error_flag.
 *   - A call that skips copies the gradients to updates.
 *   - Infinities and NaN among the gradients enter moments and weights.
 *   - Steps count from 1. Without bias correction only stochastic_rounding reads the step.
 *
 * Error terms. Against the formulas in real numbers, with u = 2^-24 (2^-53 for f64), G, M and V for the terms of g, m and v,
 * and before the rounding of the store, the errors of m and v are below 4 u M and 8 u V, of update and w below 20 u W
 * (512 u W for f64):
 *     G = |g| for decay first and last, |grad / s| + |weight_decay * w| for l2
 *     M = |beta1 * m| + |(1 - beta1)| * G,   V = |beta2 * v| + |(1 - beta2)| * G * G
 *     W = |lr * weight_decay * w| except for l2, plus Q * (1 + lr * |weight_decay|) * V / v, where Q is the magnitude of the
 *        update without decay with M in place of m. V / v is 1 for decay first and last with rates in [0, 1].
 *
 * Source: Kingma and Ba 2015, Adam; Loshchilov and Hutter 2019, Decoupled Weight Decay Regularization. */
typedef struct adj_adam_descriptor {
  adj_header header ADJ_DEFAULT(ADJ_HEADER_OF(adj_adam_descriptor, ADJ_TAG_ADAM_DESCRIPTOR));
  int64_t count ADJ_DEFAULT(0);                                             /* number of tensors >= 0 */
  const int64_t* numel ADJ_DEFAULT(nullptr) ADJ_RANGE(0);                   /* host array of count element counts; copied by select */
  int64_t tensor_key_count ADJ_DEFAULT(0);                                  /* count with stochastic_rounding, else 0 */
  const int64_t* tensor_keys ADJ_DEFAULT(nullptr) ADJ_RANGE(0, 4294967295); /* host array: a number for each tensor; equal keys draw equal bits */
  int64_t first_element_count ADJ_DEFAULT(0);                               /* count, or 0: every tensor is whole; count needs stochastic_rounding */
  const int64_t* first_elements ADJ_DEFAULT(nullptr); /* host array: number of each entry's first element in its tensor, from 0; with its numel at most 2^59 */
  double beta1 ADJ_DEFAULT(0.9) ADJ_RANGE(finite) ADJ_REFUSE(!no_bias_correction && (beta1 < 0 || beta1 >= 1), "is outside [0, 1)");
  double beta2 ADJ_DEFAULT(0.999) ADJ_RANGE(finite) ADJ_REFUSE(!no_bias_correction && (beta2 < 0 || beta2 >= 1), "is outside [0, 1)");
  double epsilon ADJ_DEFAULT(1e-8) ADJ_RANGE(0);
  double weight_decay ADJ_DEFAULT(0) ADJ_RANGE(finite);                     /* 0 = none */
  double max_norm ADJ_DEFAULT(1) ADJ_RANGE(above 0, infinity);              /* infinity clips nothing */
  adj_adam_decay decay ADJ_DEFAULT({});                                     /* first unless stated */
  int32_t no_bias_correction ADJ_DEFAULT(0) ADJ_FLAG;                       /* 1: a = b = 1 */
  int32_t advance_step ADJ_DEFAULT(0) ADJ_FLAG; /* 1: the device step is incremented afterwards, so a captured graph can be replayed */
  int32_t stochastic_rounding ADJ_DEFAULT(0) ADJ_FLAG
    ADJ_REFUSE(stochastic_rounding && (param == f32 || param == f64), "is for parameters of f16 or bf16"); /* 1: the new weights too; needs tensor_keys */
  int32_t out_of_place ADJ_DEFAULT(0) ADJ_FLAG;                             /* 1: new weights and moments go to new_params, new_exp_avg and new_exp_avg_sq */
  int32_t updates ADJ_DEFAULT(0) ADJ_FLAG; /* 1: the updates go to the list of that name, rounded to the type of the gradients */
  int32_t keep_params ADJ_DEFAULT(0) ADJ_FLAG;                              /* 1: weights are not written; without copies */
  int32_t clear_grads ADJ_DEFAULT(0) ADJ_FLAG;                              /* 1: the gradients are zero afterwards; without updates */
  adj_dtype param ADJ_DEFAULT({});                                          /* f32, f64, f16, bf16 */
  adj_dtype grad ADJ_DEFAULT({}) ADJ_ZERO_IS(param);                        /* f32, f64, f16, bf16 */
  adj_dtype state ADJ_DEFAULT({}) ADJ_ZERO_IS(param);                       /* of both moments: f32, f64, f16, bf16 */
  adj_dtype copy ADJ_DEFAULT({});                                           /* of a low-precision copy of the parameters: f16, bf16; 0 = none */
} adj_adam_descriptor;

typedef struct adj_adam_args {
  adj_header header ADJ_DEFAULT(ADJ_HEADER_OF(adj_adam_args, ADJ_TAG_ADAM_ARGS));
  adj_tensor_list params         ADJ_DEFAULT({})        ADJ_IN([numel], param) ADJ_WRITTEN_IF(!out_of_place && !keep_params); /* parameters w */
  adj_tensor_list grads          ADJ_DEFAULT({})        ADJ_IN([numel], grad) ADJ_WRITTEN_IF(clear_grads);
  adj_tensor_list exp_avg        ADJ_DEFAULT({})        ADJ_IN([numel], state) ADJ_WRITTEN_IF(!out_of_place); /* first moment m */
  adj_tensor_list exp_avg_sq     ADJ_DEFAULT({})        ADJ_IN([numel], state) ADJ_WRITTEN_IF(!out_of_place); /* second moment v */
  adj_tensor_list copies         ADJ_DEFAULT({})        ADJ_INOUT([numel], copy) ADJ_ONLY_IF(copy);
  adj_tensor_list new_params     ADJ_DEFAULT({})        ADJ_OUT([numel], param) ADJ_ONLY_IF(out_of_place && !keep_params) ADJ_MAY_BE(params);
  adj_tensor_list new_exp_avg    ADJ_DEFAULT({})        ADJ_OUT([numel], state) ADJ_ONLY_IF(out_of_place) ADJ_MAY_BE(exp_avg);
  adj_tensor_list new_exp_avg_sq ADJ_DEFAULT({})        ADJ_OUT([numel], state) ADJ_ONLY_IF(out_of_place) ADJ_MAY_BE(exp_avg_sq);
  adj_tensor_list updates        ADJ_DEFAULT({})        ADJ_OUT([numel], grad) ADJ_ONLY_IF(updates) ADJ_MAY_BE(grads);
  adj_scalar lr                  ADJ_DEFAULT({ADJ_NAN}) ADJ_IN(any_float); /* finite, not negative; must be given without lr_of */
  adj_scalar step                ADJ_DEFAULT({})        ADJ_IN(i64) ADJ_WRITTEN_IF(advance_step) ADJ_ON_DEVICE_IF(advance_step); /* >= 1 */
  adj_scalar seed                ADJ_DEFAULT({})        ADJ_IN(i64)
                                 ADJ_ONLY_IF(stochastic_rounding); /* on the device all 64 bits count; from 0 to 2^53 by value */
  adj_scalar grad_scale          ADJ_DEFAULT({1})       ADJ_IN(any_float); /* not 0 */
  adj_scalar gradient_norm       ADJ_DEFAULT({})        ADJ_IN(any_float); /* >= 0 */
  adj_scalar update_signal       ADJ_DEFAULT({1})       ADJ_IN(bool); /* 0 skips */
  adj_tensor lr_of               ADJ_DEFAULT({})        ADJ_IN([count], accumulator(param)) ADJ_OPTIONAL; /* learning rate of each tensor, in place of lr */
  adj_tensor weight_decay_of     ADJ_DEFAULT({})        ADJ_IN([count], accumulator(param)) ADJ_OPTIONAL; /* decay of each tensor, in place of weight_decay */
  adj_tensor found_inf           ADJ_DEFAULT({})        ADJ_IN([1], f32) ADJ_OPTIONAL;
  adj_tensor error_flag          ADJ_DEFAULT({})        ADJ_INOUT([1], i64)
                                 ADJ_OPTIONAL; /* 1 is added when the device step is below 1 or gradient_norm is not finite */
} adj_adam_args;

/* LAMB. With t the step, a = 1 - beta1^t, b = 1 - beta2^t (both 1 with no_bias_correction), for every tensor
 *     g = grad / s,   s = max(grad_scale, gradient_norm / max_norm)
 *     m = beta1 * m + (1 - beta1) * g,   v = beta2 * v + (1 - beta2) * g * g
 *     d = weight_decay * w + (m / a) / (sqrt(v / b) + epsilon)
 *     r = lr * max(ratio_min, min(ratio_max, |w| / |d|)), or lr where one of these L2 norms of the tensor is 0
 *     update = -r * d,   w += update
 * Norms neither overflow nor vanish. Each hyperparameter holds for all tensors, or has a value for each of them.
 *
 * A tensor whose norm of w or d is not finite keeps weights, moments and copies, its updates are 0, and it is counted in error_flag.
 * A weight that would not be finite in its own type stays as it is, with an update of 0. A call skips as one of adam does.
 *
 * Error terms: m and v as in adam, with M and V. With N the norm over the tensor of the terms of d,
 *     d: T = |weight_decay * w| + (M / a) / (sqrt(v / b) + epsilon) * V / v
 *     update and w: |r| * T * (1 + N / |d|) */
typedef struct adj_lamb_descriptor {
  adj_header header ADJ_DEFAULT(ADJ_HEADER_OF(adj_lamb_descriptor, ADJ_TAG_LAMB_DESCRIPTOR));
  int64_t count ADJ_DEFAULT(0);                                /* number of tensors >= 0 */
  const int64_t* numel ADJ_DEFAULT(nullptr) ADJ_RANGE(0);      /* host array of count element counts; copied by select */
  double beta1 ADJ_DEFAULT(0.9) ADJ_RANGE(finite) ADJ_REFUSE(!no_bias_correction && (beta1 < 0 || beta1 >= 1), "is outside [0, 1)");
  double beta2 ADJ_DEFAULT(0.999) ADJ_RANGE(finite) ADJ_REFUSE(!no_bias_correction && (beta2 < 0 || beta2 >= 1), "is outside [0, 1)");
  double epsilon ADJ_DEFAULT(1e-6) ADJ_RANGE(0);
  double weight_decay ADJ_DEFAULT(0) ADJ_RANGE(finite);        /* 0 = none */
  double max_norm ADJ_DEFAULT(1) ADJ_RANGE(above 0, infinity); /* infinity clips nothing */
  double ratio_min ADJ_DEFAULT(0) ADJ_RANGE(-infinity, infinity) ADJ_REFUSE(ratio_min > ratio_max, "is above ratio_max");
  double ratio_max ADJ_DEFAULT(1e308) ADJ_RANGE(-infinity, infinity);
  int64_t beta1_count ADJ_DEFAULT(0);                          /* 0, or count: beta1_of then takes the place of beta1; the same for those that follow */
  const double* beta1_of ADJ_DEFAULT(nullptr);                 /* beta1 of each tensor; host array, copied by select */
  int64_t beta2_count ADJ_DEFAULT(0);
  const double* beta2_of ADJ_DEFAULT(nullptr);                 /* beta2 of each tensor; host array, copied by select */
  int64_t epsilon_count ADJ_DEFAULT(0);
  const double* epsilon_of ADJ_DEFAULT(nullptr);               /* epsilon of each tensor; host array, copied by select */
  int64_t weight_decay_count ADJ_DEFAULT(0);
  const double* weight_decay_of ADJ_DEFAULT(nullptr);          /* weight_decay of each tensor; host array, copied by select */
  int64_t max_norm_count ADJ_DEFAULT(0);
  const double* max_norm_of ADJ_DEFAULT(nullptr);              /* max_norm of each tensor; host array, copied by select */
  int32_t no_bias_correction ADJ_DEFAULT(0) ADJ_FLAG;          /* 1: a = b = 1 */
  int32_t advance_step ADJ_DEFAULT(0) ADJ_FLAG;                /* 1: the device step is incremented afterwards */
  int32_t out_of_place ADJ_DEFAULT(0) ADJ_FLAG;                /* 1: new weights and moments go to new_params, new_exp_avg and new_exp_avg_sq */
  int32_t updates ADJ_DEFAULT(0) ADJ_FLAG;                     /* 1: the updates go to the list of that name, rounded to the type of the gradients */
  int32_t keep_params ADJ_DEFAULT(0) ADJ_FLAG;                 /* 1: weights are not written; without copies */
  int32_t clear_grads ADJ_DEFAULT(0) ADJ_FLAG;                 /* 1: the gradients are zero afterwards; without updates */
  adj_dtype param ADJ_DEFAULT({});                             /* f32, f64, f16, bf16 */
  adj_dtype grad ADJ_DEFAULT({}) ADJ_ZERO_IS(param);           /* f32, f64, f16, bf16 */
  adj_dtype state ADJ_DEFAULT({}) ADJ_ZERO_IS(param);          /* of both moments: f32, f64, f16, bf16 */
  adj_dtype copy ADJ_DEFAULT({});                              /* of a low-precision copy of the parameters: f16, bf16; 0 = none */
} adj_lamb_descriptor;

typedef struct adj_lamb_args {
  adj_header header ADJ_DEFAULT(ADJ_HEADER_OF(adj_lamb_args, ADJ_TAG_LAMB_ARGS));
  adj_tensor_list params         ADJ_DEFAULT({})        ADJ_IN([numel], param) ADJ_WRITTEN_IF(!out_of_place && !keep_params); /* parameters w */
  adj_tensor_list grads          ADJ_DEFAULT({})        ADJ_IN([numel], grad) ADJ_WRITTEN_IF(clear_grads);
  adj_tensor_list exp_avg        ADJ_DEFAULT({})        ADJ_IN([numel], state) ADJ_WRITTEN_IF(!out_of_place); /* first moment m */
  adj_tensor_list exp_avg_sq     ADJ_DEFAULT({})        ADJ_IN([numel], state) ADJ_WRITTEN_IF(!out_of_place); /* second moment v */
  adj_tensor_list copies         ADJ_DEFAULT({})        ADJ_INOUT([numel], copy) ADJ_ONLY_IF(copy);
  adj_tensor_list new_params     ADJ_DEFAULT({})        ADJ_OUT([numel], param) ADJ_ONLY_IF(out_of_place && !keep_params) ADJ_MAY_BE(params);
  adj_tensor_list new_exp_avg    ADJ_DEFAULT({})        ADJ_OUT([numel], state) ADJ_ONLY_IF(out_of_place) ADJ_MAY_BE(exp_avg);
  adj_tensor_list new_exp_avg_sq ADJ_DEFAULT({})        ADJ_OUT([numel], state) ADJ_ONLY_IF(out_of_place) ADJ_MAY_BE(exp_avg_sq);
  adj_tensor_list updates        ADJ_DEFAULT({})        ADJ_OUT([numel], grad) ADJ_ONLY_IF(updates) ADJ_MAY_BE(grads);
  adj_scalar lr                  ADJ_DEFAULT({ADJ_NAN}) ADJ_IN(any_float); /* finite, not negative; must be given */
  adj_scalar step                ADJ_DEFAULT({})        ADJ_IN(i64) ADJ_WRITTEN_IF(advance_step) ADJ_ON_DEVICE_IF(advance_step);
  adj_scalar grad_scale          ADJ_DEFAULT({1})       ADJ_IN(any_float); /* > 0 */
  adj_scalar gradient_norm       ADJ_DEFAULT({})        ADJ_IN(any_float); /* >= 0 */
  adj_scalar update_signal       ADJ_DEFAULT({1})       ADJ_IN(bool); /* 0 skips */
  adj_tensor found_inf           ADJ_DEFAULT({})        ADJ_IN([1], f32) ADJ_OPTIONAL;
  adj_tensor error_flag          ADJ_DEFAULT({})        ADJ_INOUT([1], i64) ADJ_OPTIONAL; /* counts as in adam, and the tensors that are kept as they are */
} adj_lamb_args;

/* Lion (Chen et al. 2023, Symbolic Discovery of Optimization Algorithms). With the gradient
 *     g = grad / s,   s = max(grad_scale, gradient_norm / max_norm)
 *     c = beta1 * m + (1 - beta1) * g,   m = beta2 * m + (1 - beta2) * g,   w -= lr * (sign(c) + weight_decay * w)
 * gradient_norm is as in adam.
 *
 * Results are defined to the last bit; only the payload of a NaN is open. Scalars are combined in f64 and then rounded to the type of the
 * arithmetic, in which, fma rounding once,
 *     g = grad / s,   c = fma(1 - beta1, g, beta1 * m),   m = fma(1 - beta2, g, beta2 * m)
 *     w = w - fma(lr * weight_decay, w, lr * sign(c))
 * with s = max(grad_scale, gradient_norm * (1 / max_norm)). lr * sign(c) is lr for c > 0, -lr for c < 0, and else c itself: +0, -0 or NaN.
 * So a weight of -0 stays -0 where c is +0, and becomes +0 where c is -0.
 *
 * A call skips when update_signal is 0, when found_inf is not 0, or when gradient_norm is not finite; that is an error by value, and on
 * the device is counted in error_flag. It then leaves everything as it is, but clears gradients all the same. */
typedef struct adj_lion_descriptor {
  adj_header header ADJ_DEFAULT(ADJ_HEADER_OF(adj_lion_descriptor, ADJ_TAG_LION_DESCRIPTOR));
  int64_t count ADJ_DEFAULT(0);                                             /* number of tensors >= 0 */
  const int64_t* numel ADJ_DEFAULT(nullptr) ADJ_RANGE(0);                   /* host array of count element counts; copied by select */
  double beta1 ADJ_DEFAULT(0.9) ADJ_RANGE(0, 1);
  double beta2 ADJ_DEFAULT(0.99) ADJ_RANGE(0, 1);
  double weight_decay ADJ_DEFAULT(0) ADJ_RANGE(finite);                     /* 0 = none */
  double max_norm ADJ_DEFAULT(1) ADJ_RANGE(above 0, infinity);              /* infinity clips nothing */
  int64_t tensor_key_count ADJ_DEFAULT(0);                                  /* count with stochastic_rounding, else 0 */
  const int64_t* tensor_keys ADJ_DEFAULT(nullptr) ADJ_RANGE(0, 4294967295); /* host array: a number for each tensor; equal keys draw equal bits */
  int64_t first_element_count ADJ_DEFAULT(0);                               /* count, or 0: every tensor is whole; count needs stochastic_rounding */
  const int64_t* first_elements ADJ_DEFAULT(nullptr); /* host array: number of each entry's first element in its tensor, from 0; with its numel at most 2^59 */
  int32_t stochastic_rounding ADJ_DEFAULT(0) ADJ_FLAG
    ADJ_REFUSE(stochastic_rounding && (param == f32 || param == f64), "is for parameters of f16 or bf16"); /* 1: the new weights too; needs tensor_keys */
  int32_t advance_step ADJ_DEFAULT(0) ADJ_FLAG;                             /* 1: the device step is incremented afterwards */
  int32_t clear_grads ADJ_DEFAULT(0) ADJ_FLAG;                              /* 1: the gradients are zero afterwards */
  adj_dtype param ADJ_DEFAULT({});                                          /* f32, f64, f16, bf16 */
  adj_dtype grad ADJ_DEFAULT({}) ADJ_ZERO_IS(param);                        /* f32, f64, f16, bf16 */
  adj_dtype state ADJ_DEFAULT({}) ADJ_ZERO_IS(param);                       /* of the moment: f32, f64, f16, bf16 */
  adj_dtype copy ADJ_DEFAULT({});                                           /* of a low-precision copy of the parameters: f16, bf16; 0 = none */
  uint32_t reserved ADJ_DEFAULT(0);
} adj_lion_descriptor;

typedef struct adj_lion_args {
  adj_header header ADJ_DEFAULT(ADJ_HEADER_OF(adj_lion_args, ADJ_TAG_LION_ARGS));
  adj_tensor_list params   ADJ_DEFAULT({})        ADJ_INOUT([numel], param); /* parameters w */
  adj_tensor_list grads    ADJ_DEFAULT({})        ADJ_IN([numel], grad) ADJ_WRITTEN_IF(clear_grads);
  adj_tensor_list exp_avg  ADJ_DEFAULT({})        ADJ_INOUT([numel], state); /* moment m */
  adj_tensor_list copies   ADJ_DEFAULT({})        ADJ_INOUT([numel], copy) ADJ_ONLY_IF(copy);
  adj_scalar lr            ADJ_DEFAULT({ADJ_NAN}) ADJ_IN(any_float); /* finite, not negative; must be given */
  adj_scalar step          ADJ_DEFAULT({})        ADJ_IN(i64) ADJ_WRITTEN_IF(advance_step)
                           ADJ_ON_DEVICE_IF(advance_step); /* read by stochastic_rounding, then >= 1 by value */
  adj_scalar seed          ADJ_DEFAULT({})        ADJ_IN(i64) ADJ_ONLY_IF(stochastic_rounding); /* on the device all 64 bits count; from 0 to 2^53 by value */
  adj_scalar grad_scale    ADJ_DEFAULT({1})       ADJ_IN(any_float); /* > 0 */
  adj_scalar gradient_norm ADJ_DEFAULT({})        ADJ_IN(any_float); /* >= 0 */
  adj_scalar update_signal ADJ_DEFAULT({1})       ADJ_IN(bool); /* 0 skips */
  adj_tensor found_inf     ADJ_DEFAULT({})        ADJ_IN([1], f32) ADJ_OPTIONAL;
  adj_tensor error_flag    ADJ_DEFAULT({})        ADJ_INOUT([1], i64) ADJ_OPTIONAL; /* 1 is added when gradient_norm is not finite */
} adj_lion_args;

/* AdamW with moments of 8 bits. With t the step, a = 1 - beta1^t, b = 1 - beta2^t, and the gradient
 *     g = grad / s,   s = max(grad_scale, gradient_norm / max_norm)
 *     m = beta1 * m + (1 - beta1) * g,   v = beta2 * v + (1 - beta2) * g * g
 *     w -= lr * ((m / a) / (sqrt(v / b) + epsilon) + weight_decay * w)
 * gradient_norm is as in adam. The weights follow from m and v before these are rounded.
 *
 * Moments are stored in blocks of 256 consecutive elements of a tensor, of which the last one may be short: a byte for each element and a
 * scale for each block, the largest magnitude in it. For the f32 number with the bits x << 20 written as F(x), a byte c is worth
 *     in exp_avg:    F(c & 127) * 2^112 * scale, negative where bit 7 is set:  4 bits of exponent, 3 of mantissa
 *     in exp_avg_sq: F(c) * 2^96 * scale:                                      5 bits of exponent, 3 of mantissa
 * so that the largest magnitude is stored as it is. The worth of a byte is rounded to f32. Training begins with zeros in all four lists. m is
 * rounded to the nearest byte, away from 0 between two; a negative m that is rounded to 0 has the byte 0x80, which is worth -0. v is rounded at
 * random, as weights are by stochastic rounding, with the bits that a weight draws: its decay of a thousandth at a step is less than half the distance of two
 * bytes, and would be lost. The smallest byte of v is 1, which keeps divisors above 0. A block without a magnitude of 2^-126 or more becomes
 * zero, with a scale and bytes of 0. A block with a magnitude that is not finite gets the scale NaN and bytes of 0: from the next step on all
 * its weights are NaN.
 *
 * An entry of the list that is a part of a tensor begins with a block, at a multiple of 256.
 *
 * Results are defined to the last bit, but for the payload of a NaN. Scalars are combined in f64 and rounded to f32, and in f32, fma rounding
 * once,
 *     g = grad / s,   m = fma(1 - beta1, g, beta1 * m),   v = fma((1 - beta2) * g, g, beta2 * v)
 *     w = w - fma(lr * weight_decay, w, (lr / a) * (m / fma(sqrt(v), 1 / sqrt(b), epsilon)))
 *     byte of m: |m| * (1 / scale) * 2^-112, rounded;  byte of v: |v| * (1 / scale) * 2^-96, rounded, from 1 to 248
 * with s = max(grad_scale, gradient_norm * (1 / max_norm)).
 *
 * A call skips when update_signal is 0, when found_inf is not 0, when gradient_norm is not finite, or when the step is below 1; the last
 * two are errors by value, and on the device are counted in error_flag. It then leaves everything as it is, but clears gradients all the
 * same. */
typedef struct adj_adamw_8bit_descriptor {
  adj_header header ADJ_DEFAULT(ADJ_HEADER_OF(adj_adamw_8bit_descriptor, ADJ_TAG_ADAMW_8BIT_DESCRIPTOR));
  int64_t count ADJ_DEFAULT(0);                                             /* number of tensors >= 0 */
  const int64_t* numel ADJ_DEFAULT(nullptr) ADJ_RANGE(0);                   /* host array of count element counts; copied by select */
  double beta1 ADJ_DEFAULT(0.9) ADJ_RANGE(0, below 1);
  double beta2 ADJ_DEFAULT(0.999) ADJ_RANGE(0, below 1);
  double epsilon ADJ_DEFAULT(1e-8) ADJ_RANGE(0);
  double weight_decay ADJ_DEFAULT(1e-2) ADJ_RANGE(finite);                  /* 0 = none */
  double max_norm ADJ_DEFAULT(1) ADJ_RANGE(above 0, infinity);              /* infinity clips nothing */
  int64_t tensor_key_count ADJ_DEFAULT(0);                                  /* count */
  const int64_t* tensor_keys ADJ_DEFAULT(nullptr) ADJ_RANGE(0, 4294967295); /* host array: a number for each tensor; equal keys draw equal bits */
  int64_t first_element_count ADJ_DEFAULT(0);                               /* count, or 0: every tensor is whole */
  const int64_t* first_elements ADJ_DEFAULT(nullptr);  /* host array: number of each entry's first element in its tensor, a multiple of 256 from 0; with its
                                                        * numel at most 2^59 */
  int32_t stochastic_rounding ADJ_DEFAULT(0) ADJ_FLAG
    ADJ_REFUSE(stochastic_rounding && (param == f32 || param == f64), "is for parameters of f16 or bf16"); /* 1: the new weights too; needs tensor_keys */
  int32_t advance_step ADJ_DEFAULT(0) ADJ_FLAG;                             /* 1: the device step is incremented afterwards */
  int32_t clear_grads ADJ_DEFAULT(0) ADJ_FLAG;                              /* 1: the gradients are zero afterwards */
  adj_dtype param ADJ_DEFAULT({});                                          /* f32, f16, bf16 */
  adj_dtype grad ADJ_DEFAULT({}) ADJ_ZERO_IS(param);                        /* f32, f16, bf16 */
  adj_dtype copy ADJ_DEFAULT({});                                           /* of a low-precision copy of the parameters: f16, bf16; 0 = none */
} adj_adamw_8bit_descriptor;

typedef struct adj_adamw_8bit_args {
  adj_header header ADJ_DEFAULT(ADJ_HEADER_OF(adj_adamw_8bit_args, ADJ_TAG_ADAMW_8BIT_ARGS));
  adj_tensor_list params           ADJ_DEFAULT({})        ADJ_INOUT([numel], param); /* parameters w */
  adj_tensor_list grads            ADJ_DEFAULT({})        ADJ_IN([numel], grad) ADJ_WRITTEN_IF(clear_grads);
  adj_tensor_list exp_avg          ADJ_DEFAULT({})        ADJ_INOUT([numel], u8); /* bytes of the first moment m */
  adj_tensor_list exp_avg_scale    ADJ_DEFAULT({})        ADJ_INOUT([ceil_div(numel, 256)], f32); /* scales of m */
  adj_tensor_list exp_avg_sq       ADJ_DEFAULT({})        ADJ_INOUT([numel], u8); /* bytes of the second moment v */
  adj_tensor_list exp_avg_sq_scale ADJ_DEFAULT({})        ADJ_INOUT([ceil_div(numel, 256)], f32); /* scales of v */
  adj_tensor_list copies           ADJ_DEFAULT({})        ADJ_INOUT([numel], copy) ADJ_ONLY_IF(copy);
  adj_scalar lr                    ADJ_DEFAULT({ADJ_NAN}) ADJ_IN(any_float); /* finite, not negative; must be given */
  adj_scalar step                  ADJ_DEFAULT({})        ADJ_IN(i64) ADJ_WRITTEN_IF(advance_step) ADJ_ON_DEVICE_IF(advance_step); /* >= 1 */
  adj_scalar seed                  ADJ_DEFAULT({})        ADJ_IN(i64); /* of the random bits: on the device all 64 bits count; from 0 to 2^53 by value */
  adj_scalar grad_scale            ADJ_DEFAULT({1})       ADJ_IN(any_float); /* > 0 */
  adj_scalar gradient_norm         ADJ_DEFAULT({})        ADJ_IN(any_float); /* >= 0 */
  adj_scalar update_signal         ADJ_DEFAULT({1})       ADJ_IN(bool); /* 0 skips */
  adj_tensor found_inf             ADJ_DEFAULT({})        ADJ_IN([1], f32) ADJ_OPTIONAL;
  adj_tensor error_flag            ADJ_DEFAULT({})        ADJ_INOUT([1], i64)
                                   ADJ_OPTIONAL; /* 1 is added when the device step is below 1 or gradient_norm is not finite */
} adj_adamw_8bit_args;

/* Scaling of gradients by their common L2 norm. With N the norm of all gradients divided by grad_scale:
 *     factor = min(1, max_norm / (N + epsilon)),   grad *= factor / grad_scale
 * Squares neither overflow nor vanish. Where N is not finite in the type of norm, the gradients stay as they are, factor is 1, and found_inf
 * becomes 1; else it becomes 0. An infinite max_norm clips nothing. An empty list has the norm 0.
 *
 * Error terms: every result has one term, its own magnitude. */
typedef struct adj_clip_grad_norm_descriptor {
  adj_header header ADJ_DEFAULT(ADJ_HEADER_OF(adj_clip_grad_norm_descriptor, ADJ_TAG_CLIP_GRAD_NORM_DESCRIPTOR));
  int64_t count ADJ_DEFAULT(0);                                /* number of tensors >= 0 */
  const int64_t* numel ADJ_DEFAULT(nullptr) ADJ_RANGE(0);      /* host array of count element counts; copied by select */
  double max_norm ADJ_DEFAULT(1) ADJ_RANGE(above 0, infinity); /* infinity clips nothing */
  double epsilon ADJ_DEFAULT(1e-6) ADJ_RANGE(0);
  int32_t norm_only ADJ_DEFAULT(0) ADJ_FLAG;                   /* 1: the gradients are not written */
  adj_dtype grad ADJ_DEFAULT({});                              /* f32, f64, f16, bf16 */
} adj_clip_grad_norm_descriptor;

typedef struct adj_clip_grad_norm_args {
  adj_header header ADJ_DEFAULT(ADJ_HEADER_OF(adj_clip_grad_norm_args, ADJ_TAG_CLIP_GRAD_NORM_ARGS));
  adj_tensor_list grads ADJ_DEFAULT({})  ADJ_IN([numel], grad) ADJ_WRITTEN_IF(!norm_only); /* gradients of the parameters */
  adj_scalar grad_scale ADJ_DEFAULT({1}) ADJ_IN(any_float); /* > 0 */
  adj_tensor norm       ADJ_DEFAULT({})  ADJ_OUT([1], accumulator(grad)) ADJ_OPTIONAL; /* N */
  adj_tensor factor     ADJ_DEFAULT({})  ADJ_OUT([1], accumulator(grad)) ADJ_OPTIONAL;
  adj_tensor found_inf  ADJ_DEFAULT({})  ADJ_OUT([1], f32) ADJ_OPTIONAL; /* 1 where N is not finite, else 0 */
} adj_clip_grad_norm_args;

/* SGD with momentum. g = grad / s + weight_decay * w, |s| = max(|grad_scale|, gradient_norm / max_norm), s with the sign of grad_scale:
 *     without momentum: update = -lr * g
 *     with momentum:    buf = momentum * buf + (1 - dampening) * g;  update = -lr * (nesterov ? g + momentum * buf : buf)
 *     w += update
 * Buffers start at zero, except that first_step makes buf = g (PyTorch's first step). gradient_norm is the norm of all gradients as they
 * are, still scaled; 0, its default, clips nothing.
 *
 * A call skips when update_signal is 0, when found_inf is not 0, or when gradient_norm is not finite; that is an error by value, and on
 * the device is counted in error_flag. It then does what a call of adam does that skips.
 *
 * Error terms: g: G = |grad / s| + |weight_decay * w|;  buf: B = |momentum * buf| + |1 - dampening| * G, or G with first_step;  update and w:
 * lr * G, lr * B with momentum, lr * (G + momentum * B) with nesterov. */
typedef struct adj_sgd_descriptor {
  adj_header header ADJ_DEFAULT(ADJ_HEADER_OF(adj_sgd_descriptor, ADJ_TAG_SGD_DESCRIPTOR));
  int64_t count ADJ_DEFAULT(0);                                                         /* number of tensors >= 0 */
  const int64_t* numel ADJ_DEFAULT(nullptr) ADJ_RANGE(0);                               /* host array of count element counts; copied by select */
  double momentum ADJ_DEFAULT(0) ADJ_RANGE(0, below 1) ADJ_REFUSE(momentum > 0 && !state, "needs state, the element type of the momentum buffers");
  double dampening ADJ_DEFAULT(0) ADJ_RANGE(finite);
  double weight_decay ADJ_DEFAULT(0) ADJ_RANGE(finite);                                 /* 0 = none */
  double max_norm ADJ_DEFAULT(1) ADJ_RANGE(above 0, infinity);                          /* infinity clips nothing */
  int32_t nesterov ADJ_DEFAULT(0) ADJ_FLAG ADJ_ONLY_IF(momentum > 0 && dampening == 0); /* 1: Nesterov's momentum */
  int32_t first_step ADJ_DEFAULT(0) ADJ_FLAG;                                           /* 1: the momentum buffers are written without being read */
  int32_t out_of_place ADJ_DEFAULT(0) ADJ_FLAG; /* 1: new weights and buffers go to new_params and new_momentum_buffers */
  int32_t updates ADJ_DEFAULT(0) ADJ_FLAG; /* 1: the updates go to the list of that name, rounded to the type of the gradients */
  int32_t keep_params ADJ_DEFAULT(0) ADJ_FLAG;                                          /* 1: weights are not written; without copies */
  int32_t clear_grads ADJ_DEFAULT(0) ADJ_FLAG;                                          /* 1: the gradients are zero afterwards; without updates */
  adj_dtype param ADJ_DEFAULT({});                                                      /* f32, f64, f16, bf16 */
  adj_dtype grad ADJ_DEFAULT({}) ADJ_ZERO_IS(param);                                    /* of the gradients */
  adj_dtype state ADJ_DEFAULT({}) ADJ_ONLY_IF(momentum);                                /* of the momentum buffers, given exactly where there are some */
  adj_dtype copy ADJ_DEFAULT({});                                                       /* of a low-precision copy of the parameters: f16, bf16; 0 = none */
} adj_sgd_descriptor;

typedef struct adj_sgd_args {
  adj_header header ADJ_DEFAULT(ADJ_HEADER_OF(adj_sgd_args, ADJ_TAG_SGD_ARGS));
  adj_tensor_list params               ADJ_DEFAULT({})        ADJ_IN([numel], param) ADJ_WRITTEN_IF(!out_of_place && !keep_params); /* parameters w */
  adj_tensor_list grads                ADJ_DEFAULT({})        ADJ_IN([numel], grad) ADJ_WRITTEN_IF(clear_grads);
  adj_tensor_list momentum_buffers     ADJ_DEFAULT({})        ADJ_IN([numel], state) ADJ_WRITTEN_IF(!out_of_place) ADJ_ONLY_IF(state);
  adj_tensor_list copies               ADJ_DEFAULT({})        ADJ_INOUT([numel], copy) ADJ_ONLY_IF(copy); /* a call that skips leaves it as it is */
  adj_tensor_list new_params           ADJ_DEFAULT({})        ADJ_OUT([numel], param) ADJ_ONLY_IF(out_of_place && !keep_params) ADJ_MAY_BE(params);
  adj_tensor_list new_momentum_buffers ADJ_DEFAULT({})        ADJ_OUT([numel], state) ADJ_ONLY_IF(out_of_place && state) ADJ_MAY_BE(momentum_buffers);
  adj_tensor_list updates              ADJ_DEFAULT({})        ADJ_OUT([numel], grad) ADJ_ONLY_IF(updates) ADJ_MAY_BE(grads);
  adj_scalar lr                        ADJ_DEFAULT({ADJ_NAN}) ADJ_IN(any_float); /* finite, not negative; must be given */
  adj_scalar grad_scale                ADJ_DEFAULT({1})       ADJ_IN(any_float); /* not 0 */
  adj_scalar gradient_norm             ADJ_DEFAULT({})        ADJ_IN(any_float); /* >= 0 */
  adj_scalar update_signal             ADJ_DEFAULT({1})       ADJ_IN(bool); /* 0 skips */
  adj_tensor found_inf                 ADJ_DEFAULT({})        ADJ_IN([1], f32) ADJ_OPTIONAL;
  adj_tensor error_flag                ADJ_DEFAULT({})        ADJ_INOUT([1], i64) ADJ_OPTIONAL; /* 1 is added when gradient_norm is not finite */
} adj_sgd_args;

#include <adjoint/ops/optimizer_init.h>

#endif
