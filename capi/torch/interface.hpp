// The part of torch's stable C interface that the adapter calls, from version 2.10 on, whose form of arguments has lists and texts. Nothing is linked: the
// functions are looked for in the libraries that a process with torch has loaded. tests/abi/torch_headers.cpp compares the declarations with torch's.
#pragma once

#include <adjoint.h>
#include <dlfcn.h>

#include <cstddef>
#include <cstdint>

namespace adjoint::torch_abi {

using Error = std::int32_t;  // AOTITorchError: 0 for success
using Word = std::uint64_t;  // StableIValue: a number, or a handle that the callee owns; an optional value is null or the address of its word
using Kernel = void (*)(Word*, std::uint64_t, std::uint64_t);

struct Tensor;   // AtenTensorOpaque
struct List;     // StableListOpaque
struct Text;     // StringOpaque
struct Library;  // TorchLibraryOpaque
struct Guard;    // DeviceGuardOpaque

// The version whose form of arguments this is: kernels and calls say it, and later versions keep to it.
constexpr std::uint64_t kVersion = (std::uint64_t{2} << 56) | (std::uint64_t{10} << 48);

// member, symbol, result, parameters
#define ADJ_TORCH_FUNCTIONS(X)                                                                                                                            \
  X(init_impl, aoti_torch_library_init_impl, Error, (const char*, const char*, const char*, std::uint32_t, Library**))                                    \
  X(impl, torch_library_impl, Error, (Library*, const char*, Kernel, std::uint64_t))                                                                      \
  X(call, torch_call_dispatcher, Error, (const char*, const char*, Word*, std::uint64_t))                                                                 \
  X(check, aoti_torch_check, void, (bool, const char*, const char*, std::uint32_t, const char*))                                                          \
  X(device_cpu, aoti_torch_device_type_cpu, std::int32_t, ())                                                                                             \
  X(device_cuda, aoti_torch_device_type_cuda, std::int32_t, ())                                                                                           \
  X(grad_enabled, aoti_torch_grad_mode_is_enabled, bool, ())                                                                                              \
  X(release, aoti_torch_delete_tensor_object, Error, (Tensor*))                                                                                           \
  X(data_of, aoti_torch_get_data_ptr, Error, (Tensor*, void**))                                                                                           \
  X(rank_of, aoti_torch_get_dim, Error, (Tensor*, std::int64_t*))                                                                                         \
  X(sizes_of, aoti_torch_get_sizes, Error, (Tensor*, std::int64_t**))                                                                                     \
  X(strides_of, aoti_torch_get_strides, Error, (Tensor*, std::int64_t**))                                                                                 \
  X(dtype_of, aoti_torch_get_dtype, Error, (Tensor*, std::int32_t*))                                                                                      \
  X(device_type_of, aoti_torch_get_device_type, Error, (Tensor*, std::int32_t*))                                                                          \
  X(device_of, aoti_torch_get_device_index, Error, (Tensor*, std::int32_t*))                                                                              \
  X(strided, aoti_torch_layout_strided, std::int32_t, ())                                                                                                 \
  X(layout_of, aoti_torch_get_layout, Error, (Tensor*, std::int32_t*))                                                                                    \
  X(is_contiguous, aoti_torch_is_contiguous, Error, (Tensor*, bool*))                                                                                     \
  X(empty, aoti_torch_empty_strided, Error, (std::int64_t, const std::int64_t*, const std::int64_t*, std::int32_t, std::int32_t, std::int32_t, Tensor**)) \
  X(copy, aoti_torch_copy_, Error, (Tensor*, Tensor*, std::int32_t))                                                                                      \
  X(current_device, aoti_torch_get_current_device_index, Error, (std::int32_t*))                                                                          \
  X(make_guard, aoti_torch_create_device_guard, Error, (std::int32_t, Guard**))                                                                           \
  X(release_guard, aoti_torch_delete_device_guard, Error, (Guard*))                                                                                       \
  X(make_list, torch_new_list_reserve_size, Error, (std::size_t, List**))                                                                                 \
  X(list_size, torch_list_size, Error, (List*, std::size_t*))                                                                                             \
  X(list_get, torch_list_get_item, Error, (List*, std::size_t, Word*))                                                                                    \
  X(list_push, torch_list_push_back, Error, (List*, Word))                                                                                                \
  X(release_list, torch_delete_list, Error, (List*))                                                                                                      \
  X(text_size, torch_string_length, Error, (Text*, std::size_t*))                                                                                         \
  X(text_data, torch_string_c_str, Error, (Text*, const char**))                                                                                          \
  X(release_text, torch_delete_string, Error, (Text*))

// Element types: adj_dtype, name in torch's functions.
#define ADJ_TORCH_DTYPES(X)     \
  X(ADJ_F32, float32)           \
  X(ADJ_F64, float64)           \
  X(ADJ_F16, float16)           \
  X(ADJ_BF16, bfloat16)         \
  X(ADJ_F8_E4M3, float8_e4m3fn) \
  X(ADJ_F8_E5M2, float8_e5m2)   \
  X(ADJ_U8, uint8)              \
  X(ADJ_U16, uint16)            \
  X(ADJ_U32, uint32)            \
  X(ADJ_U64, uint64)            \
  X(ADJ_I8, int8)               \
  X(ADJ_I16, int16)             \
  X(ADJ_I32, int32)             \
  X(ADJ_I64, int64)             \
  X(ADJ_BOOL, bool)

struct Functions {
#define ADJ_MEMBER(member, symbol, result, parameters) result(*member) parameters = nullptr;
  ADJ_TORCH_FUNCTIONS(ADJ_MEMBER)
#undef ADJ_MEMBER
  Error (*release_word)(Word*) = nullptr;                // torch_delete_stable_ivalue, from 2.13 on; before it, C++'s delete
  Error (*cuda_stream)(std::int32_t, void**) = nullptr;  // aoti_torch_get_current_cuda_stream, where torch was built with CUDA

  static constexpr int kDtypes = 32;
  std::int32_t dtypes[kDtypes] = {};  // torch's number of each adj_dtype

  // Fills the table. Returns the name of what is missing, or null.
  const char* find() {
    void* const torch = ::dlopen("libtorch_cpu.so", RTLD_NOW | RTLD_NOLOAD);
    if (!torch) return "libtorch_cpu.so";
#define ADJ_FIND(member, symbol, result, parameters) \
  if (!(member = reinterpret_cast<result(*) parameters>(::dlsym(torch, #symbol)))) return #symbol;
    ADJ_TORCH_FUNCTIONS(ADJ_FIND)
#undef ADJ_FIND
#define ADJ_FIND(ours, name)                                                                                                       \
  if (const auto get = reinterpret_cast<std::int32_t (*)()>(::dlsym(torch, "aoti_torch_dtype_" #name)); get) dtypes[ours] = get(); \
  else return "aoti_torch_dtype_" #name;
    ADJ_TORCH_DTYPES(ADJ_FIND)
#undef ADJ_FIND
    release_word = reinterpret_cast<Error (*)(Word*)>(::dlsym(torch, "torch_delete_stable_ivalue"));
    if (void* const cuda = ::dlopen("libtorch_cuda.so", RTLD_NOW | RTLD_NOLOAD))
      cuda_stream = reinterpret_cast<Error (*)(std::int32_t, void**)>(::dlsym(cuda, "aoti_torch_get_current_cuda_stream"));
    return nullptr;
  }
};

inline Functions torch;

}  // namespace adjoint::torch_abi
