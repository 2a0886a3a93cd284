// Cases of numbers of eight bits with scales.
#include <cmath>
#include <limits>

#include <adjoint/ops/fp8.h>

#include "harness/draw.hpp"
#include "harness/harness.hpp"

namespace harness {

namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();
constexpr double kNan = std::numeric_limits<double>::quiet_NaN();

// Numbers of many sizes; with `special` some are NaN, infinite, or a zero of either sign.
void fill_numbers(Data& data, Rng& rng, bool special) {
  fill_normal(data, rng, 3);
  const Uniform draw(0, 1);
  for (std::int64_t i = 0; i < data.numel(); ++i) {
    if (i % 7 == 3) data.set(i, std::ldexp(data.get(i), static_cast<int>(i % 29) - 16));
    if (!special) continue;
    if (const double kind = draw(rng); kind < 0.05)
      data.set(i, kind < 0.01 ? kNan : kind < 0.02 ? kInfinity : kind < 0.03 ? -kInfinity : kind < 0.04 ? 0.0 : -0.0);
  }
}

struct Setting {
  std::int64_t rows = 1, columns = 1;
  adj_scale_granularity granularity = ADJ_SCALE_GRANULARITY_TENSOR;
  bool transposed = false, special = false;
  std::function<void(adj_quantize_descriptor&)> change{};
  const char* more = "";
  std::string text() const {
    constexpr const char* kNames[] = {"", "tensor", "row", "1x128", "128x128"};
    return fmt::format("{}x{} {}{}{}{}{}", rows, columns, kNames[granularity], transposed ? " transposed" : "", special ? ", NaN and infinity" : "",
                       *more ? ", " : "", more);
  }
};

}  // namespace

std::vector<Case> amax_cases(const adj::Signature& signature, Level level, std::uint64_t seed) {
  std::vector<Case> cases;
  Rng rng(seed);
  auto add = [&](const char* name, const std::vector<std::int64_t>& numel, bool special, bool finite_only, bool accumulate, double before) {
    adj_amax_descriptor d;
    d.count = static_cast<std::int64_t>(numel.size());
    d.numel = numel.data();
    d.finite_only = finite_only;
    d.write_mode = accumulate ? ADJ_WRITE_ACCUMULATE : ADJ_WRITE_OVERWRITE;
    d.element = signature[0];
    auto problem = std::make_shared<Problem>(Problem::of(d));
    for (Data& data : problem->list("inputs")) fill_numbers(data, rng, special);
    problem->tensor("amax").set(0, before);
    cases.push_back({name, std::move(problem), {}});
  };
  add("no tensors", {}, false, false, false, 3);
  add("no tensors, accumulate", {}, false, false, true, -3);
  add("sizes around a vector", {0, 1, 3, 4, 7, 8, 9}, false, false, false, 100);
  add("several rounds of a block", {9001}, false, false, true, 0);
  add("a larger one before", {9001, 17}, false, false, true, 1e6);
  add("NaN before", {300}, false, false, true, kNan);
  add("NaN and infinities", {2048, 700}, true, false, false, 0);
  add("NaN and infinities, finite only", {2048, 700, 1}, true, true, true, 0);
  add("40 tensors of 5", std::vector<std::int64_t>(40, 5), false, false, false, 0);
  std::vector<std::int64_t> many(1200);  // most of them empty
  for (std::size_t i = 0; i < many.size(); i += 17) many[i] = 3;
  add("1200 tensors", many, false, true, false, 0);
  if (level == Level::full) add("n 2^24 + 1", {(1 << 24) + 1}, false, false, false, 0);
  return cases;
}

