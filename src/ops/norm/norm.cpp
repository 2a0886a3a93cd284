#include "ops/norm/norm.hpp"

namespace adj::norm {

const std::vector<Signature>& signatures() {
  static const auto* list = new std::vector<Signature>{{ADJ_F32, ADJ_F32}, {ADJ_F64, ADJ_F64}, {ADJ_F16, ADJ_F16},  {ADJ_BF16, ADJ_BF16},
                                                       {ADJ_F32, ADJ_F16}, {ADJ_F16, ADJ_F32}, {ADJ_F32, ADJ_BF16}, {ADJ_BF16, ADJ_F32}};
  return *list;
}

}  // namespace adj::norm
