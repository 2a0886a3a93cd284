// Computes: a number for each column of [outer][rows to reduce][inner], or partial results; with ADJ_SEGMENTS, for each column of a segment.
// Work split: a block takes a tile of `lanes` units of 16 bytes of columns, and the rows of a split or of a segment. Its threads are lanes side by
//     side times rows. A thread has eight rows in flight, or four if units are cut out of words. With p.cluster, the blocks of a cluster take the
//     splits of a tile, and the first block adds their results.
// Memory: reads each element once. If rows do not begin on 16-byte boundaries, units are cut out of two words (one of them comes from the cache), and
//     the first and last units of a row are read element by element.
// Order of additions: row r of an item belongs to thread row r mod (threads / lanes), which adds four of its rows at a time; then the thread rows are
//     added, as many at a time as a unit has elements; then the splits of a cluster, four at a time. Depends on the plan and the length of a segment
//     alone, not on addresses.
// Limits: with p.cluster, tiles of at most kReduceThreads columns, which the plan checks. The offsets of segments are checked here.
//
// Macros: ADJ_T element type, ADJ_REDUCER template of terms.cuh, ADJ_SEGMENTS 1 if splits are segments: the offsets say which rows they have.
#include "prelude/types.cuh"
#include "prelude/cluster.cuh"
#include "reduce/params.h"
#include "reduce/terms.cuh"
#include "prelude/cut.cuh"

typedef Wide<ADJ_T>::type A;
typedef ADJ_REDUCER<A> Reducer;
constexpr int V = kVec16<ADJ_T>;
constexpr int kHalf = kReduceTogether / 2;
// Totals of a block lie in V rows of kPitch: lane by lane, the V totals of a lane then lie in different banks.
constexpr int kPitch = kReduceThreads + kWarp / V;
constexpr int kCombined = sizeof(Reducer::Total) > sizeof(A) ? 1 : V;  // copies of the code that combines totals
// Blocks of a multiprocessor: as many as spill no registers in any variant.
constexpr int kResident = sizeof(A) == 8 || sizeof(Reducer::Total) > sizeof(A) || (ADJ_ARCH != 90 && V > 4) ? 2 : 3;

template <class T> __device__ __forceinline__ T load_part(const T* part, int rank) {
  if constexpr (kSameType<T, i32>) return static_cast<i32>(load_from_block(reinterpret_cast<const u32*>(part), rank));
  else return load_from_block(part, rank);
}
// Returns the value of the splits whose values the blocks of a cluster keep at `part` of their shared memory. They are taken in the order in which
// a launch of one thread row takes them from memory, so both give the same bits.
__device__ __forceinline__ A value_of_cluster(const A* part) {
  Reducer reducer;
#pragma unroll 1
  for (int first = 0; first < cluster_blocks(); first += kHalf) {
    A x[kHalf];
#pragma unroll
    for (int k = 0; k < kHalf; ++k) x[k] = first + k < cluster_blocks() ? load_part(part, first + k) : Reducer::identity();
    reducer.take(x);
  }
  return Reducer::value(reducer.total());
}

