// What the optimizers share: arrays of a step in registers, whatever their element types, and what a call decides once.
//
// ADJ_WIDEST, the bytes of the widest type among weights, gradients and state, decides the type of the arithmetic and the vector: f64, two
// elements; f32 beside 16-bit types, four; 16-bit types alone, eight. Which of the types of that width an array has is known at run time.
#pragma once

#include "prelude/multi_tensor.cuh"
#include "prelude/scalar.cuh"
#include "optimizer/params.h"

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
__device__ __forceinline__ f32 from_16_bits(u32 bits, int type) {
  return type == kDtypeBf16 ? from_bits(bits << 16) : to_f32(f16{static_cast<u16>(bits)});
}
__device__ __forceinline__ u32 to_16_bits(f32 v, int type) {
  return type == kDtypeBf16 ? from_acc<bf16>(v).bits : from_acc<f16>(v).bits;
}
__device__ __forceinline__ u32 to_pair(f32 low, f32 high, int type) {
  return type == kDtypeBf16 ? Convert<bf16>::pair(low, high) : Convert<f16>::pair(low, high);
}

// To f32, rounded so that rounding the result once more to 16 bits is right: towards zero, and then to an odd number where it is not exact.
__device__ __forceinline__ f32 to_odd_f32(f64 v) {
  f32 r = static_cast<f32>(v);
  const f64 back = r;
  if (back == v) return r;
  u32 bits;
  memcpy(&bits, &r, 4);
  if ((back < 0 ? -back : back) > (v < 0 ? -v : v)) --bits;
  return from_bits(bits | 1);
}

// An array of a tensor, from some element on.
struct Array {
  u8* at;
  int type;

  __device__ __forceinline__ u8* element(i64 i) const { return at + (i << size_log2(type)); }
  __device__ __forceinline__ void skip(i64 elements) { at = element(elements); }
  __device__ __forceinline__ u32 number() const { return static_cast<u32>(reinterpret_cast<u64>(at) >> size_log2(type)); }
};

// kVector elements of an array. Between load and open they are as in memory. After it they are a queue: the one at the front is read, and
// a new one is pushed at the back while the others move up. A single element is at the front, and after one push at the back. In f32 beside
// 16-bit types the queue has f32 elements.
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
  // Of an open queue, rounded to the type of the array.
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
      if (where.count == kVector)
        store_words(reinterpret_cast<Words2*>(p), Words2{to_pair(get(0), get(1), a.type), to_pair(get(2), get(3), a.type)});
      else
        *reinterpret_cast<u16*>(p) = static_cast<u16>(to_16_bits(get(3), a.type));
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

// Writes zeros to a place of an array.
__device__ __forceinline__ void clear(const Array& a, const Place& where) {
  const Lane zeros{{0, 0, 0, 0}};
  zeros.store(a, where);
}

