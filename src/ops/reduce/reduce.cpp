// Planning of reduce: over short rows, over parts of the terms, and in segments.
#include <adjoint/ops/reduce.h>

#include <bit>
#include <optional>

#include "kernels/reduce/params.h"
#include "host/reduce.hpp"
#include "ops/common/shapes.hpp"
#include "ops/reduce.gen.hpp"
#include "ops/common/tuning.hpp"

namespace adj {

namespace {

using namespace reduce_tables;
using P = ReduceParams;
constexpr std::int64_t kVectorBytes = 16;
constexpr int kWarp = 32;
// The shape alone decides how work is split. Rows that would take fewer than kFewBlocks blocks are split over about kBlocks blocks, each of
// at least kLeastBytes bytes. For columns see plan_columns.
constexpr std::int64_t kBlocks = 1152, kFewBlocks = 512, kLeastBytes = 8 << 10;
// Number of blocks of columns that run at once (a round).
constexpr std::int64_t kRound = 2 * tuning::kMultiprocessors;
// Most elements of a part of a row, so that offsets in it fit in 32 bits.
constexpr std::int64_t kMostOfPart = std::int64_t{1} << 30;
// Vectors of a thread of a row when there are many rows: as many as it has in flight. Of rows of at most kShort whole vectors, half as many: 83 us instead of
// 87 for 1 M rows of 64 f32 on an H200. Rows that are cut by vectors gain most by fewer threads: 1 M rows of 33 f32 92 us instead of 142.
constexpr std::int64_t kVectorsOfThread = kReduceTogether, kShort = 2 * kReduceTogether;
// Number of warps that keep a device busy.
constexpr std::int64_t kBusyWarps = 4096;
// Programs of the variants. The Partial programs reduce partial results, which have the type of the arithmetic; the Segment ones segments.
enum Program : int { kRows, kShortRows, kColumns, kPartialRows, kPartialColumns, kSegmentRows, kSegmentColumns };

unsigned reduced_mask(const Descriptor& d) {
  const unsigned all = (1u << d.shape.rank) - 1;
  if (d.axes.count == 0) return d.noop_with_empty_axes ? 0 : all;
  return *axes_mask(kName, "axes", d.axes, d.shape.rank);
}
adj_dtype output_of(const Descriptor& d) { return d.output ? d.output : d.element; }
adj_dtype arithmetic_of(adj_dtype element) { return element == ADJ_I32 ? ADJ_I32 : accumulator_of(element); }

bool has_segments(const Descriptor& d) { return d.segments >= 0; }
bool accumulates(const Descriptor& d) { return d.write_mode == ADJ_WRITE_ACCUMULATE; }
// The axis that is divided into segments, and the products of the extents before and behind it.
struct SegmentAxis {
  std::size_t axis;
  std::int64_t outer = 1, inner = 1;
};
SegmentAxis segment_axis(const Descriptor& d) {
  SegmentAxis s{static_cast<std::size_t>(d.axes.at[0] < 0 ? d.axes.at[0] + d.shape.rank : d.axes.at[0])};
  for (std::size_t i = 0; i < dims_of(d.shape).size(); ++i)
    if (i != s.axis) (i < s.axis ? s.outer : s.inner) *= d.shape.dims[i];
  return s;
}

Result<void> check_segments(const Descriptor& d) {
  if (!has_segments(d)) return {};
  if (d.axes.count != 1) return fail(ADJ_ERROR_INVALID_PROBLEM, "{}: segments need one axis, got axes.count = {}", kName, d.axes.count);
  const SegmentAxis s = segment_axis(d);
  return check_volume(kName, "output", {s.outer, d.segments, s.inner});
}

Result<void> validate(const void* descriptor) {
  const auto& d = *static_cast<const Descriptor*>(descriptor);
  if (auto mask = axes_mask(kName, "axes", d.axes, d.shape.rank); !mask) return mask.take_error();
  return check_segments(d);
}

// The kinds that share programs, with one of them as the mode.
Signature signature_of(adj_reduce_kind kind, adj_dtype element) {
  const auto of = [&](const char* group, adj_reduce_kind mode) { return Signature::with_choice(group, {element, arithmetic_of(element)}, mode); };
  switch (kind) {
    case ADJ_REDUCE_KIND_MAX:
    case ADJ_REDUCE_KIND_MIN: return of("max", ADJ_REDUCE_KIND_MAX);
    case ADJ_REDUCE_KIND_PROD: return of("prod", ADJ_REDUCE_KIND_PROD);
    case ADJ_REDUCE_KIND_LOGSUMEXP: return of("logsumexp", ADJ_REDUCE_KIND_LOGSUMEXP);
    default: return of("sum", ADJ_REDUCE_KIND_SUM);
  }
}
const std::vector<Signature>& signatures() {
  static const auto* list = [] {
    auto all = std::make_unique<std::vector<Signature>>();
    for (adj_reduce_kind kind : {ADJ_REDUCE_KIND_SUM, ADJ_REDUCE_KIND_MAX, ADJ_REDUCE_KIND_PROD, ADJ_REDUCE_KIND_LOGSUMEXP})
      for (adj_dtype element : {ADJ_F32, ADJ_F64, ADJ_F16, ADJ_BF16, ADJ_I32})
        if (element != ADJ_I32 || kind != ADJ_REDUCE_KIND_LOGSUMEXP) all->push_back(signature_of(kind, element));
    return all.release();
  }();
  return *list;
}
Signature signature(const void* descriptor) {
  const auto& d = *static_cast<const Descriptor*>(descriptor);
  return signature_of(d.kind, d.element);
}

// Adds the shape of the output.
void shapes(const void* descriptor, std::span<ArgumentSpec> arguments) {
  stated_shapes(descriptor, arguments);
  const auto& d = *static_cast<const Descriptor*>(descriptor);
  const unsigned mask = reduced_mask(d);
  std::vector<std::int64_t> dims;
  for (std::int64_t i = 0; i < d.shape.rank; ++i) {
    if (!(mask >> i & 1)) dims.push_back(d.shape.dims[i]);
    else if (d.keepdims) dims.push_back(has_segments(d) ? d.segments : 1);
  }
  arguments[kOutput] = tensor_of(output_of(d), dims);
}

// Number of threads for `count` vectors when a thread has at most `each` of them: a power of two, at most `most`.
int threads_for(std::int64_t count, std::int64_t each, int most) {
  return static_cast<int>(
      std::min<std::int64_t>(most, static_cast<std::int64_t>(std::bit_ceil(static_cast<std::uint64_t>(std::max<std::int64_t>(1, ceil_div(count, each)))))));
}

// Work of a launch: the merged dimensions of the problem. `inner` is the last of them, with neighbouring elements.
struct Work {
  ReduceDims kept{}, reduced{};
  std::int64_t outputs = 1, to_reduce = 1;  // volumes of `kept` and `reduced`, without the inner dimension
  std::int64_t inner = 1;
  bool rows = true;  // true: the inner dimension is reduced
};
Work work_of(const Merged& m) {
  Work w;
  if (m.rank == 0) return w;
  const auto last = static_cast<std::size_t>(m.rank) - 1;
  w.rows = m.marked[last];
  w.inner = m.dims[last];
  std::int64_t stride = w.inner;
  std::array<std::int64_t, ADJ_MAX_RANK> strides{};
  for (std::size_t i = last; i-- > 0;) {
    strides[i] = stride;
    stride *= m.dims[i];
  }
  for (std::size_t i = 0; i < last; ++i) {
    ReduceDims& dims = m.marked[i] ? w.reduced : w.kept;
    dims.size[dims.count] = m.dims[i];
    dims.stride[dims.count++] = strides[i];
    (m.marked[i] ? w.to_reduce : w.outputs) *= m.dims[i];
  }
  return w;
}

struct Launch {
  P p{};
  std::int64_t blocks = 0;
  std::uint32_t shared = 0;  // of short_rows.cu; 0 for other programs
};
// Short runs that lie side by side.
std::optional<Launch> plan_short_rows(const Work& w, std::int64_t size) {
  constexpr std::int64_t kMostBytes = 4096, kElementsOfLane = 64;
  const std::int64_t bytes = w.inner * size;
  const bool side_by_side = w.to_reduce == 1 && w.kept.count == 1 && w.kept.stride[0] == w.inner;
  if (!w.rows || !side_by_side || bytes > kMostBytes) return std::nullopt;
  Launch launch;
  P& p = launch.p;
  p.inner = w.inner;
  p.items = w.outputs;
  p.splits = 1;
  auto bytes_of_block = [&] { return kReduceThreads / p.group * bytes + 2 * kVectorBytes; };
  p.group = threads_for(w.inner, kElementsOfLane, kWarp);
  while (bytes_of_block() > kReduceShortRowsBytes) p.group *= 2;
  launch.shared = static_cast<std::uint32_t>(bytes_of_block());
  launch.blocks = ceil_div(p.items, kReduceThreads / p.group);
  return launch;
}
// True where short runs are added faster without shared memory: few runs, and those of several whole vectors. On an H200 1 M runs of 33 f32 take 44 us, by
// rows.cu 87; 4 M runs of 4 42 and 65; but 1 M runs of 16 f32, whose threads meet in the banks of shared memory, 42 and 24.
bool few_or_whole(const void* descriptor) {
  constexpr std::int64_t kLeastRuns = 1 << 14;
  const auto& d = *static_cast<const Descriptor*>(descriptor);
  const Work w = work_of(merge_dims(dims_of(d.shape), reduced_mask(d)));
  const std::int64_t bytes = w.inner * size_of(d.element);
  return w.outputs < kLeastRuns || (bytes % kVectorBytes == 0 && bytes > kVectorBytes);
}
Launch plan_rows(const Work& w, std::int64_t size) {
  const std::int64_t vector = kVectorBytes / size;
  Launch launch;
  P& p = launch.p;
  p.inner = w.inner;
  const std::int64_t vectors = ceil_div(w.inner, vector);
  // Sets the threads of a part (p.lanes) and of an item (p.group). A warp needs no barriers, so an item gets several warps only when there
  // are few items, or when a part has more vectors than a warp has in flight.
  auto threads = [&](std::int64_t items, std::int64_t parts, std::int64_t vectors_of_part) {
    const int most = kWarp * threads_for(kBusyWarps, std::max<std::int64_t>(items, 1), kReduceThreads / kWarp);
    const bool is_short = w.inner % vector == 0 && vectors_of_part <= kShort;
    const std::int64_t of_thread = items <= kFewBlocks ? 2 : is_short ? kVectorsOfThread / 2 : kVectorsOfThread;
    p.lanes = std::max(threads_for(vectors_of_part, of_thread, most), threads_for(vectors_of_part, kReduceTogether, kReduceThreads));
    p.group = p.lanes * threads_for(parts, 2, std::max(1, most / p.lanes));
  };
  threads(w.outputs, w.to_reduce, vectors);
  const std::int64_t blocks = std::max<std::int64_t>(1, ceil_div(w.outputs, kReduceThreads / p.group));
  const std::int64_t bytes = w.inner * w.to_reduce * size;
  // Items are split only when that gains more time than the second launch takes: from 4 * kLeastBytes on.
  std::int64_t splits = blocks >= kFewBlocks || bytes < 4 * kLeastBytes ? 1 : std::min(ceil_div(kBlocks, blocks), bytes / kLeastBytes);
  p.pieces = 1;
  p.piece = std::max<std::int64_t>(w.inner, 1);
  p.of_split = std::max<std::int64_t>(w.to_reduce, 1);
  if (w.inner > kMostOfPart) splits = std::max(splits, w.to_reduce * ceil_div(w.inner, kMostOfPart));
  if (splits > w.to_reduce) {
    p.of_split = 1;
    p.piece = ceil_div(vectors, ceil_div(splits, w.to_reduce)) * vector;
    p.pieces = ceil_div(w.inner, p.piece);
  } else if (splits > 1) {
    p.of_split = ceil_div(w.to_reduce, splits);
  }
  p.outer = w.to_reduce * p.pieces;
  p.splits = std::max<std::int64_t>(1, ceil_div(p.outer, p.of_split));
  p.items = w.outputs * p.splits;
  threads(p.items, p.of_split, ceil_div(p.piece, vector));
  launch.blocks = ceil_div(p.items, kReduceThreads / p.group);
  return launch;
}
// Share of a device's places that `blocks` blocks of columns fill in full rounds.
double evenness(std::int64_t blocks) { return static_cast<double>(blocks) / static_cast<double>(ceil_div(blocks, kRound) * kRound); }
// Chooses the widest tiles and the fewest splits that load a device evenly, if possible in one round. More than kFewSplits splits are chosen only
// where they fill a device much better, since the second launch reads their results.
Launch plan_columns(const Work& w, std::int64_t size) {
  // kRowsAlone: a thread adds so many rows before other threads take some of them. Threads that share rows meet at barriers with nothing in flight.
  constexpr int kAcross = 32, kNarrow = 8, kRowsOfThread = 16, kFewSplits = 8, kRowsAlone = 64;
  constexpr double kEven = 0.9;
  const std::int64_t vector = kVectorBytes / size, vectors = ceil_div(w.inner, vector);
  Launch launch;
  P& p = launch.p;
  p.inner = w.inner;
  p.outer = w.to_reduce;
  // The widest tile has kAcross lanes, more when there are few rows. Tiles are halved, down to kNarrow lanes (128 bytes), until some number
  // of splits loads the device evenly.
  int lanes = threads_for(vectors, 1, std::max(kAcross, kReduceThreads / threads_for(w.to_reduce, kRowsAlone, kReduceThreads)));
  std::int64_t splits = 1;
  double best = -1;
  for (;; lanes /= 2) {
    const std::int64_t rows = kReduceThreads / lanes, tiles = std::max<std::int64_t>(1, w.outputs * ceil_div(vectors, lanes));
    const std::int64_t most = std::max<std::int64_t>(1, std::min(kRound / tiles, w.to_reduce / (rows * kRowsOfThread)));
    for (std::int64_t s = 1; s <= most; ++s) {
      const double even = std::min(evenness(s * tiles), kEven) - (s > kFewSplits ? 0.2 : 0);
      if (even > best) best = even, splits = s, p.lanes = lanes;
    }
    if (best >= kEven || lanes <= kNarrow || w.to_reduce <= 2 * rows) break;
  }
  p.tiles = ceil_div(vectors, p.lanes);
  p.of_split = std::max<std::int64_t>(ceil_div(w.to_reduce, splits), 1);
  p.splits = std::max<std::int64_t>(1, ceil_div(w.to_reduce, p.of_split));
  p.items = w.outputs * p.tiles * p.splits;
  launch.blocks = p.items;
  return launch;
}

// Parameters for the operation on every element (set_kind) and on a total (set_last).
void set_kind(P& p, const Descriptor& d) {
  p.square = d.kind == ADJ_REDUCE_KIND_SUM_SQUARE || d.kind == ADJ_REDUCE_KIND_L2;
  p.negate = d.kind == ADJ_REDUCE_KIND_MIN;
}
void set_last(P& p, const Descriptor& d) {
  p.finally = d.kind == ADJ_REDUCE_KIND_MEAN  ? kReduceMean
              : d.kind == ADJ_REDUCE_KIND_L2  ? kReduceRoot
              : d.kind == ADJ_REDUCE_KIND_MIN ? kReduceNegated
              : accumulates(d)                ? kReduceAdded
                                              : kReduceAsIs;
  p.out_dtype = output_of(d);
}

// Plans segments: a warp or a block for a segment, or a block for a tile of its columns. The order of additions does not depend on the
// number of segments.
Result<void> finish_segments(const PlanRequest& request, PlanBuilder& builder) {
  const auto& d = *static_cast<const Descriptor*>(request.descriptor);
  if (!has_segments(d)) return fail(ADJ_ERROR_UNSUPPORTED, "takes segments only");
  const SegmentAxis s = segment_axis(d);
  const std::int64_t extent = d.shape.dims[s.axis];
  if (s.outer * d.segments * s.inner == 0) return {};
  P p{};
  set_kind(p, d);
  set_last(p, d);
  p.kept = {{s.outer}, {extent * s.inner}, 1, 0};
  p.reduced = {{extent}, {s.inner}, 1, 0};
  p.inner = s.inner;
  p.outer = extent;
  p.elements = s.outer * extent * s.inner;
  p.splits = d.segments;
  p.wide_offsets = d.offset == ADJ_I64;
  const std::int64_t vectors = ceil_div(s.inner, kVectorBytes / size_of(d.element));
  p.lanes = threads_for(vectors, 1, kWarp);
  p.tiles = ceil_div(vectors, p.lanes);
  const bool rows = s.inner == 1;
  p.items = s.outer * d.segments * (rows ? 1 : p.tiles);
  const std::int64_t blocks = rows ? ceil_div(p.items, kReduceThreads / kWarp) : p.items;
  builder.kernel(rows ? kSegmentRows : kSegmentColumns, strided_grid(*request.device, blocks), kReduceThreads)
      .params(p)
      .tensor(offsetof(P, in), kInput)
      .tensor(offsetof(P, out), kOutput)
      .tensor(offsetof(P, offsets), kOffsets)
      .tensor(offsetof(P, error_flag), kErrorFlag);
  return {};
}

template <bool short_rows>
Result<void> finish(const PlanRequest& request, PlanBuilder& builder) {
  const auto& d = *static_cast<const Descriptor*>(request.descriptor);
  if (request.device && has_segments(d)) return fail(ADJ_ERROR_UNSUPPORTED, "takes no segments");
  const unsigned mask = reduced_mask(d);
  std::int64_t outputs = 1, count = 1;
  for (std::int64_t i = 0; i < d.shape.rank; ++i) (mask >> i & 1 ? count : outputs) *= d.shape.dims[i];
  if (outputs == 0 || d.segments == 0) return {};
  if (!request.device) {
    builder.host(host_call<Descriptor, Args, host::reduce>);
    return {};
  }
  const adj_dtype arithmetic = arithmetic_of(d.element);
  const Work work = work_of(merge_dims(dims_of(d.shape), mask));
  const auto short_launch = short_rows ? plan_short_rows(work, size_of(d.element)) : std::nullopt;
  if (short_rows && !short_launch) return fail(ADJ_ERROR_UNSUPPORTED, "takes short rows that lie side by side");
  Launch first = short_launch ? *short_launch : work.rows ? plan_rows(work, size_of(d.element)) : plan_columns(work, size_of(d.element));
  first.p.kept = work.kept;
  first.p.reduced = work.reduced;
  set_kind(first.p, d);
  first.p.count = static_cast<double>(count);
  first.p.elements = outputs * count;
  const Program program = short_rows ? kShortRows : work.rows ? kRows : kColumns;
  const std::int64_t blocks = strided_grid(*request.device, first.blocks);
  if (first.p.splits == 1) {
    set_last(first.p, d);
    builder.kernel(program, blocks, kReduceThreads).params(first.p).tensor(offsetof(P, in), kInput).tensor(offsetof(P, out), kOutput).shared(first.shared);
    return {};
  }
  const std::int64_t partials = outputs * first.p.splits;
  if (partials > kMostElements / 8) return fail(ADJ_ERROR_UNSUPPORTED, "keeps {} partial results", partials);
  const std::uint64_t workspace = builder.book(static_cast<std::uint64_t>(partials) * size_of(arithmetic));
  first.p.out_dtype = arithmetic;
  builder.kernel(program, blocks, kReduceThreads).params(first.p).tensor(offsetof(P, in), kInput).workspace(offsetof(P, out), workspace);

  // Layout of the partial results: [outputs][splits] for rows, [outer outputs][splits][columns] for columns.
  Work rest;
  rest.rows = work.rows;
  rest.outputs = work.outputs;
  if (work.rows) {
    rest.inner = first.p.splits;
  } else {
    rest.inner = work.inner;
    rest.to_reduce = first.p.splits;
    rest.reduced = {{first.p.splits}, {work.inner}, 1, 0};
  }
  rest.kept = {{work.outputs}, {first.p.splits * (work.rows ? 1 : work.inner)}, 1, 0};
  Launch second = work.rows ? plan_rows(rest, size_of(arithmetic)) : plan_columns(rest, size_of(arithmetic));
  P& p = second.p;
  // The partial results are reduced in one launch: its items are not split again.
  if (p.splits > 1) {
    p.items /= p.splits;
    p.of_split = p.outer;
    p.splits = 1;
    second.blocks = work.rows ? ceil_div(p.items, kReduceThreads / p.group) : p.items;
  }
  p.kept = rest.kept;
  p.reduced = rest.reduced;
  p.count = first.p.count;
  p.elements = partials;
  set_last(p, d);
  builder.kernel(work.rows ? kPartialRows : kPartialColumns, strided_grid(*request.device, second.blocks), kReduceThreads)
      .params(p)
      .workspace(offsetof(P, in), workspace)
      .tensor(offsetof(P, out), kOutput)
      .early(*request.device);
  return {};
}

// u is the rounding error of one operation. A sum has a chain of fewer than 48 of them: six in a thread's vector with its square, two in the
// thread's compensated sum, at most seventeen over the threads of a block, and fourteen over the splits. A product has one for each factor,
// which the terms count. A logarithm turns the relative error of its sum of exponentials into an absolute one.
template <adj_determinism determinism>
adj_guarantee guarantee(const Signature& s) {
  if (s.mode == ADJ_REDUCE_KIND_MAX || s[0] == ADJ_I32) return make_guarantee(determinism, ADJ_MATH_IEEE, s[1], s[0] == ADJ_I32 ? 0 : 0.5, 0);
  const double u = s[0] == ADJ_F64 ? 0x1p-53 : 0x1p-24;
  const bool fast = s.mode == ADJ_REDUCE_KIND_LOGSUMEXP && s[0] != ADJ_F64;
  return make_guarantee(determinism, fast ? ADJ_MATH_FAST : ADJ_MATH_IEEE, s[1], is_16bit_float(s[0]) ? 0.501 : 0.5, 48 * u);
}
adj_guarantee host_guarantee(const Signature&) { return make_guarantee(ADJ_BATCH_INVARIANT, ADJ_MATH_IEEE, ADJ_F64, 0.5, 1e-14); }

const std::vector<Variant>& variants() {
  static const auto* list = new std::vector<Variant>{
      {.algorithm = "short_rows",
       .summary = "many short rows, in shared memory",
       .programs = {{"reduce/short_rows.cu", "reduce_short_rows", "ADJ_T={0} ADJ_REDUCER={c}_terms", kShortRows}},
       .guarantee = guarantee<ADJ_SHAPE_ONLY>,
       .accepts = [](const Signature& s) { return s.mode != ADJ_REDUCE_KIND_PROD && size_of(s[0]) <= 4 && is_float(s[0]); },
       .yields = few_or_whole,
       .finish = finish<true>},
      {.algorithm = "split",
       .summary = "rows or columns in blocks, partial results in order",
       .programs = {{"reduce/rows.cu", "reduce_rows", "ADJ_T={0} ADJ_REDUCER={c}_terms", kRows},
                    {"reduce/columns.cu", "reduce_columns", "ADJ_T={0} ADJ_REDUCER={c}_terms ADJ_SEGMENTS=0", kColumns},
                    {"reduce/rows.cu", "reduce_rows", "ADJ_T={1} ADJ_REDUCER={c}_terms", kPartialRows},
                    {"reduce/columns.cu", "reduce_columns", "ADJ_T={1} ADJ_REDUCER={c}_terms ADJ_SEGMENTS=0", kPartialColumns}},
       .guarantee = guarantee<ADJ_SHAPE_ONLY>},
      {.algorithm = "segments",
       .summary = "a warp or a block for a segment, or a block for columns of it",
       .programs = {{"reduce/segments.cu", "reduce_segments", "ADJ_T={0} ADJ_REDUCER={c}_terms", kSegmentRows},
                    {"reduce/columns.cu", "reduce_segment_columns", "ADJ_T={0} ADJ_REDUCER={c}_terms ADJ_SEGMENTS=1", kSegmentColumns}},
       .guarantee = guarantee<ADJ_BATCH_INVARIANT>,
       .finish = finish_segments},
      host_row(host_guarantee)};
  return *list;
}

bool describe_onnx(std::span<const adj_dtype> types, void* descriptor) {
  if (types.size() != 1 || !(is_float(types[0]) || types[0] == ADJ_I32)) return false;
  auto& d = *static_cast<Descriptor*>(descriptor);
  d.shape = {3, {4, 5, 6}};
  d.axes = {2, {0, -1}};
  d.element = types[0];
  return true;
}
constexpr OnnxBinding kOnnx[] = {{"ms", "ReduceSumTraining", describe_onnx}};

}  // namespace

const OpInfo& info_reduce() {
  static const OpInfo info = op_info(base_info(), {.signatures = signatures(),
                                                   .signature_columns = "element, arithmetic",
                                                   .variants = variants(),
                                                   .onnx = kOnnx,
                                                   .validate = validate,
                                                   .signature = signature,
                                                   .shapes = shapes,
                                                   .finish = finish<false>});
  return info;
}

}  // namespace adj
