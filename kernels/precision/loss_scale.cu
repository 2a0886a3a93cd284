// Computes: the next loss scale, from whether this step was skipped and how many steps before it were not.
// Work split: one thread.
// Memory: reads and writes three numbers.
// Order of additions: none.
// Limits: none.
#include "prelude/exp.cuh"
#include "prelude/scalar.cuh"
#include "prelude/multi_tensor.h"
#include "prelude/thread.cuh"
#include "precision/params.h"

extern "C" __global__ void __launch_bounds__(32) ADJ_ENTRY(const __grid_constant__ LossScaleParams p) {
  if (global_thread() != 0) return;
  const bool found_inf = *p.found_inf != 0, grows = !found_inf && *p.growth_tracker >= p.growth_interval - 1;
  if (!found_inf && !grows) {
    ++*p.growth_tracker;
    return;
  }
  *p.growth_tracker = 0;
  f64 next = *p.scale * (grows ? p.growth_factor : p.backoff_factor);
  if (next > p.max_scale) next = p.max_scale;
  if (next < p.min_scale) next = p.min_scale;
  const f32 rounded = static_cast<f32>(next);
  if (grows ? is_finite(rounded) : rounded == rounded) *p.scale = rounded;
}
