// The sums of a channel, and the result of an element.
//
// Forward, a thread sums its elements minus the first of them, so that a mean far from zero costs no digits of the squares. Its sums are then
// moved, in f64, to refer to the first element of the channel, so that the sums of all threads can be added.
#pragma once

#include "batch_norm/params.h"
#include "prelude/memory.cuh"
#include "prelude/reduce.cuh"
#include "prelude/scalar.cuh"

// Type of partial sums: forward f64, backward the type of the arithmetic.
template <class A, bool backward> struct PartialOf {
  typedef f64 type;
};
template <class A> struct PartialOf<A, true> {
  typedef A type;
};

// Mean and inverse deviation (`scale`) of a channel, for the gradient.
template <class A> struct Channel {
  A mean, scale;
  __device__ __forceinline__ void read(const BatchNormParams& p, i64 c) {
    mean = static_cast<A>(load_as_f64(p.mean, c, p.stats_type));
    const f64 v = load_as_f64(p.deviation, c, p.stats_type);
    scale = static_cast<A>(p.frozen ? divide_by_normal(1, square_root_of_normal(v + p.epsilon)) : v);
  }
};

// The two sums of a thread for one channel. first: the thread's first element; forward only.
template <class A, bool backward> struct Terms {
  typedef typename PartialOf<A, backward>::type Partial;
  A first = 0, one = 0, two = 0;
  __device__ __forceinline__ void add(A x, A dy, const Channel<A>& channel) {
    if constexpr (backward) {
      one += dy;
      two = fused_multiply_add(dy, (x - channel.mean) * channel.scale, two);
    } else {
      const A e = x - first;
      one += e;
      two = fused_multiply_add(e, e, two);
    }
  }
  // Returns the partial sums a and b over the thread's `count` elements. shift: the first element of the channel.
  __device__ __forceinline__ void get(Partial& a, Partial& b, i64 count, A shift) const {
    if constexpr (backward) {
      a = one;
      b = two;
    } else {
      const f64 moved = static_cast<f64>(first) - static_cast<f64>(shift), n = static_cast<f64>(count), sum = one;
      a = count ? n * moved + sum : 0;
      b = count ? (n * moved + 2 * sum) * moved + static_cast<f64>(two) : 0;
    }
  }
};

// Loads the four coefficients of a channel.
template <class A> __device__ __forceinline__ void load_coefficients(A (&k)[4], const void* coefficients, i64 c) {
  constexpr int kOwn = kVec16<A>;
#pragma unroll
  for (int i = 0; i < 4 / kOwn; ++i) {
    const Vec<A, kOwn> v = unpack<A>(load_words(reinterpret_cast<const Words4*>(static_cast<const A*>(coefficients) + 4 * c) + i));
#pragma unroll
    for (int j = 0; j < kOwn; ++j) k[i * kOwn + j] = v.at[j];
  }
}

// Returns an element of the result. Coefficients k0 to k3, forward: first element of the channel (with running statistics the mean), mean minus
// k0, scale * inv_std, bias. Backward: mean, mean of dy * h times inv_std, scale * inv_std, mean of dy; h is the normalized x. Grouped, backward: mean,
// mean of scale * dy * h times inv_std^2, scale * inv_std, mean of scale * dy times inv_std, since channels of a group have a scale each.
template <bool backward, bool grouped, class A> __device__ __forceinline__ A result_of(A x, A dy, A k0, A k1, A k2, A k3, bool frozen) {
  if constexpr (backward && grouped) {
    return fused_multiply_add(dy, k2, fused_multiply_add(-(x - k0), k1, -k3));
  } else if constexpr (backward) {
    if (frozen) return dy * k2;
    return k2 * fused_multiply_add(-(x - k0), k1, dy - k3);
  } else {
    return fused_multiply_add((x - k0) - k1, k2, k3);
  }
}
