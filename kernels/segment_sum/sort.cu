// Sorts the positions of indices by the rows that they name. README.md defines the words.
//
// Computes: the positions 0 ... N - 1, sorted by key, stably; a radix sort from the lowest digit on. The key is the row; num_embeddings, so
// last, for the padding row, an index outside the rows, or a position outside all bags. ADJ_STAGE:
//   0  rows     the keys, and the bins of the lowest digit: how many keys of a block have each value
//   1  scatter  moves keys and positions to their places in the order of a digit, and counts the bins of the next digit
//   2  small    the whole sort in one block
// Stages 0 and 2 also count the indices that name no row, and write presence bitmaps where p.present asks for them.
// Work split: blocks take consecutive tiles, warps consecutive parts of a tile; a warp ranks 32 consecutive keys at a time.
// Memory: a pass reads and writes 8 bytes a key. A block orders a tile in shared memory first, so that it writes runs of keys.
// Order of additions: none in floating point; one result for any grid.
// Limits: keys up to 2^32 - 2, N below 2^31, kSortSmall keys in stage 2; the plan checks them.
//
// segment_sum/rows.cu fills rows while the sort goes on, and must not begin before the presence bitmaps are complete: the stage that writes
// them lets the next grid begin accordingly.
//
// Macros besides ADJ_STAGE, of stages 0 and 2: ADJ_I index type; ADJ_GATHER 1: negative indices count from the end; ADJ_BAG 1: positions may
// be outside all bags.
#include "segment_sum/sum.h"
#include "segment_sum/sort.h"
#include "segment_sum/lookup.cuh"
#include "prelude/memory.cuh"
#include "prelude/thread.cuh"

constexpr int kThreads = ADJ_STAGE == 2 ? kSortSmallBlock : kSortBlock;
constexpr int kWarps = kThreads / kWarp, kRounds = kSortTile / kSortBlock;  // kRounds: most keys of a thread in a tile
constexpr u32 kTile = kRounds * kThreads;

#if ADJ_STAGE != 1
__device__ __forceinline__ ADJ_I index_at(const IndexSortParams& p, u32 n) { return static_cast<const ADJ_I*>(p.indices)[n]; }
// Returns the key of the index at position n.
__device__ __forceinline__ u32 key_of(const IndexSortParams& p, u32 n, ADJ_I index, u32& errors) {
  const u32 none = static_cast<u32>(p.num_embeddings);
  if (ADJ_BAG && p.bag_of && p.bag_of[n] == 0) return none;
  // -1, no row, becomes 2^32 - 1 and so `none`; rows are smaller.
  return min_of(static_cast<u32>(row_of_index<ADJ_GATHER>(index, p.num_embeddings, p.padding_row, errors)), none);
}

// Adds the block's errors to the flag and clears the counters of segment_sum/rows.cu.
__device__ __forceinline__ void report(const IndexSortParams& p, u32 errors) {
  if (errors && p.error_flag) atomic_add(p.error_flag, static_cast<i64>(errors));
  if (p.counters && global_thread() < kCounters) p.counters[thread_index()] = 0;
}

// The presence bitmap of a block: a bit for each row, set if it is among the block's keys. Built in shared memory, then written to p.present.
struct Presence {
  u32* bits;
  int words;

  // Clears the bitmap; it is clear after the next barrier.
  __device__ __forceinline__ Presence(const IndexSortParams& p, u32* memory) : bits(memory), words(p.present ? present_words(p.num_embeddings) : 0) {
#pragma unroll 1
    for (int i = thread_index(); i < words; i += kThreads) bits[i] = 0;
  }
  // Sets the bit of a key, by whole warps; kNone: no key. Lanes with the first lane's key leave it to that lane, since many may have it.
  __device__ __forceinline__ void add(const IndexSortParams& p, u32 key) const {
    if (words == 0) return;
    const bool repeated = key == shuffle(key, 0) && lane_index() > 0;
    if (key < p.num_embeddings && !repeated) atomic_or(bits + key / 32, 1u << key % 32);
  }
  // Writes the bitmap; every thread of the block takes part.
  __device__ __forceinline__ void write(const IndexSortParams& p) const {
    block_barrier();
#pragma unroll 1
    for (int i = thread_index(); i < words; i += kThreads) p.present[block_index() * words + i] = bits[i];
  }
};
#endif

