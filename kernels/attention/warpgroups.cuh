// Shared by the programs of warpgroups: one warpgroup copies tiles and steps through tensor maps, the others multiply, each for its own rows of the tile.
// README.md defines the words.
#pragma once

#include "prelude/pipeline.cuh"
#include "prelude/warpgroup.cuh"
#include "attention/cores.cuh"

constexpr int kGroupWarps = 4, kConsumerWarps = kAttentionGroups * kGroupWarps, kTile = kAttentionGroupTile;
constexpr int kProducerRegisters = 40, kConsumerRegisters = 232;
constexpr int kDeep = 16;      // depth of one product of small matrices
constexpr int kWarpRows = 16;  // of a tile

// Rows of kDim columns in shared memory, as products and copies of boxes have them: rows of 128 bytes, 64 columns after 64.
template <class T, int kDim, int kRows> struct alignas(1024) SharedRows {
  static constexpr int kVector = 8, kRowVectors = 8, kPiece = kRows * kRowVectors, kVectors = kDim / kVector;
  static constexpr u32 kPieceBytes = kPiece * sizeof(Words4);
  Words4 at[kRows * kVectors];

  // Of the rows from `row` on, columns k * 16 to k * 16 + 15, along which products add.
  __device__ __forceinline__ SharedMatrix across(int row, int k) const {
    return SharedMatrix(at + k * 2 / kRowVectors * kPiece + row * kRowVectors + k * 2 % kRowVectors, kPieceBytes);
  }
  // All columns of the rows k * 16 to k * 16 + 15, along which products add.
  __device__ __forceinline__ SharedMatrix down(int k) const { return SharedMatrix(at + k * kDeep * kRowVectors, kPieceBytes); }

  // By one thread: begins to copy rows of a head of a sequence, which the barrier counts. Behind the last token are zeros.
  __device__ __forceinline__ void copy(const TensorMap& map, Barrier& full, int token, int head, int sequence) {
#pragma unroll
    for (int i = 0; i < kDim / 64; ++i) copy_box(at + i * kPiece, map, full, i * 64, token, head, sequence);
  }
  // By a warp: copies the first `count` rows, and zeros behind them. Begins at element `from` of a tensor.
  __device__ __forceinline__ void copy(const AttentionParams& p, const void* tensor, i64 from, i64 stride, int count) {
#pragma unroll 1
    for (int index = lane_index(); index < kRows * kVectors; index += kWarp) {
      const int row = index / kVectors, vector = index % kVectors;
      const T* const source = static_cast<const T*>(tensor) + from + row * stride + vector * kVector;
      copy16_to_shared(at + vector / kRowVectors * kPiece + row * kRowVectors + (vector % kRowVectors ^ row % 8), reinterpret_cast<const Words4*>(source),
                       row < count && vector * kVector < p.dim);
    }
    close_copies();
    wait_copies_but<0>();
    show_to_async_proxy();
    warp_barrier();
  }
};

// What the warpgroups pass to each other about tiles: the pieces of the block, those of this tile and the next by turns.
template <bool kLastFirst> struct TileQueue {
  Pipeline<1> pipeline;
  BlockPieces<kLastFirst> pieces[2];
};

// By the producer's warp: waits for a free stage. Only one lane looks at the barrier: a later look of another lane could miss the phase.
template <int kStages> __device__ __forceinline__ void wait_free(Pipeline<kStages>& pipeline, const Position<kStages>& at) {
  if (lane_index() == 0) at.wait_free(pipeline);
  warp_barrier();
}

// By the producer's warp: puts the next piece into the queue, when the consumers have released the tile before. Its place is returned.
template <bool kLastFirst>
__device__ __forceinline__ const BlockPieces<kLastFirst>& next_piece(TileQueue<kLastFirst>& queue, const Position<1>& at, const AttentionParams& p) {
  BlockPieces<kLastFirst>& own = queue.pieces[at.turn % 2];
  wait_free(queue.pipeline, at);
  if (lane_index() == 0) {
    if (at.turn == 0) {
      own.begin(p, kTile);
    } else {
      own = queue.pieces[(at.turn + 1) % 2];
      own.advance(p, kTile);
    }
  }
  warp_barrier();
  return own;
}

// Rows of another sequence may hold what is not finite, so that a weight of 0 does not hide it. They lie behind the last rows of a sequence with cu_seqlens.
__device__ __forceinline__ bool has_strangers(const AttentionParams& p, int left, int rows) { return p.cu_seqlens && left < rows; }

