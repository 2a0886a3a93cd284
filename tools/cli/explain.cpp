// adjoint sku explain: fills a descriptor from key=value words and shows how the kernel for it is chosen.
#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include <charconv>
#include <cstring>
#include <deque>
#include <limits>
#include <map>
#include <optional>

#include "abi.hpp"
#include "commands.hpp"
#include "output.hpp"
#include "words.hpp"

namespace {

using namespace cli;

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
  if (!value || *value > std::numeric_limits<std::uint64_t>::max() >> shift)
    throw Misuse(fmt::format("{}: '{}' is not {}", option, whole, kExpected));
  return *value << shift;
}

// "10,20,30" or "1000x4096", which is a thousand times 4096; the two may be mixed.
std::vector<std::int64_t> parse_list(const std::string& field, std::string_view text) {
  std::vector<std::int64_t> list;
  for (const std::string& item : split(text, ',')) {
    const std::size_t times = item.find('x');
    const bool repeated = times != std::string::npos;
    const auto count = repeated ? number_in<std::int64_t>(item.substr(0, times)) : std::optional<std::int64_t>(1);
    const auto value = number_in<std::int64_t>(repeated ? item.substr(times + 1) : item);
    if (!count || !value || *count < 0)
      throw Misuse(fmt::format("{}: item '{}' of '{}' is not a 64-bit integer or a repetition such as 1000x4096", field, item, text));
    if (*count > kLongestList - static_cast<std::int64_t>(list.size()))
      throw Misuse(fmt::format("{}: '{}' has more than {} items", field, text, kLongestList));
    list.insert(list.end(), static_cast<std::size_t>(*count), *value);
  }
  return list;
}

// An operator's descriptor as bytes, reached through the interface's field table.
class Descriptor {
 public:
  explicit Descriptor(const std::string& op_name) : storage_(kDescriptorBytes / sizeof(std::uint64_t)) {
    check(adj_op_find(op_name.c_str(), &op_));
    check(adj_op_descriptor_init(op_, storage_.data(), kDescriptorBytes));
    const std::int64_t count = adj_op_field_count(op_);
    for (std::int64_t i = 0; i < count; ++i) fields_.push_back(get<adj_field>(adj_op_field, op_, i));
  }

  const adj_header* header() const { return reinterpret_cast<const adj_header*>(storage_.data()); }
  const char* op_name() const { return adj_op_name(op_); }
  const std::vector<adj_field>& fields() const { return fields_; }

  void set(const std::string& word) {
    const std::size_t equals = word.find('=');
    if (equals == std::string::npos || equals == 0)
      throw Misuse(fmt::format("'{}' is not of the form field=value", word), field_table());
    const std::string name = word.substr(0, equals), value = word.substr(equals + 1);
    const adj_field* field = nullptr;
    for (const adj_field& f : fields_)
      if (name == f.name) field = &f;
    if (!field) throw Misuse(fmt::format("{} has no field '{}'; its fields:", op_name(), name), field_table());
    if (const adj_field* list = list_counted_by(*field))
      throw Misuse(fmt::format("{}: follows from the length of {}; give that instead", name, list->name));
    if (!given_.emplace(name, value).second) throw Misuse(fmt::format("{}: given twice", name));
    assign(*field, value);
  }

