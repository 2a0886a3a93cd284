// Resize and its gradient on the host stream: published vectors, values by hand, the adjoint identity, and the rules of the contract.
#include <cmath>
#include <limits>
#include <numeric>
#include <string>
#include <vector>

#include <adjoint/ops/resize.h>
#include <doctest/doctest.h>

#include "support.hpp"

namespace {

using namespace support;

constexpr double kNan = std::numeric_limits<double>::quiet_NaN();

adj_shape shape(std::vector<std::int64_t> dims) {
  adj_shape s{};
  for (std::int64_t n : dims) s.dims[s.rank++] = n;
  return s;
}
std::int64_t volume(const adj_shape& s) { return std::accumulate(s.dims, s.dims + s.rank, std::int64_t{1}, std::multiplies<>()); }

struct Problem {
  adj_shape input, out;
  adj_resize_mode mode{};
  adj_resize_coordinates coordinates{};
  adj_resize_rounding rounding{};
  std::vector<double> scales{};
  int channels_last = 0;
};
template <class Descriptor>
Descriptor descriptor(const Problem& p, adj_dtype element) {
  return {.input = p.input,
          .out = p.out,
          .num_scales = static_cast<std::int64_t>(p.scales.size()),
          .scales = p.scales.data(),
          .mode = p.mode,
          .coordinates = p.coordinates,
          .rounding = p.rounding,
          .channels_last = p.channels_last,
          .element = element};
}
template <class T = double>
std::vector<T> forward(const Problem& p, std::vector<T> input) {
  std::vector<T> out(static_cast<std::size_t>(volume(p.out)));
  adj_resize_forward_args a;
  a.input = tensor(input);
  a.out = tensor(out);
  auto ok = run(descriptor<adj_resize_forward_descriptor>(p, adj::dtype_of<T>), a);
  REQUIRE_MESSAGE(ok.ok(), (ok ? std::string() : ok.error().message));
  return out;
}
template <class T = double>
std::vector<T> gradient(const Problem& p, std::vector<T> dout) {
  std::vector<T> dinput(static_cast<std::size_t>(volume(p.input)), T(7));
  adj_resize_backward_args a;
  a.dout = tensor(dout);
  a.dinput = tensor(dinput);
  auto ok = run(descriptor<adj_resize_backward_descriptor>(p, adj::dtype_of<T>), a);
  REQUIRE_MESSAGE(ok.ok(), (ok ? std::string() : ok.error().message));
  return dinput;
}
void check_near(const std::vector<double>& got, const std::vector<double>& expected, double tolerance) {
  REQUIRE(got.size() == expected.size());
  for (std::size_t i = 0; i < got.size(); ++i) {
    INFO(i, ": ", got[i], " expected ", expected[i]);
    CHECK(std::fabs(got[i] - expected[i]) <= tolerance);
  }
}
std::vector<double> upwards(std::int64_t count) {
  std::vector<double> v(static_cast<std::size_t>(count));
  std::iota(v.begin(), v.end(), 0);
  return v;
}

}  // namespace

TEST_CASE("resize gradients of the contract") {
  const Problem half{shape({1, 1, 2, 2}), shape({1, 1, 4, 4})};
  check_near(gradient(half, upwards(16)), {12.5, 19.5, 40.5, 47.5}, 0);
  Problem corners = half;
  corners.coordinates = ADJ_RESIZE_COORDINATES_ALIGN_CORNERS;
  check_near(gradient(corners, upwards(16)), {40.0 / 3, 20, 40, 140.0 / 3}, 1e-13);

  // Published by the reference: ones of 8 x 8 to 4 x 4, and ones of 6 x 6 with aligned corners and scales other than 6 / 4.
  check_near(gradient({shape({1, 2, 4, 4}), shape({1, 2, 8, 8})}, std::vector<double>(128, 1)), std::vector<double>(32, 4), 0);
  const std::vector<double> plane{1.96, 2.24, 2.24, 1.96, 2.24, 2.56, 2.56, 2.24, 2.24, 2.56, 2.56, 2.24, 1.96, 2.24, 2.24, 1.96};
  std::vector<double> both = plane;
  both.insert(both.end(), plane.begin(), plane.end());
  check_near(gradient({shape({1, 2, 4, 4}), shape({1, 2, 6, 6}), {}, ADJ_RESIZE_COORDINATES_ALIGN_CORNERS, {}, {1.7, 1.7}}, std::vector<double>(72, 1)), both,
             1e-12);
}

