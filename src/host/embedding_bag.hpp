// Host backend of the embedding bags, written from the operators' definitions. Workspace: <operator>_workspace(d) bytes.
#pragma once

#include <cstdint>

#include <adjoint/ops/embedding_bag.h>

namespace adj::host {

void embedding_bag_forward(const adj_embedding_bag_forward_descriptor& d, const adj_embedding_bag_forward_args& a, void* workspace);
std::uint64_t embedding_bag_forward_workspace(const adj_embedding_bag_forward_descriptor& d);

void embedding_bag_backward(const adj_embedding_bag_backward_descriptor& d, const adj_embedding_bag_backward_args& a, void* workspace);
std::uint64_t embedding_bag_backward_workspace(const adj_embedding_bag_backward_descriptor& d);

void embedding_bag_per_sample_weights_backward(const adj_embedding_bag_per_sample_weights_backward_descriptor& d,
                                               const adj_embedding_bag_per_sample_weights_backward_args& a, void* workspace);
std::uint64_t embedding_bag_per_sample_weights_backward_workspace(const adj_embedding_bag_per_sample_weights_backward_descriptor& d);

}  // namespace adj::host
