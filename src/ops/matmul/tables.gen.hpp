// Written by tools/generate.py from include/adjoint/ops/matmul.h. Do not edit.
#pragma once

#include <adjoint/ops/matmul.h>

#include "plan/op.hpp"
#include "plan/structs.hpp"

namespace adj::matmul_tables {

using Descriptor = adj_matmul_descriptor;
using Args = adj_matmul_args;
inline constexpr const char* kName = "matmul";
inline const Descriptor kDefault{};
inline const Args kDefaultArgs{};
enum Slot : int { kA, kB, kBias, kC, kSaved, kD, kPreactivation, kDbias };
inline constexpr SlotInfo kSlots[] = {
    {"a", offsetof(Args, a), SlotKind::tensor, Role::in, 0, Space::stream, Given::always, "A as stored, element"},
    {"b", offsetof(Args, b), SlotKind::tensor, Role::in, 0, Space::stream, Given::always, "B as stored, element"},
    {"bias", offsetof(Args, bias), SlotKind::tensor, Role::in, 0, Space::stream, Given::depends, "with has_bias, [n] out"},
    {"c", offsetof(Args, c), SlotKind::tensor, Role::in, 0, Space::stream, Given::depends, "with beta, like d, out"},
    {"saved", offsetof(Args, saved), SlotKind::tensor, Role::in, 0, Space::stream, Given::depends, "only for gelu_tanh_backward, like d, out: what the forward product wrote to preactivation"},
    {"d", offsetof(Args, d), SlotKind::tensor, Role::inout, 1u << kC, Space::stream, Given::always, "D, out; in/out when accumulating; what lies between its rows is kept; may be c itself"},
    {"preactivation", offsetof(Args, preactivation), SlotKind::tensor, Role::inout, 0, Space::stream, Given::depends, "with has_preactivation, like d, out; in/out when there are gaps between its rows, which are kept"},
    {"dbias", offsetof(Args, dbias), SlotKind::tensor, Role::inout, 0, Space::stream, Given::depends, "with has_dbias, [m] out; in/out when accumulating"},
};
inline constexpr Field kFields[] = {
    {"m", nullptr, kFieldI64, offsetof(Descriptor, m), ">= 0; -1: not given, refused"},
    {"n", nullptr, kFieldI64, offsetof(Descriptor, n), ">= 0; -1: not given, refused"},
    {"k", nullptr, kFieldI64, offsetof(Descriptor, k), ">= 0; -1: not given, refused"},
    {"batch", nullptr, kFieldI64, offsetof(Descriptor, batch), ">= 0"},
    {"lda", nullptr, kFieldI64, offsetof(Descriptor, lda), "0, or at least the columns of A as stored"},
    {"ldb", nullptr, kFieldI64, offsetof(Descriptor, ldb), "0, or at least the columns of B as stored"},
    {"ldd", nullptr, kFieldI64, offsetof(Descriptor, ldd), "0, or at least n"},
    {"stride_a", nullptr, kFieldI64, offsetof(Descriptor, stride_a), ">= 0: elements between matrices of A; matrices may overlap"},
    {"stride_b", nullptr, kFieldI64, offsetof(Descriptor, stride_b), ">= 0: elements between matrices of B; matrices may overlap"},
    {"stride_d", nullptr, kFieldI64, offsetof(Descriptor, stride_d), ">= 0: elements between matrices of D, which do not overlap: they follow each other, or each row of one lies beside that of the one before"},
    {"alpha", nullptr, kFieldF64, offsetof(Descriptor, alpha), "in the arithmetic's type finite and not 0"},
    {"beta", nullptr, kFieldF64, offsetof(Descriptor, beta), "finite in the arithmetic's type; not 0: c is given. Only with the epilogue none, without accumulation"},
    {"transpose_a", nullptr, kFieldI32, offsetof(Descriptor, transpose_a), "1: A is stored as [k, m]"},
    {"transpose_b", nullptr, kFieldI32, offsetof(Descriptor, transpose_b), "1: B is stored as [n, k]"},
    {"epilogue", "default,none,gelu_tanh,gelu_tanh_backward", kFieldI32, offsetof(Descriptor, epilogue), ""},
    {"has_bias", nullptr, kFieldI32, offsetof(Descriptor, has_bias), "1: bias is given; not with gelu_tanh_backward"},
    {"has_preactivation", nullptr, kFieldI32, offsetof(Descriptor, has_preactivation), "1: z is written to preactivation; needs gelu_tanh"},
    {"has_dbias", nullptr, kFieldI32, offsetof(Descriptor, has_dbias), "1: dbias is written; needs transpose_a and a batch of 1"},
    {"write_mode", "default,overwrite,accumulate", kFieldI32, offsetof(Descriptor, write_mode), "of d and dbias: overwrite, accumulate; accumulate needs the epilogue none and no bias"},
    {"element", nullptr, kFieldDtype, offsetof(Descriptor, element), "f32, f64, f16, bf16"},
    {"out", nullptr, kFieldDtype, offsetof(Descriptor, out), "none: element; else element, or f32 with f16 and bf16"},
};
// Facts that stand in the header. The operator's planning adds its functions and rows.
inline OpInfo base_info() {
  OpInfo info{};
  info.id = ADJ_OP_MATMUL;
  info.name = kName;
  info.family = "matmul";
  info.descriptor_size = sizeof(Descriptor);
  info.args_size = sizeof(Args);
  info.first_descriptor_size = static_cast<std::uint32_t>(first_size(ADJ_TAG_MATMUL_DESCRIPTOR));
  info.first_args_size = static_cast<std::uint32_t>(first_size(ADJ_TAG_MATMUL_ARGS));
  info.default_descriptor = &kDefault;
  info.default_args = &kDefaultArgs;
  info.fields = kFields;
  info.slots = kSlots;
  return info;
}

}  // namespace adj::matmul_tables
