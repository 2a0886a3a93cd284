// Tensor maps, through which kernels copy boxes of tensors on sm_90 (kernels/prelude/pipeline.cuh).
#pragma once

#include "base/error.hpp"
#include "driver/device.hpp"
#include "kernels/prelude/tensor_map.h"

namespace adj {

// Makes the map of a tensor, whose address a binding writes at the beginning of the map. The driver encodes it; for an offline device the box itself stands in
// its place. Fails with ADJ_ERROR_UNSUPPORTED when no map takes the tensor.
Result<void> encode_map(const Device& device, const TensorBox& box, TensorMap& map);

}  // namespace adj
