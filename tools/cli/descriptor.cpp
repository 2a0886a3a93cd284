#include "descriptor.hpp"

#include <fmt/format.h>

#include <charconv>
#include <cmath>
#include <limits>

#include "base/file.hpp"
#include "words.hpp"

namespace cli {

namespace {

constexpr std::size_t kDescriptorBytes = 1 << 16;        // above any operator's descriptor
constexpr std::int64_t kLongestList = std::int64_t{1} << 24;  // far above any model
constexpr std::size_t kShownItems = 16;                  // of a list, when printed

template <class T>
std::optional<T> number_in(std::string_view text) {
  T value{};
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc{} || end != text.data() + text.size()) return std::nullopt;
  return value;
}

template <class T>
T parse_number(const std::string& field, std::string_view text, const char* expected) {
  if (const auto value = number_in<T>(text)) return *value;
  throw Misuse(fmt::format("{}: '{}' is not {}", field, text, expected));
}

// "10,20,30" or, where `may_repeat`, "1000x4096", which is a thousand times 4096; the two may be mixed.
std::vector<std::int64_t> parse_list(const std::string& field, std::string_view text, bool may_repeat) {
  std::vector<std::int64_t> list;
  for (const std::string& item : split(text, ',')) {
    const std::size_t times = item.find('x');
    const bool repeated = may_repeat && times != std::string::npos;
    const auto count = repeated ? number_in<std::int64_t>(item.substr(0, times)) : std::optional<std::int64_t>(1);
    const auto value = number_in<std::int64_t>(repeated ? item.substr(times + 1) : item);
    if (!count || !value || *count < 0)
      throw Misuse(fmt::format("{}: item '{}' of '{}' is not a 64-bit integer{}", field, item, text,
                               may_repeat ? " or a repetition such as 1000x4096" : "; items are separated by commas, as in 4,8,16"));
    if (*count > kLongestList - static_cast<std::int64_t>(list.size())) throw Misuse(fmt::format("{}: '{}' has more than {} items", field, text, kLongestList));
    list.insert(list.end(), static_cast<std::size_t>(*count), *value);
  }
  return list;
}

std::string bytes_of(const std::string& field, const std::string& path) {
  auto bytes = adj::read_file(path, adj::Source::any);
  if (!bytes) throw Refused(ADJ_ERROR_IO, fmt::format("{}: {}", field, bytes.error().message));
  return std::move(*bytes);
}

std::uint32_t length_offset(const adj_field& list) { return list.offset - static_cast<std::uint32_t>(sizeof(std::int64_t)); }

}  // namespace

// "65536" or "64KiB".
std::uint64_t parse_bytes(const std::string& option, std::string_view text) {
  constexpr std::pair<std::string_view, int> kUnits[] = {{"KiB", 10}, {"MiB", 20}, {"GiB", 30}};
  const std::string_view whole = text;
  int shift = 0;
  for (const auto& [unit, bits] : kUnits)
    if (text.ends_with(unit)) {
      shift = bits;
      text.remove_suffix(unit.size());
      break;
    }
  constexpr const char* kExpected = "a number of bytes such as 65536, 64KiB, 8MiB or 1GiB";
  const auto value = number_in<std::uint64_t>(text);
  if (!value || *value > std::numeric_limits<std::uint64_t>::max() >> shift) throw Misuse(fmt::format("{}: '{}' is not {}", option, whole, kExpected));
  return *value << shift;
}

Descriptor::Descriptor(const std::string& op_name) : storage_(kDescriptorBytes / sizeof(std::uint64_t)) {
  if (adj_op_find(op_name.c_str(), &op_) != ADJ_OK) { throw Refused(ADJ_ERROR_NOT_FOUND, adj_last_error() + suggestion(op_name, op_names())); }
  check(adj_op_descriptor_init(op_, storage_.data(), kDescriptorBytes));
  const std::int64_t count = adj_op_field_count(op_);
  for (std::int64_t i = 0; i < count; ++i) fields_.push_back(get<adj_field>(adj_op_field, op_, i));
}

void Descriptor::set(const std::string& word) {
  const std::size_t equals = word.find('=');
  if (equals == std::string::npos || equals == 0) throw Misuse(fmt::format("'{}' is not of the form field=value", word), field_table());
  const std::string name = word.substr(0, equals), value = word.substr(equals + 1);
  const adj_field* field = nullptr;
  for (const adj_field& f : fields_)
    if (name == f.name) field = &f;
  if (!field) {
    std::vector<std::string> names;
    for (const adj_field& f : fields_) names.emplace_back(f.name);
    throw Misuse(fmt::format("{} has no field '{}'{}", op_name(), name, suggestion(name, names)), "its fields:\n" + field_table());
  }
  if (const adj_field* list = list_counted_by(*field)) throw Misuse(fmt::format("{}: follows from the length of {}; give that instead", name, list->name));
  if (!given_.emplace(name, value).second) throw Misuse(fmt::format("{}: given twice", name));
  assign(*field, value);
}

