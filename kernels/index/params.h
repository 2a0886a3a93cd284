/* Constants and parameters of kernels/index/keys.cu, element_rows.cu and pad_map.cu. */
#pragma once

enum { kIndexBlock = 256, kIndexMostRank = 8 };

/* Position n has the coordinates (c_0, .., c_(rank-1)) in `extents`; its key is
 *     sum of c_k * strides[k] + sum over j < depth of index[n * depth + j] * index_strides[j]. */
struct IndexKeysParams {
  const void* indices;       /* [count, depth] */
  long long* keys;           /* [count] */
  long long* error_flag;     /* may be null */
  long long count;
  long long none;            /* key of a position that is left out */
  long long extents[kIndexMostRank];
  long long strides[kIndexMostRank];
  long long index_extents[kIndexMostRank];
  long long index_strides[kIndexMostRank];
  int rank, depth;
};

struct IndexElementAtomicParams {
  struct IndexKeysParams keys; /* without an array of keys */
  const void* dout;            /* [count] */
  void* dinput;                /* [none], cleared where it does not count */
};

enum {
  kElementsOfThread = 8,     /* of a row in element_rows.cu: positions and elements */
  kElementFew = 16           /* most positions that a thread adds up */
};
struct IndexElementRowsParams {
  const void* indices;       /* [rows, count] */
  const void* dout;          /* the same shape */
  void* dinput;              /* [rows, elements] */
  long long* error_flag;     /* may be null */
  long long rows;
  int count, elements;
  int accumulate;
  unsigned positions_at;     /* bytes of shared memory before the list's positions */
};

struct IndexPadMapParams {
  const void* indices;       /* [count] */
  int* map;                  /* [rows] -1 so far; becomes the last position that names the row */
  long long* error_flag;     /* may be null */
  long long count;
  long long rows;
};
