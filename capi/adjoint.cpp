// The C interface: checks pointers, converts errors, and calls the engine. Nothing C++ crosses this boundary.
#include "adjoint.h"

#include <algorithm>
#include <cstring>
#include <mutex>

#include "base/text.hpp"
#include "driver/nccl.hpp"
#include "host/communicator.hpp"
#include "jit/cache.hpp"
#include "jit/code.hpp"
#include "ops/registry.hpp"
#include "plan/plan.hpp"
#include "plan/plan_cache.hpp"
#include "plan/structs.hpp"

struct adj_error {
  adj::Error error;
};

namespace {

using adj::Error;
using adj::fail;
using adj::Result;

static_assert(ADJ_FIELD_I64 == adj::kFieldI64 && ADJ_FIELD_I32 == adj::kFieldI32 && ADJ_FIELD_DTYPE == adj::kFieldDtype &&
              ADJ_FIELD_F64 == adj::kFieldF64 && ADJ_FIELD_I64_LIST == adj::kFieldI64List && ADJ_FIELD_SHAPE == adj::kFieldShape &&
              ADJ_FIELD_AXES == adj::kFieldAxes && ADJ_FIELD_F64_LIST == adj::kFieldF64List && ADJ_FIELD_TEXT == adj::kFieldText &&
              ADJ_FIELD_POINTER == adj::kFieldPointer && ADJ_FIELD_BYTES == adj::kFieldBytes);
static_assert(ADJ_ARGUMENT_TENSOR == 1 + int(adj::SlotKind::tensor) && ADJ_ARGUMENT_LIST == 1 + int(adj::SlotKind::list) &&
              ADJ_ARGUMENT_SCALAR == 1 + int(adj::SlotKind::scalar) && ADJ_ARGUMENT_RANDOM == 1 + int(adj::SlotKind::random) &&
              ADJ_ARGUMENT_HANDLE == 1 + int(adj::SlotKind::handle));
static_assert(ADJ_ROLE_IN == 1 + int(adj::Role::in) && ADJ_ROLE_OUT == 1 + int(adj::Role::out) && ADJ_ROLE_INOUT == 1 + int(adj::Role::inout));
static_assert(ADJ_PRESENCE_REQUIRED == 1 + int(adj::Given::always) && ADJ_PRESENCE_OPTIONAL == 1 + int(adj::Given::optional) &&
              ADJ_PRESENCE_DEPENDS == 1 + int(adj::Given::depends));

// A handle is the engine's own object under an opaque name.
const adj::Plan& plan_of(const adj_plan* plan) { return *reinterpret_cast<const adj::Plan*>(plan); }
adj::Plan& plan_of(adj_plan* plan) { return *reinterpret_cast<adj::Plan*>(plan); }
const adj::BoundCall& bound_of(const adj_bound* bound) { return *reinterpret_cast<const adj::BoundCall*>(bound); }

constexpr const char* kOutOfMemory = "out of memory";

// The thread's own T, which ends with the thread. Code that runs later still, such as an exit handler, gets a new T that is never freed.
template <class T>
T& of_thread() {
  thread_local T* object = nullptr;
  thread_local struct Owner {
    ~Owner() {
      delete object;
      object = nullptr;
    }
  } owner;
  if (!object) object = new T;
  return *object;
}

// Sentence of the thread's last failure: fixed_error unless it is null, else of_thread<LastError>. A fixed text needs no memory.
struct LastError {
  std::string text;
};
thread_local const char* fixed_error = "";
thread_local std::int64_t last_native = 0;  // native code of that failure

adj_status report(Error error, adj_error** object = nullptr) {
  const adj_status code = error.code;
  of_thread<LastError>().text = error.message;
  last_native = error.native;
  if (object) *object = new adj_error{std::move(error)};
  fixed_error = nullptr;
  return code;
}

// Runs fn and turns any exception into a status.
template <class Fn>
adj_status guarded(Fn&& fn) noexcept {
  try {
    return fn();
  } catch (const std::bad_alloc&) {
    last_native = 0;
    fixed_error = kOutOfMemory;
    return ADJ_ERROR_OUT_OF_MEMORY;
  } catch (const std::exception& e) {
    last_native = 0;
    try {
      of_thread<LastError>().text = std::string("internal error: ") + e.what();
      fixed_error = nullptr;
    } catch (...) {
      fixed_error = "internal error";
    }
    return ADJ_ERROR_INTERNAL;
  } catch (...) {
    last_native = 0;
    fixed_error = "internal error";
    return ADJ_ERROR_INTERNAL;
  }
}

adj_status null_argument(const char* function, const char* name, adj_error** object = nullptr) {
  return report(fail(ADJ_ERROR_INVALID_ARGUMENT, "{}: {} is null", function, name), object);
}
// For the lambda of `guarded`. It uses the captured `function`, the entry's name, since __func__ in a lambda is the lambda's.
#define ADJ_REQUIRE(pointer, ...) \
  if (!(pointer)) return null_argument(function, #pointer __VA_OPT__(, ) __VA_ARGS__)

adj_status finish(Result<void> result) {
  if (result) return ADJ_OK;
  return report(result.take_error());
}

// Calls select() and hands out its plan.
template <class Select>
adj_status give_plan(const char* function, const adj_stream* stream, adj_plan** out, adj_error** error, Select select) noexcept {
  if (out) *out = nullptr;
  if (error) *error = nullptr;
  return guarded([&] {
    ADJ_REQUIRE(stream, error);
    ADJ_REQUIRE(out, error);
    auto plan = select();
    if (!plan) return report(plan.take_error(), error);
    *out = reinterpret_cast<adj_plan*>(*plan);
    return static_cast<adj_status>(ADJ_OK);
  });
}

// Writes an info structure of ours into the caller's, which may be shorter.
template <class Info>
adj_status write_info(const char* function, const Info& ours, Info* out, adj_tag tag, adj_error** object = nullptr) {
  if (!out) return null_argument(function, "out", object);
  const std::string what = fmt::format("{}: out", function);
  if (auto ok = adj::check_header(&out->header, tag, adj::first_size(tag), sizeof(Info), what.c_str()); !ok) return report(ok.take_error(), object);
  const adj_header header = out->header;
  std::memcpy(static_cast<void*>(out), &ours, std::min<std::uint64_t>(header.struct_size, sizeof(Info)));
  out->header = header;
  return ADJ_OK;
}

adj_sku_info info_of(const adj::Sku& sku, const adj_guarantee& guarantee) {
  adj_sku_info info;
  info.id = sku.id.c_str();
  info.op_name = sku.op->name;
  info.algorithm = sku.variant->algorithm;
  info.signature = sku.signature_name.c_str();
  info.arch = sku.arch.c_str();
  info.source = sku.programs.empty() ? "" : sku.programs.front()->source().c_str();
  info.summary = sku.variant->summary;
  info.op = sku.op->id;
  info.backend = sku.variant->backend;
  info.program_count = static_cast<std::int32_t>(sku.programs.size());
  info.guarantee = guarantee;
  return info;
}

// Writes the guarantee of an output, or with output = null of all outputs.
adj_status write_guarantee(const char* function, const adj::Sku& sku, const void* descriptor, const char* output, adj_guarantee* out) {
  ADJ_REQUIRE(out);
  int slot = adj::kEveryOutput;
  for (std::size_t i = 0; output && i < sku.op->slots.size(); ++i)
    if (std::strcmp(sku.op->slots[i].name, output) == 0) slot = static_cast<int>(i);
  if (output && slot == adj::kEveryOutput) return report(fail(ADJ_ERROR_NOT_FOUND, "{}: {} has no argument '{}'", function, sku.op->name, output));
  if (output && sku.op->slots[static_cast<std::size_t>(slot)].role == adj::Role::in)
    return report(fail(ADJ_ERROR_INVALID_ARGUMENT, "{}: {} of {} is an input", function, output, sku.op->name));
  *out = adj::guarantee_of(sku, descriptor, slot);
  return ADJ_OK;
}

template <class Range>
bool in_range(const Range& range, std::int64_t i) {
  return i >= 0 && i < static_cast<std::int64_t>(std::size(range));
}
adj_status bad_index(const char* function, std::int64_t i, std::size_t count, adj_error** object = nullptr) {
  return report(fail(ADJ_ERROR_INVALID_ARGUMENT, "{}: i = {} is outside [0, {})", function, i, count), object);
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


// Waits for new communicators whose initialisation is in progress. When that fails, all of them are aborted.
Result<void> finish_init(const adj::cu::NcclApi& api, adj::cu::NcclResult result, std::span<adj::cu::NcclComm> comms, const char* call) {
  if (result != adj::cu::kNcclInProgress) return {};
  Result<void> first;
  for (adj::cu::NcclComm comm : comms)
    if (auto ready = adj::finish_nccl(api, comm, result, call); !ready && first) first = std::move(ready);
  if (!first)
    for (adj::cu::NcclComm comm : comms) api.comm_abort(comm);
  return first;
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
  return info;
}

}  // namespace

extern "C" {

// ---- version

adj_status adj_abi_check(uint32_t major, uint32_t minor) noexcept {
  return guarded([&] {
    if (major == ADJ_ABI_MAJOR && minor <= ADJ_ABI_MINOR) return static_cast<adj_status>(ADJ_OK);
    return report(fail(ADJ_ERROR_UNSUPPORTED, "the program was built for interface {}.{}, this library has {}.{}", major, minor,
                       ADJ_ABI_MAJOR, ADJ_ABI_MINOR));
  });
}
void adj_abi_version(uint32_t* major, uint32_t* minor) noexcept {
  if (major) *major = ADJ_ABI_MAJOR;
  if (minor) *minor = ADJ_ABI_MINOR;
}
const char* adj_version(void) noexcept { return ADJ_LIBRARY_VERSION; }

// ---- errors

const char* adj_status_name(adj_status status) noexcept { return adj::status_name(status); }
const char* adj_last_error(void) noexcept {
  return fixed_error ? fixed_error : of_thread<LastError>().text.c_str();
}
int64_t adj_last_native_code(void) noexcept { return last_native; }
adj_status adj_error_code(const adj_error* e) noexcept { return e ? e->error.code : ADJ_ERROR_INVALID_ARGUMENT; }
const char* adj_error_message(const adj_error* e) noexcept { return e ? e->error.message.c_str() : ""; }
const char* adj_error_log(const adj_error* e) noexcept { return e ? e->error.log.c_str() : ""; }
const char* adj_error_options(const adj_error* e) noexcept { return e ? e->error.options.c_str() : ""; }
int64_t adj_error_native_code(const adj_error* e) noexcept { return e ? e->error.native : 0; }
void adj_error_release(adj_error* e) noexcept { delete e; }
int64_t adj_error_rejection_count(const adj_error* e) noexcept {
  return e ? static_cast<int64_t>(e->error.rejections.size()) : 0;
}
namespace {
adj_status write_rejection(const char* function, const std::vector<adj::Rejection>& list, int64_t i, adj_rejection* out) {
  if (!in_range(list, i)) return bad_index(function, i, list.size());
  const adj::Rejection& r = list[static_cast<std::size_t>(i)];
  adj_rejection info;
  info.sku = r.sku.c_str();
  info.reason = r.reason.c_str();
  info.code = r.code;
  return write_info(function, info, out, ADJ_TAG_REJECTION);
}
}  // namespace
adj_status adj_error_rejection(const adj_error* error, int64_t i, adj_rejection* out) noexcept {
  return guarded([&, function = __func__] {
    ADJ_REQUIRE(error);
    return write_rejection(function, error->error.rejections, i, out);
  });
}

// ---- streams

adj_stream adj_stream_host(void) noexcept { return adj::host_stream(); }
adj_status adj_stream_wrap(void* cuda_stream, adj_stream* out) noexcept {
  return guarded([&, function = __func__] {
    ADJ_REQUIRE(out);
    auto stream = adj::wrap_stream(cuda_stream);
    if (!stream) return report(stream.take_error());
    *out = *stream;
    return static_cast<adj_status>(ADJ_OK);
  });
}
adj_status adj_stream_offline(const char* arch, adj_stream* out) noexcept {
  return guarded([&, function = __func__] {
    ADJ_REQUIRE(arch);
    ADJ_REQUIRE(out);
    auto stream = adj::offline_stream(arch);
    if (!stream) return report(stream.take_error());
    *out = *stream;
    return static_cast<adj_status>(ADJ_OK);
  });
}

// ---- SKUs

int64_t adj_sku_count(void) noexcept {
  int64_t count = 0;
  guarded([&] { count = static_cast<int64_t>(adj::all_skus().size()); return static_cast<adj_status>(ADJ_OK); });
  return count;
}
adj_status adj_sku_get(int64_t i, adj_sku_info* out) noexcept {
  return guarded([&] {
    const auto skus = adj::all_skus();
    if (!in_range(skus, i)) return bad_index("adj_sku_get", i, skus.size());
    return write_info("adj_sku_get", info_of(skus[static_cast<std::size_t>(i)], skus[static_cast<std::size_t>(i)].guarantee), out, ADJ_TAG_SKU_INFO);
  });
}
adj_status adj_sku_find(const char* id, adj_sku_info* out) noexcept {
  return guarded([&, function = __func__] {
    ADJ_REQUIRE(id);
    const adj::Sku* sku = adj::find_sku(id);
    if (!sku) return report(fail(ADJ_ERROR_NOT_FOUND, "no SKU is called '{}'", id));
    return write_info("adj_sku_find", info_of(*sku, sku->guarantee), out, ADJ_TAG_SKU_INFO);
  });
}
adj_status adj_sku_guarantee(const char* id, const char* output, adj_guarantee* out) noexcept {
  return guarded([&, function = __func__] {
    ADJ_REQUIRE(id);
    const adj::Sku* sku = adj::find_sku(id);
    if (!sku) return report(fail(ADJ_ERROR_NOT_FOUND, "no SKU is called '{}'", id));
    return write_guarantee(function, *sku, nullptr, output, out);
  });
}
adj_status adj_sku_kernel(const char* id, int64_t i, const char* arch, adj_kernel_info* out, adj_error** error) noexcept {
  if (error) *error = nullptr;
  return guarded([&, function = __func__] {
    ADJ_REQUIRE(id, error);
    ADJ_REQUIRE(arch, error);
    const adj::Sku* sku = adj::find_sku(id);
    if (!sku) return report(fail(ADJ_ERROR_NOT_FOUND, "no SKU is called '{}'", id), error);
    if (!in_range(sku->programs, i)) return bad_index(function, i, sku->programs.size(), error);
    // The structure is checked before anything is compiled for it.
    if (const adj_status status = write_info(function, adj_kernel_info{}, out, ADJ_TAG_KERNEL_INFO, error)) return status;
    auto cc = adj::parse_arch(arch);
    if (!cc) return report(cc.take_error(), error);
    if (auto ok = adj::check_arch(*sku, *cc); !ok) return report(fail(ADJ_ERROR_UNSUPPORTED, "{} {}", id, ok.error().message), error);
    const adj::Program& program = *sku->programs[static_cast<std::size_t>(i)];
    auto image = program.image(*cc, ADJ_JIT_DEFAULT);
    if (!image) return report(image.take_error(), error);
    if (image->ptx)
      return report(fail(ADJ_ERROR_UNSUPPORTED, "{}: this NVRTC does not know {}, so the machine code is the driver's", id, arch), error);
    auto resources = adj::read_resources(image->bytes, program.entry());
    if (!resources) return report(resources.take_error(), error);
    adj_kernel_info info;
    info.source = program.source().c_str();
    info.entry = program.entry().c_str();
    info.macros = program.macros().c_str();
    info.code_bytes = resources->code_bytes;
    info.static_shared_bytes = resources->static_shared_bytes;
    info.registers = resources->registers;
    info.local_bytes = resources->local_bytes;
    info.compile_ms = image->compile_ms;
    return write_info(function, info, out, ADJ_TAG_KERNEL_INFO, error);
  });
}

// ---- plans

adj_status adj_plan_select(const adj_stream* stream, const adj_header* descriptor, const adj_preference* preference,
                           adj_plan** out, adj_error** error) noexcept {
  return give_plan(__func__, stream, out, error, [&] { return adj::select_plan(*stream, descriptor, preference); });
}
adj_status adj_plan_acquire(const adj_stream* stream, const adj_header* descriptor, const adj_preference* preference,
                            adj_plan** out, adj_error** error) noexcept {
  return give_plan(__func__, stream, out, error, [&] { return adj::plan_cache().acquire(*stream, descriptor, preference); });
}
adj_status adj_plan_explain(const adj_stream* stream, const adj_header* descriptor, const adj_preference* preference,
                            adj_error** report_out) noexcept {
  if (report_out) *report_out = nullptr;
  return guarded([&, function = __func__] {
    if (!report_out) return null_argument(function, "report");
    ADJ_REQUIRE(stream, report_out);
    auto candidates = adj::explain_plan(*stream, descriptor, preference);
    if (!candidates) return report(candidates.take_error(), report_out);
    Error walk;
    walk.code = ADJ_OK;
    walk.rejections = std::move(*candidates);
    *report_out = new adj_error{std::move(walk)};
    return static_cast<adj_status>(ADJ_OK);
  });
}
adj_status adj_plan_can_implement(const adj_plan* plan, const adj_header* args) noexcept {
  return guarded([&, function = __func__] {
    ADJ_REQUIRE(plan);
    return finish(adj::can_implement(plan_of(plan), args));
  });
}
uint64_t adj_plan_workspace_size(const adj_plan* plan) noexcept { return plan ? plan_of(plan).workspace_size : 0; }
adj_status adj_plan_run(const adj_plan* plan, const adj_stream* stream, const adj_workspace* workspace, const adj_header* args) noexcept {
  return guarded([&, function = __func__] {
    ADJ_REQUIRE(plan);
    ADJ_REQUIRE(stream);
    return finish(adj::run_plan(plan_of(plan), *stream, workspace ? *workspace : adj_workspace{}, args));
  });
}
adj_status adj_plan_bind(const adj_plan* plan, const adj_stream* stream, const adj_workspace* workspace, const adj_header* args,
                         adj_bound** out) noexcept {
  if (out) *out = nullptr;
  return guarded([&, function = __func__] {
    ADJ_REQUIRE(plan);
    ADJ_REQUIRE(stream);
    ADJ_REQUIRE(out);
    // const_cast: binding changes the reference count only.
    auto bound = adj::bind_plan(plan_of(const_cast<adj_plan*>(plan)), *stream, workspace ? *workspace : adj_workspace{}, args);
    if (!bound) return report(bound.take_error());
    *out = reinterpret_cast<adj_bound*>(*bound);
    return static_cast<adj_status>(ADJ_OK);
  });
}
adj_status adj_bound_run(const adj_bound* bound, const adj_stream* stream) noexcept {
  return guarded([&, function = __func__] {
    ADJ_REQUIRE(bound);
    ADJ_REQUIRE(stream);
    return finish(adj::run_bound(bound_of(bound), *stream));
  });
}
void adj_bound_release(adj_bound* bound) noexcept { adj::release(reinterpret_cast<adj::BoundCall*>(bound)); }
adj_status adj_plan_sku(const adj_plan* plan, adj_sku_info* out) noexcept {
  return guarded([&, function = __func__] {
    ADJ_REQUIRE(plan);
    return write_info("adj_plan_sku", info_of(*plan_of(plan).sku, plan_of(plan).guarantee), out, ADJ_TAG_SKU_INFO);
  });
}
adj_status adj_plan_guarantee(const adj_plan* plan, const char* output, adj_guarantee* out) noexcept {
  return guarded([&, function = __func__] {
    ADJ_REQUIRE(plan);
    return write_guarantee(function, *plan_of(plan).sku, plan_of(plan).descriptor.get(), output, out);
  });
}
adj_status adj_plan_get_info(const adj_plan* plan, adj_plan_info* out) noexcept {
  return guarded([&, function = __func__] {
    ADJ_REQUIRE(plan);
    const adj::Plan& p = plan_of(plan);
    adj_plan_info info;
    info.workspace_size = p.workspace_size;
    info.bind_workspace_size = p.bind_workspace_size;
    info.launches = p.count_steps(false);
    info.bound_launches = p.count_steps(true);
    info.from_ptx = p.from_ptx;
    return write_info("adj_plan_get_info", info, out, ADJ_TAG_PLAN_INFO);
  });
}
int64_t adj_plan_candidate_count(const adj_plan* plan) noexcept { return plan ? static_cast<int64_t>(plan_of(plan).candidates.size()) : 0; }
adj_status adj_plan_candidate(const adj_plan* plan, int64_t i, adj_rejection* out) noexcept {
  return guarded([&, function = __func__] {
    ADJ_REQUIRE(plan);
    return write_rejection(function, plan_of(plan).candidates, i, out);
  });
}
adj_plan* adj_plan_retain(adj_plan* plan) noexcept {
  if (plan) adj::retain(plan_of(plan));
  return plan;
}
void adj_plan_release(adj_plan* plan) noexcept { adj::release(reinterpret_cast<adj::Plan*>(plan)); }

// ---- ahead of time

adj_status adj_pack_build(const char* path, const adj_pack_options* options, adj_error** error) noexcept {
  if (error) *error = nullptr;
  return guarded([&, function = __func__] {
    ADJ_REQUIRE(path, error);
    ADJ_REQUIRE(options, error);
    if (auto ok = adj::check_header(&options->header, ADJ_TAG_PACK_OPTIONS, adj::first_size(ADJ_TAG_PACK_OPTIONS), sizeof *options, "pack options");
        !ok)
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
    if (work.empty())
      return report(fail(ADJ_ERROR_NOT_FOUND, "no kernel matches the SKU glob '{}' for {}", glob, options->archs), error);
    auto progress = [&](std::int64_t done, std::int64_t total, const std::string& program, double ms) {
      return !options->progress || options->progress(options->user, done, total, program.c_str(), ms) == 0;
    };
    auto built = adj::build_pack(path, work, options->jobs, progress);
    if (!built) return report(built.take_error(), error);
    return static_cast<adj_status>(ADJ_OK);
  });
}
adj_status adj_pack_load(const char* path) noexcept {
  return guarded([&, function = __func__] {
    ADJ_REQUIRE(path);
    return finish(adj::load_pack(path));
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
  guarded([&] { count = static_cast<int64_t>(adj::library_reports().size()); return static_cast<adj_status>(ADJ_OK); });
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
    return static_cast<adj_status>(ADJ_OK);
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
  guarded([&] { count = static_cast<int64_t>(adj::registry().size()); return static_cast<adj_status>(ADJ_OK); });
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
    return static_cast<adj_status>(ADJ_OK);
  });
}

// ---- operators by name

int64_t adj_op_count(void) noexcept { return static_cast<int64_t>(adj::all_ops().size()); }
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
    return static_cast<adj_status>(ADJ_OK);
  });
}
adj_status adj_op_descriptor_init(adj_op op, void* descriptor, uint64_t size) noexcept {
  return guarded([&, function = __func__] {
    ADJ_REQUIRE(descriptor);
    const adj::OpInfo* info = adj::find_op(op);
    if (!info) return report(fail(ADJ_ERROR_NOT_FOUND, "operator {} does not exist", op));
    if (size < info->first_descriptor_size)
      return report(fail(ADJ_ERROR_BUFFER_TOO_SMALL, "the descriptor of {} needs {} bytes, got {}", info->name, info->first_descriptor_size, size));
    const std::uint64_t own = std::min<std::uint64_t>(size, info->descriptor_size);
    std::memcpy(descriptor, info->default_descriptor, own);
    static_cast<adj_header*>(descriptor)->struct_size = own;
    return static_cast<adj_status>(ADJ_OK);
  });
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
    *out = {field.name, field.choices, field.about, field.kind, field.offset};
    return static_cast<adj_status>(ADJ_OK);
  });
}
int64_t adj_op_argument_count(adj_op op) noexcept {
  const adj::OpInfo* info = adj::find_op(op);
  return info ? static_cast<int64_t>(info->slots.size()) : 0;
}
adj_status adj_op_argument(adj_op op, int64_t i, adj_argument* out) noexcept {
  return guarded([&, function = __func__] {
    ADJ_REQUIRE(out);
    const adj::OpInfo* info = adj::find_op(op);
    if (!info) return report(fail(ADJ_ERROR_NOT_FOUND, "operator {} does not exist", op));
    if (!in_range(info->slots, i)) return bad_index("adj_op_argument", i, info->slots.size());
    const adj::SlotInfo& slot = info->slots[static_cast<std::size_t>(i)];
    *out = {slot.name, slot.about, 1 + static_cast<int32_t>(slot.kind), 1 + static_cast<int32_t>(slot.role),
            1 + static_cast<int32_t>(slot.given), slot.space == adj::Space::host, slot.offset, slot.may_equal};
    return static_cast<adj_status>(ADJ_OK);
  });
}
const char* adj_dtype_name(adj_dtype dtype) noexcept { return adj::dtype_name(dtype); }
adj_dtype adj_dtype_find(const char* name) noexcept { return name ? adj::dtype_find(name) : ADJ_DTYPE_NONE; }

