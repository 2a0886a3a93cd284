// Written by tools/generate.py from include/adjoint/ops/concat.h. Do not edit.
#pragma once

#include <adjoint/ops/concat.h>

#include "plan/op.hpp"
#include "plan/rules.hpp"
#include "plan/structs.hpp"

namespace adj {
inline constexpr const char* concat_conventions = R"text(Joining tensors along an axis and cutting them apart again. Definition: com.microsoft ConcatTraining and SplitTraining,
PyTorch torch.cat and torch.split.

Both see the axis between two extents: outer is the product of the extents before it, inner that of the extents after
it, so every shape and every axis is one case. Piece i has lengths[i] along the axis; the joint tensor has their sum, and
piece i begins at the sum of the lengths before it. Elements are copied bit by bit, whatever their type: NaN payloads
stay. Lengths, outer and inner may be 0; a tensor without elements may be null.)text";
}

namespace adj::concat_tables {

using Descriptor = adj_concat_descriptor;
using Args = adj_concat_args;
inline constexpr const char* kName = "concat";
inline const Descriptor kDefault{};
inline const Args kDefaultArgs{};
inline constexpr const char* kDefinition = R"text(Concat:   output[p, o_i + a, n] = inputs[i][p, a, n],   o_i = lengths[0] + .. + lengths[i - 1]

Inputs may overlap each other, not the output.)text";
enum Argument : int { kInputs, kOutput, kLengthsOut };
inline constexpr ArgumentInfo kArguments[] = {
    {"inputs", offsetof(Args, inputs), ArgumentKind::list, Role::in, 0, Space::stream, Given::always, "[outer, lengths, inner] element", ""},
    {"output", offsetof(Args, output), ArgumentKind::tensor, Role::out, 0, Space::stream, Given::always, "[outer, sum(lengths), inner] element", ""},
    {"lengths_out", offsetof(Args, lengths_out), ArgumentKind::tensor, Role::out, 0, Space::host, Given::optional, "[count] i64: the lengths, written by the call itself before it returns (a replayed graph does not write them again)", ""},
};
inline constexpr Field kFields[] = {
    {"outer", nullptr, kFieldI64, offsetof(Descriptor, outer), ">= 0"},
    {"inner", nullptr, kFieldI64, offsetof(Descriptor, inner), ">= 0"},
    {"lengths", nullptr, kFieldI64List, offsetof(Descriptor, lengths), "host array of count lengths >= 0; copied by select"},
    {"element", nullptr, kFieldDtype, offsetof(Descriptor, element), "every type of adj_dtype"},
};
inline constexpr Term kTerms[] = {
    {TermOp::number, -1, 1, 0, 0},
    {TermOp::type, 3, offsetof(Descriptor, element), kNoTerm, 0},
    {TermOp::i64, 1, offsetof(Descriptor, inner), 0, 0},
    {TermOp::items, -1, 2, kNoTerm, 0},
    {TermOp::list, 2, offsetof(Descriptor, lengths), 0, 0},
    {TermOp::items, -1, 4, 3, 0},
    {TermOp::i64, 0, offsetof(Descriptor, outer), 0, 0},
    {TermOp::items, -1, 6, 5, 0},
    {TermOp::sum, -1, 4, kNoTerm, kNoTerm},
    {TermOp::items, -1, 8, 3, 0},
    {TermOp::items, -1, 6, 9, 0},
    {TermOp::number, -1, ADJ_I64, 0, 0},
    {TermOp::i64, 2, offsetof(Descriptor, count), 0, 0},
    {TermOp::items, -1, 12, kNoTerm, 0},
};
inline constexpr KnownField kKnownFields[] = {
    {"outer", kFieldI64, offsetof(Descriptor, outer), 0, true, 0},
    {"inner", kFieldI64, offsetof(Descriptor, inner), 0, true, 0},
    {"lengths", kFieldI64List, offsetof(Descriptor, lengths), kNoTerm, false, 0},
    {"element", kFieldDtype, offsetof(Descriptor, element), kNoTerm, false, 0},
};
inline constexpr ArgumentTerms kArgumentTerms[] = {
    {7, 1, kNoTerm, kNoTerm},
    {10, 1, kNoTerm, kNoTerm},
    {13, 11, kNoTerm, 0},
};
inline void stated_shapes([[maybe_unused]] const void* descriptor, std::span<ArgumentSpec> arguments) {
  using namespace rules;
  [[maybe_unused]] const auto& d = *static_cast<const Descriptor*>(descriptor);
  arguments[kInputs] = each(d.element, d.count, [&](std::int64_t i) { return times({d.outer, d.lengths[i], d.inner}); });
  arguments[kOutput] = tensor(d.element, Dims().add(d.outer).add(sum_of(d.count, [&](std::int64_t i) { return d.lengths[i]; })).add(d.inner));
  arguments[kLengthsOut] = tensor(ADJ_I64, Dims().add(d.count), Presence::optional);
}
// Facts that stand in the header. The operator's planning adds its functions and rows.
inline OpInfo base_info() {
  OpInfo info{};
  info.id = ADJ_OP_CONCAT;
  info.name = kName;
  info.family = "concat";
  info.definition = kDefinition;
  info.conventions = concat_conventions;
  info.descriptor_size = sizeof(Descriptor);
  info.args_size = sizeof(Args);
  info.first_descriptor_size = static_cast<std::uint32_t>(first_size(ADJ_TAG_CONCAT_DESCRIPTOR));
  info.first_args_size = static_cast<std::uint32_t>(first_size(ADJ_TAG_CONCAT_ARGS));
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

}  // namespace adj::concat_tables

