// Workspace on a device: allocated and freed in stream order, from a pool of this adapter that keeps its memory. No framework's allocator takes part, so
// that the environment's stream need not be the one that an allocator believes current. While a stream is captured, the graph owns the memory.
#pragma once

#include <adjoint.h>
#include <dlfcn.h>

#include <map>
#include <mutex>

#include "capi/named_call.hpp"

namespace adjoint {

// Declarations of the driver's memory pools. tests/abi/toolkit_headers.cpp compares them with cuda.h.
namespace pools {

using Pool = struct PoolOpaque*;
using Stream = struct StreamOpaque*;
using Address = unsigned long long;

struct Properties {             // CUmemPoolProps
  int allocation = 1;           // CU_MEM_ALLOCATION_TYPE_PINNED
  int handles = 0;              // CU_MEM_HANDLE_TYPE_NONE
  int location = 1;             // CU_MEM_LOCATION_TYPE_DEVICE
  int device = 0;
  void* security = nullptr;
  std::size_t most = 0;         // no limit
  unsigned char rest[56] = {};  // zero: no other wishes
};
constexpr int kReleaseThreshold = 4;  // CU_MEMPOOL_ATTR_RELEASE_THRESHOLD
constexpr int kOutOfMemory = 2;       // CUDA_ERROR_OUT_OF_MEMORY

// member, symbol, result, parameters
#define ADJ_POOL_FUNCTIONS(X)                                                      \
  X(create, cuMemPoolCreate, int, (Pool*, const Properties*))                      \
  X(set, cuMemPoolSetAttribute, int, (Pool, int, void*))                           \
  X(allocate, cuMemAllocFromPoolAsync, int, (Address*, std::size_t, Pool, Stream)) \
  X(free, cuMemFreeAsync, int, (Address, Stream))

struct Functions {
#define ADJ_MEMBER(member, symbol, result, parameters) result(*member) parameters = nullptr;
  ADJ_POOL_FUNCTIONS(ADJ_MEMBER)
#undef ADJ_MEMBER

  // The driver is the one that the library has loaded.
  Functions() {
    const char* file = secure_getenv("ADJOINT_LIBCUDA");
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
#define ADJ_FIND(member, symbol, result, parameters) find(member, #symbol);
    ADJ_POOL_FUNCTIONS(ADJ_FIND)
#undef ADJ_FIND
  }

  static const Functions& get() {
    static const Functions found;
    return found;
  }
};

}  // namespace pools

class DeviceMemory {
 public:
  struct Free {
    pools::Stream stream;
    void operator()(void* data) const { pools::Functions::get().free(reinterpret_cast<std::uintptr_t>(data), stream); }
  };

  static std::unique_ptr<void, Free> take(std::uint64_t bytes, const adj_stream& stream) {
    pools::Address address = 0;
    const auto handle = static_cast<pools::Stream>(stream.handle);
    check(pools::Functions::get().allocate(&address, bytes, pool(stream.device), handle), "cuMemAllocFromPoolAsync");
    return {reinterpret_cast<void*>(static_cast<std::uintptr_t>(address)), Free{handle}};
  }

 private:
  static void check(int result, const char* function) {
    if (result != 0)
      throw named::Failure(result == pools::kOutOfMemory ? ADJ_ERROR_OUT_OF_MEMORY : ADJ_ERROR_CUDA,
                           std::string(function) + " of a workspace failed with CUresult " + std::to_string(result));
  }

  static pools::Pool pool(int device) {
    static std::mutex mutex;
    static std::map<int, pools::Pool> made;
    const std::lock_guard lock(mutex);
    pools::Pool& found = made[device];
    if (!found) {
      pools::Properties properties;
      properties.device = device;
      std::uint64_t everything = UINT64_MAX;
      pools::Pool fresh = nullptr;
      check(pools::Functions::get().create(&fresh, &properties), "cuMemPoolCreate");
      check(pools::Functions::get().set(fresh, pools::kReleaseThreshold, &everything), "cuMemPoolSetAttribute");
      found = fresh;
    }
    return found;
  }
};

}  // namespace adjoint
