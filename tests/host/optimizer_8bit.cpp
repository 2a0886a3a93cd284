// AdamW with moments of 8 bits on the host stream.
#include <doctest/doctest.h>

#include <cmath>
#include <limits>
#include <memory>
#include <random>

#include "optimizer.hpp"

using namespace optimizers;

namespace {

// The lists of adamw_8bit.
template <class W = float, class G = W, class C = f16>
struct Adamw8 {
  List<W> w;
  List<G> g;
  std::vector<std::int64_t> numel, stored, keys;
  List<std::uint8_t> m, v;
  List<float> m_scale, v_scale;
  List<C> copy;
  adj_adamw_8bit_descriptor d;
  adj_adamw_8bit_args a;

  Adamw8(List<W> w_, List<G> g_) : w(std::move(w_)), g(std::move(g_)), numel(w.numel()) {
    d.param = adj::dtype_of<W>;
    d.grad = adj::dtype_of<G>;
    for (std::int64_t n : numel) {
      stored.push_back((n + 255) / 256), keys.push_back(static_cast<std::int64_t>(keys.size()));
      m.tensors.emplace_back(static_cast<std::size_t>(n)), v.tensors.emplace_back(static_cast<std::size_t>(n));
    }
    m_scale = v_scale = List<float>(stored, 0);
    a.lr.value = 0.1;
    a.step.value = 1;
    a.seed.value = 3;
  }
  void bind() {
    d.count = static_cast<std::int64_t>(numel.size());
    d.numel = numel.data();
    d.tensor_key_count = static_cast<std::int64_t>(keys.size());
    d.tensor_keys = keys.data();
    a.params = w.view();
    a.grads = g.view();
    a.exp_avg = m.view();
    a.exp_avg_sq = v.view();
    a.exp_avg.dtype = a.exp_avg_sq.dtype = ADJ_U8;
    a.exp_avg_scale = m_scale.view();
    a.exp_avg_sq_scale = v_scale.view();
    if (d.copy) copy = List<C>(numel, -7), a.copies = copy.view();
  }
  void run() {
    bind();
    optimizers::run(d, a);
  }
  // What the bytes say, from the definition of the formats.
  static double worth(unsigned byte, int exponent_bits) {
    const int top = (1 << exponent_bits) - 1, exponent = static_cast<int>(byte >> 3), mantissa = byte & 7;
    return exponent ? std::ldexp(8 + mantissa, exponent - top - 3) : std::ldexp(mantissa, 1 - top - 3);
  }
  double mean(std::size_t t, std::size_t i) const {
    const unsigned byte = m.tensors[t][i];
    return (byte & 128 ? -1 : 1) * worth(byte & 127, 4) * static_cast<double>(m_scale.tensors[t][i / 256]);
  }
  double square(std::size_t t, std::size_t i) const { return worth(v.tensors[t][i], 5) * static_cast<double>(v_scale.tensors[t][i / 256]); }
};

}  // namespace

TEST_CASE("adamw_8bit: the first step has the bits of adam, and its moments are good to a byte") {
  const std::vector<std::int64_t> numel{5, 0, 700};
  Adamw8<float> p(random_list<float>(numel, 1, -1, 1), random_list<float>(numel, 2, -8, 8));
  Adam<float> exact(p.w, p.g, List<float>(numel, 0), List<float>(numel, 0));
  exact.d.weight_decay = p.d.weight_decay;
  p.d.copy = ADJ_F16;
  p.d.clear_grads = 1;
  p.a.grad_scale.value = 2;
  p.a.gradient_norm.value = 8;
  p.d.max_norm = 2;  // a divisor of 4
  exact.a.grad_scale.value = 4;
  p.run();
  exact.run();
  std::size_t wrong = 0;
  for (std::size_t t = 0; t < numel.size(); ++t)
    for (std::size_t i = 0; i < p.w.tensors[t].size(); ++i) {
      wrong += p.w.at(t, i) != exact.w.at(t, i);
      wrong += p.copy.at(t, i) != adj::to_double(adj::from_double<f16>(p.w.at(t, i)));
      wrong += std::fabs(p.mean(t, i) - exact.m.at(t, i)) > std::max(std::fabs(exact.m.at(t, i)) / 16, static_cast<double>(p.m_scale.at(t, i / 256)) * 0x1p-18);
      wrong += std::fabs(p.square(t, i) - exact.v.at(t, i)) > std::max(exact.v.at(t, i) / 8, static_cast<double>(p.v_scale.at(t, i / 256)) * 0x1p-33);
      wrong += p.g.at(t, i) != 0;
    }
  CHECK(wrong == 0);
  for (std::size_t block = 0; block < 3; ++block) {
    double largest_mean = 0, largest_square = 0;
    for (std::size_t i = 256 * block; i < std::min<std::size_t>(700, 256 * block + 256); ++i)
      largest_mean = std::max(largest_mean, std::fabs(exact.m.at(2, i))), largest_square = std::max(largest_square, exact.v.at(2, i));
    CHECK(p.m_scale.at(2, block) == Approx(largest_mean).epsilon(1e-6));
    CHECK(p.v_scale.at(2, block) == Approx(largest_square).epsilon(1e-6));
  }
}

