#include "bench/svg.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <vector>

#include "support/svg.hpp"

namespace bench {

namespace {

// Colours that can be told apart on white and on black.
constexpr const char* kColours[] = {"#3b82f6", "#ef4444", "#22a55b", "#d97706", "#a855f7", "#0ea5a4", "#ec4899", "#78909c", "#84a30f", "#8d6e63"};

struct Point {
  std::string name;
  std::size_t op;
  double bytes, fraction;
};

}  // namespace

std::string svg(const nlohmann::ordered_json& report) {
  std::vector<std::string> ops;
  std::vector<Point> points;
  for (const auto& c : report.at("cases")) {
    if (!c.contains("fraction_of_copy") || c.at("floor_bytes").get<double>() <= 0) continue;
    const std::string name = c.at("name");
    const std::string op = name.substr(0, name.find(' '));
    const auto at = std::find(ops.begin(), ops.end(), op);
    points.push_back({name, static_cast<std::size_t>(at - ops.begin()), c.at("floor_bytes"), std::max(c.at("fraction_of_copy").get<double>(), 1e-9)});
    if (at == ops.end()) ops.push_back(op);
  }
  constexpr double kLegend = 210, kTop = 40, kBottom = 50, kLeft = 60, kRow = 18;
  const double width = 860, height = std::max(480.0, kTop + kRow * static_cast<double>(ops.size()) + kBottom);
  int first = 6, last = 7, lowest = -1;  // powers of ten
  for (const Point& p : points) {
    first = std::min(first, static_cast<int>(std::floor(std::log10(p.bytes))));
    last = std::max(last, static_cast<int>(std::ceil(std::log10(p.bytes))));
    lowest = std::min(lowest, static_cast<int>(std::floor(std::log10(p.fraction))));
  }
  double highest = std::log10(1.3);  // above 1: operands in the L2 are faster than a copy of memory
  for (const Point& p : points) highest = std::max(highest, std::log10(p.fraction) + 0.1);
  auto x = [&](double bytes) { return kLeft + (std::log10(bytes) - first) / (last - first) * (width - kLegend - kLeft - 20); };
  auto y = [&](double fraction) { return height - kBottom - (std::log10(fraction) - lowest) / (highest - lowest) * (height - kTop - kBottom); };
  const double right = width - kLegend - 20;

  std::string text = support::svg_begin(width, height);
  text += fmt::format("<text x=\"{}\" y=\"24\" font-size=\"15\">{}: fraction of the copy ceiling ({:.0f} GB/s) by size</text>\n", kLeft,
                      support::svg_text(report.at("device").get<std::string>()), report.at("copy_ceiling_gb_s").get<double>());
  std::vector<double> marks{0.5};
  for (int i = lowest; i <= 0; ++i) marks.push_back(std::pow(10.0, i));
  for (const double fraction : marks)
    text += fmt::format("<line class=\"grid\" x1=\"{}\" x2=\"{}\" y1=\"{:.1f}\" y2=\"{:.1f}\"/><text x=\"{}\" y=\"{:.1f}\" text-anchor=\"end\">{:g}</text>\n",
                        kLeft, right, y(fraction), y(fraction), kLeft - 6, y(fraction) + 4, fraction);
  for (int i = first; i <= last; ++i)
    text += fmt::format("<text x=\"{:.1f}\" y=\"{}\" text-anchor=\"middle\">1e{}</text>\n", x(std::pow(10.0, i)), height - kBottom + 18, i);
  text += fmt::format("<text x=\"{:.1f}\" y=\"{}\" text-anchor=\"middle\">bytes read and written at least</text>\n", (kLeft + right) / 2, height - 10);
  for (const Point& p : points)
    text += fmt::format("<circle cx=\"{:.1f}\" cy=\"{:.1f}\" r=\"4\" fill=\"{}\"><title>{}: {:.3f}</title></circle>\n", x(p.bytes), y(p.fraction),
                        kColours[p.op % std::size(kColours)], support::svg_text(p.name), p.fraction);
  for (std::size_t i = 0; i < ops.size(); ++i)
    text += fmt::format("<circle cx=\"{}\" cy=\"{:.1f}\" r=\"4\" fill=\"{}\"/><text x=\"{}\" y=\"{:.1f}\">{}</text>\n", right + 24,
                        kTop + kRow * static_cast<double>(i), kColours[i % std::size(kColours)], right + 34, kTop + 4 + kRow * static_cast<double>(i),
                        support::svg_text(ops[i]));
  return text + "</svg>\n";
}

}  // namespace bench
