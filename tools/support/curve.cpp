// The loss curve of a training, as JSON and as a picture.
#include "support/curve.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <stdexcept>
#include <utility>

#include "base/file.hpp"
#include "support/svg.hpp"

namespace {

void save(const std::string& path, const std::string& text) {
  if (auto done = adj::write_file(path, text, 0666); !done) throw std::runtime_error(done.error().message);
}

}  // namespace

void Curve::check(const std::string& prefix) {
  for (const char* extension : {".json", ".svg"})
    if (auto able = adj::check_writable(prefix + extension); !able) throw std::runtime_error(able.error().message);
}

void Curve::write(const std::string& prefix, nlohmann::ordered_json facts) const {
  facts["loss"] = nlohmann::ordered_json::array();
  for (const Point& p : points) facts["loss"].push_back({p.step, p.loss});
  for (const Point& p : validation) facts["validation_loss"].push_back({p.step, p.loss});
  std::string json;
  for (const auto& [name, value] : facts.items()) json += fmt::format("{}\n{}: {}", json.empty() ? "{" : ",", nlohmann::json(name).dump(), value.dump());
  save(prefix + ".json", json + "\n}\n");

  constexpr double kWidth = 760, kHeight = 420, kLeft = 60, kRight = 20, kTop = 40, kBottom = 45;
  double top = target;
  for (const auto* list : {&points, &validation})
    for (const Point& p : *list)
      if (std::isfinite(p.loss)) top = std::max(top, p.loss);
  top = top > 0 ? 1.05 * top : 1;
  const double last = static_cast<double>(std::max<std::int64_t>(1, points.empty() ? 1 : points.back().step));
  auto x = [&](double step) { return kLeft + step / last * (kWidth - kLeft - kRight); };
  auto y = [&](double loss) { return kHeight - kBottom - loss / top * (kHeight - kTop - kBottom); };
  std::string svg = support::svg_begin(kWidth, kHeight);
  svg += fmt::format("<text x=\"{}\" y=\"24\" font-size=\"15\">{}</text>\n", kLeft, support::svg_text(title));
  for (const double loss : support::round_ticks(top)) {
    svg += fmt::format("<line class=\"grid\" x1=\"{}\" x2=\"{}\" y1=\"{:.1f}\" y2=\"{:.1f}\"/>\n", kLeft, kWidth - kRight, y(loss), y(loss));
    svg += fmt::format("<text x=\"{}\" y=\"{:.1f}\" text-anchor=\"end\">{:g}</text>\n", kLeft - 6, y(loss) + 4, loss);
  }
  for (const double step : support::round_ticks(last))
    svg += fmt::format("<text x=\"{:.1f}\" y=\"{}\" text-anchor=\"middle\">{:g}</text>\n", x(step), kHeight - kBottom + 18, step);
  if (target != 0) {
    svg += fmt::format("<line class=\"target\" x1=\"{}\" x2=\"{}\" y1=\"{:.1f}\" y2=\"{:.1f}\"/>\n", kLeft, kWidth - kRight, y(target), y(target));
    svg +=
        fmt::format("<text x=\"{}\" y=\"{:.1f}\" class=\"target-text\" text-anchor=\"end\">entropy {:.4f}</text>\n", kWidth - kRight, y(target) + 16, target);
  }
  for (const auto& [style, list] : {std::pair{"line", &points}, {"target line", &validation}}) {
    if (list->empty()) continue;
    svg += fmt::format("<polyline class=\"{}\" points=\"", style);
    for (const Point& p : *list)
      if (std::isfinite(p.loss)) svg += fmt::format("{:.1f},{:.1f} ", x(static_cast<double>(p.step)), y(p.loss));
    svg += "\"/>\n";
  }
  svg += fmt::format("<text x=\"{}\" y=\"{}\" text-anchor=\"middle\">step</text>\n", (kLeft + kWidth) / 2, kHeight - 8);
  svg += "<text x=\"14\" y=\"34\">nats</text>\n</svg>\n";
  save(prefix + ".svg", svg);
}
