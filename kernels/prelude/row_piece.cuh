// Pieces of 16 bytes of the rows of a tensor, the same columns of every row. Rows that begin at multiples of 16 bytes and consist of
// whole vectors are read and written in words. From any others a piece is cut out of the two words that hold it: lanes have the
// same columns, and loads are as wide.
#pragma once

#include "prelude/memory.cuh"

// 16 bytes of which the first `count` elements are those at `from`.
template <class T> __device__ __noinline__ Words4 gather_words(const T* from, int count) {
  u64 low = 0, high = 0;
#pragma unroll 1
  for (int k = count - 1; k >= 0; --k) {
    u64 element = 0;
    memcpy(&element, from + k, sizeof(T));
    if constexpr (sizeof(T) == 8) {
      high = low, low = element;
    } else {
      constexpr int kBits = 8 * sizeof(T);
      high = high << kBits | low >> (64 - kBits);
      low = low << kBits | element;
    }
  }
  return {static_cast<u32>(low), static_cast<u32>(low >> 32), static_cast<u32>(high), static_cast<u32>(high >> 32)};
}

template <class T, bool vectors> class RowPiece;

// Columns [column, column + kVec16<T>) of a tensor [rows, columns], as far as there are such.
template <class T> class RowPiece<T, true> {
 public:
  typedef Words4 Loaded;

  __device__ __forceinline__ RowPiece(const void* tensor, i64, i64 columns, i64 column)
      : base_(reinterpret_cast<u64>(tensor) + static_cast<u64>(column) * sizeof(T)), pitch_(static_cast<u64>(columns) * sizeof(T)),
        inside_(column < columns) {}

  __device__ __forceinline__ int columns() const { return inside_ ? kVec16<T> : 0; }
  // Zeros when `takes` is false.
  __device__ __forceinline__ Loaded load(u32 row, bool takes) const {
    if (takes && inside_) return load_words(reinterpret_cast<const Words4*>(base_ + row * pitch_));
    return {0, 0, 0, 0};
  }
  // What lies beyond the columns is arbitrary.
  static __device__ __forceinline__ Words4 words(const Loaded& v) { return v; }
  __device__ __forceinline__ Vec<T, kVec16<T>> load_own(i64 row) const {
    if (inside_) return unpack<T>(load_words(reinterpret_cast<const Words4*>(base_ + static_cast<u64>(row) * pitch_)));
    return {};
  }
  __device__ __forceinline__ void store(i64 row, const Vec<T, kVec16<T>>& v) const {
    if (inside_) store_streaming(reinterpret_cast<Words4*>(base_ + static_cast<u64>(row) * pitch_), pack<T>(v));
  }

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
      : base_(reinterpret_cast<u64>(tensor) + static_cast<u64>(column) * sizeof(T)), pitch_(static_cast<u64>(columns) * sizeof(T)),
        columns_(static_cast<int>(max_of<i64>(0, min_of<i64>(columns - column, kVec16<T>)))) {
    // Of the rows next to either end of the tensor the words may lie partly outside.
    const u64 begin = reinterpret_cast<u64>(tensor), end = begin + static_cast<u64>(rows) * pitch_;
    const i64 margin = pitch_ >= 16 ? 1 : 16;
    const i64 before = first_word(base_) < begin ? margin : 0;
    const i64 behind = last_word(base_ + (end - begin) - pitch_) + 16 > end ? margin : 0;
    first_inside_ = static_cast<u32>(before);
    rows_inside_ = static_cast<u32>(max_of<i64>(0, rows - before - behind));
  }

  __device__ __forceinline__ int columns() const { return columns_; }
  __device__ __forceinline__ Loaded load(u32 row, bool takes) const {
    Loaded v{{0, 0, 0, 0}, {0, 0, 0, 0}, 0};
    if (!takes || columns_ == 0) return v;
    const u64 from = base_ + row * pitch_;
    if (row - first_inside_ < rows_inside_) {
      v.low = load_words(reinterpret_cast<const Words4*>(first_word(from)));
      v.high = load_words(reinterpret_cast<const Words4*>(last_word(from)));
      v.offset = static_cast<u32>(from) & 15;
    } else {
      v.low = gather_words(reinterpret_cast<const T*>(from), columns_);
    }
    return v;
  }
  static __device__ __forceinline__ Words4 words(const Loaded& v) { return extract16<sizeof(T)>(v.low, v.high, static_cast<int>(v.offset)); }
  __device__ __forceinline__ void store(i64 row, const Vec<T, kVec16<T>>& v) const {
    T* to = reinterpret_cast<T*>(base_ + static_cast<u64>(row) * pitch_);
#pragma unroll
    for (int k = 0; k < kVec16<T>; ++k)
      if (k < columns_) to[k] = v.at[k];
  }

 private:
  // The words that hold the piece at an address.
  static __device__ __forceinline__ u64 first_word(u64 piece) { return piece & ~u64{15}; }
  __device__ __forceinline__ u64 last_word(u64 piece) const { return (piece + static_cast<u32>(columns_) * sizeof(T) - 1) & ~u64{15}; }

  u64 base_, pitch_;
  int columns_;
  u32 first_inside_, rows_inside_;
};
