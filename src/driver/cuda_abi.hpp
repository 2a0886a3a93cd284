// Declarations of the functions of the CUDA driver, NVRTC, cuDNN, NCCL and NVTX that this library calls. They are declared here so that building
// needs no toolkit. tests/abi/toolkit_headers.cpp compares them with the vendors' headers where these are installed.
#pragma once

#include <cstddef>
#include <cstdint>

namespace adj::cu {

using Result = int;
using Device = int;
using DevicePtr = unsigned long long;
using Context = struct ContextOpaque*;
using Stream = struct StreamOpaque*;
using Event = struct EventOpaque*;
using Function = struct FunctionOpaque*;
using Kernel = struct KernelOpaque*;
using Library = struct LibraryOpaque*;
using Graph = struct GraphOpaque*;
using GraphExec = struct GraphExecOpaque*;
using HostFunction = void (*)(void*);

constexpr Result kSuccess = 0;
constexpr Result kErrorInvalidValue = 1;
constexpr Result kErrorOutOfMemory = 2;
constexpr Result kErrorNoBinary = 209;        // the machine code is for other devices
constexpr Result kErrorInvalidPtx = 218;
constexpr Result kErrorUnsupportedPtx = 222;  // the PTX is newer than the driver
constexpr Result kErrorNotFound = 500;
constexpr Result kErrorContextDestroyed = 709;
// Results that refuse an image: invalid image, no binary for the device, invalid PTX, PTX of a newer version, no compiler for PTX, invalid source,
// no kernel of that name.
constexpr Result kRefusals[] = {200, 209, 218, 221, 222, 300, 500};
// Results that report a fault of an earlier kernel: uncorrectable ECC error, contained exception, illegal address, timeout, assertion, stack
// error, illegal instruction, misaligned address, invalid address space, invalid program counter, launch failure.
constexpr Result kFaults[] = {214, 226, 700, 702, 710, 714, 715, 716, 717, 718, 719};

constexpr int kAttributeMultiprocessorCount = 16;
constexpr int kAttributeL2Bytes = 38;
constexpr int kAttributeMajor = 75;
constexpr int kAttributeMinor = 76;
constexpr int kAttributeMaxSharedOptin = 97;

constexpr int kFunctionMaxDynamicShared = 8;
constexpr int kFunctionNonPortableCluster = 14;
constexpr int kFunctionLocalBytes = 3;
constexpr int kFunctionRegisters = 4;
constexpr int kFunctionSharedBytes = 1;

constexpr int kJitErrorLog = 5;       // option: address of a buffer for the error text
constexpr int kJitErrorLogBytes = 6;  // option: bytes of that buffer

constexpr Result kErrorInvalidClusterSize = 912;

constexpr unsigned kStreamNonBlocking = 1;
constexpr std::uintptr_t kStreamLegacy = 1, kStreamPerThread = 2;
constexpr unsigned kEventDefault = 0;
constexpr int kCaptureModeThreadLocal = 1;
constexpr int kCaptureModeRelaxed = 2;

constexpr unsigned kLaunchAttributeClusterDimension = 4;
constexpr unsigned kLaunchAttributeProgrammaticStreamSerialization = 6;

// Keys of the list `extra` of a launch, by which it takes its parameters as one block.
inline void* const kLaunchParamEnd = nullptr;
inline void* const kLaunchParamBuffer = reinterpret_cast<void*>(1);
inline void* const kLaunchParamSize = reinterpret_cast<void*>(2);

union alignas(8) LaunchAttributeValue {  // aligned as the driver's union, which has a pointer among its members
  char pad[64];
  struct {
    unsigned x, y, z;
  } cluster;
  int programmatic_serialization;
};
struct LaunchAttribute {
  unsigned id;
  char pad[4];
  LaunchAttributeValue value;
};
struct LaunchConfig {
  unsigned grid_x, grid_y, grid_z;
  unsigned block_x, block_y, block_z;
  unsigned shared_bytes;
  Stream stream;
  LaunchAttribute* attributes;
  unsigned attribute_count;
};

using EncodedMap = struct EncodedMapOpaque*;  // of 128 bytes, at a multiple of 64
// Arguments of the encoding of a tensor map: elements of 16 bits, no interleaving, rows of 128 bytes whose pieces of 16 bytes are swizzled, lines of 256
// bytes in the level-2 cache, zeros outside of the tensor.
constexpr int kMapElements16 = 1, kMapPlain = 0, kMapSwizzle128 = 3, kMapLines256 = 3, kMapZeros = 0;

using NvrtcResult = int;
using NvrtcProgram = struct NvrtcProgramOpaque*;
constexpr NvrtcResult kNvrtcSuccess = 0;

using NcclResult = int;
using NcclType = int;       // ncclDataType_t
using NcclReduction = int;  // ncclRedOp_t
using NcclComm = struct NcclCommOpaque*;
struct NcclUniqueId {
  char internal[128];
};
constexpr NcclResult kNcclSuccess = 0, kNcclInProgress = 7;
constexpr NcclType kNcclInt8 = 0, kNcclUint8 = 1, kNcclInt32 = 2, kNcclUint32 = 3, kNcclInt64 = 4, kNcclUint64 = 5, kNcclFloat16 = 6, kNcclFloat32 = 7,
                   kNcclFloat64 = 8, kNcclBfloat16 = 9;
constexpr NcclReduction kNcclSum = 0, kNcclProd = 1, kNcclMax = 2, kNcclMin = 3, kNcclAvg = 4;

using CudnnStatus = int;
using CudnnHandle = struct CudnnHandleOpaque*;
using CudnnType = int;    // cudnnDataType_t
constexpr CudnnStatus kCudnnSuccess = 0;
// First statuses of groups of a thousand. A status below kCudnnBadParam means that the library itself is not usable. A status from
// kCudnnBadParam up to kCudnnInternalError depends only on the problem and the version of cuDNN.
constexpr CudnnStatus kCudnnBadParam = 2000, kCudnnNotSupported = 3000, kCudnnInternalError = 4000;
constexpr CudnnType kCudnnFloat = 0, kCudnnDouble = 1, kCudnnHalf = 2, kCudnnBfloat16 = 9;

// The graph interface of cuDNN: descriptors of a kind, with attributes that have a type. Each kind of descriptor is followed by its attributes.
using CudnnBackend = void*;        // cudnnBackendDescriptor_t
using CudnnBackendKind = int;      // cudnnBackendDescriptorType_t
using CudnnAttribute = int;        // cudnnBackendAttributeName_t
using CudnnAttributeType = int;    // cudnnBackendAttributeType_t
using CudnnPointwise = int;        // cudnnPointwiseMode_t
using CudnnReduction = int;        // cudnnReduceTensorOp_t
constexpr CudnnType kCudnnInt32 = 4, kCudnnBoolean = 11;
constexpr CudnnAttributeType kCudnnIsHandle = 0, kCudnnIsType = 1, kCudnnIsBoolean = 2, kCudnnIsInt64 = 3, kCudnnIsFloat = 4, kCudnnIsDouble = 5,
                             kCudnnIsPointer = 6, kCudnnIsConvolutionMode = 7, kCudnnIsHeuristic = 8, kCudnnIsKnob = 9, kCudnnIsNumericalNote = 11,
                             kCudnnIsPointwise = 14, kCudnnIsDescriptor = 15, kCudnnIsReduction = 18;
constexpr CudnnBackendKind kCudnnGraphTensor = 17;
constexpr CudnnAttribute kCudnnTensorAlignment = 900, kCudnnTensorType = 901, kCudnnTensorDimensions = 902, kCudnnTensorStrides = 903, kCudnnTensorId = 906,
                         kCudnnTensorVirtual = 907, kCudnnTensorByValue = 908;
constexpr CudnnBackendKind kCudnnPointwise = 0, kCudnnPointwiseOperation = 13;
constexpr CudnnAttribute kCudnnPointwiseMode = 0, kCudnnPointwisePrecision = 1, kCudnnPointwiseAxis = 9;
constexpr CudnnAttribute kCudnnPointwiseDescriptor = 750, kCudnnPointwiseX = 751, kCudnnPointwiseB = 752, kCudnnPointwiseY = 753, kCudnnPointwiseT = 758;
constexpr CudnnPointwise kCudnnAdd = 0, kCudnnMul = 1, kCudnnDiv = 6, kCudnnSub = 9, kCudnnExp = 13, kCudnnLog = 15, kCudnnIdentity = 21, kCudnnGreater = 302,
                         kCudnnGreaterEqual = 303, kCudnnIndex = 501, kCudnnSelect = 601;
constexpr CudnnBackendKind kCudnnMatmul = 18, kCudnnMatmulOperation = 19;
constexpr CudnnAttribute kCudnnMatmulPrecision = 1500, kCudnnMatmulA = 1520, kCudnnMatmulB = 1521, kCudnnMatmulC = 1522, kCudnnMatmulDescriptor = 1523;
constexpr CudnnBackendKind kCudnnReduction = 21, kCudnnReductionOperation = 22;
constexpr CudnnAttribute kCudnnReductionOperator = 1600, kCudnnReductionPrecision = 1601, kCudnnReductionX = 1610, kCudnnReductionY = 1611,
                         kCudnnReductionDescriptor = 1612;
constexpr CudnnReduction kCudnnReduceAdd = 0, kCudnnReduceMax = 3;
constexpr CudnnBackendKind kCudnnReshapeOperation = 31;
constexpr CudnnAttribute kCudnnReshapeX = 2200, kCudnnReshapeY = 2201;
constexpr CudnnBackendKind kCudnnConvolution = 1, kCudnnConvolutionForward = 10, kCudnnConvolutionFilter = 11, kCudnnConvolutionData = 12;
constexpr CudnnAttribute kCudnnConvolutionPrecision = 100, kCudnnConvolutionMode = 101, kCudnnConvolutionDilations = 102, kCudnnConvolutionStrides = 103,
                         kCudnnConvolutionPadsAfter = 104, kCudnnConvolutionPadsBefore = 105, kCudnnConvolutionSpatial = 106;
// Attributes of the three operations. X, W and Y are the operands of a forward one, or their gradients.
constexpr CudnnAttribute kCudnnForwardAlpha = 700, kCudnnForwardBeta = 701, kCudnnForwardDescriptor = 702, kCudnnForwardW = 703, kCudnnForwardX = 704,
                         kCudnnForwardY = 705;
constexpr CudnnAttribute kCudnnDataAlpha = 706, kCudnnDataBeta = 707, kCudnnDataDescriptor = 708, kCudnnDataW = 709, kCudnnDataX = 710, kCudnnDataY = 711;
constexpr CudnnAttribute kCudnnFilterAlpha = 712, kCudnnFilterBeta = 713, kCudnnFilterDescriptor = 714, kCudnnFilterW = 715, kCudnnFilterX = 716,
                         kCudnnFilterY = 717;
constexpr int kCudnnCrossCorrelation = 1;
constexpr CudnnBackendKind kCudnnOperationGraph = 15;
constexpr CudnnAttribute kCudnnGraphHandle = 800, kCudnnGraphOperations = 801;
constexpr CudnnBackendKind kCudnnHeuristic = 4;
constexpr CudnnAttribute kCudnnHeuristicMode = 200, kCudnnHeuristicGraph = 201, kCudnnHeuristicResults = 202;
constexpr int kCudnnHeuristicB = 1, kCudnnHeuristicFallback = 2, kCudnnHeuristicA = 3;
constexpr CudnnBackendKind kCudnnEngine = 2, kCudnnEngineConfig = 3;
constexpr CudnnAttribute kCudnnConfigEngine = 300, kCudnnConfigKnobs = 302, kCudnnEngineGraph = 1300, kCudnnEngineIndex = 1301,
                         kCudnnEngineNumericalNote = 1303;
// Numerical notes. The last three are transforms of tiles of 4, 6 and 13.
constexpr int kCudnnTensorCore = 0, kCudnnDownConverts = 1, kCudnnReducedReduction = 2, kCudnnFft = 3, kCudnnNondeterministic = 4, kCudnnWinograd = 5,
              kCudnnWinograd4 = 6, kCudnnWinograd6 = 7, kCudnnWinograd13 = 8;
constexpr CudnnBackendKind kCudnnKnobChoice = 7;
constexpr CudnnAttribute kCudnnKnobType = 600, kCudnnKnobValue = 601;
constexpr CudnnBackendKind kCudnnExecutionPlan = 5;
constexpr CudnnAttribute kCudnnPlanHandle = 400, kCudnnPlanConfig = 401, kCudnnPlanWorkspace = 402;
constexpr CudnnBackendKind kCudnnVariantPack = 16;
constexpr CudnnAttribute kCudnnPackIds = 1000, kCudnnPackPointers = 1001, kCudnnPackWorkspace = 1003;

}  // namespace adj::cu

