// Computes: what backward_row.cu computes, for rows that fill no whole units.
// Work split: that of backward_row.cu.
// Memory: reads dy and x once, writes dx once. Several rows are in flight into shared memory while one is worked on.
// Order of additions: that of backward_row.cu.
// Limits: a row has at most kUnits units for each thread of the block or cluster; the plan checks.
//
// Macros: those of backward_row.cuh.
#include "norm/backward_row.cuh"
#include "prelude/staged.cuh"

// Stores vectors [u * N, u * N + N) of a row of `count` elements, as write_row_unit does. Elements go through `scratch`, kWarp * (N + 1) words of shared memory
// of the warp, and are stored from there in words: fewer instructions where the shared memory is at hand.
template <class T, int N> __device__ __forceinline__ void store_through(const Words4 (&v)[N], T* row, int count, int u, int run, Words4* scratch) {
  constexpr int kVector = kVec16<T>;
  const int lane = lane_index() & (run - 1), first = (u - lane) * N * kVector;
  const int elements = max_of(min_of(count - first, run * N * kVector), 0);
  T* const to = row + first;
  // As far from a 16-byte boundary in shared memory as in the tensor.
  T* const staged = reinterpret_cast<T*>(scratch + (lane_index() - lane) * N + lane_index() / run) + skew_of(to);
#pragma unroll
  for (int i = 0; i < N; ++i) {
    const Vec<T, kVector> own = unpack<T>(v[i]);
#pragma unroll
    for (int j = 0; j < kVector; ++j) staged[(lane * N + i) * kVector + j] = own.at[j];
  }
  warp_barrier();
  const Window<kVector> w(to, elements);
#pragma unroll 1
  for (int q = lane; q < w.vectors; q += run) store_words(reinterpret_cast<Words4*>(to + w.vector(q)), *reinterpret_cast<const Words4*>(staged + w.vector(q)));
#pragma unroll 1
  for (int e = lane; e < w.edges; e += run) to[w.edge(e)] = staged[w.edge(e)];
  warp_barrier();
}

// Rows that go through a pipeline in shared memory, word by word: a lane sends the words in which its units begin. A unit reaches into the word behind its
// last one, which a neighbouring lane has sent. The last of the lanes of a warp that share a row sends that word too, to a place of its own.
struct Rows {
  static constexpr bool kMasked = true, kTogether = true;
  A mean, scale;
  Words4* own;  // first word of this thread in the current row
  int unit_step;

  __device__ __forceinline__ Rows(const NormBackwardParams& p, const Group& group, Words4* area, int, int count, i64 stride)
      : lane_(group.lane), lanes_(group.lanes), count_(count), stride_(stride) {
    run_ = min_of(lanes_, kWarp);
    const int of_unit = kSavedPieces + kDoutPieces + (p.dresidual ? kOutPieces : 0);
    word_step_ = kWarp + kWarp / run_;
    unit_step = of_unit * word_step_;
    row_step_ = p.units_of_thread * unit_step;
    stages_ = min_of(p.pipeline * kWarp / row_step_, kMostStages);
    ahead_ = area + warp_index() * p.pipeline * kWarp + lane_index() + lane_index() / run_;
    const i64 first = group.split * group.groups + group.index;
    fetch_statistics(p, first);
#pragma unroll 1
    for (int stage = 0; stage < stages_; ++stage) fetch(p, first + stage * stride_, stage);
  }
  __device__ __forceinline__ void arrive(const NormBackwardParams& p, i64 row, bool) {
    own = ahead_ + stage_ * row_step_;
    mean = next_mean_;
    scale = next_scale_;
    fetch_statistics(p, row + stride_);
    skews_ = skew_of_row<ADJ_S>(p, p.saved, row) | skew_of_row<ADJ_G>(p, p.dout, row) << 4 | skew_of_row<ADJ_O>(p, p.dresidual, row) << 8;
    wait_copies_but(stages_ - 1);
    warp_barrier();
  }
  __device__ __forceinline__ void begin_gradient(i64) {}
  __device__ __forceinline__ Unit<ADJ_S, kN> saved_of(const Words4* from) const { return unit_of<ADJ_S>(from, skews_ & 15); }
  __device__ __forceinline__ Unit<ADJ_G, kN> dout_of(const Words4* from) const { return unit_of<ADJ_G>(from + kSavedPieces * word_step_, skews_ >> 4 & 15); }
  __device__ __forceinline__ Unit<ADJ_O, kN> dresidual_of(const Words4* from) const {
    return unit_of<ADJ_O>(from + (kSavedPieces + kDoutPieces) * word_step_, skews_ >> 8);
  }
  __device__ __forceinline__ void put(const NormBackwardParams& p, const Group&, Words4* from, const Unit<ADJ_O, kN>& dx, i64 row, bool valid, int k) {
    static_assert(kOutPieces <= kSavedPieces + kDoutPieces);
    warp_barrier();  // all lanes have read the words of these units, which the gradient goes through
    store_through(dx.words, static_cast<ADJ_O*>(p.dinput) + row * p.columns, valid ? static_cast<int>(p.columns) : 0, lane_ + k * lanes_, run_,
                  from - lane_index() - lane_index() / run_);
  }
  __device__ __forceinline__ void leave(const NormBackwardParams& p, i64 row, bool) {
    warp_barrier();  // all lanes have read the words of this row
    fetch(p, row + stages_ * stride_, stage_);
    if (++stage_ == stages_) stage_ = 0;
  }
  // The memory is used again for the sums of columns.
  __device__ __forceinline__ void end() { wait_copies_but(0); }

