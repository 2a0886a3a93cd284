// Host backend of the embedding family, written from the operators' definitions; workspace may be null when none is needed.
#pragma once

#include <cstdint>

#include <adjoint/ops/embedding.h>

namespace adj::host {

// Padding row, counted from 0; -1 for none.
template <class Descriptor>
std::int64_t padding_row(const Descriptor& d) {
  if (!d.has_padding_idx) return -1;
  return d.padding_idx < 0 ? d.padding_idx + d.num_embeddings : d.padding_idx;
}
// Adds `count` to the optional error_flag.
inline void report(const adj_tensor& error_flag, std::int64_t count) {
  if (error_flag.data) *static_cast<std::int64_t*>(error_flag.data) += count;
}

void embedding_forward(const adj_embedding_forward_descriptor& d, const adj_embedding_forward_args& a, void* workspace);

// Workspace: embedding_backward_workspace(d) bytes.
void embedding_backward(const adj_embedding_backward_descriptor& d, const adj_embedding_backward_args& a, void* workspace);
std::uint64_t embedding_backward_workspace(const adj_embedding_backward_descriptor& d);

// Workspace: gather_backward_workspace(d) bytes.
void gather_backward(const adj_gather_backward_descriptor& d, const adj_gather_backward_args& a, void* workspace);
std::uint64_t gather_backward_workspace(const adj_gather_backward_descriptor& d);

void index_plan(const adj_index_plan_descriptor& d, const adj_index_plan_args& a, void* workspace);

}  // namespace adj::host
