// AdamW, which is adam with a decay of weights, on the host stream, against published numbers and closed forms; and what all optimizers have in common.
#include <doctest/doctest.h>

#include <cmath>
#include <limits>
#include <memory>
#include <random>

#include <adjoint/ops/reduce.h>

#include "optimizer.hpp"

using namespace optimizers;

namespace {

// With the decay of PyTorch's AdamW.
template <class W = float, class G = W, class S = W, class C = f16>
Adam<W, G, S, C> adamw(Adam<W, G, S, C> p) {
  p.d.weight_decay = 1e-2;
  return p;
}

}  // namespace

TEST_CASE("adam: closed forms of AdamW in f64") {
  struct Row {
    adj_adam_decay decay;
    double g, scale, step, w, m, v;
  };
  for (const Row& row :
       {Row{ADJ_ADAM_DECAY_FIRST, 0.5, 1, 2, 0.966444014112787, 0.14, 0.01024}, Row{ADJ_ADAM_DECAY_LAST, 0.5, 1, 2, 0.9664765731689788, 0.14, 0.01024},
        Row{ADJ_ADAM_DECAY_FIRST, 512, 4096, 1, 0.9665957664951661, 0.1025, 0.010005625},
        Row{ADJ_ADAM_DECAY_LAST, 512, 1024, 1, 0.9552937543191026, 0.14, 0.01024}}) {
    CAPTURE(row.decay);
    CAPTURE(row.scale);
    auto p = adamw(Adam<double>({{{1.0}}}, {{{row.g}}}, {{{0.1}}}, {{{0.01}}}));
    p.d.decay = row.decay;
    p.a.step.value = row.step;
    p.a.grad_scale.value = row.scale;
    p.run();
    CHECK(p.w.at(0) == Approx(row.w).epsilon(1e-14));
    CHECK(p.m.at(0) == Approx(row.m).epsilon(1e-14));
    CHECK(p.v.at(0) == Approx(row.v).epsilon(1e-14));
  }
  SUBCASE("without bias correction") {
    auto p = adamw(Adam<double>({{{1.0}}}, {{{0.5}}}, {{{0.1}}}, {{{0.01}}}));
    p.d.decay = ADJ_ADAM_DECAY_LAST;
    p.d.no_bias_correction = 1;
    p.a.step.value = 0;
    p.run();
    const double updated = 1 - 0.1 * 0.14 / (std::sqrt(0.01024) + 1e-8);
    CHECK(p.w.at(0) == Approx(updated - 0.1 * 0.01 * updated).epsilon(1e-14));
  }
}

