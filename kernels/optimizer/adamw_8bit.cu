// AdamW with moments of 8 bits over a list of tensors.
//
// Computes: the definition of include/adjoint/ops/optimizer.h, to the last bit.
// Work split: a block takes a chunk of a tensor, a warp takes the stored blocks of 256 elements in it, a lane eight neighbouring elements of a block.
// Memory: reads weights, gradients, bytes and scales once; writes weights, bytes and scales once, and on request copies and cleared gradients.
// Order of additions: none; the scale of a stored block is a maximum.
// Limits: chunks of at most 2^30 elements and of whole stored blocks, and parts of tensors that begin with a stored block; the plan sees to it.
//
// Macros: ADJ_WIDEST 4 (step.cuh), ADJ_PARAM_BYTES size of the parameter block with the table inside, 0 when the table lies in the workspace.
#include "optimizer/step.cuh"
#include "optimizer/stochastic.cuh"

constexpr int kBlocks = ADJ_PARAM_BYTES ? 3 : 2;  // blocks per multiprocessor: as many as spill no registers; a table in the workspace takes more
constexpr int kEight = 8;
typedef MultiTensorParams<Adam8Head, ADJ_PARAM_BYTES> Params;

// Numbers that all elements share, computed in f64 and rounded once.
struct Factors {
  f32 grad_scale;
  f32 beta1, gain1, beta2, gain2;
  f32 root_scale, epsilon;  // the divisor is root_scale * sqrt(v) + epsilon
  f32 rate, decay;          // factors of the direction and of the decay
  int scaled, skip;
};

__device__ __forceinline__ void compute_factors(Factors& f, const Adam8Head& p) {
  const bool reports = p.lists.reports && block_index() == 0;
  const StepScalars s = read_control(p.control, p.step, p.control.inverse_max_norm, reports);
  const f64 gain1 = 1 - p.beta1, gain2 = 1 - p.beta2;
  f64 a = 1, b = 1;
  f.skip = s.skip;
  if (!f.skip) {
    if (s.step < 1) {
      f.skip = 1;
      if (reports && p.control.error_flag) atomic_add(p.control.error_flag, i64{1});
    } else {
      correct_bias(a, b, gain1, gain2, s.step);
    }
  }
  f.grad_scale = static_cast<f32>(s.scale);
  f.scaled = f.grad_scale != 1;
  f.beta1 = static_cast<f32>(p.beta1);
  f.gain1 = static_cast<f32>(gain1);
  f.beta2 = static_cast<f32>(p.beta2);
  f.gain2 = static_cast<f32>(gain2);
  f.root_scale = static_cast<f32>(divide_by_normal(1, square_root_of_normal(b)));
  f.epsilon = static_cast<f32>(p.epsilon);
  f.rate = static_cast<f32>(divide_by_normal(s.lr, a));
  f.decay = static_cast<f32>(s.lr * p.weight_decay);
}

// Eight elements of weights or gradients in registers: as in memory, or opened, an f32 each.
struct Eight {
  u32 words[kEight];

