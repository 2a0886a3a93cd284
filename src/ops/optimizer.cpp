#include <adjoint/ops/optimizer.h>

#include "ops/common.hpp"

namespace adj {

const OpInfo& info_adamw() {
  static const adj_adamw_descriptor d{};
  static const OpInfo info{.id = ADJ_OP_ADAMW, .name = "adamw", .descriptor_size = sizeof(adj_adamw_descriptor),
                           .args_size = sizeof(adj_adamw_args), .default_descriptor = &d, .fields = {}, .slots = {},
                           .signatures = {}, .signature_columns = "", .variants = {}, .onnx = {},
                           .validate = [](const void*) -> Result<void> { return {}; }, .signature = [](const void*) -> Signature { return {}; },
                           .shapes = [](const void*, std::span<SlotSpec>) {}, .finish = [](const PlanRequest&, PlanBuilder&) -> Result<void> { return {}; }};
  return info;
}

const OpInfo& info_sgd() {
  static const adj_sgd_descriptor d{};
  static const OpInfo info{.id = ADJ_OP_SGD, .name = "sgd", .descriptor_size = sizeof(adj_sgd_descriptor),
                           .args_size = sizeof(adj_sgd_args), .default_descriptor = &d, .fields = {}, .slots = {},
                           .signatures = {}, .signature_columns = "", .variants = {}, .onnx = {},
                           .validate = [](const void*) -> Result<void> { return {}; }, .signature = [](const void*) -> Signature { return {}; },
                           .shapes = [](const void*, std::span<SlotSpec>) {}, .finish = [](const PlanRequest&, PlanBuilder&) -> Result<void> { return {}; }};
  return info;
}

}  // namespace adj
