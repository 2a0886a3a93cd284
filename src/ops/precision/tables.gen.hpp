// Written by tools/generate.py from include/adjoint/ops/precision.h. Do not edit.
#pragma once

#include <adjoint/ops/precision.h>

#include "plan/op.hpp"
#include "plan/rules.hpp"
#include "plan/structs.hpp"

namespace adj {
inline constexpr const char* precision_conventions = R"text(Mixed precision: checks for infinities and NaN, scaling, clearing and accumulation of lists of tensors, and the scale of a loss.

Arguments. A descriptor gives the lengths of the tensors. The arguments give lists of the same count. Tensors and lists may be empty. Scalars may
be host values or device elements (adj_scalar).

Types. Arithmetic is in f32 (f64 where an operand is f64). Each stored value is rounded once.

Equal bits. No bit of a result depends on the order of a list, on its division into several calls, or on the division of a tensor into several.)text";
}

namespace adj::is_finite_tables {

using Descriptor = adj_is_finite_descriptor;
using Args = adj_is_finite_args;
inline constexpr const char* kName = "is_finite";
inline const Descriptor kDefault{};
inline const Args kDefaultArgs{};
inline constexpr const char* kDefinition = R"text(IsFinite:   outputs[i][j] = inputs[i][j] is neither an infinity nor NaN

Definition: com.microsoft IsFinite, PyTorch torch.isfinite.)text";
enum Argument : int { kInputs, kOutputs };
inline constexpr ArgumentInfo kArguments[] = {
    {"inputs", offsetof(Args, inputs), ArgumentKind::list, Role::in, 0, Space::stream, Given::always, "[numel] element", ""},
    {"outputs", offsetof(Args, outputs), ArgumentKind::list, Role::out, 0, Space::stream, Given::always, "[numel] bool", ""},
};
inline constexpr Field kFields[] = {
    {"numel", nullptr, kFieldI64List, offsetof(Descriptor, numel), "host array of count element counts >= 0; copied by select"},
    {"element", nullptr, kFieldDtype, offsetof(Descriptor, element), "f32, f64, f16, bf16"},
};
inline constexpr Term kTerms[] = {
    {TermOp::type, 1, offsetof(Descriptor, element), kNoTerm, 0},
    {TermOp::list, 0, offsetof(Descriptor, numel), 0, 0},
    {TermOp::items, -1, 1, kNoTerm, 0},
    {TermOp::number, -1, ADJ_BOOL, 0, 0},
};
inline constexpr KnownField kKnownFields[] = {
    {"numel", kFieldI64List, offsetof(Descriptor, numel), kNoTerm, false, 0},
    {"element", kFieldDtype, offsetof(Descriptor, element), kNoTerm, false, 0},
};
inline constexpr ArgumentTerms kArgumentTerms[] = {
    {2, 0, kNoTerm, kNoTerm},
    {2, 3, kNoTerm, kNoTerm},
};
inline void stated_shapes([[maybe_unused]] const void* descriptor, std::span<ArgumentSpec> arguments) {
  using namespace rules;
  [[maybe_unused]] const auto& d = *static_cast<const Descriptor*>(descriptor);
  arguments[kInputs] = ArgumentSpec::list(d.element, list_of(d.numel, d.count));
  arguments[kOutputs] = ArgumentSpec::list(ADJ_BOOL, list_of(d.numel, d.count));
}
// Facts that stand in the header. The operator's planning adds its functions and rows.
inline OpInfo base_info() {
  OpInfo info{};
  info.id = ADJ_OP_IS_FINITE;
  info.name = kName;
  info.family = "precision";
  info.definition = kDefinition;
  info.conventions = precision_conventions;
  info.descriptor_size = sizeof(Descriptor);
  info.args_size = sizeof(Args);
  info.first_descriptor_size = static_cast<std::uint32_t>(first_size(ADJ_TAG_IS_FINITE_DESCRIPTOR));
  info.first_args_size = static_cast<std::uint32_t>(first_size(ADJ_TAG_IS_FINITE_ARGS));
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

}  // namespace adj::is_finite_tables

