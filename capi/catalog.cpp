// Entries of the C interface: packs, the cache, the machine, the registry, operators by name, the log.
#include "base/log.hpp"
#include "base/text.hpp"
#include "capi/entry.hpp"
#include "driver/device.hpp"
#include "driver/libraries.hpp"
#include "jit/cache.hpp"
#include "jit/program.hpp"
#include "ops/registry.hpp"
#include "plan/complete.hpp"
#include "plan/op.hpp"
#include "plan/plan.hpp"
#include "plan/verdicts.hpp"

using namespace adj::entry;

namespace {

using adj::fail;

static_assert(ADJ_FIELD_I64 == adj::kFieldI64 && ADJ_FIELD_I32 == adj::kFieldI32 && ADJ_FIELD_DTYPE == adj::kFieldDtype && ADJ_FIELD_F64 == adj::kFieldF64 &&
              ADJ_FIELD_I64_LIST == adj::kFieldI64List && ADJ_FIELD_SHAPE == adj::kFieldShape && ADJ_FIELD_AXES == adj::kFieldAxes &&
              ADJ_FIELD_F64_LIST == adj::kFieldF64List && ADJ_FIELD_TEXT == adj::kFieldText && ADJ_FIELD_POINTER == adj::kFieldPointer &&
              ADJ_FIELD_BYTES == adj::kFieldBytes);
static_assert(ADJ_ARGUMENT_TENSOR == 1 + int(adj::ArgumentKind::tensor) && ADJ_ARGUMENT_LIST == 1 + int(adj::ArgumentKind::list) &&
              ADJ_ARGUMENT_SCALAR == 1 + int(adj::ArgumentKind::scalar) && ADJ_ARGUMENT_RANDOM == 1 + int(adj::ArgumentKind::random) &&
              ADJ_ARGUMENT_HANDLE == 1 + int(adj::ArgumentKind::handle));
static_assert(ADJ_ROLE_IN == 1 + int(adj::Role::in) && ADJ_ROLE_OUT == 1 + int(adj::Role::out) && ADJ_ROLE_INOUT == 1 + int(adj::Role::inout));
static_assert(ADJ_PRESENCE_REQUIRED == 1 + int(adj::Given::always) && ADJ_PRESENCE_OPTIONAL == 1 + int(adj::Given::optional) &&
              ADJ_PRESENCE_DEPENDS == 1 + int(adj::Given::depends));

// Fills a structure of the caller with defaults, as far as it reaches.
adj_status init_structure(const char* what, const adj::OpInfo& op, const void* defaults, std::uint32_t first, std::uint32_t full, void* out,
                          std::uint64_t size) {
  if (size < first) return report(fail(ADJ_ERROR_BUFFER_TOO_SMALL, "the {} of {} needs {} bytes, got {}", what, op.name, first, size));
  const std::uint64_t own = std::min<std::uint64_t>(size, full);
  std::memcpy(out, defaults, own);
  static_cast<adj_header*>(out)->struct_size = own;
  return ADJ_OK;
}

adj_status bad_argument(const char* function, const adj::OpInfo& op, std::int64_t i) {
  return report(fail(ADJ_ERROR_INVALID_ARGUMENT, "{}: {} has no argument {}, expected 0 to {}", function, op.name, i, op.arguments.size() - 1));
}

adj_role role_of(adj::Role role) { return static_cast<adj_role>(1 + static_cast<int>(role)); }

adj_status write_requirement(const char* function, const adj::OpInfo& op, std::span<const adj::ArgumentSpec> specs, std::int64_t i, bool planned,
                             adj_requirement* out) {
  if (!in_range(specs, i)) return bad_argument(function, op, i);
  const auto argument = static_cast<std::size_t>(i);
  const adj::ArgumentSpec& spec = specs[argument];
  adj_requirement made;
  made.presence = spec.presence == adj::Presence::forbidden  ? ADJ_PRESENCE_ABSENT
                  : spec.presence == adj::Presence::optional ? ADJ_PRESENCE_OPTIONAL
                                                             : ADJ_PRESENCE_REQUIRED;
  if (made.presence != ADJ_PRESENCE_ABSENT) {
    made.role = role_of(spec.role);
    made.dtype = spec.dtype;
    made.other_dtype = spec.other_dtype;
    made.any_float = spec.any_float;
    made.device_only = spec.device_only;
    made.rank = spec.rank;
    std::ranges::copy(spec.shape, made.shape);
    made.count = static_cast<std::int64_t>(spec.numel.size());
    made.bytes = spec.bytes;
    for (std::int64_t n : spec.numel) made.bytes += static_cast<std::uint64_t>(n) * adj::size_of(spec.dtype);
    if (planned && op.arguments[argument].kind == adj::ArgumentKind::tensor) made.alignment = std::max(spec.alignment, adj::size_of(spec.dtype));
  }
  return write_info(function, made, out, ADJ_TAG_REQUIREMENT);
}

adj_status write_elements(const char* function, const adj::OpInfo& op, std::span<const adj::ArgumentSpec> specs, std::int64_t i, std::int64_t* numel,
                          std::int64_t capacity) {
  if (!in_range(specs, i)) return bad_argument(function, op, i);
  const adj::ArgumentInfo& argument = op.arguments[static_cast<std::size_t>(i)];
  const std::span<const std::int64_t> counts = specs[static_cast<std::size_t>(i)].numel;
  if (argument.kind != adj::ArgumentKind::list) return report(fail(ADJ_ERROR_INVALID_ARGUMENT, "{}: {} of {} is no list", function, argument.name, op.name));
  if (capacity < static_cast<std::int64_t>(counts.size()))
    return report(fail(ADJ_ERROR_BUFFER_TOO_SMALL, "{}: {} of {} has {} entries, capacity = {}", function, argument.name, op.name, counts.size(), capacity));
  if (!numel && !counts.empty()) return null_argument(function, "numel");
  std::ranges::copy(counts, numel);
  return ADJ_OK;
}

adj_status cache_info(bool verify, adj_cache_info* out, const char* function) {
  auto& stat = of_thread<adj::CacheStat>();
  stat = adj::disk_cache().stat(verify);
  const adj::JitCounters counters = adj::jit_counters();
  adj_cache_info info;
  info.directory = stat.directory.c_str();
  info.problem = stat.problem.c_str();
  info.entries = stat.entries;
  info.damaged = stat.damaged;
  info.bytes = stat.bytes;
  info.limit = stat.limit;
  info.memory_hits = counters.memory_hits;
  info.pack_hits = counters.pack_hits;
  info.disk_hits = counters.disk_hits;
  info.compiles = counters.compiles;
  return write_info(function, info, out, ADJ_TAG_CACHE_INFO);
}

adj_registry_row row_info(const adj::RegistryRow& row) {
  adj_registry_row info;
  info.domain = row.domain.c_str();
  info.op = row.op.c_str();
  info.types = row.types.c_str();
  info.adjoint_op = row.adjoint_op ? row.adjoint_op->name : "";
  info.signature = row.signature.c_str();
  info.reason = row.reason.c_str();
  info.settings = row.settings.c_str();
  info.note = row.note;
  info.since_version = row.since_version;
  info.until_version = row.until_version;
  info.resolved = row.resolved;
  info.sku_count = static_cast<std::int32_t>(row.skus.size());
  info.session = row.session.c_str();
  info.obstacle = row.obstacle.c_str();
  info.binding = row.binding.c_str();
  info.combinations = row.type_names.c_str();
  return info;
}

}  // namespace