// X(member, symbol, result, arguments). Every function is requested in its version of CUDA 12.0.
#define ADJ_CUDA_FUNCTIONS(X)                                                                                         \
  X(init, cuInit, Result, (unsigned))                                                                                 \
  X(driver_version, cuDriverGetVersion, Result, (int*))                                                               \
  X(error_name, cuGetErrorName, Result, (Result, const char**))                                                       \
  X(error_string, cuGetErrorString, Result, (Result, const char**))                                                   \
  X(device_count, cuDeviceGetCount, Result, (int*))                                                                   \
  X(device_get, cuDeviceGet, Result, (Device*, int))                                                                  \
  X(device_name, cuDeviceGetName, Result, (char*, int, Device))                                                       \
  X(device_memory, cuDeviceTotalMem, Result, (std::size_t*, Device))                                                  \
  X(device_attribute, cuDeviceGetAttribute, Result, (int*, int, Device))                                              \
  X(primary_retain, cuDevicePrimaryCtxRetain, Result, (Context*, Device))                                             \
  X(context_push, cuCtxPushCurrent, Result, (Context))                                                                \
  X(context_pop, cuCtxPopCurrent, Result, (Context*))                                                                 \
  X(context_current, cuCtxGetCurrent, Result, (Context*))                                                             \
  X(context_device, cuCtxGetDevice, Result, (Device*))                                                                \
  X(stream_context, cuStreamGetCtx, Result, (Stream, Context*))                                                       \
  X(stream_is_capturing, cuStreamIsCapturing, Result, (Stream, int*))                                                 \
  X(stream_create, cuStreamCreate, Result, (Stream*, unsigned))                                                       \
  X(stream_destroy, cuStreamDestroy, Result, (Stream))                                                                \
  X(stream_synchronize, cuStreamSynchronize, Result, (Stream))                                                        \
  X(exchange_capture_mode, cuThreadExchangeStreamCaptureMode, Result, (int*))                                         \
  X(stream_begin_capture, cuStreamBeginCapture, Result, (Stream, int))                                                \
  X(stream_end_capture, cuStreamEndCapture, Result, (Stream, Graph*))                                                 \
  X(graph_instantiate, cuGraphInstantiateWithFlags, Result, (GraphExec*, Graph, unsigned long long))                  \
  X(graph_launch, cuGraphLaunch, Result, (GraphExec, Stream))                                                         \
  X(graph_exec_destroy, cuGraphExecDestroy, Result, (GraphExec))                                                      \
  X(graph_destroy, cuGraphDestroy, Result, (Graph))                                                                   \
  X(event_create, cuEventCreate, Result, (Event*, unsigned))                                                          \
  X(event_record, cuEventRecord, Result, (Event, Stream))                                                             \
  X(stream_wait_event, cuStreamWaitEvent, Result, (Stream, Event, unsigned))                                          \
  X(launch_host_function, cuLaunchHostFunc, Result, (Stream, HostFunction, void*))                                    \
  X(event_synchronize, cuEventSynchronize, Result, (Event))                                                           \
  X(event_elapsed, cuEventElapsedTime, Result, (float*, Event, Event))                                                \
  X(event_destroy, cuEventDestroy, Result, (Event))                                                                   \
  X(mem_alloc, cuMemAlloc, Result, (DevicePtr*, std::size_t))                                                         \
  X(mem_free, cuMemFree, Result, (DevicePtr))                                                                         \
  X(memcpy_htod_async, cuMemcpyHtoDAsync, Result, (DevicePtr, const void*, std::size_t, Stream))                      \
  X(memcpy_dtoh_async, cuMemcpyDtoHAsync, Result, (void*, DevicePtr, std::size_t, Stream))                            \
  X(memcpy_dtod_async, cuMemcpyDtoDAsync, Result, (DevicePtr, DevicePtr, std::size_t, Stream))                        \
  X(memset_d8_async, cuMemsetD8Async, Result, (DevicePtr, unsigned char, std::size_t, Stream))                        \
  X(library_load, cuLibraryLoadData, Result, (Library*, const void*, int*, void**, unsigned, int*, void**, unsigned)) \
  X(library_unload, cuLibraryUnload, Result, (Library))                                                               \
  X(library_kernel, cuLibraryGetKernel, Result, (Kernel*, Library, const char*))                                      \
  X(kernel_function, cuKernelGetFunction, Result, (Function*, Kernel))                                                \
  X(kernel_get_attribute, cuKernelGetAttribute, Result, (int*, int, Kernel, Device))                                  \
  X(kernel_set_attribute, cuKernelSetAttribute, Result, (int, int, Kernel, Device))                                   \
  X(occupancy, cuOccupancyMaxActiveBlocksPerMultiprocessor, Result, (int*, Function, int, std::size_t))               \
  X(occupancy_of_clusters, cuOccupancyMaxActiveClusters, Result, (int*, Function, const LaunchConfig*))               \
  X(launch, cuLaunchKernelEx, Result, (const LaunchConfig*, Function, void**, void**))                                \
  X(encode_map, cuTensorMapEncodeTiled, Result,                                                                       \
    (EncodedMap, int, unsigned, void*, const std::uint64_t*, const std::uint64_t*, const std::uint32_t*, const std::uint32_t*, int, int, int, int))

