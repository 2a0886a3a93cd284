// What a call asks of a machine at least: products, and bytes of memory. Beside the time that a call took this says how near it is to the limit.
#pragma once

#include <adjoint/adjoint.hpp>

#include <algorithm>
#include <cstring>
#include <string_view>
#include <type_traits>

struct Work {
  double flops = 0;  // of matrix products and attention, a multiplication and an addition being two; 0 for other operators
  double bytes = 0;  // each buffer read once, or written once, or both where it is read and written
};

// Rates of a machine; 0 where they are not known.
struct Limits {
  double flops = 0, bytes = 0;  // a second

  bool known() const { return flops > 0 && bytes > 0; }
  // Seconds that the work takes at least: whichever of the two takes longer.
  double seconds(const Work& work) const { return std::max(work.flops / flops, work.bytes / bytes); }
};

// Work of a problem on buffers that are checked. Attention is counted without what its backward direction computes again.
template <class Descriptor, class Args>
Work work_of(adj_op op, const Descriptor& d, const Args& args) {
  Work work;
  if constexpr (std::is_same_v<Descriptor, adjoint::MatmulDescriptor>)
    work.flops = 2.0 * static_cast<double>(d.batch) * static_cast<double>(d.m) * static_cast<double>(d.n) * static_cast<double>(d.k);
  if constexpr (std::is_same_v<Descriptor, adjoint::LinearCrossEntropyDescriptor>)
    work.flops = (d.with_gradient ? 6.0 : 2.0) * static_cast<double>(d.samples) * static_cast<double>(d.hidden) *
                 static_cast<double>(d.padded_classes > 0 ? d.padded_classes : d.num_classes);
  constexpr bool kForward = std::is_same_v<Descriptor, adjoint::AttentionForwardDescriptor>;
  if constexpr (kForward || std::is_same_v<Descriptor, adjoint::AttentionBackwardDescriptor>) {
    const auto tokens = static_cast<double>(d.tokens);
    const double pairs = d.causal ? tokens * (tokens + 1) / 2 : tokens * tokens;
    work.flops = (kForward ? 4 : 8) * pairs * static_cast<double>(d.batch) * static_cast<double>(d.heads) * static_cast<double>(d.head_dim);
  }
  for (std::int64_t i = 0; i < adj_op_argument_count(op); ++i) {
    adj_argument argument{};
    adj_requirement asks;
    if (adj_op_argument(op, i, &argument) != ADJ_OK || adj_op_infer(&d.header, i, &asks) != ADJ_OK || argument.host) continue;
    const char* at = reinterpret_cast<const char*>(&args) + argument.offset;
    double bytes = 0;
    if (argument.kind == ADJ_ARGUMENT_TENSOR) {
      adj_tensor given;
      std::memcpy(&given, at, sizeof given);
      if (!given.data) continue;
      bytes = static_cast<double>(adjoint::size_of(asks.dtype));  // of the elements, without what lies between them in a tensor with strides
      for (int axis = 0; axis < asks.rank; ++axis) bytes *= static_cast<double>(asks.shape[axis]);
      if constexpr (requires { d.num_indices, d.embedding_dim; })  // a table is touched at the rows of the indices
        if (asks.role != ADJ_ROLE_OUT && std::string_view(argument.name).ends_with("weight"))
          bytes =
              std::min(bytes, static_cast<double>(d.num_indices) * static_cast<double>(d.embedding_dim) * static_cast<double>(adjoint::size_of(asks.dtype)));
    } else if (argument.kind == ADJ_ARGUMENT_LIST) {
      adj_tensor_list given;
      std::memcpy(&given, at, sizeof given);
      if (given.count > 0) bytes = static_cast<double>(asks.bytes);
    }
    work.bytes += asks.role == ADJ_ROLE_INOUT ? 2 * bytes : bytes;
  }
  return work;
}
