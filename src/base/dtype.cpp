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
constexpr std::array<Row, 16> kRows{{
    {ADJ_F32, 4, "f32", "float"},
    {ADJ_F64, 8, "f64", "double"},
    {ADJ_F16, 2, "f16", "MLFloat16"},
    {ADJ_BF16, 2, "bf16", "BFloat16"},
    {ADJ_F8_E4M3, 1, "f8_e4m3", "Float8E4M3FN"},
    {ADJ_F8_E5M2, 1, "f8_e5m2", "Float8E5M2"},
    {ADJ_F8_E8M0, 1, "f8_e8m0", "Float8E8M0"},
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

// |v|, which is finite, rounded to nearest even in a format with `mantissa` stored bits and normal numbers from 2^min_exponent on: its bits, as if
// exponents had no end. It rounds the double directly: a step through f32 would round twice.
std::uint64_t round_size(double v, int mantissa, int min_exponent) {
  const std::uint64_t size = std::bit_cast<std::uint64_t>(v) & ~(std::uint64_t{1} << 63);
  if (static_cast<int>(size >> kDoubleMantissa) - kDoubleBias >= min_exponent) {
    // Exponent and mantissa are shifted together, so that a carry out of the mantissa increments the exponent.
    const int shift = kDoubleMantissa - mantissa;
    const std::uint64_t half = (std::uint64_t{1} << (shift - 1)) - 1 + (size >> shift & 1);
    return ((size + half) >> shift) - (static_cast<std::uint64_t>(kDoubleBias + min_exponent - 1) << mantissa);
  } else {
    // Subnormal result: the value in units of its last place. Adding 2^52 rounds it to an integer.
    const double units = std::bit_cast<double>(size) * power_of_two(mantissa - min_exponent) + power_of_two(kDoubleMantissa);
    return std::bit_cast<std::uint64_t>(units) & ((std::uint64_t{1} << kDoubleMantissa) - 1);
  }
}

// Bits of v in a 16-bit format whose normal numbers have exponents from min_exponent to max_exponent.
std::uint16_t encode(double v, int mantissa, int min_exponent, int max_exponent) {
  const auto sign = static_cast<std::uint16_t>(std::signbit(v) << 15);
  const auto inf = static_cast<std::uint64_t>(max_exponent - min_exponent + 2) << mantissa;
  if (std::isnan(v)) return static_cast<std::uint16_t>(sign | inf | (1u << (mantissa - 1)));
  return static_cast<std::uint16_t>(sign | (std::isinf(v) ? inf : std::min(round_size(v, mantissa, min_exponent), inf)));
}

// Bits of v in a format of eight bits; `largest` is the code of its largest number, `infinity` what an infinity becomes.
std::uint8_t encode_f8(double v, int mantissa, int min_exponent, std::uint8_t largest, std::uint8_t infinity) {
  const int sign = std::signbit(v) << 7;
  const std::uint64_t code = std::isnan(v) ? 0x7f : std::isinf(v) ? infinity : std::min<std::uint64_t>(round_size(v, mantissa, min_exponent), largest);
  return static_cast<std::uint8_t>(sign | static_cast<int>(code));
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

// f8_e5m2 is the upper half of f16. f8_e4m3 has numbers where an IEEE format has infinities and NaN, but for its last code.
double to_double(f8_e5m2 c) { return to_double(f16{static_cast<std::uint16_t>(c.bits << 8)}); }
double to_double(f8_e4m3 c) {
  if ((c.bits & 0x7f) == 0x7f) return std::copysign(std::nan(""), c.bits & 0x80 ? -1.0 : 1.0);
  const std::uint16_t wide = static_cast<std::uint16_t>((c.bits & 0x80) << 8 | (c.bits & 0x7f));
  return decode(wide, 3, -6, 15);
}
constexpr std::uint8_t kLargestE4m3 = 0x7e, kLargestE5m2 = 0x7b, kInfinityE5m2 = 0x7c, kNanF8 = 0x7f;
f8_e4m3 to_f8_e4m3(double v, bool saturate_infinity) { return {encode_f8(v, 3, -6, kLargestE4m3, saturate_infinity ? kLargestE4m3 : kNanF8)}; }
f8_e5m2 to_f8_e5m2(double v, bool saturate_infinity) { return {encode_f8(v, 2, -14, kLargestE5m2, saturate_infinity ? kLargestE5m2 : kInfinityE5m2)}; }

double load_scalar(const void* address, adj_dtype dtype) {
  double value = std::nan("");
  auto read = [&](auto* type) {
    std::remove_pointer_t<decltype(type)> v;
    std::memcpy(&v, address, sizeof v);
    if constexpr (std::is_integral_v<decltype(v)>) value = static_cast<double>(v);
    else value = to_double(v);
  };
  if (!with_float(dtype, read) && !with_f8(dtype, read)) with_integer(dtype, read);
  return value;
}

}  // namespace adj
