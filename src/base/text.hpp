// Small text helpers.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace adj {

bool glob_match(std::string_view pattern, std::string_view text);  // '*' and '?'
std::vector<std::string> split(std::string_view text, char separator);  // blanks around pieces are trimmed, empty pieces dropped

std::string sha256_hex(std::string_view bytes);

}  // namespace adj
