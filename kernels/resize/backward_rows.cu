// Computes: the same as backward.cu, for a layout without channels.
// Work split: a warp takes a chunk of a row of dinput, of one plane or of several neighbouring ones, in a strip of rows. A lane walks along a vector of
// 16 bytes of the rows of dout, and adds each to the two rows of dinput that it can be a tap of. A complete row goes to shared memory, from where the
// lanes sum its places along the last axis.
// Memory: reads a row of dout once for each strip that it adds to, 16 bytes at a time, eight rows ahead into shared memory. In registers, each row
// would have to arrive before the next could move up. Writes dinput once.
// Order of additions: row by row, then along the last axis. Depends on the tables alone.
// Limits: 64-bit offsets; two axes. Rows of dout consist of whole vectors of 16 bytes and begin at aligned addresses; the plan checks.
//
// Macros: ADJ_T element type.
#include "prelude/divide.cuh"
#include "prelude/memory.cuh"
#include "prelude/thread.cuh"
#include "resize/params.h"

typedef ADJ_T T;
typedef Acc<T> A;

constexpr int kVector = kVec16<T>;
constexpr int kAhead = 8;   // vectors that a lane has in flight, a power of two
constexpr int kOwn = 4;     // columns that a lane takes together
constexpr int kTaps = 4;    // taps of a column that are kept in registers
// Order of a row in shared memory: even places, some banks of padding, odd places. Lanes two places apart, as in a resize to twice the columns, then
// use different banks.
constexpr int kHalf = kWarp * kVector / 2 + 64 / static_cast<int>(sizeof(A));
constexpr int kSpan = 2 * kHalf;
__device__ __forceinline__ int slot_of(int place) { return (place >> 1) + (place & 1) * kHalf; }

// Columns of a lane. first, second: slots of the first two taps; weight: of the first kTaps taps; count: number of columns.
struct Columns {
  int first[kOwn], second[kOwn];
  A weight[kOwn][kTaps];
  int count;
};

