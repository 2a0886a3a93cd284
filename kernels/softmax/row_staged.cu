// Gradient of softmax and log-softmax along short rows that do not begin at 16-byte boundaries. README.md defines the words.
//
// Computes: dinput, see softmax_gradient in softmax/terms.cuh.
// Work split: a warp takes p.rows neighbouring rows; p.group lanes sum a row.
// Memory: the warp copies its rows into shared memory and writes dinput from there, word by word; both operands are read once.
// Order of additions: a lane every p.group-th element in order, then a tree over the lanes; it depends on the extent alone.
// Limits: rows of up to 1024 elements, which the plan checks; any alignment.
//
// Macros: ADJ_T element type, ADJ_LOG log-softmax.
#include "softmax/params.h"
#include "softmax/terms.cuh"

typedef Acc<ADJ_T> A;

constexpr int kBlock = 128;
constexpr int kVector = kVec16<ADJ_T>;
constexpr int kTogether = sizeof(ADJ_T) == 8 ? 1 : 4;  // elements of a lane in flight

extern "C" __global__ void __launch_bounds__(kBlock, sizeof(ADJ_T) == 8 ? 4 : 10) ADJ_ENTRY(const __grid_constant__ SoftmaxBackwardParams p) {
  ADJ_DYNAMIC_SHARED(memory);
  const int extent = static_cast<int>(p.extent), lanes = p.group;
  const int lane = lane_index() & (lanes - 1), own = lane_index() >> lowest_bit(lanes);
  const int stage_bytes = softmax_stage_bytes(p.rows, p.extent, sizeof(ADJ_T));
  u8* const own_memory = memory + warp_index() * (2 * stage_bytes + softmax_sums_bytes(p.rows, sizeof(A)));
  ADJ_T* const stage = reinterpret_cast<ADJ_T*>(own_memory);
  ADJ_T* const other = reinterpret_cast<ADJ_T*>(own_memory + stage_bytes);
  A* const sums = reinterpret_cast<A*>(own_memory + 2 * stage_bytes);
  const i64 first = (block_index() * block_warps() + warp_index()) * p.rows;
  if (first >= p.outer) return;
  const int rows = static_cast<int>(min_of<i64>(p.rows, p.outer - first)), count = rows * extent;
  const ADJ_T* from_dout = static_cast<const ADJ_T*>(p.dout) + first * extent;
  const ADJ_T* from_out = static_cast<const ADJ_T*>(p.out) + first * extent;
  ADJ_T* dinput = static_cast<ADJ_T*>(p.dinput) + first * extent;
  ADJ_T* dout = stage + skew_of(from_dout);
  ADJ_T* out = other + skew_of(from_out);
  // Elements lie as far from a 16-byte boundary in shared memory as in the tensor.
#pragma unroll 1
  for (int operand = 0; operand < 2; ++operand) {
    const ADJ_T* from = operand ? from_out : from_dout;
    const Window<kVector> w(from, count);
#pragma unroll 1
    for (int u = lane_index(); u < w.vectors; u += kWarp)
      copy16_to_shared((operand ? out : dout) + w.vector(u), reinterpret_cast<const Words4*>(from + w.vector(u)));
  }
  {
    // Half of the warp copies the edges of one operand, fewer elements than two vectors have.
    const bool second = lane_index() >= kWarp / 2;
    const int e = lane_index() & (kWarp / 2 - 1);
    const ADJ_T* from = second ? from_out : from_dout;
    const Window<kVector> w(from, count);
    if (e < w.edges) (second ? out : dout)[w.edge(e)] = from[w.edge(e)];
  }
  wait_copies_to_shared();
  warp_barrier();
#pragma unroll 1
  for (int row = own; row - own < rows; row += kWarp >> lowest_bit(lanes)) {
    const int begin = row * extent + lane, end = row < rows ? (row + 1) * extent : 0;
    A sum = 0;
#pragma unroll kTogether
    for (int i = begin; i < end; i += lanes) sum = add_term<ADJ_LOG>(sum, to_acc(dout[i]), ADJ_LOG ? A(0) : to_acc(out[i]));
#pragma unroll 1
    for (int mask = lanes / 2; mask > 0; mask /= 2) sum += shuffle_xor(sum, mask);
    if (lane == 0 && row < rows) sums[row] = sum;
  }
  warp_barrier();
  auto row_of = [&](int i) { return static_cast<int>(static_cast<u32>(i) / static_cast<u32>(extent)); };
  // The gradient goes word by word of dinput; a word may lie across the end of a row.
  const Window<kVector> w(dinput, count);
  const bool together = skew_of(dout) == skew_of(dinput) && skew_of(out) == skew_of(dinput);
#pragma unroll 1
  for (int u = lane_index(); u < w.vectors; u += kWarp) {
    const int i = w.vector(u);
    int row = row_of(i), left = extent - (i - row * extent);  // elements left in the row
    A d[kVector], o[kVector];
    widen<ADJ_T>(together ? *reinterpret_cast<const Words4*>(dout + i) : read_elements(dout + i, kVector), d);
    widen<ADJ_T>(together ? *reinterpret_cast<const Words4*>(out + i) : read_elements(out + i, kVector), o);
    A sum = sums[row];
#pragma unroll
    for (int j = 0; j < kVector; ++j) {
      if (left == 0) sum = sums[++row], left = extent;
      d[j] = softmax_gradient<ADJ_LOG>(d[j], o[j], sum);
      --left;
    }
    store_words(reinterpret_cast<Words4*>(dinput + i), narrow<ADJ_T>(d));
  }
  if (lane_index() < w.edges) {
    const int i = w.edge(lane_index());
    dinput[i] = from_acc<ADJ_T>(softmax_gradient<ADJ_LOG>(to_acc(dout[i]), to_acc(out[i]), sums[row_of(i)]));
  }
}
