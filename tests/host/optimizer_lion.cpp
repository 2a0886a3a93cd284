// Lion and stochastic rounding on the host stream.
#include <doctest/doctest.h>

#include <cmath>
#include <limits>
#include <memory>
#include <random>

#include "optimizer.hpp"

using namespace optimizers;

namespace {

// The lists of lion.
template <class W = float, class G = W, class S = W, class C = f16>
struct Lion {
  List<W> w;
  List<G> g;
  List<S> m;
  List<C> copy;
  std::vector<std::int64_t> numel, keys;
  adj_lion_descriptor d;
  adj_lion_args a;

  Lion(List<W> w_, List<G> g_, List<S> m_) : w(std::move(w_)), g(std::move(g_)), m(std::move(m_)), numel(w.numel()) {
    d.param = adj::dtype_of<W>;
    d.grad = adj::dtype_of<G>;
    d.state = adj::dtype_of<S>;
    a.lr.value = 0.1;
  }
  static Lion random(const std::vector<std::int64_t>& numel) {
    return Lion(random_list<W>(numel, 1, -1, 1), random_list<G>(numel, 2, -1, 1), random_list<S>(numel, 3, -0.1, 0.1));
  }
  void bind() {
    d.count = static_cast<std::int64_t>(numel.size());
    d.numel = numel.data();
    d.tensor_key_count = static_cast<std::int64_t>(keys.size());
    d.tensor_keys = keys.data();
    a.params = w.view();
    a.grads = g.view();
    a.exp_avg = m.view();
    if (d.copy) copy = List<C>(numel, -7), a.copies = copy.view();
  }
  void run() {
    bind();
    optimizers::run(d, a);
  }
  void round_at_random(std::vector<std::int64_t> keys_, double seed, double step) {
    d.stochastic_rounding = 1;
    keys = std::move(keys_);
    a.seed.value = seed;
    a.step.value = step;
  }
};

// What stochastic rounding makes of one value, drawn `count` times: the weights of a step whose change is 0 but for the decay, which takes
// `value` from the weight 1 to the sum.
template <class T>
std::vector<double> drawn(double weight, double lr, std::int64_t count, double seed) {
  Lion<T, float, float> p(List<T>({count}, weight), List<float>({count}, -1), List<float>({count}, 0));
  p.d.weight_decay = 0;
  p.a.lr.value = lr;
  p.round_at_random({3}, seed, 1);
  p.run();
  std::vector<double> result;
  for (std::int64_t i = 0; i < count; ++i) result.push_back(p.w.at(0, static_cast<std::size_t>(i)));
  return result;
}

}  // namespace

TEST_CASE("lion: closed forms in f64") {
  // c = 0.9 * 0.2 + 0.1 * 1 > 0;  0.9 * 0.2 - 0.1 * 4 < 0;  0.9 * -0.1 + 0.1 * 0.9 = 0 is tried in numbers that are exact.
  Lion<double> p({{{1, 1, 2, 0}}}, {{{512, -2048, 0, 0}}}, {{{0.2, 0.2, 0, 0}}});
  p.d.weight_decay = 0.5;
  p.a.grad_scale.value = 256;
  p.a.gradient_norm.value = 1024;
  p.d.max_norm = 2;  // a divisor of 512
  p.run();
  check_list(p.w, {1 - 0.1 * (1 + 0.5), 1 - 0.1 * (-1 + 0.5), 2 - 0.1 * 0.5 * 2, 0}, 1e-15);
  check_list(p.m, {0.99 * 0.2 + 0.01, 0.99 * 0.2 - 0.04, 0, 0}, 1e-15);

  Lion<double> balanced({{{1}}}, {{{1}}}, {{{-1}}});
  balanced.d.beta1 = 0.5;
  balanced.run();
  CHECK(balanced.w.at(0) == 1);
  CHECK(balanced.m.at(0) == Approx(-0.98).epsilon(1e-15));
}

