// Adam on the host stream: its error terms, numbers of each tensor, stochastic rounding and parts of tensors.
#include <doctest/doctest.h>

#include <cmath>

#include "optimizer.hpp"

using namespace optimizers;

namespace {

// The formulas of the header in long double, and the error terms.
struct Model {
  long double w, m, v, update;
  long double terms_w, terms_m, terms_v;

  template <class P>
  Model(const P& p, std::size_t t, std::size_t i, double lr, double decay) {
    const auto& d = p.d;
    const auto step = static_cast<long double>(p.a.step.value);
    auto corrected = [&](double beta) { return d.no_bias_correction ? 1 : -std::expm1(step * std::log1p(static_cast<long double>(beta) - 1)); };
    const long double a = corrected(d.beta1), b = corrected(d.beta2), old = p.w.at(t, i), scale = p.a.grad_scale.value;
    const long double s = std::copysign(std::max(std::fabs(scale), static_cast<long double>(p.a.gradient_norm.value) / d.max_norm), scale);
    const bool l2 = d.decay == ADJ_ADAM_DECAY_L2, last = d.decay == ADJ_ADAM_DECAY_LAST;
    const long double g = p.g.at(t, i) / s + (l2 ? decay * old : 0), terms_g = std::fabs(p.g.at(t, i) / s) + (l2 ? std::fabs(decay * old) : 0);
    const long double gain1 = 1 - static_cast<long double>(d.beta1), gain2 = 1 - static_cast<long double>(d.beta2);
    m = d.beta1 * static_cast<long double>(p.m.at(t, i)) + gain1 * g;
    v = d.beta2 * static_cast<long double>(p.v.at(t, i)) + gain2 * g * g;
    terms_m = std::fabs(d.beta1 * p.m.at(t, i)) + gain1 * terms_g;
    terms_v = std::fabs(d.beta2 * p.v.at(t, i)) + gain2 * terms_g * terms_g;
    const long double divisor = last ? (std::sqrt(v) + d.epsilon) / std::sqrt(b) : std::sqrt(v / b) + d.epsilon, q = lr / a * m / divisor;
    update = last ? -q - lr * decay * (old - q) : -q - (l2 ? 0 : lr * decay * old);
    w = old + update;
    terms_w = (l2 ? 0 : std::fabs(lr * decay * old)) + lr / a * terms_m / divisor * (1 + std::fabs(lr * decay)) * terms_v / v;
  }
};

template <class T>
void check_error_terms(adj_adam_decay decay, double scale, double norm, double step) {
  constexpr bool kWide = std::is_same_v<T, double>;
  constexpr long double u = kWide ? 0x1p-53L : 0x1p-24L;
  auto p = Adam<T>::random({2000, 9});
  p.d.decay = decay;
  p.d.weight_decay = 0.3;
  p.d.max_norm = 2;
  p.d.updates = 1;
  p.a.grad_scale.value = scale;
  p.a.gradient_norm.value = norm;
  p.a.step.value = step;
  const auto before = p;
  p.run();
  std::size_t beyond = 0;
  for (std::size_t t = 0; t < 2; ++t)
    for (std::size_t i = 0; i < p.w.tensors[t].size(); ++i) {
      const Model model(before, t, i, 0.1, 0.3);
      const long double width = kWide ? 512 : 20;
      auto far = [&](double got, long double want, long double bound) { return !(std::fabs(got - want) <= bound + u * std::fabs(want)); };
      beyond += far(p.w.at(t, i), model.w, width * u * model.terms_w);
      beyond += far(p.updates.at(t, i), model.update, width * u * model.terms_w);
      beyond += far(p.m.at(t, i), model.m, 4 * u * model.terms_m);
      beyond += far(p.v.at(t, i), model.v, 8 * u * model.terms_v);
    }
  CHECK(beyond == 0);
}

template <class W>
Adam<W, float, float> exact_step(std::int64_t count, double weight, double change) {
  // m = g and v = g * g, so that the weight changes by lr against the sign of the gradient, exactly.
  Adam<W, float, float> p(List<W>({count}, weight), List<float>({count}, -1), List<float>({count}, 0), List<float>({count}, 0));
  p.d.no_bias_correction = 1;
  p.d.beta1 = p.d.beta2 = p.d.epsilon = 0;
  p.d.stochastic_rounding = 1;
  p.keys = {0};
  p.a.lr.value = change;
  return p;
}

template <class T>
List<T> cut(const List<T>& list, const std::vector<std::int64_t>& cuts) {
  std::vector<std::vector<T>> parts;
  for (std::size_t i = 0; i + 1 < cuts.size(); ++i) parts.emplace_back(list.tensors[0].begin() + cuts[i], list.tensors[0].begin() + cuts[i + 1]);
  return parts;
}
template <class T>
bool same(const std::vector<T>& x, const std::vector<T>& y) {
  return x.size() == y.size() && std::memcmp(x.data(), y.data(), x.size() * sizeof(T)) == 0;
}
template <class T>
std::vector<T> joined(const List<T>& list) {
  std::vector<T> all;
  for (const auto& t : list.tensors) all.insert(all.end(), t.begin(), t.end());
  return all;
}

}  // namespace

