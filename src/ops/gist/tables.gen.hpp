// Written by tools/generate.py from include/adjoint/ops/gist.h. Do not edit.
#pragma once

#include <adjoint/ops/gist.h>

#include "plan/op.hpp"
#include "plan/structs.hpp"

namespace adj::gist_encode_tables {

using Descriptor = adj_gist_encode_descriptor;
using Args = adj_gist_encode_args;
inline constexpr const char* kName = "gist_encode";
inline const Descriptor kDefault{};
inline const Args kDefaultArgs{};
enum Slot : int { kInput, kPacked };
inline constexpr SlotInfo kSlots[] = {
    {"input", offsetof(Args, input), SlotKind::tensor, Role::in, 0, Space::stream, Given::always, "[outer, inner] element"},
    {"packed", offsetof(Args, packed), SlotKind::tensor, Role::out, 0, Space::stream, Given::always, "[outer, inner]; of pack1 [(outer * inner + 7) / 8], of msfp15 [outer, (inner + 7) / 8 * 8]"},
};
inline constexpr Field kFields[] = {
    {"outer", nullptr, kFieldI64, offsetof(Descriptor, outer), ">= 0; rows matter to msfp15, which pads each to eights with zeros"},
    {"inner", nullptr, kFieldI64, offsetof(Descriptor, inner), ">= 0; -1: not given, refused"},
    {"format", "none,binarize,pack1,pack8,pack8_saturated,pack8_reference,pack16,pack16_bf16,msfp15", kFieldI32, offsetof(Descriptor, format), ""},
    {"element", nullptr, kFieldDtype, offsetof(Descriptor, element), "f32, f64, f16, bf16, bool, as the format allows"},
};
// Facts that stand in the header. The operator's planning adds its functions and rows.
inline OpInfo base_info() {
  OpInfo info{};
  info.id = ADJ_OP_GIST_ENCODE;
  info.name = kName;
  info.family = "gist";
  info.descriptor_size = sizeof(Descriptor);
  info.args_size = sizeof(Args);
  info.first_descriptor_size = static_cast<std::uint32_t>(first_size(ADJ_TAG_GIST_ENCODE_DESCRIPTOR));
  info.first_args_size = static_cast<std::uint32_t>(first_size(ADJ_TAG_GIST_ENCODE_ARGS));
  info.default_descriptor = &kDefault;
  info.default_args = &kDefaultArgs;
  info.fields = kFields;
  info.slots = kSlots;
  return info;
}

}  // namespace adj::gist_encode_tables

namespace adj::gist_decode_tables {

using Descriptor = adj_gist_decode_descriptor;
using Args = adj_gist_decode_args;
inline constexpr const char* kName = "gist_decode";
inline const Descriptor kDefault{};
inline const Args kDefaultArgs{};
enum Slot : int { kPacked, kOut };
inline constexpr SlotInfo kSlots[] = {
    {"packed", offsetof(Args, packed), SlotKind::tensor, Role::in, 0, Space::stream, Given::always, "as the encoder writes it"},
    {"out", offsetof(Args, out), SlotKind::tensor, Role::out, 0, Space::stream, Given::always, "[outer, inner] element"},
};
inline constexpr Field kFields[] = {
    {"outer", nullptr, kFieldI64, offsetof(Descriptor, outer), ">= 0"},
    {"inner", nullptr, kFieldI64, offsetof(Descriptor, inner), ">= 0; -1: not given, refused"},
    {"format", "none,binarize,pack1,pack8,pack8_saturated,pack8_reference,pack16,pack16_bf16,msfp15", kFieldI32, offsetof(Descriptor, format), ""},
    {"element", nullptr, kFieldDtype, offsetof(Descriptor, element), "f32, f64, f16, bf16, bool, as the format allows"},
};
// Facts that stand in the header. The operator's planning adds its functions and rows.
inline OpInfo base_info() {
  OpInfo info{};
  info.id = ADJ_OP_GIST_DECODE;
  info.name = kName;
  info.family = "gist";
  info.descriptor_size = sizeof(Descriptor);
  info.args_size = sizeof(Args);
  info.first_descriptor_size = static_cast<std::uint32_t>(first_size(ADJ_TAG_GIST_DECODE_DESCRIPTOR));
  info.first_args_size = static_cast<std::uint32_t>(first_size(ADJ_TAG_GIST_DECODE_ARGS));
  info.default_descriptor = &kDefault;
  info.default_args = &kDefaultArgs;
  info.fields = kFields;
  info.slots = kSlots;
  return info;
}

}  // namespace adj::gist_decode_tables
