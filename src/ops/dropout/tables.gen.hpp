// Written by tools/generate.py from include/adjoint/ops/dropout.h. Do not edit.
#pragma once

#include <adjoint/ops/dropout.h>

#include "plan/op.hpp"

namespace adj::dropout_forward_tables {

using Descriptor = adj_dropout_forward_descriptor;
using Args = adj_dropout_forward_args;
inline constexpr const char* kName = "dropout_forward";
inline const Descriptor kDefault{};
enum Slot : int { kInput, kRatio, kRandom, kOut, kMask, kWords };
inline constexpr SlotInfo kSlots[] = {
    {"input", offsetof(Args, input), SlotKind::tensor, Role::in, 0, Space::stream},
    {"ratio", offsetof(Args, ratio), SlotKind::scalar, Role::in, 0, Space::stream},
    {"random", offsetof(Args, random), SlotKind::random, Role::inout, 0, Space::stream},
    {"out", offsetof(Args, out), SlotKind::tensor, Role::out, 1u << kInput, Space::stream},
    {"mask", offsetof(Args, mask), SlotKind::tensor, Role::out, 0, Space::stream},
    {"words", offsetof(Args, words), SlotKind::tensor, Role::out, 0, Space::host},
};
inline constexpr Field kFields[] = {
    {"numel", nullptr, kFieldI64, offsetof(Descriptor, numel)},
    {"element", nullptr, kFieldDtype, offsetof(Descriptor, element)},
    {"mask", "default,bool,bits,none", kFieldI32, offsetof(Descriptor, mask)},
    {"training", nullptr, kFieldI32, offsetof(Descriptor, training)},
    {"advance_offset", nullptr, kFieldI32, offsetof(Descriptor, advance_offset)},
};
// What the header says; the operator's planning adds the rest.
inline OpInfo base_info() {
  OpInfo info{};
  info.id = ADJ_OP_DROPOUT_FORWARD;
  info.name = kName;
  info.descriptor_size = info.first_descriptor_size = sizeof(Descriptor);
  info.args_size = info.first_args_size = sizeof(Args);
  info.default_descriptor = &kDefault;
  info.fields = kFields;
  info.slots = kSlots;
  return info;
}

}  // namespace adj::dropout_forward_tables

namespace adj::dropout_backward_tables {

using Descriptor = adj_dropout_backward_descriptor;
using Args = adj_dropout_backward_args;
inline constexpr const char* kName = "dropout_backward";
inline const Descriptor kDefault{};
enum Slot : int { kDout, kMask, kRatio, kRandom, kDinput };
inline constexpr SlotInfo kSlots[] = {
    {"dout", offsetof(Args, dout), SlotKind::tensor, Role::in, 0, Space::stream},
    {"mask", offsetof(Args, mask), SlotKind::tensor, Role::in, 0, Space::stream},
    {"ratio", offsetof(Args, ratio), SlotKind::scalar, Role::in, 0, Space::stream},
    {"random", offsetof(Args, random), SlotKind::random, Role::in, 0, Space::stream},
    {"dinput", offsetof(Args, dinput), SlotKind::tensor, Role::out, 1u << kDout, Space::stream},
};
inline constexpr Field kFields[] = {
    {"numel", nullptr, kFieldI64, offsetof(Descriptor, numel)},
    {"element", nullptr, kFieldDtype, offsetof(Descriptor, element)},
    {"mask", "default,bool,bits,none", kFieldI32, offsetof(Descriptor, mask)},
    {"training", nullptr, kFieldI32, offsetof(Descriptor, training)},
};
// What the header says; the operator's planning adds the rest.
inline OpInfo base_info() {
  OpInfo info{};
  info.id = ADJ_OP_DROPOUT_BACKWARD;
  info.name = kName;
  info.descriptor_size = info.first_descriptor_size = sizeof(Descriptor);
  info.args_size = info.first_args_size = sizeof(Args);
  info.default_descriptor = &kDefault;
  info.fields = kFields;
  info.slots = kSlots;
  return info;
}

}  // namespace adj::dropout_backward_tables

