#include "host/gist.hpp"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>

#include "base/dtype.hpp"

namespace adj::host {

namespace {

constexpr std::int64_t kTile = 8;

double get(const void* array, std::int64_t i, adj_dtype type) {
  if (type == ADJ_BOOL) return static_cast<const std::uint8_t*>(array)[i] != 0;
  return load_scalar(static_cast<const char*>(array) + i * static_cast<std::int64_t>(size_of(type)), type);
}
// Stores a number that is not a NaN; set_nan stores those.
void set(void* array, std::int64_t i, adj_dtype type, double v) {
  if (type == ADJ_BOOL) static_cast<std::uint8_t*>(array)[i] = v != 0;
  else
    with_float(type, [&](auto* element) {
      static_cast<std::remove_pointer_t<decltype(element)>*>(array)[i] = from_double<std::remove_pointer_t<decltype(element)>>(v);
    });
}
void set_nan(void* array, std::int64_t i, adj_dtype type, bool negative) {
  if (type == ADJ_F32) static_cast<std::uint32_t*>(array)[i] = (negative ? 0x80000000u : 0) | 0x7fc00000u;
  else static_cast<std::uint16_t*>(array)[i] = static_cast<std::uint16_t>((negative ? 0x8000 : 0) | (type == ADJ_F16 ? 0x7e00 : 0x7fc0));
}
bool negative(double v) { return std::signbit(v); }

// Format E5M2: two bits of fraction, exponents from -14 to 15.
std::uint8_t to_e5m2(double v, bool saturate) {
  const int sign = negative(v) ? 0x80 : 0;
  if (std::isnan(v)) return static_cast<std::uint8_t>(sign | 0x7f);
  if (std::isinf(v)) return static_cast<std::uint8_t>(sign | 0x7c);
  const double a = std::fabs(v);
  if (a == 0) return static_cast<std::uint8_t>(sign);
  const int exponent = std::max(std::ilogb(a), -14);
  const int code = ((exponent + 14) << 2) + static_cast<int>(std::nearbyint(std::ldexp(a, 2 - exponent)));
  return static_cast<std::uint8_t>(sign | std::min(code, saturate ? 0x7b : 0x7c));
}
double from_e5m2(std::uint8_t code) {
  const int exponent = code >> 2 & 31, fraction = code & 3;
  const double a = exponent == 31  ? std::numeric_limits<double>::infinity()
                   : exponent == 0 ? std::ldexp(fraction, -16)
                                   : std::ldexp(4 + fraction, exponent - 17);
  return code & 0x80 ? -a : a;
}

std::uint8_t to_reference(const void* array, std::int64_t i, adj_dtype type) {
  const double v = get(array, i, type);
  if (v == 0) return 0;
  // The reference applies masks made for the bits of a half to its value in f32: the exponent is always out of range, the fraction 0. Only the
  // sign is left.
  if (type == ADJ_F16) return static_cast<std::uint8_t>(negative(v) ? 0x80 : 0);
  std::uint32_t u;  // read as bits: a conversion of the number would set the highest bit of a signalling NaN's fraction
  std::memcpy(&u, static_cast<const float*>(array) + i, 4);
  const std::uint32_t s = u >> 31;
  const std::uint32_t e = ((u >> 23) & 255) - 127, m = u & 0x7FFFFF;
  std::uint32_t p = e >> 3, q = m >> 21;
  if (m & 0x00080000) {
    if (q == 3) p += 1, q = 0;
    else q += 1;
  }
  if (p >= 31) p = 0;
  return static_cast<std::uint8_t>((s << 7 | p << 2 | q) & 255);
}
double from_reference(std::uint8_t code, adj_dtype type) {
  const int p = code >> 2 & 31, q = code & 3;
  if (type == ADJ_F16) return code == 0x80 ? -0.0 : 0.0;
  if (code == 0 || p > 17 || (p == 17 && q > 0)) return 0;
  const double a = p == 0 ? std::ldexp(127 + q * 0x1p21, -149) : std::ldexp(1 + q * 0.25 + 127 * 0x1p-23, 8 * p - 127);
  return code & 0x80 ? -a : a;
}

struct Rows {
  std::int64_t outer, inner;
  std::int64_t tiles() const { return (inner + kTile - 1) / kTile; }
};

void encode_msfp15(const Rows& rows, const void* input, adj_dtype type, std::uint8_t* packed) {
  for (std::int64_t row = 0; row < rows.outer; ++row)
    for (std::int64_t tile = 0; tile < rows.tiles(); ++tile) {
      double x[kTile] = {};
      for (std::int64_t i = 0; i < kTile && tile * kTile + i < rows.inner; ++i) x[i] = get(input, row * rows.inner + tile * kTile + i, type);
      int shared = 0;  // biased
      for (double v : x) shared = std::max(shared, !std::isfinite(v) ? 255 : std::fabs(v) < 0x1p-126 ? 0 : std::ilogb(v) + 127);
      for (int i = 0; i < kTile; ++i) {
        int code = 0;
        if (shared < 255 && std::fabs(x[i]) >= 0x1p-126)
          code = (negative(x[i]) ? 64 : 0) | static_cast<int>(std::min(63.0, std::floor(std::ldexp(std::fabs(x[i]), 132 - shared) + 0.5)));
        if (shared < 255) code |= (shared >> i & 1) << 7;
        *packed++ = static_cast<std::uint8_t>(code);
      }
    }
}
void decode_msfp15(const Rows& rows, const std::uint8_t* packed, adj_dtype type, void* out) {
  for (std::int64_t row = 0; row < rows.outer; ++row)
    for (std::int64_t tile = 0; tile < rows.tiles(); ++tile, packed += kTile) {
      int shared = 0;
      for (int i = 0; i < kTile; ++i) shared += (packed[i] >> 7) << i;
      for (std::int64_t i = 0; i < kTile && tile * kTile + i < rows.inner; ++i) {
        const int bits = packed[i] & 63;
        const double a = shared == 255 ? std::numeric_limits<double>::infinity() : std::ldexp(bits, shared - 132);
        set(out, row * rows.inner + tile * kTile + i, type, bits == 0 ? 0 : packed[i] & 64 ? -a : a);
      }
    }
}

}  // namespace

void gist_encode(const adj_gist_encode_descriptor& d, const adj_gist_encode_args& a, void*) {
  const Rows rows{d.outer, d.inner};
  auto* bytes = static_cast<std::uint8_t*>(a.packed.data);
  if (d.format == ADJ_GIST_FORMAT_MSFP15) return encode_msfp15(rows, a.input.data, d.element, bytes);
  const std::int64_t count = d.outer * d.inner;
  if (d.format == ADJ_GIST_FORMAT_PACK1) std::fill_n(bytes, (count + 7) / 8, std::uint8_t{0});
  for (std::int64_t i = 0; i < count; ++i) {
    const double x = get(a.input.data, i, d.element);
    switch (d.format) {
      case ADJ_GIST_FORMAT_BINARIZE: bytes[i] = x > 0; break;
      case ADJ_GIST_FORMAT_PACK1:
        if (x > 0) bytes[i / 8] = static_cast<std::uint8_t>(bytes[i / 8] | 0x80 >> i % 8);
        break;
      case ADJ_GIST_FORMAT_PACK8:
      case ADJ_GIST_FORMAT_PACK8_SATURATED: bytes[i] = to_e5m2(x, d.format == ADJ_GIST_FORMAT_PACK8_SATURATED); break;
      case ADJ_GIST_FORMAT_PACK8_REFERENCE: bytes[i] = to_reference(a.input.data, i, d.element); break;
      default: {
        const adj_dtype type = d.format == ADJ_GIST_FORMAT_PACK16 ? ADJ_F16 : ADJ_BF16;
        if (std::isnan(x)) set_nan(a.packed.data, i, type, negative(x));
        else set(a.packed.data, i, type, x);
      }
    }
  }
}

void gist_decode(const adj_gist_decode_descriptor& d, const adj_gist_decode_args& a, void*) {
  const Rows rows{d.outer, d.inner};
  const auto* bytes = static_cast<const std::uint8_t*>(a.packed.data);
  if (d.format == ADJ_GIST_FORMAT_MSFP15) return decode_msfp15(rows, bytes, d.element, a.out.data);
  for (std::int64_t i = 0; i < d.outer * d.inner; ++i) {
    double x = 0;
    switch (d.format) {
      case ADJ_GIST_FORMAT_BINARIZE: x = bytes[i] != 0; break;
      case ADJ_GIST_FORMAT_PACK1: x = bytes[i / 8] >> (7 - i % 8) & 1; break;
      case ADJ_GIST_FORMAT_PACK8:
      case ADJ_GIST_FORMAT_PACK8_SATURATED:
        if (d.element == ADJ_F16) {
          static_cast<std::uint16_t*>(a.out.data)[i] = static_cast<std::uint16_t>(bytes[i] << 8);
          continue;
        }
        x = (bytes[i] & 0x7f) > 0x7c ? std::copysign(std::nan(""), bytes[i] & 0x80 ? -1.0 : 1.0) : from_e5m2(bytes[i]);
        break;
      case ADJ_GIST_FORMAT_PACK8_REFERENCE: x = from_reference(bytes[i], d.element); break;
      default: {
        const adj_dtype type = d.format == ADJ_GIST_FORMAT_PACK16 ? ADJ_F16 : ADJ_BF16;
        x = get(a.packed.data, i, type);
        if (std::isnan(x)) x = std::copysign(x, static_cast<const std::uint16_t*>(a.packed.data)[i] >> 15 ? -1.0 : 1.0);
      }
    }
    if (std::isnan(x)) set_nan(a.out.data, i, d.element, negative(x));
    else set(a.out.data, i, d.element, x);
  }
}

}  // namespace adj::host
