// Planning of div_backward: both gradients of a division, and the sums over what was broadcast.
#include <bit>

#include "host/elementwise.hpp"
#include "kernels/elementwise/params.h"
#include "ops/common/column_sum.hpp"
#include "ops/common/shapes.hpp"
#include "ops/elementwise.gen.hpp"

namespace adj {

namespace {

using namespace div_backward_tables;

enum Program : int { kVectors, kSums, kColumns };

std::int64_t rank_of(const Descriptor& d) { return std::max(d.a_shape.rank, d.b_shape.rank); }
// Extent of an operand in dimension i of the broadcast shape; 1 when the operand has no such dimension.
std::int64_t dim(const adj_shape& shape, std::int64_t rank, std::int64_t i) {
  const std::int64_t own = i - (rank - shape.rank);
  return own < 0 ? 1 : shape.dims[own];
}
std::vector<std::int64_t> broadcast(const Descriptor& d) {
  std::vector<std::int64_t> dims;
  for (std::int64_t i = 0; i < rank_of(d); ++i) {
    const std::int64_t a = dim(d.a_shape, rank_of(d), i), b = dim(d.b_shape, rank_of(d), i);
    dims.push_back(a == 1 ? b : a);
  }
  return dims;
}

Result<void> validate(const void* descriptor) {
  const auto& d = *static_cast<const Descriptor*>(descriptor);
  adj_shape both{rank_of(d), {}};
  for (std::int64_t i = 0; i < both.rank; ++i) {
    const std::int64_t a = dim(d.a_shape, both.rank, i), b = dim(d.b_shape, both.rank, i);
    if (a != b && a != 1 && b != 1)
      return fail(ADJ_ERROR_INVALID_PROBLEM, "{}: a_shape [{}] and b_shape [{}] cannot be broadcast: {} against {} in dimension {} from the last", kName,
                  fmt::join(dims_of(d.a_shape), ", "), fmt::join(dims_of(d.b_shape), ", "), a, b, both.rank - i);
    both.dims[i] = a == 1 ? b : a;
  }
  return check_volume_beside_zeros(kName, "the broadcast shape", dims_of(both));
}

// Dimension of the broadcast shape with the strides of dout and the operands. Neighbours are merged when both operands have both, or both lack
// them.
struct Axis {
  std::int64_t dim = 1, dout = 0, a = 0, b = 0;
  bool in_a = true, in_b = true;
};
std::vector<Axis> axes_of(const Descriptor& d) {
  const std::int64_t rank = rank_of(d);
  std::vector<Axis> axes;  // from the innermost on
  std::int64_t stride = 1, stride_a = 1, stride_b = 1;
  for (std::int64_t i = rank - 1; i >= 0; --i) {
    const std::int64_t a = dim(d.a_shape, rank, i), b = dim(d.b_shape, rank, i), n = a == 1 ? b : a;
    if (n == 1) continue;
    const Axis axis{n, stride, a == 1 ? 0 : stride_a, b == 1 ? 0 : stride_b, a != 1, b != 1};
    if (!axes.empty() && axes.back().in_a == axis.in_a && axes.back().in_b == axis.in_b) axes.back().dim *= n;
    else axes.push_back(axis);
    stride *= n;
    stride_a *= a;
    stride_b *= b;
  }
  std::reverse(axes.begin(), axes.end());
  return axes;
}
void append(DivAxes& to, const Axis& axis) {
  const int k = to.rank++;
  to.dims[k] = axis.dim;
  to.dout[k] = axis.dout;
  to.a[k] = axis.a;
  to.b[k] = axis.b;
}

// Plans the gradient of one operand as sums. The addends are cut into splits when there are too few blocks otherwise.
Result<void> plan_sum(const Descriptor& d, const Device& device, const std::vector<Axis>& axes, bool of_b, PlanBuilder& builder) {
  constexpr std::int64_t kBlocks = 512, kLeastOfThread = 8, kMostSplits = 65535;
  DivSumParams p{};
  p.output_count = p.reduced_count = 1;
  std::int64_t innermost_outputs = 1;
  for (const Axis& axis : axes) {
    const bool own = of_b ? axis.in_b : axis.in_a;
    append(own ? p.outputs : p.reduced, axis);
    (own ? p.output_count : p.reduced_count) *= axis.dim;
    if (own) innermost_outputs = axis.dim;
  }
  if (p.output_count == 0) return {};
  p.of_b = of_b;
  p.neighbours_add = !axes.empty() && !(of_b ? axes.back().in_b : axes.back().in_a);
  // Threads that share an output. When addends are neighbours in memory, neighbouring threads share one; else outputs lie side by side first, and
  // the threads that are left share them.
  const auto shared_by = [](std::int64_t addends) { return std::bit_floor(static_cast<std::uint64_t>(std::clamp<std::int64_t>(addends, 1, kDivThreads))); };
  if (p.neighbours_add) {
    p.across = kDivThreads / static_cast<int>(shared_by(p.reduced_count));
  } else {
    const std::uint64_t wide = std::bit_ceil(static_cast<std::uint64_t>(std::clamp<std::int64_t>(innermost_outputs, 1, kDivThreads)));
    const std::uint64_t deep = std::min<std::uint64_t>(shared_by(p.reduced_count), std::max<std::uint64_t>(kDivThreads / wide, p.reduced_count > 1 ? 8 : 1));
    p.across = kDivThreads / static_cast<int>(deep);
  }
  const std::int64_t blocks = ceil_div(p.output_count, p.across), deep = kDivThreads / p.across;
  const std::int64_t splits =
      std::clamp<std::int64_t>(std::min(kBlocks / std::min(blocks, kBlocks), ceil_div(p.reduced_count, deep * kLeastOfThread)), 1, kMostSplits);
  p.addends_of_split = ceil_div(std::max<std::int64_t>(p.reduced_count, 1), splits);
  const std::int64_t used = ceil_div(std::max<std::int64_t>(p.reduced_count, 1), p.addends_of_split);
  p.partial = used > 1;
  const adj_dtype acc = accumulator_of(d.element);
  const std::uint64_t partials = p.partial ? builder.book(column_sum_bytes(1, used, p.output_count, acc)) : 0;
  const int argument = of_b ? kDb : kDa;
  {
    auto kernel = builder.kernel(kSums, strided_grid(device, blocks), kDivThreads, used);
    kernel.params(p).tensor(offsetof(DivSumParams, dout), kDout).tensor(offsetof(DivSumParams, b), kB);
    if (of_b) kernel.tensor(offsetof(DivSumParams, a), kA);
    if (p.partial) kernel.workspace(offsetof(DivSumParams, out), partials);
    else kernel.tensor(offsetof(DivSumParams, out), argument);
  }
  if (!p.partial) return {};
  const int results[] = {argument};
  return add_column_sum(builder, partials, used, p.output_count, results);
}

// True when one operand is a row that repeats. plan_columns then makes both gradients in one pass.
bool is_row_that_repeats(const std::vector<Axis>& axes) {
  return axes.size() == 2 && axes[1].in_a && axes[1].in_b && axes[0].in_a != axes[0].in_b && axes[0].dim > 0 && axes[1].dim > 0;
}
Result<void> plan_columns(const Descriptor& d, const std::vector<Axis>& axes, PlanBuilder& builder) {
  constexpr std::int64_t kBlocks = 1024, kLeastOfThread = 4, kMostOfThread = 1024, kMostSplits = 65535;
  const bool of_a = !axes[0].in_a, sums = !(of_a ? d.skip_da : d.skip_db), writes = !(of_a ? d.skip_db : d.skip_da);
  const std::int64_t rows = axes[0].dim, columns = axes[1].dim, vector = 16 / size_of(d.element);
  const ColumnSplits s = split_rows(rows, ceil_div(columns, vector), kDivThreads, kBlocks, kLeastOfThread, kMostOfThread);
  if (s.tiles > kMostBlocks) return fail(ADJ_ERROR_UNSUPPORTED, "has at most {} blocks, the row of {} elements takes more", kMostBlocks, columns);
  DivColumnsParams p{};
  p.rows = rows;
  p.columns = columns;
  p.rows_of_split = std::max(s.rows_of_split, ceil_div(rows, kMostSplits));
  p.width = s.width;
  p.depth = s.depth;
  p.of_a = of_a;
  p.wants_b = !d.skip_db;
  const std::int64_t splits = ceil_div(rows, p.rows_of_split);
  const adj_dtype acc = accumulator_of(d.element);
  const std::uint64_t partials = sums ? builder.book(column_sum_bytes(1, splits, columns, acc)) : 0;
  const bool whole = columns % vector == 0;
  {
    auto kernel = builder.kernel({kColumns, whole ? kWholeRows : kAnyRows}, s.tiles, kDivThreads, splits);
    kernel.params(p).tensor(offsetof(DivColumnsParams, dout), kDout);
    if (of_a || !d.skip_db) kernel.tensor(offsetof(DivColumnsParams, other), of_a ? kB : kA);
    if (!of_a || !d.skip_db) kernel.tensor(offsetof(DivColumnsParams, repeated), of_a ? kA : kB);
    std::vector<int> arguments{kDout, kB};
    if (!d.skip_db) arguments.push_back(kA);
    if (writes) {
      kernel.tensor(offsetof(DivColumnsParams, gradient), of_a ? kDb : kDa);
      arguments.push_back(of_a ? kDb : kDa);
    }
    if (sums) kernel.workspace(offsetof(DivColumnsParams, partials), partials);
    if (whole) kernel.when_unaligned({kColumns, kAnyRows}, arguments);
  }
  if (!sums) return {};
  const int results[] = {of_a ? kDa : kDb};
  return add_column_sum(builder, partials, splits, columns, results);
}

Result<void> finish(const PlanRequest& request, PlanBuilder& builder) {
  const auto& d = *static_cast<const Descriptor*>(request.descriptor);
  if (!request.device) {
    builder.host(host_call<Descriptor, Args, host::div_backward>);
    return {};
  }
  const std::vector<Axis> axes = axes_of(d);
  if (is_row_that_repeats(axes)) return plan_columns(d, axes, builder);
  if (std::any_of(axes.begin(), axes.end(), [](const Axis& axis) { return !axis.in_a || !axis.in_b; })) {
    if (!d.skip_da) ADJ_TRY(plan_sum(d, *request.device, axes, false, builder));
    if (!d.skip_db) ADJ_TRY(plan_sum(d, *request.device, axes, true, builder));
    return {};
  }
  DivParams p{};
  p.count = volume_of(broadcast(d));
  if (p.count == 0) return {};
  const std::int64_t blocks = ceil_div(p.count, std::int64_t{16 / size_of(d.element)} * kDivThreads);
  auto kernel = builder.kernel(kVectors, strided_grid(*request.device, blocks), kDivThreads);
  kernel.params(p).tensor(offsetof(DivParams, dout), kDout).tensor(offsetof(DivParams, b), kB);
  if (!d.skip_da) kernel.tensor(offsetof(DivParams, da), kDa);
  if (!d.skip_db) kernel.tensor(offsetof(DivParams, a), kA).tensor(offsetof(DivParams, db), kDb);
  return {};
}

// Roundings: three operations for an addend, then a sum in f64 and one rounding of each partial sum.
adj_guarantee guarantee(const Signature& s) { return make_guarantee(ADJ_SHAPE_ONLY, ADJ_MATH_IEEE, ADJ_F64, 0.51, s[0] == ADJ_F64 ? 1e-13 : 0x1p-21); }
adj_guarantee host_guarantee(const Signature&) { return make_guarantee(ADJ_SHAPE_ONLY, ADJ_MATH_IEEE, ADJ_F64, 0.5, 1e-13); }
bool is_f64(const Signature& s) { return s[0] == ADJ_F64; }
bool is_not_f64(const Signature& s) { return s[0] != ADJ_F64; }

const std::vector<Variant>& variants() {
#define ADJ_DIV .algorithm = "sums", .summary = "vectors of one shape, or sums over what repeats"
#define ADJ_DIV_PROGRAMS(acc)                                                                                                                        \
  {"elementwise/div.cu", "div_backward", "ADJ_T={0}", kVectors}, {"elementwise/div_sum.cu", "div_backward_sum", "ADJ_T={0}", kSums},                 \
      ADJ_COLUMN_SUM_PROGRAM(acc, "{0}"), {"elementwise/div_columns.cu", "div_backward_columns", "ADJ_T={0} ADJ_ALIGNED=0", {kColumns, kAnyRows}}, { \
    "elementwise/div_columns.cu", "div_backward_columns_whole", "ADJ_T={0} ADJ_ALIGNED=1", { kColumns, kWholeRows }                                  \
  }
  static const auto* list = new std::vector<Variant>{{ADJ_DIV, .programs = {ADJ_DIV_PROGRAMS("f32")}, .guarantee = guarantee, .accepts = is_not_f64},
                                                     {ADJ_DIV, .programs = {ADJ_DIV_PROGRAMS("f64")}, .guarantee = guarantee, .accepts = is_f64},
                                                     host_row(host_guarantee)};
#undef ADJ_DIV_PROGRAMS
#undef ADJ_DIV
  return *list;
}

bool describe(std::span<const adj_dtype> types, void* descriptor) {
  if (types.size() != 1) return false;
  auto& d = *static_cast<Descriptor*>(descriptor);
  d.a_shape = {2, {4, 8}};
  d.b_shape = {1, {8}};
  d.element = types[0];
  return true;
}
constexpr OnnxBinding kOnnx[] = {{"ms", "DivGrad", describe}};

}  // namespace

const OpInfo& info_div_backward() {
  static const OpInfo info = op_info(base_info(), {.signatures = float_signatures(),
                                                   .signature_columns = "element",
                                                   .variants = variants(),
                                                   .onnx = kOnnx,
                                                   .validate = validate,
                                                   .signature = element_signature<Descriptor>,
                                                   .finish = finish});
  return info;
}

}  // namespace adj
