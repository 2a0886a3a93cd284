// Written by tools/generate.py from include/adjoint/ops/control.h. Do not edit.
#pragma once

#include <adjoint/ops/control.h>

#include "plan/op.hpp"
#include "plan/rules.hpp"
#include "plan/structs.hpp"

namespace adj {
inline constexpr const char* control_conventions = R"text(Order between streams, and the caller's own code. Definitions: com.microsoft Group, RecordEvent, WaitEvent, YieldOp, TritonOp,
PythonOp and PythonOpGrad.)text";
}

namespace adj::group_tables {

using Descriptor = adj_group_descriptor;
using Args = adj_group_args;
inline constexpr const char* kName = "group";
inline const Descriptor kDefault{};
inline const Args kDefaultArgs{};
inline constexpr const char* kDefinition = R"text(A place in the order of a stream: nothing is launched, done is set. It says that the call was reached, not that work on the stream
has ended; record_event and wait_event order streams.)text";
enum Argument : int { kInputs, kDone };
inline constexpr ArgumentInfo kArguments[] = {
    {"inputs", offsetof(Args, inputs), ArgumentKind::list, Role::in, 0, Space::stream, Given::optional, "[numel] element: what has to be there; nothing is read", ""},
    {"done", offsetof(Args, done), ArgumentKind::tensor, Role::out, 0, Space::host, Given::optional, "[1] bool: true, written by the call itself", ""},
};
inline constexpr Field kFields[] = {
    {"numel", nullptr, kFieldI64List, offsetof(Descriptor, numel), "host array of count element counts >= 0; copied by select"},
    {"element", nullptr, kFieldDtype, offsetof(Descriptor, element), "every type of adj_dtype"},
};
inline constexpr Term kTerms[] = {
    {TermOp::number, -1, 1, 0, 0},
    {TermOp::type, 1, offsetof(Descriptor, element), kNoTerm, 0},
    {TermOp::list, 0, offsetof(Descriptor, numel), 0, 0},
    {TermOp::items, -1, 2, kNoTerm, 0},
    {TermOp::number, -1, ADJ_BOOL, 0, 0},
    {TermOp::items, -1, 0, kNoTerm, 0},
};
inline constexpr KnownField kKnownFields[] = {
    {"numel", kFieldI64List, offsetof(Descriptor, numel), kNoTerm, false, 0},
    {"element", kFieldDtype, offsetof(Descriptor, element), kNoTerm, false, 0},
};
inline constexpr ArgumentTerms kArgumentTerms[] = {
    {3, 1, kNoTerm, 0},
    {5, 4, kNoTerm, 0},
};
inline void stated_shapes([[maybe_unused]] const void* descriptor, std::span<ArgumentSpec> arguments) {
  using namespace rules;
  [[maybe_unused]] const auto& d = *static_cast<const Descriptor*>(descriptor);
  arguments[kInputs] = ArgumentSpec::list(d.element, list_of(d.numel, d.count), Presence::optional);
  arguments[kDone] = tensor(ADJ_BOOL, Dims().add(1), Presence::optional);
}
// Facts that stand in the header. The operator's planning adds its functions and rows.
inline OpInfo base_info() {
  OpInfo info{};
  info.id = ADJ_OP_GROUP;
  info.name = kName;
  info.family = "control";
  info.definition = kDefinition;
  info.conventions = control_conventions;
  info.descriptor_size = sizeof(Descriptor);
  info.args_size = sizeof(Args);
  info.first_descriptor_size = static_cast<std::uint32_t>(first_size(ADJ_TAG_GROUP_DESCRIPTOR));
  info.first_args_size = static_cast<std::uint32_t>(first_size(ADJ_TAG_GROUP_ARGS));
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

}  // namespace adj::group_tables

