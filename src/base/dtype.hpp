// Element types: sizes, names, and the formats of 16 and 8 bits in host arithmetic.
#pragma once

#include <bit>
#include <cstdint>
#include <cstring>
#include <string_view>

#include <adjoint/types.h>

namespace adj {

std::uint32_t size_of(adj_dtype dtype);         // bytes; 0 for an unknown type
const char* dtype_name(adj_dtype dtype);        // "bf16"; null for an unknown type
const char* dtype_c_name(adj_dtype dtype);      // name in kernel sources, "bf16", "i64"; null for an unknown type
adj_dtype dtype_find(std::string_view name);    // by dtype_name
adj_dtype dtype_find_ort(std::string_view name);// "float", "MLFloat16", "BFloat16", "int64_t", ...

struct f16 {
  std::uint16_t bits;
};
struct bf16 {
  std::uint16_t bits;
};
struct f8_e4m3 {
  std::uint8_t bits;
};
struct f8_e5m2 {
  std::uint8_t bits;
};

// Conversions to double are exact; conversions from double round once, to nearest even.
double to_double(f16 h);
double to_double(bf16 b);
double to_double(f8_e4m3 c);
double to_double(f8_e5m2 c);
inline double to_double(float v) { return v; }
inline double to_double(double v) { return v; }
f16 to_f16(double v);
bf16 to_bf16(double v);

// Codes of eight bits. Finite numbers stay finite: beyond the largest code they become that. Infinities become NaN and an infinity; with
// saturate_infinity the largest code. NaN is 0x7f, or 0xff with the sign bit.
f8_e4m3 to_f8_e4m3(double v, bool saturate_infinity = false);
f8_e5m2 to_f8_e5m2(double v, bool saturate_infinity = false);

template <class T> T from_double(double v);
template <> inline double from_double<double>(double v) { return v; }
template <> inline float from_double<float>(double v) { return static_cast<float>(v); }
template <> inline f16 from_double<f16>(double v) { return to_f16(v); }
template <> inline bf16 from_double<bf16>(double v) { return to_bf16(v); }
template <> inline f8_e4m3 from_double<f8_e4m3>(double v) { return to_f8_e4m3(v); }
template <> inline f8_e5m2 from_double<f8_e5m2>(double v) { return to_f8_e5m2(v); }

template <class T> constexpr adj_dtype dtype_of = ADJ_DTYPE_NONE;
template <> inline constexpr adj_dtype dtype_of<float> = ADJ_F32;
template <> inline constexpr adj_dtype dtype_of<double> = ADJ_F64;
template <> inline constexpr adj_dtype dtype_of<f16> = ADJ_F16;
template <> inline constexpr adj_dtype dtype_of<bf16> = ADJ_BF16;
template <> inline constexpr adj_dtype dtype_of<f8_e4m3> = ADJ_F8_E4M3;
template <> inline constexpr adj_dtype dtype_of<f8_e5m2> = ADJ_F8_E5M2;
template <> inline constexpr adj_dtype dtype_of<std::int32_t> = ADJ_I32;
template <> inline constexpr adj_dtype dtype_of<std::int64_t> = ADJ_I64;

// Calls fn with a null pointer to the floating-point type that dtype names; false when dtype is not one.
template <class Fn> bool with_float(adj_dtype dtype, Fn&& fn) {
  switch (dtype) {
    case ADJ_F32: fn(static_cast<float*>(nullptr)); return true;
    case ADJ_F64: fn(static_cast<double*>(nullptr)); return true;
    case ADJ_F16: fn(static_cast<f16*>(nullptr)); return true;
    case ADJ_BF16: fn(static_cast<bf16*>(nullptr)); return true;
    default: return false;
  }
}
template <class Fn> bool with_f8(adj_dtype dtype, Fn&& fn) {
  switch (dtype) {
    case ADJ_F8_E4M3: fn(static_cast<f8_e4m3*>(nullptr)); return true;
    case ADJ_F8_E5M2: fn(static_cast<f8_e5m2*>(nullptr)); return true;
    default: return false;
  }
}
template <class Fn> bool with_index(adj_dtype dtype, Fn&& fn) {
  switch (dtype) {
    case ADJ_I32: fn(static_cast<std::int32_t*>(nullptr)); return true;
    case ADJ_I64: fn(static_cast<std::int64_t*>(nullptr)); return true;
    default: return false;
  }
}

// As with_float, for the integer types; bool counts as u8.
template <class Fn> bool with_integer(adj_dtype dtype, Fn&& fn) {
  switch (dtype) {
    case ADJ_BOOL:
    case ADJ_U8: fn(static_cast<std::uint8_t*>(nullptr)); return true;
    case ADJ_I8: fn(static_cast<std::int8_t*>(nullptr)); return true;
    case ADJ_U16: fn(static_cast<std::uint16_t*>(nullptr)); return true;
    case ADJ_I16: fn(static_cast<std::int16_t*>(nullptr)); return true;
    case ADJ_U32: fn(static_cast<std::uint32_t*>(nullptr)); return true;
    case ADJ_U64: fn(static_cast<std::uint64_t*>(nullptr)); return true;
    default: return with_index(dtype, fn);
  }
}

inline bool is_float(adj_dtype d) { return d == ADJ_F32 || d == ADJ_F64 || d == ADJ_F16 || d == ADJ_BF16; }
inline bool is_16bit_float(adj_dtype d) { return d == ADJ_F16 || d == ADJ_BF16; }
inline bool is_f8(adj_dtype d) { return d == ADJ_F8_E4M3 || d == ADJ_F8_E5M2; }
inline bool is_index(adj_dtype d) { return d == ADJ_I32 || d == ADJ_I64; }

// Reads one element as a double; NaN for an unknown type.
double load_scalar(const void* address, adj_dtype dtype);

}  // namespace adj