TEST_CASE("adam: ONNX Runtime's numbers for AdamW") {
  auto problem = [](const std::vector<float>& g, std::vector<float> w, std::vector<float> m, std::vector<float> v) {
    auto p = adamw(Adam<>({{std::move(w)}}, {{g}}, {{std::move(m)}}, {{std::move(v)}}));
    p.a.lr.value = 0.001;
    return p;
  };
  SUBCASE("two steps, decay first") {
    auto p = problem(kGradient, kWeight, kZeros, kZeros);
    p.run();
    check_close(p.w.tensors[0], {-0.182302311, 0.672948182, 0.312705755, 0.42730549, -0.394787222, 0.073247835}, 1e-7, 1e-6);
    check_close(p.m.tensors[0], {-0.018660536, 0.105018772, -0.00653872732, 0.0789240077, -0.00698989397, 0.00831128843}, 1e-9, 1e-6);
    check_close(p.v.tensors[0], {3.48215581e-05, 0.0011028942, 4.27549548e-06, 0.000622899912, 4.88586238e-06, 6.90775096e-06}, 1e-10, 1e-5);
    p.g.tensors[0] = {-0.140194222f, -0.335819185f, -0.0152725941f, -0.119333453f, 0.150288537f, 0.30352971f};
    p.a.step.value = 2;
    p.run();
    check_close(p.w.tensors[0], {-0.181317747, 0.672529995, 0.313524425, 0.426749974, -0.395175576, 0.0723524839}, 1e-7, 1e-6);
    check_close(p.m.tensors[0], {-0.0308139045, 0.0609349757, -0.00741211418, 0.0590982623, 0.00873794965, 0.0378331318}, 1e-9, 1e-6);
    check_close(p.v.tensors[0], {5.4441156e-05, 0.00121456583, 4.50447214e-06, 0.000636517478, 2.74676222e-05, 9.9031131e-05}, 1e-10, 1e-5);
  }
  SUBCASE("decay last") {
    auto p = problem(kGradient, kWeight, kZeros, kZeros);
    p.d.decay = ADJ_ADAM_DECAY_LAST;
    p.d.epsilon = 1e-6;
    p.d.weight_decay = 0;
    p.run();
    check_close(p.w.tensors[0], {-0.182304323, 0.672954917, 0.312708408, 0.427309811, -0.394791633, 0.0732489601}, 1e-7, 1e-6);
  }
  SUBCASE("several weights") {
    const std::vector<std::int64_t> numel{6, 3, 6, 2};
    auto p = adamw(Adam<>(kWeights, kGradients, List<float>(numel, 0), List<float>(numel, 0)));
    p.a.lr.value = 0.001;
    p.run();
    check_close(p.w.tensors[0], {0.0406986438, -0.141542405, 0.636156023, 0.363618553, -0.214263201, 0.34498626}, 1e-7, 1e-6);
    check_close(p.w.tensors[1], {0.516950309, -0.435103595, -0.122180834}, 1e-7, 1e-6);
    check_close(p.w.tensors[2], {-0.509789407, 0.0457204692, 0.215929404, -0.0405069627, -0.359009743, 0.302006394}, 1e-7, 1e-6);
    check_close(p.w.tensors[3], {0.0248230938, 0.536583185}, 1e-7, 1e-6);
    check_close(p.v.tensors[3], {0.000545322371, 0.00297984341}, 1e-10, 1e-5);
  }
}

TEST_CASE("adam: bias corrections stay exact at large steps and extreme rates") {
  for (double beta : {0.0, 0.5, 0.999, 1 - 1e-9})
    for (double step : {1.0, 2.0, 3.0, 1000.0, 1e6, 0x1p53}) {
      CAPTURE(beta);
      CAPTURE(step);
      Adam<double> p({{{0.0}}}, {{{1.0}}}, {{{0.0}}}, {{{0.0}}});
      p.d.beta1 = 0;
      p.d.beta2 = beta;
      p.d.epsilon = 0;
      p.a.step.value = step;
      p.run();
      const long double b = -std::expm1(static_cast<long double>(step) * std::log1p(static_cast<long double>(beta) - 1));
      CHECK(p.w.at(0) == Approx(static_cast<double>(-0.1L * std::sqrt(b / (1 - static_cast<long double>(beta))))).epsilon(1e-13));
    }
}

TEST_CASE("adam: found_inf leaves every bit") {
  for (float flag : {1.0f, -1.0f, std::numeric_limits<float>::infinity(), std::numeric_limits<float>::quiet_NaN()}) {
    auto p = adamw(Adam<float, bf16, float, bf16>::random({5, 0, 700}));
    p.d.copy = ADJ_BF16;
    p.bind();
    const auto before = p;
    std::int64_t step = 4, errors = 0;
    p.d.advance_step = 1;
    p.a.step = device_scalar(&step, ADJ_I64);
    p.a.found_inf = one(flag, ADJ_F32);
    p.a.error_flag = one(errors, ADJ_I64);
    p.run();
    CHECK(p.same_results(before));
    CHECK(step == 4);
    flag = 0;
    p.run();
    CHECK(!p.same_results(before));
    CHECK(step == 5);
    CHECK(errors == 0);
  }
}

