/* Matrix product with scaling, bias, activation and the gradients of both.
 *
 * Arguments. All matrices are row-major. With op(X) = X or, where its transpose flag is set, the transpose of X,
 *     op(A) is m x k, op(B) is k x n, D is m x n, for each of `batch` independent products
 * As stored, A is [m, k] (transpose_a: [k, m]) and B is [k, n] (transpose_b: [n, k]). Row r, column c of matrix i is element
 *     i * stride + r * ld + c
 * of its buffer. ld 0 stands for the number of columns, stride 0 for rows * ld. A buffer needs all elements from its first to its last one. Elements
 * between rows and between matrices are neither read nor written. A buffer without such gaps has the shape [batch * rows, columns], any other the
 * shape [elements].
 *
 * A step of y = x W^T + b with x [rows, in], W [out, in] takes three products:
 *     forward          m = rows, n = out, k = in, a = x, b = W, transpose_b, has_bias
 *     dx = dy W        m = rows, n = in, k = out, a = dy, b = W
 *     dW += dy^T x     m = out, n = in, k = rows, a = dy, b = x, transpose_a, out = f32, accumulate; with has_dbias db += sums of the columns of dy
 *
 * Types. Products are added in f32 (f64 for f64), and each output is rounded once. The epilogue works on the sum before it is rounded. The f32 operands
 * of products are rounded to TF32 only where the preference's math is ADJ_MATH_FAST. ADJ_MATH_IEEE leaves gelu_tanh and its gradient to the host. With
 * f16 and bf16 cuBLASLt may approximate gelu_tanh, and round a sum before c, a bias or an output is added; the bounds of its kernels have room for that.
 *
 * In place. Inputs may overlap. An output overlaps no other buffer, except that d may be c itself.
 *
 * Edge cases:
 * - k = 0: the product is 0, so d is what c, bias and epilogue make of it. The sums of dbias are 0.
 * - m, n or batch is 0: d has no elements. dbias is written all the same.
 * - A NaN or an infinity acts on d as in IEEE arithmetic, with exact slopes. With gelu_tanh_backward cuBLASLt may make NaN of an infinite z or saved.
 *
 * Kernels. A plan that calls cuBLASLt needs every tensor at a multiple of 16 bytes: run, bind and can_implement refuse others with
 * ADJ_ERROR_MISALIGNED. select prefers cuBLASLt where it can be loaded and takes the problem. With preference.backend = ADJ_BACKEND_BESPOKE any
 * address of an element will do.
 *
 * Terms (see adj_guarantee): the magnitudes of the scaled products, of beta * c, of the bias and of what an accumulating call adds to. With gelu_tanh
 * and gelu_tanh_backward they count 1.13 times; those of preactivation count once. The terms of dbias are the magnitudes of what it adds.
 *
 * Source: PyTorch's matmul, addmm, baddbmm and linear; ONNX's Gemm and MatMul; cuBLASLt's epilogues. */
#ifndef ADJOINT_OPS_MATMUL_H
#define ADJOINT_OPS_MATMUL_H

#include "operator.h"

ADJ_OPERATOR(88, matmul, MATMUL, Matmul)
ADJ_OPERATOR(134, scaled_matmul, SCALED_MATMUL, ScaledMatmul)

/* Shapes of the scales of a [m, k] and b [n, k]. */
ADJ_LET(groups_of_a, scale_layout == gemm ? [ceil_div(k, 128), ceil_div(m, 4) * 4] : [m, ceil_div(k, 128)])
ADJ_LET(blocks_of_a, scale_layout == gemm ? [ceil_div(m, 128), ceil_div(ceil_div(k, 128), 4) * 4] : [ceil_div(m, 128), ceil_div(k, 128)])
ADJ_LET(scales_of_a, granularity_a == row ? [m] : granularity_a == block_1x128 ? groups_of_a : granularity_a == block_128x128 ? blocks_of_a : [1])
ADJ_LET(groups_of_b, scale_layout == gemm ? [ceil_div(k, 128), ceil_div(n, 4) * 4] : [n, ceil_div(k, 128)])
ADJ_LET(blocks_of_b, scale_layout == gemm ? [ceil_div(n, 128), ceil_div(ceil_div(k, 128), 4) * 4] : [ceil_div(n, 128), ceil_div(k, 128)])
ADJ_LET(scales_of_b, granularity_b == row ? [n] : granularity_b == block_1x128 ? groups_of_b : granularity_b == block_128x128 ? blocks_of_b : [1])

