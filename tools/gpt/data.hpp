// Values by formula, and the tokens to train on: the bytes of a text, or a file of tokens as llm.c writes them.
#pragma once

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <iterator>
#include <span>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include "base/file.hpp"

namespace gpt {

// ---- values by formula: any program in any language can start from the same bits

inline std::uint64_t mix(std::uint64_t x) {  // splitmix64
  x += 0x9E3779B97F4A7C15;
  x = (x ^ (x >> 30)) * 0xBF58476D1CE4E5B9;
  x = (x ^ (x >> 27)) * 0x94D049BB133111EB;
  return x ^ (x >> 31);
}

// Number in [-1, 1) for element e of parameter t.
inline double unit(std::uint64_t seed, std::uint64_t t, std::uint64_t e) { return static_cast<double>(mix(mix((seed << 32) + t) + e) >> 11) * 0x1p-52 - 1.0; }

// Token i of the batch by formula.
inline std::int32_t token_by_formula(std::uint64_t seed, std::uint64_t i, std::int64_t vocabulary) {
  return static_cast<std::int32_t>((mix(mix((seed << 32) + 0x80000000) + i) >> 33) % static_cast<std::uint64_t>(vocabulary));
}

// ---- tokens

using Tokens = std::vector<std::int32_t>;

// The token files that llm.c reads begin with 256 numbers of 32 bits, of which three are used: a magic number, a version and the number of tokens, which
// follow.
struct TokenFormat {
  std::int32_t magic, version;
  std::size_t bytes;  // of a token
};
constexpr TokenFormat kTokenFormats[] = {{20240520, 1, 2}, {20240801, 7, 4}};  // for GPT-2 and for Llama 3, as llm.c/dev/data/data_common.py has them
constexpr std::size_t kTokenHeaderBytes = 256 * sizeof(std::int32_t);

// Tokens of a file. One that begins with a magic number is a token file; the tokens of a text are its bytes.
inline Tokens read_tokens(const std::string& file, std::int64_t vocabulary) {
  const auto read = adj::read_file(file, adj::Source::any);
  if (!read) throw std::runtime_error(read.error().message);
  const std::string& bytes = *read;
  Tokens tokens;
  std::int32_t header[3] = {};
  if (bytes.size() >= sizeof header) std::memcpy(header, bytes.data(), sizeof header);
  const auto* format = std::find_if(std::begin(kTokenFormats), std::end(kTokenFormats), [&](const TokenFormat& f) { return f.magic == header[0]; });
  if (format != std::end(kTokenFormats)) {
    if (header[1] != format->version)
      throw std::runtime_error(fmt::format("'{}' is a token file of version {}; version {} is known", file, header[1], format->version));
    const std::size_t expected = kTokenHeaderBytes + format->bytes * static_cast<std::size_t>(std::max(header[2], 0));
    if (header[2] < 0 || bytes.size() != expected)
      throw std::runtime_error(fmt::format("'{}' has {} bytes; a token file of {} tokens has {}", file, bytes.size(), header[2], expected));
    tokens.resize(static_cast<std::size_t>(header[2]));
    const char* from = bytes.data() + kTokenHeaderBytes;
    for (std::int32_t& token : tokens) std::memcpy(&token, from, format->bytes), from += format->bytes;  // little-endian, and 0 above 16 bits
  } else {
    // No text has a byte 0, and every file of tokens has one among its first numbers.
    if (const auto at = std::string_view(bytes).substr(0, kTokenHeaderBytes).find('\0'); at != std::string_view::npos)
      throw std::runtime_error(
          fmt::format("'{}' is neither a text, as its byte {} is 0, nor a token file that is known: its first number is {}", file, at, header[0]));
    tokens.reserve(bytes.size());
    for (const char c : bytes) tokens.push_back(static_cast<unsigned char>(c));
  }
  for (std::size_t i = 0; i < tokens.size(); ++i)
    if (tokens[i] < 0 || tokens[i] >= vocabulary)
      throw std::runtime_error(fmt::format("'{}': token {} is {}, and the vocabulary has {}", file, i, static_cast<std::uint32_t>(tokens[i]), vocabulary));
  return tokens;
}

// Batches in the order of training. Sequences lie one after another, each has its targets one token further, and after the last whole
// batch the first one follows.
class Batches {
 public:
  // By formula: the same batch at every step.
  Batches(std::uint64_t seed, std::int64_t vocabulary) : seed_(seed), vocabulary_(vocabulary) {}
  Batches(std::span<const std::int32_t> tokens, std::int64_t sequences, std::int64_t length, const std::string& name) : tokens_(tokens) {
    const auto count = static_cast<std::int64_t>(tokens.size());
    if (count < sequences * length + 1)
      throw std::runtime_error(fmt::format("{} has {} tokens; a batch of {} sequences takes {}", name, count, sequences, sequences * length + 1));
    batches_ = (count - 1) / (sequences * length);
  }

  // Writes batch `index` of the training, `parts` of which make a step: inputs[b * length + t], and the targets one token further.
  void fill(std::int64_t index, std::int64_t parts, std::int64_t sequences, std::int64_t length, std::int32_t* inputs, std::int32_t* targets) const {
    for (std::int64_t b = 0; b < sequences; ++b)
      for (std::int64_t t = 0; t <= length; ++t) {
        std::int32_t token = 0;
        if (tokens_.empty()) token = token_by_formula(seed_, static_cast<std::uint64_t>((index % parts * sequences + b) * (length + 1) + t), vocabulary_);
        else token = tokens_[static_cast<std::size_t>((index % batches_ * sequences + b) * length + t)];
        if (t < length) inputs[b * length + t] = token;
        if (t > 0) targets[b * length + t - 1] = token;
      }
  }

 private:
  std::uint64_t seed_ = 0;
  std::int64_t vocabulary_ = 0, batches_ = 0;
  std::span<const std::int32_t> tokens_;
};

}  // namespace gpt
