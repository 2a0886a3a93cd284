// What the programs of products on tensor cores share: the tile of a block, the pipeline of its steps, the warps' products, the stores. README.md
// defines the words. A program defines kWeight before it includes this file, true for role 2, and a class that copies the steps (multiply_tile).
// Macros: ADJ_T element type; ADJ_ALIGNED 1 where both operands begin at multiples of 16 bytes, 0: anywhere.

#include "prelude/divide.cuh"
#include "prelude/matrix.cuh"
#include "gemm/params.h"
#include "conv/params.h"

typedef ADJ_T T;
constexpr int kWarpTile = 64, kTall = kWarpTile / 16, kWide = kWarpTile / 8;   // a warp has kTall by kWide matrices of 16 by 8 results
constexpr int kCopies = kCoresTile * kCoresStep / kGemmVector / kCoresThreads;  // vectors of each operand that a thread copies for a step
constexpr int kRowVectors = (kWeight ? kCoresTile : kCoresStep) / kGemmVector;    // vectors of a row in shared memory
constexpr int kCopyRows = kCoresThreads / kRowVectors;                           // rows between two copies of a thread
constexpr int kOutside = -(1 << 30);                                           // a coordinate that no tap brings inside
static_assert(kCopyRows % 8 == 0);

struct Stage {
  Words4 gathered[kCoresTile * kCoresStep / kGemmVector], matrix[kCoresTile * kCoresStep / kGemmVector];
};
// Where tap 0 of a place meets the gathered tensor: vector and coordinates. Vectors are modulo 2^32: outside the tensor they may be anything.
struct alignas(16) Point {
  u32 offset;
  int at[3];
};
struct Shared {
  union {
    Stage stages[kCoresStages];
    f32 results[kCoresTile * kCoresResultPitch];
  };
  Point points[2][kCoresTile];  // points of the lines; in role 2 of the places of four steps, two sets in turn
  i64 out[kCoresTile];  // element of out where a line begins; -1: the line is not stored
};
static_assert(sizeof(Shared) == kCoresShared && kCoresTile == 4 * kWarp);

// Returns the place of a vector of a row in shared memory. The eight rows of a matrix, and the vectors that eight lanes copy, lie in different
// banks. The pattern repeats every eight rows.
__device__ __forceinline__ int vector_at(int row, int vector) {
  return kWeight ? row * kRowVectors + (vector ^ (row & 7)) : row * kRowVectors + (vector ^ (row >> 1 & 3));
}

__device__ __forceinline__ void copy_vector(Words4* to, const void* tensor, u32 vector, bool inside, bool near) {
#if ADJ_ALIGNED
  const Words4* const from = static_cast<const Words4*>(tensor) + (inside ? vector : 0);
  if (near) copy16_to_shared<true>(to, from, inside);
  else copy16_to_shared(to, from, inside);
#else
  const u16* const from = static_cast<const u16*>(tensor) + (inside ? static_cast<i64>(vector) * kGemmVector : 0);
  Vec<u16, kGemmVector> v;
#pragma unroll
  for (int j = 0; j < kGemmVector; ++j) v.at[j] = inside ? from[j] : u16{0};
  *to = pack<u16>(v);
#endif
}

// Returns 16 bytes of results: four f32, or eight elements.
__device__ __forceinline__ Words4 words_of(const f32 (&x)[4]) { return narrow<f32>(x); }
__device__ __forceinline__ Words4 words_of(const f32 (&x)[kGemmVector]) { return narrow<T>(x); }

struct Place {
  int image, at[3];
};
__device__ __forceinline__ Place place_of(const ConvCoresParams& p, int index) {
  Place place;
  place.image = divide(index, p.by_places);
  index -= place.image * p.places;
  const int row = divide(index, p.by_extent[1]);
  place.at[2] = index - row * p.axis[2].places;
  place.at[0] = divide(row, p.by_extent[0]);
  place.at[1] = row - place.at[0] * p.axis[1].places;
  return place;
}

// The tile of a block: kCoresTile lines and columns of a group, of a split, and in role 1 of a residue.
struct Tile {
  int first_line, first_column, group, split;
  int residues[3], offset[3], taps[3];  // of the residue, in each dimension
  int weight_at = 0;                    // vector of a row of the weight where the taps of the residue begin
  int all_taps;
  int begin, steps;                     // first step of the split, and number of its steps