// By the producer's warp: copies rows of the other side, of which the sequence has `left`, into a free stage, and says so to its barrier. kClean: strangers
// become zeros.
template <bool kClean, class T, int kDim, int kRows>
__device__ __forceinline__ void copy_rows(SharedRows<T, kDim, kRows>& to, Barrier& full, const AttentionParams& p, const Pieces& piece, const TensorMap& map,
                                          const void* tensor, const AttentionStrides& strides, int head, int row, int left) {
  if (kClean && has_strangers(p, left, kRows)) {
    to.copy(p, tensor, piece.at(strides, head) + row * strides.token, strides.token, left);
    if (lane_index() == 0) full.arrive();
  } else if (lane_index() == 0) {
    full.arrive_and_expect(sizeof to);
    to.copy(map, full, piece.first + row, head, piece.sequence);
  }
  warp_barrier();
}

template <int kStages> __device__ __forceinline__ void release(Pipeline<kStages>& pipeline, int stage) {
  warp_barrier();
  if (lane_index() == 0) pipeline.free[stage].arrive();
}
template <int kStages> __device__ __forceinline__ void pass(Pipeline<kStages>& pipeline, Position<kStages>& at) {
  at.wait_full(pipeline);
  release(pipeline, at.stage);
  at.advance();
}

// Begins c = own rows times the rows of a step, along the columns.
template <class T, int kDim, int kRows, int kOther>
__device__ __forceinline__ void begin_scores(WarpgroupSums<T, kOther>& c, const SharedRows<T, kDim, kRows>& own, int row,
                                             const SharedRows<T, kDim, kOther>& other) {
  c.open();
#pragma unroll
  for (int k = 0; k < kDim / kDeep; ++k) c.template multiply<false, false>(own.across(row, k), other.across(0, k), k > 0);
  c.close();
}

// Weights of a warpgroup, rounded to T, as the first matrix of a product.
template <class T, int kOther> struct Weights {
  u32 at[kOther / kDeep][4];

  __device__ __forceinline__ void take(const f32 (&c)[kOther / 8][4]) {
#pragma unroll
    for (int k = 0; k < kOther / kDeep; ++k)
#pragma unroll
      for (int w = 0; w < 4; ++w) at[k][w] = Convert<T>::pair(c[k * 2 + w / 2][w % 2 * 2], c[k * 2 + w / 2][w % 2 * 2 + 1]);
  }
};

// Begins sum += weights times the rows of a step.
template <class T, int kDim, int kOther>
__device__ __forceinline__ void begin_products(WarpgroupSums<T, kDim>& sum, const Weights<T, kOther>& weights, const SharedRows<T, kDim, kOther>& other) {
  sum.open();
#pragma unroll
  for (int k = 0; k < kOther / kDeep; ++k) sum.template multiply<true>(weights.at[k], other.down(k), true);
  sum.close();
}

// Stores the warp's rows of sums, those of a thread times factor[0] and factor[1], from the element `at` of a tensor on. `count` of the sixteen rows exist.
template <class T, int kDim>
__device__ __forceinline__ void store_rows(void* tensor, const AttentionParams& p, i64 at, i64 stride, int count, const WarpgroupSums<T, kDim>& sum,
                                           const f32 (&factor)[2]) {
  const int lane = opaque(lane_index()), quarter = lane % 4;
#pragma unroll
  for (int half = 0; half < 2; ++half) {
    const int row = lane / 4 + half * 8;
    T* const to = static_cast<T*>(tensor) + at + row * stride;
#pragma unroll
    for (int n = 0; n < kDim / 8; n += 4) {
      // Four lanes have four vectors of a row, two elements of each. They exchange them, so that each has a whole vector.
      u32 v[4];
#pragma unroll
      for (int j = 0; j < 4; ++j) v[j] = Convert<T>::pair(sum.c[n + j][half * 2] * factor[half], sum.c[n + j][half * 2 + 1] * factor[half]);
#pragma unroll
      for (int mask = 1; mask < 4; mask *= 2)
#pragma unroll
        for (int j = 0; j < 4; ++j) {
          if (j & mask) continue;
          const bool is_upper = (quarter & mask) != 0;
          const u32 other = shuffle_xor(is_upper ? v[j] : v[j | mask], mask);
          if (is_upper) v[j] = other;
          else v[j | mask] = other;
        }
      const int column = (n + quarter) * 8;
      if (row < count && column < p.dim) store_words(reinterpret_cast<Words4*>(to + column), Words4{v[0], v[1], v[2], v[3]});
    }
  }
}
