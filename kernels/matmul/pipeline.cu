// Computes: products of matrices of 16-bit elements on the tensor cores of sm_90a, and results of the sums (MatmulResult in params.h), or the sums of a split.
// Work split: as in cores.cu: a block takes tiles a grid apart, each a tile of the result and a split of the depth. One thread begins the copies of both
// operands; two warpgroups multiply, each 64 rows of the tile, and store what they have.
// Memory: boxes of the operands are copied through tensor maps into stages of a pipeline, on into the next tiles, as soon as both warpgroups have released a
// stage. 16-bit results go through shared memory and are copied to global memory, row by row, under the steps of the next tile: all at once they would keep
// the copies of operands waiting. f32 results are stored from the registers.
// Order of additions: along the depth, sixteen products at a time in the order of the hardware, for a round of kMatmulCoresRound. The sums of later
// rounds are added to the results of earlier ones, in f32. Which block takes a tile changes nothing.
// Limits: operands begin at multiples of 16 bytes, and their rows as stored are whole vectors; m, n, k and tiles below 2^31; splits and rounds are whole
// steps; several rounds only of f32 results without an activation. The plan checks them.
//
// Macros: ADJ_T, ADJ_OUT element types of the operands and of the results; ADJ_A_ACROSS, ADJ_B_ACROSS 1 where the depth runs along rows of the operand as
// stored, 0 where each row has one place of the depth; ADJ_EPILOGUE a number of params.h: kMatmulPlain, kMatmulGelu or kMatmulGeluGradient.
#include "matmul/epilogue.cuh"
#include "prelude/pipeline.cuh"
#include "prelude/warpgroup.cuh"

typedef ADJ_T T;
typedef ADJ_OUT E;
constexpr bool kWide = sizeof(E) == 4;
constexpr int kEpilogue = ADJ_EPILOGUE;
constexpr int kRows = kMatmulCoresRows, kColumns = kMatmulCoresColumns, kStages = kWide ? kMatmulPipelineWideStages : kMatmulPipelineStages;
constexpr int kStep = kMatmulPipelineStep, kVector = 8, kDeep = 16;  // kDeep: depth of one product of small matrices
constexpr int kGroupRows = 16;
constexpr int kGroupWarps = 4, kThreads = kMatmulPipelineThreads, kConsumerWarps = kThreads / kWarp - kGroupWarps;
constexpr int kProducerRegisters = 40, kConsumerRegisters = 232;
constexpr int kWarpRows = 16, kWarpgroupRows = kWarpRows * kGroupWarps;
constexpr int kPiece = 64, kPieceVectors = kPiece * kStep / kVector;  // rows or columns of the result in a box of an operand whose depth runs down
constexpr int kEach = 16 / sizeof(E);                                 // elements of a result in 16 bytes
constexpr int kPartColumns = kWide ? 32 : kColumns;                   // of a warp's tile, whose results lie in shared memory at a time
constexpr int kPadding = kEach;                                       // elements behind a row, so that eight rows lie in different banks
constexpr bool kInFlight = !kWide;                                    // results are copied while the next tile is multiplied
static_assert(kRows == kConsumerWarps * kWarpRows);

// Two neighbouring results.
typedef Packed<E, 2> Pair;
__device__ __forceinline__ Vec<f32, 2> open_pair(const Pair& p) {
  const Vec<E, 2> v = unpack_vector<E, 2>(p);
  return {{to_acc(v.at[0]), to_acc(v.at[1])}};
}
template <class Pair> __device__ __forceinline__ Pair close_pair(const f32& a, const f32& b) {
  if constexpr (sizeof(Pair) == 4) {
    return Pair{Convert<T>::pair(a, b)};
  } else {
    return pack_vector<f32, 2>({{a, b}});
  }
}

#include "matmul/round.cuh"
#include "matmul/results.cuh"

struct Stage {
  Words4 a[kRows * kStep / kVector], b[kColumns * kStep / kVector];
};
struct Shared {
  Stage stages[kStages];
  Rows rows[kConsumerWarps];
  Pipeline<kStages> pipeline;
};
static_assert(sizeof(Shared) + 1024 <= kMatmulPipelineShared);

__device__ __forceinline__ int steps_of(const Round& r) { return (r.end - r.begin + kStep - 1) / kStep; }

// Walks over the rounds of the tiles of this block.
struct Walk {
  u32 tile = static_cast<u32>(block_index());
  int done = 0;  // depth of the rounds of the tile before this one

  __device__ __forceinline__ void advance(const Round& r) {
    done = r.is_last ? 0 : done + kMatmulCoresRound;
    if (r.is_last) tile += static_cast<u32>(grid_blocks());
  }
};

