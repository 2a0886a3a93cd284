// Cases of the activations, and what their errors are measured against.
#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>

#include <adjoint/ops/activation.h>

#include "harness/draw.hpp"
#include "harness/harness.hpp"
#include "host/activation.hpp"

namespace harness {

namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();
constexpr double kNan = std::numeric_limits<double>::quiet_NaN();

// Magnitudes of the terms of f and f' at z, as include/adjoint/ops/activation.h states them.
// A wide type: an exponential below the numbers of double may be multiplied by a large dout.
using Wide = long double;
struct Terms {
  Wide value, slope;
};
// Magnitude of a term factor * exp(-|v|): the term times 1 + |v|.
Wide decaying(Wide factor, Wide v) { return std::isfinite(factor) && std::isfinite(v) ? std::fabs(factor) * std::exp(-std::fabs(v)) * (1 + std::fabs(v)) : 0; }
Terms terms_of(adj_activation function, double argument, double alpha) {
  const Wide z = argument, size = std::isfinite(z) ? std::fabs(z) : 0, positive = z > 0;
  switch (function) {
    case ADJ_ACTIVATION_GELU: {
      const Wide v = z * z / 2, tail = decaying(0.5, v), density = decaying(0.4 * size, v);
      return {size * (positive + tail), positive + tail + density};
    }
    case ADJ_ACTIVATION_GELU_TANH: {
      const Wide v = Wide(1.5957691216) * (z + 0.044715 * z * z * z), tail = decaying(1, v);
      return {size * (positive + tail), positive + tail + decaying(size * 1.6 * (1 + 0.134145 * z * z), v)};
    }
    case ADJ_ACTIVATION_QUICK_GELU:
    case ADJ_ACTIVATION_SILU: {
      const Wide v = function == ADJ_ACTIVATION_SILU ? z : alpha * z, tail = decaying(1, v), rising = v > 0;
      return {size * (rising + tail), rising + tail + decaying(v, v)};
    }
    case ADJ_ACTIVATION_SIGMOID: return {positive + decaying(1, z), decaying(1, z)};
    case ADJ_ACTIVATION_TANH: return {std::fabs(std::tanh(z)), decaying(4, 2 * z)};
    case ADJ_ACTIVATION_ELU: return {positive * size + std::fabs(alpha * std::expm1(std::min<Wide>(z, 0))), positive + std::fabs(alpha) * decaying(1, z)};
    case ADJ_ACTIVATION_SOFTPLUS: return {positive * size + decaying(1, z), positive + decaying(1, z)};
    case ADJ_ACTIVATION_MISH: return {size * (positive + decaying(1, z)), positive + decaying(1, z) + decaying(4 * size, z)};
    case ADJ_ACTIVATION_HARD_SWISH: return {size * (size / 6 + 0.5), size / 3 + 0.5};
    case ADJ_ACTIVATION_RELU_SQUARED: return {size * size, 2 * size};
    default: return {size * std::max<Wide>(1, std::fabs(alpha)), std::max<Wide>(1, std::fabs(alpha))};
  }
}
Wide finite(Wide v) { return std::isfinite(v) ? v : 0; }
double narrow(Wide v) { return static_cast<double>(v); }

// Fills with values of all magnitudes that matter, of both signs, and with NaN and infinities when `special`.
void fill_arguments(Data& data, Rng& rng, bool special) {
  const Uniform draw(0, 1);
  Normal normal(0, 2);
  for (std::int64_t i = 0; i < data.numel(); ++i) {
    const double kind = draw(rng);
    double v = normal(rng);
    if (kind < 0.1) v *= 8;
    else if (kind < 0.15) v *= 1e-4;
    else if (kind < 0.17) v = 0;
    else if (kind < 0.18) v = v < 0 ? -3 : 3;
    else if (kind < 0.19) v *= 60;
    if (special && kind > 0.97) v = kind > 0.99 ? kNan : kind > 0.98 ? kInfinity : -kInfinity;
    else if (special && kind > 0.96) v = v < 0 ? -30000 : 30000;
    data.set(i, v);
  }
}

// Fills with numbers of every exponent that the type has, subnormal numbers, zeros and infinities.
void fill_range(Data& data, Rng& rng) {
  const int most = data.dtype == ADJ_F64 ? 1023 : data.dtype == ADJ_F16 ? 15 : 127;
  const int least = data.dtype == ADJ_F64 ? -1074 : data.dtype == ADJ_F16 ? -24 : data.dtype == ADJ_BF16 ? -133 : -149;
  const Uniform draw(0, 1);
  std::uniform_int_distribution<int> exponent(least, most);
  for (std::int64_t i = 0; i < data.numel(); ++i) {
    const double kind = draw(rng), sign = draw(rng) < 0.5 ? -1 : 1;
    const int e = kind < 0.1 ? most : kind < 0.2 ? least : exponent(rng);
    double v = std::ldexp(1 + 0.9 * draw(rng), e);
    if (kind > 0.9) v = kInfinity;
    else if (kind > 0.87) v = 0;
    data.set(i, sign * v);
  }
}
// Fills with arguments whose exponentials are small or vanish, on both sides of where f32 and f64 lose them.
void fill_far(Data& data, Rng& rng, double scale) {
  const Uniform draw(0, 1);
  for (std::int64_t i = 0; i < data.numel(); ++i) {
    const double kind = draw(rng), sign = draw(rng) < 0.2 ? 1 : -1;
    double v = scale * 2 * draw(rng);
    if (kind < 0.2) v = scale * (0.98 + 0.04 * draw(rng));
    else if (kind < 0.3) v = std::ldexp(1 + draw(rng), static_cast<int>(120 * draw(rng)));
    else if (kind < 0.35) v = kInfinity;
    else if (kind < 0.5) v = 2 * draw(rng);
    data.set(i, sign * v);
  }
  if (data.numel() > 0) data.set(0, -39471.50390625);  // f32 rounds its square by more than 2
}
// The argument at which f32, or f64, begins to lose the exponential.
double far_scale(adj_activation function, adj_dtype element) {
  const bool wide = element == ADJ_F64;
  switch (function) {
    case ADJ_ACTIVATION_GELU: return wide ? 37 : 12.5;
    case ADJ_ACTIVATION_GELU_TANH: return wide ? 20.9 : 9.5;
    case ADJ_ACTIVATION_QUICK_GELU: return wide ? 405 : 47;
    case ADJ_ACTIVATION_TANH: return wide ? 345 : 40;
    default: return wide ? 690 : 80;
  }
}

// Fills with every number of a 16-bit type, NaN and infinities included.
void fill_every(Data& data) {
  for (std::size_t i = 0; i < data.bytes.size() / 2; ++i) {
    const auto bits = static_cast<std::uint16_t>(i);
    std::memcpy(&data.bytes[2 * i], &bits, sizeof bits);
  }
}

struct Setting {
  std::int64_t outer = 1, inner = 0;
  bool bias = false, dbias = false, accumulate = false, special = false, large = false, small = false, range = false, every = false;
  adj_activation_saved saved{};
  double alpha = kNan;  // NaN: the default
  const char* shared_with = nullptr;
  bool interleaved = false, gate_second = false;
  std::string text() const {
    std::string t = fmt::format("{}x{}", outer, inner);
    if (bias) t += " bias";
    if (dbias) t += accumulate ? " dbias accumulated" : " dbias";
    if (saved) t += saved == ADJ_ACTIVATION_SAVED_INPUT ? " from input" : " from output";
    if (!std::isnan(alpha)) t += fmt::format(" constant {}", alpha);
    if (special) t += ", NaN and infinity";
    if (large) t += ", large dout";
    if (small) t += ", small";
    if (range) t += ", whole range";
    if (every) t += ", every number";
    if (interleaved) t += " interleaved";
    if (gate_second) t += " gate second";
    if (shared_with) t += fmt::format(" in place of {}", shared_with);
    return t;
  }
};

adj_activation function_of(std::string_view name) {
  constexpr const char* kNames[] = {"",     "relu", "leaky_relu", "gelu",     "gelu_tanh", "quick_gelu", "sigmoid",
                                    "tanh", "silu", "elu",        "softplus", "mish",      "hard_swish", "relu_squared"};
  return static_cast<adj_activation>(std::find(std::begin(kNames), std::end(kNames), name) - std::begin(kNames));
}
template <class Descriptor>
double alpha_of(const Descriptor& d) {
  if (d.function == ADJ_ACTIVATION_LEAKY_RELU) return d.leaky_slope;
  return d.function == ADJ_ACTIVATION_QUICK_GELU ? d.quick_gelu_alpha : d.elu_alpha;
}
bool by_default_from_output(adj_activation f) { return f == ADJ_ACTIVATION_LEAKY_RELU || f == ADJ_ACTIVATION_SIGMOID || f == ADJ_ACTIVATION_TANH; }

template <class Descriptor>
Descriptor describe(const Setting& s, const adj::Signature& signature) {
  Descriptor d;
  d.outer = s.outer;
  d.inner = s.inner;
  d.function = function_of(signature.choice);
  d.element = signature[0];
  d.has_bias = s.bias;
  if (!std::isnan(s.alpha)) {
    if (d.function == ADJ_ACTIVATION_LEAKY_RELU) d.leaky_slope = s.alpha;
    if (d.function == ADJ_ACTIVATION_QUICK_GELU) d.quick_gelu_alpha = s.alpha;
    if (d.function == ADJ_ACTIVATION_ELU) d.elu_alpha = s.alpha;
  }
  return d;
}
template <class Descriptor>
double argument(const Problem& problem, const Descriptor& d, const char* name, std::int64_t at) {
  const double z = problem.tensor(name).get(at);
  return d.has_bias ? z + problem.tensor("bias").get(at % d.inner) : z;
}

std::vector<std::vector<double>> forward_magnitudes(const Problem& problem, const std::string&) {
  const auto& d = *reinterpret_cast<const adj_activation_forward_descriptor*>(problem.descriptor());
  std::vector<double> m;
  for (std::int64_t at = 0; at < d.outer * d.inner; ++at)
    m.push_back(narrow(finite(terms_of(d.function, argument(problem, d, "input", at), alpha_of(d)).value)));
  return {m};
}
std::vector<std::vector<double>> backward_magnitudes(const Problem& problem, const std::string& output) {
  const auto& d = *reinterpret_cast<const adj_activation_backward_descriptor*>(problem.descriptor());
  const bool from_output = d.saved ? d.saved == ADJ_ACTIVATION_SAVED_OUTPUT : by_default_from_output(d.function);
  std::vector<double> m, sums(static_cast<std::size_t>(d.inner));
  for (std::int64_t at = 0; at < d.outer * d.inner; ++at) {
    const double z = argument(problem, d, "saved", at);
    const Wide g = std::fabs(finite(problem.tensor("dout").get(at)));
    Wide slope = terms_of(d.function, z, alpha_of(d)).slope;
    if (from_output && d.function == ADJ_ACTIVATION_ELU) slope = std::max<Wide>(1, std::fabs(z) + d.elu_alpha);
    if (from_output && d.function == ADJ_ACTIVATION_SOFTPLUS) slope = std::fabs(std::expm1(-z));
    if (from_output && d.function == ADJ_ACTIVATION_SIGMOID) slope = std::fabs(z * (1 - z));
    if (from_output && d.function == ADJ_ACTIVATION_TANH) slope = std::fabs(1 - z * z);
    m.push_back(narrow(g * finite(slope)));
    sums[static_cast<std::size_t>(at % d.inner)] += m.back();
  }
  if (d.write_mode == ADJ_WRITE_ACCUMULATE)
    for (std::int64_t i = 0; i < d.inner; ++i) sums[static_cast<std::size_t>(i)] += std::fabs(problem.tensor("dbias").get(i));
  return {output == "dbias" ? sums : m};
}

std::vector<Setting> settings_of(const adj::Signature& signature, Level level, bool backward) {
  const adj_activation function = function_of(signature.choice);
  const std::int64_t unit = 16 / adj::size_of(signature[0]);
  std::vector<Setting> all;
  auto add = [&](std::int64_t outer, std::int64_t inner, auto change) {
    Setting s;
    s.outer = outer;
    s.inner = inner;
    change(s);
    all.push_back(s);
  };
  auto plain = [](Setting&) {};
  const char* const in = backward ? "saved" : "input";
  const bool bias = !backward || !by_default_from_output(function);
  const bool has_constant = function == ADJ_ACTIVATION_LEAKY_RELU || function == ADJ_ACTIVATION_QUICK_GELU || function == ADJ_ACTIVATION_ELU;
  // A bias needs the saved input.
  auto with_bias = [&](Setting& s) {
    s.bias = true;
    if (!bias) s.saved = ADJ_ACTIVATION_SAVED_INPUT;
  };
  add(0, 5, plain);
  add(3, 0, plain);
  add(1, 1, plain);
  add(7, 3 * unit + 1, plain);
  add(1, 257 * unit + unit / 2, plain);
  add(5, 4 * unit, [&](Setting& s) { s.shared_with = in; });
  add(1, 700, [](Setting& s) { s.special = true; });
  add(1, 1201, [](Setting& s) { s.range = true; });
  if (bias)
    add(5, 3 * unit + 1, [&](Setting& s) {
      s.range = true;
      with_bias(s);
    });
  for (double alpha : {0.0, 1e-30, 1e20, -2.0})
    if (has_constant && (alpha >= 0 || !backward || function == ADJ_ACTIVATION_QUICK_GELU))
      add(1, 301, [&](Setting& s) {
        s.range = true;
        s.alpha = alpha;
      });
  add(9, 5 * unit, with_bias);
  add(9, 2 * unit + 1, with_bias);
  add(2, 257 * unit, with_bias);
  if (has_constant) add(3, 100, [](Setting& s) { s.alpha = 0.37; });
  if (backward) {
    add(1, 300, [](Setting& s) { s.large = true; });
    if (function == ADJ_ACTIVATION_RELU_SQUARED) add(1, 300, [](Setting& s) { s.small = true; });  // subnormal products
    if (by_default_from_output(function))
      add(1, 1201, [](Setting& s) {
        s.range = true;
        s.saved = ADJ_ACTIVATION_SAVED_INPUT;
      });
    if (function == ADJ_ACTIVATION_SOFTPLUS || function == ADJ_ACTIVATION_ELU)
      add(1, 701, [](Setting& s) {
        s.range = true;
        s.saved = ADJ_ACTIVATION_SAVED_OUTPUT;
      });
    if (function == ADJ_ACTIVATION_ELU)  // outputs below what exp takes as an argument
      add(1, 301, [](Setting& s) {
        s.saved = ADJ_ACTIVATION_SAVED_OUTPUT;
        s.alpha = 500;
      });
    add(4, 3 * unit, [](Setting& s) { s.shared_with = "dout"; });
    add(0, 2 * unit, [](Setting& s) { s.dbias = true; });
    add(0, 2 * unit, [](Setting& s) { s.dbias = s.accumulate = true; });
    add(70, unit + 1, [](Setting& s) { s.dbias = s.accumulate = true; });
    add(70, unit, [](Setting& s) { s.dbias = true; });
    add(37, 3, [](Setting& s) {
      s.dbias = true;
      s.shared_with = "dout";
    });
    add(300, 5 * unit, [&](Setting& s) {
      s.dbias = true;
      with_bias(s);
    });
    add(3, 261 * unit, [](Setting& s) { s.dbias = true; });
    add(9, 2 * unit + 1, [&](Setting& s) {
      s.dbias = true;
      s.special = true;
      with_bias(s);
    });
    if (function == ADJ_ACTIVATION_SIGMOID || function == ADJ_ACTIVATION_TANH || function == ADJ_ACTIVATION_LEAKY_RELU)
      add(3, 200, [](Setting& s) {
        s.saved = ADJ_ACTIVATION_SAVED_INPUT;
        s.special = true;
      });
    if (function == ADJ_ACTIVATION_SOFTPLUS || function == ADJ_ACTIVATION_ELU || function == ADJ_ACTIVATION_RELU)
      add(3, 200, [](Setting& s) { s.saved = ADJ_ACTIVATION_SAVED_OUTPUT; });
  }
  if (level == Level::full && unit == 8) {
    const bool has_output_form =
        by_default_from_output(function) || function == ADJ_ACTIVATION_RELU || function == ADJ_ACTIVATION_ELU || function == ADJ_ACTIVATION_SOFTPLUS;
    for (const auto saved : {ADJ_ACTIVATION_SAVED_INPUT, ADJ_ACTIVATION_SAVED_OUTPUT})
      if (backward ? saved == ADJ_ACTIVATION_SAVED_INPUT || has_output_form : saved == ADJ_ACTIVATION_SAVED_INPUT)
        add(1, 65536, [&](Setting& s) {
          s.every = true;
          if (backward) s.saved = saved;
        });
  }
  if (level == Level::full) {
    add(1, 3'000'003, plain);
    add(4099, 1000, with_bias);
    if (backward) {
      add(5000, 1536, [&](Setting& s) {
        s.dbias = true;
        with_bias(s);
      });
      add(20'000, 77, [](Setting& s) { s.dbias = true; });
      add(200'000, 2 * unit, [](Setting& s) {
        s.dbias = true;
        s.shared_with = "dout";
      });
    }
  }
  return all;
}

}  // namespace

