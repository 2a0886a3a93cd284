// Written by tools/generate.py from include/adjoint/ops/precision.h. Do not edit.
#pragma once

#include <adjoint/ops/precision.h>

#include "plan/op.hpp"
#include "plan/structs.hpp"

namespace adj::is_finite_tables {

using Descriptor = adj_is_finite_descriptor;
using Args = adj_is_finite_args;
inline constexpr const char* kName = "is_finite";
inline const Descriptor kDefault{};
inline const Args kDefaultArgs{};
enum Slot : int { kInputs, kOutputs };
inline constexpr SlotInfo kSlots[] = {
    {"inputs", offsetof(Args, inputs), SlotKind::list, Role::in, 0, Space::stream, Given::always, "[numel[i]] element each"},
    {"outputs", offsetof(Args, outputs), SlotKind::list, Role::out, 0, Space::stream, Given::always, "bool"},
};
inline constexpr Field kFields[] = {
    {"numel", nullptr, kFieldI64List, offsetof(Descriptor, numel), "host array of count element counts >= 0; copied by select"},
    {"element", nullptr, kFieldDtype, offsetof(Descriptor, element), "f32, f64, f16, bf16"},
};
// Facts that stand in the header. The operator's planning adds its functions and rows.
inline OpInfo base_info() {
  OpInfo info{};
  info.id = ADJ_OP_IS_FINITE;
  info.name = kName;
  info.family = "precision";
  info.descriptor_size = sizeof(Descriptor);
  info.args_size = sizeof(Args);
  info.first_descriptor_size = static_cast<std::uint32_t>(first_size(ADJ_TAG_IS_FINITE_DESCRIPTOR));
  info.first_args_size = static_cast<std::uint32_t>(first_size(ADJ_TAG_IS_FINITE_ARGS));
  info.default_descriptor = &kDefault;
  info.default_args = &kDefaultArgs;
  info.fields = kFields;
  info.slots = kSlots;
  return info;
}

}  // namespace adj::is_finite_tables

namespace adj::all_finite_tables {

using Descriptor = adj_all_finite_descriptor;
using Args = adj_all_finite_args;
inline constexpr const char* kName = "all_finite";
inline const Descriptor kDefault{};
inline const Args kDefaultArgs{};
enum Slot : int { kInputs, kOutput, kFoundInf };
inline constexpr SlotInfo kSlots[] = {
    {"inputs", offsetof(Args, inputs), SlotKind::list, Role::in, 0, Space::stream, Given::always, "[numel[i]] element each"},
    {"output", offsetof(Args, output), SlotKind::tensor, Role::out, 0, Space::stream, Given::always, "[1] bool"},
    {"found_inf", offsetof(Args, found_inf), SlotKind::tensor, Role::out, 0, Space::stream, Given::optional, "[1] f32: 0 where output is true, else 1"},
};
inline constexpr Field kFields[] = {
    {"numel", nullptr, kFieldI64List, offsetof(Descriptor, numel), "host array of count element counts >= 0; copied by select"},
    {"element", nullptr, kFieldDtype, offsetof(Descriptor, element), "f32, f64, f16, bf16"},
    {"test", "default,no_inf,no_nan", kFieldI32, offsetof(Descriptor, test), ""},
};
// Facts that stand in the header. The operator's planning adds its functions and rows.
inline OpInfo base_info() {
  OpInfo info{};
  info.id = ADJ_OP_ALL_FINITE;
  info.name = kName;
  info.family = "precision";
  info.descriptor_size = sizeof(Descriptor);
  info.args_size = sizeof(Args);
  info.first_descriptor_size = static_cast<std::uint32_t>(first_size(ADJ_TAG_ALL_FINITE_DESCRIPTOR));
  info.first_args_size = static_cast<std::uint32_t>(first_size(ADJ_TAG_ALL_FINITE_ARGS));
  info.default_descriptor = &kDefault;
  info.default_args = &kDefaultArgs;
  info.fields = kFields;
  info.slots = kSlots;
  return info;
}

}  // namespace adj::all_finite_tables

