/* A launch over a list of tensors: which tensors, cut into chunks of one fixed element count. */
#pragma once

/* Every parameter block of such a kernel begins with this. */
struct MultiTensorHead {
  const void* table;    /* of a kernel whose table lies in the workspace, else null */
  unsigned tensors;     /* in the table, >= 1; tensors without elements have no chunks */
  unsigned chunks;
  int chunk_log2;       /* elements per chunk; at most kMultiTensorLargestChunk */
  unsigned reserved;
};
constexpr int kMultiTensorLargestChunk = 30;
constexpr int kMultiTensorThreads = 256;  /* of every block */

/* The table: for each of `capacity` tensors the addresses of its K arrays, its element count and the first of its chunks.
 * Arrays follow each other without gaps, in this order:
 *   u64 address[K][capacity];  i64 numel[capacity];  u32 first_chunk[capacity]; */
constexpr unsigned multi_tensor_entry_bytes(int arrays) { return 8u * static_cast<unsigned>(arrays) + 12u; }
/* Entries that fit in `bytes`, a multiple of 8. */
constexpr unsigned multi_tensor_capacity(unsigned bytes, int arrays) { return (bytes - 4u) / multi_tensor_entry_bytes(arrays); }

template <int K, unsigned Bytes> struct MultiTensorTable {
  static constexpr unsigned kCapacity = multi_tensor_capacity(Bytes, K);
  unsigned long long address[K][kCapacity];
  long long numel[kCapacity];
  unsigned first_chunk[kCapacity];
};

/* Sizes of a whole parameter block with its table inside: what every driver accepts, what those of CUDA 12.1 do, and one between
 * for the last of several launches, since each is paid for in full. */
constexpr unsigned kMultiTensorSmallBytes = 4096;
constexpr unsigned kMultiTensorMediumBytes = 16384;
constexpr unsigned kMultiTensorLargeBytes = 32760;

/* The parameter block of a kernel with the given head; without a table when Bytes is 0. */
template <class Head, int K, unsigned Bytes> struct MultiTensorParams {
  Head head;
  MultiTensorTable<K, Bytes - sizeof(Head)> table;
};
template <class Head, int K> struct MultiTensorParams<Head, K, 0> {
  Head head;
};
