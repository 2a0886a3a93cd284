// The cache of plans: equality of problems, the number of plans that it keeps, and the cost of a hit.
#include <doctest/doctest.h>

#include <adjoint/adjoint.hpp>

#include <chrono>
#include <cstdio>
#include <memory>

#include "plan/plan_cache.hpp"

using namespace adjoint;

namespace {

struct Release {
  void operator()(adj::Plan* plan) const { adj::release(plan); }
};
using Handle = std::unique_ptr<adj::Plan, Release>;

Handle get(adj::PlanCache& cache, const adj_header& descriptor, const adj_preference* preference = nullptr, const adj_stream& stream = adj_stream_host()) {
  auto plan = cache.acquire(stream, &descriptor, preference);
  REQUIRE_MESSAGE(plan.ok(), plan.error().message);
  return Handle(*plan);
}

EmbeddingForwardDescriptor lookup(std::int64_t n = 4) {
  return {.num_embeddings = 3, .embedding_dim = 2, .num_indices = n, .element = ADJ_F32, .index = ADJ_I64};
}

}  // namespace

TEST_CASE("equal problems get one plan") {
  adj::PlanCache cache(4);
  const auto d = lookup();
  const Handle first = get(cache, d.header);
  CHECK(get(cache, d.header) == first);
  CHECK(get(cache, lookup().header) == first);

  const Preference same{.determinism = ADJ_RUN_TO_RUN};  // the default's meaning
  CHECK(get(cache, d.header, &same) == first);
  const std::string glob = "embedding_forward/*", again = glob;
  const Preference a{.sku = glob.c_str()}, b{.sku = again.c_str()}, other{.sku = "*"}, strict{.determinism = ADJ_BATCH_INVARIANT}, little{.workspace_limit = 7};
  CHECK(get(cache, d.header, &a) == get(cache, d.header, &b));
  for (const Preference* p : {&a, &other, &strict, &little}) CHECK(get(cache, d.header, p) != first);
  CHECK(get(cache, d.header, &a) != get(cache, d.header, &other));

  adj_stream sm80, sm90;
  REQUIRE(adj_stream_offline("sm_80", &sm80) == ADJ_OK);
  REQUIRE(adj_stream_offline("sm_90a", &sm90) == ADJ_OK);
  const Handle on80 = get(cache, d.header, nullptr, sm80);
  CHECK(on80 != first);
  CHECK(get(cache, d.header, nullptr, sm80) == on80);
  CHECK(get(cache, d.header, nullptr, sm90) != on80);

  for (auto change : {+[](EmbeddingForwardDescriptor& x) { x.num_indices = 5; }, +[](EmbeddingForwardDescriptor& x) { x.element = ADJ_F64; },
                      +[](EmbeddingForwardDescriptor& x) { x.padding_idx = 1, x.has_padding_idx = 1; }}) {
    auto changed = lookup();
    change(changed);
    CHECK(get(cache, changed.header) != first);
  }
  // A longer structure with a tail of zeros is the same problem.
  struct Longer {
    EmbeddingForwardDescriptor d = lookup();
    std::uint64_t tail[4] = {};
  } longer;
  longer.d.header.struct_size = sizeof longer;
  CHECK(get(cache, longer.d.header) == first);
}

TEST_CASE("lists and texts are compared by what they hold") {
  adj::PlanCache cache(4);
  std::vector<std::int64_t> numel{3, 0, 5}, copy = numel, changed{3, 1, 5};
  auto adam = [](const std::vector<std::int64_t>& list) {
    return AdamDescriptor{.count = static_cast<std::int64_t>(list.size()), .numel = list.data(), .param = ADJ_F32};
  };
  const Handle first = get(cache, adam(numel).header);
  CHECK(get(cache, adam(copy).header) == first);
  CHECK(get(cache, adam(changed).header) != first);
  numel[1] = 1;  // the plan keeps the list that it was selected with
  CHECK(get(cache, adam(numel).header) != first);
  CHECK(get(cache, adam(copy).header) == first);
  const std::vector<std::int64_t> many(5000, 7), many_again = many;
  CHECK(get(cache, adam(many).header) == get(cache, adam(many_again).header));
}

TEST_CASE("what is not kept") {
  adj::PlanCache cache(4);
  // Refusals are select's, and are not cached.
  auto d = lookup();
  d.num_indices = -3;
  const adj_stream host = adj_stream_host();
  for (int i = 0; i < 2; ++i) {
    auto refused = cache.acquire(host, &d.header, nullptr), selected = adj::select_plan(host, &d.header, nullptr);
    REQUIRE_FALSE(refused.ok());
    CHECK(refused.error().message == selected.error().message);
  }
  const std::vector<std::int64_t> numel(40000, 1);
  const AdamDescriptor endless{.count = static_cast<std::int64_t>(numel.size()), .numel = numel.data(), .param = ADJ_F32};
  const Handle large = get(cache, endless.header);
  CHECK(get(cache, endless.header) != large);
  // A callback is not cached: another function may have its address later.
  CallbackDescriptor callback{.function = [](const adj_callback_call*) -> std::int32_t { return 0; }, .element = ADJ_F32};
  const Handle one = get(cache, callback.header);
  CHECK(get(cache, callback.header) != one);
}

