// Norms of gradients, and scaled steps, on the host stream.
#include <doctest/doctest.h>

#include <cmath>
#include <limits>
#include <memory>
#include <random>

#include <adjoint/ops/precision.h>

#include "optimizer.hpp"

using namespace optimizers;

TEST_CASE("clip_grad_norm: closed forms") {
  auto clip = [](List<float>& g, double max_norm, double scale, float& norm, float& factor, float& found) {
    const std::vector<std::int64_t> numel = g.numel();
    adj_clip_grad_norm_descriptor d{.count = static_cast<std::int64_t>(numel.size()), .numel = numel.data(), .max_norm = max_norm, .grad = ADJ_F32};
    adj_clip_grad_norm_args a;
    a.grads = g.view();
    a.grad_scale.value = scale;
    a.norm = one(norm, ADJ_F32);
    a.factor = one(factor, ADJ_F32);
    a.found_inf = one(found, ADJ_F32);
    run(d, a);
  };
  float norm = -1, factor = -1, found = -1;
  List<float> g({{3}, {}, {4}});
  clip(g, 1, 1, norm, factor, found);
  CHECK(g.at(0) == Approx(0.59999988));
  CHECK(g.at(2) == Approx(0.79999984));
  CHECK(norm == 5);
  CHECK(factor == Approx(0.19999996));
  CHECK(found == 0);
  List<float> scaled({{30, 40}});
  clip(scaled, 100, 10, norm, factor, found);
  CHECK(scaled.tensors[0] == std::vector<float>{3, 4});
  CHECK(factor == 1);
  // ONNX Runtime's numbers.
  List<float> same({{1, 2, 3}, {4, 5, 6, 7}, {8, 9, 10, 11, 12}});
  clip(same, 100, 1, norm, factor, found);
  CHECK(same.tensors[2] == std::vector<float>{8, 9, 10, 11, 12});
  CHECK(norm == Approx(std::sqrt(650.0)));
  List<float> bad(std::vector<std::vector<float>>{{1, INFINITY}, {2}});
  clip(bad, 1, 1, norm, factor, found);
  CHECK(bad.tensors[0] == std::vector<float>{1, INFINITY});
  CHECK(bad.tensors[1] == std::vector<float>{2});
  CHECK(norm == INFINITY);
  CHECK(found == 1);
  List<float> large({{1e38f, 1e38f}});
  clip(large, 1, 1, norm, factor, found);
  CHECK(norm == Approx(std::sqrt(2.0) * 1e38));
  CHECK(large.at(0) == Approx(std::sqrt(0.5)));
  List<float> none(std::vector<std::vector<float>>{});
  clip(none, 1, 1, norm, factor, found);
  CHECK(norm == 0);
  CHECK(factor == 1);
  CHECK(found == 0);
}

TEST_CASE("clip_grad_norm: a norm beyond its type, subnormal multipliers and an infinite limit") {
  auto clip = [](auto& g, double max_norm, auto& norm, auto& factor) {
    using T = std::remove_reference_t<decltype(g.tensors[0][0])>;
    const std::vector<std::int64_t> numel = g.numel();
    float found = -1;
    adj_clip_grad_norm_descriptor d{.count = static_cast<std::int64_t>(numel.size()), .numel = numel.data(), .max_norm = max_norm, .grad = adj::dtype_of<T>};
    adj_clip_grad_norm_args a;
    a.grads = g.view();
    a.norm = one(norm, adj::dtype_of<T>);
    a.factor = one(factor, adj::dtype_of<T>);
    a.found_inf = one(found, ADJ_F32);
    run(d, a);
    return found;
  };
  float norm = -1, factor = -1;
  List<float> beyond({{3e38f, 3e38f}});
  CHECK(clip(beyond, 1, norm, factor) == 1);
  CHECK(beyond.tensors[0] == std::vector<float>{3e38f, 3e38f});
  CHECK(norm == INFINITY);
  CHECK(factor == 1);
  List<float> large({{1.5e38f, -1.5e38f}});
  CHECK(clip(large, 1e-3, norm, factor) == 0);
  CHECK(large.at(0, 0) == Approx(1e-3 * std::sqrt(0.5)).epsilon(1e-6));
  CHECK(large.at(0, 1) == Approx(-1e-3 * std::sqrt(0.5)).epsilon(1e-6));
  double wide_norm = -1, wide_factor = -1;
  List<double> wide({{1e308, 1e308}});
  CHECK(clip(wide, 1e-10, wide_norm, wide_factor) == 0);
  CHECK(wide.at(0) == Approx(1e-10 * std::sqrt(0.5)).epsilon(1e-12));
  List<float> free({{3, 4}});
  CHECK(clip(free, INFINITY, norm, factor) == 0);
  CHECK(free.tensors[0] == std::vector<float>{3, 4});
  CHECK(norm == 5);
  CHECK(factor == 1);
}

