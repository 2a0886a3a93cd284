// Host backend of the collectives: ranks are threads of the process. Each function is called by every rank of the communicator.
#pragma once

#include <cstdint>

#include <adjoint/ops/collective.h>

#include "base/error.hpp"

namespace adj::host {

// Workspace of each: ..._workspace(d) bytes; results stay there until all ranks have read what they need.
Result<void> all_reduce(const adj_all_reduce_descriptor& d, const adj_all_reduce_args& a, void* workspace);
Result<void> all_gather(const adj_all_gather_descriptor& d, const adj_all_gather_args& a, void* workspace);
Result<void> reduce_scatter(const adj_reduce_scatter_descriptor& d, const adj_reduce_scatter_args& a, void* workspace);
Result<void> broadcast(const adj_broadcast_descriptor& d, const adj_broadcast_args& a, void* workspace);
Result<void> send(const adj_send_descriptor& d, const adj_send_args& a, void* workspace);
Result<void> recv(const adj_recv_descriptor& d, const adj_recv_args& a, void* workspace);
Result<void> adasum_all_reduce(const adj_adasum_all_reduce_descriptor& d, const adj_adasum_all_reduce_args& a, void* workspace);
// Both directions of megatron_f and megatron_g that communicate.
Result<void> all_reduce_one(const char* op, std::int64_t numel, adj_dtype element, void* communicator, const void* input, void* output, void* workspace);

std::uint64_t packed_bytes(std::int64_t count, const std::int64_t* numel, adj_dtype element);  // of tensors, each at a multiple of 8 bytes
inline std::uint64_t all_reduce_workspace(const adj_all_reduce_descriptor& d) { return packed_bytes(d.count, d.numel, d.element); }
std::uint64_t all_gather_workspace(const adj_all_gather_descriptor& d);
inline std::uint64_t reduce_scatter_workspace(const adj_reduce_scatter_descriptor& d) { return packed_bytes(d.count, d.numel, d.element); }
inline std::uint64_t broadcast_workspace(const adj_broadcast_descriptor& d) { return packed_bytes(d.count, d.numel, d.element); }
inline std::uint64_t adasum_all_reduce_workspace(const adj_adasum_all_reduce_descriptor& d) { return packed_bytes(d.count, d.numel, d.element); }

}  // namespace adj::host
