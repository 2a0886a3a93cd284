// Softmax cross-entropy loss of a label, for classes side by side.
//
// Computes: per sample lse = log(sum of exp(scores)) and loss = weight * (lse - score of the target); on request log_prob = scores - lse.
// Work split: p.group threads share a row.
// Memory: scores are read once, and once more for log_prob.
// Order of additions: follows from the number of classes alone, not from addresses or from other samples.
// Limits: inner = 1 and at most 2^29 classes. A grid takes its samples in one turn. src/ops/loss/loss.cpp checks both.
//
// Macros: ADJ_T type of scores, ADJ_L of labels, ADJ_O of loss and log_prob, ADJ_ALIGNED 1 if all rows of scores and log_prob begin and end on 16-byte
// boundaries, with the padding. ADJ_ACC_F64 1: sums in f64 for every type.
#include "loss/forward.cuh"
#include "prelude/cut.cuh"
#include "prelude/elements.cuh"

constexpr int kBlock = 512;  // threads of a block, at most
constexpr int kVector = kVec16<ADJ_T>;

// Columns of a row are counted in 32 bits; the plan checks that.
constexpr int kInFlight = 4;

__device__ __forceinline__ int vector_of(int column) { return static_cast<int>(static_cast<u32>(column) / kVector); }

// Returns a lane's sum over a row without its target. Vector u holds classes [u * kVector, u * kVector + kVector) and belongs to lane u modulo group,
// wherever the row begins, so a row's result depends on its contents alone. A vector of an unaligned row is cut out of two words. The first is
// loaded ahead; the second, which is the first of a neighbouring lane, only when it is used.
__device__ __forceinline__ TopSum<A> sum_row(const ADJ_T* row, int classes, int target, int lane, int group) {
  RunningSum<A> sum = empty_running_sum<A>();
  const int offset = ADJ_ALIGNED ? 0 : static_cast<int>(reinterpret_cast<u64>(row) & 15);
  const Words4* base = reinterpret_cast<const Words4*>(opaque(reinterpret_cast<i64>(row) - offset));
  const int vectors = vector_of(classes + kVector - 1);
  // Vectors before `last` have both words inside the row; vector 0 only if the row begins on a boundary.
  const int last = ADJ_ALIGNED ? vectors : vector_of(classes + static_cast<int>(static_cast<u32>(offset) / sizeof(ADJ_T))) - 1;
  const int of_target = vector_of(target);  // target -1: a vector beyond every row
  const int partial = vector_of(classes);    // the vector that ends in the padding; without padding a vector beyond the row
  // Loads of the next turn are in flight while this turn adds. The first turn only loads.
  Words4 pieces[kInFlight];
  const int step = kInFlight * group;
#pragma unroll 1
  for (int begin = lane - step; begin < vectors; begin += step) {
    Words4 next[kInFlight];
#pragma unroll
    for (int k = 0; k < kInFlight; ++k) {
      const int u = begin + step + k * group;
      if ((ADJ_ALIGNED || u > 0 || offset == 0) && u < last) next[k] = load_words(base + u);
    }
    const int end = begin < 0 ? begin : min_of(vectors, begin + step);
#pragma unroll 1
    for (int u = begin; u < end; u += group) {
      A x[kVector] = {};
      if (ADJ_ALIGNED) {
        widen<ADJ_T>(pieces[0], x);
        if (u == of_target || u == partial) {
          const int at = target - u * kVector, left = classes - u * kVector;
#pragma unroll
          for (int j = 0; j < kVector; ++j) x[j] = j == at || j >= left ? -Limits<A>::infinity() : x[j];
        }
      } else if ((u > 0 || offset == 0) && u < last && u != of_target) {
        widen<ADJ_T>(cut16<sizeof(ADJ_T)>(pieces[0], load_words(base + (u + 1)), offset), x);
      } else {
        // Up to three times a row. Not through `row`, which would take two registers all the time.
        const int at = target - u * kVector, left = classes - u * kVector;
        const ADJ_T* const again = reinterpret_cast<const ADJ_T*>(reinterpret_cast<const u8*>(base) + offset);
        widen<ADJ_T>(gather_elements(again + u * kVector, min_of(left, kVector)), x);
#pragma unroll
        for (int j = 0; j < kVector; ++j) x[j] = j == at || j >= left ? -Limits<A>::infinity() : x[j];
      }
      add_values(sum, x);
#pragma unroll
      for (int k = 0; k + 1 < kInFlight; ++k) pieces[k] = pieces[k + 1];
    }
#pragma unroll
    for (int k = 0; k < kInFlight; ++k) pieces[k] = next[k];
  }
  return settle(sum);
}

