// Compares the declarations of capi/torch/interface.hpp with torch's headers, whose directory the compiler is given: tools/dev adapters does. All checks are
// static: functions have the parameters that we pass, but for the types behind handles.
#define USE_CUDA
#include <torch/csrc/stable/c/shim.h>

#include <type_traits>

#include "capi/torch/interface.hpp"

namespace {

template <class T>
struct Plain {
  using type = T;
};
template <class T>
  requires(std::is_class_v<T> || std::is_pointer_v<T>)
struct Plain<T*> {
  using type = void*;
};
template <class F>
struct Signature;
template <class Result, class... Parameters>
struct Signature<Result (*)(Parameters...)> {
  using type = Result (*)(typename Plain<Parameters>::type...);
};
template <class A, class B>
constexpr bool kSame = std::is_same_v<typename Signature<A>::type, typename Signature<B>::type>;

}  // namespace

#define ADJ_COMPARE(member, symbol, result, parameters) static_assert(kSame<decltype(adjoint::torch_abi::Functions::member), decltype(&symbol)>, #symbol);
ADJ_TORCH_FUNCTIONS(ADJ_COMPARE)
#ifdef TORCH_VERSION_2_13_0
ADJ_COMPARE(release_word, torch_delete_stable_ivalue, , )
#endif
ADJ_COMPARE(cuda_stream, aoti_torch_get_current_cuda_stream, , )
#define ADJ_COMPARE_DTYPE(ours, name) static_assert(std::is_same_v<decltype(aoti_torch_dtype_##name()), std::int32_t>);
ADJ_TORCH_DTYPES(ADJ_COMPARE_DTYPE)
static_assert(std::is_same_v<adjoint::torch_abi::Word, StableIValue>);
static_assert(std::is_same_v<adjoint::torch_abi::Error, AOTITorchError>);
static_assert(AOTI_TORCH_SUCCESS == 0);
