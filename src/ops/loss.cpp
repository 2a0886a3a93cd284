#include <adjoint/ops/loss.h>

#include "ops/common.hpp"

namespace adj {

const OpInfo& info_softmax_cross_entropy_loss() {
  static const adj_softmax_cross_entropy_loss_descriptor d{};
  static const OpInfo info{.id = ADJ_OP_SOFTMAX_CROSS_ENTROPY_LOSS, .name = "softmax_cross_entropy_loss", .descriptor_size = sizeof(adj_softmax_cross_entropy_loss_descriptor),
                           .args_size = sizeof(adj_softmax_cross_entropy_loss_args), .default_descriptor = &d, .fields = {}, .slots = {},
                           .signatures = {}, .signature_columns = "", .variants = {}, .onnx = {},
                           .validate = [](const void*) -> Result<void> { return {}; }, .signature = [](const void*) -> Signature { return {}; },
                           .shapes = [](const void*, std::span<SlotSpec>) {}, .finish = [](const PlanRequest&, PlanBuilder&) -> Result<void> { return {}; }};
  return info;
}

const OpInfo& info_softmax_cross_entropy_loss_backward() {
  static const adj_softmax_cross_entropy_loss_backward_descriptor d{};
  static const OpInfo info{.id = ADJ_OP_SOFTMAX_CROSS_ENTROPY_LOSS_BACKWARD, .name = "softmax_cross_entropy_loss_backward", .descriptor_size = sizeof(adj_softmax_cross_entropy_loss_backward_descriptor),
                           .args_size = sizeof(adj_softmax_cross_entropy_loss_backward_args), .default_descriptor = &d, .fields = {}, .slots = {},
                           .signatures = {}, .signature_columns = "", .variants = {}, .onnx = {},
                           .validate = [](const void*) -> Result<void> { return {}; }, .signature = [](const void*) -> Signature { return {}; },
                           .shapes = [](const void*, std::span<SlotSpec>) {}, .finish = [](const PlanRequest&, PlanBuilder&) -> Result<void> { return {}; }};
  return info;
}

}  // namespace adj
