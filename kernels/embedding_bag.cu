// Reduction of bags of embedding rows: out[b, :] = sum, mean or maximum over the positions n of bag b of weight[indices[n], :].
//
// Macros: ADJ_T element type, ADJ_I index type, ADJ_MAX 1 for the maximum.
//
// `lanes` threads take one vector of columns each, `streams` of them the positions: stream s has batches s, s + streams, ...
// of kBatch positions, whose rows are in flight together while the next batch's indices arrive. A stream adds 128 rows
// plainly and such sums with compensation; the streams are added in order. So an addend sees at most 128 additions, those
// of 32 streams and a few more, however long the bag is.
#include "params/embedding_bag.h"
#include "prelude/bags.cuh"
#include "prelude/reduce.cuh"
#include "prelude/rows.cuh"

typedef ADJ_T T;
typedef ADJ_I I;
typedef Acc<T> A;
constexpr int N = kVec16<T>;
constexpr int kBatch = 4;
constexpr int kWindow = 128;  // positions

#if ADJ_MAX
// The first NaN, else the first of the largest numbers.
__device__ __forceinline__ bool exceeds(T value, T best) {
  const A v = to_acc(value), b = to_acc(best);
  return b == b && !(v <= b);
}

struct Scratch {
  T best[N][kBagBlock];
  u32 position[N][kBagBlock];
};

struct Reduction {
  T best[N];
  u32 position[N];
  bool empty;

  __device__ __forceinline__ void clear() {
    empty = true;
#pragma unroll
    for (int k = 0; k < N; ++k) {
      best[k] = T{};
      position[k] = ~0u;
    }
  }
  __device__ __forceinline__ void take(const Vec<T, N>& row, bool takes, A, u32 n) {
    if (!takes) return;
#pragma unroll
    for (int k = 0; k < N; ++k)
      if (empty || exceeds(row.at[k], best[k])) {
        best[k] = row.at[k];
        position[k] = n;
      }
    empty = false;
  }
  __device__ __forceinline__ void close_window(Scratch*, bool) {}
  __device__ __forceinline__ void close(const Scratch*) {}
};

// All N, 16 bytes at a time.
__device__ __forceinline__ void store_positions(i32* to, const u32 (&position)[N]) {
  constexpr int kPart = N < 4 ? N : 4;
#pragma unroll
  for (int first = 0; first < N; first += kPart) {
    Vec<u32, kPart> part;
#pragma unroll
    for (int k = 0; k < kPart; ++k) part.at[k] = position[first + k];
    store_streaming(reinterpret_cast<Packed<u32, kPart>*>(to + first), pack_vector<u32, kPart>(part));
  }
}
__device__ __forceinline__ void publish(Scratch* scratch, const Reduction& r, u32) {
#pragma unroll
  for (int k = 0; k < N; ++k) {
    scratch->best[k][thread_index()] = r.best[k];
    scratch->position[k][thread_index()] = r.position[k];
  }
}
__device__ __forceinline__ void join(const Scratch* scratch, Reduction& r, u32&, int thread) {
#pragma unroll
  for (int k = 0; k < N; ++k) {
    const T other = scratch->best[k][thread];
    const u32 position = scratch->position[k][thread];
    const bool takes = r.position[k] == ~0u || exceeds(other, r.best[k]) ||
                       (!exceeds(r.best[k], other) && position < r.position[k]);
    if (position == ~0u || !takes) continue;
    r.best[k] = other;
    r.position[k] = position;
  }
}

#else

struct Scratch {
  A sum[N][kBagBlock], lost[N][kBagBlock];
  u32 entries[kBagBlock];
};

struct Reduction {
  A sum[N];     // of the window, and in the end of all
  bool parked;  // earlier windows are in the thread's own places of the scratch memory

  __device__ __forceinline__ void clear() {
    parked = false;
#pragma unroll
    for (int k = 0; k < N; ++k) sum[k] = 0;
  }
  __device__ __forceinline__ void take(const Vec<T, N>& row, bool, A factor, u32) {
#pragma unroll
    for (int k = 0; k < N; ++k) sum[k] = fused_multiply_add(factor, to_acc(row.at[k]), sum[k]);
  }
  __device__ __forceinline__ void close_window(Scratch* scratch, bool last) {
    if (last && !parked) return;
#pragma unroll
    for (int k = 0; k < N; ++k) {
      A& total = scratch->sum[k][thread_index()];
      A& lost = scratch->lost[k][thread_index()];
      if (!parked) total = lost = 0;
      add_compensated(total, lost, sum[k]);
      sum[k] = 0;
    }
    parked = true;
  }
  __device__ __forceinline__ void close(const Scratch* scratch) {
    if (!parked) return;
#pragma unroll
    for (int k = 0; k < N; ++k) sum[k] = compensated(scratch->sum[k][thread_index()], scratch->lost[k][thread_index()]);
  }
};

__device__ __forceinline__ void publish(Scratch* scratch, const Reduction& r, u32 entries) {
#pragma unroll
  for (int k = 0; k < N; ++k) scratch->sum[k][thread_index()] = r.sum[k];
  scratch->entries[thread_index()] = entries;
}
__device__ __forceinline__ void join(const Scratch* scratch, Reduction& r, u32& entries, int thread) {
#pragma unroll
  for (int k = 0; k < N; ++k) r.sum[k] += scratch->sum[k][thread];
  entries += scratch->entries[thread];
}
#endif

