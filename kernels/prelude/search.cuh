// Binary search by a warp.
#pragma once

#include "prelude/thread.cuh"

// Sets low[s] to the first place in [low[s], high[s]) with rows[place] >= row[s], or to high[s] when there is none. rows ascends. By a whole
// warp, each lane of which tries `tries` places of each search at a time.
template <int searches, int tries = 1>
__device__ __forceinline__ void lower_bounds(const u32* rows, u32 (&low)[searches], u32 (&high)[searches], const u32 (&row)[searches]) {
  constexpr u32 kPlaces = kWarp * tries;
  u32 left;
#pragma unroll 1
  do {
    left = 0;
    u32 step[searches], below[searches];
#pragma unroll
    for (int s = 0; s < searches; ++s) {
      step[s] = (high[s] - low[s] + kPlaces - 1) / kPlaces;
      below[s] = 0;
#pragma unroll
      for (u32 k = 0; k < tries; ++k) {
        const u32 at = low[s] + (static_cast<u32>(lane_index()) * tries + k) * step[s];
        below[s] += at < high[s] && rows[at] < row[s];
      }
    }
#pragma unroll
    for (int s = 0; s < searches; ++s) {
      const u32 places = tries == 1 ? static_cast<u32>(popcount(ballot(below[s]))) : warp_add(below[s]);
      high[s] = min_of(high[s], low[s] + places * step[s]);
      if (places) low[s] += (places - 1) * step[s] + 1;
      left += high[s] - low[s];
    }
  } while (left > 0);
}
