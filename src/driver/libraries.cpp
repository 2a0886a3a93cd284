#include "driver/libraries.hpp"

#include <dlfcn.h>

#include <algorithm>
#include <cstring>
#include <filesystem>

#include "base/log.hpp"
#include "base/process.hpp"
#include "base/text.hpp"

namespace adj {

namespace {

constexpr int kRequestedInterface = 12000;  // CUDA 12.0, the first with context-independent loading (cuLibraryLoadData)

// Directories searched after the loader's own: first ADJOINT_LIBRARY_PATH, then the usual places of toolkits.
std::vector<std::string> extra_directories() {
  std::vector<std::string> directories;
  if (const char* path = environment("ADJOINT_LIBRARY_PATH")) {
    std::string_view rest = path;
    while (!rest.empty()) {
      const std::size_t end = std::min(rest.find(':'), rest.size());
      if (end > 0) directories.emplace_back(rest.substr(0, end));
      rest.remove_prefix(std::min(end + 1, rest.size()));
    }
  }
  for (const char* variable : {"CUDA_HOME", "CUDA_PATH"})
    if (const char* root = environment(variable)) directories.push_back(std::string(root) + "/lib64");
  directories.emplace_back("/usr/local/cuda/lib64");
  return directories;
}

struct Opened {
  void* handle = nullptr;
  std::string path;
  std::string tried;
};

std::string path_of(void* handle, const char* symbol) {
  Dl_info info{};
  void* address = ::dlsym(handle, symbol);
  return address && ::dladdr(address, &info) && info.dli_fname ? info.dli_fname : "";
}

// Loads a library. If the override variable is set, only the file that it names is tried; an empty value means no library. Otherwise the
// loader tries each soname of the first group, and then each of them is tried in the extra directories; then the next group.
Opened open_library(const char* override_variable, std::initializer_list<std::vector<const char*>> groups) {
  Opened opened;
  auto attempt = [&](const std::string& name) {
    opened.handle = ::dlopen(name.c_str(), RTLD_NOW | RTLD_LOCAL);
    if (!opened.handle) {
      const char* why = ::dlerror();
      opened.tried += (opened.tried.empty() ? "" : "; ") + std::string(why ? why : name);
    }
    return opened.handle != nullptr;
  };
  if (const char* file = environment(override_variable)) {
    if (*file)
      attempt(file);
    else
      opened.tried = fmt::format("{} is empty", override_variable);
    return opened;
  }
  for (const std::vector<const char*>& sonames : groups) {
    for (const char* soname : sonames)
      if (attempt(soname)) return opened;
    for (const std::string& directory : extra_directories())
      for (const char* soname : sonames) {
        const std::string file = directory + "/" + soname;
        std::error_code ignored;
        if (std::filesystem::exists(file, ignored) && attempt(file)) return opened;
      }
  }
  return opened;
}

// Looks functions up by name and remembers which are absent.
struct Symbols {
  void* library;
  std::string missing{};

  template <class Function>
  void bind(Function& member, const char* symbol) {
    member = reinterpret_cast<Function>(::dlsym(library, symbol));
    if (!member) missing += (missing.empty() ? "" : ", ") + std::string(symbol);
  }
};

// libcuda, not initialised.
struct DriverFile {
  Opened library = open_library("ADJOINT_LIBCUDA", {{"libcuda.so.1"}});
  int version = 0;  // of its interface: 13000 for CUDA 13.0; 0 when it is missing or does not answer

  DriverFile() {
    if (!library.handle) return;
    const auto ask = reinterpret_cast<cu::Result (*)(int*)>(::dlsym(library.handle, "cuDriverGetVersion"));
    if (ask && ask(&version) != cu::kSuccess) version = 0;
  }
};
constinit Lazy<DriverFile> driver_file;

std::string interface_name(int version) { return fmt::format("{}.{}", version / 1000, version % 1000 / 10); }

struct Driver {
  cu::Api api;
  LibraryReport report{.name = "CUDA driver", .path = {}, .version = {}, .problem = {}};
  adj_status code = ADJ_OK;
  std::int64_t native = 0;
  int forks = adj::forks();  // of the process that initialised it

  Driver() { code = load(); report.available = code == ADJ_OK; }

