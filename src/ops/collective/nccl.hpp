// Checks and plans shared by the collectives: their variants, and calls of NCCL.
#pragma once

#include <adjoint/ops/collective.h>

#include "driver/nccl.hpp"
#include "host/collective.hpp"
#include "host/communicator.hpp"
#include "ops/common/multi_tensor.hpp"

namespace adj::collective {

// Signatures of reductions: f32, f64, f16, bf16, and the integers that NCCL adds.
const std::vector<Signature>& reduced_signatures();

adj_guarantee host_sums(const Signature& s);
adj_guarantee nccl_sums(const Signature& s);

cu::NcclType nccl_type(adj_dtype element);                        // for the types of reduced_signatures
cu::NcclReduction nccl_reduction(adj_collective_reduction how, int ranks);
Result<void> check_reduction(const char* op, adj_collective_reduction how, adj_dtype element);

// Fails when NCCL cannot be loaded. For an offline device, which need not exist, NCCL is taken to be there.
Result<void> check_nccl(const Device& device);

// Communicator of a call, checked against the device of the stream and the descriptor's number of ranks (-1: any number).
struct Comm {
  const cu::NcclApi* api;
  cu::NcclComm comm;
  cu::Stream stream;
  int ranks, rank;
  const char* op;

  static Result<Comm> of(const CallContext& call, void* handle, std::int64_t ranks);
  // Runs fn as one group of NCCL. fn issues calls one after the other and returns the first failure.
  template <class Fn>
  Result<void> group(Fn fn) const {
    if (auto rc = api->group_start()) return nccl_error(*api, rc, "ncclGroupStart", comm);
    cu::NcclResult first = fn();
    const cu::NcclResult ended = api->group_end();
    if (!first) first = ended;
    return finish(first);
  }
  // Waits until the work is on the stream. Fails with NCCL's text for `result`, or for an asynchronous error.
  Result<void> finish(cu::NcclResult result) const { return finish_nccl(*api, comm, result, op); }
};

// Step that calls NCCL.
CallStep nccl_step(Result<void> (*function)(const CallContext&));
// Function of a step that calls the host backend.
template <class Descriptor, class Args, Result<void> (*function)(const Descriptor&, const Args&, void*)>
Result<void> host_step(const CallContext& call) {
  const auto& args = *reinterpret_cast<const Args*>(call.args);
  return host::take_part(args.communicator, [&] { return function(*static_cast<const Descriptor*>(call.plan.descriptor.get()), args, call.workspace); });
}

// The two variants of every collective: NCCL, and threads of the host.
std::vector<Variant> rows(const char* summary, adj_guarantee (*nccl)(const Signature&), adj_guarantee (*host)(const Signature&));

inline void* at(const void* base, std::int64_t elements, adj_dtype element) {
  return const_cast<char*>(static_cast<const char*>(base)) + static_cast<std::size_t>(elements) * size_of(element);
}

}  // namespace adj::collective
