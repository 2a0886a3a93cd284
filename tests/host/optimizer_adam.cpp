// Adam and LAMB on the host stream, against published numbers and closed forms.
#include <doctest/doctest.h>

#include <cmath>
#include <limits>
#include <memory>
#include <random>

#include "optimizer.hpp"

using namespace optimizers;

TEST_CASE("adam: closed forms in f64") {
  Adam<double> p({{{1}}}, {{{512}}}, {{{0.1}}}, {{{0.01}}});
  p.d.weight_decay = 0.01;
  p.a.grad_scale.value = 1024;
  p.a.gradient_norm.value = 4096;
  p.d.updates = 1;
  p.run();
  CHECK(p.w.at(0) == Approx(0.9665957664951661).epsilon(1e-14));
  CHECK(p.m.at(0) == Approx(0.1025).epsilon(1e-14));
  CHECK(p.v.at(0) == Approx(0.010005625).epsilon(1e-14));
  CHECK(p.updates.at(0) == Approx(0.9665957664951661 - 1).epsilon(1e-13));

  Adam<double> last({{{1}}}, {{{512}}}, {{{0.1}}}, {{{0.01}}});
  last.d.weight_decay = 0.01;
  last.d.decay = ADJ_ADAM_DECAY_LAST;
  last.a.grad_scale.value = 1024;
  last.a.gradient_norm.value = 512;
  last.run();
  CHECK(last.w.at(0) == Approx(0.9552937543191026).epsilon(1e-14));
  CHECK(last.m.at(0) == Approx(0.14).epsilon(1e-14));
  CHECK(last.v.at(0) == Approx(0.01024).epsilon(1e-14));

  // The first step of PyTorch's Adam moves a weight by lr against the sign of its gradient, here decided by the decay.
  Adam<double> l2({{{2, -3}}}, {{{-0.1, 0.1}}}, {{{0, 0}}}, {{{0, 0}}});
  l2.d.weight_decay = 0.1;
  l2.d.decay = ADJ_ADAM_DECAY_L2;
  l2.d.epsilon = 0;
  l2.run();
  check_list(l2.w, {1.9, -2.9}, 1e-14);
}

TEST_CASE("adam: ONNX Runtime's numbers") {
  const std::vector<float> w{-0.4634f, 0.3584f, -0.2121f}, g{0.4171f, 0.9485f, 1.2289f}, zeros(3, 0.0f);
  auto check = [](auto& p, const std::vector<double>& weights) {
    for (std::size_t i = 0; i < 3; ++i) CHECK(std::fabs(p.w.at(0, i) - weights[i]) <= 1e-3 + 1e-4 * std::fabs(weights[i]));
  };
  Adam<> plain({{{1, 2, 3}}}, {{{4, 5, 6}}}, {{{0.1f, 0.2f, 0.3f}}}, {{{0.4f, 0.5f, 0.6f}}});
  plain.d.no_bias_correction = 1;
  plain.a.lr.value = 0.5;
  plain.a.step.value = 3;
  plain.run();
  check_list(plain.w, {0.6199609, 1.5305318, 2.4542853}, 1e-6);
  check_list(plain.m, {0.49, 0.68, 0.87}, 1e-6);
  check_list(plain.v, {0.4156, 0.5245, 0.6354}, 1e-6);

  Adam<float, f16, f16> mixed({{{1, 2, 3}}}, {{{adj::from_double<f16>(4), adj::from_double<f16>(5), adj::from_double<f16>(6)}}},
                              {{{adj::from_double<f16>(0.1), adj::from_double<f16>(0.2), adj::from_double<f16>(0.3)}}},
                              {{{adj::from_double<f16>(0.4), adj::from_double<f16>(0.5), adj::from_double<f16>(0.6)}}});
  mixed.d.no_bias_correction = 1;
  const f16 rate = adj::from_double<f16>(0.5);
  mixed.a.lr = device_scalar(&rate, ADJ_F16);
  mixed.run();
  check(mixed, {0.6199609, 1.5305318, 2.4542853});

  Adam<> corrected({{w}}, {{g}}, {{zeros}}, {{zeros}});
  corrected.a.lr.value = 1;
  corrected.run();
  check(corrected, {-1.4634, -0.6416, -1.2121});

  Adam<> decayed({{w}}, {{g}}, {{zeros}}, {{zeros}});
  decayed.a.lr.value = 1;
  decayed.d.weight_decay = 0.01;
  decayed.d.updates = 1;
  decayed.run();
  check(decayed, {-1.4587, -0.6452, -1.2099});
  check_list(decayed.updates, {-0.9954, -1.0036, -0.9979}, 1e-3);

  Adam<> last({{w}}, {{g}}, {{zeros}}, {{zeros}});
  last.a.lr.value = 1;
  last.d.weight_decay = 0.01;
  last.d.no_bias_correction = 1;
  last.d.decay = ADJ_ADAM_DECAY_LAST;
  last.run();
  check(last, {-3.5894, -2.7758, -3.3406});
}

