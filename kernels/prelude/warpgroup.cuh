// Tensor cores of sm_90a: products of matrices by a warpgroup (four warps, of which the first one's number is a multiple of four). The second matrix lies in
// shared memory, the first one there or in registers. Products go on beside the threads that begin them. Every thread of the warpgroup takes part in each call.
#pragma once

#include "prelude/async_proxy.cuh"
#include "prelude/memory.cuh"
#include "prelude/thread.cuh"
#if defined(ADJ_SIMT)
#include "matrix.hpp"  // tests/simt
#endif

// A matrix of 16-bit elements in shared memory, as rows of 128 bytes in groups of eight that begin at multiples of 1024 bytes. Vector v of row r lies in the
// place of vector v ^ r % 8. A row is a row or column of the result, and has the depth; or, of a transposed matrix, a place of the depth, and has 64 rows or
// columns of the result.
struct SharedMatrix {
  // `first`: the first row, or its vector from which on the depth counts. `leading`: bytes from 64 columns of a transposed matrix to the next.
  __device__ __forceinline__ SharedMatrix(const Words4* first, u32 leading) {
#if defined(ADJ_SIMT)
    at = reinterpret_cast<simt::Bits>(first);
    next = leading;
#else
    constexpr u64 kGroup = 1024, kSwizzled = u64{1} << 62;
    const u64 address = static_cast<u64>(__cvta_generic_to_shared(first));
    bits = (address & 0x3FFFF) >> 4 | static_cast<u64>(leading >> 4) << 16 | (kGroup >> 4) << 32 | kSwizzled;
#endif
  }
#if defined(ADJ_SIMT)
  simt::Bits at;
  u32 next;
#else
  u64 bits;
#endif
};

#if !defined(ADJ_SIMT)
#define ADJ_NAMES_0 "%0, %1, %2, %3, %4, %5, %6, %7, %8, %9, %10, %11, %12, %13, %14, %15"
#define ADJ_NAMES_1 "%16, %17, %18, %19, %20, %21, %22, %23, %24, %25, %26, %27, %28, %29, %30, %31"
#define ADJ_NAMES_2 "%32, %33, %34, %35, %36, %37, %38, %39, %40, %41, %42, %43, %44, %45, %46, %47"
#define ADJ_NAMES_3 "%48, %49, %50, %51, %52, %53, %54, %55, %56, %57, %58, %59, %60, %61, %62, %63"
#define ADJ_NAMES_4 "%64, %65, %66, %67, %68, %69, %70, %71, %72, %73, %74, %75, %76, %77, %78, %79"
#define ADJ_NAMES_5 "%80, %81, %82, %83, %84, %85, %86, %87, %88, %89, %90, %91, %92, %93, %94, %95"
#define ADJ_NAMES_6 "%96, %97, %98, %99, %100, %101, %102, %103, %104, %105, %106, %107, %108, %109, %110, %111"
#define ADJ_NAMES_7 "%112, %113, %114, %115, %116, %117, %118, %119, %120, %121, %122, %123, %124, %125, %126, %127"
#define ADJ_FOUR(j) "+f"(c[j][0]), "+f"(c[j][1]), "+f"(c[j][2]), "+f"(c[j][3])
#define ADJ_EIGHT(j) ADJ_FOUR(j), ADJ_FOUR(j + 1), ADJ_FOUR(j + 2), ADJ_FOUR(j + 3), ADJ_FOUR(j + 4), ADJ_FOUR(j + 5), ADJ_FOUR(j + 6), ADJ_FOUR(j + 7)
#define ADJ_NAMES_64 ADJ_NAMES_0 ", " ADJ_NAMES_1
#define ADJ_NAMES_96 ADJ_NAMES_64 ", " ADJ_NAMES_2
#define ADJ_NAMES_128 ADJ_NAMES_96 ", " ADJ_NAMES_3
#define ADJ_NAMES_256 ADJ_NAMES_128 ", " ADJ_NAMES_4 ", " ADJ_NAMES_5 ", " ADJ_NAMES_6 ", " ADJ_NAMES_7
#define ADJ_SUMS_64 ADJ_EIGHT(0)
#define ADJ_SUMS_96 ADJ_SUMS_64, ADJ_FOUR(8), ADJ_FOUR(9), ADJ_FOUR(10), ADJ_FOUR(11)
#define ADJ_SUMS_128 ADJ_EIGHT(0), ADJ_EIGHT(8)
#define ADJ_SUMS_256 ADJ_SUMS_128, ADJ_EIGHT(16), ADJ_EIGHT(24)
// Numbers of the operands behind the sums of so many columns.
#define ADJ_PRODUCT_OF_SHARED(columns, type, a0, b0, ta, tb, adds)                                                                                         \
  asm volatile("{.reg .pred p; setp.ne.u32 p, %" #adds ", 0; wgmma.mma_async.sync.aligned.m64n" #columns "k16.f32." type "." type " {" ADJ_NAMES_##columns \
               "}, %" #a0 ", %" #b0 ", p, 1, 1, %" #ta ", %" #tb ";}"                                                                                      \
               : ADJ_SUMS_##columns                                                                                                                        \
               : "l"(a.bits), "l"(b.bits), "n"(kTransposedA ? 1 : 0), "n"(kTransposedB ? 1 : 0), "r"(adds_up ? 1 : 0))
