// The operators in the order of their ids. A new operator adds its line to include/adjoint/ops/table.h and defines its
// info function in its family's folder.
#include <adjoint/ops/table.h>

#include "plan/op.hpp"

namespace adj {

#define ADJ_DECLARE(id, name, NAME, CppName) const OpInfo& info_##name();
ADJ_OP_TABLE(ADJ_DECLARE)
#undef ADJ_DECLARE

std::span<const OpInfo* const> all_ops() {
#define ADJ_ROW(id, name, NAME, CppName) &info_##name(),
  static const OpInfo* const ops[] = {ADJ_OP_TABLE(ADJ_ROW)};
#undef ADJ_ROW
  return ops;
}

}  // namespace adj