TEST_CASE_TEMPLATE("adam: results are within the error terms of the formulas", T, float, double) {
  for (adj_adam_decay decay : {ADJ_ADAM_DECAY_FIRST, ADJ_ADAM_DECAY_LAST, ADJ_ADAM_DECAY_L2})
    for (double scale : {1.0, -3.0})
      for (double norm : {0.0, 50.0})
        for (double step : {1.0, 7.0, 1e6}) {
          CAPTURE(decay);
          CAPTURE(scale);
          CAPTURE(norm);
          CAPTURE(step);
          check_error_terms<T>(decay, scale, norm, step);
        }
}

TEST_CASE_TEMPLATE("adam: learning rates and decays of each tensor have the bits of calls of one tensor", T, float, double, bf16) {
  using A = std::conditional_t<std::is_same_v<T, double>, double, float>;
  const std::vector<std::int64_t> numel{5, 0, 300};
  std::vector<A> lr{A(0.25), A(0.5), A(1e-3)}, decay{A(0), A(0.5), A(0.3)};
  for (adj_adam_decay mode : {ADJ_ADAM_DECAY_FIRST, ADJ_ADAM_DECAY_LAST, ADJ_ADAM_DECAY_L2})
    for (bool own_lr : {true, false})
      for (bool own_decay : {true, false}) {
        auto all = Adam<T>::random(numel);
        all.d.decay = mode;
        all.d.weight_decay = 0.7;
        all.a.step.value = 3;
        const auto before = all;
        if (own_lr) all.a.lr_of = tensor(lr), all.a.lr.value = NAN;  // lr need not be given then
        if (own_decay) all.a.weight_decay_of = tensor(decay);
        all.run();
        for (std::size_t t : {0u, 2u}) {
          Adam<T> alone(List<T>({before.w.tensors[t]}), List<T>({before.g.tensors[t]}), List<T>({before.m.tensors[t]}), List<T>({before.v.tensors[t]}));
          alone.d.decay = mode;
          alone.d.weight_decay = own_decay ? decay[t] : 0.7;
          alone.a.step.value = 3;
          alone.a.lr.value = own_lr ? lr[t] : 0.1;
          alone.run();
          CHECK(same_bits(alone.w, List<T>({all.w.tensors[t]})));
          CHECK(same_bits(alone.m, List<T>({all.m.tensors[t]})));
          CHECK(same_bits(alone.v, List<T>({all.v.tensors[t]})));
        }
      }
}

