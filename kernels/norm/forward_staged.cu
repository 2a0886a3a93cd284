// Computes: what forward_row.cu computes, for rows whose elements fill no whole units.
// Work split: a block takes p.staged_rows rows that lie next to each other; p.lanes threads share a row, a lane takes every p.lanes-th element.
// Memory: a block copies its rows of x and residual into shared memory word by word. The sum and y replace them there and are stored word by word.
// Order of additions: a lane its elements in order, then a tree over the lanes; it depends on the length of a row and its types alone. Means as in
//     forward_row.cu.
// Limits: a lane has at most kNormHeld elements; the rows of a block fit in shared memory. The plan checks both.
//
// Macros: ADJ_T, ADJ_V types of input and out.
#include "norm/params.h"
#include "norm/row_sums.cuh"
#include "prelude/mixed_units.cuh"
#include "prelude/staged.cuh"

typedef Acc<ADJ_T> A;

constexpr int kBlock = 512;                                // threads of a block, at most
constexpr int kTogether = 4;                               // elements that a lane takes without a look at the end of the row
constexpr int kResident = sizeof(A) == 8         ? 2
                          : ADJ_BOUNDS_ARCH > 90 ? 3
                                                 : 4;  // quarters of the threads that a multiprocessor has at 64 registers each: as many as spill none

// Loads kTogether weights, p.lanes columns apart, of which `count` are inside the row; `without` if there is no tensor.
__device__ __forceinline__ void load_weights_apart(A (&x)[kTogether], const void* tensor, int column, int lanes, int count, int type, A without) {
  auto each = [&](auto load) {
#pragma unroll
    for (int j = 0; j < kTogether; ++j) x[j] = j < count ? load(column + j * lanes) : without;
  };
  if (!tensor) each([&](int) { return without; });
  else if (sizeof(A) == 8 || type == kDtypeF32) each([&](int c) { return static_cast<const A*>(tensor)[c]; });
  else if (type == kDtypeF16) each([&](int c) { return static_cast<A>(to_f32(static_cast<const f16*>(tensor)[c])); });
  else each([&](int c) { return static_cast<A>(to_f32(static_cast<const bf16*>(tensor)[c])); });
}

