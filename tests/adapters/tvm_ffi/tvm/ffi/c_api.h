// A stand-in for the header of apache-tvm-ffi: what the adapter uses of it, under its names. Numbers and layouts are our own, so that nothing but the names is
// the real ones'; tests/adapters/test_tvm_ffi.py tries the adapter with the real package.
#pragma once

#include <cstddef>
#include <cstdint>

#define TVM_FFI_DLL_EXPORT

enum { kDLCPU = 1, kDLCUDA = 2, kDLOther = 7 };
enum { kDLInt, kDLUInt, kDLFloat, kDLBfloat, kDLBool, kDLComplex, kDLFloat8_e4m3fn = 10, kDLFloat8_e5m2 = 12 };
struct DLDevice {
  int device_type, device_id;
};
struct DLDataType {
  std::uint8_t code, bits;
  std::uint16_t lanes;
};
struct DLTensor {
  void* data;
  DLDevice device;
  std::int32_t ndim;
  DLDataType dtype;
  std::int64_t *shape, *strides;
  std::uint64_t byte_offset;
};

enum {
  kTVMFFINone,
  kTVMFFIInt,
  kTVMFFIBool,
  kTVMFFIBigInt,
  kTVMFFIFloat,
  kTVMFFIOpaquePtr,
  kTVMFFIDataType,
  kTVMFFIDLTensorPtr,
  kTVMFFITensor,
  kTVMFFIRawStr,
  kTVMFFISmallStr,
  kTVMFFISmallBytes,
  kTVMFFIStr,
  kTVMFFIBytes,
  kTVMFFIByteArrayPtr,
  kTVMFFIShape,
  kTVMFFIArray,
  kTVMFFIList,
  kTVMFFIMap
};
struct TVMFFIObject {
  std::int64_t count;
};
struct TVMFFIByteArray {
  const char* data;
  std::size_t size;
};
struct TVMFFIShapeCell {
  const std::int64_t* data;
  std::size_t size;
};
struct TVMFFISeqCell {
  void* data;
  std::int64_t size;
};
struct TVMFFIAny {
  std::int32_t type_index;
  std::uint32_t small_str_len;
  union {
    std::int64_t v_int64;
    double v_float64;
    void* v_ptr;
    const char* v_c_str;
    TVMFFIObject* v_obj;
    DLDataType v_dtype;
    char v_bytes[8];
  };
};

extern "C" {
TVMFFIByteArray TVMFFIBigIntGetContentByteArray(const TVMFFIAny* value);
void TVMFFIErrorSetRaisedFromCStr(const char* kind, const char* message);
}
