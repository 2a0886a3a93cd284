// Gradient of the embedding lookup: dweight[r, :] (=|+=) s_r * sum over n with indices[n] == r of dout[n, :].
//
// ADJ_STAGE picks the program:
//   0  group   groups the occurrences of every row
//   1  sum     reads dout once and writes every row of dweight once
//   2  few     both in one launch, for few indices: every block looks for the occurrences of its own rows
// Other macros: ADJ_I index type; stages 1 and 2: ADJ_T element type.
//
// Grouping is by integer atomics. Where an occurrence is stored depends on the order of arrival, which sums must not, so
// the summing stage sorts what it finds: a row's addends are taken in an order that depends on the indices alone.
//   light rows, up to 32 occurrences: one part of a warp adds them in token order;
//   medium rows, up to 2048: a block sorts the occurrences into a list; they are dealt to 16 streams, each adds its share
//     in order, then the streams are added in order;
//   huge rows: windows of tokens are searched, each writes its part of the row's list; the list is cut into ranges (their
//     number depends on the count alone), each is summed like a medium row, in pieces of 2048 that are added with
//     compensation; the last range to finish adds the ranges in order.
// Lists are written first, while other blocks go on to light rows; nothing but a list is ever waited for, and those are
// in the hands of running blocks by then.
// No sum is longer than 128 + 16 + 128 additions, whatever the number of occurrences.
#include "params/embedding.h"
#include "prelude/memory.cuh"
#include "prelude/thread.cuh"

// ---- chunks of occurrences beyond a row's own slots, in a hash table by (row, chunk)

constexpr u32 kSlots = kEmbeddingSlots;

// Never 0: rows stay below 2^36 and chunks below 2^27.
__device__ __forceinline__ u64 chunk_key(i64 row, u32 chunk) { return ((static_cast<u64>(row) << 27) | chunk) + 1; }
__device__ __forceinline__ u32 first_place(u64 key, u32 places) {
  key ^= key >> 29;
  key *= 0xbf58476d1ce4e5b9ull;
  key ^= key >> 32;
  key *= 0x94d049bb133111ebull;
  return static_cast<u32>(((key >> 32) * places) >> 32);
}
// The table is at most two thirds full, so the searches end.
__device__ __forceinline__ u32 insert_chunk(u64* keys, u32 places, u64 key) {
  u32 place = first_place(key, places);
  for (;;) {
    const u64 found = atomic_compare_swap(keys + place, 0, key);
    if (found == 0 || found == key) return place;
    place = place + 1 == places ? 0 : place + 1;
  }
}
__device__ __forceinline__ u32 find_chunk(const u64* keys, u32 places, u64 key) {
  u32 place = first_place(key, places);
  for (;;) {
    const u64 found = keys[place];
    if (found == key || found == 0) return place;
    place = place + 1 == places ? 0 : place + 1;
  }
}
// Occurrence `i` of a row, in order of arrival.
__device__ __forceinline__ u32 occurrence(const EmbeddingBackwardParams& p, i64 row, u32 i) {
  if (i < kSlots) return p.slots[row * kSlots + i];
  const u32 place = find_chunk(p.keys, p.chunk_slots, chunk_key(row, i / kSlots - 1));
  return p.chunks[static_cast<i64>(place) * kSlots + i % kSlots];
}

__device__ __forceinline__ u32 ranges_of(u32 count) { return min_of<u32>(kEmbeddingRanges, count / kEmbeddingRangeGrain); }

// Adds a warp's lanes that want an entry to a counter; the result is the lane's own entry.
__device__ __forceinline__ u32 append(bool wanted, u32* counter) {
  const u32 lanes = ballot(wanted);
  u32 first = 0;
  if (lanes && lane_index() == lowest_bit(lanes)) first = atomic_add(counter, static_cast<u32>(popcount(lanes)));
  return shuffle(first, lanes ? lowest_bit(lanes) : 0) + static_cast<u32>(popcount(lanes & lanes_below()));
}

#if ADJ_STAGE == 0

