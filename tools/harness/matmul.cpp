// Cases of the matrix product, and what its errors are measured against.
#include <adjoint/ops/matmul.h>

#include <cmath>
#include <limits>
#include <stdexcept>

#include "harness/harness.hpp"

namespace harness {

namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();
constexpr double kNan = std::numeric_limits<double>::quiet_NaN();
constexpr double kLeftOpen = -1;  // a magnitude
constexpr adj_matmul_epilogue kGelu = ADJ_MATMUL_EPILOGUE_GELU_TANH, kGeluBackward = ADJ_MATMUL_EPILOGUE_GELU_TANH_BACKWARD;

struct Setting {
  std::int64_t m, n, k, batch = 1;
  int ta = 0, tb = 0;
  std::int64_t lda = 0, ldb = 0, ldd = 0, stride_a = 0, stride_b = 0, stride_d = 0;
  double alpha = 1, beta = 0;
  adj_matmul_epilogue epilogue{};
  int bias = 0, preactivation = 0, dbias = 0, accumulate = 0;
  bool same_c = false;   // c is d itself
  bool special = false;  // a NaN and infinities in a and b

  std::string text() const {
    std::string t = fmt::format("{}x{}x{}{}{}", m, n, k, ta ? " T" : " N", tb ? "T" : "N");
    if (batch != 1) t += fmt::format(", batch {}", batch);
    if (lda || ldb || ldd) t += fmt::format(", ld {} {} {}", lda, ldb, ldd);
    if (stride_a || stride_b || stride_d) t += fmt::format(", strides {} {} {}", stride_a, stride_b, stride_d);
    if (alpha != 1) t += fmt::format(", alpha {}", alpha);
    if (beta != 0) t += fmt::format(", beta {}{}", beta, same_c ? " in place" : "");
    if (epilogue) t += fmt::format(", epilogue {}", epilogue);
    if (bias) t += ", bias";
    if (preactivation) t += ", preactivation";
    if (dbias) t += ", dbias";
    if (accumulate) t += ", accumulate";
    if (special) t += ", NaN and infinity";
    return t;
  }
};

// The sums of magnitudes are the results of the product of magnitudes, without an epilogue.
std::vector<std::vector<double>> magnitudes(const Problem& problem, const std::string& output) {
  auto d = *reinterpret_cast<const adj_matmul_descriptor*>(problem.descriptor());
  const bool curved = d.epilogue > ADJ_MATMUL_EPILOGUE_NONE;
  d.epilogue = ADJ_MATMUL_EPILOGUE_NONE;
  d.has_preactivation = 0;
  d.alpha = std::fabs(d.alpha);
  d.beta = std::fabs(d.beta);
  Problem positive = Problem::of(d);
  for (std::size_t i = 0; i < positive.contents().size(); ++i) {
    if (!positive.contents()[i].present) continue;
    const int shared = problem.contents()[i].shares;
    positive.contents()[i].data = problem.contents()[shared < 0 ? i : static_cast<std::size_t>(shared)].data;
    for (Data& data : positive.contents()[i].data)
      for (std::int64_t e = 0; e < data.numel(); ++e) data.set(e, std::fabs(data.get(e)));
  }
  auto outputs = run_reference(positive);
  if (!outputs) throw std::logic_error("harness: " + outputs.error().message);
  const Data& sums = outputs->arguments[positive.argument(output == "dbias" ? "dbias" : "d")].at(0);
  const double factor = 1.01 * (curved && output == "d" ? 1.13 : 1);
  std::vector<double> result;
  for (std::int64_t i = 0; i < sums.numel(); ++i) result.push_back(factor * sums.get(i));
  return {result};
}

// The same for cuBLASLt, which may give NaN beside an infinity where there is an activation.
std::vector<std::vector<double>> magnitudes_of_libraries(const Problem& problem, const std::string& output) {
  auto result = magnitudes(problem, output);
  const auto& d = *reinterpret_cast<const adj_matmul_descriptor*>(problem.descriptor());
  if (d.epilogue != kGeluBackward || output != "d") return result;
  const Data& saved = problem.tensor("saved");
  for (std::int64_t i = 0; i < saved.numel(); ++i)
    if (double& terms = result[0][static_cast<std::size_t>(i)]; !std::isfinite(terms) || std::isinf(saved.get(i))) terms = kLeftOpen;
  return result;
}

Case make_case(const Setting& s, const adj::Signature& signature, std::uint64_t seed) {
  Rng rng(seed);
  adj_matmul_descriptor d;
  d.m = s.m, d.n = s.n, d.k = s.k, d.batch = s.batch;
  d.lda = s.lda, d.ldb = s.ldb, d.ldd = s.ldd;
  d.stride_a = s.stride_a, d.stride_b = s.stride_b, d.stride_d = s.stride_d;
  d.alpha = s.alpha, d.beta = s.beta;
  d.transpose_a = s.ta, d.transpose_b = s.tb;
  d.epilogue = s.epilogue;
  d.has_bias = s.bias, d.has_preactivation = s.preactivation, d.has_dbias = s.dbias;
  d.write_mode = s.accumulate ? ADJ_WRITE_ACCUMULATE : ADJ_WRITE_DEFAULT;
  d.element = signature[0];
  d.out = signature[1];
  auto problem = std::make_shared<Problem>(Problem::of(d));
  for (auto& argument : problem->contents())
    for (Data& data : argument.data) fill_normal(data, rng);
  if (s.same_c) problem->share("d", "c");
  if (s.special) {
    Data &a = problem->tensor("a"), &b = problem->tensor("b");
    a.set(a.numel() / 2, kNan);
    a.set(1, kInfinity);
    b.set(b.numel() - 1, -kInfinity);
    // Slopes that are 1, that round to 0 in f32 or in f64, and 0 itself.
    if (d.epilogue == kGeluBackward) {
      constexpr double kSaved[] = {kInfinity, -12.5, -kInfinity, -40, 0.5, -60000};
      Data& saved = problem->tensor("saved");
      for (std::int64_t i = 0; i < saved.numel(); ++i) saved.set(i, kSaved[i % 6]);
    }
  }
  return {.name = s.text(), .problem = std::move(problem), .magnitudes = magnitudes, .of_libraries = magnitudes_of_libraries};
}

}  // namespace

