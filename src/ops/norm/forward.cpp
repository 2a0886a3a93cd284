// Planning of layer norm and RMS norm in the forward direction.
#include "host/norm.hpp"
#include "kernels/norm/params.h"
#include "kernels/prelude/staged.h"
#include "ops/common/shared.hpp"
#include "ops/norm/norm.hpp"
#include "ops/norm.gen.hpp"

namespace adj {

namespace {

using namespace norm;
using P = NormForwardParams;

// Names and arguments of layer_norm_forward, for the templates that both operators share.
struct Layer {
  using Descriptor = adj_layer_norm_forward_descriptor;
  using Args = adj_layer_norm_forward_args;
  static constexpr const char* kName = layer_norm_forward_tables::kName;
  static constexpr bool centred = true;
  static constexpr int kInput = layer_norm_forward_tables::kInput, kResidual = layer_norm_forward_tables::kResidual, kGamma = layer_norm_forward_tables::kGamma,
                       kOut = layer_norm_forward_tables::kOut, kSum = layer_norm_forward_tables::kSum, kInvStd = layer_norm_forward_tables::kInvStd;
};
struct Rms {
  using Descriptor = adj_rms_norm_forward_descriptor;
  using Args = adj_rms_norm_forward_args;
  static constexpr const char* kName = rms_norm_forward_tables::kName;
  static constexpr bool centred = false;
  static constexpr int kInput = rms_norm_forward_tables::kInput, kResidual = rms_norm_forward_tables::kResidual, kGamma = rms_norm_forward_tables::kGamma,
                       kOut = rms_norm_forward_tables::kOut, kSum = rms_norm_forward_tables::kSum, kInvStd = rms_norm_forward_tables::kInvStd;
};

template <class Op>
Result<void> validate(const void* descriptor) {
  return check_problem(Op::kName, *static_cast<const typename Op::Descriptor*>(descriptor));
}

// Threads of a block, and most bytes of the elements that a thread holds, in the type of the arithmetic.
constexpr int kForwardThreads = 512, kForwardBytes = 128;

// Assigns the columns of a row to the threads of a block, or of a cluster with as few blocks as hold it.
Result<Rows> forward_rows(const Problem& p, bool cluster) {
  constexpr std::int64_t kLeastLanes = 4;  // fewest lanes of a row that has as many units: they read 64 neighbouring bytes together
  constexpr unsigned kShared = 128;        // threads of a block that several rows share
  Rows r;
  r.unit = kWords / static_cast<int>(std::min(size_of(p.element), size_of(p.output)));
  r.units = kForwardBytes / (r.unit * static_cast<int>(size_of(p.stats)));
  r.units_of_row = ceil_div(p.columns, r.unit);
  const std::int64_t most = std::int64_t{kForwardThreads} * r.units * (cluster ? kNormCluster : 1);
  if (r.units_of_row > most) return fail(ADJ_ERROR_UNSUPPORTED, "holds rows of at most {} elements, columns = {}", most * r.unit, p.columns);
  const std::int64_t threads = std::max(ceil_div(r.units_of_row, r.units), std::min(r.units_of_row, kLeastLanes));
  if (cluster) {
    int blocks = 2;
    while (threads > std::int64_t{blocks} * kForwardThreads) blocks *= 2;
    r.block = static_cast<unsigned>(ceil_div(ceil_div(threads, blocks), kWarp) * kWarp);
    r.lanes = blocks * static_cast<int>(r.block);
    r.groups = 1;
  } else if (threads <= kWarp) {
    r.block = kShared;
    r.lanes = static_cast<int>(std::bit_ceil(static_cast<std::uint64_t>(threads)));
    r.groups = static_cast<int>(r.block) / r.lanes;
  } else {
    r.lanes = static_cast<int>(ceil_div(threads, kWarp) * kWarp);
    r.block = static_cast<unsigned>(r.lanes);
    r.groups = 1;
  }
  return r;
}

// Distribution of rows that fill no whole units: forward_staged.cu.
enum StagedProgram : int { kStaged = kMain + 1 };
struct StagedRows {
  int lanes = 0, rows = 0;  // rows: of a block
  unsigned block = 0;
  int bytes = 0;            // of shared memory for the input
  std::int64_t shared = 0;  // of all shared memory
};
StagedRows staged_rows(const Problem& p, bool has_residual) {
  constexpr std::int64_t kHeld = kNormHeld, kShared = 128, kBytes = 8 << 10;  // threads of a block of several rows; bytes of their elements
  const std::int64_t size = size_of(p.element);
  StagedRows r;
  if (p.columns <= kWarp * kHeld) {
    r.lanes = static_cast<int>(std::min<std::int64_t>(kWarp, static_cast<std::int64_t>(std::bit_ceil(static_cast<std::uint64_t>(ceil_div(p.columns, kHeld))))));
    r.block = kShared;
    const std::int64_t groups = kShared / r.lanes;
    r.rows = static_cast<int>(groups * std::max<std::int64_t>(1, kBytes / (groups * p.columns * size)));
  } else {
    r.lanes = static_cast<int>(ceil_div(ceil_div(p.columns, kHeld), kWarp) * kWarp);
    r.block = static_cast<unsigned>(r.lanes);
    r.rows = 1;
  }
  const std::int64_t bytes = staged_bytes(r.rows * p.columns, static_cast<int>(size));
  r.bytes = static_cast<int>(bytes);
  r.shared = bytes * (has_residual ? 2 : 1);
  if (size_of(p.output) != size_of(p.element)) r.shared += staged_bytes(r.rows * p.columns, static_cast<int>(size_of(p.output)));
  return r;
}

template <class Op>
P params_of(const typename Op::Descriptor& d) {
  const Problem problem = problem_of(d);
  P p{};
  p.rows = problem.rows;
  p.columns = problem.columns;
  p.inverse_columns = 1 / static_cast<double>(problem.columns);
  p.epsilon = d.epsilon;
  p.centred = Op::centred;
  p.weight_type = problem.weight;
  p.element_type = problem.element;
  p.output_type = problem.output;
  return p;
}
template <class Op>
void bind_tensors(PlanBuilder::Kernel& kernel, const typename Op::Descriptor& d, const P& p) {
  kernel.params(p)
      .tensor(offsetof(P, input), Op::kInput)
      .tensor(offsetof(P, gamma), Op::kGamma)
      .tensor(offsetof(P, out), Op::kOut)
      .tensor(offsetof(P, inv_std), Op::kInvStd);
  if (d.has_residual) kernel.tensor(offsetof(P, residual), Op::kResidual).tensor(offsetof(P, sum), Op::kSum);
  if constexpr (Op::centred) kernel.tensor(offsetof(P, beta), layer_norm_forward_tables::kBeta).tensor(offsetof(P, mean), layer_norm_forward_tables::kMean);
}

enum class Form { row, cluster, any_length, host };
template <class Op, Form form>
Result<void> finish(const PlanRequest& request, PlanBuilder& builder) {
  const auto& d = *static_cast<const typename Op::Descriptor*>(request.descriptor);
  const Problem problem = problem_of(d);
  if (problem.rows == 0 || problem.columns == 0) return {};
  if constexpr (form == Form::host) {
    if constexpr (Op::centred) builder.host(host_call<typename Op::Descriptor, typename Op::Args, host::layer_norm_forward>);
    else builder.host(host_call<typename Op::Descriptor, typename Op::Args, host::rms_norm_forward>);
    return {};
  }
  P p = params_of<Op>(d);
  auto add = [&](bool whole, std::int64_t grid, unsigned block, unsigned cluster = 1) {
    auto kernel = builder.kernel({kMain, whole ? kWholeRows : kAnyRows}, grid, block);
    std::vector<int> arguments{Op::kInput, Op::kGamma, Op::kOut};
    if (d.has_residual) arguments.insert(arguments.end(), {Op::kResidual, Op::kSum});
    if constexpr (Op::centred) arguments.push_back(layer_norm_forward_tables::kBeta);
    if (whole) kernel.when_unaligned({kMain, kAnyRows}, arguments);
    if (cluster > 1) kernel.cluster(cluster);
    bind_tensors<Op>(kernel, d, p);
  };
  if constexpr (form == Form::row || form == Form::cluster) {
    auto r = forward_rows(problem, form == Form::cluster);
    if (!r) return r.take_error();
    p.lanes = r->lanes;
    const std::int64_t blocks = std::max<std::int64_t>(r->lanes / r->block, 1), grid = ceil_div(p.rows, r->groups) * blocks;
    if (grid > kMostBlocks) return fail(ADJ_ERROR_UNSUPPORTED, "takes at most {} rows, rows = {}", kMostBlocks / blocks * r->groups, p.rows);
    const bool whole = p.columns % r->unit == 0;
    // Elsewhere a lane's elements one by one take more instructions than units that begin anywhere, measured on an H100.
    constexpr std::int64_t kMostStaged = 8192, kMostStagedHalf = 64;
    if (!whole && form == Form::row && p.columns <= (size_of(problem.element) == 2 ? kMostStagedHalf : kMostStaged)) {
      const StagedRows staged = staged_rows(problem, d.has_residual);
      if (check_shared(*request.device, staged.shared + kStaticShared)) {
        const std::int64_t staged_grid = ceil_div(p.rows, staged.rows);
        // The other program adds in another order, and a row's bits do not depend on the number of rows.
        if (staged_grid > kMostBlocks) return fail(ADJ_ERROR_UNSUPPORTED, "takes at most {} rows, rows = {}", kMostBlocks * staged.rows, p.rows);
        p.lanes = staged.lanes;
        p.staged = staged.bytes;
        p.staged_rows = staged.rows;
        auto kernel = builder.kernel({kStaged, kAnyRows}, staged_grid, staged.block);
        kernel.shared(static_cast<std::uint32_t>(staged.shared));
        bind_tensors<Op>(kernel, d, p);
        return {};
      }
    }
    add(whole, grid, r->block, static_cast<unsigned>(blocks));
  } else {
    add(p.columns % (problem.element == ADJ_F64 ? 2 : 8) == 0, strided_grid(*request.device, p.rows), 512);
  }
  return {};
}

// A sum has at most 53 additions in its longest chain. A row needs two sums, the second of which uses the first.
adj_guarantee guarantee(const Signature& s) {
  if (s[0] == ADJ_F64) return make_guarantee(ADJ_BATCH_INVARIANT, ADJ_MATH_IEEE, ADJ_F64, 0.51, 1e-13);
  return make_guarantee(ADJ_BATCH_INVARIANT, ADJ_MATH_IEEE, ADJ_F32, 0.51, 0x1p-17, 0x1p-126);
}
adj_guarantee host_guarantee(const Signature&) { return make_guarantee(ADJ_BATCH_INVARIANT, ADJ_MATH_IEEE, ADJ_F64, 0.5, 1e-13); }

template <class Op>
const std::vector<Variant>& variants() {
  static const auto* list = new std::vector<Variant>{
      {.algorithm = "row",
       .summary = "a warp or less, or a block, holds a row in registers",
       .programs = {{"norm/forward_row.cu", "norm_forward_row", "ADJ_T={0} ADJ_V={1} ADJ_ANY=0 ADJ_CLUSTER=0", {kMain, kWholeRows}},
                    {"norm/forward_row.cu", "norm_forward_row_any", "ADJ_T={0} ADJ_V={1} ADJ_ANY=1 ADJ_CLUSTER=0", {kMain, kAnyRows}},
                    {"norm/forward_staged.cu", "norm_forward_staged", "ADJ_T={0} ADJ_V={1}", {kStaged, kAnyRows}}},
       .guarantee = guarantee,
       .finish = finish<Op, Form::row>},
      {.algorithm = "row_cluster",
       .summary = "a cluster of blocks holds a row in registers",
       .min_cc = 90,
       .programs = {{"norm/forward_row.cu", "norm_forward_row_cluster", "ADJ_T={0} ADJ_V={1} ADJ_ANY=0 ADJ_CLUSTER=1", {kMain, kWholeRows}},
                    {"norm/forward_row.cu", "norm_forward_row_cluster_any", "ADJ_T={0} ADJ_V={1} ADJ_ANY=1 ADJ_CLUSTER=1", {kMain, kAnyRows}}},
       .guarantee = guarantee,
       .finish = finish<Op, Form::cluster>},
      {.algorithm = "long",
       .summary = "a block reads a row of any length up to three times",
       .programs = {{"norm/forward_long.cu", "norm_forward_long", "ADJ_A={a} ADJ_WORDS=1", {kMain, kWholeRows}},
                    {"norm/forward_long.cu", "norm_forward_long_any", "ADJ_A={a} ADJ_WORDS=0", {kMain, kAnyRows}}},
       .guarantee = guarantee,
       .finish = finish<Op, Form::any_length>},
      host_row(host_guarantee, finish<Op, Form::host>)};
  return *list;
}

template <class Op>
OpRules rules_of() {
  return {.signatures = signatures(),
          .signature_columns = "element, output",
          .variants = variants<Op>(),
          .validate = validate<Op>,
          .signature = signature_of<typename Op::Descriptor>};
}

}  // namespace

const OpInfo& info_layer_norm_forward() {
  static const OpInfo info = op_info(layer_norm_forward_tables::base_info(), rules_of<Layer>());
  return info;
}
const OpInfo& info_rms_norm_forward() {
  static const OpInfo info = op_info(rms_norm_forward_tables::base_info(), rules_of<Rms>());
  return info;
}

}  // namespace adj
