// Computes: a linear resize with half-pixel coordinates to twice the rows and twice the columns:
//     row[i, 2j - 1] = (3 input[i, j - 1] + input[i, j]) / 4,  row[i, 2j] = (input[i, j - 1] + 3 input[i, j]) / 4
//     out[2i - 1, h] = (3 row[i - 1, h] + row[i, h]) / 4,      out[2i, h] = (row[i - 1, h] + 3 row[i, h]) / 4
//     An index outside the input counts as the nearest one inside.
// Work split: a thread takes 8 bytes of a row of the input, which give 16 bytes of a row of the result, in a strip of rows. With
//     ADJ_CHANNELS it takes 16 bytes of the channels of two neighbouring places j - 1 and j. It walks along the rows of the input.
// Memory: reads a row of the input once, but one row twice for each further strip; writes the result once. Without channels the two elements
//     beside the 8 bytes come from the neighbours in the warp. Two rows are in flight.
// Order of additions: two terms along the row, then the two rows.
// Limits: rows of the result, or the channels, are whole vectors of 16 bytes. The plan checks. Unaligned addresses are read element by element.
//
// Macros: ADJ_T element type, ADJ_CHANNELS 1 if a thread takes 16 bytes of channels.
#include "prelude/thread.cuh"
#include "resize/doubled.cuh"

typedef ADJ_T T;
typedef Acc<T> A;

constexpr int kVector = kVec16<T>;
constexpr int kOwn = ADJ_CHANNELS ? 2 * kVector : kVector;  // elements of a row of the result that a thread takes

// The elements of a row of the input that a thread needs.
struct Row {
#if ADJ_CHANNELS
  Words4 words[2];  // vectors of two places
#else
  Packed<T, kHalf<T> > words;
  T beside;         // first lane: element before `words`; last lane: element behind them
#endif
};

extern "C" __global__ void __launch_bounds__(kResizeBlock, kResidentDoubled<ADJ_CHANNELS != 0>) ADJ_ENTRY(const __grid_constant__ ResizeDoubledParams p) {
  const bool aligned = aligned16(p.source) && aligned16(p.target);
  const int rows = static_cast<int>(p.rows), strip_rows = static_cast<int>(p.strip);
#pragma unroll 1
  for (i64 first = global_thread() - lane_index(); first < p.items; first += global_threads()) {
    const Strip strip(p, first);
    const i64 lane = strip.lane, plane = strip.plane;
    // A strip makes rows 2i - 1 and 2i of the result for each of its i, which run from 0 to `rows`.
    const int begin = strip.begin, end = strip.valid ? begin + strip_rows : begin;
#if ADJ_CHANNELS
    const i64 place = divide(lane, p.by_inner), channel = lane - place * p.inner;
    const i64 row_step = p.columns * p.inner * kVector, plane_at = plane * rows * row_step + channel * kVector;
    const i64 at[2] = {plane_at + inside(place - 1, p.columns) * p.inner * kVector, plane_at + inside(place, p.columns) * p.inner * kVector};
#else
    const i64 row_step = p.lanes * kHalf<T>, at = plane * rows * row_step + lane * kHalf<T>;
    const bool has_left = lane > 0, has_right = lane + 1 < p.lanes;
    const int beside = lane_index() == 0 && has_left ? -1 : lane_index() == kWarp - 1 && has_right ? kHalf<T> : 0;
#endif
    auto load = [&](Row& to, int row) {
      const i64 row_at = inside(row, rows) * row_step;
#if ADJ_CHANNELS
#pragma unroll
      for (int k = 0; k < 2; ++k) to.words[k] = load_vector<T>(p.source, at[k] + row_at, kVector, aligned);
#else
      const T* const from = static_cast<const T*>(p.source) + at + row_at;
      to.words = load_part<T, kHalf<T> >(from, aligned);
      if (beside != 0) to.beside = from[beside];
#endif
    };
    // Interpolates a row of the input along the row; the result still lies between two rows of the result.
    auto stretch = [&](const Row& of, A(&x)[kOwn]) {
#if ADJ_CHANNELS
      A left[kVector], right[kVector];
      widen<T>(of.words[0], left);
      widen<T>(of.words[1], right);
#pragma unroll
      for (int v = 0; v < kVector; ++v) {
        x[v] = fused_multiply_add(kFar<A>, right[v], kNear<A> * left[v]);
        x[kVector + v] = fused_multiply_add(kNear<A>, right[v], kFar<A> * left[v]);
      }
#else
      A own[kHalf<T>];
      widen_part<T, kHalf<T> >(of.words, own);
      A left = shuffle_up(own[kHalf<T> - 1], 1), right = shuffle_down(own[0], 1);
      if (beside != 0) (beside < 0 ? left : right) = to_acc(of.beside);
      if (!has_left) left = own[0];
      if (!has_right) right = own[kHalf<T> - 1];
#pragma unroll
      for (int v = 0; v < kHalf<T>; ++v) {
        const A before = v == 0 ? left : own[v - 1], after = v == kHalf<T> - 1 ? right : own[v + 1];
        x[2 * v] = fused_multiply_add(kNear<A>, own[v], kFar<A> * before);
        x[2 * v + 1] = fused_multiply_add(kFar<A>, after, kNear<A> * own[v]);
      }
#endif
    };
#if ADJ_CHANNELS
    const i64 out_step = 2 * p.columns * p.inner * kVector;
    T* to = static_cast<T*>(p.target) + (plane * 2 * rows + 2 * begin - 1) * out_step + ((2 * place - 1) * p.inner + channel) * kVector;
#else
    const i64 out_step = p.lanes * kVector;
    T* to = static_cast<T*>(p.target) + (plane * 2 * rows + 2 * begin - 1) * out_step + lane * kVector;
#endif
    auto store = [&](T* row, const A(&x)[kOwn]) {
#if ADJ_CHANNELS
      A half[kVector];
#pragma unroll
      for (int k = 0; k < 2; ++k) {
#pragma unroll
        for (int v = 0; v < kVector; ++v) half[v] = x[k * kVector + v];
        if (k == 0 ? place > 0 : place < p.columns) store_part<T>(row + k * p.inner * kVector, half, aligned);
      }
#else
      store_part<T>(row, x, aligned);
#endif
    };
    Row low{}, high{};
    load(low, begin - 1);
    load(high, begin);
    A above[kOwn]{};
    // One row of the input a turn. Rows alternate between low and high, so that the next two are in flight.
    auto turn = [&](Row& row, int i) {
      A x[kOwn], out[kOwn];
      stretch(row, x);
      if (i + 2 < begin + strip_rows) load(row, i + 2);
      if (i >= begin && i < end && i <= rows) {
        if (i > 0) {
#pragma unroll
          for (int v = 0; v < kOwn; ++v) out[v] = fused_multiply_add(kFar<A>, x[v], kNear<A> * above[v]);
          store(to, out);
        }
        if (i < rows) {
#pragma unroll
          for (int v = 0; v < kOwn; ++v) out[v] = fused_multiply_add(kNear<A>, x[v], kFar<A> * above[v]);
          store(to + out_step, out);
        }
      }
#pragma unroll
      for (int v = 0; v < kOwn; ++v) above[v] = x[v];
      if (i >= begin) to += 2 * out_step;
    };
#pragma unroll 1
    for (int i = begin - 1; i < begin + strip_rows; i += 2) {
      turn(low, i);
      turn(high, i + 1);
    }
  }
}