TEST_CASE("adam: unscaling, clipping, step, copy and clearing in one call have the bits of their chain") {
  auto chain = Adam<>::random({7, 0, 600}), p = chain;
  chain.d.copy = p.d.copy = ADJ_F16;
  chain.d.weight_decay = p.d.weight_decay = 1e-2;
  chain.a.step.value = p.a.step.value = 7;
  for (auto& t : chain.g.tensors)
    for (float& x : t) x /= 4;
  chain.run();
  p.d.clear_grads = 1;
  p.a.grad_scale.value = 2;
  p.a.gradient_norm.value = 8;
  p.d.max_norm = 2;  // a divisor of 4
  p.run();
  CHECK(p.same_results(chain));
  for (const auto& t : p.g.tensors)
    for (float x : t) CHECK(x == 0);
}

TEST_CASE("adam and lamb: skipped calls") {
  auto check = [](auto p, auto make_skip, std::int64_t counted) {
    const auto w = p.w, m = p.m, v = p.v;
    const auto g = p.g;
    std::int64_t errors = 0, step = 5;
    float infinite = 0;
    p.d.out_of_place = 1;
    p.d.updates = 1;
    p.d.advance_step = 1;
    p.a.step = device_scalar(&step, ADJ_I64);
    p.a.found_inf = one(infinite, ADJ_F32);
    p.a.error_flag = one(errors, ADJ_I64);
    make_skip(p, infinite);
    p.run();
    CHECK(step == 5);
    CHECK(errors == counted);
    CHECK(same_bits(p.w, w));
    CHECK(same_bits(p.new_w, w));
    CHECK(same_bits(p.new_m, m));
    CHECK(same_bits(p.new_v, v));
    CHECK(same_bits(p.updates, g));
  };
  const float infinity = INFINITY;
  const bool no = false;
  auto both = [&](auto make_skip, std::int64_t counted) {
    check(Adam<>({{kWeight}}, {{kGradient}}, {{kWeight}}, {{kGradient}}), make_skip, counted);
    check(Lamb<>({{kWeight}}, {{kGradient}}, {{kWeight}}, {{kGradient}}), make_skip, counted);
  };
  both([](auto&, float& found) { found = 1; }, 0);
  both([](auto& p, float&) { p.a.update_signal.value = 0; }, 0);
  both([&](auto& p, float&) { p.a.update_signal = device_scalar(&no, ADJ_BOOL); }, 0);
  both([&](auto& p, float&) { p.a.gradient_norm = device_scalar(&infinity, ADJ_F32); }, 1);
}

TEST_CASE("lamb: closed form in f64") {
  Lamb<double> p({{{1, 2}}}, {{{0.5, -0.25}}}, {{{0, 0}}}, {{{0, 0}}});
  p.d.weight_decay = 0.01;
  p.d.updates = 1;
  p.run();
  check_list(p.w, {0.839520561864, 2.155712394933}, 1e-12);
  check_list(p.updates, {-0.158890847442 * 1.0099980000, 0.158890847442 * 0.9799960000}, 1e-6);

  // The direction does not depend on the size of the weights, even when their squares leave the range.
  for (double size : {1e-180, 1e180}) {
    Lamb<double> far({{{size, 2 * size}}}, {{{0.5, -0.25}}}, {{{0, 0}}}, {{{0, 0}}});
    far.run();
    check_list(far.w, {size * (1 - 0.1 * std::sqrt(2.5)), size * (2 + 0.1 * std::sqrt(2.5))}, 1e-5);
  }
}

