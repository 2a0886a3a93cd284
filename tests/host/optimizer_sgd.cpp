// SGD on the host stream, against published numbers and closed forms.
#include <doctest/doctest.h>

#include <cmath>
#include <limits>
#include <memory>
#include <random>

#include "optimizer.hpp"

using namespace optimizers;

TEST_CASE("sgd: ONNX Runtime's numbers") {
  const std::vector<std::int64_t> numel{6, 3, 6, 2};
  List<float> w(kWeights), g(kGradients);
  adj_sgd_descriptor d{.count = 4, .numel = numel.data(), .param = ADJ_F32};
  adj_sgd_args a;
  a.params = w.view();
  a.grads = g.view();
  a.lr.value = 0.001;
  run(d, a);
  check_close(w.tensors[0], {0.039794907, -0.140720099, 0.6361624, 0.363622189, -0.214940071, 0.345949411}, 1e-8, 1e-7);
  check_close(w.tensors[1], {0.517646492, -0.435107946, -0.121546388}, 1e-8, 1e-7);
  check_close(w.tensors[2], {-0.510476232, 0.0457209274, 0.215033829, -0.0402945951, -0.359013349, 0.302805454}, 1e-8, 1e-7);
  check_close(w.tensors[3], {0.0245617907, 0.535862327}, 1e-8, 1e-7);
}

TEST_CASE("sgd: momentum, dampening, Nesterov and the first step") {
  struct Options {
    double momentum, dampening, decay;
    int nesterov;
  };
  for (const Options& o : {Options{0, 0, 0, 0}, {0, 0, 0.1, 0}, {0.9, 0, 0, 0}, {0.9, 0.3, 0.05, 0}, {0.8, 0, 0.05, 1}}) {
    CAPTURE(o.momentum);
    CAPTURE(o.nesterov);
    List<double> w({{1.0, -2.0}}), g({{0.5, 4.0}}), buffers({{777.0, -777.0}});
    double want_w = 1, want_buffer = 0;
    const std::int64_t numel[] = {2};
    for (int step = 0; step < 4; ++step) {
      adj_sgd_descriptor d{.count = 1, .numel = numel, .param = ADJ_F64};
      d.state = o.momentum ? ADJ_F64 : ADJ_DTYPE_NONE;
      d.momentum = o.momentum;
      d.dampening = o.dampening;
      d.weight_decay = o.decay;
      d.nesterov = o.nesterov;
      d.first_step = step == 0;
      adj_sgd_args a;
      a.params = w.view();
      a.grads = g.view();
      if (o.momentum) a.momentum_buffers = buffers.view();
      a.lr.value = 0.1;
      a.grad_scale.value = 2;
      run(d, a);

      double grad = 0.25 + o.decay * want_w;
      if (o.momentum) {
        want_buffer = step == 0 ? grad : o.momentum * want_buffer + (1 - o.dampening) * grad;
        grad = o.nesterov ? grad + o.momentum * want_buffer : want_buffer;
      }
      want_w -= 0.1 * grad;
      CHECK(w.at(0) == Approx(want_w).epsilon(1e-14));
      if (o.momentum) CHECK(buffers.at(0) == Approx(want_buffer).epsilon(1e-14));
    }
    if (!o.momentum) CHECK(buffers.at(0) == 777.0);
  }
}

TEST_CASE("sgd: copies, 16-bit parameters and found_inf") {
  const std::int64_t numel[] = {2, 0, 1};
  List<float> w({{1.0f, 2.0f}, {}, {1.001f}});
  List<f16> g({{adj::to_f16(0.5), adj::to_f16(-3)}, {}, {adj::to_f16(0)}});
  List<bf16> copies({numel, numel + 3}, 5);
  float flag = 1;
  adj_sgd_descriptor d{.count = 3, .numel = numel, .param = ADJ_F32, .grad = ADJ_F16, .copy = ADJ_BF16};
  adj_sgd_args a;
  a.params = w.view();
  a.grads = g.view();
  a.copies = copies.view();
  a.lr.value = 0.5;
  a.found_inf = one(flag, ADJ_F32);
  run(d, a);
  CHECK(w.at(0) == 1.0);
  CHECK(copies.at(0) == 5.0);
  flag = 0;
  run(d, a);
  CHECK(w.at(0, 0) == 0.75);
  CHECK(w.at(0, 1) == 3.5);
  CHECK(copies.at(0, 1) == 3.5);
  CHECK(copies.at(2) == 1.0);

  List<bf16> low({{adj::to_bf16(1), adj::to_bf16(256)}}), low_g({{adj::to_bf16(0.5), adj::to_bf16(1)}});
  adj_sgd_descriptor e{.count = 1, .numel = numel, .param = ADJ_BF16};
  adj_sgd_args b;
  b.params = low.view();
  b.grads = low_g.view();
  b.lr.value = 1;
  run(e, b);
  CHECK(low.at(0, 0) == 0.5);
  CHECK(low.at(0, 1) == 255);
}

