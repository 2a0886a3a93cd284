// Descriptors and preferences: copies at full size, and the checks of their fields.
#include <algorithm>

#include "plan/plan.hpp"
#include "plan/descriptor.hpp"
#include "plan/structs.hpp"

namespace adj {

std::string supported_signatures(const OpInfo& op) {
  std::string text;
  for (const Signature& s : op.signatures) text += (text.empty() ? "" : ", ") + s.name();
  return text;
}

namespace {

// Bytes that no field covers are reserved. They must be zero, so that a later version may give them a meaning.
Result<void> check_reserved(const OpInfo& op, const void* descriptor) {
  std::vector<bool> used(op.descriptor_size);
  auto use = [&](std::uint32_t offset, std::uint32_t size) { std::fill_n(used.begin() + offset, size, true); };
  use(0, sizeof(adj_header));
  for (const Field& field : op.fields) {
    use(field.offset, bytes_of(field));
    if (has_length(field)) use(field.offset - 8, 8);
  }
  for (std::uint32_t i = 0; i < op.descriptor_size; ++i)
    if (!used[i] && read<unsigned char>(descriptor, i) != 0) {
      const Field* before = nullptr;
      for (const Field& field : op.fields)
        if (field.offset < i && (!before || field.offset > before->offset)) before = &field;
      return fail(ADJ_ERROR_INVALID_ARGUMENT, "{} descriptor: the reserved byte {}, behind {}, is not zero", op.name, i, before ? before->name : "header");
    }
  return {};
}

// Checks a shape or a list of axes: its length is at most ADJ_MAX_RANK, its elements behind the end are zero.
Result<void> check_dims(const OpInfo& op, const Field& field, const void* descriptor) {
  const bool shape = field.kind == kFieldShape;
  const auto count = read<std::int64_t>(descriptor, field.offset);
  if (count < 0 || count > ADJ_MAX_RANK)
    return fail(ADJ_ERROR_INVALID_PROBLEM, "{}: {}.{} = {}, expected 0 to {}", op.name, field.name, shape ? "rank" : "count", count, ADJ_MAX_RANK);
  for (std::int64_t i = 0; i < ADJ_MAX_RANK; ++i) {
    const auto item = read<std::int64_t>(descriptor, field.offset + 8 + 8 * static_cast<std::uint64_t>(i));
    if (i >= count && item != 0)
      return fail(ADJ_ERROR_INVALID_PROBLEM, "{}: {}.{}[{}] = {} is set, but {}.{} = {}", op.name, field.name, shape ? "dims" : "at", i, item, field.name,
                  shape ? "rank" : "count", count);
    if (shape && item < 0) return fail(ADJ_ERROR_INVALID_PROBLEM, "{}: {}.dims[{}] = {} is negative", op.name, field.name, i, item);
  }
  return {};
}

// Checks that every element type is one of adj_dtype, and every enumeration has a value with a name.
Result<void> check_known(const OpInfo& op, const void* descriptor) {
  for (const Field& field : op.fields) {
    const auto value = field.kind == kFieldDtype || field.choices ? read<std::int32_t>(descriptor, field.offset) : 0;
    if (field.kind == kFieldDtype && value != ADJ_DTYPE_NONE && !dtype_name(static_cast<adj_dtype>(value)))
      return fail(ADJ_ERROR_INVALID_ARGUMENT, "{}: {} = {} is not an element type; the operator has {} ({})", op.name, field.name, value,
                  supported_signatures(op), op.signature_columns);
    if (field.kind == kFieldDtype && value == ADJ_F8_E8M0)
      return fail(ADJ_ERROR_UNSUPPORTED, "{}: {} = f8_e8m0 is reserved: no kernel multiplies blocks of 32 with such scales; the operator has {} ({})", op.name,
                  field.name, supported_signatures(op), op.signature_columns);
    if (field.choices && (value < 0 || value > std::count(field.choices, field.choices + std::strlen(field.choices), ',')))
      return fail(ADJ_ERROR_INVALID_ARGUMENT, "{}: {} = {} is not a known value (0 to {}: {})", op.name, field.name, value,
                  std::count(field.choices, field.choices + std::strlen(field.choices), ','), field.choices);
  }
  return {};
}

}  // namespace

Result<void> check_fields(const OpInfo& op, const void* descriptor) {
  if (auto ok = check_reserved(op, descriptor); !ok) return ok;
  if (auto ok = check_known(op, descriptor); !ok) return ok;
  for (const Field& field : op.fields)
    if (field.kind == kFieldShape || field.kind == kFieldAxes)
      if (auto ok = check_dims(op, field, descriptor); !ok) return ok;
  return {};
}

Result<void> check_problem(const OpInfo& op, const void* descriptor) {
  if (auto ok = check_fields(op, descriptor); !ok) return ok;
  if (auto ok = check_stated(op, descriptor); !ok) return ok;
  return op.validate ? op.validate(descriptor) : Result<void>{};
}

Result<adj_preference> read_preference(const adj_preference* given) {
  static constexpr adj_preference kDefault;
  if (!given) given = &kDefault;
  adj_preference p;
  if (auto ok = check_header(&given->header, ADJ_TAG_PREFERENCE, first_size(ADJ_TAG_PREFERENCE), sizeof p, "preference"); !ok) return ok.take_error();
  copy_struct(&p, &given->header, sizeof p);
  auto check = [](const char* field, std::int32_t value, std::int32_t last) -> Result<void> {
    if (value >= 0 && value <= last) return {};
    return fail(ADJ_ERROR_INVALID_ARGUMENT, "preference.{} = {} is not a known value (0 to {})", field, value, last);
  };
  if (auto ok = check("determinism", p.determinism, ADJ_BATCH_INVARIANT); !ok) return ok.take_error();
  if (auto ok = check("math", p.math, ADJ_MATH_FAST); !ok) return ok.take_error();
  if (auto ok = check("jit", p.jit, ADJ_JIT_PACKS_ONLY); !ok) return ok.take_error();
  if (auto ok = check("backend", p.backend, ADJ_BACKEND_CUBLASLT); !ok) return ok.take_error();
  if (auto ok = check("fallback", p.fallback, 1); !ok) return ok.take_error();
  if (auto ok = check("tune", p.tune, 1); !ok) return ok.take_error();
  if (p.reserved) return fail(ADJ_ERROR_INVALID_ARGUMENT, "preference.reserved = {}, expected 0", p.reserved);
  if (p.workspace_arch)
    if (auto known = offline_device(p.workspace_arch); !known)
      return fail(ADJ_ERROR_INVALID_ARGUMENT, "preference.workspace_arch = {}: {}", p.workspace_arch, known.error().message);
  if (p.determinism == ADJ_DETERMINISM_DEFAULT) p.determinism = ADJ_RUN_TO_RUN;
  return p;
}

Result<const OpInfo*> check_descriptor(const adj_header* header) {
  if (!header) return fail(ADJ_ERROR_INVALID_ARGUMENT, "descriptor is null");
  const OpInfo* op = described_op(header->tag);
  if (!op) return wrong_tag("descriptor", header->tag, ADJ_TAG_NONE);
  const std::string what = fmt::format("{} descriptor", op->name);
  if (auto ok = check_header(header, ADJ_DESCRIPTOR_TAG(op->id), op->first_descriptor_size, op->descriptor_size, what.c_str()); !ok) return ok.take_error();
  return op;
}

Result<DescriptorCopy> DescriptorCopy::make(const adj_header* header) {
  auto described = check_descriptor(header);
  if (!described) return described.take_error();
  const OpInfo* op = *described;
  DescriptorCopy copy;
  copy.op_ = op;
  copy.bytes_.resize((op->descriptor_size + 7) / 8);
  std::memcpy(copy.bytes_.data(), op->default_descriptor, op->descriptor_size);
  copy_struct(copy.bytes_.data(), header, op->descriptor_size);
  copy.lists_ = std::make_shared<std::vector<std::vector<std::int64_t>>>();
  copy.texts_ = std::make_shared<std::deque<std::string>>();
  auto write = [&](std::uint32_t offset, auto value) { std::memcpy(reinterpret_cast<char*>(copy.bytes_.data()) + offset, &value, sizeof value); };
  for (const Field& field : op->fields) {
    if (field.kind == kFieldText) {
      if (const auto* text = read<const char*>(copy.get(), field.offset)) write(field.offset, copy.texts_->emplace_back(text).c_str());
    }
    if (!has_length(field)) continue;
    const auto count = read<std::int64_t>(copy.get(), field.offset - 8);
    if (field.kind == kFieldBytes) {
      const auto* bytes = read<const char*>(copy.get(), field.offset);
      if (count < -1 || count > kMostBytes)
        return fail(ADJ_ERROR_INVALID_PROBLEM, "{}: {} has {} bytes, expected -1 to {}", op->name, field.name, count, kMostBytes);
      if (!bytes) {
        if (count > 0) return fail(ADJ_ERROR_INVALID_ARGUMENT, "{}: {} is null, {} bytes expected", op->name, field.name, count);
        continue;
      }
      const std::string& own = count < 0 ? copy.texts_->emplace_back(bytes) : copy.texts_->emplace_back(bytes, static_cast<std::size_t>(count));
      write(field.offset - 8, static_cast<std::int64_t>(own.size()));
      write(field.offset, own.c_str());
      continue;
    }
    const auto* items = read<const std::int64_t*>(copy.get(), field.offset);  // i64 or f64, copied as 8 bytes each
    if (count < 0 || count > kLongestList)
      return fail(ADJ_ERROR_INVALID_PROBLEM, "{}: the list {} has length {}, expected 0 to {}", op->name, field.name, count, kLongestList);
    if (count > 0 && !items) return fail(ADJ_ERROR_INVALID_ARGUMENT, "{}: {} is null, {} elements expected", op->name, field.name, count);
    auto& list = copy.lists_->emplace_back();
    if (count > 0) list.assign(items, items + count);
    write(field.offset, list.data());
  }
  return copy;
}

std::size_t DescriptorCopy::bytes() const {
  std::size_t total = bytes_.size() * sizeof bytes_[0];
  for (const auto& list : *lists_) total += list.size() * sizeof list[0];
  for (const std::string& text : *texts_) total += text.size();
  return total;
}

}  // namespace adj
