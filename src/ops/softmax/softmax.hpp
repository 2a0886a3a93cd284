// Parts of plans that the softmax operators and their gradients share. A group is the `extent` elements that one softmax normalises.
#pragma once

#include "kernels/softmax/params.h"
#include "ops/common/rows.hpp"
#include "ops/common/shared.hpp"

namespace adj::softmax {

constexpr int kWarp = 32;
constexpr int kWords = 16;  // bytes of a unit

// All tensors have one shape.
template <class Descriptor>
bool is_empty(const Descriptor& d) {
  return d.outer == 0 || d.extent == 0 || d.inner == 0;
}
template <class Descriptor>
Result<void> check_row(const Descriptor& d) {
  if (d.inner == 1) return {};
  return fail(ADJ_ERROR_UNSUPPORTED, "reads the elements of a group side by side, inner = {}", d.inner);
}
constexpr std::int64_t kStaticShared = 20 << 10;  // at least the bytes of static shared memory of any of the kernels
inline Error too_long(std::int64_t extent, std::int64_t most) {
  return fail(ADJ_ERROR_UNSUPPORTED, "holds at most {} elements of a group, extent = {}", most, extent);
}
template <class Descriptor>
bool in_whole_units(const Descriptor& d) {
  return d.extent * size_of(d.element) % kWords == 0;
}

// Geometry of ..._staged.cu.
constexpr unsigned kStagedBlock = 128;
constexpr int kStagedOfLane = 16;  // elements of a row for each lane, unless a warp has too few lanes
struct Staged {
  int group, rows;
  std::uint32_t shared;
  std::int64_t blocks;
};
// operands: tensors that lie in shared memory; bytes: of one tensor's rows in a warp, at most, unless one row is longer; sums: numbers kept for a row.
// The number of rows of a warp is a multiple of `unit` when at least `unit` rows fit: every warp then begins at a unit.
template <class Descriptor>
Result<Staged> staged_rows(const Descriptor& d, const Device& device, int operands, std::int64_t bytes, int sums) {
  constexpr std::int64_t kMost = 1024;
  const std::int64_t size = size_of(d.element), unit = kWords / size;
  if (d.extent > kMost) return too_long(d.extent, kMost);
  const std::int64_t fitting = bytes / (d.extent * size);
  const auto rows = static_cast<int>(fitting >= unit ? fitting / unit * unit : std::max<std::int64_t>(fitting, 1));
  const int bytes_of_warp = operands * softmax_stage_bytes(rows, d.extent, static_cast<int>(size)) + softmax_sums_bytes(rows, sums * (size == 8 ? 8 : 4));
  Staged staged{.group = static_cast<int>(std::min<std::int64_t>(kWarp, std::bit_ceil(static_cast<std::uint64_t>(ceil_div(d.extent, kStagedOfLane))))),
                .rows = rows,
                .shared = static_cast<std::uint32_t>(kStagedBlock / kWarp * bytes_of_warp),
                .blocks = ceil_div(d.outer, rows * std::int64_t{kStagedBlock / kWarp})};
  ADJ_TRY(check_shared(device, staged.shared + kStaticShared));
  if (staged.blocks > kMostBlocks) return fail(ADJ_ERROR_UNSUPPORTED, "takes {} rows in a block, outer = {}", rows * (kStagedBlock / kWarp), d.outer);
  return staged;
}

template <class P, class Descriptor>
P params_of(const Descriptor& d) {
  P p{};
  p.outer = d.outer;
  p.extent = d.extent;
  p.inner = d.inner;
  return p;
}

// Planning functions of rows: `plan` on a device, and a call of the host function.
template <class Descriptor, Result<void> (*plan)(const Descriptor&, const Device&, PlanBuilder&)>
Result<void> on_device(const PlanRequest& request, PlanBuilder& builder) {
  const auto& d = *static_cast<const Descriptor*>(request.descriptor);
  return is_empty(d) ? Result<void>() : plan(d, *request.device, builder);
}
template <class Descriptor, class Args, void (*host)(const Descriptor&, const Args&, void*)>
Result<void> on_host(const PlanRequest& request, PlanBuilder& builder) {
  if (!is_empty(*static_cast<const Descriptor*>(request.descriptor))) builder.host(host_call<Descriptor, Args, host>);
  return {};
}

}  // namespace adj::softmax
