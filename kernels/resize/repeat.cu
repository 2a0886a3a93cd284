// Computes: a nearest resize to whole multiples of the extents, out[outer, i, j, x] = input[outer / times_0, i / times_1, j / times_2, x / column_times], or
//     its gradient: an element of dinput is the sum of the elements of dout that repeat it.
// Work split: a thread takes 16 bytes of the rows of the result that repeat kRows neighbouring rows of the input, and the elements of the input that these
//     repeat.
// Memory: reads the source once, writes the target once. Forward, the loads of kRows rows are in flight together; backward, the next ones, too.
// Order of additions: row by row, then pairs of columns, then pairs of these.
// Limits: rows of the result are whole vectors of 16 bytes; the plan checks. Unaligned tensors are read and written element by element.
//
// Macros: ADJ_T element type, forward the unsigned type of its size; ADJ_BACKWARD.
#include "prelude/divide.cuh"
#include "prelude/thread.cuh"
#include "resize/params.h"
#include "resize/parts.cuh"

typedef ADJ_T T;
constexpr int kVector = kVec16<T>, kRows = kResizeRepeatRows;

// Elements of the input that belong to a thread: `rows` pieces of rows, the first at element `at`, the next ones `pitch` elements apart.
struct Input {
  i64 at, pitch;
  int rows;
  bool aligned;
};

#if ADJ_BACKWARD
typedef Acc<T> A;

// Adds neighbouring columns, and stores the sums.
template <int column_times> __device__ __forceinline__ void store_sums(void* input, const Input& to, A (&x)[kRows][kVector]) {
#pragma unroll
  for (int k = 0; k < kRows; ++k) {
#pragma unroll
    for (int width = 1; width < column_times; width *= 2)
#pragma unroll
      for (int v = 0; v < kVector; v += 2 * width) x[k][v] += x[k][v + width];
    A own[kVector / column_times];
#pragma unroll
    for (int v = 0; v < kVector / column_times; ++v) own[v] = x[k][v * column_times];
    if (k < to.rows) store_part<T>(static_cast<T*>(input) + to.at + k * to.pitch, own, to.aligned);
  }
}
#else
// Loads elements of the rows, and repeats each of them.
template <int column_times> __device__ __forceinline__ void load_repeated(const void* input, const Input& from, Words4 (&words)[kRows]) {
  constexpr int kOwn = kVector / column_times;
  Packed<T, kOwn> own[kRows];
#pragma unroll
  for (int k = 0; k < kRows; ++k)
    if (k < from.rows) own[k] = load_part<T, kOwn>(static_cast<const T*>(input) + from.at + k * from.pitch, from.aligned);
#pragma unroll
  for (int k = 0; k < kRows; ++k) {
    const Vec<T, kOwn> some = unpack_vector<T, kOwn>(own[k]);
    Vec<T, kVector> all;
#pragma unroll
    for (int v = 0; v < kVector; ++v) all.at[v] = some.at[v / column_times];
    words[k] = pack<T>(all);
  }
}
#endif

extern "C" __global__ void __launch_bounds__(kResizeBlock, 4) ADJ_ENTRY(const __grid_constant__ ResizeRepeatParams p) {
  const bool aligned = aligned16(p.source) && aligned16(p.target);
  const i64 step[3] = {p.step[0], p.step[1], p.groups * kVector}, row_step = p.times[2] * step[2];  // elements of the result
  const int kept = kVector / p.column_times;  // elements of a row of the input
#pragma unroll 1
  for (i64 item = global_thread(); item < p.items; item += global_threads()) {
    const i64 rest = divide(item, p.by_groups), group = item - rest * p.groups;
    const i64 slab = divide(rest, p.by_strips), begin = (rest - slab * p.strips) * kRows;
    const i64 outer = divide(slab, p.by_middle), middle = slab - outer * p.middle;
    const int rows = static_cast<int>(min_of<i64>(kRows, p.rows - begin));
    const Input own{((slab * p.rows + begin) * p.groups + group) * kept, p.groups * kept, rows, aligned};
    i64 at = outer * p.times[0] * step[0] + middle * p.times[1] * step[1] + begin * row_step + group * kVector;
    int turn[3]{};
    // Goes to the next repetition of the rows in the result. False behind the last one.
    auto advance = [&] {
      bool more = false;
#pragma unroll
      for (int axis = 2; axis >= 0 && !more; --axis) {
        more = ++turn[axis] < p.times[axis];
        at += more ? step[axis] : (1 - p.times[axis]) * step[axis];
        if (!more) turn[axis] = 0;
      }
      return more;
    };
#if ADJ_BACKWARD
    Words4 next[kRows]{};
    auto load = [&] {
#pragma unroll
      for (int k = 0; k < kRows; ++k)
        if (k < rows) next[k] = load_vector<T>(p.source, at + k * row_step, kVector, aligned);
    };
    load();
    A sum[kRows][kVector]{};
#pragma unroll 1
    for (bool more = true; more;) {
      Words4 words[kRows];
#pragma unroll
      for (int k = 0; k < kRows; ++k) words[k] = next[k];
      more = advance();
      if (more) load();
#pragma unroll
      for (int k = 0; k < kRows; ++k) {
        A x[kVector];
        widen<T>(words[k], x);
#pragma unroll
        for (int v = 0; v < kVector; ++v) sum[k][v] += x[v];
      }
    }
    if (p.column_times == 1) store_sums<1>(p.target, own, sum);
    else if (p.column_times == 2) store_sums<2>(p.target, own, sum);
    else if constexpr (kVector >= 4) store_sums<4>(p.target, own, sum);
#else
    Words4 words[kRows];
    if (p.column_times == 1) load_repeated<1>(p.source, own, words);
    else if (p.column_times == 2) load_repeated<2>(p.source, own, words);
    else if constexpr (kVector >= 4) load_repeated<4>(p.source, own, words);
    do {
#pragma unroll
      for (int k = 0; k < kRows; ++k)
        if (k < rows) store_vector<T>(p.target, at + k * row_step, words[k], kVector, aligned);
    } while (advance());
#endif
  }
}
