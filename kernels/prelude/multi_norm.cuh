// Sums of squares over lists of tensors. The bits do not depend on how a list is cut into launches, on alignment or on the order of blocks.
//
// A block takes a chunk of 2^kNormChunk elements, whatever the list. A thread takes groups of 16 bytes of elements, counted from the start of
// the tensor, so that alignment does not change which thread adds an element. A group is summed in the accumulator's type, groups in f64.
// A block stores the partial sum of its chunk. The block that is last to finish a tensor adds its partial sums in a fixed order. The block that
// is last to finish the list adds the tensors as integers, so that their order makes no difference.
//
// Squares neither overflow nor vanish: f32 groups outside the safe range are computed again in f64, and f64 squares outside it are summed
// apart, scaled.
#pragma once

#include "prelude/cut.cuh"
#include "prelude/multi_tensor.cuh"
#include "prelude/reduce.cuh"
#include "prelude/multi_norm.h"

template <class A> struct Squares;

template <> struct Squares<f32> {
  static constexpr int kNumbers = kNormNumbers;
  f64 number[kNumbers] = {0};

  template <int N> __device__ __forceinline__ void add(const f32 (&x)[N]) {
    f32 sum = x[0] * x[0];
#pragma unroll
    for (int i = 1; i < N; ++i) sum = fused_multiply_add(x[i], x[i], sum);
    if (sum >= 0x1p-80f && sum <= 0x1p120f) {
      number[0] += static_cast<f64>(sum);
    } else {
#pragma unroll
      for (int i = 0; i < N; ++i) number[0] = fused_multiply_add(static_cast<f64>(x[i]), static_cast<f64>(x[i]), number[0]);
    }
  }
  __device__ __forceinline__ void add_one(f32 x) { number[0] = fused_multiply_add(static_cast<f64>(x), static_cast<f64>(x), number[0]); }
  // Returns the root of a sum.
  static __device__ __forceinline__ f64 root(const f64* number) {
    const f64 sum = number[0];
    return sum > 0 && sum < 0x1p500 ? square_root_of_normal(sum) : sum;
  }
};

// Three sums: squares as they are, squares of large numbers times 2^-600, and squares of small numbers times 2^600.
template <> struct Squares<f64> {
  static constexpr int kNumbers = kNormNumbersOfF64;
  f64 number[kNumbers] = {0, 0, 0};

  template <int N> __device__ __forceinline__ void add(const f64 (&x)[N]) {
    f64 sum = x[0] * x[0];
#pragma unroll
    for (int i = 1; i < N; ++i) sum = fused_multiply_add(x[i], x[i], sum);
    if (sum >= 0x1p-500 && sum <= 0x1p900) {
      number[0] += sum;
    } else {
#pragma unroll
      for (int i = 0; i < N; ++i) add_one(x[i]);
    }
  }
  __device__ __forceinline__ void add_one(f64 x) {
    const f64 size = x < 0 ? -x : x;
    const bool large = !(size <= 0x1p450), small = size < 0x1p-250;
    const f64 scaled = size * (large ? 0x1p-600 : small ? 0x1p600 : 1.0), square = scaled * scaled;
    number[0] += large || small ? 0 : square;
    number[1] += large ? square : 0;
    number[2] += small ? square : 0;
  }
  static __device__ __forceinline__ f64 root(const f64* number) {
    const bool large = !(number[1] == 0), middle = number[0] != 0;
    const f64 sum = large ? number[1] + number[0] * 0x1p-600 * 0x1p-600 : middle ? number[0] + number[2] * 0x1p-600 * 0x1p-600 : number[2];
    return square_root(sum) * (large ? 0x1p600 : middle ? 1.0 : 0x1p-600);
  }
};

