#include "jit/program.hpp"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstring>
#include <mutex>
#include <optional>
#include <set>
#include <shared_mutex>

#include "base/log.hpp"
#include "base/process.hpp"
#include "base/text.hpp"
#include "driver/libraries.hpp"
#include "driver/trace.hpp"
#include "jit/cache.hpp"
#include "jit/sources.hpp"

namespace adj {

namespace {

// Part of every key. Raise the number when the meaning of a cached image changes but its sources do not.
constexpr const char* kSchema = "adjoint-image-2";

struct Counters {
  std::atomic<std::int64_t> memory_hits{0}, pack_hits{0}, disk_hits{0}, compiles{0};
};
constinit Counters counted;
Counters& counters() { return counted; }

struct Locks {
  ProcessLock loaded;     // of the table of loaded kernels of every program
  ProcessLock compiling;  // shared by the calls of NVRTC, so that fork waits for them
};
constinit Lazy<Locks> locks;

// Names and texts of the headers that a kernel source includes.
struct Headers {
  std::vector<const char*> names, texts;
  explicit Headers(const EmbeddedFile& source) {
    for (std::uint16_t i : source.includes) {
      names.push_back(kEmbeddedFiles[i].name);
      texts.push_back(kEmbeddedFiles[i].text);
    }
  }
};
const EmbeddedFile* find_file(std::string_view name, std::span<const EmbeddedFile> files) {
  const auto found = std::find_if(files.begin(), files.end(), [&](const EmbeddedFile& file) { return name == file.name; });
  return found == files.end() ? nullptr : &*found;
}

// Lines that define the macros before a caller's text, whose own lines keep their numbers.
std::string head_of(const std::vector<std::string>& defines, const std::string& name) {
  if (defines.empty()) return {};
  std::string head;
  for (const std::string& define : defines) {
    const std::size_t equals = define.find('=');
    head += fmt::format("#define {} {}\n", define.substr(0, equals), equals == std::string::npos ? "1" : define.substr(equals + 1));
  }
  return head + fmt::format("#line 1 \"{}\"\n", name);
}

bool refuses_image(const Error& error) {
  return std::find(std::begin(cu::kRefusals), std::end(cu::kRefusals), error.native) != std::end(cu::kRefusals);
}

// Destroys an NVRTC program at the end of a scope.
class ProgramScope {
 public:
  explicit ProgramScope(const cu::NvrtcApi& api) : api_(api) {}
  ~ProgramScope() {
    if (handle) api_.destroy(&handle);
  }
  ProgramScope(const ProgramScope&) = delete;
  ProgramScope& operator=(const ProgramScope&) = delete;

  cu::NvrtcProgram handle = nullptr;

 private:
  const cu::NvrtcApi& api_;
};

// Unloads a library at the end of a scope, unless release() has been called.
class LibraryScope {
 public:
  explicit LibraryScope(const cu::Api& api) : api_(api) {}
  ~LibraryScope() {
    if (handle) api_.library_unload(handle);
  }
  LibraryScope(const LibraryScope&) = delete;
  LibraryScope& operator=(const LibraryScope&) = delete;

  void release() { handle = nullptr; }
  cu::Library handle = nullptr;

