// Computes: dscores = dloss / z * (exp(input - lse) * total - label); total is the sum of the row's labels if p.exact, else 1.
// Work split: p.group threads share a row and take four 16-byte vectors a lane at a time. Vector u belongs to lane u modulo the group.
// Memory: everything once; labels twice if p.exact and the row is not resident.
// Order of additions: follows from the column and the group alone. A vector is added in the accumulator type, the sums of vectors in f64.
// Limits: none.
//
// Macros: ADJ_T element type, ADJ_ALIGNED 1 if rows are aligned.
// ADJ_ACC_F64 1: computes in f64 for every type.
#include "prelude/divide.h"
#include "loss/params.h"
#include "prelude/scalar.cuh"
#include "loss/rows.h"
#include "prelude/exp.cuh"
#include "prelude/reduce.cuh"
#include "prelude/row_vectors.cuh"

typedef Acc<ADJ_T> A;

constexpr int kBlock = 512;  // threads of a block, at most
constexpr int kVector = kVec16<ADJ_T>, kVectors = 4;
constexpr bool kAligned = ADJ_ALIGNED;

extern "C" __global__ void __launch_bounds__(kBlock, 1) ADJ_ENTRY(const __grid_constant__ SoftLabelBackwardParams p) {
  ADJ_SHARED(f64, scratch, kBlock / kWarp);
  const RowGroup g(p.group);
  const int stretch = g.lanes * kVectors * kVector;
#pragma unroll 1
  for (i64 first = block_index() * g.side_by_side; first < p.rows; first += grid_blocks() * g.side_by_side) {
    const bool valid = first + g.own < p.rows;
    const i64 row = valid ? first + g.own : first, begin = row * p.classes;
    const A scale = static_cast<A>(to_acc(static_cast<const ADJ_T*>(p.dloss)[p.dloss_per_row ? row : 0]) * p.inverse);
    const A lse = p.lse ? static_cast<const Beside<ADJ_T>*>(p.lse)[row] : A(0);
    f64 partial = 0;
    A total = 1;
    Words4 x[kVectors], y[kVectors] = {};
#pragma unroll 1
    for (int pass = p.exact ? 0 : 1; pass < 2; ++pass) {
#pragma unroll 1
      for (i64 c = 0; c < p.classes; c += stretch) {
        // Each stretch is read as a row of its own: no lane reads a word that reaches into the next stretch.
        const int count = valid ? static_cast<int>(min_of<i64>(p.classes - c, stretch)) : 0;
#pragma unroll
        for (int k = 0; k < kVectors; ++k) {
          const int u = g.lane + k * g.lanes;
          if (pass > 0) x[k] = read_row_vector<kAligned>(static_cast<const ADJ_T*>(p.input) + (begin + c), count, u);
          if (pass == 0 || !p.exact || !p.resident) y[k] = read_row_vector<kAligned>(static_cast<const ADJ_T*>(p.labels) + (begin + c), count, u);
        }
        // Lanes read words that neighbouring lanes write, and share `scratch`: both may be overwritten after this barrier.
        if (pass > 0) g.barrier();
#pragma unroll 1
        for (int k = 0; k < kVectors; ++k) {
          A label[kVector];
          widen<ADJ_T>(y[0], label);
          if (pass == 0) {
            A vector = 0;
#pragma unroll
            for (int j = 0; j < kVector; ++j) vector += label[j];
            partial += vector;
          } else {
            A v[kVector];
            widen<ADJ_T>(x[0], v);
#pragma unroll
            for (int j = 0; j < kVector; ++j) {
              // A label other than 0 decides the sign of the difference, which a larger exponential would change.
              v[j] = scale * fused_multiply_add(called_exp((v[j] - lse) * exponent_beside(label[j] == A(0) ? scale : A(0))), total, -label[j]);
            }
            write_row_vector<kAligned>(narrow<ADJ_T>(v), static_cast<ADJ_T*>(p.dscores) + (begin + c), count, g.lane + k * g.lanes, g.run);
          }
          const Words4 own = y[0];
#pragma unroll
          for (int i = 0; i + 1 < kVectors; ++i) x[i] = x[i + 1], y[i] = y[i + 1];
          y[kVectors - 1] = own;
        }
      }
      if (pass == 0) {
#pragma unroll 1
        for (int mask = g.run / 2; mask > 0; mask /= 2) partial += shuffle_xor(partial, mask);
        total = static_cast<A>(g.lanes > kWarp ? sum_of_warps(partial, scratch) : partial);
      }
    }
  }
}
