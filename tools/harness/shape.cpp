// Cases of views and copies: random bits, parts of changing size, buffers in place.
#include <fmt/format.h>

#include <array>
#include <numeric>

#include <adjoint/ops/shape.h>

#include "harness/harness.hpp"

namespace harness {

namespace {

void fill_bits(Data& data, Rng& rng) {
  for (std::byte& b : data.bytes) b = static_cast<std::byte>(rng());
}

// Element counts around the sizes of the launches' tables, whole units of 16 bytes and others.
std::vector<std::vector<std::int64_t>> lists(adj_dtype element, Level level) {
  const std::int64_t unit = 16 / adj::size_of(element);
  std::vector<std::vector<std::int64_t>> all{{1}, {0}, {7, 0, 33}, {4 * unit, 64, 64}, {1000, 1, 250, 16, 3}};
  for (std::int64_t count : {300, 1000, 1500})
    for (std::int64_t width : {std::int64_t{1}, unit}) {
      std::vector<std::int64_t>& many = all.emplace_back();
      for (std::int64_t i = 0; i < count; ++i) many.push_back(i * 7 % 4 * width);
    }
  if (level == Level::full) all.push_back({3000001, 17, 1 << 20});
  return all;
}

}  // namespace

std::vector<Case> view_cases(const adj::Signature& signature, Level level, std::uint64_t seed) {
  Rng rng(seed);
  std::vector<Case> cases;
  for (const auto& numel : lists(signature[0], level))
    for (bool copies : {false, true}) {
      const adj_view_descriptor d{.total = std::accumulate(numel.begin(), numel.end(), std::int64_t{0}),
                                  .count = static_cast<std::int64_t>(numel.size()),
                                  .numel = numel.data(),
                                  .copies = copies,
                                  .element = signature[0]};
      auto problem = std::make_shared<Problem>(d.header);
      fill_bits(problem->tensor("input"), rng);
      if (cases.size() % 3 == 1) problem->omit("offsets");
      cases.push_back({fmt::format("{} parts of {}{}", numel.size(), d.total, copies ? ", copied" : ""), problem, {}});
    }
  return cases;
}

std::vector<Case> copy_cases(const adj::Signature& signature, Level level, std::uint64_t seed) {
  Rng rng(seed);
  std::vector<Case> cases;
  for (const auto& numel : lists(signature[0], level))
    for (bool in_place : {false, true}) {
      const adj_copy_descriptor d{.count = static_cast<std::int64_t>(numel.size()), .numel = numel.data(), .element = signature[0]};
      auto problem = std::make_shared<Problem>(d.header);
      for (Data& data : problem->list("inputs")) fill_bits(data, rng);
      if (in_place) problem->share("outputs", "inputs");
      cases.push_back({fmt::format("{} tensors{}", numel.size(), in_place ? ", in place" : ""), problem, {}});
    }
  return cases;
}

std::vector<Case> transpose_cases(const adj::Signature& signature, Level level, std::uint64_t seed) {
  Rng rng(seed);
  std::vector<Case> cases;
  const std::int64_t unit = 16 / adj::size_of(signature[0]);
  std::vector<std::array<std::int64_t, 3>> sizes{{1, 1, 1},    {0, 3, 4},   {2, 0, 5},        {3, 5, 7}, {1, 64, 64}, {2, 4 * unit, 9 * unit},
                                                 {2, 65, 130}, {1, 1, 200}, {5, 70, 2 * unit}};
  if (level == Level::full) sizes.push_back({3, 1000, 2049}), sizes.push_back({1, 4096, 1024}), sizes.push_back({70'000, 3, 5});
  for (const auto& [batch, rows, columns] : sizes) {
    const adj_transpose_descriptor d{.batch = batch, .rows = rows, .columns = columns, .element = signature[0]};
    auto problem = std::make_shared<Problem>(d.header);
    fill_bits(problem->tensor("input"), rng);
    cases.push_back({fmt::format("{} of {}x{}", batch, rows, columns), problem, {}});
  }
  return cases;
}

}  // namespace harness
