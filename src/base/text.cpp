#include "base/text.hpp"

#include <stdlib.h>
#include <sys/types.h>

extern "C" {
#include <sha2.h>
}

namespace adj {

bool glob_match(std::string_view pattern, std::string_view text) {
  std::size_t p = 0, t = 0, star = std::string_view::npos, mark = 0;
  while (t < text.size()) {
    if (p < pattern.size() && (pattern[p] == '?' || pattern[p] == text[t]) && pattern[p] != '*') {
      ++p, ++t;
    } else if (p < pattern.size() && pattern[p] == '*') {
      star = p++;
      mark = t;
    } else if (star != std::string_view::npos) {
      p = star + 1;
      t = ++mark;
    } else {
      return false;
    }
  }
  while (p < pattern.size() && pattern[p] == '*') ++p;
  return p == pattern.size();
}

std::vector<std::string> split(std::string_view text, char separator) {
  std::vector<std::string> pieces;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find(separator), text.size());
    std::string_view piece = text.substr(0, end);
    while (!piece.empty() && piece.front() == ' ') piece.remove_prefix(1);
    while (!piece.empty() && piece.back() == ' ') piece.remove_suffix(1);
    if (!piece.empty()) pieces.emplace_back(piece);
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return pieces;
}

std::string sha256_hex(std::string_view bytes) {
  SHA2_CTX context;
  SHA256Init(&context);
  SHA256Update(&context, reinterpret_cast<const std::uint8_t*>(bytes.data()), bytes.size());
  std::uint8_t digest[SHA256_DIGEST_LENGTH];
  SHA256Final(digest, &context);
  constexpr char hex[] = "0123456789abcdef";
  std::string text;
  text.reserve(2 * sizeof digest);
  for (std::uint8_t byte : digest) {
    text += hex[byte >> 4];
    text += hex[byte & 15];
  }
  return text;
}

std::string framed(std::span<const std::string_view> parts) {
  std::size_t bytes = 0;
  for (std::string_view part : parts) bytes += std::to_string(part.size()).size() + 1 + part.size();
  std::string text;
  text.reserve(bytes);
  for (std::string_view part : parts) text.append(std::to_string(part.size())).append(1, ':').append(part);
  return text;
}

const char* environment(const char* name) { return ::secure_getenv(name); }

}  // namespace adj
