// Sines and cosines of angles that are given in turns, so that they are reduced without error.
#pragma once

#include "prelude/types.cuh"

// Sine and cosine of pi * v.
__device__ __forceinline__ void sine_cosine_of_pi(f32 v, f32& sine, f32& cosine) {
#if defined(ADJ_SIMT)
  sine = static_cast<f32>(sin(3.14159265358979323846 * static_cast<f64>(v)));
  cosine = static_cast<f32>(cos(3.14159265358979323846 * static_cast<f64>(v)));
#else
  sincospif(v, &sine, &cosine);
#endif
}
__device__ __forceinline__ void sine_cosine_of_pi(f64 v, f64& sine, f64& cosine) {
#if defined(ADJ_SIMT)
  // Reduced to a quarter of pi, as the relative error of sincospi needs.
  const f64 halves = rint(2.0 * v), angle = 3.14159265358979323846 * (v - 0.5 * halves), s = sin(angle), c = cos(angle);
  const int quadrant = static_cast<int>(halves) & 3;
  sine = quadrant == 0 ? s : quadrant == 1 ? c : quadrant == 2 ? -s : -c;
  cosine = quadrant == 0 ? c : quadrant == 1 ? -s : quadrant == 2 ? -c : s;
#else
  sincospi(v, &sine, &cosine);
#endif
}
// Sine and cosine of a number of turns, in the type A.
template <class A> __device__ __forceinline__ void sine_cosine_of_turns(f64 turns, A& sine, A& cosine) {
  const f64 part = turns - rint(turns);
  sine_cosine_of_pi(static_cast<A>(part + part), sine, cosine);
}
