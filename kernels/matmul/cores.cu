// Computes: products of matrices of 16-bit elements on tensor cores, and results of the sums (MatmulResult in params.h), or the sums of a split.
// Work split: a block takes tiles a grid apart, each a tile of the result and a split of the depth; a warp has 64 by 64 elements of it, or with
// ADJ_WARPGROUPS 16 by 256, since four warps multiply together. Tiles are numbered in groups of kGroupRows rows, so that blocks that run together read the
// same rows and columns from the level-2 cache.
// Memory: steps along the depth are copied into shared memory a vector at a time, kAhead steps ahead, on into the next tile. Results go through a stage
// that holds no copies, eight rows of each warp at a time, while the next tile's copies arrive. Vectors are swizzled within rows of shared memory, so that
// neither copies nor loads have bank conflicts.
// Order of additions: along the depth, sixteen products at a time in the order of the hardware, for a round of kMatmulCoresRound. The sums of later
// rounds are added to the results of earlier ones, in f32. Which block takes a tile changes nothing.
// Limits: rows of operands as stored are whole vectors; m, n, k and tiles below 2^31; several rounds only of f32 results without an activation. The
// plan checks them. ADJ_WARPGROUPS: sm_90a.
//
// Macros: ADJ_T element type of the operands; ADJ_A_ACROSS, ADJ_B_ACROSS 1 where the depth runs along rows of the operand as stored, 0 where each
// row has one place of the depth; ADJ_ALIGNED 1 where both operands begin at multiples of 16 bytes, 0: anywhere; ADJ_WARPGROUPS 1 where warpgroups
// multiply out of shared memory, 0 where warps multiply what they have loaded into registers.
#include "matmul/epilogue.cuh"
#include "prelude/memory.cuh"
#include "prelude/thread.cuh"

typedef ADJ_T T;
constexpr int kRows = kMatmulCoresRows, kColumns = kMatmulCoresColumns, kStages = kMatmulCoresStages, kThreads = kMatmulCoresThreads;
constexpr int kVector = 8, kDeep = 16;  // kDeep: depth of one product of small matrices
constexpr int kGroupRows = 16;
#if ADJ_WARPGROUPS
constexpr int kStep = 2 * kMatmulCoresStep, kShared = kMatmulWarpgroupsShared, kWarpRows = 16, kWarpColumns = kColumns;
constexpr int kAhead = kStages - 2;  // the products of two steps may be in flight
#else
constexpr int kStep = kMatmulCoresStep, kShared = kMatmulCoresShared, kWarpRows = 64, kWarpColumns = 64;
constexpr int kAhead = kStages - 1;
#endif
constexpr int kWarpsAcross = kColumns / kWarpColumns;
constexpr int kPartRows = 8, kPartColumns = kWarpColumns < 128 ? kWarpColumns : 128;  // of a warp's tile, whose results lie in shared memory at a time
constexpr int kRowParts = kWarpRows / kPartRows, kColumnParts = kWarpColumns / kPartColumns;
constexpr int kPitch = kPartColumns + 8;  // f32 from one of these rows to the next: four rows of eight fill all banks
static_assert(kRows / kWarpRows * kWarpsAcross * kWarp == kThreads);

#include "matmul/round.cuh"

