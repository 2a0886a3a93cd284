// Gradients of row lookups: dweight[o, r, :] (=|+=) s_r * sum over n with indices[n] == r of the addend of n.
//
// ADJ_STAGE picks the program:
//   0  group   groups the occurrences of every row
//   1  sum     reads dout once and writes every row of dweight once
//   2  few     both in one launch, for few indices: every block looks for the occurrences of its own rows
// Other macros: ADJ_I index type; stages 1 and 2: ADJ_T element type; ADJ_GATHER
//   0  embedding: one matrix, o = 0; negative indices are out of range
//   1  Gather on any axis: `outer` matrices share the indices, which are grouped once; a negative index counts from the end
// and ADJ_BAG, what the addend of n is:
//   0  dout[o, n, :]
//   1  sum or mean of bags: dout[bag(n), :] times the weight of the position or the share of the bag; in stage 0 maximum as well
//   2  maximum of bags: those elements of dout[bag(n), :] whose maximum stood at n, zeros for the others
//
// Grouping is by integer atomics. Where an occurrence is stored depends on the order of arrival, which sums must not, so
// the summing stage sorts what it finds: a row's addends are taken in an order that depends on the indices alone.
//   light rows, up to 32 occurrences: one part of a warp adds them in token order;
//   medium rows, up to 2048: the sorted occurrences are dealt to 16 streams, each adds its share in order, then the
//     streams are added in order;
//   huge rows: the same per range of tokens (their number depends on the count alone) and window of 2048 tokens, found by
//     reading the indices again; windows are added with compensation; the last range to finish adds the ranges in order.
// No sum is longer than 128 + 16 + 128 additions, whatever the number of occurrences.
#include "params/embedding.h"
#include "prelude/bags.cuh"
#include "prelude/reduce.cuh"
#include "prelude/rows.cuh"

// The row that an index names; outside [0, num_embeddings) when there is none.
__device__ __forceinline__ i64 row_of(const EmbeddingBackwardParams& p, ADJ_I index) {
  const i64 row = index;
  return ADJ_GATHER && row < 0 ? row + p.num_embeddings : row;
}

// Positions outside all bags are not looked at.
__device__ __forceinline__ bool has_bag(const EmbeddingBackwardParams& p, i64 n) { return !ADJ_BAG || !p.bag_of || p.bag_of[n] != 0; }

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
// The table is at most half full, so the searches end.
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
    const bool inside = n < p.num_indices && has_bag(p, n);
    const i64 row = inside ? row_of(p, indices[n]) : 0;
    const bool valid = inside && row >= 0 && row < p.num_embeddings;
    bad += popcount(ballot(inside && !valid));
    const bool counted = valid && row != p.padding_row;

    // One atomic per distinct row of the warp; `rank` is the order of arrival at the row.
    const u32 peers = match_any(counted ? static_cast<u64>(row) : ~u64{0});
    const int leader = lowest_bit(peers);
    u32 rank = 0;
    if (counted && lane_index() == leader) rank = atomic_add(p.counts + row, static_cast<u32>(popcount(peers)));
    rank = shuffle(rank, leader) + static_cast<u32>(popcount(peers & lanes_below()));

    // The first lane of every chunk looks it up for the others.
    const bool overflows = counted && rank >= kSlots;
    const bool looks_up = overflows && (rank % kSlots == 0 || lane_index() == leader);
    const u32 lookups = ballot(looks_up) & peers & (lanes_below() | 1u << lane_index());
    u32 place = 0;
    if (looks_up) place = insert_chunk(p.keys, p.chunk_slots, chunk_key(row, rank / kSlots - 1));
    place = shuffle(place, lookups ? highest_bit(lookups) : 0);
    if (overflows)
      p.chunks[static_cast<i64>(place) * kSlots + rank % kSlots] = static_cast<u32>(n);
    else if (counted)
      p.slots[row * kSlots + rank] = static_cast<u32>(n);

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
    const u32 parts = ranges_of(p.counts[p.huge_rows[h]]);
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
constexpr int kResident = ADJ_GATHER ? kEmbeddingGatherBlocks : kEmbeddingBlocks;

// Where sums read and where they write.
__device__ __forceinline__ const T* dout_matrix(const EmbeddingBackwardParams& p, i64 outer) {
  return static_cast<const T*>(p.dout) + (ADJ_GATHER ? outer * p.dout_matrix : 0);
}
__device__ __forceinline__ const T* dout_row(const EmbeddingBackwardParams& p, const T* matrix, u32 row) {
  return matrix + row * p.embedding_dim;
}
__device__ __forceinline__ T* dweight_row(const EmbeddingBackwardParams& p, i64 outer, i64 row) {
  return static_cast<T*>(p.dweight) + (ADJ_GATHER ? outer * p.dweight_matrix : 0) + row * p.embedding_dim;
}

