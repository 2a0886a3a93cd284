// Indices of the cases of embedding; index plans, and their cases.
#include "harness/embedding.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <stdexcept>

#include <adjoint/ops/embedding.h>

#include "harness/index_plan.hpp"

namespace harness {

const char* name_of(Spread spread) {
  switch (spread) {
    case Spread::uniform: return "uniform";
    case Spread::zipf: return "Zipf";
    case Spread::same: return "one row";
    case Spread::ascending: return "ascending";
    case Spread::outside: return "all out of range";
    case Spread::mixed: return "some out of range";
  }
  return "";
}

void fill_indices(Data& indices, Rng& rng, std::int64_t rows, Spread spread) {
  const std::int64_t count = indices.numel();
  switch (spread) {
    case Spread::uniform: return fill_integers(indices, rng, 0, rows - 1);
    case Spread::zipf: return fill_zipf(indices, rng, rows, 1.1);
    case Spread::same: return fill_constant(indices, static_cast<double>(rows / 2));
    case Spread::ascending:
      for (std::int64_t i = 0; i < count; ++i) indices.set(i, static_cast<double>(i * rows / count));
      return;
    case Spread::outside:
      for (std::int64_t i = 0; i < count; ++i) indices.set(i, static_cast<double>(i % 2 ? rows + i : -1 - i));
      return;
    case Spread::mixed: return fill_integers(indices, rng, -rows / 2 - 1, rows + rows / 2);
  }
}

void fill_counts(Data& indices, Rng& rng, const std::vector<std::int64_t>& counts) {
  std::vector<std::int64_t> rows;
  for (std::size_t r = 0; r < counts.size(); ++r) rows.insert(rows.end(), static_cast<std::size_t>(counts[r]), static_cast<std::int64_t>(r));
  std::shuffle(rows.begin(), rows.end(), rng);
  for (std::size_t i = 0; i < rows.size(); ++i) indices.set(static_cast<std::int64_t>(i), static_cast<double>(rows[i]));
}

void fill_plan(Problem& problem, const adj_index_plan_descriptor& d, const Data& indices) {
  auto plan = Problem::of(d);
  plan.tensor("indices") = indices;
  auto outputs = run_reference(plan);
  if (!outputs) throw std::logic_error("harness: " + outputs.error().message);
  for (const char* name : {"sorted_rows", "order"}) problem.tensor(name) = outputs->arguments[plan.argument(name)].at(0);
}

const char* name_of(Garbage garbage) {
  switch (garbage) {
    case Garbage::words: return "random words";
    case Garbage::unsorted: return "unsorted";
    case Garbage::same: return "all equal";
    case Garbage::descending: return "descending";
    case Garbage::ones: return "all ones";
  }
  return "";
}

void fill_garbage(Problem& problem, Rng& rng, std::int64_t rows, Garbage garbage) {
  Data &sorted_rows = problem.tensor("sorted_rows"), &order = problem.tensor("order");
  const auto count = static_cast<std::uint32_t>(sorted_rows.numel()), extent = static_cast<std::uint32_t>(rows);
  for (std::uint32_t i = 0; i < count; ++i) {
    const auto a = static_cast<std::uint32_t>(rng()), b = static_cast<std::uint32_t>(rng());
    std::uint32_t row = a, position = b;
    switch (garbage) {
      case Garbage::words: break;
      case Garbage::unsorted: row = a % (extent + 1), position = b % count; break;
      case Garbage::same: row = extent / 2, position = 0x7fffffff; break;
      case Garbage::descending: row = (count - 1 - i) * extent / count, position = count - i; break;
      case Garbage::ones: row = position = 0xffffffff; break;
    }
    std::memcpy(sorted_rows.bytes.data() + i * sizeof row, &row, sizeof row);
    std::memcpy(order.bytes.data() + i * sizeof position, &position, sizeof position);
  }
}

std::vector<Case> index_plan_cases(const adj::Signature& signature, Level level, std::uint64_t seed) {
  std::vector<Case> cases;
  Rng rng(seed);
  struct Options {
    bool padded = false;
    std::int64_t padding = 0;
    bool flag = true;
  };
  // Adds two cases: with negative indices that count from the end, and without.
  const auto add = [&](std::int64_t indices, std::int64_t rows, Spread spread, const Options& o = {}) {
    for (bool wrap : {false, true}) {
      const adj_index_plan_descriptor d{
          .num_embeddings = rows, .num_indices = indices, .padding_idx = o.padding, .wrap_negative = wrap, .has_padding_idx = o.padded, .index = signature[0]};
      auto problem = std::make_shared<Problem>(Problem::of(d));
      Data& data = problem->tensor("indices");
      if (spread == Spread::mixed) fill_integers(data, rng, -2 * rows - 1, 2 * rows);
      else if (spread == Spread::outside)
        for (std::int64_t i = 0; i < indices; ++i) data.set(i, static_cast<double>(i % 2 ? rows + i : -rows - 1 - i));
      else fill_indices(data, rng, rows, spread);
      if (o.flag) problem->tensor("error_flag").set(0, 3);
      else problem->omit("error_flag");
      std::string name = fmt::format("T{} V{} {}", indices, rows, name_of(spread));
      if (wrap) name += ", negative from the end";
      if (o.padded) name += fmt::format(", padding {}", o.padding);
      if (!o.flag) name += ", no error_flag";
      cases.push_back({std::move(name), std::move(problem), {}});
    }
  };
  add(0, 5, Spread::same);
  add(1, 1, Spread::same);
  add(6, 0, Spread::outside);
  add(37, 11, Spread::mixed);
  add(37, 11, Spread::mixed, {.padded = true, .padding = 3});
  add(38, 11, Spread::uniform, {.padded = true, .padding = -11, .flag = false});
  add(33, 7, Spread::ascending);
  add(1025, 300, Spread::zipf);
  add(1000, 300, Spread::outside);
  add(1000, 3, Spread::same, {.padded = true, .padding = 1});
  add(2049, 70000, Spread::mixed);
  add(4096, 40, Spread::mixed);             // both sides of what one block sorts, by one digit and by two
  add(4097, 40, Spread::mixed);
  add(4097, 1500, Spread::mixed, {.padded = true, .padding = 700});
  add(4500, 3, Spread::same);
  add(4500, 300, Spread::outside, {.flag = false});
  // Slices and elements, with indices on both sides of their axes' ends.
  const auto add_keyed = [&](adj_index_positions positions, std::vector<std::int64_t> input, std::vector<std::int64_t> shape, std::int64_t rows,
                             std::int64_t batch_dims, std::int64_t axis) {
    adj_index_plan_descriptor d{
        .num_embeddings = rows, .num_indices = 1, .batch_dims = batch_dims, .axis = axis, .positions = positions, .index = signature[0]};
    d.input_shape.rank = static_cast<std::int64_t>(input.size());
    d.indices_shape.rank = static_cast<std::int64_t>(shape.size());
    std::copy(input.begin(), input.end(), d.input_shape.dims);
    std::copy(shape.begin(), shape.end(), d.indices_shape.dims);
    const bool slices = positions == ADJ_INDEX_POSITIONS_SLICES;
    for (std::size_t k = 0; k + slices < shape.size(); ++k) d.num_indices *= shape[k];
    auto problem = std::make_shared<Problem>(Problem::of(d));
    Data& data = problem->tensor("indices");
    const std::int64_t depth = slices ? shape.back() : 1, first = slices ? batch_dims : axis;
    for (std::int64_t i = 0; i < data.numel(); ++i) {
      const std::int64_t extent = input[static_cast<std::size_t>(first + i % depth)];
      data.set(i, static_cast<double>(static_cast<std::int64_t>(rng() % static_cast<std::uint64_t>(2 * extent + 2)) - extent - 1));
    }
    if (cases.size() % 2) problem->tensor("error_flag").set(0, 3);
    else problem->omit("error_flag");
    cases.push_back({fmt::format("{} of T{} V{}", slices ? "slices" : "elements", d.num_indices, rows), std::move(problem), {}});
  };
  add_keyed(ADJ_INDEX_POSITIONS_SLICES, {5, 6, 3}, {11, 2}, 30, 0, 0);
  add_keyed(ADJ_INDEX_POSITIONS_SLICES, {2, 70, 4}, {2, 2500, 1}, 140, 1, 0);
  add_keyed(ADJ_INDEX_POSITIONS_SLICES, {2, 3, 4}, {2, 0}, 1, 0, 0);
  add_keyed(ADJ_INDEX_POSITIONS_SLICES, {3, 4}, {0, 1}, 3, 0, 0);
  add_keyed(ADJ_INDEX_POSITIONS_SLICES, {0, 4}, {3, 1}, 0, 0, 0);
  add_keyed(ADJ_INDEX_POSITIONS_ELEMENTS, {3, 4, 5}, {2, 9, 3}, 60, 0, 1);
  add_keyed(ADJ_INDEX_POSITIONS_ELEMENTS, {40, 70}, {80, 60}, 2800, 0, 0);
  // The most rows: four digits.
  const auto add_ends = [&](std::int64_t indices) {
    constexpr std::int64_t kRows = std::numeric_limits<std::int32_t>::max();
    add(indices, kRows, Spread::ascending);
    for (std::size_t k : {cases.size() - 2, cases.size() - 1}) {
      Data& data = cases[k].problem->tensor("indices");
      for (std::int64_t i = 0; i < indices; ++i) data.set(i, static_cast<double>(i % 3 ? kRows - 1 - i * 7 % 5000 : i % 11));
    }
  };
  add_ends(300);
  add_ends(4100);
  if (signature[0] == ADJ_I32) {
    add(16385, 1500, Spread::mixed);    // two keys of a thread
    add(133000, 70000, Spread::mixed);  // several tiles of a block
  }
  if (level == Level::quick) return cases;

  for (Spread spread : {Spread::uniform, Spread::zipf, Spread::same, Spread::ascending, Spread::mixed}) {
    add(4096, 50257, spread);
    add(8192, 200, spread);
    add(8193, 50257, spread);
    add(16384, 128256, spread, {.padded = true, .padding = 17});
    add(16385, 128256, spread);
    add(65536, 50257, spread);
    add(300000, 1000, spread, {.padded = true, .padding = -1, .flag = false});
  }
  add(300001, 17, Spread::outside);
  add(400001, 128256, Spread::mixed);
  add(1 << 22, 1 << 20, Spread::mixed);  // more tiles than blocks
  add_ends(200000);
  return cases;
}

}  // namespace harness
