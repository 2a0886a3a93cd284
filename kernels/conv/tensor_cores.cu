// Computes: the products of gemm.cu on tensor cores, of tensors with channels last whose groups fill units. README.md defines the words.
//   role 0, small from big, and role 1, big from small: lines are places of the result, columns its channels, the depth the taps and units of
//     the gathered tensor; the weight has a row for each column. One program serves both roles, by its parameters.
//   role 2, the weight's gradient: lines are the taps and big's channels, columns small's channels, the depth the places of small
// Work split: a block of four warps has a tile of 128 lines and 128 columns of a group, of a slot, and in role 1 of a residue; a warp has
// 64 by 64 of them.
// Memory: steps of 32 products are copied into shared memory a unit at a time, three steps ahead; results go through shared memory, too. Units
// are swizzled within rows, so that neither copies nor loads of matrices have bank conflicts. Channels are the outer part of the depth and
// taps the inner one, so that neighbouring taps read the same unit soon after each other.
// Order of additions: along the depth, sixteen products at a time in the order of the hardware, for a round of 144 steps; then round by round,
// in f32 in the workspace if there are several. finish.cu adds the slots, and makes elements of sums in the workspace.
// Limits: units of every operand, lines and tiles below 2^31; up to kMostResidues residues of a dimension; the plan checks them.
//
// Macros: ADJ_T element type; ADJ_WEIGHT 1 for role 2; ADJ_ALIGNED 1 where both operands begin at multiples of 16 bytes, 0: anywhere.
#include "prelude/divide.cuh"
#include "prelude/matrix.cuh"
#include "conv/params.h"

typedef ADJ_T T;
constexpr bool kWeight = ADJ_WEIGHT != 0;
constexpr int kWarpTile = 64, kTall = kWarpTile / 16, kWide = kWarpTile / 8;   // a warp has kTall by kWide matrices of 16 by 8 results
constexpr int kCopies = kCoresTile * kCoresStep / kCoresUnit / kCoresThreads;  // units of each operand that a thread copies for a step
constexpr int kRowUnits = (kWeight ? kCoresTile : kCoresStep) / kCoresUnit;    // units of a row in shared memory
constexpr int kCopyRows = kCoresThreads / kRowUnits;                           // rows between two copies of a thread
constexpr int kOutside = -(1 << 30);                                           // a coordinate that no tap brings inside

struct Stage { Words4 gathered[kCoresTile * kCoresStep / kCoresUnit], matrix[kCoresTile * kCoresStep / kCoresUnit]; };
// Where tap 0 of a place meets the gathered tensor: unit and coordinates. Units are modulo 2^32: outside the tensor they may be anything.
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

// Returns the place of a unit of a row in shared memory. The eight rows of a matrix, and the units that eight lanes copy, lie in different
// banks. The pattern repeats every eight rows.
__device__ __forceinline__ int unit_at(int row, int unit) {
  return kWeight ? row * kRowUnits + (unit ^ (row & 7)) : row * kRowUnits + (unit ^ (row >> 1 & 3));
}

__device__ __forceinline__ void copy_unit(Words4* to, const void* tensor, u32 unit, bool inside, bool near) {
#if ADJ_ALIGNED
  const Words4* const from = static_cast<const Words4*>(tensor) + (inside ? unit : 0);
  if (near) copy16_near_or_clear(to, from, inside);
  else copy16_or_clear(to, from, inside);
#else
  const u16* const from = static_cast<const u16*>(tensor) + (inside ? static_cast<i64>(unit) * kCoresUnit : 0);
  Vec<u16, kCoresUnit> v;
#pragma unroll
  for (int j = 0; j < kCoresUnit; ++j) v.at[j] = inside ? from[j] : u16{0};
  *to = pack<u16>(v);
#endif
}

// Returns 16 bytes of results: four f32, or eight elements.
__device__ __forceinline__ Words4 words_of(const f32 (&x)[4]) { return narrow<f32>(x); }
__device__ __forceinline__ Words4 words_of(const f32 (&x)[kCoresUnit]) { return narrow<T>(x); }

struct Place { int image, at[3]; };
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