template <int width> __device__ __forceinline__ Vec<T, width> load_elements(const T* from) {
  if constexpr (width == N) return unpack<T>(load_words(reinterpret_cast<const Words4*>(from)));
  else return {*from};
}
template <int width> __device__ __forceinline__ void store_elements(T* to, const Vec<T, width>& v) {
  if constexpr (width == N) store_streaming(reinterpret_cast<Words4*>(to), pack<T>(v));
  else *to = v.at[0];
}

// An entry of a list: its position, and for bags its bag beside it, which is the row of dout that it adds.
constexpr int kBagPlace = !ADJ_BAG ? 0 : ADJ_STAGE == 1 ? kWarps * 16 * kEmbeddingLight : kEmbeddingFew;
__device__ __forceinline__ u32 bag_of(const EmbeddingBackwardParams& p, u32 n) {
  return ADJ_BAG ? bag_of_position(p.bag_of, p.bag_length, n) : n;
}
__device__ __forceinline__ void set_entry(u32* entry, u32 position, u32 bag) {
  entry[0] = position;
  if (ADJ_BAG) entry[kBagPlace] = bag;
}

__device__ __forceinline__ A weight_of(const EmbeddingBackwardParams& p, const u32* entry) {
  if (ADJ_BAG != 1) return 1;
  if (p.shares) return static_cast<const A*>(p.shares)[entry[kBagPlace]];
  return p.sample_weights ? to_acc(static_cast<const T*>(p.sample_weights)[entry[0]]) : A{1};
}
__device__ __forceinline__ void add_term(A& sum, T value, A weight) {
  sum = ADJ_BAG == 1 ? fused_multiply_add(weight, to_acc(value), sum) : sum + to_acc(value);
}

#if ADJ_BAG == 2
// Keeps of a piece of dout what belongs to `position`; `maxima` is the bag's row of positions.
template <bool vectors>
__device__ __forceinline__ Words4 select_maxima(Words4 words, const i32* maxima, i32 position, i64 begin, i64 end, int lane, int lanes) {
  Vec<T, N> v = unpack<T>(words);
  if constexpr (vectors) {
    constexpr int kPart = N < 4 ? N : 4;
    const i64 column = column_of<T, true>(begin, lane, lanes, 0);
#pragma unroll
    for (int first = 0; first < N; first += kPart) {
      Vec<i32, kPart> at = {};
      if (column < end) at = unpack_vector<i32, kPart>(load_words(reinterpret_cast<const Packed<i32, kPart>*>(maxima + column + first)));
#pragma unroll
      for (int k = 0; k < kPart; ++k)
        if (at.at[k] != position) v.at[first + k] = T{};
    }
  } else {
    const int left = columns_left<T>(begin, end, lane);
#pragma unroll
    for (int k = 0; k < N; ++k)
      if (k * lanes >= left || maxima[begin + lane + k * lanes] != position) v.at[k] = T{};
  }
  return pack<T>(v);
}
#endif

// What an entry adds to a piece of a row, its weight excepted; zeros when it is absent.
template <bool vectors>
__device__ __forceinline__ Words4 load_addend(const EmbeddingBackwardParams& p, const T* matrix, const u32* entry, bool present, i64 begin,
                                              i64 end, int lane, int lanes) {
  const u32 source = present ? entry[kBagPlace] : 0;
  if (!present) end = 0;
  const Words4 words = load_piece<T, vectors>(dout_row(p, matrix, source), begin, end, lane, lanes);
#if ADJ_BAG == 2
  return select_maxima<vectors>(words, p.max_positions + source * p.embedding_dim, present ? static_cast<i32>(entry[0]) : -1, begin, end,
                                lane, lanes);
#else
  return words;
#endif
}

__device__ __forceinline__ A scaled(const EmbeddingBackwardParams& p, A sum, u32 count) {
  return p.scale_by_count && count > 1 ? sum / static_cast<A>(count) : sum;
}

