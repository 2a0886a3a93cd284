// Fields of a descriptor from the arguments of a call (adj_op_complete).
#pragma once

#include "base/error.hpp"

namespace adj {

Result<void> complete(adj_header* descriptor, const adj_header* args, std::int64_t* room, std::int64_t capacity);

}  // namespace adj
