// Reductions on the host stream: ONNX's printed examples, numbers by hand, empty ranges, and refused input.
#include <doctest/doctest.h>

#include <cmath>
#include <limits>

#include <adjoint/ops/reduce.h>

#include "support.hpp"

namespace {

using adj::bf16;
using adj::f16;
using support::select_status;
using Approx = doctest::Approx;
constexpr double kInf = std::numeric_limits<double>::infinity(), kNan = std::numeric_limits<double>::quiet_NaN();

adj_reduce_descriptor describe(std::vector<std::int64_t> dims, std::vector<std::int64_t> axes, adj_reduce_kind kind, adj_dtype element) {
  adj_reduce_descriptor d;
  d.shape.rank = static_cast<std::int64_t>(dims.size());
  std::copy(dims.begin(), dims.end(), d.shape.dims);
  d.axes.count = static_cast<std::int64_t>(axes.size());
  std::copy(axes.begin(), axes.end(), d.axes.at);
  d.kind = kind;
  d.element = element;
  return d;
}

template <class T, class O = T>
std::vector<O> reduce(const adj_reduce_descriptor& d, std::vector<T> in, std::vector<std::int64_t> shape) {
  std::int64_t n = 1;
  for (std::int64_t e : shape) n *= e;
  std::vector<O> out(static_cast<std::size_t>(n));
  adj_reduce_args a;
  a.input = support::tensor(in);
  a.output = support::tensor(out, shape);
  auto ok = support::run(d, a);
  REQUIRE_MESSAGE(ok.ok(), (ok.ok() ? "" : ok.error().message));
  return out;
}
double one(adj_reduce_kind kind, std::vector<double> in) {
  auto d = describe({static_cast<std::int64_t>(in.size())}, {0}, kind, ADJ_F64);
  d.keepdims = 0;
  std::vector<double> out(1);
  adj_reduce_args a;
  a.input = support::tensor(in);
  a.output = support::tensor(out);
  auto ok = support::run(d, a);
  REQUIRE_MESSAGE(ok.ok(), (ok.ok() ? "" : ok.error().message));
  return out[0];
}

}  // namespace

TEST_CASE("reduce: axes, kept or not") {
  const std::vector<float> data{1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12};  // [3, 2, 2], as in ONNX's examples
  auto sum = [&](std::vector<std::int64_t> axes, int keepdims, std::vector<std::int64_t> shape) {
    auto d = describe({3, 2, 2}, std::move(axes), ADJ_REDUCE_KIND_SUM, ADJ_F32);
    d.keepdims = keepdims;
    return reduce<float>(d, data, std::move(shape));
  };
  CHECK(sum({1}, 0, {3, 2}) == std::vector<float>{4, 6, 12, 14, 20, 22});
  CHECK(sum({1}, 1, {3, 1, 2}) == std::vector<float>{4, 6, 12, 14, 20, 22});
  CHECK(sum({-2}, 1, {3, 1, 2}) == std::vector<float>{4, 6, 12, 14, 20, 22});
  CHECK(sum({2, 0}, 0, {2}) == std::vector<float>{33, 45});
  CHECK(sum({0, -1}, 1, {1, 2, 1}) == std::vector<float>{33, 45});
  CHECK(sum({}, 1, {1, 1, 1}) == std::vector<float>{78});
  CHECK(sum({0, 1, 2}, 1, {1, 1, 1}) == std::vector<float>{78});
  auto d = describe({3, 2, 2}, {}, ADJ_REDUCE_KIND_SUM, ADJ_F32);
  d.noop_with_empty_axes = 1;
  CHECK(reduce<float>(d, data, {3, 2, 2}) == data);
}

