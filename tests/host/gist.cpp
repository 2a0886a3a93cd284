// Gist formats on the host stream: the contract's bytes, every FP8 code there and back, and tails.
#include <cmath>
#include <cstring>
#include <limits>
#include <string>
#include <vector>

#include <adjoint/ops/gist.h>
#include <doctest/doctest.h>

#include "support.hpp"

namespace {

using namespace support;
using Bytes = std::vector<std::uint8_t>;

constexpr float kInfinity = std::numeric_limits<float>::infinity();

adj_tensor bytes_of(Bytes& b, adj_dtype type) {
  adj_tensor t;
  t.data = b.data();
  t.bytes = b.size();
  t.dtype = type;
  return t;
}
adj_dtype packed_type(adj_gist_format f) {
  return f == ADJ_GIST_FORMAT_BINARIZE ? ADJ_BOOL : f == ADJ_GIST_FORMAT_PACK16 ? ADJ_F16 : f == ADJ_GIST_FORMAT_PACK16_BF16 ? ADJ_BF16 : ADJ_U8;
}
template <class T>
Bytes encode(adj_gist_format format, std::vector<T> x, std::size_t packed, std::int64_t outer = 1) {
  Bytes out(packed, 0xee);
  adj_gist_encode_args a;
  a.input = tensor(x);
  a.packed = bytes_of(out, packed_type(format));
  const adj_gist_encode_descriptor d{.outer = outer, .inner = static_cast<std::int64_t>(x.size()) / outer, .format = format, .element = adj::dtype_of<T>};
  auto ok = run(d, a);
  REQUIRE_MESSAGE(ok.ok(), (ok ? std::string() : ok.error().message));
  return out;
}
template <class T>
std::vector<T> decode(adj_gist_format format, Bytes packed, std::size_t count, std::int64_t outer = 1) {
  std::vector<T> out(count);
  adj_gist_decode_args a;
  a.packed = bytes_of(packed, packed_type(format));
  a.out = tensor(out);
  const adj_gist_decode_descriptor d{.outer = outer, .inner = static_cast<std::int64_t>(count) / outer, .format = format, .element = adj::dtype_of<T>};
  auto ok = run(d, a);
  REQUIRE_MESSAGE(ok.ok(), (ok ? std::string() : ok.error().message));
  return out;
}

}  // namespace

TEST_CASE("signs are one byte or one bit") {
  const std::vector<float> x{1, -1, 0, -0.0f, std::nanf(""), kInfinity, -kInfinity, 1e-40f, 2, 3};
  CHECK(encode(ADJ_GIST_FORMAT_BINARIZE, x, 10) == Bytes{1, 0, 0, 0, 0, 1, 0, 1, 1, 1});
  CHECK(encode(ADJ_GIST_FORMAT_PACK1, x, 2) == Bytes{0b10000101, 0b11000000});
  CHECK(decode<float>(ADJ_GIST_FORMAT_PACK1, {0b10000101, 0xff}, 10) == std::vector<float>{1, 0, 0, 0, 0, 1, 0, 1, 1, 1});
  CHECK(decode<double>(ADJ_GIST_FORMAT_BINARIZE, {1, 0}, 2) == std::vector<double>{1, 0});
}

TEST_CASE("E5M2 rounds to nearest even and keeps what is not finite") {
  const auto nan = std::nanf("");
  CHECK(encode<float>(ADJ_GIST_FORMAT_PACK8,
                      {1, -2, 1.125f, 1.375f, 57344, 61439.996f, 61440, -1e30f, kInfinity, nan, -nan, 0x1p-16f, 0x1p-17f, 0x1.8p-17f, -0.0f},
                      15) == Bytes{0x3c, 0xc0, 0x3c, 0x3e, 0x7b, 0x7b, 0x7c, 0xfc, 0x7c, 0x7f, 0xff, 0x01, 0x00, 0x01, 0x80});
  CHECK(encode<float>(ADJ_GIST_FORMAT_PACK8_SATURATED, {61440, -1e30f, kInfinity}, 3) == Bytes{0x7b, 0xfb, 0x7c});
  // Every code except the NaN codes comes back, through each type.
  Bytes codes;
  for (int c = 0; c < 256; ++c)
    if ((c & 0x7f) <= 0x7c) codes.push_back(static_cast<std::uint8_t>(c));
  CHECK(encode(ADJ_GIST_FORMAT_PACK8, decode<float>(ADJ_GIST_FORMAT_PACK8, codes, codes.size()), codes.size()) == codes);
  CHECK(encode(ADJ_GIST_FORMAT_PACK8, decode<adj::f16>(ADJ_GIST_FORMAT_PACK8, codes, codes.size()), codes.size()) == codes);
  CHECK(encode(ADJ_GIST_FORMAT_PACK8, decode<adj::bf16>(ADJ_GIST_FORMAT_PACK8, codes, codes.size()), codes.size()) == codes);
}

TEST_CASE("the reference's bytes") {
  CHECK(encode<float>(ADJ_GIST_FORMAT_PACK8_REFERENCE, {1, 1.5f, -2, 300, 1e10f, 3e38f, kInfinity, 0, -0.0f}, 9) ==
        Bytes{0, 2, 0x80, 4, 0x10, 0x3f, 0x40, 0, 0});
  const auto x = decode<float>(ADJ_GIST_FORMAT_PACK8_REFERENCE, {0, 2, 0x80, 4, 0x10, 0x3f, 0x40, 0xff}, 8);
  const double want[] = {0, 5.88e-39, -1.78e-43, 1.50e-36, 2.52e-29, 0.0137, 2.00003, 0};
  for (std::size_t i = 0; i < 8; ++i) CHECK(std::fabs(x[i] - want[i]) <= 4e-3 * std::fabs(want[i]));
  CHECK(encode<adj::f16>(ADJ_GIST_FORMAT_PACK8_REFERENCE, {adj::to_f16(3), adj::to_f16(-3), adj::to_f16(-0.0)}, 3) == Bytes{0, 0x80, 0});
}

