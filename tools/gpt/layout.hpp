// The settings of a GPT-2 or a Llama, models by name, where parameters lie, and what of them each rank keeps.
#pragma once

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include "support/engine.hpp"

namespace gpt {

using adjoint::size_of;
using adjoint::tensor;

enum class Family : std::int64_t { gpt2, llama };

// What of the activations is computed again in the backward direction instead of being kept.
enum class Recompute {
  none,
  pointwise,  // outputs of norms and of activations
  layer       // everything but the input of a layer
};

// How the loss and its gradient come about: scores in memory, on which products and the loss work one after the other; or one call, linear_cross_entropy.
enum class Head { scores, fused };

constexpr double kRopeBase = 500000, kEpsilon = 1e-5;

struct Config {
  Family family = Family::gpt2;
  std::int64_t layers = 2, width = 64, heads = 4, kv_heads = 4, head_dim = 16;
  std::int64_t hidden = 256;      // 4 C for GPT-2, F for Llama
  std::int64_t vocabulary = 256, context = 64;
  std::int64_t qk_norm = 0, tied = 1;
  std::int64_t element = ADJ_BF16;  // of weights and activations

  adj_dtype type() const { return static_cast<adj_dtype>(element); }
  adj_dtype master() const { return element == ADJ_F64 ? ADJ_F64 : ADJ_F32; }  // of master weights, moments, gradients and weights of norms
  bool mixed() const { return type() != master(); }
  std::int64_t padded() const { return (vocabulary + 127) / 128 * 128; }
  std::int64_t q_width() const { return heads * head_dim; }
  std::int64_t qk_width() const { return (heads + kv_heads) * head_dim; }
  std::int64_t qkv_width() const { return (heads + 2 * kv_heads) * head_dim; }
  std::int64_t up_width() const { return family == Family::gpt2 ? hidden : 2 * hidden; }
};

// Sizes by name. Options of the command line replace single numbers.
struct Size {
  const char* name;
  Config config;
  std::int64_t batch;
};
inline const Size kSizes[] = {
    {"gpt2 tiny", {.family = Family::gpt2, .layers = 2, .width = 64, .heads = 4, .vocabulary = 256, .context = 64}, 4},
    {"gpt2 124M", {.family = Family::gpt2, .layers = 12, .width = 768, .heads = 12, .vocabulary = 50257, .context = 1024}, 8},
    {"gpt2 355M", {.family = Family::gpt2, .layers = 24, .width = 1024, .heads = 16, .vocabulary = 50257, .context = 1024}, 8},
    {"gpt2 774M", {.family = Family::gpt2, .layers = 36, .width = 1280, .heads = 20, .vocabulary = 50257, .context = 1024}, 8},
    {"gpt2 1558M", {.family = Family::gpt2, .layers = 48, .width = 1600, .heads = 25, .vocabulary = 50257, .context = 1024}, 8},
    {"llama tiny", {.family = Family::llama, .layers = 2, .width = 64, .heads = 4, .kv_heads = 2, .hidden = 192, .vocabulary = 256, .context = 64}, 4},
    {"llama 1.2B",
     {.family = Family::llama, .layers = 16, .width = 2048, .heads = 32, .kv_heads = 8, .hidden = 8192, .vocabulary = 128256, .context = 4096},
     4},
    {"llama 7B",
     {.family = Family::llama, .layers = 32, .width = 4096, .heads = 32, .kv_heads = 32, .hidden = 11008, .vocabulary = 32000, .context = 4096, .tied = 0},
     1},
};

// ---- parameters

struct Parameter {
  std::string name;
  std::int64_t rows, columns;
  bool matrix;            // matrices and embeddings; the others are vectors
  int power;              // initial values are offset + 2^power * unit(seed, t, e)
  double offset;
  std::int64_t layer;     // -1: of the embeddings; the number of layers: behind the layers
  std::int64_t at = 0;    // first element in the buffers of all parameters
  std::size_t bucket = 0;
  std::int64_t numel() const { return rows * columns; }
};

// Neighbouring matrices whose gradients are complete at the same time. Ranks share each bucket out in equal parts.
struct Bucket {
  std::int64_t layer, at, numel;
};

// Parameters in their order, and their places in buffers of `total` elements: matrices first, which ranks share out, then vectors. All are aligned.
struct Layout {
  std::vector<Parameter> parameters;
  std::vector<Bucket> buckets;  // several ranks: one for the embeddings, for each layer and for a head of its own; else one
  std::int64_t layers = 0, matrices = 0, total = 0, numel = 0;

