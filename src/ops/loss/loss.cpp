// Planning of softmax_cross_entropy_loss and its gradient.
#include <adjoint/ops/loss.h>

#include "host/loss.hpp"
#include "ops/common/divide.hpp"
#include "ops/loss/sums.hpp"
#include "ops/loss.gen.hpp"

namespace adj {

namespace {

// Kernels of a row of the table. Only `rows` has a program for rows that all begin and end on 16-byte boundaries; the others take any.
enum class Kernels { rows, rows_f64, strided };

constexpr int kWarp = 32;
// Longest row of the row kernels. They count columns in 32 bits, with room for the strides of their loops.
constexpr std::int64_t kMostColumns = std::int64_t{1} << 29;

template <class Descriptor>
Signature signature_of(const void* descriptor) {
  const auto& d = *static_cast<const Descriptor*>(descriptor);
  return {d.element, d.label, d.output ? d.output : d.element};
}
template <class Descriptor>
bool is_mean(const Descriptor& d) {
  return d.reduction == ADJ_REDUCTION_DEFAULT || d.reduction == ADJ_REDUCTION_MEAN;
}

template <class Descriptor>
LossLabelParams label_params(const Descriptor& d) {
  LossLabelParams p{};
  p.num_classes = d.num_classes;
  p.ignore_index = d.ignore_index;
  p.has_ignore_index = d.has_ignore_index;
  p.weight_dtype = d.weight;
  p.sample_weight_dtype = d.sample_weight;
  return p;
}

// Number of threads that share a row of `units` units, about four units each: a power of two up to `most`. The number depends on the row
// alone, and so does the order in which the row is added.
int threads_of_row(std::int64_t units, int most) {
  int threads = 1;
  while (threads < most && threads * 4 < units) threads *= 2;
  return threads;
}
int block_of_rows(int threads) { return threads > kWarp ? threads : 256; }

template <class Descriptor>
bool is_padded(const Descriptor& d) {
  return loss::padded_classes(d) != d.num_classes;
}
// Checks that the kernels for rows, or the strided ones, take a problem.
template <class Descriptor>
Result<void> check_variant(const Descriptor& d, bool by_row) {
  if (!by_row && is_padded(d)) return fail(ADJ_ERROR_UNSUPPORTED, "takes no padding, padded_classes = {}", d.padded_classes);
  if (!by_row) return {};
  if (d.inner != 1) return fail(ADJ_ERROR_UNSUPPORTED, "reads the classes of a sample side by side, inner = {}", d.inner);
  if (loss::padded_classes(d) > kMostColumns)
    return fail(ADJ_ERROR_UNSUPPORTED, "counts columns in 32 bits: num_classes = {} is above {}, with the padding", loss::padded_classes(d), kMostColumns);
  return {};
}

// Checks the number of blocks. The kernels have no loop over the grid: every sample needs its block.
Result<void> check_blocks(std::int64_t blocks) {
  if (blocks <= kMostBlocks) return {};
  return fail(ADJ_ERROR_UNSUPPORTED, "takes {} blocks, a grid holds {}", blocks, kMostBlocks);
}

// Sample for the ONNX registrations with types (T, Tind) or (T, Tind, TOut). Without an ignore_index, ONNX Runtime ignores the label -1.
template <class Descriptor, std::size_t count>
bool describe(std::span<const adj_dtype> types, void* descriptor) {
  if (types.size() != count) return false;
  auto& d = *static_cast<Descriptor*>(descriptor);
  d.batch = 4;
  d.num_classes = 8;
  d.element = types[0];
  d.label = types[1];
  if (count > 2) d.output = types[2];
  d.has_ignore_index = 1;
  d.ignore_index = -1;
  return true;
}

// Sample for the registrations with a weight for each sample, which have no ignore_index.
template <class Descriptor>
bool describe_sparse(std::span<const adj_dtype> types, void* descriptor) {
  if (!describe<Descriptor, 2>(types, descriptor)) return false;
  auto& d = *static_cast<Descriptor*>(descriptor);
  d.has_ignore_index = 0;
  d.ignore_index = 0;
  d.sample_weight = types[0];
  return true;
}

// ---- forward

namespace forward {

using namespace softmax_cross_entropy_loss_tables;
using P = LossForwardParams;

const std::vector<Signature>& signatures() {
  static const auto* list = [] {
    auto made = std::make_unique<std::vector<Signature>>();
    for (adj_dtype element : {ADJ_F32, ADJ_F64, ADJ_F16, ADJ_BF16})
      for (adj_dtype label : {ADJ_I32, ADJ_I64}) {
        made->push_back({element, label, element});
        if (is_16bit_float(element)) made->push_back({element, label, ADJ_F32});
      }
    return made.release();
  }();
  return *list;
}

// Distribution of the samples over blocks. `totals`: pairs (loss, weight) that the main kernel stores for the final sum.
struct Geometry {
  std::int64_t blocks = 0, totals = 0;
  unsigned block = 0;
  int group = 0;
};
Geometry rows(const Descriptor& d) {
  Geometry g;
  g.group = threads_of_row(ceil_div(d.num_classes, 16 / size_of(d.element)), 512);
  g.block = static_cast<unsigned>(block_of_rows(g.group));
  g.blocks = ceil_div(d.batch, static_cast<int>(g.block) / g.group);
  g.totals = g.group > kWarp ? d.batch : g.blocks * (static_cast<int>(g.block) / kWarp);
  return g;
}
Geometry columns(const Descriptor& d) {
  constexpr int kManyClasses = 64;  // from here on eight threads share a sample
  Geometry g;
  g.block = 256;
  g.group = d.num_classes >= kManyClasses ? kWarp : 256;
  g.blocks = ceil_div(d.batch * d.inner, g.group);
  g.totals = g.blocks * (g.group / kWarp);
  return g;
}

template <Kernels kernels>
Result<void> plan(const Descriptor& d, const Device& device, PlanBuilder& builder) {
  constexpr bool by_row = kernels != Kernels::strided;
  const std::int64_t samples = d.batch * d.inner;
  const bool reduced = d.reduction != ADJ_REDUCTION_NONE;
  std::int64_t totals = 0;
  std::uint64_t totals_at = 0;
  if (samples > 0) {
    ADJ_TRY(check_variant(d, by_row));
    const Geometry g = by_row ? rows(d) : columns(d);
    P p{};
    p.label = label_params(d);
    p.samples = samples;
    p.inner = d.inner;
    p.padded_classes = loss::padded_classes(d);
    p.by_inner = divide_below_2_59(d.inner);
    p.group = g.group;
    if (reduced) {
      totals = g.totals;
      totals_at = builder.book(static_cast<std::uint64_t>(totals) * 2 * sizeof(double));
    }
    ADJ_TRY(check_blocks(g.blocks));
    const bool whole = kernels == Kernels::rows && p.padded_classes % (16 / size_of(d.element)) == 0;
    auto kernel = builder.kernel({kMain, whole ? kWholeRows : kAnyRows}, g.blocks, g.block);
    if (whole) kernel.when_unaligned({kMain, kAnyRows}, {kScores, kLogProb});
    kernel.params(p)
        .tensor(offsetof(P, scores), kScores)
        .tensor(offsetof(P, log_prob), kLogProb)
        .tensor(offsetof(P, lse), kLse)
        .tensor(offsetof(P, label) + offsetof(LossLabelParams, labels), kLabels)
        .tensor(offsetof(P, label) + offsetof(LossLabelParams, weight), kWeight)
        .tensor(offsetof(P, label) + offsetof(LossLabelParams, sample_weight), kSampleWeight)
        .tensor(offsetof(P, label) + offsetof(LossLabelParams, error_flag), kErrorFlag);
    if (reduced) kernel.workspace(offsetof(P, totals), totals_at);
    else kernel.tensor(offsetof(P, loss), kLoss);
  }
  if (!reduced) return {};

  loss::plan_total(builder, device, false, totals_at, totals, is_mean(d), d.nan_when_empty, kLoss);
  return {};
}

template <Kernels kernels>
Result<void> finish(const PlanRequest& request, PlanBuilder& builder) {
  const auto& d = *static_cast<const Descriptor*>(request.descriptor);
  if (d.batch * d.inner == 0 && d.reduction == ADJ_REDUCTION_NONE) return {};
  return plan<kernels>(d, *request.device, builder);
}
Result<void> finish_host(const PlanRequest& request, PlanBuilder& builder) {
  const auto& d = *static_cast<const Descriptor*>(request.descriptor);
  if (d.batch * d.inner > 0 || d.reduction != ADJ_REDUCTION_NONE) builder.host(host_call<Descriptor, Args, host::softmax_cross_entropy_loss>);
  return {};
}

// An exponential has a relative error of 2^-22 * (1 + |its argument|). A sum has 2^-24 for every addition in its longest chain.
adj_guarantee guarantee(const Signature& s, double bound_terms) {
  if (s[0] == ADJ_F64) return make_guarantee(ADJ_SHAPE_ONLY, ADJ_MATH_IEEE, ADJ_F64, 0.51, 1e-13);
  return make_guarantee(ADJ_SHAPE_ONLY, ADJ_MATH_FAST, ADJ_F32, 0.51, bound_terms, 0x1p-118);
}
adj_guarantee row_guarantee(const Signature& s) { return guarantee(s, 0x1p-19); }
adj_guarantee strided_guarantee(const Signature& s) { return guarantee(s, 0x1p-18); }
adj_guarantee f64_guarantee(const Signature&) { return make_guarantee(ADJ_SHAPE_ONLY, ADJ_MATH_IEEE, ADJ_F64, 0.51, 1e-13); }
constexpr auto kAlone = loss::alone_without_reduction<Descriptor>;
adj_guarantee host_guarantee(const Signature&) { return make_guarantee(ADJ_SHAPE_ONLY, ADJ_MATH_IEEE, ADJ_F64, 0.5, 1e-13); }

const std::vector<Variant>& variants() {
  static const auto* list = new std::vector<Variant>{
      {.algorithm = "row_online",
       .summary = "one group of threads reads a row once, keeping a running maximum and sum",
       .programs = {{"loss/forward.cu", "softmax_cross_entropy_loss_row", "ADJ_T={0} ADJ_L={1} ADJ_O={2} ADJ_ALIGNED=1", {kMain, kWholeRows}},
                    {"loss/forward.cu", "softmax_cross_entropy_loss_row", "ADJ_T={0} ADJ_L={1} ADJ_O={2} ADJ_ALIGNED=0", {kMain, kAnyRows}},
                    ADJ_LOSS_TOTAL_PROGRAM("{2}")},
       .guarantee = row_guarantee,
       .guarantee_for = kAlone,
       .finish = finish<Kernels::rows>},
      {.algorithm = "strided",
       .summary = "one to eight threads walk the classes of a sample, neighbours take neighbouring samples",
       .programs = {{"loss/forward_strided.cu", "softmax_cross_entropy_loss_strided", "ADJ_T={0} ADJ_L={1} ADJ_O={2}", {kMain, kAnyRows}},
                    ADJ_LOSS_TOTAL_PROGRAM("{2}")},
       .guarantee = strided_guarantee,
       .guarantee_for = kAlone,
       .finish = finish<Kernels::strided>},
      {.algorithm = "row_f64",
       .summary = "as row_online, in f64 for every element type",
       .programs = {{"loss/forward.cu", "softmax_cross_entropy_loss_row_f64", "ADJ_T={0} ADJ_L={1} ADJ_O={2} ADJ_ALIGNED=0 ADJ_ACC_F64=1", {kMain, kAnyRows}},
                    ADJ_LOSS_TOTAL_PROGRAM("{2}")},
       .guarantee = f64_guarantee,
       .guarantee_for = kAlone,
       .accepts = loss::is_narrow,
       .finish = finish<Kernels::rows_f64>},
      {.algorithm = "strided_f64",
       .summary = "as strided, in f64 for every element type",
       .programs = {{"loss/forward_strided.cu", "softmax_cross_entropy_loss_strided_f64", "ADJ_T={0} ADJ_L={1} ADJ_O={2} ADJ_ACC_F64=1", {kMain, kAnyRows}},
                    ADJ_LOSS_TOTAL_PROGRAM("{2}")},
       .guarantee = f64_guarantee,
       .guarantee_for = kAlone,
       .accepts = loss::is_narrow,
       .finish = finish<Kernels::strided>},
      {.algorithm = "reference",
       .summary = "host memory",
       .backend = ADJ_BACKEND_HOST,
       .guarantee = host_guarantee,
       .guarantee_for = kAlone,
       .finish = finish_host}};
  return *list;
}

constexpr OnnxBinding kOnnx[] = {{"onnx", "SoftmaxCrossEntropyLoss", describe<Descriptor, 2>},
                                 {"ms", "SoftmaxCrossEntropyLossInternal", describe<Descriptor, 3>},
                                 {"onnx", "SparseSoftmaxCrossEntropy", describe_sparse<Descriptor>}};

}  // namespace forward

// ---- backward

namespace backward {

using namespace softmax_cross_entropy_loss_backward_tables;
using P = LossBackwardParams;

const std::vector<Signature>& signatures() {
  static const auto* list = [] {
    auto made = std::make_unique<std::vector<Signature>>();
    for (adj_dtype element : {ADJ_F32, ADJ_F64, ADJ_F16, ADJ_BF16})
      for (adj_dtype label : {ADJ_I32, ADJ_I64}) {
        made->push_back({element, label, element});
        if (element == ADJ_F32)
          for (adj_dtype output : {ADJ_F16, ADJ_BF16}) made->push_back({element, label, output});
      }
    return made.release();
  }();
  return *list;
}

template <Kernels kernels>
Result<void> plan(const Descriptor& d, const Device& device, PlanBuilder& builder) {
  constexpr bool by_row = kernels != Kernels::strided;
  ADJ_TRY(check_variant(d, by_row));
  constexpr int kBlock = 256;
  constexpr int kBlocksPerMultiprocessor = 4;
  const std::int64_t samples = d.batch * d.inner;
  P p{};
  p.label = label_params(d);
  p.samples = samples;
  p.inner = d.inner;
  p.padded_classes = loss::padded_classes(d);
  p.by_inner = divide_below_2_59(d.inner);
  p.dloss_per_sample = d.reduction == ADJ_REDUCTION_NONE;

  // Elements are independent. When the samples alone do not fill the device, the classes are spread over the second dimension of the grid,
  // as long as every thread keeps work.
  std::int64_t blocks = 0, slices = 0;
  unsigned block = kBlock;
  bool whole = false;
  if (by_row) {
    const int narrow = std::min(size_of(d.element), size_of(d.output ? d.output : d.element));
    const std::int64_t units = ceil_div(p.padded_classes, 16 / narrow);
    whole = kernels == Kernels::rows && p.padded_classes % (16 / narrow) == 0;
    p.group = threads_of_row(units, kBlock);
    block = static_cast<unsigned>(block_of_rows(p.group));
    blocks = ceil_div(samples, static_cast<int>(block) / p.group);
    slices = ceil_div(units, std::int64_t{4} * p.group);
  } else {
    constexpr int kClassesPerThread = 16;
    blocks = ceil_div(samples, kBlock);
    slices = ceil_div(d.num_classes, kClassesPerThread);
  }
  ADJ_TRY(check_blocks(blocks));
  const std::int64_t wanted = ceil_div(std::int64_t{device.multiprocessors} * kBlocksPerMultiprocessor * 2, blocks);
  slices = std::clamp<std::int64_t>(slices, 1, std::min<std::int64_t>(wanted, 65535));
  p.chunk = ceil_div(std::max<std::int64_t>(d.num_classes, 1), slices);

  std::uint64_t inverse_at = 0;
  if (is_mean(d)) inverse_at = loss::plan_normalizer(builder, device, p.label, samples, {kLabels, kWeight, kSampleWeight}).at;
  const int input = d.from_scores ? kScores : kLogProb;
  auto kernel = builder.kernel({kMain, whole ? kWholeRows : kAnyRows}, blocks, block, slices);
  if (whole) kernel.when_unaligned({kMain, kAnyRows}, {input, kBias, kDscores});
  kernel.params(p)
      .tensor(offsetof(P, input), input)
      .tensor(offsetof(P, dloss), kDloss)
      .tensor(offsetof(P, bias), kBias)
      .tensor(offsetof(P, dscores), kDscores)
      .tensor(offsetof(P, label) + offsetof(LossLabelParams, labels), kLabels)
      .tensor(offsetof(P, label) + offsetof(LossLabelParams, weight), kWeight)
      .tensor(offsetof(P, label) + offsetof(LossLabelParams, sample_weight), kSampleWeight)
      .tensor(offsetof(P, label) + offsetof(LossLabelParams, error_flag), kErrorFlag);
  if (d.from_scores) kernel.tensor(offsetof(P, lse), kLse);
  if (is_mean(d)) kernel.workspace(offsetof(P, inverse), inverse_at);
  return {};
}

template <Kernels kernels>
Result<void> finish(const PlanRequest& request, PlanBuilder& builder) {
  const auto& d = *static_cast<const Descriptor*>(request.descriptor);
  if (d.batch * d.inner == 0) return {};
  return plan<kernels>(d, *request.device, builder);
}
Result<void> finish_host(const PlanRequest& request, PlanBuilder& builder) {
  const auto& d = *static_cast<const Descriptor*>(request.descriptor);
  if (d.batch * d.inner > 0) builder.host(host_call<Descriptor, Args, host::softmax_cross_entropy_loss_backward>);
  return {};
}

// Errors of operations: as forward. Terms of an element: its factor * probability * (1 + |log-probability|), and its bias.
adj_guarantee guarantee(const Signature& s) {
  if (s[0] == ADJ_F64) return make_guarantee(ADJ_SHAPE_ONLY, ADJ_MATH_IEEE, ADJ_F64, 0.51, 1e-14);
  return make_guarantee(ADJ_SHAPE_ONLY, ADJ_MATH_FAST, ADJ_F32, 0.51, 0x1p-20, 0x1p-118);
}
adj_guarantee f64_guarantee(const Signature&) { return make_guarantee(ADJ_SHAPE_ONLY, ADJ_MATH_IEEE, ADJ_F64, 0.51, 1e-14); }
adj_guarantee host_guarantee(const Signature&) { return make_guarantee(ADJ_SHAPE_ONLY, ADJ_MATH_IEEE, ADJ_F64, 0.5, 1e-14); }
constexpr auto kAlone = loss::alone_without_mean<Descriptor>;

const std::vector<Variant>& variants() {
  static const auto* list = new std::vector<Variant>{
      {.algorithm = "row",
       .summary = "one group of threads writes a row, or a slice of one",
       .programs =
           {{"loss/backward.cu", "softmax_cross_entropy_loss_backward_row", "ADJ_T={0} ADJ_L={1} ADJ_O={2} ADJ_STRIDED=0 ADJ_ALIGNED=1", {kMain, kWholeRows}},
            {"loss/backward.cu", "softmax_cross_entropy_loss_backward_row", "ADJ_T={0} ADJ_L={1} ADJ_O={2} ADJ_STRIDED=0 ADJ_ALIGNED=0", {kMain, kAnyRows}},
            ADJ_LOSS_NORMALIZER_PROGRAM},
       .guarantee = guarantee,
       .guarantee_for = kAlone,
       .finish = finish<Kernels::rows>},
      {.algorithm = "strided",
       .summary = "one thread walks classes of a sample, neighbours take neighbouring samples",
       .programs = {{"loss/backward.cu", "softmax_cross_entropy_loss_backward_strided", "ADJ_T={0} ADJ_L={1} ADJ_O={2} ADJ_STRIDED=1", {kMain, kAnyRows}},
                    ADJ_LOSS_NORMALIZER_PROGRAM},
       .guarantee = guarantee,
       .guarantee_for = kAlone,
       .finish = finish<Kernels::strided>},
      {.algorithm = "row_f64",
       .summary = "as row, in f64 for every element type",
       .programs = {{"loss/backward.cu",
                     "softmax_cross_entropy_loss_backward_row_f64",
                     "ADJ_T={0} ADJ_L={1} ADJ_O={2} ADJ_STRIDED=0 ADJ_ALIGNED=0 ADJ_ACC_F64=1",
                     {kMain, kAnyRows}},
                    ADJ_LOSS_NORMALIZER_PROGRAM},
       .guarantee = f64_guarantee,
       .guarantee_for = kAlone,
       .accepts = loss::is_narrow,
       .finish = finish<Kernels::rows_f64>},
      {.algorithm = "strided_f64",
       .summary = "as strided, in f64 for every element type",
       .programs = {{"loss/backward.cu",
                     "softmax_cross_entropy_loss_backward_strided_f64",
                     "ADJ_T={0} ADJ_L={1} ADJ_O={2} ADJ_STRIDED=1 ADJ_ACC_F64=1",
                     {kMain, kAnyRows}},
                    ADJ_LOSS_NORMALIZER_PROGRAM},
       .guarantee = f64_guarantee,
       .guarantee_for = kAlone,
       .accepts = loss::is_narrow,
       .finish = finish<Kernels::strided>},
      {.algorithm = "reference",
       .summary = "host memory",
       .backend = ADJ_BACKEND_HOST,
       .guarantee = host_guarantee,
       .guarantee_for = kAlone,
       .finish = finish_host}};
  return *list;
}

constexpr OnnxBinding kOnnx[] = {{"ms", "SoftmaxCrossEntropyLossGrad", describe<Descriptor, 2>},
                                 {"ms", "SoftmaxCrossEntropyLossInternalGrad", describe<Descriptor, 3>},
                                 {"onnx", "SparseSoftmaxCrossEntropyGrad", describe_sparse<Descriptor>}};

}  // namespace backward

}  // namespace

const OpInfo& info_softmax_cross_entropy_loss() {
  using namespace forward;
  static const OpInfo info = op_info(
      base_info(), {.signatures = signatures(),
                    .signature_columns = "element, label, output",
                    .variants = variants(),
                    .onnx = kOnnx,
                    .signature = signature_of<Descriptor>,
                    .integers_below = [](const void* d, int argument) { return argument == kLabels ? static_cast<const Descriptor*>(d)->num_classes : 0; }});
  return info;
}

const OpInfo& info_softmax_cross_entropy_loss_backward() {
  using namespace backward;
  static const OpInfo info = op_info(
      base_info(), {.signatures = signatures(),
                    .signature_columns = "element, label, output",
                    .variants = variants(),
                    .onnx = kOnnx,
                    .signature = signature_of<Descriptor>,
                    .integers_below = [](const void* d, int argument) { return argument == kLabels ? static_cast<const Descriptor*>(d)->num_classes : 0; }});
  return info;
}

}  // namespace adj