TEST_CASE("lion: the plain recurrence over many steps, in every combination of types") {
  auto check = [](auto p, double tolerance) {
    p.d.weight_decay = 0.1;
    p.a.lr.value = 0x1p-6;
    std::vector<double> w, m;
    for (std::size_t i = 0; i < p.w.tensors[1].size(); ++i) w.push_back(p.w.at(1, i)), m.push_back(p.m.at(1, i));
    std::size_t apart = 0;
    for (int step = 0; step < 20; ++step) {
      p.run();
      for (std::size_t i = 0; i < w.size(); ++i) {
        const double g = p.g.at(1, i), c = 0.9 * m[i] + 0.1 * g;
        m[i] = 0.99 * m[i] + 0.01 * g;
        w[i] -= 0x1p-6 * ((c > 0) - (c < 0) + 0.1 * w[i]);
      }
    }
    for (std::size_t i = 0; i < w.size(); ++i) apart += std::fabs(p.w.at(1, i) - w[i]) > tolerance;
    CHECK(apart == 0);
  };
  check(Lion<double>::random({3, 700}), 1e-14);
  check(Lion<float>::random({3, 700}), 1e-5);
  check(Lion<float, bf16>::random({3, 700}), 1e-5);
  check(Lion<f16, f16, float>::random({3, 700}), 0.02);
  check(Lion<bf16, float, float>::random({3, 700}), 0.2);
}

TEST_CASE("lion: infinities, NaN, copies, cleared gradients and calls that skip") {
  const float inf = INFINITY, nan = NAN;
  Lion<float> p({{{1, 1, 1, 1}}}, {{{inf, -inf, nan, 1}}}, {{{0, 0, 0, -inf}}});
  p.d.copy = ADJ_F16;
  p.d.clear_grads = 1;
  p.run();
  CHECK(p.w.at(0, 0) == Approx(0.9));
  CHECK(p.w.at(0, 1) == Approx(1.1));
  CHECK(std::isnan(p.w.at(0, 2)));
  CHECK(p.w.at(0, 3) == Approx(1.1));
  CHECK(p.m.at(0, 0) == INFINITY);
  CHECK(std::isnan(p.m.at(0, 2)));
  CHECK(p.copy.at(0, 0) == adj::to_double(adj::from_double<f16>(p.w.at(0, 0))));
  for (std::size_t i = 0; i < 4; ++i) CHECK(p.g.at(0, i) == 0);

  auto q = Lion<bf16>::random({5, 0, 90});
  const auto w = q.w, m = q.m;
  float found = 1;
  std::int64_t step = 8, errors = 0;
  const float infinity = INFINITY;
  q.round_at_random({1, 2, 3}, 5, 0);
  q.d.advance_step = q.d.clear_grads = 1;
  q.a.step = device_scalar(&step, ADJ_I64);
  q.a.found_inf = one(found, ADJ_F32);
  q.a.error_flag = one(errors, ADJ_I64);
  q.run();
  found = 0;
  q.a.update_signal.value = 0;
  q.run();
  q.a.update_signal.value = 1;
  q.a.gradient_norm = device_scalar(&infinity, ADJ_F32);
  q.run();
  CHECK(same_bits(q.w, w));
  CHECK(same_bits(q.m, m));
  CHECK(q.g.at(2, 7) == 0);
  CHECK(step == 8);
  CHECK(errors == 1);
  q.a.gradient_norm = {};
  q.run();
  CHECK(step == 9);
  CHECK(!same_bits(q.w, w));
}

TEST_CASE("stochastic rounding: the two neighbours, in the ratio of the distances") {
  constexpr std::int64_t kCount = 100000;
  // A weight, what is added to it, and its neighbours after that.
  struct Row {
    bool brain;
    double weight, lr, low, high;
  };
  for (const Row& row : {Row{true, 1, 0x1p-10, 1, 1 + 0x1p-7}, Row{true, -1, 0x1p-11, -1, -1 + 0x1p-8}, Row{true, 0x1p-130, 0x1p-134, 0x1p-130, 0x1.2p-130},
                         Row{true, 100, 0.35, 100, 100.5}, Row{false, 1, 0x1.8p-12, 1, 1 + 0x1p-10}, Row{false, -1, 0x1p-13, -1, -1 + 0x1p-11},
                         Row{false, 0, 0x1p-26, 0, 0x1p-24}, Row{false, 0x1p-15, 0x1.4p-25, 0x1p-15, 0x1p-15 + 0x1p-24},
                         Row{false, 0x1.ff8p-15, 0x1.8p-25, 0x1.ff8p-15, 0x1p-14}}) {
    CAPTURE(row.weight);
    CAPTURE(row.lr);
    const auto values = row.brain ? drawn<bf16>(row.weight, row.lr, kCount, 11) : drawn<f16>(row.weight, row.lr, kCount, 11);
    const double exact = static_cast<double>(static_cast<float>(row.weight + row.lr));
    double sum = 0;
    for (double v : values) {
      REQUIRE((v == row.low || v == row.high));
      sum += v - exact;
    }
    const double p = (exact - row.low) / (row.high - row.low), deviation = (row.high - row.low) * std::sqrt(p * (1 - p) / kCount);
    CHECK(std::fabs(sum / kCount) < 4.5 * deviation);
  }
  // A tenth of a step, a thousand times: the nearest value would stay for ever.
  double mean = 0;
  for (int seed = 0; seed < 50; ++seed) {
    Lion<bf16, float, float> p(List<bf16>({64}, 1), List<float>({64}, -1), List<float>({64}, 0));
    p.d.weight_decay = 0;
    p.a.lr.value = 0x1p-10;
    for (int step = 1; step <= 20; ++step) {
      p.round_at_random({7}, seed, step);
      p.run();
    }
    for (std::size_t i = 0; i < 64; ++i) mean += p.w.at(0, i) / (50 * 64);
  }
  CHECK(std::fabs(mean - (1 + 20 * 0x1p-10)) < 5e-4);
}

