// Written by tools/generate.py from include/adjoint/ops/dropout.h. Do not edit.
#pragma once

#include <adjoint/ops/dropout.h>

#include "plan/op.hpp"
#include "plan/rules.hpp"
#include "plan/structs.hpp"

namespace adj {
inline constexpr const char* dropout_conventions = R"text(Dropout, and softmax fused with it.

ratio is the probability of dropping, in [0, 1]. Kept elements are multiplied by 1 / (1 - ratio). Dropped elements are exact zeros, whatever they
were.

Random numbers. Philox4x32-10 with the key (low half of seed, high half of seed). Element e of a tensor, counted in row-major order, takes word
e mod 4 of the block whose counter is
    (b mod 2^32, b / 2^32, 0, 0),   b = (offset / 4 + e / 4) mod 2^64
It is kept when its word is less than floor((1 - ratio) * 2^32 + 0.5), computed in f64. So a ratio of 0 keeps everything. Which elements are kept
depends on seed, offset, ratio and e alone: not on the device, the address of a buffer, the element type or the kernel. A call consumes
4 * ceil(elements / 4) words, whatever the ratio. The next call takes an offset that much larger. `words`, where given, gets that number.

seed and offset. They are values, or lie on the device as two u64 {seed, offset} that are read in stream order.
- `random` has no default. A call that draws refuses an offset of 2^64 - 1, which stands for an argument that was not given.
- An offset by value must be a multiple of 4. An offset on the device is used as offset - offset mod 4.
- With advance_offset the last step of a call adds the words that it consumed to the offset on the device, as it is stored there. So a replayed
  graph draws new numbers. Keep a copy for a gradient that draws its mask again.

The mapping of ONNX Runtime. All operators of this header can draw the numbers of ONNX Runtime's CUDA kernels instead, so that masks of models
trained there can be made again. These numbers depend on the device: multiprocessors and threads_per_multiprocessor are those of the device whose
masks are wanted (cudaDevAttrMultiProcessorCount and cudaDevAttrMaxThreadsPerMultiProcessor).

dropout_forward and dropout_backward draw the numbers of Dropout and BitmaskDropout:
    G = min(multiprocessors * (threads_per_multiprocessor / 256), ceil(numel / 1024)),   S = 1024 G
    element e: word w mod 4 of the block with the counter (b mod 2^32, b / 2^32, t, 0)
    w = offset + 4 (e / S) + e mod 4,   b = (w mod 2^64) / 4,   t = (e mod S) / 4
An offset need not be a multiple of 4. The element is kept when, in f32,
    word * 2^-32 + 2^-33 < 1 - ratio,
and always at a ratio of 0. A call consumes 4 ceil(numel / S) words, whatever the ratio. ONNX Runtime's generator consumes none at a ratio of 0.

bias_softmax_dropout_forward and softmax_dropout_backward draw the numbers of BiasSoftmaxDropout:
    Rows of more than 2048 columns: as above, e counted over all rows.
    Rows of at most 2048 columns: P = smallest power of two >= columns,   W = min(P, 32),   I = P / W,   B = P <= 128 ? 2 : 1
        V = 4 where columns is a multiple of 4, I >= 4 and `unaligned` is 0;  V = 1 otherwise
        element in column c of row r: word w of thread t
        w = offset + (r mod B) I + V floor(c / (V W)) + c mod V,   t = floor(r / B) W + floor(c / V) mod W
    A call with such rows consumes I B words.
V depends on the addresses of ONNX Runtime's buffers. `unaligned` says that one of input, bias, out, mask or softmax_out was not aligned to 4 of its
elements. At a ratio of 0 the comparison is made as at other ratios: it drops the 128 largest words.

Masks.
- Bool: a byte for each element, 1 for kept. Bytes other than 0 count as 1.
- Bits: element e is bit e mod 32, counted from the least significant one, of the 32-bit word e / 32, 1 for kept. Bits behind the last element are
  written as 0 in training and as 1 otherwise, and are never read.
- None: nothing is stored. The gradient draws the same numbers again from the same seed and offset.

Types. Everything is computed in f32 (f64 for f64) and rounded once.

In place. Buffers must not overlap except where an argument says that it may be another one itself.

Edge cases:
- A ratio on the device, of type f32 or f64, that is outside [0, 1] gives a factor of NaN. It keeps what a stored mask keeps, and everything without
  a stored mask.
- At a ratio of 1 every element is dropped, whatever a stored mask says.
- Nothing is done for tensors without elements, and no words are consumed.

Terms (see adj_guarantee):
    dropout_forward, dropout_backward   none: the bounds are in ulp
    bias_softmax_dropout_forward        p (2 + t + mean of 1 + t over the row, weighted by p), t = |x - max of the row| + b, where x is the score
                                        plus its bias and b is |input| + |bias|, or 0 without a bias; for out times 1 / (1 - ratio)
    softmax_dropout_backward            max(|softmax_out|, 1e-30) (|a| + S), with a the gradient that dropout lets through and S the sum of
                                        |a softmax_out| over the row

Source: ONNX Dropout (opset 13) in training mode; com.microsoft DropoutGrad, BitmaskDropoutGrad, BiasSoftmaxDropout and SoftmaxDropoutGrad.)text";
}