extern "C" __global__ void __launch_bounds__(kReduceThreads, kResident) ADJ_ENTRY(const __grid_constant__ ReduceParams p) {
  let_next_grid_begin();
  wait_for_earlier_grids();
  ADJ_SHARED(Reducer::Total, scratch, V* kPitch);
  ADJ_SHARED(A, own_part, kReduceThreads);  // with p.cluster: results of this split; the tile has at most kReduceThreads columns
  const int across = thread_index() & (p.lanes - 1), down = thread_index() / p.lanes, rows = block_threads() / p.lanes;
  const ADJ_T fill = filling<ADJ_T>(Reducer::identity(), p.negate);
  const Words4 none_there = filled(fill);
#pragma unroll 1
  for (i64 item = block_index(); item < p.items; item += grid_blocks()) {
    const i64 joint = divided(item, p.splits), split = item - joint * p.splits;
    const i64 output = divided(joint, p.tiles), tile = joint - output * p.tiles;
    const i64 first_column = tile * p.lanes * V, column = first_column + across * V;
    const i64 to = (p.cluster ? output : output * p.splits + split) * p.inner + first_column;
    const int columns = static_cast<int>(min_of<i64>(p.inner - first_column, p.lanes * V));  // of the tile
    const int valid = max_of(min_of(columns - across * V, V), 0);
    const ADJ_T* from = static_cast<const ADJ_T*>(p.in) + offset_of(p.kept, output) + column;
    Segment own{split * p.of_split, min_of(p.outer, (split + 1) * p.of_split), false};
    if constexpr (ADJ_SEGMENTS) own = segment_of(p, split);
    if (own.bad && joint == 0 && thread_index() == 0 && p.error_flag) atomic_add(p.error_flag, i64{1});
    const f64 count = ADJ_SEGMENTS ? static_cast<f64>(own.end - own.begin) : p.count;
    // regular: every row begins on a 16-byte boundary, and rows are equally far apart.
    const bool regular = valid == V && p.inner % V == 0 && aligned16(p.in) && p.reduced.count <= 1;
    const bool between = column >= V && column + 2 * V <= p.inner;  // both words that hold a unit lie inside the row
    const i64 pitch = p.reduced.stride[0] * rows;
    const int together = regular ? kReduceTogether : kHalf;
    Reducer reducers[V];
#pragma unroll 1
    for (i64 first = own.begin + down; first < own.end && valid > 0; first += together * rows) {
      const int near = static_cast<int>(min_of<i64>(own.end - first, together * rows));
      Words4 units[kReduceTogether];
#pragma unroll
      for (int k = 0; k < kReduceTogether; ++k) units[k] = none_there;
      if (regular) {
        const ADJ_T* at = from + first * p.reduced.stride[0];
#pragma unroll
        for (int k = 0; k < kReduceTogether; ++k) {
          if (k * rows < near) units[k] = load_once(reinterpret_cast<const Words4*>(at));
          at += pitch;
        }
      } else {
#pragma unroll 1
        for (int k = 0; k < kHalf; ++k) {
#pragma unroll
          for (int i = 0; i + 1 < kHalf; ++i) units[i] = units[i + 1];
          units[kHalf - 1] = none_there;
          if (k * rows >= near) continue;
          const ADJ_T* const at = from + offset_of(p.reduced, first + k * rows);
          if (between) {
            const int skew = static_cast<int>(reinterpret_cast<u64>(at) & 15);
            const Words4* const low = reinterpret_cast<const Words4*>(reinterpret_cast<const char*>(at) - skew);
            units[kHalf - 1] = cut16<sizeof(ADJ_T)>(load_words(low), load_words(low + 1), skew);
          } else {
            units[kHalf - 1] = load_some(at, valid, fill);
          }
        }
      }
      // Half of the units at a time: registers hold no more numbers. Both halves share one copy of the code.
#pragma unroll 1
      for (int half = regular ? 0 : 1; half < 2; ++half) {
        A x[kHalf][V];
#pragma unroll
        for (int k = 0; k < kHalf; ++k) {
          widen_unit<ADJ_T>(units[k], x[k]);
          units[k] = units[k + kHalf];
          prepare<Reducer>(x[k], p.square, p.negate);
        }
#pragma unroll
        for (int j = 0; j < V; ++j) {
          A y[kHalf];
#pragma unroll
          for (int k = 0; k < kHalf; ++k) y[k] = x[k][j];
          reducers[j].take(y);
        }
      }
    }
#pragma unroll
    for (int j = 0; j < V; ++j) scratch[j * kPitch + thread_index()] = reducers[j].total();
    // Combines the thread rows, up to V of them at a time. Entry e is column e % (lanes * V) of the tile; the columns of a tile lie side by side.
    int have = rows;
#pragma unroll 1
    do {
      block_barrier();
      const int together_rows = min_of(have, V), left = have / together_rows, stride = left * p.lanes;
#pragma unroll 1
      for (int e = thread_index(); e < stride * V; e += kReduceThreads) {
        Reducer::Total* const at = scratch + e % V * kPitch + e / V;
        Reducer::Total total = *at;
#pragma unroll kCombined
        for (int k = 1; k < V; ++k)
          if (k < together_rows) total = Reducer::combine(total, at[k * stride]);
        if (left > 1) *at = total;
        else if (e >= columns) continue;
        else if (p.cluster) own_part[e] = Reducer::value(total);
        else store_result(p, to + e, Reducer::value(total), count);
      }
      have = left;
    } while (have > 1);
    if constexpr (ADJ_ARCH >= 90 && !ADJ_SEGMENTS)
      if (p.cluster) {
        cluster_barrier();
        if (cluster_rank() == 0 && thread_index() < columns) store_result(p, to + thread_index(), value_of_cluster(own_part + thread_index()), count);
        cluster_barrier();
      }
    block_barrier();
  }
}
