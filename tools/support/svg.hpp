// Parts of the tools' pictures, which are readable on light and on dark pages.
#pragma once

#include <string>
#include <vector>

namespace support {

// The opening svg element with its style and background. Classes: grid (thin lines), line, target, target-text.
std::string svg_begin(double width, double height);
// Round numbers (1, 2 or 5 times a power of ten, or their multiples) from 0 to `most`, about six of them.
std::vector<double> round_ticks(double most);
std::string svg_text(const std::string& text);  // escapes the characters that have a meaning in XML

}  // namespace support
