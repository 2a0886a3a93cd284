// What matrix products, convolutions and their gradients share: limits, splits of sums, packed operands, products in tiles and sums of columns (kernels/gemm).
#pragma once

#include <limits>

#include "ops/common/divide.hpp"
#include "kernels/gemm/params.h"
#include "ops/common/common.hpp"
#include "ops/gemm/tuning.hpp"

namespace adj::gemm {

constexpr std::int64_t kMost = std::numeric_limits<std::int32_t>::max();
constexpr std::int64_t kMostIndex = kMost - 256;  // room for the last block, which counts on to the end of its tile or step

constexpr int narrow(std::int64_t v) { return static_cast<int>(v); }
// Vectors of 8 elements that a row of `elements` is filled up to.
constexpr std::int64_t vectors_of(std::int64_t elements) { return ceil_div(elements, kGemmVector); }
// Fails when the product of the factors is above the limit.
Result<void> check_limit(std::int64_t limit, const char* what, std::initializer_list<std::int64_t> factors);

// Programs of products. kFinish adds up what the others write, kColumnSums adds the rows of a matrix. On tensor cores kProduct and kWeightProduct have the
// forms kWholeRows and kAnyRows.
enum ProductProgram : int { kProduct, kWeightProduct, kPack, kFinish, kColumnSums };
ProgramTemplate pack_program();
ProgramTemplate column_sums_program();    // of the first type of a signature
ProgramTemplate split_product_program();  // of the first type of a signature

// Splits of a sum of `depth` terms, when a launch of one split has `blocks` blocks and `results` results.
std::int64_t splits_of(const Tuning& tuning, const SplitRule& rule, std::int64_t depth, std::int64_t blocks, std::int64_t results);

// Partial sums in the workspace: [splits, results] accumulators at an offset.
struct PartialSums {
  std::uint64_t offset = 0;
  std::int64_t splits = 0;
};
// Adds the launch of tiles.cu that makes the weight's gradient, and books its partial sums. `p` has all but numbers of tiles and splits.
Result<PartialSums> add_split_product(PlanBuilder& builder, const Device& device, GemmParams p, adj_dtype element, int gathered, int matrix);
// Adds the launch of column_sums.cu. `p` has strides and extents, and places that are not empty; `last`: channels lie beside each other.
Result<PartialSums> add_column_sums(PlanBuilder& builder, const Device& device, GemmColumnSumsParams p, bool last, adj_dtype element, int dout);

// Operand of a product on tensor cores: an argument, or its packed copy in the workspace.
struct Operand {
  int argument = -1;
  bool packed = false;
  std::uint64_t workspace = 0;  // offset of the copy
};
// Adds the launch of pack.cu for a tensor of `images` images, which become `vectors` vectors. Fills in the numbers of vectors and tiles.
Result<Operand> add_pack(PlanBuilder& builder, int argument, GemmPackParams p, std::int64_t images, std::int64_t vectors);

}  // namespace adj::gemm
