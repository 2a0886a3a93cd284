// Weights in files of safetensors, under the names that transformers of Hugging Face has for those of GPT-2 and Llama.
// A file begins with the length of its header in 64 bits. The header is JSON: type, shape and bytes of each tensor. The bytes of all tensors follow.
#pragma once

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <filesystem>
#include <map>
#include <nlohmann/json.hpp>
#include <set>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "base/dtype.hpp"
#include "base/file.hpp"
#include "checkpoint.hpp"
#include "text.hpp"

namespace gpt {

// Rows of a parameter under their name elsewhere.
struct NamedTensor {
  std::string name;
  const Parameter* parameter;
  std::int64_t row, rows;
  bool transposed;  // stored as [columns, rows]

  std::vector<std::int64_t> shape() const {
    if (parameter->rows == 1) return {parameter->columns};
    return transposed ? std::vector{parameter->columns, rows} : std::vector{rows, parameter->columns};
  }
  std::int64_t numel() const { return rows * parameter->columns; }
  // Place in the parameter of element i as stored.
  std::int64_t place(std::int64_t i) const {
    const std::int64_t columns = parameter->columns;
    return transposed ? (row + i % rows) * columns + i / rows : row * columns + i;
  }
};

// In the order of the parameters. The rows that pad the vocabulary are in none.
inline std::vector<NamedTensor> named_tensors(const Config& c, const Layout& layout) {
  std::vector<NamedTensor> list;
  auto part = [&](std::string name, const std::string& own, std::int64_t row, std::int64_t rows) {
    list.push_back({std::move(name), &layout[own], row, rows, false});
  };
  auto whole = [&](std::string name, const std::string& own) { part(std::move(name), own, 0, layout[own].rows); };
  const bool gpt2 = c.family == Family::gpt2;
  part(gpt2 ? "wte.weight" : "model.embed_tokens.weight", "wte", 0, c.vocabulary);
  if (gpt2) whole("wpe.weight", "wpe");
  auto norm = [&](const std::string& name, const std::string& own) {
    whole(name + ".weight", own + ".w");
    if (gpt2) whole(name + ".bias", own + ".b");
  };
  for (std::int64_t l = 0; l < c.layers; ++l) {
    const std::string own = fmt::format("{}.", l), name = gpt2 ? fmt::format("h.{}.", l) : fmt::format("model.layers.{}.", l);
    // transformers has GPT-2's matrices as [inputs, outputs].
    auto linear = [&](const std::string& module, const std::string& of) {
      whole(name + module + ".weight", own + of + ".w");
      list.back().transposed = true;
      whole(name + module + ".bias", own + of + ".b");
    };
    norm(name + (gpt2 ? "ln_1" : "input_layernorm"), own + "norm1");
    if (gpt2) {
      linear("attn.c_attn", "qkv");
      linear("attn.c_proj", "proj");
    } else {
      const std::int64_t kv = c.kv_heads * c.head_dim;
      part(name + "self_attn.q_proj.weight", own + "qkv.w", 0, c.q_width());
      part(name + "self_attn.k_proj.weight", own + "qkv.w", c.q_width(), kv);
      part(name + "self_attn.v_proj.weight", own + "qkv.w", c.q_width() + kv, kv);
      for (const char* of : {"q_norm", "k_norm"})
        if (c.qk_norm) norm(fmt::format("{}self_attn.{}", name, of), own + of);
      whole(name + "self_attn.o_proj.weight", own + "proj.w");
    }
    norm(name + (gpt2 ? "ln_2" : "post_attention_layernorm"), own + "norm2");
    if (gpt2) {
      linear("mlp.c_fc", "up");
      linear("mlp.c_proj", "down");
    } else {
      part(name + "mlp.gate_proj.weight", own + "up.w", 0, c.hidden);
      part(name + "mlp.up_proj.weight", own + "up.w", c.hidden, c.hidden);
      whole(name + "mlp.down_proj.weight", own + "down.w");
    }
  }
  norm(gpt2 ? "ln_f" : "model.norm", "norm");
  if (!c.tied) part("lm_head.weight", "head.w", 0, c.vocabulary);
  return list;
}

// A file that is read.
class SafeTensors {
 public:
  struct Tensor {
    std::string type;
    std::vector<std::int64_t> shape;
    std::string_view bytes;

