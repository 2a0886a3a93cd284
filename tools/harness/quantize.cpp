// Cases of fake quantization and its gradient.
#include <cmath>
#include <limits>

#include <adjoint/ops/quantize.h>

#include "harness/draw.hpp"
#include "harness/harness.hpp"

namespace harness {

namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();
constexpr double kNan = std::numeric_limits<double>::quiet_NaN();

struct Setting {
  std::int64_t outer = 1, channels = 1, inner = 0;
  bool per_channel = false, special = false, nan_to_min = false, device = false, no_mask = false, in_place = false;
  std::string text() const {
    std::string t = fmt::format("{}x{}x{}", outer, channels, inner);
    if (per_channel) t += " per channel";
    if (special) t += ", NaN and infinity";
    if (nan_to_min) t += " to the least";
    if (device) t += ", scale on the device";
    if (no_mask) t += ", no mask";
    if (in_place) t += ", in place";
    return t;
  }
};

void spoil(Data& data, Rng& rng) {
  const Uniform draw(0, 1);
  for (std::int64_t i = 0; i < data.numel(); ++i)
    if (const double kind = draw(rng); kind < 0.06) data.set(i, kind < 0.02 ? kNan : kind < 0.04 ? kInfinity : -kInfinity);
}

}  // namespace

std::vector<Case> fake_quantize_forward_cases(const adj::Signature& signature, Level level, std::uint64_t seed) {
  const std::int64_t unit = 16 / adj::size_of(signature[0]);
  std::vector<Setting> all;
  auto add = [&](std::int64_t outer, std::int64_t channels, std::int64_t inner, auto change) {
    Setting s;
    s.outer = outer;
    s.channels = channels;
    s.inner = inner;
    change(s);
    all.push_back(s);
  };
  auto plain = [](Setting&) {};
  auto channels = [](Setting& s) { s.per_channel = true; };
  add(0, 2, 3, plain);
  add(1, 1, 1, plain);
  add(1, 3, 5 * unit, [](Setting& s) { s.no_mask = true; });
  add(1, 1, 1031, [](Setting& s) { s.device = true; });
  add(1, 1, 257, [](Setting& s) { s.special = s.in_place = true; });
  add(1, 1, 257, [](Setting& s) { s.special = s.nan_to_min = true; });
  add(0, 3, 4, channels);
  add(3, 5, 7, channels);
  add(40, 13, 1, channels);
  add(1, 6, 4 * unit, [](Setting& s) { s.per_channel = s.in_place = s.no_mask = true; });
  add(4, 3, 2 * unit + 1, [](Setting& s) { s.per_channel = s.special = true; });
  add(3, 7, 60 * unit + 1, channels);  // work of three blocks: more than small grids have
  if (level == Level::full) {
    add(1, 1, 3'000'001, plain);
    add(64, 256, 56, channels);
    add(10'000, 77, 1, channels);
  }
  std::vector<Case> cases;
  for (const Setting& s : all) {
    Rng rng(++seed);
    adj_fake_quantize_forward_descriptor d;
    d.outer = s.outer;
    d.channels = s.channels;
    d.inner = s.inner;
    d.per_channel = s.per_channel;
    d.nan_to_min = s.nan_to_min;
    d.quant_min = -128;
    d.quant_max = 127;
    d.element = signature[0];
    auto problem = std::make_shared<Problem>(Problem::of(d));
    fill_normal(problem->tensor("input"), rng, 5);
    if (s.special) spoil(problem->tensor("input"), rng);
    if (s.per_channel) {
      fill_uniform(problem->tensor("scales"), rng, 0.01, 0.2);
      fill_integers(problem->tensor("zero_points"), rng, -20, 20);
    } else if (s.device) {
      problem->device_scalar("scale", 0.075, ADJ_F32);
      problem->device_scalar("zero_point", 3, ADJ_F64);
    } else {
      problem->scalar("scale", 0.075);
      problem->scalar("zero_point", -7);
    }
    if (s.no_mask) problem->omit("mask");
    if (s.in_place) problem->share("out", "input");
    cases.push_back({s.text(), std::move(problem), {}});
  }
  return cases;
}

std::vector<Case> fake_quantize_backward_cases(const adj::Signature& signature, Level level, std::uint64_t seed) {
  std::vector<Case> cases;
  std::vector<std::int64_t> sizes{0, 1, 15, 16, 1024, 4101};  // the last one is work of three blocks: more than small grids have
  if (level == Level::full) sizes.push_back(3'000'001);
  for (std::int64_t n : sizes)
    for (bool in_place : {false, true}) {
      Rng rng(++seed);
      adj_fake_quantize_backward_descriptor d;
      d.numel = n;
      d.element = signature[0];
      auto problem = std::make_shared<Problem>(Problem::of(d));
      fill_normal(problem->tensor("dout"), rng);
      spoil(problem->tensor("dout"), rng);
      fill_integers(problem->tensor("mask"), rng, 0, 1);
      if (in_place) problem->share("dinput", "dout");
      cases.push_back({fmt::format("{}{}", n, in_place ? " in place" : ""), std::move(problem), {}});
    }
  return cases;
}

}  // namespace harness
