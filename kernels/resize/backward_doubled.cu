// Computes: the gradient of a linear resize with half-pixel coordinates whose result has twice the rows and twice the columns:
//     row[h, j] = (dout[h, 2j - 1] + 3 dout[h, 2j] + 3 dout[h, 2j + 1] + dout[h, 2j + 2]) / 4
//     dinput[i, j] = (row[2i - 1, j] + 3 row[2i, j] + 3 row[2i + 1, j] + row[2i + 2, j]) / 4
//     An index outside dout counts as the nearest one inside. That gives the first and the last element their weight of 1.
// Work split: a thread takes 8 bytes of a row of dinput, or 16 bytes of the channels of a place (ADJ_CHANNELS), in a strip of rows. It walks
//     along the rows of dout; each of them adds to two rows of dinput.
// Memory: reads a row of dout once, but two rows twice for each further strip; writes dinput once. Without channels a thread reads 16 bytes of a row
//     and gets the two elements beside them from its neighbours in the warp. Two rows are in flight.
// Order of additions: along a row from the left, then row by row from the top.
// Limits: rows of dout, or the channels, are whole vectors of 16 bytes. The plan checks. Unaligned addresses are read element by element.
//
// Macros: ADJ_T element type, ADJ_CHANNELS 1 if a thread takes 16 bytes of channels.
#include "prelude/thread.cuh"
#include "resize/doubled.cuh"

typedef ADJ_T T;
typedef Acc<T> A;

constexpr int kVector = kVec16<T>;
constexpr int kOwn = ADJ_CHANNELS ? kVector : kHalf<T>;  // elements of dinput that a thread takes

// The elements of a row of dout that a thread needs.
struct Row {
#if ADJ_CHANNELS
  Words4 words[4];  // vectors of four places
#else
  Words4 words;
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
    const int begin = strip.begin, end = strip.valid ? min_of(begin + strip_rows, rows) : begin;
#if ADJ_CHANNELS
    const i64 place = divide(lane, p.by_inner), channel = lane - place * p.inner;
    const i64 row_vectors = 2 * p.columns * p.inner;
    i64 at[4];
#pragma unroll
    for (int k = 0; k < 4; ++k) at[k] = (plane * 2 * rows * row_vectors + inside(2 * place - 1 + k, 2 * p.columns) * p.inner + channel) * kVector;
    const i64 row_step = row_vectors * kVector;
#else
    const i64 row_step = p.lanes * kVector, at = plane * 2 * rows * row_step + lane * kVector;
    const bool has_left = lane > 0, has_right = lane + 1 < p.lanes;
    const int beside = lane_index() == 0 && has_left ? -1 : lane_index() == kWarp - 1 && has_right ? kVector : 0;
#endif
    auto load = [&](Row& to, int row) {
      const i64 row_at = inside(row, 2 * rows) * row_step;
#if ADJ_CHANNELS
#pragma unroll
      for (int k = 0; k < 4; ++k) to.words[k] = load_vector<T>(p.source, at[k] + row_at, kVector, aligned);
#else
      to.words = load_vector<T>(p.source, at + row_at, kVector, aligned);
      if (beside != 0) to.beside = static_cast<const T*>(p.source)[at + row_at + beside];
#endif
    };
    auto sum = [&](const Row& of, A(&x)[kOwn]) {
#if ADJ_CHANNELS
#pragma unroll
      for (int k = 0; k < 4; ++k) {
        A piece[kVector];
        widen<T>(of.words[k], piece);
#pragma unroll
        for (int v = 0; v < kVector; ++v) x[v] = k == 0 ? kFar<A> * piece[v] : fused_multiply_add(k == 3 ? kFar<A> : kNear<A>, piece[v], x[v]);
      }
#else
      A own[kVector];
      widen<T>(of.words, own);
      A left = shuffle_up(own[kVector - 1], 1), right = shuffle_down(own[0], 1);
      if (beside != 0) (beside < 0 ? left : right) = to_acc(of.beside);
      if (!has_left) left = own[0];
      if (!has_right) right = own[kVector - 1];
#pragma unroll
      for (int v = 0; v < kOwn; ++v) {
        const A before = v == 0 ? left : own[2 * v - 1], after = v == kOwn - 1 ? right : own[2 * v + 2];
        x[v] = fused_multiply_add(kFar<A>, after, fused_multiply_add(kNear<A>, own[2 * v + 1], fused_multiply_add(kNear<A>, own[2 * v], kFar<A> * before)));
      }
#endif
    };
    T* to = static_cast<T*>(p.target) + ((plane * rows + begin) * p.lanes + lane) * kOwn;
    Row odd{}, even{};
    load(odd, 2 * begin - 1);
    load(even, 2 * begin);
    // Sum of the two rows before `odd`, as taps of row i. For the row before the strip it is incomplete; that row is not stored.
    A before[kOwn]{};
#pragma unroll 1
    for (int i = begin - 1; i < begin + strip_rows; ++i) {
      A x[kOwn], out[kOwn];
      sum(odd, x);
      if (i + 1 < begin + strip_rows) load(odd, 2 * i + 3);
#pragma unroll
      for (int v = 0; v < kOwn; ++v) {
        out[v] = fused_multiply_add(kNear<A>, x[v], before[v]);
        before[v] = kFar<A> * x[v];
      }
      sum(even, x);
      if (i + 1 < begin + strip_rows) load(even, 2 * i + 4);
#pragma unroll
      for (int v = 0; v < kOwn; ++v) {
        out[v] = fused_multiply_add(kFar<A>, x[v], out[v]);
        before[v] = fused_multiply_add(kNear<A>, x[v], before[v]);
      }
      if (i < begin) continue;
      if (i < end) store_part<T>(to, out, aligned);
      to += p.lanes * kOwn;
    }
  }
}
