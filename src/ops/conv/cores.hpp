// Convolutions on tensor cores (kernels/conv/tensor_cores.cu).
#pragma once

#include <array>

#include "ops/conv/geometry.hpp"
#include "plan/plan.hpp"

namespace adj::conv {

// The programs of a plan on tensor cores; those of a forward operator end before the finish of the bias's gradient.
enum CoresProgram : int { kCoresProduct, kCoresProductUnaligned, kCoresPack, kCoresFinish, kCoresBias, kCoresWeight, kCoresWeightUnaligned };

// Adds the launches of one plan. A tensor that two products read is packed once.
class CoresPlan {
 public:
  CoresPlan(PlanBuilder& builder, const Device& device, const Geometry& geometry) : builder_(builder), device_(device), g_(geometry) {}

  // Fails with what these kernels do not take.
  Result<void> check() const;
  // out = the product of a role but the last, with a bias unless its slot is -1.
  Result<void> product(ConvRole role, int gathered, int weight, int bias, int out);
  Result<void> weight_gradient(bool accumulate, int big, int small, int out);

 private:
  // What a product reads: an argument, or a copy of it in the workspace.
  struct Operand {
    int slot = -1;
    bool packed = false;
    std::uint64_t workspace = 0;
  };
  Result<Operand> tensor(bool big, int slot);
  Result<Operand> weight(ConvRole role, int slot);
  Result<Operand> pack(int slot, ConvPackParams p, std::int64_t images, std::int64_t units);
  Result<void> launch(int program, ConvCoresParams p, const Operand& gathered, const Operand& matrix, int bias, int out, std::uint64_t sums);

  PlanBuilder& builder_;
  const Device& device_;
  const Geometry& g_;
  std::array<Operand, 2> tensors_{};  // small, big
};

}  // namespace adj::conv
