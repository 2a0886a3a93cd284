// Stable sort of the positions 0 ... N - 1 of indices by the rows that they name; those that name none, the padding row or stand
// outside all bags come last with the key num_embeddings. Digits of the keys are sorted from the lowest on.
//
// ADJ_STAGE picks the program:
//   0  rows       the keys, and for the lowest digit how often each block has each of its values
//   1  histogram  the same for a further digit
//   2  scatter    moves keys and positions to where they are in the order of a digit
//   3  small      all of it in one block
//   4  cluster    all of it in one cluster of blocks; sm_90 and later
// Stages 0, 3 and 4 also count the indices that name no row. Their other macros: ADJ_I index type; ADJ_GATHER negative indices count
// from the end; ADJ_BAG positions may be outside all bags.
//
// Blocks take consecutive tiles, warps consecutive parts of a tile, and a warp ranks 32 consecutive keys at a time.
#include "params/embedding_sum.h"
#include "params/index_sort.h"
#include "prelude/lookup.cuh"
#include "prelude/memory.cuh"
#include "prelude/thread.cuh"
#if ADJ_STAGE == 4
#include "prelude/cluster.cuh"
#endif

constexpr int kThreads = ADJ_STAGE >= 3 ? kSortSmallBlock : kSortBlock;
constexpr int kWarps = kThreads / kWarp;

#if ADJ_STAGE == 0 || ADJ_STAGE >= 3
__device__ __forceinline__ u32 key_of(const IndexSortParams& p, u32 n, u32& errors) {
  const u32 none = static_cast<u32>(p.num_embeddings);
  if (ADJ_BAG && p.bag_of && p.bag_of[n] == 0) return none;
  // No row's number is ~0.
  return min_of(static_cast<u32>(row_of_index<ADJ_GATHER>(static_cast<const ADJ_I*>(p.indices)[n], p.num_embeddings, p.padding_row, errors)), none);
}

__device__ __forceinline__ void report(const IndexSortParams& p, u32 errors) {
  if (errors && p.error_flag) atomic_add(p.error_flag, static_cast<i64>(errors));
  if (p.counters && global_thread() < kCounters) p.counters[thread_index()] = 0;
}
#endif

#if ADJ_STAGE >= 2
// Where a warp's next key of a digit goes among those that it has ranked; the rank of this lane's key.
__device__ __forceinline__ u32 rank_key(u16* counts, u32 digit, int bits, bool present) {
  const u32 peers = match_bits(digit, bits) & ballot(present);
  const u32 before = present ? counts[digit] : 0;
  warp_barrier();
  if (present && lane_index() == lowest_bit(peers)) counts[digit] = static_cast<u16>(before + static_cast<u32>(popcount(peers)));
  warp_barrier();
  return before + static_cast<u32>(popcount(peers & lanes_below()));
}
__device__ __forceinline__ void clear_counts(u16* counts, int bins) {
  warp_barrier();
#pragma unroll 2
  for (int i = lane_index(); i < bins / 2; i += kWarp) reinterpret_cast<u32*>(counts)[i] = 0;
  warp_barrier();
}
// The counts of a digit become where the keys of each warp begin among all of the tile; their number.
__device__ __forceinline__ u32 scan_warps(u16* counts, int bins, int digit) {
  constexpr int kTogether = 4;
  u32 sum = 0;
#pragma unroll 1
  for (int first = 0; first < kWarps; first += kTogether) {
    u16* entries = counts + first * bins + digit;
    u32 own[kTogether];
#pragma unroll
    for (int w = 0; w < kTogether; ++w) own[w] = entries[w * bins];
#pragma unroll
    for (int w = 0; w < kTogether; ++w) {
      entries[w * bins] = static_cast<u16>(sum);
      sum += own[w];
    }
  }
  return sum;
}
// Adds to place[d] the sum of totals[0, d), d < bins. Both are shared; begins with a barrier, and `place` is known after the next.
__device__ __forceinline__ void add_smaller_digits(u32* place, const u32* totals, u32* warp_totals, int bins) {
  block_barrier();
  const int digit = 2 * thread_index();
  const bool mine = digit < bins;
  const u32 first = mine ? totals[digit] : 0, both = mine ? first + totals[digit + 1] : 0;
  u32 sum = both;
#pragma unroll 1
  for (int delta = 1; delta < kWarp; delta *= 2) {
    const u32 other = shuffle_up(sum, delta);
    if (lane_index() >= delta) sum += other;
  }
  if (lane_index() == kWarp - 1) warp_totals[warp_index()] = sum;
  block_barrier();
  sum += warp_add(lane_index() < warp_index() ? warp_totals[lane_index()] : 0) - both;
  if (mine) {
    place[digit] += sum;
    place[digit + 1] += sum + first;
  }
}
#endif