TEST_CASE("the reference's bytes of NaN keep the bits of its fraction") {
  // Exponent 255, sign in bit 7; the fraction's two highest bits, plus one where its bit 19 is set.
  std::vector<float> nans;
  for (std::uint32_t bits : {0x7fa00000u, 0x7f800001u, 0xff880000u, 0x7fe00000u, 0x7fc00000u, 0x7fe80000u}) {
    nans.emplace_back();
    std::memcpy(&nans.back(), &bits, 4);
  }
  CHECK(encode<float>(ADJ_GIST_FORMAT_PACK8_REFERENCE, nans, 6) == Bytes{65, 64, 0x80 | 65, 67, 66, 68});
}

TEST_CASE("16-bit formats round once") {
  const auto packed = encode<float>(ADJ_GIST_FORMAT_PACK16, {1, 65520, std::nanf(""), 0x1p-24f}, 8);
  CHECK(packed == Bytes{0x00, 0x3c, 0x00, 0x7c, 0x00, 0x7e, 0x01, 0x00});
  const auto back = decode<float>(ADJ_GIST_FORMAT_PACK16, packed, 4);
  CHECK(back[0] == 1);
  CHECK(back[1] == kInfinity);
  CHECK(std::isnan(back[2]));
  CHECK(back[3] == 0x1p-24f);
  CHECK(encode<float>(ADJ_GIST_FORMAT_PACK16_BF16, {1, -3, std::nanf(""), -std::nanf("")}, 8) == Bytes{0x80, 0x3f, 0x40, 0xc0, 0xc0, 0x7f, 0xc0, 0xff});
}

TEST_CASE("eight neighbours share an exponent") {
  CHECK(encode<float>(ADJ_GIST_FORMAT_MSFP15, {1, -2, 0.5f, 0.25f, 3.99f, 0, -0.01f, 1.5f}, 8) == Bytes{0x10, 0x60, 0x08, 0x04, 0x3f, 0x00, 0x40, 0x98});
  CHECK(decode<float>(ADJ_GIST_FORMAT_MSFP15, {0x10, 0x60, 0x08, 0x04, 0x3f, 0x00, 0x40, 0x98}, 8) ==
        std::vector<float>{1, -2, 0.5f, 0.25f, 3.9375f, 0, 0, 1.5f});
  CHECK(encode<float>(ADJ_GIST_FORMAT_MSFP15, std::vector<float>(8, 1), 8) == Bytes{0xa0, 0xa0, 0xa0, 0xa0, 0xa0, 0xa0, 0xa0, 0x20});
  CHECK(encode<float>(ADJ_GIST_FORMAT_MSFP15, {1, 2, 3, 4, 5, kInfinity, 7, 8}, 8) == Bytes(8, 0));
  // Each row of three is padded with zeros.
  const auto packed = encode<float>(ADJ_GIST_FORMAT_MSFP15, {1, 1, 1, 4, 4, 4}, 16, 2);
  CHECK(decode<float>(ADJ_GIST_FORMAT_MSFP15, packed, 6, 2) == std::vector<float>{1, 1, 1, 4, 4, 4});
  // The smallest exponent gives a subnormal number, the largest an infinity.
  CHECK(decode<float>(ADJ_GIST_FORMAT_MSFP15, {0x81, 0, 0, 0, 0, 0, 0, 0}, 8)[0] == 0x1p-131f);
  CHECK(decode<float>(ADJ_GIST_FORMAT_MSFP15, {0x81, 0xc1, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80}, 8) ==
        std::vector<float>{kInfinity, -kInfinity, 0, 0, 0, 0, 0, 0});
}

TEST_CASE("gist formats refuse problems that cannot be") {
  std::string message;
  CHECK(select_status(adj_gist_encode_descriptor{.inner = 8, .element = ADJ_F32}, &message) == ADJ_ERROR_INVALID_PROBLEM);
  CHECK(message.find("format = 0 is not given") != std::string::npos);
  CHECK(select_status(adj_gist_encode_descriptor{.format = adj_gist_format{1}, .element = ADJ_F32}) == ADJ_ERROR_INVALID_PROBLEM);
  CHECK(select_status(adj_gist_encode_descriptor{.inner = 8, .format = adj_gist_format{99}, .element = ADJ_F32}) == ADJ_ERROR_INVALID_ARGUMENT);
  CHECK(select_status(adj_gist_decode_descriptor{.inner = 8, .format = ADJ_GIST_FORMAT_PACK16, .element = ADJ_BF16}) == ADJ_ERROR_UNSUPPORTED);
  std::vector<float> x(9);
  Bytes packed(1);
  adj_gist_encode_args a;
  a.input = tensor(x);
  a.packed = bytes_of(packed, ADJ_U8);
  CHECK(run(adj_gist_encode_descriptor{.inner = 9, .format = ADJ_GIST_FORMAT_PACK1, .element = ADJ_F32}, a).error().code == ADJ_ERROR_BUFFER_TOO_SMALL);
}
