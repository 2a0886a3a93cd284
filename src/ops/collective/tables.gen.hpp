// Written by tools/generate.py from include/adjoint/ops/collective.h. Do not edit.
#pragma once

#include <adjoint/ops/collective.h>

#include "plan/op.hpp"
#include "plan/rules.hpp"
#include "plan/structs.hpp"

namespace adj {
inline constexpr const char* collective_conventions = R"text(Communication between ranks.

Arguments. communicator is the caller's:
- On a CUDA stream it is an ncclComm_t of the stream's device, from adj_comm_init or any other source. NCCL is loaded when it is first needed. Where
  NCCL is missing, select fails with ADJ_ERROR_BACKEND_UNAVAILABLE.
- On the host stream it is a rank's handle of adj_host_comm_create. Every rank is a thread of the process.
All ranks make the same calls in the same order, with descriptors that differ in the peer at most. On the host, ranks that disagree in operator, types
or counts all get an error. NCCL cannot tell, and its calls may then hang or exchange wrong bytes.

Results. The tensors of a list travel in one group. NCCL reduces elements in their own type, and its result is the same on all ranks and in every run
of one topology. The host adds in f64, in the order of the ranks, and rounds once. A call may be captured in a CUDA graph. With a communicator of one
rank results are copies of what that rank brings.

Terms (see adj_guarantee). The terms of a sum are the elements of the ranks, those of an average these divided by the number of ranks, that of a
product the product. Maxima and minima are exact. NCCL rounds at every addition, and for an average also the factor 1 / ranks and each product with
it. With R ranks
    bound_terms = (R + 1) u,   u = 2^-24 for f32, 2^-53 for f64, 2^-11 for f16, 2^-8 for bf16
SKUs state it for 8 ranks. The bound of adasum_all_reduce holds for up to 64 ranks.

Source: com.microsoft NcclAllReduce, NcclAllGather, NcclReduceScatter, Send, Recv, AdasumAllReduce, MegatronF and MegatronG.)text";
}

namespace adj::all_reduce_tables {

using Descriptor = adj_all_reduce_descriptor;
using Args = adj_all_reduce_args;
inline constexpr const char* kName = "all_reduce";
inline const Descriptor kDefault{};
inline const Args kDefaultArgs{};
inline constexpr const char* kDefinition = R"text(outputs[i] = the reduction over all ranks of inputs[i].)text";
enum Argument : int { kCommunicator, kInputs, kOutputs };
inline constexpr ArgumentInfo kArguments[] = {
    {"communicator", offsetof(Args, communicator), ArgumentKind::handle, Role::in, 0, Space::stream, Given::always, "an ncclComm_t of the device; on the host stream a handle of adj_host_comm_create", ""},
    {"inputs", offsetof(Args, inputs), ArgumentKind::list, Role::in, 0, Space::stream, Given::always, "[numel] element", ""},
    {"outputs", offsetof(Args, outputs), ArgumentKind::list, Role::out, 1u << kInputs, Space::stream, Given::always, "[numel] element; may be inputs itself", ""},
};
inline constexpr Field kFields[] = {
    {"numel", nullptr, kFieldI64List, offsetof(Descriptor, numel), "host array of count element counts >= 0; copied by select"},
    {"reduction", "default,sum,average,max,min,prod", kFieldI32, offsetof(Descriptor, reduction), "default: sum"},
    {"element", nullptr, kFieldDtype, offsetof(Descriptor, element), "f32, f64, f16, bf16, i8, u8, i32, u32, i64, u64"},
};
inline constexpr Term kTerms[] = {
    {TermOp::type, 1, offsetof(Descriptor, element), kNoTerm, 0},
    {TermOp::list, 0, offsetof(Descriptor, numel), 0, 0},
    {TermOp::items, -1, 1, kNoTerm, 0},
};
inline constexpr KnownField kKnownFields[] = {
    {"numel", kFieldI64List, offsetof(Descriptor, numel), kNoTerm, false, 0},
    {"element", kFieldDtype, offsetof(Descriptor, element), kNoTerm, false, 0},
};
inline constexpr ArgumentTerms kArgumentTerms[] = {
    {kNoTerm, kNoTerm, kNoTerm, kNoTerm},
    {2, 0, kNoTerm, kNoTerm},
    {2, 0, kNoTerm, kNoTerm},
};
inline void stated_shapes([[maybe_unused]] const void* descriptor, std::span<ArgumentSpec> arguments) {
  using namespace rules;
  [[maybe_unused]] const auto& d = *static_cast<const Descriptor*>(descriptor);
  arguments[kCommunicator] = ArgumentSpec::handle();
  arguments[kInputs] = ArgumentSpec::list(d.element, list_of(d.numel, d.count));
  arguments[kOutputs] = ArgumentSpec::list(d.element, list_of(d.numel, d.count));
}
// Facts that stand in the header. The operator's planning adds its functions and rows.
inline OpInfo base_info() {
  OpInfo info{};
  info.id = ADJ_OP_ALL_REDUCE;
  info.name = kName;
  info.family = "collective";
  info.definition = kDefinition;
  info.conventions = collective_conventions;
  info.descriptor_size = sizeof(Descriptor);
  info.args_size = sizeof(Args);
  info.first_descriptor_size = static_cast<std::uint32_t>(first_size(ADJ_TAG_ALL_REDUCE_DESCRIPTOR));
  info.first_args_size = static_cast<std::uint32_t>(first_size(ADJ_TAG_ALL_REDUCE_ARGS));
  info.default_descriptor = &kDefault;
  info.default_args = &kDefaultArgs;
  info.fields = kFields;
  info.arguments = kArguments;
  info.terms = kTerms;
  info.known_fields = kKnownFields;
  info.argument_terms = kArgumentTerms;
  info.shapes = stated_shapes;
  return info;
}

}  // namespace adj::all_reduce_tables

