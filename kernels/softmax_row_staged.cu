// Gradient of softmax and log-softmax along contiguous rows that do not begin on 16-byte boundaries: a warp brings some whole
// rows, which are next to each other, into shared memory and back with 16-byte accesses, and works on them there.
//
// Macros: ADJ_T element type, ADJ_LOG log-softmax.
#include "params/softmax.h"
#include "prelude/softmax.cuh"

typedef Acc<ADJ_T> A;

constexpr int kBlock = 128;
constexpr int kUnit = kVec16<ADJ_T>;
constexpr int kTogether = sizeof(ADJ_T) == 8 ? 1 : 4;  // elements of a lane

// Elements of a unit before p.
__device__ __forceinline__ int skew_of(const ADJ_T* p) {
  return static_cast<int>(reinterpret_cast<u64>(p) & 15) / static_cast<int>(sizeof(ADJ_T));
}

// `to` and `from` have the same place in their units.
__device__ __forceinline__ void fetch(ADJ_T* to, const ADJ_T* from, int count) {
  const Window<kUnit> w(from, count);
#pragma unroll 4
  for (int u = lane_index(); u < w.units; u += kWarp)
    copy16_to_shared(to + w.unit(u), reinterpret_cast<const Words4*>(from + w.unit(u)));
  if (lane_index() < w.edges) to[w.edge(lane_index())] = from[w.edge(lane_index())];
}
__device__ __forceinline__ void deliver(ADJ_T* to, const ADJ_T* from, int count) {
  const Window<kUnit> w(to, count);
  const bool together = skew_of(from) == skew_of(to);
#pragma unroll 4
  for (int u = lane_index(); u < w.units; u += kWarp) {
    const ADJ_T* unit = from + w.unit(u);
    store_streaming(reinterpret_cast<Words4*>(to + w.unit(u)), together ? *reinterpret_cast<const Words4*>(unit) : read_elements(unit, kUnit));
  }
  if (lane_index() < w.edges) to[w.edge(lane_index())] = from[w.edge(lane_index())];
}

// p.group lanes share a row; a warp takes p.rows rows at a time.
extern "C" __global__ void __launch_bounds__(kBlock) ADJ_ENTRY(const __grid_constant__ SoftmaxBackwardParams p) {
  ADJ_DYNAMIC_SHARED(memory);
  const int extent = static_cast<int>(p.extent), lanes = p.group;
  const int lane = lane_index() & (lanes - 1), own = lane_index() / lanes;
  ADJ_T* const stage = reinterpret_cast<ADJ_T*>(memory + warp_index() * 2 * softmax_stage_bytes(p.rows, p.extent, sizeof(ADJ_T)));
  ADJ_T* const other = reinterpret_cast<ADJ_T*>(reinterpret_cast<u8*>(stage) + softmax_stage_bytes(p.rows, p.extent, sizeof(ADJ_T)));
  const i64 warps = grid_blocks() * block_warps();
  for (i64 first = (block_index() * block_warps() + warp_index()) * p.rows; first < p.outer; first += warps * p.rows) {
    const int rows = static_cast<int>(min_of<i64>(p.rows, p.outer - first)), count = rows * extent;
    const ADJ_T* from_dout = static_cast<const ADJ_T*>(p.dout) + first * extent;
    const ADJ_T* from_out = static_cast<const ADJ_T*>(p.out) + first * extent;
    ADJ_T* dout = stage + skew_of(from_dout);
    ADJ_T* out = other + skew_of(from_out);
    fetch(dout, from_dout, count);
    fetch(out, from_out, count);
    wait_copies_to_shared();
    warp_barrier();
#pragma unroll 1
    for (int row = own; row - own < rows; row += kWarp / lanes) {
      const int begin = row * extent + lane, end = row < rows ? (row + 1) * extent : 0;
      A sum = 0;
#pragma unroll kTogether
      for (int i = begin; i < end; i += lanes) sum = add_term<ADJ_LOG>(sum, to_acc(dout[i]), ADJ_LOG ? A(0) : to_acc(out[i]));
      for (int mask = lanes / 2; mask > 0; mask /= 2) sum += shuffle_xor(sum, mask);
#pragma unroll kTogether
      for (int i = begin; i < end; i += lanes) dout[i] = from_acc<ADJ_T>(softmax_gradient<ADJ_LOG>(to_acc(dout[i]), to_acc(out[i]), sum));
    }
    warp_barrier();
    deliver(static_cast<ADJ_T*>(p.dinput) + first * extent, dout, count);
    warp_barrier();
  }
}
