#include "driver/libraries.hpp"

#include <dlfcn.h>
#include <sys/auxv.h>

#include <algorithm>
#include <cstring>
#include <filesystem>

#include "base/log.hpp"
#include "base/process.hpp"
#include "base/text.hpp"

namespace adj {

namespace {

constexpr int kRequestedInterface = 12000;  // CUDA 12.0, the first with context-independent loading (cuLibraryLoadData)

// Directories of ADJOINT_LIBRARY_PATH, which are searched before the loader's own.
std::vector<std::string> named_directories() {
  const char* path = environment("ADJOINT_LIBRARY_PATH");
  return split(path ? path : "", ':');
}

// Directories searched after the loader's own: those of NVIDIA's wheels where this library lies in a package beside them, then the usual places of
// toolkits.
std::vector<std::string> usual_directories() {
  std::vector<std::string> directories;
  Dl_info own{};
  // A program with rights beyond its user's may have been given another name.
  if (!::getauxval(AT_SECURE) && ::dladdr(reinterpret_cast<const void*>(&usual_directories), &own) && own.dli_fname) {
    const std::filesystem::path wheels = std::filesystem::path(own.dli_fname).parent_path() / "../nvidia";
    for (const char* package : {"cu13", "cuda_nvrtc", "cublas", "cudnn", "nccl", "nvtx"}) directories.push_back((wheels / package / "lib").string());
  }
  for (const auto& [variable, lib] : {std::pair{"CUDA_HOME", "/lib64"}, {"CUDA_PATH", "/lib64"}, {"CONDA_PREFIX", "/lib"}})
    if (const char* root = environment(variable)) directories.push_back(std::string(root) + lib);
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

// Loads a library. If the override variable is set, only the file that it names is tried; an empty value means no library. Otherwise each soname of
// the first group is tried in the named directories, then by the loader, then in the usual directories; then the next group.
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
    if (*file) attempt(file);
    else opened.tried = fmt::format("{} is empty", override_variable);
    return opened;
  }
  for (const std::vector<const char*>& sonames : groups) {
    const auto attempt_in = [&](const std::vector<std::string>& directories) {
      for (const std::string& directory : directories)
        for (const char* soname : sonames) {
          const std::string file = directory + "/" + soname;
          std::error_code ignored;
          if (std::filesystem::exists(file, ignored) && attempt(file)) return true;
        }
      return false;
    };
    if (attempt_in(named_directories())) return opened;
    for (const char* soname : sonames)
      if (attempt(soname)) return opened;
    if (attempt_in(usual_directories())) return opened;
  }
  return opened;
}

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

