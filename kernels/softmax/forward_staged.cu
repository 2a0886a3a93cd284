// Softmax or log-softmax along short rows that do not begin at 16-byte boundaries. README.md defines the words.
//
// Computes: out from the row's largest value and the sum of exponentials relative to it.
// Work split: a warp takes p.rows neighbouring rows; p.group lanes sum a row.
// Memory: the warp copies its rows into shared memory and writes out from there, word by word; both tensors are passed once.
// Order of additions: a lane every p.group-th element in order, then a tree over the lanes; it depends on the extent alone.
// Limits: rows of up to 1024 elements, which the plan checks; any alignment.
//
// Macros: ADJ_T element type, ADJ_LOG log-softmax.
#include "softmax/params.h"
#include "prelude/exp.cuh"
#include "prelude/row_vectors.cuh"

typedef Acc<ADJ_T> A;

constexpr int kBlock = 128;
constexpr int kVector = kVec16<ADJ_T>;
constexpr int kTogether = sizeof(ADJ_T) == 8 ? 1 : 4;  // elements of a lane in flight

// What finishes the elements of a row: the reference, and 1 / sum for softmax, log(sum) for log-softmax.
struct alignas(2 * sizeof(A)) Row {
  A top, last;
};

__device__ __forceinline__ A result_of(A x, const Row& row) { return ADJ_LOG ? (x - row.top) - row.last : called_exp(x - row.top) * row.last; }

extern "C" __global__ void __launch_bounds__(kBlock, sizeof(ADJ_T) == 8 ? 4 : 10) ADJ_ENTRY(const __grid_constant__ SoftmaxForwardParams p) {
  ADJ_DYNAMIC_SHARED(memory);
  const int extent = static_cast<int>(p.extent), lanes = p.group;
  const int lane = lane_index() & (lanes - 1), own = lane_index() >> lowest_bit(lanes);
  const int stage_bytes = softmax_stage_bytes(p.rows, p.extent, sizeof(ADJ_T));
  u8* const own_memory = memory + warp_index() * (stage_bytes + softmax_sums_bytes(p.rows, sizeof(Row)));
  Row* const closed = reinterpret_cast<Row*>(own_memory + stage_bytes);
  const i64 first = (block_index() * block_warps() + warp_index()) * p.rows;
  if (first >= p.outer) return;
  const int rows = static_cast<int>(min_of<i64>(p.rows, p.outer - first)), count = rows * extent;
  const ADJ_T* in = static_cast<const ADJ_T*>(p.in) + first * extent;
  ADJ_T* out = static_cast<ADJ_T*>(p.out) + first * extent;
  // Elements lie as far from a 16-byte boundary in shared memory as in the tensor.
  ADJ_T* const x = reinterpret_cast<ADJ_T*>(own_memory) + skew_of(in);
  {
    const Window<kVector> w(in, count);
#pragma unroll 1
    for (int u = lane_index(); u < w.vectors; u += kWarp) copy16_to_shared(x + w.vector(u), reinterpret_cast<const Words4*>(in + w.vector(u)));
    if (lane_index() < w.edges) x[w.edge(lane_index())] = in[w.edge(lane_index())];
  }
  wait_copies_to_shared();
  warp_barrier();
#pragma unroll 1
  for (int row = own; row - own < rows; row += kWarp >> lowest_bit(lanes)) {
    const int begin = row * extent + lane, end = row < rows ? (row + 1) * extent : 0;
    A top = Limits<A>::lowest(), sum = 0;
#pragma unroll kTogether
    for (int i = begin; i < end; i += lanes) top = max_number(top, to_acc(x[i]));
#pragma unroll 1
    for (int mask = lanes / 2; mask > 0; mask /= 2) top = max_number(top, shuffle_xor(top, mask));
#pragma unroll kTogether
    for (int i = begin; i < end; i += lanes) sum += called_exp(to_acc(x[i]) - top);
#pragma unroll 1
    for (int mask = lanes / 2; mask > 0; mask /= 2) sum += shuffle_xor(sum, mask);
    if (lane == 0 && row < rows) closed[row] = {top, ADJ_LOG ? exact_log(sum) : A(1) / sum};
  }
  warp_barrier();
  auto row_of = [&](int i) { return static_cast<int>(static_cast<u32>(i) / static_cast<u32>(extent)); };
  // Results go word by word of out; a word may lie across the end of a row.
  const Window<kVector> w(out, count);
  const bool together = skew_of(in) == skew_of(out);
#pragma unroll 1
  for (int u = lane_index(); u < w.vectors; u += kWarp) {
    const int i = w.vector(u);
    int row = row_of(i), left = extent - (i - row * extent);  // elements left in the row
    A v[kVector];
    widen<ADJ_T>(together ? *reinterpret_cast<const Words4*>(x + i) : read_elements(x + i, kVector), v);
    Row r = closed[row];
#pragma unroll
    for (int j = 0; j < kVector; ++j) {
      if (left == 0) r = closed[++row], left = extent;
      v[j] = result_of(v[j], r);
      --left;
    }
    store_words(reinterpret_cast<Words4*>(out + i), narrow<ADJ_T>(v));
  }
  if (lane_index() < w.edges) {
    const int i = w.edge(lane_index());
    out[i] = from_acc<ADJ_T>(result_of(to_acc(x[i]), closed[row_of(i)]));
  }
}