TEST_CASE("reduce: the kinds") {
  const std::vector<double> x{3, -4, 0.5, 2};
  CHECK(one(ADJ_REDUCE_KIND_SUM, x) == 1.5);
  CHECK(one(ADJ_REDUCE_KIND_MEAN, x) == 0.375);
  CHECK(one(ADJ_REDUCE_KIND_SUM_SQUARE, x) == 29.25);
  CHECK(one(ADJ_REDUCE_KIND_L2, {3, -4}) == 5);
  CHECK(one(ADJ_REDUCE_KIND_MAX, x) == 3);
  CHECK(one(ADJ_REDUCE_KIND_MIN, x) == -4);
  CHECK(one(ADJ_REDUCE_KIND_PROD, x) == -12);
  CHECK(one(ADJ_REDUCE_KIND_LOGSUMEXP, x) == Approx(std::log(std::exp(3) + std::exp(-4) + std::exp(0.5) + std::exp(2))).epsilon(1e-15));
  CHECK(one(ADJ_REDUCE_KIND_LOGSUMEXP, {1000, 1000}) == Approx(1000 + std::log(2)).epsilon(1e-15));
  CHECK(one(ADJ_REDUCE_KIND_SUM, {1, 1e100, 1, -1e100}) == 2);
}

TEST_CASE("reduce: infinities and NaN") {
  CHECK(one(ADJ_REDUCE_KIND_MAX, {1, -kInf}) == 1);
  CHECK(std::isnan(one(ADJ_REDUCE_KIND_MAX, {1, kNan, 3})));
  CHECK(std::isnan(one(ADJ_REDUCE_KIND_MIN, {1, kNan, 3})));
  CHECK(one(ADJ_REDUCE_KIND_LOGSUMEXP, {1, kInf}) == kInf);
  CHECK(one(ADJ_REDUCE_KIND_LOGSUMEXP, {-kInf, -kInf}) == -kInf);
  CHECK(std::isnan(one(ADJ_REDUCE_KIND_LOGSUMEXP, {kInf, kNan})));
  CHECK(std::isnan(one(ADJ_REDUCE_KIND_SUM, {kInf, -kInf})));
  CHECK(one(ADJ_REDUCE_KIND_L2, {1, -kInf}) == kInf);
}

TEST_CASE("reduce: nothing to reduce") {
  CHECK(one(ADJ_REDUCE_KIND_SUM, {}) == 0);
  CHECK(std::isnan(one(ADJ_REDUCE_KIND_MEAN, {})));
  CHECK(one(ADJ_REDUCE_KIND_L2, {}) == 0);
  CHECK(one(ADJ_REDUCE_KIND_PROD, {}) == 1);
  CHECK(one(ADJ_REDUCE_KIND_MAX, {}) == -kInf);
  CHECK(one(ADJ_REDUCE_KIND_MIN, {}) == kInf);
  CHECK(one(ADJ_REDUCE_KIND_LOGSUMEXP, {}) == -kInf);
  CHECK(reduce<float>(describe({2, 0}, {1}, ADJ_REDUCE_KIND_SUM, ADJ_F32), {}, {2, 1}) == std::vector<float>{0, 0});
  CHECK(reduce<float>(describe({0, 2}, {1}, ADJ_REDUCE_KIND_SUM, ADJ_F32), {}, {0, 1}).empty());
}

TEST_CASE("reduce: i32 is exact and wraps around") {
  const std::int32_t big = (1 << 24) + 1;
  auto d = describe({2, 3}, {1}, ADJ_REDUCE_KIND_SUM, ADJ_I32);
  CHECK(reduce<std::int32_t>(d, {big, 1, 1, 2147483647, 1, 0}, {2, 1}) == std::vector<std::int32_t>{big + 2, -2147483647 - 1});
  d.kind = ADJ_REDUCE_KIND_MIN;
  CHECK(reduce<std::int32_t>(d, {3, -5, 1, 7, 9, 8}, {2, 1}) == std::vector<std::int32_t>{-5, 7});
  d.kind = ADJ_REDUCE_KIND_MEAN;
  CHECK(select_status(d) == ADJ_ERROR_INVALID_PROBLEM);
}

TEST_CASE("reduce: 16-bit elements into f32") {
  auto d = describe({3}, {}, ADJ_REDUCE_KIND_SUM, ADJ_BF16);
  d.output = ADJ_F32;
  const std::vector<bf16> in{adj::to_bf16(256), adj::to_bf16(1), adj::to_bf16(1)};
  CHECK(reduce<bf16, float>(d, in, {1})[0] == 258);
  d.output = ADJ_F16;
  CHECK(select_status(d) == ADJ_ERROR_UNSUPPORTED);
}

