#include "ops/norm/norm.hpp"

namespace adj::norm {

const std::vector<Signature>& signatures() {
  static const auto* list = new std::vector<Signature>{{ADJ_F32, ADJ_F32},  {ADJ_F64, ADJ_F64}, {ADJ_F16, ADJ_F16},  {ADJ_BF16, ADJ_BF16},
                                                       {ADJ_F32, ADJ_F16},  {ADJ_F16, ADJ_F32}, {ADJ_F32, ADJ_BF16}, {ADJ_BF16, ADJ_F32}};
  return *list;
}

Result<Rows> rows_of(const Problem& p, int blocks) {
  Rows r;
  r.unit = kWords / static_cast<int>(std::min(size_of(p.element), size_of(p.output)));
  r.units = kOwnBytes / (r.unit * static_cast<int>(size_of(p.stats)));
  const std::int64_t most = std::int64_t{blocks} * kMostThreads * r.units;
  r.units_of_row = ceil_div(p.columns, r.unit);
  if (r.units_of_row > most)
    return fail(ADJ_ERROR_UNSUPPORTED, "holds rows of at most {} elements, columns = {}", most * r.unit, p.columns);
  const std::int64_t threads = ceil_div(r.units_of_row, r.units);
  if (blocks == 1 && threads <= kWarp) {
    r.block = 256;
    r.lanes = static_cast<int>(std::bit_ceil(static_cast<std::uint64_t>(threads)));
    r.groups = static_cast<int>(r.block) / r.lanes;
  } else {
    r.block = static_cast<unsigned>(ceil_div(ceil_div(threads, blocks), kWarp) * kWarp);
    r.lanes = blocks * static_cast<int>(r.block);
    r.groups = 1;
  }
  return r;
}

Result<void> check_shared(const Device& device, std::uint32_t bytes) {
  if (bytes + kStaticShared <= device.shared_optin) return {};
  return fail(ADJ_ERROR_UNSUPPORTED, "needs {} bytes of shared memory, the device has {} per block", bytes + kStaticShared, device.shared_optin);
}

}  // namespace adj::norm
