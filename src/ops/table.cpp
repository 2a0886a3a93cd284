// The operators in the order of their ids. Each defines its info function in its family's folder.
#include "ops/table.gen.hpp"

#include "base/process.hpp"
#include "plan/op.hpp"

namespace adj {

#define ADJ_DECLARE(name, NAME) const OpInfo& info_##name();
ADJ_OP_TABLE(ADJ_DECLARE)
#undef ADJ_DECLARE

namespace {
constinit Lazy<std::vector<const OpInfo*>> ops;
}  // namespace

// The static variables of the operators' files are all made here, so that fork meets none half made.
std::span<const OpInfo* const> all_ops() {
#define ADJ_ROW(name, NAME) &info_##name(),
  return ops.get([] { return std::vector<const OpInfo*>{ADJ_OP_TABLE(ADJ_ROW)}; });
#undef ADJ_ROW
}

}  // namespace adj