TEST_CASE("stochastic rounding: representable values stay, and the largest numbers go over to infinity") {
  auto all = [](const std::vector<double>& values, double want) {
    return std::all_of(values.begin(), values.end(), [&](double v) { return v == want || (std::isnan(v) && std::isnan(want)); });
  };
  for (double v : {0.0, -0.0, 1.0, -3.0, 0x1p-24, 0x1p-14, 65504.0, -65504.0, 0x1.004p-14, double{NAN}}) {
    CAPTURE(v);
    CHECK(all(drawn<f16>(v, 0, 4000, 1), v));
    if (v != 65504 && v != -65504 && v != 0x1.004p-14) CHECK(all(drawn<bf16>(v, 0, 4000, 2), v));
  }
  CHECK(all(drawn<bf16>(0x1.fep127, 0, 4000, 3), 0x1.fep127));
  CHECK(all(drawn<bf16>(0x1p-133, 0, 4000, 3), 0x1p-133));
  // 65504 + 8 lies a quarter of the way to 65536.
  const auto beyond = drawn<f16>(65504, 8, 10000, 4);
  const auto infinite = std::count(beyond.begin(), beyond.end(), double{INFINITY});
  CHECK(infinite > 2300);
  CHECK(infinite < 2700);
  CHECK(std::count(beyond.begin(), beyond.end(), 65504.0) == 10000 - infinite);
  CHECK(all(drawn<f16>(65504, 40000, 100, 4), INFINITY));
}

TEST_CASE("stochastic rounding: the bits are those of the header") {
  // Philox4x32-10 with key 0 and counter 0 is 6627e8d5 e169c58d bc57ac4c 9b00dbd8 (Random123). A change of a step and a half takes the
  // farther neighbour where the bits reach 2^15.
  Lion<bf16, float, float> p(List<bf16>({8}, 1), List<float>({8}, -1), List<float>({8}, 0));
  p.d.weight_decay = 0;
  p.a.lr.value = 0x1.8p-7;
  p.d.advance_step = 1;
  std::int64_t step = 0;
  p.round_at_random({0}, 0, 0);
  p.a.step = device_scalar(&step, ADJ_I64);
  p.run();
  constexpr unsigned kBits[] = {0xe8d5, 0x6627, 0xc58d, 0xe169, 0xac4c, 0xbc57, 0xdbd8, 0x9b00};
  for (std::size_t i = 0; i < 8; ++i) CHECK(p.w.at(0, i) == (kBits[i] >= 0x8000 ? 1 + 0x1p-6 : 1 + 0x1p-7));
  CHECK(step == 1);

  auto weights = [](std::vector<std::int64_t> keys, double seed, double at) {
    Lion<bf16, float, float> q(List<bf16>({900, 900}, 1), List<float>({900, 900}, -1), List<float>({900, 900}, 0));
    q.a.lr.value = 0x1p-8;
    q.round_at_random(std::move(keys), seed, at);
    q.run();
    return q.w;
  };
  auto same = [](const List<bf16>& x, std::size_t i, const List<bf16>& y, std::size_t j) {
    return std::memcmp(x.tensors[i].data(), y.tensors[j].data(), x.tensors[i].size() * sizeof(bf16)) == 0;
  };
  const auto base = weights({4, 9}, 1, 1), swapped = weights({9, 4}, 1, 1);
  CHECK(!same(base, 0, base, 1));
  CHECK(same(base, 0, swapped, 1));
  CHECK(same(base, 1, swapped, 0));
  CHECK(!same(base, 0, weights({4, 9}, 2, 1), 0));
  CHECK(!same(base, 0, weights({4, 9}, 1, 2), 0));
}

