/* Constants and parameters of kernels/segment_sum/keys.cu. */
#pragma once

enum { kIndexBlock = 256, kIndexMostRank = 8 };

/* Position n has the coordinates (c_0, .., c_(rank-1)) in `extents`; its key is
 *     sum of c_k * strides[k] + sum over j < depth of index[n * depth + j] * index_strides[j]. */
struct IndexKeysParams {
  const void* indices;       /* [count, depth] */
  long long* keys;           /* [count] */
  long long* error_flag;     /* may be null */
  long long count;
  long long none;            /* key of a position that is left out: the number of rows */
  long long extents[kIndexMostRank];
  long long strides[kIndexMostRank];
  long long index_extents[kIndexMostRank];
  long long index_strides[kIndexMostRank];
  int rank, depth;
};
