/* Constants and parameters of kernels/index/element_atomic.cu, element_rows.cu and pad_map.cu, to be included after segment_sum/keys.h. */
#pragma once

struct IndexElementAtomicParams {
  struct IndexKeysParams keys; /* keys.keys is null: keys are not stored */
  const void* dout;            /* [count] */
  void* dinput;                /* [keys.none]; the plan clears it unless it accumulates */
};

enum {
  kElementsOfThread = 8,     /* most positions, and most elements, of a row that a thread takes in element_rows.cu */
  kElementFew = 16           /* most positions of an element that one thread sums */
};
struct IndexElementRowsParams {
  const void* indices;       /* [rows, count] */
  const void* dout;          /* [rows, count] */
  void* dinput;              /* [rows, elements] */
  long long* error_flag;     /* may be null */
  long long rows;
  int count, elements;
  int accumulate;
  unsigned positions_at;     /* offset of the list's positions in shared memory, in bytes */
};

struct IndexPadMapParams {
  const void* indices;       /* [count] */
  int* map;                  /* [rows] in: -1; out: last position that names the row */
  long long* error_flag;     /* may be null */
  long long count;
  long long rows;
};