TEST_CASE("lion: descriptors and values that contradict themselves") {
  std::string message;
  const std::vector<std::int64_t> numel{3, 4}, keys{0, 5}, bad{0, std::int64_t{1} << 32}, negative{-1, 0};
  auto lion = [&](auto change) {
    adj_lion_descriptor d{.count = 2, .numel = numel.data(), .param = ADJ_BF16};
    change(d);
    return select_status(d, &message);
  };
  auto random = [](adj_lion_descriptor& d, const std::vector<std::int64_t>& of) {
    d.stochastic_rounding = 1, d.tensor_key_count = static_cast<std::int64_t>(of.size()), d.tensor_keys = of.data();
  };
  CHECK(lion([](auto&) {}) == ADJ_OK);
  CHECK(lion([&](auto& d) { random(d, keys); }) == ADJ_OK);
  CHECK(lion([](auto& d) { d.stochastic_rounding = 1; }) == ADJ_ERROR_INVALID_PROBLEM);
  CHECK(message == "lion: tensor_key_count = 0, expected count = 2");
  CHECK(lion([&](auto& d) { random(d, keys), d.stochastic_rounding = 0; }) == ADJ_ERROR_INVALID_PROBLEM);
  CHECK(message == "lion: tensor_key_count = 2, expected 0 without stochastic_rounding");
  CHECK(lion([&](auto& d) { random(d, bad); }) == ADJ_ERROR_INVALID_PROBLEM);
  CHECK(message == "lion: tensor_keys[1] = 4294967296, expected 0 to 4294967295");
  CHECK(lion([&](auto& d) { random(d, negative); }) == ADJ_ERROR_INVALID_PROBLEM);
  CHECK(lion([&](auto& d) { random(d, keys), d.param = ADJ_F32; }) == ADJ_ERROR_INVALID_PROBLEM);
  CHECK(message == "lion: stochastic_rounding = 1 is for parameters of f16 or bf16");
  CHECK(lion([&](auto& d) { random(d, keys), d.param = ADJ_DTYPE_NONE; }) != ADJ_OK);
  CHECK(message.starts_with("lion: param was not given"));
  CHECK(lion([](auto& d) { d.stochastic_rounding = 2; }) == ADJ_ERROR_INVALID_ARGUMENT);
  CHECK(lion([](auto& d) { d.advance_step = -1; }) == ADJ_ERROR_INVALID_ARGUMENT);
  CHECK(lion([](auto& d) { d.clear_grads = 2; }) == ADJ_ERROR_INVALID_ARGUMENT);
  CHECK(lion([](auto& d) { d.reserved = 1; }) == ADJ_ERROR_INVALID_ARGUMENT);
  CHECK(lion([](auto& d) { d.beta1 = 1.5; }) == ADJ_ERROR_INVALID_PROBLEM);
  CHECK(lion([](auto& d) { d.beta2 = -0.1; }) == ADJ_ERROR_INVALID_PROBLEM);
  CHECK(lion([](auto& d) { d.weight_decay = INFINITY; }) == ADJ_ERROR_INVALID_PROBLEM);
  CHECK(lion([](auto& d) { d.max_norm = 0; }) == ADJ_ERROR_INVALID_PROBLEM);

  auto value = [&](auto change) {
    auto p = Lion<bf16>::random({4});
    p.round_at_random({0}, 1, 1);
    change(p);
    p.bind();
    return run_status(planned(p.d), p.a);
  };
  CHECK(value([](auto&) {}) == ADJ_OK);
  for (double step : {0.0, -1.0, 1.5, double{NAN}}) CHECK(value([&](auto& p) { p.a.step.value = step; }) == ADJ_ERROR_INVALID_VALUE);
  for (double seed : {-1.0, 0.5, 0x1p54, double{NAN}}) CHECK(value([&](auto& p) { p.a.seed.value = seed; }) == ADJ_ERROR_INVALID_VALUE);
  CHECK(value([](auto& p) { p.a.lr.value = NAN; }) == ADJ_ERROR_INVALID_VALUE);
  CHECK(value([](auto& p) { p.a.grad_scale.value = 0; }) == ADJ_ERROR_INVALID_VALUE);
  CHECK(value([](auto& p) { p.a.gradient_norm.value = -1; }) == ADJ_ERROR_INVALID_VALUE);
  CHECK(value([](auto& p) { p.a.update_signal.value = 2; }) == ADJ_ERROR_INVALID_VALUE);
  CHECK(value([](auto& p) { p.d.advance_step = 1; }) == ADJ_ERROR_NULL_BUFFER);
}

