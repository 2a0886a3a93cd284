// Vector accesses, cache hints, copies to shared memory, and packed elements.
#pragma once

#include "prelude/types.cuh"

// N elements that are moved together; 16 bytes is the widest access of a thread.
template <class T, int N> struct alignas(sizeof(T) * N) Vec {
  T at[N];
};
template <class T> constexpr int kVec16 = 16 / sizeof(T);

struct alignas(16) Words4 {
  u32 x, y, z, w;
};

__device__ __forceinline__ bool aligned16(const void* p) { return (reinterpret_cast<u64>(p) & 15) == 0; }

#if defined(ADJ_SIMT)
// On the CPU there are no caches, but alignment is checked as the hardware demands it.
template <class T> inline T simt_load(const T* p) {
  simt::check_aligned(p, sizeof(T));
  return *p;
}
template <class T> inline void simt_store(T* p, T v) {
  simt::check_aligned(p, sizeof(T));
  *p = v;
}
#endif

// Loads without a hint: on an H200, evict-first and no-allocate loads move up to a tenth fewer bytes per second.
__device__ __forceinline__ Words4 load_words(const Words4* p) {
#if defined(ADJ_SIMT)
  return simt_load(p);
#else
  Words4 v;
  asm volatile("ld.global.v4.u32 {%0, %1, %2, %3}, [%4];" : "=r"(v.x), "=r"(v.y), "=r"(v.z), "=r"(v.w) : "l"(p));
  return v;
#endif
}
// Loads evict-first, for a kernel that reads its data once and writes next to nothing: the lines that it has read leave the level-2 cache
// before dirty lines of earlier kernels do, whose write-back would take bandwidth meanwhile.
__device__ __forceinline__ Words4 load_once(const Words4* p) {
#if defined(ADJ_SIMT)
  return simt_load(p);
#else
  Words4 v;
  asm volatile("ld.global.cs.v4.u32 {%0, %1, %2, %3}, [%4];" : "=r"(v.x), "=r"(v.y), "=r"(v.z), "=r"(v.w) : "l"(p));
  return v;
#endif
}
// Stores without a hint: evict-first stores of streams take 1 to 3 % longer.
__device__ __forceinline__ void store_words(Words4* p, Words4 v) {
#if defined(ADJ_SIMT)
  simt_store(p, v);
#else
  asm volatile("st.global.v4.u32 [%0], {%1, %2, %3, %4};" : : "l"(p), "r"(v.x), "r"(v.y), "r"(v.z), "r"(v.w) : "memory");
#endif
}
// Stores evict-first, for results beside rows that are read again, at random places of a tensor: these stay in the cache.
__device__ __forceinline__ void store_streaming(Words4* p, Words4 v) {
#if defined(ADJ_SIMT)
  simt_store(p, v);
#else
  asm volatile("st.global.cs.v4.u32 [%0], {%1, %2, %3, %4};" : : "l"(p), "r"(v.x), "r"(v.y), "r"(v.z), "r"(v.w) : "memory");
#endif
}

// The same for 8 bytes: four elements of 16 bits, beside four elements of 32 bits of another array.
struct alignas(8) Words2 {
  u32 x, y;
};
__device__ __forceinline__ Words2 load_words(const Words2* p) {
#if defined(ADJ_SIMT)
  return simt_load(p);
#else
  Words2 v;
  asm volatile("ld.global.v2.u32 {%0, %1}, [%2];" : "=r"(v.x), "=r"(v.y) : "l"(p));
  return v;
#endif
}
__device__ __forceinline__ void store_words(Words2* p, Words2 v) {
#if defined(ADJ_SIMT)
  simt_store(p, v);
#else
  asm volatile("st.global.v2.u32 [%0], {%1, %2};" : : "l"(p), "r"(v.x), "r"(v.y) : "memory");
#endif
}
// The same for 4 bytes: two elements of 16 bits, beside two elements of 64 bits of another array.
struct alignas(4) Words1 {
  u32 x;
};
__device__ __forceinline__ Words1 load_words(const Words1* p) {
#if defined(ADJ_SIMT)
  return simt_load(p);
#else
  Words1 v;
  asm volatile("ld.global.u32 %0, [%1];" : "=r"(v.x) : "l"(p));
  return v;
#endif
}
__device__ __forceinline__ void store_words(Words1* p, Words1 v) {
#if defined(ADJ_SIMT)
  simt_store(p, v);
#else
  asm volatile("st.global.u32 [%0], %1;" : : "l"(p), "r"(v.x) : "memory");
#endif
}