namespace adj::all_finite_tables {

using Descriptor = adj_all_finite_descriptor;
using Args = adj_all_finite_args;
inline constexpr const char* kName = "all_finite";
inline const Descriptor kDefault{};
inline const Args kDefaultArgs{};
inline constexpr const char* kDefinition = R"text(AllFinite:   output = every element of every input passes the test; true without elements

Definition: com.microsoft IsAllFinite.)text";
enum Argument : int { kInputs, kOutput, kFoundInf };
inline constexpr ArgumentInfo kArguments[] = {
    {"inputs", offsetof(Args, inputs), ArgumentKind::list, Role::in, 0, Space::stream, Given::always, "[numel] element", ""},
    {"output", offsetof(Args, output), ArgumentKind::tensor, Role::out, 0, Space::stream, Given::always, "[1] bool", ""},
    {"found_inf", offsetof(Args, found_inf), ArgumentKind::tensor, Role::out, 0, Space::stream, Given::optional, "[1] f32: 0 where output is true, else 1", ""},
};
inline constexpr Field kFields[] = {
    {"numel", nullptr, kFieldI64List, offsetof(Descriptor, numel), "host array of count element counts >= 0; copied by select"},
    {"test", "default,no_inf,no_nan", kFieldI32, offsetof(Descriptor, test), ""},
    {"element", nullptr, kFieldDtype, offsetof(Descriptor, element), "f32, f64, f16, bf16"},
};
inline constexpr Term kTerms[] = {
    {TermOp::type, 1, offsetof(Descriptor, element), kNoTerm, 0},
    {TermOp::list, 0, offsetof(Descriptor, numel), 0, 0},
    {TermOp::items, -1, 1, kNoTerm, 0},
    {TermOp::number, -1, ADJ_BOOL, 0, 0},
    {TermOp::number, -1, 1, 0, 0},
    {TermOp::items, -1, 4, kNoTerm, 0},
    {TermOp::number, -1, ADJ_F32, 0, 0},
};
inline constexpr KnownField kKnownFields[] = {
    {"numel", kFieldI64List, offsetof(Descriptor, numel), kNoTerm, false, 0},
    {"element", kFieldDtype, offsetof(Descriptor, element), kNoTerm, false, 0},
};
inline constexpr ArgumentTerms kArgumentTerms[] = {
    {2, 0, kNoTerm, kNoTerm},
    {5, 3, kNoTerm, kNoTerm},
    {5, 6, kNoTerm, 4},
};
inline void stated_shapes([[maybe_unused]] const void* descriptor, std::span<ArgumentSpec> arguments) {
  using namespace rules;
  [[maybe_unused]] const auto& d = *static_cast<const Descriptor*>(descriptor);
  arguments[kInputs] = ArgumentSpec::list(d.element, list_of(d.numel, d.count));
  arguments[kOutput] = tensor(ADJ_BOOL, Dims().add(1));
  arguments[kFoundInf] = tensor(ADJ_F32, Dims().add(1), Presence::optional);
}
// Facts that stand in the header. The operator's planning adds its functions and rows.
inline OpInfo base_info() {
  OpInfo info{};
  info.id = ADJ_OP_ALL_FINITE;
  info.name = kName;
  info.family = "precision";
  info.definition = kDefinition;
  info.conventions = precision_conventions;
  info.descriptor_size = sizeof(Descriptor);
  info.args_size = sizeof(Args);
  info.first_descriptor_size = static_cast<std::uint32_t>(first_size(ADJ_TAG_ALL_FINITE_DESCRIPTOR));
  info.first_args_size = static_cast<std::uint32_t>(first_size(ADJ_TAG_ALL_FINITE_ARGS));
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

}  // namespace adj::all_finite_tables

namespace adj::all_tables {

using Descriptor = adj_all_descriptor;
using Args = adj_all_args;
inline constexpr const char* kName = "all";
inline const Descriptor kDefault{};
inline const Args kDefaultArgs{};
inline constexpr const char* kDefinition = R"text(All:   output = every element of every input is true; true without elements

Definition: com.microsoft All.)text";
enum Argument : int { kInputs, kOutput };
inline constexpr ArgumentInfo kArguments[] = {
    {"inputs", offsetof(Args, inputs), ArgumentKind::list, Role::in, 0, Space::stream, Given::always, "[numel] bool: a byte that is not 0 is true", ""},
    {"output", offsetof(Args, output), ArgumentKind::tensor, Role::out, 0, Space::stream, Given::always, "[1] bool", ""},
};
inline constexpr Field kFields[] = {
    {"numel", nullptr, kFieldI64List, offsetof(Descriptor, numel), "host array of count element counts >= 0; copied by select"},
};
inline constexpr Term kTerms[] = {
    {TermOp::number, -1, ADJ_BOOL, 0, 0},
    {TermOp::list, 0, offsetof(Descriptor, numel), 0, 0},
    {TermOp::items, -1, 1, kNoTerm, 0},
    {TermOp::number, -1, 1, 0, 0},
    {TermOp::items, -1, 3, kNoTerm, 0},
};
inline constexpr KnownField kKnownFields[] = {
    {"numel", kFieldI64List, offsetof(Descriptor, numel), kNoTerm, false, 0},
};
inline constexpr ArgumentTerms kArgumentTerms[] = {
    {2, 0, kNoTerm, kNoTerm},
    {4, 0, kNoTerm, kNoTerm},
};
inline void stated_shapes([[maybe_unused]] const void* descriptor, std::span<ArgumentSpec> arguments) {
  using namespace rules;
  [[maybe_unused]] const auto& d = *static_cast<const Descriptor*>(descriptor);
  arguments[kInputs] = ArgumentSpec::list(ADJ_BOOL, list_of(d.numel, d.count));
  arguments[kOutput] = tensor(ADJ_BOOL, Dims().add(1));
}
// Facts that stand in the header. The operator's planning adds its functions and rows.
inline OpInfo base_info() {
  OpInfo info{};
  info.id = ADJ_OP_ALL;
  info.name = kName;
  info.family = "precision";
  info.definition = kDefinition;
  info.conventions = precision_conventions;
  info.descriptor_size = sizeof(Descriptor);
  info.args_size = sizeof(Args);
  info.first_descriptor_size = static_cast<std::uint32_t>(first_size(ADJ_TAG_ALL_DESCRIPTOR));
  info.first_args_size = static_cast<std::uint32_t>(first_size(ADJ_TAG_ALL_ARGS));
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

}  // namespace adj::all_tables