TEST_CASE("lamb: ONNX Runtime's numbers") {
  struct Vector {
    std::vector<float> w, g, m, v;
    bool corrected;
    std::vector<double> weights, mean, square;
  };
  for (const Vector& c : std::vector<Vector>{{{1, 2}, {3, 4}, {-1, -2}, {2, 1}, false, {0.355502746, 1.08642281}, {2.2, 2.8}, {3.4, 4}},
                                             {{1, 2}, {3, 4}, {-1, -2}, {2, 1}, true, {0.387637955, 1.06457885}, {2.2, 2.8}, {3.4, 4}},
                                             {{1, 2, 1, 1, 2, 2},
                                              {3, 4, 3, 3, 4, 4},
                                              {-1, -2, 2, 1, 1, -2},
                                              {1, 1, 5, 5, 6, 6},
                                              false,
                                              {0.252121533, 1.03726354, 0.333049584, 0.36636246, 1.1166565, 1.20175118},
                                              {2.2, 2.8, 2.8, 2.6, 3.4, 2.8},
                                              {2.6, 4, 5.8, 5.8, 8, 8}},
                                             {{1}, {3}, {-10}, {1}, false, {0.5}, {0.4}, {2.6}}}) {
    Lamb<> p({{c.w}}, {{c.g}}, {{c.m}}, {{c.v}});
    p.a.lr.value = 0.5;
    p.a.gradient_norm.value = 1;
    p.d.beta1 = 0.2;
    p.d.beta2 = 0.8;
    p.d.weight_decay = 0.5;
    p.d.ratio_min = -INFINITY;
    p.d.ratio_max = INFINITY;
    p.d.no_bias_correction = !c.corrected;
    p.run();
    check_list(p.w, c.weights, 1e-5);
    check_list(p.m, c.mean, 1e-5);
    check_list(p.v, c.square, 1e-5);
  }
  for (bool clipped : {false, true}) {
    auto h = [](double x) { return adj::from_double<f16>(x); };
    Lamb<float, f16, float> p({{{-1.5f, 2.4f}}}, {{{h(-0.75), h(1.2)}}}, {{{0.87f, -0.94f}}}, {{{0.12f, 0.28f}}});
    p.d.beta1 = 0.9;
    p.d.beta2 = 0.95;
    p.d.weight_decay = 0.25;
    p.d.epsilon = 0.33;
    p.d.no_bias_correction = 1;
    p.d.copy = ADJ_F16;
    if (clipped) p.a.gradient_norm.value = 1.41509717;
    p.run();
    const std::vector<double> weights = clipped ? std::vector<double>{-1.76395795, 2.50210877} : std::vector<double>{-1.77003317, 2.48474719};
    check_list(p.w, weights, 1e-3);
    check_list(p.copy, weights, 2e-3);
    check_list(p.m, clipped ? std::vector<double>{0.730000106, -0.76120017} : std::vector<double>{0.708, -0.726}, 1e-3);
  }
}

TEST_CASE("lamb: a tensor without a norm is left alone, the others are not") {
  Lamb<> p({{{1, 2}, {3, 4}, {5}}}, {{{1, 1}, {NAN, 1}, {1}}}, {{{0, 0}, {0, 0}, {0}}}, {{{0, 0}, {0, 0}, {0}}});
  p.d.updates = 1;
  std::int64_t errors = 0;
  p.a.error_flag = one(errors, ADJ_I64);
  p.run();
  CHECK(errors == 1);
  CHECK(p.w.tensors[1] == std::vector<float>{3, 4});
  CHECK(p.m.tensors[1] == std::vector<float>{0, 0});
  CHECK(p.updates.tensors[1] == std::vector<float>{0, 0});
  CHECK(p.w.tensors[0][0] < 1);
  CHECK(p.w.tensors[2][0] < 5);
  CHECK(p.m.tensors[2][0] == doctest::Approx(0.1));
}

