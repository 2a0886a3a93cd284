// Written by tools/generate.py from include/adjoint/ops/fill.h. Do not edit.
#pragma once

#include <adjoint/ops/fill.h>

#include "plan/op.hpp"
#include "plan/rules.hpp"
#include "plan/structs.hpp"

namespace adj {
inline constexpr const char* fill_conventions = R"text(Initial values: a constant, and normally distributed numbers. Definition: PyTorch's Tensor.fill_ and nn.init.normal_.)text";
}

namespace adj::fill_tables {

using Descriptor = adj_fill_descriptor;
using Args = adj_fill_args;
inline constexpr const char* kName = "fill";
inline const Descriptor kDefault{};
inline const Args kDefaultArgs{};
inline constexpr const char* kDefinition = R"text(Fill:   out[i] = value, rounded once)text";
enum Argument : int { kValue, kOut };
inline constexpr ArgumentInfo kArguments[] = {
    {"value", offsetof(Args, value), ArgumentKind::scalar, Role::in, 0, Space::stream, Given::always, "f32 or f64 on the device", ""},
    {"out", offsetof(Args, out), ArgumentKind::tensor, Role::out, 0, Space::stream, Given::always, "[numel] element", ""},
};
inline constexpr Field kFields[] = {
    {"numel", nullptr, kFieldI64, offsetof(Descriptor, numel), "elements >= 0; must be given"},
    {"element", nullptr, kFieldDtype, offsetof(Descriptor, element), "f32, f64, f16, bf16"},
};
inline constexpr Term kTerms[] = {
    {TermOp::number, -1, 1, 0, 0},
    {TermOp::type, 1, offsetof(Descriptor, element), kNoTerm, 0},
    {TermOp::i64, 0, offsetof(Descriptor, numel), 0, 0},
    {TermOp::items, -1, 2, kNoTerm, 0},
};
inline constexpr KnownField kKnownFields[] = {
    {"numel", kFieldI64, offsetof(Descriptor, numel), 0, false, 0},
    {"element", kFieldDtype, offsetof(Descriptor, element), kNoTerm, false, 0},
};
inline constexpr ArgumentTerms kArgumentTerms[] = {
    {kNoTerm, kNoTerm, kNoTerm, kNoTerm},
    {3, 1, kNoTerm, kNoTerm},
};
inline void stated_shapes([[maybe_unused]] const void* descriptor, std::span<ArgumentSpec> arguments) {
  using namespace rules;
  [[maybe_unused]] const auto& d = *static_cast<const Descriptor*>(descriptor);
  arguments[kValue] = ArgumentSpec::scalar(ADJ_F32, ADJ_F64);
  arguments[kOut] = tensor(d.element, Dims().add(d.numel));
}
// Facts that stand in the header. The operator's planning adds its functions and rows.
inline OpInfo base_info() {
  OpInfo info{};
  info.id = ADJ_OP_FILL;
  info.name = kName;
  info.family = "fill";
  info.definition = kDefinition;
  info.conventions = fill_conventions;
  info.descriptor_size = sizeof(Descriptor);
  info.args_size = sizeof(Args);
  info.first_descriptor_size = static_cast<std::uint32_t>(first_size(ADJ_TAG_FILL_DESCRIPTOR));
  info.first_args_size = static_cast<std::uint32_t>(first_size(ADJ_TAG_FILL_ARGS));
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

}  // namespace adj::fill_tables

namespace adj::normal_tables {

using Descriptor = adj_normal_descriptor;
using Args = adj_normal_args;
inline constexpr const char* kName = "normal";
inline const Descriptor kDefault{};
inline const Args kDefaultArgs{};
inline constexpr const char* kDefinition = R"text(Normal:   out[e] = mean + std * n(e), rounded once

n is made by Box and Muller from Philox4x32-10, keyed and counted as in dropout.h. Elements 2 k and 2 k + 1, counted in row-major order, take words
u and v: the words (2 k) mod 4 and (2 k + 1) mod 4 of the block whose counter is (b mod 2^32, b / 2^32, 0, 0), b = (offset / 4 + e / 4) mod 2^64.
    r = sqrt(-2 log((u + 1/2) * 2^-32)),   t = 2 pi v * 2^-32,   n(2 k) = r cos t,   n(2 k + 1) = r sin t
in f64. So an element depends on seed, offset, mean, std and e alone, and |n| is at most 6.77.

Arguments. A call consumes 4 * ceil(numel / 4) words. The next call takes an offset that much larger. random has no default. Its offset is a multiple
of 4; an offset on the device is used as offset - offset mod 4.

Terms (see adj_guarantee): |mean| + |std| (1 + |n|).)text";
enum Argument : int { kMean, kStd, kRandom, kOut };
inline constexpr ArgumentInfo kArguments[] = {
    {"mean", offsetof(Args, mean), ArgumentKind::scalar, Role::in, 0, Space::stream, Given::always, "f32 or f64 on the device", ""},
    {"std", offsetof(Args, std), ArgumentKind::scalar, Role::in, 0, Space::stream, Given::always, "f32 or f64 on the device", ""},
    {"random", offsetof(Args, random), ArgumentKind::random, Role::in, 0, Space::stream, Given::always, "seed and offset, must be given", ""},
    {"out", offsetof(Args, out), ArgumentKind::tensor, Role::out, 0, Space::stream, Given::always, "[numel] element", ""},
};
inline constexpr Field kFields[] = {
    {"numel", nullptr, kFieldI64, offsetof(Descriptor, numel), "elements >= 0; must be given"},
    {"element", nullptr, kFieldDtype, offsetof(Descriptor, element), "f32, f64, f16, bf16"},
};
inline constexpr Term kTerms[] = {
    {TermOp::number, -1, 1, 0, 0},
    {TermOp::type, 1, offsetof(Descriptor, element), kNoTerm, 0},
    {TermOp::i64, 0, offsetof(Descriptor, numel), 0, 0},
    {TermOp::items, -1, 2, kNoTerm, 0},
};
inline constexpr KnownField kKnownFields[] = {
    {"numel", kFieldI64, offsetof(Descriptor, numel), 0, false, 0},
    {"element", kFieldDtype, offsetof(Descriptor, element), kNoTerm, false, 0},
};
inline constexpr ArgumentTerms kArgumentTerms[] = {
    {kNoTerm, kNoTerm, kNoTerm, kNoTerm},
    {kNoTerm, kNoTerm, kNoTerm, kNoTerm},
    {kNoTerm, kNoTerm, kNoTerm, kNoTerm},
    {3, 1, kNoTerm, kNoTerm},
};
inline void stated_shapes([[maybe_unused]] const void* descriptor, std::span<ArgumentSpec> arguments) {
  using namespace rules;
  [[maybe_unused]] const auto& d = *static_cast<const Descriptor*>(descriptor);
  arguments[kMean] = ArgumentSpec::scalar(ADJ_F32, ADJ_F64);
  arguments[kStd] = ArgumentSpec::scalar(ADJ_F32, ADJ_F64);
  arguments[kRandom] = ArgumentSpec::random();
  arguments[kOut] = tensor(d.element, Dims().add(d.numel));
}
// Facts that stand in the header. The operator's planning adds its functions and rows.
inline OpInfo base_info() {
  OpInfo info{};
  info.id = ADJ_OP_NORMAL;
  info.name = kName;
  info.family = "fill";
  info.definition = kDefinition;
  info.conventions = fill_conventions;
  info.descriptor_size = sizeof(Descriptor);
  info.args_size = sizeof(Args);
  info.first_descriptor_size = static_cast<std::uint32_t>(first_size(ADJ_TAG_NORMAL_DESCRIPTOR));
  info.first_args_size = static_cast<std::uint32_t>(first_size(ADJ_TAG_NORMAL_ARGS));
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

}  // namespace adj::normal_tables
