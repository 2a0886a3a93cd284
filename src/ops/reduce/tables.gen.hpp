// Written by tools/generate.py from include/adjoint/ops/reduce.h. Do not edit.
#pragma once

#include <adjoint/ops/reduce.h>

#include "plan/op.hpp"

namespace adj::l2_norm_tables {

using Descriptor = adj_l2_norm_descriptor;
using Args = adj_l2_norm_args;
inline constexpr const char* kName = "l2_norm";
inline const Descriptor kDefault{};
enum Slot : int { kInputs, kOutput, kNorms, kFoundInf };
inline constexpr SlotInfo kSlots[] = {
    {"inputs", offsetof(Args, inputs), SlotKind::list, Role::in, 0, Space::stream},
    {"output", offsetof(Args, output), SlotKind::tensor, Role::out, 0, Space::stream},
    {"norms", offsetof(Args, norms), SlotKind::tensor, Role::out, 0, Space::stream},
    {"found_inf", offsetof(Args, found_inf), SlotKind::tensor, Role::out, 0, Space::stream},
};
inline constexpr Field kFields[] = {
    {"numel", nullptr, kFieldI64List, offsetof(Descriptor, numel)},
    {"element", nullptr, kFieldDtype, offsetof(Descriptor, element)},
    {"output", nullptr, kFieldDtype, offsetof(Descriptor, output)},
};
// What the header says; the operator's planning adds the rest.
inline OpInfo base_info() {
  OpInfo info{};
  info.id = ADJ_OP_L2_NORM;
  info.name = kName;
  info.descriptor_size = info.first_descriptor_size = sizeof(Descriptor);
  info.args_size = info.first_args_size = sizeof(Args);
  info.default_descriptor = &kDefault;
  info.fields = kFields;
  info.slots = kSlots;
  return info;
}

}  // namespace adj::l2_norm_tables

namespace adj::reduce_tables {

using Descriptor = adj_reduce_descriptor;
using Args = adj_reduce_args;
inline constexpr const char* kName = "reduce";
inline const Descriptor kDefault{};
enum Slot : int { kInput, kOutput };
inline constexpr SlotInfo kSlots[] = {
    {"input", offsetof(Args, input), SlotKind::tensor, Role::in, 0, Space::stream},
    {"output", offsetof(Args, output), SlotKind::tensor, Role::out, 0, Space::stream},
};
inline constexpr Field kFields[] = {
    {"shape", nullptr, kFieldShape, offsetof(Descriptor, shape)},
    {"axes", nullptr, kFieldAxes, offsetof(Descriptor, axes)},
    {"kind", "sum,mean,sum_square,l2,max,min,prod,logsumexp", kFieldI32, offsetof(Descriptor, kind)},
    {"element", nullptr, kFieldDtype, offsetof(Descriptor, element)},
    {"output", nullptr, kFieldDtype, offsetof(Descriptor, output)},
    {"keepdims", nullptr, kFieldI32, offsetof(Descriptor, keepdims)},
    {"noop_with_empty_axes", nullptr, kFieldI32, offsetof(Descriptor, noop_with_empty_axes)},
};
// What the header says; the operator's planning adds the rest.
inline OpInfo base_info() {
  OpInfo info{};
  info.id = ADJ_OP_REDUCE;
  info.name = kName;
  info.descriptor_size = info.first_descriptor_size = sizeof(Descriptor);
  info.args_size = info.first_args_size = sizeof(Args);
  info.default_descriptor = &kDefault;
  info.fields = kFields;
  info.slots = kSlots;
  return info;
}

}  // namespace adj::reduce_tables
