// Entries of the C interface: communicators and events.
#include <vector>

#include "capi/entry.hpp"
#include "driver/nccl.hpp"
#include "host/communicator.hpp"

using namespace adj::entry;

namespace {

using adj::fail;
using adj::Result;

// Waits for new communicators whose initialisation is in progress. When that fails, all of them are aborted.
Result<void> finish_init(const adj::cu::NcclApi& api, adj::cu::NcclResult result, std::span<adj::cu::NcclComm> comms, const char* call) {
  if (result != adj::cu::kNcclInProgress) return {};
  Result<void> first;
  for (adj::cu::NcclComm comm : comms)
    if (auto ready = adj::finish_nccl(api, comm, result, call); !ready && first) first = std::move(ready);
  if (!first)
    for (adj::cu::NcclComm comm : comms) api.comm_abort(comm);
  return first;
}

}  // namespace

extern "C" {

adj_status adj_comm_unique_id(void* id, uint64_t size) noexcept {
  return guarded([&, function = __func__] {
    ADJ_REQUIRE(id);
    if (size < ADJ_COMM_ID_BYTES) return report(fail(ADJ_ERROR_BUFFER_TOO_SMALL, "{}: size = {}, an id has {} bytes", function, size, ADJ_COMM_ID_BYTES));
    auto api = adj::nccl();
    if (!api) return report(api.take_error());
    adj::cu::NcclUniqueId own;
    if (auto rc = (*api)->unique_id(&own)) return report(adj::nccl_error(**api, rc, "ncclGetUniqueId", nullptr));
    std::memcpy(id, &own, sizeof own);
    return ADJ_OK;
  });
}
adj_status adj_comm_init(int32_t ranks, int32_t rank, const void* id, uint64_t size, void** out) noexcept {
  return guarded([&, function = __func__] {
    ADJ_REQUIRE(out);
    *out = nullptr;
    ADJ_REQUIRE(id);
    if (size != ADJ_COMM_ID_BYTES) return report(fail(ADJ_ERROR_INVALID_ARGUMENT, "{}: size = {}, an id has {} bytes", function, size, ADJ_COMM_ID_BYTES));
    if (ranks < 1 || rank < 0 || rank >= ranks) return report(fail(ADJ_ERROR_INVALID_ARGUMENT, "{}: rank = {} of ranks = {}", function, rank, ranks));
    auto api = adj::nccl();
    if (!api) return report(api.take_error());
    adj::cu::NcclUniqueId own;
    std::memcpy(&own, id, sizeof own);
    adj::cu::NcclComm comm = nullptr;
    const auto rc = (*api)->comm_init(&comm, ranks, own, rank);
    if (rc && rc != adj::cu::kNcclInProgress) return report(adj::nccl_error(**api, rc, "ncclCommInitRank", nullptr));
    if (auto ready = finish_init(**api, rc, {&comm, 1}, "ncclCommInitRank"); !ready) return report(ready.take_error());
    *out = comm;
    return ADJ_OK;
  });
}
adj_status adj_comm_init_all(int32_t count, const int32_t* devices, void** out) noexcept {
  return guarded([&, function = __func__] {
    ADJ_REQUIRE(out);
    if (count < 1) return report(fail(ADJ_ERROR_INVALID_ARGUMENT, "{}: count = {}, expected at least 1", function, count));
    std::fill_n(out, count, nullptr);
    ADJ_REQUIRE(devices);
    auto api = adj::nccl();
    if (!api) return report(api.take_error());
    std::vector<adj::cu::NcclComm> comms(static_cast<std::size_t>(count));
    const auto rc = (*api)->comm_init_all(comms.data(), count, devices);
    if (rc && rc != adj::cu::kNcclInProgress) return report(adj::nccl_error(**api, rc, "ncclCommInitAll", nullptr));
    if (auto ready = finish_init(**api, rc, comms, "ncclCommInitAll"); !ready) return report(ready.take_error());
    std::copy(comms.begin(), comms.end(), out);
    return ADJ_OK;
  });
}
adj_status adj_comm_destroy(void* comm) noexcept {
  return guarded([&] {
    if (!comm) return ADJ_OK;
    auto api = adj::nccl();
    if (!api) return report(api.take_error());
    if (auto rc = (*api)->comm_destroy(static_cast<adj::cu::NcclComm>(comm)); rc && rc != adj::cu::kNcclInProgress)
      return report(adj::nccl_error(**api, rc, "ncclCommDestroy", nullptr));
    return ADJ_OK;
  });
}
adj_status adj_comm_abort(void* comm) noexcept {
  return guarded([&] {
    if (!comm || adj::host::abort_communicator(comm)) return ADJ_OK;
    auto api = adj::nccl();
    if (!api) return report(api.take_error());
    return finish(adj::abort_nccl(**api, static_cast<adj::cu::NcclComm>(comm)));
  });
}

adj_status adj_host_comm_create(int32_t ranks, void** out) noexcept {
  return guarded([&, function = __func__] {
    ADJ_REQUIRE(out);
    auto handles = adj::host::create_communicator(ranks);
    if (!handles) return report(handles.take_error());
    std::copy(handles->begin(), handles->end(), out);
    return ADJ_OK;
  });
}
adj_status adj_host_comm_destroy(void* handle) noexcept {
  return guarded([&, function = __func__] {
    if (handle && !adj::host::destroy_communicator(handle))
      return report(fail(ADJ_ERROR_INVALID_ARGUMENT, "{}: {} is not a handle of adj_host_comm_create, or has been destroyed", function, handle));
    return ADJ_OK;
  });
}

adj_status adj_host_event_create(void** out) noexcept {
  return guarded([&, function = __func__] {
    ADJ_REQUIRE(out);
    *out = nullptr;
    auto event = adj::host::create_event();
    if (!event) return report(event.take_error());
    *out = *event;
    return ADJ_OK;
  });
}
adj_status adj_host_event_reset(void* event) noexcept {
  return guarded([&, function = __func__] {
    ADJ_REQUIRE(event);
    return finish(adj::host::reset_event(event));
  });
}
adj_status adj_host_event_destroy(void* event) noexcept {
  return guarded([&, function = __func__] {
    if (event && !adj::host::destroy_event(event))
      return report(fail(ADJ_ERROR_INVALID_ARGUMENT, "{}: {} is not a handle of adj_host_event_create, or has been destroyed", function, event));
    return ADJ_OK;
  });
}

}  // extern "C"
