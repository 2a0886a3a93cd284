// The logarithm of a sum of exponentials in one pass: a reference close to the largest value and the sum relative to it.
#pragma once

#include "prelude/exp.cuh"
#include "prelude/thread.cuh"

// sum = sum of exp(x - top) over what was added. A NaN or +infinity among the values makes sum NaN; values that are all
// -infinity leave it 0, and top at its finite start, so that no difference below is infinity minus infinity.
template <class A> struct TopSum {
  A top, sum;
};
template <class A> __device__ __forceinline__ TopSum<A> empty_top_sum() { return {Limits<A>::lowest(), A(0)}; }

// The reference moves only when it is passed by more than 1: values that creep upwards must not rescale (and round) the
// sum at every step.
template <class A, int N> __device__ __forceinline__ void add_values(TopSum<A>& s, const A (&x)[N]) {
  A top = x[0];
#pragma unroll
  for (int j = 1; j < N; ++j) top = max_number(top, x[j]);
  if (top > s.top + A(1)) {
    s.sum *= called_exp(s.top - top);
    s.top = top;
  }
  A e[N];
#pragma unroll
  for (int j = 0; j < N; ++j) e[j] = called_exp(x[j] - s.top);
#pragma unroll
  for (int width = N / 2; width > 0; width /= 2)
#pragma unroll
    for (int j = 0; j < width; ++j) e[j] += e[j + width];
  s.sum += e[0];
}

// The same bits for (a, b) and (b, a).
template <class A> __device__ __forceinline__ TopSum<A> merge(TopSum<A> a, TopSum<A> b) {
  const bool a_first = a.top >= b.top;
  const TopSum<A> high = a_first ? a : b, low = a_first ? b : a;
  return {high.top, fused_multiply_add(low.sum, called_exp(low.top - high.top), high.sum)};
}
// Over groups of `width` lanes, a power of two; every lane gets its group's result.
template <class A> __device__ __forceinline__ TopSum<A> merge_lanes(TopSum<A> s, int width) {
#pragma unroll 1
  for (int mask = width / 2; mask > 0; mask /= 2) s = merge(s, {shuffle_xor(s.top, mask), shuffle_xor(s.sum, mask)});
  return s;
}
// Over groups of `width` threads, a power of two up to a warp, or over the block when it is larger; every thread gets its group's
// result. `scratch` holds one entry per warp and may be reused after the next block barrier.
template <class A> __device__ __forceinline__ TopSum<A> merge_group(TopSum<A> s, int width, TopSum<A>* scratch) {
  const int lanes = min_of(width, kWarp);
#pragma unroll 1
  for (int left = width;; left = 0) {
    s = merge_lanes(s, lanes);
    if (left <= kWarp) return s;
    if (lane_index() == 0) scratch[warp_index()] = s;
    block_barrier();
    s = lane_index() < block_warps() ? scratch[lane_index()] : empty_top_sum<A>();
  }
}

// What a sample's label makes of the exponentials of its classes.
template <class A> struct LogSum {
  A top, log_sum;  // their sum is the logarithm of the sum over all classes
  A loss;          // minus the target's log-probability; NaN without a target
};
// With a target, `others` leaves it out, so that a loss close to 0 keeps its relative precision.
template <class A> __device__ __forceinline__ LogSum<A> close_sum(TopSum<A> others, bool has_target, A target) {
  const bool on_top = has_target && target >= others.top;
  const A e = called_exp(on_top ? others.top - target : target - others.top);
  const A rest = others.sum * e;  // below a target on top
  const A sum = on_top ? A(1) + rest : has_target ? others.sum + e : others.sum;
  LogSum<A> r;
  r.log_sum = exact_log(sum);
  if (on_top) {
    // What the sum has rounded off, times the derivative of the logarithm: this is log1p(rest). The last difference is 0
    // unless the target is infinite: then everything is NaN, as with an infinity among the others.
    r.log_sum += (rest - (sum - A(1))) * called_exp(-r.log_sum) + (target - target);
    r.top = target;
    r.loss = r.log_sum;
  } else {
    r.top = others.top;
    r.loss = (others.top - target) + r.log_sum;
  }
  if (!is_finite(r.top + r.log_sum)) r.loss = (r.top + r.log_sum) - target;
  if (!has_target) r.loss = Limits<A>::nan();
  return r;
}