  Json value(const adj_field& field) const {
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
      case ADJ_FIELD_POINTER: return Json();
      default: {
        const auto number = read<std::int32_t>(field.offset);
        const std::vector<std::string> choices = choices_of(field);
        return number >= 0 && static_cast<std::size_t>(number) < choices.size() ? Json(choices[static_cast<std::size_t>(number)]) : Json(number);
      }
    }
  }

  std::string type_text(const adj_field& field) const {
    switch (field.kind) {
      case ADJ_FIELD_I64: return "64-bit integer";
      case ADJ_FIELD_DTYPE: return "element type";
      case ADJ_FIELD_F64: return "number";
      case ADJ_FIELD_I64_LIST: return "list of 64-bit integers";
      case ADJ_FIELD_F64_LIST: return "list of numbers";
      case ADJ_FIELD_SHAPE: return "shape, as 4,8,16";
      case ADJ_FIELD_AXES: return "at most 8 integers, as 0,-1";
      case ADJ_FIELD_TEXT: return "text";
      case ADJ_FIELD_POINTER: return "address, not to be given here";
      default: {
        const std::vector<std::string> choices = choices_of(field);
        return choices.empty() ? "32-bit integer" : join(choices, "|");
      }
    }
  }

  // The fields with their types and defaults.
  std::string field_table() const {
    const Descriptor defaults(op_name());
    Table table({{"FIELD"}, {"TYPE"}, {"DEFAULT"}, {"ABOUT"}});
    for (const adj_field& field : fields_) {
      const adj_field* list = list_counted_by(field);
      table.add({field.name, list ? fmt::format("the length of {}", list->name) : type_text(field), value_text(defaults.value(field)),
                 field.about});
    }
    return table.text();
  }

  std::string argument_table() const {
    static constexpr const char* kinds[] = {"", "tensor", "list of tensors", "scalar", "random state", "handle"};
    static constexpr const char* roles[] = {"", "in", "out", "in/out"};
    static constexpr const char* presences[] = {"", "", ", optional", ", as fields say"};
    Table table({{"ARGUMENT"}, {"KIND"}, {"ROLE"}, {"ABOUT"}});
    const std::int64_t count = adj_op_argument_count(op_);
    for (std::int64_t i = 0; i < count; ++i) {
      const auto argument = get<adj_argument>(adj_op_argument, op_, i);
      table.add({argument.name, fmt::format("{}{}", kinds[argument.kind], argument.host ? " in host memory" : ""),
                 fmt::format("{}{}", roles[argument.role], presences[argument.presence]), argument.about});
    }
    return table.text();
  }

  static std::string value_text(const Json& value) {
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

 private:
  template <class T>
  T read(std::uint32_t offset) const {
    T value;
    std::memcpy(&value, reinterpret_cast<const char*>(storage_.data()) + offset, sizeof value);
    return value;
  }
  template <class T>
  void write(std::uint32_t offset, T value) {
    std::memcpy(reinterpret_cast<char*>(storage_.data()) + offset, &value, sizeof value);
  }

  static std::uint32_t length_offset(const adj_field& list) { return list.offset - static_cast<std::uint32_t>(sizeof(std::int64_t)); }
  const adj_field* list_counted_by(const adj_field& field) const {
    for (const adj_field& f : fields_)
      if ((f.kind == ADJ_FIELD_I64_LIST || f.kind == ADJ_FIELD_F64_LIST) && field.offset == length_offset(f)) return &f;
    return nullptr;
  }

  void assign(const adj_field& field, const std::string& text) {
    const std::string name = field.name;
    switch (field.kind) {
      case ADJ_FIELD_I64: return write(field.offset, parse_number<std::int64_t>(name, text, "a 64-bit integer"));
      case ADJ_FIELD_F64: return write(field.offset, parse_number<double>(name, text, "a number"));
      case ADJ_FIELD_DTYPE:
        if (const auto dtype = dtype_value(text)) return write(field.offset, *dtype);
        throw Misuse(fmt::format("{}: unknown element type '{}'; known: none, {}", name, text, known_dtypes()));
      case ADJ_FIELD_I64_LIST: {
        const std::vector<std::int64_t>& list = lists_.emplace_back(parse_list(name, text));
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
        const std::vector<std::int64_t> list = parse_list(name, text);
        if (list.size() > ADJ_MAX_RANK) throw Misuse(fmt::format("{}: '{}' has more than {} items", name, text, ADJ_MAX_RANK));
        write(field.offset, static_cast<std::int64_t>(list.size()));
        for (std::size_t i = 0; i < list.size(); ++i) write(field.offset + static_cast<std::uint32_t>(8 * (i + 1)), list[i]);
        return;
      }
      case ADJ_FIELD_TEXT: return write(field.offset, texts_.emplace_back(text).c_str());
      case ADJ_FIELD_I32: {
        const std::vector<std::string> choices = choices_of(field);
        for (std::size_t i = 0; i < choices.size(); ++i)
          if (choices[i] == text) return write(field.offset, static_cast<std::int32_t>(i));
        if (choices.empty() && (text == "true" || text == "false")) return write(field.offset, std::int32_t{text == "true"});
        const std::string expected =
            choices.empty() ? "a 32-bit integer" : fmt::format("one of {} or its number", join(choices));
        return write(field.offset, parse_number<std::int32_t>(name, text, expected.c_str()));
      }
      default: throw Refused(ADJ_ERROR_UNSUPPORTED, fmt::format("{}: the library describes it as kind {}, unknown to this tool", name, field.kind));
    }
  }

  adj_op op_ = ADJ_OP_NONE;
  std::vector<std::uint64_t> storage_;
  std::vector<adj_field> fields_;
  std::deque<std::vector<std::int64_t>> lists_;  // the descriptor points into them, and into these:
  std::deque<std::vector<double>> numbers_;
  std::deque<std::string> texts_;
  std::map<std::string, std::string> given_;
};

struct ExplainOptions {
  std::string op;
  std::vector<std::string> words;
  std::string arch, determinism, math, sku, workspace_limit;
  std::optional<std::int64_t> device;
  bool host = false, fields = false, json = false;
};

