// Written by tools/generate.py from include/adjoint/ops/dropout.h. Do not edit.
#pragma once

#include <adjoint/ops/dropout.h>

#include "plan/op.hpp"
#include "plan/structs.hpp"

namespace adj::dropout_forward_tables {

using Descriptor = adj_dropout_forward_descriptor;
using Args = adj_dropout_forward_args;
inline constexpr const char* kName = "dropout_forward";
inline const Descriptor kDefault{};
inline const Args kDefaultArgs{};
enum Slot : int { kInput, kRatio, kRandom, kOut, kMask, kWords };
inline constexpr SlotInfo kSlots[] = {
    {"input", offsetof(Args, input), SlotKind::tensor, Role::in, 0, Space::stream, Given::always, "[numel] element"},
    {"ratio", offsetof(Args, ratio), SlotKind::scalar, Role::in, 0, Space::stream, Given::always, "[0, 1], must be given; f32 or f64 on the device"},
    {"random", offsetof(Args, random), SlotKind::random, Role::inout, 0, Space::stream, Given::always, "seed and offset, must be given in training; on the device with advance_offset"},
    {"out", offsetof(Args, out), SlotKind::tensor, Role::out, 1u << kInput, Space::stream, Given::always, "[numel] element; may be input itself"},
    {"mask", offsetof(Args, mask), SlotKind::tensor, Role::out, 0, Space::stream, Given::depends, "[numel] bool, or [ceil(numel / 32)] u32; exactly when the descriptor's mask is not none"},
    {"words", offsetof(Args, words), SlotKind::tensor, Role::out, 0, Space::host, Given::optional, "[1] i64: words consumed"},
};
inline constexpr Field kFields[] = {
    {"numel", nullptr, kFieldI64, offsetof(Descriptor, numel), "elements, >= 0; must be given"},
    {"element", nullptr, kFieldDtype, offsetof(Descriptor, element), "f32, f64, f16, bf16"},
    {"mask", "default,bool,bits,none", kFieldI32, offsetof(Descriptor, mask), "how the mask is stored"},
    {"training", nullptr, kFieldI32, offsetof(Descriptor, training), "0: the identity"},
    {"advance_offset", nullptr, kFieldI32, offsetof(Descriptor, advance_offset), "1: the offset on the device is advanced; only with training"},
    {"mapping", "default,onnx_runtime", kFieldI32, offsetof(Descriptor, mapping), "of random numbers to elements"},
    {"multiprocessors", nullptr, kFieldI32, offsetof(Descriptor, multiprocessors), ">= 1 with the mapping of ONNX Runtime, else 0"},
    {"threads_per_multiprocessor", nullptr, kFieldI32, offsetof(Descriptor, threads_per_multiprocessor), ">= 256 with the mapping of ONNX Runtime, else 0"},
};
// Facts that stand in the header. The operator's planning adds its functions and rows.
inline OpInfo base_info() {
  OpInfo info{};
  info.id = ADJ_OP_DROPOUT_FORWARD;
  info.name = kName;
  info.family = "dropout";
  info.descriptor_size = sizeof(Descriptor);
  info.args_size = sizeof(Args);
  info.first_descriptor_size = static_cast<std::uint32_t>(first_size(ADJ_TAG_DROPOUT_FORWARD_DESCRIPTOR));
  info.first_args_size = static_cast<std::uint32_t>(first_size(ADJ_TAG_DROPOUT_FORWARD_ARGS));
  info.default_descriptor = &kDefault;
  info.default_args = &kDefaultArgs;
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
inline const Args kDefaultArgs{};
enum Slot : int { kDout, kMask, kRatio, kRandom, kDinput };
inline constexpr SlotInfo kSlots[] = {
    {"dout", offsetof(Args, dout), SlotKind::tensor, Role::in, 0, Space::stream, Given::always, "[numel] element"},
    {"mask", offsetof(Args, mask), SlotKind::tensor, Role::in, 0, Space::stream, Given::depends, "[numel] bool, or [ceil(numel / 32)] u32; exactly when the descriptor's mask is not none"},
    {"ratio", offsetof(Args, ratio), SlotKind::scalar, Role::in, 0, Space::stream, Given::always, "[0, 1], must be given; f32 or f64 on the device"},
    {"random", offsetof(Args, random), SlotKind::random, Role::in, 0, Space::stream, Given::depends, "those of the forward call; exactly when the descriptor's mask is none"},
    {"dinput", offsetof(Args, dinput), SlotKind::tensor, Role::out, 1u << kDout, Space::stream, Given::always, "[numel] element; may be dout itself"},
};
inline constexpr Field kFields[] = {
    {"numel", nullptr, kFieldI64, offsetof(Descriptor, numel), "elements, >= 0; must be given"},
    {"element", nullptr, kFieldDtype, offsetof(Descriptor, element), "f32, f64, f16, bf16"},
    {"mask", "default,bool,bits,none", kFieldI32, offsetof(Descriptor, mask), "how the mask is stored"},
    {"training", nullptr, kFieldI32, offsetof(Descriptor, training), "0: the gradient of the identity"},
    {"mapping", "default,onnx_runtime", kFieldI32, offsetof(Descriptor, mapping), "of random numbers to elements; only where the mask is drawn again"},
    {"multiprocessors", nullptr, kFieldI32, offsetof(Descriptor, multiprocessors), ">= 1 with the mapping of ONNX Runtime, else 0"},
    {"threads_per_multiprocessor", nullptr, kFieldI32, offsetof(Descriptor, threads_per_multiprocessor), ">= 256 with the mapping of ONNX Runtime, else 0"},
};
// Facts that stand in the header. The operator's planning adds its functions and rows.
inline OpInfo base_info() {
  OpInfo info{};
  info.id = ADJ_OP_DROPOUT_BACKWARD;
  info.name = kName;
  info.family = "dropout";
  info.descriptor_size = sizeof(Descriptor);
  info.args_size = sizeof(Args);
  info.first_descriptor_size = static_cast<std::uint32_t>(first_size(ADJ_TAG_DROPOUT_BACKWARD_DESCRIPTOR));
  info.first_args_size = static_cast<std::uint32_t>(first_size(ADJ_TAG_DROPOUT_BACKWARD_ARGS));
  info.default_descriptor = &kDefault;
  info.default_args = &kDefaultArgs;
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
inline const Args kDefaultArgs{};
enum Slot : int { kInput, kBias, kRatio, kRandom, kOut, kMask, kSoftmaxOut, kWords };
inline constexpr SlotInfo kSlots[] = {
    {"input", offsetof(Args, input), SlotKind::tensor, Role::in, 0, Space::stream, Given::always, "[rows, columns] element"},
    {"bias", offsetof(Args, bias), SlotKind::tensor, Role::in, 0, Space::stream, Given::depends, "[bias_rows, columns] element; exactly when bias_rows > 0"},
    {"ratio", offsetof(Args, ratio), SlotKind::scalar, Role::in, 0, Space::stream, Given::always, "[0, 1], must be given; f32 or f64 on the device"},
    {"random", offsetof(Args, random), SlotKind::random, Role::inout, 0, Space::stream, Given::always, "seed and offset, must be given; on the device with advance_offset"},
    {"out", offsetof(Args, out), SlotKind::tensor, Role::out, 1u << kInput, Space::stream, Given::always, "[rows, columns] element; may be input itself"},
    {"mask", offsetof(Args, mask), SlotKind::tensor, Role::out, 0, Space::stream, Given::depends, "[rows, columns] bool, or [ceil(rows * columns / 32)] u32; exactly when the descriptor's mask is not none"},
    {"softmax_out", offsetof(Args, softmax_out), SlotKind::tensor, Role::out, 1u << kInput, Space::stream, Given::optional, "[rows, columns] element: p, for the gradient; may be input itself"},
    {"words", offsetof(Args, words), SlotKind::tensor, Role::out, 0, Space::host, Given::optional, "[1] i64: words consumed"},
};
inline constexpr Field kFields[] = {
    {"rows", nullptr, kFieldI64, offsetof(Descriptor, rows), ">= 0; must be given"},
    {"columns", nullptr, kFieldI64, offsetof(Descriptor, columns), ">= 0; must be given"},
    {"bias_rows", nullptr, kFieldI64, offsetof(Descriptor, bias_rows), "divides rows; 0: no bias"},
    {"element", nullptr, kFieldDtype, offsetof(Descriptor, element), "f32, f64, f16, bf16"},
    {"mask", "default,bool,bits,none", kFieldI32, offsetof(Descriptor, mask), "how the mask is stored"},
    {"inner_broadcast", nullptr, kFieldI32, offsetof(Descriptor, inner_broadcast), "1: consecutive rows share a row of the bias"},
    {"zero_masked_rows", nullptr, kFieldI32, offsetof(Descriptor, zero_masked_rows), "1: rows of -infinity become zeros"},
    {"advance_offset", nullptr, kFieldI32, offsetof(Descriptor, advance_offset), "1: the offset on the device is advanced"},
    {"mapping", "default,onnx_runtime", kFieldI32, offsetof(Descriptor, mapping), "of random numbers to elements"},
    {"multiprocessors", nullptr, kFieldI32, offsetof(Descriptor, multiprocessors), "with the mapping of ONNX Runtime: >= 1 for more than 2048 columns, may be 0 for fewer"},
    {"threads_per_multiprocessor", nullptr, kFieldI32, offsetof(Descriptor, threads_per_multiprocessor), "with the mapping of ONNX Runtime: >= 256 for more than 2048 columns, may be 0 for fewer"},
    {"unaligned", nullptr, kFieldI32, offsetof(Descriptor, unaligned), "1: with the mapping of ONNX Runtime, a buffer there was not aligned to 4 elements"},
};
// Facts that stand in the header. The operator's planning adds its functions and rows.
inline OpInfo base_info() {
  OpInfo info{};
  info.id = ADJ_OP_BIAS_SOFTMAX_DROPOUT_FORWARD;
  info.name = kName;
  info.family = "dropout";
  info.descriptor_size = sizeof(Descriptor);
  info.args_size = sizeof(Args);
  info.first_descriptor_size = static_cast<std::uint32_t>(first_size(ADJ_TAG_BIAS_SOFTMAX_DROPOUT_FORWARD_DESCRIPTOR));
  info.first_args_size = static_cast<std::uint32_t>(first_size(ADJ_TAG_BIAS_SOFTMAX_DROPOUT_FORWARD_ARGS));
  info.default_descriptor = &kDefault;
  info.default_args = &kDefaultArgs;
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
inline const Args kDefaultArgs{};
enum Slot : int { kDout, kMask, kSoftmaxOut, kRatio, kRandom, kDinput };
inline constexpr SlotInfo kSlots[] = {
    {"dout", offsetof(Args, dout), SlotKind::tensor, Role::in, 0, Space::stream, Given::always, "[rows, columns] element"},
    {"mask", offsetof(Args, mask), SlotKind::tensor, Role::in, 0, Space::stream, Given::depends, "[rows, columns] bool, or [ceil(rows * columns / 32)] u32; exactly when the descriptor's mask is not none"},
    {"softmax_out", offsetof(Args, softmax_out), SlotKind::tensor, Role::in, 0, Space::stream, Given::always, "[rows, columns] element: the softmax before dropout"},
    {"ratio", offsetof(Args, ratio), SlotKind::scalar, Role::in, 0, Space::stream, Given::always, "[0, 1], must be given; f32 or f64 on the device"},
    {"random", offsetof(Args, random), SlotKind::random, Role::in, 0, Space::stream, Given::depends, "those of the forward call; exactly when the descriptor's mask is none"},
    {"dinput", offsetof(Args, dinput), SlotKind::tensor, Role::out, 1u << kDout | 1u << kSoftmaxOut, Space::stream, Given::always, "[rows, columns] element; may be dout or softmax_out itself"},
};
inline constexpr Field kFields[] = {
    {"rows", nullptr, kFieldI64, offsetof(Descriptor, rows), ">= 0; must be given"},
    {"columns", nullptr, kFieldI64, offsetof(Descriptor, columns), ">= 0; must be given"},
    {"element", nullptr, kFieldDtype, offsetof(Descriptor, element), "f32, f64, f16, bf16"},
    {"mask", "default,bool,bits,none", kFieldI32, offsetof(Descriptor, mask), "how the mask is stored"},
    {"mapping", "default,onnx_runtime", kFieldI32, offsetof(Descriptor, mapping), "of random numbers to elements; only where the mask is drawn again"},
    {"multiprocessors", nullptr, kFieldI32, offsetof(Descriptor, multiprocessors), "with the mapping of ONNX Runtime: >= 1 for more than 2048 columns, may be 0 for fewer"},
    {"threads_per_multiprocessor", nullptr, kFieldI32, offsetof(Descriptor, threads_per_multiprocessor), "with the mapping of ONNX Runtime: >= 256 for more than 2048 columns, may be 0 for fewer"},
    {"unaligned", nullptr, kFieldI32, offsetof(Descriptor, unaligned), "as in the forward call"},
};
// Facts that stand in the header. The operator's planning adds its functions and rows.
inline OpInfo base_info() {
  OpInfo info{};
  info.id = ADJ_OP_SOFTMAX_DROPOUT_BACKWARD;
  info.name = kName;
  info.family = "dropout";
  info.descriptor_size = sizeof(Descriptor);
  info.args_size = sizeof(Args);
  info.first_descriptor_size = static_cast<std::uint32_t>(first_size(ADJ_TAG_SOFTMAX_DROPOUT_BACKWARD_DESCRIPTOR));
  info.first_args_size = static_cast<std::uint32_t>(first_size(ADJ_TAG_SOFTMAX_DROPOUT_BACKWARD_ARGS));
  info.default_descriptor = &kDefault;
  info.default_args = &kDefaultArgs;
  info.fields = kFields;
  info.slots = kSlots;
  return info;
}

}  // namespace adj::softmax_dropout_backward_tables
