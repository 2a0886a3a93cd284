// Cases of the embedding lookup, its gradient, and the gradient of Gather.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cstring>
#include <limits>

#include <adjoint/ops/embedding.h>

#include "harness/embedding.hpp"
#include "harness/index_plan.hpp"

namespace harness {

namespace {

struct Shape {
  std::int64_t indices, rows, columns;
};
std::string name_of(const Shape& s) { return fmt::format("T{} V{} D{}", s.indices, s.rows, s.columns); }

// Case of a gradient that is linear in dout and, when accumulating, in the old contents of the result.
Case gradient_case(std::string name, std::shared_ptr<Problem> problem, Rng& rng, const char* gradient, bool accumulate, bool flag) {
  fill_normal(problem->tensor("dout"), rng);
  // Overwriting must not read the old contents.
  if (accumulate) fill_normal(problem->tensor(gradient), rng);
  else fill_constant(problem->tensor(gradient), std::numeric_limits<double>::quiet_NaN());
  if (flag) problem->tensor("error_flag").set(0, 3);
  else problem->omit("error_flag");
  return {std::move(name), std::move(problem), [gradient, accumulate](const Problem& p, const std::string& output) {
            std::vector<std::vector<double>> magnitudes;
            if (output != gradient) return magnitudes;
            Problem terms = p;
            if (!accumulate) fill_constant(terms.tensor(gradient), 0);
            const Outputs sums = run_on_magnitudes(terms, {"dout", gradient});
            for (const Data& data : sums.arguments[p.argument(gradient)]) {
              auto& list = magnitudes.emplace_back(static_cast<std::size_t>(data.numel()));
              for (std::int64_t i = 0; i < data.numel(); ++i) list[static_cast<std::size_t>(i)] = data.get(i);
            }
            return magnitudes;
          }};
}

// Descriptor of the index_plan for the indices of a gradient.
adj_index_plan_descriptor plan_descriptor(const adj_embedding_backward_descriptor& d) {
  return {
      .num_embeddings = d.num_embeddings, .num_indices = d.num_indices, .padding_idx = d.padding_idx, .has_padding_idx = d.has_padding_idx, .index = d.index};
}
adj_index_plan_descriptor plan_descriptor(const adj_gather_backward_descriptor& d) {
  return {.num_embeddings = d.extent, .num_indices = d.num_indices, .wrap_negative = 1, .index = d.index};
}
void without_padding(adj_embedding_backward_descriptor& d) {
  d.has_padding_idx = 0;
  d.padding_idx = 0;
}
void without_padding(adj_gather_backward_descriptor&) {}

// The same gradient from an index plan. It must have the bits of the gradient from indices.
template <class Descriptor>
Case with_plan(const Case& c, const char* gradient) {
  auto plain = std::make_shared<Problem>(*c.problem);
  plain->omit("error_flag");  // index_plan has counted the indices out of range
  auto d = *reinterpret_cast<const Descriptor*>(plain->descriptor());
  const auto plan = plan_descriptor(d);
  d.use_index_plan = 1;
  without_padding(d);
  auto problem = std::make_shared<Problem>(Problem::of(d));
  for (const char* name : {"dout", gradient}) problem->tensor(name) = plain->tensor(name);
  fill_plan(*problem, plan, plain->tensor("indices"));
  problem->tensor("error_flag").set(0, 3);
  return {c.name + ", index plan", std::move(problem), c.magnitudes, std::move(plain)};
}

template <class Descriptor>
Case garbage_case(std::string name, Descriptor d, std::int64_t rows, Garbage garbage, Rng& rng) {
  d.use_index_plan = 1;
  auto problem = std::make_shared<Problem>(Problem::of(d));
  fill_normal(problem->tensor("dout"), rng);
  fill_garbage(*problem, rng, rows, garbage);
  return {fmt::format("{}, plan of {}", name, name_of(garbage)), std::move(problem), {}, {}, true};
}

}  // namespace

// ---- forward

std::vector<Case> embedding_forward_cases(const adj::Signature& signature, Level level, std::uint64_t seed) {
  std::vector<Case> cases;
  Rng rng(seed);
  const auto add = [&](const Shape& s, Spread spread, bool flag = true, const std::int64_t* padding = nullptr) {
    adj_embedding_forward_descriptor d;
    d.num_embeddings = s.rows;
    d.embedding_dim = s.columns;
    d.num_indices = s.indices;
    d.element = signature[0];
    d.index = signature[1];
    std::string name = fmt::format("{} {}", name_of(s), name_of(spread));
    if (padding) {
      d.has_padding_idx = d.padding_zeroes_forward = 1;
      d.padding_idx = *padding;
      name += fmt::format(", padding {} zeroed", *padding);
    }
    auto problem = std::make_shared<Problem>(Problem::of(d));
    // With many millions of elements, only the rows at the ends are filled.
    Data& weight = problem->tensor("weight");
    if (weight.numel() < std::int64_t{1} << 24) {
      fill_normal(weight, rng);
    } else {
      for (std::int64_t i = 0; i < s.columns; ++i) {
        weight.set(i, static_cast<double>(i % 13));
        weight.set(weight.numel() - 1 - i, static_cast<double>(i % 17));
      }
    }
    fill_indices(problem->tensor("indices"), rng, s.rows, spread);
    if (flag) problem->tensor("error_flag").set(0, 5);
    else problem->omit("error_flag"), name += ", no error_flag";
    cases.push_back({name, problem, {}});
  };
  const std::int64_t first = 0, last = -1;
  for (std::int64_t columns : {1, 7, 8, 24, 33}) add({19, 11, columns}, Spread::mixed);
  add({0, 5, 8}, Spread::same);
  add({6, 0, 8}, Spread::outside);
  add({6, 5, 0}, Spread::mixed);
  add({1, 1, 1}, Spread::same);
  add({17, 5, 16}, Spread::uniform, false);
  add({17, 5, 16}, Spread::outside);
  add({17, 5, 9}, Spread::uniform, true, &first);
  add({17, 5, 16}, Spread::mixed, true, &last);
  add({3, 4, 600}, Spread::uniform);
  // Rows around the stretches of small blocks, and of large blocks, which serve more than 2 MB.
  const std::int64_t unit = 16 / adj::size_of(signature[0]);
  add({300, 11, unit}, Spread::mixed);
  for (std::int64_t units : {3, 255, 256, 257, 1025}) add({7, 5, units * unit}, Spread::mixed, true, &last);
  add({2003, 50, 77 * unit}, Spread::mixed);
  add({170, 6, 1024 * unit}, Spread::mixed);
  add({170, 6, 1025 * unit}, Spread::mixed);
  if (level == Level::full) {
    for (std::int64_t columns : {1, 3, 64, 768, 1000, 1001, 4096}) add({1024, 500, columns}, Spread::zipf);
    add({100003, 999, 8}, Spread::uniform);
    add({4096, 50257, 24}, Spread::mixed);
    if (signature[0] == ADJ_F16) {  // more than 2^31 elements: the last row lies beyond 32 bits
      const Shape large{5, (std::int64_t{1} << 20) + 3, 2048};
      add(large, Spread::ascending);
      Data& indices = cases.back().problem->tensor("indices");
      for (std::int64_t i = 0; i < 5; ++i) indices.set(i, i % 2 ? 0 : static_cast<double>(large.rows - 1));
    }
  }
  return cases;
}

// ---- backward

std::vector<Case> embedding_backward_cases(const adj::Signature& signature, Level level, std::uint64_t seed) {
  std::vector<Case> cases;
  Rng rng(seed);

  struct Options {
    bool accumulate = false, scale = false, flag = true;
    bool padded = false;
    std::int64_t padding = 0;
  };
  const auto problem_of = [&](const Shape& s, const Options& o, std::string& name) {
    adj_embedding_backward_descriptor d;
    d.num_embeddings = s.rows;
    d.embedding_dim = s.columns;
    d.num_indices = s.indices;
    d.element = signature[0];
    d.index = signature[1];
    d.write_mode = o.accumulate ? ADJ_WRITE_ACCUMULATE : ADJ_WRITE_OVERWRITE;
    d.scale_grad_by_freq = o.scale;
    d.has_padding_idx = o.padded;
    d.padding_idx = o.padding;
    if (o.accumulate) name += ", accumulate";
    if (o.scale) name += ", scaled by frequency";
    if (o.padded) name += fmt::format(", padding {}", o.padding);
    if (!o.flag) name += ", no error_flag";
    return std::make_shared<Problem>(Problem::of(d));
  };
  const auto finish = [&](std::shared_ptr<Problem> problem, const Options& o, std::string name) {
    cases.push_back(gradient_case(std::move(name), std::move(problem), rng, "dweight", o.accumulate, o.flag));
  };
  const auto add = [&](const Shape& s, Spread spread, const Options& o = {}) {
    std::string name = fmt::format("{} {}", name_of(s), name_of(spread));
    auto problem = problem_of(s, o, name);
    fill_indices(problem->tensor("indices"), rng, s.rows, spread);
    finish(std::move(problem), o, std::move(name));
  };
  // Row r occurs counts[r] times; two more rows do not occur.
  const auto add_counts = [&](const std::vector<std::int64_t>& counts, std::int64_t columns, const Options& o = {}) {
    std::int64_t total = 0;
    for (std::int64_t c : counts) total += c;
    const Shape s{total, static_cast<std::int64_t>(counts.size()) + 2, columns};
    std::string name = fmt::format("{} counts {}", name_of(s), fmt::join(counts, " "));
    auto problem = problem_of(s, o, name);
    fill_counts(problem->tensor("indices"), rng, counts);
    finish(std::move(problem), o, std::move(name));
  };

  add({0, 5, 8}, Spread::same);
  add({0, 5, 8}, Spread::same, {.accumulate = true});
  add({6, 0, 8}, Spread::outside);
  add({6, 5, 0}, Spread::mixed);
  add({6, 0, 0}, Spread::outside, {.accumulate = true});
  add({1, 1, 1}, Spread::same);
  for (std::int64_t columns : {1, 2, 7, 8, 33}) add({37, 11, columns}, Spread::mixed);
  for (std::int64_t columns : {5, 16})
    for (const Options& o :
         {Options{.accumulate = true}, Options{.scale = true}, Options{.accumulate = true, .scale = true}, Options{.padded = true, .padding = 2},
          Options{.accumulate = true, .padded = true, .padding = -1}, Options{.accumulate = true, .scale = true, .flag = false, .padded = true, .padding = -7}})
      add({29, 7, columns}, Spread::uniform, o);
  add({29, 7, 8}, Spread::uniform, {.scale = true});
  cases.back().name += ", infinity";
  cases.back().problem->tensor("dout").set(3, std::numeric_limits<double>::infinity());
  add({23, 9, 8}, Spread::outside);
  add({23, 9, 8}, Spread::outside, {.accumulate = true});
  add({23, 9, 8}, Spread::ascending, {.flag = false});
  add({40, 60, 8}, Spread::zipf);
  add({70, 3, 8}, Spread::same);                                     // one row with more occurrences than light rows
  add({70, 3, 8}, Spread::same, {.padded = true, .padding = 1});     // every index is padding
  add({70, 3, 9}, Spread::same, {.accumulate = true, .scale = true});
  add_counts({1, 2, 15, 16, 17}, 8);
  add_counts({31, 32, 33, 64, 65}, 4, {.accumulate = true});
  add_counts({2049, 3}, 1, {.scale = true});                         // one huge row
  add({3, 2, 600}, Spread::uniform);
  // Both sides of 64 occurrences, which are also a share of a heavy row: rows that begin on a border of shares, before and behind it, and heavy
  // rows next to each other; narrow and wide rows, aligned and not.
  for (std::int64_t columns : {8, 9, 264, 265}) {
    add_counts({64, 65, 1}, columns);
    add_counts({63, 65, 64}, columns, {.accumulate = true});
    add_counts({1, 63, 128, 1}, columns, {.scale = true});
  }
  add_counts({10, 200, 66, 70, 65, 3}, 8);
  add_counts({10, 200, 66, 70, 65, 3}, 5, {.accumulate = true, .scale = true, .padded = true, .padding = 2});
  add({100, 1, 8}, Spread::same);
  add({70, 600, 2}, Spread::uniform);                                // keys of one and of two digits in one block
  add({70, 600, 264}, Spread::uniform, {.accumulate = true});
  if (signature[0] == ADJ_F32) add({70, std::int64_t{1} << 18, 1}, Spread::mixed, {.accumulate = true});  // and of three
  add({4096, 40, 1}, Spread::mixed);                                 // the most that one block sorts, and tiles of several blocks
  add({4097, 40, 1}, Spread::mixed);
  add({6144, 1500, 1}, Spread::zipf);
  add({6145, 1500, 2}, Spread::uniform, {.accumulate = true, .padded = true, .padding = 7});
  add({5000, 3, 1}, Spread::same, {.padded = true, .padding = 1});
  add({5000, 3, 1}, Spread::outside);
  add({4200, 3000, 136}, Spread::mixed);  // while they are sorted, rows that do not occur are filled
  if (signature[0] == ADJ_F32 && signature[1] == ADJ_I32) {
    add({5000, (std::int64_t{1} << 20) + 5, 1}, Spread::uniform, {.accumulate = true});  // three digits
    add({264193, 1000, 1}, Spread::zipf, {.accumulate = true});                          // more tiles than blocks
    add({4200, 34000, 400}, Spread::mixed);                                              // more rows than are filled during the sort
    add({14000, 50, 17}, Spread::mixed);                                                 // several turns of a grid over the rows,
    add({2, 3, 14001}, Spread::same);                                                    // and over the columns
  }
  // Gradients from index plans: every division of rows, few and many occurrences. The programs do not depend on the index type, so one is tried.
  const bool planned = signature[1] == ADJ_I32;
  const auto take_plan = [&] { cases.back() = with_plan<adj_embedding_backward_descriptor>(cases.back(), "dweight"); };
  if (planned) {
    add({0, 5, 8}, Spread::same), take_plan();
    add({6, 0, 8}, Spread::outside), take_plan();
    add({6, 5, 0}, Spread::mixed), take_plan();
    add({23, 9, 8}, Spread::outside, {.accumulate = true}), take_plan();
    add({70, 3, 8}, Spread::same, {.padded = true, .padding = -2}), take_plan();
    for (std::int64_t columns : {7, 8, 264}) {
      add({37, 11, columns}, Spread::mixed, {.accumulate = true, .padded = true, .padding = 2}), take_plan();
      add_counts({10, 200, 66, 70, 65, 3}, columns, {.scale = true}), take_plan();
      add_counts({63, 65, 64}, columns, {.accumulate = true}), take_plan();
    }
    add({4097, 1500, 1}, Spread::mixed), take_plan();
    if (signature[0] == ADJ_F32) add({545000, 90000, 4}, Spread::uniform), take_plan();  // a batch has more than 32 occurrences
    for (std::int64_t columns : {8, 9, 264})
      for (Garbage garbage : kGarbage) {
        const bool accumulate = columns == 9;
        const adj_embedding_backward_descriptor d{.num_embeddings = 9,
                                                  .embedding_dim = columns,
                                                  .num_indices = 300,
                                                  .write_mode = accumulate ? ADJ_WRITE_ACCUMULATE : ADJ_WRITE_OVERWRITE,
                                                  .scale_grad_by_freq = accumulate,
                                                  .element = signature[0],
                                                  .index = signature[1]};
        cases.push_back(garbage_case(fmt::format("T300 V9 D{}{}", columns, accumulate ? ", accumulate" : ""), d, 9, garbage, rng));
      }
  }
  if (signature[0] == ADJ_F32 || signature[0] == ADJ_F64) {
    // One addend of a row is large. Every other one is less than half a unit in its last place, and so are four of them together: the more
    // additions the large one goes through one after the other, the more is lost.
    const std::int64_t unit = 16 / adj::size_of(signature[0]);
    add_counts({511}, unit);
    cases.back().name += ", small addends behind a large one";
    Data& dout = cases.back().problem->tensor("dout");
    fill_constant(dout, 0.2475 * (signature[0] == ADJ_F32 ? 0x1p-24 : 0x1p-53));
    for (std::int64_t i = 0; i < 4 * unit; ++i) dout.set(i, i < unit ? 1 : 0);
  }
  add({300, 4, 96}, Spread::same);     // whole and partial shares of rows that are narrower than a warp,
  add({1100, 6, 40}, Spread::mixed, {.accumulate = true});
  if (level == Level::quick) return cases;

  if (planned)
    for (Spread spread : {Spread::uniform, Spread::zipf, Spread::same, Spread::ascending, Spread::mixed}) {
      add({16384, 400, 96}, spread, {.padded = true, .padding = 5}), take_plan();
      add({30000, 5000, 33}, spread, {.accumulate = true, .scale = true}), take_plan();
    }
  for (std::int64_t columns : {1, 3, 8, 129, 768, 1001}) {
    add_counts({1, 2, 3, 15, 16, 17, 31, 32, 33, 64, 65, 127, 128, 129, 512}, columns);
    add_counts({2048, 2049, 5000, 33, 1}, std::min<std::int64_t>(columns, 72), {.accumulate = true, .scale = true});
  }
  add_counts({2047, 2048, 2049, 2050}, 264);
  add_counts({2200, 2150}, 1040);  // more columns of rows with many partial sums than blocks of few columns take
  add_counts({33000, 2100}, 6);  // ranges longer than the window that one list holds
  add_counts({20000, 9, 3000}, 72);
  add_counts({20000, 9, 3000}, 73, {.padded = true, .padding = 0});
  for (Spread spread : {Spread::uniform, Spread::zipf, Spread::same, Spread::ascending, Spread::mixed}) {
    add({512, 1000, 768}, spread);
    add({1024, 300, 1024}, spread, {.accumulate = true});
    add({1025, 300, 1024}, spread);
    add({16384, 400, 96}, spread);
    add({16384, 12000, 40}, spread, {.accumulate = true});
    add({30000, 5000, 33}, spread, {.scale = true});
    add({9000, 30000, 264}, spread);
    add({20000, 5000, 136}, spread);
  }
  add({512, 50257, 64}, Spread::zipf);
  add({300000, 17, 8}, Spread::ascending);
  for (bool accumulate : {false, true}) add({1090000, 90000, 4}, Spread::uniform, {.accumulate = accumulate});
  add({200000, 70000, 2}, Spread::zipf);
  add({1000, 200, 4096}, Spread::uniform);
  add({3000, 200, 4104}, Spread::zipf);
  if (signature[0] == ADJ_BF16 && signature[1] == ADJ_I64) {  // more than 2^31 elements in dweight
    const Shape s{2000, (std::int64_t{1} << 20) + 3, 2048};
    std::string name = fmt::format("{} ends of a large matrix", name_of(s));
    auto problem = problem_of(s, {}, name);
    Data& indices = problem->tensor("indices");
    for (std::int64_t i = 0; i < s.indices; ++i) indices.set(i, static_cast<double>(i % 3 ? s.rows - 1 - i % 5 : i % 7));
    // Sums of small integers are exact, so no magnitudes (16 GB of them) are needed.
    fill_integers(problem->tensor("dout"), rng, -1, 1);
    problem->tensor("error_flag").set(0, 3);
    cases.push_back({std::move(name), std::move(problem), {}});
  }
  return cases;
}

// ---- gradient of Gather

std::vector<Case> gather_backward_cases(const adj::Signature& signature, Level level, std::uint64_t seed) {
  std::vector<Case> cases;
  Rng rng(seed);
  struct Axis {
    std::int64_t outer, extent, inner;
  };
  constexpr std::int64_t kLongExtent = 33000;
  // Replaces half of the valid indices, at random, by the negative index of the same row.
  const auto wrap_some = [&](Data& indices, std::int64_t extent) {
    std::bernoulli_distribution half(0.5);
    for (std::int64_t i = 0; i < indices.numel(); ++i) {
      const double row = indices.get(i);
      if (row >= 0 && row < static_cast<double>(extent) && half(rng)) indices.set(i, row - static_cast<double>(extent));
    }
  };
  const auto problem_of = [&](std::int64_t indices, const Axis& a, bool accumulate) {
    adj_gather_backward_descriptor d;
    d.outer = a.outer;
    d.extent = a.extent;
    d.inner = a.inner;
    d.num_indices = indices;
    d.element = signature[0];
    d.index = signature[1];
    d.write_mode = accumulate ? ADJ_WRITE_ACCUMULATE : ADJ_WRITE_OVERWRITE;
    return std::make_shared<Problem>(Problem::of(d));
  };
  const auto name_of_axis = [](std::int64_t indices, const Axis& a, bool accumulate) {
    return fmt::format("I{} {}x{}x{}{}", indices, a.outer, a.extent, a.inner, accumulate ? ", accumulate" : "");
  };
  const auto add = [&](std::int64_t indices, const Axis& a, Spread spread, bool accumulate = false, bool flag = true) {
    auto problem = problem_of(indices, a, accumulate);
    Data& data = problem->tensor("indices");
    if (spread == Spread::outside) {
      for (std::int64_t i = 0; i < indices; ++i) data.set(i, static_cast<double>(i % 2 ? a.extent + i : -a.extent - 1 - i));
    } else {
      if (spread == Spread::mixed) fill_integers(data, rng, -2 * a.extent - 1, 2 * a.extent);
      else fill_indices(data, rng, a.extent, spread);
      wrap_some(data, a.extent);
    }
    std::string name = fmt::format("{} {}{}", name_of_axis(indices, a, accumulate), name_of(spread), flag ? "" : ", no error_flag");
    cases.push_back(gradient_case(std::move(name), std::move(problem), rng, "dinput", accumulate, flag));
  };
  // Row r occurs counts[r] times; two more rows do not occur.
  const auto add_counts = [&](const std::vector<std::int64_t>& counts, std::int64_t outer, std::int64_t inner, bool accumulate = false,
                              std::int64_t extent = 0) {
    std::int64_t total = 0;
    for (std::int64_t c : counts) total += c;
    const Axis a{outer, std::max(extent, static_cast<std::int64_t>(counts.size()) + 2), inner};
    auto problem = problem_of(total, a, accumulate);
    fill_counts(problem->tensor("indices"), rng, counts);
    wrap_some(problem->tensor("indices"), a.extent);
    std::string name = fmt::format("{} counts {}", name_of_axis(total, a, accumulate), fmt::join(counts, " "));
    cases.push_back(gradient_case(std::move(name), std::move(problem), rng, "dinput", accumulate, true));
  };

  // Nothing to read, to write or to do.
  add(0, {3, 5, 2}, Spread::same);
  add(0, {3, 5, 2}, Spread::same, true);
  add(6, {2, 0, 8}, Spread::outside);
  add(6, {2, 5, 0}, Spread::mixed);
  add(6, {0, 5, 8}, Spread::mixed);
  add(1, {1, 1, 1}, Spread::same);
  // Rows of one element, of part of 16 bytes, of one lane, of several lanes, of a warp, of several stretches.
  for (std::int64_t inner : {1, 2, 3, 7, 8, 9, 16, 33, 40, 130}) add(37, {3, 11, inner}, Spread::mixed);
  for (std::int64_t outer : {1, 2, 7, 8, 9, 16, 17, 35}) add(19, {outer, 6, 1}, Spread::uniform);
  // Short rows whose matrix does not fit shared memory.
  for (std::int64_t inner : {1, 2, 3, 7, 9, 33}) add(37, {3, kLongExtent / inner, inner}, Spread::mixed, inner == 2);
  for (std::int64_t outer : {2, 7, 8, 9, 17}) add(19, {outer, kLongExtent, 1}, Spread::uniform);
  for (std::int64_t outer : {1, 2, 5, 17}) add(19, {outer, 6, 8}, Spread::uniform, true);
  add(21, {2, 5, 264}, Spread::uniform);
  add(21, {3, 5, 520}, Spread::mixed, true);
  add(11, {20, 40, 1}, Spread::zipf, true);
  for (std::int64_t inner : {1, 5, 16}) {
    add(23, {3, 9, inner}, Spread::outside);
    add(23, {3, 9, inner}, Spread::outside, true);
    add(23, {4, 9, inner}, Spread::same, false, false);
    add(23, {4, 9, inner}, Spread::ascending, true);
  }
  // One row that is added up by several warps, by a block, and by several blocks.
  for (std::int64_t inner : {1, 3, 8, 40}) add(70, {5, 3, inner}, Spread::same);
  for (std::int64_t extent : {std::int64_t{3}, kLongExtent}) {
    add(70, {18, extent, 1}, Spread::same, true);
    add(70, {5, extent / 3 + 1, 3}, Spread::same);
  }
  add(70, {3, 3, 264}, Spread::same);
  add_counts({31, 32, 33, 64, 1}, 3, 4, true);
  for (std::int64_t extent : {std::int64_t{0}, kLongExtent}) {
    add_counts({15, 16, 3, 17, 34}, 19, 1, false, extent);  // the third row ends behind 32 occurrences
    add_counts({2049, 3}, 2, 1, false, extent);
  }
  // Large shares: for a row with less than a quarter of the occurrences, and for one with very many.
  if (signature[0] == ADJ_F32 && signature[1] == ADJ_I32) add_counts({2100, 33000}, 2, 1, false, kLongExtent);
  // Rows of more than 64 occurrences, in every division of rows and matrices.
  for (std::int64_t inner : {1, 8, 9, 264, 265})
    for (std::int64_t outer : {1, 5}) add_counts({66, 3, 130}, outer, inner, outer == 5);
  for (std::int64_t extent : {std::int64_t{0}, kLongExtent}) add_counts({66, 3, 130}, 9, 1, extent == 0, extent);
  add_counts({66, 3, 130}, 5, 9, true, kLongExtent / 9);
  // Panels in shared memory: every number of warps in a team; one row, and rows that end anywhere; groups of matrices, of which the last is
  // not full; matrices that begin anywhere between multiples of 16 bytes.
  for (std::int64_t indices : {32, 255, 257, 700, 1025}) {
    add(indices, {9, 300, 1}, Spread::uniform, indices == 257);
    add(indices, {3, 7, 3}, Spread::same, indices == 700);
  }
  add(3001, {5, 400, 1}, Spread::zipf);
  add(150, {1700, 3, 1}, Spread::ascending);
  add_counts({1, 255, 1, 256, 7, 8, 9, 1, 1000, 3}, 5, 3, true);
  add(4097, {1, 1100, 1}, Spread::mixed);  // more indices than one block sorts, by two digits
  add(4200, {2, 3000, 72}, Spread::mixed);
  if (signature[0] == ADJ_F32 && signature[1] == ADJ_I32) add(2, {600, 3, 1}, Spread::uniform, true);  // several turns over the matrices
  // Gradients from index plans: every division of rows and matrices.
  const bool planned = signature[1] == ADJ_I32;
  const auto take_plan = [&] { cases.back() = with_plan<adj_gather_backward_descriptor>(cases.back(), "dinput"); };
  if (planned) {
    add(0, {3, 5, 2}, Spread::same), take_plan();
    add(6, {2, 0, 8}, Spread::outside), take_plan();
    add(23, {3, 9, 5}, Spread::outside, true), take_plan();
    for (const Axis& a : {Axis{1, 5, 8}, {5, 5, 1}, {5, 5, 8}, {5, 5, 9}, {3, 5, 264}}) {
      add(37, a, Spread::mixed, true), take_plan();
      add_counts({66, 3, 130}, a.outer, a.inner), take_plan();
      for (Garbage garbage : kGarbage) {
        const bool accumulate = a.outer == 1 || a.inner == 9;
        const adj_gather_backward_descriptor d{.outer = a.outer,
                                               .extent = a.extent,
                                               .inner = a.inner,
                                               .num_indices = 300,
                                               .write_mode = accumulate ? ADJ_WRITE_ACCUMULATE : ADJ_WRITE_OVERWRITE,
                                               .element = signature[0],
                                               .index = signature[1]};
        cases.push_back(garbage_case(name_of_axis(300, a, accumulate), d, a.extent, garbage, rng));
      }
    }
    const Axis tiny{2, kLongExtent, 1};
    const adj_gather_backward_descriptor d{
        .outer = tiny.outer, .extent = tiny.extent, .inner = tiny.inner, .num_indices = 300, .element = signature[0], .index = signature[1]};
    cases.push_back(garbage_case(name_of_axis(300, tiny, false), d, 5, Garbage::unsorted, rng));
  }
  if (level == Level::quick) return cases;

  if (planned)
    for (Spread spread : {Spread::uniform, Spread::zipf, Spread::same, Spread::mixed}) {
      add(2048, {16, 1000, 256}, spread), take_plan();
      add(5000, {200, 700, 1}, spread, true), take_plan();
    }
  for (std::int64_t inner : {1, 2, 8, 64, 129, 1001}) {
    add_counts({1, 2, 3, 15, 16, 17, 31, 32, 33, 64, 65, 127, 128, 129, 512}, 5, inner);
    add_counts({2048, 2049, 5000, 33, 1}, 3, std::min<std::int64_t>(inner, 72), true);
  }
  add_counts({33000, 2100}, 17, 1);
  add_counts({16384}, 3, 1);  // the most that shared memory holds, and more
  add_counts({16385}, 3, 1);
  add_counts({8000, 300}, 70, 3, true);
  add_counts({20000, 9, 3000}, 5, 9);
  for (Spread spread : {Spread::uniform, Spread::zipf, Spread::same, Spread::ascending, Spread::mixed}) {
    add(2048, {16, 1000, 256}, spread);
    add(1025, {8, 300, 1024}, spread, true);
    add(700, {33, 500, 64}, spread);
    for (std::int64_t extent : {std::int64_t{700}, kLongExtent}) add(5000, {200, extent, 1}, spread);
    add(900, {1000, 50, 3}, spread, true);
    add(2048, {3000, 1024, 1}, spread);
    add(700, {60, 500, 11}, spread);
    add(3000, {70, 400, 12}, spread);
    add(20000, {3, 5000, 48}, spread);
  }
  add(40, {100000, 30, 1}, Spread::uniform);  // more matrices than a grid has rows
  add(2000, {70000, 30, 2}, Spread::zipf);
  if (signature[0] == ADJ_BF16 && signature[1] == ADJ_I32) {  // more than 2^31 elements in dinput
    const Axis a{1029, 2048, 1024};
    auto problem = problem_of(1500, a, false);
    Data& indices = problem->tensor("indices");
    for (std::int64_t i = 0; i < indices.numel(); ++i) indices.set(i, static_cast<double>(i % 3 ? -1 - i % 700 : i % 500));
    // Sums of small integers are exact, so no magnitudes are needed.
    fill_integers(problem->tensor("dout"), rng, -1, 1);
    problem->tensor("error_flag").set(0, 3);
    cases.push_back({name_of_axis(1500, a, false) + " large", std::move(problem), {}});
  }
  return cases;
}

}  // namespace harness
