// What a training tells: memory by purpose, and where the time of a step goes, as text and as a picture.
#pragma once

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "support/machine.hpp"
#include "support/svg.hpp"
#include "trainer.hpp"

namespace gpt {

// "512 B", "1.50 KiB", "123.4 MiB"
inline std::string size_text(std::uint64_t bytes) {
  if (bytes < 1024) return fmt::format("{} B", bytes);
  auto size = static_cast<double>(bytes);
  const char* const units[] = {"KiB", "MiB", "GiB", "TiB"};
  std::size_t unit = 0;
  for (size /= 1024; size >= 1024 && unit + 1 < std::size(units); size /= 1024) ++unit;
  return fmt::format("{:.{}f} {}", size, size < 100 ? 2 : 1, units[unit]);
}

// "weights 1.50 MiB, gradients 3.00 MiB, ...", the largest first.
inline std::string memory_by_purpose(const Machine& machine) {
  auto parts = machine.memory();
  std::sort(parts.begin(), parts.end(), [](const auto& a, const auto& b) { return std::tie(b.second, a.first) < std::tie(a.second, b.first); });
  std::string text;
  for (const auto& [purpose, bytes] : parts) text += fmt::format("{}{} {}", text.empty() ? "" : ", ", purpose, size_text(bytes));
  return text;
}

// What a fused head saves: of its scores in the workspaces, against those that would be in memory without it.
inline std::string memory_of_head(const Model& model) {
  if (model.head() == Head::scores) return {};
  const auto bytes = [&](std::int64_t rows) { return size_text(static_cast<std::uint64_t>(rows) * model.score_row_bytes()); };
  return fmt::format("; scores of {} rows at a time in the workspaces, {} in place of {}", model.score_rows(), bytes(model.score_rows()),
                     bytes(model.unfused_score_rows()));
}

// The times of a step by operation, the longest first.
class TimePicture {
 public:
  TimePicture(std::string title, const std::map<std::string, Trainer::Times>& times, bool limits_known)
      : title_(std::move(title)), rows_(times.begin(), times.end()), known_(limits_known) {
    std::sort(rows_.begin(), rows_.end(),
              [](const auto& a, const auto& b) { return std::tie(b.second.milliseconds, a.first) < std::tie(a.second.milliseconds, b.first); });
    for (const auto& [name, own] : rows_) sum_ += own.milliseconds;
    most_ = rows_.empty() ? 0 : rows_.front().second.milliseconds;
  }

  std::string text() const {
    constexpr double kBar = 40;
    std::string out = fmt::format("time of a step by operation, each call measured by itself: {:.3f} ms{}\n", sum_,
                                  known_ ? "; # is what the limit of the machine would take" : "");
    for (const auto& [name, own] : rows_) {
      const auto length = static_cast<std::size_t>(part(own.milliseconds) * kBar + 0.5);
      const auto full = known_ ? std::min(length, static_cast<std::size_t>(part(own.least) * kBar + 0.5)) : 0;
      out += fmt::format("  {:<30} {:>4} x {:>10.3f} ms {:>5.1f} %  {}{}\n", name, own.calls, own.milliseconds, percent(own), std::string(full, '#'),
                         std::string(length - full, known_ ? '.' : '='));
    }
    return out;
  }

  std::string svg() const {
    constexpr double kWidth = 860, kLeft = 215, kRight = 190, kTop = 62, kRow = 24, kBar = kWidth - kLeft - kRight;
    std::string out = support::svg_begin(kWidth, kTop + kRow * static_cast<double>(rows_.size()) + 12);
    out += fmt::format("<text x=\"12\" y=\"24\" font-size=\"15\">{}</text>\n", support::svg_text(title_));
    out += fmt::format("<text x=\"12\" y=\"44\">{:.3f} ms, each call measured by itself{}</text>\n", sum_,
                       known_ ? "; dark: what the limit of the machine would take" : "");
    double y = kTop;
    for (const auto& [name, own] : rows_) {
      out += fmt::format("<text x=\"{}\" y=\"{}\" text-anchor=\"end\">{}</text>\n", kLeft - 8, y + 13, support::svg_text(name));
      auto bar = [&](double milliseconds, const char* colour) {
        out += fmt::format("<rect x=\"{}\" y=\"{}\" width=\"{:.1f}\" height=\"{}\" fill=\"{}\"/>\n", kLeft, y, part(milliseconds) * kBar, kRow - 6, colour);
      };
      bar(own.milliseconds, known_ ? "#93b8ea" : "#3b82f6");
      if (known_) bar(std::min(own.least, own.milliseconds), "#1d5fc4");
      out += fmt::format("<text x=\"{:.1f}\" y=\"{}\">{:.3f} ms, {:.1f} %, {} calls</text>\n", kLeft + part(own.milliseconds) * kBar + 8, y + 13,
                         own.milliseconds, percent(own), own.calls);
      y += kRow;
    }
    return out + "</svg>\n";
  }

 private:
  double part(double milliseconds) const { return most_ > 0 ? std::min(milliseconds / most_, 1.0) : 0; }
  double percent(const Trainer::Times& own) const { return sum_ > 0 ? 100 * own.milliseconds / sum_ : 0; }

  std::string title_;
  std::vector<std::pair<std::string, Trainer::Times>> rows_;
  bool known_;
  double sum_ = 0, most_ = 0;
};

}  // namespace gpt
