// A tokenizer from a file: byte-level BPE, as tokenizer.json of Hugging Face's tokenizers has it, or the tokenizer file of llm.c. The files are untrusted: what
// is not understood is refused.
#pragma once

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstring>
#include <nlohmann/json.hpp>
#include <queue>
#include <stdexcept>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "base/file.hpp"
#include "words.hpp"

namespace gpt {

class Tokenizer {
 public:
  // Throws std::runtime_error unless the file is a tokenizer that is understood and has as many tokens as the vocabulary.
  Tokenizer(const std::string& file, std::int64_t vocabulary) : Tokenizer(bytes_of(file), file) {
    if (size() != vocabulary)
      refuse(fmt::format("has {} tokens, and the vocabulary of the model {}: --vocabulary {} makes a model of that size", size(), vocabulary, size()));
  }
  // From the bytes of a file; the name is for errors.
  Tokenizer(std::string_view bytes, std::string name) : name_(std::move(name)) {
    std::uint32_t magic = 0;
    if (bytes.size() >= sizeof magic) std::memcpy(&magic, bytes.data(), sizeof magic);
    if (magic == kMagic) read_binary(bytes);
    else if (bytes.find_first_not_of(" \t\r\n") != std::string_view::npos && bytes[bytes.find_first_not_of(" \t\r\n")] == '{') read_json(bytes);
    else refuse("is neither a tokenizer.json of Hugging Face's tokenizers nor a tokenizer file of llm.c");
    for (std::size_t i = 0; i < added_.size(); ++i) by_length_.push_back(i);
    std::sort(by_length_.begin(), by_length_.end(),
              [&](std::size_t a, std::size_t b) { return std::pair(added_[b].text.size(), a) < std::pair(added_[a].text.size(), b); });
  }

  std::int64_t size() const { return static_cast<std::int64_t>(tokens_.size()); }

  // Tokens of a text, without any that stand for its beginning or end. Throws where the file serves for decoding only.
  std::vector<std::int32_t> encode(std::string_view text) const {
    if (!unable_.empty()) refuse(unable_);
    Encoding to;
    encode_between(text, 0, to);
    return std::move(to.tokens);
  }

  // The bytes of tokens, each of which is at least 0 and below size().
  std::string decode(const std::vector<std::int32_t>& tokens) const {
    std::string text;
    for (const std::int32_t token : tokens) text += tokens_[static_cast<std::size_t>(token)];
    return text;
  }

 private:
  static constexpr std::uint32_t kMagic = 20240328;
  struct Merge {
    std::int32_t rank, token;
  };
  // A token that stands for itself in a text. Those that a normalizer does not touch are looked for first.
  struct Added {
    std::string text;
    std::int32_t token;
    bool normalized;
  };
  struct Encoding {
    std::vector<std::int32_t> tokens;
    std::unordered_map<std::string, std::vector<std::int32_t>> words;  // that were merged before
  };

  static std::string bytes_of(const std::string& file) {
    auto bytes = adj::read_file(file);
    if (!bytes) throw std::runtime_error(bytes.error().message);
    return std::move(*bytes);
  }
  [[noreturn]] void refuse(const std::string& why) const { throw std::runtime_error(fmt::format("the tokenizer '{}' {}", name_, why)); }
  static std::uint64_t pair(std::int32_t left, std::int32_t right) {
    return static_cast<std::uint64_t>(static_cast<std::uint32_t>(left)) << 32 | static_cast<std::uint32_t>(right);
  }

  // ---- encoding

  // The text in front of, between and behind added tokens. level 0: those that are not normalized; 1: the others; 2: none.
  void encode_between(std::string_view text, int level, Encoding& to) const {
    if (level == 2) {
      Words words(text, pattern_);
      for (std::string_view word = words.next(); !word.empty(); word = words.next()) encode_word(word, to);
      return;
    }
    std::array<bool, 256> begins{};
    for (const Added& a : added_) begins[static_cast<unsigned char>(a.text[0])] |= a.normalized == (level == 1);
    std::size_t begin = 0;
    for (std::size_t at = 0; at < text.size(); ++at) {
      if (!begins[static_cast<unsigned char>(text[at])]) continue;
      for (const std::size_t i : by_length_) {
        const Added& a = added_[i];
        if (a.normalized != (level == 1) || !text.substr(at).starts_with(a.text)) continue;
        encode_between(text.substr(begin, at - begin), level + 1, to);
        to.tokens.push_back(a.token);
        begin = at + a.text.size();
        at = begin - 1;
        break;
      }
    }
    encode_between(text.substr(begin), level + 1, to);
  }

