// Computes: layer norm and RMS norm as norm/forward_row.cu, of rows of any length.
// Work split: a block has a row.
// Memory: a row is read three times (RMS norm: twice), the second and third time from a cache unless it is very long.
// Order of additions: by the length of a row; sums of a unit in the type of the arithmetic, sums of units in f64.
//
// Macros: ADJ_A type of the arithmetic; element types are in the parameters.
#include "norm/any_type.cuh"

typedef ADJ_A A;
constexpr int kBlock = 512, kN = kAnyUnit<A>;

extern "C" __global__ void __launch_bounds__(kBlock) ADJ_ENTRY(const __grid_constant__ NormForwardParams p) {
  ADJ_SHARED(f64, scratch, kBlock / kWarp);
  const bool words = in_words<A>(p.input, p.columns) && in_words<A>(p.residual, p.columns) && in_words<A>(p.sum, p.columns);
  const bool out_words = in_words<A>(p.out, p.columns), weight_words = in_words<A>(p.gamma, p.columns) && in_words<A>(p.beta, p.columns);
  for (i64 row = block_index(); row < p.rows; row += grid_blocks()) {
    const i64 begin = row * p.columns;
    // Unit by unit of this thread; the stored sum is what it has written itself.
    auto for_units = [&](bool first, auto process) {
#pragma unroll 1
      for (i64 c = thread_index() * kN; c < p.columns; c += kBlock * kN) {
        const int count = static_cast<int>(min_of<i64>(p.columns - c, kN));
        A v[kN];
        load_any(v, first || !p.sum ? p.input : p.sum, begin + c, count, p.element_type, words);
        if (p.residual && (first || !p.sum)) {
          A more[kN];
          load_any(more, p.residual, begin + c, count, p.element_type, words);
#pragma unroll
          for (int j = 0; j < kN; ++j) v[j] += more[j];
          if (p.sum) {
            store_any(v, p.sum, begin + c, count, p.element_type, words);
            load_any(v, p.sum, begin + c, count, p.element_type, words);
          }
        }
        process(c, count, v);
      }
    };
    A shift = 0, mean = 0;
    bool first = true;
    if (p.centred) {
      A x[kN];
      load_any(x, p.input, begin, 1, p.element_type, false);
      shift = x[0];
      if (p.residual) {
        load_any(x, p.residual, begin, 1, p.element_type, false);
        shift += x[0];
        if (p.sum) {  // as it is stored, perhaps over the element just read
          if (p.element_type == kDtypeF16) shift = to_acc(from_acc<f16>(shift));
          if (p.element_type == kDtypeBf16) shift = to_acc(from_acc<bf16>(shift));
          block_barrier();
        }
      }
      f64 sum = 0;
      for_units(true, [&](i64, int count, const A (&v)[kN]) {
        A own = 0;
#pragma unroll
        for (int j = 0; j < kN; ++j) own += j < count ? v[j] - shift : A(0);
        sum += own;
      });
      first = false;
      mean = static_cast<A>(block_sum(sum, scratch) * p.inverse_columns);
      block_barrier();
    }
    f64 square = 0;
    for_units(first, [&](i64, int count, const A (&v)[kN]) {
      A own = 0;
#pragma unroll
      for (int j = 0; j < kN; ++j) {
        const A d = j < count ? v[j] - shift - mean : A(0);
        own = fused_multiply_add(d, d, own);
      }
      square += own;
    });
    square = block_sum(square, scratch);
    block_barrier();
    const A scale = A(1) / square_root(static_cast<A>(square * p.inverse_columns + p.epsilon));
    if (thread_index() == 0) {
      if (p.mean) static_cast<A*>(p.mean)[row] = shift + mean;
      if (p.inv_std) static_cast<A*>(p.inv_std)[row] = scale;
    }
    for_units(false, [&](i64 c, int count, A (&v)[kN]) {
      A g[kN], b[kN];
#pragma unroll
      for (int j = 0; j < kN; ++j) g[j] = 1, b[j] = 0;
      if (p.gamma) load_any(g, p.gamma, c, count, p.weight_type, weight_words);
      if (p.beta) load_any(b, p.beta, c, count, p.weight_type, weight_words);
#pragma unroll
      for (int j = 0; j < kN; ++j) v[j] = fused_multiply_add((v[j] - shift - mean) * scale, g[j], b[j]);
      store_any(v, p.out, begin + c, count, p.output_type, out_words);
    });
  }
}