// Copies of an operand: of A kExtent rows of the result, of B kExtent columns. A thread copies the same vector of every kCopyRows-th row.
template <bool kAcross, int kExtent> struct Operand {
  static constexpr int kRowVectors = (kAcross ? kStep : kExtent) / kVector;  // vectors of a row in shared memory
  static constexpr int kVectors = kExtent * kStep / kVector, kCopies = kVectors / kThreads, kCopyRows = kThreads / kRowVectors;
  static constexpr int kPitchVectors = ADJ_WARPGROUPS ? 8 : kRowVectors;  // from one row in shared memory to the next
  static_assert(kThreads % kRowVectors == 0 && kVectors % kThreads == 0 && kCopyRows % 8 == 0);

  const u16* from;
  int rows, vectors;  // rows and vectors that are left from this thread's first vector on; none: copies are zeros
  int own_at;

  // Returns the place of a vector of a row in shared memory. The eight rows of a matrix, and the vectors that eight lanes copy, lie in different
  // banks. The pattern repeats every eight rows. Longer rows of warpgroups are cut into pieces of eight vectors.
  static __device__ __forceinline__ int place(int row, int vector) {
    if (ADJ_WARPGROUPS) return vector / 8 * 8 * kStep + row * 8 + (vector % 8 ^ row % 8);
    return row * kRowVectors + (vector ^ (kRowVectors == 4 ? row >> 1 & 3 : row & 7));
  }
  // The depth from `begin` to `end`, and the extent from `first` to `last`.
  __device__ __forceinline__ Operand(const void* matrix, i64 pitch, int first, int last, int begin, int end) {
    const int t = thread_index(), vector = t % kRowVectors, row = t / kRowVectors;
    own_at = place(row, vector);
    rows = (kAcross ? last - first : end - begin) - row;
    vectors = ((kAcross ? end - begin : last - first) + kVector - 1) / kVector - vector;
    from = static_cast<const u16*>(matrix) + ((kAcross ? first : begin) + row) * pitch + (kAcross ? begin : first) + vector * kVector;
  }
  // Begins to copy the next step.
  __device__ __forceinline__ void send(Words4* stage, i64 pitch) {
    const int left = vectors > 0 ? rows : 0;
#pragma unroll(ADJ_ALIGNED ? kCopies : 1)
    for (int k = 0; k < kCopies; ++k) copy(stage + own_at + k * kCopyRows * kPitchVectors, from + k * kCopyRows * pitch, k * kCopyRows < left);
    from += kAcross ? kStep : kStep * pitch;
    (kAcross ? vectors : rows) -= kAcross ? kRowVectors : kStep;
  }

 private:
  static __device__ __forceinline__ void copy(Words4* to, const u16* vector, bool valid) {
#if ADJ_ALIGNED
    copy16_to_shared(to, reinterpret_cast<const Words4*>(vector), valid);
#else
    Vec<u16, kVector> v;
#pragma unroll
    for (int j = 0; j < kVector; ++j) v.at[j] = valid ? vector[j] : u16{0};
    *to = pack<u16>(v);
#endif
  }
};
typedef Operand<ADJ_A_ACROSS, kRows> OperandA;
typedef Operand<ADJ_B_ACROSS, kColumns> OperandB;

union Stage {
  struct {
    Words4 a[OperandA::kVectors], b[OperandB::kVectors];
  } operands;
  f32 sums[kThreads / kWarp][kPartRows * kPitch];  // a part of each warp's tile
};
static_assert(sizeof(Stage) * kStages <= kShared);

// Copies of both operands of a round.
struct Copies {
  OperandA a;
  OperandB b;

  __device__ __forceinline__ Copies(const MatmulCoresParams& p, const Round& r)
      : a(static_cast<const T*>(p.a) + r.matrix * p.a_matrix, p.a_row, r.row, p.m, r.begin, r.end),
        b(static_cast<const T*>(p.b) + r.matrix * p.b_matrix, p.b_row, r.column, p.n, r.begin, r.end) {}
  // Further copies are zeros.
  __device__ __forceinline__ void stop() { a.rows = b.rows = 0; }
  __device__ __forceinline__ void send(const MatmulCoresParams& p, Stage& stage) {
    a.send(stage.operands.a, p.a_row);
    b.send(stage.operands.b, p.b_row);
    close_copies();
  }
};

#if ADJ_WARPGROUPS
#include "matmul/warpgroup_tile.cuh"
#else
#include "matmul/warp_tile.cuh"
#endif

// Four neighbouring elements of a tensor laid out like the result, at once or one by one.
struct Fours {
  bool wide, together;

