// Written by tools/generate.py from include/adjoint/ops/gist.h. Do not edit.
#pragma once

#include <adjoint/ops/gist.h>

#include "plan/op.hpp"
#include "plan/rules.hpp"
#include "plan/structs.hpp"

namespace adj {
inline constexpr const char* gist_conventions = R"text(Compression of stored activations. Definitions: com.microsoft GistBinarize, GistPack1, GistPack8, GistPack16 and GistPackMsfp15, encoders
and decoders. Results are exact to the bit. Nothing is done when an extent is 0. Buffers must not overlap.)text";
}

namespace adj::gist_encode_tables {

using Descriptor = adj_gist_encode_descriptor;
using Args = adj_gist_encode_args;
inline constexpr const char* kName = "gist_encode";
inline const Descriptor kDefault{};
inline const Args kDefaultArgs{};
inline constexpr const char* kDefinition = R"text(packed = what the format makes of input.)text";
enum Argument : int { kInput, kPacked };
inline constexpr ArgumentInfo kArguments[] = {
    {"input", offsetof(Args, input), ArgumentKind::tensor, Role::in, 0, Space::stream, Given::always, "[outer, inner] element", ""},
    {"packed", offsetof(Args, packed), ArgumentKind::tensor, Role::out, 0, Space::stream, Given::always, "format == pack1 ? [ceil_div(outer * inner, 8)] : format == msfp15 ? [outer, ceil_div(inner, 8) * 8] : [outer, inner], format == binarize ? bool : format == pack16 ? f16 : format == pack16_bf16 ? bf16 : u8", ""},
};
inline constexpr Field kFields[] = {
    {"outer", nullptr, kFieldI64, offsetof(Descriptor, outer), ">= 0; rows matter to msfp15, which pads each to eights with zeros"},
    {"inner", nullptr, kFieldI64, offsetof(Descriptor, inner), ">= 0; -1: not given, refused"},
    {"format", "none,binarize,pack1,pack8,pack8_saturated,pack8_reference,pack16,pack16_bf16,msfp15", kFieldI32, offsetof(Descriptor, format), ""},
    {"element", nullptr, kFieldDtype, offsetof(Descriptor, element), "f32, f64, f16, bf16, bool, as the format allows"},
};
inline constexpr Term kTerms[] = {
    {TermOp::number, -1, 1, 0, 0},
    {TermOp::type, 2, offsetof(Descriptor, element), kNoTerm, 0},
    {TermOp::i64, 1, offsetof(Descriptor, inner), 0, 0},
    {TermOp::items, -1, 2, kNoTerm, 0},
    {TermOp::i64, 0, offsetof(Descriptor, outer), 0, 0},
    {TermOp::items, -1, 4, 3, 0},
    {TermOp::i32, -1, offsetof(Descriptor, format), 0, 0},
    {TermOp::number, -1, ADJ_GIST_FORMAT_BINARIZE, 0, 0},
    {TermOp::eq, -1, 6, 7, 0},
    {TermOp::number, -1, ADJ_BOOL, 0, 0},
    {TermOp::number, -1, ADJ_GIST_FORMAT_PACK16, 0, 0},
    {TermOp::eq, -1, 6, 10, 0},
    {TermOp::number, -1, ADJ_F16, 0, 0},
    {TermOp::number, -1, ADJ_GIST_FORMAT_PACK16_BF16, 0, 0},
    {TermOp::eq, -1, 6, 13, 0},
    {TermOp::number, -1, ADJ_BF16, 0, 0},
    {TermOp::number, -1, ADJ_U8, 0, 0},
    {TermOp::choose, -1, 14, 15, 16},
    {TermOp::choose, -1, 11, 12, 17},
    {TermOp::choose, -1, 8, 9, 18},
    {TermOp::number, -1, ADJ_GIST_FORMAT_PACK1, 0, 0},
    {TermOp::eq, -1, 6, 20, 0},
    {TermOp::mul, -1, 4, 2, 0},
    {TermOp::number, -1, 8, 0, 0},
    {TermOp::ceil_div, -1, 22, 23, kNoTerm},
    {TermOp::items, -1, 24, kNoTerm, 0},
    {TermOp::number, -1, ADJ_GIST_FORMAT_MSFP15, 0, 0},
    {TermOp::eq, -1, 6, 26, 0},
    {TermOp::ceil_div, -1, 2, 23, kNoTerm},
    {TermOp::mul, -1, 28, 23, 0},
    {TermOp::items, -1, 29, kNoTerm, 0},
    {TermOp::items, -1, 4, 30, 0},
    {TermOp::choose_shape, -1, 27, 31, 5},
    {TermOp::choose_shape, -1, 21, 25, 32},
};
inline constexpr KnownField kKnownFields[] = {
    {"outer", kFieldI64, offsetof(Descriptor, outer), 0, true, 0},
    {"inner", kFieldI64, offsetof(Descriptor, inner), kNoTerm, false, 0},
    {"element", kFieldDtype, offsetof(Descriptor, element), kNoTerm, false, 0},
};
inline constexpr ArgumentTerms kArgumentTerms[] = {
    {5, 1, kNoTerm, kNoTerm},
    {33, 19, kNoTerm, kNoTerm},
};
inline void stated_shapes([[maybe_unused]] const void* descriptor, std::span<ArgumentSpec> arguments) {
  using namespace rules;
  [[maybe_unused]] const auto& d = *static_cast<const Descriptor*>(descriptor);
  arguments[kInput] = tensor(d.element, Dims().add(d.outer).add(d.inner));
  arguments[kPacked] = tensor(((d.format == ADJ_GIST_FORMAT_BINARIZE) ? ADJ_BOOL : ((d.format == ADJ_GIST_FORMAT_PACK16) ? ADJ_F16 : ((d.format == ADJ_GIST_FORMAT_PACK16_BF16) ? ADJ_BF16 : ADJ_U8))), ((d.format == ADJ_GIST_FORMAT_PACK1) ? Dims().add(ceil_div_of((d.outer * d.inner), 8)) : ((d.format == ADJ_GIST_FORMAT_MSFP15) ? Dims().add(d.outer).add((ceil_div_of(d.inner, 8) * 8)) : Dims().add(d.outer).add(d.inner))));
}
// Facts that stand in the header. The operator's planning adds its functions and rows.
inline OpInfo base_info() {
  OpInfo info{};
  info.id = ADJ_OP_GIST_ENCODE;
  info.name = kName;
  info.family = "gist";
  info.definition = kDefinition;
  info.conventions = gist_conventions;
  info.descriptor_size = sizeof(Descriptor);
  info.args_size = sizeof(Args);
  info.first_descriptor_size = static_cast<std::uint32_t>(first_size(ADJ_TAG_GIST_ENCODE_DESCRIPTOR));
  info.first_args_size = static_cast<std::uint32_t>(first_size(ADJ_TAG_GIST_ENCODE_ARGS));
  info.default_descriptor = &kDefault;
  info.default_args = &kDefaultArgs;
  info.fields = kFields;
  info.arguments = kArguments;
  info.terms = kTerms;
  info.known_fields = kKnownFields;
  info.argument_terms = kArgumentTerms;
  info.shapes = stated_shapes;
  return info;
}

}  // namespace adj::gist_encode_tables

