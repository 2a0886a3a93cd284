// Decisions that a call of an optimizer makes once.
#pragma once

#include "prelude/multi_tensor.h"
#include "prelude/multi_norm.h"
#include "prelude/scalar.cuh"
#include "prelude/thread.cuh"
#include "optimizer/params.h"

struct StepScalars {
  f64 lr, scale;  // gradients are divided by scale
  i64 step;
  bool skip;
};

// A floating-point scalar as it is loaded, or as it is given.
struct ScalarBits {
  u32 low, high;
};
// Does not wait for the loads.
__device__ __forceinline__ ScalarBits scalar_bits(const ScalarParam& s) {
  ScalarBits bits;
  memcpy(&bits, &s.value, sizeof bits);
  if (s.device) {
    const u32* p = static_cast<const u32*>(s.device);
    if (s.dtype == kDtypeF64) bits.high = p[1];
    if (s.dtype == kDtypeF64 || s.dtype == kDtypeF32) bits.low = p[0];
    else bits.low = *static_cast<const u16*>(s.device);
  }
  return bits;
}
// Not inlined, since it is used often. Takes values: through an address, parameters would be read as slowly as memory.
static __device__ __noinline__ f64 number_of(ScalarBits bits, bool device, int dtype) {
  if (device && dtype != kDtypeF64)
    return dtype == kDtypeF32 ? from_bits(bits.low) : dtype == kDtypeF16 ? to_f32(f16{static_cast<u16>(bits.low)}) : from_bits(bits.low << 16);
  f64 v;
  memcpy(&v, &bits, sizeof v);
  return v;
}
__device__ __forceinline__ f64 number_of(ScalarBits bits, const ScalarParam& s) { return number_of(bits, s.device != nullptr, s.dtype); }
// Steps and seeds are whole numbers; their elements have 64 bits.
__device__ __forceinline__ i64 read_step(const ScalarParam& step) {
  i64 v = static_cast<i64>(step.value);
  if (step.device) v = *static_cast<const i64*>(step.device);
  return v;
}

// Reads the scalars of a call; one thread calls it. inverse_max_norm may be the tensor's own. Errors are counted if `reports`. All loads are
// sent before the first value is used. kSigned: grad_scale may be negative.
template <bool kSigned = false>
__device__ __forceinline__ StepScalars read_control(const StepControl& c, const ScalarParam& step, f64 inverse_max_norm, bool reports) {
  const ScalarBits lr = scalar_bits(c.lr), scale = scalar_bits(c.grad_scale), gradient_norm = scalar_bits(c.gradient_norm);
  StepScalars s;
  s.step = read_step(step);
  f32 found_inf = 0;
  if (c.found_inf) found_inf = *c.found_inf;
  const bool update = read_flag(c.update_signal);
  const f64 norm = number_of(gradient_norm, c.gradient_norm);
  s.lr = number_of(lr, c.lr);
  s.scale = number_of(scale, c.grad_scale);
  if (norm > 0) {
    const f64 least = norm * inverse_max_norm;
    s.scale = kSigned && s.scale < 0 ? min_of(s.scale, -least) : max_of(s.scale, least);
  }
  s.skip = found_inf != 0 || !update;
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
