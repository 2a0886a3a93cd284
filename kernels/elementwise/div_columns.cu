// Gradients of a / b where one operand is a row that repeats. README.md defines the words.
//
// Computes: da = dout / b, db = -(dout / b) * (a / b); the gradient of the row is summed over the rows.
// Work split: a block has `width` pieces of a row and `depth` rows at a time of one split, grid y. A thread keeps its columns, so it loads the
//   operand that repeats once and has the sums in registers.
// Memory: dout and the operand that does not repeat are read once, kAhead rows ahead; the gradient of the latter is written once.
// Order of additions: in f64, each thread its rows in order, then the threads of a column, then the splits (prelude/columns.cu); all follow from
//   the shape.
// Limits: ADJ_ALIGNED needs rows of whole vectors of 16 bytes at aligned addresses, which the plan checks; else a thread takes columns one by one.
//
// Macros: ADJ_T element type; ADJ_ALIGNED a thread has a vector of 16 bytes.
#include "elementwise/params.h"
#include "elementwise/quotient.cuh"
#include "prelude/memory.cuh"
#include "prelude/thread.cuh"

typedef ADJ_T T;
typedef Acc<T> A;

constexpr int kVector = kVec16<T>;
constexpr int kLane = ADJ_ALIGNED ? kVector : 1;
constexpr int kAhead = ADJ_ALIGNED ? 3 : 6;

#if ADJ_ALIGNED
typedef Words4 Piece;
__device__ __forceinline__ Piece load_piece(const T* p) { return load_words(reinterpret_cast<const Words4*>(p)); }
__device__ __forceinline__ void widen_piece(const Piece& piece, A (&x)[kLane]) { widen<T>(piece, x); }
__device__ __forceinline__ void store_piece(T* p, const A (&x)[kLane]) { store_words(reinterpret_cast<Words4*>(p), narrow<T>(x)); }
#else
typedef T Piece;
__device__ __forceinline__ Piece load_piece(const T* p) { return *p; }
__device__ __forceinline__ void widen_piece(const Piece& piece, A (&x)[kLane]) { x[0] = to_acc(piece); }
__device__ __forceinline__ void store_piece(T* p, const A (&x)[kLane]) { *p = from_acc<T>(x[0]); }
#endif

extern "C" __global__ void __launch_bounds__(kDivThreads, ADJ_ALIGNED == 0 && sizeof(T) < 8 ? 4
                                                          : sizeof(T) == 4                  ? 3
                                                                                            : 2) ADJ_ENTRY(const __grid_constant__ DivColumnsParams p) {
  ADJ_SHARED(f64, parts, kDivThreads * kLane);
  const int y = static_cast<int>(static_cast<u32>(thread_index()) / static_cast<u32>(p.width)), x = thread_index() - y * p.width;
  const i64 split = block_index_y(), first = split * p.rows_of_split, end = min_of(p.rows, first + p.rows_of_split);
#pragma unroll 1
  for (int turn = 0; turn < kVector / kLane; ++turn) {
    const i64 column = block_index() * p.width * kVector + (turn * p.width + x) * kLane;
    const bool active = y < p.depth && column < p.columns;
    f64 sum[kLane];
#pragma unroll
    for (int v = 0; v < kLane; ++v) sum[v] = 0;
    if (active) {
      A same[kLane];
      Piece repeated{};
      if (p.repeated) repeated = load_piece(static_cast<const T*>(p.repeated) + column);
      widen_piece(repeated, same);
      const i64 step = p.depth * p.columns, from = (first + y) * p.columns + column;
      const T *dout = static_cast<const T*>(p.dout) + from, *other = p.other ? static_cast<const T*>(p.other) + from : nullptr;
      T* to = p.gradient ? static_cast<T*>(p.gradient) + from : nullptr;
      i64 coming = first + y;
      Piece douts[kAhead], others[kAhead];
      const auto next = [&](Piece& a, Piece& b) {
        a = {};
        b = {};
        if (coming < end) {
          a = load_piece(dout);
          if (other) b = load_piece(other);
        }
        coming += p.depth;
        dout += step;
        if (other) other += step;
      };
#pragma unroll
      for (int i = 0; i < kAhead; ++i) next(douts[i], others[i]);
#pragma unroll 1
      for (i64 row = first + y; row < end; row += p.depth) {
        A g[kLane], own[kLane];
        widen_piece(douts[0], g);
        widen_piece(others[0], own);
#pragma unroll
        for (int i = 0; i + 1 < kAhead; ++i) {
          douts[i] = douts[i + 1];
          others[i] = others[i + 1];
        }
        next(douts[kAhead - 1], others[kAhead - 1]);
#pragma unroll
        for (int v = 0; v < kLane; ++v) {
          const A dividend = p.of_a ? same[v] : own[v], divisor = p.of_a ? own[v] : same[v];
          const A da = quotient(g[v], divisor);
          const A db = p.wants_b ? -da * quotient(dividend, divisor) : A(0);
          g[v] = p.of_a ? db : da;
          sum[v] += static_cast<f64>(p.of_a ? da : db);
        }
        if (!to) continue;
        store_piece(to, g);
        to += step;
      }
    }
    if (!p.partials) continue;
    if (p.depth > 1) {
      block_barrier();  // every thread has read the parts of the columns before
#pragma unroll
      for (int v = 0; v < kLane; ++v) parts[v * kDivThreads + thread_index()] = sum[v];
      block_barrier();
      if (y > 0 || !active) continue;
#pragma unroll 1
      for (int d = 1; d < p.depth; ++d)
#pragma unroll
        for (int v = 0; v < kLane; ++v) sum[v] += parts[v * kDivThreads + d * p.width + x];
    }
    if (!active) continue;
    A* const out = static_cast<A*>(p.partials) + split * p.columns + column;
#pragma unroll
    for (int v = 0; v < kLane; ++v) out[v] = static_cast<A>(sum[v]);
  }
}