extern "C" __global__ void __launch_bounds__(kCoresThreads, 2) ADJ_ENTRY(const __grid_constant__ ConvCoresParams p) {
  ADJ_DYNAMIC_SHARED(memory);
  Shared& s = *reinterpret_cast<Shared*>(memory);
  const int t = thread_index(), lane = lane_index();
  int tile = static_cast<int>(block_index());
  const int first_column = tile % p.column_tiles * kCoresTile;
  tile /= p.column_tiles;
  const int first_line = tile % p.line_tiles * kCoresTile;
  tile /= p.line_tiles;
  int residue = tile % p.residues;
  tile /= p.residues;
  const int group = tile % p.groups, slot = tile / p.groups;
  int residues[3], offset[3], taps[3], weight_at = 0;
#pragma unroll
  for (int a = 2; a >= 0; --a) {
    residues[a] = residue % p.axis[a].residues;
    residue /= p.axis[a].residues;
    offset[a] = p.axis[a].of[residues[a]].offset;
    taps[a] = p.axis[a].of[residues[a]].taps;
    weight_at += p.axis[a].of[residues[a]].first_tap;
  }
  const int all_taps = taps[0] * taps[1] * taps[2];
  const int all_steps = kWeight ? (p.depth + kCoresStep - 1) / kCoresStep : (all_taps * p.inner + kRowUnits - 1) / kRowUnits;
  const int begin = slot * p.slot_steps, steps = max_of(min_of(all_steps - begin, p.slot_steps), 0);

  const auto point_of = [&](const Place& place) {
    Point point;
    point.offset = static_cast<u32>(place.image) * static_cast<u32>(p.gathered_image);
#pragma unroll
    for (int a = 0; a < 3; ++a) {
      point.at[a] = place.at[a] * p.axis[a].scale + offset[a];
      point.offset += static_cast<u32>(point.at[a]) * static_cast<u32>(p.axis[a].pitch);
    }
    return point;
  };
  const auto inside = [&](const Point& point, const int (&by)[3]) {
    bool in = true;
#pragma unroll
    for (int a = 0; a < 3; ++a) in &= static_cast<u32>(point.at[a] + by[a]) < static_cast<u32>(p.axis[a].extent);
    return in;
  };
  // Role 2: finds the points of the places of four steps from `step` on.
  const auto find_places = [&](int step) {
    const int place = (begin + step) * kCoresStep + t;
    Point point = {0, {kOutside, kOutside, kOutside}};
    if (place < p.depth) point = point_of(place_of(p, place));
    s.points[step / 4 & 1][t] = point;
  };

  const int line = first_line + t;
  i64 to = -1;
  if (kWeight) {
    if (line < p.lines) to = line;
    find_places(0);
  } else {
    Point point = {0, {kOutside, kOutside, kOutside}};
    if (line < p.lines) {
      const Place place = place_of(p, line);
      point = point_of(place);
      to = place.image * p.out_image;
      bool in = true;
#pragma unroll
      for (int a = 0; a < 3; ++a) {
        const int at = place.at[a] * p.axis[a].residues + residues[a];
        in &= at < p.axis[a].out_places;
        to += at * p.axis[a].out_pitch;
      }
      if (!in) to = -1;
    }
    s.points[0][t] = point;
  }
  s.out[t] = to;
  block_barrier();

  // In every step a thread copies the same unit of kCopies rows of the gathered tensor, and of the matrix.
  const int unit = t % kRowUnits, row = t / kRowUnits, own_at = unit_at(row, unit);
  static_assert(kCopyRows % 8 == 0);
  Point own[kCopies];  // points of the lines whose units the thread copies; roles 0 and 1
  int tap[3] = {0, 0, 0}, by[3] = {0, 0, 0}, channel = 0;
  u32 matrix_at = static_cast<u32>(group) * static_cast<u32>(p.matrix_group);
  u32 gathered_at = static_cast<u32>(group) * static_cast<u32>(p.gathered_group);
  const auto split_taps = [&](int linear) {
    const int high = linear / taps[2];
    tap[2] = linear - high * taps[2];
    tap[0] = high / taps[1];
    tap[1] = high - tap[0] * taps[1];
  };
  const auto find_shift = [&] {
    u32 shift = 0;
#pragma unroll
    for (int a = 0; a < 3; ++a) {
      by[a] = tap[a] * p.axis[a].step;
      shift += static_cast<u32>(by[a]) * static_cast<u32>(p.axis[a].pitch);
    }
    return shift;
  };
  bool unit_is_line = false, unit_is_column = false;  // the thread's unit is inside the lines, inside the columns; role 2
  if (kWeight) {
    const int index = first_line / kCoresUnit + unit, linear = index / p.inner;
    unit_is_line = linear < all_taps;
    split_taps(linear);
    gathered_at += find_shift() + static_cast<u32>(index - linear * p.inner);
    const int column_unit = first_column / kCoresUnit + unit;
    unit_is_column = column_unit < p.matrix_units;
    matrix_at += static_cast<u32>(column_unit);
  } else {
#pragma unroll
    for (int k = 0; k < kCopies; ++k) own[k] = s.points[0][row + k * kCopyRows];
    matrix_at += static_cast<u32>(first_column + row) * static_cast<u32>(p.matrix_row) + static_cast<u32>(weight_at);
    if (steps > 0) {
      const int index = begin * (kRowUnits / p.together) + unit / p.together, outer = index / all_taps;
      split_taps(index - outer * all_taps);
      channel = outer * p.together + unit % p.together;
    }
  }
  const auto copy_step = [&](int step) {
    Stage& stage = s.stages[static_cast<u32>(step) % kCoresStages];
    Words4 *const gathered = stage.gathered + own_at, *const matrix = stage.matrix + own_at;
    if (kWeight) {
      const int place = (begin + step) * kCoresStep + row;
#pragma unroll
      for (int k = 0; k < kCopies; ++k) {
        const Point point = s.points[step / 4 & 1][step % 4 * kCoresStep + row + k * kCopyRows];
        copy_unit(gathered + k * kCopyRows * kRowUnits, p.gathered, point.offset + gathered_at, unit_is_line && inside(point, by), true);
        copy_unit(matrix + k * kCopyRows * kRowUnits, p.matrix, static_cast<u32>(place + k * kCopyRows) * static_cast<u32>(p.matrix_row) + matrix_at,
                  unit_is_column && place + k * kCopyRows < p.depth, false);
      }
    } else {
      const bool is_depth = channel < p.inner;
      const u32 shift = find_shift() + gathered_at + static_cast<u32>(channel);
      u32 weight = matrix_at + static_cast<u32>(channel);
#pragma unroll
      for (int a = 0; a < 3; ++a) weight += static_cast<u32>(tap[a]) * static_cast<u32>(p.axis[a].tap_pitch);
#pragma unroll
      for (int k = 0; k < kCopies; ++k) {
        copy_unit(gathered + k * kCopyRows * kRowUnits, p.gathered, own[k].offset + shift, is_depth && inside(own[k], by), true);
        copy_unit(matrix + k * kCopyRows * kRowUnits, p.matrix, weight + static_cast<u32>(k * kCopyRows) * static_cast<u32>(p.matrix_row),
                  is_depth && first_column + row + k * kCopyRows < p.columns, false);
      }
#pragma unroll 1
      for (int k = p.together; k <= kRowUnits; k += p.together) {  // the next step begins kRowUnits / together taps later
        if (++tap[2] < taps[2]) continue;
        tap[2] = 0;
        if (++tap[1] < taps[1]) continue;
        tap[1] = 0;
        if (++tap[0] < taps[0]) continue;
        tap[0] = 0;
        channel += p.together;
      }
    }
  };

  constexpr int kAhead = kCoresStages - 1;
  // Where columns fill at most half of the tile, each warp has these columns and half as many lines.
  const bool is_half = p.columns - first_column <= kWarpTile;
  const int tall = is_half ? kTall / 2 : kTall;
  const int warp_line = is_half ? warp_index() * (kWarpTile / 2) : warp_index() % 2 * kWarpTile;
  const int warp_column = is_half ? 0 : warp_index() / 2 * kWarpTile;
  // The row that a lane names to load_matrices, for the first matrices. For further ones bits of the unit change, or the row by multiples of 16.
  const int low = lane % 8, second = lane / 8 % 2, third = lane / 16;
  const int line_at = kWeight ? unit_at(third * 8 + low, warp_line / kCoresUnit + second) : unit_at(warp_line + second * 8 + low, third);
  const int column_at = kWeight ? unit_at(second * 8 + low, warp_column / kCoresUnit + third) : unit_at(warp_column + third * 8 + low, second);

  // A lane stores 16 bytes of results or a single one, along the columns where channels are last, else along the lines. kNeighbours lanes
  // take neighbouring results, the rest of the warp the rows beside them: these read different banks.
  const bool across = !kWeight && p.out_column == 1;
  constexpr int kTogether = kWeight ? 4 : kCoresUnit, kNeighbours = kWarp / kTogether;
  const bool together = kWeight || (p.whole_units && aligned16(p.out));
  const i64 base = slot * p.out_slot + group * p.out_group;
#pragma unroll 1
  for (int first = 0; first == 0 || first < steps; first += kCoresRound) {
    const int end = min_of(first + kCoresRound, steps);
    if (first > 0) block_barrier();  // every thread has read the results of the round before
    f32 sum[kTall][kWide][4];
#pragma unroll
    for (int i = 0; i < kTall; ++i)
#pragma unroll
      for (int j = 0; j < kWide; ++j)
#pragma unroll
        for (int k = 0; k < 4; ++k) sum[i][j][k] = 0;
#pragma unroll 1
    for (int step = first; step < end + kAhead; ++step) {
      const bool multiplies = step >= first + kAhead;
      const Stage& stage = s.stages[static_cast<u32>(step + kCoresStages - kAhead) % kCoresStages];  // stage of the step to multiply
      u32 a[2][kTall][4], b[2][kWide / 2][4];  // matrices of the two halves of a step
      const auto load_half = [&](int half) {
#pragma unroll
        for (int i = 0; i < kTall; ++i) {
          if (i >= tall) continue;
          if (kWeight) load_transposed_matrices(a[half][i], stage.gathered + (line_at ^ i * 2) + half * 16 * kRowUnits);
          else load_matrices(a[half][i], stage.gathered + (line_at ^ half * 2) + i * 16 * kRowUnits);
        }
#pragma unroll
        for (int j = 0; j < kWide / 2; ++j) {
          if (kWeight) load_transposed_matrices(b[half][j], stage.matrix + (column_at ^ j * 2) + half * 16 * kRowUnits);
          else load_matrices(b[half][j], stage.matrix + (column_at ^ half * 2) + j * 16 * kRowUnits);
        }
      };
      if (multiplies) {
        wait_copies_but<kAhead - 1>();
        block_barrier();  // the copies of the step to multiply have arrived, and every warp has multiplied the step before it
        load_half(0);     // in flight while the copies are issued
      }
      if (step < end) copy_step(step);
      close_copies();
      if (kWeight && step % 4 == 3 && step < end && step + 1 < steps) find_places(step + 1);
      if (!multiplies) continue;
      load_half(1);
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
    wait_copies_but<0>();
    block_barrier();

#pragma unroll
    for (int i = 0; i < kTall; ++i)
#pragma unroll
      for (int j = 0; j < kWide; ++j)
#pragma unroll
        for (int k = 0; k < 4 && i < tall; ++k)
          s.results[(warp_line + i * 16 + k / 2 * 8 + lane / 4) * kCoresResultPitch + warp_column + j * 8 + lane % 4 * 2 + k % 2] = sum[i][j][k];
    block_barrier();

#pragma unroll 1
    for (int e = t; e < kCoresTile * kCoresTile / (together ? kTogether : 1); e += kCoresThreads) {
      const int along = together ? (e % kNeighbours + e / kWarp % 4 * kNeighbours) * kTogether : e % kCoresTile;
      const int beside = together ? e / kNeighbours % kTogether + e / (4 * kWarp) * kTogether : e / kCoresTile;
      const int result_line = across ? beside : along, result_column = across ? along : beside;
      if (s.out[result_line] < 0 || first_column + result_column >= p.columns) continue;
      const i64 at = base + s.out[result_line] + (first_column + result_column) * p.out_column;
      const auto value = [&](int k) {
        const int of_line = result_line + (across ? 0 : k), of_column = result_column + (across ? k : 0);
        f32 v = s.results[of_line * kCoresResultPitch + of_column];
        if (!kWeight && p.bias && slot == 0 && first == 0) v += to_acc(static_cast<const T*>(p.bias)[group * p.columns + first_column + of_column]);
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
}
