#include "support/svg.hpp"

#include <fmt/format.h>

#include <cmath>

namespace support {

std::string svg_begin(double width, double height) {
  return fmt::format(
      "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {0} {1}\" font-family=\"sans-serif\" font-size=\"12\">\n"
      "<style>\n"
      ".page {{ fill: #fff }} text {{ fill: #222 }} .grid {{ stroke: #ddd }}\n"
      ".line {{ stroke: #1565c0; stroke-width: 2; fill: none }} .target {{ stroke: #c33; stroke-dasharray: 6 4 }} .target-text {{ fill: #c33 }}\n"
      "@media (prefers-color-scheme: dark) {{\n"
      "  .page {{ fill: #0d1117 }} text {{ fill: #ddd }} .grid {{ stroke: #333 }}\n"
      "  .line {{ stroke: #64a9f5 }} .target {{ stroke: #ff7b72 }} .target-text {{ fill: #ff7b72 }}\n"
      "}}\n"
      "</style>\n"
      "<rect class=\"page\" width=\"{0}\" height=\"{1}\"/>\n",
      width, height);
}

std::vector<double> round_ticks(double most) {
  const double power = std::pow(10.0, std::floor(std::log10(most / 5)));
  double step = power * 10;
  for (const double factor : {5.0, 2.0, 1.0})
    if (most / (power * factor) <= 7) step = power * factor;
  std::vector<double> ticks;
  for (int i = 0; i * step <= most * (1 + 1e-9); ++i) ticks.push_back(i * step);
  return ticks;
}

std::string svg_text(const std::string& text) {
  std::string out;
  for (const char c : text) out += c == '<' ? "&lt;" : c == '&' ? "&amp;" : c == '>' ? "&gt;" : std::string(1, c);
  return out;
}

}  // namespace support
