// What the embedding operators and the embedding bags check and plan alike.
#pragma once

#include <functional>

#include "kernels/embedding/params.h"
#include "ops/common/common.hpp"

namespace adj {

// {element, index}: four element types, two index types.
const std::vector<Signature>& element_index_signatures();

// Positions are kept in 32 bits.
constexpr std::int64_t kMostIndices = std::numeric_limits<std::int32_t>::max();

template <class Descriptor>
Result<void> check_padding(const char* op, const Descriptor& d) {
  ADJ_TRY(check_flag(op, "has_padding_idx", d.has_padding_idx));
  ADJ_TRY(check_enabled(op, "has_padding_idx", d.has_padding_idx, "padding_idx", d.padding_idx));
  if (d.has_padding_idx && (d.padding_idx < -d.num_embeddings || d.padding_idx >= d.num_embeddings))
    return fail(ADJ_ERROR_INVALID_PROBLEM, "{}: padding_idx = {} is outside [-{}, {})", op, d.padding_idx, d.num_embeddings,
                d.num_embeddings);
  return {};
}
// A plan's rows are kept in i32, one number of which means none.
constexpr std::int64_t kMostPlanRows = std::numeric_limits<std::int32_t>::max();

// Of gradients that may take sorted occurrences in place of indices. `field`: the extent of the rows.
template <class Descriptor>
Result<void> check_index_plan(const char* op, const Descriptor& d, const char* field, std::int64_t rows) {
  ADJ_TRY(check_flag(op, "use_index_plan", d.use_index_plan));
  if (!d.use_index_plan) return {};
  if constexpr (requires { d.has_padding_idx; })
    if (d.has_padding_idx)
      return fail(ADJ_ERROR_INVALID_PROBLEM, "{}: use_index_plan = 1 excludes has_padding_idx = 1, it is the plan that leaves padding out", op);
  if (rows > kMostPlanRows)
    return fail(ADJ_ERROR_INVALID_PROBLEM, "{}: use_index_plan = 1 serves up to {} rows, {} = {}", op, kMostPlanRows, field, rows);
  return {};
}
// Sorted occurrences.
inline SlotSpec occurrences_spec(bool use_index_plan, std::int64_t indices) {
  return use_index_plan ? SlotSpec::tensor(ADJ_I32, {indices}) : SlotSpec::forbidden();
}

template <class Descriptor>
std::int64_t padding_row(const Descriptor& d) {
  if (!d.has_padding_idx) return -1;
  return d.padding_idx < 0 ? d.padding_idx + d.num_embeddings : d.padding_idx;
}

// Smallest power of two that is at least `n`, up to `limit`, itself one.
inline int power_of_two(std::int64_t n, int limit) {
  int power = 1;
  while (power < limit && power < n) power *= 2;
  return power;
}

// A lookup of rows by kernels/embedding/lookup.cu: row n of `out` is row indices[n] of `weight`, zeros where there is none.
struct RowLookup {
  std::int64_t rows, row_bytes, count;
  std::int64_t zero_row = -1;   // comes out as zeros; -1 for none
  int weight, indices, out;     // slots; indices -1: they are in the workspace,
  std::uint64_t map = 0;        // from here on
  int error_flag = -1;          // slot, -1 for none
  int program = 0;              // the first of the two of ADJ_LOOKUP_PROGRAMS in the variant
};
void plan_row_lookup(const RowLookup& d, const Device& device, PlanBuilder& builder);
#define ADJ_LOOKUP_PROGRAMS(element, index) \
  {"embedding/lookup.cu", "embedding_forward", "ADJ_VECTORS=1 ADJ_I=" index}, \
  {"embedding/lookup.cu", "embedding_forward_any", "ADJ_VECTORS=0 ADJ_T=" element " ADJ_I=" index}

// A gradient that kernels/embedding/few.cu, or embedding/sum.cu and embedding/heavy.cu, sum: row r of [outer, rows, columns] from the
// addends of the positions whose index is r, which stand in dout [outer, indices, columns] or, for bags, in dout [bags, columns].
struct RowSums {
  std::int64_t outer, rows, columns, indices;
  std::int64_t padding_row;  // -1 for none
  adj_dtype element;
  bool accumulate, scale_by_count;
  int program = 0;              // the first of the kernel's in the variant
  std::int64_t dout_rows = 0;   // of one matrix
  std::vector<int> rows_slots{};  // whose rows the sums go through
  std::int64_t bag_length = 0;  // where bags are of equal length
  std::function<void(PlanBuilder::Kernel&)> patch{};  // places the tensors and what else the operator has
  bool gather = false;          // the kernels' macro ADJ_GATHER
  struct Slots {
    int dout, indices, gradient, error_flag;
    int sorted_rows = -1, order = -1;  // of an index plan, if there is one
  } slots{};
  const struct BagSums* bags = nullptr;
  std::uint64_t keys = 0;       // where the workspace has the indices when they have no slot: slots.indices is -1 then
};
// What sums of bags have besides.
struct BagSums {
  static constexpr std::uint64_t kAbsent = ~std::uint64_t{0};
  std::uint64_t bag_of, shares, entries;  // in the workspace
  bool weighted;                 // by shares, entries or per_sample_weights
  int sample_weights;            // slots
  int max_positions;             // -1 for sums
};
// One launch, for few indices.
Result<void> finish_few(const RowSums& d, const Device& device, PlanBuilder& builder);
// A sort, and launches for the rows without occurrences, with few and with more.
Result<void> finish_sorted(const RowSums& d, const Device& device, PlanBuilder& builder);

// One launch of additions in memory, after the gradient is cleared unless they accumulate. Two programs, for rows of whole vectors and
// for any others; of maxima only the latter.
Result<void> finish_atomic(const RowSums& d, const Device& device, PlanBuilder& builder);
// What the variants of it say of themselves: the element types, those of their own accumulators; the guarantee; and whether sorted sums
// are expected to be faster.
constexpr std::int64_t kMostAdditions = 1 << 16;
bool adds_in_accumulator(const Signature& s);
adj_guarantee atomic_guarantee(const Signature& s);
bool sorts_faster(const RowSums& d, bool max);

// The programs of finish_sorted: those of the sort, those of sorting out rows and of combining, with bags that of their sources, then three for
// every shape of rows, of which tiny ones lack the last.
#define ADJ_SORT_PROGRAMS(name, index, flags)                                                                                \
  {"index/sort.cu", name "_sort_rows", "ADJ_STAGE=0 ADJ_I=" index " " flags}, {"index/sort.cu", "index_sort_scatter", "ADJ_STAGE=1"}, \
  {"index/sort.cu", name "_sort_small", "ADJ_STAGE=2 ADJ_I=" index " " flags}
#define ADJ_ROWS_PROGRAM {"embedding/rows.cu", "embedding_rows", ""}
#define ADJ_SUM_PROGRAMS(name, shape, rows, flags)                                                     \
  {"embedding/sum.cu", name "_sum_" shape, "ADJ_T={0} ADJ_ROWS=" rows " " flags " ADJ_CLOSES=0"},       \
  {"embedding/heavy.cu", name "_shares_" shape, "ADJ_STAGE=0 ADJ_T={0} ADJ_ROWS=" rows " " flags},      \
  {"embedding/sum.cu", name "_sum_closing_" shape, "ADJ_T={0} ADJ_ROWS=" rows " " flags " ADJ_CLOSES=1"}
// The same where all sums are added to what the gradient holds.
#define ADJ_ADDING_SUM_PROGRAMS(name, shape, rows, flags)                                                \
  {"embedding/sum.cu", name "_sum_closing_" shape, "ADJ_T={0} ADJ_ROWS=" rows " " flags " ADJ_CLOSES=1"}, \
  {"embedding/heavy.cu", name "_shares_" shape, "ADJ_STAGE=0 ADJ_T={0} ADJ_ROWS=" rows " " flags},       \
  {"embedding/sum.cu", name "_sum_closing_" shape, "ADJ_T={0} ADJ_ROWS=" rows " " flags " ADJ_CLOSES=1"}
// All programs of finish_sorted for a gradient of `gather`; SUM_PROGRAMS is one of those two.
#define ADJ_GATHER_SUM_PROGRAMS(index, SUM_PROGRAMS)                                         \
  ADJ_SORT_PROGRAMS("gather", index, "ADJ_GATHER=1 ADJ_BAG=0"), ADJ_ROWS_PROGRAM,            \
      {"embedding/heavy.cu", "gather_combine", "ADJ_STAGE=1 ADJ_T={0} ADJ_GATHER=1"},        \
      SUM_PROGRAMS("gather", "any", "0", "ADJ_GATHER=1 ADJ_BAG=0"),                      \
      SUM_PROGRAMS("gather", "narrow", "1", "ADJ_GATHER=1 ADJ_BAG=0"),                   \
      SUM_PROGRAMS("gather", "wide", "2", "ADJ_GATHER=1 ADJ_BAG=0"),                     \
      SUM_PROGRAMS("gather", "across", "3", "ADJ_GATHER=1 ADJ_BAG=0"),                   \
      {"embedding/tiny.cu", "gather_sum_tiny", "ADJ_STAGE=0 ADJ_T={0}"},                     \
      {"embedding/tiny.cu", "gather_shares_tiny", "ADJ_STAGE=1 ADJ_T={0}"},                  \
      {"embedding/panels.cu", "gather_sum_panels", "ADJ_T={0}"}
enum SortedProgram {
  kSortRows,
  kSortScatter,
  kSortSmallSet,
  kSortPrograms,
  kSortOutRows = kSortPrograms,
  kCombineSums,
  kFirstSum,
  kBagSources = kFirstSum  // with bags; the sums are one further then
};
enum SumProgram { kSumRows, kSumShares, kSumClosing };
constexpr int kSumPrograms = 3;
// Roundings that an addend goes through at most: up to 48 additions in a block, or 64 and 16 in the single launch; 3 for the compensated
// sum of partial sums, 32 of shares; scale and accumulation. In panels 66 of a thread, 5 of a warp, 8 of warps and accumulation.
constexpr int kRowSumRoundings = 85;

}  // namespace adj