TEST_CASE("resize forward by hand") {
  // ONNX's examples of nearest and linear.
  check_near(forward({shape({1, 1, 4}), shape({1, 1, 2}), ADJ_RESIZE_MODE_NEAREST}, {1, 2, 3, 4}), {1, 3}, 0);  // 0.5 and 2.5, halves down
  check_near(forward({shape({1, 1, 4}), shape({1, 1, 2}), ADJ_RESIZE_MODE_NEAREST, {}, ADJ_RESIZE_ROUNDING_ROUND_PREFER_CEIL}, {1, 2, 3, 4}), {2, 4}, 0);
  check_near(forward({shape({1, 1, 4}), shape({1, 1, 2}), ADJ_RESIZE_MODE_NEAREST, {}, ADJ_RESIZE_ROUNDING_FLOOR}, {1, 2, 3, 4}), {1, 3}, 0);
  check_near(forward({shape({1, 1, 4}), shape({1, 1, 2}), ADJ_RESIZE_MODE_NEAREST, {}, ADJ_RESIZE_ROUNDING_CEIL}, {1, 2, 3, 4}), {2, 4}, 0);
  check_near(forward({shape({1, 1, 2, 2}), shape({1, 1, 4, 4})}, {1, 2, 3, 4}),
             {1, 1.25, 1.75, 2, 1.5, 1.75, 2.25, 2.5, 2.5, 2.75, 3.25, 3.5, 3, 3.25, 3.75, 4}, 0);
  check_near(forward({shape({1, 1, 2, 2}), shape({1, 1, 3, 3}), {}, ADJ_RESIZE_COORDINATES_ALIGN_CORNERS}, {1, 2, 3, 4}), {1, 1.5, 2, 2, 2.5, 3, 3, 3.5, 4}, 0);
  check_near(forward({shape({1, 1, 3}), shape({1, 1, 6}), {}, ADJ_RESIZE_COORDINATES_ASYMMETRIC}, {0, 2, 4}), {0, 1, 2, 3, 4, 4}, 0);
  check_near(forward({shape({1, 1, 4}), shape({1, 1, 1}), {}, ADJ_RESIZE_COORDINATES_PYTORCH_HALF_PIXEL}, {5, 2, 3, 4}), {5}, 0);
  check_near(forward({shape({1, 1, 4}), shape({1, 1, 1})}, {5, 2, 3, 4}), {2.5}, 0);
  // A scale other than out / in: coordinates 0 and 1 / 0.8, evaluated in f64.
  check_near(forward({shape({1, 1, 4}), shape({1, 1, 2}), {}, ADJ_RESIZE_COORDINATES_ASYMMETRIC, {}, {0.8}}, {0, 1, 2, 3}), {0, 1.25}, 1e-15);
  // Equal shapes: a copy, for any scales.
  CHECK(forward({shape({1, 1, 3}), shape({1, 1, 3}), {}, {}, {}, {1.7}}, {1, 2, 3}) == std::vector<double>{1, 2, 3});
}