namespace {

// Memory of a scaled step: weights with two states, the scale of the loss, and the step.
struct ScaledStep {
  List<float> params = random_list<float>({3, 0, 5}, 1, -1, 1), grads = random_list<float>({3, 0, 5}, 2, -8, 8),
              first = random_list<float>({3, 0, 5}, 3, -1, 1), second = random_list<float>({3, 0, 5}, 4, 0, 1);
  std::vector<std::int64_t> numel = params.numel();
  std::vector<float> scale{8}, found_inf{0};
  std::vector<std::int32_t> tracker{6};
  std::int64_t step = 5;

  void clip() {
    adj_clip_grad_norm_descriptor d;
    d.count = 3;
    d.numel = numel.data();
    d.grad = ADJ_F32;
    adj_clip_grad_norm_args a;
    a.grads = grads.view();
    a.grad_scale = device_scalar(scale.data(), ADJ_F32);
    a.found_inf = support::tensor(found_inf);
    run(d, a);
  }
  template <class Descriptor, class Args, class More>
  void update(More more) {
    Descriptor d;
    d.count = 3;
    d.numel = numel.data();
    d.param = ADJ_F32;
    Args a;
    a.params = params.view();
    a.grads = grads.view();
    a.lr.value = 0.1;
    a.found_inf = support::tensor(found_inf);
    more(d, a);
    run(d, a);
  }
  template <class Descriptor, class Args>
  void update_moments() {
    update<Descriptor, Args>([&](Descriptor& d, Args& a) {
      d.advance_step = 1;
      a.exp_avg = first.view();
      a.exp_avg_sq = second.view();
      a.step = device_scalar(&step, ADJ_I64);
    });
  }
  void adapt() {
    adj_update_loss_scale_descriptor d;
    d.growth_interval = 7;
    adj_update_loss_scale_args a;
    a.found_inf = support::tensor(found_inf);
    a.scale = support::tensor(scale);
    a.growth_tracker = support::tensor(tracker);
    run(d, a);
  }
};

}  // namespace

TEST_CASE("a scaled step with a gradient that is not finite changes nothing but the scale") {
  using Update = void (*)(ScaledStep&);
  const Update updates[] = {[](ScaledStep& s) { s.update_moments<adj_adam_descriptor, adj_adam_args>(); },
                            [](ScaledStep& s) { s.update_moments<adj_lamb_descriptor, adj_lamb_args>(); },
                            [](ScaledStep& s) {
                              s.update<adj_sgd_descriptor, adj_sgd_args>([&](adj_sgd_descriptor& d, adj_sgd_args& a) {
                                d.momentum = 0.9;
                                d.state = ADJ_F32;
                                a.momentum_buffers = s.first.view();
                              });
                            }};
  for (const Update update : updates) {
    const ScaledStep before;
    for (const float bad : {std::numeric_limits<float>::infinity(), -std::numeric_limits<float>::infinity(), std::numeric_limits<float>::quiet_NaN()}) {
      ScaledStep s;
      s.grads.tensors[2][4] = bad;
      s.clip();
      update(s);
      s.adapt();
      CHECK(same_bits(s.params, before.params));
      CHECK(same_bits(s.first, before.first));
      CHECK(same_bits(s.second, before.second));
      CHECK(s.step == 5);
      CHECK(s.scale[0] == 4);
      CHECK(s.tracker[0] == 0);
    }
    ScaledStep s;
    s.clip();
    update(s);
    s.adapt();
    CHECK(!same_bits(s.params, before.params));
    CHECK(!same_bits(s.first, before.first));
    CHECK(s.scale[0] == 16);
    CHECK(s.tracker[0] == 0);
  }
}

TEST_CASE("a power of two that scales a loss changes no bit of a clipped step") {
  auto weights = [](float scale) {
    ScaledStep s;
    s.scale[0] = scale;
    for (auto& t : s.grads.tensors)
      for (float& g : t) g *= scale;
    s.clip();
    s.update_moments<adj_adam_descriptor, adj_adam_args>();
    return s.params;
  };
  const auto plain = weights(1);
  CHECK(same_bits(plain, weights(0x1p10f)));
  CHECK(same_bits(plain, weights(0x1p-5f)));
}
