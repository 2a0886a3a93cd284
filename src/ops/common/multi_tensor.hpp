// Planning of kernels over lists of tensors: the counterpart of kernels/prelude/multi_tensor.cuh.
#pragma once

#include "base/lists.hpp"
#include "kernels/prelude/scalar.h"
#include "kernels/prelude/multi_tensor.h"
#include "ops/common/common.hpp"

namespace adj {

// Rows of a variant's programs: four builds of one kernel, with the table inside parameters of three sizes or in the workspace.
// `defines` is a literal that ends with a blank. The builds are forms of one name: the index in kMultiTensorBytes, or kMultiTensorBound.
#define ADJ_MULTI_TENSOR_PROGRAMS(name, source, entry, defines)                                                            \
  {source, entry, defines "ADJ_PARAM_BYTES=4096", {name, 0}}, {source, entry, defines "ADJ_PARAM_BYTES=16384", {name, 1}}, \
      {source, entry, defines "ADJ_PARAM_BYTES=32760", {name, 2}}, {                                                       \
    source, entry, defines "ADJ_PARAM_BYTES=0", { name, kMultiTensorBound }                                                \
  }
constexpr int kMultiTensorBound = 3;
constexpr unsigned kMultiTensorBytes[] = {kMultiTensorSmallBytes, kMultiTensorMediumBytes, kMultiTensorLargeBytes};
static_assert(kMultiTensorAddressBits == kListAddressBits);
static_assert(kMultiTensorSmallBytes == 4096 && kMultiTensorMediumBytes == 16384 && kMultiTensorLargeBytes == 32760);

inline bool all_empty(std::span<const std::int64_t> numel) {
  return std::all_of(numel.begin(), numel.end(), [](std::int64_t n) { return n == 0; });
}
// Element counts of the tensors in the sample descriptors for ONNX registrations.
inline constexpr std::int64_t kSampleNumel[] = {6, 3};

inline std::int64_t chunks_of(std::int64_t numel, int chunk_log2) { return (numel >> chunk_log2) + ((numel & ((std::int64_t{1} << chunk_log2) - 1)) != 0); }

// log2 of the elements of a chunk: the smallest from kSmallest to kLargest that makes at most kChunksPerMultiprocessor. Many chunks even out
// the end of a launch; in smaller ones the start of a block would show. Larger only when the chunks would not fit the grid of a launch. A lower
// grid_limit makes the chunks of a small problem as large as those of many elements.
int multi_tensor_chunk(const Device& device, std::span<const std::int64_t> numel);

// Part of a table that the descriptor decides. The addresses come from the arguments.
struct MultiTensorWork {
  std::vector<std::int64_t> chunks;                   // chunks of each tensor
  std::vector<std::vector<std::uint64_t>> constants;
  std::vector<std::vector<std::uint32_t>> counts;
  int chunk_log2 = 0;
  unsigned threads = kMultiTensorThreads;  // threads of a block
  std::int64_t turns = 1;  // how often a launch goes through its chunks: the second dimension of its grid
  // Program for a run in which a tensor of `unaligned_arguments`, single or in a list, is not at a multiple of 16 bytes. Its blocks
  // have kMultiTensorThreads. Without arguments there is no such program.
  ProgramName unaligned_program = kMain;
  std::vector<int> unaligned_arguments{};

