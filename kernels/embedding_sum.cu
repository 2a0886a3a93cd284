// Gradients of row lookups, the rows with few occurrences: dweight[r, :] (=|+=) s_r * sum of dout[n, :] over the occurrences n of r.
// Reads the occurrences sorted by row (kernels/index_sort.cu); rows with more than kRowSumChunk of them are left to
// kernels/embedding_heavy.cu.
//
// A warp finds the occurrences of a few neighbouring rows and adds those of each in the order of their positions, one piece of 16
// bytes per lane (narrow rows, several of them at a time) or several (wide rows).
//
// Macros: ADJ_T element type; ADJ_ACCUMULATE 0 overwrites, and a warp takes consecutive rows; 1 adds to what is there, and a warp
// takes consecutive occurrences; ADJ_ROWS 0 any, 1 narrow or 2 wide rows, the latter two 16-byte aligned.
#include "prelude/row_sums.cuh"

typedef ADJ_T T;
typedef Acc<T> A;
ADJ_ROW_SHAPE;
constexpr int kWarps = kRowSumBlock / kWarp;

// What a lane knows of one row: where its occurrences are.
struct Found {
  u32 row, start, count;
};
constexpr u32 kNothing = ~0u;  // the count of a row that is not written here

#if ADJ_ACCUMULATE

// The rows whose first occurrence is among the `batch` from `first` on.
__device__ __forceinline__ Found find_rows(const EmbeddingSumParams& p, u32 first) {
  const u32 at = first + static_cast<u32>(lane_index());
  const auto row_at = [&](u32 i) { return i < p.num_indices ? p.rows[i] : kNothing; };
  const u32 row = row_at(at), next = row_at(at + kWarp), after = row_at(at + 2 * kWarp);
  const u32 before = at > 0 && at <= p.num_indices ? p.rows[at - 1] : kNothing;
  const u32 heads = ballot(row != before), last = shuffle(row, kWarp - 1);
  // Those of the last row may go on behind the warp's 32; the windows hold 64 more occurrences of any row of the batch.
  const u32 behind = heads & ~lanes_below() & ~(1u << lane_index());
  u32 count = static_cast<u32>(behind ? lowest_bit(behind) : kWarp) - static_cast<u32>(lane_index());
  const u32 more = static_cast<u32>(popcount(ballot(next == last)) + popcount(ballot(after == last)));
  if (!behind) count += more;
  const bool wanted = lane_index() < p.batch && row != before && row < p.num_embeddings && count <= kRowSumChunk;
  return {row, at, wanted ? count : kNothing};
}

#else

// The rows [first, first + batch).
__device__ __forceinline__ Found find_rows(const EmbeddingSumParams& p, i64 first) {
  const u32 rows = static_cast<u32>(min_of<i64>(p.batch, p.num_embeddings - first)), row = static_cast<u32>(first) + static_cast<u32>(lane_index());
  const u32 begin = lower_bound(p.rows, 0, p.num_indices, static_cast<u32>(first));
  const u32 end = lower_bound(p.rows, begin, p.num_indices, static_cast<u32>(first) + rows);
  u32 start = begin, high = end;
  while (start < high) {
    const u32 middle = (start + high) / 2;
    if (p.rows[middle] < row) start = middle + 1;
    else high = middle;
  }
  const u32 next = shuffle_down(start, 1), count = (lane_index() == kWarp - 1 ? end : next) - start;
  return {row, start, static_cast<u32>(lane_index()) < rows && count <= kRowSumChunk ? count : kNothing};
}

#endif

// Columns [begin, end) of a row, no more than the lanes take at once.
__device__ __forceinline__ void sum_row(const EmbeddingSumParams& p, const Found& found, i64 begin, i64 end, int lane, int lanes) {
  const int left = static_cast<int>(end - begin) - lane * kWidth, step = lanes * kWidth;
  begin += lane * kWidth;
  T* to = static_cast<T*>(p.dweight) + found.row * p.embedding_dim + begin;
#if ADJ_ACCUMULATE
  Piece<T, kWidth> old[kPieces];
#pragma unroll
  for (int u = 0; u < kPieces; ++u) old[u] = load_columns<T, kWidth>(to + u * step, u * step < left);
#endif
  A sum[kPieces][kWidth] = {};
  add_rows<T, kWidth, kPieces, kDepth>(static_cast<const T*>(p.dout) + begin, p.embedding_dim, p.order + found.start, found.count, left, step,
                                       sum);
  if (p.scale_by_count) {
    const A count = static_cast<A>(max_of(found.count, 1u)), reciprocal = A{1} / count;
#pragma unroll
    for (int u = 0; u < kPieces; ++u)
#pragma unroll
      for (int k = 0; k < kWidth; ++k) sum[u][k] = quotient(sum[u][k], count, reciprocal);
  }
#pragma unroll
  for (int u = 0; u < kPieces; ++u) {
    if (u * step >= left) break;
#if ADJ_ACCUMULATE
    A x[kWidth];
    widen_columns<T, kWidth>(old[u], x);
#pragma unroll
    for (int k = 0; k < kWidth; ++k) sum[u][k] += x[k];
#endif
    store_columns<T, kWidth>(to + u * step, sum[u]);
  }
}

extern "C" __global__ void __launch_bounds__(kRowSumBlock, ADJ_ROWS == 0 ? 3 : kRowSumBlocks) ADJ_ENTRY(const __grid_constant__ EmbeddingSumParams p) {
  const int lanes = ADJ_ROWS == 2 ? kWarp : p.row_lanes, lane = lane_index() & (lanes - 1);
  const i64 work = ADJ_ACCUMULATE ? p.num_indices : p.num_embeddings;
#pragma unroll 1
  for (i64 stretch = block_index() * p.stretch; stretch < p.embedding_dim; stretch += grid_blocks() * p.stretch) {
    const i64 end = min_of(p.embedding_dim, stretch + p.stretch);
#pragma unroll 1
    for (i64 first = (block_index_y() * kWarps + warp_index()) * p.batch; first < work; first += grid_blocks_y() * kWarps * p.batch) {
      const Found own = find_rows(p, static_cast<u32>(first));
#pragma unroll 1
      for (int base = 0; base < p.batch; base += kWarp / lanes) {
        const int place = base + lane_index() / lanes;
        const Found found{shuffle(own.row, place), shuffle(own.start, place), shuffle(own.count, place)};
        if (found.count == kNothing) continue;
        // Aligned rows: all of the stretch at once.
#pragma unroll 1
        for (i64 begin = stretch; begin < end; begin += lanes * (kWidth * kPieces)) {
          sum_row(p, found, begin, end, lane, lanes);
          if (kWidth > 1) break;
        }
      }
    }
  }
}
