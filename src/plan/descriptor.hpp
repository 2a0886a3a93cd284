// Checks of descriptors and preferences.
#pragma once

#include <string>

#include "plan/op.hpp"

namespace adj {

// Most elements of a list in a descriptor: far more than any model needs, far fewer than would exhaust memory.
constexpr std::int64_t kLongestList = std::int64_t{1} << 24;
constexpr std::int64_t kMostBytes = std::int64_t{1} << 30;  // most bytes of a kFieldBytes field

// The operator's combinations of element types, for a message.
std::string supported_signatures(const OpInfo& op);

// The operator whose descriptor this is. Checks its header.
Result<const OpInfo*> check_descriptor(const adj_header* descriptor);

// Checks what a descriptor's fields alone say: reserved bytes are zero, enumerations and element types are known, shapes and lists of axes
// have a valid length.
Result<void> check_fields(const OpInfo& op, const void* descriptor);
// Checks what the header states: ranges, element types, conditions and refusals of fields, then the sizes of arguments.
Result<void> check_stated(const OpInfo& op, const void* descriptor);
// check_fields, check_stated, then what the operator itself refuses.
Result<void> check_problem(const OpInfo& op, const void* descriptor);

// Checks a preference (null: the default one) and returns it at full size with defaults filled in.
Result<adj_preference> read_preference(const adj_preference* given);

}  // namespace adj
