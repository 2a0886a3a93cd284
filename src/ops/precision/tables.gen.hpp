// Written by tools/generate.py from include/adjoint/ops/precision.h. Do not edit.
#pragma once

#include <adjoint/ops/precision.h>

#include "plan/op.hpp"

namespace adj::is_finite_tables {

using Descriptor = adj_is_finite_descriptor;
using Args = adj_is_finite_args;
inline constexpr const char* kName = "is_finite";
inline const Descriptor kDefault{};
enum Slot : int { kInputs, kOutputs };
inline constexpr SlotInfo kSlots[] = {
    {"inputs", offsetof(Args, inputs), SlotKind::list, Role::in, 0, Space::stream},
    {"outputs", offsetof(Args, outputs), SlotKind::list, Role::out, 0, Space::stream},
};
inline constexpr Field kFields[] = {
    {"numel", nullptr, kFieldI64List, offsetof(Descriptor, numel)},
    {"element", nullptr, kFieldDtype, offsetof(Descriptor, element)},
};
// What the header says; the operator's planning adds the rest.
inline OpInfo base_info() {
  OpInfo info{};
  info.id = ADJ_OP_IS_FINITE;
  info.name = kName;
  info.descriptor_size = info.first_descriptor_size = sizeof(Descriptor);
  info.args_size = info.first_args_size = sizeof(Args);
  info.default_descriptor = &kDefault;
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
enum Slot : int { kInputs, kOutput, kFoundInf };
inline constexpr SlotInfo kSlots[] = {
    {"inputs", offsetof(Args, inputs), SlotKind::list, Role::in, 0, Space::stream},
    {"output", offsetof(Args, output), SlotKind::tensor, Role::out, 0, Space::stream},
    {"found_inf", offsetof(Args, found_inf), SlotKind::tensor, Role::out, 0, Space::stream},
};
inline constexpr Field kFields[] = {
    {"numel", nullptr, kFieldI64List, offsetof(Descriptor, numel)},
    {"element", nullptr, kFieldDtype, offsetof(Descriptor, element)},
    {"test", "default,no_inf,no_nan", kFieldI32, offsetof(Descriptor, test)},
};
// What the header says; the operator's planning adds the rest.
inline OpInfo base_info() {
  OpInfo info{};
  info.id = ADJ_OP_ALL_FINITE;
  info.name = kName;
  info.descriptor_size = info.first_descriptor_size = sizeof(Descriptor);
  info.args_size = info.first_args_size = sizeof(Args);
  info.default_descriptor = &kDefault;
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
enum Slot : int { kInputs, kOutput };
inline constexpr SlotInfo kSlots[] = {
    {"inputs", offsetof(Args, inputs), SlotKind::list, Role::in, 0, Space::stream},
    {"output", offsetof(Args, output), SlotKind::tensor, Role::out, 0, Space::stream},
};
inline constexpr Field kFields[] = {
    {"numel", nullptr, kFieldI64List, offsetof(Descriptor, numel)},
};
// What the header says; the operator's planning adds the rest.
inline OpInfo base_info() {
  OpInfo info{};
  info.id = ADJ_OP_ALL;
  info.name = kName;
  info.descriptor_size = info.first_descriptor_size = sizeof(Descriptor);
  info.args_size = info.first_args_size = sizeof(Args);
  info.default_descriptor = &kDefault;
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
enum Slot : int { kInputs, kOutputs, kOutputs1, kOutputs2, kFused, kScale, kScale1, kScale2, kFoundInf };
inline constexpr SlotInfo kSlots[] = {
    {"inputs", offsetof(Args, inputs), SlotKind::list, Role::in, 0, Space::stream},
    {"outputs", offsetof(Args, outputs), SlotKind::list, Role::out, 1u << kInputs, Space::stream},
    {"outputs_1", offsetof(Args, outputs_1), SlotKind::list, Role::out, 1u << kInputs, Space::stream},
    {"outputs_2", offsetof(Args, outputs_2), SlotKind::list, Role::out, 1u << kInputs, Space::stream},
    {"fused", offsetof(Args, fused), SlotKind::tensor, Role::out, 0, Space::stream},
    {"scale", offsetof(Args, scale), SlotKind::scalar, Role::in, 0, Space::stream},
    {"scale_1", offsetof(Args, scale_1), SlotKind::scalar, Role::in, 0, Space::stream},
    {"scale_2", offsetof(Args, scale_2), SlotKind::scalar, Role::in, 0, Space::stream},
    {"found_inf", offsetof(Args, found_inf), SlotKind::tensor, Role::inout, 0, Space::stream},
};
inline constexpr Field kFields[] = {
    {"numel", nullptr, kFieldI64List, offsetof(Descriptor, numel)},
    {"element", nullptr, kFieldDtype, offsetof(Descriptor, element)},
    {"output", nullptr, kFieldDtype, offsetof(Descriptor, output)},
    {"outputs", nullptr, kFieldI32, offsetof(Descriptor, outputs)},
    {"fused", nullptr, kFieldI32, offsetof(Descriptor, fused)},
    {"scale_down", nullptr, kFieldI32, offsetof(Descriptor, scale_down)},
};
// What the header says; the operator's planning adds the rest.
inline OpInfo base_info() {
  OpInfo info{};
  info.id = ADJ_OP_SCALE;
  info.name = kName;
  info.descriptor_size = info.first_descriptor_size = sizeof(Descriptor);
  info.args_size = info.first_args_size = sizeof(Args);
  info.default_descriptor = &kDefault;
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
enum Slot : int { kOutputs };
inline constexpr SlotInfo kSlots[] = {
    {"outputs", offsetof(Args, outputs), SlotKind::list, Role::out, 0, Space::stream},
};
inline constexpr Field kFields[] = {
    {"numel", nullptr, kFieldI64List, offsetof(Descriptor, numel)},
    {"element", nullptr, kFieldDtype, offsetof(Descriptor, element)},
};
// What the header says; the operator's planning adds the rest.
inline OpInfo base_info() {
  OpInfo info{};
  info.id = ADJ_OP_ZERO;
  info.name = kName;
  info.descriptor_size = info.first_descriptor_size = sizeof(Descriptor);
  info.args_size = info.first_args_size = sizeof(Args);
  info.default_descriptor = &kDefault;
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
enum Slot : int { kSums, kValues, kOutputs, kCopies, kUpdate, kOverwrite, kUpdatedFlag };
inline constexpr SlotInfo kSlots[] = {
    {"sums", offsetof(Args, sums), SlotKind::list, Role::in, 0, Space::stream},
    {"values", offsetof(Args, values), SlotKind::list, Role::in, 0, Space::stream},
    {"outputs", offsetof(Args, outputs), SlotKind::list, Role::out, 1u << kSums, Space::stream},
    {"copies", offsetof(Args, copies), SlotKind::list, Role::out, 0, Space::stream},
    {"update", offsetof(Args, update), SlotKind::scalar, Role::in, 0, Space::stream},
    {"overwrite", offsetof(Args, overwrite), SlotKind::scalar, Role::in, 0, Space::stream},
    {"updated_flag", offsetof(Args, updated_flag), SlotKind::tensor, Role::out, 0, Space::host},
};
inline constexpr Field kFields[] = {
    {"numel", nullptr, kFieldI64List, offsetof(Descriptor, numel)},
    {"element", nullptr, kFieldDtype, offsetof(Descriptor, element)},
    {"value", nullptr, kFieldDtype, offsetof(Descriptor, value)},
    {"copies", nullptr, kFieldI32, offsetof(Descriptor, copies)},
};
// What the header says; the operator's planning adds the rest.
inline OpInfo base_info() {
  OpInfo info{};
  info.id = ADJ_OP_ACCUMULATE;
  info.name = kName;
  info.descriptor_size = info.first_descriptor_size = sizeof(Descriptor);
  info.args_size = info.first_args_size = sizeof(Args);
  info.default_descriptor = &kDefault;
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
enum Slot : int { kInputs0, kInputs1, kInputs2, kOutputs, kScale0, kScale1, kScale2 };
inline constexpr SlotInfo kSlots[] = {
    {"inputs_0", offsetof(Args, inputs_0), SlotKind::list, Role::in, 0, Space::stream},
    {"inputs_1", offsetof(Args, inputs_1), SlotKind::list, Role::in, 0, Space::stream},
    {"inputs_2", offsetof(Args, inputs_2), SlotKind::list, Role::in, 0, Space::stream},
    {"outputs", offsetof(Args, outputs), SlotKind::list, Role::out, 1u << kInputs0 | 1u << kInputs1 | 1u << kInputs2, Space::stream},
    {"scale_0", offsetof(Args, scale_0), SlotKind::scalar, Role::in, 0, Space::stream},
    {"scale_1", offsetof(Args, scale_1), SlotKind::scalar, Role::in, 0, Space::stream},
    {"scale_2", offsetof(Args, scale_2), SlotKind::scalar, Role::in, 0, Space::stream},
};
inline constexpr Field kFields[] = {
    {"numel", nullptr, kFieldI64List, offsetof(Descriptor, numel)},
    {"element", nullptr, kFieldDtype, offsetof(Descriptor, element)},
    {"inputs", nullptr, kFieldI32, offsetof(Descriptor, inputs)},
};
// What the header says; the operator's planning adds the rest.
inline OpInfo base_info() {
  OpInfo info{};
  info.id = ADJ_OP_SCALED_SUM;
  info.name = kName;
  info.descriptor_size = info.first_descriptor_size = sizeof(Descriptor);
  info.args_size = info.first_args_size = sizeof(Args);
  info.default_descriptor = &kDefault;
  info.fields = kFields;
  info.slots = kSlots;
  return info;
}

}  // namespace adj::scaled_sum_tables
