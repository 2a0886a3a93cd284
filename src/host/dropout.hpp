// Host backend of dropout, written from the operators' definitions.
#pragma once

#include <array>
#include <cstdint>

#include <adjoint/ops/dropout.h>

namespace adj::host {

// The four words of block `block` of Philox4x32-10.
std::array<std::uint32_t, 4> philox_block(std::uint64_t seed, std::uint64_t subsequence, std::uint64_t block);

void dropout_forward(const adj_dropout_forward_descriptor&, const adj_dropout_forward_args&, void*);
void dropout_backward(const adj_dropout_backward_descriptor&, const adj_dropout_backward_args&, void*);
void bias_softmax_dropout_forward(const adj_bias_softmax_dropout_forward_descriptor&, const adj_bias_softmax_dropout_forward_args&, void*);
void softmax_dropout_backward(const adj_softmax_dropout_backward_descriptor&, const adj_softmax_dropout_backward_args&, void*);

}  // namespace adj::host
