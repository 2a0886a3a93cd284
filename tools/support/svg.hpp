// Parts of the tools' pictures, which are readable on light and on dark pages.
#pragma once

#include <string>

namespace support {

// The opening svg element with its style and background. Classes: grid (thin lines), line, target, target-text.
std::string svg_begin(double width, double height);
std::string svg_text(const std::string& text);  // escapes the characters that have a meaning in XML

}  // namespace support
