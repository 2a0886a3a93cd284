// A problem in words: the operator, its fields as FIELD=VALUE, and what its arguments are where that matters:
//   +NAME          given, though it may be left out
//   NAME:<N        integers from 0 to N - 1
//   NAME:positive  magnitudes
//   NAME:VALUE     of a scalar
//   NAME:OTHER     the very buffers of another argument
//   NAME:in        only read, though the operator may also write it
// What is not said is normally distributed, or 0 where it is an integer.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "cli/descriptor.hpp"
#include "harness/harness.hpp"

namespace bench {

struct Setting {
  enum Kind { only_read, positive, below, value, same } kind;
  std::string name;
  double number = 0;       // of value and below
  std::string other = {};  // of same
};

struct ProblemWords {
  std::string line;
  std::shared_ptr<cli::Descriptor> descriptor;
  std::vector<std::string> given;  // of the arguments that may be left out
  std::vector<Setting> settings;

  const adj::OpInfo& op() const;
};

// Refuses unknown words and a descriptor that contradicts itself.
ProblemWords problem_words(const std::vector<std::string>& words);

// The problem with contents, for comparing a kernel with the host backend.
harness::Case verified_case(const ProblemWords& words, std::uint64_t seed);

}  // namespace bench
