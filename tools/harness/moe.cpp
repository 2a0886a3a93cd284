// Cases of mixtures of experts: plans, and the rows that move by them.
#include "harness/moe.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <stdexcept>

namespace harness {

void fill_experts(Data& experts, Rng& rng, std::int64_t num_experts, Routing routing) {
  for (std::int64_t n = 0; n < experts.numel(); ++n) {
    const auto draw = static_cast<std::int64_t>(rng() % static_cast<std::uint64_t>(num_experts));
    std::int64_t expert = draw;
    switch (routing) {
      case Routing::uniform: break;
      case Routing::skewed: expert = draw * draw / num_experts; break;
      case Routing::one: expert = num_experts / 2; break;
      case Routing::masked: expert = rng() % 3 ? draw : -1; break;
      case Routing::outside: expert = n % 3 == 0 ? num_experts + draw : n % 3 == 1 ? -2 - draw : draw; break;
      case Routing::none: expert = -1; break;
    }
    experts.set(n, static_cast<double>(expert));
  }
}

std::int64_t fill_moe_plan(Problem& problem, const adj_moe_plan_descriptor& d, Rng& rng, Routing routing) {
  auto plan = Problem::of(d);
  fill_experts(plan.tensor("experts"), rng, d.num_experts, routing);
  auto outputs = run_reference(plan);
  if (!outputs) throw std::logic_error("harness: " + outputs.error().message);
  for (const char* name : {"order", "inverse"}) problem.tensor(name) = outputs->arguments[plan.argument(name)].at(0);
  const Data& offsets = outputs->arguments[plan.argument("offsets")].at(0);
  return static_cast<std::int64_t>(offsets.get(d.num_experts));
}

namespace {

const char* name_of(Routing routing) {
  switch (routing) {
    case Routing::uniform: return "uniform";
    case Routing::skewed: return "skewed";
    case Routing::one: return "one expert";
    case Routing::masked: return "some masked";
    case Routing::outside: return "some out of range";
    case Routing::none: return "all masked";
  }
  return "";
}

}  // namespace

std::vector<Case> moe_plan_cases(const adj::Signature& signature, Level level, std::uint64_t seed) {
  std::vector<Case> cases;
  Rng rng(seed);
  const auto add = [&](std::int64_t tokens, std::int64_t experts, std::int64_t top_k, Routing routing, std::int64_t align = 1, std::int64_t capacity = 0) {
    const adj_moe_plan_descriptor d{.tokens = tokens, .num_experts = experts, .top_k = top_k, .capacity = capacity, .align = align, .index = signature[0]};
    auto problem = std::make_shared<Problem>(Problem::of(d));
    fill_experts(problem->tensor("experts"), rng, experts, routing);
    problem->tensor("error_flag").set(0, 5);
    cases.push_back({fmt::format("T{} E{} k{} {}, align {}, capacity {}", tokens, experts, top_k, name_of(routing), align, capacity), std::move(problem), {}});
  };
  add(0, 4, 2, Routing::uniform);
  add(0, 3, 2, Routing::uniform, 16);
  add(1, 1, 1, Routing::uniform);
  add(7, 5, 2, Routing::uniform);
  add(33, 8, 8, Routing::uniform, 16);
  add(100, 128, 8, Routing::skewed, 128);
  add(50, 7, 3, Routing::one, 128);
  add(50, 7, 3, Routing::one, 1, 1);
  add(61, 60, 4, Routing::uniform, 1, 1);
  add(64, 6, 2, Routing::skewed, 16, 9);
  add(40, 9, 5, Routing::masked);
  add(40, 9, 5, Routing::outside, 3);
  add(30, 9, 5, Routing::none, 4);
  add(31, 1024, 64, Routing::uniform);
  add(1024, 16, 2, Routing::skewed);            // the most of one launch
  add(1025, 16, 2, Routing::skewed, 16);
  add(700, 1000, 8, Routing::skewed, 1, 3);
  add(1500, 33, 4, Routing::outside, 128, 100);
  add(2100, 3, 3, Routing::one);
  if (level == Level::quick) return cases;

  for (Routing routing : {Routing::uniform, Routing::skewed, Routing::one, Routing::outside})
    for (std::int64_t experts : {8, 128, 1024}) {
      add(8192, experts, 8, routing, 128);
      add(60001, experts, 2, routing, 1, 1000);
      add(200000, experts, 8, routing, 16);  // more pairs of a block than the least
    }
  return cases;
}

namespace {

// A problem of rows: as many as the plan of these pairs has.
struct Shape {
  std::int64_t tokens, experts, top_k, columns;
  Routing routing = Routing::uniform;
  std::int64_t align = 1, capacity = 0;
};
// Also drawn: rows of the plan that have no pair, and pairs that have no row.
template <class Descriptor>
Descriptor descriptor_of(const Shape& s, adj_dtype element) {
  Descriptor d;
  d.tokens = s.tokens;
  d.top_k = s.top_k;
  d.num_rows = s.tokens * s.top_k + s.experts * (s.align - 1);
  d.columns = s.columns;
  d.element = element;
  return d;
}
std::string name_of(const Shape& s) {
  return fmt::format("T{} E{} k{} {} columns, {}, align {}, capacity {}", s.tokens, s.experts, s.top_k, s.columns, name_of(s.routing), s.align, s.capacity);
}
std::vector<Shape> shapes_of(Level level) {
  std::vector<Shape> shapes{{0, 4, 2, 16},
                            {3, 4, 2, 0},
                            {1, 1, 1, 1},
                            {5, 4, 2, 8},
                            {9, 4, 3, 64, Routing::skewed, 16},
                            {37, 8, 2, 40, Routing::masked, 16},
                            {20, 8, 8, 33, Routing::uniform, 4},
                            {20, 3, 9, 260, Routing::skewed, 1, 7},
                            {6, 10, 10, 2056, Routing::uniform, 3},
                            {3, 64, 64, 17, Routing::uniform, 2},
                            {12, 4, 2, 24, Routing::none, 8},
                            {2, 4, 4, 4100, Routing::one}};
  if (level == Level::full) {
    shapes.push_back({4096, 128, 8, 2048, Routing::skewed, 128});
    shapes.push_back({3000, 60, 4, 1000, Routing::masked, 16, 150});
    shapes.push_back({70000, 8, 2, 136, Routing::uniform});
    shapes.push_back({513, 64, 6, 7168, Routing::skewed, 16});
  }
  return shapes;
}
template <class Descriptor>
std::shared_ptr<Problem> problem_of(const Descriptor& d, const Shape& s, Rng& rng) {
  auto problem = std::make_shared<Problem>(Problem::of(d));
  fill_moe_plan(*problem, {.tokens = s.tokens, .num_experts = s.experts, .top_k = s.top_k, .capacity = s.capacity, .align = s.align, .index = ADJ_I32}, rng,
                s.routing);
  problem->tensor("error_flag").set(0, 2);
  return problem;
}
// Puts entries that are out of range into inverse, in place of rows that then have no pair.
void spoil(Problem& problem, bool has_order) {
  Data& inverse = problem.tensor("inverse");
  for (std::int64_t n = 0; n < inverse.numel(); n += 3) {
    const auto row = static_cast<std::int64_t>(inverse.get(n));
    if (row >= 0 && has_order) problem.tensor("order").set(row, -1);
    inverse.set(n, n % 2 ? -2 : 2147483647);
  }
}
std::vector<std::vector<double>> magnitudes_of(const Problem& problem, const std::string& output, std::initializer_list<const char*> inputs) {
  const Outputs outputs = run_on_magnitudes(problem, inputs);
  std::vector<std::vector<double>> result;
  for (const Data& data : outputs.arguments[problem.argument(output.c_str())]) {
    auto& of = result.emplace_back();
    for (std::int64_t i = 0; i < data.numel(); ++i) of.push_back(data.get(i));
  }
  return result;
}

}  // namespace

std::vector<Case> moe_permute_cases(const adj::Signature& signature, Level level, std::uint64_t seed) {
  std::vector<Case> cases;
  Rng rng(seed);
  for (const Shape& s : shapes_of(level))
    for (bool spoiled : {false, true}) {
      if (spoiled && s.tokens > 40) continue;
      auto problem = problem_of(descriptor_of<adj_moe_permute_descriptor>(s, signature[0]), s, rng);
      if (spoiled) spoil(*problem, true);
      fill_normal(problem->tensor("input"), rng);
      cases.push_back({name_of(s) + (spoiled ? ", entries out of range" : ""), std::move(problem), {}});
    }
  // Contents that are no plan.
  const Shape s{20, 4, 2, 40};
  auto problem = problem_of(descriptor_of<adj_moe_permute_descriptor>(s, signature[0]), s, rng);
  fill_integers(problem->tensor("inverse"), rng, -50, 50);
  fill_integers(problem->tensor("order"), rng, -50, 50);
  cases.push_back({"no plan", std::move(problem), {}});
  cases.back().unspecified = true;
  return cases;
}

std::vector<Case> moe_permute_backward_cases(const adj::Signature& signature, Level level, std::uint64_t seed) {
  std::vector<Case> cases;
  Rng rng(seed);
  const Magnitudes magnitudes = [](const Problem& p, const std::string& output) { return magnitudes_of(p, output, {"dout"}); };
  for (const Shape& s : shapes_of(level))
    for (bool spoiled : {false, true}) {
      if (spoiled && s.tokens > 40) continue;
      auto plan = problem_of(descriptor_of<adj_moe_permute_descriptor>(s, signature[0]), s, rng);
      auto problem = std::make_shared<Problem>(Problem::of(descriptor_of<adj_moe_permute_backward_descriptor>(s, signature[0])));
      problem->tensor("inverse") = plan->tensor("inverse");
      if (spoiled) spoil(*problem, false);
      fill_normal(problem->tensor("dout"), rng);
      // What rows without a pair hold adds nothing.
      for (std::int64_t p = 0; p < plan->tensor("order").numel(); ++p)
        if (plan->tensor("order").get(p) < 0)
          for (std::int64_t c = 0; c < s.columns; ++c) problem->tensor("dout").set(p * s.columns + c, std::numeric_limits<double>::quiet_NaN());
      cases.push_back({name_of(s) + (spoiled ? ", entries out of range" : ""), std::move(problem), magnitudes});
    }
  return cases;
}

std::vector<Case> moe_unpermute_cases(const adj::Signature& signature, Level level, std::uint64_t seed) {
  std::vector<Case> cases;
  Rng rng(seed);
  const Magnitudes magnitudes = [](const Problem& p, const std::string& output) {
    if (reinterpret_cast<const adj_moe_unpermute_descriptor*>(p.descriptor())->has_weights) return magnitudes_of(p, output, {"rows", "weights"});
    return magnitudes_of(p, output, {"rows"});
  };
  for (const Shape& s : shapes_of(level))
    for (bool weighted : {false, true}) {
      auto d = descriptor_of<adj_moe_unpermute_descriptor>(s, signature[0]);
      d.has_weights = weighted;
      auto problem = problem_of(d, s, rng);
      if (s.columns % 3 == 0) spoil(*problem, true);
      fill_normal(problem->tensor("rows"), rng);
      if (weighted) {
        fill_uniform(problem->tensor("weights"), rng, -1, 1);
        // The weight of a pair without a row is not read as a factor: not 0 times something.
        for (std::int64_t n = 0; n < problem->tensor("inverse").numel(); ++n)
          if (problem->tensor("inverse").get(n) < 0) problem->tensor("weights").set(n, std::numeric_limits<double>::infinity());
      }
      cases.push_back({name_of(s) + (weighted ? ", weights" : ""), std::move(problem), magnitudes});
    }
  return cases;
}

std::vector<Case> moe_unpermute_backward_cases(const adj::Signature& signature, Level level, std::uint64_t seed) {
  std::vector<Case> cases;
  Rng rng(seed);
  const Magnitudes magnitudes = [](const Problem& p, const std::string& output) {
    if (reinterpret_cast<const adj_moe_unpermute_backward_descriptor*>(p.descriptor())->has_weights)
      return magnitudes_of(p, output, {"dout", "rows", "weights"});
    return magnitudes_of(p, output, {"dout"});
  };
  for (const Shape& s : shapes_of(level))
    for (const char* form : {"", "weights", "in place"}) {
      auto d = descriptor_of<adj_moe_unpermute_backward_descriptor>(s, signature[0]);
      d.has_weights = *form != 0;
      auto problem = problem_of(d, s, rng);
      if (s.columns % 3 == 0) spoil(*problem, true);
      fill_normal(problem->tensor("dout"), rng);
      if (d.has_weights) {
        fill_normal(problem->tensor("rows"), rng);
        fill_uniform(problem->tensor("weights"), rng, -1, 1);
      }
      if (form == std::string("in place")) problem->share("drows", "rows");
      cases.push_back({fmt::format("{} {}", name_of(s), form), std::move(problem), magnitudes});
      if (!d.has_weights) cases.back().exact = {"drows"};
    }
  const Shape s{20, 4, 2, 40};
  auto d = descriptor_of<adj_moe_unpermute_backward_descriptor>(s, signature[0]);
  d.has_weights = 1;
  auto problem = problem_of(d, s, rng);
  fill_integers(problem->tensor("inverse"), rng, -50, 50);
  fill_integers(problem->tensor("order"), rng, -50, 50);
  cases.push_back({"no plan", std::move(problem), {}});
  cases.back().unspecified = true;
  return cases;
}

}  // namespace harness
