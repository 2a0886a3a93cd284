// Gradient of softmax and log-softmax along unaligned rows. README.md defines the words.
//
// Computes: dinput, see softmax_gradient in softmax/terms.cuh; the bits of row.cu, row_cluster.cu or row_stream.cu, for which it stands in.
// Work split: p.group threads take a row, or with ADJ_CLUSTER a cluster of blocks; vector u belongs to lane u modulo the lanes.
// Memory: rows are read twice, for the sum and for the gradient, the second time from a cache; dinput is written once.
// Order of additions: that of the program for which it stands in.
// Limits: none.
//
// Macros: ADJ_T element type, ADJ_LOG log-softmax, ADJ_CLUSTER a cluster of blocks shares a row, ADJ_LONG a thread may have any number of vectors,
// which are added in f64. ADJ_ACC_F64 1: computes in f64 for every type.
#include "softmax/params.h"
#include "prelude/cut.cuh"
#include "prelude/reduce.cuh"
#include "softmax/terms.cuh"
#if ADJ_CLUSTER
#include "prelude/cluster.cuh"
#endif

typedef Acc<ADJ_T> A;
#if ADJ_LONG
typedef f64 Sum;
#else
typedef A Sum;
#endif

constexpr int kBlock = 512;  // most threads of a block
constexpr int kVector = kVec16<ADJ_T>;

// Loads vector `lane` of a stretch of both operands, with zeros beyond its end. Nothing outside the stretch is read.
__device__ __forceinline__ void read_vector(Words4& dout, Words4& out, const ADJ_T* dout_row, const ADJ_T* out_row, int dout_count, int out_count, int lane) {
  Words4 low[2], high[2];
  int offset[2];
  u32 edges = 0;
  // A vector that straddles two words is cut out of them if both lie inside the stretch: vectors [first, last).
#pragma unroll
  for (int i = 0; i < 2; ++i) {
    const ADJ_T* row = i ? out_row : dout_row;
    const int count = i ? out_count : dout_count;
    const int skew = static_cast<int>(reinterpret_cast<u64>(row) & 15);
    const Words4* piece = reinterpret_cast<const Words4*>(reinterpret_cast<const char*>(row) - skew) + lane;
    const int first = skew ? 1 : 0, last = static_cast<int>((static_cast<u32>(count) * sizeof(ADJ_T) + skew) / 16) - first;
    const bool inside = lane >= first && lane < last;
    low[i] = high[i] = {};
    offset[i] = inside ? skew : 0;
    if (inside) low[i] = load_words(piece);
    if (offset[i]) high[i] = load_words(piece + 1);
    if (!inside && lane * kVector < count) edges |= 1u << i;
  }
#pragma unroll 1
  for (int i = 0; i < 2; ++i) {
    if (!(edges >> i & 1)) continue;
    const Words4 edge = read_elements((i ? out_row : dout_row) + lane * kVector, (i ? out_count : dout_count) - lane * kVector);
    if (i) low[1] = edge;
    else low[0] = edge;
  }
  dout = cut16<sizeof(ADJ_T)>(low[0], high[0], offset[0]);
  out = cut16<sizeof(ADJ_T)>(low[1], high[1], offset[1]);
}