TEST_CASE("adam: the step on the device") {
  auto by_value = Adam<>::random({3, 40});
  auto on_device = by_value;
  const float lr = 0.25f;
  const double scale = 3;
  std::int64_t step = 7, errors = 10;
  by_value.a.lr.value = lr;
  by_value.a.grad_scale.value = scale;
  by_value.a.step.value = 7;
  on_device.a.lr = device_scalar(&lr, ADJ_F32);
  on_device.a.grad_scale = device_scalar(&scale, ADJ_F64);
  on_device.a.step = device_scalar(&step, ADJ_I64);
  on_device.a.error_flag = one(errors, ADJ_I64);
  by_value.run();
  on_device.run();
  CHECK(by_value.same_results(on_device));
  CHECK(step == 7);

  SUBCASE("advances") {
    on_device.d.advance_step = 1;
    on_device.run();
    on_device.run();
    CHECK(step == 9);
    by_value.run();
    by_value.a.step.value = 8;
    by_value.run();
    CHECK(by_value.same_results(on_device));
    CHECK(errors == 10);
  }
  SUBCASE("below one changes nothing and is counted") {
    const auto before = on_device;
    on_device.d.advance_step = 1;
    for (std::int64_t bad : {std::int64_t{0}, std::int64_t{-3}}) {
      step = bad;
      on_device.run();
      CHECK(step == bad);
    }
    CHECK(on_device.same_results(before));
    CHECK(errors == 12);
  }
  SUBCASE("without bias correction any step will do") {
    on_device.d.no_bias_correction = 1;
    on_device.d.advance_step = 1;
    step = -1;
    on_device.run();
    CHECK(step == 0);
    CHECK(errors == 10);
  }
  SUBCASE("must be there to be advanced") {
    on_device.d.advance_step = 1;
    on_device.a.step = {};
    on_device.a.step.value = 1;
    CHECK(run_status(planned(on_device.d), on_device.a) == ADJ_ERROR_NULL_BUFFER);
  }
  SUBCASE("and in i64") {
    on_device.a.step = device_scalar(&step, ADJ_I32);
    CHECK(run_status(planned(on_device.d), on_device.a) == ADJ_ERROR_DTYPE_MISMATCH);
  }
  SUBCASE("advances over empty lists too") {
    auto p = Adam<>::random({0, 0});
    p.d.advance_step = 1;
    p.a.step = device_scalar(&step, ADJ_I64);
    p.a.error_flag = one(errors, ADJ_I64);
    p.run();
    CHECK(step == 8);
    step = 0;
    p.run();
    CHECK(step == 0);
    CHECK(errors == 11);
  }
}

TEST_CASE("adam: values outside their domain") {
  const double nan = std::numeric_limits<double>::quiet_NaN();
  auto p = Adam<>::random({4});
  p.bind();
  const auto before = p;
  const PlanPtr plan = planned(p.d);
  for (double step : {0.0, -1.0, 1.5, nan, std::numeric_limits<double>::infinity()}) {
    p.a.step.value = step;
    CHECK(run_status(plan, p.a) == ADJ_ERROR_INVALID_VALUE);
  }
  p.a.step.value = 1;
  p.a.lr.value = nan;
  CHECK(run_status(plan, p.a) == ADJ_ERROR_INVALID_VALUE);
  p.a.lr.value = 0.1;
  for (double scale : {0.0, nan, 1e-60}) {
    p.a.grad_scale.value = scale;
    CHECK(run_status(plan, p.a) == ADJ_ERROR_INVALID_VALUE);
  }
  CHECK(p.same_results(before));

  auto rejected = [&](auto change) {
    adj_adam_descriptor d = p.d;
    change(d);
    return select_status(d) == ADJ_ERROR_INVALID_PROBLEM;
  };
  using D = adj_adam_descriptor;
  CHECK(rejected([](D& d) { d.beta1 = 1; }));
  CHECK(rejected([](D& d) { d.beta2 = -0.1; }));
  CHECK(rejected([&](D& d) { d.beta2 = nan; }));
  CHECK(rejected([](D& d) { d.epsilon = -1e-8; }));
  CHECK(rejected([&](D& d) { d.epsilon = nan; }));
  CHECK(rejected([&](D& d) { d.weight_decay = nan; }));
  const std::int64_t negative[] = {-1}, huge[] = {std::int64_t{1} << 59, 1};
  CHECK(rejected([&](D& d) { d.numel = negative; }));
  CHECK(rejected([&](D& d) { d.numel = huge, d.count = 2; }));
  adj_adam_descriptor d = p.d;
  d.decay = adj_adam_decay{3};
  CHECK(select_status(d) == ADJ_ERROR_INVALID_ARGUMENT);
  d = p.d;
  d.copy = ADJ_F32;
  CHECK(select_status(d) == ADJ_ERROR_UNSUPPORTED);
  d = p.d;
  d.param = ADJ_F64;
  CHECK(select_status(d) == ADJ_ERROR_UNSUPPORTED);
}

