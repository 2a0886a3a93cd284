// Computes: for every axis and every element of the target, its taps: the elements of the source that add to it, and their weights.
// Work split: a thread takes an element of the result of one axis; for a gradient, another takes an element of the input.
// Memory: writes 16 bytes for each element of the target and two weights for each element of the result.
// Order of additions: none. Positions come from integers, or from f64 if a scale was given.
// Limits: extents of at most 2^29; the plan checks.
#include "prelude/thread.cuh"
#include "prelude/divide.h"
#include "resize/params.h"

constexpr int kBlock = 128;

struct Place {
  i64 cell;
  f64 rest;  // fraction of a cell; linear: the weight of the next cell
  i64 part;  // the fraction times axis.div, unless that is 0
};

// Returns the place of element o of the result in the input.
__device__ __forceinline__ Place place_of(const ResizeAxis& axis, i64 o) {
  const i64 last = axis.in - 1;
  if (axis.div == 0) {
    const f64 at = fused_multiply_add(static_cast<f64>(o) + axis.shift, axis.step, -axis.shift);
    if (!(at > 0)) return {0, 0, 0};
    if (at >= static_cast<f64>(last)) return {last, 0, 0};
    const i64 cell = static_cast<i64>(at);
    return {cell, at - static_cast<f64>(cell), 0};
  }
  const i64 at = axis.mul * o + axis.add;
  if (at <= 0) return {0, 0, 0};
  if (at >= last * axis.div) return {last, 0, 0};
  const i64 cell = static_cast<i64>(static_cast<u64>(at) / static_cast<u64>(axis.div)), part = at - cell * axis.div;
  return {cell, divide_by_normal(static_cast<f64>(part), static_cast<f64>(axis.div)), part};
}
__device__ __noinline__ Place weighted_place(const ResizeTablesParams& p, const ResizeAxis& axis, i64 o) {
  Place place = place_of(axis, o);
  if (p.nearest) {
    if (place.rest > p.round_at || (p.round_up && place.rest == p.round_at)) ++place.cell;
    place.rest = 0;
  }
  return place;
}

// Returns the number of elements of the result in cells before `cell`. The guess is at most two below it: it is rounded down, and cells never descend.
__device__ __noinline__ i64 count_before(const ResizeTablesParams& p, const ResizeAxis& axis, i64 cell) {
  if (cell <= 0) return 0;
  if (cell >= axis.in || (axis.div != 0 && axis.mul == 0)) return axis.out;
  const f64 edge = static_cast<f64>(cell) - (p.nearest ? 1 - p.round_at : 0.0);
  f64 guess = axis.div == 0 ? (edge + axis.shift) * axis.scale - axis.shift
                            : divide_by_normal(edge * static_cast<f64>(axis.div) - static_cast<f64>(axis.add), static_cast<f64>(axis.mul));
  guess = min_of(max_of(guess, 0.0), static_cast<f64>(axis.out));
  i64 count = static_cast<i64>(guess);
  while (count < axis.out && weighted_place(p, axis, count).cell < cell) ++count;
  return count;
}

// Writes the weights of element o of the result and, forward, its taps.
__device__ __forceinline__ void write_weights(const ResizeTablesParams& p, const ResizeAxis& axis, ResizeTarget* targets, u8* weights, i64 o) {
  auto put = [&](i64 at, f64 weight) {
    if (p.wide) reinterpret_cast<f64*>(weights)[at] = weight;
    else reinterpret_cast<f32*>(weights)[at] = static_cast<f32>(weight);
  };
  const Place place = weighted_place(p, axis, o);
  if (p.forward) targets[o] = {static_cast<int>(place.cell), place.rest > 0 ? 2 : 1, static_cast<int>(2 * o), 0};
  // Next to 1, `rest` is rounded to more than the last digits of a small 1 - rest.
  const bool whole = place.rest == 0 || axis.div == 0;
  const f64 own = whole ? 1 - place.rest : divide_by_normal(static_cast<f64>(axis.div - place.part), static_cast<f64>(axis.div));
  put(p.forward ? 2 * o : count_before(p, axis, place.cell) + o, own);
  if (p.forward || place.cell + 1 < axis.in) put(p.forward ? 2 * o + 1 : count_before(p, axis, place.cell + 1) + o, place.rest);
}

// Returns the taps of element i of the input.
__device__ __forceinline__ ResizeTarget taps_of(const ResizeTablesParams& p, const ResizeAxis& axis, i64 i) {
  // Elements in the cell before take part with their second weight; nearest has none.
  const i64 own = count_before(p, axis, i), end = count_before(p, axis, i + 1);
  i64 first = p.nearest ? own : count_before(p, axis, i - 1);
  // The second weight is 0 for elements that lie exactly on that cell, as elements clamped to it do. Skipping up to four of them keeps short
  // ranges short.
#pragma unroll 1
  for (int k = 0; k < 4 && first < own && weighted_place(p, axis, first).rest == 0; ++k) ++first;
  return {static_cast<int>(first), static_cast<int>(end - first), static_cast<int>(own + first), 0};
}

extern "C" __global__ void __launch_bounds__(kBlock) ADJ_ENTRY(const __grid_constant__ ResizeTablesParams p) {
  let_next_grid_begin();
  auto elements_of = [&](int a) { return p.axis[a].out + (p.forward ? 0 : p.axis[a].in); };
  const i64 all = elements_of(0) + elements_of(1) + elements_of(2);
#pragma unroll 1
  for (i64 t = global_thread(); t < all; t += global_threads()) {
    int a = 0;
    i64 i = t;
#pragma unroll 1
    for (; i >= elements_of(a); ++a) i -= elements_of(a);
    const ResizeAxis& axis = p.axis[a];
    ResizeTarget* const targets = reinterpret_cast<ResizeTarget*>(p.tables.base + p.tables.targets[a]);
    if (i < axis.out) write_weights(p, axis, targets, p.tables.base + p.tables.weights[a], i);
    else targets[i - axis.out] = taps_of(p, axis, i - axis.out);
  }
}