namespace adj::bias_softmax_dropout_forward_tables {

using Descriptor = adj_bias_softmax_dropout_forward_descriptor;
using Args = adj_bias_softmax_dropout_forward_args;
inline constexpr const char* kName = "bias_softmax_dropout_forward";
inline const Descriptor kDefault{};
enum Slot : int { kInput, kBias, kRatio, kRandom, kOut, kMask, kSoftmaxOut, kWords };
inline constexpr SlotInfo kSlots[] = {
    {"input", offsetof(Args, input), SlotKind::tensor, Role::in, 0, Space::stream},
    {"bias", offsetof(Args, bias), SlotKind::tensor, Role::in, 0, Space::stream},
    {"ratio", offsetof(Args, ratio), SlotKind::scalar, Role::in, 0, Space::stream},
    {"random", offsetof(Args, random), SlotKind::random, Role::inout, 0, Space::stream},
    {"out", offsetof(Args, out), SlotKind::tensor, Role::out, 1u << kInput, Space::stream},
    {"mask", offsetof(Args, mask), SlotKind::tensor, Role::out, 0, Space::stream},
    {"softmax_out", offsetof(Args, softmax_out), SlotKind::tensor, Role::out, 1u << kInput, Space::stream},
    {"words", offsetof(Args, words), SlotKind::tensor, Role::out, 0, Space::host},
};
inline constexpr Field kFields[] = {
    {"rows", nullptr, kFieldI64, offsetof(Descriptor, rows)},
    {"columns", nullptr, kFieldI64, offsetof(Descriptor, columns)},
    {"bias_rows", nullptr, kFieldI64, offsetof(Descriptor, bias_rows)},
    {"element", nullptr, kFieldDtype, offsetof(Descriptor, element)},
    {"mask", "default,bool,bits,none", kFieldI32, offsetof(Descriptor, mask)},
    {"inner_broadcast", nullptr, kFieldI32, offsetof(Descriptor, inner_broadcast)},
    {"zero_masked_rows", nullptr, kFieldI32, offsetof(Descriptor, zero_masked_rows)},
    {"advance_offset", nullptr, kFieldI32, offsetof(Descriptor, advance_offset)},
};
// What the header says; the operator's planning adds the rest.
inline OpInfo base_info() {
  OpInfo info{};
  info.id = ADJ_OP_BIAS_SOFTMAX_DROPOUT_FORWARD;
  info.name = kName;
  info.descriptor_size = info.first_descriptor_size = sizeof(Descriptor);
  info.args_size = info.first_args_size = sizeof(Args);
  info.default_descriptor = &kDefault;
  info.fields = kFields;
  info.slots = kSlots;
  return info;
}

}  // namespace adj::bias_softmax_dropout_forward_tables

namespace adj::softmax_dropout_backward_tables {

using Descriptor = adj_softmax_dropout_backward_descriptor;
using Args = adj_softmax_dropout_backward_args;
inline constexpr const char* kName = "softmax_dropout_backward";
inline const Descriptor kDefault{};
enum Slot : int { kDout, kMask, kSoftmaxOut, kRatio, kRandom, kDinput };
inline constexpr SlotInfo kSlots[] = {
    {"dout", offsetof(Args, dout), SlotKind::tensor, Role::in, 0, Space::stream},
    {"mask", offsetof(Args, mask), SlotKind::tensor, Role::in, 0, Space::stream},
    {"softmax_out", offsetof(Args, softmax_out), SlotKind::tensor, Role::in, 0, Space::stream},
    {"ratio", offsetof(Args, ratio), SlotKind::scalar, Role::in, 0, Space::stream},
    {"random", offsetof(Args, random), SlotKind::random, Role::in, 0, Space::stream},
    {"dinput", offsetof(Args, dinput), SlotKind::tensor, Role::out, 1u << kDout | 1u << kSoftmaxOut, Space::stream},
};
inline constexpr Field kFields[] = {
    {"rows", nullptr, kFieldI64, offsetof(Descriptor, rows)},
    {"columns", nullptr, kFieldI64, offsetof(Descriptor, columns)},
    {"element", nullptr, kFieldDtype, offsetof(Descriptor, element)},
    {"mask", "default,bool,bits,none", kFieldI32, offsetof(Descriptor, mask)},
};
// What the header says; the operator's planning adds the rest.
inline OpInfo base_info() {
  OpInfo info{};
  info.id = ADJ_OP_SOFTMAX_DROPOUT_BACKWARD;
  info.name = kName;
  info.descriptor_size = info.first_descriptor_size = sizeof(Descriptor);
  info.args_size = info.first_args_size = sizeof(Args);
  info.default_descriptor = &kDefault;
  info.fields = kFields;
  info.slots = kSlots;
  return info;
}

}  // namespace adj::softmax_dropout_backward_tables