namespace adj::record_event_tables {

using Descriptor = adj_record_event_descriptor;
using Args = adj_record_event_args;
inline constexpr const char* kName = "record_event";
inline const Descriptor kDefault{};
inline const Args kDefaultArgs{};
inline constexpr const char* kDefinition = R"text(outputs = inputs, then event is recorded: it occurs when the work that the stream has so far is done. event is a CUevent or
cudaEvent_t of the stream's device on a CUDA stream, and a handle of adj_host_event_create on the host stream, where it wakes all
who wait for it. Usable while the stream is being captured.)text";
enum Argument : int { kEvent, kInputs, kOutputs };
inline constexpr ArgumentInfo kArguments[] = {
    {"event", offsetof(Args, event), ArgumentKind::handle, Role::in, 0, Space::stream, Given::depends, "only if !skip", "!skip"},
    {"inputs", offsetof(Args, inputs), ArgumentKind::list, Role::in, 0, Space::stream, Given::always, "[numel] element", ""},
    {"outputs", offsetof(Args, outputs), ArgumentKind::list, Role::out, 1u << kInputs, Space::stream, Given::always, "[numel] element; may be inputs itself", ""},
};
inline constexpr Field kFields[] = {
    {"numel", nullptr, kFieldI64List, offsetof(Descriptor, numel), "host array of count element counts >= 0; copied by select"},
    {"skip", nullptr, kFieldI32, offsetof(Descriptor, skip), "1: no event, tensors are passed on only"},
    {"element", nullptr, kFieldDtype, offsetof(Descriptor, element), "every type of adj_dtype"},
};
inline constexpr Term kTerms[] = {
    {TermOp::i32, -1, offsetof(Descriptor, skip), 0, 0},
    {TermOp::negation, -1, 0, 0, 0},
    {TermOp::type, 1, offsetof(Descriptor, element), kNoTerm, 0},
    {TermOp::list, 0, offsetof(Descriptor, numel), 0, 0},
    {TermOp::items, -1, 3, kNoTerm, 0},
};
inline constexpr KnownField kKnownFields[] = {
    {"numel", kFieldI64List, offsetof(Descriptor, numel), kNoTerm, false, 0},
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
  arguments[kEvent] = !(d.skip != 0) ? ArgumentSpec::handle() : ArgumentSpec::forbidden();
  arguments[kInputs] = ArgumentSpec::list(d.element, list_of(d.numel, d.count));
  arguments[kOutputs] = ArgumentSpec::list(d.element, list_of(d.numel, d.count));
}
// Facts that stand in the header. The operator's planning adds its functions and rows.
inline OpInfo base_info() {
  OpInfo info{};
  info.id = ADJ_OP_RECORD_EVENT;
  info.name = kName;
  info.family = "control";
  info.definition = kDefinition;
  info.conventions = control_conventions;
  info.descriptor_size = sizeof(Descriptor);
  info.args_size = sizeof(Args);
  info.first_descriptor_size = static_cast<std::uint32_t>(first_size(ADJ_TAG_RECORD_EVENT_DESCRIPTOR));
  info.first_args_size = static_cast<std::uint32_t>(first_size(ADJ_TAG_RECORD_EVENT_ARGS));
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

}  // namespace adj::record_event_tables

