// Computes: partial sums of each channel, channels before the spatial dimensions. Forward: of x - s and of its squares, s the channel's first
//     element; backward: of dy and of dy * h.
// Work split: block (slot, channel) has units slot * kBlock, ... of the channel, as far apart as there are slots times kBlock. A unit is 16
//     bytes of a segment of `inner` elements, cut out of two words where the segment begins anywhere.
// Memory: x (backward: and dy) is read once.
// Order of additions: by the shape alone; at most 128 terms one after the other in the type of the arithmetic.
//
// Macros: ADJ_T element type, ADJ_BACKWARD.
#include "batch_norm/terms.cuh"
#include "norm/units.cuh"

constexpr int kBlock = 256;

extern "C" __global__ void __launch_bounds__(kBlock) ADJ_ENTRY(const __grid_constant__ BatchNormParams p) {
  ADJ_SHARED(Partial, scratch, 2 * kBlock / kWarp);
  let_next_grid_begin();
  const i64 slot = block_index_y(), step = p.slots * kBlock;
  const i64 outer_step = step / p.units, unit_step = step - outer_step * p.units;
  const i64 start = slot * kBlock + thread_index(), outer_start = start / p.units, unit_start = start - outer_start * p.units;
  for (i64 c = block_index(); c < p.channels; c += grid_blocks()) {
    Channel channel{};
    if (ADJ_BACKWARD) channel.read(p, c);
    const ADJ_T* const input = static_cast<const ADJ_T*>(p.input) + c * p.inner;
    const ADJ_T* const dout = static_cast<const ADJ_T*>(p.dout) + c * p.inner;
    const i64 pitch = p.channels * p.inner;
    Terms terms;
    i64 count = 0;
#pragma unroll 1
    for (i64 o = outer_start, u = unit_start; o < p.outer;) {
      const int inside = static_cast<int>(min_of<i64>(p.inner - u * kN, kN));
      // The unit in a row of up to three, so that offsets fit in 32 bits.
      const int lead = u > 0 ? 1 : 0, reach = lead * kN + static_cast<int>(min_of<i64>(p.inner - u * kN, 2 * kN));
      const i64 at = o * pitch + (u - lead) * kN;
      A x[kN], dy[kN];
      widen<ADJ_T>(read_piece(input + at, reach, lead), x);
#if ADJ_BACKWARD
      widen<ADJ_T>(read_piece(dout + at, reach, lead), dy);
#else
      if (count == 0) terms.first = x[0];
#endif
#pragma unroll
      for (int j = 0; j < kN; ++j)
        if (j < inside) terms.add(x[j], ADJ_BACKWARD ? dy[j] : A(0), channel);
      count += inside;
      o += outer_step;
      u += unit_step;
      if (u >= p.units) u -= p.units, ++o;
    }
    Partial a, b;
    terms.get(a, b, count, ADJ_BACKWARD ? A(0) : to_acc(input[0]));
    sum_of_lanes(a, b, kWarp);
    sum_of_block(a, b, scratch);
    if (thread_index() == 0) {
      Partial* const partials = static_cast<Partial*>(p.partials) + slot * p.channels + c;
      partials[0] = a;
      partials[p.slots * p.channels] = b;
    }
    block_barrier();
  }
}