#define ADJ_PRODUCT_OF_REGISTERS(columns, type, a0, a1, a2, a3, b0, tb, adds)                                                                              \
  asm volatile("{.reg .pred p; setp.ne.u32 p, %" #adds ", 0; wgmma.mma_async.sync.aligned.m64n" #columns "k16.f32." type "." type " {" ADJ_NAMES_##columns \
               "}, {%" #a0 ", %" #a1 ", %" #a2 ", %" #a3 "}, %" #b0 ", p, 1, 1, %" #tb ";}"                                                                \
               : ADJ_SUMS_##columns                                                                                                                        \
               : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "l"(b.bits), "n"(kTransposedB ? 1 : 0), "r"(adds_up ? 1 : 0))
#endif

// Sums of 64 by kColumns products. Thread t of the warpgroup has c[j]: rows t / 32 * 16 + t % 32 / 4 (+ 8: c[j][2] and c[j][3]), columns j * 8 + t % 4 * 2
// (+ 1: c[j][1] and c[j][3]). Between open() and the end of the wait for its products only the functions here may access them. Groups are the warpgroup's:
// a wait counts those of all its sums.
template <class T, int kColumns = 256> struct WarpgroupSums {
  static_assert(kColumns == 64 || kColumns == 96 || kColumns == 128 || kColumns == 256);
  f32 c[kColumns / 8][4];

  // Leaves the sums without a value, until a product that does not add gives them one: the compiler need not keep what they were.
  __device__ __forceinline__ void discard() {
#pragma unroll
    for (int j = 0; j < kColumns / 8; ++j)
#pragma unroll
      for (int k = 0; k < 4; ++k)
#if defined(ADJ_SIMT)
        c[j][k] = from_bits(0x7FC00000u);
#else
        asm volatile("" : "=f"(c[j][k]));
#endif
  }
  __device__ __forceinline__ void clear() {
#pragma unroll
    for (int j = 0; j < kColumns / 8; ++j)
#pragma unroll
      for (int k = 0; k < 4; ++k) c[j][k] = 0;
  }
  __device__ __forceinline__ void open() {
#if !defined(ADJ_SIMT)
    hold();
    asm volatile("wgmma.fence.sync.aligned;" : : : "memory");
#endif
  }
  // Begins c += a b over a depth of 16, or, where it does not add, c = a b. Rounding is that of multiply_add_matrices.
  template <bool kTransposedA, bool kTransposedB> __device__ __forceinline__ void multiply(const SharedMatrix& a, const SharedMatrix& b, bool adds_up) {
#if defined(ADJ_SIMT)
    simt::begin_product({kSameType<T, bf16>, kColumns, &c[0][0], nullptr, {a.at, a.next, kTransposedA}, {b.at, b.next, kTransposedB}, adds_up});
#else
    if constexpr (kSameType<T, bf16>) {
      if constexpr (kColumns == 256) ADJ_PRODUCT_OF_SHARED(256, "bf16", 128, 129, 130, 131, 132);
      else if constexpr (kColumns == 128) ADJ_PRODUCT_OF_SHARED(128, "bf16", 64, 65, 66, 67, 68);
      else if constexpr (kColumns == 96) ADJ_PRODUCT_OF_SHARED(96, "bf16", 48, 49, 50, 51, 52);
      else ADJ_PRODUCT_OF_SHARED(64, "bf16", 32, 33, 34, 35, 36);
    } else {
      if constexpr (kColumns == 256) ADJ_PRODUCT_OF_SHARED(256, "f16", 128, 129, 130, 131, 132);
      else if constexpr (kColumns == 128) ADJ_PRODUCT_OF_SHARED(128, "f16", 64, 65, 66, 67, 68);
      else if constexpr (kColumns == 96) ADJ_PRODUCT_OF_SHARED(96, "f16", 48, 49, 50, 51, 52);
      else ADJ_PRODUCT_OF_SHARED(64, "f16", 32, 33, 34, 35, 36);
    }
#endif
  }
  // The same with `a` in registers, which hold what multiply_add_matrices takes: each warp has its sixteen rows. They keep their values until the wait.
  template <bool kTransposedB> __device__ __forceinline__ void multiply(const u32 (&a)[4], const SharedMatrix& b, bool adds_up) {
    static_assert(kColumns == 64 || kColumns == 128);
#if defined(ADJ_SIMT)
    simt::begin_product({kSameType<T, bf16>, kColumns, &c[0][0], a, {}, {b.at, b.next, kTransposedB}, adds_up});
#else
    if constexpr (kSameType<T, bf16>) {
      if constexpr (kColumns == 128) ADJ_PRODUCT_OF_REGISTERS(128, "bf16", 64, 65, 66, 67, 68, 69, 70);
      else ADJ_PRODUCT_OF_REGISTERS(64, "bf16", 32, 33, 34, 35, 36, 37, 38);
    } else {
      if constexpr (kColumns == 128) ADJ_PRODUCT_OF_REGISTERS(128, "f16", 64, 65, 66, 67, 68, 69, 70);
      else ADJ_PRODUCT_OF_REGISTERS(64, "f16", 32, 33, 34, 35, 36, 37, 38);
    }
#endif
  }
  // Closes a group: the products that have begun since the last call. wait_but waits for all groups but the last `kOpen`; kDone: among them are all of these
  // sums, which may be accessed then.
  __device__ __forceinline__ void close() {
#if defined(ADJ_SIMT)
    simt::close_products();
#else
    asm volatile("wgmma.commit_group.sync.aligned;" : : : "memory");
#endif
  }
  template <int kOpen, bool kDone = kOpen == 0> __device__ __forceinline__ void wait_but() {
#if defined(ADJ_SIMT)
    simt::wait_products_but(kOpen);
#else
    asm volatile("wgmma.wait_group.sync.aligned %0;" : : "n"(kOpen) : "memory");
    if (kDone) hold();
#endif
  }

#if !defined(ADJ_SIMT)
 private:
  // Keeps the compiler from moving accesses to the sums across a call.
  __device__ __forceinline__ void hold() {
#pragma unroll
    for (int j = 0; j < kColumns / 8; ++j)
#pragma unroll
      for (int k = 0; k < 4; ++k) asm volatile("" : "+f"(c[j][k])::"memory");
  }
#endif
};
#if !defined(ADJ_SIMT)
#undef ADJ_PRODUCT_OF_REGISTERS
#undef ADJ_PRODUCT_OF_SHARED
#undef ADJ_SUMS_256
#undef ADJ_SUMS_128
#undef ADJ_SUMS_96
#undef ADJ_SUMS_64
#undef ADJ_NAMES_256
#undef ADJ_NAMES_128
#undef ADJ_NAMES_96
#undef ADJ_NAMES_64
#undef ADJ_EIGHT
#undef ADJ_FOUR
#undef ADJ_NAMES_7
#undef ADJ_NAMES_6
#undef ADJ_NAMES_5
#undef ADJ_NAMES_4
#undef ADJ_NAMES_3
#undef ADJ_NAMES_2
#undef ADJ_NAMES_1
#undef ADJ_NAMES_0
#endif