namespace adj::all_gather_tables {

using Descriptor = adj_all_gather_descriptor;
using Args = adj_all_gather_args;
inline constexpr const char* kName = "all_gather";
inline const Descriptor kDefault{};
inline const Args kDefaultArgs{};
inline constexpr const char* kDefinition = R"text(Even: outputs[i] is the concatenation of the inputs[i] of all ranks, numel[i] elements each. Whole: outputs[i] is the inputs[i] of
the rank that owns it. In place, inputs[i] is the part of outputs[i] that this rank brings (even), or outputs[i] itself (whole); as
the part of another rank it is refused with ADJ_ERROR_ALIASING.)text";
enum Argument : int { kCommunicator, kInputs, kOutputs };
inline constexpr ArgumentInfo kArguments[] = {
    {"communicator", offsetof(Args, communicator), ArgumentKind::handle, Role::in, 0, Space::stream, Given::always, "an ncclComm_t of the device; on the host stream a handle of adj_host_comm_create", ""},
    {"inputs", offsetof(Args, inputs), ArgumentKind::list, Role::in, 0, Space::stream, Given::always, "[numel] element; may be a part of outputs: an entry may be the part of this rank", "", 1u << kOutputs},
    {"outputs", offsetof(Args, outputs), ArgumentKind::list, Role::out, 1u << kInputs, Space::stream, Given::always, "[layout == whole ? numel : ranks * numel], element; may be inputs itself", ""},
};
inline constexpr Field kFields[] = {
    {"ranks", nullptr, kFieldI64, offsetof(Descriptor, ranks), "of the communicator, >= 1; must be given"},
    {"numel", nullptr, kFieldI64List, offsetof(Descriptor, numel), "host array of count element counts of the inputs >= 0; copied by select"},
    {"layout", "default,even,whole", kFieldI32, offsetof(Descriptor, layout), "default: even"},
    {"element", nullptr, kFieldDtype, offsetof(Descriptor, element), "every type of adj_dtype"},
};
inline constexpr Term kTerms[] = {
    {TermOp::type, 2, offsetof(Descriptor, element), kNoTerm, 0},
    {TermOp::list, 1, offsetof(Descriptor, numel), 0, 0},
    {TermOp::items, -1, 1, kNoTerm, 0},
    {TermOp::i32, -1, offsetof(Descriptor, layout), 0, 0},
    {TermOp::number, -1, ADJ_SHARD_LAYOUT_WHOLE, 0, 0},
    {TermOp::eq, -1, 3, 4, 0},
    {TermOp::i64, 0, offsetof(Descriptor, ranks), 0, 0},
    {TermOp::mul, -1, 6, 1, 0},
    {TermOp::choose, -1, 5, 1, 7},
    {TermOp::items, -1, 8, kNoTerm, 0},
};
inline constexpr KnownField kKnownFields[] = {
    {"ranks", kFieldI64, offsetof(Descriptor, ranks), kNoTerm, false, 0},
    {"numel", kFieldI64List, offsetof(Descriptor, numel), kNoTerm, false, 0},
    {"element", kFieldDtype, offsetof(Descriptor, element), kNoTerm, false, 0},
};
inline constexpr ArgumentTerms kArgumentTerms[] = {
    {kNoTerm, kNoTerm, kNoTerm, kNoTerm},
    {2, 0, kNoTerm, kNoTerm},
    {9, 0, kNoTerm, kNoTerm},
};
inline void stated_shapes([[maybe_unused]] const void* descriptor, std::span<ArgumentSpec> arguments) {
  using namespace rules;
  [[maybe_unused]] const auto& d = *static_cast<const Descriptor*>(descriptor);
  arguments[kCommunicator] = ArgumentSpec::handle();
  arguments[kInputs] = ArgumentSpec::list(d.element, list_of(d.numel, d.count));
  arguments[kOutputs] = each(d.element, d.count, [&](std::int64_t i) { return ((d.layout == ADJ_SHARD_LAYOUT_WHOLE) ? d.numel[i] : (d.ranks * d.numel[i])); });
}
// Facts that stand in the header. The operator's planning adds its functions and rows.
inline OpInfo base_info() {
  OpInfo info{};
  info.id = ADJ_OP_ALL_GATHER;
  info.name = kName;
  info.family = "collective";
  info.definition = kDefinition;
  info.conventions = collective_conventions;
  info.descriptor_size = sizeof(Descriptor);
  info.args_size = sizeof(Args);
  info.first_descriptor_size = static_cast<std::uint32_t>(first_size(ADJ_TAG_ALL_GATHER_DESCRIPTOR));
  info.first_args_size = static_cast<std::uint32_t>(first_size(ADJ_TAG_ALL_GATHER_ARGS));
  info.default_descriptor = &kDefault;
  info.default_args = &kDefaultArgs;
  info.fields = kFields;
  info.arguments = kArguments;
  info.terms = kTerms;
  info.known_fields = kKnownFields;
  info.argument_terms = kArgumentTerms;
  info.shapes = stated_shapes;
  return info;
}

}  // namespace adj::all_gather_tables

