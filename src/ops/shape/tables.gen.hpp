// Written by tools/generate.py from include/adjoint/ops/shape.h. Do not edit.
#pragma once

#include <adjoint/ops/shape.h>

#include "plan/op.hpp"
#include "plan/rules.hpp"
#include "plan/structs.hpp"

namespace adj {
inline constexpr const char* shape_conventions = R"text(Views, copies and transposes. Definition: com.microsoft View and PassThrough; PyTorch's Tensor.mT.contiguous(). Elements are copied bit by bit, whatever
their type.)text";
}

namespace adj::view_tables {

using Descriptor = adj_view_descriptor;
using Args = adj_view_args;
inline constexpr const char* kName = "view";
inline const Descriptor kDefault{};
inline const Args kDefaultArgs{};
inline constexpr const char* kDefinition = R"text(Consecutive parts of a tensor: part i is numel[i] elements of input from the element offsets[i] = numel[0] + .. + numel[i - 1]
on. Without copies nothing is launched: the caller uses the address of input plus the offset, which is a multiple of the element
size only. With copies every part is copied to a buffer of its own, none of which overlaps another or input.)text";
enum Argument : int { kInput, kOutputs, kOffsets };
inline constexpr ArgumentInfo kArguments[] = {
    {"input", offsetof(Args, input), ArgumentKind::tensor, Role::in, 0, Space::stream, Given::always, "[total] element", ""},
    {"outputs", offsetof(Args, outputs), ArgumentKind::list, Role::out, 0, Space::stream, Given::depends, "[numel] element; only if copies", "copies"},
    {"offsets", offsetof(Args, offsets), ArgumentKind::tensor, Role::out, 0, Space::host, Given::optional, "[count] i64: offsets in elements, written by the call itself", ""},
};
inline constexpr Field kFields[] = {
    {"total", nullptr, kFieldI64, offsetof(Descriptor, total), "elements of input, >= 0: the sum of numel; must be given"},
    {"numel", nullptr, kFieldI64List, offsetof(Descriptor, numel), "host array of count element counts >= 0; copied by select"},
    {"copies", nullptr, kFieldI32, offsetof(Descriptor, copies), "1: outputs are written; 0: they are absent"},
    {"element", nullptr, kFieldDtype, offsetof(Descriptor, element), "every type of adj_dtype"},
};
inline constexpr Term kTerms[] = {
    {TermOp::number, -1, 1, 0, 0},
    {TermOp::type, 3, offsetof(Descriptor, element), kNoTerm, 0},
    {TermOp::i64, 0, offsetof(Descriptor, total), 0, 0},
    {TermOp::items, -1, 2, kNoTerm, 0},
    {TermOp::i32, 2, offsetof(Descriptor, copies), 0, 0},
    {TermOp::list, 1, offsetof(Descriptor, numel), 0, 0},
    {TermOp::items, -1, 5, kNoTerm, 0},
    {TermOp::number, -1, ADJ_I64, 0, 0},
    {TermOp::i64, 1, offsetof(Descriptor, count), 0, 0},
    {TermOp::items, -1, 8, kNoTerm, 0},
};
inline constexpr KnownField kKnownFields[] = {
    {"total", kFieldI64, offsetof(Descriptor, total), 0, false, 0},
    {"numel", kFieldI64List, offsetof(Descriptor, numel), kNoTerm, false, 0},
    {"copies", kFieldI32, offsetof(Descriptor, copies), kNoTerm, false, 0},
    {"element", kFieldDtype, offsetof(Descriptor, element), kNoTerm, false, 0},
};
inline constexpr ArgumentTerms kArgumentTerms[] = {
    {3, 1, kNoTerm, kNoTerm},
    {6, 1, 4, kNoTerm},
    {9, 7, kNoTerm, 0},
};
inline void stated_shapes([[maybe_unused]] const void* descriptor, std::span<ArgumentSpec> arguments) {
  using namespace rules;
  [[maybe_unused]] const auto& d = *static_cast<const Descriptor*>(descriptor);
  arguments[kInput] = tensor(d.element, Dims().add(d.total));
  arguments[kOutputs] = (d.copies != 0) ? ArgumentSpec::list(d.element, list_of(d.numel, d.count)) : ArgumentSpec::forbidden();
  arguments[kOffsets] = tensor(ADJ_I64, Dims().add(d.count), Presence::optional);
}
// Facts that stand in the header. The operator's planning adds its functions and rows.
inline OpInfo base_info() {
  OpInfo info{};
  info.id = ADJ_OP_VIEW;
  info.name = kName;
  info.family = "shape";
  info.definition = kDefinition;
  info.conventions = shape_conventions;
  info.descriptor_size = sizeof(Descriptor);
  info.args_size = sizeof(Args);
  info.first_descriptor_size = static_cast<std::uint32_t>(first_size(ADJ_TAG_VIEW_DESCRIPTOR));
  info.first_args_size = static_cast<std::uint32_t>(first_size(ADJ_TAG_VIEW_ARGS));
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

}  // namespace adj::view_tables

