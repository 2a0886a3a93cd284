// Planning of resize and its gradient.
#include <adjoint/ops/resize.h>

#include <bit>
#include <cmath>

#include "host/resize.hpp"
#include "ops/common/divide.hpp"
#include "kernels/resize/params.h"
#include "ops/common/shapes.hpp"
#include "ops/resize.gen.hpp"

namespace adj {

namespace {

constexpr std::int64_t kMostSpatial = std::int64_t{1} << 29;
constexpr unsigned kWarp = 32;
constexpr int kWords = 16;  // bytes of a vector

template <class Descriptor>
int first_spatial(const Descriptor& d) {
  return d.channels_last ? 1 : 2;
}
template <class Descriptor>
int channel_axis(const Descriptor& d) {
  return d.channels_last ? static_cast<int>(d.input.rank) - 1 : 1;
}

template <class Descriptor>
Result<void> validate(const char* op, const void* descriptor) {
  const auto& d = *static_cast<const Descriptor*>(descriptor);
  if (d.input.rank < 3 || d.input.rank > 5)
    return fail(ADJ_ERROR_INVALID_PROBLEM, "{}: input.rank = {}, expected 3 to 5: batch, channels and 1 to 3 spatial dimensions", op, d.input.rank);
  if (d.out.rank != d.input.rank) return fail(ADJ_ERROR_INVALID_PROBLEM, "{}: out.rank = {} differs from input.rank = {}", op, d.out.rank, d.input.rank);
  for (int axis : {0, channel_axis(d)})
    if (d.input.dims[axis] != d.out.dims[axis])
      return fail(ADJ_ERROR_INVALID_PROBLEM, "{}: input.dims[{}] = {} and out.dims[{}] = {} differ: {} is not resized", op, axis, d.input.dims[axis], axis,
                  d.out.dims[axis], axis == 0 ? "the batch" : "the number of channels");
  const int spatial = static_cast<int>(d.input.rank) - 2;
  for (int i = first_spatial(d); i < first_spatial(d) + spatial; ++i) {
    for (const auto& [name, value] : {std::pair{"input", d.input.dims[i]}, std::pair{"out", d.out.dims[i]}})
      if (value > kMostSpatial) return fail(ADJ_ERROR_INVALID_PROBLEM, "{}: {}.dims[{}] = {} is above the limit {}", op, name, i, value, kMostSpatial);
    if (d.input.dims[i] == 0 && d.out.dims[i] > 0)
      return fail(ADJ_ERROR_INVALID_PROBLEM, "{}: input.dims[{}] = 0 has no element to resize to out.dims[{}] = {}", op, i, i, d.out.dims[i]);
  }
  if (d.num_scales != 0 && d.num_scales != spatial)
    return fail(ADJ_ERROR_INVALID_PROBLEM, "{}: num_scales = {}, expected 0 or the {} spatial dimensions", op, d.num_scales, spatial);
  for (std::int64_t i = 0; i < d.num_scales; ++i)
    if (!(d.scales[i] > 0) || !std::isfinite(d.scales[i]))
      return fail(ADJ_ERROR_INVALID_PROBLEM, "{}: scales[{}] = {} is not a finite number above 0", op, i, d.scales[i]);
  return {};
}

// Parameters of axis i of three. Problems with fewer spatial dimensions have the last axes; the axes before them have extent 1.
template <class Descriptor>
ResizeAxis axis_of(const Descriptor& d, int i) {
  const int spatial = static_cast<int>(d.input.rank) - 2, own = i - (3 - spatial);
  ResizeAxis axis{.in = 1, .out = 1, .mul = 1, .add = 0, .div = 1, .step = 0, .shift = 0, .scale = 0};
  if (own < 0) return axis;
  const int dim = first_spatial(d) + own;
  const std::int64_t in = axis.in = d.input.dims[dim], out = axis.out = d.out.dims[dim];
  if (in == 0 || out == 0) return axis;
  const bool half = d.coordinates != ADJ_RESIZE_COORDINATES_ASYMMETRIC;
  const bool same = std::ranges::equal(dims_of(d.input), dims_of(d.out));
  const double scale = d.num_scales > 0 && !same ? d.scales[own] : 0;
  if (d.coordinates == ADJ_RESIZE_COORDINATES_ALIGN_CORNERS || (d.coordinates == ADJ_RESIZE_COORDINATES_PYTORCH_HALF_PIXEL && out == 1)) {
    axis.mul = out > 1 ? in - 1 : 0;
    axis.div = std::max<std::int64_t>(out - 1, 1);
  } else if (scale == 0 || scale == static_cast<double>(out) / static_cast<double>(in)) {
    axis.mul = half ? 2 * in : in;
    axis.add = half ? in - out : 0;
    axis.div = half ? 2 * out : out;
  } else {
    axis.div = 0;
    axis.step = 1 / scale;
    axis.scale = scale;
    axis.shift = half ? 0.5 : 0;
  }
  return axis;
}

// Estimate of the source elements along an axis that `places` neighbouring target elements need.
std::int64_t source_places(const ResizeAxis& axis, std::int64_t places) {
  const double ratio = static_cast<double>(axis.out) / static_cast<double>(axis.in);
  return static_cast<std::int64_t>(std::ceil(static_cast<double>(places + 1) * ratio)) + 1;
}

// Divides the target of gather.cu into tasks for warps whose lanes take `lane` neighbouring elements of `inner`.
ResizePieces divide(const ResizeAxis& last, std::int64_t inner, std::int64_t rows, int size, std::int64_t lane) {
  const int span = kResizeSpanBytes / (size == 8 ? 8 : 4), vector = kWords / size;
  const std::int64_t most_across = lane > 1 ? 8 : kWarp;
  const std::int64_t across = static_cast<std::int64_t>(std::bit_ceil(static_cast<std::uint64_t>(std::min(ceil_div(inner, lane), most_across))));
  const std::int64_t target = last.in;
  ResizePieces p{};
  p.across_log2 = std::countr_zero(static_cast<std::uint64_t>(across));
  p.inner_chunk = static_cast<int>(std::min(inner, across * lane));
  p.piece = (inner == 1 ? span - 2 * vector : span / p.inner_chunk);
  // A chunk has target places for kTurns turns of a warp, or fewer so that their sources fit into one piece.
  constexpr std::int64_t kTurns = 4;
  std::int64_t chunk = std::min<std::int64_t>((lane > 1 ? kTurns / 2 : kTurns) * (static_cast<std::int64_t>(kWarp) / across), target);
  while (chunk > 1 && source_places(last, chunk) > p.piece) --chunk;
  p.chunk = static_cast<int>(chunk);
  p.inner_chunks = ceil_div(inner, p.inner_chunk);
  p.chunks = p.inner_chunks * ceil_div(target, chunk);
  p.by_chunks = divide_below_2_59(p.chunks);
  p.by_inner_chunks = divide_below_2_59(p.inner_chunks);
  p.tasks = p.chunks * ceil_div(rows, kResizeWarps);
  return p;
}

// Upper bound of the elements of the result that take part in `places` neighbouring input elements. Linear, those in the cell before take part too;
// nearest, half a cell beyond the last place may be clamped to it, and a whole one where coordinates are rounded up.
std::int64_t most_sources(const ResizeAxis& axis, bool half_cell, std::int64_t places) {
  if (axis.in == 1 || (axis.div != 0 && axis.mul == 0)) return axis.out;
  const double cells = static_cast<double>(places) + (half_cell ? 0.5 : 1.0);
  if (axis.div != 0) {
    const double most = std::ceil(cells * static_cast<double>(axis.div) / static_cast<double>(axis.mul));
    return most < static_cast<double>(axis.out) ? static_cast<std::int64_t>(most) : axis.out;
  }
  // Elements of the result that lie beyond the input count to its last cell.
  const double beyond = std::max(0.0, static_cast<double>(axis.out) - static_cast<double>(axis.in) * axis.scale);
  const double most = std::ceil(cells * axis.scale + beyond) + 2;
  return most < static_cast<double>(axis.out) ? static_cast<std::int64_t>(most) : axis.out;
}
// Upper bound of the elements of the input that `places` neighbouring elements of the result need.
std::int64_t most_inputs(const ResizeAxis& axis, std::int64_t places) {
  const double step = axis.div == 0 ? axis.step : static_cast<double>(axis.mul) / static_cast<double>(axis.div);
  const double most = std::ceil(static_cast<double>(places - 1) * step) + 3;
  return most < static_cast<double>(axis.in) ? static_cast<std::int64_t>(most) : axis.in;
}

// Rows of a strip. Long strips read few rows twice; strips are shorter when there would be fewer than `enough` items.
std::int64_t rows_of_strip(std::int64_t rows, std::int64_t items_of_all, std::int64_t enough) {
  std::int64_t strip = 16;
  while (strip > 2 && items_of_all * ceil_div(rows, strip) < enough) strip /= 2;
  return std::min(strip, rows);
}

enum FirstProgram : int { kMakeTables };
// Facts about a problem for its second launch, and the place of the tables that the first launch makes.
struct Launch {
  const Device& device;
  const adj_dtype element;
  const ResizeTables tables;
  const std::uint64_t at;  // offset of the tables in the workspace
  const std::int64_t planes, inner;
  const ResizeAxis (&axis)[3];
  const bool forward, nearest;
  const bool half_cell;  // see most_sources
  const int source, target;  // arguments

