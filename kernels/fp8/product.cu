// Product of two matrices of codes.
//
// Computes: include/adjoint/ops/matmul.h, scaled_matmul.
// Work split: a block takes tiles of 128 by 128 results, a grid apart; a warp has 64 by 32 of them.
// Memory: steps of 64 along the depth are copied into shared memory ahead, 16 codes at a time but where rows do not lie so. A lane turns the codes that it
// multiplies into f16, which holds all of their numbers.
// Order of additions: sixteen products at a time in the order of the hardware, for 128 places of the depth. Their sums are scaled where scales change along
// the depth, and added in f32 in order. Other rows and columns change nothing.
// Limits: none.
//
// Macros: ADJ_A, ADJ_B types of codes, ADJ_T type of the result.
#include "prelude/fp8.cuh"
#include "prelude/matrix.cuh"
#include "prelude/memory.cuh"
#include "prelude/thread.cuh"
#include "prelude/vectors.cuh"
#include "prelude/philox.h"
#include "fp8/params.h"

typedef ADJ_T T;
constexpr int kTile = kFp8ProductTile, kStep = kFp8ProductStep, kStages = kFp8ProductStages;
constexpr int kVector = 16, kRowVectors = kStep / kVector, kVectors = kTile * kRowVectors;  // codes of a copy; copies of a row, and of an operand
constexpr int kWarpRows = 64, kWarpColumns = 32, kWarpsAcross = kTile / kWarpColumns;
constexpr int kTall = kWarpRows / 16, kWide = kWarpColumns / 8;  // a warp has kTall by kWide matrices of 16 by 8 results
static_assert(kTile / kWarpRows * kWarpsAcross * kWarp == kFp8Block && kVectors % kFp8Block == 0 && kFp8Group % kStep == 0);
static_assert(kRowVectors == 4, "the four lanes that share a row of small matrices take a vector each");

struct Stage {
  Words4 a[kVectors], b[kVectors];
};
static_assert(sizeof(Stage) * kStages <= kFp8ProductShared);

// Begins to copy a step of an operand's rows from `first` on. What lies outside of the matrix is 0.
__device__ __forceinline__ void send(Words4* stage, const u8* matrix, i64 first, i64 rows, i64 begin, i64 depth, bool aligned) {
#pragma unroll
  for (int i = 0; i < kVectors / kFp8Block; ++i) {
    const int number = i * kFp8Block + thread_index();
    const i64 row = first + number / kRowVectors, at = begin + number % kRowVectors * kVector;
    const bool valid = row < rows && at < depth;
    const u8* const from = matrix + (valid ? row * depth + at : 0);
    if (aligned) copy16_to_shared(stage + number, reinterpret_cast<const Words4*>(from), valid);
    else stage[number] = valid ? load_vector<u8>(from, 0, static_cast<int>(min_of<i64>(kVector, depth - at)), false) : Words4{};
  }
}

__device__ __forceinline__ u32 word_of(const Words4& words, int i) { return i == 0 ? words.x : i == 1 ? words.y : i == 2 ? words.z : words.w; }
// Four codes of a lane as two words of f16. The places of the depth have the order of the codes in memory in both operands, not that of the hardware's
// matrices.
template <class C> __device__ __forceinline__ void halves_of(u32 codes, u32& first, u32& second) {
  first = f8_halves(C{}, codes & 0xffff);
  second = f8_halves(C{}, codes >> 16);
}

// A warp's results: the sums of a group of the depth, and the totals of the groups before.
struct Sums {
  f32 sum[kTall][kWide][4], total[kTall][kWide][4];

  __device__ __forceinline__ void clear(f32 (&of)[kTall][kWide][4]) {
#pragma unroll
    for (int i = 0; i < kTall; ++i)
#pragma unroll
      for (int j = 0; j < kWide; ++j)
#pragma unroll
        for (int c = 0; c < 4; ++c) of[i][j][c] = 0;
  }
  __device__ __forceinline__ void multiply(const Stage& stage, int row, int column) {
    const int lane = lane_index();
    Words4 a[kTall][2], b[kWide];
#pragma unroll
    for (int j = 0; j < kWide; ++j) b[j] = stage.b[(column + j * 8 + lane / 4) * kRowVectors + lane % 4];
#pragma unroll
    for (int i = 0; i < kTall; ++i)
#pragma unroll
      for (int half = 0; half < 2; ++half) a[i][half] = stage.a[(row + i * 16 + half * 8 + lane / 4) * kRowVectors + lane % 4];
#pragma unroll
    for (int w = 0; w < 4; ++w) {
      u32 of_b[kWide][2];
#pragma unroll
      for (int j = 0; j < kWide; ++j) halves_of<ADJ_B>(word_of(b[j], w), of_b[j][0], of_b[j][1]);
#pragma unroll
      for (int i = 0; i < kTall; ++i) {
        u32 of_a[4];
        halves_of<ADJ_A>(word_of(a[i][0], w), of_a[0], of_a[2]);
        halves_of<ADJ_A>(word_of(a[i][1], w), of_a[1], of_a[3]);
#pragma unroll
        for (int j = 0; j < kWide; ++j) multiply_add_matrices<f16>(sum[i][j], of_a, of_b[j][0], of_b[j][1]);
      }
    }
  }
  // Calls use(i, j, c) for each result of the lane: row i * 16 + c / 2 * 8 + lane / 4 and column j * 8 + lane % 4 * 2 + c % 2 of the warp's.
  template <class Use> static __device__ __forceinline__ void walk(Use use) {
#pragma unroll
    for (int i = 0; i < kTall; ++i)
#pragma unroll
      for (int j = 0; j < kWide; ++j)
#pragma unroll
        for (int c = 0; c < 4; ++c) use(i, j, c);
  }
};

