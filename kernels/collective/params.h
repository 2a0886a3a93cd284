/* Constants and parameters of kernels/collective/adasum.cu. */
#pragma once

enum { kAdasumBlock = 256, kAdasumTensors = 96, kAdasumChunk = 16384 };

/* One level of the tree, for up to kAdasumTensors tensors. A level has `vectors` vectors of every tensor, pairs of which it combines;
 * vector v of a tensor begins at element starts[i] * vectors + v * numel[i] of `source`, and the combination of pair p at element
 * starts[i] * (vectors / 2) + p * numel[i] of `target`, or in the caller's buffer in the last level. */
struct AdasumParams {
  const void* source;
  void* target;              /* of the accumulator's type; not read in the last level */
  double* partials;          /* [vectors / 2, all_chunks, 3] products a b, a a, b b of a chunk */
  long long starts[kAdasumTensors];
  long long numel[kAdasumTensors];
  unsigned first_chunk[kAdasumTensors + 1]; /* of this launch */
  unsigned low[kAdasumTensors];             /* addresses of the outputs, in the last level */
  unsigned short high[kAdasumTensors];
  unsigned chunk_base, all_chunks;          /* of the launches before, and of all */
  int tensors;
  int vectors;
  int widened;               /* whether `source` has the accumulator's type; else the element type */
  int last;
};
