// Cases of rotary embeddings: both ways of pairing, whole units and not, strides of packed queries, keys and values, positions and tables.
#include <cmath>
#include <limits>

#include <adjoint/ops/rope.h>

#include "harness/harness.hpp"
#include "host/rope.hpp"

namespace harness {

namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();
constexpr double kNan = std::numeric_limits<double>::quiet_NaN();

enum class Layout { packed, beside_values, heads_first };
struct Setting {
  std::int64_t batch = 2, tokens = 3, heads = 2, kv_heads = 1, head_dim = 32, rotary_dim = 0, table_rows = 0;
  bool interleaved = false, norm = false, accumulate = false, special = false, outside = false, far = false;
  adj_dtype position = ADJ_DTYPE_NONE, weight = ADJ_DTYPE_NONE;
  Layout layout = Layout::packed;
  const char* shared_with = nullptr;
  std::string text() const {
    std::string t = fmt::format("{}x{}, {}+{} heads of {}", batch, tokens, heads, kv_heads, head_dim);
    if (rotary_dim) t += fmt::format(", {} rotated", rotary_dim);
    if (weight) t += fmt::format(", weights {}", adj::dtype_name(weight));
    for (auto [on, name] : {std::pair{interleaved, "interleaved"},
                            {norm, "norm"},
                            {accumulate, "accumulate"},
                            {special, "NaN and infinity"},
                            {outside, "positions out of range"},
                            {far, "far positions"},
                            {table_rows > 0, "tables"},
                            {position != 0, "positions"},
                            {layout == Layout::beside_values, "beside values"},
                            {layout == Layout::heads_first, "heads first"}})
      if (on) t += fmt::format(", {}", name);
    if (shared_with) t += fmt::format(", in place of {}", shared_with);
    return t;
  }
};

adj_axes strides_of(const Setting& s) {
  const std::int64_t all = s.heads + s.kv_heads;
  if (s.layout == Layout::beside_values) return {3, {0, (all + s.kv_heads) * s.head_dim, 0}};
  if (s.layout == Layout::heads_first) return {3, {all * s.tokens * s.head_dim, s.head_dim, s.tokens * s.head_dim}};
  return {};
}
template <class Descriptor>
Descriptor descriptor_of(const Setting& s, const adj::Signature& signature) {
  Descriptor d;
  d.batch = s.batch;
  d.tokens = s.tokens;
  d.heads = s.heads;
  d.kv_heads = s.kv_heads;
  d.head_dim = s.head_dim;
  d.rotary_dim = s.rotary_dim;
  d.table_rows = s.table_rows;
  if (!s.table_rows && s.interleaved) d.base = 500000;
  d.element = signature[0];
  if (s.norm) {
    d.epsilon = 1e-3;
    d.weight = s.weight;
  }
  d.position = s.position;
  d.interleaved = s.interleaved;
  d.has_norm = s.norm;
  return d;
}

// Fills the arguments that both operators have.
void fill_common(const Setting& s, Problem& problem, Rng& rng) {
  if (s.position) {
    Data& positions = problem.tensor("positions");
    fill_integers(positions, rng, 0, s.table_rows ? s.table_rows - 1 : s.far ? (std::int64_t{1} << 31) - 1 : 5000);
    for (std::int64_t i = 0; s.outside && i < positions.numel(); i += 3)
      positions.set(i, i % 2 ? -1 : s.table_rows ? static_cast<double>(s.table_rows) : s.position == ADJ_I64 ? 0x1p31 : -0x1p31);
  }
  if (s.table_rows) {
    fill_uniform(problem.tensor("cos"), rng, -1, 1);
    fill_uniform(problem.tensor("sin"), rng, -1, 1);
  }
  if (s.norm) fill_uniform(problem.tensor("q_weight"), rng, -1.5, 1.5);
  if (s.norm && s.kv_heads) fill_uniform(problem.tensor("k_weight"), rng, 0.5, 1.5);
}
void make_special(const Setting& s, Data& data) {
  if (!s.special) return;
  data.set(data.numel() / 2, kNan);
  data.set(data.numel() - 1, kInfinity);
}

// Calls each(head, place of the head by strides, cosine of a pair, sine of a pair, slack) for every head of a token in range. slack: factor of the terms of a
// rotation.
template <class Descriptor, class Each>
void for_each_head(const Problem& problem, const Descriptor& d, Each each) {
  const std::int64_t pairs = adj::host::rotary_dim(d) / 2;
  for (std::int64_t i = 0; i < d.batch * d.tokens; ++i) {
    const std::int64_t b = i / d.tokens, t = i % d.tokens, position = d.position ? static_cast<std::int64_t>(problem.tensor("positions").get(i)) : t;
    if (position < 0 || position >= adj::host::rope_positions(d)) continue;
    const double far = static_cast<double>(position), slack = d.table_rows ? 1 : 1 + (d.element == ADJ_F64 ? far : far * 0x1p-29);
    for (std::int64_t h = 0; h < d.heads + d.kv_heads; ++h)
      each(
          h,
          [=](const adj_axes& given) {
            const auto s = adj::host::rope_strides(d, given);
            return b * s[0] + t * s[1] + h * s[2];
          },
          [&, position](std::int64_t j) {
            return d.table_rows
                       ? std::pair{std::fabs(problem.tensor("cos").get(position * pairs + j)), std::fabs(problem.tensor("sin").get(position * pairs + j))}
                       : std::pair{1.0, 1.0};
          },
          slack);
  }
}
// Terms of the rotation of a head, whose elements have the magnitudes z.
template <class Descriptor, class Table>
std::vector<double> rotated_terms(const Descriptor& d, std::vector<double> z, Table table, double slack) {
  const std::int64_t pairs = adj::host::rotary_dim(d) / 2;
  if (!d.has_norm)
    for (auto i = static_cast<std::size_t>(2 * pairs); i < z.size(); ++i) z[i] = 0;
  for (std::int64_t j = 0; j < pairs; ++j) {
    double &first = z[static_cast<std::size_t>(d.interleaved ? 2 * j : j)], &second = z[static_cast<std::size_t>(d.interleaved ? 2 * j + 1 : j + pairs)];
    const auto [c, s] = table(j);
    const double a = first, b = second;
    first = slack * (a * c + b * s);
    second = slack * (b * c + a * s);
  }
  return z;
}

std::vector<std::vector<double>> forward_magnitudes(const Problem& problem, const std::string& output) {
  if (output == "error_flag") return {{0}};
  const auto& d = *reinterpret_cast<const adj_rope_forward_descriptor*>(problem.descriptor());
  const Data& in = problem.tensor("input");
  std::vector<double> result(static_cast<std::size_t>(problem.tensor("out").numel()));
  for_each_head(problem, d, [&](std::int64_t h, auto place, auto table, double slack) {
    std::vector<double> z;
    double squares = 0;
    for (std::int64_t i = 0; i < d.head_dim; ++i) {
      z.push_back(std::fabs(in.get(place(d.strides) + i)));
      squares += z.back() * z.back();
    }
    const double inverse = 1 / std::sqrt(squares / static_cast<double>(d.head_dim) + d.epsilon);
    for (std::int64_t i = 0; d.has_norm && i < d.head_dim; ++i)
      z[static_cast<std::size_t>(i)] *= inverse * std::fabs(problem.tensor(h < d.heads ? "q_weight" : "k_weight").get(i));
    z = rotated_terms(d, z, table, slack);
    for (std::size_t i = 0; i < z.size(); ++i) result[static_cast<std::size_t>(place(d.out_strides)) + i] = z[i];
  });
  return {result};
}

std::vector<std::vector<double>> backward_magnitudes(const Problem& problem, const std::string& output) {
  if (output == "error_flag") return {{0}};
  const auto& d = *reinterpret_cast<const adj_rope_backward_descriptor*>(problem.descriptor());
  const Data& dout = problem.tensor("dout");
  const auto size = static_cast<std::size_t>(d.head_dim);
  std::vector<double> dinput(static_cast<std::size_t>(problem.tensor("dinput").numel())), weights(size);
  for_each_head(problem, d, [&](std::int64_t h, auto place, auto table, double slack) {
    std::vector<double> dz, x(size);
    for (std::int64_t i = 0; i < d.head_dim; ++i) dz.push_back(std::fabs(dout.get(place(d.dout_strides) + i)));
    dz = rotated_terms(d, dz, table, slack);
    if (d.has_norm) {
      double squares = 0, product = 0;
      for (std::size_t i = 0; i < size; ++i) {
        x[i] = std::fabs(problem.tensor("input").get(place(d.strides) + static_cast<std::int64_t>(i)));
        squares += x[i] * x[i];
      }
      const double inverse = 1 / std::sqrt(squares / static_cast<double>(d.head_dim) + d.epsilon);
      for (std::size_t i = 0; i < size; ++i) {
        x[i] *= inverse;
        if ((h < d.heads) == (output == "dq_weight")) weights[i] += dz[i] * x[i];
        dz[i] *= std::fabs(problem.tensor(h < d.heads ? "q_weight" : "k_weight").get(static_cast<std::int64_t>(i)));
        product += dz[i] * x[i];
      }
      for (std::size_t i = 0; i < size; ++i) dz[i] = inverse * (dz[i] + x[i] * product / static_cast<double>(d.head_dim));
    }
    for (std::size_t i = 0; i < size; ++i) dinput[static_cast<std::size_t>(place(d.dinput_strides)) + i] = dz[i];
  });
  if (output == "dinput") return {dinput};
  for (std::size_t i = 0; d.write_mode == ADJ_WRITE_ACCUMULATE && i < size; ++i)
    weights[i] += std::fabs(problem.tensor(output.c_str()).get(static_cast<std::int64_t>(i)));
  return {weights};
}

Case forward_case(const Setting& s, const adj::Signature& signature, std::uint64_t seed) {
  Rng rng(seed);
  auto d = descriptor_of<adj_rope_forward_descriptor>(s, signature);
  d.strides = strides_of(s);
  if (s.layout == Layout::heads_first || (s.layout == Layout::beside_values && s.interleaved) || s.shared_with) d.out_strides = strides_of(s);
  auto problem = std::make_shared<Problem>(Problem::of(d));
  fill_normal(problem->tensor("input"), rng);
  make_special(s, problem->tensor("input"));
  fill_common(s, *problem, rng);
  if (s.shared_with) problem->share("out", "input");
  return {s.text(), std::move(problem), forward_magnitudes};
}
Case backward_case(const Setting& s, const adj::Signature& signature, std::uint64_t seed) {
  Rng rng(seed);
  auto d = descriptor_of<adj_rope_backward_descriptor>(s, signature);
  d.write_mode = s.accumulate ? ADJ_WRITE_ACCUMULATE : ADJ_WRITE_DEFAULT;
  d.dinput_strides = strides_of(s);
  if (s.norm) d.strides = d.dinput_strides;
  if (s.layout == Layout::heads_first || (s.shared_with && std::string(s.shared_with) == "dout")) d.dout_strides = d.dinput_strides;
  auto problem = std::make_shared<Problem>(Problem::of(d));
  fill_normal(problem->tensor("dout"), rng);
  make_special(s, problem->tensor("dout"));
  if (s.norm) fill_normal(problem->tensor("input"), rng);
  fill_common(s, *problem, rng);
  if (s.accumulate) {
    fill_normal(problem->tensor("dq_weight"), rng);
    if (s.kv_heads) fill_normal(problem->tensor("dk_weight"), rng);
  }
  if (s.shared_with) problem->share("dinput", s.shared_with);
  return {s.text(), std::move(problem), backward_magnitudes};
}

std::vector<Setting> settings_of(const adj::Signature& signature, Level level, bool backward) {
  const std::int64_t unit = 16 / adj::size_of(signature[0]);
  std::vector<Setting> all;
  for (bool norm : {false, true}) {
    // Weights of another type than the elements come with the norm only.
    if (!norm && backward && signature[0] != signature[1]) continue;
    auto add = [&](auto change) {
      Setting s;
      s.norm = norm;
      if (norm && backward) s.weight = signature[1];
      if (norm && !backward && adj::is_16bit_float(signature[0]) && all.size() % 2) s.weight = ADJ_F32;
      change(s);
      all.push_back(s);
    };
    add([](Setting& s) { s.tokens = 0; });
    if (norm && backward)
      add([](Setting& s) {
        s.batch = 0;
        s.accumulate = true;
      });
    for (bool interleaved : {false, true}) {
      // Heads of whole units: one thread, several, all of a warp; parts that are not rotated; more heads than threads take at a time.
      add([&](Setting& s) {
        s.interleaved = interleaved;
        s.head_dim = 2 * unit;
        s.kv_heads = 0;
        s.heads = 1;
        s.tokens = 37;
      });
      add([&](Setting& s) {
        s.interleaved = interleaved;
        s.head_dim = 16 * unit;
        s.heads = 11;
        s.kv_heads = 3;
      });
      add([&](Setting& s) {
        s.interleaved = interleaved;
        s.head_dim = 9 * unit;
        s.rotary_dim = 4 * unit;
        s.layout = Layout::beside_values;
      });
      add([&](Setting& s) {
        s.interleaved = interleaved;
        s.head_dim = 64 * unit;
        s.rotary_dim = 2 * unit;
        s.tokens = 2;
      });
      // Any other heads.
      add([&](Setting& s) {
        s.interleaved = interleaved;
        s.head_dim = 6;
        s.heads = 70;
        s.kv_heads = 9;
      });
      add([&](Setting& s) {
        s.interleaved = interleaved;
        s.head_dim = 75;
        s.rotary_dim = 26;
        s.layout = Layout::beside_values;
      });
      add([&](Setting& s) {
        s.interleaved = interleaved;
        s.head_dim = 80;
        s.layout = Layout::heads_first;
        s.position = ADJ_I64;
        s.special = true;
      });
    }
    add([&](Setting& s) {
      s.head_dim = 4 * unit;
      s.position = ADJ_I32;
      s.outside = true;
      s.tokens = 7;
    });
    add([&](Setting& s) {
      s.head_dim = 4 * unit;
      s.position = ADJ_I64;
      s.outside = true;
      s.table_rows = 9;
      s.interleaved = true;
      s.tokens = 7;
      s.accumulate = norm && backward;
    });
    add([&](Setting& s) {
      s.head_dim = 4 * unit + 2;
      s.rotary_dim = 4 * unit;
      s.position = ADJ_I64;
      s.outside = true;
      s.table_rows = 5;
    });
    add([&](Setting& s) {
      s.head_dim = 64;
      s.table_rows = 3;
    });
    add([&](Setting& s) {
      s.head_dim = 16 * unit;
      s.position = ADJ_I32;
      s.far = true;
    });
    for (const char* shared : {backward ? "dout" : "input", "input"}) {
      if (backward && !norm && std::string(shared) == "input") continue;
      add([&](Setting& s) {
        s.head_dim = 8 * unit;
        s.layout = Layout::beside_values;
        s.shared_with = shared;
      });
      add([&](Setting& s) {
        s.head_dim = 8 * unit;
        s.rotary_dim = 2 * unit;
        s.position = ADJ_I32;
        s.outside = true;
        s.shared_with = shared;
      });
      add([&](Setting& s) {
        s.head_dim = 22;
        s.rotary_dim = 10;
        s.interleaved = true;
        s.layout = Layout::beside_values;
        s.shared_with = shared;
      });
      if (!backward) break;
    }
    add([&](Setting& s) {
      s.head_dim = 1024;
      s.rotary_dim = 512;
      s.tokens = 1;
      s.batch = 1;
    });
    if (norm && backward)
      add([&](Setting& s) {
        s.head_dim = 66;
        s.heads = 1;
        s.kv_heads = 0;
        s.tokens = 53;
        s.batch = 1;
        s.accumulate = true;
      });
    if (level == Level::full) {
      for (std::int64_t head_dim : {64, 96, 128, 256})
        add([&](Setting& s) {
          s.batch = 3;
          s.tokens = 1031;
          s.heads = 32;
          s.kv_heads = 8;
          s.head_dim = head_dim;
          s.layout = Layout::beside_values;
        });
      add([&](Setting& s) {
        s.batch = 1;
        s.tokens = 5000;
        s.heads = 12;
        s.kv_heads = 12;
        s.head_dim = 64;
        s.rotary_dim = 32;
        s.interleaved = true;
      });
      add([&](Setting& s) {
        s.batch = 2;
        s.tokens = 700;
        s.heads = 9;
        s.kv_heads = 3;
        s.head_dim = 72;
        s.rotary_dim = 18;
      });
    }
  }
  return all;
}

}  // namespace

std::vector<Case> rope_forward_cases(const adj::Signature& signature, Level level, std::uint64_t seed) {
  std::vector<Case> cases;
  for (const Setting& s : settings_of(signature, level, false)) cases.push_back(forward_case(s, signature, ++seed));
  return cases;
}
std::vector<Case> rope_backward_cases(const adj::Signature& signature, Level level, std::uint64_t seed) {
  std::vector<Case> cases;
  for (const Setting& s : settings_of(signature, level, true)) cases.push_back(backward_case(s, signature, ++seed));
  return cases;
}

}  // namespace harness
