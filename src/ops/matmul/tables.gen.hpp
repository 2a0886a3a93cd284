// Written by tools/generate.py from include/adjoint/ops/matmul.h. Do not edit.
#pragma once

#include <adjoint/ops/matmul.h>

#include "plan/op.hpp"
#include "plan/rules.hpp"
#include "plan/structs.hpp"

namespace adj {
inline constexpr const char* matmul_conventions = R"text(Matrix product with scaling, bias, activation and the gradients of both.

Arguments. All matrices are row-major. With op(X) = X or, where its transpose flag is set, the transpose of X,
    op(A) is m x k, op(B) is k x n, D is m x n, for each of `batch` independent products
As stored, A is [m, k] (transpose_a: [k, m]) and B is [k, n] (transpose_b: [n, k]). Row r, column c of matrix i is element
    i * stride + r * ld + c
of its buffer. ld 0 stands for the number of columns, stride 0 for rows * ld. A buffer needs all elements from its first to its last one. Elements
between rows and between matrices are neither read nor written. A buffer without such gaps has the shape [batch * rows, columns], any other the
shape [elements].

A step of y = x W^T + b with x [rows, in], W [out, in] takes three products:
    forward          m = rows, n = out, k = in, a = x, b = W, transpose_b, has_bias
    dx = dy W        m = rows, n = in, k = out, a = dy, b = W
    dW += dy^T x     m = out, n = in, k = rows, a = dy, b = x, transpose_a, out = f32, accumulate; with has_dbias db += sums of the columns of dy

Types. Products are added in f32 (f64 for f64), and each output is rounded once. The epilogue works on the sum before it is rounded. The f32 operands
of products are rounded to TF32 only where the preference's math is ADJ_MATH_FAST. ADJ_MATH_IEEE leaves gelu_tanh and its gradient to the host. With
f16 and bf16 cuBLASLt may approximate gelu_tanh, and round a sum before c, a bias or an output is added; the bounds of its kernels have room for that.

In place. Inputs may overlap. An output overlaps no other buffer, except that d may be c itself.

Edge cases:
- k = 0: the product is 0, so d is what c, bias and epilogue make of it. The sums of dbias are 0.
- m, n or batch is 0: d has no elements. dbias is written all the same.
- An element of d that meets a NaN or an infinity of an operand is what IEEE arithmetic makes of it.

Kernels. A plan that calls cuBLASLt needs every tensor at a multiple of 16 bytes: run, bind and can_implement refuse others with
ADJ_ERROR_MISALIGNED. select prefers cuBLASLt where it can be loaded and takes the problem. With preference.backend = ADJ_BACKEND_BESPOKE any
address of an element will do.

Terms (see adj_guarantee): the magnitudes of the scaled products, of beta * c, of the bias and of what an accumulating call adds to. With gelu_tanh
and gelu_tanh_backward they count 1.13 times; those of preactivation count once. The terms of dbias are the magnitudes of what it adds.

Source: PyTorch's matmul, addmm, baddbmm and linear; ONNX's Gemm and MatMul; cuBLASLt's epilogues.)text";
}

