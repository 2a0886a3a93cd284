// Computes: layer norm and RMS norm of v = x + residual, or of v = x; v is rounded to the type of x if the sum is stored.
//     y = (v - mean) * inv_std * gamma + beta
// Work split: p.lanes threads share a row; each group of lanes takes one row. Blocks are short: a multiprocessor that is faster takes more of them.
//     ADJ_CLUSTER: the blocks of a cluster share a row.
// Memory: reads x and residual once, writes y and the sum once; gamma and beta of most rows come from a cache.
// Order of additions: depends on the length of a row and its types alone. The mean m is rounded, so v - m is summed too, with its squares. Its mean c
//     corrects both: mean = m + c, variance = mean of (v - m)^2 - c^2. So neither a mean far from zero nor one far element costs digits.
// Limits: a row has at most kUnits units for each thread of a block or a cluster, a block at most kBlock threads; the plan checks. ADJ_ANY takes rows that
//     begin anywhere. Clusters need sm_90 or later.
//
// Macros: ADJ_T, ADJ_V types of input and out; ADJ_ANY 1 if rows are unaligned; ADJ_CLUSTER 1 if a cluster shares a row.
#include "norm/params.h"
#include "norm/row_sums.cuh"
#include "prelude/mixed_units.cuh"
#if ADJ_CLUSTER
#include "prelude/cluster.cuh"
#endif

typedef Acc<ADJ_T> A;

constexpr int kBlock = 512;  // threads of a block, at most
// Quarters of the threads that a multiprocessor has at 64 registers each: as many as spill no registers.
constexpr int kResident = sizeof(A) == 8 || (ADJ_ANY && sizeof(ADJ_T) == 4)                                                                  ? 2
                          : ADJ_ANY || sizeof(ADJ_T) < sizeof(ADJ_V) || ADJ_BOUNDS_ARCH > 90 || (ADJ_BOUNDS_ARCH < 90 && sizeof(ADJ_T) == 2) ? 3
                                                                                                                                             : 4;
constexpr int kN = 16 / kNarrowest<ADJ_T, ADJ_V>;
// Most units of a row that a thread takes. A thread should take many: its fixed work for a row costs as much as eight elements.
constexpr int kUnits = 128 / (kN * static_cast<int>(sizeof(A)));

// Returns the sum over the threads that share a row.
__device__ __forceinline__ A sum_of_row(A v, int lanes, A* scratch) {
#if ADJ_CLUSTER
  A sums[1] = {v};
  sums_to_all_blocks(sums, scratch);
  return sums[0];
#else
  warp_barrier();  // lanes read words that other lanes store to after this, if in place
  return lanes > kWarp ? block_sum(v, scratch) : sum_of_lanes(v, lanes);
#endif
}
// The same for two numbers; `scratch` has room for two of each warp.
__device__ __forceinline__ void sums_of_row(A& a, A& b, int lanes, A* scratch) {
#if ADJ_CLUSTER
  A sums[2] = {a, b};
  sums_to_all_blocks(sums, scratch);
  a = sums[0];
  b = sums[1];
#else
  sums_of_lanes_or_block(a, b, lanes, scratch);
#endif
}

