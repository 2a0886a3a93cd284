// Written by tools/generate.py from include/adjoint/ops/concat.h. Do not edit.
#pragma once

#include <adjoint/ops/concat.h>

#include "plan/op.hpp"
#include "plan/structs.hpp"

namespace adj::concat_tables {

using Descriptor = adj_concat_descriptor;
using Args = adj_concat_args;
inline constexpr const char* kName = "concat";
inline const Descriptor kDefault{};
inline const Args kDefaultArgs{};
enum Slot : int { kInputs, kOutput, kLengthsOut };
inline constexpr SlotInfo kSlots[] = {
    {"inputs", offsetof(Args, inputs), SlotKind::list, Role::in, 0, Space::stream, Given::always, "[outer, lengths[i], inner] each"},
    {"output", offsetof(Args, output), SlotKind::tensor, Role::out, 0, Space::stream, Given::always, "[outer, sum of lengths, inner]"},
    {"lengths_out", offsetof(Args, lengths_out), SlotKind::tensor, Role::out, 0, Space::host, Given::optional, "[count] i64, host memory on every stream: the lengths, written by the call itself before it returns (a replayed graph does not write them again)"},
};
inline constexpr Field kFields[] = {
    {"outer", nullptr, kFieldI64, offsetof(Descriptor, outer), ">= 0"},
    {"inner", nullptr, kFieldI64, offsetof(Descriptor, inner), ">= 0"},
    {"lengths", nullptr, kFieldI64List, offsetof(Descriptor, lengths), "host array of count lengths >= 0; copied by select"},
    {"element", nullptr, kFieldDtype, offsetof(Descriptor, element), "every type of adj_dtype"},
};
// Facts that stand in the header. The operator's planning adds its functions and rows.
inline OpInfo base_info() {
  OpInfo info{};
  info.id = ADJ_OP_CONCAT;
  info.name = kName;
  info.family = "concat";
  info.descriptor_size = sizeof(Descriptor);
  info.args_size = sizeof(Args);
  info.first_descriptor_size = static_cast<std::uint32_t>(first_size(ADJ_TAG_CONCAT_DESCRIPTOR));
  info.first_args_size = static_cast<std::uint32_t>(first_size(ADJ_TAG_CONCAT_ARGS));
  info.default_descriptor = &kDefault;
  info.default_args = &kDefaultArgs;
  info.fields = kFields;
  info.slots = kSlots;
  return info;
}

}  // namespace adj::concat_tables

namespace adj::split_tables {

using Descriptor = adj_split_descriptor;
using Args = adj_split_args;
inline constexpr const char* kName = "split";
inline const Descriptor kDefault{};
inline const Args kDefaultArgs{};
enum Slot : int { kInput, kOutputs };
inline constexpr SlotInfo kSlots[] = {
    {"input", offsetof(Args, input), SlotKind::tensor, Role::in, 0, Space::stream, Given::always, "[outer, sum of lengths, inner]"},
    {"outputs", offsetof(Args, outputs), SlotKind::list, Role::out, 0, Space::stream, Given::always, "[outer, lengths[i], inner] each"},
};
inline constexpr Field kFields[] = {
    {"outer", nullptr, kFieldI64, offsetof(Descriptor, outer), ">= 0"},
    {"inner", nullptr, kFieldI64, offsetof(Descriptor, inner), ">= 0"},
    {"lengths", nullptr, kFieldI64List, offsetof(Descriptor, lengths), "host array of count lengths >= 0; copied by select"},
    {"element", nullptr, kFieldDtype, offsetof(Descriptor, element), "every type of adj_dtype"},
};
// Facts that stand in the header. The operator's planning adds its functions and rows.
inline OpInfo base_info() {
  OpInfo info{};
  info.id = ADJ_OP_SPLIT;
  info.name = kName;
  info.family = "concat";
  info.descriptor_size = sizeof(Descriptor);
  info.args_size = sizeof(Args);
  info.first_descriptor_size = static_cast<std::uint32_t>(first_size(ADJ_TAG_SPLIT_DESCRIPTOR));
  info.first_args_size = static_cast<std::uint32_t>(first_size(ADJ_TAG_SPLIT_ARGS));
  info.default_descriptor = &kDefault;
  info.default_args = &kDefaultArgs;
  info.fields = kFields;
  info.slots = kSlots;
  return info;
}

}  // namespace adj::split_tables
