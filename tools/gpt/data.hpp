// Values by formula, and the tokens to train on: texts, or files of tokens as llm.c writes them.
#pragma once

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <glob.h>

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <deque>
#include <filesystem>
#include <iterator>
#include <memory>
#include <mutex>
#include <numeric>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/file.hpp"
#include "tokenizer.hpp"

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

using Tokens = std::vector<std::int32_t>;

// ---- files of tokens

// The token files that llm.c reads begin with 256 numbers of 32 bits, of which three are used: a magic number, a version and the number of tokens, which
// follow.
struct TokenFormat {
  std::int32_t magic, version;
  std::size_t bytes;  // of a token
};
constexpr TokenFormat kTokenFormats[] = {{20240520, 1, 2}, {20240801, 7, 4}};  // for GPT-2 and for Llama 3, as llm.c/dev/data/data_common.py has them
constexpr std::int32_t kEvaluationMagic = 20240522;                            // of questions with answers to choose from, which that script writes too
constexpr std::size_t kTokenHeaderBytes = 256 * sizeof(std::int32_t);

// Tokens in the bytes that they are stored in.
struct StoredTokens {
  std::string bytes;
  std::size_t begin = 0, width = 1;
  std::int64_t count = 0;

  std::int32_t operator[](std::int64_t i) const {
    const char* at = bytes.data() + begin + static_cast<std::size_t>(i) * width;
    std::uint16_t narrow = 0;
    std::int32_t wide = 0;
    switch (width) {
      case 1: return static_cast<unsigned char>(*at);
      case 2: std::memcpy(&narrow, at, sizeof narrow); return narrow;
      default: std::memcpy(&wide, at, sizeof wide); return wide;
    }
  }
};

// Tokens of a file. One that begins with a magic number is a token file; the tokens of a text are what the tokenizer makes of it, or its bytes.
// Throws std::runtime_error.
inline StoredTokens tokens_of(std::string bytes, const std::string& file, std::int64_t vocabulary, const Tokenizer* tokenizer) {
  StoredTokens tokens;
  std::int32_t header[3] = {};
  if (bytes.size() >= sizeof header) std::memcpy(header, bytes.data(), sizeof header);
  const auto* format = std::find_if(std::begin(kTokenFormats), std::end(kTokenFormats), [&](const TokenFormat& f) { return f.magic == header[0]; });
  auto refuse = [&](const std::string& why) { throw std::runtime_error(fmt::format("'{}' {}", file, why)); };
  if (format != std::end(kTokenFormats)) {
    if (header[1] != format->version) refuse(fmt::format("is a token file of version {}; version {} is known", header[1], format->version));
    const std::size_t expected = kTokenHeaderBytes + format->bytes * static_cast<std::size_t>(std::max(header[2], 0));
    if (header[2] < 0 || bytes.size() != expected) refuse(fmt::format("has {} bytes; a token file of {} tokens has {}", bytes.size(), header[2], expected));
    tokens = {std::move(bytes), kTokenHeaderBytes, format->bytes, header[2]};
  } else {
    if (header[0] == kEvaluationMagic) refuse("is a file of questions for an evaluation, as llm.c has them; a token file is needed");
    // No text has a byte 0, and every file of tokens has one among its first numbers.
    if (const auto at = std::string_view(bytes).substr(0, kTokenHeaderBytes).find('\0'); at != std::string_view::npos)
      refuse(fmt::format("is neither a text, as its byte {} is 0, nor a token file that is known: its first number is {}", at, header[0]));
    if (tokenizer) {
      const std::vector<std::int32_t> encoded = tokenizer->encode(bytes);
      tokens.bytes.assign(reinterpret_cast<const char*>(encoded.data()), encoded.size() * sizeof encoded[0]);
      tokens.width = sizeof encoded[0];
      tokens.count = static_cast<std::int64_t>(encoded.size());
    } else {
      tokens.count = static_cast<std::int64_t>(bytes.size());
      tokens.bytes = std::move(bytes);
    }
  }
  for (std::int64_t i = 0; i < tokens.count; ++i)
    if (const std::int32_t token = tokens[i]; token < 0 || token >= vocabulary)
      refuse(fmt::format("is of another vocabulary: token {} is {}, and the vocabulary has {}", i, static_cast<std::uint32_t>(token), vocabulary));
  return tokens;
}

