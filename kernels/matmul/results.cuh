// Results of a warp's tile, in shared memory: from the fragments of its sums to rows of the result. To be included by pipeline.cu alone.
#include "matmul/epilogue.cuh"
#include "prelude/pipeline.cuh"

// Rows of a part of the tile, in which tensors laid out like the result are read and written in pieces of 16 bytes.
struct Rows {
  E values[kWarpRows][kPartColumns + kPadding];
  f32 bias[kPartColumns];
};

// A lane's row of results, which it is yet to copy to global memory.
struct RowCopy {
  E* to = nullptr;
  const E* from = nullptr;
  u32 bytes = 0;  // 0: none

  // The step of the next tile under which the copy begins: those of a warp are spread over as many steps as there are.
  __device__ __forceinline__ int step(int steps) const { return lane_index() * min_of(steps, kWarpRows) / kWarpRows; }
  // The row is in use until wait_copies_to_global.
  __device__ __forceinline__ void begin() {
    if (bytes == 0) return;
    copy_to_global(to, from, bytes);
    close_copies_to_global();
    bytes = 0;
  }
};

// A part of a tile: where it lies, and how much of it is inside of the matrix.
struct Part {
  i64 at;             // of its first element in tensors laid out like the result
  int column, rows, columns;
  bool in_vectors;    // rows of tensors laid out like the result are whole pieces of 16 bytes, which begin at multiples of 16 bytes

  __device__ __forceinline__ Part(const MatmulCoresParams& p, const Round& round, const void* other, int first_row, int part) {
    const MatmulResult& r = p.result;
    const int row = round.row + first_row;
    column = round.column + part * kPartColumns;
    rows = min_of(kWarpRows, p.m - row);
    columns = min_of(kPartColumns, p.n - column);
    at = round.split * p.out_split + round.matrix * r.matrix + row * r.row_pitch + column;
    in_vectors = ((p.n | r.row_pitch | r.matrix | p.out_split) % kEach) == 0 && aligned16(r.out) && aligned16(other) && aligned16(r.preactivation);
  }
  // Calls use(row, column) for groups of kEach elements of the part, or for each element; those of a warp lie side by side.
  template <class Use> __device__ __forceinline__ void walk_vectors(Use use) const {
    constexpr int kLanes = kPartColumns / kEach, kRowsAtOnce = kWarp / kLanes;
    static_assert(kWarp % kLanes == 0 && kWarpRows % kRowsAtOnce == 0);
    const int own_row = lane_index() / kLanes, own_column = lane_index() % kLanes * kEach;
#pragma unroll 8
    for (int row = 0; row < kWarpRows; row += kRowsAtOnce)
      if (row + own_row < rows && own_column < columns) use(row + own_row, own_column);
  }
  template <class Use> __device__ __forceinline__ void walk_elements(Use use) const {
#pragma unroll 1
    for (int row = 0; row < rows; ++row)
#pragma unroll 1
      for (int own = lane_index(); own < columns; own += kWarp) use(row, own);
  }
  __device__ __forceinline__ void load(const void* tensor, Rows& to, i64 pitch) const {
    const E* const from = static_cast<const E*>(tensor) + at;
    if (in_vectors)
      walk_vectors(
          [&](int row, int c) { *reinterpret_cast<Words4*>(&to.values[row][c]) = load_words(reinterpret_cast<const Words4*>(from + row * pitch + c)); });
    else walk_elements([&](int row, int c) { to.values[row][c] = from[row * pitch + c]; });
  }
  __device__ __forceinline__ void clear(Rows& to) const {
#pragma unroll 4
    for (int at = lane_index(); at < kWarpRows * kPartColumns; at += kWarp) to.values[at / kPartColumns][at % kPartColumns] = E{};
  }
  // Stores the rows, or, where they are to be copied past the registers, returns this lane's row for that.
  __device__ __forceinline__ RowCopy store(void* tensor, const Rows& own, i64 pitch) const {
    E* const to = static_cast<E*>(tensor) + at;
    const int row = lane_index();
    if (!in_vectors) walk_elements([&](int row, int c) { to[row * pitch + c] = own.values[row][c]; });
    else if (kInFlight && row < rows) return {to + row * pitch, own.values[row], static_cast<u32>(columns * sizeof(E))};
    else if (!kInFlight)
      walk_vectors(
          [&](int row, int c) { store_words(reinterpret_cast<Words4*>(to + row * pitch + c), *reinterpret_cast<const Words4*>(&own.values[row][c])); });
    return {};
  }
};

