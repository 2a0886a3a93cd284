// Reduction of bags of embedding rows.
//
// Computes: out[b, :] = sum, mean or maximum over the positions n of bag b of weight[indices[n], :].
// Work split: p.lanes threads take 16 bytes of columns each, for each of p.streams streams of a bag. Stream s takes batches s, s + streams, ...
// of kBatch positions.
// Memory: a row is read once for each position that names it; rows are in flight while the next indices are loaded.
// Order of additions: a stream adds a window of 128 rows plainly and the windows with compensation; the streams are added in order. So an
// addend goes through at most 128 additions in its window, 32 between streams and a few more, however long the bag is.
// Limits: positions and bags below 2^31, rows below 2^32 - 1; the plan checks them.
//
// Macros: ADJ_T element type, ADJ_I index type, ADJ_MAX 1 for the maximum, ADJ_ALIGNED 1 for aligned rows;
// results do not depend on ADJ_ALIGNED.
#include "embedding_bag/params.h"
#include "embedding_bag/bags.cuh"
#include "prelude/exp.cuh"
#include "prelude/reduce.cuh"
#include "prelude/row_piece.cuh"
#include "prelude/thread.cuh"

typedef ADJ_T T;
typedef ADJ_I I;
typedef Acc<T> A;
constexpr int N = kVec16<T>;
constexpr int kBatch = 4;
constexpr int kDepth = ADJ_ALIGNED ? kBatch : sizeof(T) == 2 ? 1 : 2;  // positions whose rows are in flight together
constexpr int kTogether = ADJ_MAX && ADJ_ALIGNED && sizeof(T) == 2 ? 2 : kDepth;  // rows that one turn of the loop over them takes
constexpr int kWindow = 128;  // positions of a stream that are added plainly

#if ADJ_MAX
// True if value replaces best: the maximum is the first NaN, else the first of the largest numbers.
__device__ __forceinline__ bool exceeds(T value, T best) {
  const A v = to_acc(value), b = to_acc(best);
  return b == b && !(v <= b);
}

struct Scratch {
  T best[N][kBagBlock];
  u32 position[N][kBagBlock];
};

// How element k of a piece is kept in registers: as itself, or, with 16 bits, as the word of two neighbours that has it.
template <class U> struct Carrier {
  typedef U type;
  static __device__ __forceinline__ U of(U v) { return v; }
  static __device__ __forceinline__ U value(U v, int) { return v; }
  static __device__ __forceinline__ U element(U v, int) { return v; }
};
template <class U> struct HalfCarrier {
  typedef u32 type;
  static __device__ __forceinline__ u32 of(U v) { return v.bits * 0x10001u; }
  static __device__ __forceinline__ f32 value(u32 pair, int k) { return k & 1 ? high_f32(U{}, pair) : low_f32(U{}, pair); }
  static __device__ __forceinline__ U element(u32 pair, int k) { return {static_cast<u16>(k & 1 ? pair >> 16 : pair)}; }
};
template <> struct Carrier<f16> : HalfCarrier<f16> {};
template <> struct Carrier<bf16> : HalfCarrier<bf16> {};
typedef typename Carrier<T>::type Carried;

struct Reduction {
  Carried best[N];
  u32 position[N];
  u32 first;  // first position that took part

  __device__ __forceinline__ void clear() {
    first = ~0u;
#pragma unroll
    for (int k = 0; k < N; ++k) {
      best[k] = Carrier<T>::of(from_acc<T>(-Limits<A>::infinity()));
      position[k] = ~0u;
    }
  }
  __device__ __forceinline__ void take(Words4 row, bool takes, A, u32 n) {
    Carried all[16 / sizeof(Carried)];
    memcpy(all, &row, 16);
#pragma unroll
    for (int k = 0; k < N; ++k) {
      const Carried own = all[k * sizeof(T) / sizeof(Carried)];
      const A v = Carrier<T>::value(own, k), b = Carrier<T>::value(best[k], k);
      const bool better = takes & (b == b) & !(v <= b);
      best[k] = better ? own : best[k];
      position[k] = better ? n : position[k];
    }
    first = takes ? min_of(first, n) : first;
  }
  __device__ __forceinline__ void close_window(Scratch*, bool) {}
  // A column whose elements are all -infinity has no position yet: nothing exceeds the initial value. It gets the first position.
  __device__ __forceinline__ void close() {
#pragma unroll
    for (int k = 0; k < N; ++k) {
      position[k] = position[k] == ~0u ? first : position[k];
      best[k] = first == ~0u ? Carried{} : best[k];
    }
  }
};

