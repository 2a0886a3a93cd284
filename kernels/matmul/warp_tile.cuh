// A warp's results in cores.cu, which the warp multiplies from what it has loaded into registers. Matrices for the next 16 products are loaded while 16 are
// multiplied. To be included by cores.cu alone.
#include "prelude/matrix.cuh"

constexpr int kTall = kWarpRows / 16, kWide = kWarpColumns / 8;  // a warp has kTall by kWide matrices of 16 by 8 results

// The results of a warp.
struct WarpTile {
  int a_at, b_at;  // row of shared memory that this lane names to load_matrices, for the first matrices
  f32 sum[kTall][kWide][4];
  u32 a[2][kTall][4], b[2][kWide / 2][4];

  // In the tile.
  static __device__ __forceinline__ int first_row() { return warp_index() / kWarpsAcross * kWarpRows; }
  static __device__ __forceinline__ int first_column() { return warp_index() % kWarpsAcross * kWarpColumns; }
  __device__ __forceinline__ WarpTile() {
    const int lane = lane_index(), low = lane % 8, second = lane / 8 % 2, third = lane / 16, row = first_row(), column = first_column();
    a_at = ADJ_A_ACROSS ? OperandA::place(row + second * 8 + low, third) : OperandA::place(third * 8 + low, row / kVector + second);
    b_at = ADJ_B_ACROSS ? OperandB::place(column + third * 8 + low, second) : OperandB::place(second * 8 + low, column / kVector + third);
  }
  static __device__ __forceinline__ bool has_results(const MatmulCoresParams& p, const Round& r) {
    return r.row + first_row() < p.m && r.column + first_column() < p.n;
  }
  // Clears the sums, and loads the first matrices of a stage once its copies have arrived, and every warp has stored its last results.
  __device__ __forceinline__ void begin(const Stage& stage) {
    wait_copies_but<kAhead - 1>();
    block_barrier();
    clear();
    load(stage, 0);
  }
  __device__ __forceinline__ void end() {}
  __device__ __forceinline__ void clear() {
#pragma unroll
    for (int i = 0; i < kTall; ++i)
#pragma unroll
      for (int j = 0; j < kWide; ++j)
#pragma unroll
        for (int k = 0; k < 4; ++k) sum[i][j][k] = 0;
  }
  // Loads the matrices of part `part` of a step. For further matrices, bits of the vector change, or the row by multiples of 16.
  __device__ __forceinline__ void load(const Stage& stage, int part) {
    const Words4 *const from_a = stage.operands.a, *const from_b = stage.operands.b;
    const int to = part % 2;
#pragma unroll
    for (int i = 0; i < kTall; ++i) {
      if (ADJ_A_ACROSS) load_matrices(a[to][i], from_a + (a_at ^ part * 2) + i * 16 * OperandA::kRowVectors);
      else load_transposed_matrices(a[to][i], from_a + (a_at ^ i * 2) + part * kDeep * OperandA::kRowVectors);
    }
#pragma unroll
    for (int j = 0; j < kWide / 2; ++j) {
      if (ADJ_B_ACROSS) load_matrices(b[to][j], from_b + (b_at ^ part * 2) + j * 16 * OperandB::kRowVectors);
      else load_transposed_matrices(b[to][j], from_b + (b_at ^ j * 2) + part * kDeep * OperandB::kRowVectors);
    }
  }
  __device__ __forceinline__ void multiply(int part) {
    const int at = part % 2;
#pragma unroll
    for (int i = 0; i < kTall; ++i)
#pragma unroll
      for (int j = 0; j < kWide; ++j) multiply_add_matrices<T>(sum[i][j], a[at][i], b[at][j / 2][j % 2 * 2], b[at][j / 2][j % 2 * 2 + 1]);
  }
  // Puts rows of the warp's tile into shared memory. A switch jumps, where a loop would execute the stores of all parts by predicates.
  __device__ __forceinline__ void put(int part, int, f32 (&to)[kPartRows * kPitch]) const {
    f32* const own = to + lane_index() / 4 * kPitch + lane_index() % 4 * 2;
    static_assert(kRowParts == 8 && kColumnParts == 1);
    switch (part) {
      case 0: return put<0>(own);
      case 1: return put<1>(own);
      case 2: return put<2>(own);
      case 3: return put<3>(own);
      case 4: return put<4>(own);
      case 5: return put<5>(own);
      case 6: return put<6>(own);
      default: return put<7>(own);
    }
  }

 private:
  template <int kPart> __device__ __forceinline__ void put(f32* own) const {
#pragma unroll
    for (int j = 0; j < kWide; ++j) {
      const f32(&four)[4] = sum[kPart / 2][j];
      *reinterpret_cast<Vec<f32, 2>*>(own + j * 8) = {four[kPart % 2 * 2], four[kPart % 2 * 2 + 1]};
    }
  }
};

// Adds the products of steps whose first matrices are loaded, from stage `stage` on, and begins to copy as many steps. Warps whose results all lie outside of
// the matrix multiply zeros: every warp meets the same barriers.
__device__ __forceinline__ void add_products(const MatmulCoresParams& p, WarpTile& warp, Stage (&stages)[kStages], Copies& copies, int steps, int& stage) {
  constexpr int kHalves = kStep / kDeep;
  static_assert(kHalves == 2);
#pragma unroll 1
  for (; steps > 0; --steps) {
    const int next = (stage + 1) % kStages, before = (stage + kStages - 1) % kStages;
#pragma unroll
    for (int half = 0; half < kHalves; ++half) {
      if (half == kHalves - 1) {
        wait_copies_but<kAhead - 1>();
        block_barrier();  // the copies of the next step have arrived, and every warp has loaded the last matrices of this step
      }
      warp.load(stages[half == kHalves - 1 ? next : stage], (half + 1) % kHalves);
      if (half == 0) copies.send(p, stages[before]);
      warp.multiply(half);
    }
    stage = next;
  }
}
