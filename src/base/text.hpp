// Small text helpers.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace adj {

bool glob_match(std::string_view pattern, std::string_view text);  // '*' and '?'
std::vector<std::string> split(std::string_view text, char separator);  // blanks around pieces are trimmed, empty pieces dropped

std::string sha256_hex(std::string_view bytes);

// One text that different lists of parts never share: each part follows its length.
std::string framed(std::span<const std::string_view> parts);

// Value of an environment variable; null when it is not set, or when the process has rights beyond its user's (setuid, setgid, capabilities).
const char* environment(const char* name);

}  // namespace adj
