// Activation functions and their slopes.
//
// All functions are made of exp(-v), v >= 0, which neither overflows nor cancels. 16-bit elements allow the fewest instructions for each byte: for them
// z * w(z), where w(z) + w(-z) = 1, is made of the tail w(-|z|) alone.
// 16-bit elements use the hardware's approximation of exp2, and a polynomial for the normal distribution function that is good to 2^-17. f32 uses the
// library's exponential and a polynomial good to 2^-21. f64 uses the library's functions.
//
// Far arguments, where v is above kFarExponent, have a code of their own (far_product): exp(-v) alone may be too small for a number of the type, while
// its product with dout or with the linear part is not. Other code may give anything there.
#pragma once

#include "prelude/exp.cuh"
#include "prelude/reduce.cuh"

// In the order of adj_activation.
enum Function {
  function_none,
  function_relu,
  function_leaky_relu,
  function_gelu,
  function_gelu_tanh,
  function_quick_gelu,
  function_sigmoid,
  function_tanh,
  function_silu,
  function_elu,
  function_softplus,
  function_mish,
  function_hard_swish,
  function_relu_squared
};
#define ADJ_JOIN_NAMES(a, b) a##b
#define ADJ_FUNCTION_NAMED(name) ADJ_JOIN_NAMES(function_, name)

// Type in which the functions of elements of type T are computed.
#if defined(ADJ_IEEE) && ADJ_IEEE
template <class T> using FunctionType = f64;
#else
template <class T> using FunctionType = T;
#endif

// Returns exp(-v) for v >= 0; NaN stays NaN. 16-bit elements: results below 2^-126 are 0.
template <class T> __device__ __forceinline__ f32 decay(const f32& v) {
  if constexpr (sizeof(T) == 4) return expf(-v);
  return exp2_approximate(v * -1.4426950408889634f);
}
template <class T> __device__ __forceinline__ f64 decay(const f64& v) { return exp(-v); }

// Returns 1 / v for v from 1 to 2^100.
__device__ __forceinline__ f32 inverse(const f32& v) { return approximate_reciprocal(v); }
__device__ __forceinline__ f64 inverse(const f64& v) { return divide_by_normal(1.0, v); }

template <class A> __device__ __forceinline__ A absolute(const A& v) { return v < 0 ? -v : v; }
__device__ __forceinline__ f32 absolute(const f32& v) { return fabsf(v); }
__device__ __forceinline__ f32 hyperbolic_tangent(f32 v) { return tanhf(v); }
__device__ __forceinline__ f64 hyperbolic_tangent(f64 v) { return tanh(v); }
__device__ __forceinline__ f32 log_of_1_plus(f32 v) { return log1pf(v); }
__device__ __forceinline__ f64 log_of_1_plus(f64 v) { return log1p(v); }

// Logistic function: at = sigma(v), opposite = sigma(-v), product of both. None is computed by a subtraction, which would cancel.
template <class A> struct Sigma {
  A at, opposite, product;
  template <class T> static __device__ __forceinline__ Sigma of(const A& v) {
    const A e = decay<T>(absolute(v)), r = inverse(1 + e), er = e * r;
    const bool positive = v > 0;
    return {positive ? r : er, positive ? er : r, er * r};
  }
};

// Normal distribution: density = exp(-a^2 / 2) without its constant factor, tail = Phi(-a), where a = |z|.
template <class A> struct Normal {
  A density, tail;
};
template <class T> __device__ __forceinline__ Normal<f32> normal_of(const f32& z) {
  const f32 square = z * z, a = absolute(z);
  f32 e = decay<T>(0.5f * square);
  e = fused_multiply_add(e, -0.5f * fused_multiply_add(z, z, -square), e);  // corrects the rounding of the square
  const f32 t = 3.75f * inverse(a + 3.75f);
  f32 p = 0.030272917822003365f;
  p = fused_multiply_add(p, t, -0.1384870558977127f);
  p = fused_multiply_add(p, t, 0.20164304971694946f);
  p = fused_multiply_add(p, t, -0.10002311319112778f);
  p = fused_multiply_add(p, t, 0.12730126082897186f);
  p = fused_multiply_add(p, t, 0.06455493718385696f);
  p = fused_multiply_add(p, t, 0.10231088101863861f);
  p = fused_multiply_add(p, t, 0.10602681338787079f);
  p = fused_multiply_add(p, t, 0.10640031844377518f);
  return {e, e * (p * t)};
}
template <class T> __device__ __forceinline__ Normal<f64> normal_of(const f64& z) {
  return {exp(-0.5 * z * z), 0.5 * erfc(absolute(z) * 0.70710678118654752440)};
}

