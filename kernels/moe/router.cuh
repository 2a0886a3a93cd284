// Scores of a token's experts, by a warp: lane l has the experts l, l + 32, and so on. Their numbers lie in shared memory, and no other lane reads them.
#pragma once

#include "moe/params.h"
#include "prelude/exp.cuh"
#include "prelude/memory.cuh"
#include "prelude/reduce.cuh"

// True when expert e of this lane is one of those whose bits e / 32 are set.
__device__ __forceinline__ bool has_expert(u32 set, int e) { return (set >> static_cast<u32>(e / kWarp) & 1) != 0; }
// Calls body(e) for the experts of this lane, in ascending order.
template <class Body> __device__ __forceinline__ void for_experts(int experts, Body body) {
#pragma unroll 1
  for (int e = lane_index(); e < experts; e += kWarp) body(e);
}
// Returns the sum of term(e) over all experts: those of a lane in ascending order, then those of lanes by a tree.
template <class Term> __device__ __forceinline__ f32 sum_of_experts(int experts, Term term) {
  f32 sum = 0;
  for_experts(experts, [&](int e) { sum += term(e); });
  return warp_sum(sum);
}

// Loads the logits of a token. Returns 1 where one of them is NaN, else 0.
template <class T> __device__ __forceinline__ u32 load_logits(int experts, f32* z, const void* logits, i64 token) {
  const T* const row = static_cast<const T*>(logits) + token * experts;
  u32 nan = 0;
  for_experts(experts, [&](int e) {
    z[e] = to_acc(row[e]);
    nan |= z[e] != z[e];
  });
  return warp_or(nan);
}

__device__ __forceinline__ f32 warp_largest(f32 v) {
#pragma unroll
  for (int mask = kWarp / 2; mask > 0; mask /= 2) {
    const f32 other = shuffle_xor(v, mask);
    v = other > v ? other : v;
  }
  return v;
}

// Sets p to the softmax of the logits of experts whose bit e / 32 is set in `given` of their lane, 0 for others, and returns the logarithm of the sum of
// exponentials. A NaN adds nothing to the sum; the logarithm is then NaN.
__device__ __forceinline__ f32 softmax(int experts, f32* p, const f32* z, u32 given) {
  f32 top = -Limits<f32>::infinity();
  u32 nan = 0;
  for_experts(experts, [&](int e) {
    if (!has_expert(given, e)) return;
    if (z[e] > top) top = z[e];
    nan |= z[e] != z[e];
  });
  top = warp_largest(top);
  nan = warp_or(nan);
  const f32 sum = sum_of_experts(experts, [&](int e) {
    p[e] = has_expert(given, e) ? fast_exp(z[e] - top) : 0;
    return p[e] == p[e] ? p[e] : 0;
  });
  for_experts(experts, [&](int e) { p[e] = has_expert(given, e) ? p[e] / sum : 0; });
  return nan ? Limits<f32>::nan() : top + exact_log(sum);
}

__device__ __forceinline__ f32 sigmoid(f32 z) { return 1 / (1 + fast_exp(-z)); }
// log(1 + exp(z)), of small exponentials too.
__device__ __forceinline__ f32 softplus(f32 z) {
  const f32 u = fast_exp(z > 0 ? -z : z), w = 1 + u;
  const f32 log1p = w == 1 ? u : exact_log(w) * (u / (w - 1));
  return (z > 0 ? z : 0) + log1p;
}
// Scores other than softmax.
__device__ __forceinline__ f32 score_of(int score, f32 z) { return score == kMoeSigmoid ? sigmoid(z) : square_root(softplus(z)); }
// The slope of such a score s of z.
__device__ __forceinline__ f32 slope_of(int score, f32 z, f32 s) { return score == kMoeSigmoid ? s * sigmoid(-z) : s == 0 ? 0 : sigmoid(z) / (2 * s); }