ADJ_ENUM(adj_matmul_epilogue) {
  ADJ_MATMUL_EPILOGUE_DEFAULT = 0,           /* none */
  ADJ_MATMUL_EPILOGUE_NONE = 1,              /* d = z */
  ADJ_MATMUL_EPILOGUE_GELU_TANH = 2,         /* d = gelu_tanh(z) (adj_activation) */
  ADJ_MATMUL_EPILOGUE_GELU_TANH_BACKWARD = 3 /* d = z * gelu_tanh'(saved) */
};

/* Matrix product:
 *     z = alpha op(A) op(B) + beta C + bias, the bias added to every row
 *     d (=|+=) epilogue(z)
 *     dbias[i] (=|+=) sum over k of op(A)[i, k]
 * c, saved and preactivation are laid out like d. dbias, which alpha does not scale, is the gradient of a bias where A is the gradient of a result. */
typedef struct adj_matmul_descriptor {
  adj_header header ADJ_DEFAULT(ADJ_HEADER_OF(adj_matmul_descriptor, ADJ_TAG_MATMUL_DESCRIPTOR));
  int64_t m ADJ_DEFAULT(-1) ADJ_FOLDS_IF(batch == 1) ADJ_RANGE(0);
  int64_t n ADJ_DEFAULT(-1) ADJ_RANGE(0);
  int64_t k ADJ_DEFAULT(-1) ADJ_RANGE(0);
  int64_t batch ADJ_DEFAULT(1) ADJ_REST ADJ_RANGE(0);
  int64_t lda ADJ_DEFAULT(0) ADJ_RANGE(0);                                              /* 0, or at least the columns of A as stored */
  int64_t ldb ADJ_DEFAULT(0) ADJ_RANGE(0);                                              /* 0, or at least the columns of B as stored */
  int64_t ldd ADJ_DEFAULT(0) ADJ_RANGE(0);                                              /* 0, or at least n */
  int64_t stride_a ADJ_DEFAULT(0) ADJ_RANGE(0);                                         /* elements between matrices of A; matrices may overlap */
  int64_t stride_b ADJ_DEFAULT(0) ADJ_RANGE(0);                                         /* elements between matrices of B; matrices may overlap */
  int64_t stride_d ADJ_DEFAULT(0) ADJ_RANGE(0);       /* elements between matrices of D, which do not overlap: they follow each other, or each row of
                                                       * one lies beside that of the one before */
  double alpha ADJ_DEFAULT(1.0) ADJ_RANGE(finite);                                      /* not 0 in the type of the arithmetic */
  double beta ADJ_DEFAULT(0.0) ADJ_RANGE(finite)
    ADJ_REFUSE(beta != 0 && (epilogue == gelu_tanh || epilogue == gelu_tanh_backward), "is set, but the epilogue takes no c")
    ADJ_REFUSE(beta != 0 && write_mode == accumulate, "does not go with accumulate"); /* not 0: c is given */
  int32_t transpose_a ADJ_DEFAULT(0) ADJ_FLAG;                                          /* 1: A is stored as [k, m] */
  int32_t transpose_b ADJ_DEFAULT(0) ADJ_FLAG;                                          /* 1: B is stored as [n, k] */
  adj_matmul_epilogue epilogue ADJ_DEFAULT({});
  int32_t has_bias ADJ_DEFAULT(0) ADJ_FLAG ADJ_REFUSE(has_bias && epilogue == gelu_tanh_backward, "does not go with the epilogue gelu_tanh_backward")
    ADJ_REFUSE(has_bias && write_mode == accumulate, "does not go with accumulate"); /* 1: bias is given */
  int32_t has_preactivation ADJ_DEFAULT(0) ADJ_FLAG ADJ_ONLY_IF(epilogue == gelu_tanh); /* 1: z is written to preactivation */
  int32_t has_dbias ADJ_DEFAULT(0) ADJ_FLAG ADJ_ONLY_IF(transpose_a && batch == 1);     /* 1: dbias is written */
  adj_write_mode write_mode ADJ_DEFAULT({})
    ADJ_REFUSE(write_mode == accumulate && (epilogue == gelu_tanh || epilogue == gelu_tanh_backward), "(accumulate) needs the epilogue none"); /* of d, dbias */
  adj_dtype element ADJ_DEFAULT({});                                                    /* f32, f64, f16, bf16 */
  adj_dtype out ADJ_DEFAULT({}) ADJ_ZERO_IS(element) ADJ_TYPES(element, accumulator(element));
  uint32_t reserved ADJ_DEFAULT(0);
} adj_matmul_descriptor;

