// Computes: per sample the cross-entropy of a label, with label smoothing and a z-loss, and the gradient of the scores.
// Work split: p.group threads share a row and take four 16-byte vectors a lane at a time. Vector u belongs to lane u modulo the group.
// Memory: scores are read once if the row is resident, else twice, the second time from a cache; dscores are written once. Class weights are read
//   for every element with label smoothing, otherwise for the target alone.
// Order of additions: follows from the column and the group alone.
// Limits: rows of up to 2^59 classes.
//
// Macros: ADJ_T type of scores, ADJ_L of labels, ADJ_ALIGNED 1 if rows are aligned.
// ADJ_ACC_F64 1: sums in f64 for every type.
#include "loss/with_gradient.cuh"

typedef Acc<ADJ_T> A;

constexpr int kBlock = kWideAcc<ADJ_T> ? 256 : 512;  // threads of a block, at most
constexpr int kVector = kVec16<ADJ_T>, kVectors = 4;
constexpr bool kAligned = ADJ_ALIGNED;

// Not inlined: a copy for each element would be most of the kernel.
__device__ __noinline__ A class_weight(const void* weight, i64 c, int dtype) { return static_cast<A>(load_as_f64(weight, c, dtype)); }

extern "C" __global__ void __launch_bounds__(kBlock, 1) ADJ_ENTRY(const __grid_constant__ CrossEntropyParams p) {
  ADJ_SHARED(TopSum<A>, scratch, kBlock / kWarp);
  ADJ_SHARED(f64, sums, 2 * kBlock / kWarp);
  ADJ_SHARED(f64, losses, 2 * kBlock / kWarp);
  let_next_grid_begin();
  wait_for_earlier_grids();
  const RowGroup g(p.group);
  const i64 classes = p.label.num_classes, padded = p.padded_classes;
  const int stretch = g.lanes * kVectors * kVector;
  const GradientOfMean mean(p);
  const bool weighted = p.smoothing > 0 && p.label.weight_dtype;
  int turn = 0;
#pragma unroll 1
  for (i64 first = block_index() * g.side_by_side; first < p.samples; first += grid_blocks() * g.side_by_side, ++turn) {
    const bool valid = first + g.own < p.samples;
    const i64 row = valid ? first + g.own : first, begin = row * padded;
    const ADJ_T* scores = static_cast<const ADJ_T*>(p.scores) + begin;
    ADJ_T* dscores = static_cast<ADJ_T*>(p.dscores) + begin;
    const Label label = read_label<ADJ_L>(p.label, row);
    const bool counted = valid && label.target >= 0, reads = counted || p.lse;
    const A target = counted ? to_acc(scores[label.target]) : A(0);
    RunningSum<A> sum = empty_running_sum<A>();
    f64 all_weights = 0, weighted_scores = 0;  // sums over the classes, for label smoothing
    A log_top = 0, log_sum = 0;
    RowGradient<A> d{};
    Words4 x[kVectors] = {};
#pragma unroll 1
    for (int pass = 0; pass < 2; ++pass) {
#pragma unroll 1
      for (i64 c = 0; c < padded; c += stretch) {
        // Each stretch is read as a row of its own: no lane reads a word that reaches into the next stretch.
        const int count = valid ? static_cast<int>(min_of<i64>(padded - c, stretch)) : 0;
        const int inside_classes = static_cast<int>(min_of<i64>(classes - c, count));  // below 0 in the padding
        if (reads && (pass == 0 || !p.resident)) read_row_vectors<kAligned>(x, scores + c, count, g.lane, g.lanes);
        // Lanes read words that neighbouring lanes write: all lanes have read before dscores may overwrite them.
        if (pass > 0) g.barrier();
#pragma unroll 1
        for (int k = 0; k < kVectors; ++k) {
          const int u = g.lane + k * g.lanes, left = inside_classes - u * kVector;
          const i64 at = label.target - c - u * kVector;  // place of the target in this vector
          A v[kVector];
          widen_row_vector<false, ADJ_T>(x[0], left, -Limits<A>::infinity(), v);
          if (pass == 0) {
            if (p.smoothing > 0) {
              A vector = 0;
#pragma unroll
              for (int j = 0; j < kVector; ++j) {
                if (j >= left) continue;
                const A w = weighted ? class_weight(p.label.weight, c + u * kVector + j, p.label.weight_dtype) : A(1);
                all_weights += w;
                vector = fused_multiply_add(w, v[j], vector);
              }
              weighted_scores += vector;
            }
            // The sum leaves the target out; close_sum adds it.
            if (counted && at >= 0 && at < kVector) {
#pragma unroll
              for (int j = 0; j < kVector; ++j) v[j] = j == static_cast<int>(at) ? -Limits<A>::infinity() : v[j];
            }
            add_values(sum, v);
          } else {
#pragma unroll
            for (int j = 0; j < kVector; ++j) v[j] = called_exp(((v[j] - log_top) - log_sum) * exponent_beside(d.factor));
            if (weighted) {
#pragma unroll
              for (int j = 0; j < kVector; ++j) {
                const A w = j < left ? class_weight(p.label.weight, c + u * kVector + j, p.label.weight_dtype) : A(1);
                v[j] = fused_multiply_add(d.factor, v[j], -d.shift * w);
              }
            } else {
#pragma unroll
              for (int j = 0; j < kVector; ++j) v[j] = fused_multiply_add(d.factor, v[j], -d.shift);
            }
            if (label.ignored || (counted && mean.over_nothing(p))) {
#pragma unroll
              for (int j = 0; j < kVector; ++j) v[j] = 0;
            } else if (counted && at >= 0 && at < kVector) {
#pragma unroll
              for (int j = 0; j < kVector; ++j) v[j] = j == static_cast<int>(at) ? d.of_target : v[j];
            }
            if (left < kVector) {
#pragma unroll
              for (int j = 0; j < kVector; ++j)
                if (j >= left) v[j] = 0;
            }
            write_row_vector<kAligned>(narrow<ADJ_T>(v), dscores + c, count, u, g.run);
          }
          const Words4 own = x[0];
#pragma unroll
          for (int i = 0; i + 1 < kVectors; ++i) x[i] = x[i + 1];
          x[kVectors - 1] = own;
        }
      }
      if (pass > 0) break;
      const TopSum<A> others = merge_group(settle(sum), g.lanes, scratch);
      if (p.smoothing > 0) {
#pragma unroll 1
        for (int mask = g.run / 2; mask > 0; mask /= 2) {
          all_weights += shuffle_xor(all_weights, mask);
          weighted_scores += shuffle_xor(weighted_scores, mask);
        }
        if (g.lanes > kWarp) {
          all_weights = sum_of_warps(all_weights, sums);
          weighted_scores = sum_of_warps(weighted_scores, sums + kBlock / kWarp);
        }
      }
      const LogSum<A> r = close_sum(others, counted, target);
      log_top = r.top;
      log_sum = r.log_sum;
      d = gradient_of_row(p, mean, label, row, r, target, {all_weights, weighted_scores, weighted});
      if (valid && g.lane == 0) finish_row<ADJ_T>(p, label, row, r, d.loss);
      write_total_of_block(p, g, first, valid, d.loss, losses, turn);
    }
  }
}