extern "C" __global__ void __launch_bounds__(kEmbeddingBlock) ADJ_ENTRY(const __grid_constant__ EmbeddingBackwardParams p) {
  const ADJ_I* indices = static_cast<const ADJ_I*>(p.indices);
  i64 bad = 0;
  for (i64 base = block_index() * block_threads(); base < p.num_indices; base += global_threads()) {
    const i64 n = base + thread_index();
    const bool inside = n < p.num_indices;
    const i64 row = inside ? static_cast<i64>(indices[n]) : 0;
    const bool valid = inside && row >= 0 && row < p.num_embeddings;
    bad += popcount(ballot(inside && !valid));
    const bool counted = valid && row != p.padding_row;

    // One atomic per distinct row of the warp; `rank` is the order of arrival at the row.
    const u32 peers = match_any(counted ? static_cast<u64>(row) : ~u64{0});
    const int leader = lowest_bit(peers);
    u32 rank = 0;
    if (counted && lane_index() == leader) rank = atomic_add(p.counts + row, static_cast<u32>(popcount(peers)));
    rank = shuffle(rank, leader) + static_cast<u32>(popcount(peers & lanes_below()));

    // The first lane of every chunk looks it up for the others. Huge rows are searched for instead.
    const bool overflows = counted && rank >= kSlots && rank < kEmbeddingMedium;
    const bool looks_up = overflows && (rank % kSlots == 0 || lane_index() == leader);
    const u32 lookups = ballot(looks_up) & peers & (lanes_below() | 1u << lane_index());
    u32 place = 0;
    if (looks_up) place = insert_chunk(p.keys, p.chunk_slots, chunk_key(row, rank / kSlots - 1));
    place = shuffle(place, lookups ? highest_bit(lookups) : 0);
    if (overflows)
      p.chunks[static_cast<i64>(place) * kSlots + rank % kSlots] = static_cast<u32>(n);
    else if (counted && rank < kSlots)
      p.slots[row * kSlots + rank] = static_cast<u32>(n);

    const bool is_first = counted && rank == 0;
    if (ballot(is_first)) {
      const u32 entry = append(is_first, &p.control->touched);
      if (is_first) p.touched[entry] = static_cast<u32>(n);
    }
    const bool is_medium = counted && rank == kEmbeddingLight;
    if (ballot(is_medium)) {
      const u32 entry = append(is_medium, &p.control->medium);
      if (is_medium) p.medium_rows[entry] = row;
    }
    const bool is_huge = counted && rank == kEmbeddingMedium;
    if (ballot(is_huge)) {
      const u32 entry = append(is_huge, &p.control->huge);
      if (is_huge) p.huge_rows[entry] = row;
    }
  }
  if (bad && p.error_flag && lane_index() == 0) atomic_add(p.error_flag, bad);

  // The last block knows all counts and lists the ranges of the huge rows.
  ADJ_SHARED(u32, arrived, 1);
  device_fence();
  block_barrier();
  if (thread_index() == 0) arrived[0] = atomic_add(&p.control->blocks_done, 1u);
  block_barrier();
  if (arrived[0] + 1 != grid_blocks()) return;
  device_fence();
  const u32 huge = p.control->huge;
  for (u32 h = static_cast<u32>(thread_index()); h < huge; h += static_cast<u32>(block_threads())) {
    const u32 count = p.counts[p.huge_rows[h]];
    const u32 parts = ranges_of(count);
    p.huge_list[h] = atomic_add(&p.control->entries, count);
    const u32 first = atomic_add(&p.control->ranges, parts);
    p.huge_first[h] = first;
    for (u32 i = 0; i < parts; ++i) p.ranges[first + i] = EmbeddingRange{h, i};
  }
}

#else

typedef ADJ_T T;
typedef Acc<ADJ_T> A;
constexpr int N = kVec16<T>;
constexpr int kTileLanes = kEmbeddingTileLanes;
constexpr int kTile = kTileLanes * N;                         // columns
constexpr int kStreams = kEmbeddingBlock / kTileLanes;
constexpr int kWarps = kEmbeddingBlock / kWarp;

// N columns of one lane out of a stretch that `lanes` lanes share: neighbours when rows are 16-byte aligned, else
// interleaved among the lanes.
template <bool vectors> __device__ __forceinline__ i64 column_of(i64 begin, int lane, int lanes, int k) {
  return vectors ? begin + lane * N + k : begin + k * lanes + lane;
}
template <bool vectors> __device__ __forceinline__ Vec<T, N> load_piece(const T* row, i64 begin, i64 end, int lane, int lanes) {
  if constexpr (vectors) {
    const i64 column = begin + lane * N;
    return unpack<T>(column < end ? load_streaming(reinterpret_cast<const Words4*>(row + column)) : Words4{0, 0, 0, 0});
  } else {
    Vec<T, N> v;
#pragma unroll
    for (int k = 0; k < N; ++k) {
      const i64 column = column_of<false>(begin, lane, lanes, k);
      v.at[k] = column < end ? row[column] : T{};
    }
    return v;
  }
}

__device__ __forceinline__ A scaled(const EmbeddingBackwardParams& p, A sum, u32 count) {
  return p.scale_by_count && count > 1 ? sum / static_cast<A>(count) : sum;
}

// What a lane moves at once of a light row: a vector, or an element when rows are not aligned.
template <bool vectors> constexpr int kUnit = vectors ? N : 1;
template <bool vectors> __device__ __forceinline__ Vec<T, kUnit<vectors>> load_unit(const T* row, i64 column, i64 end) {
  if constexpr (vectors) {
    return unpack<T>(column < end ? load_streaming(reinterpret_cast<const Words4*>(row + column)) : Words4{0, 0, 0, 0});
  } else {
    return {column < end ? row[column] : T{}};
  }
}
template <bool vectors> __device__ __forceinline__ void store_unit(T* row, i64 column, i64 end, const Vec<T, kUnit<vectors>>& v) {
  if (column >= end) return;
  if constexpr (vectors) store_streaming(reinterpret_cast<Words4*>(row + column), pack<T>(v));
  else row[column] = v.at[0];
}

