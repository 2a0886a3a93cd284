// Planning of batch norm and its gradient: in one launch where the channels are resident, else in two passes.
#include <bit>
#include <cmath>
#include <numeric>
#include <optional>

#include <adjoint/ops/batch_norm.h>

#include "host/batch_norm.hpp"
#include "kernels/batch_norm/params.h"
#include "kernels/prelude/column_sums.h"
#include "ops/batch_norm.gen.hpp"
#include "ops/common/common.hpp"
#include "ops/common/shared.hpp"
#include "ops/common/tuning.hpp"

namespace adj {

namespace {

using P = BatchNormParams;
constexpr std::int64_t kMostBlocksY = 65535;
constexpr unsigned kBlock = 256;
enum Program : int { kSums, kSumsLast, kFinish, kApply, kApplyLast };
enum ResidentProgram : int { kResident };
constexpr int kWarp = 32;
using tuning::kMultiprocessors;
constexpr std::int64_t kBlocksAtOnce = 8, kBlocksAtOnceLast = 2, kMostTerms = 128;

template <class Descriptor>
adj_dtype weight_of(const Descriptor& d) {
  return d.weight ? d.weight : d.element;
}
template <class Descriptor>
adj_dtype stats_of(const Descriptor& d) {
  return d.stats ? d.stats : weight_of(d);
}

struct Forward {
  using Descriptor = adj_batch_norm_forward_descriptor;
  using Args = adj_batch_norm_forward_args;
  static constexpr const char* kName = batch_norm_forward_tables::kName;
  static constexpr bool backward = false;
};
struct Backward {
  using Descriptor = adj_batch_norm_backward_descriptor;
  using Args = adj_batch_norm_backward_args;
  static constexpr const char* kName = batch_norm_backward_tables::kName;
  static constexpr bool backward = true;
};

template <class Op>
Result<void> validate(const void* descriptor) {
  const auto& d = *static_cast<const typename Op::Descriptor*>(descriptor);
  return check_volume(Op::kName, "a channel", {d.outer, d.inner});
}

template <class Op>
Signature signature_of(const void* descriptor) {
  return {static_cast<const typename Op::Descriptor*>(descriptor)->element};
}

// New running statistics need the old ones.
Result<void> check_running(const void*, const void* args) {
  const auto& a = *static_cast<const Forward::Args*>(args);
  if (a.next_running_mean.data && !a.running_mean.data)
    return fail(ADJ_ERROR_NULL_BUFFER, "{}: next_running_mean is given without running_mean", Forward::kName);
  if (a.next_running_variance.data && !a.running_variance.data)
    return fail(ADJ_ERROR_NULL_BUFFER, "{}: next_running_variance is given without running_variance", Forward::kName);
  return {};
}

template <class Op>
void bind_tensors(PlanBuilder::Kernel& kernel, const typename Op::Descriptor& d, const P& p, std::uint64_t partials, std::uint64_t coefficients) {
  kernel.params(p);
  if (!p.resident.groups) kernel.workspace(offsetof(P, coefficients), coefficients);
  if (p.splits) kernel.workspace(offsetof(P, partials), partials);
  if constexpr (Op::backward) {
    using namespace batch_norm_backward_tables;
    kernel.tensor(offsetof(P, input), kInput)
        .tensor(offsetof(P, dout), kDout)
        .tensor(offsetof(P, out), kDinput)
        .tensor(offsetof(P, scale), kScale)
        .tensor(offsetof(P, mean), d.frozen ? kRunningMean : kSavedMean)
        .tensor(offsetof(P, deviation), d.frozen ? kRunningVariance : kSavedInvStd)
        .tensor(offsetof(P, dscale), kDscale)
        .tensor(offsetof(P, dbias), kDbias);
  } else {
    using namespace batch_norm_forward_tables;
    kernel.tensor(offsetof(P, input), kInput)
        .tensor(offsetof(P, out), kOut)
        .tensor(offsetof(P, scale), kScale)
        .tensor(offsetof(P, bias), kBias)
        .tensor(offsetof(P, mean), kRunningMean)
        .tensor(offsetof(P, deviation), kRunningVariance);
    if (d.training)
      kernel.tensor(offsetof(P, next_mean), kNextRunningMean)
          .tensor(offsetof(P, next_variance), kNextRunningVariance)
          .tensor(offsetof(P, saved_mean), kSavedMean)
          .tensor(offsetof(P, saved_inv_std), kSavedInvStd);
  }
}

// Splits of a channel: `at_once` to keep a device busy, more when a thread would get over `most` vectors of work.
std::int64_t splits_for(std::int64_t work, std::int64_t at_once, std::int64_t most) {
  return std::max(std::min(work, std::max<std::int64_t>(at_once, 1)), ceil_div(work, most));
}

// Parameters that both algorithms need.
template <class Op>
P params_of(const typename Op::Descriptor& d) {
  P p{};
  p.outer = d.outer;
  p.channels = d.channels;
  p.inner = d.inner;
  p.epsilon = d.epsilon;
  const double count = static_cast<double>(d.outer) * static_cast<double>(d.inner);
  p.inverse_count = 1 / count;
  p.backward = Op::backward;
  if constexpr (Op::backward) {
    p.frozen = d.frozen;
  } else {
    p.frozen = !d.training;
    p.momentum = d.momentum;
    p.unbiased = count > 1 ? count / (count - 1) : 1;
  }
  p.element_type = d.element;
  p.weight_type = weight_of(d);
  p.stats_type = stats_of(d);
  return p;
}

// Plans what a problem without elements needs. Returns false if it has elements.
template <class Op>
bool plan_empty(const typename Op::Descriptor& d, PlanBuilder& builder) {
  if (d.outer > 0 && d.channels > 0 && d.inner > 0) return false;
  if constexpr (Op::backward)
    if (d.channels > 0) {
      builder.clear_output(batch_norm_backward_tables::kDscale);
      builder.clear_output(batch_norm_backward_tables::kDbias);
    }
  return true;
}

// Most elements of a row of a channel for which `resident` is planned. Images of 784 elements and more gained nothing on an H200 (the README has the
// times), and a group of the fewest channels has at most one vector for each thread up to here.
constexpr std::int64_t kMostInner = kBatchNormResidentBlock;

// Distribution of channels over clusters. It depends on the shape and the types alone, and so do the sums.
struct Residence {
  BatchNormResident r{};
  std::int64_t cluster = 1;
  std::uint32_t shared = 0;
};
template <class Op>
Result<Residence> residence(const typename Op::Descriptor& d) {
  // Shared memory of a block: two share a multiprocessor of sm_90, so that one loads while the other stores.
  constexpr std::int64_t kMostOfCluster = 8, kRoom = 113 << 10;
  // Bytes of a row of a group: fewer than kLeastRow would waste a part of each access to memory; beyond kEnough, more would gain nothing.
  constexpr std::int64_t kLeastRow = 64, kEnough = 128;
  const std::int64_t size = size_of(d.element), vector = 16 / size, acc = size == 8 ? 8 : 4, tensors = Op::backward ? 2 : 1;
  if (d.inner == 1 || d.inner > kMostInner)
    return fail(ADJ_ERROR_UNSUPPORTED, "takes 2 to {} elements of a channel side by side, inner = {}", kMostInner, d.inner);
  if (d.channels * d.inner % vector != 0)
    return fail(ADJ_ERROR_UNSUPPORTED, "takes channels * inner in vectors of {} elements, channels = {}, inner = {}", vector, d.channels, d.inner);
  const auto divide = [&](std::int64_t group) -> std::optional<Residence> {
    Residence made;
    BatchNormResident& r = made.r;
    const std::int64_t vectors = group * d.inner / vector;
    // Positions of a vector that belong to different channels.
    const std::int64_t partials = group == 1 ? 1 : std::min(vector, (vector - 2 + d.inner) / d.inner + 1);
    const std::int64_t scratch = partials * kBatchNormResidentBlock * (Op::backward ? acc : 8), sums = 2 * 8 * group, constants = 4 * acc * group;
    const auto share = [&](std::int64_t cluster) { return group == 1 ? ceil_div(d.outer * vectors, cluster) : ceil_div(d.outer, cluster) * vectors; };
    const auto bytes = [&](std::int64_t cluster) { return share(cluster) * tensors * 16 + scratch + sums + constants; };
    if (d.outer > kRoom * kMostOfCluster / 16 / vectors) return std::nullopt;
    std::int64_t& cluster = made.cluster;
    while (cluster <= kMostOfCluster && bytes(cluster) > kRoom) cluster *= 2;
    if (cluster > kMostOfCluster) return std::nullopt;
    r.groups = ceil_div(d.channels, group);
    // More blocks while the device is not full and a thread still has a few vectors.
    while (cluster < kMostOfCluster && r.groups * cluster * 2 <= 2 * kMultiprocessors && share(cluster) > 4 * kBatchNormResidentBlock) cluster *= 2;
    r.group = static_cast<int>(group);
    r.rows = static_cast<int>(ceil_div(d.outer, cluster));
    r.vectors = static_cast<int>(share(cluster));
    r.scratch = static_cast<int>(r.vectors * tensors * 16);
    r.sums = static_cast<int>(r.scratch + scratch);
    r.constants = static_cast<int>(r.sums + sums);
    made.shared = static_cast<std::uint32_t>(r.constants + constants);
    return made;
  };
  const auto row = [&](std::int64_t group) { return group * d.inner * size; };
  std::int64_t group = vector / std::gcd(d.inner, vector);
  std::optional<Residence> best = divide(group);
  while (best && group < d.channels && row(group) < kEnough) {
    auto wider = divide(2 * group);
    if (!wider) break;
    best = wider;
    group *= 2;
  }
  if (!best || (row(group) < kLeastRow && group < d.channels))
    return fail(ADJ_ERROR_UNSUPPORTED, "takes channels that the shared memory of {} blocks holds, outer = {}, inner = {}", kMostOfCluster, d.outer, d.inner);
  return *best;
}

template <class Op>
Result<void> plan_resident(const PlanRequest& request, PlanBuilder& builder) {
  const auto& d = *static_cast<const typename Op::Descriptor*>(request.descriptor);
  if (plan_empty<Op>(d, builder)) return {};
  P p = params_of<Op>(d);
  if (!Op::backward && p.frozen) return fail(ADJ_ERROR_UNSUPPORTED, "takes the statistics of the batch, training = 0");
  auto made = residence<Op>(d);
  if (!made) return made.take_error();
  ADJ_TRY(check_shared(*request.device, made->shared));
  p.resident = made->r;
  auto kernel = builder.kernel(kResident, strided_grid_of_clusters(*request.device, p.resident.groups, made->cluster), kBatchNormResidentBlock);
  kernel.shared(made->shared).cluster(static_cast<unsigned>(made->cluster));
  bind_tensors<Op>(kernel, d, p, 0, 0);
  return {};
}

// Programs: sums, sums with the channels last, finish, apply, apply with the channels last.
template <class Op>
Result<void> plan(const PlanRequest& request, PlanBuilder& builder) {
  const auto& d = *static_cast<const typename Op::Descriptor*>(request.descriptor);
  const Device& device = *request.device;
  const std::int64_t vector = 16 / size_of(d.element), size = d.element == ADJ_F64 ? 8 : 4;
  if (plan_empty<Op>(d, builder)) return {};
  const bool last = d.inner == 1;
  P p = params_of<Op>(d);
  p.vectors = ceil_div(d.inner, vector);
  const std::int64_t vectors_of_row = ceil_div(d.channels, vector);
  p.lanes = static_cast<int>(std::min<std::int64_t>(kWarp, static_cast<std::int64_t>(std::bit_ceil(static_cast<std::uint64_t>(vectors_of_row)))));
  const std::int64_t tiles = ceil_div(vectors_of_row, p.lanes), side_by_side = kBlock / static_cast<unsigned>(p.lanes);
  if (last && tiles > kMostBlocksY) return fail(ADJ_ERROR_UNSUPPORTED, "takes at most {} channels, channels = {}", kMostBlocksY * kWarp * vector, d.channels);
  const bool sums = Op::backward || !p.frozen;
  if (sums && last) {
    p.splits = splits_for(ceil_div(d.outer, side_by_side), ceil_div(kMultiprocessors * kBlocksAtOnceLast, tiles), kMostTerms);
  } else if (sums) {
    if (d.outer > kMostBlocks * kBlock / p.vectors) return fail(ADJ_ERROR_UNSUPPORTED, "takes at most 2^39 vectors of a channel, outer = {}", d.outer);
    p.splits = splits_for(ceil_div(d.outer * p.vectors, kBlock), ceil_div(kMultiprocessors * kBlocksAtOnce, d.channels), kMostTerms / vector);
    if (p.splits > kMostBlocksY) return fail(ADJ_ERROR_UNSUPPORTED, "takes at most {} partial sums of a channel, here {}", kMostBlocksY, p.splits);
  }
  if (p.splits > kMostBlocks) return fail(ADJ_ERROR_UNSUPPORTED, "takes at most {} partial sums of a channel, here {}", kMostBlocks, p.splits);
  ADJ_TRY(check_volume(Op::kName, "the workspace", {16, p.splits, d.channels}));
  ADJ_TRY(check_volume(Op::kName, "the workspace", {4 * size, d.channels}));
  const std::uint64_t partials = builder.book(static_cast<std::uint64_t>(2 * (Op::backward ? size : 8) * p.splits * d.channels));
  const std::uint64_t coefficients = builder.book(static_cast<std::uint64_t>(4 * size * d.channels));
  if (sums) {
    auto kernel = last ? builder.kernel(kSumsLast, p.splits, kBlock, tiles) : builder.kernel(kSums, strided_grid(device, d.channels), kBlock, p.splits);
    bind_tensors<Op>(kernel, d, p, partials, coefficients);
  }
  {
    auto kernel = builder.kernel(kFinish, strided_grid(device, ceil_div(d.channels, kColumnsAcross)), kColumnThreads);
    bind_tensors<Op>(kernel, d, p, partials, coefficients);
    if (sums) kernel.early(device);
  }
  const bool whole = last && d.channels % vector == 0;
  const std::int64_t work = whole ? ceil_div(d.outer, side_by_side) : ceil_div(d.outer * d.channels * d.inner, vector * kBlock);
  // Both programs stride over the grid, so an unaligned run may launch the program for any layout with the same grid. With channels last the
  // grid is one wave: a block reads its coefficients once and keeps them.
  const std::int64_t grid = whole ? std::min(work, std::max<std::int64_t>(1, ceil_div(grid_for(device, work * tiles, d.element == ADJ_F64 ? 2 : 3), tiles)))
                                  : grid_for(device, work, 8, 4);
  auto kernel = builder.kernel(whole ? kApplyLast : kApply, grid, kBlock, whole ? tiles : 1);
  if constexpr (Op::backward) {
    using namespace batch_norm_backward_tables;
    if (whole) kernel.when_unaligned(kApply, {kDout, kInput, kDinput});
  } else {
    using namespace batch_norm_forward_tables;
    if (whole) kernel.when_unaligned(kApply, {kInput, kOut});
  }
  bind_tensors<Op>(kernel, d, p, partials, coefficients);
  kernel.early(device);
  return {};
}

template <class Op, auto host>
Result<void> plan_host(const PlanRequest& request, PlanBuilder& builder) {
  const auto& d = *static_cast<const typename Op::Descriptor*>(request.descriptor);
  if (d.channels > 0 && (Op::backward || (d.outer > 0 && d.inner > 0))) builder.host(host_call<typename Op::Descriptor, typename Op::Args, host>);
  return {};
}

// The longest chain of a sum has 128 additions in a thread and 40 more.
adj_guarantee guarantee(const Signature& s) {
  if (s[0] == ADJ_F64) return make_guarantee(ADJ_SHAPE_ONLY, ADJ_MATH_IEEE, ADJ_F64, 0.51, 1e-12);
  return make_guarantee(ADJ_SHAPE_ONLY, ADJ_MATH_IEEE, ADJ_F32, 0.51, 0x1p-16, 0x1p-126);
}
adj_guarantee host_guarantee(const Signature&) { return make_guarantee(ADJ_SHAPE_ONLY, ADJ_MATH_IEEE, ADJ_F64, 0.5, 1e-13); }

// f64 has no program for one pass.
bool is_narrow(const Signature& s) { return s[0] != ADJ_F64; }
#define ADJ_BATCH_NORM_VARIANTS(Op, name, BACKWARD, host)                                                                \
  {.algorithm = "resident",                                                                                              \
   .summary = "a cluster of blocks holds neighbouring channels in shared memory",                                        \
   .min_cc = 90,                                                                                                         \
   .programs = {{"batch_norm/resident.cu", name "_resident", "ADJ_T={0} ADJ_BACKWARD=" BACKWARD, kResident}},            \
   .guarantee = guarantee,                                                                                               \
   .accepts = is_narrow,                                                                                                 \
   .finish = plan_resident<Op>},                                                                                         \
      {.algorithm = "two_pass",                                                                                          \
       .summary = "sums of each channel, then each element",                                                             \
       .programs = {{"batch_norm/sums.cu", name "_sums", "ADJ_T={0} ADJ_BACKWARD=" BACKWARD " ADJ_GROUPED=0", kSums},    \
                    {"batch_norm/sums_last.cu", name "_sums_last", "ADJ_T={0} ADJ_BACKWARD=" BACKWARD, kSumsLast},       \
                    {"batch_norm/finish.cu", "batch_norm_finish", "", kFinish},                                          \
                    {"batch_norm/apply.cu", name "_apply", "ADJ_T={0} ADJ_BACKWARD=" BACKWARD " ADJ_GROUPED=0", kApply}, \
                    {"batch_norm/apply_last.cu", name "_apply_last", "ADJ_T={0} ADJ_BACKWARD=" BACKWARD, kApplyLast}},   \
       .guarantee = guarantee,                                                                                           \
       .finish = plan<Op>},                                                                                              \
      host_row(host_guarantee, plan_host<Op, host>)

template <class Op>
OpRules rules_of(std::span<const Variant> variants, std::span<const OnnxBinding> onnx) {
  return {.signatures = float_signatures(),
          .signature_columns = "element",
          .variants = variants,
          .onnx = onnx,
          .validate = validate<Op>,
          .signature = signature_of<Op>};
}
template <class Descriptor>
bool describe(std::span<const adj_dtype> types, void* descriptor) {
  if (types.size() != 3) return false;
  auto& d = *static_cast<Descriptor*>(descriptor);
  d.outer = 2;
  d.channels = 4;
  d.inner = 8;
  d.element = types[0];
  d.weight = types[1];
  d.stats = types[2];
  return true;
}
constexpr OnnxBinding kForwardOnnx[] = {{"ms", "BatchNormInternal", describe<Forward::Descriptor>}};
constexpr OnnxBinding kBackwardOnnx[] = {{"ms", "BatchNormalizationGrad", describe<Backward::Descriptor>}};

}  // namespace

const OpInfo& info_batch_norm_forward() {
  static const auto* variants = new std::vector<Variant>{ADJ_BATCH_NORM_VARIANTS(Forward, "batch_norm_forward", "0", host::batch_norm_forward)};
  static const OpInfo info = [] {
    OpRules rules = rules_of<Forward>(*variants, kForwardOnnx);
    rules.check_args = check_running;
    return op_info(batch_norm_forward_tables::base_info(), rules);
  }();
  return info;
}
const OpInfo& info_batch_norm_backward() {
  static const auto* variants = new std::vector<Variant>{ADJ_BATCH_NORM_VARIANTS(Backward, "batch_norm_backward", "1", host::batch_norm_backward)};
  static const OpInfo info = op_info(batch_norm_backward_tables::base_info(), rules_of<Backward>(*variants, kBackwardOnnx));
  return info;
}

}  // namespace adj
