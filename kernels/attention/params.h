/* Constants and parameters of kernels/attention, to be included after prelude/tensor_map.h. README.md defines the words. */
#pragma once

enum {
  kAttentionThreads = 128,                     /* of every program */
  kAttentionLanes = 32,                        /* rows of the other side in a step of tiles: a lane has one */
  kAttentionRows = 4,
  kAttentionRowsF64 = 2,   /* rows of a warp in tiles */
  kAttentionDim = 256                          /* largest head_dim */
};

/* Tiles of the programs on tensor cores with `dim` columns, as many as the registers of a warp hold results of. */
struct AttentionTile {
  int fragments; /* a warp has as many times 16 rows of the tile */
  int step;      /* rows of the other side in a step */
  int blocks;    /* resident on a multiprocessor, at least */
  constexpr int rows() const { return kAttentionThreads / 32 * 16 * fragments; }
};
constexpr AttentionTile attention_forward_tile(int dim) { return {2, dim == 64 ? 64 : 48, 2}; }
constexpr AttentionTile attention_q_tile(int dim) { return {2, 32, dim == 64 ? 3 : 2}; }
constexpr AttentionTile attention_kv_tile(int dim) { return dim == 64 ? AttentionTile{2, 32, 2} : AttentionTile{1, 64, 2}; }

/* Of the programs of warpgroups: one warpgroup copies, the others have kAttentionGroupRows rows of the tile each. */
enum {
  kAttentionGroups = 2,
  kAttentionGroupRows = 64,
  kAttentionGroupTile = kAttentionGroups * kAttentionGroupRows,
  kAttentionGroupThreads = (kAttentionGroups + 1) * 128,
  kAttentionStages = 2,
  kAttentionStep = 128, /* keys of a step of the forward direction */
  kAttentionKvStep = 64, /* queries of a step of dk and dv */
  kAttentionRest = 2048 /* bytes of shared memory for barriers, numbers of rows and the place in the walk over tiles */
};
/* Keys of a step of dq: with 128 columns, no more have their scores, gradients and sums in registers. */
constexpr int attention_q_step(int dim) { return dim == 64 ? 128 : 96; }
/* Bytes of shared memory of a block that keeps `kept` rows and copies `rows` rows of a step at a time, from a multiple of 1024 bytes on. */
constexpr int attention_group_shared(int dim, int kept, int rows) { return (kept + kAttentionStages * rows) * dim * 2 + kAttentionRest + 1024; }

/* Strides in elements. */
struct AttentionStrides {
  long long sequence, token, head;
};

struct AttentionParams {
  const void* q;
  const void* k;
  const void* v;
  const void* out_in; /* out, read by the gradients */
  const void* dout;
  void* out;
  void* dq;
  void* dk;
  void* dv;
  void* lse; /* of the forward direction */
  const void* lse_in; /* of the gradients */
  void* delta; /* sum of dout out for each query, laid out as lse; written by the program of dq */
  const int* cu_seqlens; /* null: sequences of one length */
  struct AttentionStrides q_strides, k_strides, v_strides, out_strides, dout_strides, dq_strides, dk_strides, dv_strides;
  double scale;
  float scale2; /* scale times log2(e); of the forward direction its magnitude, and not 0 */
  int sequences, tokens; /* tokens of a sequence, with cu_seqlens of all */
  int heads, kv_heads, group, dim;
  int window; /* -1: none */
  int causal;
  int pitch; /* accumulators from one row in shared memory to the next; tiles */
};

/* Of the programs of warpgroups. The maps have the dimensions columns, tokens, heads and sequences. */
struct AttentionGroupParams {
  struct AttentionParams attention;
  struct TensorMap q, k, v, dout;
};
