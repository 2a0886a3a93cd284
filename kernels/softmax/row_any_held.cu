// Gradient of softmax and log-softmax along unaligned rows that a warp or less, or a block, holds in registers. README.md defines the words.
//
// Computes: dinput, see softmax_gradient in softmax/terms.cuh; the bits of row.cu, for which it stands in.
// Work split: p.group threads take a row, a grid apart; vector u belongs to lane u modulo the lanes.
// Memory: both operands are read once, dinput is written once.
// Order of additions: that of row.cu.
// Limits: rows of up to kVectors vectors for each thread; the plan checks, and takes row_any.cu where blocks this large would be alone on a multiprocessor.
//
// Macros: ADJ_T element type, ADJ_LOG log-softmax.
#include "softmax/params.h"
#include "prelude/reduce.cuh"
#include "softmax/terms.cuh"

typedef Acc<ADJ_T> A;

constexpr int kBlock = 512;  // most threads of a block
constexpr int kVector = kVec16<ADJ_T>;
constexpr int kVectors = 4, kTogether = 2;  // vectors of an operand that a thread holds; those that it reads at once

// Blocks of a multiprocessor: as many as leave the registers that hold the rows.
constexpr int kResident = sizeof(ADJ_T) == 4 && ADJ_BOUNDS_ARCH >= 90 ? 2 : 1;

extern "C" __global__ void __launch_bounds__(kBlock, kResident) ADJ_ENTRY(const __grid_constant__ SoftmaxBackwardParams p) {
  typedef A Parts[kBlock / kWarp];
  ADJ_SHARED(Parts, all_parts, 2);
  const int lanes = p.group, run = min_of(lanes, kWarp);
  const int own = static_cast<int>(static_cast<u32>(thread_index()) / static_cast<u32>(lanes)), lane = thread_index() - own * lanes;
  const int side_by_side = static_cast<int>(static_cast<u32>(block_threads()) / static_cast<u32>(lanes));
  int turn = 0;
  for (i64 row = block_index() * side_by_side; row < p.outer; row += grid_blocks() * side_by_side) {
    const bool valid = row + own < p.outer;
    const i64 begin = valid ? (row + own) * p.extent : 0;
    const int count = valid ? static_cast<int>(p.extent) : 0;
    Words4 dout[kVectors], out[kVectors];
#pragma unroll
    for (int done = 0; done < kVectors; done += kTogether) {
      Words4 part[kTogether];
      read_row_vectors<false>(part, static_cast<const ADJ_T*>(p.out) + begin, count, lane + done * lanes, lanes);
#pragma unroll
      for (int k = 0; k < kTogether; ++k) out[done + k] = part[k];
      read_row_vectors<false>(part, static_cast<const ADJ_T*>(p.dout) + begin, count, lane + done * lanes, lanes);
#pragma unroll
      for (int k = 0; k < kTogether; ++k) dout[done + k] = part[k];
    }
    A sum = 0;
#pragma unroll
    for (int k = 0; k < kVectors; ++k) sum += add_vector<ADJ_LOG, ADJ_T>(A(0), dout[k], out[k]);
#pragma unroll 1
    for (int mask = run / 2; mask > 0; mask /= 2) sum += shuffle_xor(sum, mask);
    // A lane reads words that hold parts of other lanes' vectors, so all lanes read before dinput, which may be an operand, is written. Two sets of parts: who
    // writes one again has passed the barrier of the row between.
    if (lanes > kWarp) sum = sum_of_warps(sum, all_parts[turn]);
    else warp_barrier();
    turn ^= 1;
#pragma unroll
    for (int k = 0; k < kVectors; ++k) {
      forget_unpacked(dout[k]);
      forget_unpacked(out[k]);
      const Words4 gradient = gradient_vector<ADJ_LOG, ADJ_T>(dout[k], out[k], sum);
      write_row_vector<false>(gradient, static_cast<ADJ_T*>(p.dinput) + begin, count, lane + k * lanes, run);
    }
  }
}