  __device__ __forceinline__ Vec<f32, 4> load(const void* tensor, i64 first, int count) const {
    Vec<f32, 4> v = {{0, 0, 0, 0}};
    if (together && wide) {
      v = unpack_vector<f32, 4>(load_words(reinterpret_cast<const Words4*>(static_cast<const f32*>(tensor) + first)));
    } else if (together) {
      const Words2 w = load_words(reinterpret_cast<const Words2*>(static_cast<const T*>(tensor) + first));
      v = {{low_f32(T{}, w.x), high_f32(T{}, w.x), low_f32(T{}, w.y), high_f32(T{}, w.y)}};
    } else {
#pragma unroll
      for (int k = 0; k < 4; ++k)
        if (k < count) v.at[k] = wide ? static_cast<const f32*>(tensor)[first + k] : to_acc(static_cast<const T*>(tensor)[first + k]);
    }
    return v;
  }
  __device__ __forceinline__ void store(void* tensor, i64 first, int count, const Vec<f32, 4>& v) const {
    if (together && wide) {
      store_words(reinterpret_cast<Words4*>(static_cast<f32*>(tensor) + first), pack_vector<f32, 4>(v));
    } else if (together) {
      store_words(reinterpret_cast<Words2*>(static_cast<T*>(tensor) + first), {Convert<T>::pair(v.at[0], v.at[1]), Convert<T>::pair(v.at[2], v.at[3])});
    } else {
#pragma unroll
      for (int k = 0; k < 4; ++k) {
        if (k >= count) continue;
        if (wide) static_cast<f32*>(tensor)[first + k] = v.at[k];
        else static_cast<T*>(tensor)[first + k] = from_acc<T>(v.at[k]);
      }
    }
  }
};

// Begins to fetch what the results of a round are made of to the level-2 cache.
__device__ __forceinline__ void prefetch_others(const MatmulCoresParams& p, const Round& round) {
  constexpr int kLine = 128;
  const void* const other = round.other(p);
  if (!other) return;
  const int size = p.wide ? 4 : 2, lines = kColumns * size / kLine;
  const u8* const first = static_cast<const u8*>(other) + (round.matrix * p.result.matrix + round.column) * size;
#pragma unroll 1
  for (int e = thread_index(); e < kRows * lines; e += kThreads) {
    const int row = round.row + e / lines, at = e % lines * kLine;
    if (row < p.m && round.column + at / size < p.n) prefetch_line(first + row * p.result.row_pitch * size + at);
  }
}

// Stores the results of a warp in some of its columns, of which a lane loads kTogether groups of four ahead. `scratch` is its own.
template <int kTogether>
__device__ __forceinline__ void store_results(const MatmulCoresParams& p, const Round& round, const WarpTile& warp, f32 (&scratch)[kPartRows * kPitch],
                                              const void* other, Fours fours, int epilogue, int column_part) {
  constexpr int kFours = kPartColumns / 4, kRowsAtOnce = kWarp / kFours, kRowsTogether = kTogether * kRowsAtOnce;
  static_assert(kPartRows % kRowsTogether == 0);
  const MatmulResult& r = p.result;
  const int lane = opaque(lane_index()), own_row = lane / kFours, own_column = lane % kFours * 4;
  const int column = round.column + WarpTile::first_column() + column_part * kPartColumns + own_column, count = p.n - column;
  const int first_row = round.row + WarpTile::first_row() + own_row, rows = count > 0 ? p.m - first_row : 0;  // of this lane
  const f32 alpha = static_cast<f32>(r.alpha), beta = round.is_later ? 1.0f : static_cast<f32>(r.beta);
  const i64 at = round.split * p.out_split + round.matrix * r.matrix + static_cast<i64>(first_row) * r.row_pitch + column;
  Vec<f32, 4> bias = {}, others[kTogether] = {};
  if (r.bias && !round.is_later && rows > 0) bias = fours.load(r.bias, column, count);
  const auto load_other = [&](int u, int row) {
    if (row < rows) others[u] = fours.load(other, at + row * r.row_pitch, count);
  };
  if (other) {
#pragma unroll
    for (int u = 0; u < kTogether; ++u) load_other(u, u * kRowsAtOnce);
  }
#pragma unroll 1
  for (int first = 0; first < kWarpRows; first += kRowsTogether) {
    if (first % kPartRows == 0) {
      warp_barrier();
      warp.put(first / kPartRows, column_part, scratch);
      warp_barrier();
    }
#pragma unroll
    for (int u = 0; u < kTogether; ++u) {
      const int row = first + u * kRowsAtOnce;
      Vec<f32, 4> z = *reinterpret_cast<const Vec<f32, 4>*>(scratch + (own_row + row % kPartRows) * kPitch + own_column), out;
#pragma unroll
      for (int k = 0; k < 4; ++k) {
        const Element<T> element(epilogue, alpha * z.at[k], beta, others[u].at[k], bias.at[k]);
        z.at[k] = element.z;
        out.at[k] = element.out;
      }
      if (other && first + kRowsTogether < kWarpRows) load_other(u, row + kRowsTogether);
      if (row >= rows) continue;
      if (r.preactivation) fours.store(r.preactivation, at + row * r.row_pitch, count, z);
      fours.store(r.out, at + row * r.row_pitch, count, out);
    }
  }
}

