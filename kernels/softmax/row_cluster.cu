// Gradient of softmax and log-softmax along aligned rows that a cluster of blocks holds in registers. README.md defines the words.
//
// Computes: dinput, see softmax_gradient in softmax/terms.cuh.
// Work split: a cluster takes rows, a grid of clusters apart; the next row is copied into shared memory while it works on one.
// Memory: both operands are read once, dinput is written once.
// Order of additions: a thread its vectors in order, then a tree over lanes, then the warps of the cluster; it depends on the extent alone.
// Limits: sm_90 and later; whole rows of up to kMostCluster * 512 * ADJ_VECTORS vectors; the plan checks them.
//
// Macros: ADJ_T element type, ADJ_LOG log-softmax, ADJ_VECTORS vectors of a row per thread.
#include "softmax/params.h"
#include "prelude/cluster.cuh"
#include "prelude/reduce.cuh"
#include "softmax/terms.cuh"

typedef Acc<ADJ_T> A;

constexpr int kBlock = 512;
constexpr int kVectors = ADJ_VECTORS, kVector = kVec16<ADJ_T>;

// Two blocks run on a multiprocessor where registers suffice.
extern "C" __global__ void __launch_bounds__(kBlock, ADJ_VECTORS == 8 || sizeof(ADJ_T) == 8 ? 1 : 2)
    ADJ_ENTRY(const __grid_constant__ SoftmaxBackwardParams p) {
  typedef A Parts[kBlock / kWarp];
  ADJ_SHARED(Parts, parts, 2);
  ADJ_DYNAMIC_SHARED(memory);
  const int vectors = static_cast<int>(p.extent) / kVector, lanes = kBlock * cluster_blocks();
  const int lane = cluster_rank() * kBlock + thread_index();
  // A thread reads only the vectors that it has copied itself, so no barrier is needed.
  Words4* const ahead = reinterpret_cast<Words4*>(memory) + thread_index();
  const int own = (vectors - lane + lanes - 1) >> lowest_bit(lanes);  // vectors of this thread, with zeros behind them; lanes is a power of two
#pragma unroll 1
  for (int k = own; k < kVectors; ++k) ahead[k * kBlock] = ahead[(kVectors + k) * kBlock] = {};
  int turn = 0;
  // Each turn copies row `next` and works on the row before it; the first turn has no such row.
  for (i64 row = cluster_index() - grid_clusters(); row < p.outer; row += grid_clusters()) {
    const i64 next = row + grid_clusters();
    Words4 dout[kVectors], out[kVectors];
    // A loop over four vectors at a time, so that the code for four serves eight.
    auto for_vectors = [&](auto process) {
#pragma unroll 1
      for (int done = 0; done < kVectors; done += 4)
#pragma unroll
        for (int k = 0; k < 4; ++k) {
          forget_unpacked(dout[k]);
          forget_unpacked(out[k]);
          Words4 own_dout = dout[k], own_out = out[k];
          if (kVectors > 4 && done) own_dout = dout[kVectors - 4 + k], own_out = out[kVectors - 4 + k];
          process(done + k, own_dout, own_out);
        }
    };
    A sum = 0;
    if (row >= 0) {
      wait_copies_to_shared();
#pragma unroll
      for (int k = 0; k < kVectors; ++k) {
        dout[k] = ahead[k * kBlock];
        out[k] = ahead[(kVectors + k) * kBlock];
      }
      for_vectors([&](int, Words4 d, Words4 o) { sum += add_vector<ADJ_LOG, ADJ_T>(A(0), d, o); });
    }
    if (next < p.outer) {
      const Words4* next_dout = static_cast<const Words4*>(p.dout) + (next * vectors + lane);
      const Words4* next_out = static_cast<const Words4*>(p.out) + (next * vectors + lane);
#pragma unroll 1
      for (int k = 0; k < own; ++k) {
        copy16_to_shared(ahead + k * kBlock, next_dout + k * lanes);
        copy16_to_shared(ahead + (kVectors + k) * kBlock, next_out + k * lanes);
      }
    }
    if (row < 0) continue;
    // Two sets of `parts`, so that one barrier for each row suffices: a thread that writes parts[turn] again has passed that of the row between.
    sum = cluster_sum_of_warps(warp_sum(sum), parts[turn]);
    turn ^= 1;
    Words4* const dinput = static_cast<Words4*>(p.dinput) + (row * vectors + lane);
    for_vectors([&](int k, Words4 d, Words4 o) {
      if (k < own) store_words(dinput + k * lanes, gradient_vector<ADJ_LOG, ADJ_T>(d, o, sum));
    });
  }
  cluster_barrier();
}
