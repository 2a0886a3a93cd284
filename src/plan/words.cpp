#include "plan/words.hpp"

#include <cstring>

#include "base/text.hpp"
#include "plan/structs.hpp"

namespace adj {

namespace {

// "5,5,7", with runs of three and more as "1000x4096".
template <class T>
std::string list_text(const T* items, std::int64_t count, bool runs) {
  std::string text;
  for (std::int64_t i = 0; i < count;) {
    std::int64_t n = 1;
    while (runs && i + n < count && items[i + n] == items[i]) ++n;
    if (n < 3) n = 1;
    text += fmt::format("{}{}{}", i ? "," : "", n > 1 ? fmt::format("{}x", n) : "", items[i]);
    i += n;
  }
  return text;
}

// The text quoted for a shell, as one word.
std::string quoted(std::string_view text) {
  constexpr std::string_view kPlain = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_./:,+-=@%";
  if (text.find_first_not_of(kPlain) == std::string_view::npos) return std::string(text);
  std::string word = "$'";
  for (const char c : text) {
    if (c == '\'' || c == '\\') word += '\\', word += c;
    else if (static_cast<unsigned char>(c) < 0x20) word += fmt::format("\\x{:02x}", static_cast<unsigned char>(c));
    else word += c;
  }
  return word + "'";
}

std::string choice_text(const char* choices, std::int32_t value) {
  const std::vector<std::string> names = split(choices, ',');
  return value >= 0 && static_cast<std::size_t>(value) < names.size() ? names[static_cast<std::size_t>(value)] : std::to_string(value);
}

}  // namespace

std::string value_text(const Field& field, const void* d) {
  switch (field.kind) {
    case kFieldI64: return std::to_string(read<std::int64_t>(d, field.offset));
    case kFieldF64: return fmt::format("{}", read<double>(d, field.offset));
    case kFieldDtype: {
      const auto dtype = read<adj_dtype>(d, field.offset);
      const char* name = dtype_name(dtype);
      return name ? name : dtype == ADJ_DTYPE_NONE ? "none" : std::to_string(dtype);
    }
    case kFieldI64List: return list_text(read<const std::int64_t*>(d, field.offset), read<std::int64_t>(d, field.offset - 8), true);
    case kFieldF64List: return list_text(read<const double*>(d, field.offset), read<std::int64_t>(d, field.offset - 8), false);
    case kFieldShape:
    case kFieldAxes: {
      const auto count = std::min<std::int64_t>(read<std::int64_t>(d, field.offset), ADJ_MAX_RANK);
      std::int64_t items[ADJ_MAX_RANK];
      std::memcpy(items, static_cast<const char*>(d) + field.offset + 8, sizeof items);
      return list_text(items, count, false);
    }
    case kFieldText: {
      const auto* text = read<const char*>(d, field.offset);
      return text ? quoted(text) : "";
    }
    case kFieldBytes: return fmt::format("'{} bytes'", read<std::int64_t>(d, field.offset - 8));
    case kFieldPointer: return {};
    default: {
      const auto number = read<std::int32_t>(d, field.offset);
      return field.choices ? choice_text(field.choices, number) : std::to_string(number);
    }
  }
}

std::string words_of(const OpInfo& op, const void* descriptor) {
  std::string text = op.name;
  for (const Field& field : op.fields) {
    // A field that is the length of a list is skipped: the text of the list shows it.
    bool counts = false;
    for (const Field& other : op.fields) counts |= has_length(other) && other.offset == field.offset + 8;
    if (counts || field.kind == kFieldPointer) continue;
    const bool list = is_list(field) && read<std::int64_t>(descriptor, field.offset - 8) > 0;
    if (!list &&
        std::memcmp(static_cast<const char*>(descriptor) + field.offset, static_cast<const char*>(op.default_descriptor) + field.offset, bytes_of(field)) == 0)
      continue;
    if (is_list(field) && !list) continue;
    text += fmt::format(" {}={}", field.name, value_text(field, descriptor));
  }
  return text;
}

const char* backend_name(adj_backend backend) {
  switch (backend) {
    case ADJ_BACKEND_BESPOKE: return "bespoke";
    case ADJ_BACKEND_HOST: return "host";
    case ADJ_BACKEND_CUDNN: return "cudnn";
    case ADJ_BACKEND_NCCL: return "nccl";
    case ADJ_BACKEND_CUBLASLT: return "cublaslt";
    default: return "any";
  }
}

const char* determinism_name(adj_determinism determinism) {
  switch (determinism) {
    case ADJ_NONDETERMINISTIC: return "none";
    case ADJ_RUN_TO_RUN: return "run_to_run";
    case ADJ_SHAPE_ONLY: return "shape_only";
    case ADJ_BATCH_INVARIANT: return "batch_invariant";
    default: return "default";
  }
}

std::string words_of(const adj_preference& p) {
  std::string text;
  if (p.determinism != ADJ_RUN_TO_RUN && p.determinism != ADJ_DETERMINISM_DEFAULT) text += fmt::format(" --determinism {}", determinism_name(p.determinism));
  if (p.math != ADJ_MATH_DEFAULT) text += fmt::format(" --math {}", p.math == ADJ_MATH_IEEE ? "ieee" : "fast");
  if (p.jit != ADJ_JIT_DEFAULT) text += fmt::format(" --jit {}", p.jit == ADJ_JIT_PACKS_ONLY ? "packs_only" : "cached_only");
  if (p.backend != ADJ_BACKEND_ANY) text += fmt::format(" --backend {}", backend_name(p.backend));
  if (p.workspace_limit != UINT64_MAX) text += fmt::format(" --workspace-limit {}", p.workspace_limit);
  if (p.workspace_arch) text += fmt::format(" --workspace-arch {}", arch_name(p.workspace_arch));
  if (p.sku) text += " --sku " + quoted(p.sku);
  if (p.tune) text += " --tune";
  return text;
}

std::string words_of(const adj_stream& stream) {
  switch (stream.kind) {
    case ADJ_STREAM_HOST: return "host";
    case ADJ_STREAM_CUDA: return fmt::format("device:{}", stream.device);
    case ADJ_STREAM_OFFLINE: return "offline:" + arch_name(stream.arch);
    default: return fmt::format("kind:{}", stream.kind);
  }
}

}  // namespace adj