namespace adj::copy_tables {

using Descriptor = adj_copy_descriptor;
using Args = adj_copy_args;
inline constexpr const char* kName = "copy";
inline const Descriptor kDefault{};
inline const Args kDefaultArgs{};
inline constexpr const char* kDefinition = R"text(outputs[i] = inputs[i], a list in one launch. An output that is the very buffer of its input is left out; where all are, nothing is
launched.)text";
enum Argument : int { kInputs, kOutputs };
inline constexpr ArgumentInfo kArguments[] = {
    {"inputs", offsetof(Args, inputs), ArgumentKind::list, Role::in, 0, Space::stream, Given::always, "[numel] element", ""},
    {"outputs", offsetof(Args, outputs), ArgumentKind::list, Role::out, 1u << kInputs, Space::stream, Given::always, "[numel] element; may be inputs itself", ""},
};
inline constexpr Field kFields[] = {
    {"numel", nullptr, kFieldI64List, offsetof(Descriptor, numel), "host array of count element counts >= 0; copied by select"},
    {"element", nullptr, kFieldDtype, offsetof(Descriptor, element), "every type of adj_dtype"},
};
inline constexpr Term kTerms[] = {
    {TermOp::type, 1, offsetof(Descriptor, element), kNoTerm, 0},
    {TermOp::list, 0, offsetof(Descriptor, numel), 0, 0},
    {TermOp::items, -1, 1, kNoTerm, 0},
};
inline constexpr KnownField kKnownFields[] = {
    {"numel", kFieldI64List, offsetof(Descriptor, numel), kNoTerm, false, 0},
    {"element", kFieldDtype, offsetof(Descriptor, element), kNoTerm, false, 0},
};
inline constexpr ArgumentTerms kArgumentTerms[] = {
    {2, 0, kNoTerm, kNoTerm},
    {2, 0, kNoTerm, kNoTerm},
};
inline void stated_shapes([[maybe_unused]] const void* descriptor, std::span<ArgumentSpec> arguments) {
  using namespace rules;
  [[maybe_unused]] const auto& d = *static_cast<const Descriptor*>(descriptor);
  arguments[kInputs] = ArgumentSpec::list(d.element, list_of(d.numel, d.count));
  arguments[kOutputs] = ArgumentSpec::list(d.element, list_of(d.numel, d.count));
}
// Facts that stand in the header. The operator's planning adds its functions and rows.
inline OpInfo base_info() {
  OpInfo info{};
  info.id = ADJ_OP_COPY;
  info.name = kName;
  info.family = "shape";
  info.definition = kDefinition;
  info.conventions = shape_conventions;
  info.descriptor_size = sizeof(Descriptor);
  info.args_size = sizeof(Args);
  info.first_descriptor_size = static_cast<std::uint32_t>(first_size(ADJ_TAG_COPY_DESCRIPTOR));
  info.first_args_size = static_cast<std::uint32_t>(first_size(ADJ_TAG_COPY_ARGS));
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

}  // namespace adj::copy_tables

