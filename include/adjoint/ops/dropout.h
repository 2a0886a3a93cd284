/* Dropout, and softmax fused with it.
 *
 * ratio is the probability of dropping, in [0, 1]. Kept elements are multiplied by 1 / (1 - ratio). Dropped elements are exact zeros, whatever they
 * were.
 *
 * Random numbers. Philox4x32-10 with the key (low half of seed, high half of seed). Element e of a tensor, counted in row-major order, takes word
 * e mod 4 of the block whose counter is
 *     (b mod 2^32, b / 2^32, 0, 0),   b = (offset / 4 + e / 4) mod 2^64
 * It is kept when its word is less than floor((1 - ratio) * 2^32 + 0.5), computed in f64. So a ratio of 0 keeps everything. Which elements are kept
 * depends on seed, offset, ratio and e alone: not on the device, the address of a buffer, the element type or the kernel. A call consumes
 * 4 * ceil(elements / 4) words, whatever the ratio. The next call takes an offset that much larger. `words`, where given, gets that number.
 *
 * seed and offset. They are values, or lie on the device as two u64 {seed, offset} that are read in stream order.
 * - `random` has no default. A call that draws refuses an offset of 2^64 - 1, which stands for an argument that was not given.
 * - An offset must be a multiple of 4; the host refuses others. A CUDA device cannot: it uses offset - offset mod 4 of one in its memory.
 * - With advance_offset the last step of a call adds the words that it consumed to the offset on the device, as it is stored there. So a replayed
 *   graph draws new numbers. Keep a copy for a gradient that draws its mask again.
 *
 * The mapping of ONNX Runtime. All operators of this header can draw the numbers of ONNX Runtime's CUDA kernels instead, so that masks of models
 * trained there can be made again. These numbers depend on the device: multiprocessors and threads_per_multiprocessor are those of the device whose
 * masks are wanted (cudaDevAttrMultiProcessorCount and cudaDevAttrMaxThreadsPerMultiProcessor).
 *
 * dropout_forward and dropout_backward draw the numbers of Dropout and BitmaskDropout:
 *     G = min(multiprocessors * (threads_per_multiprocessor / 256), ceil(numel / 1024)),   S = 1024 G
 *     element e: word w mod 4 of the block with the counter (b mod 2^32, b / 2^32, t, 0)
 *     w = offset + 4 (e / S) + e mod 4,   b = (w mod 2^64) / 4,   t = (e mod S) / 4
 * An offset need not be a multiple of 4. The element is kept when, in f32,
 *     word * 2^-32 + 2^-33 < 1 - ratio,
 * and always at a ratio of 0. A call consumes 4 ceil(numel / S) words, whatever the ratio. ONNX Runtime's generator consumes none at a ratio of 0.
 *
 * bias_softmax_dropout_forward and softmax_dropout_backward draw the numbers of BiasSoftmaxDropout:
 *     Rows of more than 2048 columns: as above, e counted over all rows.
 *     Rows of at most 2048 columns: P = smallest power of two >= columns,   W = min(P, 32),   I = P / W,   B = P <= 128 ? 2 : 1
 *         V = 4 where columns is a multiple of 4, I >= 4 and `unaligned` is 0;  V = 1 otherwise
 *         element in column c of row r: word w of thread t
 *         w = offset + (r mod B) I + V floor(c / (V W)) + c mod V,   t = floor(r / B) W + floor(c / V) mod W
 *     A call with such rows consumes I B words.
 * V depends on the addresses of ONNX Runtime's buffers. `unaligned` says that one of input, bias, out, mask or softmax_out was not aligned to 4 of its
 * elements. At a ratio of 0 the comparison is made as at other ratios: it drops the 128 largest words.
 *
 * Masks.
 * - Bool: a byte for each element, 1 for kept. Bytes other than 0 count as 1.
 * - Bits: element e is bit e mod 32, counted from the least significant one, of the 32-bit word e / 32, 1 for kept. Bits behind the last element are
 *   written as 0 in training and as 1 otherwise, and are never read.
 * - None: nothing is stored. The gradient draws the same numbers again from the same seed and offset.
 *
 * Types. Everything is computed in f32 (f64 for f64) and rounded once.
 *
 * In place. Buffers must not overlap except where an argument says that it may be another one itself.
 *
 * Edge cases:
 * - A ratio on the device, of type f32 or f64, that is outside [0, 1] gives a factor of NaN. It keeps what a stored mask keeps, and everything without
 *   a stored mask.
 * - At a ratio of 1 every element is dropped, whatever a stored mask says.
 * - Nothing is done for tensors without elements, and no words are consumed.
 *
 * Terms (see adj_guarantee):
 *     dropout_forward, dropout_backward   none: the bounds are in ulp
 *     bias_softmax_dropout_forward        p (2 + t + mean of 1 + t over the row, weighted by p), t = |x - max of the row| + b, where x is the score
 *                                         plus its bias and b is |input| + |bias|, or 0 without a bias; for out times 1 / (1 - ratio)
 *     softmax_dropout_backward            max(|softmax_out|, 1e-30) (|a| + S), with a the gradient that dropout lets through and S the sum of
 *                                         |a softmax_out| over the row
 *
 * Source: ONNX Dropout (opset 13) in training mode; com.microsoft DropoutGrad, BitmaskDropoutGrad, BiasSoftmaxDropout and SoftmaxDropoutGrad. */