struct Target {
  adj_stream stream;
  std::string kind;  // "host", "offline" or "device"
  std::string text;
  adj_stream unloaded;  // where a plan costs no compile and loads nothing: offline for a device
};

Target target_of(const ExplainOptions& o) {
  auto offline = [](const char* arch, std::string text) {
    const auto stream = get<adj_stream>(adj_stream_offline, arch);
    return Target{stream, "offline", std::move(text), stream};
  };
  if (o.host) return {adj_stream_host(), "host", "the host", adj_stream_host()};
  if (!o.arch.empty()) return offline(o.arch.c_str(), fmt::format("a device of {}", o.arch));
  const std::int64_t devices = adj_device_count();
  if (o.device || devices > 0) {
    const std::int64_t i = o.device.value_or(0);
    if (i < 0 || i >= devices)
      throw Refused(ADJ_ERROR_NOT_FOUND, fmt::format("there is no device {}; this machine has {}", i, plural(devices, "device")));
    const auto info = get<adj_device_info>(adj_device_get, i);
    const std::string arch = info.arch;
    const auto unloaded = get<adj_stream>(adj_stream_offline, arch.c_str());
    adj_stream stream = unloaded;  // that of the device which needs no handle, since nothing runs
    stream.kind = ADJ_STREAM_CUDA;
    stream.device = static_cast<std::int32_t>(i);
    return {stream, "device", fmt::format("device {}: {} ({})", i, info.name, arch), unloaded};
  }
  constexpr const char* kAssumed = "sm_90a";
  return offline(kAssumed, fmt::format("a device of {} (assumed: no GPU here)", kAssumed));
}

adj_preference preference_of(const ExplainOptions& o) {
  adj_preference p;
  if (!o.determinism.empty()) p.determinism = *value_of(kDeterminismWords, o.determinism);
  if (!o.math.empty()) p.math = *value_of(kMathWords, o.math);
  if (!o.workspace_limit.empty()) p.workspace_limit = parse_bytes("--workspace-limit", o.workspace_limit);
  if (!o.sku.empty()) p.sku = o.sku.c_str();
  return p;
}

struct Choice {
  PlanPtr plan;
  ErrorPtr error;  // set when there is no plan
  adj_status code = ADJ_OK;
  adj_sku_info sku;
  adj_plan_info info;
};

Choice choose(const adj_stream& stream, const Descriptor& descriptor, const adj_preference& preference) {
  Choice choice;
  adj_plan* plan = nullptr;
  adj_error* error = nullptr;
  choice.code = adj_plan_select(&stream, descriptor.header(), &preference, &plan, &error);
  choice.plan.reset(plan);
  choice.error.reset(error);
  if (choice.code == ADJ_OK) {
    choice.sku = get<adj_sku_info>(adj_plan_sku, plan);
    choice.info = get<adj_plan_info>(adj_plan_get_info, plan);
  }
  return choice;
}

void print_candidates(const std::vector<adj_rejection>& candidates) {
  if (candidates.empty()) {
    fmt::print("no candidate has these element types\n");
    return;
  }
  Table table({{"CANDIDATE"}, {"VERDICT"}, {"WHY"}});
  for (const adj_rejection& c : candidates) {
    const bool accepted = c.code == ADJ_OK;
    table.add({c.sku, {accepted ? "accepted" : adj_status_name(c.code), accepted ? Style::good : Style::bad}, accepted ? "" : c.reason});
  }
  table.print();
}

Json choice_json(const Choice& choice) {
  if (!choice.plan) return nullptr;
  return {{"sku", choice.sku.id},
          {"workspace_bytes", choice.info.workspace_size},
          {"bind_workspace_bytes", choice.info.bind_workspace_size},
          {"launches", choice.info.launches},
          {"bound_launches", choice.info.bound_launches},
          {"guarantee", guarantee_json(choice.sku.guarantee)}};
}

void print_choice(const Choice& choice) {
  if (!choice.plan) {
    fmt::print("\nselect would choose nothing\n");
    return;
  }
  fmt::print("\nselect would choose {}\n", styled(choice.sku.id, Style::strong));
  fmt::print("  {}\n", choice.sku.summary);
  fmt::print("  workspace: {}", bytes_text(choice.info.workspace_size));
  if (choice.info.bind_workspace_size != choice.info.workspace_size)
    fmt::print(", {} to bind", bytes_text(choice.info.bind_workspace_size));
  fmt::print("\n  launches: {}", choice.info.launches);
  if (choice.info.bound_launches != choice.info.launches) fmt::print(", {} bound", choice.info.bound_launches);
  fmt::print("\n");
  for (const std::string& sentence : guarantee_sentences(choice.sku.guarantee)) fmt::print("  {}\n", sentence);
}