// Where a warp is. It lies in shared memory, so that it takes no registers in the loop of products.
struct Walk {
  u32 tile;
  int done;  // depth of the rounds of the tile before this one
};

extern "C" __global__ void __launch_bounds__(kThreads, 1) ADJ_ENTRY(const __grid_constant__ MatmulCoresParams p) {
  ADJ_SHARED(Walk, walks, kThreads / kWarp);
  ADJ_DYNAMIC_SHARED(memory);
  Walk& walk = walks[warp_index()];
  Stage(&stages)[kStages] = *reinterpret_cast<Stage(*)[kStages]>(ADJ_WARPGROUPS ? align_shared(memory, 1024) : memory);
  const MatmulResult& r = p.result;
  const u32 tiles = static_cast<u32>(p.tiles);
  u32 tile = static_cast<u32>(block_index());
  int done = 0, stage = 0;
  WarpTile warp;
  Copies copies(p, Round(p, tile, done));
#pragma unroll 1
  for (int ahead = 0; ahead < kAhead; ++ahead) copies.send(p, stages[ahead]);
#pragma unroll 1
  while (tile < tiles) {
    int steps;
    {
      const Round round(p, tile, done);
      steps = max_of((round.end - round.begin + kStep - 1) / kStep, kAhead);  // copies behind the end of a round are zeros
    }
    warp_barrier();
    if (lane_index() == 0) walk = {tile, done};
    warp_barrier();
    warp.begin(stages[stage]);
#pragma unroll 1
    for (int is_end = 0; is_end < 2; ++is_end) {
      if (is_end) {
        // The last steps copy the first ones of the next round.
        const Round round(p, walk.tile, walk.done);
        const u32 next = round.is_last ? walk.tile + static_cast<u32>(grid_blocks()) : walk.tile;
        prefetch_others(p, round);
        if (next < tiles) copies = Copies(p, Round(p, next, round.is_last ? 0 : walk.done + kMatmulCoresRound));
        else copies.stop();
      }
      add_products(p, warp, stages, copies, is_end ? kAhead : steps - kAhead, stage);
    }
    warp.end();
    // Computed again, so that it takes no registers before.
    const Round round(p, walk.tile, walk.done);
    done = round.is_last ? 0 : walk.done + kMatmulCoresRound;
    tile = round.is_last ? walk.tile + static_cast<u32>(grid_blocks()) : walk.tile;
    if (!WarpTile::has_results(p, round)) continue;
    const void* const other = round.other(p);
    // The stage of the last step is free until the next round begins.
    f32(&scratch)[kPartRows * kPitch] = stages[(stage + kStages - 1) % kStages].sums[warp_index()];
    const bool together = p.fours && aligned16(r.bias) && aligned16(other) && aligned16(r.out) && aligned16(r.preactivation);
#pragma unroll 1
    for (int part = 0; part < kColumnParts; ++part) {
      const auto store = [&](Fours fours, int epilogue) { store_results<4>(p, round, warp, scratch, other, fours, epilogue, part); };
      // The kinds that matter have code of their own.
      if (together && p.wide && r.epilogue == kMatmulPlain) store({true, true}, kMatmulPlain);
      else if (together && !p.wide && r.epilogue == kMatmulPlain) store({false, true}, kMatmulPlain);
      else if (together && !p.wide && r.epilogue == kMatmulGelu) store({false, true}, kMatmulGelu);
      else if (together && !p.wide) store({false, true}, kMatmulGeluGradient);
      else store_results<1>(p, round, warp, scratch, other, {p.wide != 0, together}, r.epilogue, part);
    }
  }
  wait_copies_but<0>();
}