TEST_CASE_TEMPLATE("lion: the sign of zero", T, float, double, f16, bf16) {
  // Moments and gradients of one sign make c a zero of that sign.
  auto number = [](double v) { return adj::from_double<T>(v); };
  for (double decay : {0.0, 0.5}) {
    const std::vector<T> zeros{number(0.0), number(0.0), number(-0.0), number(-0.0)}, toward{number(0.0), number(-0.0), number(0.0), number(-0.0)};
    Lion<T> p(List<T>(std::vector<std::vector<T>>{zeros}), List<T>(std::vector<std::vector<T>>{toward}), List<T>(std::vector<std::vector<T>>{toward}));
    p.d.weight_decay = decay;
    p.run();
    const std::vector<bool> negative{false, false, true, false};
    for (std::size_t i = 0; i < 4; ++i) {
      CHECK(p.w.at(0, i) == 0);
      CHECK(std::signbit(p.w.at(0, i)) == negative[i]);
    }
  }
}

TEST_CASE("lion: parts of a tensor draw the bits of the whole") {
  const std::vector<std::int64_t> numel{1000};
  auto p = Lion<bf16>::random(numel);
  p.d.weight_decay = 0.1;
  p.a.lr.value = 1e-4;
  auto q = p;
  p.round_at_random({77}, 5, 3);
  p.run();
  const std::vector<std::int64_t> cuts{0, 13, 400, 1000}, first(cuts.begin(), cuts.end() - 1);
  auto part = [&](List<bf16>& list) {
    std::vector<std::vector<bf16>> parts;
    for (std::size_t i = 0; i + 1 < cuts.size(); ++i) parts.emplace_back(list.tensors[0].begin() + cuts[i], list.tensors[0].begin() + cuts[i + 1]);
    return List<bf16>(parts);
  };
  Lion<bf16> parts(part(q.w), part(q.g), part(q.m));
  parts.d.weight_decay = 0.1;
  parts.a.lr.value = 1e-4;
  parts.round_at_random({77, 77, 77}, 5, 3);
  auto equal = [](const auto& whole, const auto& cut) {
    std::vector<std::uint16_t> a, b;
    for (bf16 x : whole.tensors[0]) a.push_back(x.bits);
    for (const auto& t : cut.tensors)
      for (bf16 x : t) b.push_back(x.bits);
    return a == b;
  };
  auto without = parts;
  without.run();
  CHECK(!equal(p.w, without.w));
  parts.d.first_element_count = 3;
  parts.d.first_elements = first.data();
  parts.run();
  CHECK(equal(p.w, parts.w));
  CHECK(equal(p.m, parts.m));

  std::string message;
  const std::int64_t bad[] = {0, -1, 5}, far[] = {0, 1, (std::int64_t{1} << 59) - 3};
  adj_lion_descriptor d = parts.d;
  d.first_element_count = 2;
  CHECK(select_status(d, &message) == ADJ_ERROR_INVALID_PROBLEM);
  CHECK(message == "lion: first_element_count = 2, expected 0 or count = 3");
  d.first_element_count = 3;
  d.first_elements = bad;
  CHECK(select_status(d, &message) == ADJ_ERROR_INVALID_PROBLEM);
  CHECK(message == "lion: first_elements[1] = -1, expected a number from 0 on");
  d.first_elements = far;
  CHECK(select_status(d, &message) == ADJ_ERROR_INVALID_PROBLEM);
  CHECK(message == "lion: first_elements[2] = 576460752303423485 and numel[2] = 600 add up to more than 2^59");
  d.first_elements = first.data();
  d.stochastic_rounding = 0;
  d.tensor_key_count = 0;
  CHECK(select_status(d, &message) == ADJ_ERROR_INVALID_PROBLEM);
  CHECK(message == "lion: first_element_count = 3, expected 0 without stochastic_rounding");
  auto plain = Lion<bf16>::random({4});
  plain.a.seed.value = 9;
  plain.bind();
  CHECK(run_status(planned(plain.d), plain.a) == ADJ_ERROR_INVALID_ARGUMENT);
}
