// Tables of programs with one planted fault each: faults/planted.tsv, faults/far.tsv.
#pragma once

#include <algorithm>
#include <fstream>
#include <string>
#include <vector>

#include "base/text.hpp"
#include "plan/op.hpp"

namespace simt {

struct Planted {
  int row;
  std::string program, case_name;  // program: as the table of kernels names it
  std::vector<std::string> found;  // any of these
  bool is_of(const adj::Sku& sku) const {
    return std::any_of(sku.programs.begin(), sku.programs.end(), [&](const adj::Program* p) { return p->name() == program; });
  }
};

inline std::vector<Planted> read_planted(const char* path) {
  std::ifstream file(path);
  std::vector<Planted> all;
  for (std::string line; std::getline(file, line);) {
    if (line.empty() || line[0] == '#') continue;
    const auto words = adj::split(line, '\t');
    auto parts = adj::split(words.at(0), ':');
    std::string program = parts.at(0) + ":" + parts.at(1) + " ";  // Program::name, whose macros may be none
    for (std::size_t i = 2; i < parts.size(); ++i) program += (i > 2 ? " " : "") + parts[i];
    all.push_back({static_cast<int>(all.size()) + 1, program, words.at(1), adj::split(words.at(2), '|')});
  }
  return all;
}

}  // namespace simt