#if ADJ_STAGE != 0
// Adds the sum of totals[0, d) to place[d] for all d < bins, by the whole block. Both lie in shared memory. Begins with a barrier; another
// must follow before `place` is read.
__device__ __noinline__ void add_smaller_digits(u32* place, const u32* totals, u32* warp_totals, int bins) {
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

// The shared memory in which a block orders the keys of a tile by a digit.
struct Ordering {
  int bins;
  u32 *totals, *start, *warp_totals;  // [bins] number of keys of a digit, and their begin in the order; warp_totals: scratch
  u32 *keys, *positions;              // [kTile] keys and positions in order
  u32* masks;                         // [kWarps, bins] lanes of a warp whose key has the digit; zeros between two rounds
  u16* counts;                        // [kWarps, bins] number of keys of a warp with the digit; then their begin among those of all warps

  // `memory` has sort_order_bytes(bits, kThreads) bytes. The masks are clear when every thread of the block has constructed one.
  __device__ __forceinline__ Ordering(void* memory, int bits) : bins(1 << bits) {
    totals = static_cast<u32*>(memory);
    start = totals + bins;
    warp_totals = start + bins;
    keys = warp_totals + kWarp;
    positions = keys + kTile;
    masks = positions + kTile;
    counts = reinterpret_cast<u16*>(masks + kWarps * bins);
    clear(masks + warp_index() * bins, bins);
  }

  // Orders the tile's keys by a digit. The keys of a lane stand at first + i * kWarp < end in the tile, i < kRounds. A barrier must follow
  // before the result is read, and before the next call.
  __device__ __forceinline__ void order(const u32 (&key)[kRounds], const u32 (&position)[kRounds], u32 first, u32 end, int shift) const {
    const u32 mask = static_cast<u32>(bins - 1);
    u32* const lanes = masks + warp_index() * bins;
    u16* const own = counts + warp_index() * bins;
    clear(own, bins / 2);
    warp_barrier();
    u32 rank[kRounds];
#pragma unroll
    for (int k = 0; k < kRounds; ++k) {
      const u32 digit = key[k] >> shift & mask;
      const bool present = first + k * kWarp < end;
      if (present) atomic_or(lanes + digit, 1u << lane_index());
      warp_barrier();
      const u32 peers = present ? lanes[digit] : 0, before = present ? own[digit] : 0;
      warp_barrier();
      if (present && lane_index() == lowest_bit(peers)) {
        lanes[digit] = 0;
        own[digit] = static_cast<u16>(before + static_cast<u32>(popcount(peers)));
      }
      warp_barrier();
      rank[k] = before + static_cast<u32>(popcount(peers & lanes_below()));
    }
    block_barrier();
#pragma unroll 1
    for (int d = thread_index(); d < bins; d += kThreads) {
      totals[d] = scan_warps(d);
      start[d] = 0;
    }
    add_smaller_digits(start, totals, warp_totals, bins);
    block_barrier();
#pragma unroll
    for (int k = 0; k < kRounds; ++k) {
      if (first + k * kWarp >= end) continue;
      const u32 digit = key[k] >> shift & mask, to = start[digit] + own[digit] + rank[k];
      keys[to] = key[k];
      positions[to] = position[k];
    }
  }

 private:
  // Clears `count` words of this warp, a multiple of four.
  static __device__ __forceinline__ void clear(void* words, int count) {
#pragma unroll 1
    for (int i = 4 * lane_index(); i < count; i += 4 * kWarp) *reinterpret_cast<Words4*>(static_cast<u32*>(words) + i) = {0, 0, 0, 0};
  }
  // Turns the counts of a digit into the begin of each warp's keys among the tile's keys with it; returns the number of these.
  __device__ __forceinline__ u32 scan_warps(int digit) const {
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
};
#endif

#if ADJ_STAGE < 2
// Adds one to the bin of every lane; kNone: no bin. The first lane adds for all lanes with its bin, which otherwise would wait for each other
// where a row has many occurrences.
__device__ __forceinline__ void count_in(u32* bins, u32 bin) {
  const u32 peers = ballot(bin == shuffle(bin, 0));
  const bool first = lane_index() == 0;
  if (bin != kNone && (first || !(peers >> lane_index() & 1))) atomic_add(bins + bin, first ? static_cast<u32>(popcount(peers)) : 1u);
}
#endif

#if ADJ_STAGE == 0

// Loads a thread's indices of a tile. The caller loads the next tile before it counts this one.
__device__ __forceinline__ void load_tile(const IndexSortParams& p, u32 begin, ADJ_I (&next)[kRounds]) {
#pragma unroll
  for (int k = 0; k < kRounds; ++k) {
    const u32 n = begin + k * kThreads;
    next[k] = k < p.rounds && n < p.num_indices ? index_at(p, n) : 0;
  }
}

extern "C" __global__ void __launch_bounds__(kThreads) ADJ_ENTRY(const __grid_constant__ IndexSortParams p) {
  ADJ_SHARED(u32, counts, 1 << kSortBits);
  ADJ_DYNAMIC_SHARED(memory);
  let_next_grid_begin();  // stage 1 without p.order, which waits before it lets the next begin: the bitmaps are complete then
  const Presence presence(p, reinterpret_cast<u32*>(memory));
  wait_for_earlier_grids();
  const u32 bins = 1u << p.bits, thread = static_cast<u32>(thread_index());
#pragma unroll 1
  for (u32 d = thread; d < bins; d += kThreads) counts[d] = 0;
  // Stage 1 counts the bins of further digits by additions, so they are cleared here.
  const u32 cleared = static_cast<u32>(p.passes - 1) * static_cast<u32>(grid_blocks()) << p.bits;
#pragma unroll 1
  for (i64 i = global_thread(); i < cleared; i += global_threads()) p.next_bins[i] = 0;
  block_barrier();
  const u32 tile = static_cast<u32>(p.rounds) * kThreads;
  u32 errors = 0, begin = static_cast<u32>(block_index()) * p.tiles * tile + thread;
  ADJ_I next[kRounds];
  load_tile(p, begin, next);
#pragma unroll 1
  for (u32 left = p.tiles; left > 0; --left, begin += tile) {
    u32 key[kRounds];
#pragma unroll
    for (int k = 0; k < kRounds; ++k) {
      const u32 n = begin + k * kThreads;
      key[k] = k < p.rounds && n < p.num_indices ? key_of(p, n, next[k], errors) : kNone;
    }
    if (left > 1) load_tile(p, begin + tile, next);
#pragma unroll
    for (int k = 0; k < kRounds; ++k) {
      if (key[k] != kNone) p.sorted_rows[begin + k * kThreads] = key[k];
      presence.add(p, key[k]);
      count_in(counts, key[k] != kNone ? key[k] & (bins - 1) : kNone);
    }
  }
  presence.write(p);
#pragma unroll 1
  for (u32 d = thread; d < bins; d += kThreads) p.bins[block_index() * bins + d] = counts[d];
  report(p, errors);
}

#elif ADJ_STAGE == 1

// Every block adds up the bins itself: of all blocks for the smaller values of the digit, of the blocks before it for the same value.
extern "C" __global__ void __launch_bounds__(kThreads) ADJ_ENTRY(const __grid_constant__ IndexSortParams p) {
  ADJ_DYNAMIC_SHARED(memory);
  if (p.order) let_next_grid_begin();
  const int bins = 1 << p.bits;
  u32* const place = reinterpret_cast<u32*>(memory);  // [bins] place in the result of the block's next key with a digit
  const Ordering tile_order(place + bins, p.bits);
  u32* const all_blocks = tile_order.totals;
#pragma unroll 1
  for (int d = thread_index(); d < bins; d += kThreads) place[d] = all_blocks[d] = 0;
  block_barrier();
  wait_for_earlier_grids();
  if (!p.order) let_next_grid_begin();
  {
    const u32 thread = static_cast<u32>(thread_index()), digit = thread * 4 & static_cast<u32>(bins - 1);
    const u32 blocks = static_cast<u32>(grid_blocks()), self = static_cast<u32>(block_index());
    const u32 groups = 4 * kThreads >> p.bits;  // groups of threads: a group reads the bins of a block, four values for each thread
    constexpr int kDepth = 4;
    u32 all[4] = {}, before[4] = {};
#pragma unroll 1
    for (u32 first = thread * 4 >> p.bits; first < blocks; first += kDepth * groups) {
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
      atomic_add(all_blocks + digit + i, all[i]);
      atomic_add(place + digit + i, before[i]);
    }
  }
  add_smaller_digits(place, all_blocks, tile_order.warp_totals, bins);

  const u32 share = static_cast<u32>(p.rounds) * kWarp, tile = share * kWarps;  // keys of a warp in a tile; keys of a tile
  const u32 before = static_cast<u32>(warp_index()) * share, first = before + static_cast<u32>(lane_index()), mask = static_cast<u32>(bins - 1);
  u32 key[kRounds], position[kRounds], count = 0;
  u32 begin = static_cast<u32>(block_index()) * p.tiles * tile;
  const u32 end = min_of(p.num_indices, begin + p.tiles * tile);
#pragma unroll 1
  for (;;) {
    // The next tile is loaded while the one before is written.
#pragma unroll
    for (int k = 0; k < kRounds; ++k) {
      const u32 n = begin + first + k * kWarp;
      const bool present = k < p.rounds && n < end;
      key[k] = present ? p.rows[n] : 0;
      position[k] = present && p.order ? p.order[n] : n;
    }
#pragma unroll 1
    for (u32 from = 0; from < count; from += kThreads) {
      const u32 i = from + static_cast<u32>(thread_index());
      u32 bin = kNone;
      if (i < count) {
        const u32 ordered = tile_order.keys[i], digit = ordered >> p.shift & mask;
        const u32 to = place[digit] + (i - tile_order.start[digit]);
        p.sorted_rows[to] = ordered;
        p.sorted_order[to] = tile_order.positions[i];
        const u32 block = static_cast<u32>(static_cast<u64>(to / kThreads) * p.inverse_tiles >> kSortInverseBits);
        bin = (block << p.bits) + (ordered >> p.bits >> p.shift & mask);
      }
      if (p.next_bins) count_in(p.next_bins, bin);
    }
    if (begin >= end) break;
    block_barrier();
#pragma unroll 1
    for (int d = thread_index(); count > 0 && d < bins; d += kThreads) place[d] += tile_order.totals[d];
    block_barrier();  // every thread has written its keys of the tile before
    count = min_of(end - begin, tile);
    tile_order.order(key, position, first, min_of(count, before + share), p.shift);
    block_barrier();
    begin += tile;
  }
}

#elif ADJ_STAGE == 2

extern "C" __global__ void __launch_bounds__(kThreads) ADJ_ENTRY(const __grid_constant__ IndexSortParams p) {
  ADJ_DYNAMIC_SHARED(memory);
  const Ordering all(memory, p.bits);
  const Presence presence(p, reinterpret_cast<u32*>(static_cast<unsigned char*>(memory) + sort_order_bytes(p.bits, kThreads)));
  block_barrier();
  wait_for_earlier_grids();
  // Every warp takes the same number of consecutive keys.
  const u32 share = (p.num_indices + kThreads - 1) / kThreads * kWarp, begin = static_cast<u32>(warp_index()) * share;
  const u32 first = begin + static_cast<u32>(lane_index()), end = min_of(p.num_indices, begin + share);
  u32 key[kRounds], position[kRounds], errors = 0;
#pragma unroll
  for (int k = 0; k < kRounds; ++k) {
    position[k] = first + k * kWarp;
    key[k] = position[k] < end ? key_of(p, position[k], index_at(p, position[k]), errors) : 0;
    presence.add(p, position[k] < end ? key[k] : kNone);
  }
  report(p, errors);
  presence.write(p);
  let_next_grid_read();
#pragma unroll 1
  for (int pass = 0; pass < p.passes; ++pass) {
    all.order(key, position, first, end, pass * p.bits);
    block_barrier();
#pragma unroll
    for (int k = 0; k < kRounds; ++k) {
      const u32 n = first + k * kWarp;
      if (n >= end) continue;
      key[k] = all.keys[n];
      position[k] = all.positions[n];
    }
  }
#pragma unroll
  for (int k = 0; k < kRounds; ++k) {
    const u32 n = first + k * kWarp;
    if (n >= end) continue;
    p.sorted_rows[n] = key[k];
    p.sorted_order[n] = position[k];
  }
}

#endif