// Relaxed accesses to flags that several threads of a launch store, all of them the same value.
__device__ __forceinline__ void store_relaxed(u8* p, u8 v) {
#if defined(ADJ_SIMT)
  simt::store(p, v, simt::Order::relaxed);
#else
  asm volatile("st.relaxed.gpu.global.u8 [%0], %1;" : : "l"(p), "r"(static_cast<u32>(v)) : "memory");
#endif
}
__device__ __forceinline__ void store_relaxed(f32* p, f32 v) {
#if defined(ADJ_SIMT)
  simt::store(p, v, simt::Order::relaxed);
#else
  asm volatile("st.relaxed.gpu.global.f32 [%0], %1;" : : "l"(p), "f"(v) : "memory");
#endif
}
__device__ __forceinline__ u8 load_relaxed(const u8* p) {
#if defined(ADJ_SIMT)
  return simt::load(p, simt::Order::relaxed);
#else
  u32 v;
  asm volatile("ld.relaxed.gpu.global.u8 %0, [%1];" : "=r"(v) : "l"(p) : "memory");
  return static_cast<u8>(v);
#endif
}

// The first place in shared memory, from `memory` on, at a multiple of `bytes`, a power of two.
__device__ __forceinline__ unsigned char* align_shared(unsigned char* memory, u32 bytes) { return memory + (-reinterpret_cast<u64>(memory) & (bytes - 1)); }

// Begins to copy 16 aligned bytes into shared memory, past the registers. A thread waits for its own copies. valid false: clears the 16 bytes of
// shared memory instead and does not read the source. near: also keeps the line in the level-1 cache, for copies of the block that read it again soon.
template <bool near = false> __device__ __forceinline__ void copy16_to_shared(void* shared, const Words4* p, bool valid = true) {
#if defined(ADJ_SIMT)
  simt_store(static_cast<Words4*>(shared), valid ? simt_load(p) : Words4{0, 0, 0, 0});
  simt::begin_copy(shared, valid ? p : nullptr, 16);
#else
  const u32 to = static_cast<u32>(__cvta_generic_to_shared(shared)), bytes = valid ? 16 : 0;
  if constexpr (near) asm volatile("cp.async.ca.shared.global [%0], [%1], 16, %2;" : : "r"(to), "l"(p), "r"(bytes) : "memory");
  else asm volatile("cp.async.cg.shared.global [%0], [%1], 16, %2;" : : "r"(to), "l"(p), "r"(bytes) : "memory");
#endif
}
// The same for one number of 4 or 8 bytes.
template <class T> __device__ __forceinline__ void copy_to_shared(T* shared, const T* p) {
#if defined(ADJ_SIMT)
  simt_store(shared, simt_load(p));
  simt::begin_copy(shared, p, sizeof(T));
#else
  asm volatile("cp.async.ca.shared.global [%0], [%1], %2;"
               :
               : "r"(static_cast<u32>(__cvta_generic_to_shared(shared))), "l"(p), "n"(static_cast<int>(sizeof(T)))
               : "memory");
#endif
}
__device__ __forceinline__ void wait_copies_to_shared() {
#if defined(ADJ_SIMT)
  simt::wait_copies();
#else
  asm volatile("cp.async.wait_all;" : : : "memory");
#endif
}
// Closes a group: the copies that the thread has begun since the last call. wait_copies_but waits for all groups but the last `open`.
__device__ __forceinline__ void close_copies() {
#if defined(ADJ_SIMT)
  simt::close_copies();
#else
  asm volatile("cp.async.commit_group;" : : : "memory");
#endif
}
template <int open> __device__ __forceinline__ void wait_copies_but() {
#if defined(ADJ_SIMT)
  simt::wait_copies_but(open);
#else
  asm volatile("cp.async.wait_group %0;" : : "n"(open) : "memory");
#endif
}

