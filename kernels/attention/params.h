/* Constants and parameters of kernels/attention. README.md defines the words. */
#pragma once

enum {
  kAttentionThreads = 128,                     /* of every program */
  kAttentionCoresTile = 64,                    /* rows of a block of the programs on tensor cores */
  kAttentionLanes = 32,                        /* rows of the other side in a step of tiles: a lane has one */
  kAttentionRows = 4,
  kAttentionRowsF64 = 2,   /* rows of a warp in tiles */
  kAttentionDim = 256                          /* largest head_dim */
};

/* Rows of the other side in a step of the programs on tensor cores with tiles of `dim` columns, as many as the registers of a warp hold results of. The program
 * of dk and dv has twice the results. */
constexpr int attention_step(int dim) { return dim == 64 ? 64 : 32; }
constexpr int attention_kv_step(int dim) { return attention_step(dim) / 2; }

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
  long long items; /* tiles of all sequences */
  double scale;
  int sequences, tokens; /* tokens of a sequence, with cu_seqlens of all */
  int tiles; /* tiles of a sequence, with cu_seqlens of all */
  int heads, kv_heads, group, dim;
  int window; /* -1: none */
  int causal;
  int pitch; /* accumulators from one row in shared memory to the next; tiles */
};