TEST_CASE("lamb: every tensor with numbers of its own equals calls of one tensor") {
  const std::vector<std::int64_t> numel{5, 3};
  const double beta1[] = {0.5, 0.9}, decay[] = {0, 0.3};
  auto w = random_list<float>(numel, 1, -1, 1), g = random_list<float>(numel, 2, -1, 1), m = random_list<float>(numel, 3, -1, 1),
       v = random_list<float>(numel, 4, 0, 1);
  Lamb<> all(w, g, m, v);
  all.d.beta1_count = all.d.weight_decay_count = 2;
  all.d.beta1_of = beta1;
  all.d.weight_decay_of = decay;
  all.run();
  for (std::size_t t = 0; t < 2; ++t) {
    Lamb<> alone({{w.tensors[t]}}, {{g.tensors[t]}}, {{m.tensors[t]}}, {{v.tensors[t]}});
    alone.d.beta1 = beta1[t];
    alone.d.weight_decay = decay[t];
    alone.run();
    CHECK(alone.w.tensors[0] == all.w.tensors[t]);
    CHECK(alone.m.tensors[0] == all.m.tensors[t]);
  }
}

TEST_CASE("adam, lamb, clip_grad_norm: descriptors and values that contradict themselves") {
  std::string message;
  const std::vector<std::int64_t> numel{3};
  auto adam = [&](auto change) {
    adj_adam_descriptor d{.count = 1, .numel = numel.data(), .param = ADJ_F32};
    change(d);
    return select_status(d, &message);
  };
  CHECK(adam([](auto& d) { d.max_norm = 0; }) == ADJ_ERROR_INVALID_PROBLEM);
  CHECK(message == "adam: max_norm = 0, expected a number above 0");
  CHECK(adam([](auto& d) { d.max_norm = -1; }) == ADJ_ERROR_INVALID_PROBLEM);
  CHECK(adam([](auto& d) { d.beta1 = 1; }) == ADJ_ERROR_INVALID_PROBLEM);
  CHECK(adam([](auto& d) { d.beta1 = 1, d.no_bias_correction = 1; }) == ADJ_OK);
  CHECK(adam([](auto& d) { d.beta2 = -0.1; }) == ADJ_ERROR_INVALID_PROBLEM);
  CHECK(adam([](auto& d) { d.epsilon = -1; }) == ADJ_ERROR_INVALID_PROBLEM);
  CHECK(adam([](auto& d) { d.weight_decay = NAN; }) == ADJ_ERROR_INVALID_PROBLEM);
  CHECK(adam([](auto& d) { d.decay = adj_adam_decay{3}; }) == ADJ_ERROR_INVALID_ARGUMENT);
  CHECK(adam([](auto& d) { d.updates = 2; }) == ADJ_ERROR_INVALID_ARGUMENT);
  CHECK(adam([](auto& d) { d.updates = d.clear_grads = 1; }) == ADJ_ERROR_INVALID_PROBLEM);
  CHECK(adam([](auto& d) { d.keep_params = 1, d.copy = ADJ_BF16; }) == ADJ_ERROR_INVALID_PROBLEM);
  auto lamb = [&](auto change) {
    adj_lamb_descriptor d{.count = 1, .numel = numel.data(), .param = ADJ_F32};
    change(d);
    return select_status(d, &message);
  };
  const double bad[] = {0, 0};
  CHECK(lamb([&](auto& d) { d.max_norm_count = 1, d.max_norm_of = bad; }) == ADJ_ERROR_INVALID_PROBLEM);
  CHECK(message == "lamb: max_norm_of[0] = 0, expected a number above 0");
  CHECK(lamb([&](auto& d) { d.beta1_count = 2, d.beta1_of = bad; }) == ADJ_ERROR_INVALID_PROBLEM);
  CHECK(lamb([](auto& d) { d.ratio_min = 2, d.ratio_max = 1; }) == ADJ_ERROR_INVALID_PROBLEM);
  CHECK(lamb([](auto& d) { d.ratio_max = NAN; }) == ADJ_ERROR_INVALID_PROBLEM);
  adj_clip_grad_norm_descriptor clip{.count = 1, .numel = numel.data(), .max_norm = 0, .grad = ADJ_F32};
  CHECK(select_status(clip) == ADJ_ERROR_INVALID_PROBLEM);

  auto value = [&](auto change) {
    Adam<> p({{kWeight}}, {{kGradient}}, {{kZeros}}, {{kZeros}});
    change(p.a);
    p.bind();
    return run_status(planned(p.d), p.a);
  };
  CHECK(value([](auto&) {}) == ADJ_OK);
  CHECK(value([](auto& a) { a.step.value = 0; }) == ADJ_ERROR_INVALID_VALUE);
  CHECK(value([](auto& a) { a.lr.value = NAN; }) == ADJ_ERROR_INVALID_VALUE);
  CHECK(value([](auto& a) { a.grad_scale.value = 0; }) == ADJ_ERROR_INVALID_VALUE);
  CHECK(value([](auto& a) { a.grad_scale.value = -1; }) == ADJ_OK);
  CHECK(value([](auto& a) { a.gradient_norm.value = INFINITY; }) == ADJ_ERROR_INVALID_VALUE);
  CHECK(value([](auto& a) { a.gradient_norm.value = -1; }) == ADJ_ERROR_INVALID_VALUE);
  CHECK(value([](auto& a) { a.update_signal.value = 2; }) == ADJ_ERROR_INVALID_VALUE);
}