TEST_CASE("adam: one plan serves every learning rate and decay that is in memory") {
  auto p = Adam<>::random({3, 4});
  std::vector<float> lr{0, 0}, decay{0, 0};
  p.a.lr_of = tensor(lr);
  p.a.weight_decay_of = tensor(decay);
  p.bind();
  const PlanPtr plan = planned(p.d);
  auto bound = adj::bind_plan(*plan, adj::host_stream(), {}, &p.a.header);
  REQUIRE(bound.ok());
  const std::unique_ptr<adj::BoundCall, Release> call(*bound);
  const auto before = p.w;
  REQUIRE(adj::run_bound(*call, adj::host_stream()).ok());
  CHECK(same_bits(p.w, before));
  lr[1] = 0.5f;
  REQUIRE(adj::run_bound(*call, adj::host_stream()).ok());
  CHECK(p.w.tensors[0] == before.tensors[0]);
  CHECK(p.w.tensors[1] != before.tensors[1]);
}

TEST_CASE("adam: learning rates and decays of the wrong shape or type are refused") {
  auto p = Adam<>::random({3, 4});
  p.bind();
  const PlanPtr plan = planned(p.d);
  std::vector<float> two(2), one(1);
  std::vector<double> wide(2);
  auto status = [&](const char* part, auto change) {
    adj_adam_args a = p.a;
    change(a);
    const auto done = adj::run_plan(*plan, adj::host_stream(), {}, &a.header);
    if (!done) CHECK_MESSAGE(done.error().message.find(part) != std::string::npos, done.error().message);
    return done ? ADJ_OK : done.error().code;
  };
  const auto before = p;
  CHECK(status("adam: lr_of", [&](auto& a) { a.lr_of = tensor(one); }) == ADJ_ERROR_BUFFER_TOO_SMALL);
  CHECK(status("adam: weight_decay_of", [&](auto& a) { a.weight_decay_of = tensor(wide); }) == ADJ_ERROR_DTYPE_MISMATCH);
  CHECK(status("adam: lr was not given", [&](auto& a) { a.lr.value = NAN; }) == ADJ_ERROR_INVALID_VALUE);
  CHECK(status("adam: lr was not given", [&](auto& a) { a.lr.value = NAN, a.weight_decay_of = tensor(two); }) == ADJ_ERROR_INVALID_VALUE);
  CHECK(status("params", [&](auto& a) { a.lr_of = tensor(p.w.tensors[0]); }) == ADJ_ERROR_ALIASING);
  CHECK(p.same_results(before));
  CHECK(status("", [&](auto& a) { a.lr.value = NAN, a.lr_of = tensor(two); }) == ADJ_OK);
}

TEST_CASE("adam: the bits of stochastic rounding are those of the header") {
  // Philox4x32-10 with key 0 and counter 0 is 6627e8d5 e169c58d bc57ac4c 9b00dbd8 (Random123). A change of a step and a half takes the
  // farther neighbour where the bits reach 2^15.
  auto p = exact_step<bf16>(8, 1, 0x1.8p-7);
  std::int64_t step = 0;
  p.d.advance_step = p.d.updates = 1;
  p.a.step = device_scalar(&step, ADJ_I64);
  p.run();
  constexpr unsigned kBits[] = {0xe8d5, 0x6627, 0xc58d, 0xe169, 0xac4c, 0xbc57, 0xdbd8, 0x9b00};
  for (std::size_t i = 0; i < 8; ++i) {
    CHECK(p.w.at(0, i) == (kBits[i] >= 0x8000 ? 1 + 0x1p-6 : 1 + 0x1p-7));
    CHECK(p.updates.at(0, i) == 0x1.8p-7);  // not rounded at random
  }
  CHECK(step == 1);

  auto weights = [](std::int64_t key, double seed, double at) {
    auto q = exact_step<bf16>(900, 1, 0x1p-8);
    q.keys = {key};
    q.a.seed.value = seed;
    q.a.step.value = at;
    q.run();
    return q.w;
  };
  CHECK(same_bits(weights(4, 1, 1), weights(4, 1, 1)));
  CHECK(!same_bits(weights(4, 1, 1), weights(9, 1, 1)));
  CHECK(!same_bits(weights(4, 1, 1), weights(4, 2, 1)));
  CHECK(!same_bits(weights(4, 1, 1), weights(4, 1, 2)));
}

