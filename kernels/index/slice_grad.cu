// Computes: dinput, which is dout at the elements of a slice and 0 elsewhere, in one pass.
// Work split: p.lanes neighbouring threads take a stretch of a row of dinput, a unit of 16 aligned bytes each at a time.
// Memory: every byte of dinput is written once, every byte of dout is read once.
// Limits: any alignment; a unit at the end of a row that is not whole is written element by element.
//
// Macro: ADJ_BYTES size of an element.
#include "index/params.h"
#include "prelude/memory.cuh"
#include "prelude/thread.cuh"
#include "prelude/types.cuh"

#if ADJ_BYTES == 8
typedef u64 Element;
#elif ADJ_BYTES == 4
typedef u32 Element;
#elif ADJ_BYTES == 2
typedef u16 Element;
#else
typedef u8 Element;
#endif
constexpr int kElements = 16 / ADJ_BYTES;  // of a unit

// How many steps lead from the first coordinate to one at this distance; -1 where none does.
__device__ __forceinline__ i64 steps_to(i64 distance, i64 step, i64 length) {
  if (distance < 0) return -1;
  i64 i = distance;
  if (step != 1) {
    if (static_cast<u64>(distance | step) >> 32) i = distance / step;
    else i = static_cast<u32>(distance) / static_cast<u32>(step);
    if (i * step != distance) return -1;
  }
  return i < length ? i : -1;
}

// The value of the element at a column, whose row begins at `from` in dout.
__device__ __forceinline__ Element element_at(const SliceGradParams& p, const Element* from, i64 column) {
  const i64 i = steps_to(column - p.first, p.step, p.length);
  return i < 0 ? Element{0} : from[i * p.stride];
}

// The unit from `column` on, all of whose elements are of the row.
__device__ __forceinline__ Words4 unit_at(const SliceGradParams& p, const Element* from, i64 column) {
  const i64 begin = column - p.first;
  if (begin <= -kElements || begin > (p.length - 1) * p.step) return {0, 0, 0, 0};
  if (p.step == 1 && p.stride == 1 && begin >= 0 && begin + kElements <= p.length) {
    const Element* const at = from + begin;
    const u32 skew = static_cast<u32>(reinterpret_cast<u64>(at)) & 15;
    if (skew == 0) return load_words(reinterpret_cast<const Words4*>(at));
    if (ADJ_BYTES <= 4 && skew % 4 == 0) {
      const Words1* const words = reinterpret_cast<const Words1*>(at);
      return {load_words(words).x, load_words(words + 1).x, load_words(words + 2).x, load_words(words + 3).x};
    }
  }
  u64 half[2] = {0, 0};
#pragma unroll
  for (int k = 0; k < kElements; ++k)
    half[k * ADJ_BYTES / 8] |= static_cast<u64>(element_at(p, from, column + k)) << (k * ADJ_BYTES % 8 * 8);
  return {static_cast<u32>(half[0]), static_cast<u32>(half[0] >> 32), static_cast<u32>(half[1]), static_cast<u32>(half[1] >> 32)};
}

extern "C" __global__ void __launch_bounds__(kIndexBlock) ADJ_ENTRY(const __grid_constant__ SliceGradParams p) {
  const i64 items_of_block = block_threads() / p.lanes;
  const int lane = thread_index() & (p.lanes - 1);
#pragma unroll 1
  for (i64 item = block_index() * items_of_block + thread_index() / p.lanes; item < p.items; item += grid_blocks() * items_of_block) {
    const i64 row = p.stretches == 1 ? item : item / p.stretches, stretch = item - row * p.stretches;
    // Where the row comes from; `taken`: whether the slice has any of it.
    i64 left = row, origin = p.origin;
    bool taken = true;
#pragma unroll 1
    for (int k = p.rank - 1; k >= 0; --k) {
      const u64 extent = static_cast<u64>(p.extents[k]);
      const i64 above = static_cast<i64>(static_cast<u64>(left) >> 32 | extent >> 32 ? static_cast<u64>(left) / extent
                                                                                     : static_cast<u32>(left) / static_cast<u32>(extent));
      const i64 i = steps_to(left - above * p.extents[k] - p.firsts[k], p.steps[k], p.lengths[k]);
      taken &= i >= 0;
      origin += i * p.strides[k];
      left = above;
    }
    const Element* const from = static_cast<const Element*>(p.dout) + (taken ? origin : 0);
    Element* const to = static_cast<Element*>(p.dinput) + row * p.row;
    // Units are aligned: the first one begins up to 15 bytes before the row.
    const i64 before = static_cast<i64>(reinterpret_cast<u64>(to) & 15) / ADJ_BYTES;
    const i64 units = (before + p.row + kElements - 1) / kElements, begin = stretch * p.units;
    const i64 end = min_of<i64>(units, begin + p.units);
#pragma unroll 2
    for (i64 unit = begin + lane; unit < end; unit += p.lanes) {
      const i64 column = unit * kElements - before;
      if (column >= 0 && column + kElements <= p.row) {
        store_words(reinterpret_cast<Words4*>(to + column), taken ? unit_at(p, from, column) : Words4{0, 0, 0, 0});
      } else {
#pragma unroll 1
        for (i64 c = max_of<i64>(column, 0); c < min_of<i64>(column + kElements, p.row); ++c)
          to[c] = taken ? element_at(p, from, c) : Element{0};
      }
    }
  }
}
