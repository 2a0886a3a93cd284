// Loading of a program's code onto a device, once for each.
#include <algorithm>
#include <chrono>
#include <mutex>
#include <new>
#include <optional>
#include <shared_mutex>

#include "base/log.hpp"
#include "jit/search.hpp"

namespace adj {

namespace {

bool refuses_image(const Error& error) { return std::find(std::begin(cu::kRefusals), std::end(cu::kRefusals), error.native) != std::end(cu::kRefusals); }

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

}  // namespace

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
      if (image.from == Found::compiled) {
        try {
          disk_cache().put(entry_key(found->key, major), image);
        } catch (const std::bad_alloc&) {  // the kernel is loaded all the same; a later process compiles it again
        }
      }
      return loaded;
    }
    if (!refuses_image(loaded.error())) return loaded;
    const std::string by = image.compiler.empty() ? ""
                                                  : fmt::format(" (made by NVRTC {}, the driver's interface is CUDA {}.{})", image.compiler,
                                                                driver_interface() / 1000, driver_interface() % 1000 / 10);
    Error error = loaded.take_error();
    error.message += by;
    if (image.from == Found::compiled) return error;
    log(1, fmt::format("the image of {} from the {} is passed over: {}", name(), image.from == Found::pack ? "pack" : "disk cache", error.message));
    if (image.from == Found::pack) {
      search.packs = false;
    } else {
      disk_cache().remove(entry_key(found->key, major));
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
  if (auto rc = c.kernel_get_attribute(&static_shared, cu::kFunctionSharedBytes, kernel, handle)) return cuda_error(c, rc, "cuKernelGetAttribute");
  const int dynamic = static_cast<int>(device.shared_optin) - static_shared;
  if (auto rc = c.kernel_set_attribute(cu::kFunctionMaxDynamicShared, dynamic, kernel, handle)) return cuda_error(c, rc, "cuKernelSetAttribute");
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
  std::shared_lock lock(program_locks.get().loaded);
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
      std::lock_guard lock(program_locks.get().loaded);
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
      ++counters.memory_hits;
      LoadedKernel found = *result;
      found.from = Found::memory;
      return found;
    }
    // Waiting callers are always released, by settle(). A failure is not remembered: a later call may have another policy or a new pack.
    Shared shared;
    auto settle = [&] {
      if (!shared) {
        std::lock_guard lock(program_locks.get().loaded);
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
