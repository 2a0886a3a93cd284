// Gradients of row lookups: the heavy rows, which rows.cu has put on lists. README.md defines the words.
//
// Computes: by ADJ_STAGE
//   0  shares   the sum of every share; the row of dweight itself where the share is the whole row, else a partial sum
//   1  combine  the rows of dweight with several shares, from their partial sums
// Work split: stage 0: a block takes an item of a share, its lane groups take streams. Stage 1: a warp takes 32 columns of a row with up to
// kCombineFew partial sums; a block takes 8 or 32 columns of a row with more, and divides its partial sums into 32 or 8 splits.
// Memory: dout is read once; partial sums are written once and read once.
// Order of additions: depends on the indices alone. A stream by position, the streams of a warp in order, the warps in order; partial sums in
// order, compensated within a split, then the splits in order; last what dweight held. kRowSumRoundings of embedding.hpp counts the roundings.
// Limits: shares times items up to 2^31, checked by the plan. A caller's order of occurrences may hold anything: shares are checked here.
//
// Macros: ADJ_T and ADJ_GATHER, for stage 0 also ADJ_ROWS and ADJ_BAG, see segment_sum/row_sums.cuh.
#include "prelude/reduce.cuh"
#include "segment_sum/row_sums.cuh"

typedef ADJ_T T;
typedef Acc<ADJ_T> A;

#if ADJ_STAGE == 0

typedef RowSums<ADJ_T, ADJ_ROWS, ADJ_GATHER, ADJ_BAG> Sums;
constexpr int kWidth = Sums::kWidth, kPieces = Sums::kPieces, kWarps = Sums::kWarps;

// Writes piece u of the sum of a share: a partial sum, or the row of dweight.
__device__ __forceinline__ void finish(const EmbeddingSumParams& p, const EmbeddingShare& share, const Sums::Pieces& pieces, int u, A (&total)[kWidth]) {
  if (share.partial != kNone) {
    A* to = static_cast<A*>(p.partials) + (ADJ_GATHER ? share.partial * p.outer + pieces.outer : share.partial) * p.embedding_dim + pieces.column +
            u * (Sums::kAcross ? p.embedding_dim : pieces.step);
    constexpr int kPart = kWidth < kVec16<A> ? kWidth : kVec16<A>;
#pragma unroll
    for (int first = 0; first < kWidth; first += kPart) {
      A part[kPart];
#pragma unroll
      for (int k = 0; k < kPart; ++k) part[k] = total[first + k];
      store_columns<A, kPart>(to + first, part);
    }
    return;
  }
  T* to = Sums::dweight_at(p, pieces, share.row) + u * Sums::dweight_step(p, pieces);
  if (!ADJ_GATHER && p.scale_by_count) divide(total, static_cast<A>(share.count));
  if (p.accumulate) {
    A old[kWidth];
    widen_columns<T, kWidth>(load_columns<T, kWidth>(to), old);
#pragma unroll
    for (int k = 0; k < kWidth; ++k) total[k] += old[k];
  }
  store_columns<T, kWidth>(to, total);
}

#if ADJ_STAGE == 0
constexpr bool kWeighted = ADJ_BAG == 1;
#else
constexpr bool kWeighted = false;
#endif
// Blocks of a multiprocessor: as many as spill no registers.
constexpr bool kFewer =
    ADJ_GATHER || (ADJ_BOUNDS_ARCH > 90 && ADJ_BOUNDS_ARCH < 120) || (kWeighted && sizeof(T) == 2 && ADJ_BOUNDS_ARCH > 80 && ADJ_BOUNDS_ARCH < 90);
constexpr int kResident = Sums::kElements || Sums::kAcross ? Sums::kResident : kFewer ? 3 : 4;

