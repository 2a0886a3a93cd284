// SKUs and programs that a run of the tests takes, from the file that tests/tier.py writes.
#pragma once

#include <algorithm>
#include <fstream>
#include <functional>
#include <limits>
#include <map>
#include <set>
#include <sstream>
#include <stdexcept>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "base/text.hpp"
#include "plan/op.hpp"

class Tier {
 public:
  Tier() = default;  // everything
  // The tier of a tree in which nothing has changed.
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
      else if (words[0] == "budget") budget_ = std::stoul(words[1]);
      else if (words[0] == "changed") changed_.insert(words[1]);
      else if (words[0] == "only") globs_.push_back(words[1]);
      else throw std::runtime_error(path + ": '" + line + "'");
    }
    choose();
  }

  bool takes_everything() const { return all_ || taken_.size() == adj::all_skus().size(); }
  bool has_changed(const adj::Program& program) const { return all_ || !globs_.empty() || changed_.contains(program.source()); }

  // False for a SKU that is only taken in turn.
  bool is_wanted(const adj::Sku& sku) const { return all_ || wanted_.contains(&sku); }
  // True when a change elsewhere than in kernels and families may have changed every SKU.
  bool has_changed_engine() const { return changed_.contains("engine"); }
  // Number of SKUs whose kernels or family have changed, and that the run does not take.
  std::size_t left_out() const { return left_out_; }

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
  // The SKUs that match a glob; without globs one of each algorithm, then those that have changed, while their programs are in the budget.
  void choose() {
    if (all_) return;
    if (globs_.empty()) taken_ = one_of_each();
    for (const adj::Sku& sku : adj::all_skus())
      if (std::any_of(globs_.begin(), globs_.end(), [&](const std::string& glob) { return adj::glob_match(glob, sku.id); })) wanted_.insert(&sku);
    // Changed kernels go before changed families. The turn shuffles either.
    std::vector<std::tuple<bool, std::size_t, const adj::Sku*>> changed;
    for (const adj::Sku& sku : adj::all_skus()) {
      const bool kernel = has_changed_kernel(sku);
      if (kernel || changed_.contains(sku.op->family))
        changed.emplace_back(!kernel, std::hash<std::string>{}(fmt::format("{} {}", turn_, sku.id)), &sku);
    }
    std::sort(changed.begin(), changed.end());
    std::set<const adj::Program*> programs;
    for (const auto& [family, order, sku] : changed) {
      std::set<const adj::Program*> more = programs;
      more.insert(sku->programs.begin(), sku->programs.end());
      if (more.size() > budget_) {
        ++left_out_;
        continue;
      }
      programs = std::move(more);
      wanted_.insert(sku);
    }
    taken_.insert(wanted_.begin(), wanted_.end());
  }

  bool has_changed_kernel(const adj::Sku& sku) const {
    return std::any_of(sku.programs.begin(), sku.programs.end(), [&](const adj::Program* program) { return changed_.contains(program->source()); });
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

  bool all_ = true;
  std::size_t turn_ = 0, budget_ = std::numeric_limits<std::size_t>::max(), left_out_ = 0;
  std::set<std::string> changed_;
  std::vector<std::string> globs_;
  std::set<const adj::Sku*> taken_, wanted_;  // wanted: taken, and not only in turn
};
