// Elementwise work on lists of tensors. A list is cut into chunks of one element count; a block takes a chunk, finds its
// tensor in the table, and applies an operation to it with the widest accesses that the addresses allow.
//
// An operation names its vector width and describes one group of elements in registers:
//   static constexpr int kVector;                             elements per thread and access
//   struct Group;                                             kVector elements of every array, packed
//   void load(Group&, const Place<kVector>&) const;
//   void finish(const Group&, const Place<kVector>&) const;         compute and store
// Every element passes through the same instructions wherever it falls, so results are bitwise independent of chunks,
// alignment and listing.
#pragma once

#include "params/multi_tensor.h"
#include "prelude/memory.cuh"
#include "prelude/thread.cuh"

// Bytes of the widest of some element types.
template <class T, class... Rest> constexpr int kWidest = kWidest<T> > kWidest<Rest...> ? kWidest<T> : kWidest<Rest...>;
template <class T> constexpr int kWidest<T> = static_cast<int>(sizeof(T));

// The table of a launch, by value in the parameters or in the workspace.
template <int K> struct MultiTensorView {
  const u64* address;
  const i64* numel;
  const u32* first_chunk;
  u32 capacity;

  template <class T> __device__ __forceinline__ T* array(int k, u32 tensor) const {
    return reinterpret_cast<T*>(address[static_cast<u32>(k) * capacity + tensor]);
  }
};
template <class Head, int K, unsigned Bytes>
__device__ __forceinline__ MultiTensorView<K> view_table(const MultiTensorParams<Head, K, Bytes>& p) {
  return {&p.table.address[0][0], p.table.numel, p.table.first_chunk, MultiTensorTable<K, Bytes - sizeof(Head)>::kCapacity};
}
template <class Head, int K>
__device__ __forceinline__ MultiTensorView<K> view_table(const MultiTensorParams<Head, K, 0>& p) {
  const u32 tensors = p.head.list.tensors;
  const u64* address = static_cast<const u64*>(p.head.list.table);
  const i64* numel = reinterpret_cast<const i64*>(address + u64{K} * tensors);
  return {address, numel, reinterpret_cast<const u32*>(numel + tensors), tensors};
}

// The tensor that a chunk belongs to: the last one whose first chunk is not beyond it. Each round divides the candidates
// by the lanes of a warp; all warps of the block search alike.
__device__ __forceinline__ u32 find_tensor(const u32* first_chunk, u32 tensors, u32 chunk) {
  u32 low = 0;
  while (tensors > 1) {
    const u32 step = (tensors + kWarp - 1) / kWarp;
    const u32 at = static_cast<u32>(lane_index()) * step;
    const bool before = at < tensors && first_chunk[low + at] <= chunk;
    const u32 skipped = static_cast<u32>(popcount(ballot(before)) - 1) * step;
    low += skipped;
    tensors = min_of(step, tensors - skipped);
  }
  return low;
}

// Elements before the first one at which every array of a tensor is aligned to V elements; -1 when there is none.
template <int V> struct Peel {
  int phase = -1;
  bool common = true;

  template <class T> __device__ __forceinline__ void add(const T* p) {
    const int own = static_cast<int>(reinterpret_cast<u64>(p) / sizeof(T)) & (V - 1);
    common = common && (phase < 0 || phase == own);
    phase = own;
  }
  __device__ __forceinline__ int elements() const { return common ? (V - phase) & (V - 1) : -1; }
};

// Where the N elements of a thread's group lie: next to each other from an aligned place on, or one per thread of the block
// at a time and below a limit. A group whose limit is not above `first` is empty.
template <int N> struct Place {
  int first, limit;
  bool whole;

  __device__ __forceinline__ bool any() const { return first < limit; }
  // p is aligned to N elements when the group is whole.
  template <class T> __device__ __forceinline__ Packed<T, N> load(const T* p) const {
    if (whole) return load_words(reinterpret_cast<const Packed<T, N>*>(p + first));
    Vec<T, N> v{};
#pragma unroll
    for (int j = 0; j < N; ++j)
      if (first + j * kMultiTensorThreads < limit) v.at[j] = p[first + j * kMultiTensorThreads];
    return pack_vector<T, N>(v);
  }
  template <class T> __device__ __forceinline__ void store(T* p, const Vec<T, N>& v) const {
    if (whole) {
      store_streaming(reinterpret_cast<Packed<T, N>*>(p + first), pack_vector<T, N>(v));
      return;
    }
#pragma unroll
    for (int j = 0; j < N; ++j)
      if (first + j * kMultiTensorThreads < limit) p[first + j * kMultiTensorThreads] = v.at[j];
  }
};

// What a chunk covers, in elements of its tensor: [begin, end) with a part of whole vectors inside. All chunks but the
// first begin where a vector does, so heads and tails are found at the ends of a tensor only.
struct ChunkRange {
  i64 begin;
  int head;     // elements before the vectors
  int vectors;
  int tail;     // elements after them
};
template <int V> __device__ __forceinline__ ChunkRange chunk_range(u32 index, int chunk_log2, i64 numel, int peel) {
  const i64 size = i64{1} << chunk_log2;
  const i64 start = static_cast<i64>(index) << chunk_log2;
  if (peel < 0) return {start, static_cast<int>(min_of(size, numel - start)), 0, 0};
  const i64 begin = index == 0 ? 0 : min_of(start + peel, numel);
  const i64 end = min_of(start + size + peel, numel);
  const int head = index == 0 ? static_cast<int>(min_of(static_cast<i64>(peel), numel)) : 0;
  const int rest = static_cast<int>(end - begin) - head;
  return {begin, head, rest / V, rest % V};
}

// Applies an operation whose arrays begin at the range. Every thread loads its next group before it finishes the current
// one, so two are in flight. Vectors come first, then the single elements: heads, tails, and tensors whose arrays cannot be
// aligned together; of these neighbouring threads take neighbouring ones.
template <class Op> __device__ __forceinline__ void apply_to_range(const Op& op, const ChunkRange& range) {
  constexpr int V = Op::kVector;
  const int single = range.head + range.tail;
  const int vector_rounds = (range.vectors + kMultiTensorThreads - 1) / kMultiTensorThreads;
  const int rounds = vector_rounds + (single + V * kMultiTensorThreads - 1) / (V * kMultiTensorThreads);
  Place<V> current{0, 0, false};
  typename Op::Group group, loaded;
#pragma unroll 1
  for (int round = 0; round <= rounds; ++round) {
    Place<V> next{0, 0, false};
    if (round < vector_rounds) {
      next = {range.head + (round * kMultiTensorThreads + thread_index()) * V, range.head + range.vectors * V, true};
    } else if (round < rounds) {
      // Either all elements are single, or there are fewer than one per thread, around the vectors.
      const int element = (round - vector_rounds) * kMultiTensorThreads * V + thread_index();
      next = {element, range.vectors == 0 ? single : range.head, false};
      if (element >= range.head) next.first += range.vectors * V, next.limit = range.vectors * V + single;
    }
    if (next.any()) op.load(loaded, next);
    if (current.any()) op.finish(group, current);
    group = loaded;
    current = next;
  }
}
