// Planning of the gradients of layer norm and RMS norm.
#include "host/norm.hpp"
#include "kernels/norm/params.h"
#include "ops/common/shared.hpp"
#include "ops/norm/norm.hpp"
#include "ops/norm.gen.hpp"

namespace adj {

namespace {

using namespace norm;
using P = NormBackwardParams;
enum Program : int { kFromInput, kFromOutput, kRowSums, kColumnSums, kFinish };

// Names and arguments of layer_norm_backward, for the templates that both gradients share.
struct Layer {
  using Descriptor = adj_layer_norm_backward_descriptor;
  using Args = adj_layer_norm_backward_args;
  static constexpr const char* kName = layer_norm_backward_tables::kName;
  static constexpr bool centred = true;
  static constexpr int kDout = layer_norm_backward_tables::kDout, kInput = layer_norm_backward_tables::kInput, kOut = layer_norm_backward_tables::kOut,
                       kGamma = layer_norm_backward_tables::kGamma, kInvStd = layer_norm_backward_tables::kInvStd,
                       kDresidual = layer_norm_backward_tables::kDresidual, kDinput = layer_norm_backward_tables::kDinput,
                       kDgamma = layer_norm_backward_tables::kDgamma;
};
struct Rms {
  using Descriptor = adj_rms_norm_backward_descriptor;
  using Args = adj_rms_norm_backward_args;
  static constexpr const char* kName = rms_norm_backward_tables::kName;
  static constexpr bool centred = false;
  static constexpr int kDout = rms_norm_backward_tables::kDout, kInput = rms_norm_backward_tables::kInput, kOut = rms_norm_backward_tables::kOut,
                       kGamma = rms_norm_backward_tables::kGamma, kInvStd = rms_norm_backward_tables::kInvStd,
                       kDresidual = rms_norm_backward_tables::kDresidual, kDinput = rms_norm_backward_tables::kDinput,
                       kDgamma = rms_norm_backward_tables::kDgamma;
};
template <class Op>
bool wants_dbeta(const typename Op::Descriptor& d) {
  if constexpr (Op::centred) return d.has_dbeta;
  else return false;
}

template <class Op>
Result<void> validate(const void* descriptor) {
  const auto& d = *static_cast<const typename Op::Descriptor*>(descriptor);
  return check_problem(Op::kName, d);
}

template <class Op>
P params_of(const typename Op::Descriptor& d) {
  const Problem problem = problem_of(d);
  P p{};
  p.rows = problem.rows;
  p.columns = problem.columns;
  p.inverse_columns = 1 / static_cast<double>(problem.columns);
  p.centred = Op::centred;
  p.inverted = d.from_output;
  p.weight_type = problem.weight;
  p.element_type = problem.element;
  p.output_type = problem.output;
  p.saved_type = d.from_output ? problem.output : problem.element;
  return p;
}
template <class Op>
void bind_tensors(PlanBuilder::Kernel& kernel, const typename Op::Descriptor& d, const P& p) {
  kernel.params(p)
      .tensor(offsetof(P, dout), Op::kDout)
      .tensor(offsetof(P, saved), d.from_output ? Op::kOut : Op::kInput)
      .tensor(offsetof(P, gamma), Op::kGamma)
      .tensor(offsetof(P, inv_std), Op::kInvStd)
      .tensor(offsetof(P, dresidual), Op::kDresidual)
      .tensor(offsetof(P, dinput), Op::kDinput);
  if constexpr (Op::centred) {
    if (d.from_output) kernel.tensor(offsetof(P, beta), layer_norm_backward_tables::kBeta);
    else kernel.tensor(offsetof(P, mean), layer_norm_backward_tables::kMean);
  }
}

// Workspace for the partial sums of dgamma and dbeta; booked when one of them is wanted.
struct Partials {
  bool wanted = false;
  std::uint64_t at = 0;
};
template <class Op>
Result<Partials> book_partials(const typename Op::Descriptor& d, const P& p, PlanBuilder& builder) {
  Partials partials;
  partials.wanted = d.has_dgamma || wants_dbeta<Op>(d);
  if (!partials.wanted) return partials;
  const auto size = static_cast<std::int64_t>(size_of(problem_of(d).stats));
  ADJ_TRY(check_volume(Op::kName, "the workspace", {2 * size, p.splits, p.pitch}));
  partials.at = builder.book(static_cast<std::uint64_t>(2 * size * p.splits * p.pitch));
  return partials;
}
template <class Op>
void add_finish(const typename Op::Descriptor& d, const P& p, const Partials& partials, const Device& device, PlanBuilder& builder) {
  constexpr int kFewLanesLog2 = 3, kMostLanesLog2 = 5;
  if (!partials.wanted) return;
  NormFinishParams f{};
  f.columns = p.columns;
  f.pitch = p.pitch;
  f.splits = p.splits;
  f.type = p.weight_type;
  f.accumulate = d.write_mode == ADJ_WRITE_ACCUMULATE;
  // A block takes more columns when the blocks would not all run at once, with two in a multiprocessor.
  const std::int64_t columns_of_lane = kWords / size_of(problem_of(d).stats), results = Op::centred ? 2 : 1;
  auto blocks = [&] { return ceil_div(p.columns, columns_of_lane << f.lanes_log2); };
  f.lanes_log2 = kFewLanesLog2;
  while (f.lanes_log2 < kMostLanesLog2 && results * blocks() > 2 * kMultiprocessors) ++f.lanes_log2;
  auto kernel = builder.kernel(kFinish, strided_grid(device, blocks()), kNormFinishBlock, wants_dbeta<Op>(d) ? 2 : 1);
  kernel.params(f).workspace(offsetof(NormFinishParams, partials), partials.at).early(device);
  if (d.has_dgamma) kernel.tensor(offsetof(NormFinishParams, first), Op::kDgamma);
  if constexpr (Op::centred)
    if (d.has_dbeta) kernel.tensor(offsetof(NormFinishParams, second), layer_norm_backward_tables::kDbeta);
}

// Number of splits: enough to keep a device busy (`at_once`), and so many that a thread adds at most `most` terms one after the other.
std::int64_t splits_for(std::int64_t work, std::int64_t at_once, std::int64_t most) {
  return std::max(std::min(work, std::max<std::int64_t>(at_once, 1)), ceil_div(work, most));
}

constexpr int kMostThreads = 512;  // most threads of a row in a block
constexpr int kInvertedBytes = 64;  // from Y: most bytes of the sums of columns that a thread holds, in the type of the arithmetic

// Assigns the columns of a row to the threads of `blocks` blocks. A thread takes as many units as it can hold, since its work for each row
// costs as much as a unit. Where kFewThreads threads suffice with kFew units each, a thread takes no more: a block of fewer threads would need
// longer to write its sums of columns.
Result<Rows> backward_rows(const Problem& p, int blocks, bool inverted) {
  constexpr std::int64_t kFew = 2, kFewThreads = 128;
  // Threads of a block that has several rows side by side. Rows of kFewThreads threads get larger blocks, because fewer blocks leave fewer sums
  // of columns to the finish.
  constexpr int kGroupThreads = 256, kFewGroupThreads = 512;
  Rows r;
  r.unit = kWords / static_cast<int>(std::min(size_of(p.element), size_of(p.output)));
  r.units_of_row = ceil_div(p.columns, r.unit);
  const std::int64_t units = inverted ? kInvertedBytes / (r.unit * static_cast<int>(size_of(p.stats))) : kNormUnits;
  const std::int64_t most = std::int64_t{blocks} * kMostThreads * units;
  if (r.units_of_row > most) return fail(ADJ_ERROR_UNSUPPORTED, "holds rows of at most {} elements, columns = {}", most * r.unit, p.columns);
  const std::int64_t few = ceil_div(r.units_of_row, kFew), threads = ceil_div(r.units_of_row, units);
  if (blocks == 1 && threads <= kWarp) {
    r.block = kGroupThreads;
    r.lanes = static_cast<int>(std::min<std::int64_t>(kWarp, static_cast<std::int64_t>(std::bit_ceil(static_cast<std::uint64_t>(few)))));
    r.groups = static_cast<int>(r.block) / r.lanes;
  } else {
    const bool in_few = blocks == 1 && few <= kFewThreads;
    r.block = static_cast<unsigned>(ceil_div(ceil_div(in_few ? few : threads, blocks), kWarp) * kWarp);
    r.lanes = blocks * static_cast<int>(r.block);
    r.groups = blocks == 1 ? std::max((r.lanes == kFewThreads ? kFewGroupThreads : kGroupThreads) / r.lanes, 1) : 1;
    r.block *= static_cast<unsigned>(r.groups);
  }
  r.units = static_cast<int>(ceil_div(r.units_of_row, r.lanes));
  return r;
}

// Rows that begin anywhere and have fewer units than kUnitsAhead have a program of their own: several in flight cost them more than they gain, measured on an
// H100 at 5 to 31 columns.
constexpr int kShortRows = kAnyRows + 1;
constexpr std::int64_t kUnitsAhead = 5;

// Plans rows that are held by a block (blocks = 1) or a cluster. lean: half as many rows side by side in a block.
template <class Op>
Result<void> plan_resident(const PlanRequest& request, PlanBuilder& builder, int blocks, bool lean = false) {
  constexpr std::int64_t kMostTerms = 256, kMostTermsOfGroups = 128, kMostStages = 4;
  const auto& d = *static_cast<const typename Op::Descriptor*>(request.descriptor);
  const Problem problem = problem_of(d);
  auto r = backward_rows(problem, blocks, d.from_output);
  if (!r) return r.take_error();
  if (blocks > 1 && d.from_output) return fail(ADJ_ERROR_UNSUPPORTED, "works from the input of the forward operator, from_output = 1");
  if (lean) {
    if (r->groups < 2) return fail(ADJ_ERROR_UNSUPPORTED, "takes rows that lie side by side in a block, columns = {}", problem.columns);
    r->block = r->block / static_cast<unsigned>(r->groups) * static_cast<unsigned>(r->groups / 2);
    r->groups /= 2;
  }
  P p = params_of<Op>(d);
  const std::int64_t blocks_at_once = std::min<std::int64_t>(8, kMostThreads / static_cast<int>(r->block));
  p.lanes = r->lanes;
  p.units_of_thread = r->units;
  p.pitch = r->units_of_row * r->unit;
  // Clusters of four and more blocks leave some multiprocessors idle, since the device has them in groups of 16 and 18.
  const std::int64_t multiprocessors = blocks > 2 ? kMultiprocessors / 16 * 16 : kMultiprocessors;
  const std::int64_t at_once = std::min(multiprocessors * blocks_at_once, request.device->grid_limit) / blocks;
  p.splits = splits_for(ceil_div(p.rows, r->groups), at_once, r->groups > 1 ? kMostTermsOfGroups : kMostTerms);
  if (p.splits > kMostBlocks / blocks) return fail(ADJ_ERROR_UNSUPPORTED, "takes at most {} splits of rows, rows = {}", kMostBlocks / blocks, p.rows);
  // Sizes in pieces of 16 bytes of a thread. row: a row with its statistics; row_and_residual: with dresidual as well; weights: gamma, from Y
  // also beta and 1 / gamma. The ring gets the rest of a block's share of shared memory.
  const std::int64_t unit_pieces =
      static_cast<std::int64_t>(r->unit) * (size_of(d.from_output ? problem.output : problem.element) + size_of(problem.output)) / kWords;
  const std::int64_t row = unit_pieces * r->units + 1, row_and_residual = row + std::int64_t{r->unit} * r->units * size_of(problem.element) / kWords;
  const std::int64_t weights = std::int64_t{r->unit} * r->units * size_of(problem.stats) / kWords * (d.from_output ? 3 : 1);
  const std::int64_t weight_bytes = weights * kWords * std::max(r->lanes / blocks, static_cast<int>(kWarp));
  const std::int64_t share = (std::int64_t{request.device->shared_optin} + kBlockReserved) / blocks_at_once - kBlockReserved - kStaticShared;
  // Rows that begin anywhere have no statistics there, but a word more for each unit of the lanes of a warp that share a row.
  const std::int64_t unaligned_row = ceil_div((row_and_residual - 1) * (kWarp + kWarp / std::min<std::int64_t>(r->lanes, kWarp)), kWarp);
  p.pipeline =
      static_cast<int>(std::max({row_and_residual, unaligned_row, std::min(kMostStages * row, (share - weight_bytes) / (std::int64_t{r->block} * kWords))}));
  const auto shared = static_cast<std::uint32_t>(r->block * p.pipeline * kWords + weight_bytes);
  ADJ_TRY(check_shared(*request.device, shared + kStaticShared));
  auto partials = book_partials<Op>(d, p, builder);
  if (!partials) return partials.take_error();
  const Program program = d.from_output ? kFromOutput : kFromInput;
  const bool whole = p.columns % r->unit == 0;
  {
    const int any = blocks == 1 && r->units_of_row < kUnitsAhead ? kShortRows : int{kAnyRows};
    auto kernel = builder.kernel({program, whole ? kWholeRows : any}, p.splits * blocks, r->block);
    if (whole) kernel.when_unaligned({program, any}, {Op::kDout, d.from_output ? Op::kOut : Op::kInput, Op::kDinput, Op::kDresidual});
    bind_tensors<Op>(kernel, d, p);
    kernel.shared(shared);
    if (blocks > 1) kernel.cluster(static_cast<unsigned>(blocks));
    if (partials->wanted) kernel.workspace(offsetof(P, partials), partials->at);
  }
  add_finish<Op>(d, p, *partials, *request.device, builder);
  return {};
}

// Plans two reads of the rows: one for the sums of each row, one column by column.
template <class Op>
Result<void> plan_two_reads(const PlanRequest& request, PlanBuilder& builder) {
  constexpr std::int64_t kSumsBlock = 256, kColumnsBlock = 128, kBlocksAtOnce = 16, kMostTerms = 256, kMostSplits = 65535;
  const auto& d = *static_cast<const typename Op::Descriptor*>(request.descriptor);
  const Problem problem = problem_of(d);
  P p = params_of<Op>(d);
  const std::int64_t size = size_of(problem.stats), unit = size == 8 ? 2 : 8, tiles = ceil_div(p.columns, kColumnsBlock * unit);
  p.pieces = static_cast<int>(std::min<std::int64_t>(ceil_div(p.columns, kNormPiece), std::numeric_limits<int>::max()));
  if (tiles > kMostBlocks) return fail(ADJ_ERROR_UNSUPPORTED, "takes at most {} columns, columns = {}", kMostBlocks * kColumnsBlock * unit, p.columns);
  p.pitch = ceil_div(p.columns, unit) * unit;
  p.splits = splits_for(p.rows, ceil_div(std::min(kMultiprocessors * kBlocksAtOnce, request.device->grid_limit), tiles), kMostTerms);
  if (p.splits > kMostSplits) return fail(ADJ_ERROR_UNSUPPORTED, "takes at most {} rows, rows = {}", kMostSplits * kMostTerms, p.rows);
  const std::uint64_t sums = builder.book(static_cast<std::uint64_t>(2 * size * p.rows * p.pieces));
  auto partials = book_partials<Op>(d, p, builder);
  if (!partials) return partials.take_error();
  const bool whole = p.columns % unit == 0;
  auto add = [&](Program program, std::int64_t grid, unsigned block, std::int64_t grid_y) {
    auto kernel = builder.kernel({program, whole ? kWholeRows : kAnyRows}, grid, block, grid_y);
    std::vector<int> arguments{Op::kDout, d.from_output ? Op::kOut : Op::kInput, Op::kGamma, Op::kDresidual, Op::kDinput};
    if constexpr (Op::centred)
      if (d.from_output) arguments.push_back(layer_norm_backward_tables::kBeta);
    if (whole) kernel.when_unaligned({program, kAnyRows}, arguments);
    bind_tensors<Op>(kernel, d, p);
    kernel.workspace(offsetof(P, row_sums), sums);
    return kernel;
  };
  add(kRowSums, strided_grid(*request.device, p.rows * p.pieces), kSumsBlock, 1);
  {
    auto kernel = add(kColumnSums, tiles, kColumnsBlock, p.splits);
    kernel.early(*request.device);
    if (partials->wanted) kernel.workspace(offsetof(P, partials), partials->at);
  }
  add_finish<Op>(d, p, *partials, *request.device, builder);
  return {};
}

enum class Form { row, row_lean, cluster, cluster_lean, two_reads, host };
template <class Op, Form form>
Result<void> finish(const PlanRequest& request, PlanBuilder& builder) {
  const auto& d = *static_cast<const typename Op::Descriptor*>(request.descriptor);
  const Problem p = problem_of(d);
  if (p.columns == 0) return {};
  if constexpr (form == Form::host) {
    if constexpr (Op::centred) builder.host(host_call<typename Op::Descriptor, typename Op::Args, host::layer_norm_backward>);
    else builder.host(host_call<typename Op::Descriptor, typename Op::Args, host::rms_norm_backward>);
    return {};
  }
  if (p.rows == 0) {
    if (d.write_mode == ADJ_WRITE_ACCUMULATE) return {};
    if (d.has_dgamma) builder.clear_output(Op::kDgamma);
    if constexpr (Op::centred)
      if (d.has_dbeta) builder.clear_output(layer_norm_backward_tables::kDbeta);
    return {};
  }
  if constexpr (form == Form::row || form == Form::row_lean) return plan_resident<Op>(request, builder, 1, form == Form::row_lean);
  if constexpr (form == Form::two_reads) return plan_two_reads<Op>(request, builder);
  constexpr int kMostOfCluster = 8;
  int blocks = 2;
  while (blocks < kMostOfCluster && !backward_rows(p, blocks, false)) blocks *= 2;
  if (form == Form::cluster_lean && (blocks *= 2) > kMostOfCluster)
    return fail(ADJ_ERROR_UNSUPPORTED, "takes rows that {} blocks hold, columns = {}", kMostOfCluster / 2, p.columns);
  return plan_resident<Op>(request, builder, blocks);
}

// A sum over a row has at most 60 additions in its longest chain, a sum over rows at most 400 in the type of the arithmetic.
adj_guarantee guarantee(const Signature& s) {
  if (s[0] == ADJ_F64) return make_guarantee(ADJ_SHAPE_ONLY, ADJ_MATH_IEEE, ADJ_F64, 0.51, 1e-13);
  return make_guarantee(ADJ_SHAPE_ONLY, ADJ_MATH_IEEE, ADJ_F32, 0.51, 0x1p-15, 0x1p-126);
}
adj_guarantee host_guarantee(const Signature&) { return make_guarantee(ADJ_SHAPE_ONLY, ADJ_MATH_IEEE, ADJ_F64, 0.5, 1e-13); }

template <class Op>
const std::vector<Variant>& variants() {
  const Variant row{
      .algorithm = "row",
      .summary = "threads of a block hold a row in registers, and their columns' sums over a split of the rows",
      .programs =
          {{"norm/backward_row.cu", "norm_backward_row", "ADJ_S={0} ADJ_G={1} ADJ_O={0} ADJ_INVERTED=0 ADJ_CLUSTER=0", {kFromInput, kWholeRows}},
           {"norm/backward_row_ahead.cu", "norm_backward_row_ahead", "ADJ_S={0} ADJ_G={1} ADJ_O={0} ADJ_INVERTED=0 ADJ_CLUSTER=0", {kFromInput, kAnyRows}},
           {"norm/backward_row_any.cu", "norm_backward_row_any", "ADJ_S={0} ADJ_G={1} ADJ_O={0} ADJ_INVERTED=0 ADJ_CLUSTER=0", {kFromInput, kShortRows}},
           {"norm/backward_row.cu", "norm_backward_row_inverted", "ADJ_S={1} ADJ_G={1} ADJ_O={0} ADJ_INVERTED=1 ADJ_CLUSTER=0", {kFromOutput, kWholeRows}},
           {"norm/backward_row_ahead.cu",
            "norm_backward_row_inverted_ahead",
            "ADJ_S={1} ADJ_G={1} ADJ_O={0} ADJ_INVERTED=1 ADJ_CLUSTER=0",
            {kFromOutput, kAnyRows}},
           {"norm/backward_row_any.cu",
            "norm_backward_row_inverted_any",
            "ADJ_S={1} ADJ_G={1} ADJ_O={0} ADJ_INVERTED=1 ADJ_CLUSTER=0",
            {kFromOutput, kShortRows}},
           {"norm/finish.cu", "norm_finish", "ADJ_A={a}", kFinish}},
      .guarantee = guarantee,
      .outputs = {{Op::kDinput, ADJ_BATCH_INVARIANT}},
      .finish = finish<Op, Form::row>};
  const Variant cluster{.algorithm = "row_cluster",
                        .summary = "a cluster of blocks holds a row in registers, and its columns' sums over a split of the rows",
                        .min_cc = 90,
                        .programs = {{"norm/backward_row.cu",
                                      "norm_backward_row_cluster",
                                      "ADJ_S={0} ADJ_G={1} ADJ_O={0} ADJ_INVERTED=0 ADJ_CLUSTER=1",
                                      {kFromInput, kWholeRows}},
                                     {"norm/backward_row_ahead.cu",
                                      "norm_backward_row_cluster_ahead",
                                      "ADJ_S={0} ADJ_G={1} ADJ_O={0} ADJ_INVERTED=0 ADJ_CLUSTER=1",
                                      {kFromInput, kAnyRows}},
                                     {"norm/finish.cu", "norm_finish", "ADJ_A={a}", kFinish}},
                        .guarantee = guarantee,
                        .outputs = {{Op::kDinput, ADJ_BATCH_INVARIANT}},
                        .accepts = [](const Signature& s) { return s[0] == s[1]; },
                        .finish = finish<Op, Form::cluster>};
  // The same programs with another layout.
  auto lean = [](Variant of, const char* algorithm, const char* summary, FinishFunction finish) {
    of.algorithm = algorithm;
    of.summary = summary;
    of.finish = finish;
    return of;
  };
  static const auto* list = new std::vector<Variant>{
      row,
      lean(row, "row_lean", "as row, with half as many rows side by side, where shared memory holds no more", finish<Op, Form::row_lean>),
      cluster,
      lean(cluster, "row_cluster_lean", "as row_cluster, with twice as many blocks, where their shared memory holds less", finish<Op, Form::cluster_lean>),
      {.algorithm = "two_reads",
       .summary = "rows of any length are read for their sums and again column by column",
       .programs = {{"norm/backward_sums.cu", "norm_backward_sums", "ADJ_A={a} ADJ_WORDS=1", {kRowSums, kWholeRows}},
                    {"norm/backward_sums.cu", "norm_backward_sums_any", "ADJ_A={a} ADJ_WORDS=0", {kRowSums, kAnyRows}},
                    {"norm/backward_columns.cu", "norm_backward_columns", "ADJ_A={a} ADJ_WORDS=1", {kColumnSums, kWholeRows}},
                    {"norm/backward_columns.cu", "norm_backward_columns_any", "ADJ_A={a} ADJ_WORDS=0", {kColumnSums, kAnyRows}},
                    {"norm/finish.cu", "norm_finish", "ADJ_A={a}", kFinish}},
       .guarantee = guarantee,
       .outputs = {{Op::kDinput, ADJ_BATCH_INVARIANT}},
       .finish = finish<Op, Form::two_reads>},
      host_row(host_guarantee, finish<Op, Form::host>)};
  return *list;
}

template <class Op>
OpRules rules_of(std::span<const OnnxBinding> onnx) {
  return {.signatures = signatures(),
          .signature_columns = "element, output",
          .variants = variants<Op>(),
          .onnx = onnx,
          .validate = validate<Op>,
          .signature = signature_of<typename Op::Descriptor>};
}

bool describe_inverted(std::span<const adj_dtype> types, void* descriptor) {
  if (!describe<Layer::Descriptor>(types, descriptor)) return false;
  static_cast<Layer::Descriptor*>(descriptor)->from_output = 1;
  return true;
}
constexpr OnnxBinding kLayerOnnx[] = {{"ms", "LayerNormalizationGrad", describe<Layer::Descriptor>},
                                      {"ms", "InvertibleLayerNormalizationGrad", describe_inverted}};
constexpr OnnxBinding kRmsOnnx[] = {{"ms", "SimplifiedLayerNormalizationGrad", describe<Rms::Descriptor>}};

}  // namespace

const OpInfo& info_layer_norm_backward() {
  static const OpInfo info = op_info(layer_norm_backward_tables::base_info(), rules_of<Layer>(kLayerOnnx));
  return info;
}
const OpInfo& info_rms_norm_backward() {
  static const OpInfo info = op_info(rms_norm_backward_tables::base_info(), rules_of<Rms>(kRmsOnnx));
  return info;
}

}  // namespace adj