namespace adj::dropout_forward_tables {

using Descriptor = adj_dropout_forward_descriptor;
using Args = adj_dropout_forward_args;
inline constexpr const char* kName = "dropout_forward";
inline const Descriptor kDefault{};
inline const Args kDefaultArgs{};
inline constexpr const char* kDefinition = R"text(Dropout:
    training:  out[e] = kept(e) ? input[e] / (1 - ratio) : 0
    otherwise: out[e] = input[e], masks of ones, no words consumed; ratio and random are not read

Its gradient: dropout_backward(dout, mask, ratio).)text";
enum Argument : int { kInput, kRatio, kRandom, kOut, kMask, kWords };
inline constexpr ArgumentInfo kArguments[] = {
    {"input", offsetof(Args, input), ArgumentKind::tensor, Role::in, 0, Space::stream, Given::always, "[numel] element", ""},
    {"ratio", offsetof(Args, ratio), ArgumentKind::scalar, Role::in, 0, Space::stream, Given::depends, "f32 or f64 on the device; optional if !training: in [0, 1]; must be given in training", "!training"},
    {"random", offsetof(Args, random), ArgumentKind::random, Role::inout, 0, Space::stream, Given::depends, "optional if !training; on the device if advance_offset; written if advance_offset: seed and offset, must be given in training", "!training"},
    {"out", offsetof(Args, out), ArgumentKind::tensor, Role::out, 1u << kInput, Space::stream, Given::always, "[numel] element; may be input itself", ""},
    {"mask", offsetof(Args, mask), ArgumentKind::tensor, Role::out, 0, Space::stream, Given::depends, "mask == bits ? [ceil_div(numel, 32)] : [numel], mask == bits ? u32 : bool; only if mask != none", "mask != none"},
    {"words", offsetof(Args, words), ArgumentKind::tensor, Role::out, 0, Space::host, Given::optional, "[1] i64: words consumed", ""},
};
inline constexpr Field kFields[] = {
    {"numel", nullptr, kFieldI64, offsetof(Descriptor, numel), "elements, >= 0; must be given"},
    {"mask", "default,bool,bits,none", kFieldI32, offsetof(Descriptor, mask), "how the mask is stored"},
    {"training", nullptr, kFieldI32, offsetof(Descriptor, training), "0: the identity"},
    {"advance_offset", nullptr, kFieldI32, offsetof(Descriptor, advance_offset), "1: the offset on the device is advanced; only with training"},
    {"mapping", "default,onnx_runtime", kFieldI32, offsetof(Descriptor, mapping), "of random numbers to elements"},
    {"multiprocessors", nullptr, kFieldI32, offsetof(Descriptor, multiprocessors), ">= 1 with the mapping of ONNX Runtime, else 0"},
    {"threads_per_multiprocessor", nullptr, kFieldI32, offsetof(Descriptor, threads_per_multiprocessor), ">= 256 with the mapping of ONNX Runtime, else 0"},
    {"element", nullptr, kFieldDtype, offsetof(Descriptor, element), "f32, f64, f16, bf16"},
};
inline constexpr Term kTerms[] = {
    {TermOp::number, -1, 1, 0, 0},
    {TermOp::type, 1, offsetof(Descriptor, element), kNoTerm, 0},
    {TermOp::i64, 0, offsetof(Descriptor, numel), 0, 0},
    {TermOp::items, -1, 2, kNoTerm, 0},
    {TermOp::i32, -1, offsetof(Descriptor, training), 0, 0},
    {TermOp::negation, -1, 4, 0, 0},
    {TermOp::i32, -1, offsetof(Descriptor, mask), 0, 0},
    {TermOp::number, -1, ADJ_DROPOUT_MASK_NONE, 0, 0},
    {TermOp::ne, -1, 6, 7, 0},
    {TermOp::number, -1, ADJ_DROPOUT_MASK_BITS, 0, 0},
    {TermOp::eq, -1, 6, 9, 0},
    {TermOp::number, -1, ADJ_U32, 0, 0},
    {TermOp::number, -1, ADJ_BOOL, 0, 0},
    {TermOp::choose, -1, 10, 11, 12},
    {TermOp::number, -1, 32, 0, 0},
    {TermOp::ceil_div, -1, 2, 14, kNoTerm},
    {TermOp::items, -1, 15, kNoTerm, 0},
    {TermOp::choose_shape, -1, 10, 16, 3},
    {TermOp::number, -1, ADJ_I64, 0, 0},
    {TermOp::items, -1, 0, kNoTerm, 0},
};
inline constexpr KnownField kKnownFields[] = {
    {"numel", kFieldI64, offsetof(Descriptor, numel), 0, false, 0},
    {"element", kFieldDtype, offsetof(Descriptor, element), kNoTerm, false, 0},
};
inline constexpr ArgumentTerms kArgumentTerms[] = {
    {3, 1, kNoTerm, kNoTerm},
    {kNoTerm, kNoTerm, kNoTerm, 5},
    {kNoTerm, kNoTerm, kNoTerm, 5},
    {3, 1, kNoTerm, kNoTerm},
    {17, 13, 8, kNoTerm},
    {19, 18, kNoTerm, 0},
};
inline void stated_shapes([[maybe_unused]] const void* descriptor, std::span<ArgumentSpec> arguments) {
  using namespace rules;
  [[maybe_unused]] const auto& d = *static_cast<const Descriptor*>(descriptor);
  arguments[kInput] = tensor(d.element, Dims().add(d.numel));
  arguments[kRatio] = ArgumentSpec::scalar(ADJ_F32, ADJ_F64, optional_if(!(d.training != 0)));
  arguments[kRandom] = ArgumentSpec::random(optional_if(!(d.training != 0)));
  arguments[kRandom].device_only = (d.advance_offset != 0);
  arguments[kOut] = tensor(d.element, Dims().add(d.numel));
  arguments[kMask] = (d.mask != ADJ_DROPOUT_MASK_NONE) ? tensor(((d.mask == ADJ_DROPOUT_MASK_BITS) ? ADJ_U32 : ADJ_BOOL), ((d.mask == ADJ_DROPOUT_MASK_BITS) ? Dims().add(ceil_div_of(d.numel, 32)) : Dims().add(d.numel))) : ArgumentSpec::forbidden();
  arguments[kWords] = tensor(ADJ_I64, Dims().add(1), Presence::optional);
}
inline Role stated_role(const void* descriptor, std::size_t argument) {
  using namespace rules;
  const auto& d = *static_cast<const Descriptor*>(descriptor);
  switch (argument) {
    case kRandom: return (d.advance_offset != 0) ? Role::inout : Role::in;
    default: return kArguments[argument].role;
  }
}
// Facts that stand in the header. The operator's planning adds its functions and rows.
inline OpInfo base_info() {
  OpInfo info{};
  info.id = ADJ_OP_DROPOUT_FORWARD;
  info.name = kName;
  info.family = "dropout";
  info.definition = kDefinition;
  info.conventions = dropout_conventions;
  info.descriptor_size = sizeof(Descriptor);
  info.args_size = sizeof(Args);
  info.first_descriptor_size = static_cast<std::uint32_t>(first_size(ADJ_TAG_DROPOUT_FORWARD_DESCRIPTOR));
  info.first_args_size = static_cast<std::uint32_t>(first_size(ADJ_TAG_DROPOUT_FORWARD_ARGS));
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

}  // namespace adj::dropout_forward_tables

