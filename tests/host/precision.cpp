// Checks, scaling, clearing and accumulation on the host stream: the definition's edge cases, numbers by hand, and refused input.
#include <doctest/doctest.h>

#include <cmath>
#include <cstring>
#include <limits>

#include <adjoint/ops/precision.h>

#include "support.hpp"

namespace {

using adj::bf16;
using adj::f16;
using support::select_status;
using Approx = doctest::Approx;
constexpr double kInf = std::numeric_limits<double>::infinity(), kNan = std::numeric_limits<double>::quiet_NaN();

// Tensors of one element type, and the list argument of them.
template <class T>
struct List {
  std::vector<std::vector<T>> tensors;
  std::vector<void*> data{};
  std::vector<std::uint64_t> bytes{};

  static List of(const std::vector<std::vector<double>>& values) {
    List list;
    for (const auto& tensor : values) {
      list.tensors.emplace_back();
      for (double v : tensor) {
        if constexpr (std::is_integral_v<T>) list.tensors.back().push_back(static_cast<T>(v));
        else list.tensors.back().push_back(adj::from_double<T>(v));
      }
    }
    return list;
  }
  adj_tensor_list view(adj_dtype dtype = adj::dtype_of<T>) {
    data.clear();
    bytes.clear();
    for (auto& t : tensors) {
      data.push_back(t.empty() ? nullptr : t.data());
      bytes.push_back(t.size() * sizeof(T));
    }
    adj_tensor_list list;
    list.count = static_cast<std::int64_t>(tensors.size());
    list.dtype = dtype;
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

template <class Descriptor>
Descriptor describe(const std::vector<std::int64_t>& numel) {
  Descriptor d;
  d.count = static_cast<std::int64_t>(numel.size());
  d.numel = numel.data();
  return d;
}
template <class T>
adj_tensor one(T& value, adj_dtype dtype) {
  adj_tensor t;
  t.data = &value;
  t.bytes = sizeof value;
  t.dtype = dtype;
  return t;
}
template <class Descriptor, class Args>
void run(const Descriptor& d, const Args& a) {
  auto ok = support::run(d, a);
  REQUIRE_MESSAGE(ok.ok(), (ok.ok() ? "" : ok.error().message));
}
template <class Descriptor, class Args>
adj_status run_status(const Descriptor& d, const Args& a) {
  auto ok = support::run(d, a);
  return ok ? ADJ_OK : ok.error().code;
}

template <class T>
std::uint8_t all_finite(const std::vector<std::vector<double>>& values, adj_finite_test test, float* found_inf = nullptr) {
  auto list = List<T>::of(values);
  const auto numel = list.numel();
  auto d = describe<adj_all_finite_descriptor>(numel);
  d.element = adj::dtype_of<T>;
  d.test = test;
  adj_all_finite_args a;
  a.inputs = list.view();
  std::uint8_t out = 7;
  a.output = one(out, ADJ_BOOL);
  if (found_inf) a.found_inf = one(*found_inf, ADJ_F32);
  run(d, a);
  return out;
}

}  // namespace

TEST_CASE_TEMPLATE("is_finite: infinities, NaN and the largest numbers", T, float, double, f16, bf16) {
  auto in = List<T>::of({{kInf, -kInf, kNan, 0.0}, {}, {-0.0, 65504, 1e-8}});
  List<std::uint8_t> out = List<std::uint8_t>::of({{9, 9, 9, 9}, {}, {9, 9, 9}});
  const auto numel = in.numel();
  auto d = describe<adj_is_finite_descriptor>(numel);
  d.element = adj::dtype_of<T>;
  adj_is_finite_args a;
  a.inputs = in.view();
  a.outputs = out.view(ADJ_BOOL);
  run(d, a);
  CHECK(out.tensors[0] == std::vector<std::uint8_t>{0, 0, 0, 1});
  CHECK(out.tensors[2] == std::vector<std::uint8_t>{1, 1, 1});
}

TEST_CASE_TEMPLATE("all_finite: what each test lets pass", T, float, double, f16, bf16) {
  float found = 5;
  CHECK(all_finite<T>({{1, 2}, {}, {3}}, ADJ_FINITE_TEST_DEFAULT, &found) == 1);
  CHECK(found == 0);
  CHECK(all_finite<T>({{1, kInf}}, ADJ_FINITE_TEST_DEFAULT, &found) == 0);
  CHECK(found == 1);
  CHECK(all_finite<T>({{1, kNan}}, ADJ_FINITE_TEST_DEFAULT) == 0);
  CHECK(all_finite<T>({{kNan}, {2}}, ADJ_FINITE_TEST_NO_INF) == 1);
  CHECK(all_finite<T>({{kNan}, {-kInf}}, ADJ_FINITE_TEST_NO_INF) == 0);
  CHECK(all_finite<T>({{kInf}, {-kInf}}, ADJ_FINITE_TEST_NO_NAN) == 1);
  CHECK(all_finite<T>({{kInf}, {kNan}}, ADJ_FINITE_TEST_NO_NAN) == 0);
  CHECK(all_finite<T>({{}, {}}, ADJ_FINITE_TEST_DEFAULT) == 1);
  CHECK(all_finite<T>({}, ADJ_FINITE_TEST_DEFAULT) == 1);
}

TEST_CASE("all: any byte that is not 0 is true, and nothing is") {
  auto all = [](const std::vector<std::vector<double>>& values) {
    auto list = List<std::uint8_t>::of(values);
    const auto numel = list.numel();
    adj_all_args a;
    a.inputs = list.view(ADJ_BOOL);
    std::uint8_t out = 7;
    a.output = one(out, ADJ_BOOL);
    run(describe<adj_all_descriptor>(numel), a);
    return out;
  };
  CHECK(all({{1, 1}, {1}}) == 1);
  CHECK(all({{1, 2, 255}}) == 1);
  CHECK(all({{1, 1}, {1, 0}}) == 0);
  CHECK(all({{}}) == 1);
  CHECK(all({}) == 1);
}

TEST_CASE("scale: factors are those of the arithmetic's type") {
  auto scaled = [](double x, double scale, int down) {
    auto in = List<f16>::of({{x}}), out = List<f16>::of({{0}});
    const auto numel = in.numel();
    auto d = describe<adj_scale_descriptor>(numel);
    d.element = ADJ_F16;
    d.scale_down = down;
    adj_scale_args a;
    a.inputs = in.view();
    a.outputs = out.view();
    a.scale.value = scale;
    run(d, a);
    return out.at(0);
  };
  CHECK(scaled(0x1p-10, 65536, 0) == 64);  // the factor is no number of f16
  CHECK(scaled(64, 65536, 1) == 0x1p-10);
  CHECK(scaled(1, 0, 1) == kInf);
  CHECK(scaled(3, 0.1, 0) == adj::to_double(adj::to_f16(3 * static_cast<double>(0.1f))));
}

TEST_CASE("scale: f64 keeps its digits, several outputs, one buffer, the flag") {
  auto in = List<double>::of({{1, 1 + 0x1p-40}, {}, {-3}});
  const auto numel = in.numel();
  auto d = describe<adj_scale_descriptor>(numel);
  d.element = ADJ_F64;
  adj_scale_args a;
  a.inputs = in.view();
  a.scale.value = 2;
  SUBCASE("three outputs") {
    d.outputs = 3;
    auto y0 = in, y1 = in, y2 = in;
    a.outputs = y0.view();
    a.outputs_1 = y1.view();
    a.outputs_2 = y2.view();
    a.scale_1.value = 0.5;
    a.scale_2.value = 1 + 0x1p-40;
    run(d, a);
    CHECK(y0.at(0, 1) == 2 + 0x1p-39);
    CHECK(y1.at(2) == -1.5);
    CHECK(y2.at(0) == 1 + 0x1p-40);
    // The descriptor says how many outputs there are.
    d.outputs = 2;
    CHECK(run_status(d, a) != ADJ_OK);
  }
  SUBCASE("fused, with the flag") {
    d.fused = 1;
    std::vector<double> fused(3);
    a.fused = support::tensor(fused);
    float found = 0;
    a.found_inf = one(found, ADJ_F32);
    run(d, a);
    CHECK(fused == std::vector<double>{2, 2 + 0x1p-39, -6});
    CHECK(found == 0);
    in.tensors[2][0] = kInf;
    run(d, a);
    CHECK(fused[2] == kInf);
    CHECK(found == 1);
    in.tensors[2][0] = 0;
    run(d, a);
    CHECK(found == 1);  // it stays
  }
  SUBCASE("in place") {
    a.outputs = in.view();
    run(d, a);
    CHECK(in.at(2) == -6);
  }
}

TEST_CASE("scale: refused input") {
  std::vector<std::int64_t> numel{2};
  auto d = describe<adj_scale_descriptor>(numel);
  d.element = ADJ_F32;
  std::string message;
  for (int outputs : {0, 4, -1}) {
    d.outputs = outputs;
    CHECK(select_status(d, &message) == ADJ_ERROR_INVALID_PROBLEM);
    CHECK(message.find("outputs") != std::string::npos);
  }
  d.outputs = 2;
  d.fused = 1;
  CHECK(select_status(d) == ADJ_ERROR_INVALID_PROBLEM);
  d.fused = 2;
  CHECK(select_status(d) == ADJ_ERROR_INVALID_ARGUMENT);
  d.fused = 0;
  d.outputs = 1;
  d.output = ADJ_F64;
  CHECK(select_status(d) == ADJ_ERROR_UNSUPPORTED);
  d.output = {};
  numel[0] = -2;
  CHECK(select_status(d) == ADJ_ERROR_INVALID_PROBLEM);
  numel[0] = 2;
  auto in = List<float>::of({{1, 2}}), out = in;
  adj_scale_args a;
  a.inputs = in.view();
  a.outputs = out.view();
  a.scale.value = kNan;
  CHECK(run_status(d, a) == ADJ_ERROR_INVALID_VALUE);
  a.scale.value = 1;
  float element = 3;
  for (adj_scalar* factor : {&a.scale_1, &a.scale_2}) {
    factor->value = 3;
    CHECK(run_status(d, a) == ADJ_ERROR_INVALID_ARGUMENT);
    factor->value = 1;
    factor->device = &element;
    factor->dtype = ADJ_F32;
    CHECK(run_status(d, a) == ADJ_ERROR_INVALID_ARGUMENT);
    *factor = {.value = 0};
    CHECK(run_status(d, a) == ADJ_OK);
  }
  a.outputs.count = 0;
  CHECK(run_status(d, a) == ADJ_ERROR_SHAPE_MISMATCH);
}

TEST_CASE("zero: +0 everywhere") {
  auto list = List<bf16>::of({{1, -2, kNan}, {}, {-0.0}});
  const auto numel = list.numel();
  auto d = describe<adj_zero_descriptor>(numel);
  d.element = ADJ_BF16;
  adj_zero_args a;
  a.outputs = list.view();
  run(d, a);
  for (const auto& t : list.tensors)
    for (bf16 v : t) CHECK(v.bits == 0);
}

TEST_CASE("accumulate: one rounding, and what the flags do") {
  // 2049 is no number of f16; 1 + 2^-8 is none of bf16, and the sum of both rounds once.
  auto sums = List<f16>::of({{1, 2048}});
  auto values = List<float>::of({{0x1p-11 + 0x1p-20, 0.75}});
  const auto numel = sums.numel();
  auto d = describe<adj_accumulate_descriptor>(numel);
  d.element = ADJ_F16;
  d.value = ADJ_F32;
  adj_accumulate_args a;
  a.sums = sums.view();
  a.values = values.view();
  a.outputs = sums.view();
  SUBCASE("a value is not rounded before it is added") {
    run(d, a);
    CHECK(sums.at(0, 0) == 1 + 0x1p-10);
    CHECK(sums.at(0, 1) == 2048);
  }
  SUBCASE("no update, out of place") {
    auto out = List<f16>::of({{9, 9}});
    a.outputs = out.view();
    a.update.value = 0;
    run(d, a);
    CHECK(out.at(0, 1) == 2048);
  }
  SUBCASE("overwritten, whatever was there; a copy and the flag on the host") {
    sums = List<f16>::of({{kNan, kInf}});
    auto copies = List<f16>::of({{9, 9}});
    d.copies = 1;
    a.sums = a.outputs = sums.view();
    a.copies = copies.view();
    std::uint8_t flag = 0;
    const std::uint8_t overwrite = 1;
    a.overwrite.device = &overwrite;
    a.overwrite.dtype = ADJ_BOOL;
    a.updated_flag = one(flag, ADJ_BOOL);
    run(d, a);
    CHECK(sums.at(0, 1) == 0.75);
    CHECK(copies.at(0, 0) == sums.at(0, 0));
    CHECK(flag == 1);
  }
  SUBCASE("refused input") {
    a.update.value = kNan;
    CHECK(run_status(d, a) == ADJ_ERROR_INVALID_VALUE);
    d.copies = 3;
    CHECK(select_status(d) == ADJ_ERROR_INVALID_ARGUMENT);
    d.copies = 1;
    a.update.value = 1;
    CHECK(run_status(d, a) == ADJ_ERROR_SHAPE_MISMATCH);
  }
}

TEST_CASE("scaled_sum: two and three terms") {
  auto x0 = List<float>::of({{1, 2}, {3}}), x1 = List<float>::of({{10, 20}, {30}}), x2 = List<float>::of({{100, 200}, {300}}), y = x0;
  const auto numel = x0.numel();
  auto d = describe<adj_scaled_sum_descriptor>(numel);
  d.element = ADJ_F32;
  adj_scaled_sum_args a;
  a.inputs_0 = x0.view();
  a.inputs_1 = x1.view();
  a.outputs = y.view();
  a.scale_0.value = 2;
  a.scale_1.value = -0.5;
  run(d, a);
  CHECK(y.at(0, 1) == -6);
  CHECK(y.at(1) == -9);
  // The factor of an input that the problem does not have: refused by value and on the device, and nothing is written.
  float element = 1;
  y.tensors[1][0] = 7;
  for (const adj_scalar& factor : {adj_scalar{.value = 0.25}, adj_scalar{.value = 1, .device = &element, .dtype = ADJ_F32}}) {
    a.scale_2 = factor;
    const auto refused = support::run(d, a);
    REQUIRE_FALSE(refused.ok());
    CHECK(refused.error().code == ADJ_ERROR_INVALID_ARGUMENT);
    const std::string said = refused.error().message;
    CHECK_MESSAGE((said.find("scaled_sum") != std::string::npos && said.find("scale_2") != std::string::npos), said);
    CHECK(y.at(1) == 7);
  }
  for (double value : {0.0, 1.0}) {  // as a structure that was cleared, and as one that was initialised
    a.scale_2 = {.value = value};
    run(d, a);
    CHECK(y.at(1) == -9);
    y.tensors[1][0] = 7;
  }
  d.inputs = 3;
  a.inputs_2 = x2.view();
  a.scale_2.value = 0.25;
  a.outputs = x2.view();
  run(d, a);
  CHECK(x2.at(0, 0) == 22);
  for (int inputs : {1, 4}) {
    d.inputs = inputs;
    CHECK(select_status(d) == ADJ_ERROR_INVALID_PROBLEM);
  }
}

namespace {

struct LossScale {
  adj_update_loss_scale_descriptor d;
  float scale = 4;
  std::int32_t tracker = 0;

