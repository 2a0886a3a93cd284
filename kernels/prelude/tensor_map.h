/* Tensor maps, through which kernels copy boxes of tensors on sm_90 (prelude/pipeline.cuh). */
#pragma once

/* As the driver encodes it. The first word is the tensor's address, which a run writes. */
struct alignas(64) TensorMap {
  unsigned long long words[16];
};

/* What a map describes: a tensor of 16-bit elements with three or four dimensions, the inner one first, and a box of it, which has one element of the fourth.
 * Strides, of the outer dimensions, are in elements. In plans for no device of the machine it stands in the place of the map. */
struct TensorBox {
  const void* address;
  long long extent[4], stride[3];
  int box[3];
  int dimensions = 3;
};
