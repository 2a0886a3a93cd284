// SKUs and programs that a run of the tests takes, from the file that tests/tier.py writes.
#pragma once

#include <algorithm>
#include <fstream>
#include <map>
#include <set>
#include <sstream>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "base/dtype.hpp"
#include "base/text.hpp"
#include "plan/op.hpp"

class Tier {
 public:
  Tier() = default;  // everything
  // The tier of a plain run, in the first turn.
  static Tier one_of_each_algorithm() {
    Tier tier;
    tier.all_ = false;
    tier.choose();
    return tier;
  }
  explicit Tier(const std::string& path) : all_(false) {
    std::ifstream file(path);
    if (!file) throw std::runtime_error(path + " cannot be read");
    for (std::string line; std::getline(file, line);) {
      const auto words = adj::split(line, '\t');
      if (words[0] == "all") all_ = true;
      else if (words[0] == "turn") turn_ = std::stoul(words[1]);
      else if (words[0] == "only") globs_.push_back(words[1]);
      else if (words[0] == "lines") lines_ = true;
      else if (words[0] == "half") half_ = std::stoi(words[1]);
      else throw std::runtime_error(path + ": '" + line + "'");
    }
    choose();
  }

  bool takes_everything() const { return all_ || taken_.size() == adj::all_skus().size(); }
  // True for a choice by lines, which needs the kernels of sm_90 alone.
  bool takes_lines() const { return lines_; }
  // True when each SKU stands for its algorithm, and a part of its cases and architectures is enough.
  bool is_sample() const { return !all_ && globs_.empty(); }

  // In the order of the table.
  std::vector<const adj::Sku*> skus() const {
    std::vector<const adj::Sku*> found;
    for (const adj::Sku& sku : adj::all_skus())
      if (all_ || taken_.contains(&sku)) found.push_back(&sku);
    return found;
  }

  // The programs of these SKUs for an architecture, without repetition.
  std::vector<const adj::Program*> programs(int cc) const {
    std::vector<const adj::Program*> found;
    std::set<const adj::Program*> seen;
    for (const adj::Sku* sku : skus()) {
      if (!adj::check_arch(*sku, cc)) continue;
      for (const adj::Program* program : sku->programs)
        if (seen.insert(program).second) found.push_back(program);
    }
    return found;
  }

  std::size_t turn() const { return turn_; }
  // The turn of the cases uses other bits than the turn of the SKUs, so that over the commits every SKU meets every case.
  std::size_t turn_of_cases() const { return turn_ >> 12; }

 private:
  // The SKUs that match a glob; without globs one of each algorithm.
  void choose() {
    if (all_) return;
    if (globs_.empty()) taken_ = one_of_each();
    std::set<std::string> seen;
    for (const adj::Sku& sku : adj::all_skus())
      if (matches(sku) && (!lines_ || has_lines_beyond(sku, seen))) taken_.insert(&sku);
    if (lines_) add_those_of_the_same_programs();
    if (half_ >= 0) {
      std::size_t place = 0;
      for (const adj::Sku* sku : skus())
        if (static_cast<int>(place++ % 2) != half_) taken_.erase(sku);
    }
  }

  // True when a glob matches the id of the SKU or, if it ends in ".cu", one of its kernel sources.
  bool matches(const adj::Sku& sku) const {
    return std::any_of(globs_.begin(), globs_.end(), [&](const std::string& glob) {
      return adj::glob_match(glob, sku.id) || (glob.ends_with(".cu") && std::any_of(sku.programs.begin(), sku.programs.end(), [&](const adj::Program* program) {
                                                 return adj::glob_match(glob, program->source());
                                               }));
    });
  }

  // Adds the SKUs that match a glob and whose programs are all among those of the SKUs that are taken: these programs take types at run time.
  void add_those_of_the_same_programs() {
    std::set<const adj::Program*> programs;
    for (const adj::Sku* sku : taken_) programs.insert(sku->programs.begin(), sku->programs.end());
    for (const adj::Sku& sku : adj::all_skus())
      if (matches(sku) && !sku.programs.empty() &&
          std::all_of(sku.programs.begin(), sku.programs.end(), [&](const adj::Program* program) { return programs.contains(program); }))
        taken_.insert(&sku);
  }

  // True when the SKU is of an algorithm, or one of its kernels has a pair of macros, that is not in `seen`; adds them. A line may need the values of two
  // macros. Types of one kind and size count as one value: kernels have the same lines for them.
  // A type of the SKU that is no value of a macro is one that the program takes at run time: each is a value of its own, since the program branches on it.
  static bool has_lines_beyond(const adj::Sku& sku, std::set<std::string>& seen) {
    static const std::map<std::string, std::string> kKinds{{"f16", "f2"},  {"bf16", "f2"}, {"i8", "i1"}, {"u8", "i1"},
                                                           {"bool", "i1"}, {"i32", "i4"},  {"u32", "i4"}};
    bool more = !sku.programs.empty() && seen.insert(sku.op->name + std::string("/") + sku.variant->algorithm).second;
    for (const adj::Program* program : sku.programs) {
      std::vector<std::string> macros{program->source() + " " + program->entry()};
      std::set<std::string> types;  // that are values of macros
      for (const std::string& define : program->defines()) {
        const auto equals = define.find('=');
        if (adj::dtype_find(define.substr(equals + 1)) != ADJ_DTYPE_NONE) types.insert(define.substr(equals + 1));
        const auto kind = kKinds.find(define.substr(equals + 1));
        macros.push_back(kind == kKinds.end() ? define : define.substr(0, equals + 1) + kind->second);
      }
      for (std::size_t i = 0; i < macros.size(); ++i)
        for (std::size_t j = 0; j < i; ++j) more |= seen.insert(fmt::format("{} {} {}", macros[0], macros[j], macros[i])).second;
      for (std::size_t i = 0; i < sku.signature.types.size() && !types.empty(); ++i)
        if (const char* type = adj::dtype_name(sku.signature.types[i]); type && !types.contains(type))
          more |= seen.insert(fmt::format("{} type {} {}", macros[0], i, type)).second;
    }
    return more;
  }

  // One SKU of each algorithm, chosen by the turn. SKUs that are made of the same sources are one algorithm.
  std::set<const adj::Sku*> one_of_each() const {
    std::map<std::set<std::string>, std::vector<const adj::Sku*>> groups;
    for (const adj::Sku& sku : adj::all_skus()) {
      std::set<std::string> sources;
      for (const adj::Program* program : sku.programs) sources.insert(program->source());
      if (!sources.empty()) groups[sources].push_back(&sku);
    }
    std::set<const adj::Sku*> found;
    for (const auto& [sources, members] : groups) found.insert(members[turn_ % members.size()]);
    return found;
  }

  bool all_ = true, lines_ = false;
  int half_ = -1;  // 0 or 1: every second SKU of a sample, from this place on
  std::size_t turn_ = 0;
  std::vector<std::string> globs_;
  std::set<const adj::Sku*> taken_;
};

// True for a SKU of a library that has a program which no SKU of our own has. tests/simt executes its kernels beside a stand-in for the library.
inline bool is_of_library_with_kernels(const adj::Sku& sku) {
  static const std::set<const adj::Program*> own = [] {
    std::set<const adj::Program*> found;
    for (const adj::Sku& other : adj::all_skus())
      if (other.variant->backend == ADJ_BACKEND_BESPOKE) found.insert(other.programs.begin(), other.programs.end());
    return found;
  }();
  return std::any_of(sku.programs.begin(), sku.programs.end(), [](const adj::Program* program) { return !own.contains(program); });
}
