// Element types, statuses, texts and hashes.
#include <doctest/doctest.h>

#include <cmath>
#include <cstring>
#include <limits>
#include <set>
#include <string>

#include "base/dtype.hpp"
#include "base/error.hpp"
#include "base/text.hpp"

using namespace adj;

TEST_CASE("every 16-bit pattern survives a round trip through double") {
  for (std::uint32_t bits = 0; bits < 65536; ++bits) {
    const f16 h{static_cast<std::uint16_t>(bits)};
    const bf16 b{static_cast<std::uint16_t>(bits)};
    if (std::isnan(to_double(h))) CHECK(std::isnan(to_double(to_f16(to_double(h)))));
    else CHECK(to_f16(to_double(h)).bits == h.bits);
    if (std::isnan(to_double(b))) CHECK(std::isnan(to_double(to_bf16(to_double(b)))));
    else CHECK(to_bf16(to_double(b)).bits == b.bits);
  }
}

TEST_CASE_TEMPLATE("between two 16-bit numbers the nearer one is taken, in the middle the even one", T, f16, bf16) {
  const auto code = [](double v) { return static_cast<int>(from_double<T>(v).bits); };
  for (int bits = 0; std::isfinite(to_double(T{static_cast<std::uint16_t>(bits + 1)})); ++bits) {
    const double low = to_double(T{static_cast<std::uint16_t>(bits)}), high = to_double(T{static_cast<std::uint16_t>(bits + 1)});
    const double middle = low / 2 + high / 2;
    CHECK(code(middle) == bits + bits % 2);
    CHECK(code(std::nextafter(middle, low)) == bits);
    CHECK(code(std::nextafter(middle, high)) == bits + 1);
    CHECK(code(-middle) == (0x8000 | (bits + bits % 2)));
  }
}

TEST_CASE("16-bit conversion rounds to nearest, ties to even") {
  CHECK(to_f16(1 + std::ldexp(1.0, -11)).bits == 0x3c00);                            // tie, down to even
  CHECK(to_f16(1 + 3 * std::ldexp(1.0, -11)).bits == 0x3c02);                        // tie, up to even
  CHECK(to_f16(1 + std::ldexp(1.0, -11) + std::ldexp(1.0, -40)).bits == 0x3c01);     // just above a tie that f32 would hide
  CHECK(to_f16(65504).bits == 0x7bff);
  CHECK(to_f16(65519.99).bits == 0x7bff);
  CHECK(to_f16(65520).bits == 0x7c00);
  CHECK(to_f16(std::ldexp(1.0, -25)).bits == 0);                                     // tie with zero
  CHECK(to_f16(std::ldexp(1.5, -25)).bits == 1);
  CHECK(to_f16(-std::ldexp(1.0, -24)).bits == 0x8001);
  CHECK(to_bf16(1 + std::ldexp(1.0, -8)).bits == 0x3f80);
  CHECK(to_bf16(1 + 3 * std::ldexp(1.0, -8)).bits == 0x3f82);
  CHECK(to_bf16(std::numeric_limits<double>::infinity()).bits == 0x7f80);
  CHECK(to_bf16(3.4e38).bits == 0x7f80);
  CHECK(to_bf16(3.3895e38).bits == 0x7f7f);
  CHECK(std::isnan(to_double(to_f16(std::nan("")))));
}

TEST_CASE("element types have sizes and names, unknown ones have none") {
  CHECK(size_of(ADJ_BF16) == 2);
  CHECK(size_of(ADJ_F64) == 8);
  CHECK(size_of(adj_dtype{}) == 0);
  CHECK(size_of(adj_dtype{99}) == 0);
  CHECK(dtype_name(adj_dtype{99}) == nullptr);
  CHECK(dtype_find("bf16") == ADJ_BF16);
  CHECK(dtype_find("nothing") == ADJ_DTYPE_NONE);
  CHECK(dtype_find_ort("MLFloat16") == ADJ_F16);
}

TEST_CASE("every status has a name of its own") {
  std::set<std::string> names;
  for (int code = ADJ_OK; code <= ADJ_ERROR_INVALID_VALUE; ++code) CHECK(names.insert(status_name(static_cast<adj_status>(code))).second);
  CHECK(names.count("unknown_status") == 0);
  CHECK(std::string(status_name(static_cast<adj_status>(ADJ_ERROR_INVALID_VALUE + 1))) == "unknown_status");
  CHECK(std::string(status_name(adj_status{-1})) == "unknown_status");
}

TEST_CASE("globs") {
  CHECK(glob_match("*", ""));
  CHECK(glob_match("*", "anything/at/all"));
  CHECK(glob_match("a*c", "abbbc"));
  CHECK(glob_match("*/bf16.*/*", "embedding_backward/x/bf16.i64/sm80"));
  CHECK(glob_match("a?c", "abc"));
  CHECK_FALSE(glob_match("a?c", "ac"));
  CHECK_FALSE(glob_match("abc", "abcd"));
  CHECK_FALSE(glob_match("", "a"));
  CHECK(glob_match("**a**", "bab"));
}

TEST_CASE("splitting trims and drops empty pieces") {
  CHECK(split(" a, b ,,c ", ',') == std::vector<std::string>{"a", "b", "c"});
  CHECK(split("", ',').empty());
  CHECK(split(" , ", ',').empty());
}

TEST_CASE("sha256 of the standard's examples") {
  CHECK(sha256_hex("") == "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
  CHECK(sha256_hex("abc") == "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
}
