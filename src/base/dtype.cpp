#include "base/dtype.hpp"

#include <array>
#include <cmath>

namespace adj {

namespace {
struct Row {
  adj_dtype dtype;
  std::uint32_t size;
  const char* name;
  const char* ort;
};
constexpr std::array<Row, 13> kRows{{
    {ADJ_F32, 4, "f32", "float"},
    {ADJ_F64, 8, "f64", "double"},
    {ADJ_F16, 2, "f16", "MLFloat16"},
    {ADJ_BF16, 2, "bf16", "BFloat16"},
    {ADJ_I32, 4, "i32", "int32_t"},
    {ADJ_I64, 8, "i64", "int64_t"},
    {ADJ_U8, 1, "u8", "uint8_t"},
    {ADJ_I8, 1, "i8", "int8_t"},
    {ADJ_U16, 2, "u16", "uint16_t"},
    {ADJ_I16, 2, "i16", "int16_t"},
    {ADJ_BOOL, 1, "bool", "bool"},
    {ADJ_U32, 4, "u32", "uint32_t"},
    {ADJ_U64, 8, "u64", "uint64_t"},
}};
const Row* find(adj_dtype dtype) {
  for (const Row& row : kRows)
    if (row.dtype == dtype) return &row;
  return nullptr;
}

constexpr int kDoubleMantissa = 52, kDoubleBias = 1023;
double power_of_two(int exponent) { return std::bit_cast<double>(static_cast<std::uint64_t>(exponent + kDoubleBias) << kDoubleMantissa); }

// Bits of v rounded to nearest even in a 16-bit format with `mantissa` stored bits and exponents of normal numbers from min_exponent to
// max_exponent. It rounds the double directly: a step through f32 would round twice.
std::uint16_t encode(double v, int mantissa, int min_exponent, int max_exponent) {
  const std::uint64_t raw = std::bit_cast<std::uint64_t>(v), size = raw & ~(std::uint64_t{1} << 63);
  const auto sign = static_cast<std::uint16_t>((raw >> 63) << 15);
  const auto inf = static_cast<std::uint64_t>(max_exponent - min_exponent + 2) << mantissa;
  if (std::isnan(v)) return static_cast<std::uint16_t>(sign | inf | (1u << (mantissa - 1)));
  std::uint64_t code;
  if (static_cast<int>(size >> kDoubleMantissa) - kDoubleBias >= min_exponent) {
    // Exponent and mantissa are shifted together, so that a carry out of the mantissa increments the exponent.
    const int shift = kDoubleMantissa - mantissa;
    const std::uint64_t half = (std::uint64_t{1} << (shift - 1)) - 1 + (size >> shift & 1);
    code = ((size + half) >> shift) - (static_cast<std::uint64_t>(kDoubleBias + min_exponent - 1) << mantissa);
  } else {
    // Subnormal result: the value in units of its last place. Adding 2^52 rounds it to an integer.
    const double units = std::bit_cast<double>(size) * power_of_two(mantissa - min_exponent) + power_of_two(kDoubleMantissa);
    code = std::bit_cast<std::uint64_t>(units) & ((std::uint64_t{1} << kDoubleMantissa) - 1);
  }
  return static_cast<std::uint16_t>(sign | std::min(code, inf));
}

double decode(std::uint16_t bits, int mantissa, int min_exponent, int max_exponent) {
  const int field = (bits & 0x7fff) >> mantissa;
  const std::uint64_t fraction = bits & ((1u << mantissa) - 1);
  double v;
  if (field == max_exponent - min_exponent + 2) v = fraction ? std::nan("") : INFINITY;
  else if (field == 0) v = static_cast<double>(fraction) * power_of_two(min_exponent - mantissa);
  else
    v = std::bit_cast<double>((static_cast<std::uint64_t>(field - 1 + min_exponent + kDoubleBias) << kDoubleMantissa) |
                              (fraction << (kDoubleMantissa - mantissa)));
  return (bits & 0x8000) ? -v : v;
}
}  // namespace

std::uint32_t size_of(adj_dtype dtype) {
  const Row* row = find(dtype);
  return row ? row->size : 0;
}
const char* dtype_name(adj_dtype dtype) {
  const Row* row = find(dtype);
  return row ? row->name : nullptr;
}
const char* dtype_c_name(adj_dtype dtype) { return dtype == ADJ_BOOL ? "u8" : dtype_name(dtype); }
adj_dtype dtype_find(std::string_view name) {
  for (const Row& row : kRows)
    if (name == row.name) return row.dtype;
  return ADJ_DTYPE_NONE;
}
adj_dtype dtype_find_ort(std::string_view name) {
  for (const Row& row : kRows)
    if (name == row.ort) return row.dtype;
  return ADJ_DTYPE_NONE;
}

double to_double(f16 h) { return decode(h.bits, 10, -14, 15); }
double to_double(bf16 b) { return static_cast<double>(std::bit_cast<float>(static_cast<std::uint32_t>(b.bits) << 16)); }
f16 to_f16(double v) { return {encode(v, 10, -14, 15)}; }
bf16 to_bf16(double v) { return {encode(v, 7, -126, 127)}; }

double load_scalar(const void* address, adj_dtype dtype) {
  double value = std::nan("");
  auto read = [&](auto* type) {
    std::remove_pointer_t<decltype(type)> v;
    std::memcpy(&v, address, sizeof v);
    if constexpr (std::is_integral_v<decltype(v)>) value = static_cast<double>(v);
    else value = to_double(v);
  };
  if (!with_float(dtype, read)) with_integer(dtype, read);
  return value;
}

}  // namespace adj
