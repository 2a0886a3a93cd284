// Softmax or log-softmax along short rows that do not begin at 16-byte boundaries. README.md defines the words.
//
// Computes: out from the row's largest value and the sum of exponentials relative to it.
// Work split: a warp takes p.rows neighbouring rows; p.group lanes hold a row in registers.
// Memory: the warp copies its rows into shared memory, where results replace them, and writes out from there; both tensors are passed once.
// Order of additions: a lane every p.group-th element in order, 16-bit elements of even and of odd columns apart, then a tree over the lanes; it depends on
//     the extent alone.
// Limits: rows of up to ADJ_HELD elements for each lane, which the plan checks; any alignment.
//
// Macros: ADJ_T element type, ADJ_LOG log-softmax, ADJ_HELD elements of a row that a lane holds.
#include "softmax/params.h"
#include "prelude/exp.cuh"
#include "prelude/online_words.cuh"
#include "prelude/row_vectors.cuh"

typedef ADJ_T T;
typedef Acc<T> A;

constexpr int kBlock = 128;
constexpr int kVector = kVec16<T>;
constexpr int kPair = sizeof(T) == 2 ? 2 : 1;  // elements that a lane reads at once: of 16 bits, two that share four aligned bytes
constexpr int kReads = ADJ_HELD / kPair;
constexpr int kResident = sizeof(T) == 8 ? 4 : ADJ_LOG ? (ADJ_HELD > 16 ? 5 : 8) : ADJ_HELD > 16 ? 8 : 10;  // blocks of a multiprocessor

// Loads the elements of a lane from its row, from `from` on every lanes-th pair of `pairs`; -infinity behind them. before: the first of them precedes the row.
// Returns the largest.
template <class E> __device__ __forceinline__ A load_elements(const E* from, int lanes, int pairs, bool before, A (&x)[kReads][kPair]) {
  if constexpr (kPair == 2) {
    const u32 nothing = Convert<E>::pair(-Limits<A>::infinity(), -Limits<A>::infinity());
    u32 pair[kReads], largest = nothing;
#pragma unroll
    for (int k = 0; k < kReads; ++k, from += lanes * kPair) {
      pair[k] = nothing;
      if (k * lanes < pairs) pair[k] = *reinterpret_cast<const u32*>(from);
    }
    if (before) pair[0] = (pair[0] & 0xffff0000u) | (nothing & 0xffffu);
#pragma unroll
    for (int k = 0; k < kReads; ++k) {
      largest = max_of_pairs(E{}, largest, pair[k]);
      x[k][0] = low_f32(E{}, pair[k]);
      x[k][1] = high_f32(E{}, pair[k]);
    }
    return max_number(low_f32(E{}, largest), high_f32(E{}, largest));
  } else {
    A top = -Limits<A>::infinity();
#pragma unroll
    for (int k = 0; k < kReads; ++k, from += lanes) {
      x[k][0] = -Limits<A>::infinity();
      if (k * lanes < pairs) x[k][0] = *from;
    }
#pragma unroll
    for (int k = 0; k < kReads; ++k) top = max_number(top, x[k][0]);
    return top;
  }
}
template <class E> __device__ __forceinline__ void store_elements(E* to, int lanes, int pairs, bool before, const A (&x)[kReads][kPair]) {
#pragma unroll
  for (int k = 0; k < kReads; ++k, to += lanes * kPair) {
    if constexpr (kPair == 1) {
      if (k * lanes < pairs) *to = x[k][0];
    } else if (k == 0 && before) {
      to[1] = from_acc<E>(x[k][1]);
    } else if (k * lanes < pairs) {
      *reinterpret_cast<u32*>(to) = Convert<E>::pair(x[k][0], x[k][1]);
    }
  }
}