#if ADJ_STAGE < 2

extern "C" __global__ void __launch_bounds__(kThreads) ADJ_ENTRY(const __grid_constant__ IndexSortParams p) {
  ADJ_SHARED(u32, counts, 1 << kSortBits);
  let_next_grid_begin();
  wait_for_earlier_grids();
  constexpr int kRounds = kSortTile / kThreads;
  const u32 bins = 1u << p.bits, thread = static_cast<u32>(thread_index());
#pragma unroll 1
  for (u32 d = thread; d < bins; d += kThreads) counts[d] = 0;
  block_barrier();
#if ADJ_STAGE == 0
  u32 errors = 0;
#endif
  const u32 first = static_cast<u32>(block_index()) * p.tiles * kSortTile;
#pragma unroll 1
  for (u32 tile = 0; tile < p.tiles; ++tile) {
    const u32 begin = first + tile * kSortTile + thread;
    u32 key[kRounds];
#pragma unroll
    for (int k = 0; k < kRounds; ++k) {
      const u32 n = begin + k * kThreads;
#if ADJ_STAGE == 0
      key[k] = n < p.num_indices ? key_of(p, n, errors) : 0;
#else
      key[k] = n < p.num_indices ? p.rows[n] : 0;
#endif
    }
#pragma unroll
    for (int k = 0; k < kRounds; ++k) {
      const u32 n = begin + k * kThreads;
      const bool present = n < p.num_indices;
#if ADJ_STAGE == 0
      if (present) p.sorted_rows[n] = key[k];
#endif
      // One addition per distinct digit of the warp.
      const u32 digit = key[k] >> p.shift & (bins - 1);
      const u32 peers = match_bits(digit, p.bits) & ballot(present);
      if (present && lane_index() == lowest_bit(peers)) atomic_add(counts + digit, static_cast<u32>(popcount(peers)));
    }
  }
  block_barrier();
#pragma unroll 1
  for (u32 d = thread; d < bins; d += kThreads) p.bins[block_index() * bins + d] = counts[d];
#if ADJ_STAGE == 0
  report(p, errors);
#endif
}

#elif ADJ_STAGE == 2

// Every block adds up the histograms itself: those of all blocks for the smaller digits, those before it for the same one.
extern "C" __global__ void __launch_bounds__(kThreads) ADJ_ENTRY(const __grid_constant__ IndexSortParams p) {
  ADJ_SHARED(u16, counts, kWarps << kSortBits);
  ADJ_SHARED(u32, place, 1 << kSortBits);   // of the block's next key of a digit
  ADJ_SHARED(u32, origin, 1 << kSortBits);  // where the tile's keys of a digit begin
  ADJ_SHARED(u32, warp_totals, kWarps);
  let_next_grid_begin();
  wait_for_earlier_grids();
  constexpr int kRounds = kSortTile / kThreads;
  const int bins = 1 << p.bits, quads = bins / 4;
#pragma unroll 1
  for (int d = thread_index(); d < bins; d += kThreads) place[d] = origin[d] = 0;
  block_barrier();
  {
    const u32 digit = static_cast<u32>(thread_index() & (quads - 1)) * 4;
    const u32 blocks = static_cast<u32>(grid_blocks()), self = static_cast<u32>(block_index());
    const u32 groups = static_cast<u32>(kThreads / quads);  // of threads, which share the blocks
    constexpr int kDepth = 8;
    u32 all[4] = {}, before[4] = {};
#pragma unroll 1
    for (u32 first = static_cast<u32>(thread_index() / quads); first < blocks; first += kDepth * groups) {
      Words4 words[kDepth];
#pragma unroll
      for (int j = 0; j < kDepth; ++j) {
        const u32 b = first + j * groups;
        words[j] = b < blocks ? load_words(reinterpret_cast<const Words4*>(p.bins + (b << p.bits) + digit)) : Words4{0, 0, 0, 0};
      }
#pragma unroll
      for (int j = 0; j < kDepth; ++j) {
        const u32 n[4] = {words[j].x, words[j].y, words[j].z, words[j].w};
#pragma unroll
        for (int i = 0; i < 4; ++i) {
          all[i] += n[i];
          before[i] += first + j * groups < self ? n[i] : 0;
        }
      }
    }
#pragma unroll
    for (int i = 0; i < 4; ++i) {
      atomic_add(origin + digit + i, all[i]);
      atomic_add(place + digit + i, before[i]);
    }
  }
  add_smaller_digits(place, origin, warp_totals, bins);

  u16* own = counts + warp_index() * bins;
  const u32 first = static_cast<u32>(block_index()) * p.tiles * kSortTile;
#pragma unroll 1
  for (u32 tile = 0; tile < p.tiles; ++tile) {
    const u32 begin = first + tile * kSortTile + static_cast<u32>(warp_index() * (kRounds * kWarp) + lane_index());
    u32 key[kRounds], position[kRounds], rank[kRounds];
#pragma unroll
    for (int k = 0; k < kRounds; ++k) {
      const u32 n = begin + k * kWarp;
      const bool present = n < p.num_indices;
      key[k] = present ? p.rows[n] : 0;
      position[k] = present && p.order ? p.order[n] : n;
    }
    clear_counts(own, bins);
#pragma unroll
    for (int k = 0; k < kRounds; ++k)
      rank[k] = rank_key(own, key[k] >> p.shift & static_cast<u32>(bins - 1), p.bits, begin + k * kWarp < p.num_indices);
    block_barrier();
#pragma unroll 1
    for (int d = thread_index(); d < bins; d += kThreads) {
      origin[d] = place[d];
      place[d] += scan_warps(counts, bins, d);
    }
    block_barrier();
#pragma unroll
    for (int k = 0; k < kRounds; ++k) {
      if (begin + k * kWarp >= p.num_indices) continue;
      const u32 digit = key[k] >> p.shift & static_cast<u32>(bins - 1);
      const u32 to = origin[digit] + own[digit] + rank[k];
      p.sorted_rows[to] = key[k];
      p.sorted_order[to] = position[k];
    }
  }
}