TEST_CASE_TEMPLATE("adam: stochastic rounding takes the neighbours of the f32 weight, in the ratio of the distances", T, bf16, f16) {
  auto p = Adam<T, float, float>::random({40000});
  for (T& w : p.w.tensors[0]) w = adj::from_double<T>(0.75);
  for (float& g : p.g.tensors[0]) g = -0.5f;
  for (float& x : p.m.tensors[0]) x = 0.125f;
  for (float& x : p.v.tensors[0]) x = 0.25f;
  p.a.lr.value = 0.04;
  Adam<float> wide(List<float>({1}, 0.75), List<float>({1}, -0.5), List<float>({1}, 0.125), List<float>({1}, 0.25));
  wide.a.lr.value = 0.04;
  wide.run();
  p.d.stochastic_rounding = 1;
  p.keys = {5};
  p.run();
  const double exact = wide.w.at(0), unit = std::is_same_v<T, bf16> ? 0x1p-8 : 0x1p-11, low = std::floor(exact / unit) * unit, share = (exact - low) / unit;
  double sum = 0;
  for (std::size_t i = 0; i < 40000; ++i) {
    const double w = p.w.at(0, i);
    REQUIRE((w == low || w == low + unit));
    sum += w - exact;
  }
  CHECK(share > 0.05);
  CHECK(share < 0.95);
  CHECK(std::fabs(sum / 40000) < 4.5 * unit * std::sqrt(share * (1 - share) / 40000));
  CHECK(p.m.at(0, 7) == wide.m.at(0));
  CHECK(p.v.at(0, 7) == wide.v.at(0));
}

TEST_CASE_TEMPLATE("adam: parts of a tensor draw the bits of the whole", T, bf16, f16) {
  const std::vector<std::int64_t> cuts{0, 13, 400, 400, 1000}, first(cuts.begin(), cuts.end() - 1);
  auto whole = Adam<T>::random({1000});
  whole.d.stochastic_rounding = 1;
  whole.d.weight_decay = 0.1;
  whole.keys = {77};
  whole.a.lr.value = 1e-4;
  whole.a.step.value = 3;
  whole.a.seed.value = 5;
  Adam<T> parts(cut(whole.w, cuts), cut(whole.g, cuts), cut(whole.m, cuts), cut(whole.v, cuts));
  parts.d = whole.d;
  parts.a = whole.a;
  parts.keys = {77, 77, 77, 77};
  parts.first_elements = first;
  auto unsaid = parts;
  unsaid.first_elements.clear();
  whole.run();
  parts.run();
  unsaid.run();
  CHECK(same(joined(parts.w), whole.w.tensors[0]));
  CHECK(same(joined(parts.m), whole.m.tensors[0]));
  CHECK(same(joined(parts.v), whole.v.tensors[0]));
  CHECK(!same(joined(unsaid.w), whole.w.tensors[0]));

  // One part alone, as on another device.
  Adam<T> alone(List<T>({parts.w.tensors[3]}), List<T>({parts.g.tensors[3]}), List<T>({parts.m.tensors[3]}), List<T>({parts.v.tensors[3]}));
  const auto start = Adam<T>::random({1000});
  for (auto [to, from] : {std::pair{&alone.w, &start.w}, {&alone.m, &start.m}, {&alone.v, &start.v}})
    to->tensors[0].assign(from->tensors[0].begin() + 400, from->tensors[0].end());
  alone.d = whole.d;
  alone.a = whole.a;
  alone.keys = {77};
  alone.first_elements = {400};
  alone.run();
  CHECK(same(alone.w.tensors[0], parts.w.tensors[3]));
}