namespace adj::scale_tables {

using Descriptor = adj_scale_descriptor;
using Args = adj_scale_args;
inline constexpr const char* kName = "scale";
inline const Descriptor kDefault{};
inline const Args kDefaultArgs{};
inline constexpr const char* kDefinition = R"text(Scale:   outputs[i] = scale * inputs[i],   outputs_1[i] = scale_1 * inputs[i],   outputs_2[i] = scale_2 * inputs[i]

The factor is rounded to the type of the arithmetic; with scale_down it is 1 / scale in that type. With fused, output is one buffer in
which the tensors follow each other without gaps.
Definition: com.microsoft MixedPrecisionScale, Scale and BatchScale.)text";
enum Argument : int { kInputs, kOutputs, kOutputs1, kOutputs2, kFused, kScale, kScale1, kScale2, kFoundInf };
inline constexpr ArgumentInfo kArguments[] = {
    {"inputs", offsetof(Args, inputs), ArgumentKind::list, Role::in, 0, Space::stream, Given::always, "[numel] element", ""},
    {"outputs", offsetof(Args, outputs), ArgumentKind::list, Role::out, 1u << kInputs, Space::stream, Given::depends, "[numel] output; only if !fused; may be inputs itself", "!fused"},
    {"outputs_1", offsetof(Args, outputs_1), ArgumentKind::list, Role::out, 1u << kInputs, Space::stream, Given::depends, "[numel] output; only if outputs >= 2; may be inputs itself", "outputs >= 2"},
    {"outputs_2", offsetof(Args, outputs_2), ArgumentKind::list, Role::out, 1u << kInputs, Space::stream, Given::depends, "[numel] output; only if outputs >= 3; may be inputs itself", "outputs >= 3"},
    {"fused", offsetof(Args, fused), ArgumentKind::tensor, Role::out, 0, Space::stream, Given::depends, "[sum(numel)] output; only if fused", "fused"},
    {"scale", offsetof(Args, scale), ArgumentKind::scalar, Role::in, 0, Space::stream, Given::always, "f32 or f64 on the device", ""},
    {"scale_1", offsetof(Args, scale_1), ArgumentKind::scalar, Role::in, 0, Space::stream, Given::depends, "f32 or f64 on the device; only if outputs >= 2", "outputs >= 2"},
    {"scale_2", offsetof(Args, scale_2), ArgumentKind::scalar, Role::in, 0, Space::stream, Given::depends, "f32 or f64 on the device; only if outputs >= 3", "outputs >= 3"},
    {"found_inf", offsetof(Args, found_inf), ArgumentKind::tensor, Role::inout, 0, Space::stream, Given::optional, "[1] f32: 1 is stored when an input is an infinity or NaN, else it stays", ""},
};
inline constexpr Field kFields[] = {
    {"numel", nullptr, kFieldI64List, offsetof(Descriptor, numel), "host array of count element counts >= 0; copied by select"},
    {"outputs", nullptr, kFieldI32, offsetof(Descriptor, outputs), "scaled copies of each input: 1 to 3"},
    {"fused", nullptr, kFieldI32, offsetof(Descriptor, fused), "1: one buffer of all outputs; only with outputs = 1"},
    {"scale_down", nullptr, kFieldI32, offsetof(Descriptor, scale_down), "1: divides by the scales"},
    {"element", nullptr, kFieldDtype, offsetof(Descriptor, element), "of the inputs: f32, f64, f16, bf16"},
    {"output", nullptr, kFieldDtype, offsetof(Descriptor, output), "of the outputs: f32, f16, bf16, or f64 exactly when the inputs are; 0 = element"},
};
inline constexpr Term kTerms[] = {
    {TermOp::type, 2, offsetof(Descriptor, element), kNoTerm, 0},
    {TermOp::list, 0, offsetof(Descriptor, numel), 0, 0},
    {TermOp::items, -1, 1, kNoTerm, 0},
    {TermOp::i32, 1, offsetof(Descriptor, fused), 0, 0},
    {TermOp::negation, -1, 3, 0, 0},
    {TermOp::type, 3, offsetof(Descriptor, output), 0, 0},
    {TermOp::i32, -1, offsetof(Descriptor, outputs), 0, 0},
    {TermOp::number, -1, 2, 0, 0},
    {TermOp::ge, -1, 6, 7, 0},
    {TermOp::number, -1, 3, 0, 0},
    {TermOp::ge, -1, 6, 9, 0},
    {TermOp::sum, -1, 1, kNoTerm, kNoTerm},
    {TermOp::items, -1, 11, kNoTerm, 0},
    {TermOp::number, -1, 1, 0, 0},
    {TermOp::number, -1, ADJ_F32, 0, 0},
    {TermOp::items, -1, 13, kNoTerm, 0},
};
inline constexpr KnownField kKnownFields[] = {
    {"numel", kFieldI64List, offsetof(Descriptor, numel), kNoTerm, false, 0},
    {"fused", kFieldI32, offsetof(Descriptor, fused), kNoTerm, false, 0},
    {"element", kFieldDtype, offsetof(Descriptor, element), kNoTerm, false, 0},
    {"output", kFieldDtype, offsetof(Descriptor, output), kNoTerm, false, 1},
};
inline constexpr ArgumentTerms kArgumentTerms[] = {
    {2, 0, kNoTerm, kNoTerm},
    {2, 5, 4, kNoTerm},
    {2, 5, 8, kNoTerm},
    {2, 5, 10, kNoTerm},
    {12, 5, 3, kNoTerm},
    {kNoTerm, kNoTerm, kNoTerm, kNoTerm},
    {kNoTerm, kNoTerm, 8, kNoTerm},
    {kNoTerm, kNoTerm, 10, kNoTerm},
    {15, 14, kNoTerm, 13},
};
inline void stated_shapes([[maybe_unused]] const void* descriptor, std::span<ArgumentSpec> arguments) {
  using namespace rules;
  [[maybe_unused]] const auto& d = *static_cast<const Descriptor*>(descriptor);
  arguments[kInputs] = ArgumentSpec::list(d.element, list_of(d.numel, d.count));
  arguments[kOutputs] = !(d.fused != 0) ? ArgumentSpec::list(either(d.output, d.element), list_of(d.numel, d.count)) : ArgumentSpec::forbidden();
  arguments[kOutputs1] = (d.outputs >= 2) ? ArgumentSpec::list(either(d.output, d.element), list_of(d.numel, d.count)) : ArgumentSpec::forbidden();
  arguments[kOutputs2] = (d.outputs >= 3) ? ArgumentSpec::list(either(d.output, d.element), list_of(d.numel, d.count)) : ArgumentSpec::forbidden();
  arguments[kFused] = (d.fused != 0) ? tensor(either(d.output, d.element), Dims().add(sum_of(d.count, [&](std::int64_t i) { return d.numel[i]; }))) : ArgumentSpec::forbidden();
  arguments[kScale] = ArgumentSpec::scalar(ADJ_F32, ADJ_F64);
  arguments[kScale1] = (d.outputs >= 2) ? ArgumentSpec::scalar(ADJ_F32, ADJ_F64) : ArgumentSpec::forbidden();
  arguments[kScale2] = (d.outputs >= 3) ? ArgumentSpec::scalar(ADJ_F32, ADJ_F64) : ArgumentSpec::forbidden();
  arguments[kFoundInf] = tensor(ADJ_F32, Dims().add(1), Presence::optional);
}
// Facts that stand in the header. The operator's planning adds its functions and rows.
inline OpInfo base_info() {
  OpInfo info{};
  info.id = ADJ_OP_SCALE;
  info.name = kName;
  info.family = "precision";
  info.definition = kDefinition;
  info.conventions = precision_conventions;
  info.descriptor_size = sizeof(Descriptor);
  info.args_size = sizeof(Args);
  info.first_descriptor_size = static_cast<std::uint32_t>(first_size(ADJ_TAG_SCALE_DESCRIPTOR));
  info.first_args_size = static_cast<std::uint32_t>(first_size(ADJ_TAG_SCALE_ARGS));
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

}  // namespace adj::scale_tables