// The arrays of a tensor. Those that are left out begin at null.
template <int kStates> struct StepArrays {
  Array w, g, state[kStates];
  Array new_w, new_state[kStates], update, copy;

  __device__ __forceinline__ StepArrays(const StepLists& lists, const MultiTensorTable& table, u32 t, bool has_state) {
    auto array = [&](int place, int type) { return Array{table.array<u8>(place, t), type}; };
    auto optional = [&](int place, int type) { return place > 0 ? array(place, type) : Array{nullptr, type}; };
    w = array(0, lists.param);
    g = array(1, lists.grad);
    update = optional(lists.updates, lists.grad);
    copy = optional(lists.copies, lists.copy);
    new_w = lists.keep_params ? Array{nullptr, lists.param} : lists.new_params ? array(lists.new_params, lists.param) : w;
#pragma unroll
    for (int i = 0; i < kStates; ++i) {
      state[i] = has_state ? array(2 + i, lists.state) : Array{nullptr, lists.state};
      new_state[i] = has_state && lists.new_state ? array(lists.new_state + i, lists.state) : state[i];
    }
  }
  // Moves all of them to the range of a chunk.
  __device__ __forceinline__ ChunkRange enter(u32 index, int chunk_log2, i64 numel) {
    Peel<kVector> peel;
    auto add = [&](const Array& a) {
      if (a.at) peel.add_element(a.number());
    };
    for_each(add);
    const ChunkRange range = chunk_range<kVector>(index, chunk_log2, numel, peel.elements());
    auto move = [&](Array& a) {
      if (a.at) a.skip(range.begin);
    };
    for_each(move);
    return range;
  }
  template <class F> __device__ __forceinline__ void for_each(F f) {
    f(w), f(g), f(new_w), f(update), f(copy);
#pragma unroll
    for (int i = 0; i < kStates; ++i) f(state[i]), f(new_state[i]);
  }

  // What is left of a step that changes nothing: old values where the new ones go to other memory. `silent` leaves zeros for updates.
  __device__ __forceinline__ void pass_on(const ChunkRange& range, bool clear_grads, bool silent) const {
    const int count = range.head + range.vectors * kVector + range.tail;
#pragma unroll 1
    for (int i = thread_index(); i < count; i += kMultiTensorThreads) {
      if (new_w.at && new_w.at != w.at) copy_element(w, new_w, i);
#pragma unroll
      for (int k = 0; k < kStates; ++k)
        if (new_state[k].at != state[k].at) copy_element(state[k], new_state[k], i);
      if (update.at) {
        if (silent) clear(update, {i, 1});
        else if (update.at != g.at) copy_element(g, update, i);
      }
      if (clear_grads) clear(g, {i, 1});
    }
  }
  static __device__ __forceinline__ void copy_element(const Array& from, const Array& to, int i) {
    const u8* p = from.element(i);
    u8* q = to.element(i);
    const int size = size_log2(from.type);
    if (size == 1) *reinterpret_cast<u16*>(q) = *reinterpret_cast<const u16*>(p);
    else if (size == 2) *reinterpret_cast<u32*>(q) = *reinterpret_cast<const u32*>(p);
    else *reinterpret_cast<u64*>(q) = *reinterpret_cast<const u64*>(p);
  }
};

// What a call decides once, in f64.
struct StepScalars {
  f64 lr, scale;  // gradients are divided by scale
  bool skip;
};
// By one thread. `inverse_max_norm` may be a tensor's own. Errors are counted when `reports` is set.
__device__ __forceinline__ StepScalars read_control(const StepControl& c, f64 inverse_max_norm, bool reports) {
  StepScalars s;
  const f64 norm = read_scalar(c.gradient_norm);
  s.lr = read_scalar(c.lr);
  s.scale = read_scalar(c.grad_scale);
  if (norm > 0) s.scale = max_of(s.scale, norm * inverse_max_norm);
  s.skip = (c.found_inf && *c.found_inf != 0) || !read_flag(c.update_signal);
  if (!s.skip && !(norm - norm == 0)) {
    s.skip = true;
    if (reports && c.error_flag) atomic_add(c.error_flag, i64{1});
  }
  return s;
}

// 1 - beta^step without cancellation, from 1 - beta: if r = 1 - beta^s and q = 1 - beta^t, then 1 - beta^(s + t) is
// r + q (1 - r). Rounding errors do not grow, so the result is good to a few units per bit of the step.
struct BiasCorrection {
  f64 q, r;  // for the bits of the step taken so far, the lowest first
  __device__ __forceinline__ void take(bool bit) {
    if (bit) r = fused_multiply_add(q, 1 - r, r);
    q = fused_multiply_add(q, 1 - q, q);
  }
};
__device__ __forceinline__ i64 read_step(const ScalarParam& step) {
  return step.device ? *static_cast<const i64*>(step.device) : static_cast<i64>(step.value);
}
// a = 1 - beta1^step and b = 1 - beta2^step, in [2^-53, 1].
__device__ __forceinline__ void correct_bias(f64& a, f64& b, f64 gain1, f64 gain2, i64 step) {
  BiasCorrection first{gain1, 0}, second{gain2, 0};
#pragma unroll 1
  for (; step > 0; step >>= 1) {
    first.take(step & 1);
    second.take(step & 1);
  }
  a = first.r;
  b = second.r;
}
