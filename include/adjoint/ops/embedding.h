/* Embedding lookup and its gradient, and the gradient of Gather. Definition: ONNX Gather and PyTorch's nn.functional.embedding;
 * com.microsoft GatherGrad. */
#ifndef ADJOINT_OPS_EMBEDDING_H
#define ADJOINT_OPS_EMBEDDING_H

#include "table.h"

/* Embedding forward:   out[n, :] = weight[indices[n], :], a bit-exact copy.
 *
 * An index outside [0, num_embeddings) (negative ones included: there is no wrap-around) yields a row of zeros and is
 * counted in error_flag. padding_idx is not special in the forward direction unless padding_zeroes_forward is set. */
typedef struct adj_embedding_forward_descriptor {
  adj_header header ADJ_DEFAULT(ADJ_HEADER_OF(adj_embedding_forward_descriptor, ADJ_TAG_EMBEDDING_FORWARD_DESCRIPTOR));
  int64_t num_embeddings ADJ_DEFAULT(0); /* V >= 0 */
  int64_t embedding_dim ADJ_DEFAULT(0);  /* D >= 0 */
  int64_t num_indices ADJ_DEFAULT(0);    /* N >= 0 */
  adj_dtype element ADJ_DEFAULT(0);      /* f32, f64, f16, bf16 */
  adj_dtype index ADJ_DEFAULT(0);        /* i32, i64 */
  int32_t has_padding_idx ADJ_DEFAULT(0);
  int32_t padding_zeroes_forward ADJ_DEFAULT(0); /* 1: rows of padding_idx come out as zeros */
  int64_t padding_idx ADJ_DEFAULT(0);    /* in [-V, V); negative counts from the end */
} adj_embedding_forward_descriptor;

typedef struct adj_embedding_forward_args {
  adj_header header ADJ_DEFAULT(ADJ_HEADER_OF(adj_embedding_forward_args, ADJ_TAG_EMBEDDING_FORWARD_ARGS));
  adj_tensor weight ADJ_DEFAULT({});     /* in  [V, D] element */
  adj_tensor indices ADJ_DEFAULT({});    /* in  [N] index */
  adj_tensor out ADJ_DEFAULT({});        /* out [N, D] element */
  adj_tensor error_flag ADJ_DEFAULT({}); /* in/out, optional, [1] i64: out-of-range indices are added to it */
} adj_embedding_forward_args;

/* Embedding backward:   dweight[r, :] (=|+=) s_r * sum over n with indices[n] == r of dout[n, :]
 *
 * s_r = 1, or 1 / (number of such n) with scale_grad_by_freq. Rows of padding_idx get no gradient: zero when
 * overwriting, unchanged when accumulating. Indices outside [0, num_embeddings) are skipped and counted in error_flag.
 * 16-bit types accumulate in f32 and round once; the addends are taken in a fixed order that depends on the indices
 * alone. dout and dweight must not overlap.
 *
 * On a device up to 1024 indices into a dweight of up to 16 MB need no workspace. Others are sorted: 16 N bytes and at most 512 KB, or
 * 8 N bytes up to 4096 indices, from sm_90 on up to 16384; beyond 64 indices also 16 bytes for each of N / 65 rows and D accumulators
 * (f32, or f64 for f64) for every 64 indices. V is at most 2^32 - 2 there. */
typedef struct adj_embedding_backward_descriptor {
  adj_header header ADJ_DEFAULT(ADJ_HEADER_OF(adj_embedding_backward_descriptor, ADJ_TAG_EMBEDDING_BACKWARD_DESCRIPTOR));
  int64_t num_embeddings ADJ_DEFAULT(0); /* V >= 0 */
  int64_t embedding_dim ADJ_DEFAULT(0);  /* D >= 0 */
  int64_t num_indices ADJ_DEFAULT(0);    /* N >= 0, below 2^31 */
  adj_dtype element ADJ_DEFAULT(0);      /* f32, f64, f16, bf16: type of dout and dweight */
  adj_dtype index ADJ_DEFAULT(0);        /* i32, i64 */
  adj_write_mode write_mode ADJ_DEFAULT(0);
  int32_t scale_grad_by_freq ADJ_DEFAULT(0);
  int32_t has_padding_idx ADJ_DEFAULT(0);
  uint32_t reserved ADJ_DEFAULT(0);
  int64_t padding_idx ADJ_DEFAULT(0);    /* in [-V, V); negative counts from the end */
} adj_embedding_backward_descriptor;

typedef struct adj_embedding_backward_args {
  adj_header header ADJ_DEFAULT(ADJ_HEADER_OF(adj_embedding_backward_args, ADJ_TAG_EMBEDDING_BACKWARD_ARGS));
  adj_tensor dout ADJ_DEFAULT({});       /* in  [N, D] element */
  adj_tensor indices ADJ_DEFAULT({});    /* in  [N] index */
  adj_tensor dweight ADJ_DEFAULT({});    /* out [V, D] element; in/out when accumulating */
  adj_tensor error_flag ADJ_DEFAULT({}); /* in/out, optional, [1] i64: out-of-range indices are added to it */
} adj_embedding_backward_args;