// The bytes of a token file.
inline std::string token_file(const std::vector<std::int32_t>& tokens, std::int64_t vocabulary) {
  const TokenFormat& format = kTokenFormats[vocabulary > 1 << 16];
  if (tokens.size() >= std::size_t{1} << 31) throw std::runtime_error(fmt::format("a token file has less than 2^31 tokens, not {}", tokens.size()));
  std::string bytes(kTokenHeaderBytes + tokens.size() * format.bytes, '\0');
  const std::int32_t header[] = {format.magic, format.version, static_cast<std::int32_t>(tokens.size())};
  std::memcpy(bytes.data(), header, sizeof header);
  char* to = bytes.data() + kTokenHeaderBytes;
  for (const std::int32_t token : tokens) std::memcpy(to, &token, format.bytes), to += format.bytes;
  return bytes;
}

// The files that a name of the command line stands for: the files NAME.bin of a folder, those that a pattern matches, or the file itself.
inline std::vector<std::string> files_of(const std::string& name) {
  std::error_code error;
  const auto status = std::filesystem::status(name, error);
  std::vector<std::string> files;
  if (std::filesystem::is_directory(status)) {
    for (const auto& entry : std::filesystem::directory_iterator(name, error))
      if (entry.path().extension() == ".bin") files.push_back(entry.path().string());
    if (error) throw std::runtime_error(fmt::format("cannot read the directory '{}': {}", name, error.message()));
    if (files.empty()) throw std::runtime_error(fmt::format("the directory '{}' has no file that ends with .bin", name));
    std::sort(files.begin(), files.end());
  } else if (status.type() == std::filesystem::file_type::not_found && name.find_first_of("*?[") != std::string::npos) {
    glob_t found{};
    const int failed = ::glob(name.c_str(), 0, nullptr, &found);  // sorted
    for (std::size_t i = 0; failed == 0 && i < found.gl_pathc; ++i) files.emplace_back(found.gl_pathv[i]);
    ::globfree(&found);
    if (files.empty()) throw std::runtime_error(fmt::format("no file matches '{}'", name));
  } else {
    files.push_back(name);
  }
  return files;
}

// Files of tokens, of which the last ones that were asked for are in memory. All are read once at the start, so that a bad one is found then.
class TokenFiles {
 public:
  TokenFiles(const std::vector<std::string>& names, std::int64_t vocabulary, const Tokenizer* tokenizer) : vocabulary_(vocabulary), tokenizer_(tokenizer) {
    for (const std::string& name : names)
      for (std::string& file : files_of(name)) files_.push_back(std::move(file));
    for (std::size_t i = 0; i < files_.size(); ++i) {
      held_.emplace_back(i, std::make_shared<const StoredTokens>(load(i)));
      counts_.push_back(held_.back().second->count);
      if (held_.size() > kHeld) held_.pop_front();
    }
  }
  // Tokens of a test.
  TokenFiles(const Tokens& tokens, std::string name) : files_{std::move(name)}, counts_{static_cast<std::int64_t>(tokens.size())} {
    held_.emplace_back(0, std::make_shared<const StoredTokens>(
                              StoredTokens{{reinterpret_cast<const char*>(tokens.data()), tokens.size() * sizeof tokens[0]}, 0, sizeof tokens[0], counts_[0]}));
  }

  std::size_t size() const { return files_.size(); }
  std::int64_t count(std::size_t file) const { return counts_[file]; }
  std::int64_t tokens() const { return std::accumulate(counts_.begin(), counts_.end(), std::int64_t{0}); }
  std::string name() const { return size() == 1 ? files_[0] : fmt::format("{} and {} more files", files_[0], size() - 1); }

  // May be called by several ranks at once.
  std::shared_ptr<const StoredTokens> get(std::size_t file) const {
    const std::scoped_lock lock(mutex_);
    for (const auto& [index, tokens] : held_)
      if (index == file) return tokens;
    auto tokens = std::make_shared<const StoredTokens>(load(file));
    if (tokens->count != counts_[file])
      throw std::runtime_error(fmt::format("'{}' has {} tokens and had {} at the start of the training", files_[file], tokens->count, counts_[file]));
    held_.emplace_back(file, tokens);
    if (held_.size() > kHeld) held_.pop_front();
    return tokens;
  }

 private:
  static constexpr std::size_t kHeld = 3;  // ranks and the next steps may be in neighbouring files
  StoredTokens load(std::size_t file) const {
    auto bytes = adj::read_file(files_[file], adj::Source::any);
    if (!bytes) throw std::runtime_error(bytes.error().message);
    return tokens_of(std::move(*bytes), files_[file], vocabulary_, tokenizer_);
  }

  std::vector<std::string> files_;
  std::vector<std::int64_t> counts_;
  std::int64_t vocabulary_ = 0;
  const Tokenizer* tokenizer_ = nullptr;
  mutable std::mutex mutex_;
  mutable std::deque<std::pair<std::size_t, std::shared_ptr<const StoredTokens>>> held_;
};