TEST_CASE_TEMPLATE("lamb: a weight that its own type cannot hold stays as it is", T, float, f16, bf16) {
  const double largest = std::is_same_v<T, float> ? 0x1.fffffep127 : std::is_same_v<T, f16> ? 65504 : 0x1.fep127;
  // Steps of half the size of the weights: the first and the last one would grow.
  Lamb<T, float, float> p(List<T>(std::vector<std::vector<T>>{{adj::from_double<T>(largest), adj::from_double<T>(largest), adj::from_double<T>(-largest)}}),
                          {{{-1, 1, 1}}}, {{{0, 0, 0}}}, {{{0, 0, 0}}});
  p.d.weight_decay = 0;
  p.d.updates = 1;
  p.a.lr.value = 0.5;
  p.run();
  CHECK(p.w.at(0, 0) == largest);
  CHECK(p.w.at(0, 1) == Approx(largest / 2).epsilon(0.01));
  CHECK(p.w.at(0, 2) == -largest);
  CHECK(p.updates.at(0, 0) == 0);
  CHECK(p.updates.at(0, 1) == Approx(-largest / 2).epsilon(1e-5));
  CHECK(p.updates.at(0, 2) == 0);
}

TEST_CASE("optimizers: an infinite max_norm clips nothing, and what is not above 0 is refused") {
  auto weights = [](double max_norm, double gradient_norm) {
    Adam<> p({{kWeight}}, {{kGradient}}, {{kWeight}}, {{kGradient}});
    p.d.no_bias_correction = 1;
    p.d.epsilon = 1;
    p.d.max_norm = max_norm;
    p.a.gradient_norm.value = gradient_norm;
    for (float& v : p.v.tensors[0]) v = std::fabs(v);
    p.run();
    return p.w;
  };
  CHECK(same_bits(weights(INFINITY, 1e30), weights(1, 0)));
  CHECK(!same_bits(weights(1, 1e3), weights(1, 0)));
  const std::vector<std::int64_t> numel{3}, keys{0};
  auto select_with = [&](double max_norm) {
    adj_adam_descriptor adam{.count = 1, .numel = numel.data(), .max_norm = max_norm, .param = ADJ_F32};
    adj_lamb_descriptor lamb{.count = 1, .numel = numel.data(), .max_norm = max_norm, .param = ADJ_F32},
        own{.count = 1, .numel = numel.data(), .param = ADJ_F32};
    own.max_norm_count = 1;
    own.max_norm_of = &max_norm;
    adj_lion_descriptor lion{.count = 1, .numel = numel.data(), .max_norm = max_norm, .param = ADJ_F32};
    adj_adamw_8bit_descriptor bytes{
        .count = 1, .numel = numel.data(), .max_norm = max_norm, .tensor_key_count = 1, .tensor_keys = keys.data(), .param = ADJ_F32};
    adj_sgd_descriptor sgd{.count = 1, .numel = numel.data(), .max_norm = max_norm, .param = ADJ_F32};
    adj_clip_grad_norm_descriptor clip{.count = 1, .numel = numel.data(), .max_norm = max_norm, .grad = ADJ_F32};
    return std::vector<adj_status>{select_status(adam),  select_status(lamb), select_status(own), select_status(lion),
                                   select_status(bytes), select_status(sgd),  select_status(clip)};
  };
  CHECK(select_with(INFINITY) == std::vector<adj_status>(7, ADJ_OK));
  for (double bad : {0.0, -1.0, double{-INFINITY}, double{NAN}}) CHECK(select_with(bad) == std::vector<adj_status>(7, ADJ_ERROR_INVALID_PROBLEM));
}