// Sums `count` rows of dout in the order of `positions` and writes columns [first, end) of one row of dweight. `pieces`
// stretches of columns and `depth` rows are in flight together.
template <bool vectors, int pieces, int depth>
__device__ __forceinline__ void sum_row(const EmbeddingBackwardParams& p, i64 row, u32 count, const u32* positions, i64 first,
                                        i64 end, int lane, int lanes) {
  const T* dout = static_cast<const T*>(p.dout);
  T* to = static_cast<T*>(p.dweight) + row * p.embedding_dim;
  constexpr int U = kUnit<vectors>;
  const i64 step = static_cast<i64>(lanes) * U;
  for (i64 begin = first + lane * U; begin < end; begin += step * pieces) {
    Vec<T, U> old[pieces] = {};
    if (p.accumulate)
#pragma unroll
      for (int u = 0; u < pieces; ++u) old[u] = load_unit<vectors>(to, begin + u * step, end);
    A sum[pieces][U] = {};
    for (u32 i = 0; i < count; i += depth) {
      Vec<T, U> v[depth][pieces];
#pragma unroll
      for (int j = 0; j < depth; ++j) {
        const bool present = i + j < count;
        const T* from = dout + static_cast<i64>(present ? positions[i + j] : 0) * p.embedding_dim;
#pragma unroll
        for (int u = 0; u < pieces; ++u) v[j][u] = load_unit<vectors>(from, begin + u * step, present ? end : 0);
      }
#pragma unroll
      for (int j = 0; j < depth; ++j)
#pragma unroll
        for (int u = 0; u < pieces; ++u)
#pragma unroll
          for (int k = 0; k < U; ++k) sum[u][k] += to_acc(v[j][u].at[k]);
    }
#pragma unroll
    for (int u = 0; u < pieces; ++u) {
      Vec<T, U> out;
#pragma unroll
      for (int k = 0; k < U; ++k) {
        const A value = scaled(p, sum[u][k], count);
        out.at[k] = from_acc<T>(p.accumulate ? value + to_acc(old[u].at[k]) : value);
      }
      store_unit<vectors>(to, begin + u * step, end, out);
    }
  }
}
// The same for one occurrence.
template <bool vectors, int pieces>
__device__ __forceinline__ void copy_row(const EmbeddingBackwardParams& p, i64 row, u32 position, i64 first, i64 end, int lane,
                                         int lanes) {
  const T* from = static_cast<const T*>(p.dout) + static_cast<i64>(position) * p.embedding_dim;
  T* to = static_cast<T*>(p.dweight) + row * p.embedding_dim;
  constexpr int U = kUnit<vectors>;
  const i64 step = static_cast<i64>(lanes) * U;
  for (i64 begin = first + lane * U; begin < end; begin += step * pieces) {
    Vec<T, U> v[pieces], old[pieces] = {};
#pragma unroll
    for (int u = 0; u < pieces; ++u) v[u] = load_unit<vectors>(from, begin + u * step, end);
    if (p.accumulate)
#pragma unroll
      for (int u = 0; u < pieces; ++u) old[u] = load_unit<vectors>(to, begin + u * step, end);
#pragma unroll
    for (int u = 0; u < pieces; ++u) {
#pragma unroll
      for (int k = 0; k < U; ++k) {
        const A value = A{0} + to_acc(v[u].at[k]);
        v[u].at[k] = from_acc<T>(p.accumulate ? value + to_acc(old[u].at[k]) : value);
      }
      store_unit<vectors>(to, begin + u * step, end, v[u]);
    }
  }
}

// Writes zeros to columns [begin, end) of those of up to 32 rows whose bit is set, with one warp.
template <bool vectors>
__device__ __forceinline__ void clear_rows(const EmbeddingBackwardParams& p, i64 first, u32 empty, i64 begin, i64 end) {
  if (!empty) return;
  constexpr int U = kUnit<vectors>;
  T* dweight = static_cast<T*>(p.dweight) + begin;
  const auto clear = [&](i64 row, i64 unit) {
    T* to = dweight + (first + row) * p.embedding_dim + unit * U;
    if constexpr (vectors) store_streaming(reinterpret_cast<Words4*>(to), Words4{0, 0, 0, 0});
    else *to = T{};
  };
  const i64 units = (end - begin) / U;
  if (units >= kWarp) {
    for (; empty; empty &= empty - 1) {
      const int row = lowest_bit(empty);
#pragma unroll 2
      for (i64 unit = lane_index(); unit < units; unit += kWarp) clear(row, unit);
    }
  } else {
    const int width = static_cast<int>(units), total = (highest_bit(empty) + 1) * width;
    for (int i = lane_index(); i < total; i += kWarp)
      if (empty >> (i / width) & 1) clear(i / width, i % width);
  }
}

