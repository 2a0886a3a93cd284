// Gradients of row lookups with few indices: dweight[r, :] (=|+=) s_r * sum over n with indices[n] == r of the addend of n. Every
// block looks for the occurrences of its own rows.
//
// Macros: ADJ_T element type; ADJ_I index type; ADJ_VECTORS 1 for rows of whole vectors at multiples of 16 bytes; ADJ_GATHER 1 where
// a negative index counts from the end; ADJ_BAG, what the addend of n is:
//   0  dout[n, :]
//   1  sum or mean of bags: dout[bag(n), :] times the weight of the position or the share of the bag
//   2  maximum of bags: those elements of dout[bag(n), :] whose maximum stood at n, zeros for the others
//
// Up to 32 occurrences of a row are added in token order by one part of a warp. More are dealt to 16 streams; each adds its share in
// order, then the streams are added in order.
#include "params/embedding.h"
#include "prelude/bags.cuh"
#include "prelude/reduce.cuh"
#include "prelude/row_piece.cuh"
#include "prelude/thread.cuh"

typedef ADJ_T T;
typedef ADJ_I I;
typedef Acc<T> A;
constexpr int N = ADJ_VECTORS ? kVec16<T> : 1;  // columns of a lane
constexpr int kTile = kEmbeddingTileLanes * N;  // columns
constexpr int kStreams = kEmbeddingBlock / kEmbeddingTileLanes;
constexpr int kDepth = ADJ_BAG == 2 && ADJ_VECTORS ? 1 : ADJ_BAG ? 2 : 4;  // rows in flight together

#if ADJ_VECTORS
typedef RowPiece<T, true> Piece;
__device__ __forceinline__ void widen_piece(const Piece::Loaded& v, A (&x)[N]) { widen<T>(Piece::words(v), x); }
#else
// One column of the rows of a tensor.
class Piece {
 public:
  typedef T Loaded;
  __device__ __forceinline__ Piece(const void* tensor, i64, i64 columns, i64 column)
      : from_(static_cast<const T*>(tensor) + column), pitch_(columns), inside_(column < columns) {}
  __device__ __forceinline__ int columns() const { return inside_; }
  __device__ __forceinline__ T load(u32 row, bool takes) const { return takes && inside_ ? from_[row * pitch_] : T{}; }
  __device__ __forceinline__ Vec<T, 1> load_own(i64 row) const { return {inside_ ? from_[row * pitch_] : T{}}; }
  __device__ __forceinline__ void store(i64 row, const Vec<T, 1>& v) const {
    if (inside_) const_cast<T*>(from_)[row * pitch_] = v.at[0];
  }

 private:
  const T* from_;
  i64 pitch_;
  bool inside_;
};
__device__ __forceinline__ void widen_piece(T v, A (&x)[1]) { x[0] = to_acc(v); }
#endif

// Occurrences of the block's rows. A key has the row, counted from the block's first one, and the position.
constexpr u32 kRowUnit = kEmbeddingFew;
static_assert(kEmbeddingFewRows <= kEmbeddingBlock && kEmbeddingFew % kEmbeddingBlock == 0);
struct alignas(16) Occurrences {
  u32 keys[kEmbeddingFew];
  u32 position[kEmbeddingFew], source[kEmbeddingFew];  // sorted by row, then position; the rows of dout that they add
  u32 starts[kEmbeddingFewRows], counts[kEmbeddingFewRows];
  u32 total;
};