Json Descriptor::value(const adj_field& field) const {
  switch (field.kind) {
    case ADJ_FIELD_I64: return read<std::int64_t>(field.offset);
    case ADJ_FIELD_DTYPE: return dtype_text(read<adj_dtype>(field.offset));
    case ADJ_FIELD_F64: return read<double>(field.offset);
    case ADJ_FIELD_I64_LIST: {
      const auto* items = read<const std::int64_t*>(field.offset);
      return std::vector<std::int64_t>(items, items + read<std::int64_t>(length_offset(field)));
    }
    case ADJ_FIELD_F64_LIST: {
      const auto* items = read<const double*>(field.offset);
      return std::vector<double>(items, items + read<std::int64_t>(length_offset(field)));
    }
    case ADJ_FIELD_SHAPE:
    case ADJ_FIELD_AXES: {
      std::vector<std::int64_t> items(static_cast<std::size_t>(read<std::int64_t>(field.offset)));
      for (std::size_t i = 0; i < items.size(); ++i) items[i] = read<std::int64_t>(field.offset + static_cast<std::uint32_t>(8 * (i + 1)));
      return items;
    }
    case ADJ_FIELD_TEXT: {
      const auto* text = read<const char*>(field.offset);
      return text ? Json(text) : Json();
    }
    case ADJ_FIELD_BYTES: return read<const void*>(field.offset) ? Json(fmt::format("{} bytes", read<std::int64_t>(length_offset(field)))) : Json();
    case ADJ_FIELD_POINTER: return Json();
    default: {
      const auto number = read<std::int32_t>(field.offset);
      const std::vector<std::string> choices = choices_of(field);
      return number >= 0 && static_cast<std::size_t>(number) < choices.size() ? Json(choices[static_cast<std::size_t>(number)]) : Json(number);
    }
  }
}

std::string Descriptor::type_text(const adj_field& field) const {
  switch (field.kind) {
    case ADJ_FIELD_I64: return "64-bit integer";
    case ADJ_FIELD_DTYPE: return "element type";
    case ADJ_FIELD_F64: return "number";
    case ADJ_FIELD_I64_LIST: return "list of 64-bit integers";
    case ADJ_FIELD_F64_LIST: return "list of numbers";
    case ADJ_FIELD_SHAPE: return "shape, as 4,8,16";
    case ADJ_FIELD_AXES: return "at most 8 integers, as 0,-1";
    case ADJ_FIELD_TEXT: return "text";
    case ADJ_FIELD_BYTES: return "text, or @FILE for its bytes";
    case ADJ_FIELD_POINTER: return "address, not to be given here";
    default: {
      const std::vector<std::string> choices = choices_of(field);
      return choices.empty() ? "32-bit integer" : join(choices, "|");
    }
  }
}

std::string Descriptor::field_table() const {
  const Descriptor defaults(op_name());
  Table table({{"FIELD"}, {"TYPE"}, {"DEFAULT"}, {"ABOUT"}});
  for (const adj_field& field : fields_) {
    const adj_field* list = list_counted_by(field);
    table.add({field.name, list ? fmt::format("the length of {}", list->name) : type_text(field), value_text(defaults.value(field)), field.about});
  }
  return table.text();
}

namespace {
constexpr const char* kArgumentKinds[] = {"", "tensor", "list of tensors", "scalar", "random state", "handle"};
constexpr const char* kRoles[] = {"", "in", "out", "in/out"};
}  // namespace

std::string Descriptor::argument_table() const {
  static constexpr const char* presences[] = {"", "", ", optional", ", as fields say"};
  Table table({{"ARGUMENT"}, {"KIND"}, {"ROLE"}, {"ABOUT"}});
  const std::int64_t count = adj_op_argument_count(op_);
  for (std::int64_t i = 0; i < count; ++i) {
    const auto argument = get<adj_argument>(adj_op_argument, op_, i);
    table.add({argument.name, fmt::format("{}{}", kArgumentKinds[argument.kind], argument.host ? " in host memory" : ""),
               fmt::format("{}{}", kRoles[argument.role], presences[argument.presence]), argument.about});
  }
  return table.text();
}

Json Descriptor::fields_json() const {
  const Descriptor defaults(op_name());
  Json rows = Json::array();
  for (std::size_t i = 0; i < fields_.size(); ++i) {
    const adj_field& field = fields_[i];
    const auto limits = get<adj_field_limits>(adj_op_field_limits, op_, static_cast<std::int64_t>(i));
    Json row = {{"name", field.name}, {"type", type_text(field)}, {"default", defaults.value(field)}, {"about", field.about}};
    if (limits.least != std::numeric_limits<std::int64_t>::min()) row["least"] = limits.least;
    if (limits.most != std::numeric_limits<std::int64_t>::max()) row["most"] = limits.most;
    if (limits.number) {
      if (std::isfinite(limits.least_real)) row[limits.above_least ? "above" : "least"] = limits.least_real;
      if (std::isfinite(limits.most_real)) row[limits.below_most ? "below" : "most"] = limits.most_real;
      row["finite"] = limits.finite != 0;
    }
    if (*limits.types) row["types"] = limits.types;
    if (*limits.only_if) row["only_if"] = limits.only_if;
    if (*limits.refused_if) row["refused_if"] = split(limits.refused_if, '\n');
    rows.push_back(std::move(row));
  }
  return rows;
}

