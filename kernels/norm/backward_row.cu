// Computes: the gradient of layer norm and RMS norm; partial sums of the gradients of gamma and beta.
//     h[i, j] = (x[i, j] - mean[i]) * inv_std[i], or (y[i, j] - beta[j]) / gamma[j];  g = dy * gamma
//     dx = inv_std * (g - mean of g - h * mean of (g * h)) + dresidual
//     partial dgamma[s, j] = sum of dy * h, partial dbeta[s, j] = sum of dy, over the rows of split s
// Work split: a block (or a cluster) takes a split of the rows. Each of its groups of p.lanes threads works on a row; a thread has the same columns
//     of each of its rows.
// Memory: reads dy and x once, writes dx once. Several rows are in flight into shared memory while one is worked on. Only the thread that has loaded
//     an element reads it there, so no barriers are needed.
// Order of additions: of a row by its length and types; of a column by splits, which depend on the shape.
// Limits: rows are aligned; backward_row_any.cu and backward_row_ahead.cu take others. A row has at most kUnits units for each thread of the block or cluster.
// The
//     plan checks both.
//
// Macros: those of backward_row.cuh.
#include "norm/backward_row.cuh"

template <int n> struct Count {
  static constexpr int value = n;
};

// Rows that go through a pipeline in shared memory. A stage has the units of a row, and behind them its statistics.
struct Rows {
  static constexpr bool kMasked = false, kTogether = false;
  A mean, scale;
  Words4* own;  // first unit of this thread in the current row
  int unit_step;

  __device__ __forceinline__ Rows(const NormBackwardParams& p, const Group& group, Words4* area, int units, int count, i64 stride) : stride_(stride) {
    const int threads = block_threads(), of_unit = kSavedPieces + kDoutPieces + (p.dresidual ? kOutPieces : 0);
    const int of_row = p.units_of_thread * of_unit + 1;
    stages_ = p.pipeline / of_row;
    row_step_ = of_row * threads;
    unit_step = of_unit * threads;
    ahead_ = place_of_thread(area, thread_index(), of_unit);
    unit_at_ = (group.split * group.groups + group.index) * units + group.lane;
    unit_stride_ = stride_ * units;
    ahead_of_ = opaque(stages_ * unit_stride_);
    last_with_next_ = opaque(p.rows - stages_ * stride_);
    statistics_ = reinterpret_cast<A*>(area + p.units_of_thread * unit_step + thread_index());
    next_statistics_ = row_step_ * (16 / static_cast<int>(sizeof(A)));
#pragma unroll 1
    for (int stage = 0; stage < stages_; ++stage) {
      const i64 row = group.split * group.groups + group.index + stage * stride_;
      statistics_[stage * next_statistics_] = statistics_[stage * next_statistics_ + 1] = 0;
      if (row < p.rows) {
        fetch_statistics(p, row, stage);
#pragma unroll 1
        for (int k = 0; k < count; ++k) fetch(p, unit_at_ + stage * unit_stride_ + k * group.lanes, ahead_ + stage * row_step_ + k * unit_step);
      }
      close_copies();
    }
  }
  __device__ __forceinline__ void arrive(const NormBackwardParams&, i64, bool) {
    own = ahead_ + stage_ * row_step_;
    wait_copies_but(stages_ - 1);
    mean = statistics_[stage_ * next_statistics_];
    scale = statistics_[stage_ * next_statistics_ + 1];
  }
  __device__ __forceinline__ void begin_gradient(i64 row) {
    at_ = unit_at_;
    sends_ = opaque(static_cast<int>(row < last_with_next_));
  }
  static __device__ __forceinline__ Unit<ADJ_S, kN> saved_of(const Words4* from) { return unit_at<ADJ_S>(from); }
  static __device__ __forceinline__ Unit<ADJ_G, kN> dout_of(const Words4* from) { return unit_at<ADJ_G>(from + kSavedPieces * kWarp); }
  static __device__ __forceinline__ Unit<ADJ_O, kN> dresidual_of(const Words4* from) { return unit_at<ADJ_O>(from + (kSavedPieces + kDoutPieces) * kWarp); }
  __device__ __forceinline__ void put(const NormBackwardParams& p, const Group& group, Words4* from, const Unit<ADJ_O, kN>& dx, i64, bool, int) {
    if (sends_) fetch(p, at_ + ahead_of_, from);
    dx.store(static_cast<ADJ_O*>(p.dinput) + at_ * kN);
    at_ += group.lanes;
  }
  __device__ __forceinline__ void leave(const NormBackwardParams& p, i64 row, bool) {
    if (sends_) fetch_statistics(p, row + stages_ * stride_, stage_);
    close_copies();
    if (++stage_ == stages_) stage_ = 0;
    unit_at_ += unit_stride_;
  }
  // The memory is used again for the sums of columns.
  __device__ __forceinline__ void end() { wait_copies_but(0); }

 private:
  // Sends unit `at` of the tensors.
  __device__ __forceinline__ void fetch(const NormBackwardParams& p, i64 at, Words4* to) const {
    auto copy = [&](const void* tensor, auto pieces, int first) {
      constexpr int kPieces = decltype(pieces)::value;
#pragma unroll
      for (int i = 0; i < kPieces; ++i) copy16_to_shared(to + (first + i) * kWarp, static_cast<const Words4*>(tensor) + (at * kPieces + i));
    };
    copy(p.saved, Count<kSavedPieces>(), 0);
    copy(p.dout, Count<kDoutPieces>(), kSavedPieces);
    if (p.dresidual) copy(p.dresidual, Count<kOutPieces>(), kSavedPieces + kDoutPieces);
  }
  // In registers, statistics would have to arrive before the next ones could move up.
  __device__ __forceinline__ void fetch_statistics(const NormBackwardParams& p, i64 row, int stage) const {
    if (p.mean) copy_to_shared(statistics_ + stage * next_statistics_, static_cast<const A*>(p.mean) + row);
    copy_to_shared(statistics_ + stage * next_statistics_ + 1, static_cast<const A*>(p.inv_std) + row);
  }

  int stages_, stage_ = 0, row_step_;
  Words4* ahead_;
  A* statistics_;
  int next_statistics_;
  i64 stride_, unit_at_, unit_stride_;  // unit_at_: first unit of this thread in its current row
  i64 ahead_of_, last_with_next_;       // ahead_of_: distance from there to the unit that it loads meanwhile
  i64 at_;
  int sends_;
};

extern "C" __global__ void __launch_bounds__(kBlock, 1) ADJ_ENTRY(const __grid_constant__ NormBackwardParams p) {
  ADJ_SHARED(Scratch, scratch, 2);
  ADJ_DYNAMIC_SHARED(memory);
  let_next_grid_begin();
  backward_rows<Rows>(p, memory, scratch);
}
