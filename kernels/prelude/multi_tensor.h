/* A launch over a list of tensors: which tensors, cut into chunks of one fixed element count. */
#pragma once

/* Every parameter block of such a kernel begins with this. */
struct MultiTensorHead {
  const void* table;    /* of a kernel whose table lies in the workspace, else null */
  unsigned tensors;     /* in the table, >= 1; tensors without elements have no chunks */
  unsigned chunks;
  int chunk_log2;       /* elements per chunk; at most kMultiTensorLargestChunk */
  unsigned inverse_chunks;    /* 2^kInverseBits / those of a tensor, rounded up; 0 when tensors have different numbers, or too many */
  unsigned first_tensor, first_chunk; /* tensors and chunks of the whole list that earlier launches of the pass take */
};
constexpr int kMultiTensorLargestChunk = 30;

/* A division by a multiplication: x * inverse_of(d, most) >> kInverseBits is x / d for x below `most`. The inverse is too large by less than
 * 1, the quotient by less than x / 2^kInverseBits, which must not reach 1 / d; 0 when it might. */
enum { kInverseBits = 31 };
constexpr unsigned inverse_of(unsigned long long divisor, unsigned long long most) {
  return most < (1ull << 32) && most * divisor <= 1ull << kInverseBits ? static_cast<unsigned>(((1ull << kInverseBits) + divisor - 1) / divisor) : 0;
}
constexpr int kMultiTensorThreads = 256;  /* of a block, but where a kernel says otherwise */

/* What the table has for a tensor besides the first of its chunks. A launch is paid for by the byte, so addresses have 48 bits and
 * counts 32. */
struct MultiTensorForm {
  int arrays;     /* addresses */
  int constants;  /* of 64 bits */
  int counts;     /* of 32 bits */
};
constexpr int kMultiTensorAddressBits = 48;
constexpr unsigned multi_tensor_entry_bytes(MultiTensorForm form) {
  return static_cast<unsigned>(8 * form.constants + 6 * form.arrays + 4 * form.counts + 4);
}
/* Entries that fit in so many bytes. */
constexpr unsigned multi_tensor_capacity(unsigned bytes, MultiTensorForm form) { return bytes / multi_tensor_entry_bytes(form); }

/* Where the arrays of a table for `capacity` tensors begin, in bytes. They follow each other without gaps, in this order:
 *   u64 constant[constants][capacity];  u32 low[arrays][capacity];  u32 first_chunk[capacity];  u32 count[counts][capacity];
 *   u16 high[arrays][capacity];
 * An address is high << 32 | low. */
struct MultiTensorLayout {
  unsigned low, first_chunk, count, high;
};
constexpr MultiTensorLayout multi_tensor_layout(unsigned capacity, MultiTensorForm form) {
  const unsigned low = 8u * static_cast<unsigned>(form.constants) * capacity;
  const unsigned first_chunk = low + 4u * static_cast<unsigned>(form.arrays) * capacity;
  const unsigned count = first_chunk + 4u * capacity;
  return {low, first_chunk, count, count + 4u * static_cast<unsigned>(form.counts) * capacity};
}

/* Elementwise work on arrays of one element count: the chunks of a tensor are full but for the last, and count 0 is how many elements
 * that one lacks. */
constexpr MultiTensorForm multi_tensor_elementwise(int arrays) { return {arrays, 0, 1}; }

/* Sizes of a whole parameter block with its table inside: what every driver accepts, what those of CUDA 12.1 do, and one between
 * for the last of several launches, since each is paid for in full. */
constexpr unsigned kMultiTensorSmallBytes = 4096;
constexpr unsigned kMultiTensorMediumBytes = 16384;
constexpr unsigned kMultiTensorLargeBytes = 32760;

/* The parameter block of a kernel with the given head; without a table when Bytes is 0. */
template <class Head, unsigned Bytes> struct MultiTensorParams {
  Head head;
  unsigned long long table[(Bytes - sizeof(Head)) / 8];
};
template <class Head> struct MultiTensorParams<Head, 0> {
  Head head;
};
