// Computes: partial sums of each channel, where channels are before the spatial dimensions. Forward: sums of x - s and of (x - s)^2, s the first
//     element of the channel. Backward: sums of dy and of dy * h, h the normalized x.
// Work split: block (split, channel) has a contiguous range of the vectors of the channel, a thread every such, its number of threads apart. A vector is 16
//     bytes of a segment of `inner` elements, cut out of two words where segments are not aligned.
// Memory: x is read once, in the backward direction dy too.
// Order of additions: depends on the shape alone; at most 128 terms are added one after the other in the type of the arithmetic.
// Limits: any alignment.
//
// Macros: ADJ_T element type, ADJ_BACKWARD, ADJ_GROUPED 1 for group norm.
#include "batch_norm/terms.cuh"
#include "prelude/mixed_units.cuh"

typedef Acc<ADJ_T> A;
constexpr int kN = kVec16<ADJ_T>;
typedef Terms<A, ADJ_BACKWARD> Sums;
typedef Sums::Partial Partial;
constexpr int kMostThreads = 256;
constexpr int kTogether = 4;  // vectors of either tensor in flight

extern "C" __global__ void __launch_bounds__(kMostThreads, sizeof(A) == 8 ? 2 : ADJ_BACKWARD ? 3 : 4) ADJ_ENTRY(const __grid_constant__ BatchNormParams p) {
  ADJ_SHARED(Partial, scratch, 2 * kHalfWarp);
  // Rows of group norm may be short, and so are blocks then.
  const int threads = ADJ_GROUPED ? block_threads() : kMostThreads;
  let_next_grid_begin();
  // The split is the outer grid index, so that the running blocks move through the tensor, and its end stays in the level-2 cache.
  const i64 all = p.outer * p.vectors, split = block_index_y(), own = ((all + threads - 1) / threads + p.splits - 1) / p.splits * threads;
  const i64 end = min_of(all, (split + 1) * own), start = split * own + thread_index();
  const i64 outer_start = start / p.vectors, vector_start = start - outer_start * p.vectors;
  const i64 outer_step = threads / p.vectors, vector_step = threads - outer_step * p.vectors;
  const bool words = p.inner % kN == 0 && aligned16(p.input) && (!ADJ_BACKWARD || aligned16(p.dout));
  for (i64 c = block_index(); c < p.channels; c += grid_blocks()) {
    Channel<A> channel{};
    if (ADJ_BACKWARD) channel.read(p, ADJ_GROUPED ? c / p.rows_of_mean : c);
    const ADJ_T* const input = static_cast<const ADJ_T*>(p.input) + c * p.inner;
    const ADJ_T* const dout = static_cast<const ADJ_T*>(p.dout) + c * p.inner;
    const i64 pitch = p.channels * p.inner;
    Sums terms;
    i64 count = 0, o = outer_start, u = vector_start, left = end - start;
    auto advance = [&] {
      o += outer_step;
      u += vector_step;
      if (u >= p.vectors) u -= p.vectors, ++o;
    };
    auto add = [&](const Words4& x_words, const Words4& dy_words, int inside) {
      A x[kN], dy[kN];
      widen<ADJ_T>(x_words, x);
      widen<ADJ_T>(dy_words, dy);
      if (!ADJ_BACKWARD && count == 0) terms.first = x[0];
#pragma unroll
      for (int j = 0; j < kN; ++j)
        if (j < inside) terms.add(x[j], ADJ_BACKWARD ? dy[j] : A(0), channel);
      count += inside;
    };
#pragma unroll 1
    for (; words && left > 0; left -= kTogether * threads) {
      Words4 x[kTogether], dy[kTogether];
#pragma unroll
      for (int k = 0; k < kTogether; ++k) {
        x[k] = dy[k] = {};
        if (k * threads < left) {
          const i64 at = o * pitch + u * kN;
          x[k] = load_words(reinterpret_cast<const Words4*>(input + at));
          if (ADJ_BACKWARD) dy[k] = load_words(reinterpret_cast<const Words4*>(dout + at));
        }
        advance();
      }
#pragma unroll
      for (int k = 0; k < kTogether; ++k) {
        if (k * threads >= left) break;
        add(x[k], dy[k], kN);
      }
    }
#pragma unroll 1
    for (; left > 0; left -= threads) {
      const int inside = static_cast<int>(min_of<i64>(p.inner - u * kN, kN));
      // Reads the vector as one of a row of up to three vectors, so that offsets fit in 32 bits.
      const int lead = u > 0 ? 1 : 0, reach = lead * kN + static_cast<int>(min_of<i64>(p.inner - u * kN, 2 * kN));
      const i64 at = o * pitch + (u - lead) * kN;
      Words4 x{}, dy{};
      x = read_row_vector<false>(input + at, reach, lead);
#if ADJ_BACKWARD
      dy = read_row_vector<false>(dout + at, reach, lead);
#endif
      add(x, dy, inside);
      advance();
    }
    Partial a, b;
    terms.get(a, b, count, ADJ_BACKWARD ? A(0) : to_acc(input[0]));
    sums_of_block(a, b, scratch);
    if (thread_index() == 0) {
      Partial* const partials = static_cast<Partial*>(p.partials) + split * p.channels + c;
      partials[0] = a;
      partials[p.splits * p.channels] = b;
    }
    block_barrier();
  }
}
