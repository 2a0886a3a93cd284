// Elementwise work on lists of tensors. A block takes a chunk, finds its tensor in the table, and applies an operation to it with the widest
// accesses that the addresses allow.
//
// An operation is a class with
//   static constexpr int kVector;                        elements of a group, which a thread moves in one access
//   struct Group;                                        a Queue of kVector elements for each array, in registers
//   void load(Group&, const Place&) const;
//   void update(Group&) const;                           computes one element: takes the fronts, leaves results at the backs
//   void store(const Group&, const Place&) const;
// Every element passes through the same instructions at any place, so the bits do not depend on chunks, alignment or the list.
#pragma once

#include "prelude/multi_tensor.h"
#include "prelude/memory.cuh"
#include "prelude/thread.cuh"

// Bytes of the widest element type.
template <class T, class... Rest> constexpr int kWidest = kWidest<T> > kWidest<Rest...> ? kWidest<T> : kWidest<Rest...>;
template <class T> constexpr int kWidest<T> = static_cast<int>(sizeof(T));

// The table of a launch, in the parameters or in the workspace.
struct MultiTensorTable {
  const u64* constants;
  const u32* low;
  const u32* first_chunk;
  const u32* counts;
  const u16* high;
  u32 capacity;

  __device__ __forceinline__ MultiTensorTable(const u64* table, u32 tensors, MultiTensorForm form) : constants(table), capacity(tensors) {
    low = reinterpret_cast<const u32*>(table + static_cast<u32>(form.constants) * u64{tensors});
    first_chunk = low + static_cast<u32>(form.arrays) * u64{tensors};
    counts = first_chunk + tensors;
    high = reinterpret_cast<const u16*>(counts + static_cast<u32>(form.counts) * u64{tensors});
  }
  __device__ __forceinline__ u32 at(int k, u32 tensor) const { return static_cast<u32>(k) * capacity + tensor; }
  __device__ __forceinline__ u64 address(int k, u32 tensor) const { return u64{high[at(k, tensor)]} << 32 | low[at(k, tensor)]; }
  // Opaque, so that a loop keeps the address and does not put it together again.
  template <class T> __device__ __forceinline__ T* array(int k, u32 tensor) const { return reinterpret_cast<T*>(opaque(static_cast<i64>(address(k, tensor)))); }
  __device__ __forceinline__ u64 constant(int k, u32 tensor) const { return constants[at(k, tensor)]; }
  __device__ __forceinline__ u32 count(int k, u32 tensor) const { return counts[at(k, tensor)]; }
  // Returns the elements of a tensor that has any, in elementwise work.
  __device__ __forceinline__ i64 elements(const MultiTensorHead& list, u32 tensor) const {
    const u32 next = tensor + 1 < list.tensors ? first_chunk[tensor + 1] : list.chunks;
    return (static_cast<i64>(next - first_chunk[tensor]) << list.chunk_log2) - count(0, tensor);
  }
};
template <class Head, unsigned Bytes>
__device__ __forceinline__ MultiTensorTable table_of(const MultiTensorParams<Head, Bytes>& p, MultiTensorForm form) {
  return {p.table, multi_tensor_capacity(Bytes - sizeof(Head), form), form};
}
template <class Head> __device__ __forceinline__ MultiTensorTable table_of(const MultiTensorParams<Head, 0>& p, MultiTensorForm form) {
  return {static_cast<const u64*>(p.head.list.table), p.head.list.tensors, form};
}

// Returns x divided by the divisor whose inverse_of() is given.
__device__ __forceinline__ u32 divide_by(u32 x, u32 inverse) { return static_cast<u32>(static_cast<u64>(x) * inverse >> kInverseBits); }