  explicit Layout(const Config& c, std::int64_t ranks = 1) : layers(c.layers) {
    constexpr std::int64_t kAlignment = 128;
    const int residual = -5 - static_cast<int>(std::floor(std::log2(2.0 * static_cast<double>(c.layers)) / 2 + 0.5));
    const bool gpt2 = c.family == Family::gpt2;
    std::int64_t layer = -1;
    auto matrix = [&](std::string name, std::int64_t rows, std::int64_t columns, int power = -5) {
      parameters.push_back({std::move(name), rows, columns, true, power, 0, layer});
    };
    auto bias = [&](std::string name, std::int64_t n) {
      if (gpt2) parameters.push_back({std::move(name), 1, n, false, -6, 0, layer});
    };
    auto norm = [&](std::string name, std::int64_t n) {
      parameters.push_back({name + ".w", 1, n, false, -4, 1, layer});
      bias(name + ".b", n);
    };
    matrix("wte", c.padded(), c.width);
    if (gpt2) matrix("wpe", c.context, c.width);
    for (std::int64_t l = 0; l < c.layers; ++l) {
      const std::string of = fmt::format("{}.", l);
      layer = l;
      norm(of + "norm1", c.width);
      matrix(of + "qkv.w", c.qkv_width(), c.width);
      bias(of + "qkv.b", c.qkv_width());
      if (c.qk_norm) {
        norm(of + "q_norm", c.head_dim);
        norm(of + "k_norm", c.head_dim);
      }
      matrix(of + "proj.w", c.width, c.q_width(), residual);
      bias(of + "proj.b", c.width);
      norm(of + "norm2", c.width);
      matrix(of + "up.w", c.up_width(), c.width);
      bias(of + "up.b", c.up_width());
      matrix(of + "down.w", c.width, c.hidden, residual);
      bias(of + "down.b", c.width);
    }
    layer = c.layers;
    norm("norm", c.width);
    if (!c.tied) matrix("head.w", c.padded(), c.width);

    auto place = [&](bool matrices_now) {
      for (Parameter& p : parameters) {
        if (p.matrix != matrices_now) continue;
        if (p.matrix && (buckets.empty() || (ranks > 1 && buckets.back().layer != p.layer))) open_bucket(p.layer, kAlignment * ranks);
        p.bucket = buckets.size() - 1;
        p.at = total;
        total += (p.numel() + kAlignment - 1) / kAlignment * kAlignment;
        numel += p.numel();
      }
    };
    place(true);
    close_bucket(kAlignment * ranks);
    matrices = total;
    place(false);
  }
  const Parameter& operator[](const std::string& name) const {
    for (const Parameter& p : parameters)
      if (p.name == name) return p;
    throw std::logic_error("no parameter " + name);
  }

 private:
  void close_bucket(std::int64_t alignment) {
    total = (total + alignment - 1) / alignment * alignment;
    if (!buckets.empty()) buckets.back().numel = total - buckets.back().at;
  }
  void open_bucket(std::int64_t layer, std::int64_t alignment) {
    close_bucket(alignment);
    buckets.push_back({layer, total, 0});
  }
};

// What the ranks share out: moments and master weights of matrices (ZeRO-1), or their weights and gradients too (ZeRO-3).
enum class Shard { moments, weights };

// The elements that a rank keeps, and where they lie. Of vectors each rank keeps all.
struct Share {
  static constexpr std::size_t kBuffers = 3;

  bool sharded;                    // weights and gradients too
  std::vector<std::int64_t> part;   // elements of this rank's part of each bucket
  std::vector<std::int64_t> first;  // the part's first element, as in the layout
  std::vector<std::int64_t> state;  // where it lies in buffers of `local` elements, behind which are the vectors
  std::vector<std::int64_t> at;     // where it lies in buffers of `kept` elements
  std::int64_t matrices = 0, local = 0;  // of master weights and moments: parts, and all
  std::int64_t vectors_at = 0, kept = 0;  // of weights and gradients: where the vectors begin, and all
  // Sharded weights are whole only while their layer is at work: layers take turns in two buffers, the embeddings and a head of its own in the third.
  std::int64_t buffers[kBuffers] = {};  // elements

  Share(const Layout& layout, Shard shard, int rank, int ranks) : sharded(shard == Shard::weights && ranks > 1) {
    for (const Bucket& b : layout.buckets) {
      part.push_back(b.numel / ranks);
      first.push_back(b.at + part.back() * rank);
      state.push_back(matrices);
      at.push_back(sharded ? matrices : first.back());
      matrices += part.back();
      if (sharded) buffers[buffer(layout, b)] = std::max(buffers[buffer(layout, b)], b.numel);
    }
    vectors_at = sharded ? matrices : layout.matrices;
    local = matrices + layout.total - layout.matrices;
    kept = vectors_at + layout.total - layout.matrices;
  }
  static std::size_t buffer(const Layout& layout, const Bucket& b) {
    const bool of_a_layer = b.layer >= 0 && b.layer < layout.layers;
    return of_a_layer ? static_cast<std::size_t>(b.layer % 2) : kBuffers - 1;
  }
};

// Buffers of all parameters in the memory of the stream, in the places of a layout.
struct Weights {
  const Layout& layout;
  adj_dtype type, master;
  std::vector<std::byte*> values;     // of each bucket: its elements, type
  std::vector<std::byte*> gradients;  // of each bucket: its elements, master
  std::byte* vector_copies;     // [total - matrices] type: the vectors
  std::byte* vector_values;     // [total - matrices] master
  std::byte* vector_gradients;  // [total - matrices] master
  std::byte* losses;            // [chunks of the head] master

  void* value(const std::string& name) const {
    const Parameter& p = layout[name];
    return p.matrix ? at(values[p.bucket], within(p), type) : at(vector_copies, within(p), type);
  }
  void* norm(const std::string& name) const { return at(vector_values, within(layout[name]), master); }
  void* gradient(const std::string& name) const {
    const Parameter& p = layout[name];
    return at(p.matrix ? gradients[p.bucket] : vector_gradients, within(p), master);
  }
  static void* at(void* base, std::int64_t element, adj_dtype type) {
    return static_cast<std::byte*>(base) + static_cast<std::uint64_t>(element) * size_of(type);
  }

 private:
  std::int64_t within(const Parameter& p) const { return p.at - (p.matrix ? layout.buckets[p.bucket].at : layout.matrices); }
};

}  // namespace gpt
