// Tensor cores of sm_90a: products of matrices in shared memory by a warpgroup (four warps, of which the first one's number is a multiple of four). They go
// on beside the threads that begin them. Every thread of the warpgroup takes part in each call.
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
#define ADJ_FOUR(j) "+f"(c[j][0]), "+f"(c[j][1]), "+f"(c[j][2]), "+f"(c[j][3])
#define ADJ_WARPGROUP_PRODUCT(type)                                                                                                                            \
  asm volatile(                                                                                                                                                \
      "{.reg .pred p; setp.ne.u32 p, %132, 0; wgmma.mma_async.sync.aligned.m64n256k16.f32." type "." type                                                      \
      " {"                                                                                                                                                     \
      "%0, %1, %2, %3, %4, %5, %6, %7, %8, %9, %10, %11, %12, %13, %14, %15, %16, %17, %18, %19, %20, %21, %22, %23, %24, %25, %26, %27, %28, %29, %30, %31, " \
      "%32, %33, %34, %35, %36, %37, %38, %39, %40, %41, %42, %43, %44, %45, %46, %47, %48, %49, %50, %51, %52, %53, %54, %55, %56, %57, %58, %59, %60, %61, " \
      "%62, %63, "                                                                                                                                             \
      "%64, %65, %66, %67, %68, %69, %70, %71, %72, %73, %74, %75, %76, %77, %78, %79, %80, %81, %82, %83, %84, %85, %86, %87, %88, %89, %90, %91, %92, %93, " \
      "%94, %95, "                                                                                                                                             \
      "%96, %97, %98, %99, %100, %101, %102, %103, %104, %105, %106, %107, %108, %109, %110, %111, %112, %113, %114, %115, %116, %117, %118, %119, %120, "     \
      "%121, %122, %123, %124, %125, %126, %127}, "                                                                                                            \
      "%128, %129, p, 1, 1, %130, %131;}"                                                                                                                      \
      : ADJ_FOUR(0), ADJ_FOUR(1), ADJ_FOUR(2), ADJ_FOUR(3), ADJ_FOUR(4), ADJ_FOUR(5), ADJ_FOUR(6), ADJ_FOUR(7), ADJ_FOUR(8), ADJ_FOUR(9), ADJ_FOUR(10),        \
        ADJ_FOUR(11), ADJ_FOUR(12), ADJ_FOUR(13), ADJ_FOUR(14), ADJ_FOUR(15), ADJ_FOUR(16), ADJ_FOUR(17), ADJ_FOUR(18), ADJ_FOUR(19), ADJ_FOUR(20),            \
        ADJ_FOUR(21), ADJ_FOUR(22), ADJ_FOUR(23), ADJ_FOUR(24), ADJ_FOUR(25), ADJ_FOUR(26), ADJ_FOUR(27), ADJ_FOUR(28), ADJ_FOUR(29), ADJ_FOUR(30),            \
        ADJ_FOUR(31)                                                                                                                                           \
      : "l"(a.bits), "l"(b.bits), "n"(kTransposedA ? 1 : 0), "n"(kTransposedB ? 1 : 0), "r"(adds ? 1 : 0))
#endif

// Sums of 64 by 256 products. Thread t of the warpgroup has c[j]: rows t / 32 * 16 + t % 32 / 4 (+ 8: c[j][2] and c[j][3]), columns j * 8 + t % 4 * 2
// (+ 1: c[j][1] and c[j][3]). Between open() and the end of wait_but<0>() only the functions here may access them.
template <class T> struct WarpgroupSums {
  f32 c[32][4];

  // Leaves the sums without a value, until a product that does not add gives them one: the compiler need not keep what they were.
  __device__ __forceinline__ void discard() {
#pragma unroll
    for (int j = 0; j < 32; ++j)
#pragma unroll
      for (int k = 0; k < 4; ++k)
#if defined(ADJ_SIMT)
        c[j][k] = from_bits(0x7FC00000u);
#else
        asm volatile("" : "=f"(c[j][k]));
#endif
  }
  __device__ __forceinline__ void open() {
#if !defined(ADJ_SIMT)
    hold();
    asm volatile("wgmma.fence.sync.aligned;" : : : "memory");
#endif
  }
  // Begins c += a b over a depth of 16, or, where it does not add, c = a b. Rounding is that of multiply_add_matrices.
  template <bool kTransposedA, bool kTransposedB> __device__ __forceinline__ void multiply(const SharedMatrix& a, const SharedMatrix& b, bool adds) {
#if defined(ADJ_SIMT)
    if (begun == kMostBegun) __builtin_trap();
    products[begun++] = {{a.at, a.next, kTransposedA}, {b.at, b.next, kTransposedB}, groups, adds};
#else
    if constexpr (kSameType<T, bf16>) ADJ_WARPGROUP_PRODUCT("bf16");
    else ADJ_WARPGROUP_PRODUCT("f16");
#endif
  }
  // Closes a group: the products that have begun since the last call. wait_but waits for all groups but the last `kOpen`.
  __device__ __forceinline__ void close() {
#if defined(ADJ_SIMT)
    ++groups;
#else
    asm volatile("wgmma.commit_group.sync.aligned;" : : : "memory");
#endif
  }
  template <int kOpen> __device__ __forceinline__ void wait_but() {
#if defined(ADJ_SIMT)
    // They are executed now, so that memory that is written too early is found.
    int done = 0;
    for (; done < begun && products[done].group + kOpen < groups; ++done) execute(products[done]);
    for (int i = done; i < begun; ++i) products[i - done] = products[i];
    begun -= done;
#else
    asm volatile("wgmma.wait_group.sync.aligned %0;" : : "n"(kOpen) : "memory");
    if (kOpen == 0) hold();
#endif
  }

 private:
#if defined(ADJ_SIMT)
  static constexpr int kMostBegun = 16;
  struct Product {
    simt::SharedMatrix a, b;
    int group;
    bool adds;
  };
  void execute(const Product& p) {
    // The threads of the warpgroup share the checks of accesses.
    const int thread = thread_index() % 128;
    touch(p.a, 64, thread);
    for (int part = 0; part < 4; ++part) touch(p.b, 256, part * 128 + thread);
    if (!p.adds)
      for (f32(&four)[4] : c) four[0] = four[1] = four[2] = four[3] = 0;
    simt::multiply_add_shared_matrices(kSameType<T, bf16>, c, thread, p.a, p.b);
  }
  // Reads a vector of a matrix of so many rows or columns.
  static void touch(const simt::SharedMatrix& m, int extent, int vector) {
    const int vectors = (m.transposed ? extent : 16) / 8, row = vector / vectors, other = vector % vectors * 8;
    simt::read_by_proxy(reinterpret_cast<const void*>(m.transposed ? m.address(other, row) : m.address(row, other)), sizeof(Words4));
  }
  Product products[kMostBegun];
  int begun = 0, groups = 0;
#else
  // Keeps the compiler from moving accesses to the sums across a call.
  __device__ __forceinline__ void hold() {
#pragma unroll
    for (int j = 0; j < 32; ++j)
#pragma unroll
      for (int k = 0; k < 4; ++k) asm volatile("" : "+f"(c[j][k])::"memory");
  }
#endif
};
#if !defined(ADJ_SIMT)
#undef ADJ_WARPGROUP_PRODUCT
#undef ADJ_FOUR
#endif
