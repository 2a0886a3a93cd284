// Convolutions on tensor cores (kernels/conv/tensor_cores.cu).
#pragma once

#include <array>

#include "ops/conv/geometry.hpp"
#include "ops/conv/splits.hpp"
#include "plan/plan.hpp"

namespace adj::conv {

constexpr std::int64_t kMostIndex = kMost - 2 * kCoresTile;  // room for the last block, which counts on to the end of its tile or step
// Vectors of 8 elements that a row of `channels` is filled up to.
constexpr std::int64_t vectors_of(std::int64_t channels) { return ceil_div(channels, kCoresVector); }
// Fails when the product of the factors is above the limit.
Result<void> check_limit(std::int64_t limit, const char* what, std::initializer_list<std::int64_t> factors);

// Adds launches of pack.cu and tensor_cores.cu.
class CoresLaunches {
 public:
  // Operand of a product: an argument, or its packed copy in the workspace.
  struct Operand {
    int argument = -1;
    bool packed = false;
    std::uint64_t workspace = 0;  // offset of the copy
  };
  CoresLaunches(PlanBuilder& builder, const Device& device) : builder_(builder), device_(device) {}

  Result<void> check_device() const;
  // Packs a tensor of `images` images into `vectors` vectors. Fills in the numbers of vectors and tiles.
  Result<Operand> pack(int argument, ConvPackParams p, std::int64_t images, std::int64_t vectors);
  // Adds one launch of a product. `sums`: offset in the workspace of the f32 results, when p.sums is set; else the kernel writes argument `out`.
  Result<void> launch(Program program, ConvCoresParams p, const Operand& gathered, const Operand& matrix, int bias, int out, std::uint64_t sums);

 protected:
  PlanBuilder& builder_;
  const Device& device_;
};

// Adds the launches of one plan. A tensor that two products read is packed once.
class CoresPlan : private CoresLaunches {
 public:
  CoresPlan(PlanBuilder& builder, const Device& device, const Geometry& geometry) : CoresLaunches(builder, device), g_(geometry) {}

  // Fails with the first limit of these kernels that the problem exceeds.
  Result<void> check() const;
  // Adds the product of a role other than kWeightGradient, written to argument `out`. A bias is added unless its argument is -1.
  Result<void> product(ConvRole role, int gathered, int weight, int bias, int out);
  Result<void> weight_gradient(bool accumulate, int big, int small, int out);

 private:
  Result<Operand> tensor(bool big, int argument);
  Result<Operand> weight(ConvRole role, int argument);

  const Geometry& g_;
  std::array<Operand, 2> tensors_{};  // small and big, once a product has asked for them
};

}  // namespace adj::conv
