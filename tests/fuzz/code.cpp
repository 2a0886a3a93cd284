// The readers of machine code and PTX on any file: they must read or refuse it, never beyond its end.
#include <cstdlib>
#include <memory>
#include <string_view>

#include "jit/code.hpp"

namespace {

void examine(const adj::Result<adj::KernelCode>& code) {
  if (!code) {
    if (code.error().code != ADJ_ERROR_CORRUPT || code.error().message.empty()) std::abort();
    return;
  }
  for (const adj::KernelEntry& kernel : code->kernels)
    for (std::size_t i = 1; i < kernel.parameters.size(); ++i)
      if (kernel.parameters[i].bytes > (1u << 30)) std::abort();
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  // A copy of exactly this size, so that AddressSanitizer sees its end.
  const std::unique_ptr<char[]> bytes(new char[size]);
  for (std::size_t i = 0; i < size; ++i) bytes[i] = static_cast<char>(data[i]);
  const std::string_view file(bytes.get(), size);
  const auto cubin = adj::read_cubin(file);
  examine(cubin);
  examine(adj::read_ptx(file));
  if (cubin)
    for (const adj::KernelEntry& kernel : cubin->kernels) (void)adj::read_resources(file, kernel.name);
  return 0;
}
