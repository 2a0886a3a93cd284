// Written by tools/generate.py from include/adjoint/ops/shape.h. Do not edit.
#pragma once

#include <adjoint/ops/shape.h>

#include "plan/op.hpp"
#include "plan/structs.hpp"

namespace adj::view_tables {

using Descriptor = adj_view_descriptor;
using Args = adj_view_args;
inline constexpr const char* kName = "view";
inline const Descriptor kDefault{};
inline const Args kDefaultArgs{};
enum Slot : int { kInput, kOutputs, kOffsets };
inline constexpr SlotInfo kSlots[] = {
    {"input", offsetof(Args, input), SlotKind::tensor, Role::in, 0, Space::stream, Given::always, "[total] element"},
    {"outputs", offsetof(Args, outputs), SlotKind::list, Role::out, 0, Space::stream, Given::depends, "[numel[i]] element each; present exactly when copies is 1"},
    {"offsets", offsetof(Args, offsets), SlotKind::tensor, Role::out, 0, Space::host, Given::optional, "[count] i64: offsets in elements, written by the call itself"},
};
inline constexpr Field kFields[] = {
    {"total", nullptr, kFieldI64, offsetof(Descriptor, total), "elements of input, >= 0: the sum of numel; must be given"},
    {"numel", nullptr, kFieldI64List, offsetof(Descriptor, numel), "host array of count element counts >= 0; copied by select"},
    {"element", nullptr, kFieldDtype, offsetof(Descriptor, element), "every type of adj_dtype"},
    {"copies", nullptr, kFieldI32, offsetof(Descriptor, copies), "1: outputs are written; 0: they are absent"},
};
// Facts that stand in the header. The operator's planning adds its functions and rows.
inline OpInfo base_info() {
  OpInfo info{};
  info.id = ADJ_OP_VIEW;
  info.name = kName;
  info.family = "shape";
  info.descriptor_size = sizeof(Descriptor);
  info.args_size = sizeof(Args);
  info.first_descriptor_size = static_cast<std::uint32_t>(first_size(ADJ_TAG_VIEW_DESCRIPTOR));
  info.first_args_size = static_cast<std::uint32_t>(first_size(ADJ_TAG_VIEW_ARGS));
  info.default_descriptor = &kDefault;
  info.default_args = &kDefaultArgs;
  info.fields = kFields;
  info.slots = kSlots;
  return info;
}

}  // namespace adj::view_tables

namespace adj::copy_tables {

using Descriptor = adj_copy_descriptor;
using Args = adj_copy_args;
inline constexpr const char* kName = "copy";
inline const Descriptor kDefault{};
inline const Args kDefaultArgs{};
enum Slot : int { kInputs, kOutputs };
inline constexpr SlotInfo kSlots[] = {
    {"inputs", offsetof(Args, inputs), SlotKind::list, Role::in, 0, Space::stream, Given::always, "[numel[i]] element each"},
    {"outputs", offsetof(Args, outputs), SlotKind::list, Role::out, 1u << kInputs, Space::stream, Given::always, "[numel[i]] element each; may be inputs itself"},
};
inline constexpr Field kFields[] = {
    {"numel", nullptr, kFieldI64List, offsetof(Descriptor, numel), "host array of count element counts >= 0; copied by select"},
    {"element", nullptr, kFieldDtype, offsetof(Descriptor, element), "every type of adj_dtype"},
};
// Facts that stand in the header. The operator's planning adds its functions and rows.
inline OpInfo base_info() {
  OpInfo info{};
  info.id = ADJ_OP_COPY;
  info.name = kName;
  info.family = "shape";
  info.descriptor_size = sizeof(Descriptor);
  info.args_size = sizeof(Args);
  info.first_descriptor_size = static_cast<std::uint32_t>(first_size(ADJ_TAG_COPY_DESCRIPTOR));
  info.first_args_size = static_cast<std::uint32_t>(first_size(ADJ_TAG_COPY_ARGS));
  info.default_descriptor = &kDefault;
  info.default_args = &kDefaultArgs;
  info.fields = kFields;
  info.slots = kSlots;
  return info;
}

}  // namespace adj::copy_tables

namespace adj::transpose_tables {

using Descriptor = adj_transpose_descriptor;
using Args = adj_transpose_args;
inline constexpr const char* kName = "transpose";
inline const Descriptor kDefault{};
inline const Args kDefaultArgs{};
enum Slot : int { kInput, kOutput };
inline constexpr SlotInfo kSlots[] = {
    {"input", offsetof(Args, input), SlotKind::tensor, Role::in, 0, Space::stream, Given::always, "[batch, rows, columns] element"},
    {"output", offsetof(Args, output), SlotKind::tensor, Role::out, 0, Space::stream, Given::always, "[batch, columns, rows] element"},
};
inline constexpr Field kFields[] = {
    {"batch", nullptr, kFieldI64, offsetof(Descriptor, batch), "matrices >= 0"},
    {"rows", nullptr, kFieldI64, offsetof(Descriptor, rows), ">= 0; must be given"},
    {"columns", nullptr, kFieldI64, offsetof(Descriptor, columns), ">= 0; must be given"},
    {"element", nullptr, kFieldDtype, offsetof(Descriptor, element), "every type of adj_dtype"},
};
// Facts that stand in the header. The operator's planning adds its functions and rows.
inline OpInfo base_info() {
  OpInfo info{};
  info.id = ADJ_OP_TRANSPOSE;
  info.name = kName;
  info.family = "shape";
  info.descriptor_size = sizeof(Descriptor);
  info.args_size = sizeof(Args);
  info.first_descriptor_size = static_cast<std::uint32_t>(first_size(ADJ_TAG_TRANSPOSE_DESCRIPTOR));
  info.first_args_size = static_cast<std::uint32_t>(first_size(ADJ_TAG_TRANSPOSE_ARGS));
  info.default_descriptor = &kDefault;
  info.default_args = &kDefaultArgs;
  info.fields = kFields;
  info.slots = kSlots;
  return info;
}

}  // namespace adj::transpose_tables
