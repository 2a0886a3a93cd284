// The product of two matrices by a warp: out[16][8] = in[16][16] * (in + 256)[16][8].
//
// Macros: ADJ_FAULT 0 none, 1 half of the warp leaves out the product, 2 half of the warp multiplies another type, 3 matrices are loaded
// before the other lanes have written them, 4 a row begins inside a unit of 16 bytes.
#include "faults/params.h"
#include "prelude/matrix.cuh"

extern "C" __global__ void __launch_bounds__(32) ADJ_ENTRY(const __grid_constant__ FaultParams p) {
  ADJ_SHARED(Words4, left, 33);
  ADJ_SHARED(Words4, right, 16);
  const int lane = lane_index();
  const auto half = [&](int i) { return Convert<f16>::from(p.in[i]); };
  for (int i = lane; i < 256; i += kWarp) reinterpret_cast<f16*>(left)[i] = half(i);
  for (int i = lane; i < 128; i += kWarp) reinterpret_cast<f16*>(right)[i] = half(256 + i);
  if (ADJ_FAULT != 3) block_barrier();
  u32 a[4], b[4];
  const Words4* const row = left + (lane % 16 * 2 + lane / 16);
  load_matrices(a, ADJ_FAULT == 4 ? reinterpret_cast<const Words4*>(reinterpret_cast<const u32*>(row) + 1) : row);
  load_transposed_matrices(b, right + lane % 16);
  f32 c[4] = {0, 0, 0, 0};
  const bool other = lane >= 16;
  if (ADJ_FAULT == 2 && other) multiply_add_matrices<bf16>(c, a, b[0], b[1]);
  else if (ADJ_FAULT != 1 || !other) multiply_add_matrices<f16>(c, a, b[0], b[1]);
  for (int i = 0; i < 4; ++i) p.out[(lane / 4 + i / 2 * 8) * 8 + lane % 4 * 2 + i % 2] = c[i];
}