namespace adj::all_tables {

using Descriptor = adj_all_descriptor;
using Args = adj_all_args;
inline constexpr const char* kName = "all";
inline const Descriptor kDefault{};
inline const Args kDefaultArgs{};
enum Slot : int { kInputs, kOutput };
inline constexpr SlotInfo kSlots[] = {
    {"inputs", offsetof(Args, inputs), SlotKind::list, Role::in, 0, Space::stream, Given::always, "bool; a byte that is not 0 is true"},
    {"output", offsetof(Args, output), SlotKind::tensor, Role::out, 0, Space::stream, Given::always, "[1] bool"},
};
inline constexpr Field kFields[] = {
    {"numel", nullptr, kFieldI64List, offsetof(Descriptor, numel), "host array of count element counts >= 0; copied by select"},
};
// Facts that stand in the header. The operator's planning adds its functions and rows.
inline OpInfo base_info() {
  OpInfo info{};
  info.id = ADJ_OP_ALL;
  info.name = kName;
  info.family = "precision";
  info.descriptor_size = sizeof(Descriptor);
  info.args_size = sizeof(Args);
  info.first_descriptor_size = static_cast<std::uint32_t>(first_size(ADJ_TAG_ALL_DESCRIPTOR));
  info.first_args_size = static_cast<std::uint32_t>(first_size(ADJ_TAG_ALL_ARGS));
  info.default_descriptor = &kDefault;
  info.default_args = &kDefaultArgs;
  info.fields = kFields;
  info.slots = kSlots;
  return info;
}

}  // namespace adj::all_tables

namespace adj::scale_tables {

using Descriptor = adj_scale_descriptor;
using Args = adj_scale_args;
inline constexpr const char* kName = "scale";
inline const Descriptor kDefault{};
inline const Args kDefaultArgs{};
enum Slot : int { kInputs, kOutputs, kOutputs1, kOutputs2, kFused, kScale, kScale1, kScale2, kFoundInf };
inline constexpr SlotInfo kSlots[] = {
    {"inputs", offsetof(Args, inputs), SlotKind::list, Role::in, 0, Space::stream, Given::always, "[numel[i]] element each"},
    {"outputs", offsetof(Args, outputs), SlotKind::list, Role::out, 1u << kInputs, Space::stream, Given::depends, "without fused, may be inputs itself"},
    {"outputs_1", offsetof(Args, outputs_1), SlotKind::list, Role::out, 1u << kInputs, Space::stream, Given::depends, "exactly when the descriptor has two or more outputs; may be inputs itself"},
    {"outputs_2", offsetof(Args, outputs_2), SlotKind::list, Role::out, 1u << kInputs, Space::stream, Given::depends, "exactly when the descriptor has three outputs; may be inputs itself"},
    {"fused", offsetof(Args, fused), SlotKind::tensor, Role::out, 0, Space::stream, Given::depends, "with fused, [sum of numel]"},
    {"scale", offsetof(Args, scale), SlotKind::scalar, Role::in, 0, Space::stream, Given::always, "f32 or f64 on the device"},
    {"scale_1", offsetof(Args, scale_1), SlotKind::scalar, Role::in, 0, Space::stream, Given::depends, "with two or more outputs, f32 or f64 on the device; 0 or 1 without them"},
    {"scale_2", offsetof(Args, scale_2), SlotKind::scalar, Role::in, 0, Space::stream, Given::depends, "with three outputs, f32 or f64 on the device; 0 or 1 without them"},
    {"found_inf", offsetof(Args, found_inf), SlotKind::tensor, Role::inout, 0, Space::stream, Given::optional, "[1] f32: 1 is stored when an input is an infinity or NaN, else it stays"},
};
inline constexpr Field kFields[] = {
    {"numel", nullptr, kFieldI64List, offsetof(Descriptor, numel), "host array of count element counts >= 0; copied by select"},
    {"element", nullptr, kFieldDtype, offsetof(Descriptor, element), "of the inputs: f32, f64, f16, bf16"},
    {"output", nullptr, kFieldDtype, offsetof(Descriptor, output), "of the outputs: f32, f16, bf16, or f64 exactly when the inputs are; 0 = element"},
    {"outputs", nullptr, kFieldI32, offsetof(Descriptor, outputs), "scaled copies of each input: 1 to 3"},
    {"fused", nullptr, kFieldI32, offsetof(Descriptor, fused), "1: one buffer of all outputs; only with outputs = 1"},
    {"scale_down", nullptr, kFieldI32, offsetof(Descriptor, scale_down), "1: divides by the scales"},
};
// Facts that stand in the header. The operator's planning adds its functions and rows.
inline OpInfo base_info() {
  OpInfo info{};
  info.id = ADJ_OP_SCALE;
  info.name = kName;
  info.family = "precision";
  info.descriptor_size = sizeof(Descriptor);
  info.args_size = sizeof(Args);
  info.first_descriptor_size = static_cast<std::uint32_t>(first_size(ADJ_TAG_SCALE_DESCRIPTOR));
  info.first_args_size = static_cast<std::uint32_t>(first_size(ADJ_TAG_SCALE_ARGS));
  info.default_descriptor = &kDefault;
  info.default_args = &kDefaultArgs;
  info.fields = kFields;
  info.slots = kSlots;
  return info;
}

}  // namespace adj::scale_tables