typedef struct adj_matmul_args {
  adj_header header ADJ_DEFAULT(ADJ_HEADER_OF(adj_matmul_args, ADJ_TAG_MATMUL_ARGS));
  adj_tensor a             ADJ_DEFAULT({}) ADJ_IN(transpose_a ? [batch, k, m] : [batch, m, k], element); /* A as stored */
  adj_tensor b             ADJ_DEFAULT({}) ADJ_IN(transpose_b ? [batch, n, k] : [batch, k, n], element); /* B as stored */
  adj_tensor bias          ADJ_DEFAULT({}) ADJ_IN([n], out) ADJ_ONLY_IF(has_bias);
  adj_tensor c             ADJ_DEFAULT({}) ADJ_IN([batch, m, n], out) ADJ_ONLY_IF(beta != 0); /* laid out like d */
  adj_tensor saved         ADJ_DEFAULT({}) ADJ_IN([batch, m, n], out)
                           ADJ_ONLY_IF(epilogue == gelu_tanh_backward); /* laid out like d: what the forward product wrote to preactivation */
  adj_tensor d             ADJ_DEFAULT({}) ADJ_OUT([batch, m, n], out) ADJ_READ_IF(write_mode == accumulate)
                           ADJ_MAY_BE(c); /* D; what lies between its rows is kept */
  adj_tensor preactivation ADJ_DEFAULT({}) ADJ_OUT([batch, m, n], out) ADJ_ONLY_IF(has_preactivation)
                           ADJ_READ_IF(ldd > n || stride_d > m * n); /* laid out like d; what lies between its rows is kept */
  adj_tensor dbias         ADJ_DEFAULT({}) ADJ_OUT([m], out) ADJ_ONLY_IF(has_dbias) ADJ_READ_IF(write_mode == accumulate);
} adj_matmul_args;

/* Product of matrices of f8 codes, both along k, with the inverse scales r of adj_quantize:
 *     d[i, j] (=|+=) alpha * sum over k of (r_a[i, k] a[i, k]) (r_b[j, k] b[j, k]) + bias[j]
 * r_x[i, k] is the scale of the element's group. The training step of y = x W^T with x [rows, in], W [out, in] takes codes and transposed codes:
 *     forward          m = rows, n = out, k = in,  a = codes of x, b = codes of W
 *     dx = dy W        m = rows, n = in, k = out,  a = codes of dy, b = codes_t of W
 *     dW += dy^T x     m = out, n = in, k = rows,  a = codes_t of dy, b = codes_t of x, out = f32, accumulate
 *
 * Types. Products of codes are exact. Sums of 128 neighbours of k, or of 32 tensor core instructions with fast_accumulation, may be formed with fewer bits than
 * f32 has (the bounds say which), longer ones are f32. d is rounded once.
 *
 * Edge cases:
 * - k = 0: the sum is 0. m or n is 0: nothing is done.
 * - NaN and infinities act as in IEEE arithmetic. A kernel may scale sums in place of terms, which differs where a scale is 0, an infinity or NaN.
 *
 * Backends. cuBLASLt takes k in multiples of 16, rows of d of whole multiples of 16 bytes, scales of rows and blocks on sm_90, those of blocks in
 * scale_layout gemm, and no f32 bias. Our kernel takes every problem from sm_89 on.
 *
 * Terms: the magnitudes of the scaled products, of the bias and of what an accumulating call adds to.
 *
 * Source: PyTorch's scaled_mm. */