TEST_CASE("sgd: descriptors that contradict themselves") {
  const std::int64_t numel[] = {4};
  const adj_sgd_descriptor plain{.count = 1, .numel = numel, .param = ADJ_F32};
  CHECK(select_status(plain) == ADJ_OK);
  auto rejected = [&](auto change) {
    adj_sgd_descriptor d = plain;
    change(d);
    return select_status(d) == ADJ_ERROR_INVALID_PROBLEM;
  };
  using D = adj_sgd_descriptor;
  CHECK(rejected([](D& d) { d.momentum = 0.9; }));
  CHECK(rejected([](D& d) { d.state = ADJ_F32; }));
  CHECK(rejected([](D& d) { d.momentum = 1, d.state = ADJ_F32; }));
  CHECK(rejected([](D& d) { d.momentum = std::numeric_limits<double>::quiet_NaN(), d.state = ADJ_F32; }));
  CHECK(rejected([](D& d) { d.nesterov = 1; }));
  CHECK(rejected([](D& d) { d.nesterov = 1, d.momentum = 0.9, d.dampening = 0.1, d.state = ADJ_F32; }));
  CHECK(rejected([](D& d) { d.weight_decay = std::numeric_limits<double>::infinity(); }));
  CHECK(rejected([](D& d) { d.dampening = std::numeric_limits<double>::quiet_NaN(); }));
  CHECK(!rejected([](D& d) { d.nesterov = 1, d.momentum = 0.9, d.state = ADJ_F32; }));
}

TEST_CASE("sgd: new weights and updates beside the old ones") {
  List<float> w({{1, 2, 3}}), g({{4, 5, 6}}), new_w({{0, 0, 0}}), updates({{0, 0, 0}});
  const std::vector<std::int64_t> numel{3};
  adj_sgd_descriptor d{.count = 1, .numel = numel.data(), .param = ADJ_F32};
  d.out_of_place = d.updates = 1;
  adj_sgd_args a;
  a.params = w.view();
  a.grads = g.view();
  a.new_params = new_w.view();
  a.updates = updates.view();
  a.lr.value = 0.5;
  run(d, a);
  CHECK(new_w.tensors[0] == std::vector<float>{-1, -0.5, 0});
  CHECK(updates.tensors[0] == std::vector<float>{-2, -2.5, -3});
  CHECK(w.tensors[0] == std::vector<float>{1, 2, 3});
  a.updates = g.view();  // in place, and clipped to half
  a.gradient_norm.value = 2;
  run(d, a);
  CHECK(g.tensors[0] == std::vector<float>{-1, -1.25, -1.5});
}

TEST_CASE("sgd: a negative scale keeps its sign, whether it clips or not") {
  const std::vector<std::int64_t> numel{1};
  auto stepped = [&](double gradient_norm, double max_norm) {
    List<double> w({1}, 1), g({1}, 6);
    adj_sgd_descriptor d{.count = 1, .numel = numel.data(), .max_norm = max_norm, .param = ADJ_F64};
    adj_sgd_args a;
    a.params = w.view();
    a.grads = g.view();
    a.lr.value = 0.1;
    a.grad_scale.value = -3;
    a.gradient_norm.value = gradient_norm;
    run(d, a);
    return w.at(0);
  };
  CHECK(stepped(0, 1) == Approx(1.2).epsilon(1e-15));
  CHECK(stepped(60, 2) == Approx(1.02).epsilon(1e-15));
  CHECK(stepped(20, 30) == Approx(1.2).epsilon(1e-15));
  CHECK(stepped(20, INFINITY) == Approx(1.2).epsilon(1e-15));
}