TEST_CASE("adam: a call that skips draws nothing and leaves 16-bit weights as they are") {
  auto p = Adam<bf16>::random({40});
  p.d.stochastic_rounding = p.d.clear_grads = 1;
  p.keys = {1};
  p.a.update_signal.value = 0;
  const auto before = p;
  p.run();
  CHECK(p.same_results(before));
  CHECK(p.g.at(0, 39) == 0);
}

TEST_CASE("adam: settings of stochastic rounding that contradict themselves") {
  std::string message;
  const std::vector<std::int64_t> numel{3, 4}, keys{0, 5}, bad{0, std::int64_t{1} << 32}, first{8, 0}, before{-1, 0}, beyond{(std::int64_t{1} << 59) - 2, 0};
  auto adam = [&](auto change) {
    adj_adam_descriptor d{.count = 2, .numel = numel.data(), .tensor_key_count = 2, .tensor_keys = keys.data(), .stochastic_rounding = 1, .param = ADJ_BF16};
    change(d);
    return select_status(d, &message);
  };
  CHECK(adam([](auto&) {}) == ADJ_OK);
  CHECK(adam([&](auto& d) { d.first_element_count = 2, d.first_elements = first.data(); }) == ADJ_OK);
  CHECK(adam([](auto& d) { d.tensor_key_count = 0; }) == ADJ_ERROR_INVALID_PROBLEM);
  CHECK(message == "adam: tensor_key_count = 0, expected count = 2");
  CHECK(adam([](auto& d) { d.stochastic_rounding = 0; }) == ADJ_ERROR_INVALID_PROBLEM);
  CHECK(message == "adam: tensor_key_count = 2, expected 0 without stochastic_rounding");
  CHECK(adam([&](auto& d) { d.tensor_keys = bad.data(); }) == ADJ_ERROR_INVALID_PROBLEM);
  CHECK(message == "adam: tensor_keys[1] = 4294967296, expected 0 to 4294967295");
  CHECK(adam([](auto& d) { d.param = ADJ_F32; }) == ADJ_ERROR_INVALID_PROBLEM);
  CHECK(message == "adam: stochastic_rounding = 1 is for parameters of f16 or bf16");
  CHECK(adam([](auto& d) { d.stochastic_rounding = 2; }) == ADJ_ERROR_INVALID_ARGUMENT);
  CHECK(adam([&](auto& d) { d.first_element_count = 1, d.first_elements = first.data(); }) == ADJ_ERROR_INVALID_PROBLEM);
  CHECK(message == "adam: first_element_count = 1, expected 0 or count = 2");
  CHECK(adam([&](auto& d) { d.first_element_count = 2, d.first_elements = before.data(); }) == ADJ_ERROR_INVALID_PROBLEM);
  CHECK(message == "adam: first_elements[0] = -1, expected a number from 0 on");
  CHECK(adam([&](auto& d) { d.first_element_count = 2, d.first_elements = beyond.data(); }) == ADJ_ERROR_INVALID_PROBLEM);
  CHECK(adam([&](auto& d) { d = {.count = 2, .numel = numel.data(), .first_element_count = 2, .first_elements = first.data(), .param = ADJ_BF16}; }) ==
        ADJ_ERROR_INVALID_PROBLEM);
  CHECK(message == "adam: first_element_count = 2, expected 0 without stochastic_rounding");

  auto value = [&](auto change) {
    auto p = Adam<bf16>::random({4});
    p.d.stochastic_rounding = p.d.no_bias_correction = 1;
    p.keys = {0};
    change(p);
    p.bind();
    return run_status(planned(p.d), p.a);
  };
  CHECK(value([](auto&) {}) == ADJ_OK);
  for (double step : {0.0, 1.5, double{NAN}}) CHECK(value([&](auto& p) { p.a.step.value = step; }) == ADJ_ERROR_INVALID_VALUE);
  for (double seed : {-1.0, 0.5, 0x1p54, double{NAN}}) CHECK(value([&](auto& p) { p.a.seed.value = seed; }) == ADJ_ERROR_INVALID_VALUE);
}
