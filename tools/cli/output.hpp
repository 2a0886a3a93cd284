// Output to the terminal: colours, tables, JSON.
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
// Returns the text in a colour when standard output is a terminal and NO_COLOR is not set, else the plain text.
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

// Width of a line of standard output: COLUMNS, else the terminal's width, or 100 where it tells none. Unlimited in a pipe or a file, so that
// each row of a table is one line.
std::size_t line_width();

// Breaks a sentence into lines. It begins `indent` columns into its first line; further lines are indented as far.
std::string indented(std::string_view text, std::size_t indent);

// Table with aligned columns. No text is cut: in a row wider than a line, texts continue below, broken at blanks or after punctuation.
class Table {
 public:
  explicit Table(std::vector<Column> columns) : columns_(std::move(columns)) {}
  void add(std::vector<Cell> row) { rows_.push_back({std::move(row), {}}); }
  void add_heading(std::string text) { rows_.push_back({{}, std::move(text)}); }  // a line of its own, outside of the columns
  std::string text() const;
  void print() const;

 private:
  std::vector<Column> columns_;
  struct Row {
    std::vector<Cell> cells;
    std::string heading;  // not empty: there are no cells
  };
  std::vector<Row> rows_;
};

std::string grouped(std::uint64_t number);     // "1,234,567"
std::string bytes_text(std::uint64_t bytes);   // "1.2 MiB (1,234,567 bytes)"
std::string plural(std::int64_t count, const char* noun);  // "1 kernel", "2 kernels"

}  // namespace cli