// Every position is looked at by every block; the one with the first rows counts those whose index names none.
__device__ __forceinline__ void find_occurrences(const EmbeddingBackwardParams& p, i64 first, int rows, bool counts_errors, Occurrences& found) {
  const I* indices = static_cast<const I*>(p.indices);
  if (thread_index() < rows) found.counts[thread_index()] = 0;
  if (thread_index() == 0) found.total = 0;
  constexpr u32 kNoKey = ~0u;  // behind the keys, which are compared four at a time
#pragma unroll 1
  for (u32 n = static_cast<u32>(thread_index()); n < kEmbeddingFew; n += kEmbeddingBlock) found.keys[n] = kNoKey;
  block_barrier();

  constexpr int kRounds = kEmbeddingFew / kEmbeddingBlock;
  I index[kRounds];
  bool inside[kRounds];
#pragma unroll
  for (int k = 0; k < kRounds; ++k) {
    const int n = k * kEmbeddingBlock + thread_index();
    inside[k] = n < static_cast<int>(p.num_indices);
    index[k] = inside[k] ? indices[n] : I{0};
    if (ADJ_BAG && inside[k] && p.bag_of) inside[k] = p.bag_of[n] != 0;
  }
  u32 errors = 0;
#pragma unroll 1
  for (u32 n = static_cast<u32>(thread_index()); n < kEmbeddingFew; n += kEmbeddingBlock) {  // the first, while the others move up
    i64 row = static_cast<i64>(index[0]);
    const bool takes = inside[0];
#pragma unroll
    for (int k = 0; k + 1 < kRounds; ++k) {
      index[k] = index[k + 1];
      inside[k] = inside[k + 1];
    }
    if (ADJ_GATHER && row < 0) row += p.num_embeddings;
    errors += takes && static_cast<u64>(row) >= static_cast<u64>(p.num_embeddings);
    const u64 own = static_cast<u64>(row - first);  // these rows all exist
    if (!takes || own >= static_cast<u32>(rows) || row == p.padding_row) continue;
    found.keys[atomic_add(&found.total, 1u)] = static_cast<u32>(own) * kRowUnit + n;
    atomic_add(found.counts + own, 1u);
  }
  if (errors && counts_errors && p.error_flag) atomic_add(p.error_flag, static_cast<i64>(errors));
  block_barrier();

  // An occurrence's place is the number of those before it.
  const u32 total = found.total;
#pragma unroll 1
  for (u32 i = static_cast<u32>(thread_index()); i < total; i += kEmbeddingBlock) {
    const u32 key = found.keys[i], row = key / kRowUnit, position = key % kRowUnit;
    u32 place = 0, start = 0;
#pragma unroll 1
    for (u32 j = 0; j < total; j += 4) {
      const Vec<u32, 4> others = *reinterpret_cast<const Vec<u32, 4>*>(found.keys + j);
#pragma unroll
      for (int k = 0; k < 4; ++k) {
        place += others.at[k] < key;
        start += others.at[k] < row * kRowUnit;
      }
    }
    found.position[place] = position;
    if (ADJ_BAG) found.source[place] = bag_of_position(p.bag_of, p.bag_length, position);
    if (place == start) found.starts[row] = start;
  }
  block_barrier();
}

__device__ __forceinline__ A weight_of(const EmbeddingBackwardParams& p, u32 position, u32 source) {
  if (ADJ_BAG != 1) return 1;
  if (p.shares) return static_cast<const A*>(p.shares)[source];
  return p.sample_weights ? to_acc(static_cast<const T*>(p.sample_weights)[position]) : A{1};
}

