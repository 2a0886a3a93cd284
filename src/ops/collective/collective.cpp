// all_reduce, all_gather, reduce_scatter, broadcast, send, recv.
#include "ops/collective/nccl.hpp"
#include "host/shards.hpp"
#include "ops/collective.gen.hpp"

namespace adj {

using namespace collective;

namespace {

constexpr std::int64_t kSampleCounts[] = {32, 8};
template <class Descriptor>
bool sample(std::span<const adj_dtype> types, void* descriptor) {
  if (types.size() != 1) return false;
  auto& d = *static_cast<Descriptor*>(descriptor);
  d.count = std::size(kSampleCounts);
  d.numel = kSampleCounts;
  d.element = types[0];
  if constexpr (requires { d.ranks; }) d.ranks = 2;
  if constexpr (requires { d.peer; }) d.peer = 1;
  return true;
}
// The registrations of Send and Recv list the types of the signal and of the peer's rank first.
template <class Descriptor>
bool sample_point(std::span<const adj_dtype> types, void* descriptor) {
  return types.size() == 3 && sample<Descriptor>(types.subspan(2), descriptor);
}

template <class Descriptor>
const Descriptor& descriptor_of(const CallContext& call) {
  return *static_cast<const Descriptor*>(call.plan.descriptor.get());
}
template <class Args>
const Args& args_of(const CallContext& call) {
  return *reinterpret_cast<const Args*>(call.args);
}

bool is_whole(adj_shard_layout layout) { return layout == ADJ_SHARD_LAYOUT_WHOLE; }

// Checks of all_gather and reduce_scatter.
template <class Descriptor>
Result<void> check_shards(const char* op, const Descriptor& d) {
  if (is_whole(d.layout)) {
    if (auto owners = owners_of(op, numel_of(d), d.ranks); !owners) return owners.take_error();
    return {};
  }
  for (std::int64_t i = 0; i < d.count; ++i) ADJ_TRY(check_volume(op, "a tensor of all ranks", {d.ranks, d.numel[i]}));
  return {};
}

// Plans one call, of NCCL or of the host backend. Where whole tensors have owners, the ranks of the owners are the state of the NCCL call.
template <class Descriptor>
Result<void> plan_call(const char* op, const PlanRequest& request, PlanBuilder& builder, Result<void> (*on_device)(const CallContext&),
                       Result<void> (*on_host)(const CallContext&), std::uint64_t host_workspace) {
  if (request.device) {
    ADJ_TRY(check_nccl(*request.device));
    CallStep step = nccl_step(on_device);
    if constexpr (requires(Descriptor d) { d.layout; }) {
      const auto& d = *static_cast<const Descriptor*>(request.descriptor);
      if (is_whole(d.layout)) step.state = std::make_shared<std::vector<int>>(*owners_of(op, numel_of(d), d.ranks));
    }
    builder.call(std::move(step));
  } else {
    builder.book(host_workspace);
    builder.call({.function = on_host});
  }
  return {};
}

// ---- all_reduce

namespace reduce_all {

using namespace all_reduce_tables;

Result<void> validate(const void* descriptor) {
  const auto& d = *static_cast<const Descriptor*>(descriptor);
  return check_reduction(kName, d.reduction, d.element);
}
Result<void> call(const CallContext& call) {
  const auto& d = descriptor_of<Descriptor>(call);
  const auto& a = args_of<Args>(call);
  auto c = Comm::of(call, a.communicator, -1);
  if (!c) return c.take_error();
  return c->group([&] {
    cu::NcclResult rc = 0;
    for (std::int64_t i = 0; i < d.count && !rc; ++i)
      if (d.numel[i])
        rc = c->api->all_reduce(a.inputs.data[i], a.outputs.data[i], static_cast<std::size_t>(d.numel[i]), nccl_type(d.element),
                                nccl_reduction(d.reduction, c->ranks), c->comm, c->stream);
    return rc;
  });
}
Result<void> plan(const PlanRequest& request, PlanBuilder& builder) {
  const auto& d = *static_cast<const Descriptor*>(request.descriptor);
  return plan_call<Descriptor>(kName, request, builder, call, host_step<Descriptor, Args, host::all_reduce>, host::all_reduce_workspace(d));
}
constexpr OnnxBinding kOnnx[] = {{"ms", "NcclAllReduce", sample<Descriptor>}};
const std::vector<Variant>& variants() {
  static const auto* list = new std::vector<Variant>(rows("ncclAllReduce of each tensor, one group", nccl_sums, host_sums));
  return *list;
}

}  // namespace reduce_all

// ---- all_gather

namespace gather {

using namespace all_gather_tables;

Result<void> validate(const void* descriptor) { return check_shards(kName, *static_cast<const Descriptor*>(descriptor)); }
Result<void> call(const CallContext& call) {
  const auto& d = descriptor_of<Descriptor>(call);
  const auto& a = args_of<Args>(call);
  auto c = Comm::of(call, a.communicator, d.ranks);
  if (!c) return c.take_error();
  const auto* owners = static_cast<const std::vector<int>*>(call.state);
  if (!owners) ADJ_TRY(check_own_parts(kName, "inputs", "outputs", numel_of(d), d.element, a.inputs.data, a.outputs.data, c->rank, d.ranks));
  return c->group([&] {
    cu::NcclResult rc = 0;
    for (std::int64_t i = 0; i < d.count && !rc; ++i) {
      const std::size_t bytes = static_cast<std::size_t>(d.numel[i]) * size_of(d.element);
      if (bytes == 0) continue;
      rc = owners ? c->api->broadcast(a.inputs.data[i], a.outputs.data[i], bytes, cu::kNcclUint8, (*owners)[static_cast<std::size_t>(i)], c->comm, c->stream)
                  : c->api->all_gather(a.inputs.data[i], a.outputs.data[i], bytes, cu::kNcclUint8, c->comm, c->stream);
    }
    return rc;
  });
}
Result<void> plan(const PlanRequest& request, PlanBuilder& builder) {
  const auto& d = *static_cast<const Descriptor*>(request.descriptor);
  return plan_call<Descriptor>(kName, request, builder, call, host_step<Descriptor, Args, host::all_gather>, host::all_gather_workspace(d));
}
constexpr OnnxBinding kOnnx[] = {{"ms", "NcclAllGather", sample<Descriptor>}};
const std::vector<Variant>& variants() {
  static const auto* list =
      new std::vector<Variant>(rows("ncclAllGather, or ncclBroadcast from the owner, of each tensor, one group", exact_guarantee, exact_guarantee));
  return *list;
}

}  // namespace gather

// ---- reduce_scatter

namespace scatter {

using namespace reduce_scatter_tables;

Result<void> validate(const void* descriptor) {
  const auto& d = *static_cast<const Descriptor*>(descriptor);
  ADJ_TRY(check_shards(kName, d));
  return check_reduction(kName, d.reduction, d.element);
}
Result<void> call(const CallContext& call) {
  const auto& d = descriptor_of<Descriptor>(call);
  const auto& a = args_of<Args>(call);
  auto c = Comm::of(call, a.communicator, d.ranks);
  if (!c) return c.take_error();
  const auto* owners = static_cast<const std::vector<int>*>(call.state);
  if (!owners) ADJ_TRY(check_own_parts(kName, "outputs", "inputs", numel_of(d), d.element, a.outputs.data, a.inputs.data, c->rank, d.ranks));
  return c->group([&] {
    cu::NcclResult rc = 0;
    for (std::int64_t i = 0; i < d.count && !rc; ++i) {
      const auto count = static_cast<std::size_t>(d.numel[i]);
      if (count == 0) continue;
      rc = owners ? c->api->reduce(a.inputs.data[i], a.outputs.data[i], count, nccl_type(d.element), nccl_reduction(d.reduction, c->ranks),
                                   (*owners)[static_cast<std::size_t>(i)], c->comm, c->stream)
                  : c->api->reduce_scatter(a.inputs.data[i], a.outputs.data[i], count, nccl_type(d.element), nccl_reduction(d.reduction, c->ranks), c->comm,
                                           c->stream);
    }
    return rc;
  });
}
Result<void> plan(const PlanRequest& request, PlanBuilder& builder) {
  const auto& d = *static_cast<const Descriptor*>(request.descriptor);
  return plan_call<Descriptor>(kName, request, builder, call, host_step<Descriptor, Args, host::reduce_scatter>, host::reduce_scatter_workspace(d));
}
constexpr OnnxBinding kOnnx[] = {{"ms", "NcclReduceScatter", sample<Descriptor>}};
const std::vector<Variant>& variants() {
  static const auto* list = new std::vector<Variant>(rows("ncclReduceScatter, or ncclReduce to the owner, of each tensor, one group", nccl_sums, host_sums));
  return *list;
}

}  // namespace scatter

// ---- broadcast

namespace cast {

using namespace broadcast_tables;

Result<void> call(const CallContext& call) {
  const auto& d = descriptor_of<Descriptor>(call);
  const auto& a = args_of<Args>(call);
  auto c = Comm::of(call, a.communicator, -1);
  if (!c) return c.take_error();
  if (d.root >= c->ranks) return fail(ADJ_ERROR_INVALID_PROBLEM, "{}: root = {}, the communicator has {} ranks", kName, d.root, c->ranks);
  return c->group([&] {
    cu::NcclResult rc = 0;
    for (std::int64_t i = 0; i < d.count && !rc; ++i)
      if (const std::size_t bytes = static_cast<std::size_t>(d.numel[i]) * size_of(d.element); bytes)
        rc = c->api->broadcast(a.tensors.data[i], a.tensors.data[i], bytes, cu::kNcclUint8, static_cast<int>(d.root), c->comm, c->stream);
    return rc;
  });
}
Result<void> plan(const PlanRequest& request, PlanBuilder& builder) {
  const auto& d = *static_cast<const Descriptor*>(request.descriptor);
  return plan_call<Descriptor>(kName, request, builder, call, host_step<Descriptor, Args, host::broadcast>, host::broadcast_workspace(d));
}
const std::vector<Variant>& variants() {
  static const auto* list = new std::vector<Variant>(rows("ncclBroadcast of each tensor, one group", exact_guarantee, exact_guarantee));
  return *list;
}
constexpr std::span<const OnnxBinding> kOnnx;

}  // namespace cast

// ---- send and recv

// Sends or receives the tensors of a list.
template <class Descriptor, class Args, class Transfer>
Result<void> call_point(const CallContext& call, Transfer transfer) {
  const auto& d = descriptor_of<Descriptor>(call);
  const auto& a = args_of<Args>(call);
  auto c = Comm::of(call, a.communicator, -1);
  if (!c) return c.take_error();
  if (d.peer >= c->ranks) return fail(ADJ_ERROR_INVALID_PROBLEM, "{}: peer = {}, the communicator has {} ranks", c->op, d.peer, c->ranks);
  if (d.peer == c->rank) return fail(ADJ_ERROR_INVALID_PROBLEM, "{}: peer = {} is the own rank", c->op, d.peer);
  return c->group([&] {
    cu::NcclResult rc = 0;
    for (std::int64_t i = 0; i < d.count && !rc; ++i)
      if (const std::size_t bytes = static_cast<std::size_t>(d.numel[i]) * size_of(d.element); bytes)
        rc = transfer(*c, a.tensors.data[i], bytes, static_cast<int>(d.peer));
    return rc;
  });
}

namespace sending {

using namespace send_tables;

Result<void> call(const CallContext& call) {
  return call_point<Descriptor, Args>(
      call, [](const Comm& c, const void* data, std::size_t bytes, int peer) { return c.api->send(data, bytes, cu::kNcclUint8, peer, c.comm, c.stream); });
}
Result<void> plan(const PlanRequest& request, PlanBuilder& builder) {
  return plan_call<Descriptor>(kName, request, builder, call, host_step<Descriptor, Args, host::send>, 0);
}
constexpr OnnxBinding kOnnx[] = {{"ms", "Send", sample_point<Descriptor>, kMixedTypes}};
const std::vector<Variant>& variants() {
  static const auto* list = new std::vector<Variant>(rows("ncclSend of each tensor, one group", exact_guarantee, exact_guarantee));
  return *list;
}

}  // namespace sending

namespace receiving {

using namespace recv_tables;

Result<void> call(const CallContext& call) {
  return call_point<Descriptor, Args>(
      call, [](const Comm& c, void* data, std::size_t bytes, int peer) { return c.api->recv(data, bytes, cu::kNcclUint8, peer, c.comm, c.stream); });
}
Result<void> plan(const PlanRequest& request, PlanBuilder& builder) {
  return plan_call<Descriptor>(kName, request, builder, call, host_step<Descriptor, Args, host::recv>, 0);
}
constexpr OnnxBinding kOnnx[] = {{"ms", "Recv", sample_point<Descriptor>, kMixedTypes}};
const std::vector<Variant>& variants() {
  static const auto* list = new std::vector<Variant>(rows("ncclRecv of each tensor, one group", exact_guarantee, exact_guarantee));
  return *list;
}

}  // namespace receiving

}  // namespace

#define ADJ_COLLECTIVE_INFO(op, space, list, check)                                                            \
  const OpInfo& info_##op() {                                                                                  \
    static const OpInfo info = op_info(space::base_info(), {.signatures = list,                                \
                                                            .signature_columns = "element",                    \
                                                            .variants = space::variants(),                     \
                                                            .onnx = space::kOnnx,                              \
                                                            .validate = check,                                 \
                                                            .signature = element_signature<space::Descriptor>, \
                                                            .finish = space::plan});                           \
    return info;                                                                                               \
  }
ADJ_COLLECTIVE_INFO(all_reduce, reduce_all, reduced_signatures(), reduce_all::validate)
ADJ_COLLECTIVE_INFO(all_gather, gather, all_element_signatures(), gather::validate)
ADJ_COLLECTIVE_INFO(reduce_scatter, scatter, reduced_signatures(), scatter::validate)
ADJ_COLLECTIVE_INFO(broadcast, cast, all_element_signatures(), nullptr)
ADJ_COLLECTIVE_INFO(send, sending, all_element_signatures(), nullptr)
ADJ_COLLECTIVE_INFO(recv, receiving, all_element_signatures(), nullptr)

}  // namespace adj
