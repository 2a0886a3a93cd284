// Planning of cross_entropy_with_gradient, which writes the gradient over the scores where the caller wants that.
#include <adjoint/ops/loss.h>

#include <cmath>

#include "host/loss.hpp"
#include "ops/common/shared.hpp"
#include "ops/common/thresholds.hpp"
#include "ops/loss/sums.hpp"
#include "ops/loss.gen.hpp"

namespace adj {

namespace {

using namespace cross_entropy_with_gradient_tables;
using P = CrossEntropyParams;
// Program of the row `row` for aligned rows that fit in the registers of their threads.
enum Program : int { kResident };
// Kernels of a row of the table. rows_f64 has a program for any rows only.
enum class Kernels { rows, rows_f64, clusters };

bool is_mean(const Descriptor& d) { return d.reduction == ADJ_REDUCTION_DEFAULT || d.reduction == ADJ_REDUCTION_MEAN; }

const std::vector<Signature>& signatures() {
  static const auto* list = [] {
    auto made = std::make_unique<std::vector<Signature>>();
    for (adj_dtype element : {ADJ_F32, ADJ_F64, ADJ_F16, ADJ_BF16})
      for (adj_dtype label : {ADJ_I32, ADJ_I64}) made->push_back({element, label, accumulator_of(element)});
    return made.release();
  }();
  return *list;
}
Signature signature_of(const void* descriptor) {
  const auto& d = *static_cast<const Descriptor*>(descriptor);
  return {d.element, d.label, accumulator_of(d.element)};
}

// True for rows that the algorithm `row` takes in less time.
bool is_short(const void* descriptor) {
  const auto& d = *static_cast<const Descriptor*>(descriptor);
  const std::int64_t bytes = loss::padded_classes(d) * size_of(d.element);
  return bytes < (bytes % 16 ? thresholds::kEntropyClusterAnyBytes : thresholds::kEntropyClusterBytes);
}
// Distribution of rows over clusters. A block of a cluster holds its part of a row in shared memory; three blocks fit a multiprocessor.
struct ClusterGeometry {
  static constexpr unsigned kBlock = 256;
  int cluster = 1;
  std::int64_t units = 0;  // units of a row that a block holds
  std::int64_t grid = 0;