namespace adj::reduce_scatter_tables {

using Descriptor = adj_reduce_scatter_descriptor;
using Args = adj_reduce_scatter_args;
inline constexpr const char* kName = "reduce_scatter";
inline const Descriptor kDefault{};
inline const Args kDefaultArgs{};
inline constexpr const char* kDefinition = R"text(Even: outputs[i] is this rank's part of the reduction over all ranks of inputs[i]. Whole: outputs[i] is the reduction where this rank
owns tensor i, and is left as it is elsewhere. In place, outputs[i] is this rank's part of inputs[i] (even), or inputs[i] itself
(whole); as the part of another rank it is refused with ADJ_ERROR_ALIASING.)text";
enum Argument : int { kCommunicator, kInputs, kOutputs };
inline constexpr ArgumentInfo kArguments[] = {
    {"communicator", offsetof(Args, communicator), ArgumentKind::handle, Role::in, 0, Space::stream, Given::always, "an ncclComm_t of the device; on the host stream a handle of adj_host_comm_create", ""},
    {"inputs", offsetof(Args, inputs), ArgumentKind::list, Role::in, 0, Space::stream, Given::always, "[layout == whole ? numel : ranks * numel], element", ""},
    {"outputs", offsetof(Args, outputs), ArgumentKind::list, Role::inout, 1u << kInputs, Space::stream, Given::always, "[numel] element; may be inputs itself; may be a part of inputs: an entry may be the part of this rank", "", 1u << kInputs},
};
inline constexpr Field kFields[] = {
    {"ranks", nullptr, kFieldI64, offsetof(Descriptor, ranks), "of the communicator, >= 1; must be given"},
    {"numel", nullptr, kFieldI64List, offsetof(Descriptor, numel), "host array of count element counts of the outputs >= 0; copied by select"},
    {"layout", "default,even,whole", kFieldI32, offsetof(Descriptor, layout), "default: even"},
    {"reduction", "default,sum,average,max,min,prod", kFieldI32, offsetof(Descriptor, reduction), "default: sum"},
    {"element", nullptr, kFieldDtype, offsetof(Descriptor, element), "f32, f64, f16, bf16, i8, u8, i32, u32, i64, u64"},
};
inline constexpr Term kTerms[] = {
    {TermOp::type, 2, offsetof(Descriptor, element), kNoTerm, 0},
    {TermOp::i32, -1, offsetof(Descriptor, layout), 0, 0},
    {TermOp::number, -1, ADJ_SHARD_LAYOUT_WHOLE, 0, 0},
    {TermOp::eq, -1, 1, 2, 0},
    {TermOp::list, 1, offsetof(Descriptor, numel), 0, 0},
    {TermOp::i64, 0, offsetof(Descriptor, ranks), 0, 0},
    {TermOp::mul, -1, 5, 4, 0},
    {TermOp::choose, -1, 3, 4, 6},
    {TermOp::items, -1, 7, kNoTerm, 0},
    {TermOp::items, -1, 4, kNoTerm, 0},
};
inline constexpr KnownField kKnownFields[] = {
    {"ranks", kFieldI64, offsetof(Descriptor, ranks), kNoTerm, false, 0},
    {"numel", kFieldI64List, offsetof(Descriptor, numel), kNoTerm, false, 0},
    {"element", kFieldDtype, offsetof(Descriptor, element), kNoTerm, false, 0},
};
inline constexpr ArgumentTerms kArgumentTerms[] = {
    {kNoTerm, kNoTerm, kNoTerm, kNoTerm},
    {8, 0, kNoTerm, kNoTerm},
    {9, 0, kNoTerm, kNoTerm},
};
inline void stated_shapes([[maybe_unused]] const void* descriptor, std::span<ArgumentSpec> arguments) {
  using namespace rules;
  [[maybe_unused]] const auto& d = *static_cast<const Descriptor*>(descriptor);
  arguments[kCommunicator] = ArgumentSpec::handle();
  arguments[kInputs] = each(d.element, d.count, [&](std::int64_t i) { return ((d.layout == ADJ_SHARD_LAYOUT_WHOLE) ? d.numel[i] : (d.ranks * d.numel[i])); });
  arguments[kOutputs] = ArgumentSpec::list(d.element, list_of(d.numel, d.count));
}
// Facts that stand in the header. The operator's planning adds its functions and rows.
inline OpInfo base_info() {
  OpInfo info{};
  info.id = ADJ_OP_REDUCE_SCATTER;
  info.name = kName;
  info.family = "collective";
  info.definition = kDefinition;
  info.conventions = collective_conventions;
  info.descriptor_size = sizeof(Descriptor);
  info.args_size = sizeof(Args);
  info.first_descriptor_size = static_cast<std::uint32_t>(first_size(ADJ_TAG_REDUCE_SCATTER_DESCRIPTOR));
  info.first_args_size = static_cast<std::uint32_t>(first_size(ADJ_TAG_REDUCE_SCATTER_ARGS));
  info.default_descriptor = &kDefault;
  info.default_args = &kDefaultArgs;
  info.fields = kFields;
  info.arguments = kArguments;
  info.terms = kTerms;
  info.known_fields = kKnownFields;
  info.argument_terms = kArgumentTerms;
  info.shapes = stated_shapes;
  return info;
}

}  // namespace adj::reduce_scatter_tables

