/* Scaled dot-product attention and its gradients.
 *
 *     s[i, j] = scale * sum over d of q[i, d] * k[j, d]           for the keys j that query i meets
 *     lse[i]  = log(sum over j of exp(s[i, j]))
 *     out[i, d] = sum over j of exp(s[i, j] - lse[i]) * v[j, d]
 *
 * for every sequence and head. Head h meets head h / (heads / kv_heads) of k and v. Query i meets key j of its own sequence when
 *     j <= i with causal,   and   j >= i - window where window is not -1;
 * positions count from the beginning of the sequence.
 *
 * Sequences. There are `batch` of them with `tokens` tokens each. With has_lengths all sequences together have `tokens` tokens, one after another
 * in one dimension: sequence b has the tokens [cu_seqlens[b], cu_seqlens[b + 1]). cu_seqlens must begin with 0 and ascend up to at most `tokens`.
 * The host refuses other values with ADJ_ERROR_INVALID_VALUE. On a device the results are then unspecified, and nothing outside of the tensors is
 * read or written. Tokens behind the last sequence meet no key.
 *
 * Strides. An element of q, k, v, out, or of a gradient of these, is at
 *     b * strides[0] + t * strides[1] + h * strides[2] + d
 * where b is 0 with has_lengths.
 * - No strides mean a packed tensor [batch, tokens, heads, head_dim], with kv_heads for k and v.
 * - A stride of 0 in a list has its packed value: head_dim for heads, the heads times head_dim for tokens, `tokens` times the stride of tokens for
 *   sequences. The first one must be 0 with has_lengths.
 * - No two elements may share a place: of the dimensions with more than one entry, ordered by stride, each stride is at least the span of those below
 *   it.
 * - A tensor with strides is stated as a buffer of as many elements as it spans, from its first element to its last. Bytes between its elements are
 *   neither read nor written.
 * So q, k and v may be parts of one buffer [batch, tokens, (heads + 2 kv_heads) head_dim], or [batch, tokens, 3, heads, head_dim], and likewise dq,
 * dk and dv.
 *
 * Types. Products are added in f32 (f64 for f64). Kernels of 16-bit types round the weights exp(s - lse), and the gradients of s, to the element type
 * before they multiply them. Everything else is rounded once.
 *
 * In place. Two tensors may lie in one buffer where neither has an element in the place of the other and both repeat at the same pitch, as the parts
 * of a packed tensor do. Otherwise no buffers overlap.
 *
 * Edge cases:
 * - Nothing is done when batch or tokens is 0.
 * - A query that meets no key has out = 0, lse = -infinity and dq = 0.
 * - A NaN or an infinity in q, out, dout or lse affects elements of its own sequence and its own head only (dk and dv: of the head of k and v).
 * - A NaN or an infinity in k or v affects the heads that meet it. An infinity beside a weight that rounds to 0 gives NaN.
 * - Elements that meet a NaN or an infinity only where the mask forbids it are unspecified.
 *
 * Terms (see adj_guarantee), with w[i, j] = exp(s[i, j] - lse[i]), a[i, j] = |scale| times the sum of |q[i, d] k[j, d]|, and A[i] the mean
 * of a[i, j] weighted by w[i, j]:
 *     out: sum over j of w (1 + a + A) |v|           lse: 1 + |lse| + A
 *     dv:  sum over i of w (1 + a + |lse|) |dout|
 *     dq:  |scale| times the sum over j of w (1 + a + |lse|) (sum of |dout v| + sum of |dout out|) |k|;  dk: the same, with |q|, over i
 * Small numbers have fewer bits, or are 0. So w (1 + a + ...) counts as L at least, a factor of |scale k| or |scale q| as M, and a summand as N, times |scale|
 * in dq and dk. f64: L = M = N = 2^-1034. f32: L = 2^-137, M = N = 2^-138. bf16: L = 2^-118, M = 2^-126, N = 0. f16: M = 2^-14, N = 0; L is 0 in dq and dk,
 * 2^-29 in out and dv, and there 2^-14 with cuDNN, which does not multiply the weights by 2^15 before it rounds them to f16.
 *
 * Source: PyTorch's nn.functional.scaled_dot_product_attention; ONNX's Attention; the masks of a sliding window are those of FlashAttention. */
#ifndef ADJOINT_OPS_ATTENTION_H
#define ADJOINT_OPS_ATTENTION_H

#include "operator.h"

ADJ_OPERATOR(89, attention_forward, ATTENTION_FORWARD, AttentionForward)
ADJ_OPERATOR(90, attention_backward, ATTENTION_BACKWARD, AttentionBackward)

ADJ_GRADIENT(attention_forward, attention_backward, dout, q, k, v, out, lse, cu_seqlens)