// Sums the addends of `count` entries of `list` in order and writes columns [first, end) of one row of dweight. `pieces`
// stretches of columns and `depth` rows are in flight together.
template <bool vectors, int pieces, int depth>
__device__ __forceinline__ void sum_row(const EmbeddingBackwardParams& p, i64 outer, i64 row, u32 count, const u32* list,
                                        i64 first, i64 end, int lane, int lanes) {
  const T* dout = dout_matrix(p, outer);
  T* to = dweight_row(p, outer, row);
  const i64 step = static_cast<i64>(lanes) * N;
  for (i64 begin = first; begin < end; begin += step * pieces) {
    A sum[pieces][N] = {};
    for (u32 i = 0; i < count; i += depth) {
      Words4 words[depth][pieces];
      A weight[depth];
#pragma unroll
      for (int j = 0; j < depth; ++j) {
        const bool present = i + j < count;
        weight[j] = present ? weight_of(p, list + i + j) : A{0};
#pragma unroll
        for (int u = 0; u < pieces; ++u)
          words[j][u] = load_addend<vectors>(p, dout, list + i + j, present, begin + u * step, end, lane, lanes);
      }
#pragma unroll
      for (int j = 0; j < depth; ++j)
#pragma unroll
        for (int u = 0; u < pieces; ++u) {
          const Vec<T, N> v = unpack<T>(words[j][u]);
#pragma unroll
          for (int k = 0; k < N; ++k) add_term(sum[u][k], v.at[k], weight[j]);
        }
    }
#pragma unroll
    for (int u = 0; u < pieces; ++u) {
      const i64 at = begin + u * step;
      Vec<T, N> old = {};
      if (p.accumulate) old = unpack<T>(load_piece<T, vectors>(to, at, end, lane, lanes));
      Vec<T, N> out;
#pragma unroll
      for (int k = 0; k < N; ++k) {
        const A value = scaled(p, sum[u][k], count);
        out.at[k] = from_acc<T>(p.accumulate ? value + to_acc(old.at[k]) : value);
      }
      store_piece<T, vectors>(to, at, end, lane, lanes, out);
    }
  }
}

#if ADJ_GATHER
// Sums `width` columns, 16 bytes of them or one, of a row in the matrices [outer, end), `most` of which are in flight together.
template <int width, int most>
__device__ __forceinline__ void sum_matrices(const EmbeddingBackwardParams& p, i64 outer, i64 end, i64 row, u32 count,
                                             const u32* positions, i64 column) {
  const int matrices = static_cast<int>(min_of<i64>(most, end - outer));
  const T* dout = dout_matrix(p, outer) + column;
  A sum[most][width] = {};
  for (u32 i = 0; i < count; ++i) {
    const T* from = dout_row(p, dout, positions[i]);
    Vec<T, width> v[most];
#pragma unroll
    for (int u = 0; u < most; ++u) v[u] = u < matrices ? load_elements<width>(from + u * p.dout_matrix) : Vec<T, width>{};
#pragma unroll
    for (int u = 0; u < most; ++u)
#pragma unroll
      for (int k = 0; k < width; ++k) sum[u][k] += to_acc(v[u].at[k]);
  }
  T* to = dweight_row(p, outer, row) + column;
#pragma unroll
  for (int u = 0; u < most; ++u) {
    if (u >= matrices) break;
    Vec<T, width> old = {}, out;
    if (p.accumulate) old = load_elements<width>(to);
#pragma unroll
    for (int k = 0; k < width; ++k) {
      const A value = scaled(p, sum[u][k], count);
      out.at[k] = from_acc<T>(p.accumulate ? value + to_acc(old.at[k]) : value);
    }
    store_elements<width>(to, out);
    to += p.dweight_matrix;
  }
}

// Rows of less than 16 bytes: a lane takes one element of the rows [first, first + rows). `counts` is of the first row,
// list_of(i) has the positions of row first + i.
template <class ListOf>
__device__ __forceinline__ void sum_narrow_rows(const EmbeddingBackwardParams& p, i64 outer, i64 first, int rows, const u32* counts,
                                                ListOf list_of) {
  constexpr int kMatrices = kEmbeddingNarrow / 2;
  const int columns = static_cast<int>(p.embedding_dim), elements = rows * columns;
  const bool halves = elements <= kWarp / 2;  // of the warp, each with its own matrices
  const int lanes = halves ? kWarp / 2 : kWarp, half = halves ? lane_index() / (kWarp / 2) : 0;
  const i64 end = min_of<i64>(p.outer, outer + p.outer_step);
  for (int element = lane_index() & (lanes - 1); element < elements; element += lanes) {
    const int row = element / columns;
    const u32 count = counts[row];
    if (count > kEmbeddingLight || (count == 0 && p.accumulate)) continue;
    for (i64 o = outer + half * kMatrices; o < end; o += halves ? 2 * kMatrices : kMatrices)
      sum_matrices<1, kMatrices>(p, o, end, first + row, count, list_of(row), element - row * columns);
  }
}
#endif

// ---- rows summed by a whole block, one tile at a time