std::vector<Case> activation_forward_cases(const adj::Signature& signature, Level level, std::uint64_t seed) {
  std::vector<Case> cases;
  for (const Setting& s : settings_of(signature, level, false)) {
    Rng rng(++seed);
    auto problem = std::make_shared<Problem>(Problem::of(describe<adj_activation_forward_descriptor>(s, signature)));
    Data& x = problem->tensor("input");
    if (s.range) fill_far(x, rng, far_scale(function_of(signature.choice), signature[0]));
    else if (s.every) fill_every(x);
    else fill_arguments(x, rng, s.special);
    if (s.bias) fill_normal(problem->tensor("bias"), rng);
    if (s.shared_with) problem->share("out", s.shared_with);
    cases.push_back({s.text(), std::move(problem), forward_magnitudes});
    cases.back().any_nan = s.every;
  }
  return cases;
}

std::vector<Case> activation_backward_cases(const adj::Signature& signature, Level level, std::uint64_t seed) {
  std::vector<Case> cases;
  for (const Setting& s : settings_of(signature, level, true)) {
    Rng rng(++seed);
    auto d = describe<adj_activation_backward_descriptor>(s, signature);
    d.saved = s.saved;
    d.has_dbias = s.dbias;
    d.write_mode = s.accumulate ? ADJ_WRITE_ACCUMULATE : ADJ_WRITE_DEFAULT;
    auto problem = std::make_shared<Problem>(Problem::of(d));
    Data& saved = problem->tensor("saved");
    if (s.range) {
      fill_range(problem->tensor("dout"), rng);
      problem->tensor("dout").set(0, -kInfinity);
      fill_far(saved, rng, far_scale(d.function, signature[0]));
    } else if (s.every) {
      fill_range(problem->tensor("dout"), rng);
      fill_every(saved);
    } else if (s.small) {
      const double scale = signature[0] == ADJ_F64 ? 0x1p-530 : signature[0] == ADJ_F16 ? 0x1p-10 : 0x1p-70;
      fill_normal(problem->tensor("dout"), rng, scale);
      fill_normal(saved, rng, scale);
    } else {
      fill_normal(problem->tensor("dout"), rng, s.large ? (signature[0] == ADJ_F16 ? 2e4 : 1e30) : 1);
      fill_arguments(saved, rng, s.special);
    }
    if (s.saved ? s.saved == ADJ_ACTIVATION_SAVED_OUTPUT : by_default_from_output(d.function))
      for (std::int64_t i = 0; i < saved.numel(); ++i) saved.set(i, adj::host::activation_value(d.function, saved.get(i), alpha_of(d)));
    if (s.accumulate) fill_normal(problem->tensor("dbias"), rng);
    if (s.bias) fill_normal(problem->tensor("bias"), rng);
    if (s.shared_with) problem->share("dinput", s.shared_with);
    cases.push_back({s.text(), std::move(problem), backward_magnitudes});
    cases.back().any_nan = s.every;
  }
  return cases;
}

