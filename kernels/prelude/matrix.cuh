// Tensor cores: products of small matrices of 16-bit elements by a warp. Every lane of the warp takes part in the loads and products.
#pragma once

#include "prelude/memory.cuh"
#include "prelude/thread.cuh"
#if defined(ADJ_SIMT)
#include "matrix.hpp"  // tests/simt
#endif

// Loads four matrices of 8 by 8 elements from shared memory. Lane l passes the address of row l % 8 of matrix l / 8. v[i] gets two elements
// of matrix i: row l / 4, columns l % 4 * 2 and the next.
__device__ __forceinline__ void load_matrices(u32 (&v)[4], const Words4* row) {
#if defined(ADJ_SIMT)
  simt::check_aligned(row, 16);
  simt::Bits rows[kWarp];
  simt::from_lanes(reinterpret_cast<simt::Bits>(row), rows);
  for (int i = 0; i < 4; ++i) v[i] = reinterpret_cast<const u32*>(rows[8 * i + lane_index() / 4])[lane_index() % 4];
#else
  asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0, %1, %2, %3}, [%4];"
               : "=r"(v[0]), "=r"(v[1]), "=r"(v[2]), "=r"(v[3])
               : "r"(static_cast<u32>(__cvta_generic_to_shared(row)))
               : "memory");
#endif
}
// The same for the transposed matrices.
__device__ __forceinline__ void load_transposed_matrices(u32 (&v)[4], const Words4* row) {
#if defined(ADJ_SIMT)
  simt::check_aligned(row, 16);
  simt::Bits rows[kWarp];
  simt::from_lanes(reinterpret_cast<simt::Bits>(row), rows);
  for (int i = 0; i < 4; ++i) {
    const auto element = [&](int j) { return static_cast<u32>(reinterpret_cast<const u16*>(rows[8 * i + j])[lane_index() / 4]); };
    v[i] = element(lane_index() % 4 * 2) | element(lane_index() % 4 * 2 + 1) << 16;
  }
#else
  asm volatile("ldmatrix.sync.aligned.m8n8.x4.trans.shared.b16 {%0, %1, %2, %3}, [%4];"
               : "=r"(v[0]), "=r"(v[1]), "=r"(v[2]), "=r"(v[3])
               : "r"(static_cast<u32>(__cvta_generic_to_shared(row)))
               : "memory");
#endif
}

// c += a b, a of 16 by 16 elements and b of 16 by 8. Lane l has these elements; a word of a or b has two neighbours along the depth:
//   a  [l / 4 (+ 8: words 1 and 3)][l % 4 * 2 (+ 8: words 2 and 3)]
//   b  [l % 4 * 2 (+ 8: word 1)][l / 4]
//   c  [l / 4 (+ 8: 2 and 3)][l % 4 * 2 (+ 1: 1 and 3)]
// Products are exact. The hardware chooses the order in which the sixteen products of an element and c are added, and may cut off bits below
// the last bit of the largest instead of rounding. The same operands give the same bits.
template <class T> __device__ __forceinline__ void multiply_add_matrices(f32 (&c)[4], const u32 (&a)[4], u32 b0, u32 b1) {
  static_assert(kSameType<T, f16> || kSameType<T, bf16>);
#if defined(ADJ_SIMT)
  const u32 b[2] = {b0, b1};
  simt::multiply_add_matrices(kSameType<T, bf16>, c, a, b);
#else
  if constexpr (kSameType<T, bf16>) {
    asm("mma.sync.aligned.m16n8k16.row.col.f32.bf16.bf16.f32 {%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, {%0, %1, %2, %3};"
        : "+f"(c[0]), "+f"(c[1]), "+f"(c[2]), "+f"(c[3])
        : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b0), "r"(b1));
  } else {
    asm("mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, {%0, %1, %2, %3};"
        : "+f"(c[0]), "+f"(c[1]), "+f"(c[2]), "+f"(c[3])
        : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b0), "r"(b1));
  }
#endif
}
