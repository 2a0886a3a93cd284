// Optimizers on the host stream, against published numbers, closed forms and the plain recurrences; and the planning of launches over long
// lists.
#include <doctest/doctest.h>

#include <cmath>
#include <limits>
#include <memory>
#include <random>

#include <adjoint/ops/optimizer.h>
#include <adjoint/ops/precision.h>

#include "../../kernels/prelude/scalar.h"
#include "../../kernels/prelude/multi_tensor.h"
#include "../../kernels/prelude/multi_norm.h"
#include "../../kernels/optimizer/params.h"
#include "support.hpp"

namespace {

using support::PlanPtr;
using support::Release;
using support::select;
using support::select_status;

using adj::bf16;
using adj::f16;
using Approx = doctest::Approx;

// Tensors of one element type, and the views that arguments take of them.
template <class T>
struct List {
  std::vector<std::vector<T>> tensors;
  std::vector<void*> data;
  std::vector<std::uint64_t> bytes;

  List() = default;
  List(std::vector<std::vector<T>> values) : tensors(std::move(values)) {}
  List(const std::vector<std::int64_t>& numel, double value) {
    for (std::int64_t n : numel) tensors.emplace_back(static_cast<std::size_t>(n), adj::from_double<T>(value));
  }

  adj_tensor_list view() {
    data.clear();
    bytes.clear();
    for (auto& t : tensors) {
      data.push_back(t.empty() ? nullptr : t.data());
      bytes.push_back(t.size() * sizeof(T));
    }
    adj_tensor_list list;
    list.count = static_cast<std::int64_t>(tensors.size());
    list.dtype = adj::dtype_of<T>;
    list.data = data.data();
    list.bytes = bytes.data();
    return list;
  }
  std::vector<std::int64_t> numel() const {
    std::vector<std::int64_t> counts;
    for (const auto& t : tensors) counts.push_back(static_cast<std::int64_t>(t.size()));
    return counts;
  }
  double at(std::size_t tensor, std::size_t i = 0) const { return adj::to_double(tensors[tensor][i]); }
};

template <class T>
bool same_bits(const List<T>& a, const List<T>& b) {
  if (a.tensors.size() != b.tensors.size()) return false;
  for (std::size_t i = 0; i < a.tensors.size(); ++i) {
    if (a.tensors[i].size() != b.tensors[i].size()) return false;
    if (!a.tensors[i].empty() && std::memcmp(a.tensors[i].data(), b.tensors[i].data(), a.tensors[i].size() * sizeof(T)) != 0) return false;
  }
  return true;
}

template <class T>
List<T> random_list(const std::vector<std::int64_t>& numel, unsigned seed, double low, double high) {
  std::mt19937_64 rng(seed);
  std::uniform_real_distribution<double> draw(low, high);
  List<T> list;
  for (std::int64_t n : numel) {
    list.tensors.emplace_back();
    for (std::int64_t i = 0; i < n; ++i) list.tensors.back().push_back(adj::from_double<T>(draw(rng)));
  }
  return list;
}

// Selects a plan and requires success.
template <class Descriptor>
PlanPtr planned(const Descriptor& d, const adj_stream& stream = adj::host_stream()) {
  auto plan = select(d, stream);
  REQUIRE_MESSAGE(plan.ok(), (plan.ok() ? "" : plan.error().message));
  return std::move(*plan);
}
template <class Args>
adj_status run_status(const PlanPtr& plan, const Args& a) {
  auto ok = adj::run_plan(*plan, adj::host_stream(), {}, &a.header);
  return ok ? ADJ_OK : ok.error().code;
}
template <class Descriptor, class Args>
void run(const Descriptor& d, const Args& a) {
  const PlanPtr plan = planned(d);
  auto ok = adj::run_plan(*plan, adj::host_stream(), {}, &a.header);
  REQUIRE_MESSAGE(ok.ok(), (ok.ok() ? "" : ok.error().message));
}

adj_scalar device_scalar(const void* address, adj_dtype dtype) {
  adj_scalar s;
  s.device = address;
  s.dtype = dtype;
  return s;
}
template <class T>
adj_tensor one(T& value, adj_dtype dtype) {
  adj_tensor t;
  t.data = &value;
  t.bytes = sizeof value;
  t.dtype = dtype;
  return t;
}

// An AdamW problem with all its lists.
template <class W = float, class G = W, class S = W, class C = f16>
struct Adamw {
  List<W> w;
  List<G> g;
  List<S> m, v;
  List<C> copy;
  std::vector<std::int64_t> numel;
  adj_adamw_descriptor d;
  adj_adamw_args a;

