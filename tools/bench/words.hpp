// A problem in words: the operator, its fields as FIELD=VALUE, and words about arguments:
//   +NAME          gives an optional argument
//   NAME:<N        contents: integers from 0 to N - 1
//   NAME:positive  contents: magnitudes
//   NAME:VALUE     value of a scalar
//   NAME:OTHER     buffers of the argument OTHER
//   NAME:in        only read, although the operator may also write it
// Other arguments are normally distributed, integers are 0.
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
  double number = 0;       // for the kinds value and below
  std::string other = {};  // for the kind same
};

struct ProblemWords {
  std::string line;
  std::shared_ptr<cli::Descriptor> descriptor;
  std::vector<std::string> given;  // names of the optional arguments that are given
  std::vector<Setting> settings;

  const adj::OpInfo& op() const;
};

// Refuses unknown words and a descriptor that contradicts itself.
ProblemWords problem_words(const std::vector<std::string>& words);

// The problem with contents, for comparing a kernel with the host backend.
harness::Case verified_case(const ProblemWords& words, std::uint64_t seed);

}  // namespace bench
