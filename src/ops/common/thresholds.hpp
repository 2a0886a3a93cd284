// Extents at which selection changes from one SKU to another because it is faster, not because the other takes no more. Both SKUs take problems on both sides
// (Variant::yields), so tools/bench/thresholds.py can measure where the change belongs; it prints the constant in force beside what it finds.
#pragma once

#include <cstdint>

namespace adj::thresholds {

// cross_entropy_with_gradient: bytes of a row from which a cluster is faster than the registers of a block. H200, 2026-11-22, longer rows only.
constexpr std::int64_t kEntropyClusterBytes = 16384;
// layer_norm_forward, rms_norm_forward: share of the units of `row` that a row fills, in percent, up to which row_deep is faster. Estimated from bytes in
// flight.
constexpr std::int64_t kDeepPercent = 80;
// embedding_backward, gather_grad: bytes of dout up to which additions in memory are faster than a sort. H200, 2026-11-20.
constexpr std::int64_t kAtomicBytes = 16777216;

}  // namespace adj::thresholds
