// Entries of the C interface: version, errors, streams, SKUs, plans.
#include "capi/entry.hpp"
#include "commit.gen.h"
#include "jit/code.hpp"
#include "plan/plan.hpp"
#include "plan/plan_cache.hpp"

using namespace adj::entry;

namespace {

using adj::Error;
using adj::fail;

// A handle is the engine's own object under an opaque name.
const adj::Plan& plan_of(const adj_plan* plan) { return *reinterpret_cast<const adj::Plan*>(plan); }
adj::Plan& plan_of(adj_plan* plan) { return *reinterpret_cast<adj::Plan*>(plan); }
const adj::BoundCall& bound_of(const adj_bound* bound) { return *reinterpret_cast<const adj::BoundCall*>(bound); }

constexpr const char* kOutOfMemory = "out of memory";

// Sentence of the thread's last failure: fixed_error unless it is null, else of_thread<LastError>. A fixed text needs no memory.
struct LastError {
  std::string text;
};
thread_local const char* fixed_error = "";
thread_local std::int64_t last_native = 0;  // native code of that failure

}  // namespace

adj_status adj::entry::report(Error error, adj_error** object) {
  const adj_status code = error.code;
  of_thread<LastError>().text = error.message;
  last_native = error.native;
  if (object) *object = new adj_error{std::move(error)};
  fixed_error = nullptr;
  return code;
}

adj_status adj::entry::report_exception() noexcept {
  last_native = 0;
  try {
    throw;
  } catch (const std::bad_alloc&) {
    fixed_error = kOutOfMemory;
    return ADJ_ERROR_OUT_OF_MEMORY;
  } catch (const std::exception& e) {
    try {
      of_thread<LastError>().text = std::string("internal error: ") + e.what();
      fixed_error = nullptr;
    } catch (...) { fixed_error = "internal error"; }
  } catch (...) { fixed_error = "internal error"; }
  return ADJ_ERROR_INTERNAL;
}

namespace {

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
    return ADJ_OK;
  });
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
  int argument = adj::kEveryOutput;
  for (std::size_t i = 0; output && i < sku.op->arguments.size(); ++i)
    if (std::strcmp(sku.op->arguments[i].name, output) == 0) argument = static_cast<int>(i);
  if (output && argument == adj::kEveryOutput) return report(fail(ADJ_ERROR_NOT_FOUND, "{}: {} has no argument '{}'", function, sku.op->name, output));
  if (output && sku.op->arguments[static_cast<std::size_t>(argument)].role == adj::Role::in)
    return report(fail(ADJ_ERROR_INVALID_ARGUMENT, "{}: {} of {} is an input", function, output, sku.op->name));
  *out = adj::guarantee_of(sku, descriptor, argument);
  return ADJ_OK;
}

}  // namespace

extern "C" {

// ---- version

adj_status adj_abi_check(uint32_t major, uint32_t minor) noexcept {
  return guarded([&] {
    if (major == ADJ_ABI_MAJOR && minor <= ADJ_ABI_MINOR) return ADJ_OK;
    return report(fail(ADJ_ERROR_UNSUPPORTED, "the program was built for interface {}.{}, this library has {}.{}", major, minor, ADJ_ABI_MAJOR, ADJ_ABI_MINOR));
  });
}
void adj_abi_version(uint32_t* major, uint32_t* minor) noexcept {
  if (major) *major = ADJ_ABI_MAJOR;
  if (minor) *minor = ADJ_ABI_MINOR;
}
const char* adj_version(void) noexcept { return ADJ_LIBRARY_VERSION ADJ_LIBRARY_COMMIT; }

// ---- errors

const char* adj_status_name(adj_status status) noexcept { return adj::status_name(status); }
const char* adj_last_error(void) noexcept { return fixed_error ? fixed_error : of_thread<LastError>().text.c_str(); }
int64_t adj_last_native_code(void) noexcept { return last_native; }
adj_status adj_error_code(const adj_error* e) noexcept { return e ? e->error.code : ADJ_ERROR_INVALID_ARGUMENT; }
const char* adj_error_message(const adj_error* e) noexcept { return e ? e->error.message.c_str() : ""; }
const char* adj_error_log(const adj_error* e) noexcept { return e ? e->error.log.c_str() : ""; }
const char* adj_error_options(const adj_error* e) noexcept { return e ? e->error.options.c_str() : ""; }
int64_t adj_error_native_code(const adj_error* e) noexcept { return e ? e->error.native : 0; }
void adj_error_release(adj_error* e) noexcept { delete e; }
int64_t adj_error_rejection_count(const adj_error* e) noexcept { return e ? static_cast<int64_t>(e->error.rejections.size()) : 0; }
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
    return ADJ_OK;
  });
}
adj_status adj_stream_offline(const char* arch, adj_stream* out) noexcept {
  return guarded([&, function = __func__] {
    ADJ_REQUIRE(arch);
    ADJ_REQUIRE(out);
    auto stream = adj::offline_stream(arch);
    if (!stream) return report(stream.take_error());
    *out = *stream;
    return ADJ_OK;
  });
}

// ---- SKUs

int64_t adj_sku_count(void) noexcept {
  int64_t count = 0;
  guarded([&] {
    count = static_cast<int64_t>(adj::all_skus().size());
    return ADJ_OK;
  });
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
    if (image->ptx) return report(fail(ADJ_ERROR_UNSUPPORTED, "{}: this NVRTC does not know {}, so the machine code is the driver's", id, arch), error);
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

adj_status adj_plan_select(const adj_stream* stream, const adj_header* descriptor, const adj_preference* preference, adj_plan** out,
                           adj_error** error) noexcept {
  return give_plan(__func__, stream, out, error, [&] { return adj::select_plan(*stream, descriptor, preference); });
}
adj_status adj_plan_acquire(const adj_stream* stream, const adj_header* descriptor, const adj_preference* preference, adj_plan** out,
                            adj_error** error) noexcept {
  return give_plan(__func__, stream, out, error, [&] { return adj::plan_cache().acquire(*stream, descriptor, preference); });
}
adj_status adj_plan_explain(const adj_stream* stream, const adj_header* descriptor, const adj_preference* preference, adj_error** report_out) noexcept {
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
    return ADJ_OK;
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
adj_status adj_plan_bind(const adj_plan* plan, const adj_stream* stream, const adj_workspace* workspace, const adj_header* args, adj_bound** out) noexcept {
  if (out) *out = nullptr;
  return guarded([&, function = __func__] {
    ADJ_REQUIRE(plan);
    ADJ_REQUIRE(stream);
    ADJ_REQUIRE(out);
    // const_cast: binding changes the reference count only.
    auto bound = adj::bind_plan(plan_of(const_cast<adj_plan*>(plan)), *stream, workspace ? *workspace : adj_workspace{}, args);
    if (!bound) return report(bound.take_error());
    *out = reinterpret_cast<adj_bound*>(*bound);
    return ADJ_OK;
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

}  // extern "C"