  adj_status load() {
    const Opened& lib = driver_file.get().library;
    if (!lib.handle) {
      report.problem = fmt::format("libcuda.so.1 cannot be loaded ({}); install the NVIDIA driver", lib.tried);
      return ADJ_ERROR_BACKEND_UNAVAILABLE;
    }
    report.path = path_of(lib.handle, "cuInit");
    using GetProcAddress = cu::Result (*)(const char*, void**, int, std::uint64_t, int*);
    auto get = reinterpret_cast<GetProcAddress>(::dlsym(lib.handle, "cuGetProcAddress_v2"));
    api.version = driver_file.get().version;
    if (api.version) report.version = interface_name(api.version);
    if (!get || api.version < kRequestedInterface) {
      report.problem = fmt::format("the driver's interface is CUDA {}, 12.0 or newer is needed; update the NVIDIA driver",
                                   report.version.empty() ? "of unknown version" : report.version);
      return ADJ_ERROR_DRIVER_TOO_OLD;
    }
    std::string missing;
    auto bind = [&](auto& member, const char* symbol) {
      void* address = nullptr;
      int status = 0;
      if (get(symbol, &address, kRequestedInterface, 0, &status) != cu::kSuccess || !address)
        missing += (missing.empty() ? "" : ", ") + std::string(symbol);
      member = reinterpret_cast<std::remove_reference_t<decltype(member)>>(address);
    };
#define ADJ_BIND(member, symbol, result, arguments) bind(api.member, #symbol);
    ADJ_CUDA_FUNCTIONS(ADJ_BIND)
#undef ADJ_BIND
    if (!missing.empty()) {
      report.problem = fmt::format("the driver (CUDA {}) lacks {}; update the NVIDIA driver", report.version, missing);
      return ADJ_ERROR_DRIVER_TOO_OLD;
    }
    if (const cu::Result rc = api.init(0); rc != cu::kSuccess) {
      native = rc;
      report.problem = cuda_error(api, rc, "cuInit").message;
      return ADJ_ERROR_BACKEND_UNAVAILABLE;
    }
    return ADJ_OK;
  }
};

// The oldest NVRTC that compiles every kernel. Older versions lack vector reductions or 32 KB of parameters, or were not tested.
constexpr int kOldestNvrtcMinor = 4;  // of kOldestNvrtcMajor

struct Nvrtc {
  cu::NvrtcApi api;
  LibraryReport report{.name = "NVRTC", .path = {}, .version = {}, .problem = {}};

  Nvrtc() { report.available = load(); }

  bool load() {
    // A driver loads code of compilers up to its own major version. A newer compiler is the last choice: it serves offline devices.
    const int driver_major = driver_file.get().version / 1000;
    std::vector<const char*> fitting, newer;
    for (const auto& [major, soname] : {std::pair{13, "libnvrtc.so.13"}, {12, "libnvrtc.so.12"}})
      (driver_major && major > driver_major ? newer : fitting).push_back(soname);
    Opened lib = open_library("ADJOINT_LIBNVRTC", {fitting, newer});
    if (!lib.handle) {
      report.problem = fmt::format(
          "libnvrtc.so.13 or .12 cannot be loaded ({}); install NVRTC (the CUDA toolkit, or PyPI's nvidia-cuda-nvrtc, "
          "with its directory in ADJOINT_LIBRARY_PATH), or use a pack of compiled kernels", lib.tried);
      return false;
    }
    report.path = path_of(lib.handle, "nvrtcVersion");
    Symbols symbols{lib.handle};
#define ADJ_BIND(member, symbol, result, arguments) symbols.bind(api.member, #symbol);
    ADJ_NVRTC_FUNCTIONS(ADJ_BIND)
#undef ADJ_BIND
    if (!symbols.missing.empty()) {
      report.problem = fmt::format("'{}' lacks {}; a newer NVRTC is needed", report.path, symbols.missing);
      return false;
    }
    int count = 0;
    if (api.version(&api.major, &api.minor) != cu::kNvrtcSuccess || api.arch_count(&count) != cu::kNvrtcSuccess ||
        count <= 0) {
      report.problem = fmt::format("'{}' does not answer", report.path);
      return false;
    }
    api.compute_capabilities.resize(static_cast<std::size_t>(count));
    if (api.major < kOldestNvrtcMajor || (api.major == kOldestNvrtcMajor && api.minor < kOldestNvrtcMinor)) {
      report.problem = fmt::format("'{}' is NVRTC {}.{}; {}.{} or newer is needed", report.path, api.major, api.minor, kOldestNvrtcMajor,
                                   kOldestNvrtcMinor);
      return false;
    }
    if (api.archs(api.compute_capabilities.data()) != cu::kNvrtcSuccess) api.compute_capabilities.clear();
    report.version = fmt::format("{}.{}", api.major, api.minor);
    if (driver_major && api.major > driver_major)
      log(1, fmt::format("NVRTC {} ('{}') is newer than the driver's CUDA {}, which loads code of NVRTC {} and older only", report.version, report.path,
                         interface_name(driver_file.get().version), driver_major));
    preload_builtins();
    return true;
  }

