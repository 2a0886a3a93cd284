// Files that tools/gpt takes from others: weights, their configuration, tokens and tokenizers. The first byte says which one the others are. What is no such
// file is refused by a std::runtime_error; any other exception ends the target.
#include <cstdlib>
#include <string>

#include "gpt/data.hpp"
#include "gpt/safetensors.hpp"

namespace {

using namespace gpt;

void require(bool holds) {
  if (!holds) std::abort();
}

// Files of safetensors: every element of every tensor of a known type is in the file.
void weights(const std::string& bytes) {
  const SafeTensors file(bytes, "fuzz");
  for (const auto& [name, tensor] : file.tensors()) {
    if (!SafeTensors::dtype_of(tensor.type)) continue;
    std::int64_t numel = 1;
    for (const std::int64_t n : tensor.shape) numel *= n;
    require(static_cast<std::uint64_t>(numel) * size_of(SafeTensors::dtype_of(tensor.type)) == tensor.bytes.size());
    for (std::int64_t i = 0; i < numel; ++i) static_cast<void>(tensor.element(i));
  }
}

void configuration(const std::string& bytes) {
  for (const Family family : {Family::gpt2, Family::llama}) {
    Config config;
    config.family = family;
    check_configuration(bytes, "fuzz", config);
  }
}

void token_files(const std::string& bytes) {
  constexpr std::int64_t kVocabulary = 100;
  const StoredTokens tokens = tokens_of(bytes, "fuzz", kVocabulary, nullptr);
  for (std::int64_t i = 0; i < tokens.count; ++i) require(tokens[i] >= 0 && tokens[i] < kVocabulary);
}

// A text becomes tokens of the vocabulary, which become the text.
void both_ways(const Tokenizer& tokenizer, const std::string& text) {
  const Tokens tokens = tokenizer.encode(text);
  for (const std::int32_t token : tokens) require(token >= 0 && token < tokenizer.size());
  require(tokenizer.decode(tokens) == text);
}

// What stands before and behind the first byte 0.
std::pair<std::string, std::string> halves(const std::string& bytes) {
  const std::size_t zero = std::min(bytes.find('\0'), bytes.size());
  return {bytes.substr(0, zero), bytes.substr(std::min(zero + 1, bytes.size()))};
}

// A tokenizer.json that is good, with changes (RFC 7396), and a text. Few inputs have a vocabulary of 256 bytes of their own.
void changed_tokenizer(const std::string& bytes) {
  static const nlohmann::json good = [] {
    nlohmann::json vocabulary;
    std::uint32_t next = 0x100;
    for (std::uint32_t byte = 0; byte < 256; ++byte) {
      const bool itself = (byte > 0x20 && byte < 0x7F) || (byte > 0xA0 && byte != 0xAD);
      const std::uint32_t c = itself ? byte : next++;
      vocabulary[c < 0x80 ? std::string(1, static_cast<char>(c)) : std::string{static_cast<char>(0xC0 | c >> 6), static_cast<char>(0x80 | (c & 0x3F))}] = byte;
    }
    for (const char* token : {"th", "the", "aa", "aaaa"}) vocabulary[token] = vocabulary.size();
    return nlohmann::json{{"model", {{"type", "BPE"}, {"vocab", vocabulary}, {"merges", {"t h", "th e", "a a", "aa aa"}}}},
                          {"pre_tokenizer", {{"type", "ByteLevel"}, {"add_prefix_space", false}}}};
  }();
  const auto [changes, text] = halves(bytes);
  const auto patch = nlohmann::json::parse(changes, nullptr, false);
  nlohmann::json file = good;
  if (patch.is_object()) file.merge_patch(patch);
  both_ways(Tokenizer(file.dump(), "fuzz"), text);
}

// A tokenizer file of llm.c with a token for each byte and others behind them, and a text.
void longer_tokenizer(const std::string& bytes) {
  const auto [others, text] = halves(bytes);
  std::uint32_t count = 256;
  for (std::size_t at = 0; at < others.size(); at += 1 + static_cast<unsigned char>(others[at])) ++count;
  const std::uint32_t header[256] = {20240328, 2, count, count - 1};
  std::string file(reinterpret_cast<const char*>(header), sizeof header);
  for (int byte = 0; byte < 256; ++byte) file += {'\1', static_cast<char>(byte)};
  both_ways(Tokenizer(file + others, "fuzz"), text);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size == 0) return 0;
  const std::string bytes(reinterpret_cast<const char*>(data) + 1, size - 1);
  try {
    switch (data[0]) {
      case 'w': weights(bytes); break;
      case 'c': configuration(bytes); break;
      case 't': token_files(bytes); break;
      case 'j': changed_tokenizer(bytes); break;
      case 'b': longer_tokenizer(bytes); break;
      case 'r': both_ways(Tokenizer(bytes, "fuzz"), bytes); break;
      default: break;
    }
  } catch (const std::runtime_error&) {}
  return 0;
}
