// Elements that lie next to each other, rows of a block for example, copied word by word into shared memory, wherever they begin.
#pragma once

#include "prelude/memory.cuh"
#include "prelude/staged.h"

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

// Begins to copy `count` elements from `from` on into `memory`, as far from a 16-byte boundary there as in the tensor, by threads `lane` of `lanes`.
// `memory` has room for staged_bytes(count, sizeof(T)). Words that lie between the addresses low and high are copied whole, also with elements before and
// behind; others are put together from the elements between them.
template <class T> __device__ __forceinline__ void send_elements(u8* memory, const T* from, int count, int lane, int lanes, u64 low, u64 high) {
  const u64 begin = reinterpret_cast<u64>(from) & ~u64{15};
  const u32 skew = static_cast<u32>(reinterpret_cast<u64>(from) & 15);
  const int words = static_cast<int>((skew + static_cast<u32>(count) * static_cast<u32>(sizeof(T)) + 15) / 16) + 1;
  Words4* const to = reinterpret_cast<Words4*>(memory);
#pragma unroll 1
  for (int u = lane; u < words; u += lanes) send_word<T>(to + u, begin + static_cast<u64>(u) * 16, low, high);
}
