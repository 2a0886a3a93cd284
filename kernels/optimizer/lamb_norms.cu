// First pass of LAMB: the norms of the weights and of the direction of every tensor.
//
// Computes: sums of squares of w and d (include/adjoint/ops/optimizer.h) for each tensor, in slots.tensors.
// Work split: a block takes a chunk of 2^kNormChunk elements of a tensor, a thread groups of kVector elements counted from its start.
// Memory: weights, gradients and both moments read once. Nothing but sums is written, so that a tensor can still be left as it is.
// Order of additions: that of prelude/multi_norm.cuh; it depends on the length of the tensor alone.
// Limits: chunks of at most 2^30 elements, which the planning keeps.
//
// Macros: ADJ_WIDEST (step.cuh), ADJ_PARAM_BYTES size of the parameter block with the table inside, 0 when the table lies in the workspace.
#include "optimizer/lamb.cuh"

// Four arrays from the start of a chunk on.
struct Chunk {
  Array w, g, m, v;
  int count;
  bool aligned;  // all arrays, to a vector

  struct Group {
    Lane w, g, m, v;
  };
  __device__ __forceinline__ void load(Lane& lane, const Array& a, int first) const {
    if (aligned && first + kVector <= count) {
      lane.load(a, {first, kVector});
    } else {
      load_elements(lane, a, first);
    }
  }
  // One by one, with zeros behind the end.
  __device__ __forceinline__ void load_elements(Lane& lane, const Array& a, int first) const {
    const bool narrow = size_log2(a.type) == 1;
    const Lane empty{{0, 0, 0, 0}};
    lane = empty;
#pragma unroll 1
    for (int i = first; i < first + kVector; ++i) {
      Lane one = empty;
      if (i < count) one.load(a, {i, 1});
      if (!narrow) {
        constexpr int kOwn = ADJ_WIDEST == 2 ? 1 : ADJ_WIDEST / 4;
#pragma unroll
        for (int k = 0; k + kOwn < 4; ++k) lane.words[k] = lane.words[k + kOwn];
#pragma unroll
        for (int k = 0; k < kOwn; ++k) lane.words[4 - kOwn + k] = one.words[k];
      } else if constexpr (kVector == 8) {
        lane.push_16_bits(one.words[0]);
      } else {
        lane.words[0] = lane.words[0] >> 16 | lane.words[1] << 16;
        lane.words[1] = lane.words[1] >> 16 | one.words[0] << 16;
      }
    }
  }
  __device__ __forceinline__ void load(Group& r, int first) const {
    load(r.w, w, first);
    load(r.g, g, first);
    load(r.m, m, first);
    load(r.v, v, first);
  }
};

extern "C" __global__ void __launch_bounds__(kMultiTensorThreads, ADJ_WIDEST == 8 ? 2 : 3) ADJ_ENTRY(const __grid_constant__ Params p) {
  ADJ_SHARED(Factors, shared, 1);
  ADJ_SHARED(f64, scratch, kNumbers * (kMultiTensorThreads / kWarp));
  const LambHead& head = p.head;
  const MultiTensorTable table = table_of(p, form_of(head));
  const NormChunk c = norm_chunk(head.list, table);
  if (thread_index() == 0) {
    f64 lr;
    compute_factors(shared[0], head, table, c.entry, head.lists.reports && block_index() == 0, lr);
  }
  block_barrier();
  const Factors f = shared[0];
  if (f.skip) return;

  const StepLists& lists = head.lists;
  Chunk chunk{{table.array<u8>(0, c.entry), lists.param}, {table.array<u8>(1, c.entry), lists.grad}, {table.array<u8>(2, c.entry), lists.state},
              {table.array<u8>(3, c.entry), lists.state}, c.elements, true};
  chunk.w.skip(c.begin);
  chunk.g.skip(c.begin);
  chunk.m.skip(c.begin);
  chunk.v.skip(c.begin);
  const u32 offsets = (chunk.w.number() | chunk.g.number() | chunk.m.number() | chunk.v.number()) & (kVector - 1);
  chunk.aligned = offsets == 0;

  Squares<A> weights, directions;
  const int step = kMultiTensorThreads * kVector;
  int first = thread_index() * kVector, left = 0;
  Chunk::Group group{};
#pragma unroll 1
  do {
    // The next group is loaded before the current one is worked on.
    Chunk::Group loaded{};
    const int next = max_of(0, min_of(kVector, c.elements - first));
    if (next > 0) chunk.load(loaded, first);
    if (left > 0) {
      group.w.open(lists.param);
      group.g.open(lists.grad);
      group.m.open(lists.state);
      group.v.open(lists.state);
#pragma unroll 1
      for (; left > 0; --left) {
        const A weight = group.w.front(lists.param);
        A mean = group.m.front(lists.state), square = group.v.front(lists.state);
        const A direction = direction_of(f, weight, group.g.front(lists.grad), mean, square);
        weights.add_one(weight);
        directions.add_one(direction);
        group.w.pop();
        group.g.pop();
        group.m.pop();
        group.v.pop();
      }
    }
    group = loaded;
    left = next;
    first += step;
  } while (left > 0);

  f64 sums[kNumbers];
#pragma unroll
  for (int i = 0; i < kNumbers / 2; ++i) sums[i] = weights.number[i], sums[kNumbers / 2 + i] = directions.number[i];
  block_sums(sums, scratch);
  close_tensor(head.norms, c, sums, scratch);
}
