// Searches in ascending numbers.
#pragma once

#include "prelude/thread.cuh"

// First place in [low, high) whose row is at least `row`, `high` when there is none, of several searches at once; by a whole warp.
// The result is in `low`.
template <int searches>
__device__ __forceinline__ void lower_bounds(const u32* rows, u32 (&low)[searches], u32 (&high)[searches], const u32 (&row)[searches]) {
  u32 left;
#pragma unroll 1
  do {
    left = 0;
    u32 step[searches];
    bool below[searches];
#pragma unroll
    for (int s = 0; s < searches; ++s) {
      step[s] = (high[s] - low[s] + kWarp - 1) / kWarp;
      const u32 at = low[s] + static_cast<u32>(lane_index()) * step[s];
      below[s] = at < high[s] && rows[at] < row[s];
    }
#pragma unroll
    for (int s = 0; s < searches; ++s) {
      const u32 lanes = static_cast<u32>(popcount(ballot(below[s])));
      high[s] = min_of(high[s], low[s] + lanes * step[s]);
      if (lanes) low[s] += (lanes - 1) * step[s] + 1;
      left += high[s] - low[s];
    }
  } while (left > 0);
}