// Returns the tensor of a chunk: the last tensor whose first chunk is not behind it. Each round leaves a 32nd of the candidates; every warp of
// the block does the same search.
__device__ __forceinline__ u32 find_tensor(const MultiTensorHead& list, const u32* first_chunk, u32 chunk) {
  if (list.inverse_chunks) return divide_by(chunk, list.inverse_chunks);
  u32 tensors = list.tensors;
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

// elements() is the number of elements before the first one at which all arrays of a tensor are aligned to V elements; -1 when there is none.
template <int V> struct Peel {
  int phase = -1;
  bool common = true;

  template <class T> __device__ __forceinline__ void add(const T* p) { add_element(static_cast<u32>(reinterpret_cast<u64>(p) / sizeof(T))); }
  // number: address of the array's first element, in elements.
  __device__ __forceinline__ void add_element(u32 number) {
    const int own = static_cast<int>(number) & (V - 1);
    common = common && (phase < 0 || phase == own);
    phase = own;
  }
  __device__ __forceinline__ int elements() const { return common ? (V - phase) & (V - 1) : -1; }
};

// The place of a thread's group in the range: kVector neighbouring elements that begin aligned, a single element (count 1), or nothing (0).
struct Place {
  int first, count;
};

// N elements of an array in registers, packed as they are moved. front() reads the first element; push() appends one at the back and moves the
// rest up. So a loop over the elements has its code once and indexes no registers. A single element is loaded to the front and, after one push,
// stored from the back.
template <class T, int N> struct Queue {
  static constexpr int kWords = static_cast<int>(sizeof(T)) * N / 4;
  u32 words[kWords];

  __device__ __forceinline__ T front() const {
    T v;
    memcpy(&v, words, sizeof v);
    return v;
  }
  __device__ __forceinline__ void push(T v) {
    if constexpr (sizeof(T) == 2) {
#pragma unroll
      for (int i = 0; i + 1 < kWords; ++i) words[i] = words[i] >> 16 | words[i + 1] << 16;
      words[kWords - 1] = words[kWords - 1] >> 16 | static_cast<u32>(v.bits) << 16;
    } else {
      constexpr int kOwn = sizeof(T) / 4;
#pragma unroll
      for (int i = 0; i + kOwn < kWords; ++i) words[i] = words[i + kOwn];
      memcpy(words + kWords - kOwn, &v, sizeof v);
    }
  }
  __device__ __forceinline__ void pop() { push(T{}); }

  __device__ __forceinline__ void load(const T* p, const Place& at) {
    if (at.count == N) {
      const Packed<T, N> all = load_words(reinterpret_cast<const Packed<T, N>*>(p + at.first));
      memcpy(words, &all, sizeof all);
    } else {
      const T one = p[at.first];
      if constexpr (sizeof(T) == 2) words[0] = one.bits;
      else memcpy(words, &one, sizeof one);
    }
  }
  __device__ __forceinline__ void store(T* p, const Place& at) const {
    if (at.count == N) {
      Packed<T, N> all;
      memcpy(&all, words, sizeof all);
      store_words(reinterpret_cast<Packed<T, N>*>(p + at.first), all);
    } else {
      T one;
      if constexpr (sizeof(T) == 2) one.bits = static_cast<u16>(words[kWords - 1] >> 16);
      else memcpy(&one, words + kWords - sizeof(T) / 4, sizeof one);
      p[at.first] = one;
    }
  }
};
template <int N> struct Queue<none, N> {
  __device__ __forceinline__ none front() const { return {}; }
  __device__ __forceinline__ void push(none) {}
  __device__ __forceinline__ void load(const none*, const Place&) {}
  __device__ __forceinline__ void store(none*, const Place&) const {}
};

// The elements of a chunk, some of them in whole aligned vectors. All chunks but the first begin with a vector, so heads and tails exist at the
// ends of a tensor only.
struct ChunkRange {
  i64 begin;    // first element in the tensor
  int head;     // elements before the vectors
  int vectors;  // number of vectors
  int tail;     // elements behind the vectors
};
template <int V> __device__ __forceinline__ ChunkRange chunk_range(u32 index, int chunk_log2, i64 numel, int peel) {
  const i64 start = static_cast<i64>(index) << chunk_log2;
  const int skipped = max_of(peel, 0);
  const int reach = static_cast<int>(min_of<i64>((i64{1} << chunk_log2) + skipped, numel - start));  // elements from start to the chunk's end
  const int head = min_of(skipped, reach);
  const int rest = reach - head;
  const int vectors = peel < 0 ? 0 : static_cast<int>(static_cast<u32>(rest) / V);
  // Opaque, so that they stay in registers: computed again in the loop, they would be a large part of its instructions.
  return {opaque(index == 0 ? 0 : start + head), opaque(index == 0 ? head : 0), opaque(vectors), opaque(rest - vectors * V)};
}

// Called before the elements of a group are updated. An operation overloads this if its loaded groups need work as a whole first.
template <class Op> __device__ __forceinline__ void open_group(const Op&, typename Op::Group&) {}
// Called by all threads once, while their first loads are on their way and before anything is updated; false ends the work. An operation
// that has to find out how to update overloads it.
template <class Op> __device__ __forceinline__ bool begin_updates(Op&, const ChunkRange&) { return true; }

// Returns how many elements of a group are updated in a turn of the loop over them. With more of them queues move less often, but there
// is more code.
template <class Op> __device__ constexpr int updates_at_once(const Op*) { return 1; }

// Applies an operation to a range, at which its arrays begin. A thread loads its next group before it updates the current one, so two are in
// flight. Vectors come first, then single elements (heads, tails, and tensors whose arrays have no common alignment), neighbouring ones by
// neighbouring threads.
template <class Op> __device__ __forceinline__ void apply_to_range(Op& op, const ChunkRange& range) {
  constexpr int V = Op::kVector, kAtOnce = updates_at_once(static_cast<const Op*>(nullptr));
  static_assert(V % kAtOnce == 0, "a group consists of whole turns, or of one element");
  const int head = range.head, vectors = range.vectors, items = vectors + head + range.tail;
  int item = thread_index();
  Place current{0, 0};
  typename Op::Group group{};
#pragma unroll 1
  do {
    Place next{0, 0};
    if (item < vectors) {
      next = {head + item * V, V};
    } else if (item < items) {
      const int element = item - vectors;
      next = {element < head ? element : element + vectors * V, 1};
    }
    typename Op::Group loaded{};
    if (next.count > 0) op.load(loaded, next);
    if (current.count > 0) {
      open_group(op, group);
#pragma unroll 1
      for (int left = current.count;; left -= kAtOnce) {
        op.update(group);
        if (left == 1) break;
#pragma unroll
        for (int j = 1; j < kAtOnce; ++j) op.update(group);
        if (left == kAtOnce) break;
      }
      op.store(group, current);
    } else if (!begin_updates(op, range)) {  // in the first turn only
      return;
    }
    group = loaded;
    current = next;
    item += kMultiTensorThreads;
  } while (current.count > 0);
}