  __device__ __forceinline__ explicit Tile(const ConvCoresParams& p) {
    int tile = static_cast<int>(block_index());
    first_column = tile % p.column_tiles * kCoresTile;
    tile /= p.column_tiles;
    first_line = tile % p.line_tiles * kCoresTile;
    tile /= p.line_tiles;
    int residue = tile % p.residues;
    tile /= p.residues;
    group = tile % p.groups;
    split = tile / p.groups;
#pragma unroll
    for (int a = 2; a >= 0; --a) {
      residues[a] = residue % p.axis[a].residues;
      residue /= p.axis[a].residues;
      offset[a] = p.axis[a].of[residues[a]].offset;
      taps[a] = p.axis[a].of[residues[a]].taps;
      weight_at += p.axis[a].of[residues[a]].first_tap;
    }
    all_taps = taps[0] * taps[1] * taps[2];
    const int all_steps = kWeight ? (p.depth + kCoresStep - 1) / kCoresStep : (all_taps * p.inner + kRowVectors - 1) / kRowVectors;
    begin = split * p.split_steps;
    steps = max_of(min_of(all_steps - begin, p.split_steps), 0);
  }
  __device__ __forceinline__ Point point_of(const ConvCoresParams& p, const Place& place) const {
    Point point;
    point.offset = static_cast<u32>(place.image) * static_cast<u32>(p.gathered_image);
#pragma unroll
    for (int a = 0; a < 3; ++a) {
      point.at[a] = place.at[a] * p.axis[a].scale + offset[a];
      point.offset += static_cast<u32>(point.at[a]) * static_cast<u32>(p.axis[a].pitch);
    }
    return point;
  }
};

// A tap, and its distance from tap 0 in the gathered tensor.
struct Tap {
  int at[3] = {0, 0, 0}, by[3] = {0, 0, 0};

  __device__ __forceinline__ void split(const Tile& tile, int linear) {
    const int high = linear / tile.taps[2];
    at[2] = linear - high * tile.taps[2];
    at[0] = high / tile.taps[1];
    at[1] = high - at[0] * tile.taps[1];
  }
  // Sets the distance in coordinates, and returns it in vectors.
  __device__ __forceinline__ u32 find_shift(const ConvCoresParams& p) {
    u32 shift = 0;
#pragma unroll
    for (int a = 0; a < 3; ++a) {
      by[a] = at[a] * p.axis[a].step;
      shift += static_cast<u32>(by[a]) * static_cast<u32>(p.axis[a].pitch);
    }
    return shift;
  }
  // True if the tap of a point is inside the gathered tensor.
  __device__ __forceinline__ bool inside(const ConvCoresParams& p, const Point& point) const {
    bool in = true;
#pragma unroll
    for (int a = 0; a < 3; ++a) in &= static_cast<u32>(point.at[a] + by[a]) < static_cast<u32>(p.axis[a].extent);
    return in;
  }
};

// The results of a warp. Where columns fill at most half of the tile, each warp has these columns and half as many lines.
struct WarpTile {
  int first_line, first_column, tall;
  int line_at, column_at;  // row of shared memory that this lane names to load_matrices, for the first matrices
  f32 sum[kTall][kWide][4];
  u32 a[2][kTall][4], b[2][kWide / 2][4];  // matrices of the two halves of a step

  __device__ __forceinline__ WarpTile(const ConvCoresParams& p, const Tile& tile) {
    const bool is_half = p.columns - tile.first_column <= kWarpTile;
    tall = is_half ? kTall / 2 : kTall;
    first_line = is_half ? warp_index() * (kWarpTile / 2) : warp_index() % 2 * kWarpTile;
    first_column = is_half ? 0 : warp_index() / 2 * kWarpTile;
    const int lane = lane_index(), low = lane % 8, second = lane / 8 % 2, third = lane / 16;
    line_at = kWeight ? vector_at(third * 8 + low, first_line / kGemmVector + second) : vector_at(first_line + second * 8 + low, third);
    column_at = kWeight ? vector_at(second * 8 + low, first_column / kGemmVector + third) : vector_at(first_column + third * 8 + low, second);
  }
  __device__ __forceinline__ void clear() {
#pragma unroll
    for (int i = 0; i < kTall; ++i)
#pragma unroll
      for (int j = 0; j < kWide; ++j)
#pragma unroll
        for (int k = 0; k < 4; ++k) sum[i][j][k] = 0;
  }
  // Loads the matrices of half a step. For further matrices, bits of the vector change, or the row by multiples of 16.
  __device__ __forceinline__ void load(const Stage& stage, int half) {
#pragma unroll
    for (int i = 0; i < kTall; ++i) {
      if (i >= tall) continue;
      if (kWeight) load_transposed_matrices(a[half][i], stage.gathered + (line_at ^ i * 2) + half * 16 * kRowVectors);
      else load_matrices(a[half][i], stage.gathered + (line_at ^ half * 2) + i * 16 * kRowVectors);
    }
#pragma unroll
    for (int j = 0; j < kWide / 2; ++j) {
      if (kWeight) load_transposed_matrices(b[half][j], stage.matrix + (column_at ^ j * 2) + half * 16 * kRowVectors);
      else load_matrices(b[half][j], stage.matrix + (column_at ^ half * 2) + j * 16 * kRowVectors);
    }
  }
  __device__ __forceinline__ void multiply() {
#pragma unroll
    for (int half = 0; half < 2; ++half) {
#pragma unroll
      for (int i = 0; i < kTall; ++i) {
        if (i >= tall) continue;
#pragma unroll
        for (int j = 0; j < kWide; ++j) multiply_add_matrices<T>(sum[i][j], a[half][i], b[half][j / 2][j % 2 * 2], b[half][j / 2][j % 2 * 2 + 1]);
      }
    }
  }
  __device__ __forceinline__ void put(f32 (&results)[kCoresTile * kCoresResultPitch]) const {
    const int lane = lane_index();
#pragma unroll
    for (int i = 0; i < kTall; ++i)
#pragma unroll
      for (int j = 0; j < kWide; ++j)
#pragma unroll
        for (int k = 0; k < 4 && i < tall; ++k)
          results[(first_line + i * 16 + k / 2 * 8 + lane / 4) * kCoresResultPitch + first_column + j * 8 + lane % 4 * 2 + k % 2] = sum[i][j][k];
  }
};