    // Element i of a type that dtype_of knows.
    double element(std::int64_t i) const {
      double value = 0;
      adj::with_float(dtype_of(type), [&](auto* of) {
        std::remove_pointer_t<decltype(of)> stored;
        std::memcpy(&stored, bytes.data() + static_cast<std::size_t>(i) * sizeof stored, sizeof stored);
        value = adj::to_double(stored);
      });
      return value;
    }
  };

  // Throws std::runtime_error unless the file is one of safetensors.
  explicit SafeTensors(const std::string& path) : SafeTensors(bytes_of(path), path) {}
  // From the bytes of a file; the name is for errors.
  SafeTensors(std::string bytes, std::string name) : path_(std::move(name)), image_(std::move(bytes)) {
    constexpr std::uint64_t kMostHeader = 100'000'000;  // as the package has it
    std::uint64_t length = 0;
    if (image_.size() >= sizeof length) std::memcpy(&length, image_.data(), sizeof length);
    if (image_.size() < sizeof length || length > image_.size() - sizeof length) refuse("is no file of safetensors: it ends within its header");
    if (length > kMostHeader) refuse(fmt::format("is no file of safetensors: its header has {} bytes, more than {}", length, kMostHeader));
    const auto header =
        nlohmann::json::parse(image_.begin() + sizeof length, image_.begin() + static_cast<std::ptrdiff_t>(sizeof length + length), nullptr, false);
    if (!header.is_object()) refuse("is no file of safetensors: its header is no JSON object");
    const std::string_view data = std::string_view(image_).substr(sizeof length + length);
    for (const auto& [tensor, entry] : header.items())
      if (tensor != "__metadata__") tensors_[tensor] = tensor_of(tensor, entry, data);
    check_places(data);
  }

  const std::map<std::string, Tensor>& tensors() const { return tensors_; }
  [[noreturn]] void refuse(const std::string& why) const { throw std::runtime_error(printable(fmt::format("'{}' {}", path_, why))); }

  static adj_dtype dtype_of(const std::string& type) {
    return type == "F32" ? ADJ_F32 : type == "F64" ? ADJ_F64 : type == "F16" ? ADJ_F16 : type == "BF16" ? ADJ_BF16 : ADJ_DTYPE_NONE;
  }

 private:
  static std::string bytes_of(const std::string& path) {
    auto bytes = adj::read_file(path);
    if (!bytes) throw std::runtime_error(bytes.error().message);
    return std::move(*bytes);
  }

  // Numbers of an entry, which are integers of at least 0 and nothing else that JSON could turn into one.
  std::vector<std::uint64_t> numbers(const std::string& name, const nlohmann::json& entry, const char* key) const {
    const auto list = entry.find(key);
    std::vector<std::uint64_t> values;
    if (list == entry.end() || !list->is_array()) refuse(fmt::format("is damaged: {} has no list {}", name, key));
    for (const auto& value : *list) {
      if (!value.is_number_unsigned()) refuse(fmt::format("is damaged: {} of {} has {}", key, name, value.dump()));
      values.push_back(value.get<std::uint64_t>());
    }
    return values;
  }

  Tensor tensor_of(const std::string& name, const nlohmann::json& entry, std::string_view data) const {
    Tensor t;
    if (!entry.is_object() || !entry.contains("dtype") || !entry["dtype"].is_string()) refuse(fmt::format("is damaged: {} has no dtype", name));
    t.type = entry["dtype"].get<std::string>();
    const auto shape = numbers(name, entry, "shape"), place = numbers(name, entry, "data_offsets");
    std::uint64_t numel = 1;
    for (const std::uint64_t n : shape) {
      if (n > std::uint64_t{1} << 62 || __builtin_mul_overflow(numel, n, &numel)) refuse(fmt::format("is damaged: {} has the shape {}", name, shape));
      t.shape.push_back(static_cast<std::int64_t>(n));
    }
    if (place.size() != 2 || place[0] > place[1] || place[1] > data.size())
      refuse(fmt::format("is damaged: {} has the bytes {}, and the file has {} behind its header", name, place, data.size()));
    t.bytes = data.substr(place[0], place[1] - place[0]);
    if (const adj_dtype type = dtype_of(t.type)) {
      std::uint64_t bytes = size_of(type);
      if (__builtin_mul_overflow(bytes, numel, &bytes)) refuse(fmt::format("is damaged: {} has the shape {}", name, shape));
      if (bytes != t.bytes.size())
        refuse(fmt::format("is damaged: {} has {} bytes, and its shape {} of {} takes {}", name, t.bytes.size(), t.shape, t.type, bytes));
    }
    return t;
  }