extern "C" {

// ---- ahead of time

adj_status adj_pack_build(const char* path, const adj_pack_options* options, adj_error** error) noexcept {
  if (error) *error = nullptr;
  return guarded([&, function = __func__] {
    ADJ_REQUIRE(path, error);
    ADJ_REQUIRE(options, error);
    if (auto ok = adj::check_header(&options->header, ADJ_TAG_PACK_OPTIONS, adj::first_size(ADJ_TAG_PACK_OPTIONS), sizeof *options, "pack options"); !ok)
      return report(ok.take_error(), error);
    adj_pack_options own;
    adj::copy_struct(&own, &options->header, sizeof own);
    options = &own;
    if (own.reserved) return report(fail(ADJ_ERROR_INVALID_ARGUMENT, "pack options: reserved = {}, expected 0", own.reserved), error);
    if (own.jobs < 0) return report(fail(ADJ_ERROR_INVALID_ARGUMENT, "pack options: jobs = {}, expected 0 or more", own.jobs), error);
    const std::vector<std::string> archs = adj::split(options->archs ? options->archs : "", ',');
    if (archs.empty()) return report(fail(ADJ_ERROR_INVALID_ARGUMENT, "pack options: archs names no architecture"), error);
    const std::string glob = options->skus ? options->skus : "*";
    std::vector<adj::PackJob> work;
    for (const std::string& arch : archs) {
      auto cc = adj::parse_arch(arch);
      if (!cc) return report(cc.take_error(), error);
      for (const adj::Program* program : adj::programs_for(glob, *cc)) work.push_back({program, *cc});
    }
    if (work.empty()) return report(fail(ADJ_ERROR_NOT_FOUND, "no kernel matches the SKU glob '{}' for {}", glob, options->archs), error);
    auto progress = [&](std::int64_t done, std::int64_t total, const std::string& program, double ms) {
      return !options->progress || options->progress(options->user, done, total, program.c_str(), ms) == 0;
    };
    auto built = adj::build_pack(path, work, options->jobs, progress);
    if (!built) return report(built.take_error(), error);
    return ADJ_OK;
  });
}
adj_status adj_pack_load(const char* path) noexcept {
  return guarded([&, function = __func__] {
    ADJ_REQUIRE(path);
    return finish(adj::load_pack(path));
  });
}

// ---- tuning

adj_status adj_tuning_load(const char* path) noexcept {
  return guarded([&, function = __func__] {
    ADJ_REQUIRE(path);
    return finish(adj::load_verdicts(path));
  });
}
adj_status adj_tuning_save(const char* path) noexcept {
  return guarded([&, function = __func__] {
    ADJ_REQUIRE(path);
    return finish(adj::save_verdicts(path));
  });
}

// ---- cache

adj_status adj_cache_stat(adj_cache_info* out) noexcept {
  return guarded([&] { return cache_info(false, out, "adj_cache_stat"); });
}
adj_status adj_cache_verify(adj_cache_info* out) noexcept {
  return guarded([&] { return cache_info(true, out, "adj_cache_verify"); });
}
adj_status adj_cache_clear(void) noexcept {
  return guarded([&] { return finish(adj::disk_cache().clear()); });
}

// ---- machine

int64_t adj_library_count(void) noexcept {
  int64_t count = 0;
  guarded([&] {
    count = static_cast<int64_t>(adj::library_reports().size());
    return ADJ_OK;
  });
  return count;
}
adj_status adj_library_get(int64_t i, adj_library_info* out) noexcept {
  return guarded([&] {
    const auto& list = adj::library_reports();
    if (!in_range(list, i)) return bad_index("adj_library_get", i, list.size());
    const adj::LibraryReport& r = list[static_cast<std::size_t>(i)];
    adj_library_info info;
    info.name = r.name.c_str();
    info.path = r.path.c_str();
    info.version = r.version.c_str();
    info.problem = r.problem.c_str();
    info.available = r.available;
    return write_info("adj_library_get", info, out, ADJ_TAG_LIBRARY_INFO);
  });
}
int64_t adj_device_count(void) noexcept {
  int64_t count = 0;
  guarded([&] {
    if (auto known = adj::device_count()) count = *known;
    return ADJ_OK;
  });
  return count;
}
adj_status adj_device_get(int64_t i, adj_device_info* out) noexcept {
  return guarded([&] {
    auto count = adj::device_count();
    if (!count) return report(count.take_error());
    if (i < 0 || i >= *count) return bad_index("adj_device_get", i, static_cast<std::size_t>(*count));
    auto device = adj::device_facts(static_cast<int>(i));
    if (!device) return report(device.take_error());
    adj_device_info info;
    info.name = (*device)->name.c_str();
    info.arch = (*device)->arch.c_str();
    info.memory = (*device)->memory;
    info.multiprocessors = (*device)->multiprocessors;
    info.compute_capability = (*device)->cc;
    return write_info("adj_device_get", info, out, ADJ_TAG_DEVICE_INFO);
  });
}

// ---- registry

int64_t adj_registry_count(void) noexcept {
  int64_t count = 0;
  guarded([&] {
    count = static_cast<int64_t>(adj::registry().size());
    return ADJ_OK;
  });
  return count;
}
adj_status adj_registry_get(int64_t i, adj_registry_row* out) noexcept {
  return guarded([&] {
    const auto rows = adj::registry();
    if (!in_range(rows, i)) return bad_index("adj_registry_get", i, rows.size());
    return write_info("adj_registry_get", row_info(rows[static_cast<std::size_t>(i)]), out, ADJ_TAG_REGISTRY_ROW);
  });
}
adj_status adj_registry_lookup(const char* domain, const char* op, int32_t opset, const char* types, adj_registry_row* out) noexcept {
  return guarded([&, function = __func__] {
    ADJ_REQUIRE(domain);
    ADJ_REQUIRE(op);
    ADJ_REQUIRE(types);
    auto row = adj::find_registration(domain, op, opset, types);
    if (!row) return report(row.take_error());
    return write_info("adj_registry_lookup", row_info(**row), out, ADJ_TAG_REGISTRY_ROW);
  });
}
adj_status adj_registry_sku(int64_t row, int64_t i, const char** id) noexcept {
  return guarded([&, function = __func__] {
    ADJ_REQUIRE(id);
    const auto rows = adj::registry();
    if (!in_range(rows, row)) return bad_index("adj_registry_sku: row", row, rows.size());
    const auto& skus = rows[static_cast<std::size_t>(row)].skus;
    if (!in_range(skus, i)) return bad_index("adj_registry_sku", i, skus.size());
    *id = skus[static_cast<std::size_t>(i)]->id.c_str();
    return ADJ_OK;
  });
}

// ---- operators by name

int64_t adj_op_count(void) noexcept { return static_cast<int64_t>(adj::all_ops().size()); }
adj_op adj_op_at(int64_t i) noexcept {
  const auto ops = adj::all_ops();
  return in_range(ops, i) ? ops[static_cast<std::size_t>(i)]->id : ADJ_OP_NONE;
}
const char* adj_op_name(adj_op op) noexcept {
  const adj::OpInfo* info = adj::find_op(op);
  return info ? info->name : nullptr;
}
const char* adj_op_family(adj_op op) noexcept {
  const adj::OpInfo* info = adj::find_op(op);
  return info ? info->family : nullptr;
}
adj_status adj_op_find(const char* name, adj_op* out) noexcept {
  return guarded([&, function = __func__] {
    ADJ_REQUIRE(name);
    ADJ_REQUIRE(out);
    const adj::OpInfo* info = adj::find_op(std::string_view(name));
    if (!info) return report(fail(ADJ_ERROR_NOT_FOUND, "no operator is called '{}'", name));
    *out = info->id;
    return ADJ_OK;
  });
}
adj_status adj_op_descriptor_init(adj_op op, void* descriptor, uint64_t size) noexcept {
  return guarded([&, function = __func__] {
    ADJ_REQUIRE(descriptor);
    const adj::OpInfo* info = adj::find_op(op);
    if (!info) return report(fail(ADJ_ERROR_NOT_FOUND, "operator {} does not exist", op));
    return init_structure("descriptor", *info, info->default_descriptor, info->first_descriptor_size, info->descriptor_size, descriptor, size);
  });
}
adj_status adj_op_args_init(adj_op op, void* args, uint64_t size) noexcept {
  return guarded([&, function = __func__] {
    ADJ_REQUIRE(args);
    const adj::OpInfo* info = adj::find_op(op);
    if (!info) return report(fail(ADJ_ERROR_NOT_FOUND, "operator {} does not exist", op));
    return init_structure("arguments", *info, info->default_args, info->first_args_size, info->args_size, args, size);
  });
}
uint64_t adj_op_descriptor_size(adj_op op) noexcept {
  const adj::OpInfo* info = adj::find_op(op);
  return info ? info->descriptor_size : 0;
}
uint64_t adj_op_args_size(adj_op op) noexcept {
  const adj::OpInfo* info = adj::find_op(op);
  return info ? info->args_size : 0;
}
const char* adj_op_definition(adj_op op) noexcept {
  const adj::OpInfo* info = adj::find_op(op);
  return info ? info->definition : nullptr;
}
const char* adj_op_conventions(adj_op op) noexcept {
  const adj::OpInfo* info = adj::find_op(op);
  return info ? info->conventions : nullptr;
}
int64_t adj_op_field_count(adj_op op) noexcept {
  const adj::OpInfo* info = adj::find_op(op);
  return info ? static_cast<int64_t>(info->fields.size()) : 0;
}
adj_status adj_op_field(adj_op op, int64_t i, adj_field* out) noexcept {
  return guarded([&, function = __func__] {
    ADJ_REQUIRE(out);
    const adj::OpInfo* info = adj::find_op(op);
    if (!info) return report(fail(ADJ_ERROR_NOT_FOUND, "operator {} does not exist", op));
    if (!in_range(info->fields, i)) return bad_index("adj_op_field", i, info->fields.size());
    const adj::Field& field = info->fields[static_cast<std::size_t>(i)];
    *out = {field.name, field.choices, field.about, static_cast<adj_field_kind>(field.kind), field.offset};
    return ADJ_OK;
  });
}
adj_status adj_op_field_limits(adj_op op, int64_t i, adj_field_limits* out) noexcept {
  return guarded([&, function = __func__] {
    const adj::OpInfo* info = adj::find_op(op);
    if (!info) return report(fail(ADJ_ERROR_NOT_FOUND, "operator {} does not exist", op));
    if (!in_range(info->fields, i)) return bad_index("adj_op_field_limits", i, info->fields.size());
    const adj::Field& field = info->fields[static_cast<std::size_t>(i)];
    adj_field_limits made;
    made.least = field.least;
    made.most = field.most;
    made.least_real = field.real.least;
    made.most_real = field.real.most;
    made.types = field.types_words;
    made.only_if = field.only_if_words;
    made.refused_if = field.refused;
    made.above_least = field.real.above;
    made.below_most = field.real.below;
    made.finite = field.real.finite;
    made.number = field.real.expected != nullptr;
    return write_info(function, made, out, ADJ_TAG_FIELD_LIMITS);
  });
}
int64_t adj_op_argument_count(adj_op op) noexcept {
  const adj::OpInfo* info = adj::find_op(op);
  return info ? static_cast<int64_t>(info->arguments.size()) : 0;
}
adj_status adj_op_argument(adj_op op, int64_t i, adj_argument* out) noexcept {
  return guarded([&, function = __func__] {
    ADJ_REQUIRE(out);
    const adj::OpInfo* info = adj::find_op(op);
    if (!info) return report(fail(ADJ_ERROR_NOT_FOUND, "operator {} does not exist", op));
    if (!in_range(info->arguments, i)) return bad_index("adj_op_argument", i, info->arguments.size());
    const adj::ArgumentInfo& argument = info->arguments[static_cast<std::size_t>(i)];
    *out = {argument.name,
            argument.about,
            static_cast<adj_argument_kind>(1 + int(argument.kind)),
            role_of(argument.role),
            static_cast<adj_presence>(1 + int(argument.given)),
            argument.space == adj::Space::host,
            argument.offset,
            argument.may_equal};
    return ADJ_OK;
  });
}
adj_status adj_op_infer(const adj_header* descriptor, int64_t i, adj_requirement* out) noexcept {
  return guarded([&, function = __func__] {
    ADJ_REQUIRE(descriptor);
    auto made = adj::requirements_of(descriptor);
    if (!made) return report(made.take_error());
    return write_requirement(function, *made->descriptor.op(), made->specs, i, false, out);
  });
}
adj_status adj_op_infer_list(const adj_header* descriptor, int64_t i, int64_t* numel, int64_t capacity) noexcept {
  return guarded([&, function = __func__] {
    ADJ_REQUIRE(descriptor);
    auto made = adj::requirements_of(descriptor);
    if (!made) return report(made.take_error());
    return write_elements(function, *made->descriptor.op(), made->specs, i, numel, capacity);
  });
}
adj_status adj_op_complete(adj_header* descriptor, const adj_header* args, int64_t* room, int64_t capacity) noexcept {
  return guarded([&, function = __func__] {
    ADJ_REQUIRE(descriptor);
    ADJ_REQUIRE(args);
    return finish(adj::complete(descriptor, args, room, capacity));
  });
}
adj_status adj_plan_argument(const adj_plan* plan, int64_t i, adj_requirement* out) noexcept {
  return guarded([&, function = __func__] {
    ADJ_REQUIRE(plan);
    const auto& p = *reinterpret_cast<const adj::Plan*>(plan);
    return write_requirement(function, *p.op, p.specs, i, true, out);
  });
}
adj_status adj_plan_argument_list(const adj_plan* plan, int64_t i, int64_t* numel, int64_t capacity) noexcept {
  return guarded([&, function = __func__] {
    ADJ_REQUIRE(plan);
    const auto& p = *reinterpret_cast<const adj::Plan*>(plan);
    return write_elements(function, *p.op, p.specs, i, numel, capacity);
  });
}
const char* adj_dtype_name(adj_dtype dtype) noexcept { return adj::dtype_name(dtype); }
adj_dtype adj_dtype_find(const char* name) noexcept { return name ? adj::dtype_find(name) : ADJ_DTYPE_NONE; }

void adj_set_log(adj_log_fn fn, void* user) noexcept {
  guarded([&] {
    adj::set_log(fn, user);
    return ADJ_OK;
  });
}

}  // extern "C"