std::vector<Case> quantize_cases(const adj::Signature& signature, Level level, std::uint64_t seed) {
  constexpr auto kTensor = ADJ_SCALE_GRANULARITY_TENSOR, kRow = ADJ_SCALE_GRANULARITY_ROW, kGroup = ADJ_SCALE_GRANULARITY_BLOCK_1X128,
                 kBlock = ADJ_SCALE_GRANULARITY_BLOCK_128X128;
  std::vector<Setting> all;
  const auto given = [](adj_quantize_descriptor& d) { d.scale_source = ADJ_SCALE_SOURCE_GIVEN; };
  const auto known = [](adj_quantize_descriptor& d) { d.scale_source = ADJ_SCALE_SOURCE_AMAX; };
  const auto random = [](adj_quantize_descriptor& d) { d.stochastic_rounding = 1; };
  const auto powers = [](adj_quantize_descriptor& d) { d.pow2 = 1, d.scale_layout = ADJ_SCALE_LAYOUT_GEMM; };
  const auto quotients = [](adj_quantize_descriptor& d) { d.rule = ADJ_SCALE_RULE_QUOTIENT, d.eps = 1e-4, d.scale_layout = ADJ_SCALE_LAYOUT_GEMM; };
  const auto saturating = [](adj_quantize_descriptor& d) { d.saturate_infinity = 1, d.max_value = 240; };
  const auto no_codes = [](adj_quantize_descriptor& d) { d.has_codes = 0; };
  for (auto granularity : {kTensor, kRow, kGroup, kBlock}) {
    all.push_back({3, 0, granularity, true, false, {}});
    all.push_back({0, 3, granularity, false, false, powers, "powers"});
    all.push_back({1, 1, granularity, true, false, {}});
    all.push_back({5, 147, granularity, false, false, {}});
    all.push_back({9, 272, granularity, false, true, quotients, "quotient"});
    all.push_back({131, 77, granularity, true, true, powers, "powers"});
    all.push_back({32, 160, granularity, true, false, quotients, "quotient"});
    all.push_back({3, 129, granularity, false, true, random, "random"});
    all.push_back({35, 45, granularity, true, false, random, "random"});
    all.push_back({4, 64, granularity, false, true, saturating, "saturating"});
    all.push_back({16, 128, granularity, true, false, no_codes, "no codes"});
  }
  for (bool transposed : {false, true}) {
    all.push_back({7, 130, kTensor, transposed, true, given, "given"});
    all.push_back({7, 130, kRow, transposed, true, given, "given"});
    all.push_back({6, 144, kTensor, transposed, false, known, "known"});
  }
  all.push_back({2, 9001, kRow, false, false, {}});                // more than the threads of a block hold
  all.push_back({3, 160, kGroup, false, false, {}, "all zeros"});
  if (level == Level::full) {
    for (auto granularity : {kTensor, kRow, kGroup, kBlock})
      for (bool transposed : {false, true}) all.push_back({1037, 2064, granularity, transposed, true, {}});
    all.push_back({4096, 4096, kGroup, true, false, powers, "powers"});
    all.push_back({4096, 4096, kBlock, true, false, powers, "powers"});
  }
  std::vector<Case> cases;
  for (const Setting& s : all) {
    Rng rng(++seed);
    adj_quantize_descriptor d;
    d.rows = s.rows;
    d.columns = s.columns;
    d.granularity = s.granularity;
    d.has_transposed = s.transposed;
    d.element = signature[0];
    d.code = signature[1];
    if (s.change) s.change(d);
    auto problem = std::make_shared<Problem>(Problem::of(d));
    if (std::string_view(s.more) != "all zeros") fill_numbers(problem->tensor("x"), rng, s.special);
    if (d.scale_source == ADJ_SCALE_SOURCE_GIVEN) fill_uniform(problem->tensor("scale"), rng, 0.5, 200);
    if (d.scale_source == ADJ_SCALE_SOURCE_AMAX) problem->tensor("amax_in").set(0, 2.7);
    if (d.stochastic_rounding) problem->random("random", 0x123456789abcdefull + seed, 4 * (seed % 5));
    problem->tensor("amax_out").set(0, seed % 2 == 0 ? 1e9 : s.rows * s.columns > 0 ? 0.0 : -1.0);
    if (seed % 3 == 1) problem->omit("amax_out");
    if (seed % 3 == 2) problem->omit("error_flag");
    if (seed % 5 == 2 && d.scale_source != ADJ_SCALE_SOURCE_GIVEN) problem->omit("scale_out");
    cases.push_back({s.text(), std::move(problem), {}});
  }
  return cases;
}

