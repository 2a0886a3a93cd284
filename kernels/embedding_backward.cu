// Gradients of row lookups: dweight[o, r, :] (=|+=) s_r * sum over n with indices[n] == r of the addend of n.
//
// One launch, for few indices: every block looks for the occurrences of its own rows. A row's addends are taken in an order that depends
// on the indices alone: up to 32 occurrences are added in token order by one part of a warp; more are dealt to 16 streams, each adds its
// share in order, then the streams are added in order.
//
// Macros: ADJ_I index type; ADJ_T element type; ADJ_GATHER
//   0  embedding: one matrix, o = 0; negative indices are out of range
//   1  Gather on any axis: `outer` matrices share the indices; a negative index counts from the end
// and ADJ_BAG, what the addend of n is:
//   0  dout[o, n, :]
//   1  sum or mean of bags: dout[bag(n), :] times the weight of the position or the share of the bag
//   2  maximum of bags: those elements of dout[bag(n), :] whose maximum stood at n, zeros for the others
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
constexpr int kBagPlace = ADJ_BAG ? kEmbeddingFew : 0;
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
