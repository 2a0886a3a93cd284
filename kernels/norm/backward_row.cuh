// The walk over rows that the programs backward_row*.cu share: weights, sums of a row, gradient of a row, sums of columns.
//
// Macros: ADJ_S, ADJ_G, ADJ_O types of saved, dout, dinput; ADJ_INVERTED 1 to compute from the saved output Y; ADJ_CLUSTER 1 if a cluster
//     shares a row.

#include "norm/params.h"
#include "prelude/mixed_units.cuh"
#if ADJ_CLUSTER
#include "prelude/cluster.cuh"
#endif

typedef Acc<ADJ_O> A;

constexpr bool kInverted = ADJ_INVERTED != 0;
constexpr int kBlock = 512;  // threads of a block, at most
constexpr int kMostWarps = kBlock / kWarp;
constexpr int kN = 16 / kNarrowest<ADJ_S, ADJ_G, ADJ_O>;
// Most units of a row that a thread takes. From Y, half of the shared memory holds weights, so longer rows have no room.
constexpr int kUnits = kInverted ? 64 / (kN * static_cast<int>(sizeof(A))) : kNormUnits;
constexpr int kSavedPieces = Unit<ADJ_S, kN>::kPieces, kDoutPieces = Unit<ADJ_G, kN>::kPieces, kOutPieces = Unit<ADJ_O, kN>::kPieces;
constexpr int kWeightPieces = kNumberPieces<A, kN>;

typedef A Scratch[2 * kMostWarps];  // two sums of each warp of the block

#if ADJ_CLUSTER
// Threads that share a row: those of a cluster.
struct Group {
  int index = 0, groups = 1;  // number of this group and number of groups of the block
  int lane, lanes;              // number of this thread and number of threads of the group
  int block_lane, block_lanes;  // the same, of the threads of this block alone
  i64 split = cluster_index();

  __device__ __forceinline__ explicit Group(const NormBackwardParams& p)
      : lane(cluster_rank() * block_threads() + thread_index()), lanes(p.lanes), block_lane(thread_index()), block_lanes(block_threads()) {}
  // Makes a and b their sums over the group.
  __device__ __forceinline__ void sum(A& a, A& b, Scratch& scratch) const {
    a = warp_sum(a);
    b = warp_sum(b);
    if (lane_index() == 0) {
      scratch[2 * warp_index()] = a;
      scratch[2 * warp_index() + 1] = b;
    }
    cluster_barrier();
    a = b = 0;
#pragma unroll 1
    for (int i = lane_index(); i < block_warps() * cluster_blocks(); i += kWarp) {
      const int rank = i / block_warps(), w = i - rank * block_warps();
      a += load_from_block(&scratch[2 * w], rank);
      b += load_from_block(&scratch[2 * w + 1], rank);
    }
    a = warp_sum(a);
    b = warp_sum(b);
  }
  // No block may end while another reads its sums.
  __device__ __forceinline__ void leave() const { cluster_barrier(); }
};
#else
// Threads that share a row: p.lanes threads of a block.
struct Group {
  int index, groups;  // number of this group and number of groups of the block
  int lane, lanes;    // number of this thread and number of threads of the group
  int block_lane, block_lanes;  // the same; at least a warp
  i64 split = block_index();

  __device__ __forceinline__ explicit Group(const NormBackwardParams& p)
      : index(opaque(thread_index() / p.lanes)),
        groups(block_threads() / p.lanes),
        lane(thread_index() - index * p.lanes),
        lanes(p.lanes),
        block_lane(lane),
        block_lanes(max_of(p.lanes, kWarp)) {}
  __device__ __forceinline__ void sum(A& a, A& b, Scratch& scratch) const {
    if (lanes > kWarp) {
      sums_of_group(a, b, scratch, index, lanes);
    } else {
      a = sum_of_lanes(a, lanes);
      b = sum_of_lanes(b, lanes);
    }
  }
  __device__ __forceinline__ void leave() const {}
};
#endif

// Place of the first 16 bytes of a thread in shared memory. The pieces of a warp lie next to each other, and those of a thread kWarp apart.
__device__ __forceinline__ Words4* place_of_thread(Words4* area, int thread, int pieces) {
  return area + thread / kWarp * pieces * kWarp + (thread & (kWarp - 1));
}

// Returns the unit at `from` of a thread that has place_of_thread.
template <class T> __device__ __forceinline__ Unit<T, kN> unit_at(const Words4* from) {
  Unit<T, kN> unit;
#pragma unroll
  for (int i = 0; i < unit.kPieces; ++i) unit.words[i] = from[i * kWarp];
  return unit;
}

// Weights of a thread's columns in shared memory, which the groups of a block share: gamma; from Y also beta and 1 / gamma.
struct Weights {
  Words4 *gamma, *beta, *inverse;
  int step;  // distance between two units of a thread

