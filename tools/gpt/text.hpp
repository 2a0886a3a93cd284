// Text of others: UTF-8, and what of it a terminal is shown.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace gpt {

// One code point of UTF-8 and its length in bytes. What is no UTF-8 is one byte of the value kNoText.
struct CodePoint {
  static constexpr std::uint32_t kNoText = 0xFFFFFFFF;
  std::uint32_t value;
  std::size_t bytes;
};
inline CodePoint code_point(std::string_view text, std::size_t at) {
  const auto byte = [&](std::size_t i) { return at + i < text.size() ? static_cast<unsigned char>(text[at + i]) : 0U; };
  const std::uint32_t first = byte(0);
  if (first < 0x80) return {first, 1};
  const std::size_t length = first >= 0xF0 && first < 0xF5 ? 4 : first >= 0xE0 && first < 0xF0 ? 3 : first >= 0xC2 && first < 0xE0 ? 2 : 0;
  if (length == 0) return {CodePoint::kNoText, 1};
  std::uint32_t value = first & (0x7FU >> length);
  for (std::size_t i = 1; i < length; ++i) {
    if ((byte(i) & 0xC0) != 0x80) return {CodePoint::kNoText, 1};
    value = value << 6 | (byte(i) & 0x3F);
  }
  const std::uint32_t least = length == 2 ? 0x80 : length == 3 ? 0x800 : 0x10000;
  if (value < least || value > 0x10FFFF || (value >= 0xD800 && value < 0xE000)) return {CodePoint::kNoText, 1};
  return {value, length};
}

// The text without what could steer a terminal: control characters but for line feeds and tabs, and bytes that are no UTF-8, are '?'.
inline std::string printable(std::string_view text) {
  std::string out;
  for (std::size_t at = 0; at < text.size();) {
    const CodePoint c = code_point(text, at);
    const bool control = c.value == CodePoint::kNoText || (c.value < 0x20 && c.value != '\n' && c.value != '\t') || (c.value >= 0x7F && c.value < 0xA0);
    out += control ? "?" : text.substr(at, c.bytes);
    at += c.bytes;
  }
  return out;
}

}  // namespace gpt
