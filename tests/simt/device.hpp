// Host side of the kernel prelude: CUDA's keywords, built-in variables and intrinsics, for kernels that the host compiler builds and tests/simt
// executes thread by thread. kernels/prelude/types.cuh includes it when ADJ_SIMT is defined. A prelude function made of intrinsics therefore
// needs no second version; a function made of PTX has a host branch.
#pragma once

#include <math.h>
#include <stddef.h>
#include <string.h>

#include <type_traits>

#define __global__
#define __device__
#define __host__
#define __forceinline__ inline
#define __noinline__ inline
#define __launch_bounds__(...)
#define __grid_constant__
#define __align__(n) alignas(n)

namespace simt {

using Bits = unsigned long long;

struct Index {
  unsigned x, y, z;
};
// Constant for the life of a thread.
Index thread_index() __attribute__((const));
Index block_index() __attribute__((const));
Index block_shape() __attribute__((const));
Index grid_shape() __attribute__((const));
unsigned cluster_rank() __attribute__((const));
unsigned cluster_blocks() __attribute__((const));

void wait_for_earlier_grids();
void begin_beside_last_grids();
void let_next_grid_begin();
void let_next_grid_read();

// ---- collectives

enum class Vote : int { none, any, all, count };
int block_barrier(Vote vote = Vote::none, bool predicate = false);
// Barrier for `threads` threads of the block, a multiple of 32, that name the same number.
void named_barrier(int barrier, int threads, bool waits);
void cluster_barrier();
void warp_barrier(unsigned mask);

enum class Exchange : int {
  shuffle,
  shuffle_up,
  shuffle_down,
  shuffle_xor,
  ballot,
  any,
  all,
  match_any,
  match_all,
  add_u32,
  min_u32,
  max_u32,
  min_i32,
  max_i32,
  and_u32,
  or_u32,
  xor_u32
};
// Exchange among the lanes of the mask: each gives a value and gets its result. `argument` is the lane, delta or xor mask of a shuffle.
Bits exchange(Exchange kind, unsigned mask, Bits value, int argument, int width);

// ---- memory

// Memory orders as in C++. None is stronger than the PTX instruction that it stands for.
enum class Order : int { relaxed, acquire, release, acq_rel };
enum class Rmw : int { load, store, exchange, add, min, max, and_, or_, xor_, inc, dec, cas };
enum class Type : int { u32, i32, u64, i64, f32, f64, u16, u8 };
Bits atomic(Rmw op, Type type, void* address, Bits operand, Bits compare, Order order);
// Fence; `device` is false for __threadfence_block, which orders less than the other fences. Within a block kernels rely on barriers.
void fence(bool device);
// Storage of one declaration of static shared memory, the same in every thread of the block.
void* static_shared(const void* site, const char* name, size_t bytes, size_t alignment);
unsigned char* dynamic_shared();
// The same variable in the shared memory of another block of the cluster.
void* map_shared(const void* address, unsigned rank);
// Reports a base that is not a multiple of `alignment`, as the hardware would.
void check_aligned(const void* address, size_t alignment);
// Says that the thread begins to copy from `from`, unless it is null, to shared memory. What it copies is there already; nobody may touch it, nor write
// the source, before the thread has waited.
void begin_copy(const void* shared, const void* from, size_t bytes);
void close_copies();
void wait_copies();
// Waits for all closed groups of copies but the last `open`.
void wait_copies_but(unsigned open);
[[noreturn]] void trap(const char* what);

template <class T> constexpr Type type_of() {
  if constexpr (std::is_same_v<T, float>) return Type::f32;
  else if constexpr (std::is_same_v<T, double>) return Type::f64;
  else if constexpr (std::is_integral_v<T> && sizeof(T) == 8) return std::is_signed_v<T> ? Type::i64 : Type::u64;
  else if constexpr (std::is_integral_v<T> && sizeof(T) == 4) return std::is_signed_v<T> ? Type::i32 : Type::u32;
  else if constexpr (std::is_integral_v<T> && sizeof(T) == 2) return Type::u16;
  else {
    static_assert(sizeof(T) == 1 && std::is_integral_v<T>, "not a type of atomic operations");
    return Type::u8;
  }
}
template <class T> Bits to_bits(T v) {
  static_assert(sizeof(T) <= sizeof(Bits), "at most 8 bytes travel in one warp or atomic operation");
  Bits bits = 0;
  __builtin_memcpy(&bits, &v, sizeof v);
  return bits;
}
template <class T> T from_bits(Bits bits) {
  T v;
  __builtin_memcpy(&v, &bits, sizeof v);
  return v;
}
template <class T> T atomic(Rmw op, T* address, T operand, Order order = Order::relaxed, T compare = T{}) {
  return from_bits<T>(atomic(op, type_of<T>(), address, to_bits(operand), to_bits(compare), order));
}
template <class T> T load(const T* address, Order order) { return atomic(Rmw::load, const_cast<T*>(address), T{}, order); }
template <class T> void store(T* address, T value, Order order) { atomic(Rmw::store, address, value, order); }

// ---- 16-bit formats, rounded to nearest even; NaN becomes the hardware's canonical one

float f16_to_f32(unsigned short bits) __attribute__((const));
unsigned short f64_to_f16(double v) __attribute__((const));  // also for f32, which converts exactly
unsigned short f32_to_bf16(float v) __attribute__((const));
// Codes of eight bits, e5m2 or e4m3, as cvt.rn.satfinite makes them, and back.
unsigned char f32_to_f8(float v, bool e5m2) __attribute__((const));
float f8_to_f32(unsigned char code, bool e5m2) __attribute__((const));

}  // namespace simt

