// Accesses of instrumented code, from the compiler's hooks to the machine.
#pragma once

#include <cstddef>

namespace simt {
void on_read(const void* address, std::size_t bytes);
void on_write(const void* address, std::size_t bytes);
}  // namespace simt
