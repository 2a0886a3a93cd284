/* Parameters of the reductions over axes, included by both sides. Strides and offsets are in elements. */
#pragma once

enum {
  kReduceDims = 4,
  kReduceThreads = 256,
  kReduceTogether = 8,         /* vectors that a thread has in flight */
  kReduceShortRowsBytes = 36 << 10, /* short_rows.cu: most bytes of the runs of a block, and of what lies before and behind them in words */
  kReduceShortBytes = 16 << 10 /* most bytes of a segment that one warp takes */
};
/* Last operation on a total before it is stored. */
enum { kReduceAsIs = 0, kReduceMean = 1, kReduceRoot = 2, kReduceNegated = 3, kReduceAdded = 4 /* to what the output holds */ };

struct ReduceDims {
  long long size[kReduceDims], stride[kReduceDims];  /* the last dimension varies fastest */
  int count;
  int reserved;
};

struct ReduceParams {
  const void* in;
  void* out;
  const void* offsets;      /* segments: splits + 1 offsets */
  long long* error_flag;    /* segments: counts segments with bad offsets; may be null */
  struct ReduceDims kept, reduced;  /* all dimensions but the inner one */
  long long items;          /* rows: outputs times splits; columns: outer outputs times tiles times splits */
  long long elements;       /* columns: elements of `in` */
  long long inner;          /* rows: elements of a run; columns: columns */
  long long outer;          /* rows: parts, pieces of runs; columns: rows to reduce; segments: elements of the axis */
  long long pieces;         /* rows: pieces of a run */
  long long piece;          /* rows: elements of a piece; the last piece of a run may have fewer */
  long long splits;         /* items that share an output; segments: number of segments, each with its own output */
  long long of_split;       /* rows: parts of an item; columns: rows of an item */
  long long tiles;          /* columns: tiles of a row */
  double count;             /* all elements that are reduced into an output */
  int group;                /* rows, short_rows.cu: threads that share an item; a power of two up to the block */
  int lanes;                /* rows: threads that share a part; columns: threads side by side; a power of two */
  int square;               /* 1: every element is squared first */
  int negate;               /* 1: every element is negated first, for a minimum: the negated maximum of negated elements */
  int finally;              /* kReduceAsIs or another of these */
  int out_dtype;            /* code of adj_dtype */
  int wide_offsets;         /* segments: 1 for i64, 0 for i32 */
};
