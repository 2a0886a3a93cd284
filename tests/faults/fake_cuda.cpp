// Stand-in for libcuda with ordinary memory. Handles are addresses of small objects, so AddressSanitizer sees the use of a stale handle.
#include <elf.h>

#include <cstdlib>
#include <mutex>
#include <string>
#include <string_view>
#include <vector>

#include "driver/place.hpp"
#include "entries.hpp"

namespace adj::cu {
struct ContextOpaque {
  int device;
};
struct StreamOpaque {
  Context context;
};
struct EventOpaque {
  std::int64_t at_ns = 0;
};
struct GraphOpaque {};
struct GraphExecOpaque {};
struct KernelOpaque {
  std::string name;
  int max_dynamic_shared = 0;
};
struct LibraryOpaque {
  KernelOpaque kernel;  // the kernel of an image with one kernel, else the one that was asked for
  std::string code;     // code that names its kernels; may be empty
};
}  // namespace adj::cu

namespace {

using namespace adj::cu;

constexpr Result kInvalidImage = 200, kInvalidContext = 201, kInvalidHandle = 400, kCaptureUnsupported = 900;
constexpr int kRelaxedCapture = 2;
constexpr int kMostDevices = 4;
constexpr int kMultiprocessors = 132, kSharedOptin = 227 << 10, kStaticShared = 1024, kMostThreads = 1024;

// What the library does not call, and capi/tvm_ffi does. A pool is the context of its device.
#define FAKE_POOL_FUNCTIONS(X)                                                             \
  X(pool_create, cuMemPoolCreate, Result, (void**, const int*))                            \
  X(pool_set, cuMemPoolSetAttribute, Result, (void*, int, void*))                          \
  X(pool_alloc, cuMemAllocFromPoolAsync, Result, (DevicePtr*, std::size_t, void*, Stream)) \
  X(free_async, cuMemFreeAsync, Result, (DevicePtr, Stream))

fake::Entry entries[] = {
#define FAKE_ENTRY(member, symbol, result, arguments) {.name = #symbol},
    ADJ_CUDA_FUNCTIONS(FAKE_ENTRY) FAKE_POOL_FUNCTIONS(FAKE_ENTRY)
#undef FAKE_ENTRY
        {.name = "cuGetProcAddress_v2"}};
fake::Driver driver;

ContextOpaque contexts[kMostDevices] = {{0}, {1}, {2}, {3}};  // the primary ones
ContextOpaque foreign{0};                                     // another one of device 0
// Context stack of this thread. It has no destructor: exit handlers still use the driver.
constexpr int kDeepest = 16;
thread_local Context pushed[kDeepest];
thread_local int depth = 0;
thread_local int capture_mode = 0;

Context current() { return depth ? pushed[depth - 1] : nullptr; }
void push(Context context) { pushed[depth++] = context; }

bool is_device(int device) { return device >= 0 && device < driver.devices && device < kMostDevices; }
bool is_context(Context context) { return context == &foreign || (context >= contexts && context < contexts + kMostDevices); }

int scripted(const char* name) { return fake::enter(*fake::find(entries, name)); }

// Objects that could not be destroyed stay with the driver: the program that asked has not lost them.
std::vector<void*> kept;
std::mutex kept_mutex;
template <class... Args>
void keep(std::string_view, Args...) {}
template <class T>
void keep(std::string_view function, T* object) {
  if (!function.ends_with("Destroy")) return;
  const std::lock_guard lock(kept_mutex);
  kept.push_back(object);
}

}  // namespace