#ifndef ADJOINT_OPS_DROPOUT_H
#define ADJOINT_OPS_DROPOUT_H

#include "operator.h"

ADJ_OPERATOR(25, dropout_forward, DROPOUT_FORWARD, DropoutForward)
ADJ_OPERATOR(26, dropout_backward, DROPOUT_BACKWARD, DropoutBackward)
ADJ_OPERATOR(27, bias_softmax_dropout_forward, BIAS_SOFTMAX_DROPOUT_FORWARD, BiasSoftmaxDropoutForward)
ADJ_OPERATOR(28, softmax_dropout_backward, SOFTMAX_DROPOUT_BACKWARD, SoftmaxDropoutBackward)

ADJ_GRADIENT(dropout_forward, dropout_backward, dout, mask, ratio, random ? !mask, mapping ? !mask, multiprocessors ? !mask, threads_per_multiprocessor ? !mask)

ADJ_LET(mask_type, mask == bits ? u32 : bool)
ADJ_LET(mask_shape, mask == bits ? [ceil_div(numel, 32)] : [numel])
ADJ_LET(rows_mask_shape, mask == bits ? [ceil_div(rows * columns, 32)] : [rows, columns])

ADJ_ENUM(adj_dropout_mask) {
  ADJ_DROPOUT_MASK_DEFAULT = 0, /* bool */
  ADJ_DROPOUT_MASK_BOOL = 1,    /* a byte for each element */
  ADJ_DROPOUT_MASK_BITS = 2,    /* a bit for each element, in 32-bit words */
  ADJ_DROPOUT_MASK_NONE = 3     /* drawn again by the gradient */
};

ADJ_ENUM(adj_dropout_mapping) {
  ADJ_DROPOUT_MAPPING_DEFAULT = 0,     /* by element, whatever the device */
  ADJ_DROPOUT_MAPPING_ONNX_RUNTIME = 1 /* that of ONNX Runtime on a device with given numbers of multiprocessors and threads */
};

/* Dropout:
 *     training:  out[e] = kept(e) ? input[e] / (1 - ratio) : 0
 *     otherwise: out[e] = input[e], masks of ones, no words consumed; ratio and random are not read */