namespace {

// Runs d with segments of its one axis; the results have the shape `shape`.
template <class I>
std::vector<double> segments(adj_reduce_descriptor d, std::vector<double> in, std::vector<I> offsets, std::vector<std::int64_t> shape,
                             std::int64_t* errors = nullptr) {
  d.segments = static_cast<std::int64_t>(offsets.size()) - 1;
  d.offset = adj::dtype_of<I>;
  std::int64_t n = 1;
  for (std::int64_t e : shape) n *= e;
  std::vector<double> out(static_cast<std::size_t>(n), 77);
  std::vector<std::int64_t> flag{100};
  adj_reduce_args a;
  a.input = support::tensor(in);
  a.output = support::tensor(out, shape);
  a.offsets = support::tensor(offsets);
  if (errors) a.error_flag = support::tensor(flag);
  auto ok = support::run(d, a);
  REQUIRE_MESSAGE(ok.ok(), (ok.ok() ? "" : ok.error().message));
  if (errors) *errors = flag[0];
  return out;
}

}  // namespace

TEST_CASE("reduce: segments of every kind, empty ones among them") {
  const std::vector<double> x{3, -4, 0.5, 2, 7, -1};
  const std::vector<std::int32_t> offsets{0, 2, 2, 5};
  auto of = [&](adj_reduce_kind kind) { return segments(describe({6}, {0}, kind, ADJ_F64), x, offsets, {3}); };
  CHECK(of(ADJ_REDUCE_KIND_SUM) == std::vector<double>{-1, 0, 9.5});
  CHECK(of(ADJ_REDUCE_KIND_SUM_SQUARE) == std::vector<double>{25, 0, 53.25});
  CHECK(of(ADJ_REDUCE_KIND_L2) == std::vector<double>{5, 0, std::sqrt(53.25)});
  CHECK(of(ADJ_REDUCE_KIND_MAX) == std::vector<double>{3, -kInf, 7});
  CHECK(of(ADJ_REDUCE_KIND_MIN) == std::vector<double>{-4, kInf, 0.5});
  CHECK(of(ADJ_REDUCE_KIND_PROD) == std::vector<double>{-12, 1, 7});
  const auto means = of(ADJ_REDUCE_KIND_MEAN), logs = of(ADJ_REDUCE_KIND_LOGSUMEXP);
  CHECK(means[0] == -0.5);
  CHECK(std::isnan(means[1]));
  CHECK(means[2] == Approx(9.5 / 3).epsilon(1e-15));
  CHECK(logs[0] == Approx(std::log(std::exp(3) + std::exp(-4))).epsilon(1e-15));
  CHECK(logs[1] == -kInf);
}

TEST_CASE("reduce: segments of an axis in the middle") {
  std::vector<double> x(2 * 3 * 2);
  for (std::size_t i = 0; i < x.size(); ++i) x[i] = static_cast<double>(i);
  const std::vector<std::int64_t> offsets{0, 1, 3};
  CHECK(segments(describe({2, 3, 2}, {-2}, ADJ_REDUCE_KIND_SUM, ADJ_F64), x, offsets, {2, 2, 2}) == std::vector<double>{0, 1, 6, 8, 6, 7, 18, 20});
}

TEST_CASE("reduce: segments with bad offsets are empty and counted") {
  const std::vector<double> x{1, 2, 3, 4};
  const auto d = describe({4}, {0}, ADJ_REDUCE_KIND_SUM, ADJ_F64);
  std::int64_t errors = 0;
  // Invalid segments: from -1, descending, to beyond the end, from beyond the end.
  CHECK(segments<std::int64_t>(d, x, {-1, 2, 1, 3, 5, 4, 4}, {6}, &errors) == std::vector<double>{0, 0, 5, 0, 0, 0});
  CHECK(errors == 104);
  CHECK(segments<std::int32_t>(d, x, {0, 3, 1, 4}, {3}, &errors) == std::vector<double>{6, 0, 9});
  CHECK(errors == 101);
  CHECK(segments<std::int32_t>(d, x, {2147483647, -2147483647 - 1, 4}, {2}, &errors) == std::vector<double>{0, 0});
  CHECK(errors == 102);
  CHECK(segments<std::int32_t>(d, x, {0}, {0}, &errors).empty());
  CHECK(errors == 100);
  CHECK(segments<std::int32_t>(describe({0}, {0}, ADJ_REDUCE_KIND_MAX, ADJ_F64), {}, {0, 0}, {1}) == std::vector<double>{-kInf});
}