namespace adj::zero_tables {

using Descriptor = adj_zero_descriptor;
using Args = adj_zero_args;
inline constexpr const char* kName = "zero";
inline const Descriptor kDefault{};
inline const Args kDefaultArgs{};
enum Slot : int { kOutputs };
inline constexpr SlotInfo kSlots[] = {
    {"outputs", offsetof(Args, outputs), SlotKind::list, Role::out, 0, Space::stream, Given::always, "[numel[i]] element each"},
};
inline constexpr Field kFields[] = {
    {"numel", nullptr, kFieldI64List, offsetof(Descriptor, numel), "host array of count element counts >= 0; copied by select"},
    {"element", nullptr, kFieldDtype, offsetof(Descriptor, element), "f32, f64, f16, bf16"},
};
// Facts that stand in the header. The operator's planning adds its functions and rows.
inline OpInfo base_info() {
  OpInfo info{};
  info.id = ADJ_OP_ZERO;
  info.name = kName;
  info.family = "precision";
  info.descriptor_size = sizeof(Descriptor);
  info.args_size = sizeof(Args);
  info.first_descriptor_size = static_cast<std::uint32_t>(first_size(ADJ_TAG_ZERO_DESCRIPTOR));
  info.first_args_size = static_cast<std::uint32_t>(first_size(ADJ_TAG_ZERO_ARGS));
  info.default_descriptor = &kDefault;
  info.default_args = &kDefaultArgs;
  info.fields = kFields;
  info.slots = kSlots;
  return info;
}

}  // namespace adj::zero_tables

