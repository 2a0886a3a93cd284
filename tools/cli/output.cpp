#include "output.hpp"

#include <fmt/format.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <limits>

#include "support/progress.hpp"

namespace cli {

void print_json(const Json& json) {
  // Paths may hold any bytes; invalid UTF-8 becomes U+FFFD.
  fmt::print("{}\n", json.dump(2, ' ', false, Json::error_handler_t::replace));
}

std::string styled(std::string_view text, Style style) {
  static const bool coloured = support::colours_wanted(STDOUT_FILENO);
  if (!coloured || style == Style::plain || text.empty()) return std::string(text);
  const char* code = style == Style::strong ? "1" : style == Style::faint ? "2" : style == Style::good ? "32" : "31";
  return fmt::format("\x1b[{}m{}\x1b[0m", code, text);
}

std::size_t line_width() {
  constexpr std::size_t kUsual = 100, kLeast = 40, kUnlimited = std::numeric_limits<std::size_t>::max();
  if (const char* columns = std::getenv("COLUMNS"))
    if (const unsigned long n = std::strtoul(columns, nullptr, 10); n > 0) return std::max<std::size_t>(n, kLeast);
  if (!::isatty(STDOUT_FILENO)) return kUnlimited;
  winsize size{};
  if (::ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col > 0) return std::max<std::size_t>(size.ws_col, kLeast);
  return kUsual;
}

namespace {

// Width of a text: its code points. The library uses no wide or combining characters.
std::size_t width(std::string_view text) {
  return static_cast<std::size_t>(std::count_if(text.begin(), text.end(), [](char c) { return (c & 0xc0) != 0x80; }));
}

// Bytes of the first `points` code points.
std::size_t bytes_of(std::string_view text, std::size_t points) {
  std::size_t i = 0;
  while (i < text.size() && (points > 0 || (text[i] & 0xc0) == 0x80)) points -= (text[i++] & 0xc0) != 0x80;
  return i;
}

std::vector<std::string> broken(std::string_view text, std::size_t room) {
  std::vector<std::string> lines;
  while (width(text) > room) {
    const std::size_t most = bytes_of(text, room);
    std::size_t end = text[most] == ' ' ? most : text.substr(0, most).rfind(' ');
    const auto behind = [&](const char* any) { return text.substr(0, most).find_last_of(any) + 1; };  // npos + 1: 0
    if (end == std::string_view::npos || end == 0) end = behind("/") > most / 3 ? behind("/") : behind("/.,:|=-_");
    if (end == 0) end = most;
    lines.emplace_back(text.substr(0, end));
    text.remove_prefix(std::min(text.find_first_not_of(' ', end), text.size()));
  }
  lines.emplace_back(text);
  return lines;
}

}  // namespace

std::string indented(std::string_view text, std::size_t indent) {
  std::string out;
  for (const std::string& line : broken(text, line_width() - indent)) out += (out.empty() ? "" : "\n" + std::string(indent, ' ')) + line;
  return out;
}

std::string Table::text() const {
  constexpr std::size_t kGap = 2, kNarrowest = 12;
  std::vector<std::size_t> widths, least;
  for (const Column& column : columns_) widths.push_back(width(column.title)), least.push_back(std::max(kNarrowest, widths.back()));
  for (const auto& [row, heading] : rows_)
    for (std::size_t i = 0; i < row.size(); ++i) widths[i] = std::max(widths[i], width(row[i].text));
  // The widest columns of text are narrowed until a row fits.
  std::size_t total = kGap * (columns_.size() - 1);
  for (const std::size_t w : widths) total += w;
  for (const std::size_t room = line_width(); total > room; --total) {
    std::size_t* widest = nullptr;
    for (std::size_t i = 0; i < columns_.size(); ++i)
      if (!columns_[i].right && widths[i] > least[i] && (!widest || widths[i] > *widest)) widest = &widths[i];
    if (!widest) break;
    --*widest;
  }
  std::string out;
  auto row_lines = [&](auto&& cell) {
    std::vector<std::vector<std::string>> lines;
    std::size_t height = 1;
    for (std::size_t i = 0; i < columns_.size(); ++i) {
      lines.push_back(broken(cell(i).text, widths[i]));
      height = std::max(height, lines.back().size());
    }
    for (std::size_t k = 0; k < height; ++k) {
      std::string text;
      for (std::size_t i = 0; i < columns_.size(); ++i) {
        const std::string part = k < lines[i].size() ? lines[i][k] : "";
        const std::string padding(widths[i] - width(part), ' ');
        if (i) text.append(kGap, ' ');
        if (columns_[i].right) text += padding;
        text += styled(part, cell(i).style);
        if (!columns_[i].right && i + 1 < columns_.size()) text += padding;
      }
      text.erase(text.find_last_not_of(' ') + 1);
      out += text + '\n';
    }
  };
  row_lines([&](std::size_t i) { return Cell(columns_[i].title, Style::strong); });
  for (const auto& [row, heading] : rows_) {
    if (heading.empty()) row_lines([&, &cells = row](std::size_t i) { return i < cells.size() ? cells[i] : Cell(""); });
    else out += styled(indented(heading, 0), Style::strong) + '\n';
  }
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