TEST_CASE("adamw_8bit: second moments are rounded to two neighbours, in the ratio of the distances, and never to 0") {
  // The first element has the largest square, 1; the second one of 1.3 eighths above a quarter; the third one far below the smallest byte.
  double sum = 0;
  std::size_t low = 0, high = 0;
  constexpr int kSeeds = 20000;
  const float middle = std::sqrt(0.25f * (1 + 1.3f / 8));
  for (int seed = 0; seed < kSeeds; ++seed) {
    Adamw8<float> p(List<float>({3}, 0), List<float>({{1, middle, 0x1p-30f}}));
    p.d.beta2 = 0;
    p.a.seed.value = seed;
    p.run();
    CHECK(p.square(0, 0) == 1);
    CHECK(p.v.tensors[0][2] == 1);
    low += p.square(0, 1) == 0.25 * 9 / 8, high += p.square(0, 1) == 0.25 * 10 / 8;
    sum += p.square(0, 1);
  }
  CHECK(low + high == kSeeds);
  CHECK(std::fabs(sum / kSeeds - static_cast<double>(middle) * static_cast<double>(middle)) < 4.5 / 32 * std::sqrt(0.21 / kSeeds));
}

TEST_CASE("adamw_8bit: blocks of zeros, of vanishing numbers and with a number that is not finite") {
  Adamw8<float> p(List<float>({1100}, 1), List<float>({1100}, 0));
  p.d.weight_decay = 0;
  p.g.tensors[0][300] = 1e-25f;  // its square is below 2^-126
  p.g.tensors[0][600] = INFINITY;
  p.g.tensors[0][601] = 1;
  p.g.tensors[0][900] = NAN;
  p.g.tensors[0][1050] = 2;
  p.run();
  for (std::size_t i : {0u, 255u, 301u, 602u, 901u, 1099u}) CHECK(p.w.at(0, i) == 1);
  CHECK(p.m_scale.at(0, 0) == 0);
  CHECK(p.v_scale.at(0, 0) == 0);
  CHECK(p.mean(0, 300) == Approx(1e-26));
  CHECK(p.v_scale.at(0, 1) == 0);
  for (std::size_t block : {2u, 3u}) {
    CHECK(std::isnan(p.m_scale.at(0, block)));
    CHECK(std::isnan(p.v_scale.at(0, block)));
  }
  CHECK(p.w.at(0, 601) == Approx(0.9));
  CHECK(std::all_of(p.m.tensors[0].begin() + 512, p.m.tensors[0].begin() + 1024, [](unsigned byte) { return byte == 0; }));
  CHECK(std::isnan(p.w.at(0, 600)));
  CHECK(std::isnan(p.w.at(0, 900)));
  CHECK(p.mean(0, 1050) == Approx(0.2));
  p.a.step.value = 2;
  p.run();
  CHECK(std::isnan(p.w.at(0, 602)));
  CHECK(p.w.at(0, 1099) == 1);
}

