// Planning of sums of squares over lists of tensors: the counterpart of kernels/prelude/multi_norm.cuh.
#pragma once

#include "ops/common/multi_tensor.hpp"

#include "kernels/prelude/multi_norm.h"

namespace adj {

// Work in chunks of 2^kNormChunk elements. Chunks are larger only when their number would exceed the grid of a launch.
inline MultiTensorWork norm_work(std::span<const std::int64_t> numel) {
  MultiTensorWork work;
  for (work.chunk_log2 = kNormChunk;; ++work.chunk_log2) {
    std::int64_t chunks = 0;
    for (std::int64_t n : numel) chunks += chunks_of(n, work.chunk_log2);
    if (chunks <= std::numeric_limits<std::int32_t>::max() || work.chunk_log2 == kMultiTensorLargestChunk) break;
  }
  std::vector<std::uint32_t>& lacking = work.counts.emplace_back();
  for (std::int64_t n : numel) {
    work.chunks.push_back(chunks_of(n, work.chunk_log2));
    lacking.push_back(static_cast<std::uint32_t>((work.chunks.back() << work.chunk_log2) - n));
  }
  return work;
}

// Workspace behind NormPartials. `chunks`, `tensors` and `finished` are offsets in the workspace.
struct NormSpace {
  std::uint64_t chunks, tensors, finished;
  NormPartials partials{};

  // Books the space, `numbers` f64 a sum, and adds the step that clears the sums of tensors and the last-block counters.
  NormSpace(PlanBuilder& builder, const MultiTensorWork& work, int numbers) {
    const std::uint64_t entry = 8 * static_cast<std::uint64_t>(numbers), count = work.chunks.size();
    std::uint64_t all = 0, full = 0;
    for (std::int64_t n : work.chunks) all += static_cast<std::uint64_t>(n), full += n != 0;
    chunks = builder.book(all * entry);
    tensors = builder.book(count * entry + (count + 1) * 4);
    finished = tensors + count * entry;
    partials.count = static_cast<unsigned>(count);
    partials.full = static_cast<unsigned>(full);
    builder.clear_workspace(tensors, count * entry + (count + 1) * 4);
  }
  // Binds the addresses of the NormPartials at `offset` of a kernel's parameters; `partials` has the counts.
  void bind(PlanBuilder::Kernel& kernel, std::size_t offset) const {
    kernel.workspace(offset + offsetof(NormPartials, chunks), chunks)
        .workspace(offset + offsetof(NormPartials, tensors), tensors)
        .workspace(offset + offsetof(NormPartials, finished), finished);
  }
};

}  // namespace adj
