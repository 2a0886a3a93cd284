// Cases of convolutions and their gradients, and what their errors are measured against.
#include <algorithm>
#include <cmath>
#include <limits>
#include <stdexcept>

#include <adjoint/ops/conv.h>

#include "harness/random.hpp"

namespace harness {

namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();
constexpr double kNan = std::numeric_limits<double>::quiet_NaN();

// Settings of a case: a convolution from `big` to small (kernels/conv/README.md), whatever the direction of the operator.
struct Setting {
  std::int64_t n = 1, big_channels = 1, small_channels = 1;
  std::vector<std::int64_t> big, taps;
  std::vector<std::int64_t> strides{}, pads{}, dilations{};
  std::int64_t groups = 1;
  int channels_last = 0;
  int dinput = 1, dweight = 1, dbias = 0, accumulate = 0;  // dbias: in the forward direction a bias
  bool special = false;                                     // a NaN and an infinity in dout; in the forward direction in the input

  std::string text() const {
    std::string t = fmt::format("{}x{}x{} by {}x{}", n, big_channels, fmt::join(big, "x"), small_channels, fmt::join(taps, "x"));
    if (!strides.empty()) t += fmt::format(", strides {}", fmt::join(strides, " "));
    if (!pads.empty()) t += fmt::format(", pads {}", fmt::join(pads, " "));
    if (!dilations.empty()) t += fmt::format(", dilations {}", fmt::join(dilations, " "));
    if (groups != 1) t += fmt::format(", {} groups", groups);
    if (channels_last) t += ", channels last";
    if (!dinput) t += ", no dinput";
    if (!dweight) t += ", no dweight";
    if (dbias) t += ", bias";
    if (accumulate) t += ", accumulate";
    if (special) t += ", NaN and infinity";
    return t;
  }
  adj_shape shape(std::int64_t outer, std::int64_t channels, const std::vector<std::int64_t>& spatial) const {
    adj_shape s{};
    s.dims[s.rank++] = outer;
    if (!channels_last) s.dims[s.rank++] = channels;
    for (std::int64_t e : spatial) s.dims[s.rank++] = e;
    if (channels_last) s.dims[s.rank++] = channels;
    return s;
  }
  std::vector<std::int64_t> small() const {
    std::vector<std::int64_t> result;
    for (std::size_t i = 0; i < big.size(); ++i) {
      auto of = [&](const std::vector<std::int64_t>& list, std::size_t at, std::int64_t otherwise) { return list.empty() ? otherwise : list[at]; };
      const std::int64_t padded = big[i] + of(pads, i, 0) + of(pads, i + big.size(), 0);
      result.push_back((padded - of(dilations, i, 1) * (taps[i] - 1) - 1) / of(strides, i, 1) + 1);
    }
    return result;
  }
};

adj_axes axes(const std::vector<std::int64_t>& list) {
  adj_axes a{};
  for (std::int64_t v : list) a.at[a.count++] = v;
  return a;
}

// Outputs of the problem with all inputs replaced by their magnitudes.
std::vector<std::vector<double>> magnitudes(const Problem& problem, const std::string& output) {
  Problem positive = problem;
  for (auto& argument : positive.contents())
    for (Data& d : argument.data)
      for (std::int64_t i = 0; i < d.numel(); ++i) d.set(i, std::fabs(d.get(i)));
  auto outputs = run_reference(positive);
  if (!outputs) throw std::logic_error("harness: " + outputs.error().message);
  const Data& sums = outputs->arguments[positive.argument(output.c_str())].at(0);
  std::vector<double> result;
  for (std::int64_t i = 0; i < sums.numel(); ++i) result.push_back(1.01 * sums.get(i));
  return {result};
}

template <class Descriptor, bool transposed, bool backward>
Case make_case(const Setting& s, const adj::Signature& signature, std::uint64_t seed) {
  Rng rng(seed);
  Descriptor d;
  const adj_shape big = s.shape(s.n, s.big_channels, s.big), small = s.shape(s.n, s.small_channels, s.small());
  d.input = transposed ? small : big;
  d.out = transposed ? big : small;
  d.weight = s.shape(s.small_channels, s.big_channels / s.groups, s.taps);
  d.strides = axes(s.strides);
  d.pads = axes(s.pads);
  d.dilations = axes(s.dilations);
  d.groups = s.groups;
  d.element = signature[0];
  d.channels_last = s.channels_last;
  if constexpr (backward) {
    d.has_dinput = s.dinput;
    d.has_dweight = s.dweight;
    d.has_dbias = s.dbias;
    d.write_mode = s.accumulate ? ADJ_WRITE_ACCUMULATE : ADJ_WRITE_DEFAULT;
  } else {
    d.has_bias = s.dbias;
  }
  auto problem = std::make_shared<Problem>(Problem::of(d));
  for (auto& argument : problem->contents())
    for (Data& data : argument.data) fill_normal(data, rng);
  Data& source = problem->tensor(backward ? "dout" : "input");
  if (s.special && source.numel() > 8) {
    source.set(source.numel() / 2, kNan);
    source.set(3, kInfinity);
  }
  return {s.text(), std::move(problem), magnitudes};
}

// All options together.
Setting drawn(std::uint64_t seed) {
  constexpr std::int64_t kMostProducts = std::int64_t{1} << 23;
  Draw draw(seed);
  for (;;) {
    Setting s;
    const std::int64_t dims = draw.of<std::int64_t>({1, 2, 2, 3}), unit = draw.of<std::int64_t>({1, 8});
    s.n = draw.between(1, 4);
    s.big_channels = unit * draw.between(1, 20);
    s.small_channels = unit * draw.between(1, 20);
    if (draw.one_in(3)) {
      s.groups = draw.divisor(s.big_channels);
      s.small_channels = s.groups * draw.between(1, 8);
    }
    const bool strides = draw.one_in(2), pads = draw.one_in(2), dilations = draw.one_in(2), unequal = draw.one_in(3);
    std::vector<std::int64_t> after;
    for (std::int64_t i = 0; i < dims; ++i) {
      s.big.push_back(draw.between(1, dims == 1 ? 300 : dims == 2 ? 30 : 10));
      s.taps.push_back(draw.between(1, 4));
      if (strides) s.strides.push_back(draw.between(1, 4));
      if (dilations) s.dilations.push_back(draw.between(1, 3));
      if (pads) s.pads.push_back(draw.between(0, s.taps.back() - 1));
      if (pads) after.push_back(unequal ? draw.between(0, s.taps.back() - 1) : s.pads.back());
    }
    s.pads.insert(s.pads.end(), after.begin(), after.end());
    s.channels_last = draw.one_in(2);
    s.dbias = draw.one_in(2);
    s.dinput = !draw.one_in(4);
    s.dweight = !s.dinput || !draw.one_in(4);
    s.accumulate = draw.one_in(3) && (s.dweight || s.dbias);
    std::int64_t products = s.n * s.small_channels * s.big_channels / s.groups;
    bool fits = true;
    for (std::int64_t i = 0; const std::int64_t extent : s.small()) {
      const auto at = static_cast<std::size_t>(i++);
      fits &= extent > 0 && s.big[at] + (pads ? s.pads[at] + after[at] : 0) >= (dilations ? s.dilations[at] : 1) * (s.taps[at] - 1) + 1;
      products *= extent * s.taps[at];
    }
    if (fits && products <= kMostProducts) return s;
  }
}

template <class Descriptor, bool transposed, bool backward>
std::vector<Case> cases(const adj::Signature& signature, Level level, std::uint64_t seed) {
  std::vector<Setting> settings{
      {.n = 0, .big_channels = 2, .small_channels = 3, .big = {5}, .taps = {3}, .dbias = 1},
      {.n = 2, .big_channels = 0, .small_channels = 3, .big = {5}, .taps = {3}, .dbias = 1},
      {.n = 2, .big_channels = 3, .small_channels = 0, .big = {5}, .taps = {3}, .dbias = 1},
      {.n = 2, .big_channels = 3, .small_channels = 2, .big = {0}, .taps = {2}, .pads = {1, 2}, .dbias = 1},
      {.big = {1}, .taps = {1}},
      {.n = 2, .big_channels = 3, .small_channels = 5, .big = {37}, .taps = {3}, .pads = {1, 1}, .dbias = 1},
      {.n = 2, .big_channels = 3, .small_channels = 5, .big = {9, 11}, .taps = {3, 2}, .dbias = 1, .accumulate = 1},
      {.n = 2, .big_channels = 4, .small_channels = 6, .big = {8, 9}, .taps = {3, 3}, .strides = {2, 3}, .pads = {1, 0, 2, 1}, .dilations = {1, 2}, .dbias = 1},
      {.n = 2, .big_channels = 4, .small_channels = 6, .big = {9, 10}, .taps = {2, 3}, .strides = {3, 1}, .pads = {0, 2, 1, 0}, .groups = 2, .dbias = 1},
      {.n = 1, .big_channels = 6, .small_channels = 6, .big = {7, 7}, .taps = {3, 3}, .pads = {1, 1, 1, 1}, .groups = 6, .dbias = 1},
      {.n = 1, .big_channels = 2, .small_channels = 3, .big = {4, 5, 6}, .taps = {2, 3, 2}, .strides = {1, 2, 2}, .pads = {1, 0, 1, 0, 1, 0}, .dbias = 1},
      {.n = 1, .big_channels = 20, .small_channels = 70, .big = {6, 23}, .taps = {1, 1}, .dbias = 1},
      {.n = 1, .big_channels = 40, .small_channels = 9, .big = {5, 5}, .taps = {3, 3}},
      {.n = 2, .big_channels = 3, .small_channels = 2, .big = {6, 6}, .taps = {2, 2}, .strides = {4, 4}},
      {.n = 2, .big_channels = 2, .small_channels = 2, .big = {8, 8}, .taps = {3, 3}, .special = true},
      // Whole units of 16 bytes, in more than one tile of 128.
      {.n = 2, .big_channels = 16, .small_channels = 136, .big = {9, 8}, .taps = {3, 3}, .pads = {1, 1, 1, 1}, .dbias = 1},
      {.n = 3,
       .big_channels = 48,
       .small_channels = 32,
       .big = {9, 12},
       .taps = {3, 2},
       .strides = {2, 3},
       .pads = {0, 2, 1, 0},
       .dilations = {1, 2},
       .groups = 2,
       .dbias = 1,
       .accumulate = 1},
  };
  const std::size_t first = settings.size();
  for (std::size_t i = 3; i < first; ++i) {
    settings.push_back(settings[i]);
    settings.back().channels_last = 1;
  }
  // Sums that kernels on tensor cores make in two rounds: over channels, and over places with few blocks.
  if (adj::is_16bit_float(signature[0])) {
    const bool sums_big = transposed == backward;
    settings.push_back(
        {.n = 1, .big_channels = sums_big ? 4640 : 2, .small_channels = sums_big ? 2 : 4640, .big = {3}, .taps = {1}, .channels_last = 1, .dbias = 1});
    if (!backward && !transposed) settings.push_back({.n = 1, .big_channels = 4608, .small_channels = 2, .big = {3}, .taps = {1}});  // one whole round
    if (backward) settings.push_back({.n = 1, .big_channels = 2, .small_channels = 3, .big = {4700}, .taps = {17}, .dinput = 0, .accumulate = 1});
  }
  if (backward) {
    const Setting plain{.n = 2, .big_channels = 3, .small_channels = 4, .big = {6, 7}, .taps = {3, 3}, .pads = {1, 1, 1, 1}};
    for (int subset = 0; subset < 7; ++subset) {
      settings.push_back(plain);
      settings.back().dinput = subset & 1;
      settings.back().dweight = subset >> 1 & 1;
      settings.back().dbias = subset >> 2 & 1;
      settings.back().accumulate = subset > 4;
    }
    // Several arguments.
    settings.push_back({.n = 3, .big_channels = 2, .small_channels = 3, .big = {23, 29}, .taps = {2, 2}, .dinput = 0, .dbias = 1, .accumulate = 1});
    settings.push_back({.n = 3, .big_channels = 2, .small_channels = 3, .big = {23, 29}, .taps = {2, 2}, .channels_last = 1, .dinput = 0, .dbias = 1});
  }
  if (level == Level::full) {
    for (int last : {0, 1}) {
      settings.push_back(
          {.n = 2, .big_channels = 64, .small_channels = 96, .big = {28, 30}, .taps = {3, 3}, .pads = {1, 1, 1, 1}, .channels_last = last, .dbias = 1});
      settings.push_back({.n = 4,
                          .big_channels = 32,
                          .small_channels = 64,
                          .big = {33, 35},
                          .taps = {5, 5},
                          .strides = {2, 2},
                          .pads = {2, 1, 1, 2},
                          .groups = 4,
                          .channels_last = last,
                          .dbias = 1,
                          .accumulate = 1});
      settings.push_back(
          {.n = 2, .big_channels = 130, .small_channels = 130, .big = {20, 20}, .taps = {3, 3}, .pads = {1, 1, 1, 1}, .groups = 130, .channels_last = last});
      settings.push_back(
          {.n = 2, .big_channels = 16, .small_channels = 24, .big = {9, 14, 15}, .taps = {3, 3, 3}, .dilations = {2, 1, 2}, .channels_last = last, .dbias = 1});
      settings.push_back(
          {.n = 2, .big_channels = 12, .small_channels = 10, .big = {5000}, .taps = {7}, .strides = {3}, .pads = {3, 0}, .channels_last = last, .dbias = 1});
      // Sums of tens of thousands of products, which libraries divide among blocks: weight gradients over many places, and results over many channels.
      settings.push_back({.n = 4, .big_channels = 64, .small_channels = 56, .big = {56, 57}, .taps = {1, 1}, .channels_last = last, .dinput = 0});
      settings.push_back({.n = 2,
                          .big_channels = 8,
                          .small_channels = 64,
                          .big = {9000},
                          .taps = {7},
                          .strides = {2},
                          .pads = {3, 3},
                          .channels_last = last,
                          .dinput = 0,
                          .accumulate = 1});
      settings.push_back(
          {.n = 4, .big_channels = 16, .small_channels = 24, .big = {48, 50}, .taps = {3, 3}, .pads = {1, 1, 1, 1}, .channels_last = last, .dinput = 0});
      settings.push_back(
          {.n = 1, .big_channels = 2304, .small_channels = 2304, .big = {4, 5}, .taps = {1, 1}, .channels_last = last, .dweight = 0, .dbias = 1});
      settings.push_back({.n = 1, .big_channels = 1060, .small_channels = 1060, .big = {4700}, .taps = {1}, .groups = 530, .channels_last = last});
    }
  }
  std::vector<Case> result;
  for (const Setting& s : settings) result.push_back(make_case<Descriptor, transposed, backward>(s, signature, ++seed));
  return result;
}

}  // namespace

