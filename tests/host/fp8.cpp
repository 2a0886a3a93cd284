// Numbers of eight bits: conversions against a search over all codes, scales against their definition, and the operators against both.
#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>
#include <limits>
#include <random>
#include <vector>

#include <adjoint/ops/fp8.h>
#include <adjoint/ops/matmul.h>
#include <doctest/doctest.h>

#include "host/fp8.hpp"
#include "support.hpp"

namespace {

using namespace support;

constexpr double kInfinity = std::numeric_limits<double>::infinity();

// The number of a code, from the table of the format alone.
double number_of(int code, bool e5m2) {
  const int mantissa = e5m2 ? 2 : 3, bias = e5m2 ? 15 : 7, size = code & 0x7f, exponent = size >> mantissa, fraction = size & ((1 << mantissa) - 1);
  if (e5m2 ? size > 0x7c : size == 0x7f) return std::nan("");
  double v = exponent ? std::ldexp(1 + std::ldexp(fraction, -mantissa), exponent - bias) : std::ldexp(fraction, 1 - bias - mantissa);
  if (e5m2 && size == 0x7c) v = kInfinity;
  return code & 0x80 ? -v : v;
}

// The code of a number by the rules of the header, found among all finite codes.
int code_of(double v, bool e5m2, bool saturate_infinity) {
  const int sign = std::signbit(v) ? 0x80 : 0, largest = e5m2 ? 0x7b : 0x7e;
  if (std::isnan(v)) return sign | 0x7f;
  if (std::isinf(v)) return sign | (saturate_infinity ? largest : e5m2 ? 0x7c : 0x7f);
  const double size = std::min(std::fabs(v), 2 * number_of(largest, e5m2));  // beyond, differences of all codes round to one
  int best = 0;
  for (int code = 1; code <= largest; ++code) {
    const double was = std::fabs(size - number_of(best, e5m2)), is = std::fabs(size - number_of(code, e5m2));
    if (is < was || (is == was && code % 2 == 0)) best = code;
  }
  return sign | best;
}

TEST_CASE("every bf16 number becomes the code that the tables say") {
  for (const bool e5m2 : {false, true})
    for (const bool saturate : {false, true}) {
      int wrong = 0;
      for (unsigned bits = 0; bits < 0x10000; ++bits) {
        const double v = adj::to_double(adj::bf16{static_cast<std::uint16_t>(bits)});
        const int code = e5m2 ? adj::to_f8_e5m2(v, saturate).bits : adj::to_f8_e4m3(v, saturate).bits;
        if (code != code_of(v, e5m2, saturate)) ++wrong;
      }
      CHECK_MESSAGE(wrong == 0, "e5m2 " << e5m2 << ", saturate_infinity " << saturate);
    }
}

TEST_CASE("every code is its number, and goes there and back") {
  for (int code = 0; code < 256; ++code) {
    const auto bits = static_cast<std::uint8_t>(code);
    const double low = adj::to_double(adj::f8_e4m3{bits}), high = adj::to_double(adj::f8_e5m2{bits});
    for (auto [v, e5m2] : {std::pair{low, false}, {high, true}}) {
      const double expected = number_of(code, e5m2);
      CHECK((std::isnan(expected) ? std::isnan(v) : v == expected && std::signbit(v) == std::signbit(expected)));
    }
    CHECK(adj::to_f8_e4m3(low).bits == ((code & 0x7f) == 0x7f ? (code & 0x80 ? 0xff : 0x7f) : code));
    if (std::isfinite(high)) CHECK(adj::to_f8_e5m2(high).bits == code);
  }
}

TEST_CASE("numbers beside the middle of two codes are rounded once") {
  CHECK(adj::to_f8_e4m3(464).bits == 0x7e);
  CHECK(adj::to_f8_e4m3(1e300).bits == 0x7e);
  CHECK(adj::to_f8_e4m3(-1e300).bits == 0xfe);
  CHECK(adj::to_f8_e5m2(61440).bits == 0x7b);
  CHECK(adj::to_f8_e4m3(1 + 0x1p-4).bits == 0x38);  // a tie, to even
  CHECK(adj::to_f8_e4m3(1 + 0x1p-4 + 0x1p-50).bits == 0x39);
  CHECK(adj::to_f8_e4m3(0x1p-10).bits == 0);  // half of the least
  CHECK(adj::to_f8_e4m3(0x1.0000000000001p-10).bits == 1);
  CHECK(adj::to_f8_e5m2(-0.0).bits == 0x80);
}

TEST_CASE("scales are those of their rule") {
  std::mt19937_64 rng(7);
  std::vector<float> magnitudes{0x1p-149f, 0x1p-126f, 1e-4f, 3.4e38f};
  for (int k = -120; k < 120; ++k)
    for (const float base : {448.0f, 57344.0f, 1.0f}) {
      const float v = std::ldexp(base, -k);
      if (!(v > 0) || std::isinf(v)) continue;
      magnitudes.insert(magnitudes.end(), {v, std::nextafter(v, 0.0f), std::nextafter(v, 1e38f)});
    }
  for (int i = 0; i < 1 << 17; ++i) {
    const float v = std::bit_cast<float>(static_cast<std::uint32_t>(rng() & 0x7fffffff));
    if (std::isfinite(v) && v > 0) magnitudes.push_back(v);
  }
  int wrong = 0;
  for (const float a : magnitudes)
    for (const float largest : {448.0f, 57344.0f}) {
      const auto bounded = [](double v) { return std::clamp(static_cast<float>(v), 0x1p-126f, 0x1p126f); };
      const float s = bounded(static_cast<double>(largest) / static_cast<double>(a));
      const auto reciprocal = adj::host::scale_of(a, largest, 0, ADJ_SCALE_RULE_RECIPROCAL, false);
      wrong += reciprocal.multiplier != s || reciprocal.inverse != static_cast<float>(1 / static_cast<double>(s));
      const float r = bounded(static_cast<double>(a) / static_cast<double>(largest));
      const auto quotient = adj::host::scale_of(a, largest, 0, ADJ_SCALE_RULE_QUOTIENT, false);
      wrong += quotient.inverse != r || quotient.multiplier != static_cast<float>(1 / static_cast<double>(r));
      // The largest power of two that does not take a beyond F, which is exact in f64.
      int k = 140;
      while (k > -126 && std::ldexp(static_cast<double>(a), k) > static_cast<double>(largest)) --k;
      k = std::min(k, 126);
      for (const auto rule : {ADJ_SCALE_RULE_RECIPROCAL, ADJ_SCALE_RULE_QUOTIENT}) {
        const auto power = adj::host::scale_of(a, largest, 0, rule, true);
        wrong += power.multiplier != std::ldexp(1.0f, k) || power.inverse != std::ldexp(1.0f, -k);
      }
    }
  CHECK(wrong == 0);
  for (const float a : {0.0f, std::numeric_limits<float>::infinity(), std::numeric_limits<float>::quiet_NaN(), -1.0f}) {
    const auto one = adj::host::scale_of(a, 448, 1e-4f, ADJ_SCALE_RULE_DEFAULT, false);
    CHECK((one.multiplier == 1 && one.inverse == 1));
  }
  CHECK(adj::host::scale_of(1e-9f, 448, 1e-4f, ADJ_SCALE_RULE_QUOTIENT, false).inverse == 1e-4f / 448);
}

adj_tensor codes_of(std::vector<std::uint8_t>& codes, adj_dtype code) {
  adj_tensor t;
  t.data = codes.data(), t.bytes = codes.size(), t.dtype = code;
  return t;
}

struct Quantized {
  std::vector<std::uint8_t> codes, codes_t;
  std::vector<float> inverse = std::vector<float>(1024), inverse_t = std::vector<float>(1024), scale = std::vector<float>(1024), amax{0};
  std::vector<std::int64_t> wrong{0};
};
Quantized quantized(adj_quantize_descriptor d, std::vector<float> x) {
  Quantized q;
  d.element = ADJ_F32;
  q.codes.resize(x.size());
  q.codes_t.resize(x.size());
  adj_quantize_args a;
  a.x = tensor(x);
  a.codes = codes_of(q.codes, d.code);
  if (d.has_transposed) a.codes_t = codes_of(q.codes_t, d.code);
  a.inverse_out = tensor(q.inverse);
  a.scale_out = tensor(q.scale);
  if (d.has_transposed && d.granularity >= ADJ_SCALE_GRANULARITY_BLOCK_1X128) a.inverse_t_out = tensor(q.inverse_t);
  a.amax_out = tensor(q.amax);
  a.error_flag = tensor(q.wrong);
  if (d.stochastic_rounding) a.random = {9, 0, nullptr};
  const auto ran = run(d, a);
  REQUIRE_MESSAGE(ran, (ran ? "" : ran.error().message));
  return q;
}

TEST_CASE("transposed codes are the codes transposed, or have the groups of their own rows") {
  constexpr std::int64_t kRows = 133, kCols = 140;
  std::mt19937_64 rng(3);
  std::normal_distribution<float> normal;
  std::vector<float> x(kRows * kCols), turned(kRows * kCols);
  for (float& v : x) v = normal(rng);
  x[5] = std::numeric_limits<float>::quiet_NaN(), x[700] = std::numeric_limits<float>::infinity();
  for (std::int64_t i = 0; i < kRows; ++i)
    for (std::int64_t j = 0; j < kCols; ++j) turned[static_cast<std::size_t>(j * kRows + i)] = x[static_cast<std::size_t>(i * kCols + j)];
  for (const auto granularity : {ADJ_SCALE_GRANULARITY_TENSOR, ADJ_SCALE_GRANULARITY_BLOCK_1X128, ADJ_SCALE_GRANULARITY_BLOCK_128X128}) {
    adj_quantize_descriptor d;
    d.rows = kRows, d.columns = kCols, d.has_transposed = 1, d.granularity = granularity;
    adj_quantize_descriptor t = d;
    std::swap(t.rows, t.columns);
    const Quantized q = quantized(d, x), other = quantized(t, turned);
    CHECK(q.codes_t == other.codes);
    CHECK(q.codes == other.codes_t);
    CHECK(q.wrong[0] == 2);
    CHECK(std::isinf(q.amax[0]));
    if (granularity == ADJ_SCALE_GRANULARITY_TENSOR) continue;
    CHECK(q.inverse_t == other.inverse);
    CHECK(q.inverse == other.inverse_t);
  }
}

TEST_CASE("codes come back as the numbers within the bound") {
  constexpr std::int64_t kRows = 4, kCols = 300;
  std::mt19937_64 rng(4);
  std::normal_distribution<float> normal;
  std::vector<float> x(kRows * kCols), back(kRows * kCols);
  for (float& v : x) v = normal(rng);
  for (const adj_dtype code : {ADJ_F8_E4M3, ADJ_F8_E5M2}) {
    adj_quantize_descriptor d;
    d.rows = kRows, d.columns = kCols, d.granularity = ADJ_SCALE_GRANULARITY_BLOCK_1X128, d.code = code;
    Quantized q = quantized(d, x);
    adj_dequantize_descriptor e;
    e.rows = kRows, e.columns = kCols, e.granularity = d.granularity, e.code = code, e.element = ADJ_F32;
    adj_dequantize_args a;
    a.codes = codes_of(q.codes, code);
    a.inverse = tensor(q.inverse);
    a.out = tensor(back);
    REQUIRE(run(e, a));
    const double relative = code == ADJ_F8_E4M3 ? 0x1p-4 : 0x1p-3, least = code == ADJ_F8_E4M3 ? 0x1p-10 : 0x1p-17;
    for (std::size_t i = 0; i < x.size(); ++i) {
      const double r = static_cast<double>(q.inverse[i / kCols * 3 + i % kCols / 128]);
      CHECK(std::fabs(static_cast<double>(back[i]) - static_cast<double>(x[i])) <= (relative + 0x1p-22) * std::fabs(static_cast<double>(x[i])) + r * least);
    }
  }
}

TEST_CASE("stochastic rounding has no bias") {
  constexpr std::int64_t kCount = 200000;
  for (const float value : {0.3f, 0x1.4p-10f}) {
    std::vector<float> x(kCount, value);
    adj_quantize_descriptor d;
    d.rows = 1, d.columns = kCount, d.stochastic_rounding = 1, d.granularity = ADJ_SCALE_GRANULARITY_TENSOR;
    x[0] = 448;  // a scale of 1
    const Quantized q = quantized(d, x);
    CHECK(q.scale[0] == 1);
    double sum = 0;
    for (std::size_t i = 1; i < q.codes.size(); ++i) sum += number_of(q.codes[i], false);
    const double unit = value > 0.25f ? 0x1p-5 : 0x1p-9, mean = sum / (kCount - 1);
    CHECK(std::fabs(mean - static_cast<double>(value)) < 4 * unit / 2 / std::sqrt(static_cast<double>(kCount)));
  }
}

TEST_CASE("delayed scaling rolls its history as Transformer Engine does") {
  std::vector<float> history{8, 1, 2, 0, 4, 0}, scale{3, 5}, inverse(2);  // three steps of two tensors
  adj_fp8_scale_update_descriptor d;
  d.length = 3, d.tensors = 2, d.margin = 1;
  adj_fp8_scale_update_args a;
  a.history = tensor(history);
  a.scale = tensor(scale);
  a.inverse = tensor(inverse);
  REQUIRE(run(d, a));
  CHECK(history == std::vector<float>{0, 0, 4, 0, 8, 1});
  CHECK(scale == std::vector<float>{28, 224});
  CHECK(inverse == std::vector<float>{1.0f / 28, 1.0f / 224});
}

TEST_CASE("the step that delayed scaling forgets is the oldest") {
  constexpr std::int64_t kLength = 4;
  std::vector<float> history(kLength), scale{1};
  const std::vector<float> steps{64, 2, 8, 1, 4, 16, 1, 2, 32, 1};
  adj_fp8_scale_update_descriptor d;
  d.length = kLength, d.tensors = 1;
  adj_fp8_scale_update_args a;
  a.history = tensor(history);
  a.scale = tensor(scale);
  for (std::size_t step = 0; step < steps.size(); ++step) {
    history[0] = steps[step];
    REQUIRE(run(d, a));
    const auto first = steps.begin() + static_cast<std::ptrdiff_t>(step - std::min<std::size_t>(step, kLength - 1));
    CHECK(scale[0] == 448 / *std::max_element(first, steps.begin() + static_cast<std::ptrdiff_t>(step) + 1));
    CHECK(history[0] == 0);
  }
}

TEST_CASE("a product of codes is that of their numbers") {
  constexpr std::int64_t kM = 3, kN = 5, kK = 260;
  std::mt19937_64 rng(5);
  std::vector<std::uint8_t> a(kM * kK), b(kN * kK);
  for (auto* codes : {&a, &b})
    for (auto& code : *codes) code = static_cast<std::uint8_t>(rng() % 0x70 | (rng() & 0x80));
  std::vector<float> scale_a(kM * 3), scale_b(3), out(kM * kN);  // 1x128 and 128x128
  for (auto* scales : {&scale_a, &scale_b})
    for (float& s : *scales) s = std::ldexp(1.0f, static_cast<int>(rng() % 7) - 3);
  adj_scaled_matmul_descriptor d;
  d.m = kM, d.n = kN, d.k = kK, d.granularity_a = ADJ_SCALE_GRANULARITY_BLOCK_1X128, d.granularity_b = ADJ_SCALE_GRANULARITY_BLOCK_128X128;
  d.code_a = d.code_b = ADJ_F8_E4M3, d.out = ADJ_F32;
  adj_scaled_matmul_args args;
  args.a = codes_of(a, ADJ_F8_E4M3);
  args.b = codes_of(b, ADJ_F8_E4M3);
  args.scale_a = tensor(scale_a);
  args.scale_b = tensor(scale_b);
  args.d = tensor(out);
  REQUIRE(run(d, args));
  for (std::int64_t i = 0; i < kM; ++i)
    for (std::int64_t j = 0; j < kN; ++j) {
      double sum = 0;
      for (std::int64_t k = 0; k < kK; ++k)
        sum += number_of(a[static_cast<std::size_t>(i * kK + k)], false) * number_of(b[static_cast<std::size_t>(j * kK + k)], false) *
               static_cast<double>(scale_a[static_cast<std::size_t>(i * 3 + k / 128)] * scale_b[static_cast<std::size_t>(k / 128)]);
      CHECK(out[static_cast<std::size_t>(i * kN + j)] == static_cast<float>(sum));
    }
}

TEST_CASE("what eight bits do not have is refused with its reason") {
  const auto refused = [](const auto& plan, adj_status code, const char* words) {
    REQUIRE_FALSE(plan);
    CHECK(plan.error().code == code);
    CHECK_MESSAGE(plan.error().message.find(words) != std::string::npos, plan.error().message);
  };
  adj_quantize_descriptor d;
  d.rows = d.columns = 16, d.element = ADJ_BF16;
  d.code = ADJ_F8_E8M0;
  refused(select(d), ADJ_ERROR_UNSUPPORTED, "quantize: code = f8_e8m0 is reserved");
  d.code = ADJ_F8_E4M3, d.scale_source = ADJ_SCALE_SOURCE_GIVEN, d.granularity = ADJ_SCALE_GRANULARITY_BLOCK_1X128;
  refused(select(d), ADJ_ERROR_INVALID_PROBLEM, "quantize: scale_source = 2 (given) goes with the granularity tensor or row");
  d.granularity = ADJ_SCALE_GRANULARITY_TENSOR, d.pow2 = 1;
  refused(select(d), ADJ_ERROR_INVALID_PROBLEM, "quantize: scale_source = 2 (given) takes no eps, max_value, pow2 or rule");
  d.scale_source = ADJ_SCALE_SOURCE_COMPUTED, d.max_value = 449;
  refused(select(d), ADJ_ERROR_INVALID_PROBLEM, "quantize: max_value = 449");
  adj_scaled_matmul_descriptor p;
  p.m = p.n = p.k = 16, p.code_a = p.code_b = ADJ_F8_E5M2, p.out = ADJ_BF16;
  refused(select(p), ADJ_ERROR_INVALID_PROBLEM, "code_b = f8_e5m2 is the type of code_a too");
  p.code_b = ADJ_F8_E4M3, p.granularity_a = p.granularity_b = ADJ_SCALE_GRANULARITY_BLOCK_128X128;
  refused(select(p), ADJ_ERROR_INVALID_PROBLEM, "granularity_b = 4 is block_128x128 twice");
  d = {};
  d.rows = d.columns = 16, d.element = ADJ_BF16;
  refused(select(d, *adj::offline_stream("sm_80")), ADJ_ERROR_UNSUPPORTED, "sm_80");
}

}  // namespace