// Returns the smaller of a and b; NaN if a is NaN.
__device__ __forceinline__ f32 min_or_nan(const f32& a, const f32& b) {
#if defined(ADJ_SIMT)
  return a > b ? b : a;
#else
  f32 r;
  asm("min.NaN.f32 %0, %1, %2;" : "=f"(r) : "f"(a), "f"(b));
  return r;
#endif
}
__device__ __forceinline__ f64 min_or_nan(const f64& a, const f64& b) { return a > b ? b : a; }

// f(z) and f'(z). The compiler drops the one that is not used.
template <class A> struct Curve {
  A value, slope;
};

// gelu, gelu_tanh and silu of 16-bit elements. a = |z|, tail = w(-a), d = slope at -a.
template <int f> constexpr bool kFromTail = f == function_gelu || f == function_gelu_tanh || f == function_silu;
template <int f> __device__ __forceinline__ Curve<f32> curve_from_tail(const f32& z) {
  constexpr f32 kLog2 = 1.4426950408889634f;
  const f32 a = min_or_nan(absolute(z), 256.0f);  // the tail is 0 from 256 on
  f32 tail, d;
  if constexpr (f == function_gelu) {
    // A polynomial in 3.25 t; the coefficients include the powers of 3.25.
    const f32 e = exp2_approximate(a * a * (-0.5f * kLog2)), t = inverse(a + 3.25f);
    constexpr f64 k1 = 3.25, k2 = k1 * 3.25, k3 = k2 * 3.25, k4 = k3 * 3.25, k5 = k4 * 3.25, k6 = k5 * 3.25;
    f32 p = static_cast<f32>(k6 * -0.07491511106491089);
    p = fused_multiply_add(p, t, static_cast<f32>(k5 * 0.188922718167305));
    p = fused_multiply_add(p, t, static_cast<f32>(k4 * 0.00823233276605606));
    p = fused_multiply_add(p, t, static_cast<f32>(k3 * 0.13586148619651794));
    p = fused_multiply_add(p, t, static_cast<f32>(k2 * 0.11891433596611023));
    p = fused_multiply_add(p, t, static_cast<f32>(k1 * 0.12298502027988434));
    tail = e * (p * t);
    d = e * fused_multiply_add(p, t, a * -0.39894228040143267794f);
  } else {
    // The exponential has the exponent a * ratio, to base 2. rise = -a times the derivative of the exponent to base e.
    constexpr f32 kScale = 1.59576912160573071176f, kCube = 0.044715f;
    f32 ratio = -kLog2, rise = a;
    if constexpr (f == function_gelu_tanh) {
      ratio = fused_multiply_add(a * a, -kLog2 * kScale * kCube, -kLog2 * kScale);
      rise = a * fused_multiply_add(a * a, 3 * kScale * kCube, kScale);
    }
    const f32 e = exp2_approximate(a * ratio);
    tail = e * inverse(1 + e);
    d = tail * fused_multiply_add(-rise, 1 - tail, 1.0f);
  }
  return {fused_multiply_add(-a, tail, max_number(z, 0.0f)), z > 0 ? 1 - d : d};
}

