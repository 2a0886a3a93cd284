// A warp's results in cores.cu, which its warpgroup multiplies out of shared memory. To be included by cores.cu alone.
#include "prelude/warpgroup.cuh"

constexpr int kGroupWarps = 4, kTileRows = kWarpRows * kGroupWarps;

struct WarpTile {
  WarpgroupSums<T> sums;
  bool adds;  // there are sums already

  // In the tile.
  static __device__ __forceinline__ int first_row() { return warp_index() * kWarpRows; }
  static __device__ __forceinline__ int first_column() { return 0; }
  static __device__ __forceinline__ bool has_results(const MatmulCoresParams& p, const Round& r) { return r.row + first_row() < p.m; }
  __device__ __forceinline__ void begin(const Stage&) {
    sums.discard();
    adds = false;
  }
  // Waits for the last products of all warpgroups, whose stage takes results then.
  __device__ __forceinline__ void end() {
    sums.wait_but<0>();
    block_barrier();
  }
  __device__ __forceinline__ void multiply(const Stage& stage) {
    constexpr u32 kPiece = kStep * 8 * sizeof(Words4);  // bytes of 64 rows or columns of the result
    const Words4* const a = stage.operands.a + warp_index() / kGroupWarps * kTileRows * kStep / kVector;
    const Words4* const b = stage.operands.b;
    sums.open();
#pragma unroll
    for (int k = 0; k < kStep; k += kDeep) {
      const SharedMatrix own(a + (ADJ_A_ACROSS ? k / kVector : k * 8), kPiece), other(b + (ADJ_B_ACROSS ? k / kVector : k * 8), kPiece);
      sums.multiply<!ADJ_A_ACROSS, !ADJ_B_ACROSS>(own, other, k > 0 || adds);
    }
    adds = true;
    sums.close();
  }
  // Puts eight rows of some columns of the warp's tile into shared memory.
  __device__ __forceinline__ void put(int part, int column_part, f32 (&to)[kPartRows * kPitch]) const {
    f32* const own = to + lane_index() / 4 * kPitch + lane_index() % 4 * 2;
    static_assert(kRowParts == 2 && kColumnParts == 2);
    if (column_part == 0) return part == 0 ? put<0, 0>(own) : put<1, 0>(own);
    return part == 0 ? put<0, 1>(own) : put<1, 1>(own);
  }

 private:
  template <int kPart, int kColumnPart> __device__ __forceinline__ void put(f32* own) const {
#pragma unroll
    for (int j = 0; j < kPartColumns / 8; ++j) {
      const f32(&four)[4] = sums.c[kColumnPart * kPartColumns / 8 + j];
      *reinterpret_cast<Vec<f32, 2>*>(own + j * 8) = {four[kPart * 2], four[kPart * 2 + 1]};
    }
  }
};

// Adds the products of steps from stage `stage` on, and begins to copy as many steps. Warpgroups whose results all lie outside of the matrix multiply zeros:
// every warp meets the same barriers.
__device__ __forceinline__ void add_products(const MatmulCoresParams& p, WarpTile& warp, Stage (&stages)[kStages], Copies& copies, int steps, int& stage) {
#pragma unroll 1
  for (; steps > 0; --steps) {
    wait_copies_but<kAhead - 1>();
    show_to_async_proxy();
    block_barrier();  // the copies of this step have arrived, and the products of the step before the last one have ended
    warp.multiply(stages[stage]);
    copies.send(p, stages[(stage + kAhead) % kStages]);
    warp.sums.wait_but<1>();
    stage = (stage + 1) % kStages;
  }
}
