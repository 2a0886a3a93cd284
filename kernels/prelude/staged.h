/* Shared memory of prelude/staged.cuh. Planning and kernels include this file: only built-in types, no system header. */
#pragma once

/* Bytes for `elements` elements of `size` bytes each, wherever they begin within a word of 16 bytes, and a word behind them. */
constexpr long long staged_bytes(long long elements, int size) { return (elements * size + 15 + 15) / 16 * 16 + 16; }
