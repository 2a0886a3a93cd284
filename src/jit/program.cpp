#include "jit/program.hpp"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstring>

#include "base/text.hpp"
#include "driver/libraries.hpp"
#include "driver/trace.hpp"
#include "jit/cache.hpp"
#include "jit/sources.hpp"

namespace adj {

namespace {

// Part of every key. Raise the number when the meaning of a cached image changes but its sources do not.
constexpr const char* kSchema = "adjoint-image-1";

struct Counters {
  std::atomic<std::int64_t> memory_hits{0}, pack_hits{0}, disk_hits{0}, compiles{0};
};
Counters& counters() {
  static Counters* c = new Counters;
  return *c;
}

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
// Names and checksums of a source and of the files that it includes, for keys. Files that it does not include have no influence.
std::string digest_of(const EmbeddedFile* source) {
  if (!source) return "";
  std::string digest = fmt::format("{}={}\n", source->name, source->sha256);
  for (std::uint16_t i : source->includes) digest += fmt::format("{}={}\n", kEmbeddedFiles[i].name, kEmbeddedFiles[i].sha256);
  return digest;
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

const EmbeddedFile* find_embedded(std::string_view name) {
  for (int i = 0; i < kEmbeddedFileCount; ++i)
    if (name == kEmbeddedFiles[i].name) return &kEmbeddedFiles[i];
  return nullptr;
}

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
  text_ = std::move(text);
  text_digest_ = sha256_hex(text_);
  own_ = {source_.c_str(), text_.c_str(), text_digest_.c_str(), {}};
}

const EmbeddedFile* Program::file() const { return own_.name ? &own_ : find_embedded(source_); }

std::string Program::name() const { return fmt::format("{}:{} {}", source_, entry_, macros_); }

std::vector<std::string> Program::options(int cc, bool ptx) const {
  std::vector<std::string> options{fmt::format("--gpu-architecture={}", ptx ? fmt::format("compute_{}", cc) : arch_name(cc)),
                                   "--std=c++17", "-default-device", fmt::format("-DADJ_ARCH={}", cc),
                                   fmt::format("-DADJ_ENTRY={}", entry_)};
  for (const std::string& define : defines_) options.push_back("-D" + define);
  return options;
}

std::string Program::key(int cc) const {
  return sha256_hex(fmt::format("{}\n{}\n{}{}\n", kSchema, source_, digest_of(file()), join(options(cc, false), ' ')));
}

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
  ProgramScope program(api);
  auto nvrtc_error = [&](cu::NvrtcResult rc, const char* call) {
    Error error = fail(ADJ_ERROR_COMPILE_FAILED, "{} failed with {} for {} on {} (NVRTC {}.{})", call, api.error_string(rc),
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

Result<Image> Program::image(int cc, adj_jit_policy policy) const {
  if (!given_.bytes.empty()) return given_;
  const auto find = [&]() -> Result<Image> {
    auto image = find_or_compile(cc, policy);
    if (image && check_)
      if (auto ok = check_(*image); !ok) return ok.take_error();
    return image;
  };
  if (!trace::wants(trace::kCompile | trace::kNvtx)) return find();
  const trace::Span span(name().c_str());
  auto image = find();
  if (trace::wants(trace::kCompile))
    trace::write_line([&] {
      const std::string answer = image ? fmt::format("from={} bytes={}", found_name(image->from), image->bytes.size())
                                       : fmt::format("error={}", status_name(image.error().code));
      return fmt::format("compile {} {} arch={} -- {}", span.time(), answer, arch_name(cc), name());
    });
  return image;
}

Result<Image> Program::find_or_compile(int cc, adj_jit_policy policy) const {
  const std::string source_key = key(cc);
  if (auto image = find_in_packs(source_key)) {
    image->from = Found::pack;
    ++counters().pack_hits;
    return std::move(*image);
  }
  auto unavailable = [&](const std::string& why) {
    if (own_.name)
      return fail(ADJ_ERROR_BACKEND_UNAVAILABLE, "{} is not compiled for {} and {}; a cubin of it needs no compiler", name(), arch_name(cc), why);
    return fail(ADJ_ERROR_BACKEND_UNAVAILABLE,
                "{} is not compiled for {} and {}; build it with: adjoint sku compile --arch {} -o FILE, then load FILE "
                "with adj_pack_load or ADJOINT_PACK", name(), arch_name(cc), why, arch_name(cc));
  };
  if (policy == ADJ_JIT_PACKS_ONLY) return unavailable("the preference allows packs only");

  // A cubin is used whatever NVRTC is installed now, or none. PTX was stored because no NVRTC knew the device: it is compiled again when
  // the present NVRTC does.
  auto from_disk = [&]() -> std::optional<Image> {
    auto image = disk_cache().get(source_key);
    if (!image) return std::nullopt;
    if (image->ptx)
      if (auto library = nvrtc(); library && knows(**library, cc)) return std::nullopt;
    image->from = Found::disk;
    ++counters().disk_hits;
    return image;
  };
  if (auto image = from_disk()) return std::move(*image);
  if (policy == ADJ_JIT_CACHED_ONLY) return unavailable("the preference allows no compilation");
  if (auto library = nvrtc(); !library) return unavailable(fmt::format("cannot be compiled: {}", library.error().message));

  const DiskCache::Lock lock = disk_cache().lock(source_key);
  if (auto image = from_disk()) return std::move(*image);  // another process was faster
  auto image = compile(cc);
  if (image) disk_cache().put(source_key, *image);
  return image;
}

Result<LoadedKernel> Program::load_once(const Device& device, adj_jit_policy policy) const {
  auto code = image(device.cc, policy);
  if (!code) return code.take_error();
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
  if (auto rc = c.library_load(&library.handle, code->bytes.c_str(), options, values, code->ptx ? 2 : 0, nullptr, nullptr, 0)) {
    Error error = cuda_error(c, rc, "cuLibraryLoadData");
    error.message = fmt::format("{} does not load on a device of {}: {}", source_, device.arch, error.message);
    if (code->ptx && (rc == cu::kErrorInvalidPtx || rc == cu::kErrorUnsupportedPtx)) error.code = ADJ_ERROR_COMPILE_FAILED;
    if (!given_.bytes.empty() && rc == cu::kErrorNoBinary) error.code = ADJ_ERROR_UNSUPPORTED;
    error.log = log;
    return error;
  }
  cu::Kernel kernel = nullptr;
  LoadedKernel loaded;
  loaded.from_ptx = code->ptx;
  loaded.from = code->from;
  if (auto rc = c.library_kernel(&kernel, library.handle, entry_.c_str())) return cuda_error(c, rc, "cuLibraryGetKernel");
  // Loads the code onto the device now. Under lazy loading the first launch would load it, which is forbidden during a capture.
  cu::Function on_device = nullptr;
  if (auto rc = c.kernel_function(&on_device, kernel)) return cuda_error(c, rc, "cuKernelGetFunction");
  int static_shared = 0;
  cu::Device handle = 0;
  if (auto rc = c.device_get(&handle, device.ordinal)) return cuda_error(c, rc, "cuDeviceGet");
  if (auto rc = c.kernel_get_attribute(&static_shared, cu::kFunctionSharedBytes, kernel, handle))
    return cuda_error(c, rc, "cuKernelGetAttribute");
  const int dynamic = static_cast<int>(device.shared_optin) - static_shared;
  if (auto rc = c.kernel_set_attribute(cu::kFunctionMaxDynamicShared, dynamic, kernel, handle))
    return cuda_error(c, rc, "cuKernelSetAttribute");
  loaded.function = reinterpret_cast<cu::Function>(kernel);
  library.release();  // a kernel stays loaded for the life of the process
  return loaded;
}

bool Program::loaded(const Device& device) const {
  std::lock_guard lock(mutex_);
  const auto it = loaded_.find(device.ordinal);
  return it != loaded_.end() && it->second.wait_for(std::chrono::seconds(0)) == std::future_status::ready && it->second.get();
}

Result<LoadedKernel> Program::load(const Device& device, adj_jit_policy policy) const {
  using Shared = std::shared_ptr<const LoadedKernel>;  // null: the load failed
  for (;;) {
    std::promise<Shared> promise;
    std::shared_future<Shared> future;
    bool first = false;
    {
      std::lock_guard lock(mutex_);
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
        std::lock_guard lock(mutex_);
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
