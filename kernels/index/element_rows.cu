// Computes: dinput[row, v] (=|+=) sum of dout[row, i] over the positions i with indices[row, i] == v. A position with an index outside the
// row adds nothing and counts as an error.
// Work split: a block takes a row. It counts the positions of each element, gives each element a part of a list in shared memory, and fills
// the list in the order of arrival. A thread sums an element with up to kElementFew positions, the block an element with more.
// Memory: indices and dout are read once, by way of the level-2 cache, to which the block fetches its next row ahead; dinput is written once.
// Order of additions: up to kElementFew positions by position. More: each thread its own by position, then the threads in a fixed tree. The
// order in the list makes no difference.
// Limits: up to kElementsOfThread * 1024 positions and as many elements of a row, checked by the plan.
//
// Macros: ADJ_T element type, ADJ_I index type.
#include "segment_sum/keys.h"
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

// Returns the sum of the entries [begin, end), added by ascending position. Searches the next position each time: there are few.
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

extern "C" __global__ void __launch_bounds__(kMostWarps* kWarp, 1) ADJ_ENTRY(const __grid_constant__ IndexElementRowsParams p) {
  ADJ_DYNAMIC_SHARED(memory);
  ADJ_SHARED(u32, totals, kMostWarps);
  ADJ_SHARED(A, scratch, kMostWarps);
  ADJ_SHARED(u32, listed, 2);  // number of elements with 3 to kElementFew positions, and with more
  const int thread = thread_index(), threads = block_threads();
  // Number of positions of each element so far; then the begin of the element in the list, with one more behind the last.
  u32* const starts = reinterpret_cast<u32*>(memory);
  const Entries entries = {reinterpret_cast<T*>(starts + kOwn * threads + 4), reinterpret_cast<u16*>(memory + p.positions_at)};
  u16* const lists = entries.positions + p.count;  // the elements counted in listed[0] from the front, in listed[1] from the back
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
    // The last barrier of the row before comes after every read of `starts` and `listed`, so they may be cleared.
#pragma unroll
    for (int k = 0; k < kOwn; ++k) starts[k * threads + thread] = 0;
    if (thread < 2) listed[thread] = 0;
    block_barrier();
    u32 own[kOwn];  // low 16 bits: element; high 16 bits: place among the positions of the element
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
    // Two numbers have the same sum in any order. Elements with more positions are listed first, so that threads then have about as many each.
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