  void encode_word(std::string_view word, Encoding& to) const {
    constexpr std::size_t kMostKept = 64, kMostWords = std::size_t{1} << 20;
    if (whole_words_)
      if (const auto known = by_text_.find(std::string(word)); known != by_text_.end()) return to.tokens.push_back(known->second);
    if (word.size() > kMostKept) return merge(word, to.tokens);
    auto found = to.words.find(std::string(word));
    if (found == to.words.end()) {
      if (to.words.size() == kMostWords) to.words.clear();
      found = to.words.emplace(word, std::vector<std::int32_t>{}).first;
      merge(word, found->second);
    }
    to.tokens.insert(to.tokens.end(), found->second.begin(), found->second.end());
  }

  // Begins with a token for each byte, and joins the neighbours of the least rank, the first of them, as long as there are some.
  void merge(std::string_view word, std::vector<std::int32_t>& to) const {
    struct Piece {
      std::int32_t token;
      std::size_t before, after;
    };
    constexpr std::size_t kNone = std::string_view::npos;
    std::vector<Piece> pieces;
    for (std::size_t i = 0; i < word.size(); ++i)
      pieces.push_back({byte_tokens_[static_cast<unsigned char>(word[i])], i == 0 ? kNone : i - 1, i + 1 < word.size() ? i + 1 : kNone});
    struct Candidate {
      std::int32_t rank;
      std::size_t at;
      std::uint64_t of;
      bool operator>(const Candidate& other) const { return std::pair(rank, at) > std::pair(other.rank, other.at); }
    };
    std::priority_queue<Candidate, std::vector<Candidate>, std::greater<>> candidates;
    auto consider = [&](std::size_t at) {
      if (at == kNone || pieces[at].after == kNone) return;
      const std::uint64_t of = pair(pieces[at].token, pieces[pieces[at].after].token);
      if (const auto found = merges_.find(of); found != merges_.end()) candidates.push({found->second.rank, at, of});
    };
    for (std::size_t i = 0; i < pieces.size(); ++i) consider(i);
    while (!candidates.empty()) {
      const Candidate best = candidates.top();
      candidates.pop();
      Piece& left = pieces[best.at];
      if (left.token < 0 || left.after == kNone || pair(left.token, pieces[left.after].token) != best.of) continue;  // joined with another meanwhile
      Piece& right = pieces[left.after];
      left.token = merges_.at(best.of).token;
      left.after = right.after;
      right.token = -1;
      if (left.after != kNone) pieces[left.after].before = best.at;
      consider(left.before);
      consider(best.at);
    }
    for (const Piece& piece : pieces)
      if (piece.token >= 0) to.push_back(piece.token);
  }

  // ---- reading

  // Tokens of single bytes, from tokens_. Returns why there is none, or "".
  std::string find_bytes() {
    for (std::size_t byte = 0; byte < byte_tokens_.size(); ++byte) {
      const auto found = by_text_.find(std::string(1, static_cast<char>(byte)));
      if (found == by_text_.end()) return fmt::format("has no token for the byte {}", byte);
      byte_tokens_[byte] = found->second;
    }
    return "";
  }

  // llm.c's file: 256 numbers, then length and bytes of each token. It has no merges: each token is the merge of two that come before it, as in GPT-2.
  void read_binary(std::string_view bytes) {
    std::uint32_t header[256] = {};
    if (bytes.size() < sizeof header) refuse("ends within its header");
    std::memcpy(header, bytes.data(), sizeof header);
    const std::uint32_t count = header[2], end_of_text = header[1] == 1 ? 50256 : header[3];
    if (header[1] != 1 && header[1] != 2) refuse(fmt::format("is of version {}; versions 1 and 2 are known", header[1]));
    if (count > bytes.size()) refuse(fmt::format("states {} tokens and has {} bytes", count, bytes.size()));
    if (end_of_text >= count) refuse(fmt::format("states the end of a text as token {}, and has {}", end_of_text, count));
    std::size_t at = sizeof header;
    for (std::uint32_t i = 0; i < count; ++i) {
      const std::size_t length = at < bytes.size() ? static_cast<unsigned char>(bytes[at]) : 0;
      if (length == 0 || at + 1 + length > bytes.size()) refuse(fmt::format("is cut short, or damaged, at token {} of {}", i, count));
      tokens_.emplace_back(bytes.substr(at + 1, length));
      at += 1 + length;
    }
    if (at != bytes.size()) refuse(fmt::format("has {} bytes behind its {} tokens", bytes.size() - at, count));
    for (std::uint32_t i = 0; i < count; ++i)
      if (i != end_of_text && !by_text_.emplace(tokens_[i], static_cast<std::int32_t>(i)).second) unable_ = fmt::format("has the token {} twice", i);
    added_.push_back({tokens_[end_of_text], static_cast<std::int32_t>(end_of_text), false});
    if (std::string why = find_bytes(); !why.empty()) unable_ = std::move(why);
    for (std::uint32_t i = 0; i < count && unable_.empty(); ++i) {
      if (i == end_of_text || tokens_[i].size() == 1) continue;
      std::vector<std::int32_t> two;
      merge(tokens_[i], two);
      if (two.size() == 2) merges_[pair(two[0], two[1])] = {static_cast<std::int32_t>(i), static_cast<std::int32_t>(i)};
      else unable_ = fmt::format("tells no merges by the order of its tokens, since token {} is not made of two before it: it decodes, but does not encode", i);
    }
  }