  void step(float found_inf) {
    adj_update_loss_scale_args a;
    a.found_inf = one(found_inf, ADJ_F32);
    a.scale = one(scale, ADJ_F32);
    a.growth_tracker = one(tracker, ADJ_I32);
    run(d, a);
  }
};

}  // namespace

TEST_CASE("update_loss_scale: the numbers of PyTorch's test of _amp_update_scale_") {
  LossScale s;
  s.d.growth_factor = 2;
  s.d.backoff_factor = 0.25;
  s.d.growth_interval = 1;
  s.step(0);
  CHECK(s.scale == 8);
  CHECK(s.tracker == 0);
  s.d.growth_interval = 2;
  s.step(0);
  CHECK(s.scale == 8);
  CHECK(s.tracker == 1);
  s.step(1);
  CHECK(s.scale == 2);
  CHECK(s.tracker == 0);
}

TEST_CASE("update_loss_scale: a schedule of steps, some of them skipped") {
  LossScale s;
  s.d.growth_interval = 3;
  const float found[] = {0, 0, 0, 0, 0, 1, 0, 0, 0, 1, 1, 0};
  const float scale[] = {4, 4, 8, 8, 8, 4, 4, 4, 8, 4, 2, 2};
  const std::int32_t tracker[] = {1, 2, 0, 1, 2, 0, 1, 2, 0, 0, 0, 1};
  for (std::size_t i = 0; i < std::size(found); ++i) {
    s.step(found[i]);
    CHECK(s.scale == scale[i]);
    CHECK(s.tracker == tracker[i]);
  }
}

TEST_CASE("update_loss_scale: limits, and what is not finite") {
  LossScale s;
  s.d.growth_interval = 1;
  s.scale = 0x1p127f;
  s.step(0);
  CHECK(s.scale == 0x1p127f);  // twice that is no number of f32
  CHECK(s.tracker == 0);
  s.scale = 0x1p-149f;
  s.step(1);
  CHECK(s.scale == 0);
  s.d.min_scale = 0.75;
  s.d.max_scale = 5;
  s.step(1);
  CHECK(s.scale == 0.75);
  for (int i = 0; i < 3; ++i) s.step(0);
  CHECK(s.scale == 5);
  s.scale = static_cast<float>(kNan);
  s.step(static_cast<float>(kNan));
  CHECK(std::isnan(s.scale));
  s.d.growth_interval = 10;
  s.scale = 4;
  s.tracker = 2147483647;
  s.step(0);
  CHECK(s.scale == 5);
  CHECK(s.tracker == 0);
}

TEST_CASE("update_loss_scale: refused input") {
  auto refused = [](auto change, const char* named) {
    adj_update_loss_scale_descriptor d;
    change(d);
    std::string message;
    CHECK(select_status(d, &message) == ADJ_ERROR_INVALID_PROBLEM);
    CHECK_MESSAGE(message.find(named) != std::string::npos, message);
  };
  for (double factor : {0.5, kInf, kNan}) refused([&](auto& d) { d.growth_factor = factor; }, "growth_factor = ");
  for (double factor : {0.0, 1.5, -1.0, kNan}) refused([&](auto& d) { d.backoff_factor = factor; }, "backoff_factor = ");
  for (double least : {-1.0, 1e39, kNan}) refused([&](auto& d) { d.min_scale = least; }, "min_scale = ");
  for (double most : {0.0, 0.5, kNan})
    refused(
        [&](auto& d) {
          d.min_scale = 1;
          d.max_scale = most;
        },
        "max_scale = ");
  for (int interval : {0, -3}) refused([&](auto& d) { d.growth_interval = interval; }, "growth_interval = ");
  float found = 1, scale = 4;
  std::int32_t tracker = 1;
  adj_update_loss_scale_args a;
  a.found_inf = one(found, ADJ_F32);
  a.scale = one(scale, ADJ_F32);
  a.growth_tracker = one(scale, ADJ_I32);
  CHECK(run_status(adj_update_loss_scale_descriptor{}, a) == ADJ_ERROR_ALIASING);
  a.growth_tracker = one(tracker, ADJ_F32);
  CHECK(run_status(adj_update_loss_scale_descriptor{}, a) != ADJ_OK);
  a.growth_tracker = {};
  CHECK(run_status(adj_update_loss_scale_descriptor{}, a) == ADJ_ERROR_NULL_BUFFER);
  CHECK(scale == 4);
  CHECK(tracker == 1);
}
