// Arrays of a step in registers, whatever their element types.
//
// ADJ_WIDEST is the size in bytes of the widest type among weights, gradients and state. It decides the type of the arithmetic and the elements of a
// vector: 8: f64, two; 4: f32, beside 16-bit types too, four; 2: f32 for 16-bit types alone, eight. The type of each array is known at run time.
//
// No include guard: programs that are compiled in one unit each read this file with their own ADJ_WIDEST. Without the macro there is nothing to read.
#include "prelude/multi_tensor.cuh"
#include "optimizer/control.cuh"

#if defined(ADJ_WIDEST)

#if ADJ_WIDEST == 8
typedef f64 A;
#else
typedef f32 A;
#endif
constexpr int kVector = 16 / ADJ_WIDEST;

__device__ __forceinline__ int size_log2(int type) {
  if constexpr (ADJ_WIDEST == 8) return type == kDtypeF64 ? 3 : 1;
  else if constexpr (ADJ_WIDEST == 2) return 1;
  else return type == kDtypeF32 ? 2 : 1;
}
__device__ __forceinline__ u32 size_of(int type) {
  if constexpr (ADJ_WIDEST == 2) return 2;
  else return type == (ADJ_WIDEST == 8 ? kDtypeF64 : kDtypeF32) ? ADJ_WIDEST : 2;
}
__device__ __forceinline__ f32 from_16_bits(u32 bits, int type) { return type == kDtypeBf16 ? from_bits(bits << 16) : to_f32(f16{static_cast<u16>(bits)}); }
__device__ __forceinline__ u32 to_16_bits(f32 v, int type) { return type == kDtypeBf16 ? from_acc<bf16>(v).bits : from_acc<f16>(v).bits; }
__device__ __forceinline__ u32 to_pair(f32 low, f32 high, int type) {
  if (type == kDtypeBf16) return Convert<bf16>::pair(low, high);
  return Convert<f16>::pair(low, high);
}

// Rounds to f32 such that a second rounding to 16 bits gives the correctly rounded result: towards zero, with the last bit set if inexact.
__device__ __forceinline__ f32 to_odd_f32(f64 v) {
  f32 r = static_cast<f32>(v);
  const f64 back = r;
  if (back == v) return r;
  u32 bits;
  memcpy(&bits, &r, 4);
  if ((back < 0 ? -back : back) > (v < 0 ? -v : v)) --bits;
  return from_bits(bits | 1);
}

// An array of a tensor. at: address of the element that counts as element 0.
struct Array {
  u8* at;
  int type;

  // i: an element of a chunk; numbers of elements in a tensor may have more than 32 bits.
  __device__ __forceinline__ u8* element(int i) const { return at + static_cast<u64>(static_cast<u32>(i)) * size_of(type); }
  u8* element(i64) const = delete;
  // Opaque, so that loops do not compute the address again.
  __device__ __forceinline__ void move(i64 elements) {
    at = reinterpret_cast<u8*>(opaque(static_cast<i64>(reinterpret_cast<u64>(at)) + (elements << size_log2(type))));
  }
  __device__ __forceinline__ u32 number() const { return static_cast<u32>(reinterpret_cast<u64>(at) >> size_log2(type)); }
};

// kVector elements of an array in registers. load() leaves them as they are in memory; open() makes them a queue. front() reads the first element,
// push() appends an element and moves the rest up. A single element is at the front after open(), and at the back after one push(). With
// ADJ_WIDEST = 4, open() widens 16-bit elements to f32.
struct Lane {
  u32 words[4];

  __device__ __forceinline__ void load(const Array& a, const Place& where) {
    const u8* p = a.element(where.first);
    const bool wide = size_log2(a.type) == size_log2_of_widest();
    if (where.count == kVector) {
      if (wide) {
        const Words4 w = load_words(reinterpret_cast<const Words4*>(p));
        memcpy(words, &w, 16);
      } else {
        const Words2 w = load_words(reinterpret_cast<const Words2*>(p));
        memcpy(words, &w, 8);
      }
    } else {
      load_one(p, wide);
    }
  }
  __device__ __forceinline__ void open(int type) {
    if constexpr (ADJ_WIDEST == 4) {
      if (type != kDtypeF32) {
        const u32 low = words[0], high = words[1];
        put(0, from_16_bits(low & 0xffff, type));
        put(1, from_16_bits(low >> 16, type));
        put(2, from_16_bits(high & 0xffff, type));
        put(3, from_16_bits(high >> 16, type));
      }
    }
  }
  __device__ __forceinline__ A front(int type) const {
    if constexpr (ADJ_WIDEST == 2) {
      return from_16_bits(words[0] & 0xffff, type);
    } else {
      A v;
      memcpy(&v, words, sizeof v);
      return v;
    }
  }
  __device__ __forceinline__ void push(A v, int type) {
    if constexpr (ADJ_WIDEST == 2) {
      push_16_bits(to_16_bits(v, type));
    } else {
      constexpr int kOwn = ADJ_WIDEST / 4;
#pragma unroll
      for (int i = 0; i + kOwn < 4; ++i) words[i] = words[i + kOwn];
      memcpy(words + 4 - kOwn, &v, sizeof v);
    }
  }
  __device__ __forceinline__ void pop() {
    if constexpr (ADJ_WIDEST == 2) push_16_bits(0);
    else push(A(0), 0);
  }
  __device__ __forceinline__ void push_16_bits(u32 bits) {
#pragma unroll
    for (int i = 0; i < 3; ++i) words[i] = words[i] >> 16 | words[i + 1] << 16;
    words[3] = words[3] >> 16 | bits << 16;
  }
  // Stores an open queue, rounded to the type of the array.
  __device__ __forceinline__ void store(const Array& a, const Place& where) const {
    u8* p = a.element(where.first);
    if (size_log2(a.type) == size_log2_of_widest()) {
      if (where.count == kVector) {
        Words4 w;
        memcpy(&w, words, 16);
        store_words(reinterpret_cast<Words4*>(p), w);
      } else if constexpr (ADJ_WIDEST == 2) {
        *reinterpret_cast<u16*>(p) = static_cast<u16>(words[3] >> 16);
      } else {
        A v;
        memcpy(&v, words + 4 - ADJ_WIDEST / 4, sizeof v);
        *reinterpret_cast<A*>(p) = v;
      }
    } else if constexpr (ADJ_WIDEST == 8) {
      f64 v[2];
      memcpy(v, words, 16);
      const u32 pair = to_pair(to_odd_f32(v[0]), to_odd_f32(v[1]), a.type);
      if (where.count == kVector) store_words(reinterpret_cast<Words1*>(p), Words1{pair});
      else *reinterpret_cast<u16*>(p) = static_cast<u16>(pair >> 16);
    } else if constexpr (ADJ_WIDEST == 4) {
      const Words2 pairs{to_pair(get(0), get(1), a.type), to_pair(get(2), get(3), a.type)};
      if (where.count == kVector) store_words(reinterpret_cast<Words2*>(p), pairs);
      else *reinterpret_cast<u16*>(p) = static_cast<u16>(pairs.y >> 16);
    }
  }

