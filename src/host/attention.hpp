// Host backend of attention and its gradients, written from the operators' definitions in f64; no workspace.
#pragma once

#include <adjoint/ops/attention.h>

#include "base/error.hpp"

namespace adj::host {

// Fields that both descriptors have, with their defaults resolved. Built from checked descriptors.
struct AttentionShape {
  std::int64_t batch, tokens, heads, kv_heads, dim, window;
  double scale;
  bool causal, lengths;

  template <class Descriptor>
  explicit AttentionShape(const Descriptor& d)
      : batch(d.batch),
        tokens(d.tokens),
        heads(d.heads),
        kv_heads(d.kv_heads ? d.kv_heads : d.heads),
        dim(d.head_dim),
        window(d.window),
        scale(scale_of(d.scale, d.head_dim)),
        causal(d.causal != 0),
        lengths(d.has_lengths != 0) {}
  std::int64_t group() const { return heads / kv_heads; }
  std::int64_t rows() const { return lengths ? tokens : batch * tokens; }  // tokens of all sequences
  bool empty() const { return rows() == 0; }

 private:
  static double scale_of(double scale, std::int64_t dim);
};

// Elements between neighbours of a tensor.
struct AttentionStrides {
  std::int64_t batch, token, head;

  AttentionStrides(const adj_axes& given, const AttentionShape& shape, std::int64_t heads)
      : head(given.at[2] ? given.at[2] : shape.dim) {  // without a list `at` is all zero
    token = given.at[1] ? given.at[1] : heads * shape.dim;
    batch = given.at[0] ? given.at[0] : shape.tokens * token;
    if (shape.lengths) batch = 0;
  }
};

// Checks cu_seqlens[0..batch] in ordinary memory; `op` begins the message.
Result<void> check_lengths(const char* op, const AttentionShape& shape, const std::int32_t* cu_seqlens);

void attention_forward(const adj_attention_forward_descriptor& d, const adj_attention_forward_args& a);
void attention_backward(const adj_attention_backward_descriptor& d, const adj_attention_backward_args& a);

}  // namespace adj::host