__device__ __forceinline__ void store_positions(i32* to, int columns, const u32 (&position)[N]) {
  constexpr int kPart = N < 4 || !ADJ_ALIGNED ? 1 : 4;
#pragma unroll
  for (int first = 0; first < N; first += kPart) {
    if (first >= columns) continue;
    if constexpr (kPart == 1) {
      to[first] = static_cast<i32>(position[first]);
    } else {
      Vec<u32, kPart> part;
#pragma unroll
      for (int k = 0; k < kPart; ++k) part.at[k] = position[first + k];
      store_words(reinterpret_cast<Packed<u32, kPart>*>(to + first), pack_vector<u32, kPart>(part));
    }
  }
}
__device__ __forceinline__ void publish(Scratch* scratch, const Reduction& r) {
#pragma unroll
  for (int k = 0; k < N; ++k) {
    scratch->best[k][thread_index()] = Carrier<T>::element(r.best[k], k);
    scratch->position[k][thread_index()] = r.position[k];
  }
}
__device__ __forceinline__ void fetch(const Scratch* scratch, Reduction& r) {
#pragma unroll
  for (int k = 0; k < N; ++k) {
    r.best[k] = Carrier<T>::of(scratch->best[k][thread_index()]);
    r.position[k] = scratch->position[k][thread_index()];
  }
}
// Reduces column k of all streams, `step` threads apart, into the place of the first.
__device__ __forceinline__ void join(Scratch* scratch, int k, int first, int end, int step) {
  T best = scratch->best[k][first];
  u32 position = scratch->position[k][first];
#pragma unroll 1
  for (int thread = first + step; thread < end; thread += step) {
    const T other = scratch->best[k][thread];
    const u32 place = scratch->position[k][thread];
    const bool takes = position == ~0u || exceeds(other, best) || (!exceeds(best, other) && place < position);
    if (place == ~0u || !takes) continue;
    best = other;
    position = place;
  }
  scratch->best[k][first] = best;
  scratch->position[k][first] = position;
}

#else

struct Scratch {
  A sum[N][kBagBlock], lost[N][kBagBlock];
  u32 entries[kBagBlock];
};

struct Reduction {
  A sum[N];     // sum of the window; after the last window of all
  bool parked;  // the sums of earlier windows are in the thread's own places of the scratch memory

  __device__ __forceinline__ void clear() {
    parked = false;
#pragma unroll
    for (int k = 0; k < N; ++k) sum[k] = 0;
  }
  __device__ __forceinline__ void take(Words4 row, bool, A factor, u32) {
    A x[N];
    widen<T>(row, x);
#pragma unroll
    for (int k = 0; k < N; ++k) sum[k] = fused_multiply_add(factor, x[k], sum[k]);
  }
  __device__ __forceinline__ void close_window(Scratch* scratch, bool last) {
    if (last && !parked) return;
    // Takes sum[0], then moves the rest up: the addition is in the code once.
#pragma unroll 1
    for (int k = 0; k < N; ++k) {
      A& total = scratch->sum[k][thread_index()];
      A& lost = scratch->lost[k][thread_index()];
      if (!parked) total = lost = 0;
      add_compensated(total, lost, sum[0]);
#pragma unroll
      for (int i = 0; i + 1 < N; ++i) sum[i] = sum[i + 1];
      sum[N - 1] = last ? compensated(total, lost) : A{0};
    }
    parked = true;
  }
  __device__ __forceinline__ void close() {}
};