// Replaces v by its sums over the threads of the block, in every thread. `scratch` holds N f64 for each warp and may be reused after the next
// block barrier.
static __device__ __noinline__ f64 block_sum_once(f64 v, f64* scratch) { return block_sum(v, scratch); }
template <int N> __device__ __forceinline__ void block_sums(f64 (&v)[N], f64* scratch) {
#pragma unroll
  for (int n = 0; n < N; ++n) v[n] = block_sum_once(v[n], scratch + n * block_warps());
}
// Sets v to the sums of `count` entries of N numbers in memory, added in an order that depends on `count` alone.
template <int N> __device__ __forceinline__ void sum_partials(f64 (&v)[N], const f64* partials, u32 count, f64* scratch) {
#pragma unroll
  for (int n = 0; n < N; ++n) v[n] = 0;
#pragma unroll 1
  for (u32 i = static_cast<u32>(thread_index()); i < count; i += static_cast<u32>(block_threads()))
#pragma unroll
    for (int n = 0; n < N; ++n) v[n] += partials[static_cast<u64>(i) * N + n];
  block_barrier();  // a thread may still read scratch
  block_sums(v, scratch);
}
// Returns the sum of `count` numbers, `stride` apart, the same for any order of them; by all threads of a block. Each number is cut into
// three parts of 32 bits relative to the largest number, and the parts are added as integers. The bits cut off are below 2^-94 of the largest.
// Numbers must be 0, at least 2^-990, infinite or NaN, and not negative.
static __device__ __noinline__ f64 sum_in_any_order(const f64* numbers, u32 count, u32 stride) {
  constexpr int kParts = 3;
  constexpr u32 kInfinite = 0x7ff00000u;
  ADJ_SHARED(u32, highest, 1);
  ADJ_SHARED(u64, parts, kParts);
  block_barrier();  // a thread may still read highest and parts of the call before
  if (thread_index() == 0) {
    highest[0] = 0;
    for (int k = 0; k < kParts; ++k) parts[k] = 0;
  }
  block_barrier();
  u32 high = 0;
#pragma unroll 1
  for (u32 i = static_cast<u32>(thread_index()); i < count; i += static_cast<u32>(block_threads())) {
    const f64 x = numbers[static_cast<u64>(i) * stride];
    u64 bits;
    memcpy(&bits, &x, sizeof bits);
    high = max_of(high, x == x ? static_cast<u32>(bits >> 32) : kInfinite + 1);
  }
  atomic_max(highest, high);
  block_barrier();
  high = highest[0];
  if (high >= kInfinite) return from_bits(high > kInfinite ? 0x7fc00000u : 0x7f800000u);
  if (high == 0) return 0;
  // Times `up`, the largest number lies in [2^31, 2^32).
  const u64 up_bits = static_cast<u64>(2 * 1023 + 31 - (high >> 20)) << 52, down_bits = static_cast<u64>((high >> 20) - 31) << 52;
  f64 up, down;
  memcpy(&up, &up_bits, sizeof up);
  memcpy(&down, &down_bits, sizeof down);
  u64 sums[kParts] = {0, 0, 0};
#pragma unroll 1
  for (u32 i = static_cast<u32>(thread_index()); i < count; i += static_cast<u32>(block_threads())) {
    f64 x = numbers[static_cast<u64>(i) * stride] * up;
#pragma unroll
    for (int k = 0; k < kParts; ++k) {
      const u32 part = static_cast<u32>(x);
      sums[k] += part;
      x = (x - static_cast<f64>(part)) * 0x1p32;
    }
  }
#pragma unroll
  for (int k = 0; k < kParts; ++k) {
    const u64 sum = warp_sum(sums[k]);
    if (lane_index() == 0) atomic_add(parts + k, sum);
  }
  block_barrier();
  const u64 middle = parts[1] + (parts[2] >> 32), whole = parts[0] + (middle >> 32);
  return (static_cast<f64>(whole) + static_cast<f64>(static_cast<u32>(middle)) * 0x1p-32) * down;
}
// Sets v to the sums over all tensors of the list.
template <int N> __device__ __forceinline__ void sum_tensors(f64 (&v)[N], const f64* tensors, u32 count) {
#pragma unroll
  for (int n = 0; n < N; ++n) v[n] = sum_in_any_order(tensors + n, count, N);
}
// Counts the block, after what thread 0 has written before. Returns true in all threads of the block that is the last of `count`.
__device__ __forceinline__ bool last_to_finish(u32* counter, u32 count) {
  ADJ_SHARED(u32, taken, 1);
  if (thread_index() == 0) {
    device_fence();
    taken[0] = atomic_add(counter, 1u);
  }
  block_barrier();
  const bool last = taken[0] == count - 1;
  if (last) device_fence();
  block_barrier();  // every thread has read taken[0] before the next call writes it
  return last;
}

