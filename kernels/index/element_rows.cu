// Computes: dinput[row, v] (=|+=) sum of dout[row, i] over the positions i with indices[row, i] == v; positions with an index outside the
// row add nothing and are counted.
// Work split: a block a row. It counts the positions of each element, gives each element a stretch of a list for them, and fills that in
// the order of arrival. A thread adds up the few positions of an element, the block those of one with many.
// Memory: indices and dout are read once, from the level-2 cache, to which the row after the own one is fetched, eight positions of a thread
// together, and every element of dinput is written once.
// Order of additions: up to kElementFew positions from the lowest on; of more, those of each thread from the lowest on, then the
// threads. Where in the list a position stands makes no difference.
// Limits: rows of up to kElementsOfThread * 1024 positions and elements.
//
// Macros: ADJ_T element type, ADJ_I index type.
#include "index/params.h"
#include "prelude/memory.cuh"
#include "prelude/reduce.cuh"

typedef ADJ_T T;
typedef Acc<T> A;

constexpr int kOwn = kElementsOfThread;
constexpr int kMostWarps = 32;
constexpr u32 kNoElement = 0xffff;

typedef Vec<u32, 4> Counts;  // 16 bytes
constexpr int kParts = kOwn / 4;

struct Entries {
  T* values;
  u16* positions;
};

// The sum of the entries [begin, end), the lowest position first.
__device__ __forceinline__ A sum_by_position(const Entries& entries, u32 begin, u32 end) {
  A sum = 0;
  int last = -1;
#pragma unroll 1
  for (u32 left = end - begin; left > 0; --left) {
    int lowest = 0x10000;
    u32 at = begin;
#pragma unroll 1
    for (u32 i = begin; i < end; ++i) {
      const int position = entries.positions[i];
      if (position > last && position < lowest) {
        lowest = position;
        at = i;
      }
    }
    sum += to_acc(entries.values[at]);
    last = lowest;
  }
  return sum;
}

__device__ __forceinline__ void put(int accumulate, T* to, A total) {
  if (accumulate) total += to_acc(*to);
  *to = from_acc<T>(total);
}