TEST_CASE("adamw_8bit: skipped calls and the step on the device") {
  Adamw8<bf16> p(random_list<bf16>({5, 0, 300}, 1, -1, 1), random_list<bf16>({5, 0, 300}, 2, -1, 1));
  std::int64_t step = 4, errors = 0;
  float found = 1;
  const float infinity = INFINITY;
  p.d.advance_step = p.d.clear_grads = p.d.stochastic_rounding = 1;
  p.a.step = device_scalar(&step, ADJ_I64);
  p.a.found_inf = one(found, ADJ_F32);
  p.a.error_flag = one(errors, ADJ_I64);
  p.run();
  const auto w = p.w;
  const auto m = p.m, v = p.v;
  CHECK(p.g.at(2, 8) == 0);
  p.g = random_list<bf16>({5, 0, 300}, 2, -1, 1);
  found = 0;
  p.a.gradient_norm = device_scalar(&infinity, ADJ_F32);
  p.run();
  p.a.gradient_norm = {};
  p.a.update_signal.value = 0;
  p.run();
  p.a.update_signal.value = 1;
  for (std::int64_t bad : {0, -5}) {
    step = bad;
    p.run();
    CHECK(step == bad);
  }
  CHECK(errors == 3);
  CHECK(same_bits(p.w, w));
  CHECK(same_bits(p.m, m));
  CHECK(same_bits(p.v, v));
  step = 1;
  p.g = random_list<bf16>({5, 0, 300}, 2, -1, 1);
  p.run();
  CHECK(step == 2);
  CHECK(!same_bits(p.w, w));
  CHECK(!same_bits(p.v, v));
}

TEST_CASE("adamw_8bit: a small problem is learnt as well as with moments in f32") {
  // A linear map of features whose sizes span two orders of magnitude, from noisy samples, a new batch at every step.
  constexpr std::int64_t kIn = 40, kOut = 20, kSteps = 1500, kBatch = 16;
  auto train = [](auto make, auto set_step) {
    std::mt19937_64 truth(5), rng(6);
    std::normal_distribution<double> normal;
    std::vector<double> target(kIn * kOut), x(kIn);
    for (double& v : target) v = normal(truth);
    auto p = make();
    double loss = 0, scale = 0;
    for (std::int64_t step = 1; step <= kSteps; ++step) {
      std::vector<double> gradient(kIn * kOut);
      for (std::int64_t b = 0; b < kBatch; ++b) {
        for (std::int64_t i = 0; i < kIn; ++i) x[static_cast<std::size_t>(i)] = normal(rng) * std::exp(-static_cast<double>(i) / 9);
        for (std::int64_t o = 0; o < kOut; ++o) {
          double error = 0.05 * normal(rng);
          for (std::int64_t i = 0; i < kIn; ++i) {
            const auto k = static_cast<std::size_t>(i * kOut + o);
            error += (p.w.at(0, k) - target[k]) * x[static_cast<std::size_t>(i)];
          }
          for (std::int64_t i = 0; i < kIn; ++i) gradient[static_cast<std::size_t>(i * kOut + o)] += error * x[static_cast<std::size_t>(i)] / kBatch;
          if (step > kSteps - 200) loss += error * error, scale += 1;
        }
      }
      for (std::size_t k = 0; k < gradient.size(); ++k) p.g.tensors[0][k] = static_cast<float>(gradient[k]);
      p.a.lr.value = 0.02 * (1 - static_cast<double>(step) / (kSteps + 1));
      set_step(p, step);
      p.run();
    }
    return loss / scale;
  };
  const std::vector<std::int64_t> numel{kIn * kOut};
  const auto set_step = [](auto& p, std::int64_t step) { p.a.step.value = static_cast<double>(step); };
  const double exact = train(
      [&] {
        Adam<float> p(List<float>(numel, 0), List<float>(numel, 0), List<float>(numel, 0), List<float>(numel, 0));
        p.d.weight_decay = adj_adamw_8bit_descriptor{}.weight_decay;
        return p;
      },
      set_step);
  const double bytes = train([&] { return Adamw8<float>(List<float>(numel, 0), List<float>(numel, 0)); }, set_step);
  CAPTURE(exact);
  CAPTURE(bytes);
  CHECK(exact < 0.02);
  CHECK(std::fabs(bytes / exact - 1) < 0.03);
}

