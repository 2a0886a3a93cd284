// Computes     one number of each column of [outer][rows to reduce][inner], or partial results of it.
// Work split   a block has a tile of `lanes` units of 16 bytes of columns and the rows of a split; its threads are lanes side by side times
//              rows. Eight rows of a thread in flight.
// Memory       reads each element once. Where rows do not begin at multiples of 16 bytes, units are cut out of two words each (the other half
//              comes from the cache), the first and last ones of a row read element by element.
// Order        row r of an item belongs to the thread row r mod (threads / lanes); then a tree over thread rows: by the plan alone, whatever the
//              addresses are.
//
// Macros: ADJ_T element type, ADJ_REDUCER template of terms.cuh.
#include "prelude/types.cuh"
#include "reduce/params.h"
#include "reduce/terms.cuh"
#include "prelude/cut.cuh"

typedef Wide<ADJ_T>::type A;
typedef ADJ_REDUCER<A> Reducer;
constexpr int V = kVec16<ADJ_T>;
constexpr int kHalf = kReduceTogether / 2;
// Blocks of a multiprocessor: as many as leave the registers that no variant spills.
constexpr int kResident = sizeof(A) == 8 || sizeof(Reducer::Total) > sizeof(A) || (ADJ_ARCH != 90 && V > 4) ? 2 : 3;

extern "C" __global__ void __launch_bounds__(kReduceThreads, kResident) ADJ_ENTRY(const __grid_constant__ ReduceParams p) {
  let_next_grid_begin();
  wait_for_earlier_grids();
  ADJ_SHARED(Reducer::Total, scratch, V* kReduceThreads);
  const int across = thread_index() & (p.lanes - 1), down = thread_index() / p.lanes, rows = block_threads() / p.lanes;
  const ADJ_T fill = filling<ADJ_T>(Reducer::identity(), p.negate);
  const Words4 none_there = filled(fill);
#pragma unroll 1
  for (i64 item = block_index(); item < p.items; item += grid_blocks()) {
    const i64 joint = divided(item, p.splits), split = item - joint * p.splits;
    const i64 output = divided(joint, p.tiles), tile = joint - output * p.tiles;
    const i64 column = (tile * p.lanes + across) * V;
    const int valid = static_cast<int>(max_of<i64>(min_of<i64>(p.inner - column, V), 0));
    const ADJ_T* from = static_cast<const ADJ_T*>(p.in) + offset_of(p.kept, output) + column;
    const i64 begin = split * p.of_split + down, end = min_of(p.outer, (split + 1) * p.of_split);
    // Every row begins at a multiple of 16 bytes, and rows are equally far apart.
    const bool regular = valid == V && p.inner % V == 0 && aligned16(p.in) && p.reduced.count <= 1;
    const bool between = column >= V && column + 2 * V <= p.inner;  // the words that hold a unit lie inside of the row
    const i64 pitch = p.reduced.stride[0] * rows;
    const ADJ_T* at = from + begin * p.reduced.stride[0];
    Reducer reducers[V];
    i64 first = begin;
#pragma unroll 1
    for (; regular && first < end; first += kReduceTogether * rows) {
      const int near = static_cast<int>(min_of<i64>(end - first, kReduceTogether * rows));
      Words4 units[kReduceTogether];
#pragma unroll
      for (int k = 0; k < kReduceTogether; ++k) {
        units[k] = none_there;
        if (k * rows < near) units[k] = load_words(reinterpret_cast<const Words4*>(at));
        at += pitch;
      }
      // Half of them at a time, since registers hold no more numbers; the code is there once.
#pragma unroll 1
      for (int half = 0; half < 2; ++half) {
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
#pragma unroll 1
    for (; first < end && valid > 0; first += rows) {
      A x[V];
      const ADJ_T* const own = from + offset_of(p.reduced, first);
      Words4 unit;
      if (between) {
        const int skew = static_cast<int>(reinterpret_cast<u64>(own) & 15);
        const Words4* const low = reinterpret_cast<const Words4*>(reinterpret_cast<const char*>(own) - skew);
        unit = cut16<sizeof(ADJ_T)>(load_words(low), load_words(low + 1), skew);
      } else {
        unit = load_some(own, valid, fill);
      }
      widen_unit<ADJ_T>(unit, x);
      prepare<Reducer>(x, p.square, p.negate);
#pragma unroll
      for (int j = 0; j < V; ++j) {
        A y[1] = {x[j]};
        reducers[j].take(y);
      }
    }
#pragma unroll
    for (int j = 0; j < V; ++j) scratch[j * kReduceThreads + thread_index()] = reducers[j].total();
#pragma unroll 1
    for (int left = rows / 2; left > 0; left /= 2) {
      block_barrier();
      if (down < left)
#pragma unroll 1
        for (int at = thread_index(); at < V * kReduceThreads; at += kReduceThreads)
          scratch[at] = Reducer::combine(scratch[at], scratch[at + left * p.lanes]);
    }
    if (down == 0) {
      const i64 to = (output * p.splits + split) * p.inner + column;
#pragma unroll 1
      for (int j = 0; j < valid; ++j) store_result(p, to + j, Reducer::value(scratch[j * kReduceThreads + thread_index()]));
    }
    block_barrier();
  }
}
