// The library as a later version would have it: every member behind the header was appended since. Replaces src/plan/first_sizes.cpp in the program
// that links this file.
#include "plan/structs.hpp"

namespace adj {

std::uint64_t first_size(adj_tag) { return sizeof(adj_header); }

}  // namespace adj
