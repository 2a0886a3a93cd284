// Contiguous elements that lanes share.
#pragma once

#include "prelude/cut.cuh"
#include "reduce/terms.cuh"

// Adds a lane's vectors of `length` elements from `row` on, at most 2^30, to a reducer. Vector u belongs to lane u mod lanes. A lane takes its vectors in
// order, whatever the alignment.
template <class T, class Reducer>
__device__ __forceinline__ void take_part(Reducer& reducer, const T* row, int length, int lane, int lanes, const ReduceParams& p, const T& fill) {
  constexpr int V = kVec16<T>, kHalf = kReduceTogether / 2;
  const int step = lanes * V;
  auto take = [&](const Words4& vector) {
    typename Wide<T>::type x[V];
    widen_vector<T>(vector, x);
    prepare<Reducer>(x, p.square, p.negate);
    reducer.take(x);
  };
  // Vectors in [first, end_of_words] are loaded as words, or cut out of two words inside the part. All other vectors are read element by element.
  const int skew = static_cast<int>(reinterpret_cast<u64>(row) & 15) / static_cast<int>(sizeof(T));
  const int first = skew ? V : 0, end_of_words = length - V + (skew ? skew - V : 0);
#pragma unroll 1
  for (int at = lane * V; at < length;) {
    if (at < first || at > end_of_words) {
      take(load_some(row + at, min_of(length - at, V), fill));
      at += step;
      continue;
    }
    Words4 vectors[kReduceTogether];
#pragma unroll
    for (int k = 0; k < kReduceTogether; ++k) {
      vectors[k] = {};
      const int own = at + (skew ? k / 2 : k) * step;
      if (own <= end_of_words) vectors[k] = load_once(reinterpret_cast<const Words4*>(row + (skew ? own - skew + k % 2 * V : own)));
    }
    if (skew)
#pragma unroll
      for (int k = 0; k < kHalf; ++k) vectors[k] = cut16<sizeof(T)>(vectors[2 * k], vectors[2 * k + 1], skew * static_cast<int>(sizeof(T)));
    // In two halves, which share one copy of the code.
#pragma unroll 1
    for (int half = skew ? 1 : 0; half < 2; ++half) {
#pragma unroll
      for (int k = 0; k < kHalf; ++k) {
        if (at <= end_of_words) {
          take(vectors[k]);
          at += step;
        }
        vectors[k] = vectors[k + kHalf];
      }
    }
  }
}