// Stores vector `lane` of a stretch. Every lane of the warp takes part; a lane without a row passes count 0. `run` neighbouring lanes, a power of
// two up to a warp, hold neighbouring vectors: the lane of the second vector stores a word that has parts of two.
__device__ __forceinline__ void write_vector(Words4 v, ADJ_T* row, int count, int lane, int run) {
  const Words4 before{shuffle_up(v.x, 1), shuffle_up(v.y, 1), shuffle_up(v.z, 1), shuffle_up(v.w, 1)};
  const int inside = min_of(count - lane * kVector, kVector);
  if (inside <= 0) return;
  const int offset = static_cast<int>(reinterpret_cast<u64>(row) & 15);
  const int head = (16 - offset) / static_cast<int>(sizeof(ADJ_T));  // elements of a vector in the word where it begins
  auto is_piece = [&](int u) { return (offset == 0 || (u & (run - 1)) != 0) && u * kVector + head <= count; };
  const bool piece = is_piece(lane);
  row += lane * kVector;
  Words4* const at = reinterpret_cast<Words4*>(reinterpret_cast<char*>(row) - offset);
  if (piece) store_words(at, cut16<sizeof(ADJ_T)>(offset ? before : v, v, (16 - offset) & 15));
  const int begin = piece ? head : 0;
  const int end = is_piece(lane + 1) ? min_of(inside, head) : inside;
  if (begin < end) write_elements(row, v, begin, end);
}

// Blocks of a multiprocessor: as many as leave the registers that the programs need on each architecture.
constexpr int kResident = kWideAcc<ADJ_T> ? 1 : ADJ_BOUNDS_ARCH < 90 ? 2 : 3;

extern "C" __global__ void __launch_bounds__(kBlock, kResident) ADJ_ENTRY(const __grid_constant__ SoftmaxBackwardParams p) {
  ADJ_SHARED(Sum, scratch, kBlock / kWarp);
#if ADJ_CLUSTER
  const int lanes = block_threads() * cluster_blocks(), lane = cluster_rank() * block_threads() + thread_index();
  const int own = 0, run = kWarp;
  const i64 first = cluster_index(), step = grid_clusters();
  auto barrier = [] { cluster_barrier(); };
#else
  const int lanes = p.group, run = min_of(lanes, kWarp);
  const int own = static_cast<int>(static_cast<u32>(thread_index()) / static_cast<u32>(lanes)), lane = thread_index() - own * lanes;
  const int side_by_side = static_cast<int>(static_cast<u32>(block_threads()) / static_cast<u32>(lanes));
  const i64 first = block_index() * side_by_side, step = grid_blocks() * side_by_side;
  auto barrier = [] { block_barrier(); };
#endif
  auto sum_up = [&](Sum v) {
#pragma unroll 1
    for (int mask = run / 2; mask > 0; mask /= 2) v += shuffle_xor(v, mask);
#if ADJ_CLUSTER
    return cluster_sum_of_warps(v, scratch);
#else
    return lanes > kWarp ? sum_of_warps(v, scratch) : v;
#endif
  };
  const int stretch = lanes * kVector;
  for (i64 row = first; row < p.outer; row += step) {
    const bool valid = row + own < p.outer;
    const i64 begin = valid ? (row + own) * p.extent : 0;
    Sum partial = 0;
    A sum = 0;
    int pass = 0;
#pragma unroll 1
    for (i64 c = 0;; c += stretch) {
      if (c >= p.extent) {
        if (pass++) break;
        sum = static_cast<A>(sum_up(partial));
        c = 0;
      }
      // A stretch is read as a row of its own, so that words shared with the next stretch are not read as a whole.
      const int count = valid ? static_cast<int>(min_of<i64>(p.extent - c, stretch)) : 0;
      Words4 dout, out;
      read_vector(dout, out, static_cast<const ADJ_T*>(p.dout) + (begin + c), static_cast<const ADJ_T*>(p.out) + (begin + c), count,
                  ADJ_LOG && pass == 0 ? 0 : count, lane);
      if (pass == 0) {
        partial += add_vector<ADJ_LOG, ADJ_T>(A(0), dout, out);
      } else {
        // A lane reads words that hold parts of other lanes' vectors, so all lanes read before dinput, which may be an operand, is written. Every
        // row passes this barrier, so the next row may use `scratch`.
        barrier();
        write_vector(gradient_vector<ADJ_LOG, ADJ_T>(dout, out, sum), static_cast<ADJ_T*>(p.dinput) + (begin + c), count, lane, run);
      }
    }
  }
}
