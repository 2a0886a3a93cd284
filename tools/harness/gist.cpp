// Cases of the Gist formats.
#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>

#include <adjoint/ops/gist.h>

#include "harness/draw.hpp"
#include "harness/harness.hpp"

namespace harness {

namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();
constexpr double kNan = std::numeric_limits<double>::quiet_NaN();

struct Setting {
  std::int64_t outer, inner;
  bool special = false, saturated = false;
  std::string text() const { return fmt::format("{}x{}{}{}", outer, inner, special ? ", NaN and infinity" : "", saturated ? ", saturated" : ""); }
};

// 1 x 4105 is work of three blocks: more than small grids have.
std::vector<Setting> settings_of(const adj::Signature& signature, Level level) {
  std::vector<Setting> all{{0, 4}, {3, 0}, {1, 1}, {3, 7}, {5, 16}, {1, 4105}, {9, 40, true}, {4, 33, true}};
  if (signature.choice == "pack8") all.insert(all.end(), {{2, 100, true, true}, {1, 24, false, true}});
  if (level == Level::full) all.insert(all.end(), {{1, 5'000'001}, {3001, 1001}, {2048, 1024, true}});
  return all;
}

template <class Descriptor>
Descriptor describe(const Setting& s, const adj::Signature& signature) {
  constexpr const char* kNames[] = {"", "binarize", "pack1", "pack8", "", "pack8_reference", "pack16", "pack16_bf16", "msfp15"};
  Descriptor d;
  d.outer = s.outer;
  d.inner = s.inner;
  d.format = static_cast<adj_gist_format>(std::find(std::begin(kNames), std::end(kNames), signature.choice) - std::begin(kNames));
  if (s.saturated) d.format = ADJ_GIST_FORMAT_PACK8_SATURATED;
  d.element = signature[0];
  return d;
}

// Fills with numbers of all magnitudes of the type, and with numbers halfway between neighbours of a format.
void fill(Data& data, Rng& rng, bool special) {
  const Uniform draw(0, 1);
  std::uniform_int_distribution<int> exponent(-30, 20), far(-140, 127), eighths(8, 15);
  for (std::int64_t i = 0; i < data.numel(); ++i) {
    const double kind = draw(rng), sign = draw(rng) < 0.5 ? -1 : 1;
    if (data.dtype == ADJ_BOOL) {
      data.set(i, kind < 0.5);
      continue;
    }
    double v = sign * std::ldexp(1 + draw(rng), exponent(rng) / 4);
    if (kind < 0.2) v = sign * std::ldexp(eighths(rng), exponent(rng) - 3);
    else if (kind < 0.3) v = sign * std::ldexp(1 + draw(rng), far(rng));
    else if (kind < 0.35) v = sign * 0.0;
    else if (kind < 0.4) v = sign * 61440 * (kind < 0.375 ? 1 : 0.999);
    if (special && kind > 0.94) v = kind > 0.98 ? kNan : sign * kInfinity;
    if (data.dtype == ADJ_F16 && std::isfinite(v) && std::fabs(v) > 65504) v = sign * 65504;
    data.set(i, v);
  }
}

}  // namespace

std::vector<Case> gist_encode_cases(const adj::Signature& signature, Level level, std::uint64_t seed) {
  std::vector<Case> cases;
  for (const Setting& s : settings_of(signature, level)) {
    Rng rng(++seed);
    auto problem = std::make_shared<Problem>(Problem::of(describe<adj_gist_encode_descriptor>(s, signature)));
    Data& input = problem->tensor("input");
    fill(input, rng, s.special);
    // NaN with any fraction, signalling ones among them.
    if (s.special && input.dtype == ADJ_F32)
      for (std::int64_t i = 5; i < input.numel(); i += 41) {
        const auto bits = static_cast<std::uint32_t>(0x7f800001u + rng() % 0x7fffffu) | static_cast<std::uint32_t>(i % 2 << 31);
        std::memcpy(input.bytes.data() + 4 * i, &bits, 4);
      }
    cases.push_back({s.text(), std::move(problem), {}});
  }
  return cases;
}

std::vector<Case> gist_decode_cases(const adj::Signature& signature, Level level, std::uint64_t seed) {
  std::vector<Case> cases;
  for (const Setting& s : settings_of(signature, level)) {
    Rng rng(++seed);
    auto problem = std::make_shared<Problem>(Problem::of(describe<adj_gist_decode_descriptor>(s, signature)));
    // Any bits: all have a meaning. A bool is 0 or 1.
    Data& packed = problem->tensor("packed");
    if (packed.dtype == ADJ_BOOL) fill_integers(packed, rng, 0, 1);
    else
      for (std::byte& b : packed.bytes) b = static_cast<std::byte>(rng());
    cases.push_back({s.text(), std::move(problem), {}});
  }
  return cases;
}

}  // namespace harness
