/* Constants and parameters of kernels/embedding/atomic.cu, to be included after embedding.h. */
#pragma once

enum {
  kAtomicBlock = 256,
  kAtomicBlocks = 4,         /* of a multiprocessor at a time, */
  kAtomicMaxBlocks = 5       /* and where the addends are those of maxima */
};

struct EmbeddingAtomicParams {
  struct EmbeddingBackwardParams lookup; /* accumulate, scale_by_count, row_lanes and batch_rows are not read */
  long long outer;           /* with ADJ_GATHER: matrices */
  int columns_log2;          /* lanes that share a row take 2^columns_log2 columns, or a column each when that is less */
  unsigned stretch_blocks;   /* blocks in y that share such stretches of a row; as many such sets share the matrices */
};
