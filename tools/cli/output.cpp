#include "output.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <array>

#include "support/progress.hpp"

namespace cli {

void print_json(const Json& json) {
  // Paths may hold any bytes; what is not UTF-8 becomes U+FFFD.
  fmt::print("{}\n", json.dump(2, ' ', false, Json::error_handler_t::replace));
}

std::string styled(std::string_view text, Style style) {
  static const bool coloured = support::colours_wanted(STDOUT_FILENO);
  if (!coloured || style == Style::plain || text.empty()) return std::string(text);
  const char* code = style == Style::strong ? "1" : style == Style::faint ? "2" : style == Style::good ? "32" : "31";
  return fmt::format("\x1b[{}m{}\x1b[0m", code, text);
}

namespace {

// Code points, which is the width of everything the library says.
std::size_t width(std::string_view text) {
  return static_cast<std::size_t>(std::count_if(text.begin(), text.end(), [](char c) { return (c & 0xc0) != 0x80; }));
}

}  // namespace

std::string Table::text() const {
  std::vector<std::size_t> widths;
  for (const Column& column : columns_) widths.push_back(width(column.title));
  for (const auto& row : rows_)
    for (std::size_t i = 0; i < row.size(); ++i) widths[i] = std::max(widths[i], width(row[i].text));
  std::string out;
  auto line = [&](auto&& cell) {
    std::string text;
    for (std::size_t i = 0; i < columns_.size(); ++i) {
      const Cell c = cell(i);
      const std::string padding(widths[i] - width(c.text), ' ');
      if (i) text += "  ";
      if (columns_[i].right) text += padding;
      text += styled(c.text, c.style);
      if (!columns_[i].right && i + 1 < columns_.size()) text += padding;
    }
    text.erase(text.find_last_not_of(' ') + 1);
    out += text + '\n';
  };
  line([&](std::size_t i) { return Cell(columns_[i].title, Style::strong); });
  for (const auto& row : rows_) line([&](std::size_t i) { return i < row.size() ? row[i] : Cell(""); });
  return out;
}

void Table::print() const { fmt::print("{}", text()); }

std::string grouped(std::uint64_t number) {
  std::string text = std::to_string(number);
  for (std::size_t i = text.size(); i > 3; i -= 3) text.insert(i - 3, ",");
  return text;
}

std::string bytes_text(std::uint64_t bytes) {
  constexpr std::array<const char*, 4> kUnits{"KiB", "MiB", "GiB", "TiB"};
  if (bytes < 1024) return plural(static_cast<std::int64_t>(bytes), "byte");
  double value = static_cast<double>(bytes) / 1024;
  std::size_t unit = 0;
  for (; value >= 1024 && unit + 1 < kUnits.size(); ++unit) value /= 1024;
  return fmt::format("{:.1f} {} ({} bytes)", value, kUnits[unit], grouped(bytes));
}

std::string plural(std::int64_t count, const char* noun) { return fmt::format("{} {}{}", count, noun, count == 1 ? "" : "s"); }

}  // namespace cli
