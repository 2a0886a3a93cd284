// Gradients of row lookups, the rows with more than kRowSumChunk occurrences, which kernels/embedding_sum.cu leaves out.
//
// ADJ_STAGE picks the program:
//   0  chunks   The sorted occurrences are cut into chunks of kRowSumChunk. A heavy row holds the first entry of at least one chunk,
//               so a chunk belongs to the row of its first entry: its partial sum is over that row's entries in the chunk and, in the
//               row's first chunk, those before the chunk. The first chunk of a row puts the row on the list.
//   1  combine  adds the partial sums of every row on the list and writes it.
// Every partial sum and their order depend on the indices alone. No sum is longer than 127 additions in a chunk and either 32 of
// partial sums or a compensated share of them and 32 of shares.
//
// Macros: ADJ_T and ADJ_GATHER, for stage 0 also ADJ_ROWS and ADJ_BAG, see prelude/row_sums.cuh.
#include "prelude/reduce.cuh"
#include "prelude/row_sums.cuh"

typedef ADJ_T T;
typedef Acc<ADJ_T> A;

#if ADJ_STAGE == 0

typedef RowSums<ADJ_T, ADJ_ROWS, ADJ_GATHER, ADJ_BAG, true> Sums;
constexpr int kWidth = Sums::kWidth, kPieces = Sums::kPieces, kWarps = Sums::kWarps;

// The entries that a chunk sums; none when it does not begin in a heavy row.
struct Share {
  u32 start, count;
};

// By a whole warp. `lists`: the chunk puts a row that begins with it on the list.
__device__ __forceinline__ Share find_share(const EmbeddingSumParams& p, u32 chunk, bool lists) {
  const u32 begin = chunk * kRowSumChunk;
  const u32 row = p.rows[begin];
  if (row >= p.num_embeddings) return {0, 0};
  // A row with more than 64 entries that holds this one has more than 64 within 64 of it, at most 64 on either side.
  u32 behind = 0, ahead = 0;
  bool continues = false;
#pragma unroll
  for (int k = 0; k < kRowSumChunk / kWarp; ++k) {
    const u32 offset = static_cast<u32>(k * kWarp + lane_index());
    const u32 low = ballot(chunk > 0 && p.rows[begin - kRowSumChunk + offset] == row);
    behind += static_cast<u32>(popcount(low));
    if (k == 0) continues = low & 1;
    ahead += static_cast<u32>(popcount(ballot(begin + offset < p.num_indices && p.rows[begin + offset] == row)));
  }
  const bool beyond = begin + kRowSumChunk < p.num_indices && p.rows[begin + kRowSumChunk] == row;
  if (behind + ahead + beyond <= kRowSumChunk) return {0, 0};
  if (continues) return {begin, ahead};
  const u32 start = begin - behind;
  if (lists) {
    u32 low[] = {begin}, high[] = {p.num_indices};
    lower_bounds<1>(p.rows, low, high, {row + 1});
    const u32 end = low[0];
    if (lane_index() == 0) {
      const u32 partials = (end - 1) / kRowSumChunk - chunk + 1;
      const u32 many = partials > kCombineFew, entry = atomic_add(p.counters + many, 1u);
      p.heavy[many ? p.heavy_rows - 1 - entry : entry] = {row, end - start, chunk, partials};
    }
  }
  return {start, behind + ahead};
}

__device__ __forceinline__ void sum_share(const EmbeddingSumParams& p, u32 chunk, const Share& share, const Sums::Pieces& pieces) {
  A sum[kPieces][kWidth] = {};
  Sums::add_rows(p, share.start, share.start + share.count, pieces, sum);
  A* to = static_cast<A*>(p.partials) + (ADJ_GATHER ? chunk * p.outer + pieces.outer : chunk) * p.embedding_dim + pieces.column;
  const i64 step = Sums::kAcross ? p.embedding_dim : pieces.step;
#pragma unroll
  for (int u = 0; u < kPieces; ++u) {
    if (u >= pieces.count) break;
    constexpr int kPart = kWidth < kVec16<A> ? kWidth : kVec16<A>;
#pragma unroll
    for (int first = 0; first < kWidth; first += kPart) {
      A part[kPart];
#pragma unroll
      for (int k = 0; k < kPart; ++k) part[k] = sum[u][first + k];
      store_columns<A, kPart>(to + u * step + first, part);
    }
  }
}