TEST_CASE("optimizers: types left out follow the parameters") {
  const std::int64_t numel[] = {5};
  adj_adam_descriptor adam{.count = 1, .numel = numel, .param = ADJ_BF16};
  CHECK(planned(adam)->sku->signature_name == "bf16.bf16.bf16.none");
  adj_sgd_descriptor sgd{.count = 1, .numel = numel, .param = ADJ_F16};
  CHECK(planned(sgd)->sku->signature_name == "f16.f16.none.none");
}

TEST_CASE("adam: mixed element types and the low-precision copy") {
  auto p = Adam<float, bf16, float, bf16>::random({300, 7});
  Adam<> wide(p.w, List<float>(p.numel, 0), p.m, p.v);
  for (std::size_t t = 0; t < 2; ++t)
    for (std::size_t i = 0; i < wide.g.tensors[t].size(); ++i) wide.g.tensors[t][i] = static_cast<float>(p.g.at(t, i));
  p.d.copy = ADJ_BF16;
  p.run();
  wide.run();
  // The arithmetic is that of f32: gradients of 16 bits are widened, which is exact.
  CHECK(same_bits(p.w, wide.w));
  CHECK(same_bits(p.m, wide.m));
  CHECK(same_bits(p.v, wide.v));
  for (std::size_t t = 0; t < 2; ++t)
    for (std::size_t i = 0; i < p.w.tensors[t].size(); ++i) CHECK(p.copy.tensors[t][i].bits == adj::to_bf16(p.w.at(t, i)).bits);
  auto low = adamw(Adam<f16, f16, float>::random({33}));
  const double w = low.w.at(0, 32), g = low.g.at(0, 32);
  const double m = 0.9 * low.m.at(0, 32) + (1 - 0.9) * g, v = 0.999 * low.v.at(0, 32) + (1 - 0.999) * g * g;
  low.run();
  CHECK(low.w.tensors[0][32].bits == adj::to_f16(w - 0.1 * 0.01 * w - 0.1 * (m / (1 - 0.9)) / (std::sqrt(v) / std::sqrt(1 - 0.999) + 1e-8)).bits);
}

TEST_CASE("adam: a list is the same as its elements") {
  std::vector<std::int64_t> numel;
  for (int i = 0; i < 2000; ++i) numel.push_back(i % 7 == 0 ? 0 : i % 13 + 1);
  auto list = Adam<>::random(numel);
  auto flatten = [](const List<float>& l) {
    std::vector<float> all;
    for (const auto& t : l.tensors) all.insert(all.end(), t.begin(), t.end());
    return List<float>({all});
  };
  Adam<> flat(flatten(list.w), flatten(list.g), flatten(list.m), flatten(list.v));
  list.run();
  flat.run();
  CHECK(same_bits(flatten(list.w), flat.w));
  CHECK(same_bits(flatten(list.m), flat.m));
  CHECK(same_bits(flatten(list.v), flat.v));
  CHECK(flat.numel[0] > 10000);
}

TEST_CASE("optimizers: nothing to do is a success") {
  auto none = Adam<>::random({});
  none.bind();
  CHECK(planned(none.d)->steps.empty());
  none.run();
  auto empty = Adam<>::random({0, 0, 0});
  empty.bind();
  CHECK(planned(empty.d)->steps.empty());
  empty.run();
  adj_sgd_descriptor d{.param = ADJ_F32};
  run(d, adj_sgd_args{.lr = {0}});
}