// ---- rows summed by a whole block, one tile of columns at a time

// Adds the rows of dout at list[0, count) to the streams' sums; stream s takes entries s, s + 16, ..., `depth` of them
// in flight together.
template <bool vectors, int depth = vectors ? 8 : 1>
__device__ __forceinline__ void add_list(const EmbeddingBackwardParams& p, const u32* list, u32 count, i64 column, A (&sum)[N]) {
  const T* dout = static_cast<const T*>(p.dout);
  const int lane = thread_index() % kTileLanes;
  const i64 end = min_of<i64>(p.embedding_dim, column + kTile);
  for (u32 i = static_cast<u32>(thread_index() / kTileLanes); i < count; i += kStreams * depth) {
    Vec<T, N> v[depth];
#pragma unroll
    for (int j = 0; j < depth; ++j) {
      const u32 entry = i + j * kStreams;
      const bool present = entry < count;
      const T* from = dout + static_cast<i64>(present ? list[entry] : 0) * p.embedding_dim;
      v[j] = load_piece<vectors>(from, column, present ? end : 0, lane, kTileLanes);
    }
#pragma unroll
    for (int j = 0; j < depth; ++j)
#pragma unroll
      for (int k = 0; k < N; ++k) sum[k] += to_acc(v[j].at[k]);
  }
}

// Adds the streams in order. Thread c < kTile gets the sum of column c of the tile.
template <bool vectors> __device__ __forceinline__ A add_streams(const A (&sum)[N], A* scratch) {
  const int lane = thread_index() % kTileLanes;
  A* mine = scratch + thread_index() / kTileLanes * kTile;
#pragma unroll
  for (int k = 0; k < N; ++k) mine[column_of<vectors>(0, lane, kTileLanes, k)] = sum[k];
  block_barrier();
  A total = 0;
  if (thread_index() < kTile)
    for (int s = 0; s < kStreams; ++s) total += scratch[s * kTile + thread_index()];
  return total;
}

__device__ __forceinline__ void store_column(const EmbeddingBackwardParams& p, i64 row, i64 column, A sum, u32 count) {
  T* to = static_cast<T*>(p.dweight) + row * p.embedding_dim + column;
  const A value = scaled(p, sum, count);
  *to = from_acc<T>(p.accumulate ? value + to_acc(*to) : value);
}

// Lists the positions in [begin, end) whose index `wanted` accepts (never -1), ascending; the range has at most
// kEmbeddingBlock * rounds of them. Ends with a barrier.
template <int rounds, class Wanted>
__device__ __forceinline__ u32 list_tokens(const ADJ_I* indices, i64 begin, i64 end, u32* list, u32* scratch, Wanted wanted) {
  ADJ_I index[rounds];
#pragma unroll
  for (int k = 0; k < rounds; ++k) {
    const i64 n = begin + k * kEmbeddingBlock + thread_index();
    index[k] = n < end ? indices[n] : ADJ_I{-1};
  }
  u32 hits[rounds];
#pragma unroll
  for (int k = 0; k < rounds; ++k) {
    hits[k] = ballot(wanted(static_cast<i64>(index[k])));
    if (lane_index() == 0) scratch[k * kWarps + warp_index()] = static_cast<u32>(popcount(hits[k]));
  }
  block_barrier();
  u32 total = 0;
#pragma unroll
  for (int k = 0; k < rounds; ++k) {
    u32 before = 0, all = 0;
#pragma unroll
    for (int w = 0; w < kWarps; ++w) {
      if (w == warp_index()) before = all;
      all += scratch[k * kWarps + w];
    }
    if (hits[k] >> lane_index() & 1)
      list[total + before + static_cast<u32>(popcount(hits[k] & lanes_below()))] =
          static_cast<u32>(begin + k * kEmbeddingBlock + thread_index());
    total += all;
  }
  block_barrier();
  return total;
}

#if ADJ_STAGE == 1

constexpr u32 kList = kEmbeddingMedium;  // entries

// Bitonic sort of a power of two of entries. Begins and ends with a barrier.
__device__ __forceinline__ void sort_list(u32* list, u32 size) {
  for (u32 span = 2; span <= size; span *= 2)
    for (u32 gap = span / 2; gap > 0; gap /= 2) {
      block_barrier();
      for (u32 i = static_cast<u32>(thread_index()); i < size / 2; i += kEmbeddingBlock) {
        const u32 a = 2 * i - (i & (gap - 1)), b = a + gap;
        const u32 x = list[a], y = list[b];
        if ((x > y) == ((a & span) == 0)) {
          list[a] = y;
          list[b] = x;
        }
      }
    }
  block_barrier();
}

