// Fake quantization on the host stream: the published example, its edges, channels, and bad scalars.
#include <cmath>
#include <limits>
#include <string>
#include <vector>

#include <adjoint/ops/quantize.h>
#include <doctest/doctest.h>

#include "support.hpp"

namespace {

using namespace support;
using Forward = adj_fake_quantize_forward_descriptor;

constexpr float kInfinity = std::numeric_limits<float>::infinity();

adj_tensor mask_of(std::vector<std::uint8_t>& m) {
  adj_tensor t;
  t.data = m.data();
  t.bytes = m.size();
  t.dtype = ADJ_BOOL;
  return t;
}
struct Result {
  std::vector<float> out;
  std::vector<std::uint8_t> mask;
};
Result quantize(std::vector<float> x, double scale, double zero_point, Forward d = {}) {
  d.inner = static_cast<std::int64_t>(x.size());
  d.element = ADJ_F32;
  Result r{std::vector<float>(x.size()), std::vector<std::uint8_t>(x.size(), 7)};
  adj_fake_quantize_forward_args a;
  a.input = tensor(x);
  a.scale.value = scale;
  a.zero_point.value = zero_point;
  a.out = tensor(r.out);
  a.mask = mask_of(r.mask);
  auto ok = run(d, a);
  REQUIRE_MESSAGE(ok.ok(), (ok ? std::string() : ok.error().message));
  return r;
}

}  // namespace

TEST_CASE("fake quantization has the published values") {
  const auto r = quantize({1, 2, 3, 4, 5, 6, 7, 8, 9, 10}, 0.075, 128);
  const double want[] = {0.975, 2.025, 3.0, 3.975, 5.025, 6.0, 6.975, 8.025, 9.0, 9.525};
  for (std::size_t i = 0; i < 10; ++i) CHECK(std::fabs(r.out[i] - want[i]) < 1e-6);
  CHECK(r.mask == std::vector<std::uint8_t>{1, 1, 1, 1, 1, 1, 1, 1, 1, 0});
}

TEST_CASE("fake quantization rounds half to even and clamps") {
  const auto r = quantize({0.5f, 1.5f, 2.5f, -0.5f, 300, -300, kInfinity, -kInfinity}, 1, 100);
  CHECK(r.out == std::vector<float>{0, 2, 2, 0, 155, -100, 155, -100});
  CHECK(r.mask == std::vector<std::uint8_t>{1, 1, 1, 1, 0, 0, 0, 0});
  const auto nan = quantize({std::nanf("")}, 1, 100);
  CHECK(std::isnan(nan.out[0]));
  CHECK(nan.mask[0] == 0);
  const auto low = quantize({std::nanf("")}, 1, 100, {.nan_to_min = 1});
  CHECK(low.out[0] == -100);
  CHECK(low.mask[0] == 0);
}

TEST_CASE("channels have scales and zero points of their own, and the mask may be left out") {
  std::vector<float> x{1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1}, out(12), scales{1, 0.75f, 0.3f}, zero_points{0, 10, 0};
  adj_fake_quantize_forward_args a;
  a.input = tensor(x);
  a.scales = tensor(scales);
  a.zero_points = tensor(zero_points);
  a.out = tensor(out);
  REQUIRE(run(Forward{.outer = 2, .channels = 3, .inner = 2, .per_channel = 1, .element = ADJ_F32}, a).ok());
  CHECK(out == std::vector<float>{1, 1, 0.75f, 0.75f, 3 * 0.3f, 3 * 0.3f, 1, 1, 0.75f, 0.75f, 3 * 0.3f, 3 * 0.3f});
}

TEST_CASE("channels refuse a scale or a zero point of the whole tensor") {
  std::vector<float> x(6, 1), out(6, 9), scales{1, 2, 3}, zero_points{0, 1, 2};
  adj_fake_quantize_forward_args a;
  a.input = tensor(x);
  a.scales = tensor(scales);
  a.zero_points = tensor(zero_points);
  a.out = tensor(out);
  const Forward d{.outer = 1, .channels = 3, .inner = 2, .per_channel = 1, .element = ADJ_F32};
  auto refused = [&](const char* named) {
    auto ok = run(d, a);
    REQUIRE_FALSE(ok.ok());
    CHECK(ok.error().code == ADJ_ERROR_INVALID_ARGUMENT);
    CHECK_MESSAGE(ok.error().message.find(named) != std::string::npos, ok.error().message);
    CHECK(out == std::vector<float>(6, 9));
  };
  a.scale.value = 0.5;
  refused("fake_quantize_forward: scale is given");
  a.scale.value = 0;
  a.zero_point.value = -3;
  refused("fake_quantize_forward: zero_point is given");
  const float one = 1;
  a.zero_point = {};
  a.scale = {0, &one, ADJ_F32, 0};
  refused("scale is given");
}

TEST_CASE("the gradient of fake quantization is a choice") {
  std::vector<float> dout{1, kInfinity, std::nanf(""), -4}, dinput(4);
  std::vector<std::uint8_t> mask{1, 0, 0, 1};
  adj_fake_quantize_backward_args a;
  a.dout = tensor(dout);
  a.mask = mask_of(mask);
  a.dinput = tensor(dinput);
  REQUIRE(run(adj_fake_quantize_backward_descriptor{.numel = 4, .element = ADJ_F32}, a).ok());
  CHECK(dinput == std::vector<float>{1, 0, 0, -4});
}

TEST_CASE("fake quantization refuses problems and scalars that cannot be") {
  std::string message;
  CHECK(select_status(Forward{.inner = 4, .quant_min = 5, .quant_max = 5, .element = ADJ_F32}, &message) == ADJ_ERROR_INVALID_PROBLEM);
  CHECK(message.find("quant_min = 5") != std::string::npos);
  CHECK(select_status(Forward{.inner = 4, .quant_max = 1 << 25, .element = ADJ_F32}) == ADJ_ERROR_INVALID_PROBLEM);
  CHECK(select_status(Forward{.element = ADJ_F32}) == ADJ_ERROR_INVALID_PROBLEM);
  CHECK(select_status(adj_fake_quantize_backward_descriptor{.element = ADJ_F32}) == ADJ_ERROR_INVALID_PROBLEM);
  std::vector<float> x(4), out(4);
  adj_fake_quantize_forward_args a;
  a.input = tensor(x);
  a.out = tensor(out);
  const Forward d{.inner = 4, .element = ADJ_F32};
  for (double scale : {0.0, -1.0, 1e-60, std::nan(""), HUGE_VAL}) {
    a.scale.value = scale;
    CHECK(run(d, a).error().code == ADJ_ERROR_INVALID_VALUE);
  }
  a.scale.value = 1;
  a.zero_point.value = 256;
  auto refused = run(d, a);
  REQUIRE_FALSE(refused.ok());
  CHECK(refused.error().message.find("zero_point = 256") != std::string::npos);
}