  // Tensors lie one behind the other and fill the file: no byte is of two, and none of none.
  void check_places(std::string_view data) const {
    std::vector<std::pair<std::size_t, const std::pair<const std::string, Tensor>*>> order;
    for (const auto& entry : tensors_) order.emplace_back(static_cast<std::size_t>(entry.second.bytes.data() - data.data()), &entry);
    std::sort(order.begin(), order.end(), [](const auto& a, const auto& b) {
      return std::pair(a.first, a.second->second.bytes.size()) < std::pair(b.first, b.second->second.bytes.size());
    });
    std::size_t end = 0;
    for (const auto& [begin, entry] : order) {
      if (begin != end) refuse(fmt::format("is damaged: {} begins at byte {}, and the tensor before it ends at {}", entry->first, begin, end));
      end += entry->second.bytes.size();
    }
    if (end != data.size()) refuse(fmt::format("is damaged: its tensors have {} bytes, and the file {} behind its header", end, data.size()));
  }

  std::string path_, image_;
  std::map<std::string, Tensor> tensors_;
};

// Throws std::runtime_error where the text of a config.json of transformers says that its weights are of a model that this program does not compute.
inline void check_configuration(const std::string& text, const std::string& path, const Config& c) {
  const auto facts = nlohmann::json::parse(text, nullptr, false);
  if (!facts.is_object()) throw std::runtime_error(fmt::format("'{}' is no JSON object", path));
  auto refuse = [&](const std::string& key, const nlohmann::json& has, const std::string& takes) {
    throw std::runtime_error(printable(fmt::format("'{}': {} is {}; the weights are taken for {}", path, key, has.dump(), takes)));
  };
  auto number = [&](const nlohmann::json& of, const char* key, double takes) {
    if (const auto at = of.find(key); at != of.end() && !at->is_null())
      if (!at->is_number() || std::fabs(at->get<double>() - takes) > 1e-9 * takes) refuse(key, *at, fmt::format("{}", takes));
  };
  auto word = [&](const nlohmann::json& of, const char* key, const std::set<std::string>& takes) {
    if (const auto at = of.find(key); at != of.end() && !at->is_null())
      if (!at->is_string() || !takes.contains(at->get<std::string>())) refuse(key, *at, fmt::format("{}", fmt::join(takes, " or ")));
  };
  if (c.family == Family::gpt2) {
    number(facts, "n_head", static_cast<double>(c.heads));
    number(facts, "layer_norm_epsilon", kEpsilon);
    word(facts, "activation_function", {"gelu_new", "gelu_pytorch_tanh"});
    constexpr const char* kScaled = "scale_attn_by_inverse_layer_idx";
    if (const auto at = facts.find(kScaled); at != facts.end() && *at != false) refuse(kScaled, *at, "false");
    return;
  }
  number(facts, "num_attention_heads", static_cast<double>(c.heads));
  number(facts, "num_key_value_heads", static_cast<double>(c.kv_heads));
  number(facts, "head_dim", static_cast<double>(c.head_dim));
  number(facts, "rms_norm_eps", kEpsilon);
  word(facts, "hidden_act", {"silu"});
  number(facts, "rope_theta", kRopeBase);
  for (const char* key : {"rope_scaling", "rope_parameters"}) {
    const auto at = facts.find(key);
    if (at == facts.end() || at->is_null()) continue;
    if (!at->is_object()) refuse(key, *at, "null");
    number(*at, "rope_theta", kRopeBase);
    word(*at, "rope_type", {"default"});
    word(*at, "type", {"default"});
  }
}

// The same of the file that lies beside weights, if there is one.
inline void check_beside(const std::string& weights, const Config& c) {
  const std::string path = (std::filesystem::path(weights).parent_path() / "config.json").string();
  if (!std::filesystem::exists(path)) return;
  const auto text = adj::read_file(path);
  if (!text) throw std::runtime_error(text.error().message);
  check_configuration(*text, path, c);
}

// Sets the weights of a checkpoint from a file. Throws std::runtime_error where the file lacks a tensor, or has one of another shape, or one that the model
// does not have.
inline void read_safetensors(const std::string& path, const Config& c, Checkpoint& to) {
  check_beside(path, c);
  const SafeTensors file(path);
  const auto& tensors = file.tensors();
  const Layout layout(c);
  const std::string prefix = tensors.contains("transformer.wte.weight") ? "transformer." : "";
  std::set<std::string> used;
  for (const NamedTensor& own : named_tensors(c, layout)) {
    const std::string name = prefix + own.name;
    const auto found = tensors.find(name);
    if (found == tensors.end()) file.refuse(fmt::format("has no tensor {}", name));
    const SafeTensors::Tensor& tensor = found->second;
    if (const auto shape = own.shape(); tensor.shape != shape)
      file.refuse(tensor.shape == std::vector(shape.rbegin(), shape.rend())
                      ? fmt::format("has {} transposed: its shape is {}, not {}, as another program than transformers stores it", name, tensor.shape, shape)
                      : fmt::format("is of another model: {} has the shape {}, not {}", name, tensor.shape, shape));
    used.insert(name);
    std::byte* const values = to.values(Checkpoint::kWeights, *own.parameter);
    if (!SafeTensors::dtype_of(tensor.type)) file.refuse(fmt::format("has {} as {}; F64, F32, F16 and BF16 are known", name, tensor.type));
    adj::with_float(c.master(), [&](auto* into) {
      for (std::int64_t i = 0; i < own.numel(); ++i) {
        const auto value = adj::from_double<std::remove_pointer_t<decltype(into)>>(tensor.element(i));
        std::memcpy(values + static_cast<std::size_t>(own.place(i)) * sizeof value, &value, sizeof value);
      }
    });
  }
  const bool gpt2 = c.family == Family::gpt2;
  const std::string_view embedding = tensors.at(prefix + (gpt2 ? "wte.weight" : "model.embed_tokens.weight")).bytes;
  for (const auto& [name, tensor] : tensors) {
    if (used.contains(name)) continue;
    // Masks and frequencies, which older versions of transformers store; and the embedding once more, where it is the head as well.
    if (gpt2 && (name.ends_with(".attn.bias") || name.ends_with(".attn.masked_bias"))) continue;
    if (!gpt2 && name.ends_with(".rotary_emb.inv_freq")) {
      constexpr double kSlack = 0.01;  // more than 16 bits round by
      bool same = SafeTensors::dtype_of(tensor.type) && tensor.shape == std::vector{c.head_dim / 2};
      for (std::int64_t i = 0; same && i < c.head_dim / 2; ++i) {
        const double frequency = std::pow(kRopeBase, -2.0 * static_cast<double>(i) / static_cast<double>(c.head_dim));
        same = std::fabs(tensor.element(i) - frequency) <= kSlack * frequency;
      }
      if (same) continue;
      file.refuse(fmt::format("has frequencies {} that are not those of the base {}", name, kRopeBase));
    }
    const bool head = c.tied && name == "lm_head.weight";
    if (head && tensor.bytes == embedding) continue;
    file.refuse(fmt::format("has a tensor {}, which the model does not{}", name, head ? ": it is not that of the embedding" : ""));
  }
}

// Writes the weights of a checkpoint: f32, of a training in f64 f64. Throws std::runtime_error.
inline void write_safetensors(const std::string& path, const Config& c, Checkpoint& from) {
  const Layout layout(c);
  const std::vector<NamedTensor> list = named_tensors(c, layout);
  const std::uint64_t size = size_of(c.master());
  nlohmann::ordered_json header = {{"__metadata__", {{"format", "pt"}}}};  // without it transformers refuses the file
  std::uint64_t bytes = 0;
  for (const NamedTensor& t : list) {
    const std::uint64_t begin = bytes;
    bytes += static_cast<std::uint64_t>(t.numel()) * size;
    header[t.name] = {{"dtype", c.master() == ADJ_F64 ? "F64" : "F32"}, {"shape", t.shape()}, {"data_offsets", {begin, bytes}}};
  }
  std::string text = header.dump();
  text.resize((text.size() + 7) / 8 * 8, ' ');  // the bytes of tensors begin at a multiple of 8
  const std::uint64_t length = text.size();
  std::string image(sizeof length + text.size() + bytes, '\0');
  std::memcpy(image.data(), &length, sizeof length);
  std::memcpy(image.data() + sizeof length, text.data(), text.size());
  char* to = image.data() + sizeof length + text.size();
  for (const NamedTensor& t : list) {
    const std::byte* const values = from.values(Checkpoint::kWeights, *t.parameter);
    for (std::int64_t i = 0; i < t.numel(); ++i, to += size) std::memcpy(to, values + static_cast<std::uint64_t>(t.place(i)) * size, size);
  }
  if (auto done = adj::write_file(path, image, 0666); !done) throw std::runtime_error(done.error().message);
}

}  // namespace gpt