// A permutation of [0, n): place i has permuted(i, n, key). Four rounds of a Feistel network on the least even number of bits, repeated until the result is
// below n.
inline std::uint64_t permuted(std::uint64_t i, std::uint64_t n, std::uint64_t key) {
  unsigned half = 1;
  while (half < 32 && (std::uint64_t{1} << (2 * half)) < n) ++half;
  const std::uint64_t mask = (std::uint64_t{1} << half) - 1;
  do {
    std::uint64_t left = i >> half, right = i & mask;
    for (std::uint64_t round = 0; round < 4; ++round) left = std::exchange(right, left ^ (mix(mix(key + round) + right) & mask));
    i = left << half | right;
  } while (i >= n);
  return i;
}

// Batches in the order of training. Sequences lie one after another, each has its targets one token further, and after the last whole batch of a pass over the
// files the next pass begins. The order of files, and of sequences within each, is that of the files, or one for each pass that follows from a seed. A batch
// depends on its index alone.
class Batches {
 public:
  // By formula: the same batch at every step.
  Batches(std::uint64_t seed, std::int64_t vocabulary) : seed_(seed), vocabulary_(vocabulary) {}
  // What of each file is taken: everything, or what comes before its last tenth, or that alone.
  enum class Part { all, most, last };
  // Throws std::runtime_error unless there is a batch.
  Batches(std::shared_ptr<const TokenFiles> files, std::int64_t sequences, std::int64_t length, std::optional<std::uint64_t> shuffled_by = {},
          Part part = Part::all)
      : files_(std::move(files)), shuffled_by_(shuffled_by) {
    std::int64_t all = 0, tokens = 0;
    for (std::size_t file = 0; file < files_->size(); ++file) {
      const std::int64_t count = files_->count(file), cut = count - count / 10, begin = part == Part::last ? cut : 0, end = part == Part::most ? cut : count;
      pieces_.push_back({file, begin, std::max<std::int64_t>(0, end - begin - 1) / length});
      all += pieces_.back().sequences;
      tokens += end - begin;
    }
    batches_ = all / sequences;
    if (batches_ > 0) return;
    const std::string name = part == Part::last ? fmt::format("the last tenth of {}", files_->name()) : files_->name();
    throw std::runtime_error(fmt::format("{} has {} tokens; a batch of {} sequences takes {}", name, tokens, sequences, sequences * length + 1));
  }

  std::int64_t count() const { return batches_; }  // of a pass
  // Writes batch `index` of the training, `parts` of which make a step: inputs[b * length + t], and the targets one token further.
  void fill(std::int64_t index, std::int64_t parts, std::int64_t sequences, std::int64_t length, std::int32_t* inputs, std::int32_t* targets) const {
    for (std::int64_t b = 0; b < sequences; ++b) {
      std::shared_ptr<const StoredTokens> tokens;
      std::int64_t at = 0;
      if (files_) {
        const auto [file, first] = place(index / batches_, index % batches_ * sequences + b, length);
        tokens = files_->get(file);
        at = first;
      }
      for (std::int64_t t = 0; t <= length; ++t) {
        const std::int32_t token =
            tokens ? (*tokens)[at + t] : token_by_formula(seed_, static_cast<std::uint64_t>((index % parts * sequences + b) * (length + 1) + t), vocabulary_);
        if (t < length) inputs[b * length + t] = token;
        if (t > 0) targets[b * length + t - 1] = token;
      }
    }
  }

 private:
  struct Piece {
    std::size_t file;
    std::int64_t first, sequences;  // first token; sequences with all of their targets
  };
  // File and first token of a sequence of a pass.
  std::pair<std::size_t, std::int64_t> place(std::int64_t pass, std::int64_t sequence, std::int64_t length) const {
    const std::uint64_t key = shuffled_by_ ? mix(mix(*shuffled_by_) + static_cast<std::uint64_t>(pass)) : 0;
    for (std::size_t i = 0;; ++i) {
      const Piece& piece = pieces_[shuffled_by_ ? permuted(i, pieces_.size(), key) : i];
      if (sequence >= piece.sequences) {
        sequence -= piece.sequences;
        continue;
      }
      if (shuffled_by_)
        sequence =
            static_cast<std::int64_t>(permuted(static_cast<std::uint64_t>(sequence), static_cast<std::uint64_t>(piece.sequences), mix(key + 1 + piece.file)));
      return {piece.file, piece.first + sequence * length};
    }
  }

  std::uint64_t seed_ = 0;
  std::int64_t vocabulary_ = 0, batches_ = 0;
  std::shared_ptr<const TokenFiles> files_;
  std::optional<std::uint64_t> shuffled_by_;
  std::vector<Piece> pieces_;
};

}  // namespace gpt