__device__ __forceinline__ void write_log_prob(const ADJ_T* row, ADJ_O* out, int classes, int target, const LogSum<A>& r, int lane, int group) {
  int begin = 0, end = classes;
  bool has_target = false;
#if !ADJ_ALIGNED
  Window<kVector> window(row, classes);
  if (!aligned16(out + window.head)) window.without_vectors();
#pragma unroll 1
  for (int e = lane; e < window.edges; e += group) {
    const int c = window.edge(e);
    has_target |= c == target;
    out[c] = from_acc<ADJ_O>(log_probability(to_acc(row[c]), r));
  }
  begin = window.head;
  end = begin + window.vectors * kVector;
#endif
#pragma unroll 1
  for (int c = begin + lane * kVector; c < end; c += group * kVector) {
    has_target |= static_cast<u32>(target - c) < kVector;
    A x[kVector];
    widen<ADJ_T>(load_words(reinterpret_cast<const Words4*>(row + c)), x);
#pragma unroll
    for (int i = 0; i < kVector; i += kVec16<ADJ_O>) {
      Acc<ADJ_O> part[kVec16<ADJ_O>];
#pragma unroll
      for (int j = 0; j < kVec16<ADJ_O>; ++j) part[j] = log_probability(x[i + j], r);
      store_words(reinterpret_cast<Words4*>(out + c + i), narrow<ADJ_O>(part));
    }
  }
  // The thread that wrote the target's column writes it again in the exact form.
  if (has_target) out[target] = from_acc<ADJ_O>(-r.loss);
}

extern "C" __global__ void __launch_bounds__(kBlock, sizeof(A) == 8 ? 1 : 2) ADJ_ENTRY(const __grid_constant__ LossForwardParams p) {
  ADJ_SHARED(TopSum<A>, scratch, kBlock / kWarp);
  const int classes = static_cast<int>(p.label.num_classes);
  const int group = p.group;
  const int lane = thread_index() & (group - 1);
  const int rows_log2 = lowest_bit(block_threads()) - lowest_bit(group);  // both are powers of two
  const i64 row = (block_index() << rows_log2) + (thread_index() >> lowest_bit(group));
  const bool valid = row < p.samples;
  const Label label = valid ? read_label<ADJ_L>(p.label, row) : Label{-1, true, 0};
  const ADJ_T* scores = static_cast<const ADJ_T*>(p.scores) + row * p.padded_classes;
  TopSum<A> sum = empty_top_sum<A>();
  A target = 0;
  if (valid && (label.target >= 0 || p.lse || p.log_prob)) {
    // Unaligned rows have no register for it while they are summed.
    if (ADJ_ALIGNED && label.target >= 0) target = to_acc(scores[label.target]);
    sum = sum_row(scores, classes, static_cast<int>(label.target), lane, group);
    if (!ADJ_ALIGNED && label.target >= 0) target = to_acc(scores[label.target]);
  }
  sum = merge_group(sum, group, scratch);
  warp_barrier();  // log_prob may overwrite the row only after all lanes have read it
  const LogSum<A> result = close_sum(sum, label.target >= 0, target);
  Term term{0, 0};
  if (valid && lane == 0) term = finish_sample(p, row, label, result);
  if (p.totals) {
    if (group > kWarp) {
      if (lane == 0) write_total(p, row, term);
    } else {
      write_warp_total(p, block_index() * block_warps() + warp_index(), term);
    }
  }
  if (valid && p.log_prob)
    write_log_prob(scores, static_cast<ADJ_O*>(p.log_prob) + row * classes, classes, static_cast<int>(label.target), result, lane, group);
}
