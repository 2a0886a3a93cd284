// What the machine code of a kernel needs, read from its cubin.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/error.hpp"

namespace adj {

struct KernelResources {
  std::uint64_t code_bytes = 0, static_shared_bytes = 0;
  int registers = 0;
  int local_bytes = 0;  // stack: spills and arrays indexed at run time
};

// Names of the kernels of a cubin.
Result<std::vector<std::string>> kernels_of(std::string_view cubin);
Result<KernelResources> read_resources(std::string_view cubin, std::string_view kernel);

}  // namespace adj
