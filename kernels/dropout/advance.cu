// Adds the random words that a call has consumed to the offset on the device.
#include "prelude/divide.h"
#include "prelude/philox.cuh"
#include "prelude/scalar.cuh"
#include "prelude/thread.cuh"
#include "dropout/params.h"

extern "C" __global__ void __launch_bounds__(32) ADJ_ENTRY(const __grid_constant__ DropoutAdvanceParams p) {
  if (global_thread() == 0) const_cast<u64*>(p.random.device)[1] += p.words;
}