  Adamw(List<W> w_, List<G> g_, List<S> m_, List<S> v_, bool copies = false)
      : w(std::move(w_)), g(std::move(g_)), m(std::move(m_)), v(std::move(v_)), numel(w.numel()) {
    d.param = adj::dtype_of<W>;
    d.grad = adj::dtype_of<G>;
    d.state = adj::dtype_of<S>;
    if (copies) {
      d.copy = adj::dtype_of<C>;
      copy = List<C>(numel, -7);
    }
    a.lr.value = 0.1;
    a.step.value = 1;
    bind();
  }
  static Adamw random(const std::vector<std::int64_t>& numel, bool copies = false) {
    return Adamw(random_list<W>(numel, 1, -1, 1), random_list<G>(numel, 2, -1, 1), random_list<S>(numel, 3, -0.1, 0.1),
                 random_list<S>(numel, 4, 0, 0.1), copies);
  }
  Adamw(const Adamw& other)
      : w(other.w), g(other.g), m(other.m), v(other.v), copy(other.copy), numel(other.numel), d(other.d), a(other.a) { bind(); }

  void bind() {
    d.count = static_cast<std::int64_t>(numel.size());
    d.numel = numel.data();
    a.params = w.view();
    a.grads = g.view();
    a.exp_avg = m.view();
    a.exp_avg_sq = v.view();
    if (d.copy) a.copies = copy.view();
  }
  void run() { ::run(d, a); }
  bool same_results(const Adamw& o) const {
    return same_bits(w, o.w) && same_bits(m, o.m) && same_bits(v, o.v) && same_bits(copy, o.copy);
  }
};

void check_close(const std::vector<float>& got, const std::vector<double>& want, double atol, double rtol) {
  REQUIRE(got.size() == want.size());
  for (std::size_t i = 0; i < got.size(); ++i) CHECK(std::fabs(got[i] - want[i]) <= atol + rtol * std::fabs(want[i]));
}

// The first weight and gradient of ONNX Runtime's optimizer tests.
const std::vector<float> kWeight{-0.183304146f, 0.673954904f, 0.311708897f, 0.428309768f, -0.395791173f, 0.0742485821f};
const std::vector<float> kGradient{-0.186605349f, 1.05018771f, -0.0653872713f, 0.789240062f, -0.0698989406f, 0.0831128806f};
const std::vector<float> kZeros(6, 0.0f);
// The weights of ONNX Runtime's tests with several tensors.
const std::vector<std::vector<float>> kWeights{{0.0396990441f, -0.140543804f, 0.6361624f, 0.363622189f, -0.215265363f, 0.345989704f},
                                               {0.517955482f, -0.435107946f, -0.121182047f},
                                               {-0.51079452f, 0.0457209274f, 0.214931548f, -0.0395073593f, -0.359013349f, 0.303009421f},
                                               {0.023823332f, 0.537588537f}};
const std::vector<std::vector<float>> kGradients{{-0.0958618075f, 0.176293448f, 0, 0, -0.325293481f, 0.0403071493f},
                                                 {0.309002548f, 0, 0.364343375f},
                                                 {-0.318266273f, 0, -0.102279417f, 0.787237406f, 0, 0.203958899f},
                                                 {-0.738459468f, 1.72622228f}};

}  // namespace