namespace adj::zero_tables {

using Descriptor = adj_zero_descriptor;
using Args = adj_zero_args;
inline constexpr const char* kName = "zero";
inline const Descriptor kDefault{};
inline const Args kDefaultArgs{};
inline constexpr const char* kDefinition = R"text(Zero:   outputs[i] = +0

Definition: com.microsoft ZeroGradient.)text";
enum Argument : int { kOutputs };
inline constexpr ArgumentInfo kArguments[] = {
    {"outputs", offsetof(Args, outputs), ArgumentKind::list, Role::out, 0, Space::stream, Given::always, "[numel] element", ""},
};
inline constexpr Field kFields[] = {
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
    {2, 0, kNoTerm, kNoTerm},
};
inline void stated_shapes([[maybe_unused]] const void* descriptor, std::span<ArgumentSpec> arguments) {
  using namespace rules;
  [[maybe_unused]] const auto& d = *static_cast<const Descriptor*>(descriptor);
  arguments[kOutputs] = ArgumentSpec::list(d.element, list_of(d.numel, d.count));
}
// Facts that stand in the header. The operator's planning adds its functions and rows.
inline OpInfo base_info() {
  OpInfo info{};
  info.id = ADJ_OP_ZERO;
  info.name = kName;
  info.family = "precision";
  info.definition = kDefinition;
  info.conventions = precision_conventions;
  info.descriptor_size = sizeof(Descriptor);
  info.args_size = sizeof(Args);
  info.first_descriptor_size = static_cast<std::uint32_t>(first_size(ADJ_TAG_ZERO_DESCRIPTOR));
  info.first_args_size = static_cast<std::uint32_t>(first_size(ADJ_TAG_ZERO_ARGS));
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

}  // namespace adj::zero_tables