template <bool kAcross, int kExtent>
__device__ __forceinline__ void copy_operand(Words4* to, const TensorMap& map, Barrier& full, int extent, int depth, int matrix) {
  if constexpr (kAcross) {
    copy_box(to, map, full, depth, extent, matrix);
  } else {
#pragma unroll
    for (int i = 0; i < kExtent / kPiece; ++i) copy_box(to + i * kPieceVectors, map, full, extent + i * kPiece, depth, matrix);
  }
}

__device__ __forceinline__ void produce(const MatmulPipelineParams& p, Shared& shared) {
  Position<kStages> at;
#pragma unroll 1
  for (Walk walk; walk.tile < static_cast<u32>(p.cores.tiles);) {
    const Round r(p.cores, walk.tile, walk.done);
#pragma unroll 1
    for (int depth = r.begin; depth < r.end; depth += kStep) {
      Stage& stage = shared.stages[at.stage];
      Barrier& full = shared.pipeline.full[at.stage];
      at.wait_free(shared.pipeline);
      full.arrive_and_expect(sizeof(Stage));
      copy_operand<ADJ_A_ACROSS, kRows>(stage.a, p.map_a, full, r.row, depth, r.matrix);
      copy_operand<ADJ_B_ACROSS, kColumns>(stage.b, p.map_b, full, r.column, depth, r.matrix);
      at.advance();
    }
    walk.advance(r);
  }
}

// Begins the products of a step for 64 rows of the tile. `adds`: to those of the steps before.
__device__ __forceinline__ void multiply(WarpgroupSums<T>& sums, const Stage& stage, int group, bool adds) {
  constexpr u32 kBytes = kPieceVectors * sizeof(Words4);
  const Words4* const a = stage.a + group * kWarpgroupRows * kStep / kVector;
  sums.open();
#pragma unroll
  for (int k = 0; k < kStep; k += kDeep) {
    const SharedMatrix own(a + (ADJ_A_ACROSS ? k / kVector : k * 8), kBytes), other(stage.b + (ADJ_B_ACROSS ? k / kVector : k * 8), kBytes);
    sums.multiply<!ADJ_A_ACROSS, !ADJ_B_ACROSS>(own, other, k > 0 || adds);
  }
  sums.close();
}

__device__ __forceinline__ void release(Pipeline<kStages>& pipeline, int stage) {
  warp_barrier();
  if (lane_index() == 0) pipeline.free[stage].arrive();
}

__device__ __forceinline__ void consume(const MatmulPipelineParams& p, Shared& shared) {
  const int warp = warp_index() - kGroupWarps, first_row = warp * kWarpRows;
  Position<kStages> at;
  WarpgroupSums<T> sums;
  Walk walk;
  if (walk.tile >= static_cast<u32>(p.cores.tiles)) return;
  Round round(p.cores, walk.tile, walk.done);
  RowCopy copy;
#pragma unroll 1
  for (;;) {
    int before = 0;
    const int steps = steps_of(round), due = copy.step(steps);
    sums.discard();
#pragma unroll 1
    for (int step = 0; step < steps; ++step) {
      at.wait_full(shared.pipeline);
      multiply(sums, shared.stages[at.stage], warp / kGroupWarps, step > 0);
      if (kInFlight && step == due) copy.begin();
      sums.wait_but<1>();
      if (step > 0) release(shared.pipeline, before);
      before = at.stage;
      at.advance();
    }
    // While the last products go on.
    const Results results(p.cores, round, shared.rows[warp], first_row);
    const bool has_rows = round.row + first_row < p.cores.m;
    if (has_rows) results.prepare();
    walk.advance(round);
    const bool goes_on = walk.tile < static_cast<u32>(p.cores.tiles);
    const Round next(p.cores, goes_on ? walk.tile : 0, walk.done);
    sums.wait_but<0>();
    release(shared.pipeline, before);
    if (has_rows) results.store(sums, copy);
    if (!goes_on) break;
    round = next;
  }
  if (kInFlight) {
    copy.begin();
    wait_copies_to_global();
  }
}

extern "C" __global__ void __launch_bounds__(kThreads, 1) ADJ_ENTRY(const __grid_constant__ MatmulPipelineParams p) {
  ADJ_DYNAMIC_SHARED(memory);
  Shared& shared = *reinterpret_cast<Shared*>(align_shared(memory, 1024));
  if (thread_index() == 0) {
    prefetch_map(p.map_a);
    prefetch_map(p.map_b);
    shared.pipeline.init(kConsumerWarps);
  }
  block_barrier();
  if (warp_index() < kGroupWarps) {
    give_registers<kProducerRegisters>();
    if (thread_index() == 0) produce(p, shared);
  } else {
    take_registers<kConsumerRegisters>();
    consume(p, shared);
  }
}
