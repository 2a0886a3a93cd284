#include "harness/rows.hpp"

#include <cmath>
#include <cstring>
#include <numeric>
#include <optional>

#include "harness/arguments.hpp"
#include "harness/directions.hpp"
#include "plan/descriptor.hpp"

namespace harness {

namespace {

struct Range {
  Counts begin, length;  // in rows, for each of Rows::counts
};

// Descriptor with the given number of rows. Its lists live as long as this does.
class Cut {
 public:
  Cut(const Problem& problem, const Rows& rows, const Counts& counts, const Counts* begin) {
    const adj::OpInfo& op = problem.op();
    bytes_.resize((op.descriptor_size + 7) / 8);
    std::memcpy(bytes_.data(), problem.descriptor(), op.descriptor_size);
    for (const RowField& field : rows.fields) {
      std::int64_t& value = *reinterpret_cast<std::int64_t*>(reinterpret_cast<std::byte*>(bytes_.data()) + place_of(op, field));
      value = value / rows.counts[0] * counts[0];
    }
    if (rows.fields.empty()) set_list(field_of(op, "numel"), counts);
    if (rows.sum) {
      const std::int64_t sum = std::accumulate(counts.begin(), counts.end(), std::int64_t{0});
      std::memcpy(reinterpret_cast<std::byte*>(bytes_.data()) + field_of(op, rows.sum).offset, &sum, sizeof sum);
    }
    if (begin && rows.positions) {
      // The tensors of the problem may be parts themselves.
      const std::size_t at = field_of(op, "first_elements").offset;
      const auto* bytes = reinterpret_cast<const std::byte*>(problem.descriptor());
      std::int64_t length = 0;
      const std::int64_t* own = nullptr;
      std::memcpy(&length, bytes + at - sizeof length, sizeof length);
      std::memcpy(&own, bytes + at, sizeof own);
      Counts first = *begin;
      for (std::size_t t = 0; t < static_cast<std::size_t>(length); ++t) first[t] += own[t];
      set_list(field_of(op, "first_elements"), first);
    }
  }
  const adj_header& get() const { return *reinterpret_cast<const adj_header*>(bytes_.data()); }