TEST_CASE("adamw: closed forms in f64") {
  struct Row {
    adj_adamw_mode mode;
    double g, scale, step, w, m, v;
  };
  for (const Row& row : {Row{ADJ_ADAMW_DEFAULT, 0.5, 1, 2, 0.966444014112787, 0.14, 0.01024},
                         Row{ADJ_ADAMW_DECAY_FIRST, 0.5, 1, 2, 0.966444014112787, 0.14, 0.01024},
                         Row{ADJ_ADAMW_DECAY_LAST, 0.5, 1, 2, 0.9664765731689788, 0.14, 0.01024},
                         Row{ADJ_ADAMW_DEFAULT, 512, 4096, 1, 0.9665957664951661, 0.1025, 0.010005625},
                         Row{ADJ_ADAMW_DECAY_LAST, 512, 1024, 1, 0.9552937543191026, 0.14, 0.01024}}) {
    CAPTURE(row.mode);
    CAPTURE(row.scale);
    Adamw<double> p({{{1.0}}}, {{{row.g}}}, {{{0.1}}}, {{{0.01}}});
    p.d.mode = row.mode;
    p.a.step.value = row.step;
    p.a.grad_scale.value = row.scale;
    p.run();
    CHECK(p.w.at(0) == Approx(row.w).epsilon(1e-14));
    CHECK(p.m.at(0) == Approx(row.m).epsilon(1e-14));
    CHECK(p.v.at(0) == Approx(row.v).epsilon(1e-14));
  }
  SUBCASE("without bias correction") {
    Adamw<double> p({{{1.0}}}, {{{0.5}}}, {{{0.1}}}, {{{0.01}}});
    p.d.mode = ADJ_ADAMW_DECAY_LAST;
    p.d.no_bias_correction = 1;
    p.a.step.value = 0;
    p.run();
    const double updated = 1 - 0.1 * 0.14 / (std::sqrt(0.01024) + 1e-8);
    CHECK(p.w.at(0) == Approx(updated - 0.1 * 0.01 * updated).epsilon(1e-14));
  }
}

TEST_CASE("adamw: ONNX Runtime's numbers") {
  auto problem = [](const std::vector<float>& g, std::vector<float> w, std::vector<float> m, std::vector<float> v) {
    Adamw<float> p({{std::move(w)}}, {{g}}, {{std::move(m)}}, {{std::move(v)}});
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
    p.d.mode = ADJ_ADAMW_DECAY_LAST;
    p.d.epsilon = 1e-6;
    p.d.weight_decay = 0;
    p.run();
    check_close(p.w.tensors[0], {-0.182304323, 0.672954917, 0.312708408, 0.427309811, -0.394791633, 0.0732489601}, 1e-7, 1e-6);
  }
  SUBCASE("several weights") {
    const std::vector<std::int64_t> numel{6, 3, 6, 2};
    Adamw<float> p(kWeights, kGradients, List<float>(numel, 0), List<float>(numel, 0));
    p.a.lr.value = 0.001;
    p.run();
    check_close(p.w.tensors[0], {0.0406986438, -0.141542405, 0.636156023, 0.363618553, -0.214263201, 0.34498626}, 1e-7, 1e-6);
    check_close(p.w.tensors[1], {0.516950309, -0.435103595, -0.122180834}, 1e-7, 1e-6);
    check_close(p.w.tensors[2], {-0.509789407, 0.0457204692, 0.215929404, -0.0405069627, -0.359009743, 0.302006394}, 1e-7, 1e-6);
    check_close(p.w.tensors[3], {0.0248230938, 0.536583185}, 1e-7, 1e-6);
    check_close(p.v.tensors[3], {0.000545322371, 0.00297984341}, 1e-10, 1e-5);
  }
}

TEST_CASE("adamw: bias corrections stay exact at large steps and extreme rates") {
  for (double beta : {0.0, 0.5, 0.999, 1 - 1e-9})
    for (double step : {1.0, 2.0, 3.0, 1000.0, 1e6, 0x1p53}) {
      CAPTURE(beta);
      CAPTURE(step);
      Adamw<double> p({{{0.0}}}, {{{1.0}}}, {{{0.0}}}, {{{0.0}}});
      p.d.beta1 = 0;
      p.d.beta2 = beta;
      p.d.epsilon = 0;
      p.a.step.value = step;
      p.run();
      const long double b = -std::expm1(static_cast<long double>(step) * std::log1p(static_cast<long double>(beta) - 1));
      CHECK(p.w.at(0) == Approx(static_cast<double>(-0.1L * std::sqrt(b / (1 - static_cast<long double>(beta))))).epsilon(1e-13));
    }
}

