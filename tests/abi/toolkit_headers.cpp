// Compares the declarations in src/driver/cuda_abi.hpp, cublaslt_abi.hpp and capi/tvm_ffi/device_memory.hpp with the vendors' headers that are installed. All
// checks are static: this file compiles only when they hold.
// Exits with 77 (skipped) when there is no vendor header at all.
#include <cstddef>
#include <cstdio>
#include <type_traits>

#include "capi/tvm_ffi/device_memory.hpp"
#include "driver/cublaslt_abi.hpp"
#include "driver/place.hpp"
#include "kernels/prelude/tensor_map.h"

#if __has_include(<cuda.h>)
#include <cuda.h>
#define ADJ_HAVE_CUDA 1
#endif
#if __has_include(<nvrtc.h>)
#include <nvrtc.h>
#define ADJ_HAVE_NVRTC 1
#endif
#if __has_include(<cudnn.h>) && __has_include(<cuda_runtime_api.h>)
#include <cudnn.h>
#define ADJ_HAVE_CUDNN 1
#endif
#if __has_include(<cublasLt.h>) && __has_include(<cuda_runtime_api.h>)
#include <cublasLt.h>
#define ADJ_HAVE_CUBLASLT 1
#endif
#if __has_include(<nccl.h>) && __has_include(<cuda_runtime.h>)
#include <nccl.h>
#define ADJ_HAVE_NCCL 1
#endif

