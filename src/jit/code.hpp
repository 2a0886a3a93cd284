// Facts about kernels, read from machine code (cubin) and PTX: entries, parameters, resources.
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
  int local_bytes = 0;  // bytes of stack of a thread: spills and arrays indexed at run time
};

struct KernelParameter {
  std::uint32_t offset, bytes;
};
struct KernelEntry {
  std::string name;
  std::vector<KernelParameter> parameters;  // in order
};
struct KernelCode {
  int cc = 0;          // compute capability of the target architecture, times ten
  bool exact = false;  // true: for that architecture only, as sm_90a. Set for PTX only: cubins have no stable mark for it
  std::vector<KernelEntry> kernels;
};

Result<KernelCode> read_cubin(std::string_view cubin);
Result<KernelCode> read_ptx(std::string_view text);
Result<KernelResources> read_resources(std::string_view cubin, std::string_view kernel);

}  // namespace adj