namespace adj::wait_event_tables {

using Descriptor = adj_wait_event_descriptor;
using Args = adj_wait_event_args;
inline constexpr const char* kName = "wait_event";
inline const Descriptor kDefault{};
inline const Args kDefaultArgs{};
inline constexpr const char* kDefinition = R"text(The stream waits for event, as it was last recorded, then outputs = inputs. Any number of streams may wait for one event. On a CUDA
stream the calling thread does not wait, and an event that was never recorded has occurred; on the host stream the thread waits until
the event has been recorded since it was created or reset.)text";
enum Argument : int { kEvent, kInputs, kOutputs };
inline constexpr ArgumentInfo kArguments[] = {
    {"event", offsetof(Args, event), ArgumentKind::handle, Role::in, 0, Space::stream, Given::depends, "only if !skip", "!skip"},
    {"inputs", offsetof(Args, inputs), ArgumentKind::list, Role::in, 0, Space::stream, Given::always, "[numel] element", ""},
    {"outputs", offsetof(Args, outputs), ArgumentKind::list, Role::out, 1u << kInputs, Space::stream, Given::always, "[numel] element; may be inputs itself", ""},
};
inline constexpr Field kFields[] = {
    {"numel", nullptr, kFieldI64List, offsetof(Descriptor, numel), "host array of count element counts >= 0; copied by select"},
    {"skip", nullptr, kFieldI32, offsetof(Descriptor, skip), "1: no event, tensors are passed on only"},
    {"element", nullptr, kFieldDtype, offsetof(Descriptor, element), "every type of adj_dtype"},
};
inline constexpr Term kTerms[] = {
    {TermOp::i32, -1, offsetof(Descriptor, skip), 0, 0},
    {TermOp::negation, -1, 0, 0, 0},
    {TermOp::type, 1, offsetof(Descriptor, element), kNoTerm, 0},
    {TermOp::list, 0, offsetof(Descriptor, numel), 0, 0},
    {TermOp::items, -1, 3, kNoTerm, 0},
};
inline constexpr KnownField kKnownFields[] = {
    {"numel", kFieldI64List, offsetof(Descriptor, numel), kNoTerm, false, 0},
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
  arguments[kEvent] = !(d.skip != 0) ? ArgumentSpec::handle() : ArgumentSpec::forbidden();
  arguments[kInputs] = ArgumentSpec::list(d.element, list_of(d.numel, d.count));
  arguments[kOutputs] = ArgumentSpec::list(d.element, list_of(d.numel, d.count));
}
// Facts that stand in the header. The operator's planning adds its functions and rows.
inline OpInfo base_info() {
  OpInfo info{};
  info.id = ADJ_OP_WAIT_EVENT;
  info.name = kName;
  info.family = "control";
  info.definition = kDefinition;
  info.conventions = control_conventions;
  info.descriptor_size = sizeof(Descriptor);
  info.args_size = sizeof(Args);
  info.first_descriptor_size = static_cast<std::uint32_t>(first_size(ADJ_TAG_WAIT_EVENT_DESCRIPTOR));
  info.first_args_size = static_cast<std::uint32_t>(first_size(ADJ_TAG_WAIT_EVENT_ARGS));
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

}  // namespace adj::wait_event_tables