TEST_CASE("resize rounds a coordinate that follows from a scale once") {
  // Where the fused form differs from a product and a difference, the weight of the next element says which was taken.
  int differ = 0;
  for (double scale : {1.7, 2.3, 0.7}) {
    const std::int64_t in = 40, out = 30;
    std::vector<double> ramp = upwards(in);
    const auto got = forward({shape({1, 1, in}), shape({1, 1, out}), {}, {}, {}, {scale}}, ramp);
    const double q = 1 / scale;
    for (std::int64_t o = 0; o < out; ++o) {
      const volatile double product = (static_cast<double>(o) + 0.5) * q;
      const double fused = std::fma(static_cast<double>(o) + 0.5, q, -0.5), apart = product - 0.5;
      if (fused <= 0 || fused >= static_cast<double>(in - 1) || fused == apart) continue;
      ++differ;
      const double cell = std::floor(fused), rest = fused - cell;
      CHECK(got[static_cast<std::size_t>(o)] == cell * (1 - rest) + (cell + 1) * rest);
    }
    // A one at the element after the coordinate has the weight itself.
    const std::int64_t o = 7;
    const double at = std::fma(static_cast<double>(o) + 0.5, q, -0.5);
    std::vector<double> one(static_cast<std::size_t>(in), 0);
    one[static_cast<std::size_t>(std::floor(at)) + 1] = 1;
    CHECK(forward({shape({1, 1, in}), shape({1, 1, out}), {}, {}, {}, {scale}}, one)[7] == at - std::floor(at));
  }
  CHECK(differ > 0);
}

TEST_CASE("resize gradients of an empty result are zero, and take no memory for its other dimensions") {
  CHECK(gradient({shape({1, 1, 2, 3}), shape({1, 1, std::int64_t{1} << 29, 0})}, {}) == std::vector<double>(6, 0));
}

TEST_CASE("resize and its gradient are adjoint in every mode and layout") {
  for (adj_resize_mode mode : {ADJ_RESIZE_MODE_LINEAR, ADJ_RESIZE_MODE_NEAREST})
    for (adj_resize_coordinates c : values(adj_resize_coordinates{}, ADJ_RESIZE_COORDINATES_PYTORCH_HALF_PIXEL))
      for (adj_resize_rounding r : values(adj_resize_rounding{}, mode == ADJ_RESIZE_MODE_NEAREST ? ADJ_RESIZE_ROUNDING_CEIL : adj_resize_rounding{}))
        for (int last : {0, 1})
          for (bool scaled : {false, true})
            for (auto [in, out] : {std::pair{std::vector<std::int64_t>{5}, std::vector<std::int64_t>{11}}, {{4, 7}, {6, 3}}, {{2, 3, 5}, {3, 1, 4}}}) {
              Problem p{{}, {}, mode, c, r, std::vector<double>(scaled ? in.size() : 0, 1.3), last};
              for (auto [s, spatial] : {std::pair{&p.input, &in}, {&p.out, &out}}) {
                std::vector<std::int64_t> dims = *spatial;
                dims.insert(last ? dims.end() : dims.begin(), 3);
                dims.insert(dims.begin(), 2);
                *s = shape(dims);
              }
              const auto v = wave(volume(p.input), 0.4), u = wave(volume(p.out), 1.7);
              const auto jv = forward(p, v), ju = gradient(p, u);
              const double a = std::inner_product(jv.begin(), jv.end(), u.begin(), 0.0);
              const double b = std::inner_product(ju.begin(), ju.end(), v.begin(), 0.0);
              CHECK(std::fabs(a - b) < 1e-12 * (1 + std::fabs(a)));
              // Weights add up to 1: a constant stays, and the gradient has the same sum as dout.
              for (double one : forward(p, std::vector<double>(v.size(), 1))) CHECK(std::fabs(one - 1) < 1e-15);
            }
}

TEST_CASE("resize layouts hold the same numbers") {
  const Problem first{shape({2, 3, 4, 5}), shape({2, 3, 7, 4})};
  Problem last{shape({2, 4, 5, 3}), shape({2, 7, 4, 3})};
  last.channels_last = 1;
  const auto x = wave(120, 0.2);
  std::vector<double> moved(120);
  for (std::size_t n = 0; n < 2; ++n)
    for (std::size_t c = 0; c < 3; ++c)
      for (std::size_t s = 0; s < 20; ++s) moved[(n * 20 + s) * 3 + c] = x[(n * 3 + c) * 20 + s];
  const auto a = forward(first, x), b = forward(last, moved);
  for (std::size_t n = 0; n < 2; ++n)
    for (std::size_t c = 0; c < 3; ++c)
      for (std::size_t s = 0; s < 28; ++s) CHECK(b[(n * 28 + s) * 3 + c] == a[(n * 3 + c) * 28 + s]);
}

