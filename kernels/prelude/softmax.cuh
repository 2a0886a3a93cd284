// The softmax gradients, and rows cut into 16-byte units that are read and written whatever their alignment.
//
// Unit u of a row holds its elements [u * kUnit, u * kUnit + kUnit) and belongs to lane u modulo the lanes, wherever the row
// begins in memory: sums depend on the contents alone.
#pragma once

#include "prelude/exp.cuh"
#include "prelude/memory.cuh"
#include "prelude/thread.cuh"

// ---- arithmetic

// What a group sums up: dout * out for softmax, dout for log-softmax.
template <bool log, class A> __device__ __forceinline__ A add_term(A sum, A dout, A out) {
  return log ? sum + dout : fused_multiply_add(dout, out, sum);
}
template <bool log, class A> __device__ __forceinline__ A softmax_gradient(A dout, A out, A sum) {
  return log ? fused_multiply_add(-fast_exp(out), sum, dout) : out * (dout - sum);
}
template <bool log, class T> __device__ __forceinline__ Acc<T> add_unit(Acc<T> sum, Words4 dout, Words4 out) {
  Acc<T> d[kVec16<T>], y[kVec16<T>];
  widen<T>(dout, d);
  widen<T>(out, y);
#pragma unroll
  for (int j = 0; j < kVec16<T>; ++j) sum = add_term<log>(sum, d[j], y[j]);
  return sum;
}
template <bool log, class T> __device__ __forceinline__ Words4 gradient_unit(Words4 dout, Words4 out, Acc<T> sum) {
  Acc<T> d[kVec16<T>], y[kVec16<T>];
  widen<T>(dout, d);
  widen<T>(out, y);
#pragma unroll
  for (int j = 0; j < kVec16<T>; ++j) d[j] = softmax_gradient<log>(d[j], y[j], sum);
  return narrow<T>(d);
}

// ---- units

// Leaves the words as they are and hides that from the compiler: what it has unpacked from them is unpacked again rather
// than kept, which for 16-bit elements would take twice the registers.
__device__ __forceinline__ void forget_unpacked(Words4& w) {
#if !defined(ADJ_SIMT)
  asm volatile("" : "+r"(w.x), "+r"(w.y), "+r"(w.z), "+r"(w.w));
#else
  static_cast<void>(w);
#endif
}

// `count` elements (of at most a unit) one by one, zeros behind them.
template <class T> __device__ __forceinline__ Words4 read_elements(const T* p, int count) {
  Vec<T, kVec16<T>> v{};
#pragma unroll
  for (int j = 0; j < kVec16<T>; ++j)
    if (j < count) v.at[j] = p[j];
  return pack<T>(v);
}
// Elements [first, end) of a unit that begins at p.
template <class T> __device__ __forceinline__ void write_elements(T* p, Words4 words, int first, int end) {
  const Vec<T, kVec16<T>> v = unpack<T>(words);
#pragma unroll
  for (int j = 0; j < kVec16<T>; ++j)
    if (j >= first && j < end) p[j] = v.at[j];
}

// Units lane, lane + lanes, ... of a row of `count` elements; zeros beyond its end. `whole` promises a row of whole units on
// a 16-byte boundary. Nothing outside the row is read.
template <bool whole, class T, int N>
__device__ __forceinline__ void read_units(Words4 (&v)[N], const T* row, int count, int lane, int lanes) {
  constexpr int kUnit = kVec16<T>;
  if (whole) {
#pragma unroll
    for (int k = 0; k < N; ++k) {
      v[k] = {};
      if ((lane + k * lanes) * kUnit < count) v[k] = load_words(reinterpret_cast<const Words4*>(row) + (lane + k * lanes));
    }
    return;
  }
  // A unit that straddles two aligned pieces is put together from both, if they lie inside the row: units [first, last).
  const int offset = static_cast<int>(reinterpret_cast<u64>(row) & 15);
  const Words4* base = reinterpret_cast<const Words4*>(reinterpret_cast<const char*>(row) - offset);
  const int first = offset ? 1 : 0;
  const int last = offset ? (count + offset / static_cast<int>(sizeof(T))) / kUnit - 1 : count / kUnit;
#pragma unroll
  for (int k = 0; k < N; ++k) {
    const int u = lane + k * lanes;
    v[k] = {};
    if (u >= first && u < last) {
      v[k] = load_words(base + u);
      if (offset) v[k] = extract16(v[k], load_words(base + (u + 1)), offset);
    }
  }
#pragma unroll 1
  for (int k = 0; k < N; ++k) {
    const int u = lane + k * lanes;
    if (u * kUnit >= count || (u >= first && u < last)) continue;
    const Words4 edge = read_elements(row + u * kUnit, count - u * kUnit);
#pragma unroll
    for (int i = 0; i < N; ++i)
      if (i == k) v[i] = edge;
  }
}

