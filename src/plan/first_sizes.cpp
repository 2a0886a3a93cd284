// The sizes that structures had in the version that first had them.
#include <adjoint.h>

#include "plan/first_sizes.gen.hpp"
#include "plan/structs.hpp"

namespace adj {

std::uint64_t first_size(adj_tag tag) {
  switch (tag) {
#define ADJ_CASE(tag, bytes) \
  case tag: return bytes;
    ADJ_FIRST_SIZES(ADJ_CASE)
#undef ADJ_CASE
    default: return 0;
  }
}

}  // namespace adj