namespace adj::dropout_backward_tables {

using Descriptor = adj_dropout_backward_descriptor;
using Args = adj_dropout_backward_args;
inline constexpr const char* kName = "dropout_backward";
inline const Descriptor kDefault{};
inline const Args kDefaultArgs{};
inline constexpr const char* kDefinition = R"text(Dropout, gradient:
    training:  dinput[e] = kept(e) ? dout[e] / (1 - ratio) : 0; at a ratio of 0 dout[e], and the mask is not read
    otherwise: dinput[e] = dout[e]; ratio, random and mask are not read
kept(e) comes from the mask, or, without one, from the seed and the offset of the forward call.)text";
enum Argument : int { kDout, kMask, kRatio, kRandom, kDinput };
inline constexpr ArgumentInfo kArguments[] = {
    {"dout", offsetof(Args, dout), ArgumentKind::tensor, Role::in, 0, Space::stream, Given::always, "[numel] element", ""},
    {"mask", offsetof(Args, mask), ArgumentKind::tensor, Role::in, 0, Space::stream, Given::depends, "mask == bits ? [ceil_div(numel, 32)] : [numel], mask == bits ? u32 : bool; only if mask != none; optional if !training", "mask != none && !training"},
    {"ratio", offsetof(Args, ratio), ArgumentKind::scalar, Role::in, 0, Space::stream, Given::depends, "f32 or f64 on the device; optional if !training: in [0, 1]; must be given in training", "!training"},
    {"random", offsetof(Args, random), ArgumentKind::random, Role::in, 0, Space::stream, Given::depends, "only if mask == none; optional if !training: that of the forward call", "mask == none && !training"},
    {"dinput", offsetof(Args, dinput), ArgumentKind::tensor, Role::out, 1u << kDout, Space::stream, Given::always, "[numel] element; may be dout itself", ""},
};
inline constexpr Field kFields[] = {
    {"numel", nullptr, kFieldI64, offsetof(Descriptor, numel), "elements, >= 0; must be given"},
    {"mask", "default,bool,bits,none", kFieldI32, offsetof(Descriptor, mask), "how the mask is stored"},
    {"training", nullptr, kFieldI32, offsetof(Descriptor, training), "0: the gradient of the identity"},
    {"mapping", "default,onnx_runtime", kFieldI32, offsetof(Descriptor, mapping), "of random numbers to elements; only where the mask is drawn again"},
    {"multiprocessors", nullptr, kFieldI32, offsetof(Descriptor, multiprocessors), ">= 1 with the mapping of ONNX Runtime, else 0"},
    {"threads_per_multiprocessor", nullptr, kFieldI32, offsetof(Descriptor, threads_per_multiprocessor), ">= 256 with the mapping of ONNX Runtime, else 0"},
    {"element", nullptr, kFieldDtype, offsetof(Descriptor, element), "f32, f64, f16, bf16"},
};
inline constexpr Term kTerms[] = {
    {TermOp::number, -1, 1, 0, 0},
    {TermOp::type, 1, offsetof(Descriptor, element), kNoTerm, 0},
    {TermOp::i64, 0, offsetof(Descriptor, numel), 0, 0},
    {TermOp::items, -1, 2, kNoTerm, 0},
    {TermOp::i32, -1, offsetof(Descriptor, mask), 0, 0},
    {TermOp::number, -1, ADJ_DROPOUT_MASK_NONE, 0, 0},
    {TermOp::ne, -1, 4, 5, 0},
    {TermOp::i32, -1, offsetof(Descriptor, training), 0, 0},
    {TermOp::negation, -1, 7, 0, 0},
    {TermOp::number, -1, ADJ_DROPOUT_MASK_BITS, 0, 0},
    {TermOp::eq, -1, 4, 9, 0},
    {TermOp::number, -1, ADJ_U32, 0, 0},
    {TermOp::number, -1, ADJ_BOOL, 0, 0},
    {TermOp::choose, -1, 10, 11, 12},
    {TermOp::number, -1, 32, 0, 0},
    {TermOp::ceil_div, -1, 2, 14, kNoTerm},
    {TermOp::items, -1, 15, kNoTerm, 0},
    {TermOp::choose_shape, -1, 10, 16, 3},
    {TermOp::eq, -1, 4, 5, 0},
};
inline constexpr KnownField kKnownFields[] = {
    {"numel", kFieldI64, offsetof(Descriptor, numel), 0, false, 0},
    {"element", kFieldDtype, offsetof(Descriptor, element), kNoTerm, false, 0},
};
inline constexpr ArgumentTerms kArgumentTerms[] = {
    {3, 1, kNoTerm, kNoTerm},
    {17, 13, 6, 8},
    {kNoTerm, kNoTerm, kNoTerm, 8},
    {kNoTerm, kNoTerm, 18, 8},
    {3, 1, kNoTerm, kNoTerm},
};
inline void stated_shapes([[maybe_unused]] const void* descriptor, std::span<ArgumentSpec> arguments) {
  using namespace rules;
  [[maybe_unused]] const auto& d = *static_cast<const Descriptor*>(descriptor);
  arguments[kDout] = tensor(d.element, Dims().add(d.numel));
  arguments[kMask] = (d.mask != ADJ_DROPOUT_MASK_NONE) ? tensor(((d.mask == ADJ_DROPOUT_MASK_BITS) ? ADJ_U32 : ADJ_BOOL), ((d.mask == ADJ_DROPOUT_MASK_BITS) ? Dims().add(ceil_div_of(d.numel, 32)) : Dims().add(d.numel)), optional_if(!(d.training != 0))) : ArgumentSpec::forbidden();
  arguments[kRatio] = ArgumentSpec::scalar(ADJ_F32, ADJ_F64, optional_if(!(d.training != 0)));
  arguments[kRandom] = (d.mask == ADJ_DROPOUT_MASK_NONE) ? ArgumentSpec::random(optional_if(!(d.training != 0))) : ArgumentSpec::forbidden();
  arguments[kDinput] = tensor(d.element, Dims().add(d.numel));
}
// Facts that stand in the header. The operator's planning adds its functions and rows.
inline OpInfo base_info() {
  OpInfo info{};
  info.id = ADJ_OP_DROPOUT_BACKWARD;
  info.name = kName;
  info.family = "dropout";
  info.definition = kDefinition;
  info.conventions = dropout_conventions;
  info.descriptor_size = sizeof(Descriptor);
  info.args_size = sizeof(Args);
  info.first_descriptor_size = static_cast<std::uint32_t>(first_size(ADJ_TAG_DROPOUT_BACKWARD_DESCRIPTOR));
  info.first_args_size = static_cast<std::uint32_t>(first_size(ADJ_TAG_DROPOUT_BACKWARD_ARGS));
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

}  // namespace adj::dropout_backward_tables