namespace adj::accumulate_tables {

using Descriptor = adj_accumulate_descriptor;
using Args = adj_accumulate_args;
inline constexpr const char* kName = "accumulate";
inline const Descriptor kDefault{};
inline const Args kDefaultArgs{};
enum Slot : int { kSums, kValues, kOutputs, kCopies, kUpdate, kOverwrite, kUpdatedFlag };
inline constexpr SlotInfo kSlots[] = {
    {"sums", offsetof(Args, sums), SlotKind::list, Role::in, 0, Space::stream, Given::always, "[numel[i]] element each"},
    {"values", offsetof(Args, values), SlotKind::list, Role::in, 0, Space::stream, Given::always, "[numel[i]] value each"},
    {"outputs", offsetof(Args, outputs), SlotKind::list, Role::out, 1u << kSums, Space::stream, Given::always, "; may be sums itself"},
    {"copies", offsetof(Args, copies), SlotKind::list, Role::out, 0, Space::stream, Given::depends, "with copies"},
    {"update", offsetof(Args, update), SlotKind::scalar, Role::in, 0, Space::stream, Given::always, "bool on the device; 0: outputs and copies are sums"},
    {"overwrite", offsetof(Args, overwrite), SlotKind::scalar, Role::in, 0, Space::stream, Given::always, "bool on the device; not 0: outputs and copies are values"},
    {"updated_flag", offsetof(Args, updated_flag), SlotKind::tensor, Role::out, 0, Space::host, Given::optional, "[1] bool: 1, written by the call itself before it returns"},
};
inline constexpr Field kFields[] = {
    {"numel", nullptr, kFieldI64List, offsetof(Descriptor, numel), "host array of count element counts >= 0; copied by select"},
    {"element", nullptr, kFieldDtype, offsetof(Descriptor, element), "of sums, outputs and copies: f32, f64, f16, bf16"},
    {"value", nullptr, kFieldDtype, offsetof(Descriptor, value), "of values: f32, f64, f16, bf16; 0 = element"},
    {"copies", nullptr, kFieldI32, offsetof(Descriptor, copies), "1: the results are written to copies, too"},
};
// Facts that stand in the header. The operator's planning adds its functions and rows.
inline OpInfo base_info() {
  OpInfo info{};
  info.id = ADJ_OP_ACCUMULATE;
  info.name = kName;
  info.family = "precision";
  info.descriptor_size = sizeof(Descriptor);
  info.args_size = sizeof(Args);
  info.first_descriptor_size = static_cast<std::uint32_t>(first_size(ADJ_TAG_ACCUMULATE_DESCRIPTOR));
  info.first_args_size = static_cast<std::uint32_t>(first_size(ADJ_TAG_ACCUMULATE_ARGS));
  info.default_descriptor = &kDefault;
  info.default_args = &kDefaultArgs;
  info.fields = kFields;
  info.slots = kSlots;
  return info;
}

}  // namespace adj::accumulate_tables

namespace adj::scaled_sum_tables {

using Descriptor = adj_scaled_sum_descriptor;
using Args = adj_scaled_sum_args;
inline constexpr const char* kName = "scaled_sum";
inline const Descriptor kDefault{};
inline const Args kDefaultArgs{};
enum Slot : int { kInputs0, kInputs1, kInputs2, kOutputs, kScale0, kScale1, kScale2 };
inline constexpr SlotInfo kSlots[] = {
    {"inputs_0", offsetof(Args, inputs_0), SlotKind::list, Role::in, 0, Space::stream, Given::always, "[numel[i]] element each"},
    {"inputs_1", offsetof(Args, inputs_1), SlotKind::list, Role::in, 0, Space::stream, Given::always, "[numel[i]] element each"},
    {"inputs_2", offsetof(Args, inputs_2), SlotKind::list, Role::in, 0, Space::stream, Given::depends, "exactly when the descriptor has three terms"},
    {"outputs", offsetof(Args, outputs), SlotKind::list, Role::out, 1u << kInputs0 | 1u << kInputs1 | 1u << kInputs2, Space::stream, Given::always, "; may be inputs_0, inputs_1 or inputs_2 itself"},
    {"scale_0", offsetof(Args, scale_0), SlotKind::scalar, Role::in, 0, Space::stream, Given::always, "f32 or f64 on the device"},
    {"scale_1", offsetof(Args, scale_1), SlotKind::scalar, Role::in, 0, Space::stream, Given::always, "f32 or f64 on the device"},
    {"scale_2", offsetof(Args, scale_2), SlotKind::scalar, Role::in, 0, Space::stream, Given::depends, "with three inputs, f32 or f64 on the device; 0 or 1 without them"},
};
inline constexpr Field kFields[] = {
    {"numel", nullptr, kFieldI64List, offsetof(Descriptor, numel), "host array of count element counts >= 0; copied by select"},
    {"element", nullptr, kFieldDtype, offsetof(Descriptor, element), "f32, f64, f16, bf16"},
    {"inputs", nullptr, kFieldI32, offsetof(Descriptor, inputs), "terms: 2 or 3"},
};
// Facts that stand in the header. The operator's planning adds its functions and rows.
inline OpInfo base_info() {
  OpInfo info{};
  info.id = ADJ_OP_SCALED_SUM;
  info.name = kName;
  info.family = "precision";
  info.descriptor_size = sizeof(Descriptor);
  info.args_size = sizeof(Args);
  info.first_descriptor_size = static_cast<std::uint32_t>(first_size(ADJ_TAG_SCALED_SUM_DESCRIPTOR));
  info.first_args_size = static_cast<std::uint32_t>(first_size(ADJ_TAG_SCALED_SUM_ARGS));
  info.default_descriptor = &kDefault;
  info.default_args = &kDefaultArgs;
  info.fields = kFields;
  info.slots = kSlots;
  return info;
}

}  // namespace adj::scaled_sum_tables

