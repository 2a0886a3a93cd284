// The sums of a channel and what becomes of an element.
//
// Forward: a thread takes its elements minus the first of them, so that a mean far from zero costs no digits of the squares; what it has
// is moved to the first element of the channel, in f64, and added up there.
#pragma once

#include "batch_norm/params.h"
#include "prelude/memory.cuh"
#include "prelude/reduce.cuh"
#include "prelude/scalar.cuh"

typedef Acc<ADJ_T> A;
constexpr int kN = kVec16<ADJ_T>;

#if ADJ_BACKWARD
typedef A Partial;
#else
typedef f64 Partial;
#endif

// Statistics of a channel as the gradient takes them.
struct Channel {
  A mean, scale;
  __device__ __forceinline__ void read(const BatchNormParams& p, i64 c) {
    mean = static_cast<A>(load_as_f64(p.mean, c, p.stats_type));
    const f64 v = load_as_f64(p.deviation, c, p.stats_type);
    scale = static_cast<A>(p.frozen ? divide_by_normal(1, square_root_of_normal(v + p.epsilon)) : v);
  }
};

// The sums of a thread for one channel.
struct Terms {
  A first = 0, one = 0, two = 0;
  __device__ __forceinline__ void add(A x, A dy, const Channel& channel) {
#if ADJ_BACKWARD
    one += dy;
    two = fused_multiply_add(dy, (x - channel.mean) * channel.scale, two);
#else
    const A e = x - first;
    one += e;
    two = fused_multiply_add(e, e, two);
#endif
  }
  // Of `count` elements; `shift` is the first element of the channel.
  __device__ __forceinline__ void get(Partial& a, Partial& b, i64 count, A shift) const {
#if ADJ_BACKWARD
    a = one;
    b = two;
#else
    const f64 moved = static_cast<f64>(first) - static_cast<f64>(shift), n = static_cast<f64>(count), sum = one;
    a = count ? n * moved + sum : 0;
    b = count ? (n * moved + 2 * sum) * moved + static_cast<f64>(two) : 0;
#endif
  }
};

// An element of the result. Coefficients, forward: first element of the channel, mean from there, scale * inv_std, bias;
// backward: mean, mean of dy * h times inv_std, scale * inv_std, mean of dy.
__device__ __forceinline__ A result_of(A x, A dy, A k0, A k1, A k2, A k3, bool frozen) {
#if ADJ_BACKWARD
  if (frozen) return dy * k2;
  return k2 * fused_multiply_add(-(x - k0), k1, dy - k3);
#else
  return fused_multiply_add((x - k0) - k1, k2, k3);
#endif
}