namespace adj::send_tables {

using Descriptor = adj_send_descriptor;
using Args = adj_send_args;
inline constexpr const char* kName = "send";
inline const Descriptor kDefault{};
inline const Args kDefaultArgs{};
inline constexpr const char* kDefinition = R"text(Sends tensors to another rank, where recv with the same types and counts takes them. A receiver that does not know the counts takes
them first, by a call of its own for a tensor of fixed extent. On the host a copy is sent and the call does not wait.)text";
enum Argument : int { kCommunicator, kTensors };
inline constexpr ArgumentInfo kArguments[] = {
    {"communicator", offsetof(Args, communicator), ArgumentKind::handle, Role::in, 0, Space::stream, Given::always, "an ncclComm_t of the device; on the host stream a handle of adj_host_comm_create", ""},
    {"tensors", offsetof(Args, tensors), ArgumentKind::list, Role::in, 0, Space::stream, Given::always, "[numel] element", ""},
};
inline constexpr Field kFields[] = {
    {"peer", nullptr, kFieldI64, offsetof(Descriptor, peer), "rank that receives, not this one; must be given"},
    {"numel", nullptr, kFieldI64List, offsetof(Descriptor, numel), "host array of count element counts >= 0; copied by select"},
    {"element", nullptr, kFieldDtype, offsetof(Descriptor, element), "every type of adj_dtype"},
};
inline constexpr Term kTerms[] = {
    {TermOp::type, 1, offsetof(Descriptor, element), kNoTerm, 0},
    {TermOp::list, 0, offsetof(Descriptor, numel), 0, 0},
    {TermOp::items, -1, 1, kNoTerm, 0},
};
inline constexpr KnownField kKnownFields[] = {
    {"numel", kFieldI64List, offsetof(Descriptor, numel), kNoTerm, false, 0},
    {"element", kFieldDtype, offsetof(Descriptor, element), kNoTerm, false, 0},
};
inline constexpr ArgumentTerms kArgumentTerms[] = {
    {kNoTerm, kNoTerm, kNoTerm, kNoTerm},
    {2, 0, kNoTerm, kNoTerm},
};
inline void stated_shapes([[maybe_unused]] const void* descriptor, std::span<ArgumentSpec> arguments) {
  using namespace rules;
  [[maybe_unused]] const auto& d = *static_cast<const Descriptor*>(descriptor);
  arguments[kCommunicator] = ArgumentSpec::handle();
  arguments[kTensors] = ArgumentSpec::list(d.element, list_of(d.numel, d.count));
}
// Facts that stand in the header. The operator's planning adds its functions and rows.
inline OpInfo base_info() {
  OpInfo info{};
  info.id = ADJ_OP_SEND;
  info.name = kName;
  info.family = "collective";
  info.definition = kDefinition;
  info.conventions = collective_conventions;
  info.descriptor_size = sizeof(Descriptor);
  info.args_size = sizeof(Args);
  info.first_descriptor_size = static_cast<std::uint32_t>(first_size(ADJ_TAG_SEND_DESCRIPTOR));
  info.first_args_size = static_cast<std::uint32_t>(first_size(ADJ_TAG_SEND_ARGS));
  info.default_descriptor = &kDefault;
  info.default_args = &kDefaultArgs;
  info.fields = kFields;
  info.arguments = kArguments;
  info.terms = kTerms;
  info.known_fields = kKnownFields;
  info.argument_terms = kArgumentTerms;
  info.shapes = stated_shapes;
  return info;
}

}  // namespace adj::send_tables

