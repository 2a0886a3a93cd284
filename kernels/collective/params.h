/* Constants and parameters of kernels/collective/adasum.cu. */
#pragma once

enum { kAdasumBlock = 256, kAdasumTensors = 96, kAdasumChunk = 16384 };

/* One level of the tree, for up to kAdasumTensors tensors. The level has `vectors` vectors of every tensor and combines pairs of them. Vector v of
 * tensor i begins at element starts[i] * vectors + v * numel[i] of `source`. The combination of pair p begins at element
 * starts[i] * (vectors / 2) + p * numel[i] of `target`, in the last level in the caller's buffer. */
struct AdasumParams {
  const void* source;
  void* target;              /* of the accumulator's type; not used in the last level */
  double* partials;          /* [vectors / 2, all_chunks, 3] products a.b, a.a, b.b of a chunk */
  long long starts[kAdasumTensors];
  long long numel[kAdasumTensors];
  unsigned first_chunk[kAdasumTensors + 1]; /* first chunk of each tensor in this launch, then their number */
  unsigned low[kAdasumTensors];             /* low halves of the outputs' addresses; last level only */
  unsigned short high[kAdasumTensors];      /* bits 32 to 47 of the outputs' addresses */
  unsigned chunk_base, all_chunks;          /* number of chunks of earlier launches, and of all launches */
  int tensors;               /* tensors of this launch */
  int vectors;
  int widened;               /* 1: `source` has the accumulator's type, 0: the element type */
  int last;                  /* 1: last level */
};
