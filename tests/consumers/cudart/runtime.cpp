// A CUDA runtime on the driver that ADJOINT_LIBCUDA names, the stand-in of the fault tests. It writes a line to standard error for what a
// program does with its stream, with the kernels that were launched on paper.
#include "cuda_runtime.h"

#include <dlfcn.h>

#include <cstdio>
#include <cstdlib>

#include "driver/libraries.hpp"
#include "tests/faults/fake.hpp"

namespace {

using namespace adj;

struct Driver : cu::Api {
  fake::Driver* state = nullptr;
};

// As the runtime does it: the first call makes the primary context of device 0 current.
const Driver& driver() {
  static const Driver loaded = [] {
    const char* file = std::getenv("ADJOINT_LIBCUDA");
    void* library = dlopen(file ? file : "", RTLD_NOW);
    if (!library) {
      std::fprintf(stderr, "no driver: %s\n", dlerror());
      std::exit(2);
    }
    Driver made{};
    made.state = reinterpret_cast<FakeDriver>(dlsym(library, "fake_driver"))();
    const auto address_of = reinterpret_cast<cu::Result (*)(const char*, void**, int, std::uint64_t, int*)>(dlsym(library, "cuGetProcAddress_v2"));
    int found = 0;
#define DRIVER_ADDRESS(member, symbol, result, arguments) address_of(#symbol, reinterpret_cast<void**>(&made.member), 12000, 0, &found);
    ADJ_CUDA_FUNCTIONS(DRIVER_ADDRESS)
#undef DRIVER_ADDRESS
    cu::Context context = nullptr;
    if (made.init(0) || made.primary_retain(&context, 0) || made.context_push(context)) std::exit(2);
    return made;
  }();
  return loaded;
}

cudaError_t did(const char* what, cu::Result result) {
  std::fprintf(stderr, "%s: %d, %d kernels so far\n", what, result, driver().state->launches.load());
  return static_cast<cudaError_t>(result);
}
cu::Stream of(cudaStream_t stream) { return reinterpret_cast<cu::Stream>(stream); }
cu::DevicePtr address(const void* pointer) { return reinterpret_cast<cu::DevicePtr>(pointer); }

}  // namespace

const char* cudaGetErrorString(cudaError_t) { return "the driver refused"; }
cudaError_t cudaMalloc(void** pointer, size_t bytes) { return static_cast<cudaError_t>(driver().mem_alloc(reinterpret_cast<cu::DevicePtr*>(pointer), bytes)); }
cudaError_t cudaMemcpy(void* to, const void* from, size_t bytes, cudaMemcpyKind kind) {
  const Driver& d = driver();
  return static_cast<cudaError_t>(kind == cudaMemcpyHostToDevice ? d.memcpy_htod_async(address(to), from, bytes, nullptr)
                                                                 : d.memcpy_dtoh_async(to, address(from), bytes, nullptr));
}
cudaError_t cudaStreamCreateWithFlags(cudaStream_t* stream, unsigned flags) {
  return did("stream created", driver().stream_create(reinterpret_cast<cu::Stream*>(stream), flags));
}
cudaError_t cudaStreamBeginCapture(cudaStream_t stream, cudaStreamCaptureMode mode) {
  return did("capture begun", driver().stream_begin_capture(of(stream), mode));
}
cudaError_t cudaStreamEndCapture(cudaStream_t stream, cudaGraph_t* graph) {
  return did("capture ended", driver().stream_end_capture(of(stream), reinterpret_cast<cu::Graph*>(graph)));
}
cudaError_t cudaGraphInstantiate(cudaGraphExec_t* executable, cudaGraph_t graph, unsigned long long flags) {
  return did("graph instantiated", driver().graph_instantiate(reinterpret_cast<cu::GraphExec*>(executable), reinterpret_cast<cu::Graph>(graph), flags));
}
cudaError_t cudaGraphLaunch(cudaGraphExec_t executable, cudaStream_t stream) {
  return did("graph launched", driver().graph_launch(reinterpret_cast<cu::GraphExec>(executable), of(stream)));
}
cudaError_t cudaStreamSynchronize(cudaStream_t stream) { return did("stream synchronised", driver().stream_synchronize(of(stream))); }
