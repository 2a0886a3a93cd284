// The gradient of the router of a mixture of experts.
//
// Computes: moe_route_backward (include/adjoint/ops/moe.h).
// Work split: a warp takes a token, a grid apart; lane l has the experts l, l + 32, and so on.
// Memory: each logit is read once and its gradient written once.
// Order of additions: over the experts of a lane, then over lanes by a tree.
// Limits: kMoeMostExperts, kMoeMostTopK; the plan checks them.
//
// Macros: ADJ_T type of logits.
#include "moe/router.cuh"

extern "C" __global__ void __launch_bounds__(kMoeRouteBlock) ADJ_ENTRY(const __grid_constant__ MoeRouteBackwardParams p) {
  const int experts = p.num_experts;
  f32 balance = 0, z_loss = 0;
  if (p.has_losses) {
    const i64 counted = *p.counted;
    const f32 tokens = static_cast<f32>(counted), dloss = *p.dloss;
    if (counted > 0) balance = dloss * (p.balance / tokens / tokens), z_loss = dloss * (p.z_loss / tokens);
  }
  ADJ_DYNAMIC_SHARED(memory);
  f32* const z = reinterpret_cast<f32*>(memory) + warp_index() * kMoeRouteBackwardArrays * experts;
  f32* const s = z + experts;   // scores
  f32* const d = s + experts;   // their gradients
  f32* const dz = d + experts;
  const bool of_scores = p.score == kMoeSigmoid || p.score == kMoeSqrtSoftplus;
#pragma unroll 1
  for (i64 t = global_thread() / kWarp; t < p.tokens; t += global_threads() / kWarp) {
    i32 own_experts[2] = {-1, -1};
    f32 own_gradients[2] = {};
#pragma unroll
    for (int i = 0; i < 2; ++i)
      if (const int j = i * kWarp + lane_index(); j < p.top_k) {
        own_experts[i] = p.experts[t * p.top_k + j];
        own_gradients[i] = p.scale * p.dweights[t * p.top_k + j];
      }
    for_experts(experts, [&](int e) { d[e] = dz[e] = 0; });
    const i32 first = shuffle(own_experts[0], 0);
    if (first >= 0 && first < experts) {
      load_logits<ADJ_T>(experts, z, p.logits, t);
      u32 chosen = 0;  // bit i: expert i * 32 + lane
#pragma unroll 1
      for (int j = 0; j < p.top_k; ++j) {
        const i32 expert = shuffle(j < kWarp ? own_experts[0] : own_experts[1], j % kWarp);
        const f32 gradient = shuffle(j < kWarp ? own_gradients[0] : own_gradients[1], j % kWarp);
        if (expert < 0 || expert >= experts || expert % kWarp != lane_index()) continue;
        chosen |= 1u << static_cast<u32>(expert / kWarp);
        d[expert] += gradient;
      }
      const auto is_chosen = [&](int e) { return has_expert(chosen, e); };
      f32 lse = 0;
      const int passes = 1 + (p.score == kMoeSoftmax || p.has_losses);
#pragma unroll 1
      for (int all = p.score != kMoeSoftmaxOfChosen; all < passes; ++all) {
        lse = softmax(experts, s, z, all ? ~0u : chosen);
        if (all) continue;
        const f32 dot = sum_of_experts(experts, [&](int e) { return s[e] * d[e]; });
        for_experts(experts, [&](int e) { dz[e] = is_chosen(e) ? s[e] * (d[e] - dot) : 0; });
      }
      if (z_loss != 0) for_experts(experts, [&](int e) { dz[e] = z_loss * lse * s[e] + dz[e]; });
      f32 whole = 1;
      if (of_scores) {
        whole = sum_of_experts(experts, [&](int e) {
          const f32 logit = z[e];
          s[e] = score_of(p.score, logit);
          z[e] = slope_of(p.score, logit, s[e]);
          return s[e];
        });
      }
      const f32* const slope = of_scores ? z : s;  // of softmax but for what its sum adds
      if (p.score != kMoeSoftmaxOfChosen) {
        if (p.normalise) {
          const f32 sum = sum_of_experts(experts, [&](int e) { return is_chosen(e) ? s[e] : 0; }) + 1e-20f;
          const f32 dot = sum_of_experts(experts, [&](int e) { return is_chosen(e) ? s[e] * d[e] : 0; }) / sum;
          for_experts(experts, [&](int e) { d[e] = is_chosen(e) ? (d[e] - dot) / sum : 0; });
        }
        const f32 dot = of_scores ? 0 : sum_of_experts(experts, [&](int e) { return is_chosen(e) ? s[e] * d[e] : 0; });
        for_experts(experts, [&](int e) { dz[e] += !of_scores || is_chosen(e) ? slope[e] * (d[e] - dot) : 0; });
      }
      if (balance != 0) {
        const f32 dot = sum_of_experts(experts, [&](int e) { return s[e] * static_cast<f32>(p.counts[e]); }) / whole, factor = balance / whole;
        for_experts(experts, [&](int e) { dz[e] += factor * slope[e] * (static_cast<f32>(p.counts[e]) - dot); });
      }
    }
    ADJ_T* const to = static_cast<ADJ_T*>(p.dlogits) + t * experts;
    for_experts(experts, [&](int e) { to[e] = from_acc<ADJ_T>(dz[e]); });
  }
}
