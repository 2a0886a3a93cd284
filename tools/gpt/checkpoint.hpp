// A checkpoint: the configuration, the steps that were done and those of them that Adam took, and master weights and moments of all parameters in their
// order, followed by a hash of it all.
// It does not depend on the number of ranks.
#pragma once

#include <fmt/format.h>

#include <array>
#include <cstring>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include "base/file.hpp"
#include "data.hpp"
#include "model.hpp"
#include "support/hash.hpp"

namespace gpt {

class Checkpoint {
 public:
  enum Kind { kWeights, kExpAvg, kExpAvgSq, kKinds };

  // Zeros.
  explicit Checkpoint(const Config& config) : layout_(config), element_(size_of(config.master())) {
    image_.resize(full_size());
    header() = {kMagic, 0, 0, facts_of(config)};
  }

  // Throws std::runtime_error unless the file is a whole checkpoint of this model.
  Checkpoint(const std::string& path, const Config& config) : layout_(config), element_(size_of(config.master())) {
    auto bytes = adj::read_file(path);
    if (!bytes) throw std::runtime_error(bytes.error().message);
    image_ = std::move(*bytes);
    auto refuse = [&](const std::string& why) { throw std::runtime_error(fmt::format("'{}' {}", path, why)); };
    if (image_.size() < sizeof(Header) || header().magic != kMagic) refuse("is no checkpoint");
    const auto own = facts_of(config);
    for (std::size_t i = 0; i < own.size(); ++i)
      if (header().facts[i] != own[i]) refuse(fmt::format("is a checkpoint of another model: its {} is {}, not {}", kFacts[i], header().facts[i], own[i]));
    if (image_.size() != full_size()) refuse(fmt::format("has {} bytes; a checkpoint of this model has {}", image_.size(), full_size()));
    std::uint64_t stored = 0;
    std::memcpy(&stored, hash_place(), sizeof stored);
    if (stored != hash_of(hashed())) refuse("is damaged: its bytes do not have its hash");
  }

  std::int64_t& step() { return header().step; }             // steps that were done
  std::int64_t& adam_steps() { return header().adam_steps; }  // those of them that were not skipped
  std::byte* values(Kind kind, const Parameter& parameter) {
    std::uint64_t before = static_cast<std::uint64_t>(kind) * static_cast<std::uint64_t>(layout_.numel);
    for (const Parameter& p : layout_.parameters) {
      if (p.name == parameter.name) break;
      before += static_cast<std::uint64_t>(p.numel());
    }
    return reinterpret_cast<std::byte*>(image_.data()) + sizeof(Header) + before * element_;
  }
  std::uint64_t weights_hash() const { return hash_of(std::string_view(image_).substr(sizeof(Header), static_cast<std::size_t>(layout_.numel) * element_)); }

  // Replaces the file: a reader sees the old checkpoint or the new one.
  void save(const std::string& path) {
    const std::uint64_t hash = hash_of(hashed());
    std::memcpy(hash_place(), &hash, sizeof hash);
    if (auto done = adj::write_file(path, image_, 0666); !done) throw std::runtime_error(done.error().message);
  }

 private:
  static constexpr std::array kFacts = {"family", "layers",     "width",   "heads",   "kv_heads", "head_dim",
                                        "hidden", "vocabulary", "context", "qk_norm", "tied",     "element"};
  using Facts = std::array<std::int64_t, kFacts.size()>;
  static constexpr std::uint64_t kMagic = 0x3254'5047'4A44'41;  // "ADJGPT2"
  struct Header {
    std::uint64_t magic;
    std::int64_t step, adam_steps;
    Facts facts;
  };
  static Facts facts_of(const Config& c) {
    return {static_cast<std::int64_t>(c.family),
            c.layers,
            c.width,
            c.heads,
            c.kv_heads,
            c.head_dim,
            c.hidden,
            c.vocabulary,
            c.context,
            c.qk_norm,
            c.tied,
            c.element};
  }
  std::size_t full_size() const { return sizeof(Header) + kKinds * static_cast<std::size_t>(layout_.numel) * element_ + sizeof(std::uint64_t); }
  Header& header() { return *reinterpret_cast<Header*>(image_.data()); }
  std::string_view hashed() const { return std::string_view(image_).substr(0, image_.size() - sizeof(std::uint64_t)); }
  char* hash_place() { return image_.data() + image_.size() - sizeof(std::uint64_t); }

  Layout layout_;
  std::uint64_t element_;
  std::string image_;
};

}  // namespace gpt