// The stretch of columns from `column` on that the lanes share, of all bags.
template <bool vectors>
__device__ __forceinline__ void reduce_bags(const EmbeddingBagForwardParams& p, i64 column, Scratch* scratch) {
  constexpr int depth = vectors ? kBatch : 1;
  const I* indices = static_cast<const I*>(p.bags.indices);
  const T* weight = static_cast<const T*>(p.weight);
  const T* sample_weights = static_cast<const T*>(p.sample_weights);
  const int lane = thread_index() & (p.lanes - 1);
  const int stream = thread_index() / p.lanes & (p.streams - 1);
  const int group = p.lanes * p.streams;
  const i64 groups = kBagBlock / group;
  const bool counts_errors = column == 0 && lane == 0;
  u32 errors = 0;
  for (i64 first = block_index() * groups; first < p.bags.num_bags; first += grid_blocks() * groups) {
    const i64 bag = first + thread_index() / group;
    BagRange range{0, 0, false};
    if (bag < p.bags.num_bags) range = bag_range<I>(p.bags, bag);
    errors += range.bad && counts_errors && stream == 0;

    Reduction r;
    r.clear();
    u32 entries = 0;
    const u32 end = static_cast<u32>(range.end);
    const auto fetch = [&](u32 position) {
      if (position >= end) return kNoRow;
      u32 error = 0;
      const u32 row = row_of_index(p.bags, static_cast<i64>(indices[position]), error);
      if (counts_errors) errors += error;
      return row;
    };
    // The stream's positions after n + depth - 1.
    const auto after = [&](u32 n) {
      n += depth;
      return (n - static_cast<u32>(range.begin)) % kBatch == 0 ? n + static_cast<u32>((p.streams - 1) * kBatch) : n;
    };
    u32 n = static_cast<u32>(range.begin) + static_cast<u32>(stream * kBatch);
    u32 next[depth];
#pragma unroll
    for (int j = 0; j < depth; ++j) next[j] = fetch(n + j);
    while (n < end) {
#pragma unroll 1
      for (int taken = 0; taken < kWindow && n < end; taken += depth) {
        Words4 rows[depth];
        bool takes[depth];
        A factors[depth];
#pragma unroll
        for (int j = 0; j < depth; ++j) {
          takes[j] = next[j] != kNoRow;
          entries += takes[j];
          factors[j] = takes[j] ? sample_weights ? to_acc(sample_weights[n + j]) : A{1} : A{0};
          rows[j] = load_piece<T, vectors>(weight + (takes[j] ? next[j] : 0) * p.embedding_dim, column,
                                                       takes[j] ? p.embedding_dim : 0, lane, p.lanes);
        }
        const u32 following = after(n);
#pragma unroll
        for (int j = 0; j < depth; ++j) next[j] = fetch(following + j);
#pragma unroll
        for (int j = 0; j < depth; ++j) r.take(unpack<T>(rows[j]), takes[j], factors[j], n + j);
        n = following;
      }
      r.close_window(scratch, n >= end);
    }
    r.close(scratch);

    if (p.streams > 1) {
      publish(scratch, r, entries);
      block_barrier();
      if (stream == 0)
        for (int s = 1; s < p.streams; ++s) join(scratch, r, entries, thread_index() + s * p.lanes);
      block_barrier();
    }
    if (bag >= p.bags.num_bags || stream > 0) continue;
    Vec<T, N> out;
#if ADJ_MAX
#pragma unroll
    for (int k = 0; k < N; ++k) out.at[k] = r.best[k];
    if (p.max_positions) {
      i32* to = p.max_positions + bag * p.embedding_dim;
      if constexpr (vectors) {
        const i64 mine = column_of<T, true>(column, lane, p.lanes, 0);
        if (mine < p.embedding_dim) store_positions(to + mine, r.position);
      } else {
#pragma unroll
        for (int k = 0; k < N; ++k) {
          const i64 mine = column_of<T, false>(column, lane, p.lanes, k);
          if (mine < p.embedding_dim) to[mine] = static_cast<i32>(r.position[k]);
        }
      }
    }
#else
    const A divisor = p.mean && entries > 0 ? static_cast<A>(entries) : A{1};
#pragma unroll
    for (int k = 0; k < N; ++k) out.at[k] = from_acc<T>(r.sum[k] / divisor);
#endif
    store_piece<T, vectors>(static_cast<T*>(p.out) + bag * p.embedding_dim, column, p.embedding_dim, lane, p.lanes, out);
  }
  if (errors && p.error_flag) atomic_add(p.error_flag, static_cast<i64>(errors));
}

constexpr int kResident = sizeof(T) == 4 ? 4 : sizeof(T) == 2 && ADJ_MAX ? 2 : 3;  // blocks

extern "C" __global__ void __launch_bounds__(kBagBlock, kResident) ADJ_ENTRY(const __grid_constant__ EmbeddingBagForwardParams p) {
  ADJ_SHARED(Scratch, scratch, 1);
  const bool vectors = p.embedding_dim % N == 0 && aligned16(p.weight) && aligned16(p.out) && aligned16(p.max_positions);
  i64 column = block_index_y() * p.lanes * N;
  do {  // without columns there are still errors to count
    if (vectors)
      reduce_bags<true>(p, column, scratch);
    else
      reduce_bags<false>(p, column, scratch);
    column += grid_blocks_y() * p.lanes * N;
  } while (column < p.embedding_dim);
}