template <int f, class T> __device__ __forceinline__ Curve<Acc<T>> curve_inline(const Acc<T>& z, const Acc<T>& alpha) {
  typedef Acc<T> A;
  if constexpr (kFromTail<f> && sizeof(T) == 2) return curve_from_tail<f>(z);
  if constexpr (f == function_relu) {
    return {z <= 0 ? A(0) : z, z > 0 ? A(1) : A(0)};
  } else if constexpr (f == function_relu_squared) {
    return {z <= 0 ? A(0) : z * z, z};
  } else if constexpr (f == function_leaky_relu) {
    const A finite = alpha == 0 && z < Limits<A>::lowest() ? Limits<A>::lowest() : z;  // 0 * -infinity has the limit 0
    return {z > 0 ? z : alpha * finite, z > 0 ? A(1) : alpha};
  } else if constexpr (f == function_gelu) {
    const A c = min_or_nan(z, A(40));  // the density is 0 from 40 on
    const Normal<A> n = normal_of<T>(c);
    const A w = z > 0 ? 1 - n.tail : n.tail;
    return {z * w, fused_multiply_add(n.density, c * A(0.39894228040143267794), w)};
  } else if constexpr (f == function_gelu_tanh) {
    constexpr A kScale = A(1.59576912160573071176), kCube = A(0.044715);
    const A c = min_or_nan(z, A(32)), square = c * c;
    const Sigma<A> s = Sigma<A>::template of<T>(kScale * c * fused_multiply_add(kCube, square, A(1)));
    return {z * s.at, fused_multiply_add(s.product * c, kScale * fused_multiply_add(3 * kCube, square, A(1)), s.at)};
  } else if constexpr (f == function_quick_gelu || f == function_silu) {
    const A v = f == function_silu ? min_or_nan(z, A(2048)) : alpha * z;
    const Sigma<A> s = Sigma<A>::template of<T>(v);
    return {z * s.at, fused_multiply_add(v * s.opposite, s.at, s.at)};
  } else if constexpr (f == function_sigmoid) {
    const Sigma<A> s = Sigma<A>::template of<T>(z);
    return {s.at, s.product};
  } else if constexpr (f == function_tanh) {
    return {hyperbolic_tangent(z), 4 * Sigma<A>::template of<T>(2 * z).product};
  } else if constexpr (f == function_elu) {
    return {z > 0 ? z : alpha * exact_expm1(z), z > 0 ? A(1) : alpha * decay<T>(-z)};
  } else if constexpr (f == function_softplus) {
    return {(z > 0 ? z : A(0)) + log_of_1_plus(decay<T>(absolute(z))), Sigma<A>::template of<T>(z).at};
  } else if constexpr (f == function_mish) {
    // With e = exp(-|z|): tanh(log(1 + exp z)) = n / (n + 2) where n = e (e + 2) for z < 0, (1 + 2 e) / e^2 for z > 0.
    const A c = min_or_nan(z, A(1024)), e = decay<T>(absolute(c));
    const bool positive = z > 0;
    const A n = positive ? fused_multiply_add(e, A(2), A(1)) : e * (e + 2);
    const A r = inverse(positive ? fused_multiply_add(e, fused_multiply_add(e, A(2), A(2)), A(1)) : n + 2);
    const A w = n * r, slope = 4 * (positive ? e * e : e) * (1 + e) * r * r;
    return {z * w, fused_multiply_add(c, slope, w)};
  } else {
    // hard_swish: the sums are exact where they cancel.
    return {z >= 3 ? z : z <= -3 ? A(0) : z * (z + 3) * A(1.0 / 6), (z + A(1.5)) * A(1.0 / 3)};
  }
}
// Not inlined for f64: the functions take much code.
template <int f> __device__ __noinline__ Curve<f64> curve_called(f64 z, f64 alpha) { return curve_inline<f, f64>(z, alpha); }
template <int f> __device__ __noinline__ f64 value_called(f64 z, f64 alpha) { return curve_inline<f, f64>(z, alpha).value; }
template <int f> __device__ __noinline__ f64 slope_called(f64 z, f64 alpha) { return curve_inline<f, f64>(z, alpha).slope; }

template <int f, class T> __device__ __forceinline__ Curve<Acc<T>> curve_of(const Acc<T>& z, const Acc<T>& alpha) {
  if constexpr (kSameType<T, f64>) return curve_called<f>(z, alpha);
  else return curve_inline<f, T>(z, alpha);
}
template <int f, class T> __device__ __forceinline__ Acc<T> value_of(const Acc<T>& z, const Acc<T>& alpha) {
  if constexpr (kSameType<T, f64>) return value_called<f>(z, alpha);
  else return curve_inline<f, T>(z, alpha).value;
}
template <int f, class T> __device__ __forceinline__ Acc<T> slope_of(const Acc<T>& z, const Acc<T>& alpha) {
  if constexpr (kSameType<T, f64>) return slope_called<f>(z, alpha);
  else return curve_inline<f, T>(z, alpha).slope;
}

// True for functions whose slope follows from their value.
template <int f> constexpr bool kSlopeOfValue = f == function_sigmoid || f == function_tanh || f == function_elu || f == function_softplus;
__device__ __noinline__ f64 called_expm1(f64 v) { return expm1(v); }
__device__ __forceinline__ f32 called_expm1(f32 v) { return expm1f(v); }
template <int f, class A> __device__ __forceinline__ A slope_of_value(const A& y, const A& alpha) {
  if constexpr (f == function_sigmoid) return y * (1 - y);
  else if constexpr (f == function_tanh) return fused_multiply_add(-y, y, A(1));
  else if constexpr (f == function_elu) return y > 0 ? A(1) : y + alpha;
  else return -called_expm1(-y);
}