std::vector<Case> dequantize_cases(const adj::Signature& signature, Level level, std::uint64_t seed) {
  struct Shape {
    std::int64_t rows, columns;
  };
  std::vector<Shape> shapes{{0, 5}, {1, 1}, {5, 147}, {131, 32}, {3, 272}};
  if (level == Level::full) shapes.push_back({1037, 2064});
  std::vector<Case> cases;
  for (auto granularity : {ADJ_SCALE_GRANULARITY_TENSOR, ADJ_SCALE_GRANULARITY_ROW, ADJ_SCALE_GRANULARITY_BLOCK_1X128, ADJ_SCALE_GRANULARITY_BLOCK_128X128})
    for (const Shape& shape : shapes)
      for (bool accumulate : {false, true}) {
        Rng rng(++seed);
        adj_dequantize_descriptor d;
        d.rows = shape.rows;
        d.columns = shape.columns;
        d.granularity = granularity;
        d.scale_layout = accumulate ? ADJ_SCALE_LAYOUT_GEMM : ADJ_SCALE_LAYOUT_NATURAL;
        d.write_mode = accumulate ? ADJ_WRITE_ACCUMULATE : ADJ_WRITE_OVERWRITE;
        d.code = signature[0];
        d.element = signature[1];
        auto problem = std::make_shared<Problem>(Problem::of(d));
        Data& codes = problem->tensor("codes");
        for (std::byte& code : codes.bytes) code = static_cast<std::byte>(rng() & 0xff);  // every code, NaN and infinities too
        fill_uniform(problem->tensor("inverse"), rng, 1e-3, 2);
        if (Data& inverse = problem->tensor("inverse"); inverse.numel() > 3) inverse.set(1, 0), inverse.set(2, kInfinity);
        if (accumulate) fill_normal(problem->tensor("out"), rng);
        Case c{
            fmt::format("{}x{} granularity {}{}", d.rows, d.columns, static_cast<int>(granularity), accumulate ? " accumulate" : ""), std::move(problem), {}};
        c.any_nan = true;
        cases.push_back(std::move(c));
      }
  return cases;
}

std::vector<Case> fp8_scale_update_cases(const adj::Signature& signature, Level level, std::uint64_t seed) {
  struct Shape {
    std::int64_t length, tensors;
  };
  std::vector<Shape> shapes{{1, 1}, {2, 3}, {9, 0}, {8, 32}, {17, 33}, {40, 70}};
  if (level == Level::full) shapes.push_back({1024, 777});
  std::vector<Case> cases;
  for (const Shape& shape : shapes)
    for (int kind = 0; kind < 4; ++kind) {
      Rng rng(++seed);
      adj_fp8_scale_update_descriptor d;
      d.length = shape.length;
      d.tensors = shape.tensors;
      d.margin = kind;
      d.algorithm = kind == 1 ? ADJ_AMAX_ALGORITHM_MOST_RECENT : ADJ_AMAX_ALGORITHM_MAX;
      d.skip_nonfinite = kind == 2;
      d.max_value = kind == 3 ? 100 : 0;
      d.code = signature[0];
      auto problem = std::make_shared<Problem>(Problem::of(d));
      Data& history = problem->tensor("history");
      fill_uniform(history, rng, 0, 50);
      for (std::int64_t i = 0; i < history.numel(); ++i) {
        if (i % 11 == 5 && kind >= 1) history.set(i, i % 2 ? kInfinity : kNan);
        if (shape.tensors > 3 && i % shape.tensors == 2) history.set(i, 0);
        if (shape.tensors > 3 && i % shape.tensors == 1) history.set(i, kind ? 0x1p-149 : 0x1p127);
      }
      fill_uniform(problem->tensor("scale"), rng, 1, 9);
      if (kind == 1) problem->omit("inverse");
      if (kind == 2) problem->omit("error_flag");
      cases.push_back({fmt::format("{} steps of {} tensors, kind {}", d.length, d.tensors, kind), std::move(problem), {}});
    }
  return cases;
}

}  // namespace harness