namespace adj::accumulate_tables {

using Descriptor = adj_accumulate_descriptor;
using Args = adj_accumulate_args;
inline constexpr const char* kName = "accumulate";
inline const Descriptor kDefault{};
inline const Args kDefaultArgs{};
inline constexpr const char* kDefinition = R"text(Accumulate:   outputs[i] = update ? (overwrite ? 0 : sums[i]) + values[i] : sums[i]

With overwrite nothing is read from sums, so that it may hold anything.
Definition: com.microsoft InPlaceAccumulator (update) and InPlaceAccumulatorV2 (overwrite; its second output is copies).)text";
enum Argument : int { kSums, kValues, kOutputs, kCopies, kUpdate, kOverwrite, kUpdatedFlag };
inline constexpr ArgumentInfo kArguments[] = {
    {"sums", offsetof(Args, sums), ArgumentKind::list, Role::in, 0, Space::stream, Given::always, "[numel] element", ""},
    {"values", offsetof(Args, values), ArgumentKind::list, Role::in, 0, Space::stream, Given::always, "[numel] value", ""},
    {"outputs", offsetof(Args, outputs), ArgumentKind::list, Role::out, 1u << kSums, Space::stream, Given::always, "[numel] element; may be sums itself", ""},
    {"copies", offsetof(Args, copies), ArgumentKind::list, Role::out, 0, Space::stream, Given::depends, "[numel] element; only if copies", "copies"},
    {"update", offsetof(Args, update), ArgumentKind::scalar, Role::in, 0, Space::stream, Given::always, "bool on the device: 0: outputs and copies are sums", ""},
    {"overwrite", offsetof(Args, overwrite), ArgumentKind::scalar, Role::in, 0, Space::stream, Given::always, "bool on the device: not 0: outputs and copies are values", ""},
    {"updated_flag", offsetof(Args, updated_flag), ArgumentKind::tensor, Role::out, 0, Space::host, Given::optional, "[1] bool: 1, written by the call itself before it returns", ""},
};
inline constexpr Field kFields[] = {
    {"numel", nullptr, kFieldI64List, offsetof(Descriptor, numel), "host array of count element counts >= 0; copied by select"},
    {"copies", nullptr, kFieldI32, offsetof(Descriptor, copies), "1: the results are written to copies, too"},
    {"element", nullptr, kFieldDtype, offsetof(Descriptor, element), "of sums, outputs and copies: f32, f64, f16, bf16"},
    {"value", nullptr, kFieldDtype, offsetof(Descriptor, value), "of values: f32, f64, f16, bf16; 0 = element"},
};
inline constexpr Term kTerms[] = {
    {TermOp::type, 2, offsetof(Descriptor, element), kNoTerm, 0},
    {TermOp::list, 0, offsetof(Descriptor, numel), 0, 0},
    {TermOp::items, -1, 1, kNoTerm, 0},
    {TermOp::type, 3, offsetof(Descriptor, value), 0, 0},
    {TermOp::i32, 1, offsetof(Descriptor, copies), 0, 0},
    {TermOp::number, -1, 1, 0, 0},
    {TermOp::number, -1, ADJ_BOOL, 0, 0},
    {TermOp::items, -1, 5, kNoTerm, 0},
};
inline constexpr KnownField kKnownFields[] = {
    {"numel", kFieldI64List, offsetof(Descriptor, numel), kNoTerm, false, 0},
    {"copies", kFieldI32, offsetof(Descriptor, copies), kNoTerm, false, 0},
    {"element", kFieldDtype, offsetof(Descriptor, element), kNoTerm, false, 0},
    {"value", kFieldDtype, offsetof(Descriptor, value), kNoTerm, false, 1},
};
inline constexpr ArgumentTerms kArgumentTerms[] = {
    {2, 0, kNoTerm, kNoTerm},
    {2, 3, kNoTerm, kNoTerm},
    {2, 0, kNoTerm, kNoTerm},
    {2, 0, 4, kNoTerm},
    {kNoTerm, kNoTerm, kNoTerm, kNoTerm},
    {kNoTerm, kNoTerm, kNoTerm, kNoTerm},
    {7, 6, kNoTerm, 5},
};
inline void stated_shapes([[maybe_unused]] const void* descriptor, std::span<ArgumentSpec> arguments) {
  using namespace rules;
  [[maybe_unused]] const auto& d = *static_cast<const Descriptor*>(descriptor);
  arguments[kSums] = ArgumentSpec::list(d.element, list_of(d.numel, d.count));
  arguments[kValues] = ArgumentSpec::list(either(d.value, d.element), list_of(d.numel, d.count));
  arguments[kOutputs] = ArgumentSpec::list(d.element, list_of(d.numel, d.count));
  arguments[kCopies] = (d.copies != 0) ? ArgumentSpec::list(d.element, list_of(d.numel, d.count)) : ArgumentSpec::forbidden();
  arguments[kUpdate] = ArgumentSpec::scalar(ADJ_BOOL, ADJ_DTYPE_NONE);
  arguments[kOverwrite] = ArgumentSpec::scalar(ADJ_BOOL, ADJ_DTYPE_NONE);
  arguments[kUpdatedFlag] = tensor(ADJ_BOOL, Dims().add(1), Presence::optional);
}
// Facts that stand in the header. The operator's planning adds its functions and rows.
inline OpInfo base_info() {
  OpInfo info{};
  info.id = ADJ_OP_ACCUMULATE;
  info.name = kName;
  info.family = "precision";
  info.definition = kDefinition;
  info.conventions = precision_conventions;
  info.descriptor_size = sizeof(Descriptor);
  info.args_size = sizeof(Args);
  info.first_descriptor_size = static_cast<std::uint32_t>(first_size(ADJ_TAG_ACCUMULATE_DESCRIPTOR));
  info.first_args_size = static_cast<std::uint32_t>(first_size(ADJ_TAG_ACCUMULATE_ARGS));
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

}  // namespace adj::accumulate_tables