__device__ __forceinline__ void publish(Scratch* scratch, const Reduction& r) {
#pragma unroll
  for (int k = 0; k < N; ++k) scratch->sum[k][thread_index()] = r.sum[k];
}
__device__ __forceinline__ void fetch(const Scratch* scratch, Reduction& r) {
#pragma unroll
  for (int k = 0; k < N; ++k) r.sum[k] = scratch->sum[k][thread_index()];
}
// Adds column k of all streams, `step` threads apart, into the place of the first.
__device__ __forceinline__ void join(Scratch* scratch, int k, int first, int end, int step) {
  A sum = scratch->sum[k][first];
#pragma unroll 1
  for (int thread = first + step; thread < end; thread += step) sum += scratch->sum[k][thread];
  scratch->sum[k][first] = sum;
}
#endif

// Returns what row_of_index returns, computed in the width of the index.
__device__ __forceinline__ u32 row_of(const BagParams& p, I index, u32& errors) {
  typedef Unsigned<I> Row;
  const Row rows = static_cast<Row>(sizeof(I) == 4 ? min_of<i64>(p.num_embeddings, i64{1} << 31) : p.num_embeddings);
  const bool inside = static_cast<Row>(index) < rows;
  errors += !inside;
  return inside && static_cast<u32>(index) != static_cast<u32>(p.padding_row) ? static_cast<u32>(index) : kNoRow;
}