  MultiTensorForm form(std::size_t arrays) const { return {static_cast<int>(arrays), static_cast<int>(constants.size()), static_cast<int>(counts.size())}; }
  // inverse_of the number of chunks that each of the tensors [begin, begin + count) has; 0 when their numbers differ.
  unsigned inverse_chunks(std::size_t begin, std::size_t count) const {
    const auto first = chunks.begin() + static_cast<std::ptrdiff_t>(begin), last = first + static_cast<std::ptrdiff_t>(count);
    if (*first == 0 || std::any_of(first, last, [&](std::int64_t n) { return n != *first; })) return 0;
    return inverse_of(static_cast<std::uint64_t>(*first), count * static_cast<std::uint64_t>(*first));
  }
};

// Writes the entries [begin, begin + count) of a table; the addresses are left out. Returns the chunk count.
std::int64_t write_multi_tensor_table(std::byte* table, std::size_t capacity, MultiTensorLayout layout, const MultiTensorWork& work, std::size_t begin,
                                      std::size_t count);

// True when an unbound run over a list is one launch with the smallest parameters. A bound run then gains nothing from a table.
inline bool fits_one_small_launch(std::size_t tensors, std::size_t head_bytes, MultiTensorForm form) {
  return tensors <= multi_tensor_capacity(kMultiTensorSmallBytes - static_cast<unsigned>(head_bytes), form);
}
// Next launch of an unbound run over `tensors` tensors of a list: the smallest build that takes them all, else the largest.
struct MultiTensorBatch {
  int build;
  std::size_t capacity;
};
inline MultiTensorBatch multi_tensor_batch(const Device& device, std::size_t tensors, std::size_t head_bytes, MultiTensorForm form) {
  MultiTensorBatch batch{};
  for (int i = 0; i < kMultiTensorBound && kMultiTensorBytes[i] <= device.param_bytes && (i == 0 || batch.capacity < tensors); ++i)
    batch = {i, multi_tensor_capacity(kMultiTensorBytes[i] - static_cast<unsigned>(head_bytes), form)};
  return batch;
}

// Adds one pass over a list of tensors, with the builds of `program`. An unbound run carries the table in its parameters,
// in as many launches as that takes; a bound run is a single launch. `arguments`: list arguments in the order of the table's arrays.
// head_of(first) returns the parameters before the table, bind(kernel) binds the arguments in them.
template <class HeadOf, class BindHead>
void add_multi_tensor(PlanBuilder& builder, const Device& device, ProgramName program, const MultiTensorWork& work, std::span<const int> arguments,
                      HeadOf head_of, BindHead bind) {
  using Head = decltype(head_of(true));
  static_assert(offsetof(Head, list) == 0 && sizeof(Head) % 8 == 0);
  const std::size_t tensors = work.chunks.size(), arrays = arguments.size();
  const MultiTensorForm form = work.form(arrays);
  bool first = true;
  std::size_t count = 0;
  std::int64_t chunks_before = 0;
  const bool apart = !fits_one_small_launch(tensors, sizeof(Head), form);
  builder.only(apart ? When::run : When::always);
  for (std::size_t begin = 0; begin < tensors; begin += count) {
    const auto [build, capacity] = multi_tensor_batch(device, tensors - begin, sizeof(Head), form);
    const MultiTensorLayout layout = multi_tensor_layout(static_cast<unsigned>(capacity), form);
    const std::size_t bytes = kMultiTensorBytes[build];
    count = std::min(capacity, tensors - begin);
    std::vector<std::byte> params(bytes);
    const std::int64_t chunks = write_multi_tensor_table(params.data() + sizeof(Head), capacity, layout, work, begin, count);
    if (chunks == 0) continue;
    Head head = head_of(first);
    head.list = {nullptr,
                 static_cast<unsigned>(count),
                 static_cast<unsigned>(chunks),
                 work.chunk_log2,
                 work.inverse_chunks(begin, count),
                 static_cast<unsigned>(begin),
                 static_cast<unsigned>(chunks_before)};
    chunks_before += chunks;
    std::memcpy(params.data(), &head, sizeof head);
    auto kernel = builder.kernel(program.form(build), chunks, work.threads, work.turns);
    kernel.params(std::move(params)).when_unaligned(work.unaligned_program.form(build), work.unaligned_arguments, kMultiTensorThreads);
    bind(kernel);
    for (std::size_t k = 0; k < arrays; ++k)
      kernel.list(sizeof(Head) + layout.low + k * capacity * 4, sizeof(Head) + layout.high + k * capacity * 2, arguments[k], static_cast<std::uint32_t>(begin),
                  static_cast<std::uint32_t>(count));
    // The kernel reads neither the unused end of each array nor the bytes after the table.
    auto rest = [&, capacity = capacity](std::size_t offset, std::size_t number, std::size_t width) {
      for (std::size_t k = 0; k < number; ++k)
        kernel.unread(sizeof(Head) + offset + (k * capacity + count) * width, sizeof(Head) + offset + (k + 1) * capacity * width);
    };
    rest(0, work.constants.size(), 8);
    rest(layout.low, arrays + 1 + work.counts.size(), 4);
    rest(layout.high, arrays, 2);
    kernel.unread(sizeof(Head) + layout.high + arrays * capacity * 2, bytes);
    first = false;
  }
  builder.only(When::always);
  if (first || !apart) return;

  builder.only(When::bound);
  BoundTable table;
  table.image.resize(tensors * multi_tensor_entry_bytes(form));
  const MultiTensorLayout layout = multi_tensor_layout(static_cast<unsigned>(tensors), form);
  const std::int64_t chunks = write_multi_tensor_table(table.image.data(), tensors, layout, work, 0, tensors);
  table.offset = builder.book_for_bind(table.image.size());
  for (std::size_t k = 0; k < arrays; ++k)
    table.bindings.push_back({.kind = Binding::list,
                              .argument = static_cast<std::uint16_t>(arguments[k]),
                              .offset = layout.low + static_cast<std::uint32_t>(k * tensors * 4),
                              .high = layout.high + static_cast<std::uint32_t>(k * tensors * 2),
                              .count = static_cast<std::uint32_t>(tensors)});
  Head head = head_of(true);
  head.list = {nullptr, static_cast<unsigned>(tensors), static_cast<unsigned>(chunks), work.chunk_log2, work.inverse_chunks(0, tensors), 0, 0};
  auto kernel = builder.kernel(program.form(kMultiTensorBound), chunks, work.threads, work.turns);
  kernel.params(head).workspace(offsetof(MultiTensorHead, table), table.offset);
  kernel.when_unaligned(work.unaligned_program.form(kMultiTensorBound), work.unaligned_arguments, kMultiTensorThreads);
  bind(kernel);
  builder.table(std::move(table));
  builder.only(When::always);
}

// Elementwise work: all arrays of a tensor are cut into chunks of one element count.
MultiTensorWork elementwise_work(const Device& device, std::span<const std::int64_t> numel);
template <class HeadOf, class BindHead>
void add_multi_tensor(PlanBuilder& builder, const Device& device, ProgramName program, std::span<const std::int64_t> numel, std::span<const int> arguments,
                      HeadOf head_of, BindHead bind) {
  add_multi_tensor(builder, device, program, elementwise_work(device, numel), arguments, head_of, bind);
}

}  // namespace adj