adj_status adj_comm_unique_id(void* id, uint64_t size) noexcept {
  return guarded([&, function = __func__] {
    ADJ_REQUIRE(id);
    if (size < ADJ_COMM_ID_BYTES)
      return report(fail(ADJ_ERROR_BUFFER_TOO_SMALL, "{}: size = {}, an id has {} bytes", function, size, ADJ_COMM_ID_BYTES));
    auto api = adj::nccl();
    if (!api) return report(api.take_error());
    adj::cu::NcclUniqueId own;
    if (auto rc = (*api)->unique_id(&own)) return report(adj::nccl_error(**api, rc, "ncclGetUniqueId", nullptr));
    std::memcpy(id, &own, sizeof own);
    return static_cast<adj_status>(ADJ_OK);
  });
}
adj_status adj_comm_init(int32_t ranks, int32_t rank, const void* id, uint64_t size, void** out) noexcept {
  return guarded([&, function = __func__] {
    ADJ_REQUIRE(out);
    *out = nullptr;
    ADJ_REQUIRE(id);
    if (size != ADJ_COMM_ID_BYTES)
      return report(fail(ADJ_ERROR_INVALID_ARGUMENT, "{}: size = {}, an id has {} bytes", function, size, ADJ_COMM_ID_BYTES));
    if (ranks < 1 || rank < 0 || rank >= ranks)
      return report(fail(ADJ_ERROR_INVALID_ARGUMENT, "{}: rank = {} of ranks = {}", function, rank, ranks));
    auto api = adj::nccl();
    if (!api) return report(api.take_error());
    adj::cu::NcclUniqueId own;
    std::memcpy(&own, id, sizeof own);
    adj::cu::NcclComm comm = nullptr;
    const auto rc = (*api)->comm_init(&comm, ranks, own, rank);
    if (rc && rc != adj::cu::kNcclInProgress) return report(adj::nccl_error(**api, rc, "ncclCommInitRank", nullptr));
    if (auto ready = finish_init(**api, rc, {&comm, 1}, "ncclCommInitRank"); !ready) return report(ready.take_error());
    *out = comm;
    return static_cast<adj_status>(ADJ_OK);
  });
}
adj_status adj_comm_init_all(int32_t count, const int32_t* devices, void** out) noexcept {
  return guarded([&, function = __func__] {
    ADJ_REQUIRE(out);
    if (count < 1) return report(fail(ADJ_ERROR_INVALID_ARGUMENT, "{}: count = {}, expected at least 1", function, count));
    std::fill_n(out, count, nullptr);
    ADJ_REQUIRE(devices);
    auto api = adj::nccl();
    if (!api) return report(api.take_error());
    std::vector<adj::cu::NcclComm> comms(static_cast<std::size_t>(count));
    const auto rc = (*api)->comm_init_all(comms.data(), count, devices);
    if (rc && rc != adj::cu::kNcclInProgress) return report(adj::nccl_error(**api, rc, "ncclCommInitAll", nullptr));
    if (auto ready = finish_init(**api, rc, comms, "ncclCommInitAll"); !ready) return report(ready.take_error());
    std::copy(comms.begin(), comms.end(), out);
    return static_cast<adj_status>(ADJ_OK);
  });
}
adj_status adj_comm_destroy(void* comm) noexcept {
  return guarded([&] {
    if (!comm) return static_cast<adj_status>(ADJ_OK);
    auto api = adj::nccl();
    if (!api) return report(api.take_error());
    if (auto rc = (*api)->comm_destroy(static_cast<adj::cu::NcclComm>(comm)); rc && rc != adj::cu::kNcclInProgress)
      return report(adj::nccl_error(**api, rc, "ncclCommDestroy", nullptr));
    return static_cast<adj_status>(ADJ_OK);
  });
}
adj_status adj_comm_abort(void* comm) noexcept {
  return guarded([&] {
    if (!comm || adj::host::abort_communicator(comm)) return static_cast<adj_status>(ADJ_OK);
    auto api = adj::nccl();
    if (!api) return report(api.take_error());
    return finish(adj::abort_nccl(**api, static_cast<adj::cu::NcclComm>(comm)));
  });
}

