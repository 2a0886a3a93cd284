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

  // SKUs to test, in the order of the table.
  std::vector<const adj::Sku*> skus() const {
    // Signatures of a variant whose first types have the same size take turns.
    std::map<std::pair<const adj::Variant*, std::uint32_t>, std::vector<const adj::Sku*>> groups;
    std::set<const adj::Sku*> taken;
    for (const adj::Sku& sku : adj::all_skus()) {
      if (is_wanted(sku)) taken.insert(&sku);
      groups[{sku.variant, adj::size_of(sku.signature[0])}].push_back(&sku);
    }
    if (globs_.empty())
      for (const auto& [key, members] : groups) taken.insert(members[turn_ % members.size()]);
    std::vector<const adj::Sku*> found;
    for (const adj::Sku& sku : adj::all_skus())
      if (taken.contains(&sku)) found.push_back(&sku);
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

  // The programs of one SKU of every algorithm that the architecture can run.
  std::vector<const adj::Program*> of_each_algorithm(int cc) const {
    std::map<const adj::Variant*, std::vector<const adj::Sku*>> members;
    for (const adj::Sku& sku : adj::all_skus())
      if (adj::check_arch(sku, cc)) members[sku.variant].push_back(&sku);
    std::set<const adj::Program*> found;
    for (const auto& [variant, skus] : members)
      for (const adj::Program* program : skus[turn_ % skus.size()]->programs) found.insert(program);
    return {found.begin(), found.end()};
  }

  std::size_t turn() const { return turn_; }

 private:
  bool is_wanted(const adj::Sku& sku) const {
    if (all_ || changed_.contains(sku.op->family)) return true;
    for (const std::string& glob : globs_)
      if (adj::glob_match(glob, sku.id)) return true;
    for (const adj::Program* program : sku.programs)
      if (changed_.contains(program->source())) return true;
    return false;
  }

  bool all_ = true;
  std::size_t turn_ = 0;
  std::set<std::string> changed_;
  std::vector<std::string> globs_;
};