Json Descriptor::arguments_json() const {
  static constexpr const char* presences[] = {"", "required", "optional", "as fields say"};
  Json rows = Json::array();
  const std::int64_t count = adj_op_argument_count(op_);
  for (std::int64_t i = 0; i < count; ++i) {
    const auto argument = get<adj_argument>(adj_op_argument, op_, i);
    rows.push_back({{"name", argument.name},
                    {"kind", kArgumentKinds[argument.kind]},
                    {"role", kRoles[argument.role]},
                    {"presence", presences[argument.presence]},
                    {"host_memory", argument.host != 0},
                    {"about", argument.about}});
  }
  return rows;
}

std::string Descriptor::value_text(const Json& value) {
  if (value.is_string()) return value.get<std::string>();
  if (!value.is_array()) return value.dump();
  std::vector<std::string> items;
  for (const Json& item : value) {
    if (items.size() == kShownItems) {
      items.push_back(fmt::format("... ({} items)", value.size()));
      break;
    }
    items.push_back(item.dump());
  }
  return "[" + join(items) + "]";
}

const adj_field* Descriptor::list_counted_by(const adj_field& field) const {
  for (const adj_field& f : fields_)
    if ((f.kind == ADJ_FIELD_I64_LIST || f.kind == ADJ_FIELD_F64_LIST || f.kind == ADJ_FIELD_BYTES) && field.offset == length_offset(f)) return &f;
  return nullptr;
}

void Descriptor::assign(const adj_field& field, const std::string& text) {
  const std::string name = field.name;
  switch (field.kind) {
    case ADJ_FIELD_I64: return write(field.offset, parse_number<std::int64_t>(name, text, "a 64-bit integer"));
    case ADJ_FIELD_F64: return write(field.offset, parse_number<double>(name, text, "a number"));
    case ADJ_FIELD_DTYPE:
      if (const auto dtype = dtype_value(text)) return write(field.offset, *dtype);
      throw Misuse(fmt::format("{}: unknown element type '{}'; known: none, {}{}", name, text, known_dtypes(), suggestion(text, dtype_names())));
    case ADJ_FIELD_I64_LIST: {
      const std::vector<std::int64_t>& list = lists_.emplace_back(parse_list(name, text, true));
      write(length_offset(field), static_cast<std::int64_t>(list.size()));
      return write(field.offset, list.data());
    }
    case ADJ_FIELD_F64_LIST: {
      std::vector<double>& list = numbers_.emplace_back();
      for (const std::string& item : split(text, ',')) list.push_back(parse_number<double>(name, item, "a number"));
      write(length_offset(field), static_cast<std::int64_t>(list.size()));
      return write(field.offset, list.data());
    }
    case ADJ_FIELD_SHAPE:
    case ADJ_FIELD_AXES: {
      const std::vector<std::int64_t> list = parse_list(name, text, false);
      if (list.size() > ADJ_MAX_RANK) throw Misuse(fmt::format("{}: '{}' has more than {} items", name, text, ADJ_MAX_RANK));
      write(field.offset, static_cast<std::int64_t>(list.size()));
      for (std::size_t i = 0; i < list.size(); ++i) write(field.offset + static_cast<std::uint32_t>(8 * (i + 1)), list[i]);
      return;
    }
    case ADJ_FIELD_BYTES: {
      std::string& bytes = texts_.emplace_back(text.starts_with('@') ? bytes_of(name, text.substr(1)) : text);
      write(length_offset(field), static_cast<std::int64_t>(bytes.size()));
      return write(field.offset, bytes.c_str());
    }
    case ADJ_FIELD_TEXT: return write(field.offset, texts_.emplace_back(text).c_str());
    case ADJ_FIELD_I32: {
      const std::vector<std::string> choices = choices_of(field);
      for (std::size_t i = 0; i < choices.size(); ++i)
        if (choices[i] == text) return write(field.offset, static_cast<std::int32_t>(i));
      if (choices.empty() && (text == "true" || text == "false")) return write(field.offset, std::int32_t{text == "true"});
      const std::string expected = choices.empty() ? "a 32-bit integer" : fmt::format("one of {} or its number{}", join(choices), suggestion(text, choices));
      return write(field.offset, parse_number<std::int32_t>(name, text, expected.c_str()));
    }
    default:
      throw Refused(ADJ_ERROR_UNSUPPORTED, fmt::format("{}: the library describes it as kind {}, unknown to this tool", name, static_cast<int>(field.kind)));
  }
}

}  // namespace cli
