// Cases of the control family: what can be run without handles and functions of a caller.
#include <fmt/format.h>

#include <adjoint/ops/control.h>

#include "harness/harness.hpp"

namespace harness {

namespace {

void fill_bits(Data& data, Rng& rng) {
  for (std::byte& b : data.bytes) b = static_cast<std::byte>(rng());
}

const std::vector<std::int64_t> kLists[] = {{}, {1}, {0, 5}, {33, 1, 64}};

template <class Descriptor>
std::vector<Case> event_cases(const adj::Signature& signature, std::uint64_t seed) {
  Rng rng(seed);
  std::vector<Case> cases;
  for (const auto& numel : kLists)
    for (bool in_place : {false, true}) {
      const Descriptor d{.count = static_cast<std::int64_t>(numel.size()), .numel = numel.data(), .element = signature[0], .skip = 1};
      auto problem = std::make_shared<Problem>(d.header);
      for (Data& data : problem->list("inputs")) fill_bits(data, rng);
      if (in_place) problem->share("outputs", "inputs");
      cases.push_back({fmt::format("{} tensors{}", numel.size(), in_place ? ", in place" : ""), problem, {}});
    }
  return cases;
}

}  // namespace

std::vector<Case> group_cases(const adj::Signature& signature, Level, std::uint64_t seed) {
  Rng rng(seed);
  std::vector<Case> cases;
  for (const auto& numel : kLists) {
    const adj_group_descriptor d{.count = static_cast<std::int64_t>(numel.size()), .numel = numel.data(), .element = signature[0]};
    auto problem = std::make_shared<Problem>(d.header);
    for (Data& data : problem->list("inputs")) fill_bits(data, rng);
    if (cases.size() % 2) problem->omit("inputs");
    cases.push_back({fmt::format("{} tensors", numel.size()), problem, {}});
  }
  return cases;
}

std::vector<Case> record_event_cases(const adj::Signature& signature, Level, std::uint64_t seed) {
  return event_cases<adj_record_event_descriptor>(signature, seed);
}
std::vector<Case> wait_event_cases(const adj::Signature& signature, Level, std::uint64_t seed) {
  return event_cases<adj_wait_event_descriptor>(signature, seed);
}

std::vector<Case> yield_cases(const adj::Signature& signature, Level, std::uint64_t) {
  const std::int64_t numel[] = {4, 7, 2}, skipped[] = {1};
  const adj_yield_descriptor d{.count = 3, .numel = numel, .non_differentiable_count = 1, .non_differentiable = skipped, .element = signature[0]};
  return {{"three outputs, one without gradient", std::make_shared<Problem>(d.header), {}}};
}

// They run the caller's code: see tests/host/control.cpp.
std::vector<Case> user_kernel_cases(const adj::Signature&, Level, std::uint64_t) { return {}; }
std::vector<Case> callback_cases(const adj::Signature&, Level, std::uint64_t) { return {}; }

}  // namespace harness