TEST_CASE("adamw: found_inf leaves every bit") {
  for (float flag : {1.0f, -1.0f, std::numeric_limits<float>::infinity(), std::numeric_limits<float>::quiet_NaN()}) {
    auto p = Adamw<float, bf16, float, bf16>::random({5, 0, 700}, true);
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

TEST_CASE("adamw: the step on the device") {
  auto by_value = Adamw<>::random({3, 40});
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
    on_device.d.mode = ADJ_ADAMW_DECAY_LAST;
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
    auto p = Adamw<>::random({0, 0});
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

TEST_CASE("adamw: values outside their domain") {
  const double nan = std::numeric_limits<double>::quiet_NaN();
  auto p = Adamw<>::random({4});
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
    adj_adamw_descriptor d = p.d;
    change(d);
    return select_status(d) == ADJ_ERROR_INVALID_PROBLEM;
  };
  using D = adj_adamw_descriptor;
  CHECK(rejected([](D& d) { d.beta1 = 1; }));
  CHECK(rejected([](D& d) { d.beta2 = -0.1; }));
  CHECK(rejected([&](D& d) { d.beta2 = nan; }));
  CHECK(rejected([](D& d) { d.epsilon = -1e-8; }));
  CHECK(rejected([&](D& d) { d.epsilon = nan; }));
  CHECK(rejected([&](D& d) { d.weight_decay = nan; }));
  CHECK(rejected([](D& d) { d.no_bias_correction = 1; }));
  CHECK(rejected([](D& d) { d.no_bias_correction = 1, d.mode = ADJ_ADAMW_DECAY_FIRST; }));
  const std::int64_t negative[] = {-1}, huge[] = {std::int64_t{1} << 59, 1};
  CHECK(rejected([&](D& d) { d.numel = negative; }));
  CHECK(rejected([&](D& d) { d.numel = huge, d.count = 2; }));
  adj_adamw_descriptor d = p.d;
  d.mode = 3;
  CHECK(select_status(d) == ADJ_ERROR_INVALID_ARGUMENT);
  d = p.d;
  d.reserved = 1;
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
  adj_adamw_descriptor adamw{.count = 1, .numel = numel, .param = ADJ_BF16};
  CHECK(planned(adamw)->sku->signature_name == "bf16.bf16.bf16.none");
  adj_sgd_descriptor sgd{.count = 1, .numel = numel, .param = ADJ_F16};
  CHECK(planned(sgd)->sku->signature_name == "f16.f16.none.none");
}

TEST_CASE("adamw: mixed element types and the low-precision copy") {
  auto exact = Adamw<double>::random({300, 7});
  auto p = Adamw<float, bf16, float, bf16>(random_list<float>(exact.numel, 1, -1, 1), random_list<bf16>(exact.numel, 2, -1, 1),
                                           random_list<float>(exact.numel, 3, -0.1, 0.1), random_list<float>(exact.numel, 4, 0, 0.1), true);
  for (std::size_t t = 0; t < 2; ++t)
    for (std::size_t i = 0; i < exact.w.tensors[t].size(); ++i) {
      exact.w.tensors[t][i] = p.w.at(t, i);
      exact.g.tensors[t][i] = p.g.at(t, i);
      exact.m.tensors[t][i] = p.m.at(t, i);
      exact.v.tensors[t][i] = p.v.at(t, i);
    }
  exact.run();
  p.run();
  for (std::size_t t = 0; t < 2; ++t)
    for (std::size_t i = 0; i < exact.w.tensors[t].size(); ++i) {
      CHECK(p.w.tensors[t][i] == static_cast<float>(exact.w.at(t, i)));
      CHECK(p.m.tensors[t][i] == static_cast<float>(exact.m.at(t, i)));
      CHECK(p.v.tensors[t][i] == static_cast<float>(exact.v.at(t, i)));
      CHECK(p.copy.tensors[t][i].bits == adj::to_bf16(p.w.at(t, i)).bits);
    }
  auto low = Adamw<f16, f16, float>::random({33});
  const double w = low.w.at(0, 32), g = low.g.at(0, 32);
  const double m = 0.9 * low.m.at(0, 32) + (1 - 0.9) * g, v = 0.999 * low.v.at(0, 32) + (1 - 0.999) * g * g;
  low.run();
  CHECK(low.w.tensors[0][32].bits ==
        adj::to_f16(w - 0.1 * 0.01 * w - 0.1 * (m / (1 - 0.9)) / (std::sqrt(v) / std::sqrt(1 - 0.999) + 1e-8)).bits);
}

TEST_CASE("adamw: a list is the same as its elements") {
  std::vector<std::int64_t> numel;
  for (int i = 0; i < 2000; ++i) numel.push_back(i % 7 == 0 ? 0 : i % 13 + 1);
  auto list = Adamw<>::random(numel);
  auto flatten = [](const List<float>& l) {
    std::vector<float> all;
    for (const auto& t : l.tensors) all.insert(all.end(), t.begin(), t.end());
    return List<float>({all});
  };
  Adamw<> flat(flatten(list.w), flatten(list.g), flatten(list.m), flatten(list.v));
  list.run();
  flat.run();
  CHECK(same_bits(flatten(list.w), flat.w));
  CHECK(same_bits(flatten(list.m), flat.m));
  CHECK(same_bits(flatten(list.v), flat.v));
  CHECK(flat.numel[0] > 10000);
}

TEST_CASE("optimizers: nothing to do is a success") {
  auto none = Adamw<>::random({});
  CHECK(planned(none.d)->steps.empty());
  none.run();
  auto empty = Adamw<>::random({0, 0, 0});
  CHECK(planned(empty.d)->steps.empty());
  empty.run();
  adj_sgd_descriptor d{.param = ADJ_F32};
  run(d, adj_sgd_args{.lr = {0}});
}

TEST_CASE("adamw: wrong arguments") {
  auto p = Adamw<>::random({4, 4});
  const PlanPtr plan = planned(p.d);
  adj_adamw_args a = p.a;
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
  // Gradients are only read: two positions may share one.
  void* same[] = {p.g.data[0], p.g.data[0]};
  a = p.a;
  a.grads.data = same;
  CHECK(adj::can_implement(*plan, &a.header).ok());
}

TEST_CASE("adamw: a wrong entry is found in every list and at every position") {
  constexpr std::size_t kTensors = 37, kElements = 6, kLists = 4;  // more than whole registers of entries
  const std::vector<std::int64_t> numel(kTensors, kElements);
  const adj_adamw_descriptor d{.count = kTensors, .numel = numel.data(), .param = ADJ_F32};
  const PlanPtr plan = planned(d);
  std::vector<float> memory(kTensors * kLists * 3 * kElements);
  std::vector<void*> data[kLists];
  std::vector<std::uint64_t> bytes[kLists];
  adj_adamw_args a;
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

TEST_CASE("adamw: a bound call equals a run") {
  auto p = Adamw<>::random({4, 0, 900});
  auto q = p;
  std::int64_t p_step = 1, q_step = 1;
  p.d.advance_step = q.d.advance_step = 1;
  p.a.step = device_scalar(&p_step, ADJ_I64);
  q.a.step = device_scalar(&q_step, ADJ_I64);
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
      d.state = o.momentum ? ADJ_F64 : 0;
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

// ---- planning for an offline device

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

// Checks that the launches of an AdamW plan cover every tensor of the list once; returns their number.
std::size_t check_launches(const std::vector<std::int64_t>& numel, bool copies, int advance = 0) {
  adj_adamw_descriptor d;
  d.count = static_cast<std::int64_t>(numel.size());
  d.numel = numel.data();
  d.param = ADJ_F32;
  d.copy = copies ? ADJ_BF16 : 0;
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
    for (const adj::Patch& patch : kernel.patches) {
      if (patch.kind != adj::Patch::list) continue;
      CHECK(patch.slot == lists);
      CHECK(patch.offset == sizeof head + layout.low + 4 * capacity * static_cast<std::size_t>(lists));
      CHECK(patch.high == sizeof head + layout.high + 2 * capacity * static_cast<std::size_t>(lists));
      CHECK(patch.count == head.list.tensors);
      first = patch.first;
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
    for (const adj::Patch& patch : plan->tables[0].patches) {
      CHECK(patch.count == numel.size());
      CHECK(patch.offset == layout.low + 4 * numel.size() * patch.slot);
      CHECK(patch.high == layout.high + 2 * numel.size() * patch.slot);
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
  const adj_adamw_descriptor d{.count = kTensors, .numel = numel.data(), .param = ADJ_F32};
  const PlanPtr plan = planned(d, *adj::offline_stream("sm_90a"));
  std::vector<void*> data[4];
  const std::vector<std::uint64_t> bytes(kTensors, 64);
  adj_adamw_args a;
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
    adj::apply(kernel.patches, block.data(), *plan->op, args, nullptr);
    const auto head = load<AdamHead>(block.data());
    const std::size_t capacity = multi_tensor_capacity(static_cast<unsigned>(block.size() - sizeof head), multi_tensor_elementwise(4));
    check_table(block.data() + sizeof head, capacity, 4, std::span(numel).subspan(next, head.list.tensors), head.list.chunk_log2);
    check(block.data() + sizeof head, capacity, next, head.list.tensors);
    next += head.list.tensors;
  }
  CHECK(next == kTensors);
  std::vector<std::byte> image = plan->tables.at(0).image;
  adj::apply(plan->tables[0].patches, image.data(), *plan->op, args, nullptr);
  check(image.data(), kTensors, 0, kTensors);

  data[2][700] = reinterpret_cast<void*>(std::uintptr_t{1} << 48);
  const auto beyond = adj::can_implement(*plan, &a.header);
  REQUIRE(!beyond);
  CHECK(beyond.error().code == ADJ_ERROR_UNSUPPORTED);
  CHECK(beyond.error().message == "adamw: exp_avg.data[700] = 0x1000000000000 has more than 48 bits");
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

namespace {

// An adam or lamb problem with all arguments.
template <class Descriptor, class Args, class W = float, class G = W, class S = W, class C = f16>
struct Moments {
  List<W> w, new_w;
  List<G> g, updates;
  List<S> m, v, new_m, new_v;
  List<C> copy;
  std::vector<std::int64_t> numel;
  Descriptor d;
  Args a;

  Moments(List<W> w_, List<G> g_, List<S> m_, List<S> v_) : w(std::move(w_)), g(std::move(g_)), m(std::move(m_)), v(std::move(v_)), numel(w.numel()) {
    d.param = adj::dtype_of<W>;
    d.grad = adj::dtype_of<G>;
    d.state = adj::dtype_of<S>;
    a.lr.value = 0.1;
    a.step.value = 1;
  }
  void bind() {
    d.count = static_cast<std::int64_t>(numel.size());
    d.numel = numel.data();
    a.params = w.view();
    a.grads = g.view();
    a.exp_avg = m.view();
    a.exp_avg_sq = v.view();
    if (d.copy) copy = List<C>(numel, -7), a.copies = copy.view();
    if (d.updates) updates = List<G>(numel, -7), a.updates = updates.view();
    if (!d.out_of_place) return;
    if (!d.keep_params) new_w = List<W>(numel, -7), a.new_params = new_w.view();
    new_m = List<S>(numel, -7), a.new_exp_avg = new_m.view();
    new_v = List<S>(numel, -7), a.new_exp_avg_sq = new_v.view();
  }
  void run() {
    bind();
    ::run(d, a);
  }
};
template <class W = float, class G = W, class S = W, class C = f16>
using Adam = Moments<adj_adam_descriptor, adj_adam_args, W, G, S, C>;
template <class W = float, class G = W, class S = W, class C = f16>
using Lamb = Moments<adj_lamb_descriptor, adj_lamb_args, W, G, S, C>;

template <class T>
void check_list(const List<T>& got, const std::vector<double>& want, double tolerance) {
  REQUIRE(got.tensors.at(0).size() == want.size());
  for (std::size_t i = 0; i < want.size(); ++i) CHECK(got.at(0, i) == Approx(want[i]).epsilon(tolerance));
}

}  // namespace

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

TEST_CASE("adam: equals adamw, and the chain of unscaling, clipping, step, copy and clearing") {
  Adamw<> old = Adamw<>::random({7, 0, 600}, true);
  Adam<> p(old.w, old.g, old.m, old.v);
  old.a.grad_scale.value = 4;
  old.a.step.value = 7;
  old.run();
  p.d.weight_decay = old.d.weight_decay;
  p.d.copy = ADJ_F16;
  p.d.clear_grads = 1;
  p.a.step.value = 7;
  p.a.grad_scale.value = 2;
  p.a.gradient_norm.value = 8;
  p.d.max_norm = 2;  // a divisor of 4
  p.run();
  CHECK(same_bits(p.w, old.w));
  CHECK(same_bits(p.m, old.m));
  CHECK(same_bits(p.v, old.v));
  CHECK(same_bits(p.copy, old.copy));
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
  for (const Vector& c : std::vector<Vector>{
           {{1, 2}, {3, 4}, {-1, -2}, {2, 1}, false, {0.355502746, 1.08642281}, {2.2, 2.8}, {3.4, 4}},
           {{1, 2}, {3, 4}, {-1, -2}, {2, 1}, true, {0.387637955, 1.06457885}, {2.2, 2.8}, {3.4, 4}},
           {{1, 2, 1, 1, 2, 2}, {3, 4, 3, 3, 4, 4}, {-1, -2, 2, 1, 1, -2}, {1, 1, 5, 5, 6, 6}, false,
            {0.252121533, 1.03726354, 0.333049584, 0.36636246, 1.1166565, 1.20175118}, {2.2, 2.8, 2.8, 2.6, 3.4, 2.8}, {2.6, 4, 5.8, 5.8, 8, 8}},
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
    ::run(d, a);
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
  CHECK(message == "lion: tensor_keys[1] = 4294967296, expected a number from 0 to 2^32 - 1");
  CHECK(lion([&](auto& d) { random(d, negative); }) == ADJ_ERROR_INVALID_PROBLEM);
  CHECK(lion([&](auto& d) { random(d, keys), d.param = ADJ_F32; }) == ADJ_ERROR_INVALID_PROBLEM);
  CHECK(message == "lion: stochastic_rounding = 1 with param = f32, expected f16 or bf16");
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
    ::run(d, a);
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

TEST_CASE("adamw_8bit: the first step is that of adamw, and its moments are good to a byte") {
  const std::vector<std::int64_t> numel{5, 0, 700};
  Adamw8<float> p(random_list<float>(numel, 1, -1, 1), random_list<float>(numel, 2, -8, 8));
  Adamw<float> exact(p.w, p.g, List<float>(numel, 0), List<float>(numel, 0), true);
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
      wrong += std::fabs(p.w.at(t, i) - exact.w.at(t, i)) > 2e-7;
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
  const double exact = train([&] { return Adamw<float>(List<float>(numel, 0), List<float>(numel, 0), List<float>(numel, 0), List<float>(numel, 0)); }, set_step);
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
    adj_adamw_8bit_descriptor d{.count = 2, .numel = numel.data(), .param = ADJ_BF16, .tensor_key_count = 2, .tensor_keys = keys.data()};
    change(d);
    return select_status(d, &message);
  };
  CHECK(select([](auto&) {}) == ADJ_OK);
  CHECK(select([](auto& d) { d.tensor_key_count = 0; }) == ADJ_ERROR_INVALID_PROBLEM);
  CHECK(message == "adamw_8bit: tensor_key_count = 0, expected count = 2");
  CHECK(select([&](auto& d) { d.tensor_keys = bad.data(); }) == ADJ_ERROR_INVALID_PROBLEM);
  CHECK(message == "adamw_8bit: tensor_keys[1] = -1, expected a number from 0 to 2^32 - 1");
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

TEST_CASE("clip_grad_norm: closed forms") {
  auto clip = [](List<float>& g, double max_norm, double scale, float& norm, float& factor, float& found) {
    const std::vector<std::int64_t> numel = g.numel();
    adj_clip_grad_norm_descriptor d{.count = static_cast<std::int64_t>(numel.size()), .numel = numel.data(), .grad = ADJ_F32, .max_norm = max_norm};
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
  CHECK(adam([](auto& d) { d.decay = 4; }) == ADJ_ERROR_INVALID_ARGUMENT);
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
  adj_clip_grad_norm_descriptor clip{.count = 1, .numel = numel.data(), .grad = ADJ_F32, .max_norm = 0};
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
  CHECK(value([](auto& a) { a.grad_scale.value = -1; }) == ADJ_ERROR_INVALID_VALUE);
  CHECK(value([](auto& a) { a.gradient_norm.value = INFINITY; }) == ADJ_ERROR_INVALID_VALUE);
  CHECK(value([](auto& a) { a.gradient_norm.value = -1; }) == ADJ_ERROR_INVALID_VALUE);
  CHECK(value([](auto& a) { a.update_signal.value = 2; }) == ADJ_ERROR_INVALID_VALUE);
}

TEST_CASE("sgd: a negative scale keeps its sign, whether it clips or not") {
  const std::vector<std::int64_t> numel{1};
  auto stepped = [&](double gradient_norm, double max_norm) {
    List<double> w({1}, 1), g({1}, 6);
    adj_sgd_descriptor d{.count = 1, .numel = numel.data(), .param = ADJ_F64, .max_norm = max_norm};
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

TEST_CASE("clip_grad_norm: a norm beyond its type, subnormal multipliers and an infinite limit") {
  auto clip = [](auto& g, double max_norm, auto& norm, auto& factor) {
    using T = std::remove_reference_t<decltype(g.tensors[0][0])>;
    const std::vector<std::int64_t> numel = g.numel();
    float found = -1;
    adj_clip_grad_norm_descriptor d{.count = static_cast<std::int64_t>(numel.size()), .numel = numel.data(), .grad = adj::dtype_of<T>, .max_norm = max_norm};
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
    adj_adam_descriptor adam{.count = 1, .numel = numel.data(), .param = ADJ_F32, .max_norm = max_norm};
    adj_lamb_descriptor lamb{.count = 1, .numel = numel.data(), .param = ADJ_F32, .max_norm = max_norm}, own{.count = 1, .numel = numel.data(), .param = ADJ_F32};
    own.max_norm_count = 1;
    own.max_norm_of = &max_norm;
    adj_lion_descriptor lion{.count = 1, .numel = numel.data(), .param = ADJ_F32, .max_norm = max_norm};
    adj_adamw_8bit_descriptor bytes{.count = 1, .numel = numel.data(), .param = ADJ_F32, .max_norm = max_norm, .tensor_key_count = 1, .tensor_keys = keys.data()};
    adj_sgd_descriptor sgd{.count = 1, .numel = numel.data(), .param = ADJ_F32, .max_norm = max_norm};
    adj_clip_grad_norm_descriptor clip{.count = 1, .numel = numel.data(), .grad = ADJ_F32, .max_norm = max_norm};
    return std::vector<adj_status>{select_status(adam), select_status(lamb), select_status(own), select_status(lion), select_status(bytes), select_status(sgd), select_status(clip)};
  };
  CHECK(select_with(INFINITY) == std::vector<adj_status>(7, ADJ_OK));
  for (double bad : {0.0, -1.0, double{-INFINITY}, double{NAN}}) CHECK(select_with(bad) == std::vector<adj_status>(7, ADJ_ERROR_INVALID_PROBLEM));
}

TEST_CASE("adam, adamw and lamb: rates outside of [0, 1] without bias correction") {
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
  Adamw<double> adamw(List<double>({1}, 1), List<double>({1}, 1), List<double>({1}, 0.2), List<double>({1}, 3));
  adamw.d.no_bias_correction = 1;
  adamw.d.mode = ADJ_ADAMW_DECAY_LAST;
  adamw.d.weight_decay = 0;
  adamw.d.beta1 = 1.5;
  adamw.d.beta2 = 2;
  adamw.run();
  CHECK(adamw.w.at(0) == Approx(w).epsilon(1e-14));
  Lamb<double> lamb(List<double>({1}, 1), List<double>({1}, 1), List<double>({1}, 0.2), List<double>({1}, 3));
  lamb.d.no_bias_correction = 1;
  lamb.d.beta1 = 1.5;
  lamb.d.beta2 = 2;
  lamb.run();
  CHECK(lamb.w.at(0) == Approx(1.1).epsilon(1e-14));
  CHECK(lamb.v.at(0) == 5);
  std::string message;
  for (double bad : {double{NAN}, double{INFINITY}}) {
    adam.d.beta2 = adamw.d.beta1 = lamb.d.beta1 = bad;
    CHECK(select_status(adam.d) == ADJ_ERROR_INVALID_PROBLEM);
    CHECK(select_status(adamw.d) == ADJ_ERROR_INVALID_PROBLEM);
    CHECK(select_status(lamb.d, &message) == ADJ_ERROR_INVALID_PROBLEM);
  }
  CHECK(message == "lamb: beta1 = inf is not finite");
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

namespace {

// Memory of a scaled step: weights with two states, the scale of the loss, and the step.
struct ScaledStep {
  List<float> params = random_list<float>({3, 0, 5}, 1, -1, 1), grads = random_list<float>({3, 0, 5}, 2, -8, 8), first = random_list<float>({3, 0, 5}, 3, -1, 1),
              second = random_list<float>({3, 0, 5}, 4, 0, 1);
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
  const Update updates[] = {
      [](ScaledStep& s) { s.update_moments<adj_adam_descriptor, adj_adam_args>(); },
      [](ScaledStep& s) { s.update_moments<adj_adamw_descriptor, adj_adamw_args>(); },
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
    s.update_moments<adj_adamw_descriptor, adj_adamw_args>();
    return s.params;
  };
  const auto plain = weights(1);
  CHECK(same_bits(plain, weights(0x1p10f)));
  CHECK(same_bits(plain, weights(0x1p-5f)));
}