  // The byte that a character of a token stands for: printable ones for themselves, the others for U+0100 and on, in their order.
  static std::unordered_map<std::uint32_t, char> byte_characters() {
    std::unordered_map<std::uint32_t, char> bytes;
    std::uint32_t next = 0x100;
    for (std::uint32_t byte = 0; byte < 256; ++byte) {
      const bool itself = (byte >= 0x21 && byte <= 0x7E) || (byte >= 0xA1 && byte <= 0xAC) || byte >= 0xAE;
      bytes[itself ? byte : next++] = static_cast<char>(byte);
    }
    return bytes;
  }

  using Json = nlohmann::json;
  static const Json& member(const Json& of, const char* key) {
    static const Json kNull;
    if (!of.is_object()) return kNull;
    const auto at = of.find(key);
    return at == of.end() ? kNull : *at;
  }
  static bool is_word(const Json& value, std::string_view word) { return value.is_string() && value.get_ref<const std::string&>() == word; }
  // A value of the file in an error.
  static std::string shown(const Json& value) {
    std::string text = printable(value.dump());
    if (text.size() > 80) text = text.substr(0, 77) + "...";
    return text;
  }
  void expect(bool fine, const std::string& what, const Json& has, const std::string& known) const {
    if (!fine) refuse(fmt::format("has {} {}; known is {}", what, shown(has), known));
  }

  void read_json(std::string_view bytes) {
    const Json file = Json::parse(bytes, nullptr, false);
    if (!file.is_object()) refuse("is no JSON object");
    const Json &model = member(file, "model"), &vocabulary = member(model, "vocab"), &merges = member(model, "merges"), &added = member(file, "added_tokens");
    expect(is_word(member(model, "type"), "BPE"), "a model of the type", member(model, "type"), "BPE");
    expect(member(file, "normalizer").is_null(), "the normalizer", member(file, "normalizer"), "none");
    for (const char* key : {"continuing_subword_prefix", "end_of_word_suffix"})
      expect(member(model, key).is_null() || is_word(member(model, key), ""), key, member(model, key), "none");
    expect(member(model, "dropout").is_null(), "the dropout", member(model, "dropout"), "none");
    expect(member(model, "byte_fallback") != true, "byte_fallback", member(model, "byte_fallback"), "false: it is a tokenizer of characters, not of bytes");
    const Json& decoder = member(file, "decoder");
    expect(decoder.is_null() || is_word(member(decoder, "type"), "ByteLevel"), "the decoder", member(decoder, "type"), "ByteLevel");
    whole_words_ = member(model, "ignore_merges") == true;
    read_pattern(member(file, "pre_tokenizer"));
    if (!vocabulary.is_object() || !merges.is_array()) refuse("has a model without vocab and merges");
    if (!added.is_null() && !added.is_array()) refuse("has added_tokens that are no list");

    // Ids are those from 0 on, each one once.
    std::vector<const std::string*> names(vocabulary.size() + added.size());
    const std::size_t most = names.size();
    std::size_t count = 0;
    auto id_of = [&](const Json& id, const std::string& name) {
      if (!id.is_number_unsigned() || id.get<std::uint64_t>() >= most)
        refuse(fmt::format("gives the token {} the id {}; it has {} tokens", shown(name), shown(id), most));
      return id.get<std::size_t>();
    };
    auto take = [&](std::size_t id, const std::string& name) {
      if (names[id]) refuse(fmt::format("gives the id {} to {} and to {}", id, shown(*names[id]), shown(name)));
      names[id] = &name;
      ++count;
    };
    for (const auto& [name, id] : vocabulary.items()) take(id_of(id, name), vocabulary.find(name).key());
    for (const Json& token : added) {
      const Json& text = member(token, "content");
      if (!text.is_string() || text.get_ref<const std::string&>().empty()) refuse(fmt::format("has an added token without content: {}", shown(token)));
      const auto& content = text.get_ref<const std::string&>();
      for (const char* key : {"single_word", "lstrip", "rstrip"})
        if (member(token, key) == true) refuse(fmt::format("has the added token {} with {}, which is not known", shown(text), key));
      const std::size_t id = id_of(member(token, "id"), content);
      if (const auto known = vocabulary.find(content); known == vocabulary.end()) take(id, content);
      else if (*known != id) refuse(fmt::format("gives the token {} the ids {} and {}", shown(text), shown(*known), id));
      added_.push_back({content, static_cast<std::int32_t>(id), member(token, "normalized") == true});
    }
    for (std::size_t id = 0; id < count; ++id)
      if (!names[id]) refuse(fmt::format("has {} tokens, and none with the id {}", count, id));

    tokens_.resize(count);
    for (const Added& a : added_) tokens_[static_cast<std::size_t>(a.token)] = a.text;
    const auto byte_of = byte_characters();
    for (const auto& [name, id] : vocabulary.items()) {
      std::string text;
      bool of_bytes = true;
      for (std::size_t at = 0; of_bytes && at < name.size();) {
        const CodePoint c = code_point(name, at);
        const auto found = byte_of.find(c.value);
        of_bytes = found != byte_of.end();
        if (of_bytes) text += found->second;
        at += c.bytes;
      }
      std::string& own = tokens_[id.get<std::size_t>()];
      if (!own.empty()) continue;  // an added token stands for itself
      if (!of_bytes || text.empty()) refuse(fmt::format("has the token {}, which stands for no bytes: it is not byte-level", shown(name)));
      own = text;
      by_text_.emplace(std::move(text), id.get<std::int32_t>());
    }
    read_merges(merges, vocabulary);
    if (const std::string why = find_bytes(); !why.empty()) refuse(why);
  }

