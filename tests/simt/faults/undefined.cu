// Faults that the sanitizers see and the machine does not.
//
// Macros: ADJ_FAULT 0 none, 1 a local array overrun, 2 an overflow of a signed sum, 3 a shift by the width, 4 a global
// buffer overrun.
#include "faults/params.h"
#include "prelude/thread.cuh"

extern "C" __global__ void __launch_bounds__(32) ADJ_ENTRY(const __grid_constant__ FaultParams p) {
  float local[4] = {1, 2, 3, 4};
  const int t = thread_index();
  volatile int at = ADJ_FAULT == 1 && t == 7 ? 4 : t & 3;
  float* volatile through = local;
  int sum = t == 7 ? 0x7fffffff : 0;
  if (ADJ_FAULT == 2) sum += t;
  const int shifted = 1 << (ADJ_FAULT == 3 && t == 7 ? 32 : t & 15);
  if (global_thread() < p.n || (ADJ_FAULT == 4 && global_thread() == p.n))
    p.out[global_thread()] = p.in[global_thread()] + through[at] + static_cast<float>(sum & 1) + static_cast<float>(shifted);
}
