#include "ops/norm/norm.hpp"

namespace adj::norm {

const std::vector<Signature>& signatures() {
  static const auto* list = new std::vector<Signature>{{ADJ_F32, ADJ_F32}, {ADJ_F64, ADJ_F64}, {ADJ_F16, ADJ_F16},  {ADJ_BF16, ADJ_BF16},
                                                       {ADJ_F32, ADJ_F16}, {ADJ_F16, ADJ_F32}, {ADJ_F32, ADJ_BF16}, {ADJ_BF16, ADJ_F32}};
  return *list;
}

Result<void> check_shared(const Device& device, std::uint32_t bytes) {
  if (bytes + kStaticShared <= device.shared_optin) return {};
  return fail(ADJ_ERROR_UNSUPPORTED, "needs {} bytes of shared memory, the device has {} per block", bytes + kStaticShared, device.shared_optin);
}

}  // namespace adj::norm
