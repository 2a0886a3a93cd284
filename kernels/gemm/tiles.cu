// Computes: one of the three products of a convolution as an implicit matrix product, result[line, column] = sum over the depth of
// gathered[line, depth] * matrix[depth, column]. README.md defines the words.
//   role 0, small from big: lines are places of small, columns its channels, the depth big's channels and the taps
//   role 1, big from small: lines are places of big, columns its channels, the depth small's channels and the taps
//   role 2, the weight's gradient: lines are big's channels and the taps, columns small's channels, the depth the places of small
// Work split: a block has a tile of 128 lines and 64 columns of one group, in role 2 of one split of the depth; a thread has 8 by 4 of them.
// Memory: steps of 16 products go through shared memory, as do the results. Neighbouring lanes load neighbouring single elements. The offset
// of a line is computed once, that of a depth once for every 256.
// Order of additions: along the depth, 256 products at a time, then those sums; role 2 leaves sums of splits, which shapes alone divide.
// Limits: lines, depth and elements of one image below 2^31, tiles below 2^31; the plan checks them.
//
// Macros: ADJ_T element type; ADJ_ROLE, 0 to 2.
#include "prelude/divide.cuh"
#include "prelude/memory.cuh"
#include "prelude/thread.cuh"
#include "gemm/params.h"

typedef Acc<ADJ_T> A;

constexpr int kRows = 8, kAcross = 4;           // results of a thread: lines and columns
constexpr int kPad = 16 / static_cast<int>(sizeof(A));
constexpr int kLinePitch = kGemmLines + kPad, kColumnPitch = kGemmColumns + kPad;
constexpr int kLineLoads = kGemmLines * kGemmStep / kGemmThreads, kColumnLoads = kGemmColumns * kGemmStep / kGemmThreads;
constexpr int kInFlight = ADJ_ROLE == 1 ? 2 : 4;  // loads of a thread in flight; each takes much code

// The contribution of a line or a depth to an element of the gathered tensor: to its offset in image and channel, and to its coordinates.
struct alignas(8) Point {
  i64 offset;
  int z, y, x;
  int inside;  // 0: the line or the depth is beyond the end
};
struct alignas(16) Four {
  A at[4];
};

struct Shared {
  alignas(16) A lines[kGemmStep][kLinePitch];
  alignas(16) A columns[kGemmStep][kColumnPitch];
  Point line[kGemmLines];
  Point depth[kGemmChunk];
  i64 matrix_depth[kGemmChunk];
};

// Image and coordinates of place `index`; `linear`: its number in the image.
struct Place {
  int image, z, y, x, linear;
};
__device__ __forceinline__ Place place_of(const GemmParams& p, int index) {
  Place at;
  at.image = divide(index, p.by_places);
  at.linear = index - at.image * p.places;
  const int row = divide(at.linear, p.by_extent[1]);
  at.x = at.linear - row * p.place_extent[1];
  at.z = divide(row, p.by_extent[0]);
  at.y = row - at.z * p.place_extent[0];
  return at;
}
// Channel and tap of an index of lines or depth; `linear`: number of the tap.
struct Tap {
  int channel, z, y, x, linear;
};
__device__ __forceinline__ Tap tap_of(const GemmParams& p, int index) {
  Tap at;
  const int high = divide(index, p.by_inner), low = index - high * p.inner;
  at.channel = p.channels_last ? low : high;
  at.linear = p.channels_last ? high : low;
  const int row = divide(at.linear, p.by_taps[1]);
  at.x = at.linear - row * p.taps[2];
  at.z = divide(row, p.by_taps[0]);
  at.y = row - at.z * p.taps[1];
  return at;
}

__device__ __forceinline__ Point point_of_place(const GemmParams& p, const Place& at) {
  Point r;
  r.offset = at.image * p.gathered.batch;
  if (ADJ_ROLE == 1) {
    r.z = at.z + p.pad[0], r.y = at.y + p.pad[1], r.x = at.x + p.pad[2];
  } else {
    const int pad = ADJ_ROLE == 0 ? -1 : 0;
    r.z = at.z * p.stride[0] + pad * p.pad[0], r.y = at.y * p.stride[1] + pad * p.pad[1], r.x = at.x * p.stride[2] + pad * p.pad[2];
  }
  r.inside = 1;
  return r;
}
__device__ __forceinline__ Point point_of_tap(const GemmParams& p, const Tap& at) {
  Point r;
  const int pad = ADJ_ROLE == 2 ? -1 : 0;
  r.offset = static_cast<i64>(at.channel) * p.gathered.channel;
  r.z = at.z * p.dilation[0] + pad * p.pad[0], r.y = at.y * p.dilation[1] + pad * p.pad[1], r.x = at.x * p.dilation[2] + pad * p.pad[2];
  r.inside = 1;
  return r;
}

