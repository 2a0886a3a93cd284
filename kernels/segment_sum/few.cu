// Gradients of row lookups with few indices, in one launch. README.md defines the words.
//
// Computes: dweight[r, :] (=|+=) the sum of the addends of all n with indices[n] == r, divided by their number with p.scale_by_count.
// Work split: a block takes p.batch_rows rows and a stretch of columns. It reads all indices to find the occurrences of its rows.
// Memory: the indices are read by every block, dout once, dweight is written once.
// Order of additions: up to 32 occurrences of a row by position, by one lane group. More are dealt to 16 streams in turn; a stream adds
// its occurrences by position, then the streams are added in order.
// Limits: up to kEmbeddingFew indices, one matrix, fewer than 2^32 elements; the plan checks them.
//
// Macros: ADJ_T element type; ADJ_I index type; ADJ_ALIGNED 1 for aligned rows; ADJ_GATHER 1 where
// a negative index counts from the end; ADJ_BAG, the addend of position n:
//   0  dout[n, :]
//   1  sum or mean of bags: dout[bag(n), :] times the weight of the position or the bag share
//   2  maximum of bags: the elements of dout[bag(n), :] whose maximum stood at n, zeros for the rest
#include "segment_sum/params.h"
#include "prelude/reduce.cuh"
#include "prelude/row_piece.cuh"
#include "prelude/thread.cuh"

typedef ADJ_T T;
typedef ADJ_I I;
typedef Acc<T> A;
constexpr int N = ADJ_ALIGNED ? kVec16<T> : 1;  // columns of a lane
constexpr u32 kTile = kEmbeddingTileLanes * N;  // columns that a stream covers at once
constexpr u32 kStreams = kEmbeddingBlock / kEmbeddingTileLanes;
constexpr u32 kDepth = ADJ_BAG == 2 && ADJ_ALIGNED ? 1 : ADJ_BAG ? 2 : 4;  // rows of dout that a thread has in flight

#if ADJ_ALIGNED
typedef RowPiece<T, true> Piece;
__device__ __forceinline__ void widen_piece(const Words4& v, A (&x)[N]) { widen<T>(v, x); }
__device__ __forceinline__ Words4 load_piece(const T* from, int columns) {
  if (columns) return load_words(reinterpret_cast<const Words4*>(from));
  return {0, 0, 0, 0};
}
__device__ __forceinline__ void write_piece(T* to, int columns, const A (&x)[N]) { store_piece<T, true>(to, columns, narrow<T>(x)); }
#else
// One column of the rows of a tensor.
class Piece {
 public:
  typedef T Loaded;
  __device__ __forceinline__ Piece(const void* tensor, i64, i64 columns, i64 column)
      : from_(static_cast<const T*>(tensor) + column), pitch_(columns), inside_(column < columns) {}
  __device__ __forceinline__ int columns() const { return inside_; }
  __device__ __forceinline__ T load(u32 row, bool takes) const { return takes && inside_ ? from_[row * pitch_] : T{}; }

 private:
  const T* from_;
  i64 pitch_;
  bool inside_;
};
__device__ __forceinline__ void widen_piece(T v, A (&x)[1]) { x[0] = to_acc(v); }
__device__ __forceinline__ T load_piece(const T* from, int columns) { return columns ? *from : T{}; }
__device__ __forceinline__ void write_piece(T* to, int columns, const A (&x)[1]) {
  if (columns) *to = from_acc<T>(x[0]);
}
#endif

// The addend of an occurrence: row `source` of dout, times `weight`, or its elements whose maximum stood at `position`.
struct Addend {
#if ADJ_BAG == 1
  Unsigned<A> source;  // as wide as the weight, so that the structure has no padding
  A weight;
#else
  u32 source;
#endif
#if ADJ_BAG == 2
  u32 position;
#endif
};

// Occurrences of the block's rows. A key is kRowVector * (row - first row of the block) + position.
constexpr u32 kRowVector = kEmbeddingFew;
typedef Vec<u32, 4> Keys;
static_assert(kEmbeddingFewRows <= kEmbeddingBlock && kEmbeddingFew == 4 * kEmbeddingBlock);
struct Occurrences {
  Keys keys[kEmbeddingFew / 4];
  Addend addends[kEmbeddingFew];  // sorted by row, then position
  u32 starts[kEmbeddingFewRows], counts[kEmbeddingFewRows];
  u32 total;
};