  int size() const { return static_cast<int>(size_of(element)); }
  int vector() const { return kWords / size(); }
  std::int64_t source_extent(int i) const { return forward ? axis[i].in : axis[i].out; }
  std::int64_t target_extent(int i) const { return forward ? axis[i].out : axis[i].in; }

  template <class Params>
  PlanBuilder::Kernel add(PlanBuilder& builder, ProgramName program, std::int64_t blocks, int threads, const Params& p) const {
    auto kernel = builder.kernel(program, strided_grid(device, blocks), static_cast<unsigned>(threads));
    kernel.params(p)
        .workspace(offsetof(Params, tables) + offsetof(ResizeTables, base), at)
        .tensor(offsetof(Params, source), source)
        .tensor(offsetof(Params, target), target)
        .early(device);
    return kernel;
  }
};

// Divides the target into items: `lane` elements of a row, along a strip of rows.
ResizeStripParams strips_of(const Launch& l, std::int64_t lane) {
  constexpr std::int64_t kItems = 1 << 19;
  ResizeStripParams p{};
  p.tables = l.tables;
  for (int i = 0; i < 3; ++i) {
    p.source_extent[i] = l.source_extent(i);
    p.target_extent[i] = l.target_extent(i);
  }
  p.planes = l.planes;
  p.inner = l.inner;
  p.source_row = p.source_extent[2] * l.inner;
  p.target_row = p.target_extent[2] * l.inner;
  p.groups = ceil_div(p.target_row, lane);
  const std::int64_t slabs = l.planes * p.target_extent[0];
  p.strip = rows_of_strip(p.target_extent[1], p.groups * slabs, kItems);
  p.strips = ceil_div(p.target_extent[1], p.strip);
  p.items = p.groups * p.strips * slabs;
  p.by_groups = divide_below_2_59(p.groups);
  p.by_strips = divide_below_2_59(p.strips);
  p.by_depth = divide_below_2_59(p.target_extent[0]);
  p.by_inner = divide_below_2_59(p.inner);
  return p;
}

// Plans rows.cu with these programs, for aligned rows and for any. False where it does not take the problem: with channels in a place, where a block
// would produce fewer than kLeast elements of a row, or with too many rows.
bool add_rows(const Launch& l, PlanBuilder& builder, ProgramName aligned, ProgramName any) {
  constexpr std::int64_t kTasks = 1 << 11, kLeast = 16, kMostColumns = 512;
  const std::int64_t vector = l.vector(), columns = l.target_extent(2);
  ResizeRowsParams p{};
  p.source_rows = l.planes * l.source_extent(0) * l.source_extent(1);
  if (l.inner != 1 || p.source_rows >= std::int64_t{1} << 32) return false;
  p.tables = l.tables;
  for (int i = 0; i < 3; ++i) {
    p.source_extent[i] = l.source_extent(i);
    p.target_extent[i] = l.target_extent(i);
  }
  p.rows = l.planes * l.target_extent(0) * l.target_extent(1);
  p.chunk = std::min(columns, kMostColumns);
  if (l.source_extent(2) > kResizeSpan) {
    // The sources of a chunk may begin anywhere in a vector.
    const auto sources = [&](std::int64_t places) { return l.forward ? most_inputs(l.axis[2], places) : most_sources(l.axis[2], l.half_cell, places); };
    while (p.chunk > 1 && sources(p.chunk) + vector - 1 > kResizeSpan) --p.chunk;
    if (p.chunk < kLeast) return false;
  }
  p.chunks = ceil_div(columns, p.chunk);
  p.chunk = ceil_div(columns, p.chunks);
  p.block_rows = resize_block_rows(l.element == ADJ_F64 ? 8 : 4);
  while (p.block_rows > kResizeRowsTogether && ceil_div(p.rows, p.block_rows) * p.chunks < kTasks) p.block_rows /= 2;
  p.tasks = ceil_div(p.rows, p.block_rows) * p.chunks;
  p.by_chunks = divide_below_2_59(p.chunks);
  p.by_height = divide_below_2_59(p.target_extent[1]);
  p.by_depth = divide_below_2_59(p.target_extent[0]);
  const bool whole = l.source_extent(2) % vector == 0;
  auto kernel = l.add(builder, whole ? aligned : any, p.tasks, kResizeBlock, p);
  if (whole) kernel.when_unaligned(any, {l.source});
  return true;
}

enum ForwardProgram : int { kForwardAny, kForwardChannels, kForwardNearest, kForwardRows, kForwardAnyRows };
void add_forward(const Launch& l, PlanBuilder& builder) {
  const std::int64_t vector = l.vector();
  const bool channels = l.inner % vector == 0, nearest = l.nearest && l.inner == 1 && l.target_extent(2) % vector == 0;
  if (!nearest && add_rows(l, builder, kForwardRows, kForwardAnyRows)) return;
  const ResizeStripParams p = strips_of(l, channels || nearest ? vector : resize_own(static_cast<unsigned>(l.size())));
  auto kernel = l.add(builder, channels ? kForwardChannels : nearest ? kForwardNearest : kForwardAny, ceil_div(p.items, kResizeBlock), kResizeBlock, p);
  if (channels) kernel.when_unaligned(kForwardAny, {l.source, l.target});
  else if (nearest) kernel.when_unaligned(kForwardAny, {l.target});
}

enum BackwardProgram : int { kGather, kGatherWide, kBackwardAny, kBackwardChannels, kBackwardRows, kBackwardAnyRows };

// Adds the launch of the backward operator. gather.cu, for elements with many sources, compensates its sums. The other kernels do not: their
// addends take part in at most kMostAdditions additions, and with the roundings of the weights stay within the 16 of the guarantee.
void add_backward(const Launch& l, PlanBuilder& builder) {
  constexpr std::int64_t kMostAdditions = 13;
  const std::int64_t vector = l.vector();
  const bool channels = l.inner % vector == 0;
  std::int64_t taps[3];
  for (int i = 0; i < 3; ++i) taps[i] = std::min<std::int64_t>(most_sources(l.axis[i], l.half_cell, 1), 64);
  // rows.cu adds four rows, then these sums and the depths, then four columns, then these sums.
  const auto of_four = [](std::int64_t n) { return std::min<std::int64_t>(n, 4); };
  if (of_four(taps[1]) + taps[0] * ceil_div(taps[1], 4) + of_four(taps[2]) + ceil_div(taps[2], 4) - 1 <= kMostAdditions &&
      add_rows(l, builder, kBackwardRows, kBackwardAnyRows))
    return;
  if (taps[0] + taps[1] + taps[2] <= kMostAdditions) {
    const ResizeStripParams p = strips_of(l, channels ? vector : 1);
    auto kernel = l.add(builder, channels ? kBackwardChannels : kBackwardAny, ceil_div(p.items, kResizeBlock), kResizeBlock, p);
    if (channels) kernel.when_unaligned(kBackwardAny, {l.source, l.target});
    return;
  }
  ResizeParams p{};
  p.tables = l.tables;
  for (int i = 0; i < 3; ++i) {
    p.source_extent[i] = l.source_extent(i);
    p.target_extent[i] = l.target_extent(i);
  }
  for (int i = 0; i < 2; ++i) p.by_extent[i] = divide_below_2_59(p.target_extent[i]);
  p.inner = l.inner;
  p.rows = l.planes * p.target_extent[0] * p.target_extent[1];
  p.pieces[0] = divide(l.axis[2], p.inner, p.rows, l.size(), 1);
  p.pieces[1] = channels ? divide(l.axis[2], p.inner, p.rows, l.size(), vector) : p.pieces[0];
  auto kernel = l.add(builder, channels ? kGatherWide : kGather, p.pieces[channels].tasks, kResizeWarps * kWarp, p);
  if (channels) kernel.when_unaligned(kGather, {l.source, l.target});
}

// True when the axis is resized to twice its extent with half-pixel coordinates.
bool doubles(const ResizeAxis& axis) { return axis.out == 2 * axis.in && axis.add == -axis.in && axis.div == 4 * axis.in; }

enum DoubledProgram : int { kDoubledRows, kDoubledChannels };
// Plans forward_doubled.cu or backward_doubled.cu, or fails. Their threads have constant weights and go along strips of rows.
template <class Descriptor, bool forward, int source, int target>
Result<void> finish_doubled(const PlanRequest& request, PlanBuilder& builder) {
  constexpr std::int64_t kItems = 1 << 18, kLeastStrip = 8;
  const auto& d = *static_cast<const Descriptor*>(request.descriptor);
  const ResizeAxis rows = axis_of(d, 1), columns = axis_of(d, 2);
  if (d.mode == ADJ_RESIZE_MODE_NEAREST) return fail(ADJ_ERROR_UNSUPPORTED, "interpolates, mode = nearest");
  if (d.input.rank != 4 || !doubles(rows) || !doubles(columns))
    return fail(ADJ_ERROR_UNSUPPORTED, "takes two spatial dimensions, doubled, with half-pixel coordinates");
  const std::int64_t vector = kWords / size_of(d.element), channels = d.input.dims[channel_axis(d)], inner = d.channels_last ? channels : 1;
  if (inner % vector != 0 && (inner != 1 || columns.out % vector != 0))
    return fail(ADJ_ERROR_UNSUPPORTED, "takes {} in vectors of {} elements, {}", inner == 1 ? "rows of the result" : "channels", vector,
                inner == 1 ? columns.out : inner);
  if (volume_of(dims_of(d.input)) == 0) return {};
  ResizeDoubledParams p{};
  p.rows = rows.in;
  p.columns = columns.in;
  p.inner = inner == 1 ? 1 : inner / vector;
  // Forward, a turn produces the results between two neighbouring rows (or places) of the input; there is one more gap than rows.
  p.lanes = inner == 1 ? columns.out / vector : (columns.in + forward) * p.inner;
  const std::int64_t others = p.lanes * d.input.dims[0] * (d.channels_last ? 1 : channels), turns = p.rows + forward;
  p.strip = ceil_div(turns, std::clamp<std::int64_t>(kItems / others, 1, ceil_div(turns, kLeastStrip)));
  p.strips = ceil_div(turns, p.strip);
  p.items = others * p.strips;
  p.by_lanes = divide_below_2_59(p.lanes);
  p.by_strips = divide_below_2_59(p.strips);
  p.by_inner = divide_below_2_59(p.inner);
  const std::int64_t blocks = strided_grid(*request.device, ceil_div(p.items, kResizeBlock));
  builder.kernel(inner == 1 ? kDoubledRows : kDoubledChannels, blocks, kResizeBlock)
      .params(p)
      .tensor(offsetof(ResizeDoubledParams, source), source)
      .tensor(offsetof(ResizeDoubledParams, target), target);
  return {};
}

// Parameters of tables.cu without the places of the tables.
template <class Descriptor>
ResizeTablesParams tables_of(const Descriptor& d, bool forward) {
  ResizeTablesParams t{};
  t.forward = forward;
  t.wide = d.element == ADJ_F64;
  t.nearest = d.mode == ADJ_RESIZE_MODE_NEAREST;
  t.round_at = d.rounding == ADJ_RESIZE_ROUNDING_FLOOR ? 1 : d.rounding == ADJ_RESIZE_ROUNDING_CEIL ? 0 : 0.5;
  t.round_up = d.rounding == ADJ_RESIZE_ROUNDING_ROUND_PREFER_CEIL;
  for (int i = 0; i < 3; ++i) t.axis[i] = axis_of(d, i);
  return t;
}

// Number of results that nearest makes of each element along an axis, if it is the same for all and they are neighbours in order; else 0.
std::int64_t repetitions(const ResizeAxis& axis, const ResizeTablesParams& t) {
  if (axis.in == 1 || axis.in == 0) return axis.in * axis.out;  // places are clamped to the only element
  if (axis.out % axis.in != 0) return 0;
  if (axis.add == 0 && axis.div == axis.mul) return 1;
  // Element o lies at (o + 0.5) / times - 0.5, never in the middle of two places, or at o / times.
  const bool half = axis.mul == 2 * axis.in && axis.div == 2 * axis.out && axis.add == axis.in - axis.out && t.round_at == 0.5;
  const bool whole = axis.mul == axis.in && axis.div == axis.out && axis.add == 0 && t.round_at == 1;
  return half || whole ? axis.out / axis.in : 0;
}

enum RepeatProgram : int { kRepeat };
// Plans repeat.cu, or fails.
template <class Descriptor, bool forward, int source, int target>
Result<void> finish_repeat(const PlanRequest& request, PlanBuilder& builder) {
  const auto& d = *static_cast<const Descriptor*>(request.descriptor);
  if (d.mode != ADJ_RESIZE_MODE_NEAREST) return fail(ADJ_ERROR_UNSUPPORTED, "repeats elements, mode = linear");
  const ResizeTablesParams t = tables_of(d, forward);
  const std::int64_t vector = kWords / size_of(d.element), channels = d.input.dims[channel_axis(d)];
  // Weights are 1, so that the roundings of 15 additions stay within the guarantee.
  constexpr std::int64_t kMostAdditions = 15;
  std::int64_t times[3], rows = 1;
  for (int i = 0; i < 3; ++i) {
    times[i] = repetitions(t.axis[i], t);
    if (times[i] == 0)
      return fail(ADJ_ERROR_UNSUPPORTED, "repeats each element as often as any other, spatial extents {} of the input and {} of the result", t.axis[i].in,
                  t.axis[i].out);
  }
  const std::int64_t columns = d.channels_last ? channels : t.axis[2].out, column_times = d.channels_last ? 1 : times[2];
  if (column_times > vector || (column_times != 1 && column_times != 2 && column_times != 4))
    return fail(ADJ_ERROR_UNSUPPORTED, "takes 1, 2 or 4 columns, at most {}, for each of the input, here {}", vector, column_times);
  if (columns % vector != 0)
    return fail(ADJ_ERROR_UNSUPPORTED, "takes {} in vectors of {} elements, {}", d.channels_last ? "channels" : "rows of the result", vector, columns);
  if (volume_of(dims_of(d.input)) == 0) return {};
  ResizeRepeatParams p{};
  const std::int64_t outer = d.input.dims[0] * (d.channels_last ? 1 : channels) * t.axis[0].in;
  p.middle = d.channels_last ? t.axis[1].in : 1;
  p.rows = t.axis[d.channels_last ? 2 : 1].in;
  const std::int64_t of[3] = {times[0], d.channels_last ? times[1] : 1, d.channels_last ? times[2] : times[1]};
  for (int i = 0; i < 3; ++i) {
    p.times[i] = static_cast<int>(of[i]);
    rows *= std::min<std::int64_t>(of[i], kMostAdditions + 2);
  }
  if (!forward && rows - 1 + column_times / 2 > kMostAdditions)
    return fail(ADJ_ERROR_UNSUPPORTED, "adds at most {} elements one after the other", kMostAdditions);
  p.column_times = static_cast<int>(column_times);
  p.groups = columns / vector;
  p.strips = ceil_div(p.rows, kResizeRepeatRows);
  p.items = outer * p.middle * p.strips * p.groups;
  p.step[1] = p.rows * of[2] * columns;
  p.step[0] = p.middle * of[1] * p.step[1];
  p.by_groups = divide_below_2_59(p.groups);
  p.by_strips = divide_below_2_59(p.strips);
  p.by_middle = divide_below_2_59(p.middle);
  builder.kernel(kRepeat, strided_grid(*request.device, ceil_div(p.items, kResizeBlock)), kResizeBlock)
      .params(p)
      .tensor(offsetof(ResizeRepeatParams, source), source)
      .tensor(offsetof(ResizeRepeatParams, target), target);
  return {};
}

template <class Descriptor, class Args, void (*host)(const Descriptor&, const Args&, void*), bool forward, int source, int target>
Result<void> finish(const PlanRequest& request, PlanBuilder& builder) {
  const auto& d = *static_cast<const Descriptor*>(request.descriptor);
  const adj_shape& written = forward ? d.out : d.input;
  if (volume_of(dims_of(written)) == 0) return {};
  if (!request.device) {
    builder.host(host_call<Descriptor, Args, host>);
    return {};
  }
  if (volume_of(dims_of(forward ? d.input : d.out)) == 0) {
    builder.clear_output(target);
    return {};
  }
  const int acc = d.element == ADJ_F64 ? 8 : 4;
  ResizeTablesParams t = tables_of(d, forward);
  std::int64_t bytes = 0, elements = 0;
  for (int i = 0; i < 3; ++i) {
    const ResizeAxis& axis = t.axis[i];
    t.tables.targets[i] = bytes;
    t.tables.weights[i] = bytes += (forward ? axis.out : axis.in) * static_cast<std::int64_t>(sizeof(ResizeTarget));
    bytes += ceil_div(axis.out * 2 * acc, kWords) * kWords;
    elements += axis.out + (forward ? 0 : axis.in);
  }
  const std::int64_t channels = d.input.dims[channel_axis(d)];
  const std::uint64_t tables = builder.book(static_cast<std::uint64_t>(bytes));
  constexpr unsigned kTableBlock = 128;
  builder.kernel(kMakeTables, grid_for(*request.device, ceil_div(elements, kTableBlock), 16), kTableBlock)
      .params(t)
      .workspace(offsetof(ResizeTablesParams, tables) + offsetof(ResizeTables, base), tables);
  const Launch launch{.device = *request.device,
                      .element = d.element,
                      .tables = t.tables,
                      .at = tables,
                      .planes = d.input.dims[0] * (d.channels_last ? 1 : channels),
                      .inner = d.channels_last ? channels : 1,
                      .axis = t.axis,
                      .forward = forward,
                      .nearest = t.nearest != 0,
                      .half_cell = t.nearest != 0 && d.rounding != ADJ_RESIZE_ROUNDING_CEIL,
                      .source = source,
                      .target = target};
  if constexpr (forward) add_forward(launch, builder);
  else add_backward(launch, builder);
  return {};
}

// Errors: one rounding for a weight, one for its product, and those of a sum with few additions; longer sums are compensated.
adj_guarantee guarantee(const Signature& s) {
  if (s[0] == ADJ_F64) return make_guarantee(ADJ_BATCH_INVARIANT, ADJ_MATH_IEEE, ADJ_F64, 0.51, 0x1p-48);
  return make_guarantee(ADJ_BATCH_INVARIANT, ADJ_MATH_IEEE, ADJ_F32, 0.51, 0x1p-20);
}
adj_guarantee host_guarantee(const Signature&) { return make_guarantee(ADJ_BATCH_INVARIANT, ADJ_MATH_IEEE, ADJ_F64, 0.5, 1e-13); }

// f64 has no program for repeated elements. repeated_: type of these; copies need its size alone.
bool is_narrow(const Signature& s) { return s[0] != ADJ_F64; }

#define ADJ_RESIZE_VARIANTS(direction_, backward_, repeated_, finish_doubled_, repeat_, finish_repeat_, summary_, ...)                                      \
  {{.algorithm = "doubled",                                                                                                                                 \
    .summary = "constant weights for twice the rows and columns",                                                                                           \
    .programs = {{"resize/" direction_ "_doubled.cu", "resize_" direction_ "_doubled", "ADJ_T={0} ADJ_CHANNELS=0", kDoubledRows},                           \
                 {"resize/" direction_ "_doubled.cu", "resize_" direction_ "_doubled_channels", "ADJ_T={0} ADJ_CHANNELS=1", kDoubledChannels}},             \
    .guarantee = guarantee,                                                                                                                                 \
    .finish = finish_doubled_},                                                                                                                             \
   {.algorithm = "repeat",                                                                                                                                  \
    .summary = repeat_,                                                                                                                                     \
    .programs = {{"resize/repeat.cu", "resize_repeat_" direction_, "ADJ_T=" repeated_ " ADJ_BACKWARD=" backward_, kRepeat}},                                \
    .guarantee = guarantee,                                                                                                                                 \
    .accepts = is_narrow,                                                                                                                                   \
    .finish = finish_repeat_},                                                                                                                              \
   {.algorithm = "gather", .summary = summary_, .programs = {{"resize/tables.cu", "resize_tables", "", kMakeTables}, __VA_ARGS__}, .guarantee = guarantee}, \
   host_row(host_guarantee)}

const std::vector<Variant>& forward_variants() {
  static const auto* list = new std::vector<Variant> ADJ_RESIZE_VARIANTS(
      "forward", "0", "{w}", (finish_doubled<resize_forward_tables::Descriptor, true, resize_forward_tables::kInput, resize_forward_tables::kOut>),
      "nearest by whole factors: each element is loaded once, and stored as often as it is repeated",
      (finish_repeat<resize_forward_tables::Descriptor, true, resize_forward_tables::kInput, resize_forward_tables::kOut>),
      "a thread interpolates elements of a strip of rows, by tables of places and weights",
      {"resize/forward.cu", "resize_forward", "ADJ_T={0} ADJ_CHANNELS=0", kForwardAny},
      {"resize/forward.cu", "resize_forward_channels", "ADJ_T={0} ADJ_CHANNELS=1", kForwardChannels},
      {"resize/nearest.cu", "resize_nearest", "ADJ_T={w}", kForwardNearest}, {"resize/rows.cu", "resize_rows", "ADJ_T={0} ADJ_ALIGNED=1", kForwardRows},
      {"resize/rows.cu", "resize_any_rows", "ADJ_T={0} ADJ_ALIGNED=0", kForwardAnyRows});
  return *list;
}
const std::vector<Variant>& backward_variants() {
  static const auto* list = new std::vector<Variant> ADJ_RESIZE_VARIANTS(
      "backward", "1", "{0}", (finish_doubled<resize_backward_tables::Descriptor, false, resize_backward_tables::kDout, resize_backward_tables::kDinput>),
      "nearest by whole factors: the elements that repeat one are added",
      (finish_repeat<resize_backward_tables::Descriptor, false, resize_backward_tables::kDout, resize_backward_tables::kDinput>),
      "strips of rows summed up as they arrive, by tables of ranges and weights; compensated sums of long ranges",
      {"resize/gather.cu", "resize_gather", "ADJ_T={0} ADJ_WIDE=0", kGather}, {"resize/gather.cu", "resize_gather_wide", "ADJ_T={0} ADJ_WIDE=1", kGatherWide},
      {"resize/backward.cu", "resize_backward", "ADJ_T={0} ADJ_CHANNELS=0", kBackwardAny},
      {"resize/backward.cu", "resize_backward_channels", "ADJ_T={0} ADJ_CHANNELS=1", kBackwardChannels},
      {"resize/rows.cu", "resize_rows", "ADJ_T={0} ADJ_ALIGNED=1", kBackwardRows},
      {"resize/rows.cu", "resize_any_rows", "ADJ_T={0} ADJ_ALIGNED=0", kBackwardAnyRows});
  return *list;
}
#undef ADJ_RESIZE_VARIANTS

// Sample for the ONNX registration: two spatial dimensions, twice as large in the result.
bool describe(std::span<const adj_dtype> types, void* descriptor) {
  if (types.size() != 1) return false;
  auto& d = *static_cast<adj_resize_backward_descriptor*>(descriptor);
  d.input = {.rank = 4, .dims = {1, 2, 3, 4}};
  d.out = {.rank = 4, .dims = {1, 2, 6, 8}};
  d.element = types[0];
  return true;
}
constexpr OnnxBinding kOnnx[] = {{"ms", "ResizeGrad", describe}};

}  // namespace

const OpInfo& info_resize_backward() {
  using namespace resize_backward_tables;
  static const OpInfo info = op_info(base_info(), {.signatures = float_signatures(),
                                                   .signature_columns = "element",
                                                   .variants = backward_variants(),
                                                   .onnx = kOnnx,
                                                   .validate = [](const void* d) { return validate<Descriptor>(kName, d); },
                                                   .signature = element_signature<Descriptor>,
                                                   .finish = finish<Descriptor, Args, host::resize_backward, false, kDout, kDinput>});
  return info;
}

const OpInfo& info_resize_forward() {
  using namespace resize_forward_tables;
  static const OpInfo info = op_info(base_info(), {.signatures = float_signatures(),
                                                   .signature_columns = "element",
                                                   .variants = forward_variants(),
                                                   .validate = [](const void* d) { return validate<Descriptor>(kName, d); },
                                                   .signature = element_signature<Descriptor>,
                                                   .finish = finish<Descriptor, Args, host::resize_forward, true, kInput, kOut>});
  return info;
}

}  // namespace adj
