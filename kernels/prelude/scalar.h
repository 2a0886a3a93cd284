/* Scalars as parameters. Planning and kernels include this file: only built-in types, no system header. */
#pragma once

/* The codes of adj_dtype that kernels tell apart at run time. */
enum { kDtypeF32 = 1, kDtypeI32 = 6, kDtypeI64 = 7, kDtypeF16 = 10, kDtypeF64 = 11, kDtypeBf16 = 16 };

/* adj_scalar as a kernel sees it. */
struct ScalarParam {
  double value;        /* read where device is null */
  const void* device;  /* one element of type dtype; may be null */
  int dtype;
  unsigned reserved;
};