TEST_CASE("adam and lamb: rates outside of [0, 1] without bias correction") {
  // m = 1.5 * 0.2 - 0.5 * 1 = -0.2;  v = 2 * 3 - 1 * 1 = 5.
  const double w = 1 + 0.1 * 0.2 / (std::sqrt(5.0) + 1e-8);
  Adam<double> adam(List<double>({1}, 1), List<double>({1}, 1), List<double>({1}, 0.2), List<double>({1}, 3));
  adam.d.no_bias_correction = 1;
  adam.d.beta1 = 1.5;
  adam.d.beta2 = 2;
  adam.run();
  CHECK(adam.w.at(0) == Approx(w).epsilon(1e-14));
  CHECK(adam.m.at(0) == Approx(-0.2).epsilon(1e-14));
  CHECK(adam.v.at(0) == 5);
  Lamb<double> lamb(List<double>({1}, 1), List<double>({1}, 1), List<double>({1}, 0.2), List<double>({1}, 3));
  lamb.d.no_bias_correction = 1;
  lamb.d.beta1 = 1.5;
  lamb.d.beta2 = 2;
  lamb.run();
  CHECK(lamb.w.at(0) == Approx(1.1).epsilon(1e-14));
  CHECK(lamb.v.at(0) == 5);
  std::string message;
  for (double bad : {double{NAN}, double{INFINITY}}) {
    adam.d.beta2 = lamb.d.beta1 = bad;
    CHECK(select_status(adam.d) == ADJ_ERROR_INVALID_PROBLEM);
    CHECK(select_status(lamb.d, &message) == ADJ_ERROR_INVALID_PROBLEM);
  }
  CHECK(message == "lamb: beta1 = inf, expected a finite number");
  lamb.d.beta1 = 1.5;
  lamb.d.no_bias_correction = 0;
  CHECK(select_status(lamb.d, &message) == ADJ_ERROR_INVALID_PROBLEM);
  CHECK(message == "lamb: beta1 = 1.5 is outside [0, 1)");
}

TEST_CASE("a skipped call counts one error at most, and none when found_inf or update_signal skips it") {
  auto errors_of = [](float found, double signal, float norm, std::int64_t step) {
    Adam<> p({{kWeight}}, {{kGradient}}, {{kWeight}}, {{kGradient}});
    std::int64_t errors = 41;
    p.d.out_of_place = p.d.clear_grads = 1;
    p.a.step = device_scalar(&step, ADJ_I64);
    p.a.gradient_norm = device_scalar(&norm, ADJ_F32);
    p.a.update_signal.value = signal;
    p.a.found_inf = one(found, ADJ_F32);
    p.a.error_flag = one(errors, ADJ_I64);
    p.run();
    // Outputs in other buffers are copies, and gradients are cleared.
    CHECK(p.w.tensors[0] == kWeight);
    CHECK(same_bits(p.new_w, p.w));
    CHECK(same_bits(p.new_m, p.m));
    CHECK(same_bits(p.new_v, p.v));
    CHECK(p.g.tensors[0] == kZeros);
    return errors - 41;
  };
  CHECK(errors_of(1, 1, INFINITY, 0) == 0);
  CHECK(errors_of(0, 0, INFINITY, 0) == 0);
  CHECK(errors_of(0, 1, INFINITY, 0) == 1);
  CHECK(errors_of(0, 1, INFINITY, 1) == 1);
  CHECK(errors_of(0, 1, 1, 0) == 1);
}