  __device__ __forceinline__ void load(const Array& a, int first) {
    const Words4* p = reinterpret_cast<const Words4*>(a.element(first));
    const Words4 low = load_words(p);
    memcpy(words, &low, 16);
    if (a.type == kDtypeF32) {
      const Words4 high = load_words(p + 1);
      memcpy(words + 4, &high, 16);
    }
  }
  // Loads `count` elements one by one; zeros in place of the rest.
  __device__ __forceinline__ void load(const Array& a, int first, int count) {
    const bool wide = a.type == kDtypeF32;
    const u8* p = a.element(first);
#pragma unroll 1
    for (int j = 0; j < kEight; ++j) {
      u32 one = 0;
      if (j < count) one = wide ? reinterpret_cast<const u32*>(p)[j] : reinterpret_cast<const u16*>(p)[j];
      push(one, wide);
    }
  }
  __device__ __forceinline__ void open(int type) {
    if (type == kDtypeF32) return;
#pragma unroll
    for (int j = kEight - 1; j >= 0; --j) put(j, from_16_bits(words[j / 2] >> j % 2 * 16 & 0xffff, type));
  }
  // Rounds opened elements to a 16-bit type, to the nearest. Does nothing for f32.
  __device__ __forceinline__ void close(int type) {
    if (type == kDtypeF32) return;
#pragma unroll
    for (int j = 0; j < kEight; j += 2) words[j / 2] = to_pair(get(j), get(j + 1), type);
  }
  // Rounds opened elements to a 16-bit type at random.
  __device__ __forceinline__ void close(int type, const RandomEight& random) {
    if (type == kDtypeBf16) close_as<kDtypeBf16>(random);
    else close_as<kDtypeF16>(random);
  }
  template <int type> __device__ __forceinline__ void close_as(const RandomEight& random) {
#pragma unroll
    for (int j = 0; j < kEight; ++j) {
      const u32 bits = round_at_random(get(j), random.at(static_cast<u32>(j)), type);
      words[j / 2] = j % 2 ? words[j / 2] | bits << 16 : bits;
    }
  }
  __device__ __forceinline__ void store(const Array& a, int first) const {
    Words4* p = reinterpret_cast<Words4*>(a.element(first));
    Words4 low, high;
    memcpy(&low, words, 16);
    memcpy(&high, words + 4, 16);
    store_words(p, low);
    if (a.type == kDtypeF32) store_words(p + 1, high);
  }
  __device__ __forceinline__ void store(const Array& a, int first, int count) const {
    const bool wide = a.type == kDtypeF32;
    u8* p = a.element(first);
    Eight rest = *this;
#pragma unroll 1
    for (int j = 0; j < count; ++j) {
      if (wide) reinterpret_cast<u32*>(p)[j] = rest.words[0];
      else reinterpret_cast<u16*>(p)[j] = static_cast<u16>(rest.words[0]);
      rest.push(0, wide);
    }
  }
  __device__ __forceinline__ f32 get(int j) const { return from_bits(words[j]); }
  __device__ __forceinline__ void put(int j, f32 v) { memcpy(words + j, &v, 4); }
  __device__ __forceinline__ void push(u32 one, bool wide) {
    if (wide) {
#pragma unroll
      for (int i = 0; i + 1 < kEight; ++i) words[i] = words[i + 1];
      words[kEight - 1] = one;
    } else {
#pragma unroll
      for (int i = 0; i < 3; ++i) words[i] = words[i] >> 16 | words[i + 1] << 16;
      words[3] = words[3] >> 16 | one << 16;
    }
  }
};

// Loads or stores `count` of the bytes of eight elements of a moment, one by one.
__device__ __forceinline__ Words2 load_bytes(const u8* p, int count) {
  u64 all = 0;
#pragma unroll 1
  for (int j = 0; j < kEight; ++j) all = all >> 8 | static_cast<u64>(j < count ? p[j] : 0) << 56;
  return {static_cast<u32>(all), static_cast<u32>(all >> 32)};
}
__device__ __forceinline__ void store_bytes(u8* p, Words2 bytes, int count) {
  u64 all = static_cast<u64>(bytes.y) << 32 | bytes.x;
#pragma unroll 1
  for (int j = 0; j < count; ++j, all >>= 8) p[j] = static_cast<u8>(all);
}
// Returns byte j of eight in the highest bits.
__device__ __forceinline__ u32 top_byte(Words2 bytes, int j) { return ((j < 4 ? bytes.x : bytes.y) << (3 - j % 4) * 8) & 0xff000000; }

// Scale of a stored block. largest: bits of the largest magnitude among the lane's elements. The scale is 0 if that of the block is subnormal, NaN if
// it is not finite.
struct BlockScale {
  f32 scale, inverse;
  u32 mask;  // mask of the bytes: 0 if all of them become 0

  __device__ __forceinline__ explicit BlockScale(u32 largest) {
#pragma unroll
    for (int step = kWarp / 2; step > 0; step /= 2) largest = max_of(largest, shuffle_xor(largest, step));
    const bool finite = largest < 0x7f800000, normal = finite && largest >= 0x00800000;
    mask = normal ? 0xffffffff : 0;
    scale = from_bits(normal ? largest : finite ? 0 : 0x7fffffff);
    inverse = normal ? 1 / scale : 0;
  }
};
__device__ __forceinline__ u32 sign_and_size(f32 v) {
  u32 bits;
  memcpy(&bits, &v, 4);
  return bits;
}
__device__ __forceinline__ u32 size_bits(f32 v) { return sign_and_size(v) & 0x7fffffff; }

