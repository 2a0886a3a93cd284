// What goes to the terminal: colours, tables, JSON.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include <nlohmann/json.hpp>

namespace cli {

using Json = nlohmann::ordered_json;  // keys stay in the order in which they are added

void print_json(const Json& json);

enum class Style { plain, strong, faint, good, bad };
// The text in a colour when standard output is a terminal and NO_COLOR is not set, else the text itself.
std::string styled(std::string_view text, Style style);

struct Cell {
  std::string text;
  Style style = Style::plain;
  Cell(std::string t, Style s = Style::plain) : text(std::move(t)), style(s) {}
  Cell(const char* t, Style s = Style::plain) : text(t), style(s) {}
};

struct Column {
  const char* title;
  bool right = false;  // aligned to the right
};

// Columns that a line of standard output may have: COLUMNS, else those of the terminal, else 100.
std::size_t line_width();

// A sentence that begins `indent` columns into a line, broken where lines end, with what follows as far in.
std::string indented(std::string_view text, std::size_t indent);

// Aligns columns. Nothing is cut: where a row is wider than a line, its texts go on below, broken at blanks or after punctuation.
class Table {
 public:
  explicit Table(std::vector<Column> columns) : columns_(std::move(columns)) {}
  void add(std::vector<Cell> row) { rows_.push_back(std::move(row)); }
  std::string text() const;
  void print() const;

 private:
  std::vector<Column> columns_;
  std::vector<std::vector<Cell>> rows_;
};

std::string grouped(std::uint64_t number);     // "1,234,567"
std::string bytes_text(std::uint64_t bytes);   // "1.2 MiB (1,234,567 bytes)"
std::string plural(std::int64_t count, const char* noun);  // "1 kernel", "2 kernels"

}  // namespace cli