namespace adj::matmul_tables {

using Descriptor = adj_matmul_descriptor;
using Args = adj_matmul_args;
inline constexpr const char* kName = "matmul";
inline const Descriptor kDefault{};
inline const Args kDefaultArgs{};
inline constexpr const char* kDefinition = R"text(Matrix product:
    z = alpha op(A) op(B) + beta C + bias, the bias added to every row
    d (=|+=) epilogue(z)
    dbias[i] (=|+=) sum over k of op(A)[i, k]
c, saved and preactivation are laid out like d. dbias, which alpha does not scale, is the gradient of a bias where A is the gradient of a result.)text";
enum Argument : int { kA, kB, kBias, kC, kSaved, kD, kPreactivation, kDbias };
inline constexpr ArgumentInfo kArguments[] = {
    {"a", offsetof(Args, a), ArgumentKind::tensor, Role::in, 0, Space::stream, Given::always, "transpose_a ? [batch, k, m] : [batch, m, k], element: A as stored", ""},
    {"b", offsetof(Args, b), ArgumentKind::tensor, Role::in, 0, Space::stream, Given::always, "transpose_b ? [batch, n, k] : [batch, k, n], element: B as stored", ""},
    {"bias", offsetof(Args, bias), ArgumentKind::tensor, Role::in, 0, Space::stream, Given::depends, "[n] out; only if has_bias", "has_bias"},
    {"c", offsetof(Args, c), ArgumentKind::tensor, Role::in, 0, Space::stream, Given::depends, "[batch, m, n] out; only if beta != 0: laid out like d", "beta != 0"},
    {"saved", offsetof(Args, saved), ArgumentKind::tensor, Role::in, 0, Space::stream, Given::depends, "[batch, m, n] out; only if epilogue == gelu_tanh_backward: laid out like d: what the forward product wrote to preactivation", "epilogue == gelu_tanh_backward"},
    {"d", offsetof(Args, d), ArgumentKind::tensor, Role::inout, 1u << kC, Space::stream, Given::always, "[batch, m, n] out; read if write_mode == accumulate; may be c itself: D; what lies between its rows is kept", ""},
    {"preactivation", offsetof(Args, preactivation), ArgumentKind::tensor, Role::inout, 0, Space::stream, Given::depends, "[batch, m, n] out; only if has_preactivation; read if ldd > n || stride_d > m * n: laid out like d; what lies between its rows is kept", "has_preactivation"},
    {"dbias", offsetof(Args, dbias), ArgumentKind::tensor, Role::inout, 0, Space::stream, Given::depends, "[m] out; only if has_dbias; read if write_mode == accumulate", "has_dbias"},
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
    {"out", nullptr, kFieldDtype, offsetof(Descriptor, out), "element, or f32 with f16 and bf16; 0 = element"},
};
inline constexpr Term kTerms[] = {
    {TermOp::i64, 3, offsetof(Descriptor, batch), 0, 0},
    {TermOp::number, -1, 1, 0, 0},
    {TermOp::eq, -1, 0, 1, 0},
    {TermOp::type, 7, offsetof(Descriptor, element), kNoTerm, 0},
    {TermOp::i32, -1, offsetof(Descriptor, transpose_a), 0, 0},
    {TermOp::i64, 0, offsetof(Descriptor, m), 0, 0},
    {TermOp::items, -1, 5, kNoTerm, 0},
    {TermOp::i64, 2, offsetof(Descriptor, k), 0, 0},
    {TermOp::items, -1, 7, 6, 0},
    {TermOp::items, -1, 0, 8, 0},
    {TermOp::items, -1, 7, kNoTerm, 0},
    {TermOp::items, -1, 5, 10, 0},
    {TermOp::items, -1, 0, 11, 0},
    {TermOp::choose_shape, -1, 4, 9, 12},
    {TermOp::i32, -1, offsetof(Descriptor, transpose_b), 0, 0},
    {TermOp::i64, 1, offsetof(Descriptor, n), 0, 0},
    {TermOp::items, -1, 15, 10, 0},
    {TermOp::items, -1, 0, 16, 0},
    {TermOp::items, -1, 15, kNoTerm, 0},
    {TermOp::items, -1, 7, 18, 0},
    {TermOp::items, -1, 0, 19, 0},
    {TermOp::choose_shape, -1, 14, 17, 20},
    {TermOp::i32, 4, offsetof(Descriptor, has_bias), 0, 0},
    {TermOp::type, 8, offsetof(Descriptor, out), 3, 0},
    {TermOp::f64, -1, offsetof(Descriptor, beta), 0, 0},
    {TermOp::number, -1, 0, 0, 0},
    {TermOp::ne, -1, 24, 25, 0},
    {TermOp::items, -1, 5, 18, 0},
    {TermOp::items, -1, 0, 27, 0},
    {TermOp::i32, -1, offsetof(Descriptor, epilogue), 0, 0},
    {TermOp::number, -1, ADJ_MATMUL_EPILOGUE_GELU_TANH_BACKWARD, 0, 0},
    {TermOp::eq, -1, 29, 30, 0},
    {TermOp::i32, 5, offsetof(Descriptor, has_preactivation), 0, 0},
    {TermOp::i32, 6, offsetof(Descriptor, has_dbias), 0, 0},
};
inline constexpr KnownField kKnownFields[] = {
    {"m", kFieldI64, offsetof(Descriptor, m), 2, false, 0},
    {"n", kFieldI64, offsetof(Descriptor, n), kNoTerm, false, 0},
    {"k", kFieldI64, offsetof(Descriptor, k), kNoTerm, false, 0},
    {"batch", kFieldI64, offsetof(Descriptor, batch), 1, true, 0},
    {"has_bias", kFieldI32, offsetof(Descriptor, has_bias), kNoTerm, false, 0},
    {"has_preactivation", kFieldI32, offsetof(Descriptor, has_preactivation), kNoTerm, false, 0},
    {"has_dbias", kFieldI32, offsetof(Descriptor, has_dbias), kNoTerm, false, 0},
    {"element", kFieldDtype, offsetof(Descriptor, element), kNoTerm, false, 0},
    {"out", kFieldDtype, offsetof(Descriptor, out), kNoTerm, false, 1},
};
inline constexpr ArgumentTerms kArgumentTerms[] = {
    {13, 3, kNoTerm, kNoTerm},
    {21, 3, kNoTerm, kNoTerm},
    {18, 23, 22, kNoTerm},
    {28, 23, 26, kNoTerm},
    {28, 23, 31, kNoTerm},
    {28, 23, kNoTerm, kNoTerm},
    {28, 23, 32, kNoTerm},
    {6, 23, 33, kNoTerm},
};
inline void stated_shapes([[maybe_unused]] const void* descriptor, std::span<ArgumentSpec> arguments) {
  using namespace rules;
  [[maybe_unused]] const auto& d = *static_cast<const Descriptor*>(descriptor);
  arguments[kA] = tensor(d.element, ((d.transpose_a != 0) ? Dims().add(d.batch).add(d.k).add(d.m) : Dims().add(d.batch).add(d.m).add(d.k)));
  arguments[kB] = tensor(d.element, ((d.transpose_b != 0) ? Dims().add(d.batch).add(d.n).add(d.k) : Dims().add(d.batch).add(d.k).add(d.n)));
  arguments[kBias] = (d.has_bias != 0) ? tensor(either(d.out, d.element), Dims().add(d.n)) : ArgumentSpec::forbidden();
  arguments[kC] = (d.beta != 0) ? tensor(either(d.out, d.element), Dims().add(d.batch).add(d.m).add(d.n)) : ArgumentSpec::forbidden();
  arguments[kSaved] = (d.epilogue == ADJ_MATMUL_EPILOGUE_GELU_TANH_BACKWARD) ? tensor(either(d.out, d.element), Dims().add(d.batch).add(d.m).add(d.n)) : ArgumentSpec::forbidden();
  arguments[kD] = tensor(either(d.out, d.element), Dims().add(d.batch).add(d.m).add(d.n));
  arguments[kPreactivation] = (d.has_preactivation != 0) ? tensor(either(d.out, d.element), Dims().add(d.batch).add(d.m).add(d.n)) : ArgumentSpec::forbidden();
  arguments[kDbias] = (d.has_dbias != 0) ? tensor(either(d.out, d.element), Dims().add(d.m)) : ArgumentSpec::forbidden();
}
inline Role stated_role(const void* descriptor, std::size_t argument) {
  using namespace rules;
  const auto& d = *static_cast<const Descriptor*>(descriptor);
  switch (argument) {
    case kD: return (d.write_mode == ADJ_WRITE_ACCUMULATE) ? Role::inout : Role::out;
    case kPreactivation: return ((d.ldd > d.n) || (d.stride_d > (d.m * d.n))) ? Role::inout : Role::out;
    case kDbias: return (d.write_mode == ADJ_WRITE_ACCUMULATE) ? Role::inout : Role::out;
    default: return kArguments[argument].role;
  }
}
// Facts that stand in the header. The operator's planning adds its functions and rows.
inline OpInfo base_info() {
  OpInfo info{};
  info.id = ADJ_OP_MATMUL;
  info.name = kName;
  info.family = "matmul";
  info.definition = kDefinition;
  info.conventions = matmul_conventions;
  info.descriptor_size = sizeof(Descriptor);
  info.args_size = sizeof(Args);
  info.first_descriptor_size = static_cast<std::uint32_t>(first_size(ADJ_TAG_MATMUL_DESCRIPTOR));
  info.first_args_size = static_cast<std::uint32_t>(first_size(ADJ_TAG_MATMUL_ARGS));
  info.default_descriptor = &kDefault;
  info.default_args = &kDefaultArgs;
  info.fields = kFields;
  info.arguments = kArguments;
  info.terms = kTerms;
  info.known_fields = kKnownFields;
  info.argument_terms = kArgumentTerms;
  info.shapes = stated_shapes;
  info.role = stated_role;
  return info;
}

}  // namespace adj::matmul_tables
