// Tensors, arguments and plans that the tests of the optimizers share.
#pragma once

#include <doctest/doctest.h>

#include <cmath>
#include <limits>
#include <memory>
#include <random>

#include <adjoint/ops/optimizer.h>

#include "support.hpp"

namespace optimizers {

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

template <class T>
adj_tensor tensor(std::vector<T>& values) {
  adj_tensor t;
  t.data = values.data();
  t.bytes = values.size() * sizeof(T);
  t.dtype = adj::dtype_of<T>;
  return t;
}
inline adj_scalar device_scalar(const void* address, adj_dtype dtype) {
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

inline void check_close(const std::vector<float>& got, const std::vector<double>& want, double atol, double rtol) {
  REQUIRE(got.size() == want.size());
  for (std::size_t i = 0; i < got.size(); ++i) CHECK(std::fabs(got[i] - want[i]) <= atol + rtol * std::fabs(want[i]));
}

// The first weight and gradient of ONNX Runtime's optimizer tests.
const std::vector<float> kWeight{-0.183304146f, 0.673954904f, 0.311708897f, 0.428309768f, -0.395791173f, 0.0742485821f};
const std::vector<float> kGradient{-0.186605349f, 1.05018771f, -0.0653872713f, 0.789240062f, -0.0698989406f, 0.0831128806f};
inline const std::vector<float> kZeros(6, 0.0f);
// The weights of ONNX Runtime's tests with several tensors.
const std::vector<std::vector<float>> kWeights{{0.0396990441f, -0.140543804f, 0.6361624f, 0.363622189f, -0.215265363f, 0.345989704f},
                                               {0.517955482f, -0.435107946f, -0.121182047f},
                                               {-0.51079452f, 0.0457209274f, 0.214931548f, -0.0395073593f, -0.359013349f, 0.303009421f},
                                               {0.023823332f, 0.537588537f}};
const std::vector<std::vector<float>> kGradients{{-0.0958618075f, 0.176293448f, 0, 0, -0.325293481f, 0.0403071493f},
                                                 {0.309002548f, 0, 0.364343375f},
                                                 {-0.318266273f, 0, -0.102279417f, 0.787237406f, 0, 0.203958899f},
                                                 {-0.738459468f, 1.72622228f}};

// An adam or lamb problem with all arguments.
template <class Descriptor, class Args, class W = float, class G = W, class S = W, class C = f16>
struct Moments {
  List<W> w, new_w;
  List<G> g, updates;
  List<S> m, v, new_m, new_v;
  List<C> copy;
  std::vector<std::int64_t> numel, keys, first_elements;
  Descriptor d;
  Args a;

  Moments(List<W> w_, List<G> g_, List<S> m_, List<S> v_) : w(std::move(w_)), g(std::move(g_)), m(std::move(m_)), v(std::move(v_)), numel(w.numel()) {
    d.param = adj::dtype_of<W>;
    d.grad = adj::dtype_of<G>;
    d.state = adj::dtype_of<S>;
    a.lr.value = 0.1;
    a.step.value = 1;
  }
  static Moments random(const std::vector<std::int64_t>& numel) {
    return Moments(random_list<W>(numel, 1, -1, 1), random_list<G>(numel, 2, -1, 1), random_list<S>(numel, 3, -0.1, 0.1), random_list<S>(numel, 4, 0, 0.1));
  }
  // Points descriptor and arguments to the lists. Outputs that were not there begin at -7.
  void bind() {
    auto output = [&](auto& list) {
      if (list.tensors.size() != numel.size()) list = {numel, -7};
      return list.view();
    };
    d.count = static_cast<std::int64_t>(numel.size());
    d.numel = numel.data();
    a.params = w.view();
    a.grads = g.view();
    a.exp_avg = m.view();
    a.exp_avg_sq = v.view();
    if (d.copy) a.copies = output(copy);
    if (d.updates) a.updates = output(updates);
    if constexpr (requires { d.tensor_keys; }) {
      d.tensor_key_count = static_cast<std::int64_t>(keys.size());
      d.tensor_keys = keys.data();
      d.first_element_count = static_cast<std::int64_t>(first_elements.size());
      d.first_elements = first_elements.data();
    }
    if (!d.out_of_place) return;
    if (!d.keep_params) a.new_params = output(new_w);
    a.new_exp_avg = output(new_m);
    a.new_exp_avg_sq = output(new_v);
  }
  void run() {
    bind();
    optimizers::run(d, a);
  }
  bool same_results(const Moments& o) const { return same_bits(w, o.w) && same_bits(m, o.m) && same_bits(v, o.v) && same_bits(copy, o.copy); }
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

}  // namespace optimizers