extern "C" __global__ void __launch_bounds__(256 * kResident) ADJ_ENTRY(const __grid_constant__ NormForwardParams p) {
  constexpr int kMostWarps = kBlock / kWarp * (ADJ_CLUSTER ? kNormCluster : 1);
  ADJ_SHARED(A, parts, 3 * kMostWarps);
  const int columns = static_cast<int>(p.columns), units = (columns + kN - 1) / kN, lanes = p.lanes;
#if ADJ_CLUSTER
  const int lane = cluster_rank() * block_threads() + thread_index();
  const i64 row = cluster_index(), begin = row * columns;
  constexpr bool valid = true;
  [[maybe_unused]] auto barrier = [] { cluster_barrier(); };
#else
  const bool alone = lanes > kWarp;
  const int lane = alone ? thread_index() : thread_index() & (lanes - 1);
  const int group = alone ? 0 : thread_index() >> lowest_bit(lanes), groups = alone ? 1 : block_threads() >> lowest_bit(lanes);
  const i64 row = block_index() * groups + group, begin = row * columns;
  const bool valid = row < p.rows;
  [[maybe_unused]] auto barrier = [&] {
    if (alone) block_barrier();
    else warp_barrier();
  };
#endif
  // Loads the units of this thread; zeros where there is none.
  auto load = [&](Unit<ADJ_T, kN>(&unit)[kUnits], const void* tensor) {
    const ADJ_T* const from = static_cast<const ADJ_T*>(tensor) + begin;
#if ADJ_ANY
    read_units(unit, from, valid ? columns : 0, lane, lanes);
#else
#pragma unroll
    for (int k = 0; k < kUnits; ++k) {
      const int u = lane + k * lanes;
      unit[k] = {};
      if (valid && u < units) unit[k].load(from + u * kN);
    }
#endif
  };
  A v[kUnits][kN];
  Unit<ADJ_T, kN> input[kUnits];
  load(input, p.input);
  if (p.residual) {
    Unit<ADJ_T, kN> added[kUnits];
    load(added, p.residual);
#pragma unroll
    for (int k = 0; k < kUnits; ++k) {
      A more[kN];
      input[k].get(v[k]);
      added[k].get(more);
#pragma unroll
      for (int j = 0; j < kN; ++j) v[k][j] += more[j];
    }
    if (p.sum) {
#if ADJ_ANY
      barrier();  // threads share words: all threads of the row have to read before one stores
#endif
      const i64 sum_begin = opaque(begin);  // here and below: addresses kept from the loads would take registers
#pragma unroll
      for (int k = 0; k < kUnits; ++k) {
        const int u = lane + k * lanes;
        if (ADJ_ANY ? k * lanes >= units : !valid || u >= units) break;
        input[k].set(v[k]);
        input[k].get(v[k]);
#if ADJ_ANY
        write_row_unit(input[k].words, static_cast<ADJ_T*>(p.sum) + sum_begin, valid ? columns : 0, u, min_of(lanes, kWarp));
#else
        input[k].store(static_cast<ADJ_T*>(p.sum) + sum_begin + u * kN);
#endif
      }
    }
  } else {
#pragma unroll
    for (int k = 0; k < kUnits; ++k) input[k].get(v[k]);
  }
#if ADJ_CLUSTER
  cluster_barrier();  // while the loads are in flight: all blocks have begun, so others may store to them
#endif
  auto inside = [&](int k, int j) { return ADJ_ANY ? (lane + k * lanes) * kN + j < columns : lane + k * lanes < units; };
  const A part = static_cast<A>(p.inverse_columns);
  A mean = 0, rest = 0, square = 0;
  if (p.centred) {
    A sum = 0;
#pragma unroll
    for (int k = 0; k < kUnits; ++k)
#pragma unroll
      for (int j = 0; j < kN; ++j) sum = fused_multiply_add(v[k][j], part, sum);  // the sum itself could overflow
    mean = sum_of_row(sum, lanes, parts);
    // Elements beyond the row are 0 and have to stay so: nothing is subtracted from them.
#pragma unroll
    for (int k = 0; k < kUnits; ++k)
#pragma unroll
      for (int j = 0; j < kN; ++j)
        if (inside(k, j)) v[k][j] -= mean;
#pragma unroll
    for (int k = 0; k < kUnits; ++k)
#pragma unroll
      for (int j = 0; j < kN; ++j) rest += v[k][j];
  }
#pragma unroll
  for (int k = 0; k < kUnits; ++k)
#pragma unroll
    for (int j = 0; j < kN; ++j) square = fused_multiply_add(v[k][j], v[k][j], square);
  if (p.centred) sums_of_row(square, rest, lanes, parts + kMostWarps);
  else square = sum_of_row(square, lanes, parts + kMostWarps);
  const A left = rounded_product(rest, part);  // the mean of what is left when `mean` is subtracted
  const A variance = fused_multiply_add(square, part, -rounded_product(left, left));
  const A scale = A(1) / square_root((variance < 0 ? A(0) : variance) + static_cast<A>(p.epsilon)), offset = -rounded_product(left, scale);
  if (!ADJ_ANY && !valid) return;  // lanes of unaligned rows store words for each other
  const i64 out_begin = opaque(begin);
  if (lane == 0 && valid) {
    if (p.mean) static_cast<A*>(p.mean)[row] = left == left ? mean + left : mean;  // an infinite mean leaves NaN
    if (p.inv_std) static_cast<A*>(p.inv_std)[row] = scale;
  }
  const int own_lane = opaque(lane);
#pragma unroll
  for (int k = 0; k < kUnits; ++k) {
    const int u = own_lane + k * lanes;
    if (ADJ_ANY ? k * lanes >= units : u >= units) break;
    A y[kN], g[kN], b[kN];
    const bool whole = !ADJ_ANY || u * kN + kN <= columns;
    load_weights(g, p.gamma, u * kN, columns, p.weight_type, A(1), whole && (!ADJ_ANY || aligned16(p.gamma)));
    load_weights(b, p.beta, u * kN, columns, p.weight_type, A(0), whole && (!ADJ_ANY || aligned16(p.beta)));
#pragma unroll
    for (int j = 0; j < kN; ++j) y[j] = fused_multiply_add(fused_multiply_add(v[k][j], scale, offset), g[j], b[j]);
    Unit<ADJ_V, kN> result;
    result.set(y);
#if ADJ_ANY
    write_row_unit(result.words, static_cast<ADJ_V*>(p.out) + out_begin, valid ? columns : 0, u, min_of(lanes, kWarp));
#else
    result.store(static_cast<ADJ_V*>(p.out) + out_begin + u * kN);
#endif
  }
}
