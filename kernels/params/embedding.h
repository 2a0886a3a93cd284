/* Parameters of kernels/embedding.cu. */
#pragma once

struct EmbeddingForwardParams {
  const void* weight;
  const void* indices;
  void* out;
  long long* error_flag;     /* may be null */
  long long num_embeddings;
  long long row_bytes;
  long long num_indices;
  long long zero_row;        /* row that comes out as zeros, -1 for none */
};
