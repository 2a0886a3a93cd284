// 16 bytes that begin anywhere, cut out of two aligned words.
#pragma once

#include "prelude/memory.cuh"

// Returns the 16 bytes that begin `offset` bytes into the 32 bytes of low and high; offset: 0 to 15, a multiple of granule. One block of PTX,
// since NVRTC takes up to 4 ms for each use of the same in C++, many choices between values that may not have been loaded.
template <int granule> __device__ __forceinline__ Words4 cut16(const Words4& low, const Words4& high, int offset) {
  Words4 r;
#if defined(ADJ_SIMT)
  u8 bytes[32];
  memcpy(bytes, &low, 16);
  memcpy(bytes + 16, &high, 16);
  memcpy(&r, bytes + offset, 16);
#else
  // A result may share a register with an operand: each block reads all operands before it writes the first result.
#define ADJ_CUT_OPERANDS                       \
  : "=r"(r.x), "=r"(r.y), "=r"(r.z), "=r"(r.w) \
  : "r"(low.x), "r"(low.y), "r"(low.z), "r"(low.w), "r"(high.x), "r"(high.y), "r"(high.z), "r"(high.w), "r"(offset)
  if constexpr (granule >= 8) {
    asm("{\n\t.reg .pred p;\n\t.reg .b32 a<4>, t;\n\tand.b32 t, %12, 8;\n\tsetp.ne.u32 p, t, 0;\n\t"
        "selp.b32 a0, %6, %4, p;\n\tselp.b32 a1, %7, %5, p;\n\tselp.b32 a2, %8, %6, p;\n\tselp.b32 a3, %9, %7, p;\n\t"
        "mov.b32 %0, a0;\n\tmov.b32 %1, a1;\n\tmov.b32 %2, a2;\n\tmov.b32 %3, a3;\n\t}" ADJ_CUT_OPERANDS);
  } else if constexpr (granule >= 4) {
    asm("{\n\t.reg .pred p<2>;\n\t.reg .b32 a<5>, t;\n\t"
        "and.b32 t, %12, 8;\n\tsetp.ne.u32 p0, t, 0;\n\tand.b32 t, %12, 4;\n\tsetp.ne.u32 p1, t, 0;\n\t"
        "selp.b32 a0, %6, %4, p0;\n\tselp.b32 a1, %7, %5, p0;\n\tselp.b32 a2, %8, %6, p0;\n\t"
        "selp.b32 a3, %9, %7, p0;\n\tselp.b32 a4, %10, %8, p0;\n\t"
        "selp.b32 %0, a1, a0, p1;\n\tselp.b32 %1, a2, a1, p1;\n\tselp.b32 %2, a3, a2, p1;\n\tselp.b32 %3, a4, a3, p1;\n\t}" ADJ_CUT_OPERANDS);
  } else {
    asm("{\n\t.reg .pred p<2>;\n\t.reg .b32 a<6>, b<5>, t;\n\t"
        "and.b32 t, %12, 8;\n\tsetp.ne.u32 p0, t, 0;\n\tand.b32 t, %12, 4;\n\tsetp.ne.u32 p1, t, 0;\n\tshl.b32 t, %12, 3;\n\t"
        "selp.b32 a0, %6, %4, p0;\n\tselp.b32 a1, %7, %5, p0;\n\tselp.b32 a2, %8, %6, p0;\n\t"
        "selp.b32 a3, %9, %7, p0;\n\tselp.b32 a4, %10, %8, p0;\n\tselp.b32 a5, %11, %9, p0;\n\t"
        "selp.b32 b0, a1, a0, p1;\n\tselp.b32 b1, a2, a1, p1;\n\tselp.b32 b2, a3, a2, p1;\n\t"
        "selp.b32 b3, a4, a3, p1;\n\tselp.b32 b4, a5, a4, p1;\n\t"
        "shf.r.wrap.b32 %0, b0, b1, t;\n\tshf.r.wrap.b32 %1, b1, b2, t;\n\t"
        "shf.r.wrap.b32 %2, b2, b3, t;\n\tshf.r.wrap.b32 %3, b3, b4, t;\n\t}" ADJ_CUT_OPERANDS);
  }
#undef ADJ_CUT_OPERANDS
#endif
  return r;
}