// The chunk of a block.
struct NormChunk {
  u32 entry;        // entry of its tensor in the table
  u32 tensor;       // number of its tensor in the whole list
  u32 index;        // number of the chunk in its tensor
  u32 chunks;       // chunks of the tensor
  u64 first_partial;  // place of the partial sum of the tensor's first chunk
  int elements;     // elements of the chunk, at most 2^kNormChunk while the list has no more than 2^31 chunks of that size
  i64 begin;        // first element of the chunk in the tensor
};
__device__ __forceinline__ NormChunk norm_chunk(const MultiTensorHead& list, const MultiTensorTable& table) {
  NormChunk c;
  const u32 chunk = static_cast<u32>(block_index());
  c.entry = find_tensor(list, table.first_chunk, chunk);
  const u32 first = table.first_chunk[c.entry];
  c.tensor = list.first_tensor + c.entry;
  c.index = chunk - first;
  c.chunks = (c.entry + 1 < list.tensors ? table.first_chunk[c.entry + 1] : list.chunks) - first;
  c.first_partial = static_cast<u64>(list.first_chunk) + first;
  c.begin = static_cast<i64>(c.index) << list.chunk_log2;
  c.elements = static_cast<int>(min_of<i64>(i64{1} << list.chunk_log2, table.elements(list, c.entry) - c.begin));
  return c;
}

// Hands in the sums v of a chunk, which all threads of the block pass. Returns true in the block that finishes the tensor; v then has the sums
// over the tensor, which are also in partials.tensors.
template <int N> __device__ __forceinline__ bool close_tensor(const NormPartials& partials, const NormChunk& c, f64 (&v)[N], f64* scratch) {
  if (c.chunks > 1) {
    if (thread_index() == 0)
#pragma unroll
      for (int n = 0; n < N; ++n) partials.chunks[(c.first_partial + c.index) * N + static_cast<u64>(n)] = v[n];
    if (!last_to_finish(partials.finished + c.tensor, c.chunks)) return false;
    sum_partials(v, partials.chunks + c.first_partial * N, c.chunks, scratch);
  }
  if (thread_index() == 0)
#pragma unroll
    for (int n = 0; n < N; ++n) partials.tensors[static_cast<u64>(c.tensor) * N + static_cast<u64>(n)] = v[n];
  return true;
}
// Called where close_tensor returned true. Returns true in the block that finishes the list; v then has the sums over all tensors.
template <int N> __device__ __forceinline__ bool close_list(const NormPartials& partials, f64 (&v)[N]) {
  if (!last_to_finish(partials.finished + partials.count, partials.full)) return false;
  sum_tensors(v, partials.tensors, partials.count);
  return true;
}

// Loads elements [first, first + N) of a chunk of `count` elements, zeros behind its end, at any alignment. Where both words around the group
// lie inside the chunk, it is cut out of them.
template <class T> __device__ __forceinline__ Words4 load_any_group(const T* p, int first, int count) {
  constexpr int N = kVec16<T>;
  Words4 words;
  if (first > 0 && first + 2 * N <= count) {
    const u64 address = reinterpret_cast<u64>(p + first);
    const Words4* at = reinterpret_cast<const Words4*>(address & ~u64{15});
    words = cut16<static_cast<int>(sizeof(T))>(load_words(at), load_words(at + 1), static_cast<int>(address & 15));
  } else {
    Queue<T, N> queue{};
#pragma unroll 1
    for (int i = first; i < first + N; ++i) queue.push(i < count ? p[i] : T{});
    memcpy(&words, queue.words, sizeof words);
  }
  return words;
}

// Adds the squares of this thread's groups among the `count` elements of a chunk, which begins at p.
template <class T> __device__ __forceinline__ void add_squares(Squares<Acc<T>>& sum, const T* p, int count) {
  constexpr int N = kVec16<T>, kFlight = 4;
  const int whole = aligned16(p) ? static_cast<int>(static_cast<u32>(count) / N) : 0;
  int group = thread_index();
#pragma unroll 1
  while (group < whole) {
    Words4 words[kFlight];
#pragma unroll
    for (int i = 0; i < kFlight; ++i) {
      words[i] = {0, 0, 0, 0};
      if (group + i * kMultiTensorThreads < whole) words[i] = load_words(reinterpret_cast<const Words4*>(p) + group + i * kMultiTensorThreads);
    }
#pragma unroll
    for (int i = 0; i < kFlight; ++i) {
      if (group >= whole) break;
      Acc<T> x[N];
      widen<T>(words[i], x);
      sum.add(x);
      group += kMultiTensorThreads;
    }
  }
#pragma unroll 1
  for (; group * N < count; group += kMultiTensorThreads) {
    Acc<T> x[N];
    widen<T>(load_any_group(p, group * N, count), x);
    sum.add(x);
  }
}