  // NVRTC opens its builtins by name only, which fails when its directory is not on the loader's path.
  void preload_builtins() {
    const std::filesystem::path directory = std::filesystem::path(report.path).parent_path();
    const std::string file = (directory / fmt::format("libnvrtc-builtins.so.{}.{}", api.major, api.minor)).string();
    ::dlopen(file.c_str(), RTLD_NOW | RTLD_LOCAL);
  }
};

constinit Lazy<Driver> driver;
constinit Lazy<Nvrtc> nvrtc_library;

struct Cudnn {
  cu::CudnnApi api;
  LibraryReport report{.name = "cuDNN", .path = {}, .version = {}, .problem = {}};

  Cudnn() { report.available = load(); }

  bool load() {
    constexpr std::size_t kOldest = 90000;
    Opened lib = open_library("ADJOINT_LIBCUDNN", {{"libcudnn.so.9"}});
    if (!lib.handle) {
      report.problem = fmt::format("libcudnn.so.9 cannot be loaded ({}); install cuDNN 9 (only its own SKUs need it)", lib.tried);
      return false;
    }
    report.path = path_of(lib.handle, "cudnnGetVersion");
    Symbols symbols{lib.handle};
#define ADJ_BIND(member, symbol, result, arguments) symbols.bind(api.member, #symbol);
    ADJ_CUDNN_FUNCTIONS(ADJ_BIND)
#undef ADJ_BIND
    const std::size_t v = api.version ? api.version() : 0;
    if (v) report.version = fmt::format("{}.{}.{}", v / 10000, v % 10000 / 100, v % 100);
    if (symbols.missing.empty() && v >= kOldest) return true;
    report.problem = symbols.missing.empty() ? fmt::format("'{}' is cuDNN {}, 9.0 or newer is needed", report.path, report.version)
                                             : fmt::format("'{}' lacks {}; cuDNN 9 is needed", report.path, symbols.missing);
    return false;
  }
};
constinit Lazy<Cudnn> cudnn_library;

struct Nccl {
  cu::NcclApi api;
  LibraryReport report{.name = "NCCL", .path = {}, .version = {}, .problem = {}};

  Nccl() { report.available = load(); }

  bool load() {
    Opened lib = open_library("ADJOINT_LIBNCCL", {{"libnccl.so.2"}});
    if (!lib.handle) {
      report.problem = fmt::format("libnccl.so.2 cannot be loaded ({}); install NCCL (only collectives need it)", lib.tried);
      return false;
    }
    report.path = path_of(lib.handle, "ncclGetVersion");
    Symbols symbols{lib.handle};
#define ADJ_BIND(member, symbol, result, arguments) symbols.bind(api.member, #symbol);
    ADJ_NCCL_FUNCTIONS(ADJ_BIND)
#undef ADJ_BIND
    int v = 0;
    if (api.version && api.version(&v) == cu::kNcclSuccess)
      report.version = fmt::format("{}.{}.{}", v / 10000, v % 10000 / 100, v % 100);
    // bf16 needs 2.10, ncclGetLastError needs 2.13.
    constexpr int kOldest = 21300;
    if (symbols.missing.empty() && v >= kOldest) return true;
    report.problem = symbols.missing.empty() ? fmt::format("'{}' is NCCL {}, 2.13 or newer is needed", report.path, report.version)
                                             : fmt::format("'{}' lacks {}; NCCL 2.13 or newer is needed", report.path, symbols.missing);
    return false;
  }
};
constinit Lazy<Nccl> nccl_library;

struct Nvtx {
  cu::NvtxApi api;
  std::string problem;

