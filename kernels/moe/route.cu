// The router of a mixture of experts.
//
// Computes: moe_route (include/adjoint/ops/moe.h), but for what route_finish.cu adds up: counts and sums of each block.
// Work split: a block takes p.tokens_of_block consecutive tokens, a warp one of these at a time; lane l has the experts l, l + 32, and so on.
// Memory: each logit is read once.
// Order of additions: over the experts of a lane, then over lanes by a tree; over the tokens of a warp, then over warps. It follows from the shape.
// Limits: kMoeMostExperts, kMoeMostTopK, kMoeMostGroups, kMoeRouteBlocks blocks; the plan checks them.
//
// Macros: ADJ_T type of logits.
#include "moe/router.cuh"

constexpr int kMostWarps = kMoeRouteBlock / kWarp;

// Numbers in their order, above 0: NaN first, and both zeros alike.
__device__ __forceinline__ u32 rank_of(f32 v) {
  if (v != v) return 1;
  v += 0.0f;
  u32 bits;
  memcpy(&bits, &v, sizeof bits);
  return bits >> 31 ? ~bits : bits | 0x80000000u;
}
// A rank with the number that has it; of equal ranks the lower number is larger.
__device__ __forceinline__ u64 place_of(u32 rank, int number) { return static_cast<u64>(rank) << 32 | ~static_cast<u32>(number); }
__device__ __forceinline__ int number_of(u64 place) { return static_cast<int>(~static_cast<u32>(place)); }
__device__ __forceinline__ u64 best_of_warp(u64 place) {
#pragma unroll
  for (int mask = kWarp / 2; mask > 0; mask /= 2) place = max_of(place, shuffle_xor(place, mask));
  return place;
}

// Returns the best groups, a bit each. `steered` holds the numbers that steer the choice, in shared memory of the warp.
__device__ __forceinline__ u32 best_groups(const MoeRouteParams& p, const f32* steered) {
  const int size = p.num_experts / p.groups, most = p.top_k / p.top_groups;
  u64 own = 0;  // place of the lane's group; 0: none
  if (lane_index() < p.groups) {
    const f32* const of_group = steered + lane_index() * size;
    f32 score = 0;
    u64 last = ~u64{0};
#pragma unroll 1
    for (int taken = 0; taken < most; ++taken) {
      u64 best = 0;
#pragma unroll 1
      for (int i = 0; i < size; ++i) {
        const u64 place = place_of(rank_of(of_group[i]), i);
        if (place < last && place > best) best = place;
      }
      last = best;
      score += of_group[number_of(best)];
    }
    own = place_of(rank_of(score), lane_index());
  }
  u32 groups = 0;
#pragma unroll 1
  for (int taken = 0; taken < p.top_groups; ++taken) {
    const u64 best = best_of_warp(own);
    groups |= 1u << number_of(best);
    if (own == best) own = 0;
  }
  return groups;
}

