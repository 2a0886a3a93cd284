// Computes: p = softmax(in + bias) along rows, softmax_out = p, out = kept ? p * scale : 0, and the mask.
// Work split: p.group threads share a row and take four 16-byte vectors a lane at a time. Vector u belongs to lane u modulo the group.
// Memory: resident rows are read once. Longer rows are read twice, the second time from a cache.
// Order of additions: follows from the column and the group alone, so a row does not depend on other rows, on its address or on the grid.
// Limits: none. If rows share bytes of a bit mask (p.shared_words), integer atomics set the bits in a cleared mask.
//
// Macros: ADJ_T element type, ADJ_ONNX_RUNTIME 1 for the mapping of ONNX Runtime.
constexpr bool kAligned = false;
#include "dropout/softmax_dropout.cuh"

// A row in stretches. A resident row is read once, and a pass finds its largest score before the next adds up the exponentials. A longer row finds
// the score while it adds. Each stretch is read as a row of its own: no lane reads a word that reaches into the next stretch.
__device__ __forceinline__ void work_on_row(const BiasSoftmaxDropoutParams& p, const Dropout<A>& d, const RowGroup& g, A* scratch, i64 row, i64 bias_row,
                                            bool valid) {
  const i64 begin = row * p.columns, bias_begin = bias_row * p.columns;
  enum { largest, adding, finishing };
  const int stretch = g.lanes * kVectors * kVector;
  RunningSum<A> sum = empty_running_sum<A>();
  A inverse = 0;
  Words4 in[kVectors] = {}, bias[kVectors] = {};
  const int start = p.resident ? largest : adding;
#pragma unroll 1
  for (int pass = start; pass <= finishing; ++pass) {
#pragma unroll 1
    for (i64 c = 0; c < p.columns; c += stretch) {
      const int count = valid ? static_cast<int>(min_of<i64>(p.columns - c, stretch)) : 0;
      if (pass == start || !p.resident) {
#pragma unroll
        for (int k = 0; k < kVectors; ++k) {
          in[k] = read_row_vector<kAligned>(static_cast<const ADJ_T*>(p.in) + (begin + c), count, g.lane + k * g.lanes);
          if (p.bias) bias[k] = read_row_vector<kAligned>(static_cast<const ADJ_T*>(p.bias) + (bias_begin + c), count, g.lane + k * g.lanes);
        }
      }
      // Lanes read words that neighbouring lanes write: out may overwrite them only after all have read. `scratch` is free after it, too.
      if (pass == finishing) g.barrier();
#pragma unroll 1
      for (int k = 0; k < kVectors; ++k) {
        const int u = g.lane + k * g.lanes;
        A x[1][kVector];
        widen_row_vector<kAligned, ADJ_T>(in[0], count - u * kVector, -Limits<A>::infinity(), x[0]);
        if (p.bias) add_bias(bias[0], x[0]);
        if (pass == largest) {
#pragma unroll
          for (int j = 0; j < kVector; ++j) sum.top = max_number(sum.top, x[0][j]);
        } else if (pass == finishing) {
#pragma unroll
          for (int j = 0; j < kVector; ++j) x[0][j] = called_exp(x[0][j] - sum.top) * inverse;
          finish_vectors(p, d, g, x, row, begin + c, count, u);
        } else {
          A top = x[0][0];
#pragma unroll
          for (int j = 1; j < kVector; ++j) top = max_number(top, x[0][j]);
          raise_top(sum, top);
          add_compensated(sum.sum, sum.lost, exponentials(x[0], sum.top));
        }
        const Words4 own_in = in[0], own_bias = bias[0];
#pragma unroll
        for (int i = 0; i + 1 < kVectors; ++i) in[i] = in[i + 1], bias[i] = bias[i + 1];
        in[kVectors - 1] = own_in;
        bias[kVectors - 1] = own_bias;
      }
    }
    if (pass == finishing) break;
    sum.sum = compensated(sum.sum, sum.lost);
    sum.lost = 0;
    if (pass == largest || !p.resident) {
      const A top = over_group<true>(sum.top, g, scratch);
      sum.sum *= called_exp(sum.top - top);
      sum.top = top;
    }
    if (pass == adding) inverse = inverse_of(p, over_group<false>(sum.sum, g, scratch + kBlock / kWarp));
  }
}

extern "C" __global__ void __launch_bounds__(kBlock, 1) ADJ_ENTRY(const __grid_constant__ BiasSoftmaxDropoutParams p) { work_on_rows(p); }