// A tile is kTile columns of one matrix; narrow rows are taken of as many consecutive matrices as fit into it.
struct Tile {
  i64 outer, column;
};
__device__ __forceinline__ int tile_lanes(const EmbeddingBackwardParams& p) { return ADJ_GATHER ? p.tile_lanes : kTileLanes; }
__device__ __forceinline__ Tile tile_at(const EmbeddingBackwardParams& p, u32 tile) {
  if (!ADJ_GATHER) return {0, static_cast<i64>(tile) * kTile};
  const u32 group = tile / p.column_tiles;
  return {static_cast<i64>(group) << lowest_bit(kTileLanes / p.tile_lanes), static_cast<i64>(tile - group * p.column_tiles) * kTile};
}
// What thread c of a block stores of a tile, c < kTile.
__device__ __forceinline__ bool own_column(const EmbeddingBackwardParams& p, Tile& tile) {
  const int lanes = tile_lanes(p), c = thread_index();
  if (ADJ_GATHER) tile.outer += c >> lowest_bit(lanes * N);
  tile.column += c & (lanes * N - 1);
  return c < kTile && tile.column < p.embedding_dim && (!ADJ_GATHER || tile.outer < p.outer);
}

// Adds the addends of list[0, count) to the streams' sums; stream s takes entries s, s + 16, ...
template <bool vectors>
__device__ __forceinline__ void add_list(const EmbeddingBackwardParams& p, const u32* list, u32 count, const Tile& tile, A (&sum)[N]) {
  constexpr int depth = !vectors || ADJ_BAG == 2 ? 2 : ADJ_BAG ? 4 : 8;
  const int lanes = tile_lanes(p), lane = thread_index() & (lanes - 1);
  const i64 outer = ADJ_GATHER ? tile.outer + ((thread_index() & (kTileLanes - 1)) >> lowest_bit(lanes)) : 0;
  const bool inside = !ADJ_GATHER || outer < p.outer;
  const i64 end = inside ? min_of<i64>(p.embedding_dim, tile.column + lanes * N) : 0;
  const T* dout = dout_matrix(p, inside ? outer : 0);
  for (u32 i = static_cast<u32>(thread_index() / kTileLanes); i < count; i += kStreams * depth) {
    Words4 words[depth];
    A weight[depth];
#pragma unroll
    for (int j = 0; j < depth; ++j) {
      const u32 entry = i + j * kStreams;
      const bool present = entry < count;
      weight[j] = present ? weight_of(p, list + entry) : A{0};
      words[j] = load_addend<vectors>(p, dout, list + entry, present, tile.column, end, lane, lanes);
    }
#pragma unroll
    for (int j = 0; j < depth; ++j) {
      const Vec<T, N> v = unpack<T>(words[j]);
#pragma unroll
      for (int k = 0; k < N; ++k) add_term(sum[k], v.at[k], weight[j]);
    }
  }
}

// Adds the streams in order. Thread c < kTile gets the sum of column c of the tile.
template <bool vectors> __device__ __forceinline__ A add_streams(const EmbeddingBackwardParams& p, const A (&sum)[N], A* scratch) {
  const int lanes = tile_lanes(p), lane = thread_index() & (lanes - 1);
  A* mine = scratch + (thread_index() - lane) * N;
#pragma unroll
  for (int k = 0; k < N; ++k) mine[column_of<T, vectors>(0, lane, lanes, k)] = sum[k];
  block_barrier();
  A total = 0;
  if (thread_index() < kTile)
    for (int s = 0; s < kStreams; ++s) total += scratch[s * kTile + thread_index()];
  return total;
}

__device__ __forceinline__ void store_column(const EmbeddingBackwardParams& p, i64 row, const Tile& at, A sum, u32 count) {
  T* to = dweight_row(p, at.outer, row) + at.column;
  const A value = scaled(p, sum, count);
  *to = from_acc<T>(p.accumulate ? value + to_acc(*to) : value);
}