// A lane's part of a stored block. Bytes and scales are as they are stored.
struct Part {
  Eight w, g;
  Words2 m, v;
  f32 m_scale, v_scale;
};

// The arrays of a chunk; elements are counted from its begin.
struct Update {
  const Factors& f;
  const StepLists& lists;
  const RandomKey& key;
  Array w, g, copy;
  u8 *m, *v;
  f32 *m_scale, *v_scale;
  int numel;
  bool stochastic, aligned;
  i64 begin;  // number of the chunk's first element in the whole tensor

  // whole: true if the stored block that begins at element `block` is moved in words. count: elements of a lane, from `first` on, inside the chunk.
  __device__ __forceinline__ bool whole(int block) const { return aligned && block + (1 << kAdam8BlockLog2) <= numel; }
  __device__ __forceinline__ int count(int first) const { return max_of(min_of(numel - first, kEight), 0); }

  __device__ __forceinline__ void load(Part& r, int block) const {
    const int first = block + lane_index() * kEight;
    r.m_scale = m_scale[block >> kAdam8BlockLog2];
    r.v_scale = v_scale[block >> kAdam8BlockLog2];
    if (whole(block)) {
      r.w.load(w, first);
      r.g.load(g, first);
      r.m = load_words(reinterpret_cast<const Words2*>(m + first));
      r.v = load_words(reinterpret_cast<const Words2*>(v + first));
    } else {
      r.w.load(w, first, count(first));
      r.g.load(g, first, count(first));
      r.m = load_bytes(m + first, count(first));
      r.v = load_bytes(v + first, count(first));
    }
  }

  // Every sum is one explicit fused operation, so no compiler choice changes bits. The old weight enters in the last subtraction, with one rounding.
  // Elements beyond the tensor read as 0 and their moments stay 0, so they do not change a scale. If a scale or factor makes them NaN, it makes all
  // other elements of the stored block NaN as well.
  __device__ __forceinline__ void apply(Part& r, int block) const {
    const int first = block + lane_index() * kEight;
    f32 mean[kEight], square[kEight];
    u32 largest_mean = 0, largest_square = 0;
    RandomEight random;
    random.draw(key, begin + first);
    r.w.open(lists.param);
    r.g.open(lists.grad);
    if (f.scaled) {
#pragma unroll 1
      for (int j = 0; j < kEight; ++j) r.g.push(sign_and_size(r.g.get(0) / f.grad_scale), true);
    }
#pragma unroll
    for (int j = 0; j < kEight; ++j) {
      const u32 mean_bits = static_cast<u32>(static_cast<i32>(top_byte(r.m, j)) >> 4) & 0x87f00000;
      const f32 old_mean = from_bits(mean_bits) * 0x1p112f * r.m_scale;
      const f32 old_square = from_bits(top_byte(r.v, j) >> 4) * 0x1p96f * r.v_scale;
      const f32 weight = r.w.get(j), gradient = r.g.get(j);
      mean[j] = fused_multiply_add(f.gain1, gradient, f.beta1 * old_mean);
      square[j] = fused_multiply_add(f.gain2 * gradient, gradient, f.beta2 * old_square);
      const f32 direction = mean[j] / fused_multiply_add(square_root(square[j]), f.root_scale, f.epsilon);
      r.w.put(j, weight - fused_multiply_add(f.decay, weight, f.rate * direction));
      largest_mean = max_of(largest_mean, size_bits(mean[j]));
      largest_square = max_of(largest_square, size_bits(square[j]));
    }
    const BlockScale of_mean(largest_mean), of_square(largest_square);
    Words2 mean_bytes{}, square_bytes{};
#pragma unroll
    for (int j = 0; j < kEight; ++j) {
      const u32 sign = sign_and_size(mean[j]) >> 24 & 0x80;
      // The byte is at most 0x78 even without the minimum. Without it, ptxas 13.0 takes a product that is shifted to the left for 0.
      const u32 mean_byte = min_of<u32>((sign_and_size(from_bits(size_bits(mean[j])) * of_mean.inverse * 0x1p-112f) + 0x80000) >> 20, 0x78) | sign;
      const u32 word = sign_and_size(from_bits(size_bits(square[j])) * of_square.inverse * 0x1p-96f) + (random.at(static_cast<u32>(j)) << 4);
      const u32 square_byte = max_of<u32>(min_of<u32>(word >> 20, 0xf8), 1);
      (j < 4 ? mean_bytes.x : mean_bytes.y) |= mean_byte << j % 4 * 8;
      (j < 4 ? square_bytes.x : square_bytes.y) |= square_byte << j % 4 * 8;
    }
    r.m = {mean_bytes.x & of_mean.mask, mean_bytes.y & of_mean.mask};
    r.v = {square_bytes.x & of_square.mask, square_bytes.y & of_square.mask};
    if (stochastic) r.w.close(lists.param, random);
    else r.w.close(lists.param);
    warp_barrier();  // all lanes have read the scales
    if (lane_index() == 0) {
      m_scale[block >> kAdam8BlockLog2] = of_mean.scale;
      v_scale[block >> kAdam8BlockLog2] = of_square.scale;
    }
    if (whole(block)) {
      store_words(reinterpret_cast<Words2*>(m + first), r.m);
      store_words(reinterpret_cast<Words2*>(v + first), r.v);
      r.w.store(w, first);
      if (lists.copies) {  // copies are of f32 weights, which are still open
        r.w.close(lists.copy);
        r.w.store(copy, first);
      }
      if (lists.clear_grads) Eight{}.store(g, first);
    } else {
      store_bytes(m + first, r.m, count(first));
      store_bytes(v + first, r.v, count(first));
      r.w.store(w, first, count(first));
      if (lists.copies) {
        r.w.close(lists.copy);
        r.w.store(copy, first, count(first));
      }
      if (lists.clear_grads) Eight{}.store(g, first, count(first));
    }
  }
};