#define threadIdx (::simt::thread_index())
#define blockIdx (::simt::block_index())
#define blockDim (::simt::block_shape())
#define gridDim (::simt::grid_shape())

inline void __syncthreads() { ::simt::block_barrier(); }
inline int __syncthreads_or(int p) { return ::simt::block_barrier(::simt::Vote::any, p != 0); }
inline int __syncthreads_and(int p) { return ::simt::block_barrier(::simt::Vote::all, p != 0); }
inline int __syncthreads_count(int p) { return ::simt::block_barrier(::simt::Vote::count, p != 0); }
inline void __syncwarp(unsigned mask = 0xffffffffu) { ::simt::warp_barrier(mask); }

#define ADJ_SIMT_SHUFFLE(name, kind)                                                                                  \
  template <class T> inline T name(unsigned mask, T v, int argument, int width = 32) {                                \
    return ::simt::from_bits<T>(::simt::exchange(::simt::Exchange::kind, mask, ::simt::to_bits(v), argument, width)); \
  }
ADJ_SIMT_SHUFFLE(__shfl_sync, shuffle)
ADJ_SIMT_SHUFFLE(__shfl_up_sync, shuffle_up)
ADJ_SIMT_SHUFFLE(__shfl_down_sync, shuffle_down)
ADJ_SIMT_SHUFFLE(__shfl_xor_sync, shuffle_xor)
#undef ADJ_SIMT_SHUFFLE

inline unsigned __ballot_sync(unsigned mask, int p) { return static_cast<unsigned>(::simt::exchange(::simt::Exchange::ballot, mask, p != 0, 0, 32)); }
inline int __any_sync(unsigned mask, int p) { return static_cast<int>(::simt::exchange(::simt::Exchange::any, mask, p != 0, 0, 32)); }
inline int __all_sync(unsigned mask, int p) { return static_cast<int>(::simt::exchange(::simt::Exchange::all, mask, p != 0, 0, 32)); }
template <class T> inline unsigned __match_any_sync(unsigned mask, T v) {
  return static_cast<unsigned>(::simt::exchange(::simt::Exchange::match_any, mask, ::simt::to_bits(v), 0, 32));
}
template <class T> inline unsigned __match_all_sync(unsigned mask, T v, int* same) {
  const auto lanes = static_cast<unsigned>(::simt::exchange(::simt::Exchange::match_all, mask, ::simt::to_bits(v), 0, 32));
  *same = lanes != 0;
  return lanes;
}
#define ADJ_SIMT_REDUCE(name, T, kind) \
  inline T name(unsigned mask, T v) { return ::simt::from_bits<T>(::simt::exchange(::simt::Exchange::kind, mask, ::simt::to_bits(v), 0, 32)); }
ADJ_SIMT_REDUCE(__reduce_add_sync, unsigned, add_u32)
ADJ_SIMT_REDUCE(__reduce_add_sync, int, add_u32)
ADJ_SIMT_REDUCE(__reduce_min_sync, unsigned, min_u32)
ADJ_SIMT_REDUCE(__reduce_max_sync, unsigned, max_u32)
ADJ_SIMT_REDUCE(__reduce_min_sync, int, min_i32)
ADJ_SIMT_REDUCE(__reduce_max_sync, int, max_i32)
ADJ_SIMT_REDUCE(__reduce_and_sync, unsigned, and_u32)
ADJ_SIMT_REDUCE(__reduce_or_sync, unsigned, or_u32)
ADJ_SIMT_REDUCE(__reduce_xor_sync, unsigned, xor_u32)
#undef ADJ_SIMT_REDUCE

// Operand type that takes no part in deduction, as with CUDA's overloads.
template <class T> using SimtOperand = std::common_type_t<T>;
#define ADJ_SIMT_ATOMIC(name, op) \
  template <class T> inline T name(T* p, SimtOperand<T> v) { return ::simt::atomic(::simt::Rmw::op, p, v); }
