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
#include "tests/cubin.hpp"

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
  // With skip the tensors are passed on and the handle must be null; without skip it must be given.
  adj_wait_event_args none;
  CHECK(run(adj_wait_event_descriptor{.element = ADJ_F32}, none).error().code == ADJ_ERROR_NULL_BUFFER);
  CHECK(run(adj_wait_event_descriptor{.skip = 1, .element = ADJ_F32}, none).ok());
  none.event = event;
  CHECK(run(adj_wait_event_descriptor{.skip = 1, .element = ADJ_F32}, none).error().code == ADJ_ERROR_INVALID_ARGUMENT);
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
  CHECK(select_status(
            adj_yield_descriptor{.count = 3, .numel = numel.data(), .non_differentiable_count = 2, .non_differentiable = wrong.data(), .element = ADJ_F32},
            &message) == ADJ_ERROR_INVALID_PROBLEM);
  CHECK(message.find("non_differentiable[1] = 1") != std::string::npos);
}

TEST_CASE("yield: the gradient of an output of free shape has any size") {
  const I numel{2, 3, 4}, skipped{1}, loose{2};
  adj_yield_descriptor d{.count = 3, .numel = numel.data(), .non_differentiable_count = 1, .non_differentiable = skipped.data(), .element = ADJ_F32};
  std::vector<float> a(2), b(3), c(4), ga(2), gc(1);
  std::vector<void*> outputs{a.data(), b.data(), c.data()}, gradients{ga.data(), gc.data()};
  const std::uint64_t bytes[] = {8, 12, 16}, gradient_bytes[] = {8, 4};
  adj_yield_args args;
  args.outputs = {3, ADJ_F32, 0, outputs.data(), bytes};
  args.gradients = {2, ADJ_F32, 0, gradients.data(), gradient_bytes};
  CHECK(run(d, args).error().code == ADJ_ERROR_BUFFER_TOO_SMALL);
  d.free_shape_count = 1;
  d.free_shape = loose.data();
  CHECK(run(d, args).ok());
  std::string message;
  d.free_shape = skipped.data();
  CHECK(select_status(d, &message) == ADJ_ERROR_INVALID_PROBLEM);
  CHECK(message.find("free_shape has 1, an output that non_differentiable has as well") != std::string::npos);
  const I beyond{3};
  d.free_shape = beyond.data();
  CHECK(select_status(d, &message) == ADJ_ERROR_INVALID_PROBLEM);
  CHECK(message.find("free_shape[0] = 3") != std::string::npos);
}

TEST_CASE("a list of tensors of several types is described by its bytes") {
  const std::vector<double> x{1.5, -2};
  const std::vector<std::int16_t> y{7, 8, 9};
  std::vector<double> x_out(2);
  std::vector<std::int16_t> y_out(3);
  const I numel{16, 6};
  void* from[] = {const_cast<double*>(x.data()), const_cast<std::int16_t*>(y.data())};
  void* to[] = {x_out.data(), y_out.data()};
  const std::uint64_t bytes[] = {16, 6};
  adj_record_event_args args;
  args.inputs = {2, ADJ_U8, 0, from, bytes};
  args.outputs = {2, ADJ_U8, 0, to, bytes};
  CHECK(run(adj_record_event_descriptor{.count = 2, .numel = numel.data(), .skip = 1, .element = ADJ_U8}, args).ok());
  CHECK(x_out == x);
  CHECK(y_out == y);
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
  adj_callback_descriptor d{.function = twice,
                            .destroy = destroy,
                            .user = &own,
                            .input_count = 1,
                            .input_numel = numel.data(),
                            .output_count = 1,
                            .output_numel = numel.data(),
                            .element = ADJ_F32};
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
  adj_user_kernel_descriptor d{.code =
                                   "extern \"C\" __global__ void scale(const float* x, float* y, long long n, double f) {"
                                   " long long i = threadIdx.x; if (i < n) y[i] = f * x[i]; }",
                               .entry = "scale",
                               .macros = "A=1  B",
                               .input_count = 1,
                               .input_numel = numel.data(),
                               .output_count = 1,
                               .output_numel = numel.data(),
                               .integer_count = 1,
                               .integers = integers.data(),
                               .real_count = 1,
                               .reals = reals,
                               .grid = {1, {1}},
                               .block = {1, {32}},
                               .element = ADJ_F32};
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
  adj::apply(step.bindings, params.data(), *(*plan)->op, reinterpret_cast<const std::byte*>(&a), nullptr);
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
  // Another text is another program; an equal text is the same program.
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
  d.code = nullptr;
  CHECK(select_status(d, &message) == ADJ_ERROR_INVALID_PROBLEM);
  CHECK(message.find("code was not given") != std::string::npos);
}

