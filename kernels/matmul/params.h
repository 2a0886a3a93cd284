/* Parameters of kernels/matmul/, to be included after prelude/divide.h and prelude/tensor_map.h. */
#pragma once

enum { kMatmulFinishThreads = 256 };
/* Of cores.cu: a block's tile, its steps along the depth and the stages of its pipeline, and the depth of a round. */
enum {
  kMatmulCoresRows = 128,
  kMatmulCoresColumns = 256,
  kMatmulCoresStep = 32,
  kMatmulCoresStages = 4,
  kMatmulCoresThreads = 256,
  kMatmulCoresShared = kMatmulCoresStages * (kMatmulCoresRows + kMatmulCoresColumns) * kMatmulCoresStep * 2,
  kMatmulWarpgroupsShared = 2 * kMatmulCoresShared + 1024, /* steps of twice the depth, from a multiple of 1024 bytes on */
  kMatmulCoresRound = 16384
};
/* Of pipeline.cu, whose tiles are those of cores.cu. */
enum {
  kMatmulPipelineStep = 2 * kMatmulCoresStep,
  kMatmulPipelineStages = 3,
  kMatmulPipelineWideStages = 4, /* with f32 results, of which less lies in shared memory */
  kMatmulPipelineThreads = 384,
  kMatmulPipelineShared = 225280 /* stages from a multiple of 1024 bytes on; also room for cores.cu, which takes its place for unaligned operands */
};

/* In the order of adj_matmul_epilogue, from none on. */
enum { kMatmulPlain, kMatmulGelu, kMatmulGeluGradient };

/* From sums to results: z = alpha * sum + beta * other + bias, without `other` where it is saved. Then out = z, gelu_tanh(z) or
 * z * gelu_tanh'(other), and preactivation = z. Element (row, column) of matrix i of out, other and preactivation is
 * i * matrix + row * row_pitch + column. */
struct MatmulResult {
  const void* bias;          /* [columns], or null */
  const void* other;         /* c, saved, or out itself where the result is added to it; null: none */
  void* out;
  void* preactivation;       /* null: not written */
  long long row_pitch, matrix;
  double alpha, beta;
  int epilogue;
  int reserved;
};

/* Parameters of finish.cu. */
struct MatmulFinishParams {
  struct MatmulResult result;
  const void* partials;      /* [splits, rows of all matrices, pitch] accumulators; the first `columns` of a row count */
  long long count;           /* elements of out */
  long long columns, rows;   /* of a matrix */
  long long pitch, split;    /* accumulators from one row of partials to the next, and from one split to the next */
  WideDivisor by_columns, by_rows;
  int splits;                /* 0: every sum is 0 */
  int reserved;
};

/* Parameters of cores.cu. Strides are in elements. */
struct MatmulCoresParams {
  struct MatmulResult result; /* out has f32 sums of each split where finish.cu makes the results */
  const void* a;
  const void* b;
  long long a_matrix, a_row; /* between matrices, and between rows as stored, which are whole vectors of 8 elements */
  long long b_matrix, b_row;
  long long out_split;       /* elements of out from one split to the next */
  int m, n, k;
  int row_tiles, column_tiles, batch;
  int tiles;                 /* of all matrices and splits; blocks take them a grid apart */
  int split_steps;           /* steps of a split along the depth */
  int wide;                  /* 1: bias, other, out and preactivation are f32; 0: of the operands' type */
  int fours;                 /* 1: where a tensor laid out like out begins at a multiple of 16 bytes, its rows are whole groups of four elements */
};

/* Parameters of pipeline.cu. The maps have the dimensions columns, rows and matrices of an operand as stored. */
struct MatmulPipelineParams {
  struct MatmulCoresParams cores;
  struct TensorMap map_a, map_b;
};