namespace adj::bias_softmax_dropout_forward_tables {

using Descriptor = adj_bias_softmax_dropout_forward_descriptor;
using Args = adj_bias_softmax_dropout_forward_args;
inline constexpr const char* kName = "bias_softmax_dropout_forward";
inline const Descriptor kDefault{};
inline const Args kDefaultArgs{};
inline constexpr const char* kDefinition = R"text(Softmax of rows with a bias, then dropout, always in training mode:
    p[r, :] = softmax(input[r, :] + bias[b(r), :])
    softmax_out = p,   out[r, c] = kept(r * columns + c) ? p[r, c] / (1 - ratio) : 0
    b(r) = r / (rows / bias_rows) with inner_broadcast, else r mod bias_rows; no bias with bias_rows = 0
Sums and dropout take unrounded numbers.

Edge cases:
- A row whose scores are all -infinity is NaN, or zeros with zero_masked_rows.
- A NaN or an infinity affects its own row only.)text";
enum Argument : int { kInput, kBias, kRatio, kRandom, kOut, kMask, kSoftmaxOut, kWords };
inline constexpr ArgumentInfo kArguments[] = {
    {"input", offsetof(Args, input), ArgumentKind::tensor, Role::in, 0, Space::stream, Given::always, "[rows, columns] element", ""},
    {"bias", offsetof(Args, bias), ArgumentKind::tensor, Role::in, 0, Space::stream, Given::depends, "[bias_rows, columns] element; only if bias_rows > 0", "bias_rows > 0"},
    {"ratio", offsetof(Args, ratio), ArgumentKind::scalar, Role::in, 0, Space::stream, Given::always, "f32 or f64 on the device: in [0, 1]; must be given", ""},
    {"random", offsetof(Args, random), ArgumentKind::random, Role::inout, 0, Space::stream, Given::always, "on the device if advance_offset; written if advance_offset: seed and offset, must be given", ""},
    {"out", offsetof(Args, out), ArgumentKind::tensor, Role::out, 1u << kInput, Space::stream, Given::always, "[rows, columns] element; may be input itself", ""},
    {"mask", offsetof(Args, mask), ArgumentKind::tensor, Role::out, 0, Space::stream, Given::depends, "mask == bits ? [ceil_div(rows * columns, 32)] : [rows, columns], mask == bits ? u32 : bool; only if mask != none", "mask != none"},
    {"softmax_out", offsetof(Args, softmax_out), ArgumentKind::tensor, Role::out, 1u << kInput, Space::stream, Given::optional, "[rows, columns] element; may be input itself: p, for the gradient", ""},
    {"words", offsetof(Args, words), ArgumentKind::tensor, Role::out, 0, Space::host, Given::optional, "[1] i64: words consumed", ""},
};
inline constexpr Field kFields[] = {
    {"rows", nullptr, kFieldI64, offsetof(Descriptor, rows), ">= 0; must be given"},
    {"columns", nullptr, kFieldI64, offsetof(Descriptor, columns), ">= 0; must be given"},
    {"bias_rows", nullptr, kFieldI64, offsetof(Descriptor, bias_rows), "divides rows; 0: no bias"},
    {"mask", "default,bool,bits,none", kFieldI32, offsetof(Descriptor, mask), "how the mask is stored"},
    {"inner_broadcast", nullptr, kFieldI32, offsetof(Descriptor, inner_broadcast), "1: consecutive rows share a row of the bias"},
    {"zero_masked_rows", nullptr, kFieldI32, offsetof(Descriptor, zero_masked_rows), "1: rows of -infinity become zeros"},
    {"advance_offset", nullptr, kFieldI32, offsetof(Descriptor, advance_offset), "1: the offset on the device is advanced"},
    {"mapping", "default,onnx_runtime", kFieldI32, offsetof(Descriptor, mapping), "of random numbers to elements"},
    {"multiprocessors", nullptr, kFieldI32, offsetof(Descriptor, multiprocessors), "with the mapping of ONNX Runtime: >= 1 for more than 2048 columns, may be 0 for fewer"},
    {"threads_per_multiprocessor", nullptr, kFieldI32, offsetof(Descriptor, threads_per_multiprocessor), "with the mapping of ONNX Runtime: >= 256 for more than 2048 columns, may be 0 for fewer"},
    {"unaligned", nullptr, kFieldI32, offsetof(Descriptor, unaligned), "1: with the mapping of ONNX Runtime, a buffer there was not aligned to 4 elements"},
    {"element", nullptr, kFieldDtype, offsetof(Descriptor, element), "f32, f64, f16, bf16"},
};
inline constexpr Term kTerms[] = {
    {TermOp::number, -1, 1, 0, 0},
    {TermOp::type, 3, offsetof(Descriptor, element), kNoTerm, 0},
    {TermOp::i64, 1, offsetof(Descriptor, columns), 0, 0},
    {TermOp::items, -1, 2, kNoTerm, 0},
    {TermOp::i64, 0, offsetof(Descriptor, rows), 0, 0},
    {TermOp::items, -1, 4, 3, 0},
    {TermOp::i64, 2, offsetof(Descriptor, bias_rows), 0, 0},
    {TermOp::number, -1, 0, 0, 0},
    {TermOp::gt, -1, 6, 7, 0},
    {TermOp::items, -1, 6, 3, 0},
    {TermOp::i32, -1, offsetof(Descriptor, mask), 0, 0},
    {TermOp::number, -1, ADJ_DROPOUT_MASK_NONE, 0, 0},
    {TermOp::ne, -1, 10, 11, 0},
    {TermOp::number, -1, ADJ_DROPOUT_MASK_BITS, 0, 0},
    {TermOp::eq, -1, 10, 13, 0},
    {TermOp::number, -1, ADJ_U32, 0, 0},
    {TermOp::number, -1, ADJ_BOOL, 0, 0},
    {TermOp::choose, -1, 14, 15, 16},
    {TermOp::mul, -1, 4, 2, 0},
    {TermOp::number, -1, 32, 0, 0},
    {TermOp::ceil_div, -1, 18, 19, kNoTerm},
    {TermOp::items, -1, 20, kNoTerm, 0},
    {TermOp::choose_shape, -1, 14, 21, 5},
    {TermOp::number, -1, ADJ_I64, 0, 0},
    {TermOp::items, -1, 0, kNoTerm, 0},
};
inline constexpr KnownField kKnownFields[] = {
    {"rows", kFieldI64, offsetof(Descriptor, rows), 0, true, 0},
    {"columns", kFieldI64, offsetof(Descriptor, columns), kNoTerm, false, 0},
    {"bias_rows", kFieldI64, offsetof(Descriptor, bias_rows), 0, false, 0},
    {"element", kFieldDtype, offsetof(Descriptor, element), kNoTerm, false, 0},
};
inline constexpr ArgumentTerms kArgumentTerms[] = {
    {5, 1, kNoTerm, kNoTerm},
    {9, 1, 8, kNoTerm},
    {kNoTerm, kNoTerm, kNoTerm, kNoTerm},
    {kNoTerm, kNoTerm, kNoTerm, kNoTerm},
    {5, 1, kNoTerm, kNoTerm},
    {22, 17, 12, kNoTerm},
    {5, 1, kNoTerm, 0},
    {24, 23, kNoTerm, 0},
};
inline void stated_shapes([[maybe_unused]] const void* descriptor, std::span<ArgumentSpec> arguments) {
  using namespace rules;
  [[maybe_unused]] const auto& d = *static_cast<const Descriptor*>(descriptor);
  arguments[kInput] = tensor(d.element, Dims().add(d.rows).add(d.columns));
  arguments[kBias] = (d.bias_rows > 0) ? tensor(d.element, Dims().add(d.bias_rows).add(d.columns)) : ArgumentSpec::forbidden();
  arguments[kRatio] = ArgumentSpec::scalar(ADJ_F32, ADJ_F64);
  arguments[kRandom] = ArgumentSpec::random();
  arguments[kRandom].device_only = (d.advance_offset != 0);
  arguments[kOut] = tensor(d.element, Dims().add(d.rows).add(d.columns));
  arguments[kMask] = (d.mask != ADJ_DROPOUT_MASK_NONE) ? tensor(((d.mask == ADJ_DROPOUT_MASK_BITS) ? ADJ_U32 : ADJ_BOOL), ((d.mask == ADJ_DROPOUT_MASK_BITS) ? Dims().add(ceil_div_of((d.rows * d.columns), 32)) : Dims().add(d.rows).add(d.columns))) : ArgumentSpec::forbidden();
  arguments[kSoftmaxOut] = tensor(d.element, Dims().add(d.rows).add(d.columns), Presence::optional);
  arguments[kWords] = tensor(ADJ_I64, Dims().add(1), Presence::optional);
}
inline Role stated_role(const void* descriptor, std::size_t argument) {
  using namespace rules;
  const auto& d = *static_cast<const Descriptor*>(descriptor);
  switch (argument) {
    case kRandom: return (d.advance_offset != 0) ? Role::inout : Role::in;
    default: return kArguments[argument].role;
  }
}
// Facts that stand in the header. The operator's planning adds its functions and rows.
inline OpInfo base_info() {
  OpInfo info{};
  info.id = ADJ_OP_BIAS_SOFTMAX_DROPOUT_FORWARD;
  info.name = kName;
  info.family = "dropout";
  info.definition = kDefinition;
  info.conventions = dropout_conventions;
  info.descriptor_size = sizeof(Descriptor);
  info.args_size = sizeof(Args);
  info.first_descriptor_size = static_cast<std::uint32_t>(first_size(ADJ_TAG_BIAS_SOFTMAX_DROPOUT_FORWARD_DESCRIPTOR));
  info.first_args_size = static_cast<std::uint32_t>(first_size(ADJ_TAG_BIAS_SOFTMAX_DROPOUT_FORWARD_ARGS));
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

}  // namespace adj::bias_softmax_dropout_forward_tables