typedef struct adj_dropout_forward_descriptor {
  adj_header header ADJ_DEFAULT(ADJ_HEADER_OF(adj_dropout_forward_descriptor, ADJ_TAG_DROPOUT_FORWARD_DESCRIPTOR));
  int64_t numel ADJ_DEFAULT(-1) ADJ_FOLDS ADJ_RANGE(0);                 /* elements */
  adj_dropout_mask mask ADJ_DEFAULT({});                                /* how the mask is stored */
  int32_t training ADJ_DEFAULT(1) ADJ_FLAG;                             /* 0: the identity */
  int32_t advance_offset ADJ_DEFAULT(0) ADJ_FLAG ADJ_ONLY_IF(training); /* 1: the offset on the device is advanced */
  adj_dropout_mapping mapping ADJ_DEFAULT({});                          /* of random numbers to elements */
  int32_t multiprocessors ADJ_DEFAULT(0);                               /* >= 1 with the mapping of ONNX Runtime, else 0 */
  int32_t threads_per_multiprocessor ADJ_DEFAULT(0);                    /* >= 256 with the mapping of ONNX Runtime, else 0 */
  adj_dtype element ADJ_DEFAULT({});                                    /* f32, f64, f16, bf16 */
  uint32_t reserved ADJ_DEFAULT(0);
} adj_dropout_forward_descriptor;

typedef struct adj_dropout_forward_args {
  adj_header header ADJ_DEFAULT(ADJ_HEADER_OF(adj_dropout_forward_args, ADJ_TAG_DROPOUT_FORWARD_ARGS));
  adj_tensor input  ADJ_DEFAULT({})   ADJ_IN([numel], element);
  adj_scalar ratio  ADJ_DEFAULT({-1}) ADJ_IN(f32, f64) ADJ_OPTIONAL_IF(!training); /* in [0, 1]; must be given in training */
  adj_random random ADJ_DEFAULT({0, UINT64_MAX}) ADJ_IN() ADJ_WRITTEN_IF(advance_offset) ADJ_OPTIONAL_IF(!training)
                    ADJ_ON_DEVICE_IF(advance_offset); /* seed and offset, must be given in training */
  adj_tensor out    ADJ_DEFAULT({})   ADJ_OUT([numel], element) ADJ_MAY_BE(input);
  adj_tensor mask   ADJ_DEFAULT({})   ADJ_OUT(mask_shape, mask_type) ADJ_ONLY_IF(mask != none);
  adj_tensor words  ADJ_DEFAULT({})   ADJ_OUT([1], i64) ADJ_OPTIONAL ADJ_HOST; /* words consumed */
} adj_dropout_forward_args;

/* Dropout, gradient:
 *     training:  dinput[e] = kept(e) ? dout[e] / (1 - ratio) : 0; at a ratio of 0 dout[e], and the mask is not read
 *     otherwise: dinput[e] = dout[e]; ratio, random and mask are not read
 * kept(e) comes from the mask, or, without one, from the seed and the offset of the forward call. */
typedef struct adj_dropout_backward_descriptor {
  adj_header header ADJ_DEFAULT(ADJ_HEADER_OF(adj_dropout_backward_descriptor, ADJ_TAG_DROPOUT_BACKWARD_DESCRIPTOR));
  int64_t numel ADJ_DEFAULT(-1) ADJ_FOLDS ADJ_RANGE(0); /* elements */
  adj_dropout_mask mask ADJ_DEFAULT({});                /* how the mask is stored */
  int32_t training ADJ_DEFAULT(1) ADJ_FLAG;             /* 0: the gradient of the identity */
  adj_dropout_mapping mapping ADJ_DEFAULT({})
    ADJ_REFUSE(mapping == onnx_runtime && mask != none, "needs no mask: a stored mask is not drawn"); /* of random numbers to elements */
  int32_t multiprocessors ADJ_DEFAULT(0);               /* >= 1 with the mapping of ONNX Runtime, else 0 */
  int32_t threads_per_multiprocessor ADJ_DEFAULT(0);    /* >= 256 with the mapping of ONNX Runtime, else 0 */
  adj_dtype element ADJ_DEFAULT({});                    /* f32, f64, f16, bf16 */
} adj_dropout_backward_descriptor;