extern "C" __global__ void __launch_bounds__(kMoeRouteBlock) ADJ_ENTRY(const __grid_constant__ MoeRouteParams p) {
  ADJ_SHARED(f32, warp_squares, kMostWarps);
  ADJ_SHARED(u32, warp_counted, kMostWarps);
  ADJ_DYNAMIC_SHARED(memory);
  const int experts = p.num_experts, warps = block_warps(), arrays = (kMoeRouteArrays + p.has_losses + (p.groups > 0)) * experts;
  u32* const counts = reinterpret_cast<u32*>(memory);  // [experts]; behind them the arrays of each warp
  u32* const rank = counts + experts + warp_index() * arrays;  // 0: not to be chosen
  f32* const z = reinterpret_cast<f32*>(rank + experts);
  f32* const s = z + experts;
  f32* const steered = s + experts;                                  // with groups
  f32* const sums = steered + (p.groups > 0 ? experts : 0);          // with losses
  let_next_grid_begin();
  wait_for_earlier_grids();
#pragma unroll 1
  for (int e = thread_index(); e < experts; e += block_threads()) counts[e] = 0;
  if (p.has_losses) for_experts(experts, [&](int e) { sums[e] = 0; });
  block_barrier();
  const i64 begin = block_index() * p.tokens_of_block, end = min_of(begin + p.tokens_of_block, p.tokens);
  f32 squares = 0;
  u32 counted = 0, errors = 0;
#pragma unroll 1
  for (i64 t = begin + warp_index(); t < end; t += warps) {
    i32* const chosen_experts = p.experts + t * p.top_k;
    f32* const weights = p.weights + t * p.top_k;
    if (p.mask && p.mask[t] == 0) {
#pragma unroll 1
      for (int j = lane_index(); j < p.top_k; j += kWarp) chosen_experts[j] = -1, weights[j] = 0;
      continue;
    }
    ++counted;
    errors += load_logits<ADJ_T>(experts, z, p.logits, t);
    if (p.score == kMoeSoftmax || p.has_losses) {
      const f32 lse = softmax(experts, s, z, ~0u);
      squares += lse * lse;
    }
    const bool of_scores = p.score == kMoeSigmoid || p.score == kMoeSqrtSoftplus;
    f32 whole = 1;
    if (of_scores) whole = sum_of_experts(experts, [&](int e) { return s[e] = score_of(p.score, z[e]); });
    if (p.has_losses) for_experts(experts, [&](int e) { sums[e] += s[e] / whole; });
    if (p.score == kMoeSoftmaxOfChosen) for_experts(experts, [&](int e) { s[e] = z[e]; });

    u32 groups = kAllLanes;
    if (p.groups > 0) {
      warp_barrier();
      for_experts(experts, [&](int e) { steered[e] = s[e] + (p.bias ? p.bias[e] : 0.0f); });
      warp_barrier();
      groups = best_groups(p, steered);
    }
    const int group_size = p.groups > 0 ? experts / p.groups : experts;
    for_experts(experts, [&](int e) { rank[e] = groups >> static_cast<u32>(e / group_size) & 1 ? rank_of(p.bias ? s[e] + p.bias[e] : z[e]) : 0; });
    i32 own_experts[2] = {};
    f32 own_scores[2] = {};  // of pairs lane and lane + 32
#pragma unroll 1
    for (int j = 0; j < p.top_k; ++j) {
      u64 best = 0;
      for_experts(experts, [&](int e) { best = max_of(best, rank[e] ? place_of(rank[e], e) : u64{0}); });
      const int expert = number_of(best_of_warp(best));
      f32 score = 0;
      if (lane_index() == expert % kWarp) score = s[expert], rank[expert] = 0;
      score = shuffle(score, expert % kWarp);
#pragma unroll
      for (int i = 0; i < 2; ++i)
        if (j == i * kWarp + lane_index()) own_experts[i] = expert, own_scores[i] = score;
    }
    const bool first = lane_index() < p.top_k, second = lane_index() + kWarp < p.top_k;
    if (p.score == kMoeSoftmaxOfChosen) {
      // The first that is chosen has the largest z where neither a bias nor groups steer the choice.
      f32 top = -Limits<f32>::infinity();
      if (first && own_scores[0] > top) top = own_scores[0];
      if (second && own_scores[1] > top) top = own_scores[1];
      top = warp_largest(top);
#pragma unroll
      for (int i = 0; i < 2; ++i) own_scores[i] = fast_exp(own_scores[i] - top);
    }
    if (p.score == kMoeSoftmaxOfChosen || p.normalise) {
      const f32 sum = warp_sum((first ? own_scores[0] : 0.0f) + (second ? own_scores[1] : 0.0f)) + (p.normalise ? 1e-20f : 0.0f);
#pragma unroll
      for (int i = 0; i < 2; ++i) own_scores[i] /= sum;
    }
#pragma unroll
    for (int i = 0; i < 2; ++i) {
      if (!(i ? second : first)) continue;
      chosen_experts[i * kWarp + lane_index()] = own_experts[i];
      weights[i * kWarp + lane_index()] = p.scale * own_scores[i];
      atomic_add(counts + own_experts[i], 1u);
    }
  }
  if (errors && p.error_flag && lane_index() == 0) atomic_add(p.error_flag, static_cast<i64>(errors));
  if (lane_index() == 0) warp_squares[warp_index()] = squares, warp_counted[warp_index()] = counted;
  block_barrier();
  const f32* const all_sums = sums - warp_index() * arrays;
#pragma unroll 1
  for (int e = thread_index(); e < experts; e += block_threads()) {
    p.block_counts[block_index() * experts + e] = counts[e];
    if (p.has_losses) p.sums[block_index() * experts + e] = sum_in_order<f32>(warps, [&](int w) { return all_sums[w * arrays + e]; });
  }
  if (p.has_losses && thread_index() == 0) {
    p.squares[block_index()] = sum_in_order<f32>(warps, [&](int w) { return warp_squares[w]; });
    p.block_counted[block_index()] = sum_in_order<u32>(warps, [&](int w) { return warp_counted[w]; });
  }
}