namespace adj::recv_tables {

using Descriptor = adj_recv_descriptor;
using Args = adj_recv_args;
inline constexpr const char* kName = "recv";
inline const Descriptor kDefault{};
inline const Args kDefaultArgs{};
inline constexpr const char* kDefinition = R"text(Receives what another rank sends.)text";
enum Argument : int { kCommunicator, kTensors };
inline constexpr ArgumentInfo kArguments[] = {
    {"communicator", offsetof(Args, communicator), ArgumentKind::handle, Role::in, 0, Space::stream, Given::always, "an ncclComm_t of the device; on the host stream a handle of adj_host_comm_create", ""},
    {"tensors", offsetof(Args, tensors), ArgumentKind::list, Role::out, 0, Space::stream, Given::always, "[numel] element", ""},
};
inline constexpr Field kFields[] = {
    {"peer", nullptr, kFieldI64, offsetof(Descriptor, peer), "rank that sends, not this one; must be given"},
    {"numel", nullptr, kFieldI64List, offsetof(Descriptor, numel), "host array of count element counts >= 0; copied by select"},
    {"element", nullptr, kFieldDtype, offsetof(Descriptor, element), "every type of adj_dtype"},
};
inline constexpr Term kTerms[] = {
    {TermOp::type, 1, offsetof(Descriptor, element), kNoTerm, 0},
    {TermOp::list, 0, offsetof(Descriptor, numel), 0, 0},
    {TermOp::items, -1, 1, kNoTerm, 0},
};
inline constexpr KnownField kKnownFields[] = {
    {"numel", kFieldI64List, offsetof(Descriptor, numel), kNoTerm, false, 0},
    {"element", kFieldDtype, offsetof(Descriptor, element), kNoTerm, false, 0},
};
inline constexpr ArgumentTerms kArgumentTerms[] = {
    {kNoTerm, kNoTerm, kNoTerm, kNoTerm},
    {2, 0, kNoTerm, kNoTerm},
};
inline void stated_shapes([[maybe_unused]] const void* descriptor, std::span<ArgumentSpec> arguments) {
  using namespace rules;
  [[maybe_unused]] const auto& d = *static_cast<const Descriptor*>(descriptor);
  arguments[kCommunicator] = ArgumentSpec::handle();
  arguments[kTensors] = ArgumentSpec::list(d.element, list_of(d.numel, d.count));
}
// Facts that stand in the header. The operator's planning adds its functions and rows.
inline OpInfo base_info() {
  OpInfo info{};
  info.id = ADJ_OP_RECV;
  info.name = kName;
  info.family = "collective";
  info.definition = kDefinition;
  info.conventions = collective_conventions;
  info.descriptor_size = sizeof(Descriptor);
  info.args_size = sizeof(Args);
  info.first_descriptor_size = static_cast<std::uint32_t>(first_size(ADJ_TAG_RECV_DESCRIPTOR));
  info.first_args_size = static_cast<std::uint32_t>(first_size(ADJ_TAG_RECV_ARGS));
  info.default_descriptor = &kDefault;
  info.default_args = &kDefaultArgs;
  info.fields = kFields;
  info.arguments = kArguments;
  info.terms = kTerms;
  info.known_fields = kKnownFields;
  info.argument_terms = kArgumentTerms;
  info.shapes = stated_shapes;
  return info;
}

}  // namespace adj::recv_tables