// Lists the positions in [begin, end) whose row `wanted` accepts (never -1), ascending; the range has at most
// kEmbeddingBlock * rounds of them. Ends with a barrier.
template <int rounds, class Wanted>
__device__ __forceinline__ u32 list_tokens(const EmbeddingBackwardParams& p, i64 begin, i64 end, u32* list, u32* scratch, Wanted wanted) {
  const ADJ_I* indices = static_cast<const ADJ_I*>(p.indices);
  ADJ_I index[rounds];
#pragma unroll
  for (int k = 0; k < rounds; ++k) {
    const i64 n = begin + k * kEmbeddingBlock + thread_index();
    index[k] = n < end ? indices[n] : ADJ_I{-1};
  }
  u32 hits[rounds];
#pragma unroll
  for (int k = 0; k < rounds; ++k) {
    const bool inside = !ADJ_GATHER || begin + k * kEmbeddingBlock + thread_index() < end;  // -1 may name a row
    hits[k] = ballot(inside && wanted(row_of(p, index[k])) && has_bag(p, begin + k * kEmbeddingBlock + thread_index()));
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
    if (hits[k] >> lane_index() & 1) {
      const u32 n = static_cast<u32>(begin + k * kEmbeddingBlock + thread_index());
      set_entry(list + total + before + popcount(hits[k] & lanes_below()), n, bag_of(p, n));
    }
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

// Sums tiles first, first + step, ... of a row.
template <bool vectors>
__device__ __forceinline__ void sum_medium_row(const EmbeddingBackwardParams& p, i64 row, u32 first, u32 step, u32* list, A* scratch) {
  const u32 count = p.counts[row];
  if (count > kEmbeddingMedium) return;  // grew into a huge row
  u32 size = 2 * kEmbeddingLight;
  while (size < count) size *= 2;
  for (u32 i = static_cast<u32>(thread_index()); i < size; i += kEmbeddingBlock) list[i] = i < count ? occurrence(p, row, i) : ~0u;
  sort_list(list, size);
  if (ADJ_BAG) {
    for (u32 i = static_cast<u32>(thread_index()); i < count; i += kEmbeddingBlock) set_entry(list + i, list[i], bag_of(p, list[i]));
    block_barrier();
  }
  for (u32 i = first; i < p.tiles; i += step) {
    Tile tile = tile_at(p, i);
    A sum[N] = {};
    add_list<vectors>(p, list, count, tile, sum);
    const A total = add_streams<vectors>(p, sum, scratch);
    if (own_column(p, tile)) store_column(p, row, tile, total, count);
    if (!ADJ_GATHER) break;
    block_barrier();
  }
}

// The sum of one range; thread c < kTile gets that of column c of the tile.
template <bool vectors>
__device__ __forceinline__ A sum_windows(const EmbeddingBackwardParams& p, u32 entry, const Tile& tile, u32* list, A* scratch, u32* words) {
  const EmbeddingRange range = p.ranges[entry];
  const i64 row = p.huge_rows[range.huge];
  const u32 parts = ranges_of(p.counts[row]);
  const i64 length = (p.num_indices + parts - 1) / parts;
  const i64 end = min_of<i64>(p.num_indices, (range.range + 1) * length);
  A sum[N] = {}, lost[N] = {};
  for (i64 begin = range.range * length; begin < end; begin += kList) {
    const u32 found = list_tokens<kList / kEmbeddingBlock>(p, begin, min_of<i64>(end, begin + kList), list, words,
                                                           [row](i64 other) { return other == row; });
    A window[N] = {};
    add_list<vectors>(p, list, found, tile, window);
#pragma unroll
    for (int k = 0; k < N; ++k) add_compensated(sum[k], lost[k], window[k]);
  }
#pragma unroll
  for (int k = 0; k < N; ++k) sum[k] = compensated(sum[k], lost[k]);
  return add_streams<vectors>(p, sum, scratch);
}

template <bool vectors>
__device__ __forceinline__ void sum_huge_range(const EmbeddingBackwardParams& p, u32 entry, u32 index, u32* list, A* scratch, u32* last) {
  Tile tile = tile_at(p, index);
  A total = sum_windows<vectors>(p, entry, tile, list, scratch, last + 1);

  // Read again rather than kept in registers.
  const EmbeddingRange range = p.ranges[entry];
  const i64 row = p.huge_rows[range.huge];
  const u32 count = p.counts[row], parts = ranges_of(count);
  const bool mine = own_column(p, tile);
  const i64 width = ADJ_GATHER ? p.outer * p.embedding_dim : p.embedding_dim;
  A* partials = static_cast<A*>(p.partials) + (ADJ_GATHER ? tile.outer * p.embedding_dim + tile.column : tile.column);
  if (mine) partials[entry * width] = total;
  device_fence();
  block_barrier();
  if (thread_index() == 0) last[0] = atomic_add(p.tickets + static_cast<u64>(range.huge) * p.tiles + index, 1u) + 1 == parts;
  block_barrier();
  if (!last[0]) return;
  device_fence();
  if (!mine) return;
  const A* from = partials + p.huge_first[range.huge] * width;
  total = 0;
#pragma unroll 16
  for (u32 i = 0; i < parts; ++i) total += from[i * width];
  store_column(p, row, tile, total, count);
}

// Medium and huge rows, largest pieces of work first, dealt to whichever block is free.
template <bool vectors>
__device__ __forceinline__ void sum_heavy_rows(const EmbeddingBackwardParams& p, u32* list, A* scratch, u32* words, u64* next) {
  // A medium row is sorted for each of its parts: no more of them than keep the device busy.
  const u32 tiles = p.tiles, medium = p.control->medium;
  const u32 parts = ADJ_GATHER && medium ? min_of(tiles, 4 * p.resident_blocks / medium + 1) : tiles;
  const u64 huge_items = static_cast<u64>(p.control->ranges) * tiles, items = huge_items + static_cast<u64>(medium) * parts;
  if (items == 0) return;
  for (;;) {
    block_barrier();
    if (thread_index() == 0) next[0] = atomic_add(reinterpret_cast<u64*>(&p.control->work), u64{1});
    block_barrier();
    const u64 item = next[0];
    if (item >= items) return;
    if (item < huge_items)
      sum_huge_range<vectors>(p, static_cast<u32>(item / tiles), static_cast<u32>(item % tiles), list, scratch, words);
    else
      sum_medium_row<vectors>(p, p.medium_rows[(item - huge_items) / parts], static_cast<u32>((item - huge_items) % parts), parts, list,
                              scratch);
  }
}

// A batch of light rows, lane i holding the count of row first + i, in the matrices [outer, outer + outer_step).
template <bool vectors>
__device__ __forceinline__ void sum_batch(const EmbeddingBackwardParams& p, i64 outer, i64 first, int rows, u32 count,
                                          const u32* positions) {
  const int lane = lane_index();
  const int lanes = p.row_lanes;
#if ADJ_GATHER
  if (!vectors && p.embedding_dim < N)
    return sum_narrow_rows(p, outer, first, rows, p.counts + first, [=](int row) { return positions + row * kEmbeddingLight; });
  if (vectors && p.outer_step > 1) {
    const int column = (lane & (lanes - 1)) * N;
    for (int base = 0; base < rows; base += kWarp / lanes) {
      const int row = base + lane / lanes;
      const u32 n = shuffle(count, row);
      if (row < rows && n <= kEmbeddingLight && (n > 0 || !p.accumulate) && column < p.embedding_dim)
        sum_matrices<N, kEmbeddingAcross>(p, outer, p.outer, first + row, n, positions + row * kEmbeddingLight, column);
    }
    return;
  }
  const i64 outer_end = min_of<i64>(p.outer, outer + p.outer_step);
#else
  const i64 outer_end = 1;
#endif
  for (int base = 0; base < rows; base += kWarp / lanes) {
    const int row = base + lane / lanes;
    const u32 n = shuffle(count, row);
    if (row >= rows || n > kEmbeddingLight || (n == 0 && p.accumulate)) continue;
    const u32* list = positions + row * kEmbeddingLight;
    const int part = lane & (lanes - 1);
    if constexpr (vectors && ADJ_BAG == 2) {
      sum_row<true, 1, 2>(p, outer, first + row, n, list, 0, p.embedding_dim, part, lanes);
    } else if constexpr (vectors) {
      if (n <= 1)
        sum_row<true, 4, 1>(p, outer, first + row, n, list, 0, p.embedding_dim, part, lanes);
      else
        sum_row<true, ADJ_BAG ? 1 : 2, 4>(p, outer, first + row, n, list, 0, p.embedding_dim, part, lanes);
    } else {
      for (i64 o = outer; o < outer_end; ++o) sum_row<false, 1, 2>(p, o, first + row, n, list, 0, p.embedding_dim, part, lanes);
    }
  }
}

// Light rows and rows without occurrences: a warp takes `batch_rows` consecutive rows, at most 16, and a share of the
// matrices.
template <bool vectors> __device__ __forceinline__ void sum_light_rows(const EmbeddingBackwardParams& p, u32* positions) {
  constexpr int kHalf = kEmbeddingSlots;  // lanes that hold the slots of one row
  const int lane = lane_index();
  for (i64 first = (block_index() * kWarps + warp_index()) * p.batch_rows; first < p.num_embeddings;
       first += grid_blocks() * kWarps * p.batch_rows) {
    const int rows = static_cast<int>(min_of<i64>(p.batch_rows, p.num_embeddings - first));
    const u32 count = lane < rows ? p.counts[first + lane] : 0;
    warp_barrier();

    // Up to 16 occurrences: sorted by rank among half a warp. Eight rows at a time keep their loads in flight together.
    for (int base = 0; base < rows && ballot(count > 0 && count <= kSlots); base += 8) {
      u32 position[4], bag[4], counts[4];
#pragma unroll
      for (int k = 0; k < 4; ++k) {
        const int row = base + 2 * k + lane / kHalf;
        counts[k] = shuffle(count, row);
        if (counts[k] > kSlots) counts[k] = 0;
        position[k] = lane % kHalf < counts[k] ? p.slots[(first + row) * kSlots + lane % kHalf] : ~0u;
      }
#pragma unroll
      for (int k = 0; k < 4; ++k) bag[k] = lane % kHalf < counts[k] ? bag_of(p, position[k]) : 0;
#pragma unroll
      for (int k = 0; k < 4; ++k) {
        const u32 most = max_of(counts[k], shuffle_xor(counts[k], kHalf));
        u32 rank = 0;
        for (u32 i = 0; i < most; ++i) rank += shuffle(position[k], (lane & kHalf) + static_cast<int>(i)) < position[k];
        if (lane % kHalf < counts[k]) set_entry(positions + (base + 2 * k + lane / kHalf) * kEmbeddingLight + rank, position[k], bag[k]);
      }
    }
    // 17 to 32: by a whole warp.
    for (u32 more = ballot(count > kSlots && count <= kEmbeddingLight); more; more &= more - 1) {
      const int row = lowest_bit(more);
      const u32 n = shuffle(count, row);
      const u32 position = lane < n ? occurrence(p, first + row, static_cast<u32>(lane)) : ~0u;
      u32 rank = 0;
      for (u32 i = 0; i < n; ++i) rank += shuffle(position, static_cast<int>(i)) < position;
      if (lane < n) set_entry(positions + row * kEmbeddingLight + rank, position, bag_of(p, position));
    }
    warp_barrier();

    if constexpr (ADJ_GATHER) {
      const i64 step = grid_blocks_y() * p.outer_step;
      for (i64 outer = block_index_y() * p.outer_step; outer < p.outer; outer += step)
        sum_batch<vectors>(p, outer, first, rows, count, positions);
    } else {
      sum_batch<vectors>(p, 0, first, rows, count, positions);
    }
  }
}

template <bool vectors>
__device__ __forceinline__ void sum_all(const EmbeddingBackwardParams& p, u32* positions, A* scratch, u32* words, u64* next) {
  sum_heavy_rows<vectors>(p, positions, scratch, words, next);
  block_barrier();
  sum_light_rows<vectors>(p, positions + warp_index() * 16 * kEmbeddingLight);
}

extern "C" __global__ void __launch_bounds__(kEmbeddingBlock, kResident) ADJ_ENTRY(const __grid_constant__ EmbeddingBackwardParams p) {
  ADJ_SHARED(u32, positions, kBagPlace + kWarps * 16 * kEmbeddingLight);  // also the list of a heavy row
  ADJ_SHARED(A, scratch, kStreams * kTile);
  ADJ_SHARED(u32, words, 1 + kList / kWarp);
  ADJ_SHARED(u64, next, 1);
  if (p.embedding_dim % N == 0 && aligned16(p.dout) && aligned16(p.dweight) && (ADJ_BAG != 2 || aligned16(p.max_positions)))
    sum_all<true>(p, positions, scratch, words, next);
  else
    sum_all<false>(p, positions, scratch, words, next);
}

#else

// What the block found: the sorted positions of row r begin at sorted[starts[r]], counts[r] of them.
struct Found {
  const u32* sorted;
  const u32* starts;
  const u32* counts;
  u32 total;
};

// Columns [begin, end) of rows [first, first + rows) in `outer_step` matrices.
template <bool vectors>
__device__ __forceinline__ void sum_few_piece(const EmbeddingBackwardParams& p, i64 outer, i64 first, int rows, i64 begin, i64 end,
                                              const Found& found, A* scratch) {
  const int lane = lane_index(), lanes = p.row_lanes;
  const i64 outer_end = ADJ_GATHER ? min_of<i64>(p.outer, outer + p.outer_step) : 1;
  const bool narrow = ADJ_GATHER && !vectors && p.embedding_dim < N;
#if ADJ_GATHER
  if (narrow) {
    constexpr int kBatch = 16;
    for (int base = warp_index() * kBatch; base < rows; base += kWarps * kBatch)
      sum_narrow_rows(p, outer, first + base, min_of(kBatch, rows - base), found.counts + base,
                      [=](int row) { return found.sorted + (found.counts[base + row] ? found.starts[base + row] : 0); });
  }
#endif
  for (int base = warp_index() * (kWarp / lanes); !narrow && base < rows; base += kWarps * (kWarp / lanes)) {
    const int row = base + lane / lanes;
    const u32 n = row < rows ? found.counts[row] : 0;
    if (row < rows && n <= kEmbeddingLight && (n > 0 || !p.accumulate))
      for (i64 o = outer; o < outer_end; ++o)
        sum_row<vectors, 1, vectors && ADJ_BAG != 2 ? 4 : 2>(p, o, first + row, n, found.sorted + (n ? found.starts[row] : 0), begin, end,
                                             lane & (lanes - 1), lanes);
  }
  if (found.total <= kEmbeddingLight) return;
  for (int row = 0; row < rows; ++row) {
    const u32 n = found.counts[row];
    if (n <= kEmbeddingLight) continue;
    for (i64 column = begin; column < end; column += kTile) {
      Tile tile{outer, column};
      A sum[N] = {};
      add_list<vectors>(p, found.sorted + found.starts[row], n, tile, sum);
      const A total = add_streams<vectors>(p, sum, scratch);
      if (own_column(p, tile) && tile.column < end) store_column(p, first + row, tile, total, n);
      block_barrier();
    }
  }
}

// A block owns `batch_rows` rows (at most kEmbeddingFewRows) and takes pieces of them: the columns of one warp-wide stretch
// in `outer_step` matrices.
template <bool vectors>
__device__ __forceinline__ void sum_few(const EmbeddingBackwardParams& p, u32* list, u32* sorted, u32* rows_of, u32* starts, u32* counts,
                                        A* scratch, u32* words) {
  const ADJ_I* indices = static_cast<const ADJ_I*>(p.indices);
  const int lane = lane_index();
  const int lanes = p.row_lanes;
  const i64 width = static_cast<i64>(kWarp) * N;
  for (i64 first = block_index() * p.batch_rows; first < p.num_embeddings; first += grid_blocks() * p.batch_rows) {
    const int rows = static_cast<int>(min_of<i64>(p.batch_rows, p.num_embeddings - first));
    block_barrier();
    for (int r = thread_index(); r < rows; r += kEmbeddingBlock) counts[r] = 0;
    const u32 found = list_tokens<kEmbeddingFew / kEmbeddingBlock>(
        p, 0, p.num_indices, list, words, [&](i64 row) { return row >= first && row < first + rows && row != p.padding_row; });
    for (u32 i = static_cast<u32>(thread_index()); i < found; i += kEmbeddingBlock) {
      rows_of[i] = static_cast<u32>(row_of(p, indices[list[i]]) - first);
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
      set_entry(sorted + place + before, list[i], list[i + kBagPlace]);
      if (before == 0) starts[row] = place;
    }
    block_barrier();

    const Found all{sorted, starts, counts, found};
    if constexpr (ADJ_GATHER) {
      // The blocks of a stripe are dealt to columns first, then to matrices.
      const u32 y = static_cast<u32>(block_index_y()), share = y / p.column_blocks;
      const i64 outer_blocks = static_cast<u32>(grid_blocks_y()) / p.column_blocks;
      for (i64 outer = share * p.outer_step; outer < p.outer; outer += outer_blocks * p.outer_step)
        for (i64 begin = (y - share * p.column_blocks) * width; begin < p.embedding_dim; begin += p.column_blocks * width)
          sum_few_piece<vectors>(p, outer, first, rows, begin, min_of<i64>(p.embedding_dim, begin + width), all, scratch);
    } else {
      for (i64 begin = block_index_y() * width; begin < p.embedding_dim; begin += grid_blocks_y() * width)
        sum_few_piece<vectors>(p, 0, first, rows, begin, min_of<i64>(p.embedding_dim, begin + width), all, scratch);
    }
  }
}

extern "C" __global__ void __launch_bounds__(kEmbeddingBlock, kResident) ADJ_ENTRY(const __grid_constant__ EmbeddingBackwardParams p) {
  ADJ_SHARED(u32, list, kBagPlace + kEmbeddingFew);
  ADJ_SHARED(u32, sorted, kBagPlace + kEmbeddingFew);
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
      const bool inside = n < p.num_indices && has_bag(p, n);
      const i64 row = inside ? row_of(p, indices[n]) : 0;
      bad += popcount(ballot(inside && (row < 0 || row >= p.num_embeddings)));
    }
    if (bad && lane_index() == 0) atomic_add(p.error_flag, bad);
  }
  if (p.embedding_dim % N == 0 && aligned16(p.dout) && aligned16(p.dweight) && (ADJ_BAG != 2 || aligned16(p.max_positions)))
    sum_few<true>(p, list, sorted, rows_of, starts, counts, scratch, words);
  else
    sum_few<false>(p, list, sorted, rows_of, starts, counts, scratch, words);
}

#endif
#endif