namespace adj::scaled_sum_tables {

using Descriptor = adj_scaled_sum_descriptor;
using Args = adj_scaled_sum_args;
inline constexpr const char* kName = "scaled_sum";
inline const Descriptor kDefault{};
inline const Args kDefaultArgs{};
inline constexpr const char* kDefinition = R"text(ScaledSum:   outputs[i] = scale_0 * inputs_0[i] + scale_1 * inputs_1[i] [+ scale_2 * inputs_2[i]]

The factors are rounded to the type of the arithmetic; each term is added with one rounding, from the left. Error terms: the magnitudes
of the two or three products.
Definition: com.microsoft ScaledSum.)text";
enum Argument : int { kInputs0, kInputs1, kInputs2, kOutputs, kScale0, kScale1, kScale2 };
inline constexpr ArgumentInfo kArguments[] = {
    {"inputs_0", offsetof(Args, inputs_0), ArgumentKind::list, Role::in, 0, Space::stream, Given::always, "[numel] element", ""},
    {"inputs_1", offsetof(Args, inputs_1), ArgumentKind::list, Role::in, 0, Space::stream, Given::always, "[numel] element", ""},
    {"inputs_2", offsetof(Args, inputs_2), ArgumentKind::list, Role::in, 0, Space::stream, Given::depends, "[numel] element; only if inputs >= 3", "inputs >= 3"},
    {"outputs", offsetof(Args, outputs), ArgumentKind::list, Role::out, 1u << kInputs0 | 1u << kInputs1 | 1u << kInputs2, Space::stream, Given::always, "[numel] element; may be inputs_0, inputs_1 or inputs_2 itself", ""},
    {"scale_0", offsetof(Args, scale_0), ArgumentKind::scalar, Role::in, 0, Space::stream, Given::always, "f32 or f64 on the device", ""},
    {"scale_1", offsetof(Args, scale_1), ArgumentKind::scalar, Role::in, 0, Space::stream, Given::always, "f32 or f64 on the device", ""},
    {"scale_2", offsetof(Args, scale_2), ArgumentKind::scalar, Role::in, 0, Space::stream, Given::depends, "f32 or f64 on the device; only if inputs >= 3", "inputs >= 3"},
};
inline constexpr Field kFields[] = {
    {"numel", nullptr, kFieldI64List, offsetof(Descriptor, numel), "host array of count element counts >= 0; copied by select"},
    {"inputs", nullptr, kFieldI32, offsetof(Descriptor, inputs), "terms: 2 or 3"},
    {"element", nullptr, kFieldDtype, offsetof(Descriptor, element), "f32, f64, f16, bf16"},
};
inline constexpr Term kTerms[] = {
    {TermOp::type, 1, offsetof(Descriptor, element), kNoTerm, 0},
    {TermOp::list, 0, offsetof(Descriptor, numel), 0, 0},
    {TermOp::items, -1, 1, kNoTerm, 0},
    {TermOp::i32, -1, offsetof(Descriptor, inputs), 0, 0},
    {TermOp::number, -1, 3, 0, 0},
    {TermOp::ge, -1, 3, 4, 0},
};
inline constexpr KnownField kKnownFields[] = {
    {"numel", kFieldI64List, offsetof(Descriptor, numel), kNoTerm, false, 0},
    {"element", kFieldDtype, offsetof(Descriptor, element), kNoTerm, false, 0},
};
inline constexpr ArgumentTerms kArgumentTerms[] = {
    {2, 0, kNoTerm, kNoTerm},
    {2, 0, kNoTerm, kNoTerm},
    {2, 0, 5, kNoTerm},
    {2, 0, kNoTerm, kNoTerm},
    {kNoTerm, kNoTerm, kNoTerm, kNoTerm},
    {kNoTerm, kNoTerm, kNoTerm, kNoTerm},
    {kNoTerm, kNoTerm, 5, kNoTerm},
};
inline void stated_shapes([[maybe_unused]] const void* descriptor, std::span<ArgumentSpec> arguments) {
  using namespace rules;
  [[maybe_unused]] const auto& d = *static_cast<const Descriptor*>(descriptor);
  arguments[kInputs0] = ArgumentSpec::list(d.element, list_of(d.numel, d.count));
  arguments[kInputs1] = ArgumentSpec::list(d.element, list_of(d.numel, d.count));
  arguments[kInputs2] = (d.inputs >= 3) ? ArgumentSpec::list(d.element, list_of(d.numel, d.count)) : ArgumentSpec::forbidden();
  arguments[kOutputs] = ArgumentSpec::list(d.element, list_of(d.numel, d.count));
  arguments[kScale0] = ArgumentSpec::scalar(ADJ_F32, ADJ_F64);
  arguments[kScale1] = ArgumentSpec::scalar(ADJ_F32, ADJ_F64);
  arguments[kScale2] = (d.inputs >= 3) ? ArgumentSpec::scalar(ADJ_F32, ADJ_F64) : ArgumentSpec::forbidden();
}
// Facts that stand in the header. The operator's planning adds its functions and rows.
inline OpInfo base_info() {
  OpInfo info{};
  info.id = ADJ_OP_SCALED_SUM;
  info.name = kName;
  info.family = "precision";
  info.definition = kDefinition;
  info.conventions = precision_conventions;
  info.descriptor_size = sizeof(Descriptor);
  info.args_size = sizeof(Args);
  info.first_descriptor_size = static_cast<std::uint32_t>(first_size(ADJ_TAG_SCALED_SUM_DESCRIPTOR));
  info.first_args_size = static_cast<std::uint32_t>(first_size(ADJ_TAG_SCALED_SUM_ARGS));
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

}  // namespace adj::scaled_sum_tables