  __device__ __forceinline__ Weights(const NormBackwardParams& p, const Group& group, Words4* area)
      : gamma(place_of_thread(area, group.block_lane, kWeightPieces)), step(kWeightPieces * group.block_lanes) {
    beta = gamma + p.units_of_thread * step;
    inverse = beta + p.units_of_thread * step;
  }
  __device__ __forceinline__ void load(const NormBackwardParams& p, const Group& group) {
    const int columns = static_cast<int>(p.columns);
#pragma unroll 1
    for (int k = group.index; k < p.units_of_thread; k += group.groups) {
      const int first = (group.lane + k * group.lanes) * kN;
      A x[kN];
      const bool inside = first + kN <= columns;
      load_weights(x, p.gamma, first, columns, p.weight_type, A(1), inside && aligned16(p.gamma));
      put_numbers(gamma + k * step, kWarp, x);
      if constexpr (kInverted) {
        A b[kN];
        load_weights(b, p.beta, first, columns, p.weight_type, A(0), inside && aligned16(p.beta));
        put_numbers(beta + k * step, kWarp, b);
#pragma unroll
        for (int j = 0; j < kN; ++j) x[j] = first + j < columns ? A(1) / x[j] : A(0);
        put_numbers(inverse + k * step, kWarp, x);
      }
    }
    if (group.groups > 1) block_barrier();
  }
};

// A unit of a row: dy, gamma and h = x - mean. From Y, h is the normalised input.
struct Terms {
  A dy[kN], gamma[kN], h[kN];

  // Reads the unit at `from` and the weights at `at` from shared memory. Only the first `inside` elements belong to the row.
  // From Y, adds to centred_sum the terms of the sum of g * h without the division, which gives NaN where gamma is 0.
  template <class Rows>
  __device__ __forceinline__ void take(const NormBackwardParams& p, const Rows& rows, const Words4* from, const Weights& weights, int at, int inside,
                                       A& centred_sum) {
    rows.saved_of(from).get(h);
    rows.dout_of(from).get(dy);
    if constexpr (Rows::kMasked)
#pragma unroll
      for (int j = 0; j < kN; ++j)
        if (j >= inside) h[j] = dy[j] = 0;
    get_numbers(weights.gamma + at, kWarp, gamma);
    if constexpr (kInverted) {
      A beta[kN], inverse[kN];
      get_numbers(weights.beta + at, kWarp, beta);
      get_numbers(weights.inverse + at, kWarp, inverse);
#pragma unroll
      for (int j = 0; j < kN; ++j) {
        const A centred = h[j] - beta[j];
        h[j] = centred * inverse[j];
        centred_sum = fused_multiply_add(dy[j], centred, centred_sum);
      }
    } else if (p.centred) {
#pragma unroll
      for (int j = 0; j < kN; ++j) h[j] -= rows.mean;
    }
    if constexpr (Rows::kMasked)  // zero beyond the row, so that infinite statistics give no NaN there
#pragma unroll
      for (int j = 0; j < kN; ++j)
        if (j >= inside) h[j] = 0;
  }
};

// Sums of dy * h and of dy over the rows of a group, for each column of a thread.
struct ColumnSums {
  A dgamma[kUnits][kN], dbeta[kUnits][kN];

  __device__ __forceinline__ void clear() {
#pragma unroll
    for (int k = 0; k < kUnits; ++k)
#pragma unroll
      for (int j = 0; j < kN; ++j) dgamma[k][j] = dbeta[k][j] = 0;
  }
  // Stores the sums of the block's split.
  __device__ __forceinline__ void store(const NormBackwardParams& p, const Group& group, unsigned char* memory, int units, int count) const {
    A* const partials = static_cast<A*>(p.partials) + group.split * p.pitch;
    if (group.groups == 1) {
#pragma unroll
      for (int k = 0; k < kUnits; ++k) {
        if (k >= count) return;
        A* const at = partials + (group.lane + k * group.lanes) * kN;
        put_numbers(reinterpret_cast<Words4*>(at), 1, dgamma[k]);
        if (p.centred) put_numbers(reinterpret_cast<Words4*>(at + p.splits * p.pitch), 1, dbeta[k]);
      }
      return;
    }
    // Adds the sums of the groups of the block, in their order.
    const int width = group.lanes * p.units_of_thread * kN;
    A* const shared = reinterpret_cast<A*>(memory);
#pragma unroll 1
    for (int which = 0; which < (p.centred ? 2 : 1); ++which) {
      block_barrier();
#pragma unroll
      for (int k = 0; k < kUnits; ++k) {
        if (k >= p.units_of_thread) break;
        A chosen[kN];
#pragma unroll
        for (int j = 0; j < kN; ++j) chosen[j] = which ? dbeta[k][j] : dgamma[k][j];
        put_numbers(reinterpret_cast<Words4*>(shared + group.index * width + (group.lane + k * group.lanes) * kN), 1, chosen);
      }
      block_barrier();
#pragma unroll 1
      for (int c = thread_index(); c < width; c += block_threads()) {
        if (c >= units * kN) break;
        partials[which * p.splits * p.pitch + c] = sum_in_order<A>(group.groups, [&](int i) { return shared[i * width + c]; });
      }
    }
  }
};

