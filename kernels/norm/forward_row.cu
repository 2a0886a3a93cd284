// Computes: layer norm and RMS norm of v = x + residual, or of v = x; v is rounded to the type of x if the sum is stored.
//     y = (v - mean) * inv_std * gamma + beta
// Work split: p.lanes threads share a row; each group of lanes takes one row. Blocks are short: a multiprocessor that is faster takes more of them.
// Memory: reads x and residual once, writes y and the sum once; gamma and beta of most rows come from a cache.
// Order of additions: depends on the length of a row and its types alone. The mean is summed over v minus the row's first element, the squares over v
//     minus the mean, so a mean far from zero costs no digits.
// Limits: a row has at most kUnits units for each thread of a block; the plan checks. ADJ_ANY takes rows that begin anywhere.
//
// Macros: ADJ_T, ADJ_V types of input and out; ADJ_ANY 1 if rows are not whole aligned units.
#include "norm/units.cuh"

typedef Acc<ADJ_T> A;

constexpr int kBlock = 256;  // threads of a block, at most
// Blocks of a multiprocessor: as many as spill no registers.
constexpr int kResident = sizeof(A) == 8 || (ADJ_ANY && sizeof(ADJ_T) == 4) ? 2 : ADJ_ANY || sizeof(ADJ_T) < sizeof(ADJ_V) || ADJ_ARCH > 90 ? 3 : 4;
constexpr int kN = 16 / kNarrowest<ADJ_T, ADJ_V>;
// Most units of a row that a thread takes. A thread should take many: its fixed work for a row costs as much as eight elements.
constexpr int kUnits = 128 / (kN * static_cast<int>(sizeof(A)));

// Returns the sum over the threads that share a row.
__device__ __forceinline__ A sum_of_row(A v, int lanes, A* scratch) {
  warp_barrier();  // lanes read words that other lanes store to after this, if in place
  return lanes > kWarp ? block_sum(v, scratch) : sum_of_lanes(v, lanes);
}

extern "C" __global__ void __launch_bounds__(kBlock, kResident) ADJ_ENTRY(const __grid_constant__ NormForwardParams p) {
  constexpr int kMostWarps = kBlock / kWarp;
  typedef A Parts[kMostWarps];
  ADJ_SHARED(Parts, parts, 2);
  const int columns = static_cast<int>(p.columns), units = (columns + kN - 1) / kN, lanes = p.lanes;
  const bool alone = lanes > kWarp;
  const int lane = alone ? thread_index() : thread_index() & (lanes - 1);
  const int group = alone ? 0 : thread_index() >> lowest_bit(lanes), groups = alone ? 1 : block_threads() >> lowest_bit(lanes);
  const i64 row = block_index() * groups + group, begin = row * columns;
  const bool live = row < p.rows;
  // Returns unit k of this thread; zeros where there is none.
  auto load = [&](const void* tensor, int k) {
    Unit<ADJ_T, kN> unit{};
    const int u = lane + k * lanes;
    if (!live || u >= units) return unit;
#if ADJ_ANY
    read_unit(unit, static_cast<const ADJ_T*>(tensor) + begin, columns, u);
#else
    unit.load(static_cast<const ADJ_T*>(tensor) + begin + u * kN);
#endif
    return unit;
  };
  A v[kUnits][kN];
  Unit<ADJ_T, kN> input[kUnits];
#pragma unroll
  for (int k = 0; k < kUnits; ++k) input[k] = load(p.input, k);
  A shift = live ? to_acc(static_cast<const ADJ_T*>(p.input)[begin]) : A(0);
  if (p.residual) {
    Unit<ADJ_T, kN> added[kUnits];
#pragma unroll
    for (int k = 0; k < kUnits; ++k) added[k] = load(p.residual, k);
#pragma unroll
    for (int k = 0; k < kUnits; ++k) {
      A more[kN];
      input[k].get(v[k]);
      added[k].get(more);
#pragma unroll
      for (int j = 0; j < kN; ++j) v[k][j] += more[j];
    }
    if (live) shift += to_acc(static_cast<const ADJ_T*>(p.residual)[begin]);
    if (p.sum) {
      shift = to_acc(from_acc<ADJ_T>(shift));
      // All threads of the row have to read before one stores: the row's first element, and without whole units, words that they share.
      if (alone) block_barrier();
      else warp_barrier();
#pragma unroll
      for (int k = 0; k < kUnits; ++k) {
        const int u = lane + k * lanes;
        if (!live || u >= units) break;
        input[k].set(v[k]);
        input[k].get(v[k]);
#if ADJ_ANY
        write_unit(v[k], static_cast<ADJ_T*>(p.sum) + begin, columns, u);
#else
        input[k].store(static_cast<ADJ_T*>(p.sum) + begin + u * kN);
#endif
      }
    }
  } else {
#pragma unroll
    for (int k = 0; k < kUnits; ++k) input[k].get(v[k]);
  }
  auto inside = [&](int k, int j) { return ADJ_ANY ? (lane + k * lanes) * kN + j < columns : lane + k * lanes < units; };
  // Elements beyond the row are 0 and have to stay so: nothing is subtracted from them.
  auto subtract = [&](A what) {
#pragma unroll
    for (int k = 0; k < kUnits; ++k)
#pragma unroll
      for (int j = 0; j < kN; ++j)
        if (inside(k, j)) v[k][j] -= what;
  };
  A mean = 0;
  if (p.centred) {
    A sum = 0;
    subtract(shift);
#pragma unroll
    for (int k = 0; k < kUnits; ++k)
#pragma unroll
      for (int j = 0; j < kN; ++j) sum += v[k][j];
    mean = sum_of_row(sum, lanes, parts[0]) * static_cast<A>(p.inverse_columns);
    subtract(mean);
  }
  A square = 0;
#pragma unroll
  for (int k = 0; k < kUnits; ++k)
#pragma unroll
    for (int j = 0; j < kN; ++j) square = fused_multiply_add(v[k][j], v[k][j], square);
  square = sum_of_row(square, lanes, parts[1]);
  const A scale = A(1) / square_root(fused_multiply_add(square, static_cast<A>(p.inverse_columns), static_cast<A>(p.epsilon)));
  if (!live) return;
  if (lane == 0) {
    if (p.mean) static_cast<A*>(p.mean)[row] = shift + mean;
    if (p.inv_std) static_cast<A*>(p.inv_std)[row] = scale;
  }
#pragma unroll
  for (int k = 0; k < kUnits; ++k) {
    const int u = lane + k * lanes;
    if (u >= units) break;
    A y[kN], g[kN], b[kN];
    const bool whole = !ADJ_ANY || u * kN + kN <= columns;
    load_weights(g, p.gamma, u * kN, columns, p.weight_type, A(1), whole && (!ADJ_ANY || aligned16(p.gamma)));
    load_weights(b, p.beta, u * kN, columns, p.weight_type, A(0), whole && (!ADJ_ANY || aligned16(p.beta)));
#pragma unroll
    for (int j = 0; j < kN; ++j) y[j] = fused_multiply_add(v[k][j] * scale, g[j], b[j]);
#if ADJ_ANY
    write_unit(y, static_cast<ADJ_V*>(p.out) + begin, columns, u);
#else
    Unit<ADJ_V, kN> result;
    result.set(y);
    result.store(static_cast<ADJ_V*>(p.out) + begin + u * kN);
#endif
  }
}