TEST_CASE("the cache is bounded, and keeps what is asked for") {
  adj::PlanCache cache(1);
  constexpr auto kWays = static_cast<std::int64_t>(adj::PlanCache::kWays);
  const Handle loved = get(cache, lookup(1000).header);
  const adj::Plan* address = loved.get();
  Handle first = get(cache, lookup(0).header);
  for (std::int64_t i = 1; i < 5 * kWays; ++i) {
    get(cache, lookup(i).header);
    CHECK(get(cache, lookup(1000).header).get() == address);
  }
  CHECK(first->references == 1);  // only ours is left
  CHECK(get(cache, lookup(0).header) != first);
  CHECK(loved->references == 2);
}

TEST_CASE("every member of a preference is part of the problem") {
  adj::PlanCache cache(16);
  const auto d = lookup();
  const Handle first = get(cache, d.header);
  const Preference changed[] = {{.determinism = ADJ_SHAPE_ONLY},
                                {.math = ADJ_MATH_FAST},
                                {.jit = ADJ_JIT_CACHED_ONLY},
                                {.backend = ADJ_BACKEND_HOST},
                                {.workspace_limit = 1},
                                {.sku = "*"},
                                {.fallback = 1},
                                {.workspace_arch = 90},
                                {.tune = 1}};
  std::vector<Handle> plans;
  for (const Preference& p : changed) {
    plans.push_back(get(cache, d.header, &p));
    CHECK(plans.back() != first);
    CHECK(get(cache, d.header, &p) == plans.back());
    for (std::size_t i = 0; i + 1 < plans.size(); ++i) CHECK(plans[i] != plans.back());
  }
  // One of each member, so that a new member is missed here. The glob is a pointer; eight numbers are seven members and reserved bytes.
  CHECK(sizeof(Preference) == sizeof(adj_header) + 8 * sizeof(std::int32_t) + sizeof(std::uint64_t) + sizeof(const char*));
}

TEST_CASE("the cache is bounded in bytes, and what is requested stays") {
  const std::vector<std::int64_t> numel(3000, 5);
  const auto list = [&](std::int64_t n) { return AdamDescriptor{.count = n, .numel = numel.data(), .param = ADJ_F32}; };
  constexpr std::size_t kMost = 2 << 20;
  adj::PlanCache cache(64, kMost);
  const Handle loved = get(cache, list(1500).header);
  const std::size_t one = adj::memory_of(*loved);
  CHECK(one > 1500 * 8);
  CHECK(adj::memory_of(*get(cache, lookup().header)) < 3000);  // tests/threads has a cache for a few of these
  CHECK(cache.bytes() >= one);
  const Handle first = get(cache, list(2000).header);
  CHECK(first->references == 2);
  for (std::int64_t n = 2001; n < 2200; ++n) {
    get(cache, list(n).header);
    CHECK(cache.bytes() <= kMost);
    CHECK(get(cache, list(1500).header) == loved);
  }
  CHECK(first->references == 1);  // only ours is left
  CHECK(cache.bytes() > kMost / 2);
  CHECK(loved->references == 2);
  // A plan that would take a large part of the whole is not kept.
  adj::PlanCache small(64, 2 * one);
  CHECK(get(small, list(1500).header) != get(small, list(1500).header));
  CHECK(small.bytes() == 0);
}

TEST_CASE("what a hit costs") {
  auto measure = [](const char* name, auto call) {
    constexpr int kCalls = 2000, kRounds = 30;
    double best = 1e9;
    for (int round = 0; round < kRounds; ++round) {
      const auto start = std::chrono::steady_clock::now();
      for (int i = 0; i < kCalls; ++i) call();
      best = std::min(best, std::chrono::duration<double, std::nano>(std::chrono::steady_clock::now() - start).count() / kCalls);
    }
    std::printf("%-44s %6.0f ns\n", name, best);
    return best;
  };
  const adj_stream host = adj_stream_host();
  auto acquire = [&](const adj_header& header) {
    adj_plan* plan = nullptr;
    if (adj_plan_acquire(&host, &header, nullptr, &plan, nullptr)) std::abort();
    adj_plan_release(plan);
  };
  const auto small = lookup();
  const double least = measure("acquire embedding_forward", [&] { acquire(small.header); });
  ConvForwardDescriptor conv{.input = {4, {2, 4, 6, 5}}, .weight = {4, {6, 4, 3, 3}}, .out = {4, {2, 6, 4, 3}}, .element = ADJ_F32};
  measure("acquire conv_forward, the largest", [&] { acquire(conv.header); });
  const std::vector<std::int64_t> numel(148, 1000);
  const AdamDescriptor adam{.count = 148, .numel = numel.data(), .param = ADJ_F32};
  measure("acquire adam of 148 tensors", [&] { acquire(adam.header); });
  const double selection = measure("select embedding_forward", [&] {
    adj_plan* plan = nullptr;
    if (adj_plan_select(&host, &small.header, nullptr, &plan, nullptr)) std::abort();
    adj_plan_release(plan);
  });
  CHECK(least < selection / 2);
}
