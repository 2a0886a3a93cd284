// Values by formula, and the tokens to train on: the bytes of a text, or a file of 16-bit tokens as llm.c writes them.
#pragma once

#include <fmt/format.h>

#include <cstdint>
#include <cstring>
#include <fstream>
#include <iterator>
#include <span>
#include <stdexcept>
#include <string>
#include <vector>

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

// Header of a token file of llm.c: 256 numbers of 32 bits, of which three are used. The tokens follow, 16 bits each.
constexpr std::int32_t kTokenMagic = 20240520, kTokenVersion = 1;
constexpr std::size_t kTokenHeaderBytes = 256 * sizeof(std::int32_t);

// Tokens of a file. One that begins with the magic number is a token file; the tokens of any other file are its bytes.
inline std::vector<std::uint16_t> read_tokens(const std::string& file, std::int64_t vocabulary) {
  std::ifstream in(file, std::ios::binary);
  if (!in) throw std::runtime_error(fmt::format("'{}' cannot be read", file));
  const std::string bytes{std::istreambuf_iterator<char>(in), {}};
  std::vector<std::uint16_t> tokens;
  std::int32_t header[3] = {};
  if (bytes.size() >= sizeof header) std::memcpy(header, bytes.data(), sizeof header);
  if (header[0] == kTokenMagic) {
    if (header[1] != kTokenVersion)
      throw std::runtime_error(fmt::format("'{}' is a token file of version {}; version {} is known", file, header[1], kTokenVersion));
    const std::size_t expected = kTokenHeaderBytes + sizeof(std::uint16_t) * static_cast<std::size_t>(std::max(header[2], 0));
    if (header[2] < 0 || bytes.size() != expected)
      throw std::runtime_error(fmt::format("'{}' has {} bytes; a token file of {} tokens has {}", file, bytes.size(), header[2], expected));
    tokens.resize(static_cast<std::size_t>(header[2]));
    std::memcpy(tokens.data(), bytes.data() + kTokenHeaderBytes, tokens.size() * sizeof(std::uint16_t));
  } else {
    for (const char c : bytes) tokens.push_back(static_cast<unsigned char>(c));
  }
  for (std::size_t i = 0; i < tokens.size(); ++i)
    if (tokens[i] >= vocabulary) throw std::runtime_error(fmt::format("'{}': token {} is {}, and the vocabulary has {}", file, i, tokens[i], vocabulary));
  return tokens;
}

// Batches in the order of training. Sequences lie one after another, each has its targets one token further, and after the last whole
// batch the first one follows.
class Batches {
 public:
  // By formula: the same batch at every step.
  Batches(std::uint64_t seed, std::int64_t vocabulary) : seed_(seed), vocabulary_(vocabulary) {}
  Batches(std::span<const std::uint16_t> tokens, std::int64_t sequences, std::int64_t length, const std::string& name) : tokens_(tokens) {
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
  std::span<const std::uint16_t> tokens_;
};

}  // namespace gpt
