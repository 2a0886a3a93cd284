// Compilation of a program by NVRTC.
#include <algorithm>
#include <chrono>
#include <shared_mutex>

#include "base/log.hpp"
#include "jit/kernel_sources.hpp"
#include "jit/search.hpp"

namespace adj {

namespace {

// Names and texts of the headers that a kernel source includes.
struct Headers {
  std::vector<const char*> names, texts;
  explicit Headers(const EmbeddedFile& source) {
    for (std::uint16_t i : source.includes) {
      names.push_back(kernel_sources().files[i].name);
      texts.push_back(kernel_sources().files[i].text);
    }
  }
};
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

}  // namespace

bool knows(const cu::NvrtcApi& api, int cc) {
  return std::find(api.compute_capabilities.begin(), api.compute_capabilities.end(), cc) != api.compute_capabilities.end();
}

Result<Image> Program::compile(int cc) const {
  const EmbeddedFile* file = this->file();
  if (!file) return kernel_sources().find(source_).take_error();
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
  const std::shared_lock compiling(program_locks.get().compiling);
  ProgramScope program(api);
  const auto log_of = [&] {
    std::string text;
    std::size_t size = 0;
    if (program.handle && api.log_size(program.handle, &size) == cu::kNvrtcSuccess && size > 1) {
      text.resize(size);  // room for the terminating zero that NVRTC writes
      if (api.log(program.handle, text.data()) != cu::kNvrtcSuccess) text.clear();
      else text.resize(size - 1);
    }
    return text;
  };
  auto nvrtc_error = [&](cu::NvrtcResult rc, const char* call) {
    Error error = fail(ADJ_ERROR_COMPILE_FAILED, "{} failed with {} ({}) for {} on {} (NVRTC {}.{})", call, api.error_string(rc), rc, name(), arch_name(cc),
                       api.major, api.minor);
    error.native = rc;
    error.options = join(options, ' ');
    error.log = log_of();
    return error;
  };
  const Headers h(*file);
  if (auto rc = api.create(&program.handle, file->text, file->name, static_cast<int>(h.names.size()), h.texts.data(), h.names.data()))
    return nvrtc_error(rc, "nvrtcCreateProgram");
  std::vector<const char*> raw;
  for (const std::string& option : options) raw.push_back(option.c_str());
  if (auto rc = api.compile(program.handle, static_cast<int>(raw.size()), raw.data())) return nvrtc_error(rc, "nvrtcCompileProgram");
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
  ++counters.compiles;
  image.compile_ms = std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - start).count();
  log(0, fmt::format("compiled {} for {} in {:.1f} ms", name(), arch_name(cc), image.compile_ms));
  if (const std::string about = log_of(); !about.empty()) log(1, fmt::format("NVRTC says of {} for {}: {}", name(), arch_name(cc), about));
  return image;
}

}  // namespace adj