// The sum over a block's threads, for all of them. Begins with a barrier.
__device__ __forceinline__ u32 block_sum(u32 v, u32* scratch) {
#pragma unroll
  for (int mask = kWarp / 2; mask > 0; mask /= 2) v += shuffle_xor(v, mask);
  block_barrier();
  if (lane_index() == 0) scratch[warp_index()] = v;
  block_barrier();
  u32 total = 0;
#pragma unroll
  for (int w = 0; w < kWarps; ++w) total += scratch[w];
  return total;
}

__device__ __forceinline__ void write_list(u32* to, const u32* list, u32 count) {
  for (u32 i = static_cast<u32>(thread_index()); i < count; i += kEmbeddingBlock) to[i] = list[i];
}

__device__ __forceinline__ void list_medium_row(const EmbeddingBackwardParams& p, u32 medium, u32* list, u32* words) {
  const i64 row = p.medium_rows[medium];
  const u32 count = p.counts[row];
  if (count > kEmbeddingMedium) return;  // grew into a huge row
  if (thread_index() == 0) p.medium_list[medium] = words[0] = atomic_add(&p.control->entries, count);
  u32 size = 2 * kEmbeddingLight;
  while (size < count) size *= 2;
  for (u32 i = static_cast<u32>(thread_index()); i < size; i += kEmbeddingBlock) list[i] = i < count ? occurrence(p, row, i) : ~0u;
  sort_list(list, size);
  write_list(p.lists + words[0], list, count);
}

// The part of a huge row's list that comes from one window of tokens; its place depends on the windows before.
__device__ __forceinline__ void list_huge_window(const EmbeddingBackwardParams& p, u32 huge, u32 window, u32* list, u32* words) {
  constexpr int kRounds = kList / kEmbeddingBlock;
  const ADJ_I* indices = static_cast<const ADJ_I*>(p.indices);
  const i64 row = p.huge_rows[huge];
  const i64 length = (p.num_indices + p.windows - 1) / p.windows;
  const i64 begin = window * length, end = min_of<i64>(p.num_indices, begin + length);
  const auto wanted = [row](i64 index) { return index == row; };
  const bool fits = length <= kList;
  u32 found = 0;
  if (fits) {
    found = list_tokens<kRounds>(indices, begin, end, list, words, wanted);
  } else {
#pragma unroll 8
    for (i64 n = begin + thread_index(); n < end; n += kEmbeddingBlock) found += wanted(static_cast<i64>(indices[n]));
    found = block_sum(found, words);
  }
  u32* counts = p.found + static_cast<i64>(huge) * p.windows;
  if (thread_index() == 0) atomic_add(counts + window, found + 1);
  u32 before = 0;
  if (thread_index() < static_cast<int>(window)) {
    do before = atomic_load(counts + thread_index());
    while (before == 0);
    --before;
  }
  u32* to = p.lists + p.huge_list[huge] + block_sum(before, words);
  if (fits) {
    write_list(to, list, found);
    return;
  }
  block_barrier();
  for (i64 at = begin; at < end; at += kList) {
    found = list_tokens<kRounds>(indices, at, min_of<i64>(end, at + kList), list, words, wanted);
    write_list(to, list, found);
    to += found;
  }
}

// Lists the occurrences of the heavy rows. Lists are handed out in order, so the windows that a block waits for are in
// the hands of blocks that run.
__device__ __forceinline__ void write_lists(const EmbeddingBackwardParams& p, u32 lists, u32* list, u32* words, u64* next) {
  const u32 windows = static_cast<u32>(p.windows), of_huge = p.control->huge * windows;
  for (;;) {
    if (thread_index() == 0) next[0] = atomic_add(&p.control->listing, 1u);
    block_barrier();
    const u32 item = static_cast<u32>(next[0]);
    if (item >= lists) return;
    if (item < of_huge)
      list_huge_window(p, item / windows, item % windows, list, words);
    else
      list_medium_row(p, item - of_huge, list, words);
    device_fence();
    block_barrier();
    if (thread_index() == 0) atomic_add(&p.control->listed, 1u);
  }
}

// One tile of columns of a list.
template <bool vectors>
__device__ __forceinline__ A sum_list(const EmbeddingBackwardParams& p, const u32* list, u32 count, i64 tile, A* scratch) {
  A sum[N] = {};
  if (count <= kList) {
    add_list<vectors>(p, list, count, tile * kTile, sum);
  } else {
    A lost[N] = {};
    for (u32 begin = 0; begin < count; begin += kList) {
      A window[N] = {};
      add_list<vectors, vectors ? 4 : 1>(p, list + begin, min_of<u32>(kList, count - begin), tile * kTile, window);
#pragma unroll
      for (int k = 0; k < N; ++k) {  // the exact error of an addition is itself a number
        const A next = sum[k] + window[k];
        const A taken = next - sum[k];
        lost[k] += (sum[k] - (next - taken)) + (window[k] - taken);
        sum[k] = next;
      }
    }
#pragma unroll
    for (int k = 0; k < N; ++k)
      if (lost[k] == lost[k]) sum[k] += lost[k];  // not a number once the sum is infinite
  }
  return add_streams<vectors>(sum, scratch);
}

