// Decisions that a call of an optimizer makes once.
#pragma once

#include "prelude/multi_tensor.h"
#include "prelude/multi_norm.h"
#include "prelude/scalar.cuh"
#include "prelude/thread.cuh"
#include "optimizer/params.h"

struct StepScalars {
  f64 lr, scale;  // gradients are divided by scale
  bool skip;
};
// Not inlined, since it is used often. Takes values: through an address, parameters would be read as slowly as memory.
static __device__ __noinline__ f64 read_scalar_at(const void* device, f64 value, int dtype) { return device ? load_as_f64(device, 0, dtype) : value; }
__device__ __forceinline__ f64 read_scalar_once(const ScalarParam& s) { return read_scalar_at(s.device, s.value, s.dtype); }
// Reads the scalars of a call; one thread calls it. inverse_max_norm may be the tensor's own. Errors are counted if `reports`.
__device__ __forceinline__ StepScalars read_control(const StepControl& c, f64 inverse_max_norm, bool reports) {
  StepScalars s;
  const f64 norm = read_scalar_once(c.gradient_norm);
  s.lr = read_scalar_once(c.lr);
  s.scale = read_scalar_once(c.grad_scale);
  if (norm > 0) s.scale = max_of(s.scale, norm * inverse_max_norm);
  s.skip = (c.found_inf && *c.found_inf != 0) || !read_flag(c.update_signal);
  if (!s.skip && !(norm - norm == 0)) {
    s.skip = true;
    if (reports && c.error_flag) atomic_add(c.error_flag, i64{1});
  }
  return s;
}

// Computes r = 1 - beta^step from 1 - beta without cancellation. If r = 1 - beta^s and q = 1 - beta^t, then 1 - beta^(s + t) = r + q (1 - r).
// Rounding errors do not grow: the error is a few units in the last place for each bit of the step.
struct BiasCorrection {
  f64 q, r;  // for the bits of the step taken so far; the lowest bit comes first
  __device__ __forceinline__ void take(bool bit) {
    if (bit) r = fused_multiply_add(q, 1 - r, r);
    q = fused_multiply_add(q, 1 - q, q);
  }
};
__device__ __forceinline__ i64 read_step(const ScalarParam& step) {
  return step.device ? *static_cast<const i64*>(step.device) : static_cast<i64>(step.value);
}
// Sets a = 1 - beta1^step and b = 1 - beta2^step, both in [2^-53, 1]. gain1 = 1 - beta1, gain2 = 1 - beta2.
__device__ __forceinline__ void correct_bias(f64& a, f64& b, f64 gain1, f64 gain2, i64 step) {
  BiasCorrection first{gain1, 0}, second{gain2, 0};
#pragma unroll 1
  for (; step > 0; step >>= 1) {
    first.take(step & 1);
    second.take(step & 1);
  }
  a = first.r;
  b = second.r;
}
