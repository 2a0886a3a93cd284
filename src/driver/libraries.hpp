// Optional libraries, loaded by exact soname when they are first needed (by a stream, a compilation, `adjoint doctor`), never unloaded.
#pragma once

#include <string>
#include <vector>

#include "base/error.hpp"
#include "driver/cublaslt_abi.hpp"
#include "driver/cuda_abi.hpp"

namespace adj {

namespace cu {
// A library's functions as members, and each(visit), which calls visit(member, symbol) for every one.
#define ADJ_MEMBER(member, symbol, result, arguments) result(*member) arguments = nullptr;
#define ADJ_VISIT(member, symbol, result, arguments) visit(member, #symbol);
#define ADJ_MEMBERS(functions)                 \
  functions(ADJ_MEMBER) template <class Visit> \
  void each(Visit visit) {                     \
    functions(ADJ_VISIT)                       \
  }
struct Api {
  ADJ_MEMBERS(ADJ_CUDA_FUNCTIONS)
  int version = 0;  // of the driver interface: 13000 for CUDA 13.0
};
struct NvrtcApi {
  ADJ_MEMBERS(ADJ_NVRTC_FUNCTIONS)
  int major = 0, minor = 0;
  std::vector<int> compute_capabilities;  // compute capabilities, times ten, that this NVRTC compiles for
};
struct NcclApi {
  ADJ_MEMBERS(ADJ_NCCL_FUNCTIONS)
};
struct CudnnApi {
  ADJ_MEMBERS(ADJ_CUDNN_FUNCTIONS)
};
struct BlasApi {
  ADJ_MEMBERS(ADJ_BLAS_FUNCTIONS)
};
struct NvtxApi {
  ADJ_MEMBERS(ADJ_NVTX_FUNCTIONS)
};
#undef ADJ_MEMBERS
#undef ADJ_VISIT
#undef ADJ_MEMBER
}  // namespace cu

// State of one optional library, usable or not; `problem` is empty for a usable one.
struct LibraryReport {
  std::string name, path, version, problem;
  bool available = false;
};

// The initialised driver. The error says whether libcuda is missing or too old, or cuInit failed.
Result<const cu::Api*> cuda();
// As cuda(). Fails in a process that was forked after the driver had been initialised.
Result<const cu::Api*> cuda_in_this_process();
// Version of the driver's interface, 13000 for CUDA 13.0; 0 without a driver. Does not initialise it.
int driver_interface();
constexpr int kOldestNvrtcMajor = 12, kNewestNvrtcMajor = 13;  // major versions of NVRTC that are looked for
Result<const cu::NvrtcApi*> nvrtc();
Result<const cu::NcclApi*> nccl();
Result<const cu::CudnnApi*> cudnn();
Result<const cu::BlasApi*> cublaslt();
Result<const cu::NvtxApi*> nvtx();  // ranges for profilers; not among the reports, since no result needs it
// Version of a library as its report has it, "9.14.0"; "none" where it cannot be used.
std::string version_of_cudnn();
std::string version_of_cublaslt();
const std::vector<LibraryReport>& library_reports();  // CUDA driver, NVRTC, cuDNN, cuBLASLt, NCCL

// Error with the text of the status and, unless `comm` is null, the last error of the communicator.
Error nccl_error(const cu::NcclApi& api, cu::NcclResult result, const char* call, cu::NcclComm comm);
// Error with the text of the status and cuDNN's own message about the calling thread's last failure.
Error cudnn_error(const cu::CudnnApi& api, cu::CudnnStatus status, const char* call);
// The same while a plan is made. Statuses that follow from the problem or the version of cuDNN reject the candidate; all others end the selection.
Error cudnn_refusal(const cu::CudnnApi& api, cu::CudnnStatus status, const char* call);
Error cublaslt_error(const cu::BlasApi& api, cu::BlasStatus status, const char* call);
Error cuda_error(const cu::Api& api, cu::Result result, const char* call);

}  // namespace adj