ADJ_SIMT_ATOMIC(atomicAdd, add)
ADJ_SIMT_ATOMIC(atomicMin, min)
ADJ_SIMT_ATOMIC(atomicMax, max)
ADJ_SIMT_ATOMIC(atomicAnd, and_)
ADJ_SIMT_ATOMIC(atomicOr, or_)
ADJ_SIMT_ATOMIC(atomicXor, xor_)
ADJ_SIMT_ATOMIC(atomicExch, exchange)
ADJ_SIMT_ATOMIC(atomicInc, inc)
ADJ_SIMT_ATOMIC(atomicDec, dec)
#undef ADJ_SIMT_ATOMIC
template <class T> inline T atomicSub(T* p, SimtOperand<T> v) { return ::simt::atomic(::simt::Rmw::add, p, static_cast<T>(0 - v)); }
template <class T> inline T atomicCAS(T* p, SimtOperand<T> compare, SimtOperand<T> v) {
  return ::simt::atomic(::simt::Rmw::cas, p, static_cast<T>(v), ::simt::Order::relaxed, static_cast<T>(compare));
}
inline void __threadfence() { ::simt::fence(true); }
inline void __threadfence_system() { ::simt::fence(true); }
inline void __threadfence_block() { ::simt::fence(false); }
[[noreturn]] inline void __trap() { ::simt::trap("trap"); }

inline int __popc(unsigned v) { return __builtin_popcount(v); }
inline int __popcll(unsigned long long v) { return __builtin_popcountll(v); }
inline int __ffs(int v) { return __builtin_ffs(v); }
inline int __ffsll(long long v) { return __builtin_ffsll(v); }
inline int __clz(int v) { return v ? __builtin_clz(static_cast<unsigned>(v)) : 32; }
inline int __clzll(long long v) { return v ? __builtin_clzll(static_cast<unsigned long long>(v)) : 64; }
inline unsigned __umulhi(unsigned a, unsigned b) { return static_cast<unsigned>((static_cast<unsigned long long>(a) * b) >> 32); }
inline unsigned long long __umul64hi(unsigned long long a, unsigned long long b) {
  __extension__ typedef unsigned __int128 Wide;
  return static_cast<unsigned long long>((static_cast<Wide>(a) * b) >> 64);
}
inline unsigned __brev(unsigned v) {
  unsigned r = 0;
  for (int i = 0; i < 32; ++i) r |= ((v >> i) & 1u) << (31 - i);
  return r;
}
inline unsigned __float_as_uint(float v) { return static_cast<unsigned>(::simt::to_bits(v)); }
inline int __float_as_int(float v) { return static_cast<int>(::simt::to_bits(v)); }
inline float __uint_as_float(unsigned v) { return ::simt::from_bits<float>(v); }
inline float __int_as_float(int v) { return ::simt::from_bits<float>(static_cast<unsigned>(v)); }
inline long long __double_as_longlong(double v) { return static_cast<long long>(::simt::to_bits(v)); }
inline double __longlong_as_double(long long v) { return ::simt::from_bits<double>(static_cast<unsigned long long>(v)); }

// Approximations are computed exactly here; the GPU tests check their error.
inline float __expf(float v) { return expf(v); }
inline float __logf(float v) { return logf(v); }
inline float __log2f(float v) { return log2f(v); }
inline float __fdividef(float a, float b) { return a / b; }
inline float __frcp_rn(float v) { return 1.0f / v; }
inline float __fdiv_rn(float a, float b) { return a / b; }
inline double __ddiv_rn(double a, double b) { return a / b; }
inline float __fsqrt_rn(float v) { return sqrtf(v); }
inline double __dsqrt_rn(double v) { return sqrt(v); }
inline float __fadd_rn(float a, float b) { return a + b; }
inline float __fsub_rn(float a, float b) { return a - b; }
inline float __fmul_rn(float a, float b) { return a * b; }
inline double __dadd_rn(double a, double b) { return a + b; }
inline double __dsub_rn(double a, double b) { return a - b; }
inline double __dmul_rn(double a, double b) { return a * b; }
inline float __fmaf_rn(float a, float b, float c) { return fmaf(a, b, c); }
inline double __fma_rn(double a, double b, double c) { return fma(a, b, c); }
inline float __frsqrt_rn(float v) { return static_cast<float>(1.0 / sqrt(static_cast<double>(v))); }
inline float rsqrtf(float v) { return static_cast<float>(1.0 / sqrt(static_cast<double>(v))); }
inline double rsqrt(double v) { return 1.0 / sqrt(v); }
inline float __saturatef(float v) { return v > 0 ? (v < 1 ? v : 1.0f) : 0.0f; }

// A reference to an array that every thread of the block finds at the same place.
#define ADJ_SHARED(T, name, count)   \
  static const char name##_site = 0; \
  T(&name)[count] = *static_cast<T(*)[count]>(::simt::static_shared(&name##_site, #name, sizeof(T[count]), alignof(T)))
#define ADJ_DYNAMIC_SHARED(name) unsigned char* const name = ::simt::dynamic_shared()