namespace adj::update_loss_scale_tables {

using Descriptor = adj_update_loss_scale_descriptor;
using Args = adj_update_loss_scale_args;
inline constexpr const char* kName = "update_loss_scale";
inline const Descriptor kDefault{};
inline const Args kDefaultArgs{};
enum Slot : int { kFoundInf, kScale, kGrowthTracker };
inline constexpr SlotInfo kSlots[] = {
    {"found_inf", offsetof(Args, found_inf), SlotKind::tensor, Role::in, 0, Space::stream, Given::always, "[1] f32: not 0, a NaN included, when the step has been skipped"},
    {"scale", offsetof(Args, scale), SlotKind::tensor, Role::inout, 0, Space::stream, Given::always, "[1] f32"},
    {"growth_tracker", offsetof(Args, growth_tracker), SlotKind::tensor, Role::inout, 0, Space::stream, Given::always, "[1] i32: steps without found_inf since the scale has changed"},
};
inline constexpr Field kFields[] = {
    {"growth_factor", nullptr, kFieldF64, offsetof(Descriptor, growth_factor), "finite, >= 1"},
    {"backoff_factor", nullptr, kFieldF64, offsetof(Descriptor, backoff_factor), "in (0, 1]"},
    {"min_scale", nullptr, kFieldF64, offsetof(Descriptor, min_scale), ">= 0; finite in f32"},
    {"max_scale", nullptr, kFieldF64, offsetof(Descriptor, max_scale), "> 0, at least min_scale"},
    {"growth_interval", nullptr, kFieldI32, offsetof(Descriptor, growth_interval), "steps without found_inf before the scale grows: >= 1"},
};
// Facts that stand in the header. The operator's planning adds its functions and rows.
inline OpInfo base_info() {
  OpInfo info{};
  info.id = ADJ_OP_UPDATE_LOSS_SCALE;
  info.name = kName;
  info.family = "precision";
  info.descriptor_size = sizeof(Descriptor);
  info.args_size = sizeof(Args);
  info.first_descriptor_size = static_cast<std::uint32_t>(first_size(ADJ_TAG_UPDATE_LOSS_SCALE_DESCRIPTOR));
  info.first_args_size = static_cast<std::uint32_t>(first_size(ADJ_TAG_UPDATE_LOSS_SCALE_ARGS));
  info.default_descriptor = &kDefault;
  info.default_args = &kDefaultArgs;
  info.fields = kFields;
  info.slots = kSlots;
  return info;
}

}  // namespace adj::update_loss_scale_tables
