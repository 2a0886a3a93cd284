// Computes: the same as with_gradient.cu, but without class weights under label smoothing.
// Work split: a cluster of blocks takes one row after the other; each block takes p.group vectors of 16 bytes of it. Vector u of a block belongs to
//   thread u modulo the block.
// Memory: scores are read once, into shared memory, and dscores written once. While a row is written, the next row is copied to the places that
//   become free.
// Order of additions: follows from the column and from the number of blocks that share a row.
// Limits: rows that the shared memory of a cluster holds; src/ops/loss/with_gradient.cpp checks. sm_90 and later.
//
// Macros: ADJ_T type of scores, ADJ_L of labels, ADJ_ALIGNED 1 if rows are aligned.
#include "loss/with_gradient.cuh"
#include "prelude/cluster.cuh"
#include "prelude/online_words.cuh"
#include "prelude/row_vectors.cuh"

typedef Acc<ADJ_T> A;

constexpr int kBlock = 256, kWarps = kBlock / kWarp;
constexpr int kVector = kVec16<ADJ_T>;
constexpr bool kAligned = ADJ_ALIGNED;

__device__ __forceinline__ f32 exact_exp(f32 v) { return expf(v); }
__device__ __forceinline__ f64 exact_exp(f64 v) { return exp(v); }

// Stages columns [c, c + kVector) of a row one by one, -infinity for those outside its classes. Not inlined, since it is rare.
__device__ __noinline__ void stage_edge(ADJ_T* to, const ADJ_T* row, int c, int classes) {
#pragma unroll 1
  for (int j = 0; j < kVector; ++j, ++c) to[j] = c >= 0 && c < classes ? row[c] : from_acc<ADJ_T>(-Limits<A>::infinity());
}

