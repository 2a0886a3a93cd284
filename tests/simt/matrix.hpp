// Operations of a warp on small matrices, for the host branches of kernels/prelude/matrix.cuh. All lanes of a whole warp call them.
#pragma once

#include "device.hpp"

namespace simt {

// Gives all lanes the values `mine` of all lanes. Like a shuffle, it orders no memory.
void from_lanes(Bits mine, Bits (&all)[32]);
// The instruction mma.m16n8k16: products are exact and added to c along the depth, each sum rounded to nearest.
void multiply_add_matrices(bool bf16, float (&c)[4], const unsigned (&a)[4], const unsigned (&b)[2]);

// A matrix of 16-bit elements in shared memory, as kernels/prelude/warpgroup.cuh has it.
struct SharedMatrix {
  Bits at, next;
  bool transposed;
  // Of element k of the depth of row or column i.
  Bits address(int i, int k) const {
    const Bits row = static_cast<Bits>(transposed ? k : i), other = static_cast<Bits>(transposed ? i : k);
    const Bits plain = at + row * 128 + other % 64 * 2 + other / 64 * next;
    return plain ^ (plain >> 7 & 7) << 4;
  }
};
// A product of the instruction wgmma for one thread of a warpgroup: the sums of a thread, and what they are of.
struct Product {
  bool bf16;
  int columns;
  float* c;                   // of the thread: [columns / 8][4]
  const unsigned* registers;  // four, of the first matrix; null: it is `a`
  SharedMatrix a, b;
  bool adds;
  unsigned group = 0;
};
// Products are computed at the end of the wait for them, so that memory, registers and sums that are written too early give other results.
void begin_product(const Product& product);
void close_products();
void wait_products_but(unsigned open);

}  // namespace simt