std::vector<Case> conv_forward_cases(const adj::Signature& signature, Level level, std::uint64_t seed) {
  return cases<adj_conv_forward_descriptor, false, false>(signature, level, seed);
}
std::vector<Case> conv_backward_cases(const adj::Signature& signature, Level level, std::uint64_t seed) {
  return cases<adj_conv_backward_descriptor, false, true>(signature, level, seed);
}
std::vector<Case> conv_transpose_forward_cases(const adj::Signature& signature, Level level, std::uint64_t seed) {
  return cases<adj_conv_transpose_forward_descriptor, true, false>(signature, level, seed);
}
std::vector<Case> conv_transpose_backward_cases(const adj::Signature& signature, Level level, std::uint64_t seed) {
  return cases<adj_conv_transpose_backward_descriptor, true, true>(signature, level, seed);
}

Case conv_forward_random(const adj::Signature& signature, std::uint64_t seed) {
  return make_case<adj_conv_forward_descriptor, false, false>(drawn(seed), signature, seed);
}
Case conv_backward_random(const adj::Signature& signature, std::uint64_t seed) {
  return make_case<adj_conv_backward_descriptor, false, true>(drawn(seed), signature, seed);
}
Case conv_transpose_forward_random(const adj::Signature& signature, std::uint64_t seed) {
  return make_case<adj_conv_transpose_forward_descriptor, true, false>(drawn(seed), signature, seed);
}
Case conv_transpose_backward_random(const adj::Signature& signature, std::uint64_t seed) {
  return make_case<adj_conv_transpose_backward_descriptor, true, true>(drawn(seed), signature, seed);
}

}  // namespace harness
