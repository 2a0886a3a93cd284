// Control operators on the host stream: events between threads, callbacks with their context, kernels of a caller on an offline device.
#include <atomic>
#include <chrono>
#include <cstring>
#include <string>
#include <thread>
#include <vector>

#include <adjoint/ops/control.h>
#include <doctest/doctest.h>

#include "host/communicator.hpp"
#include "support.hpp"

namespace {

using namespace support;
using I = std::vector<std::int64_t>;

}  // namespace

TEST_CASE("group: done is true, its inputs need not be given") {
  std::uint8_t done = 0;
  adj_group_args a;
  a.done.data = &done;
  a.done.bytes = 1;
  a.done.dtype = ADJ_BOOL;
  CHECK(run(adj_group_descriptor{.element = ADJ_F32}, a).ok());
  CHECK(done == 1);
}

TEST_CASE("events: many threads wait for one record; reset; destroyed handles") {
  void* event = *adj::host::create_event();
  const I numel{1};
  std::atomic<int> seen{0};
  std::vector<float> source{0}, copy(1);
  auto wait = [&](std::vector<float>& to) {
    std::vector<void*> in{source.data()}, out{to.data()};
    const std::uint64_t bytes[] = {4};
    adj_wait_event_args a;
    a.event = event;
    a.inputs = {1, ADJ_F32, 0, in.data(), bytes};
    a.outputs = {1, ADJ_F32, 0, out.data(), bytes};
    return run(adj_wait_event_descriptor{.count = 1, .numel = numel.data(), .element = ADJ_F32}, a);
  };
  std::vector<std::vector<float>> got(4, std::vector<float>(1));
  {
    std::vector<std::jthread> threads;
    for (auto& to : got)
      threads.emplace_back([&] {
        if (wait(to).ok()) ++seen;
      });
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
    CHECK(seen == 0);
    source[0] = 5;
    adj_record_event_args r;
    r.event = event;
    CHECK(run(adj_record_event_descriptor{.element = ADJ_F32}, r).ok());
  }
  CHECK(seen == 4);
  for (const auto& to : got) CHECK(to[0] == 5);
  CHECK(wait(copy).ok());  // recorded still
  CHECK(adj::host::reset_event(event).ok());
  {
    std::jthread waiter([&] { CHECK(wait(copy).error().code == ADJ_ERROR_INVALID_ARGUMENT); });
    std::this_thread::sleep_for(std::chrono::milliseconds(10));
    CHECK(adj::host::destroy_event(event));
  }
  CHECK(wait(copy).error().message.find("has been destroyed") != std::string::npos);
  // Without an event the tensors are passed on; the handle has to be absent then, and there otherwise.
  adj_wait_event_args none;
  CHECK(run(adj_wait_event_descriptor{.element = ADJ_F32}, none).error().code == ADJ_ERROR_NULL_BUFFER);
  CHECK(run(adj_wait_event_descriptor{.element = ADJ_F32, .skip = 1}, none).ok());
  none.event = event;
  CHECK(run(adj_wait_event_descriptor{.element = ADJ_F32, .skip = 1}, none).error().code == ADJ_ERROR_INVALID_ARGUMENT);
}

TEST_CASE("yield: counts of gradients follow from what is not differentiable") {
  const I numel{2, 3, 4}, skipped{1}, wrong{1, 1};
  std::vector<float> a(2), b(3), c(4), ga(2), gc(4);
  std::vector<void*> outputs{a.data(), b.data(), c.data()}, gradients{ga.data(), gc.data()};
  const std::uint64_t bytes[] = {8, 12, 16}, gradient_bytes[] = {8, 16};
  const adj_yield_descriptor d{.count = 3, .numel = numel.data(), .non_differentiable_count = 1, .non_differentiable = skipped.data(), .element = ADJ_F32};
  adj_yield_args args;
  args.outputs = {3, ADJ_F32, 0, outputs.data(), bytes};
  args.gradients = {2, ADJ_F32, 0, gradients.data(), gradient_bytes};
  CHECK(run(d, args).ok());
  args.gradients.count = 1;
  CHECK(run(d, args).error().code == ADJ_ERROR_SHAPE_MISMATCH);
  std::string message;
  CHECK(select_status(adj_yield_descriptor{.count = 3, .numel = numel.data(), .non_differentiable_count = 2, .non_differentiable = wrong.data(),
                                           .element = ADJ_F32}, &message) == ADJ_ERROR_INVALID_PROBLEM);
  CHECK(message.find("non_differentiable[1] = 1") != std::string::npos);
}

namespace {

struct Doubler {
  int calls = 0, destroyed = 0;
  std::int32_t code = 0;
};
std::int32_t twice(const adj_callback_call* call) {
  auto& own = *static_cast<Doubler*>(call->user);
  ++own.calls;
  CHECK(call->header.struct_size == sizeof(adj_callback_call));
  CHECK(call->stream->kind == ADJ_STREAM_HOST);
  const auto* in = static_cast<const float*>(call->inputs->data[0]);
  auto* out = static_cast<float*>(call->outputs->data[0]);
  for (int i = 0; i < 3; ++i) out[i] = 2 * in[i];
  if (call->context) *call->context += 7;
  return own.code;
}
void destroy(void* user) { ++static_cast<Doubler*>(user)->destroyed; }

}  // namespace