// Reduces the columns that the lanes cover from `column` on, for all bags of the block.
__device__ __forceinline__ void reduce_bags(const EmbeddingBagForwardParams& p, i64 column, Scratch* scratch) {
  typedef RowPiece<T, ADJ_ALIGNED> Piece;
  const I* indices = static_cast<const I*>(p.bags.indices);
  const T* sample_weights = static_cast<const T*>(p.sample_weights);
  const int lane = thread_index() & (p.lanes - 1);
  const int stream = thread_index() >> lowest_bit(p.lanes) & (p.streams - 1);
  const int group_log2 = lowest_bit(p.lanes * p.streams);
  const u32 groups = kBagBlock >> group_log2, bags = static_cast<u32>(p.bags.num_bags);
  const i64 own_column = column + lane * N;
  const Piece weight(p.weight, p.bags.num_embeddings, p.embedding_dim, own_column);
  u32 errors = 0;
#pragma unroll 1
  for (u32 first = static_cast<u32>(block_index()) * groups; first < bags; first += static_cast<u32>(grid_blocks()) * groups) {
    const u32 bag = first + static_cast<u32>(thread_index() >> group_log2);
    BagRange range{0, 0, false};
    if (bag < bags) range = bag_range<I>(p.bags, bag);
    errors += range.bad && stream == 0;

    Reduction r;
    r.clear();
    u32 entries = 0;
    const u32 begin = static_cast<u32>(range.begin), end = static_cast<u32>(range.end);
    // A turn loads the rows of the positions from `n` on and the indices from `next` on. The first turn has no rows yet.
    u32 row[kDepth], n = 0, next = begin + static_cast<u32>(stream * kBatch);
#pragma unroll
    for (int j = 0; j < kDepth; ++j) row[j] = kNoRow;
    int left = kWindow + kDepth;
#pragma unroll 1
    do {
      typename Piece::Loaded rows[kDepth];
      A factor[kDepth];
      const T* factors = sample_weights ? sample_weights + n : nullptr;
#pragma unroll
      for (int j = 0; j < kDepth; ++j) {
        const bool takes = row[j] != kNoRow;
        factor[j] = 0;
        if (takes) factor[j] = 1;
        if (takes && factors) factor[j] = to_acc(factors[j]);
        rows[j] = weight.load(row[j], takes);
      }
      I index[kDepth];
      const I* at = indices + min_of(next, end);
#pragma unroll
      for (int j = 0; j < kDepth; ++j) index[j] = next + j < end ? at[j] : I{0};
#pragma unroll 1
      for (int taken = 0; taken < kDepth; taken += kTogether) {
#pragma unroll
        for (int j = 0; j < kTogether; ++j) {
          r.take(Piece::words(rows[j]), row[j] != kNoRow, factor[j], n + taken + j);
          entries += row[j] != kNoRow;
        }
#pragma unroll
        for (int j = kTogether; j < kDepth; ++j) {
          rows[j - kTogether] = rows[j];
          row[j - kTogether] = row[j];
          factor[j - kTogether] = factor[j];
        }
      }
#pragma unroll
      for (int j = 0; j < kDepth; ++j) row[j] = next + j < end ? row_of(p.bags, index[j], errors) : kNoRow;
      n = next;
      next += kDepth;
      if (kDepth == kBatch || (next - begin) % kBatch == 0) next += static_cast<u32>((p.streams - 1) * kBatch);
      left -= kDepth;
      if (left == 0 || n >= end) {
        r.close_window(scratch, n >= end);
        left = kWindow;
      }
    } while (n < end);
    r.close();

    if (p.streams > 1) {
      publish(scratch, r);
#if !ADJ_MAX
      scratch->entries[thread_index()] = entries;
#endif
      block_barrier();
      const int own = thread_index() - stream * p.lanes, behind = own + p.streams * p.lanes;  // the streams' threads with these columns
#pragma unroll 1
      for (int k = stream; k < N; k += p.streams) join(scratch, k, own, behind, p.lanes);
#if !ADJ_MAX
      entries = 0;
#pragma unroll 1
      for (int thread = own; thread < behind; thread += p.lanes) entries += scratch->entries[thread];
#endif
      block_barrier();
      fetch(scratch, r);
    }
    if (bag >= bags || stream > 0) continue;
    const i64 place = bag * p.embedding_dim + own_column;
    T* const to = static_cast<T*>(p.out) + place;
#if ADJ_MAX
    Vec<T, N> out;
#pragma unroll
    for (int k = 0; k < N; ++k) out.at[k] = Carrier<T>::element(r.best[k], k);
    store_piece<T, ADJ_ALIGNED>(to, weight.columns(), pack<T>(out));
    if (p.max_positions) store_positions(p.max_positions + place, weight.columns(), r.position);
#else
    if (p.mean && entries > 1) {
      const Divisor<A> divisor(entries);
      // Divides sum[0], then moves the rest up: the division is in the code once.
#pragma unroll 1
      for (int left = N; left > 0; --left) {
        const A quotient = divisor.divide(r.sum[0]);
#pragma unroll
        for (int k = 0; k + 1 < N; ++k) r.sum[k] = r.sum[k + 1];
        r.sum[N - 1] = quotient;
      }
    }
    store_piece<T, ADJ_ALIGNED>(to, weight.columns(), narrow<T>(r.sum));
#endif
  }
  if (errors && p.error_flag && column == 0 && lane == 0) atomic_add(p.error_flag, static_cast<i64>(errors));
}

// Blocks of a multiprocessor: with more, registers would not hold the loads in flight.
constexpr int kResident = sizeof(T) == 4 && ADJ_ALIGNED && (ADJ_MAX || sizeof(I) == 4) ? 5
                          : sizeof(T) == 4 || kTogether < kDepth                       ? 4
                          : sizeof(T) == 2 && ADJ_MAX                                  ? 2
                                                                                       : 3;

extern "C" __global__ void __launch_bounds__(kBagBlock, kResident) ADJ_ENTRY(const __grid_constant__ EmbeddingBagForwardParams p) {
  ADJ_SHARED(Scratch, scratch, 1);
  i64 column = block_index_y() * p.lanes * N;
  do {  // at least once: without columns there are still errors to count
    reduce_bags(p, column, scratch);
    column += grid_blocks_y() * p.lanes * N;
  } while (column < p.embedding_dim);
}