ADJ_LET(key_heads, kv_heads ? kv_heads : heads)

/* Attention: out and lse of the formulas above. */
typedef struct adj_attention_forward_descriptor {
  adj_header header ADJ_DEFAULT(ADJ_HEADER_OF(adj_attention_forward_descriptor, ADJ_TAG_ATTENTION_FORWARD_DESCRIPTOR));
  int64_t batch ADJ_DEFAULT(-1) ADJ_RANGE(0, 2147483647) ADJ_REFUSE(has_lengths && batch == 2147483647, "is too many sequences with lengths"); /* sequences */
  int64_t tokens ADJ_DEFAULT(-1) ADJ_RANGE(0, 2147483647); /* tokens of a sequence, with has_lengths of all sequences */
  int64_t heads ADJ_DEFAULT(-1) ADJ_RANGE(1, 65535);       /* of q and out */
  int64_t kv_heads ADJ_DEFAULT(0) ADJ_RANGE(0, 65535)
    ADJ_REFUSE(kv_heads && heads % kv_heads != 0, "is not a divisor of heads"); /* of k and v; 0: as many as heads */
  int64_t head_dim ADJ_DEFAULT(-1) ADJ_RANGE(1, 256);
  int64_t window ADJ_DEFAULT(-1) ADJ_RANGE(-1);            /* most tokens that a key may lie before its query; -1: any number */
  double scale ADJ_DEFAULT(0) ADJ_RANGE(finite);           /* 0: 1 / sqrt(head_dim) */
  adj_axes q_strides ADJ_DEFAULT({});                      /* elements between sequences, tokens and heads of q; none: packed */
  adj_axes k_strides ADJ_DEFAULT({});                      /* of k */
  adj_axes v_strides ADJ_DEFAULT({});                      /* of v */
  adj_axes out_strides ADJ_DEFAULT({});                    /* of out */
  int32_t causal ADJ_DEFAULT(0) ADJ_FLAG;                  /* 1: a query meets no later keys */
  int32_t has_lengths ADJ_DEFAULT(0) ADJ_FLAG;             /* 1: cu_seqlens is given */
  adj_dtype element ADJ_DEFAULT({});                       /* f32, f64, f16, bf16 */
  uint32_t reserved ADJ_DEFAULT(0);
} adj_attention_forward_descriptor;

typedef struct adj_attention_forward_args {
  adj_header header ADJ_DEFAULT(ADJ_HEADER_OF(adj_attention_forward_args, ADJ_TAG_ATTENTION_FORWARD_ARGS));
  adj_tensor q          ADJ_DEFAULT({}) ADJ_IN(has_lengths ? [tokens, heads, head_dim] : [batch, tokens, heads, head_dim], element) ADJ_STRIDES(q_strides);
  adj_tensor k          ADJ_DEFAULT({}) ADJ_IN(has_lengths ? [tokens, key_heads, head_dim] : [batch, tokens, key_heads, head_dim], element)
                        ADJ_STRIDES(k_strides);
  adj_tensor v          ADJ_DEFAULT({}) ADJ_IN(has_lengths ? [tokens, key_heads, head_dim] : [batch, tokens, key_heads, head_dim], element)
                        ADJ_STRIDES(v_strides);
  adj_tensor cu_seqlens ADJ_DEFAULT({}) ADJ_IN([batch + 1], i32) ADJ_ONLY_IF(has_lengths);
  adj_tensor out        ADJ_DEFAULT({}) ADJ_OUT(has_lengths ? [tokens, heads, head_dim] : [batch, tokens, heads, head_dim], element) ADJ_STRIDES(out_strides);
  adj_tensor lse        ADJ_DEFAULT({}) ADJ_OUT(has_lengths ? [heads, tokens] : [batch, heads, tokens], accumulator(element));
} adj_attention_forward_args;

/* Gradients of attention. With w[i, j] = exp(s[i, j] - lse[i]) and
 *     ds[i, j] = w[i, j] * (sum over d of dout[i, d] * v[j, d] - sum over d of dout[i, d] * out[i, d]):
 *     dq[i, d] = scale * sum over j of ds[i, j] * k[j, d]
 *     dk[j, d] = scale * sum over i of ds[i, j] * q[i, d]
 *     dv[j, d] = sum over i of w[i, j] * dout[i, d]
 * where i also runs over all heads of q that meet the head of k and v. out and lse are those of attention_forward for the same q, k and v, and
 * the same fields. */