namespace adj::split_tables {

using Descriptor = adj_split_descriptor;
using Args = adj_split_args;
inline constexpr const char* kName = "split";
inline const Descriptor kDefault{};
inline const Args kDefaultArgs{};
inline constexpr const char* kDefinition = R"text(Split:   outputs[i][p, a, n] = input[p, o_i + a, n],   o_i = lengths[0] + .. + lengths[i - 1]

No output may overlap another or the input.)text";
enum Argument : int { kInput, kOutputs };
inline constexpr ArgumentInfo kArguments[] = {
    {"input", offsetof(Args, input), ArgumentKind::tensor, Role::in, 0, Space::stream, Given::always, "[outer, sum(lengths), inner] element", ""},
    {"outputs", offsetof(Args, outputs), ArgumentKind::list, Role::out, 0, Space::stream, Given::always, "[outer, lengths, inner] element", ""},
};
inline constexpr Field kFields[] = {
    {"outer", nullptr, kFieldI64, offsetof(Descriptor, outer), ">= 0"},
    {"inner", nullptr, kFieldI64, offsetof(Descriptor, inner), ">= 0"},
    {"lengths", nullptr, kFieldI64List, offsetof(Descriptor, lengths), "host array of count lengths >= 0; copied by select"},
    {"element", nullptr, kFieldDtype, offsetof(Descriptor, element), "every type of adj_dtype"},
};
inline constexpr Term kTerms[] = {
    {TermOp::number, -1, 1, 0, 0},
    {TermOp::type, 3, offsetof(Descriptor, element), kNoTerm, 0},
    {TermOp::i64, 1, offsetof(Descriptor, inner), 0, 0},
    {TermOp::items, -1, 2, kNoTerm, 0},
    {TermOp::list, 2, offsetof(Descriptor, lengths), 0, 0},
    {TermOp::sum, -1, 4, kNoTerm, kNoTerm},
    {TermOp::items, -1, 5, 3, 0},
    {TermOp::i64, 0, offsetof(Descriptor, outer), 0, 0},
    {TermOp::items, -1, 7, 6, 0},
    {TermOp::items, -1, 4, 3, 0},
    {TermOp::items, -1, 7, 9, 0},
};
inline constexpr KnownField kKnownFields[] = {
    {"outer", kFieldI64, offsetof(Descriptor, outer), 0, true, 0},
    {"inner", kFieldI64, offsetof(Descriptor, inner), 0, true, 0},
    {"lengths", kFieldI64List, offsetof(Descriptor, lengths), kNoTerm, false, 0},
    {"element", kFieldDtype, offsetof(Descriptor, element), kNoTerm, false, 0},
};
inline constexpr ArgumentTerms kArgumentTerms[] = {
    {8, 1, kNoTerm, kNoTerm},
    {10, 1, kNoTerm, kNoTerm},
};
inline void stated_shapes([[maybe_unused]] const void* descriptor, std::span<ArgumentSpec> arguments) {
  using namespace rules;
  [[maybe_unused]] const auto& d = *static_cast<const Descriptor*>(descriptor);
  arguments[kInput] = tensor(d.element, Dims().add(d.outer).add(sum_of(d.count, [&](std::int64_t i) { return d.lengths[i]; })).add(d.inner));
  arguments[kOutputs] = each(d.element, d.count, [&](std::int64_t i) { return times({d.outer, d.lengths[i], d.inner}); });
}
// Facts that stand in the header. The operator's planning adds its functions and rows.
inline OpInfo base_info() {
  OpInfo info{};
  info.id = ADJ_OP_SPLIT;
  info.name = kName;
  info.family = "concat";
  info.definition = kDefinition;
  info.conventions = concat_conventions;
  info.descriptor_size = sizeof(Descriptor);
  info.args_size = sizeof(Args);
  info.first_descriptor_size = static_cast<std::uint32_t>(first_size(ADJ_TAG_SPLIT_DESCRIPTOR));
  info.first_args_size = static_cast<std::uint32_t>(first_size(ADJ_TAG_SPLIT_ARGS));
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

}  // namespace adj::split_tables
