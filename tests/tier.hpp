// SKUs and programs that a run of the tests takes, from the file that tests/tier.py writes.
#pragma once

#include <fstream>
#include <map>
#include <set>
#include <sstream>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "base/text.hpp"
#include "plan/op.hpp"

class Tier {
 public:
  Tier() = default;  // everything
  // The tier of a tree in which nothing has changed.
  static Tier one_of_each_algorithm() {
    Tier tier;
    tier.all_ = false;
    return tier;
  }
  explicit Tier(const std::string& path) : all_(false) {
    std::ifstream file(path);
    if (!file) throw std::runtime_error(path + " cannot be read");
    for (std::string line; std::getline(file, line);) {
      const auto words = adj::split(line, '\t');
      if (words[0] == "all") all_ = true;
      else if (words[0] == "turn") turn_ = std::stoul(words[1]);
      else if (words[0] == "changed") changed_.insert(words[1]);
      else if (words[0] == "only") globs_.push_back(words[1]);
      else throw std::runtime_error(path + ": '" + line + "'");
    }
  }

  bool takes_everything() const { return skus().size() == adj::all_skus().size(); }
  bool has_changed(const adj::Program& program) const { return all_ || !globs_.empty() || changed_.contains(program.source()); }

  // False for a SKU that is only taken in turn.
  bool is_wanted(const adj::Sku& sku) const {
    if (all_ || changed_.contains(sku.op->family)) return true;
    for (const std::string& glob : globs_)
      if (adj::glob_match(glob, sku.id)) return true;
    for (const adj::Program* program : sku.programs)
      if (changed_.contains(program->source())) return true;
    return false;
  }

  // In the order of the table.
  std::vector<const adj::Sku*> skus() const {
    std::set<const adj::Sku*> taken;
    if (globs_.empty()) taken = one_of_each();
    std::vector<const adj::Sku*> found;
    for (const adj::Sku& sku : adj::all_skus())
      if (taken.contains(&sku) || is_wanted(sku)) found.push_back(&sku);
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

  bool all_ = true;
  std::size_t turn_ = 0;
  std::set<std::string> changed_;
  std::vector<std::string> globs_;
};
