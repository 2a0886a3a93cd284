// Contents of packs: the kernels of this library that a pack has.
#pragma once

#include <string>
#include <vector>

#include "adjoint.h"
#include "jit/cache.hpp"

namespace cli {

// Reads a pack; refuses a file that is no pack, and a pack with a damaged kernel.
adj::Pack read_pack(const std::string& path);
bool has(const adj::Pack& pack, const adj::Program& program, int cc);
// The kernels that a plan launches, each once.
std::vector<const adj::Program*> programs_of(const adj_plan* plan);

}  // namespace cli