// Computes the gradients of the rows of a split. Rows, which each program defines, loads and stores them:
//   kMasked                the last unit of a row may have elements beyond the row
//   kTogether              every lane of a warp puts as many units
//   own, unit_step         place of the row in shared memory: unit k of this thread begins at own + k * unit_step
//   saved_of(from)         unit of saved at that place; likewise dout_of and dresidual_of
//   mean, scale            statistics of the row
//   Rows(...)              may begin to load the first rows; `stride` rows lie between two rows of a group
//   arrive(p, row, valid)  loads the row, or waits until it is there
//   begin_gradient(row)    is called when the sums of the row are known
//   put(p, group, from, x, row, valid, k)
//                          takes the gradient of unit k of this thread, which was read at `from`
//   leave(p, row, valid)   ends the row
//   end()                  is called after the last row; the shared memory is then used for other data
template <class Rows> __device__ __forceinline__ void backward_rows(const NormBackwardParams& p, unsigned char* memory, Scratch (&scratch)[2]) {
  const Group group(p);
  const i64 stride = p.splits * group.groups;
  const int columns = static_cast<int>(p.columns), units = (columns + kN - 1) / kN;
  const int count = group.lane < units ? (units - group.lane + group.lanes - 1) / group.lanes : 0;  // units of a row that this thread takes
  ColumnSums sums;
  sums.clear();
  Words4* const area = reinterpret_cast<Words4*>(memory);
  Weights weights(p, group, area + p.pipeline * block_threads());
  Rows rows(p, group, area, units, count, stride);
  weights.load(p, group);

  int turn = 0;
#pragma unroll 1
  for (i64 first = group.split * group.groups; first < p.rows; first += stride) {
    const i64 row = first + group.index;
    const bool valid = row < p.rows;
    rows.arrive(p, row, valid);
    const int own_count = valid ? count : 0;
    A s1 = 0, s2 = 0;
#pragma unroll
    for (int k = 0; k < kUnits; ++k) {
      if (k >= own_count) break;
      Terms u;
      A unused = 0;
      const int inside = columns - (group.lane + k * group.lanes) * kN;
      u.take(p, rows, rows.own + k * rows.unit_step, weights, k * weights.step, inside, kInverted ? s2 : unused);
#pragma unroll
      for (int j = 0; j < kN; ++j) {
        // g = dy * gamma. Each rounding is written out here and below, so that all programs of a row have the same bits.
        u.gamma[j] = rounded_product(u.gamma[j], u.dy[j]);
        if constexpr (!kInverted) {
          u.h[j] *= rows.scale;
          s2 = fused_multiply_add(u.gamma[j], u.h[j], s2);
        }
        sums.dgamma[k][j] = fused_multiply_add(u.dy[j], u.h[j], sums.dgamma[k][j]);
      }
      if (!p.centred) continue;
#pragma unroll
      for (int j = 0; j < kN; ++j) {
        s1 += u.gamma[j];
        sums.dbeta[k][j] += u.dy[j];
      }
    }
    group.sum(s1, s2, scratch[turn]);
    turn ^= 1;  // one barrier a row suffices: who writes scratch[turn] again has passed the barrier of the row between
    const A c1 = p.centred ? rounded_product(s1, static_cast<A>(p.inverse_columns)) : A(0);
    const A c2 = s2 * static_cast<A>(p.inverse_columns) * (kInverted ? A(1) : rows.scale);
    // Reads the row from shared memory once more: the registers hold the sums of columns.
    rows.begin_gradient(row);
    int own_at = 0, weights_at = 0;
    const int turns = Rows::kTogether ? p.units_of_thread : own_count;
#pragma unroll 1
    for (int k = 0; k < turns; ++k, own_at += rows.unit_step, weights_at += weights.step) {
      Words4* const from = rows.own + own_at;
      Unit<ADJ_O, kN> result{};
      if (!Rows::kTogether || k < own_count) {
        A dx[kN], unused = 0;
        Terms u;
        const int inside = columns - (group.lane + k * group.lanes) * kN;
        u.take(p, rows, from, weights, weights_at, inside, unused);
#pragma unroll
        for (int j = 0; j < kN; ++j) dx[j] = fused_multiply_add(-u.h[j], c2, fused_multiply_add(u.gamma[j], u.dy[j], -c1));
        if (p.dresidual) {
          A more[kN];
          rows.dresidual_of(from).get(more);
#pragma unroll
          for (int j = 0; j < kN; ++j) dx[j] = fused_multiply_add(rows.scale, dx[j], more[j]);
        } else {
#pragma unroll
          for (int j = 0; j < kN; ++j) dx[j] = rounded_product(rows.scale, dx[j]);
        }
        result.set(dx);
      }
      rows.put(p, group, from, result, row, valid, k);
    }
    rows.leave(p, row, valid);
  }
  rows.end();
  group.leave();
  if (p.partials) sums.store(p, group, memory, units, count);
}
