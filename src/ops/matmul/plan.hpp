// Parts of plans of the matrix product that several SKUs share.
#pragma once

#include "host/matmul_problem.hpp"
#include "kernels/prelude/tensor_map.h"
#include "ops/gemm/gemm.hpp"
#include "kernels/matmul/params.h"
#include "ops/matmul.gen.hpp"

namespace adj::matmul {

using host::MatmulProblem;
using namespace gemm;  // kFinish is matmul/finish.cu

// Partial sums of products in the workspace: [splits, rows of all matrices, pitch] accumulators.
struct Sums {
  std::uint64_t offset = 0;
  std::int64_t splits = 0;  // 0: there are none, and every sum is 0
  std::int64_t split = 0, pitch = 0;
};

// What the sums become, without addresses.
MatmulResult result_of(const MatmulProblem& p);
// Binds the tensors of a result that lies at `offset` in the parameters of a launch.
void bind_result(PlanBuilder::Kernel& kernel, const MatmulProblem& p, std::size_t offset);
// Adds the launch of finish.cu that makes d and preactivation of sums. The factor alpha is not in the sums yet.
void add_finish(PlanBuilder& builder, const Device& device, const MatmulProblem& p, const Sums& sums);
// Adds the launch of finish.cu that makes dbias of partial sums [splits, m] in the workspace.
void add_dbias_finish(PlanBuilder& builder, const Device& device, const MatmulProblem& p, std::uint64_t partials, std::int64_t splits);
// Adds the launches that compute dbias. Does nothing when the problem has no dbias.
Result<void> add_dbias(PlanBuilder& builder, const Device& device, const MatmulProblem& p);

// Variant of cores.cu's programs: for each operand, whether the depth runs along its rows as stored, and whether both begin at multiples of 16 bytes.
constexpr int cores_layout(bool a_across, bool b_across, bool aligned) { return a_across * 4 + b_across * 2 + aligned; }
// Variant of pipeline.cu's programs; `what`: a number of kMatmulPlain and so on, or kPartial for sums in the workspace.
constexpr int kPartial = kMatmulGeluGradient + 1;
constexpr int pipeline_layout(bool a_across, bool b_across, int what) { return 8 + what * 4 + a_across * 2 + b_across; }
// Plans on tensor cores, whose warps multiply alone or as warpgroups.
Result<void> finish_cores(const PlanRequest& request, PlanBuilder& builder);
Result<void> finish_warpgroups(const PlanRequest& request, PlanBuilder& builder);
// Plans that call cuBLASLt.
Result<void> finish_cublaslt(const PlanRequest& request, PlanBuilder& builder);

}  // namespace adj::matmul