 private:
  const cu::Api& api_;
};

bool knows(const cu::NvrtcApi& api, int cc) {
  return std::find(api.compute_capabilities.begin(), api.compute_capabilities.end(), cc) != api.compute_capabilities.end();
}

std::string join(const std::vector<std::string>& parts, char separator) {
  std::string text;
  for (const std::string& part : parts) text += (text.empty() ? "" : std::string(1, separator)) + part;
  return text;
}

}  // namespace

std::span<const EmbeddedFile> embedded_files() { return {kEmbeddedFiles, static_cast<std::size_t>(kEmbeddedFileCount)}; }
const EmbeddedFile* find_embedded(std::string_view name) { return find_file(name, embedded_files()); }

const char* found_name(Found from) {
  switch (from) {
    case Found::compiled: return "compiled";
    case Found::disk: return "disk";
    case Found::pack: return "pack";
    case Found::memory: return "memory";
  }
  return "unknown";
}

JitCounters jit_counters() {
  const Counters& c = counters();
  return {c.memory_hits, c.pack_hits, c.disk_hits, c.compiles};
}

Program::Program(std::string source, std::string entry, std::vector<std::string> defines)
    : source_(std::move(source)), entry_(std::move(entry)), defines_(std::move(defines)), macros_(join(defines_, ' ')) {}

Program::Program(std::string source, std::string entry, Image given) : Program(std::move(source), std::move(entry), std::vector<std::string>()) {
  given_ = std::move(given);
}

Program::Program(std::string source, std::string entry, std::vector<std::string> defines, std::string text, Check check)
    : Program(std::move(source), std::move(entry), std::move(defines)) {
  check_ = std::move(check);
  text_ = head_of(defines_, source_) + text;
  text_digest_ = sha256_hex(text_);
  own_ = {source_.c_str(), text_.c_str(), text_digest_.c_str(), {}};
}

const EmbeddedFile* Program::file() const { return own_.name ? &own_ : find_embedded(source_); }

std::string Program::name() const { return fmt::format("{}:{} {}", source_, entry_, macros_); }

std::vector<std::string> Program::options(int cc, bool ptx) const {
  std::vector<std::string> options{fmt::format("--gpu-architecture={}", ptx ? fmt::format("compute_{}", cc) : arch_name(cc)),
                                   "--std=c++17", "-default-device", fmt::format("-DADJ_ARCH={}", cc),
                                   fmt::format("-DADJ_ENTRY={}", entry_)};
  if (!own_.name)  // a caller's text defines them itself
    for (const std::string& define : defines_) options.push_back("-D" + define);
  return options;
}

std::string Program::key(int cc, std::span<const EmbeddedFile> files) const {
  std::vector<std::string> parts{kSchema, source_};
  if (const EmbeddedFile* source = own_.name ? &own_ : find_file(source_, files)) {
    // Names and checksums of the source and of the files that it includes. Files that it does not include have no influence.
    parts.insert(parts.end(), {source->name, source->sha256});
    for (std::uint16_t i : source->includes) parts.insert(parts.end(), {files[i].name, files[i].sha256});
  }
  for (std::string& option : options(cc, false)) parts.push_back(std::move(option));
  return sha256_hex(framed(parts));
}
std::string Program::entry_key(int cc, int major) const { return sha256_hex(framed({key(cc), std::to_string(major)})); }

Result<Image> Program::compile(int cc) const {
  const EmbeddedFile* file = this->file();
  if (!file) return fail(ADJ_ERROR_INTERNAL, "kernel source '{}' is not embedded", source_);
  auto library = nvrtc();
  if (!library) return library.take_error();
  const cu::NvrtcApi& api = **library;

  // A device that NVRTC does not know gets PTX for the largest architecture below it, which the driver then compiles.
  const auto& known = api.compute_capabilities;
  bool ptx = false;
  if (!known.empty() && !knows(api, cc)) {
    int below = 0;
    for (int k : known)
      if (k < cc) below = std::max(below, k);
    if (!below) return fail(ADJ_ERROR_UNSUPPORTED, "NVRTC {}.{} cannot compile for {}", api.major, api.minor, arch_name(cc));
    ptx = true;
    cc = below;
  }
  std::vector<std::string> options = this->options(cc, ptx);
  // --minimal omits the declarations of the CUDA runtime, which no kernel uses. The code is the same and compiles about 5 ms faster.
  if (!own_.name && (api.major > 12 || (api.major == 12 && api.minor >= 4))) options.push_back("--minimal");

  const auto start = std::chrono::steady_clock::now();
  const LogHold hold;
  const std::shared_lock compiling(locks.get().compiling);
  ProgramScope program(api);
  auto nvrtc_error = [&](cu::NvrtcResult rc, const char* call) {
    Error error = fail(ADJ_ERROR_COMPILE_FAILED, "{} failed with {} ({}) for {} on {} (NVRTC {}.{})", call, api.error_string(rc), rc,
                       name(), arch_name(cc), api.major, api.minor);
    error.native = rc;
    error.options = join(options, ' ');
    std::size_t size = 0;
    if (program.handle && api.log_size(program.handle, &size) == cu::kNvrtcSuccess && size > 1) {
      error.log.resize(size);  // room for the terminating zero that NVRTC writes
      if (api.log(program.handle, error.log.data()) != cu::kNvrtcSuccess) error.log.clear();
      else error.log.resize(size - 1);
    }
    return error;
  };
  const Headers h(*file);
  if (auto rc = api.create(&program.handle, file->text, file->name, static_cast<int>(h.names.size()), h.texts.data(),
                           h.names.data()))
    return nvrtc_error(rc, "nvrtcCreateProgram");
  std::vector<const char*> raw;
  for (const std::string& option : options) raw.push_back(option.c_str());
  if (auto rc = api.compile(program.handle, static_cast<int>(raw.size()), raw.data()))
    return nvrtc_error(rc, "nvrtcCompileProgram");
  Image image;
  image.ptx = ptx;
  image.compiler = fmt::format("{}.{}", api.major, api.minor);
  std::size_t size = 0;
  if (auto rc = ptx ? api.ptx_size(program.handle, &size) : api.cubin_size(program.handle, &size))
    return nvrtc_error(rc, ptx ? "nvrtcGetPTXSize" : "nvrtcGetCUBINSize");
  image.bytes.resize(size);
  if (auto rc = ptx ? api.ptx(program.handle, image.bytes.data()) : api.cubin(program.handle, image.bytes.data()))
    return nvrtc_error(rc, ptx ? "nvrtcGetPTX" : "nvrtcGetCUBIN");
  if (image.bytes.empty()) return fail(ADJ_ERROR_COMPILE_FAILED, "NVRTC gave no code for {} on {}", name(), arch_name(cc));
  ++counters().compiles;
  image.compile_ms = std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - start).count();
  log(0, fmt::format("compiled {} for {} in {:.1f} ms", name(), arch_name(cc), image.compile_ms));
  return image;
}