typedef struct adj_dropout_backward_args {
  adj_header header ADJ_DEFAULT(ADJ_HEADER_OF(adj_dropout_backward_args, ADJ_TAG_DROPOUT_BACKWARD_ARGS));
  adj_tensor dout   ADJ_DEFAULT({})   ADJ_IN([numel], element);
  adj_tensor mask   ADJ_DEFAULT({})   ADJ_IN(mask_shape, mask_type) ADJ_ONLY_IF(mask != none) ADJ_OPTIONAL_IF(!training);
  adj_scalar ratio  ADJ_DEFAULT({-1}) ADJ_IN(f32, f64) ADJ_OPTIONAL_IF(!training); /* in [0, 1]; must be given in training */
  adj_random random ADJ_DEFAULT({0, UINT64_MAX}) ADJ_IN() ADJ_ONLY_IF(mask == none) ADJ_OPTIONAL_IF(!training); /* that of the forward call */
  adj_tensor dinput ADJ_DEFAULT({})   ADJ_OUT([numel], element) ADJ_MAY_BE(dout);
} adj_dropout_backward_args;

/* Softmax of rows with a bias, then dropout, always in training mode:
 *     p[r, :] = softmax(input[r, :] + bias[b(r), :])
 *     softmax_out = p,   out[r, c] = kept(r * columns + c) ? p[r, c] / (1 - ratio) : 0
 *     b(r) = r / (rows / bias_rows) with inner_broadcast, else r mod bias_rows; no bias with bias_rows = 0
 * Sums and dropout take unrounded numbers.
 *
 * Edge cases:
 * - A row whose scores are all -infinity is NaN, or zeros with zero_masked_rows.
 * - A NaN or an infinity affects its own row only. */
typedef struct adj_bias_softmax_dropout_forward_descriptor {
  adj_header header ADJ_DEFAULT(ADJ_HEADER_OF(adj_bias_softmax_dropout_forward_descriptor, ADJ_TAG_BIAS_SOFTMAX_DROPOUT_FORWARD_DESCRIPTOR));
  int64_t rows ADJ_DEFAULT(-1) ADJ_REST ADJ_RANGE(0);
  int64_t columns ADJ_DEFAULT(-1) ADJ_RANGE(0);
  int64_t bias_rows ADJ_DEFAULT(0) ADJ_FOLDS ADJ_RANGE(0)
    ADJ_REFUSE(bias_rows && (rows % bias_rows != 0 || rows == 0 && bias_rows > 1), "does not divide rows"); /* 0: no bias */
  adj_dropout_mask mask ADJ_DEFAULT({});                                  /* how the mask is stored */
  int32_t inner_broadcast ADJ_DEFAULT(0) ADJ_FLAG ADJ_ONLY_IF(bias_rows); /* 1: consecutive rows share a row of the bias */
  int32_t zero_masked_rows ADJ_DEFAULT(0) ADJ_FLAG;                       /* 1: rows of -infinity become zeros */
  int32_t advance_offset ADJ_DEFAULT(0) ADJ_FLAG;                         /* 1: the offset on the device is advanced */
  adj_dropout_mapping mapping ADJ_DEFAULT({});                            /* of random numbers to elements */
  int32_t multiprocessors ADJ_DEFAULT(0); /* with the mapping of ONNX Runtime: >= 1 for more than 2048 columns, may be 0 for fewer */
  int32_t threads_per_multiprocessor ADJ_DEFAULT(0); /* with the mapping of ONNX Runtime: >= 256 for more than 2048 columns, may be 0 for fewer */
  int32_t unaligned ADJ_DEFAULT(0) ADJ_FLAG; /* 1: with the mapping of ONNX Runtime, a buffer there was not aligned to 4 elements */
  adj_dtype element ADJ_DEFAULT({});                                      /* f32, f64, f16, bf16 */
  uint32_t reserved ADJ_DEFAULT(0);
} adj_bias_softmax_dropout_forward_descriptor;

