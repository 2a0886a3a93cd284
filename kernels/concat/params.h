/* Parameters of kernels/concat/concat.cu, to be included after multi_tensor.h. The joint tensor is what concat writes and split
 * reads: rows of `pitch` bytes. A piece is a tensor of the list: as many rows of its own run of bytes, which lies at its
 * offset in the rows of the joint tensor. */
#pragma once

/* The table has the address of a piece, its offset and its run in bytes, and in launches over narrow pieces how many of them up to
 * this one share tiles, given at the last of them, which alone has chunks. */
enum { kConcatOffset, kConcatRun, kConcatConstants };
constexpr MultiTensorForm kConcatWideForm = {1, kConcatConstants, 0}, kConcatNarrowForm = {1, kConcatConstants, 1};

enum {
  kConcatThreads = kMultiTensorThreads,
  kConcatAlignedThreads = 1024, /* most of a block that copies aligned rows */
  kConcatAlignedUnits = 2,    /* of each of its threads: those of its chunk */
  kConcatLineRun = 1024,      /* rows of at least this many bytes are copied from a line of 128 bytes on, others of a unit */
  kConcatNarrow = 256,        /* runs below this many bytes may share tiles */
  kConcatGroupBytes = 4096,   /* most bytes of a row of a tile */
  kConcatGroupPieces = 128,   /* most pieces of a tile */
  kConcatTileBytes = 16384,   /* most payload of a tile */
  kConcatSideBytes = kConcatTileBytes + 32 * kConcatGroupPieces, /* a tile as one side has it, each stretch aligned */
  kConcatSharedBytes = 2 * kConcatSideBytes                      /* of a block that copies a tile */
};

struct ConcatHead {
  struct MultiTensorHead list; /* chunk_log2: units of 16 bytes of a chunk */
  void* joint;
  long long rows;
  long long pitch;
  int split;                   /* 0: from the pieces to the joint tensor, 1: back */
  int width;                   /* of an element; all addresses and bytes are multiples of it */
  int tile_bytes;
  unsigned inverse_units;      /* of the units of a row, to divide those of a turn; 0 where pieces have different ones, or too many */
  int reserved;
  int rows_of_turn;            /* wide pieces: the chunks of the list, a row of the grid, cover so many rows of all pieces, the next row of the
                                  grid those after them */
};

/* Where rows are copied from a boundary of this many bytes on. */
constexpr int concat_grain(long long run) { return run >= kConcatLineRun ? 128 : 16; }
/* Units of 16 bytes that hold a row wherever it begins, counted from the boundary. */
constexpr long long concat_row_units(long long run, int width) {
  return (run + concat_grain(run) - width + concat_grain(run) - 1) / concat_grain(run) * (concat_grain(run) / 16);
}
/* Rows of a tile whose rows are `bytes` long, next to each other in the joint tensor (then they are one stretch) or not. */
constexpr unsigned concat_tile_rows(unsigned tile, unsigned bytes, bool adjacent) {
  return tile / (adjacent ? bytes : bytes + 32) > 1 ? tile / (adjacent ? bytes : bytes + 32) : 1;
}