  Driver() {
    code = load();
    report.available = code == ADJ_OK;
  }

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
    api.each([&](auto& member, const char* symbol) {
      void* address = nullptr;
      int status = 0;
      if (get(symbol, &address, kRequestedInterface, 0, &status) != cu::kSuccess || !address) missing += (missing.empty() ? "" : ", ") + std::string(symbol);
      member = reinterpret_cast<std::remove_reference_t<decltype(member)>>(address);
    });
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

constinit Lazy<Driver> driver;

struct Soname {
  const char* file;
  int cuda = 0;  // major version of CUDA that it belongs to; 0: none
};
struct Version {
  int major = 0, minor = 0, patch = -1;  // 0.0 where the library does not answer; patch -1: not counted
  bool operator<(const Version& other) const { return std::pair(major, minor) < std::pair(other.major, other.minor); }
  std::string text() const {
    if (major == 0 && minor == 0) return {};
    return patch < 0 ? fmt::format("{}.{}", major, minor) : fmt::format("{}.{}.{}", major, minor, patch);
  }
};
Version in_decimals(std::size_t v) {  // 91002 is 9.10.2
  return {static_cast<int>(v / 10000), static_cast<int>(v % 10000 / 100), static_cast<int>(v % 100)};
}

// A library whose functions are looked up by name; all of them are needed.
template <class Api>
struct Row {
  const char* name;
  const char* variable;  // names its file, instead of the sonames
  Soname sonames[3];     // in the order in which they are tried
  const char* file;      // "FILE cannot be loaded (...); CURE"
  const char* cure;
  const char* needed;    // "... lacks FUNCTION; NEEDED is needed"
  Version oldest{};
  bool serves_offline = false;  // useful without a driver: versions newer than the driver are the last choice, else they are not tried
  Version (*version)(Api&) = [](Api&) { return Version{}; };  // functions may be missing
  std::string (*finish)(Api&, const LibraryReport&) = [](Api&, const LibraryReport&) { return std::string(); };  // the problem, or nothing
};

// NVRTC opens its builtins by name only, which fails when its directory is not on the loader's path.
void preload_builtins(const cu::NvrtcApi& api, const std::string& path) {
  const std::filesystem::path directory = std::filesystem::path(path).parent_path();
  const std::string file = (directory / fmt::format("libnvrtc-builtins.so.{}.{}", api.major, api.minor)).string();
  ::dlopen(file.c_str(), RTLD_NOW | RTLD_LOCAL);
}

std::string finish_nvrtc(cu::NvrtcApi& api, const LibraryReport& report) {
  int count = 0;
  if (api.arch_count(&count) != cu::kNvrtcSuccess || count <= 0) return fmt::format("'{}' does not answer", report.path);
  api.compute_capabilities.resize(static_cast<std::size_t>(count));
  if (api.archs(api.compute_capabilities.data()) != cu::kNvrtcSuccess) api.compute_capabilities.clear();
  const int driver_major = driver_interface() / 1000;
  if (driver_major && api.major > driver_major)
    log(1, fmt::format("NVRTC {} ('{}') is newer than the driver's CUDA {}, which loads code of NVRTC {} and older only", report.version, report.path,
                       interface_name(driver_interface()), driver_major));
  preload_builtins(api, report.path);
  return {};
}

template <class Api>
constexpr Row<Api> row;

template <>
constexpr Row<cu::NvrtcApi> row<cu::NvrtcApi>{
    .name = "NVRTC",
    .variable = "ADJOINT_LIBNVRTC",
    .sonames = {{"libnvrtc.so.13", 13}, {"libnvrtc.so.12", 12}},
    .file = "libnvrtc.so.13 or .12",
    .cure = "install NVRTC (the CUDA toolkit, or PyPI's nvidia-cuda-nvrtc, with its directory in ADJOINT_LIBRARY_PATH), or use a pack of compiled kernels",
    .needed = "a newer NVRTC",
    .oldest = {kOldestNvrtcMajor, 4},  // older versions lack vector reductions or 32 KB of parameters, or were not tested
    .serves_offline = true,
    .version =
        [](cu::NvrtcApi& api) { return api.version && api.version(&api.major, &api.minor) == cu::kNvrtcSuccess ? Version{api.major, api.minor} : Version{}; },
    .finish = finish_nvrtc};

template <>
constexpr Row<cu::CudnnApi> row<cu::CudnnApi>{.name = "cuDNN",
                                              .variable = "ADJOINT_LIBCUDNN",
                                              .sonames = {{"libcudnn.so.9"}},
                                              .file = "libcudnn.so.9",
                                              .cure = "install cuDNN 9 (only its own SKUs need it)",
                                              .needed = "cuDNN 9",
                                              .oldest = {9, 0},
                                              .version = [](cu::CudnnApi& api) { return in_decimals(api.version ? api.version() : 0); }};

template <>
constexpr Row<cu::BlasApi> row<cu::BlasApi>{.name = "cuBLASLt",
                                            .variable = "ADJOINT_LIBCUBLASLT",
                                            .sonames = {{"libcublasLt.so.13", 13}, {"libcublasLt.so.12", 12}},
                                            .file = "libcublasLt.so.13 or .12",
                                            .cure = "install cuBLAS 12 or 13 (only its own SKUs need it)",
                                            .needed = "cuBLASLt 12 or 13",
                                            .oldest = {12, 0},
                                            .version = [](cu::BlasApi& api) { return in_decimals(api.version ? api.version() : 0); }};

template <>
constexpr Row<cu::NcclApi> row<cu::NcclApi>{.name = "NCCL",
                                            .variable = "ADJOINT_LIBNCCL",
                                            .sonames = {{"libnccl.so.2"}},
                                            .file = "libnccl.so.2",
                                            .cure = "install NCCL (only collectives need it)",
                                            .needed = "NCCL 2.13 or newer",
                                            .oldest = {2, 13},  // bf16 needs 2.10, ncclGetLastError needs 2.13
                                            .version = [](cu::NcclApi& api) {
                                              int v = 0;
                                              return in_decimals(api.version && api.version(&v) == cu::kNcclSuccess ? static_cast<std::size_t>(v) : 0);
                                            }};

template <>
constexpr Row<cu::NvtxApi> row<cu::NvtxApi>{.name = "NVTX",
                                            .variable = "ADJOINT_LIBNVTX",
    // libnvtx3interop is NVTX 3's library for programs that cannot use its header.
                                            .sonames = {{"libnvToolsExt.so.1"}, {"libnvtx3interop.so.1"}, {"libnvtx3interop.so"}},
                                            .file = "libnvToolsExt.so.1",
                                            .cure = "install NVTX (the CUDA toolkit, or PyPI's nvidia-nvtx-cu12, with its directory in ADJOINT_LIBRARY_PATH)",
                                            .needed = "a newer NVTX"};

template <class Api>
struct Loaded {
  Api api;
  LibraryReport report{.name = row<Api>.name, .path = {}, .version = {}, .problem = {}};

  Loaded() { report.problem = load(), report.available = report.problem.empty(); }

