// The operators in the order of their ids. Each defines its info function in its family's folder.
#include "ops/table.gen.hpp"

#include "plan/op.hpp"

namespace adj {

#define ADJ_DECLARE(name, NAME) const OpInfo& info_##name();
ADJ_OP_TABLE(ADJ_DECLARE)
#undef ADJ_DECLARE

std::span<const OpInfo* const> all_ops() {
#define ADJ_ROW(name, NAME) &info_##name(),
  static const OpInfo* const ops[] = {ADJ_OP_TABLE(ADJ_ROW)};
#undef ADJ_ROW
  return ops;
}

}  // namespace adj