TEST_CASE("reduce: segments that are refused") {
  auto refused = [](auto change, const char* named, adj_status status = ADJ_ERROR_INVALID_PROBLEM) {
    auto d = describe({2, 3}, {1}, ADJ_REDUCE_KIND_SUM, ADJ_F32);
    d.segments = 2;
    d.offset = ADJ_I32;
    REQUIRE(select_status(d) == ADJ_OK);
    change(d);
    std::string message;
    CHECK(select_status(d, &message) == status);
    CHECK_MESSAGE(message.find(named) != std::string::npos, message);
  };
  refused([](auto& d) { d.segments = -2; }, "segments = -2");
  refused([](auto& d) { d.segments = -1; }, "offset = ");
  refused([](auto& d) { d.segments = std::int64_t{1} << 60; }, "segments = ");
  refused(
      [](auto& d) {
        d.segments = std::int64_t{1} << 58;
        d.shape.dims[0] = 8;
      },
      "overflows");
  refused([](auto& d) { d.axes.count = 0; }, "axes.count = 0");
  refused([](auto& d) { d.axes = {2, {0, 1}}; }, "axes.count = 2");
  refused([](auto& d) { d.keepdims = 0; }, "keepdims");
  refused([](auto& d) { d.offset = {}; }, "offset = ");
  refused([](auto& d) { d.offset = ADJ_F32; }, "offset = ", ADJ_ERROR_UNSUPPORTED);
  // Arguments that only segments have.
  auto d = describe({2, 3}, {1}, ADJ_REDUCE_KIND_SUM, ADJ_F32);
  std::vector<float> in(6), out(4, 7);
  std::vector<std::int32_t> offsets{0, 1, 3};
  adj_reduce_args a;
  a.input = support::tensor(in);
  a.output = support::tensor(out, {2, 2});
  a.offsets = support::tensor(offsets);
  CHECK(!support::run(d, a).ok());
  d.segments = 2;
  d.offset = ADJ_I64;
  CHECK(support::run(d, a).error().code == ADJ_ERROR_DTYPE_MISMATCH);
  d.offset = ADJ_I32;
  a.offsets = {};
  CHECK(support::run(d, a).error().code == ADJ_ERROR_NULL_BUFFER);
  CHECK(out == std::vector<float>(4, 7));
  a.offsets = support::tensor(offsets);
  CHECK(support::run(d, a).ok());
}

TEST_CASE("reduce: refused input") {
  std::string message;
  auto d = describe({2, 3}, {2}, ADJ_REDUCE_KIND_SUM, ADJ_F32);
  CHECK(select_status(d, &message) == ADJ_ERROR_INVALID_PROBLEM);
  CHECK(message.find("axes") != std::string::npos);
  d.axes.at[0] = -3;
  CHECK(select_status(d) == ADJ_ERROR_INVALID_PROBLEM);
  d = describe({2, 3}, {1, -1}, ADJ_REDUCE_KIND_SUM, ADJ_F32);
  CHECK(select_status(d) == ADJ_ERROR_INVALID_PROBLEM);
  d = describe({2, -3}, {1}, ADJ_REDUCE_KIND_SUM, ADJ_F32);
  CHECK(select_status(d) != ADJ_OK);
  d = describe({std::int64_t{1} << 40, std::int64_t{1} << 40}, {1}, ADJ_REDUCE_KIND_SUM, ADJ_F32);
  CHECK(select_status(d) == ADJ_ERROR_INVALID_PROBLEM);
  d = describe({2, 3}, {1}, adj_reduce_kind{8}, ADJ_F32);
  CHECK(select_status(d) == ADJ_ERROR_INVALID_ARGUMENT);
  d.kind = {};
  d.keepdims = 2;
  CHECK(select_status(d) == ADJ_ERROR_INVALID_ARGUMENT);
  d.keepdims = 1;
  d.write_mode = adj_write_mode{3};
  CHECK(select_status(d, &message) == ADJ_ERROR_INVALID_ARGUMENT);
  CHECK(message.find("write_mode") != std::string::npos);
}