// ---- gated

namespace {

adj_activation gate_function(adj_gated_activation f) {
  constexpr adj_activation kFunctions[] = {ADJ_ACTIVATION_NONE, ADJ_ACTIVATION_SILU, ADJ_ACTIVATION_GELU, ADJ_ACTIVATION_GELU_TANH, ADJ_ACTIVATION_RELU};
  return kFunctions[f];
}
template <class Descriptor>
std::pair<std::int64_t, std::int64_t> places(const Descriptor& d, std::int64_t row, std::int64_t i) {
  const bool interleaved = d.layout == ADJ_GATED_LAYOUT_INTERLEAVED;
  const std::int64_t first = row * 2 * d.inner + (interleaved ? 2 * i : i), second = first + (interleaved ? 1 : d.inner);
  return d.gate_second ? std::pair{second, first} : std::pair{first, second};
}
template <class Descriptor, bool backward>
std::vector<std::vector<double>> gated_magnitudes(const Problem& problem, const std::string&) {
  const auto& d = *reinterpret_cast<const Descriptor*>(problem.descriptor());
  std::vector<double> m(static_cast<std::size_t>((backward ? 2 : 1) * d.outer * d.inner));
  const Data& x = problem.tensor("input");
  for (std::int64_t row = 0; row < d.outer; ++row)
    for (std::int64_t i = 0; i < d.inner; ++i) {
      const auto [gate, linear] = places(d, row, i);
      const Terms t = terms_of(gate_function(d.function), x.get(gate), 0);
      const Wide l = std::fabs(finite(x.get(linear)));
      if (!backward) {
        m[static_cast<std::size_t>(row * d.inner + i)] = narrow(finite(t.value) * l);
        continue;
      }
      const Wide g = std::fabs(finite(problem.tensor("dout").get(row * d.inner + i)));
      m[static_cast<std::size_t>(gate)] = narrow(g * l * finite(t.slope));
      m[static_cast<std::size_t>(linear)] = narrow(g * finite(t.value));
    }
  return {m};
}

template <class Descriptor, bool backward>
std::vector<Case> gated_cases(const adj::Signature& signature, Level level, std::uint64_t seed) {
  constexpr const char* kNames[] = {"", "swiglu", "geglu", "geglu_tanh", "reglu"};
  const std::int64_t unit = 16 / adj::size_of(signature[0]);
  std::vector<Setting> all;
  auto add = [&](std::int64_t outer, std::int64_t inner, bool special, bool in_place) {
    for (bool interleaved : {false, true}) {
      Setting s;
      s.outer = outer;
      s.inner = inner;
      s.interleaved = interleaved;
      s.gate_second = (outer + inner + interleaved) % 2 != 0;
      s.special = special;
      if (in_place && backward) s.shared_with = "input";
      all.push_back(s);
    }
  };
  add(0, 3, false, false);
  add(2, 0, false, false);
  add(1, 1, false, false);
  add(5, 3 * unit, false, false);
  add(6, 2 * unit + 1, false, true);
  add(3, 259 * unit, false, true);
  add(300, unit, false, false);
  add(7, 40, true, false);
  const std::size_t before = all.size();
  add(4, 300, false, false);
  add(3, 301, false, true);
  for (std::size_t i = before; i < all.size(); ++i) all[i].range = true;
  if (level == Level::full) {
    add(1000, 1001, false, true);
    add(511, 4096, false, false);
  }
  std::vector<Case> cases;
  for (const Setting& s : all) {
    Rng rng(++seed);
    Descriptor d;
    d.outer = s.outer;
    d.inner = s.inner;
    d.function = static_cast<adj_gated_activation>(std::find(std::begin(kNames), std::end(kNames), signature.choice) - std::begin(kNames));
    d.layout = s.interleaved ? ADJ_GATED_LAYOUT_INTERLEAVED : ADJ_GATED_LAYOUT_HALVES;
    d.gate_second = s.gate_second;
    d.element = signature[0];
    auto problem = std::make_shared<Problem>(Problem::of(d));
    Data& x = problem->tensor("input");
    if (s.range) {
      fill_range(x, rng);
      Data gates = x;
      fill_far(gates, rng, far_scale(gate_function(d.function), signature[0]));
      for (std::int64_t row = 0; row < s.outer; ++row)
        for (std::int64_t i = 0; i < s.inner; ++i) x.set(places(d, row, i).first, gates.get(row * s.inner + i));
      if (backward) {
        fill_range(problem->tensor("dout"), rng);
        problem->tensor("dout").set(0, -kInfinity);
      }
    } else {
      fill_arguments(x, rng, s.special);
      if (backward) fill_normal(problem->tensor("dout"), rng);
    }
    if (s.shared_with) problem->share("dinput", s.shared_with);
    cases.push_back({s.text(), std::move(problem), gated_magnitudes<Descriptor, backward>});
  }
  return cases;
}

}  // namespace

std::vector<Case> gated_activation_forward_cases(const adj::Signature& signature, Level level, std::uint64_t seed) {
  return gated_cases<adj_gated_activation_forward_descriptor, false>(signature, level, seed);
}
std::vector<Case> gated_activation_backward_cases(const adj::Signature& signature, Level level, std::uint64_t seed) {
  return gated_cases<adj_gated_activation_backward_descriptor, true>(signature, level, seed);
}

}  // namespace harness