typedef struct adj_scaled_matmul_descriptor {
  adj_header header ADJ_DEFAULT(ADJ_HEADER_OF(adj_scaled_matmul_descriptor, ADJ_TAG_SCALED_MATMUL_DESCRIPTOR));
  int64_t m ADJ_DEFAULT(-1) ADJ_FOLDS ADJ_RANGE(0, 2251799813685248);
  int64_t n ADJ_DEFAULT(-1) ADJ_RANGE(0, 2251799813685248);
  int64_t k ADJ_DEFAULT(-1) ADJ_RANGE(0, 2251799813685248);
  double alpha ADJ_DEFAULT(1.0) ADJ_RANGE(finite);     /* not 0 in f32 */
  adj_scale_granularity granularity_a ADJ_DEFAULT({}); /* both tensor, both row, or both blocks; not block_128x128 twice */
  adj_scale_granularity granularity_b ADJ_DEFAULT({})
    ADJ_REFUSE((granularity_a == row) != (granularity_b == row), "does not go with granularity_a: both are tensor, row or blocks")
    ADJ_REFUSE((granularity_a == block_1x128 || granularity_a == block_128x128) != (granularity_b == block_1x128 || granularity_b == block_128x128),
               "does not go with granularity_a: both are tensor, row or blocks")
    ADJ_REFUSE(granularity_a == block_128x128 && granularity_b == block_128x128, "is block_128x128 twice; one of them is block_1x128");
  adj_scale_layout scale_layout ADJ_DEFAULT({});       /* of both */
  int32_t fast_accumulation ADJ_DEFAULT(0) ADJ_FLAG;   /* 1: sums along all of k may stay in the tensor cores */
  int32_t has_bias ADJ_DEFAULT(0) ADJ_FLAG ADJ_REFUSE(has_bias && write_mode == accumulate, "does not go with accumulate"); /* 1: bias is given */
  adj_write_mode write_mode ADJ_DEFAULT({});           /* of d: overwrite, accumulate */
  adj_dtype code_a ADJ_DEFAULT({});                    /* f8_e4m3, f8_e5m2 */
  adj_dtype code_b ADJ_DEFAULT({})
    ADJ_REFUSE(code_a == f8_e5m2 && code_b == f8_e5m2, "is the type of code_a too; one of them is f8_e4m3"); /* f8_e4m3, f8_e5m2 */
  adj_dtype out ADJ_DEFAULT({});                       /* of d: bf16, f16, f32 */
  uint32_t reserved ADJ_DEFAULT(0);
} adj_scaled_matmul_descriptor;

typedef struct adj_scaled_matmul_args {
  adj_header header ADJ_DEFAULT(ADJ_HEADER_OF(adj_scaled_matmul_args, ADJ_TAG_SCALED_MATMUL_ARGS));
  adj_tensor a       ADJ_DEFAULT({}) ADJ_IN([m, k], code_a);
  adj_tensor b       ADJ_DEFAULT({}) ADJ_IN([n, k], code_b);
  adj_tensor scale_a ADJ_DEFAULT({}) ADJ_IN(scales_of_a, f32); /* r of a */
  adj_tensor scale_b ADJ_DEFAULT({}) ADJ_IN(scales_of_b, f32); /* r of b */
  adj_tensor bias    ADJ_DEFAULT({}) ADJ_IN([n], out) ADJ_ONLY_IF(has_bias);
  adj_tensor d       ADJ_DEFAULT({}) ADJ_OUT([m, n], out) ADJ_READ_IF(write_mode == accumulate);
} adj_scaled_matmul_args;

#include <adjoint/ops/matmul_init.h>

#endif
