// The logarithm of a sum of exponentials in one pass, by a reference close to the largest value and the sum relative to it.
#pragma once

#include "prelude/exp.cuh"
#include "prelude/reduce.cuh"
#include "prelude/thread.cuh"

// sum: sum of exp(x - top) over the values x added so far; top: the reference. A NaN or +infinity among the values makes sum NaN. Values that
// are all -infinity leave sum at 0 and top at its finite start, so that no difference below is infinity minus infinity.
template <class A> struct TopSum {
  A top, sum;
};
template <class A> __device__ __forceinline__ TopSum<A> empty_top_sum() { return {Limits<A>::lowest(), A(0)}; }

// A sum that values are being added to, as TopSum describes it. lost: what the additions have rounded away, so that a thread may add any number
// of values. settle() ends it.
template <class A> struct RunningSum {
  A top, sum, lost;
};
template <class A> __device__ __forceinline__ RunningSum<A> empty_running_sum() { return {Limits<A>::lowest(), A(0), A(0)}; }
template <class A> __device__ __forceinline__ TopSum<A> settle(const RunningSum<A>& s) { return {s.top, compensated(s.sum, s.lost)}; }

// Makes `top` the reference of s if it exceeds the reference by more than 1: slowly rising values must not rescale (and round) the sum at
// every step.
template <class A> __device__ __forceinline__ void raise_top(RunningSum<A>& s, A top) {
  if (top > s.top + A(1)) {
    const A scale = called_exp(s.top - top);
    s.sum *= scale;
    s.lost *= scale;
    s.top = top;
  }
}

// Adds the exponentials of values relative to the reference of s.
template <class A, int N> __device__ __forceinline__ void add_exponentials(RunningSum<A>& s, A (&x)[N]) {
#pragma unroll
  for (int j = 0; j < N; ++j) x[j] = called_exp(x[j] - s.top);
#pragma unroll
  for (int width = N / 2; width > 0; width /= 2)
#pragma unroll
    for (int j = 0; j < width; ++j) x[j] += x[j + width];
  add_compensated(s.sum, s.lost, x[0]);
}

// Adds values to s.
template <class A, int N> __device__ __forceinline__ void add_values(RunningSum<A>& s, const A (&x)[N]) {
  A top = x[0];
#pragma unroll
  for (int j = 1; j < N; ++j) top = max_number(top, x[j]);
  raise_top(s, top);
  A e[N];
#pragma unroll
  for (int j = 0; j < N; ++j) e[j] = x[j];
  add_exponentials(s, e);
}

// Returns the sum of two sums; (a, b) and (b, a) give the same bits.
template <class A> __device__ __forceinline__ TopSum<A> merge(TopSum<A> a, TopSum<A> b) {
  const bool a_first = a.top >= b.top;
  const TopSum<A> high = a_first ? a : b, low = a_first ? b : a;
  return {high.top, fused_multiply_add(low.sum, called_exp(low.top - high.top), high.sum)};
}
// Merges over groups of `width` lanes, a power of two; every lane gets the result of its group.
template <class A> __device__ __forceinline__ TopSum<A> merge_lanes(TopSum<A> s, int width) {
#pragma unroll 1
  for (int mask = width / 2; mask > 0; mask /= 2) s = merge(s, {shuffle_xor(s.top, mask), shuffle_xor(s.sum, mask)});
  return s;
}
// Merges over groups of `width` threads, a power of two up to a warp, or over the block when width is larger. Every thread gets the result of
// its group. `scratch` holds one entry per warp and may be reused after the next block barrier.
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

// Logarithm of a sample's sum over all classes, and its loss.
template <class A> struct LogSum {
  A top, log_sum;  // their sum is the logarithm of the sum over all classes
  A loss;          // minus the target's log-probability; NaN without a target
};
// Closes the sum of a sample. others: the sum over the classes; with a target, without that class, so that a loss close to 0 keeps its
// relative precision.
template <class A> __device__ __forceinline__ LogSum<A> close_sum(TopSum<A> others, bool has_target, A target) {
  const bool on_top = has_target && target >= others.top;
  const A e = called_exp(on_top ? others.top - target : target - others.top);
  const A rest = others.sum * e;  // sum of the other classes relative to the target; used where on_top
  const A sum = on_top ? A(1) + rest : has_target ? others.sum + e : others.sum;
  LogSum<A> r;
  r.log_sum = exact_log(sum);
  if (on_top) {
    // Adds the rounding error of `sum` times the derivative of the logarithm, which makes this log1p(rest). target - target is 0, but NaN for
    // an infinite target: then everything is NaN, as with an infinity among the other classes.
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