void explain(const ExplainOptions& o) {
  Descriptor descriptor(o.op);
  if (o.fields) {
    fmt::print("{}\n{}", descriptor.field_table(), descriptor.argument_table());
    return;
  }
  for (const std::string& word : o.words) descriptor.set(word);
  const Target target = target_of(o);
  const adj_preference preference = preference_of(o);

  adj_error* raw = nullptr;
  const adj_status status = adj_plan_explain(&target.stream, descriptor.header(), &preference, &raw);
  const ErrorPtr report(raw);
  check(status, report);
  std::vector<adj_rejection> candidates;
  const std::int64_t count = adj_error_rejection_count(report.get());
  for (std::int64_t i = 0; i < count; ++i) candidates.push_back(get<adj_rejection>(adj_error_rejection, report.get(), i));

  adj_preference chosen = preference;
  adj_stream stream = target.stream;
  for (const adj_rejection& c : candidates)
    if (c.code == ADJ_OK) {
      chosen.sku = c.sku;
      // cuDNN plans on the device alone, and compiles nothing of ours.
      if (get<adj_sku_info>(adj_sku_find, c.sku).backend != ADJ_BACKEND_CUDNN) stream = target.unloaded;
      break;
    }
  const Choice choice = choose(stream, descriptor, chosen);
  const std::string refusal = choice.plan ? "" : adj_last_error();

  Json fields = Json::object();
  for (const adj_field& field : descriptor.fields()) fields[field.name] = descriptor.value(field);
  if (o.json) {
    Json rows = Json::array();
    for (const adj_rejection& c : candidates)
      rows.push_back({{"sku", c.sku}, {"accepted", c.code == ADJ_OK}, {"code", adj_status_name(c.code)}, {"reason", c.reason}});
    Json object{{"op", descriptor.op_name()},
                {"target", {{"kind", target.kind}, {"text", target.text}}},
                {"descriptor", fields},
                {"candidates", rows},
                {"chosen", choice_json(choice)}};
    object["error"] = choice.plan ? Json(nullptr) : Json{{"code", adj_status_name(choice.code)}, {"message", refusal}};
    print_json(object);
  } else {
    fmt::print("{} on {}\n", styled(descriptor.op_name(), Style::strong), target.text);
    for (const auto& [name, value] : fields.items()) fmt::print("  {} = {}\n", name, Descriptor::value_text(value));
    fmt::print("\n");
    print_candidates(candidates);
    print_choice(choice);
  }
  if (!choice.plan) check(choice.code, choice.error);
}

}  // namespace

void add_sku_explain(CLI::App& sku) {
  CLI::App& command = *sku.add_subcommand("explain", "how the kernel for a problem is chosen, candidate by candidate");
  auto o = std::make_shared<ExplainOptions>();
  command.add_option("OP", o->op, "operator")->required();
  command.add_option("FIELD=VALUE", o->words,
                     "fields of the descriptor: integers, numbers, element types and enumerators by name, lists as 10,20,30 "
                     "or 1000x4096 (a thousand items of 4096)");
  auto* arch = command.add_option("--arch", o->arch, "a device that need not exist")->type_name("sm_XX");
  auto* host = command.add_flag("--host", o->host, "the host backend");
  auto* device = command.add_option("--device", o->device, "a GPU of this machine (default: the first, else sm_90a)")->type_name("N");
  arch->excludes(host)->excludes(device);
  host->excludes(device);
  command.add_option("--determinism", o->determinism, "least level accepted (default run_to_run)")
      ->check(CLI::IsMember(names(kDeterminismWords, ADJ_NONDETERMINISTIC)));
  command.add_option("--math", o->math, "ieee rules out hardware approximations; fast allows products of f32 in TF32")->check(CLI::IsMember(names(kMathWords, ADJ_MATH_IEEE)));
  command.add_option("--sku", o->sku, "only SKUs whose id matches, '*' and '?' allowed")->type_name("GLOB");
  command.add_option("--workspace-limit", o->workspace_limit, "most workspace accepted, in bytes or as 64MiB")
      ->type_name("BYTES");
  command.add_flag("--fields", o->fields, "list the operator's fields and arguments, and stop");
  command.add_flag("--json", o->json, "a JSON object");
  command.footer(
      "Examples:\n"
      "  adjoint sku explain embedding_backward --fields\n"
      "  adjoint sku explain embedding_backward num_embeddings=50257 embedding_dim=768 num_indices=8192 \\\n"
      "      element=bf16 index=i64 write_mode=accumulate --arch sm_80\n"
      "  adjoint sku explain adamw numel=148x1048576 param=f32 grad=bf16 --determinism shape_only\n"
      "\n"
      "Exits with 1 when select would find no kernel.");
  command.callback([o] { explain(*o); });
}
