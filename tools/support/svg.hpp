// What the pictures of the tools have in common: they are readable on light and on dark pages.
#pragma once

#include <string>

namespace support {

// The element itself with its style: text, a background, and the classes grid (thin lines), line, target and target-text.
std::string svg_begin(double width, double height);
std::string svg_text(const std::string& text);  // with what XML gives a meaning escaped

}  // namespace support
