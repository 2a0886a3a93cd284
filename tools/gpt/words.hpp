// Text split into words as byte-level tokenizers do before they merge bytes: by the patterns of GPT-2 and of Llama 3.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <iterator>
#include <string_view>

#include "characters.gen.hpp"
#include "text.hpp"

namespace gpt {

// Patterns by which files name a split; any other is not known. In both the first alternative that matches at a place wins.
enum class WordPattern { gpt2, llama3 };
constexpr std::string_view kGpt2Pattern = R"('s|'t|'re|'ve|'m|'ll|'d| ?\p{L}+| ?\p{N}+| ?[^\s\p{L}\p{N}]+|\s+(?!\S)|\s+)";
constexpr std::string_view kLlama3Pattern =
    R"((?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}{1,3}| ?[^\s\p{L}\p{N}]+[\r\n]*|\s*[\r\n]+|\s+(?!\S)|\s+)";

class Words {
 public:
  Words(std::string_view text, WordPattern pattern) : text_(text), pattern_(pattern) {}

  // The next word; "" at the end. Bytes that are no UTF-8 are symbols of their own.
  std::string_view next() {
    const std::size_t begin = at_;
    if (begin < text_.size()) at_ = pattern_ == WordPattern::gpt2 ? gpt2(begin) : llama3(begin);
    return text_.substr(begin, at_ - begin);
  }

 private:
  enum class Kind { end, letter, number, space, symbol };
  struct Character {
    Kind kind;
    std::size_t next;  // place behind it
    std::uint32_t value;
    bool breaks() const { return value == '\r' || value == '\n'; }
  };
  template <std::size_t N>
  static bool within(const CodeRange (&ranges)[N], std::uint32_t value) {
    const CodeRange* after = std::upper_bound(std::begin(ranges), std::end(ranges), value, [](std::uint32_t v, const CodeRange& r) { return v < r.first; });
    return after != std::begin(ranges) && value <= std::prev(after)->last;
  }
  static Kind kind_of(std::uint32_t value) {
    if (value == CodePoint::kNoText) return Kind::symbol;
    if ((value >= 9 && value <= 13) || value == 32 || value == 0x85 || value == 0xA0 || value == 0x1680 || (value >= 0x2000 && value <= 0x200A) ||
        value == 0x2028 || value == 0x2029 || value == 0x202F || value == 0x205F || value == 0x3000)
      return Kind::space;
    return within(kLetters, value) ? Kind::letter : within(kNumbers, value) ? Kind::number : Kind::symbol;
  }
  Character character(std::size_t at) const {
    if (at >= text_.size()) return {Kind::end, at, CodePoint::kNoText};
    const CodePoint c = code_point(text_, at);
    return {kind_of(c.value), at + c.bytes, c.value};
  }
  // Place behind the characters of a kind from `at` on, at most `most` of them.
  std::size_t run(std::size_t at, Kind kind, std::size_t most = std::string_view::npos) const {
    for (Character c = character(at); most > 0 && c.kind == kind; c = character(at)) at = c.next, --most;
    return at;
  }
  // Place behind 's, 't, 're, 've, 'm, 'll or 'd, or `at` where there is none.
  std::size_t contraction(std::size_t at, bool any_case) const {
    if (text_[at] != '\'') return at;
    const auto letter = [&](std::size_t place) -> Character {
      Character c = character(place);
      if (any_case && c.value >= 'A' && c.value <= 'Z') c.value += 'a' - 'A';
      if (any_case && c.value == 0x17F) c.value = 's';  // the long s
      return c;
    };
    const Character first = letter(at + 1), second = letter(first.next);
    if (first.value == 's' || first.value == 't' || first.value == 'm' || first.value == 'd') return first.next;
    const bool two = (first.value == 'r' && second.value == 'e') || (first.value == 'v' && second.value == 'e') || (first.value == 'l' && second.value == 'l');
    return two ? second.next : at;
  }
  // White space: all of it at the end of the text, else all but its last character, which begins the next word, where there are several.
  std::size_t spaces(std::size_t at) const {
    std::size_t last = at, end = at;
    for (Character c = character(at); c.kind == Kind::space; c = character(end)) last = end, end = c.next;
    return character(end).kind == Kind::end || last == at ? end : last;
  }

  std::size_t gpt2(std::size_t at) const {
    if (const std::size_t end = contraction(at, false); end > at) return end;
    const std::size_t body = text_[at] == ' ' ? at + 1 : at;
    for (const Kind kind : {Kind::letter, Kind::number, Kind::symbol})
      if (const std::size_t end = run(body, kind); end > body) return end;
    return spaces(at);
  }

  std::size_t llama3(std::size_t at) const {
    if (const std::size_t end = contraction(at, true); end > at) return end;
    const Character first = character(at);
    // A letter, or any one character before letters but for a number and a line's end.
    const std::size_t letters = first.kind == Kind::letter || first.kind == Kind::number || first.breaks() ? at : first.next;
    if (const std::size_t end = run(letters, Kind::letter); end > letters) return end;
    if (first.kind == Kind::number) return run(at, Kind::number, 3);
    const std::size_t body = text_[at] == ' ' ? at + 1 : at;
    if (std::size_t end = run(body, Kind::symbol); end > body) {
      while (character(end).breaks()) ++end;
      return end;
    }
    // Up to the last end of a line in white space.
    std::size_t end = at, broken = at;
    for (Character c = first; c.kind == Kind::space; c = character(end)) {
      end = c.next;
      if (c.breaks()) broken = end;
    }
    return broken > at ? broken : spaces(at);
  }

  std::string_view text_;
  WordPattern pattern_;
  std::size_t at_ = 0;
};

}  // namespace gpt