// Places in which a search looks.
struct Program::Search {
  const Device* device = nullptr;  // the device that will load the image; null: none of this machine
  bool packs = true;
  std::set<int> without{};  // major versions of NVRTC whose disk entries the device has refused
};
// An image, and the lock of its disk entries while it has been compiled and not yet stored.
struct Program::Candidate {
  Image image;
  DiskCache::Lock lock{};
};

namespace {

int major_of(const Image& image) { return std::atoi(image.compiler.c_str()); }

// Largest major version of NVRTC whose code is of use. A device: what the driver loads. None: what this machine's NVRTC makes, or any known one.
int newest_major(const Device* device) {
  if (device) return driver_interface() / 1000;
  int newest = std::max(kNewestNvrtcMajor, driver_interface() / 1000);
  if (auto library = nvrtc()) newest = std::max(newest, (*library)->major);
  return newest;
}

}  // namespace

Result<Image> Program::image(int cc, adj_jit_policy policy) const {
  if (!given_.bytes.empty()) return given_;
  const LogHold hold;
  auto found = find(cc, policy, {});
  if (!found) return found.take_error();
  if (found->image.from == Found::compiled) disk_cache().put(entry_key(cc, major_of(found->image)), found->image);
  return std::move(found->image);
}

Result<Program::Candidate> Program::find(int cc, adj_jit_policy policy, const Search& search) const {
  const auto checked = [&]() -> Result<Candidate> {
    auto found = find_or_compile(cc, policy, search);
    if (found && check_)
      if (auto ok = check_(found->image); !ok) return ok.take_error();
    return found;
  };
  if (!trace::wants(trace::kCompile | trace::kNvtx)) return checked();
  const trace::Span span(name().c_str());
  auto found = checked();
  if (trace::wants(trace::kCompile))
    trace::write_line([&] {
      const std::string answer = found ? fmt::format("from={} bytes={}", found_name(found->image.from), found->image.bytes.size())
                                       : fmt::format("error={}", status_name(found.error().code));
      return fmt::format("compile {} {} arch={} -- {}", span.time(), answer, arch_name(cc), name());
    });
  return found;
}

