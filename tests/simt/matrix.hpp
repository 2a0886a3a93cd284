// Operations of a warp on small matrices, for the host branches of kernels/prelude/matrix.cuh. All lanes of a whole warp call them.
#pragma once

#include "device.hpp"

namespace simt {

// Gives all lanes the values `mine` of all lanes. Like a shuffle, it orders no memory.
void from_lanes(Bits mine, Bits (&all)[32]);
// The instruction mma.m16n8k16: products are exact and added to c along the depth, each sum rounded to nearest.
void multiply_add_matrices(bool bf16, float (&c)[4], const unsigned (&a)[4], const unsigned (&b)[2]);

}  // namespace simt