 private:
  static constexpr int kMostStages = 4;

  template <class T> static __device__ __forceinline__ int skew_of_row(const NormBackwardParams& p, const void* tensor, i64 row) {
    return static_cast<int>((reinterpret_cast<u64>(tensor) + static_cast<u64>(row * p.columns) * sizeof(T)) & 15);
  }
  template <class T> __device__ __forceinline__ Unit<T, kN> unit_of(const Words4* from, int skew) const {
    Unit<T, kN> unit;
    Words4 low = from[0];
#pragma unroll
    for (int i = 0; i < unit.kPieces; ++i) {
      const Words4 high = i + 1 < unit.kPieces ? from[(i + 1) * word_step_] : from[1];
      unit.words[i] = cut16<sizeof(T)>(low, high, skew);
      low = high;
    }
    return unit;
  }
  // Statistics of the next row, which are in flight while the row before is worked on.
  __device__ __forceinline__ void fetch_statistics(const NormBackwardParams& p, i64 row) {
    const bool valid = row < p.rows;
    next_mean_ = valid && p.mean ? static_cast<const A*>(p.mean)[row] : A(0);
    next_scale_ = valid ? static_cast<const A*>(p.inv_std)[row] : A(0);
  }
  // Sends the words of a row, and closes their group.
  __device__ __forceinline__ void fetch(const NormBackwardParams& p, i64 row, int stage) const {
    if (row < p.rows) {
      Words4* const to = ahead_ + stage * row_step_;
      send<ADJ_S>(p, p.saved, row, to);
      send<ADJ_G>(p, p.dout, row, to + kSavedPieces * word_step_);
      if (p.dresidual) send<ADJ_O>(p, p.dresidual, row, to + (kSavedPieces + kDoutPieces) * word_step_);
    }
    close_copies();
  }
  template <class T> __device__ __forceinline__ void send(const NormBackwardParams& p, const void* tensor, i64 row, Words4* to) const {
    constexpr int kPieces = Unit<T, kN>::kPieces;
    const u64 base = reinterpret_cast<u64>(tensor), bytes = static_cast<u64>(p.columns) * sizeof(T), begin = base + static_cast<u64>(row) * bytes;
    // Words are copied whole if the tensor has all of their bytes; in place, if the row has: other lanes write the rows beside it.
    const bool in_place = p.dinput == p.dout || p.dinput == p.saved || p.dinput == p.dresidual;
    const u64 low = in_place ? begin : base, high = in_place ? begin + bytes : base + static_cast<u64>(p.rows) * bytes;
#pragma unroll 1
    for (int k = 0; k < count_; ++k) {
      const int u = lane_ + k * lanes_;
      const u64 word = (begin & ~u64{15}) + static_cast<u64>(u * kPieces) * 16;
#pragma unroll
      for (int i = 0; i < kPieces; ++i) send_word<T>(to + k * unit_step + i * word_step_, word + static_cast<u64>(i) * 16, low, high);
      if ((lane_ & (run_ - 1)) == run_ - 1 || u == (static_cast<int>(p.columns) - 1) / kN) send_word<T>(to + k * unit_step + 1, word + kPieces * 16, low, high);
    }
  }

  int lane_, lanes_, count_, run_;  // run_: neighbouring lanes of a warp that share a row
  i64 stride_;
  int stages_, stage_ = 0, row_step_, word_step_;
  Words4* ahead_;
  A next_mean_, next_scale_;
  int skews_;  // of the current row's saved, dout and dresidual: bytes from a 16-byte boundary, four bits each
};

extern "C" __global__ void __launch_bounds__(kBlock, 1) ADJ_ENTRY(const __grid_constant__ NormBackwardParams p) {
  ADJ_SHARED(Scratch, scratch, 2);
  ADJ_DYNAMIC_SHARED(memory);
  let_next_grid_begin();
  backward_rows<Rows>(p, memory, scratch);
}