// Finds and sorts the occurrences of the block's rows. Every block reads every index; counts_errors: this block counts the indices that
// name no row.
__device__ __forceinline__ void find_occurrences(const EmbeddingBackwardParams& p, u32 first, u32 rows, bool counts_errors, Occurrences& found) {
  const I* indices = static_cast<const I*>(p.indices);
  const u32 thread = static_cast<u32>(thread_index()), num_indices = static_cast<u32>(p.num_indices);
  if (thread < rows) found.counts[thread] = 0;
  if (thread == 0) found.total = 0;
  constexpr u32 kNoKey = ~0u;  // fills the last four, since keys are compared four at a time
  found.keys[thread] = {{kNoKey, kNoKey, kNoKey, kNoKey}};
  u32* const keys = found.keys[0].at;
  block_barrier();

  constexpr u32 kRounds = kEmbeddingFew / kEmbeddingBlock;
  I index[kRounds];
  u32 bag[ADJ_BAG ? kRounds : 1];  // bag + 1, 0 outside all bags
#pragma unroll
  for (u32 k = 0; k < kRounds; ++k) {
    const u32 n = k * kEmbeddingBlock + thread;
    if (n < num_indices) index[k] = indices[n];
    if (ADJ_BAG && n < num_indices && p.bag_of) bag[k] = p.bag_of[n];
  }
  u32 errors = 0;
#pragma unroll 1
  for (u32 n = thread; n < num_indices; n += kEmbeddingBlock) {  // takes index[0], then moves the rest up: no indexed registers
    typedef Unsigned<I> Row;
    Row row = static_cast<Row>(index[0]);
    const bool takes = !ADJ_BAG || !p.bag_of || bag[0] != 0;
#pragma unroll
    for (u32 k = 0; k + 1 < kRounds; ++k) {
      index[k] = index[k + 1];
      if (ADJ_BAG) bag[k] = bag[k + 1];
    }
    if (ADJ_GATHER && static_cast<I>(row) < 0) row += static_cast<Row>(p.num_embeddings);
    errors += takes && row >= static_cast<Row>(p.num_embeddings);
    row -= first;  // rows below `rows` from here on all exist, so that one comparison suffices
    const u32 own = static_cast<u32>(row);
    if (!takes || row >= rows || own == static_cast<u32>(p.padding_row) - first) continue;
    keys[atomic_add(&found.total, 1u)] = own * kRowVector + n;
    atomic_add(found.counts + own, 1u);
  }
  if (errors && counts_errors && p.error_flag) atomic_add(p.error_flag, static_cast<i64>(errors));
  block_barrier();

  // The place of an occurrence is the number of smaller keys.
  const u32 total = found.total;
  const f32 by_bag_length = approximate_reciprocal(static_cast<f32>(static_cast<int>(p.bag_length)));
#pragma unroll 1
  for (u32 i = thread; i < total; i += kEmbeddingBlock) {
    const u32 key = keys[i], row = key / kRowVector, position = key % kRowVector;
    Addend addend;
    addend.source = position;
    // Bags of equal length: positions are below 1024, so f32 is exact enough to divide by the length.
    if (ADJ_BAG) addend.source = p.bag_of ? p.bag_of[position] - 1 : static_cast<u32>((static_cast<f32>(position) + 0.5f) * by_bag_length);
#if ADJ_BAG == 1
    addend.weight = 1;
    if (p.shares) addend.weight = static_cast<const A*>(p.shares)[addend.source];
    else if (p.sample_weights) addend.weight = to_acc(static_cast<const T*>(p.sample_weights)[position]);
#elif ADJ_BAG == 2
    addend.position = position;
#endif
    u32 place = 0, start = 0;
#pragma unroll 1
    for (u32 j = 0; j < total; j += 4) {
      const Keys others = found.keys[j / 4];
#pragma unroll
      for (int k = 0; k < 4; ++k) {
        place += others.at[k] < key;
        start += others.at[k] < row * kRowVector;
      }
    }
    found.addends[place] = addend;
    if (place == start) found.starts[row] = start;
  }
  block_barrier();
}

// Positions of the maxima of a piece of a bag's row.
struct Maxima {
  i32 at[N];
};
__device__ __forceinline__ Maxima load_maxima(const i32* from, int columns) {
  Maxima m;
#if ADJ_ALIGNED
  constexpr int kPart = N < 4 ? N : 4;
#pragma unroll
  for (int first = 0; first < N; first += kPart) {
    Vec<i32, kPart> part = {};
    if (columns) part = unpack_vector<i32, kPart>(load_words(reinterpret_cast<const Packed<i32, kPart>*>(from + first)));
#pragma unroll
    for (int k = 0; k < kPart; ++k) m.at[first + k] = part.at[k];
  }
#else
#pragma unroll
  for (int k = 0; k < N; ++k) m.at[k] = k < columns ? from[k] : 0;
#endif
  return m;
}

// Adds addends i, i + step, ... below `end` to the sums of the piece.
__device__ __forceinline__ void add_up(const EmbeddingBackwardParams& p, const Addend* addends, const Piece& dout, u32 column, u32 i, u32 end, u32 step,
                                       A (&sum)[N]) {
#pragma unroll 1
  for (; i < end; i += kDepth * step) {
    typename Piece::Loaded rows[kDepth];
    Addend addend[kDepth];
    Maxima maxima[kDepth];
#pragma unroll
    for (u32 j = 0; j < kDepth; ++j) {
      const u32 at = i + j * step;
      const bool present = at < end;
      addend[j] = {};
      if (present) addend[j] = addends[at];
      rows[j] = dout.load(static_cast<u32>(addend[j].source), present);
#if ADJ_BAG == 2
      maxima[j] = load_maxima(p.max_positions + addend[j].source * p.embedding_dim + column, present ? dout.columns() : 0);
#endif
    }
#pragma unroll
    for (u32 j = 0; j < kDepth; ++j) {
      A x[N];
      widen_piece(rows[j], x);
#pragma unroll
      for (int k = 0; k < N; ++k) {
#if ADJ_BAG == 1
        sum[k] = fused_multiply_add(addend[j].weight, x[k], sum[k]);
#else
#if ADJ_BAG == 2
        if (maxima[j].at[k] != static_cast<i32>(addend[j].position)) x[k] = 0;
#endif
        sum[k] += x[k];
#endif
      }
    }
  }
}

