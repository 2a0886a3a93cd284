// Computes: dinput = dout at the elements of a slice, 0 elsewhere, in one pass. slice.h defines row, stretch and item.
// Work split: p.lanes neighbouring threads take a stretch of a row of dinput, four aligned vectors of 16 bytes each at a time.
// Memory: every byte of dinput is written once, every byte of dout is read once.
// Order of additions: none.
// Limits: any alignment. Vectors that the ends of a row cut are written element by element.
//
// Macro: ADJ_BYTES size of an element.
#include "prelude/divide.cuh"
#include "prelude/memory.cuh"
#include "prelude/thread.cuh"
#include "prelude/types.cuh"
#include "segment_sum/keys.h"
#include "index/params.h"
#include "index/slice.h"

#if ADJ_BYTES == 8
typedef u64 Element;
#elif ADJ_BYTES == 4
typedef u32 Element;
#elif ADJ_BYTES == 2
typedef u16 Element;
#else
typedef u8 Element;
#endif
constexpr int kElements = 16 / ADJ_BYTES;  // elements of a vector
constexpr int kTogether = kSliceTurns;       // vectors that a thread has in flight

// Returns i where i * step equals the distance from the first coordinate of the slice; -1 where no i below `length` does.
__device__ __forceinline__ i64 steps_to(i64 distance, i64 step, const WideDivisor& by_step, i64 length) {
  if (distance < 0) return -1;
  const i64 i = divide(distance, by_step);
  return i < length && i * step == distance ? i : -1;
}

// Returns the element of dinput at a column; `from` is the element of dout at i = 0 of the row.
__device__ __forceinline__ Element element_at(const SliceBackwardParams& p, const Element* from, i64 column) {
  const i64 i = steps_to(column - p.first, p.step, p.by_step, p.length);
  return i < 0 ? Element{0} : from[i * p.stride];
}

// Returns the vector that begins at `column`. All of its elements are in the row, some may be in the slice.
__device__ __forceinline__ Words4 vector_at(const SliceBackwardParams& p, const Element* from, i64 column) {
  const i64 begin = column - p.first;
  if (p.step == 1 && p.stride == 1 && begin >= 0 && begin + kElements <= p.length) {
    const Element* const at = from + begin;
    const u32 skew = static_cast<u32>(reinterpret_cast<u64>(at)) & 15;
    if (ADJ_BYTES <= 4 && skew % 4 == 0) {
      const Words1* const words = reinterpret_cast<const Words1*>(at);
      return {load_words(words).x, load_words(words + 1).x, load_words(words + 2).x, load_words(words + 3).x};
    }
  }
  // Element by element from the last on; the first ends up in the lowest bits.
  u64 low = 0, high = 0;
#pragma unroll 1
  for (int k = kElements - 1; k >= 0; --k) {
    high = ADJ_BYTES == 8 ? low : high << 8 * (ADJ_BYTES % 8) | low >> (64 - 8 * (ADJ_BYTES % 8)) % 64;
    low = (ADJ_BYTES == 8 ? 0 : low << 8 * (ADJ_BYTES % 8)) | element_at(p, from, column + k);
  }
  return {static_cast<u32>(low), static_cast<u32>(low >> 32), static_cast<u32>(high), static_cast<u32>(high >> 32)};
}

// Writes the elements of the vector from `column` on that are in the row. taken: the slice has elements in the row.
__device__ __forceinline__ void write_vector(const SliceBackwardParams& p, const Element* from, Element* to, i64 column, bool taken) {
  if (taken && column >= 0 && column + kElements <= p.row) {
    store_words(reinterpret_cast<Words4*>(to + column), vector_at(p, from, column));
    return;
  }
#pragma unroll 1
  for (i64 c = max_of<i64>(column, 0); c < min_of<i64>(column + kElements, p.row); ++c) to[c] = taken ? element_at(p, from, c) : Element{0};
}

extern "C" __global__ void __launch_bounds__(kIndexBlock) ADJ_ENTRY(const __grid_constant__ SliceBackwardParams p) {
  const i64 items_of_block = block_threads() / p.lanes;
  const int lane = thread_index() & (p.lanes - 1);
#pragma unroll 1
  for (i64 item = block_index() * items_of_block + thread_index() / p.lanes; item < p.items; item += grid_blocks() * items_of_block) {
    const i64 row = divide(item, p.by_stretches), stretch = item - row * p.stretches;
    // origin: the element of dout at i = 0 of the row. taken: the slice has elements in the row.
    i64 left = row, origin = p.origin;
    bool taken = true;
#pragma unroll 1
    for (int k = p.rank - 1; k >= 0; --k) {
      const i64 above = divide(left, p.by_extents[k]);
      const i64 i = steps_to(left - above * p.extents[k] - p.firsts[k], p.steps[k], p.by_steps[k], p.lengths[k]);
      taken &= i >= 0;
      origin += i * p.strides[k];
      left = above;
    }
    const Element* const from = static_cast<const Element*>(p.dout) + (taken ? origin : 0);
    Element* const to = static_cast<Element*>(p.dinput) + row * p.row;
    // Vectors are aligned: the first one begins up to 15 bytes before the row.
    const i64 before = static_cast<i64>(reinterpret_cast<u64>(to) & 15) / ADJ_BYTES;
    const i64 vectors = (before + p.row + kElements - 1) / kElements, begin = stretch * p.vectors;
    const i64 end = stretch + 1 == p.stretches ? vectors : begin + p.vectors;
    // plain: vectors of dinput that lie inside the slice are aligned vectors of dout, too.
    const bool plain = taken && p.step == 1 && p.stride == 1 && aligned16(from - before - p.first);
    const int step = p.lanes * kElements;
#pragma unroll 1
    for (i64 first = (begin + lane) * kElements - before; first < end * kElements - before; first += kTogether * step) {
      Words4 v[kTogether];
      u32 stored = 0, others = 0;
#pragma unroll
      for (int i = 0; i < kTogether; ++i) {
        v[i] = {0, 0, 0, 0};
        const i64 column = first + i * step, own = column - p.first;
        if (column >= end * kElements - before) continue;
        const bool whole = column >= 0 && column + kElements <= p.row;
        const bool outside = !taken || own <= -kElements || own > (p.length - 1) * p.step;
        const bool inside = plain && own >= 0 && own + kElements <= p.length;
        if (whole && inside) v[i] = load_words(reinterpret_cast<const Words4*>(from + own));
        (whole && (outside || inside) ? stored : others) |= 1u << i;
      }
#pragma unroll
      for (int i = 0; i < kTogether; ++i)
        if (stored >> i & 1) store_words(reinterpret_cast<Words4*>(to + first + i * step), v[i]);
#pragma unroll 1
      for (; others; others &= others - 1) write_vector(p, from, to, first + lowest_bit(others) * step, taken);
    }
  }
}