namespace {

template <class A, class B>
struct SameFunction;

// True for types that are passed and read the same way: integers and enumerations of one size, the same floating type, or pointers to such
// types or functions. Any two structures count as equal here; those with known members are compared further down.
template <class A, class B>
constexpr bool same_kind() {
  if constexpr (std::is_void_v<A> || std::is_void_v<B>) {
    return std::is_void_v<A> && std::is_void_v<B>;
  } else if constexpr (std::is_pointer_v<A> && std::is_pointer_v<B>) {
    using X = std::remove_pointer_t<A>;
    using Y = std::remove_pointer_t<B>;
    if constexpr (std::is_const_v<X> != std::is_const_v<Y>) return false;
    else if constexpr (std::is_function_v<X> || std::is_function_v<Y>) return SameFunction<A, B>::value;
    else if constexpr (std::is_void_v<X> || std::is_void_v<Y>) return std::is_void_v<X> && std::is_void_v<Y>;
    else return same_kind<std::remove_cv_t<X>, std::remove_cv_t<Y>>();
  } else if constexpr (std::is_class_v<A> && std::is_class_v<B>) {
    return true;
  } else if constexpr (std::is_floating_point_v<A> || std::is_floating_point_v<B>) {
    return std::is_same_v<A, B>;
  } else if constexpr ((std::is_integral_v<A> || std::is_enum_v<A>) && (std::is_integral_v<B> || std::is_enum_v<B>)) {
    return sizeof(A) == sizeof(B);
  } else {
    return false;
  }
}

template <class A, class B>
struct SameFunction : std::false_type {};
template <class R, class... A, class S, class... B>
  requires(sizeof...(A) == sizeof...(B))
struct SameFunction<R (*)(A...), S (*)(B...)> : std::bool_constant<same_kind<R, S>() && (same_kind<A, B>() && ...)> {};

// The comparison itself can tell differences apart.
static_assert(SameFunction<int (*)(int*), int (*)(int*)>::value);
static_assert(!SameFunction<int (*)(int*), int (*)(long*)>::value);
static_assert(!SameFunction<int (*)(int), int (*)(int, int)>::value);
static_assert(!SameFunction<int (*)(float), int (*)(int)>::value);
static_assert(!SameFunction<int (*)(const char*), int (*)(char*)>::value);
static_assert(!SameFunction<int (*)(void**), int (*)(int**)>::value);
static_assert(SameFunction<int (*)(void (*)(void*)), int (*)(void (*)(void*))>::value);
static_assert(!SameFunction<int (*)(void (*)(void*)), int (*)(void (*)(int))>::value);

int found = 0;

#if defined(ADJ_HAVE_CUDA)
namespace cu = adj::cu;

static_assert(cu::kSuccess == CUDA_SUCCESS);
static_assert(cu::kErrorInvalidValue == CUDA_ERROR_INVALID_VALUE && cu::kErrorOutOfMemory == CUDA_ERROR_OUT_OF_MEMORY);
static_assert(cu::kErrorNoBinary == CUDA_ERROR_NO_BINARY_FOR_GPU && cu::kErrorInvalidPtx == CUDA_ERROR_INVALID_PTX &&
              cu::kErrorUnsupportedPtx == CUDA_ERROR_UNSUPPORTED_PTX_VERSION);
static_assert(cu::kErrorNotFound == CUDA_ERROR_NOT_FOUND);
static_assert(cu::kJitErrorLog == CU_JIT_ERROR_LOG_BUFFER && cu::kJitErrorLogBytes == CU_JIT_ERROR_LOG_BUFFER_SIZE_BYTES);
static_assert(cu::kAttributeMultiprocessorCount == CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT && cu::kAttributeL2Bytes == CU_DEVICE_ATTRIBUTE_L2_CACHE_SIZE);
static_assert(cu::kAttributePciBus == CU_DEVICE_ATTRIBUTE_PCI_BUS_ID && cu::kAttributePciDevice == CU_DEVICE_ATTRIBUTE_PCI_DEVICE_ID &&
              cu::kAttributePciDomain == CU_DEVICE_ATTRIBUTE_PCI_DOMAIN_ID);
static_assert(cu::kAttributeMajor == CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR);
static_assert(cu::kAttributeMinor == CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR);
static_assert(cu::kAttributeMaxSharedOptin == CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK_OPTIN);
static_assert(cu::kFunctionMaxDynamicShared == CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES);
static_assert(cu::kFunctionNonPortableCluster == CU_FUNC_ATTRIBUTE_NON_PORTABLE_CLUSTER_SIZE_ALLOWED);
static_assert(cu::kFunctionLocalBytes == CU_FUNC_ATTRIBUTE_LOCAL_SIZE_BYTES);
static_assert(cu::kFunctionRegisters == CU_FUNC_ATTRIBUTE_NUM_REGS);
static_assert(cu::kFunctionSharedBytes == CU_FUNC_ATTRIBUTE_SHARED_SIZE_BYTES);
static_assert(cu::kStreamNonBlocking == CU_STREAM_NON_BLOCKING);
static_assert(cu::kEventDefault == CU_EVENT_DEFAULT);
static_assert(cu::kCaptureModeThreadLocal == CU_STREAM_CAPTURE_MODE_THREAD_LOCAL);
static_assert(cu::kLaunchAttributeClusterDimension == CU_LAUNCH_ATTRIBUTE_CLUSTER_DIMENSION);
static_assert(cu::kLaunchAttributeProgrammaticStreamSerialization == CU_LAUNCH_ATTRIBUTE_PROGRAMMATIC_STREAM_SERIALIZATION);

static_assert(cu::kMapElements16 == CU_TENSOR_MAP_DATA_TYPE_UINT16 && cu::kMapPlain == CU_TENSOR_MAP_INTERLEAVE_NONE &&
              cu::kMapSwizzle128 == CU_TENSOR_MAP_SWIZZLE_128B && cu::kMapLines256 == CU_TENSOR_MAP_L2_PROMOTION_L2_256B &&
              cu::kMapZeros == CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE);
static_assert(sizeof(TensorMap) == sizeof(CUtensorMap));

#define ADJ_SAME_TYPE(ours, theirs) static_assert(sizeof(ours) == sizeof(theirs) && alignof(ours) == alignof(theirs) && same_kind<ours, theirs>())
ADJ_SAME_TYPE(cu::Result, CUresult);
ADJ_SAME_TYPE(cu::Device, CUdevice);
ADJ_SAME_TYPE(cu::DevicePtr, CUdeviceptr);
ADJ_SAME_TYPE(cu::Context, CUcontext);
ADJ_SAME_TYPE(cu::Stream, CUstream);
ADJ_SAME_TYPE(cu::Event, CUevent);
ADJ_SAME_TYPE(cu::Function, CUfunction);
ADJ_SAME_TYPE(cu::Kernel, CUkernel);
ADJ_SAME_TYPE(cu::Library, CUlibrary);
ADJ_SAME_TYPE(cu::Graph, CUgraph);
ADJ_SAME_TYPE(cu::GraphExec, CUgraphExec);

#define ADJ_SAME_STRUCT(ours, theirs) static_assert(sizeof(ours) == sizeof(theirs) && alignof(ours) == alignof(theirs))
#define ADJ_SAME_MEMBER(ours, member, theirs, other) \
  static_assert(offsetof(ours, member) == offsetof(theirs, other) && sizeof(std::declval<ours>().member) == sizeof(std::declval<theirs>().other))
ADJ_SAME_STRUCT(cu::LaunchConfig, CUlaunchConfig);
ADJ_SAME_MEMBER(cu::LaunchConfig, grid_x, CUlaunchConfig, gridDimX);
ADJ_SAME_MEMBER(cu::LaunchConfig, grid_y, CUlaunchConfig, gridDimY);
ADJ_SAME_MEMBER(cu::LaunchConfig, grid_z, CUlaunchConfig, gridDimZ);
ADJ_SAME_MEMBER(cu::LaunchConfig, block_x, CUlaunchConfig, blockDimX);
ADJ_SAME_MEMBER(cu::LaunchConfig, block_y, CUlaunchConfig, blockDimY);
ADJ_SAME_MEMBER(cu::LaunchConfig, block_z, CUlaunchConfig, blockDimZ);
ADJ_SAME_MEMBER(cu::LaunchConfig, shared_bytes, CUlaunchConfig, sharedMemBytes);
ADJ_SAME_MEMBER(cu::LaunchConfig, stream, CUlaunchConfig, hStream);
ADJ_SAME_MEMBER(cu::LaunchConfig, attributes, CUlaunchConfig, attrs);
ADJ_SAME_MEMBER(cu::LaunchConfig, attribute_count, CUlaunchConfig, numAttrs);
ADJ_SAME_STRUCT(cu::LaunchAttribute, CUlaunchAttribute);
ADJ_SAME_MEMBER(cu::LaunchAttribute, id, CUlaunchAttribute, id);
ADJ_SAME_MEMBER(cu::LaunchAttribute, value, CUlaunchAttribute, value);
ADJ_SAME_STRUCT(cu::LaunchAttributeValue, CUlaunchAttributeValue);
ADJ_SAME_MEMBER(cu::LaunchAttribute, value.cluster.x, CUlaunchAttribute, value.clusterDim.x);
ADJ_SAME_MEMBER(cu::LaunchAttribute, value.cluster.y, CUlaunchAttribute, value.clusterDim.y);
ADJ_SAME_MEMBER(cu::LaunchAttribute, value.cluster.z, CUlaunchAttribute, value.clusterDim.z);
ADJ_SAME_MEMBER(cu::LaunchAttribute, value.programmatic_serialization, CUlaunchAttribute, value.programmaticStreamSerializationAllowed);

// cuda.h renames a function to its newest version (cuMemAlloc to cuMemAlloc_v2), as cuGetProcAddress does. None of the
// functions listed has changed its parameters after CUDA 12.0.
namespace functions {
using namespace adj::cu;
#define ADJ_COMPARE(member, symbol, result, arguments) \
  static_assert(SameFunction<result(*) arguments, decltype(&::symbol)>::value, #symbol " differs from cuda.h");
ADJ_CUDA_FUNCTIONS(ADJ_COMPARE)
}  // namespace functions

namespace pools {
using namespace adjoint::pools;
ADJ_POOL_FUNCTIONS(ADJ_COMPARE)
#undef ADJ_COMPARE
ADJ_SAME_STRUCT(Properties, CUmemPoolProps);
ADJ_SAME_MEMBER(Properties, allocation, CUmemPoolProps, allocType);
ADJ_SAME_MEMBER(Properties, handles, CUmemPoolProps, handleTypes);
ADJ_SAME_MEMBER(Properties, location, CUmemPoolProps, location.type);
ADJ_SAME_MEMBER(Properties, device, CUmemPoolProps, location.id);
ADJ_SAME_MEMBER(Properties, security, CUmemPoolProps, win32SecurityAttributes);
ADJ_SAME_MEMBER(Properties, most, CUmemPoolProps, maxSize);
static_assert(Properties{}.allocation == CU_MEM_ALLOCATION_TYPE_PINNED && Properties{}.handles == CU_MEM_HANDLE_TYPE_NONE &&
              Properties{}.location == CU_MEM_LOCATION_TYPE_DEVICE);
static_assert(kReleaseThreshold == CU_MEMPOOL_ATTR_RELEASE_THRESHOLD && kOutOfMemory == CUDA_ERROR_OUT_OF_MEMORY);
}  // namespace pools
#endif

#if defined(ADJ_HAVE_NVRTC)
static_assert(adj::cu::kNvrtcSuccess == NVRTC_SUCCESS);
static_assert(sizeof(adj::cu::NvrtcResult) == sizeof(nvrtcResult) && sizeof(adj::cu::NvrtcProgram) == sizeof(nvrtcProgram));
namespace nvrtc_functions {
using namespace adj::cu;
#define ADJ_COMPARE(member, symbol, result, arguments) \
  static_assert(SameFunction<result(*) arguments, decltype(&::symbol)>::value, #symbol " differs from nvrtc.h");
ADJ_NVRTC_FUNCTIONS(ADJ_COMPARE)
#undef ADJ_COMPARE
}  // namespace nvrtc_functions
#endif

#if defined(ADJ_HAVE_CUDNN)
static_assert(CUDNN_MAJOR == 9, "the library loads libcudnn.so.9");
static_assert(CUDNN_STATUS_SUCCESS == adj::cu::kCudnnSuccess && CUDNN_STATUS_BAD_PARAM == adj::cu::kCudnnBadParam &&
              CUDNN_STATUS_NOT_SUPPORTED == adj::cu::kCudnnNotSupported && CUDNN_STATUS_INTERNAL_ERROR == adj::cu::kCudnnInternalError);
static_assert(CUDNN_DATA_FLOAT == adj::cu::kCudnnFloat && CUDNN_DATA_DOUBLE == adj::cu::kCudnnDouble && CUDNN_DATA_HALF == adj::cu::kCudnnHalf &&
              CUDNN_DATA_BFLOAT16 == adj::cu::kCudnnBfloat16);
static_assert(CUDNN_DATA_INT32 == adj::cu::kCudnnInt32 && CUDNN_DATA_BOOLEAN == adj::cu::kCudnnBoolean);
static_assert(CUDNN_TYPE_HANDLE == adj::cu::kCudnnIsHandle && CUDNN_TYPE_DATA_TYPE == adj::cu::kCudnnIsType && CUDNN_TYPE_BOOLEAN == adj::cu::kCudnnIsBoolean &&
              CUDNN_TYPE_INT64 == adj::cu::kCudnnIsInt64 && CUDNN_TYPE_VOID_PTR == adj::cu::kCudnnIsPointer && CUDNN_TYPE_FLOAT == adj::cu::kCudnnIsFloat &&
              CUDNN_TYPE_DOUBLE == adj::cu::kCudnnIsDouble && CUDNN_TYPE_CONVOLUTION_MODE == adj::cu::kCudnnIsConvolutionMode &&
              CUDNN_TYPE_KNOB_TYPE == adj::cu::kCudnnIsKnob && CUDNN_TYPE_HEUR_MODE == adj::cu::kCudnnIsHeuristic &&
              CUDNN_TYPE_NUMERICAL_NOTE == adj::cu::kCudnnIsNumericalNote && CUDNN_TYPE_POINTWISE_MODE == adj::cu::kCudnnIsPointwise &&
              CUDNN_TYPE_BACKEND_DESCRIPTOR == adj::cu::kCudnnIsDescriptor && CUDNN_TYPE_REDUCTION_OPERATOR_TYPE == adj::cu::kCudnnIsReduction);
static_assert(CUDNN_BACKEND_TENSOR_DESCRIPTOR == adj::cu::kCudnnGraphTensor && CUDNN_ATTR_TENSOR_BYTE_ALIGNMENT == adj::cu::kCudnnTensorAlignment &&
              CUDNN_ATTR_TENSOR_DATA_TYPE == adj::cu::kCudnnTensorType && CUDNN_ATTR_TENSOR_DIMENSIONS == adj::cu::kCudnnTensorDimensions &&
              CUDNN_ATTR_TENSOR_STRIDES == adj::cu::kCudnnTensorStrides && CUDNN_ATTR_TENSOR_UNIQUE_ID == adj::cu::kCudnnTensorId &&
              CUDNN_ATTR_TENSOR_IS_VIRTUAL == adj::cu::kCudnnTensorVirtual && CUDNN_ATTR_TENSOR_IS_BY_VALUE == adj::cu::kCudnnTensorByValue);
static_assert(CUDNN_BACKEND_POINTWISE_DESCRIPTOR == adj::cu::kCudnnPointwise &&
              CUDNN_BACKEND_OPERATION_POINTWISE_DESCRIPTOR == adj::cu::kCudnnPointwiseOperation && CUDNN_ATTR_POINTWISE_MODE == adj::cu::kCudnnPointwiseMode &&
              CUDNN_ATTR_POINTWISE_MATH_PREC == adj::cu::kCudnnPointwisePrecision && CUDNN_ATTR_POINTWISE_AXIS == adj::cu::kCudnnPointwiseAxis &&
              CUDNN_ATTR_OPERATION_POINTWISE_PW_DESCRIPTOR == adj::cu::kCudnnPointwiseDescriptor &&
              CUDNN_ATTR_OPERATION_POINTWISE_XDESC == adj::cu::kCudnnPointwiseX && CUDNN_ATTR_OPERATION_POINTWISE_BDESC == adj::cu::kCudnnPointwiseB &&
              CUDNN_ATTR_OPERATION_POINTWISE_YDESC == adj::cu::kCudnnPointwiseY && CUDNN_ATTR_OPERATION_POINTWISE_TDESC == adj::cu::kCudnnPointwiseT);
static_assert(CUDNN_POINTWISE_ADD == adj::cu::kCudnnAdd && CUDNN_POINTWISE_MUL == adj::cu::kCudnnMul && CUDNN_POINTWISE_DIV == adj::cu::kCudnnDiv &&
              CUDNN_POINTWISE_SUB == adj::cu::kCudnnSub && CUDNN_POINTWISE_EXP == adj::cu::kCudnnExp && CUDNN_POINTWISE_LOG == adj::cu::kCudnnLog &&
              CUDNN_POINTWISE_IDENTITY == adj::cu::kCudnnIdentity && CUDNN_POINTWISE_CMP_GT == adj::cu::kCudnnGreater &&
              CUDNN_POINTWISE_CMP_GE == adj::cu::kCudnnGreaterEqual && CUDNN_POINTWISE_GEN_INDEX == adj::cu::kCudnnIndex &&
              CUDNN_POINTWISE_BINARY_SELECT == adj::cu::kCudnnSelect);
static_assert(CUDNN_BACKEND_MATMUL_DESCRIPTOR == adj::cu::kCudnnMatmul && CUDNN_BACKEND_OPERATION_MATMUL_DESCRIPTOR == adj::cu::kCudnnMatmulOperation &&
              CUDNN_ATTR_MATMUL_COMP_TYPE == adj::cu::kCudnnMatmulPrecision && CUDNN_ATTR_OPERATION_MATMUL_ADESC == adj::cu::kCudnnMatmulA &&
              CUDNN_ATTR_OPERATION_MATMUL_BDESC == adj::cu::kCudnnMatmulB && CUDNN_ATTR_OPERATION_MATMUL_CDESC == adj::cu::kCudnnMatmulC &&
              CUDNN_ATTR_OPERATION_MATMUL_DESC == adj::cu::kCudnnMatmulDescriptor);
static_assert(CUDNN_BACKEND_REDUCTION_DESCRIPTOR == adj::cu::kCudnnReduction &&
              CUDNN_BACKEND_OPERATION_REDUCTION_DESCRIPTOR == adj::cu::kCudnnReductionOperation &&
              CUDNN_ATTR_REDUCTION_OPERATOR == adj::cu::kCudnnReductionOperator && CUDNN_ATTR_REDUCTION_COMP_TYPE == adj::cu::kCudnnReductionPrecision &&
              CUDNN_ATTR_OPERATION_REDUCTION_XDESC == adj::cu::kCudnnReductionX && CUDNN_ATTR_OPERATION_REDUCTION_YDESC == adj::cu::kCudnnReductionY &&
              CUDNN_ATTR_OPERATION_REDUCTION_DESC == adj::cu::kCudnnReductionDescriptor && CUDNN_REDUCE_TENSOR_ADD == adj::cu::kCudnnReduceAdd &&
              CUDNN_REDUCE_TENSOR_MAX == adj::cu::kCudnnReduceMax);
static_assert(CUDNN_BACKEND_OPERATION_RESHAPE_DESCRIPTOR == adj::cu::kCudnnReshapeOperation && CUDNN_ATTR_OPERATION_RESHAPE_XDESC == adj::cu::kCudnnReshapeX &&
              CUDNN_ATTR_OPERATION_RESHAPE_YDESC == adj::cu::kCudnnReshapeY);
static_assert(CUDNN_BACKEND_OPERATIONGRAPH_DESCRIPTOR == adj::cu::kCudnnOperationGraph && CUDNN_ATTR_OPERATIONGRAPH_HANDLE == adj::cu::kCudnnGraphHandle &&
              CUDNN_ATTR_OPERATIONGRAPH_OPS == adj::cu::kCudnnGraphOperations);
static_assert(CUDNN_BACKEND_ENGINEHEUR_DESCRIPTOR == adj::cu::kCudnnHeuristic && CUDNN_ATTR_ENGINEHEUR_MODE == adj::cu::kCudnnHeuristicMode &&
              CUDNN_ATTR_ENGINEHEUR_OPERATION_GRAPH == adj::cu::kCudnnHeuristicGraph && CUDNN_ATTR_ENGINEHEUR_RESULTS == adj::cu::kCudnnHeuristicResults &&
              CUDNN_HEUR_MODE_A == adj::cu::kCudnnHeuristicA && CUDNN_HEUR_MODE_B == adj::cu::kCudnnHeuristicB &&
              CUDNN_HEUR_MODE_FALLBACK == adj::cu::kCudnnHeuristicFallback);
static_assert(CUDNN_BACKEND_ENGINE_DESCRIPTOR == adj::cu::kCudnnEngine && CUDNN_BACKEND_ENGINECFG_DESCRIPTOR == adj::cu::kCudnnEngineConfig &&
              CUDNN_ATTR_ENGINECFG_ENGINE == adj::cu::kCudnnConfigEngine && CUDNN_ATTR_ENGINE_NUMERICAL_NOTE == adj::cu::kCudnnEngineNumericalNote &&
              CUDNN_ATTR_ENGINECFG_KNOB_CHOICES == adj::cu::kCudnnConfigKnobs && CUDNN_ATTR_ENGINE_OPERATION_GRAPH == adj::cu::kCudnnEngineGraph &&
              CUDNN_ATTR_ENGINE_GLOBAL_INDEX == adj::cu::kCudnnEngineIndex && CUDNN_BACKEND_KNOB_CHOICE_DESCRIPTOR == adj::cu::kCudnnKnobChoice &&
              CUDNN_ATTR_KNOB_CHOICE_KNOB_TYPE == adj::cu::kCudnnKnobType && CUDNN_ATTR_KNOB_CHOICE_KNOB_VALUE == adj::cu::kCudnnKnobValue);
static_assert(CUDNN_NUMERICAL_NOTE_TENSOR_CORE == adj::cu::kCudnnTensorCore && CUDNN_NUMERICAL_NOTE_DOWN_CONVERT_INPUTS == adj::cu::kCudnnDownConverts &&
              CUDNN_NUMERICAL_NOTE_REDUCED_PRECISION_REDUCTION == adj::cu::kCudnnReducedReduction && CUDNN_NUMERICAL_NOTE_FFT == adj::cu::kCudnnFft &&
              CUDNN_NUMERICAL_NOTE_NONDETERMINISTIC == adj::cu::kCudnnNondeterministic && CUDNN_NUMERICAL_NOTE_WINOGRAD == adj::cu::kCudnnWinograd &&
              CUDNN_NUMERICAL_NOTE_WINOGRAD_TILE_4x4 == adj::cu::kCudnnWinograd4 && CUDNN_NUMERICAL_NOTE_WINOGRAD_TILE_6x6 == adj::cu::kCudnnWinograd6 &&
              CUDNN_NUMERICAL_NOTE_WINOGRAD_TILE_13x13 == adj::cu::kCudnnWinograd13);
static_assert(CUDNN_BACKEND_CONVOLUTION_DESCRIPTOR == adj::cu::kCudnnConvolution &&
              CUDNN_BACKEND_OPERATION_CONVOLUTION_FORWARD_DESCRIPTOR == adj::cu::kCudnnConvolutionForward &&
              CUDNN_BACKEND_OPERATION_CONVOLUTION_BACKWARD_FILTER_DESCRIPTOR == adj::cu::kCudnnConvolutionFilter &&
              CUDNN_BACKEND_OPERATION_CONVOLUTION_BACKWARD_DATA_DESCRIPTOR == adj::cu::kCudnnConvolutionData &&
              CUDNN_CROSS_CORRELATION == adj::cu::kCudnnCrossCorrelation);
static_assert(CUDNN_ATTR_CONVOLUTION_COMP_TYPE == adj::cu::kCudnnConvolutionPrecision && CUDNN_ATTR_CONVOLUTION_CONV_MODE == adj::cu::kCudnnConvolutionMode &&
              CUDNN_ATTR_CONVOLUTION_DILATIONS == adj::cu::kCudnnConvolutionDilations &&
              CUDNN_ATTR_CONVOLUTION_FILTER_STRIDES == adj::cu::kCudnnConvolutionStrides &&
              CUDNN_ATTR_CONVOLUTION_POST_PADDINGS == adj::cu::kCudnnConvolutionPadsAfter &&
              CUDNN_ATTR_CONVOLUTION_PRE_PADDINGS == adj::cu::kCudnnConvolutionPadsBefore &&
              CUDNN_ATTR_CONVOLUTION_SPATIAL_DIMS == adj::cu::kCudnnConvolutionSpatial);
static_assert(CUDNN_ATTR_OPERATION_CONVOLUTION_FORWARD_ALPHA == adj::cu::kCudnnForwardAlpha &&
              CUDNN_ATTR_OPERATION_CONVOLUTION_FORWARD_BETA == adj::cu::kCudnnForwardBeta &&
              CUDNN_ATTR_OPERATION_CONVOLUTION_FORWARD_CONV_DESC == adj::cu::kCudnnForwardDescriptor &&
              CUDNN_ATTR_OPERATION_CONVOLUTION_FORWARD_W == adj::cu::kCudnnForwardW && CUDNN_ATTR_OPERATION_CONVOLUTION_FORWARD_X == adj::cu::kCudnnForwardX &&
              CUDNN_ATTR_OPERATION_CONVOLUTION_FORWARD_Y == adj::cu::kCudnnForwardY);
static_assert(CUDNN_ATTR_OPERATION_CONVOLUTION_BWD_DATA_ALPHA == adj::cu::kCudnnDataAlpha &&
              CUDNN_ATTR_OPERATION_CONVOLUTION_BWD_DATA_BETA == adj::cu::kCudnnDataBeta &&
              CUDNN_ATTR_OPERATION_CONVOLUTION_BWD_DATA_CONV_DESC == adj::cu::kCudnnDataDescriptor &&
              CUDNN_ATTR_OPERATION_CONVOLUTION_BWD_DATA_W == adj::cu::kCudnnDataW && CUDNN_ATTR_OPERATION_CONVOLUTION_BWD_DATA_DX == adj::cu::kCudnnDataX &&
              CUDNN_ATTR_OPERATION_CONVOLUTION_BWD_DATA_DY == adj::cu::kCudnnDataY);
static_assert(CUDNN_ATTR_OPERATION_CONVOLUTION_BWD_FILTER_ALPHA == adj::cu::kCudnnFilterAlpha &&
              CUDNN_ATTR_OPERATION_CONVOLUTION_BWD_FILTER_BETA == adj::cu::kCudnnFilterBeta &&
              CUDNN_ATTR_OPERATION_CONVOLUTION_BWD_FILTER_CONV_DESC == adj::cu::kCudnnFilterDescriptor &&
              CUDNN_ATTR_OPERATION_CONVOLUTION_BWD_FILTER_DW == adj::cu::kCudnnFilterW &&
              CUDNN_ATTR_OPERATION_CONVOLUTION_BWD_FILTER_X == adj::cu::kCudnnFilterX &&
              CUDNN_ATTR_OPERATION_CONVOLUTION_BWD_FILTER_DY == adj::cu::kCudnnFilterY);
static_assert(CUDNN_BACKEND_EXECUTION_PLAN_DESCRIPTOR == adj::cu::kCudnnExecutionPlan && CUDNN_ATTR_EXECUTION_PLAN_HANDLE == adj::cu::kCudnnPlanHandle &&
              CUDNN_ATTR_EXECUTION_PLAN_ENGINE_CONFIG == adj::cu::kCudnnPlanConfig && CUDNN_ATTR_EXECUTION_PLAN_WORKSPACE_SIZE == adj::cu::kCudnnPlanWorkspace);
static_assert(CUDNN_BACKEND_VARIANT_PACK_DESCRIPTOR == adj::cu::kCudnnVariantPack && CUDNN_ATTR_VARIANT_PACK_UNIQUE_IDS == adj::cu::kCudnnPackIds &&
              CUDNN_ATTR_VARIANT_PACK_DATA_POINTERS == adj::cu::kCudnnPackPointers && CUDNN_ATTR_VARIANT_PACK_WORKSPACE == adj::cu::kCudnnPackWorkspace);
namespace cudnn_functions {
using namespace adj::cu;
#define ADJ_COMPARE(member, symbol, result, arguments) \
  static_assert(SameFunction<result(*) arguments, decltype(&::symbol)>::value, #symbol " differs from cudnn.h");
ADJ_CUDNN_FUNCTIONS(ADJ_COMPARE)
#undef ADJ_COMPARE
}  // namespace cudnn_functions
#endif
#if defined(ADJ_HAVE_CUBLASLT)
static_assert(CUBLAS_STATUS_SUCCESS == adj::cu::kBlasSuccess && CUBLAS_STATUS_INVALID_VALUE == adj::cu::kBlasInvalidValue &&
              CUBLAS_STATUS_ARCH_MISMATCH == adj::cu::kBlasArchMismatch && CUBLAS_STATUS_NOT_SUPPORTED == adj::cu::kBlasNotSupported);
static_assert(CUDA_R_32F == adj::cu::kBlasFloat && CUDA_R_64F == adj::cu::kBlasDouble && CUDA_R_16F == adj::cu::kBlasHalf &&
              CUDA_R_16BF == adj::cu::kBlasBfloat16 && CUDA_R_8F_E4M3 == adj::cu::kBlasE4M3 && CUDA_R_8F_E5M2 == adj::cu::kBlasE5M2);
static_assert(CUBLAS_COMPUTE_32F == adj::cu::kBlasCompute32 && CUBLAS_COMPUTE_32F_FAST_TF32 == adj::cu::kBlasComputeTf32 &&
              CUBLAS_COMPUTE_64F == adj::cu::kBlasCompute64);
static_assert(CUBLASLT_MATMUL_DESC_TRANSA == adj::cu::kBlasTransposeA && CUBLASLT_MATMUL_DESC_TRANSB == adj::cu::kBlasTransposeB &&
              CUBLASLT_MATMUL_DESC_EPILOGUE == adj::cu::kBlasEpilogue && CUBLASLT_MATMUL_DESC_BIAS_POINTER == adj::cu::kBlasBiasPointer &&
              CUBLASLT_MATMUL_DESC_EPILOGUE_AUX_POINTER == adj::cu::kBlasAuxPointer && CUBLASLT_MATMUL_DESC_EPILOGUE_AUX_LD == adj::cu::kBlasAuxLd &&
              CUBLASLT_MATMUL_DESC_EPILOGUE_AUX_BATCH_STRIDE == adj::cu::kBlasAuxStride);
static_assert(CUBLASLT_MATMUL_DESC_A_SCALE_POINTER == adj::cu::kBlasScaleAPointer && CUBLASLT_MATMUL_DESC_B_SCALE_POINTER == adj::cu::kBlasScaleBPointer &&
              CUBLASLT_MATMUL_DESC_FAST_ACCUM == adj::cu::kBlasFastAccumulation);
#if CUBLAS_VERSION >= 120900
static_assert(CUBLASLT_MATMUL_DESC_A_SCALE_MODE == adj::cu::kBlasScaleAMode && CUBLASLT_MATMUL_DESC_B_SCALE_MODE == adj::cu::kBlasScaleBMode &&
              CUBLASLT_MATMUL_MATRIX_SCALE_SCALAR_32F == adj::cu::kBlasScaleOfTensor &&
              CUBLASLT_MATMUL_MATRIX_SCALE_OUTER_VEC_32F == adj::cu::kBlasScaleOfRow && CUBLASLT_MATMUL_MATRIX_SCALE_VEC128_32F == adj::cu::kBlasScaleOfGroup &&
              CUBLASLT_MATMUL_MATRIX_SCALE_BLK128x128_32F == adj::cu::kBlasScaleOfBlock);
#endif
static_assert(CUBLASLT_MATRIX_LAYOUT_BATCH_COUNT == adj::cu::kBlasBatchCount && CUBLASLT_MATRIX_LAYOUT_STRIDED_BATCH_OFFSET == adj::cu::kBlasBatchStride);
static_assert(CUBLASLT_MATMUL_PREF_MAX_WORKSPACE_BYTES == adj::cu::kBlasMostWorkspace &&
              CUBLASLT_MATMUL_PREF_REDUCTION_SCHEME_MASK == adj::cu::kBlasReductions &&
              CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_A_BYTES == adj::cu::kBlasLeastAlignment &&
              CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_D_BYTES == adj::cu::kBlasLeastAlignment + 3);
static_assert(CUBLASLT_ALGO_CONFIG_ID == adj::cu::kBlasAlgoId && CUBLASLT_ALGO_CONFIG_SPLITK_NUM == adj::cu::kBlasAlgoSplits &&
              CUBLASLT_ALGO_CONFIG_REDUCTION_SCHEME == adj::cu::kBlasAlgoReduction);
static_assert(CUBLAS_OP_N == 0 && CUBLAS_OP_T == adj::cu::kBlasTranspose);
static_assert(CUBLASLT_REDUCTION_SCHEME_COMPUTE_TYPE == adj::cu::kBlasReduceInCompute);
static_assert(CUBLASLT_EPILOGUE_DEFAULT == adj::cu::kBlasEpilogueNone && CUBLASLT_EPILOGUE_BIAS == adj::cu::kBlasEpilogueBias &&
              CUBLASLT_EPILOGUE_GELU == adj::cu::kBlasEpilogueGelu &&
              CUBLASLT_EPILOGUE_GELU_AUX_BIAS == (adj::cu::kBlasEpilogueGelu | adj::cu::kBlasEpilogueAux | adj::cu::kBlasEpilogueBias) &&
              CUBLASLT_EPILOGUE_DGELU == (adj::cu::kBlasEpilogueGeluGradient | adj::cu::kBlasEpilogueAux) &&
              CUBLASLT_EPILOGUE_BGRADB == adj::cu::kBlasEpilogueSumsOfB);
static_assert(sizeof(cublasLtMatmulAlgo_t) == sizeof(adj::cu::BlasAlgo) && sizeof(cublasLtMatmulHeuristicResult_t) == sizeof(adj::cu::BlasHeuristic) &&
              offsetof(cublasLtMatmulHeuristicResult_t, algo) == offsetof(adj::cu::BlasHeuristic, algo) &&
              offsetof(cublasLtMatmulHeuristicResult_t, workspaceSize) == offsetof(adj::cu::BlasHeuristic, workspace) &&
              offsetof(cublasLtMatmulHeuristicResult_t, state) == offsetof(adj::cu::BlasHeuristic, state));
namespace cublaslt_functions {
using namespace adj::cu;
#define ADJ_COMPARE(member, symbol, result, arguments) \
  static_assert(SameFunction<result(*) arguments, decltype(&::symbol)>::value, #symbol " differs from cublasLt.h");
ADJ_BLAS_FUNCTIONS(ADJ_COMPARE)
#undef ADJ_COMPARE
}  // namespace cublaslt_functions
#endif
#if defined(ADJ_HAVE_NCCL)
static_assert(ncclSuccess == 0 && ncclInProgress == adj::cu::kNcclInProgress && NCCL_MAJOR == 2, "the library loads libnccl.so.2");
static_assert(ncclInt8 == adj::cu::kNcclInt8 && ncclUint8 == adj::cu::kNcclUint8 && ncclInt32 == adj::cu::kNcclInt32 && ncclUint32 == adj::cu::kNcclUint32 &&
              ncclInt64 == adj::cu::kNcclInt64 && ncclUint64 == adj::cu::kNcclUint64 && ncclFloat16 == adj::cu::kNcclFloat16 &&
              ncclFloat32 == adj::cu::kNcclFloat32 && ncclFloat64 == adj::cu::kNcclFloat64 && ncclBfloat16 == adj::cu::kNcclBfloat16);
static_assert(ncclSum == adj::cu::kNcclSum && ncclProd == adj::cu::kNcclProd && ncclMax == adj::cu::kNcclMax && ncclMin == adj::cu::kNcclMin &&
              ncclAvg == adj::cu::kNcclAvg);
static_assert(sizeof(ncclUniqueId) == sizeof(adj::cu::NcclUniqueId));
namespace nccl_functions {
using namespace adj::cu;
#define ADJ_COMPARE(member, symbol, result, arguments) \
  static_assert(SameFunction<result(*) arguments, decltype(&::symbol)>::value, #symbol " differs from nccl.h");
ADJ_NCCL_FUNCTIONS(ADJ_COMPARE)
#undef ADJ_COMPARE
}  // namespace nccl_functions
#endif

void report(const char* header, bool present) {
  std::printf("%s: %s\n", header, present ? "agrees" : "not installed");
  found += present;
}

}  // namespace

int main() {
#if defined(ADJ_HAVE_CUDA)
  report("cuda.h", true);
#else
  report("cuda.h", false);
#endif
#if defined(ADJ_HAVE_NVRTC)
  report("nvrtc.h", true);
#else
  report("nvrtc.h", false);
#endif
#if defined(ADJ_HAVE_CUDNN)
  report("cudnn.h", true);
#else
  report("cudnn.h", false);
#endif
#if defined(ADJ_HAVE_CUBLASLT)
  report("cublasLt.h", true);
#else
  report("cublasLt.h", false);
#endif
#if defined(ADJ_HAVE_NCCL)
  report("nccl.h", true);
#else
  report("nccl.h", false);
#endif
  if (found > 0) return 0;
  std::puts("skipped: no vendor header is installed");
  return 77;
}