// One tile of columns of one range of a huge row.
template <bool vectors>
__device__ __forceinline__ void sum_range(const EmbeddingBackwardParams& p, u32 entry, i64 tile, A* scratch, u32* last) {
  const EmbeddingRange range = p.ranges[entry];
  const i64 row = p.huge_rows[range.huge];
  const u32 count = p.counts[row];
  const u32 parts = ranges_of(count);
  const auto begin_of = [&](u32 i) { return static_cast<u32>(static_cast<u64>(count) * i / parts); };
  const u32 begin = begin_of(range.range);
  A total = sum_list<vectors>(p, p.lists + p.huge_list[range.huge] + begin, begin_of(range.range + 1) - begin, tile, scratch);

  const i64 column = tile * kTile + thread_index();
  const bool mine = thread_index() < kTile && column < p.embedding_dim;
  A* partials = static_cast<A*>(p.partials);
  if (mine) partials[entry * p.embedding_dim + column] = total;
  device_fence();
  block_barrier();
  if (thread_index() == 0) last[0] = atomic_add(p.tickets + range.huge * p.tiles + tile, 1u) + 1 == parts;
  block_barrier();
  if (!last[0]) return;
  device_fence();
  if (!mine) return;
  const A* from = partials + p.huge_first[range.huge] * p.embedding_dim + column;
  total = 0;
#pragma unroll 16
  for (u32 i = 0; i < parts; ++i) total += from[i * p.embedding_dim];
  store_column(p, row, column, total, count);
}

// Sums the listed rows, in pieces dealt to whichever block is free.
template <bool vectors>
__device__ __forceinline__ void sum_lists(const EmbeddingBackwardParams& p, u32 lists, A* scratch, u32* words, u64* next) {
  const u32 medium = p.control->medium;
  const u64 tiles = static_cast<u64>(p.tiles), items = (u64{medium} + p.control->ranges) * tiles;
  u64* work = reinterpret_cast<u64*>(&p.control->work);
  if (thread_index() == 0) {
    next[0] = atomic_add(work, u64{1});
    while (atomic_load(&p.control->listed) < lists) {}
  }
  block_barrier();
  device_fence();
  for (u64 item = next[0]; item < items; item = next[0]) {
    // The next item is on its way while this one is summed.
    u64 coming = 0;
    if (thread_index() == 0) coming = atomic_add(work, u64{1});
    const u64 entry = item / tiles;
    const i64 tile = static_cast<i64>(item % tiles);
    if (entry < medium) {
      const i64 row = p.medium_rows[entry];
      const u32 count = p.counts[row];
      if (count <= kEmbeddingMedium) {
        const A total = sum_list<vectors>(p, p.lists + p.medium_list[entry], count, tile, scratch);
        const i64 column = tile * kTile + thread_index();
        if (thread_index() < kTile && column < p.embedding_dim) store_column(p, row, column, total, count);
      }
    } else {
      sum_range<vectors>(p, static_cast<u32>(entry - medium), tile, scratch, words);
    }
    block_barrier();
    if (thread_index() == 0) next[0] = coming;
    block_barrier();
  }
}

// Rows without occurrences: a warp takes an equal share of consecutive rows.
template <bool vectors> __device__ __forceinline__ void clear_untouched_rows(const EmbeddingBackwardParams& p) {
  const i64 warps = grid_blocks() * kWarps;
  const i64 share = (p.num_embeddings + warps - 1) / warps;
  i64 first = (block_index() * kWarps + warp_index()) * share;
  const i64 last = min_of<i64>(p.num_embeddings, first + share);
  for (; first < last; first += kWarp) {
    const u32 empty = ballot(first + lane_index() < last && p.counts[first + lane_index()] == 0);
    clear_rows<vectors>(p, first, empty, 0, p.embedding_dim);
  }
}