namespace adj::transpose_tables {

using Descriptor = adj_transpose_descriptor;
using Args = adj_transpose_args;
inline constexpr const char* kName = "transpose";
inline const Descriptor kDefault{};
inline const Args kDefaultArgs{};
inline constexpr const char* kDefinition = R"text(Transpose of matrices:   output[b, c, r] = input[b, r, c])text";
enum Argument : int { kInput, kOutput };
inline constexpr ArgumentInfo kArguments[] = {
    {"input", offsetof(Args, input), ArgumentKind::tensor, Role::in, 0, Space::stream, Given::always, "[batch, rows, columns] element", ""},
    {"output", offsetof(Args, output), ArgumentKind::tensor, Role::out, 0, Space::stream, Given::always, "[batch, columns, rows] element", ""},
};
inline constexpr Field kFields[] = {
    {"batch", nullptr, kFieldI64, offsetof(Descriptor, batch), "matrices >= 0"},
    {"rows", nullptr, kFieldI64, offsetof(Descriptor, rows), ">= 0; must be given"},
    {"columns", nullptr, kFieldI64, offsetof(Descriptor, columns), ">= 0; must be given"},
    {"element", nullptr, kFieldDtype, offsetof(Descriptor, element), "every type of adj_dtype"},
};
inline constexpr Term kTerms[] = {
    {TermOp::number, -1, 1, 0, 0},
    {TermOp::type, 3, offsetof(Descriptor, element), kNoTerm, 0},
    {TermOp::i64, 2, offsetof(Descriptor, columns), 0, 0},
    {TermOp::items, -1, 2, kNoTerm, 0},
    {TermOp::i64, 1, offsetof(Descriptor, rows), 0, 0},
    {TermOp::items, -1, 4, 3, 0},
    {TermOp::i64, 0, offsetof(Descriptor, batch), 0, 0},
    {TermOp::items, -1, 6, 5, 0},
    {TermOp::items, -1, 4, kNoTerm, 0},
    {TermOp::items, -1, 2, 8, 0},
    {TermOp::items, -1, 6, 9, 0},
};
inline constexpr KnownField kKnownFields[] = {
    {"batch", kFieldI64, offsetof(Descriptor, batch), 0, true, 0},
    {"rows", kFieldI64, offsetof(Descriptor, rows), kNoTerm, false, 0},
    {"columns", kFieldI64, offsetof(Descriptor, columns), kNoTerm, false, 0},
    {"element", kFieldDtype, offsetof(Descriptor, element), kNoTerm, false, 0},
};
inline constexpr ArgumentTerms kArgumentTerms[] = {
    {7, 1, kNoTerm, kNoTerm},
    {10, 1, kNoTerm, kNoTerm},
};
inline void stated_shapes([[maybe_unused]] const void* descriptor, std::span<ArgumentSpec> arguments) {
  using namespace rules;
  [[maybe_unused]] const auto& d = *static_cast<const Descriptor*>(descriptor);
  arguments[kInput] = tensor(d.element, Dims().add(d.batch).add(d.rows).add(d.columns));
  arguments[kOutput] = tensor(d.element, Dims().add(d.batch).add(d.columns).add(d.rows));
}
// Facts that stand in the header. The operator's planning adds its functions and rows.
inline OpInfo base_info() {
  OpInfo info{};
  info.id = ADJ_OP_TRANSPOSE;
  info.name = kName;
  info.family = "shape";
  info.definition = kDefinition;
  info.conventions = shape_conventions;
  info.descriptor_size = sizeof(Descriptor);
  info.args_size = sizeof(Args);
  info.first_descriptor_size = static_cast<std::uint32_t>(first_size(ADJ_TAG_TRANSPOSE_DESCRIPTOR));
  info.first_args_size = static_cast<std::uint32_t>(first_size(ADJ_TAG_TRANSPOSE_ARGS));
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

}  // namespace adj::transpose_tables