extern "C" __global__ void __launch_bounds__(kRowSumBlock, kResident) ADJ_ENTRY(const __grid_constant__ EmbeddingSumParams p) {
  ADJ_SHARED(Sums::ShareEntries, lists, kWarps);
  ADJ_SHARED(A, sums, kRowSumBlock * kPieces * kWidth);  // sums of the streams
  ADJ_SHARED(u32, taken, 2);
  wait_for_earlier_grids();
  let_next_grid_begin();  // it writes other rows
  Sums::ShareEntries& list = lists[warp_index()];
  const int lanes = p.row_lanes, lanes_log2 = lowest_bit(static_cast<u32>(lanes)), lane = lane_index() & (lanes - 1);
  const u32 shares = min_of(p.counters[kCountShares], p.most_shares);
  // A block takes the next work when it is done with one, since shares differ in length.
  int turn = 0;
#pragma unroll 1
  for (u32 work = static_cast<u32>(block_index()); work < shares * static_cast<u32>(opaque(static_cast<int>(p.items))); work = taken[turn], turn ^= 1) {
    u32 following = 0;
    if (thread_index() == 0) following = atomic_add(p.counters + kCountTaken, 1u);
    const u32 item = work / shares, at = work - item * shares;
    const EmbeddingShare share = p.shares[at];
    if (share_is_valid(share, p)) {
      const Sums::Part part = Sums::part_at(p, item);
      // A warp takes consecutive occurrences of the share, a lane group a stream of these.
      const u32 most = (share.count + kWarps - 1) / kWarps, before = static_cast<u32>(warp_index()) * most;
      const u32 count = before < share.count ? min_of(most, share.count - before) : 0;
      const int stream = static_cast<int>(max_of(((most << lanes_log2) + kWarp - 1) / kWarp, static_cast<u32>(kRowSumStreamLeast)));
      const int streams = (static_cast<int>(most) + stream - 1) / stream, group = lane_index() >> lanes_log2;
      warp_barrier();
#pragma unroll 1
      for (u32 n = static_cast<u32>(lane_index()); n < count; n += kWarp) {
        const Sums::Source source = Sums::source_at(p, share.start + before + n);
        list.source[n] = source.row;
        Sums::put_addend(list, n, source);
      }
      warp_barrier();
#pragma unroll 1
      for (i64 outer = part.outer; outer < part.outer_end; outer += Sums::kMatrices) {
        // One turn covers the stretch, but not where the program for any rows runs with a plan for aligned ones.
#pragma unroll 1
        for (i64 begin = part.begin; begin < part.end; begin += lanes * kPieces) {
          A sum[kPieces][kWidth] = {};
          const int from = group * stream, to_end = min_of(static_cast<int>(count), from + stream);
          Sums::add_entries(p, list, from, to_end, Sums::pieces_at(part, outer, begin, lane, lanes), sum);
          // `sums` holds the columns of one stream behind those of another.
          const int columns = lanes * kPieces * kWidth;
          if (group < streams) {
            A* to = sums + (warp_index() * streams + group) * columns + lane * kWidth;
#pragma unroll
            for (int u = 0; u < kPieces; ++u)
#pragma unroll
              for (int k = 0; k < kWidth; ++k) to[u * lanes * kWidth + k] = sum[u][k];
          }
          block_barrier();
          const int u = thread_index() >> lanes_log2, place = thread_index() & (lanes - 1);
          const Sums::Pieces pieces = Sums::pieces_at(part, outer, begin, place, lanes);
          if (u < kPieces && u < pieces.count) {
            // The streams of a warp first, then the warps: one chain of all streams could be 128 additions long.
            A total[kWidth] = {};
            const A* own = sums + ((u << lanes_log2) + place) * kWidth;
#pragma unroll 1
            for (int w = 0; w < kWarps; ++w) {
              A of_warp[kWidth] = {};
#pragma unroll 1
              for (int s = streams; s > 0; --s, own += columns)
#pragma unroll
                for (int k = 0; k < kWidth; ++k) of_warp[k] += own[k];
#pragma unroll
              for (int k = 0; k < kWidth; ++k) total[k] += of_warp[k];
            }
            finish(p, p.shares[at], pieces, u, total);  // loads the share again, which saves registers until here
          }
          block_barrier();
          if (ADJ_ROWS != kRowsAny) break;
        }
      }
    }
    if (thread_index() == 0) taken[turn] = static_cast<u32>(grid_blocks()) + following;
    block_barrier();
  }
}

#else

constexpr int kWarps = kCombineBlock / kWarp;

// Rows with many partial sums come first: a block takes `together` columns, and threads of the same column divide the partial sums into
// splits. `together` is 8 where all such rows have few columns, so that more blocks work, else 32. Then a warp takes 32 columns of a row.
extern "C" __global__ void __launch_bounds__(kCombineBlock) ADJ_ENTRY(const __grid_constant__ EmbeddingSumParams p) {
  ADJ_SHARED(A, shares, kCombineBlock);
  let_next_grid_begin();
  wait_for_earlier_grids();
  const i64 columns = ADJ_GATHER ? p.outer * p.embedding_dim : p.embedding_dim;  // elements of a partial sum
  // The rows of a caller's index plan may hold anything, so the counters are clamped.
  const i64 few_rows = min_of(p.counters[kCountFew], p.most_heavy), many_rows = min_of(p.counters[kCountMany], p.most_heavy);
  const int together = many_rows * columns <= kCombineDivided ? kCombineGroup : kWarp;  // columns that a block takes
  const i64 groups = (columns + kWarp - 1) / kWarp, block_groups = (columns + together - 1) / together;
  const i64 few = few_rows * groups, many = many_rows * block_groups;
  const i64 items = many + (few + kWarps - 1) / kWarps;
#pragma unroll 1
  for (i64 item = block_index(); item < items; item += grid_blocks()) {
    const bool shared = item < many;
    const i64 place = shared ? item : (item - many) * kWarps + warp_index(), row_groups = shared ? block_groups : groups;
    if (!shared && place >= few) break;
    const int width = shared ? together : kWarp, lane = lane_index() & (width - 1);
    const u32 split = static_cast<u32>(shared ? thread_index() / width : 0), splits = static_cast<u32>(shared ? kCombineBlock / width : 1);
    const i64 entry = place / row_groups, column = (place - entry * row_groups) * width + lane;
    EmbeddingHeavyRow row = p.heavy[shared ? p.most_heavy - 1 - entry : entry];
    row.partials = min_of(row.partials, p.most_partials - min_of(row.first, p.most_partials));
    const bool inside = column < columns;
    const u32 length = (row.partials + splits - 1) / splits, begin = min_of(row.partials, split * length);
    const u32 end = inside ? min_of(row.partials, begin + length) : 0;
    A sum = 0, lost = 0;
    const A* from = static_cast<const A*>(p.partials) + (row.first + begin) * columns + column;
    constexpr u32 kTogether = sizeof(A) == 8 ? 8 : 16;  // loads in flight
#pragma unroll 1
    for (u32 i = begin; i < end; i += kTogether) {
      A part[kTogether];
#pragma unroll
      for (u32 k = 0; k < kTogether; ++k, from += columns) part[k] = i + k < end ? *from : 0;
#pragma unroll
      for (u32 k = 0; k < kTogether; ++k) add_compensated(sum, lost, part[k]);
    }
    sum = compensated(sum, lost);
    if (shared) {
      block_barrier();
      shares[thread_index()] = sum;
      block_barrier();
      if (split > 0) continue;
      sum = 0;
#pragma unroll 8
      for (u32 s = 0; s < splits; ++s) sum += shares[s * static_cast<u32>(width) + static_cast<u32>(lane)];
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
