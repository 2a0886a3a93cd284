// Written by tools/generate.py from include/adjoint/ops/reduce.h. Do not edit.
#pragma once

#include <adjoint/ops/reduce.h>

#include "plan/op.hpp"
#include "plan/structs.hpp"

namespace adj::l2_norm_tables {

using Descriptor = adj_l2_norm_descriptor;
using Args = adj_l2_norm_args;
inline constexpr const char* kName = "l2_norm";
inline const Descriptor kDefault{};
inline const Args kDefaultArgs{};
enum Slot : int { kInputs, kOutput, kNorms, kFoundInf };
inline constexpr SlotInfo kSlots[] = {
    {"inputs", offsetof(Args, inputs), SlotKind::list, Role::in, 0, Space::stream, Given::always, "[numel[i]] element each"},
    {"output", offsetof(Args, output), SlotKind::tensor, Role::out, 0, Space::stream, Given::always, "[1]"},
    {"norms", offsetof(Args, norms), SlotKind::tensor, Role::out, 0, Space::stream, Given::optional, "[count]"},
    {"found_inf", offsetof(Args, found_inf), SlotKind::tensor, Role::out, 0, Space::stream, Given::optional, "[1] f32: 1 where an element of inputs is an infinity or NaN, else 0"},
};
inline constexpr Field kFields[] = {
    {"numel", nullptr, kFieldI64List, offsetof(Descriptor, numel), "host array of count element counts >= 0; copied by select"},
    {"element", nullptr, kFieldDtype, offsetof(Descriptor, element), "of inputs: f32, f64, f16, bf16"},
    {"output", nullptr, kFieldDtype, offsetof(Descriptor, output), "of output and norms: f32 or a 16-bit type that is that of inputs or has f32 inputs; f64 exactly when the inputs are; 0 = element"},
};
// Facts that stand in the header. The operator's planning adds its functions and rows.
inline OpInfo base_info() {
  OpInfo info{};
  info.id = ADJ_OP_L2_NORM;
  info.name = kName;
  info.family = "reduce";
  info.descriptor_size = sizeof(Descriptor);
  info.args_size = sizeof(Args);
  info.first_descriptor_size = static_cast<std::uint32_t>(first_size(ADJ_TAG_L2_NORM_DESCRIPTOR));
  info.first_args_size = static_cast<std::uint32_t>(first_size(ADJ_TAG_L2_NORM_ARGS));
  info.default_descriptor = &kDefault;
  info.default_args = &kDefaultArgs;
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
inline const Args kDefaultArgs{};
enum Slot : int { kInput, kOutput, kOffsets, kErrorFlag };
inline constexpr SlotInfo kSlots[] = {
    {"input", offsetof(Args, input), SlotKind::tensor, Role::in, 0, Space::stream, Given::always, "shape"},
    {"output", offsetof(Args, output), SlotKind::tensor, Role::inout, 0, Space::stream, Given::always, "shape without the reduced axes, or with one element in each; with segments elements in that of segments; in/out when write_mode is accumulate"},
    {"offsets", offsetof(Args, offsets), SlotKind::tensor, Role::in, 0, Space::stream, Given::depends, "[segments + 1] offset; exactly when segments >= 0"},
    {"error_flag", offsetof(Args, error_flag), SlotKind::tensor, Role::inout, 0, Space::stream, Given::depends, "only for segments >= 0, [1] i64: 1 is added for each segment with bad offsets"},
};
inline constexpr Field kFields[] = {
    {"shape", nullptr, kFieldShape, offsetof(Descriptor, shape), "of input"},
    {"axes", nullptr, kFieldAxes, offsetof(Descriptor, axes), "the axes to reduce, in any order; negative ones count from the end; none: all of them"},
    {"kind", "sum,mean,sum_square,l2,max,min,prod,logsumexp", kFieldI32, offsetof(Descriptor, kind), ""},
    {"element", nullptr, kFieldDtype, offsetof(Descriptor, element), "of input: f32, f64, f16, bf16, i32"},
    {"output", nullptr, kFieldDtype, offsetof(Descriptor, output), "of output: that of input, or f32 where that has 16 bits; 0 = element"},
    {"keepdims", nullptr, kFieldI32, offsetof(Descriptor, keepdims), "1: output keeps reduced axes with one element; 0: they are left out of its shape"},
    {"noop_with_empty_axes", nullptr, kFieldI32, offsetof(Descriptor, noop_with_empty_axes), "1: no axes mean that none is reduced"},
    {"offset", nullptr, kFieldDtype, offsetof(Descriptor, offset), "of offsets: i32, i64; exactly with segments"},
    {"segments", nullptr, kFieldI64, offsetof(Descriptor, segments), ">= 0: the number of segments, with one axis and keepdims; -1: none, the axes are reduced whole"},
    {"write_mode", "default,overwrite,accumulate", kFieldI32, offsetof(Descriptor, write_mode), "of output; accumulate: only of a sum of floating-point numbers, without segments"},
};
// Facts that stand in the header. The operator's planning adds its functions and rows.
inline OpInfo base_info() {
  OpInfo info{};
  info.id = ADJ_OP_REDUCE;
  info.name = kName;
  info.family = "reduce";
  info.descriptor_size = sizeof(Descriptor);
  info.args_size = sizeof(Args);
  info.first_descriptor_size = static_cast<std::uint32_t>(first_size(ADJ_TAG_REDUCE_DESCRIPTOR));
  info.first_args_size = static_cast<std::uint32_t>(first_size(ADJ_TAG_REDUCE_ARGS));
  info.default_descriptor = &kDefault;
  info.default_args = &kDefaultArgs;
  info.fields = kFields;
  info.slots = kSlots;
  return info;
}

}  // namespace adj::reduce_tables