// Fetches `bytes` bytes at `from` to the level-2 cache, whole vectors of 16 bytes, by `threads` threads; on sm_90 and later, else does nothing.
// Allowed before waiting for the grid that writes these bytes.
__device__ __forceinline__ void prefetch(const u8* from, i64 bytes, i64 thread, i64 threads) {
#if !defined(ADJ_SIMT) && __CUDA_ARCH__ >= 900
  constexpr i64 kAtOnce = 4096;
  const u64 begin = (reinterpret_cast<u64>(from) + 15) & ~u64{15}, end = (reinterpret_cast<u64>(from) + static_cast<u64>(bytes)) & ~u64{15};
#pragma unroll 1
  for (u64 at = begin + static_cast<u64>(thread * kAtOnce); at < end; at += static_cast<u64>(threads * kAtOnce)) {
    const u32 size = static_cast<u32>(min_of<u64>(end - at, kAtOnce));
    asm volatile("cp.async.bulk.prefetch.L2.global [%0], %1;" : : "l"(at), "r"(size) : "memory");
  }
#endif
}

// Fetches the line of 128 bytes that holds `at` to the level-2 cache.
__device__ __forceinline__ void prefetch_line([[maybe_unused]] const u8* at) {
#if !defined(ADJ_SIMT)
  asm volatile("prefetch.global.L2 [%0];" : : "l"(at));
#endif
}

// N elements, 4, 8 or 16 bytes together, as the words that are moved. Kept packed until they are used, 16-bit elements take half the
// registers.
template <int bytes> struct WordsOf;
template <> struct WordsOf<4> {
  typedef Words1 type;
};
template <> struct WordsOf<8> {
  typedef Words2 type;
};
template <> struct WordsOf<16> {
  typedef Words4 type;
};
template <class T, int N> struct PackedOf {
  typedef typename WordsOf<static_cast<int>(sizeof(T)) * N>::type type;
};
template <int N> struct PackedOf<none, N> {
  typedef none type;
};
template <class T, int N> using Packed = typename PackedOf<T, N>::type;
template <class T, int N> __device__ __forceinline__ Vec<T, N> unpack_vector(const Packed<T, N>& w) {
  Vec<T, N> v;
  memcpy(&v, &w, sizeof w);
  return v;
}
template <class T, int N> __device__ __forceinline__ Packed<T, N> pack_vector(const Vec<T, N>& v) {
  Packed<T, N> w;
  memcpy(&w, &v, sizeof w);
  return w;
}

// Reinterprets 16 bytes as elements and back.
template <class T> __device__ __forceinline__ Vec<T, kVec16<T>> unpack(Words4 w) {
  Vec<T, kVec16<T>> v;
  memcpy(&v, &w, 16);
  return v;
}
template <class T> __device__ __forceinline__ Words4 pack(const Vec<T, kVec16<T>>& v) {
  Words4 w;
  memcpy(&w, &v, 16);
  return w;
}