extern "C" __global__ void __launch_bounds__(256 * kResident) ADJ_ENTRY(const __grid_constant__ NormForwardParams p) {
  ADJ_DYNAMIC_SHARED(memory);
  ADJ_SHARED(A, parts, 3 * kBlock / kWarp);
  const int columns = static_cast<int>(p.columns), lanes = p.lanes;
  const bool alone = lanes > kWarp;
  const int lane = alone ? thread_index() : thread_index() & (lanes - 1);
  const int group = alone ? 0 : thread_index() >> lowest_bit(lanes), groups = alone ? 1 : block_threads() >> lowest_bit(lanes);
  const i64 first = block_index() * p.staged_rows;
  const int rows = static_cast<int>(min_of<i64>(p.staged_rows, p.rows - first)), count = rows * columns;
  const ADJ_T* const from = static_cast<const ADJ_T*>(p.input) + first * columns;
  const ADJ_T* const added = p.residual ? static_cast<const ADJ_T*>(p.residual) + first * columns : nullptr;
  ADJ_V* const out = static_cast<ADJ_V*>(p.out) + first * columns;
  ADJ_T* const sums = p.sum ? static_cast<ADJ_T*>(p.sum) + first * columns : nullptr;
  u8* const second = memory + p.staged;
  // Elements lie as far from a 16-byte boundary in shared memory as in the tensor.
  const ADJ_T* const x = reinterpret_cast<const ADJ_T*>(memory) + skew_of(from);
  const ADJ_T* const more = added ? reinterpret_cast<const ADJ_T*>(second) + skew_of(added) : nullptr;
  // Results replace the operand at the same place, or have shared memory of their own if their type is of another size. Where their tensor lies otherwise to
  // 16-byte boundaries than the operand, lanes store elements.
  constexpr bool kSameSize = sizeof(ADJ_T) == sizeof(ADJ_V);
  const bool y_staged = !kSameSize || skew_of(out) == skew_of(reinterpret_cast<const ADJ_V*>(from));
  const bool sum_staged = sums && skew_of(sums) == skew_of(added);
  ADJ_V* const y = y_staged ? reinterpret_cast<ADJ_V*>(kSameSize ? memory : memory + (added ? 2 : 1) * p.staged) + skew_of(out) : out;
  ADJ_T* const v_out = sum_staged ? reinterpret_cast<ADJ_T*>(second) + skew_of(sums) : sums;
#pragma unroll 1
  for (int t = 0; t < (added ? 2 : 1); ++t) {
    const void* const tensor = t ? p.residual : p.input;
    const u64 base = reinterpret_cast<u64>(tensor), own = base + static_cast<u64>(first * columns) * sizeof(ADJ_T);
    // In place, another block writes the elements beside those of this block.
    const bool in_place = tensor == p.out || tensor == p.sum;
    const u64 low = in_place ? own : base,
              high = in_place ? own + static_cast<u64>(count) * sizeof(ADJ_T) : base + static_cast<u64>(p.rows * columns) * sizeof(ADJ_T);
    send_elements(t ? second : memory, t ? added : from, count, thread_index(), block_threads(), low, high);
  }
  wait_copies_to_shared();
  block_barrier();
  const int full = columns / (kTogether * lanes);  // turns in which every lane has all elements
  const int last = max_of(columns - full * kTogether * lanes - lane, 0), last_count = (last + lanes - 1) / lanes;
#pragma unroll 1
  for (int row = group; row - group < rows; row += groups) {
    const bool valid = row < rows;
    const int begin = row * columns;
    // Calls f(k, column, count) for each turn of kTogether elements, of which `count` are inside the row.
    auto each_turn = [&](auto f) {
      const int whole = valid ? full : 0, own_last = valid ? last_count : 0;
#pragma unroll
      for (int turn = 0; turn < kNormHeld / kTogether; ++turn) {
        const int inside = turn < whole ? kTogether : turn == whole ? own_last : 0;
        if (inside > 0) f(turn * kTogether, lane + turn * kTogether * lanes, inside);
      }
    };
    const A part = static_cast<A>(p.inverse_columns);
    A v[kNormHeld], mean = 0, rest = 0, square = 0, sum = 0;
    each_turn([&](int k, int column, int inside) {
#pragma unroll
      for (int j = 0; j < kTogether; ++j)
        if (j < inside) v[k + j] = to_acc(x[begin + column + j * lanes]);
      if (added) {
#pragma unroll
        for (int j = 0; j < kTogether; ++j)
          if (j < inside) v[k + j] += to_acc(more[begin + column + j * lanes]);
        if (sums) {
#pragma unroll
          for (int j = 0; j < kTogether; ++j)
            if (j < inside) {
              const ADJ_T stored = from_acc<ADJ_T>(v[k + j]);
              v[k + j] = to_acc(stored);
              v_out[begin + column + j * lanes] = stored;
            }
        }
      }
#pragma unroll
      for (int j = 0; j < kTogether; ++j)
        if (j < inside) sum = fused_multiply_add(v[k + j], part, sum);  // the sum itself could overflow
    });
    if (p.centred) {
      mean = alone ? block_sum(sum, parts) : sum_of_lanes(sum, lanes);
      each_turn([&](int k, int, int inside) {
#pragma unroll
        for (int j = 0; j < kTogether; ++j)
          if (j < inside) {
            v[k + j] -= mean;
            rest += v[k + j];
            square = fused_multiply_add(v[k + j], v[k + j], square);
          }
      });
    } else {
      each_turn([&](int k, int, int inside) {
#pragma unroll
        for (int j = 0; j < kTogether; ++j)
          if (j < inside) square = fused_multiply_add(v[k + j], v[k + j], square);
      });
    }
    sums_of_lanes_or_block(square, rest, lanes, parts + kBlock / kWarp);
    const A left = rounded_product(rest, part);  // the mean of what is left when `mean` is subtracted
    const A variance = fused_multiply_add(square, part, -rounded_product(left, left));
    const A scale = A(1) / square_root((variance < 0 ? A(0) : variance) + static_cast<A>(p.epsilon)), offset = -rounded_product(left, scale);
    if (lane == 0 && valid) {
      if (p.mean) static_cast<A*>(p.mean)[first + row] = left == left ? mean + left : mean;  // an infinite mean leaves NaN
      if (p.inv_std) static_cast<A*>(p.inv_std)[first + row] = scale;
    }
    each_turn([&](int k, int column, int inside) {
      A g[kTogether], b[kTogether];
      load_weights_apart(g, p.gamma, column, lanes, inside, p.weight_type, A(1));
      load_weights_apart(b, p.beta, column, lanes, inside, p.weight_type, A(0));
#pragma unroll
      for (int j = 0; j < kTogether; ++j)
        if (j < inside) y[begin + column + j * lanes] = from_acc<ADJ_V>(fused_multiply_add(fused_multiply_add(v[k + j], scale, offset), g[j], b[j]));
    });
  }
  block_barrier();
  auto store = [&](auto* to, const auto* staged) {
    constexpr int kVector = 16 / static_cast<int>(sizeof *to);
    const Window<kVector> w(to, count);
#pragma unroll 1
    for (int u = thread_index(); u < w.vectors; u += block_threads())
      store_words(reinterpret_cast<Words4*>(to + w.vector(u)), *reinterpret_cast<const Words4*>(staged + w.vector(u)));
    if (thread_index() < w.edges) to[w.edge(thread_index())] = staged[w.edge(thread_index())];
  };
  if (y_staged) store(out, y);
  if (sum_staged) store(sums, v_out);
}