// Sums of a lane's columns.
struct alignas(sizeof(A) * N < 16 ? sizeof(A) * N : 16) Columns {
  A at[N];
};

// Writes rows [first, first + rows) in the columns [begin, begin + kWarp * N). Light rows and rows without occurrences come first, a lane
// group each; then every heavy row, which the whole block sums tile by tile.
__device__ __forceinline__ void sum_rows(const EmbeddingBackwardParams& p, u32 first, u32 rows, u32 begin, const Occurrences& found, Columns* scratch) {
  const u32 thread = static_cast<u32>(thread_index()), row_lanes = ADJ_ALIGNED ? p.row_lanes : kWarp;
  const int lanes_log2 = lowest_bit(row_lanes);
  u32 lane = thread & (row_lanes - 1), base = 0, heavy = 0, tile = begin;
#pragma unroll 1
  for (;;) {
    const bool light = base < rows;
    u32 row, stream;
    if (light) {
      row = base + (thread >> lanes_log2);
      stream = 0;
      base += kEmbeddingBlock >> lanes_log2;
    } else {
#pragma unroll 1
      while (heavy < rows && found.counts[heavy] <= kEmbeddingLight) ++heavy;
      if (heavy == rows) return;
      row = heavy;
      lane = thread % kEmbeddingTileLanes;
      stream = thread / kEmbeddingTileLanes;
    }
    const u32 count = row < rows ? found.counts[row] : 0;
    const bool takes = !light || (row < rows && count <= kEmbeddingLight && (count > 0 || !p.accumulate));
    const u32 start = takes && count > 0 ? found.starts[row] : 0;
    const u32 column = (light ? begin : tile) + lane * N;
    const Piece dout(p.dout, p.dout_rows, p.embedding_dim, column);
    Columns sum = {};
    add_up(p, found.addends, dout, column, start + stream, takes ? start + count : 0, light ? 1 : kStreams, sum.at);

    bool stores = takes;
    if (!light) {
      scratch[thread] = sum;
      block_barrier();
      A* const all = scratch[0].at;
      A total = 0;
      if (thread < kTile) {
#pragma unroll 4
        for (u32 s = 0; s < kStreams; ++s) total += all[s * kTile + thread];
        all[thread] = total;  // no other thread reads or writes this one until the barrier
      }
      block_barrier();
      stores = stream == 0;
      sum = scratch[lane];
      block_barrier();
      tile += kTile;
      if (tile >= begin + kWarp * N || tile >= p.embedding_dim) tile = begin, ++heavy;
    }
    if (!stores) continue;
    if (p.scale_by_count && count > 1) {
      const Divisor<A> divisor(count);
      // Divides sum.at[0], then moves the rest up: the division is in the code once.
#pragma unroll 1
      for (int left = N; left > 0; --left) {
        const A quotient = divisor.divide(sum.at[0]);
#pragma unroll
        for (int k = 0; k + 1 < N; ++k) sum.at[k] = sum.at[k + 1];
        sum.at[N - 1] = quotient;
      }
    }
    T* const to = static_cast<T*>(p.dweight) + ((first + row) * static_cast<u32>(p.embedding_dim) + column);
    if (p.accumulate) {
      A old[N];
      widen_piece(load_piece(to, dout.columns()), old);
#pragma unroll
      for (int k = 0; k < N; ++k) sum.at[k] += old[k];
    }
    write_piece(to, dout.columns(), sum.at);
  }
}

// The grid has a block in x for every batch of rows. The plan checks that 32 bits count the elements.
extern "C" __global__ void __launch_bounds__(kEmbeddingBlock, kEmbeddingBlocks) ADJ_ENTRY(const __grid_constant__ EmbeddingBackwardParams p) {
  ADJ_SHARED(Occurrences, found, 1);
  ADJ_SHARED(Columns, scratch, kEmbeddingBlock);
  const u32 first = static_cast<u32>(block_index() * p.batch_rows);
  const u32 rows = min_of(static_cast<u32>(p.batch_rows), static_cast<u32>(p.num_embeddings) - first);
  const u32 block_y = static_cast<u32>(block_index_y());
  find_occurrences(p, first, rows, first == 0 && block_y == 0, *found);
  if (rows == 0) return;  // dweight has no rows; the errors have been counted
#pragma unroll 1
  for (u32 begin = block_y * kWarp * N; begin < static_cast<u32>(p.embedding_dim); begin += static_cast<u32>(grid_blocks_y()) * kWarp * N)
    sum_rows(p, first, rows, begin, *found, scratch);
}
