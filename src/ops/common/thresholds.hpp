// Extents at which selection changes from one SKU to another because it is faster, not because the other takes no more. Both SKUs take problems on both sides
// (Variant::yields), so tools/bench/thresholds.py can measure where the change belongs; it prints the constant in force beside what it finds.
#pragma once

#include <cstdint>

namespace adj::thresholds {

// cross_entropy_with_gradient: bytes of a row from which a cluster is faster than the registers of a block. H100, 2026-11-25.
constexpr std::int64_t kEntropyClusterBytes = 16384;
// The same of rows that are not in whole units of 16 bytes, which no registers hold. H100, 2026-11-27.
constexpr std::int64_t kEntropyClusterAnyBytes = 4096;
// embedding_backward, gather_backward: bytes of dout up to which additions in memory are faster than a sort. H200, 2026-11-20; H100, 2026-11-25.
constexpr std::int64_t kAtomicBytes = 16777216;

}  // namespace adj::thresholds