#define ADJ_NVRTC_FUNCTIONS(X)                                                                                                       \
  X(version, nvrtcVersion, NvrtcResult, (int*, int*))                                                                                \
  X(error_string, nvrtcGetErrorString, const char*, (NvrtcResult))                                                                   \
  X(arch_count, nvrtcGetNumSupportedArchs, NvrtcResult, (int*))                                                                      \
  X(archs, nvrtcGetSupportedArchs, NvrtcResult, (int*))                                                                              \
  X(create, nvrtcCreateProgram, NvrtcResult, (NvrtcProgram*, const char*, const char*, int, const char* const*, const char* const*)) \
  X(destroy, nvrtcDestroyProgram, NvrtcResult, (NvrtcProgram*))                                                                      \
  X(compile, nvrtcCompileProgram, NvrtcResult, (NvrtcProgram, int, const char* const*))                                              \
  X(log_size, nvrtcGetProgramLogSize, NvrtcResult, (NvrtcProgram, std::size_t*))                                                     \
  X(log, nvrtcGetProgramLog, NvrtcResult, (NvrtcProgram, char*))                                                                     \
  X(cubin_size, nvrtcGetCUBINSize, NvrtcResult, (NvrtcProgram, std::size_t*))                                                        \
  X(cubin, nvrtcGetCUBIN, NvrtcResult, (NvrtcProgram, char*))                                                                        \
  X(ptx_size, nvrtcGetPTXSize, NvrtcResult, (NvrtcProgram, std::size_t*))                                                            \
  X(ptx, nvrtcGetPTX, NvrtcResult, (NvrtcProgram, char*))

