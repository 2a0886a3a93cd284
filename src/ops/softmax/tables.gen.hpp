// Written by tools/generate.py from include/adjoint/ops/softmax.h. Do not edit.
#pragma once

#include <adjoint/ops/softmax.h>

#include "plan/op.hpp"
#include "plan/structs.hpp"

namespace adj::softmax_backward_tables {

using Descriptor = adj_softmax_backward_descriptor;
using Args = adj_softmax_backward_args;
inline constexpr const char* kName = "softmax_backward";
inline const Descriptor kDefault{};
inline const Args kDefaultArgs{};
enum Slot : int { kDout, kOut, kDinput };
inline constexpr SlotInfo kSlots[] = {
    {"dout", offsetof(Args, dout), SlotKind::tensor, Role::in, 0, Space::stream, Given::always, "[outer, extent, inner] element"},
    {"out", offsetof(Args, out), SlotKind::tensor, Role::in, 0, Space::stream, Given::always, "[outer, extent, inner] element: the result of the forward operator"},
    {"dinput", offsetof(Args, dinput), SlotKind::tensor, Role::out, 1u << kDout | 1u << kOut, Space::stream, Given::always, "[outer, extent, inner] element; may be dout or out itself"},
};
inline constexpr Field kFields[] = {
    {"outer", nullptr, kFieldI64, offsetof(Descriptor, outer), ">= 0"},
    {"extent", nullptr, kFieldI64, offsetof(Descriptor, extent), "of the axis, >= 0; must be given"},
    {"inner", nullptr, kFieldI64, offsetof(Descriptor, inner), ">= 0"},
    {"element", nullptr, kFieldDtype, offsetof(Descriptor, element), "f32, f64, f16, bf16"},
};
// Facts that stand in the header. The operator's planning adds its functions and rows.
inline OpInfo base_info() {
  OpInfo info{};
  info.id = ADJ_OP_SOFTMAX_BACKWARD;
  info.name = kName;
  info.family = "softmax";
  info.descriptor_size = sizeof(Descriptor);
  info.args_size = sizeof(Args);
  info.first_descriptor_size = static_cast<std::uint32_t>(first_size(ADJ_TAG_SOFTMAX_BACKWARD_DESCRIPTOR));
  info.first_args_size = static_cast<std::uint32_t>(first_size(ADJ_TAG_SOFTMAX_BACKWARD_ARGS));
  info.default_descriptor = &kDefault;
  info.default_args = &kDefaultArgs;
  info.fields = kFields;
  info.slots = kSlots;
  return info;
}

}  // namespace adj::softmax_backward_tables

namespace adj::log_softmax_backward_tables {

using Descriptor = adj_log_softmax_backward_descriptor;
using Args = adj_log_softmax_backward_args;
inline constexpr const char* kName = "log_softmax_backward";
inline const Descriptor kDefault{};
inline const Args kDefaultArgs{};
enum Slot : int { kDout, kOut, kDinput };
inline constexpr SlotInfo kSlots[] = {
    {"dout", offsetof(Args, dout), SlotKind::tensor, Role::in, 0, Space::stream, Given::always, "[outer, extent, inner] element"},
    {"out", offsetof(Args, out), SlotKind::tensor, Role::in, 0, Space::stream, Given::always, "[outer, extent, inner] element: the result of the forward operator"},
    {"dinput", offsetof(Args, dinput), SlotKind::tensor, Role::out, 1u << kDout | 1u << kOut, Space::stream, Given::always, "[outer, extent, inner] element; may be dout or out itself"},
};
inline constexpr Field kFields[] = {
    {"outer", nullptr, kFieldI64, offsetof(Descriptor, outer), ">= 0"},
    {"extent", nullptr, kFieldI64, offsetof(Descriptor, extent), "of the axis, >= 0; must be given"},
    {"inner", nullptr, kFieldI64, offsetof(Descriptor, inner), ">= 0"},
    {"element", nullptr, kFieldDtype, offsetof(Descriptor, element), "f32, f64, f16, bf16"},
};
// Facts that stand in the header. The operator's planning adds its functions and rows.
inline OpInfo base_info() {
  OpInfo info{};
  info.id = ADJ_OP_LOG_SOFTMAX_BACKWARD;
  info.name = kName;
  info.family = "softmax";
  info.descriptor_size = sizeof(Descriptor);
  info.args_size = sizeof(Args);
  info.first_descriptor_size = static_cast<std::uint32_t>(first_size(ADJ_TAG_LOG_SOFTMAX_BACKWARD_DESCRIPTOR));
  info.first_args_size = static_cast<std::uint32_t>(first_size(ADJ_TAG_LOG_SOFTMAX_BACKWARD_ARGS));
  info.default_descriptor = &kDefault;
  info.default_args = &kDefaultArgs;
  info.fields = kFields;
  info.slots = kSlots;
  return info;
}

}  // namespace adj::log_softmax_backward_tables