TEST_CASE("adamw_8bit: descriptors, values and lists that contradict themselves") {
  std::string message;
  const std::vector<std::int64_t> numel{3, 400}, keys{0, 5}, bad{0, -1};
  auto select = [&](auto change) {
    adj_adamw_8bit_descriptor d{.count = 2, .numel = numel.data(), .tensor_key_count = 2, .tensor_keys = keys.data(), .param = ADJ_BF16};
    change(d);
    return select_status(d, &message);
  };
  CHECK(select([](auto&) {}) == ADJ_OK);
  CHECK(select([](auto& d) { d.tensor_key_count = 0; }) == ADJ_ERROR_INVALID_PROBLEM);
  CHECK(message == "adamw_8bit: tensor_key_count = 0, expected count = 2");
  CHECK(select([&](auto& d) { d.tensor_keys = bad.data(); }) == ADJ_ERROR_INVALID_PROBLEM);
  CHECK(message == "adamw_8bit: tensor_keys[1] = -1 is negative");
  CHECK(select([](auto& d) { d.param = ADJ_F32, d.stochastic_rounding = 1; }) == ADJ_ERROR_INVALID_PROBLEM);
  CHECK(select([](auto& d) { d.param = ADJ_F64; }) == ADJ_ERROR_UNSUPPORTED);
  CHECK(select([](auto& d) { d.beta1 = 1; }) == ADJ_ERROR_INVALID_PROBLEM);
  CHECK(select([](auto& d) { d.beta2 = NAN; }) == ADJ_ERROR_INVALID_PROBLEM);
  CHECK(select([](auto& d) { d.epsilon = -1; }) == ADJ_ERROR_INVALID_PROBLEM);
  CHECK(select([](auto& d) { d.weight_decay = NAN; }) == ADJ_ERROR_INVALID_PROBLEM);
  CHECK(select([](auto& d) { d.max_norm = 0; }) == ADJ_ERROR_INVALID_PROBLEM);
  CHECK(select([](auto& d) { d.clear_grads = 2; }) == ADJ_ERROR_INVALID_ARGUMENT);
  CHECK(select([](auto& d) { d.advance_step = 2; }) == ADJ_ERROR_INVALID_ARGUMENT);

  auto value = [&](auto change) {
    Adamw8<float> p(List<float>({300}, 1), List<float>({300}, 1));
    p.bind();
    change(p);
    auto ok = adj::run_plan(*planned(p.d), adj::host_stream(), {}, &p.a.header);
    message = ok ? "" : ok.error().message;
    return ok ? ADJ_OK : ok.error().code;
  };
  CHECK(value([](auto&) {}) == ADJ_OK);
  CHECK(value([](auto& p) { p.a.step.value = 0; }) == ADJ_ERROR_INVALID_VALUE);
  CHECK(message == "adamw_8bit: step = 0, expected a whole number from 1 on");
  CHECK(value([](auto& p) { p.a.seed.value = 0.5; }) == ADJ_ERROR_INVALID_VALUE);
  CHECK(message == "adamw_8bit: seed = 0.5, expected a whole number from 0 to 2^53");
  CHECK(value([](auto& p) { p.a.lr.value = -1; }) == ADJ_ERROR_INVALID_VALUE);
  CHECK(value([](auto& p) { p.a.grad_scale.value = 0; }) == ADJ_ERROR_INVALID_VALUE);
  CHECK(value([](auto& p) { p.a.gradient_norm.value = NAN; }) == ADJ_ERROR_INVALID_VALUE);
  CHECK(value([](auto& p) { p.a.update_signal.value = 2; }) == ADJ_ERROR_INVALID_VALUE);
  CHECK(value([](auto& p) { p.m_scale.bytes[0] = 4, p.a.exp_avg_scale.bytes = p.m_scale.bytes.data(); }) == ADJ_ERROR_BUFFER_TOO_SMALL);
  CHECK(value([](auto& p) { p.a.exp_avg = p.w.view(); }) == ADJ_ERROR_DTYPE_MISMATCH);
}