// Stores the results of a round, or adds them to those of the rounds before. A lane stores 16 bytes of results or a single one, along the columns
// where channels are last, else along the lines. kNeighbours lanes take neighbouring results, the rest of the warp the rows beside them: these
// read different banks.
struct TileStore {
  static constexpr int kTogether = kWeight ? 4 : kGemmVector, kNeighbours = kWarp / kTogether;
  bool across, together;
  i64 base;

  __device__ __forceinline__ TileStore(const ConvCoresParams& p, const Tile& tile)
      : across(!kWeight && p.out_column == 1),
        together(kWeight || (p.whole_vectors && aligned16(p.out))),
        base(tile.split * p.out_split + tile.group * p.out_group) {}

  __device__ __forceinline__ void store(const ConvCoresParams& p, const Tile& tile, const Shared& s, int first) const {
#pragma unroll 1
    for (int e = thread_index(); e < kCoresTile * kCoresTile / (together ? kTogether : 1); e += kCoresThreads) {
      const int along = together ? (e % kNeighbours + e / kWarp % 4 * kNeighbours) * kTogether : e % kCoresTile;
      const int beside = together ? e / kNeighbours % kTogether + e / (4 * kWarp) * kTogether : e / kCoresTile;
      const int line = across ? beside : along, column = across ? along : beside;
      if (s.out[line] < 0 || tile.first_column + column >= p.columns) continue;
      const i64 at = base + s.out[line] + (tile.first_column + column) * p.out_column;
      const auto value = [&](int k) {
        const int of_line = line + (across ? 0 : k), of_column = column + (across ? k : 0);
        f32 v = s.results[of_line * kCoresResultPitch + of_column];
        if (!kWeight && p.bias && first == 0) v += to_acc(static_cast<const T*>(p.bias)[tile.group * p.columns + tile.first_column + of_column]);
        return v;
      };
      if (together) {
        f32 x[kTogether];
#pragma unroll
        for (int k = 0; k < kTogether; ++k) x[k] = value(k);
        if (kWeight && first > 0) {
#pragma unroll
          for (int k = 0; k < kTogether; ++k) x[k] += static_cast<const f32*>(p.out)[at + k];
        }
        store_words(reinterpret_cast<Words4*>(static_cast<u8*>(p.out) + at * (16 / kTogether)), words_of(x));
      } else if (p.sums) {
        f32& held = static_cast<f32*>(p.out)[at];
        held = first > 0 ? held + value(0) : value(0);
      } else {
        static_cast<T*>(p.out)[at] = from_acc<T>(value(0));
      }
    }
  }
};

// Computes and stores a tile. copies.send(p, tile, s, step) begins to copy a step of the operands into its stage of shared memory, and
// copies.prepare(p, tile, s, step) makes what further steps need.
template <class Copies> __device__ __forceinline__ void multiply_tile(const ConvCoresParams& p, const Tile& tile, Shared& s, Copies& copies) {
  constexpr int kAhead = kCoresStages - 1;
  WarpTile warp(p, tile);
  const TileStore out(p, tile);
#pragma unroll 1
  for (int first = 0; first == 0 || first < tile.steps; first += kCoresRound) {
    const int end = min_of(first + kCoresRound, tile.steps);
    if (first > 0) block_barrier();  // every thread has read the results of the round before
    warp.clear();
#pragma unroll 1
    for (int step = first; step < end + kAhead; ++step) {
      const bool multiplies = step >= first + kAhead;
      const Stage& stage = s.stages[static_cast<u32>(step + kCoresStages - kAhead) % kCoresStages];  // stage of the step to multiply
      if (multiplies) {
        wait_copies_but<kAhead - 1>();
        block_barrier();      // the copies of the step to multiply have arrived, and every warp has multiplied the step before it
        warp.load(stage, 0);  // in flight while the copies are issued
      }
      if (step < end) copies.send(p, tile, s, step);
      close_copies();
      if (step < end && step + 1 < tile.steps) copies.prepare(p, tile, s, step + 1);
      if (!multiplies) continue;
      warp.load(stage, 1);
      warp.multiply();
    }
    wait_copies_but<0>();
    block_barrier();
    warp.put(s.results);
    block_barrier();
    out.store(p, tile, s, first);
  }
}
