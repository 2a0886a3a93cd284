// Gradients of row lookups, the rows with few occurrences: dweight[o, r, :] (=|+=) s_r * sum of what the occurrences of r add.
// Reads the occurrences sorted by row (kernels/index_sort.cu); rows with more than kRowSumChunk of them are left to
// kernels/embedding_heavy.cu.
//
// A warp finds the occurrences of a few neighbouring rows and adds those of each in the order of their positions; narrow rows are
// taken several at a time.
//
// Macros: ADJ_T, ADJ_ROWS, ADJ_GATHER and ADJ_BAG, see prelude/row_sums.cuh; ADJ_ACCUMULATE 0 overwrites, and a warp takes consecutive
// rows; 1 adds to what is there, and a warp takes consecutive occurrences.
#include "prelude/row_sums.cuh"

typedef ADJ_T T;
typedef Acc<ADJ_T> A;
typedef RowSums<ADJ_T, ADJ_ROWS, ADJ_GATHER, ADJ_BAG> Sums;
constexpr int kWidth = Sums::kWidth, kPieces = Sums::kPieces, kWarps = Sums::kWarps;

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
__device__ __forceinline__ Found find_rows(const EmbeddingSumParams& p, u32 first) {
  const u32 rows = static_cast<u32>(min_of<i64>(p.batch, p.num_embeddings - first)), row = first + static_cast<u32>(lane_index());
  u32 low[] = {0, 0}, ends[] = {p.num_indices, p.num_indices};
  lower_bounds<2>(p.rows, low, ends, {first, first + rows});
  u32 start = low[0], high = low[1];
#pragma unroll 1
  while (start < high) {
    const u32 middle = (start + high) / 2;
    if (p.rows[middle] < row) start = middle + 1;
    else high = middle;
  }
  const u32 next = shuffle_down(start, 1), count = (lane_index() == kWarp - 1 ? low[1] : next) - start;
  return {row, start, static_cast<u32>(lane_index()) < rows && count <= kRowSumChunk ? count : kNothing};
}

#endif

// sum / count, rounded once, given the rounded reciprocal of the count: the remainder of the rounded product is exact.
__device__ __forceinline__ A quotient(A sum, A count, A reciprocal) {
  const A near = sum * reciprocal;
  const A exact = fused_multiply_add(fused_multiply_add(-near, count, sum), reciprocal, near);
  return exact == exact ? exact : near;  // infinite sums have no remainder
}

__device__ __forceinline__ void sum_row(const EmbeddingSumParams& p, const Found& found, const Sums::Pieces& pieces) {
  T* to = static_cast<T*>(p.dweight) + (ADJ_GATHER ? pieces.outer * p.dweight_matrix : 0) + found.row * p.embedding_dim + pieces.column;
  const i64 step = Sums::dweight_step(p, pieces);
#if ADJ_ACCUMULATE
  Sums::Piece old[kPieces];
  const auto load_old = [&] {
#pragma unroll
    for (int u = 0; u < kPieces; ++u) old[u] = load_columns<T, kWidth>(to + u * step, u < pieces.count);
  };
  constexpr bool kEarly = !Sums::kAcross;  // with the rows of dout; else registers would not do
  if (kEarly) load_old();
#endif
  A sum[kPieces][kWidth] = {};
  Sums::add_rows(p, found.start, found.start + found.count, pieces, sum);
#if ADJ_ACCUMULATE
  if (!kEarly) load_old();
#endif
  if (!ADJ_GATHER && p.scale_by_count) {
    const A count = static_cast<A>(max_of(found.count, 1u)), reciprocal = A{1} / count;
#pragma unroll
    for (int u = 0; u < kPieces; ++u)
#pragma unroll
      for (int k = 0; k < kWidth; ++k) sum[u][k] = quotient(sum[u][k], count, reciprocal);
  }
#pragma unroll
  for (int u = 0; u < kPieces; ++u) {
    if (u >= pieces.count) break;
#if ADJ_ACCUMULATE
    A x[kWidth];
    widen_columns<T, kWidth>(old[u], x);
#pragma unroll
    for (int k = 0; k < kWidth; ++k) sum[u][k] += x[k];
#endif
    store_columns<T, kWidth>(to + u * step, sum[u]);
  }
}

// The blocks of one dimension of the grid take rows, those of the other pieces of the rows: with several matrices that is the second,
// so that neighbouring blocks read the same ones.
extern "C" __global__ void __launch_bounds__(kRowSumBlock, Sums::kResident) ADJ_ENTRY(const __grid_constant__ EmbeddingSumParams p) {
  const int lanes = Sums::lanes_of_row(p), lane = lane_index() & (lanes - 1);
  const int group = lane_index() >> lowest_bit(static_cast<u32>(lanes)), groups = kWarp >> lowest_bit(static_cast<u32>(lanes));
  const i64 work = ADJ_ACCUMULATE ? p.num_indices : p.num_embeddings, warp_rows = kWarps * p.batch;
  const u32 item_blocks = static_cast<u32>(ADJ_GATHER ? grid_blocks_y() : grid_blocks());
  const i64 row_block = ADJ_GATHER ? block_index() : block_index_y(), row_blocks = ADJ_GATHER ? grid_blocks() : grid_blocks_y();
#pragma unroll 1
  for (u32 item = static_cast<u32>(ADJ_GATHER ? block_index_y() : block_index()); item < p.items; item += item_blocks) {
    const Sums::Part part = Sums::part_at(p, item);
#pragma unroll 1
    for (i64 first = row_block * warp_rows + warp_index() * p.batch; first < work; first += row_blocks * warp_rows) {
      const Found own = find_rows(p, static_cast<u32>(first));
#pragma unroll 1
      for (int base = 0; base < p.batch; base += groups) {
        const int place = base + group;
        const Found found{shuffle(own.row, place), shuffle(own.start, place), shuffle(own.count, place)};
        if (found.count == kNothing) continue;
#pragma unroll 1
        for (i64 outer = part.outer; outer < part.outer_end; outer += Sums::kMatrices) {
          // Aligned rows: all of the stretch at once.
#pragma unroll 1
          for (i64 begin = part.begin; begin < part.end; begin += lanes * kPieces) {
            sum_row(p, found, Sums::pieces_at(part, outer, begin, lane, lanes));
            if (ADJ_ROWS != kRowsAny) break;
          }
        }
      }
    }
  }
}