TEST_CASE("l2_norm: norms of tensors and of the list") {
  auto norm = [](std::vector<std::vector<double>> in, adj_dtype output, double* norms = nullptr, float* found = nullptr) {
    std::vector<std::int64_t> numel;
    std::vector<std::vector<float>> narrow;
    std::vector<void*> data;
    std::vector<std::uint64_t> bytes;
    for (const auto& t : in) narrow.emplace_back(t.begin(), t.end());
    for (auto& t : narrow) {
      numel.push_back(static_cast<std::int64_t>(t.size()));
      data.push_back(t.data());
      bytes.push_back(4 * t.size());
    }
    adj_l2_norm_descriptor d;
    d.count = static_cast<std::int64_t>(in.size());
    d.numel = numel.data();
    d.element = ADJ_F32;
    d.output = output;
    adj_l2_norm_args a;
    a.inputs = {d.count, ADJ_F32, 0, data.data(), bytes.data()};
    std::vector<float> out(1), own(in.size());
    std::vector<f16> out16(1);
    a.output = output == ADJ_F16 ? support::tensor(out16) : support::tensor(out);
    if (norms) a.norms = support::tensor(own);
    std::vector<float> flag(1, 7);
    if (found) a.found_inf = support::tensor(flag);
    auto ok = support::run(d, a);
    REQUIRE_MESSAGE(ok.ok(), (ok.ok() ? "" : ok.error().message));
    if (norms) std::copy(own.begin(), own.end(), norms);
    if (found) *found = flag[0];
    return output == ADJ_F16 ? adj::to_double(out16[0]) : static_cast<double>(out[0]);
  };
  double own[3];
  float found = 0;
  CHECK(norm({{3, 4}, {}, {12}}, ADJ_F32, own, &found) == 13);
  CHECK(own[0] == 5);
  CHECK(own[1] == 0);
  CHECK(own[2] == 12);
  CHECK(found == 0);
  CHECK(norm({}, ADJ_F32) == 0);
  CHECK(norm({std::vector<double>(10000, 10)}, ADJ_F16) == 1000);  // the sum of squares is no number of f16
  CHECK(norm({{3e30, 4e30}}, ADJ_F32) == Approx(5e30).epsilon(1e-6));
  CHECK(norm({{3e-30, 4e-30}}, ADJ_F32) == Approx(5e-30).epsilon(1e-6));
  CHECK(norm({{1, kInf}}, ADJ_F32, nullptr, &found) == kInf);
  CHECK(found == 1);
  CHECK(std::isnan(norm({{1, kInf}, {kNan}}, ADJ_F32, nullptr, &found)));
  CHECK(found == 1);
}

TEST_CASE("accumulated sums are added to what the output holds") {
  using support::run, support::tensor;
  std::vector<float> in{1, 2, 3, 4, 5, 6}, out{10, 20, 30};
  adj_reduce_descriptor d{.shape = {2, {2, 3}}, .axes = {1, {0}}, .write_mode = ADJ_WRITE_ACCUMULATE, .element = ADJ_F32};
  adj_reduce_args a;
  a.input = tensor(in);
  a.output = tensor(out);
  REQUIRE(run(d, a).ok());
  CHECK(out == std::vector<float>{15, 27, 39});
  d.write_mode = ADJ_WRITE_OVERWRITE;
  REQUIRE(run(d, a).ok());
  CHECK(out == std::vector<float>{5, 7, 9});
  d.write_mode = ADJ_WRITE_ACCUMULATE;
  std::string message;
  for (adj_reduce_kind kind : {ADJ_REDUCE_KIND_MEAN, ADJ_REDUCE_KIND_MAX}) {
    d.kind = kind;
    CHECK(select_status(d, &message) == ADJ_ERROR_INVALID_PROBLEM);
    CHECK(message.find("needs a sum of floating-point numbers without segments") != std::string::npos);
  }
  d.kind = ADJ_REDUCE_KIND_SUM;
  d.element = ADJ_I32;
  CHECK(select_status(d) == ADJ_ERROR_INVALID_PROBLEM);
}