extern "C" __global__ void __launch_bounds__(kBlock, kResident) ADJ_ENTRY(const __grid_constant__ SoftmaxForwardParams p) {
  ADJ_DYNAMIC_SHARED(memory);
  const int extent = static_cast<int>(p.extent), lanes = p.group;
  const int lane = lane_index() & (lanes - 1), own = lane_index() >> lowest_bit(lanes);
  u8* const own_memory = memory + warp_index() * softmax_stage_bytes(p.rows, p.extent, sizeof(T));
  const i64 first = (block_index() * block_warps() + warp_index()) * p.rows;
  if (first >= p.outer) return;
  const int rows = static_cast<int>(min_of<i64>(p.rows, p.outer - first)), count = rows * extent;
  const T* in = static_cast<const T*>(p.in) + first * extent;
  T* out = static_cast<T*>(p.out) + first * extent;
  // Elements lie as far from a 16-byte boundary in shared memory as in the tensor.
  T* const x = reinterpret_cast<T*>(own_memory) + skew_of(in);
  {
    const Window<kVector> w(in, count);
#pragma unroll 1
    for (int u = lane_index(); u < w.vectors; u += kWarp) copy16_to_shared(x + w.vector(u), reinterpret_cast<const Words4*>(in + w.vector(u)));
    if (lane_index() < w.edges) x[w.edge(lane_index())] = in[w.edge(lane_index())];
    if (skew_of(in) % kPair != 0 && lane_index() == 0) x[-1] = {};  // its pair is read
  }
  wait_copies_to_shared();
#pragma unroll 1
  for (int row = own; row - own < rows; row += kWarp >> lowest_bit(lanes)) {
    const int begin = skew_of(in) + row * extent, odd = begin & (kPair - 1);  // odd: the row begins with the second element of a pair
    const int all = row < rows ? (odd + extent) / kPair : 0;                  // pairs that end in the row
    const bool before = odd && lane == 0 && row < rows;
    T* const from = reinterpret_cast<T*>(own_memory) + begin - odd + lane * kPair;
    // One lane holds the row's last element where that begins a pair.
    const bool has_last = row < rows && (odd + extent) % kPair && lane == (all & (lanes - 1));
    T* const last_at = x + (row + 1) * extent - 1;
    warp_barrier();  // the results of the last turn are there
    A e[kReads][kPair], sum[kPair]{}, e_last = has_last ? to_acc(*last_at) : -Limits<A>::infinity();
    A top = max_number(max_number(load_elements(from, lanes, all - lane, before, e), e_last), Limits<A>::lowest());
#pragma unroll
    for (int mask = kWarp / 2; mask > 0; mask /= 2)
      if (mask < lanes) top = max_number(top, shuffle_xor(top, mask));
    auto raise = [&](A& element, A& to) {
      element -= top;
      const A power = called_exp(element);
      to += power;
      if (!ADJ_LOG) element = power;
    };
#pragma unroll
    for (int k = 0; k < kReads; ++k)
#pragma unroll
      for (int i = 0; i < kPair; ++i) raise(e[k][i], sum[i]);
    A total = sum[0];
    if constexpr (kPair == 2) {
      raise(e_last, sum[0]);
      // Where the row begins with a second element, first elements have odd columns; those of the next lane belong to this one.
      const A next = shuffle(sum[0], (lane_index() & -lanes) | ((lane + 1) & (lanes - 1)));
      total = odd ? sum[1] + next : sum[0] + sum[1];
    }
#pragma unroll
    for (int mask = kWarp / 2; mask > 0; mask /= 2)
      if (mask < lanes) total += shuffle_xor(total, mask);
    const A rest = ADJ_LOG ? exact_log(total) : A(1) / total;
    auto close = [&](A& element) { element = ADJ_LOG ? element - rest : element * rest; };
#pragma unroll
    for (int k = 0; k < kReads; ++k)
#pragma unroll
      for (int i = 0; i < kPair; ++i) close(e[k][i]);
    warp_barrier();  // pairs of two rows are read
    store_elements(from, opaque(lanes), opaque(all) - lane, before, e);
    if constexpr (kPair == 2) {
      close(e_last);
      if (has_last) *last_at = from_acc<T>(e_last);
    }
  }
  warp_barrier();
  const Window<kVector> w(out, count);
  const bool together = skew_of(out) == skew_of(in);
#pragma unroll 1
  for (int u = lane_index(); u < w.vectors; u += kWarp) {
    const T* const at = x + w.vector(u);
    store_words(reinterpret_cast<Words4*>(out + w.vector(u)), together ? *reinterpret_cast<const Words4*>(at) : read_elements(at, kVector));
  }
  if (lane_index() < w.edges) out[w.edge(lane_index())] = x[w.edge(lane_index())];
}
