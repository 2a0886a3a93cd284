// Computes: offset += the random words that a call has consumed; the offset lies on the device.
// Work split: one thread.
// Memory: one number of 64 bits is read and written.
// Order of additions: one addition, modulo 2^64.
// Limits: none. It is the last launch of a call, since the kernels before it read the offset; the plan sees to it.
#include "prelude/divide.h"
#include "prelude/philox.cuh"
#include "prelude/scalar.cuh"
#include "prelude/thread.cuh"
#include "dropout/params.h"

extern "C" __global__ void __launch_bounds__(32) ADJ_ENTRY(const __grid_constant__ DropoutAdvanceParams p) {
  if (global_thread() == 0) const_cast<u64*>(p.random.device)[1] += p.words;
}
