// Computes: the product of role 2, the gradient of the weight, on tensor cores, of tensors with channels last whose groups fill vectors. README.md
// defines the words. Lines are the taps and big's channels, columns small's channels, the depth the places of small.
// Work split: that of tensor_cores.cu.
// Memory: that of tensor_cores.cu; results are f32 sums in the workspace.
// Order of additions: that of tensor_cores.cu.
// Limits: those of tensor_cores.cu; the plan checks them.
//
// Macros: those of tensor_cores.cuh.
constexpr bool kWeight = true;
#include "conv/tensor_cores.cuh"

// Finds the points of the places of four steps from `step` on. Thread t has place t.
__device__ __forceinline__ void find_places(const ConvCoresParams& p, const Tile& tile, Shared& s, int step) {
  const int t = thread_index(), place = (tile.begin + step) * kCoresStep + t;
  Point point = {0, {kOutside, kOutside, kOutside}};
  if (place < p.depth) point = tile.point_of(p, place_of(p, place));
  s.points[step / 4 & 1][t] = point;
}

// Copies of a thread: in every step, the same vector of kCopies places of big, and of as many places of small.
struct Copies {
  int row, own_at;
  Tap tap;
  bool vector_is_line, vector_is_column;  // the thread's vector is inside the lines, inside the columns
  u32 matrix_at, gathered_at;

  __device__ __forceinline__ Copies(const ConvCoresParams& p, const Tile& tile) {
    const int t = thread_index(), vector = t % kRowVectors;
    row = t / kRowVectors;
    own_at = vector_at(row, vector);
    matrix_at = static_cast<u32>(tile.group) * static_cast<u32>(p.matrix_group);
    gathered_at = static_cast<u32>(tile.group) * static_cast<u32>(p.gathered_group);
    const int index = tile.first_line / kGemmVector + vector, linear = index / p.inner;
    vector_is_line = linear < tile.all_taps;
    tap.split(tile, linear);
    gathered_at += tap.find_shift(p) + static_cast<u32>(index - linear * p.inner);
    const int column_vector = tile.first_column / kGemmVector + vector;
    vector_is_column = column_vector < p.matrix_vectors;
    matrix_at += static_cast<u32>(column_vector);
  }
  __device__ __forceinline__ void send(const ConvCoresParams& p, const Tile& tile, Shared& s, int step) {
    Stage& stage = s.stages[static_cast<u32>(step) % kCoresStages];
    Words4 *const gathered = stage.gathered + own_at, *const matrix = stage.matrix + own_at;
    const int place = (tile.begin + step) * kCoresStep + row;
#pragma unroll
    for (int k = 0; k < kCopies; ++k) {
      const Point point = s.points[step / 4 & 1][step % 4 * kCoresStep + row + k * kCopyRows];
      copy_vector(gathered + k * kCopyRows * kRowVectors, p.gathered, point.offset + gathered_at, vector_is_line && tap.inside(p, point), true);
      copy_vector(matrix + k * kCopyRows * kRowVectors, p.matrix, static_cast<u32>(place + k * kCopyRows) * static_cast<u32>(p.matrix_row) + matrix_at,
                  vector_is_column && place + k * kCopyRows < p.depth, false);
    }
  }
  __device__ __forceinline__ void prepare(const ConvCoresParams& p, const Tile& tile, Shared& s, int step) {
    if (step % 4 == 0) find_places(p, tile, s, step);
  }
};

extern "C" __global__ void __launch_bounds__(kCoresThreads, 2) ADJ_ENTRY(const __grid_constant__ ConvCoresParams p) {
  ADJ_DYNAMIC_SHARED(memory);
  Shared& s = *reinterpret_cast<Shared*>(memory);
  const Tile tile(p);
  const int line = tile.first_line + thread_index();
  find_places(p, tile, s, 0);
  s.out[thread_index()] = line < p.lines ? line : -1;
  block_barrier();
  Copies copies(p, tile);
  multiply_tile(p, tile, s, copies);
}
