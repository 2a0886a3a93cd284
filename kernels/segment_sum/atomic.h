/* Constants and parameters of kernels/segment_sum/atomic.cu, to be included after params.h. */
#pragma once

enum {
  kAtomicBlock = 256,
  kAtomicBlocks = 4,         /* resident blocks of a multiprocessor with ADJ_BAG below 2 */
  kAtomicMaxBlocks = 5       /* resident blocks of a multiprocessor with ADJ_BAG=2 */
};

struct EmbeddingAtomicParams {
  struct EmbeddingBackwardParams lookup; /* accumulate, scale_by_count, row_lanes and batch_rows are not read */
  long long outer;           /* number of matrices; read with ADJ_GATHER only */
  int columns_log2;          /* log2 of the columns of a stretch; with ADJ_ALIGNED=0 a stretch is at most 32 columns, one for each lane */
  unsigned stretch_blocks;   /* blocks in y that share the stretches of a row; the grid has whole sets of them, which share the matrices */
};
