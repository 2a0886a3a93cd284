// Computes: layer norm and RMS norm of v = x + residual, or of v = x; v is rounded to the type of x if the sum is stored.
//     y = (v - mean) * inv_std * gamma + beta
// Work split: p.lanes threads share a row. A thread has the same columns of each of its rows.
// Memory: reads x and residual once, writes y and the sum once.
// Order of additions: depends on the length of a row and its types alone. The mean is summed over v minus the row's first element, the squares over v
//     minus the mean, so a mean far from zero costs no digits.
// Limits: a row has at most kUnits units for each thread of a block; the plan checks. ADJ_ANY takes rows that begin anywhere.
//
// Macros: ADJ_T, ADJ_V types of input and out; ADJ_ANY 1 if rows are not whole aligned units.
#include "norm/units.cuh"

typedef Acc<ADJ_T> A;

constexpr int kBlock = 256;  // threads of a block, at most
// Threads of a multiprocessor, in several blocks: as many as spill no registers (src/ops/norm/forward.cpp).
constexpr int kResident = sizeof(A) == 8 ? 256 : sizeof(ADJ_T) == 2 && !ADJ_ANY ? 640 : 512;
constexpr int kN = 16 / kNarrowest<ADJ_T, ADJ_V>;
// Most units of a row that a thread takes. A thread should take many: its fixed work for a row costs as much as eight elements.
constexpr int kUnits = 128 / (kN * static_cast<int>(sizeof(A)));
constexpr int kWeightPieces = kNumberPieces<A, kN>;
// True if a row is loaded while the row before it is worked on. Registers have no room for two rows of f32, whose threads load twice the bytes.
constexpr bool kAhead = sizeof(ADJ_T) != 4;

// Returns the sum over the threads that share a row.
__device__ __forceinline__ A sum_of_row(A v, int lanes, A* scratch) {
  warp_barrier();  // lanes read words that other lanes store to after this, if in place
  return lanes > kWarp ? sum_of_block(v, scratch) : sum_of_lanes(v, lanes);
}

