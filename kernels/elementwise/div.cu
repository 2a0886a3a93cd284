// Gradients of a / b, all operands of one shape.
//
// Computes: da = dout / b, db = -(dout / b) * (a / b).
// Work split: a thread takes vectors of 16 bytes, a grid apart.
// Memory: each operand once, 16 bytes at a time, but vectors that are not whole and aligned element by element. A thread reads all operands of a
//   vector before it writes, so results may be operands.
// Order of additions: none.
// Limits: none.
//
// Macros: ADJ_T element type.
#include "elementwise/params.h"
#include "elementwise/quotient.cuh"
#include "prelude/thread.cuh"
#include "prelude/vectors.cuh"

typedef ADJ_T T;
typedef Acc<T> A;

constexpr int kVector = kVec16<T>;

extern "C" __global__ void __launch_bounds__(kDivThreads) ADJ_ENTRY(const __grid_constant__ DivParams p) {
  const u64 bases =
      reinterpret_cast<u64>(p.dout) | reinterpret_cast<u64>(p.a) | reinterpret_cast<u64>(p.b) | reinterpret_cast<u64>(p.da) | reinterpret_cast<u64>(p.db);
  const bool aligned = (bases & 15) == 0;
#pragma unroll 1
  for (i64 at = global_thread() * kVector; at < p.count; at += global_threads() * kVector) {
    const int count = static_cast<int>(min_of<i64>(kVector, p.count - at));
    const Words4 dout = load_vector<T>(p.dout, at, count, aligned), divisor = load_vector<T>(p.b, at, count, aligned);
    Words4 dividend{0, 0, 0, 0};
    if (p.a) dividend = load_vector<T>(p.a, at, count, aligned);
    A g[kVector], a[kVector], b[kVector];
    widen<T>(dout, g);
    widen<T>(dividend, a);
    widen<T>(divisor, b);
#pragma unroll
    for (int j = 0; j < kVector; ++j) {
      g[j] = quotient(g[j], b[j]);
      if (p.a) a[j] = -g[j] * quotient(a[j], b[j]);
    }
    if (p.da) store_vector<T>(p.da, at, narrow<T>(g), count, aligned);
    if (p.db) store_vector<T>(p.db, at, narrow<T>(a), count, aligned);
  }
}