TEST_CASE("adamw_8bit: parts of a tensor have the bits of the whole") {
  const std::vector<std::int64_t> cuts{0, 256, 768, 1100}, first(cuts.begin(), cuts.end() - 1);
  const auto w = random_list<bf16>({1100}, 1, -1, 1), g = random_list<bf16>({1100}, 2, -1, 1);
  auto part = [&](const List<bf16>& list) {
    std::vector<std::vector<bf16>> parts;
    for (std::size_t i = 0; i + 1 < cuts.size(); ++i) parts.emplace_back(list.tensors[0].begin() + cuts[i], list.tensors[0].begin() + cuts[i + 1]);
    return List<bf16>(parts);
  };
  Adamw8<bf16> whole(w, g), parts(part(w), part(g)), without(part(w), part(g));
  for (auto* p : {&whole, &parts, &without}) {
    std::fill(p->keys.begin(), p->keys.end(), 9);
    p->d.stochastic_rounding = 1;
    p->a.lr.value = 1e-3;
  }
  parts.d.first_element_count = 3;
  parts.d.first_elements = first.data();
  for (int step = 1; step <= 3; ++step)
    for (auto* p : {&whole, &parts, &without}) {
      p->a.step.value = step;
      p->run();
    }
  auto joined = [](const auto& list) {
    std::vector<unsigned> all;
    for (const auto& t : list.tensors)
      for (const auto& x : t) {
        unsigned bits = 0;
        std::memcpy(&bits, &x, sizeof x);
        all.push_back(bits);
      }
    return all;
  };
  CHECK(joined(whole.w) == joined(parts.w));
  CHECK(joined(whole.m) == joined(parts.m));
  CHECK(joined(whole.v) == joined(parts.v));
  CHECK(joined(whole.m_scale) == joined(parts.m_scale));
  CHECK(joined(whole.v_scale) == joined(parts.v_scale));
  CHECK(joined(whole.w) != joined(without.w));
  const std::int64_t bad[] = {0, 255, 768};
  std::string message;
  parts.d.first_elements = bad;
  CHECK(select_status(parts.d, &message) == ADJ_ERROR_INVALID_PROBLEM);
  CHECK(message == "adamw_8bit: first_elements[1] = 255, expected a multiple of 256 from 0 on");
}

TEST_CASE("adamw_8bit: a negative moment that is rounded to 0 keeps its sign, and decoded moments are rounded") {
  Adamw8<float> p(List<float>({3}, 0), List<float>({{1, -1e-9f, 1e-9f}}));
  p.run();
  CHECK(p.m.tensors[0] == std::vector<std::uint8_t>{0x78, 0x80, 0});
  // Nine sixteenths of a scale, times beta1: one rounding of the product or two.
  bool differed = false;
  for (int k = 1; k < 64 && !differed; ++k) {
    const float scale = 1 + static_cast<float>(k) * 0x1p-23f, beta1 = 0.9f;
    const float decoded = 0.5625f * scale, twice = beta1 * decoded;
    const auto once = static_cast<float>(static_cast<double>(beta1) * 0.5625 * static_cast<double>(scale));
    if (twice == once) continue;
    differed = true;
    Adamw8<float> q(List<float>({1}, 0), List<float>({1}, 0));
    q.m.tensors[0][0] = 0x71;
    q.m_scale.tensors[0][0] = scale;
    q.run();
    CHECK(q.m_scale.at(0) == static_cast<double>(twice));
  }
  CHECK(differed);
}

TEST_CASE("adamw_8bit: the formulas of the header, to the last bit") {
  auto corrected = [](double beta, std::int64_t step) {
    double r = 0, q = 1 - beta;
    for (; step > 0; step /= 2) {
      if (step % 2) r = std::fma(q, 1 - r, r);
      q = std::fma(q, 1 - q, q);
    }
    return r;
  };
  for (std::int64_t step : {1, 2, 3, 1000, 1000003, 123456789}) {
    Adamw8<float> p(List<float>({1}, 0.7), List<float>({1}, 0.3));
    p.d.beta1 = 0.97;
    p.d.beta2 = 0.999999;
    p.a.step.value = static_cast<double>(step);
    p.a.lr.value = 0.1;
    p.run();
    const double a = corrected(0.97, step), b = corrected(0.999999, step);
    CHECK(b == Approx(-std::expm1(static_cast<double>(step) * std::log(0.999999))).epsilon(1e-13));
    const float g = 0.3f, w = 0.7f, m = static_cast<float>(1 - 0.97) * g, v = (static_cast<float>(1 - 0.999999) * g) * g;
    const float divisor = std::fma(std::sqrt(v), static_cast<float>(1 / std::sqrt(b)), static_cast<float>(1e-8));
    CHECK(p.w.tensors[0][0] == w - std::fma(static_cast<float>(0.1 * 1e-2), w, static_cast<float>(0.1 / a) * (m / divisor)));
  }
}