// The positions of the maxima beside a piece of a bag's row.
struct Maxima {
  i32 at[N];
};
__device__ __forceinline__ Maxima load_maxima(const i32* from, int columns) {
  Maxima m;
#if ADJ_VECTORS
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

// Adds entries i, i + step, ... before `end` to the piece's sums.
__device__ __forceinline__ void add_entries(const EmbeddingBackwardParams& p, const Occurrences& found, const Piece& dout, i64 column, u32 i, u32 end,
                                            u32 step, A (&sum)[N]) {
#pragma unroll 1
  for (; i < end; i += kDepth * step) {
    typename Piece::Loaded rows[kDepth];
    A weight[kDepth];
    u32 position[kDepth];
    Maxima maxima[kDepth];
#pragma unroll
    for (int j = 0; j < kDepth; ++j) {
      const u32 entry = i + j * step;
      const bool present = entry < end;
      position[j] = present ? found.position[entry] : 0;
      const u32 source = ADJ_BAG && present ? found.source[entry] : position[j];
      weight[j] = present ? weight_of(p, position[j], source) : A{0};
      rows[j] = dout.load(source, present);
      if (ADJ_BAG == 2) maxima[j] = load_maxima(p.max_positions + source * p.embedding_dim + column, present ? dout.columns() : 0);
    }
#pragma unroll
    for (int j = 0; j < kDepth; ++j) {
      A x[N];
      widen_piece(rows[j], x);
#pragma unroll
      for (int k = 0; k < N; ++k) {
        if (ADJ_BAG == 2 && maxima[j].at[k] != static_cast<i32>(position[j])) x[k] = 0;
        sum[k] = ADJ_BAG == 1 ? fused_multiply_add(weight[j], x[k], sum[k]) : sum[k] + x[k];
      }
    }
  }
}

// Rows [first, first + rows) in the columns [begin, begin + kWarp * N): first those with up to 32 occurrences and those without, a part
// of a warp each; then the others, the whole block each of them in tiles of columns.
__device__ __forceinline__ void sum_rows(const EmbeddingBackwardParams& p, i64 first, int rows, i64 begin, const Occurrences& found, A* scratch) {
  const int row_lanes = ADJ_VECTORS ? p.row_lanes : kWarp, lanes_log2 = lowest_bit(row_lanes);
  int base = 0, heavy = 0;
  i64 tile = begin;
#pragma unroll 1
  for (;;) {
    const bool light = base < rows;
    int row, lane, stream;
    if (light) {
      row = base + (thread_index() >> lanes_log2);
      lane = thread_index() & (row_lanes - 1);
      stream = 0;
      base += kEmbeddingBlock >> lanes_log2;
    } else {
      while (heavy < rows && found.counts[heavy] <= kEmbeddingLight) ++heavy;
      if (heavy == rows || found.total <= kEmbeddingLight) return;
      row = heavy;
      lane = thread_index() & (kEmbeddingTileLanes - 1);
      stream = thread_index() / kEmbeddingTileLanes;
    }
    const u32 count = row < rows ? found.counts[row] : 0;
    const bool takes = light ? row < rows && count <= kEmbeddingLight && (count > 0 || !p.accumulate) : true;
    const u32 start = takes && count > 0 ? found.starts[row] : 0;
    const i64 column = (light ? begin : tile) + lane * N;
    const Piece dout(p.dout, p.dout_rows, p.embedding_dim, column), dweight(p.dweight, p.num_embeddings, p.embedding_dim, column);
    A sum[N] = {};
    add_entries(p, found, dout, column, start + static_cast<u32>(stream), takes ? start + count : 0, light ? 1 : kStreams, sum);

    bool stores = takes;
    if (!light) {
      A* mine = scratch + stream * kTile + lane * N;
#pragma unroll
      for (int k = 0; k < N; ++k) mine[k] = sum[k];
      block_barrier();
      A total = 0;
      if (thread_index() < kTile) {
#pragma unroll 4
        for (int s = 0; s < kStreams; ++s) total += scratch[s * kTile + thread_index()];
        scratch[thread_index()] = total;  // nobody else's
      }
      block_barrier();
      stores = stream == 0;
#pragma unroll
      for (int k = 0; k < N; ++k) sum[k] = scratch[lane * N + k];
      block_barrier();
      tile += kTile;
      if (tile >= begin + kWarp * N || tile >= p.embedding_dim) tile = begin, ++heavy;
    }
    if (!stores) continue;
    if (p.scale_by_count && count > 1) {
      const Divisor<A> divisor(count);
      // One at a time, the first of them, while the others move up.
#pragma unroll 1
      for (int left = N; left > 0; --left) {
        const A quotient = divisor.divide(sum[0]);
#pragma unroll
        for (int k = 0; k + 1 < N; ++k) sum[k] = sum[k + 1];
        sum[N - 1] = quotient;
      }
    }
    const i64 own = first + row;
    if (p.accumulate) {
      const Vec<T, N> old = dweight.load_own(own);
#pragma unroll
      for (int k = 0; k < N; ++k) sum[k] += to_acc(old.at[k]);
    }
    Vec<T, N> out;
#pragma unroll
    for (int k = 0; k < N; ++k) out.at[k] = from_acc<T>(sum[k]);
    dweight.store(own, out);
  }
}

extern "C" __global__ void __launch_bounds__(kEmbeddingBlock, kEmbeddingBlocks) ADJ_ENTRY(const __grid_constant__ EmbeddingBackwardParams p) {
  ADJ_SHARED(Occurrences, found, 1);
  ADJ_SHARED(A, scratch, kStreams * kTile);
  i64 first = block_index() * p.batch_rows;
#pragma unroll 1
  do {  // without rows there are still errors to count
    const int rows = static_cast<int>(min_of<i64>(p.batch_rows, p.num_embeddings - first));
    find_occurrences(p, first, rows, first == 0 && block_index_y() == 0, *found);
#pragma unroll 1
    for (i64 begin = block_index_y() * kWarp * N; begin < p.embedding_dim; begin += grid_blocks_y() * kWarp * N)
      sum_rows(p, first, rows, begin, *found, scratch);
    block_barrier();
    first += grid_blocks() * p.batch_rows;
  } while (first < p.num_embeddings);
}
