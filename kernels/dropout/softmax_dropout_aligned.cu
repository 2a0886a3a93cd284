// Computes: p = softmax(in + bias) along rows, softmax_out = p, out = kept ? p * scale : 0, and the mask.
// Work split: p.group threads share a row and take four 16-byte vectors a lane at a time. Vector u belongs to lane u modulo the group.
// Memory: rows are read once.
// Order of additions: follows from the column and the group alone, so a row does not depend on other rows, on its address or on the grid.
// Limits: rows are aligned and fit in registers; src/ops/dropout/softmax.cpp checks that. If rows share bytes of a bit mask
//   (p.shared_words), integer atomics set the bits in a cleared mask.
//
// Macros: ADJ_T element type, ADJ_ONNX_RUNTIME 0.
constexpr bool kAligned = true;
#include "dropout/softmax_dropout.cuh"

// A row in registers, with the operations of the rows below and so the same bits.
__device__ __forceinline__ void work_on_row(const BiasSoftmaxDropoutParams& p, const Dropout<A>& d, const RowGroup& g, A* scratch, i64 row, i64 bias_row,
                                            bool valid) {
  const i64 begin = row * p.columns, bias_begin = bias_row * p.columns;
  const int count = valid ? static_cast<int>(p.columns) : 0;
  // Vectors behind the end of the row count as scores of -infinity with a bias of 0.
  A none[kVector];
#pragma unroll
  for (int j = 0; j < kVector; ++j) none[j] = -Limits<A>::infinity();
  Words4 in[kVectors];
  A x[kVectors][kVector], top = Limits<A>::lowest(), sum = 0, lost = 0;
  auto inside = [&](int k) { return (g.lane + k * g.lanes) * kVector < count; };
  auto load = [&](const void* from, i64 first, int k) {
    return load_words(reinterpret_cast<const Words4*>(static_cast<const ADJ_T*>(from) + first) + g.lane + k * g.lanes);
  };
#pragma unroll
  for (int k = 0; k < kVectors; ++k) {
    in[k] = narrow<ADJ_T>(none);
    if (inside(k)) in[k] = load(p.in, begin, k);
  }
  if (p.bias) {
    Words4 bias[kVectors] = {};
#pragma unroll
    for (int k = 0; k < kVectors; ++k)
      if (inside(k)) bias[k] = load(p.bias, bias_begin, k);
#pragma unroll
    for (int k = 0; k < kVectors; ++k) {
      widen<ADJ_T>(in[k], x[k]);
      add_bias(bias[k], x[k]);
    }
  } else {
#pragma unroll
    for (int k = 0; k < kVectors; ++k) widen<ADJ_T>(in[k], x[k]);
  }
#pragma unroll
  for (int k = 0; k < kVectors; ++k)
#pragma unroll
    for (int j = 0; j < kVector; ++j) top = max_number(top, x[k][j]);
  top = over_group<true>(top, g, scratch);
#pragma unroll
  for (int k = 0; k < kVectors; ++k) add_compensated(sum, lost, exponentials(x[k], top));
  const A inverse = inverse_of(p, over_group<false>(compensated(sum, lost), g, scratch + kBlock / kWarp));
  g.barrier();  // `scratch` may be used again after this barrier
  // Two vectors at a time, so that the code for two serves four.
#pragma unroll 1
  for (int k = 0; k < kVectors; k += 2) {
    A v[2][kVector];
#pragma unroll
    for (int i = 0; i < 2; ++i)
#pragma unroll
      for (int j = 0; j < kVector; ++j) {
        v[i][j] = x[i][j] * inverse;
        x[i][j] = x[i + 2][j];
      }
    finish_vectors(p, d, g, v, row, begin, count, g.lane + k * g.lanes);
  }
}

extern "C" __global__ void __launch_bounds__(kBlock, sizeof(ADJ_T) < 8 && (ADJ_BOUNDS_ARCH == 90 || ADJ_BOUNDS_ARCH >= 120) ? 2 : 1)
    ADJ_ENTRY(const __grid_constant__ BiasSoftmaxDropoutParams p) {
  work_on_rows(p);
}