 private:
  void set_list(const adj::Field& field, const Counts& list) {
    const Counts& kept = *lists_.emplace_back(std::make_unique<Counts>(list));
    const std::int64_t length = static_cast<std::int64_t>(kept.size()), *data = kept.data();
    auto* at = reinterpret_cast<std::byte*>(bytes_.data()) + field.offset;
    std::memcpy(at - sizeof length, &length, sizeof length);
    std::memcpy(at, &data, sizeof data);
  }
  std::vector<std::uint64_t> bytes_;
  std::vector<std::unique_ptr<Counts>> lists_;
};

using Slice = Part::Slice;
using Slices = std::vector<std::vector<Slice>>;  // of each argument, of each of its buffers

// Slices by comparison of the shapes of the whole, of the part, and of the rows before the part.
Slices slices_of(const adj::OpInfo& op, const std::vector<adj::ArgumentSpec>& whole, const std::vector<adj::ArgumentSpec>& part,
                 const std::vector<adj::ArgumentSpec>& before) {
  Slices slices(op.arguments.size());
  for (std::size_t i = 0; i < op.arguments.size(); ++i) {
    const adj::ArgumentSpec &all = whole[i], &some = part[i];
    if (op.arguments[i].kind == adj::ArgumentKind::list) {
      for (std::size_t k = 0; k < all.numel.size(); ++k) slices[i].push_back({1, all.numel[k], before[i].numel[k], some.numel[k], 1});
    } else if (op.arguments[i].kind == adj::ArgumentKind::tensor) {
      Slice slice;
      slice.whole = slice.part = static_cast<std::int64_t>(all.bytes / std::max(adj::size_of(all.dtype), 1u));
      for (int axis = 0; axis < all.rank; ++axis) {
        const auto a = static_cast<std::size_t>(axis);
        if (all.shape[a] == some.shape[a]) continue;
        slice.whole = all.shape[a];
        slice.part = some.shape[a];
        slice.begin = before[i].shape[a];
        slice.outer = slice.stride = 1;
        for (std::size_t b = 0; b < static_cast<std::size_t>(all.rank); ++b) (b < a ? slice.outer : slice.stride) *= b == a ? 1 : all.shape[b];
      }
      slices[i].push_back(slice);
    }
  }
  return slices;
}

Data cut(const Data& data, const Slice& slice) {
  if (!slice.is_cut()) return data;
  Data result;
  result.dtype = data.dtype;
  const std::size_t size = adj::size_of(data.dtype) * static_cast<std::size_t>(slice.stride);
  const std::size_t length = static_cast<std::size_t>(slice.part) * size;
  result.bytes.resize(static_cast<std::size_t>(slice.outer) * length);
  if (length == 0) return result;
  for (std::int64_t o = 0; o < slice.outer; ++o)
    std::memcpy(result.bytes.data() + static_cast<std::size_t>(o) * length, data.bytes.data() + static_cast<std::size_t>(o * slice.whole + slice.begin) * size,
                length);
  return result;
}

void advance(Problem::ArgumentContents& contents, std::uint64_t words) {
  if (contents.data.empty()) {
    contents.random.offset += words;
    return;
  }
  std::uint64_t state[2];
  std::memcpy(state, contents.data[0].bytes.data(), sizeof state);
  state[1] += words;
  std::memcpy(contents.data[0].bytes.data(), state, sizeof state);
}

// Indices of the rows of a table that are as many rows further back. None where they do not fit their type.
std::optional<Data> further_back(const Data& indices, const Rows& rows, std::int64_t begin) {
  Data moved = indices;
  const auto move = [&](auto number) {
    using Number = decltype(number);
    const std::int64_t count = static_cast<std::int64_t>(indices.bytes.size() / sizeof(Number));
    for (std::int64_t i = 0; i < count; i += rows.every) {
      std::byte* at = moved.bytes.data() + static_cast<std::size_t>(i) * sizeof(Number);
      std::memcpy(&number, at, sizeof number);
      // Negative ones count from the end; those that name no row name none behind the others either.
      const std::int64_t to = number >= 0 ? number + begin * rows.names : number < -rows.counts[0] * rows.names ? number - begin * rows.names : number;
      if (to != static_cast<Number>(to)) return false;
      number = static_cast<Number>(to);
      std::memcpy(at, &number, sizeof number);
    }
    return true;
  };
  const bool fits = indices.dtype == ADJ_I32 ? move(std::int32_t{}) : move(std::int64_t{});
  return fits ? std::optional(moved) : std::nullopt;
}

Part take(const Problem& problem, const Rows& rows, const Range& range, const std::string& name) {
  const adj::OpInfo& op = problem.op();
  const Cut cut_descriptor(problem, rows, range.length, &range.begin);
  Part result{name, Problem(cut_descriptor.get()), Slices(op.arguments.size())};
  std::vector<adj::ArgumentSpec> before(op.arguments.size());
  const Cut rows_before(problem, rows, range.begin, nullptr);
  op.shapes(&rows_before.get(), before);
  const Slices slices = slices_of(op, problem.specs(), result.problem.specs(), before);
  const bool first = std::all_of(range.begin.begin(), range.begin.end(), [](std::int64_t begin) { return begin == 0; });
  for (std::size_t i = 0; i < op.arguments.size(); ++i) {
    const Problem::ArgumentContents& from = problem.contents()[i];
    Problem::ArgumentContents& to = result.problem.contents()[i];
    to = from;
    if (op.arguments[i].kind == adj::ArgumentKind::random) advance(to, static_cast<std::uint64_t>(range.begin[0] / rows.draw_rows * rows.draws));
    for (std::size_t k = 0; k < slices[i].size() && k < from.data.size(); ++k) to.data[k] = cut(from.data[k], slices[i][k]);
    // Positions of samples are counted from the first row.
    if (std::strcmp(op.arguments[i].name, "max_positions") == 0 && !first) continue;
    const bool has_rows =
        op.arguments[i].kind == adj::ArgumentKind::list || std::any_of(slices[i].begin(), slices[i].end(), [](const Slice& s) { return s.is_cut(); });
    if (has_rows && !from.data.empty()) result.rows[i] = slices[i];
  }
  return result;
}

}  // namespace

std::vector<Part> parts_of(const Problem& problem) {
  std::vector<Part> result;
  for (const Rows& rows : rows_of(problem)) {
    Range first, second, one;
    bool first_differs = false, one_differs = false;
    for (std::int64_t count : rows.counts) {
      const std::int64_t grains = count / rows.grain, middle = (grains + 1) / 2 * rows.grain, at = grains * 2 / 3 * rows.grain;
      const std::int64_t half = std::min(middle, count), begin = at < count ? at : 0;
      first.begin.push_back(0);
      first.length.push_back(half);
      second.begin.push_back(half);
      second.length.push_back(count - half);
      one.begin.push_back(begin);
      one.length.push_back(std::min(rows.grain, count - begin));
      first_differs |= half < count && half > 0;
      one_differs |= one.length.back() < count && one.length.back() != half;
    }
    const bool lists = rows.fields.empty();
    auto name = [&](const char* which) { return fmt::format("{} {}", which, lists ? "of each tensor" : "of the rows along " + rows.name); };
    if (first_differs) {
      result.push_back(take(problem, rows, first, name("the first half")));
      result.push_back(take(problem, rows, second, name("the second half")));
    }
    if (one_differs) result.push_back(take(problem, rows, one, fmt::format("row {} alone", one.begin[0]) + name("")));
  }
  return result;
}

Data reversed(const Data& data, const Slice& first) {
  if (!first.is_cut() || first.part == 0) return data;
  Data result = data;
  const std::size_t piece = adj::size_of(data.dtype) * static_cast<std::size_t>(first.part * first.stride);
  const std::int64_t count = first.whole / first.part;
  for (std::int64_t o = 0; o < first.outer; ++o)
    for (std::int64_t i = 0; i < count; ++i)
      std::memcpy(result.bytes.data() + static_cast<std::size_t>(o * count + i) * piece,
                  data.bytes.data() + static_cast<std::size_t>(o * count + count - 1 - i) * piece, piece);
  return result;
}

std::vector<Part> reversed(const Problem& problem) {
  std::vector<Part> result;
  for (const Rows& rows : rows_of(problem)) {
    if (rows.draws != 0 || rows.positions) continue;
    Range first;
    bool several = false, whole_grains = true;
    for (std::int64_t count : rows.counts) {
      first.begin.push_back(0);
      first.length.push_back(std::min(rows.grain, count));
      several |= count > rows.grain;
      whole_grains &= count % rows.grain == 0;
    }
    if (!several || !whole_grains) continue;
    Part part = take(problem, rows, first, "the rows along " + rows.name + " in reverse");
    part.problem = problem;
    for (std::size_t i = 0; i < part.rows.size(); ++i) {
      if (std::strcmp(problem.op().arguments[i].name, "max_positions") == 0) part.rows[i].clear();  // they name rows
      for (std::size_t k = 0; k < part.rows[i].size(); ++k) {
        Data& data = part.problem.contents()[i].data[k];
        data = reversed(data, part.rows[i][k]);
      }
    }
    result.push_back(std::move(part));
  }
  return result;
}

std::vector<Enlarged> enlarged(const Problem& problem, std::int64_t elements, std::string& why) {
  const adj::OpInfo& op = problem.op();
  std::vector<Enlarged> result;
  why = "has no rows that are independent of each other";
  std::vector<Rows> directions = rows_of(problem);
  for (Rows& rows : tables_of(problem)) directions.push_back(std::move(rows));
  for (const Rows& rows : directions) {
    // Of a list, the longest tensor; of parts of a buffer the first, behind which the others lie.
    const auto longest = rows.sum ? rows.counts.begin() : std::max_element(rows.counts.begin(), rows.counts.end());
    if (longest == rows.counts.end() || *longest == 0) continue;
    std::int64_t most = 0;
    for (const Problem::ArgumentContents& c : problem.contents())
      for (const Data& d : c.data) most = std::max(most, d.numel());
    const std::int64_t of_row = most / *longest;
    if (of_row == 0) continue;
    // A number of rows that grids of any usual size divide, so that the last block has the last row; a smaller one where it would be more than twice
    // as many rows as are asked for.
    std::int64_t unit = std::int64_t{3465} << 20;
    while (unit > elements / of_row && unit % 1024 == 0) unit /= 2;
    std::int64_t count = (elements / of_row + unit) / unit * unit;
    if (const std::int64_t rest = (count - *longest) % rows.grain; rows.draw_rows > 1 || rows.positions) count -= rest;
    const auto at = static_cast<std::size_t>(longest - rows.counts.begin());
    Counts counts = rows.counts, begin(rows.counts.size());
    counts[at] = count;
    begin[at] = count - *longest;
    if (begin[at] % rows.grain != 0) continue;
    const Cut whole(problem, rows, counts, nullptr), before(problem, rows, begin, nullptr);
    if (auto valid = adj::check_problem(op, &whole.get()); !valid) {
      why = valid.error().message;
      continue;
    }
    auto copy = adj::DescriptorCopy::make(&whole.get());
    if (!copy) continue;
    Enlarged e{.descriptor = std::move(*copy),
               .specs = std::vector<adj::ArgumentSpec>(op.arguments.size()),
               .last = problem,
               .rows = {},
               .count = count,
               .whole = rows.whole,
               .moved = {}};
    op.shapes(e.descriptor.get(), e.specs);
    std::vector<adj::ArgumentSpec> specs_before(op.arguments.size());
    op.shapes(&before.get(), specs_before);
    e.rows = slices_of(op, e.specs, problem.specs(), specs_before);
    if (rows.positions) {  // the rows alone say where in the whole they begin
      const Cut placed(problem, rows, rows.counts, &begin);
      Problem last(placed.get());
      last.contents() = problem.contents();
      e.last = std::move(last);
    }
    bool contiguous = true;
    for (std::size_t i = 0; i < op.arguments.size(); ++i) {
      for (const Part::Slice& slice : e.rows[i]) contiguous &= slice.outer == 1;
      if (op.arguments[i].kind == adj::ArgumentKind::random) {
        e.random_offset_back = static_cast<std::uint64_t>(begin[0] / rows.draw_rows * rows.draws);
        advance(e.last.contents()[i], e.random_offset_back);
      }
    }
    if (!contiguous) {
      why = "has rows that do not lie together at the end of each buffer";
      continue;
    }
    bool fits = true;
    for (std::size_t i = 0; rows.named_by && i < op.arguments.size(); ++i) {
      if (std::strcmp(op.arguments[i].name, rows.named_by) != 0) continue;
      if (!problem.contents()[i].present) {  // an index plan names the rows
        why = "takes no indices";
        fits = false;
        continue;
      }
      auto moved = further_back(problem.contents()[i].data[0], rows, begin[0]);
      fits = moved.has_value();
      if (!fits) why = "its indices do not fit their type";
      else e.moved[i] = std::move(*moved);
    }
    if (fits) result.push_back(std::move(e));
  }
  return result;
}

bool is_batch_invariant(const adj::Sku& sku, const Problem& problem, std::size_t argument) {
  return adj::guarantee_of(sku, problem.descriptor(), static_cast<int>(argument)).determinism >= ADJ_BATCH_INVARIANT;
}

bool promises_rows(const adj::Sku& sku, const Problem& problem) {
  for (std::size_t i = 0; i < problem.op().arguments.size(); ++i)
    if (is_output(problem, i) && is_batch_invariant(sku, problem, i)) return true;
  return false;
}

std::string difference(const Problem& problem, const Outputs& outputs, const Part& part, const Outputs& alone, const adj::Sku& sku) {
  const adj::OpInfo& op = problem.op();
  for (std::size_t i = 0; i < op.arguments.size(); ++i) {
    if (outputs.arguments[i].empty() || part.rows[i].empty() || !is_batch_invariant(sku, problem, i)) continue;
    for (std::size_t k = 0; k < outputs.arguments[i].size(); ++k) {
      const Data rows = cut(outputs.arguments[i][k], part.rows[i][k]);
      const Data& own = alone.arguments[i][k];
      const std::size_t size = adj::size_of(own.dtype);
      for (std::size_t e = 0; e < own.bytes.size(); e += size) {
        if (std::memcmp(&rows.bytes[e], &own.bytes[e], size) == 0) continue;
        const double found = own.get(static_cast<std::int64_t>(e / size)), expected = rows.get(static_cast<std::int64_t>(e / size));
        if (std::isnan(found) && std::isnan(expected)) continue;  // on x86 the sign of a NaN depends on the order of operands
        return fmt::format("{}: {}[{}]{} is {:.17g}, with all rows {:.17g}", part.name, op.arguments[i].name, e / size,
                           outputs.arguments[i].size() > 1 ? fmt::format(" of tensor {}", k) : "", found, expected);
      }
    }
  }
  return {};
}

}  // namespace harness
