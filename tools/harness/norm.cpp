// Cases of the norms and their gradients, and what their errors are measured against.
#include <cmath>
#include <limits>

#include <adjoint/ops/norm.h>

#include "harness/draw.hpp"
#include "harness/harness.hpp"

namespace harness {

namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();
constexpr double kNan = std::numeric_limits<double>::quiet_NaN();

// Settings of a case.
struct Setting {
  std::int64_t rows = 0, columns = 0;
  adj_dtype weight{};            // 0: the output's type
  const char* shared_with = nullptr;  // argument whose buffer dinput, or out, has
  const char* sum_with = nullptr;
  bool from_output = false, gamma = true, beta = true, dgamma = true, dbeta = true, accumulate = false, residual = false, sum = true, stats = true;
  bool special = false;          // NaN in row 1, an infinity in row 2
  bool outlier = false;          // one element of each row is far from the others
  bool zeros = false;            // input and residual are zeros of both signs and small integers
  double center = 0.3, spread = 1;
  std::string text() const {
    std::string t = fmt::format("{}x{}", rows, columns);
    if (weight) t += fmt::format(" weight {}", adj::dtype_name(weight));
    if (from_output) t += ", from Y";
    if (!gamma) t += ", no gamma";
    if (!beta) t += ", no beta";
    if (!dgamma) t += ", no dgamma";
    if (!dbeta) t += ", no dbeta";
    if (accumulate) t += ", accumulate";
    if (residual) t += sum ? ", residual" : ", residual without sum";
    if (!stats) t += ", no statistics";
    if (special) t += ", NaN and infinity";
    if (outlier) t += ", outliers";
    if (zeros) t += ", zeros of both signs";
    if (center != 0.3) t += fmt::format(", around {}", center);
    if (shared_with) t += fmt::format(", in place of {}", shared_with);
    if (sum_with) t += fmt::format(", sum in place of {}", sum_with);
    return t;
  }
};

bool has_argument(const Problem& problem, const char* name) {
  for (const auto& s : problem.op().arguments)
    if (std::string(s.name) == name) return problem.contents()[problem.argument(name)].present && !problem.contents()[problem.argument(name)].data.empty();
  return false;
}

void shape(adj_shape& s, std::int32_t& axis, std::int64_t rows, std::int64_t columns) {
  // Rows over two dimensions when their number is even.
  if (rows % 2 == 0 && rows > 0) {
    s.rank = 3;
    s.dims[0] = rows / 2;
    s.dims[1] = 2;
    s.dims[2] = columns;
    axis = -1;
  } else {
    s.rank = 2;
    s.dims[0] = rows;
    s.dims[1] = columns;
    axis = 1;
  }
}

template <class Descriptor>
std::pair<std::int64_t, std::int64_t> extents(const Problem& problem) {
  const auto& d = *reinterpret_cast<const Descriptor*>(problem.descriptor());
  std::int64_t rows = 1;
  for (std::int64_t i = 0; i + 1 < d.shape.rank; ++i) rows *= d.shape.dims[i];
  return {rows, d.shape.dims[d.shape.rank - 1]};
}

// ---- gradients

template <class Descriptor, bool centred>
std::vector<std::vector<double>> backward_magnitudes(const Problem& problem, const std::string& output) {
  const auto& d = *reinterpret_cast<const Descriptor*>(problem.descriptor());
  const auto [rows, columns] = extents<Descriptor>(problem);
  const Data& dout = problem.tensor("dout");
  const Data& saved = problem.tensor(d.from_output ? "out" : "input");
  const Data& inv_std = problem.tensor("inv_std");
  auto value = [&](const char* name, std::int64_t i, double other) { return has_argument(problem, name) ? problem.tensor(name).get(i) : other; };
  std::vector<double> dx(static_cast<std::size_t>(rows * columns)), weights(static_cast<std::size_t>(columns));
  const bool beta = output == "dbeta";
  for (std::int64_t i = 0; i < rows; ++i) {
    const double scale = inv_std.get(i), mean = centred && !d.from_output ? problem.tensor("mean").get(i) : 0;
    double s1 = 0, s2 = 0;
    auto h_of = [&](std::int64_t j) {
      const double v = saved.get(i * columns + j);
      if (d.from_output) return std::fabs((v - (centred ? value("beta", j, 0) : 0)) / value("gamma", j, 1));
      return std::fabs((v - mean) * scale);
    };
    for (std::int64_t j = 0; j < columns; ++j) {
      const double dy = std::fabs(dout.get(i * columns + j)), g = dy * std::fabs(value("gamma", j, 1)), h = h_of(j);
      s1 += g;
      s2 += g * h;
      weights[static_cast<std::size_t>(j)] += beta ? dy : dy * h;
    }
    if (output != "dinput") continue;
    for (std::int64_t j = 0; j < columns; ++j) {
      const std::int64_t at = i * columns + j;
      const double g = std::fabs(dout.get(at) * value("gamma", j, 1)), n = static_cast<double>(columns);
      dx[static_cast<std::size_t>(at)] = scale * (g + (centred ? s1 / n : 0) + h_of(j) * s2 / n) + std::fabs(value("dresidual", at, 0));
    }
  }
  if (output == "dinput") return {dx};
  if (d.write_mode == ADJ_WRITE_ACCUMULATE)
    for (std::int64_t j = 0; j < columns; ++j) weights[static_cast<std::size_t>(j)] += std::fabs(value(output.c_str(), j, 0));
  return {weights};
}

template <class Descriptor, bool centred>
Case backward_case(const Setting& s, const adj::Signature& signature, std::uint64_t seed) {
  Rng rng(seed);
  Descriptor d;
  shape(d.shape, d.axis, s.rows, s.columns);
  d.element = signature[0];
  d.output = signature[1];
  d.weight = s.weight;
  d.from_output = s.from_output;
  d.has_dgamma = s.dgamma;
  if constexpr (centred) d.has_dbeta = s.dbeta;
  d.write_mode = s.accumulate ? ADJ_WRITE_ACCUMULATE : ADJ_WRITE_DEFAULT;
  auto problem = std::make_shared<Problem>(Problem::of(d));
  fill_normal(problem->tensor("dout"), rng);
  if (has_argument(*problem, "gamma")) fill_uniform(problem->tensor("gamma"), rng, 0.5, 1.5);
  if (has_argument(*problem, "beta")) fill_normal(problem->tensor("beta"), rng);
  if (has_argument(*problem, "dresidual")) fill_normal(problem->tensor("dresidual"), rng);
  if (s.accumulate && s.dgamma) fill_normal(problem->tensor("dgamma"), rng);
  if (centred && s.accumulate && s.dbeta) fill_normal(problem->tensor("dbeta"), rng);
  // Statistics as a forward operator saves them.
  Data& inv_std = problem->tensor("inv_std");
  Data& saved = problem->tensor(s.from_output ? "out" : "input");
  Normal normal;
  const auto draw = [&] { return normal(rng) * s.spread + s.center; };
  for (std::int64_t i = 0; i < s.rows; ++i) {
    double sum = 0, squares = 0;
    std::vector<double> x(static_cast<std::size_t>(s.columns));
    for (std::int64_t j = 0; j < s.columns; ++j) {
      if (!s.from_output) saved.set(i * s.columns + j, draw());
      x[static_cast<std::size_t>(j)] = s.from_output ? draw() : saved.get(i * s.columns + j);
      sum += x[static_cast<std::size_t>(j)];
    }
    const double n = static_cast<double>(std::max<std::int64_t>(s.columns, 1)), mean = centred ? sum / n : 0;
    for (double v : x) squares += (v - mean) * (v - mean);
    const double scale = 1 / std::sqrt(squares / n + 1e-5);
    inv_std.set(i, scale);
    if (centred && !s.from_output) problem->tensor("mean").set(i, mean);
    if (s.from_output)
      for (std::int64_t j = 0; j < s.columns; ++j)
        saved.set(i * s.columns + j, (x[static_cast<std::size_t>(j)] - mean) * scale * problem->tensor("gamma").get(j) +
                                         (centred && has_argument(*problem, "beta") ? problem->tensor("beta").get(j) : 0));
  }
  if (s.special && s.columns > 0) {
    if (s.rows > 1) problem->tensor("dout").set(s.columns + s.columns / 2, kNan);
    if (s.rows > 2) problem->tensor("dout").set(2 * s.columns + s.columns / 2, kInfinity);
  }
  if (!s.gamma && !s.from_output) problem->omit("gamma");
  if (centred && !s.beta && s.from_output) problem->omit("beta");
  if (!s.residual) problem->omit("dresidual");
  if (s.shared_with) problem->share("dinput", s.shared_with);
  return {s.text(), std::move(problem), backward_magnitudes<Descriptor, centred>};
}

template <class Descriptor, bool centred>
std::vector<Case> backward_cases(const adj::Signature& signature, Level level, std::uint64_t seed) {
  const bool same = signature[0] == signature[1];
  const std::int64_t size = std::min(adj::size_of(signature[0]), adj::size_of(signature[1])), unit = 16 / size;
  std::vector<Setting> settings;
  auto add = [&](std::int64_t rows, std::int64_t columns, auto change) {
    Setting s;
    s.rows = rows;
    s.columns = columns;
    change(s);
    if (s.shared_with && !same && (std::string(s.shared_with) == "dout" || std::string(s.shared_with) == "out")) s.shared_with = nullptr;
    settings.push_back(s);
  };
  auto plain = [](Setting&) {};
  const adj_dtype other = signature[0] == ADJ_F64 ? ADJ_F64 : signature[1] == ADJ_F32 ? ADJ_BF16 : ADJ_F32;
  for (auto [rows, columns] : {std::pair{0, 5}, {3, 0}, {1, 1}, {5, 1}}) add(rows, columns, plain);
  add(0, 7, [](Setting& s) { s.accumulate = true; });
  // Columns on both sides of each change of the number of lanes or units; rows of whole units and not.
  for (std::int64_t columns : {std::int64_t{3}, unit, 2 * unit + 1, 5 * unit, 31 * unit, 64 * unit + 1}) add(7, columns, plain);
  add(40, 3 * unit, [&](Setting& s) { s.weight = other; });
  add(33, 7, [](Setting& s) { s.residual = true; });
  add(3, 200 * unit, [&](Setting& s) {
    s.residual = true;
    s.shared_with = "dresidual";
    s.accumulate = true;
  });
  add(4, 130 * unit + 3, [&](Setting& s) {
    s.weight = other;
    s.residual = true;
  });
  for (const char* shared : {"dout", "input"}) add(6, 4 * unit, [&](Setting& s) { s.shared_with = shared; });
  add(6, 4 * unit + 1, [&](Setting& s) { s.shared_with = "input"; });
  add(5, 40, [](Setting& s) {
    s.gamma = false;
    s.dgamma = false;
  });
  add(5, 37, [](Setting& s) { s.dgamma = s.dbeta = false; });
  add(5, 24, [](Setting& s) {
    s.dbeta = false;
    s.gamma = false;
  });
  add(4, 6 * unit, [](Setting& s) { s.special = true; });
  add(3, 150 * unit, [](Setting& s) { s.special = true; });
  add(3, 64, [](Setting& s) {
    s.center = 1000;
    s.spread = 4;
  });
  for (std::int64_t columns : {std::int64_t{1}, 3 * unit, 3 * unit + 1, 140 * unit}) add(5, columns, [](Setting& s) { s.from_output = true; });
  add(4, 33, [&](Setting& s) {
    s.from_output = true;
    s.beta = false;
    s.weight = other;
    s.residual = true;
  });
  add(4, 8 * unit, [](Setting& s) {
    s.from_output = true;
    s.shared_with = "out";
  });
  if (centred) add(3, 16, [](Setting& s) { s.dgamma = false; });
  // Rows longer than a block holds; more rows than slices.
  add(2, 8192 + 2 * unit, plain);
  add(2, 8200 + 3, [&](Setting& s) { s.weight = other; });
  add(1500, 3, [](Setting& s) { s.accumulate = true; });
  // With two blocks at most, fills the rings of eight groups in each of two slices again, some of them twice.
  add(2 * 8 * 4 + 20, 33 * unit, [](Setting& s) { s.residual = true; });
  if (level == Level::full) {
    for (std::int64_t columns : {128, 127, 768, 1024, 1600, 4096, 5000, 8192}) add(600, columns, [&](Setting& s) { s.residual = columns == 1024; });
    for (std::int64_t columns : {8200, 12288, 16384, 20001, 32768, 65536, 65544, 100'003}) add(37, columns, plain);
    for (std::int64_t columns : {12288, 16385, 70'000})
      add(9, columns, [](Setting& s) {
        s.from_output = true;
        s.residual = true;
      });
    add(1, 1 << 20, plain);
    add(1, 1'000'003, plain);
    add(200'000, 16, plain);
    add(100'000, 1, plain);
    // Fills the rings of 256 groups in each of 264 slices again, some of them twice.
    add(264 * 256 * 4 + 300, 16 / size, [](Setting& s) { s.residual = true; });
    add(70'001, 5, plain);
    add(66'000, 128, [](Setting& s) { s.accumulate = true; });
    add(300, 4096, [](Setting& s) { s.shared_with = "dout"; });
    add(300, 10'240, [](Setting& s) { s.shared_with = "input"; });
  }
  std::vector<Case> result;
  for (const Setting& s : settings) result.push_back(backward_case<Descriptor, centred>(s, signature, ++seed));
  return result;
}

// ---- forward

template <class Descriptor, bool centred>
std::vector<std::vector<double>> forward_magnitudes(const Problem& problem, const std::string& output) {
  const auto& d = *reinterpret_cast<const Descriptor*>(problem.descriptor());
  const auto [rows, columns] = extents<Descriptor>(problem);
  auto value = [&](const char* name, std::int64_t i, double other) { return has_argument(problem, name) ? problem.tensor(name).get(i) : other; };
  if (output == "sum" || columns == 0) return {std::vector<double>(static_cast<std::size_t>(rows * columns))};
  std::vector<double> y(static_cast<std::size_t>(rows * columns)), stats(static_cast<std::size_t>(rows));
  const bool stored = !d.has_residual || has_argument(problem, "sum");
  std::vector<double> v(static_cast<std::size_t>(columns)), e(static_cast<std::size_t>(columns));
  Data rounded = problem.tensor("input");
  for (std::int64_t i = 0; i < rows; ++i) {
    double mean = 0, size = 0, squares = 0, mean_e = 0, mean_e2 = 0;
    const double n = static_cast<double>(columns);
    for (std::int64_t j = 0; j < columns; ++j) {
      const std::int64_t at = i * columns + j;
      double& x = v[static_cast<std::size_t>(j)];
      x = problem.tensor("input").get(at) + (d.has_residual ? problem.tensor("residual").get(at) : 0);
      if (d.has_residual && stored) {
        rounded.set(at, x);
        x = rounded.get(at);
      }
      if (centred) mean += x / n;
      size += std::fabs(x) / n;
    }
    for (std::int64_t j = 0; j < columns; ++j) {
      const std::int64_t at = i * columns + j;
      const double x = v[static_cast<std::size_t>(j)];
      double& own = e[static_cast<std::size_t>(j)];
      own = std::fabs(x - mean) + (centred ? 0x1p-20 * size : 0);
      if (!stored) own += std::fabs(problem.tensor("input").get(at)) + std::fabs(problem.tensor("residual").get(at));
      squares += (x - mean) * (x - mean) / n;
      mean_e += own / n;
      mean_e2 += own * own / n;
    }
    const double scale = 1 / std::sqrt(squares + d.epsilon), q = 1 + mean_e2 * scale * scale;
    stats[static_cast<std::size_t>(i)] = output == "mean" ? mean_e : scale * q;
    for (std::int64_t j = 0; j < columns; ++j)
      y[static_cast<std::size_t>(i * columns + j)] = scale * std::fabs(value("gamma", j, 1)) * (e[static_cast<std::size_t>(j)] + (centred ? mean_e : 0)) * q +
                                                     (centred ? std::fabs(value("beta", j, 0)) : 0);
  }
  if (output == "out") return {y};
  return {stats};
}

template <class Descriptor, bool centred>
Case forward_case(const Setting& s, const adj::Signature& signature, std::uint64_t seed) {
  Rng rng(seed);
  Descriptor d;
  shape(d.shape, d.axis, s.rows, s.columns);
  d.element = signature[0];
  d.output = signature[1];
  d.weight = s.weight;
  d.has_residual = s.residual;
  auto problem = std::make_shared<Problem>(Problem::of(d));
  Data& x = problem->tensor("input");
  fill_normal(x, rng, s.spread, s.center);
  fill_uniform(problem->tensor("gamma"), rng, -1.5, 1.5);
  if (centred) fill_normal(problem->tensor("beta"), rng);
  if (s.residual) fill_normal(problem->tensor("residual"), rng);
  for (std::int64_t i = 0; s.outlier && i < s.rows; ++i) x.set(i * s.columns + (i % 2 ? s.columns / 2 : 0), s.center + 500 * s.spread);
  if (s.zeros)
    for (const char* name : {"input", "residual"}) {
      Data& data = problem->tensor(name);
      fill_integers(data, rng, -3, 3);
      for (std::int64_t i = 0; i < data.numel(); ++i)
        if (std::fabs(data.get(i)) > 1) data.set(i, std::copysign(0.0, data.get(i)));
    }
  if (s.special && s.columns > 0) {
    if (s.rows > 1) x.set(s.columns + s.columns / 2, kNan);
    if (s.rows > 2) x.set(2 * s.columns + s.columns / 2, kInfinity);
  }
  if (s.residual && !s.sum) problem->omit("sum");
  if (!s.gamma) problem->omit("gamma");
  if (centred && !s.beta) problem->omit("beta");
  if (!s.stats) {
    problem->omit("inv_std");
    if (centred) problem->omit("mean");
  }
  if (s.shared_with) problem->share("out", s.shared_with);
  if (s.sum_with) problem->share("sum", s.sum_with);
  // The results of rows without elements are not specified.
  return {s.text(), std::move(problem), forward_magnitudes<Descriptor, centred>,
          {},       s.columns == 0,     s.zeros ? std::vector<std::string>{"sum"} : std::vector<std::string>{}};
}

template <class Descriptor, bool centred>
std::vector<Case> forward_cases(const adj::Signature& signature, Level level, std::uint64_t seed) {
  const bool same = signature[0] == signature[1];
  const std::int64_t unit = 16 / std::min(adj::size_of(signature[0]), adj::size_of(signature[1]));
  std::vector<Setting> settings;
  auto add = [&](std::int64_t rows, std::int64_t columns, auto change) {
    Setting s;
    s.rows = rows;
    s.columns = columns;
    change(s);
    if (!same) s.shared_with = nullptr;
    settings.push_back(s);
  };
  auto plain = [](Setting&) {};
  const adj_dtype other = signature[0] == ADJ_F64 ? ADJ_F64 : signature[1] == ADJ_F32 ? ADJ_F16 : ADJ_F32;
  for (auto [rows, columns] : {std::pair{0, 5}, {3, 0}, {1, 1}, {5, 1}}) add(rows, columns, plain);
  for (std::int64_t columns : {std::int64_t{3}, unit, 2 * unit + 1, 31 * unit, 64 * unit + 1, 130 * unit}) add(7, columns, plain);
  add(7, 32 * unit, [](Setting& s) { s.residual = true; });  // each thread has as many units as it holds
  add(40, 3 * unit, [&](Setting& s) {
    s.weight = other;
    s.residual = true;
  });
  add(9, 37, [&](Setting& s) {
    s.residual = true;
    s.sum = false;
  });
  add(5, 150 * unit, [&](Setting& s) {
    s.residual = true;
    s.sum_with = "residual";
    s.shared_with = "input";
  });
  add(5, 150 * unit + 1, [&](Setting& s) {
    s.residual = true;
    s.sum_with = "input";
  });
  add(6, 4 * unit, [&](Setting& s) { s.shared_with = "input"; });
  add(6, 4 * unit + 1, [&](Setting& s) {
    s.shared_with = "input";
    s.gamma = s.beta = false;
  });
  add(5, 40, [](Setting& s) {
    s.beta = false;
    s.stats = false;
  });
  add(4, 6 * unit, [](Setting& s) { s.special = true; });
  add(3, 150 * unit, [](Setting& s) { s.special = true; });
  if (signature[0] == ADJ_F32 || signature[0] == ADJ_F64)
    add(3, 600, [](Setting& s) {
      s.center = 1e4;
      s.spread = 1e-2;
    });
  add(3, 64, [](Setting& s) {
    s.center = 5;
    s.spread = 0;
  });
  for (std::int64_t columns : {std::int64_t{40}, 150 * unit, 8192 + 2 * unit, 16384 + 2 * unit, std::int64_t{33'001}}) {
    add(2, columns, [](Setting& s) {
      s.outlier = true;
      s.center = 14;
    });
    add(2, columns, [](Setting& s) { s.residual = s.zeros = true; });
  }
  add(2, 8192 + 2 * unit, [](Setting& s) {
    s.residual = true;
    s.sum_with = "input";
  });
  add(2, 8200 + 3, [&](Setting& s) {
    s.weight = other;
    s.center = 100;
  });
  add(1500, 3, plain);
  if (level == Level::full) {
    for (std::int64_t columns : {128, 127, 768, 1024, 4096, 5000, 8192, 12288, 16385}) add(300, columns, [&](Setting& s) { s.residual = columns == 1024; });
    for (std::int64_t columns : {65536, 100'003, 1 << 20}) add(3, columns, [](Setting& s) { s.residual = true; });
    add(100'000, 7, plain);
    add(70'001, 128, plain);
  }
  std::vector<Case> result;
  for (const Setting& s : settings) result.push_back(forward_case<Descriptor, centred>(s, signature, ++seed));
  return result;
}

}  // namespace

std::vector<Case> layer_norm_backward_cases(const adj::Signature& signature, Level level, std::uint64_t seed) {
  return backward_cases<adj_layer_norm_backward_descriptor, true>(signature, level, seed);
}
std::vector<Case> rms_norm_backward_cases(const adj::Signature& signature, Level level, std::uint64_t seed) {
  return backward_cases<adj_rms_norm_backward_descriptor, false>(signature, level, seed);
}
std::vector<Case> layer_norm_forward_cases(const adj::Signature& signature, Level level, std::uint64_t seed) {
  return forward_cases<adj_layer_norm_forward_descriptor, true>(signature, level, seed);
}
std::vector<Case> rms_norm_forward_cases(const adj::Signature& signature, Level level, std::uint64_t seed) {
  return forward_cases<adj_rms_norm_forward_descriptor, false>(signature, level, seed);
}

}  // namespace harness