// widen turns 16 bytes into numbers of the accumulation type; narrow turns them back, with one rounding. Two 16-bit elements of a word are
// converted together, in half the instructions that single ones take.
template <class T> __device__ __forceinline__ void widen(Words4 w, Acc<T> (&x)[kVec16<T>]) {
  if constexpr (sizeof(T) == 2) {
    const u32 words[4] = {w.x, w.y, w.z, w.w};
#pragma unroll
    for (int i = 0; i < 4; ++i) x[2 * i] = low_f32(T{}, words[i]), x[2 * i + 1] = high_f32(T{}, words[i]);
  } else {
    const Vec<T, kVec16<T>> v = unpack<T>(w);
#pragma unroll
    for (int j = 0; j < kVec16<T>; ++j) x[j] = to_acc(v.at[j]);
  }
}
template <class T> __device__ __forceinline__ Words4 narrow(const Acc<T> (&x)[kVec16<T>]) {
  if constexpr (sizeof(T) == 2 && sizeof(Acc<T>) == 4) {
    return {Convert<T>::pair(x[0], x[1]), Convert<T>::pair(x[2], x[3]), Convert<T>::pair(x[4], x[5]), Convert<T>::pair(x[6], x[7])};
  } else {
    Vec<T, kVec16<T>> v;
#pragma unroll
    for (int j = 0; j < kVec16<T>; ++j) v.at[j] = from_acc<T>(x[j]);
    return pack<T>(v);
  }
}

// Returns the number of elements between p and the 16-byte boundary at or before it.
template <class T> __device__ __forceinline__ int skew_of(const T* p) { return static_cast<int>(reinterpret_cast<u64>(p) & 15) / static_cast<int>(sizeof(T)); }

// A row of `count` elements at p as `vectors` vectors of N elements, the first at a 16-byte boundary, and `edges` elements before and behind the
// vectors; `head` of them are before.
template <int N> struct Window {
  int head, vectors, edges;
  template <class T> __device__ __forceinline__ Window(const T* p, int count) {
    const int offset = static_cast<int>(reinterpret_cast<u64>(p) & 15);
    head = static_cast<int>((static_cast<u32>(-offset) & 15) / sizeof(T));
    if (head > count) head = count;
    vectors = static_cast<int>(static_cast<u32>(count - head) / N);
    edges = count - vectors * N;
  }
  __device__ __forceinline__ void without_vectors() {
    edges += vectors * N;
    vectors = 0;
  }
  __device__ __forceinline__ int vector(int u) const { return head + u * N; }
  __device__ __forceinline__ int edge(int e) const { return e < head ? e : e + vectors * N; }
  // Number of the vector, or of the edge, that element i belongs to.
  __device__ __forceinline__ int share(int i) const {
    if (i < head) return i;
    return i < head + vectors * N ? (i - head) / N : i - vectors * N;
  }
};

// N elements that begin at a 16-byte boundary; N * sizeof(T) is a multiple of 16.
template <class T, int N> struct Unit {
  static constexpr int kPieces = N * static_cast<int>(sizeof(T)) / 16;
  Words4 words[kPieces];
  __device__ __forceinline__ void load(const T* p) {
#pragma unroll
    for (int i = 0; i < kPieces; ++i) words[i] = load_words(reinterpret_cast<const Words4*>(p) + i);
  }
  __device__ __forceinline__ void store(T* p) const {
#pragma unroll
    for (int i = 0; i < kPieces; ++i) store_words(reinterpret_cast<Words4*>(p) + i, words[i]);
  }
  __device__ __forceinline__ void get(Acc<T> (&x)[N]) const {
#pragma unroll
    for (int i = 0; i < kPieces; ++i) {
      Acc<T> own[kVec16<T>];
      widen<T>(words[i], own);
#pragma unroll
      for (int j = 0; j < kVec16<T>; ++j) x[i * kVec16<T> + j] = own[j];
    }
  }
  template <class A> __device__ __forceinline__ void set(const A (&x)[N]) {
#pragma unroll
    for (int i = 0; i < kPieces; ++i) {
      Vec<T, kVec16<T>> v;
#pragma unroll
      for (int j = 0; j < kVec16<T>; ++j) v.at[j] = from_acc<T>(x[i * kVec16<T> + j]);
      words[i] = pack<T>(v);
    }
  }
};
