// Cases of fills: sizes around units and blocks of random words, values that round, states by value and on the device.
#include <cmath>
#include <limits>

#include <adjoint/ops/fill.h>

#include "harness/harness.hpp"
#include "host/dropout.hpp"

namespace harness {

std::vector<Case> fill_cases(const adj::Signature& signature, Level level, std::uint64_t) {
  std::vector<Case> cases;
  std::vector<std::int64_t> sizes{0, 1, 7, 8, 1000, 4097};
  if (level == Level::full) sizes.push_back(5'000'001);
  // Two lie next to the middle of two numbers of 16 bits, where rounding by way of f32 would end in the wrong one, and two in the middle.
  const double values[] = {
      1.0 / 3, -0.0, 1 + 0x1p-8, 1 + 0x1p-11, 1 + 0x1p-8 + 0x1p-40, 1 + 0x1p-11 - 0x1p-50, 0x1p-1074, std::numeric_limits<double>::infinity(), std::nan("")};
  for (std::int64_t numel : sizes)
    for (double value : values) {
      if (numel != 7 && value != values[0]) continue;
      const adj_fill_descriptor d{.numel = numel, .element = signature[0]};
      auto problem = std::make_shared<Problem>(Problem::of(d));
      if (numel % 2) problem->device_scalar("value", value, numel == 1 ? ADJ_F32 : ADJ_F64);
      else problem->scalar("value", value);
      cases.push_back({fmt::format("{} of {}", numel, value), std::move(problem), {}});
      cases.back().any_nan = true;
    }
  return cases;
}

namespace {

std::vector<std::vector<double>> normal_magnitudes(const Problem& problem, const std::string&) {
  const auto value = [&](const char* name) {
    const Problem::ArgumentContents& c = problem.contents()[problem.argument(name)];
    return c.data.empty() ? c.scalar.value : c.data[0].get(0);
  };
  const double mean = value("mean"), deviation = std::fabs(value("std"));
  const auto outputs = run_reference(problem);
  if (!outputs) throw std::logic_error("harness: " + outputs.error().message);
  const Data& out = outputs->arguments[problem.argument("out")].at(0);
  std::vector<double> result;
  for (std::int64_t i = 0; i < out.numel(); ++i) result.push_back(std::fabs(mean) + deviation + std::fabs(out.get(i) - mean));
  return {result};
}

}  // namespace

std::vector<Case> normal_cases(const adj::Signature& signature, Level level, std::uint64_t) {
  std::vector<Case> cases;
  std::vector<std::int64_t> sizes{0, 1, 5, 8, 1000, 4099};
  if (level == Level::full) sizes.push_back(5'000'001);
  for (std::int64_t numel : sizes) {
    const adj_normal_descriptor d{.numel = numel, .element = signature[0]};
    auto problem = std::make_shared<Problem>(Problem::of(d));
    const bool on_device = numel % 2;
    if (on_device) {
      problem->device_random("random", 0x123456789abcdef0u, 4 * 12345);
      problem->contents()[problem->argument("random")].random.offset = 3;
      problem->device_scalar("mean", 0.25, ADJ_F32);
      problem->device_scalar("std", 0.02, ADJ_F64);
    } else {
      problem->random("random", 7, numel == 8 ? ~std::uint64_t{0} - 3 : 16);
      problem->scalar("mean", -1);
      problem->scalar("std", 3);
    }
    cases.push_back({fmt::format("{}", numel), std::move(problem), normal_magnitudes});
  }
  // A number that is small beside its radius.
  const adj_normal_descriptor d{.numel = 8, .element = signature[0]};
  auto problem = std::make_shared<Problem>(Problem::of(d));
  problem->random("random", ~std::uint64_t{0}, 4 + 129'804);
  problem->scalar("mean", 0);
  problem->scalar("std", 1e-6f);
  cases.push_back({"8 next to 0", std::move(problem), normal_magnitudes});
  return cases;
}

}  // namespace harness