namespace adj::gist_decode_tables {

using Descriptor = adj_gist_decode_descriptor;
using Args = adj_gist_decode_args;
inline constexpr const char* kName = "gist_decode";
inline const Descriptor kDefault{};
inline const Args kDefaultArgs{};
inline constexpr const char* kDefinition = R"text(out = what packed stands for, rounded once to nearest even where the element cannot hold it:
    binarize, pack1    1 or 0
    pack8_reference    what ONNX Runtime reads; +0 for codes that it never writes
    msfp15             sign * bits * 2^(exponent - 132); an infinity where the exponent is 255, +0 where the bits are 0
    others             the number itself; a NaN keeps its sign and has the highest bit of its fraction set, no other, except that pack8
                       decoded to f16 keeps its bits)text";
enum Argument : int { kPacked, kOut };
inline constexpr ArgumentInfo kArguments[] = {
    {"packed", offsetof(Args, packed), ArgumentKind::tensor, Role::in, 0, Space::stream, Given::always, "format == pack1 ? [ceil_div(outer * inner, 8)] : format == msfp15 ? [outer, ceil_div(inner, 8) * 8] : [outer, inner], format == binarize ? bool : format == pack16 ? f16 : format == pack16_bf16 ? bf16 : u8: as the encoder writes it", ""},
    {"out", offsetof(Args, out), ArgumentKind::tensor, Role::out, 0, Space::stream, Given::always, "[outer, inner] element", ""},
};
inline constexpr Field kFields[] = {
    {"outer", nullptr, kFieldI64, offsetof(Descriptor, outer), ">= 0"},
    {"inner", nullptr, kFieldI64, offsetof(Descriptor, inner), ">= 0; -1: not given, refused"},
    {"format", "none,binarize,pack1,pack8,pack8_saturated,pack8_reference,pack16,pack16_bf16,msfp15", kFieldI32, offsetof(Descriptor, format), ""},
    {"element", nullptr, kFieldDtype, offsetof(Descriptor, element), "f32, f64, f16, bf16, bool, as the format allows"},
};
inline constexpr Term kTerms[] = {
    {TermOp::number, -1, 1, 0, 0},
    {TermOp::i32, -1, offsetof(Descriptor, format), 0, 0},
    {TermOp::number, -1, ADJ_GIST_FORMAT_BINARIZE, 0, 0},
    {TermOp::eq, -1, 1, 2, 0},
    {TermOp::number, -1, ADJ_BOOL, 0, 0},
    {TermOp::number, -1, ADJ_GIST_FORMAT_PACK16, 0, 0},
    {TermOp::eq, -1, 1, 5, 0},
    {TermOp::number, -1, ADJ_F16, 0, 0},
    {TermOp::number, -1, ADJ_GIST_FORMAT_PACK16_BF16, 0, 0},
    {TermOp::eq, -1, 1, 8, 0},
    {TermOp::number, -1, ADJ_BF16, 0, 0},
    {TermOp::number, -1, ADJ_U8, 0, 0},
    {TermOp::choose, -1, 9, 10, 11},
    {TermOp::choose, -1, 6, 7, 12},
    {TermOp::choose, -1, 3, 4, 13},
    {TermOp::number, -1, ADJ_GIST_FORMAT_PACK1, 0, 0},
    {TermOp::eq, -1, 1, 15, 0},
    {TermOp::i64, 0, offsetof(Descriptor, outer), 0, 0},
    {TermOp::i64, 1, offsetof(Descriptor, inner), 0, 0},
    {TermOp::mul, -1, 17, 18, 0},
    {TermOp::number, -1, 8, 0, 0},
    {TermOp::ceil_div, -1, 19, 20, kNoTerm},
    {TermOp::items, -1, 21, kNoTerm, 0},
    {TermOp::number, -1, ADJ_GIST_FORMAT_MSFP15, 0, 0},
    {TermOp::eq, -1, 1, 23, 0},
    {TermOp::ceil_div, -1, 18, 20, kNoTerm},
    {TermOp::mul, -1, 25, 20, 0},
    {TermOp::items, -1, 26, kNoTerm, 0},
    {TermOp::items, -1, 17, 27, 0},
    {TermOp::items, -1, 18, kNoTerm, 0},
    {TermOp::items, -1, 17, 29, 0},
    {TermOp::choose_shape, -1, 24, 28, 30},
    {TermOp::choose_shape, -1, 16, 22, 31},
    {TermOp::type, 2, offsetof(Descriptor, element), kNoTerm, 0},
};
inline constexpr KnownField kKnownFields[] = {
    {"outer", kFieldI64, offsetof(Descriptor, outer), 0, true, 0},
    {"inner", kFieldI64, offsetof(Descriptor, inner), kNoTerm, false, 0},
    {"element", kFieldDtype, offsetof(Descriptor, element), kNoTerm, false, 0},
};
inline constexpr ArgumentTerms kArgumentTerms[] = {
    {32, 14, kNoTerm, kNoTerm},
    {30, 33, kNoTerm, kNoTerm},
};
inline void stated_shapes([[maybe_unused]] const void* descriptor, std::span<ArgumentSpec> arguments) {
  using namespace rules;
  [[maybe_unused]] const auto& d = *static_cast<const Descriptor*>(descriptor);
  arguments[kPacked] = tensor(((d.format == ADJ_GIST_FORMAT_BINARIZE) ? ADJ_BOOL : ((d.format == ADJ_GIST_FORMAT_PACK16) ? ADJ_F16 : ((d.format == ADJ_GIST_FORMAT_PACK16_BF16) ? ADJ_BF16 : ADJ_U8))), ((d.format == ADJ_GIST_FORMAT_PACK1) ? Dims().add(ceil_div_of((d.outer * d.inner), 8)) : ((d.format == ADJ_GIST_FORMAT_MSFP15) ? Dims().add(d.outer).add((ceil_div_of(d.inner, 8) * 8)) : Dims().add(d.outer).add(d.inner))));
  arguments[kOut] = tensor(d.element, Dims().add(d.outer).add(d.inner));
}
// Facts that stand in the header. The operator's planning adds its functions and rows.
inline OpInfo base_info() {
  OpInfo info{};
  info.id = ADJ_OP_GIST_DECODE;
  info.name = kName;
  info.family = "gist";
  info.definition = kDefinition;
  info.conventions = gist_conventions;
  info.descriptor_size = sizeof(Descriptor);
  info.args_size = sizeof(Args);
  info.first_descriptor_size = static_cast<std::uint32_t>(first_size(ADJ_TAG_GIST_DECODE_DESCRIPTOR));
  info.first_args_size = static_cast<std::uint32_t>(first_size(ADJ_TAG_GIST_DECODE_ARGS));
  info.default_descriptor = &kDefault;
  info.default_args = &kDefaultArgs;
  info.fields = kFields;
  info.arguments = kArguments;
  info.terms = kTerms;
  info.known_fields = kKnownFields;
  info.argument_terms = kArgumentTerms;
  info.shapes = stated_shapes;
  return info;
}

}  // namespace adj::gist_decode_tables