TEST_CASE("adam: wrong arguments") {
  auto p = Adam<>::random({4, 4});
  p.bind();
  const PlanPtr plan = planned(p.d);
  adj_adam_args a = p.a;
  a.grads.count = 1;
  CHECK(run_status(plan, a) == ADJ_ERROR_SHAPE_MISMATCH);
  a = p.a;
  a.exp_avg = {};
  CHECK(run_status(plan, a) == ADJ_ERROR_SHAPE_MISMATCH);
  a = p.a;
  a.copies = p.a.params;
  CHECK(run_status(plan, a) == ADJ_ERROR_INVALID_ARGUMENT);
  a = p.a;
  a.params.dtype = ADJ_F16;
  CHECK(run_status(plan, a) == ADJ_ERROR_DTYPE_MISMATCH);
  std::uint64_t bytes[] = {16, 15};
  a = p.a;
  a.grads.bytes = bytes;
  CHECK(run_status(plan, a) == ADJ_ERROR_BUFFER_TOO_SMALL);
  void* hole[] = {p.g.data[0], nullptr};
  a = p.a;
  a.grads.data = hole;
  CHECK(run_status(plan, a) == ADJ_ERROR_NULL_BUFFER);
  // Every run detects overlap at the same position of two lists; only can_implement and bind detect it across positions and within a list.
  void* shared[] = {p.w.data[0], p.g.data[1]};
  a = p.a;
  a.grads.data = shared;
  CHECK(run_status(plan, a) == ADJ_ERROR_ALIASING);
  void* crossed[] = {p.w.data[1], p.g.data[1]};
  a.grads.data = crossed;
  auto checked = adj::can_implement(*plan, &a.header);
  REQUIRE(!checked);
  CHECK(checked.error().code == ADJ_ERROR_ALIASING);
  void* twice[] = {p.m.data[0], p.m.data[0]};
  a = p.a;
  a.exp_avg.data = twice;
  CHECK(adj::bind_plan(*plan, adj::host_stream(), {}, &a.header).error().code == ADJ_ERROR_ALIASING);
  CHECK(adj::can_implement(*plan, &p.a.header).ok());
  // Gradients are only read, so that two tensors may have the same ones, unless the call clears them.
  void* read_twice[] = {p.g.data[0], p.g.data[0]};
  a = p.a;
  a.grads.data = read_twice;
  CHECK(adj::can_implement(*plan, &a.header).ok());
  adj_adam_descriptor clearing = p.d;
  clearing.clear_grads = 1;
  auto clears = adj::select_plan(adj::host_stream(), &clearing.header, nullptr);
  REQUIRE(clears.ok());
  CHECK(adj::can_implement(**clears, &a.header).error().code == ADJ_ERROR_ALIASING);
  CHECK(adj::can_implement(**clears, &p.a.header).ok());
  adj::release(*clears);
}

TEST_CASE("positions of a list that is only read may share a buffer") {
  List<float> list({{1, 2}, {1, 2}});
  const auto numel = list.numel();
  const adj_l2_norm_descriptor d{.count = 2, .numel = numel.data(), .element = ADJ_F32};
  const PlanPtr plan = planned(d);
  float norm = 0;
  adj_l2_norm_args a{.inputs = list.view(), .output = one(norm, ADJ_F32)};
  void* same[] = {list.data[0], list.data[0]};
  a.inputs.data = same;
  CHECK(adj::can_implement(*plan, &a.header).ok());
  CHECK(run_status(plan, a) == ADJ_OK);
  CHECK(norm == Approx(std::sqrt(10.0)));
}