namespace adj::yield_tables {

using Descriptor = adj_yield_descriptor;
using Args = adj_yield_args;
inline constexpr const char* kName = "yield";
inline const Descriptor kDefault{};
inline const Args kDefaultArgs{};
inline constexpr const char* kDefinition = R"text(The border between a model and the loop that trains it: outputs leave, their gradients come in. A call checks counts, types and
sizes and does nothing else. Gradient j is that of the j-th output whose place is not among non_differentiable. It has the size of
its output, or any size where free_shape has the place (YieldOp's full_shape_outputs has the other places).)text";
enum Argument : int { kOutputs, kGradients };
inline constexpr ArgumentInfo kArguments[] = {
    {"outputs", offsetof(Args, outputs), ArgumentKind::list, Role::in, 0, Space::stream, Given::always, "[numel] element", ""},
    {"gradients", offsetof(Args, gradients), ArgumentKind::list, Role::in, 0, Space::stream, Given::always, "element: one for each differentiable output, of its size or, with free_shape, of any", ""},
};
inline constexpr Field kFields[] = {
    {"numel", nullptr, kFieldI64List, offsetof(Descriptor, numel), "host array of count element counts >= 0; copied by select"},
    {"non_differentiable", nullptr, kFieldI64List, offsetof(Descriptor, non_differentiable), "host array of places among outputs, ascending; copied by select"},
    {"free_shape", nullptr, kFieldI64List, offsetof(Descriptor, free_shape), "host array of places of differentiable outputs, ascending; copied by select"},
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
    {2, 0, kNoTerm, kNoTerm},
    {kNoTerm, 0, kNoTerm, kNoTerm},
};
inline void stated_shapes([[maybe_unused]] const void* descriptor, std::span<ArgumentSpec> arguments) {
  using namespace rules;
  [[maybe_unused]] const auto& d = *static_cast<const Descriptor*>(descriptor);
  arguments[kOutputs] = ArgumentSpec::list(d.element, list_of(d.numel, d.count));
  arguments[kGradients] = computed(d.element);
}
// Facts that stand in the header. The operator's planning adds its functions and rows.
inline OpInfo base_info() {
  OpInfo info{};
  info.id = ADJ_OP_YIELD;
  info.name = kName;
  info.family = "control";
  info.definition = kDefinition;
  info.conventions = control_conventions;
  info.descriptor_size = sizeof(Descriptor);
  info.args_size = sizeof(Args);
  info.first_descriptor_size = static_cast<std::uint32_t>(first_size(ADJ_TAG_YIELD_DESCRIPTOR));
  info.first_args_size = static_cast<std::uint32_t>(first_size(ADJ_TAG_YIELD_ARGS));
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

}  // namespace adj::yield_tables

namespace adj::user_kernel_tables {

using Descriptor = adj_user_kernel_descriptor;
using Args = adj_user_kernel_args;
inline constexpr const char* kName = "user_kernel";
inline const Descriptor kDefault{};
inline const Args kDefaultArgs{};
inline constexpr const char* kDefinition = R"text(A kernel of the caller's. The entry is
    extern "C" __global__ void entry(<a pointer for each input>, <a pointer for each output>, <a long long for each integer>,
                                     <a double for each real>)
Before anything is launched, select compares the number of the parameters and their sizes with those that the machine code or the PTX
states; a type of the same size cannot be told from another. It fails with ADJ_ERROR_INVALID_PROBLEM, naming the parameter, where they
differ, and where the code has no such kernel, naming those it has; with ADJ_ERROR_CORRUPT where the code cannot be read; with
ADJ_ERROR_UNSUPPORTED where a cubin or PTX is for another architecture; with ADJ_ERROR_COMPILE_FAILED and the compiler's log where a source
or PTX does not compile.
What the kernel reads and writes is the caller's affair, and so are its results: the guarantee of the SKU is that of the launch, which adds
nothing to them. On the host stream run calls the function host in its place.
The code stays on the device while a plan or a bound call of it lives, and while it is among the 64 programs last selected; then it is
unloaded. Keep the plan as long as a CUDA graph that captured a run.)text";
enum Argument : int { kInputs, kOutputs };
inline constexpr ArgumentInfo kArguments[] = {
    {"inputs", offsetof(Args, inputs), ArgumentKind::list, Role::in, 0, Space::stream, Given::always, "[input_numel] element", ""},
    {"outputs", offsetof(Args, outputs), ArgumentKind::list, Role::inout, 1u << kInputs, Space::stream, Given::always, "[output_numel] output_element; may be inputs itself", ""},
};
inline constexpr Field kFields[] = {
    {"code", nullptr, kFieldBytes, offsetof(Descriptor, code), "what code_kind says; copied by select"},
    {"entry", nullptr, kFieldText, offsetof(Descriptor, entry), "name of the kernel, as the code has it: of a C++ function the mangled one; copied by select"},
    {"macros", nullptr, kFieldText, offsetof(Descriptor, macros), "of a source: blank-separated, \"N=4 FAST\"; defined at the head of the source; may be null, null otherwise"},
    {"input_numel", nullptr, kFieldI64List, offsetof(Descriptor, input_numel), "host array of input_count element counts >= 0"},
    {"output_numel", nullptr, kFieldI64List, offsetof(Descriptor, output_numel), "host array of output_count element counts >= 0"},
    {"integers", nullptr, kFieldI64List, offsetof(Descriptor, integers), "host array of integer_count arguments"},
    {"reals", nullptr, kFieldF64List, offsetof(Descriptor, reals), "host array of real_count arguments"},
    {"grid", nullptr, kFieldAxes, offsetof(Descriptor, grid), "blocks, 1 to 3 extents >= 1"},
    {"block", nullptr, kFieldAxes, offsetof(Descriptor, block), "threads, 1 to 3 extents >= 1"},
    {"shared_bytes", nullptr, kFieldI64, offsetof(Descriptor, shared_bytes), "dynamic shared memory of a block, >= 0"},
    {"host", nullptr, kFieldPointer, offsetof(Descriptor, host), "for the host stream; null: there is no plan for it"},
    {"user", nullptr, kFieldPointer, offsetof(Descriptor, user), "what host is called with; may be null"},
    {"code_kind", "source,ptx,cubin", kFieldI32, offsetof(Descriptor, code_kind), "what code is"},
    {"element", nullptr, kFieldDtype, offsetof(Descriptor, element), "of inputs: every type of adj_dtype"},
    {"output_element", nullptr, kFieldDtype, offsetof(Descriptor, output_element), "of outputs: every type; 0 = element"},
};
inline constexpr Term kTerms[] = {
    {TermOp::type, 2, offsetof(Descriptor, element), kNoTerm, 0},
    {TermOp::list, 0, offsetof(Descriptor, input_numel), 0, 0},
    {TermOp::items, -1, 1, kNoTerm, 0},
    {TermOp::type, 3, offsetof(Descriptor, output_element), 0, 0},
    {TermOp::list, 1, offsetof(Descriptor, output_numel), 0, 0},
    {TermOp::items, -1, 4, kNoTerm, 0},
};
inline constexpr KnownField kKnownFields[] = {
    {"input_numel", kFieldI64List, offsetof(Descriptor, input_numel), kNoTerm, false, 0},
    {"output_numel", kFieldI64List, offsetof(Descriptor, output_numel), kNoTerm, false, 0},
    {"element", kFieldDtype, offsetof(Descriptor, element), kNoTerm, false, 0},
    {"output_element", kFieldDtype, offsetof(Descriptor, output_element), kNoTerm, false, 1},
};
inline constexpr ArgumentTerms kArgumentTerms[] = {
    {2, 0, kNoTerm, kNoTerm},
    {5, 3, kNoTerm, kNoTerm},
};
inline void stated_shapes([[maybe_unused]] const void* descriptor, std::span<ArgumentSpec> arguments) {
  using namespace rules;
  [[maybe_unused]] const auto& d = *static_cast<const Descriptor*>(descriptor);
  arguments[kInputs] = ArgumentSpec::list(d.element, list_of(d.input_numel, d.input_count));
  arguments[kOutputs] = ArgumentSpec::list(either(d.output_element, d.element), list_of(d.output_numel, d.output_count));
}
// Facts that stand in the header. The operator's planning adds its functions and rows.
inline OpInfo base_info() {
  OpInfo info{};
  info.id = ADJ_OP_USER_KERNEL;
  info.name = kName;
  info.family = "control";
  info.definition = kDefinition;
  info.conventions = control_conventions;
  info.descriptor_size = sizeof(Descriptor);
  info.args_size = sizeof(Args);
  info.first_descriptor_size = static_cast<std::uint32_t>(first_size(ADJ_TAG_USER_KERNEL_DESCRIPTOR));
  info.first_args_size = static_cast<std::uint32_t>(first_size(ADJ_TAG_USER_KERNEL_ARGS));
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

}  // namespace adj::user_kernel_tables

namespace adj::callback_tables {

using Descriptor = adj_callback_descriptor;
using Args = adj_callback_args;
inline constexpr const char* kName = "callback";
inline const Descriptor kDefault{};
inline const Args kDefaultArgs{};
inline constexpr const char* kDefinition = R"text(A C function of the caller, called by run itself on the thread that calls it. What the function puts on the stream is in stream order
with what comes before and after it; the function must not wait for the stream, and while the stream is being captured it must do only
what may be captured. context is a number of the caller's that one function leaves for another, such as the state that a forward
function saves for its backward one. Functions are kept for as long as a plan that has them; destroy is then called once for it.)text";
enum Argument : int { kInputs, kOutputs, kContext };
inline constexpr ArgumentInfo kArguments[] = {
    {"inputs", offsetof(Args, inputs), ArgumentKind::list, Role::in, 0, Space::stream, Given::always, "[input_numel] element", ""},
    {"outputs", offsetof(Args, outputs), ArgumentKind::list, Role::inout, 1u << kInputs, Space::stream, Given::always, "[output_numel] element; may be inputs itself", ""},
    {"context", offsetof(Args, context), ArgumentKind::tensor, Role::inout, 0, Space::host, Given::optional, "[1] i64", ""},
};
inline constexpr Field kFields[] = {
    {"function", nullptr, kFieldPointer, offsetof(Descriptor, function), "must be given"},
    {"destroy", nullptr, kFieldPointer, offsetof(Descriptor, destroy), "called with user when the plan is gone; may be null"},
    {"user", nullptr, kFieldPointer, offsetof(Descriptor, user), "the caller's; may be null"},
    {"input_numel", nullptr, kFieldI64List, offsetof(Descriptor, input_numel), "host array of input_count element counts >= 0; copied by select"},
    {"output_numel", nullptr, kFieldI64List, offsetof(Descriptor, output_numel), "host array of output_count element counts >= 0; copied by select"},
    {"element", nullptr, kFieldDtype, offsetof(Descriptor, element), "of inputs and outputs: every type of adj_dtype"},
};
inline constexpr Term kTerms[] = {
    {TermOp::type, 2, offsetof(Descriptor, element), kNoTerm, 0},
    {TermOp::list, 0, offsetof(Descriptor, input_numel), 0, 0},
    {TermOp::items, -1, 1, kNoTerm, 0},
    {TermOp::list, 1, offsetof(Descriptor, output_numel), 0, 0},
    {TermOp::items, -1, 3, kNoTerm, 0},
    {TermOp::number, -1, 1, 0, 0},
    {TermOp::number, -1, ADJ_I64, 0, 0},
    {TermOp::items, -1, 5, kNoTerm, 0},
};
inline constexpr KnownField kKnownFields[] = {
    {"input_numel", kFieldI64List, offsetof(Descriptor, input_numel), kNoTerm, false, 0},
    {"output_numel", kFieldI64List, offsetof(Descriptor, output_numel), kNoTerm, false, 0},
    {"element", kFieldDtype, offsetof(Descriptor, element), kNoTerm, false, 0},
};
inline constexpr ArgumentTerms kArgumentTerms[] = {
    {2, 0, kNoTerm, kNoTerm},
    {4, 0, kNoTerm, kNoTerm},
    {7, 6, kNoTerm, 5},
};
inline void stated_shapes([[maybe_unused]] const void* descriptor, std::span<ArgumentSpec> arguments) {
  using namespace rules;
  [[maybe_unused]] const auto& d = *static_cast<const Descriptor*>(descriptor);
  arguments[kInputs] = ArgumentSpec::list(d.element, list_of(d.input_numel, d.input_count));
  arguments[kOutputs] = ArgumentSpec::list(d.element, list_of(d.output_numel, d.output_count));
  arguments[kContext] = tensor(ADJ_I64, Dims().add(1), Presence::optional);
}
// Facts that stand in the header. The operator's planning adds its functions and rows.
inline OpInfo base_info() {
  OpInfo info{};
  info.id = ADJ_OP_CALLBACK;
  info.name = kName;
  info.family = "control";
  info.definition = kDefinition;
  info.conventions = control_conventions;
  info.descriptor_size = sizeof(Descriptor);
  info.args_size = sizeof(Args);
  info.first_descriptor_size = static_cast<std::uint32_t>(first_size(ADJ_TAG_CALLBACK_DESCRIPTOR));
  info.first_args_size = static_cast<std::uint32_t>(first_size(ADJ_TAG_CALLBACK_ARGS));
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

}  // namespace adj::callback_tables