Result<Program::Candidate> Program::find_or_compile(int cc, adj_jit_policy policy, const Search& search) const {
  const std::string source_key = key(cc);
  const int newest = newest_major(search.device);
  if (search.packs)
    if (auto image = find_in_packs(source_key, newest)) {
      image->from = Found::pack;
      ++counters().pack_hits;
      return Candidate{std::move(*image)};
    }
  auto unavailable = [&](const std::string& why) {
    if (own_.name)
      return fail(ADJ_ERROR_BACKEND_UNAVAILABLE, "{} is not compiled for {} and {}; a cubin of it needs no compiler", name(), arch_name(cc), why);
    return fail(ADJ_ERROR_BACKEND_UNAVAILABLE,
                "{} is not compiled for {} and {}; build it with: adjoint sku compile --arch {} -o FILE, then load FILE "
                "with adj_pack_load or ADJOINT_PACK", name(), arch_name(cc), why, arch_name(cc));
  };
  if (policy == ADJ_JIT_PACKS_ONLY) return unavailable("the preference allows packs only");

  // Newest compiler first; without a device, that of this machine first. PTX was stored because no NVRTC knew the device: it is compiled again
  // when the present NVRTC does.
  auto from_disk = [&]() -> std::optional<Image> {
    std::vector<int> majors;
    if (auto library = search.device ? Result<const cu::NvrtcApi*>(nullptr) : nvrtc(); library && *library) majors.push_back((*library)->major);
    for (int major = newest; major >= kOldestNvrtcMajor; --major)
      if (majors.empty() || majors.front() != major) majors.push_back(major);
    for (const int major : majors) {
      if (search.without.contains(major)) continue;
      auto image = disk_cache().get(entry_key(cc, major));
      if (!image) continue;
      if (image->ptx)
        if (auto library = nvrtc(); library && knows(**library, cc)) continue;
      image->from = Found::disk;
      ++counters().disk_hits;
      return image;
    }
    return std::nullopt;
  };
  if (auto image = from_disk()) return Candidate{std::move(*image)};
  if (policy == ADJ_JIT_CACHED_ONLY) return unavailable("the preference allows no compilation");
  if (auto library = nvrtc(); !library) return unavailable(fmt::format("cannot be compiled: {}", library.error().message));

  DiskCache::Lock lock = disk_cache().lock(source_key);
  if (auto image = from_disk()) return Candidate{std::move(*image)};  // another process was faster
  auto image = compile(cc);
  if (!image) return image.take_error();
  return Candidate{std::move(*image), std::move(lock)};
}

Result<LoadedKernel> Program::load_once(const Device& device, adj_jit_policy policy) const {
  if (!given_.bytes.empty()) return load_image(device, given_);
  Search search{.device = &device};
  std::optional<Error> refusal;
  for (;;) {
    auto found = find(device.cc, policy, search);
    if (!found) return refusal ? std::move(*refusal) : found.take_error();
    const Image& image = found->image;
    const int major = major_of(image);
    auto loaded = load_image(device, image);
    if (loaded) {
      if (image.from == Found::compiled) disk_cache().put(entry_key(device.cc, major), image);
      return loaded;
    }
    if (!refuses_image(loaded.error())) return loaded;
    const std::string by = image.compiler.empty() ? "" : fmt::format(" (made by NVRTC {}, the driver's interface is CUDA {}.{})", image.compiler,
                                                                     driver_interface() / 1000, driver_interface() % 1000 / 10);
    Error error = loaded.take_error();
    error.message += by;
    if (image.from == Found::compiled) return error;
    log(1, fmt::format("the image of {} from the {} is passed over: {}", name(), image.from == Found::pack ? "pack" : "disk cache", error.message));
    if (image.from == Found::pack) {
      search.packs = false;
    } else {
      disk_cache().remove(entry_key(device.cc, major));
      search.without.insert(major);
    }
    if (!refusal) refusal = std::move(error);
  }
}

