// Table of the kernels that are compiled for the host. build_kernels.py generates it.
#pragma once

#include <cstddef>

namespace simt {

struct Kernel {
  const char* source;
  const char* entry;
  const char* defines;  // separated by blanks, in the order of the program's own list
  int arch;             // compute capability times ten; 0: the source does not ask
  void (*call)(const void* params);
  std::size_t param_bytes;
};
extern const Kernel kKernels[];
extern const int kKernelCount;

// Parameter structure of an entry declared as void(const Params).
template <class Entry> struct ParamsOf;
template <class Params> struct ParamsOf<void(Params)> {
  using type = Params;
};

}  // namespace simt