#define ADJ_NCCL_FUNCTIONS(X)                                                                                                    \
  X(version, ncclGetVersion, NcclResult, (int*))                                                                                 \
  X(error_string, ncclGetErrorString, const char*, (NcclResult))                                                                 \
  X(last_error, ncclGetLastError, const char*, (NcclComm))                                                                       \
  X(async_error, ncclCommGetAsyncError, NcclResult, (NcclComm, NcclResult*))                                                     \
  X(unique_id, ncclGetUniqueId, NcclResult, (NcclUniqueId*))                                                                     \
  X(comm_init, ncclCommInitRank, NcclResult, (NcclComm*, int, NcclUniqueId, int))                                                \
  X(comm_init_all, ncclCommInitAll, NcclResult, (NcclComm*, int, const int*))                                                    \
  X(comm_destroy, ncclCommDestroy, NcclResult, (NcclComm))                                                                       \
  X(comm_abort, ncclCommAbort, NcclResult, (NcclComm))                                                                           \
  X(comm_count, ncclCommCount, NcclResult, (NcclComm, int*))                                                                     \
  X(comm_rank, ncclCommUserRank, NcclResult, (NcclComm, int*))                                                                   \
  X(comm_device, ncclCommCuDevice, NcclResult, (NcclComm, int*))                                                                 \
  X(group_start, ncclGroupStart, NcclResult, ())                                                                                 \
  X(group_end, ncclGroupEnd, NcclResult, ())                                                                                     \
  X(all_reduce, ncclAllReduce, NcclResult, (const void*, void*, std::size_t, NcclType, NcclReduction, NcclComm, Stream))         \
  X(reduce, ncclReduce, NcclResult, (const void*, void*, std::size_t, NcclType, NcclReduction, int, NcclComm, Stream))           \
  X(all_gather, ncclAllGather, NcclResult, (const void*, void*, std::size_t, NcclType, NcclComm, Stream))                        \
  X(reduce_scatter, ncclReduceScatter, NcclResult, (const void*, void*, std::size_t, NcclType, NcclReduction, NcclComm, Stream)) \
  X(broadcast, ncclBroadcast, NcclResult, (const void*, void*, std::size_t, NcclType, int, NcclComm, Stream))                    \
  X(send, ncclSend, NcclResult, (const void*, std::size_t, NcclType, int, NcclComm, Stream))                                     \
  X(recv, ncclRecv, NcclResult, (void*, std::size_t, NcclType, int, NcclComm, Stream))