// A piece is a word (16 bytes at a 16-byte boundary) in shared memory. If kAligned, it is a vector; else the end of one and the beginning of the next.
extern "C" __global__ void __launch_bounds__(kBlock, 3) ADJ_ENTRY(const __grid_constant__ CrossEntropyParams p) {
  let_next_grid_begin();
  wait_for_earlier_grids();
  ADJ_SHARED(TopSum<A>, all_parts, 2 * kWarps);
  ADJ_SHARED(f64, all_sums, 2 * kWarps);
  ADJ_DYNAMIC_SHARED(memory);
  ADJ_T* const stage = reinterpret_cast<ADJ_T*>(memory);
  Words4* const pieces = reinterpret_cast<Words4*>(memory);
  const int thread = thread_index(), classes = static_cast<int>(p.label.num_classes), padded = static_cast<int>(p.padded_classes);
  const int first = cluster_rank() * p.group;  // first vector of this block
  const int vectors = (padded + kVector - 1) / kVector, own = min_of(vectors - first, p.group);
  const int staged = kAligned ? own : own + 1;
  const int written = first + own == vectors ? staged : own;  // pieces that this block writes
  const GradientOfMean mean(p);

  auto row_of = [&](i64 row) { return static_cast<const ADJ_T*>(p.scores) + row * p.padded_classes; };
  auto own_skew = [](const ADJ_T* at) { return kAligned ? 0 : skew_of(at); };
  // True where a piece at column c has classes only, or elements of the row only.
  auto inside = [&](int c) { return (kAligned || c >= 0) && c + kVector <= classes; };
  auto in_row = [&](int c) { return kAligned || (c >= 0 && c + kVector <= padded); };
  auto stage_piece = [&](const ADJ_T* row, int c, int i) {
    if (inside(c)) copy16_to_shared(pieces + i, reinterpret_cast<const Words4*>(row + c));
    else stage_edge(stage + i * kVector, row, c, classes);
  };
  auto reads = [&](const Label& label) { return label.target >= 0 || (p.lse != nullptr); };

  // There is a row for every cluster.
  Label label = read_label<ADJ_L>(p.label, cluster_index());
  if (reads(label)) {
    const ADJ_T* const row = row_of(cluster_index());
    const int begin = first * kVector - own_skew(row);
#pragma unroll 1
    for (int i = thread; i < staged; i += kBlock) stage_piece(row, begin + i * kVector, i);
  }
  int turn = 0;
#pragma unroll 1
  for (i64 row = cluster_index(); row < p.samples; row += grid_clusters()) {
    const i64 next = row + grid_clusters();
    Label next_label{-1, true, 0};
    if (next < p.samples) next_label = read_label<ADJ_L>(p.label, next);
    const bool counted = label.target >= 0;
    const ADJ_T* const scores = row_of(row);
    const int skew = own_skew(scores), begin = first * kVector - skew;
    A target = 0;
    int target_at = -1;  // place of the target in `stage`, if this thread has staged it
    if (counted) {
      target = to_acc(scores[label.target]);
      const int at = static_cast<int>(label.target) - begin;
      if (at >= 0 && at < staged * kVector && at / kVector % kBlock == thread) target_at = at;
    }
    TopSum<A>* const parts = all_parts + turn * kWarps;
    f64* const sums = all_sums + turn * kWarps;
    turn ^= 1;

    auto vector_of = [&](int u) {
      if (kAligned) return pieces[u];
      return cut16<sizeof(ADJ_T)>(pieces[u], pieces[u + 1], skew * static_cast<int>(sizeof(ADJ_T)));
    };
    wait_copies_to_shared();
    f64 sum_of_scores = 0;  // for label smoothing
    if (p.smoothing > 0 && counted) {
      if (!kAligned) block_barrier();
#pragma unroll 1
      for (int u = thread; u < own; u += kBlock) {
        A x[kVector], vector = 0;
        widen_row_vector<false, ADJ_T>(vector_of(u), classes - (first + u) * kVector, A(0), x);
#pragma unroll
        for (int j = 0; j < kVector; ++j) vector += x[j];
        sum_of_scores += vector;
      }
      if (!kAligned) block_barrier();
      sum_of_scores = warp_sum(sum_of_scores);
      if (lane_index() == 0) sums[warp_index()] = sum_of_scores;
    }
    // The sum leaves the target out; close_sum adds it.
    if (target_at >= 0) stage[target_at] = from_acc<ADJ_T>(-Limits<A>::infinity());
    if (!kAligned) block_barrier();
    RunningSum<A> running = empty_running_sum<A>();
    if (reads(label)) {
#pragma unroll kAligned ? 2 : 1
      for (int u = thread; u < own; u += kBlock) add_words<ADJ_T>(running, vector_of(u));
    }
    TopSum<A> sum = merge_lanes(settle(running), kWarp);
    if (lane_index() == 0) parts[warp_index()] = sum;
    // One barrier a row suffices: rows alternate between two sets of parts. Who writes a set again has passed the barrier of the row between.
    cluster_barrier();
    sum = empty_top_sum<A>();
    sum_of_scores = 0;
#pragma unroll 1
    for (int i = lane_index(); i < kWarps * cluster_blocks(); i += kWarp) {
      const int warp = i % kWarps, rank = i / kWarps;
      sum = merge(sum, {load_from_block(&parts[warp].top, rank), load_from_block(&parts[warp].sum, rank)});
      if (p.smoothing > 0 && counted) sum_of_scores += load_from_block(sums + warp, rank);
    }
    sum = merge_lanes(sum, kWarp);
    if (p.smoothing > 0) sum_of_scores = warp_sum(sum_of_scores);

    const LogSum<A> r = close_sum(sum, counted, target);
    RowGradient<A> d = gradient_of_row(p, mean, label, row, r, target, {static_cast<f64>(classes), sum_of_scores, false});
    if (cluster_rank() == 0 && thread == 0) {
      finish_row<ADJ_T>(p, label, row, r, d.loss);
      if (p.totals) write_total(p, row, d.loss);
    }

    const bool zero = label.ignored || (counted && mean.over_nothing(p));
    const bool valid = reads(label) && !zero;
    const A top = valid ? r.top : A(0);
    d.factor = zero ? A(0) : d.factor * exact_exp(-r.log_sum);
    if (zero) d.of_target = 0;
    const bool reads_next = next < p.samples && reads(next_label);
    const ADJ_T* const next_scores = row_of(reads_next ? next : row);
    const int next_begin = first * kVector - own_skew(next_scores);
    ADJ_T* const dscores = static_cast<ADJ_T*>(p.dscores) + row * p.padded_classes;
    const bool together = kAligned || own_skew(dscores) == skew;
    ADJ_T* out = dscores + begin + thread * kVector;
    const ADJ_T* ahead = next_scores + next_begin + thread * kVector;
#pragma unroll 1
    for (int i = thread; i < staged; i += kBlock) {
      Words4 w{};
      if (valid) w = pieces[i];
      A v[kVector];
      widen<ADJ_T>(w, v);
#pragma unroll
      for (int j = 0; j < kVector; ++j) v[j] = fused_multiply_add(d.factor, called_exp((v[j] - top) * exponent_beside(d.factor)), -d.shift);
      const int c = begin + i * kVector;
      if (c + kVector > classes) {
#pragma unroll
        for (int j = 0; j < kVector; ++j)
          if (c + j >= classes) v[j] = 0;
      }
      w = narrow<ADJ_T>(v);
      if (kAligned || i < written) {
        if (together && in_row(c)) store_words(reinterpret_cast<Words4*>(out), w);
        else scatter_elements<ADJ_T>(out, w, max_of(-c, 0), min_of(padded - c, kVector));
      }
      // The next row goes into the piece that this thread has just read. A neighbour reads the piece too, but only after the next barrier.
      if (reads_next) {
        if (inside(next_begin + i * kVector)) copy16_to_shared(pieces + i, reinterpret_cast<const Words4*>(ahead));
        else stage_edge(stage + i * kVector, next_scores, next_begin + i * kVector, classes);
      }
      out += kBlock * kVector;
      ahead += kBlock * kVector;
    }
    // The thread that wrote the target's column writes it again in the exact form.
    if (target_at >= 0 && target_at < written * kVector) dscores[label.target] = from_acc<ADJ_T>(d.of_target);
    label = next_label;
  }
  cluster_barrier();  // other blocks may read the parts of this block until here
}
