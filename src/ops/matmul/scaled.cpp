// Planning of the product of matrices of f8 codes.
#include <cmath>

#include "host/scaled_matmul.hpp"
#include "ops/common/common.hpp"
#include "ops/matmul.gen.hpp"

namespace adj {

namespace {

using namespace scaled_matmul_tables;

Result<void> validate(const void* descriptor) {
  const auto& d = *static_cast<const Descriptor*>(descriptor);
  if (static_cast<float>(d.alpha) == 0) return fail(ADJ_ERROR_INVALID_PROBLEM, "{}: alpha = {}, expected a finite number in f32 other than 0", kName, d.alpha);
  return {};
}

const std::vector<Signature>& signatures() {
  static const auto* list = [] {
    auto* all = new std::vector<Signature>;
    for (auto [a, b] : {std::pair{ADJ_F8_E4M3, ADJ_F8_E4M3}, {ADJ_F8_E4M3, ADJ_F8_E5M2}, {ADJ_F8_E5M2, ADJ_F8_E4M3}})
      for (adj_dtype out : {ADJ_BF16, ADJ_F16, ADJ_F32}) all->push_back({a, b, out});
    return all;
  }();
  return *list;
}
Signature signature(const void* descriptor) {
  const auto& d = *static_cast<const Descriptor*>(descriptor);
  return {d.code_a, d.code_b, d.out};
}

Result<void> finish_host(const PlanRequest& request, PlanBuilder& builder) {
  const auto& d = *static_cast<const Descriptor*>(request.descriptor);
  if (d.m > 0 && d.n > 0) builder.host(host_call<Descriptor, Args, host::scaled_matmul>);
  return {};
}

// Products of decoded numbers are summed in f64.
adj_guarantee host_guarantee(const Signature&) { return make_guarantee(ADJ_BATCH_INVARIANT, ADJ_MATH_IEEE, ADJ_F64, 0.5, 0x1p-40); }

const std::vector<Variant>& variants() {
  static const auto* list = new std::vector<Variant>{host_row(host_guarantee, finish_host)};
  return *list;
}

}  // namespace

const OpInfo& info_scaled_matmul() {
  static const OpInfo info =
      op_info(base_info(),
              {.signatures = signatures(), .signature_columns = "code_a, code_b, out", .variants = variants(), .validate = validate, .signature = signature});
  return info;
}

}  // namespace adj
