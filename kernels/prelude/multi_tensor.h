/* Launches over a list of tensors, which are cut into chunks of one fixed number of elements. A pass over a list may take several launches;
 * each has a table of its tensors, inside its parameters or in the workspace. */
#pragma once

/* Begin of the parameter block of every such kernel. */
struct MultiTensorHead {
  const void* table;    /* the table in the workspace; null where the parameters contain it */
  unsigned tensors;     /* tensors in the table, >= 1; tensors without elements have no chunks */
  unsigned chunks;      /* chunks of this launch */
  int chunk_log2;       /* log2 of the elements of a chunk; at most kMultiTensorLargestChunk */
  unsigned inverse_chunks;    /* inverse_of() the chunks of a tensor; 0 when tensors differ in them, or when the launch has too many */
  unsigned first_tensor, first_chunk; /* number of tensors, and of chunks, that earlier launches of the pass take */
};
constexpr int kMultiTensorLargestChunk = 30;

/* Division by multiplication. `x * inverse_of(d, most) >> kInverseBits` equals `x / d` for x below `most`. The inverse is too large by less
 * than 1, so the quotient is too large by less than x / 2^kInverseBits, which must not exceed 1 / d. inverse_of returns 0 where it might. */
enum { kInverseBits = 31 };
constexpr unsigned inverse_of(unsigned long long divisor, unsigned long long most) {
  return most < (1ull << 32) && most * divisor <= 1ull << kInverseBits ? static_cast<unsigned>(((1ull << kInverseBits) + divisor - 1) / divisor) : 0;
}
constexpr int kMultiTensorThreads = 256;  /* threads of a block, except where a kernel says otherwise */

/* Form of a table: the entries of a tensor besides the number of its first chunk. Every byte of parameters makes a launch longer, so
 * addresses have 48 bits and counts 32. */
struct MultiTensorForm {
  int arrays;     /* number of addresses */
  int constants;  /* number of constants of 64 bits */
  int counts;     /* number of counts of 32 bits */
};
constexpr int kMultiTensorAddressBits = 48;
constexpr unsigned multi_tensor_entry_bytes(MultiTensorForm form) { return static_cast<unsigned>(8 * form.constants + 6 * form.arrays + 4 * form.counts + 4); }
/* Number of tensors whose entries fit in `bytes` bytes. */
constexpr unsigned multi_tensor_capacity(unsigned bytes, MultiTensorForm form) { return bytes / multi_tensor_entry_bytes(form); }

/* Offsets of the arrays of a table for `capacity` tensors, in bytes. The arrays follow each other without gaps, in this order:
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

/* Form of the table for elementwise work. All arrays of a tensor have the same number of elements; all of its chunks but the last are full,
 * and count 0 is the number of elements that the last chunk lacks. */
constexpr MultiTensorForm multi_tensor_elementwise(int arrays) { return {arrays, 0, 1}; }

/* Sizes of a parameter block with its table inside. A launch transfers the whole block, so the last of several launches may take a smaller
 * one. */
constexpr unsigned kMultiTensorSmallBytes = 4096;    /* every driver accepts this */
constexpr unsigned kMultiTensorMediumBytes = 16384;  /* from CUDA 12.1 on */
constexpr unsigned kMultiTensorLargeBytes = 32760;   /* from CUDA 12.1 on */

/* Parameter block of a kernel: a head, and a table unless Bytes is 0. */
template <class Head, unsigned Bytes> struct MultiTensorParams {
  Head head;
  unsigned long long table[(Bytes - sizeof(Head)) / 8];
};
template <class Head> struct MultiTensorParams<Head, 0> {
  Head head;
};