namespace adj::broadcast_tables {

using Descriptor = adj_broadcast_descriptor;
using Args = adj_broadcast_args;
inline constexpr const char* kName = "broadcast";
inline const Descriptor kDefault{};
inline const Args kDefaultArgs{};
inline constexpr const char* kDefinition = R"text(tensors[i] of every rank become those of the rank root.)text";
enum Argument : int { kCommunicator, kTensors };
inline constexpr ArgumentInfo kArguments[] = {
    {"communicator", offsetof(Args, communicator), ArgumentKind::handle, Role::in, 0, Space::stream, Given::always, "an ncclComm_t of the device; on the host stream a handle of adj_host_comm_create", ""},
    {"tensors", offsetof(Args, tensors), ArgumentKind::list, Role::inout, 0, Space::stream, Given::always, "[numel] element", ""},
};
inline constexpr Field kFields[] = {
    {"root", nullptr, kFieldI64, offsetof(Descriptor, root), "a rank of the communicator"},
    {"numel", nullptr, kFieldI64List, offsetof(Descriptor, numel), "host array of count element counts >= 0; copied by select"},
    {"element", nullptr, kFieldDtype, offsetof(Descriptor, element), "every type of adj_dtype"},
};
inline constexpr Term kTerms[] = {
    {TermOp::type, 1, offsetof(Descriptor, element), kNoTerm, 0},
    {TermOp::list, 0, offsetof(Descriptor, numel), 0, 0},
    {TermOp::items, -1, 1, kNoTerm, 0},
};
inline constexpr KnownField kKnownFields[] = {
    {"numel", kFieldI64List, offsetof(Descriptor, numel), kNoTerm, false, 0},
    {"element", kFieldDtype, offsetof(Descriptor, element), kNoTerm, false, 0},
};
inline constexpr ArgumentTerms kArgumentTerms[] = {
    {kNoTerm, kNoTerm, kNoTerm, kNoTerm},
    {2, 0, kNoTerm, kNoTerm},
};
inline void stated_shapes([[maybe_unused]] const void* descriptor, std::span<ArgumentSpec> arguments) {
  using namespace rules;
  [[maybe_unused]] const auto& d = *static_cast<const Descriptor*>(descriptor);
  arguments[kCommunicator] = ArgumentSpec::handle();
  arguments[kTensors] = ArgumentSpec::list(d.element, list_of(d.numel, d.count));
}
// Facts that stand in the header. The operator's planning adds its functions and rows.
inline OpInfo base_info() {
  OpInfo info{};
  info.id = ADJ_OP_BROADCAST;
  info.name = kName;
  info.family = "collective";
  info.definition = kDefinition;
  info.conventions = collective_conventions;
  info.descriptor_size = sizeof(Descriptor);
  info.args_size = sizeof(Args);
  info.first_descriptor_size = static_cast<std::uint32_t>(first_size(ADJ_TAG_BROADCAST_DESCRIPTOR));
  info.first_args_size = static_cast<std::uint32_t>(first_size(ADJ_TAG_BROADCAST_ARGS));
  info.default_descriptor = &kDefault;
  info.default_args = &kDefaultArgs;
  info.fields = kFields;
  info.arguments = kArguments;
  info.terms = kTerms;
  info.known_fields = kKnownFields;
  info.argument_terms = kArgumentTerms;
  info.shapes = stated_shapes;
  return info;
}

}  // namespace adj::broadcast_tables

namespace adj::adasum_all_reduce_tables {

using Descriptor = adj_adasum_all_reduce_descriptor;
using Args = adj_adasum_all_reduce_args;
inline constexpr const char* kName = "adasum_all_reduce";
inline const Descriptor kDefault{};
inline const Args kDefaultArgs{};
inline constexpr const char* kDefinition = R"text(Adasum over all ranks, 1, 2, 4, .. of them: with
    adasum(a, b) = (1 - a.b / (2 a.a)) a + (1 - a.b / (2 b.b)) b,   a factor being 1 where its square a.a or b.b is below 1.5e-154,
outputs[i] is adasum(adasum(r_0, r_1), adasum(r_2, r_3)), and so on, of the inputs[i] of ranks 0, 1, ..; products are per tensor.
Sums of products are taken in f64, the vectors between the levels are f32 (f64 for f64), and the result is rounded once.)text";
enum Argument : int { kCommunicator, kInputs, kOutputs };
inline constexpr ArgumentInfo kArguments[] = {
    {"communicator", offsetof(Args, communicator), ArgumentKind::handle, Role::in, 0, Space::stream, Given::always, "an ncclComm_t of the device; on the host stream a handle of adj_host_comm_create", ""},
    {"inputs", offsetof(Args, inputs), ArgumentKind::list, Role::in, 0, Space::stream, Given::always, "[numel] element", ""},
    {"outputs", offsetof(Args, outputs), ArgumentKind::list, Role::out, 1u << kInputs, Space::stream, Given::always, "[numel] element; may be inputs itself", ""},
};
inline constexpr Field kFields[] = {
    {"ranks", nullptr, kFieldI64, offsetof(Descriptor, ranks), "of the communicator, a power of two; must be given"},
    {"numel", nullptr, kFieldI64List, offsetof(Descriptor, numel), "host array of count element counts >= 0; copied by select"},
    {"element", nullptr, kFieldDtype, offsetof(Descriptor, element), "f32, f64, f16, bf16"},
};
inline constexpr Term kTerms[] = {
    {TermOp::type, 1, offsetof(Descriptor, element), kNoTerm, 0},
    {TermOp::list, 0, offsetof(Descriptor, numel), 0, 0},
    {TermOp::items, -1, 1, kNoTerm, 0},
};
inline constexpr KnownField kKnownFields[] = {
    {"numel", kFieldI64List, offsetof(Descriptor, numel), kNoTerm, false, 0},
    {"element", kFieldDtype, offsetof(Descriptor, element), kNoTerm, false, 0},
};
inline constexpr ArgumentTerms kArgumentTerms[] = {
    {kNoTerm, kNoTerm, kNoTerm, kNoTerm},
    {2, 0, kNoTerm, kNoTerm},
    {2, 0, kNoTerm, kNoTerm},
};
inline void stated_shapes([[maybe_unused]] const void* descriptor, std::span<ArgumentSpec> arguments) {
  using namespace rules;
  [[maybe_unused]] const auto& d = *static_cast<const Descriptor*>(descriptor);
  arguments[kCommunicator] = ArgumentSpec::handle();
  arguments[kInputs] = ArgumentSpec::list(d.element, list_of(d.numel, d.count));
  arguments[kOutputs] = ArgumentSpec::list(d.element, list_of(d.numel, d.count));
}
// Facts that stand in the header. The operator's planning adds its functions and rows.
inline OpInfo base_info() {
  OpInfo info{};
  info.id = ADJ_OP_ADASUM_ALL_REDUCE;
  info.name = kName;
  info.family = "collective";
  info.definition = kDefinition;
  info.conventions = collective_conventions;
  info.descriptor_size = sizeof(Descriptor);
  info.args_size = sizeof(Args);
  info.first_descriptor_size = static_cast<std::uint32_t>(first_size(ADJ_TAG_ADASUM_ALL_REDUCE_DESCRIPTOR));
  info.first_args_size = static_cast<std::uint32_t>(first_size(ADJ_TAG_ADASUM_ALL_REDUCE_ARGS));
  info.default_descriptor = &kDefault;
  info.default_args = &kDefaultArgs;
  info.fields = kFields;
  info.arguments = kArguments;
  info.terms = kTerms;
  info.known_fields = kKnownFields;
  info.argument_terms = kArgumentTerms;
  info.shapes = stated_shapes;
  return info;
}

}  // namespace adj::adasum_all_reduce_tables

