/* Sums of squares over a list of tensors: where the parts lie. To be included after multi_tensor.h. */
#pragma once

/* Elements of a chunk as a power of two. The same for every list, so that the sum of a tensor depends on that tensor alone. */
constexpr int kNormChunk = 14;

/* `numbers` doubles describe a sum: 1 for f32 and the 16-bit types, 3 for f64 (multi_norm.cuh), times the sums that a kernel makes. */
constexpr int kNormNumbers = 1, kNormNumbersOfF64 = 3;

struct NormSlots {
  double* chunks;         /* [chunks of the whole list][numbers] */
  double* tensors;        /* [tensors of the whole list][numbers]; cleared, since a tensor without elements has no chunk */
  unsigned* tickets;      /* [tensors + 1], cleared: finished chunks of each tensor, and finished tensors */
  unsigned count;         /* tensors of the whole list */
  unsigned full;          /* those of them that have elements */
};
