// Computes: the products of gemm/tiles.cu on tensor cores, of tensors with channels last whose groups fill vectors. README.md defines the words.
//   role 0, small from big, and role 1, big from small: lines are places of the result, columns its channels, the depth the taps and vectors of
//     the gathered tensor; the weight has a row for each column. One program serves both roles, by its parameters.
//   role 2 is tensor_cores_weight.cu
// Work split: a block of four warps has a tile of 128 lines and 128 columns of a group, of a split, and in role 1 of a residue; a warp has
// 64 by 64 of them.
// Memory: steps of 32 products are copied into shared memory a vector at a time, three steps ahead; results go through shared memory, too. Vectors
// are swizzled within rows, so that neither copies nor loads of matrices have bank conflicts. Channels are the outer part of the depth and
// taps the inner one, so that neighbouring taps read the same vector soon after each other.
// Order of additions: along the depth, sixteen products at a time in the order of the hardware, for a round of 144 steps; then round by round,
// in f32 in the workspace if there are several. finish.cu adds the splits, and makes elements of sums in the workspace.
// Limits: vectors of every operand, lines and tiles below 2^31; up to kMostResidues residues of a dimension; the plan checks them.
//
// Macros: those of tensor_cores.cuh.
constexpr bool kWeight = false;
#include "conv/tensor_cores.cuh"

// Finds the lines of the tile: where they begin in the gathered tensor, and where they are stored. Thread t has line t.
__device__ __forceinline__ void find_lines(const ConvCoresParams& p, const Tile& tile, Shared& s) {
  const int t = thread_index(), line = tile.first_line + t;
  i64 to = -1;
  Point point = {0, {kOutside, kOutside, kOutside}};
  if (line < p.lines) {
    const Place place = place_of(p, line);
    point = tile.point_of(p, place);
    to = place.image * p.out_image;
    bool in = true;
#pragma unroll
    for (int a = 0; a < 3; ++a) {
      const int at = place.at[a] * p.axis[a].residues + tile.residues[a];
      in &= at < p.axis[a].out_places;
      to += at * p.axis[a].out_pitch;
    }
    if (!in) to = -1;
  }
  s.points[0][t] = point;
  s.out[t] = to;
}

// Copies of a thread: in every step, the same vector of kCopies lines of the gathered tensor, and of as many rows of the weight.
struct Copies {
  int row, own_at;
  Point own[kCopies];  // points of the lines
  Tap tap;
  int channel = 0;     // vector of the channels
  u32 matrix_at, gathered_at;

  __device__ __forceinline__ Copies(const ConvCoresParams& p, const Tile& tile, const Shared& s) {
    const int t = thread_index(), vector = t % kRowVectors;
    row = t / kRowVectors;
    own_at = vector_at(row, vector);
    matrix_at = static_cast<u32>(tile.group) * static_cast<u32>(p.matrix_group);
    gathered_at = static_cast<u32>(tile.group) * static_cast<u32>(p.gathered_group);
#pragma unroll
    for (int k = 0; k < kCopies; ++k) own[k] = s.points[0][row + k * kCopyRows];
    matrix_at += static_cast<u32>(tile.first_column + row) * static_cast<u32>(p.matrix_row) + static_cast<u32>(tile.weight_at);
    if (tile.steps > 0) {
      const int index = tile.begin * (kRowVectors / p.together) + vector / p.together, outer = index / tile.all_taps;
      tap.split(tile, index - outer * tile.all_taps);
      channel = outer * p.together + vector % p.together;
    }
  }
  __device__ __forceinline__ void send(const ConvCoresParams& p, const Tile& tile, Shared& s, int step) {
    Stage& stage = s.stages[static_cast<u32>(step) % kCoresStages];
    Words4 *const gathered = stage.gathered + own_at, *const matrix = stage.matrix + own_at;
    const bool is_depth = channel < p.inner;
    const u32 shift = tap.find_shift(p) + gathered_at + static_cast<u32>(channel);
    u32 weight = matrix_at + static_cast<u32>(channel);
#pragma unroll
    for (int a = 0; a < 3; ++a) weight += static_cast<u32>(tap.at[a]) * static_cast<u32>(p.axis[a].tap_pitch);
#pragma unroll
    for (int k = 0; k < kCopies; ++k) {
      copy_vector(gathered + k * kCopyRows * kRowVectors, p.gathered, own[k].offset + shift, is_depth && tap.inside(p, own[k]), true);
      copy_vector(matrix + k * kCopyRows * kRowVectors, p.matrix, weight + static_cast<u32>(k * kCopyRows) * static_cast<u32>(p.matrix_row),
                  is_depth && tile.first_column + row + k * kCopyRows < p.columns, false);
    }
#pragma unroll 1
    for (int k = p.together; k <= kRowVectors; k += p.together) {  // the next step begins kRowVectors / together taps later
      if (++tap.at[2] < tile.taps[2]) continue;
      tap.at[2] = 0;
      if (++tap.at[1] < tile.taps[1]) continue;
      tap.at[1] = 0;
      if (++tap.at[0] < tile.taps[0]) continue;
      tap.at[0] = 0;
      channel += p.together;
    }
  }
  __device__ __forceinline__ void prepare(const ConvCoresParams&, const Tile&, Shared&, int) {}
};

extern "C" __global__ void __launch_bounds__(kCoresThreads, 2) ADJ_ENTRY(const __grid_constant__ ConvCoresParams p) {
  ADJ_DYNAMIC_SHARED(memory);
  Shared& s = *reinterpret_cast<Shared*>(memory);
  const Tile tile(p);
  find_lines(p, tile, s);
  block_barrier();
  Copies copies(p, tile, s);
  multiply_tile(p, tile, s, copies);
}
