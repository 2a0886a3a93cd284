/* Constants and parameters of kernels/parts/parts.cu, to be included after multi_tensor.h. README.md defines the words. */
#pragma once

/* The table has for each piece its address, its offset and its run in bytes. In launches over narrow pieces it also has a count: at the last
 * piece of a group the number of its pieces, else 0. Only that last piece has chunks. */
enum { kPartsOffset, kPartsRun, kPartsConstants };
constexpr MultiTensorForm kPartsWideForm = {1, kPartsConstants, 0}, kPartsNarrowForm = {1, kPartsConstants, 1};

enum {
  kPartsThreads = kMultiTensorThreads,
  kPartsAlignedThreads = 1024, /* most threads of a block that copies aligned rows */
  kPartsAlignedVectors = 2,    /* vectors of each of these threads */
  kPartsLineRun = 1024,      /* runs of at least this many bytes have a grain of 128 bytes, shorter ones of 16 */
  kPartsNarrow = 256,        /* runs below this many bytes may be narrow */
  kPartsGroupBytes = 4096,   /* most bytes of a row of a tile */
  kPartsGroupPieces = 128,   /* most pieces of a group */
  kPartsTileBytes = 16384,   /* most bytes of the pieces in a tile */
  kPartsSideBytes = kPartsTileBytes + 32 * kPartsGroupPieces, /* shared memory for one side of a tile; each stretch begins with a vector */
  kPartsSharedBytes = 2 * kPartsSideBytes                      /* shared memory of a block that copies a tile */
};

struct PartsHead {
  struct MultiTensorHead list; /* chunk_log2: log2 of the vectors of a chunk */
  void* joint;                 /* the joint tensor */
  long long rows;
  long long pitch;             /* bytes of a row of the joint tensor */
  int split;                   /* 0: from the pieces to the joint tensor, 1: back */
  int width;                   /* bytes of an element; all addresses and sizes are multiples of it */
  int tile_bytes;              /* most bytes of the pieces in a tile of this launch */
  unsigned inverse_vectors;      /* inverse_of() the vectors of a row; 0 where pieces differ in them, or where a turn has too many */
  int reserved;
  int rows_of_turn;            /* wide pieces: rows of a turn */
};

/* Grain of a run, in bytes. */
constexpr int parts_grain(long long run) { return run >= kPartsLineRun ? 128 : 16; }
/* Most vectors that hold a row, counted from the grain boundary at or before it, wherever the row begins. */
constexpr long long parts_row_vectors(long long run, int width) {
  return (run + parts_grain(run) - width + parts_grain(run) - 1) / parts_grain(run) * (parts_grain(run) / 16);
}
/* Rows of a tile whose rows have `bytes` bytes. adjacent: the rows are next to each other in the joint tensor, so they are one stretch. */
constexpr unsigned parts_tile_rows(unsigned tile, unsigned bytes, bool adjacent) {
  return tile / (adjacent ? bytes : bytes + 32) > 1 ? tile / (adjacent ? bytes : bytes + 32) : 1;
}
