// Products of small matrices, which tensor cores compute on a GPU.
#include <bit>
#include <cmath>
#include <cstring>
#include <limits>

#include "matrix.hpp"
#include "simulator.hpp"

namespace simt {

float f16_to_f32(unsigned short bits) {
  const u32 sign = (bits & 0x8000u) << 16;
  const u32 exponent = (bits >> 10) & 31, fraction = bits & 0x3ffu;
  if (exponent == 31) return std::bit_cast<float>(sign | 0x7f800000u | (fraction << 13) | (fraction ? 0x400000u : 0u));
  const float magnitude =
      exponent ? std::ldexp(static_cast<float>(1024 + fraction), static_cast<int>(exponent) - 25) : std::ldexp(static_cast<float>(fraction), -24);
  return sign ? -magnitude : magnitude;
}

namespace {
// Rounds to a format with `digits` bits of significand and a least exponent, to nearest even.
double round_to(double v, int digits, int least) {
  int exponent = 0;
  std::frexp(v, &exponent);
  const int unit = std::max(exponent - digits, least);
  return std::ldexp(std::nearbyint(std::ldexp(v, -unit)), unit);
}
}  // namespace

void from_lanes(Bits mine, Bits (&all)[32]) {
  m.together("a load of matrices", &mine, [&](auto of) {
    for (u32 lane = 0; lane < kWarp; ++lane) std::memcpy(&all[lane], of(lane), sizeof(Bits));
  });
}
namespace {
const std::vector<float>& all_halves() {
  static const auto* table = [] {
    auto* values = new std::vector<float>;
    for (u32 bits = 0; bits < 65536; ++bits) values->push_back(f16_to_f32(static_cast<unsigned short>(bits)));
    return values;
  }();
  return *table;
}
}  // namespace
void multiply_add_matrices(bool bf16, float (&c)[4], const unsigned (&a)[4], const unsigned (&b)[2]) {
  const std::vector<float>& halves = all_halves();
  struct Operands {
    unsigned a[4], b[2];
  } mine;
  std::memcpy(mine.a, a, sizeof mine.a);
  std::memcpy(mine.b, b, sizeof mine.b);
  m.together(bf16 ? "a product of bf16 matrices" : "a product of f16 matrices", &mine, [&](auto of) {
    const u32 lane = m.self()->lane(), row = lane / 4, column = lane % 4 * 2;
    for (u32 k = 0; k < 16; ++k) {
      const auto number = [&](unsigned word) {
        const u32 bits = k % 2 ? word >> 16 : word & 0xffffu;
        return bf16 ? std::bit_cast<float>(bits << 16) : halves[bits];
      };
      const auto& of_row = *static_cast<const Operands*>(of(row * 4 + k % 8 / 2));
      for (u32 j = 0; j < 2; ++j) {
        const float factor = number(static_cast<const Operands*>(of((column + j) * 4 + k % 8 / 2))->b[k / 8]);
        for (u32 i = 0; i < 2; ++i) c[2 * i + j] = std::fma(number(of_row.a[2 * (k / 8) + i]), factor, c[2 * i + j]);
      }
    }
  });
}

void multiply_add_shared_matrices(bool bf16, float (&c)[32][4], int thread, const SharedMatrix& a, const SharedMatrix& b) {
  const auto& halves = all_halves();
  const auto number = [&](Bits address) {
    unsigned short bits;
    std::memcpy(&bits, reinterpret_cast<const void*>(address), sizeof bits);
    return bf16 ? std::bit_cast<float>(static_cast<u32>(bits) << 16) : halves[bits];
  };
  const int row = thread / 32 * 16 + thread % 32 / 4, column = thread % 4 * 2;
  for (int k = 0; k < 16; ++k) {
    const float factors[2] = {number(a.address(row, k)), number(a.address(row + 8, k))};
    for (int j = 0; j < 64; ++j) {
      const float other = number(b.address(j / 2 * 8 + column + j % 2, k));
      for (int i = 0; i < 2; ++i) c[j / 2][2 * i + j % 2] = std::fma(factors[i], other, c[j / 2][2 * i + j % 2]);
    }
  }
}

unsigned short f64_to_f16(double v) {
  if (std::isnan(v)) return 0x7fff;
  const unsigned sign = std::signbit(v) ? 0x8000u : 0u;
  const double r = std::isinf(v) ? v : round_to(std::fabs(v), 11, -24);
  const double a = std::fabs(r);
  if (a >= 65536) return static_cast<unsigned short>(sign | 0x7c00u);
  if (a < 0x1p-14) return static_cast<unsigned short>(sign | static_cast<unsigned>(std::ldexp(a, 24)));
  int exponent = 0;
  std::frexp(a, &exponent);
  const auto fraction = static_cast<unsigned>(std::ldexp(a, 11 - exponent)) - 1024;
  return static_cast<unsigned short>(sign | static_cast<unsigned>(exponent + 14) << 10 | fraction);
}
unsigned short f32_to_bf16(float v) {
  if (std::isnan(v)) return 0x7fff;
  const u32 bits = std::bit_cast<u32>(v);
  return static_cast<unsigned short>((bits + 0x7fffu + (bits >> 16 & 1u)) >> 16);
}

float f8_to_f32(unsigned char code, bool e5m2) {
  const int mantissa = e5m2 ? 2 : 3, bias = e5m2 ? 15 : 7, size = code & 0x7f, field = size >> mantissa, fraction = size & ((1 << mantissa) - 1);
  float v = field == 0 ? std::ldexp(static_cast<float>(fraction), 1 - bias - mantissa)
                       : std::ldexp(static_cast<float>((1 << mantissa) + fraction), field - bias - mantissa);
  if (e5m2 ? size > 0x7c : size == 0x7f) v = std::numeric_limits<float>::quiet_NaN();
  else if (e5m2 && size == 0x7c) v = std::numeric_limits<float>::infinity();
  return code & 0x80 ? -v : v;
}

// The nearest of the finite codes, by search.
unsigned char f32_to_f8(float v, bool e5m2) {
  if (std::isnan(v)) return 0x7f;
  const int largest = e5m2 ? 0x7b : 0x7e;
  const double size = std::fabs(static_cast<double>(v));
  int low = 0, high = largest;
  while (low < high) {  // the last code that is not above
    const int middle = (low + high + 1) / 2;
    if (static_cast<double>(f8_to_f32(static_cast<unsigned char>(middle), e5m2)) <= size) low = middle;
    else high = middle - 1;
  }
  if (low < largest) {
    const double below = size - static_cast<double>(f8_to_f32(static_cast<unsigned char>(low), e5m2));
    const double above = static_cast<double>(f8_to_f32(static_cast<unsigned char>(low + 1), e5m2)) - size;
    if (above < below || (above == below && low % 2 != 0)) ++low;
  }
  return static_cast<unsigned char>(low | (std::signbit(v) ? 0x80 : 0));
}

}  // namespace simt