namespace adj::megatron_f_tables {

using Descriptor = adj_megatron_f_descriptor;
using Args = adj_megatron_f_args;
inline constexpr const char* kName = "megatron_f";
inline const Descriptor kDefault{};
inline const Args kDefaultArgs{};
inline constexpr const char* kDefinition = R"text(The beginning of a tensor-parallel block: a copy in the forward direction, the sum over all ranks in the backward one.)text";
enum Argument : int { kCommunicator, kInput, kOutput };
inline constexpr ArgumentInfo kArguments[] = {
    {"communicator", offsetof(Args, communicator), ArgumentKind::handle, Role::in, 0, Space::stream, Given::depends, "only if backward", "backward"},
    {"input", offsetof(Args, input), ArgumentKind::tensor, Role::in, 0, Space::stream, Given::always, "[numel] element", ""},
    {"output", offsetof(Args, output), ArgumentKind::tensor, Role::out, 1u << kInput, Space::stream, Given::always, "[numel] element; may be input itself", ""},
};
inline constexpr Field kFields[] = {
    {"numel", nullptr, kFieldI64, offsetof(Descriptor, numel), "elements >= 0; must be given"},
    {"backward", nullptr, kFieldI32, offsetof(Descriptor, backward), "1: the backward direction"},
    {"element", nullptr, kFieldDtype, offsetof(Descriptor, element), "f32, f64, f16, bf16"},
};
inline constexpr Term kTerms[] = {
    {TermOp::number, -1, 1, 0, 0},
    {TermOp::i32, 1, offsetof(Descriptor, backward), 0, 0},
    {TermOp::type, 2, offsetof(Descriptor, element), kNoTerm, 0},
    {TermOp::i64, 0, offsetof(Descriptor, numel), 0, 0},
    {TermOp::items, -1, 3, kNoTerm, 0},
};
inline constexpr KnownField kKnownFields[] = {
    {"numel", kFieldI64, offsetof(Descriptor, numel), 0, false, 0},
    {"backward", kFieldI32, offsetof(Descriptor, backward), kNoTerm, false, 0},
    {"element", kFieldDtype, offsetof(Descriptor, element), kNoTerm, false, 0},
};
inline constexpr ArgumentTerms kArgumentTerms[] = {
    {kNoTerm, kNoTerm, 1, kNoTerm},
    {4, 2, kNoTerm, kNoTerm},
    {4, 2, kNoTerm, kNoTerm},
};
inline void stated_shapes([[maybe_unused]] const void* descriptor, std::span<ArgumentSpec> arguments) {
  using namespace rules;
  [[maybe_unused]] const auto& d = *static_cast<const Descriptor*>(descriptor);
  arguments[kCommunicator] = (d.backward != 0) ? ArgumentSpec::handle() : ArgumentSpec::forbidden();
  arguments[kInput] = tensor(d.element, Dims().add(d.numel));
  arguments[kOutput] = tensor(d.element, Dims().add(d.numel));
}
// Facts that stand in the header. The operator's planning adds its functions and rows.
inline OpInfo base_info() {
  OpInfo info{};
  info.id = ADJ_OP_MEGATRON_F;
  info.name = kName;
  info.family = "collective";
  info.definition = kDefinition;
  info.conventions = collective_conventions;
  info.descriptor_size = sizeof(Descriptor);
  info.args_size = sizeof(Args);
  info.first_descriptor_size = static_cast<std::uint32_t>(first_size(ADJ_TAG_MEGATRON_F_DESCRIPTOR));
  info.first_args_size = static_cast<std::uint32_t>(first_size(ADJ_TAG_MEGATRON_F_ARGS));
  info.default_descriptor = &kDefault;
  info.default_args = &kDefaultArgs;
  info.fields = kFields;
  info.arguments = kArguments;
  info.terms = kTerms;
  info.known_fields = kKnownFields;
  info.argument_terms = kArgumentTerms;
  info.shapes = stated_shapes;
  return info;
}

}  // namespace adj::megatron_f_tables

