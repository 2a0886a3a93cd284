// Pieces of 16 bytes of the rows of a tensor, the same columns in every row. Rows of whole vectors at multiples of 16 bytes are loaded and stored
// in words. In other rows a piece is cut out of the two words that hold it, so that lanes have the same columns and loads the same width.
#pragma once

#include "prelude/cut.cuh"
#include "prelude/elements.cuh"

// Unsigned integers as wide as T, 32 or 64 bits.
template <int bytes> struct UnsignedOf {
  typedef u64 type;
};
template <> struct UnsignedOf<4> {
  typedef u32 type;
};
template <class T> using Unsigned = typename UnsignedOf<sizeof(T)>::type;

template <class T, bool vectors> class RowPiece;

// Columns [column, column + kVec16<T>) of a tensor [rows, columns], cut off at its last column. The second parameter of the template: rows are
// whole vectors at multiples of 16 bytes.
template <class T> class RowPiece<T, true> {
 public:
  typedef Words4 Loaded;

  __device__ __forceinline__ RowPiece(const void* tensor, i64, i64 columns, i64 column)
      : base_(reinterpret_cast<u64>(tensor) + static_cast<u64>(column) * sizeof(T)), pitch_(static_cast<u64>(columns) * sizeof(T)), inside_(column < columns) {}

  __device__ __forceinline__ int columns() const { return inside_ ? kVec16<T> : 0; }
  // Loads the piece of a row; zeros when `takes` is false.
  __device__ __forceinline__ Loaded load(u32 row, bool takes) const {
    if (takes && inside_) return load_words(reinterpret_cast<const Words4*>(base_ + row * pitch_));
    return {0, 0, 0, 0};
  }
  // Returns the 16 bytes of a piece. Elements beyond columns() are arbitrary.
  static __device__ __forceinline__ Words4 words(const Loaded& v) { return v; }

 private:
  u64 base_, pitch_;
  bool inside_;
};

template <class T> class RowPiece<T, false> {
 public:
  struct Loaded {
    Words4 low, high;
    u32 offset;
  };

  __device__ __forceinline__ RowPiece(const void* tensor, i64 rows, i64 columns, i64 column)
      : base_(reinterpret_cast<u64>(tensor) + static_cast<u64>(column) * sizeof(T)), pitch_(static_cast<u64>(columns) * sizeof(T)) {
    // Elements from the piece's begin to the end of the row and before it in the row, no more than a piece and a word can reach.
    const int left = static_cast<int>(max_of<i64>(min_of<i64>(columns - column, 32), 0));
    const int before = static_cast<int>(min_of<i64>(column, 16));
    columns_ = min_of(left, kVec16<T>);
    // In the first and last rows of the tensor the words may lie partly outside it. Rows [first_inside_, first_inside_ + rows_inside_) are safe;
    // load() reads all other rows element by element.
    const u32 begin = static_cast<u32>(base_), end = begin + static_cast<u32>(rows - 1) * static_cast<u32>(pitch_) + bytes();
    const u32 margin = pitch_ >= 16 ? 1 : 16, own_rows = static_cast<u32>(rows);
    first_inside_ = (begin & 15) > before * sizeof(T) ? margin : 0;
    const u32 outside = first_inside_ + ((0 - end & 15) > (left - columns_) * sizeof(T) ? margin : 0);
    rows_inside_ = own_rows > outside ? own_rows - outside : 0;
  }

  __device__ __forceinline__ int columns() const { return columns_; }
  __device__ __forceinline__ Loaded load(u32 row, bool takes) const {
    Loaded v{{0, 0, 0, 0}, {0, 0, 0, 0}, 0};
    if (!takes || columns_ == 0) return v;
    const u64 from = base_ + row * pitch_;
    if (row - first_inside_ < rows_inside_) {
      v.low = load_words(reinterpret_cast<const Words4*>(from & ~u64{15}));
      v.high = load_words(reinterpret_cast<const Words4*>((from + (bytes() - 1)) & ~u64{15}));
      v.offset = static_cast<u32>(from) & 15;
    } else {
      v.low = gather_elements(reinterpret_cast<const T*>(from), columns_);
    }
    return v;
  }
  static __device__ __forceinline__ Words4 words(const Loaded& v) { return cut16<sizeof(T)>(v.low, v.high, static_cast<int>(v.offset)); }

 private:
  __device__ __forceinline__ u32 bytes() const { return static_cast<u32>(columns_) * sizeof(T); }

  u64 base_, pitch_;
  int columns_;
  u32 first_inside_, rows_inside_;
};

// Stores the first `columns` elements of a piece.
template <class T, bool vectors> __device__ __forceinline__ void store_piece(T* to, int columns, Words4 v) {
  if constexpr (vectors) {
    if (columns) store_streaming(reinterpret_cast<Words4*>(to), v);
  } else if constexpr (sizeof(T) == 2) {
    // Stores the first word, then moves the rest up.
#pragma unroll 1
    for (int left = columns; left > 0; left -= 2, to += 2) {
      to[0] = {static_cast<u16>(v.x)};
      if (left > 1) to[1] = {static_cast<u16>(v.x >> 16)};
      v = {v.y, v.z, v.w, 0};
    }
  } else {
    const Vec<T, kVec16<T>> elements = unpack<T>(v);
#pragma unroll
    for (int k = 0; k < kVec16<T>; ++k)
      if (k < columns) to[k] = elements.at[k];
  }
}