// Returns dout * f'(z); of relu_squared half the slope is passed. relu and hard_swish select 0 or dout where the slope is 0 or 1: an infinite dout then gives
// no NaN.
template <int f, class A> __device__ __forceinline__ A gradient_of(const A& dout, const A& z, const A& slope) {
  if constexpr (f == function_relu) return z > 0 ? dout : A(0);
  else if constexpr (f == function_relu_squared)
    return z <= 0 ? A(0) : z < 1 ? (2 * slope) * dout : slope * (2 * dout);  // rounded once; 2 * slope may be out of range
  else if constexpr (f == function_hard_swish) return z >= 3 ? dout : z <= -3 ? A(0) : dout * slope;
  else return dout * slope;
}
// Returns dout * linear * f'(z), the gradient of a gated activation. The first product may overflow although the result does not: the result is then
// infinite, and far_product gives the right one.
template <int f, class T> __device__ __forceinline__ Acc<T> gated_gradient_of(const Acc<T>& dout, const Acc<T>& linear, const Acc<T>& z, const Acc<T>& slope) {
  typedef Acc<T> A;
  if constexpr (f == function_relu || sizeof(T) == 2) return gradient_of<f>(dout * linear, z, slope);
  // The larger factor first, so that a product that underflows is one of two small factors.
  const bool larger = absolute(dout) > absolute(linear);
  const A large = larger ? dout : linear, small = larger ? linear : dout;
  return large * slope * small;
}

// ---- far arguments

// True where the value, or the slope, has far arguments.
template <int f, bool slope>
constexpr bool kHasFar = f == function_gelu || f == function_gelu_tanh || f == function_quick_gelu || f == function_sigmoid || f == function_silu ||
                         f == function_softplus || f == function_mish || (slope && (f == function_tanh || f == function_elu));
// exp(-v) is a normal number, with eight bits to spare, up to here.
template <class A> constexpr A kFarExponent = A(sizeof(A) == 8 ? 690 : 80);

// An argument is far where distance_of is above far_limit; quick_gelu: where it may be.
template <int f, bool slope, class A> __device__ __forceinline__ A distance_of(const A& z, const A& alpha) {
  if constexpr (f == function_quick_gelu) return max_number(absolute(alpha * z), absolute(z) * A(0x1p-120));  // the latter for infinities
  else if constexpr (slope && (f == function_sigmoid || f == function_tanh)) return absolute(z);
  else return -z;
}
template <int f, class A> __device__ __forceinline__ A far_limit(const A& alpha) {
  if constexpr (f == function_gelu) return A(sizeof(A) == 8 ? 37 : 12.5);
  else if constexpr (f == function_gelu_tanh) return A(sizeof(A) == 8 ? 20.9 : 9.5);
  else if constexpr (f == function_tanh) return kFarExponent<A> / 2;
  else if constexpr (f == function_elu) return absolute(alpha) > A(0x1p-20) && absolute(alpha) < A(0x1p20) ? kFarExponent<A> : A(0);
  else return kFarExponent<A>;
}
template <int f, bool slope, class A> __device__ __forceinline__ bool is_far(const A& z, const A& alpha) {
  if constexpr (f == function_quick_gelu) return z == z && !(absolute(alpha * z) <= kFarExponent<A>);
  else return distance_of<f, slope>(z, alpha) > far_limit<f>(alpha);
}

template <class A> struct BitsOf {
  typedef u32 type;
};
template <> struct BitsOf<f64> {
  typedef u64 type;
};
// m * 2^n. Factors that are 0, infinite or NaN act on m alone.
template <class A> struct Scaled {
  A m;
  int n;

  __device__ __forceinline__ void multiply(const A& x) {
    if (x == 0 || x - x != 0) {
      m *= x;
      return;
    }
    constexpr int kWidth = sizeof(A) == 8 ? 52 : 23, kBias = sizeof(A) == 8 ? 1023 : 127;
    typedef typename BitsOf<A>::type Bits;
    const bool tiny = absolute(x) < A(0x1p-64);
    const A scaled = tiny ? x * A(0x1p64) : x;
    Bits bits;
    memcpy(&bits, &scaled, sizeof bits);
    n += static_cast<int>(bits >> kWidth & (2 * kBias + 1)) - kBias - (tiny ? 64 : 0);
    bits = (bits & ~(static_cast<Bits>(2 * kBias + 1) << kWidth)) | static_cast<Bits>(kBias) << kWidth;
    A mantissa;
    memcpy(&mantissa, &bits, sizeof mantissa);
    m *= mantissa;
  }
  // Two factors, of which the first is exact: one rounding.
  __device__ __forceinline__ A value() const {
    constexpr int kMost = sizeof(A) == 8 ? 2044 : 252;
    const int most = n < -kMost ? -kMost : n > kMost ? kMost : n, half = most >> 1;
    return m * power(half) * power(most - half);
  }
  static __device__ __forceinline__ A power(int exponent) {
    typedef typename BitsOf<A>::type Bits;
    const Bits bits = static_cast<Bits>(exponent + (sizeof(A) == 8 ? 1023 : 127)) << (sizeof(A) == 8 ? 52 : 23);
    A v;
    memcpy(&v, &bits, sizeof v);
    return v;
  }
};
// Multiplies by exp(-v), v >= 0.
__device__ __forceinline__ void multiply_by_decay(Scaled<f32>& s, const f32& v) {
  const f32 x = v < 1e6f ? v : 1e6f, n = x * -1.44269502f - 0.5f;
  const int whole = static_cast<int>(n);
  f32 rest = fused_multiply_add(x, -1.44269502f, -static_cast<f32>(whole));
  rest = fused_multiply_add(x, -1.92596303e-8f, rest);
  s.m *= exp2_approximate(rest);
  s.n += whole;
}
__device__ __forceinline__ void multiply_by_decay(Scaled<f64>& s, const f64& v) {
  const f64 x = v < 1e6 ? v : 1e6;
  const int whole = static_cast<int>(x * -1.4426950408889634 - 0.5);
  const f64 n = whole;
  f64 rest = fused_multiply_add(-n, 0.69314718055994529, -x);
  rest = fused_multiply_add(-n, 2.3190468138462996e-17, rest);
  s.m *= exp(rest);
  s.n += whole;
}

