// Cases of the index family: shapes around the widths of units and blocks; repeated, negative and out-of-range indices; each rank and axis.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <cmath>
#include <limits>

#include <adjoint/ops/index.h>

#include "harness/harness.hpp"
#include "harness/index_plan.hpp"

namespace harness {

namespace {

using Dims = std::vector<std::int64_t>;

adj_shape shape_of(const Dims& dims) {
  adj_shape s;
  s.rank = static_cast<std::int64_t>(dims.size());
  std::copy(dims.begin(), dims.end(), s.dims);
  return s;
}
adj_axes axes_of(const Dims& values) {
  adj_axes a;
  a.count = static_cast<std::int64_t>(values.size());
  std::copy(values.begin(), values.end(), a.at);
  return a;
}

void fill_bits(Data& data, Rng& rng) {
  for (std::byte& b : data.bytes) b = static_cast<std::byte>(rng());
}

// Magnitudes of an operator that is linear in the arguments `names`.
Magnitudes linear_in(std::initializer_list<const char*> names, const char* output) {
  return [names = std::vector<const char*>(names), output](const Problem& problem, const std::string& asked) {
    std::vector<std::vector<double>> result;
    if (asked != output) return result;
    const Outputs sums = names.size() == 1 ? run_on_magnitudes(problem, {names[0]}) : run_on_magnitudes(problem, {names[0], names[1]});
    for (const Data& d : sums.arguments[problem.argument(output)]) {
      auto& of = result.emplace_back(static_cast<std::size_t>(d.numel()));
      for (std::int64_t i = 0; i < d.numel(); ++i) of[static_cast<std::size_t>(i)] = d.get(i);
    }
    return result;
  };
}

// Distribution of the indices of a case.
enum class Draw { uniform, hundred, few, all_equal, some_outside };
const char* name_of(Draw draw) {
  switch (draw) {
    case Draw::uniform: return "uniform";
    case Draw::hundred: return "a hundred different";
    case Draw::few: return "few different";
    case Draw::all_equal: return "all equal";
    default: return "some outside";
  }
}
// Random index of an axis; half of them count from the end.
std::int64_t draw_index(Draw draw, std::int64_t extent, Rng& rng) {
  const auto below = [&](std::int64_t n) { return n > 0 ? static_cast<std::int64_t>(rng() % static_cast<std::uint64_t>(n)) : 0; };
  if (draw == Draw::all_equal) return extent / 2;
  if (draw == Draw::some_outside && below(4) == 0) return below(2) ? extent + below(3) : -extent - 1 - below(3);
  const std::int64_t different = draw == Draw::few ? 3 : draw == Draw::hundred ? 100 : extent;
  const std::int64_t i = below(std::min(different, extent));
  return below(2) ? i : i - extent;
}

void prepare(Problem& problem, bool accumulate, bool nan, bool flagged, Rng& rng) {
  fill_normal(problem.tensor("dout"), rng);
  if (accumulate) fill_normal(problem.tensor("dinput"), rng);
  if (nan && problem.tensor("dout").numel() > 3) {
    problem.tensor("dout").set(1, std::numeric_limits<double>::quiet_NaN());
    problem.tensor("dout").set(3, std::numeric_limits<double>::infinity());
  }
  if (flagged) problem.tensor("error_flag").set(0, 5);
  else problem.omit("error_flag");
}

// The same gradient from an index plan. It must have the bits of the gradient from indices. `tensors`: arguments that both have.
template <class Descriptor>
Case with_plan(const Case& c, const adj_index_plan_descriptor& plan, std::initializer_list<const char*> tensors, const char* in_place = nullptr) {
  auto plain = std::make_shared<Problem>(*c.problem);
  plain->omit("error_flag");  // index_plan has counted the indices outside
  auto d = *reinterpret_cast<const Descriptor*>(plain->descriptor());
  d.use_index_plan = 1;
  auto problem = std::make_shared<Problem>(d.header);
  for (const char* name : tensors) problem->tensor(name) = plain->tensor(name);
  if (in_place) problem->share("output", in_place);
  fill_plan(*problem, plan, plain->tensor("indices"));
  problem->tensor("error_flag").set(0, 3);
  return {c.name + ", index plan", std::move(problem), c.magnitudes, std::move(plain)};
}
// Gradient from numbers that no index plan writes.
template <class Descriptor>
Case garbage_plan(const char* name, Descriptor d, std::int64_t rows, Garbage garbage, std::initializer_list<const char*> tensors, Rng& rng) {
  d.use_index_plan = 1;
  auto problem = std::make_shared<Problem>(d.header);
  for (const char* tensor : tensors) fill_normal(problem->tensor(tensor), rng);
  fill_garbage(*problem, rng, rows, garbage);
  return {fmt::format("{}, plan of {}", name, name_of(garbage)), std::move(problem), {}, {}, true};
}

adj_index_plan_descriptor plan_of(const adj_gather_nd_backward_descriptor& d) {
  const std::int64_t tail = d.batch_dims + d.indices_shape.dims[d.indices_shape.rank - 1];
  adj_index_plan_descriptor plan{.num_embeddings = 1,
                                 .num_indices = 1,
                                 .input_shape = d.input_shape,
                                 .indices_shape = d.indices_shape,
                                 .batch_dims = d.batch_dims,
                                 .positions = ADJ_INDEX_POSITIONS_SLICES,
                                 .index = d.index};
  for (std::int64_t k = 0; k < tail; ++k) plan.num_embeddings *= d.input_shape.dims[k];
  for (std::int64_t k = 0; k + 1 < d.indices_shape.rank; ++k) plan.num_indices *= d.indices_shape.dims[k];
  return plan;
}
adj_index_plan_descriptor plan_of(const adj_gather_elements_backward_descriptor& d) {
  adj_index_plan_descriptor plan{.num_embeddings = 1,
                                 .num_indices = 1,
                                 .input_shape = d.input_shape,
                                 .indices_shape = d.indices_shape,
                                 .axis = d.axis,
                                 .positions = ADJ_INDEX_POSITIONS_ELEMENTS,
                                 .index = d.index};
  for (std::int64_t k = 0; k < d.input_shape.rank; ++k) plan.num_embeddings *= d.input_shape.dims[k];
  for (std::int64_t k = 0; k < d.indices_shape.rank; ++k) plan.num_indices *= d.indices_shape.dims[k];
  return plan;
}

}  // namespace

std::vector<Case> gather_nd_backward_cases(const adj::Signature& signature, Level level, std::uint64_t seed) {
  Rng rng(seed);
  std::vector<Case> cases;
  auto add = [&](Dims input, Dims indices, std::int64_t batch_dims, Draw draw, bool accumulate = false, bool nan = false) {
    adj_gather_nd_backward_descriptor d{
        .input_shape = shape_of(input), .indices_shape = shape_of(indices), .batch_dims = batch_dims, .element = signature[0], .index = signature[1]};
    if (accumulate) d.write_mode = ADJ_WRITE_ACCUMULATE;
    auto problem = std::make_shared<Problem>(d.header);
    Data& index = problem->tensor("indices");
    const std::int64_t depth = indices.back();
    for (std::int64_t i = 0; i < index.numel(); ++i)
      index.set(i, static_cast<double>(draw_index(draw, input[static_cast<std::size_t>(batch_dims + i % depth)], rng)));
    prepare(*problem, accumulate, nan, cases.size() % 2 == 0, rng);
    cases.push_back({fmt::format("[{}] by [{}], batch {}, {}{}{}", fmt::join(input, ","), fmt::join(indices, ","), batch_dims, name_of(draw),
                                 accumulate ? ", accumulate" : "", nan ? ", NaN" : ""),
                     problem, accumulate ? linear_in({"dout", "dinput"}, "dinput") : linear_in({"dout"}, "dinput")});
    if (draw == Draw::some_outside || draw == Draw::few)
      cases.push_back(with_plan<adj_gather_nd_backward_descriptor>(cases.back(), plan_of(d), {"dout", "dinput"}));
  };
  add({1}, {1, 1}, 0, Draw::uniform);
  add({7}, {20, 1}, 0, Draw::some_outside);
  add({5, 6}, {11, 2}, 0, Draw::uniform, true);
  add({2, 5, 8}, {2, 9, 1}, 1, Draw::uniform);
  add({2, 5, 8}, {2, 9, 1}, 1, Draw::some_outside, true);
  add({2, 3, 4, 5}, {2, 3, 4, 2}, 2, Draw::few);
  add({3, 4, 33}, {6, 5, 1}, 0, Draw::some_outside);
  add({30, 64}, {200, 1}, 0, Draw::few, false, true);
  add({4, 9, 129}, {4, 10, 1}, 1, Draw::all_equal);
  add({100, 3}, {500, 1}, 0, Draw::uniform);
  add({100, 16}, {5000, 1}, 0, Draw::few);
  // Rows of several units, named by few and by many positions, and rows of no whole unit; accumulated as well.
  add({20, 256}, {60, 1}, 0, Draw::few);
  add({20, 256}, {60, 1}, 0, Draw::uniform, true);
  add({30, 8}, {700, 1}, 0, Draw::few, true);
  add({30, 7}, {700, 1}, 0, Draw::few, true);
  add({3, 2, 2}, {4, 0}, 0, Draw::uniform);             // no index: a slice is the whole tensor
  add({3, 4}, {0, 1}, 0, Draw::uniform);                // no slices
  add({3, 4}, {0, 2}, 0, Draw::uniform, true);
  add({0, 4}, {3, 1}, 0, Draw::some_outside);           // no row that an index could name
  add({4, 0}, {3, 1}, 0, Draw::some_outside);           // slices without elements
  add({0, 5, 2}, {0, 3, 1}, 1, Draw::uniform);          // no batches
  add({2, 1, 2, 1, 2, 1, 2, 3}, {2, 1, 2, 5, 4}, 3, Draw::uniform);
  for (Garbage garbage : kGarbage)
    cases.push_back(garbage_plan(
        "[7,8] by [300,1]",
        adj_gather_nd_backward_descriptor{.input_shape = shape_of({7, 8}), .indices_shape = shape_of({300, 1}), .element = signature[0], .index = signature[1]},
        7, garbage, {"dout"}, rng));
  if (level == Level::full) {
    add({1000, 1024}, {20000, 1}, 0, Draw::uniform);
    add({64, 500, 128}, {64, 300, 1}, 1, Draw::uniform);
    add({700, 800}, {200000, 2}, 0, Draw::some_outside);
    add({1000, 77}, {30000, 1}, 0, Draw::few);
  }
  return cases;
}

std::vector<Case> gather_elements_backward_cases(const adj::Signature& signature, Level level, std::uint64_t seed) {
  Rng rng(seed);
  std::vector<Case> cases;
  auto add = [&](Dims input, Dims indices, std::int64_t axis, Draw draw, bool accumulate = false, bool nan = false) {
    adj_gather_elements_backward_descriptor d{
        .input_shape = shape_of(input), .indices_shape = shape_of(indices), .axis = axis, .element = signature[0], .index = signature[1]};
    if (accumulate) d.write_mode = ADJ_WRITE_ACCUMULATE;
    auto problem = std::make_shared<Problem>(d.header);
    Data& index = problem->tensor("indices");
    const auto at = static_cast<std::size_t>(axis < 0 ? axis + static_cast<std::int64_t>(input.size()) : axis);
    for (std::int64_t i = 0; i < index.numel(); ++i) index.set(i, static_cast<double>(draw_index(draw, input[at], rng)));
    prepare(*problem, accumulate, nan, cases.size() % 2 == 0, rng);
    cases.push_back({fmt::format("[{}] by [{}], axis {}, {}{}{}", fmt::join(input, ","), fmt::join(indices, ","), axis, name_of(draw),
                                 accumulate ? ", accumulate" : "", nan ? ", NaN" : ""),
                     problem, accumulate ? linear_in({"dout", "dinput"}, "dinput") : linear_in({"dout"}, "dinput")});
    if (draw != Draw::some_outside && draw != Draw::few) return;
    cases.push_back(with_plan<adj_gather_elements_backward_descriptor>(cases.back(), plan_of(d), {"dout", "dinput"}));
    // Along the last axis, a kernel without a sort may add in another order.
    if (at + 1 == input.size()) cases.back().twin = nullptr;
  };
  add({1}, {1}, 0, Draw::uniform);
  add({9}, {40}, 0, Draw::some_outside);
  add({4, 7}, {4, 12}, 1, Draw::uniform);
  add({4, 7}, {3, 12}, -1, Draw::uniform, true);
  add({6, 5}, {11, 4}, 0, Draw::some_outside);
  add({3, 4, 5}, {3, 9, 5}, 1, Draw::few, true);
  add({3, 4, 5}, {2, 9, 3}, -2, Draw::all_equal);
  add({20, 40}, {20, 60}, 1, Draw::uniform, false, true);
  add({2, 3, 1, 4, 2}, {2, 3, 5, 4, 1}, 2, Draw::uniform);
  add({3, 0}, {3, 0}, 0, Draw::uniform);
  add({3, 4}, {3, 0}, 1, Draw::uniform);
  add({3, 0}, {3, 4}, 1, Draw::some_outside);
  add({1, 2, 1, 2, 1, 2, 1, 3}, {1, 2, 1, 2, 1, 2, 1, 7}, 7, Draw::uniform);
  add({70, 30}, {70, 80}, 1, Draw::few);
  add({5, 300}, {5, 300}, 1, Draw::all_equal, true);
  add({30, 70}, {80, 70}, 0, Draw::few);
  add({300, 5}, {300, 5}, 0, Draw::all_equal, true);
  add({3, 700}, {3, 650}, 1, Draw::uniform);
  add({2, 90}, {2, 720}, 1, Draw::some_outside, true);
  add({2, 3, 600}, {2, 3, 1100}, -1, Draw::few);
  if (level == Level::full) {
    add({512, 1024}, {512, 1024}, 1, Draw::uniform);
    add({1024, 512}, {2048, 512}, 0, Draw::uniform);
    add({64, 300, 70}, {64, 500, 70}, 1, Draw::few);
  }
  return cases;
}

std::vector<Case> index_add_cases(const adj::Signature& signature, Level level, std::uint64_t seed) {
  Rng rng(seed);
  std::vector<Case> cases;
  auto add = [&](Dims shape, std::int64_t axis, std::int64_t count, Draw draw, bool in_place, bool nan = false) {
    const adj_index_add_descriptor d{.shape = shape_of(shape), .axis = axis, .num_indices = count, .element = signature[0], .index = signature[1]};
    auto problem = std::make_shared<Problem>(d.header);
    const auto at = static_cast<std::size_t>(axis < 0 ? axis + static_cast<std::int64_t>(shape.size()) : axis);
    for (std::int64_t i = 0; i < count; ++i) problem->tensor("indices").set(i, static_cast<double>(draw_index(draw, shape[at], rng)));
    fill_normal(problem->tensor("input"), rng);
    fill_normal(problem->tensor("source"), rng);
    if (nan) problem->tensor("source").set(1, std::numeric_limits<double>::quiet_NaN());
    if (cases.size() % 2 == 0) problem->tensor("error_flag").set(0, 5);
    else problem->omit("error_flag");
    if (in_place) problem->share("output", "input");
    cases.push_back(
        {fmt::format("[{}] axis {}, {} indices, {}{}{}", fmt::join(shape, ","), axis, count, name_of(draw), in_place ? ", in place" : "", nan ? ", NaN" : ""),
         problem, linear_in({"input", "source"}, "output")});
    if (draw != Draw::some_outside && draw != Draw::few) return;
    const adj_index_plan_descriptor plan{.num_embeddings = shape[at], .num_indices = count, .wrap_negative = 1, .index = signature[1]};
    cases.push_back(with_plan<adj_index_add_descriptor>(cases.back(), plan, {"input", "source"}, in_place ? "input" : nullptr));
  };
  add({1}, 0, 1, Draw::uniform, false);
  add({9, 8}, 0, 12, Draw::some_outside, true);
  add({9, 8}, 0, 12, Draw::few, false, true);
  add({3, 7, 16}, 1, 11, Draw::uniform, false);
  add({3, 7, 5}, 1, 40, Draw::few, true);
  add({5, 30}, -1, 50, Draw::some_outside, false);
  add({2, 200, 3}, 1, 700, Draw::uniform, true);
  add({50, 131}, 0, 900, Draw::few, false);
  add({50, 16}, 0, 900, Draw::few, true);
  add({3, 9, 520}, 1, 90, Draw::few, false);
  add({3, 7, 16}, 1, 600, Draw::few, true);
  add({2, 66000, 1}, 1, 700, Draw::few, true);
  add({2, 66000, 1}, 1, 700, Draw::hundred, false);
  add({30, 8}, 0, 5000, Draw::uniform, false);
  add({4, 6}, 0, 0, Draw::uniform, false);
  add({4, 6}, 0, 0, Draw::uniform, true);
  add({4, 0}, 0, 5, Draw::some_outside, false);
  add({0, 4}, 0, 5, Draw::some_outside, false);
  if (level == Level::full) {
    add({5000, 512}, 0, 20000, Draw::uniform, true);
    add({64, 300, 70}, 1, 1000, Draw::uniform, false);
    add({2000, 333}, 1, 500, Draw::few, true);
  }
  return cases;
}

std::vector<Case> slice_backward_cases(const adj::Signature& signature, Level level, std::uint64_t seed) {
  Rng rng(seed);
  std::vector<Case> cases;
  auto add = [&](Dims input, Dims starts, Dims ends, Dims axes = {}, Dims steps = {}) {
    const adj_slice_backward_descriptor d{.input_shape = shape_of(input),
                                          .starts = axes_of(starts),
                                          .ends = axes_of(ends),
                                          .axes = axes_of(axes),
                                          .steps = axes_of(steps),
                                          .element = signature[0]};
    auto problem = std::make_shared<Problem>(d.header);
    fill_bits(problem->tensor("dout"), rng);
    cases.push_back({fmt::format("[{}] from [{}] to [{}] along [{}] by [{}]", fmt::join(input, ","), fmt::join(starts, ","), fmt::join(ends, ","),
                                 fmt::join(axes, ","), fmt::join(steps, ",")),
                     problem,
                     {}});
  };
  constexpr std::int64_t kEnd = std::numeric_limits<std::int64_t>::max(), kBegin = std::numeric_limits<std::int64_t>::min();
  add({1}, {0}, {1});
  add({40}, {3}, {31});
  add({4, 9}, {}, {});                                    // all of it
  add({4, 9}, {1}, {3});                                  // whole rows
  add({4, 9}, {2, 1}, {4, -1});
  add({5, 64}, {16}, {48}, {1});                          // aligned
  add({5, 64}, {4}, {60}, {1});
  add({5, 65}, {3}, {62}, {-1});
  add({37}, {kEnd}, {kBegin}, {0}, {-1});                 // reversed
  add({37}, {-2}, {3}, {0}, {-5});
  add({3, 37}, {1}, {kEnd}, {1}, {3});
  add({7, 3, 20}, {5, 0, 2}, {0, 3, 18}, {0, 1, 2}, {-2, 1, 1});
  add({7, 3, 20}, {6, 2}, {kBegin, kBegin}, {0, 1}, {-1, -1});
  add({3, 4, 1, 6}, {1, 0}, {3, 1}, {1, 2});
  add({6, 1}, {1}, {5}, {0}, {2});
  add({2, 3, 2, 3, 2, 3, 2, 5}, {1, 0, 1, 0, 1, 0, 1, 4}, {2, 2, 2, 2, 2, 2, 2, 1}, {}, {1, 1, 1, 1, 1, 1, 1, -2});
  add({4, 9}, {3}, {3});                                  // empty
  add({4, 9}, {7}, {9}, {1}, {-1});
  add({4, 9}, {100}, {200}, {0});
  add({4, 0, 3}, {0}, {1}, {1});
  add({0}, {0}, {5}, {0}, {-1});
  const std::int64_t long_row = 16384 / adj::size_of(signature[0]) + 60;  // more than a stretch
  add({2, long_row}, {7}, {long_row - 10}, {1});
  add({300, 3}, {1}, {2}, {1});
  add({3, 50, 4}, {10}, {40}, {1});
  if (level == Level::full) {
    add({1000, 4099}, {5}, {4000}, {1});
    add({64, 512, 512}, {16, 0}, {500, 512}, {1, 2});
    add({512, 2048}, {0}, {kEnd}, {1}, {2});
    add({70001, 5}, {1}, {4}, {1});
    add({3, 1 << 20}, {1, 77}, {3, 1 << 19}, {0, 1});
    if (signature[0] == ADJ_U8) add({(std::int64_t{1} << 31) + 70, 2}, {1}, {2}, {1});
  }
  return cases;
}

namespace {

template <class Descriptor, bool pad>
std::vector<Case> pad_cases(const adj::Signature& signature, Level level, std::uint64_t seed) {
  Rng rng(seed);
  std::vector<Case> cases;
  auto add = [&](std::int64_t count, std::int64_t batch, std::int64_t length, std::int64_t inner, bool outside = false) {
    const Descriptor d{.num_indices = count, .batch = batch, .length = length, .inner = inner, .element = signature[0], .index = signature[1]};
    auto problem = std::make_shared<Problem>(d.header);
    fill_bits(problem->tensor("input"), rng);
    // Unique indices in random order. Those of flatten_and_unpad may repeat.
    std::vector<std::int64_t> rows(static_cast<std::size_t>(batch * length));
    for (std::size_t i = 0; i < rows.size(); ++i) rows[i] = static_cast<std::int64_t>(i);
    std::shuffle(rows.begin(), rows.end(), rng);
    Data& indices = problem->tensor("indices");
    for (std::int64_t i = 0; i < count; ++i) {
      std::int64_t row = rows.empty() ? 0 : rows[static_cast<std::size_t>(i) % rows.size()];
      if (outside && i % 3 == 1) row = i % 2 ? -1 - i : batch * length + i;
      indices.set(i, static_cast<double>(row));
    }
    if (cases.size() % 2 == 0) problem->tensor("error_flag").set(0, 2);
    else problem->omit("error_flag");
    if constexpr (!pad)
      if (cases.size() % 3 == 0) problem->omit("unflatten_dims");
    cases.push_back({fmt::format("{} rows of {}x{}x{}{}", count, batch, length, inner, outside ? ", some outside" : ""), problem, {}});
  };
  add(1, 1, 1, 1);
  add(2, 2, 3, 4);
  add(5, 3, 4, 7);
  add(12, 3, 4, 16);
  add(30, 8, 9, 64, true);
  add(30, 8, 9, 33, true);
  add(0, 3, 4, 5);
  add(4, 0, 7, 5);
  add(4, 2, 3, 0, true);
  add(20, 2, 3, 8);                                       // more indices than rows: some repeat
  add(400, 20, 30, 3);
  add(60, 7, 11, 260);
  if (level == Level::full) {
    add(9000, 40, 512, 768);
    add(20000, 40, 512, 1000, true);
    add(100000, 300, 700, 5);
  }
  return cases;
}

}  // namespace

std::vector<Case> pad_and_unflatten_cases(const adj::Signature& signature, Level level, std::uint64_t seed) {
  return pad_cases<adj_pad_and_unflatten_descriptor, true>(signature, level, seed);
}
std::vector<Case> flatten_and_unpad_cases(const adj::Signature& signature, Level level, std::uint64_t seed) {
  return pad_cases<adj_flatten_and_unpad_descriptor, false>(signature, level, seed);
}

}  // namespace harness