std::vector<Case> matmul_cases(const adj::Signature& signature, Level level, std::uint64_t seed) {
  std::vector<Setting> settings{
      {.m = 0, .n = 3, .k = 4, .bias = 1},
      {.m = 3, .n = 0, .k = 5, .ta = 1, .dbias = 1},
      {.m = 3, .n = 4, .k = 5, .batch = 0},
      {.m = 3, .n = 5, .k = 0, .bias = 1},
      {.m = 3, .n = 5, .k = 0, .ta = 1, .beta = 0.5, .dbias = 1},
      {.m = 3, .n = 5, .k = 0, .ta = 1, .dbias = 1, .accumulate = 1},
      {.m = 1, .n = 1, .k = 1},
      {.m = 37, .n = 21, .k = 19, .tb = 1, .bias = 1},
      {.m = 40, .n = 48, .k = 24, .tb = 1, .bias = 1},
      {.m = 5, .n = 8, .k = 16, .tb = 1, .lda = 24, .ldb = 16, .ldd = 9, .epilogue = kGelu, .bias = 1, .preactivation = 1},
      {.m = 16, .n = 24, .k = 32, .tb = 1, .epilogue = kGelu, .bias = 1, .preactivation = 1},
      {.m = 7, .n = 9, .k = 11, .alpha = -0.75, .epilogue = kGelu},
      {.m = 16, .n = 40, .k = 24, .epilogue = kGeluBackward},
      {.m = 9, .n = 6, .k = 10, .ldd = 8, .alpha = 0.5, .epilogue = kGeluBackward},
      {.m = 24, .n = 16, .k = 70, .ta = 1, .dbias = 1, .accumulate = 1},
      {.m = 13, .n = 10, .k = 33, .ta = 1, .lda = 15, .ldb = 11, .ldd = 12, .dbias = 1, .accumulate = 1},
      {.m = 8, .n = 8, .k = 9, .ta = 1, .alpha = 2, .dbias = 1},
      {.m = 6, .n = 7, .k = 8, .ta = 1, .tb = 1, .beta = -1.5},
      {.m = 16, .n = 16, .k = 16, .beta = 1, .bias = 1, .same_c = true},
      {.m = 8, .n = 16, .k = 8, .batch = 3, .tb = 1, .bias = 1},
      {.m = 5, .n = 6, .k = 7, .batch = 3, .alpha = 0.25, .beta = 1},
      // Heads side by side: matrices of A, B and D lie beside each other.
      {.m = 6, .n = 8, .k = 8, .batch = 3, .tb = 1, .lda = 24, .ldb = 24, .ldd = 24, .stride_a = 8, .stride_b = 8, .stride_d = 8},
      {.m = 9, .n = 5, .k = 6, .batch = 2, .ta = 1, .lda = 18, .ldb = 5, .ldd = 11, .stride_a = 9, .stride_b = 31, .stride_d = 5, .accumulate = 1},
      // Matrices of B that overlap, as a broadcast one of a single row does.
      {.m = 4, .n = 4, .k = 3, .batch = 2, .stride_b = 4, .epilogue = kGelu, .preactivation = 1},
      {.m = 5, .n = 6, .k = 7, .special = true},
      {.m = 16, .n = 8, .k = 8, .tb = 1, .special = true},
      {.m = 9, .n = 7, .k = 5, .epilogue = kGeluBackward, .special = true},
      {.m = 16, .n = 40, .k = 24, .epilogue = kGeluBackward, .special = true},
      // More than one tile.
      {.m = 136, .n = 144, .k = 40, .tb = 1, .bias = 1},
      {.m = 130, .n = 70, .k = 24, .ta = 1, .dbias = 1},
      {.m = 129, .n = 257, .k = 33, .bias = 1},
      {.m = 127, .n = 264, .k = 72, .tb = 1, .epilogue = kGelu, .bias = 1, .preactivation = 1},
      {.m = 136, .n = 255, .k = 40, .ta = 1, .accumulate = 1},
      {.m = 264, .n = 256, .k = 32, .ta = 1, .tb = 1, .beta = 0.5},
      {.m = 72, .n = 200, .k = 104, .epilogue = kGeluBackward},
      {.m = 128, .n = 72, .k = 224, .batch = 2, .ta = 1, .bias = 1},
      // Several arguments.
      {.m = 3, .n = 5, .k = 1300, .tb = 1},
      {.m = 8, .n = 8, .k = 1400, .ta = 1, .dbias = 1, .accumulate = 1},
  };
  if (level == Level::full) {
    for (int ta : {0, 1})
      for (int tb : {0, 1}) {
        settings.push_back({.m = 512, .n = 384, .k = 1024, .ta = ta, .tb = tb, .bias = 1});
        settings.push_back({.m = 257, .n = 131, .k = 515, .ta = ta, .tb = tb, .alpha = 0.5, .beta = 2});
        settings.push_back({.m = 64, .n = 64, .k = 96, .batch = 48, .ta = ta, .tb = tb, .epilogue = kGelu, .preactivation = 1});
      }
    settings.push_back({.m = 2048, .n = 768, .k = 256, .tb = 1, .epilogue = kGelu, .bias = 1, .preactivation = 1});
    settings.push_back({.m = 2048, .n = 768, .k = 256, .epilogue = kGeluBackward});
    settings.push_back({.m = 256, .n = 192, .k = 20000, .ta = 1, .dbias = 1, .accumulate = 1});
    settings.push_back({.m = 200, .n = 104, .k = 30001, .ta = 1, .dbias = 1});
    // Several rounds on tensor cores: too many matrices to divide the depth.
    if (adj::is_16bit_float(signature[0])) {
      settings.push_back({.m = 3, .n = 8, .k = 16400, .batch = 70, .tb = 1, .bias = 1});
      settings.push_back({.m = 8, .n = 8, .k = 33000, .batch = 70, .ta = 1, .accumulate = 1});
    }
  }
  std::vector<Case> result;
  for (const Setting& s : settings) result.push_back(make_case(s, signature, ++seed));
  return result;
}

}  // namespace harness
