#include "harness/random.hpp"

#include <adjoint/ops/attention.h>
#include <adjoint/ops/conv.h>

namespace harness {

Case attention_forward_random(const adj::Signature& signature, std::uint64_t seed);
Case attention_backward_random(const adj::Signature& signature, std::uint64_t seed);
Case conv_forward_random(const adj::Signature& signature, std::uint64_t seed);
Case conv_backward_random(const adj::Signature& signature, std::uint64_t seed);
Case conv_transpose_forward_random(const adj::Signature& signature, std::uint64_t seed);
Case conv_transpose_backward_random(const adj::Signature& signature, std::uint64_t seed);

RandomCase random_case_of(adj_op op) {
  switch (op) {
    case ADJ_OP_ATTENTION_FORWARD: return attention_forward_random;
    case ADJ_OP_ATTENTION_BACKWARD: return attention_backward_random;
    case ADJ_OP_CONV_FORWARD: return conv_forward_random;
    case ADJ_OP_CONV_BACKWARD: return conv_backward_random;
    case ADJ_OP_CONV_TRANSPOSE_FORWARD: return conv_transpose_forward_random;
    case ADJ_OP_CONV_TRANSPOSE_BACKWARD: return conv_transpose_backward_random;
    default: return nullptr;
  }
}

}  // namespace harness