TEST_CASE("resize rounds a small weight once") {
  const Problem p{shape({1, 1, 2}), shape({1, 1, 4001}), {}, ADJ_RESIZE_COORDINATES_ALIGN_CORNERS};
  const auto y = forward(p, {1.0, 0.0});
  for (std::size_t o = 0; o <= 4000; ++o) CHECK(y[o] == static_cast<double>(4000 - o) / 4000);
  std::vector<double> dout(4001);
  dout[3999] = 1;
  CHECK(gradient(p, dout) == std::vector<double>{1.0 / 4000, 3999.0 / 4000});
}

TEST_CASE("resize sees no element of weight 0") {
  // Cells 0 and 2 of asymmetric 2x are hit exactly; the NaN beside them has weight 0 there.
  const auto y = forward({shape({1, 1, 2}), shape({1, 1, 4}), {}, ADJ_RESIZE_COORDINATES_ASYMMETRIC}, {1, kNan});
  CHECK(y[0] == 1);
  CHECK(std::isnan(y[1]));
  const auto g = gradient({shape({1, 1, 2}), shape({1, 1, 4}), {}, ADJ_RESIZE_COORDINATES_ASYMMETRIC}, {kNan, 0, 0, 3});
  CHECK(std::isnan(g[0]));
  CHECK(g[1] == 3);
  // Elements without any weight are written, with zeros.
  CHECK(gradient({shape({1, 1, 4}), shape({1, 1, 1}), ADJ_RESIZE_MODE_NEAREST}, {5.0}) == std::vector<double>{0, 5, 0, 0});
  CHECK(gradient({shape({1, 1, 3}), shape({1, 1, 0})}, std::vector<double>{}) == std::vector<double>{0, 0, 0});
}

TEST_CASE("resize refuses what contradicts itself") {
  auto message = [](const Problem& p) {
    std::string text;
    CHECK(select_status(descriptor<adj_resize_backward_descriptor>(p, ADJ_F32), &text) == ADJ_ERROR_INVALID_PROBLEM);
    return text;
  };
  CHECK(message({shape({1, 2}), shape({1, 2})}).find("input.rank = 2, expected 3 to 5") != std::string::npos);
  CHECK(message({shape({1, 2, 3}), shape({1, 2, 3, 4})}).find("out.rank = 4 differs from input.rank = 3") != std::string::npos);
  CHECK(message({shape({1, 2, 3}), shape({1, 3, 3})}).find("the number of channels is not resized") != std::string::npos);
  CHECK(message({shape({1, 2, 0}), shape({1, 2, 3})}).find("input.dims[2] = 0 has no element") != std::string::npos);
  CHECK(message({shape({1, 2, 3}), shape({1, 2, 6}), {}, {}, {}, {2, 2}}).find("num_scales = 2") != std::string::npos);
  CHECK(message({shape({1, 2, 3}), shape({1, 2, 6}), {}, {}, {}, {-2}}).find("scales[0] = -2") != std::string::npos);
  CHECK(message({shape({1, 2, 3}), shape({1, 2, 6}), {}, {}, {}, {kNan}}).find("scales[0] = nan") != std::string::npos);
  CHECK(message({shape({1, 2, 3}), shape({1, 2, 6}), {}, {}, ADJ_RESIZE_ROUNDING_CEIL}).find("rounding = 4 is set, which needs mode == nearest") !=
        std::string::npos);
  CHECK(message({shape({1, 1, std::int64_t{1} << 30}), shape({1, 1, 6})}).find("above the limit") != std::string::npos);
  std::string text;
  CHECK(select_status(descriptor<adj_resize_backward_descriptor>({shape({1, 1, 2}), shape({1, 1, 6}), adj_resize_mode{3}}, ADJ_F32), &text) ==
        ADJ_ERROR_INVALID_ARGUMENT);
}
