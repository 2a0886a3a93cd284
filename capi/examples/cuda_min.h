/* The few driver calls that a program needs to hold device memory and a stream, loaded at run time, so that the example
 * builds without a CUDA toolkit and runs without a driver. A real program includes cuda.h or cuda_runtime.h instead. */
#ifndef CUDA_MIN_H
#define CUDA_MIN_H

#include <dlfcn.h>
#include <stddef.h>
#include <string.h>

typedef unsigned long long cuda_pointer;

typedef struct cuda_min {
  int (*init)(unsigned flags);
  int (*device_get)(int* device, int ordinal);
  int (*primary_retain)(void** context, int device);
  int (*primary_release)(int device);
  int (*set_current)(void* context);
  int (*stream_create)(void** stream, unsigned flags);
  int (*stream_synchronize)(void* stream);
  int (*stream_destroy)(void* stream);
  int (*mem_alloc)(cuda_pointer* address, size_t bytes);
  int (*mem_free)(cuda_pointer address);
  int (*copy_to_device)(cuda_pointer to, const void* from, size_t bytes);
  int (*copy_to_host)(void* to, cuda_pointer from, size_t bytes);
  int (*begin_capture)(void* stream, int mode);
  int (*end_capture)(void* stream, void** graph);
  int (*graph_instantiate)(void** executable, void* graph, unsigned long long flags);
  int (*graph_launch)(void* executable, void* stream);
  int (*graph_exec_destroy)(void* executable);
  int (*graph_destroy)(void* graph);
  int device;
  void* stream;
} cuda_min;

/* Opens the driver, makes the primary context of device 0 current and creates a stream on it. Returns 0, or -1 when
 * there is no libcuda.so.1, or the CUresult of the call that failed. */
static int cuda_min_open(cuda_min* cuda) {
  /* dlsym gives an object pointer, which C cannot convert to a function pointer; their bytes are the same. */
  static const char* const names[] = {"cuInit",
                                      "cuDeviceGet",
                                      "cuDevicePrimaryCtxRetain",
                                      "cuDevicePrimaryCtxRelease_v2",
                                      "cuCtxSetCurrent",
                                      "cuStreamCreate",
                                      "cuStreamSynchronize",
                                      "cuStreamDestroy_v2",
                                      "cuMemAlloc_v2",
                                      "cuMemFree_v2",
                                      "cuMemcpyHtoD_v2",
                                      "cuMemcpyDtoH_v2",
                                      "cuStreamBeginCapture_v2",
                                      "cuStreamEndCapture",
                                      "cuGraphInstantiateWithFlags",
                                      "cuGraphLaunch",
                                      "cuGraphExecDestroy",
                                      "cuGraphDestroy"};
  void* addresses[sizeof names / sizeof *names];
  void* context = NULL;
  size_t i;
  int rc;
  void* library = dlopen("libcuda.so.1", RTLD_NOW | RTLD_LOCAL);
  if (!library) return -1;
  for (i = 0; i < sizeof names / sizeof *names; ++i)
    if (!(addresses[i] = dlsym(library, names[i]))) return -1;
  memset(cuda, 0, sizeof *cuda);
  memcpy(cuda, addresses, sizeof addresses);
  if ((rc = cuda->init(0)) || (rc = cuda->device_get(&cuda->device, 0)) || (rc = cuda->primary_retain(&context, cuda->device))) return rc;
  if ((rc = cuda->set_current(context))) return rc;
  return cuda->stream_create(&cuda->stream, 1 /* CU_STREAM_NON_BLOCKING */);
}

static void cuda_min_close(cuda_min* cuda) {
  cuda->stream_destroy(cuda->stream);
  cuda->primary_release(cuda->device);
}

/* Device memory with a copy of `bytes` bytes of host memory, or uninitialised when from is null; null when it fails. */
static void* cuda_min_upload(const cuda_min* cuda, const void* from, size_t bytes) {
  cuda_pointer address = 0;
  if (cuda->mem_alloc(&address, bytes ? bytes : 1)) return NULL;
  if (from && cuda->copy_to_device(address, from, bytes)) {
    cuda->mem_free(address);
    return NULL;
  }
  return (void*)(size_t)address;
}

static void cuda_min_free(const cuda_min* cuda, void* address) {
  if (address) cuda->mem_free((cuda_pointer)(size_t)address);
}

#endif