// Light rows: a warp takes every so many of the touched rows, kBatch at a time.
constexpr int kBatch = 8;
template <bool vectors> __device__ __forceinline__ void sum_light_rows(const EmbeddingBackwardParams& p, u32* positions) {
  constexpr int kLanes = kEmbeddingSlots;  // lanes that hold the slots of one row
  constexpr int kTogether = kWarp / kLanes;
  const int lane = lane_index();
  const int lanes = p.row_lanes;
  const u32 touched = p.control->touched;
  const u32 blocks = static_cast<u32>(grid_blocks()), warps = blocks * kWarps;
  for (u32 first = static_cast<u32>(block_index()) + static_cast<u32>(warp_index()) * blocks; first < touched; first += warps * kBatch) {
    const u32 entry = first + static_cast<u32>(lane) * warps;
    i64 row = 0;
    u32 count = 0;
    if (lane < kBatch && entry < touched) {
      row = static_cast<i64>(static_cast<const ADJ_I*>(p.indices)[p.touched[entry]]);
      count = p.counts[row];
    }
    const int rows = popcount(ballot(count > 0));
    warp_barrier();

    // Rows whose slots suffice: sorted by rank among a few lanes, with the loads of all rows in flight together.
    u32 position[kBatch / kTogether], counts[kBatch / kTogether];
#pragma unroll
    for (int k = 0; k < kBatch / kTogether; ++k) {
      const int at = k * kTogether + lane / kLanes;
      const i64 own = shuffle(row, at);
      counts[k] = shuffle(count, at);
      if (counts[k] > kSlots) counts[k] = 0;
      position[k] = lane % kLanes < counts[k] ? p.slots[own * kSlots + lane % kLanes] : ~0u;
    }
#pragma unroll
    for (int k = 0; k < kBatch / kTogether; ++k) {
      u32 most = counts[k];
#pragma unroll
      for (int mask = kLanes; mask < kWarp; mask *= 2) most = max_of(most, shuffle_xor(most, mask));
      u32 rank = 0;
      for (u32 i = 0; i < most; ++i) rank += shuffle(position[k], lane / kLanes * kLanes + static_cast<int>(i)) < position[k];
      if (lane % kLanes < counts[k]) positions[(k * kTogether + lane / kLanes) * kEmbeddingLight + rank] = position[k];
    }
    // Others: by a whole warp.
    for (u32 more = ballot(count > kSlots && count <= kEmbeddingLight); more; more &= more - 1) {
      const int at = lowest_bit(more);
      const u32 n = shuffle(count, at);
      const i64 own = shuffle(row, at);
      const u32 found = lane < n ? occurrence(p, own, static_cast<u32>(lane)) : ~0u;
      u32 rank = 0;
      for (u32 i = 0; i < n; ++i) rank += shuffle(found, static_cast<int>(i)) < found;
      if (lane < n) positions[at * kEmbeddingLight + rank] = found;
    }
    warp_barrier();

    for (int base = 0; base < rows; base += kWarp / lanes) {
      const int at = base + lane / lanes;
      const u32 n = shuffle(count, at);
      const i64 own = shuffle(row, at);
      if (n == 0 || n > kEmbeddingLight) continue;
      const u32* list = positions + at * kEmbeddingLight;
      const int part = lane & (lanes - 1);
      if (n == 1)
        copy_row<vectors, 3>(p, own, list[0], 0, p.embedding_dim, part, lanes);
      else
        sum_row<vectors, 2, 2>(p, own, n, list, 0, p.embedding_dim, part, lanes);
    }
  }
}

template <bool vectors>
__device__ __forceinline__ void sum_all(const EmbeddingBackwardParams& p, u32* positions, A* scratch, u32* words, u64* next) {
  const u32 lists = p.control->huge * static_cast<u32>(p.windows) + p.control->medium;
  if (lists) write_lists(p, lists, positions, words, next);
  block_barrier();
  // Half of the blocks begin with the stores, so that they and the loads of the others share the memory.
#pragma unroll 1
  for (int half = 0; half < 2; ++half) {
    if ((block_index() + half) % 2 == 0)
      sum_light_rows<vectors>(p, positions + warp_index() * kBatch * kEmbeddingLight);
    else if (!p.accumulate)
      clear_untouched_rows<vectors>(p);
  }
  if (lists) sum_lists<vectors>(p, lists, scratch, words, next);
}

extern "C" __global__ void __launch_bounds__(kEmbeddingBlock, ADJ_ARCH >= 100 ? 2 : 3) ADJ_ENTRY(const __grid_constant__ EmbeddingBackwardParams p) {
  ADJ_SHARED(u32, positions, kWarps * kBatch * kEmbeddingLight);  // also the list of a heavy row
  ADJ_SHARED(A, scratch, kStreams * kTile);
  ADJ_SHARED(u32, words, 1 + kList / kWarp);
  ADJ_SHARED(u64, next, 1);
  if (p.embedding_dim % N == 0 && aligned16(p.dout) && aligned16(p.dweight))
    sum_all<true>(p, positions, scratch, words, next);
  else
    sum_all<false>(p, positions, scratch, words, next);
}

#else