#elif ADJ_STAGE == 3

extern "C" __global__ void __launch_bounds__(kThreads) ADJ_ENTRY(const __grid_constant__ IndexSortParams p) {
  ADJ_SHARED(u16, counts, kWarps << kSortSmallBits);
  ADJ_SHARED(u32, place, 1 << kSortSmallBits);
  ADJ_SHARED(u32, totals, 1 << kSortSmallBits);
  ADJ_SHARED(u32, warp_totals, kWarps);
  ADJ_SHARED(u32, keys, kSortSmall);
  ADJ_SHARED(u16, positions, kSortSmall);
  let_next_grid_begin();
  wait_for_earlier_grids();
  constexpr int kRounds = kSortSmall / kThreads;
  const int bins = 1 << p.bits;
  const int rounds = static_cast<int>((p.num_indices + kThreads - 1) / kThreads);
  // Keys beyond the last are larger than all others and stay behind them.
  const u32 begin = static_cast<u32>(warp_index() * rounds * kWarp + lane_index());
  u32 key[kRounds], position[kRounds], rank[kRounds], errors = 0;
#pragma unroll
  for (int k = 0; k < kRounds; ++k) {
    position[k] = begin + k * kWarp;
    key[k] = k < rounds && position[k] < p.num_indices ? key_of(p, position[k], errors) : ~0u;
  }
  report(p, errors);

  u16* own = counts + warp_index() * bins;
#pragma unroll 1
  for (int pass = 0; pass < p.passes; ++pass) {
    const int shift = pass * p.bits;
    clear_counts(own, bins);
#pragma unroll
    for (int k = 0; k < kRounds; ++k)
      if (k < rounds) rank[k] = rank_key(own, key[k] >> shift & static_cast<u32>(bins - 1), p.bits, true);
    block_barrier();
#pragma unroll 1
    for (int d = thread_index(); d < bins; d += kThreads) {
      place[d] = 0;
      totals[d] = scan_warps(counts, bins, d);
    }
    add_smaller_digits(place, totals, warp_totals, bins);
    block_barrier();
#pragma unroll
    for (int k = 0; k < kRounds; ++k)
      if (k < rounds) {
        const u32 digit = key[k] >> shift & static_cast<u32>(bins - 1);
        const u32 to = place[digit] + own[digit] + rank[k];
        keys[to] = key[k];
        positions[to] = static_cast<u16>(position[k]);
      }
    block_barrier();
#pragma unroll
    for (int k = 0; k < kRounds; ++k)
      if (k < rounds) {
        key[k] = keys[begin + k * kWarp];
        position[k] = positions[begin + k * kWarp];
      }
  }
#pragma unroll
  for (int k = 0; k < kRounds; ++k) {
    const u32 n = begin + k * kWarp;
    if (k >= rounds || n >= p.num_indices) continue;
    p.sorted_rows[n] = key[k];
    p.sorted_order[n] = position[k];
  }
}