  void read_pattern(const Json& splitter) {
    const auto is_bytes = [](const Json& step, bool use_regex) {
      return is_word(member(step, "type"), "ByteLevel") && member(step, "add_prefix_space") == false && (member(step, "use_regex") != false) == use_regex;
    };
    if (is_bytes(splitter, true)) {
      pattern_ = WordPattern::gpt2;
      return;
    }
    const Json& steps = member(splitter, "pretokenizers");
    const bool two = is_word(member(splitter, "type"), "Sequence") && steps.is_array() && steps.size() == 2 && is_word(member(steps[0], "type"), "Split") &&
                     is_word(member(steps[0], "behavior"), "Isolated") && member(steps[0], "invert") == false && is_bytes(steps[1], false);
    expect(two, "the pre_tokenizer", splitter, "ByteLevel without add_prefix_space, alone or behind a Split");
    const Json& pattern = member(member(steps[0], "pattern"), "Regex");
    if (is_word(pattern, kGpt2Pattern)) pattern_ = WordPattern::gpt2;
    else if (is_word(pattern, kLlama3Pattern)) pattern_ = WordPattern::llama3;
    else refuse(fmt::format("splits words by the pattern {}; those of GPT-2 and of Llama 3 are known", shown(pattern)));
  }

  // Merges of two tokens, "a b" or ["a", "b"], in the order of their ranks.
  void read_merges(const Json& merges, const Json& vocabulary) {
    std::int32_t rank = 0;
    for (const Json& entry : merges) {
      std::string left, right;
      if (entry.is_array() && entry.size() == 2 && entry[0].is_string() && entry[1].is_string()) {
        left = entry[0].get<std::string>();
        right = entry[1].get<std::string>();
      } else if (entry.is_string()) {
        const auto& text = entry.get_ref<const std::string&>();
        const std::size_t space = text.find(' ');
        left = text.substr(0, space);
        right = space == std::string::npos ? "" : text.substr(space + 1);
      }
      const auto a = vocabulary.find(left), b = vocabulary.find(right), both = vocabulary.find(left + right);
      if (a == vocabulary.end() || b == vocabulary.end() || both == vocabulary.end())
        refuse(fmt::format("has the merge {}, whose parts or result are no tokens", shown(entry)));
      if (!merges_.emplace(pair(a->get<std::int32_t>(), b->get<std::int32_t>()), Merge{rank++, both->get<std::int32_t>()}).second)
        refuse(fmt::format("has the merge {} twice", shown(entry)));
    }
  }

  std::string name_;
  std::vector<std::string> tokens_;  // bytes of each
  std::unordered_map<std::string, std::int32_t> by_text_;  // without added tokens
  std::unordered_map<std::uint64_t, Merge> merges_;
  std::array<std::int32_t, 256> byte_tokens_{};
  std::vector<Added> added_;
  std::vector<std::size_t> by_length_;  // places in added_, the longest first
  WordPattern pattern_ = WordPattern::gpt2;
  bool whole_words_ = false;  // a word that is a token is taken without merges
  std::string unable_;  // why a file does not serve for encoding
};

}  // namespace gpt
