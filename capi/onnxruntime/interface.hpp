// The part of ONNX Runtime's C interface that the adapter calls, from version 18 on. Nothing is linked: the runtime hands a table of functions over.
// The interface only grows at its end, so places in the table hold for every later version. tests/abi/onnxruntime_header.cpp compares them with
// onnxruntime_c_api.h where that is installed.
#pragma once

#include <cstddef>
#include <cstdint>

namespace adjoint::onnxruntime {

constexpr std::uint32_t kInterface = 18;

struct Status;
struct SessionOptions;
struct Domain;
struct KernelInfo;
struct Context;
struct Value;
struct TensorInfo;
struct CustomOp;

enum class Characteristic : int { required, optional, variadic };
enum class MemoryType : int { cpu_input = -2, standard = 0 };
constexpr int kFail = 1, kInvalidArgument = 2;  // OrtErrorCode
constexpr int kUndefined = 0;                   // ONNXTensorElementDataType; its other values are those of adj_dtype

// name, place in OrtApi, result, parameters
#define ADJ_ORT_FUNCTIONS(X)                                                                                        \
  X(CreateStatus, 0, Status*, (int, const char*))                                                                   \
  X(GetErrorMessage, 2, const char*, (const Status*))                                                               \
  X(CreateCustomOpDomain, 26, Status*, (const char*, Domain**))                                                     \
  X(CustomOpDomain_Add, 27, Status*, (Domain*, const CustomOp*))                                                    \
  X(AddCustomOpDomain, 28, Status*, (SessionOptions*, Domain*))                                                     \
  X(GetTensorMutableData, 51, Status*, (Value*, void**))                                                            \
  X(GetTensorElementType, 60, Status*, (const TensorInfo*, int*))                                                   \
  X(GetDimensionsCount, 61, Status*, (const TensorInfo*, std::size_t*))                                             \
  X(GetDimensions, 62, Status*, (const TensorInfo*, std::int64_t*, std::size_t))                                    \
  X(GetTensorTypeAndShape, 65, Status*, (const Value*, TensorInfo**))                                               \
  X(KernelInfoGetAttribute_float, 85, Status*, (const KernelInfo*, const char*, float*))                            \
  X(KernelInfoGetAttribute_int64, 86, Status*, (const KernelInfo*, const char*, std::int64_t*))                     \
  X(KernelInfoGetAttribute_string, 87, Status*, (const KernelInfo*, const char*, char*, std::size_t*))              \
  X(KernelContext_GetInput, 90, Status*, (const Context*, std::size_t, const Value**))                              \
  X(KernelContext_GetOutput, 91, Status*, (Context*, std::size_t, const std::int64_t*, std::size_t, Value**))       \
  X(ReleaseStatus, 93, void, (Status*))                                                                             \
  X(ReleaseTensorTypeAndShapeInfo, 99, void, (TensorInfo*))                                                         \
  X(KernelInfoGetAttributeArray_int64, 163, Status*, (const KernelInfo*, const char*, std::int64_t*, std::size_t*)) \
  X(KernelContext_GetGPUComputeStream, 193, Status*, (const Context*, void**))                                      \
  X(KernelInfo_GetInputCount, 230, Status*, (const KernelInfo*, std::size_t*))                                      \
  X(KernelInfo_GetOutputCount, 231, Status*, (const KernelInfo*, std::size_t*))                                     \
  X(KernelInfo_GetOutputName, 233, Status*, (const KernelInfo*, std::size_t, char*, std::size_t*))                  \
  X(KernelInfo_GetNodeName, 244, Status*, (const KernelInfo*, char*, std::size_t*))

struct Api {  // OrtApi; version 18 has at least this many functions
  const void* functions[274];
#define ADJ_ORT_MEMBER(name, place, result, parameters)                                               \
  template <class... Arguments>                                                                       \
  result name(Arguments... arguments) const {                                                         \
    return reinterpret_cast<result(*) parameters>(const_cast<void*>(functions[place]))(arguments...); \
  }
  ADJ_ORT_FUNCTIONS(ADJ_ORT_MEMBER)
#undef ADJ_ORT_MEMBER
};

struct ApiBase {  // OrtApiBase
  const Api* (*get)(std::uint32_t version);
  const char* (*version)();
};

struct CustomOp {  // OrtCustomOp
  std::uint32_t version = kInterface;
  void* (*create_unchecked)(const CustomOp*, const Api*, const KernelInfo*) = nullptr;
  const char* (*name)(const CustomOp*) = nullptr;
  const char* (*provider)(const CustomOp*) = nullptr;
  int (*input_type)(const CustomOp*, std::size_t) = nullptr;
  std::size_t (*input_count)(const CustomOp*) = nullptr;
  int (*output_type)(const CustomOp*, std::size_t) = nullptr;
  std::size_t (*output_count)(const CustomOp*) = nullptr;
  void (*compute_unchecked)(void*, Context*) = nullptr;
  void (*destroy)(void*) = nullptr;
  Characteristic (*input_characteristic)(const CustomOp*, std::size_t) = nullptr;
  Characteristic (*output_characteristic)(const CustomOp*, std::size_t) = nullptr;
  MemoryType (*input_memory)(const CustomOp*, std::size_t) = nullptr;
  int (*least_variadic_inputs)(const CustomOp*) = nullptr;
  int (*variadic_inputs_alike)(const CustomOp*) = nullptr;
  int (*least_variadic_outputs)(const CustomOp*) = nullptr;
  int (*variadic_outputs_alike)(const CustomOp*) = nullptr;
  Status* (*create)(const CustomOp*, const Api*, const KernelInfo*, void**) = nullptr;
  Status* (*compute)(void*, Context*) = nullptr;
  Status* (*infer_shapes)(const CustomOp*, void*) = nullptr;
  int (*first_version)(const CustomOp*) = nullptr;
  int (*last_version)(const CustomOp*) = nullptr;
  std::size_t (*may_overwrite)(int**, int**) = nullptr;
  void (*release_may_overwrite)(int*, int*) = nullptr;
  std::size_t (*aliases)(int**, int**) = nullptr;
  void (*release_aliases)(int*, int*) = nullptr;
};

}  // namespace adjoint::onnxruntime
