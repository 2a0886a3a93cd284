// Checks of what a header states of the fields of its descriptors: ranges, element types, conditions and refusals, and the sizes of arguments.
#include <algorithm>
#include <cmath>
#include <vector>

#include "plan/plan.hpp"
#include "plan/descriptor.hpp"
#include "plan/structs.hpp"
#include "plan/terms.hpp"

namespace adj {

namespace {

constexpr std::int64_t kMostElements = std::int64_t{1} << 59;  // of a tensor, and of the tensors of a list together

std::span<const std::int64_t> list_at(const Field& field, const void* descriptor) {
  return {read<const std::int64_t*>(descriptor, field.offset), static_cast<std::size_t>(read<std::int64_t>(descriptor, field.offset - 8))};
}

// The field as a sentence has it: its name and its value.
std::string said(const Field& field, const void* descriptor) {
  const auto number = [&] { return read<std::int32_t>(descriptor, field.offset); };
  switch (field.kind) {
    case kFieldI64: return fmt::format("{} = {}", field.name, read<std::int64_t>(descriptor, field.offset));
    case kFieldF64: return fmt::format("{} = {}", field.name, read<double>(descriptor, field.offset));
    case kFieldDtype: {
      const char* type = dtype_name(static_cast<adj_dtype>(number()));
      return fmt::format("{} = {}", field.name, type ? type : std::to_string(number()));
    }
    case kFieldShape: return fmt::format("{}.rank = {}", field.name, read<std::int64_t>(descriptor, field.offset));
    case kFieldAxes: return fmt::format("{}.count = {}", field.name, read<std::int64_t>(descriptor, field.offset));
    case kFieldI32: return fmt::format("{} = {}", field.name, number());
    default: return field.name;
  }
}

// Flags are refused as enumerations are, other numbers as extents.
Result<void> check_integer(const OpInfo& op, const Field& field, const void* descriptor) {
  const bool wide = field.kind == kFieldI64;
  const std::int64_t value = wide ? read<std::int64_t>(descriptor, field.offset) : read<std::int32_t>(descriptor, field.offset);
  if (value >= field.least && value <= field.most) return {};
  if (!wide && field.least == 0 && field.most == 1)
    return fail(ADJ_ERROR_INVALID_ARGUMENT, "{}: {} = {} is not a known value (0 to 1)", op.name, field.name, value);
  if (value > field.most) return fail(ADJ_ERROR_INVALID_PROBLEM, "{}: {} = {} is above the limit {}", op.name, field.name, value, field.most);
  if (value == -1) return fail(ADJ_ERROR_INVALID_PROBLEM, "{}: {} = -1 is negative ({} was not given)", op.name, field.name, field.name);
  if (field.least == 0) return fail(ADJ_ERROR_INVALID_PROBLEM, "{}: {} = {} is negative", op.name, field.name, value);
  return fail(ADJ_ERROR_INVALID_PROBLEM, "{}: {} = {} is below {}", op.name, field.name, value, field.least);
}

// The entries of a list are within the range; where they may be as large as a tensor, so is their sum.
Result<void> check_list(const OpInfo& op, const Field& field, const void* descriptor) {
  if (field.least == kNoLeast && field.most == kNoMost) return {};
  const auto list = list_at(field, descriptor);
  std::int64_t sum = 0;
  for (std::size_t i = 0; i < list.size(); ++i) {
    if (list[i] < 0 && field.least == 0) return fail(ADJ_ERROR_INVALID_PROBLEM, "{}: {}[{}] = {} is negative", op.name, field.name, i, list[i]);
    if (field.most != kMostElements && (list[i] < field.least || list[i] > field.most))
      return fail(ADJ_ERROR_INVALID_PROBLEM, "{}: {}[{}] = {}, expected {} to {}", op.name, field.name, i, list[i], field.least, field.most);
    if (field.most != kMostElements) continue;
    if (list[i] > kMostElements - sum)
      return fail(ADJ_ERROR_INVALID_PROBLEM, "{}: {} adds up to more than 2^59 elements at {}[{}] = {}", op.name, field.name, field.name, i, list[i]);
    sum += list[i];
  }
  return {};
}

// A real number is within its range, and where no element type is f64 also after it is rounded to f32, the type of the arithmetic.
Result<void> check_real(const OpInfo& op, const Field& field, const void* descriptor) {
  const RealRange& range = field.real;
  if (!range.expected) return {};
  const auto value = read<double>(descriptor, field.offset);
  const auto low = [&](double x) { return (range.above ? x > range.least : x >= range.least) && !(range.finite && std::isinf(x)); };
  const bool f64 = std::ranges::any_of(op.fields, [&](const Field& f) { return f.kind == kFieldDtype && read<std::int32_t>(descriptor, f.offset) == ADJ_F64; });
  if (!low(value) || !(range.below ? value < range.most : value <= range.most))
    return fail(ADJ_ERROR_INVALID_PROBLEM, "{}: {} = {}, expected {}", op.name, field.name, value, range.expected);
  if (!f64 && !low(static_cast<float>(value)))
    return fail(ADJ_ERROR_INVALID_PROBLEM, "{}: {} = {}, expected {} in f32, the type of the arithmetic", op.name, field.name, value, range.expected);
  return {};
}

// Checks that the extents of a shape beside those that are 0 fit a tensor.
Result<void> check_shape(const OpInfo& op, const Field& field, const void* descriptor) {
  const auto shape = read<adj_shape>(descriptor, field.offset);
  const std::span dims(shape.dims, static_cast<std::size_t>(shape.rank));
  if (rules::volume_beside_zeros(dims, kMostElements)) return {};
  return fail(ADJ_ERROR_INVALID_PROBLEM, "{}: the shape [{}] of {} overflows 64 bits", op.name, fmt::join(dims, ", "), field.name);
}

Result<void> check_range(const OpInfo& op, const Field& field, const void* descriptor) {
  switch (field.kind) {
    case kFieldI64:
    case kFieldI32: return field.choices ? Result<void>() : check_integer(op, field, descriptor);
    case kFieldI64List: return check_list(op, field, descriptor);
    case kFieldF64: return check_real(op, field, descriptor);
    case kFieldShape: return check_shape(op, field, descriptor);
    default: return {};
  }
}

// Whether the field has its default; a list when both are empty.
bool is_default(const OpInfo& op, const Field& field, const void* descriptor) {
  const bool listed = has_length(field);
  const std::uint32_t offset = listed ? field.offset - 8 : field.offset, bytes = listed ? 8 : bytes_of(field);
  return std::memcmp(static_cast<const std::byte*>(descriptor) + offset, static_cast<const std::byte*>(op.default_descriptor) + offset, bytes) == 0;
}

Result<void> check_conditions(const OpInfo& op, const Terms& terms, const Field& field, const void* descriptor) {
  if (field.types != kNoTerm && read<std::int32_t>(descriptor, field.offset) != ADJ_DTYPE_NONE && terms.condition(field.types) == false)
    return fail(ADJ_ERROR_UNSUPPORTED, "{}: {}, expected one of {}", op.name, said(field, descriptor), field.types_words);
  if (field.only_if == kNoTerm || is_default(op, field, descriptor) || terms.condition(field.only_if) != false) return {};
  const std::string_view words = field.only_if_words;
  if (std::ranges::all_of(words, [](char c) { return std::isalnum(static_cast<unsigned char>(c)) || c == '_'; }))
    return fail(ADJ_ERROR_INVALID_PROBLEM, "{}: {} is set, but {} is 0", op.name, said(field, descriptor), words);
  return fail(ADJ_ERROR_INVALID_PROBLEM, "{}: {} is set, which needs {}", op.name, said(field, descriptor), words);
}

// Checks that the elements of an argument fit a tensor, those of a list one by one.
Result<void> check_elements(const OpInfo& op, Terms& terms, std::size_t argument) {
  const ArgumentTerms& of = op.argument_terms[argument];
  if (of.shape == kNoTerm || (of.only_if != kNoTerm && terms.condition(of.only_if) == false)) return {};
  if (op.arguments[argument].kind == ArgumentKind::list) return {};
  const auto dims = terms.dims(of.shape);
  if (dims && std::ranges::find(dims->all(), 0) != dims->all().end()) return {};  // no elements, however large the other extents are
  if (dims && rules::volume(dims->all()).value_or(kNoMost) <= kMostElements) return {};
  const std::string shape = dims ? fmt::format("{}", fmt::join(dims->all(), ", ")) : "...";
  return fail(ADJ_ERROR_INVALID_PROBLEM, "{}: the shape [{}] of {} overflows 64 bits", op.name, shape, op.arguments[argument].name);
}

}  // namespace

Result<void> check_stated(const OpInfo& op, const void* descriptor) {
  for (const Field& field : op.fields)
    if (auto ok = check_range(op, field, descriptor); !ok) return ok;
  Terms terms(op, const_cast<std::byte*>(static_cast<const std::byte*>(descriptor)));  // of which nothing is written
  for (const Field& field : op.fields)
    if (auto ok = check_conditions(op, terms, field, descriptor); !ok) return ok;
  for (const Refusal& refusal : op.refusals)
    if (terms.condition(refusal.term) == true)
      return fail(ADJ_ERROR_INVALID_PROBLEM, "{}: {} {}", op.name, said(op.fields[refusal.field], descriptor), refusal.why);
  for (std::size_t i = 0; i < op.arguments.size(); ++i)
    if (auto ok = check_elements(op, terms, i); !ok) return ok;
  return {};
}

}  // namespace adj