#else

// Every block holds an equal share of the keys, in their order of the digits sorted so far. It orders them by the next digit on its
// own first, so that what goes to another block goes in runs.
extern "C" __global__ void __launch_bounds__(kThreads, 1) ADJ_ENTRY(const __grid_constant__ IndexSortParams p) {
  ADJ_DYNAMIC_SHARED(memory);
  let_next_grid_begin();
  wait_for_earlier_grids();
  constexpr int kRounds = kSortClusterRounds;
  const int bins = 1 << p.bits, rounds = 1 << p.rounds_log2, self = cluster_rank();
  const int share_log2 = lowest_bit(kThreads) + p.rounds_log2;
  const u32 share = 1u << share_log2, mask = static_cast<u32>(bins - 1);
  u32* totals = reinterpret_cast<u32*>(memory);  // this block's keys of every digit
  u32* start = totals + bins;                    // where they begin in the block's own order
  u32* sums = start + bins;                      // the keys of all blocks
  u32* place = sums + bins;                      // where this block's keys of a digit begin among all
  u32* warp_totals = place + bins;
  u32* keys = warp_totals + kWarps;              // and behind them their positions
  u32* ordered = keys + 2 * share;               // the same in the block's own order
  u16* counts = reinterpret_cast<u16*>(ordered + 2 * share);
  // Keys beyond the last are larger than all others and stay behind them.
  const u32 begin = static_cast<u32>(warp_index() * rounds * kWarp + lane_index());
  u32 errors = 0;
#pragma unroll
  for (int k = 0; k < kRounds; ++k) {
    if (k >= rounds) break;
    const u32 n = static_cast<u32>(self) * share + begin + k * kWarp;
    keys[begin + k * kWarp] = n < p.num_indices ? key_of(p, n, errors) : ~0u;
    keys[share + begin + k * kWarp] = n;
  }
  report(p, errors);

  u16* own = counts + warp_index() * bins;
#pragma unroll 1
  for (int pass = 0; pass < p.passes; ++pass) {
    const int shift = pass * p.bits;
    u32 rank[kRounds];
    clear_counts(own, bins);
#pragma unroll
    for (int k = 0; k < kRounds; ++k)
      if (k < rounds) rank[k] = rank_key(own, keys[begin + k * kWarp] >> shift & mask, p.bits, true);
    block_barrier();
    for (int d = thread_index(); d < bins; d += kThreads) {
      totals[d] = scan_warps(counts, bins, d);
      start[d] = 0;
    }
    add_smaller_digits(start, totals, warp_totals, bins);
    cluster_barrier();
    for (int d = thread_index(); d < bins; d += kThreads) {
      u32 all = 0, before = 0;
#pragma unroll
      for (int b = 0; b < kSortClusterBlocks; ++b) {
        const u32 n = load_from_block(totals + d, b);
        all += n;
        before += b < self ? n : 0;
      }
      sums[d] = all;
      place[d] = before;
    }
#pragma unroll
    for (int k = 0; k < kRounds; ++k) {
      if (k >= rounds) break;
      const u32 key = keys[begin + k * kWarp], digit = key >> shift & mask;
      u32* to = ordered + start[digit] + own[digit] + rank[k];
      to[0] = key;
      to[share] = keys[share + begin + k * kWarp];
    }
    add_smaller_digits(place, sums, warp_totals, bins);
    cluster_barrier();  // nobody needs the keys of this block any more
#pragma unroll 2
    for (u32 i = static_cast<u32>(thread_index()); i < share; i += kThreads) {
      const u32 key = ordered[i], digit = key >> shift & mask;
      const u32 to = place[digit] + (i - start[digit]);
      const int owner = static_cast<int>(to >> share_log2);
      u32* at = keys + (to & (share - 1));
      store_to_block(at, owner, key);
      store_to_block(at + share, owner, ordered[share + i]);
    }
    cluster_barrier();
  }
#pragma unroll 2
  for (u32 i = static_cast<u32>(thread_index()); i < share; i += kThreads) {
    const u32 n = static_cast<u32>(self) * share + i;
    if (n >= p.num_indices) break;
    p.sorted_rows[n] = keys[i];
    p.sorted_order[n] = keys[share + i];
  }
}

#endif