// Returns the coordinate of the gathered tensor at which a line and a depth meet along an axis; negative: outside.
__device__ __forceinline__ int coordinate(const GemmParams& p, int axis, int line, int depth) {
  if (ADJ_ROLE != 1) {
    const int at = line + depth;
    return at < p.gathered.extent[axis] ? at : -1;
  }
  const int at = line - depth;
  if (at < 0) return -1;
  const int q = divide(at, p.by_stride[axis]);
  return q * p.stride[axis] == at && q < p.gathered.extent[axis] ? q : -1;
}

extern "C" __global__ void __launch_bounds__(kGemmThreads, sizeof(ADJ_T) == 8 ? 1 : 2) ADJ_ENTRY(const __grid_constant__ GemmParams p) {
  ADJ_SHARED(Shared, shared, 1);
  Shared& s = shared[0];
  const int t = thread_index();
  int tile = static_cast<int>(block_index());
  const int line_tile = tile % p.line_tiles;
  tile /= p.line_tiles;
  const int column_tile = tile % p.column_tiles;
  tile /= p.column_tiles;
  const int group = tile % p.groups, split = tile / p.groups;
  const int first_line = line_tile * kGemmLines, first_column = column_tile * kGemmColumns;
  const int begin = split * p.split_depth, end = min_of(p.depth - begin, p.split_depth) + begin;
  const ADJ_T* const gathered = static_cast<const ADJ_T*>(p.gathered.data) + group * p.gathered.group;
  const ADJ_T* const matrix = static_cast<const ADJ_T*>(p.matrix) + group * p.matrix_group;

  if (t < kGemmLines) {
    const int line = first_line + t;
    Point point = {0, 0, 0, 0, 0};
    if (line < p.lines) point = ADJ_ROLE == 2 ? point_of_tap(p, tap_of(p, line)) : point_of_place(p, place_of(p, line));
    s.line[t] = point;
  }

  // Neighbouring lanes load neighbouring elements: along the lines, or along the depth where channels are last.
  const bool along_depth = ADJ_ROLE == 2 ? !p.channels_last : p.channels_last;
  const int line0 = along_depth ? t / kGemmStep : t % kGemmLines, depth0 = along_depth ? t % kGemmStep : t / kGemmLines;
  const int line_step = along_depth ? kGemmThreads / kGemmStep : 0, depth_step = along_depth ? 0 : kGemmThreads / kGemmLines;
  const bool columns_along_depth = ADJ_ROLE == 2 ? !p.channels_last : ADJ_ROLE == 0 || !p.channels_last;
  const int column0 = columns_along_depth ? t / kGemmStep : t % kGemmColumns;
  const int column_depth0 = columns_along_depth ? t % kGemmStep : t / kGemmColumns;
  const int column_step = columns_along_depth ? kGemmThreads / kGemmStep : 0;
  const int column_depth_step = columns_along_depth ? 0 : kGemmThreads / kGemmColumns;

  constexpr int kThreadsAcross = kGemmColumns / kAcross, kThreadsDown = kGemmLines / kRows;
  static_assert(kThreadsAcross * kThreadsDown == kGemmThreads);
  const bool lanes_across = ADJ_ROLE != 2 && p.channels_last;
  const int tx = t / kThreadsDown, ty = t % kThreadsDown;

  A total[kRows][kAcross], sum[kRows][kAcross];
#pragma unroll
  for (int i = 0; i < kRows; ++i)
#pragma unroll
    for (int j = 0; j < kAcross; ++j) total[i][j] = 0;

#pragma unroll 1
  for (int chunk = begin; chunk < end; chunk += kGemmChunk) {
    block_barrier();
    {
      const int depth = chunk + t;
      Point point = {0, 0, 0, 0, 0};
      i64 matrix_depth = 0;
      if (depth < end) {
        if (ADJ_ROLE == 2) {
          const Place at = place_of(p, depth);
          point = point_of_place(p, at);
          matrix_depth = at.image * p.matrix_batch + at.linear * p.matrix_place;
        } else {
          const Tap at = tap_of(p, depth);
          point = point_of_tap(p, at);
          matrix_depth = at.channel * p.matrix_channel + at.linear * p.matrix_tap;
        }
      }
      s.depth[t] = point;
      s.matrix_depth[t] = matrix_depth;
    }
#pragma unroll
    for (int i = 0; i < kRows; ++i)
#pragma unroll
      for (int j = 0; j < kAcross; ++j) sum[i][j] = 0;
    block_barrier();
    const int steps = min_of((end - chunk + kGemmStep - 1) / kGemmStep, kGemmChunk / kGemmStep);
#pragma unroll 1
    for (int step = 0; step < steps; ++step) {
      if (step > 0) block_barrier();
#pragma unroll kInFlight
      for (int k = 0; k < kLineLoads; ++k) {
        const int line = line0 + k * line_step, depth = depth0 + k * depth_step;
        const Point& a = s.line[line];
        const Point& b = s.depth[step * kGemmStep + depth];
        const int z = coordinate(p, 0, a.z, b.z), y = coordinate(p, 1, a.y, b.y), x = coordinate(p, 2, a.x, b.x);
        A value = 0;
        if ((z | y | x | (a.inside & b.inside) - 1) >= 0)
          value = to_acc(gathered[a.offset + b.offset + (z * p.gathered.place[0] + y * p.gathered.place[1] + x * p.gathered.place[2])]);
        s.lines[depth][line] = value;
      }
#pragma unroll
      for (int k = 0; k < kColumnLoads; ++k) {
        const int column = column0 + k * column_step, depth = column_depth0 + k * column_depth_step;
        A value = 0;
        if (first_column + column < p.columns && s.depth[step * kGemmStep + depth].inside)
          value = to_acc(matrix[(first_column + column) * p.matrix_line + s.matrix_depth[step * kGemmStep + depth]]);
        s.columns[depth][column] = value;
      }
      block_barrier();
#pragma unroll 2
      for (int d = 0; d < kGemmStep; ++d) {
        A a[kRows], b[kAcross];
#pragma unroll
        for (int i = 0; i < kRows; i += 4) {
          const Four four = *reinterpret_cast<const Four*>(&s.lines[d][ty * 4 + i * kThreadsDown]);
#pragma unroll
          for (int j = 0; j < 4; ++j) a[i + j] = four.at[j];
        }
        const Four four = *reinterpret_cast<const Four*>(&s.columns[d][tx * 4]);
#pragma unroll
        for (int j = 0; j < 4; ++j) b[j] = four.at[j];
#pragma unroll
        for (int i = 0; i < kRows; ++i)
#pragma unroll
          for (int j = 0; j < kAcross; ++j) sum[i][j] = fused_multiply_add(a[i], b[j], sum[i][j]);
      }
    }
#pragma unroll
    for (int i = 0; i < kRows; ++i)
#pragma unroll
      for (int j = 0; j < kAcross; ++j) total[i][j] += sum[i][j];
  }

  // One column of each thread at a time goes through shared memory, so that neighbouring lanes store neighbouring results.
  A* const staged = &s.lines[0][0];
  static_assert(kGemmLines * kThreadsAcross <= kGemmStep * kLinePitch);
#pragma unroll 1
  for (int j = 0; j < kAcross; ++j) {
    block_barrier();
#pragma unroll
    for (int i = 0; i < kRows; ++i) {
      const A low = j & 1 ? total[i][1] : total[i][0], high = j & 1 ? total[i][3] : total[i][2];
      staged[tx * kGemmLines + ty * 4 + i / 4 * 4 * kThreadsDown + i % 4] = j & 2 ? high : low;
    }
    block_barrier();
#pragma unroll 1
    for (int e = t; e < kGemmLines * kThreadsAcross; e += kGemmThreads) {
      const int across = lanes_across ? e % kThreadsAcross : e / kGemmLines, down = lanes_across ? e / kThreadsAcross : e % kGemmLines;
      const int line = first_line + down, column = first_column + across * kAcross + j;
      if (line >= p.lines || column >= p.columns) continue;
      A value = staged[across * kGemmLines + down];
#if ADJ_ROLE == 2
      static_cast<A*>(p.out)[split * p.out_split + (static_cast<i64>(group) * p.columns + column) * p.lines + line] = value;
#else
      const int image = divide(line, p.by_places);
      const i64 at = image * p.written.batch + group * p.written.group + static_cast<i64>(line - image * p.places) * p.written.unit;
      if (p.bias) value += to_acc(static_cast<const ADJ_T*>(p.bias)[group * p.columns + column]);
      static_cast<ADJ_T*>(p.out)[at + static_cast<i64>(column) * p.written.channel] = from_acc<ADJ_T>(value);
#endif
    }
  }
}