// A block owns `batch_rows` rows (at most kEmbeddingFewRows) times an equal share of the warp-wide stretches of columns.
template <bool vectors>
__device__ __forceinline__ void sum_few(const EmbeddingBackwardParams& p, u32* list, u32* sorted, u32* rows_of, u32* starts, u32* counts,
                                        A* scratch, u32* words) {
  const ADJ_I* indices = static_cast<const ADJ_I*>(p.indices);
  const int lane = lane_index();
  const int lanes = p.row_lanes;
  constexpr i64 kStretch = static_cast<i64>(kWarp) * N;
  const i64 stretches = (p.embedding_dim + kStretch - 1) / kStretch;
  const i64 width = (stretches + grid_blocks_y() - 1) / grid_blocks_y() * kStretch;
  const i64 left = min_of<i64>(p.embedding_dim, block_index_y() * width), right = min_of<i64>(p.embedding_dim, left + width);
  for (i64 first = block_index() * p.batch_rows; first < p.num_embeddings; first += grid_blocks() * p.batch_rows) {
    const int rows = static_cast<int>(min_of<i64>(p.batch_rows, p.num_embeddings - first));
    block_barrier();
    for (int r = thread_index(); r < rows; r += kEmbeddingBlock) counts[r] = 0;
    const u32 found = list_tokens<kEmbeddingFew / kEmbeddingBlock>(
        indices, 0, p.num_indices, list, words,
        [&](i64 index) { return index >= first && index < first + rows && index != p.padding_row; });
    for (u32 i = static_cast<u32>(thread_index()); i < found; i += kEmbeddingBlock) {
      rows_of[i] = static_cast<u32>(indices[list[i]] - first);
      atomic_add(counts + rows_of[i], 1u);
    }
    block_barrier();
    // Sorts by row, token order within a row: an occurrence's place is the number of those before it.
    for (u32 i = static_cast<u32>(thread_index()); i < found; i += kEmbeddingBlock) {
      const u32 row = rows_of[i];
      u32 before = 0, place = 0;
      for (u32 j = 0; j < found; ++j) {
        place += rows_of[j] < row;
        before += j < i && rows_of[j] == row;
      }
      sorted[place + before] = list[i];
      if (before == 0) starts[row] = place;
    }
    block_barrier();

    if (!p.accumulate)
      for (int base = warp_index() * kWarp; base < rows; base += kEmbeddingBlock)
        clear_rows<vectors>(p, first + base, ballot(base + lane < rows && counts[base + lane] == 0), left, right);
    if (found == 0) continue;
    for (i64 begin = left; begin < right; begin += kStretch) {
      const i64 end = min_of<i64>(right, begin + kStretch);
      for (int base = warp_index() * (kWarp / lanes); base < rows; base += kWarps * (kWarp / lanes)) {
        const int row = base + lane / lanes;
        const u32 n = row < rows ? counts[row] : 0;
        if (n > 0 && n <= kEmbeddingLight)
          sum_row<vectors, 1, 4>(p, first + row, n, sorted + starts[row], begin, end, lane & (lanes - 1), lanes);
      }
      if (found <= kEmbeddingLight) continue;
      for (int row = 0; row < rows; ++row) {
        const u32 n = counts[row];
        if (n <= kEmbeddingLight) continue;
        for (i64 column = begin; column < end; column += kTile) {
          A sum[N] = {};
          add_list<vectors>(p, sorted + starts[row], n, column, sum);
          const A total = add_streams<vectors>(sum, scratch);
          if (thread_index() < kTile && column + thread_index() < end) store_column(p, first + row, column + thread_index(), total, n);
          block_barrier();
        }
      }
    }
  }
}

extern "C" __global__ void __launch_bounds__(kEmbeddingBlock, 3) ADJ_ENTRY(const __grid_constant__ EmbeddingBackwardParams p) {
  ADJ_SHARED(u32, list, kEmbeddingFew);
  ADJ_SHARED(u32, sorted, kEmbeddingFew);
  ADJ_SHARED(u32, rows_of, kEmbeddingFew);
  ADJ_SHARED(u32, starts, kEmbeddingFewRows);
  ADJ_SHARED(u32, counts, kEmbeddingFewRows);
  ADJ_SHARED(A, scratch, kStreams * kTile);
  ADJ_SHARED(u32, words, kEmbeddingFew / kWarp);
  if (p.error_flag && block_index() == 0 && block_index_y() == 0) {
    const ADJ_I* indices = static_cast<const ADJ_I*>(p.indices);
    i64 bad = 0;
    for (i64 base = 0; base < p.num_indices; base += kEmbeddingBlock) {
      const i64 n = base + thread_index();
      const i64 row = n < p.num_indices ? static_cast<i64>(indices[n]) : 0;
      bad += popcount(ballot(n < p.num_indices && (row < 0 || row >= p.num_embeddings)));
    }
    if (bad && lane_index() == 0) atomic_add(p.error_flag, bad);
  }
  if (p.embedding_dim % N == 0 && aligned16(p.dout) && aligned16(p.dweight))
    sum_few<true>(p, list, sorted, rows_of, starts, counts, scratch, words);
  else
    sum_few<false>(p, list, sorted, rows_of, starts, counts, scratch, words);
}

#endif
#endif