extern "C" __global__ void __launch_bounds__(kMostWarps * kWarp, 1) ADJ_ENTRY(const __grid_constant__ IndexElementRowsParams p) {
  ADJ_DYNAMIC_SHARED(memory);
  ADJ_SHARED(u32, totals, kMostWarps);
  ADJ_SHARED(A, scratch, kMostWarps);
  ADJ_SHARED(u32, listed, 2);  // elements with some positions, and with many
  const int thread = thread_index(), threads = block_threads();
  // Positions of each element so far, then the begin of each in the list; some behind the last one.
  u32* const starts = reinterpret_cast<u32*>(memory);
  const Entries entries = {reinterpret_cast<T*>(starts + kOwn * threads + 4), reinterpret_cast<u16*>(memory + p.positions_at)};
  u16* const lists = entries.positions + p.count;  // from either end
  const int length = p.count / 3 + 1;
  u32 errors = 0;
#pragma unroll 1
  for (i64 row = block_index(); row < p.rows; row += grid_blocks()) {
    const ADJ_I* const indices = static_cast<const ADJ_I*>(p.indices) + row * p.count;
    const T* const dout = static_cast<const T*>(p.dout) + row * p.count;
    T* const dinput = static_cast<T*>(p.dinput) + row * p.elements;
    ADJ_I index[kOwn];
    T value[kOwn];
#pragma unroll
    for (int k = 0; k < kOwn; ++k) {
      const int position = k * threads + thread;
      index[k] = 0;
      value[k] = {};
      if (position < p.count) {
        index[k] = indices[position];
        value[k] = dout[position];
      }
    }
    if (const i64 next = row + grid_blocks(); next < p.rows) {
      prefetch(reinterpret_cast<const u8*>(static_cast<const ADJ_I*>(p.indices) + next * p.count), p.count * static_cast<i64>(sizeof(ADJ_I)), thread, threads);
      prefetch(reinterpret_cast<const u8*>(static_cast<const T*>(p.dout) + next * p.count), p.count * static_cast<i64>(sizeof(T)), thread, threads);
    }
    // No thread is still in the row before: its last barrier comes after all that read these.
#pragma unroll
    for (int k = 0; k < kOwn; ++k) starts[k * threads + thread] = 0;
    if (thread < 2) listed[thread] = 0;
    block_barrier();
    u32 own[kOwn];  // element, and above it the place among its positions
#pragma unroll
    for (int k = 0; k < kOwn; ++k) {
      own[k] = kNoElement;
      if (k * threads + thread >= p.count) continue;
      const ADJ_I element = index[k] + (index[k] < 0 ? static_cast<ADJ_I>(p.elements) : 0);
      if (element >= 0 && element < p.elements) own[k] = static_cast<u32>(element) | atomic_add(starts + static_cast<u32>(element), 1u) << 16;
      else ++errors;
    }
    block_barrier();
    Counts* const counts = reinterpret_cast<Counts*>(starts) + thread * kParts;
    Counts part[kParts];
    u32 sum = 0;
#pragma unroll
    for (int i = 0; i < kParts; ++i) {
      part[i] = counts[i];
#pragma unroll
      for (u32& n : part[i].at) {
        const u32 own_count = n;
        n = sum;
        sum += own_count;
      }
    }
    u32 end = sum;
#pragma unroll 1
    for (int delta = 1; delta < kWarp; delta *= 2) {
      const u32 other = shuffle_up(end, delta);
      if (lane_index() >= delta) end += other;
    }
    if (lane_index() == kWarp - 1) totals[warp_index()] = end;
    block_barrier();
    u32 begin = end - sum;
#pragma unroll 1
    for (int w = 0; w < warp_index(); ++w) begin += totals[w];
#pragma unroll
    for (int i = 0; i < kParts; ++i) {
#pragma unroll
      for (u32& n : part[i].at) n += begin;
      counts[i] = part[i];
    }
    if (thread == threads - 1) starts[kOwn * threads] = begin + sum;
    block_barrier();
#pragma unroll
    for (int k = 0; k < kOwn; ++k) {
      if ((own[k] & 0xffff) == kNoElement) continue;
      const u32 at = starts[own[k] & 0xffff] + (own[k] >> 16);
      entries.values[at] = value[k];
      entries.positions[at] = static_cast<u16>(k * threads + thread);
    }
    block_barrier();
    // Two numbers add up to the same in any order. Elements with more come later, so that threads have about as many of them each.
#pragma unroll 1
    for (int element = thread; element < p.elements; element += threads) {
      const u32 first = starts[element], last = starts[element + 1];
      if (last - first > 2) {
        const bool many = last - first > kElementFew;
        const int at = static_cast<int>(atomic_add(listed + many, 1u));
        lists[many ? length - 1 - at : at] = static_cast<u16>(element);
        continue;
      }
      if (p.accumulate && first == last) continue;
      A total = 0;
      if (first < last) total += to_acc(entries.values[first]);
      if (first + 1 < last) total += to_acc(entries.values[first + 1]);
      put(p.accumulate, dinput + element, total);
    }
    block_barrier();
    const int some = static_cast<int>(listed[0]), many = static_cast<int>(listed[1]);
#pragma unroll 1
    for (int i = thread; i < some; i += threads) {
      const int element = lists[i];
      put(p.accumulate, dinput + element, sum_by_position(entries, starts[element], starts[element + 1]));
    }
#pragma unroll 1
    for (int i = 0; i < many; ++i) {
      const u32 element = lists[length - 1 - i], first = starts[element];
      A total = 0;
#pragma unroll
      for (int k = 0; k < kOwn; ++k)
        if ((own[k] & 0xffff) == element) total += to_acc(entries.values[first + (own[k] >> 16)]);
      total = block_sum(total, scratch);
      if (thread == 0) put(p.accumulate, dinput + element, total);
      block_barrier();
    }
    block_barrier();
  }
  if (errors && p.error_flag) atomic_add(p.error_flag, static_cast<i64>(errors));
}
