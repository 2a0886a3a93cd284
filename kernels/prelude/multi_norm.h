/* Sums of squares over a list of tensors: the layout of the workspace. To be included after multi_tensor.h. */
#pragma once

/* log2 of the elements of a chunk. It is the same for every list, so that the sum of a tensor depends on that tensor alone. */
constexpr int kNormChunk = 14;

/* Doubles that represent one sum of squares: 1 for f32 and 16-bit types, 3 for f64 (multi_norm.cuh). `numbers` below is that times the number
 * of sums that a kernel makes. */
constexpr int kNormNumbers = 1, kNormNumbersOfF64 = 3;

struct NormPartials {
  double* chunks;         /* [chunks of the whole list][numbers] */
  double* tensors;        /* [tensors of the whole list][numbers]; cleared by the plan, since a tensor without elements has no chunk */
  unsigned* finished;      /* [tensors + 1], cleared by the plan: number of finished chunks of each tensor, and of finished tensors */
  unsigned count;         /* tensors of the whole list */
  unsigned full;          /* tensors of the whole list that have elements */
};