TEST_CASE("callback: called in order with its tensors and context; destroyed once with the plan") {
  Doubler own;
  const I numel{3};
  adj_callback_descriptor d{.function = twice, .destroy = destroy, .user = &own, .input_count = 1, .input_numel = numel.data(), .output_count = 1,
                            .output_numel = numel.data(), .element = ADJ_F32};
  std::vector<float> in{1, 2, 3}, out(3);
  std::vector<void*> from{in.data()}, to{out.data()};
  const std::uint64_t bytes[] = {12};
  I context{1};
  adj_callback_args a;
  a.inputs = {1, ADJ_F32, 0, from.data(), bytes};
  a.outputs = {1, ADJ_F32, 0, to.data(), bytes};
  a.context = tensor(context);
  CHECK(adj::explain_plan(adj::host_stream(), &d.header, nullptr).ok());
  CHECK(own.destroyed == 0);  // explaining hands nothing out
  {
    auto plan = select(d);
    REQUIRE(plan.ok());
    CHECK(adj::run_plan(**plan, adj::host_stream(), {}, &a.header).ok());
    CHECK(adj::can_implement(**plan, &a.header).ok());
    CHECK(own.calls == 1);
    auto bound = adj::bind_plan(**plan, adj::host_stream(), {}, &a.header);
    REQUIRE(bound.ok());
    plan->reset();
    CHECK(own.destroyed == 0);  // the bound call has the plan
    CHECK(adj::run_bound(**bound, adj::host_stream()).ok());
    adj::release(*bound);
  }
  CHECK(own.destroyed == 1);
  CHECK(own.calls == 2);
  CHECK(out == std::vector<float>{2, 4, 6});
  CHECK(context[0] == 15);
  own.code = 42;
  auto failed = run(d, a);
  REQUIRE_FALSE(failed.ok());
  CHECK(failed.error().code == ADJ_ERROR_INVALID_VALUE);
  CHECK(failed.error().native == 42);
  d.function = nullptr;
  std::string message;
  CHECK(select_status(d, &message) == ADJ_ERROR_INVALID_PROBLEM);
  CHECK(message.find("function was not given") != std::string::npos);
}

TEST_CASE("user_kernel: a plan of the caller's source; the host has a function") {
  const I numel{8}, integers{8};
  const double reals[] = {0.5};
  adj_user_kernel_descriptor d{.source = "extern \"C\" __global__ void scale(const float* x, float* y, long long n, double f) {"
                                         " long long i = threadIdx.x; if (i < n) y[i] = f * x[i]; }",
                               .entry = "scale", .macros = "A=1  B", .input_count = 1, .input_numel = numel.data(), .output_count = 1,
                               .output_numel = numel.data(), .integer_count = 1, .integers = integers.data(), .real_count = 1, .reals = reals,
                               .grid = {1, {1}}, .block = {1, {32}}, .element = ADJ_F32};
  auto plan = select(d, *adj::offline_stream("sm_90a"));
  REQUIRE_MESSAGE(plan.ok(), (plan ? "" : plan.error().message));
  REQUIRE((*plan)->steps.size() == 1);
  const auto& step = std::get<adj::KernelStep>((*plan)->steps[0]);
  CHECK(step.apart);
  CHECK(step.config.block_x == 32);
  REQUIRE(step.params.size() == 32);
  CHECK(step.program->macros() == "A=1 B");
  std::vector<float> x(8), y(8);
  std::vector<void*> from{x.data()}, to{y.data()};
  const std::uint64_t bytes[] = {32};
  adj_user_kernel_args a;
  a.inputs = {1, ADJ_F32, 0, from.data(), bytes};
  a.outputs = {1, ADJ_F32, 0, to.data(), bytes};
  auto params = step.params;
  adj::apply(step.patches, params.data(), *(*plan)->op, reinterpret_cast<const std::byte*>(&a), nullptr);
  struct {
    float *x, *y;
    std::int64_t n;
    double f;
  } got;
  std::memcpy(&got, params.data(), sizeof got);
  CHECK(got.x == x.data());
  CHECK(got.y == y.data());
  CHECK(got.n == 8);
  CHECK(got.f == 0.5);
  // Another text is another program, an equal one is the same.
  auto again = select(d, *adj::offline_stream("sm_90a"));
  CHECK(std::get<adj::KernelStep>((*again)->steps[0]).program == step.program);

  std::string message;
  CHECK(select_status(d, &message) == ADJ_ERROR_UNSUPPORTED);
  CHECK(message.find("no function host") != std::string::npos);
  d.host = [](const adj_callback_call* call) -> std::int32_t {
    static_cast<float*>(call->outputs->data[0])[0] = 3;
    return 0;
  };
  CHECK(run(d, a).ok());
  CHECK(y[0] == 3);
  d.entry = "no name";
  CHECK(select_status(d, &message) == ADJ_ERROR_INVALID_PROBLEM);
  CHECK(message.find("entry = 'no name'") != std::string::npos);
  d.entry = "scale";
  d.block = {2, {512, 3}};
  CHECK(select_status(d, &message) == ADJ_ERROR_INVALID_PROBLEM);
  CHECK(message.find("block has 1536 threads") != std::string::npos);
  d.block = {};
  CHECK(select_status(d, &message) == ADJ_ERROR_INVALID_PROBLEM);
  d.source = nullptr;
  CHECK(select_status(d, &message) == ADJ_ERROR_INVALID_PROBLEM);
  CHECK(message.find("source was not given") != std::string::npos);
}
