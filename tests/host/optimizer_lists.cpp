// The planning of launches over long lists.
#include <doctest/doctest.h>

#include <cmath>
#include <limits>
#include <memory>
#include <random>

#include "../../kernels/prelude/scalar.h"
#include "../../kernels/prelude/multi_tensor.h"
#include "../../kernels/prelude/multi_norm.h"
#include "../../kernels/optimizer/params.h"
#include "optimizer.hpp"

using namespace optimizers;

namespace {

template <class T>
T load(const std::byte* at) {
  T value;
  std::memcpy(&value, at, sizeof value);
  return value;
}

// Checks a launch's table against its part of the list; returns the number of chunks.
std::int64_t check_table(const std::byte* table, std::size_t capacity, int arrays, std::span<const std::int64_t> numel, int chunk_log2) {
  const MultiTensorLayout layout = multi_tensor_layout(static_cast<unsigned>(capacity), multi_tensor_elementwise(arrays));
  std::int64_t chunks = 0;
  bool ok = numel.size() <= capacity;
  for (std::size_t i = 0; ok && i < numel.size(); ++i) {
    const std::int64_t own = (numel[i] + (std::int64_t{1} << chunk_log2) - 1) >> chunk_log2;
    ok = load<std::uint32_t>(table + layout.first_chunk + 4 * i) == chunks &&
         (own << chunk_log2) - load<std::uint32_t>(table + layout.count + 4 * i) == numel[i];
    chunks += own;
  }
  CHECK(ok);
  return chunks;
}

// Checks that the launches of an adam plan cover every tensor of the list once; returns their number.
std::size_t check_launches(const std::vector<std::int64_t>& numel, bool copies, int advance = 0) {
  adj_adam_descriptor d;
  d.count = static_cast<std::int64_t>(numel.size());
  d.numel = numel.data();
  d.param = ADJ_F32;
  d.copy = copies ? ADJ_BF16 : ADJ_DTYPE_NONE;
  d.advance_step = advance;
  const PlanPtr plan = planned(d, *adj::offline_stream("sm_90a"));
  const int arrays = copies ? 5 : 4;
  std::size_t next = 0, launches = 0;
  int reports = 0;
  for (const adj::Step& step : plan->steps_of(false)) {
    const auto& kernel = std::get<adj::KernelStep>(step);
    if (kernel.program->source() == "optimizer/advance.cu") continue;
    ++launches;
    const auto head = load<AdamHead>(kernel.params.data());
    reports += head.lists.reports;
    const auto size = static_cast<unsigned>(kernel.params.size());
    CHECK((size == kMultiTensorSmallBytes || size == kMultiTensorMediumBytes || size == kMultiTensorLargeBytes));
    CHECK(kernel.program->name().ends_with(fmt::format("ADJ_PARAM_BYTES={}", size)));
    const std::size_t capacity = multi_tensor_capacity(size - sizeof head, multi_tensor_elementwise(arrays));
    const MultiTensorLayout layout = multi_tensor_layout(static_cast<unsigned>(capacity), multi_tensor_elementwise(arrays));
    std::uint32_t first = 0;
    int lists = 0;
    for (const adj::Binding& binding : kernel.bindings) {
      if (binding.kind != adj::Binding::list) continue;
      CHECK(binding.argument == lists);
      CHECK(binding.offset == sizeof head + layout.low + 4 * capacity * static_cast<std::size_t>(lists));
      CHECK(binding.high == sizeof head + layout.high + 2 * capacity * static_cast<std::size_t>(lists));
      CHECK(binding.count == head.list.tensors);
      first = binding.first;
      ++lists;
    }
    CHECK(lists == arrays);
    for (; next < first; ++next) CHECK(numel[next] == 0);
    const auto range = std::span(numel).subspan(next, head.list.tensors);
    CHECK(check_table(kernel.params.data() + sizeof head, capacity, arrays, range, head.list.chunk_log2) == head.list.chunks);
    CHECK(kernel.config.grid_x == head.list.chunks);
    CHECK(kernel.config.block_x == kMultiTensorThreads);
    next += range.size();
  }
  for (; next < numel.size(); ++next) CHECK(numel[next] == 0);
  CHECK(reports == (launches > 0));
  CHECK(plan->count_steps(false) == static_cast<std::int64_t>(launches) + advance);

  CHECK(plan->workspace_size == 0);
  if (!plan->tables.empty()) {
    REQUIRE(plan->tables.size() == 1);
    const auto bound = plan->steps_of(true);
    CHECK(bound.size() == 1u + static_cast<std::size_t>(advance));
    const auto head = load<AdamHead>(std::get<adj::KernelStep>(bound[0]).params.data());
    CHECK(check_table(plan->tables[0].image.data(), numel.size(), arrays, numel, head.list.chunk_log2) == head.list.chunks);
    CHECK(plan->bind_workspace_size >= plan->tables[0].offset + plan->tables[0].image.size());
    CHECK(head.lists.reports == 1);
    const MultiTensorLayout layout = multi_tensor_layout(static_cast<unsigned>(numel.size()), multi_tensor_elementwise(arrays));
    for (const adj::Binding& binding : plan->tables[0].bindings) {
      CHECK(binding.count == numel.size());
      CHECK(binding.offset == layout.low + 4 * numel.size() * binding.argument);
      CHECK(binding.high == layout.high + 2 * numel.size() * binding.argument);
    }
  } else {
    CHECK(plan->tables.empty());
    CHECK(launches <= 1);
  }
  return launches;
}

}  // namespace