// f(z) or f'(z) of a far argument, as m * 2^n.
template <int f, class A> __device__ __forceinline__ Scaled<A> far_curve(const A& z, const A& alpha, bool slope) {
  // Beyond the largest c the result is 0, or as infinite as its factor. gelu corrects the rounding of the square of c to first order, so c is small there.
  const A a = absolute(z), c = min_of(a, A(f == function_gelu ? 100 : 1e5));
  A v = c, m = 1;
  if constexpr (f == function_quick_gelu) {
    const A u = alpha * z;
    if (!(u < 0)) {
      if (slope) return {u > 0 ? A(1) : A(0.5), 0};
      return {z, 0};
    }
    v = min_of(-u, A(1e5));
    m = slope ? 1 - v : A(1);
  } else if constexpr (f == function_gelu) {
    const A square = c * c, x = inverse(square);
    v = A(0.5) * square;
    A series = fused_multiply_add(x, A(-9), A(1));
    series = fused_multiply_add(x * A(-7), series, A(1));
    series = fused_multiply_add(x * A(-5), series, A(1));
    series = fused_multiply_add(x * A(-3), series, A(1));
    series = fused_multiply_add(-x, series, A(1));  // Phi(-c) * c / density
    m = A(0.39894228040143267794) * (slope ? fused_multiply_add(series, inverse(c), -c) : -series);
    m = fused_multiply_add(m, A(-0.5) * fused_multiply_add(c, c, -square), m);  // corrects the rounding of the square
  } else if constexpr (f == function_gelu_tanh) {
    constexpr A kScale = A(1.59576912160573071176), kCube = A(0.044715);
    v = kScale * c * fused_multiply_add(kCube, c * c, A(1));
    m = slope ? 1 - kScale * c * fused_multiply_add(3 * kCube, c * c, A(1)) : -c;
  } else if constexpr (f == function_silu || f == function_mish) {
    m = slope ? 1 - c : -c;
  } else if constexpr (f == function_tanh) {
    v = 2 * c;
    m = 4;
  }
  Scaled<A> s{a > -Limits<A>::lowest() ? A(0) : m, 0};
  if constexpr (f == function_quick_gelu) {
    if (!slope && a <= -Limits<A>::lowest()) s.multiply(z);
  }
  if constexpr (f == function_elu) s.multiply(alpha);
  multiply_by_decay(s, v);
  return s;
}
template <class A> __device__ __forceinline__ A product(Scaled<A> s, const A& first, const A& second) {
  // A loop, so that there is one copy of the code.
#pragma unroll 1
  for (int i = 0; i < 2; ++i) s.multiply(i ? second : first);
  return s.value();
}
// Returns f(z) * first * second, or f'(z) * first * second, of a far argument. The product is in range wherever its exact value is.
template <int f, class A> __device__ __forceinline__ A far_product(const A& z, const A& alpha, bool slope, const A& first, const A& second) {
  return product(far_curve<f>(z, alpha, slope), first, second);
}

// Moves the elements of an array one place down, the first to the end: the same code then serves one element after the other.
template <class A, int N> __device__ __forceinline__ void rotate(A (&x)[N]) {
  const A first = x[0];
#pragma unroll
  for (int j = 0; j + 1 < N; ++j) x[j] = x[j + 1];
  x[N - 1] = first;
}
