// The one place where the interface's numbers become words and words become numbers.
#pragma once

#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "adjoint.h"
#include "output.hpp"

namespace cli {

struct Word {
  std::int32_t value;
  std::string_view name;
  const char* meaning;
};
using Words = std::span<const Word>;

extern const Words kDeterminismWords, kMathWords, kJitWords, kBackendWords;
// The names of a field's values, from 0 on; empty when it is a plain number.
std::vector<std::string> choices_of(const adj_field& field);

std::string name_of(Words words, std::int32_t value);  // the number itself when it has no name
const char* meaning_of(Words words, std::int32_t value);
// The value of a name that the command line has checked.
template <class Enum>
Enum value_of(Words words, std::string_view name) {
  return static_cast<Enum>(std::ranges::find(words, name, &Word::name)->value);
}
std::vector<std::string> names(Words words, std::int32_t first = 0);  // of the values from first on

std::string dtype_text(adj_dtype dtype);                        // "bf16", "none"
std::optional<adj_dtype> dtype_value(std::string_view name);    // also "bfloat16", "half", ...; "none" is 0
std::vector<std::string> dtype_names();
std::string known_dtypes();                                     // the same, as a list in a sentence

std::string bound_text(const adj_guarantee& g);                 // "0.5 ulp + 1e-13 sum", "exact"
// An output whose determinism is above that of the other outputs.
struct OutputLevel {
  std::string output;
  adj_determinism level;
};
std::vector<OutputLevel> output_levels(const adj_sku_info& sku, const std::function<adj_guarantee(const char* output)>& guarantee_of);
Json levels_json(const std::vector<OutputLevel>& levels);
std::vector<std::string> guarantee_sentences(const adj_guarantee& g, const std::vector<OutputLevel>& levels = {});
Json guarantee_json(const adj_guarantee& g);

std::vector<std::string> op_names();  // of every operator, in the library's order

// The name that is nearest to what was written, else the shortest that begins with it; null when there is none.
const std::string* nearest(std::string_view written, const std::vector<std::string>& names);
// It, as ": did you mean 'adam'?"; empty when there is none.
std::string suggestion(std::string_view written, const std::vector<std::string>& names);
// "no SKU matches 'sgdd/*': did you mean 'sgd/*'?", for a glob that no SKU's id matches.
std::string no_sku_matches(const std::string& glob);

std::string join(const std::vector<std::string>& parts, std::string_view separator = ", ");
std::vector<std::string> split(std::string_view text, char separator);  // keeps empty pieces; "" gives none

}  // namespace cli