typedef struct adj_attention_backward_descriptor {
  adj_header header ADJ_DEFAULT(ADJ_HEADER_OF(adj_attention_backward_descriptor, ADJ_TAG_ATTENTION_BACKWARD_DESCRIPTOR));
  int64_t batch ADJ_DEFAULT(-1) ADJ_RANGE(0, 2147483647) ADJ_REFUSE(has_lengths && batch == 2147483647, "is too many sequences with lengths"); /* sequences */
  int64_t tokens ADJ_DEFAULT(-1) ADJ_RANGE(0, 2147483647); /* as in attention_forward */
  int64_t heads ADJ_DEFAULT(-1) ADJ_RANGE(1, 65535);       /* of q and out */
  int64_t kv_heads ADJ_DEFAULT(0) ADJ_RANGE(0, 65535)
    ADJ_REFUSE(kv_heads && heads % kv_heads != 0, "is not a divisor of heads"); /* of k and v; 0: as many as heads */
  int64_t head_dim ADJ_DEFAULT(-1) ADJ_RANGE(1, 256);
  int64_t window ADJ_DEFAULT(-1) ADJ_RANGE(-1);            /* as in attention_forward */
  double scale ADJ_DEFAULT(0) ADJ_RANGE(finite);           /* 0: 1 / sqrt(head_dim) */
  adj_axes q_strides ADJ_DEFAULT({});                      /* elements between sequences, tokens and heads of q; none: packed */
  adj_axes k_strides ADJ_DEFAULT({});                      /* of k */
  adj_axes v_strides ADJ_DEFAULT({});                      /* of v */
  adj_axes out_strides ADJ_DEFAULT({});                    /* of out */
  adj_axes dout_strides ADJ_DEFAULT({});                   /* of dout */
  adj_axes dq_strides ADJ_DEFAULT({});                     /* of dq */
  adj_axes dk_strides ADJ_DEFAULT({});                     /* of dk */
  adj_axes dv_strides ADJ_DEFAULT({});                     /* of dv */
  int32_t causal ADJ_DEFAULT(0) ADJ_FLAG;                  /* as in attention_forward */
  int32_t has_lengths ADJ_DEFAULT(0) ADJ_FLAG;             /* 1: cu_seqlens is given */
  adj_dtype element ADJ_DEFAULT({});                       /* f32, f64, f16, bf16 */
  uint32_t reserved ADJ_DEFAULT(0);
} adj_attention_backward_descriptor;

typedef struct adj_attention_backward_args {
  adj_header header ADJ_DEFAULT(ADJ_HEADER_OF(adj_attention_backward_args, ADJ_TAG_ATTENTION_BACKWARD_ARGS));
  adj_tensor dout       ADJ_DEFAULT({}) ADJ_IN(has_lengths ? [tokens, heads, head_dim] : [batch, tokens, heads, head_dim], element) ADJ_STRIDES(dout_strides);
  adj_tensor q          ADJ_DEFAULT({}) ADJ_IN(has_lengths ? [tokens, heads, head_dim] : [batch, tokens, heads, head_dim], element) ADJ_STRIDES(q_strides);
  adj_tensor k          ADJ_DEFAULT({}) ADJ_IN(has_lengths ? [tokens, key_heads, head_dim] : [batch, tokens, key_heads, head_dim], element)
                        ADJ_STRIDES(k_strides);
  adj_tensor v          ADJ_DEFAULT({}) ADJ_IN(has_lengths ? [tokens, key_heads, head_dim] : [batch, tokens, key_heads, head_dim], element)
                        ADJ_STRIDES(v_strides);
  adj_tensor out        ADJ_DEFAULT({}) ADJ_IN(has_lengths ? [tokens, heads, head_dim] : [batch, tokens, heads, head_dim], element) ADJ_STRIDES(out_strides);
  adj_tensor lse        ADJ_DEFAULT({}) ADJ_IN(has_lengths ? [heads, tokens] : [batch, heads, tokens], accumulator(element));
  adj_tensor cu_seqlens ADJ_DEFAULT({}) ADJ_IN([batch + 1], i32) ADJ_ONLY_IF(has_lengths);
  adj_tensor dq         ADJ_DEFAULT({}) ADJ_OUT(has_lengths ? [tokens, heads, head_dim] : [batch, tokens, heads, head_dim], element) ADJ_STRIDES(dq_strides);
  adj_tensor dk         ADJ_DEFAULT({}) ADJ_OUT(has_lengths ? [tokens, key_heads, head_dim] : [batch, tokens, key_heads, head_dim], element)
                        ADJ_STRIDES(dk_strides);
  adj_tensor dv         ADJ_DEFAULT({}) ADJ_OUT(has_lengths ? [tokens, key_heads, head_dim] : [batch, tokens, key_heads, head_dim], element)
                        ADJ_STRIDES(dv_strides);
} adj_attention_backward_args;

#include <adjoint/ops/attention_init.h>

#endif