/* Gather gradient, the gradient of out = Gather(input, indices, axis) in input:
 *     dinput[o, r, i] (=|+=) sum over n with row(indices[n]) == r of dout[o, n, i]
 *
 * outer is the product of the extents of input before the axis, extent that of the axis, inner the product of those after it,
 * num_indices the product of the extents of indices; dout is [outer, indices..., inner]. A tensor may state the shape given
 * below with its last extent split into any number of trailing ones; one whose shape differs leaves it unstated with rank 0.
 * row(i) is i, or i + extent when i is negative; an index outside [-extent, extent) is skipped and counted in error_flag
 * (once, whatever outer is). Rows that no index names are zero when overwriting, unchanged when accumulating. 16-bit types
 * accumulate in f32 and round once; the addends are taken in a fixed order that depends on the indices alone. dout and
 * dinput must not overlap. Workspace and the most rows on a device as in embedding_backward, with outer * inner for D; only
 * where outer is 1 can none be needed. */
typedef struct adj_gather_grad_descriptor {
  adj_header header ADJ_DEFAULT(ADJ_HEADER_OF(adj_gather_grad_descriptor, ADJ_TAG_GATHER_GRAD_DESCRIPTOR));
  int64_t outer ADJ_DEFAULT(1);       /* >= 0 */
  int64_t extent ADJ_DEFAULT(0);      /* of the axis, >= 0 */
  int64_t inner ADJ_DEFAULT(1);       /* >= 0 */
  int64_t num_indices ADJ_DEFAULT(0); /* >= 0, below 2^31 */
  adj_dtype element ADJ_DEFAULT(0);   /* f32, f64, f16, bf16: type of dout and dinput */
  adj_dtype index ADJ_DEFAULT(0);     /* i32, i64 */
  adj_write_mode write_mode ADJ_DEFAULT(0);
  uint32_t reserved ADJ_DEFAULT(0);
} adj_gather_grad_descriptor;

typedef struct adj_gather_grad_args {
  adj_header header ADJ_DEFAULT(ADJ_HEADER_OF(adj_gather_grad_args, ADJ_TAG_GATHER_GRAD_ARGS));
  adj_tensor dout ADJ_DEFAULT({});       /* in  [outer, num_indices, inner] element */
  adj_tensor indices ADJ_DEFAULT({});    /* in  [num_indices] index */
  adj_tensor dinput ADJ_DEFAULT({});     /* out [outer, extent, inner] element; in/out when accumulating */
  adj_tensor error_flag ADJ_DEFAULT({}); /* in/out, optional, [1] i64: out-of-range indices are added to it */
} adj_gather_grad_args;

#ifndef __cplusplus
#define ADJ_EMBEDDING_FORWARD_DESCRIPTOR_INIT \
  { ADJ_HEADER_OF(adj_embedding_forward_descriptor, ADJ_TAG_EMBEDDING_FORWARD_DESCRIPTOR), 0, 0, 0, 0, 0, 0, 0, 0 }
#define ADJ_EMBEDDING_FORWARD_ARGS_INIT \
  { ADJ_HEADER_OF(adj_embedding_forward_args, ADJ_TAG_EMBEDDING_FORWARD_ARGS), {0}, {0}, {0}, {0} }
#define ADJ_EMBEDDING_BACKWARD_DESCRIPTOR_INIT \
  { ADJ_HEADER_OF(adj_embedding_backward_descriptor, ADJ_TAG_EMBEDDING_BACKWARD_DESCRIPTOR), 0, 0, 0, 0, 0, 0, 0, 0, 0, 0 }
#define ADJ_EMBEDDING_BACKWARD_ARGS_INIT \
  { ADJ_HEADER_OF(adj_embedding_backward_args, ADJ_TAG_EMBEDDING_BACKWARD_ARGS), {0}, {0}, {0}, {0} }
#define ADJ_GATHER_GRAD_DESCRIPTOR_INIT \
  { ADJ_HEADER_OF(adj_gather_grad_descriptor, ADJ_TAG_GATHER_GRAD_DESCRIPTOR), 1, 0, 1, 0, 0, 0, 0, 0 }
#define ADJ_GATHER_GRAD_ARGS_INIT { ADJ_HEADER_OF(adj_gather_grad_args, ADJ_TAG_GATHER_GRAD_ARGS), {0}, {0}, {0}, {0} }
#endif

ADJ_CPP_NAMES(EmbeddingForward, embedding_forward)
ADJ_CPP_NAMES(EmbeddingBackward, embedding_backward)
ADJ_CPP_NAMES(GatherGrad, gather_grad)

#endif