namespace adj::megatron_g_tables {

using Descriptor = adj_megatron_g_descriptor;
using Args = adj_megatron_g_args;
inline constexpr const char* kName = "megatron_g";
inline const Descriptor kDefault{};
inline const Args kDefaultArgs{};
inline constexpr const char* kDefinition = R"text(The end of a tensor-parallel block: the sum over all ranks in the forward direction, a copy in the backward one.)text";
enum Argument : int { kCommunicator, kInput, kOutput };
inline constexpr ArgumentInfo kArguments[] = {
    {"communicator", offsetof(Args, communicator), ArgumentKind::handle, Role::in, 0, Space::stream, Given::depends, "only if !backward", "!backward"},
    {"input", offsetof(Args, input), ArgumentKind::tensor, Role::in, 0, Space::stream, Given::always, "[numel] element", ""},
    {"output", offsetof(Args, output), ArgumentKind::tensor, Role::out, 1u << kInput, Space::stream, Given::always, "[numel] element; may be input itself", ""},
};
inline constexpr Field kFields[] = {
    {"numel", nullptr, kFieldI64, offsetof(Descriptor, numel), "elements >= 0; must be given"},
    {"backward", nullptr, kFieldI32, offsetof(Descriptor, backward), "1: the backward direction"},
    {"element", nullptr, kFieldDtype, offsetof(Descriptor, element), "f32, f64, f16, bf16"},
};
inline constexpr Term kTerms[] = {
    {TermOp::number, -1, 1, 0, 0},
    {TermOp::i32, -1, offsetof(Descriptor, backward), 0, 0},
    {TermOp::negation, -1, 1, 0, 0},
    {TermOp::type, 1, offsetof(Descriptor, element), kNoTerm, 0},
    {TermOp::i64, 0, offsetof(Descriptor, numel), 0, 0},
    {TermOp::items, -1, 4, kNoTerm, 0},
};
inline constexpr KnownField kKnownFields[] = {
    {"numel", kFieldI64, offsetof(Descriptor, numel), 0, false, 0},
    {"element", kFieldDtype, offsetof(Descriptor, element), kNoTerm, false, 0},
};
inline constexpr ArgumentTerms kArgumentTerms[] = {
    {kNoTerm, kNoTerm, 2, kNoTerm},
    {5, 3, kNoTerm, kNoTerm},
    {5, 3, kNoTerm, kNoTerm},
};
inline void stated_shapes([[maybe_unused]] const void* descriptor, std::span<ArgumentSpec> arguments) {
  using namespace rules;
  [[maybe_unused]] const auto& d = *static_cast<const Descriptor*>(descriptor);
  arguments[kCommunicator] = !(d.backward != 0) ? ArgumentSpec::handle() : ArgumentSpec::forbidden();
  arguments[kInput] = tensor(d.element, Dims().add(d.numel));
  arguments[kOutput] = tensor(d.element, Dims().add(d.numel));
}
// Facts that stand in the header. The operator's planning adds its functions and rows.
inline OpInfo base_info() {
  OpInfo info{};
  info.id = ADJ_OP_MEGATRON_G;
  info.name = kName;
  info.family = "collective";
  info.definition = kDefinition;
  info.conventions = collective_conventions;
  info.descriptor_size = sizeof(Descriptor);
  info.args_size = sizeof(Args);
  info.first_descriptor_size = static_cast<std::uint32_t>(first_size(ADJ_TAG_MEGATRON_G_DESCRIPTOR));
  info.first_args_size = static_cast<std::uint32_t>(first_size(ADJ_TAG_MEGATRON_G_ARGS));
  info.default_descriptor = &kDefault;
  info.default_args = &kDefaultArgs;
  info.fields = kFields;
  info.arguments = kArguments;
  info.terms = kTerms;
  info.known_fields = kKnownFields;
  info.argument_terms = kArgumentTerms;
  info.shapes = stated_shapes;
  return info;
}

}  // namespace adj::megatron_g_tables
