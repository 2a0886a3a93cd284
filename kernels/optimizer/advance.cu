// Advances the step after an update, unless that update skipped. Decides from the same inputs as the update.
#include "optimizer/control.cuh"

extern "C" __global__ void __launch_bounds__(32) ADJ_ENTRY(const __grid_constant__ AdvanceParams p) {
  if (global_thread() != 0) return;
  const StepScalars s = read_control(p.control, p.step, 1, p.reports);
  if (s.skip) return;
  i64* step = static_cast<i64*>(const_cast<void*>(p.step.device));
  if (p.bias_correction && s.step < 1) {
    if (p.reports && p.control.error_flag) atomic_add(p.control.error_flag, i64{1});
    return;
  }
  *step = s.step + 1;
}