TEST_CASE("adam: a wrong entry is found in every list and at every position") {
  constexpr std::size_t kTensors = 37, kElements = 6, kLists = 4;  // more than whole registers of entries
  const std::vector<std::int64_t> numel(kTensors, kElements);
  const adj_adam_descriptor d{.count = kTensors, .numel = numel.data(), .param = ADJ_F32};
  const PlanPtr plan = planned(d);
  std::vector<float> memory(kTensors * kLists * 3 * kElements);
  std::vector<void*> data[kLists];
  std::vector<std::uint64_t> bytes[kLists];
  adj_adam_args a;
  a.step.value = 1;
  a.lr.value = 0;
  adj_tensor_list* const lists[] = {&a.params, &a.grads, &a.exp_avg, &a.exp_avg_sq};
  const char* const names[] = {"params", "grads", "exp_avg", "exp_avg_sq"};
  for (std::size_t k = 0; k < kLists; ++k) {
    for (std::size_t i = 0; i < kTensors; ++i) data[k].push_back(&memory[((i * kLists + k) * 3 + 1) * kElements]);  // with room on both sides
    bytes[k].assign(kTensors, kElements * sizeof(float));
    *lists[k] = {.count = kTensors, .dtype = ADJ_F32, .data = data[k].data(), .bytes = bytes[k].data()};
  }
  auto expect = [&](adj_status code, const std::string& sentence) {
    const auto done = adj::run_plan(*plan, adj::host_stream(), {}, &a.header);
    const std::string got = done ? "" : done.error().message;
    CHECK_MESSAGE((done ? ADJ_OK : done.error().code) == code, sentence, ": ", got);
    CHECK_MESSAGE(got.find(sentence) != std::string::npos, got);
  };
  expect(ADJ_OK, "");
  for (std::size_t k = 0; k < kLists; ++k)
    for (std::size_t i = 0; i < kTensors; ++i) {
      void*& entry = data[k][i];
      void* const own = entry;
      bytes[k][i] -= 1;
      expect(ADJ_ERROR_BUFFER_TOO_SMALL, fmt::format("{}[{}]", names[k], i));
      bytes[k][i] += 1;
      entry = nullptr;
      expect(ADJ_ERROR_NULL_BUFFER, fmt::format("{}.data[{}]", names[k], i));
      entry = static_cast<std::byte*>(own) + 2;
      expect(ADJ_ERROR_MISALIGNED, fmt::format("{}.data[{}]", names[k], i));
      entry = reinterpret_cast<void*>(~std::uintptr_t{3});
      expect(ADJ_ERROR_INVALID_ARGUMENT, fmt::format("{}.data[{}]", names[k], i));
      for (std::size_t other = 0; other < kLists; ++other) {
        if (other == k) continue;
        auto* const beside = static_cast<float*>(data[other][i]);
        const std::string both[] = {fmt::format("{}[{}]", names[k], i), fmt::format("{}[{}]", names[other], i)};
        for (const int shift : {0, 1, -1, int{kElements} - 1, 1 - int{kElements}}) {
          entry = beside + shift;
          for (const std::string& name : both) expect(ADJ_ERROR_ALIASING, name);
        }
        for (const int shift : {int{kElements}, -int{kElements}}) {  // next to each other
          entry = beside + shift;
          expect(ADJ_OK, "");
        }
      }
      entry = own;
    }
  expect(ADJ_OK, "");
}

TEST_CASE("adam: a bound call equals a run") {
  auto p = Adam<>::random({4, 0, 900});
  auto q = p;
  std::int64_t p_step = 1, q_step = 1;
  p.d.advance_step = q.d.advance_step = 1;
  p.a.step = device_scalar(&p_step, ADJ_I64);
  q.a.step = device_scalar(&q_step, ADJ_I64);
  p.bind();
  const PlanPtr plan = planned(p.d);
  auto bound = adj::bind_plan(*plan, adj::host_stream(), {}, &p.a.header);
  REQUIRE(bound.ok());
  const std::unique_ptr<adj::BoundCall, Release> call(*bound);
  for (int i = 0; i < 3; ++i) {
    REQUIRE(adj::run_bound(*call, adj::host_stream()).ok());
    q.run();
  }
  CHECK(p.same_results(q));
  CHECK(p_step == 4);
}
