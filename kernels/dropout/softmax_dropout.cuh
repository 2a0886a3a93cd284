// What the programs of bias_softmax_dropout_forward share. A program defines kAligned before it includes this file, true if rows are aligned, and
// work_on_row, which takes one row.
// Macros: ADJ_T element type, ADJ_ONNX_RUNTIME 1 for the mapping of ONNX Runtime.

#include "dropout/onnx_runtime.cuh"
#include "prelude/divide.cuh"
#include "prelude/online.cuh"
#include "prelude/row_groups.cuh"

typedef Acc<ADJ_T> A;

constexpr int kBlock = 512;  // threads of a block, at most
constexpr int kVector = kVec16<ADJ_T>, kVectors = 4;
constexpr int kWords = kVector < 4 ? 4 : kVector;  // random words of the blocks that a vector covers

// Stores the bits of a vector: bytes made of the bits of neighbouring lanes, or, if `shared`, by atomics into a cleared mask. Every lane of the warp
// takes part.
__device__ __forceinline__ void store_bits_at(void* mask, i64 e, u32 bits, int count, bool shared) {
  bits &= (1u << count) - 1;
  if (shared) {
    u32* const words = static_cast<u32*>(mask) + (e >> 5);
    const int at = static_cast<int>(e & 31);
    if (bits << at) atomic_or(words, bits << at);
    if (at + count > 32 && bits >> (32 - at)) atomic_or(words + 1, bits >> (32 - at));
    return;
  }
  constexpr int kLanes = 8 / kVector;
  const int own = lane_index() & (kLanes - 1);
  bits <<= own * kVector;
#pragma unroll
  for (int step = 1; step < kLanes; step *= 2) bits |= shuffle_xor(bits, step);
  if (own == 0 && count) static_cast<u8*>(mask)[e >> 3] = static_cast<u8>(bits);
}

// Applies dropout to the probabilities x of `vectors` vectors and writes softmax_out, out and the mask. The vectors are u, u + g.lanes, ... of a row, or
// stretch of one, that has `count` columns and begins at element `at` of the tensor.
template <int vectors>
__device__ __forceinline__ void finish_vectors(const BiasSoftmaxDropoutParams& p, const Dropout<A>& d, const RowGroup& g, A (&x)[vectors][kVector], i64 row,
                                               i64 at, int count, int u) {
  if (p.softmax_out)
#pragma unroll
    for (int i = 0; i < vectors; ++i) write_row_vector<kAligned>(narrow<ADJ_T>(x[i]), static_cast<ADJ_T*>(p.softmax_out) + at, count, u + i * g.lanes, g.run);
#pragma unroll
  for (int i = 0; i < vectors; ++i) {
    const int vector = u + i * g.lanes, inside = max_of(min_of(count - vector * kVector, kVector), 0);
    const i64 e = at + vector * kVector;
    u32 bits;
    if (kAligned && kVector >= 4 && d.draws) {
      u32 words[kWords];
      draw_blocks<kWords / 4>(d.random, d.random.block + static_cast<u64>(e) / 4, words);
      bits = drop_by_words(d, words, x[i]);
    } else {
      if (!d.draws) bits = 0xffffffffu;
      else if (ADJ_ONNX_RUNTIME) bits = draw_row_bits(d, p.mapping, first_word(p.rule.random), row, p.columns, e - row * p.columns, inside);
      else bits = draw_bits_at<kVector>(d, e, inside);
#pragma unroll
      for (int j = 0; j < kVector; ++j) x[i][j] = bits >> j & 1 ? x[i][j] * d.scale : A(0);
    }
    write_row_vector<kAligned>(narrow<ADJ_T>(x[i]), static_cast<ADJ_T*>(p.out) + at, count, vector, g.run);
    if (p.rule.mask_kind == kMaskBool) store_bools_at<kVector>(static_cast<u8*>(p.rule.mask) + e, bits, inside);
    if (p.rule.mask_kind == kMaskBits) store_bits_at(p.rule.mask, e, bits, inside, p.shared_words);
  }
}

__device__ __forceinline__ void add_bias(Words4 bias, A (&x)[kVector]) {
  A b[kVector];
  widen<ADJ_T>(bias, b);
#pragma unroll
  for (int j = 0; j < kVector; ++j) x[j] += b[j];
}

__device__ __forceinline__ A inverse_of(const BiasSoftmaxDropoutParams& p, const A& sum) { return sum == A(0) && p.zero_masked_rows ? A(0) : A(1) / sum; }

__device__ __forceinline__ void work_on_row(const BiasSoftmaxDropoutParams& p, const Dropout<A>& d, const RowGroup& g, A* scratch, i64 row, i64 bias_row,
                                            bool valid);

// The body of a program: the rows of a block, in turns of the grid.
__device__ __forceinline__ void work_on_rows(const BiasSoftmaxDropoutParams& p) {
  ADJ_SHARED(A, scratch, 2 * kBlock / kWarp);
  const RowGroup g(p.group);
  Dropout<A> d = read_dropout<A>(p.rule);
  if (ADJ_ONNX_RUNTIME) compare_in_f32(d, p.rule);
#pragma unroll 1
  for (i64 first = block_index() * g.side_by_side; first < p.rows; first += grid_blocks() * g.side_by_side) {
    const bool valid = first + g.own < p.rows;
    const i64 row = valid ? first + g.own : first;
    const i64 quotient = divide(row, p.by_divisor);
    const i64 bias_row = p.inner ? quotient : row - quotient * p.divisor;
    work_on_row(p, d, g, scratch, row, bias_row, valid);
  }
}
