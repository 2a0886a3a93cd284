// Compares the declarations of capi/onnxruntime/interface.hpp with onnxruntime_c_api.h, Debian's or in the compiler's own directories. All checks are static.
// Exits with 77 (skipped) where there is no such header.
#include "capi/onnxruntime/interface.hpp"

#if __has_include(<onnxruntime/onnxruntime_c_api.h>)
#include <onnxruntime/onnxruntime_c_api.h>
#elif __has_include(<onnxruntime_c_api.h>)
#include <onnxruntime_c_api.h>
#endif
#include <cstdio>

#ifdef ORT_API_VERSION
#include <adjoint.h>

using namespace adjoint::onnxruntime;

static_assert(ORT_API_VERSION >= kInterface);
#define ADJ_COMPARE(name, place, result, parameters) static_assert(offsetof(OrtApi, name) == place * sizeof(void*), #name);
ADJ_ORT_FUNCTIONS(ADJ_COMPARE)
#define ADJ_MEMBER(ours, theirs) static_assert(offsetof(CustomOp, ours) == offsetof(OrtCustomOp, theirs), #theirs);
ADJ_MEMBER(version, version)
ADJ_MEMBER(create_unchecked, CreateKernel)
ADJ_MEMBER(name, GetName)
ADJ_MEMBER(provider, GetExecutionProviderType)
ADJ_MEMBER(input_type, GetInputType)
ADJ_MEMBER(input_count, GetInputTypeCount)
ADJ_MEMBER(output_type, GetOutputType)
ADJ_MEMBER(output_count, GetOutputTypeCount)
ADJ_MEMBER(compute_unchecked, KernelCompute)
ADJ_MEMBER(destroy, KernelDestroy)
ADJ_MEMBER(input_characteristic, GetInputCharacteristic)
ADJ_MEMBER(output_characteristic, GetOutputCharacteristic)
ADJ_MEMBER(input_memory, GetInputMemoryType)
ADJ_MEMBER(least_variadic_inputs, GetVariadicInputMinArity)
ADJ_MEMBER(variadic_inputs_alike, GetVariadicInputHomogeneity)
ADJ_MEMBER(least_variadic_outputs, GetVariadicOutputMinArity)
ADJ_MEMBER(variadic_outputs_alike, GetVariadicOutputHomogeneity)
ADJ_MEMBER(create, CreateKernelV2)
ADJ_MEMBER(compute, KernelComputeV2)
ADJ_MEMBER(infer_shapes, InferOutputShapeFn)
ADJ_MEMBER(first_version, GetStartVersion)
ADJ_MEMBER(last_version, GetEndVersion)
ADJ_MEMBER(may_overwrite, GetMayInplace)
ADJ_MEMBER(release_may_overwrite, ReleaseMayInplace)
ADJ_MEMBER(aliases, GetAliasMap)
ADJ_MEMBER(release_aliases, ReleaseAliasMap)
static_assert(offsetof(ApiBase, get) == offsetof(OrtApiBase, GetApi) && offsetof(ApiBase, version) == offsetof(OrtApiBase, GetVersionString));
static_assert(int(Characteristic::optional) == INPUT_OUTPUT_OPTIONAL && int(Characteristic::variadic) == INPUT_OUTPUT_VARIADIC);
static_assert(int(MemoryType::cpu_input) == OrtMemTypeCPUInput && int(MemoryType::standard) == OrtMemTypeDefault);
static_assert(kFail == ORT_FAIL && kInvalidArgument == ORT_INVALID_ARGUMENT && kUndefined == ONNX_TENSOR_ELEMENT_DATA_TYPE_UNDEFINED);
static_assert(int(ADJ_F32) == ONNX_TENSOR_ELEMENT_DATA_TYPE_FLOAT && int(ADJ_U8) == ONNX_TENSOR_ELEMENT_DATA_TYPE_UINT8 &&
              int(ADJ_I8) == ONNX_TENSOR_ELEMENT_DATA_TYPE_INT8 && int(ADJ_U16) == ONNX_TENSOR_ELEMENT_DATA_TYPE_UINT16 &&
              int(ADJ_I16) == ONNX_TENSOR_ELEMENT_DATA_TYPE_INT16 && int(ADJ_I32) == ONNX_TENSOR_ELEMENT_DATA_TYPE_INT32 &&
              int(ADJ_I64) == ONNX_TENSOR_ELEMENT_DATA_TYPE_INT64 && int(ADJ_BOOL) == ONNX_TENSOR_ELEMENT_DATA_TYPE_BOOL &&
              int(ADJ_F16) == ONNX_TENSOR_ELEMENT_DATA_TYPE_FLOAT16 && int(ADJ_F64) == ONNX_TENSOR_ELEMENT_DATA_TYPE_DOUBLE &&
              int(ADJ_U32) == ONNX_TENSOR_ELEMENT_DATA_TYPE_UINT32 && int(ADJ_U64) == ONNX_TENSOR_ELEMENT_DATA_TYPE_UINT64 &&
              int(ADJ_BF16) == ONNX_TENSOR_ELEMENT_DATA_TYPE_BFLOAT16);

int main() {}
#else
int main() {
  std::puts("skipped: there is no onnxruntime_c_api.h");
  return 77;
}
#endif