  std::uint32_t shared() const { return static_cast<std::uint32_t>(units + 1) * 16; }
};
Result<ClusterGeometry> cluster_geometry(const Descriptor& d, const Device& device) {
  constexpr std::int64_t kMostUnits = 4776, kBlocksAtOnce = 3, kMostRows = 4;
  constexpr int kMostOfCluster = 8;
  constexpr std::uint32_t kStatic = 1 << 10;
  if (d.weight && d.label_smoothing > 0) return fail(ADJ_ERROR_UNSUPPORTED, "takes no class weights under label smoothing");
  const std::int64_t unit = 16 / size_of(d.element), classes = loss::padded_classes(d), units = ceil_div(classes, unit);
  if (units > kMostUnits * kMostOfCluster)
    return fail(ADJ_ERROR_UNSUPPORTED, "takes rows of up to {} classes with their padding, num_classes = {}", kMostUnits * kMostOfCluster * unit, classes);
  ClusterGeometry g;
  while (units > kMostUnits * g.cluster) g.cluster *= 2;
  g.units = ceil_div(units, g.cluster);
  ADJ_TRY(check_shared(device, g.shared() + kStatic));
  const std::int64_t at_once = std::max<std::int64_t>(1, std::int64_t{device.multiprocessors} * kBlocksAtOnce / g.cluster);
  const std::int64_t rows = std::clamp<std::int64_t>(d.samples / at_once, 1, kMostRows);
  g.grid = strided_grid_of_clusters(device, ceil_div(d.samples, rows), g.cluster);
  return g;
}

template <Kernels kernels>
Result<void> plan(const PlanRequest& request, PlanBuilder& builder) {
  constexpr bool f64 = kernels == Kernels::rows_f64, clusters = kernels == Kernels::clusters;
  const auto& d = *static_cast<const Descriptor*>(request.descriptor);
  const bool reduced = d.reduction != ADJ_REDUCTION_NONE;
  if (d.samples == 0 && !reduced) return {};
  std::uint64_t totals_at = 0;
  std::int64_t totals = 0;
  if (d.samples > 0) {
    const loss::LabelArguments arguments{.labels = kLabels, .weight = kWeight, .error_flag = kErrorFlag};
    // Rows of up to 16 KB fit the registers of one block. Class weights under label smoothing are read with the scores, which takes too many registers.
    const RowGeometry held = row_geometry(loss::padded_classes(d), d.element, 1, 256);
    const bool resident = kernels == Kernels::rows && held.whole && held.resident && !(d.weight && d.label_smoothing > 0);
    // Where a row is read twice, few threads that take several turns are faster than many: they have less to do for each row.
    constexpr int kTurns = 4;
    const int least = loss::padded_classes(d) * size_of(d.element) > 128 ? 2 : 1;
    const RowGeometry g = resident ? held : row_geometry(loss::padded_classes(d), d.element, least, f64 ? 256 : 512, kTurns);
    ClusterGeometry c;
    if (clusters) {
      auto made = cluster_geometry(d, *request.device);
      if (!made) return made.take_error();
      c = *made;
    }
    P p{};
    p.label.num_classes = d.num_classes;
    p.label.ignore_index = d.ignore_index;
    p.label.has_ignore_index = d.has_ignore_index;
    p.label.weight_dtype = d.weight;
    p.smoothing = d.label_smoothing;
    p.smoothing_of_class = d.label_smoothing / static_cast<double>(d.num_classes);
    p.z_loss = d.z_loss;
    p.samples = d.samples;
    p.padded_classes = loss::padded_classes(d);
    p.group = clusters ? static_cast<int>(c.units) : g.group;
    p.resident = g.resident;
    std::uint64_t inverse_at = 0, inverse_count_at = 0;
    if (is_mean(d)) {
      constexpr int kMostSums = 16;  // that every row adds by itself, in less time than a launch takes
      const loss::Normalizer normalizer = loss::plan_normalizer(builder, *request.device, p.label, d.samples, arguments, kMostSums);
      inverse_at = inverse_count_at = normalizer.at;
      p.inverse_sums = normalizer.sums;
      if (d.weight && d.z_loss > 0) {
        LossLabelParams unweighted = p.label;
        unweighted.weight_dtype = 0;
        inverse_count_at = loss::plan_normalizer(builder, *request.device, unweighted, d.samples, {.labels = kLabels}, kMostSums).at;
      }
    }
    totals = clusters ? d.samples : ceil_div(d.samples, g.side_by_side);
    if (reduced) totals_at = builder.book(static_cast<std::uint64_t>(totals) * 2 * sizeof(double));
    const bool whole = g.whole && !f64;
    const std::int64_t grid = clusters ? c.grid : g.grid(*request.device, d.samples);
    const ProgramName program = resident ? ProgramName(kResident) : ProgramName(kMain, whole ? kWholeRows : kAnyRows);
    auto kernel = builder.kernel(program, grid, clusters ? ClusterGeometry::kBlock : g.block);
    kernel.early(*request.device);
    if (whole) kernel.when_unaligned({kMain, kAnyRows}, {kScores, kDscores});
    if (clusters) kernel.shared(c.shared()).cluster(static_cast<unsigned>(c.cluster));
    kernel.params(p)
        .tensor(offsetof(P, scores), kScores)
        .tensor(offsetof(P, dscores), kDscores)
        .tensor(offsetof(P, lse), kLse)
        .scalar(offsetof(P, dloss), kDloss);
    loss::bind_labels(kernel, offsetof(P, label), arguments);
    if (reduced) kernel.workspace(offsetof(P, totals), totals_at);
    else kernel.tensor(offsetof(P, loss), kLoss);
    if (is_mean(d)) kernel.workspace(offsetof(P, inverse), inverse_at).workspace(offsetof(P, inverse_count), inverse_count_at);
  }
  if (reduced) loss::plan_total(builder, *request.device, d.samples > 0, totals_at, totals, false, false, kLoss);
  return {};
}

Result<void> plan_host(const PlanRequest& request, PlanBuilder& builder) {
  const auto& d = *static_cast<const Descriptor*>(request.descriptor);
  if (d.samples > 0 || d.reduction != ADJ_REDUCTION_NONE) builder.host(host_call<Descriptor, Args, host::cross_entropy_with_gradient>);
  return {};
}

// m is the largest score of a row, q the mean of 1 + |x - m| weighted by the exponentials, f the sum of the factors of the probability p.
// Terms of a loss: the terms of its parts, where score - lse has |x - m| + |log of the sum| + q.
// Terms of dscores: |f| for the class of the label, |f| * p * (2 + |x - m| + |log of the sum| + q) for any other, and
// the smoothed weight for both.
adj_guarantee guarantee(const Signature& s) {
  if (s[0] == ADJ_F64) return make_guarantee(ADJ_SHAPE_ONLY, ADJ_MATH_IEEE, ADJ_F64, 0.51, 1e-13);
  return make_guarantee(ADJ_SHAPE_ONLY, ADJ_MATH_FAST, ADJ_F32, 0.51, 0x1p-19, 0x1p-120);
}
adj_guarantee f64_guarantee(const Signature&) { return make_guarantee(ADJ_SHAPE_ONLY, ADJ_MATH_IEEE, ADJ_F64, 0.51, 1e-13); }
constexpr auto kAlone = loss::alone_without_reduction<Descriptor>;
adj_guarantee host_guarantee(const Signature&) { return make_guarantee(ADJ_SHAPE_ONLY, ADJ_MATH_IEEE, ADJ_F64, 0.5, 1e-13); }

const std::vector<Variant>& variants() {
  static const auto* list = new std::vector<Variant>{
      {.algorithm = "row_cluster",
       .summary = "a cluster of blocks holds a row in shared memory, the next one on its way",
       .min_cc = 90,
       .programs = {{"loss/with_gradient_cluster.cu", "cross_entropy_with_gradient_cluster", "ADJ_T={0} ADJ_L={1} ADJ_ALIGNED=1", {kMain, kWholeRows}},
                    {"loss/with_gradient_cluster.cu", "cross_entropy_with_gradient_cluster", "ADJ_T={0} ADJ_L={1} ADJ_ALIGNED=0", {kMain, kAnyRows}},
                    ADJ_LOSS_TOTAL_PROGRAM("{2}"),
                    ADJ_LOSS_NORMALIZER_PROGRAM},
       .guarantee = guarantee,
       .guarantee_for = kAlone,
       .yields = is_short,
       .finish = plan<Kernels::clusters>},
      {.algorithm = "row",
       .summary = "a group of threads has a row, in registers where it fits, else it is read twice",
       .programs = {{"loss/with_gradient_resident.cu", "cross_entropy_with_gradient_resident", "ADJ_T={0} ADJ_L={1}", kResident},
                    {"loss/with_gradient.cu", "cross_entropy_with_gradient", "ADJ_T={0} ADJ_L={1} ADJ_ALIGNED=1", {kMain, kWholeRows}},
                    {"loss/with_gradient.cu", "cross_entropy_with_gradient", "ADJ_T={0} ADJ_L={1} ADJ_ALIGNED=0", {kMain, kAnyRows}},
                    ADJ_LOSS_TOTAL_PROGRAM("{2}"),
                    ADJ_LOSS_NORMALIZER_PROGRAM},
       .guarantee = guarantee,
       .guarantee_for = kAlone,
       .finish = plan<Kernels::rows>},
      {.algorithm = "row_f64",
       .summary = "as row, in f64 for every element type",
       .programs = {{"loss/with_gradient.cu", "cross_entropy_with_gradient_f64", "ADJ_T={0} ADJ_L={1} ADJ_ALIGNED=0 ADJ_ACC_F64=1", {kMain, kAnyRows}},
                    ADJ_LOSS_TOTAL_PROGRAM("{2}"),
                    ADJ_LOSS_NORMALIZER_PROGRAM},
       .guarantee = f64_guarantee,
       .guarantee_for = kAlone,
       .accepts = loss::is_narrow,
       .finish = plan<Kernels::rows_f64>},
      {.algorithm = "reference",
       .summary = "host memory",
       .backend = ADJ_BACKEND_HOST,
       .guarantee = host_guarantee,
       .guarantee_for = kAlone,
       .finish = plan_host}};
  return *list;
}

}  // namespace

const OpInfo& info_cross_entropy_with_gradient() {
  static const OpInfo info = op_info(
      base_info(), {.signatures = signatures(),
                    .signature_columns = "element, label, loss",
                    .variants = variants(),
                    .signature = signature_of,
                    .integers_below = [](const void* d, int argument) { return argument == kLabels ? static_cast<const Descriptor*>(d)->num_classes : 0; }});
  return info;
}

}  // namespace adj
