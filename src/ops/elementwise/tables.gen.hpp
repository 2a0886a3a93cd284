// Written by tools/generate.py from include/adjoint/ops/elementwise.h. Do not edit.
#pragma once

#include <adjoint/ops/elementwise.h>

#include "plan/op.hpp"
#include "plan/structs.hpp"

namespace adj::div_backward_tables {

using Descriptor = adj_div_backward_descriptor;
using Args = adj_div_backward_args;
inline constexpr const char* kName = "div_backward";
inline const Descriptor kDefault{};
inline const Args kDefaultArgs{};
enum Slot : int { kDout, kA, kB, kDa, kDb };
inline constexpr SlotInfo kSlots[] = {
    {"dout", offsetof(Args, dout), SlotKind::tensor, Role::in, 0, Space::stream, Given::always, "the broadcast shape, element"},
    {"a", offsetof(Args, a), SlotKind::tensor, Role::in, 0, Space::stream, Given::depends, "without skip_db, a_shape element"},
    {"b", offsetof(Args, b), SlotKind::tensor, Role::in, 0, Space::stream, Given::always, "b_shape element"},
    {"da", offsetof(Args, da), SlotKind::tensor, Role::out, 0, Space::stream, Given::depends, "without skip_da, a_shape element"},
    {"db", offsetof(Args, db), SlotKind::tensor, Role::out, 0, Space::stream, Given::depends, "without skip_db, b_shape element"},
};
inline constexpr Field kFields[] = {
    {"a_shape", nullptr, kFieldShape, offsetof(Descriptor, a_shape), "of a and da; broadcast to that of dout"},
    {"b_shape", nullptr, kFieldShape, offsetof(Descriptor, b_shape), "of b and db; broadcast to that of dout"},
    {"skip_da", nullptr, kFieldI32, offsetof(Descriptor, skip_da), "1: da is not wanted"},
    {"skip_db", nullptr, kFieldI32, offsetof(Descriptor, skip_db), "1: db is not wanted, and a is not read; not together with skip_da"},
    {"element", nullptr, kFieldDtype, offsetof(Descriptor, element), "f32, f64, f16, bf16"},
};
// Facts that stand in the header. The operator's planning adds its functions and rows.
inline OpInfo base_info() {
  OpInfo info{};
  info.id = ADJ_OP_DIV_BACKWARD;
  info.name = kName;
  info.family = "elementwise";
  info.descriptor_size = sizeof(Descriptor);
  info.args_size = sizeof(Args);
  info.first_descriptor_size = static_cast<std::uint32_t>(first_size(ADJ_TAG_DIV_BACKWARD_DESCRIPTOR));
  info.first_args_size = static_cast<std::uint32_t>(first_size(ADJ_TAG_DIV_BACKWARD_ARGS));
  info.default_descriptor = &kDefault;
  info.default_args = &kDefaultArgs;
  info.fields = kFields;
  info.slots = kSlots;
  return info;
}

}  // namespace adj::div_backward_tables
