#include "words.hpp"

#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "abi.hpp"
#include "commands.hpp"

namespace cli {

namespace {

constexpr Word kDeterminism[] = {
    {ADJ_DETERMINISM_DEFAULT, "default", "run_to_run"},
    {ADJ_NONDETERMINISTIC, "none", "bits may change between runs"},
    {ADJ_RUN_TO_RUN, "run_to_run", "same bits on the same device model, whatever the stream, capture or neighbours"},
    {ADJ_SHAPE_ONLY, "shape_only", "same bits from run to run, and every reduction is split by shape and element type alone"},
    {ADJ_BATCH_INVARIANT, "batch_invariant", "same bits from run to run, and a row's result does not depend on the number of rows either"}};
constexpr Word kMath[] = {{ADJ_MATH_DEFAULT, "default", "whatever meets the stated bound"},
                          {ADJ_MATH_IEEE, "ieee", "correctly rounded division and square root, library-accurate transcendentals"},
                          {ADJ_MATH_FAST, "fast", "hardware approximations: of transcendentals, inside the stated bound; of subnormal numbers, by 0"}};
constexpr Word kJit[] = {{ADJ_JIT_DEFAULT, "default", "packs, the disk cache, then NVRTC"},
                         {ADJ_JIT_CACHED_ONLY, "cached_only", "packs and the disk cache"},
                         {ADJ_JIT_PACKS_ONLY, "packs_only", "packs"}};
constexpr Word kBackend[] = {{ADJ_BACKEND_ANY, "any", "any"},
                             {ADJ_BACKEND_BESPOKE, "bespoke", "kernels of this library, on a GPU"},
                             {ADJ_BACKEND_HOST, "host", "C++ on ordinary memory"},
                             {ADJ_BACKEND_CUDNN, "cudnn", "cuDNN, on a GPU"},
                             {ADJ_BACKEND_NCCL, "nccl", "NCCL, on GPUs"},
                             {ADJ_BACKEND_CUBLASLT, "cublaslt", "cuBLASLt, on a GPU"}};

// Names of the element types in other libraries.
constexpr std::pair<std::string_view, adj_dtype> kOtherDtypeNames[] = {{"float32", ADJ_F32},
                                                                       {"float", ADJ_F32},
                                                                       {"float64", ADJ_F64},
                                                                       {"double", ADJ_F64},
                                                                       {"float16", ADJ_F16},
                                                                       {"half", ADJ_F16},
                                                                       {"bfloat16", ADJ_BF16},
                                                                       {"float8_e4m3fn", ADJ_F8_E4M3},
                                                                       {"float8_e5m2", ADJ_F8_E5M2},
                                                                       {"int8", ADJ_I8},
                                                                       {"int16", ADJ_I16},
                                                                       {"int32", ADJ_I32},
                                                                       {"int", ADJ_I32},
                                                                       {"int64", ADJ_I64},
                                                                       {"long", ADJ_I64},
                                                                       {"uint8", ADJ_U8},
                                                                       {"uint16", ADJ_U16},
                                                                       {"uint32", ADJ_U32},
                                                                       {"uint64", ADJ_U64}};

const Word* find(Words words, std::int32_t value) {
  const auto it = std::find_if(words.begin(), words.end(), [value](const Word& w) { return w.value == value; });
  return it == words.end() ? nullptr : &*it;
}

}  // namespace

const Words kDeterminismWords = kDeterminism, kMathWords = kMath, kJitWords = kJit, kBackendWords = kBackend;

std::vector<std::string> choices_of(const adj_field& field) {
  std::vector<std::string> list;
  std::string_view rest = field.choices ? field.choices : "";
  while (!rest.empty()) {
    const std::size_t end = std::min(rest.find(','), rest.size());
    list.emplace_back(rest.substr(0, end));
    rest.remove_prefix(std::min(end + 1, rest.size()));
  }
  return list;
}

std::string name_of(Words words, std::int32_t value) {
  const Word* word = find(words, value);
  return word ? std::string(word->name) : std::to_string(value);
}
const char* meaning_of(Words words, std::int32_t value) {
  const Word* word = find(words, value);
  return word ? word->meaning : "unknown to this tool";
}
std::vector<std::string> names(Words words, std::int32_t first) {
  std::vector<std::string> list;
  for (const Word& word : words)
    if (word.value >= first) list.emplace_back(word.name);
  return list;
}

std::string dtype_text(adj_dtype dtype) {
  const char* name = adj_dtype_name(dtype);
  return name ? name : dtype == ADJ_DTYPE_NONE ? "none" : std::to_string(dtype);
}
std::optional<adj_dtype> dtype_value(std::string_view name) {
  if (name == "none") return ADJ_DTYPE_NONE;
  for (const auto& [other, dtype] : kOtherDtypeNames)
    if (name == other) return dtype;
  const adj_dtype dtype = adj_dtype_find(std::string(name).c_str());
  return dtype == ADJ_DTYPE_NONE ? std::nullopt : std::optional(dtype);
}
std::vector<std::string> dtype_names() {
  constexpr int kPastLast = 64;  // ONNX numbers its types densely from 1
  std::vector<std::string> list;
  for (int dtype = 1; dtype < kPastLast; ++dtype)
    if (const char* name = adj_dtype_name(static_cast<adj_dtype>(dtype))) list.emplace_back(name);
  return list;
}
std::string known_dtypes() { return join(dtype_names()); }

std::string bound_text(const adj_guarantee& g) {
  if (g.bound_ulp == 0 && g.bound_terms == 0 && g.bound_absolute == 0) return "exact";
  std::vector<std::string> parts;
  if (g.bound_ulp != 0) parts.push_back(fmt::format("{:.3g} ulp", g.bound_ulp));
  if (g.bound_terms != 0) parts.push_back(fmt::format("{:.3g} sum", g.bound_terms));
  if (g.bound_absolute != 0) parts.push_back(fmt::format("{:.1g}", g.bound_absolute));
  return join(parts, " + ");
}

std::vector<OutputLevel> output_levels(const adj_sku_info& sku, const std::function<adj_guarantee(const char*)>& guarantee_of) {
  std::vector<OutputLevel> levels;
  for (std::int64_t i = 0; i < adj_op_argument_count(sku.op); ++i) {
    adj_argument argument;
    if (adj_op_argument(sku.op, i, &argument) != ADJ_OK || argument.role == ADJ_ROLE_IN) continue;
    if (const adj_guarantee g = guarantee_of(argument.name); g.determinism != sku.guarantee.determinism) levels.push_back({argument.name, g.determinism});
  }
  return levels;
}
Json levels_json(const std::vector<OutputLevel>& levels) {
  Json object = Json::object();
  for (const auto& [output, level] : levels) object[output] = name_of(kDeterminismWords, level);
  return object;
}

std::vector<std::string> guarantee_sentences(const adj_guarantee& g, const std::vector<OutputLevel>& levels) {
  std::string bound = "every output element is exact";
  std::vector<std::string> parts;
  if (g.bound_ulp != 0) parts.push_back(fmt::format("{:.3g} ulp of the output type", g.bound_ulp));
  if (g.bound_terms != 0) parts.push_back(fmt::format("{:.3g} times the sum of the magnitudes of its terms", g.bound_terms));
  if (g.bound_absolute != 0) parts.push_back(fmt::format("{:.1g}", g.bound_absolute));
  if (!parts.empty()) bound = "an output element differs from the exact value by at most " + join(parts, " plus ");
  std::vector<std::string> sentences{
      fmt::format("determinism {}: {}", name_of(kDeterminismWords, g.determinism), meaning_of(kDeterminismWords, g.determinism)),
      fmt::format("math {}: {}", name_of(kMathWords, g.math), meaning_of(kMathWords, g.math)),
      fmt::format("accumulates in {}; {}", dtype_text(g.accumulator), g.float_atomics ? "adds floats atomically" : "no floating-point atomics"),
      g.bit_stable ? "bit-stable on the same hardware" : "not bit-stable, even on the same hardware", bound};
  for (const auto& [output, level] : levels)
    sentences.push_back(fmt::format("{}: determinism {}: {}", output, name_of(kDeterminismWords, level), meaning_of(kDeterminismWords, level)));
  return sentences;
}

Json guarantee_json(const adj_guarantee& g) {
  return {{"determinism", name_of(kDeterminismWords, g.determinism)},
          {"math", name_of(kMathWords, g.math)},
          {"accumulator", dtype_text(g.accumulator)},
          {"bit_stable", g.bit_stable != 0},
          {"float_atomics", g.float_atomics != 0},
          {"bound_ulp", g.bound_ulp},
          {"bound_terms", g.bound_terms},
          {"bound_absolute", g.bound_absolute}};
}

std::vector<std::string> op_names() {
  std::vector<std::string> list;
  for (const adj_sku_info& sku : all_skus())
    if (list.empty() || list.back() != sku.op_name) list.emplace_back(sku.op_name);
  return list;
}

const std::string* nearest(std::string_view written, const std::vector<std::string>& names) {
  const std::string* best = nullptr;
  std::size_t least = written.size() / 3 + 1;
  for (const std::string& name : names) {
    // Levenshtein's distance, a row at a time.
    std::vector<std::size_t> row(name.size() + 1);
    for (std::size_t i = 0; i < row.size(); ++i) row[i] = i;
    for (std::size_t w = 0; w < written.size(); ++w) {
      std::size_t diagonal = std::exchange(row[0], w + 1);
      for (std::size_t i = 0; i < name.size(); ++i) {
        const std::size_t changed = diagonal + (written[w] != name[i]);
        diagonal = row[i + 1];
        row[i + 1] = std::min({changed, diagonal + 1, row[i] + 1});
      }
    }
    if (row.back() <= least && (!best || row.back() < least)) best = &name, least = row.back();
  }
  const bool near = best;
  for (const std::string& name : names)
    if (!near && !written.empty() && name.starts_with(written) && (!best || name.size() < best->size())) best = &name;
  return best;
}
std::string suggestion(std::string_view written, const std::vector<std::string>& names) {
  const std::string* best = nearest(written, names);
  return best ? fmt::format(": did you mean '{}'?", *best) : "";
}

CLI::Validator one_of(std::vector<std::string> names) {
  const std::string listed = join(names, ",");
  return {[names = std::move(names)](const std::string& given) {
            if (std::find(names.begin(), names.end(), given) != names.end()) return std::string();
            return fmt::format("'{}' is none of {}{}", given, join(names), suggestion(given, names));
          },
          "{" + listed + "}"};
}

std::string no_sku_matches(const std::string& glob) {
  const std::vector<std::string> operators = op_names();
  const std::size_t slash = std::min(glob.find('/'), glob.size());
  const std::string op = glob.substr(0, slash), rest = glob.substr(slash);
  std::string hint;
  if (std::find(operators.begin(), operators.end(), glob) != operators.end()) {
    hint = fmt::format(": '{}/*' matches those of the operator", glob);
  } else if (std::find(operators.begin(), operators.end(), op) == operators.end()) {
    if (const std::string* best = nearest(op, operators)) hint = fmt::format(": did you mean '{}{}'?", *best, rest.empty() ? "/*" : rest);
  } else {
    std::vector<std::string> ids;
    for (const adj_sku_info& sku : all_skus()) ids.emplace_back(sku.id);
    hint = suggestion(glob, ids);
  }
  return fmt::format("no SKU matches '{}'{}", glob, hint);
}

std::string join(const std::vector<std::string>& parts, std::string_view separator) {
  std::string text;
  for (std::size_t i = 0; i < parts.size(); ++i) text.append(i ? separator : "").append(parts[i]);
  return text;
}

std::vector<std::string> split(std::string_view text, char separator) {
  std::vector<std::string> pieces;
  if (text.empty()) return pieces;
  for (;;) {
    const std::size_t end = text.find(separator);
    pieces.emplace_back(text.substr(0, end));
    if (end == std::string_view::npos) return pieces;
    text.remove_prefix(end + 1);
  }
}

}  // namespace cli
