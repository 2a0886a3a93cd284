// Every operator for TVM-FFI: __tvm_ffi_call(operator, name, value, name, value, ...).
#include <tvm/ffi/c_api.h>
#include <tvm/ffi/extra/c_env_api.h>

#include "capi/named_call.hpp"
#include "capi/tvm_ffi/device_memory.hpp"

namespace {

using adjoint::named::Array;
using adjoint::named::Call;
using adjoint::named::Failure;

const void* behind(const TVMFFIAny& value) { return reinterpret_cast<const char*>(value.v_obj) + sizeof(TVMFFIObject); }

std::string_view text_of(const TVMFFIAny& value) {
  switch (value.type_index) {
    case kTVMFFIRawStr: return value.v_c_str;
    case kTVMFFISmallStr:
    case kTVMFFISmallBytes: return {value.v_bytes, value.small_str_len};
    case kTVMFFIStr:
    case kTVMFFIBytes:
    case kTVMFFIByteArrayPtr: {
      const auto* text = static_cast<const TVMFFIByteArray*>(value.type_index == kTVMFFIByteArrayPtr ? value.v_ptr : behind(value));
      return {text->data, text->size};
    }
    default: return {};
  }
}

const DLTensor* tensor_of(const TVMFFIAny& value) {
  if (value.type_index == kTVMFFIDLTensorPtr) return static_cast<const DLTensor*>(value.v_ptr);
  return value.type_index == kTVMFFITensor ? static_cast<const DLTensor*>(behind(value)) : nullptr;
}

std::span<const TVMFFIAny> entries_of(const TVMFFIAny& value) {
  const auto* cell = static_cast<const TVMFFISeqCell*>(behind(value));
  return {static_cast<const TVMFFIAny*>(cell->data), static_cast<std::size_t>(cell->size)};
}

bool is_integer(const TVMFFIAny& v) { return v.type_index == kTVMFFIInt || v.type_index == kTVMFFIBool || v.type_index == kTVMFFIBigInt; }

// Numbers of 2^63 and more, such as seeds, keep their lowest 64 bits.
std::int64_t integer_of(const TVMFFIAny& value) {
  if (value.type_index != kTVMFFIBigInt) return value.v_int64;
  std::int64_t word = 0;
  std::memcpy(&word, TVMFFIBigIntGetContentByteArray(&value).data, sizeof word);
  return word;
}

// 0 for a type that the library has not.
adj_dtype dtype_of(DLDataType type) {
  if (type.lanes != 1) return ADJ_DTYPE_NONE;
  const auto of_size = [&](adj_dtype b1, adj_dtype b2, adj_dtype b4, adj_dtype b8) -> adj_dtype {
    return type.bits == 8 ? b1 : type.bits == 16 ? b2 : type.bits == 32 ? b4 : type.bits == 64 ? b8 : ADJ_DTYPE_NONE;
  };
  switch (type.code) {
    case kDLInt: return of_size(ADJ_I8, ADJ_I16, ADJ_I32, ADJ_I64);
    case kDLUInt: return of_size(ADJ_U8, ADJ_U16, ADJ_U32, ADJ_U64);
    case kDLFloat: return of_size(ADJ_DTYPE_NONE, ADJ_F16, ADJ_F32, ADJ_F64);
    case kDLBfloat: return of_size(ADJ_DTYPE_NONE, ADJ_BF16, ADJ_DTYPE_NONE, ADJ_DTYPE_NONE);
    case kDLFloat8_e4m3fn: return of_size(ADJ_F8_E4M3, ADJ_DTYPE_NONE, ADJ_DTYPE_NONE, ADJ_DTYPE_NONE);
    case kDLFloat8_e5m2: return of_size(ADJ_F8_E5M2, ADJ_DTYPE_NONE, ADJ_DTYPE_NONE, ADJ_DTYPE_NONE);
    case kDLBool: return of_size(ADJ_BOOL, ADJ_DTYPE_NONE, ADJ_DTYPE_NONE, ADJ_DTYPE_NONE);
    default: return ADJ_DTYPE_NONE;
  }
}

struct Place {  // where the arrays lie
  std::int32_t type = 0, device = 0;
  std::string argument;  // the first of them
};

Array array_of(const Call& call, const std::string& name, const TVMFFIAny& value, Place& place) {
  const DLTensor* t = tensor_of(value);
  if (!t) call.refuse(name, "has an entry that is not an array");
  const adj_dtype dtype = dtype_of(t->dtype);
  if (dtype == ADJ_DTYPE_NONE) call.refuse(name, "has an element type that the library has not", ADJ_ERROR_DTYPE_MISMATCH);
  const DLDevice d = t->device;
  if (d.device_type != kDLCPU && d.device_type != kDLCUDA) call.refuse(name, "lies neither in ordinary memory nor on a CUDA device");
  if (const adj_argument* a = call.argument(name); a && a->host) {
    if (d.device_type != kDLCPU) call.refuse(name, "must lie in ordinary memory");
  } else if (place.argument.empty()) {
    place = {d.device_type, d.device_id, name};
  } else if (place.type != d.device_type || place.device != d.device_id) {
    call.refuse(name, "and " + place.argument + " lie on different devices");
  }
  return {static_cast<char*>(t->data) + t->byte_offset, dtype, t->ndim, t->shape, t->strides};
}

void pass(Call& call, const std::string& name, const TVMFFIAny& value, Place& place) {
  if (value.type_index == kTVMFFINone) return;
  if (tensor_of(value)) {
    const Array array = array_of(call, name, value, place);
    return call.give(name, {&array, 1});
  }
  if (is_integer(value)) return call.set(name, integer_of(value));
  if (value.type_index == kTVMFFIFloat) return call.set(name, value.v_float64);
  if (value.type_index == kTVMFFIOpaquePtr) return call.set(name, static_cast<std::int64_t>(reinterpret_cast<std::intptr_t>(value.v_ptr)));
  if (value.type_index == kTVMFFIDataType) {
    const adj_dtype dtype = dtype_of(value.v_dtype);  // 0 would count as not given
    if (dtype == ADJ_DTYPE_NONE) call.refuse(name, "is an element type that the library has not", ADJ_ERROR_DTYPE_MISMATCH);
    return call.set(name, std::int64_t{dtype});
  }
  if (value.type_index == kTVMFFIShape) {
    const auto* shape = static_cast<const TVMFFIShapeCell*>(behind(value));
    return call.set(name, std::span(shape->data, shape->size));
  }
  if (value.type_index != kTVMFFIArray && value.type_index != kTVMFFIList) {
    if (const std::string_view text = text_of(value); text.data()) return call.set(name, text);
    call.refuse(name, "is neither an array, a number, a text nor a list of these");
  }
  const std::span<const TVMFFIAny> entries = entries_of(value);
  const adj_argument* argument = call.argument(name);
  if (argument && argument->kind == ADJ_ARGUMENT_LIST) {
    std::vector<Array> arrays;
    for (const TVMFFIAny& entry : entries) arrays.push_back(array_of(call, name, entry, place));
    return call.give(name, arrays);
  }
  std::vector<std::int64_t> integers;
  std::vector<double> reals;
  for (const TVMFFIAny& entry : entries) {
    if (is_integer(entry)) integers.push_back(integer_of(entry));
    else if (entry.type_index != kTVMFFIFloat) call.refuse(name, "has an entry that is not a number");
    reals.push_back(is_integer(entry) ? static_cast<double>(integer_of(entry)) : entry.v_float64);
  }
  if (integers.size() == reals.size()) call.set(name, std::span<const std::int64_t>(integers));
  else call.set(name, std::span<const double>(reals));
}

void call_operator(const TVMFFIAny* args, int count) {
  if (count < 1 || text_of(args[0]).empty() || count % 2 == 0)
    throw Failure(ADJ_ERROR_INVALID_ARGUMENT, "adjoint: a call takes the name of an operator, and then names and values by turns");
  Call call{std::string(text_of(args[0]))};
  Place place;
  for (int i = 1; i < count; i += 2) {
    if (text_of(args[i]).empty()) throw Failure(ADJ_ERROR_INVALID_ARGUMENT, call.op().name + ": argument " + std::to_string(i) + " of the call is not a name");
    pass(call, std::string(text_of(args[i])), args[i + 1], place);
  }
  if (place.type != kDLCUDA) return call.run(adj_stream_host(), adjoint::named::HostMemory{});
  adj_stream stream;
  adjoint::named::check(adj_stream_wrap(TVMFFIEnvGetStream(place.type, place.device), &stream));
  if (stream.device != place.device)
    call.refuse(place.argument,
                "lies on CUDA device " + std::to_string(place.device) + ", and the environment's stream belongs to device " + std::to_string(stream.device),
                ADJ_ERROR_STREAM_MISMATCH);
  call.run(stream, [&](std::uint64_t bytes) { return adjoint::DeviceMemory::take(bytes, stream); });
}

}  // namespace

extern "C" TVM_FFI_DLL_EXPORT int __tvm_ffi_call(void*, const TVMFFIAny* args, std::int32_t count, TVMFFIAny* result) {
  try {
    call_operator(args, count);
    result->type_index = kTVMFFINone;
    result->v_int64 = 0;
    return 0;
  } catch (const Failure& failure) {
    const char* kind = adjoint::named::is_invalid(failure.code) ? "ValueError" : failure.code == ADJ_ERROR_OUT_OF_MEMORY ? "MemoryError" : "RuntimeError";
    TVMFFIErrorSetRaisedFromCStr(kind, failure.what());
  } catch (const std::bad_alloc&) {
    TVMFFIErrorSetRaisedFromCStr("MemoryError", "adjoint: no memory for the arguments of a call");
  } catch (const std::exception& other) { TVMFFIErrorSetRaisedFromCStr("RuntimeError", other.what()); } catch (...) {
    TVMFFIErrorSetRaisedFromCStr("RuntimeError", "adjoint: an exception of unknown type");
  }
  return -1;
}
