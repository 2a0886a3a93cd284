#include "ops/collective/nccl.hpp"

namespace adj::collective {

const std::vector<Signature>& reduced_signatures() {
  static const auto* list =
      new std::vector<Signature>{{ADJ_F32}, {ADJ_F64}, {ADJ_F16}, {ADJ_BF16}, {ADJ_I8}, {ADJ_U8}, {ADJ_I32}, {ADJ_U32}, {ADJ_I64}, {ADJ_U64}};
  return *list;
}

adj_guarantee host_sums(const Signature& s) {
  if (!is_float(s[0])) return exact_guarantee(s);
  return make_guarantee(ADJ_BATCH_INVARIANT, ADJ_MATH_IEEE, ADJ_F64, 0.5, 1e-13);
}
// NCCL adds in the element type: R ranks make R - 1 roundings, for an average also those of 1 / R and of a product with it. The row states the
// bound for kRanks.
adj_guarantee nccl_sums(const Signature& s) {
  if (!is_float(s[0])) return exact_guarantee(s);
  constexpr double kRanks = 8;
  const double epsilon = s[0] == ADJ_F64 ? 0x1p-53 : s[0] == ADJ_F32 ? 0x1p-24 : s[0] == ADJ_F16 ? 0x1p-11 : 0x1p-8;
  return make_guarantee(ADJ_RUN_TO_RUN, ADJ_MATH_IEEE, s[0], 0.5, (kRanks + 1) * epsilon);
}

cu::NcclType nccl_type(adj_dtype element) {
  switch (element) {
    case ADJ_F32: return cu::kNcclFloat32;
    case ADJ_F64: return cu::kNcclFloat64;
    case ADJ_F16: return cu::kNcclFloat16;
    case ADJ_BF16: return cu::kNcclBfloat16;
    case ADJ_I8: return cu::kNcclInt8;
    case ADJ_I32: return cu::kNcclInt32;
    case ADJ_U32: return cu::kNcclUint32;
    case ADJ_I64: return cu::kNcclInt64;
    case ADJ_U64: return cu::kNcclUint64;
    default: return cu::kNcclUint8;
  }
}

cu::NcclReduction nccl_reduction(adj_collective_reduction how, int ranks) {
  // With one rank an average is a copy, as a sum is. NCCL's kernel for averages gave wrong elements in replayed graphs (H200, the NCCL of
  // PyTorch 2.11).
  if (ranks == 1) return cu::kNcclSum;
  switch (how) {
    case ADJ_COLLECTIVE_REDUCTION_AVERAGE: return cu::kNcclAvg;
    case ADJ_COLLECTIVE_REDUCTION_MAX: return cu::kNcclMax;
    case ADJ_COLLECTIVE_REDUCTION_MIN: return cu::kNcclMin;
    case ADJ_COLLECTIVE_REDUCTION_PROD: return cu::kNcclProd;
    default: return cu::kNcclSum;
  }
}

Result<void> check_reduction(const char* op, adj_collective_reduction how, adj_dtype element) {
  if (how == ADJ_COLLECTIVE_REDUCTION_AVERAGE && dtype_name(element) && !is_float(element))
    return fail(ADJ_ERROR_INVALID_PROBLEM, "{}: reduction = average is for floating-point types, element = {}", op, dtype_name(element));
  return {};
}

Result<void> check_nccl(const Device& device) {
  if (!device.real()) return {};
  if (auto api = nccl(); !api) return api.take_error();
  return {};
}

Result<Comm> Comm::of(const CallContext& call, void* handle, std::int64_t ranks) {
  auto api = nccl();
  if (!api) return api.take_error();
  const char* op = call.plan.op->name;
  if (host::is_communicator(handle))
    return fail(ADJ_ERROR_INVALID_ARGUMENT, "{}: communicator {} is one of adj_host_comm_create, for the host stream", op, handle);
  Comm c{*api, static_cast<cu::NcclComm>(handle), static_cast<cu::Stream>(call.stream.handle), 0, 0, op};
  int device = -1;
  cu::NcclResult counted = c.api->comm_count(c.comm, &c.ranks);
  if (counted == cu::kNcclInProgress) {  // it is still being set up
    ADJ_TRY(finish_nccl(*c.api, c.comm, counted, "ncclCommCount"));
    counted = c.api->comm_count(c.comm, &c.ranks);
  }
  if (counted) return nccl_error(*c.api, counted, "ncclCommCount", nullptr);
  if (auto rc = c.api->comm_rank(c.comm, &c.rank)) return nccl_error(*c.api, rc, "ncclCommUserRank", nullptr);
  if (auto rc = c.api->comm_device(c.comm, &device)) return nccl_error(*c.api, rc, "ncclCommCuDevice", nullptr);
  if (device != call.stream.device)
    return fail(ADJ_ERROR_STREAM_MISMATCH, "{}: the communicator is of device {}, the stream of device {}", op, device, call.stream.device);
  if (ranks >= 0 && ranks != c.ranks) return fail(ADJ_ERROR_INVALID_PROBLEM, "{}: ranks = {}, the communicator has {}", op, ranks, c.ranks);
  return c;
}

CallStep nccl_step(Result<void> (*function)(const CallContext&)) { return {.function = function, .library = "NCCL"}; }

std::vector<Variant> rows(const char* summary, adj_guarantee (*nccl)(const Signature&), adj_guarantee (*host)(const Signature&)) {
  return {{.algorithm = "nccl", .summary = summary, .backend = ADJ_BACKEND_NCCL, .guarantee = nccl},
          {.algorithm = "threads", .summary = "ranks are threads of the process", .backend = ADJ_BACKEND_HOST, .guarantee = host}};
}

}  // namespace adj::collective