  static __device__ __forceinline__ int size_log2_of_widest() { return ADJ_WIDEST == 8 ? 3 : ADJ_WIDEST == 4 ? 2 : 1; }
  __device__ __forceinline__ void load_one(const u8* p, bool wide) {
    if constexpr (ADJ_WIDEST == 8) {
      const u64 bits = *reinterpret_cast<const u64*>(p);
      memcpy(words, &bits, sizeof bits);
    } else if (ADJ_WIDEST == 4 && wide) {
      words[0] = *reinterpret_cast<const u32*>(p);
    } else {
      words[0] = *reinterpret_cast<const u16*>(p);
    }
  }
  __device__ __forceinline__ f32 get(int i) const { return from_bits(words[i]); }
  __device__ __forceinline__ void put(int i, f32 v) { memcpy(words + i, &v, 4); }
};

__device__ __forceinline__ Array array_of(const MultiTensorTable& table, int place, u32 t, int type, i64 begin) {
  return {reinterpret_cast<u8*>(opaque(static_cast<i64>(table.address(place, t)) + (begin << size_log2(type)))), type};
}

// The arrays of a tensor. An array that is left out begins at null.
template <int kStates> struct StepArrays {
  const StepLists& lists;
  Array w, g, state[kStates], copy;

  __device__ __forceinline__ StepArrays(const StepLists& step, const MultiTensorTable& table, u32 t) : lists(step) {
    auto array = [&](bool there, int place, int type) { return Array{there ? reinterpret_cast<u8*>(table.address(place, t)) : nullptr, type}; };
    w = array(true, 0, lists.param);
    g = array(true, 1, lists.grad);
#pragma unroll
    for (int i = 0; i < kStates; ++i) state[i] = array(lists.state, 2 + i, lists.state);
    copy = array(lists.copies, lists.copies, lists.copy);
  }
  // Returns the range that a chunk covers, and moves the arrays to its begin. The range has vectors only if all arrays can be aligned together;
  // otherwise elements are taken one by one.
  __device__ __forceinline__ ChunkRange cut(const MultiTensorTable& table, const MultiTensorHead& list, u32 t, u32 chunk) {
    Peel<kVector> peel;
    peel.add_element(w.number());
    peel.add_element(g.number());
#pragma unroll
    for (int i = 0; i < kStates; ++i)
      if (lists.state) peel.add_element(state[i].number());
    if (lists.copies) peel.add_element(copy.number());
    const ChunkRange range = chunk_range<kVector>(chunk - table.first_chunk[t], list.chunk_log2, table.elements(list, t), peel.elements());
    w.move(range.begin);
    g.move(range.begin);
#pragma unroll
    for (int i = 0; i < kStates; ++i) state[i].move(lists.state ? range.begin : 0);
    copy.move(lists.copies ? range.begin : 0);
    return range;
  }
};

// Writes zeros over the gradients of a chunk.
__device__ __forceinline__ void clear_gradients(const Array& g, const ChunkRange& range) {
  const int log2 = size_log2(g.type) - 1, count = range.head + range.vectors * kVector + range.tail;  // in units of two bytes
  u16* p = reinterpret_cast<u16*>(g.at);
#pragma unroll 1
  for (i64 i = thread_index(); i < static_cast<i64>(count) << log2; i += kMultiTensorThreads) p[i] = 0;
}

// Called by all threads of a block after one of them has computed the factors, which takes the time in which the first loads are in flight. False:
// the step is skipped.
template <class Update> __device__ __forceinline__ bool begin_step(Update& op, const ChunkRange& range) {
  block_barrier();
  if (op.shared->skip) {
    if (op.arrays.lists.clear_grads) clear_gradients(op.arrays.g, range);
    return false;
  }
  op.f = *op.shared;
  return true;
}

#endif