extern "C" __global__ void __launch_bounds__(kRowSumBlock, Sums::kResident) ADJ_ENTRY(const __grid_constant__ EmbeddingSumParams p) {
  const int lanes = Sums::lanes_of_row(p), lane = lane_index() & (lanes - 1);
  const int group = lane_index() >> lowest_bit(static_cast<u32>(lanes));
  const u32 groups = static_cast<u32>(kWarp) >> lowest_bit(static_cast<u32>(lanes)), chunks = (p.num_indices + kRowSumChunk - 1) / kRowSumChunk;
  const u32 warps = static_cast<u32>(grid_blocks_y()) * kWarps, item_blocks = static_cast<u32>(grid_blocks());
#pragma unroll 1
  for (u32 item = static_cast<u32>(block_index()); item < p.items; item += item_blocks) {
    const Sums::Part part = Sums::part_at(p, item);
#pragma unroll 1
    for (u32 first = static_cast<u32>(block_index_y() * kWarps + warp_index()) * groups; first < chunks; first += warps * groups) {
      Share own{0, 0};
#pragma unroll 1
      for (u32 g = 0; g < groups && first + g < chunks; ++g) {
        const Share share = find_share(p, first + g, item == 0);
        if (static_cast<int>(g) == group) own = share;
      }
      if (own.count == 0) continue;
#pragma unroll 1
      for (i64 outer = part.outer; outer < part.outer_end; outer += Sums::kMatrices) {
        // Aligned rows: all of the stretch at once.
#pragma unroll 1
        for (i64 begin = part.begin; begin < part.end; begin += lanes * kPieces) {
          sum_share(p, first + static_cast<u32>(group), own, Sums::pieces_at(part, outer, begin, lane, lanes));
          if (ADJ_ROWS != kRowsAny) break;
        }
      }
    }
  }
}

#else

constexpr int kWarps = kCombineBlock / kWarp;

// A block takes kCombineGroup columns of a row with many partial sums, each warp a share of them; of rows with few, each warp takes as
// many columns of one.
extern "C" __global__ void __launch_bounds__(kCombineBlock) ADJ_ENTRY(const __grid_constant__ EmbeddingSumParams p) {
  ADJ_SHARED(A, shares, kCombineBlock);
  const i64 columns = ADJ_GATHER ? p.outer * p.embedding_dim : p.embedding_dim;  // of a chunk
  const i64 groups = (columns + kCombineGroup - 1) / kCombineGroup;
  const i64 few = p.counters[0] * groups, many = p.counters[1] * groups, items = many + (few + kWarps - 1) / kWarps;
#pragma unroll 1
  for (i64 item = block_index(); item < items; item += grid_blocks()) {
    const bool shared = item < many;
    const i64 place = shared ? item : (item - many) * kWarps + warp_index();
    if (!shared && place >= few) break;
    const i64 entry = place / groups, column = (place - entry * groups) * kCombineGroup + lane_index();
    const EmbeddingHeavyRow row = p.heavy[shared ? p.heavy_rows - 1 - entry : entry];
    const bool inside = column < columns;
    u32 begin = 0, end = row.partials;
    if (shared) {
      const u32 length = (row.partials + kWarps - 1) / kWarps;
      begin = min_of(row.partials, static_cast<u32>(warp_index()) * length);
      end = min_of(row.partials, begin + length);
    }
    A sum = 0, lost = 0;
    if (inside) {
      const A* from = static_cast<const A*>(p.partials) + (row.chunk + begin) * columns + column;
#pragma unroll 4
      for (u32 i = begin; i < end; ++i, from += columns) add_compensated(sum, lost, *from);
      sum = compensated(sum, lost);
    }
    if (shared) {
      block_barrier();
      shares[thread_index()] = sum;
      block_barrier();
      if (warp_index() > 0) continue;
      sum = 0;
#pragma unroll 8
      for (int w = 0; w < kWarps; ++w) sum += shares[w * kWarp + lane_index()];
    }
    if (!inside) continue;
    if (!ADJ_GATHER && p.scale_by_count) sum /= static_cast<A>(row.count);
    i64 at = row.row * p.embedding_dim + column;
    if (ADJ_GATHER) at += column / p.embedding_dim * (p.dweight_matrix - p.embedding_dim);
    T* to = static_cast<T*>(p.dweight) + at;
    *to = from_acc<T>(p.accumulate ? sum + to_acc(*to) : sum);
  }
}

#endif