namespace adj::update_loss_scale_tables {

using Descriptor = adj_update_loss_scale_descriptor;
using Args = adj_update_loss_scale_args;
inline constexpr const char* kName = "update_loss_scale";
inline const Descriptor kDefault{};
inline const Args kDefaultArgs{};
inline constexpr const char* kDefinition = R"text(UpdateLossScale: the dynamic scale of a loss, after a step of training.
    found_inf is not 0:                    new = scale * backoff_factor,   growth_tracker = 0
    growth_tracker + 1 >= growth_interval: new = scale * growth_factor,    growth_tracker = 0
    otherwise:                             new = scale,                    growth_tracker += 1
    scale = max(min_scale, min(max_scale, new)) in the first two cases

Arguments. found_inf is what clip_grad_norm, l2_norm, all_finite or scale has written. The scale belongs to the gradients of the step, so the call
comes after clip_grad_norm and the optimizer, which take the scale as their grad_scale. Nothing needs the host: a captured step scales, checks,
skips and adapts by itself.

Types. Products and limits are in f64. The stored scale is rounded once.

Edge cases:
- A growth whose result is not finite leaves the scale as it is.
- A scale of NaN stays NaN.
- Unlike PyTorch, the scale grows at growth_tracker + 1 >= growth_interval, not only at equality.

Source: PyTorch torch._amp_update_scale_ and torch.amp.GradScaler.update; min_scale and max_scale are those of NVIDIA Apex's LossScaler. With the
defaults of both limits the scale is that of PyTorch.)text";
enum Argument : int { kFoundInf, kScale, kGrowthTracker };
inline constexpr ArgumentInfo kArguments[] = {
    {"found_inf", offsetof(Args, found_inf), ArgumentKind::tensor, Role::in, 0, Space::stream, Given::always, "[1] f32: not 0, a NaN included, when the step has been skipped", ""},
    {"scale", offsetof(Args, scale), ArgumentKind::tensor, Role::inout, 0, Space::stream, Given::always, "[1] f32", ""},
    {"growth_tracker", offsetof(Args, growth_tracker), ArgumentKind::tensor, Role::inout, 0, Space::stream, Given::always, "[1] i32: steps without found_inf since the scale has changed", ""},
};
inline constexpr Field kFields[] = {
    {"growth_factor", nullptr, kFieldF64, offsetof(Descriptor, growth_factor), "finite, >= 1"},
    {"backoff_factor", nullptr, kFieldF64, offsetof(Descriptor, backoff_factor), "in (0, 1]"},
    {"min_scale", nullptr, kFieldF64, offsetof(Descriptor, min_scale), ">= 0; finite in f32"},
    {"max_scale", nullptr, kFieldF64, offsetof(Descriptor, max_scale), "> 0, at least min_scale"},
    {"growth_interval", nullptr, kFieldI32, offsetof(Descriptor, growth_interval), "steps without found_inf before the scale grows: >= 1"},
};
inline constexpr Term kTerms[] = {
    {TermOp::number, -1, ADJ_F32, 0, 0},
    {TermOp::number, -1, 1, 0, 0},
    {TermOp::items, -1, 1, kNoTerm, 0},
    {TermOp::number, -1, ADJ_I32, 0, 0},
};
inline constexpr ArgumentTerms kArgumentTerms[] = {
    {2, 0, kNoTerm, kNoTerm},
    {2, 0, kNoTerm, kNoTerm},
    {2, 3, kNoTerm, kNoTerm},
};
inline void stated_shapes([[maybe_unused]] const void* descriptor, std::span<ArgumentSpec> arguments) {
  using namespace rules;
  [[maybe_unused]] const auto& d = *static_cast<const Descriptor*>(descriptor);
  arguments[kFoundInf] = tensor(ADJ_F32, Dims().add(1));
  arguments[kScale] = tensor(ADJ_F32, Dims().add(1));
  arguments[kGrowthTracker] = tensor(ADJ_I32, Dims().add(1));
}
// Facts that stand in the header. The operator's planning adds its functions and rows.
inline OpInfo base_info() {
  OpInfo info{};
  info.id = ADJ_OP_UPDATE_LOSS_SCALE;
  info.name = kName;
  info.family = "precision";
  info.definition = kDefinition;
  info.conventions = precision_conventions;
  info.descriptor_size = sizeof(Descriptor);
  info.args_size = sizeof(Args);
  info.first_descriptor_size = static_cast<std::uint32_t>(first_size(ADJ_TAG_UPDATE_LOSS_SCALE_DESCRIPTOR));
  info.first_args_size = static_cast<std::uint32_t>(first_size(ADJ_TAG_UPDATE_LOSS_SCALE_ARGS));
  info.default_descriptor = &kDefault;
  info.default_args = &kDefaultArgs;
  info.fields = kFields;
  info.arguments = kArguments;
  info.terms = kTerms;
  info.argument_terms = kArgumentTerms;
  info.shapes = stated_shapes;
  return info;
}

}  // namespace adj::update_loss_scale_tables