// The reverse; every lane of the warp takes part, a row of no elements being written nowhere. Lanes of `run` (a power of two
// up to a warp) neighbours hold neighbouring units: a piece of two units is stored by the lane of the second.
template <bool whole, class T, int N>
__device__ __forceinline__ void write_units(const Words4 (&v)[N], T* row, int count, int lane, int lanes, int run) {
  constexpr int kUnit = kVec16<T>;
  if (whole) {
#pragma unroll
    for (int k = 0; k < N; ++k)
      if ((lane + k * lanes) * kUnit < count) store_streaming(reinterpret_cast<Words4*>(row) + (lane + k * lanes), v[k]);
    return;
  }
  const int offset = static_cast<int>(reinterpret_cast<u64>(row) & 15);
  const int head = (16 - offset) / static_cast<int>(sizeof(T));  // elements of a unit in the piece where it begins
  Words4* base = reinterpret_cast<Words4*>(reinterpret_cast<char*>(row) - offset);
  auto is_piece = [&](int u) { return (offset == 0 || (u & (run - 1)) != 0) && u * kUnit + head <= count; };
#pragma unroll
  for (int k = 0; k < N; ++k) {
    const Words4 before{shuffle_up(v[k].x, 1), shuffle_up(v[k].y, 1), shuffle_up(v[k].z, 1), shuffle_up(v[k].w, 1)};
    const int u = lane + k * lanes;
    const int inside = min_of(count - u * kUnit, kUnit);
    if (inside <= 0) continue;
    const bool piece = is_piece(u);
    if (piece) store_streaming(base + u, offset ? extract16(before, v[k], 16 - offset) : v[k]);
    const int begin = piece ? head : 0;
    const int end = is_piece(u + 1) ? min_of(inside, head) : inside;
    if (begin < end) write_elements(row + u * kUnit, v[k], begin, end);
  }
}

// The gradient of a row that is not whole: read twice, the second time from a cache, with few registers. sum_up(sum) adds up
// over the lanes, barrier() is one of all lanes. `units` a lane, in the order of the whole rows.
template <bool log, class T, int units, int together, class SumUp, class Barrier>
__device__ __forceinline__ void gradient_of_any_row(const T* dout_row, const T* out_row, T* dinput_row, int count, int lane, int lanes, int run,
                                                    SumUp sum_up, Barrier barrier) {
  constexpr int kUnit = kVec16<T>;
  // Units that the lanes read at a time are a row of their own: pieces shared with the next ones are not read.
  auto part = [&](int k) { return min_of(count - k * lanes * kUnit, together * lanes * kUnit); };
  Words4 dout[together], out[together];
  auto read = [&](int k) {
    read_units<false>(dout, dout_row + k * lanes * kUnit, part(k), lane, lanes);
    read_units<false>(out, out_row + k * lanes * kUnit, part(k), lane, lanes);
  };
  Acc<T> sum = 0;
#pragma unroll 1
  for (int k = 0; k < units; k += together) {
    read(k);
#pragma unroll
    for (int i = 0; i < together; ++i) sum += add_unit<log, T>(Acc<T>(0), dout[i], out[i]);
  }
  sum = sum_up(sum);
#pragma unroll 1
  for (int k = 0; k < units; k += together) {
    read(k);
#pragma unroll
    for (int i = 0; i < together; ++i) dout[i] = gradient_unit<log, T>(dout[i], out[i], sum);
    // Units of other lanes are read in part: all of these units are read before dinput may overwrite them.
    barrier();
    write_units<false>(dout, dinput_row + k * lanes * kUnit, part(k), lane, lanes, run);
  }
}
