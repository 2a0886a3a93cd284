// Convolutions on tensor cores (kernels/conv/tensor_cores.cu).
#pragma once

#include <array>

#include "ops/conv/geometry.hpp"
#include "plan/plan.hpp"

namespace adj::conv {

// Programs of a plan on tensor cores. A forward operator has only those before kCoresBias.
enum CoresProgram : int { kCoresProduct, kCoresProductUnaligned, kCoresPack, kCoresFinish, kCoresBias, kCoresWeight, kCoresWeightUnaligned };

// Adds the launches of one plan. A tensor that two products read is packed once.
class CoresPlan {
 public:
  CoresPlan(PlanBuilder& builder, const Device& device, const Geometry& geometry) : builder_(builder), device_(device), g_(geometry) {}

  // Fails with the first limit of these kernels that the problem exceeds.
  Result<void> check() const;
  // Adds the product of a role other than kWeightGradient, written to slot `out`. A bias is added unless its slot is -1.
  Result<void> product(ConvRole role, int gathered, int weight, int bias, int out);
  Result<void> weight_gradient(bool accumulate, int big, int small, int out);

 private:
  // Operand of a product: an argument, or its packed copy in the workspace.
  struct Operand {
    int slot = -1;
    bool packed = false;
    std::uint64_t workspace = 0;  // offset of the copy
  };
  Result<Operand> tensor(bool big, int slot);
  Result<Operand> weight(ConvRole role, int slot);
  Result<Operand> pack(int slot, ConvPackParams p, std::int64_t images, std::int64_t units);
  Result<void> launch(int program, ConvCoresParams p, const Operand& gathered, const Operand& matrix, int bias, int out, std::uint64_t sums);

  PlanBuilder& builder_;
  const Device& device_;
  const Geometry& g_;
  std::array<Operand, 2> tensors_{};  // small and big, once a product has asked for them
};

}  // namespace adj::conv
