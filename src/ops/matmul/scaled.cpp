// Planning of the product of matrices of f8 codes.
#include <cmath>

#include "host/scaled_matmul.hpp"
#include "ops/common/common.hpp"
#include "ops/matmul.gen.hpp"

namespace adj {

namespace {

using namespace scaled_matmul_tables;

enum class Scales { tensor, row, blocks };
Scales kind_of(adj_scale_granularity g) {
  if (g == ADJ_SCALE_GRANULARITY_ROW) return Scales::row;
  return g == ADJ_SCALE_GRANULARITY_BLOCK_1X128 || g == ADJ_SCALE_GRANULARITY_BLOCK_128X128 ? Scales::blocks : Scales::tensor;
}

Result<void> validate(const void* descriptor) {
  const auto& d = *static_cast<const Descriptor*>(descriptor);
  ADJ_TRY(check_volume(kName, "a", {d.m, d.k}));
  ADJ_TRY(check_volume(kName, "b", {d.n, d.k}));
  ADJ_TRY(check_volume(kName, "d", {d.m, d.n}));
  if (!std::isfinite(static_cast<float>(d.alpha)) || static_cast<float>(d.alpha) == 0)
    return fail(ADJ_ERROR_INVALID_PROBLEM, "{}: alpha = {}, expected a finite number in f32 other than 0", kName, d.alpha);
  if (kind_of(d.granularity_a) != kind_of(d.granularity_b))
    return fail(ADJ_ERROR_INVALID_PROBLEM, "{}: granularity_a = {} and granularity_b = {}, expected both tensor, both row, or both blocks", kName,
                static_cast<int>(d.granularity_a), static_cast<int>(d.granularity_b));
  if (d.granularity_a == ADJ_SCALE_GRANULARITY_BLOCK_128X128 && d.granularity_b == ADJ_SCALE_GRANULARITY_BLOCK_128X128)
    return fail(ADJ_ERROR_INVALID_PROBLEM, "{}: granularity_a and granularity_b are both block_128x128; one of them is block_1x128", kName);
  if (d.code_a == ADJ_F8_E5M2 && d.code_b == ADJ_F8_E5M2)
    return fail(ADJ_ERROR_INVALID_PROBLEM, "{}: code_a and code_b are both f8_e5m2; one of them is f8_e4m3", kName);
  if (d.has_bias && d.write_mode == ADJ_WRITE_ACCUMULATE)
    return fail(ADJ_ERROR_INVALID_PROBLEM, "{}: has_bias = 1, but write_mode = accumulate adds to d", kName);
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