typedef struct adj_bias_softmax_dropout_forward_args {
  adj_header header ADJ_DEFAULT(ADJ_HEADER_OF(adj_bias_softmax_dropout_forward_args, ADJ_TAG_BIAS_SOFTMAX_DROPOUT_FORWARD_ARGS));
  adj_tensor input       ADJ_DEFAULT({})   ADJ_IN([rows, columns], element);
  adj_tensor bias        ADJ_DEFAULT({})   ADJ_IN([bias_rows, columns], element) ADJ_ONLY_IF(bias_rows > 0);
  adj_scalar ratio       ADJ_DEFAULT({-1}) ADJ_IN(f32, f64); /* in [0, 1]; must be given */
  adj_random random      ADJ_DEFAULT({0, UINT64_MAX}) ADJ_IN() ADJ_WRITTEN_IF(advance_offset)
                         ADJ_ON_DEVICE_IF(advance_offset); /* seed and offset, must be given */
  adj_tensor out         ADJ_DEFAULT({})   ADJ_OUT([rows, columns], element) ADJ_MAY_BE(input);
  adj_tensor mask        ADJ_DEFAULT({})   ADJ_OUT(rows_mask_shape, mask_type) ADJ_ONLY_IF(mask != none);
  adj_tensor softmax_out ADJ_DEFAULT({})   ADJ_OUT([rows, columns], element) ADJ_OPTIONAL ADJ_MAY_BE(input); /* p, for the gradient */
  adj_tensor words       ADJ_DEFAULT({})   ADJ_OUT([1], i64) ADJ_OPTIONAL ADJ_HOST; /* words consumed */
} adj_bias_softmax_dropout_forward_args;

/* Softmax and dropout, gradient with respect to the input (that of the bias is its sum over the rows that share one):
 *     a[r, c] = kept(r * columns + c) ? dout[r, c] / (1 - ratio) : 0
 *     dinput[r, c] = softmax_out[r, c] * (a[r, c] - sum over k of a[r, k] * softmax_out[r, k])
 * kept(e) comes from the mask, or, without one, from the seed and the offset of the forward call. */
typedef struct adj_softmax_dropout_backward_descriptor {
  adj_header header ADJ_DEFAULT(ADJ_HEADER_OF(adj_softmax_dropout_backward_descriptor, ADJ_TAG_SOFTMAX_DROPOUT_BACKWARD_DESCRIPTOR));
  int64_t rows ADJ_DEFAULT(-1) ADJ_REST ADJ_RANGE(0);
  int64_t columns ADJ_DEFAULT(-1) ADJ_RANGE(0);
  adj_dropout_mask mask ADJ_DEFAULT({});             /* how the mask is stored */
  adj_dropout_mapping mapping ADJ_DEFAULT({})
    ADJ_REFUSE(mapping == onnx_runtime && mask != none, "needs no mask: a stored mask is not drawn"); /* of random numbers to elements */
  int32_t multiprocessors ADJ_DEFAULT(0);            /* with the mapping of ONNX Runtime: >= 1 for more than 2048 columns, may be 0 for fewer */
  int32_t threads_per_multiprocessor ADJ_DEFAULT(0); /* with the mapping of ONNX Runtime: >= 256 for more than 2048 columns, may be 0 for fewer */
  int32_t unaligned ADJ_DEFAULT(0) ADJ_FLAG;         /* as in the forward call */
  adj_dtype element ADJ_DEFAULT({});                 /* f32, f64, f16, bf16 */
} adj_softmax_dropout_backward_descriptor;

typedef struct adj_softmax_dropout_backward_args {
  adj_header header ADJ_DEFAULT(ADJ_HEADER_OF(adj_softmax_dropout_backward_args, ADJ_TAG_SOFTMAX_DROPOUT_BACKWARD_ARGS));
  adj_tensor dout        ADJ_DEFAULT({})   ADJ_IN([rows, columns], element);
  adj_tensor mask        ADJ_DEFAULT({})   ADJ_IN(rows_mask_shape, mask_type) ADJ_ONLY_IF(mask != none);
  adj_tensor softmax_out ADJ_DEFAULT({})   ADJ_IN([rows, columns], element); /* the softmax before dropout */
  adj_scalar ratio       ADJ_DEFAULT({-1}) ADJ_IN(f32, f64); /* in [0, 1]; must be given */
  adj_random random      ADJ_DEFAULT({0, UINT64_MAX}) ADJ_IN() ADJ_ONLY_IF(mask == none); /* that of the forward call */
  adj_tensor dinput      ADJ_DEFAULT({})   ADJ_OUT([rows, columns], element) ADJ_MAY_BE(dout, softmax_out);
} adj_softmax_dropout_backward_args;

#include <adjoint/ops/dropout_init.h>

#endif
