// Computes: a number for each column of [outer][rows to reduce][inner], or partial results; with ADJ_SEGMENTS, for each column of a segment.
// Work split: a block takes a tile of `lanes` vectors of 16 bytes of columns, and the rows of a split or of a segment. Its threads are lanes side by
//     side times rows. A thread has eight rows in flight, or four if vectors are cut out of words.
// Memory: reads each element once. If rows do not begin on 16-byte boundaries, vectors are cut out of two words (one of them comes from the cache), and
//     the first and last vectors of the tensor are read element by element.
// Order of additions: row r of an item belongs to thread row r mod (threads / lanes), which adds eight of its rows at a time; then the thread rows are
//     added, as many at a time as a vector has elements. Depends on the plan and the length of a segment alone, not on addresses.
// Limits: none; the offsets of segments are checked here.
//
// Macros: ADJ_T element type, ADJ_REDUCER template of terms.cuh, ADJ_SEGMENTS 1 if splits are segments: the offsets say which rows they have.
#include "prelude/types.cuh"
#include "reduce/params.h"
#include "reduce/terms.cuh"
#include "prelude/cut.cuh"

typedef Wide<ADJ_T>::type A;
typedef ADJ_REDUCER<A> Reducer;
constexpr int V = kVec16<ADJ_T>;
constexpr int kHalf = kReduceTogether / 2;
constexpr int kResident = 2;  // blocks of a multiprocessor
// Totals of a block lie in V rows of kPitch: lane by lane, the V totals of a lane then lie in different banks.
constexpr int kPitch = kReduceThreads + kWarp / V;
constexpr int kCombined = sizeof(Reducer::Total) > sizeof(A) ? 1 : V;  // copies of the code that combines totals

extern "C" __global__ void __launch_bounds__(kReduceThreads, kResident) ADJ_ENTRY(const __grid_constant__ ReduceParams p) {
  let_next_grid_begin();
  ADJ_SHARED(Reducer::Total, scratch, V * kPitch);
  const int lanes_log2 = lowest_bit(p.lanes), across = thread_index() & (p.lanes - 1), down = thread_index() >> lanes_log2,
            rows = block_threads() >> lanes_log2;
  const ADJ_T fill = filling<ADJ_T>(Reducer::identity(), p.negate);
  const Words4 none_there = filled(fill);
  const u64 tensor = reinterpret_cast<u64>(p.in), tensor_end = tensor + static_cast<u64>(p.elements) * sizeof(ADJ_T);
#pragma unroll 1
  for (i64 item = block_index(); item < p.items; item += grid_blocks()) {
    const i64 joint = divided(item, p.splits), split = item - joint * p.splits;
    const i64 output = divided(joint, p.tiles), tile = joint - output * p.tiles;
    const i64 first_column = tile * p.lanes * V, column = first_column + across * V, to = (output * p.splits + split) * p.inner + first_column;
    const int columns = static_cast<int>(min_of<i64>(p.inner - first_column, p.lanes * V));  // of the tile
    const int valid = max_of(min_of(columns - across * V, V), 0);
    const ADJ_T* from = static_cast<const ADJ_T*>(p.in) + offset_of(p.kept, output) + column;
    Segment own{split * p.of_split, min_of(p.outer, (split + 1) * p.of_split), false};
    wait_for_earlier_grids();
    if constexpr (ADJ_SEGMENTS) own = segment_of(p, split);
    if (own.bad && joint == 0 && thread_index() == 0 && p.error_flag) atomic_add(p.error_flag, i64{1});
    const f64 count = ADJ_SEGMENTS ? static_cast<f64>(own.end - own.begin) : p.count;
    // regular: every row begins on a 16-byte boundary, and rows are equally far apart.
    const bool regular = valid == V && p.inner % V == 0 && aligned16(p.in) && p.reduced.count <= 1;
    const i64 pitch = p.reduced.stride[0] * rows;
    Reducer reducers[V];
#pragma unroll 1
    for (i64 first = own.begin + down; first < own.end && valid > 0; first += kReduceTogether * rows) {
      const int near = static_cast<int>(min_of<i64>(own.end - first, kReduceTogether * rows));
      Words4 vectors[kReduceTogether];
      if (regular) {
        const ADJ_T* at = from + first * p.reduced.stride[0];
        if (near == kReduceTogether * rows) {
#pragma unroll
          for (int k = 0; k < kReduceTogether; ++k, at += pitch) vectors[k] = load_once(reinterpret_cast<const Words4*>(at));
        } else {
#pragma unroll
          for (int k = 0; k < kReduceTogether; ++k, at += pitch) vectors[k] = k * rows < near ? load_once(reinterpret_cast<const Words4*>(at)) : none_there;
        }
      } else {
        // Four rows at a time, whose words are all in flight. Both halves share one copy of the code. A vector at the end of a row has elements of the
        // next row, in columns that do not exist and whose totals are not stored.
#pragma unroll
        for (int k = 0; k < kHalf; ++k) vectors[k] = vectors[k + kHalf] = none_there;
#pragma unroll 1
        for (int k = 0; k < kReduceTogether; k += kHalf) {
          const ADJ_T* at[kHalf];
          Words4 low[kHalf], high[kHalf];
          bool cut[kHalf];
#pragma unroll
          for (int i = 0; i < kHalf; ++i) {
            vectors[i] = vectors[i + kHalf];
            low[i] = high[i] = {};
            at[i] = from + offset_of(p.reduced, first + (k + i) * rows);
            const u64 words = reinterpret_cast<u64>(at[i]) & ~u64{15};
            cut[i] = (k + i) * rows < near && words >= tensor && words + 32 <= tensor_end;
            if (!cut[i]) continue;
            low[i] = load_words(reinterpret_cast<const Words4*>(words));
            high[i] = load_words(reinterpret_cast<const Words4*>(words) + 1);
          }
#pragma unroll
          for (int i = 0; i < kHalf; ++i) {
            if (cut[i]) vectors[i + kHalf] = cut16<sizeof(ADJ_T)>(low[i], high[i], static_cast<int>(reinterpret_cast<u64>(at[i]) & 15));
            else vectors[i + kHalf] = (k + i) * rows < near ? load_some(at[i], valid, fill) : none_there;
          }
        }
      }
#pragma unroll
      for (int j = 0; j < V; ++j) {
        A y[kReduceTogether];
#pragma unroll
        for (int k = 0; k < kReduceTogether; ++k) {
          A x[V];
          widen_vector<ADJ_T>(vectors[k], x);
          y[k] = x[j];
        }
        prepare<Reducer>(y, p.square, p.negate);
        reducers[j].take(y);
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
        else store_result(p, to + e, Reducer::value(total), count);
      }
      have = left;
    } while (have > 1);
    block_barrier();
  }
}
