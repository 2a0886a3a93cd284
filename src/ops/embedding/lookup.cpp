// The forward direction of embeddings.
#include <adjoint/ops/embedding.h>

#include "host/embedding.hpp"
#include "kernels/segment_sum/params.h"
#include "ops/segment_sum/segment_sum.hpp"
#include "ops/embedding.gen.hpp"

namespace adj {

namespace {

// ---- forward

namespace forward {

using namespace embedding_forward_tables;

Result<void> finish(const PlanRequest& request, PlanBuilder& builder) {
  const auto& d = *static_cast<const Descriptor*>(request.descriptor);
  if (d.num_indices == 0) return {};
  if (!request.device) {
    builder.host(host_call<Descriptor, Args, host::embedding_forward>);
    return {};
  }
  plan_row_lookup({.rows = d.num_embeddings,
                   .row_bytes = d.embedding_dim * size_of(d.element),
                   .count = d.num_indices,
                   .zero_row = d.padding_zeroes_forward ? padding_row(d) : -1,
                   .weight = kWeight,
                   .indices = kIndices,
                   .out = kOut,
                   .error_flag = kErrorFlag},
                  *request.device, builder);
  return {};
}

// A copy has no error.
adj_guarantee guarantee(const Signature& s) { return make_guarantee(ADJ_BATCH_INVARIANT, ADJ_MATH_IEEE, s[0], 0, 0); }

const std::vector<Variant>& variants() {
  static const auto* list = new std::vector<Variant>{{.algorithm = "row_copy",
                                                      .summary = "blocks copy stretches of the output, or groups of threads rows",
                                                      .programs = {ADJ_LOOKUP_PROGRAMS("{0}", "{1}")},
                                                      .guarantee = guarantee},
                                                     host_row(guarantee)};
  return *list;
}

}  // namespace forward

}  // namespace

const OpInfo& info_embedding_forward() {
  using namespace forward;
  static const OpInfo info = op_info(base_info(), {.signatures = element_index_signatures(),
                                                   .signature_columns = "element, index",
                                                   .variants = variants(),
                                                   .signature = element_index_signature<Descriptor>,
                                                   .finish = finish});
  return info;
}

}  // namespace adj