extern "C" __global__ void __launch_bounds__(kResizeRowWarps* kWarp, sizeof(A) == 8 ? 4 : 5) ADJ_ENTRY(const __grid_constant__ ResizeStripParams p) {
  wait_for_earlier_grids();
  ADJ_SHARED(Words4, memory, kResizeRowWarps * kSpan * sizeof(A) / 16);
  ADJ_SHARED(Words4, rings, kResizeRowWarps * kAhead * kWarp);
  const ResizeRowTasks& tasks = p.rows;
  const int lanes = 1 << tasks.lanes_log2, lane = lane_index() & (lanes - 1), group = lane_index() >> tasks.lanes_log2;
  A* const span = reinterpret_cast<A*>(memory) + warp_index() * kSpan + group * (lanes * kVector / 2);
  Words4* const ring = rings + warp_index() * (kAhead * kWarp) + lane_index();  // each thread reads only what it has loaded itself, so no barriers
  const ResizeTarget* const rows = reinterpret_cast<const ResizeTarget*>(p.tables.base + p.tables.targets[1]);
  const ResizeTarget* const places = reinterpret_cast<const ResizeTarget*>(p.tables.base + p.tables.targets[2]);
  const A* const row_weights = reinterpret_cast<const A*>(p.tables.base + p.tables.weights[1]);
  const A* const place_weights = reinterpret_cast<const A*>(p.tables.base + p.tables.weights[2]);
  const i64 row_of_source = p.source_extent[2];
#pragma unroll 1
  for (i64 task = block_index() * kResizeRowWarps + warp_index(); task < tasks.tasks; task += grid_blocks() * kResizeRowWarps) {
    const i64 rest = divide(task, tasks.by_chunks);
    const i64 chunk = task - rest * tasks.chunks;
    const i64 planes = divide(rest, tasks.by_strips), strip = rest - planes * tasks.strips;
    const i64 plane = (planes << (5 - tasks.lanes_log2)) + group;
    const bool has_plane = plane < p.planes;
    const int begin = static_cast<int>(chunk * tasks.chunk), chunk_end = static_cast<int>(min_of(begin + tasks.chunk, p.target_extent[2]));
    const int origin = places[begin].first / kVector * kVector;

    Columns columns;
    const auto take = [&](int from) {
      columns.count = has_plane ? (chunk_end - from + lanes - 1) >> tasks.lanes_log2 : 0;
#pragma unroll
      for (int k = 0; k < kOwn; ++k) {
        const int column = from + k * lanes;
        const ResizeTarget list = column < chunk_end ? places[column] : ResizeTarget{origin, 0, 0, 0};
        const int first = list.count > 0 ? list.first - origin : 0;
        columns.first[k] = slot_of(first);
        columns.second[k] = slot_of(first + 1);
#pragma unroll
        for (int t = 0; t < kTaps; ++t) columns.weight[k][t] = t < list.count ? place_weights[list.offset + t] : A(0);
      }
    };
    // once: the lanes need no more columns than these, so they stay in registers.
    const bool once = chunk_end - begin <= kOwn * lanes;
    bool taken = false;

    int row = static_cast<int>(strip * tasks.strip);
    const int end = static_cast<int>(min_of(row + tasks.strip, p.target_extent[1]));
    T* to = static_cast<T*>(p.target) + (plane * p.target_extent[1] + row) * p.target_extent[2];
    ResizeTarget low = rows[row], high = rows[min_of(row + 1, end - 1)];
    const int last = rows[end - 1].first + rows[end - 1].count;
    A low_sum[kVector], high_sum[kVector];
#pragma unroll
    for (int v = 0; v < kVector; ++v) low_sum[v] = high_sum[v] = 0;

    // at: current row of dout; coming: next row to load.
    int at = low.first, coming = at;
    const int loads = opaque(static_cast<int>(has_plane && origin + lane * kVector < row_of_source));
    const T* from = static_cast<const T*>(p.source) + (plane * p.source_extent[1] + at) * row_of_source + origin + lane * kVector;
    const auto send = [&] {
      if (loads && coming < last) copy16_to_shared(ring + (coming & (kAhead - 1)) * kWarp, reinterpret_cast<const Words4*>(from));
      close_copies();
      from += row_of_source;
      ++coming;
    };
#pragma unroll 1
    for (int i = 0; i < kAhead; ++i) {
      if (!loads) ring[i * kWarp] = {};
      send();
    }
#pragma unroll 1
    for (;; ++at) {
#pragma unroll 1
      for (; row < end && at >= low.first + low.count; to += p.target_extent[2]) {
        Vec<A, kVector / 2> even, odd;
#pragma unroll
        for (int v = 0; v < kVector; ++v) {
          (v % 2 ? odd : even).at[v / 2] = low_sum[v];
          low_sum[v] = high_sum[v];
          high_sum[v] = 0;
        }
        warp_barrier();  // all lanes have read the row before this one
        reinterpret_cast<Vec<A, kVector / 2>*>(span)[lane] = even;
        reinterpret_cast<Vec<A, kVector / 2>*>(span + kHalf)[lane] = odd;
        warp_barrier();
#pragma unroll 1
        for (int column = begin + lane; column < chunk_end; column += kOwn * lanes) {
          if (!taken) take(column);
          taken = once;
          A sum[kOwn];
#pragma unroll
          for (int k = 0; k < kOwn; ++k) {
            sum[k] = 0;
#pragma unroll
            for (int t = 0; t < kTaps; ++t) {
              const A x = columns.weight[k][t] != 0 ? span[(t % 2 ? columns.second : columns.first)[k] + t / 2] : A(0);
              sum[k] = fused_multiply_add(columns.weight[k][t], x, sum[k]);
            }
          }
          if (tasks.most_taps > kTaps)
#pragma unroll
            for (int k = 0; k < kOwn; ++k) {
              if (k >= columns.count) break;
              const ResizeTarget list = places[column + k * lanes];
#pragma unroll 1
              for (int t = kTaps; t < list.count; ++t) {
                const A weight = place_weights[list.offset + t];
                if (weight != 0) sum[k] = fused_multiply_add(weight, span[slot_of(list.first - origin + t)], sum[k]);
              }
            }
#pragma unroll
          for (int k = 0; k < kOwn; ++k)
            if (k < columns.count) to[column + k * lanes] = from_acc<T>(sum[k]);
        }
        ++row;
        low = high;
        high = rows[min_of(row + 1, end - 1)];
      }
      if (row == end) break;
      const A low_weight = row_weights[low.offset + (at - low.first)];
      const A high_weight = row + 1 < end && at >= high.first ? row_weights[high.offset + (at - high.first)] : A(0);
      A x[kVector];
      wait_copies_but<kAhead - 1>();
      widen<T>(ring[(at & (kAhead - 1)) * kWarp], x);
      send();
      if (low_weight != 0)
#pragma unroll
        for (int v = 0; v < kVector; ++v) low_sum[v] = fused_multiply_add(low_weight, x[v], low_sum[v]);
      if (high_weight != 0)
#pragma unroll
        for (int v = 0; v < kVector; ++v) high_sum[v] = fused_multiply_add(high_weight, x[v], high_sum[v]);
    }
    warp_barrier();
  }
}
