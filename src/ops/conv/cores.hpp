// Convolutions on tensor cores (kernels/conv/tensor_cores.cu), and the sum of their splits.
#pragma once

#include <array>

#include "ops/conv/geometry.hpp"

namespace adj::conv {

static_assert(kMostIndex <= kMost - 2 * kCoresTile);

// Adds the launch of kernels/conv/finish.cu. `f` has the layout of a split and says whether the sums are added to `out`.
void add_finish(PlanBuilder& builder, const Device& device, const ConvFinishParams& f, std::uint64_t partials, int out);

// Adds the launches of one plan. A tensor that two products read is packed once.
class CoresPlan {
 public:
  CoresPlan(PlanBuilder& builder, const Device& device, const Geometry& geometry) : builder_(builder), device_(device), g_(geometry) {}

  // Fails with the first limit of these kernels that the problem exceeds.
  Result<void> check() const;
  // Adds the product of a role other than kWeightGradient, written to argument `out`. A bias is added unless its argument is -1.
  Result<void> product(ConvRole role, int gathered, int weight, int bias, int out);
  Result<void> weight_gradient(bool accumulate, int big, int small, int out);

 private:
  Result<Operand> tensor(bool big, int argument);
  Result<Operand> weight(ConvRole role, int argument);
  // Adds one launch of a product. `sums`: offset in the workspace of the f32 results, when p.sums is set; else the kernel writes argument `out`.
  Result<void> launch(ProductProgram program, ConvCoresParams p, const Operand& gathered, const Operand& matrix, int bias, int out, std::uint64_t sums);

  PlanBuilder& builder_;
  const Device& device_;
  const Geometry& g_;
  std::array<Operand, 2> tensors_{};  // small and big, once a product has asked for them
};

}  // namespace adj::conv