namespace adj::softmax_forward_tables {

using Descriptor = adj_softmax_forward_descriptor;
using Args = adj_softmax_forward_args;
inline constexpr const char* kName = "softmax_forward";
inline const Descriptor kDefault{};
inline const Args kDefaultArgs{};
enum Slot : int { kInput, kOut };
inline constexpr SlotInfo kSlots[] = {
    {"input", offsetof(Args, input), SlotKind::tensor, Role::in, 0, Space::stream, Given::always, "[outer, extent, inner] element"},
    {"out", offsetof(Args, out), SlotKind::tensor, Role::out, 1u << kInput, Space::stream, Given::always, "[outer, extent, inner] element; may be input itself"},
};
inline constexpr Field kFields[] = {
    {"outer", nullptr, kFieldI64, offsetof(Descriptor, outer), ">= 0"},
    {"extent", nullptr, kFieldI64, offsetof(Descriptor, extent), "of the axis, >= 0; must be given"},
    {"inner", nullptr, kFieldI64, offsetof(Descriptor, inner), ">= 0"},
    {"element", nullptr, kFieldDtype, offsetof(Descriptor, element), "f32, f64, f16, bf16"},
};
// Facts that stand in the header. The operator's planning adds its functions and rows.
inline OpInfo base_info() {
  OpInfo info{};
  info.id = ADJ_OP_SOFTMAX_FORWARD;
  info.name = kName;
  info.family = "softmax";
  info.descriptor_size = sizeof(Descriptor);
  info.args_size = sizeof(Args);
  info.first_descriptor_size = static_cast<std::uint32_t>(first_size(ADJ_TAG_SOFTMAX_FORWARD_DESCRIPTOR));
  info.first_args_size = static_cast<std::uint32_t>(first_size(ADJ_TAG_SOFTMAX_FORWARD_ARGS));
  info.default_descriptor = &kDefault;
  info.default_args = &kDefaultArgs;
  info.fields = kFields;
  info.slots = kSlots;
  return info;
}

}  // namespace adj::softmax_forward_tables

namespace adj::log_softmax_forward_tables {

using Descriptor = adj_log_softmax_forward_descriptor;
using Args = adj_log_softmax_forward_args;
inline constexpr const char* kName = "log_softmax_forward";
inline const Descriptor kDefault{};
inline const Args kDefaultArgs{};
enum Slot : int { kInput, kOut };
inline constexpr SlotInfo kSlots[] = {
    {"input", offsetof(Args, input), SlotKind::tensor, Role::in, 0, Space::stream, Given::always, "[outer, extent, inner] element"},
    {"out", offsetof(Args, out), SlotKind::tensor, Role::out, 1u << kInput, Space::stream, Given::always, "[outer, extent, inner] element; may be input itself"},
};
inline constexpr Field kFields[] = {
    {"outer", nullptr, kFieldI64, offsetof(Descriptor, outer), ">= 0"},
    {"extent", nullptr, kFieldI64, offsetof(Descriptor, extent), "of the axis, >= 0; must be given"},
    {"inner", nullptr, kFieldI64, offsetof(Descriptor, inner), ">= 0"},
    {"element", nullptr, kFieldDtype, offsetof(Descriptor, element), "f32, f64, f16, bf16"},
};
// Facts that stand in the header. The operator's planning adds its functions and rows.
inline OpInfo base_info() {
  OpInfo info{};
  info.id = ADJ_OP_LOG_SOFTMAX_FORWARD;
  info.name = kName;
  info.family = "softmax";
  info.descriptor_size = sizeof(Descriptor);
  info.args_size = sizeof(Args);
  info.first_descriptor_size = static_cast<std::uint32_t>(first_size(ADJ_TAG_LOG_SOFTMAX_FORWARD_DESCRIPTOR));
  info.first_args_size = static_cast<std::uint32_t>(first_size(ADJ_TAG_LOG_SOFTMAX_FORWARD_ARGS));
  info.default_descriptor = &kDefault;
  info.default_args = &kDefaultArgs;
  info.fields = kFields;
  info.slots = kSlots;
  return info;
}

}  // namespace adj::log_softmax_forward_tables
