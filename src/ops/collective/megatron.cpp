// megatron_f and megatron_g: a copy in one direction, a sum over all ranks in the other.
#include "ops/collective/nccl.hpp"
#include "ops/collective.gen.hpp"

#include <cstring>

namespace adj {

using namespace collective;

namespace {

// Both operators. megatron_f sums in the backward direction, megatron_g in the forward direction.
template <class Descriptor_, class Args_, bool backward_sums>
struct Megatron {
  using Descriptor = Descriptor_;
  using Args = Args_;
  enum Argument : int { kCommunicator, kInput, kOutput };
  static constexpr const char* kName = backward_sums ? "megatron_f" : "megatron_g";

  static bool sums(const Descriptor& d) { return (d.backward != 0) == backward_sums; }

  static Result<void> call(const CallContext& call) {
    const auto& d = *static_cast<const Descriptor*>(call.plan.descriptor.get());
    const auto& a = *reinterpret_cast<const Args*>(call.args);
    auto c = Comm::of(call, a.communicator, -1);
    if (!c) return c.take_error();
    return c->finish(
        c->api->all_reduce(a.input.data, a.output.data, static_cast<std::size_t>(d.numel), nccl_type(d.element), cu::kNcclSum, c->comm, c->stream));
  }
  static Result<void> call_host(const CallContext& call) {
    const auto& d = *static_cast<const Descriptor*>(call.plan.descriptor.get());
    const auto& a = *reinterpret_cast<const Args*>(call.args);
    return host::take_part(a.communicator,
                           [&] { return host::all_reduce_one(kName, d.numel, d.element, a.communicator, a.input.data, a.output.data, call.workspace); });
  }
  static void copy_host(const void* descriptor, const void* args, void*) {
    const auto& d = *static_cast<const Descriptor*>(descriptor);
    const auto& a = *static_cast<const Args*>(args);
    if (a.input.data != a.output.data) std::memcpy(a.output.data, a.input.data, static_cast<std::size_t>(d.numel) * size_of(d.element));
  }
  static Result<void> plan(const PlanRequest& request, PlanBuilder& builder) {
    const auto& d = *static_cast<const Descriptor*>(request.descriptor);
    if (d.numel == 0) return {};  // on every rank, so no rank waits for this one
    if (!sums(d)) {
      if (request.device) builder.copy(kInput, kOutput);
      else builder.host(copy_host);
      return {};
    }
    if (request.device) {
      ADJ_TRY(check_nccl(*request.device));
      builder.call(nccl_step(call));
    } else {
      builder.book(host::packed_bytes(1, &d.numel, d.element));
      builder.call({.function = call_host});
    }
    return {};
  }
  // The registrations name the forward direction.
  static bool describe(std::span<const adj_dtype> types, void* descriptor) {
    if (types.size() != 1) return false;
    auto& d = *static_cast<Descriptor*>(descriptor);
    d.numel = 16;
    d.element = types[0];
    return true;
  }
  static const std::vector<Variant>& variants() {
    static const auto* list = new std::vector<Variant>(rows("a copy, or ncclAllReduce", nccl_sums, host_sums));
    return *list;
  }
  static OpInfo info(const OpInfo& facts, std::span<const OnnxBinding> onnx) {
    return op_info(facts, {.signatures = float_signatures(),
                           .signature_columns = "element",
                           .variants = variants(),
                           .onnx = onnx,
                           .signature = element_signature<Descriptor>,
                           .finish = plan});
  }
};

using F = Megatron<adj_megatron_f_descriptor, adj_megatron_f_args, true>;
using G = Megatron<adj_megatron_g_descriptor, adj_megatron_g_args, false>;
static_assert(int{F::kOutput} == int{megatron_f_tables::kOutput} && int{G::kOutput} == int{megatron_g_tables::kOutput});
constexpr OnnxBinding kOnnxF[] = {{"ms", "MegatronF", F::describe}};
constexpr OnnxBinding kOnnxG[] = {{"ms", "MegatronG", G::describe}};

}  // namespace

const OpInfo& info_megatron_f() {
  static const OpInfo info = F::info(megatron_f_tables::base_info(), kOnnxF);
  return info;
}
const OpInfo& info_megatron_g() {
  static const OpInfo info = G::info(megatron_g_tables::base_info(), kOnnxG);
  return info;
}

}  // namespace adj