extern "C" __global__ void __launch_bounds__(kResident, 1) ADJ_ENTRY(const __grid_constant__ NormForwardParams p) {
  constexpr int kMostWarps = kBlock / kWarp;
  typedef A Parts[kMostWarps];
  ADJ_SHARED(Parts, parts, 2);
  ADJ_DYNAMIC_SHARED(memory);
  const int threads = block_threads(), columns = static_cast<int>(p.columns), units = (columns + kN - 1) / kN, lanes = p.lanes;
  const bool alone = lanes > kWarp;
  const int lane = alone ? thread_index() : thread_index() & (lanes - 1);
  const int group = alone ? 0 : thread_index() >> lowest_bit(lanes), groups = alone ? 1 : threads >> lowest_bit(lanes);
  // gamma and beta of a thread's columns. The pieces of a warp lie next to each other, so that neighbouring lanes read neighbouring pieces.
  Words4* const gamma = reinterpret_cast<Words4*>(memory) + warp_index() * (2 * kUnits * kWeightPieces * kWarp) + lane_index();
  Words4* const beta = gamma + kUnits * kWeightPieces * kWarp;
  auto outside = [&](i64 row) { return static_cast<u64>(row) >= static_cast<u64>(p.rows); };  // true for rows before the first, too
  auto load = [&](Unit<ADJ_T, kN> (&v)[kUnits], const void* tensor, i64 row) {
#pragma unroll
    for (int k = 0; k < kUnits; ++k) {
      v[k] = {};
      const int u = lane + k * lanes;
      if (outside(row) || u >= units) continue;
#if ADJ_ANY
      read_unit(v[k], static_cast<const ADJ_T*>(tensor) + row * columns, columns, u);
#else
      v[k].load(static_cast<const ADJ_T*>(tensor) + (row * units + u) * kN);
#endif
    }
  };
  int turn = 0;
  Unit<ADJ_T, kN> next[kUnits]{};
  A next_shift = 0;
  // The first turn loads gamma and beta, and, with kAhead, the first row.
  const i64 begin = block_index() * groups, stride = grid_blocks() * groups;
#pragma unroll 1
  for (i64 first = begin - stride; first < p.rows; first += stride) {
    const i64 row = first + group;
    const bool live = row < p.rows;
    Unit<ADJ_T, kN> input[kUnits], added[kUnits];
    A shift = 0;
    const i64 sent_for = kAhead ? row + stride : row;
    if constexpr (kAhead) {
      shift = next_shift;
#pragma unroll
      for (int k = 0; k < kUnits; ++k) input[k] = next[k];
      load(next, p.input, sent_for);
    } else {
      load(input, p.input, sent_for);
    }
    if (p.centred && !outside(sent_for)) (kAhead ? next_shift : shift) = to_acc(static_cast<const ADJ_T*>(p.input)[sent_for * columns]);
    if (first < begin) {
#pragma unroll 1
      for (int i = 0; i < 2 * kUnits; ++i) {
        const int k = i & (kUnits - 1);
        if (lane + k * lanes >= units) continue;
        A x[kN];
        load_weights(x, i < kUnits ? p.gamma : p.beta, (lane + k * lanes) * kN, columns, p.weight_type, i < kUnits ? A(1) : A(0));
        put_numbers(gamma + i * kWeightPieces * kWarp, kWarp, x);
      }
      continue;
    }
    auto inside = [&](int k, int j) { return ADJ_ANY ? (lane + k * lanes) * kN + j < columns : lane + k * lanes < units; };
    // Elements beyond the row are 0 and have to stay so: nothing is subtracted from them.
    auto subtract = [&](A (&v)[kUnits][kN], A what) {
#pragma unroll
      for (int k = 0; k < kUnits; ++k)
#pragma unroll
        for (int j = 0; j < kN; ++j)
          if (inside(k, j)) v[k][j] -= what;
    };
    A v[kUnits][kN];
#pragma unroll
    for (int k = 0; k < kUnits; ++k) input[k].get(v[k]);
    if (p.residual) {
      load(added, p.residual, row);
      if (p.centred && live) shift += to_acc(static_cast<const ADJ_T*>(p.residual)[row * columns]);
#pragma unroll
      for (int k = 0; k < kUnits; ++k) {
        A more[kN];
        added[k].get(more);
#pragma unroll
        for (int j = 0; j < kN; ++j) v[k][j] += more[j];
        if (!p.sum) continue;
        added[k].set(v[k]);
        added[k].get(v[k]);
      }
      if (p.sum) shift = to_acc(from_acc<ADJ_T>(shift));
    }
    A mean = 0;
    if (p.centred) {
      A sum = 0;
      subtract(v, shift);
#pragma unroll
      for (int k = 0; k < kUnits; ++k)
#pragma unroll
        for (int j = 0; j < kN; ++j) sum += v[k][j];
      mean = sum_of_row(sum, lanes, parts[turn]) * static_cast<A>(p.inverse_columns);
      turn ^= 1;
      subtract(v, mean);
    }
#if ADJ_ANY
    // Threads read words that they share: all have to read before one stores.
    if (p.residual && p.sum && !p.centred) {
      if (alone) block_barrier();
      else warp_barrier();
    }
#endif
    // By now every thread has read the row's first element, which the sum may overwrite.
    if (p.residual && p.sum && live) {
#pragma unroll
      for (int k = 0; k < kUnits; ++k) {
        const int u = lane + k * lanes;
        if (u >= units) break;
#if ADJ_ANY
        A stored[kN];
        added[k].get(stored);
        write_unit(stored, static_cast<ADJ_T*>(p.sum) + row * columns, columns, u);
#else
        added[k].store(static_cast<ADJ_T*>(p.sum) + (row * units + u) * kN);
#endif
      }
    }
    A square = 0;
#pragma unroll
    for (int k = 0; k < kUnits; ++k)
#pragma unroll
      for (int j = 0; j < kN; ++j) square = fused_multiply_add(v[k][j], v[k][j], square);
    square = sum_of_row(square, lanes, parts[turn]);
    turn ^= 1;
    const A scale = A(1) / square_root(fused_multiply_add(square, static_cast<A>(p.inverse_columns), static_cast<A>(p.epsilon)));
    if (!live) continue;
    if (lane == 0) {
      if (p.mean) static_cast<A*>(p.mean)[row] = shift + mean;
      if (p.inv_std) static_cast<A*>(p.inv_std)[row] = scale;
    }
#pragma unroll
    for (int k = 0; k < kUnits; ++k) {
      const int u = lane + k * lanes;
      if (u >= units) break;
      A y[kN], g[kN], b[kN];
      get_numbers(gamma + k * kWeightPieces * kWarp, kWarp, g);
      if (p.beta) get_numbers(beta + k * kWeightPieces * kWarp, kWarp, b);
      else
#pragma unroll
        for (int j = 0; j < kN; ++j) b[j] = 0;
#pragma unroll
      for (int j = 0; j < kN; ++j) y[j] = fused_multiply_add(v[k][j] * scale, g[j], b[j]);
#if ADJ_ANY
      write_unit(y, static_cast<ADJ_V*>(p.out) + row * columns, columns, u);
#else
      Unit<ADJ_V, kN> result;
      result.set(y);
      result.store(static_cast<ADJ_V*>(p.out) + (row * units + u) * kN);
#endif
    }
  }
}
