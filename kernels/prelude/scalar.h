/* Included by both sides: only built-in types, no system header. */
#pragma once

/* Codes of adj_dtype that kernels tell apart at run time. */
enum { kDtypeF32 = 1, kDtypeI32 = 6, kDtypeI64 = 7, kDtypeF16 = 10, kDtypeF64 = 11, kDtypeBf16 = 16 };

/* adj_scalar as a kernel sees it. */
struct ScalarParam {
  double value;
  const void* device;
  int dtype;
  unsigned reserved;
};