// Puts make(j, k, bias, with) into the rows, for each pair of neighbouring results of kCount fragments, whose columns begin at `first`. `with`: what stood
// there, where kWith says that it is used. All loads come first: the compiler moves none across a store to the rows.
template <int kCount, bool kWith, class Make> __device__ __forceinline__ void make_pairs(Rows& rows, int first, Make make) {
  const int row = lane_index() / 4, column = first + lane_index() % 4 * 2;
  Vec<f32, 2> bias[kCount];
  Pair with[kCount][2];
#pragma unroll
  for (int j = 0; j < kCount; ++j) {
    bias[j] = *reinterpret_cast<const Vec<f32, 2>*>(&rows.bias[column + j * 8]);
#pragma unroll
    for (int half = 0; half < 2; ++half)
      if (kWith) with[j][half] = *reinterpret_cast<const Pair*>(&rows.values[half * 8 + row][column + j * 8]);
  }
#pragma unroll
  for (int j = 0; j < kCount; ++j)
#pragma unroll
    for (int half = 0; half < 2; ++half) {
      const Vec<f32, 2> v = make(j, half * 2, bias[j], kWith ? open_pair(with[j][half]) : Vec<f32, 2>{});
      *reinterpret_cast<Pair*>(&rows.values[half * 8 + row][column + j * 8]) = close_pair<Pair>(v.at[0], v.at[1]);
    }
}

// Moves the fragments behind the first kCount to the front, so that a loop finds those of its turn in the same registers.
template <int kCount, class Sums> __device__ __forceinline__ void drop_fragments(Sums& sums) {
#pragma unroll
  for (int j = kCount; j < kColumns / 8; ++j)
#pragma unroll
    for (int k = 0; k < 4; ++k) sums.c[j - kCount][k] = sums.c[j][k];
}

// Results of a warp's tile. prepare() may run while the last products do; then store() takes their sums. `rows` are the warp's own.
struct Results {
  const MatmulCoresParams& p;
  const Round& round;
  Rows& rows;
  const void* other;
  int first_row;  // in the tile

  __device__ __forceinline__ Results(const MatmulCoresParams& params, const Round& r, Rows& own, int row)
      : p(params), round(r), rows(own), other(r.other(params)), first_row(row) {}
  __device__ __forceinline__ Part part(int i) const { return Part(p, round, other, first_row, i); }

  __device__ __forceinline__ void prepare() const {
    if (kInFlight) prepare(part(0));
  }
  // `copy`: receives a row of results in flight.
  template <class Sums> __device__ __forceinline__ void store(Sums& sums, RowCopy& copy) const {
    const f32 alpha = static_cast<f32>(p.result.alpha), beta = round.is_later ? 1.0f : static_cast<f32>(p.result.beta);
    if constexpr (kInFlight) return finish(part(0), sums, alpha, beta, copy);
    if (kEpilogue == kMatmulPlain && !has_bias() && ((p.n | p.result.row_pitch | p.result.matrix | p.out_split) % 2) == 0 && aligned16(p.result.out) &&
        aligned16(other)) {
      if (other) store_pairs<true>(sums, alpha, beta);
      else store_pairs<false>(sums, alpha, beta);
      return;
    }
#pragma unroll 1
    for (int i = 0; i < kColumns / kPartColumns; ++i) {
      const Part own = part(i);
      if (own.columns <= 0) return;
      prepare(own);
      finish(own, sums, alpha, beta, copy);
      drop_fragments<kFragments>(sums);
    }
  }

 private:
  static constexpr int kFragments = kPartColumns / 8;  // of a part

  __device__ __forceinline__ bool has_bias() const { return p.result.bias && !round.is_later; }
  // Waits until the rows may be written.
  static __device__ __forceinline__ void wait() {
    if (kInFlight) wait_copies_to_global();
    warp_barrier();
  }
  __device__ __forceinline__ void prepare(const Part& own) const {
    const bool biased = has_bias();
    wait();
#pragma unroll
    for (int c = lane_index(); c < kPartColumns; c += kWarp)
      rows.bias[c] = biased && c < own.columns ? to_acc(static_cast<const E*>(p.result.bias)[own.column + c]) : 0.0f;
    if (kEpilogue != kMatmulGelu && other) {
      if (own.rows < kWarpRows || own.columns < kPartColumns) {  // results outside of the matrix are made as well
        own.clear(rows);
        warp_barrier();
      }
      own.load(other, rows, p.result.row_pitch);
    }
  }
  // Shows the rows to the warp and to copies.
  static __device__ __forceinline__ void show() {
    if (kInFlight) show_to_async_proxy();
    warp_barrier();
  }
  template <class Sums> __device__ __forceinline__ void finish(const Part& own, Sums& sums, f32 alpha, f32 beta, RowCopy& copy) const {
    warp_barrier();
    if constexpr (kEpilogue == kMatmulGeluGradient) {
      combine<kMatmulGeluGradient>(sums, alpha, beta);
    } else if (kEpilogue == kMatmulPlain && other) {
      combine<kMatmulPlain>(sums, alpha, beta);
    } else {
      if (kEpilogue == kMatmulGelu && p.result.preactivation) {
        put<false>(sums, alpha);
        show();
        own.store(p.result.preactivation, rows, p.result.row_pitch).begin();
        wait();
      }
      put<kEpilogue == kMatmulGelu>(sums, alpha);
    }
    show();
    copy = own.store(p.result.out, rows, p.result.row_pitch);
  }

