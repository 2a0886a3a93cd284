// Cases of the reductions: every arrangement of kept and reduced axes, sizes around units, tiles and splits, special values.
#include <algorithm>
#include <cmath>
#include <numeric>

#include <adjoint/ops/reduce.h>

#include "harness/harness.hpp"

namespace harness {

namespace {

struct Shape {
  std::string name;
  std::vector<std::int64_t> dims;
  std::vector<std::int64_t> axes{};
  int keepdims = 1, noop = 0;
};

adj_reduce_descriptor descriptor_of(const Shape& shape) {
  adj_reduce_descriptor d;
  d.shape.rank = static_cast<std::int64_t>(shape.dims.size());
  std::copy(shape.dims.begin(), shape.dims.end(), d.shape.dims);
  d.axes.count = static_cast<std::int64_t>(shape.axes.size());
  std::copy(shape.axes.begin(), shape.axes.end(), d.axes.at);
  d.keepdims = shape.keepdims;
  d.noop_with_empty_axes = shape.noop;
  return d;
}

// Calls each(output, value) for every element of the input.
template <class Each>
void for_each_element(const Problem& p, Each each) {
  const auto& d = *reinterpret_cast<const adj_reduce_descriptor*>(p.descriptor());
  const Data& in = p.tensor("input");
  const std::int64_t rank = d.shape.rank;
  bool reduced[ADJ_MAX_RANK] = {};
  for (std::int64_t i = 0; i < d.axes.count; ++i) reduced[d.axes.at[i] < 0 ? d.axes.at[i] + rank : d.axes.at[i]] = true;
  if (d.axes.count == 0 && !d.noop_with_empty_axes) std::fill(reduced, reduced + rank, true);
  // With segments: the stride between segments in the output, and the index along the axis.
  std::int64_t stride_of_segments = 0, place = 0;
  for (std::int64_t e = 0, total = in.numel(); e < total; ++e) {
    std::int64_t rest = e, output = 0, stride = 1;
    for (std::int64_t i = rank; i-- > 0;) {
      if (!reduced[i]) {
        output += rest % d.shape.dims[i] * stride;
        stride *= d.shape.dims[i];
      } else if (d.segments >= 0) {
        place = rest % d.shape.dims[i];
        stride_of_segments = stride;
        stride *= d.segments;
      }
      rest /= d.shape.dims[i];
    }
    if (d.segments < 0) each(static_cast<std::size_t>(output), in.get(e));
    for (std::int64_t s = 0; s < d.segments; ++s) {
      const Data& offsets = p.tensor("offsets");
      const double begin = offsets.get(s), end = offsets.get(s + 1);
      if (0 <= begin && begin <= end && end <= static_cast<double>(d.shape.dims[d.axes.at[0] < 0 ? d.axes.at[0] + rank : d.axes.at[0]]) &&
          begin <= static_cast<double>(place) && static_cast<double>(place) < end)
        each(static_cast<std::size_t>(output + s * stride_of_segments), in.get(e));
    }
  }
}

// Magnitudes: of a sum, its terms; of a product, itself times the number of its factors; of a logarithm, the numbers that it is the sum of.
std::vector<std::vector<double>> magnitudes(const Problem& p, const std::string&) {
  const auto& d = *reinterpret_cast<const adj_reduce_descriptor*>(p.descriptor());
  const auto outputs = static_cast<std::size_t>(p.tensor("output").numel());
  std::vector<double> sum(outputs, 0), count(outputs, 0), most(outputs, 0), product(outputs, 1);
  const bool square = d.kind == ADJ_REDUCE_KIND_SUM_SQUARE || d.kind == ADJ_REDUCE_KIND_L2;
  for_each_element(p, [&](std::size_t o, double x) {
    sum[o] += square ? x * x : std::fabs(x);
    if (std::isfinite(x)) most[o] = std::max(most[o], std::fabs(x));
    product[o] *= std::fabs(x);
    ++count[o];
  });
  std::vector<double> result(outputs);
  for (std::size_t o = 0; o < outputs; ++o) switch (d.kind) {
      case ADJ_REDUCE_KIND_MEAN: result[o] = sum[o] / count[o]; break;
      case ADJ_REDUCE_KIND_L2: result[o] = std::sqrt(sum[o]); break;
      case ADJ_REDUCE_KIND_PROD: result[o] = product[o] * (count[o] + 2); break;
      case ADJ_REDUCE_KIND_LOGSUMEXP: result[o] = 1 + most[o] + std::log(count[o] + 1); break;
      default: result[o] = sum[o]; break;
    }
  if (d.write_mode == ADJ_WRITE_ACCUMULATE)
    for (std::size_t o = 0; o < outputs; ++o) result[o] += std::fabs(p.tensor("output").get(static_cast<std::int64_t>(o)));
  return {result};
}

}  // namespace

std::vector<Case> reduce_cases(const adj::Signature& signature, Level level, std::uint64_t seed) {
  struct Options {
    std::string name;
    bool special = false;
    adj_dtype output = ADJ_DTYPE_NONE;
    bool accumulate = false;
  };
  std::vector<Case> cases;
  Rng rng(seed);
  const bool integer = signature[0] == ADJ_I32;
  // Adds a case with segments of one axis. Its twin has the segments `moved` indices later, behind elements that belong to no segment.
  auto add_segments = [&](const std::string& name, const Shape& shape, std::vector<std::int64_t> offsets, adj_reduce_kind kind, adj_dtype type,
                          std::int64_t moved, auto fill) {
    auto make = [&](std::int64_t front) {
      const auto axis = static_cast<std::size_t>(shape.axes[0]);
      Shape longer = shape;
      longer.dims[axis] += front;
      auto d = descriptor_of(longer);
      d.kind = kind;
      d.element = signature[0];
      d.segments = static_cast<std::int64_t>(offsets.size()) - 1;
      d.offset = type;
      auto problem = std::make_shared<Problem>(Problem::of(d));
      Data& places = problem->tensor("offsets");
      problem->tensor("error_flag").set(0, 3);
      for (std::size_t i = 0; i < offsets.size(); ++i) places.set(static_cast<std::int64_t>(i), static_cast<double>(offsets[i] + front));
      return problem;
    };
    auto problem = make(0);
    Data& in = problem->tensor("input");
    fill(in, kind);
    std::shared_ptr<Problem> twin;
    if (moved) {
      twin = make(moved);
      Data& to = twin->tensor("input");
      fill_constant(to, 1e9);
      std::int64_t run = 1;  // elements of the axis and of the dimensions inside it
      for (std::size_t i = static_cast<std::size_t>(shape.axes[0]); i < shape.dims.size(); ++i) run *= shape.dims[i];
      const std::int64_t gap = run / shape.dims[static_cast<std::size_t>(shape.axes[0])] * moved;
      for (std::int64_t i = 0; i < in.numel(); ++i) to.set(i + (i / run + 1) * gap, in.get(i));
    }
    cases.push_back({fmt::format("segments, {}, kind {}", name, kind), problem, magnitudes, twin});
  };
  std::vector<adj_reduce_kind> kinds{ADJ_REDUCE_KIND_SUM, ADJ_REDUCE_KIND_MEAN, ADJ_REDUCE_KIND_SUM_SQUARE, ADJ_REDUCE_KIND_L2};
  if (integer) kinds = {ADJ_REDUCE_KIND_SUM, ADJ_REDUCE_KIND_SUM_SQUARE};
  if (signature.choice == "max") kinds = {ADJ_REDUCE_KIND_MAX, ADJ_REDUCE_KIND_MIN};
  if (signature.choice == "prod") kinds = {ADJ_REDUCE_KIND_PROD};
  if (signature.choice == "logsumexp") kinds = {ADJ_REDUCE_KIND_LOGSUMEXP};

  auto fill = [&](Data& in, adj_reduce_kind kind) {
    if (integer) {
      fill_integers(in, rng, -1000000000, 1000000000);
    } else if (kind == ADJ_REDUCE_KIND_PROD) {
      // Products of many factors stay within the range of 16-bit types.
      fill_uniform(in, rng, -0.01, 0.01);
      for (std::int64_t i = 0; i < in.numel(); ++i) in.set(i, in.get(i) > 0 ? std::exp2(in.get(i)) : -std::exp2(in.get(i)));
    } else {
      fill_normal(in, rng);
    }
  };
  auto add = [&](const Shape& shape, adj_reduce_kind kind, const Options& o) {
    auto d = descriptor_of(shape);
    d.kind = kind;
    d.element = signature[0];
    d.output = o.output;
    d.write_mode = o.accumulate ? ADJ_WRITE_ACCUMULATE : ADJ_WRITE_DEFAULT;
    auto problem = std::make_shared<Problem>(Problem::of(d));
    if (o.accumulate) fill_normal(problem->tensor("output"), rng);
    Data& in = problem->tensor("input");
    fill(in, kind);
    if (o.special) {
      const double values[] = {INFINITY, -INFINITY, NAN, -INFINITY, 0, 65504, -0.0};
      for (std::int64_t i = 0; i < in.numel(); i += 1 + i % 5) in.set(i, values[(i * 3 + i / 7) % 7]);
    }
    cases.push_back({shape.name + ", kind " + std::to_string(kind) + (o.name.empty() ? "" : ", " + o.name), problem, magnitudes});
  };

  std::vector<Shape> shapes{{"one number", {}},
                            {"one element", {1}},
                            {"17 elements", {17}},
                            {"all of 3 x 5 x 7", {3, 5, 7}, {}, 0},
                            {"in splits", {20011}},
                            {"rows 5 x 3", {5, 3}, {1}},
                            {"rows 40 x 8", {40, 8}, {-1}, 0},
                            {"rows 9 x 129", {9, 129}, {1}},
                            {"short rows 16390 x 5", {16390, 5}, {1}},
                            {"rows 3 x 1000", {3, 1000}, {1}, 0},
                            {"rows 2 x 12000 in splits", {2, 12000}, {1}},
                            {"columns 3 x 5", {3, 5}, {0}},
                            {"columns 70 x 33", {70, 33}, {0}, 0},
                            {"columns 17 x 256", {17, 256}, {0}},
                            {"columns 9000 x 3 in splits", {9000, 3}, {0}},
                            {"columns 520 x 66 in splits", {520, 66}, {0}},
                            {"columns 300001 x 3 in many splits", {300001, 3}, {0}},
                            {"middle 3 x 20 x 12", {3, 20, 12}, {1}},
                            {"middle 2 x 3 x 4 x 9, two axes", {2, 3, 4, 9}, {2, 1}, 0},
                            {"outer and inner 6 x 4 x 25", {6, 4, 25}, {0, 2}},
                            {"outer and inner 40 x 3 x 200 in splits", {40, 3, 200}, {0, -1}, 0},
                            {"outer and inner 3 x 2 x 6000, split segments", {3, 2, 6000}, {0, -1}, 0},
                            {"every other axis of 8, the last reduced", {2, 3, 2, 3, 2, 2, 3, 5}, {1, 3, 5, 7}},
                            {"every other axis of 8, the last kept", {2, 3, 2, 3, 2, 2, 3, 5}, {0, 2, 4, 6}, 0},
                            {"axes of one element", {1, 6, 1, 7, 1}, {0, 2, 3}, 0},
                            {"no axes, nothing reduced", {3, 37}, {}, 1, 1},
                            {"nothing to add, 4 outputs", {4, 0}, {1}},
                            {"nothing to add, columns", {0, 5}, {0}},
                            {"no outputs", {0, 5}, {1}},
                            {"columns 2100 x 40 in splits", {2100, 40}, {0}},
                            {"columns 600 x 37", {600, 37}, {0}},
                            {"two axes of 5 x 40 x 30 x 37", {5, 40, 30, 37}, {0, 2}},
                            {"two axes of 6 x 3 x 50 x 40", {6, 3, 50, 40}, {0, 2}, 0},
                            {"rows 21 x 1023", {21, 1023}, {1}}};
  if (level == Level::full) {
    shapes.push_back({"rows 1024 x 4096", {1024, 4096}, {1}});
    shapes.push_back({"columns 4096 x 1024", {4096, 1024}, {0}});
    shapes.push_back({"few long columns 9 x 530000", {9, 530'000}, {0}});
    shapes.push_back({"middle 16 x 512 x 384", {16, 512, 384}, {1}});
    shapes.push_back({"images 32 x 64 x 49, channels kept", {32, 64, 49}, {0, 2}});
    shapes.push_back({"all of 2^22 + 1", {(1 << 22) + 1}});
    shapes.push_back({"short rows 65537 x 7", {65537, 7}, {1}});
    shapes.push_back({"short rows 16385 x 99", {16385, 99}, {1}});
    shapes.push_back({"short rows 16384 x 4", {16384, 4}, {1}});
    shapes.push_back({"short rows 16385 x 1001", {16385, 1001}, {1}});
  }
  std::size_t turn = 0;
  for (const Shape& shape : shapes) add(shape, kinds[turn++ % kinds.size()], {});
  const Shape rows{"rows 6 x 50", {6, 50}, {1}}, columns{"columns 40 x 30", {40, 30}, {0}};
  for (adj_reduce_kind kind : kinds)
    for (const Shape& shape : {rows, columns}) {
      add(shape, kind, {});
      if (!integer) add(shape, kind, {.name = "special values", .special = true});
    }
  if (adj::is_16bit_float(signature[0])) {
    add(rows, kinds[0], {.name = "into f32", .output = ADJ_F32});
    add({"in splits", {20011}}, kinds[0], {.name = "into f32", .output = ADJ_F32});
  }
  if (!integer && signature.choice == "sum") {
    const Shape empty{"nothing to add, columns", {0, 5}, {0}}, split{"columns 9000 x 3 in splits", {9000, 3}, {0}};
    for (const Shape& shape : {rows, columns, empty, split}) add(shape, ADJ_REDUCE_KIND_SUM, {.name = "accumulated", .accumulate = true});
    if (adj::is_16bit_float(signature[0])) add(columns, ADJ_REDUCE_KIND_SUM, {.name = "accumulated into f32", .output = ADJ_F32, .accumulate = true});
  }
  const Shape line{"", {300}, {0}}, lines{"", {3, 129}, {1}}, wide{"", {70, 33}, {0}}, whole{"", {40, 32}, {0}}, middle{"", {3, 20, 12}, {1}};
  turn = 0;
  auto next_kind = [&] { return kinds[turn++ % kinds.size()]; };
  for (adj_reduce_kind kind : kinds) {
    add_segments("300", line, {0, 0, 1, 8, 9, 137, 300}, kind, ADJ_I32, 3, fill);
    add_segments("70 x 33", wide, {0, 1, 1, 9, 50, 70}, kind, ADJ_I64, 1, fill);
  }
  add_segments("3 x 129, not all of it", lines, {2, 7, 7, 64, 128}, next_kind(), ADJ_I64, 5, fill);
  add_segments("long ones", {"", {30011}, {0}}, {0, 3, 9000, 9005, 30011}, next_kind(), ADJ_I32, 1, fill);
  add_segments("two long ones twice", {"", {2, 24001}, {1}}, {0, 12000, 24001}, next_kind(), ADJ_I64, 0, fill);
  add_segments("40 x 32", whole, {0, 33, 40}, next_kind(), ADJ_I32, 2, fill);
  add_segments("3 x 20 x 12", middle, {1, 4, 20}, next_kind(), ADJ_I32, 7, fill);
  add_segments("9 x 700", {"", {9, 700}, {0}}, {0, 2, 9}, next_kind(), ADJ_I64, 1, fill);
  add_segments(
      "40 of one element", {"", {40}, {0}},
      [] {
        std::vector<std::int64_t> all(41);
        std::iota(all.begin(), all.end(), 0);
        return all;
      }(),
      next_kind(), ADJ_I32, 1, fill);
  for (const Shape& shape : {Shape{"", {12}, {0}}, Shape{"", {2, 12}, {1}}, Shape{"", {2, 12, 5}, {1}}}) {
    add_segments(fmt::format("bad offsets, rank {}", shape.dims.size()), shape, {-1, 3, 2, 9, 13, 7, 12}, next_kind(), ADJ_I32, 0, fill);
    add_segments(fmt::format("bad offsets of 64 bits, rank {}", shape.dims.size()), shape, {0, std::int64_t{1} << 40, -(std::int64_t{1} << 62), 5, 2, 12, 12},
                 next_kind(), ADJ_I64, 0, fill);
    if (shape.dims.size() > 1) cases.back().problem->omit("error_flag");
    add_segments(fmt::format("overlapping, rank {}", shape.dims.size()), shape, {0, 8, 3, 11}, next_kind(), ADJ_I32, 0, fill);
    add_segments(fmt::format("none, rank {}", shape.dims.size()), shape, {0}, next_kind(), ADJ_I32, 0, fill);
  }
  add_segments("nothing to add", {"", {0, 5}, {0}}, {0, 0, 0}, next_kind(), ADJ_I32, 0, fill);
  add_segments("no outputs", {"", {5, 0}, {0}}, {0, 3, 5}, next_kind(), ADJ_I32, 0, fill);
  if (level == Level::full) {
    add_segments("4096 x 512", {"", {4096, 512}, {0}}, {0, 1, 17, 1000, 1000, 4096}, next_kind(), ADJ_I64, 3, fill);
    add_segments("2^21", {"", {1 << 21}, {0}}, {0, 100, 1 << 20, 1 << 21}, next_kind(), ADJ_I64, 1, fill);
  }
  if (!integer && signature.choice != "prod") {
    auto constant = [&](double value, const char* name) {
      add(rows, kinds[0], {});
      fill_constant(cases.back().problem->tensor("input"), value);
      cases.back().name = name;
    };
    constant(-INFINITY, "rows of -infinity");
    constant(INFINITY, "rows of infinity");
    constant(100, "rows of 100");
  }
  return cases;
}

std::vector<Case> l2_norm_cases(const adj::Signature& signature, Level level, std::uint64_t seed) {
  using Numel = std::vector<std::int64_t>;
  struct Options {
    std::string name;
    double sigma = 1;
    double special = 0;  // value put into the middle of the last tensor; 0 for none
    bool norms = true, found_inf = true;
  };
  auto many = [](std::int64_t count, std::int64_t largest) {
    Numel numel;
    const std::int64_t step = count < 200 ? 1 : count < 1000 ? 5 : 19;  // of many tensors most are empty
    for (std::int64_t i = 0; i < count; ++i) numel.push_back(i % step != 0 || i % 7 == 3 ? 0 : (i * 5) % largest + 1);
    return numel;
  };
  auto magnitudes = [](const Problem& p, const std::string& output) {
    std::vector<double> norms;
    double all = 0;
    for (const Data& d : p.contents()[p.argument("inputs")].data) {
      double own = 0;
      for (std::int64_t i = 0; i < d.numel(); ++i) own = std::hypot(own, d.get(i));
      norms.push_back(own);
      all = std::hypot(all, own);
    }
    if (output == "norms") return std::vector<std::vector<double>>{norms};
    return std::vector<std::vector<double>>{{all}};
  };
  std::vector<Case> cases;
  Rng rng(seed);
  auto add = [&](const std::string& name, const Numel& numel, const Options& o) {
    adj_l2_norm_descriptor d;
    d.count = static_cast<std::int64_t>(numel.size());
    d.numel = numel.data();
    d.element = signature[0];
    d.output = signature[1];
    auto problem = std::make_shared<Problem>(Problem::of(d));
    for (Data& data : problem->list("inputs")) fill_normal(data, rng, o.sigma);
    if (o.special != 0) {
      Data& last = problem->list("inputs").back();
      last.set(last.numel() / 2, o.special);
    }
    if (!o.norms) problem->omit("norms");
    if (!o.found_inf) problem->omit("found_inf");
    cases.push_back({name + (o.name.empty() ? "" : ", " + o.name), problem, magnitudes});
  };
  add("one element", {1}, {});
  add("sizes around a unit", {0, 1, 3, 4, 7, 8, 9, 17}, {});
  add("sizes around a chunk", {16383, 16384, 16385}, {});
  add("several chunks", {20011, 5}, {.name = "no optional outputs", .norms = false, .found_inf = false});
  add("5 tensors", many(5, 60), {});
  add("300 tensors", many(300, 9), {});
  add("1200 tensors", many(1200, 4), {});
  add("empty tensors only", {0, 0, 0}, {});
  add("no tensors", {}, {});
  const Numel mixed{5, 0, 700, 64, 3};
  add("mixed sizes", mixed, {.name = "infinity", .special = INFINITY});
  add("mixed sizes", mixed, {.name = "NaN", .special = NAN, .norms = false});
  add("mixed sizes", mixed, {.name = "zeros", .sigma = 0});
  add("mixed sizes", mixed, {.name = "norm above 256", .sigma = 100});
  if (signature[0] != ADJ_F16 && signature[1] != ADJ_F16) {
    const double large = signature[0] == ADJ_F64 ? 1e300 : 1e36, small = signature[0] == ADJ_F64 ? 1e-290 : 1e-30;
    add("mixed sizes", mixed, {.name = "squares beyond the range", .sigma = large});
    add("mixed sizes", mixed, {.name = "squares below the range", .sigma = small});
    add("mixed sizes", mixed, {.name = "small numbers and a large one", .sigma = small, .special = large});
  }
  if (level == Level::full) {
    add("n 2^24 + 1", {(1 << 24) + 1}, {});
    add("2000 tensors of 3001", Numel(2000, 3001), {});
  }
  return cases;
}

}  // namespace harness