// The scales of the lane's rows and columns, in a group of the depth. Those outside of the matrix are 0.
struct Factors {
  f32 row[kTall * 2], column[kWide * 2];

  __device__ __forceinline__ Factors(const Fp8ProductParams& p, i64 first_row, i64 first_column, i64 group) {
    const int lane = lane_index();
#pragma unroll
    for (int i = 0; i < kTall * 2; ++i) {
      const i64 at = first_row + i * 8 + lane / 4;
      row[i] = at < p.m ? p.scale_a[(at >> p.rows_log2_a) * p.places_a.row + group * p.places_a.column] : 0.0f;
    }
#pragma unroll
    for (int j = 0; j < kWide * 2; ++j) {
      const i64 at = first_column + j / 2 * 8 + lane % 4 * 2 + j % 2;
      column[j] = at < p.n ? p.scale_b[(at >> p.rows_log2_b) * p.places_b.row + group * p.places_b.column] : 0.0f;
    }
  }
  __device__ __forceinline__ f32 of(int i, int j, int c) const { return row[i * 2 + c / 2] * column[j * 2 + c % 2]; }
};

extern "C" __global__ void __launch_bounds__(kFp8Block) ADJ_ENTRY(const __grid_constant__ Fp8ProductParams p) {
  ADJ_DYNAMIC_SHARED(memory);
  Stage(&stages)[kStages] = *reinterpret_cast<Stage(*)[kStages]>(memory);
  const bool whole = p.k % kVector == 0, aligned_a = whole && aligned16(p.a), aligned_b = whole && aligned16(p.b);
  const i64 steps = (p.k + kStep - 1) / kStep;
  const int own_row = warp_index() / kWarpsAcross * kWarpRows, own_column = warp_index() % kWarpsAcross * kWarpColumns;
#pragma unroll 1
  for (i64 tile = block_index(); tile < p.tiles; tile += grid_blocks()) {
    const i64 first_row = tile / p.column_tiles * kTile, first_column = tile % p.column_tiles * kTile;
    const auto send_step = [&](i64 step) {
      if (step < steps) {
        Stage& stage = stages[step % kStages];
        send(stage.a, p.a, first_row, p.m, step * kStep, p.k, aligned_a);
        send(stage.b, p.b, first_column, p.n, step * kStep, p.k, aligned_b);
      }
      close_copies();
    };
    Sums sums;
    sums.clear(sums.sum);
    sums.clear(sums.total);
#pragma unroll 1
    for (int ahead = 0; ahead < kStages - 1; ++ahead) send_step(ahead);
#pragma unroll 1
    for (i64 step = 0; step < steps; ++step) {
      wait_copies_but<kStages - 2>();
      block_barrier();  // the copies of this step have arrived, and every warp has multiplied the last one, whose stage is free
      send_step(step + kStages - 1);
      sums.multiply(stages[step % kStages], own_row, own_column);
      if ((step + 1) % (kFp8Group / kStep) != 0 && step + 1 < steps) continue;
      if (p.grouped) {
        const Factors factors(p, first_row + own_row, first_column + own_column, step / (kFp8Group / kStep));
        Sums::walk([&](int i, int j, int c) { sums.total[i][j][c] = fused_multiply_add(factors.of(i, j, c), sums.sum[i][j][c], sums.total[i][j][c]); });
      } else {
        Sums::walk([&](int i, int j, int c) { sums.total[i][j][c] += sums.sum[i][j][c]; });
      }
      sums.clear(sums.sum);
    }
    wait_copies_but<0>();
    block_barrier();  // the stages are free for the next tile
    if (!p.grouped) {
      const Factors factors(p, first_row + own_row, first_column + own_column, 0);
      Sums::walk([&](int i, int j, int c) { sums.total[i][j][c] *= factors.of(i, j, c); });
    }
    const i64 row = first_row + own_row + lane_index() / 4, column = first_column + own_column + lane_index() % 4 * 2;
    const f32 alpha = static_cast<f32>(p.alpha);
    f32 bias[kWide * 2];
#pragma unroll
    for (int j = 0; j < kWide * 2; ++j) {
      const i64 at = column + j / 2 * 8 + j % 2;
      bias[j] = p.bias && at < p.n ? to_acc(static_cast<const T*>(p.bias)[at]) : 0.0f;
    }
    Sums::walk([&](int i, int j, int c) {
      if (row + i * 16 + c / 2 * 8 >= p.m || column + j * 8 + c % 2 >= p.n) return;
      T& to = static_cast<T*>(p.out)[(row + i * 16 + c / 2 * 8) * p.n + column + j * 8 + c % 2];
      const f32 z = fused_multiply_add(alpha, sums.total[i][j][c], bias[j * 2 + c % 2]);
      to = from_acc<T>(p.accumulate ? z + to_acc(to) : z);
    });
  }
}