// Every function of the list first asks the script whether it must fail.
#define FAKE(symbol, arguments)                                                  \
  Result symbol##_body arguments;                                                \
  template <class... Args>                                                       \
  Result symbol##_call(Args... args) {                                           \
    if (const int code = scripted(#symbol)) return keep(#symbol, args...), code; \
    return symbol##_body(args...);                                               \
  }                                                                              \
  Result symbol##_body arguments

namespace {

FAKE(cuInit, (unsigned)) { return kSuccess; }
FAKE(cuDriverGetVersion, (int* version)) {
  *version = driver.version;
  return kSuccess;
}
FAKE(cuGetErrorName, (Result result, const char** name)) {
  *name = result == kInvalidContext ? "CUDA_ERROR_INVALID_CONTEXT" : "CUDA_ERROR_SCRIPTED";
  return kSuccess;
}
FAKE(cuGetErrorString, (Result, const char** text)) {
  *text = "as the test asked";
  return kSuccess;
}
FAKE(cuDeviceGetCount, (int* count)) {
  *count = driver.devices;
  return kSuccess;
}
FAKE(cuDeviceGet, (Device * device, int ordinal)) {
  if (!is_device(ordinal)) return kErrorInvalidValue;
  *device = ordinal;
  return kSuccess;
}
FAKE(cuDeviceGetName, (char* name, int size, Device device)) {
  if (!is_device(device) || size <= 0) return kErrorInvalidValue;
  std::strncpy(name, "Fake device", static_cast<std::size_t>(size));
  return kSuccess;
}
FAKE(cuDeviceTotalMem, (std::size_t* bytes, Device)) {
  *bytes = std::size_t{1} << 30;
  return kSuccess;
}
FAKE(cuDeviceGetAttribute, (int* value, int attribute, Device device)) {
  if (!is_device(device)) return kErrorInvalidValue;
  switch (attribute) {
    case kAttributeMajor: *value = driver.cc / 10; return kSuccess;
    case kAttributeMinor: *value = driver.cc % 10; return kSuccess;
    case kAttributeMultiprocessorCount: *value = kMultiprocessors; return kSuccess;
    case kAttributeMaxSharedOptin: *value = kSharedOptin; return kSuccess;
    case kAttributeL2Bytes: *value = 1 << 20; return kSuccess;
    case kAttributePciDomain: *value = 0; return kSuccess;
    case kAttributePciBus: *value = 0x1b + device; return kSuccess;
    case kAttributePciDevice: *value = 0; return kSuccess;
    default: return kErrorInvalidValue;
  }
}
FAKE(cuDevicePrimaryCtxRetain, (Context * context, Device device)) {
  if (!is_device(device)) return kErrorInvalidValue;
  ++driver.contexts;
  *context = &contexts[device];
  return kSuccess;
}
FAKE(cuCtxPushCurrent, (Context context)) {
  if (!is_context(context) || depth == kDeepest) return kInvalidContext;
  push(context);
  return kSuccess;
}
FAKE(cuCtxPopCurrent, (Context * context)) {
  if (!depth) return kInvalidContext;
  *context = pushed[--depth];
  return kSuccess;
}
FAKE(cuCtxGetCurrent, (Context * context)) {
  *context = current();
  return kSuccess;
}
FAKE(cuCtxGetDevice, (Device * device)) {
  if (!current()) return kInvalidContext;
  *device = current()->device;
  return kSuccess;
}
FAKE(cuStreamGetCtx, (Stream stream, Context* context)) {
  *context = stream->context;
  return kSuccess;
}
FAKE(cuStreamIsCapturing, (Stream, int* capturing)) {
  *capturing = driver.capturing;
  return kSuccess;
}
FAKE(cuStreamCreate, (Stream * stream, unsigned)) {
  if (!current()) return kInvalidContext;
  *stream = new StreamOpaque{current()};
  return kSuccess;
}
FAKE(cuStreamDestroy, (Stream stream)) {
  delete stream;
  return kSuccess;
}
FAKE(cuStreamSynchronize, (Stream stream)) {
  if (stream) driver.unfinished = false;
  return kSuccess;
}
FAKE(cuThreadExchangeStreamCaptureMode, (int* mode)) {
  std::swap(capture_mode, *mode);
  return kSuccess;
}
FAKE(cuStreamBeginCapture, (Stream, int)) {
  driver.capturing = true;
  return kSuccess;
}
FAKE(cuStreamEndCapture, (Stream, Graph* graph)) {
  driver.capturing = false;
  *graph = new GraphOpaque;
  return kSuccess;
}
FAKE(cuGraphInstantiateWithFlags, (GraphExec * exec, Graph, unsigned long long)) {
  *exec = new GraphExecOpaque;
  return kSuccess;
}
FAKE(cuGraphLaunch, (GraphExec, Stream)) { return kSuccess; }
FAKE(cuGraphExecDestroy, (GraphExec exec)) {
  delete exec;
  return kSuccess;
}
FAKE(cuGraphDestroy, (Graph graph)) {
  delete graph;
  return kSuccess;
}
FAKE(cuEventCreate, (Event * event, unsigned)) {
  *event = new EventOpaque;
  return kSuccess;
}
FAKE(cuEventRecord, (Event event, Stream)) {
  event->at_ns = driver.clock_ns;
  return kSuccess;
}
FAKE(cuStreamWaitEvent, (Stream, Event, unsigned)) { return kSuccess; }
FAKE(cuLaunchHostFunc, (Stream, HostFunction function, void* user)) {
  function(user);
  return kSuccess;
}
FAKE(cuEventSynchronize, (Event)) {
  driver.unfinished = false;
  return kSuccess;
}
FAKE(cuEventElapsedTime, (float* ms, Event start, Event stop)) {
  *ms = static_cast<float>(static_cast<double>(stop->at_ns - start->at_ns) * 1e-6);
  return kSuccess;
}
FAKE(cuEventDestroy, (Event event)) {
  delete event;
  return kSuccess;
}
FAKE(cuMemAlloc, (DevicePtr * pointer, std::size_t bytes)) {
  if (bytes > driver.largest_allocation) return kErrorOutOfMemory;
  void* memory = std::aligned_alloc(256, (bytes + 255) / 256 * 256);
  if (!memory) return kErrorOutOfMemory;
  ++driver.allocations;
  *pointer = reinterpret_cast<DevicePtr>(memory);
  return kSuccess;
}
FAKE(cuMemFree, (DevicePtr pointer)) {
  if (driver.unfinished) ++driver.early_frees;
  std::free(reinterpret_cast<void*>(pointer));
  --driver.allocations;
  return kSuccess;
}
FAKE(cuMemPoolCreate, (void** pool, const int* properties)) {
  constexpr int kPinned = 1, kOnDevice = 1;
  const bool known = properties[0] == kPinned && properties[1] == 0 && properties[2] == kOnDevice && is_device(properties[3]);
  if (!known) return kErrorInvalidValue;
  *pool = &contexts[properties[3]];
  return kSuccess;
}
FAKE(cuMemPoolSetAttribute, (void* pool, int attribute, void* value)) {
  constexpr int kReleaseThreshold = 4;
  return pool && attribute == kReleaseThreshold && value ? kSuccess : kErrorInvalidValue;
}
FAKE(cuMemAllocFromPoolAsync, (DevicePtr * pointer, std::size_t bytes, void* pool, Stream stream)) {
  if (stream && stream->context != pool) return kErrorInvalidValue;
  ++driver.scratch;
  return cuMemAlloc_body(pointer, bytes);
}
FAKE(cuMemFreeAsync, (DevicePtr pointer, Stream)) {
  driver.unfinished = false;  // it waits for the work before it
  --driver.scratch;
  return cuMemFree_body(pointer);
}
FAKE(cuMemcpyHtoDAsync, (DevicePtr target, const void* source, std::size_t bytes, Stream)) {
  driver.unfinished = true;
  std::memcpy(reinterpret_cast<void*>(target), source, bytes);
  ++driver.copies;
  if (const auto told = driver.on_copy.load()) told(source, bytes);
  return kSuccess;
}
FAKE(cuMemcpyDtoHAsync, (void* target, DevicePtr source, std::size_t bytes, Stream)) {
  std::memcpy(target, reinterpret_cast<void*>(source), bytes);
  ++driver.copies;
  return kSuccess;
}
FAKE(cuMemcpyDtoDAsync, (DevicePtr target, DevicePtr source, std::size_t bytes, Stream)) {
  driver.unfinished = true;
  std::memcpy(reinterpret_cast<void*>(target), reinterpret_cast<void*>(source), bytes);
  ++driver.copies;
  return kSuccess;
}
FAKE(cuMemsetD8Async, (DevicePtr target, unsigned char value, std::size_t bytes, Stream)) {
  driver.unfinished = true;
  std::memset(reinterpret_cast<void*>(target), value, bytes);
  ++driver.fills;
  return kSuccess;
}
FAKE(cuLibraryLoadData, (Library * library, const void* image, int* options, void** values, unsigned count, int*, void**, unsigned)) {
  if (driver.capturing && capture_mode != kRelaxedCapture) return kCaptureUnsupported;
  const char* text = static_cast<const char*>(image);
  if (std::strncmp(text, fake::kImageMagic, std::strlen(fake::kImageMagic)) == 0) {
    const std::string made = text + std::strlen(fake::kImageMagic);
    const std::size_t mark = made.find(fake::kCompilerMark);
    if (mark != std::string::npos && std::atoi(made.c_str() + mark + std::strlen(fake::kCompilerMark)) > driver.version / 1000)
      return ++driver.refused, kInvalidImage;
    *library = new LibraryOpaque{{made.substr(0, mark)}, {}};
  } else if (std::strncmp(text, ELFMAG, SELFMAG) == 0) {
    Elf64_Ehdr header;
    std::memcpy(&header, image, sizeof header);
    if (driver.takes_no_cubin) return kErrorNoBinary;
    *library = new LibraryOpaque{{}, std::string(text, header.e_shoff)};
  } else if (std::strncmp(text, ".version", 8) == 0) {
    if (driver.takes_no_ptx) {
      for (unsigned i = 0; i < count; ++i)
        if (options[i] == kJitErrorLog) std::strcpy(static_cast<char*>(values[i]), "ptxas fatal: nothing is right about it");
      return kErrorInvalidPtx;
    }
    *library = new LibraryOpaque{{}, text};
  } else {
    ++driver.refused;
    return kErrorNoBinary;
  }
  ++driver.libraries;
  return kSuccess;
}
FAKE(cuLibraryUnload, (Library library)) {
  delete library;
  --driver.libraries;
  return kSuccess;
}
FAKE(cuLibraryGetKernel, (Kernel * kernel, Library library, const char* name)) {
  if (!library->code.empty() && library->code.find(name) != std::string::npos) library->kernel.name = name;
  if (library->kernel.name != name) return kErrorNotFound;
  *kernel = &library->kernel;
  return kSuccess;
}
FAKE(cuKernelGetFunction, (Function * function, Kernel kernel)) {
  if (!current()) return kInvalidContext;
  *function = reinterpret_cast<Function>(kernel);
  return kSuccess;
}
FAKE(cuKernelGetAttribute, (int* value, int attribute, Kernel, Device device)) {
  if (!is_device(device) || attribute != kFunctionSharedBytes) return kErrorInvalidValue;
  *value = kStaticShared;
  return kSuccess;
}
FAKE(cuKernelSetAttribute, (int attribute, int value, Kernel kernel, Device device)) {
  if (!is_device(device) || attribute != kFunctionMaxDynamicShared || value < 0 || value > kSharedOptin - kStaticShared) return kErrorInvalidValue;
  kernel->max_dynamic_shared = value;
  return kSuccess;
}
FAKE(cuOccupancyMaxActiveBlocksPerMultiprocessor, (int* blocks, Function, int, std::size_t)) {
  *blocks = 1;
  return kSuccess;
}
FAKE(cuOccupancyMaxActiveClusters, (int* clusters, Function function, const LaunchConfig* c)) {
  if (!current()) return kInvalidContext;
  if (!function || !c->attribute_count || c->attributes[0].id != kLaunchAttributeClusterDimension) return kErrorInvalidValue;
  *clusters = static_cast<int>(c->attributes[0].value.cluster.x) <= driver.largest_cluster;
  return kSuccess;
}
FAKE(cuTensorMapEncodeTiled, (EncodedMap map, int type, unsigned rank, void* address, const std::uint64_t* extents, const std::uint64_t* strides,
                              const std::uint32_t* box, const std::uint32_t* steps, int interleave, int swizzle, int lines, int fill)) {
  std::uint64_t words[16] = {reinterpret_cast<std::uintptr_t>(address), static_cast<std::uint64_t>(type)};
  bool valid = rank == 3 && words[0] % 16 == 0 && reinterpret_cast<std::uintptr_t>(map) % 64 == 0 && interleave == kMapPlain && swizzle == kMapSwizzle128 &&
               lines == kMapLines256 && fill == kMapZeros;
  for (unsigned i = 0; i < rank && valid; ++i) {
    valid = extents[i] >= 1 && extents[i] <= std::uint64_t{1} << 32 && box[i] >= 1 && box[i] <= 256 && steps[i] == 1 &&
            (i == 0 ? box[0] * 2 == 128 : strides[i - 1] % 16 == 0 && strides[i - 1] < std::uint64_t{1} << 40);
    words[2 + i] = extents[i];
  }
  if (!valid) return kErrorInvalidValue;
  if (driver.other_maps) words[0] >>= 4;
  std::memcpy(map, words, sizeof words);
  return kSuccess;
}
FAKE(cuLaunchKernelEx, (const LaunchConfig* c, Function function, void** params, void** extra)) {
  driver.unfinished = true;
  const auto* kernel = reinterpret_cast<KernelOpaque*>(function);
  if (!kernel || kernel->name.empty()) return kInvalidHandle;
  const std::uint64_t threads = std::uint64_t{c->block_x} * c->block_y * c->block_z;
  const bool grid = c->grid_x && c->grid_y && c->grid_z && c->grid_y <= 65535 && c->grid_z <= 65535;
  if (!grid || !threads || threads > kMostThreads) return kErrorInvalidValue;
  // Parameters come one by one, or as one block.
  const bool block = extra && extra[0] == kLaunchParamBuffer && extra[1] && extra[2] == kLaunchParamSize && extra[3] && extra[4] == kLaunchParamEnd;
  if (params ? !params[0] || extra : !block) return kErrorInvalidValue;
  if (c->shared_bytes > static_cast<unsigned>(kernel->max_dynamic_shared)) return kErrorInvalidValue;
  if (c->attribute_count > 2 || (c->attribute_count && !c->attributes)) return kErrorInvalidValue;
  ++driver.launches;
  driver.clock_ns += driver.launch_ns;
  for (unsigned i = 0; i < c->attribute_count; ++i)
    driver.early_launches += c->attributes[i].id == kLaunchAttributeProgrammaticStreamSerialization && c->attributes[i].value.programmatic_serialization;
  return kSuccess;
}

}  // namespace

FAKE_EXPORT Result cuInit(unsigned flags) { return cuInit_call(flags); }
FAKE_EXPORT Result cuDriverGetVersion(int* version) { return cuDriverGetVersion_call(version); }

FAKE_EXPORT Result cuGetProcAddress_v2(const char* name, void** address, int version, std::uint64_t, int* status) {
  if (const int code = scripted("cuGetProcAddress_v2")) return code;
  *address = nullptr;
  *status = 1;  // not found
  const fake::Entry* entry = fake::find(entries, name);
  const bool is_later = version < 12000 && std::strncmp(name, "cuLibrary", 9) == 0;  // than the interface that is asked for
  if (!entry || entry->missing || version > driver.version || is_later) return kErrorNotFound;
#define FAKE_ADDRESS(member, symbol, result, arguments) \
  if (std::strcmp(name, #symbol) == 0) *address = reinterpret_cast<void*>(static_cast<result(*) arguments>(&symbol##_call));
  ADJ_CUDA_FUNCTIONS(FAKE_ADDRESS)
  FAKE_POOL_FUNCTIONS(FAKE_ADDRESS)
#undef FAKE_ADDRESS
  *status = 0;
  return kSuccess;
}

FAKE_EXPORT fake::Entry* fake_entry(const char* name) { return fake::find(entries, name); }
FAKE_EXPORT fake::Driver* fake_driver() { return &driver; }

// Returns a stream of device 0. Makes the primary context current if none is, as a program with a stream has done.
FAKE_EXPORT void* fake_stream() {
  static StreamOpaque stream{&contexts[0]};
  if (!current()) push(&contexts[0]);
  return &stream;
}

// Makes the primary context of a device current, or the other context of device 0.
FAKE_EXPORT void fake_enter(int device, bool primary) { push(primary ? &contexts[device] : &foreign); }