// Functions of cuDNN 9: its graph interface.
#define ADJ_CUDNN_FUNCTIONS(X)                                                                                                                  \
  X(version, cudnnGetVersion, std::size_t, ())                                                                                                  \
  X(error_string, cudnnGetErrorString, const char*, (CudnnStatus))                                                                              \
  X(last_error, cudnnGetLastErrorString, void, (char*, std::size_t))                                                                            \
  X(create, cudnnCreate, CudnnStatus, (CudnnHandle*))                                                                                           \
  X(destroy, cudnnDestroy, CudnnStatus, (CudnnHandle))                                                                                          \
  X(set_stream, cudnnSetStream, CudnnStatus, (CudnnHandle, Stream))                                                                             \
  X(backend_create, cudnnBackendCreateDescriptor, CudnnStatus, (CudnnBackendKind, CudnnBackend*))                                               \
  X(backend_destroy, cudnnBackendDestroyDescriptor, CudnnStatus, (CudnnBackend))                                                                \
  X(backend_set, cudnnBackendSetAttribute, CudnnStatus, (CudnnBackend, CudnnAttribute, CudnnAttributeType, std::int64_t, const void*))          \
  X(backend_get, cudnnBackendGetAttribute, CudnnStatus, (CudnnBackend, CudnnAttribute, CudnnAttributeType, std::int64_t, std::int64_t*, void*)) \
  X(backend_finalize, cudnnBackendFinalize, CudnnStatus, (CudnnBackend))                                                                        \
  X(backend_execute, cudnnBackendExecute, CudnnStatus, (CudnnHandle, CudnnBackend, CudnnBackend))

#define ADJ_NVTX_FUNCTIONS(X)                       \
  X(range_push, nvtxRangePushA, int, (const char*)) \
  X(range_pop, nvtxRangePop, int, ())
