// Elements that lie next to each other, rows of a block for example, copied word by word into shared memory, wherever they begin.
#pragma once

#include "prelude/cut.cuh"
#include "prelude/staged.h"

// Returns the first `count` elements of v and zeros behind them.
template <class T> __device__ __forceinline__ Words4 first_elements(const Words4& v, int count) {
  auto part = [&](u32 word, int begin) {
    const int bytes = count * static_cast<int>(sizeof(T)) - begin;
    return bytes >= 4 ? word : bytes > 0 ? word & 0xffffu : 0u;
  };
  return {part(v.x, 0), part(v.y, 4), part(v.z, 8), part(v.w, 12)};
}

// Returns the word at `word` with the elements from `low` up to `high`; zeros for others, which are not read.
template <class T> __device__ __noinline__ Words4 word_of_elements(u64 word, u64 low, u64 high) {
  Vec<T, kVec16<T>> v{};
#pragma unroll
  for (int j = 0; j < kVec16<T>; ++j) {
    const u64 at = word + static_cast<u64>(j) * sizeof(T);
    if (at >= low && at < high) v.at[j] = *reinterpret_cast<const T*>(at);
  }
  return pack<T>(v);
}

// Begins to copy the word at `word` into shared memory, as word_of_elements returns it.
template <class T> __device__ __forceinline__ void send_word(Words4* to, u64 word, u64 low, u64 high) {
  if (word >= low && word + 16 <= high) copy16_to_shared(to, reinterpret_cast<const Words4*>(word));
  else *to = word_of_elements<T>(word, low, high);
}

// Elements of a tensor from `from` on, as far from a 16-byte boundary in shared memory as in the tensor. `memory` has room for staged_bytes(count, sizeof(T)).
template <class T> class Staged {
 public:
  __device__ __forceinline__ Staged(u8* memory, const T* from)
      : words_(reinterpret_cast<Words4*>(memory)), from_(reinterpret_cast<u64>(from)), skew_(static_cast<u32>(from_ & 15)) {}

  // Begins to copy `count` elements, by threads `lane` of `lanes`. Words that lie between the addresses low and high are copied whole, also with elements
  // before and behind; others are put together from the elements between them.
  __device__ __forceinline__ void copy(int count, int lane, int lanes, u64 low, u64 high) const {
    const u64 begin = from_ - skew_;
    const int words = static_cast<int>((skew_ + static_cast<u32>(count) * static_cast<u32>(sizeof(T)) + 15) / 16) + 1;
#pragma unroll 1
    for (int u = lane; u < words; u += lanes) send_word<T>(words_ + u, begin + static_cast<u64>(u) * 16, low, high);
  }
  // Returns 16 bytes from element i on, zeros from element i + left on.
  __device__ __forceinline__ Words4 vector(int i, int left) const {
    if (left <= 0) return {0, 0, 0, 0};
    const u32 at = skew_ + static_cast<u32>(i) * static_cast<u32>(sizeof(T));
    const Words4* const low = words_ + at / 16;
    const Words4 v = cut16<sizeof(T)>(low[0], low[1], static_cast<int>(at & 15));
    return left < kVec16<T> ? first_elements<T>(v, left) : v;
  }

 private:
  Words4* words_;
  u64 from_;
  u32 skew_;
};
