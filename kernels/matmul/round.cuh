// Tiles of a matrix product in the order in which blocks take them. The program that includes this defines kRows and kColumns of a tile, and kGroupRows:
// tiles are numbered in groups of so many rows of them.
#include "matmul/epilogue.cuh"

// A round of a tile: rows and columns of a matrix, and depths.
struct Round {
  int row, column, matrix, split, begin, end;
  bool is_later, is_last;  // of the rounds of its tile

  // `done`: the depth of the rounds before.
  __device__ __forceinline__ Round(const MatmulCoresParams& p, u32 index, int done) {
    int tile = static_cast<int>(index);
    const int tiles = p.row_tiles * p.column_tiles, matrices = tile / tiles, group_tiles = kGroupRows * p.column_tiles;
    tile -= matrices * tiles;
    const int group = tile / group_tiles, first = group * kGroupRows, group_rows = min_of(kGroupRows, p.row_tiles - first);
    tile -= group * group_tiles;
    column = tile / group_rows;
    row = (first + tile - column * group_rows) * kRows;
    column *= kColumns;
    split = matrices / p.batch;
    matrix = matrices - split * p.batch;
    begin = split * p.split_steps * kMatmulCoresStep + done;
    const i64 split_end = min_of<i64>(p.k, (split + i64{1}) * p.split_steps * kMatmulCoresStep);
    end = static_cast<int>(min_of<i64>(split_end, i64{begin} + kMatmulCoresRound));
    is_later = done > 0;
    is_last = end == split_end;
  }
  // A later round adds to what the earlier ones have stored.
  __device__ __forceinline__ const void* other(const MatmulCoresParams& p) const { return is_later ? p.result.out : p.result.other; }
};
