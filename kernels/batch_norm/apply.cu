// Computes: the result of each element (forward y, backward dx) from the coefficients of its channel, by result_of in batch_norm/terms.cuh.
// Work split: a thread takes vectors of kN neighbouring elements of the tensor, a grid apart.
// Memory: x is read (not in the backward direction with running statistics), dy is read in the backward direction, the result is written.
// Order of additions: none.
// Limits: any layout; vectors are read element by element where a tensor does not begin at a 16-byte boundary.
//
// Macros: ADJ_T element type, ADJ_BACKWARD, ADJ_GROUPED 1 for group norm.
#include "batch_norm/terms.cuh"

typedef Acc<ADJ_T> A;
constexpr int kN = kVec16<ADJ_T>;
constexpr int kBlock = 256;
constexpr int kTogether = 2;  // vectors in flight

extern "C" __global__ void __launch_bounds__(kBlock, sizeof(A) == 8 ? 3 : 4) ADJ_ENTRY(const __grid_constant__ BatchNormParams p) {
  wait_for_earlier_grids();
  const i64 elements = p.outer * p.channels * p.inner, step = global_threads() * grid_blocks_y() * kN;
  const bool words = aligned16(p.input) && aligned16(p.out) && (!ADJ_BACKWARD || aligned16(p.dout));
  const bool reads_input = !ADJ_BACKWARD || !p.frozen;
  const ADJ_T* const input = static_cast<const ADJ_T*>(p.input);
  const ADJ_T* const dout = static_cast<const ADJ_T*>(p.dout);
  // A vector begins at element s of its segment of `inner` elements, in channel c. s_step and c_step move both by a step. The grid has two
  // dimensions where this program stands in for apply_last.cu on unaligned tensors.
  const i64 begin = (block_index_y() * global_threads() + global_thread()) * kN, segment_step = step / p.inner, s_step = step - segment_step * p.inner,
            c_step = segment_step % p.channels;
  if (words && p.inner % kN == 0) {
    // A vector has one channel. Walks from the last vector to the first, since the sums have left the end of the tensors in the level-2 cache.
    i64 at = elements - kN - begin;
    if (at < 0) return;
    i64 s = at % p.inner, c = at / p.inner % p.channels;
#pragma unroll 1
    for (; at >= 0; at -= kTogether * step) {
      Words4 x_words[kTogether], dy_words[kTogether];
      A k[kTogether][4];
#pragma unroll
      for (int i = 0; i < kTogether; ++i) {
        x_words[i] = dy_words[i] = {};
        const i64 own = at - i * step;
        if (own >= 0) {
          if (reads_input) x_words[i] = load_words(reinterpret_cast<const Words4*>(input + own));
          if (ADJ_BACKWARD) dy_words[i] = load_words(reinterpret_cast<const Words4*>(dout + own));
          load_coefficients(k[i], p.coefficients, c);
        }
        s -= s_step;
        c -= c_step;
        if (s < 0) s += p.inner, --c;
        if (c < 0) c += p.channels;
      }
#pragma unroll
      for (int i = 0; i < kTogether; ++i) {
        const i64 own = at - i * step;
        if (own < 0) break;
        A x[kN], dy[kN];
        widen<ADJ_T>(x_words[i], x);
        widen<ADJ_T>(dy_words[i], dy);
#pragma unroll
        for (int j = 0; j < kN; ++j) x[j] = result_of<ADJ_BACKWARD, ADJ_GROUPED>(x[j], dy[j], k[i][0], k[i][1], k[i][2], k[i][3], p.frozen);
        store_words(reinterpret_cast<Words4*>(static_cast<ADJ_T*>(p.out) + own), narrow<ADJ_T>(x));
      }
    }
    return;
  }
  i64 s = begin % p.inner, c = begin / p.inner % p.channels;
#pragma unroll 1
  for (i64 at = begin; at < elements; at += step) {
    i64 own_c = c, own_s = s;
    A k[4];
    auto take = [&] { load_coefficients(k, p.coefficients, own_c); };
    auto advance = [&] {
      if (++own_s < p.inner) return;
      own_s = 0;
      if (++own_c == p.channels) own_c = 0;
      take();
    };
    take();
    if (words && at + kN <= elements) {
      A x[kN], dy[kN];
      Words4 x_words{}, dy_words{};
      if (reads_input) x_words = load_words(reinterpret_cast<const Words4*>(input + at));
      if (ADJ_BACKWARD) dy_words = load_words(reinterpret_cast<const Words4*>(dout + at));
      widen<ADJ_T>(x_words, x);
      widen<ADJ_T>(dy_words, dy);
#pragma unroll
      for (int j = 0; j < kN; ++j) {
        x[j] = result_of<ADJ_BACKWARD, ADJ_GROUPED>(x[j], dy[j], k[0], k[1], k[2], k[3], p.frozen);
        advance();
      }
      store_words(reinterpret_cast<Words4*>(static_cast<ADJ_T*>(p.out) + at), narrow<ADJ_T>(x));
    } else {
#pragma unroll 1
      for (i64 i = at; i < min_of<i64>(at + kN, elements); ++i) {
        const A x = reads_input ? to_acc(input[i]) : A(0), dy = ADJ_BACKWARD ? to_acc(dout[i]) : A(0);
        static_cast<ADJ_T*>(p.out)[i] = from_acc<ADJ_T>(result_of<ADJ_BACKWARD, ADJ_GROUPED>(x, dy, k[0], k[1], k[2], k[3], p.frozen));
        advance();
      }
    }
    s += s_step;
    c += c_step;
    if (s >= p.inner) s -= p.inner, ++c;
    if (c >= p.channels) c -= p.channels;
  }
}
