/* The block of prelude/column_sums.cuh: its columns, one for each lane, and its warps. With more warps, a multiprocessor has room for one block
 * only. */
#pragma once

enum { kColumnsAcross = 32, kColumnLanes = 16, kColumnThreads = kColumnsAcross * kColumnLanes };