  std::string load() {
    constexpr const Row<Api>& wanted = row<Api>;
    // A driver loads code of libraries up to its own major version.
    const auto too_new = [](int cuda) { return cuda && driver_interface() && cuda > driver_interface() / 1000; };
    std::vector<const char*> fitting, newer;
    for (const Soname& soname : wanted.sonames)
      if (soname.file && (wanted.serves_offline || !too_new(soname.cuda))) (too_new(soname.cuda) ? newer : fitting).push_back(soname.file);
    const Opened lib = open_library(wanted.variable, {fitting, newer});
    if (!lib.handle) return fmt::format("{} cannot be loaded ({}); {}", wanted.file, lib.tried, wanted.cure);
    std::string missing;
    api.each([&](auto& member, const char* symbol) {
      member = reinterpret_cast<std::remove_reference_t<decltype(member)>>(::dlsym(lib.handle, symbol));
      if (!member) missing += (missing.empty() ? "" : ", ") + std::string(symbol);
      else if (report.path.empty()) report.path = path_of(lib.handle, symbol);
    });
    const Version version = wanted.version(api);
    report.version = version.text();
    if (!missing.empty()) return fmt::format("'{}' lacks {}; {} is needed", report.path, missing, wanted.needed);
    if (version < wanted.oldest)
      return fmt::format("'{}' is {} {}, {}.{} or newer is needed", report.path, wanted.name, report.version.empty() ? "of unknown version" : report.version,
                         wanted.oldest.major, wanted.oldest.minor);
    return wanted.finish(api, report);
  }
};

template <class Api>
constinit Lazy<Loaded<Api>> loaded;

template <class Api>
Result<const Api*> usable() {
  const Loaded<Api>& l = loaded<Api>.get();
  if (l.report.available) return &l.api;
  return fail(ADJ_ERROR_BACKEND_UNAVAILABLE, "{}", l.report.problem);
}
template <class Api>
std::string version_of() {
  const LibraryReport& report = loaded<Api>.get().report;
  return report.available ? report.version : "none";
}
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
    return fail(ADJ_ERROR_BACKEND_UNAVAILABLE,
                "this process was forked from one that had initialised CUDA, and cannot use a device; start it anew (exec, "
                "or the start method 'spawn'), or fork before the first use of a device");
  return api;
}

int driver_interface() { return driver_file.get().version; }

Result<const cu::NvrtcApi*> nvrtc() { return usable<cu::NvrtcApi>(); }
Result<const cu::NcclApi*> nccl() { return usable<cu::NcclApi>(); }
Result<const cu::CudnnApi*> cudnn() { return usable<cu::CudnnApi>(); }
Result<const cu::BlasApi*> cublaslt() { return usable<cu::BlasApi>(); }
std::string version_of_cudnn() { return version_of<cu::CudnnApi>(); }
std::string version_of_cublaslt() { return version_of<cu::BlasApi>(); }
Result<const cu::NvtxApi*> nvtx() { return usable<cu::NvtxApi>(); }

const std::vector<LibraryReport>& library_reports() {
  return reports.get([] {
    return std::vector<LibraryReport>{driver.get().report, loaded<cu::NvrtcApi>.get().report, loaded<cu::CudnnApi>.get().report,
                                      loaded<cu::BlasApi>.get().report, loaded<cu::NcclApi>.get().report};
  });
}

Error nccl_error(const cu::NcclApi& api, cu::NcclResult result, const char* call, cu::NcclComm comm) {
  const char* text = api.error_string(result);
  const char* last = comm ? api.last_error(comm) : nullptr;
  Error error = fail(ADJ_ERROR_CUDA, "{} failed with {} ({}){}{}", call, result, text ? text : "unknown error", last && *last ? ": " : "", last ? last : "");
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

Error cublaslt_error(const cu::BlasApi& api, cu::BlasStatus status, const char* call) {
  const char* text = api.status_string(status);
  Error error = fail(ADJ_ERROR_CUDA, "{} failed with {} ({})", call, status, text ? text : "unknown error");
  error.native = status;
  return error;
}

Error cudnn_refusal(const cu::CudnnApi& api, cu::CudnnStatus status, const char* call) {
  Error error = cudnn_error(api, status, call);
  if (status >= cu::kCudnnBadParam && status < cu::kCudnnInternalError) error.code = ADJ_ERROR_UNSUPPORTED;
  return error;
}

Error cuda_error(const cu::Api& api, cu::Result result, const char* call) {
  const char* name = nullptr;
  const char* text = nullptr;
  api.error_name(result, &name);
  api.error_string(result, &text);
  Error error = fail(ADJ_ERROR_CUDA, "{} failed with {} ({}, {})", call, name ? name : "an error without a name", result, text ? text : "unknown error");
  if (std::find(std::begin(cu::kFaults), std::end(cu::kFaults), result) != std::end(cu::kFaults))
    error.message +=
        "; an earlier kernel, of this library or of other code, faulted: results since then are undefined, and this process can use the device no more";
  else if (result == cu::kErrorContextDestroyed)
    error.message += "; the device was reset (cudaDeviceReset) or its primary context released, which ends every plan";
  error.native = result;
  return error;
}

}  // namespace adj
