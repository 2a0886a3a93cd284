// Workspace on a device: allocated and freed in stream order, from a pool of this adapter that keeps its memory. No framework's allocator takes part, so
// that the environment's stream need not be the one that an allocator believes current. While a stream is captured, the graph owns the memory.
#pragma once

#include <adjoint.h>
#include <dlfcn.h>

#include <map>
#include <mutex>

#include "capi/named_call.hpp"

namespace adjoint {

class DeviceMemory {
 public:
  struct Free {
    void* stream;
    void operator()(void* data) const { functions().free(reinterpret_cast<std::uintptr_t>(data), stream); }
  };

  static std::unique_ptr<void, Free> take(std::uint64_t bytes, const adj_stream& stream) {
    std::uintptr_t address = 0;
    check(functions().allocate(&address, bytes, pool(stream.device), stream.handle), "cuMemAllocFromPoolAsync");
    return {reinterpret_cast<void*>(address), Free{stream.handle}};
  }

 private:
  struct PoolProperties {  // CUmemPoolProps
    int allocation = 1;    // pinned
    int handles = 0;       // none
    int location = 1;      // a device
    int device = 0;
    void* security = nullptr;
    std::size_t most = 0;  // no limit
    unsigned char reserved[56] = {};
  };
  static_assert(sizeof(PoolProperties) == 88);
  static constexpr int kReleaseThreshold = 4;  // CU_MEMPOOL_ATTR_RELEASE_THRESHOLD

  struct Functions {
    int (*create)(void**, const PoolProperties*) = nullptr;
    int (*set)(void*, int, void*) = nullptr;
    int (*allocate)(std::uintptr_t*, std::size_t, void*, void*) = nullptr;
    int (*free)(std::uintptr_t, void*) = nullptr;

    // The driver is the one that the library has loaded.
    Functions() {
      const char* file = std::getenv("ADJOINT_LIBCUDA");
      void* const driver = ::dlopen(file ? file : "libcuda.so.1", RTLD_NOW | RTLD_LOCAL);
      const auto get = reinterpret_cast<int (*)(const char*, void**, int, std::uint64_t, int*)>(driver ? ::dlsym(driver, "cuGetProcAddress_v2") : nullptr);
      const auto find = [&](auto& function, const char* symbol) {
        constexpr int kInterface = 12000;  // that of the library
        void* address = nullptr;
        int status = 0;
        if (!get || get(symbol, &address, kInterface, 0, &status) != 0 || !address)
          throw named::Failure(ADJ_ERROR_DRIVER_TOO_OLD, std::string("the driver lacks ") + symbol + "; update the NVIDIA driver");
        function = reinterpret_cast<std::remove_reference_t<decltype(function)>>(address);
      };
      find(create, "cuMemPoolCreate");
      find(set, "cuMemPoolSetAttribute");
      find(allocate, "cuMemAllocFromPoolAsync");
      find(free, "cuMemFreeAsync");
    }
  };

  static const Functions& functions() {
    static const Functions found;
    return found;
  }

  static void check(int result, const char* function) {
    constexpr int kOutOfMemory = 2;
    if (result != 0)
      throw named::Failure(result == kOutOfMemory ? ADJ_ERROR_OUT_OF_MEMORY : ADJ_ERROR_CUDA, std::string(function) + " of a workspace failed with CUresult " +
                           std::to_string(result));
  }

  static void* pool(int device) {
    static std::mutex mutex;
    static std::map<int, void*> pools;
    const std::lock_guard lock(mutex);
    void*& found = pools[device];
    if (!found) {
      PoolProperties properties;
      properties.device = device;
      std::uint64_t everything = UINT64_MAX;
      void* made = nullptr;
      check(functions().create(&made, &properties), "cuMemPoolCreate");
      check(functions().set(made, kReleaseThreshold, &everything), "cuMemPoolSetAttribute");
      found = made;
    }
    return found;
  }
};

}  // namespace adjoint
