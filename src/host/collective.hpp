// Host backend of the collectives. Ranks are threads of the process; every rank of the communicator calls the function.
#pragma once

#include <cstdint>

#include <adjoint/ops/collective.h>

#include "base/error.hpp"

namespace adj::host {

// Workspace: <operator>_workspace(d) bytes. Results stay there until all ranks have read the inputs that they need.
Result<void> all_reduce(const adj_all_reduce_descriptor& d, const adj_all_reduce_args& a, void* workspace);
Result<void> all_gather(const adj_all_gather_descriptor& d, const adj_all_gather_args& a, void* workspace);
Result<void> reduce_scatter(const adj_reduce_scatter_descriptor& d, const adj_reduce_scatter_args& a, void* workspace);
Result<void> broadcast(const adj_broadcast_descriptor& d, const adj_broadcast_args& a, void* workspace);
Result<void> send(const adj_send_descriptor& d, const adj_send_args& a, void* workspace);
Result<void> recv(const adj_recv_descriptor& d, const adj_recv_args& a, void* workspace);
Result<void> adasum_all_reduce(const adj_adasum_all_reduce_descriptor& d, const adj_adasum_all_reduce_args& a, void* workspace);
// Sum of one tensor over all ranks, for megatron_f backward and megatron_g forward.
Result<void> all_reduce_one(const char* op, std::int64_t numel, adj_dtype element, void* communicator, const void* input, void* output, void* workspace);

std::uint64_t packed_bytes(std::int64_t count, const std::int64_t* numel, adj_dtype element);  // bytes of tensors that each begin at a multiple of 8
inline std::uint64_t all_reduce_workspace(const adj_all_reduce_descriptor& d) { return packed_bytes(d.count, d.numel, d.element); }
std::uint64_t all_gather_workspace(const adj_all_gather_descriptor& d);
inline std::uint64_t reduce_scatter_workspace(const adj_reduce_scatter_descriptor& d) { return packed_bytes(d.count, d.numel, d.element); }
inline std::uint64_t broadcast_workspace(const adj_broadcast_descriptor& d) { return packed_bytes(d.count, d.numel, d.element); }
inline std::uint64_t adasum_all_reduce_workspace(const adj_adasum_all_reduce_descriptor& d) { return packed_bytes(d.count, d.numel, d.element); }

}  // namespace adj::host
