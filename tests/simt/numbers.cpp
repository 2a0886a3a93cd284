// Products of small matrices, which tensor cores compute on a GPU.
#include <algorithm>
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

void begin_product(const Product& product) {
  Thread& t = *m.self();
  t.products.push_back(product);
  t.products.back().group = t.product_groups;
}

void close_products() { ++m.self()->product_groups; }

namespace {

// Reads a vector of a matrix of so many rows or columns.
void touch(const SharedMatrix& matrix, int extent, int vector) {
  const int vectors = (matrix.transposed ? extent : 16) / 8, row = vector / vectors, other = vector % vectors * 8;
  m.read_by_proxy(reinterpret_cast<const void*>(matrix.transposed ? matrix.address(other, row) : matrix.address(row, other)), 16);
}

// The threads of the warpgroup share the checks of accesses.
void execute(const Product& p) {
  constexpr int kThreads = 128, kRows = 64;
  const int thread = static_cast<int>(m.self()->index) % kThreads, lane = thread % 32, row = thread / 32 * 16 + lane / 4, column = lane % 4 * 2;
  if (!p.registers) touch(p.a, kRows, thread);
  for (int vector = thread; vector < p.columns * 2; vector += kThreads) touch(p.b, p.columns, vector);
  const auto& halves = all_halves();
  const auto number = [&](u32 bits) { return p.bf16 ? std::bit_cast<float>(bits << 16) : halves[bits]; };
  const auto in_memory = [&](Bits address) {
    unsigned short bits;
    std::memcpy(&bits, reinterpret_cast<const void*>(address), sizeof bits);
    return number(bits);
  };
  float factors[16][2];  // of the two rows
  if (!p.registers) {
    for (int k = 0; k < 16; ++k)
      for (int i = 0; i < 2; ++i) factors[k][i] = in_memory(p.a.address(row + i * 8, k));
  } else {
    m.together("a product of matrices in registers", p.registers, [&](auto of) {
      for (u32 k = 0; k < 16; ++k)
        for (u32 i = 0; i < 2; ++i) {
          const u32 word = static_cast<const unsigned*>(of(static_cast<u32>(lane) / 4 * 4 + k % 8 / 2))[2 * (k / 8) + i];
          factors[k][i] = number(k % 2 ? word >> 16 : word & 0xffffu);
        }
    });
  }
  if (!p.adds) std::fill(p.c, p.c + p.columns / 2, 0.0f);
  for (int k = 0; k < 16; ++k)
    for (int j = 0; j < p.columns / 4; ++j) {
      const float other = in_memory(p.b.address(j / 2 * 8 + column + j % 2, k));
      for (int i = 0; i < 2; ++i) {
        float& c = p.c[j / 2 * 4 + 2 * i + j % 2];
        c = std::fma(factors[k][i], other, c);
      }
    }
}

}  // namespace

void wait_products_but(u32 open) {
  Thread& t = *m.self();
  std::size_t done = 0;
  for (; done < t.products.size() && t.products[done].group + open < t.product_groups; ++done) execute(t.products[done]);
  t.products.erase(t.products.begin(), t.products.begin() + static_cast<std::ptrdiff_t>(done));
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
