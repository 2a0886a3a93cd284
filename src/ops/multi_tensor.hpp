// Planning of kernels over lists of tensors: the counterpart of kernels/prelude/multi_tensor.cuh.
#pragma once

#include "../../kernels/params/common.h"
#include "../../kernels/params/multi_tensor.h"
#include "ops/common.hpp"

namespace adj {

// Three builds of one kernel, as indices into the programs of a variant: the table inside small parameters, inside large
// ones, or in the workspace.
struct MultiTensorPrograms {
  int small, large, bound;
};
// The macro that makes the three; ends the definitions of their program templates.
#define ADJ_MULTI_TENSOR_SMALL "ADJ_PARAM_BYTES=4096"
#define ADJ_MULTI_TENSOR_LARGE "ADJ_PARAM_BYTES=32760"
#define ADJ_MULTI_TENSOR_BOUND "ADJ_PARAM_BYTES=0"
static_assert(kMultiTensorSmallBytes == 4096 && kMultiTensorLargeBytes == 32760);

inline Result<void> check_multi_tensor(const char* op, std::span<const std::int64_t> numel) {
  constexpr std::int64_t kMost = std::int64_t{1} << 59;  // elements of at most 8 bytes
  std::int64_t total = 0;
  for (std::size_t i = 0; i < numel.size(); ++i) {
    if (numel[i] < 0) return fail(ADJ_ERROR_INVALID_PROBLEM, "{}: numel[{}] = {} is negative", op, i, numel[i]);
    if (numel[i] > kMost - total)
      return fail(ADJ_ERROR_INVALID_PROBLEM, "{}: numel adds up to more than 2^59 elements at numel[{}] = {}", op, i, numel[i]);
    total += numel[i];
  }
  return {};
}

inline std::int64_t chunks_of(std::int64_t numel, int chunk_log2) {
  return (numel >> chunk_log2) + ((numel & ((std::int64_t{1} << chunk_log2) - 1)) != 0);
}

// The smallest chunk that leaves each multiprocessor enough chunks to even out the last ones, within a range where a block
// has work for all its threads and its start is still a small part of it; larger only when the count would not fit a launch.
inline int multi_tensor_chunk(const Device& device, std::span<const std::int64_t> numel) {
  constexpr int kSmallest = 11, kLargest = 15;
  constexpr std::int64_t kChunksPerMultiprocessor = 128;
  std::int64_t total = 0;
  for (std::int64_t n : numel) total += n;
  int log2 = kSmallest;
  while (log2 < kLargest && (total >> log2) > device.multiprocessors * kChunksPerMultiprocessor) ++log2;
  for (;; ++log2) {
    std::int64_t chunks = 0;
    for (std::int64_t n : numel) chunks += chunks_of(n, log2);
    if (chunks <= std::numeric_limits<std::int32_t>::max() || log2 == kMultiTensorLargestChunk) return log2;
  }
}

// Writes the part of a table that the descriptor decides; the addresses come from the arguments. Returns the chunk count.
inline std::int64_t write_multi_tensor_table(std::byte* table, std::size_t capacity, int arrays, std::span<const std::int64_t> numel,
                                             int chunk_log2) {
  std::byte* lengths = table + static_cast<std::size_t>(arrays) * capacity * 8;
  std::byte* first_chunks = lengths + capacity * 8;
  std::int64_t chunks = 0;
  for (std::size_t i = 0; i < numel.size(); ++i) {
    const auto first = static_cast<std::uint32_t>(chunks);
    std::memcpy(lengths + 8 * i, &numel[i], 8);
    std::memcpy(first_chunks + 4 * i, &first, 4);
    chunks += chunks_of(numel[i], chunk_log2);
  }
  return chunks;
}

// Adds the launches over lists of tensors with these element counts; slots are those of the arrays in the kernel's order.
// head_of(first) gives the parameters before the table, patch(kernel) sets the arguments in them. An unbound run carries
// the table in its parameters, in as many launches as that takes; a bound one is a single launch. Returns whether bound runs
// have got their own steps; steps added later are then needed in both.
template <class HeadOf, class PatchHead>
bool add_multi_tensor(PlanBuilder& builder, const Device& device, MultiTensorPrograms programs, std::span<const std::int64_t> numel,
                      std::span<const int> slots, HeadOf head_of, PatchHead patch) {
  using Head = decltype(head_of(true));
  static_assert(offsetof(Head, list) == 0 && sizeof(Head) % 8 == 0);
  const int arrays = static_cast<int>(slots.size());
  const int chunk_log2 = multi_tensor_chunk(device, numel);
  const std::size_t small = multi_tensor_capacity(kMultiTensorSmallBytes - sizeof(Head), arrays);
  const bool one_launch = numel.size() <= small;
  const bool large = !one_launch && device.param_bytes >= kMultiTensorLargeBytes;
  const std::size_t capacity = large ? multi_tensor_capacity(kMultiTensorLargeBytes - sizeof(Head), arrays) : small;
  const std::size_t bytes = sizeof(Head) + (capacity * multi_tensor_entry_bytes(arrays) + 7) / 8 * 8;

  bool first = true;
  for (std::size_t begin = 0; begin < numel.size(); begin += capacity) {
    const auto range = numel.subspan(begin, std::min(capacity, numel.size() - begin));
    std::vector<std::byte> params(bytes);
    const std::int64_t chunks = write_multi_tensor_table(params.data() + sizeof(Head), capacity, arrays, range, chunk_log2);
    if (chunks == 0) continue;
    Head head = head_of(first);
    head.list = {nullptr, static_cast<unsigned>(range.size()), static_cast<unsigned>(chunks), chunk_log2, 0};
    std::memcpy(params.data(), &head, sizeof head);
    auto kernel = builder.kernel(large ? programs.large : programs.small, chunks, kMultiTensorThreads);
    kernel.params(std::move(params));
    patch(kernel);
    for (std::size_t k = 0; k < slots.size(); ++k)
      kernel.list(sizeof(Head) + k * capacity * 8, slots[k], static_cast<std::uint32_t>(begin), static_cast<std::uint32_t>(range.size()));
    first = false;
  }
  if (first || one_launch) return false;

  BoundTable table;
  table.image.resize(numel.size() * multi_tensor_entry_bytes(arrays));
  const std::int64_t chunks = write_multi_tensor_table(table.image.data(), numel.size(), arrays, numel, chunk_log2);
  table.offset = builder.book_for_bind(table.image.size());
  for (std::size_t k = 0; k < slots.size(); ++k)
    table.patches.push_back({Patch::list, static_cast<std::uint16_t>(slots[k]), static_cast<std::uint32_t>(k * numel.size() * 8), 0, 0,
                             static_cast<std::uint32_t>(numel.size())});
  Head head = head_of(true);
  head.list = {nullptr, static_cast<unsigned>(numel.size()), static_cast<unsigned>(chunks), chunk_log2, 0};
  auto kernel = builder.bound_kernel(programs.bound, chunks, kMultiTensorThreads);
  kernel.params(head).workspace(offsetof(MultiTensorHead, table), table.offset);
  patch(kernel);
  builder.table(std::move(table));
  return true;
}

}  // namespace adj
