// Computes: what backward_row.cu computes, for rows that begin anywhere: short ones, and those of whole units in tensors that are not aligned.
// Work split: that of backward_row.cu.
// Memory: reads dy and x once, writes dx once. A row is loaded into shared memory when its turn comes, and stored from there in words.
// Order of additions: that of backward_row.cu.
// Limits: a row has at most kUnits units for each thread of the block or cluster; the plan checks.
//
// Macros: those of backward_row.cuh.
#include "norm/backward_row.cuh"

// Type: the one of B and C that differs from A; A if none does.
template <class A, class B, class C> struct OtherOf {
  typedef B type;
};
template <class A, class C> struct OtherOf<A, A, C> {
  typedef C type;
};

// One row at a time in shared memory.
struct Rows {
  static constexpr bool kMasked = true, kTogether = false;
  A mean, scale;
  Words4* own;
  int unit_step;

  __device__ __forceinline__ Rows(const NormBackwardParams& p, const Group& group, Words4* area, int, int count, i64)
      : lane_(group.lane), lanes_(group.lanes), count_(count) {
    constexpr int kOfUnit = kSavedPieces + kDoutPieces + kOutPieces;
    own = place_of_thread(area, thread_index(), kOfUnit);
    unit_step = kOfUnit * block_threads();
  }
  __device__ __forceinline__ void arrive(const NormBackwardParams& p, i64 row, bool valid) {
    mean = valid && p.mean ? static_cast<const A*>(p.mean)[row] : A(0);
    scale = valid ? static_cast<const A*>(p.inv_std)[row] : A(0);
    if (valid) load(p, row);
  }
  __device__ __forceinline__ void begin_gradient(i64) {
    warp_barrier();  // lanes read words that they share; all have read before one stores, perhaps in place
  }
  static __device__ __forceinline__ Unit<ADJ_S, kN> saved_of(const Words4* from) { return unit_at<ADJ_S>(from); }
  static __device__ __forceinline__ Unit<ADJ_G, kN> dout_of(const Words4* from) { return unit_at<ADJ_G>(from + kSavedPieces * kWarp); }
  static __device__ __forceinline__ Unit<ADJ_O, kN> dresidual_of(const Words4* from) { return unit_at<ADJ_O>(from + (kSavedPieces + kDoutPieces) * kWarp); }
  __device__ __forceinline__ void put(const NormBackwardParams&, const Group&, Words4* from, const Unit<ADJ_O, kN>& dx, i64, bool, int) {
#pragma unroll
    for (int i = 0; i < kOutPieces; ++i) from[i * kWarp] = dx.words[i];
  }
  // Stores from shared memory. Lanes of a warp that share a row have neighbouring units.
  __device__ __forceinline__ void leave(const NormBackwardParams& p, i64 row, bool valid) {
    const int columns = static_cast<int>(p.columns);
#pragma unroll 1
    for (int k = 0; k < p.units_of_thread; ++k) {
      Words4 v[kOutPieces] = {};
#pragma unroll
      for (int i = 0; i < kOutPieces; ++i)
        if (valid && k < count_) v[i] = own[k * unit_step + i * kWarp];
      write_row_unit(v, static_cast<ADJ_O*>(p.dinput) + row * columns, valid ? columns : 0, lane_ + k * lanes_, min_of(lanes_, kWarp));
    }
  }
  __device__ __forceinline__ void end() {}

 private:
  __device__ __forceinline__ void load(const NormBackwardParams& p, i64 row) const {
    // The tensors of a type share one copy of the code.
    typedef typename OtherOf<ADJ_O, ADJ_S, ADJ_G>::type Other;
    const int columns = static_cast<int>(p.columns);
    auto cut = [&](auto type, const void* tensor, int first) {
      constexpr int kPieces = kN * static_cast<int>(sizeof(type)) / 16;
#pragma unroll 1
      for (int i = 0; i < kPieces; ++i) {
        // Two units at a time: more would not fit in the registers beside the sums of columns.
#pragma unroll 1
        for (int k = 0; k < count_; k += 2) {
          Words4 x[2];
          read_row_vectors<false>(x, static_cast<const decltype(type)*>(tensor) + row * columns, columns, (lane_ + k * lanes_) * kPieces + i, lanes_ * kPieces);
          Words4* const at = own + k * unit_step + (first + i) * kWarp;
          at[0] = x[0];
          if (k + 1 < count_) at[unit_step] = x[1];
        }
      }
    };
#pragma unroll 1
    for (int t = 0; t < 3; ++t) {
      const void* const tensor = t == 0 ? p.saved : t == 1 ? p.dout : p.dresidual;
      const int first = t == 0 ? 0 : t == 1 ? kSavedPieces : kSavedPieces + kDoutPieces;
      const bool other = t == 0 ? !kSameType<ADJ_S, ADJ_O> : t == 1 && !kSameType<ADJ_G, ADJ_O>;
      if (!tensor) continue;
      if (!kSameType<Other, ADJ_O> && other) cut(Other{}, tensor, first);
      else cut(ADJ_O{}, tensor, first);
    }
  }

  int lane_, lanes_, count_;
};

extern "C" __global__ void __launch_bounds__(kBlock, 1) ADJ_ENTRY(const __grid_constant__ NormBackwardParams p) {
  ADJ_SHARED(Scratch, scratch, 2);
  ADJ_DYNAMIC_SHARED(memory);
  let_next_grid_begin();
  backward_rows<Rows>(p, memory, scratch);
}
