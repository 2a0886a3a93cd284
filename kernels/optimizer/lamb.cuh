// The direction of LAMB. Both passes compute it with the same instructions.
#include "prelude/multi_norm.cuh"
#include "optimizer/step.cuh"

#if defined(ADJ_WIDEST)

typedef MultiTensorParams<LambHead, ADJ_PARAM_BYTES> Params;
constexpr int kNumbers = 2 * Squares<A>::kNumbers;  // sums of a tensor: for weights, then for directions

// Numbers that all elements of a tensor share, computed in f64 and rounded once.
struct Factors {
  A grad_scale;
  A beta1, gain1, beta2, gain2;
  A root_scale, epsilon;  // the divisor is root_scale * sqrt(v) + epsilon
  A inverse_a, decay;
  A beyond;               // least magnitude of a weight that its type rounds to infinity
  A rate;                 // rate of the tensor; second pass only
  int scaled;
  int skip;               // the whole call leaves everything as it is
  int keep;               // this tensor stays as it is; second pass only
};

__device__ __forceinline__ MultiTensorForm form_of(const LambHead& head) { return {head.lists.arrays, head.own ? 5 : 0, 1}; }

__device__ __forceinline__ void compute_factors(Factors& f, const LambHead& p, const MultiTensorTable& table, u32 t, bool reports, f64& lr) {
  f64 number[5] = {p.beta1, p.beta2, p.epsilon, p.weight_decay, p.control.inverse_max_norm};
  if (p.own) {
#pragma unroll
    for (int i = 0; i < 5; ++i) {
      const u64 bits = table.constant(i, t);
      memcpy(number + i, &bits, sizeof bits);
    }
  }
  const StepScalars s = read_control(p.control, p.step, number[4], reports);
  const f64 gain1 = 1 - number[0], gain2 = 1 - number[1];
  f64 a = 1, b = 1;
  f.skip = s.skip;
  f.keep = 0;
  if (p.bias_correction && !f.skip) {
    if (s.step < 1) {
      f.skip = 1;
      if (reports && p.control.error_flag) atomic_add(p.control.error_flag, i64{1});
    } else {
      correct_bias(a, b, gain1, gain2, s.step);
    }
  }
  lr = s.lr;
  f.grad_scale = static_cast<A>(s.scale);
  f.scaled = f.grad_scale != A{1};
  f.beta1 = static_cast<A>(number[0]);
  f.gain1 = static_cast<A>(gain1);
  f.beta2 = static_cast<A>(number[1]);
  f.gain2 = static_cast<A>(gain2);
  f.root_scale = static_cast<A>(divide_by_normal(1, square_root_of_normal(b)));
  f.epsilon = static_cast<A>(number[2]);
  f.inverse_a = static_cast<A>(divide_by_normal(1, a));
  f.decay = static_cast<A>(number[3]);
  f.beyond = static_cast<A>(p.lists.param == kDtypeF16 ? 65520 : p.lists.param == kDtypeBf16 ? 0x1.ffp127 : from_bits(0x7f800000));
}

// Updates the moments of an element. Returns its direction.
__device__ __forceinline__ A direction_of(const Factors& f, A weight, A gradient, A& mean, A& square) {
  if (opaque(f.scaled)) gradient = gradient / f.grad_scale;
  mean = fused_multiply_add(f.gain1, gradient, f.beta1 * mean);
  square = fused_multiply_add(f.gain2 * gradient, gradient, f.beta2 * square);
  const A quotient = mean / fused_multiply_add(square_root(square), f.root_scale, f.epsilon);
  return fused_multiply_add(f.decay, weight, f.inverse_a * quotient);
}

#endif