adj_status adj_host_comm_create(int32_t ranks, void** out) noexcept {
  return guarded([&, function = __func__] {
    ADJ_REQUIRE(out);
    auto handles = adj::host::create_communicator(ranks);
    if (!handles) return report(handles.take_error());
    std::copy(handles->begin(), handles->end(), out);
    return static_cast<adj_status>(ADJ_OK);
  });
}
adj_status adj_host_comm_destroy(void* handle) noexcept {
  return guarded([&, function = __func__] {
    if (handle && !adj::host::destroy_communicator(handle))
      return report(fail(ADJ_ERROR_INVALID_ARGUMENT, "{}: {} is not a handle of adj_host_comm_create, or has been destroyed", function, handle));
    return static_cast<adj_status>(ADJ_OK);
  });
}

adj_status adj_host_event_create(void** out) noexcept {
  return guarded([&, function = __func__] {
    ADJ_REQUIRE(out);
    *out = nullptr;
    auto event = adj::host::create_event();
    if (!event) return report(event.take_error());
    *out = *event;
    return static_cast<adj_status>(ADJ_OK);
  });
}
adj_status adj_host_event_reset(void* event) noexcept {
  return guarded([&, function = __func__] {
    ADJ_REQUIRE(event);
    return finish(adj::host::reset_event(event));
  });
}
adj_status adj_host_event_destroy(void* event) noexcept {
  return guarded([&, function = __func__] {
    if (event && !adj::host::destroy_event(event))
      return report(fail(ADJ_ERROR_INVALID_ARGUMENT, "{}: {} is not a handle of adj_host_event_create, or has been destroyed", function, event));
    return static_cast<adj_status>(ADJ_OK);
  });
}

void adj_set_log(adj_log_fn fn, void* user) noexcept {
  guarded([&] {
    adj::set_log(fn, user);
    return static_cast<adj_status>(ADJ_OK);
  });
}

}  // extern "C"