  Nvtx() {
    // libnvtx3interop is NVTX 3's library for programs that cannot use its header.
    Opened lib = open_library("ADJOINT_LIBNVTX", {{"libnvToolsExt.so.1", "libnvtx3interop.so.1", "libnvtx3interop.so"}});
    if (!lib.handle) {
      problem = fmt::format("libnvToolsExt.so.1 cannot be loaded ({}); install NVTX (the CUDA toolkit, or PyPI's nvidia-nvtx-cu12, with its "
                            "directory in ADJOINT_LIBRARY_PATH)", lib.tried);
      return;
    }
    Symbols symbols{lib.handle};
    symbols.bind(api.range_push, "nvtxRangePushA");
    symbols.bind(api.range_pop, "nvtxRangePop");
    if (!symbols.missing.empty()) problem = fmt::format("'{}' lacks {}", path_of(lib.handle, "nvtxRangePop"), symbols.missing);
  }
};
constinit Lazy<Nvtx> nvtx_library;
constinit Lazy<std::vector<LibraryReport>> reports;

}  // namespace

Result<const cu::Api*> cuda() {
  const Driver& d = driver.get();
  if (d.code == ADJ_OK) return &d.api;
  Error error = fail(d.code, "{}", d.report.problem);
  error.native = d.native;
  return error;
}

Result<const cu::Api*> cuda_in_this_process() {
  auto api = cuda();
  if (api && driver.get().forks != forks())
    return fail(ADJ_ERROR_BACKEND_UNAVAILABLE, "this process was forked from one that had initialised CUDA, and cannot use a device; start it anew (exec, "
                "or the start method 'spawn'), or fork before the first use of a device");
  return api;
}

int driver_interface() { return driver_file.get().version; }

Result<const cu::NvrtcApi*> nvrtc() {
  const Nvrtc& n = nvrtc_library.get();
  if (n.report.available) return &n.api;
  return fail(ADJ_ERROR_BACKEND_UNAVAILABLE, "{}", n.report.problem);
}

Result<const cu::NcclApi*> nccl() {
  const Nccl& n = nccl_library.get();
  if (n.report.available) return &n.api;
  return fail(ADJ_ERROR_BACKEND_UNAVAILABLE, "{}", n.report.problem);
}

Result<const cu::CudnnApi*> cudnn() {
  const Cudnn& c = cudnn_library.get();
  if (c.report.available) return &c.api;
  return fail(ADJ_ERROR_BACKEND_UNAVAILABLE, "{}", c.report.problem);
}

Result<const cu::NvtxApi*> nvtx() {
  const Nvtx& n = nvtx_library.get();
  if (n.problem.empty()) return &n.api;
  return fail(ADJ_ERROR_BACKEND_UNAVAILABLE, "{}", n.problem);
}

const std::vector<LibraryReport>& library_reports() {
  return reports.get([] {
    return std::vector<LibraryReport>{driver.get().report, nvrtc_library.get().report, cudnn_library.get().report, nccl_library.get().report};
  });
}

Error nccl_error(const cu::NcclApi& api, cu::NcclResult result, const char* call, cu::NcclComm comm) {
  const char* text = api.error_string(result);
  const char* last = comm ? api.last_error(comm) : nullptr;
  Error error = fail(ADJ_ERROR_CUDA, "{} failed with {} ({}){}{}", call, result, text ? text : "unknown error", last && *last ? ": " : "",
                     last ? last : "");
  error.native = result;
  return error;
}

Error cudnn_error(const cu::CudnnApi& api, cu::CudnnStatus status, const char* call) {
  const char* text = api.error_string(status);
  char last[512] = "";
  api.last_error(last, sizeof last);
  last[sizeof last - 1] = '\0';
  Error error = fail(ADJ_ERROR_CUDA, "{} failed with {} ({}){}{}", call, status, text ? text : "unknown error", *last ? ": " : "", last);
  error.native = status;
  return error;
}

Error cuda_error(const cu::Api& api, cu::Result result, const char* call) {
  const char* name = nullptr;
  const char* text = nullptr;
  api.error_name(result, &name);
  api.error_string(result, &text);
  Error error = fail(ADJ_ERROR_CUDA, "{} failed with {} ({}, {})", call, name ? name : "an error without a name", result, text ? text : "unknown error");
  if (std::find(std::begin(cu::kFaults), std::end(cu::kFaults), result) != std::end(cu::kFaults))
    error.message += "; an earlier kernel, of this library or of other code, faulted: results since then are undefined, and this process can use the device no more";
  else if (result == cu::kErrorContextDestroyed)
    error.message += "; the device was reset (cudaDeviceReset) or its primary context released, which ends every plan";
  error.native = result;
  return error;
}

}  // namespace adj