namespace {

// PTX of a kernel `scale` with the parameters (x, y, n, f), or with the given ones.
std::string ptx_of(const std::string& target, const std::string& parameters = ".param .u64 x, .param .u64 .ptr .align 1 y, .param .u64 n, .param .f64 f") {
  return ".version 8.0\n.target " + target + "\n.address_size 64\n.visible .entry scale(" + parameters + ")\n{\n ret;\n}\n";
}

}  // namespace

TEST_CASE("user_kernel: machine code and PTX, checked against their descriptor before anything is loaded") {
  const I numel{8}, integers{8};
  const double reals[] = {0.5};
  adj_user_kernel_descriptor d{.entry = "scale",
                               .input_count = 1,
                               .input_numel = numel.data(),
                               .output_count = 1,
                               .output_numel = numel.data(),
                               .integer_count = 1,
                               .integers = integers.data(),
                               .real_count = 1,
                               .reals = reals,
                               .grid = {1, {1}},
                               .block = {1, {32}},
                               .element = ADJ_F32};
  std::string code;
  auto use = [&](adj_code_kind kind, std::string bytes) {
    code = std::move(bytes);
    d.code_kind = kind;
    d.code = code.data();
    d.code_bytes = static_cast<std::int64_t>(code.size());
  };
  auto refused = [&](adj_status status, std::initializer_list<const char*> words, const char* arch = "sm_90a") {
    auto plan = select(d, *adj::offline_stream(arch));
    REQUIRE_FALSE(plan.ok());
    CHECK(plan.error().code == status);
    for (const char* word : words) CHECK_MESSAGE(plan.error().message.find(word) != std::string::npos, plan.error().message);
  };
  auto accepted = [&](const char* arch = "sm_90a") {
    auto plan = select(d, *adj::offline_stream(arch));
    REQUIRE_MESSAGE(plan.ok(), (plan ? "" : plan.error().message));
    const auto& step = std::get<adj::KernelStep>((*plan)->steps[0]);
    CHECK(step.params.size() == 32);
    const auto image = step.program->image(90, ADJ_JIT_PACKS_ONLY);  // nothing has to be compiled
    REQUIRE(image.ok());
    CHECK(image->bytes == code);
    CHECK(image->ptx == (d.code_kind == ADJ_CODE_PTX));
  };
  for (int version : {7, 8}) {
    use(ADJ_CODE_CUBIN, make_cubin(90, {{"other", {4}}, {"scale", {8, 8, 8, 8}}}, version));
    accepted();
    refused(ADJ_ERROR_UNSUPPORTED, {"user_kernel", "the cubin is for sm_90, the device is sm_80"}, "sm_80");
    refused(ADJ_ERROR_UNSUPPORTED, {"the cubin is for sm_90, the device is sm_100"}, "sm_100");
  }
  use(ADJ_CODE_CUBIN, make_cubin(80, {{"scale", {8, 8, 8, 8}}}));
  accepted("sm_86");  // a later device of the same generation
  use(ADJ_CODE_PTX, ptx_of("sm_80"));
  accepted();
  d.code_bytes = -1;
  accepted("sm_100");
  d.code_bytes = static_cast<std::int64_t>(code.size()) + 1;  // with its zero, as NVRTC counts
  accepted();
  use(ADJ_CODE_PTX, ptx_of("sm_90a"));
  accepted();
  refused(ADJ_ERROR_UNSUPPORTED, {"the PTX is for sm_90a, the device is sm_100"}, "sm_100");
  refused(ADJ_ERROR_UNSUPPORTED, {"the PTX is for sm_90a, the device is sm_80"}, "sm_80");

  const auto cubin_of = [](std::vector<std::uint32_t> parameters) { return make_cubin(90, {{"scale", std::move(parameters)}}); };
  const struct {
    adj_code_kind kind;
    std::string code;
    const char* sentence;
  } mismatches[] = {
      {ADJ_CODE_CUBIN, cubin_of({8, 8, 4, 8}), "parameter 2 of scale has 4 bytes in the code, integers[0] in the descriptor has 8"},
      {ADJ_CODE_CUBIN, cubin_of({8, 1, 8, 8}), "parameter 1 of scale has 1 bytes in the code, outputs[0] in the descriptor has 8"},
      {ADJ_CODE_CUBIN, cubin_of({8, 8, 8}), "scale takes 3 parameters in the code, the descriptor has 4: there is none for reals[0]"},
      {ADJ_CODE_CUBIN, cubin_of({8, 8, 8, 8, 2}), "scale takes 5 parameters in the code, the descriptor has 4: parameter 4, of 2 bytes, is none of them"},
      {ADJ_CODE_CUBIN, make_cubin(90, {{"first", {}}, {"second", {8}}}), "the code has no kernel scale, it has first, second"},
      {ADJ_CODE_CUBIN, make_cubin(90, {}), "the code has no kernel scale, it has none"},
      {ADJ_CODE_PTX, ptx_of("sm_80", ".param .u64 x, .param .u64 y, .param .u64 n, .param .f32 f"), "parameter 3 of scale has 4 bytes in the code, reals[0]"},
      {ADJ_CODE_PTX, ptx_of("sm_80", ""), "scale takes 0 parameters in the code, the descriptor has 4: there is none for inputs[0]"},
  };
  for (const auto& m : mismatches) {
    use(m.kind, m.code);
    refused(ADJ_ERROR_INVALID_PROBLEM, {"user_kernel: ", m.sentence});
  }
  std::vector<MadeKernel> many;
  for (int i = 0; i < 30; ++i) many.push_back({"kernel_" + std::to_string(i), {}});
  use(ADJ_CODE_CUBIN, make_cubin(90, many));
  refused(ADJ_ERROR_INVALID_PROBLEM, {"kernel_19 and 10 more"});

  use(ADJ_CODE_CUBIN, ptx_of("sm_90"));
  refused(ADJ_ERROR_CORRUPT, {"user_kernel", "not a whole 64-bit ELF file for CUDA"});
  use(ADJ_CODE_PTX, make_cubin(90, {}));
  refused(ADJ_ERROR_INVALID_PROBLEM, {"byte", "of code is zero, expected a text"});
  use(ADJ_CODE_PTX, "extern \"C\" __global__ void scale() {}");
  refused(ADJ_ERROR_CORRUPT, {"user_kernel", "does not begin with .version"});
  use(ADJ_CODE_PTX, "");
  refused(ADJ_ERROR_INVALID_PROBLEM, {"code was not given"});
  use(ADJ_CODE_PTX, ptx_of("sm_80"));
  d.macros = "N=4";
  refused(ADJ_ERROR_INVALID_PROBLEM, {"macros = 'N=4' are for a source, code_kind = ptx"});
  d.macros = nullptr;
  d.code_kind = adj_code_kind{3};
  refused(ADJ_ERROR_INVALID_ARGUMENT, {"code_kind = 3 is not a known value"});
  d.code_kind = ADJ_CODE_PTX;
  d.code_bytes = -2;
  refused(ADJ_ERROR_INVALID_PROBLEM, {"code has -2 bytes"});
  d.code = nullptr, d.code_bytes = 5;
  refused(ADJ_ERROR_INVALID_ARGUMENT, {"code is null, 5 bytes expected"});
  // With a host function the code is checked as well.
  d.host = [](const adj_callback_call*) -> std::int32_t { return 0; };
  use(ADJ_CODE_CUBIN, cubin_of({8}));
  CHECK(select_status(d) == ADJ_ERROR_INVALID_PROBLEM);
  use(ADJ_CODE_CUBIN, cubin_of({8, 8, 8, 8}));
  CHECK(select_status(d) == ADJ_OK);
}