  // Puts results of the sums alone.
  template <bool kGelu, class Sums> __device__ __forceinline__ void put(const Sums& sums, f32 alpha) const {
    constexpr int kTogether = kFragments < 8 ? kFragments : 8;
    static_assert(kFragments % kTogether == 0);
#pragma unroll
    for (int first = 0; first < kFragments; first += kTogether)
      make_pairs<kTogether, false>(rows, first * 8, [&](int j, int k, const Vec<f32, 2>& bias, const Vec<f32, 2>&) {
        Vec<f32, 2> v;
#pragma unroll
        for (int i = 0; i < 2; ++i) {
          v.at[i] = fused_multiply_add(alpha, sums.c[first + j][k + i], bias.at[i]);
          if (kGelu) v.at[i] = gelu_tanh<T>(v.at[i]).value;
        }
        return v;
      });
  }
  // Puts results of the sums and of `other`, which the rows hold, in its place. The sums are lost.
  template <int kKind, class Sums> __device__ __forceinline__ void combine(Sums& sums, f32 alpha, f32 beta) const {
    constexpr int kTogether = 4;  // all fragments at once would be more code than caches of instructions hold
    static_assert(kFragments % kTogether == 0);
#pragma unroll 1
    for (int first = 0; first < kFragments; first += kTogether) {
      make_pairs<kTogether, true>(rows, first * 8, [&](int j, int k, const Vec<f32, 2>& bias, const Vec<f32, 2>& with) {
        Vec<f32, 2> v;
#pragma unroll
        for (int i = 0; i < 2; ++i) v.at[i] = Element<T>(kKind, alpha * sums.c[j][k + i], beta, with.at[i], bias.at[i]).out;
        return v;
      });
      if constexpr (kTogether < kFragments) drop_fragments<kTogether>(sums);
    }
  }
  // Stores f32 results without a bias, whose pairs begin at multiples of 8 bytes: from the fragments, four of which fill 32 bytes.
  template <bool kOther, class Sums> __device__ __forceinline__ void store_pairs(const Sums& sums, f32 alpha, f32 beta) const {
    constexpr int kTogether = 4;  // fragments whose `other` is loaded at once
    const int row = lane_index() / 4, column = lane_index() % 4 * 2;
    const Part own = part(0);
    const i64 half_pitch = 8 * p.result.row_pitch, at = own.at + row * p.result.row_pitch + column;
    f32* const to = static_cast<f32*>(p.result.out) + at;
    const f32* const from = static_cast<const f32*>(other) + (kOther ? at : 0);
    const int columns = p.n - round.column - column;
#pragma unroll
    for (int j = 0; j < kColumns / 8; j += kTogether) {
      Vec<f32, 2> others[kTogether][2] = {};
      if constexpr (kOther) {
#pragma unroll
        for (int u = 0; u < kTogether; ++u)
#pragma unroll
          for (int half = 0; half < 2; ++half)
            if (half * 8 + row < own.rows && (j + u) * 8 < columns)
              others[u][half] = unpack_vector<f32, 2>(load_words(reinterpret_cast<const Words2*>(from + half * half_pitch + (j + u) * 8)));
      }
#pragma unroll
      for (int u = 0; u < kTogether; ++u)
#pragma unroll
        for (int half = 0; half < 2; ++half) {
          Vec<f32, 2> v = {{alpha * sums.c[j + u][half * 2], alpha * sums.c[j + u][half * 2 + 1]}};
          if constexpr (kOther) {
#pragma unroll
            for (int k = 0; k < 2; ++k) v.at[k] = fused_multiply_add(beta, others[u][half].at[k], v.at[k]);
          }
          if (half * 8 + row < own.rows && (j + u) * 8 < columns)
            store_words(reinterpret_cast<Words2*>(to + half * half_pitch + (j + u) * 8), pack_vector<f32, 2>(v));
        }
    }
  }
};