namespace adj::softmax_dropout_backward_tables {

using Descriptor = adj_softmax_dropout_backward_descriptor;
using Args = adj_softmax_dropout_backward_args;
inline constexpr const char* kName = "softmax_dropout_backward";
inline const Descriptor kDefault{};
inline const Args kDefaultArgs{};
inline constexpr const char* kDefinition = R"text(Softmax and dropout, gradient with respect to the input (that of the bias is its sum over the rows that share one):
    a[r, c] = kept(r * columns + c) ? dout[r, c] / (1 - ratio) : 0
    dinput[r, c] = softmax_out[r, c] * (a[r, c] - sum over k of a[r, k] * softmax_out[r, k])
kept(e) comes from the mask, or, without one, from the seed and the offset of the forward call.)text";
enum Argument : int { kDout, kMask, kSoftmaxOut, kRatio, kRandom, kDinput };
inline constexpr ArgumentInfo kArguments[] = {
    {"dout", offsetof(Args, dout), ArgumentKind::tensor, Role::in, 0, Space::stream, Given::always, "[rows, columns] element", ""},
    {"mask", offsetof(Args, mask), ArgumentKind::tensor, Role::in, 0, Space::stream, Given::depends, "mask == bits ? [ceil_div(rows * columns, 32)] : [rows, columns], mask == bits ? u32 : bool; only if mask != none", "mask != none"},
    {"softmax_out", offsetof(Args, softmax_out), ArgumentKind::tensor, Role::in, 0, Space::stream, Given::always, "[rows, columns] element: the softmax before dropout", ""},
    {"ratio", offsetof(Args, ratio), ArgumentKind::scalar, Role::in, 0, Space::stream, Given::always, "f32 or f64 on the device: in [0, 1]; must be given", ""},
    {"random", offsetof(Args, random), ArgumentKind::random, Role::in, 0, Space::stream, Given::depends, "only if mask == none: that of the forward call", "mask == none"},
    {"dinput", offsetof(Args, dinput), ArgumentKind::tensor, Role::out, 1u << kDout | 1u << kSoftmaxOut, Space::stream, Given::always, "[rows, columns] element; may be dout or softmax_out itself", ""},
};
inline constexpr Field kFields[] = {
    {"rows", nullptr, kFieldI64, offsetof(Descriptor, rows), ">= 0; must be given"},
    {"columns", nullptr, kFieldI64, offsetof(Descriptor, columns), ">= 0; must be given"},
    {"mask", "default,bool,bits,none", kFieldI32, offsetof(Descriptor, mask), "how the mask is stored"},
    {"mapping", "default,onnx_runtime", kFieldI32, offsetof(Descriptor, mapping), "of random numbers to elements; only where the mask is drawn again"},
    {"multiprocessors", nullptr, kFieldI32, offsetof(Descriptor, multiprocessors), "with the mapping of ONNX Runtime: >= 1 for more than 2048 columns, may be 0 for fewer"},
    {"threads_per_multiprocessor", nullptr, kFieldI32, offsetof(Descriptor, threads_per_multiprocessor), "with the mapping of ONNX Runtime: >= 256 for more than 2048 columns, may be 0 for fewer"},
    {"unaligned", nullptr, kFieldI32, offsetof(Descriptor, unaligned), "as in the forward call"},
    {"element", nullptr, kFieldDtype, offsetof(Descriptor, element), "f32, f64, f16, bf16"},
};
inline constexpr Term kTerms[] = {
    {TermOp::number, -1, 1, 0, 0},
    {TermOp::type, 2, offsetof(Descriptor, element), kNoTerm, 0},
    {TermOp::i64, 1, offsetof(Descriptor, columns), 0, 0},
    {TermOp::items, -1, 2, kNoTerm, 0},
    {TermOp::i64, 0, offsetof(Descriptor, rows), 0, 0},
    {TermOp::items, -1, 4, 3, 0},
    {TermOp::i32, -1, offsetof(Descriptor, mask), 0, 0},
    {TermOp::number, -1, ADJ_DROPOUT_MASK_NONE, 0, 0},
    {TermOp::ne, -1, 6, 7, 0},
    {TermOp::number, -1, ADJ_DROPOUT_MASK_BITS, 0, 0},
    {TermOp::eq, -1, 6, 9, 0},
    {TermOp::number, -1, ADJ_U32, 0, 0},
    {TermOp::number, -1, ADJ_BOOL, 0, 0},
    {TermOp::choose, -1, 10, 11, 12},
    {TermOp::mul, -1, 4, 2, 0},
    {TermOp::number, -1, 32, 0, 0},
    {TermOp::ceil_div, -1, 14, 15, kNoTerm},
    {TermOp::items, -1, 16, kNoTerm, 0},
    {TermOp::choose_shape, -1, 10, 17, 5},
    {TermOp::eq, -1, 6, 7, 0},
};
inline constexpr KnownField kKnownFields[] = {
    {"rows", kFieldI64, offsetof(Descriptor, rows), 0, true, 0},
    {"columns", kFieldI64, offsetof(Descriptor, columns), kNoTerm, false, 0},
    {"element", kFieldDtype, offsetof(Descriptor, element), kNoTerm, false, 0},
};
inline constexpr ArgumentTerms kArgumentTerms[] = {
    {5, 1, kNoTerm, kNoTerm},
    {18, 13, 8, kNoTerm},
    {5, 1, kNoTerm, kNoTerm},
    {kNoTerm, kNoTerm, kNoTerm, kNoTerm},
    {kNoTerm, kNoTerm, 19, kNoTerm},
    {5, 1, kNoTerm, kNoTerm},
};
inline void stated_shapes([[maybe_unused]] const void* descriptor, std::span<ArgumentSpec> arguments) {
  using namespace rules;
  [[maybe_unused]] const auto& d = *static_cast<const Descriptor*>(descriptor);
  arguments[kDout] = tensor(d.element, Dims().add(d.rows).add(d.columns));
  arguments[kMask] = (d.mask != ADJ_DROPOUT_MASK_NONE) ? tensor(((d.mask == ADJ_DROPOUT_MASK_BITS) ? ADJ_U32 : ADJ_BOOL), ((d.mask == ADJ_DROPOUT_MASK_BITS) ? Dims().add(ceil_div_of((d.rows * d.columns), 32)) : Dims().add(d.rows).add(d.columns))) : ArgumentSpec::forbidden();
  arguments[kSoftmaxOut] = tensor(d.element, Dims().add(d.rows).add(d.columns));
  arguments[kRatio] = ArgumentSpec::scalar(ADJ_F32, ADJ_F64);
  arguments[kRandom] = (d.mask == ADJ_DROPOUT_MASK_NONE) ? ArgumentSpec::random() : ArgumentSpec::forbidden();
  arguments[kDinput] = tensor(d.element, Dims().add(d.rows).add(d.columns));
}
// Facts that stand in the header. The operator's planning adds its functions and rows.
inline OpInfo base_info() {
  OpInfo info{};
  info.id = ADJ_OP_SOFTMAX_DROPOUT_BACKWARD;
  info.name = kName;
  info.family = "dropout";
  info.definition = kDefinition;
  info.conventions = dropout_conventions;
  info.descriptor_size = sizeof(Descriptor);
  info.args_size = sizeof(Args);
  info.first_descriptor_size = static_cast<std::uint32_t>(first_size(ADJ_TAG_SOFTMAX_DROPOUT_BACKWARD_DESCRIPTOR));
  info.first_args_size = static_cast<std::uint32_t>(first_size(ADJ_TAG_SOFTMAX_DROPOUT_BACKWARD_ARGS));
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

}  // namespace adj::softmax_dropout_backward_tables
