// Stand-in for NCCL. Collectives are checked and counted, but nothing is sent. Communicators are made without waiting for other ranks.
#include <cstdlib>

#include "entries.hpp"

namespace adj::cu {
struct NcclCommOpaque {
  int ranks, rank, device;
};
}  // namespace adj::cu

namespace {

using namespace adj::cu;

constexpr NcclResult kInvalidArgument = 4;

fake::Entry entries[] = {
#define FAKE_ENTRY(member, symbol, result, arguments) {.name = #symbol},
    ADJ_NCCL_FUNCTIONS(FAKE_ENTRY)
#undef FAKE_ENTRY
};
fake::Nccl state;
thread_local int open_groups = 0;

int scripted(const char* name) { return fake::enter(*fake::find(entries, name)); }
void complain(const char* what) {
  const char* none = nullptr;
  state.complaint.compare_exchange_strong(none, what);
}

// Where communicators do not block, a call is in progress for a while.
NcclResult begin() {
  state.pending = state.polls.load();
  return state.pending ? kNcclInProgress : kNcclSuccess;
}
void check_progress() {
  if (state.pending) complain("a call begins while the last is in progress");
}

NcclResult issue(const char* name, const void* from, const void* to, std::size_t count, NcclType type, NcclComm comm, Stream stream) {
  if (const int code = scripted(name)) return code;
  if (!from || !to || !count || !comm || !stream) complain("a null argument, or nothing to be done");
  if (type < kNcclInt8 || type > kNcclBfloat16) complain("an unknown type");
  if (open_groups == 0) check_progress();
  ++state.issued;
  return open_groups == 0 ? begin() : kNcclSuccess;
}
NcclResult check_peer(NcclComm comm, int peer) { return peer >= 0 && peer < comm->ranks ? kNcclSuccess : kInvalidArgument; }

}  // namespace

FAKE_EXPORT NcclResult ncclGetVersion(int* version) {
  if (const int code = scripted("ncclGetVersion")) return code;
  *version = fake::told("FAKE_NCCL_VERSION", state.version.load());
  return kNcclSuccess;
}
FAKE_EXPORT const char* ncclGetErrorString(NcclResult) { return scripted("ncclGetErrorString") ? nullptr : "a scripted error"; }
FAKE_EXPORT const char* ncclGetLastError(NcclComm) { return scripted("ncclGetLastError") ? nullptr : "as the test asked"; }
FAKE_EXPORT NcclResult ncclCommGetAsyncError(NcclComm, NcclResult* result) {
  if (const int code = scripted("ncclCommGetAsyncError")) return code;
  *result = state.async;
  if (state.pending > 0) --state.pending, *result = kNcclInProgress;
  return kNcclSuccess;
}
FAKE_EXPORT NcclResult ncclGetUniqueId(NcclUniqueId* id) {
  if (const int code = scripted("ncclGetUniqueId")) return code;
  *id = {};
  return kNcclSuccess;
}
FAKE_EXPORT NcclResult ncclCommInitRank(NcclComm* comm, int ranks, NcclUniqueId, int rank) {
  if (const int code = scripted("ncclCommInitRank")) return code;
  *comm = new NcclCommOpaque{ranks, rank, 0};
  ++state.communicators;
  return begin();
}
FAKE_EXPORT NcclResult ncclCommInitAll(NcclComm* comms, int count, const int* devices) {
  if (const int code = scripted("ncclCommInitAll")) return code;
  for (int i = 0; i < count; ++i) comms[i] = new NcclCommOpaque{count, i, devices[i]};
  state.communicators += count;
  return begin();
}
FAKE_EXPORT NcclResult ncclCommDestroy(NcclComm comm) {
  const int code = scripted("ncclCommDestroy");
  delete comm;
  --state.communicators;
  return code;
}
FAKE_EXPORT NcclResult ncclCommAbort(NcclComm comm) {
  const int code = scripted("ncclCommAbort");
  delete comm;
  --state.communicators;
  return code;
}
FAKE_EXPORT NcclResult ncclCommCount(NcclComm comm, int* count) {
  if (const int code = scripted("ncclCommCount")) return code;
  if (state.pending) return kNcclInProgress;
  *count = comm->ranks;
  return kNcclSuccess;
}
FAKE_EXPORT NcclResult ncclCommUserRank(NcclComm comm, int* rank) {
  if (const int code = scripted("ncclCommUserRank")) return code;
  *rank = comm->rank;
  return kNcclSuccess;
}
FAKE_EXPORT NcclResult ncclCommCuDevice(NcclComm comm, int* device) {
  if (const int code = scripted("ncclCommCuDevice")) return code;
  *device = comm->device;
  return kNcclSuccess;
}
FAKE_EXPORT NcclResult ncclGroupStart() {
  if (const int code = scripted("ncclGroupStart")) return code;
  if (open_groups++ == 0) check_progress();
  return kNcclSuccess;
}
FAKE_EXPORT NcclResult ncclGroupEnd() {
  if (open_groups-- != 1) complain("a group is ended that is not open");
  if (const int code = scripted("ncclGroupEnd")) return code;
  return begin();
}
FAKE_EXPORT NcclResult ncclAllReduce(const void* from, void* to, std::size_t count, NcclType type, NcclReduction, NcclComm comm, Stream stream) {
  return issue("ncclAllReduce", from, to, count, type, comm, stream);
}
FAKE_EXPORT NcclResult ncclReduce(const void* from, void* to, std::size_t count, NcclType type, NcclReduction, int root, NcclComm comm, Stream stream) {
  if (const auto rc = issue("ncclReduce", from, to, count, type, comm, stream)) return rc;
  return check_peer(comm, root);
}
FAKE_EXPORT NcclResult ncclAllGather(const void* from, void* to, std::size_t count, NcclType type, NcclComm comm, Stream stream) {
  return issue("ncclAllGather", from, to, count, type, comm, stream);
}
FAKE_EXPORT NcclResult ncclReduceScatter(const void* from, void* to, std::size_t count, NcclType type, NcclReduction, NcclComm comm, Stream stream) {
  return issue("ncclReduceScatter", from, to, count, type, comm, stream);
}
FAKE_EXPORT NcclResult ncclBroadcast(const void* from, void* to, std::size_t count, NcclType type, int root, NcclComm comm, Stream stream) {
  if (const auto rc = issue("ncclBroadcast", from, to, count, type, comm, stream)) return rc;
  return check_peer(comm, root);
}
FAKE_EXPORT NcclResult ncclSend(const void* from, std::size_t count, NcclType type, int peer, NcclComm comm, Stream stream) {
  if (const auto rc = issue("ncclSend", from, from, count, type, comm, stream)) return rc;
  return check_peer(comm, peer);
}
FAKE_EXPORT NcclResult ncclRecv(void* to, std::size_t count, NcclType type, int peer, NcclComm comm, Stream stream) {
  if (const auto rc = issue("ncclRecv", to, to, count, type, comm, stream)) return rc;
  return check_peer(comm, peer);
}

FAKE_EXPORT fake::Entry* fake_entry(const char* name) { return fake::find(entries, name); }
FAKE_EXPORT fake::Nccl* fake_nccl() { return &state; }