TEST_CASE("multi-tensor launches cover every tensor once") {
  CHECK(check_launches({}, false) == 0);
  CHECK(check_launches({0, 0, 0}, false) == 0);
  CHECK(check_launches({0, 0, 0}, false, 1) == 0);
  CHECK(check_launches(std::vector<std::int64_t>(5000, 0), true) == 0);
  CHECK(check_launches({1}, false) == 1);
  const std::size_t small = multi_tensor_capacity(kMultiTensorSmallBytes - sizeof(AdamHead), multi_tensor_elementwise(4));
  const std::size_t large = multi_tensor_capacity(kMultiTensorLargeBytes - sizeof(AdamHead), multi_tensor_elementwise(4));
  CHECK(check_launches(std::vector<std::int64_t>(small, 100), false) == 1);
  CHECK(check_launches(std::vector<std::int64_t>(small + 1, 100), false, 1) == 1);
  CHECK(check_launches(std::vector<std::int64_t>(large, 100), false) == 1);
  CHECK(check_launches(std::vector<std::int64_t>(large + 1, 100), false) == 2);
  CHECK(check_launches(std::vector<std::int64_t>(1000, 1024), false) == 1);
  CHECK(check_launches(std::vector<std::int64_t>(32, 655360), false) == 1);
  // A launch with only empty tensors is left out.
  std::vector<std::int64_t> gap(3 * large, 7);
  std::fill(gap.begin() + static_cast<std::ptrdiff_t>(large), gap.begin() + static_cast<std::ptrdiff_t>(2 * large), 0);
  CHECK(check_launches(gap, false) == 2);
  // Sizes beyond 32 bits.
  CHECK(check_launches({(std::int64_t{1} << 33) + 1, 3, std::int64_t{1} << 45}, true) == 1);
  std::mt19937_64 rng(5);
  for (int trial = 0; trial < 200; ++trial) {
    std::vector<std::int64_t> numel(rng() % 3000);
    for (auto& n : numel) n = static_cast<std::int64_t>(rng() % 4 == 0 ? 0 : rng() % (std::uint64_t{1} << (rng() % 24)));
    check_launches(numel, trial % 2);
  }
}

