// Cases of resize and its gradient.
#include <cmath>
#include <limits>

#include <adjoint/ops/resize.h>

#include "harness/harness.hpp"

namespace harness {

namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();
constexpr double kNan = std::numeric_limits<double>::quiet_NaN();

// Settings of a case: spatial extents, with `n` images and `c` channels.
struct Setting {
  std::int64_t n = 1, c = 1;
  std::vector<std::int64_t> in, out;
  adj_resize_mode mode{};
  adj_resize_coordinates coordinates{};
  adj_resize_rounding rounding{};
  int channels_last = 0;
  std::vector<double> scales{};
  bool special = false;  // a NaN and an infinity in the source
  bool lone = false;     // the source is 0 but for one element, which has small weights

  std::string text() const {
    std::string t = fmt::format("{}x{} {} to {}", n, c, fmt::join(in, "x"), fmt::join(out, "x"));
    if (channels_last) t += " channels last";
    if (mode) t += fmt::format(", mode {}", mode);
    if (coordinates) t += fmt::format(", coordinates {}", coordinates);
    if (rounding) t += fmt::format(", rounding {}", rounding);
    if (!scales.empty()) t += fmt::format(", scales {}", fmt::join(scales, " "));
    if (special) t += ", NaN and infinity";
    if (lone) t += ", one element";
    return t;
  }
  adj_shape shape(const std::vector<std::int64_t>& spatial) const {
    adj_shape s{};
    s.dims[s.rank++] = n;
    if (!channels_last) s.dims[s.rank++] = c;
    for (std::int64_t e : spatial) s.dims[s.rank++] = e;
    if (channels_last) s.dims[s.rank++] = c;
    return s;
  }
};

template <class Descriptor>
Case make_case(const Setting& s, const adj::Signature& signature, std::uint64_t seed, const char* source, std::size_t target) {
  Rng rng(seed);
  const Descriptor d{.input = s.shape(s.in),
                     .out = s.shape(s.out),
                     .num_scales = static_cast<std::int64_t>(s.scales.size()),
                     .scales = s.scales.empty() ? nullptr : s.scales.data(),
                     .mode = s.mode,
                     .coordinates = s.coordinates,
                     .rounding = s.rounding,
                     .channels_last = s.channels_last,
                     .element = signature[0]};
  auto problem = std::make_shared<Problem>(Problem::of(d));
  Data& data = problem->tensor(source);
  fill_normal(data, rng);
  if (s.lone) {
    fill_constant(data, 0);
    data.set(target == 1 && data.numel() > 2 ? data.numel() - 2 : 0, 1.375);
  }
  if (s.special && data.numel() > 8) {
    data.set(data.numel() / 2, kNan);
    data.set(3, kInfinity);
  }
  return {s.text(), std::move(problem), [source, target](const Problem& p, const std::string&) {
            const Outputs m = run_on_magnitudes(p, {source});
            std::vector<double> result;
            const Data& sums = m.arguments[target].at(0);
            // 1 % more, since the magnitudes themselves are rounded to the output's type.
            for (std::int64_t i = 0; i < sums.numel(); ++i) result.push_back(1.01 * sums.get(i));
            return std::vector<std::vector<double>>{result};
          }};
}

template <class Descriptor>
std::vector<Case> cases(const adj::Signature& signature, Level level, std::uint64_t seed, const char* source, std::size_t target) {
  std::vector<Setting> settings{
      {.n = 0, .c = 2, .in = {3}, .out = {4}},
      {.n = 2, .c = 2, .in = {0, 3}, .out = {0, 4}},
      {.n = 2, .c = 3, .in = {3, 3}, .out = {3, 0}},
      {.in = {1}, .out = {1}},
      {.n = 2, .c = 3, .in = {5, 7}, .out = {5, 7}},
      {.n = 2, .c = 3, .in = {8, 16}, .out = {16, 32}},
      {.n = 2, .c = 8, .in = {8, 11}, .out = {16, 22}, .channels_last = 1},
      {.n = 1, .c = 5, .in = {7, 6}, .out = {14, 12}, .channels_last = 1},
      {.n = 1, .c = 2, .in = {3, 160}, .out = {6, 320}},
      {.n = 1, .c = 2, .in = {20, 100}, .out = {9, 64}},
      {.n = 1, .c = 3, .in = {5, 24}, .out = {15, 72}, .coordinates = ADJ_RESIZE_COORDINATES_ASYMMETRIC},
      {.n = 1, .c = 2, .in = {4, 3, 16}, .out = {8, 6, 32}},
      {.n = 1, .c = 67, .in = {3, 4}, .out = {7, 9}, .channels_last = 1},
      {.n = 1, .c = 80, .in = {3, 9}, .out = {5, 21}, .channels_last = 1},
      {.n = 2, .c = 3, .in = {2, 3, 4}, .out = {5, 4, 7}},
      {.n = 1, .c = 8, .in = {4, 3, 2}, .out = {2, 5, 3}, .channels_last = 1},
      {.n = 3, .c = 2, .in = {33}, .out = {7}},
      {.in = {2}, .out = {4001}, .coordinates = ADJ_RESIZE_COORDINATES_ALIGN_CORNERS, .lone = true},
      {.in = {1, 1}, .out = {40, 61}},
      {.c = 8, .in = {1, 2}, .out = {30, 41}, .channels_last = 1},
      {.in = {2, 3}, .out = {3, 2900}},
      {.in = {40, 61}, .out = {1, 1}},
      {.in = {40, 61}, .out = {1, 1}, .coordinates = ADJ_RESIZE_COORDINATES_PYTORCH_HALF_PIXEL},
      {.n = 2, .c = 2, .in = {6, 10}, .out = {9, 17}, .scales = {1.7, 1.7}},
      {.n = 2, .c = 2, .in = {6, 10}, .out = {9, 17}, .coordinates = ADJ_RESIZE_COORDINATES_ASYMMETRIC, .scales = {1.5, 0.3}},
      {.n = 2, .c = 2, .in = {6, 10}, .out = {9, 17}, .coordinates = ADJ_RESIZE_COORDINATES_PYTORCH_HALF_PIXEL, .scales = {1e300, 1e-300}},
      {.n = 2, .c = 2, .in = {6, 10}, .out = {6, 10}, .scales = {1.7, 0.2}},
      {.n = 2, .c = 2, .in = {6, 16}, .out = {12, 32}, .special = true},
      {.n = 3, .c = 5, .in = {19, 24}, .out = {38, 48}},
      {.n = 1, .c = 3, .in = {1, 300}, .out = {2, 600}, .coordinates = ADJ_RESIZE_COORDINATES_PYTORCH_HALF_PIXEL},
      {.n = 2, .c = 24, .in = {17, 5}, .out = {34, 10}, .channels_last = 1},
      {.n = 1, .c = 8, .in = {3, 1}, .out = {6, 2}, .channels_last = 1, .scales = {2, 2}, .special = true},
      {.n = 2, .c = 2, .in = {8, 16}, .out = {16, 32}, .coordinates = ADJ_RESIZE_COORDINATES_ASYMMETRIC},
      {.n = 2, .c = 8, .in = {6, 9}, .out = {12, 17}, .coordinates = ADJ_RESIZE_COORDINATES_ALIGN_CORNERS, .channels_last = 1, .special = true},
      // Elements of the input that no result reads: depths, neighbouring rows, places.
      {.c = 8, .in = {5, 9, 5}, .out = {2, 2, 2}, .channels_last = 1},
      // Weights that f32 rounds to 0.
      {.c = 8, .in = {2, 3, 2}, .out = {3, 4, 6}, .coordinates = ADJ_RESIZE_COORDINATES_ASYMMETRIC, .channels_last = 1, .scales = {1e300, 1e300, 1e300}},
      {.in = {2, 3, 2}, .out = {3, 4, 6}, .coordinates = ADJ_RESIZE_COORDINATES_ASYMMETRIC, .scales = {1e300, 1e300, 1e300}},
      // Many taps, for some channels more than a warp has lanes, for some fewer; for more places than a warp has lanes, with sources that fit into
      // its shared memory and with more.
      {.c = 3, .in = {2, 2}, .out = {17, 9}, .channels_last = 1},
      {.c = 35, .in = {2, 2}, .out = {17, 9}, .channels_last = 1},
      {.in = {1, 40}, .out = {16, 45}},
      {.in = {200}, .out = {4000}, .coordinates = ADJ_RESIZE_COORDINATES_ASYMMETRIC, .scales = {80}},
  };
  for (adj_resize_coordinates c : {ADJ_RESIZE_COORDINATES_ALIGN_CORNERS, ADJ_RESIZE_COORDINATES_ASYMMETRIC, ADJ_RESIZE_COORDINATES_PYTORCH_HALF_PIXEL})
    settings.push_back({.n = 2, .c = 2, .in = {9, 4}, .out = {6, 9}, .coordinates = c});
  for (adj_resize_coordinates c : {ADJ_RESIZE_COORDINATES_HALF_PIXEL, ADJ_RESIZE_COORDINATES_ASYMMETRIC})
    for (adj_resize_rounding r :
         {ADJ_RESIZE_ROUNDING_ROUND_PREFER_FLOOR, ADJ_RESIZE_ROUNDING_ROUND_PREFER_CEIL, ADJ_RESIZE_ROUNDING_FLOOR, ADJ_RESIZE_ROUNDING_CEIL})
      settings.push_back({.n = 2, .c = 2, .in = {9, 4}, .out = {6, 9}, .mode = ADJ_RESIZE_MODE_NEAREST, .coordinates = c, .rounding = r});
  settings.push_back({.n = 1,
                      .c = 2,
                      .in = {9, 4},
                      .out = {6, 9},
                      .mode = ADJ_RESIZE_MODE_NEAREST,
                      .rounding = ADJ_RESIZE_ROUNDING_CEIL,
                      .scales = {0.7, 2.3},
                      .special = true});
  // Nearest, to rows of whole vectors and to rows that begin anywhere.
  for (auto [in, out] : std::vector<std::pair<std::vector<std::int64_t>, std::vector<std::int64_t>>>{{{5, 16}, {10, 32}},
                                                                                                     {{7, 9}, {20, 24}},
                                                                                                     {{20, 100}, {9, 64}},
                                                                                                     {{6, 5}, {13, 43}},
                                                                                                     {{3, 4, 3}, {5, 3, 16}},
                                                                                                     {{3, 5}, {31, 56}},
                                                                                                     {{2, 900}, {3, 704}}})
    settings.push_back({.n = 2, .c = 3, .in = in, .out = out, .mode = ADJ_RESIZE_MODE_NEAREST});
  settings.push_back({.n = 1, .c = 9, .in = {4, 5}, .out = {8, 16}, .mode = ADJ_RESIZE_MODE_NEAREST, .special = true});
  settings.push_back({.n = 1, .c = 8, .in = {4, 5}, .out = {7, 10}, .mode = ADJ_RESIZE_MODE_NEAREST, .channels_last = 1});
  // Nearest by whole factors.
  for (auto [in, out] : std::vector<std::pair<std::vector<std::int64_t>, std::vector<std::int64_t>>>{
           {{5, 8}, {15, 32}}, {{3, 16}, {6, 16}}, {{1, 24}, {7, 48}}, {{7, 8}, {7, 24}}, {{9, 16}, {144, 32}}, {{3, 2, 8}, {6, 6, 16}}})
    for (bool asymmetric : {false, true})
      settings.push_back({.n = 2,
                          .c = 3,
                          .in = in,
                          .out = out,
                          .mode = ADJ_RESIZE_MODE_NEAREST,
                          .coordinates = asymmetric ? ADJ_RESIZE_COORDINATES_ASYMMETRIC : ADJ_RESIZE_COORDINATES_HALF_PIXEL,
                          .rounding = asymmetric ? ADJ_RESIZE_ROUNDING_FLOOR : ADJ_RESIZE_ROUNDING_ROUND_PREFER_CEIL,
                          .special = asymmetric});
  for (adj_resize_rounding r : {ADJ_RESIZE_ROUNDING_FLOOR, ADJ_RESIZE_ROUNDING_CEIL})
    settings.push_back({.n = 2, .c = 3, .in = {5, 8}, .out = {10, 16}, .mode = ADJ_RESIZE_MODE_NEAREST, .rounding = r});
  settings.push_back({.n = 2, .c = 8, .in = {2, 3, 5}, .out = {4, 9, 10}, .mode = ADJ_RESIZE_MODE_NEAREST, .channels_last = 1});
  // Linear, with many taps, and with rows that several blocks share.
  for (auto [in, out] : std::vector<std::pair<std::vector<std::int64_t>, std::vector<std::int64_t>>>{
           {{7, 9}, {35, 45}}, {{9, 5}, {50, 29}}, {{3, 7}, {24, 59}}, {{2, 900}, {3, 701}}, {{40, 3}, {77, 8}}, {{2, 5, 6}, {5, 11, 16}}})
    settings.push_back({.n = 2, .c = 3, .in = in, .out = out});
  if (level == Level::full) {
    settings.push_back({.n = 4, .c = 64, .in = {56, 56}, .out = {112, 112}});
    settings.push_back({.n = 4, .c = 64, .in = {56, 56}, .out = {112, 112}, .channels_last = 1});
    settings.push_back({.n = 2, .c = 96, .in = {31, 33}, .out = {250, 263}, .channels_last = 1});
    settings.push_back({.n = 2, .c = 3, .in = {600, 401}, .out = {224, 224}});
    settings.push_back({.n = 2, .c = 3, .in = {224, 224}, .out = {601, 400}, .mode = ADJ_RESIZE_MODE_NEAREST});
    settings.push_back({.n = 1, .c = 16, .in = {16, 24, 24}, .out = {32, 48, 47}});
    settings.push_back({.n = 8, .c = 200, .in = {20, 40}, .out = {41, 80}});  // warps with several groups of rows
    settings.push_back({.n = 2, .c = 2, .in = {100'000}, .out = {300'001}});
    settings.push_back({.in = {3}, .out = {1'000'003}});
  }
  std::vector<Case> result;
  for (const Setting& s : settings) result.push_back(make_case<Descriptor>(s, signature, ++seed, source, target));
  return result;
}

}  // namespace

std::vector<Case> resize_forward_cases(const adj::Signature& signature, Level level, std::uint64_t seed) {
  return cases<adj_resize_forward_descriptor>(signature, level, seed, "input", 1);
}
std::vector<Case> resize_backward_cases(const adj::Signature& signature, Level level, std::uint64_t seed) {
  return cases<adj_resize_backward_descriptor>(signature, level, seed, "dout", 1);
}

}  // namespace harness
