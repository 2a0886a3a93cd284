// Checks and plans shared by the embedding operators, the embedding bags and the gradients of indexing (src/ops/index).
// An occurrence is a position of the index tensor, under the row that it names. kernels/segment_sum/sum.h has the sizes of light rows, shares,
// batches and pieces.
#pragma once

#include <functional>

#include "kernels/segment_sum/params.h"
#include "kernels/segment_sum/sum.h"
#include "ops/common/common.hpp"

namespace adj {

// {element, index}: four element types, two index types.
const std::vector<Signature>& element_index_signatures();
template <class Descriptor>
Signature element_index_signature(const void* descriptor) {
  const auto& d = *static_cast<const Descriptor*>(descriptor);
  return {d.element, d.index};
}

// Most indices: kernels keep positions in 32 bits.
constexpr std::int64_t kMostIndices = std::numeric_limits<std::int32_t>::max();

// Most rows of an index plan: it keeps rows as i32, one value of which means none.
constexpr std::int64_t kMostPlanRows = std::numeric_limits<std::int32_t>::max();

// Checks `use_index_plan` of a gradient that may take sorted occurrences in place of indices. `field` names the extent `rows`.
template <class Descriptor>
Result<void> check_index_plan(const char* op, const Descriptor& d, const char* field, std::int64_t rows) {
  if (!d.use_index_plan) return {};
  if constexpr (requires { d.has_padding_idx; })
    if (d.has_padding_idx)
      return fail(ADJ_ERROR_INVALID_PROBLEM, "{}: use_index_plan = 1 excludes has_padding_idx = 1, it is the plan that leaves padding out", op);
  if (rows > kMostPlanRows) return fail(ADJ_ERROR_INVALID_PROBLEM, "{}: use_index_plan = 1 serves up to {} rows, {} = {}", op, kMostPlanRows, field, rows);
  return {};
}

template <class Descriptor>
std::int64_t padding_row(const Descriptor& d) {
  if (!d.has_padding_idx) return -1;
  return d.padding_idx < 0 ? d.padding_idx + d.num_embeddings : d.padding_idx;
}

// Smallest power of two that is at least `n`, up to the power of two `limit`.
inline int power_of_two(std::int64_t n, int limit) {
  int power = 1;
  while (power < limit && power < n) power *= 2;
  return power;
}

// Lookup of rows by kernels/segment_sum/lookup.cu: row n of `out` is row indices[n] of `weight`, or zeros when there is no such row.
struct RowLookup {
  std::int64_t rows, row_bytes, count;
  std::int64_t zero_row = -1;   // row that comes out as zeros; -1 for none
  int weight, indices, out;     // arguments; indices is -1 when the indices lie in the workspace
  std::uint64_t map = 0;        // offset of those indices in the workspace
  int error_flag = -1;          // argument, -1 for none
};
void plan_row_lookup(const RowLookup& d, const Device& device, PlanBuilder& builder);
enum LookupProgram : int { kLookup };
#define ADJ_LOOKUP_PROGRAMS(element, index)                                                                                 \
  {"segment_sum/lookup.cu", "embedding_forward", "ADJ_ALIGNED=1 ADJ_I=" index, {kLookup, kWholeRows}}, {                    \
    "segment_sum/lookup.cu", "embedding_forward_any", "ADJ_ALIGNED=0 ADJ_T=" element " ADJ_I=" index, { kLookup, kAnyRows } \
  }

// Gradient summed by the kernels of kernels/embedding. Row r of [outer, rows, columns] is the sum of the addends of all positions whose
// index is r. Addends are rows of dout [outer, indices, columns] or, for bags, of dout [bags, columns].
struct RowSums {
  std::int64_t outer, rows, columns, indices;
  std::int64_t padding_row;  // -1 for none
  adj_dtype element;
  bool accumulate, scale_by_count;
  int sort_form = 0;            // form of the sort's programs; index_plan has several
  std::int64_t dout_rows = 0;   // rows of one matrix of dout
  std::vector<int> rows_arguments{};  // arguments that the program of finish_few for whole vectors needs aligned
  std::int64_t bag_length = 0;  // positions of each bag, when bags are of equal length
  std::function<void(PlanBuilder::Kernel&)> bind{};  // binds the operator's arguments, for finish_few and finish_atomic
  bool gather = false;          // value of the kernels' macro ADJ_GATHER
  struct Arguments {
    int dout, indices, gradient, error_flag;
    int sorted_rows = -1, order = -1;  // arguments of an index plan, -1 without one
    int copied = -1;                   // what an accumulating gradient begins as a copy of; -1: its own contents
  } arguments{};
  const struct BagSums* bags = nullptr;
  std::uint64_t keys = 0;       // offset in the workspace of indices that are no argument (arguments.indices is -1)
};
// Inputs that only sums of bags have.
struct BagSums {
  static constexpr std::uint64_t kAbsent = ~std::uint64_t{0};
  std::uint64_t bag_of, shares, entries;  // offsets in the workspace, or kAbsent
  bool weighted;                 // true when addends are weighted by shares, entries or per_sample_weights
  int sample_weights;            // argument
  int max_positions;             // argument; -1 for sums
};
using SumsFunction = Result<void> (*)(const RowSums& d, const Device& device, PlanBuilder& builder);
// Plans one launch, for up to kEmbeddingFew indices. The program is kMain, for rows of whole vectors and for any rows.
Result<void> finish_few(const RowSums& d, const Device& device, PlanBuilder& builder);
// Plans a sort of the occurrences, then launches for rows without occurrences, for light rows and for rows with more occurrences.
Result<void> finish_sorted(const RowSums& d, const Device& device, PlanBuilder& builder);

// Plans one launch of additions in memory, after a step that clears the gradient unless it accumulates. The program is kMain, for rows
// of whole vectors and for any rows; for maxima only the second.
Result<void> finish_atomic(const RowSums& d, const Device& device, PlanBuilder& builder);
// Most additions to one element for which atomic_guarantee states the error.
constexpr std::int64_t kMostAdditions = 1 << 16;
// True for element types that are their own accumulator: f32 and f64.
bool adds_in_accumulator(const Signature& s);
adj_guarantee atomic_guarantee(const Signature& s);
// True when sorted sums are expected to be faster than additions in memory.
bool sorts_faster(const RowSums& d, bool max);

// Programs of finish_sorted. kBagSources is there for bags only, kGatherPanels with `gather` only.
enum SortedProgram : int { kSortRows, kSortScatter, kSortSmallSet, kSortOutRows, kCombineSums, kBagSources, kGatherPanels };
// The sums. Their forms are the shapes of rows, kRowsAny to kRowsTiny. kSumRows: light rows. kSumShares: rows with more occurrences. kSumClosing: light
// rows whose sum also has their row of the gradient, or a scale; there is none for tiny rows.
enum SumProgram : int { kSumRows, kSumShares, kSumClosing };
#define ADJ_SORT_PROGRAMS(form, name, index, flags)                                                          \
  {"segment_sum/sort.cu", name "_sort_rows", "ADJ_STAGE=0 ADJ_I=" index " " flags, {kSortRows, form}},       \
      {"segment_sum/sort.cu", "index_sort_scatter", "ADJ_STAGE=1", {kSortScatter, form}}, {                  \
    "segment_sum/sort.cu", name "_sort_small", "ADJ_STAGE=2 ADJ_I=" index " " flags, { kSortSmallSet, form } \
  }
#define ADJ_ROWS_PROGRAM {"segment_sum/rows.cu", "embedding_rows", "", kSortOutRows}
#define ADJ_COMBINE_PROGRAM(name, gather) {"segment_sum/heavy.cu", name "_combine", "ADJ_STAGE=1 ADJ_T={0} ADJ_GATHER=" gather, kCombineSums}
// `rows` is the number of a shape of rows and the macro ADJ_ROWS, `shape` its name.
#define ADJ_SUM_PROGRAMS(name, shape, rows, flags)                                                                     \
  {"segment_sum/sum.cu", name "_sum_" shape, "ADJ_T={0} ADJ_ROWS=" #rows " " flags " ADJ_CLOSES=0", {kSumRows, rows}}, \
      ADJ_ADDING_SUM_PROGRAMS(name, shape, rows, flags)
// ADJ_SUM_PROGRAMS for an operator that always accumulates: all its sums close with a row of the gradient.
#define ADJ_ADDING_SUM_PROGRAMS(name, shape, rows, flags)                                                                          \
  {"segment_sum/heavy.cu", name "_shares_" shape, "ADJ_STAGE=0 ADJ_T={0} ADJ_ROWS=" #rows " " flags, {kSumShares, rows}}, {        \
    "segment_sum/sum.cu", name "_sum_closing_" shape, "ADJ_T={0} ADJ_ROWS=" #rows " " flags " ADJ_CLOSES=1", { kSumClosing, rows } \
  }
// All programs of finish_sorted for a RowSums with `gather` set. SUM_PROGRAMS is ADJ_SUM_PROGRAMS or ADJ_ADDING_SUM_PROGRAMS.
#define ADJ_GATHER_SUM_PROGRAMS(index, SUM_PROGRAMS)                                                                              \
  ADJ_SORT_PROGRAMS(0, "gather", index, "ADJ_GATHER=1 ADJ_BAG=0"), ADJ_ROWS_PROGRAM, ADJ_COMBINE_PROGRAM("gather", "1"),          \
      SUM_PROGRAMS("gather", "any", 0, "ADJ_GATHER=1 ADJ_BAG=0"), SUM_PROGRAMS("gather", "narrow", 1, "ADJ_GATHER=1 ADJ_BAG=0"),  \
      SUM_PROGRAMS("gather", "wide", 2, "ADJ_GATHER=1 ADJ_BAG=0"), SUM_PROGRAMS("gather", "across", 3, "ADJ_GATHER=1 ADJ_BAG=0"), \
      {"segment_sum/tiny.cu", "gather_sum_tiny", "ADJ_STAGE=0 ADJ_T={0}", {kSumRows, kRowsTiny}},                                 \
      {"segment_sum/tiny.cu", "gather_shares_tiny", "ADJ_STAGE=1 ADJ_T={0}", {kSumShares, kRowsTiny}}, {                          \
    "segment_sum/panels.cu", "gather_sum_panels", "ADJ_T={0}", kGatherPanels                                                      \
  }
static_assert(kRowsAny == 0 && kRowsNarrow == 1 && kRowsWide == 2 && kRowsAcross == 3);
// Most roundings that an addend goes through. After a sort: 48 additions in a block, 3 for the compensated sum of partial sums, 32 of
// shares, scale, accumulation. In the single launch: 64 and 16 additions, scale, accumulation. In panels: 66 in a thread, 5 in a warp,
// 8 of warps, accumulation.
constexpr int kRowSumRoundings = 85;

}  // namespace adj