TEST_CASE("multi-tensor launches take every address, of at most 48 bits") {
  constexpr std::size_t kTensors = 1500;
  const std::vector<std::int64_t> numel(kTensors, 16);
  const adj_adam_descriptor d{.count = kTensors, .numel = numel.data(), .param = ADJ_F32};
  const PlanPtr plan = planned(d, *adj::offline_stream("sm_90a"));
  std::vector<void*> data[4];
  const std::vector<std::uint64_t> bytes(kTensors, 64);
  adj_adam_args a;
  adj_tensor_list* const lists[] = {&a.params, &a.grads, &a.exp_avg, &a.exp_avg_sq};
  for (std::size_t k = 0; k < 4; ++k) {
    for (std::size_t i = 0; i < kTensors; ++i) {
      const std::uintptr_t index = 4 * i + k + 1;  // both halves of the addresses take many values
      data[k].push_back(reinterpret_cast<void*>(i % 2 ? (std::uintptr_t{1} << 48) - 64 * index : 0x1'0000'0040 * index));
    }
    *lists[k] = {.count = kTensors, .dtype = ADJ_F32, .data = data[k].data(), .bytes = bytes.data()};
  }
  a.step.value = 1;
  a.lr.value = 1e-3;
  CHECK(adj::can_implement(*plan, &a.header).ok());

  auto check = [&](const std::byte* table, std::size_t capacity, std::size_t begin, std::size_t count) {
    const MultiTensorLayout layout = multi_tensor_layout(static_cast<unsigned>(capacity), multi_tensor_elementwise(4));
    bool ok = true;
    for (std::size_t k = 0; k < 4; ++k)
      for (std::size_t i = 0; i < count; ++i) {
        const std::size_t at = k * capacity + i;
        const std::uint64_t high = load<std::uint16_t>(table + layout.high + 2 * at), low = load<std::uint32_t>(table + layout.low + 4 * at);
        ok &= (high << 32 | low) == reinterpret_cast<std::uintptr_t>(data[k][begin + i]);
      }
    CHECK(ok);
  };
  const auto* args = reinterpret_cast<const std::byte*>(&a);
  std::size_t next = 0;
  for (const adj::Step& step : plan->steps_of(false)) {
    const auto& kernel = std::get<adj::KernelStep>(step);
    std::vector<std::byte> block(kernel.params.size(), std::byte{0xA5});
    for (const auto& [begin, end] : kernel.constant) std::copy_n(kernel.params.begin() + begin, end - begin, block.begin() + begin);
    adj::apply(kernel.bindings, block.data(), *plan->op, args, nullptr);
    const auto head = load<AdamHead>(block.data());
    const std::size_t capacity = multi_tensor_capacity(static_cast<unsigned>(block.size() - sizeof head), multi_tensor_elementwise(4));
    check_table(block.data() + sizeof head, capacity, 4, std::span(numel).subspan(next, head.list.tensors), head.list.chunk_log2);
    check(block.data() + sizeof head, capacity, next, head.list.tensors);
    next += head.list.tensors;
  }
  CHECK(next == kTensors);
  std::vector<std::byte> image = plan->tables.at(0).image;
  adj::apply(plan->tables[0].bindings, image.data(), *plan->op, args, nullptr);
  check(image.data(), kTensors, 0, kTensors);

  data[2][700] = reinterpret_cast<void*>(std::uintptr_t{1} << 48);
  const auto beyond = adj::can_implement(*plan, &a.header);
  REQUIRE(!beyond);
  CHECK(beyond.error().code == ADJ_ERROR_UNSUPPORTED);
  CHECK(beyond.error().message == "adam: exp_avg.data[700] = 0x1000000000000 has more than 48 bits");
}

TEST_CASE("multi-tensor chunks fit the size of the problem") {
  auto chunks = [](std::vector<std::int64_t> numel) {
    adj_sgd_descriptor d{.count = static_cast<std::int64_t>(numel.size()), .numel = numel.data(), .param = ADJ_F32};
    const PlanPtr plan = planned(d, *adj::offline_stream("sm_90a"));
    return load<SgdHead>(std::get<adj::KernelStep>(plan->steps.at(0)).params.data()).list;
  };
  CHECK(chunks({100}).chunks == 1);
  CHECK(chunks({1 << 20}).chunks >= 132);
  CHECK(chunks({1 << 30}).chunk_log2 == 15);
  const auto enormous = chunks({std::int64_t{1} << 58});
  CHECK(enormous.chunk_log2 <= kMultiTensorLargestChunk);
  CHECK((std::int64_t{enormous.chunks} << enormous.chunk_log2) == std::int64_t{1} << 58);
}
