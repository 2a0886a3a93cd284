// Mixtures of experts on the host stream: plans worked out by hand, and rows that go to experts and come back.
#include <cstdint>
#include <limits>
#include <numeric>
#include <string>
#include <vector>

#include <adjoint/ops/moe.h>
#include <doctest/doctest.h>

#include "base/dtype.hpp"
#include "support.hpp"

namespace {

using namespace support;

struct Plan {
  std::vector<std::int32_t> offsets, order, inverse;
  std::int64_t errors = 0;
};
template <class Index>
Plan plan_of(std::vector<Index> experts, std::int64_t num_experts, std::int64_t top_k, std::int64_t align = 1, std::int64_t capacity = 0) {
  const adj_moe_plan_descriptor d{.tokens = static_cast<std::int64_t>(experts.size()) / top_k,
                                  .num_experts = num_experts,
                                  .top_k = top_k,
                                  .capacity = capacity,
                                  .align = align,
                                  .index = adj::dtype_of<Index>};
  Plan plan{std::vector<std::int32_t>(static_cast<std::size_t>(num_experts + 1), -7),
            std::vector<std::int32_t>(experts.size() + static_cast<std::size_t>(num_experts * (align - 1)), -7), std::vector<std::int32_t>(experts.size(), -7)};
  std::vector<std::int64_t> flag{100};
  adj_moe_plan_args args;
  args.experts = tensor(experts);
  args.offsets = tensor(plan.offsets);
  args.order = tensor(plan.order);
  args.inverse = tensor(plan.inverse);
  args.error_flag = tensor(flag);
  auto ok = run(d, args);
  REQUIRE_MESSAGE(ok.ok(), (ok ? std::string() : ok.error().message));
  plan.errors = flag[0] - 100;
  return plan;
}
using Ints = std::vector<std::int32_t>;

std::vector<float> numbers(std::int64_t count, float first = 1) {
  std::vector<float> v(static_cast<std::size_t>(count));
  std::iota(v.begin(), v.end(), first);
  return v;
}

}  // namespace

TEST_CASE("a plan sorts pairs by expert, stably") {
  const Plan plan = plan_of<std::int64_t>({2, 0, 0, 2, 2, 3}, 4, 2);
  CHECK(plan.offsets == Ints{0, 2, 2, 5, 6});
  CHECK(plan.order == Ints{1, 2, 0, 3, 4, 5});
  CHECK(plan.inverse == Ints{2, 0, 1, 3, 4, 5});
  CHECK(plan.errors == 0);
}

TEST_CASE("a plan rounds groups up, drops pairs beyond the capacity, and counts experts that do not exist") {
  const Plan padded = plan_of<std::int32_t>({1, 1, 1, 0}, 3, 1, 4);
  CHECK(padded.offsets == Ints{0, 4, 8, 8});
  CHECK(padded.order == Ints{3, -1, -1, -1, 0, 1, 2, -1, -1, -1, -1, -1, -1});
  CHECK(padded.inverse == Ints{4, 5, 6, 0});
  const Plan full = plan_of<std::int32_t>({1, 1, 0, 1, 1, 0}, 2, 2, 1, 2);
  CHECK(full.offsets == Ints{0, 2, 4});
  CHECK(full.order == Ints{2, 5, 0, 1, -1, -1});
  CHECK(full.inverse == Ints{2, 3, 0, -1, -1, 1});
  const Plan outside = plan_of<std::int32_t>({-1, 3, -2, 1}, 3, 1);
  CHECK(outside.offsets == Ints{0, 0, 1, 1});
  CHECK(outside.order == Ints{3, -1, -1, -1});
  CHECK(outside.inverse == Ints{-1, -1, -1, 0});
  CHECK(outside.errors == 2);
}

TEST_CASE("rows that go to one expert a token come back as they were") {
  const Plan plan = plan_of<std::int32_t>({2, 0, 1, 0, 2}, 3, 1, 4);
  const auto rows = static_cast<std::int64_t>(plan.order.size());
  Ints order = plan.order, inverse = plan.inverse;
  std::vector<float> input = numbers(15), out(static_cast<std::size_t>(rows * 3), -7), back(15, -7);
  adj_moe_permute_args go;
  go.input = tensor(input), go.order = tensor(order), go.inverse = tensor(inverse), go.out = tensor(out);
  REQUIRE(run(adj_moe_permute_descriptor{.tokens = 5, .top_k = 1, .num_rows = rows, .columns = 3, .element = ADJ_F32}, go).ok());
  for (std::size_t p = 0; p < order.size(); ++p)
    for (std::size_t c = 0; c < 3; ++c) CHECK(out[p * 3 + c] == (order[p] < 0 ? 0 : input[static_cast<std::size_t>(order[p]) * 3 + c]));
  adj_moe_unpermute_args come;
  come.rows = tensor(out), come.inverse = tensor(inverse), come.out = tensor(back);
  REQUIRE(run(adj_moe_unpermute_descriptor{.tokens = 5, .top_k = 1, .num_rows = rows, .columns = 3, .element = ADJ_F32}, come).ok());
  CHECK(back == input);
}

TEST_CASE("a dropped pair adds nothing, and its weight has no gradient") {
  Ints order{0, 2, -1}, inverse{0, -1, 1, -1};
  std::vector<float> rows{1, 2, 3, 4, std::numeric_limits<float>::quiet_NaN(), 6}, weights{2, std::numeric_limits<float>::infinity(), 3, -1}, out(4, -7);
  adj_moe_unpermute_args args;
  args.rows = tensor(rows), args.weights = tensor(weights), args.inverse = tensor(inverse), args.out = tensor(out);
  REQUIRE(run(adj_moe_unpermute_descriptor{.tokens = 2, .top_k = 2, .num_rows = 3, .columns = 2, .has_weights = 1, .element = ADJ_F32}, args).ok());
  CHECK(out == std::vector<float>{2, 4, 9, 12});
  std::vector<float> dout{1, 10, 100, 1000}, drows(6, -7), dweights(4, -7);
  adj_moe_unpermute_backward_args back;
  back.dout = tensor(dout), back.rows = tensor(rows), back.weights = tensor(weights), back.order = tensor(order), back.inverse = tensor(inverse);
  back.drows = tensor(drows), back.dweights = tensor(dweights);
  REQUIRE(run(adj_moe_unpermute_backward_descriptor{.tokens = 2, .top_k = 2, .num_rows = 3, .columns = 2, .has_weights = 1, .element = ADJ_F32}, back).ok());
  CHECK(drows == std::vector<float>{2, 20, 300, 3000, 0, 0});
  CHECK(dweights == std::vector<float>{21, 0, 4300, 0});
}

TEST_CASE("refusals of mixtures of experts name field and value") {
  std::string message;
  const auto refuse = [&](const auto& d) {
    CHECK(select_status(d, &message) == ADJ_ERROR_INVALID_PROBLEM);
    return message;
  };
  CHECK(refuse(adj_moe_plan_descriptor{.tokens = 4, .num_experts = 0, .top_k = 2, .index = ADJ_I32}) == "moe_plan: num_experts = 0 is below 1");
  CHECK(refuse(adj_moe_plan_descriptor{.tokens = 4, .num_experts = 4, .top_k = 2, .align = 0, .index = ADJ_I32}) == "moe_plan: align = 0 is below 1");
  CHECK(refuse(adj_moe_permute_descriptor{.tokens = 4, .top_k = 0, .num_rows = 4, .columns = 4, .element = ADJ_F32}) == "moe_permute: top_k = 0 is below 1");
}
