// Cases of the embedding bags and their gradients.
#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <span>

#include <adjoint/ops/embedding_bag.h>

#include "harness/harness.hpp"
#include "harness/index_plan.hpp"

namespace harness {

namespace {

constexpr double kNan = std::numeric_limits<double>::quiet_NaN();

// Positions of the bags: by offsets, or bags of equal length.
struct Bags {
  std::int64_t count = 0, positions = 0;
  std::vector<std::int64_t> offsets;  // empty: equal lengths
  bool include_last = false;
  std::string name;
};

Bags equal(std::int64_t count, std::int64_t length) { return {count, count * length, {}, false, fmt::format("B{} of {}", count, length)}; }
// Bags of which a third are empty and the others up to twice as long as `length`; `spare` positions lie in no bag.
Bags ragged(Rng& rng, std::int64_t count, std::int64_t length, bool include_last = false, std::int64_t spare = 0) {
  Bags b{count, 0, {}, include_last, fmt::format("B{} up to {}{}", count, 2 * length, include_last ? ", last offset" : "")};
  for (std::int64_t i = 0; i < count; ++i) {
    b.offsets.push_back(b.positions);
    if (rng() % 3) b.positions += 1 + static_cast<std::int64_t>(rng() % static_cast<std::uint64_t>(2 * length));
  }
  if (include_last) b.offsets.push_back(b.positions);
  b.positions += spare;
  if (spare) b.name += fmt::format(", {} more positions", spare);
  return b;
}
Bags given(std::vector<std::int64_t> offsets, std::int64_t positions, bool include_last = false) {
  Bags b{static_cast<std::int64_t>(offsets.size()) - include_last, positions, std::move(offsets), include_last, "offsets"};
  for (std::int64_t o : b.offsets) b.name += fmt::format(" {}", o);
  b.name += fmt::format(" of {}", positions);
  return b;
}
// One bag with nearly everything.
Bags lopsided(std::int64_t count, std::int64_t positions) {
  std::vector<std::int64_t> offsets;
  for (std::int64_t i = 0; i < count; ++i) offsets.push_back(i < count / 2 ? i : positions - count + i);
  Bags b = given(std::move(offsets), positions);
  b.name = fmt::format("B{} lopsided", count);
  return b;
}

enum class Spread { uniform, few, mixed, outside, zipf };

struct Setting {
  std::int64_t rows = 0, columns = 0;
  Spread spread = Spread::uniform;
  adj_bag_mode mode = ADJ_BAG_DEFAULT;
  bool weighted = false, padded = false, flag = true, accumulate = false, scale = false;
  std::int64_t padding = 0;
  bool ties = false;         // many equal weights
  bool nan = false;          // among the weights
  bool infinite = false;     // some weights are
  bool lowest = false;       // most weights are -Inf
  bool no_positions = false; // the optional output max_positions is left out
  bool wild = false;         // max_positions that no forward operator writes
};

std::string name_of(const Bags& b, const Setting& s) {
  static const char* const kModes[] = {"default", "sum", "mean", "max"};
  static const char* const kSpreads[] = {"uniform", "few rows", "some out of range", "all out of range", "Zipf"};
  std::string name = fmt::format("{} V{} D{} {} {}", b.name, s.rows, s.columns, kModes[s.mode], kSpreads[static_cast<int>(s.spread)]);
  if (s.weighted) name += ", weighted";
  if (s.padded) name += fmt::format(", padding {}", s.padding);
  if (s.accumulate) name += ", accumulate";
  if (s.scale) name += ", scaled by frequency";
  if (s.ties) name += ", ties";
  if (s.nan) name += ", NaN";
  if (s.infinite) name += ", infinity";
  if (s.lowest) name += ", -Inf";
  if (s.no_positions) name += ", no max_positions";
  if (s.wild) name += ", wild max_positions";
  if (!s.flag) name += ", no error_flag";
  return name;
}

// Descriptor of an operator of the family, with the fields that all have.
template <class Descriptor>
Descriptor describe(const adj::Signature& signature, const Bags& b, const Setting& s) {
  Descriptor d;
  d.num_embeddings = s.rows;
  d.embedding_dim = s.columns;
  d.num_indices = b.positions;
  d.num_bags = b.count;
  d.element = signature[0];
  d.index = signature[1];
  d.has_offsets = !b.offsets.empty();
  d.include_last_offset = b.include_last;
  d.has_padding_idx = s.padded;
  d.padding_idx = s.padding;
  return d;
}

void fill_positions(Problem& problem, Rng& rng, const Bags& b, const Setting& s) {
  Data& indices = problem.tensor("indices");
  switch (s.spread) {
    case Spread::uniform: fill_integers(indices, rng, 0, s.rows - 1); break;
    case Spread::few: fill_integers(indices, rng, s.rows / 2, std::min(s.rows - 1, s.rows / 2 + 2)); break;
    case Spread::mixed: fill_integers(indices, rng, -s.rows / 2 - 1, s.rows + s.rows / 2); break;
    case Spread::zipf: fill_zipf(indices, rng, s.rows, 1.1); break;
    case Spread::outside:
      for (std::int64_t i = 0; i < b.positions; ++i) indices.set(i, static_cast<double>(i % 2 ? s.rows + i : -1 - i));
      break;
  }
  std::int64_t i = 0;
  for (std::int64_t offset : b.offsets) problem.tensor("offsets").set(i++, static_cast<double>(offset));
  if (s.weighted) fill_normal(problem.tensor("per_sample_weights"), rng);
  if (s.flag) problem.tensor("error_flag").set(0, 4);
  else problem.omit("error_flag");
}
void fill_weight(Data& weight, Rng& rng, const Setting& s) {
  if (s.ties) fill_integers(weight, rng, -1, 1);
  else fill_normal(weight, rng);
  if (s.nan)
    for (std::int64_t i = 0; i < weight.numel(); i += 5) weight.set(i, kNan);
  for (std::int64_t i = 0; s.infinite && i < weight.numel(); i += 7) weight.set(i, std::numeric_limits<double>::infinity());
  if (s.lowest)
    for (std::int64_t i = 0; i < weight.numel(); ++i)
      if (i % 40) weight.set(i, -std::numeric_limits<double>::infinity());
}

Problem forward_problem(const adj::Signature& signature, Rng& rng, const Bags& b, const Setting& s) {
  auto d = describe<adj_embedding_bag_forward_descriptor>(signature, b, s);
  d.mode = s.mode;
  d.has_per_sample_weights = s.weighted;
  Problem problem = Problem::of(d);
  fill_positions(problem, rng, b, s);
  fill_weight(problem.tensor("weight"), rng, s);
  if (s.no_positions) problem.omit("max_positions");
  return problem;
}

// Magnitudes of an output that is linear in some inputs and, when accumulating, in its old contents.
Magnitudes sums_of_magnitudes(const char* output, std::initializer_list<const char*> inputs, bool accumulate = false) {
  return [output, inputs = std::vector<const char*>(inputs), accumulate](const Problem& p, const std::string& name) {
    std::vector<std::vector<double>> magnitudes;
    if (name != output) return magnitudes;
    Problem positive = p;
    if (!accumulate) fill_constant(positive.tensor(output), 0);
    for (const char* input : inputs)
      for (Data& data : positive.list(input))
        for (std::int64_t i = 0; i < data.numel(); ++i) data.set(i, std::fabs(data.get(i)));
    const Outputs sums = run_on_magnitudes(positive, {output});
    for (const Data& data : sums.arguments[p.argument(output)]) {
      auto& list = magnitudes.emplace_back(static_cast<std::size_t>(data.numel()));
      for (std::int64_t i = 0; i < data.numel(); ++i) list[static_cast<std::size_t>(i)] = data.get(i);
    }
    return magnitudes;
  };
}

// Bags that every operator is tried on; some have invalid offsets.
std::vector<Bags> every_kind(Rng& rng) {
  return {equal(5, 3),
          equal(3, 0),
          equal(0, 0),
          equal(1, 1),
          equal(9, 11),
          ragged(rng, 7, 4),
          ragged(rng, 12, 2, true),
          ragged(rng, 5, 3, true, 4),
          given({0}, 0),
          given({0, 0, 0}, 0),
          given({0, 0, 5, 5}, 9),
          given({0, 9}, 9),
          given({0}, 7, true),                 // no bag
          given({2, 4, 6}, 9),                 // does not start at 0
          given({0, 6, 3, 5}, 9),              // descends: positions 3 to 5 are in two bags
          given({0, -1, 4, 12, 6}, 9),         // outside
          given({0, 3, 10}, 9, true),
          given({-3, 2, 1, -2, 100, 9, 9}, 9)};
}

}  // namespace

// ---- forward

std::vector<Case> embedding_bag_forward_cases(const adj::Signature& signature, Level level, std::uint64_t seed) {
  std::vector<Case> cases;
  Rng rng(seed);
  const auto add = [&](const Bags& b, const Setting& s) {
    auto problem = std::make_shared<Problem>(forward_problem(signature, rng, b, s));
    const Magnitudes magnitudes = s.mode == ADJ_BAG_MAX ? Magnitudes{} : sums_of_magnitudes("out", {"weight", "per_sample_weights"});
    cases.push_back({name_of(b, s), std::move(problem), magnitudes});
  };
  const auto add_modes = [&](const Bags& b, Setting s) {
    for (adj_bag_mode mode : {ADJ_BAG_SUM, ADJ_BAG_MEAN, ADJ_BAG_MAX}) {
      s.mode = mode;
      add(b, s);
    }
    s.mode = ADJ_BAG_SUM;
    s.weighted = true;
    add(b, s);
  };
  for (const Bags& b : every_kind(rng)) add_modes(b, {.rows = 6, .columns = 8, .spread = Spread::mixed, .padded = true, .padding = 2});
  for (std::int64_t columns : {0, 1, 7, 24, 33, 264}) add_modes(ragged(rng, 4, 3), {.rows = 11, .columns = columns});
  add(ragged(rng, 4, 3), {.rows = 5, .columns = 9, .spread = Spread::uniform});  // the default is the mean
  add_modes(equal(3, 70), {.rows = 9, .columns = 8, .spread = Spread::mixed});     // several streams for a bag
  add_modes(equal(1, 700), {.rows = 40, .columns = 5, .padded = true, .padding = -1});
  add_modes(lopsided(6, 300), {.rows = 13, .columns = 16, .spread = Spread::mixed, .flag = false});
  add_modes(equal(4, 5), {.rows = 3, .columns = 8, .spread = Spread::outside});
  add_modes(equal(4, 5), {.rows = 1, .columns = 8, .padded = true, .padding = 0});  // all positions are padding
  add_modes(equal(4, 5), {.rows = 0, .columns = 8, .spread = Spread::outside});
  add(given({0, 70, 300, 140}, 210), {.rows = 9, .columns = 264, .mode = ADJ_BAG_SUM});  // errors of several streams, in several stretches
  add(equal(3, 4), {.rows = 30, .columns = 8, .mode = ADJ_BAG_MEAN, .infinite = true});
  if (signature[0] == ADJ_F64) {
    // Thirds near the middle between two subnormal numbers, on either side.
    add(equal(1, 3), {.rows = 3, .columns = 4, .mode = ADJ_BAG_MEAN});
    cases.back().name += ", subnormal";
    cases.back().exact = {"out"};
    Problem& problem = *cases.back().problem;
    fill_constant(problem.tensor("weight"), 0);
    for (std::int64_t i = 0; i < 3; ++i) problem.tensor("indices").set(i, static_cast<double>(i));
    constexpr double kEven = 0x1p51, kOdd = kEven + 1;
    std::int64_t at = 0;
    for (double units : {3 * kEven + 1, 3 * kEven + 2, 3 * kOdd + 1, 3 * kOdd + 2}) problem.tensor("weight").set(at++, std::ldexp(units, -1074));
  }
  for (std::int64_t columns : {8, 13}) {
    add(equal(3, 40), {.rows = 30, .columns = columns, .mode = ADJ_BAG_MAX, .ties = true});
    add(equal(3, 40), {.rows = 30, .columns = columns, .mode = ADJ_BAG_MAX, .nan = true});
    add(ragged(rng, 9, 5), {.rows = 30, .columns = columns, .mode = ADJ_BAG_MAX, .padded = true, .padding = 3, .lowest = true});
    add(ragged(rng, 6, 5), {.rows = 30, .columns = columns, .mode = ADJ_BAG_MAX, .ties = true, .no_positions = true});
  }
  if (level == Level::quick) return cases;

  for (std::int64_t columns : {1, 8, 64, 128, 129, 768, 1001, 4096}) {
    add_modes(equal(512, 20), {.rows = 3000, .columns = columns, .spread = Spread::zipf});
    add_modes(ragged(rng, 300, 30), {.rows = 3000, .columns = columns, .spread = Spread::mixed, .padded = true, .padding = 7});
  }
  add_modes(equal(70000, 3), {.rows = 5000, .columns = 32});
  add_modes(equal(2, 200000), {.rows = 5000, .columns = 16});  // windows of many additions
  add_modes(lopsided(1000, 60000), {.rows = 5000, .columns = 64, .spread = Spread::zipf});
  if (signature[0] == ADJ_BF16) {  // more than 2^31 elements: the last rows lie beyond 32 bits
    const Setting large{.rows = (std::int64_t{1} << 20) + 3, .columns = 2048, .mode = ADJ_BAG_MAX};
    auto d = describe<adj_embedding_bag_forward_descriptor>(signature, equal(3, 2), large);
    d.mode = large.mode;
    auto problem = std::make_shared<Problem>(Problem::of(d));
    Data& weight = problem->tensor("weight");
    for (std::int64_t i = 0; i < 3 * large.columns; ++i) weight.set(weight.numel() - 1 - i, static_cast<double>(i % 17) - 8);
    for (std::int64_t i = 0; i < 6; ++i) problem->tensor("indices").set(i, i % 2 ? 0 : static_cast<double>(large.rows - 1 - i / 2));
    cases.push_back({name_of(equal(3, 2), large), std::move(problem), {}});
  }
  return cases;
}

// ---- gradient of the weight

std::vector<Case> embedding_bag_backward_cases(const adj::Signature& signature, Level level, std::uint64_t seed) {
  std::vector<Case> cases;
  Rng rng(seed);
  const auto add = [&](const Bags& b, const Setting& s) {
    auto d = describe<adj_embedding_bag_backward_descriptor>(signature, b, s);
    d.mode = s.mode;
    d.has_per_sample_weights = s.weighted;
    d.write_mode = s.accumulate ? ADJ_WRITE_ACCUMULATE : ADJ_WRITE_OVERWRITE;
    d.scale_grad_by_freq = s.scale;
    auto problem = std::make_shared<Problem>(Problem::of(d));
    fill_positions(*problem, rng, b, s);
    fill_normal(problem->tensor("dout"), rng);
    if (s.accumulate) fill_normal(problem->tensor("dweight"), rng);
    else fill_constant(problem->tensor("dweight"), kNan);
    if (s.mode == ADJ_BAG_MAX) {
      Data& positions = problem->tensor("max_positions");
      if (s.wild) {
        fill_integers(positions, rng, -2, b.positions + 1);
        using Limits = std::numeric_limits<std::int32_t>;
        for (std::int64_t i = 0; i < positions.numel(); i += 7) positions.set(i, i % 2 ? Limits::min() : Limits::max());
        positions.set(1, static_cast<double>(b.positions));  // one behind the last
      } else {
        Problem forward = forward_problem(signature, rng, b, s);
        for (const char* name : {"indices", "offsets"}) forward.list(name) = problem->list(name);
        auto outputs = run_reference(forward);
        if (!outputs) throw std::logic_error("harness: " + outputs.error().message);
        positions = outputs->arguments[forward.argument("max_positions")].at(0);
      }
    }
    cases.push_back({name_of(b, s), std::move(problem), sums_of_magnitudes("dweight", {"dout", "per_sample_weights"}, s.accumulate)});
  };
  const auto add_modes = [&](const Bags& b, Setting s) {
    for (adj_bag_mode mode : {ADJ_BAG_SUM, ADJ_BAG_MEAN, ADJ_BAG_MAX}) {
      Setting one = s;
      one.mode = mode;
      one.scale = s.scale && mode != ADJ_BAG_MAX;
      add(b, one);
    }
    s.mode = ADJ_BAG_SUM;
    s.weighted = true;
    add(b, s);
  };
  for (const Bags& b : every_kind(rng)) {  // sums take the path of means, without the shares
    const Setting s{.rows = 6, .columns = 8, .spread = Spread::mixed, .mode = ADJ_BAG_MEAN, .padded = true, .padding = 2};
    add(b, s);
    Setting max = s;
    max.mode = ADJ_BAG_MAX;
    add(b, max);
  }
  add(given({0, 6, 3, 5}, 9), {.rows = 6, .columns = 8, .mode = ADJ_BAG_SUM, .flag = false});
  for (std::int64_t columns : {0, 1, 24, 33}) add_modes(ragged(rng, 6, 3), {.rows = 11, .columns = columns});
  for (std::int64_t columns : {5, 16}) {
    add_modes(ragged(rng, 9, 4), {.rows = 7, .columns = columns, .accumulate = true, .scale = true});
    add_modes(equal(9, 4), {.rows = 7, .columns = columns, .padded = true, .scale = true, .padding = -1});
    add_modes(equal(3, 30), {.rows = 7, .columns = columns, .spread = Spread::few, .flag = false, .accumulate = true, .ties = true});
    add(equal(6, 5), {.rows = 9, .columns = columns, .mode = ADJ_BAG_MAX, .wild = true});
    add(given({0, 10, 30}, 64), {.rows = 9, .columns = columns, .mode = ADJ_BAG_MAX, .wild = true});  // the table of bags ends with the workspace
  }
  add(ragged(rng, 9, 4), {.rows = 7, .columns = 8});
  // More indices than one block sorts, by two digits.
  add(equal(3, 1366), {.rows = 1100, .columns = 1});
  add(equal(3, 1366), {.rows = 1100, .columns = 1, .mode = ADJ_BAG_MAX});
  add_modes(equal(4, 5), {.rows = 3, .columns = 8, .spread = Spread::outside});
  add_modes(equal(4, 5), {.rows = 0, .columns = 8, .spread = Spread::outside});
  add_modes(equal(2, 1030), {.rows = 2, .columns = 4, .spread = Spread::few});  // one huge row, beyond the single launch
  add_modes(ragged(rng, 40, 40), {.rows = 60, .columns = 8, .spread = Spread::few, .padded = true, .padding = 31});
  // More than 64 occurrences of a row, in narrow and wide rows, aligned and not; more indices than one block sorts.
  for (std::int64_t columns : {5, 16, 264, 265}) {
    add_modes(equal(10, 20), {.rows = 3, .columns = columns, .spread = Spread::uniform, .ties = true});
    add_modes(ragged(rng, 10, 40), {.rows = 3, .columns = columns, .spread = Spread::uniform, .accumulate = true, .scale = true});
  }
  add_modes(ragged(rng, 200, 45), {.rows = 900, .columns = 1, .spread = Spread::mixed});
  if (signature[0] == ADJ_F32 && signature[1] == ADJ_I32)  // several turns of a grid over the bags
    add(equal(18000, 1), {.rows = 50, .columns = 17, .spread = Spread::mixed, .mode = ADJ_BAG_MAX});
  // Makes the cases from `first` on take an index plan. `twins`: every position is in one bag, so the bits must be those without a plan.
  const auto plan_since = [&](std::size_t first, bool twins) {
    for (Case& c : std::span(cases).subspan(first)) {
      auto plain = std::make_shared<Problem>(*c.problem);
      plain->omit("error_flag");
      auto d = *reinterpret_cast<const adj_embedding_bag_backward_descriptor*>(plain->descriptor());
      const adj_index_plan_descriptor plan{.num_embeddings = d.num_embeddings,
                                           .num_indices = d.num_indices,
                                           .padding_idx = d.padding_idx,
                                           .has_padding_idx = d.has_padding_idx,
                                           .index = d.index};
      d.use_index_plan = 1;
      d.has_padding_idx = 0;
      d.padding_idx = 0;
      auto problem = std::make_shared<Problem>(Problem::of(d));
      for (const char* name : {"dout", "dweight"}) problem->tensor(name) = plain->tensor(name);
      for (const char* name : {"offsets", "per_sample_weights", "max_positions"}) problem->list(name) = plain->list(name);
      fill_plan(*problem, plan, plain->tensor("indices"));
      problem->tensor("error_flag").set(0, 3);
      c = {c.name + ", index plan", std::move(problem), c.magnitudes, twins ? std::move(plain) : nullptr};
    }
  };
  const auto add_garbage = [&](const Bags& b, const Setting& s, Garbage garbage) {
    auto d = describe<adj_embedding_bag_backward_descriptor>(signature, b, s);
    d.mode = s.mode;
    d.has_per_sample_weights = s.weighted;
    d.write_mode = s.accumulate ? ADJ_WRITE_ACCUMULATE : ADJ_WRITE_OVERWRITE;
    d.use_index_plan = 1;
    auto problem = std::make_shared<Problem>(Problem::of(d));
    for (std::size_t i = 0; i < b.offsets.size(); ++i) problem->tensor("offsets").set(static_cast<std::int64_t>(i), static_cast<double>(b.offsets[i]));
    fill_normal(problem->tensor("dout"), rng);
    fill_garbage(*problem, rng, s.rows, garbage);
    cases.push_back({fmt::format("{}, plan of {}", name_of(b, s), harness::name_of(garbage)), std::move(problem), {}, {}, true});
  };
  std::size_t first = cases.size();
  for (const Bags& b : every_kind(rng)) add_modes(b, {.rows = 6, .columns = 8, .spread = Spread::mixed, .padded = true, .padding = 2});
  add_modes(ragged(rng, 10, 40, true, 30), {.rows = 3, .columns = 5, .scale = true});  // positions in no bag, rows of more than 64 occurrences
  plan_since(first, false);
  const bool planned = signature[1] == ADJ_I32;  // only the map's program depends on the index type
  if (planned) {
    first = cases.size();
    add_modes(equal(0, 0), {.rows = 6, .columns = 8});
    add_modes(equal(4, 5), {.rows = 0, .columns = 8, .spread = Spread::outside});
    add_modes(equal(9, 4), {.rows = 7, .columns = 16, .spread = Spread::mixed, .padded = true, .scale = true, .padding = -1});
    for (std::int64_t columns : {5, 16, 264})
      add_modes(ragged(rng, 10, 40), {.rows = 3, .columns = columns, .spread = Spread::mixed, .accumulate = true, .scale = true});
    plan_since(first, true);
    for (std::int64_t columns : {5, 16, 264})
      for (adj_bag_mode mode : {ADJ_BAG_SUM, ADJ_BAG_MEAN, ADJ_BAG_MAX})
        for (Garbage garbage : kGarbage)
          add_garbage(columns == 16 ? equal(10, 30) : ragged(rng, 12, 30, true, 5),
                      {.rows = 9, .columns = columns, .mode = mode, .weighted = mode == ADJ_BAG_SUM, .accumulate = columns == 5}, garbage);
  }
  if (level == Level::quick) return cases;

  if (planned) {
    first = cases.size();
    for (std::int64_t columns : {1, 64, 129}) {
      add_modes(equal(512, 20), {.rows = 3000, .columns = columns, .spread = Spread::zipf, .padded = true, .padding = 5});
      add_modes(ragged(rng, 300, 30), {.rows = 3000, .columns = columns, .spread = Spread::mixed, .accumulate = true, .scale = true});
    }
    plan_since(first, true);
  }
  for (std::int64_t columns : {1, 8, 64, 129, 768}) {
    add_modes(equal(512, 20), {.rows = 3000, .columns = columns, .spread = Spread::zipf});
    add_modes(ragged(rng, 300, 30), {.rows = 3000, .columns = columns, .spread = Spread::mixed, .accumulate = true, .scale = true});
    add_modes(ragged(rng, 60, 9), {.rows = 3000, .columns = columns, .spread = Spread::zipf});  // a single launch
  }
  add_modes(equal(500, 60), {.rows = 3000, .columns = 72, .spread = Spread::few, .ties = true});  // ranges of huge rows
  add_modes(lopsided(1000, 60000), {.rows = 5000, .columns = 64, .spread = Spread::zipf});
  add_modes(equal(70000, 3), {.rows = 50000, .columns = 33, .spread = Spread::zipf});
  add_modes(equal(60000, 1), {.rows = 50000, .columns = 33, .spread = Spread::zipf});
  add_modes(ragged(rng, 100'003, 1), {.rows = 8, .columns = 8, .scale = true});  // sums of thousands of addends that cancel
  return cases;
}

// ---- gradient of the weights of positions

std::vector<Case> embedding_bag_per_sample_weights_backward_cases(const adj::Signature& signature, Level level, std::uint64_t seed) {
  std::vector<Case> cases;
  Rng rng(seed);
  const auto add = [&](const Bags& b, const Setting& s) {
    auto problem = std::make_shared<Problem>(Problem::of(describe<adj_embedding_bag_per_sample_weights_backward_descriptor>(signature, b, s)));
    fill_positions(*problem, rng, b, s);
    fill_normal(problem->tensor("dout"), rng);
    fill_normal(problem->tensor("weight"), rng);
    Setting named = s;
    named.mode = ADJ_BAG_SUM;
    cases.push_back({name_of(b, named), std::move(problem), sums_of_magnitudes("dper_sample_weights", {"dout", "weight"})});
  };
  for (const Bags& b : every_kind(rng)) {
    add(b, {.rows = 6, .columns = 8, .spread = Spread::mixed, .padded = true, .padding = 2});
    add(b, {.rows = 6, .columns = 5, .spread = Spread::uniform});
  }
  for (std::int64_t columns : {0, 1, 7, 24, 33, 300, 1100}) add(ragged(rng, 6, 5), {.rows = 11, .columns = columns, .spread = Spread::mixed});
  add(equal(4, 5), {.rows = 3, .columns = 8, .spread = Spread::outside, .flag = false});
  add(equal(4, 5), {.rows = 0, .columns = 8, .spread = Spread::outside});
  add(equal(4, 5), {.rows = 1, .columns = 8, .padded = true, .padding = -1});
  if (level == Level::quick) return cases;

  for (std::int64_t columns : {1, 8, 64, 128, 129, 768, 1001, 4096, 40000}) {
    add(equal(256, 20), {.rows = 1000, .columns = columns, .spread = Spread::zipf});
    add(ragged(rng, 100, 30), {.rows = 1000, .columns = columns, .spread = Spread::mixed, .padded = true, .padding = 7});
  }
  add(lopsided(1000, 60000), {.rows = 5000, .columns = 64, .spread = Spread::zipf});
  add(equal(70000, 3), {.rows = 50000, .columns = 33});
  return cases;
}

}  // namespace harness
