// Argument structure made from a problem and the addresses of its buffers.
#pragma once

#include <deque>

#include "harness/harness.hpp"

namespace harness {

class Arguments {
 public:
  // addresses[argument][i]: one address for a tensor or a device scalar, one per entry for a list.
  Arguments(const Problem& problem, const std::vector<std::vector<void*>>& addresses);
  const adj_header* get() const { return reinterpret_cast<const adj_header*>(bytes_.data()); }

 private:
  std::vector<std::uint64_t> bytes_;
  std::deque<std::vector<void*>> pointers_;  // stable addresses
  std::deque<std::vector<std::uint64_t>> capacities_;
};

// True when a run may change the contents of the argument.
bool is_output(const Problem& problem, std::size_t argument);

}  // namespace harness
