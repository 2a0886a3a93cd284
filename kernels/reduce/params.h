/* Parameters of the reductions over axes, included by both sides. Strides and offsets are in elements. */
#pragma once

enum {
  kReduceDims = 4,
  kReduceThreads = 256,
  kReduceTogether = 8,         /* units of a thread in flight */
  kReduceShortBytes = 16 << 10 /* of a segment that one warp takes, at most */
};
/* What is done to a total before it is stored. */
enum { kReduceAsIs = 0, kReduceMean = 1, kReduceRoot = 2, kReduceNegated = 3 };

struct ReduceDims {
  long long size[kReduceDims], stride[kReduceDims];  /* the last one fastest */
  int count;
  int reserved;
};

struct ReduceParams {
  const void* in;
  void* out;
  const void* offsets;      /* segments: splits + 1 of them */
  long long* error_flag;    /* segments: may be null */
  struct ReduceDims kept, reduced;  /* dimensions outside of the inner one */
  long long items;          /* rows: outputs times splits; columns: outer outputs times tiles times splits */
  long long inner;          /* rows: elements of a run; columns: columns */
  long long outer;          /* rows: parts, pieces of runs; columns: rows to reduce; segments: elements of the axis */
  long long pieces;         /* rows: of a run */
  long long piece;          /* rows: elements of a piece, but of the last of a run */
  long long splits;         /* items that share an output; the segments, which have outputs of their own */
  long long of_split;       /* rows: parts of an item; columns: rows of an item */
  long long tiles;          /* columns: of a row */
  double count;             /* elements reduced into an output in all */
  int group;                /* rows: threads of an item; a power of two up to the block */
  int lanes;                /* rows: threads of a part; columns: threads side by side; a power of two */
  int square;               /* 1: of every element first */
  int negate;               /* 1: likewise; a minimum is the negated maximum of negated elements */
  int finally;              /* kReduce... */
  int out_dtype;            /* as adj_dtype */
  int wide_offsets;         /* segments: 1 for i64, 0 for i32 */
  int reserved;
};