extern "C" __global__ void __launch_bounds__(kMultiTensorThreads, kBlocks) ADJ_ENTRY(const __grid_constant__ Params p) {
  const Adam8Head& head = p.head;
  ADJ_SHARED(Factors, shared, 1);
  ADJ_SHARED(RandomKey, key, 1);
  const MultiTensorTable table = table_of(p, multi_tensor_keyed(head.lists.arrays, 1, head.parts));
  const u32 chunk = static_cast<u32>(block_index());  // a plan keeps the chunks of a launch below the limit of a grid
  const u32 t = find_tensor(head.list, table.first_chunk, chunk);
  if (thread_index() == 0) {
    compute_factors(shared[0], head);
    const u64 seed = static_cast<u64>(read_step(head.seed));
    key[0] = {static_cast<u32>(seed), static_cast<u32>(seed >> 32), table.count(1, t), static_cast<u32>(read_step(head.step))};
  }
  block_barrier();

  const i64 begin = static_cast<i64>(chunk - table.first_chunk[t]) << head.list.chunk_log2;
  const int numel = static_cast<int>(min_of<i64>(table.elements(head.list, t) - begin, i64{1} << head.list.chunk_log2));
  if (shared[0].skip) {
    if (head.lists.clear_grads) clear_gradients(array_of(table, 1, t, head.lists.grad, begin), {begin, 0, 0, numel});
    return;
  }
  u64 places = 0;
#pragma unroll 1
  for (int place = 0; place < head.lists.arrays; ++place)
    if (place != kAdam8Mean + 1 && place != kAdam8Square + 1) places |= table.address(place, t);
  const Update op{shared[0],
                  head.lists,
                  key[0],
                  array_of(table, 0, t, head.lists.param, begin),
                  array_of(table, 1, t, head.lists.grad, begin),
                  head.lists.copies ? array_of(table, head.lists.copies, t, head.lists.copy, begin) : Array{nullptr, 0},
                  table.array<u8>(kAdam8Mean, t) + begin,
                  table.array<u8>(kAdam8Square, t) + begin,
                  table.array<f32>(kAdam8Mean + 1, t) + (begin >> kAdam8BlockLog2),
                  table.array<f32>(kAdam8Square + 1, t) + (begin >> kAdam8BlockLog2),
                  numel,
                  head.stochastic != 0,
                  (places & 15) == 0,
                  begin + (head.parts ? first_element(table, t) : 0)};
  constexpr int kStride = kMultiTensorThreads * kEight;
#pragma unroll 1
  for (int block = thread_index() / kWarp << kAdam8BlockLog2; block < numel; block += kStride) {
    Part part;
    op.load(part, block);
    op.apply(part, block);
  }
}
