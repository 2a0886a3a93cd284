// Written by tools/generate.py from include/adjoint/ops/fill.h. Do not edit.
#pragma once

#include <adjoint/ops/fill.h>

#include "plan/op.hpp"
#include "plan/structs.hpp"

namespace adj::fill_tables {

using Descriptor = adj_fill_descriptor;
using Args = adj_fill_args;
inline constexpr const char* kName = "fill";
inline const Descriptor kDefault{};
inline const Args kDefaultArgs{};
enum Slot : int { kValue, kOut };
inline constexpr SlotInfo kSlots[] = {
    {"value", offsetof(Args, value), SlotKind::scalar, Role::in, 0, Space::stream, Given::always, "f32 or f64 on the device"},
    {"out", offsetof(Args, out), SlotKind::tensor, Role::out, 0, Space::stream, Given::always, "[numel] element"},
};
inline constexpr Field kFields[] = {
    {"numel", nullptr, kFieldI64, offsetof(Descriptor, numel), "elements >= 0; must be given"},
    {"element", nullptr, kFieldDtype, offsetof(Descriptor, element), "f32, f64, f16, bf16"},
};
// Facts that stand in the header. The operator's planning adds its functions and rows.
inline OpInfo base_info() {
  OpInfo info{};
  info.id = ADJ_OP_FILL;
  info.name = kName;
  info.family = "fill";
  info.descriptor_size = sizeof(Descriptor);
  info.args_size = sizeof(Args);
  info.first_descriptor_size = static_cast<std::uint32_t>(first_size(ADJ_TAG_FILL_DESCRIPTOR));
  info.first_args_size = static_cast<std::uint32_t>(first_size(ADJ_TAG_FILL_ARGS));
  info.default_descriptor = &kDefault;
  info.default_args = &kDefaultArgs;
  info.fields = kFields;
  info.slots = kSlots;
  return info;
}

}  // namespace adj::fill_tables

namespace adj::normal_tables {

using Descriptor = adj_normal_descriptor;
using Args = adj_normal_args;
inline constexpr const char* kName = "normal";
inline const Descriptor kDefault{};
inline const Args kDefaultArgs{};
enum Slot : int { kMean, kStd, kRandom, kOut };
inline constexpr SlotInfo kSlots[] = {
    {"mean", offsetof(Args, mean), SlotKind::scalar, Role::in, 0, Space::stream, Given::always, "f32 or f64 on the device"},
    {"std", offsetof(Args, std), SlotKind::scalar, Role::in, 0, Space::stream, Given::always, "f32 or f64 on the device"},
    {"random", offsetof(Args, random), SlotKind::random, Role::in, 0, Space::stream, Given::always, "seed and offset, must be given"},
    {"out", offsetof(Args, out), SlotKind::tensor, Role::out, 0, Space::stream, Given::always, "[numel] element"},
};
inline constexpr Field kFields[] = {
    {"numel", nullptr, kFieldI64, offsetof(Descriptor, numel), "elements >= 0; must be given"},
    {"element", nullptr, kFieldDtype, offsetof(Descriptor, element), "f32, f64, f16, bf16"},
};
// Facts that stand in the header. The operator's planning adds its functions and rows.
inline OpInfo base_info() {
  OpInfo info{};
  info.id = ADJ_OP_NORMAL;
  info.name = kName;
  info.family = "fill";
  info.descriptor_size = sizeof(Descriptor);
  info.args_size = sizeof(Args);
  info.first_descriptor_size = static_cast<std::uint32_t>(first_size(ADJ_TAG_NORMAL_DESCRIPTOR));
  info.first_args_size = static_cast<std::uint32_t>(first_size(ADJ_TAG_NORMAL_ARGS));
  info.default_descriptor = &kDefault;
  info.default_args = &kDefaultArgs;
  info.fields = kFields;
  info.slots = kSlots;
  return info;
}

}  // namespace adj::normal_tables
