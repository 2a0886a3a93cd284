#include "ops/common/multi_tensor.hpp"

namespace adj {

int multi_tensor_chunk(const Device& device, std::span<const std::int64_t> numel) {
  constexpr int kSmallest = 11, kLargest = 15;
  constexpr int kChunksPerMultiprocessor = 128;
  std::int64_t total = 0;
  for (std::int64_t n : numel) total += n;
  int log2 = kSmallest;
  while (log2 < kLargest && grid_for(device, total >> log2, kChunksPerMultiprocessor) < total >> log2) ++log2;
  for (;; ++log2) {
    std::int64_t chunks = 0;
    for (std::int64_t n : numel) chunks += chunks_of(n, log2);
    if (chunks <= std::numeric_limits<std::int32_t>::max() || log2 == kMultiTensorLargestChunk) return log2;
  }
}

std::int64_t write_multi_tensor_table(std::byte* table, std::size_t capacity, MultiTensorLayout layout, const MultiTensorWork& work, std::size_t begin,
                                      std::size_t count) {
  for (std::size_t k = 0; k < work.constants.size(); ++k) std::memcpy(table + 8 * k * capacity, work.constants[k].data() + begin, 8 * count);
  for (std::size_t k = 0; k < work.counts.size(); ++k) std::memcpy(table + layout.count + 4 * k * capacity, work.counts[k].data() + begin, 4 * count);
  std::int64_t chunks = 0;
  for (std::size_t i = 0; i < count; ++i) {
    const auto first = static_cast<std::uint32_t>(chunks);
    std::memcpy(table + layout.first_chunk + 4 * i, &first, 4);
    chunks += work.chunks[begin + i];
  }
  return chunks;
}

MultiTensorWork elementwise_work(const Device& device, std::span<const std::int64_t> numel) {
  MultiTensorWork work;
  work.chunk_log2 = multi_tensor_chunk(device, numel);
  std::vector<std::uint32_t>& lacking = work.counts.emplace_back();
  for (std::int64_t n : numel) {
    work.chunks.push_back(chunks_of(n, work.chunk_log2));
    lacking.push_back(static_cast<std::uint32_t>((work.chunks.back() << work.chunk_log2) - n));
  }
  return work;
}

}  // namespace adj
