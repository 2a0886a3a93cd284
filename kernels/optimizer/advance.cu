// Advances the step of an AdamW update that went before, unless that update left everything unchanged.
#include "prelude/multi_tensor.h"
#include "prelude/thread.cuh"
#include "prelude/scalar.cuh"
#include "optimizer/params.h"

extern "C" __global__ void __launch_bounds__(32) ADJ_ENTRY(const __grid_constant__ AdamwAdvanceParams p) {
  if (global_thread() != 0 || (p.found_inf && *p.found_inf != 0)) return;
  i64* step = static_cast<i64*>(const_cast<void*>(p.step.device));
  if (p.bias_correction && *step < 1) {
    if (p.reports && p.error_flag) atomic_add(p.error_flag, i64{1});
    return;
  }
  ++*step;
}