Result<LoadedKernel> Program::load_image(const Device& device, const Image& code) const {
  auto api = cuda();
  if (!api) return api.take_error();
  const cu::Api& c = **api;
  const ContextScope scope(c, device);
  if (auto rc = scope.result()) return cuda_error(c, rc, "cuCtxPushCurrent");
  const RelaxedCapture relaxed(c);
  LibraryScope library(c);
  // Receives the driver's message about PTX that it cannot compile.
  char log[8192] = "";
  int options[] = {cu::kJitErrorLog, cu::kJitErrorLogBytes};
  void* values[] = {log, reinterpret_cast<void*>(sizeof log)};
  const auto failed = [&](cu::Result rc, const char* call) {
    Error error = cuda_error(c, rc, call);
    error.message = fmt::format("{} does not load on a device of {}: {}", source_, device.arch, error.message);
    if (code.ptx && (rc == cu::kErrorInvalidPtx || rc == cu::kErrorUnsupportedPtx)) error.code = ADJ_ERROR_COMPILE_FAILED;
    if (!given_.bytes.empty() && rc == cu::kErrorNoBinary) error.code = ADJ_ERROR_UNSUPPORTED;
    error.log = log;
    return error;
  };
  if (auto rc = c.library_load(&library.handle, code.bytes.c_str(), options, values, code.ptx ? 2 : 0, nullptr, nullptr, 0))
    return failed(rc, "cuLibraryLoadData");
  cu::Kernel kernel = nullptr;
  LoadedKernel loaded;
  loaded.from_ptx = code.ptx;
  loaded.from = code.from;
  if (auto rc = c.library_kernel(&kernel, library.handle, entry_.c_str())) return failed(rc, "cuLibraryGetKernel");
  // Loads the code onto the device now. Under lazy loading the first launch would load it, which is forbidden during a capture.
  cu::Function on_device = nullptr;
  if (auto rc = c.kernel_function(&on_device, kernel)) return failed(rc, "cuKernelGetFunction");
  int static_shared = 0;
  cu::Device handle = 0;
  if (auto rc = c.device_get(&handle, device.ordinal)) return cuda_error(c, rc, "cuDeviceGet");
  if (auto rc = c.kernel_get_attribute(&static_shared, cu::kFunctionSharedBytes, kernel, handle))
    return cuda_error(c, rc, "cuKernelGetAttribute");
  const int dynamic = static_cast<int>(device.shared_optin) - static_shared;
  if (auto rc = c.kernel_set_attribute(cu::kFunctionMaxDynamicShared, dynamic, kernel, handle))
    return cuda_error(c, rc, "cuKernelSetAttribute");
  loaded.function = reinterpret_cast<cu::Function>(kernel);
  loaded.library = library.handle;
  library.release();
  return loaded;
}

Program::~Program() {
  for (const auto& [ordinal, future] : loaded_) {
    if (future.wait_for(std::chrono::seconds(0)) != std::future_status::ready || !future.get()) continue;
    try {
      const auto api = cuda_in_this_process();
      const auto on = adj::device(ordinal);
      if (!api || !on) continue;
      const ContextScope scope(**api, **on);
      const RelaxedCapture relaxed(**api);
      (*api)->library_unload(future.get()->library);
    } catch (...) {  // out of memory: it stays loaded
    }
  }
}

bool Program::loaded(const Device& device) const {
  std::shared_lock lock(locks.get().loaded);
  const auto it = loaded_.find(device.ordinal);
  return it != loaded_.end() && it->second.wait_for(std::chrono::seconds(0)) == std::future_status::ready && it->second.get();
}

Result<LoadedKernel> Program::load(const Device& device, adj_jit_policy policy) const {
  using Shared = std::shared_ptr<const LoadedKernel>;  // null: the load failed
  const LogHold hold;  // until the load is settled: the callback may ask for the same program
  for (;;) {
    std::promise<Shared> promise;
    std::shared_future<Shared> future;
    bool first = false;
    {
      std::lock_guard lock(locks.get().loaded);
      if (auto it = loaded_.find(device.ordinal); it != loaded_.end()) {
        future = it->second;
      } else {
        future = promise.get_future().share();
        loaded_.emplace(device.ordinal, future);
        first = true;
      }
    }
    if (!first) {
      const Shared& result = future.get();
      if (!result) continue;  // the other caller failed, perhaps under a stricter policy: this caller tries as well
      ++counters().memory_hits;
      LoadedKernel found = *result;
      found.from = Found::memory;
      return found;
    }
    // Waiting callers are always released, by settle(). A failure is not remembered: a later call may have another policy or a new pack.
    Shared shared;
    auto settle = [&] {
      if (!shared) {
        std::lock_guard lock(locks.get().loaded);
        loaded_.erase(device.ordinal);
      }
      promise.set_value(shared);
    };
    try {
      auto room = std::make_shared<LoadedKernel>();  // allocated before the load, so that a loaded kernel cannot be lost to bad_alloc
      auto result = load_once(device, policy);
      if (result) {
        *room = *result;
        shared = std::move(room);
      }
      settle();
      return result;
    } catch (...) {
      settle();
      throw;
    }
  }
}

}  // namespace adj
