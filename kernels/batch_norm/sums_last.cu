// Computes: the partial sums of batch_norm/sums.cu where channels are last.
// Work split: block (split, tile) has p.lanes vectors of kN channels in some rows, p.splits blocks apart; a thread keeps its channels.
// Memory: x is read once, in the backward direction dy too.
// Order of additions: depends on the shape alone; at most 128 terms are added one after the other in the type of the arithmetic.
// Limits: any alignment.
//
// Macros: ADJ_T element type, ADJ_BACKWARD.
#include "batch_norm/terms.cuh"
#include "prelude/row_piece.cuh"

typedef Acc<ADJ_T> A;
constexpr int kN = kVec16<ADJ_T>;
typedef Terms<A, ADJ_BACKWARD> Sums;
typedef Sums::Partial Partial;
constexpr int kBlock = 256;
constexpr int kTogether = 4;  // rows in flight

extern "C" __global__ void __launch_bounds__(kBlock, 2) ADJ_ENTRY(const __grid_constant__ BatchNormParams p) {
  ADJ_SHARED(Partial, shared, kBlock * kN);
  let_next_grid_begin();
  const int lanes = p.lanes, lane = thread_index() & (lanes - 1), own = thread_index() >> lowest_bit(lanes);
  const int side_by_side = kBlock >> lowest_bit(lanes);
  const i64 split = block_index(), tile = block_index_y() * lanes * kN, column = tile + lane * kN;
  const int inside = static_cast<int>(max_of<i64>(min_of<i64>(p.channels - column, kN), 0));
  const bool words = p.channels % kN == 0 && aligned16(p.input) && (!ADJ_BACKWARD || aligned16(p.dout));
  const ADJ_T* const input = static_cast<const ADJ_T*>(p.input) + column;
  const ADJ_T* const dout = static_cast<const ADJ_T*>(p.dout) + column;
  Channel<A> channel[kN]{};
#if ADJ_BACKWARD
  ADJ_SHARED(Channel<A>, channels, kWarp * kN);
#pragma unroll 1
  for (int c = thread_index(); c < lanes * kN; c += kBlock)
    if (tile + c < p.channels) channels[c].read(p, tile + c);
  block_barrier();
#pragma unroll
  for (int j = 0; j < kN; ++j)
    if (j < inside) channel[j] = channels[lane * kN + j];
#endif
  Sums terms[kN];
  i64 count = 0;
  auto add = [&](const Words4& x_words, const Words4& dy_words) {
    A x[kN], dy[kN];
    widen<ADJ_T>(x_words, x);
    widen<ADJ_T>(dy_words, dy);
#if !ADJ_BACKWARD
    if (count == 0)
#pragma unroll
      for (int j = 0; j < kN; ++j) terms[j].first = x[j];
#endif
#pragma unroll
    for (int j = 0; j < kN; ++j) terms[j].add(x[j], ADJ_BACKWARD ? dy[j] : A(0), channel[j]);
    ++count;
  };
  const i64 step = p.splits * side_by_side;
  i64 row = inside > 0 ? split * side_by_side + own : p.outer;
#pragma unroll 1
  for (; words && row < p.outer; row += kTogether * step) {
    Words4 x[kTogether], dy[kTogether];
#pragma unroll
    for (int k = 0; k < kTogether; ++k) {
      x[k] = dy[k] = {};
      if (row + k * step >= p.outer) continue;
      x[k] = load_words(reinterpret_cast<const Words4*>(input + (row + k * step) * p.channels));
      if (ADJ_BACKWARD) dy[k] = load_words(reinterpret_cast<const Words4*>(dout + (row + k * step) * p.channels));
    }
    // Takes the vector at the front and moves the rest up, so that the code is there once.
#pragma unroll 1
    for (int k = 0; k < kTogether && row + k * step < p.outer; ++k) {
      add(x[0], dy[0]);
#pragma unroll
      for (int i = 0; i + 1 < kTogether; ++i) x[i] = x[i + 1], dy[i] = dy[i + 1];
    }
  }
#pragma unroll 1
  for (; row < p.outer; row += step)
    add(gather_elements(input + row * p.channels, inside), ADJ_BACKWARD ? gather_elements(dout + row * p.channels, inside) : Words4{});
  A shift[kN];
#pragma unroll
  for (int j = 0; j < kN; ++j) shift[j] = !ADJ_BACKWARD && j < inside ? to_acc(input[j]) : A(0);
  const int width = lanes * kN;
#pragma unroll 1
  for (int which = 0; which < 2; ++which) {
    block_barrier();
#pragma unroll
    for (int j = 0; j < kN; ++j) {
      Partial a, b;
      terms[j].get(a, b, count, shift[j]);
      shared[own * width + lane * kN + j] = which ? b : a;
    }
    block_barrier();
    for (int c = thread_index(); c < width; c += kBlock) {
      if (tile + c >= p.channels) continue;
      static_cast<Partial*>(p.partials)[(which * p.splits + split) * p.channels + tile + c] =
          sum_in_order<Partial>(side_by_side, [&](int i) { return shared[i * width + c]; });
    }
  }
}
